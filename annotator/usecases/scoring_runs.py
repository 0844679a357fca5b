"""The numbers of one run of a model against gold; knows neither files nor the database."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotator.domain.models import Attribution, MachineRationale, Output, Prediction
from annotator.domain.projects import GoldPolicy
from annotator.metrics import against_sets as against
from annotator.metrics import benchmark_faithfulness as answers_of_reading
from annotator.metrics import eraser_faithfulness, eraser_spans
from annotator.metrics.benchmark_faithfulness import new_p
from annotator.metrics.eraser_spans import Spans
from annotator.metrics.gold_as_method import TEN_SEEDS, random_as_method, random_scores
from annotator.metrics.ragged import Flags, Floats, Ragged
from annotator.metrics.sentence_editing import confidence_by_ranking
from annotator.usecases.gold_rows import GoldTable

Answers = Mapping[int, Prediction]
Values = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """What is scored, and how.

    gold_policy, split: of the project; None: its own policy, all splits
    n_resamples: above 0, each mean over instances comes with a bootstrap interval
    gamma:     what attributions are multiplied with in ER-TEST's losses; delta: of its Huber loss
    explained: which label's attribution is taken where there are several: "predicted" (else gold), or "gold"
    """

    gold_policy: GoldPolicy | None = None
    split: str | None = None
    n_resamples: int = 0
    gamma: float = 1.0
    delta: float = 1.0
    explained: str = "predicted"


@dataclass(slots=True)
class Scored:
    """Numbers by their names in the register.

    values: a value an instance of `gold`; totals: numbers that are not a mean over instances
    scores: of each instance's tokens, those that the model did not see below all others; order: each instance's ranking
    drops:  "comprehensiveness" and "sufficiency": the mean drop of probability at each threshold
    """

    gold: GoldTable
    values: Values = field(default_factory=dict)
    totals: dict[str, float | None] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    scores: Ragged[np.float64] | None = None
    order: Ragged[np.int64] | None = None
    selected: Ragged[np.int64] | None = None
    drops: dict[str, dict[float, float]] = field(default_factory=dict)


def layers_of(outputs: Mapping[int, Output]) -> list[int | None]:
    """The layers for which there are attributions; None for those of no layer."""
    found = {attribution.layer for output in outputs.values() for attribution in output.attributions}
    return sorted(found, key=lambda layer: -1 if layer is None else layer)


def score_attributions(
    gold: GoldTable, outputs: Mapping[int, Output], answers: Answers, layer: int | None, options: ScoringOptions
) -> Scored:
    """Plausibility of the attributions of one layer, over the instances with gold that have one."""
    chosen, counts = _chosen(gold, outputs, answers, layer, options.explained)
    part = gold.take(chosen)
    n = part.n_tokens
    scores = Ragged.of([chosen_one.scores[: n[place]] for place, chosen_one in enumerate(chosen.values())], np.float64)
    filled, had_gaps = against.without_gaps(scores)
    ranks, order = _ranks(filled, scores, list(chosen.values()))
    selected = against.top_of_sides(order, part.sides)
    scored = Scored(part, scores=filled, order=order, selected=selected)
    scored.values |= against.of_selection(selected, part.sets)
    scored.values |= against.of_ranking(ranks, part.sets)
    scored.values |= against.of_scores(filled, part.sets)
    losses = against.of_alignment(filled, part.sets, gamma=options.gamma, delta=options.delta)
    scored.values |= {name: np.where(had_gaps, np.nan, values) for name, values in losses.items()}
    scored.counts = counts | {
        "instances": len(part),
        "instances_without_gold_sets": int((part.sets.n_sets == 0).sum()),
        "instances_seen_in_part": int(had_gaps.sum()),
        "instances_with_ties_at_k": int((against.n_tied_at_k(ranks, selected, part.sides) > 0).sum()),
    }
    return scored


def _chosen(
    gold: GoldTable, outputs: Mapping[int, Output], answers: Answers, layer: int | None, explained: str
) -> tuple[dict[int, Attribution], dict[str, int]]:
    """For each row with attributions of the layer the one that is scored: the predicted label's, the gold one's, or the first."""
    chosen: dict[int, Attribution] = {}
    n_other = 0
    for place, row in enumerate(gold.rows):
        output = outputs.get(row.id)
        there = [a for a in output.attributions if a.layer == layer] if output is not None else []
        if not there:
            continue
        answer = answers.get(row.id)
        predicted = answer.label if answer is not None else None
        wanted = [predicted, row.result] if explained == "predicted" else [row.result]
        found = next((a for label in wanted for a in there if label is not None and a.label in {label, ""}), None)
        n_other += found is None
        chosen[place] = there[0] if found is None else found
    return chosen, {"instances_with_another_label_explained": n_other}


def _ranks(
    filled: Ragged[np.float64], scores: Ragged[np.float64], chosen: Sequence[Attribution]
) -> tuple[Ragged[np.float64], Ragged[np.int64]]:
    """Scores whose order is the ranking, and the ranking: the file's own where it has one, else by score."""
    if not any(attribution.ranking is not None for attribution in chosen):
        return filled, against.order_of(scores)
    rows = []
    for place, attribution in enumerate(chosen):
        of_row = filled.row(place)
        if attribution.ranking is not None:
            of_row = np.full(len(of_row), -float(len(of_row)))
            ranking = np.array([token for token in attribution.ranking if token < len(of_row)], dtype=np.int64)
            of_row[ranking] = -np.arange(len(ranking), dtype=np.float64)
        rows.append(of_row)
    ranks = Ragged.of(rows, np.float64)
    return ranks, against.order_of(ranks)


