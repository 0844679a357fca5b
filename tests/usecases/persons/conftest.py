"""A project after a random life, in which everybody annotates, reviews, proposes, asks and writes changed versions."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotator.domain.authoring import ChangedText
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.store import Store
from annotator.store.persons.columns import WORDS
from annotator.store.persons.identity import append_only_lifted, find_person
from annotator.store.perturb.perturbations import get_perturbation, waiting_ids
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.perturb import checks, versions
from annotator.usecases.project.projects import instances_of, projects_of
from annotator.usecases.releases.frozen_gold import freeze_gold
from tests.usecases.test_whole_life import Life, rows

WANDA = "Wanda Quixote"
WORD = "zebrafinch"
OTHERS = {"Bo": ("annotator", "reviewer"), "Cleo": ("annotator", "reviewer"), "Lea": ("lead",)}
TEAM = {WANDA: ("annotator", "reviewer"), **OTHERS}


@pytest.fixture
def live(store: Store, make_project: Callable[..., Project], import_rows: Any, add_person: Callable[..., User]):
    """Let so many random steps happen; answers the life."""

    def run(seed: int, n_steps: int = 90) -> Life:
        project = make_project(annotators_per_instance=2, reviewers_per_annotation=seed % 3, gold_policy="all")
        import_rows(project, rows(0, 6))
        facts = {"annotations": [{"annotator": WANDA, "age": 30}, {"annotator": "Zoe", "age": 40}]}
        brought = {"id": "told", "text": "good and bad", "label": "positive", "metadata": facts}
        import_rows(
            project,
            [
                brought | {"annotator": WANDA, "rationales": [[[0, 1]], [[2, 3]]]},
                brought | {"annotator": "Zoe", "rationales": [[[0, 1]]]},
            ],
        )
        members = [add_person(name, project, *roles) for name, roles in TEAM.items()]
        life = Life(store, project, members, members, import_rows, seed, members[-1:])
        draw = Random(seed)
        for _ in range(n_steps):
            life.step()
            with suppress(AnnotatorError):
                _change_a_text(store, life, draw)
        with suppress(AnnotatorError):
            freeze_gold(store, LOCAL_OPERATOR, project, "first", licence="CC0")
        return life

    return run


def _change_a_text(store: Store, life: Life, draw: Random) -> None:
    person = draw.choice(life.people)
    number = draw.choice(instances_of(store, LOCAL_OPERATOR, life.project.id)).id
    changed = ChangedText("contrast", {"text": f"Text {draw.randint(0, 99)} was awful."}, "negative", "a note")
    waiting = waiting_ids(store, life.project.id)
    if not waiting or draw.random() < 0.3:
        versions.hand_in(store, person, number, changed)
        return
    version = get_perturbation(store, chosen := draw.choice(waiting)).current.number
    match draw.choice(["approve", "approve", "correct", "reject"]):
        case "approve":
            checks.approve(store, person, chosen, version)
        case "correct":
            checks.correct(store, person, chosen, version, changed, "better so")
        case _:
            checks.reject(store, person, chosen, version, "not so")


def speak(store: Store, name: str) -> int:
    """Write a word into each place where somebody's words stand, of whatever rows of theirs there are; answers how many."""
    person = find_person(store, name)
    assert person is not None
    n = 0
    with store.transaction(), append_only_lifted(store, "comments", "events"):
        for w in WORDS:
            n += store.run(
                f"UPDATE {w.table} SET {w.column} = ?3 WHERE {w.whose} AND ?1 IS ?1 AND ?2 IS ?2",
                (*person.parameters, f"{WORD} in {w.table}.{w.column}"),
            ).rowcount
    return n


def numbers_of(store: Store, called: dict[str, str]) -> dict[str, object]:
    """Every number of every project by where it stands, with other names for people."""
    numbers = {}
    for project in projects_of(store, LOCAL_OPERATOR):
        for path, value in _leaves(statistics_of(store, LOCAL_OPERATOR, project), called):
            numbers[project.name, *path] = value
    return numbers


def _leaves(value: Any, called: dict[str, str]) -> Iterator[tuple[tuple[object, ...], object]]:
    if is_dataclass(value):
        value = {of.name: getattr(value, of.name) for of in fields(value)}
    if isinstance(value, Mapping):
        pairs = [(_called(name, called), inner) for name, inner in value.items()]
    elif isinstance(value, tuple | list) and value and hasattr(value[0], "first"):  # pairs stand in the order of names
        pairs = [(frozenset(_called((p.first, p.second), called)), replace(p, first="", second="")) for p in value]
    elif isinstance(value, tuple | list):
        pairs = list(enumerate(value))
    else:
        yield (), _called(value, called)
        return
    yield from (((name, *path), leaf) for name, inner in pairs for path, leaf in _leaves(inner, called))


def _called(name: Any, called: dict[str, str]) -> Any:
    return tuple(sorted(called.get(n, n) for n in name)) if isinstance(name, tuple) else called.get(name, name)


def gold_of_project(store: Store, project: Project) -> str:
    from annotator.usecases.gold import gold_instances

    return json.dumps(
        [
            [item.instance.key, item.result, [s.token_indices for s in item.sets]]
            for item in gold_instances(store, project, project.settings.gold_policy)
        ]
    )


def bytes_of(path: Path) -> bytes:
    """Of the database with its log; not of backups beside it."""
    return b"".join(file.read_bytes() for ending in ("", "-wal") if (file := Path(f"{path}{ending}")).exists())
