"""What a check of the whole database reads: counts made anew, and everything that points at a token; and what is watched."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

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


def unsettled_instances(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Instances whose open slots or state do not follow from their work, annotations and proposals: key, both in words."""
    rows = store.rows(
        f"""SELECT key, open_slots || ' slots, ' || state AS kept, {SLOTS} || ' slots, ' || {STATE} AS due FROM instances
            WHERE open_slots <> {SLOTS} OR state <> {STATE} ORDER BY id LIMIT ?""",
        (limit,),
    )
    return [(row["key"], f"says {row['kept']}, but it is {row['due']}") for row in rows]


def unsettled_rounds(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Rounds whose open slots do not follow from their reviews, or whose outcome is not their annotation's: key, in words."""
    rows = store.rows(
        f"""SELECT key, 'wants ' || rounds.open_slots || ' reviewers, but it is ' || {ROUND_SLOTS} AS said FROM rounds
                JOIN instances ON instances.id = instance_id WHERE rounds.open_slots <> {ROUND_SLOTS}
            UNION ALL SELECT key, 'is ' || outcome || ', but its annotation is ' || annotations.state FROM rounds
                JOIN instances ON instances.id = rounds.instance_id JOIN annotations ON annotations.id = annotation_id
                WHERE outcome <> annotations.state
            UNION ALL SELECT key, 'waits for reviewers, but has no round' FROM annotations
                JOIN instances ON instances.id = instance_id JOIN projects ON projects.id = instances.project_id
                WHERE annotations.state = 'submitted' AND instances.state NOT IN ('held', 'discarded')
                AND assignment_id IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM rounds WHERE annotation_id = annotations.id AND outcome IS NULL)
            LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["said"]) for row in rows]


def incomplete_reviews(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Reviews that were handed in without all scores: key, reviewer."""
    rows = store.rows(
        """SELECT key, users.name FROM reviews JOIN annotations ON annotations.id = annotation_id
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
                    AND sufficiency IS NOT NULL AND compactness IS NOT NULL)) LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def submissions_without_annotation(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Submitted work that left no annotation: key, person."""
    rows = store.rows(
        """SELECT key, name FROM assignments JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
            WHERE assignments.state = 'submitted'
            AND NOT EXISTS (SELECT 1 FROM annotations WHERE assignment_id = assignments.id) LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def proposals_without_work(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Open proposals that belong to no piece of work, so that a decision could not reach it: key, person."""
    rows = store.rows(
        """SELECT key, proposed_by FROM proposals JOIN instances ON instances.id = instance_id
            WHERE proposals.state = 'open' AND assignment_id IS NULL LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["proposed_by"]) for row in rows]


def hidden_by_cursors(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Free instances that lie behind the cursor of somebody who never held them, nor saw others' sets: key, person."""
    rows = store.rows(
        f"""SELECT key, name FROM instances JOIN queue_cursors ON queue_cursors.project_id = instances.project_id
            JOIN users ON users.id = user_id
            WHERE open_slots > 0 AND instances.state = 'open' AND named_as IS NULL
            AND queue_position <= position AND NOT EXISTS (
                SELECT 1 FROM assignments WHERE instance_id = instances.id AND user_id = users.id)
            AND NOT {was_shown("users.id")} LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def work_on_shown_texts(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Texts that somebody has in hand to annotate although others' sets of them were shown to them: key, person."""
    rows = store.rows(
        f"""SELECT key, name FROM assignments JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
            WHERE {held_against_the_rule()} LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def reviews_by_annotators(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Reviews in work of a text that the reviewer has in hand to annotate, or has handed in: key, person."""
    rows = store.rows(
        f"""SELECT key, name FROM reviews JOIN annotations ON annotations.id = annotation_id
            JOIN instances ON instances.id = instance_id JOIN users ON users.id = reviews.user_id
            WHERE reviews.state = 'leased' AND {annotates("reviews.user_id")}
            AND {was_shown("reviews.user_id")} LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def unnoted_reviewers(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Reviewers of whom it is not kept that the sets were shown to them, so that they may be given the text: key, person."""
    rows = store.rows(
        f"""SELECT key, name FROM reviews JOIN annotations ON annotations.id = annotation_id
            JOIN instances ON instances.id = instance_id JOIN users ON users.id = reviews.user_id
            WHERE NOT {was_shown("reviews.user_id")} AND NOT EXISTS (SELECT 1 FROM assignments
                WHERE instance_id = instances.id AND user_id = reviews.user_id) LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def shown_with_wrong_freedom(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Where it is kept wrongly whether a text that was shown to somebody is free: key, person."""
    rows = store.rows(
        """SELECT key, name FROM sets_shown JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
            WHERE is_free <> (open_slots > 0 AND instances.state = 'open') LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def wrongly_named(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Where it is kept wrongly for whom a text is, whether it is free for them, or in which place: key, what is wrong."""
    rows = store.rows(
        """SELECT key, 'names people, but none is kept' AS fault FROM instances WHERE named_as IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM named_people WHERE instance_id = instances.id)
            UNION ALL SELECT key, 'names nobody, but ' || name || ' is kept' FROM named_people
                JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id WHERE named_as IS NULL
            UNION ALL SELECT key, 'has another place in the queue than is kept for ' || name FROM named_people
                JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
                WHERE named_as IS NOT NULL AND (named_people.queue_position <> instances.queue_position
                    OR is_free <> (open_slots > 0 AND instances.state = 'open')) LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["fault"]) for row in rows]


def instances_with_wrong_size(store: Store, *, limit: int) -> list[tuple[str, int, int]]:
    """Keys of instances whose number of tokens is not that of their documents: kept, counted."""
    rows = store.rows(
        """SELECT key, instances.n_tokens AS kept, coalesce(sum(documents.n_tokens), 0) AS counted FROM instances
            LEFT JOIN segments ON segments.instance_id = instances.id
            LEFT JOIN documents ON documents.id = document_id
            GROUP BY instances.id HAVING kept <> counted ORDER BY instances.id LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["kept"], row["counted"]) for row in rows]


def segments_without_tokens(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Segments of instances that hold nothing, where the task needs a text: key, segment."""
    rows = store.rows(
        """SELECT key, s.name FROM documents JOIN segments AS s ON s.document_id = documents.id
            JOIN instances ON instances.id = s.instance_id JOIN projects ON projects.id = instances.project_id
            WHERE documents.n_tokens = 0 AND NOT EXISTS (SELECT 1 FROM json_each(projects.segments) AS spec
                WHERE spec.value ->> 'may_be_empty' AND (spec.value ->> 'name' = s.name
                    OR (spec.value ->> 'may_repeat' AND s.name GLOB (spec.value ->> 'name') || '[0-9]*')))
            ORDER BY instances.id LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def spans_outside(store: Store, *, limit: int) -> list[tuple[str, str, int, int, int]]:
    """Spans of rationale sets beyond their instance: key, annotator, start, end, the instance's tokens."""
    rows = store.rows(
        """SELECT instances.key, annotator, n_tokens, json_extract(span.value, '$[0]') AS start_token,
                json_extract(span.value, '$[1]') AS end_token
            FROM rationale_sets JOIN annotations ON annotations.id = annotation_id
            JOIN instances ON instances.id = instance_id, json_each(spans) AS span
            WHERE NOT (0 <= start_token AND start_token < end_token AND end_token <= n_tokens) LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["annotator"], row["start_token"], row["end_token"], row["n_tokens"]) for row in rows]


def outputs_outside(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """What models say of other tokens than an instance has: key, model."""
    rows = store.rows(
        """SELECT key, name FROM attributions JOIN instances ON instances.id = instance_id JOIN runs ON runs.id = run_id
                JOIN models ON models.id = model_id
                WHERE length(scores) NOT IN (8 * n_tokens, 8 * n_selectable)
                    OR (written IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(written, '$.scores') AS of_piece
                        WHERE 8 * json_array_length(of_piece.value) <> length(scores)))
            UNION ALL SELECT key, name FROM attributions JOIN instances ON instances.id = instance_id
                JOIN runs ON runs.id = run_id JOIN models ON models.id = model_id
                WHERE models.project_id <> instances.project_id LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def trainings_outside(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Instances of another project that a model is said to have learned from: key, model."""
    rows = store.rows(
        """SELECT key, model FROM training_members JOIN trainings ON trainings.id = training_id
            JOIN instances ON instances.id = instance_id WHERE trainings.project_id <> instances.project_id LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["model"]) for row in rows]


def iterate_documents(store: Store, *, batch_size: int = 500) -> Iterator[tuple[str, TokenizedText]]:
    """Every document with its name and tokens, a batch at a time."""
    last = 0
    while rows := store.rows("SELECT * FROM documents WHERE id > ? ORDER BY id LIMIT ?", (last, batch_size)):
        for row in rows:
            name = row["docid"] or f"number {row['id']}"
            yield name, unpack_text(row["text"], row["token_offsets"], row["sentence_starts"])
        last = rows[-1]["id"]


def draft_spans_outside(store: Store, *, limit: int) -> list[tuple[str, list[int], int]]:
    """Spans of drafts beyond their instance: key, span, the instance's tokens."""
    rows = store.rows(
        """SELECT instances.key, n_tokens, span.value AS span FROM drafts
            JOIN assignments ON assignments.id = assignment_id JOIN instances ON instances.id = instance_id,
            json_each(sets) AS one_set, json_each(one_set.value) AS span
            WHERE NOT (0 <= json_extract(span.value, '$[0]')
                AND json_extract(span.value, '$[0]') < json_extract(span.value, '$[1]')
                AND json_extract(span.value, '$[1]') <= n_tokens) LIMIT ?""",
        (limit,),
    )
    return [(row["key"], json.loads(row["span"]), row["n_tokens"]) for row in rows]


def copies_out_of_place(store: Store, *, limit: int) -> list[str]:
    """Keys of texts of second passes that are in no pass, or whose original is not in its first project."""
    rows = store.rows(
        """SELECT i.key FROM evidence_copies JOIN instances AS i ON i.id = copy_id JOIN instances AS o ON o.id = original_id
            LEFT JOIN evidence_passes AS p ON p.project_id = i.project_id
            WHERE p.source_id IS NULL OR p.source_id <> o.project_id LIMIT ?""",
        (limit,),
    )
    return [row["key"] for row in rows]


def verdicts_by_involved(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Audited versions that were judged by somebody who wrote or checked the version that was drawn: key, person."""
    rows = store.rows(
        """SELECT key, name FROM audit_items AS a JOIN instances ON instances.id = a.instance_id JOIN users ON users.id = auditor
            WHERE EXISTS (SELECT 1 FROM perturbation_versions AS v WHERE v.perturbation_id = a.perturbation_id
                AND v.number <= a.version AND v.made_by = auditor)
            OR EXISTS (SELECT 1 FROM perturbation_checks AS c WHERE c.perturbation_id = a.perturbation_id
                AND c.version <= a.version AND c.checker = auditor AND c.at < judged_at) LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def exercises_of_others(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """Training texts and checks that are of another text or project than their item says: key, person."""
    rows = store.rows(
        """SELECT key, name FROM exercises JOIN instances ON instances.id = exercises.instance_id
            JOIN users ON users.id = exercises.user_id JOIN qualification_items AS items ON items.id = item_id
            WHERE exercises.instance_id <> items.instance_id OR exercises.project_id <> items.project_id
                OR instances.project_id <> exercises.project_id LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]


def checks_numbered_as_work(store: Store, *, limit: int) -> list[tuple[str, int]]:
    """Checks under a number that a piece of work has too: key, number."""
    rows = store.rows(
        """SELECT key, exercises.id FROM exercises JOIN assignments ON assignments.id = exercises.id
            JOIN instances ON instances.id = exercises.instance_id LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["id"]) for row in rows]


def unnoted_trainees(store: Store, *, limit: int) -> list[tuple[str, str]]:
    """People whose training showed them the gold of a text, of which that is not noted: key, person."""
    rows = store.rows(
        """SELECT key, name FROM exercises JOIN instances ON instances.id = exercises.instance_id
            JOIN users ON users.id = exercises.user_id
            WHERE attempt_id IS NOT NULL AND exercises.state IN ('answered', 'done')
            AND NOT EXISTS (SELECT 1 FROM sets_shown AS shown
                WHERE shown.instance_id = exercises.instance_id AND shown.user_id = exercises.user_id) LIMIT ?""",
        (limit,),
    )
    return [(row["key"], row["name"]) for row in rows]
