"""The lead's page on a project of 100,000 instances, all annotated and reviewed by three people: 300,000 reviews.

Target: the page opens within 1 s (median of 5, from the address to the first frame with the numbers). The two sections that
read the most, Rounds and Quality, are told as their use cases take. Against the same with 100 instances.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import cast

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.store.annotate.instance_queue import settle_project
from annotator.store.people import add_role, add_user, get_user
from annotator.usecases.access.accounts import sign_in_as
from annotator.usecases.databases import find_project
from annotator.usecases.lead.decisions import list_undecided_rounds, stuck_work
from annotator.usecases.lead.quality import quality_of
from annotator.usecases.project.projects import create_project
from annotator.usecases.review.reviews import next_review
from annotator.usecases.transfer.file_import import import_file
from benchmarks.chromium import browser_context
from benchmarks.measured import Measured, table
from benchmarks.progress import seconds_to_open
from benchmarks.served import served

_SMALL, _LARGE = 100, 100_000
_ROUNDS = 5
_REVIEWERS = 3


def main() -> list[Measured]:
    """The page in a browser, and the sections' use cases."""
    rows = []
    with tempfile.TemporaryDirectory() as name, browser_context() as context:
        seconds, times = {}, {}
        for n in (_SMALL, _LARGE):
            database = Path(name) / f"{n}.db"
            token = _fill(database, n)
            with served(database) as address:
                seconds[n] = seconds_to_open(context, address, token)[1]
            times[n] = _sections(database)
        rows.append(Measured(f"opening Project with {_LARGE:,} instances", seconds[_LARGE], "s", at_most=1.0))
        rows.append(Measured("the same", seconds[_LARGE], "s", seconds[_SMALL], f"with {_SMALL}"))
        rows += [
            Measured(
                f"{what} with {_LARGE:,} instances", times[_LARGE][what], "ms", times[_SMALL][what], f"with {_SMALL}"
            )
            for what in times[_LARGE]
        ]
    return rows


def _sections(database: Path) -> dict[str, float]:
    """Median milliseconds of what the heavier sections, and a reviewer's next, ask of the database."""
    with open_store(database) as store:
        project, reviewer = find_project(store, "bench"), get_user(store, "reviewer-1")
        asked: dict[str, Callable[[], object]] = {
            "Rounds": lambda: list_undecided_rounds(store, LOCAL_OPERATOR, project, 1),
            "what is stuck": lambda: stuck_work(store, LOCAL_OPERATOR, project),
            "Quality": lambda: quality_of(store, LOCAL_OPERATOR, project),
            "a reviewer's next": lambda: next_review(store, reviewer, project.id),
        }
        return {what: statistics.median(_time(ask) for _ in range(_ROUNDS)) for what, ask in asked.items()}


def _time(ask: Callable[[], object]) -> float:
    began = time.perf_counter()
    ask()
    return 1000 * (time.perf_counter() - began)


def _fill(database: Path, n: int) -> str:
    """A project whose instances are all annotated, and scored by three people but for the last hundredth; a lead's cookie."""
    source = database.with_suffix(".jsonl")
    with source.open("w", encoding="utf-8") as file:
        for number in range(n):
            text = f"The film number {number} was slow, but the music made the long evening worth every single penny of it."
            file.write(json.dumps({"id": f"i{number}", "text": text, "label": "positive"}) + "\n")
    with open_store(database, create=True) as store:
        project = create_project(store, LOCAL_OPERATOR, "bench", get_task("sentiment"), labels=["positive"])
        import_file(store, LOCAL_OPERATOR, project, "jsonl", source)
        with store.transaction():
            people = [
                add_user(store, name)
                for name in ("annotator", *(f"reviewer-{k}" for k in range(_REVIEWERS + 1)), "lead")
            ]
            for user, role in zip(people, ("annotator", *["reviewer"] * (_REVIEWERS + 1), "lead"), strict=True):
                add_role(store, project.id, user, role)  # type: ignore[arg-type]
            _annotate_and_review(store, n, [cast("int", user.id) for user in people])
            settle_project(store, project.id)
        return sign_in_as(store, "lead", is_demonstration=True)


def _annotate_and_review(store: Store, n: int, people: list[int]) -> None:
    """Written as rows: through the use cases it would take half an hour. Annotation i is of instance i."""
    draw, at, annotator = Random(n), store.now(), people[0]
    n_decided = n - max(1, n // 100)
    ids = range(1, n + 1)
    store.run_many(
        """INSERT INTO assignments (id, project_id, instance_id, user_id, state, lease_until, created_at, submitted_at, active_ms)
            VALUES (?1, 1, ?1, ?2, 'submitted', ?3, ?3, ?3, ?4)""",
        [(i, annotator, at, draw.randint(5_000, 90_000)) for i in ids],
    )
    store.run_many(
        """INSERT INTO annotations (id, instance_id, assignment_id, user_id, annotator, round, state, result, created_at)
            VALUES (?1, ?1, ?1, ?2, 'annotator', 1, ?3, 'positive', ?4)""",
        [(i, annotator, "accepted" if i <= n_decided else "submitted", at) for i in ids],
    )
    store.run_many(
        "INSERT INTO rationale_sets VALUES (?, ?, ?, NULL)", [(i, p, f"[[{p},{p + 3}]]") for i in ids for p in (0, 5)]
    )
    store.run_many(
        """INSERT INTO rounds (annotation_id, project_id, instance_id, number, opened_at, outcome, decided_at, decided_by)
            VALUES (?1, 1, ?1, 1, ?2, ?3, ?4, 'gate')""",
        [(i, at, "accepted" if i <= n_decided else None, at if i <= n_decided else None) for i in ids],
    )
    reviews = [
        (k + 1 + _REVIEWERS * (i - 1), i, people[k + 1], at, draw.choice((2, 3)))
        for i in range(1, n_decided + 1)
        for k in range(_REVIEWERS)
    ]
    store.run_many(
        """INSERT INTO reviews (id, project_id, annotation_id, user_id, state, lease_until, created_at, comprehensiveness)
            VALUES (?1, 1, ?2, ?3, 'submitted', ?4, ?4, ?5)""",
        reviews,
    )
    store.run_many(
        "INSERT INTO scores (review_id, position, sufficiency, compactness) VALUES (?, ?, ?, ?)",
        [(row[0], p, draw.choice((2, 3)), draw.choice((3, 4))) for row in reviews for p in (0, 1)],
    )


if __name__ == "__main__":
    print(table([("lead", row) for row in main()]))
