"""Orders and splits: pure, seeded, by document; and which rows come first by numbers of theirs."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.assignment.orders import Splittable, parse_parts, plan_split, queue_position
from annotator.assignment.ranks import first_rows, jensen_shannon, mean_known, pairwise_disagreement
from annotator.errors import InvalidValue

PARTS = {"train": Fraction(8, 10), "val": Fraction(1, 10), "test": Fraction(1, 10)}


def test_a_sequential_queue_is_the_order_of_import() -> None:
    assert [queue_position("sequential", 9, n, f"k{n}", "") for n in range(3)] == [0, 1, 2]


def test_a_random_queue_depends_on_seed_split_and_key_and_on_nothing_else() -> None:
    assert queue_position("random", 1, 5, "k", "train") == queue_position("random", 1, 99, "k", "train")
    drawn = {
        queue_position("random", seed, 0, key, split) for seed in (1, 2) for key in "ab" for split in ("", "train")
    }
    assert len(drawn) == 8
    assert all(0 <= position < 2**63 for position in drawn)


@pytest.mark.parametrize("text", ["train", "train=.5", "train=.5,val=.6", "train=1.5,val=-.5", "=1", "train=x", ""])
def test_parts_that_do_not_make_a_whole_are_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match=r"train=.8,val=.1|sum to 1"):
        parse_parts(text)


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 30), min_size=1, max_size=3), st.integers(0, 40)), max_size=60),
    st.integers(0, 5),
)
def test_instances_that_share_a_document_or_an_original_are_never_parted(
    rows: list[tuple[list[int], int]], seed: int
) -> None:
    instances = [
        Splittable(number, tuple(documents), parent if 0 < parent < number else None)
        for number, (documents, parent) in enumerate(rows, start=1)
    ]
    plan = plan_split(instances, PARTS, seed)
    assert set(plan) == {instance.id for instance in instances}
    assert plan == plan_split(instances, PARTS, seed)
    of_document: dict[int, str] = {}
    for instance in instances:
        for document in instance.document_ids:
            assert of_document.setdefault(document, plan[instance.id]) == plan[instance.id]
        if instance.parent_id is not None:
            assert plan[instance.parent_id] == plan[instance.id]


def test_the_parts_have_their_shares() -> None:
    plan = plan_split([Splittable(number, (number,), None) for number in range(1, 101)], PARTS, 3)
    assert Counter(plan.values()) == {"train": 80, "val": 10, "test": 10}


# Which rows come first, and how much members disagree: against what is worked out by hand, and on drawn numbers.

NAN = math.nan
Numbers = st.lists(st.tuples(st.one_of(st.just(NAN), st.integers(0, 3)), st.booleans()), max_size=30)


@given(Numbers, st.integers(0, 30), st.randoms(use_true_random=False))
def test_the_first_rows_are_the_lowest_until_enough_of_them_are_free(numbers, n_free: int, random) -> None:
    keys = np.array([number for number, _ in numbers], dtype=np.float64)
    is_free = np.array([free for _, free in numbers], dtype=np.bool_)
    ties = np.array(random.sample(range(1000), len(numbers)), dtype=np.int64)
    ranked = sorted(
        (key, tie, row) for row, (key, tie) in enumerate(zip(keys, ties, strict=True)) if not math.isnan(key)
    )
    expected: list[int] = []
    for _, _, row in ranked:
        if n_free and sum(is_free[expected]) < n_free:
            expected.append(row)
    assert first_rows([keys], ties, is_free, n_free).tolist() == expected


def test_later_keys_part_what_is_equal_and_what_lacks_them_comes_last() -> None:
    first, second = np.array([1.0, 1.0, 1.0, 0.0]), np.array([NAN, 5.0, 2.0, 9.0])
    rows = first_rows([first, second], np.arange(4), np.ones(4, dtype=np.bool_), 4)
    assert rows.tolist() == [3, 2, 1, 0]


def test_a_mean_is_over_the_members_that_have_a_number() -> None:
    assert mean_known(np.array([[0.2, NAN, NAN], [0.4, 0.5, NAN]])) == pytest.approx([0.3, 0.5, NAN], nan_ok=True)


def test_a_member_without_an_answer_is_in_no_pair() -> None:
    votes = np.array([[0, 0, 1], [0, 1, -1], [1, -1, -1]])
    assert pairwise_disagreement(votes) == pytest.approx([2 / 3, 1.0, NAN], nan_ok=True)


def test_the_divergence_of_three_by_hand() -> None:
    probabilities = np.array([[[1.0, 0.0]], [[0.5, 0.5]], [[0.0, 1.0]]])  # mean .5 .5: 1 bit; entropies 0, 1, 0
    assert jensen_shannon(probabilities) == pytest.approx([1 - 1 / 3])


@given(st.lists(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), min_size=2, max_size=5))
def test_the_divergence_lies_between_none_and_the_logarithm_of_the_members(rows: list[list[float]]) -> None:
    probabilities = np.array(rows)[:, None, :]
    [divergence] = jensen_shannon(probabilities)
    assert 0 <= divergence <= math.log2(len(rows)) + 1e-9
    assert jensen_shannon(np.repeat(probabilities[:1], 4, axis=0)) == pytest.approx([0.0], abs=1e-9)


def test_without_two_members_that_have_probabilities_there_is_no_divergence() -> None:
    assert np.isnan(jensen_shannon(np.array([[[0.5, 0.5]], [[NAN, NAN]]]))).all()
