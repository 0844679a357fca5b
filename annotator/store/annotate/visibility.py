"""Who is annotator of a text and who is not: to whom others' sets of it were shown, who has it, and who may still be given it.

The first functions are conditions in SQL, so that queues, checks and counts ask the same question; `user` is an expression for
the number of a person, and the rows that the condition is about are called `instances`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.project.search import NamedAs
from annotator.domain.sources import SourceShown
from annotator.store.connection.database import Store

# The people for whom texts are, and whether the queue may give a text to somebody.


def names(user: str) -> str:
    """The text names the person."""
    return f"""EXISTS (SELECT 1 FROM named_people WHERE named_people.instance_id = instances.id
        AND named_people.user_id = {user})"""


def is_not_kept_from(user: str) -> str:
    """The text is not for others only."""
    return f"(coalesce(instances.named_as, '') <> 'only' OR {names(user)})"


def is_for_others(store: Store, instance_id: int, user_id: int) -> bool:
    """Whether a text is for other people only."""
    return store.holds(
        f"SELECT 1 FROM instances WHERE id = ?1 AND NOT {is_not_kept_from('?2')}", (instance_id, user_id)
    )


def name_people(store: Store, instance_ids: Sequence[int], user_ids: Sequence[int], named_as: NamedAs | None) -> None:
    """From now on some texts are for these people and no others; for nobody in particular where there are none."""
    numbers = json.dumps(list(instance_ids))
    store.run("DELETE FROM named_people WHERE instance_id IN (SELECT value FROM json_each(?))", (numbers,))
    store.run(
        "UPDATE instances SET named_as = ? WHERE id IN (SELECT value FROM json_each(?))",
        (named_as if user_ids else None, numbers),
    )
    store.run(
        """INSERT INTO named_people (instance_id, user_id, project_id)
            SELECT instances.id, person.value, project_id FROM instances CROSS JOIN json_each(?) AS person
            WHERE instances.id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(user_ids)), numbers),
    )


def is_queue_plain(store: Store, project_id: int) -> bool:
    """Whether no text of a project names anybody or wants more annotators than the others: then kept counts suffice."""
    return not store.value(
        """SELECT EXISTS (SELECT 1 FROM instances WHERE project_id = ?1 AND named_as IS NOT NULL)
            OR EXISTS (SELECT 1 FROM instances WHERE project_id = ?1 AND extra_annotators > 0)""",
        (project_id,),
    )


def named_of_instances(store: Store, instance_ids: Sequence[int]) -> dict[int, tuple[NamedAs, tuple[str, ...]]]:
    """Of those among some instances that name people, in which way, and their names."""
    by_instance: dict[int, tuple[NamedAs, tuple[str, ...]]] = {}
    for row in store.rows(
        """SELECT instances.id AS id, named_as, users.name AS name FROM instances
            JOIN named_people ON instance_id = instances.id JOIN users ON users.id = user_id
            WHERE named_as IS NOT NULL AND instances.id IN (SELECT value FROM json_each(?)) ORDER BY instances.id, users.name""",
        (json.dumps(list(instance_ids)),),
    ):
        _, before = by_instance.get(row["id"], (None, ()))
        by_instance[row["id"]] = (row["named_as"], (*before, row["name"]))
    return by_instance


