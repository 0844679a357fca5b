"""The numbers of one run of a model against gold: answers, plausibility, consistency; knows neither files nor the database."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotator.domain.instances import Instance
from annotator.domain.measurements import ANNOTATOR, CRITERION, Whose, group_of, is_of_people
from annotator.domain.models import Attribution, MachineRationale, Output, Prediction
from annotator.domain.projects import GoldPolicy, Perspective, Project, ScoredPolicy
from annotator.errors import InvalidValue
from annotator.language import _, unsaid
from annotator.metrics import against_sets as against
from annotator.metrics import benchmark_consistency as consistency
from annotator.metrics import benchmark_faithfulness as answers_of_reading
from annotator.metrics import eraser_faithfulness, eraser_spans
from annotator.metrics.eraser_spans import Spans
from annotator.metrics.gold_as_method import TEN_SEEDS, scores_drawn_for
from annotator.metrics.ragged import Flags, Floats, Integers, Ragged
from annotator.metrics.sentence_editing import confidence_by_ranking, need_edit_f1
from annotator.scoring import soft
from annotator.scoring.gold import GoldRow, GoldTable
from annotator.scoring.reports import ConfidenceReport
from annotator.scoring.soft import PersonValues

ONE_PERSON = unsaid("One person's gold can't be grouped. Remove the group, or choose another gold policy.")
Answers = Mapping[int, Prediction]
Values = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """What is scored, and how.

    gold_policy, split, criterion: of the project; None: its own policy, all splits, edits by every criterion
    by, group:  of one group of the instances alone, such as ("label", "positive") (domain/measurements.py); criterion is one such
    n_resamples: above 0, each mean over instances comes with a bootstrap interval
    gamma:     what attributions are multiplied with in ER-TEST's losses; delta: of its Huber loss
    explained: which label's attribution is taken where there are several: "predicted" (else gold), or "gold"
    includes_training: a model is scored on the split that it learned from too
    has_null:  what is selected hard is scored beside as many tokens drawn at random
    ratio:     of a project without gold, which has no RLR: the share of a side's tokens that k is
    ferret_k:  how many tokens ferret's token F1 and IoU select of every instance
    perspective: gold that keeps people apart instead of a policy: of everybody, or of the one person of a group
    ordered_labels: all labels in their order, if they have one: soft gold then has their Wasserstein distance
    """

    gold_policy: GoldPolicy | None = None
    split: str | None = None
    criterion: str | None = None
    n_resamples: int = 0
    gamma: float = 1.0
    delta: float = 1.0
    explained: str = "predicted"
    includes_training: bool = False
    has_null: bool = False
    by: str = ""
    group: str | None = None
    ratio: float | None = None
    perspective: Perspective | None = None
    ordered_labels: tuple[str, ...] = ()
    ferret_k: int = against.FERRET_K

    def __post_init__(self) -> None:
        by, group = self.grouping
        if self.perspective == "personal" and (by != ANNOTATOR or group is None):
            raise InvalidValue(_(ONE_PERSON))

    def policy_of(self, project: Project) -> ScoredPolicy:
        """What is scored against."""
        return self.perspective or self.gold_policy or project.settings.gold_policy

    @property
    def grouping(self) -> tuple[str, str | None]:
        """By what instances are grouped, "" for nothing, and the group that is scored, None for all."""
        return (self.by, self.group) if self.criterion is None else (CRITERION, self.criterion)

    @property
    def whose(self) -> Whose | None:
        """Whose sets alone are gold; None for everybody's."""
        by, group = self.grouping
        return Whose(by, group) if is_of_people(by) and group is not None else None

    def asks_for(self, split: str, group: str | None) -> bool:
        """Whether an instance of this split and group is scored. group None: groups are not of instances."""
        return self.split in (None, split) and (group is None or self.grouping[1] in (None, group))

    def asks_for_instance(self, instance: Instance, label: str | None) -> bool:
        """The same of an instance with its gold label."""
        return self.asks_for(instance.split, group_of(instance, label, self.grouping[0]))


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """Rankings of the instances that are compared with others: originals and perturbed versions.

    Shapes: a row an instance of token indices, most important first; selected: the first k of each side
    """

    rows: Sequence[GoldRow]
    order: Ragged[np.int64]
    selected: Ragged[np.int64]

    @staticmethod
    def of(gold: GoldTable, order: Ragged[np.int64], selected: Ragged[np.int64], is_flat: Flags) -> "Rankings":
        """Of all instances of a table, those that are related and have an order."""
        related = np.flatnonzero(gold.is_related & ~is_flat)
        return Rankings([gold.rows[index] for index in related.tolist()], order.take(related), selected.take(related))