def score_rationales(gold: GoldTable, outputs: Mapping[int, Output], kind: str) -> Scored:
    """Plausibility of what a model selects (hard), or of the top k of what it ranks, over the instances that have it."""
    found: dict[int, MachineRationale] = {}
    for place, row in enumerate(gold.rows):
        output = outputs.get(row.id)
        for rationale in output.rationales if output is not None else ():
            if rationale.kind == kind:
                found[place] = rationale
    part = gold.take(found)
    scored = Scored(part)
    if kind == "ranked":
        rankings = zip(found.values(), part.n_tokens, strict=True)
        scored.order = Ragged.of([[t for t in r.ranking if t < n] for r, n in rankings], np.int64)
        scored.selected = against.top_of_sides(scored.order, part.sides)
    else:
        tokens = [sorted({t for s, e in r.spans for t in range(s, e)}) for r in found.values()]
        scored.order = scored.selected = Ragged.of(
            [[t for t in row if t < n] for row, n in zip(tokens, part.n_tokens, strict=True)], np.int64
        )
        scored.totals |= _span_numbers(part, [r.spans for r in found.values()])
    scored.values |= against.of_selection(scored.selected, part.sets)
    scored.counts = {
        "instances": len(part),
        "instances_without_gold_sets": int((part.sets.n_sets == 0).sum()),
        "instances_with_nothing_selected": int((scored.selected.lengths == 0).sum()),
    }
    return scored


def _span_numbers(gold: GoldTable, predicted: Sequence[Sequence[tuple[int, int]]]) -> dict[str, float | None]:
    """ERASER's numbers over spans and tokens; a key is an instance's segment."""
    truth, found = (_spans_by_segment(gold, spans) for spans in ([row.spans for row in gold.rows], predicted))
    by_iou = eraser_spans.iou_matches(truth, found, [0.5])[0]
    exact, tokens = eraser_spans.exact_matches(truth, found), eraser_spans.token_matches(truth, found)
    numbers: dict[str, float | None] = {}
    for name, scores in (
        ("iou", eraser_spans.iou_macro(by_iou)),
        ("exact", eraser_spans.instance_macro(exact)),
        ("token", eraser_spans.instance_macro(tokens)),
    ):
        for part, value in (("precision", scores.p), ("recall", scores.r), ("f1", scores.f1)):
            numbers[f"eraser.{name}_{part}_macro"] = value
    return numbers