def extra_annotators_of(store: Store, instance_ids: Sequence[int]) -> dict[int, int]:
    """Of those among some instances that want more annotators than the others of their project, how many more."""
    return store.mapping(
        """SELECT id, extra_annotators FROM instances
            WHERE extra_annotators > 0 AND id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(instance_ids)),),
    )


_LATEST_WORK = """(SELECT latest.state FROM assignments AS latest WHERE latest.instance_id = instances.id
    AND latest.user_id = {user} ORDER BY latest.round DESC LIMIT 1)"""


def has_annotated(user: str, instance: str = "instances.id") -> str:
    """The person has handed in sets of the text, and has not taken them back."""
    return f"""EXISTS (SELECT 1 FROM annotations AS own WHERE own.instance_id = {instance} AND own.user_id = {user}
        AND own.state NOT IN ('withdrawn', 'reference'))"""


def annotates(user: str, instance: str = "instances.id") -> str:
    """The person is an annotator of the text: has it in hand, or has handed it in."""
    return f"""({has_annotated(user, instance)} OR EXISTS (SELECT 1 FROM assignments AS held
        WHERE held.instance_id = {instance} AND held.user_id = {user}
        AND held.state IN ('leased', 'returned', 'submitted', 'proposed')))"""


def was_shown(user: str) -> str:
    """Somebody else's sets of the text were shown to the person."""
    return (
        f"EXISTS (SELECT 1 FROM sets_shown WHERE sets_shown.instance_id = instances.id AND sets_shown.user_id = {user})"
    )


def may_have(user: str) -> str:
    """The person may have the text in hand: they were shown nothing of it, or correct what they handed in themselves."""
    return f"(NOT {was_shown(user)} OR {has_annotated(user)})"


def may_be_given(user: str) -> str:
    """The queue could give the text to the person now."""
    return f"(instances.open_slots > 0 AND instances.state = 'open' AND {_might_have(user)})"


def may_still_be_given(user: str) -> str:
    """The same, or it waits for the lead, whose decision may set it free."""
    return f"""((instances.open_slots > 0 AND instances.state = 'open' OR instances.state = 'held') AND {_might_have(user)})"""


def is_new_to(user: str) -> str:
    """The person neither has nor had the text in hand, but to set it aside, and was shown nothing of it."""
    return f"""(coalesce({_LATEST_WORK.format(user=user)}, 'skipped') IN ('expired', 'skipped') AND {may_have(user)})"""


def _might_have(user: str) -> str:
    return f"{is_new_to(user)} AND {is_not_kept_from(user)}"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a person is to a text.

    has_in_hand:  they are to annotate it, and have handed in nothing of it yet
    is_undecided: they are at work on it, or what they handed in may still come back
    """

    has_in_hand: bool
    is_undecided: bool
    may_still_be_given: bool
    was_shown: bool


def _is_undecided(user: str) -> str:
    return f"""(EXISTS (SELECT 1 FROM assignments AS held WHERE held.instance_id = instances.id AND held.user_id = {user}
            AND held.state IN ('leased', 'returned', 'proposed'))
        OR EXISTS (SELECT 1 FROM annotations AS own WHERE own.instance_id = instances.id AND own.user_id = {user}
            AND own.state = 'submitted'))"""


def _has_in_hand(user: str) -> str:
    return f"""(EXISTS (SELECT 1 FROM assignments AS held WHERE held.instance_id = instances.id AND held.user_id = {user}
        AND held.state IN ('leased', 'returned')) AND NOT {has_annotated(user)})"""


def is_at_work_on(user: str) -> str:
    """The person has the text in hand to annotate, or what they handed in is not decided yet."""
    return f"({_has_in_hand(user)} OR {_is_undecided(user)})"


def standing(store: Store, instance_id: int, user_id: int) -> Standing:
    """How a person stands to a text."""
    row = store.rows(
        f"""SELECT {_has_in_hand("?2")}, {_is_undecided("?2")}, {may_still_be_given("?2")}, {was_shown("?2")}
            FROM instances WHERE id = ?1""",
        (instance_id, user_id),
    )[0]
    return Standing(*map(bool, row))


def annotates_text(store: Store, instance_id: int, user_id: int) -> bool:
    """Whether a person has a text in hand to annotate, or has handed it in."""
    return store.holds(f"SELECT {annotates('?2', '?1')}", (instance_id, user_id))


def of_others(store: Store, annotation_ids: Sequence[int], user_id: int) -> list[int]:
    """Those annotations among some that somebody else made; what is handed out as a start is nobody's."""
    return store.column(
        """SELECT id FROM annotations WHERE id IN (SELECT value FROM json_each(?)) AND coalesce(user_id, 0) <> ?
            AND state <> 'draft'""",
        (json.dumps(list(annotation_ids)), user_id),
    )


def note_shown(store: Store, instance_id: int, user_id: int) -> None:
    """Others' sets of a text are shown to somebody: from now on they are not given it."""
    store.run(
        """INSERT INTO sets_shown (instance_id, user_id, project_id, at)
            SELECT id, ?, project_id, ? FROM instances WHERE id = ? ON CONFLICT DO NOTHING""",
        (user_id, store.now(), instance_id),
    )


def note_gold_shown(store: Store, instance_ids: Sequence[int], user_id: int) -> None:
    """The same of many texts at once, of those that others have handed in something of."""
    store.run(
        """INSERT INTO sets_shown (instance_id, user_id, project_id, at)
            SELECT id, ?1, project_id, ?2 FROM instances WHERE id IN (SELECT value FROM json_each(?3))
            AND EXISTS (SELECT 1 FROM annotations WHERE instance_id = instances.id AND coalesce(user_id, 0) <> ?1
                AND annotations.state IN ('accepted', 'submitted', 'reference')) ON CONFLICT DO NOTHING""",
        (user_id, store.now(), json.dumps(list(instance_ids))),
    )


_IS_EXERCISE = """EXISTS (SELECT 1 FROM exercises WHERE exercises.instance_id = instances.id AND exercises.user_id = {user}
    AND exercises.state = 'open')"""


def closed_instances(store: Store, project_id: int, user_id: int, may_annotate: bool) -> set[int]:
    """The instances whose sets of others are closed to somebody who does not see all: at work on them, or to be given them."""
    return set(
        store.column(
            f"""SELECT id FROM instances WHERE project_id = ?1
            AND ({_is_undecided("?2")} OR {_IS_EXERCISE.format(user="?2")} OR (?3 AND {may_still_be_given("?2")}))""",
            (project_id, user_id, may_annotate),
        )
    )


def count_shown_and_free(store: Store, project_id: int, user_id: int) -> int:
    """How many texts are free, but not for this person, since they were shown sets of them."""
    return store.number(
        "SELECT count(*) FROM sets_shown WHERE project_id = ? AND user_id = ? AND is_free = 1", (project_id, user_id)
    )


def shown_of_instances(store: Store, instance_ids: Sequence[int]) -> dict[int, tuple[SourceShown, ...]]:
    """For each instance, the people to whom others' sets of it were shown."""
    by_instance: dict[int, tuple[SourceShown, ...]] = {}
    for row in store.rows(
        """SELECT instance_id, name, at FROM sets_shown JOIN users ON users.id = user_id
            WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY instance_id, at, name""",
        (json.dumps(list(instance_ids)),),
    ):
        by_instance[row["instance_id"]] = (
            *by_instance.get(row["instance_id"], ()),
            SourceShown(row["name"], row["at"]),
        )
    return by_instance


def held_against_the_rule() -> str:
    """A condition on `assignments`: in hand, although others' sets of the text were shown to the person."""
    return f"""assignments.state IN ('leased', 'returned')
        AND NOT {has_annotated("assignments.user_id", "assignments.instance_id")}
        AND EXISTS (SELECT 1 FROM sets_shown
            WHERE sets_shown.instance_id = assignments.instance_id AND sets_shown.user_id = assignments.user_id)"""


def give_back_what_was_shown(store: Store, instance_ids: Sequence[int]) -> None:
    """Work on texts goes back to the queue when its person was shown others' sets of it meanwhile; call settle after it."""
    store.run_many(
        f"UPDATE assignments SET state = 'expired' WHERE instance_id = ? AND {held_against_the_rule()}",
        [(instance_id,) for instance_id in instance_ids],
    )
