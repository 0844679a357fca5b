"""What goes with somebody's account, and what is counted before it does."""

from dataclasses import dataclass

from annotator.store.connection.database import Store
from annotator.store.persons.columns import WORDS
from annotator.store.persons.identity import Person, count_words
from annotator.store.persons.packed import packed_words_of

_WITH_THE_ACCOUNT = (
    "sessions", "sign_in_links", "memberships", "queue_cursors", "perturbation_drafts", "notices", "messages",
    "mail_addresses",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Held:
    """How much the database holds of somebody, by what it is."""

    annotations: int
    sets: int
    reviews: int
    versions: int
    checks: int
    words: int
    events: int
    answers: int
    verdicts: int


def held_of(store: Store, person: Person) -> Held:
    """Count what there is of somebody."""

    def n(sql: str) -> int:
        return int(store.value(f"SELECT count(*) FROM {sql} AND ?1 IS ?1 AND ?2 IS ?2", person.parameters))

    of_annotations = "annotations WHERE (user_id = ?1 OR annotator IN (SELECT value FROM json_each(?2)))"
    return Held(
        annotations=n(of_annotations),
        sets=n(f"rationale_sets WHERE annotation_id IN (SELECT id FROM {of_annotations})"),
        reviews=n("reviews WHERE user_id = ?1 AND state = 'submitted'"),
        versions=n("perturbations WHERE author = ?1"),
        checks=n("perturbation_checks WHERE checker = ?1"),
        words=count_words(store, person) + len(packed_words_of(store, person)),
        events=n("events WHERE actor IN (SELECT value FROM json_each(?2))"),
        answers=n("exercises WHERE user_id = ?1 AND state IN ('answered', 'done')"),
        verdicts=n("audit_items WHERE auditor = ?1"),
    )


def titles_of_running_jobs(store: Store, person: Person) -> list[str]:
    """The long work that somebody asked for and that runs now."""
    rows = store.rows("SELECT title FROM jobs WHERE asked_by = ? AND state = 'running' ORDER BY id", (person.id,))
    return [row["title"] for row in rows]


def stop_jobs(store: Store, person: Person, *, also_running: bool = False) -> None:
    """What somebody asked for and that has not begun is not begun any more.

    also_running: what was running in a backup, where no process does it
    """
    store.run(
        """UPDATE jobs SET state = 'stopped', ended_at = ?1, worker = NULL, beat_at = NULL
            WHERE asked_by = ?2 AND (state = 'waiting' OR (?3 AND state = 'running'))""",
        (store.now(), person.id, also_running),
    )


def only_lead_of(store: Store, person: Person) -> list[str]:
    """The projects that nobody else leads who can sign in."""
    rows = store.rows(
        """SELECT name FROM projects WHERE EXISTS (SELECT 1 FROM memberships AS m WHERE m.project_id = projects.id
                AND m.user_id = ?1 AND m.role = 'lead')
            AND NOT EXISTS (SELECT 1 FROM memberships AS m JOIN users ON users.id = m.user_id WHERE m.project_id = projects.id
                AND m.user_id <> ?1 AND m.role = 'lead' AND users.is_disabled = 0) ORDER BY name""",
        (person.id,),
    )
    return [row["name"] for row in rows]


def close_account(store: Store, person: Person, name: str) -> None:
    """Nobody signs in with it any more: another name, no password, no session, link, role or token that works."""
    for table in _WITH_THE_ACCOUNT:
        store.run(f"DELETE FROM {table} WHERE user_id = ?", (person.id,))
    store.run("UPDATE api_tokens SET revoked_at = coalesce(revoked_at, ?) WHERE user_id = ?", (store.now(), person.id))
    store.run(
        """UPDATE users SET name = ?, password_hash = NULL, is_administrator = 0, is_disabled = 1, language = NULL
            WHERE id = ?""",
        (name, person.id),
    )
    # Neither their platform nor their browser leads to them any more; by their code they can still be paid.
    store.run(
        "UPDATE crowd_workers SET platform_hash = NULL, visit_hash = randomblob(32) WHERE user_id = ?", (person.id,)
    )


def let_go_of_audits(store: Store, person: Person) -> None:
    """The versions of an audit that somebody has before them go to others."""
    store.run("UPDATE audit_items SET held_by = NULL, held_until = NULL WHERE held_by = ?", (person.id,))


def count_mentions_by_others(store: Store, person: Person) -> int:
    """In how many texts, and notes and messages of others, the name stands as a word, whoever is meant by it."""
    columns = [(w.table, w.column, f"NOT coalesce({w.whose}, 0)") for w in WORDS]
    columns += [("documents", "text", "TRUE"), ("guidelines_versions", "text", "TRUE")]
    n = 0
    for table, column, where in columns:
        rows = store.iterate(
            f"SELECT {column} FROM {table} WHERE instr(casefold({column}), ?3) AND {where} AND ?1 IS ?1 AND ?2 IS ?2",
            (*person.parameters, person.name.casefold()),
        )
        n += sum(_has_word(row[0].casefold(), person.name.casefold()) for row in rows)
    return n


def _has_word(text: str, word: str) -> bool:
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(word, start + 1)
    return False