def _spans_by_segment(gold: GoldTable, spans: Sequence[Sequence[tuple[int, int]]]) -> Spans:
    most = max((len(row.segments) for row in gold.rows), default=1)
    keys, starts, ends = [], [], []
    for place, (row, of_row) in enumerate(zip(gold.rows, spans, strict=True)):
        borders = np.cumsum(row.segments)
        for start, end in of_row:
            if start < row.n_tokens:
                keys.append(place * most + int(np.searchsorted(borders, start, side="right")))
                starts.append(start)
                ends.append(end)
    columns = [np.array(column, dtype=np.int64) for column in (keys, starts, ends)]
    return Spans.of(columns[0], columns[1], columns[2], len(gold) * most)


def score_answers(gold: GoldTable, answers: Answers, *, is_label: bool) -> Scored:
    """How often a model is right: accuracy and macro F1 of labels, EM and F1 of answers, over the instances it answered."""
    part = gold.take([place for place, row in enumerate(gold.rows) if row.id in answers and row.result is not None])
    scored = Scored(part, counts={"instances": len(part), "instances_without_answer": len(gold) - len(part)})
    given = [answers[row.id].label or "" for row in part.rows]
    truth = [row.result or "" for row in part.rows]
    if not is_label:
        scored.values |= _answer_values(truth, given, [row.language for row in part.rows])
    elif part.rows:
        labels = sorted({*truth, *given})
        numbers = {label: number for number, label in enumerate(labels)}
        first, second = (np.array([numbers[label] for label in of_all], dtype=np.int64) for of_all in (truth, given))
        report = eraser_faithfulness.label_report(first, second, labels)
        scored.values["eraser.accuracy"] = np.array(
            [a == b for a, b in zip(truth, given, strict=True)], dtype=np.float64
        )
        scored.totals["eraser.macro_f1"] = report.macro.f1
    return scored


def _answer_values(truth: Sequence[str], given: Sequence[str], languages: Sequence[str]) -> Values:
    is_chinese = np.array([language.lower().startswith("zh") for language in languages], dtype=np.bool_)
    pairs: tuple[tuple[str, Callable[..., Floats], Callable[..., Floats]], ...] = (
        ("em", answers_of_reading.answer_em_chinese, answers_of_reading.answer_em_english),
        ("f1", answers_of_reading.answer_f1_chinese, answers_of_reading.answer_f1_english),
    )
    found: Values = {}
    for name, chinese, english in pairs:
        if is_chinese.any():
            found[f"benchmark.answer_{name}_chinese"] = np.where(is_chinese, chinese(truth, given), np.nan)
        if not is_chinese.all():
            found[f"benchmark.answer_{name}_english"] = np.where(is_chinese, np.nan, english(truth, given))
    return found


def score_faithfulness(gold: GoldTable, outputs: Mapping[int, Output], answers: Answers) -> Scored:
    """What a model answers on a method's rationale and on the rest, beside the full input; AOPC where thresholds are given."""
    there = [place for place, row in enumerate(gold.rows) if row.id in answers and _reduced(outputs.get(row.id))]
    part = gold.take(there)
    scored = Scored(part, counts={"instances": len(part)})
    full = [answers[row.id] for row in part.rows]
    reduced = [_reduced(outputs.get(row.id)) for row in part.rows]
    of_rationale = [found.get(("rationale", None)) for found in reduced]
    of_rest = [found.get(("rest", None)) for found in reduced]
    p_full = np.array([_p(answer, answer.label) for answer in full], dtype=np.float64)
    for name, changed in (("sufficiency", of_rationale), ("comprehensiveness", of_rest)):
        p_changed = np.array([_p(c, f.label) for c, f in zip(changed, full, strict=True)], dtype=np.float64)
        scored.values[f"method.{name}"] = p_full - p_changed
    for name, given in (("full", full), ("rationale", of_rationale), ("rest", of_rest)):
        scored.values[f"method.quality_{name}"] = _is_right(part, given)
    scored.values["benchmark.new_p"] = _new_p(full, of_rationale, of_rest)
    _add_aopc(scored, reduced, full, p_full)
    scored.values = {name: values for name, values in scored.values.items() if not np.isnan(values).all()}
    return scored


_Reduced = dict[tuple[str, float | None], Prediction]


