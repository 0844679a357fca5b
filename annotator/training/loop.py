"""The loop: epochs over batches, the loss of the task and of the alignment (with attributions), early stopping, and going on."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from annotator.attribution.architectures.rationaliser import add_extractor, drop_extractor, extracted
from annotator.attribution.transformers_explainers import check_attention
from annotator.attribution.transformers_parameters import BASELINE_SUBWORDS
from annotator.attribution.transformers_predictors import two_logits
from annotator.attribution.transformers_subwords import in_batches
from annotator.errors import InvalidValue, ModelError
from annotator.files import part_folder, sync_file, sync_folder
from annotator.training.alignment import Alignment, AlignmentBatch, AlignmentOptions, align, count_judged
from annotator.training.answers import answer_loss, validated_answers
from annotator.training.card import EpochResult
from annotator.training.examples import Row, TrainingBatch, drawn_batches, training_batch
from annotator.training.pipelines import pipeline_loss, pipeline_outcome
from annotator.training.rationalisers import RationaliserOptions, rationaliser_loss, selected
from annotator.training.trainable_models import Trainable

# A model's attributions with a graph through them, so that a loss of them reaches its weights (ER-TEST, 3.2).


Tensor = Any  # torch is not imported here: whoever makes one has it


def attributed(trainable: Trainable, batch: TrainingBatch, options: AlignmentOptions) -> tuple[Tensor, Tensor]:
    """float[batch, n_labels] and float[batch, length]: a model's logits, and what is held against rationales.

    Raises: ModelError for attention of a model that gives none
    """
    if options.by == "attention":
        logits, weights = _asked_for(trainable, batch, "attentions")
        check_attention(weights, batch.subwords.ids.shape[1], trainable.name)
        return logits, attention_to_words(weights[-1], batch, trainable.cutter.tokenizer.cls_token_id)
    if options.by == "extractor":
        logits, states = _asked_for(trainable, batch, "hidden_states")
        return logits, extracted(trainable.model, states) / options.scale  # the scale of its scores is learned
    embeddings = embeddings_of(trainable.model, batch.subwords.ids)
    logits = trainable.ask(batch.subwords, embeddings)
    if options.by == "integrated-gradients":
        return logits, integrated_gradients(trainable, batch, embeddings, options)
    explained = trainable.explained(logits, batch.targets)
    return logits, input_x_gradient(explained, embeddings, has_graph=options.has_graph)


def _asked_for(trainable: Trainable, batch: TrainingBatch, what: str) -> tuple[Tensor, Any]:
    """The logits, and what of each layer the model gives beside them."""
    outputs = trainable.model(**batch.subwords.arguments(), return_dict=True, **{f"output_{what}": True})
    logits = outputs.logits if trainable.output == "softmax" else two_logits(outputs.logits)
    return logits, getattr(outputs, what, None)


def embeddings_of(model: Any, ids: Tensor) -> Tensor:
    """float[batch, length, dimensions]: the word embeddings of subwords, with a gradient also where they are frozen.

    They are taken before position and LayerNorm, which would make the attribution 0.
    """
    embedded = model.get_input_embeddings()(ids)
    return embedded if embedded.requires_grad else embedded.detach().requires_grad_()


def input_x_gradient(explained: Tensor, embeddings: Tensor, *, has_graph: bool) -> Tensor:
    """float[batch, length]: Σ over dimensions of the embedding times the gradient of what is explained.

    explained: float[batch], such as the logit of each instance's label
    has_graph: whether the gradient itself has one (double backward; attention must be "eager"); without it a loss reaches the
               weights through the embedding alone
    """
    torch = import_module("torch")
    (gradient,) = torch.autograd.grad(explained.sum(), embeddings, create_graph=has_graph, retain_graph=True)
    return (gradient * embeddings).sum(dim=2)


def integrated_gradients(
    trainable: Trainable, batch: TrainingBatch, embeddings: Tensor, options: AlignmentOptions
) -> Tensor:
    """float[batch, length]: like the method of that name with its defaults, in few steps (Gauss–Legendre, as in captum)."""
    torch = import_module("torch")
    nodes, weights = import_module("numpy").polynomial.legendre.leggauss(options.steps)
    baseline = baseline_embeddings(trainable, batch)
    total = torch.zeros_like(embeddings)
    for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
        point = baseline + (1 + node) / 2 * (embeddings - baseline)
        explained = trainable.explained(trainable.ask(batch.subwords, point), batch.targets)
        (gradient,) = torch.autograd.grad(explained.sum(), point, create_graph=options.has_graph, retain_graph=True)
        total = total + weight / 2 * gradient
    return (total * (embeddings - baseline)).sum(dim=2)


def baseline_embeddings(trainable: Trainable, batch: TrainingBatch) -> Tensor:
    """float[batch, length, dimensions]: where paths begin, [MASK], else [PAD] … for each subword of a text."""
    torch, tokenizer, ids = import_module("torch"), trainable.cutter.tokenizer, batch.subwords.ids
    subwords = (getattr(tokenizer, f"{name}_token_id") for name in BASELINE_SUBWORDS)
    subword = next((number for number in subwords if number is not None), None)
    if subword is None:
        return torch.zeros_like(trainable.model.get_input_embeddings()(ids))
    return trainable.model.get_input_embeddings()(torch.where(batch.of_text, subword, ids))


def attention_to_words(weights: Tensor, batch: TrainingBatch, cls: int | None) -> Tensor:
    """float[batch, length]: the mean over heads of a layer's attention from [CLS], of decoders from the last subword; centred.

    Weights are never below 0. Less their mean over the words of a text, half of the sigmoid is an even share.
    weights: float[batch, heads, length, length]; cls: None of a tokenizer without [CLS]
    """
    torch, ids, words = import_module("torch"), batch.subwords.ids, batch.subwords.may_answer & batch.real
    sources = batch.real.sum(dim=1) - 1 if cls is None else (ids == cls).long().argmax(dim=1)
    shares = weights.mean(dim=1)[torch.arange(len(ids), device=ids.device), sources]
    even = (shares * words).sum(dim=1, keepdim=True) / words.sum(dim=1, keepdim=True).clamp(min=1)
    return shares - even


# What is written down of a training after each epoch, so that it goes on after a kill as if nothing had happened.


State = Mapping[str, Any]  # weights by name


@dataclass(frozen=True, slots=True)
class Progress:
    """epochs: the results of those that are done; best: the number of the best, with its weights."""

    epochs: tuple[Mapping[str, Any], ...]
    best: int
    best_state: State

    def after(self, result: Mapping[str, Any], trainable: Trainable, *, has_validation: bool) -> "Progress":
        """With one more epoch, which is the best where its validation loss is the lowest, or where there is none."""
        epochs = (*self.epochs, result)
        is_best = (
            not self.epochs
            or not has_validation
            or result["validation_loss"] < self.epochs[self.best]["validation_loss"]
        )
        if is_best:
            return Progress(epochs, len(epochs) - 1, trainable.state())
        return Progress(epochs, self.best, self.best_state)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file that holds all of it.

    plan:    what makes two trainings the same one, compared before going on
    is_anew: what was written of another training is passed over, and written over
    """

    path: Path
    plan: str
    is_anew: bool = False

    def load(self, trainable: Trainable, optimizer: Any, schedule: Any) -> Progress | None:
        """Put a training where it was; None where nothing was written.

        Raises: InvalidValue where what was written is of another training
        """
        if not self.path.exists():
            return None
        torch = import_module("torch")
        written = torch.load(self.path, map_location="cpu", weights_only=True)  # never runs what a file holds
        if written["plan"] != self.plan:
            if self.is_anew:
                return None
            raise InvalidValue(
                f"A training of this name was stopped that has other texts or settings ({self.path}). Choose another name, or "
                "begin it again (--again)."
            )
        trainable.restore(written["model"])
        optimizer.load_state_dict(written["optimizer"])
        schedule.load_state_dict(written["schedule"])
        return Progress(tuple(written["epochs"]), written["best"], written["best_state"])

    def save(self, progress: Progress, trainable: Trainable, optimizer: Any, schedule: Any) -> None:
        """Write everything, whole or not at all."""
        written = {
            "plan": self.plan,
            "epochs": [dict(epoch) for epoch in progress.epochs],
            "best": progress.best,
            "best_state": dict(progress.best_state),
            "model": dict(trainable.state()),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
        }
        with part_folder(self.path) as folder:
            made = folder / self.path.name
            import_module("torch").save(written, made)
            sync_file(made)
            made.replace(self.path)
            sync_folder(self.path.parent)


