"""Scoring files as ERASER's own program does it, and reading these; no database."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.formats.eraser.gold import EraserGold, KeyNumbers, read_gold, read_lengths
from annotator.formats.eraser.predictions import Answer, Predictions, SoftLists, read_predictions
from annotator.formats.rows.findings import shown
from annotator.metrics import eraser_faithfulness as faithfulness
from annotator.metrics import eraser_spans as spans
from annotator.metrics.aggregate import bootstrap, mean_of
from annotator.metrics.eraser_soft import areas_of_rows, marked, soft_scores
from annotator.metrics.eraser_spans import Spans
from annotator.metrics.gold_as_method import TEN_SEEDS, scores_drawn_for
from annotator.metrics.ragged import (
    Floats,
    GoldSets,
    Integers,
    Ragged,
    joined_documents,
    sets_of_groups,
    tokens_of_spans,
)
from annotator.metrics.set_aware import best_set, set_aware_values
from annotator.metrics.significance import beside
from annotator.scoring.reports import Report, refuse_if_any

# The files that ERASER's scorer reads, and everything in them that does not fit together.


@dataclass(frozen=True, slots=True)
class EraserFiles:
    """What `evaluate eraser` reads.

    Shapes: lengths int[n_keys, 2], tokens and sentences of each key's document, -1 where there is none
    """

    gold: EraserGold
    predictions: Predictions
    keys: KeyNumbers
    lengths: Integers

    @property
    def n_keys(self) -> int:
        return len(self.lengths)


def read_files(data_folder: Path, split: str, predictions: Path) -> EraserFiles:
    """Gold, predictions and the length of each document; what is wrong in them is in their lists of problems."""
    keys = KeyNumbers()
    gold = read_gold(data_folder, split, keys)
    answers = read_predictions(predictions, keys)
    lengths, problems = read_lengths(data_folder, {docid for _, docid in keys.numbers})
    gold.problems.extend(problems)
    gold.problems.extend(_unknown(gold.source, "evidences.docid", gold.keys, gold.lines, keys, lengths))
    entries = answers.entries
    answers.problems.extend(_unknown(answers.source, "rationales.docid", entries[:, 0], entries[:, 1], keys, lengths))
    of_keys = [lengths.get(docid, (-1, -1)) for _, docid in keys.numbers]
    return EraserFiles(gold, answers, keys, np.array(of_keys, dtype=np.int64).reshape(-1, 2))


def _unknown(
    source: str, field: str, keys: Integers, lines: Integers, numbers: KeyNumbers, lengths: dict[str, tuple[int, int]]
) -> list[Problem]:
    """Rows that name a document which is not there."""
    docids = [docid for _, docid in numbers.numbers]
    absent = np.array([docid not in lengths for docid in docids], dtype=bool)
    if not absent.any():
        return []
    bad = dict.fromkeys((int(line), docids[key]) for line, key in zip(lines, keys, strict=True) if absent[key])
    return [
        Problem(source, line, field, shown(docid), f"There is no document '{docid}'; correct the name or add it.")
        for line, docid in bad
    ]


def misfits(files: EraserFiles) -> list[Problem]:
    """Spans past the end of their document and lists of scores that are not as long; unknown documents are reported before."""
    predictions = files.predictions
    known = files.lengths[:, 0]
    keys = predictions.keys_of_hard()
    far = (known[keys] >= 0) & (predictions.hard[:, 1:].max(axis=1, initial=-1) > known[keys])
    problems = [
        Problem(predictions.source, int(predictions.entries[entry, 1]), "hard_rationale_predictions", f"[{start}, {end})",
                f"The span reaches past the end of the document, which has {known[predictions.entries[entry, 0]]} tokens.")
        for entry, start, end in predictions.hard[far]
    ]  # fmt: skip
    for what, lists, column, gold in (
        ("token", predictions.tokens, 0, files.gold.tokens),
        ("sentence", predictions.sentences, 1, files.gold.sentences),
    ):
        problems += _wrong_lists(files, what, lists, column)
        problems += _far_gold(files, what, gold, files.lengths[files.gold.keys, column]) if lists.lengths else []
    return problems


def _wrong_lists(files: EraserFiles, what: str, lists: SoftLists, column: int) -> list[Problem]:
    name = "soft_rationale_predictions" if what == "token" else "soft_sentence_predictions"
    n_known = files.lengths[np.array(lists.keys, dtype=np.int64), column]
    n_given, lines = np.array(lists.lengths, dtype=np.int64), np.array(lists.lines, dtype=np.int64)
    wrong = (n_known >= 0) & (n_known != n_given)
    problems = [
        Problem(
            files.predictions.source,
            int(line),
            name,
            counted(int(given), "score"),
            f"The document has {counted(int(known), what)}; write one score for each.",
        )
        for line, given, known in zip(lines[wrong], n_given[wrong], n_known[wrong], strict=True)
    ]
    rows = lists.rows()
    infinite = np.unique(rows.rows_of_values[~np.isfinite(rows.values)])
    reason = "A score is too large to be a number; write finite numbers."
    return problems + [
        Problem(files.predictions.source, int(line), name, "Infinity", reason) for line in lines[infinite]
    ]


def _far_gold(files: EraserFiles, what: str, gold: Integers, n_known: Integers) -> list[Problem]:
    """Gold past the end of its document, with which the scorer fails as soon as there are soft scores."""
    starts, ends = gold[:, 0], gold[:, 1]
    far = (n_known >= 0) & (ends > starts) & ((ends > n_known) | (starts < -n_known))
    return [
        Problem(files.gold.source, int(line), "evidences", f"[{start}, {end})",
                f"The evidence reaches past an end of its document, which has {counted(int(known), what)}; soft "
                "scores need its place.")
        for line, (start, end), known in zip(files.gold.lines[far], gold[far], n_known[far], strict=True)
    ]  # fmt: skip


def unanswerable(files: EraserFiles) -> list[Problem]:
    """Annotations without an answer, and answers that gold does not know, where labels are scored."""
    predictions, problems = files.predictions, []
    if not predictions.answers:
        return []
    known = set(files.gold.labels)
    wanted = set(files.gold.ids)
    answered = {answer.annotation_id for answer in predictions.answers}
    for answer in predictions.answers:
        if answer.annotation_id in wanted and answer.label not in known:
            reason = f"No annotation of the split has the label '{answer.label}'; correct it."
            problems.append(Problem(predictions.source, answer.line, "classification", shown(answer.label), reason))
    for missing in dict.fromkeys(files.gold.ids):
        if missing not in answered:
            reason = "The instance has no row with a classification; where labels are scored each instance has one."
            problems.append(Problem(predictions.source, None, "annotation_id", shown(missing), reason))
    return problems


def wrong_thresholds(predictions: Predictions, thresholds: Sequence[float]) -> list[Problem]:
    """Rows that lack a threshold that is asked for; numbers are compared as they are, so 0.1 + 0.2 is not 0.3."""
    problems = []
    for answer in predictions.answers:
        written = [scores.threshold for scores in answer.thresholded or ()]
        if answer.thresholded is not None and sum(threshold in thresholds for threshold in written) != len(thresholds):
            reason = (
                f"The thresholds {list(thresholds)} are asked for, each once; write them, or ask for others "
                "(--aopc-threshold)."
            )
            problems.append(Problem(predictions.source, answer.line, "thresholded_scores", shown(written), reason))
    return problems


IOU_THRESHOLDS = (0.5,)
AOPC_THRESHOLDS = (0.01, 0.05, 0.1, 0.2, 0.5)
_SUM_TOLERANCE = 1e-6


@dataclass(slots=True)
class _Scored:
    """What is answered, and the values whose means some of it is, a value an instance or document, for intervals.

    nulls: of some of them, the value that each document's words drawn at random have in the mean
    """

    scores: Report = field(default_factory=dict)
    counts: Report = field(default_factory=dict)
    samples: dict[str, Floats] = field(default_factory=dict)
    nulls: dict[str, Floats] = field(default_factory=dict)


def evaluate_eraser(
    data_folder: Path, split: str, predictions: Path, *, iou_thresholds: Sequence[float] = IOU_THRESHOLDS,
    aopc_thresholds: Sequence[float] = AOPC_THRESHOLDS, n_resamples: int = 0,
) -> Report:  # fmt: skip
    """The ERASER scorer's object for a predictions file; `paper` (its Equation 3), `group_aware` and `counts` beside it.

    `beside_random` has verdicts on macro token F1 against as many tokens drawn at random, and on the areas under
    precision and recall against ten seeds of random scores.
    n_resamples: above 0, `intervals` too, of the numbers that are means over instances or documents
    Raises: NotFound or InvalidValue for files and thresholds; ImportRefused, with every problem, for their rows
    """
    _check_thresholds(iou_thresholds, "IOU")
    _check_thresholds(aopc_thresholds, "AOPC")
    files = read_files(data_folder, split, predictions)
    problems = [*files.gold.problems, *files.predictions.problems, *misfits(files), *unanswerable(files)]
    problems += wrong_thresholds(files.predictions, aopc_thresholds)
    refuse_if_any(problems)
    scored = _Scored(counts=_counts(files))
    _score_hard(files, iou_thresholds, scored)
    _score_soft(files, scored)
    _score_answers(files, aopc_thresholds, scored)
    _score_groups(files, scored)
    intervals = {name: _interval(values, n_resamples) for name, values in scored.samples.items()} if n_resamples else {}
    verdicts = {"beside_random": _beside_random(scored)} if scored.nulls else {}
    return {**scored.scores, **verdicts, **({"intervals": intervals} if n_resamples else {}), "counts": scored.counts}


def _beside_random(scored: _Scored) -> Report:
    """By number the mean of its null, and the verdict."""
    pairs = {name: (scored.samples[name], null) for name, null in scored.nulls.items()}
    verdicts = beside(list(pairs.values()), "higher is better")
    return {
        name: {"random": mean_of(pairs[name][1]).value, **({} if verdict is None else asdict(verdict))}
        for name, verdict in zip(pairs, verdicts, strict=True)
    }


def _interval(values: Floats, n_resamples: int) -> Report | None:
    """A bootstrap interval as it is written; None of fewer than two values, or of an infinite one."""
    interval = None if np.isinf(values).any() else bootstrap(values, n_resamples=n_resamples)
    return None if interval is None else asdict(interval)


def _check_thresholds(thresholds: Sequence[float], name: str) -> None:
    for threshold in thresholds:
        if not 0 <= threshold <= 1:
            raise InvalidValue(f"The {name} threshold {threshold} is not between 0 and 1.")


def _score_hard(files: EraserFiles, thresholds: Sequence[float], scored: _Scored) -> None:
    if not files.predictions.has_hard:
        return
    predictions, gold = files.predictions, files.gold
    predicted = Spans.of(predictions.keys_of_hard(), predictions.hard[:, 1], predictions.hard[:, 2], files.n_keys)
    truth = Spans.of(gold.keys, gold.tokens[:, 0], gold.tokens[:, 1], files.n_keys)
    by_iou = spans.iou_matches(truth, predicted, thresholds)
    exact, tokens = spans.exact_matches(truth, predicted), spans.token_matches(truth, predicted)
    scored.scores["iou_scores"] = [
        {
            "threshold": threshold,
            "micro": asdict(spans.iou_micro(at_threshold)),
            "macro": asdict(spans.iou_macro(at_threshold)),
        }
        for threshold, at_threshold in zip(thresholds, by_iou, strict=True)
    ]
    for name, matches in (("rationale_prf", exact), ("token_prf", tokens)):
        micro, macro = spans.instance_micro(matches), spans.instance_macro(matches)
        scored.scores[name] = {"instance_micro": asdict(micro), "instance_macro": asdict(macro)}
        for part, values in spans.per_key(matches).items():
            scored.samples[f"{name}.instance_macro.{part}"] = values
    scored.nulls["token_prf.instance_macro.f1"] = _f1_at_random(tokens, files.lengths[:, 0])
    scored.counts["hard"] = {
        "gold_spans": len(truth),
        "predicted_spans": len(predicted),
        "keys_with_gold": int((exact.n_gold > 0).sum()),
        "keys_with_prediction": int((exact.n_predicted > 0).sum()),
        "gold_spans_without_tokens": int((truth.ends <= truth.starts).sum()),
        "predicted_spans_without_tokens": int((predicted.ends <= predicted.starts).sum()),
        "gold_spans_past_document": int((truth.ends > files.lengths[truth.keys, 0]).sum()),
        "keys_with_iou_recall_above_one": {
            str(threshold): int((at_threshold.n_matched > at_threshold.n_gold)[at_threshold.n_gold > 0].sum())
            for threshold, at_threshold in zip(thresholds, by_iou, strict=True)
        },
    }


def _f1_at_random(tokens: spans.Matches, n_tokens: Integers) -> Floats:
    """float[n_keys]: the mean F1 of as many tokens, drawn at random: of k, n and g gold ones k · g / n are right in the mean."""
    n_both = tokens.n_predicted + tokens.n_gold
    is_defined = (n_tokens > 0) & (n_both > 0)
    n_right = np.divide(tokens.n_predicted * tokens.n_gold, n_tokens, out=np.zeros(len(n_tokens)), where=is_defined)
    f1: Floats = np.divide(2 * n_right, n_both, out=np.full(len(n_tokens), np.nan), where=is_defined)
    return f1


def _score_groups(files: EraserFiles, scored: _Scored) -> None:
    """Ours: what was selected against each evidence group by itself, an instance's documents as one text."""
    if not files.predictions.has_hard:
        return
    sets, selected, n_without_tokens = _as_sets(files)
    values = set_aware_values(selected, sets)
    scored.scores["group_aware"] = {name: asdict(mean_of(of_instances)) for name, of_instances in values.items()}
    scored.samples |= {f"group_aware.{name}": of_instances for name, of_instances in values.items()}
    scored.counts["group_aware"] = {
        "instances_with_groups": int((sets.n_sets > 0).sum()),
        "instances_with_several_groups": int((sets.n_sets > 1).sum()),
        "groups": int(sets.n_sets.sum()),
        "groups_without_tokens": n_without_tokens,
        "instances_whose_best_group_is_tied": int(best_set(selected, sets).is_tied.sum()),
        "gold_is_exhaustive": None,  # no ERASER file says it; only where it is does a recall measure comprehensiveness
    }


