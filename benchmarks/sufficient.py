"""Sufficient sets: how many reduced texts a search asks about, and what it costs beyond asking about the same ones directly.

Texts of 12, 40 and 100 tokens with two causes among words that hardly count, of a model that answers at once (its weights are
drawn), and of one that also runs a transformer of random weights in the shape of MiniLM (6 layers of 384, one thread) before it
answers the same. The direct way knows all reduced texts at once and asks about them in batches, the shortest first. Limits: 7
reduced texts a token and (set + 1) in blocks, (n + 1) / 2 a token and (set + 1) in full (exact by arithmetic); 15 % more
time than the transformer alone. Processor time, by turns in one run.
"""

import random
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.sufficient_sets import Seeking, Work, examine, f_of, search_many
from annotator.domain.sufficient_sets import Search, SufficientSets, Threshold
from annotator.metrics.ragged import Flags, Floats
from benchmarks.attribute_overhead import save_model
from benchmarks.measured import Measured, by_turns, table
from benchmarks.normalising import direct

_LENGTHS = (12, 40, 100)
_TEXTS = 8
_AT_MOST = 1.15
_BLOCKS = 7
_BATCH = 32


class _Linear:
    """Two causes of two words each, of which one alone is enough, and words that hardly count."""

    name, labels = "drawn", ("no", "yes")

    def __init__(self, before: Any = None) -> None:
        self.before = before

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        if self.before is not None:
            self.before.probabilities(inputs)
        logits = np.array([self._logit(given.segments[0].tokens) for given in inputs])
        yes = 1 / (1 + np.exp(-logits))
        return np.stack((1 - yes, yes), axis=1)

    @staticmethod
    def _logit(tokens: Sequence[str]) -> float:
        words = set(tokens)
        causes = {"a1", "a2"} <= words or {"b1", "b2"} <= words
        return -2.0 + 5 * causes + 0.01 * sum(len(word) - 5 for word in words)


def main() -> list[Measured]:
    """How many calls of each length; time beside a transformer, where the extra `models` is installed."""
    rows = [row for n in _LENGTHS for row in _calls(n)]
    absent = [package for package in ("torch", "transformers") if find_spec(package) is None]
    if absent:
        print(f"SKIPPED: {', '.join(absent)} is not installed (pip install 'rationale-annotator[models]').")
        return rows
    from annotator.attribution.transformers_models import load

    with tempfile.TemporaryDirectory() as name:
        save_model(Path(name) / "minilm")
        model = load(str(Path(name) / "minilm"), device="cpu", threads=1, batch_size=_BATCH)
        return [*rows, _time(model, 40)]


def _calls(n: int) -> Iterator[Measured]:
    for search in ("full", "blocks"):
        texts = _texts(n, _TEXTS)
        results, n_asked = _searched(_Linear(), texts, search)
        sets = sum(len(result.own.sets) + 1 for result in results)
        most = float(_BLOCKS) if search == "blocks" else (n + 1) / 2
        yield Measured(f"{n} tokens, {search}", n_asked / (n * sets), "calls a token and set", most, "at most", 1)


def _time(transformer: Any, n: int) -> Measured:
    """Of a search in blocks, beside the transformer alone."""
    texts, asked = _texts(n, 2), list[Input]()
    model = _Linear(transformer)
    _searched(_Linear(), texts, "blocks", asked)
    inputs = sorted(asked, key=lambda given: given.n_tokens)
    ours, alone = by_turns(lambda: _searched(model, texts, "blocks"), direct(transformer, [], inputs), rounds=3)
    name = f"MiniLM, 2 texts of {n} tokens, {len(inputs):,} reduced texts"
    return Measured(name, ours, "ms", alone, "the model alone", _AT_MOST)


def _searched(
    model: _Linear, texts: Sequence[Input], search: Search, asked: list[Input] | None = None
) -> tuple[list[SufficientSets], int]:
    """What was found, and how many reduced texts the model was asked about."""

    def ask(subsets: Sequence[tuple[int, Flags]]) -> Floats:
        inputs = [texts[number].kept(mask) for number, mask in subsets]
        if asked is not None:
            asked.extend(inputs)
        return f_of(model.probabilities(inputs), np.ones(len(inputs), dtype=np.int64))

    seeking = Seeking(Threshold(fixed=0.5), search)
    work = (Work(number, examine(text.n_tokens, seeking)) for number, text in enumerate(texts))
    done = list(search_many(work, ask))
    results = [of.result for of in done if isinstance(of.result, SufficientSets) and len(of.result.own.sets) == 2]
    if len(results) != len(texts):
        raise RuntimeError("some text has not two sets")
    return results, sum(of.n_calls - of.result.n_random for of in done if isinstance(of.result, SufficientSets))


def _texts(n: int, n_texts: int) -> list[Input]:
    draw = random.Random(n)
    texts = []
    for _ in range(n_texts):
        words = [
            "a1",
            "a2",
            "b1",
            "b2",
            *("".join(draw.choices("aeinrst", k=draw.randint(3, 7))) for _ in range(n - 4)),
        ]
        draw.shuffle(words)
        texts.append(Input((SegmentTokens("text", tuple(words), (" ",) * (n - 1) + ("",)),)))
    return texts


if __name__ == "__main__":
    print(table([("sufficient", row) for row in main()]))
