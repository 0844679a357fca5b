"""Exports of labelling tools in their real forms: read whole or told line by line, and the same again after our own export.

The forms follow the tools' documents and exporters: doccano 1.0 and 1.8 (backend/data_export), Prodigy's "Annotation task formats",
Label Studio's and Argilla's export of JSON, CoNLL-2003 (Sang and De Meulder), brat's standoff format, WebAnno TSV 3 (INCEpTION).
"""

import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from openpyxl import Workbook

from annotator.domain.instances import GoldInstance
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import ExportRefused, ImportRefused, InvalidValue
from annotator.formats.tools import argilla, doccano, label_studio, prodigy
from annotator.store import Store
from annotator.text.tokenisation import tokenise
from annotator.usecases.databases import find_project
from annotator.usecases.gold import GoldOptions, gold_instances
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_path
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from tests.formats.tools.tool_gold import check_same, gold, golds, project_options, read_one

LABELS = ("negative", "positive")


def lines(*rows: object) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@dataclass(frozen=True)
class Export:
    """A file of a tool: its name and content, the format it is known as, and (texts, annotations, sets) in it.

    options: what has to be said of it; marks: what is marked in its first text, by set
    """

    file_name: str
    content: str
    format_name: str
    counts: tuple[int, int, int]
    marks: tuple[tuple[str, ...], ...]
    options: ImportOptions = ImportOptions()


NUMBERED = ImportOptions(number_keys=True)
_PRODIGY = {
    "_input_hash": 11,
    "_task_hash": 12,
    "_is_binary": False,
    "_view_id": "spans_manual",
    "_timestamp": 1690000000,
}
_WORDS = [{"text": "So", "start": 0, "end": 2, "id": 0, "ws": True}, {"text": "good", "start": 3, "end": 7, "id": 1, "ws": True},
          {"text": "😀", "start": 8, "end": 9, "id": 2, "ws": False}]  # fmt: skip
_REGION = {"from_name": "label", "to_name": "text", "type": "labels"}

