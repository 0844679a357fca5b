"""ERASER: both layouts of documents, evidence groups as sets, what is wrong in third parties' files, and what we write."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.sources import SourceAnnotation, SourceDocument, SourceInstance, SourceSpan
from annotator.domain.tasks import TASKS, SegmentSpec, Task
from annotator.domain.texts import RationaleSet, TokenizedText
from annotator.errors import ExportRefused, InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.formats.eraser import reader as eraser
from annotator.formats.eraser.writer import write
from annotator.text.alignment import align_tokens
from tests.conftest import SHARED_DATA, needs_data

IRELAND = "Ireland is an island .\nIt has low mountains .\n"
SICILY = "Sicily is larger .\n"


def evidence(docid: str = "Ireland", start: int = 0, end: int = 5, **changes) -> dict:
    is_known = docid == "Ireland" and isinstance(start, int)
    text = " ".join(IRELAND.split()[start:end]) if is_known else "x"
    return {"docid": docid, "start_token": start, "end_token": end, "text": text, **changes}


def annotation(**changes) -> dict:
    given = {
        "annotation_id": "1",
        "query": "Ireland has mountains.",
        "classification": "SUPPORTS",
        "evidences": [[evidence()]],
        "docids": ["Ireland"],
        "query_type": None,
    }
    return {**given, **changes}


def write_set(folder: Path, rows: list[dict], documents: dict[str, str] | None = None, split: str = "test") -> Path:
    documents = {"Ireland": IRELAND, "Sicily": SICILY} if documents is None else documents
    (folder / "docs").mkdir(exist_ok=True)
    for docid, text in documents.items():
        (folder / "docs" / docid).write_text(text, encoding="utf-8")
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def read(path: Path, task: str = "verification", **options):
    items = list(eraser.read(path, ReadOptions(TASKS[task], **options)))
    kinds = (SourceDocument, SourceInstance, Problem)
    return tuple([item for item in items if isinstance(item, kind)] for kind in kinds)


def test_groups_become_sets_in_their_order_with_spans_as_they_are(tmp_path):
    groups = [
        [evidence(start=5, end=10), evidence(start=0, end=2)],  # out of order
        [evidence(start=0, end=2), evidence(start=1, end=4), evidence(start=4, end=5)],  # overlapping, touching
        [evidence(start=0, end=2), evidence(start=1, end=4), evidence(start=4, end=5)],  # the same again
    ]
    documents, [instance], problems = read(write_set(tmp_path, [annotation(evidences=groups, query_type="claim")]))
    assert problems == []
    [annotated] = instance.annotations
    found = [[(s.segment, s.start, s.end, s.unit) for s in spans] for spans in annotated.sets]
    doc = "document"
    overlapping = [(doc, 0, 2, "token"), (doc, 1, 4, "token"), (doc, 4, 5, "token")]
    assert found == [[(doc, 5, 10, "token"), (doc, 0, 2, "token")], overlapping, overlapping]
    assert (annotated.annotator, annotated.result) == ("eraser", "SUPPORTS")
    assert (instance.key, instance.split, instance.result) == ("1", "test", "SUPPORTS")
    assert instance.metadata == {"query_type": "claim"}
    assert instance.segments["document"] == "Ireland"
    assert instance.segments["query"].text == "Ireland has mountains."
    assert [(d.docid, d.body.tokens.sentence_starts) for d in documents] == [("Ireland", (0, 5))]


def test_only_documents_that_instances_need_are_read_and_each_once(tmp_path):
    rows = [annotation(), annotation(annotation_id="2"), annotation(annotation_id="3", docids=["Ireland", "Sicily"])]
    documents = {"Ireland": IRELAND, "Sicily": SICILY, "unused": "x"}
    items = list(eraser.read(write_set(tmp_path, rows, documents), ReadOptions(TASKS["verification"])))
    assert [getattr(i, "docid", None) or i.key for i in items] == ["Ireland", "Sicily", "1", "2", "3"]
    assert items[-1].segments["document2"] == "Sicily"


LAYOUTS = [
    ("t0  t1 t2\n\n   \n t3 t4 \nt5\tt5b\n", "docs", ["t0", "t1", "t2", "t3", "t4", "t5\tt5b"], (0, 3, 5)),
    ("t0  t1 t2\n\n   \n t3 t4 \nt5\tt5b\n", "docs.jsonl", ["t0", "", "t1", "t2", "", "", "t3", "t4", "t5\tt5b", ""], (0, 4, 5, 6, 8, 9)),
    ("a b\r\nc\r\n", "docs", ["a", "b", "c"], (0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "layout", "tokens", "sentences"), LAYOUTS)
def test_the_two_layouts_have_the_tokens_of_their_own_loaders(text, layout, tokens, sentences, tmp_path):
    # the first two are the reference's own behaviour, reference/eraser.md 1.1
    write_set(tmp_path, [annotation(evidences=[], docids=["d"])], {"d": text} if layout == "docs" else {})
    if layout == "docs.jsonl":
        (tmp_path / "docs").rmdir()
        (tmp_path / "docs.jsonl").write_text(json.dumps({"docid": "d", "document": text}) + "\n")
    [document], [instance], problems = read(tmp_path)
    assert problems == []
    assert document.body.tokens.tokens() == tokens
    assert document.body.tokens.sentence_starts == sentences
    assert instance.annotations == (SourceAnnotation("eraser", "SUPPORTS", ()),)


def test_documents_in_one_file_are_found_in_any_order(tmp_path):
    rows = [annotation(docids=["Sicily"], evidences=[]), annotation(annotation_id="2")]
    write_set(tmp_path, rows, {})
    (tmp_path / "docs").rmdir()
    lines = [{"docid": "Ireland", "document": IRELAND.strip()}, {"docid": "Sicily", "document": SICILY.strip()}]
    (tmp_path / "docs.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    documents, instances, problems = read(tmp_path)
    assert problems == []
    assert [d.docid for d in documents] == ["Sicily", "Ireland"]
    assert instances[1].annotations[0].sets == ((SourceSpan("document", 0, 5),),)


def test_two_sorts_of_documents_or_none_are_refused(tmp_path):
    write_set(tmp_path, [annotation()])
    (tmp_path / "docs.jsonl").write_text("")
    with pytest.raises(InvalidValue, match=r"has both docs/ and docs\.jsonl\. Remove one\."):
        read(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "val.jsonl").write_text("")
    with pytest.raises(InvalidValue, match=r"No docs/, docs\.jsonl in '"):
        read(other)


def test_a_folder_gives_all_its_splits_and_an_empty_or_missing_one_is_fine(tmp_path):
    write_set(tmp_path, [annotation()], split="train")
    write_set(tmp_path, [annotation()], split="test")
    write_set(tmp_path, [], split="val")
    documents, instances, problems = read(tmp_path)
    assert problems == []
    assert [(i.key, i.split, i.source) for i in instances] == [
        ("1", "train", "train.jsonl"),
        ("1", "test", "test.jsonl"),
    ]
    assert len(documents) == 1
    assert [i.split for i in read(tmp_path, split="test")[1]] == ["test"]


FILES = [
    ("val.jsonl", None, "val"),
    ("val.jsonl", "dev", "dev"),
    ("instances.jsonl", None, ""),
    ("a.jsonl", "test", "test"),
]


@pytest.mark.parametrize(("name", "option", "split"), FILES)
def test_a_single_file_is_in_the_split_of_the_option_else_of_its_name(name, option, split, tmp_path):
    write_set(tmp_path, [annotation()], split=Path(name).stem)
    assert [i.split for i in read(tmp_path / name, split=option)[1]] == [split]


def test_a_folder_without_split_files_and_a_missing_path_are_refused(tmp_path):
    with pytest.raises(
        InvalidValue, match=r"No 'train\.jsonl', 'val\.jsonl', 'test\.jsonl' in .*\. Choose another folder\."
    ):
        read(tmp_path)
    with pytest.raises(InvalidValue, match=r"No 'dev\.jsonl' in .*\. Choose another folder\."):
        read(tmp_path, split="dev")
    with pytest.raises(NotFound, match="No file or folder '"):
        read(tmp_path / "nowhere")


DOCIDS = [
    (None, [], "1", "the instance's own name, when nothing else says it"),
    ([], [], "1", "an empty list says nothing"),
    (None, [[{"docid": "Ireland", "start_token": 0, "end_token": 2}]], "Ireland", "the evidences' documents"),
    (["Sicily"], [], "Sicily", "docids"),
]


@pytest.mark.parametrize(("docids", "evidences", "expected", "why"), DOCIDS)
def test_the_document_of_an_instance_is_found(docids, evidences, expected, why, tmp_path):
    rows = [annotation(docids=docids, evidences=evidences)]
    _, [instance], problems = read(write_set(tmp_path, rows, {"1": "own text", "Ireland": IRELAND, "Sicily": SICILY}))
    assert problems == []
    assert instance.segments["document"] == expected, why


TASKS_AND_DOCUMENTS = [
    ("sentiment", {"1": "a b"}, ["1"], {"text": "1"}),
    ("similarity", {"1_sentence1": "a", "1_sentence2": "b"}, ["1_sentence2", "1_sentence1"], {"sentence1": "1_sentence1", "sentence2": "1_sentence2"}),
    ("inference", {"x": "a", "y": "b"}, ["x", "y"], {"premise": "x", "hypothesis": "y"}),  # in order
    ("inference", {"1_premise": "a", "1_hypothesis": "b"}, None, {"premise": "1_premise", "hypothesis": "1_hypothesis"}),  # e-SNLI
    ("reading", {"p": "a"}, ["p"], {"passage": "p", "question": None}),
    ("reading", {"p": "a", "t": "b"}, ["p", "t"], {"passage": "p", "title": "t", "question": None}),
    ("verification", {"p": "a", "t": "b"}, ["t", "p"], {"document": "t", "document2": "p", "query": None}),
    ("choice", {"q": "a"}, ["q"], {"question": "q", "choices": None}),
]  # fmt: skip


@pytest.mark.parametrize(("task", "documents", "docids", "segments"), TASKS_AND_DOCUMENTS)
def test_documents_become_the_segments_of_the_task(task, documents, docids, segments, tmp_path):
    row = annotation(evidences=[], docids=docids, query="Is it so?")
    _, [instance], problems = read(write_set(tmp_path, [row], documents), task)
    assert problems == []
    found = {name: body if isinstance(body, str) else None for name, body in instance.segments.items()}
    assert found == segments
    if None in segments.values():
        assert next(b.text for b in instance.segments.values() if not isinstance(b, str)) == "Is it so?"
    else:
        assert instance.metadata == {"query": "Is it so?"}


@pytest.mark.parametrize("query", ["What is the sentiment of this text?", "What is the label of this text?"])
def test_the_tasks_own_query_is_not_kept_whichever_its_labels_called_for(query, tmp_path):
    row = annotation(evidences=[], docids=["d"], query=query)
    _, [instance], _ = read(write_set(tmp_path, [row], {"d": "a"}), "sentiment")
    assert instance.metadata == {}


WARNINGS = [
    ({"evidences": [[evidence()], []]}, "evidences[1]", "Empty evidence group skipped.", 1),
    ({"evidences": [[evidence(text="other words")]]}, "evidences[0][0].text", "Text differs from its tokens (", 1),
    (
        {"evidences": [[evidence(docid="Sicily", end=2, text=None)]]},
        "docids",
        "Evidences name documents missing from docids; both are imported.",
        1,
    ),
]


@pytest.mark.parametrize(("changes", "field", "reason", "n_sets"), WARNINGS)
def test_what_is_odd_but_harmless_is_a_warning(changes, field, reason, n_sets, tmp_path):
    _, [instance], [problem] = read(write_set(tmp_path, [annotation(**changes)]))
    assert (problem.field, problem.is_warning, len(instance.annotations[0].sets)) == (field, True, n_sets)
    assert reason in problem.reason


def test_a_docid_that_lacks_the_files_extension_is_taken_with_a_warning(tmp_path):
    rows = [annotation(docids=["neg_1"], evidences=[[evidence(docid="neg_1", end=2, text="so dull")]])]
    documents, [instance], problems = read(write_set(tmp_path, rows, {"neg_1.txt": "so dull"}), "sentiment")
    assert [d.docid for d in documents] == ["neg_1.txt"]
    assert instance.annotations[0].sets == ((SourceSpan("text", 0, 2),),)
    assert [(p.is_warning, "Add the extension." in p.reason) for p in problems] == [(True, True)]


def test_unknown_keys_go_to_the_metadata(tmp_path):
    _, [instance], problems = read(write_set(tmp_path, [annotation(source="web", year=2001)]))
    assert (instance.metadata, problems) == ({"source": "web", "year": 2001}, [])


BAD_ROWS = [
    ({"evidences": [[evidence(start=-1, end=-1, text="x")]]}, "evidences[0][0].start_token", "Add token offsets (start_token, end_token)."),
    ({"evidences": [[{"docid": "Ireland", "text": "x"}]]}, "evidences[0][0].start_token", "Add token offsets (start_token, end_token)."),
    ({"evidences": [[{"docid": "Ireland", "text": "x", "start_char": 0, "end_char": 5}]]}, "evidences[0][0].start_token", "Add token offsets (start_token, end_token)."),
    ({"evidences": [[evidence(start=8, end=11)]]}, "evidences[0][0].end_token", "Ends at token 11 (exclusive); 'Ireland' has"),
    ({"evidences": [[evidence(start=4, end=2)]]}, "evidences[0][0].end_token", "Must satisfy 0 <= start < end."),
    ({"evidences": [[evidence(text=["a", "b"])]]}, "evidences[0][0].text", "Must be text or null, not a list."),
    ({"evidences": [[evidence(start="4")]]}, "evidences[0][0].start_token", "Must be an integer, not text."),
    ({"evidences": [[{"start_token": 0, "end_token": 1}]]}, "evidences[0][0].docid", "Required field 'docid' is missing."),
    ({"evidences": [evidence()]}, "evidences[0]", "Must be a list, not an object {...}."),
    ({"evidences": None}, "evidences", "Must be a list, not"),
    ({"classification": 1}, "classification", "Must be text, not an integer."),
    ({"annotation_id": 1}, "annotation_id", "Must be text, not an integer."),
    ({"query": None}, "query", "Must not be empty."),
    ({"docids": ["Atlantis"]}, "docid", "No document 'Atlantis' in"),
    ({"docids": ["../secret"], "evidences": []}, "docid", "No document '../secret' in docs."),
    ({"docids": ["/etc/hostname"], "evidences": []}, "docid", "No document '/etc/hostname' in docs."),
    ({"docids": ["x" * 300], "evidences": []}, "docid", f"No document '{'x' * 300}' in docs."),
    ({"docids": ["empty"], "evidences": []}, "docid", "is empty"),
    ({"docids": ["nul"], "evidences": []}, "docid", "NUL character in document 'nul'. Remove it."),
    ({"docids": ["latin1"], "evidences": []}, "docid", "'latin1' isn't UTF-8 (byte 4). Save it as UTF-8."),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "field", "reason"), BAD_ROWS)
def test_a_bad_row_names_its_field_and_the_next_is_read(changes, field, reason, tmp_path):
    (tmp_path / "secret").write_text("This text isn't yours.")
    documents = {"Ireland": IRELAND, "Sicily": SICILY, "empty": " \n", "nul": "a\0b"}
    write_set(tmp_path, [annotation(**changes), annotation(annotation_id="good")], documents)
    (tmp_path / "docs" / "latin1").write_bytes(b"caf\xe9")
    _, instances, problems = read(tmp_path)
    assert [i.key for i in instances] == ["good"]
    assert (1, field, False) in [(p.line, p.field, p.is_warning) for p in problems]
    assert any(reason in p.reason for p in problems)


EMPTY = [
    evidence(start=4, end=4),
    evidence(start=0, end=0, text=None),
    evidence(start=10, end=10),  # at the document's end
    evidence(start=99, end=99),
    evidence(start=-1, end=-1, text=" "),  # neither place nor text
]


@pytest.mark.parametrize("empty", EMPTY)
def test_an_evidence_without_tokens_is_left_out_and_the_rest_is_taken(empty, tmp_path):
    _, [instance], [problem] = read(
        write_set(tmp_path, [annotation(evidences=[[evidence(), empty], [empty], [evidence(start=5, end=7)]])])
    )
    assert instance.annotations[0].sets == ((SourceSpan("document", 0, 5),), (SourceSpan("document", 5, 7),))
    assert (problem.source, problem.value, problem.is_warning) == ("test.jsonl", "2", True)
    assert problem.reason == (
        "Skipped 2 evidences without tokens (end = start): line 1, evidences[0][1]; line 1, evidences[1][0]."
    )


def test_an_instance_whose_evidences_all_mark_nothing_is_not_annotated_and_one_without_evidences_is(tmp_path):
    rows = [annotation(annotation_id="a", evidences=[[evidence(start=4, end=4)]]), annotation(annotation_id="b", evidences=[])]  # fmt: skip
    _, instances, problems = read(write_set(tmp_path, rows))
    assert {i.key: [a.sets for a in i.annotations] for i in instances} == {"a": [], "b": [()]}
    assert [p.is_warning for p in problems] == [True, True]
    assert problems[1].reason == ("1 instance without other evidence imported unannotated: line 1, 'a'.")


def test_of_many_evidences_without_tokens_all_are_counted_and_the_first_twenty_named(tmp_path):
    rows = [annotation(annotation_id=str(n), evidences=[[evidence(), evidence(start=1, end=1)]]) for n in range(30)]
    _, instances, [problem] = read(write_set(tmp_path, rows))
    assert len(instances) == 30
    assert problem.value == "30"
    assert "line 20, evidences[0][1]; and 10 more." in problem.reason


def test_more_documents_than_the_task_has_segments_are_refused(tmp_path):
    _, instances, [problem] = read(
        write_set(tmp_path, [annotation(evidences=[], docids=["Ireland", "Sicily"])]), "sentiment"
    )
    assert instances == []
    assert "Row has 2 documents; 'sentiment' needs 'text'." in problem.reason


def test_an_id_may_stand_once_in_a_split(tmp_path):
    _, instances, [problem] = read(write_set(tmp_path, [annotation(), annotation(classification="REFUTES")]))
    assert len(instances) == 1
    assert (problem.line, problem.field, "Duplicate of line" in problem.reason) == (2, "annotation_id", True)


DOCUMENT_LINES = [
    ('{"docid": "Ireland", "document": "a"}\n{"docid": "Ireland", "document": "b"}', 2, "Duplicate. Keep one."),
    ('{"docid": "Ireland", "document": ["a"]}', 1, "Must be text, not a list."),
    ('{"docid": "Ireland"', 1, "Invalid JSON: truncated at character 19."),
]


@pytest.mark.parametrize(("content", "line", "reason"), DOCUMENT_LINES)
def test_what_is_wrong_in_docs_jsonl_is_told_with_its_line(content, line, reason, tmp_path):
    write_set(tmp_path, [], {})
    (tmp_path / "docs").rmdir()
    (tmp_path / "docs.jsonl").write_text(content)
    _, _, [problem] = read(tmp_path)
    assert (problem.source, problem.line) == ("docs.jsonl", line)
    assert reason in problem.reason


def test_the_prefix_goes_before_keys_and_documents(tmp_path):
    [document], [instance], _ = read(write_set(tmp_path, [annotation()]), key_prefix="f-", language="en")
    assert (document.docid, document.language) == ("f-Ireland", "en")
    assert (instance.key, instance.segments["document"]) == ("f-1", "f-Ireland")


@needs_data
@pytest.mark.data
def test_the_real_fever_part_gives_its_401_good_instances_and_10_problems():
    items = list(
        eraser.read(SHARED_DATA / "eraser_fever" / "raw" / "instances.jsonl", ReadOptions(TASKS["verification"]))
    )
    assert Counter(type(item) for item in items) == {SourceInstance: 401, SourceDocument: 40, Problem: 10}
    assert {i.value for i in items if isinstance(i, Problem)} == {"Juventus_F.C."}
    assert not any(i.is_warning for i in items if isinstance(i, Problem))  # every text is that of its tokens


# Writing ERASER: what we write loads by the reference's rules with the same texts and offsets, and reads back.


def options(task: str | Task = "sentiment", labels: tuple[str, ...] = ("negative", "positive")) -> WriteOptions:
    chosen = TASKS[task] if isinstance(task, str) else task
    return WriteOptions(Project(1, "films", chosen, labels, "en", ProjectSettings()), "chosen")


def body(text: str, tokens: list[str] | None = None, sentences: tuple[int, ...] = (0,)) -> TokenizedText:
    tokens = text.split() if tokens is None else tokens
    return align_tokens(text, tokens, sentences if tokens else ())


def gold(segments: dict[str, TokenizedText], *sets: RationaleSet, task: str = "sentiment", **changes) -> GoldInstance:
    docids = changes.pop("docids", {})
    result = changes.pop("result", "positive")
    given = {"id": 1, "key": "1", "split": "train", "language": "en", "result": result, **changes}
    parts = [Segment(n, TASKS[task].spec_of(n).is_selectable, b, docids.get(n)) for n, b in segments.items()]
    return GoldInstance(Instance(segments=tuple(parts), **given), sets, result)


def load_as_the_reference_does(folder: Path, split: str) -> tuple[list[dict], dict[str, list[list[str]]]]:
    """The rules of the ERASER repository's loader for docs.jsonl and a split (reference/eraser.md 1), written anew."""
    documents = {}
    for line in (folder / "docs.jsonl").read_text(encoding="ascii").split("\n")[:-1]:
        row = json.loads(line)  # a blank line would raise
        documents[row["docid"]] = [sentence.strip().split(" ") for sentence in row["document"].split("\n")]
    annotations = []
    for line in (folder / f"{split}.jsonl").read_text(encoding="ascii").split("\n")[:-1]:
        row = json.loads(line)
        assert set(row) == {"annotation_id", "query", "evidences", "classification", "query_type", "docids"}
        for evidence in (e for group in row["evidences"] for e in group):
            assert set(evidence) == {"text", "docid", "start_token", "end_token", "start_sentence", "end_sentence"}
        annotations.append(row)
    return annotations, documents


