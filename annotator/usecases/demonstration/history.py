"""What happened in the demonstration so far: people of it annotate and review, by the very functions that people use."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from annotator.domain.instances import Draft, Instance, Timing
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.sources import SourceAnnotation, SourceSpan
from annotator.domain.texts import RationaleSet
from annotator.errors import NotFound
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.annotate.assignments import give_up_work_of
from annotator.store.instances import find_instance_ids
from annotator.store.people import get_user
from annotator.store.review.reviews import give_up_reviews_of
from annotator.text.source_spans import body_reader, resolve_sets
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.review import reviews as review_work


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