EXPORTS = {
    "doccano 1.0, numbers of labels and users": Export(
        "old.jsonl", lines(
            {"id": 1, "text": "So good 😀 film", "meta": {}, "annotation_approver": None, "annotations": [
                {"label": 7, "start_offset": 3, "end_offset": 7, "user": 1}, {"label": 8, "start_offset": 8, "end_offset": 15, "user": 1},
                {"label": 7, "start_offset": 0, "end_offset": 7, "user": 2}]},
            {"id": 2, "text": "Nothing", "meta": {}, "annotation_approver": None, "annotations": []},
        ), "doccano", (2, 2, 3), (("good",), ("😀 film",), ("So good",)),
    ),
    "doccano 1.8, overlaps and no ids": Export(
        "all.jsonl", lines(
            {"text": "So good\r\na film", "label": [[0, 7, "set 1"], [3, 15, "set 2"]], "Comments": []}, {"text": "Dull.", "label": [], "Comments": []},
        ), "doccano", (2, 1, 2), (("So good",), ("good\r\na film",)), NUMBERED,
    ),
    "Prodigy, spans of two annotators": Export(
        "spans.jsonl", lines(
            {"text": "So good 😀", **_PRODIGY, "tokens": _WORDS, "spans": [{"start": 3, "end": 9, "token_start": 1, "token_end": 2, "label": "why"}],
             "answer": "accept", "_annotator_id": "x-ada", "_session_id": "x-ada"},
            {"text": "So good 😀", **_PRODIGY, "tokens": _WORDS, "spans": [], "answer": "accept", "_annotator_id": "x-bo", "_session_id": "x-bo"},
        ), "prodigy", (1, 2, 1), (("good 😀",),),
    ),
    "Prodigy, choices": Export(
        "choices.jsonl", lines(
            {"text": "So good", **_PRODIGY, "_view_id": "choice", "options": [{"id": "positive", "text": "+"}, {"id": "negative", "text": "-"}],
             "accept": ["positive"], "answer": "accept"},
            {"text": "So so", **_PRODIGY, "_input_hash": 13, "_view_id": "choice", "accept": [], "answer": "ignore"},
        ), "prodigy", (2, 1, 0), (),
    ),
    "Label Studio": Export(
        "project-1.json", json.dumps([
            {"id": 5, "data": {"text": "So good 😀 film"}, "predictions": [], "annotations": [{"id": 1, "completed_by": {"email": "ada@example.org"}, "result": [
                {**_REGION, "id": "a", "value": {"start": 3, "end": 9, "text": "good 😀", "labels": ["why"]}},
                {"id": "b", "from_name": "sentiment", "to_name": "text", "type": "choices", "value": {"choices": ["positive"]}}]}]},
        ], ensure_ascii=False), "label-studio", (1, 1, 1), (("good 😀",),),
    ),
    "Argilla 2": Export(
        "records.json", json.dumps([
            {"id": "r1", "fields": {"text": "So good film"}, "metadata": {}, "suggestions": {}, "vectors": {}, "responses": {
                "why": [{"value": [{"start": 3, "end": 7, "label": "why"}], "user_id": "u1", "status": "submitted"}],
                "label": [{"value": "positive", "user_id": "u1", "status": "submitted"}]}},
        ]), "argilla", (1, 1, 1), (("good",),),
    ),
    "CoNLL-2003": Export(
        "eng.train", "-DOCSTART- -X- O O\r\n\r\nSo RB B-ADVP O\r\ngood JJ B-ADJP B-WHY\r\n# # O I-WHY\r\n\r\nDull JJ O O\r\n",
        "conll", (2, 2, 1), (("good #",),), NUMBERED,
    ),
    "BILUO with blank lines": Export("ner.tsv", "\n\nSo\tB-A\ngood\tL-A\n\n\n\nFilm\tU-B\n\n", "conll", (2, 2, 2), (("So good",),), NUMBERED),
    "CSV of a data frame with spaCy's entities": Export(
        "frame.csv", 'id,text,label,entities\n1,So good,positive,"[(3, 7, \'WHY\')]"\n2,Dull,negative,[]\n', "csv", (2, 2, 1), (("good",),),
        ImportOptions(columns={"rationales": "entities"}),
    ),
    "Hugging Face's tokens and tags": Export(
        "train.jsonl", lines({"id": "0", "tokens": ["So", "good", "!"], "ner_tags": ["O", "B-WHY", "O"]}), "jsonl", (1, 1, 1), (("good",),),
        ImportOptions(columns={"rationales": "ner_tags"}),
    ),
}  # fmt: skip


@pytest.fixture
def project(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "Tools", get_task("sentiment"), labels=LABELS)


def taken(store: Store, project: Project, path: Path, options: ImportOptions, format_name: str | None) -> ImportReport:
    return import_path(store, LOCAL_OPERATOR, find_project(store, project.name), path, options, format_name)


def marked(store: Store, project: Project) -> dict[str, list[tuple[str, ...]]]:
    """What is marked in each text, by set, in the order of the gold of all annotators."""
    gold = gold_instances(store, find_project(store, project.name), "all", GoldOptions())
    return {
        item.instance.segments[0].body.text: [
            tuple(item.instance.segments[0].body.text[slice(*_characters(item, span))] for span in one_set.spans)
            for one_set in item.sets
        ]
        for item in gold
    }


def _characters(item, span) -> tuple[int, int]:
    body = item.instance.segments[0].body
    return body.starts[span.start], body.ends[span.end - 1]


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_known_and_read_whole(name: str, store: Store, project: Project, tmp_path: Path) -> None:
    export = EXPORTS[name]
    path = tmp_path / export.file_name
    path.write_bytes(export.content.encode("utf-8"))
    report = taken(store, project, path, export.options, None)
    n_texts, n_annotations, n_sets = export.counts
    assert (report.n_new, report.n_annotations, report.n_sets, report.n_problems) == (n_texts, n_annotations, n_sets, 0)
    assert tuple(next(iter(marked(store, project).values()))) == export.marks
    assert taken(store, project, path, export.options, export.format_name).n_unchanged == n_texts