def test_an_instance_is_written_with_exactly_the_keys_of_the_format(tmp_path):
    item = gold(
        {"text": body("A calm film . So clever !", sentences=(0, 4))},
        RationaleSet.of((1, 2), (3, 6)),
        RationaleSet.of((5, 6)),
        metadata={"query_type": "review", "year": 2001},
    )
    write(tmp_path / "out", [item], options())
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["docs.jsonl", "train.jsonl"]
    assert (
        tmp_path / "out" / "docs.jsonl"
    ).read_text() == '{"docid": "1", "document": "A calm film .\\nSo clever !"}\n'
    assert (tmp_path / "out" / "train.jsonl").read_text() == (
        '{"annotation_id": "1", "classification": "positive", "docids": ["1"], "evidences": ['
        '[{"docid": "1", "end_sentence": 1, "end_token": 2, "start_sentence": 0, "start_token": 1, "text": "calm"}, '
        '{"docid": "1", "end_sentence": 2, "end_token": 6, "start_sentence": 0, "start_token": 3, "text": ". So clever"}], '
        '[{"docid": "1", "end_sentence": 2, "end_token": 6, "start_sentence": 1, "start_token": 5, "text": "clever"}]], '
        '"query": "What is the sentiment of this text?", "query_type": "review"}\n'
    )


