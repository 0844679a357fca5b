"""Each annotator against the rest, held to a computation of another kind: sets of tokens and counts, person by person."""

import statistics
from collections import Counter

import numpy as np
import pytest

from annotator.review.rater_agreement import AgainstRest, Estimate, RestTally
from annotator.review.token_agreement import InstanceVotes

Shared = list[dict[str, tuple[frozenset[int], str]]]  # of each instance, who marked which tokens and gave which label
_N_TOKENS = 12


def tally(instances: Shared) -> dict[str, AgainstRest]:
    rest = RestTally()
    for people in instances:
        marked = np.zeros((len(people), _N_TOKENS), dtype=np.bool_)
        for row, (tokens, _) in zip(marked, people.values(), strict=True):
            row[list(tokens)] = True
        rest.add(InstanceVotes(tuple(people), marked), {name: label for name, (_, label) in people.items()})
    return {person.annotator: person for person in rest.result()}


def drawn(n: int) -> Shared:
    """Twenty people, of whom two to five have each instance; in some of them nobody marks anything."""
    draw = np.random.default_rng(4)
    instances = []
    for number in range(n):
        names = draw.choice(20, size=draw.integers(2, 6), replace=False)
        share = 0 if number % 20 == 0 else 0.4
        instances.append(
            {
                f"ann{name}": (
                    frozenset(np.flatnonzero(draw.random(_N_TOKENS) < share).tolist()),
                    "yn"[draw.integers(2)],
                )
                for name in names
            }
        )
    return instances


def f1(mine: frozenset[int], others: frozenset[int]) -> float | None:
    """From precision and recall."""
    if not mine and not others:
        return None
    precision = len(mine & others) / len(mine) if mine else 0
    recall = len(mine & others) / len(others) if others else 0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def by_hand(instances: Shared, name: str) -> tuple[list[float | None], list[float | None], list[bool | None]]:
    """Of each of somebody's instances: F1 against the majority of the others, against their union, whether the label is theirs."""
    majority, union, labels = [], [], []
    for people in instances:
        if name in people:
            mine, label = people[name]
            others = [people[other] for other in people if other != name]
            votes = Counter(token for tokens, _ in others for token in tokens)
            majority.append(f1(mine, frozenset(token for token, n in votes.items() if n > len(others) / 2)))
            union.append(f1(mine, frozenset(votes)))
            given = [other for _, other in others]
            modes = statistics.multimode(given)
            labels.append(label == modes[0] if len(modes) == 1 else None)
    return majority, union, labels


def test_what_is_told_of_each_person_is_what_sets_and_counts_say() -> None:
    instances = drawn(300)
    people = tally(instances)
    assert len(people) == 20
    for name, person in people.items():
        majority, union, labels = by_hand(instances, name)
        for estimate, values in ((person.majority_f1, majority), (person.union_f1, union), (person.label, labels)):
            kept = [value for value in values if value is not None]
            assert estimate.value == pytest.approx(statistics.fmean(kept))
            assert (estimate.n, estimate.n_left_out) == (len(kept), len(values) - len(kept))
        kept = [value for value in majority if value is not None]
        half = 1.959964 * statistics.stdev(kept) / len(kept) ** 0.5
        assert person.majority_f1.high == pytest.approx(min(1, statistics.fmean(kept) + half))
        assert person.majority_f1.low == pytest.approx(max(0, statistics.fmean(kept) - half))


def test_of_two_people_each_is_held_against_the_other() -> None:
    people = tally([{"ada": (frozenset({0, 1}), "y"), "ben": (frozenset({1, 2}), "n")}])
    assert people["ada"] == AgainstRest(
        "ada", Estimate(0.5, None, None, 1, 0), Estimate(0.5, None, None, 1, 0),
        Estimate(0.0, 0.0, pytest.approx(0.7935, abs=1e-4), 1, 0),
    )  # fmt: skip


def test_of_two_others_the_majority_is_what_both_marked() -> None:
    people = tally([{"ada": (frozenset({0}), "y"), "ben": (frozenset({0, 1}), "y"), "cy": (frozenset({0, 2}), "n")}])
    assert (people["ada"].majority_f1.value, people["ada"].union_f1.value) == (1.0, 0.5)
    assert (people["ada"].label.n, people["ada"].label.n_left_out) == (0, 1)  # the others gave a label each
    assert (people["cy"].label.value, people["ben"].label.n_left_out) == (0.0, 1)


def test_who_has_an_instance_alone_is_held_against_nobody() -> None:
    assert tally([{"ada": (frozenset({0}), "y")}]) == {}


def test_marks_of_nobody_known_count_among_the_others_and_are_no_person() -> None:
    rest = RestTally()
    rest.add(InstanceVotes(("mask 1", "ben"), np.array([[1, 0], [1, 1]], dtype=np.bool_)), {"ben": "y"})
    [ben] = rest.result()
    assert (ben.annotator, ben.union_f1.value) == ("ben", pytest.approx(2 / 3))
