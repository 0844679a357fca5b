"""Taking out all that somebody made: annotations, reviews, changed versions with what became of them, messages, the account."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotator.store.annotate.instance_queue import begin_anew
from annotator.store.connection.database import Store
from annotator.store.persons.columns import REFERENCES
from annotator.store.persons.dependents import delete_with_dependents
from annotator.store.persons.identity import Person
from annotator.store.persons.packed import forget_named

_THEIRS = "(user_id = ?1 OR annotator IN (SELECT value FROM json_each(?2)))"
_BOTH = "?1 IS ?1 AND ?2 IS ?2"
_UNFINISHED = "('leased', 'returned', 'skipped', 'expired')"


@dataclass(frozen=True, slots=True)
class Made:
    """What somebody made, by its number.

    perturbations: changed versions that they wrote, or corrected last before they became an instance
    instances:     what became of these, also in second passes, which goes with everything that others marked in it
    annotations:   theirs alone, those in such instances not among them
    touched:       instances that stay, and lose an annotation, a review, a proposal or work in hand
    """

    perturbations: tuple[int, ...]
    instances: tuple[int, ...]
    annotations: tuple[int, ...]
    touched: tuple[int, ...]


def made_by(store: Store, person: Person) -> Made:
    """Look up what would go."""
    perturbations, instances = _texts_of(store, person)
    annotations = _numbers(store, f"SELECT id FROM annotations WHERE {_THEIRS}", person)
    touched = _numbers(
        store,
        f"""SELECT instance_id FROM annotations WHERE {_THEIRS}
            UNION SELECT instance_id FROM assignments WHERE user_id = ?1
            UNION SELECT instance_id FROM named_people WHERE user_id = ?1
            UNION SELECT instance_id FROM proposals WHERE proposed_by IN (SELECT value FROM json_each(?2))
            UNION SELECT instance_id FROM annotations WHERE id IN (SELECT annotation_id FROM reviews WHERE user_id = ?1)""",
        person,
    )
    going, in_them = set(instances), _annotations_in(store, instances)
    return Made(
        perturbations, instances, tuple(number for number in annotations if number not in in_them),
        tuple(number for number in touched if number not in going),
    )  # fmt: skip


def _texts_of(store: Store, person: Person) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Changed versions, and changed versions of what became of them."""
    rows = store.rows(
        """WITH RECURSIVE theirs (id, instance_id) AS (
                SELECT p.id, p.instance_id FROM perturbations AS p WHERE author = ?1 OR (instance_id IS NOT NULL
                    AND EXISTS (SELECT 1 FROM perturbation_versions AS v WHERE v.perturbation_id = p.id
                        AND v.number = p.version AND v.made_by = ?1))
                UNION SELECT p.id, p.instance_id FROM perturbations AS p JOIN theirs ON p.original_id = theirs.instance_id)
            SELECT id, instance_id FROM theirs ORDER BY id""",
        (person.id,),
    )
    instances = [n for row in rows if (n := row["instance_id"]) is not None]
    return tuple(row["id"] for row in rows), (*instances, *_copies_of(store, instances))


def _copies_of(store: Store, instances: Sequence[int]) -> list[int]:
    """What second passes made of instances."""
    rows = store.rows(
        """WITH RECURSIVE copies (id) AS (
                SELECT copy_id FROM evidence_copies WHERE original_id IN (SELECT value FROM json_each(?))
                UNION SELECT copy_id FROM evidence_copies JOIN copies ON original_id = copies.id)
            SELECT id FROM copies ORDER BY id""",
        (json.dumps(instances),),
    )
    return [row["id"] for row in rows]


def _annotations_in(store: Store, instances: Sequence[int]) -> set[int]:
    rows = store.rows(
        "SELECT id FROM annotations WHERE instance_id IN (SELECT value FROM json_each(?))", (json.dumps(instances),)
    )
    return {row["id"] for row in rows}


def _numbers(store: Store, sql: str, person: Person) -> tuple[int, ...]:
    rows = store.rows(f"SELECT * FROM ({sql}) WHERE {_BOTH} ORDER BY 1", person.parameters)
    return tuple(row[0] for row in rows)


def count_gold_lost(store: Store, person: Person) -> int:
    """How many instances have no accepted annotation but theirs, so that they would have no gold."""
    return int(
        store.value(
            f"""SELECT count(*) FROM instances WHERE state <> 'discarded' AND {_BOTH}
                AND EXISTS (SELECT 1 FROM annotations WHERE instance_id = instances.id AND state = 'accepted' AND {_THEIRS})
                AND NOT EXISTS (SELECT 1 FROM annotations WHERE instance_id = instances.id AND state = 'accepted'
                    AND NOT coalesce({_THEIRS}, 0))""",
            person.parameters,
        )
    )


