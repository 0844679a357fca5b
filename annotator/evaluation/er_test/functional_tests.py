"""Failure rates of functional tests, from a suite and what models predict for its texts."""

from collections.abc import Iterable, Sequence

import numpy as np

from annotator.domain.suites import Answer, Case, has_probabilities
from annotator.formats.suites.cases import Suite
from annotator.formats.suites.predictions import Prediction, Run
from annotator.metrics.aggregate import mean_of
from annotator.metrics.er_test_functional import failure_rate
from annotator.metrics.ragged import Floats
from annotator.scoring.over_runs import Samples, means_of_runs
from annotator.scoring.reports import Report
from annotator.scoring.verdicts import verdicts


def functional_scores(suite: Suite, runs: Sequence[Run], base: Sequence[Run], samples: Samples) -> Report:
    """Failure rates by test, by category and of all cases; those of a base model and the difference where it is given."""
    verdicts, of_base = _verdicts_of_runs(suite, runs), _verdicts_of_runs(suite, base) if base else None
    tests, categories = _numbers(suite, "test"), _numbers(suite, "category")
    scores: Report = {"tests": {}, "categories": {}}
    for group, by_name in (("tests", tests), ("categories", categories)):
        of_group: Report = {}
        for name, numbers in by_name.items():
            first = suite.cases[numbers[0]]
            kind = {"category": first.category, "type": first.type} if group == "tests" else {}
            name_of_rate = f"functional.{group}.{name}"
            of_group[name] = {**kind, **_rates(verdicts, of_base, numbers, name_of_rate, samples)}
        scores[group] = of_group
    scores["all"] = _rates(verdicts, of_base, list(range(len(suite.cases))), "functional.all", samples)
    return scores


def _numbers(suite: Suite, attribute: str) -> dict[str, list[int]]:
    """The numbers of the cases of each test or category, in the order of the file."""
    numbers_by_name: dict[str, list[int]] = {}
    for number, case in enumerate(suite.cases):
        numbers_by_name.setdefault(getattr(case, attribute), []).append(number)
    return numbers_by_name


def _rates(
    verdicts: Floats, of_base: Floats | None, numbers: Sequence[int], name_of_rate: str, samples: Samples
) -> Report:
    here = verdicts[:, numbers]
    scores: Report = {"n_cases": len(numbers), **_of_model(here)}
    samples.single[f"{name_of_rate}.rate"] = means_of_runs(here)
    if of_base is not None:
        base = of_base[:, numbers]
        pair = means_of_runs(here), means_of_runs(base)
        difference = mean_of(pair[0] - pair[1])
        scores["base"] = _of_model(base)
        scores["difference"] = {
            "value": difference.value, "n": difference.n, "n_left_out": difference.n_left_out
        }  # fmt: skip
        samples.paired[f"{name_of_rate}.difference"] = pair
    return scores


def _of_model(verdicts: Floats) -> Report:
    rate = failure_rate(verdicts)
    return {
        "n_failed": [int(np.nansum(of_run)) for of_run in verdicts],
        "n_not_applicable": [int(np.isnan(of_run).sum()) for of_run in verdicts],
        "rate": {
            "value": rate.mean,
            "deviation": rate.deviation,
            "runs": [mean_of(of_run).value for of_run in verdicts],
        },
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
