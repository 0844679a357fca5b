"""Text classifiers of spaCy pipelines: their predictions, and the weights of their bag of words."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annotator.attribution.base import Input, failure, first_line
from annotator.errors import ModelError
from annotator.language import _
from annotator.metrics.ragged import Floats

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_CONFIG = "config.cfg"
_BATCH = 32
_BETWEEN = "\n"  # between segments, as one token


class SpacyPipeline:
    """Probabilities from a pipeline's `textcat`, or its `textcat_multilabel` brought to the sum 1.

    The pipeline gets the project's tokens, segment after segment in token order with a line break between, and runs its parts up
    to the classifier. Tokens without characters are left out.
    """

    def __init__(self, nlp: "Language", classifier: str, *, name: str) -> None:
        self.name = name
        self._nlp = nlp
        self.labels: tuple[str, ...] = tuple(nlp.get_pipe(classifier).labels)  # type: ignore[attr-defined]
        names = nlp.pipe_names
        self._not_needed = names[names.index(classifier) + 1 :]

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        shares = np.zeros((len(inputs), len(self.labels)))
        with _errors_as_sentences(self.name), self._nlp.memory_zone():
            for first in range(0, len(inputs), _BATCH):
                docs = [_doc(self._nlp, model_input) for model_input in inputs[first : first + _BATCH]]
                # spaCy answers nothing at all for texts without tokens, unless one with a token is beside them.
                beside = _doc_of(self._nlp, [_BETWEEN], [False])
                answered = self._nlp.pipe([*docs, beside], batch_size=_BATCH + 1, disable=self._not_needed)
                for row, doc in enumerate(list(answered)[: len(docs)]):
                    shares[first + row] = [doc.cats[label] for label in self.labels]
        return _shares(shares, self.name)


def load(source: str, *, name: str) -> SpacyPipeline:
    """A pipeline from a folder, or an installed one by its name; spacy.load itself would run any package that is named.

    Raises: ModelError where there is none, it cannot be loaded, or it has no text classifier
    """
    import spacy  # noqa: PLC0415

    name_or_folder = _folder_or_name(source)
    try:
        nlp = spacy.load(name_or_folder)
    except Exception as error:  # whatever a foreign model does when it is loaded
        raise _unloadable(source, error) from error
    for part in nlp.pipe_names:
        if nlp.get_pipe_meta(part).factory in {"textcat", "textcat_multilabel"}:
            return SpacyPipeline(nlp, part, name=name)
    components = ", ".join(nlp.pipe_names) or "nothing"
    raise ModelError(
        _(
            "'{source}' has no textcat or textcat_multilabel (it has {components}).",
            source=source,
            components=components,
        )
    )


def _unloadable(source: str, error: Exception) -> ModelError:
    return ModelError(_("Can't load '{spec}': {first_line}", spec=source, first_line=first_line(error)))


def _folder_or_name(source: str) -> Path | str:
    """The folder of a pipeline, or the name of an installed one: packages of pipelines name themselves as such."""
    from spacy.util import get_sourced_components, load_config  # noqa: PLC0415

    folder = Path(source).expanduser()
    if not folder.is_dir():
        installed = entry_points(group="spacy_models").names
        if source in installed:
            return source
        names = ", ".join(sorted(installed)) or "none"
        raise ModelError(
            _("'{source}' isn't a spaCy folder or pipeline (available: {names}).", source=source, names=names)
        )
    if not (folder / _CONFIG).is_file():
        raise ModelError(_("'{source}' has no {config}. Use the nlp.to_disk folder.", source=source, config=_CONFIG))
    try:
        sourced = get_sourced_components(load_config(folder / _CONFIG, interpolate=False))
    except (OSError, ValueError) as error:
        raise _unloadable(source, error) from error
    if sourced:
        raise ModelError(
            _(
                "'{source}' takes {part} from another package. Re-save it (nlp.to_disk).",
                source=source,
                part=next(iter(sourced)),
            )
        )
    return folder


def _doc(nlp: "Language", model_input: Input) -> "Doc":
    words: list[str] = []
    spaces: list[bool] = []
    for segment in model_input.segments:
        pairs = [(token, bool(space)) for token, space in zip(segment.tokens, segment.spaces, strict=True) if token]
        if words and pairs:
            words.append(_BETWEEN)
            spaces.append(False)
        words += [token for token, _other in pairs]
        spaces += [space for _other, space in pairs]
    return _doc_of(nlp, words, spaces)


def _doc_of(nlp: "Language", words: list[str], spaces: list[bool]) -> "Doc":
    from spacy.tokens import Doc  # noqa: PLC0415

    return Doc(nlp.vocab, words=words, spaces=spaces)


@contextmanager
def _errors_as_sentences(name: str) -> Iterator[None]:
    """What a foreign pipeline raises, as a sentence."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # its components are anybody's code, so that no list of errors would hold
        raise failure(name, error) from error


def _shares(scores: Floats, name: str) -> Floats:
    """Each row brought to the sum 1; equal shares where all are 0."""
    if not np.isfinite(scores).all():
        raise ModelError(_("{name} returns NaN or infinite probabilities.", name=name))
    sums = scores.sum(axis=1, keepdims=True)
    shares: Floats = np.where(sums > 0, scores / np.where(sums > 0, sums, 1.0), 1.0 / scores.shape[1])
    return shares


# The built-in model of before, spaCy's bag-of-words text classifier over lower-cased tokens: read, and no longer trained.


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
        docs = [_doc_of_words(self._nlp, _features([named_token], self._repeating)) for named_token in named_tokens]
        docs.append(_doc_of_words(self._nlp, ["a"]))  # spaCy's layer wants a token somewhere
        before_softmax = np.asarray(self._model.layers[0].predict(docs), dtype=np.float64)[:-1]
        weights: Floats = before_softmax - self.bias
        return weights


def _doc_of_words(nlp: "Language", words: Sequence[str]) -> "Doc":
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