def test_lines_are_sorted_by_id_and_ascii_alone(tmp_path):
    items = [gold({"text": body("好 é")}, key=key, language="zh") for key in ("b", "10", "9", "ä")]
    write(tmp_path / "out", iter(items), options())
    content = (tmp_path / "out" / "train.jsonl").read_bytes()
    assert content.isascii()
    assert [json.loads(line)["annotation_id"] for line in content.splitlines()] == ["10", "9", "b", "ä"]


def test_zero_sets_are_written_as_no_evidence_with_the_document_named(tmp_path):
    write(tmp_path / "out", [gold({"text": body("a b")})], options())
    [row], _ = load_as_the_reference_does(tmp_path / "out", "train")
    assert (row["evidences"], row["docids"]) == ([], ["1"])


def test_a_pair_is_two_documents_and_a_query_segment_is_the_query(tmp_path):
    pair = gold(
        {"sentence1": body("a b"), "sentence2": body("c d")}, RationaleSet.of((1, 2), (2, 3)), task="similarity"
    )
    write(tmp_path / "pair", [pair], options("similarity"))
    [row], documents = load_as_the_reference_does(tmp_path / "pair", "train")
    assert row["docids"] == ["1_sentence1", "1_sentence2"]
    assert [(e["docid"], e["start_token"]) for e in row["evidences"][0]] == [("1_sentence1", 1), ("1_sentence2", 0)]
    assert row["query"] == "Do the two sentences mean the same?"
    assert documents == {"1_sentence1": [["a", "b"]], "1_sentence2": [["c", "d"]]}

    passage = {"passage": body("a b"), "title": body(""), "question": body("Why  not ?")}
    write(tmp_path / "reading", [gold(passage, task="reading", result="")], options("reading"))
    [row], documents = load_as_the_reference_does(tmp_path / "reading", "train")
    assert (row["query"], row["classification"], row["docids"]) == ("Why  not ?", "", ["1_passage"])  # no empty title
    assert list(documents) == ["1_passage"]


