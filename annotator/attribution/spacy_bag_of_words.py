"""The built-in model of before, spaCy's bag-of-words text classifier over lower-cased tokens: read, and no longer trained."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annotator.metrics.ragged import Floats

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


class SpacyWeights:
    """Token weights that are read out of spaCy's model exactly."""

    def __init__(self, nlp: "Language", repeating: Sequence[str]) -> None:
        textcat: Any = nlp.get_pipe("textcat")
        self._nlp = nlp
        self._repeating = repeating
        self._model: Any = textcat.model
        self.labels: tuple[str, ...] = tuple(textcat.labels)
        self.bias: Floats = np.asarray(self._model.get_ref("output_layer").get_param("b"), dtype=np.float64)

    @staticmethod
    def read(folder: Path, repeating: Sequence[str]) -> "SpacyWeights":
        import spacy  # noqa: PLC0415

        return SpacyWeights(spacy.load(folder), repeating)

    def of_tokens(self, named_tokens: Sequence[tuple[str, str]]) -> Floats:
        docs = [_doc(self._nlp, _features([named_token], self._repeating)) for named_token in named_tokens]
        docs.append(_doc(self._nlp, ["a"]))  # spaCy's layer wants a token somewhere
        before_softmax = np.asarray(self._model.layers[0].predict(docs), dtype=np.float64)[:-1]
        weights: Floats = before_softmax - self.bias
        return weights


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