def _as_sets(files: EraserFiles) -> tuple[GoldSets, Ragged[np.int64], int]:
    """Each instance's groups, the tokens selected for it, and how many groups have no token."""
    gold, predictions = files.gold, files.predictions
    numbers: dict[str, int] = {}
    for number, annotation_id in enumerate(gold.ids):
        numbers.setdefault(annotation_id, number)
    instances = np.array([numbers.get(annotation_id, -1) for annotation_id, _ in files.keys.numbers], dtype=np.int64)
    widths = files.lengths[:, 0].clip(0)
    np.maximum.at(widths, gold.keys, gold.tokens[:, 1])  # gold that reaches past its document keeps its tokens
    first = joined_documents(instances, widths)
    starts, ends = gold.tokens[:, 0].clip(0) + first[gold.keys], gold.tokens[:, 1] + first[gold.keys]
    groups = tokens_of_spans(gold.groups, starts, ends, len(gold.annotations_of_groups))
    sets, is_set = sets_of_groups(groups, gold.annotations_of_groups, len(gold.ids))
    keys = predictions.keys_of_hard()
    is_known = instances[keys] >= 0
    keys, spans_there = keys[is_known], predictions.hard[is_known, 1:]
    starts, ends = spans_there[:, 0].clip(0) + first[keys], spans_there[:, 1] + first[keys]
    return sets, tokens_of_spans(instances[keys], starts, ends, len(gold.ids)), int((~is_set).sum())


