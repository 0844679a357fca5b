"""The demonstration's transformer, and the same aligned with rationales: trained on texts of their own, then asked about
English texts of the project Sentiment.

    .venv/bin/python -m tools.demonstration_model FOLDER

FOLDER holds the pretrained model; the extra `models` is needed. What comes out, `minilm.jsonl` and its card `minilm.md` in
data/demo/sentiment, and two of that kind of `minilm-aligned`, is what `annotator demo` imports, so that the demonstration needs
neither weights nor torch.
docs/training.md says more.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from annotator.domain.models import Run, StoredOutput
from annotator.domain.numbers import percent
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.sources import SourceItem
from annotator.domain.tasks import get_task
from annotator.errors import ModelError
from annotator.formats.own.jsonl import write_own
from annotator.store import Store, open_store
from annotator.training.alignment import AlignmentOptions
from annotator.training.card import Card
from annotator.usecases.models.attributions import AttributingOptions, LoadOptions, attribute
from annotator.usecases.project.projects import create_project
from annotator.usecases.training.transformers import (
    DataOptions,
    FittingOptions,
    NewModel,
    TrainingOptions,
    TrainingReport,
    train_transformer,
)
from annotator.usecases.transfer.export import everything_of
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions

DATA = Path(__file__).resolve().parent.parent / "data" / "demo" / "sentiment"
MODEL, ALIGNED = "minilm", "minilm-aligned"
FITTING = FittingOptions(epochs=6, patience=2, learning_rate=5e-5)
ALIGNMENT = AlignmentOptions("order", strength=0.1, over="mean")
Methods = dict[str, tuple[int, ...]]  # with their seeds, in the order in which their maps open
MODELS: dict[str, tuple[AlignmentOptions | None, Methods]] = {
    MODEL: (None, {"integrated-gradients": (), "occlusion": (), "attention": (), "lime": (1,), "random": (1,)}),
    ALIGNED: (ALIGNMENT, {"integrated-gradients": ()}),
}
N_SAMPLES = 250  # of LIME: ten for each word of the texts, and half of the time that the usual number takes
DIGITS = 5
JUDGED = "demonstration"  # the split of the texts that the model is shown on, where it is trained
BASES = {"53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": "all-MiniLM-L6-v2 (Apache-2.0)"}

SHOWN_ON = """
## What it is shown on

It answers about {n} English texts of `instances.jsonl`, those of one paragraph and a longer one that has rationales, about
{n_versions} contrast versions of them, and about no others: {n_long} more English texts are of several paragraphs, longer than
anything that it learned from, and the encoder reads no Chinese. It learned from none of the texts that it is shown on. **It is
right about {n_right} of these {n} ({share})**; always “{label}” is right about {n_label}. That flatters it: whoever wrote those
texts also wrote `training.jsonl`, and, having seen this count, wrote more for it, twice, and chose which of it the training stops
by, its epochs and its patience. Reviews by others would be harder for it.

