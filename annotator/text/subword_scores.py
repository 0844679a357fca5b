"""Subwords into words: the scores of a model's subwords as one score a token of a segment.

Where the subwords have offsets, those decide; else each subword must be the next thing in the text (text/subword_alignment.py).
A subword over several tokens is split by length (in characters that a model sees), and its parts are then subwords like any
other. A blank subword goes to the token after it, at the end to the last. Special subwords are in no token's score.

Source: summing keeps the completeness of integrated gradients and Shapley values, and is what Wang et al. 2022 (B.2) and
        Stevens and Su 2021 (Equation 1) do; signed max is the default of inseq and Thermostat
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from annotator.domain.instances import Instance, Places
from annotator.domain.models import (
    Attribution,
    Facts,
    MachineRationale,
    ScoredPart,
    SourceAttribution,
    SourceRationale,
    Subword,
    are_finite,
    facts_from,
)
from annotator.domain.numbers import counted
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue
from annotator.language import _, listed
from annotator.text.characters import core_of, starts_within_edge
from annotator.text.subword_alignment import locate_over
from annotator.text.subword_forms import may_be_dropped

How = Literal["sum", "mean", "signed max"]
HOWS: tuple[How, ...] = cast("tuple[How, ...]", get_args(How))


@dataclass(frozen=True, slots=True)
class Merged:
    """Scores by token, and the subwords they come from.

    scores: float[n_tokens]; 0 for a token that no subword touches; NaN for those after the last subword of a partial text,
            and for a segment that no subword goes to
    subwords: each subword with its place, whether it is special (then without a place), and its score, in the given order
    """

    scores: tuple[float, ...]
    subwords: tuple[tuple[Subword, float], ...]

    @property
    def n_special(self) -> int:
        """How many subwords stand for nothing in the text."""
        return sum(subword.is_special for subword, _ in self.subwords)

    @property
    def special_share(self) -> float | None:
        """The share of all |score| that special subwords have; None where all scores are 0."""
        total = math.fsum(abs(score) for _, score in self.subwords)
        return (
            math.fsum(abs(score) for subword, score in self.subwords if subword.is_special) / total if total else None
        )


def merge_over_segments(
    subwords: Sequence[Subword], scores: Sequence[float], bodies: Mapping[str, TokenizedText], how: How = "sum", *,
    is_partial: bool = False, are_edges_open: bool = False,
) -> Merged:  # fmt: skip
    """One score a token of several segments, numbered through them in their order.

    Subwords go to the segment that they name. Where none is named, what stands between special subwords ([SEP], </s>) goes to
    the first segment that it fits, in any order; without special subwords between them, segments follow each other.

    are_edges_open: the subwords of a single segment may lack punctuation at the ends of its text, whose tokens then have 0
    Raises: InvalidValue, naming subword number, subword and the text at that place
    """
    _check(subwords, scores, how)
    if len(bodies) == 1:
        subwords = [replace(subword, segment=subword.segment or next(iter(bodies))) for subword in subwords]
    texts = {name: body.text for name, body in bodies.items()}
    locate_all = _locate_with_open_edges if are_edges_open and len(texts) == 1 else locate_over
    located = locate_all(subwords, texts, is_partial=is_partial)
    by_token: list[float] = []
    for name, body in bodies.items():
        of_segment = [(p, s) for p, s in zip(located, scores, strict=True) if p.segment == name and not p.is_special]
        if of_segment:
            by_token += _by_token(of_segment, body, how, is_partial=is_partial)
        else:
            by_token += [math.nan] * body.n_tokens
    return Merged(tuple(by_token), tuple(zip(located, scores, strict=True)))


def _locate_with_open_edges(
    subwords: Sequence[Subword], texts: Mapping[str, str], *, is_partial: bool
) -> Sequence[Subword]:
    """The subwords in the one text, which may have punctuation before the first and after the last; raises the first fault."""
    [(name, text)] = texts.items()
    fault: InvalidValue | None = None
    for start in starts_within_edge(text):
        try:
            located = locate_over(subwords, {name: text[start:]}, is_partial=True)
        except InvalidValue as error:
            fault = fault or error
            continue
        reached = max((subword.end for subword in located if subword.end is not None), default=0)
        if is_partial or not core_of(text[start + reached :]):
            return [_moved(subword, start) for subword in located]
    raise fault or InvalidValue(_("The subwords end before the text."))


def _moved(subword: Subword, start: int) -> Subword:
    """A subword of a text that was read from a character on, in the whole text."""
    if subword.start is None or subword.end is None:
        return subword
    return replace(subword, start=subword.start + start, end=subword.end + start)


def _check(subwords: Sequence[Subword], scores: Sequence[float], how: str) -> None:
    if how not in HOWS:
        raise InvalidValue(_("Can't merge scores by '{how}'. Choose one of {hows}.", how=how, hows=", ".join(HOWS)))
    if len(subwords) != len(scores):
        raise InvalidValue(
            _(
                "Got {subwords}, but {scores}.",
                subwords=counted(len(subwords), "subword"),
                scores=counted(len(scores), "score"),
            )
        )
    for number, subword in enumerate(subwords):
        if (subword.start is None) != (subword.end is None):
            raise InvalidValue(
                _(
                    "Subword {number} {text} needs both start and end, or neither.",
                    number=number,
                    text=f"{subword.text!r}",
                )
            )


def _by_token(
    located: Sequence[tuple[Subword, float]], body: TokenizedText, how: How, *, is_partial: bool
) -> tuple[float, ...]:
    parts: list[list[float]] = [[] for _ in range(body.n_tokens)]
    reached = 0
    for subword, score in located:
        if not subword.is_special and subword.start is not None and subword.end is not None:
            reached = max(reached, subword.end)
            for token, share in _shares(subword.start, subword.end, body):
                parts[token].append(score * share)
    join = _JOINED[how]
    return tuple(
        join(of_token) if of_token else math.nan if is_partial and start >= reached else 0.0
        for of_token, start in zip(parts, body.starts, strict=True)
    )


_JOINED: dict[How, Callable[[Sequence[float]], float]] = {
    "sum": math.fsum,
    "mean": lambda parts: math.fsum(parts) / len(parts),
    "signed max": lambda parts: max(parts, key=abs),  # the first of equals
}


def _shares(start: int, end: int, body: TokenizedText) -> list[tuple[int, float]]:
    """The tokens under a range of characters, and how much of it each has; what is under none goes to the next token."""
    if not body.n_tokens:
        return []
    first = bisect_right(body.ends, start)
    under = []
    for token in range(first, body.n_tokens):
        if body.starts[token] >= end:
            break
        under.append((token, body.text[max(start, body.starts[token]) : min(end, body.ends[token])]))
    for length_of in (_n_seen, len):
        lengths = [(token, length_of(part)) for token, part in under]
        total = sum(length for _, length in lengths)
        if total:
            return [(token, length / total) for token, length in lengths if length]
    return [(min(first, body.n_tokens - 1), 1.0)]


def _n_seen(text: str) -> int:
    """How many characters a model sees: no blanks, no control and format characters, no marks on a letter."""
    return sum(not character.isspace() and not may_be_dropped(character) for character in text)


# Laying what a file says by segment, document or subword on the tokens of an instance.


ReadInstance = Callable[[], Instance]  # an instance's texts are read when subwords have to be found in them


def scores_on_same_tokens(source: SourceAttribution, n_tokens: int, n_selectable: int) -> Attribution | None:
    """The short way for one list of scores of the whole instance, one a token, which needs no segments.

    None: it takes attribution_on_tokens, which says as well what is wrong; where it is not None the two are equal
    """
    part = source.parts[0] if len(source.parts) == 1 else None
    if part is None or part.place is not None or part.subwords is not None or part.ranking is not None:
        return None
    if len(part.scores) not in (n_tokens, n_selectable) or not are_finite(part.scores):
        return None
    return Attribution(part.scores, source.label, source.layer, None, None, source.convergence, source.facts)


def attribution_on_tokens(
    source: SourceAttribution, places: Places, read: ReadInstance, how: How = "sum", *, are_edges_open: bool = False
) -> Attribution:
    """An attribution on the instance's tokens.

    how:    how subwords of one token are joined
    are_edges_open: the file's text may lack punctuation at its ends
    Raises: InvalidValue, as a sentence without its start, for scores that do not fit the tokens or are no numbers
    """
    n_tokens, n_selectable = places.layout.n_tokens, places.layout.n_selectable
    scores = [math.nan] * n_tokens
    ranking: list[int] = []
    subwords: list[tuple[Subword, float]] = []
    for part in source.parts:
        first, end = token_range(part.place, places)
        if part.subwords is not None and are_finite(part.scores):
            values = _merged(part, first, end, read(), how, subwords, are_edges_open)
        else:
            values = _scores_of(part, first, end, places)
        scores[first : first + len(values)] = values
        ranking += [first + _in_range(number, end - first) for number in part.ranking or ()]
    if len(set(ranking)) < len(ranking):
        raise InvalidValue(_("a token appears twice in the ranking"))
    n = n_tokens if any(not math.isnan(score) for score in scores[n_selectable:]) else n_selectable
    return Attribution(
        tuple(scores[:n]),
        source.label,
        source.layer,
        tuple(ranking) if any(part.ranking is not None for part in source.parts) else None,
        tuple(subwords) or None,
        source.convergence,
        source.facts,
    )


def rationale_on_tokens(source: SourceRationale, places: Places) -> MachineRationale:
    """A machine rationale in instance token indices; raises InvalidValue for tokens that are not there."""
    spans: list[tuple[int, int]] = []
    ranking: list[int] = []
    for part in source.parts:
        first, end = token_range(part.place, places)
        for start, stop in part.spans:
            _check_span(start, stop, end - first)
            spans.append((first + start, first + stop))
        ranking += [first + _in_range(number, end - first) for number in part.ranking]
    for of_set in () if source.outcome is None else source.outcome.sets:
        for span in of_set:
            _check_span(*span, places.layout.n_tokens)
    return MachineRationale(source.kind, tuple(dict.fromkeys(spans)), tuple(dict.fromkeys(ranking)), source.outcome)


def _check_span(start: int, stop: int, n_tokens: int) -> None:
    if not 0 <= start < stop <= n_tokens:
        raise InvalidValue(
            _(
                "the span [{start}, {stop}) is not in its text ({tokens}, from 0)",
                start=start,
                stop=stop,
                tokens=counted(n_tokens, "token"),
            )
        )


def token_range(text_name: str | None, places: Places) -> tuple[int, int]:
    """The tokens of a text by its name: a segment's, a document's, `<key>_<segment>`, or None for the whole instance."""
    if text_name is None:
        return 0, places.layout.n_tokens
    for name in (
        text_name,
        places.docids.get(text_name),
        text_name.removeprefix(f"{places.key}_"),
        _only_document(text_name, places),
    ):
        for segment in places.layout.segments:
            if segment.name == name:
                return segment.first_token, segment.end_token
    known = ", ".join(f"'{segment.name}'" for segment in places.layout.segments)
    raise InvalidValue(
        _("no segment or document '{name}' in this instance (available: {known})", name=text_name, known=known)
    )


def _only_document(text_name: str, places: Places) -> str | None:
    """ERASER names the document of an instance with one text like the instance."""
    selectable = [segment.name for segment in places.layout.segments if segment.is_selectable]
    return selectable[0] if len(selectable) == 1 and text_name == places.key else None


def _scores_of(part: ScoredPart, first: int, end: int, places: Places) -> Sequence[float]:
    """The part's scores, one a token from `first` on."""
    if not are_finite(part.scores):
        number, score = next((n, score) for n, score in enumerate(part.scores) if not math.isfinite(score))
        raise InvalidValue(_("score {number} (from 0) is {score}; use finite numbers", number=number, score=score))
    wanted = {end - first} if part.place is not None else {places.layout.n_selectable, places.layout.n_tokens}
    if len(part.scores) in wanted or (part.is_partial and len(part.scores) < max(wanted)):
        return part.scores
    *fewer, most = sorted(wanted)
    numbers = listed([*(f"{number:,}" for number in fewer), counted(most, "token")], "or")
    scores = counted(len(part.scores), "score")
    if len(part.scores) - 2 in wanted:
        raise InvalidValue(
            _("it has {scores} for {tokens}; are special tokens included?", scores=scores, tokens=numbers)
        )
    raise InvalidValue(_("it has {scores} for {tokens}", scores=scores, tokens=numbers))


