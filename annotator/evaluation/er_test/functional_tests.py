"""Failure rates of functional tests, and false positive rates over groups, from cases and what models predict."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.suites import Answer, Case, has_probabilities
from annotator.errors import InvalidValue
from annotator.formats.rows.findings import listed
from annotator.formats.suites.cases import Suite
from annotator.formats.suites.predictions import Prediction, Run
from annotator.formats.suites.word_groups import WordGroup
from annotator.metrics.aggregate import mean_of
from annotator.metrics.er_test_functional import Fairness, failure_rate, false_positive_rate_difference
from annotator.metrics.ragged import Flags, Floats
from annotator.scoring.reports import Report, verdicts
from annotator.scoring.seeds import Samples, means_of_runs, over_runs
from annotator.scoring.suite_baselines import Baselines, baselines_of


def functional_scores(suite: Suite, runs: Sequence[Run], base: Sequence[Run], samples: Samples) -> Report:
    """Failure rates by test, by category and of all cases; those of a base model and the difference where it is given.

    Each beside what models that read nothing get, which know the labels that the predictions know.
    """
    labels = sorted(labels_known(prediction for run in (*runs, *base) for prediction in run.of_texts.values()))
    rates = _Rates(
        _verdicts_of_runs(suite, runs), _verdicts_of_runs(suite, base) if base else None, _numbers(suite, "test"),
        baselines_of(suite.cases, labels), samples,
    )  # fmt: skip
    scores: Report = {"tests": {}, "categories": {}}
    for group, by_name in (("tests", rates.tests), ("categories", _numbers(suite, "category"))):
        of_group: Report = {}
        for name, numbers in by_name.items():
            first = suite.cases[numbers[0]]
            kind = {"category": first.category, "type": first.type} if group == "tests" else {}
            of_group[name] = {**kind, **rates.of_cases(numbers, f"functional.{group}.{name}")}
        scores[group] = of_group
    scores["all"] = rates.of_cases(list(range(len(suite.cases))), "functional.all")
    return scores


def _numbers(suite: Suite, attribute: str) -> dict[str, list[int]]:
    """The numbers of the cases of each test or category, in the order of the file."""
    numbers_by_name: dict[str, list[int]] = {}
    for number, case in enumerate(suite.cases):
        numbers_by_name.setdefault(getattr(case, attribute), []).append(number)
    return numbers_by_name


@dataclass(frozen=True, slots=True, eq=False)
class _Rates:
    """verdicts, of_base: float[n_runs, n_cases]; tests: the numbers of the cases of each."""

    verdicts: Floats
    of_base: Floats | None
    tests: Mapping[str, Sequence[int]]
    baselines: Baselines
    samples: Samples

    def of_cases(self, numbers: Sequence[int], name_of_rate: str) -> Report:
        *constants, random = self.baselines.rates(np.array(numbers))
        scores: Report = {"n_cases": len(numbers), **self._of_model(self.verdicts, numbers)}
        scores["baselines"] = {
            "always": {str(constant.label): constant.rate for constant in constants},
            "random": random.rate,
        }
        here = means_of_runs(self.verdicts[:, numbers])
        self.samples.single[f"{name_of_rate}.rate"] = here
        if self.of_base is not None:
            pair = here, means_of_runs(self.of_base[:, numbers])
            difference = mean_of(pair[0] - pair[1])
            scores["base"] = self._of_model(self.of_base, numbers)
            scores["difference"] = {
                "value": difference.value, "n": difference.n, "n_left_out": difference.n_left_out
            }  # fmt: skip
            self.samples.paired[f"{name_of_rate}.difference"] = pair
        return scores

    def _of_model(self, verdicts: Floats, numbers: Sequence[int]) -> Report:
        here, wanted = verdicts[:, numbers], set(numbers)
        rate = failure_rate(here)
        tests = [np.array([n for n in of_test if n in wanted], dtype=np.int64) for of_test in self.tests.values()]
        against = self.baselines.against([(of, means_of_runs(verdicts[:, of])) for of in tests if len(of)])
        return {
            "n_failed": [int(np.nansum(of_run)) for of_run in here],
            "n_not_applicable": [int(np.isnan(of_run).sum()) for of_run in here],
            "rate": {
                "value": rate.mean,
                "deviation": rate.deviation,
                "runs": [mean_of(of_run).value for of_run in here],
            },
            "against_baselines": None if against is None else against.words,
        }


def _verdicts_of_runs(suite: Suite, runs: Sequence[Run]) -> Floats:
    """float[n_runs, n_cases]: 1 failed, 0 passed, NaN does not apply."""
    return np.array([verdicts(suite.cases, answers_of(suite, run)) for run in runs])


def answers_of(suite: Suite, run: Run) -> list[Answer]:
    """A run's predictions for the texts of each case."""
    return [
        [run.of_texts[case.test, case.case, position] for position in range(len(case.texts))] for case in suite.cases
    ]


def counts_of_suite(suite: Suite) -> Report:
    """What is scored."""
    return {
        "tests": len({case.test for case in suite.cases}),
        "cases": len(suite.cases),
        "texts": sum(len(case.texts) for case in suite.cases),
        "cases_taken_out_by_the_suite": sum(not case.applies.is_judged for case in suite.cases),
        "changed_texts_equal_to_the_original": sum(_n_unchanged(case) for case in suite.cases),
    }


def counts_of_answers(suite: Suite, runs: Sequence[Run]) -> Report:
    """What is scored, but worth a look. A case that expects only labels which no prediction knows cannot pass."""
    known = labels_known(prediction for run in runs for prediction in run.of_texts.values())
    expected = expected_labels(suite)
    positive = [case for case in suite.cases if case.type == "MFT" and not case.is_forbidden]
    answers = [answer for run in runs for answer in zip(suite.cases, answers_of(suite, run), strict=True)]
    return {
        "expected_labels_that_no_prediction_knows": sorted(expected - known),
        "cases_that_expect_only_such_labels": sum(known.isdisjoint(case.labels) for case in positive),
        "labels_that_the_suite_does_not_expect": sorted(known - expected) if expected else [],
        "inv_cases_judged_without_probabilities": sum(
            case.type == "INV" and not has_probabilities(answer) for case, answer in answers
        ),
    }


def expected_labels(suite: Suite) -> set[str]:
    """Every label that a case names."""
    return {label for case in suite.cases for label in case.labels}


def labels_known(predictions: Iterable[Prediction]) -> set[str]:
    """The labels that are predicted or have a probability."""
    known: set[str] = set()
    for prediction in predictions:
        known.add(prediction.label)
        known.update(prediction.probabilities or ())
    return known


def _n_unchanged(case: Case) -> int:
    return 0 if case.type == "MFT" else sum(text == case.texts[0] for text in case.texts[1:])


# False positive rates over groups of words, from labelled texts and predictions.


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
