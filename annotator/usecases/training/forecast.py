"""What a training will learn from, whether it can begin, and the models that were trained here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import msgspec

from annotator.domain.numbers import counted, percent
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.language import _, several, together
from annotator.metrics.significance import FEWEST
from annotator.store import Store
from annotator.store.events import list_events
from annotator.store.models import splits_of
from annotator.store.suites import list_word_lists
from annotator.training.card import Card
from annotator.training.trainable_models import PIPELINES
from annotator.training.word_vectors import vector_sentence
from annotator.usecases.access.rights import require
from annotator.usecases.models.model_places import models_folder, require_allowed_place, under_way_of
from annotator.usecases.models.model_trust import Trainings, held_out_summary
from annotator.usecases.models.related_models import with_shuffled_rationales, without_alignment
from annotator.usecases.training.architectures import check_architecture
from annotator.usecases.training.examples import DataOptions, training_data
from annotator.usecases.training.transformers import TrainingOptions, TrainingReport, model_folder

Standing = Literal["free", "stopped", "there"]  # of a name: nothing has it, a training that was stopped, or a model

_PACKAGES = ("torch", "transformers", "tokenizers")
_TRANSFORMERS = "transformers:"


@dataclass(frozen=True, slots=True)
class Forecast:
    """Texts with a gold label: how many are learned from, of them with rationales, stopped by, and judged by.

    n_without_answer: of a project that asks for answers, how many to learn from have none; None where labels are asked for
    n_absent:         how many are left out there, as their answer does not stand in the text
    """

    n_learn: int
    n_with_rationales: int
    n_stop: int
    n_judge: int
    n_without_answer: int | None = None
    n_absent: int = 0

    def summary(self) -> str:
        """In a sentence.

        >>> Forecast(290, 286, 32, 138).summary()
        'Trains on 290 texts with gold (286 with rationales), uses 32 for early stopping, and is tested on 138.'
        >>> Forecast(47, 21, 11, 11).summary()
        'Trains on 47 texts with gold (21 with rationales), uses 11 for early stopping, and is tested on 11, too few for \
accuracy (needs 20).'
        >>> Forecast(3, 0, 0, 0).summary()
        "Trains on 3 texts with gold (none with rationales), runs to the last epoch (no early stopping), and isn't tested \
(no other split has gold)."
        >>> Forecast(80, 0, 10, 30, 20, 3).summary()
        'Trains on 80 texts with gold (20 “no answer”), uses 10 for early stopping, and is tested on 30. 3 texts are left out: \
they lack their gold answers.'
        """
        learns = (
            self._labels_to_learn() if self.n_without_answer is None else self._answers_to_learn(self.n_without_answer)
        )
        sentence = _("{learns}, {stops}, and {judged}.", learns=learns, stops=self._stops(), judged=self._judged())
        if not self.n_absent:
            return sentence
        left_out = several(
            "{n} text is left out: it lacks its gold answer.",
            "{n} texts are left out: they lack their gold answers.",
            self.n_absent,
        )
        return together(sentence, left_out)

    def _labels_to_learn(self) -> str:
        n = f"{self.n_with_rationales:,}" if self.n_with_rationales else _("none")
        return several(
            "Trains on {n} text with gold ({n_marked} with rationales)",
            "Trains on {n} texts with gold ({n_marked} with rationales)",
            self.n_learn, n_marked=n
        )  # fmt: skip

    def _answers_to_learn(self, n_without: int) -> str:
        n = f"{n_without:,}" if n_without else _("none")
        return several(
            "Trains on {n} text with gold ({n_without} “no answer”)",
            "Trains on {n} texts with gold ({n_without} “no answer”)",
            self.n_learn, n_without=n
        )  # fmt: skip

    def _stops(self) -> str:
        if not self.n_stop:
            return _("runs to the last epoch (no early stopping)")
        return _("uses {n} for early stopping", n=f"{self.n_stop:,}")

    def _judged(self) -> str:
        if not self.n_judge:
            return _("isn't tested (no other split has gold)")
        n = f"{self.n_judge:,}"
        if self.n_judge >= FEWEST:
            return _("is tested on {n}", n=n)
        return _("is tested on {n}, too few for accuracy (needs {least})", n=n, least=FEWEST)


@dataclass(frozen=True, slots=True)
class Choices:
    """What a project has to choose from. splits: with how many texts each; word_lists: those that mark words."""

    splits: Mapping[str, int]
    word_lists: tuple[str, ...]


def missing_package() -> str | None:
    """The package that training needs and this machine does not have; found out without loading any."""
    return next((package for package in _PACKAGES if find_spec(package) is None), None)


def missing_words(package: str) -> str:
    """What is missing, and how it is installed."""
    return _("Training needs {package}. Run: pip install 'rationale-annotator[models]'.", package=package)


def choices(store: Store, actor: User, project: Project) -> Choices:
    """The splits of a project and its word lists."""
    require(store, actor, project.id, "use models")
    lists = (words.name for words in list_word_lists(store, project.id) if words.role in {"keep", "ignore"})
    return Choices(splits_of(store, project.id), tuple(lists))


def forecast(store: Store, actor: User, project: Project, options: DataOptions) -> Forecast:
    """What is learned from.

    Raises: InvalidValue for a split or a word list that is not there, ModelError where there is nothing to learn
    """
    require(store, actor, project.id, "use models")
    with store.snapshot():
        data = training_data(store, project, options)
    n_without_answer = data.n_without_answer if project.task.result_kind == "answer" else None
    return Forecast(
        len(data.learn), data.n_with_rationales, len(data.stop), len(data.judge), n_without_answer, data.n_absent
    )


def last_event(store: Store, actor: User, project: Project) -> int:
    """The number of the last thing that happened in a project: what was forecast before it may be otherwise now."""
    require(store, actor, project.id, "use models")
    return next((event.id for event in list_events(store, project.id, limit=1)), 0)


def standing_of(store: Store, actor: User, project: Project, name: str) -> Standing:
    """Whether a model of a name can be made; raises InvalidValue for a name that none can have."""
    require(store, actor, project.id, "use models")
    folder = model_folder(store, project, name)
    if folder.exists():
        return "there"
    return "stopped" if under_way_of(folder).exists() else "free"


def free_name(store: Store, project: Project, wanted: str) -> str:
    """A name, or with a number behind it the first that nothing has yet."""
    taken = {path.name.removesuffix(".training") for path in models_folder(store, project).glob("*")}
    names = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def base_of(written: str) -> str:
    """The folder or name of a model as a person writes it, with or without what kind of model it is.

    Raises: InvalidValue for nothing, or another kind of model

    >>> base_of(" transformers:models/bert "), base_of("owner/bert")
    ('models/bert', 'owner/bert')
    """
    base = written.strip().removeprefix(_TRANSFORMERS).strip()
    if not base:
        raise InvalidValue(_("Give a pretrained model (transformers:FOLDER-OR-NAME)."))
    kind, colon, _other = base.partition(":")
    if colon and kind in {"spacy", "built-in", "transformers-zero-shot", "transformers-writing"}:
        raise InvalidValue(_("Can't train on '{base}'. Use transformers:FOLDER-OR-NAME.", base=base))
    return base


def require_allowed_base(store: Store, project: Project, base: str | None) -> None:
    """Raise NotAllowed for a base in a folder that neither the server allows nor the project's own models are in."""
    if base is not None:
        require_allowed_place(f"{_TRANSFORMERS}{base}", models_folder(store, project))


