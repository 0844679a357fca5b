"""AOPC of every word of a text, normalised by the lowest and highest AOPC that any order of its words has with the model.

Nothing here asks a model: a search yields the subsets that it wants to know, and is sent the model's probability of each. So
searches of several texts are answered together, and a subset of a text is asked about once.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotator.metrics.definitions import Definition, Direction
from annotator.metrics.ragged import Flags, Floats, Integers

MOST_EXACT = 12  # tokens: 4,096 subsets
WIDTH = 5  # of the beam above, the released package's default
LEAST_RANGE = 0.01
_DIGITS = 9  # sums that are equal but for noise of a batch are equal
_ROUNDING = 1e-4  # bounds and areas are stored with six digits, and may be divided by LEAST_RANGE

Search = Generator[Flags, Floats, "Bounds"]
Known = dict[bytes, float]  # of a text: the probability of each subset that was asked about
Ask = Callable[[Sequence[tuple[int, Flags]]], Floats]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The lowest and highest AOPC over all orders of n tokens. width: of the beam that found them; 0: they are exact."""

    low: float
    high: float
    width: int = 0


@dataclass(frozen=True, slots=True)
class MeasuredAopc:
    """The AOPCs of an attribution of n_tokens, and the bounds of its text.

    comprehensiveness: the most important tokens go first; sufficiency: the least important ones
    n_calls: how many subsets the model was asked about for the bounds; gap: see `gap_of`, None where no wider beam was tried
    """

    comprehensiveness: float
    sufficiency: float
    bounds: Bounds
    n_tokens: int
    n_calls: int
    gap: float | None = None

    def facts(self) -> dict[str, float]:
        """As facts of the attribution."""
        gap = {} if self.gap is None else {"aopc_gap": self.gap}
        return {
            "aopc_comprehensiveness": self.comprehensiveness,
            "aopc_sufficiency": self.sufficiency,
            "aopc_lowest": self.bounds.low,
            "aopc_highest": self.bounds.high,
            "aopc_width": self.bounds.width,
            "aopc_tokens": self.n_tokens,
            "aopc_calls": self.n_calls,
            **gap,
        }

    @staticmethod
    def of_facts(facts: Mapping[str, float]) -> "MeasuredAopc | None":
        """What facts of an attribution hold of it; None where they hold nothing."""
        if not facts.keys() >= AOPC_FACTS - {"aopc_gap"}:
            return None
        bounds = Bounds(facts["aopc_lowest"], facts["aopc_highest"], int(facts["aopc_width"]))
        areas = facts["aopc_comprehensiveness"], facts["aopc_sufficiency"]
        return MeasuredAopc(*areas, bounds, int(facts["aopc_tokens"]), int(facts["aopc_calls"]), facts.get("aopc_gap"))


AOPC_FACTS = frozenset(MeasuredAopc(0, 0, Bounds(0, 0), 0, 0, 0).facts())


def aopc_of_order(p_full: float, p_left: Floats) -> float:
    """The mean drop of the probability while tokens go one by one, until none is left.

    Shapes:    p_left float[n_tokens], without the first 1, 2, ... n tokens of the order
    Undefined: NaN without tokens
    Source:    Edin et al., ACL 2025: A = 1/n · Σ_{k=1..n} (p(x) − p(x without the first k))
    """
    return float(np.mean(p_full - p_left)) if len(p_left) else float("nan")


def left_of_order(order: Integers, n_tokens: int) -> Flags:
    """bool[len(order), n_tokens]: what is left when the first 1, 2, ... of the order are gone."""
    left = np.ones((len(order), n_tokens), dtype=np.bool_)
    for index, token in enumerate(order.tolist()):
        left[index:, token] = False
    return left


def normalised(aopc: Floats, low: Floats, high: Floats) -> Floats:
    """Where AOPCs lie between their bounds: 0 at the lowest, 1 at the highest; never cut to 0 to 1.

    Undefined: NaN where the bounds are closer than .01: the model hardly reacts
    Source:    Edin et al., ACL 2025: (A − low) / (up − low)
    >>> normalised(np.array([0.65, 0.4]), np.array([0.4, 0.4]), np.array([0.65, 0.405])).tolist()
    [1.0, nan]
    """
    extent = high - low
    shares: Floats = np.divide(aopc - low, extent, out=np.full(len(aopc), np.nan), where=extent >= LEAST_RANGE)
    return shares


def is_outside(values: Floats) -> Flags:
    """Those that the bounds of a beam do not reach, which a wider one would."""
    outside: Flags = (values < -_ROUNDING) | (values > 1 + _ROUNDING)
    return outside


def gap_of(narrow: Bounds, wide: Bounds) -> float:
    """What a beam twice as wide adds at both ends, as a share of its range; 0 where the model does not react."""
    extent = wide.high - wide.low
    return float((wide.high - narrow.high + narrow.low - wide.low) / extent) if extent > 0 else 0.0


def most_calls(n_tokens: int, width: int = WIDTH) -> int:
    """How many subsets a search of the bounds may ask about."""
    return 2**n_tokens if n_tokens <= MOST_EXACT else width * n_tokens * (n_tokens + 1)


def search_bounds(n_tokens: int, width: int = WIDTH) -> Search:
    """The bounds of a text: exact ones up to 12 tokens, else those of a beam."""
    return exact_bounds(n_tokens) if n_tokens <= MOST_EXACT else beam_bounds(n_tokens, width)


