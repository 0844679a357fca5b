"""Which texts a model learned from: it is not scored on them unless that is asked for, and its row says so either way."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass

from annotator.domain.models import HeldOut, StoredTraining
from annotator.domain.numbers import counted
from annotator.language import _, several
from annotator.scoring.gold import GoldTable
from annotator.scoring.reports import TrainingReport
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import MetricRow
from annotator.store import Store
from annotator.store.trained_models import ids_learned_from, ids_of_versions
from annotator.usecases.models.model_trust import Trainings, held_out_summary


@dataclass(frozen=True, slots=True)
class TrainingTexts:
    """The training of a model and the gold that it is scored on.

    training:   None where what it learned from is not known: it was trained here before that was kept
    n_left_out: texts with gold that it learned from and is not scored on; n_changed: changed versions of such
    n_seen:     texts that it learned from and is scored on
    has_validation: other texts chose its epoch, and it is scored on them
    """

    training: StoredTraining | None
    n_left_out: int = 0
    n_changed: int = 0
    n_seen: int = 0
    has_validation: bool = False

    def report(self) -> TrainingReport:
        """As JSON has it; see docs/scores.md."""
        if self.training is None:
            return {"is_known": False}
        held_out = self.training.held_out
        return {
            "is_known": True, "split": self.training.split, "texts": self.training.n, "left_out": self.n_left_out,
            "changed_left_out": self.n_changed, "seen": self.n_seen, "validation": self.has_validation,
            "held_out": None if held_out is None else asdict(held_out),
        }  # fmt: skip


def without_training(
    store: Store, trainings: Trainings, model: str, gold: GoldTable, options: ScoringOptions
) -> tuple[GoldTable, TrainingTexts | None]:
    """The gold that a model is scored on, and what of it the model learned from; None of a model from elsewhere.

    What it learned from is left out where it learned from a split and is asked about others as well; of a model that
    learned from all instances nothing would be left, so that its row says that it has seen them.
    """
    training = trainings.known.get(model)
    if training is None:
        return gold, TrainingTexts(None) if model in trainings.unknown else None
    learned, has_validation = ids_learned_from(store, training.id), model in trainings.stopped
    n_seen = sum(row.id in learned for row in gold.rows)
    if options.includes_training or training.split is None or options.split == training.split:
        return gold, TrainingTexts(training, n_seen=n_seen, has_validation=has_validation)
    left_out = learned | ids_of_versions(store, training.id)
    stays = [index for index, row in enumerate(gold.rows) if row.id not in left_out]
    n_changed = len(gold) - len(stays) - n_seen
    part = gold if len(stays) == len(gold) else gold.take(stays)
    return part, TrainingTexts(training, n_seen, n_changed, has_validation=has_validation)


def learned_by_model(store: Store, project_id: int, options: ScoringOptions) -> dict[str, frozenset[int]]:
    """By model, the instances that it learned from, and their changed versions, on which it is not to be scored."""
    known = Trainings.of(store, project_id).known
    return {
        model: frozenset(ids_learned_from(store, training.id) | ids_of_versions(store, training.id))
        for model, training in known.items()
        if not (options.includes_training or training.split is None or options.split == training.split)
    }


def without(answers: Mapping[int, str], ids: Collection[int]) -> dict[int, str]:
    """A model's answers but for some instances."""
    return {number: answer for number, answer in answers.items() if number not in ids}


def words_of(report: TrainingReport | None) -> str:
    """What a row says of its model's training; "" where there is nothing to say. report: as `TrainingTexts.report`.

    >>> words_of({"is_known": True, "split": "train", "left_out": 322, "changed_left_out": 0, "seen": 0})
    '322 training texts (split train) excluded'
    """
    if report is None:
        return ""
    if not report["is_known"]:
        return _("training texts unknown; train it again")
    learned = _learned(report)
    return (
        _("{learned}; validation texts included", learned=learned) if learned and report.get("validation") else learned
    )


def _learned(report: TrainingReport) -> str:
    left_out, changed, seen = report["left_out"], report["changed_left_out"], report["seen"]
    if left_out:
        if not changed:
            return several(
                "{n} training text (split {split}) excluded",
                "{n} training texts (split {split}) excluded", left_out, split=report["split"]
            )  # fmt: skip
        return several(
            "{n} training text (split {split}) and {versions} excluded",
            "{n} training texts (split {split}) and {versions} excluded", left_out,
            split=report["split"], versions=counted(changed, "perturbed version")
        )  # fmt: skip
    return several("{n} of these is a training text", "{n} of these are training texts", seen) if seen else ""


def trust_lines(rows: Iterable[MetricRow], *, says_training: bool) -> list[str]:
    """Of each model that was trained here, how often it is right about texts that it did not learn from.

    says_training: and what of its training is in these numbers, or left out of them
    """
    lines = []
    for model, training in {row.model: row.training for row in rows}.items():
        if training is None:
            continue
        if not training["is_known"]:
            words = _("held-out accuracy wasn't measured. Train it again.")
        else:
            held_out = training["held_out"]
            words = held_out_summary(None if held_out is None else HeldOut(**held_out))
            words = words[0].lower() + words[1:]
        learned = words_of(training) if says_training and training["is_known"] else ""
        line = _("{model}: {words}", model=model, words=words)
        lines.append(f"{line} {_('{sentence}.', sentence=learned[0].upper() + learned[1:])}" if learned else line)
    return lines
