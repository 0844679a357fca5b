"""Attribution methods that need no gradient: occlusion, SHAP over partitions, a linear model's weights, and random scores.

What SHAP asks, and of what, is that of the program `shap` (PartitionExplainer) over tokens instead of a model's subwords; where
every part is halved down to single tokens, so are the numbers. The program itself is not used: see docs/decisions.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from heapq import heappop, heappush
from itertools import count, islice
from typing import Any, Literal, Protocol, TypeVar, cast, runtime_checkable

import numpy as np

from annotator.attribution.base import (
    Explained,
    GivesLogits,
    HasCover,
    HasLimit,
    Input,
    Predictor,
    StatesEmpty,
    StatesOrder,
    StatesTooLong,
    TracksAnswer,
    no_label,
    with_target,
)
from annotator.domain.models import Attribution, Unit
from annotator.errors import ModelError
from annotator.language import _
from annotator.metrics.gold_as_method import TEN_SEEDS
from annotator.metrics.ragged import Flags, Floats, Integers

Output = Literal["logit", "probability"]
Removal = Literal["delete", "cover"]
Result = TypeVar("Result")

TOO_LONG, QUERY_FIRST = "too_long", "query_first"  # parameters of a run
_AT_ONCE = 256  # changed inputs that are in memory together


@dataclass(frozen=True, slots=True)
class Question:
    """What a method asks of a model, and how it takes tokens out.

    output:  the label's logit, or its probability
    removal: tokens are deleted, or covered by the model's own mask token
    """

    predictor: Predictor
    output: Output
    removal: Removal

    @staticmethod
    def of(predictor: Predictor, output: object = "default", removal: object = "default") -> "Question":
        """What is asked; by default the logit, and covering, where the model has these, else the probability, and deleting.

        Raises: ModelError where the model does not have what is asked for
        """
        has_logits = isinstance(predictor, GivesLogits | TracksAnswer)
        has_cover = isinstance(predictor, HasCover)
        if output == "logit" and not has_logits:
            raise ModelError(
                _("{name} gives only probabilities, no logits. Use output=probability.", name=predictor.name)
            )
        if isinstance(predictor, TracksAnswer) and (removal == "delete" or not has_cover):
            raise ModelError(
                _("'{name}' extracts its answer; removal=delete would move it. Use removal=cover.", name=predictor.name)
                if has_cover
                else _("'{name}' has no mask token. Use a gradient method, e.g. gradient-x-input.", name=predictor.name)
            )
        if removal == "cover" and not has_cover:
            raise ModelError(_("{name} has no mask token. Use removal=delete.", name=predictor.name))
        return Question(
            predictor,
            cast("Output", ("logit" if has_logits else "probability") if output == "default" else output),
            cast("Removal", ("cover" if has_cover else "delete") if removal == "default" else removal),
        )

    def about(self, model_input: Input, label: str) -> "tuple[Question, str]":
        """What is asked about an input, and the label whose number that is; of a reading model that of its own answer.

        Raises: ModelError where a reading model answers otherwise, or has nothing to answer from
        """
        if not isinstance(self.predictor, TracksAnswer):
            return self, label
        tracked = self.predictor.tracked(model_input, label)
        return replace(self, predictor=tracked), tracked.labels[0]

    @property
    def parameters(self) -> dict[str, str | bool]:
        """What changes its answers, as it is stored.

        `empty` where taking all words out needs a meaning of its own; how the model reads a text, where it says it.
        """
        stated = self.predictor.empty_text if isinstance(self.predictor, StatesEmpty) else ""
        empty = {"empty": stated} if stated and self.removal == "delete" else {}
        return {"output": self.output, "removal": self.removal, **empty, **reading_of(self.predictor)}

    def column(self, label: str) -> int:
        """The place of a label among the model's; raises ModelError naming those there are."""
        if label not in self.predictor.labels:
            raise ModelError(no_label(self.predictor.name, label, ", ".join(self.predictor.labels)))
        return self.predictor.labels.index(label)

    def all_labels(self, inputs: Iterable[Input]) -> Floats:
        """float[n_inputs, n_labels]: logits or probabilities; the inputs may be made while they are asked for."""
        batches, waiting = [np.empty((0, len(self.predictor.labels)))], iter(inputs)
        while some := list(islice(waiting, _AT_ONCE)):
            batches.append(self._answers(some))
        return np.concatenate(batches)

    def without(self, model_input: Input, mask: Flags) -> Input:
        """The input with the tokens outside the mask removed, but for a target that is asked about; mask: bool[n_selectable]."""
        mask = with_target(self.predictor, model_input, mask)
        if self.removal == "cover":
            return model_input.covered(mask, cast("HasCover", self.predictor).mask_token)
        return model_input.kept(mask)

    def seen(self, model_input: Input) -> Integers:
        """The selectable tokens that the model takes in, by number."""
        if isinstance(self.predictor, HasLimit):
            return np.flatnonzero(self.predictor.seen(model_input))
        return np.arange(model_input.n_selectable, dtype=np.int64)

    def _answers(self, inputs: Sequence[Input]) -> Floats:
        if self.output == "logit" and isinstance(self.predictor, GivesLogits):
            return self.predictor.logits(inputs)
        return self.predictor.probabilities(inputs)


