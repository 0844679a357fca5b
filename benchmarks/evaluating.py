"""Evaluating 100,000 attributions of 30 tokens against gold, beside the same plausibility numbers made text by text.

Ours is `evaluate_project` of a project in a database: reading gold and attributions, every plausibility number, and random
as a method with its ten seeds, in a process of its own. The baseline makes the numbers that look at scores and ranks for
each text by itself: scikit-learn's curves and areas, plain Python for the ranks of Stevens and Su 2021; it reads no
database, and has neither the numbers of selections nor the losses. It is run once over 1,000 texts (that ours says the
same of these to 1e-9 is checked), and what it takes is multiplied by 100 for the texts and by 11 for the attributions and
ten seeds.
"""

import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.metrics.gold_as_method import TEN_SEEDS
from annotator.store import open_store
from annotator.usecases.databases import find_project
from annotator.usecases.inspect.measurement import measure
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from benchmarks.attributions import write_files
from benchmarks.measured import Measured, table

_N, _N_SAMPLE = 100_000, 1_000


def main() -> list[Measured]:
    """Time, memory and growth of evaluating; what measuring takes."""
    with tempfile.TemporaryDirectory() as made:
        whole, sample = (Path(made) / name for name in ("whole", "sample"))
        for folder, n in ((whole, _N), (sample, _N_SAMPLE)):
            folder.mkdir()
            write_files(folder, n)
            _alone(_import, folder)
        evaluating, measuring = _alone(_evaluate, whole), _alone(_measure, whole)
        baseline = _baseline(sample, _alone(_evaluate, sample).answer) * (_N / _N_SAMPLE) * (1 + len(TEN_SEEDS))
    what = f"evaluating {_N:,} attributions of 30 tokens"
    beside = "scikit-learn and loops, text by text"
    return [
        Measured(f"{what}, processor", evaluating.processor, "s", baseline, beside, 0.01),
        Measured(f"{what}, on the clock", evaluating.clock, "s"),
        Measured(f"{what}, memory above the start", evaluating.megabytes, "MB", at_most=400),
        Measured(
            "measuring them, with writing, processor", measuring.processor, "s", evaluating.processor, "evaluating"
        ),
        Measured("measuring them, memory above the start", measuring.megabytes, "MB", at_most=400),
    ]


class _Cost(NamedTuple):
    """Seconds on the clock and of the processor, megabytes above those after the imports, and what was answered."""

    clock: float
    processor: float
    megabytes: float
    answer: Any


def _alone(work: Callable[[Path], object], folder: Path) -> _Cost:
    """What work costs in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(_cost, work, folder).result()


def _cost(work: Callable[[Path], object], folder: Path) -> _Cost:
    memory, clock, processor = _megabytes(), time.perf_counter(), time.process_time()
    answer = work(folder)
    return _Cost(time.perf_counter() - clock, time.process_time() - processor, _megabytes() - memory, answer)


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _import(folder: Path) -> None:
    with open_store(folder / "ours.db", create=True) as store:
        project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
        import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "texts.jsonl")
        import_file(store, LOCAL_OPERATOR, project, "attributions", folder / "attributions.jsonl")


def _evaluate(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    with open_store(folder / "ours.db") as store:
        numbers: Any = evaluate_project(store, LOCAL_OPERATOR, find_project(store, "P"))
    [row] = numbers["models"][0]["methods"]
    return dict(row["plausibility"])


def _measure(folder: Path) -> int:
    with open_store(folder / "ours.db") as store:
        return measure(store, LOCAL_OPERATOR, find_project(store, "P"))


def _baseline(folder: Path, ours: Mapping[str, Mapping[str, Any]]) -> float:
    """Seconds of the processor for the texts of a folder; raises RuntimeError where a mean is not ours."""
    texts, said = (
        [json.loads(line) for line in (folder / name).open()] for name in ("texts.jsonl", "attributions.jsonl")
    )
    begin = time.process_time()
    found = [
        _of_text(row["scores"], list(range(*text["rationales"][0][0]))) for text, row in zip(texts, said, strict=True)
    ]
    seconds = time.process_time() - begin
    for name in found[0]:
        mean = sum(of_text[name] for of_text in found) / len(found)
        if abs(mean - ours[name]["value"]) > 1e-9:
            raise RuntimeError(f"{name} is {ours[name]['value']}, but the baseline says {mean}")
    return seconds


def _of_text(scores: Sequence[float], tokens: Sequence[int]) -> dict[str, float]:
    gold = [place in tokens for place in range(len(scores))]
    precision, recall, _ = precision_recall_curve(gold, scores)
    clipped, clipped_recall, _ = precision_recall_curve(gold, [max(0.0, score) for score in scores])
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    ranks = sorted(order.index(token) + 1 for token in tokens)
    k, n_found = len(tokens), len(set(order[: len(tokens)]) & set(tokens))
    return {
        "eraser.auprc": float(auc(recall, precision)),
        "eraser.average_precision": float(average_precision_score(gold, scores)),
        "eraser.roc_auc_score": float(roc_auc_score(gold, scores)),
        "ferret.auprc": float(auc(clipped_recall, clipped)),
        "editing.auprc": float(auc(recall, precision)),
        "editing.average_precision": float(average_precision_score(gold, scores)),
        "editing.mrr": k / sum(rank - i for i, rank in enumerate(ranks)),
        "editing.top_1_lenient": float(ranks[0] == 1),
        "editing.top_3": float(ranks[-1] <= 3),
        "editing.exact_match": float(n_found == k),
        "editing.jaccard": n_found / (2 * k - n_found),
        "editing.jaccard_match": float(n_found / (2 * k - n_found) >= 0.5),
    }


if __name__ == "__main__":
    print(table([("evaluating", row) for row in main()]))
