"""Columns that look like marks: read as rationales where somebody says so, as metadata only where somebody says that."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from annotator.formats.base import ReadOptions
from annotator.formats.rows.columns import Plan
from annotator.formats.rows.findings import Findings, listed, shown
from annotator.formats.rows.marks import hold_marks, labels_of, n_tags, sets_of
from annotator.language import _, unsaid

LABELS_NOT_KEPT = unsaid("Each span label became a rationale set (names not kept).")
_SET_NAME = re.compile(r"(?:set|rationale|rationales|evidence|highlight|why|gold|[a-z])?[ _-]*[0-9]*", re.IGNORECASE)
MARKS = "marks"  # the remedy of what looks like marks


def refuse_marks(plan: Plan, values: Mapping[str, Any], options: ReadOptions, findings: Findings) -> None:
    """Refuse a row in which a column looks like marks that would become metadata."""
    for column in plan.metadata:
        if column not in options.metadata_columns and hold_marks(values[column]):
            findings.refuse(column, values[column], what_to_do(column), MARKS)
    column = plan.names.get("metadata", "")
    inner = values.get(column)
    if isinstance(inner, dict) and column not in options.metadata_columns:
        for name in (name for name, value in inner.items() if hold_marks(value)):
            reason = _(
                "Looks like marks. Move it to its own field, or use {keep}.",
                keep=f"--metadata-column {shlex.quote(shown(column))}",
            )
            findings.refuse(f"{column}.{name}", inner[name], reason, MARKS)


def what_to_do(column: str) -> str:
    """What a column seems to hold, and what can be done."""
    name = shown(column)
    return _(
        "Column '{column}' looks like marks. Read as rationales ({read}) or metadata ({keep}).",
        column=name,
        read=f"--column {shlex.quote(f'rationales={name}')}",
        keep=f"--metadata-column {shlex.quote(name)}",
    )


def as_sets(fields: Mapping[str, Any], plan: Plan, findings: Findings) -> tuple[dict[str, Any], int | None]:
    """A row's fields with rationales as plain rows write them; how many tokens it has tags for, if it has tags."""
    if fields.get("rationales") is None:
        return dict(fields), None
    value = fields["rationales"]
    sets = sets_of(value, findings, plan.names["rationales"])
    labels = labels_of(value)
    if sets is not value and not are_set_names(labels):
        findings.warn(plan.names["rationales"], listed(labels), _(LABELS_NOT_KEPT))
    return {**fields, "rationales": sets}, n_tags(value)


def are_set_names(labels: Sequence[str]) -> bool:
    """Whether span-labels say nothing but which set is meant, such as “set 2” or “rationale”."""
    return all(_SET_NAME.fullmatch(label) for label in labels)


def refuse_other_number(column: str, n: int, n_tokens: list[int], findings: Findings) -> None:
    """Refuse a row whose tags are not as many as its tokens."""
    reason = _("{n} tags for {n_tokens} tokens. Add a list 'tokens'.", n=n, n_tokens=n_tokens[0] if n_tokens else 0)
    findings.refuse(column, n, reason)
