"""Sufficient input subsets (Carter, Mueller, Jain and Gifford 2019): disjoint sets of tokens, each enough for a model's answer.

Nothing here asks a model: a search yields the subsets that it wants to know, and is sent f of each, the model's probability of
its answer on these tokens alone. So the searches of several texts are answered together, and a subset of a text is asked about
once. All f are rounded to nine digits, and of equals the token with the lowest number goes first.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from annotator.domain.sufficient_sets import (
    DIGITS,
    MOST_SETS,
    JudgedFamily,
    JudgedSet,
    Reason,
    Search,
    SufficientSets,
    Threshold,
)
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.normalised_aopc import MOST_EXACT, Known, answers_of
from annotator.metrics.ragged import Flags, Floats, Integers

MOST_FULL = 64  # tokens: every deletion by itself; longer texts in blocks
MOST_TOKENS = 512  # above, sentences are removed before tokens
N_RANDOM = 20
_SLACK = 0.02  # a block that costs more than its best token breaks two causes
ROWS_AT_ONCE = 512  # subsets that a model is asked about together, wherever that is

Result = TypeVar("Result")
Steps = Generator[Flags, Floats, Result]  # yields bool[k, n_tokens], is sent float[k]
Ask = Callable[[Sequence[tuple[int, Flags]]], Floats]


@dataclass(frozen=True, slots=True)
class Seeking:
    """How sets are looked for.

    search:  "auto": full up to 64 tokens, blocks above; "exact" only up to 12
    goes_on: also in a rest that is not sufficient by itself, until no part of it is
    is_strong: looks for a sufficient set in what people's sets leave, too
    is_brief: asks about each set and about the rest alone, and about no random sets: of a model that is slow
    """

    threshold: Threshold = field(default_factory=Threshold)
    search: Search = "auto"
    goes_on: bool = False
    is_strong: bool = False
    is_brief: bool = False

    def search_of(self, n_tokens: int) -> Search:
        """Raises InvalidValue for an exact search of a long text."""
        if self.search == "exact" and n_tokens > MOST_EXACT:
            raise InvalidValue(
                _("Exact sets need at most {most} tokens; this text has {n}.", most=MOST_EXACT, n=n_tokens)
            )
        if self.search == "auto":
            return "full" if n_tokens <= MOST_FULL else "blocks"
        return self.search


@dataclass(frozen=True, slots=True, eq=False)
class Tail:
    """What is left of a text: bool[n_tokens], and f of it."""

    mask: Flags
    f: float


def examine(
    n_tokens: int,
    seeking: Seeking,
    *,
    n_labels: int = 2,
    people: Sequence[Sequence[int]] | None = None,
    given: Sequence[Sequence[int]] | None = None,
    sentences: Sequence[int] = (),
    seed: int = 0,
    begun: SufficientSets | None = None,
    tell: Callable[[SufficientSets], None] = lambda _begun: None,
) -> Steps[SufficientSets]:
    """The sets of a text, what the model answers to people's sets, and how many random sets of equal sizes suffice.

    people:    their sets by token number; None: nobody is asked about
    given:     sets that are judged in the place of the model's own, which are then not looked for
    sentences: the number of each token's sentence, () where all are one
    begun, tell: what a search in blocks tells after each set, with the sets so far, not yet judged; a later one goes on behind
               them, if the model still answers the same to the text and to nothing
    Raises: InvalidValue for an exact search of a text that is too long for it
    """
    search = seeking.search_of(n_tokens) if given is None else "given"
    ends = np.zeros((2, n_tokens), dtype=np.bool_)
    ends[0] = True
    full, empty = (yield ends).tolist()
    threshold = seeking.threshold.of(full, n_labels)
    reason = _reason(n_tokens, full, empty, threshold)
    if reason:
        return SufficientSets("", threshold, full, empty, reason, search)
    is_cut = False
    if given is None:
        so_far = SufficientSets("", threshold, full, empty, "", search)
        tails = yield from collect(
            Tail(ends[0], full), threshold, search, seeking.goes_on, sentences, _begun(begun, so_far, n_tokens),
            lambda tails: tell(replace(so_far, own=_unjudged(tails))),
        )  # fmt: skip
        late = {index for index, (_tail, is_late) in enumerate(tails) if is_late}
        model_sets = yield from judge([tail.mask for tail, _ in tails], n_tokens, late)
        _check_minimal(model_sets, threshold)
        is_cut = len(tails) == MOST_SETS and (seeking.goes_on or model_sets.of_rest >= threshold)
    else:
        masks = [_mask(tokens, n_tokens) for tokens in given]
        model_sets = yield from judge(masks, n_tokens, asks_less=not seeking.is_brief)
    theirs = yield from _judge_people(n_tokens, threshold, seeking, people, sentences)
    sizes = [] if seeking.is_brief else [len(judged.tokens) for judged in model_sets.sets]
    drawn = random_sets(sizes, n_tokens, seed)
    enough = int(((yield drawn) >= threshold).sum()) if len(drawn) else 0
    return SufficientSets(
        "",
        threshold,
        full,
        empty,
        "",
        search,
        model_sets,
        theirs,
        is_cut,
        n_random=len(drawn),
        n_random_sufficient=enough,
    )


def judge_again(
    stored: SufficientSets,
    n_tokens: int,
    seeking: Seeking,
    *,
    people: Sequence[Sequence[int]] | None,
    sentences: Sequence[int] = (),
) -> Steps[SufficientSets]:
    """What was found of a text, with what the model answers to people's sets as they are now; these alone are asked about."""
    theirs = yield from _judge_people(n_tokens, stored.threshold, seeking, people, sentences)
    return replace(stored, people=theirs)


