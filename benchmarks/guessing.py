"""Importing a file whose format is guessed, beside naming it: processor time, by turns, each into a project of its own.

Now the one and now the other comes first, since the second of two finds more in the processor's caches.
"""

import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_path
from benchmarks.measured import Measured, table

_N, _N_TOKENS, _ROUNDS, _AT_MOST = 5_000, 25, 10, 1.05


def main() -> list[Measured]:
    """JSON lines and a CSV table with texts alone, which are the forms that need most of the file to be told apart."""
    with tempfile.TemporaryDirectory() as name:
        return [_measured(Path(name), path, format_name) for path, format_name in _files(Path(name))]


def _files(folder: Path) -> list[tuple[Path, str]]:
    draw = random.Random(19)
    words = [f"w{number}" for number in range(500)]
    lines, cells = folder / "texts.jsonl", folder / "texts.csv"
    with lines.open("w", encoding="utf-8") as as_json, cells.open("w", encoding="utf-8") as as_csv:
        as_csv.write("id,text,label\n")
        for number in range(_N):
            text, label = " ".join(draw.choices(words, k=_N_TOKENS)), draw.choice(["no", "yes"])
            as_json.write(json.dumps({"id": f"i{number}", "text": text, "label": label}) + "\n")
            as_csv.write(f"i{number},{text},{label}\n")
    return [(lines, "jsonl"), (cells, "csv")]


def _measured(folder: Path, path: Path, format_name: str) -> Measured:
    taken: dict[str | None, list[float]] = {None: [], format_name: []}
    for number in range(_ROUNDS + 1):
        for wanted in (None, format_name) if number % 2 else (format_name, None):
            taken[wanted].append(_seconds(folder, path, wanted))
    guessed, named = (statistics.median(times[1:]) for times in taken.values())
    what = f"importing {_N:,} texts, {format_name} guessed, processor"
    return Measured(what, guessed, "s", named, "named", _AT_MOST)


def _seconds(folder: Path, path: Path, format_name: str | None) -> float:
    with tempfile.TemporaryDirectory(dir=folder) as made, open_store(Path(made) / "bench.db", create=True) as store:
        project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
        began = time.process_time()
        report = import_path(store, LOCAL_OPERATOR, project, path, format_name=format_name)
        seconds = time.process_time() - began
        if report.n_new != _N:
            raise RuntimeError(f"{report.n_new} of {_N} texts were imported")
    return seconds


if __name__ == "__main__":
    print(table([("guessing", row) for row in main()]))