@dataclass(slots=True)
class Scored:
    """Numbers by their names in the register.

    values: a value an instance of `gold`; totals: numbers that are not a mean over instances
    scores: of each instance's tokens, those that the model did not see below all others
    spans:  of each instance, what is selected hard
    drops:  "comprehensiveness" and "sufficiency": the mean drop of probability at each threshold
    drop_values: the same of each instance, NaN of one that lacks a threshold
    null:   of what is selected hard, where it was asked for: means over ten seeds of as many tokens drawn at random
    is_flat: bool[n], of instances whose map has all scores equal, so that it ranks nothing; None where there are no maps
    of_people: of soft gold, the values against each person's sets; else None
    """

    gold: GoldTable
    values: Values = field(default_factory=dict)
    totals: dict[str, float | None] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    scores: Ragged[np.float64] | None = None
    rankings: Rankings | None = None
    spans: Sequence[Sequence[tuple[int, int]]] = ()
    drops: dict[str, dict[float, float]] = field(default_factory=dict)
    drop_values: dict[str, dict[float, Floats]] = field(default_factory=dict)
    null: Values = field(default_factory=dict)
    is_flat: Flags | None = None
    of_people: PersonValues | None = None


def layers_of(outputs: Mapping[int, Output]) -> list[int | None]:
    """The layers for which there are attributions; None for those of no layer."""
    layers = {attribution.layer for output in outputs.values() for attribution in output.attributions}
    return sorted(layers, key=lambda layer: -1 if layer is None else layer)


def score_attributions(
    gold: GoldTable, outputs: Mapping[int, Output], answers: Answers, layer: int | None, options: ScoringOptions
) -> Scored:
    """Plausibility of the attributions of one layer, over the instances with gold that have one."""
    chosen, counts = _chosen(gold, outputs, answers, layer, options.explained)
    part = gold.take(chosen)
    n = part.n_tokens
    scores = Ragged.of([chosen_one.scores[: n[index]] for index, chosen_one in enumerate(chosen.values())], np.float64)
    filled, had_gaps = against.without_gaps(scores)
    ranks, order = _ranks(filled, scores, list(chosen.values()))
    selected = against.top_of_sides(order, part.sides)
    flat = against.is_flat(ranks.with_values(np.where(np.isnan(scores.values), np.nan, ranks.values)), part.sides)
    scored = Scored(part, scores=filled, rankings=Rankings.of(part, order, selected, flat), is_flat=flat)
    values, losses = selection_values(selected, part), {}
    if part.is_soft:
        scored.of_people = soft.of_people(selected, part, ~flat)
    else:
        values |= against.of_ranking(ranks, part.sets)
        values |= against.of_scores(filled, part.sets, ferret_k=options.ferret_k)
        losses = against.of_alignment(filled, part.sets, gamma=options.gamma, delta=options.delta)
    scored.values |= against.without_order(values, flat, filled)
    scored.values |= {name: np.where(had_gaps, np.nan, values) for name, values in losses.items()}
    scored.counts = counts | {
        "instances": len(part),
        "instances_without_gold_sets": int((part.sets.n_sets == 0).sum()),
        "instances_seen_in_part": int(had_gaps.sum()),
        "instances_with_all_scores_equal": int(flat.sum()),
        "instances_with_ties_at_k": int(((against.n_tied_at_k(ranks, selected, part.sides) > 0) & ~flat).sum()),
    }
    return scored


def _chosen(
    gold: GoldTable, outputs: Mapping[int, Output], answers: Answers, layer: int | None, explained: str
) -> tuple[dict[int, Attribution], dict[str, int]]:
    """For each row with attributions of the layer the one that is scored: the predicted label's, the gold one's, or the first."""
    chosen: dict[int, Attribution] = {}
    n_other = 0
    for index, row in enumerate(gold.rows):
        output = outputs.get(row.id)
        of_layer = [a for a in output.attributions if a.layer == layer] if output is not None else []
        if not of_layer:
            continue
        answer = answers.get(row.id)
        predicted = answer.label if answer is not None else None
        wanted = [predicted, row.result] if explained == "predicted" else [row.result]
        attribution = next(
            (a for label in wanted for a in of_layer if label is not None and a.label in {label, ""}), None
        )
        n_other += attribution is None
        chosen[index] = of_layer[0] if attribution is None else attribution
    return chosen, {"instances_with_another_label_explained": n_other}


