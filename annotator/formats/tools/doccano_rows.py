"""One row of a doccano export, in the forms of its versions: spans, labels of the whole text, relations, comments."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.domain.tasks import Task
from annotator.formats.rows.column_names import segment_of
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.label_remedies import LABEL
from annotator.formats.rows.lines import convert
from annotator.formats.tools.labels import LabelledSpan, Values, take_texts
from annotator.formats.tools.offsets import Offsets, OffsetUnit, is_unit
from annotator.language import _

# The names under which versions and kinds of project export labels.
_LABEL_FIELDS = ("label", "labels", "entities", "annotations", "cats")


class _Entity(msgspec.Struct):
    label: str | int | None = None
    text: str | None = None
    start_offset: int | None = None
    end_offset: int | None = None
    user: int | str | None = None


class _Comment(msgspec.Struct):
    comment: str | None = None
    text: str | None = None


_Label = _Entity | tuple[int, int, str | int] | str | int


class _Fields(msgspec.Struct):
    label: list[_Label] | str | int | None = None
    labels: list[_Label] | str | int | None = None
    entities: list[_Label] | None = None
    annotations: list[_Label] | None = None
    cats: list[_Label] | None = None
    relations: list[Any] | None = None
    Comments: list[_Comment | str] | str | None = None
    comments: list[_Comment | str] | str | None = None
    offsets: str | None = None
    segments: dict[str, tuple[int, int]] | None = None


@dataclass(slots=True)
class UnreadLabels:
    """What a row holds that is not taken, or read on a supposition."""

    n_relations: int = 0
    n_label_lists: int = 0
    n_doubtful: int = 0


@dataclass(frozen=True, slots=True)
class RowSpan:
    """A span of a row's text as the file counts it, under its label; user: whose it is, where the file names one."""

    field_name: str
    start: int
    end: int
    label: str
    user: int | str | None


