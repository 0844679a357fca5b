"""What the database holds of somebody, as rows to take along: their own, with the keys of texts and nothing of others."""

import json
from dataclasses import dataclass
from typing import Any

from annotator.store.connection.database import Store
from annotator.store.persons.columns import WORDS
from annotator.store.persons.person_values import Person, count_words, packed_words_of

_THEIRS = "(user_id = ?1 OR annotator IN (SELECT value FROM json_each(?2)))"
_NAMED = "IN (SELECT value FROM json_each(?2))"
_TEXT = "p.name AS project, i.key, i.split"
_WITH_TEXT = "JOIN instances AS i ON i.id = {instance} JOIN projects AS p ON p.id = i.project_id"
_JSON = frozenset({"sets", "texts", "scores", "answer", "measures", "faults"})

_SETS = """(SELECT json_group_array(json(spans)) FROM
    (SELECT spans FROM rationale_sets WHERE annotation_id = a.id ORDER BY position)) AS sets"""
_SCORES = """(SELECT json_group_array(json_object('set', position, 'sufficiency', sufficiency, 'compactness', compactness,
    'comment', comment)) FROM (SELECT * FROM scores WHERE review_id = r.id ORDER BY position)) AS scores"""

# The name of a file, the tables that it is of, and the question.
FILES: dict[str, tuple[frozenset[str], str]] = {
    "account": (
        frozenset({"users", "mail_addresses"}),
        """SELECT name, is_administrator, is_disabled, users.created_at, language, address AS mail_address,
                confirmed_at AS mail_confirmed_at
            FROM users LEFT JOIN mail_addresses ON user_id = id WHERE id = ?1""",
    ),
    "notices": (
        frozenset({"notices"}),
        """SELECT p.name AS project, i.key, i.split, n.kind, n.detail, n.created_at, read_at FROM notices AS n
            JOIN projects AS p ON p.id = n.project_id LEFT JOIN instances AS i ON i.id = n.instance_id
            WHERE n.user_id = ?1 ORDER BY n.id""",
    ),
    "mails": (
        frozenset({"messages"}),
        "SELECT purpose, state, problem, created_at, changed_at FROM messages WHERE user_id = ?1 ORDER BY id",
    ),
    "crowd_visit": (
        frozenset({"crowd_workers"}),
        """SELECT p.name AS project, code, w.state, began_at, ends_at, ended_at, paid_at, is_stopped,
                platform_hash IS NOT NULL AS is_known_by_platform
            FROM crowd_workers AS w JOIN crowd_doors AS d ON d.id = door_id JOIN projects AS p ON p.id = d.project_id
            WHERE user_id = ?1""",
    ),
    "roles": (
        frozenset({"memberships"}),
        """SELECT p.name AS project, role FROM memberships JOIN projects AS p ON p.id = project_id WHERE user_id = ?1
            ORDER BY 1, 2""",
    ),
    "sessions": (
        frozenset({"sessions"}),
        "SELECT created_at, expires_at FROM sessions WHERE user_id = ?1 ORDER BY created_at",
    ),
    "single_sign_on": (
        frozenset({"identities"}),
        "SELECT issuer, subject, created_at FROM identities WHERE user_id = ?1 ORDER BY 1, 2",
    ),
    "access_tokens": (
        frozenset({"api_tokens"}),
        """SELECT p.name AS project, note, api_tokens.created_at, expires_at, last_used_at, revoked_at FROM api_tokens
            JOIN projects AS p ON p.id = project_id WHERE user_id = ?1 ORDER BY api_tokens.id""",
    ),
    "annotations": (
        frozenset({"annotations", "rationale_sets"}),
        f"""SELECT {_TEXT}, a.round, a.state, a.result, {_SETS}, a.note, a.created_at, a.guidelines FROM annotations AS a
            {_WITH_TEXT.format(instance="a.instance_id")} WHERE {_THEIRS.replace("user_id", "a.user_id")} ORDER BY a.id""",
    ),
    "work": (
        frozenset({"assignments", "drafts"}),
        f"""SELECT {_TEXT}, w.round, w.state, w.created_at, first_view_at, first_action_at, submitted_at, active_ms, idle_ms,
                edits, drafts.result, drafts.sets, drafts.note, drafts.saved_at FROM assignments AS w
            LEFT JOIN drafts ON assignment_id = w.id {_WITH_TEXT.format(instance="w.instance_id")}
            WHERE w.user_id = ?1 ORDER BY w.id""",
    ),
    "texts_for_me": (
        frozenset({"named_people"}),
        f"""SELECT {_TEXT}, i.named_as AS way FROM named_people AS n {_WITH_TEXT.format(instance="n.instance_id")}
            WHERE n.user_id = ?1 ORDER BY n.instance_id""",
    ),
    "training": (
        frozenset({"qualification_attempts", "qualification_grants"}),
        """SELECT p.name AS project, audience, kind, state, begun_at, ended_at FROM (
                SELECT project_id, audience, 'try ' || number AS kind, state, begun_at, ended_at FROM qualification_attempts
                    WHERE user_id = ?1
                UNION ALL SELECT project_id, audience, kind, '', granted_at, NULL FROM qualification_grants WHERE user_id = ?1
            ) JOIN projects AS p ON p.id = project_id ORDER BY begun_at""",
    ),
    # A blind check that is still before somebody is not told from their work: it would be none any more.
    "training_answers": (
        frozenset({"exercises"}),
        f"""SELECT {_TEXT}, iif(attempt_id IS NULL, 'blind check', 'training') AS kind, e.state, answer, measures,
                e.created_at, answered_at, active_ms
            FROM exercises AS e {_WITH_TEXT.format(instance="e.instance_id")}
            WHERE e.user_id = ?1 AND (attempt_id IS NOT NULL OR e.state <> 'open') ORDER BY e.id""",
    ),
    "reviews": (
        frozenset({"reviews", "scores"}),
        f"""SELECT {_TEXT}, a.round, r.state, comprehensiveness, {_SCORES}, r.comment, r.created_at, r.submitted_at, r.active_ms,
                r.idle_ms FROM reviews AS r JOIN annotations AS a ON a.id = annotation_id
            {_WITH_TEXT.format(instance="a.instance_id")} WHERE r.user_id = ?1 ORDER BY r.id""",
    ),
    "proposals": (
        frozenset({"proposals"}),
        f"""SELECT {_TEXT}, kind, reason, comment, o.state, o.created_at, decided_at FROM proposals AS o
            {_WITH_TEXT.format(instance="o.instance_id")} WHERE proposed_by {_NAMED} ORDER BY o.id""",
    ),
    "decisions": (
        frozenset({"rounds", "gold_choices", "evidence_copies"}),
        f"""SELECT {_TEXT}, 'round ' || number || ': ' || outcome AS decision, reason, decided_at AS at FROM rounds
                {_WITH_TEXT.format(instance="instance_id")} WHERE decided_by {_NAMED}
            UNION ALL SELECT {_TEXT}, 'gold', reason, chosen_at FROM gold_choices
                {_WITH_TEXT.format(instance="instance_id")} WHERE chosen_by {_NAMED}
            UNION ALL SELECT {_TEXT}, 'gold, before a second pass', former_choice ->> '$.reason', former_choice ->> '$.chosen_at'
                FROM evidence_copies {_WITH_TEXT.format(instance="original_id")}
                WHERE former_choice ->> '$.chosen_by' {_NAMED}""",
    ),
    "messages": (
        frozenset({"comments", "threads"}),
        f"""SELECT {_TEXT}, spoken_as, text, c.created_at FROM (SELECT comments.*, instance_id FROM comments
                JOIN threads ON threads.id = thread_id) AS c {_WITH_TEXT.format(instance="instance_id")}
            WHERE c.user_id = ?1 OR c.author {_NAMED} ORDER BY c.id""",
    ),
    "changed_versions": (
        frozenset({"perturbations", "perturbation_versions"}),
        f"""SELECT {_TEXT}, v.perturbation_id AS changed_version, v.number, v.kind, v.texts, v.result, v.note, v.reason, v.made_at
            FROM perturbation_versions AS v JOIN perturbations AS c ON c.id = v.perturbation_id
            {_WITH_TEXT.format(instance="c.original_id")} WHERE v.made_by = ?1 ORDER BY v.perturbation_id, v.number""",
    ),
    "begun_versions": (
        frozenset({"perturbation_drafts"}),
        f"""SELECT {_TEXT}, kind, texts, d.result, note, saved_at FROM perturbation_drafts AS d
            {_WITH_TEXT.format(instance="d.original_id")} WHERE d.user_id = ?1""",
    ),
    "checks": (
        frozenset({"perturbation_checks"}),
        f"""SELECT {_TEXT}, k.perturbation_id AS changed_version, k.version, verdict, reason, at FROM perturbation_checks AS k
            JOIN perturbations AS c ON c.id = k.perturbation_id {_WITH_TEXT.format(instance="c.original_id")}
            WHERE checker = ?1 ORDER BY at""",
    ),
    "audits": (
        frozenset({"audit_items"}),
        f"""SELECT {_TEXT}, a.version, a.kind, is_right, faults, comment, judged_at FROM audit_items AS a
            {_WITH_TEXT.format(instance="a.instance_id")} WHERE auditor = ?1 ORDER BY judged_at""",
    ),
    "changes_of_many_texts": (
        frozenset({"bulk_actions"}),
        f"""SELECT p.name AS project, kind, detail ->> '$.reason' AS reason, detail ->> '$.comment' AS comment, n_instances,
                made_at, iif(undone_by {_NAMED}, undone_at, NULL) AS undone_at
            FROM bulk_actions AS b JOIN projects AS p ON p.id = project_id
            WHERE user_id = ?1 OR made_by {_NAMED} ORDER BY b.id""",
    ),
    "lists_and_views": (
        frozenset({"saved_lists", "saved_views"}),
        f"""SELECT p.name AS project, 'list' AS kind, s.name, note, s.created_at, changed_at FROM saved_lists AS s
                JOIN projects AS p ON p.id = project_id WHERE user_id = ?1 OR made_by {_NAMED}
            UNION ALL SELECT p.name, 'view', s.name, '', s.created_at, changed_at FROM saved_views AS s
                JOIN projects AS p ON p.id = project_id WHERE user_id = ?1 OR made_by {_NAMED}""",
    ),
    "made_for_projects": (
        frozenset(
            {
                "guidelines_versions",
                "releases",
                "suites",
                "suite_tests",
                "suite_runs",
                "word_lists",
                "jobs",
                "audits",
                "crowd_doors",
                "evidence_passes",
                "qualification_grants",
                "qualification_items",
                "qualification_rules",
            }
        ),
        f"""SELECT p.name AS project, kind, what, at FROM (
                SELECT project_id, 'guidelines' AS kind, 'version ' || number AS what, made_at AS at FROM guidelines_versions
                    WHERE made_by {_NAMED}
                UNION ALL SELECT project_id, 'release', name, created_at FROM releases WHERE made_by {_NAMED}
                UNION ALL SELECT project_id, 'suite', name, created_at FROM suites WHERE created_by {_NAMED}
                UNION ALL SELECT project_id, 'test', suite_tests.name, suite_tests.created_at FROM suite_tests
                    JOIN suites ON suites.id = suite_id WHERE suite_tests.created_by {_NAMED}
                UNION ALL SELECT project_id, 'run of a suite', model, suite_runs.created_at FROM suite_runs
                    JOIN suites ON suites.id = suite_id WHERE suite_runs.created_by {_NAMED}
                UNION ALL SELECT project_id, 'word list', name, created_at FROM word_lists WHERE created_by {_NAMED}
                UNION ALL SELECT project_id, kind, title, asked_at FROM jobs WHERE asked_by = ?1
                UNION ALL SELECT project_id, 'audit', '', made_at FROM audits WHERE made_by {_NAMED}
                UNION ALL SELECT project_id, 'crowd door', name, created_at FROM crowd_doors WHERE created_by {_NAMED}
                UNION ALL SELECT source_id, 'second pass', '', made_at FROM evidence_passes WHERE made_by {_NAMED}
                UNION ALL SELECT project_id, 'after training', kind, granted_at FROM qualification_grants
                    WHERE granted_by {_NAMED}
                UNION ALL SELECT q.project_id, 'text with known gold', key, added_at FROM qualification_items AS q
                    JOIN instances ON instances.id = instance_id WHERE added_by {_NAMED}
                UNION ALL SELECT project_id, 'rules of training', audience || ', version ' || number, made_at
                    FROM qualification_rules WHERE made_by {_NAMED}
            ) JOIN projects AS p ON p.id = project_id ORDER BY at""",
    ),
    "read": (
        frozenset({"guidelines_read", "sets_shown"}),
        f"""SELECT p.name AS project, NULL AS key, NULL AS split, 'guidelines, version ' || number AS what, read_at AS at
                FROM guidelines_read JOIN projects AS p ON p.id = project_id WHERE user_id = ?1
            UNION ALL SELECT {_TEXT}, 'sets of others', s.at FROM sets_shown AS s
                {_WITH_TEXT.format(instance="s.instance_id")} WHERE s.user_id = ?1""",
    ),
    "events": (
        frozenset({"events"}),
        f"""SELECT at, action, p.name AS project, i.key, i.split, detail ->> '$.reason' AS reason FROM events
            LEFT JOIN projects AS p ON p.id = events.project_id
                LEFT JOIN instances AS i ON subject = 'instance' AND i.id = subject_id
            WHERE actor {_NAMED} ORDER BY events.id""",
    ),
}