def _score_soft(files: EraserFiles, scored: _Scored) -> None:
    predictions, gold = files.predictions, files.gold
    for name, lists, of_lists in (
        ("token_soft_metrics", predictions.tokens, gold.tokens),
        ("sentence_soft_metrics", predictions.sentences, gold.sentences),
    ):
        if not lists.lengths:
            continue
        keys, rows, n_repeated = _last_of_each(lists)
        rows_of_keys = np.full(files.n_keys, -1, dtype=np.int64)
        rows_of_keys[keys] = np.arange(len(keys))
        truth = Spans.of(gold.keys, of_lists[:, 0], of_lists[:, 1], files.n_keys)
        is_gold = marked(truth, rows_of_keys, rows.offsets)
        areas = areas_of_rows(is_gold, rows)
        drawn = [areas_of_rows(is_gold, scores) for scores in _drawn(files, keys, rows)]
        for part in ("auprc", "average_precision"):
            scored.nulls[f"{name}.{part}"] = np.mean([getattr(of_seed, part) for of_seed in drawn], axis=0)
        made = soft_scores(areas)
        scored.scores[name] = {part: getattr(made, part) for part in ("auprc", "average_precision", "roc_auc_score")}
        for part in ("auprc", "average_precision", "roc_auc_score"):
            scored.samples[f"{name}.{part}"] = getattr(areas, part)
        scored.counts[name] = {
            "documents": made.n,
            "documents_without_gold": made.n_without_gold,
            "documents_all_gold": made.n_all_gold,
            "documents_with_ties": made.n_with_ties,
            "documents_given_twice": n_repeated,
            "gold_documents_without_scores": int((rows_of_keys[np.unique(truth.keys)] < 0).sum()),
            "auprc_of_documents_with_gold": made.auprc_of_gold,
        }


