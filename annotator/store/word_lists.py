"""Word lists of a project."""

import json

from annotator.domain.suites import WordList
from annotator.store.connection.database import Row, Store


def save_word_list(store: Store, project_id: int, words: WordList, *, created_by: str) -> bool:
    """Write a list, in place of the one of its name; whether there was one."""
    before = store.value("SELECT id FROM word_lists WHERE project_id = ? AND name = ?", (project_id, words.name))
    store.run(
        """INSERT INTO word_lists (project_id, name, language, role, words, created_by, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, name) DO UPDATE SET
            language = excluded.language, role = excluded.role, words = excluded.words""",
        (
            project_id, words.name, words.language, words.role, json.dumps(words.words, ensure_ascii=False), created_by,
            store.now(),
        ),
    )  # fmt: skip
    return before is not None


def find_word_list(store: Store, project_id: int, name: str) -> WordList | None:
    """The list of a name."""
    row = store.row("SELECT * FROM word_lists WHERE project_id = ? AND name = ?", (project_id, name))
    return None if row is None else _word_list(row)


def list_word_lists(store: Store, project_id: int) -> list[WordList]:
    """All lists of a project by name."""
    rows = store.rows("SELECT * FROM word_lists WHERE project_id = ? ORDER BY name", (project_id,))
    return [_word_list(row) for row in rows]


def delete_word_list(store: Store, project_id: int, name: str) -> None:
    """Take a list out."""
    store.run("DELETE FROM word_lists WHERE project_id = ? AND name = ?", (project_id, name))


def _word_list(row: Row) -> WordList:
    return WordList(row["name"], row["language"], row["role"], tuple(json.loads(row["words"])))
