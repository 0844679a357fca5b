"""The built-in model: spaCy's bag-of-words text classifier, trained on a project's own gold labels.

Features are the lower-cased tokens, each named by its segment, so that the two sides of a pair have weights of their own.
The classifier is linear: a logit is a bias and the sum of its tokens' weights, which are read out of spaCy's model exactly.
"""

import json
import os
import random
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annotator.attribution.base import Input
from annotator.errors import ModelError
from annotator.metrics.ragged import Floats

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_ARCHITECTURE = {
    "@architectures": "spacy.TextCatBOW.v3",
    "exclusive_classes": True,
    "ngram_size": 1,
    "no_output_layer": False,
    "length": 262_144,
}
_BATCH = 16
_LEARNING_RATE = 0.001
_PASSES = 5
_FEWEST_UPDATES = 120  # below, weights stay so small that every answer is a coin toss
_MOST_UPDATES = 20_000
_POINTER = "current.json"


@dataclass(frozen=True, slots=True)
class Example:
    """What the classifier learns from."""

    input: Input
    label: str


@dataclass(frozen=True, slots=True)
class Training:
    """What made a model.

    digest:    of its weights: equal for equal examples, labels and seed
    repeating: segments of which an instance may have several (document, document2 ...); they share their weights
    split:     the split it learned from; None for all instances
    """

    seed: int
    n_examples: Mapping[str, int]
    digest: str
    repeating: tuple[str, ...] = ()
    split: str | None = None