def _ranks(
    filled: Ragged[np.float64], scores: Ragged[np.float64], chosen: Sequence[Attribution]
) -> tuple[Ragged[np.float64], Ragged[np.int64]]:
    """Scores whose order is the ranking, and the ranking: the file's own where it has one, else by score."""
    if not any(attribution.ranking is not None for attribution in chosen):
        return filled, against.order_of(scores)
    rows = []
    for index, attribution in enumerate(chosen):
        of_row = scores.row(index)
        if attribution.ranking is not None:
            of_row = np.full(len(of_row), np.nan)
            ranking = np.array([token for token in attribution.ranking if token < len(of_row)], dtype=np.int64)
            of_row[ranking] = -np.arange(len(ranking), dtype=np.float64)
        rows.append(of_row)
    ranks = Ragged.of(rows, np.float64)
    return against.without_gaps(ranks)[0], against.order_of(ranks)


def score_rationales(
    gold: GoldTable, outputs: Mapping[int, Output], kind: str, options: ScoringOptions = ScoringOptions()
) -> Scored:
    """Plausibility of what a model selects (hard), or of the top k of what it ranks, over the instances that have it."""
    rationales: dict[int, MachineRationale] = {}
    for index, row in enumerate(gold.rows):
        output = outputs.get(row.id)
        for rationale in output.rationales if output is not None else ():
            if rationale.kind == kind:
                rationales[index] = rationale
    part = gold.take(rationales)
    scored = Scored(part)
    flat: Flags = np.zeros(len(part), dtype=np.bool_)
    if kind == "ranked":
        rankings = zip(rationales.values(), part.n_tokens, strict=True)
        order = Ragged.of([[t for t in r.ranking if t < n] for r, n in rankings], np.int64)
        selected = against.top_of_sides(order, part.sides)
    else:
        tokens = [sorted({t for s, e in r.spans for t in range(s, e)}) for r in rationales.values()]
        order = Ragged.of([[t for t in row if t < n] for row, n in zip(tokens, part.n_tokens, strict=True)], np.int64)
        selected = order
        scored.spans = [r.spans for r in rationales.values()]
        flat = _are_first_of_flat(part, outputs, selected)
        if options.has_null:
            scored.null = _drawn(selected, part)
    scored.is_flat = flat
    scored.rankings = Rankings.of(part, order, selected, flat)
    values = selection_values(selected, part)
    if part.is_soft:
        scored.of_people = soft.of_people(selected, part, ~flat)
    scored.values |= {name: np.where(flat, np.nan, of_instances) for name, of_instances in values.items()}
    scored.counts = {
        "instances": len(part),
        "instances_without_gold_sets": int((part.sets.n_sets == 0).sum()),
        "instances_with_nothing_selected": int((selected.lengths == 0).sum()),
        "instances_with_everything_selected": int((selected.lengths == part.n_tokens).sum()),
    }
    return scored


def selection_values(selected: Ragged[np.int64], gold: GoldTable) -> Values:
    """Numbers of selected tokens, against sets or against shares of people."""
    return soft.of_selection(selected, gold) if gold.is_soft else against.of_selection(selected, gold.sets)


def _are_first_of_flat(gold: GoldTable, outputs: Mapping[int, Output], selected: Ragged[np.int64]) -> Flags:
    """bool[n]: the first tokens of each side are selected, and the same output's maps have all scores equal: a cut of these."""
    counts = against.n_in_sides(selected, gold.sides)
    tokens = against.every_token(gold.n_tokens)
    first = against.first_of_sides(tokens, gold.sides.lengths, counts)
    differs = selected.with_values(selected.values != first.values).sums() > 0
    are_first: Flags = ~differs & (counts < gold.sides.lengths).any(axis=1)
    for index in np.flatnonzero(are_first).tolist():
        maps = outputs[gold.rows[index].id].attributions
        part = gold.take([index])
        are_first[index] = bool(maps) and all(_is_flat(attribution, part) for attribution in maps)
    return are_first


def _is_flat(attribution: Attribution, part: GoldTable) -> bool:
    if attribution.ranking is not None:
        return False
    scores = Ragged.of([attribution.scores[: part.rows[0].n_tokens]], np.float64)
    return bool(against.is_flat(scores, part.sides)[0])