def reading_of(predictor: object) -> dict[str, str | bool]:
    """How a model reads a text, as it is stored with what is computed: one that is too long for it, and in which order."""
    too_long: dict[str, str | bool] = {TOO_LONG: predictor.too_long} if isinstance(predictor, StatesTooLong) else {}
    return too_long | ({QUERY_FIRST: True} if isinstance(predictor, StatesOrder) and predictor.query_first else {})


# Texts that ask together: which of their tokens stay is all that a method yields; what the model answers is sent back.


Steps = Generator[Iterable[Flags], Floats, Result]  # yields bool[n_seen] for each input, is sent float[n_inputs]


@dataclass(frozen=True, slots=True)
class Text:
    """An input that is explained: what is asked about it, the label, and the tokens that the model takes in."""

    question: Question
    model_input: Input
    label: str
    seen: Integers

    def without(self, mask: Flags) -> Input:
        """The input without the tokens outside the mask, bool[n_seen]; those that were not seen stay."""
        of_all = np.ones(self.model_input.n_selectable, dtype=np.bool_)
        of_all[self.seen] = mask
        return self.question.without(self.model_input, of_all)

    def explained(self, scores: Floats, facts: Mapping[str, float], convergence: float | None = None) -> Explained:
        """The scores, float[n_seen], on their tokens; NaN on the others, which are counted."""
        n = self.model_input.n_selectable
        of_all = np.full(n, np.nan)
        of_all[self.seen] = scores
        unseen = {"unseen_tokens": float(n - len(self.seen))} if len(self.seen) < n else {}
        attribution = Attribution(tuple(of_all.tolist()), self.label, convergence=convergence)
        return Explained((attribution,), {**facts, **unseen})


class Removing:
    """A method that asks about inputs with tokens removed. All texts ask together, so that they fill the model's batches."""

    _question: Question

    def steps(self, text: Text) -> Steps[Explained]:
        """What is asked about a text, one step after the other."""
        raise NotImplementedError

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        """Each text's scores; of one length its changed inputs go with those of the others."""
        texts = [self._text(*pair) for pair in zip(inputs, labels, strict=True)]
        steps = [self.steps(text) for text in texts]
        results: dict[int, Explained] = {}
        answers: dict[int, Any] = dict.fromkeys(range(len(texts)))  # None starts a generator
        while answers:
            wanted: dict[int, Iterable[Flags]] = {}
            for number, answer in answers.items():
                try:
                    wanted[number] = steps[number].send(answer)
                except StopIteration as stopped:
                    results[number] = stopped.value
            answers = _answered(texts, wanted)
        return [results[number] for number in range(len(texts))]

    def _text(self, model_input: Input, label: str) -> Text:
        question, label = self._question.about(model_input, label)
        return Text(question, model_input, label, question.seen(model_input))


def _answered(texts: Sequence[Text], wanted: Mapping[int, Iterable[Flags]]) -> dict[int, Floats]:
    """What the model answers to each text's changed inputs; those of one question are asked together."""
    questions = {id(texts[number].question): texts[number].question for number in wanted}
    answers: dict[int, Floats] = {}
    for question in questions.values():
        columns = {n: question.column(texts[n].label) for n in wanted if texts[n].question is question}
        numbers: list[int] = []
        rows = question.all_labels(_changed(texts, {n: wanted[n] for n in columns}, numbers))
        answers |= {n: rows[np.array(numbers) == n, column] for n, column in columns.items()}
    return answers


def _changed(texts: Sequence[Text], wanted: Mapping[int, Iterable[Flags]], numbers: list[int]) -> Iterator[Input]:
    """The inputs, made one by one; the number of each one's text is added to numbers."""
    for number, masks in wanted.items():
        for mask in masks:
            numbers.append(number)
            yield texts[number].without(mask)


# Occlusion: how much the label's logit or probability falls when a token is removed.


class Occlusion(Removing):
    """f(x) − f(x without the token), for each token by itself; also called leave-one-out."""

    method = "occlusion"
    seed: int | None = None
    is_signed = True

    def __init__(self, predictor: Predictor, *, output: object = "default", removal: object = "default") -> None:
        self._question = Question.of(predictor, output, removal)
        self.unit: Unit = self._question.output
        self.parameters: Mapping[str, object] = self._question.parameters

    def steps(self, text: Text) -> Steps[Explained]:
        numbers = np.arange(len(text.seen))
        full, *without = (yield (numbers != removed for removed in range(-1, len(numbers)))).tolist()
        return text.explained(full - np.array(without), {"full": full})


# SHAP over a partition of a text: Owen values of its tokens, found by halving the text again and again.


SHARED = "shared_tokens"
_PARTS_AT_ONCE = 64  # parts that are halved together


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