BACK = ["doccano", "label-studio", "argilla", "prodigy", "conll"]


@pytest.mark.parametrize("format_name", BACK)
@pytest.mark.parametrize("name", EXPORTS)
def test_what_was_read_is_the_same_after_our_export_in_a_tools_form(
    name: str, format_name: str, store: Store, project: Project, tmp_path: Path
) -> None:
    export = EXPORTS[name]
    path = tmp_path / export.file_name
    path.write_bytes(export.content.encode("utf-8"))
    taken(store, project, path, export.options, None)
    before = marked(store, project)
    written = tmp_path / f"written.{format_name}"
    export_file(store, LOCAL_OPERATOR, find_project(store, project.name), format_name, written, GoldOptions("all"))
    again = create_project(store, LOCAL_OPERATOR, "Again", get_task("sentiment"), labels=LABELS)
    report = taken(store, again, written, ImportOptions(), format_name)
    assert report.n_problems == 0
    after = marked(store, again)
    if format_name == "conll":  # which holds tokens alone, so that the blanks between them are not the texts' own
        before, after = (
            {"".join(t.split()): _unspaced(sets) for t, sets in found.items()} for found in (before, after)
        )
    assert {text: sorted(sets) for text, sets in after.items()} == {text: sorted(sets) for text, sets in before.items()}


