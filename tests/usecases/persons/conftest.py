"""A project after a random life, in which everybody annotates, reviews, proposes, asks and writes changed versions."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.perturbations import ChangedText
from annotator.domain.project.audits import Drawing
from annotator.domain.project.qualification import Exercise, QualificationRules
from annotator.domain.project.recruitment import LinkRules
from annotator.domain.project.search import BulkChange
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError
from annotator.store import Store
from annotator.store.annotate.assignments import give_up_work_of
from annotator.store.instances import find_instance_ids
from annotator.store.notices.outbox import add_mail, add_notices, save_address
from annotator.store.people import add_role, get_user, remove_role, set_language
from annotator.store.persons.columns import WORDS
from annotator.store.persons.person_values import append_only_lifted, find_person, packed_words_of, rewrite_packed_words
from annotator.store.perturb.perturbations import get_perturbation, waiting_ids
from annotator.store.qualification.rules import add_grant
from annotator.usecases.crowd.recruitment_links import make_recruitment_link
from annotator.usecases.databases import find_project
from annotator.usecases.lead.bulk_actions import change_many, undo
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.perturb import checks, versions
from annotator.usecases.perturb.audits import draw_audit, judge, next_to_audit
from annotator.usecases.project.projects import instances_of, projects_of
from annotator.usecases.qualification import panel
from annotator.usecases.qualification.attempts import begin, open_exercise
from annotator.usecases.qualification.items import pick, set_rules
from annotator.usecases.releases.frozen_gold import freeze_gold
from tests.usecases.test_whole_life import Life, rows

WANDA = "Wanda Quixote"
WORD = "zebrafinch"
MAIL = "quixote@example.org"
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
        for_wanda(store, life, members)
        with suppress(AnnotatorError):
            freeze_gold(store, LOCAL_OPERATOR, project, "first", licence="CC0")
        return life

    return run


def for_wanda(store: Store, life: Life, members: Sequence[User]) -> None:
    """What stands in tables of its own: she is trained, judges in an audit, is told something, and leads for an hour."""
    project, wanda = find_project(store, life.project.name), members[0]
    text = {"label": "positive", "split": "gold", "rationales": [[[1, 2]]]}
    life.import_rows(
        project,
        [
            text | {"id": key, "text": f"The {key} was fine.", "annotator": name}
            for key in ("cake", "tea")
            for name in ("Zoe", "Yan")
        ],
    )
    cake, tea = (find_instance_ids(store, project.id, key)[0] for key in ("cake", "tea"))
    _accept_a_version(store, cake, *members[1:])
    with store.transaction():
        add_role(store, project.id, wanda, "lead")
    _lead_for_an_hour(store, project, wanda, [cake, tea])
    with store.transaction():
        remove_role(store, project.id, wanda, "lead")
        give_up_work_of(store, wanda)
    _train(store, project, wanda)
    _judge(store, project, wanda)
    with store.transaction():
        add_notices(store, [wanda.id], project.id, "role", detail="lead")  # type: ignore[list-item]
        store.run("UPDATE notices SET mail_id = ? WHERE user_id = ?", (add_mail(store, wanda.id, "notices"), wanda.id))  # type: ignore[arg-type]
        save_address(store, wanda.id, MAIL)  # type: ignore[arg-type]
        add_grant(store, project.id, "annotators", wanda.id, "another try", "Lea")  # type: ignore[arg-type]
    set_language(store, wanda, "zh")


def _accept_a_version(store: Store, original: int, bo: User, *checkers: User) -> None:
    changed = ChangedText("contrast", {"text": "The cake was awful."}, "negative", "a note")
    version = versions.hand_in(store, bo, original, changed)
    for checker in checkers:
        checks.approve(store, checker, version.id, 1)


def _lead_for_an_hour(store: Store, project: Project, wanda: User, with_gold: Sequence[int]) -> None:
    """Changes of many texts, one of which names her and another, and one of which is undone; rules, items, an audit, a link."""
    everything = [row.id for row in instances_of(store, LOCAL_OPERATOR, project.id)]
    for change in (
        BulkChange("give out"),
        BulkChange("name", people=(WANDA.upper(), "Bo"), named_as="first"),
        BulkChange("discard", reason="other", comment="in her words"),
    ):
        change_many(store, wanda, project, change, everything if change.kind != "discard" else everything[:1])
    change_many(store, wanda, project, BulkChange("name", people=(WANDA,)), everything[:2])
    done = change_many(store, wanda, project, BulkChange("split", split="dev"), everything[:1])
    if done.action:
        undo(store, wanda, project, done.action.id)
    for purpose in ("annotators", "reviewers"):
        pick(store, wanda, project, purpose, with_gold)
        set_rules(store, wanda, project.id, purpose, QualificationRules(is_on=True, texts=2), based_on=0)
    make_recruitment_link(store, wanda, project.id, LinkRules("Pilot", most_workers=2, quota=2))
    draw_audit(store, wanda, project, Drawing("altogether", None, 100))


def _train(store: Store, project: Project, wanda: User) -> None:
    """She answers the first text of her training; then nobody needs any more."""
    begin(store, wanda, project, "annotators")
    exercise = _next_exercise(store, wanda, project)
    draft = Draft("positive", (RationaleSet.of((0, 1)),), "a note")
    panel.submit(store, wanda, exercise.id, exercise.revision, draft)
    lea = get_user(store, "Lea")
    for audience in ("annotators", "reviewers"):
        set_rules(store, lea, project.id, audience, QualificationRules(is_on=False), based_on=1)


def _next_exercise(store: Store, person: User, project: Project) -> Exercise:
    with store.transaction():
        exercise = open_exercise(store, person, project, "annotators")
    assert exercise is not None
    return exercise


def _judge(store: Store, project: Project, wanda: User) -> None:
    """She judges a version, and has the next one before her if there is one."""
    shown = next_to_audit(store, wanda, project.id)
    assert shown is not None
    item = shown.item
    judge(store, wanda, item.audit_id, item.perturbation_id, shown.says, faults=["other"], comment="in her words")
    next_to_audit(store, wanda, project.id)


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
        rewrite_packed_words(store, person, lambda packed, _: f"{WORD} in {packed.table}.{packed.column}")
        n += len(packed_words_of(store, person))
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
    elif isinstance(value, tuple | list) and value and hasattr(value[0], "annotator"):  # so do people
        pairs = [(_called(of.annotator, called), replace(of, annotator="")) for of in value]
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
