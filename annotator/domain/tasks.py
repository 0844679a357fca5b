"""The kinds of input: which segments an instance has, which of them are selectable, and what kind of result it gets."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.domain.labels import are_sentiment
from annotator.errors import InvalidValue
from annotator.language import _, unknown, unsaid

ResultKind = Literal["label", "answer"]


@dataclass(frozen=True, slots=True)
class SegmentSpec:
    """A named text of every instance of a task. Selectable segments come first in a task's list."""

    name: str
    title: str
    is_selectable: bool = True
    may_be_empty: bool = False
    may_repeat: bool = False  # verification: document, document2, document3 ...


@dataclass(frozen=True, slots=True)
class Task:
    """What kind of input a project has (design: sentiment, similarity, reading ...)."""

    name: str
    segments: tuple[SegmentSpec, ...]
    result_kind: ResultKind
    question: str
    title: str = "custom"  # what people call it; the oldest labels of a classification named it "sentiment"
    eraser_query: str = ""  # the constant query of an ERASER file, when the task has no segment for it
    sentiment_query: str = ""  # the same where the labels are those of sentiment
    has_target: bool = False

    def __post_init__(self) -> None:
        selectable = [s.is_selectable for s in self.segments]
        if not any(selectable):
            raise InvalidValue(_("Task '{name}' has no selectable segment.", name=self.name))
        if selectable != sorted(selectable, reverse=True):
            raise InvalidValue(_("Task '{name}': put selectable segments first.", name=self.name))
        if len({s.name for s in self.segments}) != len(selectable):
            raise InvalidValue(_("Task '{name}' has two segments with one name.", name=self.name))

    def query_for(self, labels: Iterable[str]) -> str:
        """The constant query of an ERASER file with these labels.

        >>> TASKS["sentiment"].query_for(["significantly increased", "no difference"])
        'What is the label of this text?'
        >>> TASKS["sentiment"].query_for(["NEG", "neutral", "POS"])
        'What is the sentiment of this text?'
        """
        return (are_sentiment(labels) and self.sentiment_query) or self.eraser_query

    def spec_of(self, segment_name: str) -> SegmentSpec | None:
        """The spec that a segment of an instance follows ("document2" follows a repeatable "document")."""
        for spec in self.segments:
            if spec.name == segment_name or (spec.may_repeat and re.fullmatch(rf"{spec.name}[0-9]+", segment_name)):
                return spec
        return None

    def in_numbering_order(self, names: Sequence[str]) -> list[str]:
        """Names of an instance's segments in the order in which its tokens are numbered.

        >>> TASKS["reading"].in_numbering_order(["question", "passage"])
        ['passage', 'question']
        """
        order = {spec.name: position for position, spec in enumerate(self.segments)}

        def numbering_key(name: str) -> tuple[int, int]:
            spec = self.spec_of(name)
            if spec is None:
                raise InvalidValue(unknown(_("segment"), name, ", ".join(order)))
            return order[spec.name], int(name[len(spec.name) :] or 1)

        return sorted(names, key=numbering_key)

    @property
    def query_segment(self) -> str | None:
        """The one segment that cannot be marked (question, query, choices), if the task has one."""
        return next((s.name for s in self.segments if not s.is_selectable), None)


_SUPPORTS = unsaid("Which tokens support “{result}”? Each set must suffice alone, without unneeded words.")

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "sentiment",
            (SegmentSpec("text", unsaid("Text")),),
            "label",
            _SUPPORTS,
            unsaid("classification"),
            eraser_query="What is the label of this text?",
            sentiment_query="What is the sentiment of this text?",
        ),
        Task(
            "similarity",
            (SegmentSpec("sentence1", unsaid("Sentence 1")), SegmentSpec("sentence2", unsaid("Sentence 2"))),
            "label",
            unsaid(
                "Which tokens of both sentences support “{result}”? Each set must suffice alone, without unneeded "
                "words."
            ),
            unsaid("similarity"),
            eraser_query="Do the two sentences mean the same?",
        ),
        Task(
            "reading",
            (
                SegmentSpec("passage", unsaid("Passage")),
                SegmentSpec("title", unsaid("Title"), may_be_empty=True),
                SegmentSpec("question", unsaid("Question"), is_selectable=False),
            ),
            "answer",
            _SUPPORTS,
            unsaid("reading"),
        ),
        Task(
            "inference",
            (SegmentSpec("premise", unsaid("Premise")), SegmentSpec("hypothesis", unsaid("Hypothesis"))),
            "label",
            _SUPPORTS,
            unsaid("inference"),
            eraser_query="What is the relation between the premise and the hypothesis?",
        ),
        Task(
            "verification",
            (
                SegmentSpec("document", unsaid("Document"), may_repeat=True),
                SegmentSpec("query", unsaid("Claim or question"), is_selectable=False),
            ),
            "label",
            _SUPPORTS,
            unsaid("verification"),
        ),
        Task(
            "editing",
            (SegmentSpec("text", unsaid("Text")),),
            "label",
            unsaid("Which tokens are the reason for “{result}”? Each set must suffice alone, without unneeded words."),
            unsaid("editing"),
            eraser_query="Does this sentence need editing?",
        ),
        Task(
            "choice",
            (
                SegmentSpec("question", unsaid("Question")),
                SegmentSpec("choices", unsaid("Choices"), is_selectable=False),
            ),
            "label",
            _SUPPORTS,
            unsaid("choice"),
        ),
        Task(
            "entity",
            (SegmentSpec("text", unsaid("Text")),),
            "label",
            unsaid(
                "Which tokens support “{result}” for the boxed words? Each set must suffice alone, without "
                "unneeded words."
            ),
            unsaid("entity"),
            eraser_query="What is the label of the target?",
            has_target=True,
        ),
    )
}


def get_task(name: str) -> Task:
    """The task template of that name; raises InvalidValue naming those there are."""
    try:
        return TASKS[name]
    except KeyError:
        raise InvalidValue(
            _("Unknown task '{name}'. Choose {tasks} or custom.", name=name, tasks=", ".join(TASKS))
        ) from None


def custom_task(segments: Sequence[SegmentSpec], result_kind: str) -> Task:
    """The lead's own task; raises InvalidValue when its segments or kind of result cannot be."""
    match result_kind:
        case "label" | "answer":
            return Task("custom", tuple(segments), result_kind, _SUPPORTS, eraser_query="What is the label?")
        case _:
            raise InvalidValue(_("Result type '{result_kind}' must be label or answer.", result_kind=result_kind))
