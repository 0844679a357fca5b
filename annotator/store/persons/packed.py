"""A person in JSON of one kind of row: words in answers, choices and changes of many texts, the people whom a change named."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from annotator.store.connection.database import Row, Store
from annotator.store.persons.columns import PACKED_WORDS, PackedWords
from annotator.store.persons.identity import Person


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