def count_of_others_in(store: Store, made: Made, person: Person) -> int:
    """How many annotations of others go because they are of a text that this person wrote."""
    return int(
        store.value(
            f"""SELECT count(*) FROM annotations WHERE instance_id IN (SELECT value FROM json_each(?3))
                AND NOT coalesce({_THEIRS}, 0)""",
            (*person.parameters, json.dumps(made.instances)),
        )
    )


def originals_taken_from(store: Store, made: Made) -> list[int]:
    """The instances whose gold a second pass made of what somebody marked."""
    rows = store.rows(
        """SELECT original_id FROM evidence_copies JOIN gold_choices ON instance_id = original_id AND annotation_id = taken
            WHERE taken IN (SELECT value FROM json_each(?)) ORDER BY 1""",
        (json.dumps(made.annotations),),
    )
    return [row["original_id"] for row in rows]


def projects_touched(store: Store, person: Person, made: Made) -> list[int]:
    """The projects in which somebody has a role, or made something."""
    rows = store.rows(
        """SELECT project_id FROM instances WHERE id IN (SELECT value FROM json_each(?2))
            UNION SELECT project_id FROM memberships WHERE user_id = ?1
            UNION SELECT project_id FROM perturbations WHERE author = ?1
            UNION SELECT project_id FROM exercises WHERE user_id = ?1
            UNION SELECT project_id FROM audit_items JOIN audits ON audits.id = audit_id WHERE auditor = ?1""",
        (person.id, json.dumps([*made.instances, *made.touched])),
    )
    return [row[0] for row in rows]


def frozen_names_of(store: Store, project_id: int, instances: Sequence[int]) -> set[tuple[str, str]]:
    """Key and split of instances, as releases name them."""
    rows = store.rows(
        "SELECT key, split FROM instances WHERE project_id = ? AND id IN (SELECT value FROM json_each(?))",
        (project_id, json.dumps(instances)),
    )
    return {(row["key"], row["split"]) for row in rows}


def erase_made(store: Store, person: Person, made: Made) -> None:
    """Delete all of it, and work out what is free, complete or waiting anew; events and messages must be open for changes."""
    documents, projects = _documents_of(store, made.instances), projects_touched(store, person, made)
    _end_corrections_of(store, made.annotations)
    _detach_events(store, person, made)
    delete_with_dependents(store, "perturbations", made.perturbations)
    delete_with_dependents(store, "instances", made.instances)
    delete_with_dependents(store, "annotations", made.annotations)
    _delete_rows_of(store, person)
    _put_back_earlier_versions(store, person)
    _take_verdicts_back(store, person)
    forget_named(store, person)
    _delete_account(store, person)
    _forget_what_went(store)
    store.run_many(
        "DELETE FROM documents WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM segments WHERE document_id = ?1)",
        [(number,) for number in documents],
    )
    store.run(
        """UPDATE trainings SET n = (SELECT count(*) FROM training_members WHERE training_id = trainings.id)
            WHERE n <> (SELECT count(*) FROM training_members WHERE training_id = trainings.id)"""
    )
    for project_id in projects:
        begin_anew(store, project_id, made.touched if project_id == projects[0] else ())


def _documents_of(store: Store, instances: Sequence[int]) -> list[int]:
    rows = store.rows(
        "SELECT DISTINCT document_id FROM segments WHERE instance_id IN (SELECT value FROM json_each(?))",
        (json.dumps(instances),),
    )
    return [row[0] for row in rows]


def _end_corrections_of(store: Store, annotations: Sequence[int]) -> None:
    """Others' corrections of what goes: work in hand ends, what nobody has decided on is scored as if it were the first."""
    names = json.dumps(annotations)
    unfinished = store.rows(
        f"""SELECT id FROM assignments WHERE follows_id IN (SELECT value FROM json_each(?)) AND state IN {_UNFINISHED}
            AND NOT EXISTS (SELECT 1 FROM annotations WHERE assignment_id = assignments.id)""",
        (names,),
    )
    delete_with_dependents(store, "assignments", [row["id"] for row in unfinished])
    corrections = store.rows(
        "SELECT annotation_id, outcome FROM rounds WHERE previous_id IN (SELECT value FROM json_each(?))", (names,)
    )
    for row in corrections:
        store.run("DELETE FROM set_origins WHERE annotation_id = ?", (row["annotation_id"],))
        if row["outcome"] is None:
            reviews = store.rows("SELECT id FROM reviews WHERE annotation_id = ?", (row["annotation_id"],))
            delete_with_dependents(store, "reviews", [review["id"] for review in reviews])


