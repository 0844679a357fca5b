"""Reading the format `contrast`: contrast sets as JSONL, an original a line with its changed versions (docs/formats.md).

    {"id": "1", "text": "A calm film.", "label": "positive",
     "contrasts": [{"text": "A dull film.", "label": "negative", "kind": "negation", "reason": "...", "edits": [...]}]}

An original and a contrast have the fields of plain rows. What a contrast does not say it has from its original: its
segments, split and language. Its key is its `id`, else the original's with #1, #2 ... by its place in the list.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotator.domain.sources import SourceInstance, SourceItem, SourceText
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.contrast.pairs import COLUMNS, files_of_originals, header_of, rows_of_pairs, rows_of_revisions
from annotator.formats.contrast.writer import write
from annotator.formats.rows.checks import KeyLines
from annotator.formats.rows.columns import FIELD_NAMES, KEY_NAMES, SEGMENT_NAMES, field_names, segment_of
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import Row, read_rows
from annotator.formats.rows.plain_rows import RowReader
from annotator.language import _, unsaid

__all__ = ["NESTED", "NO_OP", "contrast_key", "contrasts_of", "read", "set_rows", "write"]

DEFAULT_KIND = "contrast"
NESTED = unsaid("Add contrasts to the original only.")
_CHANGED = unsaid("An original can't be perturbed. Remove the field.")
NO_OP = unsaid("Same texts as the original.")


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The originals of a file, each followed by its contrasts; a line with a problem gives none of them.

    Raises: NotFound or InvalidValue when there is no such file, or a .tsv that holds no pairs
    """
    reader = _SetReader(options)
    for file in _files(path, options):
        for row in set_rows(file):
            yield from [row] if isinstance(row, Problem) else reader.instances(row)


def _files(path: Path, options: ReadOptions) -> list[Path]:
    """That file, or of a folder of counterfactually augmented data those of its texts or pairs, as the task has them."""
    if not path.is_dir():
        return [path]
    if options.task.spec_of("premise") is not None:
        return files_of_originals(path) or [path]
    return sorted(path.glob("*_paired.tsv")) or [path]


def set_rows(path: Path) -> Iterable[Row | Problem]:
    """The rows of a file in the form above; a .tsv of pairs, or of originals with revisions beside it, is brought into it."""
    if path.suffix.lower() != ".tsv":
        return read_rows(path, path.name)
    if {*header_of(path)} >= COLUMNS:
        return (row for file in files_of_originals(path) for row in rows_of_revisions(file))
    return rows_of_pairs(path)


def contrast_key(original: str, number: int) -> str:
    """The key of a contrast that says none; number: its place, from 0.

    >>> contrast_key("12", 0)
    '12#1'
    """
    return f"{original}#{number + 1}"