@dataclass(slots=True)
class Labelled:
    """The labels of a row, not yet brought to segments.

    result: that of the whole text, where there is one; results: (user, label) for each that somebody gave
    """

    spans: list[RowSpan] = field(default_factory=list)
    result: str | None = None
    results: list[tuple[int | str | None, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    segments: Mapping[str, tuple[int, int]] | None = None
    unit: OffsetUnit | None = None
    unread: UnreadLabels = field(default_factory=UnreadLabels)

    def results_of(self, user: int | str | None) -> list[str]:
        """What one user, or nobody by name, said of the whole text."""
        return [label for whose, label in self.results if whose == user]

    def result_of(self, user: int | str | None) -> str | None:
        """The one label that a user gave the whole text, else what the row says of it without a user."""
        return _only({*self.results_of(user)} or {*self.results_of(None)})


@dataclass(frozen=True, slots=True)
class LabelNames:
    """What labels are called of which a row says the number alone. wanted: numbers that are names, or get one."""

    by_number: Mapping[int, str] = field(default_factory=dict)
    wanted: Collection[str] = ()

    def of(self, label: str | int) -> str | None:
        """A label by its name; None for a number of which nobody says it."""
        if isinstance(label, str):
            return label
        name = self.by_number.get(label)
        return str(label) if name is None and str(label) in self.wanted else name


def labelled_row(values: Values, findings: Findings, names: LabelNames) -> Labelled | None:
    """Take the labels out of a row's values; None, with findings, when they cannot be read."""
    given = {name: values.pop(name) for name in _Fields.__struct_fields__ if name in values}
    fields = convert(given, _Fields, findings)
    if fields is None:
        return None
    labelled = Labelled(segments=fields.segments)
    labelled.unread.n_relations = len(fields.relations or ())
    for given_comments in (fields.Comments, fields.comments):
        comments = [given_comments] if isinstance(given_comments, str) else given_comments or []
        words = [(c.comment or c.text) if isinstance(c, _Comment) else c for c in comments]
        labelled.comments += [word for word in words if word]
    if is_unit(fields.offsets):
        labelled.unit = fields.offsets
    elif fields.offsets is not None:
        findings.refuse("offsets", fields.offsets, _('It must be "utf-16", "graphemes" or "characters".'))
    for name in _LABEL_FIELDS:
        _take_labels(name, getattr(fields, name), labelled, names, findings)
    labelled.result = _only({label for _user, label in labelled.results})
    by_user = [labelled.results_of(user) for user, _label in labelled.results]
    labelled.unread.n_label_lists += any(len({*of_one}) > 1 for of_one in by_user)
    return None if findings.is_refused else labelled


def _only(labels: Collection[str]) -> str | None:
    return next(iter(labels)) if len(labels) == 1 else None


def _take_labels(
    name: str, given: Sequence[_Label] | str | int | None, labelled: Labelled, names: LabelNames, findings: Findings
) -> None:
    """Take in the spans, and the labels of the whole text."""
    if not isinstance(given, list):
        labelled.results += [] if given is None else [(None, str(given))]
        return
    for number, label in enumerate(given):
        field_name = f"{name}[{number}]"
        if isinstance(label, str | int):
            labelled.results.append((None, str(label)))
        elif isinstance(label, tuple):
            labelled.spans.append(RowSpan(field_name, label[0], label[1], str(label[2]), None))
        elif label.start_offset is not None and label.end_offset is not None:
            span_label = "" if label.label is None else names.of(label.label) or str(label.label)
            labelled.spans.append(RowSpan(field_name, label.start_offset, label.end_offset, span_label, label.user))
        elif (label_or_answer := label.text if label.label is None else names.of(label.label)) is not None:
            labelled.results.append((label.user, label_or_answer))
        elif label.label is None:
            findings.refuse(field_name, "", _("The label is missing. Add it, or remove the entry."))
        else:
            reason = _(
                "The label has only a number here. Name it (--rename {pair}), or put doccano's label_config.json beside the "
                "file.",
                pair=f"{label.label}=LABEL",
            )
            findings.refuse(f"{field_name}.label", label.label, reason, LABEL)


Spans = list[tuple[int | str | None, LabelledSpan]]


def texts_of_row(values: Values, labelled: Labelled, task: Task, findings: Findings) -> tuple[Values, Spans]:
    """The texts of the segments, and the spans in them with the number of the user who made each, if the file names one."""
    text = values.pop("text", values.pop("data", None))
    if not isinstance(text, str):
        findings.refuse("text", text, _("The row needs its text."))
        return {}, []
    ranges = _segments(text, values, labelled, task, findings)
    if findings.is_refused:
        return {}, []
    texts: Values = {name: text[start:end] for name, (start, end) in ranges.items()}
    spans = []
    units = Offsets.of(text, labelled.unit or "utf-16")
    for span in labelled.spans:
        characters = units.range_of(span.start, span.end, span.field_name, findings)
        parts = [] if characters is None else _parts(*characters, span.label, ranges)
        if characters is not None and not parts:
            findings.refuse(span.field_name, [span.start, span.end], _("It lies between the segments; remove it."))
        spans += [(span.user, part) for part in parts]
    labelled.unread.n_doubtful = int(_is_doubtful(text, labelled))
    others = take_texts(values, task, are_named=True) if labelled.segments is None else {}
    return {**others, **texts}, spans


def _segments(
    text: str, values: Values, labelled: Labelled, task: Task, findings: Findings
) -> dict[str, tuple[int, int]]:
    """Where each segment stands in the text, in characters: as the row says, else one segment is all of it."""
    if labelled.segments is None:
        selectable = [spec.name for spec in task.segments if spec.is_selectable]
        name = segment_of(task, "text") or (selectable[0] if len(selectable) == 1 else None)
        if name is None:
            reason = _(
                "A row has one text here, and the task '{name}' needs several. Say where each stands in it: \"segments\": "
                '{{"{selectable}": [0, 12], ...}}, as our own export does.',
                name=task.name,
                selectable=selectable[0],
            )
            findings.refuse("segments", list(values), reason)
        return {} if name is None else {name: (0, len(text))}
    units = Offsets.of(text, labelled.unit or "utf-16")
    for name in (name for name in labelled.segments if task.spec_of(name) is None):
        known = listed([spec.name for spec in task.segments])
        findings.refuse(
            f"segments.{name}",
            name,
            _(
                "The task '{task}' has no segment '{segment}' (it has {known}).",
                task=task.name,
                segment=name,
                known=known,
            ),
        )
    ranges_or_none = {
        name: units.range_of(start, end, f"segments.{name}", findings)
        for name, (start, end) in labelled.segments.items()
    }
    return {name: characters for name, characters in ranges_or_none.items() if characters is not None}


def _parts(start: int, end: int, label: str, ranges: Mapping[str, tuple[int, int]]) -> list[LabelledSpan]:
    """A span of the whole text, cut where segments end."""
    cut = ((name, max(start, first), min(end, last), first) for name, (first, last) in ranges.items())
    return [LabelledSpan(label, name, a - first, b - first) for name, a, b, first in cut if a < b]


def _is_doubtful(text: str, labelled: Labelled) -> bool:
    """Whether some span would lie elsewhere in characters or grapheme clusters, and the row does not say what it counts."""
    if labelled.unit is not None or not labelled.spans or text.isascii():
        return False
    last = max(span.end for span in labelled.spans)
    return any(Offsets.of(text, unit).character(last) != Offsets.of(text, "utf-16").character(last) for unit in _OTHERS)


_OTHERS: tuple[OffsetUnit, ...] = ("characters", "graphemes")
