"""The rules of training in their versions, its texts, and whether they keep somebody from getting work."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

import msgspec

from annotator.domain.project.qualification import (
    AUDIENCES,
    Audience,
    Grant,
    Item,
    Known,
    Purpose,
    QualificationRules,
    Spoiling,
    StoredRules,
)
from annotator.language import _
from annotator.store.annotate.visibility import annotates, may_still_be_given, was_shown
from annotator.store.connection.database import Row, Store, of_columns

# How rules, gold, answers and measures are written into a row: as JSON, fractions as text.


_T = TypeVar("_T")


def pack(value: object) -> str:
    """A value as JSON."""
    return msgspec.json.encode(value, enc_hook=_as_text).decode()


def unpack(text: str, kind: type[_T]) -> _T:
    """The inverse of pack."""
    return msgspec.json.decode(text, type=kind, dec_hook=_from_text)


def _as_text(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be written as JSON.")


def _from_text(kind: type, value: Any) -> Any:
    if kind is Fraction:
        return Fraction(value)
    raise NotImplementedError(f"{kind.__name__} cannot be read from JSON.")


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
    return store.holds(
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


def people_who_may_work(store: Store, project_id: int, audience: Audience) -> list[str]:
    """Who has passed the training or was let through, by name."""
    return store.column(
        """SELECT name FROM users WHERE id IN (
            SELECT user_id FROM qualification_attempts WHERE project_id = ?1 AND audience = ?2 AND state = 'passed'
            UNION SELECT user_id FROM qualification_grants WHERE project_id = ?1 AND audience = ?2 AND kind = 'let through')
            ORDER BY name""",
        (project_id, audience),
    )


def add_grant(store: Store, project_id: int, audience: Audience, user_id: int, kind: Grant, granted_by: str) -> None:
    """A lead lets somebody through, or gives them another try."""
    store.run(
        """INSERT INTO qualification_grants (project_id, audience, user_id, kind, granted_by, granted_at)
            VALUES (?, ?, ?, ?, ?, ?)""",
        (project_id, audience, user_id, kind, granted_by, store.now()),
    )


def grants_of(store: Store, project_id: int, audience: Audience, user_id: int) -> list[tuple[Grant, str]]:
    """What a lead allowed somebody, and who did, the oldest first."""
    return store.tuples(
        """SELECT kind, granted_by FROM qualification_grants WHERE project_id = ? AND audience = ? AND user_id = ?
            ORDER BY id""",
        (project_id, audience, user_id),
    )


def copy_rules(store: Store, source_id: int, project_id: int, made_by: str) -> None:
    """The rules of another project, as the first version of this one's; switched off, since its texts do not come along."""
    for audience in AUDIENCES:
        stored = newest_rules(store, source_id, audience)
        if stored.number:
            add_rules(store, project_id, audience, replace(stored.rules, is_on=False, check_every=0), made_by)


def _rules(row: Row) -> StoredRules:
    return StoredRules(unpack(row["rules"], QualificationRules), row["number"], row["made_by"], row["made_at"])


# Items: texts with known gold that a lead picked for training or for blind checks.


def add_item(
    store: Store, project_id: int, purpose: Purpose, instance_id: int, known: Known, added_by: str, *,
    spoiling: Spoiling = "", seed: int = 0,
) -> bool:  # fmt: skip
    """Pick a text; one that was taken out before comes back. Answers whether it is new."""
    changed = store.run(
        """INSERT INTO qualification_items (project_id, purpose, instance_id, spoiling, seed, known, added_by, added_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET is_removed = 0, known = excluded.known, added_by = excluded.added_by,
                added_at = excluded.added_at WHERE is_removed = 1""",
        (project_id, purpose, instance_id, spoiling, seed, pack(known), added_by, store.now()),
    )
    return changed.rowcount > 0


def remove_item(store: Store, item_id: int) -> None:
    """Take an item out; what people answered to it is kept."""
    store.run("UPDATE qualification_items SET is_removed = 1 WHERE id = ?", (item_id,))


def set_known(store: Store, item_id: int, known: Known) -> None:
    """The lead takes the gold of now for an item."""
    store.run("UPDATE qualification_items SET known = ? WHERE id = ?", (pack(known), item_id))


