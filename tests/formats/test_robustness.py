"""Whatever a file holds, a reader gives items and problems; it never fails."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.domain.sources import SourceDocument, SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import AnnotatorError, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import READERS, get_reader

NAMES = """
id key split language text tokens label answer annotator annotator_label rationales note exhaustive parent target metadata
passage title question sentence1 sentence2 query context document record fields annotations pair meta docid annotation_id
classification evidences docids query_type start_token end_token segment start_char end_char sent_id sent_label sent_token
sent_text text_q_seg text_t_seg rationale_ids rationale_q_idx rationale_t_idx rel_ids adv_type sample_type role group type
segments work draft proposals version name task labels settings char_spans field start end starts ends sentence_starts user
round state revision
"""
KINDS = st.sampled_from(
    ["instance", "document", "project", "event", "text", "1", "a b", "", "perturbed", "original", "d"]
)
SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.just(1.5) | KINDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=5),
    max_leaves=12,
)
ROWS = st.dictionaries(st.sampled_from(NAMES.split()), VALUES, max_size=8)
# Rows that are right but for one value.
RIGHT = [
    {"id": "1", "text": "a b", "label": "a", "rationales": [[[0, 1]]], "tokens": ["a", "b"]},
    {"record": "instance", "key": "1", "segments": {"text": {"text": "a b"}}, "annotations": [{"annotator": "a", "rationales": [[{"segment": "text", "start_token": 0, "end_token": 1}]]}], "work": [], "metadata": {}},
    {"id": "1", "fields": {"text": {"text": "a b", "tokens": ["a", "b"]}}, "annotations": [{"annotator": "a", "rationales": [{"text": [0]}]}], "pair": {"group": "g", "role": "original"}, "meta": {}},
    {"annotation_id": "1", "classification": "a", "query": "q", "docids": ["d"], "evidences": [[{"docid": "d", "start_token": 0, "end_token": 1, "text": "a"}]]},
    {"id": 1, "context": "a b", "sent_token": ["a", "b"], "rel_ids": [2], "sample_type": "ori"},
    {"sent_id": 1, "sent_text": "a b", "sent_label": 0, "sent_token": ["a", "b"], "rationales": [[0], ["1"]], "rel_ids": []},
    {"id": 1, "title": "c", "context": "a b", "question": "q", "sent_token": ["a", "b", "c"]},
    {"sent_id": 1, "sent_label": 0, "rationale_q_idx": [0], "rationale_t_idx": [0]},
    {"id": 1, "query": "a", "title": "b", "text_q_seg": ["a"], "text_t_seg": ["b"]},
]  # fmt: skip


def paths_of(value, path=()):
    yield path
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths_of(inner, (*path, step))


def with_value(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_value(copy[path[0]], path[1:], new)
    return copy


@st.composite
def nearly_right(draw):
    row = draw(st.sampled_from(RIGHT))
    path = draw(st.sampled_from(list(paths_of(row))))
    return with_value(row, path, draw(VALUES))


def read(name: str, task: str, content: bytes, documents: bytes) -> list:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.jsonl"
        path.write_bytes(content)
        (Path(folder) / "docs.jsonl").write_bytes(documents)
        return list(get_reader(name)(path, ReadOptions(TASKS[task], ("a", "b"))))


TASK_NAMES = st.sampled_from(["sentiment", "similarity", "reading", "verification", "entity", "choice"])
DOCUMENT = b'{"docid": "d", "document": "a b", "text": "a b"}\n'


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=150, deadline=None)
@given(rows=st.lists(ROWS | nearly_right() | st.sampled_from(RIGHT), max_size=4), task=TASK_NAMES)
def test_odd_rows_never_make_a_reader_fail(name, rows, task):
    content = "".join(json.dumps(row) + "\n" for row in rows)
    check(name, task, content.encode())


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=50, deadline=None)
@given(content=st.binary(max_size=200) | st.text(max_size=100).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_odd_bytes_never_make_a_reader_fail(name, content):
    check(name, "sentiment", content)
    check(name, "sentiment", b"id,text,rationales\n" + content)


def check(name: str, task: str, content: bytes) -> None:
    try:
        items = read(name, task, content, DOCUMENT)
    except AnnotatorError:  # the file as a whole, such as a task that the benchmark has not
        return
    for item in items:
        assert item is not None
        if isinstance(item, Problem):
            assert item.reason
            assert str(item)
    documents = {i.docid for i in items if isinstance(i, SourceDocument)}
    for instance in (i for i in items if isinstance(i, SourceInstance)):
        assert all(not isinstance(body, str) or body in documents for body in instance.segments.values())
        for spans in (spans for a in instance.annotations for spans in a.sets):
            assert all(0 <= span.start < span.end for span in spans)
