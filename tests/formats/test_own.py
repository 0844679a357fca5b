"""Our own JSONL holds everything: what is written reads back as equal values."""

import datetime as dt
import json
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.instances import AssignmentState, InstanceState
from annotator.domain.own_sources import SourceEvent, SourceProject
from annotator.domain.people import PROJECT_ROLES
from annotator.domain.project.guidelines import GuidelinesVersion
from annotator.domain.sources import (
    SourceAnnotation,
    SourceDocument,
    SourceInstance,
    SourceProposal,
    SourceShown,
    SourceSpan,
    SourceText,
    SourceWork,
)
from annotator.domain.tasks import TASKS
from annotator.domain.texts import TokenizedText
from annotator.errors import ExportRefused, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.own import jsonl
from annotator.store.connection.database import iso

VERIFICATION = ReadOptions(TASKS["verification"])

# Any Unicode but NUL and surrogates, which no text of a project holds.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
WORDS = st.text(CHARACTERS, max_size=12)
NAMES = st.text(CHARACTERS, min_size=1, max_size=8)
TEXTS = st.text(CHARACTERS, min_size=1, max_size=40).filter(str.strip)
COUNTS = st.integers(0, 10**12)
USERS = st.text(CHARACTERS, min_size=1, max_size=8)
TIMES = st.integers(0, 2**33).map(lambda seconds: iso(dt.datetime.fromtimestamp(seconds, dt.UTC)))
LANGUAGES = st.sampled_from(["en", "zh", "pt-BR"])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
JSON_OBJECTS = st.dictionaries(WORDS, JSON_VALUES, max_size=3)


@st.composite
def bodies(draw) -> SourceText:
    text = draw(TEXTS)
    if draw(st.booleans()):
        return SourceText(text)
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)) | {0, len(text)})
    pairs = list(pairwise(cuts))
    starts, ends = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)
    sentences = sorted(draw(st.sets(st.integers(0, len(pairs) - 1))) | {0})
    return SourceText(text, TokenizedText(text, starts, ends, tuple(sentences)))


@st.composite
def spans(draw, segments: dict[str, SourceText]) -> SourceSpan:
    name = draw(st.sampled_from(sorted(segments)))
    body = segments[name]
    unit = draw(st.sampled_from(["token", "char"]))
    limit = len(body.text)
    if unit == "token":
        limit = 100 if body.tokens is None else body.tokens.n_tokens
    start = draw(st.integers(0, limit - 1))
    return SourceSpan(name, start, draw(st.integers(start + 1, limit)), unit)


@st.composite
def annotations(draw, segments, name=None) -> SourceAnnotation:
    sets = draw(st.lists(st.lists(spans(segments), min_size=1, max_size=3).map(tuple), max_size=3))
    return SourceAnnotation(
        name or draw(NAMES),
        draw(st.none() | WORDS),
        tuple(sets),
        draw(WORDS),
        draw(st.integers(1, 3)),
        draw(st.none() | st.sampled_from(["accepted", "draft", "withdrawn"])),
        guidelines=draw(st.none() | st.integers(1, 2)),
    )


@st.composite
def instances(draw, key: str, docids: dict[str, SourceText]) -> SourceInstance:
    own_texts = {"document": draw(bodies())}
    shared = draw(st.sampled_from([None, *docids])) if docids else None
    selectable = {"document": docids[shared]} if shared is not None else own_texts
    everyone = draw(st.lists(NAMES, max_size=3, unique=True))
    optional = st.none() | WORDS
    return SourceInstance(
        key=key,
        segments={"document": shared if shared is not None else own_texts["document"], "query": draw(bodies())},
        source="export.jsonl",
        line=None,
        split=draw(WORDS),
        language=draw(optional),
        result=draw(optional),
        annotations=tuple(draw(annotations(selectable, name)) for name in everyone),
        target=draw(st.none() | spans(selectable)),
        parent_key=draw(st.none() | NAMES.filter(lambda name: name != key)),
        perturbation_kind=draw(optional),
        is_exhaustive=draw(st.none() | st.booleans()),
        metadata=draw(JSON_OBJECTS),
        state=draw(st.none() | st.sampled_from(get_args(InstanceState))),
        work=tuple(draw(st.lists(works(selectable), max_size=2, unique_by=lambda w: w.user.encode().lower()))),
        proposals=tuple(draw(st.lists(proposals(), max_size=2))),
        shown=tuple(draw(st.lists(st.builds(SourceShown, USERS, TIMES), max_size=2))),
    )