def _reduced(output: Output | None) -> _Reduced:
    return {(p.on, p.threshold): p for p in output.predictions if p.on != "full"} if output is not None else {}


def _p(answer: Prediction | None, label: str | None) -> float:
    return np.nan if answer is None or label is None else answer.probabilities.get(label, np.nan)


def _is_right(gold: GoldTable, given: Sequence[Prediction | None]) -> Floats:
    right = [
        np.nan if answer is None or row.result is None else float(answer.label == row.result)
        for row, answer in zip(gold.rows, given, strict=True)
    ]
    return np.array(right, dtype=np.float64)


def _new_p(full: Sequence[Prediction], only: Sequence[Prediction | None], rest: Sequence[Prediction | None]) -> Floats:
    """NaN where one of the two reduced answers is missing."""
    is_there = np.array([a is not None and b is not None for a, b in zip(only, rest, strict=True)], dtype=np.bool_)
    numbers: dict[str | None, int] = {}
    coded = [
        np.array([numbers.setdefault(a.label if a is not None else None, len(numbers)) for a in of_all], dtype=np.int64)
        for of_all in (full, only, rest)
    ]
    return np.where(is_there, new_p(*coded), np.nan)


def _add_aopc(scored: Scored, reduced: Sequence[_Reduced], full: Sequence[Prediction], p_full: Floats) -> None:
    """Over the thresholds that every instance has; none where there is no such threshold."""
    for name, side in (("sufficiency", "rationale"), ("comprehensiveness", "rest")):
        of_each = [{t for on, t in found if on == side and t is not None} for found in reduced]
        thresholds = sorted(set.intersection(*of_each)) if of_each else []
        if not thresholds:
            continue
        p_changed = np.array(
            [[_p(found[side, t], f.label) for t in thresholds] for found, f in zip(reduced, full, strict=True)]
        )
        is_there = ~np.isnan(p_full[:, None] - p_changed).any(axis=1)
        if is_there.any():
            points = eraser_faithfulness.aopc_points(p_full[is_there], p_changed[is_there])
            scored.drops[name] = dict(zip(thresholds, points.tolist(), strict=True))
        scored.values[f"eraser.{name}_aopc"] = eraser_faithfulness.aopc(p_full, p_changed)
        scored.values[f"eraser.{name}_aopc_paper"] = eraser_faithfulness.aopc(p_full, p_changed, "paper")


def confidence_of(scored: Scored, answers: Answers) -> dict[str, object]:
    """How sure the model is of its right answers, with a perfect ranking of the gold set and with another."""
    p = np.array(
        [_p(a, a.label) if (a := answers.get(row.id)) else np.nan for row in scored.gold.rows], dtype=np.float64
    )
    right: Flags = np.array(
        [(a := answers.get(row.id)) is not None and a.label == row.result for row in scored.gold.rows], dtype=np.bool_
    )
    found = confidence_by_ranking(p, scored.values["editing.mrr"], right & ~np.isnan(p))
    return {
        "perfect": found.perfect.value, "n_perfect": found.perfect.n, "other": found.other.value,
        "n_other": found.other.n, "difference": found.difference, "ratio": found.ratio,
    }  # fmt: skip


def random_numbers(gold: GoldTable) -> dict[str, dict[str, object]]:
    """Random as a method: mean and deviation over ten seeds of each plausibility number."""
    part = gold.take([place for place, row in enumerate(gold.rows) if row.sets])
    by_name: dict[str, list[Floats]] = {}
    for seed in TEN_SEEDS:
        scores = random_scores(part.n_tokens, seed)
        selected = against.top_of_sides(against.order_of(scores), part.sides)
        values = against.of_selection(selected, part.sets) | against.of_ranking(scores, part.sets)
        for name, of_instances in (values | against.of_scores(scores, part.sets)).items():
            by_name.setdefault(name, []).append(of_instances)
    found = {name: random_as_method(values.__getitem__) for name, values in by_name.items()}
    return {
        name: {"value": made.mean, "deviation": made.deviation, "n_seeds": made.n_seeds} for name, made in found.items()
    }