_NAMED = 5
_MOST_PAIRS = 512**2  # of subwords that attend to each other, in memory together where their gradients have a graph


@dataclass(frozen=True, slots=True)
class FittingOptions:
    """How a model learns.

    patience:        epochs without a lower validation loss after which it stops
    warm_up:         the share of all steps in which the learning rate rises; then it falls to 0 in a line
    most_gradient:   the norm that gradients are cut to
    balances_labels: each label counts alike, however many examples it has
    one_in:          with an alignment, one in so many of a batch has rationales, where fewer have
    task_loss_on:    with an alignment, all examples of a batch, or only those without rationales (the literal reading of
                     ER-TEST's A.5)
    rationaliser:    of a model that selects a rationale, how it learns to
    """

    epochs: int = 10
    patience: int = 5
    learning_rate: float = 2e-5
    batch_size: int = 16
    weight_decay: float = 0.01
    warm_up: float = 0.1
    most_gradient: float = 1.0
    seed: int = 0
    balances_labels: bool = False
    alignment: AlignmentOptions | None = None
    one_in: int = 3
    task_loss_on: Literal["all", "without rationales"] = "all"
    rationaliser: RationaliserOptions | None = None

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("patience", 1), ("batch_size", 1), ("one_in", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise InvalidValue(f"{name} is {getattr(self, name)}; give {least} or more.")
        if not 0 < self.learning_rate < 1:
            raise InvalidValue(f"The learning rate is {self.learning_rate}; give a number between 0 and 1.")


@dataclass(frozen=True, slots=True)
class Fitted:
    """epochs: what each came to; best: the number of the one whose weights the model has now."""

    epochs: tuple[EpochResult, ...]
    best: int


@dataclass(slots=True)
class _Sums:
    """What the steps of an epoch add up to."""

    task: list[float] = field(default_factory=list)
    alignment: list[float] = field(default_factory=list)
    n_undefined: int = 0


def fit(
    trainable: Trainable, rows: Sequence[Row], validation: Sequence[Row], options: FittingOptions, *,
    checkpoint: Checkpoint | None = None, progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Fitted:  # fmt: skip
    """Train a model on rows; it has the weights of its best epoch afterwards: the lowest loss on the validation rows.

    Without validation rows it is the last epoch. With a checkpoint each epoch is written down, and what is there is gone on
    from: batches and dropout of an epoch follow from the seed and its number, so that the end is the same.

    progress: told how many steps are done, of how many there are at most
    Raises: ModelError where a loss is no number, naming the step and its instances, and where memory is short
    """
    if not rows:
        raise InvalidValue("There are no texts to learn from.")
    return _Fitting(trainable, rows, validation, options, progress).run(checkpoint)


@dataclass
class _Fitting:
    trainable: Trainable
    rows: Sequence[Row]
    validation: Sequence[Row]
    options: FittingOptions
    progress: Callable[[int, int], None]

    def __post_init__(self) -> None:
        torch = import_module("torch")
        trainable, options = self.trainable, self.options
        self.n_steps = len(self._batches(0))
        self.epochs_done = 0.0
        if options.alignment is not None and options.alignment.by == "extractor":
            add_extractor(trainable.model, options.seed)
        else:
            drop_extractor(trainable.model)  # what is not trained along would lag behind
        self.optimizer = torch.optim.AdamW(
            trainable.model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay
        )
        n_all = self.n_steps * options.epochs
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, _slope(n_all, options.warm_up))
        self.weights = _weights(self.rows, len(trainable.labels), trainable.device) if options.balances_labels else None

    def run(self, checkpoint: Checkpoint | None) -> Fitted:
        reached = None if checkpoint is None else checkpoint.load(self.trainable, self.optimizer, self.schedule)
        done = reached or Progress((), 0, self.trainable.state())
        while len(done.epochs) < self.options.epochs and not self._is_over(done):
            result = self._epoch(len(done.epochs))
            done = done.after(asdict(result), self.trainable, has_validation=bool(self.validation))
            if checkpoint is not None:
                checkpoint.save(done, self.trainable, self.optimizer, self.schedule)
        self.trainable.restore(done.best_state)
        self.trainable.model.eval()
        return Fitted(tuple(EpochResult(**epoch) for epoch in done.epochs), done.best)

    def _is_over(self, done: Progress) -> bool:
        return bool(self.validation) and len(done.epochs) - 1 - done.best >= self.options.patience

    def _batches(self, epoch: int) -> list[list[int]]:
        one_in = self.options.one_in if self.options.alignment is not None else None
        return drawn_batches(self.rows, self.options.batch_size, one_in, self.options.seed, epoch)

    def _epoch(self, epoch: int) -> EpochResult:
        began = time.monotonic()
        torch = import_module("torch")
        torch.manual_seed(int(np.random.SeedSequence((self.options.seed, epoch)).generate_state(1)[0]))
        self.trainable.model.train()
        sums = _Sums()
        for step, numbers in enumerate(self._batches(epoch)):
            self.epochs_done = epoch + step / self.n_steps
            parts = [self._batch(part) for part in self._parts(numbers)]
            self._step(parts, sums, f"step {step + 1} of epoch {epoch + 1}")
            self.progress(epoch * self.n_steps + step + 1, self.options.epochs * self.n_steps)
        loss, accuracy = self._validated()
        return EpochResult(
            float(np.mean(sums.task)) if sums.task else 0.0,
            float(np.mean(sums.alignment)) if sums.alignment else None,
            sums.n_undefined,
            loss,
            accuracy,
            time.monotonic() - began,
        )

    def _batch(self, numbers: Sequence[int]) -> TrainingBatch:
        return training_batch([self.rows[n] for n in numbers], self.trainable.cutter.tokenizer, self.trainable.device)

    def _parts(self, numbers: Sequence[int]) -> list[list[int]]:
        """What of a batch is in memory together: all of it, unless an alignment doubles what long texts take on a CPU.

        The released form is one number for the whole batch, which has no parts; and a GPU is made for whole batches.
        """
        alignment = self.options.alignment
        if alignment is None or alignment.form == "released" or self.trainable.device != "cpu":
            return [list(numbers)]
        parts: list[list[int]] = [[]]
        size = 0
        for number in numbers:
            length = len(self.rows[number].encoded.ids)
            pairs = length * min(length, 2 * (self.trainable.cutter.limit or length))  # windows overlap by half
            if parts[-1] and size + pairs > _MOST_PAIRS:
                parts.append([])
                size = 0
            parts[-1].append(number)
            size += pairs
        return parts

    def _step(self, parts: Sequence[TrainingBatch], sums: _Sums, where: str) -> None:
        """One step on a batch: the gradients of its parts are added up, each with its share of the batch's means."""
        torch = import_module("torch")
        self.optimizer.zero_grad()
        task_loss = alignment_loss = 0.0
        n_of_all = 0
        for batch, (of_task, of_alignment) in zip(parts, self._shares(parts), strict=True):
            task, alignment = self._losses(batch)
            loss = of_task * task
            if alignment is not None and self.options.alignment is not None:
                loss = loss + self.options.alignment.strength * (of_alignment * alignment.loss)
                sums.n_undefined += alignment.n_undefined
                n_of_all += alignment.n_judged
                alignment_loss += of_alignment * float(alignment.loss.detach())
            if not bool(torch.isfinite(loss)):
                named = ", ".join(batch.keys[:_NAMED]) + (" ..." if len(batch.keys) > _NAMED else "")
                raise ModelError(
                    f"In {where} the loss is no number any more (instances {named}). Train with a lower learning rate, or a "
                    "lower strength of the alignment."
                )
            task_loss += of_task * float(task.detach())
            loss.backward()
        sums.task.append(task_loss)
        if n_of_all:
            sums.alignment.append(alignment_loss)
        torch.nn.utils.clip_grad_norm_(self.trainable.model.parameters(), self.options.most_gradient)
        self.optimizer.step()
        self.schedule.step()

    def _shares(self, parts: Sequence[TrainingBatch]) -> list[tuple[float, float]]:
        """How much each part counts in the means of its batch: in the task's loss, and in the alignment's."""
        alignment = self.options.alignment
        if len(parts) == 1 or alignment is None:
            return [(1.0, 1.0)]
        weights = [float(self._task_weights(batch).sum()) for batch in parts]
        judged = [
            count_judged(
                AlignmentBatch(
                    batch.subwords.mask * 0.0, batch.gold, batch.is_set, batch.subwords.may_answer, batch.real
                ),
                alignment,
            )
            for batch in parts
        ]
        return [
            (weight / (sum(weights) or 1), n / (sum(judged) or 1)) for weight, n in zip(weights, judged, strict=True)
        ]

    def _task_weights(self, batch: TrainingBatch) -> Tensor:
        """How much each row counts that the task's loss is of."""
        targets = batch.targets[self._counted(batch)]
        return self.weights[targets] if self.weights is not None else import_module("torch").ones_like(targets)

    def _counted(self, batch: TrainingBatch) -> Tensor:
        """bool[batch]: the rows that the task's loss is of."""
        is_aligned = batch.is_set.any(dim=1)
        leaves_out = self.options.alignment is not None and self.options.task_loss_on == "without rationales"
        return ~is_aligned if leaves_out else is_aligned | True

    def _losses(self, batch: TrainingBatch) -> tuple[Tensor, Alignment | None]:
        """The task's loss of a batch, and how far its attributions are from its rationales."""
        trainable, options = self.trainable, self.options
        if options.rationaliser is not None:
            share = min(1.0, self.epochs_done / options.rationaliser.rising) if options.rationaliser.rising else 1.0
            task, selector = rationaliser_loss(trainable, batch, options.rationaliser, share, self.weights)
            return task + selector - selector.detach(), None  # its value is the task's alone
        if trainable.is_pipeline:
            return pipeline_loss(trainable, batch, self.weights), None
        if options.alignment is None or not bool(batch.is_set.any()):
            return self._task_loss(trainable.ask(batch.subwords), batch), None
        logits, attributions = attributed(trainable, batch, options.alignment)
        aligned = AlignmentBatch(attributions, batch.gold, batch.is_set, batch.subwords.may_answer, batch.real)
        return self._task_loss(logits, batch), align(aligned, options.alignment)

    def _task_loss(self, logits: Tensor, batch: TrainingBatch) -> Tensor:
        torch = import_module("torch")
        if self.trainable.is_reading:
            return answer_loss(logits, batch.answers)
        counts = self._counted(batch)
        if not bool(counts.any()):
            return logits.sum() * 0
        return torch.nn.functional.cross_entropy(logits[counts], batch.targets[counts], weight=self.weights)

    def _validated(self) -> tuple[float | None, float | None]:
        """Mean loss and accuracy on the validation rows."""
        if not self.validation:
            return None, None
        if self.trainable.is_reading:
            return validated_answers(self.trainable, self.validation)
        if self.options.rationaliser is not None:
            masks = selected(self.trainable, self.validation, self.options.rationaliser)
            return masks.loss, float(masks.is_right["its rationale"].mean())
        if self.trainable.is_pipeline:
            outcome = pipeline_outcome(self.trainable, self.validation)
            return outcome.loss, float(outcome.right.mean())
        torch = import_module("torch")
        logits = answered(self.trainable, self.validation)
        targets = np.array([row.target for row in self.validation])
        given = torch.from_numpy(logits)
        loss = torch.nn.functional.cross_entropy(given, torch.from_numpy(targets))
        return float(loss), float(np.mean(logits.argmax(axis=1) == targets))


def answered(trainable: Trainable, rows: Sequence[Row], size: int = 32) -> npt.NDArray[np.float64]:
    """float[n_rows, n_labels]: a model's logits, without dropout."""
    torch = import_module("torch")
    trainable.model.eval()
    logits_of_rows = np.zeros((len(rows), len(trainable.labels)))
    for numbers in in_batches([row.encoded for row in rows], size):
        batch = training_batch([rows[n] for n in numbers], trainable.cutter.tokenizer, trainable.device)
        with torch.inference_mode():
            logits = trainable.ask(batch.subwords)
        logits_of_rows[numbers] = logits.double().cpu().numpy()
    return logits_of_rows


def _slope(n_steps: int, warm_up: float) -> Callable[[int], float]:
    """The share of the learning rate at each step: up in a line, then down to 0 in one."""
    rising = max(1, round(n_steps * warm_up))

    def share(step: int) -> float:
        return min((step + 1) / rising, max(0.0, (n_steps - step) / max(1, n_steps - rising)))

    return share


def _weights(rows: Sequence[Row], n_labels: int, device: str) -> Tensor:
    """float[n_labels]: such that all labels together count alike; 0 for one without examples."""
    counts = np.bincount([row.target for row in rows], minlength=n_labels)
    weights = np.where(counts, len(rows) / (np.count_nonzero(counts) * np.maximum(counts, 1)), 0.0)
    return import_module("torch").tensor(weights, dtype=import_module("torch").float32, device=device)
