"""Writing ERASER: what we write loads by the reference's rules with the same texts and offsets, and reads back."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS, SegmentSpec, Task
from annotator.domain.texts import RationaleSet, TokenizedText
from annotator.errors import ExportRefused, Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.formats.eraser import reader as eraser
from annotator.formats.eraser.writer import write
from annotator.text.alignment import align_tokens


def options(task: str | Task = "sentiment") -> WriteOptions:
    chosen = TASKS[task] if isinstance(task, str) else task
    return WriteOptions(Project(1, "films", chosen, ("negative", "positive"), "en", ProjectSettings()), "chosen")


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
    ([gold({"text": body("a  b", ["a", " ", "b"])})], r"Instance '1': token 1 of segment 'text' \(' '\) is or holds white"),
    ([gold({"text": body("a b c", ["a b", "c"])})], r"token 0 of segment 'text' \('a b'\) is or holds white space"),
    ([gold({"text": body("a\u00a0b c", ["a\u00a0b", "c"])})], "is or holds white space, which ERASER cannot hold"),
    ([gold({"text": TokenizedText("ab", (0, 1, 1), (1, 1, 2), (0,))})], r"token 1 of segment 'text' \(''\) is empty"),
    ([gold({"text": body("")})], "Instance '1': the segment 'text' has no token"),
    ([gold({"text": body("a")}, result=None, key=str(k)) for k in range(7)], r"7 of the instances have no result; .*\('?instances?: '0', '1', '2', '3', '4' and 2 more\)"),
    ([gold({"text": body("a")}, split=s, key=s or "-") for s in ("", "dev")], r"2 of the instances are in no split of train, val, test; have a lead share them out first \(`annotator split`.*'-', 'dev'"),
    ([gold({"text": body("a")})] * 2, "Two instances of split 'train' have the key '1'"),
    ([gold({"text": body("a")}), gold({"text": body("b")}, split="val")], "the document '1' would stand for two different texts.*--split"),
    ([], "There is no instance to write"),
]  # fmt: skip


@pytest.mark.parametrize(("items", "reason"), REFUSED)
def test_what_cannot_be_written_is_refused_and_nothing_is_left(items, reason, tmp_path):
    with pytest.raises(ExportRefused, match=reason):
        write(tmp_path / "out", items, options())
    assert list(tmp_path.iterdir()) == []


def test_a_span_in_a_text_that_is_no_document_is_refused(tmp_path):
    segments = {"document": body("a b"), "query": body("q r")}
    for spans in [(2, 3), (1, 3)]:
        with pytest.raises(ExportRefused, match="is not within one document"):
            write(
                tmp_path / "out", [gold(segments, RationaleSet.of(spans), task="verification")], options("verification")
            )


def test_a_folder_that_holds_something_is_refused_and_left_as_it_is(tmp_path):
    (tmp_path / "out").mkdir()
    write(tmp_path / "out", [gold({"text": body("a")})], options())  # an empty one is fine
    before = (tmp_path / "out" / "train.jsonl").read_text()
    with pytest.raises(ExportRefused, match="is there already and is not an empty folder"):
        write(tmp_path / "out", [gold({"text": body("b")})], options())
    assert (tmp_path / "out" / "train.jsonl").read_text() == before


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


@settings(max_examples=30, deadline=None)
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
    with pytest.raises(ExportRefused, match="the document '1' would stand for two different texts"):
        write(tmp_path / "out", [item, other], options())