def _delete_rows_of(store: Store, person: Person) -> None:
    """Reviews, work, proposals, checks and messages; a thread in which nobody else spoke goes too."""
    for table, whose in (
        ("reviews", "user_id = ?1"),
        ("proposals", "proposed_by IN (SELECT value FROM json_each(?2))"),
        ("assignments", "user_id = ?1"),
        ("comments", "(user_id = ?1 OR author IN (SELECT value FROM json_each(?2)))"),
    ):
        delete_with_dependents(store, table, _numbers(store, f"SELECT id FROM {table} WHERE {whose}", person))
    store.run("DELETE FROM threads WHERE NOT EXISTS (SELECT 1 FROM comments WHERE thread_id = threads.id)")


def _put_back_earlier_versions(store: Store, person: Person) -> None:
    """What they corrected in others' changed versions becomes the version before it again; checks of the correction go."""
    corrections = store.rows(
        "SELECT perturbation_id, number FROM perturbation_versions WHERE made_by = ? ORDER BY perturbation_id, number",
        (person.id,),
    )
    for row in corrections:
        at = (row["perturbation_id"], row["number"])
        store.run("DELETE FROM perturbation_checks WHERE perturbation_id = ? AND version = ?", at)
        store.run(
            """UPDATE perturbation_versions AS v SET (made_by, kind, texts, result, note, reason) =
                    (SELECT made_by, kind, texts, result, note, '' FROM perturbation_versions AS before
                        WHERE before.perturbation_id = v.perturbation_id AND before.number = v.number - 1)
                WHERE perturbation_id = ? AND number = ?""",
            at,
        )
        store.run(
            """UPDATE perturbations SET kind = (SELECT kind FROM perturbation_versions
                WHERE perturbation_id = perturbations.id AND number = version) WHERE id = ?""",
            at[:1],
        )


def _take_verdicts_back(store: Store, person: Person) -> None:
    """What they judged in audits waits for somebody else again."""
    store.run(
        """UPDATE audit_items SET auditor = NULL, is_right = NULL, faults = '[]', comment = '', texts = NULL, result = NULL,
            judged_at = NULL WHERE auditor = ?""",
        (person.id,),
    )


def _forget_what_went(store: Store) -> None:
    """Numbers of deleted rows in JSON: items of others' training, and choices of gold that second passes remember."""
    store.run(
        """UPDATE qualification_attempts SET items = (SELECT json_group_array(value) FROM json_each(items)
                WHERE value IN (SELECT id FROM qualification_items))
            WHERE EXISTS (SELECT 1 FROM json_each(items) WHERE value NOT IN (SELECT id FROM qualification_items))"""
    )
    store.run(
        """UPDATE evidence_copies SET former_choice = NULL WHERE former_choice IS NOT NULL
            AND former_choice ->> '$.annotation_id' NOT IN (SELECT id FROM annotations)"""
    )


def _delete_account(store: Store, person: Person) -> None:
    for reference in REFERENCES:
        where = f"WHERE {reference.column} = ?"
        if reference.is_of_project:
            store.run(f"UPDATE {reference.table} SET {reference.column} = NULL {where}", (person.id,))
        else:
            store.run(f"DELETE FROM {reference.table} {where}", (person.id,))
    store.run("DELETE FROM users WHERE id = ?", (person.id,))


# Numbers of rows that are deleted are given out again: an event that still had one would be told of somebody else's work.
def _detach_events(store: Store, person: Person, made: Made) -> None:
    every_annotation = {*made.annotations, *_annotations_in(store, made.instances)}
    assignments = _numbers(store, "SELECT id FROM assignments WHERE user_id = ?1", person)
    proposals = _numbers(
        store, "SELECT id FROM proposals WHERE proposed_by IN (SELECT value FROM json_each(?2))", person
    )
    for name, numbers, more in (
        ("annotation", every_annotation, ", '$.findings', '$.scores'"),  # what its sets were found to be
        ("assignment", assignments, ""),
        ("perturbation", made.perturbations, ""),
        ("instance", made.instances, ""),
        ("proposal", proposals, ""),
    ):
        store.run(
            f"""UPDATE events SET detail = json_remove(detail, '$.{name}'{more})
                WHERE detail ->> '$.{name}' IN (SELECT value FROM json_each(?))""",
            (json.dumps(list(numbers)),),
        )
    _forget_subjects(store, "instance", made.instances)
    _forget_subjects(store, "user", [] if person.id is None else [person.id])


def _forget_subjects(store: Store, subject: str, ids: Iterable[int]) -> None:
    store.run_many(
        "UPDATE events SET subject_id = NULL WHERE subject = ? AND subject_id = ?",
        [(subject, number) for number in ids],
    )
