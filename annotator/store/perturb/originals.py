"""Originals, of which changed versions are written: which comes next, counts, and drafts of versions."""

from collections.abc import Sequence
from typing import cast

from annotator.domain.people import User
from annotator.domain.perturbations import ChangedText, DraftTurn, ListedOriginal, PerturbationCounts, StateCount
from annotator.store.annotate.my_work import excerpt_of, holds
from annotator.store.connection.database import Row, Store, of_columns
from annotator.store.perturb.perturbations import IN_HAND, changed_text, packed_texts
from annotator.store.slices import is_version_of

# Originals of which nobody has written or brought a changed version yet.
_WITHOUT_ONE = f"""NOT EXISTS (SELECT 1 FROM perturbations WHERE original_id = i.id AND perturbations.state <> 'withdrawn')
    AND NOT EXISTS (SELECT 1 FROM instances AS c WHERE {is_version_of("c", "i")})"""
_STATES = {False: "i.state = 'complete'", True: "i.state <> 'discarded'"}


def next_original(store: Store, project_id: int, user: User, *, after: int = 0, is_lead: bool = False) -> int | None:
    """The first original after a number of which there is no changed version yet.

    Only instances whose annotation is complete, since their gold is shown; is_lead: any that is not discarded, nor in their
    own hands to annotate.
    """
    instance_id = store.value(
        f"""SELECT i.id FROM instances AS i WHERE i.project_id = ?1 AND i.id > ?3 AND i.parent_key IS NULL
            AND {_STATES[is_lead]} AND {_WITHOUT_ONE} AND NOT {IN_HAND.format(original="i.id")} ORDER BY i.id LIMIT 1""",
        (project_id, user.id, after),
    )
    return None if instance_id is None else int(instance_id)


def list_originals(
    store: Store, project_id: int, user: User, *, words: str, is_without: bool, is_lead: bool, limit: int, offset: int
) -> tuple[list[ListedOriginal], int]:
    """A page of originals, and how many there are in all."""
    where = f"""i.project_id = ?1 AND i.parent_key IS NULL AND {_STATES[is_lead]}
        AND {holds("?2", key="i.key", instance_id="i.id")}
        {f"AND {_WITHOUT_ONE}" if is_without else ""}"""
    rows = store.rows(
        f"""SELECT i.id, i.key, i.result,
                {excerpt_of("i.id")} AS excerpt,
                (SELECT count(*) FROM instances AS c WHERE {is_version_of("c", "i")}) AS n_there,
                (SELECT count(*) FROM perturbations AS p WHERE p.original_id = i.id AND p.state IN ('waiting', 'returned'))
                    AS n_waiting,
                EXISTS (SELECT 1 FROM perturbation_drafts AS d WHERE d.original_id = i.id AND d.user_id = ?5) AS has_draft
            FROM instances AS i WHERE {where} ORDER BY i.id LIMIT ?3 OFFSET ?4""",
        (project_id, words, limit, offset, user.id),
    )
    listed = [of_columns(ListedOriginal, row, has_draft=bool(row["has_draft"])) for row in rows]
    return listed, store.value(f"SELECT count(*) FROM instances AS i WHERE {where}", (project_id, words))


def count_unfinished(store: Store, project_id: int, *, is_without: bool) -> int:
    """How many originals wait until their annotation is complete, before changed versions of them are written."""
    without = f"AND {_WITHOUT_ONE}" if is_without else ""
    return store.number(
        f"""SELECT count(*) FROM instances AS i WHERE i.project_id = ? AND i.state IN ('open', 'held')
                AND i.parent_key IS NULL {without}""",
        (project_id,),
    )


def children_of(store: Store, original_id: int) -> list[int]:
    """The instances that are changed versions of an instance, in the order in which they came."""
    return store.column(
        f"SELECT c.id FROM instances AS c JOIN instances AS i ON i.id = ? WHERE {is_version_of('c', 'i')} ORDER BY c.id",
        (original_id,),
    )


def count_versions(store: Store, project_id: int, split: str | None = None) -> int:
    """How many instances are changed versions, annotated or not; those that were discarded are none."""
    return store.number(
        """SELECT count(*) FROM instances WHERE project_id = ?1 AND parent_key IS NOT NULL AND state <> 'discarded'
                AND (?2 IS NULL OR split = ?2)""",
        (project_id, split),
    )


