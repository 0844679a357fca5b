"""Perturbations that people write: kept with every version and every check; which original and which check comes next."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from annotator.domain.authoring import (
    ChangedText,
    Check,
    ListedOriginal,
    Perturbation,
    PerturbationCounts,
    PerturbationState,
    PerturbationVersion,
    StateCount,
    Verdict,
)
from annotator.domain.people import User
from annotator.domain.sources import SourceCheck, SourcePerturbation, SourceVersion
from annotator.errors import NotFound
from annotator.store.connection.database import Row, Store
from annotator.store.excerpts import excerpt_of, holds
from annotator.store.pairs import is_version_of

_SELECT = """SELECT perturbations.*, users.name AS author_name FROM perturbations JOIN users ON users.id = author"""
# Originals of which nobody has written or brought a changed version yet.
_WITHOUT_ONE = f"""NOT EXISTS (SELECT 1 FROM perturbations WHERE original_id = i.id AND perturbations.state <> 'withdrawn')
    AND NOT EXISTS (SELECT 1 FROM instances AS c WHERE {is_version_of("c", "i")})"""
# What a person (?2) neither wrote nor checked in its current version.
_MAY_CHECK = """NOT EXISTS (SELECT 1 FROM perturbation_versions AS v WHERE v.perturbation_id = perturbations.id
        AND v.number = version AND v.made_by = ?2)
    AND NOT EXISTS (SELECT 1 FROM perturbation_checks AS c WHERE c.perturbation_id = perturbations.id
        AND c.version = perturbations.version AND c.checker = ?2)"""
# What a person (?2) has in hand to annotate.
_IN_HAND = """EXISTS (SELECT 1 FROM assignments AS a WHERE a.instance_id = {original} AND a.user_id = ?2
    AND a.state IN ('leased', 'returned', 'proposed'))"""
# Its original's gold is shown beside it, so it waits until nobody is to find that gold any more; leads see it before.
_IS_SHOWN = {
    False: "EXISTS (SELECT 1 FROM instances AS o WHERE o.id = original_id AND o.state IN ('complete', 'discarded'))",
    True: f"NOT {_IN_HAND.format(original='original_id')}",
}
_STATES = {False: "i.state = 'complete'", True: "i.state <> 'discarded'"}


def add_perturbation(
    store: Store, project_id: int, original_id: int, author: User, changed: ChangedText, gold: str
) -> int:
    """A new one with its first version; answers its number. gold: the original's sets as they are now, as JSON."""
    cursor = store.run(
        """INSERT INTO perturbations (project_id, original_id, author, kind, version, original_fingerprint, gold)
            SELECT ?, id, ?, ?, 1, fingerprint, ? FROM instances WHERE id = ?""",
        (project_id, author.id, changed.kind, gold, original_id),
    )
    perturbation_id = cast("int", cursor.lastrowid)
    _add_version(store, perturbation_id, 1, author, changed, "")
    return perturbation_id


def add_version(
    store: Store, perturbation: Perturbation, by: User, changed: ChangedText, gold: str, reason: str
) -> None:
    """A further version, which waits for its checkers; the original is what it is now."""
    number = perturbation.current.number + 1
    _add_version(store, perturbation.id, number, by, changed, reason)
    store.run(
        """UPDATE perturbations SET version = ?, kind = ?, state = 'waiting', gold = ?,
            original_fingerprint = (SELECT fingerprint FROM instances WHERE id = original_id) WHERE id = ?""",
        (number, changed.kind, gold, perturbation.id),
    )


def _add_version(store: Store, perturbation_id: int, number: int, by: User, changed: ChangedText, reason: str) -> None:
    _insert_version(store, perturbation_id, number, cast("int", by.id), changed, reason, store.now())


