"""`annotator evaluate eraser` against the reference's way: a scikit-learn and scipy call for each document and row.

10,000 documents of 300 tokens with selected spans, scores and answers at five thresholds. Ours is the whole command in a
process of its own, from the files to the printed object; the baseline reads the same files with json and loops as the
reference does, in a process of its own too; both must say the same numbers to 1e-9. Decoding alone is orjson, row by row,
all rows kept.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measured import Measured, table

_N_DOCUMENTS, _N_TOKENS = 10_000, 300
_N_SPANS, _LONGEST = 4, 12
_THRESHOLDS = (0.01, 0.05, 0.1, 0.2, 0.5)
_REPOSITORY = Path(__file__).resolve().parent.parent
_REFERENCE = "the reference's loops"

# Both print the seconds and the megabytes of their own process, and write the object to a file.
_OURS = """
import resource, sys, time
begin = time.perf_counter()
from contextlib import redirect_stdout
from annotator.cli.main import run
with open(sys.argv[3], "w", encoding="utf-8") as out, redirect_stdout(out):
    code = run(["evaluate", "eraser", "--data-dir", sys.argv[1], "--split", "test", "--predictions", sys.argv[2], "--json"])
print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
sys.exit(code)
"""
_BASELINE = """
import json, resource, sys, time
from pathlib import Path
begin = time.perf_counter()
from tests.reference.eraser_scorer import score
folder = Path(sys.argv[1])
read = lambda path: [json.loads(line) for line in path.open(encoding="utf-8")]
documents = {d["docid"]: d["document"].split("\\n") for d in read(folder / "docs.jsonl")}
lengths = {name: (sum(line.count(" ") + 1 for line in lines), len(lines)) for name, lines in documents.items()}
found = score(lengths, read(folder / "test.jsonl"), read(Path(sys.argv[2])), [0.5], [0.01, 0.05, 0.1, 0.2, 0.5])
Path(sys.argv[3]).write_text(json.dumps(found), encoding="utf-8")
print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
_DECODING = """
import sys, time
begin = time.perf_counter()
import orjson
rows = [[orjson.loads(line) for line in open(path, "rb")] for path in sys.argv[1:]]
print(time.perf_counter() - begin, 0)
"""


