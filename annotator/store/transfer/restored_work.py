"""What people did with the instances of a full export, written back as it was: many instances at once, table by table.

An annotation is named by its place among its instance's annotations, since numbers differ between databases.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from annotator.domain.imports import NewInstance
from annotator.domain.instances import Draft
from annotator.domain.project.search import NamedAs
from annotator.domain.sources import SourceInstance, SourceReview, SourceRound, SourceThread, SourceWork
from annotator.domain.texts import RationaleSet
from annotator.store.annotate.annotations import write_annotations
from annotator.store.annotate.visibility import give_back_what_was_shown, name_people
from annotator.store.connection.database import Store, unused_number
from annotator.store.models import add_model
from annotator.store.packed_rows import pack_sets
from annotator.store.people import accounts_for
from annotator.store.qualification.exercises import next_work_number
from annotator.store.transfer.export_sources import annotation_ids_of

Stored = tuple[int, NewInstance]  # with the number that the instance has here
Accounts = Mapping[str, int]
AnnotationIds = Mapping[int, Sequence[int]]  # of each instance, oldest first


@dataclass(frozen=True, slots=True)
class _Assignment:
    """A piece of work with the number that it gets here."""

    id: int
    instance_id: int
    user_id: int
    work: SourceWork
    draft: Draft


@dataclass(frozen=True, slots=True)
class _Review:
    """A review with the number that it gets here."""

    id: int
    annotation_id: int
    user_id: int
    source: SourceReview


@dataclass(frozen=True, slots=True)
class _Thread:
    """A thread with the number that it gets here."""

    id: int
    instance_id: int
    annotation_id: int | None
    source: SourceThread


def restore_work(store: Store, project_id: int, instances: Sequence[Stored]) -> None:
    """Write what people did with new instances; whoever is not known here gets a disabled account. Call settle after it."""
    accounts = accounts_for(store, (name for _, instance in instances for name in _people(instance.source)))
    assignments = _numbered_work(store, instances, accounts)
    _add_assignments(store, project_id, assignments)
    _add_own_annotations(store, instances, assignments)
    annotation_ids = annotation_ids_of(store, [number for number, _ in instances])
    _tie_corrections(store, assignments, annotation_ids)
    _add_proposals(store, project_id, instances)
    _add_rounds(store, project_id, instances, annotation_ids)
    _add_reviews(store, project_id, _numbered_reviews(store, instances, annotation_ids, accounts))
    _add_choices(store, instances, annotation_ids)
    _add_threads(store, project_id, _numbered_threads(store, instances, annotation_ids), accounts)
    _add_shown(store, project_id, instances, accounts)
    _add_named(store, instances, accounts)
    give_back_what_was_shown(store, [number for number, _ in instances])


def _people(source: SourceInstance) -> Iterator[str]:
    """Whoever needs an account, since they did something with an instance."""
    yield from (work.user for work in source.work)
    yield from (review.user for made in source.rounds for review in made.reviews)
    for thread in source.threads:
        yield from () if thread.begun_by is None else (thread.begun_by,)
        yield from (comment.author for comment in thread.comments if comment.by_user)
    yield from (shown.user for shown in source.shown)
    yield from source.named


def _numbered_work(store: Store, instances: Sequence[Stored], accounts: Accounts) -> list[_Assignment]:
    works = [
        (instance_id, work, draft)
        for instance_id, instance in instances
        for work, draft in zip(instance.source.work, instance.drafts, strict=True)
    ]
    return [
        _Assignment(number, instance_id, accounts[work.user], work, draft)
        for number, (instance_id, work, draft) in enumerate(works, next_work_number(store))
    ]


def _add_assignments(store: Store, project_id: int, assignments: Sequence[_Assignment]) -> None:
    """Assignments with their drafts, and what was proposed for them; of a set that stands twice the first counts."""
    now = store.now()
    store.run_many(
        """INSERT INTO assignments (id, project_id, instance_id, user_id, round, state, lease_until, created_at,
            first_view_at, first_action_at, submitted_at, active_ms, idle_ms, edits, arm)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                *(a.id, project_id, a.instance_id, a.user_id, a.work.round_number, a.work.state, now, now),
                *(a.work.first_view_at, a.work.first_action_at, a.work.submitted_at),
                *(a.work.active_ms, a.work.idle_ms, a.work.edits, a.work.arm),
            )
            for a in assignments
        ],
    )
    store.run_many(
        """INSERT INTO drafts (assignment_id, revision, result, sets, note, no_rationale, origins, unlocked, saved_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                *(a.id, a.work.revision, a.draft.result, f"[{','.join(pack_sets(a.draft.sets))}]", a.draft.note),
                *(a.draft.no_rationale, json.dumps(a.draft.origins), json.dumps(a.draft.unlocked), now),
            )
            for a in assignments
            if a.work.revision
        ],
    )
    store.run_many(
        "INSERT OR IGNORE INTO proposed_sets (assignment_id, source, name, spans, state) VALUES (?, ?, ?, ?, ?)",
        [
            (a.id, proposed.source, proposed.name, *pack_sets([RationaleSet.of(*proposed.spans)]), proposed.state)
            for a in assignments
            for proposed in a.work.proposed
        ],
    )
    store.run_many(
        "INSERT INTO help_log (assignment_id, at, source, name, spans, step) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (a.id, line.at, line.source, line.name, _packed(line.spans), line.step)
            for a in assignments
            for line in a.work.help
        ],
    )


def _packed(spans: Sequence[tuple[int, int]]) -> str:
    return "".join(pack_sets([RationaleSet.of(*spans)])) if spans else ""


def _add_own_annotations(store: Store, instances: Sequence[Stored], assignments: Sequence[_Assignment]) -> None:
    """All annotations of the instances that people annotated here, in their order, each person's tied to its work."""
    owners = {(a.instance_id, a.work.user, a.work.round_number): (a.user_id, a.id) for a in assignments}
    annotated_here = [(number, instance.annotations) for number, instance in instances if instance.is_annotated_here]
    write_annotations(store, annotated_here, owners=owners)


def _tie_corrections(store: Store, assignments: Sequence[_Assignment], annotation_ids: AnnotationIds) -> None:
    """Which annotation a correction corrects."""
    store.run_many(
        "UPDATE assignments SET follows_id = ? WHERE id = ?",
        [
            (annotation_ids[a.instance_id][a.work.follows], a.id)
            for a in assignments
            if a.work.follows is not None
        ],
    )  # fmt: skip


def _add_proposals(store: Store, project_id: int, instances: Sequence[Stored]) -> None:
    """Proposals, open and decided, each with the work that it came from."""
    store.run_many(
        """INSERT INTO proposals (project_id, instance_id, assignment_id, proposed_by, kind, reason, comment, state,
            created_at, decided_by, decided_at) VALUES (?1, ?2,
            (SELECT assignments.id FROM assignments JOIN users ON users.id = user_id
                WHERE instance_id = ?2 AND name = ?3 ORDER BY round DESC LIMIT 1), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)""",
        [
            (
                *(project_id, number, p.user, p.kind, p.reason, p.comment, p.state),
                *(p.created_at, p.decided_by, p.decided_at),
            )
            for number, instance in instances
            for p in instance.source.proposals
        ],
    )


def _add_rounds(store: Store, project_id: int, instances: Sequence[Stored], annotation_ids: AnnotationIds) -> None:
    """Rounds, and where the sets of corrections come from."""
    rounds = [(number, made) for number, instance in instances for made in instance.source.rounds]
    store.run_many(
        """INSERT INTO rounds (annotation_id, project_id, instance_id, number, previous_id, opened_at, outcome,
            decided_at, decided_by, reason, verdict) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [_round_row(project_id, number, made, annotation_ids[number]) for number, made in rounds],
    )
    store.run_many(
        "INSERT INTO set_origins (annotation_id, position, previous_position, is_carried) VALUES (?, ?, ?, ?)",
        [(annotation_ids[number][made.annotation], *origin) for number, made in rounds for origin in made.origins],
    )
    shadows = [(annotation_ids[number][made.annotation], of) for number, made in rounds for of in made.shadows]
    models = {name: add_model(store, project_id, name) for name in {shadow.model for _, shadow in shadows}}
    store.run_many(
        "INSERT INTO shadow_scores (model_id, annotation_id, sets, comprehensiveness) VALUES (?, ?, ?, ?)",
        [(models[of.model], number, json.dumps(of.sets), of.comprehensiveness) for number, of in shadows],
    )


def _round_row(project_id: int, instance_id: int, made: SourceRound, ids: Sequence[int]) -> tuple[object, ...]:
    return (
        *(ids[made.annotation], project_id, instance_id, made.number),
        None if made.previous is None else ids[made.previous],
        *(made.opened_at, made.outcome, made.decided_at, made.decided_by, made.reason),
        None if made.verdict is None else json.dumps(dict(made.verdict)),
    )


def _numbered_reviews(
    store: Store, instances: Sequence[Stored], annotation_ids: AnnotationIds, accounts: Accounts
) -> list[_Review]:
    reviews = [
        (annotation_ids[instance_id][made.annotation], review)
        for instance_id, instance in instances
        for made in instance.source.rounds
        for review in made.reviews
    ]
    return [
        _Review(number, annotation_id, accounts[review.user], review)
        for number, (annotation_id, review) in enumerate(reviews, _next_number(store, "reviews"))
    ]


def _add_reviews(store: Store, project_id: int, reviews: Sequence[_Review]) -> None:
    """Reviews with their scores."""
    store.run_many(
        """INSERT INTO reviews (id, project_id, annotation_id, user_id, state, lease_until, created_at, submitted_at,
            active_ms, idle_ms, revision, comprehensiveness, comment) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                *(r.id, project_id, r.annotation_id, r.user_id, r.source.state),
                *(
                    r.source.created_at,
                    r.source.created_at,
                    r.source.submitted_at,
                    r.source.active_ms,
                    r.source.idle_ms,
                ),
                *(r.source.revision, r.source.comprehensiveness, r.source.comment),
            )
            for r in reviews
        ],
    )
    store.run_many(
        "INSERT INTO scores (review_id, position, sufficiency, compactness, comment) VALUES (?, ?, ?, ?, ?)",
        [(r.id, position, *score) for r in reviews for position, score in enumerate(r.source.sets)],
    )


