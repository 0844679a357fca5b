"""What people are told of a model that was trained here: how often it is right, and whether it has seen a text before."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotator.attribution.bag_of_words import BagOfWords
from annotator.domain.numbers import percent
from annotator.domain.trainings import HeldOut, StoredTraining
from annotator.metrics.chance import FEWEST
from annotator.store import Store
from annotator.store.connection.replacement import models_of
from annotator.store.trainings import models_trained, trainings_of, trainings_with

Seen = Literal["yes", "no", "unknown"]  # whether a text was in the training of a model that was trained here

_NO_ANSWER = "no answer"  # of models that answer questions
_AGAIN = "Train it again to have it said."
_OLDER = "It is of an older sort, which knows whole words alone; train it again to have it know parts of words as well."
_WAYS = {
    "splits": "texts of other splits, from which it did not learn",
    "folds": "texts, each asked of a model that did not learn from it (five folds by document)",
}


@dataclass(frozen=True, slots=True)
class Trainings:
    """The trainings of a project's models by name.

    unknown: models that were trained here before it was written down
    older:   built-in models that an older version of this program trained
    """

    known: Mapping[str, StoredTraining] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()

    @staticmethod
    def of(store: Store, project_id: int) -> "Trainings":
        known = trainings_of(store, project_id)
        trained = models_trained(store, project_id)
        folder = models_of(store.path) / str(project_id)
        older = frozenset(name for name in trained | known.keys() if BagOfWords.is_of_before(folder / name))
        return Trainings(known, frozenset(trained - known.keys()), older)

    def brief(self, model: str) -> str:
        """How often a model is right about what it did not learn from, in a line, so that maps side by side begin alike."""
        if model in self.known:
            return held_out_brief(self.known[model].held_out)
        return "not tested on held-out texts" if model in self.unknown else "not tested here on held-out texts"

    def summary(self, model: str) -> str | None:
        """How often a model is right about what it did not learn from, in a sentence; None of a model from elsewhere."""
        if model in self.unknown:
            summary = f"How often it is right about texts that it did not learn from was not measured. {_AGAIN}"
        elif model in self.known:
            summary = held_out_summary(self.known[model].held_out)
        else:
            return None
        return f"{summary} {_OLDER}" if model in self.older else summary


def held_out_brief(held_out: HeldOut | None) -> str:
    """In a line, beside an answer.

    >>> held_out_brief(HeldOut("splits", 138, 81, "negative", 62, 0.05, 0.22))
    'right on 58.7 % of 138 held-out texts; always “negative”: 44.9 %'
    >>> held_out_brief(None)
    'not tested: fewer than 20 held-out texts'
    >>> held_out_brief(HeldOut("splits", 100, 61, "", 25, 0.2, 0.4))
    'exactly right on 61.0 % of 100 held-out texts; always “no answer”: 25.0 %'
    """
    if held_out is None:
        return f"not tested: fewer than {FEWEST} held-out texts"
    always = f"always “{held_out.label or _NO_ANSWER}”: {percent(held_out.share_of_label)}"
    if not held_out.label:
        return f"exactly right on {percent(held_out.accuracy)} of {held_out.n:,} held-out texts; {always}"
    return f"right on {percent(held_out.accuracy)} of {held_out.n:,} held-out texts; {always}"


def held_out_summary(held_out: HeldOut | None) -> str:
    """In a sentence, beside always predicting the majority label.

    >>> held_out_summary(HeldOut("splits", 138, 81, "negative", 62, 0.05, 0.22))
    'Correct on 58.7 % of 138 texts of other splits, from which it did not learn. Always predicting “negative”: 44.9 %.'
    >>> held_out_summary(HeldOut("splits", 40, 3, "", 1, 0.2, 0.4))
    'Exactly the gold answer on 7.5 % of 40 texts of other splits, from which it did not learn. Always saying “no answer”: 2.5 %.'
    """
    if held_out is None:
        return f"How often it is right is not known: there are fewer than {FEWEST} texts with gold from which it did not learn."
    difference = "" if held_out.low is not None and held_out.low > 0 else "; no clear difference"
    if not held_out.label:
        return (
            f"Exactly the gold answer on {percent(held_out.accuracy)} of {held_out.n:,} {_WAYS[held_out.way]}. Always saying "
            f"“{_NO_ANSWER}”: {percent(held_out.share_of_label)}{difference}."
        )
    return (
        f"Correct on {percent(held_out.accuracy)} of {held_out.n:,} {_WAYS[held_out.way]}. Always predicting “{held_out.label}”: "
        f"{percent(held_out.share_of_label)}{difference}."
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
            return "This text was in its training data: its answer here says nothing of how it does on new ones."
        case "unknown":
            return f"Which texts it learned from is not known: it was trained before that was kept. {_AGAIN}"
    return None
