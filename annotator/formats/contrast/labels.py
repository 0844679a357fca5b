"""Contrast sets as scoring needs them: keys and labels, whatever the task (the form is that of the format `contrast`)."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, Problem
from annotator.formats.contrast.reader import NESTED, NO_OP, contrast_key, contrasts_of, set_rows
from annotator.formats.rows.column_names import FIELD_NAMES, KEY_NAMES, SEGMENT_NAMES
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import Row

_RESULTS = ("label", "answer")
_TEXTS = {spec.name for task in TASKS.values() for spec in task.segments} | {
    name for of_task in SEGMENT_NAMES.values() for names in of_task.values() for name in names
}
_OTHERS = {name for names in FIELD_NAMES.values() for name in names} | {*_RESULTS, "target", "kind", "reason", "edits"}
_REPEATED = re.compile(r"document[0-9]+")


@dataclass(frozen=True, slots=True)
class Labelled:
    """An instance with its label; text: its texts, one a line."""

    key: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """An original and its contrasts."""

    original: Labelled
    contrasts: tuple[Labelled, ...]


@dataclass(slots=True)
class LabelledSets:
    """The contrast sets of a file, and what is wrong with its lines."""

    source: str
    sets: list[LabelledSet] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_labelled_sets(path: Path) -> LabelledSets:
    """The contrast sets of a file; a line with a problem gives none.

    Keys stand once in the file, also in different splits, since predictions are joined by them.
    Raises: NotFound or InvalidValue when there is no such file, or nothing in it
    """
    labelled_sets = LabelledSets(path.name)
    lines: dict[str, int] = {}
    for row in set_rows(path):
        if isinstance(row, Problem):
            labelled_sets.problems.append(row)
            continue
        findings = row.findings()
        labelled_set = _set_of(row, findings)
        for item in () if labelled_set is None else (labelled_set.original, *labelled_set.contrasts):
            if item.key in lines:
                reason = f"The id '{item.key}' is already on line {lines[item.key]}; predictions are joined by it."
                findings.refuse("id", item.key, reason)
            lines.setdefault(item.key, row.line)
        labelled_sets.problems.extend(findings.problems)
        if labelled_set is not None and not findings.is_refused:
            labelled_sets.sets.append(labelled_set)
    if not labelled_sets.sets and not labelled_sets.problems:
        raise InvalidValue(f"'{path}' holds no contrast set; write one a line (docs/formats.md).")
    return labelled_sets


def _set_of(row: Row, findings: Findings) -> LabelledSet | None:
    texts = _texts(row.values)
    key = _value(row.values, KEY_NAMES, "id", findings)
    original = _labelled(row.values, key, texts, findings)
    contents = [(texts, row.values.get("target"))]
    contrasts = []
    for number, values in enumerate(contrasts_of(row.values.get("contrasts"), findings)):
        field_prefix = f"contrasts[{number}]."
        own_key = _value(values, KEY_NAMES, "id", findings, field_prefix, default=contrast_key(key or "", number))
        content = ({**texts, **_texts(values, texts)}, values.get("target", contents[0][1]))
        if "contrasts" in values:
            findings.refuse(f"{field_prefix}contrasts", values["contrasts"], NESTED)
        if content in contents:
            findings.refuse(
                f"{field_prefix}text", own_key or "", NO_OP if content == contents[0] else "It stands there twice."
            )
        contents.append(content)
        contrasts.append(_labelled(values, own_key, content[0], findings, field_prefix))
    taken = tuple(contrast for contrast in contrasts if contrast is not None)
    return LabelledSet(original, taken) if original is not None and not findings.is_refused else None


def _labelled(
    values: Mapping[str, Any], key: str | None, texts: Mapping[str, str], findings: Findings, field_prefix: str = ""
) -> Labelled | None:
    label = _value(values, _RESULTS, "label", findings, field_prefix)
    return None if key is None or label is None else Labelled(key, label, "\n".join(texts.values()))


def _value(
    values: Mapping[str, Any],
    names: tuple[str, ...],
    called: str,
    findings: Findings,
    field_prefix: str = "",
    default: str = "",
) -> str | None:
    """The first of the fields that is there, as text; None, with a finding, when there is none."""
    name = next((name for name in names if values.get(name) is not None), None)
    value = default if name is None else values[name]
    if isinstance(value, bool) or not isinstance(value, str | int):
        findings.refuse(field_prefix + (name or called), value, "It must be text or a whole number.")
        return None
    if value == "" and called == "id":
        findings.refuse(field_prefix + called, "", "The key is empty; every instance needs one.")
    elif name is None and not default:
        findings.refuse(
            field_prefix + called, "", "The label is missing; scoring needs that of every original and contrast."
        )
    else:
        return str(value)
    return None


def _texts(values: Mapping[str, Any], of_original: Collection[str] = ()) -> dict[str, str]:
    """The texts of a row: fields called like segments, else (of an original) all that are text and nothing known."""
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    named = {name: t for name, t in texts.items() if name in _TEXTS or name in of_original or _REPEATED.fullmatch(name)}
    return named if named or of_original else {name: text for name, text in texts.items() if name not in _OTHERS}
