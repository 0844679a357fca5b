"""What one person answered in a Label Studio task: regions of texts, choices and written answers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.formats.base import ReadOptions
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.tools.labels import (
    NOTE_NAMES,
    LabelledSpan,
    Marks,
    Values,
    named_segment,
    one_of_results,
)
from annotator.formats.tools.left_out import LeftOut
from annotator.formats.tools.offsets import Offsets
from annotator.language import _, listed

_NAMED = NOTE_NAMES | {"label", "answer", "result"}
_BLANKS = re.compile(r"\\n|\s")


class RegionValue(msgspec.Struct):
    """The fields of a region's value that we read; what else it holds belongs to other kinds."""

    start: Any = None
    end: Any = None
    text: Any = None
    labels: Any = None
    choices: Any = None


class Region(msgspec.Struct):
    """One item of an annotation's result."""

    type: str = ""
    from_name: str | None = None
    to_name: str | list[str] | None = None
    value: RegionValue | None = None


@dataclass(slots=True)
class Answers:
    """A person's marks, and how many items of theirs could not be read."""

    marks: Marks
    n_unread: int = 0
    _given: dict[str, list[str]] = field(default_factory=dict)

    def give(self, question: str, answers: object) -> None:
        """Keep what was chosen or written for a question: a text, or a list of texts."""
        texts = [answer for answer in (answers if isinstance(answers, list) else [answers]) if isinstance(answer, str)]
        if question.lower() in NOTE_NAMES:
            self.marks.notes.extend(texts)
        else:
            self._given.setdefault(question, []).extend(texts)

    def settle(self, options: ReadOptions, left_out: LeftOut) -> None:
        """Take the result from the question that asks for it; what else was answered is left out."""
        question = one_of_results(self._given, options.task, options.labels)
        answers = self._given.pop(question, []) if question is not None else []
        if len(answers) == 1:
            self.marks.result = answers[0]
        elif answers:
            left_out.add("several answers")
        left_out.add("other answer", len(self._given))


