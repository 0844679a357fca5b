"""Suites of functional tests: their tests and cases, what models answered, and word lists."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotator.domain import suites
from annotator.domain.numbers import by_key
from annotator.language import _
from annotator.store.connection.database import Row, Store, of_columns

_AT_ONCE = 500  # of case numbers in one question


def add_suite(store: Store, project_id: int, name: str, *, created_by: str) -> int:
    """A new suite without tests; its number."""
    return store.add(
        "INSERT INTO suites (project_id, name, created_by, created_at) VALUES (?, ?, ?, ?)",
        (project_id, name, created_by, store.now()),
    )


def find_suite(store: Store, project_id: int, name: str) -> suites.StoredSuite | None:
    """The suite of a name."""
    row = store.row("SELECT * FROM suites WHERE project_id = ? AND name = ?", (project_id, name))
    return None if row is None else _suite(store, row)


def get_suite(store: Store, suite_id: int) -> suites.StoredSuite:
    """The suite of a number; raises NotFound."""
    row = store.get("SELECT * FROM suites WHERE id = ?", suite_id, _("suite"))
    return _suite(store, row)


def list_suites(store: Store, project_id: int) -> list[suites.StoredSuite]:
    """All suites of a project by name."""
    return [
        _suite(store, row)
        for row in store.rows("SELECT * FROM suites WHERE project_id = ? ORDER BY name", (project_id,))
    ]


def _suite(store: Store, row: Row) -> suites.StoredSuite:
    tests = store.rows("SELECT * FROM suite_tests WHERE suite_id = ? ORDER BY position", (row["id"],))
    return suites.StoredSuite(row["id"], row["project_id"], row["name"], tuple(_test(test) for test in tests))


def _test(row: Row) -> suites.StoredTest:
    return of_columns(suites.StoredTest, row, recipe=json.loads(row["recipe"]))


def add_test(
    store: Store, suite_id: int, cases: Sequence[suites.Case], recipe: Mapping[str, object], *, created_by: str
) -> int:
    """A test with its cases, which all name it, behind the others; its number."""
    first = cases[0]
    test_id = store.add(
        """INSERT INTO suite_tests (suite_id, position, name, type, category, recipe, n_cases, n_texts, created_by,
            created_at) SELECT ?1, coalesce(max(position) + 1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
            FROM suite_tests WHERE suite_id = ?1""",
        (
            suite_id, first.test, first.type, first.category, _json(dict(recipe)), len(cases),
            sum(len(case.texts) for case in cases), created_by, store.now(),
        ),
    )  # fmt: skip
    store.run_many(
        """INSERT INTO suite_cases (test_id, number, name, texts, expectation, labels, is_forbidden, tolerance, applies,
            edits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [_row(test_id, number, case) for number, case in enumerate(cases)],
    )
    return test_id


def _row(test_id: int, number: int, case: suites.Case) -> tuple[object, ...]:
    texts = [text if isinstance(text, str) else dict(text) for text in case.texts]
    applies = [case.applies.is_judged, case.applies.original_is, case.applies.original_is_not]
    return (
        test_id, number, case.case, _json(texts), case.expectation, _json(case.labels), case.is_forbidden,
        case.tolerance, _json(applies), _json(case.edits),
    )  # fmt: skip


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def has_test(store: Store, test_id: int) -> bool:
    """Whether a test is there still."""
    return store.holds("SELECT EXISTS (SELECT 1 FROM suite_tests WHERE id = ?)", (test_id,))


def cases_of_test(store: Store, test_id: int) -> list[suites.Case]:
    """All cases of a test in order."""
    return [_case(row) for row in store.rows(f"{_CASES} WHERE test_id = ? ORDER BY number", (test_id,))]


def cases_of_suite(store: Store, suite_id: int) -> Iterator[suites.Case]:
    """All cases of a suite, test by test."""
    sql = f"{_CASES} WHERE suite_id = ? ORDER BY position, number"
    return (_case(row) for row in store.iterate(sql, (suite_id,)))


def cases_without_texts(store: Store, suite_id: int) -> dict[int, list[suites.Case]]:
    """By test its cases in order, as many empty texts for the texts: what is asked, without what it is asked of."""
    sql = """SELECT test_id, suite_tests.name AS test_name, type, category, '' AS name, expectation, labels, is_forbidden,
        tolerance, applies, '[]' AS texts, json_array_length(texts) AS n_texts, 'null' AS edits FROM suite_cases
        JOIN suite_tests ON suite_tests.id = test_id WHERE suite_id = ? ORDER BY position, number"""
    known: dict[tuple[object, ...], suites.Case] = {}
    cases: dict[int, list[suites.Case]] = {}
    for row in store.iterate(sql, (suite_id,)):
        if (question := tuple(row)) not in known:
            known[question] = replace(_case(row), texts=("",) * row["n_texts"])
        cases.setdefault(row["test_id"], []).append(known[question])
    return cases


def cases_by_number(store: Store, test_id: int, numbers: Sequence[int]) -> list[suites.Case]:
    """Some cases of a test, in their order there."""
    cases: list[suites.Case] = []
    for first in range(0, len(numbers), _AT_ONCE):
        wanted = json.dumps(list(numbers[first : first + _AT_ONCE]))
        sql = f"{_CASES} WHERE test_id = ? AND number IN (SELECT value FROM json_each(?)) ORDER BY number"
        cases += [_case(row) for row in store.rows(sql, (test_id, wanted))]
    return cases


_CASES = """SELECT suite_cases.*, suite_tests.name AS test_name, type, category FROM suite_cases
    JOIN suite_tests ON suite_tests.id = test_id"""


def _case(row: Row) -> suites.Case:
    is_judged, original_is, original_is_not = json.loads(row["applies"])
    texts: list[suites.Text] = json.loads(row["texts"])
    edits: Any = json.loads(row["edits"])
    return suites.Case(
        row["test_name"], row["type"], row["category"], row["name"], tuple(texts), row["expectation"],
        tuple(json.loads(row["labels"])), bool(row["is_forbidden"]), row["tolerance"],
        suites.Applies(is_judged, tuple(original_is), tuple(original_is_not)), edits,
    )  # fmt: skip


def delete_test(store: Store, test_id: int) -> None:
    """Take a test out, with what models said of it."""
    for table in ("suite_verdicts", "suite_answers", "suite_cases"):
        store.run(f"DELETE FROM {table} WHERE test_id = ?", (test_id,))
    store.run("DELETE FROM suite_tests WHERE id = ?", (test_id,))


def delete_suite(store: Store, suite: suites.StoredSuite) -> None:
    """Take a suite out, with everything that is of it."""
    for test in suite.tests:
        delete_test(store, test.id)
    store.run("DELETE FROM suite_runs WHERE suite_id = ?", (suite.id,))
    store.run("DELETE FROM suites WHERE id = ?", (suite.id,))


# What models answer to the cases of suites, and which cases failed.


_CODES: dict[suites.Verdict, int] = {"passed": 0, "failed": 1, "not applicable": 2}
Answers = Sequence[suites.CaseAnswer]  # to the texts of a case, in order


def find_run(store: Store, suite_id: int, model: str, seed: str) -> suites.SuiteRun | None:
    """A model's run with a seed."""
    return next((run for run in list_runs(store, suite_id) if (run.model, run.seed) == (model, seed)), None)


def list_runs(store: Store, suite_id: int) -> list[suites.SuiteRun]:
    """The runs of a suite by model and seed."""
    rows = store.rows("SELECT * FROM suite_runs WHERE suite_id = ? ORDER BY model, seed, id", (suite_id,))
    tests = by_key(
        (row["run_id"], row["test_id"])
        for row in store.rows(
            "SELECT run_id, test_id FROM suite_verdicts JOIN suite_runs ON suite_runs.id = run_id WHERE suite_id = ?",
            (suite_id,),
        )
    )
    return [
        suites.SuiteRun(r["id"], r["suite_id"], r["model"], r["seed"], r["computed_by"], tuple(tests.get(r["id"], ())))
        for r in rows
    ]


def add_run(store: Store, suite_id: int, model: str, seed: str, *, computed_by: str | None, created_by: str) -> int:
    """A new run without answers; its number."""
    return store.add(
        """INSERT INTO suite_runs (suite_id, model, seed, computed_by, created_by, created_at)
            VALUES (?, ?, ?, ?, ?, ?)""",
        (suite_id, model, seed, computed_by, created_by, store.now()),
    )


def save_answers(
    store: Store, run_id: int, test_id: int, answers: Sequence[Answers], verdicts: Sequence[suites.Verdict]
) -> None:
    """A run's answers to all cases of a test in order, and what follows from them; in place of those that were there."""
    store.run("DELETE FROM suite_answers WHERE run_id = ? AND test_id = ?", (run_id, test_id))
    store.run_many(
        "INSERT INTO suite_answers (run_id, test_id, case_number, answers) VALUES (?, ?, ?, ?)",
        [(run_id, test_id, number, _packed(answer)) for number, answer in enumerate(answers)],
    )
    store.run(
        "INSERT OR REPLACE INTO suite_verdicts (run_id, test_id, verdicts) VALUES (?, ?, ?)",
        (run_id, test_id, bytes(_CODES[verdict] for verdict in verdicts)),
    )


def verdicts_of(store: Store, suite_id: int) -> dict[tuple[int, int], bytes]:
    """By run and test a byte for each case in order: 0 passed, 1 failed, 2 the test does not apply."""
    rows = store.rows(
        """SELECT run_id, test_id, verdicts FROM suite_verdicts JOIN suite_runs ON suite_runs.id = run_id
            WHERE suite_id = ?""",
        (suite_id,),
    )
    return {(row["run_id"], row["test_id"]): row["verdicts"] for row in rows}


def code_of(verdict: suites.Verdict) -> int:
    """The byte that stands for a verdict in `verdicts_of`."""
    return _CODES[verdict]


def answers_of(store: Store, run_id: int, test_id: int, numbers: Sequence[int] | None = None) -> dict[int, Answers]:
    """A run's answers to the cases of a test, or to some of them, by the number of the case."""
    some = "" if numbers is None else "AND case_number IN (SELECT value FROM json_each(?))"
    wanted = () if numbers is None else (json.dumps(list(numbers)),)
    rows = store.rows(
        f"SELECT case_number, answers FROM suite_answers WHERE run_id = ? AND test_id = ? {some}",
        (run_id, test_id, *wanted),
    )
    return {row["case_number"]: _unpacked(row["answers"]) for row in rows}


def delete_run(store: Store, run_id: int) -> None:
    """Take a run out."""
    for table in ("suite_verdicts", "suite_answers"):
        store.run(f"DELETE FROM {table} WHERE run_id = ?", (run_id,))
    store.run("DELETE FROM suite_runs WHERE id = ?", (run_id,))


def has_computed(store: Store, project_id: int, model: str) -> bool:
    """Whether a model was asked about some suite of a project."""
    return store.holds(
        """SELECT EXISTS (SELECT 1 FROM suite_runs JOIN suites ON suites.id = suite_id
                WHERE project_id = ? AND computed_by = ?)""",
        (project_id, model),
    )


def forget_computed(store: Store, project_id: int, model: str) -> None:
    """Take out the runs that were computed with a model."""
    rows = store.rows(
        "SELECT suite_runs.id FROM suite_runs JOIN suites ON suites.id = suite_id WHERE project_id = ? AND computed_by = ?",
        (project_id, model),
    )
    for row in rows:
        delete_run(store, row["id"])


def _packed(answers: Answers) -> str:
    return json.dumps([[a.label, None if a.probabilities is None else dict(a.probabilities)] for a in answers])


def _unpacked(text: str) -> Answers:
    read: list[tuple[str, Mapping[str, float] | None]] = json.loads(text)
    return [suites.CaseAnswer(label, probabilities) for label, probabilities in read]


# Word lists of a project.


def save_word_list(store: Store, project_id: int, words: suites.WordList, *, created_by: str) -> bool:
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


def find_word_list(store: Store, project_id: int, name: str) -> suites.WordList | None:
    """The list of a name."""
    row = store.row("SELECT * FROM word_lists WHERE project_id = ? AND name = ?", (project_id, name))
    return None if row is None else _word_list(row)


def list_word_lists(store: Store, project_id: int) -> list[suites.WordList]:
    """All lists of a project by name."""
    rows = store.rows("SELECT * FROM word_lists WHERE project_id = ? ORDER BY name", (project_id,))
    return [_word_list(row) for row in rows]


def delete_word_list(store: Store, project_id: int, name: str) -> None:
    """Take a list out."""
    store.run("DELETE FROM word_lists WHERE project_id = ? AND name = ?", (project_id, name))


def _word_list(row: Row) -> suites.WordList:
    return suites.WordList(row["name"], row["language"], row["role"], tuple(json.loads(row["words"])))
