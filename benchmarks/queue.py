"""With 100,000 instances in the project, getting the next one and submitting cost what they cost with 100.

Both databases are asked by turns in one run, through the use cases that the routes call. Target: at most 1.3 times.
"""

import json
import statistics
import tempfile
import time
from pathlib import Path

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.store import Store, open_store
from annotator.store.people import add_role, add_user
from annotator.usecases.annotate import work
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from benchmarks.measured import Measured, table

_SMALL, _LARGE = 100, 100_000
_STEPS = 90
_DRAFT = Draft(sets=(RationaleSet.of((0, 3)), RationaleSet.of((5, 6))))


def main() -> list[Measured]:
    """Opening, getting the next, submitting: median milliseconds with many against few instances."""
    with tempfile.TemporaryDirectory() as name:
        times = {n: _Timed(Path(name), n) for n in (_SMALL, _LARGE)}
        for _ in range(_STEPS):
            for timed in times.values():
                timed.step()
        few, many = times[_SMALL].medians(), times[_LARGE].medians()
        for timed in times.values():
            timed.store.close()
    return [
        Measured(f"{what} with {_LARGE:,} instances", many[what], "ms", few[what], f"with {_SMALL}", 1.3)
        for what in few
    ]


class _Timed:
    """One database, its annotator, and the time that each step took."""

    def __init__(self, folder: Path, n: int) -> None:
        self.store, self.user = _filled(folder, n)
        self.times: dict[str, list[float]] = {"open Annotate": [], "submit and get the next": [], "save a draft": []}

    def step(self) -> None:
        began = time.perf_counter()
        answer = work.next_work(self.store, self.user, 1)
        opened = time.perf_counter()
        if answer.work is None:
            raise RuntimeError("the queue is empty")
        assignment = answer.work.assignment
        revision = work.save_draft(self.store, self.user, assignment.id, assignment.revision, _DRAFT)
        saved = time.perf_counter()
        shown = answer.ahead.assignment.id if answer.ahead else None
        work.submit(self.store, self.user, assignment.id, revision, _DRAFT, shown_next=shown)
        done = time.perf_counter()
        for what, seconds in zip(self.times, (opened - began, done - saved, saved - opened), strict=True):
            self.times[what].append(seconds)

    def medians(self) -> dict[str, float]:
        return {what: 1000 * statistics.median(seconds) for what, seconds in self.times.items()}


def _filled(folder: Path, n: int) -> tuple[Store, User]:
    source = folder / f"{n}.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for number in range(n):
            text = f"The film number {number} was slow, but the music made the long evening worth every single penny of it."
            file.write(json.dumps({"id": f"i{number}", "text": text, "label": "positive"}) + "\n")
    store = open_store(folder / f"{n}.db", create=True)
    project = create_project(store, LOCAL_OPERATOR, "bench", get_task("sentiment"), labels=["positive"])
    import_file(store, LOCAL_OPERATOR, project, "jsonl", source)
    with store.transaction():
        user = add_user(store, "annotator")
        add_role(store, project.id, user, "annotator")
    return store, user


if __name__ == "__main__":
    print(table([("queue", row) for row in main()]))
