"""Records of the interpretability benchmark (Wang et al. 2022): both dialects of input and gold, in our words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Literal

import msgspec

from annotator.domain.sources import SourceSpan, SourceText
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.spans import aligned_text, spans_of_tokens
from annotator.language import _
from annotator.text.alignment import text_from_tokens

Shape = Literal["single", "pair", "reading"]
Index = int | str

N_DIGITS = 18  # an index of more digits is none


class Record(msgspec.Struct):
    """One record, input or gold, of either dialect; `key`, `split`, `language` and `label` (as text) are our export's."""

    id: Index | None = None
    sent_id: Index | None = None
    context: str | None = None
    question: str | None = None
    query: str | None = None
    title: str | None = None
    sentence1: str | None = None
    sentence2: str | None = None
    sent_text: str | list[str] | None = None
    sent_token: list[str | list[str]] | None = None
    text_q_seg: list[str] | None = None
    text_t_seg: list[str] | None = None
    sample_type: str | None = None
    rel_ids: list[Index] | None = None
    adv_type: str | None = None
    sent_label: Index | None = None
    label: Index | None = None
    rationales: list[Index | list[Index]] | None = None
    rationale_q_idx: list[Index | list[Index]] | None = None
    rationale_t_idx: list[Index | list[Index]] | None = None
    rationale_ids: list[list[list[Index]]] | None = None
    key: str | None = None
    split: str | None = None
    language: str | None = None


# Repeats what other fields say.
REDUNDANT = frozenset({"sent_type", "sent_token_with_idx", "rationale_tokens"})
KNOWN = frozenset(Record.__struct_fields__) | REDUNDANT
_GOLD_FIELDS = frozenset({"sent_label", "rationales", "rationale_q_idx", "rationale_t_idx", "rationale_ids"})
_PAIR_FIELDS = frozenset({"query", "sentence1", "sentence2", "text_q_seg", "rationale_q_idx", "rationale_t_idx"})


def is_gold(values: Mapping[str, Any]) -> bool:
    """Whether a record is gold: it has a label or rationales, or names its id as gold does."""
    return not _GOLD_FIELDS.isdisjoint(values) or ("sent_id" in values and "id" not in values)


def shape_of_task(task: Task) -> Shape:
    """Which of the benchmark's tasks a task is like.

    Raises: InvalidValue when it is like none
    """
    n_selectable = sum(spec.is_selectable for spec in task.segments)
    if task.query_segment is not None and n_selectable <= 2:
        return "reading"
    if task.query_segment is None and n_selectable <= 2:
        return "pair" if n_selectable == 2 else "single"
    raise InvalidValue(_("Unsupported task '{name}'. Use a text, pair or reading task.", name=task.name))


