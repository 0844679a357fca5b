"""A transformers model trained on a project's gold: made, taught, saved beside the database with its card, written down."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from annotator.attribution.architectures.lstm import WORD_VECTORS
from annotator.attribution.base import TooLong
from annotator.attribution.built_in_model import BagOfWords
from annotator.attribution.loaders import BUILT_IN
from annotator.domain.models import HeldOut
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.files import part_folder, sync_folder
from annotator.language import _
from annotator.store import Store
from annotator.store.connection.file_access import make_folder, share_like
from annotator.store.connection.replacement import models_of
from annotator.store.events import require_open
from annotator.store.models import has_outputs, last_detail
from annotator.store.trained_models import find_training, ids_learned_from
from annotator.training.alignment import AlignmentOptions, Criterion, Extractor, OfSeveral
from annotator.training.card import STRETCH, Card, versions_here
from annotator.training.examples import Example, Row, answer_rows, rows_of, told_by_key
from annotator.training.loop import Checkpoint, Fitted, FittingOptions, answered, fit
from annotator.training.pipelines import pipeline_outcome
from annotator.training.rationalisers import PRESETS as RATIONALISER_PRESETS
from annotator.training.rationalisers import RationaliserOptions, selected
from annotator.training.trainable_models import LSTM_PRESETS, PIPELINES, Architecture, NewModel, Output, Trainable, make
from annotator.usecases.access.rights import require
from annotator.usecases.models.built_in_model import TRAIN_MODEL, held_out_of, is_model_name, record_training
from annotator.usecases.models.engines import Doing, Setup
from annotator.usecases.models.model_places import models_folder, under_way_of
from annotator.usecases.training import architectures
from annotator.usecases.training.examples import (
    LEARNED,
    DataOptions,
    RationaleOptions,
    TrainingData,
    learned_in,
    training_data,
)

__all__ = [
    "LSTM_PRESETS", "PIPELINES", "RATIONALISER_PRESETS", "AlignmentOptions", "Architecture", "Criterion",
    "DataOptions", "Extractor", "FittingOptions", "NewModel", "OfSeveral", "Output", "RationaleOptions",
    "RationaliserOptions", "TooLong",
]  # fmt: skip

_WEIGHTS = "model.safetensors"
_VECTORS = "word vectors"
_LOST = "rationale tokens that it does not see"
_LONG_TEXTS = {
    "refuse": "refused beyond {limit:,} pieces",
    "cut": "cut at the end beyond {limit:,} pieces",
    "windows": "read in windows of {limit:,} pieces that overlap by half",
}
_READS = {
    "text": "the text",
    "words": "the mean over the words",
    "target": "the first piece of the target",
    "label words": "the words of the labels",
    "answer": "a stretch of the text, or [CLS] for no answer",
}


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """What is trained, on what, and how.

    model:  its labels are the project's, whatever stands there
    folder: where it is saved; None: beside the database
    anew:   a model of this name that is there is replaced, and a training with other texts or settings that was stopped is
            begun again
    """

    model: NewModel = field(default_factory=lambda: NewModel(()))
    data: DataOptions = field(default_factory=DataOptions)
    fitting: FittingOptions = field(default_factory=FittingOptions)
    folder: Path | None = None
    is_anew: bool = False


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What was trained.

    n_lost: rationale tokens that the model does not see; is_new: it was not there in just this form; scores: as in its card
    vectors: what became of a file of word vectors, as in its card
    """

    name: str
    folder: Path
    data: TrainingData
    fitted: Fitted
    held_out: HeldOut | None
    n_lost: int
    is_new: bool = True
    scores: Mapping[str, Any] = field(default_factory=dict)
    vectors: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_aligned(self) -> bool:
        return any(epoch.alignment_loss is not None for epoch in self.fitted.epochs)