@st.composite
def works(draw, segments) -> SourceWork:
    optional = st.none() | TIMES
    return SourceWork(
        draw(USERS),
        draw(st.integers(1, 3)),
        draw(st.sampled_from(get_args(AssignmentState))),
        draw(COUNTS),
        draw(annotations(segments)),
        draw(st.booleans()),
        *(draw(optional) for _ in range(3)),
        *(draw(COUNTS) for _ in range(3)),
    )


def proposals():
    kinds = st.sampled_from(["discard", "contest"])
    decided = st.sampled_from(["confirmed", "rejected"])
    waits = st.builds(SourceProposal, WORDS, kinds, WORDS, WORDS, st.just("open"), TIMES)
    return waits | st.builds(SourceProposal, WORDS, kinds, WORDS, WORDS, decided, TIMES, WORDS, TIMES)


_AT = "2026-01-01T10:00:00.000Z"
PROJECTS = st.builds(
    SourceProject,
    name=NAMES,
    task=NAMES,
    segments=st.tuples(JSON_OBJECTS, JSON_OBJECTS).map(
        lambda more: ({**more[0], "name": "document"}, {**more[1], "name": "query"})
    ),
    labels=st.lists(NAMES, max_size=3, unique=True).map(tuple),
    language=LANGUAGES,
    settings=st.fixed_dictionaries({}, optional={"seed": st.integers(0, 9), "gold_policy": st.just("union")}),
    guidelines=WORDS,
    question=WORDS,
    licence=WORDS,
    citation=WORDS,
    members=st.lists(st.tuples(USERS, st.sampled_from(PROJECT_ROLES)), max_size=3).map(tuple),
    guidelines_versions=st.just(
        (GuidelinesVersion(1, "Mark all.", "ada", _AT), GuidelinesVersion(2, "Mark.", "bo", _AT, True))
    ),
    guidelines_read=st.lists(st.tuples(USERS, st.integers(1, 2), TIMES), max_size=2).map(tuple),
)
EVENTS = st.builds(SourceEvent, TIMES, WORDS, WORDS, WORDS, WORDS, JSON_OBJECTS)


@st.composite
def exports(draw) -> list:
    texts = draw(st.dictionaries(NAMES, bodies(), max_size=2))
    documents = [SourceDocument(docid, body, draw(st.none() | WORDS)) for docid, body in texts.items()]
    keys = draw(st.lists(NAMES, max_size=3, unique=True))
    made = [draw(instances(key, texts)) for key in keys]
    return [draw(PROJECTS), *documents, *made, *draw(st.lists(EVENTS, max_size=2))]


def without_place(item):
    return replace(item, source="", line=None) if isinstance(item, SourceDocument | SourceInstance) else item


@given(items=exports())
def test_everything_that_is_written_reads_back_equal(items):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.jsonl"
        jsonl.write_own(path, iter(items))
        read = list(jsonl.read(path, VERIFICATION))
    assert [without_place(item) for item in read] == [without_place(item) for item in items]


def instance(**changes) -> SourceInstance:
    given = {"key": "1", "segments": {"document": SourceText("a b"), "query": SourceText("q")}, "source": "", "line": 1}
    return SourceInstance(**{**given, **changes})


def test_a_draft_may_hold_an_empty_set(tmp_path):
    draft = SourceAnnotation("ada", None, ((SourceSpan("document", 0, 1),), ()))
    item = instance(work=(SourceWork("ada", 1, "leased", 3, draft),))
    jsonl.write_own(tmp_path / "a.jsonl", [item])
    [read] = jsonl.read(tmp_path / "a.jsonl", VERIFICATION)
    assert read.work == item.work


