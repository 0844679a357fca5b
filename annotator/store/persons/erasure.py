"""Taking out all that somebody made, what depends on it, and the removals that are remembered."""

import hashlib
import hmac
import json
import logging
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from annotator.errors import NotWritable, StoreError
from annotator.files import part_folder, sync_file, sync_folder
from annotator.store.annotate.instance_queue import begin_anew
from annotator.store.connection import file_access
from annotator.store.connection.database import Store
from annotator.store.persons.columns import NAMES, REFERENCES
from annotator.store.persons.person_values import Person, forget_named
from annotator.store.schema.comparison import read_schema

# Deleting rows with everything that refers to them, as the tables' own foreign keys say, so that a new table is reached too.


# What stays without what it referred to: a correction whose first round is gone, and a text's place on the way to an instance.
# And a text of a second pass of which nothing is gold of its original any more.
_CLEARED = frozenset({("rounds", "previous_id"), ("assignments", "follows_id"), ("evidence_copies", "taken")})


def delete_with_dependents(store: Store, table: str, ids: Iterable[int]) -> None:
    """Delete rows by number, and before them whatever cannot stand without them."""
    _delete(store, table, "id IN (SELECT value FROM json_each(?))", json.dumps(list(ids)))


def _delete(store: Store, table: str, condition: str, ids: str) -> None:
    for child, columns, parents in _references_to(store, table):
        chosen = f"SELECT {', '.join(parents)} FROM {table} WHERE {condition}"
        if len(columns) == 1 and (child, columns[0]) in _CLEARED:
            store.run(f"UPDATE {child} SET {columns[0]} = NULL WHERE {columns[0]} IN ({chosen})", (ids,))
        else:
            _delete(store, child, f"({', '.join(columns)}) IN ({chosen})", ids)
    store.run(f"DELETE FROM {table} WHERE {condition}", (ids,))


def _references_to(store: Store, table: str) -> list[tuple[str, list[str], list[str]]]:
    rows = store.rows(
        """SELECT t.name AS child, f.id AS number, f."from" AS "column", coalesce(f."to", 'id') AS parent
            FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f
            WHERE t.type = 'table' AND f."table" = ? ORDER BY t.name, f.id, f.seq""",
        (table,),
    )
    keys: dict[tuple[str, int], tuple[list[str], list[str]]] = {}
    for row in rows:
        columns, parents = keys.setdefault((row["child"], row["number"]), ([], []))
        columns.append(row["column"])
        parents.append(row["parent"])
    return [(child, columns, parents) for (child, _), (columns, parents) in keys.items()]


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
    return store.column(
        """WITH RECURSIVE copies (id) AS (
                SELECT copy_id FROM evidence_copies WHERE original_id IN (SELECT value FROM json_each(?))
                UNION SELECT copy_id FROM evidence_copies JOIN copies ON original_id = copies.id)
            SELECT id FROM copies ORDER BY id""",
        (json.dumps(instances),),
    )


def _annotations_in(store: Store, instances: Sequence[int]) -> set[int]:
    return set(
        store.column(
            "SELECT id FROM annotations WHERE instance_id IN (SELECT value FROM json_each(?))", (json.dumps(instances),)
        )
    )


def _numbers(store: Store, sql: str, person: Person) -> tuple[int, ...]:
    rows = store.rows(f"SELECT * FROM ({sql}) WHERE {_BOTH} ORDER BY 1", person.parameters)
    return tuple(row[0] for row in rows)


def count_gold_lost(store: Store, person: Person) -> int:
    """How many instances have no accepted annotation but theirs, so that they would have no gold."""
    return store.number(
        f"""SELECT count(*) FROM instances WHERE state <> 'discarded' AND {_BOTH}
                AND EXISTS (SELECT 1 FROM annotations WHERE instance_id = instances.id AND state = 'accepted' AND {_THEIRS})
                AND NOT EXISTS (SELECT 1 FROM annotations WHERE instance_id = instances.id AND state = 'accepted'
                    AND NOT coalesce({_THEIRS}, 0))""",
        person.parameters,
    )


def count_of_others_in(store: Store, made: Made, person: Person) -> int:
    """How many annotations of others go because they are of a text that this person wrote."""
    return store.number(
        f"""SELECT count(*) FROM annotations WHERE instance_id IN (SELECT value FROM json_each(?3))
                AND NOT coalesce({_THEIRS}, 0)""",
        (*person.parameters, json.dumps(made.instances)),
    )


def originals_taken_from(store: Store, made: Made) -> list[int]:
    """The instances whose gold a second pass made of what somebody marked."""
    return store.column(
        """SELECT original_id FROM evidence_copies JOIN gold_choices ON instance_id = original_id AND annotation_id = taken
            WHERE taken IN (SELECT value FROM json_each(?)) ORDER BY 1""",
        (json.dumps(made.annotations),),
    )


