"""The neutral form: canonical.jsonl with docs.jsonl, in which the real data sets are kept."""

import json
from collections import Counter
from pathlib import Path

import pytest

from annotator.domain.sources import SourceDocument, SourceInstance, SourceSpan
from annotator.domain.tasks import TASKS
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.own import jsonl
from annotator.formats.own.canonical import expression_tokens
from tests.conftest import SHARED_DATA, needs_data


def read(rows: list[dict], tmp_path: Path, task: str = "sentiment", documents: list[dict] | None = None, **options):
    path = tmp_path / "canonical.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if documents is not None:
        (tmp_path / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in documents))
    return list(jsonl.read(path, ReadOptions(TASKS[task], **options)))


def row(**changes) -> dict:
    return {"id": "1", "lang": "en", "fields": {"text": {"text": "A calm film."}}, "annotations": [], **changes}


def test_a_row_becomes_an_instance_and_neighbouring_indices_become_spans(tmp_path):
    given = row(
        fields={"text": {"text": "A calm, clever film.", "tokens": ["A", "calm,", "clever", "film."]}},
        label="positive",
        dataset="films",
        annotations=[
            {
                "annotator": "ada",
                "label": "positive",
                "rationales": [{"text": [2, 0, 1]}, {"text": [3]}],
                "group": "G1",
            },
            {"annotator": "ben", "label": "neutral", "rationales": [], "explanation": "nothing stands out"},
        ],
        meta={"split": "val", "year": 2001},
    )
    [instance] = read([given], tmp_path)
    assert (instance.key, instance.split, instance.language, instance.result) == ("1", "val", "en", "positive")
    assert instance.segments["text"].tokens.tokens() == ["A", "calm,", "clever", "film."]
    ada, ben = instance.annotations
    assert ada.sets == ((SourceSpan("text", 0, 3),), (SourceSpan("text", 3, 4),))
    assert (ben.result, ben.sets, ben.note) == ("neutral", (), "nothing stands out")
    assert instance.metadata == {
        "dataset": "films",
        "annotations": [{"annotator": "ada", "group": "G1"}, {"annotator": "ben"}],
        "split": "val",
        "year": 2001,
    }


def test_spans_that_may_have_touched_are_warned_of_since_the_form_keeps_tokens_alone(tmp_path):
    documents = [{"docid": "d", "text": "One two .\nThree four .\nFive .", "tokenization": "whitespace"}]

    def claim(key: str, *tokens: int) -> dict:
        fields = {"text": {"docid": "d"}, "query": {"text": "q"}}
        return row(id=key, fields=fields, annotations=[{"annotator": "e", "rationales": [{"text": list(tokens)}]}])

    rows = [claim("within", 0, 1, 2), claim("apart", 2, 4), claim("across", 0, 1, 2, 3, 4, 5)]
    found = read(rows, tmp_path, "verification", documents)
    [warning] = [item for item in found if isinstance(item, Problem)]
    assert (warning.line, warning.is_warning) == (3, True)
    assert warning.reason == "Span crosses a line; adjacent spans merge."
    sets = {item.key: item.annotations[0].sets for item in found if isinstance(item, SourceInstance)}
    assert sets["across"] == ((SourceSpan("document", 0, 6),),)


def test_characters_alone_become_one_set(tmp_path):
    spans = [{"field": "text", "start": 2, "end": 6, "type": "x"}, {"field": "text", "start": 7, "end": 11}]
    [instance] = read([row(annotations=[{"annotator": "a", "rationales": [], "char_spans": spans}])], tmp_path)
    assert instance.annotations[0].sets == ((SourceSpan("text", 2, 6, "char"), SourceSpan("text", 7, 11, "char")),)
    assert instance.segments["text"].tokens is None


def test_a_text_without_tokens_that_is_marked_by_token_gets_those_of_the_forms_expression(tmp_path):
    marked = row(annotations=[{"annotator": "a", "rationales": [{"text": [1, 3]}]}])
    [instance] = read([marked], tmp_path)
    assert instance.segments["text"].tokens.tokens() == ["A", "calm", "film", "."]


