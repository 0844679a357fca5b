"""What help did, where a lot gave it: numbers by hand, and how often the intervals hold what is true."""

import math
from dataclasses import replace

import numpy as np
import pytest

from annotator.domain.instances import Annotation
from annotator.domain.texts import RationaleSet
from annotator.review.help_effects import Trial, effect_of, help_report


def trial(
    person: str, instance: int, *, helped: bool, seconds: float = 10.0, sets: tuple[tuple[int, int], ...] = ((0, 1),)
) -> Trial:
    marked = tuple(RationaleSet.of(span) for span in sets)
    return Trial(person, instance, helped, seconds, Annotation(0, person, 1, "accepted", "positive", marked))


def test_two_people_and_two_texts_give_the_difference_of_the_diagonals() -> None:
    """y = 1 2 / 3 6, helped on the diagonal: (1 − 2 − 3 + 6) / 2 = 1."""
    report = help_report(
        [
            trial("a", 1, helped=True, seconds=math.exp(1)),
            trial("a", 2, helped=False, seconds=math.exp(2)),
            trial("b", 1, helped=False, seconds=math.exp(3)),
            trial("b", 2, helped=True, seconds=math.exp(6)),
        ]
    )
    time = report.effects[0]
    assert (time.outcome, time.value, time.low, time.n) == ("time", pytest.approx(math.e), None, 4)
    assert (report.n_helped, report.n_blind, report.n_people, report.has_instances) == (2, 2, 2, True)


def test_without_one_of_the_arms_nothing_is_said() -> None:
    report = help_report([trial("a", n, helped=True) for n in range(30)], n_left=(2, 1))
    assert {(effect.value, effect.low, effect.p) for effect in report.effects} == {(None, None, None)}
    assert (report.n_blind, report.n_left, report.has_instances) == (0, (2, 1), False)
    assert {effect.value for effect in help_report([]).effects} == {None}


def test_work_whose_time_is_not_known_still_has_a_size() -> None:
    trials = [trial("a", n, helped=n % 2 == 0, sets=((0, 3),) if n % 2 == 0 else ((0, 1),)) for n in range(40)]
    report = help_report([replace(each, seconds=None) for each in trials])
    by_outcome = {effect.outcome: effect for effect in report.effects}
    assert (by_outcome["time"].value, by_outcome["time"].n) == (None, 0)
    assert (by_outcome["tokens"].value, by_outcome["sets"].value) == (pytest.approx(2.0), pytest.approx(0.0))
    assert by_outcome["tokens"].p == 0.0


def test_agreement_and_gold_compare_two_helped_with_two_blind_people() -> None:
    """Helped people mark the same words (IoU 1), blind ones words of which they share one of three (IoU 1/3)."""
    of_each = (("a", True, (0, 4)), ("b", True, (0, 4)), ("c", False, (0, 2)), ("d", False, (1, 3)))
    trials = [
        trial(person, n, helped=helped, sets=(span,)) for n in range(25) for person, helped, span in of_each
    ]  # fmt: skip
    by_outcome = {effect.outcome: effect for effect in help_report(trials).effects}
    assert by_outcome["agreement"].value == pytest.approx(2 / 3)
    assert (by_outcome["agreement"].low, by_outcome["agreement"].high) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    # Of {0-3} to {0,1} {1,2}: IoU .5 each way, extent .5; between {0,1} and {1,2}: 1/3, reason 2/3.
    assert by_outcome["gold"].value == pytest.approx(0.5 - 2 / 3)
    assert by_outcome["gold"].n == 25


def draw(
    chance: np.random.Generator, n_people: int, n_texts: int, per_text: int, *, varies: float
) -> tuple[bool, float]:
    """Whether the interval of a drawn project holds the true effect (of these people; of all from eight on), and its width."""
    effects = -0.2 + chance.normal(0, varies, n_people)
    people = np.concatenate([chance.permutation(n_people)[:per_text] for _ in range(n_texts)])
    texts = np.repeat(np.arange(n_texts), per_text)
    halves = [chance.permutation(np.arange(per_text) % 2) for _ in range(n_texts)]
    helped = np.concatenate(halves).astype(float) if per_text > 1 else (chance.random(n_texts) < 0.5).astype(float)
    of_people, of_texts = chance.normal(0, 0.3, n_people), chance.normal(0, 0.4, n_texts)
    noise = chance.normal(0, 0.5, len(people))
    effect = effect_of(of_people[people] + of_texts[texts] + effects[people] * helped + noise, helped, people, texts)
    assert effect.low is not None
    assert effect.high is not None
    true = -0.2 if n_people >= 8 else float(effects.mean())
    return effect.low <= true <= effect.high, effect.high - effect.low


@pytest.mark.parametrize(
    ("n_people", "n_texts", "per_text", "varies"),
    [(4, 100, 2, 0.0), (6, 150, 1, 0.0), (4, 100, 2, 0.1), (8, 60, 3, 0.1), (20, 40, 4, 0.1)],
)
def test_intervals_hold_a_known_effect_in_at_least_93_of_100_drawn_projects(
    n_people: int, n_texts: int, per_text: int, varies: float
) -> None:
    """1,000 seeded runs each, people and texts of their own speed (Cameron, Gelbach and Miller 2011 from eight people on)."""
    chance = np.random.default_rng(7)
    runs = [draw(chance, n_people, n_texts, per_text, varies=varies) for _ in range(1000)]
    covered, width = np.mean([holds for holds, _ in runs]), np.mean([width for _, width in runs])
    print(f"{n_people} people, {n_texts} texts of {per_text}: coverage {covered:.3f}, mean width {width:.3f}")  # noqa: T201
    assert covered >= 0.93