def _drawn(selected: Ragged[np.int64], gold: GoldTable) -> Values:
    """The means over ten seeds of as many tokens of each side, those that have the highest of random's scores."""
    counts = against.n_in_sides(selected, gold.sides)
    sums: Values = {}
    for seed in TEN_SEEDS:
        scores = scores_drawn_for(gold.identities, gold.n_tokens, seed)
        drawn = against.first_of_sides(against.order_of(scores), gold.sides.lengths, counts)
        for name, values in selection_values(drawn, gold).items():
            sums[name] = sums.get(name, 0.0) + values
    return {name: values / len(TEN_SEEDS) for name, values in sums.items()}


def span_numbers(scored: Scored) -> dict[str, float | None]:
    """ERASER's numbers over spans and tokens of what is selected hard; a key is an instance's segment."""
    gold = scored.gold
    truth, predicted = (_spans_by_segment(gold, spans) for spans in ([row.spans for row in gold.rows], scored.spans))
    by_iou = eraser_spans.iou_matches(truth, predicted, [0.5])[0]
    exact, tokens = eraser_spans.exact_matches(truth, predicted), eraser_spans.token_matches(truth, predicted)
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
    for index, (row, of_row) in enumerate(zip(gold.rows, spans, strict=True)):
        borders = np.cumsum(row.segments)
        for start, end in of_row:
            if start < row.n_tokens:
                keys.append(index * most + int(np.searchsorted(borders, start, side="right")))
                starts.append(start)
                ends.append(end)
    columns = [np.array(column, dtype=np.int64) for column in (keys, starts, ends)]
    return Spans.of(columns[0], columns[1], columns[2], len(gold) * most)


def joined_values(parts: Sequence[tuple[int, Values]]) -> Values:
    """Values of several groups of instances, one after the other; NaN where a group lacks a number.

    parts: how many instances a group has, and their values
    """
    names = dict.fromkeys(name for _, values in parts for name in values)
    return {name: np.concatenate([values.get(name, np.full(n, np.nan)) for n, values in parts]) for name in names}


def p_of(answer: Prediction | None, label: str | None) -> float:
    """The probability of a label; NaN where the model does not give it."""
    return np.nan if answer is None or label is None else answer.probabilities.get(label, np.nan)


def confidence_of(scored: Scored, answers: Answers) -> ConfidenceReport:
    """How sure the model is of its right answers, with a perfect ranking of the gold set and with another."""
    confidence = confidence_by_ranking(*confidence_inputs(scored, answers))
    return {
        "perfect": confidence.perfect.value, "n_perfect": confidence.perfect.n, "other": confidence.other.value,
        "n_other": confidence.other.n, "difference": confidence.difference, "ratio": confidence.ratio,
    }  # fmt: skip


def confidence_inputs(scored: Scored, answers: Answers) -> tuple[Floats, Floats, Flags]:
    """Of each instance the probability of the predicted label, the reciprocal rank, and whether the label is right.

    An answer without a probability is not among the right ones.
    """
    given = [answers.get(row.id) for row in scored.gold.rows]
    labels = [None if answer is None else answer.label for answer in given]
    p = np.array([p_of(answer, label) for answer, label in zip(given, labels, strict=True)], dtype=np.float64)
    is_right: Flags = np.array(
        [label is not None and label == row.result for label, row in zip(labels, scored.gold.rows, strict=True)],
        dtype=np.bool_,
    )
    return p, scored.values["editing.mrr"], is_right & ~np.isnan(p)


# How often a model is right.


def score_answers(gold: GoldTable, answers: Answers, *, is_label: bool, ordered_labels: Sequence[str] = ()) -> Scored:
    """How often a model is right: accuracy and macro F1 of labels, EM and F1 of answers, over the instances it answered.

    Of edited sentences F1 of “need edit” as well; of soft gold, how far labels are from everybody's.
    """
    scored = _score_answers(gold, answers, is_label=is_label)
    return _with_people(scored, gold, answers, ordered_labels) if gold.is_soft and is_label else scored


def _score_answers(gold: GoldTable, answers: Answers, *, is_label: bool) -> Scored:
    part = gold.take([index for index, row in enumerate(gold.rows) if row.id in answers and row.result is not None])
    n_unanswered = sum(row.id not in answers for row in gold.rows)
    scored = Scored(part, counts={"instances": len(part), "instances_without_answer": n_unanswered})
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
        if gold.edited_label is not None:
            is_predicted, is_gold = (
                np.array([gold.edited_label == other for other in of_all], dtype=np.bool_) for of_all in (given, truth)
            )
            scored.totals["editing.need_edit_f1"] = need_edit_f1(is_predicted, is_gold)
    return scored


