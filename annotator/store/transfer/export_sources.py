"""What our own export carries of reviewing, out: rounds, reviews with their scores, the choice of gold, threads.

An annotation is named by its place among its instance's annotations, since numbers differ between databases.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from annotator.domain.own_sources import SourceAudit, SourceAuditItem, SourceCheck, SourcePerturbation, SourceVersion
from annotator.domain.project.audits import AuditItem
from annotator.domain.reviews import Review
from annotator.domain.sources import SourceChoice, SourceComment, SourceReview, SourceRound, SourceShadow, SourceThread
from annotator.store.connection.database import Row, Store
from annotator.store.perturb.audits import audits_of, items_of
from annotator.store.perturb.perturbations import SELECT, insert_version, with_history
from annotator.store.review.reviews import reviews_of

Places = Mapping[int, int]  # an annotation's number: its place


def annotation_ids_of(store: Store, instance_ids: Sequence[int]) -> dict[int, list[int]]:
    """For each instance the numbers of its annotations, oldest first: their order is their place."""
    by_instance: dict[int, list[int]] = {number: [] for number in instance_ids}
    for row in _of_instances(
        store, "SELECT id, instance_id FROM annotations WHERE instance_id IN wanted ORDER BY id", instance_ids
    ):
        by_instance[row["instance_id"]].append(row["id"])
    return by_instance


def rounds_as_sources(store: Store, instance_ids: Sequence[int], places: Places) -> dict[int, tuple[SourceRound, ...]]:
    """For each instance its rounds with all their reviews."""
    rows = _of_instances(store, "SELECT * FROM rounds WHERE instance_id IN wanted ORDER BY annotation_id", instance_ids)
    reviews = reviews_of(store, [row["annotation_id"] for row in rows])
    origins = _origins(store, [row["annotation_id"] for row in rows])
    shadows = _shadows(store, [row["annotation_id"] for row in rows])
    by_instance: dict[int, tuple[SourceRound, ...]] = {}
    for row in rows:
        made = _round(row, places, origins.get(row["annotation_id"], ()), reviews.get(row["annotation_id"], []))
        made = replace(made, shadows=tuple(shadows.get(row["annotation_id"], ())))
        by_instance[row["instance_id"]] = (*by_instance.get(row["instance_id"], ()), made)
    return by_instance


def _of_instances(store: Store, sql: str, instance_ids: Sequence[int]) -> list[Row]:
    wanted = "(SELECT value FROM json_each(?))"
    return store.rows(sql.replace("wanted", wanted), (json.dumps(list(instance_ids)),))


def _origins(store: Store, annotation_ids: Sequence[int]) -> dict[int, tuple[tuple[int, int, bool], ...]]:
    by_annotation: dict[int, tuple[tuple[int, int, bool], ...]] = {}
    for row in _of_instances(
        store,
        "SELECT * FROM set_origins WHERE annotation_id IN wanted ORDER BY annotation_id, position",
        annotation_ids,
    ):
        origin = (row["position"], row["previous_position"], bool(row["is_carried"]))
        by_annotation[row["annotation_id"]] = (*by_annotation.get(row["annotation_id"], ()), origin)
    return by_annotation


def _shadows(store: Store, annotation_ids: Sequence[int]) -> dict[int, list[SourceShadow]]:
    by_annotation: dict[int, list[SourceShadow]] = {}
    for row in _of_instances(
        store,
        "SELECT * FROM shadow_scores JOIN models ON models.id = model_id WHERE annotation_id IN wanted ORDER BY name",
        annotation_ids,
    ):
        sets = tuple((sufficiency, compactness) for sufficiency, compactness in json.loads(row["sets"]))
        shadow = SourceShadow(row["name"], row["comprehensiveness"], sets)
        by_annotation.setdefault(row["annotation_id"], []).append(shadow)
    return by_annotation


def _round(
    row: Row, places: Places, origins: tuple[tuple[int, int, bool], ...], reviews: Sequence[Review]
) -> SourceRound:
    return SourceRound(
        annotation=places[row["annotation_id"]],
        number=row["number"],
        opened_at=row["opened_at"],
        previous=None if row["previous_id"] is None else places[row["previous_id"]],
        outcome=row["outcome"],
        decided_at=row["decided_at"],
        decided_by=row["decided_by"],
        reason=row["reason"],
        verdict=None if row["verdict"] is None else json.loads(row["verdict"]),
        origins=origins,
        reviews=tuple(_review(review) for review in reviews),
    )


def _review(review: Review) -> SourceReview:
    return SourceReview(
        user=review.reviewer, state=review.state, revision=review.revision, created_at=review.created_at,
        submitted_at=review.submitted_at, active_ms=review.active_ms, idle_ms=review.idle_ms,
        comprehensiveness=review.scores.comprehensiveness, comment=review.scores.comment,
        sets=tuple((s.sufficiency, s.compactness, s.comment) for s in review.scores.sets),
    )  # fmt: skip


def choices_as_sources(store: Store, instance_ids: Sequence[int], places: Places) -> dict[int, SourceChoice]:
    """The choice of gold of each instance that has one."""
    rows = _of_instances(store, "SELECT * FROM gold_choices WHERE instance_id IN wanted", instance_ids)
    return {
        row["instance_id"]: SourceChoice(
            *(places[row["annotation_id"]], bool(row["is_adjudicated"]), row["chosen_by"], row["reason"]),
            *(row["chosen_at"], row["evidence_pass"]),
        )
        for row in rows
    }


def threads_as_sources(
    store: Store, instance_ids: Sequence[int], places: Places
) -> dict[int, tuple[SourceThread, ...]]:
    """For each instance its threads with all their comments."""
    rows = _of_instances(
        store,
        """SELECT threads.*, users.name AS begun_by_name FROM threads LEFT JOIN users ON users.id = begun_by
            WHERE instance_id IN wanted ORDER BY threads.id""",
        instance_ids,
    )
    comments = _comments(store, [row["id"] for row in rows])
    by_instance: dict[int, tuple[SourceThread, ...]] = {}
    for row in rows:
        thread = SourceThread(
            about=row["about"],
            annotation=None if row["annotation_id"] is None else places[row["annotation_id"]],
            position=row["position"],
            begun_by=row["begun_by_name"],
            waits_for_lead=bool(row["waits_for_lead"]),
            comments=comments.get(row["id"], ()),
        )
        by_instance[row["instance_id"]] = (*by_instance.get(row["instance_id"], ()), thread)
    return by_instance


def _comments(store: Store, thread_ids: Sequence[int]) -> dict[int, tuple[SourceComment, ...]]:
    by_thread: dict[int, tuple[SourceComment, ...]] = {}
    for row in _of_instances(
        store, "SELECT * FROM comments WHERE thread_id IN wanted ORDER BY thread_id, id", thread_ids
    ):
        comment = SourceComment(
            row["author"], row["spoken_as"], row["text"], row["created_at"], row["user_id"] is not None
        )
        by_thread[row["thread_id"]] = (*by_thread.get(row["thread_id"], ()), comment)
    return by_thread


# What our own export carries of perturbations: read as its records, and written back as they were.


def perturbations_as_sources(store: Store, project_id: int, split: str | None = None) -> Iterator[SourcePerturbation]:
    """All of a project, oldest first, with the keys and splits of their instances; split: of originals of that one."""
    rows = store.rows(
        f"{SELECT} JOIN instances AS i ON i.id = original_id WHERE perturbations.project_id = ?1 AND (?2 IS NULL OR split = ?2)"
        " ORDER BY perturbations.id",
        (project_id, split),
    )
    for perturbation in with_history(store, rows):
        original = _named(store, perturbation.original_id)
        yield SourcePerturbation(
            original, perturbation.author_name, perturbation.state, perturbation.original_fingerprint.hex(), perturbation.gold,
            tuple(SourceVersion(v.made_by_name, v.changed, v.reason, v.made_at) for v in perturbation.versions),
            tuple(SourceCheck(c.version, c.checker_name, c.verdict, c.reason, c.at) for c in perturbation.checks),
            None if perturbation.instance_id is None else _named(store, perturbation.instance_id),
        )  # fmt: skip


def places_of_perturbations(store: Store, project_id: int) -> dict[int, int]:
    """For each perturbation its place among those of its original, oldest first."""
    return store.mapping(
        """SELECT id, row_number() OVER (PARTITION BY original_id ORDER BY id) - 1 AS place FROM perturbations
            WHERE project_id = ?""",
        (project_id,),
    )


def restore_perturbation(
    store: Store,
    project_id: int,
    source: SourcePerturbation,
    original_id: int,
    instance_id: int | None,
    user_id: Callable[[str], int],
) -> None:
    """Write one as it was."""
    perturbation_id = store.add(
        """INSERT INTO perturbations (project_id, original_id, author, kind, state, version, original_fingerprint, gold,
            instance_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            project_id, original_id, user_id(source.author), source.versions[-1].changed.kind, source.state,
            len(source.versions), bytes.fromhex(source.fingerprint), source.gold, instance_id,
        ),
    )  # fmt: skip
    for number, version in enumerate(source.versions, 1):
        insert_version(store, perturbation_id, number, user_id(version.by), version.changed, version.reason, version.at)
    store.run_many(
        "INSERT INTO perturbation_checks (perturbation_id, version, checker, verdict, reason, at) VALUES (?, ?, ?, ?, ?, ?)",
        [(perturbation_id, c.version, user_id(c.by), c.verdict, c.reason, c.at) for c in source.checks],
    )


