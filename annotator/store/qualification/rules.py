"""Versions of the rules of training, and whether they keep somebody from getting work."""

from dataclasses import replace

from annotator.domain.project.qualification import AUDIENCES, Audience, Grant, QualificationRules, StoredRules
from annotator.store.connection.database import Row, Store
from annotator.store.qualification.packed import pack, unpack

_NEWEST = """SELECT * FROM qualification_rules WHERE project_id = ?1 AND audience = ?2 ORDER BY number DESC LIMIT 1"""


def newest_rules(store: Store, project_id: int, audience: Audience) -> StoredRules:
    """The rules that hold; those that are on from the start (off) where nobody set any."""
    row = store.row(_NEWEST, (project_id, audience))
    return StoredRules(QualificationRules()) if row is None else _rules(row)


def rules_of_number(store: Store, project_id: int, audience: Audience, number: int) -> QualificationRules:
    """A version of the rules, which must be there."""
    row = store.rows(
        "SELECT * FROM qualification_rules WHERE project_id = ? AND audience = ? AND number = ?",
        (project_id, audience, number),
    )[0]
    return _rules(row).rules


def add_rules(store: Store, project_id: int, audience: Audience, rules: QualificationRules, made_by: str) -> int:
    """A new version; answers its number."""
    number = newest_rules(store, project_id, audience).number + 1
    store.run(
        """INSERT INTO qualification_rules (project_id, audience, number, rules, made_by, made_at)
            VALUES (?, ?, ?, ?, ?, ?)""",
        (project_id, audience, number, pack(rules), made_by, store.now()),
    )
    return number


def is_kept_from_work(store: Store, project_id: int, user_id: int, audience: Audience) -> bool:
    """Whether training is on, and a person has neither passed it nor been let through, nor leads the project."""
    return bool(
        store.value(
            """SELECT coalesce((SELECT json_extract(rules, '$.is_on') FROM qualification_rules
                    WHERE project_id = ?1 AND audience = ?2 ORDER BY number DESC LIMIT 1), 0)
                AND NOT EXISTS (SELECT 1 FROM qualification_attempts
                    WHERE project_id = ?1 AND audience = ?2 AND user_id = ?3 AND state = 'passed')
                AND NOT EXISTS (SELECT 1 FROM qualification_grants
                    WHERE project_id = ?1 AND audience = ?2 AND user_id = ?3 AND kind = 'let through')
                AND NOT EXISTS (SELECT 1 FROM memberships
                    WHERE project_id = ?1 AND user_id = ?3 AND role = 'lead')""",
            (project_id, audience, user_id),
        )
    )


def people_who_may_work(store: Store, project_id: int, audience: Audience) -> list[str]:
    """Who has passed the training or was let through, by name."""
    rows = store.rows(
        """SELECT name FROM users WHERE id IN (
            SELECT user_id FROM qualification_attempts WHERE project_id = ?1 AND audience = ?2 AND state = 'passed'
            UNION SELECT user_id FROM qualification_grants WHERE project_id = ?1 AND audience = ?2 AND kind = 'let through')
            ORDER BY name""",
        (project_id, audience),
    )
    return [row["name"] for row in rows]


def add_grant(store: Store, project_id: int, audience: Audience, user_id: int, kind: Grant, granted_by: str) -> None:
    """A lead lets somebody through, or gives them another try."""
    store.run(
        """INSERT INTO qualification_grants (project_id, audience, user_id, kind, granted_by, granted_at)
            VALUES (?, ?, ?, ?, ?, ?)""",
        (project_id, audience, user_id, kind, granted_by, store.now()),
    )


def grants_of(store: Store, project_id: int, audience: Audience, user_id: int) -> list[tuple[Grant, str]]:
    """What a lead allowed somebody, and who did, the oldest first."""
    rows = store.rows(
        """SELECT kind, granted_by FROM qualification_grants WHERE project_id = ? AND audience = ? AND user_id = ?
            ORDER BY id""",
        (project_id, audience, user_id),
    )
    return [(row["kind"], row["granted_by"]) for row in rows]


def copy_rules(store: Store, source_id: int, project_id: int, made_by: str) -> None:
    """The rules of another project, as the first version of this one's; switched off, since its texts do not come along."""
    for audience in AUDIENCES:
        stored = newest_rules(store, source_id, audience)
        if stored.number:
            add_rules(store, project_id, audience, replace(stored.rules, is_on=False, check_every=0), made_by)


def _rules(row: Row) -> StoredRules:
    return StoredRules(unpack(row["rules"], QualificationRules), row["number"], row["made_by"], row["made_at"])