def _insert_version(
    store: Store, perturbation_id: int, number: int, made_by: int, changed: ChangedText, reason: str, at: str
) -> None:
    store.run(
        """INSERT INTO perturbation_versions (perturbation_id, number, made_by, kind, texts, result, note, reason, made_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (perturbation_id, number, made_by, changed.kind, _packed(changed), changed.result, changed.note, reason, at),
    )


def add_check(store: Store, perturbation: Perturbation, checker: User, verdict: Verdict, reason: str) -> None:
    """What somebody says of the current version."""
    store.run(
        "INSERT INTO perturbation_checks (perturbation_id, version, checker, verdict, reason, at) VALUES (?, ?, ?, ?, ?, ?)",
        (perturbation.id, perturbation.current.number, checker.id, verdict, reason, store.now()),
    )


def set_state(store: Store, perturbation_id: int, state: PerturbationState, instance_id: int | None = None) -> None:
    """What became of it; instance_id: with "approved"."""
    store.run("UPDATE perturbations SET state = ?, instance_id = ? WHERE id = ?", (state, instance_id, perturbation_id))


def get_perturbation(store: Store, perturbation_id: int) -> Perturbation:
    """One by number; raises NotFound."""
    perturbations = _with_history(store, store.rows(f"{_SELECT} WHERE perturbations.id = ?", (perturbation_id,)))
    if not perturbations:
        raise NotFound(f"There is no perturbation number {perturbation_id}.")
    return perturbations[0]


def perturbations_of(store: Store, original_id: int) -> list[Perturbation]:
    """All of an original, oldest first; those that were withdrawn too."""
    return _with_history(
        store, store.rows(f"{_SELECT} WHERE original_id = ? ORDER BY perturbations.id", (original_id,))
    )


def perturbation_of_instance(store: Store, instance_id: int) -> Perturbation | None:
    """The perturbation that became an instance; None for one that came with a file."""
    perturbations = _with_history(store, store.rows(f"{_SELECT} WHERE instance_id = ?", (instance_id,)))
    return perturbations[0] if perturbations else None


def perturbations_by(store: Store, project_id: int, author: User, *, limit: int, offset: int) -> list[Perturbation]:
    """A page of what somebody wrote: first what came back to them, then the latest."""
    rows = store.rows(
        f"""{_SELECT} WHERE project_id = ? AND author = ?
            ORDER BY state <> 'returned', perturbations.id DESC LIMIT ? OFFSET ?""",
        (project_id, author.id, limit, offset),
    )
    return _with_history(store, rows)


def next_to_check(
    store: Store, project_id: int, checker: User, after: int = 0, *, is_lead: bool = False
) -> Perturbation | None:
    """The first, after a number, that waits and whose current version this person neither made nor checked."""
    rows = store.rows(
        f"""{_SELECT} WHERE project_id = ?1 AND state = 'waiting' AND perturbations.id > ?3
            AND {_MAY_CHECK} AND {_IS_SHOWN[is_lead]} ORDER BY perturbations.id LIMIT 1""",
        (project_id, checker.id, after),
    )
    perturbations = _with_history(store, rows)
    return perturbations[0] if perturbations else None


def waiting_ids(store: Store, project_id: int) -> list[int]:
    """What waits for its checkers, oldest first."""
    rows = store.rows(
        "SELECT id FROM perturbations WHERE project_id = ? AND state = 'waiting' ORDER BY id", (project_id,)
    )
    return [row["id"] for row in rows]


def next_original(store: Store, project_id: int, user: User, *, after: int = 0, is_lead: bool = False) -> int | None:
    """The first original after a number of which there is no changed version yet.

    Only instances whose annotation is complete, since their gold is shown; is_lead: any that is not discarded, nor in their
    own hands to annotate.
    """
    instance_id = store.value(
        f"""SELECT i.id FROM instances AS i WHERE i.project_id = ?1 AND i.id > ?3 AND i.parent_key IS NULL
            AND {_STATES[is_lead]} AND {_WITHOUT_ONE} AND NOT {_IN_HAND.format(original="i.id")} ORDER BY i.id LIMIT 1""",
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
    listed = [
        ListedOriginal(
            *(row["id"], row["key"], row["result"], row["excerpt"], row["n_there"], row["n_waiting"]),
            has_draft=bool(row["has_draft"]),
        )
        for row in rows
    ]
    return listed, store.value(f"SELECT count(*) FROM instances AS i WHERE {where}", (project_id, words))


def count_unfinished(store: Store, project_id: int, *, is_without: bool) -> int:
    """How many originals wait until their annotation is complete, before changed versions of them are written."""
    without = f"AND {_WITHOUT_ONE}" if is_without else ""
    return int(
        store.value(
            f"""SELECT count(*) FROM instances AS i WHERE i.project_id = ? AND i.state IN ('open', 'held')
                AND i.parent_key IS NULL {without}""",
            (project_id,),
        )
    )


def waiting_for(store: Store, project_id: int, user: User, *, is_lead: bool) -> tuple[int, int]:
    """How many wait for a person's check, and how many of their own came back."""
    to_check = store.value(
        f"""SELECT count(*) FROM perturbations WHERE project_id = ?1 AND state = 'waiting' AND {_MAY_CHECK}
            AND {_IS_SHOWN[is_lead]}""",
        (project_id, user.id),
    )
    returned = store.value(
        "SELECT count(*) FROM perturbations WHERE project_id = ? AND state = 'returned' AND author = ?",
        (project_id, user.id),
    )
    return int(to_check), int(returned)


def count_of_kind(store: Store, project_id: int, kind: str) -> int:
    """How many of a kind are on their way: with their checkers, or back with their authors."""
    return int(
        store.value(
            "SELECT count(*) FROM perturbations WHERE project_id = ? AND kind = ? AND state IN ('waiting', 'returned')",
            (project_id, kind),
        )
    )


def children_of(store: Store, original_id: int) -> list[int]:
    """The instances that are changed versions of an instance, in the order in which they came."""
    rows = store.rows(
        f"SELECT c.id FROM instances AS c JOIN instances AS i ON i.id = ? WHERE {is_version_of('c', 'i')} ORDER BY c.id",
        (original_id,),
    )
    return [row["id"] for row in rows]


def count_versions(store: Store, project_id: int, split: str | None = None) -> int:
    """How many instances are changed versions, annotated or not; those that were discarded are none."""
    return int(
        store.value(
            """SELECT count(*) FROM instances WHERE project_id = ?1 AND parent_key IS NOT NULL AND state <> 'discarded'
                AND (?2 IS NULL OR split = ?2)""",
            (project_id, split),
        )
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


def save_draft(store: Store, user: User, original_id: int, changed: ChangedText) -> None:
    """What somebody is writing, in place of what they had."""
    store.run(
        """INSERT OR REPLACE INTO perturbation_drafts (user_id, original_id, kind, texts, result, note, saved_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (user.id, original_id, changed.kind, _packed(changed), changed.result, changed.note, store.now()),
    )


def find_draft(store: Store, user: User, original_id: int) -> ChangedText | None:
    """What somebody was writing; None for nothing."""
    row = store.row("SELECT * FROM perturbation_drafts WHERE user_id = ? AND original_id = ?", (user.id, original_id))
    return None if row is None else _changed(row)


def drafts_by(store: Store, project_id: int, user: User) -> list[tuple[int, ChangedText]]:
    """What somebody has begun, the latest first: the original, and what they were writing of it."""
    rows = store.rows(
        """SELECT d.* FROM perturbation_drafts AS d JOIN instances AS i ON i.id = original_id
            WHERE user_id = ? AND project_id = ? ORDER BY d.saved_at DESC""",
        (user.id, project_id),
    )
    return [(row["original_id"], _changed(row)) for row in rows]


def drop_draft(store: Store, user: User, original_id: int) -> None:
    """It was handed in, or given up."""
    store.run("DELETE FROM perturbation_drafts WHERE user_id = ? AND original_id = ?", (user.id, original_id))


# --- for our own JSONL ------------------------------------------------------------------------------------------------


def perturbations_as_sources(store: Store, project_id: int, split: str | None = None) -> Iterator[SourcePerturbation]:
    """All of a project, oldest first, with the keys and splits of their instances; split: of originals of that one."""
    rows = store.rows(
        f"{_SELECT} JOIN instances AS i ON i.id = original_id WHERE perturbations.project_id = ?1 AND (?2 IS NULL OR split = ?2)"
        " ORDER BY perturbations.id",
        (project_id, split),
    )
    for perturbation in _with_history(store, rows):
        original = _named(store, perturbation.original_id)
        yield SourcePerturbation(
            original, perturbation.author_name, perturbation.state, perturbation.original_fingerprint.hex(), perturbation.gold,
            tuple(SourceVersion(v.made_by_name, v.changed, v.reason, v.made_at) for v in perturbation.versions),
            tuple(SourceCheck(c.version, c.checker_name, c.verdict, c.reason, c.at) for c in perturbation.checks),
            None if perturbation.instance_id is None else _named(store, perturbation.instance_id),
        )  # fmt: skip


def places_of_perturbations(store: Store, project_id: int) -> dict[int, int]:
    """For each perturbation its place among those of its original, oldest first."""
    rows = store.rows(
        """SELECT id, row_number() OVER (PARTITION BY original_id ORDER BY id) - 1 AS place FROM perturbations
            WHERE project_id = ?""",
        (project_id,),
    )
    return {row["id"]: row["place"] for row in rows}


def restore_perturbation(
    store: Store,
    project_id: int,
    source: SourcePerturbation,
    original_id: int,
    instance_id: int | None,
    user_id: Callable[[str], int],
) -> None:
    """Write one as it was."""
    cursor = store.run(
        """INSERT INTO perturbations (project_id, original_id, author, kind, state, version, original_fingerprint, gold,
            instance_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            project_id, original_id, user_id(source.author), source.versions[-1].changed.kind, source.state,
            len(source.versions), bytes.fromhex(source.fingerprint), source.gold, instance_id,
        ),
    )  # fmt: skip
    perturbation_id = cast("int", cursor.lastrowid)
    for number, version in enumerate(source.versions, 1):
        _insert_version(
            store, perturbation_id, number, user_id(version.by), version.changed, version.reason, version.at
        )
    store.run_many(
        "INSERT INTO perturbation_checks (perturbation_id, version, checker, verdict, reason, at) VALUES (?, ?, ?, ?, ?, ?)",
        [(perturbation_id, c.version, user_id(c.by), c.verdict, c.reason, c.at) for c in source.checks],
    )


def _named(store: Store, instance_id: int) -> tuple[str, str]:
    row = store.rows("SELECT key, split FROM instances WHERE id = ?", (instance_id,))[0]
    return row["key"], row["split"]


def _packed(changed: ChangedText) -> str:
    return json.dumps(dict(changed.texts), ensure_ascii=False)


def _changed(row: Row) -> ChangedText:
    return ChangedText(row["kind"], json.loads(row["texts"]), row["result"], row["note"])


def _with_history(store: Store, rows: Sequence[Row]) -> list[Perturbation]:
    """Perturbations with all their versions and checks."""
    wanted = json.dumps([row["id"] for row in rows])
    versions: dict[int, list[PerturbationVersion]] = {}
    for row in store.rows(
        """SELECT v.*, users.name FROM perturbation_versions AS v JOIN users ON users.id = made_by
            WHERE perturbation_id IN (SELECT value FROM json_each(?)) ORDER BY perturbation_id, number""",
        (wanted,),
    ):
        version = PerturbationVersion(
            row["number"], row["made_by"], row["name"], _changed(row), row["reason"], row["made_at"]
        )
        versions.setdefault(row["perturbation_id"], []).append(version)
    checks: dict[int, list[Check]] = {}
    for row in store.rows(
        """SELECT c.*, users.name FROM perturbation_checks AS c JOIN users ON users.id = checker
            WHERE perturbation_id IN (SELECT value FROM json_each(?)) ORDER BY perturbation_id, version, at""",
        (wanted,),
    ):
        check = Check(row["version"], row["checker"], row["name"], row["verdict"], row["reason"], row["at"])
        checks.setdefault(row["perturbation_id"], []).append(check)
    return [_perturbation(row, versions[row["id"]], checks.get(row["id"], [])) for row in rows]


def _perturbation(row: Row, versions: Sequence[PerturbationVersion], checks: Sequence[Check]) -> Perturbation:
    return Perturbation(
        id=row["id"],
        project_id=row["project_id"],
        original_id=row["original_id"],
        author=row["author"],
        author_name=row["author_name"],
        state=row["state"],
        versions=tuple(versions),
        checks=tuple(checks),
        original_fingerprint=row["original_fingerprint"],
        gold=row["gold"],
        instance_id=row["instance_id"],
    )
