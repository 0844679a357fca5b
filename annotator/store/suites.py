"""Suites of functional tests: their tests and cases."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from annotator.domain.suites import Applies, Case, StoredSuite, StoredTest, Text
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.connection.database import Row, Store

_AT_ONCE = 500  # of case numbers in one question


def add_suite(store: Store, project_id: int, name: str, *, created_by: str) -> int:
    """A new suite without tests; its number."""
    cursor = store.run(
        "INSERT INTO suites (project_id, name, created_by, created_at) VALUES (?, ?, ?, ?)",
        (project_id, name, created_by, store.now()),
    )
    return cast("int", cursor.lastrowid)


def find_suite(store: Store, project_id: int, name: str) -> StoredSuite | None:
    """The suite of a name."""
    row = store.row("SELECT * FROM suites WHERE project_id = ? AND name = ?", (project_id, name))
    return None if row is None else _suite(store, row)


def get_suite(store: Store, suite_id: int) -> StoredSuite:
    """The suite of a number; raises NotFound."""
    row = store.row("SELECT * FROM suites WHERE id = ?", (suite_id,))
    if row is None:
        raise NotFound(
            _("There is no suite number {suite_id}. It may have been taken out; reload the page.", suite_id=suite_id)
        )
    return _suite(store, row)


def list_suites(store: Store, project_id: int) -> list[StoredSuite]:
    """All suites of a project by name."""
    return [
        _suite(store, row)
        for row in store.rows("SELECT * FROM suites WHERE project_id = ? ORDER BY name", (project_id,))
    ]


def _suite(store: Store, row: Row) -> StoredSuite:
    tests = store.rows("SELECT * FROM suite_tests WHERE suite_id = ? ORDER BY position", (row["id"],))
    return StoredSuite(row["id"], row["project_id"], row["name"], tuple(_test(test) for test in tests))


def _test(row: Row) -> StoredTest:
    return StoredTest(
        row["id"], row["suite_id"], row["name"], row["type"], row["category"], row["n_cases"], row["n_texts"],
        json.loads(row["recipe"]), row["created_by"], row["created_at"],
    )  # fmt: skip


def add_test(
    store: Store, suite_id: int, cases: Sequence[Case], recipe: Mapping[str, object], *, created_by: str
) -> int:
    """A test with its cases, which all name it, behind the others; its number."""
    first = cases[0]
    cursor = store.run(
        """INSERT INTO suite_tests (suite_id, position, name, type, category, recipe, n_cases, n_texts, created_by,
            created_at) SELECT ?1, coalesce(max(position) + 1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
            FROM suite_tests WHERE suite_id = ?1""",
        (
            suite_id, first.test, first.type, first.category, _json(dict(recipe)), len(cases),
            sum(len(case.texts) for case in cases), created_by, store.now(),
        ),
    )  # fmt: skip
    test_id = cast("int", cursor.lastrowid)
    store.run_many(
        """INSERT INTO suite_cases (test_id, number, name, texts, expectation, labels, is_forbidden, tolerance, applies,
            edits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [_row(test_id, number, case) for number, case in enumerate(cases)],
    )
    return test_id


def _row(test_id: int, number: int, case: Case) -> tuple[object, ...]:
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
    return bool(store.value("SELECT EXISTS (SELECT 1 FROM suite_tests WHERE id = ?)", (test_id,)))


def cases_of_test(store: Store, test_id: int) -> list[Case]:
    """All cases of a test in order."""
    return [_case(row) for row in store.rows(f"{_CASES} WHERE test_id = ? ORDER BY number", (test_id,))]


def cases_of_suite(store: Store, suite_id: int) -> Iterator[Case]:
    """All cases of a suite, test by test."""
    sql = f"{_CASES} WHERE suite_id = ? ORDER BY position, number"
    return (_case(row) for row in store.iterate(sql, (suite_id,)))


def cases_without_texts(store: Store, suite_id: int) -> dict[int, list[Case]]:
    """By test its cases in order, as many empty texts for the texts: what is asked, without what it is asked of."""
    sql = """SELECT test_id, suite_tests.name AS test_name, type, category, '' AS name, expectation, labels, is_forbidden,
        tolerance, applies, '[]' AS texts, json_array_length(texts) AS n_texts, 'null' AS edits FROM suite_cases
        JOIN suite_tests ON suite_tests.id = test_id WHERE suite_id = ? ORDER BY position, number"""
    known: dict[tuple[object, ...], Case] = {}
    cases: dict[int, list[Case]] = {}
    for row in store.iterate(sql, (suite_id,)):
        if (question := tuple(row)) not in known:
            known[question] = replace(_case(row), texts=("",) * row["n_texts"])
        cases.setdefault(row["test_id"], []).append(known[question])
    return cases


def cases_by_number(store: Store, test_id: int, numbers: Sequence[int]) -> list[Case]:
    """Some cases of a test, in their order there."""
    cases: list[Case] = []
    for first in range(0, len(numbers), _AT_ONCE):
        wanted = json.dumps(list(numbers[first : first + _AT_ONCE]))
        sql = f"{_CASES} WHERE test_id = ? AND number IN (SELECT value FROM json_each(?)) ORDER BY number"
        cases += [_case(row) for row in store.rows(sql, (test_id, wanted))]
    return cases


_CASES = """SELECT suite_cases.*, suite_tests.name AS test_name, type, category FROM suite_cases
    JOIN suite_tests ON suite_tests.id = test_id"""


def _case(row: Row) -> Case:
    is_judged, original_is, original_is_not = json.loads(row["applies"])
    texts: list[Text] = json.loads(row["texts"])
    edits: Any = json.loads(row["edits"])
    return Case(
        row["test_name"], row["type"], row["category"], row["name"], tuple(texts), row["expectation"],
        tuple(json.loads(row["labels"])), bool(row["is_forbidden"]), row["tolerance"],
        Applies(is_judged, tuple(original_is), tuple(original_is_not)), edits,
    )  # fmt: skip


def delete_test(store: Store, test_id: int) -> None:
    """Take a test out, with what models said of it."""
    for table in ("suite_verdicts", "suite_answers", "suite_cases"):
        store.run(f"DELETE FROM {table} WHERE test_id = ?", (test_id,))
    store.run("DELETE FROM suite_tests WHERE id = ?", (test_id,))


def delete_suite(store: Store, suite: StoredSuite) -> None:
    """Take a suite out, with everything that is of it."""
    for test in suite.tests:
        delete_test(store, test.id)
    store.run("DELETE FROM suite_runs WHERE suite_id = ?", (suite.id,))
    store.run("DELETE FROM suites WHERE id = ?", (suite.id,))