def _drawn(files: EraserFiles, keys: Integers, rows: Ragged[np.float64]) -> Iterator[Ragged[np.float64]]:
    """Ten seeds of random scores, each document's following from its name alone."""
    names = [repr(name).encode("utf-8", "surrogatepass") for name in files.keys.numbers]
    digests = b"".join(blake2b(names[key], digest_size=8).digest() for key in keys.tolist())
    identities = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
    return (scores_drawn_for(identities, rows.lengths, seed) for seed in TEN_SEEDS)


def _last_of_each(lists: SoftLists) -> tuple[Integers, Ragged[np.float64], int]:
    """The keys and their scores; where a document is given twice the last counts, as in the scorer."""
    keys, rows = np.array(lists.keys, dtype=np.int64), lists.rows()
    unique, from_end = np.unique(keys[::-1], return_index=True)
    if len(unique) == len(keys):
        return keys, rows, 0
    last_rows = np.sort(len(keys) - 1 - from_end)
    return keys[last_rows], Ragged.of([rows.row(int(row)) for row in last_rows], np.float64), len(keys) - len(last_rows)


def _score_answers(files: EraserFiles, thresholds: Sequence[float], scored: _Scored) -> None:
    answers = files.predictions.answers
    if not answers:
        return
    report = _report(files.gold, answers)
    made: Report = {"accuracy": report.accuracy, "prf": _as_scikit(report)}
    p_full = np.array([answer.p_full.get(answer.label, np.nan) for answer in answers])
    paper: Report = {}
    for side, attribute in (("comprehensiveness", "p_without"), ("sufficiency", "p_only")):
        made |= _faithfulness(side, attribute, answers, p_full, scored.samples)
        points = _aopc(side, answers, p_full, thresholds, scored.samples)
        paper[f"{side}_aopc"] = points.pop("paper")
        made |= points
    has_thresholds = answers[0].thresholded is not None
    made["aopc_thresholds"] = sorted(thresholds) if has_thresholds else None
    scored.scores["classification_scores"] = made
    if has_thresholds:
        scored.scores["paper"] = paper
    scored.counts["classification"] = {
        "answers": len(answers),
        "labels_not_of_the_highest_score": sum(_is_not_highest(answer) for answer in answers),
        "scores_not_summing_to_one": sum(abs(sum(answer.p_full.values()) - 1) > _SUM_TOLERANCE for answer in answers),
    }