class BagOfWords:
    """A predictor whose logits are sums of token weights."""

    def __init__(self, nlp: "Language", training: Training, *, name: str) -> None:
        self.name = name
        self.training = training
        self._nlp = nlp
        self._model: Any = nlp.get_pipe("textcat").model  # type: ignore[attr-defined]  # of the text classifier
        self.labels: tuple[str, ...] = tuple(nlp.get_pipe("textcat").labels)  # type: ignore[attr-defined]
        self.bias = np.asarray(self._model.get_ref("output_layer").get_param("b"), dtype=np.float64)
        self._weights = np.empty((0, len(self.labels)))
        self._rows: dict[tuple[str, str], int] = {}  # of (segment, token)

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        logits = self.logits(inputs)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: Floats = powers / powers.sum(axis=1, keepdims=True)
        return shares

    def logits(self, inputs: Sequence[Input]) -> Floats:
        """float[n_inputs, n_labels]: the bias and the weights of all tokens, those that cannot be marked included."""
        weights = [self.token_weights(model_input).sum(axis=0) for model_input in inputs]
        sums: Floats = self.bias + np.array(weights).reshape(len(inputs), len(self.labels))
        return sums

    def token_weights(self, model_input: Input) -> Floats:
        """float[n_tokens, n_labels]: what each token adds to each label's logit; 0 for a token without characters."""
        named_tokens = [(segment.name, token) for segment in model_input.segments for token in segment.tokens]
        rows = [self._rows.get(named_token) for named_token in named_tokens]
        if None in rows:
            self._meet([named_token for named_token, row in zip(named_tokens, rows, strict=True) if row is None])
            rows = [self._rows[named_token] for named_token in named_tokens]
        weights: Floats = self._weights[np.array(rows, dtype=np.int64)]
        return weights

    def _meet(self, named_tokens: Iterable[tuple[str, str]]) -> None:
        """Read the weights of tokens that were not met before out of spaCy's model."""
        new = list(dict.fromkeys(named_tokens))
        docs = [_doc(self._nlp, _features([named_token], self.training.repeating)) for named_token in new]
        docs.append(_doc(self._nlp, ["a"]))  # spaCy's layer wants a token somewhere
        before_softmax = np.asarray(self._model.layers[0].predict(docs), dtype=np.float64)[:-1]
        self._rows |= {named_token: len(self._weights) + number for number, named_token in enumerate(new)}
        self._weights = np.concatenate((self._weights, before_softmax - self.bias))

    def save(self, folder: Path) -> None:
        """Write the model into a folder of its own; it counts from the moment at which it is complete."""
        made = folder / self.training.digest
        unfinished = folder / f"{self.training.digest}.part"
        try:
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            self._nlp.to_disk(unfinished)
            shutil.rmtree(made, ignore_errors=True)
            unfinished.rename(made)
            _write_whole(folder / _POINTER, json.dumps(asdict(self.training), ensure_ascii=False))
        except OSError as error:
            raise ModelError(
                f"The model cannot be saved in '{folder}' ({error}). Free some space or change the rights."
            ) from error
        for other in folder.iterdir():
            if other.is_dir() and other != made:
                shutil.rmtree(other, ignore_errors=True)

    @staticmethod
    def is_saved(folder: Path) -> bool:
        return (folder / _POINTER).is_file()

    @staticmethod
    def digest_of(folder: Path) -> str | None:
        """Which model is saved in a folder, without loading it; None where none is, or it cannot be read."""
        try:
            digest = json.loads((folder / _POINTER).read_text(encoding="utf-8"))["digest"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return digest if isinstance(digest, str) else None

    @staticmethod
    def load(folder: Path, *, name: str) -> "BagOfWords":
        """The model of a folder; raises ModelError where it is not whole."""
        import spacy  # noqa: PLC0415

        try:
            settings = json.loads((folder / _POINTER).read_text(encoding="utf-8"))
            training = Training(**(settings | {"repeating": tuple(settings["repeating"])}))
            return BagOfWords(spacy.load(folder / training.digest), training, name=name)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(
                f"The model saved in '{folder}' cannot be read ({_short(error)}). Train it again with --train."
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
    """Train a model; equal examples in equal order, labels and seed give equal weights.

    Raises: ModelError where there are no examples, or only such of one label
    """
    n_examples = {label: sum(example.label == label for example in examples) for label in labels}
    _check(examples, n_examples)
    nlp = _blank(labels)
    textcat: Any = nlp.get_pipe("textcat")
    pairs = _as_pairs(nlp, examples, labels, repeating)
    nlp.initialize(lambda: pairs[:10])
    _fit(textcat, pairs, seed)
    parameters = textcat.model.get_ref("output_layer")
    weights = blake2b(json.dumps([*labels, *repeating]).encode(), digest_size=8)
    weights.update(parameters.get_param("W").tobytes() + parameters.get_param("b").tobytes())
    training = Training(seed, n_examples, weights.hexdigest(), tuple(repeating), split)
    return BagOfWords(nlp, training, name=name)


def _check(examples: Sequence[Example], n_examples: Mapping[str, int]) -> None:
    unknown = next((example.label for example in examples if example.label not in n_examples), None)
    if unknown is not None:
        raise ModelError(f"The label '{unknown}' of the gold is none of the project's ({', '.join(n_examples)}).")
    if len(n_examples) < 2:
        raise ModelError("A classifier needs two labels or more to tell apart; the project has fewer.")
    with_examples = [label for label, n in n_examples.items() if n]
    if not with_examples:
        raise ModelError(
            "There is no gold label to learn from. Try again when there are instances with a label: imported with it, or "
            "annotated and accepted."
        )
    if len(with_examples) == 1:
        raise ModelError(
            f"All gold is '{with_examples[0]}': there is nothing to tell apart. Give other labels examples too."
        )


def _blank(labels: Sequence[str]) -> "Language":
    import spacy  # noqa: PLC0415

    nlp = spacy.blank("xx")  # texts come with their tokens, so the language does not matter
    textcat: Any = nlp.add_pipe("textcat", config={"model": _ARCHITECTURE})
    for label in labels:
        textcat.add_label(label)
    return nlp


def _as_pairs(
    nlp: "Language", examples: Iterable[Example], labels: Sequence[str], repeating: Sequence[str]
) -> list[Any]:
    from spacy.training import Example as SpacyExample  # noqa: PLC0415

    pairs = []
    for example in examples:
        named_tokens = [(segment.name, token) for segment in example.input.segments for token in segment.tokens]
        words = _features(named_tokens, repeating)
        if not words:
            continue  # teaches nothing
        truth = _doc(nlp, words)
        truth.cats = {label: float(label == example.label) for label in labels}
        pairs.append(SpacyExample(_doc(nlp, words), truth))
    if not pairs:
        raise ModelError("The texts with a gold label are all empty, so that there is nothing to learn from.")
    return pairs


def _fit(textcat: Any, pairs: list[Any], seed: int) -> None:  # spaCy's text classifier
    from thinc.api import Adam  # noqa: PLC0415

    optimizer = Adam(_LEARNING_RATE, use_averages=False)
    of_one_pass = ceil(len(pairs) / _BATCH)
    passes = max(1, min(max(_PASSES, ceil(_FEWEST_UPDATES / of_one_pass)), _MOST_UPDATES // of_one_pass))
    shuffled, chance = list(pairs), random.Random(seed)  # noqa: S311  # no secret
    for _ in range(passes):
        chance.shuffle(shuffled)
        for first in range(0, len(shuffled), _BATCH):
            textcat.update(shuffled[first : first + _BATCH], sgd=optimizer)


def _doc(nlp: "Language", words: Sequence[str]) -> "Doc":
    from spacy.tokens import Doc  # noqa: PLC0415

    return Doc(nlp.vocab, words=list(words))


def _features(named_tokens: Iterable[tuple[str, str]], repeating: Sequence[str]) -> list[str]:
    """Tokens as spaCy knows them, those without characters left out; document2 and document share their features.

    A character that UTF-8 does not have becomes "?".
    >>> _features([("document2", "Good"), ("query", "good")], ["document"])
    ['document=good', 'query=good']
    """
    features = []
    for segment, token in named_tokens:
        base = segment.rstrip("0123456789")
        side = base if base in repeating else segment
        if token:
            features.append(f"{side}={token.lower()}".encode("utf-8", "replace").decode("utf-8"))
    return features


def _write_whole(path: Path, text: str) -> None:
    unfinished = path.with_name(path.name + ".part")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _short(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
