"""Progress on the Project page: 20,000 texts, each annotated by three of 100 people over 60 days, and scored by one of ten.

Target: the page opens within 1 s (median of 5, from the address to the first frame with the numbers), told beside the same with
60 texts and 3 people. What each of its views counts is told as the processor's time of its use case, when something has just
happened; after that the page keeps it.
"""

import datetime as dt
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, cast

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.store.annotate.instance_queue import settle_project
from annotator.store.connection.database import iso
from annotator.store.people import add_role, add_user
from annotator.usecases.access.accounts import sign_in_as
from annotator.usecases.databases import find_project
from annotator.usecases.gold import agreement_of
from annotator.usecases.lead.progress import flagged_work, payroll_of, work_days, work_progress, work_times
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.web.routes.access import COOKIE
from benchmarks.chromium import browser_context, open_until_shown
from benchmarks.measured import Measured, table
from benchmarks.served import served

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_LARGE, _SMALL = (20_000, 100), (60, 3)  # texts, people
_REVIEWERS, _DAYS, _EACH = 10, 60, 3
_ROUNDS = 5


def main() -> list[Measured]:
    """The page in a browser, and the use cases of its views."""
    with tempfile.TemporaryDirectory() as name, browser_context() as context:
        opened, times = {}, {}
        for n_texts, n_people in (_SMALL, _LARGE):
            database = Path(name) / f"{n_texts}.db"
            token = fill(database, n_texts, n_people)
            with served(database) as address:
                opened[n_texts] = seconds_to_open(context, address, token)
            times[n_texts] = _views(database)
    small, large = _SMALL[0], _LARGE[0]
    what, beside = f"{large:,} texts and {_LARGE[1]} people", f"{small} texts and {_SMALL[1]} people"
    rows = [
        Measured(f"opening Progress with {what}", opened[large][1], "s", at_most=1.0),
        Measured("the same", opened[large][1], "s", opened[small][1], beside),
        Measured("the same, before anything is kept", opened[large][0], "s", opened[small][0], beside),
    ]
    return rows + [
        Measured(f"{view}, processor", times[large][view], "ms", times[small][view], beside) for view in times[large]
    ]


def seconds_to_open(context: "BrowserContext", address: str, token: str) -> tuple[float, float]:
    """Seconds until the page shows its numbers: the first time, and the median of those after it."""
    context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
    taken = []
    for _ in range(_ROUNDS + 1):
        page = context.new_page()
        taken.append(open_until_shown(page, f"{address}/project?project=1").milliseconds / 1000)
        page.close()
    return taken[0], statistics.median(taken[1:])


def _views(database: Path) -> dict[str, float]:
    """Median milliseconds of the processor for what each view counts."""
    with open_store(database) as store:
        project = find_project(store, "bench")
        last = store.moment().date()
        views: dict[str, Callable[[], object]] = {
            "days, kinds and the end": lambda: work_days(store, LOCAL_OPERATOR, project),
            "people": lambda: work_progress(store, LOCAL_OPERATOR, project),
            "time": lambda: work_times(store, LOCAL_OPERATOR, project),
            "hours and cost of 30 days": lambda: payroll_of(
                store, LOCAL_OPERATOR, project, last - dt.timedelta(days=29), last
            ),
            "worth a look": lambda: flagged_work(store, LOCAL_OPERATOR, project, 0.5),
            "agreement, on Quality": lambda: agreement_of(store, LOCAL_OPERATOR, project),
        }
        return {name: statistics.median(_time(count) for _ in range(_ROUNDS)) for name, count in views.items()}


def _time(count: Callable[[], object]) -> float:
    began = time.process_time()
    count()
    return 1000 * (time.process_time() - began)


