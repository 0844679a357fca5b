"""What is done to many instances at once: reading what decides, writing it, and keeping it so that it can be undone."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotator.domain.numbers import by_key
from annotator.domain.people import User
from annotator.domain.project.search import BulkAction, BulkChange, InstanceFacts, Undone
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.annotate.instance_queue import begin_anew
from annotator.store.annotate.visibility import is_new_to, name_people
from annotator.store.connection.database import Row, Store, of_columns
from annotator.store.slices import is_version_of

_AMONG = "(SELECT value FROM json_each(:ids))"
# A lease that ran out holds nothing, though nobody has taken the text since.
_HELD = """SELECT json_group_array(user_id) FROM assignments WHERE instance_id = instances.id
    AND (assignments.state = 'proposed' OR assignments.state IN ('leased', 'returned') AND lease_until > :now)"""
_REVIEWED = """EXISTS (SELECT 1 FROM annotations JOIN reviews ON reviews.annotation_id = annotations.id
    WHERE annotations.instance_id = instances.id AND reviews.state = 'leased' AND reviews.lease_until > :now)"""
_FACTS = f"""SELECT id, key, split, state, is_exhaustive, extra_annotators, open_slots, named_as,
        CASE WHEN named_as IS NULL THEN '[]' ELSE
            (SELECT json_group_array(user_id) FROM named_people WHERE instance_id = instances.id) END AS named,
        ({_HELD}) AS held_by, {_REVIEWED} AS is_reviewed,
        EXISTS (SELECT 1 FROM gold_choices WHERE instance_id = instances.id AND is_adjudicated = 1) AS is_adjudicated,
        CASE WHEN parent_key IS NOT NULL THEN (SELECT original.id FROM instances AS original
            WHERE {is_version_of("instances", "original")}) END AS original_id
    FROM instances WHERE project_id = :project AND id IN {_AMONG} ORDER BY id"""


def facts_of(store: Store, project_id: int, instance_ids: Iterable[int]) -> dict[int, InstanceFacts]:
    """What is to be known of some instances of a project, by number, in the order of import; others are left out."""
    values = {"project": project_id, "ids": json.dumps(list(instance_ids)), "now": store.now()}
    return {row["id"]: _facts(row) for row in store.rows(_FACTS, values)}


def count_new_people(store: Store, instance_ids: Sequence[int], user_ids: Sequence[int]) -> dict[int, int]:
    """Of some instances, by number, for how many of these people each is new, so that it could be given to them."""
    return store.mapping(
        f"""SELECT id, (SELECT count(*) FROM json_each(:people) AS people WHERE {is_new_to("people.value")}) AS n
            FROM instances WHERE id IN {_AMONG}""",
        {"people": json.dumps(list(user_ids)), "ids": json.dumps(list(instance_ids))},
    )


def versions_of(store: Store, project_id: int, instance_ids: Sequence[int]) -> list[int]:
    """The changed versions of some instances, which are not among them."""
    return store.column(
        f"""SELECT changed.id FROM instances AS changed JOIN instances AS original ON {is_version_of("changed", "original")}
            WHERE changed.project_id = :project AND changed.parent_key IS NOT NULL AND original.id IN {_AMONG}
            AND changed.id NOT IN {_AMONG} ORDER BY changed.id""",
        {"project": project_id, "ids": json.dumps(list(instance_ids))},
    )


def keys_in_split(store: Store, project_id: int, split: str) -> dict[str, int]:
    """The instances that a split has, by key."""
    rows = store.rows("SELECT id, key FROM instances WHERE project_id = ? AND split = ?", (project_id, split))
    return {row["key"]: row["id"] for row in rows}


def _end_late_work_on(store: Store, instance_ids: Sequence[int]) -> None:
    """Work and reviews of some instances whose lease has run out are given back; drafts are kept."""
    values = (store.now(), json.dumps(list(instance_ids)))
    store.run(
        """UPDATE assignments SET state = 'expired' WHERE state IN ('leased', 'returned') AND lease_until <= ?
            AND instance_id IN (SELECT value FROM json_each(?))""",
        values,
    )
    store.run(
        """UPDATE reviews SET state = 'expired' WHERE state = 'leased' AND lease_until <= ? AND annotation_id IN
            (SELECT id FROM annotations WHERE instance_id IN (SELECT value FROM json_each(?)))""",
        values,
    )


def write_facts(store: Store, project_id: int, wanted: Mapping[int, Mapping[str, Any]]) -> None:
    """Write of each instance what is named: `split`, `is_exhaustive`, `extra_annotators`, `named` with `named_as`, `state`.

    The state is "discarded", or anything else for being in the data set; slots and states then follow from the work.
    """
    changes_queue = any(facts.keys() & {"extra_annotators", "state", "named"} for facts in wanted.values())
    if changes_queue:
        _end_late_work_on(store, list(wanted))
    for column in ("split", "is_exhaustive", "extra_annotators"):
        store.run_many(
            f"UPDATE instances SET {column} = ? WHERE id = ?",
            [(facts[column], number) for number, facts in wanted.items() if column in facts],
        )
    store.run_many(
        "UPDATE instances SET state = ? WHERE id = ?",
        [
            ("discarded" if facts["state"] == "discarded" else "open", number)
            for number, facts in wanted.items()
            if "state" in facts
        ],
    )
    for named_as, people, numbers in _by_people(wanted):
        name_people(store, numbers, people, named_as)
    if changes_queue:
        begin_anew(store, project_id, wanted)


def _by_people(wanted: Mapping[int, Mapping[str, Any]]) -> list[tuple[Any, list[int], list[int]]]:
    """The instances that are to name the same people."""
    groups = by_key(
        ((facts["named_as"], tuple(facts["named"])), number) for number, facts in wanted.items() if "named" in facts
    )
    return [(named_as, list(people), numbers) for (named_as, people), numbers in groups.items()]


def add_action(
    store: Store,
    actor: User,
    project_id: int,
    change: BulkChange,
    before: Mapping[int, Mapping[str, Any]],
    after: Mapping[int, Mapping[str, Any]],
) -> int:
    """Keep what was done, with what it changed of each instance; answers its number."""
    action_id = store.add(
        """INSERT INTO bulk_actions (project_id, kind, detail, n_instances, made_by, user_id, made_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (
            *(project_id, change.kind, json.dumps(asdict(change), ensure_ascii=False), len(before)),
            *(actor.name, actor.id, store.now()),
        ),
    )
    store.run_many(
        "INSERT INTO bulk_members (action_id, instance_id, before, after) VALUES (?, ?, ?, ?)",
        [(action_id, number, json.dumps(before[number]), json.dumps(after[number])) for number in before],
    )
    return action_id