EXPRESSION = [
    ("Don't panic!", ["Don't", "panic", "!"]),
    ("你好 OK了", ["你", "好", "OK", "了"]),
    ("3.5%", ["3", ".", "5", "%"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "tokens"), EXPRESSION)
def test_the_expression_is_the_one_of_the_form(text, tokens):
    assert expression_tokens(text).tokens() == tokens


def test_documents_come_first_and_once_with_the_language_of_their_instances(tmp_path):
    documents = [
        {"docid": "d1", "text": "one two", "tokens": ["one", "two"]},
        {"docid": "d2", "text": "three, four", "tokenization": "whitespace"},
        {"docid": "d3", "text": "五六"},
        {"docid": "d4", "text": "七。八"},
        {"docid": "unused", "text": "nobody points here"},
    ]
    rows = [
        row(id=docid, lang="zh", fields={"text": {"docid": docid}, "query": {"text": "q"}})
        for docid in ("d3", "d1", "d2", "d1")
    ]
    rows[3]["id"] = "again"
    marked = row(id="m", fields={"text": {"docid": "d4"}, "query": {"text": "q"}})
    marked["annotations"] = [{"annotator": "a", "rationales": [{"text": [2]}]}]
    items = read([*rows, marked], tmp_path, "verification", documents)
    found = [(i.docid, i.language, i.body.tokens and i.body.tokens.tokens()) for i in items[:4]]
    assert found == [
        ("d1", "zh", ["one", "two"]),
        ("d2", "zh", ["three,", "four"]),
        ("d3", "zh", None),
        ("d4", "en", ["七", "。", "八"]),  # marked by token: the form's own tokens
    ]
    assert [i.segments["document"] for i in items[4:]] == ["d3", "d1", "d2", "d1", "d4"]


def test_perturbed_rows_are_linked_to_the_original_of_their_group(tmp_path):
    rows = [
        row(id="b", pair={"group": "g", "role": "perturbed", "type": "counterfactual"}),
        row(id="a", pair={"group": "g", "role": "original"}),
        row(id="c", pair={"group": "other", "role": "perturbed"}),
        row(id="d", pair={"group": "t", "role": "translation", "type": "de"}),
    ]
    items = read(rows, tmp_path, key_prefix="x-")
    instances = [i for i in items if isinstance(i, SourceInstance)]
    assert [(i.key, i.parent_key, i.perturbation_kind) for i in instances] == [
        ("x-b", "x-a", "counterfactual"),
        ("x-a", None, None),
        ("x-c", None, None),
        ("x-d", None, None),
    ]
    assert instances[3].metadata == {"pair": {"group": "t", "role": "translation", "type": "de"}}
    [warning] = [i for i in items if isinstance(i, Problem)]
    assert (
        warning.line,
        warning.is_warning,
        "Original not in the file; imported without a link." in warning.reason,
    ) == (3, True, True)


def test_undecided_is_no_result_unless_it_is_a_label(tmp_path):
    [instance] = read([row(label="undecided")], tmp_path)
    assert (instance.result, instance.metadata["label"]) == (None, "undecided")
    [instance] = read([row(label="undecided")], tmp_path, labels=("undecided",))
    assert instance.result == "undecided"


def test_choices_that_stand_in_the_metadata_become_the_segment(tmp_path):
    choices = [{"label": "A", "text": "aviary"}, {"label": "B", "text": "painting"}]
    [instance] = read([row(meta={"choices": choices})], tmp_path, "choice")
    assert instance.segments["choices"].text == "A. aviary\nB. painting"


BAD_ROWS = [
    ({"fields": {"text": {"docid": "nowhere"}}}, "text", "No document 'nowhere'. Put documents before their instances."),
    ({"fields": {"premise": {"text": "a"}}}, "fields.premise", "No such segment, only 'text';"),
    (
        {"fields": {"premise": {"text": "a"}, "hypothesis": {"text": "b"}}},
        "fields.hypothesis",
        "choose the task 'inference' with these segments.",
    ),
    ({"fields": {"text": {"text": "ab", "tokens": ["b"]}}}, "fields.text.tokens", "Token 0 'b' isn't in the text at character"),
    ({"fields": {"text": {"text": ""}}}, "text", "Must not be empty."),
    ({"annotations": [{"annotator": "a", "rationales": [{"text": [4]}]}]}, "rationales[0][0]", "Ends at token 5 (exclusive); 'text' has 4."),
    ({"annotations": [{"annotator": "a", "rationales": [{"text": [-1, 2]}]}]}, "annotations[0].rationales", "Must be an integer from 0."),
    ({"annotations": [{"annotator": "a", "rationales": [{"title": [1]}]}]}, "rationales[0][0]", "No such segment, only 'text'."),
    ({"annotations": [{"annotator": "a", "char_spans": [{"field": "text", "start": 5, "end": 99}]}]}, "rationales[0][0]", "Ends at character 99 (exclusive); 'text' has 12."),
    ({"annotations": [{"annotator": "a"}, {"annotator": "a"}]}, "annotator", "Same person twice in one round. Keep one."),
    ({"annotations": [{"label": "x"}]}, "annotations[0].annotator", "Required field 'annotator' is missing."),
    ({"id": 3}, "id", "Must be text, not an integer."),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "field", "reason"), BAD_ROWS)
