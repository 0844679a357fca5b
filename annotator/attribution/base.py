"""The one protocol behind which every model and every method stands.

A predictor answers probabilities for lists of tokens; an explainer answers a score for each token. Tokens are the project's
own, so that nothing has to be found again in a text; a predictor that cuts them into subwords puts these together itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress, pairwise, repeat
from typing import Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from annotator.domain.instances import Instance
from annotator.domain.models import Attribution, Prediction, Unit
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.ragged import Flags

Preset = TypeVar("Preset")
TooLong = Literal["refuse", "cut", "windows"]  # what happens to a text beyond a model's limit


def no_label(name: str, label: str, labels: str) -> str:
    """That a model does not give a label; labels: those that it gives, in a line."""
    return _("'{name}' has no label '{label}'. Available: {labels}.", name=name, label=label, labels=labels)


def no_number(name: str, shown: str, reason: str) -> ModelError:
    """That a model answered a text with what is no number. reason: by which such texts are counted."""
    return ModelError(_("'{name}' returned a non-number for {shown}.", name=name, shown=shown), reason=reason)


def failure(name: str, error: Exception) -> ModelError:
    """What a model raised, as an error with a sentence."""
    values = {"name": name, "error": type(error).__name__, "first_line": first_line(error)}
    return ModelError(_("'{name}' failed ({error}: “{first_line}”).", **values))


def first_line(error: Exception) -> str:
    """The beginning of what an error says."""
    message = str(error).strip()
    return message.splitlines()[0][:300] if message else type(error).__name__


@dataclass(frozen=True, slots=True)
class SegmentTokens:
    """A segment's tokens, and the white space that follows each in the text ("" or some).

    sentences: the number of each token's sentence; () where all are one
    """

    name: str
    tokens: tuple[str, ...]
    spaces: tuple[str, ...]
    is_selectable: bool = True
    sentences: tuple[int, ...] = ()

    @staticmethod
    def of(name: str, body: TokenizedText, is_selectable: bool) -> "SegmentTokens":
        """The tokens of a text, each with the white space behind it."""
        ends = [*body.starts[1:], len(body.text)]
        spaces = tuple(body.text[end:start] for end, start in zip(body.ends, ends, strict=False))
        numbers = (repeat(number, end - start) for number, (start, end) in enumerate(body.sentences()))
        sentences = tuple(chain.from_iterable(numbers)) if len(body.sentence_starts) > 1 else ()
        return SegmentTokens(name, tuple(body.tokens()), spaces, is_selectable, sentences)

    @property
    def text(self) -> str:
        return "".join(token + space for token, space in zip(self.tokens, self.spaces, strict=True)).strip()


@dataclass(frozen=True, slots=True)
class Input:
    """What a model is asked about: segments in token order, those that can be marked first.

    target: the tokens that the label is about, a half-open range numbered as in the instance; None where it is about the whole
    """

    segments: tuple[SegmentTokens, ...]
    language: str = "en"
    target: tuple[int, int] | None = None

    @staticmethod
    def of(instance: Instance) -> "Input":
        """The input of an instance, its tokens numbered as there."""
        segments = (SegmentTokens.of(s.name, s.body, s.is_selectable) for s in instance.segments)
        return Input(tuple(segments), instance.language, instance.target)

    @property
    def n_tokens(self) -> int:
        return sum(len(segment.tokens) for segment in self.segments)

    @property
    def n_selectable(self) -> int:
        """How many tokens can be marked; they are the first ones."""
        return sum(len(segment.tokens) for segment in self.segments if segment.is_selectable)

    def kept(self, mask: Flags) -> "Input":
        """The input with some of its tokens alone, in their order; what cannot be marked always stays.

        mask: bool[n_selectable]
        """
        return replace(self, segments=self._changed(mask, _tokens_kept), target=self._target_in(mask))

    def _changed(
        self, mask: Flags, change: Callable[[SegmentTokens, Flags], SegmentTokens]
    ) -> tuple[SegmentTokens, ...]:
        """Each segment that can be marked changed by its part of the mask."""
        segments, first = [], 0
        for segment in self.segments:
            if segment.is_selectable:
                here = mask[first : first + len(segment.tokens)]
                first += len(segment.tokens)
                segments.append(change(segment, here))
            else:
                segments.append(segment)
        return tuple(segments)

    def _target_in(self, mask: Flags) -> tuple[int, int] | None:
        """Where the target is when only these tokens are left; None where a part of it is gone."""
        if self.target is None or not mask[slice(*self.target)].all():
            return None
        first, end = self.target
        moved = int(np.count_nonzero(mask[:first])) + max(0, first - len(mask))
        return moved, moved + end - first

    def covered(self, mask: Flags, cover: str) -> "Input":
        """The input with the tokens outside the mask replaced by one word each, such as a model's own mask token.

        mask: bool[n_selectable], as for `kept`
        """

        def change(segment: SegmentTokens, here: Flags) -> SegmentTokens:
            pairs = zip(segment.tokens, here, strict=True)
            return replace(segment, tokens=tuple(token if stays or not token else cover for token, stays in pairs))

        return replace(self, segments=self._changed(mask, change))

    def sides(self) -> list[tuple[int, int]]:
        """The selectable segments as half-open token ranges."""
        ends = [0]
        for segment in self.segments:
            if segment.is_selectable:
                ends.append(ends[-1] + len(segment.tokens))
        return list(pairwise(ends))


def _tokens_kept(segment: SegmentTokens, mask: Flags) -> SegmentTokens:
    """The segment with the tokens that stay; the space after one that goes falls to the token before it."""
    stays = mask.tolist()  # Python's own: NumPy's are slow one by one
    spaces: list[str] = []
    for space, token_stays in zip(segment.spaces, stays, strict=True):
        if token_stays:
            spaces.append(space)
        elif spaces and not spaces[-1]:
            spaces[-1] = space
    tokens, sentences = tuple(compress(segment.tokens, stays)), tuple(compress(segment.sentences, stays))
    return SegmentTokens(segment.name, tokens, tuple(spaces), segment.is_selectable, sentences)


def preset_parameters(
    presets: Mapping[str, Mapping[str, Mapping[str, Preset]]], method: str, name: object
) -> dict[str, Preset]:
    """What a preset sets for a method; nothing where none is named. Raises InvalidValue naming those of the method."""
    if name is None:
        return {}
    by_method = presets.get(name, {}) if isinstance(name, str) else {}
    if method not in by_method:
        known = [preset for preset, methods in presets.items() if method in methods]
        raise InvalidValue(
            _(
                "{method} has no preset '{name}'. Available: {presets}.",
                method=method, name=name, presets=", ".join(known) or _("none"),
            )
        )  # fmt: skip
    return dict(by_method[method])


@runtime_checkable
class Predictor(Protocol):
    """A model. labels: in the order of its probabilities; name: under which its answers are stored."""

    name: str
    labels: tuple[str, ...]

    def probabilities(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """float[n_inputs, n_labels], each row summing to 1.

        Raises: ModelError when the model cannot answer
        """


@runtime_checkable
class GivesLogits(Predictor, Protocol):
    """A predictor that also tells its scores before the softmax; what is explained is then the logit."""

    def logits(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """float[n_inputs, n_labels]."""


@runtime_checkable
class HasCover(Protocol):
    """A predictor that knows a token for "nothing stands here", such as "[MASK]"; others have tokens taken out."""

    mask_token: str


@runtime_checkable
class HasLimit(Protocol):
    """A predictor that does not take in all tokens of a long input."""

    def seen(self, model_input: Input) -> Flags:
        """bool[n_selectable]: the tokens that the model takes in whole; the others get NaN for a score."""


@runtime_checkable
class StatesTooLong(Protocol):
    """A predictor that says what happens to a text that is longer than it takes: it is refused, cut, or read in windows."""

    @property
    def too_long(self) -> str: ...


@runtime_checkable
class StatesOrder(Protocol):
    """A predictor that says whether it reads the query before what can be marked."""

    @property
    def query_first(self) -> bool: ...


@runtime_checkable
class ReadsTarget(Protocol):
    """A predictor that may answer for the input's target alone, which then is in every input that it is asked about."""

    @property
    def reads_target(self) -> bool: ...


