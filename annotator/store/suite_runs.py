"""What models answer to the cases of suites, and which cases failed."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from annotator.domain.suites import CaseAnswer, SuiteRun, Verdict
from annotator.store.connection.database import Store

_CODES: dict[Verdict, int] = {"passed": 0, "failed": 1, "not applicable": 2}
Answers = Sequence[CaseAnswer]  # to the texts of a case, in order


def find_run(store: Store, suite_id: int, model: str, seed: str) -> SuiteRun | None:
    """A model's run with a seed."""
    return next((run for run in list_runs(store, suite_id) if (run.model, run.seed) == (model, seed)), None)


def list_runs(store: Store, suite_id: int) -> list[SuiteRun]:
    """The runs of a suite by model and seed."""
    rows = store.rows("SELECT * FROM suite_runs WHERE suite_id = ? ORDER BY model, seed, id", (suite_id,))
    tests: dict[int, list[int]] = {}
    for row in store.rows(
        "SELECT run_id, test_id FROM suite_verdicts JOIN suite_runs ON suite_runs.id = run_id WHERE suite_id = ?",
        (suite_id,),
    ):
        tests.setdefault(row["run_id"], []).append(row["test_id"])
    return [
        SuiteRun(r["id"], r["suite_id"], r["model"], r["seed"], r["computed_by"], tuple(tests.get(r["id"], ())))
        for r in rows
    ]


def add_run(store: Store, suite_id: int, model: str, seed: str, *, computed_by: str | None, created_by: str) -> int:
    """A new run without answers; its number."""
    cursor = store.run(
        """INSERT INTO suite_runs (suite_id, model, seed, computed_by, created_by, created_at)
            VALUES (?, ?, ?, ?, ?, ?)""",
        (suite_id, model, seed, computed_by, created_by, store.now()),
    )
    return cast("int", cursor.lastrowid)


def save_answers(
    store: Store, run_id: int, test_id: int, answers: Sequence[Answers], verdicts: Sequence[Verdict]
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


def code_of(verdict: Verdict) -> int:
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
    return bool(
        store.value(
            """SELECT EXISTS (SELECT 1 FROM suite_runs JOIN suites ON suites.id = suite_id
                WHERE project_id = ? AND computed_by = ?)""",
            (project_id, model),
        )
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
    return [CaseAnswer(label, probabilities) for label, probabilities in read]
