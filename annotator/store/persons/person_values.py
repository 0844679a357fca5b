"""A person in JSON: the record of events, what files told of annotators, and addresses that name one."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from annotator.domain.sources import ANNOTATIONS, ANNOTATOR
from annotator.store.connection.database import Row, Store
from annotator.store.people import find_user
from annotator.store.persons.columns import COUNTED_NAMES, NAMES, PACKED_WORDS, WORDS, PackedWords

# Who is meant: an account, the names under which rows know somebody, and what goes with their name.


_BOTH = "?1 IS ?1 AND ?2 IS ?2"  # SQLite takes as many values as its question has


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose data is asked for.

    id:    of the account; None for somebody whom only an import names
    names: as rows write them, the account's first; names that differ in case alone are one person's, as for accounts
    """

    id: int | None
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def parameters(self) -> tuple[int | None, str]:
        """What conditions of `columns` take: ?1 and ?2."""
        return self.id, json.dumps(self.names)


def find_person(store: Store, name: str) -> Person | None:
    """The person of a name: with an account, or only named by rows."""
    user = find_user(store, name)
    names = [user.name] if user else []
    for table, column in NAMES:
        names += store.column(f"SELECT DISTINCT {column} FROM {table} WHERE {column} = ? COLLATE NOCASE", (name,))
    return Person(user.id if user else None, tuple(dict.fromkeys(names))) if names else None


def words_of(store: Store, person: Person) -> set[str]:
    """Everything that somebody wrote in words of their own."""
    words: set[str] = set()
    for w in WORDS:
        words |= set(
            store.column(
                f"SELECT DISTINCT {w.column} FROM {w.table} WHERE {w.column} <> '' AND {w.whose} AND {_BOTH}",
                person.parameters,
            )
        )
    return words


def count_words(store: Store, person: Person) -> int:
    """How many notes, comments and reasons of somebody there are."""
    return sum(
        store.number(
            f"SELECT count(*) FROM {w.table} WHERE {w.column} NOT IN ('', ?3) AND {w.whose} AND {_BOTH}",
            (*person.parameters, w.instead),
        )
        for w in WORDS
    )


def rename(store: Store, person: Person, called: dict[str, str]) -> None:
    """Write other names in the place of somebody's; what only counts them goes."""
    for table, column in NAMES:
        store.run_many(
            f"UPDATE {table} SET {column} = ? WHERE {column} = ?", [(new, old) for old, new in called.items()]
        )
    # In versions that a second pass made of several people's sets, which name them all
    rows = store.rows("SELECT DISTINCT annotator FROM annotations WHERE instr(annotator, ', ')")
    for row in rows:
        people = ", ".join(called.get(name, name) for name in row["annotator"].split(", "))
        if people != row["annotator"]:
            store.run("UPDATE annotations SET annotator = ? WHERE annotator = ?", (people, row["annotator"]))
    for table, column in COUNTED_NAMES:
        store.run(f"DELETE FROM {table} WHERE {column} = ? COLLATE NOCASE", (person.name,))


def take_out_words(store: Store, person: Person) -> None:
    """Empty what somebody wrote; where a row must say something, it says that it was taken out."""
    for w in WORDS:
        store.run(
            f"UPDATE {w.table} SET {w.column} = ?3 WHERE {w.column} <> '' AND {w.whose} AND {_BOTH}",
            (*person.parameters, w.instead),
        )


@contextmanager
def append_only_lifted(store: Store, *tables: str) -> Iterator[None]:
    """Let rows be changed that are append only, within the transaction: nobody else sees the tables without their triggers."""
    marks = ",".join("?" * len(tables))
    triggers = store.rows(
        f"""SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ({marks})
            AND sql LIKE '%append only%'""",
        tables,
    )
    for trigger in triggers:
        store.run(f"DROP TRIGGER {trigger['name']}")
    yield
    for trigger in triggers:
        store.run(trigger["sql"])


# Under these names a value of an event is a person's; "name" only where the event is about an account.
_PEOPLE = frozenset({"annotator", "user", "of", "people"})
_WORDS = frozenset({"reason", "note", "comment"})
# What of somebody's own events are marks, scores or labels of theirs.
_MARKS = ("scores", "before", "after", "taken", "result", "findings")
_MARKS_OF = {
    "change score": ("changed",),
    "judge version": ("is_right", "faults"),
    "end training": ("state", "f1", "right", "n"),
}
_AT_ONCE = 1000

Change = Callable[[Any], Any]


