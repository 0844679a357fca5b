"""What a check of the whole database reads: counts made anew, and everything that points at a token; and what is watched."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotator.domain.texts import TokenizedText
from annotator.store.annotate.instance_queue import ROUND_SLOTS, SLOTS, STATE
from annotator.store.annotate.visibility import annotates, held_against_the_rule, was_shown
from annotator.store.connection.database import Store
from annotator.store.packed_rows import unpack_text


@dataclass(frozen=True, slots=True)
class WrongCount:
    """A count that is kept beside the rows, and what the rows themselves say."""

    place: str
    kept: int
    counted: int


def numbers_to_watch(store: Store) -> dict[str, int]:
    """How much there is, for whoever watches the server: by the name of the number, that of jobs with its state."""
    jobs = store.rows("SELECT state, count(*) AS n FROM jobs GROUP BY state ORDER BY state")
    return {
        "accounts": int(store.value("SELECT count(*) FROM users WHERE NOT is_disabled")),
        "sessions": int(store.value("SELECT count(*) FROM sessions WHERE expires_at > ?", (store.now(),))),
        "annotations_total": int(
            store.value("SELECT count(*) FROM annotations WHERE state NOT IN ('draft', 'reference')")
        ),
        "reviews_total": int(store.value("SELECT count(*) FROM reviews WHERE submitted_at IS NOT NULL")),
        "perturbed_versions_total": int(store.value("SELECT count(*) FROM perturbations")),
        **{f'jobs{{state="{row["state"]}"}}': int(row["n"]) for row in jobs},
    }


def wrong_workers(store: Store) -> Iterator[tuple[str, str]]:
    """Workers of recruitment links whose account does not say the same as their visit: name, and what is wrong."""
    for row in store.rows(
        """SELECT name, state, is_disabled, is_worker, password_hash IS NOT NULL AS has_password FROM crowd_workers
            JOIN users ON users.id = crowd_workers.user_id
            WHERE is_worker = 0 OR has_password OR (state <> 'working' AND is_disabled = 0)"""
    ):
        if row["is_worker"] and not row["has_password"]:
            yield row["name"], f"has ended the visit ({row['state']}), but the account is not shut"
        else:
            yield row["name"], "came in by a crowd door, but has the account of a person"


def wrong_instance_counts(store: Store) -> list[WrongCount]:
    """Counts of instances by state that do not equal the recounted ones."""
    return _wrong_counts(
        store,
        """SELECT 'project ' || project_id || ', instances "' || state || '"' AS place,
                sum(kept) AS kept, sum(counted) AS counted
            FROM (SELECT project_id, state, n AS kept, 0 AS counted FROM instance_counts
                UNION ALL SELECT project_id, state, 0, 1 FROM instances
                UNION ALL SELECT project_id, 'queued', 0, 1 FROM instances WHERE open_slots > 0 AND state = 'open')
            GROUP BY project_id, state HAVING sum(kept) <> sum(counted)""",
    )


def wrong_training_counts(store: Store) -> list[WrongCount]:
    """Numbers of instances that models learned from which do not equal the recounted ones."""
    return _wrong_counts(
        store,
        """SELECT 'project ' || project_id || ', training of "' || model || '"' AS place, n AS kept,
                (SELECT count(*) FROM training_members WHERE training_id = trainings.id) AS counted
            FROM trainings WHERE kept <> counted""",
    )


def wrong_assignment_counts(store: Store) -> list[WrongCount]:
    """Counts of people's work by state that do not equal the recounted ones."""
    return _wrong_counts(
        store,
        """SELECT 'project ' || project_id || ', user ' || user_id || ', work "' || state || '"' AS place,
                sum(kept) AS kept, sum(counted) AS counted
            FROM (SELECT project_id, user_id, state, n AS kept, 0 AS counted FROM assignment_counts
                UNION ALL SELECT project_id, user_id, state, 0, 1 FROM assignments)
            GROUP BY project_id, user_id, state HAVING sum(kept) <> sum(counted)""",
    )


def _wrong_counts(store: Store, sql: str) -> list[WrongCount]:
    return [WrongCount(row["place"], row["kept"], row["counted"]) for row in store.rows(sql)]


def iterate_documents(store: Store, *, batch_size: int = 500) -> Iterator[tuple[str, TokenizedText]]:
    """Every document with its name and tokens, a batch at a time."""
    last = 0
    while rows := store.rows("SELECT * FROM documents WHERE id > ? ORDER BY id LIMIT ?", (last, batch_size)):
        for row in rows:
            name = row["docid"] or f"number {row['id']}"
            yield name, unpack_text(row["text"], row["token_offsets"], row["sentence_starts"])
        last = rows[-1]["id"]


def faults(store: Store, kind: str, limit: int) -> list[dict[str, Any]]:
    """The first faults of a kind, by the names of the question's columns."""
    return [dict(row) for row in store.rows(f"{FAULTS[kind]} LIMIT ?", (limit,))]


