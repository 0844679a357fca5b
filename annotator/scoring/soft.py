"""Numbers against soft gold: of selected tokens, and of a model's answers, against shares of people and against each person."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.models import Prediction
from annotator.metrics import soft_gold as soft
from annotator.metrics.against_sets import mask_of
from annotator.metrics.ragged import Flags, Floats, GoldSets, Ragged
from annotator.metrics.set_aware import best_set
from annotator.scoring.gold import GoldRow, GoldTable

Values = dict[str, Floats]
_MOST_AWAY = 0.01  # of the sum of probabilities from 1
_OF_SETS = re.compile(
    r"(sets|ferret|er_test)\.|benchmark\.(token|iou)_f1|editing\.(?!need_edit)"
    r"|eraser\.(auprc|average_precision|roc_auc|(token|iou|exact)_)"
)


def needs_sets(name: str) -> bool:
    """Whether a metric compares with sets, so that soft gold has no value of it.

    >>> needs_sets("benchmark.iou_f1_paper"), needs_sets("eraser.accuracy")
    (True, False)
    """
    return _OF_SETS.match(name) is not None


@dataclass(frozen=True, slots=True, eq=False)
class PersonValues:
    """Values of single instances against single people's gold.

    Shapes: people: a name a value; values float[n], NaN where one is not defined
    """

    people: Sequence[str]
    values: Floats

    @staticmethod
    def joined(parts: Sequence["PersonValues"]) -> "PersonValues":
        names = [name for part in parts for name in part.people]
        return PersonValues(names, np.concatenate([np.zeros(0), *(part.values for part in parts)]))

    def totals(self, name: str) -> dict[str, float | None]:
        """The mean over people, and the lowest person's, under the name and with "_lowest" behind it."""
        numbers = {person: number for number, person in enumerate(dict.fromkeys(self.people))}
        people = np.array([numbers[person] for person in self.people], dtype=np.int64)
        over_people = soft.over_people(self.values, people)
        return {name: over_people.mean, f"{name}_lowest": over_people.lowest}


def of_selection(selected: Ragged[np.int64], gold: GoldTable) -> Values:
    """Numbers of selected tokens against the shares of people who marked them."""
    shares = gold.shares
    probabilities = shares.with_values(mask_of(selected, shares).values.astype(np.float64))
    return {
        "soft.token_f1": soft.soft_token_f1(selected, shares),
        "soft.token_f1_ceiling": soft.soft_token_f1_ceiling(shares),
        "soft.token_manhattan": soft.token_manhattan(probabilities, shares),
    }


def of_people(selected: Ragged[np.int64], gold: GoldTable, are_defined: Flags) -> PersonValues:
    """Best-set token F1 of selected tokens against each person's own sets, whatever label they gave.

    are_defined: bool[n_instances]: in which tokens were selected by their scores
    """
    listed = [
        (index, opinion.annotator, opinion.sets)
        for index, row in enumerate(gold.rows)
        for opinion in row.opinions
        if are_defined[index] and opinion.is_of_person and opinion.sets is not None
    ]
    rows = np.array([index for index, _, _ in listed], dtype=np.int64)
    sets = GoldSets.of([[s.token_indices for s in of_one] for _, _, of_one in listed])
    return PersonValues([name for _, name, _ in listed], best_set(selected.take(rows), sets).values)


def of_answers(
    rows: Sequence[GoldRow], answers: Mapping[int, Prediction], ordered_labels: Sequence[str] = ()
) -> tuple[Values, dict[str, float | None]]:
    """Numbers of predicted labels against everybody's, float[n_rows] each, and numbers over people.

    ordered_labels: all labels in their order, where they have one; else there is no Wasserstein distance
    """
    known = {label for row in rows for label in (*row.label_shares, *answers[row.id].probabilities)}
    labels = [*ordered_labels, *sorted(known.difference(ordered_labels))]
    people, model = np.full((2, len(rows), len(labels)), np.nan)
    for index, row in enumerate(rows):
        probabilities = answers[row.id].probabilities
        if row.label_shares:
            people[index] = [row.label_shares.get(label, 0.0) for label in labels]
        if abs(sum(probabilities.values()) - 1) <= _MOST_AWAY:
            model[index] = [probabilities.get(label, 0.0) for label in labels]
    values = {
        "soft.label_manhattan": soft.label_manhattan(people, model),
        "soft.label_jensen_shannon": soft.label_jensen_shannon(people, model),
        "soft.label_cross_entropy": soft.label_cross_entropy(people, model),
    }
    if ordered_labels and known <= set(ordered_labels):
        values["soft.label_wasserstein"] = soft.label_wasserstein(people, model)
    given = [(row.id, of) for row in rows for of in row.opinions if of.is_of_person and of.label is not None]
    is_right = np.array([answers[number].label == of.label for number, of in given], dtype=np.float64)
    totals = PersonValues([of.annotator for _, of in given], is_right).totals("person.accuracy")
    totals["person.error_rate"] = float(1 - is_right.mean()) if given else None
    return values, totals