def train_transformer(
    store: Store, actor: User, project: Project, name: str, options: TrainingOptions, *,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> TrainingReport:  # fmt: skip
    """Train a model on a project's gold and save it; `transformers:FOLDER` then names it wherever a model is asked for.

    A training that was stopped goes on from its last whole epoch when it is asked for again with the same options; one that is
    finished stays, and is told as it was.

    Raises: InvalidValue for options, a name or a folder that will not do; ModelError where there is nothing to learn from,
            or the training fails
    """
    planned = plan_training(store, actor, project, name, options)
    if isinstance(planned, TrainingReport):
        return planned
    return store_training(store, actor, planned, learned(planned, partial(_under_way, store, planned), progress))


@dataclass(frozen=True, slots=True)
class PlannedTraining:
    """A training that is to be done, and all that it needs: it is done without the database."""

    project: Project
    name: str
    folder: Path
    data: TrainingData
    new: NewModel
    options: TrainingOptions
    plan: str
    before: "_Before"

    def with_whole_paths(self) -> "PlannedTraining":
        """The same for a process with another working folder."""
        base, vectors = (
            str(whole) if path is not None and (whole := Path(path).expanduser().resolve()).exists() else path
            for path in (self.new.base, self.new.vectors)
        )
        return replace(self, new=replace(self.new, base=base, vectors=vectors))


@dataclass(frozen=True, slots=True)
class LearnedModel:
    """What a training came to. save: writes the model into an empty folder; facts: for its card."""

    save: Callable[[Path], object]
    fitted: Fitted
    held_out: HeldOut | None
    facts: Mapping[str, Any]
    scores: Mapping[str, Any]
    card: Card


def plan_training(
    store: Store, actor: User, project: Project, name: str, options: TrainingOptions
) -> PlannedTraining | TrainingReport:
    """What is to be done; the report of a training that is there already. Raises: as `train_transformer`."""
    require(store, actor, project.id, "use models")
    require_open(store, project.id)
    options = _with_rationaliser(options)
    architectures.check_architecture(project, options.model, options.fitting)
    folder = model_folder(store, project, name, options)
    data = _data(store, project, options)
    new = _new_model(project, data, options)
    plan = _plan(data, new, options)
    if folder.exists() and not options.is_anew:
        return _finished(store, project, name, folder, data, plan)
    return PlannedTraining(project, name, folder, data, new, options, plan, _learned_before(store, project, new))


def learned(
    planned: PlannedTraining,
    under_way: Callable[[], Path],
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> LearnedModel:
    """The training itself. under_way: makes the folder of its checkpoint, from which it goes on."""
    data, new, options = planned.data, planned.new, planned.options
    trainable, rows = _unlearned(
        planned.name, data, new, options
    )  # before the long part: a text that is too long for it ends it here
    fitted = fit(
        trainable, rows.learn, rows.stop, options.fitting,
        checkpoint=Checkpoint(under_way() / "checkpoint.pt", planned.plan, is_anew=options.is_anew), progress=progress,
    )  # fmt: skip
    facts, held_out, scores = _judged(trainable, data, rows, options.fitting.rationaliser)
    if vectors := getattr(trainable.model.config, WORD_VECTORS, None):
        facts[_VECTORS] = vectors
    card = _card(planned.project, planned.name, trainable, new, data, fitted, options)
    return LearnedModel(trainable.save, fitted, held_out, facts, scores, card)


def store_training(store: Store, actor: User, planned: PlannedTraining, model: LearnedModel) -> TrainingReport:
    """Save the model and its card, and write down what it learned from."""
    if planned.options.folder is None:
        make_folder(models_of(store.path), store.path)
    name, folder, data, before, options = planned.name, planned.folder, planned.data, planned.before, planned.options
    facts = {**model.facts, **({"texts learned before": len(before.ids)} if planned.new.keeps_head else {})}
    card = replace(model.card, plan=planned.plan, data={**model.card.data, **facts}, scores=model.scores)
    digest = _save(model.save, folder, card, sorted(before.digests | data.digests))
    shutil.rmtree(under_way_of(folder), ignore_errors=True)
    share_like(models_of(store.path), store.path)
    record_training(
        store, actor, planned.project, name, kind="transformers", digest=digest, seed=options.fitting.seed,
        split=data.split, held_out=model.held_out,
        instance_ids=sorted(before.ids | {example.id for example in data.learn}),
    )  # fmt: skip
    vectors = facts.get(_VECTORS, {})
    return TrainingReport(
        name, folder, data, model.fitted, model.held_out, facts.get(_LOST, 0), scores=model.scores, vectors=vectors
    )


# A training that is done by a worker elsewhere (see `models.engines`).


def _files_of(save: Callable[[Path], object]) -> dict[str, bytes]:
    """The files of a model's folder, which a worker sends."""
    with tempfile.TemporaryDirectory() as name:
        save(Path(name))
        files = [file for file in Path(name).rglob("*") if file.is_file()]
        return {file.relative_to(name).as_posix(): file.read_bytes() for file in files}


def _write_files(content_by_name: Mapping[str, bytes], folder: Path) -> None:
    for name, content in content_by_name.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def training_setup(options: TrainingOptions) -> Setup:
    """What a worker needs to train: nothing that is loaded before."""
    new = options.model
    path = Path(new.base or new.vectors or "").expanduser().resolve()
    has_files = (new.base or new.vectors) is not None and path.exists()
    return Setup(_training, new.threads, new.device, path if has_files else None)


def _training() -> Doing:
    return _trained_elsewhere


def _trained_elsewhere(planned: PlannedTraining) -> Iterator[LearnedModel]:
    """From the beginning, since a checkpoint is left where it was made."""
    with tempfile.TemporaryDirectory() as name:
        model = learned(planned, lambda: Path(name))
        yield replace(model, save=partial(_write_files, _files_of(model.save)))


@dataclass(frozen=True, slots=True)
class _Before:
    """What a base whose head is kept learned from: the instances of this project, and digests as in its folder."""

    ids: frozenset[int] = frozenset()
    digests: frozenset[str] = frozenset()


def _learned_before(store: Store, project: Project, new: NewModel) -> _Before:
    if not new.keeps_head or new.base is None:
        return _Before()
    folder = Path(new.base).expanduser()
    card, training = Card.read(folder), find_training(store, project.id, folder.name)
    is_same = card is not None and training is not None and training.digest == card.digest
    ids = frozenset(ids_learned_from(store, training.id)) if training is not None and is_same else frozenset()
    return _Before(ids, learned_in(folder) if (folder / LEARNED).exists() else frozenset())


def check_lengths(store: Store, project: Project, name: str, options: TrainingOptions) -> None:
    """Raise ModelError where a text is too long for the model that a training would begin with."""
    data = _data(store, project, options)
    _unlearned(name, data, _new_model(project, data, options), options)


def _data(store: Store, project: Project, options: TrainingOptions) -> TrainingData:
    """What there is to learn from; of a pipeline only what has rationales."""
    fitting, is_pipeline = options.fitting, options.model.architecture in PIPELINES
    is_supervised = fitting.rationaliser is not None and fitting.rationaliser.supervision > 0
    uses_rationales = is_pipeline or is_supervised or fitting.alignment is not None
    with store.snapshot():
        data = training_data(store, project, options.data, uses_rationales=uses_rationales)
    if not is_pipeline:
        return data
    learn, stop = (tuple(example for example in part if example.sets) for part in (data.learn, data.stop))
    architectures.check_evidence(learn)
    return replace(data, learn=learn, stop=stop)


def _with_rationaliser(options: TrainingOptions) -> TrainingOptions:
    """A rationaliser learns as usual where nothing is said of it."""
    if options.model.architecture != "lei" or options.fitting.rationaliser is not None:
        return options
    return replace(options, fitting=replace(options.fitting, rationaliser=RationaliserOptions()))


def _new_model(project: Project, data: TrainingData, options: TrainingOptions) -> NewModel:
    """With the project's labels that there is something to learn of."""
    known = {example.label for example in data.learn}
    return replace(options.model, labels=tuple(label for label in project.labels if label in known))


def _unlearned(name: str, data: TrainingData, new: NewModel, options: TrainingOptions) -> tuple[Trainable, "_Rows"]:
    """The model before it has learned anything, and the texts as its subwords."""
    texts = [segment.text for example in data.learn for segment in example.input.segments]
    made = make(new, texts, options.fitting.seed)
    trainable = replace(made, name=name, cutter=replace(made.cutter, model_name=name))
    with told_by_key(trainable.cutter, (*data.learn, *data.stop, *data.judge)):
        return trainable, _Rows.of(trainable, data)


def _finished(store: Store, project: Project, name: str, folder: Path, data: TrainingData, plan: str) -> TrainingReport:
    """What a training came to that is there already; raises where it learned from other texts, or in another way."""
    card = Card.read(folder)
    if card is None or card.plan != plan:
        raise InvalidValue(_("{folder} has a different model. Choose another name, or --again.", folder=folder))
    training = find_training(store, project.id, name)
    held_out = None if training is None else training.held_out
    fitted = Fitted(card.epochs, card.best_epoch)
    n_lost = card.data.get(_LOST, 0)
    vectors = card.data.get(_VECTORS, {})
    return TrainingReport(
        name, folder, data, fitted, held_out, n_lost, is_new=False, scores=card.scores, vectors=vectors
    )


def model_folder(store: Store, project: Project, name: str, options: TrainingOptions = TrainingOptions()) -> Path:
    """Where the model goes; raises InvalidValue before anything is done where that will not do."""
    if not is_model_name(name):
        raise InvalidValue(_("Invalid model name '{name}'. Use up to 61 letters, digits, . _ and -.", name=name))
    folder = (options.folder or models_folder(store, project)) / name
    is_foreign = last_detail(store, project.id, TRAIN_MODEL, name) is None and has_outputs(store, project.id, name)
    if name == BUILT_IN or BagOfWords.is_saved(folder) or is_foreign:
        raise InvalidValue(_("'{name}' already exists. Choose another name.", name=name))
    return folder


def _under_way(store: Store, planned: PlannedTraining) -> Path:
    """The folder of what is not finished, beside the model's."""
    if planned.options.folder is None:
        make_folder(models_of(store.path), store.path)
    under_way = under_way_of(planned.folder)
    under_way.mkdir(parents=True, exist_ok=True)
    return under_way


def _plan(data: TrainingData, new: NewModel, options: TrainingOptions) -> str:
    """What makes two trainings the same one."""
    texts = [
        (e.id, e.label, sorted(map(sorted, e.sets)), [s.text for s in e.input.segments])
        for e in (*data.learn, *data.stop)
    ]
    fitting = asdict(options.fitting)
    if options.fitting.rationaliser is None:  # plans from before there was one stay the same
        del fitting["rationaliser"]
    if options.fitting.alignment is not None:
        fitting["alignment"] = options.fitting.alignment.as_plan()
    whole = json.dumps([texts, new.as_plan(), fitting], sort_keys=True, default=str)
    return hashlib.sha256(whole.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Rows:
    """Texts as subwords: to learn from, to stop by, to judge by. left_out: of those to learn from, by a reading model."""

    learn: list[Row]
    stop: list[Row]
    judge: list[Row]
    left_out: architectures.LeftOut = field(default_factory=architectures.LeftOut)

    @staticmethod
    def of(trainable: Trainable, data: TrainingData) -> "_Rows":
        if trainable.is_reading:
            learn, left_out = architectures.rows_with_answers(trainable, data.learn)
            architectures.check_answers(learn)
            stop, _other = architectures.rows_with_answers(trainable, data.stop)
            return _Rows(learn, stop, answer_rows(trainable.cutter, data.judge), left_out)
        labels, reads_target = trainable.labels, trainable.network.reads == "target"
        known = ([e for e in part if e.label in labels] for part in (data.learn, data.stop, data.judge))
        learn, stop, judge = (rows_of(trainable.cutter, part, labels, reads_target=reads_target) for part in known)
        return _Rows(learn, stop, judge)


def _judged(
    trainable: Trainable, data: TrainingData, rows: _Rows, rationaliser: RationaliserOptions | None
) -> tuple[dict[str, Any], HeldOut | None, dict[str, Any]]:
    """What the card says of the texts beside their number, how often the model is right, and its scores."""
    if trainable.is_reading:
        outcome = architectures.judged_answers(trainable, rows.learn, rows.stop, rows.judge)
        facts = {**architectures.answer_facts(data, rows.learn, rows.left_out), **outcome.facts}
        return facts, outcome.held_out, outcome.scores
    held_out = held_out_of("splits", _asked(trainable, data.judge, rows.judge))
    scores: dict[str, Any] = (
        {} if held_out is None else {"way": held_out.way, "texts": held_out.n, "accuracy": held_out.accuracy}
    )
    if rationaliser is not None:
        scores |= selected(trainable, rows.judge or rows.learn, rationaliser).facts()
        scores["masks of"] = "held-out texts" if rows.judge else "training texts"
    if trainable.is_pipeline:
        judged = [row for row in rows.judge if row.gold.any()]
        scores |= pipeline_outcome(trainable, judged or rows.learn).facts()
        scores["selections of"] = "held-out texts" if judged else "training texts"
    return {_LOST: sum(row.n_lost for row in rows.learn)}, held_out, scores


def _asked(trainable: Trainable, examples: Sequence[Example], rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Gold label and answer of texts that were not learned from. rows: of those with a label that the model knows."""
    labels = trainable.labels
    best = answered(trainable, rows).argmax(axis=1)
    right = [(labels[row.target], labels[answer]) for row, answer in zip(rows, best, strict=True)]
    return right + [
        (example.label, "") for example in examples if example.label not in labels
    ]  # it cannot be right there


def _card(
    project: Project, name: str, trainable: Trainable, new: NewModel, data: TrainingData, fitted: Fitted,
    options: TrainingOptions,
) -> Card:  # fmt: skip
    counts = {label: sum(e.label == label for e in data.learn) for label in trainable.labels}
    facts = {
        "project": project.name,
        "split": data.split or "all",
        "texts": len(data.learn),
        **({"of each label": counts} if counts else {}),
        "with rationales": data.n_with_rationales,
        **_rationale_facts(data, options.data.rationales),
        "gold policy": options.data.gold_policy or project.settings.gold_policy,
        "validation": data.validation or "a tenth of the training texts, by document",
        "validation texts": len(data.stop),
        "answers from": _READS[new.reads],
        "long texts": _LONG_TEXTS[new.too_long].format(limit=trainable.cutter.limit)
        if trainable.cutter.limit
        else "none is too long",
    }
    output = STRETCH if trainable.is_reading else trainable.output
    return Card(
        name, "", options.model.base or "scratch", trainable.labels, output, facts, asdict(options.fitting), fitted.epochs,
        fitted.best, {}, versions_here(), asked={part: asdict(getattr(options, part)) for part in ("model", "data", "fitting")},
    )  # fmt: skip


def _rationale_facts(data: TrainingData, rationales: RationaleOptions) -> dict[str, object]:
    """What the card says of the rationales that were learned from."""
    facts: dict[str, object] = {"rationales": rationales.source}
    if rationales.word_lists:
        facts["word lists"] = ", ".join(rationales.word_lists)
    if rationales.share < 100:
        facts |= {"share": f"{rationales.share:g} % of {data.n_could:,}", "choice": rationales.choice}
    if rationales.confidence_of:
        facts |= {"confidence of": ", ".join(rationales.confidence_of), "as confident as the last chosen": data.n_tied}
    return facts


def _save(save: Callable[[Path], object], folder: Path, card: Card, learned: Sequence[str]) -> str:
    """Write the model's folder whole, in the place of an older one; answers the digest of its weights."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with part_folder(folder) as part:
        made = part / folder.name
        made.mkdir()
        save(made)
        digest = hashlib.sha256((made / _WEIGHTS).read_bytes()).hexdigest()[:16]
        replace(card, digest=digest).write(made)
        (made / LEARNED).write_text(json.dumps(learned), encoding="utf-8")
        if folder.exists():
            folder.rename(part / "old")
        made.rename(folder)
        sync_folder(folder.parent)
    return digest
