"""False positive rates over groups of words, from labelled texts and predictions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.errors import InvalidValue
from annotator.formats.rows.findings import listed
from annotator.formats.suites.word_groups import WordGroup
from annotator.metrics.er_test_functional import Fairness, false_positive_rate_difference
from annotator.metrics.ragged import Flags
from annotator.scoring.reports import Report
from annotator.scoring.seeds import over_runs


@dataclass(frozen=True, slots=True)
class LabelledTexts:
    """Texts with their labels, and what each run of a model predicts for them. Shapes: predicted str[n_runs][n]."""

    texts: Sequence[str]
    labels: Sequence[str]
    predicted: Sequence[Sequence[str]]


def fairness_scores(items: LabelledTexts, groups: Sequence[WordGroup], positive: str) -> Report:
    """The false positive rate difference of a model with the rates of all and of each group.

    Raises: InvalidValue for a label that neither a text nor a prediction has
    """
    known = {*items.labels, *(label for of_run in items.predicted for label in of_run)}
    if positive not in known:
        raise InvalidValue(
            f"No text has the label '{positive}' (--positive), and none is predicted to; there are {listed(sorted(known))}."
        )
    gold: Flags = np.array([label == positive for label in items.labels], dtype=np.bool_)
    mentions: Flags = np.array([[group.is_mentioned_in(text) for text in items.texts] for group in groups])
    made = [
        false_positive_rate_difference(np.array([label == positive for label in of_run]), gold, mentions)
        for of_run in items.predicted
    ]
    return {
        "difference": over_runs([of_run.difference for of_run in made]),
        "overall": over_runs([of_run.overall for of_run in made]),
        "groups": {group.name: _of_group(number, made, mentions) for number, group in enumerate(groups)},
        "n_texts": len(items.texts),
        "n_negatives": int((~gold).sum()),
        "n_groups_left_out": made[0].n_groups_left_out,
    }


def _of_group(number: int, made: Sequence[Fairness], mentions: Flags) -> Report:
    rates = [float(of_run.rates[number]) for of_run in made]
    return {
        "rate": over_runs([None if np.isnan(rate) else rate for rate in rates]),
        "n_texts": int(mentions[number].sum()),
        "n_negatives": int(made[0].n_negatives[number]),
    }
