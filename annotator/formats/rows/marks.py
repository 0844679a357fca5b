"""Cells that look like marks, as other tools write them: what they are, and the rationale sets that they say.

Nothing of them is taken for metadata unless a person says so (`docs/columns.md`, "Columns that look like marks").
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import by_key
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import LineError, parse_value
from annotator.language import _
from annotator.text.tag_schemes import OUTSIDE, is_prefixed, labelled_stretches

# Keys under which objects hold a range: (start, end, unit, whether the end is the last one in it). The first pair counts.
_RANGES = (
    ("start_token", "end_token", "token", False),
    ("start_char", "end_char", "char", False),
    ("start_offset", "end_offset", "char", False),
    ("start", "end", "char", False),
    ("begin", "end", "char", False),
    ("token_start", "token_end", "token", True),  # as Prodigy and spaCy's own tools count
)
_LABELS = ("label", "labels", "tag", "type", "entity", "entity_group", "category")
_LISTS = ("entities", "spans", "annotations")  # of an object that holds its marks in a list
_ONE_LABEL = ""
_SEVERAL = re.compile(r"\s*(?:O|[BIESLUM]-\S+)\s+\S")  # a tag, and what follows it
_MOST_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A range under a label, in the tokens or characters of a text; half open. segment: where the file names one."""

    label: str
    start: int
    end: int
    unit: str
    segment: str | None = None

    @property
    def span(self) -> dict[str, object]:
        """The same as plain rows write it."""
        return {"segment": self.segment, f"start_{self.unit}": self.start, f"end_{self.unit}": self.end}


def hold_marks(value: object) -> bool:
    """Whether a cell looks like marks: ranges with labels, or a tag a token.

    >>> [hold_marks(value) for value in ([[0, 2, "PER"]], [{"start": 0, "end": 2}], ["O", "B-PER"], "O B-PER I-PER")]
    [True, True, True, True]
    >>> [hold_marks(value) for value in ([], [[0, 2]], ["good", "O"], "a plain text", "[1, 2]", {"start": 1})]
    [False, False, False, False, False, False]
    """
    return are_tags(value) or any(mark is not None for mark in _marks(_opened(value)))


def are_tags(value: object) -> bool:
    """Whether a cell holds a tag for each token, and marks some."""
    words = _words(_opened(value))
    return any(map(is_prefixed, words)) and _are_of_scheme(words)


def sets_of(value: object, findings: Findings, field_name: str) -> object:
    """The rationale sets of a cell as plain rows write them, one a label; another cell as it is.

    >>> sets_of([[0, 2, "PER"], [3, 4, "ORG"], [5, 6, "PER"]], Findings("f", 1), "spans")
    [[{'segment': None, 'start_char': 0, 'end_char': 2}, {'segment': None, 'start_char': 5, 'end_char': 6}], \
[{'segment': None, 'start_char': 3, 'end_char': 4}]]
    """
    value = _opened(value)
    words = _words(value)
    if words and _are_of_scheme(words):
        return _by_label([Mark(label, start, end, "token") for label, start, end in labelled_stretches(words)])
    if _are_our_sets(value):
        return value
    marks = list(_marks(value))
    if not any(mark is not None for mark in marks):
        return value
    if None in marks:
        reason = _("Mark {number} needs a start and an end.", number=marks.index(None) + 1)
        findings.refuse(field_name, value, reason)
    return _by_label([mark for mark in marks if mark is not None])


def n_tags(value: object) -> int | None:
    """How many tokens a cell has tags for; None of one with other marks."""
    words = _words(_opened(value))
    return len(words) if words and _are_of_scheme(words) else None


def labels_of(value: object) -> list[str]:
    """The labels of the marks of a cell, in their order."""
    value = _opened(value)
    if are_tags(value):
        labels = [label for label, *_range in labelled_stretches(_words(value))]
    else:
        labels = [mark.label for mark in _marks(value) if mark is not None]
    return [label for label in dict.fromkeys(labels) if label]


def _by_label(marks: Sequence[Mark]) -> list[list[dict[str, object]]]:
    sets = by_key((mark.label, mark.span) for mark in marks)
    return list(sets.values())


def _opened(value: object) -> object:
    """What a cell of a table holds, where that is a list or an object."""
    if not isinstance(value, str) or len(value) > _MOST_CHARACTERS or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return parse_value(value.encode("utf-8"))
    except (LineError, UnicodeEncodeError):
        return _as_python(value)


def _as_python(cell: str) -> object:
    """The same of a list or an object as Python prints it; the cell itself where it is none."""
    try:
        value = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return cell
    return value if isinstance(value, list | dict) else cell


def _words(value: object) -> list[str]:
    """The words of a list of them, or of a text of several."""
    if isinstance(value, str):
        return value.split() if _SEVERAL.match(value) else []
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return [word.strip() for word in value]
    return []


def _are_of_scheme(words: Sequence[str]) -> bool:
    return all(word == OUTSIDE or is_prefixed(word) for word in words)


def _are_our_sets(value: object) -> bool:
    """Whether a cell holds sets as we write them, a list of spans each."""
    return isinstance(value, list) and all(
        isinstance(one_set, list) and all(isinstance(span, dict | list) for span in one_set) for one_set in value
    )


def _marks(value: object) -> Iterator[Mark | None]:
    """The marks of a list; None for one that says no range."""
    if isinstance(value, dict):
        inner = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
        value = inner if len(value) == 1 else None
    if not isinstance(value, list):
        return
    for item in value:
        if _are_our_sets([item]) and item and all(isinstance(span, dict) for span in item):
            yield from map(_mark_of, item)
        elif isinstance(item, dict):
            yield _mark_of(item)
        else:
            yield _triple(item)


def _triple(item: object) -> Mark | None:
    """A range with its label, as doccano and spaCy write it: [start, end, label]."""
    if not isinstance(item, list | tuple) or len(item) < 3:
        return None
    start, end, label = item[:3]
    return Mark(str(label), start, end, "char") if _is_range(start, end) and isinstance(label, str | int) else None


def _mark_of(item: Mapping[str, object]) -> Mark | None:
    segment = item.get("segment")
    for start_name, end_name, unit, is_last in _RANGES:
        start, end = item.get(start_name), item.get(end_name)
        if isinstance(start, int) and isinstance(end, int) and _is_range(start, end):
            return Mark(_label_of(item), start, end + is_last, unit, segment if isinstance(segment, str) else None)
    return None


def _label_of(item: Mapping[str, object]) -> str:
    value = next((item[name] for name in _LABELS if item.get(name) not in (None, [], "")), _ONE_LABEL)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _is_range(start: object, end: object) -> bool:
    return isinstance(start, int) and isinstance(end, int) and not isinstance(start, bool) and not isinstance(end, bool)
