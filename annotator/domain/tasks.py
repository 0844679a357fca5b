"""The kinds of input: which segments an instance has, which of them are selectable, and what kind of result it gets."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.errors import InvalidValue

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
    eraser_query: str = ""  # the constant query of an ERASER file, when the task has no segment for it
    has_target: bool = False

    def __post_init__(self) -> None:
        selectable = [s.is_selectable for s in self.segments]
        if not any(selectable):
            raise InvalidValue(f"Task '{self.name}' has no selectable segment; nothing could be marked.")
        if selectable != sorted(selectable, reverse=True):
            raise InvalidValue(f"Task '{self.name}': selectable segments must come before the others.")
        if len({s.name for s in self.segments}) != len(selectable):
            raise InvalidValue(f"Task '{self.name}' has two segments of one name.")

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
                raise InvalidValue(f"Task '{self.name}' has no segment '{name}' (it has {', '.join(order)}).")
            return order[spec.name], int(name[len(spec.name) :] or 1)

        return sorted(names, key=numbering_key)

    @property
    def query_segment(self) -> str | None:
        """The one segment that cannot be marked (question, query, choices), if the task has one."""
        return next((s.name for s in self.segments if not s.is_selectable), None)


_ENOUGH = "Each set should be sufficient on its own and contain no unneeded words."

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "sentiment",
            (SegmentSpec("text", "Text"),),
            "label",
            f"Which tokens support “{{result}}”? {_ENOUGH}",
            eraser_query="What is the sentiment of this text?",
        ),
        Task(
            "similarity",
            (SegmentSpec("sentence1", "Sentence 1"), SegmentSpec("sentence2", "Sentence 2")),
            "label",
            f"Which tokens of both sentences support “{{result}}”? {_ENOUGH}",
            eraser_query="Do the two sentences mean the same?",
        ),
        Task(
            "reading",
            (
                SegmentSpec("passage", "Passage"),
                SegmentSpec("title", "Title", may_be_empty=True),
                SegmentSpec("question", "Question", is_selectable=False),
            ),
            "answer",
            f"Which tokens support the answer “{{result}}”? {_ENOUGH}",
        ),
        Task(
            "inference",
            (SegmentSpec("premise", "Premise"), SegmentSpec("hypothesis", "Hypothesis")),
            "label",
            f"Which tokens support “{{result}}”? {_ENOUGH}",
            eraser_query="What is the relation between the premise and the hypothesis?",
        ),
        Task(
            "verification",
            (
                SegmentSpec("document", "Document", may_repeat=True),
                SegmentSpec("query", "Claim or question", is_selectable=False),
            ),
            "label",
            f"Which tokens support “{{result}}”? {_ENOUGH}",
        ),
        Task(
            "editing",
            (SegmentSpec("text", "Text"),),
            "label",
            f"Which tokens are the reason for “{{result}}”? {_ENOUGH}",
            eraser_query="Does this sentence need editing?",
        ),
        Task(
            "choice",
            (SegmentSpec("question", "Question"), SegmentSpec("choices", "Choices", is_selectable=False)),
            "label",
            f"Which tokens support “{{result}}”? {_ENOUGH}",
        ),
        Task(
            "entity",
            (SegmentSpec("text", "Text"),),
            "label",
            f"Which tokens support “{{result}}” for the boxed words? {_ENOUGH}",
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
        raise InvalidValue(f"There is no task '{name}'. Choose one of {', '.join(TASKS)} or custom.") from None


def custom_task(segments: Sequence[SegmentSpec], result_kind: str) -> Task:
    """The lead's own task; raises InvalidValue when its segments or kind of result cannot be."""
    question = f"Which tokens support “{{result}}”? {_ENOUGH}"
    match result_kind:
        case "label" | "answer":
            return Task("custom", tuple(segments), result_kind, question, eraser_query="What is the label?")
        case _:
            raise InvalidValue(f"The kind of result is '{result_kind}'; it must be label or answer.")
