"""The gate against an oracle in fractions, and at the exact edges that Wang et al. (2022, section 3.3) set."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from annotator.domain.reviews import SetScore, SetScores, Thresholds
from annotator.errors import InvalidValue
from annotator.review.gate import decide

THRESHOLDS = Thresholds()


def set_of(sufficiency: Sequence[int], compactness: Sequence[int]) -> SetScores:
    return SetScores(tuple(sufficiency), tuple(compactness))


def oracle(sets: Sequence[SetScores], whole: Sequence[int], limits: tuple[Fraction, Fraction, Fraction]) -> bool:
    """Written without the gate: no mean, only sums against a multiple of the threshold."""
    suf, com, comp = limits
    return (
        all(sum(s.sufficiency) >= suf * len(s.sufficiency) for s in sets)
        and all(sum(s.compactness) >= com * len(s.compactness) for s in sets)
        and sum(whole) >= comp * len(whole)
    )


LIMITS = (Fraction(3), Fraction(36, 10), Fraction(26, 10))


def test_every_score_vector_of_three_reviewers_for_one_set_agrees_with_the_oracle() -> None:
    vectors = list(product(product((1, 2, 3), repeat=3), product((1, 2, 3, 4), repeat=3)))
    assert len(vectors) == 1728
    for sufficiency, compactness in vectors:
        sets = [set_of(sufficiency, compactness)]
        assert (decide(sets, (3, 3, 3), THRESHOLDS, 1).outcome == "accepted") == oracle(sets, (3, 3, 3), LIMITS)


def test_every_score_vector_of_three_reviewers_for_the_whole_agrees_with_the_oracle() -> None:
    vectors = list(product((1, 2, 3), repeat=3))
    assert len(vectors) == 27
    good = [set_of((3, 3, 3), (4, 4, 4))]
    for whole in vectors:
        assert (decide(good, whole, THRESHOLDS, 1).outcome == "accepted") == oracle(good, whole, LIMITS)


def test_twenty_thousand_drawn_combinations_agree_with_the_oracle() -> None:
    draw = Random(1)
    n_accepted = 0
    for _ in range(20_000):
        n = draw.randint(1, 5)
        # High scores are likelier, else nearly nothing would pass.
        sets = [
            set_of(draw.choices((1, 2, 3), (1, 2, 40), k=n), draw.choices((1, 2, 3, 4), (1, 1, 10, 40), k=n))
            for _ in range(draw.randint(0, 4))
        ]
        whole = draw.choices((1, 2, 3), (1, 3, 10), k=n)
        verdict = decide(sets, whole, THRESHOLDS, draw.randint(1, 3))
        n_accepted += verdict.outcome == "accepted"
        assert (verdict.outcome == "accepted") == oracle(sets, whole, LIMITS)
    assert 1_000 < n_accepted < 19_000


# reference/benchmark.md, section 1: the arithmetic with three and with five seniors.
@pytest.mark.parametrize(
    ("compactness", "whole", "passes"),
    [
        ((4, 4, 3), (3, 3, 2), True),
        ((4, 4, 2), (3, 3, 3), False),
        ((4, 3, 3), (3, 3, 3), False),
        ((4, 4, 4), (3, 3, 1), False),
        ((4, 4, 4), (3, 2, 2), False),
        ((4, 4, 4, 3, 3), (3, 3, 3, 2, 2), True),  # 18/5 and 13/5 lie exactly on the thresholds
    ],
)
def test_the_papers_arithmetic_holds(compactness: tuple[int, ...], whole: tuple[int, ...], passes: bool) -> None:
    sets = [set_of((3,) * len(whole), compactness)]
    assert (decide(sets, whole, THRESHOLDS, 1).outcome == "accepted") == passes


def test_what_failed_is_named_with_set_property_mean_and_threshold() -> None:
    sets = [set_of((3, 3, 3), (4, 4, 4)), set_of((3, 3, 2), (4, 3, 3))]
    verdict = decide(sets, (3, 3, 2), THRESHOLDS, 1)
    assert verdict.outcome == "returned"
    assert [(f.name, f.set_index, f.mean, f.threshold) for f in verdict.failed] == [
        ("sufficiency", 1, Fraction(8, 3), Fraction(3)),
        ("compactness", 1, Fraction(10, 3), Fraction(18, 5)),
    ]
    assert verdict.has_passed(0)
    assert not verdict.has_passed(1)


def test_read_as_pooled_a_good_set_makes_up_for_a_weak_one() -> None:
    # reference/benchmark.md, section 1: [4,4,4] + [4,3,3] pools to 11/3 and passes; set by set the second fails.
    sets = [set_of((3, 3, 3), (4, 4, 4)), set_of((3, 3, 3), (4, 3, 3))]
    assert decide(sets, (3, 3, 3), THRESHOLDS, 1).outcome == "returned"
    pooled = decide(sets, (3, 3, 3), Thresholds(is_pooled=True), 1)
    assert pooled.outcome == "accepted"
    assert [(f.name, f.set_index, f.mean) for f in pooled.findings[:2]] == [
        ("sufficiency", None, Fraction(3)),
        ("compactness", None, Fraction(11, 3)),
    ]


def test_in_the_pooled_reading_no_set_has_passed_while_the_pool_falls_short() -> None:
    sets = [set_of((3, 3, 3), (4, 4, 4)), set_of((3, 3, 3), (1, 1, 1))]
    verdict = decide(sets, (3, 3, 3), Thresholds(is_pooled=True), 1)
    assert not verdict.has_passed(0)
    assert not verdict.has_passed(1)


def test_the_last_scoring_that_falls_short_discards() -> None:
    bad = [set_of((2, 2, 2), (4, 4, 4))]
    outcomes = [decide(bad, (3, 3, 3), THRESHOLDS, number).outcome for number in (1, 2, 3, 4)]
    assert outcomes == ["returned", "returned", "discarded", "discarded"]


def test_without_sets_only_comprehensiveness_is_asked() -> None:
    assert decide([], (3, 3, 3), THRESHOLDS, 1).outcome == "accepted"
    assert [f.name for f in decide([], (1, 3, 3), THRESHOLDS, 1).failed] == ["comprehensiveness"]


@pytest.mark.parametrize("score", [0, 5, -1])
def test_a_score_outside_its_scale_cannot_be(score: int) -> None:
    with pytest.raises(InvalidValue, match=f"Compactness score is {score}; use 1 to 4"):
        SetScore(3, score)
