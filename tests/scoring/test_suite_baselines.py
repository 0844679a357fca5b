"""What models that read nothing get of functional tests, by hand and beside models that were drawn."""

import numpy as np
import pytest

from annotator.domain.suites import Applies, Case, CaseAnswer
from annotator.scoring.reports import verdicts
from annotator.scoring.suite_baselines import baselines_of

LABELS = ("negative", "neutral", "positive")


def case(kind, n_texts=1, labels=(), **more) -> Case:
    expectation = {"MFT": "label", "INV": "same"}.get(kind, "not_down")
    return Case("t", kind, "Logic", "0", ("a text",) * n_texts, more.pop("expectation", expectation), labels, **more)


def rates(*cases: Case, labels=LABELS) -> dict[str | None, float | None]:
    return {b.label: b.rate for b in baselines_of(cases, labels).rates(np.arange(len(cases)))}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (case("MFT", labels=("negative",)), {"negative": 0, "neutral": 1, "positive": 1, None: 2 / 3}),
        (case("MFT", 2, labels=("negative",)), {"negative": 0, "neutral": 1, "positive": 1, None: 8 / 9}),
        (case("MFT", labels=("negative",), is_forbidden=True), {"negative": 1, "neutral": 0, "positive": 0, None: 1 / 3}),
        (case("MFT", labels=("negative", "neutral")), {"negative": 0, "neutral": 0, "positive": 1, None: 1 / 3}),
        (case("INV", 3), {"negative": 0, "neutral": 0, "positive": 0, None: 8 / 9}),
        # judged where the first text is positive; fails where the other is not
        (case("DIR", 2, labels=("positive",)), {"negative": None, "neutral": None, "positive": 0, None: 2 / 3}),
        (
            case("DIR", 2, labels=("positive",), expectation="not_up"),
            {"negative": 0, "neutral": 0, "positive": None, None: 1 / 3},
        ),
        (
            case("DIR", 2, expectation="not_down", applies=Applies(original_is_not=("neutral",))),
            {"negative": 0, "neutral": None, "positive": 0, None: 2 / 3},
        ),
        (case("INV", 1), dict.fromkeys((*LABELS, None))),
        (case("MFT", labels=("x",), applies=Applies(is_judged=False)), dict.fromkeys((*LABELS, None))),
    ],
)  # fmt: skip
def test_constant_models_and_random_fail_as_often_as_one_counts_by_hand(asked: Case, expected: dict) -> None:
    assert rates(asked) == {label: pytest.approx(rate) for label, rate in expected.items()}


def test_random_is_what_drawn_models_come_to() -> None:
    cases = [
        case("MFT", 2, labels=("negative", "neutral"), applies=Applies(original_is=("neutral", "positive"))),
        case("INV", 4), case("DIR", 3, labels=("positive",)), case("DIR", 2, labels=("neutral",), expectation="not_up"),
        case("DIR", 3, applies=Applies(original_is_not=("neutral",))),
    ]  # fmt: skip
    drawn, random = baselines_of(cases, LABELS), np.random.default_rng(0)
    many = [one for one in cases for _ in range(4000)]
    answers = [
        [CaseAnswer(label, {name: float(name == label) for name in LABELS}) for label in random.choice(LABELS, len(one.texts))]
        for one in many
    ]  # fmt: skip
    judged = verdicts(many, answers).reshape(len(cases), -1)
    assert drawn.random == pytest.approx(np.nanmean(judged, axis=1), abs=0.03)
    assert drawn.random_weights == pytest.approx((~np.isnan(judged)).mean(axis=1), abs=0.03)
    every = np.arange(len(cases))
    assert drawn.rates(every)[-1].rate == pytest.approx(np.nanmean(judged), abs=0.02)


def test_a_model_is_told_from_the_baseline_that_fails_least() -> None:
    cases = [case("MFT", labels=("negative",))] * 70 + [case("MFT", labels=("positive",))] * 30
    baselines, numbers = baselines_of(cases, ("negative", "positive")), np.arange(100)

    def words(fails) -> str:
        return baselines.against([(numbers, np.array(fails, dtype=float))]).words

    assert words([0] * 100) == "better than always “negative”"
    assert words([0] * 70 + [1] * 30) == "no clear difference from always “negative”"
    assert words([1] * 100) == "worse than always “negative”"
    assert baselines.against([(numbers[:10], np.zeros(10))]).words == "too few to tell"
    assert baselines.against([(numbers, np.full(100, np.nan))]) is None


def test_constant_models_that_fail_alike_are_named_together_and_random_where_it_fails_least() -> None:
    invariance = baselines_of([case("INV", 2)] * 30, LABELS)
    assert invariance.against([(np.arange(30), np.ones(30))]).words == "worse than a constant model"
    unknown = baselines_of([case("MFT", labels=("x",))] * 30, LABELS)  # nobody knows it
    assert unknown.against([(np.arange(30), np.ones(30))]).labels == LABELS
    both = [case("MFT", labels=(label,)) for label in LABELS for _ in range(20)]
    random = baselines_of(both, LABELS)  # as often as each constant one: those are named
    assert random.against([(np.arange(60), np.zeros(60))]).words == "better than a constant model"
    assert baselines_of([case("INV", 2)], ()).rates(np.array([0]))[0].rate is None  # a project without labels