def test_a_shared_document_keeps_its_name_and_is_written_once(tmp_path):
    segments = {"document": body("a b"), "query": body("q")}
    items = [
        gold(segments, task="verification", key=key, split=split, docids={"document": "Ireland"})
        for key, split in (("1", "train"), ("2", "train"), ("1", "val"))
    ]
    write(tmp_path / "out", items, options("verification"))
    _, documents = load_as_the_reference_does(tmp_path / "out", "val")
    assert documents == {"Ireland": [["a", "b"]]}
    assert len((tmp_path / "out" / "docs.jsonl").read_text().splitlines()) == 1


def test_several_documents_of_a_claim_are_all_listed(tmp_path):
    segments = {"document": body("a b"), "document2": body("c"), "query": body("q")}
    write(tmp_path / "out", [gold(segments, RationaleSet.of((2, 3)), task="verification")], options("verification"))
    [row], _ = load_as_the_reference_does(tmp_path / "out", "train")
    assert row["docids"] == ["1_document", "1_document2"]
    assert row["evidences"][0][0]["docid"] == "1_document2"


REFUSED = [
    ([gold({"text": body("a  b", ["a", " ", "b"])})], r"Instance '1': token 1 of 'text' is empty or has blanks; use another format\."),
    ([gold({"text": body("a b c", ["a b", "c"])})], r"token 0 of 'text' is empty or has blanks; use another format\."),
    ([gold({"text": body("a\u00a0b c", ["a\u00a0b", "c"])})], "is empty or has blanks; use another format."),
    ([gold({"text": TokenizedText("ab", (0, 1, 1), (1, 1, 2), (0,))})], r"token 1 of 'text' is empty or has blanks; use another format\."),
    ([gold({"text": body("")})], "Instance '1': segment 'text' has no tokens."),
    ([gold({"text": body("a")}, result=None, key=str(k)) for k in range(7)], r"7 instances have no result\. Set it, or export one split \(instances: '0', '1', '2', '3', '4' and 2 more\)\."),
    ([gold({"text": body("a")}, split=s, key=s or "-") for s in ("", "dev")], r"2 instances aren't in train, val, test; assign splits \(`annotator split`\) \(instances: '-', 'dev'\)\."),
    ([gold({"text": body("a")})] * 2, "Duplicate ID '1' in split 'train'."),
    ([gold({"text": body("a")}), gold({"text": body("b")}, split="val")], r"two texts for document '1'\. Export one split \(--split\)\."),
    ([], "No gold yet. Choose another split."),
]  # fmt: skip