def with_target(predictor: object, model_input: Input, mask: Flags) -> Flags:
    """The tokens that stay in an input for this predictor; mask: bool[n_selectable], those that are wanted."""
    if model_input.target is None or not (isinstance(predictor, ReadsTarget) and predictor.reads_target):
        return mask
    stays = mask.copy()
    stays[slice(*model_input.target)] = True
    return stays


@runtime_checkable
class StatesEmpty(Protocol):
    """A predictor that has to say what it is asked when a text is left without words.

    empty_text: "bos", "eos" or "pad": that subword; "uniform": it is not asked, all labels are equally likely; "" where a text
                without words is an input like any other
    """

    @property
    def empty_text(self) -> str: ...


@runtime_checkable
class Answerer(Predictor, Protocol):
    """A reading model, which answers with a stretch of the text: `labels` is (), `probabilities` raises ModelError.

    Its explainers explain its own answer: the label given to `explain` is "" or that answer, and an attribution's label is it.
    """

    def answers(self, inputs: Sequence[Input]) -> list[Prediction]:
        """Each input's answer as the result, with its probability; "" without one where there is no text to answer from.

        Raises: ModelError when the model cannot answer
        """


@runtime_checkable
class TracksAnswer(Answerer, Protocol):
    """A reading model that also says how sure it is of its own answer to an input while tokens of it are covered."""

    def tracked(self, model_input: Input, label: str) -> GivesLogits:
        """A model whose one label is that answer; label: "" or exactly it.

        Raises: ModelError for another answer, or where there is no text to answer from
        """


@dataclass(frozen=True, slots=True)
class Explained:
    """An explainer's answer for one input.

    attributions: for each label or layer that was asked for, scores of the selectable tokens
    facts:        what a screen shows beside them: R², convergence, tokens that were not seen ...; of several layers the last's,
                  each attribution then having its own
    selected:     the tokens that a model selects as its own rationale, half-open ranges; None of all other methods
    """

    attributions: tuple[Attribution, ...]
    facts: Mapping[str, float] = field(default_factory=dict)
    selected: tuple[tuple[int, int], ...] | None = None


@runtime_checkable
class Writes(Predictor, Protocol):
    """A model that writes its answer subword by subword: `labels` is (), `probabilities` raises ModelError."""

    def writing(self, method: str, parameters: Mapping[str, object]) -> "Explainer":
        """A method that lets it write, and explains each subword; its attributions have `written`, and no label.

        Raises: InvalidValue for a method that cannot explain what is written, or a parameter that it has not
        """


class Explainer(Protocol):
    """A method. parameters: everything that changes its scores, as it is stored; the method declares its sign and unit."""

    method: str
    parameters: Mapping[str, object]
    seed: int | None
    unit: Unit
    is_signed: bool

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        """Scores of each input's tokens for the label beside it.

        Raises: ModelError when the model cannot answer
        """
