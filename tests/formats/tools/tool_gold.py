"""Gold with everything that a labelling tool may stumble over, and how it reads back, for the tests of three formats."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import strategies as st

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.sources import SourceInstance, SourceText
from annotator.domain.tasks import TASKS
from annotator.domain.texts import RationaleSet, Span, TokenLayout
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.text.source_spans import body_reader, resolve_sets
from annotator.text.tokenisation import tokenise

LABELS = ("negative", "positive")
for language in ("en", "zh", "ko"):
    tokenise("so 很好", language)  # loaded before a strategy draws, in which nothing random may be made
# Plain words; emoji of one, two and many characters; Chinese, also beyond 16 bits; marks that combine; what JSON and XML escape.
SUBWORDS = (
    "good", "film", "don't", "😀", "👨🏻\u200d🚒", "🇩🇪", "很好", "𠮷野家", "e\u0301te\u0301", "नमस्ते", "—", '"so"', "<b>&", "\\n", "\n", "\r\n", " ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(SUBWORDS), min_size=1, max_size=12).map(" ".join).filter(str.strip)
METADATA = st.dictionaries(
    st.sampled_from(["source", "page", "tags"]), st.sampled_from(["x", 3, ["a"], None]), max_size=2
)


def project_options(task: str) -> WriteOptions:
    labels = LABELS if TASKS[task].result_kind == "label" else ()
    return WriteOptions(Project(1, "tools", TASKS[task], labels, "en", ProjectSettings()), "chosen")


def gold(task: str, texts: dict[str, str], *sets: RationaleSet, **changes) -> GoldInstance:
    """Gold of one instance whose texts are tokenised as an import does it."""
    given = {"id": 1, "key": "1", "split": "", "language": "en", "result": "positive", **changes}
    segments = tuple(
        Segment(name, TASKS[task].spec_of(name).is_selectable, tokenise(text, given["language"]))
        for name, text in texts.items()
    )
    return GoldInstance(Instance(segments=segments, **given), sets, given["result"])


@st.composite
def sets_within(draw, layout: TokenLayout) -> tuple[RationaleSet, ...]:
    """Sets that overlap, touch, are discontinuous and cross segments; a set's spans stand in no order."""
    places = [s for s in layout.segments if s.is_selectable and s.n_tokens]
    spans = []
    for place in places:
        for _ in range(draw(st.integers(0, 4))):
            start = draw(st.integers(place.first_token, place.end_token - 1))
            spans.append(Span(start, draw(st.integers(start + 1, place.end_token))))
    if not spans:
        return ()
    return tuple(
        RationaleSet(tuple(draw(st.lists(st.sampled_from(spans), min_size=1, max_size=4))))
        for _ in range(draw(st.integers(0, 12)))
    )


@st.composite
def golds(draw) -> tuple[str, GoldInstance]:
    """A task and the gold of one instance."""
    task = draw(st.sampled_from(["sentiment", "inference", "reading", "verification"]))
    names = [spec.name for spec in TASKS[task].segments] + ["document2"] * (task == "verification")
    names = TASKS[task].in_numbering_order(names)
    texts = {name: draw(TEXTS) for name in names}
    is_label = TASKS[task].result_kind == "label"
    parent = draw(st.sampled_from([None, "original"]))
    made = gold(
        task, texts, key=draw(st.sampled_from(["1", "007", "a b/c", "例-1", "😀"])), split=draw(st.sampled_from(["", "train", "my split"])),
        language=draw(st.sampled_from(["en", "zh", "ko"])), result=draw(st.sampled_from(LABELS if is_label else ("", "a prediction", "很好 😀"))),
        parent_key=parent, perturbation_kind=parent and "contrast", is_exhaustive=draw(st.sampled_from([None, True, False])),
        metadata=draw(METADATA),
    )  # fmt: skip
    return task, GoldInstance(made.instance, draw(sets_within(made.instance.layout)), made.result)


@dataclass(frozen=True)
class ReadBack:
    """An instance as a reader gives it, and its sets in the tokens that an import finds."""

    instance: SourceInstance
    sets: tuple[RationaleSet, ...]
    problems: list[Problem]


def read_one(read: Callable, path: Path, task: str, language: str = "en", labels=LABELS) -> ReadBack:
    """The only instance of a file; warnings alone may stand beside it."""
    is_label = TASKS[task].result_kind == "label"
    items = list(read(path, ReadOptions(TASKS[task], labels if is_label else ())))
    problems = [i for i in items if isinstance(i, Problem)]
    assert [str(p) for p in problems if not p.is_warning] == []
    [instance] = [i for i in items if isinstance(i, SourceInstance)]
    return ReadBack(instance, sets_of(instance, task, language), problems)


def sets_of(instance: SourceInstance, task: str, language: str) -> tuple[RationaleSet, ...]:
    """The sets of the only annotation, as an import stores them."""
    names = TASKS[task].in_numbering_order(list(instance.segments))
    bodies = {name: tokenise(_text(instance.segments[name]), language) for name in names}
    layout = TokenLayout.of([(n, TASKS[task].spec_of(n).is_selectable, bodies[n].n_tokens) for n in names])
    [annotation] = instance.annotations
    return resolve_sets(annotation, layout, body_reader(bodies))


def _text(text: SourceText | str) -> str:
    assert isinstance(text, SourceText)
    return text.text


def check_same(task: str, written: GoldInstance, back: ReadBack) -> None:
    """What is read is what was written, but for the sets."""
    was, now = written.instance, back.instance
    assert (now.key, now.split, now.language, now.result) == (was.key, was.split, was.language, written.result)
    assert (now.parent_key, now.perturbation_kind) == (was.parent_key, was.perturbation_kind)
    assert (now.is_exhaustive, dict(now.metadata)) == (was.is_exhaustive, dict(was.metadata))
    assert {n: _text(t) for n, t in now.segments.items()} == {s.name: s.body.text for s in was.segments}
    assert now.annotations[0].result == written.result


def spans_read(instance: SourceInstance, number: int = 0) -> list[list[tuple[str, int, int]]]:
    """The sets of an annotation as (segment, start, end) in characters."""
    return [[(s.segment, s.start, s.end) for s in spans] for spans in instance.annotations[number].sets]


def problems_of(read: Callable, path: Path, task: str = "sentiment", labels=LABELS) -> list[Problem]:
    return [i for i in read(path, ReadOptions(TASKS[task], labels)) if isinstance(i, Problem)]


def check_archives_and_tables(read: Callable, folder: Path, remedy: str) -> None:
    """Both are refused, with what to do."""
    (folder / "a.json").write_bytes(b"PK\x03\x04...")
    with pytest.raises(InvalidValue, match=r"is an archive\. Unpack it first\."):
        problems_of(read, folder / "a.json")
    (folder / "a.csv").write_text("id,text")
    with pytest.raises(InvalidValue, match=re.escape(remedy)):
        problems_of(read, folder / "a.csv")


def warnings_of(read: Callable, path: Path) -> set[str]:
    """What is said of a file in which nothing is refused."""
    problems = problems_of(read, path)
    assert all(problem.is_warning for problem in problems)
    return {problem.reason for problem in problems}


def instances_of(read: Callable, path: Path, task: str = "sentiment", labels=LABELS) -> list[SourceInstance]:
    return [i for i in read(path, ReadOptions(TASKS[task], labels)) if isinstance(i, SourceInstance)]


def saved(path: Path, *rows: object) -> Path:
    """A file of JSON lines, in a folder that may not be there yet."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