@pytest.mark.parametrize(("items", "reason"), REFUSED)
def test_what_cannot_be_written_is_refused_and_nothing_is_left(items, reason, tmp_path):
    with pytest.raises(ExportRefused, match=reason):
        write(tmp_path / "out", items, options())
    assert list(tmp_path.iterdir()) == []


def test_a_span_in_a_text_that_is_no_document_is_refused(tmp_path):
    segments = {"document": body("a b"), "query": body("q r")}
    for spans in [(2, 3), (1, 3)]:
        with pytest.raises(ExportRefused, match=r"span several documents\."):
            write(
                tmp_path / "out", [gold(segments, RationaleSet.of(spans), task="verification")], options("verification")
            )


def test_a_folder_that_holds_something_is_refused_and_left_as_it_is(tmp_path):
    (tmp_path / "out").mkdir()
    write(tmp_path / "out", [gold({"text": body("a")})], options())  # an empty one is fine
    before = (tmp_path / "out" / "train.jsonl").read_text()
    with pytest.raises(ExportRefused, match=r"exists and isn't an empty folder\."):
        write(tmp_path / "out", [gold({"text": body("b")})], options())
    assert (tmp_path / "out" / "train.jsonl").read_text() == before


def test_a_classification_of_other_labels_does_not_ask_for_the_sentiment(tmp_path):
    write(tmp_path / "out", [gold({"text": body("a")})], options(labels=("increased", "decreased")))
    [row], _ = load_as_the_reference_does(tmp_path / "out", "train")
    assert row["query"] == "What is the label of this text?"


