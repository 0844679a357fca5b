"""Normalised faithfulness: what finding bounds costs beyond asking the model about the same reduced texts directly.

A model of random weights in the shape of MiniLM (6 layers of 384, one thread) and the built-in model. Ours searches both bounds
of texts of 8 tokens (exactly) and of 14 (a beam of 5), making the reduced texts as it goes; the direct way knows all of them at
once, makes each, and asks about them in batches, the shortest first. Limit: 15 % more; none of the built-in model, which
answers in 8 µs, so that choosing a text is a third of the work. How many there are is told beside it. Processor time is
compared, by turns in one run.
"""

import random
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from annotator.attribution.base import Input
from annotator.attribution.built_in_model import BagOfWords
from annotator.domain.instances import Instance
from annotator.domain.models import Attribution
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.metrics.normalised_aopc import most_calls
from annotator.store import Store, open_store
from annotator.store.instances import iterate_instance_batches
from annotator.usecases.models.built_in_model import built_in_model
from annotator.usecases.models.faithfulness import Normaliser, Normalising, NormalisingCounts
from annotator.usecases.models.project_model import ProjectModel
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from benchmarks.attribute_overhead import save_model
from benchmarks.attributions import write_files
from benchmarks.measured import Measured, by_turns, table

_LENGTHS = (8, 8, 14)
_BATCH = 32
_ROUNDS = 3
_AT_MOST = 1.15


def main() -> list[Measured]:
    """Both models; the built-in one alone where the extra `models` is not installed."""
    with tempfile.TemporaryDirectory() as name, open_store(Path(name) / "texts.db", create=True) as store:
        built_in, instances = _texts(store, Path(name))
        rows = _rows("built-in model", built_in, instances, _made_and_asked)
        absent = [package for package in ("torch", "transformers") if find_spec(package) is None]
        if absent:
            print(f"SKIPPED: {', '.join(absent)} is not installed (pip install 'rationale-annotator[models]').")
            return rows
        from annotator.attribution.transformers_models import load

        save_model(Path(name) / "minilm")
        model: Any = load(str(Path(name) / "minilm"), device="cpu", threads=1, batch_size=_BATCH)
        return [*rows, *_rows("MiniLM", model, instances, direct, _AT_MOST)]


class _Recording:
    """A model that keeps what it is asked about."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.name, self.labels = model.name, model.labels
        self.inputs: list[Input] = []

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        self.inputs += inputs
        return self.model.probabilities(inputs)


def _rows(
    what: str,
    model: Any,
    instances: Sequence[Instance],
    direct: Callable[..., Callable[[], object]],
    at_most: float | None = None,
) -> list[Measured]:
    recording = _Recording(model)
    _normalise(recording, instances)
    inputs = sorted(recording.inputs, key=lambda given: given.n_tokens)
    ours, alone = by_turns(partial(_normalise, model, instances), direct(model, instances, inputs), _ROUNDS)
    most = sum(most_calls(instance.layout.n_selectable) + 2 * instance.layout.n_selectable for instance in instances)
    name = f"{what}, {len(instances)} texts"
    return [
        Measured(f"{name}, normalising", ours, "ms", alone, "the model alone", at_most),
        Measured(f"{name}, reduced texts", len(inputs), "calls", most, "at most", 1),
    ]


def _normalise(model: Any, instances: Sequence[Instance]) -> None:
    normaliser = Normaliser(ProjectModel(model, {label: label for label in model.labels}), Normalising())
    draw = np.random.default_rng(3)
    chosen = [
        (instance, Attribution(tuple(draw.random(instance.layout.n_selectable).tolist()), model.labels[0]), "")
        for instance in instances
    ]
    if len(list(normaliser.add(chosen, (), NormalisingCounts()))) != len(instances):
        raise RuntimeError("some text was left out")


def _made_and_asked(model: Any, instances: Sequence[Instance], inputs: Sequence[Input]) -> Callable[[], object]:
    """Making the same reduced texts, and asking about them; a word stands in one text alone, and once."""
    wholes = [Input.of(instance) for instance in instances]
    masks = []
    for given in inputs:
        left = set(given.segments[0].tokens)
        whole = next(whole for whole in wholes if left <= set(whole.segments[0].tokens))
        masks.append((whole, np.array([token in left for token in whole.segments[0].tokens])))
    return lambda: model.probabilities([whole.kept(mask) for whole, mask in masks])


def direct(model: Any, _instances: Sequence[Instance], inputs: Sequence[Input]) -> Callable[[], object]:
    """As a notebook would do it."""
    import torch

    bare, tokenizer = model.loaded.model, model.loaded.tokenizer

    def ask() -> object:
        rows = []
        for first in range(0, len(inputs), _BATCH):
            texts = [" ".join(given.segments[0].tokens) for given in inputs[first : first + _BATCH]]
            encoded = tokenizer(texts, return_tensors="pt", padding=True)
            with torch.inference_mode():
                rows.append(bare(**encoded).logits.softmax(1))
        return torch.cat(rows)

    return ask


def _texts(store: Store, folder: Path) -> tuple[BagOfWords, list[Instance]]:
    """Texts of the lengths, and a built-in model that was trained on others."""
    project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
    write_files(folder, 200)
    import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "texts.jsonl")
    model = built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)
    draw = random.Random(7)
    words = ["".join(draw.choices("aeioumnrst", k=draw.randint(2, 9))) for _ in range(400)]
    drawn = iter(draw.sample(sorted(set(words)), sum(_LENGTHS)))
    lines = [f'{{"id": "t{at}", "text": "{" ".join(islice(drawn, n))}"}}' for at, n in enumerate(_LENGTHS)]
    (folder / "short.jsonl").write_text("\n".join(lines), encoding="utf-8")
    import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "short.jsonl")
    batches: Iterable[Sequence[Instance]] = iterate_instance_batches(store, project.id, batch_size=500)
    return model, [instance for batch in batches for instance in batch if instance.key.startswith("t")]


if __name__ == "__main__":
    print(table([("normalising", row) for row in main()]))