def projects_touched(store: Store, person: Person, made: Made) -> list[int]:
    """The projects in which somebody has a role, or made something."""
    return store.column(
        """SELECT project_id FROM instances WHERE id IN (SELECT value FROM json_each(?2))
            UNION SELECT project_id FROM memberships WHERE user_id = ?1
            UNION SELECT project_id FROM perturbations WHERE author = ?1
            UNION SELECT project_id FROM exercises WHERE user_id = ?1
            UNION SELECT project_id FROM audit_items JOIN audits ON audits.id = audit_id WHERE auditor = ?1""",
        (person.id, json.dumps([*made.instances, *made.touched])),
    )


def frozen_names_of(store: Store, project_id: int, instances: Sequence[int]) -> set[tuple[str, str]]:
    """Key and split of instances, as releases name them."""
    return set(
        store.tuples(
            "SELECT key, split FROM instances WHERE project_id = ? AND id IN (SELECT value FROM json_each(?))",
            (project_id, json.dumps(instances)),
        )
    )


def erase_made(store: Store, person: Person, made: Made) -> None:
    """Delete all of it, and work out what is free, complete or waiting anew; events and messages must be open for changes."""
    documents, projects = _documents_of(store, made.instances), projects_touched(store, person, made)
    _end_corrections_of(store, made.annotations)
    _forget_examined(store, made.annotations)
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


def _forget_examined(store: Store, annotations: Sequence[int]) -> None:
    """Sets of theirs that a model was asked about; its own stay."""
    store.run(
        """UPDATE sufficient_sets SET examined = json_set(examined, '$.people', NULL) WHERE instance_id IN (
            SELECT instance_id FROM annotations WHERE id IN (SELECT value FROM json_each(?)))""",
        (json.dumps(list(annotations)),),
    )


def _documents_of(store: Store, instances: Sequence[int]) -> list[int]:
    return store.column(
        "SELECT DISTINCT document_id FROM segments WHERE instance_id IN (SELECT value FROM json_each(?))",
        (json.dumps(instances),),
    )


def _end_corrections_of(store: Store, annotations: Sequence[int]) -> None:
    """Others' corrections of what goes: work in hand ends, what nobody has decided on is scored as if it were the first."""
    names = json.dumps(annotations)
    delete_with_dependents(
        store,
        "assignments",
        store.column(
            f"""SELECT id FROM assignments WHERE follows_id IN (SELECT value FROM json_each(?)) AND state IN {_UNFINISHED}
            AND NOT EXISTS (SELECT 1 FROM annotations WHERE assignment_id = assignments.id)""",
            (names,),
        ),
    )
    corrections = store.tuples(
        "SELECT annotation_id, outcome FROM rounds WHERE previous_id IN (SELECT value FROM json_each(?))", (names,)
    )
    for annotation_id, outcome in corrections:
        store.run("DELETE FROM set_origins WHERE annotation_id = ?", (annotation_id,))
        if outcome is None:
            delete_with_dependents(
                store, "reviews", store.column("SELECT id FROM reviews WHERE annotation_id = ?", (annotation_id,))
            )


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


# Who was made nameless or erased, without a name: so that no byte is left of them, and no restore brings them back.


_BESIDE = ".removals"
_COLUMNS = "kind, at, account, account_made_at, name_hash"


@dataclass(frozen=True, slots=True)
class Removal:
    """One person who was taken out.

    kind:            'anonymise' or 'erase'
    account:         the number that their account had; None for somebody whom only an import named
    account_made_at: when that account was made: a number alone may be given again after a restore
    name_hash:       of the name, salted and slow; "" where an earlier version did not note whom
    """

    kind: str
    at: str
    account: int | None = None
    account_made_at: str | None = None
    name_hash: str = ""

    @property
    def key(self) -> tuple[str, str, int | None, str]:
        """What tells it from others, also of the same moment; what an earlier version noted has the time alone."""
        return self.kind, self.at, self.account, self.name_hash


def removal_of(store: Store, kind: str, person: Person) -> Removal:
    """What is noted of somebody who is about to be taken out."""
    made_at = store.value("SELECT created_at FROM users WHERE id = ?", (person.id,))
    noted = store.value("SELECT name_hash FROM removals WHERE name_hash <> '' ORDER BY id DESC")
    salt = noted.partition("$")[0] if noted else secrets.token_hex(16)
    return Removal(kind, store.now(), person.id, made_at, _name_hash(salt, person.name.casefold()))


def add_removal(store: Store, removal: Removal) -> None:
    """Note that somebody was taken out, in the transaction that does it: the file is still to be written anew."""
    store.run(
        f"INSERT INTO removals ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",
        (removal.kind, removal.at, removal.account, removal.account_made_at, removal.name_hash),
    )


def list_removals(store: Store) -> list[Removal]:
    """All of a database, the first one first."""
    return [Removal(*row) for row in store.rows(f"SELECT {_COLUMNS} FROM removals ORDER BY id")]