# Of each kind of fault the question that finds it; usecases/upkeep.py has the sentences for the columns.
FAULTS = {
    "unsettled_instances": f"""
            SELECT key, open_slots || ' slots, ' || state AS kept, {SLOTS} || ' slots, ' || {STATE} AS due FROM instances
            WHERE open_slots <> {SLOTS} OR state <> {STATE} ORDER BY id""",
    "unsettled_rounds": f"""
            SELECT key, 'wants ' || rounds.open_slots || ' reviewers, but it is ' || {ROUND_SLOTS} AS said FROM rounds
                JOIN instances ON instances.id = instance_id WHERE rounds.open_slots <> {ROUND_SLOTS}
            UNION ALL SELECT key, 'is ' || outcome || ', but its annotation is ' || annotations.state FROM rounds
                JOIN instances ON instances.id = rounds.instance_id JOIN annotations ON annotations.id = annotation_id
                WHERE outcome <> annotations.state
            UNION ALL SELECT key, 'waits for reviewers, but has no round' FROM annotations
                JOIN instances ON instances.id = instance_id JOIN projects ON projects.id = instances.project_id
                WHERE annotations.state = 'submitted' AND instances.state NOT IN ('held', 'discarded')
                AND assignment_id IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM rounds WHERE annotation_id = annotations.id AND outcome IS NULL)""",
    "incomplete_reviews": """SELECT key, users.name AS name FROM reviews JOIN annotations ON annotations.id = annotation_id
            JOIN instances ON instances.id = instance_id JOIN users ON users.id = reviews.user_id
            WHERE reviews.state = 'submitted'
            -- of a correction whose first round was erased nobody knows any more which sets carried their scores
            AND NOT EXISTS (SELECT 1 FROM rounds WHERE rounds.annotation_id = reviews.annotation_id
                AND rounds.number > 1 AND rounds.previous_id IS NULL)
            AND EXISTS (SELECT 1 FROM rationale_sets AS one
                WHERE one.annotation_id = reviews.annotation_id
                AND NOT EXISTS (SELECT 1 FROM set_origins WHERE annotation_id = one.annotation_id
                    AND position = one.position AND is_carried = 1)
                AND NOT EXISTS (SELECT 1 FROM scores WHERE review_id = reviews.id AND position = one.position
                    AND sufficiency IS NOT NULL AND compactness IS NOT NULL))""",
    "submissions_without_annotation": """
            SELECT key, name FROM assignments JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
            WHERE assignments.state = 'submitted'
            AND NOT EXISTS (SELECT 1 FROM annotations WHERE assignment_id = assignments.id)""",
    "proposals_without_work": """SELECT key, proposed_by AS name FROM proposals JOIN instances ON instances.id = instance_id
            WHERE proposals.state = 'open' AND assignment_id IS NULL""",
    "hidden_by_cursors": f"""
            SELECT key, name FROM instances JOIN queue_cursors ON queue_cursors.project_id = instances.project_id
            JOIN users ON users.id = user_id
            WHERE open_slots > 0 AND instances.state = 'open' AND named_as IS NULL
            AND queue_position <= position AND NOT EXISTS (
                SELECT 1 FROM assignments WHERE instance_id = instances.id AND user_id = users.id)
            AND NOT {was_shown("users.id")}""",
    "wrongly_named": """SELECT key, 'names people, but none is kept' AS fault FROM instances WHERE named_as IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM named_people WHERE instance_id = instances.id)
            UNION ALL SELECT key, 'names nobody, but ' || name || ' is kept' FROM named_people
                JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id WHERE named_as IS NULL
            UNION ALL SELECT key, 'has another place in the queue than is kept for ' || name FROM named_people
                JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
                WHERE named_as IS NOT NULL AND (named_people.queue_position <> instances.queue_position
                    OR is_free <> (open_slots > 0 AND instances.state = 'open'))""",
    "work_on_shown_texts": f"""
            SELECT key, name FROM assignments JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
            WHERE {held_against_the_rule()}""",
    "reviews_by_annotators": f"""SELECT key, name FROM reviews JOIN annotations ON annotations.id = annotation_id
            JOIN instances ON instances.id = instance_id JOIN users ON users.id = reviews.user_id
            WHERE reviews.state = 'leased' AND {annotates("reviews.user_id")}
            AND {was_shown("reviews.user_id")}""",
    "unnoted_reviewers": f"""SELECT key, name FROM reviews JOIN annotations ON annotations.id = annotation_id
            JOIN instances ON instances.id = instance_id JOIN users ON users.id = reviews.user_id
            WHERE NOT {was_shown("reviews.user_id")} AND NOT EXISTS (SELECT 1 FROM assignments
                WHERE instance_id = instances.id AND user_id = reviews.user_id)""",
    "shown_with_wrong_freedom": """
            SELECT key, name FROM sets_shown JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
            WHERE is_free <> (open_slots > 0 AND instances.state = 'open')""",
    "exercises_of_others": """SELECT key, name FROM exercises JOIN instances ON instances.id = exercises.instance_id
            JOIN users ON users.id = exercises.user_id JOIN qualification_items AS items ON items.id = item_id
            WHERE exercises.instance_id <> items.instance_id OR exercises.project_id <> items.project_id
                OR instances.project_id <> exercises.project_id""",
    "checks_numbered_as_work": """
            SELECT key, exercises.id AS id FROM exercises JOIN assignments ON assignments.id = exercises.id
            JOIN instances ON instances.id = exercises.instance_id""",
    "unnoted_trainees": """SELECT key, name FROM exercises JOIN instances ON instances.id = exercises.instance_id
            JOIN users ON users.id = exercises.user_id
            WHERE attempt_id IS NOT NULL AND exercises.state IN ('answered', 'done')
            AND NOT EXISTS (SELECT 1 FROM sets_shown AS shown
                WHERE shown.instance_id = exercises.instance_id AND shown.user_id = exercises.user_id)""",
    "instances_with_wrong_size": """
            SELECT key, instances.n_tokens AS kept, coalesce(sum(documents.n_tokens), 0) AS counted FROM instances
            LEFT JOIN segments ON segments.instance_id = instances.id
            LEFT JOIN documents ON documents.id = document_id
            GROUP BY instances.id HAVING kept <> counted ORDER BY instances.id""",
    "segments_without_tokens": """SELECT key, s.name AS name FROM documents JOIN segments AS s ON s.document_id = documents.id
            JOIN instances ON instances.id = s.instance_id JOIN projects ON projects.id = instances.project_id
            WHERE documents.n_tokens = 0 AND NOT EXISTS (SELECT 1 FROM json_each(projects.segments) AS spec
                WHERE spec.value ->> 'may_be_empty' AND (spec.value ->> 'name' = s.name
                    OR (spec.value ->> 'may_repeat' AND s.name GLOB (spec.value ->> 'name') || '[0-9]*')))
            ORDER BY instances.id""",
    "spans_outside": """SELECT instances.key AS key, annotator, n_tokens, json_extract(span.value, '$[0]') AS start_token,
                json_extract(span.value, '$[1]') AS end_token
            FROM rationale_sets JOIN annotations ON annotations.id = annotation_id
            JOIN instances ON instances.id = instance_id, json_each(spans) AS span
            WHERE NOT (0 <= start_token AND start_token < end_token AND end_token <= n_tokens)""",
    "draft_spans_outside": """SELECT instances.key AS key, n_tokens, replace(span.value, ',', ', ') AS span FROM drafts
            JOIN assignments ON assignments.id = assignment_id JOIN instances ON instances.id = instance_id,
            json_each(sets) AS one_set, json_each(one_set.value) AS span
            WHERE NOT (0 <= json_extract(span.value, '$[0]')
                AND json_extract(span.value, '$[0]') < json_extract(span.value, '$[1]')
                AND json_extract(span.value, '$[1]') <= n_tokens)""",
    "outputs_outside": """
            SELECT key, name FROM attributions JOIN instances ON instances.id = instance_id JOIN runs ON runs.id = run_id
                JOIN models ON models.id = model_id
                WHERE length(scores) NOT IN (8 * n_tokens, 8 * n_selectable)
                    OR (written IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(written, '$.scores') AS of_piece
                        WHERE 8 * json_array_length(of_piece.value) <> length(scores)))
            UNION ALL SELECT key, name FROM attributions JOIN instances ON instances.id = instance_id
                JOIN runs ON runs.id = run_id JOIN models ON models.id = model_id
                WHERE models.project_id <> instances.project_id""",
    "trainings_outside": """SELECT key, model FROM training_members JOIN trainings ON trainings.id = training_id
            JOIN instances ON instances.id = instance_id WHERE trainings.project_id <> instances.project_id""",
    "copies_out_of_place": """
            SELECT i.key AS key FROM evidence_copies
            JOIN instances AS i ON i.id = copy_id JOIN instances AS o ON o.id = original_id
            LEFT JOIN evidence_passes AS p ON p.project_id = i.project_id
            WHERE p.source_id IS NULL OR p.source_id <> o.project_id""",
    "verdicts_by_involved": """
            SELECT key, name FROM audit_items AS a JOIN instances ON instances.id = a.instance_id JOIN users ON users.id = auditor
            WHERE EXISTS (SELECT 1 FROM perturbation_versions AS v WHERE v.perturbation_id = a.perturbation_id
                AND v.number <= a.version AND v.made_by = auditor)
            OR EXISTS (SELECT 1 FROM perturbation_checks AS c WHERE c.perturbation_id = a.perturbation_id
                AND c.version <= a.version AND c.checker = auditor AND c.at < judged_at)""",
}
