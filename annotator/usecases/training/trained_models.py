"""The models of a project that were trained here, as people read of them: how often they are right, and their cards."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.training.card import Card
from annotator.usecases.access.rights import require
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.models.model_trust import Trainings, held_out_summary
from annotator.usecases.models.trained_kin import with_shuffled_rationales, without_alignment
from annotator.usecases.training.transformers import TrainingOptions, TrainingReport


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A transformers model that lies among the project's.

    spec:    what names it wherever a model is asked for
    summary: how often it is right about what it did not learn from, in a sentence
    """

    name: str
    spec: str
    summary: str
    card: Card


def trained_models(store: Store, actor: User, project: Project) -> tuple[TrainedModel, ...]:
    """Those that have a card, by name."""
    require(store, actor, project.id, "use models")
    trainings = Trainings.of(store, project.id)
    models = []
    for folder in sorted(models_folder(store, project).glob("*/")):
        card = Card.read(folder)
        summary = trainings.summary(folder.name)
        if card is not None and summary is not None:
            models.append(TrainedModel(folder.name, f"transformers:{folder}", summary, card))
    return tuple(models)


def aligned_cards(store: Store, actor: User, project: Project, names: Sequence[str]) -> dict[str, Card]:
    """By name the cards of those models that were trained in the project with an alignment loss."""
    require(store, actor, project.id, "use models")
    folder = models_folder(store, project)
    cards = {name: Card.read(folder / name) for name in dict.fromkeys(names) if Path(name).name == name}
    return {
        name: card
        for name, card in cards.items()
        if card is not None and any(epoch.alignment_loss is not None for epoch in card.epochs)
    }


def training_of_kin(model: TrainedModel, kind: Literal["twin", "control"]) -> TrainingOptions:
    """How the twin without alignment, or the control on shuffled rationales, of a model is trained."""
    change = without_alignment if kind == "twin" else with_shuffled_rationales
    return msgspec.convert(change(model.card.asked), TrainingOptions)


def report_summary(report: TrainingReport) -> str:
    """What a training came to, in a few sentences."""
    data, n_epochs = report.data, len(report.fitted.epochs)
    learned = f"Learned from {counted(len(data.learn), 'text')}"
    if report.is_aligned:
        learned += f", {data.n_with_rationales:,} of them with rationales"
    sentences = [
        *([] if report.is_new else ["It was there already, trained in just this way."]),
        f"{learned}; its weights are those of epoch {report.fitted.best + 1:,} of {n_epochs:,}.",
        held_out_summary(report.held_out),
    ]
    if report.n_lost:
        sentences.append(
            f"It does not see {counted(report.n_lost, 'token')} of the rationales: the texts are too long."
        )
    return " ".join(sentences)