def test_nothing_takes_the_place_of_a_file_until_all_is_written(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("before")

    def items():
        yield instance()
        raise KeyError

    with pytest.raises(KeyError):
        jsonl.write_own(path, items())
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_problem_is_not_written(tmp_path):
    with pytest.raises(ExportRefused, match="Can't write the problem: x, line 1, field id"):
        jsonl.write_own(tmp_path / "a.jsonl", [Problem("x", 1, "id", "", "no")])


def test_a_path_that_is_a_folder_or_cannot_be_made_is_refused(tmp_path):
    with pytest.raises(ExportRefused, match=r"is a folder\. Name a file\."):
        jsonl.write_own(tmp_path, [])
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportRefused, match=r"Can't write '.*a\.jsonl': File exists\."):
        jsonl.write_own(tmp_path / "file" / "a.jsonl", [])


def header(**changes) -> str:
    good = {"record": "project", "version": 1, "name": "a", "task": "verification", "labels": [], "language": "en"}
    segments = [{"name": "document"}, {"name": "query"}]
    return json.dumps({**good, "segments": segments, "settings": {}, **changes})


def row(**changes) -> str:
    segments = {"document": {"text": "a b"}, "query": {"text": "q"}}
    return json.dumps({"record": "instance", "key": "1", "segments": segments, **changes})


def work(**changes) -> dict:
    draft = {"annotator": "ada", "rationales": []}
    return {"user": "ada", "round": 1, "state": "leased", "revision": 1, "draft": draft, **changes}


def proposal(**changes) -> dict:
    time = "2026-01-01T10:00:00Z"
    given = {"user": "ada", "kind": "discard", "reason": "r", "comment": "", "state": "open", "created_at": time}
    return {**given, **changes}


BAD_RECORDS = [
    ('{"record": "picture"}', "record", "Invalid value 'picture'"),
    ('{"record": "project", "version": 99, "name": "a", "task": "t", "segments": [], "labels": [], "language": "en", "settings": {}}', "version", "File newer than version 8."),
    (header(segments=[{"name": "text"}]), "segments", "Task 'verification' in the file, 'verification' ('document', 'query') here."),
    (header(segments=[{}]), "segments", "here. Use a matching project."),
    (header(settings={"lease_minutes": "long"}), "settings.lease_minutes", "Must be an integer, not text."),
    (header(settings={"lease_minutes": 0}), "settings", "lease_minutes is 0; use 1 to"),
    (header(settings={"order": "by size"}), "settings.order", "Unknown value 'by size'."),
    (header(labels=["a", "a"]), "labels", "Labels must be unique and not empty."),
    (header(language="e n"), "language", "'e n' isn't a language code, e.g."),
    (header(members=[["ada", "king"]]), "members[0][1]", "Unknown value 'king'."),
    (header(members=[["", "lead"]]), "members[0][0]", "Must not be empty."),
    (header(guidelines_versions=[{"number": 2, "text": "x", "made_by": "a", "made_at": "2026-01-01T10:00:00Z"}]), "line", "must be numbered 1, 2, 3"),
    (header(guidelines_read=[["ada", 1, "2026-01-01T10:00:00Z"]]), "line", "a version of the guidelines that is not there"),
    (row(state="finished"), "state", "Unknown value 'finished'."),
    (row(annotations=[{"annotator": "a", "round": 0}]), "annotations[0].round", "Must be at least"),
    (row(annotations=[{"annotator": "a", "state": "good"}]), "annotations[0].state", "Unknown value 'good'."),
    (row(annotations=[{"annotator": "a", "state": "accepted"}] * 2), "annotations[1].annotator", "Same person twice in one round. Keep one."),
    (row(annotations=[{"annotator": "a", "by_user": True}]), "annotations[0].annotator", "No work by this annotator in the same round."),
    (row(annotations=[{"annotator": "a", "created_at": "now"}]), "annotations[0].created_at", "Must be a time, such as 2026-01-31T10:20:00Z."),
    (row(work=[work(state="lost")]), "work[0].state", "Unknown value 'lost'."),
    (row(work=[work(user="")]), "work[0].user", "Must not be empty."),
    (row(work=[work(user="x" * 101)]), "work[0].user", "at most 100 characters"),
    (row(work=[work(revision=-1)]), "work[0].revision", "Must be at least"),
    (row(work=[work(round=0)]), "work[0].round", "Must be at least"),
    (row(work=[work(edits=-1)]), "work[0].edits", "Must be at least"),
    (row(work=[work(active_ms=2**60)]), "work[0].active_ms", "Must be at most"),
    (row(work=[work(submitted_at="2026-01-01")]), "work[0].submitted_at", "Must be a time, such as 2026-01-31T10:20:00Z."),
    (row(work=[work(), work(user="ADA")]), "work[1].user", "Same person twice in one round. Keep one."),
    (row(proposals=[proposal(kind="praise")]), "proposals[0].kind", "Unknown value 'praise'."),
    (row(proposals=[proposal(state="lost")]), "proposals[0].state", "Unknown value 'lost'."),
    (row(proposals=[proposal(state="confirmed")]), "proposals[0].decided_at", "Required if decided, forbidden if open."),
    (row(shown=[["", "2026-01-01T10:00:00Z"]]), "shown[0][0]", "Must not be empty."),
    (row(shown=[["ada", "now"]]), "shown[0][1]", "Must be a time, such as 2026-01-31T10:20:00Z."),
    ('{"record": "instance", "segments": {"document": {"text": "a"}, "query": {"text": "q"}}}', "key", "Required field 'key' is missing."),
    ('{"record": "instance", "key": 1, "segments": {"document": {"text": "a"}}}', "key", "Must be text, not an integer."),
    ('{"record": "instance", "key": "1", "segments": {"document": {"docid": "d"}, "query": {"text": "q"}}}', "document", "No document 'd'. Put documents before their instances."),
    ('{"record": "instance", "key": "1", "segments": {"document": {"text": "ab", "tokens": {"starts": [0], "ends": [9], "sentence_starts": [0]}}, "query": {"text": "q"}}}', "segments.document.tokens", "Token 0 (characters 0 to"),
    ('{"record": "instance", "key": "1", "segments": {"document": {"text": "ab", "tokens": {"starts": [0], "ends": [], "sentence_starts": [0]}}, "query": {"text": "q"}}}', "segments.document.tokens", "starts and ends must have equal lengths."),
    ('{"record": "document", "docid": "d", "text": 3}', "text", "Must be text, not an integer."),
    ('{"record": "event", "at": "2026-01-01T10:00:00Z"}', "actor", "Required field 'actor' is missing."),
    ('{"record": "event", "at": "now"}', "at", "Must be a time, such as 2026-01-31T10:20:00Z."),
]  # fmt: skip