def _merged(
    part: ScoredPart, first: int, end: int, instance: Instance, how: How, subwords: list[tuple[Subword, float]],
    are_edges_open: bool,
) -> Sequence[float]:  # fmt: skip
    """Scores of subwords as scores of tokens; the subwords are kept where they are not the tokens themselves."""
    within = [
        segment for segment in instance.layout.segments if first <= segment.first_token and segment.end_token <= end
    ]
    bodies = {segment.name: instance.segment(segment.name).body for segment in within}
    merged = merge_over_segments(
        part.subwords or (), part.scores, bodies, how, is_partial=part.is_partial, are_edges_open=are_edges_open
    )
    if merged.n_special or len(merged.subwords) != end - first:
        subwords += merged.subwords
    return merged.scores


def _in_range(number: int, n: int) -> int:
    if not 0 <= number < n:
        raise InvalidValue(_("no token {number}; the text has {n}, from 0", number=number, n=n))
    return number


# How the scores of a written answer lie on everything that its maps were given: text, prompt, special and earlier subwords.


Floats = NDArray[np.float64]
PROMPT_SHARE, SPECIAL_SHARE, EARLIER_SHARE = "prompt_share", "special_share", "earlier_share"


@dataclass(frozen=True, slots=True)
class WrittenShares:
    """Of all maps of an answer together, and of each by itself; nothing where all scores are 0."""

    of_answer: Facts
    of_subwords: tuple[Facts, ...]


def written_shares(of_text: Floats, of_others: Mapping[str, Floats]) -> WrittenShares:
    """The sums of |score| as shares of everything: float[n_written] each, of_others by the name of their fact.

    >>> written_shares(np.array([0.75, 0.5]), {EARLIER_SHARE: np.array([0.0, 1.5])})
    WrittenShares(of_answer=(('earlier_share', 0.545455),), of_subwords=((('earlier_share', 0.0),), (('earlier_share', 0.75),)))
    """
    totals = of_text + sum(of_others.values())
    rows = [
        _shares_of({name: sizes[step] for name, sizes in of_others.items()}, total) for step, total in enumerate(totals)
    ]
    return WrittenShares(
        _shares_of({name: sizes.sum() for name, sizes in of_others.items()}, totals.sum()), tuple(rows)
    )


def _shares_of(sizes: Mapping[str, float], total: float) -> Facts:
    return facts_from({name: float(size / total) for name, size in sizes.items()}) if total else ()
