"""Import 100,000 instances of 20 tokens from JSONL, against tokenising them with spaCy alone plus inserting the same rows
with sqlite-utils alone. Each runs in a process of its own, so that memory and caches are its own.

Target: at most 1.6 times the baseline; memory under 300 MB.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measured import Measured, table

_N = 100_000
_WORDS = 20_000


def make_file(path: Path, n: int = _N) -> None:
    """Texts of 20 tokens over a vocabulary with natural (Zipf) frequencies."""
    draw = random.Random(0)
    words = ["".join(draw.choices("etaoinshrdlucmfwypvbgkjqxz", k=draw.randint(2, 9))) for _ in range(_WORDS)]
    weights = [1 / (rank + 10) for rank in range(_WORDS)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(n):
            chosen = draw.choices(words, weights, k=18)
            chosen[8] += ","
            row = {"id": f"i{number}", "text": " ".join(chosen) + ".", "label": draw.choice(["negative", "positive"])}
            file.write(json.dumps(row) + "\n")


def run_ours(source: Path, database: Path) -> None:
    """The command's own way, without the command line."""
    from annotator.domain.people import LOCAL_OPERATOR
    from annotator.domain.tasks import get_task
    from annotator.usecases.databases import open_store
    from annotator.usecases.project.projects import create_project
    from annotator.usecases.transfer.file_import import import_file

    with open_store(database, create=True) as store:
        project = create_project(store, LOCAL_OPERATOR, "bench", get_task("sentiment"), labels=["negative", "positive"])
        report = import_file(store, LOCAL_OPERATOR, project, "jsonl", source)
    if report.n_new != _N:
        raise SystemExit(f"{report.n_new} instances were stored, not {_N}")


def run_spacy(source: Path, _: Path) -> None:
    """Tokens, their offsets and sentences of every text, by spaCy alone."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    n_tokens = 0
    with source.open(encoding="utf-8") as file:
        for doc in nlp.pipe(json.loads(line)["text"] for line in file):
            offsets = [(token.idx, token.idx + len(token)) for token in doc]
            starts = [sentence.start for sentence in doc.sents]
            n_tokens += len(offsets) + 0 * len(starts)
    if not n_tokens:
        raise SystemExit("nothing was tokenised")


def run_sqlite_utils(source: Path, database: Path) -> None:
    """The rows that our import stored (read back from its database), inserted with sqlite-utils alone."""
    import sqlite_utils

    from annotator.store import open_store

    with open_store(database, create=True):
        pass
    ours = sqlite_utils.Database(source)
    rows = {
        name: [dict(row) for row in ours.table(name).rows]
        for name in ("projects", "documents", "instances", "segments")
    }
    theirs = sqlite_utils.Database(database)
    theirs.conn.execute("PRAGMA synchronous = FULL")
    began = time.perf_counter()
    for name, table_rows in rows.items():
        theirs.table(name).insert_all(table_rows)
    sys.stdout.write(f"{time.perf_counter() - began}\n")


def _measured(step: str, *paths: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of a step in a process of its own."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.importing", step, *map(str, paths)],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - began
    said = done.stdout.split()
    return (float(said[0]) if len(said) > 1 else seconds), float(said[-1])


def main() -> list[Measured]:
    """Ours and the two baselines, one after the other."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "source.jsonl"
        make_file(source)
        ours, memory = _measured("ours", source, folder / "ours.db")
        spacy_alone, _ = _measured("spacy", source, folder / "none")
        inserting, _ = _measured("sqlite_utils", folder / "ours.db", folder / "theirs.db")
    baseline = spacy_alone + inserting
    beside = f"spaCy alone {spacy_alone:.2f} s + sqlite-utils alone {inserting:.2f} s"
    return [
        Measured(f"import {_N:,} instances of 20 tokens", ours, "s", baseline, beside, 1.6),
        Measured("memory at most while importing", memory, "MB", at_most=300),
    ]


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(table([("importing", row) for row in main()]))
    else:
        {"ours": run_ours, "spacy": run_spacy, "sqlite_utils": run_sqlite_utils}[sys.argv[1]](*map(Path, sys.argv[2:4]))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