def _with_people(scored: Scored, gold: GoldTable, answers: Answers, ordered_labels: Sequence[str] = ()) -> Scored:
    """The same with the numbers of soft gold, over all instances that were answered, also those without a gold label."""
    part = gold.take([index for index, row in enumerate(gold.rows) if row.id in answers])
    at = np.array([part.places[row.id] for row in scored.gold.rows], dtype=np.int64)
    values: Values = {name: np.full(len(part), np.nan) for name in scored.values}
    for name, of_instances in scored.values.items():
        values[name][at] = of_instances
    of_labels, totals = soft.of_answers(part.rows, answers, ordered_labels)
    counts = {"instances": len(part), "instances_without_answer": len(gold) - len(part)}
    return Scored(part, values | of_labels, scored.totals | totals, counts)


def _answer_values(truth: Sequence[str], given: Sequence[str], languages: Sequence[str]) -> Values:
    is_chinese = np.array([language.lower().startswith("zh") for language in languages], dtype=np.bool_)
    pairs: tuple[tuple[str, Callable[..., Floats], Callable[..., Floats]], ...] = (
        ("em", answers_of_reading.answer_em_chinese, answers_of_reading.answer_em_english),
        ("f1", answers_of_reading.answer_f1_chinese, answers_of_reading.answer_f1_english),
    )
    values: Values = {}
    for name, chinese, english in pairs:
        if is_chinese.any():
            values[f"benchmark.answer_{name}_chinese"] = np.where(is_chinese, chinese(truth, given), np.nan)
        if not is_chinese.all():
            values[f"benchmark.answer_{name}_english"] = np.where(is_chinese, np.nan, english(truth, given))
    return values


# Consistency: a run's rankings of originals beside those of their perturbed versions.


Pair = tuple[GoldRow, GoldRow]


def values_of_pairs(scored: Scored) -> tuple[list[Pair], dict[str, Floats]]:
    """Originals and perturbed versions that both have a ranking, and the MAP of each pair."""
    rankings = scored.rankings
    pairs = _pairs(rankings.rows) if rankings is not None else []
    if not pairs or rankings is None:
        return [], {}
    rows = rankings.rows
    first, second = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True))
    top, full = (_by_string(rows, order, first, second) for order in (rankings.selected, rankings.order))
    related = [(rows[a], rows[b]) for a, b in pairs]
    if not len(rankings.selected.values):  # nothing says how many tokens are the top
        return related, {"map_full_ranking": consistency.mean_average_precision(*full)}
    return related, {
        "map": consistency.mean_average_precision(*top),
        "map_full_ranking": consistency.mean_average_precision(*full),
        "map_counting": consistency.mean_average_precision(*top, counts_repeats=True),
        "map_aligned": consistency.mean_average_precision(*_aligned(rows, rankings.selected, first, second)),
    }


def _pairs(rows: Sequence[GoldRow]) -> list[tuple[int, int]]:
    """Places of originals and of their perturbed versions; of a key in several splits the perturbed one's split decides."""
    index_by_key = {(row.key, row.split): index for index, row in enumerate(rows)}
    by_key: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        by_key.setdefault(row.key, []).append(index)
    pairs = []
    for index, row in enumerate(rows):
        if row.parent_key is None:
            continue
        original = index_by_key.get((row.parent_key, row.split))
        others = by_key.get(row.parent_key, [])
        if original is None and len(others) == 1:
            original = others[0]
        if original is not None:
            pairs.append((original, index))
    return pairs


def _by_string(
    rows: Sequence[GoldRow], order: Ragged[np.int64], first: Integers, second: Integers
) -> tuple[Ragged[np.int64], Ragged[np.int64]]:
    tokens = [[row.tokens[token] for token in order.row(index)] for index, row in enumerate(rows)]
    return consistency.encode_tokens([tokens[index] for index in first], [tokens[index] for index in second])


def _aligned(
    rows: Sequence[GoldRow], order: Ragged[np.int64], first: Integers, second: Integers
) -> tuple[Ragged[np.int64], Ragged[np.int64]]:
    originals, perturbed = ([rows[index].tokens for index in side] for side in (first, second))
    return order.take(first), consistency.aligned_ranking(originals, perturbed, order.take(second))