def test_a_bad_row_names_its_field_and_gives_no_instance(changes, field, reason, tmp_path):
    items = read([row(**changes), row(id="good")], tmp_path)
    problems = [i for i in items if isinstance(i, Problem) and not i.is_warning]
    assert [i.key for i in items if isinstance(i, SourceInstance)] == ["good"]
    assert (1, field) in [(p.line, p.field) for p in problems]
    assert any(reason in p.reason for p in problems)


def test_ids_and_documents_that_stand_twice_are_problems(tmp_path):
    documents = [{"docid": "d", "text": "a"}, {"docid": "d", "text": "b"}]
    rows = [row(fields={"text": {"docid": "d"}})] * 2
    items = read(rows, tmp_path, documents=documents)
    problems = [i for i in items if isinstance(i, Problem)]
    assert [(p.source, p.line, p.field) for p in problems] == [("docs.jsonl", 2, "docid"), ("canonical.jsonl", 2, "id")]


REAL = [
    ("expmrc", "reading", 675, 1246, 0),
    ("evidence_inference", "verification", 62, 176, 0),
    ("xquad", "reading", 240, 1200, 0),
    ("eraser_fever", "verification", 41, 401, 18),  # ten point to an empty document, eight cross a line
    ("fair_rationales", "sentiment", 0, 760, 0),
    ("scifact_flat", "verification", 0, 303, 0),
    ("cos_e", "choice", 0, 804, 0),
]


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(("folder", "task", "n_documents", "n_instances", "n_problems"), REAL)
def test_real_data_is_read_whole(folder, task, n_documents, n_instances, n_problems):
    items = list(jsonl.read(SHARED_DATA / folder, ReadOptions(TASKS[task])))
    counts = Counter(type(item) for item in items)
    assert (counts[SourceDocument], counts[SourceInstance], counts[Problem]) == (n_documents, n_instances, n_problems)
    if n_problems == 0:
        lines = (SHARED_DATA / folder / "canonical.jsonl").read_text().splitlines()
        assert marked_tokens(items) == [
            [sorted({t for tokens in one_set.values() for t in tokens}) for a in json.loads(line)["annotations"] for one_set in a["rationales"]]
            for line in lines
        ] or folder == "xquad"  # characters alone  # fmt: skip


def marked_tokens(items) -> list[list[list[int]]]:
    return [
        [sorted({t for span in one_set for t in range(span.start, span.end)}) for a in i.annotations for one_set in a.sets]
        for i in items
        if isinstance(i, SourceInstance)
    ]  # fmt: skip


@needs_data
@pytest.mark.data
def test_one_file_with_two_tasks_gives_the_rows_of_the_asked_one():
    items = list(jsonl.read(SHARED_DATA / "dutrust_samples", ReadOptions(TASKS["reading"])))
    instances = [i for i in items if isinstance(i, SourceInstance)]
    assert {i.key.split("_")[0] for i in instances} == {"mrc"}
    fields = {p.field for p in items if isinstance(p, Problem)}
    assert fields == {"question", "fields.context.tokens"}  # sentiment rows; token lists that go on with the title