def owen_values(n: int, borders: Sequence[int], most: int) -> Steps[Owen]:
    """The scores of n tokens, which add up to the answer with all of them minus the answer without any.

    borders: where a part is halved rather than in its middle, as between the two texts of a pair
    most:    how often the model is asked; what is not halved by then is shared equally
    """
    none = np.zeros(n, dtype=np.bool_)
    without, given = (float(answer) for answer in (yield (none, ~none)))
    scores, is_shared, n_asked = np.zeros(n), np.zeros(n, dtype=np.bool_), 2
    waiting = _Waiting()
    waiting.add(_Part(0, n, none, without, given, 1.0))
    while waiting.heap:
        parts: list[_Part] = []
        while waiting.heap and len(parts) < _PARTS_AT_ONCE:
            part = waiting.pop()
            if part.end - part.first > 1 and n_asked + 2 <= most:
                parts.append(part)
                n_asked += 2
                continue
            scores[part.first : part.end] += (part.given - part.without) * part.weight / max(1, part.end - part.first)
            is_shared[part.first : part.end] |= part.end - part.first > 1
        middles = [_middle(part.first, part.end, borders) for part in parts]
        answers = yield [mask for part, middle in zip(parts, middles, strict=True) for mask in part.masks(middle)]
        for part, middle, both in zip(parts, middles, answers.reshape(-1, 2), strict=True):
            for half in part.halves(middle, float(both[0]), float(both[1])):
                waiting.add(half)
    return Owen(scores, without, given, int(is_shared.sum()))


def _middle(first: int, end: int, borders: Sequence[int]) -> int:
    """Where a part is halved: at the border nearest to its middle, else there, its left half the longer one."""
    middle = (first + end + 1) // 2
    inside = [border for border in borders if first < border < end]
    return min(inside, key=lambda border: abs(border - middle)) if inside else middle


class ShapPartition(Removing):
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

    def steps(self, text: Text) -> Steps[Explained]:
        borders = [int(np.searchsorted(text.seen, first)) for first, _ in text.model_input.sides()]
        owen = yield from owen_values(len(text.seen), borders, self._evaluations)
        convergence = float(owen.scores.sum()) - (owen.given - owen.without)
        facts = {"base": owen.without, "full": owen.given, SHARED: float(owen.n_shared)}
        return text.explained(owen.scores, facts, convergence)


# Random as a method: a uniform score for each token. Its numbers are means over ten seeds.


SEEDS = TEN_SEEDS


class RandomScores:
    """Uniform scores in [0, 1), of no label. They follow from an input's tokens and the seed, whatever is asked beside it."""

    method = "random"
    unit: Unit = "none"
    is_signed = False

    def __init__(self, *, seed: int = 0) -> None:
        self.seed: int | None = seed
        self.parameters: Mapping[str, object] = {}

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        return [self._explained(model_input) for model_input, _ in zip(inputs, labels, strict=True)]

    def _explained(self, model_input: Input) -> Explained:
        scores = chance_for(model_input, self.seed or 0).random(model_input.n_selectable)
        return Explained((Attribution(tuple(scores.tolist())),))


def chance_for(model_input: Input, seed: int) -> np.random.Generator:
    """Random numbers for one input. Without its tokens in the seed, one place would be favoured in all texts alike."""
    digest = blake2b(digest_size=16)
    for segment in model_input.segments:
        for word in (segment.name, *segment.tokens):
            data = word.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
    return np.random.default_rng([seed, int.from_bytes(digest.digest(), "little")])


# Exact attribution for a model whose logits are sums of token weights: the score of a token is its weight.


@runtime_checkable
class IsLinear(GivesLogits, Protocol):
    """A predictor whose logits are a bias and the sum of its tokens' weights. bias: float[n_labels]."""

    bias: Floats

    def token_weights(self, model_input: Input) -> Floats:
        """float[n_tokens, n_labels]: of all tokens, those that cannot be marked included."""


class Linear:
    """The tokens' own weights. Facts: `base`, the bias and the weights of what cannot be marked; `logit`.

    The sum of an input's scores and its base is the logit; `convergence` is what is left between the two.
    """

    method = "linear"
    seed: int | None = None
    unit: Unit = "logit"
    is_signed = True

    def __init__(self, predictor: Predictor) -> None:
        if not isinstance(predictor, IsLinear):
            raise ModelError(_("{name} isn't linear. Choose another method, e.g. occlusion.", name=predictor.name))
        self._predictor: IsLinear = predictor
        self.parameters: Mapping[str, object] = {}

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        logits = self._predictor.logits(inputs)
        return [self._explained(*row) for row in zip(inputs, labels, logits, strict=True)]

    def _explained(self, model_input: Input, label: str, logits: Floats) -> Explained:
        column = self._predictor.labels.index(label)
        weights = self._predictor.token_weights(model_input)[:, column]
        scores, rest = weights[: model_input.n_selectable], weights[model_input.n_selectable :]
        base, logit = float(self._predictor.bias[column] + rest.sum()), float(logits[column])
        difference = logit - base - float(scores.sum())
        attribution = Attribution(tuple(scores.tolist()), label, convergence=float(np.abs(difference)))
        return Explained((attribution,), {"base": base, "logit": logit})
