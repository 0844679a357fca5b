"""The demonstration: three projects made from the texts that the program ships, and people to sign in as."""

import shutil
from contextlib import suppress
from pathlib import Path

from annotator.domain.people import LOCAL_OPERATOR, Role
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.files import part_folder, put_in_place
from annotator.resources import resource_folder
from annotator.store import Store, open_store
from annotator.store.connection.replacement import models_of
from annotator.store.people import add_role, add_user
from annotator.usecases.demonstration.history import play
from annotator.usecases.inspect.measurement import measure
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.project.guidelines import acknowledge
from annotator.usecases.project.projects import create_project, find_project
from annotator.usecases.suites.construction import find_ready, guessed_labels, make_ready_suite
from annotator.usecases.suites.runs import run_suite
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions

PEOPLE: tuple[tuple[str, tuple[Role, ...]], ...] = (
    ("Annotator 1", ("annotator",)),
    ("Annotator 2", ("annotator",)),
    ("Reviewer 1", ("reviewer",)),
    ("Reviewer 2", ("reviewer",)),
    ("Reviewer 3", ("reviewer",)),
    ("Researcher", ("researcher",)),
    ("Lead", ("lead",)),
)

_PROJECTS: tuple[tuple[str, str, tuple[str, ...], ProjectSettings], ...] = (
    ("Sentiment", "sentiment", ("negative", "positive"), ProjectSettings(order="random", seed=7)),
    ("Similarity", "similarity", ("different", "same"), ProjectSettings(order="random", seed=7)),
    ("Reading", "reading", (), ProjectSettings(order="random", seed=7, may_be_empty=True)),
)


_SUITE = "Sentiment basics"


def build(path: Path) -> None:
    """Make the demonstration database if it is not there; it appears complete or not at all."""
    if path.exists():
        return
    with part_folder(path) as folder:
        made = folder / path.name
        with open_store(made, create=True) as store:
            _fill(store)
            store.checkpoint()
        if models_of(made).is_dir():
            shutil.rmtree(models_of(path), ignore_errors=True)
            models_of(made).rename(models_of(path))
        with suppress(FileExistsError):  # another process built the same
            put_in_place(made, path)


def _fill(store: Store) -> None:
    with store.transaction():
        users = [(add_user(store, name), roles) for name, roles in PEOPLE]
    for name, task, labels, settings in _PROJECTS:
        folder = resource_folder("data") / "demo" / task
        guidelines = (folder / "guidelines.md").read_text(encoding="utf-8")
        project = create_project(
            store, LOCAL_OPERATOR, name, get_task(task), labels=labels, settings=settings, guidelines=guidelines
        )
        import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "instances.jsonl", ImportOptions())
        with store.transaction():
            for user, roles in users:
                for role in roles:
                    add_role(store, project.id, user, role)
                if user.id is not None and {"annotator", "reviewer", "lead"} & set(roles):
                    acknowledge(store, user, project.id, 1)
        if (folder / "history.jsonl").is_file():
            play(store, project, folder / "history.jsonl")
    _explain(store, "Sentiment", resource_folder("data") / "demo" / "sentiment" / "minilm.jsonl")


def _explain(store: Store, name: str, runs: Path) -> None:
    """What models say, so that Saliency and Metrics are full at the first start.

    A transformer's answers and attributions come as a file (its card is beside it), since nobody has to have torch for the
    demonstration, and they come first, so that their maps are those that open; those of the built-in model are computed, as
    `annotator attribute --model built-in` does.
    """
    project = find_project(store, name)
    import_file(store, LOCAL_OPERATOR, project, "jsonl", runs)
    attribute(store, LOCAL_OPERATOR, project, "built-in", "linear", AttributingOptions(has_faithfulness=True))
    attribute(store, LOCAL_OPERATOR, project, "built-in", "occlusion")
    attribute(store, LOCAL_OPERATOR, project, "built-in", "lime", AttributingOptions(seeds=(1,)))
    measure(store, LOCAL_OPERATOR, project)
    _test(store, project)


def _test(store: Store, project: Project) -> None:
    """The functional tests that come along, of which the built-in model fails some: Tests is full as well."""
    ready = find_ready(project, "sentiment")
    labels = guessed_labels(ready, project)
    make_ready_suite(store, LOCAL_OPERATOR, project, ready, _SUITE, labels, n=20, seed=7, on_instances=True)
    run_suite(store, LOCAL_OPERATOR, project, _SUITE, "built-in")