@pytest.mark.parametrize(("line", "field", "reason"), BAD_RECORDS)
def test_a_bad_record_is_a_problem_and_the_next_is_read(line, field, reason, tmp_path):
    path = tmp_path / "a.jsonl"
    jsonl.write_own(path, [instance(key="good")])
    path.write_text(line + "\n" + path.read_text())
    problem, good = sorted(jsonl.read(path, VERIFICATION), key=lambda item: isinstance(item, SourceInstance))
    assert (problem.line, problem.field, good.key) == (1, field, "good")
    assert reason in problem.reason


def test_a_key_or_document_that_stands_twice_is_a_problem(tmp_path):
    document = SourceDocument("d", SourceText("a b"))
    jsonl.write_own(tmp_path / "a.jsonl", [document, document, instance(), instance(split="val"), instance()])
    problems = [item for item in jsonl.read(tmp_path / "a.jsonl", VERIFICATION) if isinstance(item, Problem)]
    assert [(p.line, p.field) for p in problems] == [(2, "docid"), (5, "key")]
    assert "Duplicate of line 3." in problems[1].reason


def test_the_prefix_goes_before_keys_parents_and_documents(tmp_path):
    document = SourceDocument("d", SourceText("a b"))
    child = instance(segments={"document": "d", "query": SourceText("q")}, parent_key="0")
    jsonl.write_own(tmp_path / "a.jsonl", [document, child])
    read = list(jsonl.read(tmp_path / "a.jsonl", replace(VERIFICATION, key_prefix="x-")))
    assert (read[0].docid, read[1].key, read[1].parent_key, read[1].segments["document"]) == (
        "x-d",
        "x-1",
        "x-0",
        "x-d",
    )