# What our own export carries of audits: read as its records, and written back as they were.


def audits_as_sources(store: Store, project_id: int) -> Iterator[SourceAudit]:
    """All of a project, oldest first."""
    places = places_of_perturbations(store, project_id)
    for audit in reversed(audits_of(store, project_id)):
        items = tuple(_item(store, item, places) for item in items_of(store, audit.id))
        yield SourceAudit(audit.drawing, audit.population, audit.made_by, audit.made_at, items)


def _item(store: Store, item: AuditItem, places: Mapping[int, int]) -> SourceAuditItem:
    original_id = store.value("SELECT original_id FROM perturbations WHERE id = ?", (item.perturbation_id,))
    original, instance = _named(store, original_id), _named(store, item.instance_id)
    nth, verdict = places[item.perturbation_id], item.verdict
    if verdict is None:
        return SourceAuditItem(original, nth, item.version, item.kind, instance)
    return SourceAuditItem(
        original, nth, item.version, item.kind, instance, verdict.auditor_name, verdict.is_right, verdict.faults,
        verdict.comment, verdict.texts, verdict.result, verdict.judged_at,
    )  # fmt: skip


def perturbation_at(store: Store, original_id: int, nth: int) -> int | None:
    """The number of the nth perturbation among those of its original, from 0."""
    rows = store.rows("SELECT id FROM perturbations WHERE original_id = ? ORDER BY id", (original_id,))
    return rows[nth]["id"] if nth < len(rows) else None


