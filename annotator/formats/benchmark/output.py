"""The benchmark's predictions and saliency as output of a model: what `annotator import` brings into a project."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from annotator.domain import models
from annotator.domain.numbers import whole_number
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.benchmark.predictions import ModelOutput, Numbers, read_predictions
from annotator.formats.benchmark.records import Index, shape_of_task
from annotator.formats.benchmark.saliency import SaliencyRecord, SalientSide, read_saliency
from annotator.formats.rows.findings import shown
from annotator.language import _


def read(path: Path, options: OutputOptions) -> Iterator[models.SourceOutput | Problem]:
    """Answers and ranked rationales of a predictions file, of any dialect.

    Raises: NotFound or InvalidValue when there is no such file, the task is none of the benchmark's, or no model is named
    """
    run = _run(options, "rationale")
    predictions = read_predictions(path, shape_of_task(options.task))
    yield from predictions.problems
    bad = {problem.line for problem in predictions.problems if not problem.is_warning}
    for row in predictions.rows:
        if row.line not in bad:
            yield _of_prediction(row, run, options)


def read_saliency_output(path: Path, options: OutputOptions) -> Iterator[models.SourceOutput | Problem]:
    """Answers and scores of a saliency file; the order of its keys is kept as the ranking. Raises as `read` does."""
    run = _run(options, "saliency")
    saliency = read_saliency(path, shape_of_task(options.task))
    yield from saliency.problems
    for row in saliency.rows:
        gap = next((gap for side in row.sides if (gap := _gap(side)) is not None), None)
        if gap is None:
            yield _of_saliency(row, run, options)
        else:
            reason = _("Token {gap} has no score. Add it.", gap=gap)
            yield Problem(row.source, row.line, "char_attri", shown(row.key), reason)


def _run(options: OutputOptions, method: str) -> models.Run:
    if not options.model:
        raise InvalidValue(_("No model named. Use --model."))
    return models.Run(options.model, options.method or method, seed=options.seed)


def _of_prediction(row: ModelOutput, run: models.Run, options: OutputOptions) -> models.SourceOutput:
    predictions = (
        _prediction(row.label, row.p_full, "full", options),
        _prediction(row.label_only, row.p_only, "rationale", options),
        _prediction(row.label_rest, row.p_rest, "rest", options),
    )
    parts = tuple(
        models.MarkedPart(ranking=tuple(dict.fromkeys(side.ranking)), place=segment)
        for segment, side in zip(_segments_of_sides(options), row.sides or (), strict=False)
    )
    return models.SourceOutput(
        options.key_prefix + row.key, run, row.source, row.line, options.split,
        tuple(p for p in predictions if p is not None), (), (models.SourceRationale("ranked", parts),) if parts else (),
    )  # fmt: skip


def _of_saliency(row: SaliencyRecord, run: models.Run, options: OutputOptions) -> models.SourceOutput:
    answer = _prediction(row.label, row.probabilities, "full", options)
    parts = tuple(_part(segment, side) for segment, side in zip(_segments_of_sides(options), row.sides, strict=False))
    explained = "" if answer is None else answer.label or ""
    return models.SourceOutput(
        options.key_prefix + row.key, run, row.source, row.line, options.split,
        () if answer is None else (answer,), (models.SourceAttribution(parts, explained),),
    )  # fmt: skip


def _part(segment: str | None, side: SalientSide) -> models.ScoredPart:
    by_token = dict(zip(side.ranking, side.scores, strict=True))
    scores = tuple(by_token[token] for token in range(len(by_token)))
    return models.ScoredPart(scores, segment, ranking=side.ranking, is_partial=True)


def _gap(side: SalientSide) -> int | None:
    """The first token without a score that has a scored one after it."""
    ranked = set(side.ranking)
    return next((token for token in range(len(ranked)) if token not in ranked), None)


def _segments_of_sides(options: OutputOptions) -> Sequence[str | None]:
    """Sides of a pair are its two segments; else a file numbers the tokens through the instance, as we do."""
    if shape_of_task(options.task) != "pair":
        return (None,)
    return [spec.name for spec in options.task.segments if spec.is_selectable]


def _prediction(label: Index | None, p: Numbers | None, on: str, options: OutputOptions) -> models.Prediction | None:
    if label is None and p is None:
        return None
    probabilities: Mapping[str, float] = (
        {} if p is None else {_label(n, options): probability for n, probability in enumerate(p)}
    )
    return models.Prediction(None if label is None else _label(label, options), probabilities, on)  # type: ignore[arg-type]  # one of three


def _label(given: Index, options: OutputOptions) -> str:
    """A number stands for the project's label of that position, unless it is itself a label; answers are as they are."""
    text, labels = str(given), options.labels if options.task.result_kind == "label" else ()
    index = None if text in labels or text in options.renamed else whole_number(text)
    return labels[index] if index is not None and index < len(labels) else text
