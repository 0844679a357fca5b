"""Three texts with gold that are changed, and the people who write and check the versions."""

from collections.abc import Callable

import pytest

from annotator.domain.people import User
from annotator.domain.perturbations import ChangedText, Perturbation
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.perturb import perturbations as perturbations_store
from annotator.usecases.perturb import checks, versions

TEXT = "The plot is slow but the acting is superb ."


@pytest.fixture
def reviews(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Three texts with gold, complete, and one that is still to be annotated."""
    made = make_project(name="Reviews")
    rows = [
        {"id": f"r{n}", "text": TEXT, "tokens": TEXT.split(), "label": "positive", "rationales": [[[6, 9]], [[8, 9]]]}
        for n in range(3)
    ]
    import_rows(made, [*rows, {"id": "open", "text": "Dull.", "label": "negative"}])
    return made


@pytest.fixture
def people(reviews: Project, add_person: Callable[..., User]) -> dict[str, User]:
    names = {"Ann": "annotator", "Ben": "annotator", "Cem": "reviewer", "Lea": "lead", "Ria": "researcher"}
    return {name: add_person(name, reviews, role) for name, role in names.items()}


def original(store: Store, project: Project, key: str = "r0") -> int:
    return find_instance_ids(store, project.id, key)[0]


def change(
    text: str = "The plot is slow but the acting is truly superb .",
    kind: str = "dispensable",
    result: str | None = "positive",
) -> ChangedText:
    return ChangedText(kind, {"text": text}, result)


@pytest.fixture
def written(store: Store, reviews: Project, people: dict[str, User]) -> Perturbation:
    """Ann's changed version of r0, which waits for its checkers."""
    return versions.hand_in(store, people["Ann"], original(store, reviews), change())


def approve(store: Store, person: User, one: Perturbation) -> Perturbation:
    now = perturbations_store.get_perturbation(store, one.id)
    return checks.approve(store, person, one.id, now.current.number)