def rename_in_events(store: Store, called: Mapping[str, str]) -> None:
    """Write other names where events tell of somebody."""
    folded = {old.casefold(): new for old, new in called.items()}

    def change(row: Any) -> dict[str, Any]:
        people = _PEOPLE | ({"name"} if row["subject"] == "user" else frozenset())
        renamed: dict[str, Any] = _renamed(json.loads(row["detail"]), people, folded)
        return renamed

    # As it stands in JSON, so that of a long record only what may name them is read.
    written = [json.dumps(old, ensure_ascii=False)[1:-1].casefold() for old in called]
    where = "EXISTS (SELECT 1 FROM json_each(?2) AS name WHERE instr(casefold(detail), name.value))"
    _rewrite_events(store, where, (json.dumps(written),), change)


def take_words_out_of_events(store: Store, person: Person, words: Collection[str]) -> None:
    """Empty reasons, notes and comments in somebody's own events, and their words where another event repeats them."""
    names = set(person.names)

    def change(row: Any) -> dict[str, Any]:
        emptied: dict[str, Any] = _without_words(json.loads(row["detail"]), words, row["actor"] in names)
        return emptied

    where = " OR ".join(f"instr(detail, '\"{name}\"')" for name in sorted(_WORDS))
    _rewrite_events(store, f"({where})", (), change)


def take_marks_out_of_events(store: Store, person: Person) -> None:
    """Take sets, labels and scores out of somebody's own events; that they happened stays."""
    theirs = "actor IN (SELECT value FROM json_each(?))"
    names = json.dumps(person.names)
    marks = ", ".join(f"'$.{name}'" for name in _MARKS)
    store.run(f"UPDATE events SET detail = json_remove(detail, {marks}) WHERE {theirs} AND detail <> '{{}}'", (names,))
    for action, of_action in _MARKS_OF.items():
        marks = ", ".join(f"'$.{name}'" for name in of_action)
        store.run(
            f"UPDATE events SET detail = json_remove(detail, {marks}) WHERE {theirs} AND action = '{action}'", (names,)
        )


def _rewrite_events(
    store: Store, where: str, values: tuple[object, ...], change: Callable[[Any], dict[str, Any]]
) -> None:
    last = 0
    sql = f"SELECT * FROM events WHERE id > ?1 AND {where} ORDER BY id LIMIT {_AT_ONCE}"
    while rows := store.rows(sql, (last, *values)):
        changed = [(json.dumps(change(row), ensure_ascii=False), row["id"], row["detail"]) for row in rows]
        store.run_many(
            "UPDATE events SET detail = ? WHERE id = ?",
            [(detail, number) for detail, number, before in changed if detail != before],
        )
        last = rows[-1]["id"]


def _renamed(value: Any, people: Collection[str], called: Mapping[str, str], is_person: bool = False) -> Any:
    if isinstance(value, dict):
        return {name: _renamed(inner, people, called, name in people) for name, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, people, called, is_person) for inner in value]
    return _called(value, called) if is_person and isinstance(value, str) else value


def _called(value: str, called: Mapping[str, str]) -> str:
    """One name, or several people's."""
    if value.casefold() in called:
        return called[value.casefold()]
    return ", ".join(called.get(name.casefold(), name) for name in value.split(", "))


def _without_words(value: Any, words: Collection[str], is_own: bool, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _without_words(inner, words, is_own, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_words(inner, words, is_own, name) for inner in value]
    return "" if isinstance(value, str) and name in _WORDS and (is_own or value in words) else value


def rewrite_facts(store: Store, person: Person, change: Callable[[dict[str, Any], bool], Mapping[str, Any]]) -> None:
    """Change the metadata of instances of which a file told something of somebody, and of changed versions (told as True)."""
    rows = store.rows(
        f"""SELECT id, metadata, perturbation_kind IS NOT NULL AS is_version FROM instances WHERE metadata <> '{{}}'
            AND (perturbation_kind IS NOT NULL OR json_type(metadata, '$.{ANNOTATIONS}') = 'array'
            AND EXISTS (SELECT 1 FROM json_each(metadata, '$.{ANNOTATIONS}') AS told
                WHERE CASE told.type WHEN 'object' THEN told.value ->> '$.{ANNOTATOR}' END
                    IN (SELECT value FROM json_each(?))))""",
        (json.dumps(person.names),),
    )
    for row in rows:
        before = json.loads(row["metadata"])
        after = change(before, bool(row["is_version"]))
        if after != before:
            store.run(
                "UPDATE instances SET metadata = ? WHERE id = ?", (json.dumps(after, ensure_ascii=False), row["id"])
            )


def rename_in_views(store: Store, called: Mapping[str, str]) -> None:
    """Write other names into the addresses of saved views that are of one annotator's gold."""
    for row in store.rows("SELECT id, query FROM saved_views"):
        pairs = parse_qsl(row["query"], keep_blank_values=True)
        renamed = [(name, _in_value(value, called)) for name, value in pairs]
        if renamed != pairs:
            store.run("UPDATE saved_views SET query = ? WHERE id = ?", (urlencode(renamed), row["id"]))


def _in_value(value: str, called: Mapping[str, str]) -> str:
    for old, new in called.items():
        value = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _, new=new: new, value)  # type: ignore[misc]
    return value