def find_removed(store: Store, removal: Removal) -> str | None:
    """The name under which a database still knows somebody who was taken out of another one; None where it does not."""
    name = store.value(
        "SELECT name FROM users WHERE id = ? AND created_at = ?", (removal.account, removal.account_made_at)
    )
    if name is not None or not removal.name_hash:
        return None if name is None else str(name)
    salt = removal.name_hash.partition("$")[0]
    return next(
        (
            name
            for name in _names_without_account(store)
            if hmac.compare_digest(_name_hash(salt, name.casefold()), removal.name_hash)
        ),
        None,
    )


def _names_without_account(store: Store) -> list[str]:
    """An account of the same name that was made at another time is somebody else's."""
    questions = (
        f"SELECT DISTINCT {column} AS name FROM {table} WHERE {column} NOT IN (SELECT name FROM users)"
        for table, column in NAMES
    )
    return [row["name"] for row in store.rows(" UNION ".join(questions)) if row["name"]]


@lru_cache(maxsize=10_000)
def _name_hash(salt: str, name: str) -> str:
    """Slow, so that whoever has the file does not try all names in no time."""
    digest = hashlib.scrypt(name.encode(), salt=salt.encode(), n=2**12, r=8, p=1)
    return f"{salt}${digest.hex()}"


# Beside the database ---------------------------------------------------------------------------------------------------


def file_beside(path: Path) -> Path:
    """Where the removals of a database are kept for the time when it is replaced."""
    return path.with_name(path.name + _BESIDE)


def removals_beside(path: Path) -> list[Removal]:
    """Those that the file beside a database holds; raises StoreError where it cannot be read."""
    try:
        lines = file_beside(path).read_text(encoding="utf-8").splitlines()
        return [Removal(**json.loads(line)) for line in lines]
    except FileNotFoundError:
        return []
    except (OSError, UnicodeError, ValueError, TypeError, RecursionError) as error:
        raise StoreError(_UNREADABLE.format(path=file_beside(path), error=type(error).__name__)) from error


def keep_beside(store: Store) -> None:
    """Bring what a database holds into the file beside it; where that cannot be now, the next start of the server does it."""
    try:
        write_beside(store.path, [*removals_beside(store.path), *list_removals(store)])
    except (OSError, StoreError) as error:
        logging.getLogger(__name__).warning("Who was erased could not be noted beside the database: %s", error)


def write_beside(path: Path, removals: Iterable[Removal]) -> None:
    """Let the file hold these, each once; it is the old one or the new one at every moment."""
    by_key = {removal.key: removal for removal in removals}
    if by_key == {removal.key: removal for removal in removals_beside(path)}:
        return
    target = file_beside(path)
    with part_folder(target) as folder:
        made = folder / target.name
        file_access.make_file(made, file_access.mode_beside(path))
        made.write_text("".join(json.dumps(asdict(removal)) + "\n" for removal in by_key.values()), encoding="utf-8")
        file_access.give_to_owner_of(path, made)
        sync_file(made)
        made.replace(target)
        sync_folder(target.parent)


def removals_at(path: Path) -> list[Removal] | None:
    """Those that are known at the place of a database that nobody has open: of itself, only read, and of the file beside it.

    None where neither can say anything: there is no database, or it is damaged or of another program
    """
    beside = removals_beside(path)
    if not path.exists():
        return beside or None
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(_read_only(path)) as connection:
        if not read_schema(connection).get(("table", "removals"), "").startswith("removals: CREATE TABLE"):
            return beside  # from before there were removals
        names = {row[1] for row in connection.execute("PRAGMA table_info(removals)")}
        columns = _COLUMNS if "name_hash" in names else "kind, at"
        rows = connection.execute(f"SELECT {columns} FROM removals").fetchall()
        inside = {removal.key: removal for removal in (Removal(*row) for row in rows)}
        return list((inside | {removal.key: removal for removal in beside}).values())
    return beside or None


def _read_only(path: Path) -> sqlite3.Connection:
    """Without a log of its own, which SQLite would leave behind."""
    how = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)


# No byte is left -------------------------------------------------------------------------------------------------------


def is_wiping_due(store: Store) -> bool:
    """Whether something was taken out whose bytes may still be in the file."""
    return store.holds("SELECT 1 FROM removals WHERE is_wiped = 0")


def wipe(store: Store) -> bool:
    """Write the file anew; False where somebody still reads the log, or the disk has no room: then it is to be done again.

    What was taken out while the file was written is noted for the next time.
    """
    due = [row["id"] for row in store.rows("SELECT id FROM removals WHERE is_wiped = 0")]
    try:
        is_rewritten = store.rewrite()
    except (NotWritable, StoreError):  # what was to be done is done, and this is noted as not done
        return False
    if not is_rewritten:
        return False
    with store.transaction():
        store.run_many("UPDATE removals SET is_wiped = 1 WHERE id = ?", [(number,) for number in due])
    return True


_UNREADABLE = (
    "'{path}' cannot be read ({error}). It lists who was erased or anonymised, so that a restore does not bring them back. "
    "Repair it, or move it away and erase them again by hand."
)