def rows_of(store: Store, person: Person) -> dict[str, list[dict[str, Any]]]:
    """What there is of somebody, by the name of its file."""
    return {
        name: [
            _row(dict(row))
            for row in store.rows(f"SELECT * FROM ({sql}) WHERE ?1 IS ?1 AND ?2 IS ?2", person.parameters)
        ]
        for name, (_, sql) in FILES.items()
    }


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: json.loads(value) if name in _JSON and value is not None else value for name, value in row.items()}


# What goes with somebody's account, and what is counted before it does.


_WITH_THE_ACCOUNT = (
    "sessions", "sign_in_links", "memberships", "queue_cursors", "perturbation_drafts", "notices", "messages",
    "mail_addresses", "identities",
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
    reviews_of_theirs: int


def held_of(store: Store, person: Person) -> Held:
    """Count what there is of somebody."""

    def n(sql: str) -> int:
        return store.number(f"SELECT count(*) FROM {sql} AND ?1 IS ?1 AND ?2 IS ?2", person.parameters)

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
        reviews_of_theirs=n(
            f"reviews WHERE state = 'submitted' AND annotation_id IN (SELECT id FROM {of_annotations})"
        ),
    )


def titles_of_running_jobs(store: Store, person: Person) -> list[str]:
    """The long work that somebody asked for and that runs now."""
    return store.column("SELECT title FROM jobs WHERE asked_by = ? AND state = 'running' ORDER BY id", (person.id,))


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
    return store.column(
        """SELECT name FROM projects WHERE EXISTS (SELECT 1 FROM memberships AS m WHERE m.project_id = projects.id
                AND m.user_id = ?1 AND m.role = 'lead')
            AND NOT EXISTS (SELECT 1 FROM memberships AS m JOIN users ON users.id = m.user_id WHERE m.project_id = projects.id
                AND m.user_id <> ?1 AND m.role = 'lead' AND users.is_disabled = 0) ORDER BY name""",
        (person.id,),
    )


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