It is made to show what maps look like of a model that has learned something, and for nothing else. The file beside this card
holds its answers and attributions ({methods}; LIME, where it is among them, with {n_samples} samples).
Its weights are not kept: `python -m tools.demonstration_model FOLDER` makes all of it again.
"""


@click.command()
@click.argument("base", metavar="FOLDER", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--to", type=click.Path(path_type=Path, file_okay=False), default=DATA, help="Where the two files go.")
def main(base: Path, to: Path) -> None:
    """Train the models of the folder FOLDER, ask them, and write of each its runs and its card."""
    for name, (alignment, methods) in MODELS.items():
        runs_file, card_file = to / f"{name}.jsonl", to / f"{name}.md"
        with tempfile.TemporaryDirectory() as scratch, open_store(Path(scratch) / "work.db", create=True) as store:
            report = _train(store, base, Path(scratch), name, replace(FITTING, alignment=alignment))
            write_own(runs_file, _runs(store, report.folder, Path(scratch), methods))
            card_file.write_text(_card(report, base, methods), encoding="utf-8")
        _round(runs_file)


def _train(store: Store, base: Path, scratch: Path, name: str, fitting: FittingOptions) -> TrainingReport:
    """Train it. No record of that goes with its runs: pages would tell how often it is right about held-out texts, without what
    the card says of these.
    """
    project = _project(store, "Training", DATA / "training.jsonl")
    originals = [row | {"split": JUDGED} for row in _shown_on() if "parent" not in row]
    judged = _rows_file(scratch / "judged.jsonl", originals)
    import_file(store, LOCAL_OPERATOR, project, "jsonl", judged, ImportOptions())
    options = TrainingOptions(
        NewModel((), base=str(base), device="cpu"), DataOptions("train", "val"), fitting, folder=scratch
    )
    return train_transformer(store, LOCAL_OPERATOR, project, name, options, progress=_progress)


def _runs(store: Store, folder: Path, scratch: Path, methods: Methods) -> Iterator[SourceItem]:
    """What the model says of the texts that it is shown on."""
    project = _project(store, "Sentiment", _rows_file(scratch / "shown.jsonl", _shown_on()))
    for method, seeds in methods.items():
        parameters = {"samples": N_SAMPLES} if method == "lime" else {}
        options = AttributingOptions(
            seeds=seeds, parameters=parameters, has_faithfulness=True, load=LoadOptions(device="cpu")
        )
        attribute(store, LOCAL_OPERATOR, project, f"transformers:{folder}", method, options, progress=_progress)
    items = [item for item in everything_of(store, project) if isinstance(item, StoredOutput)]
    # Their top k is by this project's gold; the demonstration's k is another, so that each would be a row of Metrics.
    # What is too long would be refused, which need not stand in every row: nothing is.
    outputs = [
        replace(item, run=_without_too_long(item.run), output=replace(item.output, rationales=())) for item in items
    ]
    order = ["", *methods]
    yield from sorted(outputs, key=lambda item: order.index(item.run.method))


def _without_too_long(run: Run) -> Run:
    parameters = {name: value for name, value in json.loads(run.parameters).items() if name != "too_long"}
    return replace(run, parameters=json.dumps(parameters))


def _project(store: Store, name: str, path: Path) -> Project:
    project = create_project(store, LOCAL_OPERATOR, name, get_task("sentiment"), labels=("negative", "positive"))
    import_file(store, LOCAL_OPERATOR, project, "jsonl", path, ImportOptions())
    return project


def _english() -> list[dict[str, Any]]:
    rows = map(json.loads, (DATA / "instances.jsonl").read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["language"] == "en"]


def _shown_on() -> list[dict[str, Any]]:
    """The English texts of one paragraph, and the longer ones that have rationales, so that there are twenty with gold."""
    return [row for row in _english() if "\n" not in row["text"] or "rationales" in row]


def _rows_file(path: Path, rows: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def _progress(done: int, of: int) -> None:
    if done == of:
        click.echo(f"{done} of {of} done")


def _round(path: Path) -> None:
    """Five digits that count: no map shows more, and the file is half as large."""
    lines = path.read_text(encoding="utf-8").splitlines()
    _rows_file(path, [_rounded(json.loads(line)) for line in lines])


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}")
        case list():
            return [_rounded(item) for item in value]
        case dict():
            return {name: _rounded(item) for name, item in value.items()}
    return value


def _card(report: TrainingReport, base: Path, methods: Methods) -> str:
    """The card that every training writes, with what the model is shown on."""
    card, held_out = Card.read(report.folder), report.held_out
    if card is None or held_out is None:
        raise ModelError("The training wrote no card, or judged no texts.")
    digest = hashlib.sha256((base / "model.safetensors").read_bytes()).hexdigest()
    base_name = f"{BASES.get(digest, base.name)}, weights {digest}"
    shown_on = SHOWN_ON.format(
        n=held_out.n, n_long=len(_english()) - len(_shown_on()), n_right=held_out.n_right, share=percent(held_out.accuracy),
        n_versions=len(_shown_on()) - held_out.n, label=held_out.label, n_label=held_out.n_label,
        methods=", ".join(methods), n_samples=N_SAMPLES,
    )  # fmt: skip
    return replace(card, base=base_name).text() + shown_on


if __name__ == "__main__":
    main()