def main() -> list[Measured]:
    """Times, memory, and that they grow in step with documents and spans."""
    with tempfile.TemporaryDirectory() as made:
        whole, part, crowded = (Path(made) / name for name in ("whole", "part", "crowded"))
        n_bytes = _write(whole, _N_DOCUMENTS)
        _write(part, _N_DOCUMENTS // 4)
        _write_crowded(crowded)
        paths = [str(whole / name) for name in ("docs.jsonl", "test.jsonl", "predictions")]
        ours, megabytes = _best(_OURS, _arguments(whole))
        of_part, _ = _best(_OURS, _arguments(part))
        of_crowded, _ = _best(_OURS, _arguments(crowded))
        decoding, _ = _best(_DECODING, paths)
        baseline, _ = _run(_BASELINE, _arguments(whole, "baseline.json"))
        _check_equal(whole / "answer.json", whole / "baseline.json")
    size = n_bytes / 2**20
    what = f"evaluate eraser, {_N_DOCUMENTS:,} x {_N_TOKENS}"
    return [
        Measured(what, ours, "s", baseline, _REFERENCE, 1 / 15),
        Measured(what, ours, "s", decoding, "orjson's decoding", 4),
        Measured(f"{what}, files of {size:.0f} MB", megabytes, "MB", at_most=100 + 3 * size),
        Measured(f"{what}, against a quarter of it", ours, "s", of_part, "", 4),
        Measured("evaluate eraser, 200 x 600 one-token spans", of_crowded, "s", at_most=0.5),
    ]


def _arguments(folder: Path, answer: str = "answer.json") -> list[str]:
    return [str(folder), str(folder / "predictions"), str(folder / answer)]


def _best(script: str, arguments: Sequence[str], times: int = 3) -> tuple[float, float]:
    """The quickest of several runs, since everything else that the machine does only adds."""
    return min(_run(script, arguments) for _ in range(times))


def _run(script: str, arguments: Sequence[str]) -> tuple[float, float]:
    """Seconds and megabytes of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, cwd=_REPOSITORY, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds, megabytes = map(float, done.stdout.split())
    return seconds, megabytes


def _check_equal(ours: Path, baseline: Path) -> None:
    """The baseline's numbers are among ours, to 1e-9."""
    found, wanted = (json.loads(path.read_text(encoding="utf-8")) for path in (ours, baseline))
    _compare(found, wanted, "")


def _compare(found: Any, wanted: Any, place: str) -> None:
    if isinstance(wanted, dict):
        for name, value in wanted.items():
            _compare(found[name], value, f"{place}.{name}")
    elif isinstance(wanted, list):
        for number, value in enumerate(wanted):
            _compare(found[number], value, f"{place}[{number}]")
    elif isinstance(wanted, float) and abs(found - wanted) > 1e-9:
        raise RuntimeError(f"{place}: ours is {found}, the reference's loops say {wanted}")


def _write(folder: Path, n_documents: int) -> int:
    """A data set with predictions of every kind; answers its size in bytes."""
    folder.mkdir()
    draw = random.Random(7)
    words = [f"w{number}" for number in range(2000)]
    with (
        (folder / "docs.jsonl").open("w", encoding="utf-8") as documents,
        (folder / "test.jsonl").open("w", encoding="utf-8") as gold,
        (folder / "predictions").open("w", encoding="utf-8") as predictions,
    ):
        for number in range(n_documents):
            name = f"d{number}"
            lines = [" ".join(draw.choices(words, k=20)) for _ in range(_N_TOKENS // 20)]
            documents.write(json.dumps({"docid": name, "document": "\n".join(lines)}) + "\n")
            gold.write(json.dumps(_annotation(name, draw)) + "\n")
            predictions.write(json.dumps(_prediction(name, draw)) + "\n")
    return sum(path.stat().st_size for path in folder.iterdir())


def _spans(draw: random.Random) -> list[tuple[int, int]]:
    starts = sorted(draw.sample(range(0, _N_TOKENS - _LONGEST, _LONGEST), _N_SPANS))
    return [(start, start + draw.randint(1, _LONGEST)) for start in starts]


def _annotation(name: str, draw: random.Random) -> dict[str, object]:
    groups = [
        [{"docid": name, "start_token": start, "end_token": end, "start_sentence": start // 20,
          "end_sentence": (end - 1) // 20 + 1, "text": ""}]
        for start, end in _spans(draw)
    ]  # fmt: skip
    return {"annotation_id": name, "classification": draw.choice(["POS", "NEG"]), "query": "?", "query_type": None,
            "docids": [name], "evidences": groups}  # fmt: skip


def _prediction(name: str, draw: random.Random) -> dict[str, object]:
    def scores() -> dict[str, float]:
        p = draw.uniform(0.01, 0.99)
        return {"POS": p, "NEG": 1 - p}

    rationale = {
        "docid": name,
        "hard_rationale_predictions": [{"start_token": start, "end_token": end} for start, end in _spans(draw)],
        "soft_rationale_predictions": [round(draw.random(), 6) for _ in range(_N_TOKENS)],
    }
    changed = ("comprehensiveness_classification_scores", "sufficiency_classification_scores")
    full = scores()
    return {
        "annotation_id": name, "rationales": [rationale], "classification": max(full, key=full.__getitem__),
        "classification_scores": full, **{part: scores() for part in changed},
        "thresholded_scores": [{"threshold": t, **{part: scores() for part in changed}} for t in _THRESHOLDS],
    }  # fmt: skip


def _write_crowded(folder: Path) -> None:
    """200 documents with 600 selected tokens each, every one a span of its own."""
    folder.mkdir()
    spans = [{"start_token": 2 * n, "end_token": 2 * n + 1} for n in range(600)]
    documents, gold, predictions = [], [], []
    for number in range(200):
        name = f"d{number}"
        documents.append({"docid": name, "document": " ".join(["word"] * 1200)})
        evidences = [[{"docid": name, "start_token": 0, "end_token": 9, "text": ""}]]
        gold.append({"annotation_id": name, "classification": "POS", "query": "?", "evidences": evidences})
        rationale = {"docid": name, "hard_rationale_predictions": spans}
        predictions.append({"annotation_id": name, "rationales": [rationale]})
    for file, rows in (("docs.jsonl", documents), ("test.jsonl", gold), ("predictions", predictions)):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    begin = time.perf_counter()
    print(table([("scoring", row) for row in main()]))
    print(f"{time.perf_counter() - begin:.0f} s")
