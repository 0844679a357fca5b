"""A person in JSON: the record of events, what files told of annotators, and addresses that name one."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from annotator.domain.sources import ANNOTATIONS, ANNOTATOR
from annotator.store.connection.database import Store
from annotator.store.persons.identity import Person

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
