"""Perturbations that people write, kept with every version and every check; and which of them waits for whose check."""

import json
from collections.abc import Sequence
from typing import cast

from annotator.domain.people import User
from annotator.domain.perturbations import (
    ChangedText,
    Check,
    Perturbation,
    PerturbationState,
    PerturbationVersion,
    Verdict,
)
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.connection.database import Row, Store, of_columns

SELECT = """SELECT perturbations.*, users.name AS author_name FROM perturbations JOIN users ON users.id = author"""
# What a person (?2) neither wrote nor checked in its current version.
_MAY_CHECK = """NOT EXISTS (SELECT 1 FROM perturbation_versions AS v WHERE v.perturbation_id = perturbations.id
        AND v.number = version AND v.made_by = ?2)
    AND NOT EXISTS (SELECT 1 FROM perturbation_checks AS c WHERE c.perturbation_id = perturbations.id
        AND c.version = perturbations.version AND c.checker = ?2)"""
# What a person (?2) has in hand to annotate.
IN_HAND = """EXISTS (SELECT 1 FROM assignments AS a WHERE a.instance_id = {original} AND a.user_id = ?2
    AND a.state IN ('leased', 'returned', 'proposed'))"""
# Its original's gold is shown beside it, so it waits until nobody is to find that gold any more; leads see it before.
_IS_SHOWN = {
    False: "EXISTS (SELECT 1 FROM instances AS o WHERE o.id = original_id AND o.state IN ('complete', 'discarded'))",
    True: f"NOT {IN_HAND.format(original='original_id')}",
}


def add_perturbation(
    store: Store, project_id: int, original_id: int, author: User, changed: ChangedText, gold: str
) -> int:
    """A new one with its first version; answers its number. gold: the original's sets as they are now, as JSON."""
    perturbation_id = store.add(
        """INSERT INTO perturbations (project_id, original_id, author, kind, version, original_fingerprint, gold)
            SELECT ?, id, ?, ?, 1, fingerprint, ? FROM instances WHERE id = ?""",
        (project_id, author.id, changed.kind, gold, original_id),
    )
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
    insert_version(store, perturbation_id, number, cast("int", by.id), changed, reason, store.now())


def insert_version(
    store: Store, perturbation_id: int, number: int, made_by: int, changed: ChangedText, reason: str, at: str
) -> None:
    store.run(
        """INSERT INTO perturbation_versions (perturbation_id, number, made_by, kind, texts, result, note, reason, made_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            perturbation_id,
            number,
            made_by,
            changed.kind,
            packed_texts(changed),
            changed.result,
            changed.note,
            reason,
            at,
        ),
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
    perturbations = with_history(store, store.rows(f"{SELECT} WHERE perturbations.id = ?", (perturbation_id,)))
    if not perturbations:
        raise NotFound(_("No {what} number {number}.", number=perturbation_id, what=_("perturbed version")))
    return perturbations[0]


def perturbations_of(store: Store, original_id: int) -> list[Perturbation]:
    """All of an original, oldest first; those that were withdrawn too."""
    return with_history(store, store.rows(f"{SELECT} WHERE original_id = ? ORDER BY perturbations.id", (original_id,)))


def perturbation_of_instance(store: Store, instance_id: int) -> Perturbation | None:
    """The perturbation that became an instance; None for one that came with a file."""
    perturbations = with_history(store, store.rows(f"{SELECT} WHERE instance_id = ?", (instance_id,)))
    return perturbations[0] if perturbations else None


def perturbations_by(
    store: Store, project_id: int, author: User, *, limit: int, offset: int
) -> tuple[list[Perturbation], int]:
    """A page of what somebody wrote, first what came back to them, then the latest; and how much it is in all."""
    n = store.number("SELECT count(*) FROM perturbations WHERE project_id = ? AND author = ?", (project_id, author.id))
    rows = store.rows(
        f"""{SELECT} WHERE project_id = ? AND author = ?
            ORDER BY state <> 'returned', perturbations.id DESC LIMIT ? OFFSET ?""",
        (project_id, author.id, limit, offset),
    )
    return with_history(store, rows), n


def next_to_check(
    store: Store, project_id: int, checker: User, after: int = 0, *, is_lead: bool = False
) -> Perturbation | None:
    """The first, after a number, that waits and whose current version this person neither made nor checked."""
    rows = store.rows(
        f"""{SELECT} WHERE project_id = ?1 AND state = 'waiting' AND perturbations.id > ?3
            AND {_MAY_CHECK} AND {_IS_SHOWN[is_lead]} ORDER BY perturbations.id LIMIT 1""",
        (project_id, checker.id, after),
    )
    perturbations = with_history(store, rows)
    return perturbations[0] if perturbations else None


def waiting_ids(store: Store, project_id: int) -> list[int]:
    """What waits for its checkers, oldest first."""
    return store.column(
        "SELECT id FROM perturbations WHERE project_id = ? AND state = 'waiting' ORDER BY id", (project_id,)
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
    return store.number(
        "SELECT count(*) FROM perturbations WHERE project_id = ? AND kind = ? AND state IN ('waiting', 'returned')",
        (project_id, kind),
    )


def packed_texts(changed: ChangedText) -> str:
    return json.dumps(dict(changed.texts), ensure_ascii=False)


def changed_text(row: Row) -> ChangedText:
    return ChangedText(row["kind"], json.loads(row["texts"]), row["result"], row["note"])


def with_history(store: Store, rows: Sequence[Row]) -> list[Perturbation]:
    """Perturbations with all their versions and checks."""
    wanted = json.dumps([row["id"] for row in rows])
    versions: dict[int, list[PerturbationVersion]] = {}
    for row in store.rows(
        """SELECT v.*, users.name FROM perturbation_versions AS v JOIN users ON users.id = made_by
            WHERE perturbation_id IN (SELECT value FROM json_each(?)) ORDER BY perturbation_id, number""",
        (wanted,),
    ):
        version = PerturbationVersion(
            row["number"], row["made_by"], row["name"], changed_text(row), row["reason"], row["made_at"]
        )
        versions.setdefault(row["perturbation_id"], []).append(version)
    checks: dict[int, list[Check]] = {}
    for row in store.rows(
        """SELECT c.*, users.name FROM perturbation_checks AS c JOIN users ON users.id = checker
            WHERE perturbation_id IN (SELECT value FROM json_each(?)) ORDER BY perturbation_id, version, at, users.name""",
        (wanted,),
    ):
        check = Check(row["version"], row["checker"], row["name"], row["verdict"], row["reason"], row["at"])
        checks.setdefault(row["perturbation_id"], []).append(check)
    return [_perturbation(row, versions[row["id"]], checks.get(row["id"], [])) for row in rows]


def _perturbation(row: Row, versions: Sequence[PerturbationVersion], checks: Sequence[Check]) -> Perturbation:
    return of_columns(Perturbation, row, versions=tuple(versions), checks=tuple(checks))