def _report(gold: EraserGold, answers: Sequence[Answer]) -> faithfulness.Report:
    labels = list(dict.fromkeys(gold.labels))
    numbers = {label: number for number, label in enumerate(labels)}
    given = {answer.annotation_id: answer.label for answer in answers}
    truth = np.array([numbers[label] for label in gold.labels], dtype=np.int64)
    return faithfulness.label_report(truth, np.array([numbers[given[key]] for key in gold.ids], dtype=np.int64), labels)


def _as_scikit(report: faithfulness.Report) -> Report:
    """The report as classification_report(output_dict=True) writes it."""
    rows: Report = {
        label: {"precision": row.precision, "recall": row.recall, "f1-score": row.f1, "support": row.support}
        for label, row in {**report.labels, "macro avg": report.macro, "weighted avg": report.weighted}.items()
    }
    return {**rows, "accuracy": report.accuracy}


def _faithfulness(
    side: str, attribute: str, answers: Sequence[Answer], p_full: Floats, samples: dict[str, Floats]
) -> Report:
    """Drop, entropy form and KL form, as means over rows; None where the file does not hold the answers."""
    changed = [getattr(answer, attribute) for answer in answers]
    if changed[0] is None:
        return {side: None, f"{side}_entropy": None, f"{side}_kl": None}
    p_changed = np.array([scores[answer.label] for scores, answer in zip(changed, answers, strict=True)])
    full = Ragged.of([list(answer.p_full.values()) for answer in answers], np.float64)
    same = Ragged.of([[s[label] for label in a.p_full] for s, a in zip(changed, answers, strict=True)], np.float64)
    every = Ragged.of([list(scores.values()) for scores in changed], np.float64)
    values = {
        side: faithfulness.probability_drop(p_full, p_changed),
        f"{side}_entropy": faithfulness.entropy(full) - faithfulness.entropy(every),
        f"{side}_kl": faithfulness.kl_divergence(same, full),
    }
    samples.update({f"classification_scores.{name}": of_rows for name, of_rows in values.items()})
    return {name: float(of_rows.mean()) for name, of_rows in values.items()}