def get_item(store: Store, item_id: int) -> Item:
    """An item, also one that was taken out; raises NotFound."""
    row = store.get("SELECT * FROM qualification_items WHERE id = ?", item_id, _("training text"))
    return _item(row)


def is_removed(store: Store, item_id: int) -> bool:
    """Whether the lead took an item out."""
    return store.holds("SELECT is_removed FROM qualification_items WHERE id = ?", (item_id,))


def list_items(store: Store, project_id: int, purpose: Purpose) -> list[Item]:
    """The items of a kind, in the order in which they were picked."""
    rows = store.rows(
        "SELECT * FROM qualification_items WHERE project_id = ? AND purpose = ? AND is_removed = 0 ORDER BY id",
        (project_id, purpose),
    )
    return [_item(row) for row in rows]


def count_complete(store: Store, project_id: int, purposes: Sequence[Purpose]) -> int:
    """How many complete texts are picked for any of these."""
    return store.number(
        """SELECT count(DISTINCT instance_id) FROM qualification_items AS items
            JOIN instances ON instances.id = items.instance_id WHERE items.project_id = ? AND is_removed = 0
            AND instances.state = 'complete' AND purpose IN (SELECT value FROM json_each(?))""",
        (project_id, json.dumps(list(purposes))),
    )


_ANSWERED = """EXISTS (SELECT 1 FROM exercises AS former WHERE former.instance_id = instances.id AND former.user_id = ?3
    AND former.attempt_id IS NOT NULL)"""


def items_for(store: Store, project_id: int, purpose: Purpose, user_id: int) -> list[tuple[Item, int]]:
    """The items that a person could be given in training, and how often they had each before.

    Never a text that they annotate or annotated, nor one of which others' sets were shown to them elsewhere than in training.
    """
    rows = store.rows(
        f"""SELECT items.*, (SELECT count(*) FROM exercises WHERE item_id = items.id AND user_id = ?3) AS n_before
            FROM qualification_items AS items JOIN instances ON instances.id = items.instance_id
            WHERE items.project_id = ?1 AND purpose = ?2 AND is_removed = 0 AND instances.state <> 'discarded'
            AND NOT {annotates("?3")} AND (NOT {was_shown("?3")} OR {_ANSWERED})
            AND NOT EXISTS (SELECT 1 FROM exercises AS checks WHERE checks.instance_id = instances.id
                AND checks.user_id = ?3 AND checks.attempt_id IS NULL)
            ORDER BY items.id""",
        (project_id, purpose, user_id),
    )
    return [(_item(row), row["n_before"]) for row in rows]


_FOR_CHECKS = f"""FROM qualification_items AS items JOIN instances ON instances.id = items.instance_id
    WHERE items.project_id = ?1 AND purpose = 'checks' AND is_removed = 0 AND instances.state = 'complete'
    AND parent_key IS NULL AND NOT {annotates("?2")} AND NOT {was_shown("?2")} AND NOT {may_still_be_given("?2")}
    AND NOT EXISTS (SELECT 1 FROM assignments WHERE instance_id = instances.id AND user_id = ?2)
    AND NOT EXISTS (SELECT 1 FROM exercises WHERE exercises.instance_id = instances.id AND user_id = ?2)
    AND NOT EXISTS (SELECT 1 FROM annotations WHERE annotations.instance_id = instances.id
        AND annotations.state = 'draft')
    AND NOT EXISTS (SELECT 1 FROM threads WHERE threads.instance_id = instances.id)"""


def check_items_for(store: Store, project_id: int, user_id: int) -> list[Item]:
    """The items that could be put among a person's work: texts that they never saw and will not be given."""
    return [_item(row) for row in store.rows(f"SELECT items.* {_FOR_CHECKS} ORDER BY items.id", (project_id, user_id))]


def count_check_items_for(store: Store, project_id: int, user_id: int) -> int:
    """How many these are."""
    return store.number(f"SELECT count(*) {_FOR_CHECKS}", (project_id, user_id))


def items_by_number(store: Store, item_ids: Sequence[int]) -> dict[int, Item]:
    """Items by their number, also those that were taken out."""
    rows = store.rows(
        "SELECT * FROM qualification_items WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(item_ids)),)
    )
    return {row["id"]: _item(row) for row in rows}


def _item(row: Row) -> Item:
    return of_columns(Item, row, known=unpack(row["known"], Known))