def _judge_people(
    n_tokens: int, threshold: float, seeking: Seeking, people: Sequence[Sequence[int]] | None, sentences: Sequence[int]
) -> Steps[JudgedFamily | None]:
    if people is None:
        return None
    masks = [_mask(tokens, n_tokens) for tokens in people]
    theirs = yield from judge(masks, n_tokens, asks_less=not seeking.is_brief)
    if seeking.is_strong:
        theirs = yield from _strongly(theirs, n_tokens, threshold, sentences)
    return theirs


def _reason(n_tokens: int, full: float, empty: float, threshold: float) -> Reason:
    if not n_tokens:
        return "no token"
    if full < threshold:
        return "answers too weakly"
    return "answers without reading" if empty >= threshold else ""


def _begun(begun: SufficientSets | None, now: SufficientSets, n_tokens: int) -> list[tuple[Tail, bool]]:
    """The sets of a search that began; none where the model has changed since."""
    if begun is None or (begun.full, begun.empty, begun.search) != (now.full, now.empty, now.search):
        return []
    return [(Tail(_mask(of.tokens, n_tokens), of.alone), of.is_late) for of in begun.own.sets]


def _unjudged(tails: Sequence[tuple[Tail, bool]]) -> JudgedFamily:
    tokens = (np.flatnonzero(tail.mask).tolist() for tail, _ in tails)
    return JudgedFamily(
        tuple(JudgedSet(tuple(of), tail.f, 0, 0, late) for of, (tail, late) in zip(tokens, tails, strict=True)), 0
    )


def collect(
    whole: Tail, threshold: float, search: Search, goes_on: bool, sentences: Sequence[int] = (),
    begun: Sequence[tuple[Tail, bool]] = (), tell: Callable[[list[tuple[Tail, bool]]], None] = lambda _tails: None,
) -> Steps[list[tuple[Tail, bool]]]:  # fmt: skip
    """Disjoint sets, at most 20, while the rest is sufficient (goes_on: while a part of it is); and which came after that."""
    if search == "exact":
        return (yield from _smallest(whole, threshold, goes_on))
    tails = list(begun)
    rest = whole
    if tails:
        left = whole.mask & ~_union(np.array([tail.mask for tail, _ in tails]))
        rest = Tail(left, float((yield left[None])[0]))
    while rest.mask.any() and len(tails) < MOST_SETS and (goes_on or rest.f >= threshold):
        smallest = yield from _find(rest, threshold, search, sentences)
        if smallest is None:
            break
        tails.append((smallest, rest.f < threshold))
        if search == "blocks":
            tell(tails)
        left = rest.mask & ~smallest.mask
        rest = Tail(left, float((yield left[None])[0]))
    return tails


def _find(rest: Tail, threshold: float, search: Search, sentences: Sequence[int]) -> Steps[Tail | None]:
    """The shortest tail of a backward selection that is sufficient; in long texts that of sentences, and then of their tokens."""
    if len(rest.mask) > MOST_TOKENS and len(set(sentences)) > 1:
        numbers = np.array(sentences)
        parts = np.array([rest.mask & (numbers == number) for number in np.unique(numbers[rest.mask])])
        chosen = yield from _select(parts, rest.f, threshold, "blocks")
        if chosen is None:
            return None
        rest = chosen
    return (yield from _select(np.diag(rest.mask)[rest.mask], rest.f, threshold, search))


