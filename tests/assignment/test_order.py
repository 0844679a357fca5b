"""Orders and splits: pure, seeded, by document."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.assignment.orders import Splittable, parse_parts, plan_split, queue_position
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