def _aopc(
    side: str, answers: Sequence[Answer], p_full: Floats, thresholds: Sequence[float], samples: dict[str, Floats]
) -> Report:
    if answers[0].thresholded is None:
        return {f"{side}_aopc": None, f"{side}_aopc_points": None, "paper": None}
    name = f"{side}_classification_scores"
    p_changed = np.array(
        [
            [
                getattr(scores, name)[answer.label]
                for scores in answer.thresholded or ()
                if scores.threshold in thresholds
            ]
            for answer in answers
        ]
    ).reshape(len(answers), -1)
    values = samples[f"classification_scores.{side}_aopc"] = faithfulness.aopc(p_full, p_changed)
    return {
        f"{side}_aopc": float(values.mean()),
        f"{side}_aopc_points": faithfulness.aopc_points(p_full, p_changed).tolist(),
        "paper": float(faithfulness.aopc(p_full, p_changed, "paper").mean()),
    }


def _is_not_highest(answer: Answer) -> bool:
    return bool(answer.p_full) and answer.p_full.get(answer.label, -np.inf) < max(answer.p_full.values())


def _counts(files: EraserFiles) -> Report:
    """What was there, and what the scorer lets pass."""
    predictions, wanted = files.predictions, set(files.gold.ids)
    n_entries = len(predictions.entries)
    return {
        "instances": len(files.gold.ids),
        "instances_given_twice": files.gold.n_repeated_ids,
        "instances_without_row": len(wanted - predictions.lines_of_ids.keys()),
        "rows": len(predictions.lines_of_ids),
        "rows_of_unknown_instances": len(predictions.lines_of_ids.keys() - wanted),
        "document_entries": n_entries,
        "document_entries_given_twice": n_entries - len(np.unique(predictions.entries[:, 0])),
        "document_entries_without_hard": predictions.n_without_hard,
    }