def _add_choices(store: Store, instances: Sequence[Stored], annotation_ids: AnnotationIds) -> None:
    """The leads' choices of gold."""
    store.run_many(
        """INSERT INTO gold_choices (instance_id, annotation_id, is_adjudicated, chosen_by, reason, chosen_at, evidence_pass)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                *(number, annotation_ids[number][choice.annotation], choice.is_adjudicated),
                *(choice.chosen_by, choice.reason, choice.chosen_at, choice.evidence_pass),
            )
            for number, instance in instances
            if (choice := instance.source.choice) is not None
        ],
    )


def _numbered_threads(store: Store, instances: Sequence[Stored], annotation_ids: AnnotationIds) -> list[_Thread]:
    threads = [(instance_id, thread) for instance_id, instance in instances for thread in instance.source.threads]
    return [
        _Thread(
            number,
            instance_id,
            None if thread.annotation is None else annotation_ids[instance_id][thread.annotation],
            thread,
        )
        for number, (instance_id, thread) in enumerate(threads, _next_number(store, "threads"))
    ]


def _add_threads(store: Store, project_id: int, threads: Sequence[_Thread], accounts: Accounts) -> None:
    """Threads with their comments."""
    store.run_many(
        """INSERT INTO threads (id, project_id, instance_id, annotation_id, about, position, begun_by, waits_for_lead)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                *(t.id, project_id, t.instance_id, t.annotation_id, t.source.about, t.source.position),
                *(None if t.source.begun_by is None else accounts[t.source.begun_by], t.source.waits_for_lead),
            )
            for t in threads
        ],
    )
    store.run_many(
        "INSERT INTO comments (thread_id, author, user_id, spoken_as, text, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (t.id, c.author, accounts[c.author] if c.by_user else None, c.spoken_as, c.text, c.created_at)
            for t in threads
            for c in t.source.comments
        ],
    )


def _add_shown(store: Store, project_id: int, instances: Sequence[Stored], accounts: Accounts) -> None:
    """Who was shown others' sets, and since when; that of the reviews is there already, with another time."""
    store.run_many(
        """INSERT INTO sets_shown (instance_id, user_id, project_id, at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET at = excluded.at""",
        [
            (number, accounts[shown.user], project_id, shown.at)
            for number, instance in instances
            for shown in instance.source.shown
        ],
    )


def _add_named(store: Store, instances: Sequence[Stored], accounts: Accounts) -> None:
    """For whom instances are, and how many annotators more they want."""
    for number, instance in instances:
        if instance.source.named:
            people = sorted({accounts[name] for name in instance.source.named})
            name_people(store, [number], people, cast("NamedAs", instance.source.named_as))
    store.run_many(
        "UPDATE instances SET extra_annotators = ? WHERE id = ?",
        [(i.source.extra_annotators, number) for number, i in instances if i.source.extra_annotators],
    )


def _next_number(store: Store, table: str) -> int:
    return store.number(f"SELECT {unused_number(table)}")
