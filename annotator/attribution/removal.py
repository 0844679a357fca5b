"""What methods share that only ask a model about changed inputs: which number they ask for, and how tokens are removed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, cast

import numpy as np

from annotator.attribution.base import (
    GivesLogits,
    HasCover,
    HasLimit,
    Input,
    Predictor,
    StatesEmpty,
    StatesOrder,
    StatesTooLong,
    TracksAnswer,
    with_target,
)
from annotator.errors import ModelError
from annotator.language import _
from annotator.metrics.ragged import Flags, Floats, Integers

Output = Literal["logit", "probability"]
Removal = Literal["delete", "cover"]

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
                _("{name} tells probabilities alone, no logits. Ask for output=probability.", name=predictor.name)
            )
        if isinstance(predictor, TracksAnswer) and (removal == "delete" or not has_cover):
            raise ModelError(
                _(
                    "{name} answers with a stretch of the text, whose place is lost where tokens are deleted. Ask for "
                    "removal=cover.",
                    name=predictor.name,
                )
                if has_cover
                else _(
                    "{name} answers with a stretch of the text, whose place is lost where tokens are deleted. It has no token "
                    "that covers others; choose another method.",
                    name=predictor.name,
                )
            )
        if removal == "cover" and not has_cover:
            raise ModelError(_("{name} has no token that covers others. Ask for removal=delete.", name=predictor.name))
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
            raise ModelError(
                _(
                    "{name} knows no label '{label}'. It knows {labels}.",
                    name=self.predictor.name,
                    label=label,
                    labels=", ".join(self.predictor.labels),
                )
            )
        return self.predictor.labels.index(label)

    def numbers(self, inputs: Iterable[Input], column: int) -> Floats:
        """float[n_inputs]: the logit or probability of a label; the inputs may be made while they are asked for."""
        return self.all_labels(inputs)[:, column]

    def all_labels(self, inputs: Iterable[Input]) -> Floats:
        """float[n_inputs, n_labels]: the same of every label."""
        batches, waiting = [np.empty((0, len(self.predictor.labels)))], iter(inputs)
        while some := list(islice(waiting, _AT_ONCE)):
            batches.append(self._answers(some))
        return np.concatenate(batches)

    def without(self, model_input: Input, mask: Flags) -> Input:
        """The input with the tokens outside the mask removed, but for a target that is asked about; mask: bool[n_selectable]."""
        mask = with_target(self.predictor, model_input, mask)
        if self.removal == "cover" and isinstance(self.predictor, HasCover):
            return model_input.covered(mask, self.predictor.mask_token)
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


def scores_on_tokens(scores: Floats, seen: Integers, n_selectable: int) -> tuple[float, ...]:
    """Scores of the tokens that were seen, NaN for the others."""
    of_all_tokens = np.full(n_selectable, np.nan)
    of_all_tokens[seen] = scores
    return tuple(of_all_tokens.tolist())


def unseen_fact(seen: Integers, n_selectable: int) -> dict[str, float]:
    """How many tokens the model did not see, where there are such."""
    return {"unseen_tokens": float(n_selectable - len(seen))} if len(seen) < n_selectable else {}