def _select(parts: Flags, f: float, threshold: float, search: Search) -> Steps[Tail | None]:
    """parts: bool[n_parts, n_tokens], which go one by one, or in blocks until 12 are left."""
    if search == "blocks":
        parts, f, is_minimal = yield from _drop_blocks(parts, f, threshold)
        if is_minimal:
            return Tail(_union(parts), f)
    tails = yield from _drop_ones(parts, f)
    return next((tail for tail in reversed(tails) if tail.f >= threshold), None)


def _union(parts: Flags) -> Flags:
    union: Flags = np.logical_or.reduce(parts, axis=0)
    return union


def _drop_ones(parts: Flags, f: float) -> Steps[list[Tail]]:
    """What is left when the part without which f is highest goes, again and again until one is left."""
    tails = [Tail(_union(parts), f)]
    while len(parts) > 1:
        without = tails[-1].mask & ~parts
        of_each = yield without
        first = int(np.argmax(of_each))
        parts = np.delete(parts, first, axis=0)
        tails.append(Tail(without[first], float(of_each[first])))
    return tails


def _drop_blocks(parts: Flags, f: float, threshold: float) -> Steps[tuple[Flags, float, bool]]:
    """Blocks go while more than 12 parts are left: those without which f is highest, a quarter at once, else half as many ...

    Returns the parts that are left, f of them, and whether they are sufficient and none of them can go.
    """
    while len(parts) > MOST_EXACT:
        left = _union(parts)
        of_each = yield left & ~parts
        order = np.argsort(-of_each, kind="stable")
        best = float(of_each[order[0]])
        if f >= threshold > best:
            return parts, f, True
        least = max(best - _SLACK, threshold) if best >= threshold else best - _SLACK
        size = len(parts) // 4
        of_block = best
        while size > 1:
            of_block = float((yield (left & ~_union(parts[order[:size]]))[None])[0])
            if of_block >= least:
                break
            size //= 2
        f = of_block if size > 1 else best
        parts = np.delete(parts, order[: max(size, 1)], axis=0)
    return parts, f, False


def _smallest(whole: Tail, threshold: float, goes_on: bool) -> Steps[list[tuple[Tail, bool]]]:
    """Of all subsets again and again the smallest sufficient one of the rest; of equals that of the highest f, then the first."""
    n = len(whole.mask)
    numbers = np.arange(2**n)
    masks = (numbers[:, None] >> np.arange(n - 1, -1, -1)) & 1 == 1  # the first token counts most
    f = yield masks
    order = np.lexsort((-numbers, -f, masks.sum(axis=1)))
    order = order[f[order] >= threshold]
    tails: list[tuple[Tail, bool]] = []
    rest = 2**n - 1
    while rest and len(tails) < MOST_SETS and (goes_on or f[rest] >= threshold):
        order = order[(order & ~rest) == 0]
        if not len(order):
            break
        tails.append((Tail(masks[order[0]], float(f[order[0]])), bool(f[rest] < threshold)))
        rest &= ~int(order[0])
    return tails


def judge(
    sets: Sequence[Flags], n_tokens: int, late: Iterable[int] = (), *, asks_less: bool = True
) -> Steps[JudgedFamily]:
    """What the model answers to each set, to it with one token less, to the text without it, and without all of them.

    asks_less: whether it is asked about each set with one token less
    """
    alone = np.array(sets, dtype=np.bool_).reshape(len(sets), n_tokens)
    less = [mask & ~np.diag(mask)[mask if asks_less else np.zeros_like(mask)] for mask in alone]
    f = yield np.concatenate([~_union(alone)[None], alone, ~alone, *less])
    of_rest, of_sets, of_rests, of_less = np.split(f, np.cumsum([1, len(alone), len(alone)]))
    ends = np.cumsum([len(masks) for masks in less])
    parts = np.split(of_less, ends[:-1]) if len(alone) else []
    highest = [float(part.max(initial=-1.0)) if asks_less else None for part in parts]
    judged = tuple(
        JudgedSet(tuple(np.flatnonzero(mask).tolist()), float(f_alone), without_one, float(f_rest), index in late)
        for index, (mask, f_alone, f_rest, without_one) in enumerate(
            zip(alone, of_sets, of_rests, highest, strict=True)
        )
    )
    return JudgedFamily(judged, float(of_rest[0]))


