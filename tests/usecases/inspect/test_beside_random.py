"""Whether maps are better than random on texts that their model did not learn from is measured with the numbers, and said."""

from collections.abc import Callable

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.scoring.blocks import OverInstances, random_numbers
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.usecases.gold_table import gold_table
from annotator.usecases.inspect.measurement import NUMBER, RandomNull, measure
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.models.attributions import AttributingOptions, attribute

WORDS = {"positive": "good", "negative": "bad"}


def learned_rows(split: str, n_each: int, token: int) -> list[dict[str, object]]:
    """Texts of eight words, the third of which tells the label; `token` is the gold rationale."""
    return [
        {
            "id": f"{split}-{label}-{n}",
            "text": f"it was {word} and so on number {split}{n}",
            "label": label,
            "split": split,
            "rationales": [[[token, token + 1]]],
        }
        for label, word in WORDS.items()
        for n in range(n_each)
    ]


@pytest.fixture
def measured(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> Callable[..., str | None]:
    """What is said of the maps of a text when a model learned from 20 and was asked about others, with a gold token each."""

    def told(n_each: int, token: int, split: str = "train") -> str | None:
        made = make_project(name=f"Gold {n_each} {token} {split}")
        import_rows(made, learned_rows(split, 10, token))
        import_rows(made, learned_rows("test", n_each, token))
        attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", AttributingOptions())
        measure(store, LOCAL_OPERATOR, made)
        [number] = find_instance_ids(store, made.id, "test-positive-0")
        return show_instance(store, LOCAL_OPERATOR, number, None).panels[0].beside_random

    return told


def test_maps_that_find_the_gold_are_said_to_be_better_than_random_on_the_texts_that_were_not_learned(
    measured: Callable[..., str | None],
) -> None:
    words = measured(12, 2)
    assert words is not None
    assert words.startswith("token F1 better than random on this gold (+0.")
    assert "n 24" in words


def test_maps_that_miss_the_gold_are_said_to_be_no_better(measured: Callable[..., str | None]) -> None:
    words = measured(12, 0)
    assert words is not None
    assert words.startswith("token F1 not better than random on this gold (−0.")


def test_random_is_drawn_as_metrics_draws_it(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(name="Gold")
    import_rows(made, [*learned_rows("test", 12, 2), {"id": "without", "text": "no gold here", "label": "positive"}])
    import_rows(made, [{"id": "whole", "text": "good", "label": "positive", "rationales": [[[0, 1]]]}])
    gold = gold_table(store, made, made.settings.gold_policy)
    instances = OverInstances(len(gold))
    random_numbers(gold, instances)
    means = instances.means()[NUMBER]
    expected = {row.id: mean for row, mean in zip(gold.rows, means, strict=True) if row.key.startswith("test-")}
    assert RandomNull.of(gold).values == expected
    assert len(expected) == 24


def test_of_few_texts_and_of_a_model_that_learned_from_all_nothing_is_said(
    measured: Callable[..., str | None],
) -> None:
    assert measured(5, 2) is None
    assert measured(12, 2, split="other") is None