@dataclass(slots=True)
class _SetReader:
    options: ReadOptions
    rows: RowReader = field(init=False)
    keys: KeyLines = field(default_factory=KeyLines)

    def __post_init__(self) -> None:
        self.rows = RowReader(self.options)

    def instances(self, row: Row) -> Iterator[SourceItem]:
        """An original and its contrasts, and what is wrong with the row."""
        findings = row.findings()
        values = dict(row.values)
        given = contrasts_of(values.pop("contrasts", None), findings)
        original = self.rows.instance_of(replace(row, values=values), findings)
        taken: list[SourceInstance] = []
        if original is not None:
            self.keys.refuse_twice(original, findings)
            if original.parent_key is not None:
                findings.refuse("parent", original.parent_key, _(_CHANGED))
            taken.append(original)
            for number, contrast in enumerate(given):
                self._add_contrast(row, number, contrast, taken, findings)
        if not findings.is_refused:
            yield from taken
        yield from findings.problems

    def _add_contrast(
        self, row: Row, number: int, given: dict[str, Any], taken: list[SourceInstance], findings: Findings
    ) -> None:
        """Read one contrast; `taken` holds the original and the contrasts before it."""
        of_contrast = row.findings()
        values = self._full(given, number, taken[0], of_contrast)
        changed = self.rows.instance_of(replace(row, values=values), of_contrast)
        if changed is not None:
            self.keys.refuse_twice(changed, of_contrast)
            _check_change(changed, taken, of_contrast)
            taken.append(changed)
        field_name = f"contrasts[{number}]"
        findings.problems += [replace(p, field=f"{field_name}.{p.field}") for p in of_contrast.problems]
        findings.is_refused |= of_contrast.is_refused

    def _full(
        self, given: Mapping[str, Any], number: int, original: SourceInstance, findings: Findings
    ) -> dict[str, Any]:
        """A contrast's row as a plain row that says everything."""
        values = dict(given)
        parent = original.key.removeprefix(self.options.key_prefix)
        if "contrasts" in values:
            findings.refuse("contrasts", values.pop("contrasts"), _(NESTED))
        said_parent = self._name_of(values, "parent")
        if said_parent is not None:
            findings.refuse(said_parent, values.pop(said_parent), _("Remove this; the parent is always the original."))
        self._take_kind(values, findings)
        if self._name_of(values, "key") is None:
            values["id"] = contrast_key(parent, number)
        for name, of_original in (("split", original.split), ("language", original.language)):
            if self._name_of(values, name) is None and of_original:
                values[name] = of_original
        self._add_segments(values, original)
        return {**values, "parent": parent}

    def _name_of(self, values: Mapping[str, Any], field_name: str) -> str | None:
        """What a row calls a field, if it has it."""
        task = self.options.task
        return next((n for n in field_names(task)[field_name] if n in values and task.spec_of(n) is None), None)

    def _take_kind(self, values: dict[str, Any], findings: Findings) -> None:
        if self.options.task.spec_of("kind") is None and "perturbation_kind" not in values:
            kind = values.pop("kind", DEFAULT_KIND)
            if kind is not None and not isinstance(kind, str):
                findings.refuse("kind", kind, _("Must be text or null."))
                kind = None
            values["perturbation_kind"] = kind
        values.setdefault("perturbation_kind", DEFAULT_KIND)

    def _add_segments(self, values: dict[str, Any], original: SourceInstance) -> None:
        """Give a contrast the segments that it does not change, with their tokens."""
        task, tokens = self.options.task, values.get("tokens")
        if tokens is not None and not isinstance(tokens, dict):
            return  # the one segment that can be marked has its own; or it is refused as it is
        given = {segment_of(task, name) for name in (*values, *(tokens or ()))}
        inherited = {name: body for name, body in original.segments.items() if name not in given}
        of_kept = {
            name: body.tokens.tokens()
            for name, body in inherited.items()
            if isinstance(body, SourceText) and body.tokens
        }
        values.update((name, body.text) for name, body in inherited.items() if isinstance(body, SourceText))
        if of_kept:
            values["tokens"] = {**(tokens or {}), **of_kept}


def contrasts_of(given: object, findings: Findings) -> list[dict[str, Any]]:
    """The contrasts of a row, as far as they can be read."""
    if isinstance(given, list) and all(isinstance(element, dict) for element in given):
        return given
    reason = _("Must be like {example}.", example="[{...}]")
    findings.refuse("contrasts", "" if given is None else given, reason)
    return []


def _check_change(changed: SourceInstance, before: list[SourceInstance], findings: Findings) -> None:
    """Refuse a contrast that changes nothing, or says what one before it says."""
    for index, other in enumerate(before):
        if _texts(changed) == _texts(other) and changed.target == other.target:
            reason = _("Same texts as contrasts[{index}]. Keep one.", index=index - 1) if index else _(NO_OP)
            findings.refuse(next(iter(changed.segments), "line"), changed.key, reason)
            return


def _texts(instance: SourceInstance) -> dict[str, str]:
    return {name: body if isinstance(body, str) else body.text for name, body in instance.segments.items()}


# Contrast sets as scoring needs them: keys and labels, whatever the task (the form is that of the format `contrast`).


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
    texts = _labels_texts(row.values)
    key = _value(row.values, KEY_NAMES, "id", findings)
    original = _labelled(row.values, key, texts, findings)
    contents = [(texts, row.values.get("target"))]
    contrasts = []
    for number, values in enumerate(contrasts_of(row.values.get("contrasts"), findings)):
        field_prefix = f"contrasts[{number}]."
        own_key = _value(values, KEY_NAMES, "id", findings, field_prefix, default=contrast_key(key or "", number))
        content = ({**texts, **_labels_texts(values, texts)}, values.get("target", contents[0][1]))
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
        findings.refuse(field_prefix + called, "", "Must not be empty.")
    elif name is None and not default:
        findings.refuse(
            field_prefix + called, "", "The label is missing; scoring needs that of every original and contrast."
        )
    else:
        return str(value)
    return None


def _labels_texts(values: Mapping[str, Any], of_original: Collection[str] = ()) -> dict[str, str]:
    """The texts of a row: fields called like segments, else (of an original) all that are text and nothing known."""
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    named = {name: t for name, t in texts.items() if name in _TEXTS or name in of_original or _REPEATED.fullmatch(name)}
    return named if named or of_original else {name: text for name, text in texts.items() if name not in _OTHERS}
