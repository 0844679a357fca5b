"""100,000 attributions of 30 tokens: importing them, and how much room they take.

Ours is `import_file` of our own JSONL into a project that has the texts; the baseline decodes the same file with orjson and
inserts the same rows with sqlite-utils, one column of packed floats each, in one transaction: no checks, no lookups.
"""

import json
import os
import random
import tempfile
import time
from array import array
from pathlib import Path

import orjson
from sqlite_utils import Database

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.usecases.import_report import ImportOptions
from annotator.usecases.importing import import_file
from annotator.usecases.projects import create_project
from benchmarks.measured import Measured, table

_N, _N_TOKENS = 100_000, 30


def main() -> list[Measured]:
    """Seconds of ours and of the baseline, and bytes a row."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _write(folder)
        before, ours, after = _ours(folder)
        baseline = _baseline(folder)
    bytes_a_row = (after - before) / _N
    room = 1.5 * 8 * _N_TOKENS + 200
    beside = "orjson and sqlite-utils alone"
    return [
        Measured(f"importing {_N:,} attributions of {_N_TOKENS} tokens", ours, "s", baseline, beside, 2.5),
        Measured("room of one attribution", bytes_a_row, "bytes", at_most=room),
    ]


def _write(folder: Path) -> None:
    draw = random.Random(3)
    words = [f"w{number}" for number in range(500)]
    with (
        (folder / "texts.jsonl").open("w", encoding="utf-8") as texts,
        (folder / "attributions.jsonl").open("w", encoding="utf-8") as attributions,
    ):
        for number in range(_N):
            tokens = draw.choices(words, k=_N_TOKENS)
            row = {"id": f"i{number}", "text": " ".join(tokens), "tokens": tokens, "label": draw.choice(["no", "yes"])}
            texts.write(json.dumps(row) + "\n")
            scores = [round(draw.gauss(0, 1), 6) for _ in range(_N_TOKENS)]
            said = {"id": f"i{number}", "model": "m", "method": "ig", "target": "yes", "scores": scores}
            attributions.write(json.dumps(said) + "\n")


def _ours(folder: Path) -> tuple[int, float, int]:
    """Size of the database before, seconds, size after."""
    path = folder / "ours.db"
    with open_store(path, create=True) as store:
        project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
        import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "texts.jsonl")
        store.checkpoint()
        before = os.path.getsize(path)  # noqa: PTH202
        begin = time.perf_counter()
        report = import_file(
            store, LOCAL_OPERATOR, project, "attributions", folder / "attributions.jsonl", ImportOptions()
        )
        seconds = time.perf_counter() - begin
        store.checkpoint()
        if report.n_new != _N:
            raise RuntimeError(f"{report.n_new} of {_N} attributions were stored")
    return before, seconds, path.stat().st_size


def _baseline(folder: Path) -> float:
    begin = time.perf_counter()
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
    return time.perf_counter() - begin


if __name__ == "__main__":
    print(table([("attributions", row) for row in main()]))
