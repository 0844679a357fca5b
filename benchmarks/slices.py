"""The slices of the Saliency page over 20,000 instances: what its use case takes for the menus, and for a list that is narrowed.

Every instance has two facts in its metadata and two annotators of whom the file says a group. Each way of slicing is asked for as
the page does it, beside another one that is chosen already.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from annotator.domain.measurements import Question, Slice
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.usecases.inspect.saliency import list_instances_by
from annotator.usecases.inspect.text_lists import show_slice_names, show_slices
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from benchmarks.measured import Measured, table

_N, _N_TOKENS, _ROUNDS, _LIMIT_MS = 20_000, 25, 7, 300
_CHOSEN = (
    ("nothing chosen", Slice()),
    ("a label chosen", Slice(label="yes")),
    ("a split chosen", Slice(split="train")),
    ("a length chosen", Slice(length=(0, _N_TOKENS))),
    ("metadata chosen", Slice(fact=("source", "s1"))),
    ("annotators chosen", Slice(group=("gender", "f"))),
    ("three chosen", Slice(label="yes", fact=("source", "s1"), group=("gender", "f"))),
)


class _Taken(NamedTuple):
    """Medians in milliseconds, on the clock and of the processor."""

    what: str
    clock: float
    processor: float


def main() -> list[Measured]:
    """Medians of each question on the clock, and of the processor for the slowest."""
    with tempfile.TemporaryDirectory() as name, open_store(Path(name) / "bench.db", create=True) as store:
        project_id = _prepare(store, Path(name))
        asked = Question(project_id)
        taken = [
            _taken("names of what there is to slice by", lambda: show_slice_names(store, LOCAL_OPERATOR, project_id))
        ]
        for what, within in _CHOSEN:
            sliced = replace(asked, within=within)
            taken += [
                _taken(f"the menus, {what}", partial(show_slices, store, LOCAL_OPERATOR, sliced, "source", "gender")),
                _taken(f"the list, {what}", partial(list_instances_by, store, LOCAL_OPERATOR, sliced, 1)),
            ]
    slowest = max(taken, key=lambda one: one.processor)
    return [
        *(Measured(f"{one.what}, {_N:,} instances", one.clock, "ms", at_most=_LIMIT_MS) for one in taken),
        Measured(f"the slowest ({slowest.what}), processor", slowest.processor, "ms"),
    ]


def _prepare(store: Store, folder: Path) -> int:
    draw = random.Random(13)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 8))) for _ in range(5_000)]
    with (folder / "texts.jsonl").open("wb") as file:
        for number in range(_N):
            tokens = draw.choices(words, k=draw.randint(_N_TOKENS - 10, _N_TOKENS + 10))
            people = {
                f"p{draw.randrange(40)}": {"gender": draw.choice("fm"), "age": draw.choice(["young", "old"])}
                for _ in range(2)
            }
            metadata = {"source": f"s{draw.randrange(8)}", "year": draw.randrange(2010, 2026), "annotations": people}
            row = {"id": f"i{number}", "text": " ".join(tokens), "tokens": tokens, "label": draw.choice(["no", "yes"]),
                   "split": draw.choice(["train", "test"]), "metadata": metadata}  # fmt: skip
            file.write(msgspec.json.encode(row) + b"\n")
    project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
    import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "texts.jsonl")
    return project.id


def _taken(what: str, work: Callable[[], object]) -> _Taken:
    work()
    taken = []
    for _ in range(_ROUNDS):
        clock, processor = time.perf_counter(), time.process_time()
        work()
        taken.append((1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - processor)))
    clocks, processors = zip(*taken, strict=True)
    return _Taken(what, statistics.median(clocks), statistics.median(processors))


if __name__ == "__main__":
    print(table([("slices", row) for row in main()]))