@dataclass(frozen=True, slots=True)
class ResultReader:
    """Reads the annotations of one task, whose segments have these texts."""

    options: ReadOptions
    texts: Values
    findings: Findings
    left_out: LeftOut

    def answers(self, annotator: str, result: Sequence[Region], field_name: str) -> Answers:
        """What one annotation holds; `field_name` is where its result stands."""
        answers = Answers(Marks(annotator))
        for number, region in enumerate(result):
            self._take_region(region, f"{field_name}[{number}]", answers)
        answers.settle(self.options, self.left_out)
        return answers

    def _take_region(self, region: Region, field_name: str, answers: Answers) -> None:
        value, question = region.value or RegionValue(), region.from_name or ""
        if region.type == "labels":
            names = region.to_name if isinstance(region.to_name, list) else [region.to_name or ""]
            self._take_span(value, [*names, question], f"{field_name}.value", answers)
        elif value.start is None and self._is_answer(region.type, question):
            answers.give(question, value.choices if region.type == "choices" else value.text)
        else:
            answers.n_unread += 1
            if region.type == "hypertextlabels":
                self.left_out.add("HTML region")
            else:
                self.left_out.add_kind(shown(region.type))

    def _is_answer(self, kind: str, question: str) -> bool:
        """Whether a result may answer what the task asks: a choice for a label, a text for an answer, or by its name."""
        wanted = "choices" if self.options.task.result_kind == "label" else "textarea"
        return kind == wanted or (kind in {"choices", "textarea"} and question.lower() in _NAMED)

    def _take_span(self, value: RegionValue, names: Sequence[str], field_name: str, answers: Answers) -> None:
        labels = [label for label in value.labels if isinstance(label, str)] if isinstance(value.labels, list) else []
        if not labels:
            answers.n_unread += 1
            self.left_out.add("unlabelled region")
            return
        if not (_is_whole(value.start) and _is_whole(value.end)):
            reason = _("Characters are counted in whole numbers; only regions of a Text tag can be read.")
            self.findings.refuse(field_name, [value.start, value.end], reason)
            return
        segment = self._segment(names, value, field_name)
        if segment is None:
            return
        text = self.texts[segment]
        characters = self._range(text, value, field_name) if isinstance(text, str) else None
        if characters is not None:
            answers.marks.spans += [LabelledSpan(label, segment, *characters) for label in dict.fromkeys(labels)]

    def _segment(self, names: Sequence[str], value: RegionValue, field_name: str) -> str | None:
        """The segment of a region: by the names of the tags, else the only one that reads there as was recorded."""
        segment = named_segment(self.options.task, names, self.texts)
        if segment is None and isinstance(value.text, str):
            fitting = [
                n for n, t in self.texts.items() if isinstance(t, str) and _says(t, value.start, value.end, value)
            ]
            segment = fitting[0] if len(fitting) == 1 else None
        if segment is None:
            texts = listed([f"'{name}'" for name in self.texts]) or _("no text")
            reason = _(
                "The file does not say which text is marked (the task has {texts}). Call the Text tag, and its field in the "
                "data, like the segment.",
                texts=texts,
            )
            self.findings.refuse(field_name, names[0], reason)
        return segment

    def _range(self, text: str, value: RegionValue, field_name: str) -> tuple[int, int] | None:
        """Characters, which Label Studio counts since 1.4; before, it counted UTF-16 units, as the recorded text tells."""
        recorded = value.text if isinstance(value.text, str) and value.text else None
        if recorded is not None and not _says(text, value.start, value.end, value):
            units = Offsets.of(text, "utf-16")
            start, end = units.character(value.start), units.character(value.end)
            if start is not None and end is not None and start < end and _says(text, start, end, value):
                self.left_out.add("UTF-16 region")
                return start, end
            if 0 <= value.start < value.end <= len(text):
                in_text = shown(text[value.start : value.end])
                reason = _(
                    "Label Studio recorded '{recorded}', but at these characters the text says '{in_text}'; it was changed "
                    "after it was marked. Correct the offsets, or take the region out.",
                    recorded=shown(recorded),
                    in_text=in_text,
                )
                self.findings.refuse(field_name, [value.start, value.end], reason)
                return None
        return Offsets.of(text, "characters").range_of(value.start, value.end, field_name, self.findings)

    def minimal_answers(self, annotator: str, values: Values) -> Answers:
        """What a row of JSON-MIN holds; the fields with answers are taken out of its values."""
        answers = Answers(Marks(annotator))
        for name in list(values):
            value = values[name]
            if _holds_regions(value):
                for number, item in enumerate(values.pop(name)):
                    region = Region(_kind_of(item), name, None, msgspec.convert(item, RegionValue))
                    self._take_region(region, f"{name}[{number}]", answers)
            elif isinstance(value, dict) and "choices" in value:
                answers.give(name, values.pop(name)["choices"])
            elif isinstance(value, str) and (name.lower() in _NAMED or value in self.options.labels):
                answers.give(name, values.pop(name))
        answers.settle(self.options, self.left_out)
        return answers


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _says(text: str, start: int, end: int, value: RegionValue) -> bool:
    """Whether the text reads there as was recorded; blanks, which a browser shows otherwise, are not compared."""
    if not 0 <= start < end <= len(text):
        return False
    return _BLANKS.sub("", text[start:end]) == _BLANKS.sub("", str(value.text))


def _holds_regions(value: object) -> bool:
    """Whether a field of JSON-MIN is a list of regions: each has a place and what is marked there."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(i, dict) and {"start", "end"} <= i.keys() for i in value)
    )


def _kind_of(item: Values) -> str:
    """The kind of a region of JSON-MIN, whose labels stand under the name of the kind."""
    return next((name for name in item if name.endswith("labels")), "labels")