def shape_of_record(values: Mapping[str, Any]) -> Shape | None:
    """What a record is; None when it fits more than one task."""
    if "question" in values:
        return "reading"
    if not _PAIR_FIELDS.isdisjoint(values):
        return "pair"
    return "single" if "context" in values else None


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a record by segment, and after how many tokens the numbering goes on in the next segment."""

    segments: dict[str, SourceText | str]
    borders: tuple[tuple[str, int | None], ...]  # (selectable segment, its number of tokens), in numbering order


def guess_language(record: Record, given: str | None) -> str:
    """The language: the record's own, its dialect's, the given one, else Chinese where there are Chinese characters."""
    if record.language:
        return record.language
    if record.query is not None or record.sentence1 is not None:
        return "zh" if record.query is not None else "en"
    if given:
        return given
    text = f"{record.context}{record.sent_text}{record.sent_token}"
    return "zh" if any("\u4e00" <= character <= "\u9fff" for character in text) else "en"


def read_texts(record: Record, task: Task, language: str, findings: Findings) -> Texts | None:
    """A record's texts with the source's tokens; None when it holds none."""
    names = [spec.name for spec in task.segments if spec.is_selectable]
    if shape_of_task(task) == "reading":
        return _reading_texts(record, task, names, findings)
    if shape_of_task(task) == "single":
        sides = [(_text_of(record.context, record.sent_text, 0), _flat(record.sent_token))]
    else:
        sides = [
            (_text_of(record.query or record.sentence1, record.sent_text, 0), _tokens_of(record, 0)),
            (_text_of(record.title or record.sentence2, record.sent_text, 1), _tokens_of(record, 1)),
        ]
    if any(text is None and tokens is None for text, tokens in sides):
        return None
    bodies = [
        _of_tokens(tokens or (), language, findings) if text is None else _aligned(text, tokens, findings)
        for text, tokens in sides
    ]
    return Texts(dict(zip(names, bodies, strict=True)), _borders(names, bodies))


def _borders(names: Sequence[str], bodies: Sequence[SourceText]) -> tuple[tuple[str, int | None], ...]:
    return tuple(
        (name, None if body.tokens is None else body.tokens.n_tokens) for name, body in zip(names, bodies, strict=False)
    )


def _text_of(own_text: str | None, sent_text: str | list[str] | None, side: int) -> str | None:
    if own_text is not None or sent_text is None:
        return own_text
    if isinstance(sent_text, str):
        return sent_text if side == 0 else None
    return sent_text[side] if side < len(sent_text) else None


def _tokens_of(record: Record, side: int) -> list[str] | None:
    own_tokens = record.text_t_seg if side else record.text_q_seg
    nested = record.sent_token
    if own_tokens is None and nested is not None and len(nested) == 2 and isinstance(nested[side], list):
        return list(nested[side])
    return own_tokens


def tokens_of_sides(record: Record, shape: Shape) -> tuple[tuple[str, ...], ...] | None:
    """The source's tokens of each side (of a pair two, else one: a reading's passage and title); None where one lacks."""
    sides = [_tokens_of(record, 0), _tokens_of(record, 1)] if shape == "pair" else [_flat(record.sent_token)]
    return None if any(side is None for side in sides) else tuple(tuple(side or ()) for side in sides)


def label_text(given: Index) -> str:
    """A class label as it is compared: numbers without their form, so that 1, "1" and " 1" are the same.

    >>> label_text(1), label_text("01"), label_text("positive")
    ('1', '1', 'positive')
    """
    text = str(given).strip()
    is_number = text.isascii() and text.removeprefix("-").isdigit() and len(text) <= N_DIGITS
    return str(int(text)) if is_number else text


def _flat(tokens: Sequence[str | list[str]] | None) -> list[str] | None:
    if tokens is None:
        return None
    return [token for item in tokens for token in (item if isinstance(item, list) else [item])]


def _aligned(text: str, tokens: Sequence[str] | None, findings: Findings) -> SourceText:
    return aligned_text(text, tokens, "sent_token", "", findings)


def _of_tokens(tokens: Sequence[str], language: str, findings: Findings) -> SourceText:
    text = _aligned(text_from_tokens(tokens, language), tokens, findings)
    return replace(text, is_text_of_tokens=text.tokens is not None)


def _reading_texts(record: Record, task: Task, names: Sequence[str], findings: Findings) -> Texts | None:
    """Passage and title share one token list, the passage's tokens first; the question has no tokens."""
    if record.context is None or task.query_segment is None:
        return None
    texts = [record.context, *([record.title] if record.title and len(names) > 1 else [])]
    bodies = _aligned_in_turn(texts, _flat(record.sent_token), findings)
    segments: dict[str, SourceText | str] = dict(zip(names, bodies, strict=False))
    if record.question is not None:
        segments[task.query_segment] = SourceText(record.question)
    return Texts(segments, _borders(names, bodies))


def _aligned_in_turn(texts: Sequence[str], tokens: list[str] | None, findings: Findings) -> list[SourceText]:
    """Texts that follow each other in one token list; a blank token at the border is the later text's, if it has one."""
    if tokens is None:
        return [SourceText(text) for text in texts]
    border = _border(texts[0], tokens) if len(texts) > 1 else len(tokens)
    first = _aligned(texts[0], tokens[:border], findings)
    if len(texts) == 1:
        return [first]
    while border < len(tokens) and not tokens[border].strip() and not texts[1].startswith(tokens[border]):
        border += 1
        first = _aligned(texts[0], tokens[:border], findings)
    return [first, _aligned(texts[1], tokens[border:], findings)]


