"""100,000 attributions of 30 tokens: importing them, how much room they take, and evaluating them against gold.

Ours is `import_file` of our own JSONL into a project that has the texts; the baseline decodes the same file with orjson and
inserts the same rows with sqlite-utils, one column of packed floats each, in one transaction: no checks, no lookups.
Beside the time on the clock stands that of the processor, since both wait for the disk, and other work gets in between.
"""

import json
import random
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson
from sqlite_utils import Database

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from benchmarks.measured import Measured, table

_N, _N_TOKENS, _N_MARKED = 100_000, 30, 4


class _Cost(NamedTuple):
    """Seconds on the clock, and of the processor in our process."""

    clock: float
    processor: float


def main() -> list[Measured]:
    """What ours and the baseline cost, one right after the other; bytes a row; what evaluating costs."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_files(folder, _N)
        with open_store(folder / "ours.db", create=True) as store:
            project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
            import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "texts.jsonl")
            n_before = _n_bytes(store)
            ours = _cost(lambda: _import(store, project, folder / "attributions.jsonl"))
            baseline = _cost(lambda: _baseline(folder))
            n_bytes = (_n_bytes(store) - n_before) / _N
            evaluating = _cost(lambda: evaluate_project(store, LOCAL_OPERATOR, project))
    what, beside = f"importing {_N:,} attributions of {_N_TOKENS} tokens", "orjson and sqlite-utils alone"
    return [
        Measured(what, ours.clock, "s", baseline.clock, beside, 2.5),
        Measured(f"{what}, processor", ours.processor, "s", baseline.processor, beside),
        Measured("room of one attribution", n_bytes, "bytes", at_most=1.5 * 8 * _N_TOKENS + 200),
        Measured("evaluating them against gold", evaluating.clock, "s", ours.clock, "importing them"),
    ]


def _cost(work: Callable[[], object]) -> _Cost:
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return _Cost(time.perf_counter() - clock, time.process_time() - processor)


def write_files(folder: Path, n: int) -> None:
    """Texts with gold, and an attribution of each: texts.jsonl, attributions.jsonl; the same rows for the same number."""
    draw = random.Random(3)
    words = [f"w{number}" for number in range(500)]
    with (
        (folder / "texts.jsonl").open("w", encoding="utf-8") as texts,
        (folder / "attributions.jsonl").open("w", encoding="utf-8") as attributions,
    ):
        for number in range(n):
            tokens = draw.choices(words, k=_N_TOKENS)
            first = draw.randrange(_N_TOKENS - _N_MARKED)
            row = {"id": f"i{number}", "text": " ".join(tokens), "tokens": tokens, "label": draw.choice(["no", "yes"]),
                   "rationales": [[[first, first + _N_MARKED]]]}  # fmt: skip
            texts.write(json.dumps(row) + "\n")
            scores = [round(draw.gauss(0, 1), 6) for _ in range(_N_TOKENS)]
            said = {"id": f"i{number}", "model": "m", "method": "ig", "target": "yes", "scores": scores}
            attributions.write(json.dumps(said) + "\n")


def _n_bytes(store: Store) -> int:
    store.checkpoint()
    return store.path.stat().st_size


def _import(store: Store, project: Project, path: Path) -> None:
    report = import_file(store, LOCAL_OPERATOR, project, "attributions", path, ImportOptions())
    if report.n_new != _N:
        raise RuntimeError(f"{report.n_new} of {_N} attributions were stored")


def _baseline(folder: Path) -> None:
    database = Database(folder / "baseline.db")
    database.enable_wal()
    with (folder / "attributions.jsonl").open("rb") as file, database.conn:
        rows = (orjson.loads(line) for line in file)
        database.table("attributions").insert_all(
            (
                {"key": row["id"], "model": row["model"], "method": row["method"], "label": row["target"],
                 "scores": array("d", row["scores"]).tobytes()}
                for row in rows
            ),
            batch_size=1000,
        )  # fmt: skip
    database.table("attributions").create_index(["key", "model", "method", "label"])
    database.conn.close()


if __name__ == "__main__":
    print(table([("attributions", row) for row in main()]))
