"""Inputs and models for the tests of attributions: small enough that every number can be worked out by hand."""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.base import Input, SegmentTokens
from annotator.usecases.models.engines import Doing, Setup, Workers

Floats = npt.NDArray[np.float64]


def words(text: str, *more: str, names: Sequence[str] = ("text",), question: str | None = None) -> Input:
    """Texts cut at blanks, one a segment; the question cannot be marked."""
    segments = [_segment(name, one, is_selectable=True) for name, one in zip(names, (text, *more), strict=True)]
    if question is not None:
        segments.append(_segment("question", question, is_selectable=False))
    return Input(tuple(segments))


def pair(first: str, second: str) -> Input:
    return words(first, second, names=("sentence1", "sentence2"))


def _segment(name: str, text: str, *, is_selectable: bool) -> SegmentTokens:
    tokens = tuple(text.split())
    spaces = (" ",) * (len(tokens) - 1) + ("",) * bool(tokens)
    return SegmentTokens(name, tokens, spaces, is_selectable)


class Scripted:
    """A model with two labels, "no" and "yes", whose logit of "yes" is a function of the input; that of "no" is 0."""

    name = "scripted"
    labels = ("no", "yes")

    def __init__(self, logit: Callable[[Input], float]) -> None:
        self.logit = logit
        self.n_asked = 0

    def logits(self, inputs: Sequence[Input]) -> Floats:
        self.n_asked += len(inputs)
        return np.array([[0.0, self.logit(one)] for one in inputs]).reshape(len(inputs), 2)

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        yes = 1 / (1 + np.exp(-self.logits(inputs)[:, 1]))
        return np.stack((1 - yes, yes), axis=1)


class OnlyProbabilities:
    """A model that does not tell its logits."""

    name = "closed"
    labels = ("no", "yes")

    def __init__(self, inner: Scripted) -> None:
        self.inner = inner

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        return self.inner.probabilities(inputs)


def weighing(weights: Mapping[str, float], bias: float = 0.0) -> Scripted:
    """A linear model: the sum of its words' weights."""

    def logit(one: Input) -> float:
        return bias + sum(weights.get(token, 0.0) for segment in one.segments for token in segment.tokens)

    return Scripted(logit)


def negating() -> Scripted:
    """A model that looks at the order: "not good" counts 2, once."""

    def logit(one: Input) -> float:
        return 2.0 * any("not good" in " ".join(segment.tokens) for segment in one.segments)

    return Scripted(logit)


@dataclass
class Elsewhere:
    """An engine whose workers know only what was pickled; of every two tasks the second is done first, and twice."""

    is_local: bool = False
    n_tasks: int = 0
    n_loaded: int = 0

    @contextmanager
    def open(self, setup: Setup, here: Doing | None = None) -> Iterator[Workers]:
        self.n_loaded += 1
        yield _Far(self, pickle.loads(pickle.dumps(setup)).load())  # made a line before


@dataclass
class _Far:
    engine: Elsewhere
    doing: Doing

    def results(self, tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        remaining = iter(tasks)
        while some := list(islice(remaining, 2)):
            for task in reversed(some):
                self.engine.n_tasks += 1
                list(self.doing(pickle.loads(pickle.dumps(task))))  # a worker that was lost at its end
                for result in pickle.loads(pickle.dumps([*self.doing(pickle.loads(pickle.dumps(task)))])):
                    yield task, result
