"""The HTML report of two models compared on 200 instances of 30 tokens: all of it, written into a file.

Each model has answers and two methods; all 200 texts are on the page with their four maps and two gold sets. Intervals
and verdicts are in it, as in every report.
"""

import random
import tempfile
import time
from pathlib import Path

import msgspec

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.usecases.compare.comparison_report import write_report
from annotator.usecases.compare.report_request import ReportRequest, TextChoice
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from benchmarks.measured import Measured, table

_N, _N_TOKENS, _LIMIT_S = 200, 30, 5


def main() -> list[Measured]:
    """Once, cold: no number is kept from before."""
    with tempfile.TemporaryDirectory() as name, open_store(Path(name) / "bench.db", create=True) as store:
        project = _prepare(store, Path(name))
        request = ReportRequest(base="first", other="second", texts=TextChoice(n=_N))
        path = Path(name) / "report.html"
        clock, processor = time.perf_counter(), time.process_time()
        written = write_report(store, LOCAL_OPERATOR, project, request, path)
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        if written.n_texts != _N:
            raise RuntimeError(f"{written.n_texts} of {_N} texts are on the page")
        size = path.stat().st_size / 1024
    what = f"the report of two models on {_N} texts"
    return [
        Measured(f"{what}, on the clock", clock, "s", at_most=_LIMIT_S),
        Measured(f"{what}, processor", processor, "s"),
        Measured(f"{what}, its size", size, "KB"),
    ]


def _prepare(store: Store, folder: Path) -> Project:
    draw = random.Random(17)
    words = [f"w{number}" for number in range(500)]
    texts, answers, scores = (folder / name for name in ("texts.jsonl", "answers.jsonl", "scores.jsonl"))
    with texts.open("wb") as to_mark, answers.open("wb") as said, scores.open("wb") as scored:
        for number in range(_N):
            tokens, label = draw.choices(words, k=_N_TOKENS), draw.choice(["no", "yes"])
            first = draw.randrange(_N_TOKENS - 8)
            row = {"id": f"i{number}", "text": " ".join(tokens), "tokens": tokens, "label": label,
                   "rationales": [[[first, first + 4]], [[first + 2, first + 7]]]}  # fmt: skip
            to_mark.write(msgspec.json.encode(row) + b"\n")
            for model in ("first", "second"):
                p = draw.random()
                answer = {"id": f"i{number}", "model": model, "probabilities": {"no": 1 - p, "yes": p}}
                said.write(msgspec.json.encode(answer) + b"\n")
                for method in ("ig", "lime"):
                    drawn = [round(draw.gauss(0, 1), 6) for _ in tokens]
                    map_row = {"id": f"i{number}", "model": model, "method": method, "target": label, "scores": drawn}
                    scored.write(msgspec.json.encode(map_row) + b"\n")
    project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
    for format_name, path in (("jsonl", texts), ("predictions", answers), ("attributions", scores)):
        import_file(store, LOCAL_OPERATOR, project, format_name, path)
    return project


if __name__ == "__main__":
    print(table([("report", row) for row in main()]))
