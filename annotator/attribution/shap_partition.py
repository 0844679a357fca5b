"""SHAP over a partition of a text: Owen values of its tokens, found by halving the text again and again.

What is asked, and of what, is that of the program `shap` (PartitionExplainer) over tokens instead of a model's pieces; where
every part is halved down to single tokens, so are the numbers. The program itself is not used: see docs/decisions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

import numpy as np

from annotator.attribution.base import Explained, Input, Predictor
from annotator.attribution.removal import Question, scores_on_tokens, unseen_fact
from annotator.domain.models import Attribution, Unit
from annotator.metrics.ragged import Flags, Floats, Integers

SHARED = "shared_tokens"
_AT_ONCE = 64  # parts that are halved together

Value = Callable[[Iterator[Flags]], Floats]  # what the model answers where these tokens are there: float[n_masks]


@dataclass(frozen=True, slots=True)
class _Part:
    """Neighbouring tokens, what stands around them, and the answers without and with them."""

    first: int
    end: int
    around: Flags
    without: float
    given: float
    weight: float

    def masks(self, middle: int) -> tuple[Flags, Flags]:
        """What stands around them with their left half, and with their right half."""
        left, right = self.around.copy(), self.around.copy()
        left[self.first : middle] = True
        right[middle : self.end] = True
        return left, right

    def halves(self, middle: int, with_left: float, with_right: float) -> "list[_Part]":
        """Each half, once without and once with the other one."""
        left, right = self.masks(middle)
        half = self.weight / 2
        return [
            _Part(self.first, middle, self.around, self.without, with_left, half),
            _Part(middle, self.end, self.around, self.without, with_right, half),
            _Part(self.first, middle, right, with_right, self.given, half),
            _Part(middle, self.end, left, with_left, self.given, half),
        ]


@dataclass(slots=True)
class _Waiting:
    """Parts that are to be halved: first those by which the answer changes most; ties as they came."""

    heap: list[tuple[float, int, _Part]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def add(self, part: _Part) -> None:
        heappush(self.heap, (-abs(part.given - part.without) * part.weight, next(self.numbers), part))

    def pop(self) -> _Part:
        return heappop(self.heap)[2]


@dataclass(frozen=True, slots=True)
class Owen:
    """scores: float[n]; n_shared: tokens that got a part of their score in equal shares with their neighbours."""

    scores: Floats
    without: float
    given: float
    n_shared: int


def owen_values(n: int, borders: Sequence[int], value: Value, most: int) -> Owen:
    """The scores of n tokens, which add up to the answer with all of them minus the answer without any.

    borders: where a part is halved rather than in its middle, as between the two texts of a pair
    most:    how often the model is asked; what is not halved by then is shared equally
    """
    none = np.zeros(n, dtype=np.bool_)
    without, given = (float(answer) for answer in value(iter((none, ~none))))
    scores, is_shared, n_asked = np.zeros(n), np.zeros(n, dtype=np.bool_), 2
    waiting = _Waiting()
    waiting.add(_Part(0, n, none, without, given, 1.0))
    while waiting.heap:
        parts: list[_Part] = []
        while waiting.heap and len(parts) < _AT_ONCE:
            part = waiting.pop()
            if part.end - part.first > 1 and n_asked + 2 <= most:
                parts.append(part)
                n_asked += 2
                continue
            scores[part.first : part.end] += (part.given - part.without) * part.weight / max(1, part.end - part.first)
            is_shared[part.first : part.end] |= part.end - part.first > 1
        middles = [_middle(part.first, part.end, borders) for part in parts]
        answers = value(mask for part, middle in zip(parts, middles, strict=True) for mask in part.masks(middle))
        for part, middle, both in zip(parts, middles, answers.reshape(-1, 2), strict=True):
            for half in part.halves(middle, float(both[0]), float(both[1])):
                waiting.add(half)
    return Owen(scores, without, given, int(is_shared.sum()))


def _middle(first: int, end: int, borders: Sequence[int]) -> int:
    """Where a part is halved: at the border nearest to its middle, else there, its left half the longer one."""
    middle = (first + end + 1) // 2
    inside = [border for border in borders if first < border < end]
    return min(inside, key=lambda border: abs(border - middle)) if inside else middle


class ShapPartition:
    """What a token adds to the label's logit or probability, in the mean over what else stands there.

    evaluations: how often the model is asked about each text, at most; shap's 500
    Facts: `base`, the answer without any token; `shared_tokens`, see Owen
    """

    method = "shap-partition"
    seed: int | None = None
    is_signed = True

    def __init__(
        self, predictor: Predictor, *, evaluations: int = 500, output: object = "default", removal: object = "default"
    ) -> None:
        self._question = Question.of(predictor, output, removal)
        self._evaluations = evaluations
        self.unit: Unit = self._question.output
        self.parameters: Mapping[str, object] = {"evaluations": evaluations, **self._question.parameters}

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        return [self._explained(model_input, label) for model_input, label in zip(inputs, labels, strict=True)]

    def _explained(self, model_input: Input, label: str) -> Explained:
        question, label = self._question.about(model_input, label)
        seen, n = question.seen(model_input), model_input.n_selectable
        column = question.column(label)

        def value(masks: Iterator[Flags]) -> Floats:
            return question.numbers((question.without(model_input, _of_all(n, seen, mask)) for mask in masks), column)

        borders = [int(np.searchsorted(seen, first)) for first, _ in model_input.sides()]
        owen = owen_values(len(seen), borders, value, self._evaluations)
        convergence = float(owen.scores.sum()) - (owen.given - owen.without)
        attribution = Attribution(scores_on_tokens(owen.scores, seen, n), label, convergence=convergence)
        facts = {"base": owen.without, "full": owen.given, SHARED: float(owen.n_shared)}
        return Explained((attribution,), facts | unseen_fact(seen, n))


def _of_all(n: int, seen: Integers, mask: Flags) -> Flags:
    """A mask of the tokens that were seen, among all that can be marked; those that were not seen stay."""
    of_all = np.ones(n, dtype=np.bool_)
    of_all[seen] = mask
    return of_all
