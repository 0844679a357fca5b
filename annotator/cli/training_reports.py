"""What `annotator train` answers: the epochs of a training, the rows of a sweep, and what alignment brought."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.answers import print_json
from annotator.cli.gain_lines import gain_lines, proof_as_json
from annotator.domain.numbers import counted, percent
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.usecases.models.alignment_gains import INDEPENDENT, TRAINED
from annotator.usecases.models.alignment_proofs import (
    AlignmentProof,
    alignment_proof,
    ask_for_proof,
    plausibility_alone,
)
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.models.related_models import aligned_with, cards_in

if TYPE_CHECKING:
    from annotator.usecases.databases import Store
    from annotator.usecases.training.sweeps import Trial
    from annotator.usecases.training.transformers import TrainingReport

_OF_ANSWERS = ("answer F1", "answer F1 of those with an answer", "of those without an answer told right")
_HEADS = {TRAINED: "gradient × input", INDEPENDENT: "occlusion"}


@dataclasses.dataclass(frozen=True, slots=True)
class Proofs:
    """What models are asked for after their trainings. folder: where they lie; None: among the project's."""

    store: "Store"
    project: Project
    folder: Path | None
    progress: Callable[[int, int], None]

    def plausibility(self, name: str) -> dict[str, float | None]:
        """By method, of one model, which is asked now."""
        self._ask(name)
        return plausibility_alone(self.store, LOCAL_OPERATOR, self.project, name, self.folder)

    def lines(self, groups: Sequence[Sequence[str]]) -> Iterator[str]:
        """Of each group of seeds what its alignment brought."""
        for proof in self._of(groups):
            yield from gain_lines(proof)

    def as_json(self, groups: Sequence[Sequence[str]]) -> list[dict[str, object]]:
        return [proof_as_json(proof) for proof in self._of(groups)]

    def around(self, name: str) -> list[tuple[str]]:
        """The aligned models that a model says something about, each by itself."""
        return [(of,) for of in aligned_with(name, cards_in(self.folder or models_folder(self.store, self.project)))]

    def _of(self, groups: Sequence[Sequence[str]]) -> Iterator[AlignmentProof]:
        for names in groups:
            for name in names:
                self._ask(name)
            proof = alignment_proof(self.store, LOCAL_OPERATOR, self.project, names, self.folder)
            if proof is not None:
                yield proof

    def _ask(self, name: str) -> None:
        """A model that cannot be asked is trained all the same, so that this ends nothing."""
        try:
            ask_for_proof(self.store, LOCAL_OPERATOR, self.project, name, self.folder, progress=self.progress)
        except AnnotatorError as error:
            click.echo(f"What the alignment of '{name}' brought could not be computed. {error}", err=True)


def show_training(report: "TrainingReport", proofs: Proofs, *, as_json: bool) -> None:
    """The epochs, what was learned from, and what the alignment brought."""
    from annotator.usecases.models.model_trust import held_out_summary
    from annotator.usecases.papers.alignment_losses import alignment_slope

    data = report.data
    if as_json:
        print_json(_as_json(report) | {"proofs": proofs.as_json(proofs.around(report.name))})
        return
    click.echo("epoch      loss  alignment  validation loss  accuracy  seconds")
    for number, epoch in enumerate(report.fitted.epochs):
        mark = "*" if number == report.fitted.best else " "
        click.echo(
            f"{number + 1:5}{mark} {epoch.task_loss:8.4f}  {_number(epoch.alignment_loss):>9}  "
            f"{_number(epoch.validation_loss):>15}  {_number(epoch.validation_accuracy):>8}  {epoch.seconds:7.1f}"
        )
    of_them = f"{data.n_with_rationales:,} of them with rationales"
    if data.n_with_rationales < data.n_could:
        of_them += f" (chosen among {data.n_could:,})"
    click.echo(
        f"Learned from {counted(len(data.learn), 'text')}, {of_them}; stopped by {counted(len(data.stop), 'text')}."
    )
    if report.n_lost:
        click.echo(
            f"The model does not see {counted(report.n_lost, 'token')} of the rationales: the texts are too long."
        )
    click.echo(held_out_summary(report.held_out))
    if data.n_absent:
        left_out = counted(data.n_absent, "text")
        click.echo(f"Left out as the gold answer does not stand in the text: {left_out}.")
    if "answer F1" in report.scores:
        rest = [(name, report.scores[name]) for name in _OF_ANSWERS if name in report.scores]
        click.echo("; ".join(f"{name} {percent(value)}" for name, value in rest) + ".")
    slope = alignment_slope(report.fitted.epochs)
    if slope is not None:
        click.echo(f"Validation accuracy over the alignment loss, by epoch: slope {slope[0]:.4f}, R² {slope[1]:.2f}.")
    for line in proofs.lines(proofs.around(report.name)):
        click.echo(line)
    click.echo(f"{'Saved' if report.is_new else 'Was there already'}: transformers:{report.folder}")