def fill(database: Path, n_texts: int, n_people: int) -> str:
    """The project, of which the last tenth of the texts waits; a lead's cookie."""
    source = database.with_suffix(".jsonl")
    with source.open("w", encoding="utf-8") as file:
        for number in range(n_texts):
            text = f"The film number {number} was slow, but the music made the long evening worth every single penny of it."
            file.write(json.dumps({"id": f"i{number}", "text": text, "label": "positive"}) + "\n")
    with open_store(database, create=True) as store:
        project = create_project(store, LOCAL_OPERATOR, "bench", get_task("sentiment"), labels=["positive", "negative"])
        import_file(store, LOCAL_OPERATOR, project, "jsonl", source)
        with store.transaction():
            people = [add_user(store, f"annotator-{number}") for number in range(n_people)]
            reviewers = [add_user(store, f"reviewer-{number}") for number in range(_REVIEWERS)]
            lead = add_user(store, "lead")
            for user in people:
                add_role(store, project.id, user, "annotator")
            for user in reviewers:
                add_role(store, project.id, user, "reviewer")
            add_role(store, project.id, lead, "lead")
            store.run(
                """UPDATE projects SET settings = json_set(settings, '$.annotators_per_instance', ?,
                    '$.reviewers_per_annotation', 1)""",
                (_EACH,),
            )
            _work(
                store, n_texts, [cast("int", user.id) for user in people], [cast("int", user.id) for user in reviewers]
            )
            settle_project(store, project.id)
        return sign_in_as(store, "lead", is_demonstration=True)


def _work(store: Store, n_all: int, people: list[int], reviewers: list[int]) -> None:
    """Written as rows: through the use cases it would take hours. Everybody becomes quicker, and each has a pace of their own."""
    draw, now = Random(1), store.moment()
    pace = {person: draw.uniform(0.6, 1.6) for person in people}
    n_done: dict[int, int] = dict.fromkeys(people, 0)
    number = 0
    n_texts = n_all * 9 // 10
    work, said, sets, rounds, reviews, events = [], [], [], [], [], []
    for text in range(1, n_texts + 1):
        day = _DAYS * (1 - text / n_texts)
        at = iso(now - dt.timedelta(days=day, hours=1))
        for person in draw.sample(people, _EACH):
            number += 1
            n_done[person] += 1
            seconds = pace[person] * (30 + 60 / n_done[person] ** 0.5) * draw.lognormvariate(0, 0.5)
            work.append((number, text, person, at, int(1000 * seconds)))
            label = "positive" if draw.random() < 0.95 else "negative"
            said.append((number, text, number, person, f"annotator-{people.index(person)}", label, at))
            sets += [(number, 0, f"[[{draw.randint(0, 8)},{draw.randint(9, 20)}]]")] if draw.random() < 0.98 else []
            rounds.append((number, text, at))
            reviews.append((number, draw.choice(reviewers), at, draw.randint(4_000, 40_000)))
            events.append((at, f"annotator-{people.index(person)}", text))
    store.run_many(
        """INSERT INTO assignments (id, project_id, instance_id, user_id, state, lease_until, created_at, first_view_at,
            submitted_at, active_ms) VALUES (?1, 1, ?2, ?3, 'submitted', ?4, ?4, ?4, ?4, ?5)""",
        work,
    )
    store.run_many(
        """INSERT INTO annotations (id, instance_id, assignment_id, user_id, annotator, round, state, result, created_at)
            VALUES (?, ?, ?, ?, ?, 1, 'accepted', ?, ?)""",
        said,
    )
    store.run_many("INSERT INTO rationale_sets VALUES (?, ?, ?, NULL)", sets)
    store.run_many(
        """INSERT INTO rounds (annotation_id, project_id, instance_id, number, opened_at, outcome, decided_at, decided_by)
            VALUES (?1, 1, ?2, 1, ?3, 'accepted', ?3, 'gate')""",
        rounds,
    )
    store.run_many(
        """INSERT INTO reviews (project_id, annotation_id, user_id, state, lease_until, created_at, submitted_at, active_ms,
            comprehensiveness) VALUES (1, ?1, ?2, 'submitted', ?3, ?3, ?3, ?4, 3)""",
        reviews,
    )
    store.run_many(
        """INSERT INTO events (at, actor, action, project_id, subject, subject_id) VALUES (?, ?, 'submit', 1, 'instance', ?)""",
        events,
    )


if __name__ == "__main__":
    print(table([("progress", row) for row in main()]))