def restore_audit(
    store: Store, project_id: int, source: SourceAudit, members: list[tuple[int, int]], user_id: Callable[[str], int]
) -> None:
    """Write one as it was. members: of each item the numbers of its perturbation and of its instance."""
    audit_id = store.add(
        "INSERT INTO audits (project_id, drawing, population, made_by, made_at) VALUES (?, ?, ?, ?, ?)",
        (
            project_id, json.dumps(asdict(source.drawing)), json.dumps(dict(source.population)), source.made_by,
            source.made_at,
        ),
    )  # fmt: skip
    store.run_many(
        """INSERT INTO audit_items (audit_id, position, perturbation_id, version, kind, instance_id, auditor, is_right, faults,
            comment, texts, result, judged_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                *(audit_id, position, perturbation_id, item.version, item.kind, instance_id),
                *(None if item.auditor is None else user_id(item.auditor), item.is_right, json.dumps(item.faults)),
                *(item.comment, item.texts, item.result, item.judged_at),
            )
            for position, (item, (perturbation_id, instance_id)) in enumerate(zip(source.items, members, strict=True))
        ],
    )


def _named(store: Store, instance_id: int) -> tuple[str, str]:
    row = store.rows("SELECT key, split FROM instances WHERE id = ?", (instance_id,))[0]
    return row["key"], row["split"]
