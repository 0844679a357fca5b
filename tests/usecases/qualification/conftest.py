"""A project whose texts have gold, and people whose training comes before their work."""

from collections.abc import Callable

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.qualification import Audience, Purpose, QualificationRules
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.usecases.access import accounts
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work
from annotator.usecases.qualification.items import instances_of_keys, pick, set_rules, training_rules

GOLD = Draft(sets=(RationaleSet.of((1, 4)), RationaleSet.of((5, 7), (8, 9))))
KEYS = ("g1", "g2", "g3", "g4")

SetRules = Callable[..., int]


@pytest.fixture
def project(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> Project:
    """Four texts with gold (g1 to g4), which an annotator who is gone has marked, and three that wait (w1 to w3)."""
    made = make_project()
    texts = {key: f"The staff never smiled and the soup number {key} was cold." for key in KEYS}
    texts |= {f"w{number}": f"Quiet rooms and the best bread in street {number}!" for number in (1, 2, 3)}
    import_rows(made, [{"id": key, "text": text, "label": "negative"} for key, text in texts.items()])
    gone = add_person("gone", made, "annotator")
    for key in KEYS:
        work = hold(store, gone, made, key)
        annotate_work.submit(store, gone, work.assignment.id, work.assignment.revision, GOLD)
    accounts.disable_user(store, LOCAL_OPERATOR, gone.name)
    return made


@pytest.fixture
def rules(store: Store, project: Project, lead: User) -> SetRules:
    """Make rules hold."""

    def change(audience: Audience = "annotators", **changes: object) -> int:
        before = training_rules(store, lead, project.id, audience).number
        wanted = QualificationRules(**{"is_on": True, "texts": 2, **changes})  # type: ignore[arg-type]
        return set_rules(store, lead, project.id, audience, wanted, based_on=before)

    return change


@pytest.fixture
def training(store: Store, project: Project, lead: User, rules: SetRules) -> SetRules:
    """Training of annotators on all four texts, two a try."""
    pick_keys(store, lead, project, "annotators", *KEYS)
    rules()
    return rules


def pick_keys(store: Store, lead: User, project: Project, purpose: Purpose, *keys: str) -> None:
    pick(store, lead, project, purpose, instances_of_keys(store, project, keys))


def hold(store: Store, user: User, project: Project, key: str | None = None) -> Work:
    """A text that somebody is given."""
    number = None if key is None else find_instance_ids(store, project.id, key)[0]
    work = annotate_work.next_work(store, user, project.id, number).work
    assert work is not None
    return work