def _unspaced(sets: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [tuple("".join(span.split()) for span in one_set) for one_set in sets]


def test_excel_is_read_as_csv_is(store: Store, project: Project, tmp_path: Path) -> None:
    book = Workbook()
    for row in (
        ["id", "text", "label", "rationale_index"],
        [1, "So good film", "positive", "[1]"],
        [2, "Dull", "negative", "[]"],
    ):
        book.active.append(row)
    book.save(tmp_path / "texts.xlsx")
    report = taken(store, project, tmp_path / "texts.xlsx", ImportOptions(), None)
    assert (report.n_new, report.n_annotations, report.n_sets) == (2, 2, 1)
    assert marked(store, project)["So good film"] == [("good",)]


# A file with one wrong row: the line that is told, and a part of what is said of it.
WRONG: dict[str, tuple[str, str, str, int, str]] = {
    "doccano": ("a.jsonl", lines({"id": 1, "text": "So good", "label": [[0, 2, "a"]]}, {"id": 2, "text": "So", "label": [[0, 9, "a"]]}),
                "doccano", 2, "(exclusive); the text is 2 UTF-16 units."),
    "Prodigy": ("a.jsonl", lines({"text": "So", "_input_hash": 1, "answer": "accept"}, {"text": "So", "_input_hash": 2, "spans": [{"label": "a"}], "answer": "accept"}),
                "prodigy", 2, "Add start and end, or token_start, token_end and tokens."),
    "CoNLL": ("a.conll", "So\tO\ngood\tB-A\n\nbad\n\nSo\tO\n", "conll", 4, "Text skipped: 1 columns instead of"),
    "JSONL": ("a.jsonl", lines({"id": 1, "text": "So"}, {"id": 2, "text": "So", "spans": [[0, 2, "A"]]}), "jsonl", 2, "looks like marks. Read as rationales ("),
    "CSV": ("a.csv", 'id,text,spans\n1,So,\n2,So,"[[0, 2, ""A""]]"\n', "csv", 3, "looks like marks. Read as rationales ("),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_row_is_told_by_its_line_and_the_others_can_be_stored(
    name: str, store: Store, project: Project, tmp_path: Path
) -> None:
    file_name, content, format_name, line, words = WRONG[name]
    path = tmp_path / file_name
    path.write_text(content, encoding="utf-8")
    options = ImportOptions(number_keys=name == "CoNLL")
    with pytest.raises(ImportRefused) as refused:
        taken(store, project, path, options, format_name)
    [problem] = refused.value.problems
    assert problem.line == line
    assert words in problem.reason
    left = ImportOptions(number_keys=name == "CoNLL", skip_invalid=True)
    assert taken(store, project, path, left, format_name).n_left_out == 1


FOREIGN = [
    ("doc.ann", "T1\tPER 0 3\tAda\nR1\tKnows Arg1:T1 Arg2:T2\n", "brat"),
    ("doc.tsv", "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|value\n\n#Text=So good\n1-1\t0-2\tSo\t_\n1-2\t3-7\tgood\tWHY\n", "WebAnno TSV"),
    ("doc.xmi", '<?xml version="1.0"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI"></xmi:XMI>', "UIMA CAS XMI"),
    ("doc.ann.json", '{"annotatable":{"parts":["s1"]},"anncomplete":true,"entities":[{"classId":"e_1","part":"s1","offsets":[]}]}', "tagtog"),
    ("doc.conllu", "# sent_id = 1\n# text = I go\n1\tI\tI\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tgo\tgo\tVERB\tVBP\t_\t0\troot\t_\t_\n\n", "CoNLL-U"),
    ("lighttag.json", '{"schema": {}, "examples": [{"content": "So good", "example_id": "1", "annotations": [{"start": 0, "end": 2, "tag": "A"}]}]}', "LightTag"),
]  # fmt: skip


@pytest.mark.parametrize("format_name", [None, "jsonl", "csv"])
@pytest.mark.parametrize(("file_name", "content", "tool"), FOREIGN, ids=[case[2] for case in FOREIGN])
def test_what_is_not_read_is_refused_by_its_name_with_what_to_do(
    file_name: str, content: str, tool: str, format_name: str | None, store: Store, project: Project, tmp_path: Path
) -> None:
    path = tmp_path / file_name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(
        InvalidValue, match=rf"Unsupported file '{re.escape(file_name)}': .*{tool}.*(Convert it|Export|Write) .+\."
    ):
        taken(store, project, path, ImportOptions(), format_name)


# Entities -------------------------------------------------------------------------------------------------------------

_MERKEL = "Angela Merkel met Bo in Bonn."
_TAGS = "Angela B-PER\nMerkel I-PER\nmet O\nBo B-PER\nin O\nBonn B-LOC\n. O\n"
_SPANS = [(0, 13, "PER"), (18, 20, "PER"), (24, 28, "LOC")]
# The same three entities and a text without one, as each tool exports them.
ENTITIES: dict[str, tuple[str, str, str]] = {
    "doccano": ("all.jsonl", "7", lines({"id": 7, "text": _MERKEL, "label": [*_SPANS[::-1]]}, {"id": 8, "text": "No one.", "label": []})),
    "label-studio": ("names.json", "7", json.dumps([
        {"id": 7, "data": {"text": _MERKEL}, "annotations": [{"result": [
            {**_REGION, "value": {"start": start, "end": end, "labels": [label]}} for start, end, label in _SPANS]}]},
        {"id": 8, "data": {"text": "No one."}, "annotations": [{"result": []}]}])),
    "prodigy": ("names.jsonl", "11", lines(
        {"text": _MERKEL, **_PRODIGY, "answer": "accept", "spans": [{"start": a, "end": b, "label": label} for a, b, label in _SPANS]},
        {"text": "No one.", **_PRODIGY, "_input_hash": 13, "answer": "accept", "spans": []})),
    "argilla": ("names.json", "7", json.dumps([
        {"id": key, "fields": {"text": text}, "responses": {"names": [{"value": spans, "user_id": "u", "status": "submitted"}]}}
        for key, text, spans in (("7", _MERKEL, [{"start": a, "end": b, "label": label} for a, b, label in _SPANS]), ("8", "No one.", []))])),
    "conll": ("names.conll", "7", f"# id = 7\n# text = {_MERKEL}\n{_TAGS}\n# id = 8\nNo O\none O\n. O\n"),
}  # fmt: skip
BY_ENTITY = ImportOptions(entities=True)


@pytest.fixture
def names(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "Names", get_task("entity"), labels=("PER", "LOC"))


def targets(store: Store, project: str = "Names") -> list[tuple[str, str, str]]:
    """The key, label and boxed words of each instance."""
    rows = store.rows(
        "SELECT key, result, target_start, target_end, text FROM instances JOIN segments ON instance_id = instances.id JOIN "
        "documents ON documents.id = document_id WHERE instances.project_id = ? ORDER BY instances.id",
        [find_project(store, project).id],
    )
    tokens = [(row, tokenise(row["text"], "en").tokens()) for row in rows]
    return [(row["key"], row["result"], " ".join(t[row["target_start"] : row["target_end"]])) for row, t in tokens]


@pytest.mark.parametrize("format_name", ENTITIES)
def test_each_entity_of_a_tools_export_is_the_target_of_an_instance_on_request(
    format_name: str, store: Store, names: Project, tmp_path: Path
) -> None:
    file_name, key, content = ENTITIES[format_name]
    path = tmp_path / file_name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ImportRefused) as refused:
        taken(store, names, path, ImportOptions(), format_name)
    assert "Import each labelled span as one (--entities)." in refused.value.problems[0].reason
    report = taken(store, names, path, BY_ENTITY, format_name)
    assert "3 entities of 1 text, one instance each. 1 text without entities skipped." in report.file_words
    assert (report.n_new, report.n_annotations, report.n_warnings) == (3, 0, 0)
    places = ("0-2", "3-4", "5-6") if format_name == "conll" else ("0-13", "18-20", "24-28")
    entities = zip(places, ("PER", "PER", "LOC"), ("Angela Merkel", "Bo", "Bonn"), strict=True)
    assert targets(store) == [(f"{key}-{place}", label, words) for place, label, words in entities]
    assert taken(store, names, path, BY_ENTITY, format_name).n_unchanged == 3


def test_entities_of_texts_without_keys_are_numbered_and_the_same_file_again_changes_nothing(
    store: Store, names: Project, tmp_path: Path
) -> None:
    path = tmp_path / "names.conll"
    path.write_text("So O\n\nBo B-PER\nleft O\nBonn B-LOC\n\nBo B-PER\nleft O\nBonn O\n", encoding="utf-8")
    options = ImportOptions(entities=True, number_keys=True)
    assert taken(store, names, path, options, None).n_new == 3
    assert [row[0] for row in targets(store)] == ["2-0-1", "2-2-3", "3-0-1"]
    again = taken(store, names, path, options, None)
    assert (again.n_new, again.n_unchanged) == (0, 3)


def test_an_entity_that_several_people_marked_is_one_instance(store: Store, names: Project, tmp_path: Path) -> None:
    for name, label in (("ada", [[0, 2, "PER"]]), ("bo", [[0, 2, "PER"], [8, 12, "LOC"]])):
        (tmp_path / f"{name}.jsonl").write_text(
            lines({"id": 1, "text": "Bo left Bonn", "label": label}), encoding="utf-8"
        )
    assert taken(store, names, tmp_path, BY_ENTITY, "doccano").n_new == 2
    assert targets(store) == [("1-0-2", "PER", "Bo"), ("1-8-12", "LOC", "Bonn")]


def test_an_entity_added_before_others_since_changes_none_of_them(store: Store, names: Project, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text(lines({"id": 1, "text": "Bo left Bonn", "label": [[8, 12, "LOC"]]}), encoding="utf-8")
    taken(store, names, path, BY_ENTITY, "doccano")
    path.write_text(
        lines({"id": 1, "text": "Bo left Bonn", "label": [[0, 2, "PER"], [8, 12, "LOC"]]}), encoding="utf-8"
    )
    again = taken(store, names, path, BY_ENTITY, "doccano")
    assert (again.n_new, again.n_unchanged) == (1, 1)
    assert targets(store) == [("1-8-12", "LOC", "Bonn"), ("1-0-2", "PER", "Bo")]


def _one(text: str, *label: list[object]) -> str:
    return lines({"id": 1, "text": text, "label": label})


# A doccano row, and the value and part of the reason that are told; the last column: whether it is a warning alone.
ODD_ENTITIES = [
    (_one("Bo left", [0, 2, "PER"], [0, 2, "LOC"]), "Bo", "Labelled “LOC” here, “PER” before. Keep one.", False),
    (_one("Bo left", [0, 2, "ORG"]), "ORG", "No label 'ORG' (only 'PER', 'LOC'); add it (--add-label ORG)", False),
    (_one(" "), " ", "Must not be empty.", False),
    (_one("Bo left"), "", "No labelled spans in 1 text. Choose a file with entities.", False),
    (_one("Bo", [0, 2, "PER"]) + _one("Bonn", [0, 4, "LOC"]), "1", "Line 1 has another text with this ID.", False),
    (_one("New York Times", [0, 8, "LOC"], [0, 14, "PER"]), "New York Times", "Overlaps 'New York'; each is an instance.", True),
    (_one("Bonner", [0, 4, "LOC"]), "'Bonn'", "1 span cuts words and grows to whole tokens.", True),
]  # fmt: skip


@pytest.mark.parametrize(("content", "value", "reason", "is_warning"), ODD_ENTITIES)
def test_an_odd_entity_is_told_with_its_value(
    content: str, value: str, reason: str, is_warning: bool, store: Store, names: Project, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(content, encoding="utf-8")
    if is_warning:
        problems = taken(store, names, path, BY_ENTITY, "doccano").warnings
    else:
        with pytest.raises(ImportRefused) as refused:
            taken(store, names, path, BY_ENTITY, "doccano")
        problems = refused.value.problems
        assert targets(store) == []
    [problem] = problems
    assert (problem.value, problem.reason[: len(reason)]) == (value, reason)


def test_entities_are_for_their_task_and_for_formats_that_have_them(
    store: Store, project: Project, names: Project, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(_one("Bo left", [0, 2, "PER"]), encoding="utf-8")
    with pytest.raises(InvalidValue, match="--entities needs the task entity"):
        taken(store, project, path, BY_ENTITY, "doccano")
    with pytest.raises(InvalidValue, match=r"--entities is only for argilla, .*prodigy\. Remove it"):
        taken(store, names, path, BY_ENTITY, "jsonl")


# Three blocks in the form of TriggerNER's files (Lin et al. 2020, dataset/CONLL): one entity a block, its triggers numbered.
TRIGGERS = (
    "Bo\tT-0\nleft\tO\nBonn\tB-LOC\n(\tT-1\nGermany\tO\n)\tT-1\n\nBo\tB-PER\nleft\tT-0\nBonn\tO\n(\tO\nGermany\tO\n)\tO\n\n"
    "Cy\tB-PER\nIves\tI-PER\nsang\tO\n"
)


@pytest.mark.parametrize("format_name", [*BACK, "csv"])
def test_triggers_are_the_rationale_sets_of_their_entity_and_come_back_from_an_export(
    format_name: str, store: Store, names: Project, tmp_path: Path
) -> None:
    path = tmp_path / "trigger_20.txt"
    path.write_text(TRIGGERS, encoding="utf-8")
    report = taken(store, names, path, ImportOptions(entities=True, number_keys=True), None)
    assert (report.n_new, report.n_annotations, report.n_sets) == (3, 2, 3)
    assert targets(store) == [("1-0-1", "PER", "Bo"), ("1-2-3", "LOC", "Bonn"), ("2-0-2", "PER", "Cy Ives")]
    export_file(store, LOCAL_OPERATOR, find_project(store, "Names"), format_name, tmp_path / "out", GoldOptions("all"))
    create_project(store, LOCAL_OPERATOR, "Again", get_task("entity"), labels=("PER", "LOC"))
    again = import_path(store, LOCAL_OPERATOR, find_project(store, "Again"), tmp_path / "out", format_name=format_name)
    assert (again.n_new, again.n_sets) == (2, 3)
    assert targets(store, "Again") == [("1-0-1", "PER", "Bo"), ("1-2-3", "LOC", "Bonn")]
    gold = gold_instances(store, find_project(store, "Again"), "all", GoldOptions())
    assert [[sorted(s.token_indices) for s in item.sets] for item in gold] == [[[1]], [[0], [3, 5]]]


@pytest.mark.parametrize(("task", "remedy"), [("entity", r"\(--entities\)"), ("sentiment", "with the task entity")])
def test_a_file_with_triggers_says_how_it_is_imported(
    task: str, remedy: str, make_project, store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "trigger_20.txt"
    path.write_text(TRIGGERS, encoding="utf-8")
    with pytest.raises(ImportRefused) as refused:
        taken(store, make_project(task), path, NUMBERED, None)
    assert re.search(remedy, refused.value.problems[0].reason)


@pytest.mark.parametrize("block", ["a T-0\nb B-PER\nc B-LOC\n", "a T-0\nb O\n"], ids=["two entities", "none"])
def test_triggers_of_no_one_entity_are_told_by_their_line(
    block: str, store: Store, names: Project, tmp_path: Path
) -> None:
    path = tmp_path / "trigger_20.txt"
    path.write_text(f"{TRIGGERS}\n{block}", encoding="utf-8")
    options = ImportOptions(entities=True, number_keys=True)
    with pytest.raises(ImportRefused) as refused:
        taken(store, names, path, options, "conll")
    [problem] = refused.value.problems
    assert (problem.line, problem.reason) == (
        19,
        "Text skipped: its triggers need exactly one entity. Repeat the text for each.",
    )


# What is written ------------------------------------------------------------------------------------------------------

TOOLS = {"argilla.json": argilla, "doccano.jsonl": doccano, "label_studio.json": label_studio, "prodigy.jsonl": prodigy}


@pytest.mark.parametrize("name", TOOLS)
@given(case=golds())
def test_what_is_written_reads_back(name: str, case: tuple[str, GoldInstance]) -> None:
    """Argilla's spans but for their order in a set (each field has a question of its own), Prodigy's as tokens."""
    task, written = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        TOOLS[name].write(path, [written], project_options(task))
        back = read_one(TOOLS[name].read, path, task, written.instance.language)
    check_same(task, written, back)
    layout = written.instance.layout
    if name == "argilla.json":
        in_order = [sorted(s.spans, key=lambda span: layout.segment_at(span.start).first_token) for s in written.sets]
        assert [list(s.spans) for s in back.sets] == in_order
        assert back.instance.annotations[0].annotator == "gold"
    elif name == "prodigy.jsonl":
        assert [s.token_indices for s in back.sets] == [s.token_indices for s in written.sets]
    else:
        assert back.sets == written.sets
    if name == "label_studio.json":
        assert all(
            re.search(r"spans? cuts? words and grows? to whole tokens\.", p.reason) for p in back.problems
        )  # "don't" is two tokens


@pytest.mark.parametrize("name", TOOLS)
def test_what_cannot_be_written_is_refused_and_nothing_is_left(name: str, tmp_path: Path) -> None:
    film = gold("sentiment", {"text": "so good"}, RationaleSet.of((0, 1)))
    key, split = film.instance.key, film.instance.split
    for items, reason in (
        ([], "No gold yet. Choose another split."),
        ([film, film], f"Duplicate ID '{key}' in split '{split}'."),
    ):
        with pytest.raises(ExportRefused, match=reason):
            TOOLS[name].write(tmp_path / name, items, project_options("sentiment"))
    assert list(tmp_path.iterdir()) == []
