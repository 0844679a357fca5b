"""Spans of rationale sets as rows write them, by place or quoted, read and written in one place."""

import re
from collections.abc import Sequence
from typing import Annotated

import msgspec

from annotator.domain.models import Quotes
from annotator.domain.sources import SourceSpan, SourceText
from annotator.domain.tasks import Task
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue
from annotator.formats.rows.columns import segment_of
from annotator.formats.rows.findings import Findings, listed
from annotator.language import _, unknown
from annotator.text.alignment import align_tokens

_BETWEEN_PHRASES = re.compile(r"[;\n]")
_QUOTATION_MARKS = '"“”„«»'


def aligned_text(text: str, tokens: Sequence[str] | None, field: str, given: object, findings: Findings) -> SourceText:
    """A text with the source's tokens, if it has some; tokens that are not the text's are refused. given: what that names."""
    try:
        return SourceText(text, None if tokens is None else align_tokens(text, tokens))
    except InvalidValue as error:
        findings.refuse(field, given, str(error))
        return SourceText(text)


class SpanRow(msgspec.Struct, omit_defaults=True):
    """A span as a row writes it: tokens of a segment, or its characters; ends exclusive."""

    segment: str | None = None
    start_token: int | None = None
    end_token: int | None = None
    start_char: int | None = None
    end_char: int | None = None


AnySpan = SpanRow | tuple[int, int]


def span_row(span: SourceSpan) -> SpanRow:
    """A span as it is written."""
    if span.unit == "token":
        return SpanRow(segment=span.segment, start_token=span.start, end_token=span.end)
    return SpanRow(segment=span.segment, start_char=span.start, end_char=span.end)


def read_span(row: AnySpan, task: Task, field_name: str, findings: Findings) -> SourceSpan | None:
    """A span in our words; None, with a finding, when it does not say what it marks."""
    if not isinstance(row, SpanRow):
        row = SpanRow(start_token=row[0], end_token=row[1])
    segment = _segment(row.segment, task, field_name, findings)
    if segment is None:
        return None
    if row.start_token is not None and row.end_token is not None:
        return SourceSpan(segment, row.start_token, row.end_token)
    if row.start_char is not None and row.end_char is not None:
        return SourceSpan(segment, row.start_char, row.end_char, "char")
    reason = _("Needs start_token and end_token, or start_char and end_char (ends exclusive).")
    findings.refuse(field_name, row, reason)
    return None


def _segment(name: str | None, task: Task, field_name: str, findings: Findings) -> str | None:
    selectable = [spec.name for spec in task.segments if spec.is_selectable]
    if name is not None:
        known = segment_of(task, name)
        if known is None:
            reason = unknown(_("segment"), name, listed(selectable))
            findings.refuse(f"{field_name}.segment", name, reason)
        return known
    if len(selectable) == 1:
        return selectable[0]
    reason = _("The span must name its segment: {segments}.", segments=listed(selectable))
    findings.refuse(field_name, "", reason)
    return None


def read_sets(
    rows: Sequence[Sequence[AnySpan]], task: Task, findings: Findings, field_name: str = "rationales"
) -> tuple[tuple[SourceSpan, ...], ...]:
    """Rationale sets in our words; what cannot be read is noted."""
    sets = []
    for set_number, spans in enumerate(rows):
        spans_or_none = (read_span(s, task, f"{field_name}[{set_number}][{n}]", findings) for n, s in enumerate(spans))
        read = tuple(span for span in spans_or_none if span is not None)
        if read or not spans:  # a set is empty because it was given so, not because its spans were refused
            sets.append(read)
    return tuple(sets)


def spans_of_tokens(segment: str, token_indices: Sequence[int]) -> tuple[SourceSpan, ...]:
    """Token indices of a segment as spans: neighbouring tokens become one.

    >>> [(s.start, s.end) for s in spans_of_tokens("text", [7, 2, 3, 3])]
    [(2, 4), (7, 8)]
    """
    return tuple(SourceSpan(segment, span.start, span.end) for span in RationaleSet.of_tokens(token_indices).spans)


def sets_of_numbers(
    numbers: Sequence[int | Sequence[int]] | None, mask: Sequence[int] | None, task: Task, findings: Findings
) -> tuple[tuple[SourceSpan, ...], ...]:
    """The set of some token numbers (or the sets of several lists of them), or of the tokens that a mask says 1 for."""
    segment = _segment(None, task, "rationale_index", findings)
    if segment is None:
        return ()
    if numbers is None:
        wrong = next((value for value in mask or () if value not in (0, 1)), None)
        if wrong is not None:
            reason = _("Must be one of {values}.", values="1, 0")
            findings.refuse("rationale_mask", wrong, reason)
        numbers = [number for number, is_marked in enumerate(mask or ()) if is_marked]
    plain = [number for number in numbers if isinstance(number, int)]
    sets = [plain] if plain else []
    sets += [list(number) for number in numbers if not isinstance(number, int)]
    if plain and len(sets) > 1:
        reason = _("Must be a list of numbers, or one per set.")
        findings.refuse("rationale_index", numbers, reason)
    if any(number < 0 for of_set in sets for number in of_set):
        findings.refuse("rationale_index", numbers, _("Must be an integer from 0."))
        return ()
    return tuple(spans_of_tokens(segment, of_set) for of_set in sets if of_set)


def read_quotes(value: str | Sequence[str | Sequence[str]] | None, findings: Findings) -> tuple[tuple[str, ...], ...]:
    """Sets given in words: one of phrases between semicolons or of a list, or the sets of several lists.

    >>> read_quotes('"not good"; boring', Findings("f", 1)), read_quotes([["a"], ["b", "c"]], Findings("f", 1))
    ((('not good', 'boring'),), (('a',), ('b', 'c')))
    """
    if value is None:
        return ()
    if isinstance(value, str):
        lists: list[Sequence[str]] = [_BETWEEN_PHRASES.split(value)]
    else:
        plain = [phrase for phrase in value if isinstance(phrase, str)]
        lists = [plain] if plain else [phrases for phrases in value if not isinstance(phrases, str)]
        if plain and len(plain) < len(value):
            reason = _("Must be a list of phrases, or one per set.")
            findings.refuse("rationale_quotes", value, reason)
    quoted = [tuple(filter(None, (phrase.strip().strip(_QUOTATION_MARKS).strip() for phrase in of))) for of in lists]
    return tuple(phrases for phrases in quoted if phrases)


# What became of the quotes that a model gave as its reason, as lines of ours say it.


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]


class QuotesRecord(msgspec.Struct, omit_defaults=True):
    """How many there were, how many are not in the text, and the first of these; sets: in token numbers of the instance."""

    n: _Count
    n_missing: _Count = 0
    missing: list[str] = []
    n_sets: _Count = 0
    sets: list[list[tuple[_Count, _Count]]] = []


def quotes_record(quotes: Quotes | None) -> QuotesRecord | None:
    """What became of a model's quotes, as it is written."""
    if quotes is None:
        return None
    sets = [list(spans) for spans in quotes.sets]
    return QuotesRecord(quotes.n, quotes.n_missing, list(quotes.missing), quotes.n_sets, sets)


def quotes_of(record: QuotesRecord | None) -> Quotes | None:
    """The same as a value."""
    if record is None:
        return None
    sets = tuple(map(tuple, record.sets))
    return Quotes(record.n, record.n_missing, tuple(record.missing), record.n_sets, sets)
