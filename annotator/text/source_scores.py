"""Laying what a file says by segment, document or piece on the tokens of an instance."""

import math
from collections.abc import Callable, Sequence

from annotator.domain.instances import Instance, Places
from annotator.domain.models import (
    Attribution,
    MachineRationale,
    Piece,
    ScoredPart,
    SourceAttribution,
    SourceRationale,
    are_finite,
)
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _, listed
from annotator.text.word_scores import How, merge_over_segments

ReadInstance = Callable[[], Instance]  # an instance's texts are read when pieces have to be found in them


def scores_on_same_tokens(source: SourceAttribution, n_tokens: int, n_selectable: int) -> Attribution | None:
    """The short way for one list of scores of the whole instance, one a token, which needs no segments.

    None: it takes attribution_on_tokens, which says as well what is wrong; where it is not None the two are equal
    """
    part = source.parts[0] if len(source.parts) == 1 else None
    if part is None or part.place is not None or part.pieces is not None or part.ranking is not None:
        return None
    if len(part.scores) not in (n_tokens, n_selectable) or not are_finite(part.scores):
        return None
    return Attribution(part.scores, source.label, source.layer, None, None, source.convergence, source.facts)


def attribution_on_tokens(
    source: SourceAttribution, places: Places, read: ReadInstance, how: How = "sum", *, are_edges_open: bool = False
) -> Attribution:
    """An attribution on the instance's tokens.

    how:    how pieces of one token are joined
    are_edges_open: the file's text may lack punctuation at its ends
    Raises: InvalidValue, as a sentence without its start, for scores that do not fit the tokens or are no numbers
    """
    n_tokens, n_selectable = places.layout.n_tokens, places.layout.n_selectable
    scores = [math.nan] * n_tokens
    ranking: list[int] = []
    pieces: list[tuple[Piece, float]] = []
    for part in source.parts:
        first, end = token_range(part.place, places)
        if part.pieces is not None and are_finite(part.scores):
            values = _merged(part, first, end, read(), how, pieces, are_edges_open)
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
        tuple(pieces) or None,
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
            if not 0 <= start < stop <= end - first:
                raise InvalidValue(
                    _(
                        "the span [{start}, {stop}) is not in its text, which has {tokens}, from 0",
                        start=start,
                        stop=stop,
                        tokens=counted(end - first, "token"),
                    )
                )
            spans.append((first + start, first + stop))
        ranking += [first + _in_range(number, end - first) for number in part.ranking]
    return MachineRationale(source.kind, tuple(dict.fromkeys(spans)), tuple(dict.fromkeys(ranking)), source.outcome)


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
        _(
            "there is no segment or document '{name}' in this instance (it has {known})",
            name=text_name,
            known=known,
        )
    )


def _only_document(text_name: str, places: Places) -> str | None:
    """ERASER names the document of an instance with one text like the instance."""
    selectable = [segment.name for segment in places.layout.segments if segment.is_selectable]
    return selectable[0] if len(selectable) == 1 and text_name == places.key else None


def _scores_of(part: ScoredPart, first: int, end: int, places: Places) -> Sequence[float]:
    """The part's scores, one a token from `first` on."""
    if not are_finite(part.scores):
        number, score = next((n, score) for n, score in enumerate(part.scores) if not math.isfinite(score))
        raise InvalidValue(
            _(
                "score {number} (from 0) is {score}; write finite numbers, or leave the row out",
                number=number,
                score=score,
            )
        )
    wanted = {end - first} if part.place is not None else {places.layout.n_selectable, places.layout.n_tokens}
    if len(part.scores) in wanted or (part.is_partial and len(part.scores) < max(wanted)):
        return part.scores
    *fewer, most = sorted(wanted)
    numbers = listed([*(f"{number:,}" for number in fewer), counted(most, "token")], "or")
    scores = counted(len(part.scores), "score")
    if len(part.scores) - 2 in wanted:
        raise InvalidValue(
            _("it has {scores} for {tokens}; are scores of special tokens among them?", scores=scores, tokens=numbers)
        )
    raise InvalidValue(_("it has {scores} for {tokens}", scores=scores, tokens=numbers))


def _merged(
    part: ScoredPart, first: int, end: int, instance: Instance, how: How, pieces: list[tuple[Piece, float]],
    are_edges_open: bool,
) -> Sequence[float]:  # fmt: skip
    """Scores of pieces as scores of tokens; the pieces are kept where they are not the tokens themselves."""
    within = [
        segment for segment in instance.layout.segments if first <= segment.first_token and segment.end_token <= end
    ]
    bodies = {segment.name: instance.segment(segment.name).body for segment in within}
    merged = merge_over_segments(
        part.pieces or (), part.scores, bodies, how, is_partial=part.is_partial, are_edges_open=are_edges_open
    )
    if merged.n_special or len(merged.pieces) != end - first:
        pieces += merged.pieces
    return merged.scores


def _in_range(number: int, n: int) -> int:
    if not 0 <= number < n:
        if number == n:
            raise InvalidValue(
                _(
                    "there is no token {number}; the text has {n}, from 0; are the numbers shifted by one?",
                    number=number,
                    n=n,
                )
            )
        raise InvalidValue(_("there is no token {number}; the text has {n}, from 0", number=number, n=n))
    return number
