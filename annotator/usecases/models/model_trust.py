"""What people are told of a model that was trained here: how often it is right, and whether it has seen a text before."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotator.attribution.built_in_model import BagOfWords
from annotator.domain.models import HeldOut, StoredTraining
from annotator.domain.numbers import percent, points
from annotator.language import _, together, unsaid
from annotator.metrics.significance import FEWEST
from annotator.store import Store
from annotator.store.connection.replacement import models_of
from annotator.store.trained_models import models_trained, trainings_of, trainings_with

Seen = Literal["yes", "no", "unknown"]  # whether a text was in the training of a model that was trained here

_NO_ANSWER = unsaid("no answer")  # of models that answer questions
_OLDER = unsaid("Old model: whole words only. Retrain it.")
_WAYS = {
    "splits": unsaid("held-out texts of other splits"),
    "folds": unsaid("texts (five-fold cross-validation by document)"),
}


@dataclass(frozen=True, slots=True)
class Trainings:
    """The trainings of a project's models by name.

    unknown: models that were trained here before it was written down
    older:   built-in models that an older version of this program trained
    stopped: models whose best epoch validation texts chose, of which they did not learn
    """

    known: Mapping[str, StoredTraining] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()
    stopped: frozenset[str] = frozenset()

    @staticmethod
    def of(store: Store, project_id: int) -> "Trainings":
        known = trainings_of(store, project_id)
        trained = models_trained(store, project_id)
        folder = models_of(store.path) / str(project_id)
        older = frozenset(name for name in trained | known.keys() if BagOfWords.is_of_before(folder / name))
        stopped = frozenset(name for name, kind in trained.items() if kind == "transformers")
        return Trainings(known, frozenset(trained.keys() - known.keys()), older, stopped)

    def brief(self, model: str) -> str:
        """How often a model is right about what it did not learn from, in a line, so that maps side by side begin alike."""
        if model in self.known:
            return held_out_brief(self.known[model].held_out)
        return _("not tested on held-out texts")

    def summary(self, model: str) -> str | None:
        """How often a model is right about what it did not learn from, in a sentence; None of a model from elsewhere."""
        if model in self.unknown:
            summary = _("Held-out accuracy is unknown. Retrain to measure it.")
        elif model in self.known:
            summary = held_out_summary(self.known[model].held_out)
        else:
            return None
        return together(summary, _(_OLDER)) if model in self.older else summary


def held_out_brief(held_out: HeldOut | None) -> str:
    """In a line, beside an answer.

    >>> held_out_brief(HeldOut("splits", 138, 81, "negative", 62, 0.05, 0.22))
    'right on 58.7 % of 138 held-out texts; always “negative”: 44.9 %'
    >>> held_out_brief(None)
    'not tested: fewer than 20 held-out texts'
    >>> held_out_brief(HeldOut("splits", 100, 61, "", 25, 0.2, 0.4))
    'exact match on 61.0 % of 100 held-out texts; always “no answer”: 25.0 %'
    """
    if held_out is None:
        return _("not tested: fewer than {fewest} held-out texts", fewest=FEWEST)
    always = _(
        "always “{label}”: {share}", label=held_out.label or _(_NO_ANSWER), share=percent(held_out.share_of_label)
    )
    if not held_out.label:
        return _(
            "exact match on {accuracy} of {n} held-out texts; {always}",
            accuracy=percent(held_out.accuracy),
            n=f"{held_out.n:,}",
            always=always,
        )
    return _(
        "right on {accuracy} of {n} held-out texts; {always}",
        accuracy=percent(held_out.accuracy),
        n=f"{held_out.n:,}",
        always=always,
    )


_CLEAR = unsaid("; difference {low} to {high} points (95 %)")
_UNCLEAR = unsaid("; no clear difference ({low} to {high} points, 95 %)")


def held_out_summary(held_out: HeldOut | None) -> str:
    """In a sentence, beside always predicting the majority label.

    >>> held_out_summary(HeldOut("splits", 8, 6, "a", 4, 0.05, 0.09))
    'Correct on 75.0 % of 8 held-out texts of other splits. Always predicting “a”: 50.0 %; difference +5.0 to +9.0 points (95 %).'
    >>> held_out_summary(HeldOut("splits", 40, 3, "", 1))
    'Exact match on 7.5 % of 40 held-out texts of other splits. Always answering “no answer”: 2.5 %; no clear difference.'
    """
    if held_out is None:
        return _("Accuracy unknown: fewer than {fewest} held-out texts with gold.", fewest=FEWEST)
    difference = _("; no clear difference")
    if held_out.low is not None and held_out.high is not None:
        sentence = _CLEAR if held_out.low > 0 or held_out.high < 0 else _UNCLEAR
        difference = _(sentence, low=points(held_out.low), high=points(held_out.high))
    if not held_out.label:
        return _(
            "Exact match on {accuracy} of {n} {texts}. Always answering “{answer}”: {share}{difference}.",
            accuracy=percent(held_out.accuracy),
            n=f"{held_out.n:,}",
            texts=_(_WAYS[held_out.way]),
            answer=_(_NO_ANSWER),
            share=percent(held_out.share_of_label),
            difference=difference,
        )
    return _(
        "Correct on {accuracy} of {n} {texts}. Always predicting “{label}”: {share}{difference}.",
        accuracy=percent(held_out.accuracy),
        n=f"{held_out.n:,}",
        texts=_(_WAYS[held_out.way]),
        label=held_out.label,
        share=percent(held_out.share_of_label),
        difference=difference,
    )


def seen_by(store: Store, trainings: Trainings, instance_id: int) -> dict[str, Seen]:
    """Of the models that were trained here, whether a text was in their training."""
    ids = trainings_with(store, instance_id)
    seen: dict[str, Seen] = {name: "yes" if training.id in ids else "no" for name, training in trainings.known.items()}
    return seen | dict.fromkeys(trainings.unknown, "unknown")


def seen_summary(seen: Seen | None) -> str | None:
    """In a sentence; None where there is nothing to say."""
    match seen:
        case "yes":
            return _("This text was in its training data: no evidence of generalisation.")
        case "unknown":
            return _("Its training texts weren't recorded. Retrain it.")
    return None