def test_a_custom_task_without_a_query_uses_the_projects_question(tmp_path):
    task = Task("custom", (SegmentSpec("text", "Text"),), "label", "Why?")
    write(tmp_path / "out", [gold({"text": body("a")})], options(task))
    [row], _ = load_as_the_reference_does(tmp_path / "out", "train")
    assert row["query"] == "Why?"


TOKENS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5).filter(
    lambda token: token.split() == [token]
)


@st.composite
def gold_instances(draw) -> GoldInstance:
    tokens = draw(st.lists(TOKENS, min_size=1, max_size=12))
    sentences = tuple(sorted(draw(st.sets(st.integers(0, len(tokens) - 1))) | {0}))
    text = draw(st.sampled_from([" ", "\n", "  \t", "\u2028"])).join(tokens)
    ranges = st.integers(0, len(tokens) - 1).flatmap(
        lambda start: st.tuples(st.just(start), st.integers(start + 1, len(tokens)))
    )
    sets = draw(st.lists(st.lists(ranges, min_size=1, max_size=3).map(lambda r: RationaleSet.of(*r)), max_size=3))
    key = draw(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5))
    segments = {"passage": body(text, tokens, sentences), "question": body("Why ?")}
    return gold(segments, *sets, task="reading", key=key, result=draw(st.text("ab ", max_size=3)))


