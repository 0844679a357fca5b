"""Whether token indices mean the tokens of their text: indices past its end, and those that count from 1."""

from collections.abc import Sequence
from functools import reduce
from typing import Literal

from annotator.formats.benchmark.gold import GoldRecord
from annotator.formats.benchmark.predictions import ModelOutput

Fit = Literal["fits", "differs", "outside", "shifted"]
_WORST_LAST: tuple[Fit, ...] = ("fits", "differs", "outside", "shifted")
_USABLE = frozenset({"fits", "differs"})


def fit_of(indices: Sequence[int], named: Sequence[str] | None, text: Sequence[str]) -> Fit:
    """How indices fit a text; `named` are the tokens that they are given with.

    shifted: each named token stands one before its index; without names, the last index is the length of the text and
             none is 0 (a [CLS] was counted). differs: other tokens than those at the indices, apart from case and blanks

    >>> text = ["a", "slow", "plot"]
    >>> fit_of([1, 2], ["slow", "plot"], text), fit_of([2, 3], ["slow", "plot"], text), fit_of([2, 3], None, text)
    ('fits', 'shifted', 'shifted')
    >>> fit_of([4], None, text), fit_of([1], ["dull"], text)
    ('outside', 'differs')
    """
    is_inside = all(0 <= index < len(text) for index in indices)
    if named is not None and len(named) == len(indices):
        if is_inside and _are_same(named, [text[index] for index in indices]):
            return "fits"
        is_one_on = all(1 <= index <= len(text) for index in indices)
        if is_one_on and _are_same(named, [text[index - 1] for index in indices]):
            return "shifted"
    elif named is None and indices and min(indices) >= 1 and max(indices) == len(text):
        return "shifted"
    if not is_inside:
        return "outside"
    return "fits" if named is None else "differs"


def fit_of_output(output: ModelOutput, record: GoldRecord) -> Fit:
    """The worst fit of an output's sides; "fits" where the text is not known."""
    if record.tokens is None or output.sides is None:
        return "fits"
    return _worst(
        [
            fit_of(of_side.ranking, of_side.tokens, text)
            for of_side, text in zip(output.sides, record.tokens, strict=True)
        ]
    )


def fit_of_gold(record: GoldRecord) -> Fit:
    """The worst fit of a gold record's sides; "fits" where the text is not known."""
    if record.tokens is None or record.sets is None:
        return "fits"
    fits = []
    for side, (sets, text) in enumerate(zip(record.sets, record.tokens, strict=True)):
        named = None if record.named is None or len(record.named) != len(record.sets) else record.named[side]
        indices = [index for rationale in sets for index in rationale]
        fits.append(fit_of(indices, None if named is None else [token for tokens in named for token in tokens], text))
    return _worst(fits)


def is_usable(fit: Fit) -> bool:
    """Whether indices of this fit can be scored: they lie in their text and are not one off."""
    return fit in _USABLE


def _worst(fits: Sequence[Fit]) -> Fit:
    return reduce(lambda worst, other: max(worst, other, key=_WORST_LAST.index), fits, _WORST_LAST[0])


def _are_same(named: Sequence[str], in_text: Sequence[str]) -> bool:
    """Apart from case and blanks at the ends, which tokenisers and the scripts take away."""
    return all(
        token.strip().casefold() == other.strip().casefold() for token, other in zip(named, in_text, strict=True)
    )