def _strongly(family: JudgedFamily, n_tokens: int, threshold: float, sentences: Sequence[int]) -> Steps[JudgedFamily]:
    """The family, and whether its rest has a sufficient set in it."""
    rest = np.ones(n_tokens, dtype=np.bool_)
    rest[[token for tokens in family.tokens for token in tokens]] = False
    search: Search = "full" if n_tokens <= MOST_FULL else "blocks"
    left = (yield from _find(Tail(rest, family.of_rest), threshold, search, sentences)) if rest.any() else None
    return JudgedFamily(family.sets, family.of_rest, left is not None)


def random_sets(sizes: Sequence[int], n_tokens: int, seed: int) -> Flags:
    """bool[20, n_tokens]: sets of these sizes in turn; none without sizes."""
    drawn = np.zeros((N_RANDOM if sizes else 0, n_tokens), dtype=np.bool_)
    draw = np.random.default_rng([seed, n_tokens])
    for index in range(len(drawn)):
        drawn[index, draw.choice(n_tokens, sizes[index % len(sizes)], replace=False)] = True
    return drawn


def _mask(tokens: Sequence[int], n_tokens: int) -> Flags:
    mask = np.zeros(n_tokens, dtype=np.bool_)
    mask[list(tokens)] = True
    return mask


def _check_minimal(family: JudgedFamily, threshold: float) -> None:
    """A set whose tokens may go was made by a model that answers one question in two ways."""
    if not all(judged.is_sufficient(threshold) and judged.is_compact(threshold) for judged in family.sets):
        raise ModelError(_("A set isn't minimal: the model contradicts itself."))


# Many searches at once.


@dataclass(slots=True)
class Work:
    """A text in the making: its search, under its number, and f of the subsets that were asked about."""

    number: int
    steps: Steps[SufficientSets]
    known: Known = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Done:
    """What was found of a text, or why it could not be; n_calls: subsets that the model was asked about."""

    number: int
    result: SufficientSets | ModelError
    n_calls: int


def search_many(waiting: Iterable[Work], ask: Ask, *, at_once: int = 16) -> Iterator[Done]:
    """Searches that advance together, so many at once; each is handed out as soon as it has ended.

    ask: is asked about everything that they want to know next, to be split by ROWS_AT_ONCE
    A text for which the model fails ends by itself; the others go on.
    """
    queue, active, wanted = iter(waiting), dict[int, Work](), dict[int, Flags]()
    while True:
        while len(active) < at_once and (work := next(queue, None)) is not None:
            try:
                wanted[work.number] = next(work.steps)
            except StopIteration as stopped:  # nothing had to be asked
                yield Done(work.number, stopped.value, 0)
            else:
                active[work.number] = work
        if not active:
            return
        for number, answer in _answered(active, wanted, ask).items():
            work = active[number]
            result: SufficientSets | ModelError
            try:
                if not isinstance(answer, ModelError):
                    wanted[number] = work.steps.send(answer)
                    continue
                result = answer
            except StopIteration as stopped:
                result = stopped.value
            except ModelError as error:
                result = error
            del active[number], wanted[number]
            yield Done(number, result, len(work.known))


def _answered(active: dict[int, Work], wanted: dict[int, Flags], ask: Ask) -> dict[int, Floats | ModelError]:
    """What each wants to know: asked together, and where that fails text by text."""
    known = {number: work.known for number, work in active.items()}

    try:
        return {**answers_of(wanted, known, ask)}
    except ModelError as error:
        if len(wanted) == 1:
            return dict.fromkeys(wanted, error)
    answers: dict[int, Floats | ModelError] = {}
    for number, masks in wanted.items():
        try:
            answers |= answers_of({number: masks}, known, ask)
        except ModelError as error:
            answers[number] = error
    return answers


def f_of(probabilities: Floats, columns: Integers) -> Floats:
    """Of each row the probability of its answer, less 1 where it has more than two labels and another one is more probable.

    Shapes: probabilities float[n, n_labels], columns int[n]; returns float[n], nine digits
    >>> f_of(np.array([[0.2, 0.5, 0.3], [0.2, 0.5, 0.3]]), np.array([1, 2])).tolist()
    [0.5, -0.7]
    """
    rounded = probabilities.round(DIGITS)
    p = rounded[np.arange(len(rounded)), columns]
    if rounded.shape[1] <= 2:
        return p
    values: Floats = np.where(p >= rounded.max(axis=1), p, p - 1).round(DIGITS)
    return values