def exact_bounds(n_tokens: int) -> Search:
    """Over all subsets, by dynamic programming: D[all] = 0, D[S] = p(x) − p(S) + max over t ∉ S of D[S ∪ t]; A = D[∅] / n."""
    numbers = np.arange(2**n_tokens)
    masks = (numbers[:, None] >> np.arange(n_tokens)) & 1 == 1
    p = yield masks
    drops, sizes = p[-1] - p, masks.sum(axis=1)
    high, low = np.zeros(len(p)), np.zeros(len(p))
    for size in range(n_tokens - 1, -1, -1):
        subsets = numbers[sizes == size]
        larger = subsets[:, None] | (1 << np.arange(n_tokens))
        is_larger = larger != subsets[:, None]
        high[subsets] = drops[subsets] + np.where(is_larger, high[larger], -np.inf).max(axis=1)
        low[subsets] = drops[subsets] + np.where(is_larger, low[larger], np.inf).min(axis=1)
    return Bounds(float(low[0] / n_tokens), float(high[0] / n_tokens)) if n_tokens else Bounds(0.0, 0.0)


def beam_bounds(n_tokens: int, width: int) -> Search:
    """Over the `width` best subsets of each size, each once; for both bounds, from all tokens down to none.

    The bounds lie inside the exact ones. At most width · n · (n + 1) subsets are asked about.
    """
    everything = np.ones((1, n_tokens), dtype=np.bool_)
    p_full = float((yield everything)[0])
    ends = [(everything, np.zeros(1)), (everything, np.zeros(1))]
    for _size in range(n_tokens):
        children = [_without_one(subsets, sums * sign) for (subsets, sums), sign in zip(ends, (1, -1), strict=True)]
        p = yield np.concatenate([subsets for subsets, _ in children])
        n_first = len(children[0][0])
        of_each = (p_full - p[:n_first], -(p_full - p[n_first:]))
        ends = [
            _widest(subsets, sums + drops, width, sign)
            for (subsets, sums), drops, sign in zip(children, of_each, (1, -1), strict=True)
        ]
    (_, high), (_, low) = ends
    return Bounds(float(low[0] / n_tokens), float(high[0] / n_tokens), width)


def _without_one(subsets: Flags, sums: Floats) -> tuple[Flags, Floats]:
    """Every subset with one token less, each once in the order of its bits, with the largest sum that leads to it."""
    rows, tokens = np.nonzero(subsets)
    children = subsets[rows]
    children[np.arange(len(rows)), tokens] = False
    order = np.argsort(-sums[rows], kind="stable")
    first = order[np.unique(_packed(children)[order], return_index=True)[1]]
    return children[first], sums[rows][first]


def _packed(subsets: Flags) -> npt.NDArray[np.void]:
    """Each subset as one value."""
    packed = np.packbits(subsets, axis=1)
    return np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).reshape(-1)


def _widest(subsets: Flags, sums: Floats, width: int, sign: int) -> tuple[Flags, Floats]:
    """The subsets with the largest sums, the first of equals; the sums with their sign again."""
    chosen = np.argsort(-sums.round(_DIGITS), kind="stable")[:width]
    return subsets[chosen], sign * sums[chosen]


def search_all(searches: Sequence[Search], known: Sequence[Known], ask: Ask) -> list[Bounds]:
    """The results of searches that go on together, each about its own text.

    known: of each text, which is added to; ask: the probability of each (number of the text, bool[n_tokens])
    """
    results: dict[int, Bounds] = {}
    wanted = {number: next(search) for number, search in enumerate(searches)}
    while wanted:
        p_by_number = answers_of(wanted, known, ask)
        for number, p in p_by_number.items():
            try:
                wanted[number] = searches[number].send(p)
            except StopIteration as stopped:
                results[number] = stopped.value
                del wanted[number]
    return [results[number] for number in range(len(searches))]


def answers_of(
    wanted: Mapping[int, Flags], known: Mapping[int, Known] | Sequence[Known], ask: Ask
) -> dict[int, Floats]:
    """The probabilities of some subsets of some texts; what is not known is asked about together, and is known then."""
    keys = {number: _packed(masks).tolist() if masks.size else [b""] * len(masks) for number, masks in wanted.items()}
    unknown: dict[tuple[int, bytes], Flags] = {}
    for number, masks in wanted.items():
        for key, mask in zip(keys[number], masks, strict=True):
            if key not in known[number]:
                unknown.setdefault((number, key), mask)
    if unknown:
        answers = ask([(number, mask) for (number, _), mask in unknown.items()])
        for (number, key), p in zip(unknown, answers.tolist(), strict=True):
            known[number][key] = p
    return {number: np.array([known[number][key] for key in keys[number]]) for number in wanted}


_SIDES: tuple[tuple[str, str, Direction], ...] = (
    ("comprehensiveness", "most", "higher is better"),
    ("sufficiency", "least", "lower is better"),
)
DEFINITIONS: tuple[Definition, ...] = tuple(
    Definition(
        f"naopc.{side}",
        f"Normalised {side}",
        f"mean of (A − low) / (up − low); A = 1/n · Σ over k = 1..n of p(c | full) − p(c | without k tokens), c "
        f"the explained class; removed: the {first} important; up, low: highest and lowest A over all orders, exact up to "
        f"{MOST_EXACT} tokens, else by beam search",
        direction,
        None,
        None,
        "all scores equal, no tokens, or up − low < 0.01 (the model hardly reacts); excluded and "
        "counted; outside 0 to 1 if the beam's bounds are too narrow",
        "Edin et al., ACL 2025 (normalised AOPC); not ERASER's AOPC (over shares of tokens)",
    )
    for side, first, direction in _SIDES
)