# A person in JSON of one kind of row: words in answers, choices and changes of many texts, the people whom a change named.


def packed_words_of(store: Store, person: Person) -> list[str]:
    """What somebody wrote that stands in JSON; what was taken out is not among it."""
    return [
        word
        for packed in PACKED_WORDS
        for row in _rows_of(store, person, packed)
        for word in _words_in(json.loads(row["value"]), packed.names)
        if word not in {"", packed.instead}
    ]


def rewrite_packed_words(store: Store, person: Person, change: Callable[[PackedWords, str], str]) -> None:
    """Write other words in the place of somebody's that stand in JSON."""
    for packed in PACKED_WORDS:
        for row in _rows_of(store, person, packed):
            after = _changed(json.loads(row["value"]), packed.names, lambda word, packed=packed: change(packed, word))  # type: ignore[misc]
            store.run(
                f"UPDATE {packed.table} SET {packed.column} = ? WHERE rowid = ?",
                (json.dumps(after, ensure_ascii=False), row["number"]),
            )


def take_out_packed_words(store: Store, person: Person) -> None:
    """Empty them; where there must be some, it says that they were taken out."""
    rewrite_packed_words(store, person, lambda packed, word: packed.instead if word else "")


def _rows_of(store: Store, person: Person, packed: PackedWords) -> list[Row]:
    return store.rows(
        f"""SELECT rowid AS number, {packed.column} AS value FROM {packed.table}
            WHERE {packed.column} IS NOT NULL AND {packed.whose} AND ?1 IS ?1 AND ?2 IS ?2""",
        person.parameters,
    )


def _words_in(value: Any, names: Collection[str]) -> Iterator[str]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inner:
        if name in names and isinstance(part, str):
            yield part
        yield from _words_in(part, names)


def _changed(value: Any, names: Collection[str], change: Callable[[str], str], name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _changed(part, names, change, key) for key, part in value.items()}
    if isinstance(value, list):
        return [_changed(part, names, change) for part in value]
    return change(value) if name in names and isinstance(value, str) else value


def rename_in_packed(store: Store, called: Mapping[str, str]) -> None:
    """Write other names where a change of many texts named people, and where a second pass keeps who chose gold before."""
    folded = {old.casefold(): new for old, new in called.items()}
    for row in store.rows("SELECT id, detail FROM bulk_actions WHERE json_array_length(detail, '$.people') > 0"):
        detail = json.loads(row["detail"])
        people = [folded.get(name.casefold(), name) for name in detail["people"]]
        if people != detail["people"]:
            written = json.dumps({**detail, "people": people}, ensure_ascii=False)
            store.run("UPDATE bulk_actions SET detail = ? WHERE id = ?", (written, row["id"]))
    store.run_many(
        """UPDATE evidence_copies SET former_choice = json_set(former_choice, '$.chosen_by', ?)
            WHERE former_choice ->> '$.chosen_by' = ?""",
        [(new, old) for old, new in called.items()],
    )


def forget_named(store: Store, person: Person) -> None:
    """Texts are not for somebody any more, and undoing a change never brings that back; those for nobody else are for all."""
    store.run("DELETE FROM named_people WHERE user_id = ?", (person.id,))
    store.run(
        """UPDATE instances SET named_as = NULL WHERE named_as IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM named_people WHERE instance_id = instances.id)"""
    )
    rows = store.rows(
        """SELECT action_id, instance_id, before, after FROM bulk_members
            WHERE EXISTS (SELECT 1 FROM json_each(before, '$.named') WHERE value = ?1)
                OR EXISTS (SELECT 1 FROM json_each(after, '$.named') WHERE value = ?1)""",
        (person.id,),
    )
    for row in rows:
        before, after = (json.dumps(_without(json.loads(row[name]), person.id)) for name in ("before", "after"))
        store.run(
            "UPDATE bulk_members SET before = ?, after = ? WHERE action_id = ? AND instance_id = ?",
            (before, after, row["action_id"], row["instance_id"]),
        )


def _without(facts: dict[str, Any], number: int | None) -> dict[str, Any]:
    """What was changed of an instance, as if a person had never been named."""
    if "named" not in facts:
        return facts
    named = [other for other in facts["named"] if other != number]
    return {**facts, "named": named, "named_as": facts["named_as"] if named else None}