def _as_json(report: "TrainingReport") -> dict[str, object]:
    from annotator.usecases.papers.alignment_losses import alignment_slope

    data, slope = report.data, alignment_slope(report.fitted.epochs)
    is_reading = "answer F1" in report.scores
    return {
        "model": f"transformers:{report.folder}",
        "learned_from": len(data.learn),
        "with_rationales": data.n_with_rationales,
        "could_have_rationales": data.n_could,
        "validation": len(data.stop),
        "epochs": [dataclasses.asdict(epoch) for epoch in report.fitted.epochs],
        "best_epoch": report.fitted.best + 1,
        "alignment_slope": None if slope is None else {"slope": slope[0], "r_squared": slope[1]},
        "held_out": None if report.held_out is None else dataclasses.asdict(report.held_out),
        **({"scores": dict(report.scores), "left_out": data.n_absent} if is_reading else {}),
        "is_new": report.is_new,
    }


def show_sweep(
    trials: "Sequence[Trial]", reports: "Iterator[TrainingReport]", proofs: Proofs, *, as_json: bool
) -> None:
    """A row as soon as a trial is done; below the rows what each alignment brought, over its seeds."""
    is_aligned = any(trial.options.fitting.alignment is not None for trial in trials)
    if as_json:
        done = list(zip(trials, reports, strict=True))
        rows = [{"name": trial.name, "values": trial.values, **_as_json(report)} for trial, report in done]
        print_json({"trials": rows, "proofs": proofs.as_json(_by_alignment(done))})
        return
    width = max(len(trial.name) for trial in trials)
    more = f"  {_HEADS[TRAINED]:>16}  {_HEADS[INDEPENDENT]:>9}" if is_aligned else ""
    click.echo(f"{'model':<{width}}  epochs  validation loss  accuracy  held out  alignment{more}")
    shown = []
    for trial, report in zip(trials, reports, strict=True):
        best = report.fitted.epochs[report.fitted.best]
        held_out = None if report.held_out is None else report.held_out.accuracy
        plausibility = proofs.plausibility(report.name) if is_aligned else {}
        click.echo(
            f"{trial.name:<{width}}  {len(report.fitted.epochs):>6}  {_number(best.validation_loss):>15}  "
            f"{_number(best.validation_accuracy):>8}  {_number(held_out):>8}  {_number(best.alignment_loss):>9}"
            + "".join(f"  {_number(plausibility.get(of)):>{max(9, len(_HEADS[of]))}}" for of in _HEADS if is_aligned)
            + ("" if report.is_new else "   was there already")
        )
        shown.append((trial, report))
    for line in proofs.lines(_by_alignment(shown)):
        click.echo(line)


def _by_alignment(done: "Sequence[tuple[Trial, TrainingReport]]") -> list[list[str]]:
    """The aligned models but for controls, those together that differ in the seed alone."""
    groups: dict[str, list[str]] = {}
    for trial, report in done:
        values = {name: value for name, value in trial.values.items() if name != "seed"}
        if trial.options.fitting.alignment is not None and trial.options.data.rationales.source != "shuffled":
            groups.setdefault(repr(values), []).append(report.name)
    return list(groups.values())


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
