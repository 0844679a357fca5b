"""Originals and their changed versions, also where keys repeat between splits."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.slices import is_version_of, pairs_of

Importer = Callable[..., Any]


def row(key: str, split: str, parent: str | None = None, kind: str | None = None) -> dict[str, object]:
    made: dict[str, object] = {"id": key, "text": f"{key} of {split}", "label": "negative", "split": split}
    return made | ({"parent": parent} if parent else {}) | ({"perturbation_kind": kind} if kind else {})


@pytest.fixture
def paired(store: Store, make_project: Callable[..., Project], import_rows: Importer) -> Project:
    """The key a in two splits, each with a version; b in train alone, with a version in test; a version of nothing."""
    made = make_project()
    rows = [row("a", "train"), row("a", "test"), row("b", "train")]
    rows += [
        row("a2", "train", "a", "importance"),
        row("a2", "test", "a"),
        row("b2", "test", "b"),
        row("c2", "test", "c"),
    ]
    import_rows(made, rows)
    return made


def number(store: Store, project: Project, key: str, split: str) -> int:
    return find_instance_ids(store, project.id, key, split)[0]


def found_pairs(store: Store, project: Project, split: str | None = None) -> list[tuple[int, str, int, str, str]]:
    return [tuple(pair) for pair in pairs_of(store, project.id, split)]


def test_a_version_belongs_to_the_original_of_its_split_else_to_the_first_of_its_key(
    store: Store, paired: Project
) -> None:
    def pair(key: str, split: str, version_split: str, kind: str) -> tuple[int, str, int, str, str]:
        versions = number(store, paired, f"{key}2", version_split)
        return number(store, paired, key, split), key, versions, f"{key}2", kind

    expected = [
        pair("a", "train", "train", "importance"),
        pair("a", "test", "test", "perturbed"),
        pair("b", "train", "test", "perturbed"),
    ]
    assert found_pairs(store, paired) == sorted(expected)
    assert found_pairs(store, paired, "test") == sorted(expected[1:])


def test_what_is_discarded_makes_no_pair_and_another_split_takes_the_originals_place(
    store: Store, paired: Project
) -> None:
    with store.transaction():
        for key, split in (("a", "test"), ("b2", "test")):
            store.run("UPDATE instances SET state = 'discarded' WHERE id = ?", (number(store, paired, key, split),))
    assert [(pair[1], pair[3], pair[0]) for pair in found_pairs(store, paired, "test")] == [
        ("a", "a2", number(store, paired, "a", "train"))
    ]


def test_the_condition_says_the_same_of_two_instances(store: Store, paired: Project) -> None:
    rows = store.rows(
        f"SELECT o.id, c.id FROM instances AS o, instances AS c WHERE {is_version_of('c', 'o')} ORDER BY 1, 2"
    )
    assert [tuple(row) for row in rows] == [(pair[0], pair[2]) for pair in found_pairs(store, paired)]