def get_action(store: Store, action_id: int) -> BulkAction:
    """An action by number; raises NotFound."""
    row = store.row("SELECT * FROM bulk_actions WHERE id = ?", (action_id,))
    if row is None:
        raise NotFound(_("No {what} number {number}.", number=action_id, what=_("change")))
    return _action(row)


def list_actions(store: Store, project_id: int, *, limit: int) -> list[BulkAction]:
    """The last actions of a project, the newest first."""
    rows = store.rows("SELECT * FROM bulk_actions WHERE project_id = ? ORDER BY id DESC LIMIT ?", (project_id, limit))
    return [_action(row) for row in rows]


def actions_on(store: Store, instance_id: int) -> list[BulkAction]:
    """The actions that concerned an instance, oldest first."""
    rows = store.rows(
        """SELECT bulk_actions.* FROM bulk_members JOIN bulk_actions ON bulk_actions.id = action_id
            WHERE instance_id = ? ORDER BY bulk_actions.id""",
        (instance_id,),
    )
    return [_action(row) for row in rows]


def members_of_action(store: Store, action_id: int) -> dict[int, tuple[dict[str, Any], dict[str, Any], bool]]:
    """Of each instance what it was before and after, and whether a later action of the kind, not undone, concerns it too."""
    rows = store.rows(
        """SELECT instance_id, before, after, EXISTS (SELECT 1 FROM bulk_members AS later
                JOIN bulk_actions AS later_action ON later_action.id = later.action_id
                WHERE later.instance_id = bulk_members.instance_id AND later.action_id > bulk_members.action_id
                AND undone_at IS NULL AND EXISTS (SELECT 1 FROM json_each(later.after) AS theirs
                    JOIN json_each(bulk_members.before) AS ours ON ours.key = theirs.key)) AS is_overtaken
            FROM bulk_members WHERE action_id = ? ORDER BY instance_id""",
        (action_id,),
    )
    return {
        row["instance_id"]: (json.loads(row["before"]), json.loads(row["after"]), bool(row["is_overtaken"]))
        for row in rows
    }


def note_undone(store: Store, action_id: int, actor: User, undone: Undone) -> None:
    """The action is undone, as far as it can be."""
    store.run(
        "UPDATE bulk_actions SET undone_by = ?, undone_at = ?, n_restored = ? WHERE id = ?",
        (actor.name, store.now(), undone.n_restored, action_id),
    )


def _action(row: Row) -> BulkAction:
    detail = json.loads(row["detail"])
    change = BulkChange(**{**detail, "people": tuple(detail["people"])})
    return of_columns(BulkAction, row, change=change)


def _facts(row: Row) -> InstanceFacts:
    return of_columns(
        InstanceFacts,
        row,
        is_exhaustive=None if row["is_exhaustive"] is None else bool(row["is_exhaustive"]),
        named=tuple(json.loads(row["named"])),
        held_by=tuple(json.loads(row["held_by"])),
        is_reviewed=bool(row["is_reviewed"]),
        is_adjudicated=bool(row["is_adjudicated"]),
    )