def check_training(store: Store, actor: User, project: Project, name: str, options: TrainingOptions) -> None:
    """Raise what would end a training at its beginning, so that nobody waits for it.

    Raises: ModelError without the packages, or where there is nothing to learn; InvalidValue for a name that is taken, and for
            rationales that are to be aligned with where no text has any; NotAllowed for a base at a place that is not allowed
    """
    if package := missing_package():
        raise ModelError(missing_words(package))
    check_architecture(project, options.model, options.fitting)
    for path in (options.model.base, options.model.vectors):
        require_allowed_base(store, project, path)
    if standing_of(store, actor, project, name) == "there" and not options.is_anew:
        raise InvalidValue(_("'{name}' already exists. Choose another name, or replace it.", name=name))
    foreseen = forecast(store, actor, project, options.data)
    if options.model.architecture in PIPELINES and not foreseen.n_with_rationales:
        raise ModelError(_("No training text has a rationale, which pipelines need. Annotate some first."))
    if options.fitting.alignment is not None and not foreseen.n_with_rationales:
        raise InvalidValue(_("No training text has a rationale to align with. Choose other rationales."))


# The models of a project that were trained here, as people read of them: how often they are right, and their cards.


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
        *model_sentences(report),
    ]
    if report.n_lost:
        sentences.append(
            f"It does not see {counted(report.n_lost, 'token')} of the rationales: the texts are too long."
        )
    return " ".join(sentences)


def model_sentences(report: TrainingReport) -> Iterator[str]:
    """What is particular to a kind of model: what is selected, and what became of word vectors."""
    # Of a pipeline, how well it selects, and where its answers go wrong. scores: as in its card.
    scores = report.scores
    if "selections of" in scores:
        texts = f"{scores['texts whose selection was judged']:,} {scores['selections of']}"
        evidence, selected = (percent(scores[f"accuracy on {of}"]) for of in ("people's evidence", "its selection"))
        errors = [percent(scores[f"wrong, having selected {what}"]) for what in ("evidence", "something else")]
        yield (
            f"On {texts} it selects evidence in {percent(scores['evidence selected'])}; correct on people's evidence "
            f"{evidence}, on its own {selected}; wrong {errors[0]} having selected evidence, {errors[1]} something else."
        )
    yield from _mask_sentences(report.scores)
    yield from filter(None, [vector_sentence(report.vectors)])


def _mask_sentences(scores: Mapping[str, Any]) -> Iterator[str]:
    """Of a rationaliser, how much it selects, and whether that tells words apart. scores: as in its card."""
    if "masks of" not in scores:
        return
    nothing, everything = (percent(scores[f"accuracy with {what} selected"]) for what in ("nothing", "everything"))
    texts = f"{scores['texts whose masks were looked at']:,} {scores['masks of']}"
    yield (
        f"On {texts} it selects {scores['share selected']} of the subwords; correct with nothing selected {nothing}, with "
        f"everything {everything}."
    )
    if "degenerate mask" in scores:
        yield (
            f"Its mask is {scores['degenerate mask']}: it tells no words apart. Train with --supervision, another --sparsity, "
            "--learning-rate or --seed."
        )
