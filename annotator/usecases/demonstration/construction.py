"""The demonstration: three projects made from the texts that the program ships, people, and what they did so far."""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from annotator.domain.instances import Draft, Instance, Timing
from annotator.domain.people import LOCAL_OPERATOR, Role, User
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.sources import SourceAnnotation, SourceSpan
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import NotFound
from annotator.files import part_folder, put_in_place, resource_folder
from annotator.store import Store, open_store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.annotate.assignments import give_up_work_of
from annotator.store.connection.replacement import models_of
from annotator.store.instances import find_instance_ids
from annotator.store.people import add_role, add_user, get_user
from annotator.store.projects import get_project
from annotator.store.review.reviews import give_up_reviews_of
from annotator.text.source_spans import body_reader, resolve_sets
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.inspect.measurement import measure
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.project.guidelines import acknowledge
from annotator.usecases.project.projects import create_project
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.review import reviews as review_work
from annotator.usecases.suites.construction import find_ready, guessed_labels, make_ready_suite
from annotator.usecases.suites.runs import run_suite
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions

# What happened in the demonstration so far: people of it annotate and review, by the very functions that people use.


class ReviewLine(msgspec.Struct):
    """One review: (sufficiency, compactness, comment) of each set, null for a set that carries its scores."""

    reviewer: str
    sets: list[tuple[int, int, str] | None]
    comprehensiveness: int
    comment: str


class HistoryLine(msgspec.Struct):
    """One submission, a set as its phrases, and the reviews of it; a later line of the same key is the correction."""

    key: str
    annotator: str
    seconds: int
    sets: list[list[str]]
    reviews: list[ReviewLine]


def play(store: Store, project: Project, path: Path) -> None:
    """Let a file's people do what it says; what they hold at the end is given back."""
    lines = [msgspec.json.decode(line, type=HistoryLine) for line in path.read_bytes().splitlines()]
    for line in lines:
        [instance_id] = find_instance_ids(store, project.id, line.key)
        _annotate(store, project, instance_id, line)
        annotation = annotations_of(store, [instance_id])[instance_id][-1]
        for review in line.reviews:
            _review(store, project, annotation.id, review)
    people = {line.annotator for line in lines} | {review.reviewer for line in lines for review in line.reviews}
    with store.transaction():
        for user in (get_user(store, name) for name in sorted(people)):
            give_up_work_of(store, user, but_not_returned=True)
            give_up_reviews_of(store, user)


def _annotate(store: Store, project: Project, instance_id: int, line: HistoryLine) -> None:
    user = get_user(store, line.annotator)
    work = annotate_work.next_work(store, user, project.id, instance_id).work
    if work is None:
        raise NotFound(f"{line.annotator} gets no work on {line.key}.")
    sets = _sets(work.instance, line.sets)
    before: Draft = work.assignment.draft
    origins = tuple(n if n < len(before.sets) else None for n in range(len(sets))) if work.assignment.follows_id else ()
    draft = replace(before, sets=sets, origins=origins)
    timing = Timing(active_ms=1000 * line.seconds, edits=len(sets))
    annotate_work.submit(store, user, work.assignment.id, work.assignment.revision, draft, timing)


def _sets(instance: Instance, phrases: Sequence[Sequence[str]]) -> tuple[RationaleSet, ...]:
    """The tokens of each set's phrases, found in the instance's first segment."""
    segment = instance.segments[0]
    spans = tuple(tuple(_span(segment.name, segment.body.text, phrase) for phrase in of_set) for of_set in phrases)
    return resolve_sets(SourceAnnotation("", None, spans), instance.layout, body_reader({segment.name: segment.body}))


def _span(name: str, text: str, phrase: str) -> SourceSpan:
    start = text.find(phrase)
    if start < 0:
        raise NotFound(f"“{phrase}” is not in the text.")
    return SourceSpan(name, start, start + len(phrase), "char")


def _review(store: Store, project: Project, annotation_id: int, line: ReviewLine) -> None:
    user: User = get_user(store, line.reviewer)
    work = review_work.next_review(store, user, project.id, annotation_id).work
    if work is None:
        raise NotFound(f"{line.reviewer} gets no review of annotation {annotation_id}.")
    sets = tuple(SetScore() if scores is None else SetScore(*scores) for scores in line.sets)
    review_work.submit_review(
        store, user, work.review.id, work.review.revision, Scores(sets, line.comprehensiveness, line.comment)
    )


PEOPLE: tuple[tuple[str, tuple[Role, ...]], ...] = (
    ("Annotator 1", ("annotator",)), ("Annotator 2", ("annotator",)), ("Reviewer 1", ("reviewer",)),
    ("Reviewer 2", ("reviewer",)), ("Reviewer 3", ("reviewer",)), ("Researcher", ("researcher",)), ("Lead", ("lead",)),
)  # fmt: skip

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
    _explain(store, "Sentiment", resource_folder("data") / "demo" / "sentiment")


def _explain(store: Store, name: str, folder: Path) -> None:
    """What models say, so that Saliency and Metrics are full at the first start.

    A transformer's answers and attributions come as files (their cards are beside them), since nobody has to have torch for the
    demonstration, and they come first, so that their maps are those that open; those of the built-in model are computed, as
    `annotator attribute --model built-in` does.
    """
    project = get_project(store, name)
    freeze_gold(
        store, LOCAL_OPERATOR, project, "pilot", licence="CC BY 4.0"
    )  # before what models say: Releases has one
    import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "minilm.jsonl")
    attribute(store, LOCAL_OPERATOR, project, "built-in", "linear", AttributingOptions(has_faithfulness=True))
    attribute(store, LOCAL_OPERATOR, project, "built-in", "occlusion")
    attribute(store, LOCAL_OPERATOR, project, "built-in", "lime", AttributingOptions(seeds=(1,)))
    import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "minilm-aligned.jsonl")
    measure(store, LOCAL_OPERATOR, project)
    # The functional tests that come along, of which the built-in model fails some: Tests is full as well
    ready = find_ready(project, "sentiment")
    labels = guessed_labels(ready, project)
    make_ready_suite(store, LOCAL_OPERATOR, project, ready, _SUITE, labels, n=20, seed=7, on_instances=True)
    run_suite(store, LOCAL_OPERATOR, project, _SUITE, "built-in")