@settings(max_examples=30)
@given(items=st.lists(gold_instances(), min_size=1, max_size=4, unique_by=lambda item: item.instance.key))
def test_what_is_written_loads_and_reads_back_with_the_same_tokens_and_spans(items, tmp_path_factory):
    folder = tmp_path_factory.mktemp("eraser") / "out"
    write(folder, items, options("reading"))
    rows, documents = load_as_the_reference_does(folder, "train")
    by_key = {item.instance.key: item for item in items}
    assert [row["annotation_id"] for row in rows] == sorted(by_key)
    for row in rows:
        item = by_key[row["annotation_id"]]
        passage = item.instance.segment("passage").body
        sentences = documents[row["docids"][0]]
        assert [token for sentence in sentences for token in sentence] == passage.tokens()
        for group, one_set in zip(row["evidences"], item.sets, strict=True):
            assert [(e["start_token"], e["end_token"]) for e in group] == [(s.start, s.end) for s in one_set.spans]
            for e in group:
                chosen = [token for s in sentences[e["start_sentence"] : e["end_sentence"]] for token in s]
                assert e["text"].split(" ") == passage.tokens()[e["start_token"] : e["end_token"]]
                assert set(e["text"].split(" ")) <= set(chosen)
    read = list(eraser.read(folder, ReadOptions(TASKS["reading"])))
    assert not [i for i in read if isinstance(i, Problem)]
    for instance in (i for i in read if isinstance(i, SourceInstance)):
        item = by_key[instance.key]
        found = [[(s.segment, s.start, s.end) for s in spans] for spans in instance.annotations[0].sets]
        assert found == [[("passage", s.start, s.end) for s in one_set.spans] for one_set in item.sets]
        assert instance.result == item.result


def test_two_names_for_one_key_do_not_clash(tmp_path):
    item = gold({"text": body("a")})
    other = replace(item, instance=replace(item.instance, key="2", segments=(Segment("text", True, body("b"), "1"),)))
    with pytest.raises(ExportRefused, match=r"two texts for document '1'\. Export one split \(--split\)\."):
        write(tmp_path / "out", [item, other], options())
