"""The built-in model: a linear classifier of words and parts of words, trained on a project's own gold labels.

Features are the lower-cased words and the character n-grams within them, each named by its segment, so that the two sides of a
pair have weights of their own. A logit is a bias and the sum of its tokens' weights: what a token's features weigh together.
"""

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from annotator.attribution.base import Input, first_line
from annotator.attribution.linear_classifier import (
    Example,
    NgramWeights,
    chosen_penalty,
    counted_features,
    log_probabilities,
)
from annotator.attribution.spacy_models import SpacyWeights
from annotator.errors import ModelError
from annotator.language import _
from annotator.metrics.ragged import Floats

__all__ = ["BagOfWords", "Example", "Training", "train"]

_POINTER = "current.json"
_VERSION = 2


@dataclass(frozen=True, slots=True)
class Training:
    """What made a model.

    digest:    of its weights: equal for equal examples, labels and seed
    repeating: segments of which an instance may have several (document, document2 ...); they share their weights
    split:     the split it learned from; None for all instances
    version:   1: whole words, by spaCy's classifier; 2: words and their parts
    penalty:   under which held-out texts were likeliest; None of version 1
    """

    seed: int
    n_examples: Mapping[str, int]
    digest: str
    repeating: tuple[str, ...] = ()
    split: str | None = None
    version: int = 1
    penalty: float | None = None


class TokenWeights(Protocol):
    """What tokens weigh. bias: float[n_labels]."""

    labels: tuple[str, ...]
    bias: Floats

    def of_tokens(self, named_tokens: Sequence[tuple[str, str]]) -> Floats:
        """float[n, n_labels] of (segment, token) each."""


class BagOfWords:
    """A predictor whose logits are sums of token weights."""

    def __init__(self, weights: TokenWeights, training: Training, *, name: str) -> None:
        self.name = name
        self.training = training
        self.labels = weights.labels
        self.bias = weights.bias
        self._source = weights
        self._weights = np.empty((0, len(self.labels)))
        self._rows: dict[tuple[str, str], int] = {}  # of (segment, token)

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        shares: Floats = np.exp(log_probabilities(self.logits(inputs)))
        return shares

    def logits(self, inputs: Sequence[Input]) -> Floats:
        """float[n_inputs, n_labels]: the bias and the weights of all tokens, those that cannot be marked included."""
        weights = [self.token_weights(model_input).sum(axis=0) for model_input in inputs]
        sums: Floats = self.bias + np.array(weights).reshape(len(inputs), len(self.labels))
        return sums

    def token_weights(self, model_input: Input) -> Floats:
        """float[n_tokens, n_labels]: what each token adds to each label's logit; 0 for a token without characters."""
        named_tokens = [(segment.name, token) for segment in model_input.segments for token in segment.tokens]
        new = list(dict.fromkeys(named_token for named_token in named_tokens if named_token not in self._rows))
        if new:
            self._rows |= {named_token: len(self._weights) + number for number, named_token in enumerate(new)}
            self._weights = np.concatenate((self._weights, self._source.of_tokens(new)))
        rows = [self._rows[named_token] for named_token in named_tokens]
        weights: Floats = self._weights[np.array(rows, dtype=np.int64)]
        return weights

    def save(self, folder: Path) -> None:
        """Write the model into a folder of its own; it counts from the moment at which it is complete."""
        if not isinstance(self._source, NgramWeights):
            raise ModelError(_("'{name}' is an old, read-only model. Retrain it.", name=self.name))
        made = folder / self.training.digest
        unfinished = folder / f"{self.training.digest}.part"
        try:
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            self._source.write(unfinished)
            shutil.rmtree(made, ignore_errors=True)
            unfinished.rename(made)
            _write_whole(folder / _POINTER, json.dumps(asdict(self.training), ensure_ascii=False))
        except OSError as error:
            raise ModelError(_("Can't save the model in '{folder}' ({error}).", folder=folder, error=error)) from error
        for other in folder.iterdir():
            if other.is_dir() and other != made:
                shutil.rmtree(other, ignore_errors=True)

    @staticmethod
    def is_saved(folder: Path) -> bool:
        return (folder / _POINTER).is_file()

    @staticmethod
    def digest_of(folder: Path) -> str | None:
        """Which model is saved in a folder, without loading it; None where none is, or it cannot be read."""
        digest = _settings(folder).get("digest")
        return digest if isinstance(digest, str) else None

    @staticmethod
    def is_of_before(folder: Path) -> bool:
        """Whether the model that is saved in a folder is of the sort that is no longer trained, without loading it."""
        settings = _settings(folder)
        return bool(settings) and settings.get("version", 1) == 1

    @staticmethod
    def load(folder: Path, *, name: str) -> "BagOfWords":
        """The model of a folder; raises ModelError where it is not whole."""
        try:
            training = _training_of(json.loads((folder / _POINTER).read_text(encoding="utf-8")))
            return BagOfWords(_read(folder / training.digest, training), training, name=name)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(
                _("Can't read the model in '{folder}' ({short}). Run --train.", folder=folder, short=first_line(error))
            ) from error


def train(
    examples: Sequence[Example],
    labels: Sequence[str],
    *,
    name: str,
    seed: int = 0,
    repeating: Sequence[str] = (),
    split: str | None = None,
) -> BagOfWords:
    """Train a model; equal examples in equal order with equal folds, labels and seed give equal weights.

    seed: from which the examples' folds were drawn
    Raises: ModelError where there are no examples, or only such of one label
    """
    n_examples = {label: sum(example.label == label for example in examples) for label in labels}
    _check(examples, n_examples)
    telling = [example for example in examples if any(map(any, (s.tokens for s in example.input.segments)))]
    if not telling:
        raise ModelError(_("All texts with gold labels are empty."))
    counted = counted_features(telling, labels, repeating)
    penalty = chosen_penalty(counted, [example.fold for example in telling])
    weights = NgramWeights.fitted(counted, penalty)
    training = Training(seed, n_examples, weights.digest(), tuple(repeating), split, _VERSION, penalty)
    return BagOfWords(weights, training, name=name)


def _settings(folder: Path) -> dict[str, Any]:
    """What is told of the model in a folder; {} where none is, or it cannot be read."""
    try:
        settings = json.loads((folder / _POINTER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _training_of(settings: dict[str, Any]) -> Training:
    training = Training(**(settings | {"repeating": tuple(settings["repeating"])}))
    if training.version > _VERSION:
        raise ValueError(_("made by a newer version, {version}", version=training.version))
    return training


def _read(folder: Path, training: Training) -> TokenWeights:
    read: Callable[[Path, Sequence[str]], TokenWeights] = (
        SpacyWeights.read if training.version == 1 else NgramWeights.read
    )
    return read(folder, training.repeating)


def _check(examples: Sequence[Example], n_examples: Mapping[str, int]) -> None:
    unknown = next((example.label for example in examples if example.label not in n_examples), None)
    if unknown is not None:
        raise ModelError(
            _(
                "Gold label '{unknown}' isn't a project label ({n_examples}).",
                unknown=unknown,
                n_examples=", ".join(n_examples),
            )
        )
    if len(n_examples) < 2:
        raise ModelError(_("Training needs at least two labels."))
    with_examples = [label for label, n in n_examples.items() if n]
    if not with_examples:
        raise ModelError(_("No gold labels to train on. Import some."))
    if len(with_examples) == 1:
        raise ModelError(_("All gold is '{with_examples}'. Add another label.", with_examples=with_examples[0]))


def _write_whole(path: Path, text: str) -> None:
    unfinished = path.with_name(path.name + ".part")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