def fingerprint_of_instance(store: Store, instance_id: int) -> bytes:
    """What an instance was when it was stored or changed last."""
    return cast("bytes", store.value("SELECT fingerprint FROM instances WHERE id = ?", (instance_id,)))


def counts_by(store: Store, project_id: int) -> PerturbationCounts:
    """How many there are, by kind and state, by author and state, by checker and verdict; originals with and without one.

    By kind those that count against the target: not what was discarded as an instance.
    """
    kinds = store.rows(
        """SELECT kind, state, count(*) AS n FROM perturbations WHERE project_id = ?1 AND state <> 'withdrawn'
            AND NOT EXISTS (SELECT 1 FROM instances AS i WHERE i.id = instance_id AND i.state = 'discarded')
            GROUP BY kind, state
            UNION ALL SELECT perturbation_kind, 'imported', count(*) FROM instances AS i
                WHERE project_id = ?1 AND parent_key IS NOT NULL AND i.state <> 'discarded'
                AND NOT EXISTS (SELECT 1 FROM perturbations WHERE instance_id = i.id) GROUP BY perturbation_kind""",
        (project_id,),
    )
    authors = store.rows(
        """SELECT users.name, state, count(*) AS n FROM perturbations JOIN users ON users.id = author
            WHERE project_id = ? AND state <> 'withdrawn' GROUP BY users.name, state ORDER BY users.name""",
        (project_id,),
    )
    checkers = store.rows(
        """SELECT users.name, verdict, count(*) AS n FROM perturbation_checks AS c JOIN users ON users.id = checker
            JOIN perturbations ON perturbations.id = perturbation_id WHERE project_id = ?
            GROUP BY users.name, verdict ORDER BY users.name""",
        (project_id,),
    )
    [originals] = store.rows(
        f"""SELECT count(*) AS n, coalesce(sum({_WITHOUT_ONE}), 0) AS n_without,
                coalesce(sum(state = 'complete' AND {_WITHOUT_ONE}), 0) AS n_complete_without FROM instances AS i
            WHERE project_id = ? AND parent_key IS NULL AND state <> 'discarded'""",
        (project_id,),
    )
    return PerturbationCounts(
        *(_counted(kinds), _counted(authors), _counted(checkers)),
        *(originals["n"], originals["n_without"], originals["n_complete_without"]),
    )


def _counted(rows: Sequence[Row]) -> tuple[StateCount, ...]:
    return tuple(StateCount(name or "", state, n) for name, state, n in rows)


# Changed versions that somebody is still writing.


def save_draft(store: Store, user: User, original_id: int, changed: ChangedText, turn: DraftTurn) -> None:
    """What somebody is writing, in place of what they had; nothing where the same writer has sent a later state already."""
    store.run(
        """INSERT INTO perturbation_drafts (user_id, original_id, kind, texts, result, note, saved_at, writer, turn)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (user_id, original_id) DO UPDATE SET kind = excluded.kind, texts = excluded.texts,
                result = excluded.result, note = excluded.note, saved_at = excluded.saved_at, writer = excluded.writer,
                turn = excluded.turn
            WHERE perturbation_drafts.writer <> excluded.writer OR perturbation_drafts.turn <= excluded.turn""",
        (
            user.id, original_id, changed.kind, packed_texts(changed), changed.result, changed.note, store.now(),
            turn.writer, turn.number,
        ),
    )  # fmt: skip


def find_draft(store: Store, user: User, original_id: int) -> ChangedText | None:
    """What somebody was writing; None for nothing."""
    row = store.row("SELECT * FROM perturbation_drafts WHERE user_id = ? AND original_id = ?", (user.id, original_id))
    return None if row is None else changed_text(row)


def drafts_by(store: Store, project_id: int, user: User) -> list[tuple[int, ChangedText]]:
    """What somebody has begun, the latest first: the original, and what they were writing of it."""
    rows = store.rows(
        """SELECT d.* FROM perturbation_drafts AS d JOIN instances AS i ON i.id = original_id
            WHERE user_id = ? AND project_id = ? ORDER BY d.saved_at DESC""",
        (user.id, project_id),
    )
    return [(row["original_id"], changed_text(row)) for row in rows]


def drop_draft(store: Store, user: User, original_id: int) -> None:
    """It was handed in, or given up."""
    store.run("DELETE FROM perturbation_drafts WHERE user_id = ? AND original_id = ?", (user.id, original_id))