def _border(text: str, tokens: Sequence[str]) -> int:
    """After how many tokens the characters of a text (without white space) are used up."""
    wanted = len("".join(text.split()))
    for number, token in enumerate(tokens):
        if wanted <= 0:
            return number
        wanted -= len("".join(token.split()))
    return len(tokens)


def read_sets(record: Record, borders: "Borders | None", task: Task, findings: Findings) -> "Sets | None":
    """The rationale sets of a gold record; None when it has none.

    Without borders (no text at hand) a reading's tokens stay numbered through the whole instance.
    """
    sides = sides_of(record)
    if sides is None:
        return None
    if sides and not _may_read(sides, record, borders, task, findings):
        return None
    names = [spec.name for spec in task.segments if spec.is_selectable]
    is_pair = shape_of_task(task) == "pair"
    sets = []
    for number, of_sides in enumerate(zip_longest(*sides, fillvalue=())):
        read = [read_indices(indices, number, findings) for indices in of_sides]
        if is_pair:
            spans = [s for name, indices in zip(names, read, strict=True) for s in spans_of_tokens(name, indices)]
        else:
            spans = _placed(read[0], names, borders, findings)
        if spans:
            sets.append(tuple(spans))
        elif not findings.is_refused:
            findings.warn("rationales", "[]", _("Set {number} is empty; skipped.", number=number + 1))
    return tuple(sets)


def _may_read(
    sides: Sequence[Sequence[Sequence[Index]]],
    record: Record,
    borders: "Borders | None",
    task: Task,
    findings: Findings,
) -> bool:
    """Whether the sides are as many as the task's, and their tokens are known; else the record is refused."""
    n_wanted = 2 if shape_of_task(task) == "pair" else 1
    if len(sides) != n_wanted:
        reason = _(
            "Gold has {n_sides} sides; task '{name}' needs {n_wanted}.",
            n_sides=len(sides),
            name=task.name,
            n_wanted=n_wanted,
        )
        findings.refuse("rationale_ids", record.rationale_ids, reason)
        return False
    if borders is not None and any(n_tokens is None for _, n_tokens in borders):
        reason = _("Rationales need tokens. Add sent_token (text_q_seg, text_t_seg).")
        findings.refuse("sent_token", "", reason)
        return False
    return True


Borders = Sequence[tuple[str, int | None]]
Sets = tuple[tuple[SourceSpan, ...], ...]


def sides_of(record: Record) -> list[Sequence[Sequence[Index]]] | None:
    """Side -> set -> index, whatever the dialect; a flat list is one set."""
    if record.rationale_ids is not None:
        return list(record.rationale_ids)
    if record.rationale_q_idx is not None or record.rationale_t_idx is not None:
        return [_nested(record.rationale_q_idx or []), _nested(record.rationale_t_idx or [])]
    return None if record.rationales is None else [_nested(record.rationales)]


def _nested(indices: Sequence[Index | list[Index]]) -> list[list[Index]]:
    flat = [index for index in indices if not isinstance(index, list)]
    return [*([flat] if flat else []), *(one_set for one_set in indices if isinstance(one_set, list))]


def read_indices(given: Sequence[Index], number: int, findings: Findings) -> list[int]:
    """Token indices as numbers (the dialects also write them as text)."""
    read = []
    for index in given:
        text = str(index).strip()
        if not (text.isascii() and text.isdigit() and len(text) <= N_DIGITS):
            findings.refuse(f"rationales[{number}]", index, _("Must be an integer from 0."))
        else:
            read.append(int(text))
    return read


def _placed(
    indices: Sequence[int], names: Sequence[str], borders: "Borders | None", findings: Findings
) -> list[SourceSpan]:
    """Indices of one numbering as spans of their segments."""
    if borders is None:
        return list(spans_of_tokens(names[0] if len(names) == 1 else "", indices))
    spans: list[SourceSpan] = []
    first = 0
    for name, n_tokens in borders:
        end = first + (n_tokens or 0)
        spans.extend(spans_of_tokens(name, [index - first for index in indices if first <= index < end]))
        first = end
    for index in indices:
        if index >= first:
            findings.refuse("rationales", index, _("No token {index}: the input has {n}.", index=index, n=first))
    return spans
