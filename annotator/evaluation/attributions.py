"""Attributions in a file against gold in a file: edited words (Stevens and Su 2021), and ER-TEST's alignment criteria."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from annotator.domain.models import Output, Prediction, Run
from annotator.domain.projects import GoldPolicy
from annotator.domain.tasks import Task
from annotator.errors import InvalidValue
from annotator.evaluation.gold_files import FileOutputs, read_gold_file, read_output_file
from annotator.formats.base import OutputOptions
from annotator.metrics import against_sets as against
from annotator.metrics import er_test_alignment as alignment
from annotator.metrics.aggregate import bootstrap, mean_of
from annotator.metrics.ragged import Flags, Floats, Integers, Ragged
from annotator.metrics.sentence_editing import all_correct_wrong
from annotator.scoring.gold import GoldTable, gold_row
from annotator.scoring.reports import Report
from annotator.scoring.runs import Scored, ScoringOptions, confidence_of, layers_of, score_attributions

Batch = Callable[[alignment.Alignment], float | None]
_RELEASED: Mapping[str, Batch] = {
    "er_test.mse_released": alignment.mse_released,
    "er_test.mae_released": alignment.mae_released,
    "er_test.huber_released": alignment.huber_released,
    "er_test.bce_released": alignment.bce_released,
    "er_test.order_released": alignment.order_released,
    "er_test.kl_released": alignment.kl_released,
}
_AS_RELEASED: Mapping[str, Batch] = {
    "er_test.auprc_released": alignment.auprc_released,
    "er_test.token_f1_released": alignment.token_f1_released,
}


@dataclass(frozen=True, slots=True)
class FilePair:
    """Where gold and model output stand, and in which formats."""

    task: Task
    gold: Path
    gold_format: str
    output: Path
    output_format: str = "attributions"
    policy: GoldPolicy = "all"
    language: str = "en"
    model: str = ""
    method: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    gold: GoldTable
    output: FileOutputs
    n_warnings: int

    def runs(self) -> Iterator[tuple[Run, Mapping[int, Output], Mapping[int, Prediction]]]:
        """Each run with attributions, and what its model answers to the full input."""
        for run, outputs in self.output.outputs.items():
            outputs_of_answers = self.output.outputs.get(run.answers(), {})
            answers = {
                number: p for number, output in outputs_of_answers.items() for p in output.predictions if p.on == "full"
            }
            if any(output.attributions for output in outputs.values()):
                yield run, outputs, answers


def evaluate_edits(files: FilePair, *, n_resamples: int = 0) -> Report:
    """How high models rank edited words: for each run and layer all, correctly and wrongly answered sentences, by criterion too.

    Raises: ImportRefused with every problem of the two files
    """
    read = _read(files)
    runs = []
    for run, outputs, answers in read.runs():
        for layer in layers_of(outputs):
            scored = score_attributions(read.gold, outputs, answers, layer, ScoringOptions())
            numbers = _edit_numbers(scored, answers, n_resamples)
            runs.append(_named(run, layer) | numbers)
    return {"gold": _gold_numbers(read), "runs": runs}


def _edit_numbers(scored: Scored, answers: Mapping[int, Prediction], n_resamples: int) -> Report:
    """The rows of the paper's tables, whose sentences all have a label and an answer: others are left out and counted.

    Where there is no answer that could be right or wrong, all sentences are in `all`, and the counts say so.
    """
    rows = scored.gold.rows
    has_label: Flags = np.array([row.result is not None for row in rows], dtype=np.bool_)
    is_answered: Flags = np.array([row.id in answers for row in rows], dtype=np.bool_)
    is_right: Flags = np.array(
        [row.id in answers and answers[row.id].label == row.result for row in rows], dtype=np.bool_
    )
    is_judged = has_label & is_answered
    counted = is_judged if is_judged.any() else np.ones(len(rows), dtype=np.bool_)
    by_criterion: dict[str, Report] = {}
    for criterion in sorted({row.criterion for row in rows if row.criterion}):
        is_in: Flags = np.array([row.criterion == criterion for row in rows], dtype=np.bool_)
        by_criterion[criterion] = _divided(scored, counted & is_in, is_judged & is_in, is_right, n_resamples)
    numbers = _divided(scored, counted, is_judged, is_right, n_resamples)
    counts = {
        "instances_without_answer": int((~is_answered).sum()),
        "instances_without_gold_label": int((~has_label).sum()),
        "instances_left_out_of_all": int((~counted).sum()),
    }
    of_confidence = {"confidence": confidence_of(scored, answers)}
    return {**numbers, "by_criterion": by_criterion, **of_confidence, "counts": scored.counts | counts}


def _divided(scored: Scored, counted: Flags, is_judged: Flags, is_right: Flags, n_resamples: int) -> Report:
    """The counted sentences, and of those that are judged the right and the wrong ones."""
    numbers: dict[str, Report] = {"all": {}, "correct": {}, "wrong": {}}
    for name, values in scored.values.items():
        if name.startswith("editing."):
            split = all_correct_wrong(values[is_judged], is_right[is_judged])
            numbers["all"][name] = asdict(mean_of(values[counted])) | _interval(values[counted], n_resamples)
            numbers["correct"][name], numbers["wrong"][name] = asdict(split.correct), asdict(split.wrong)
    return {**numbers}


def evaluate_alignment(
    files: FilePair, *, gamma: float, delta: float = 1.0, batch_size: int | None = None, n_resamples: int = 0,
    as_released: bool = False,
) -> Report:  # fmt: skip
    """ER-TEST's criteria for each run and layer, as the paper defines them by instance and as the code computes a batch.

    batch_size:  instances in a batch, in the file's order; None: all in one. Of several batches the mean is given.
    as_released: also the code's plausibility, with 0 where there is no rationale, and its losses of negative classes
    Raises:     ImportRefused with every problem of the two files; InvalidValue for a number that cannot be
    """
    if batch_size is not None and batch_size < 1:
        raise InvalidValue(f"A batch holds at least one instance; not {batch_size}.")
    read = _read(files)
    options = ScoringOptions(gamma=gamma, delta=delta, explained="gold")
    runs = []
    for run, outputs, answers in read.runs():
        for layer in layers_of(outputs):
            scored = score_attributions(read.gold, outputs, answers, layer, options)
            defined = {name: values for name, values in scored.values.items() if name.startswith("er_test.")}
            released = _released(scored, gamma, batch_size, {**_RELEASED, **(_AS_RELEASED if as_released else {})})
            counts = scored.counts
            if as_released:
                negatives, n_unknown = _negatives(scored, outputs, answers, layer, batch_size)
                released, counts = released | negatives, counts | {"instances_without_negative_classes": n_unknown}
            means = {name: asdict(mean_of(values)) | _interval(values, n_resamples) for name, values in defined.items()}
            runs.append(_named(run, layer) | {"defined": means, "released": released, "counts": counts})
    return {"gold": _gold_numbers(read), "gamma": gamma, "delta": delta, "batch_size": batch_size, "runs": runs}


def _released(scored: Scored, gamma: float, batch_size: int | None, criteria: Mapping[str, Batch]) -> Report:
    """The code's numbers; an instance's sets are put together, as one rationale is all that the code knows."""
    if scored.scores is None:
        return {name: _over_batches([]) for name in criteria}
    scores, union = scored.scores, against.mask_of(scored.gold.sets.union(), scored.scores)
    batches = [
        alignment.Alignment.of(scores.take(rows), union.take(rows), gamma=gamma)
        for rows in _batches(len(scores), batch_size)
    ]
    return {name: _over_batches([criterion(batch) for batch in batches]) for name, criterion in criteria.items()}


def _batches(n: int, batch_size: int | None) -> list[Integers]:
    return [np.arange(start, min(n, start + (batch_size or n))) for start in range(0, n, batch_size or max(n, 1))]


def _over_batches(values: Sequence[float | None]) -> Report:
    defined = [value for value in values if value is not None]
    mean = sum(defined) / len(defined) if defined else None
    return {"value": mean, "n_batches": len(defined), "n_left_out": len(values) - len(defined)}


def _negatives(
    scored: Scored, outputs: Mapping[int, Output], answers: Mapping[int, Prediction], layer: int | None,
    batch_size: int | None,
) -> tuple[Report, int]:  # fmt: skip
    """The code's losses of negative classes, over instances whose attributions name each label that some instance's do.

    Second: how many instances do not, or have no gold label.
    """
    rows = scored.gold.rows
    maps = [
        {a.label: a.scores[: row.n_tokens] for a in outputs[row.id].attributions if a.layer == layer and a.label}
        for row in rows
    ]
    labels = {label for of_row in maps for label in of_row}
    is_known = [row.result in labels and of_row.keys() == labels for row, of_row in zip(rows, maps, strict=True)]
    predicted = [answers[row.id].label if row.id in answers else None for row in rows]
    of_others: list[float | None] = []
    of_wrong: list[float | None] = []
    for batch in _batches(len(rows), batch_size):
        known = [index for index in batch.tolist() if is_known[index]]
        answered = [(index, label) for index in known if (label := predicted[index]) is not None and label in labels]
        others = [maps[index][label] for index in known for label in labels if label != rows[index].result]
        wrong = [maps[index][label] for index, label in answered if label != rows[index].result]
        of_others.append(alignment.negative_released(_seen(others)))
        of_wrong.append(alignment.negative_incorrect_released(_seen(wrong)) if answered else None)
    report = {
        "er_test.negative_released": _over_batches(of_others),
        "er_test.negative_incorrect_released": _over_batches(of_wrong),
    }
    return {**report}, is_known.count(False)


def _seen(maps: Sequence[Sequence[float]]) -> Ragged[np.float64]:
    """Without the tokens that the model did not see."""
    return Ragged.of([[score for score in scores if not np.isnan(score)] for scores in maps], np.float64)


def _read(files: FilePair) -> _Read:
    gold, of_gold = read_gold_file(files.gold, files.gold_format, files.task, files.policy, language=files.language)
    of_gold.refuse_if_any()
    if not gold:
        raise InvalidValue(f"'{files.gold}' holds no rationale to compare with; name the file with the gold.")
    options = OutputOptions(files.task, files.labels, files.model, files.method)
    output, of_output = read_output_file(files.output, files.output_format, options, gold)
    of_output.refuse_if_any()
    if not any(
        output_of_instance.attributions for of_run in output.outputs.values() for output_of_instance in of_run.values()
    ):
        raise InvalidValue(f"'{files.output}' holds no attribution of an instance with gold; are the ids the same?")
    rows = [gold_row(item, files.task, keep_tokens=False, is_exhaustive=False) for item in gold]
    return _Read(GoldTable(rows), output, len(of_gold.warnings) + len(of_output.warnings))


def _gold_numbers(read: _Read) -> Report:
    return {
        "instances": len(read.gold),
        "instances_without_sets": int((read.gold.sets.n_sets == 0).sum()),
        "sets": int(read.gold.sets.n_sets.sum()),
        "rows_of_unknown_instances": read.output.n_unknown,
        "warnings": read.n_warnings,
    }


def _named(run: Run, layer: int | None) -> Report:
    return {
        "model": run.model, "method": run.method, "parameters": json.loads(run.parameters), "seed": run.seed, "layer": layer,
    }  # fmt: skip


def _interval(values: Floats, n_resamples: int) -> Report:
    interval = bootstrap(values, n_resamples=n_resamples) if n_resamples else None
    return {} if not n_resamples else {"low": interval and interval.low, "high": interval and interval.high}
