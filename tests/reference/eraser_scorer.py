"""The ERASER scorer's numbers as plain loops, written from its published definitions, for comparison.

scikit-learn and scipy are called a document or row at a time, as the scorer does. Where the scorer reads row 0 to decide
whether a family is scored, this reads all rows. Input is well formed.
"""

import warnings
from collections import defaultdict
from typing import Any

import numpy as np
from scipy.stats import entropy
from sklearn.metrics import (
    accuracy_score,
    auc,
    average_precision_score,
    classification_report,
    precision_recall_curve,
    roc_auc_score,
)

Span = tuple[str, str, int, int]


def f1(p: float, r: float) -> float:
    return 0.0 if p == 0 or r == 0 else 2 * p * r / (p + r)


def iou(one: Span, other: Span) -> float:
    a, b = set(range(one[2], one[3])), set(range(other[2], other[3]))
    return len(a & b) / len(a | b) if a | b else 0.0


def by_key(spans: set[Span]) -> dict[tuple[str, str], set[Span]]:
    found = defaultdict(set)
    for span in spans:
        found[span[:2]].add(span)
    return dict(found)


def partial_match(truth: set[Span], predicted: set[Span], thresholds: list[float]) -> list[dict[str, Any]]:
    gold, made = by_key(truth), by_key(predicted)
    best = {p: max((iou(p, t) for t in gold.get(p[:2], ())), default=0.0) for p in predicted}
    rows = []
    for threshold in thresholds:
        tp = {key: sum(best[p] >= threshold for p in spans) for key, spans in made.items()}
        n_tp = sum(tp.values())
        p, r = n_tp / len(predicted) if predicted else 0, n_tp / len(truth) if truth else 0
        macro_ps = [tp[key] / len(spans) for key, spans in made.items()]
        macro_rs = [tp.get(key, 0) / len(spans) for key, spans in gold.items()]
        macro_p = sum(macro_ps) / len(macro_ps) if macro_ps else 0
        macro_r = sum(macro_rs) / len(macro_rs) if macro_rs else 0
        rows.append(
            {
                "threshold": threshold,
                "micro": {"p": p, "r": r, "f1": f1(p, r)},
                "macro": {"p": macro_p, "r": macro_r, "f1": f1(macro_p, macro_r)},
            }
        )
    return rows


def tokens_of(spans: set[Span]) -> set[Span]:
    return {(a, d, t, t + 1) for a, d, start, end in spans for t in range(start, end)}


def hard_prf(truth: set[Span], predicted: set[Span]) -> dict[str, dict[str, float]]:
    p, r = len(truth & predicted) / len(predicted), len(truth & predicted) / len(truth)
    gold, made = by_key(truth), by_key(predicted)
    rows = []
    for key in gold.keys() | made.keys():
        t, q = gold.get(key, set()), made.get(key, set())
        p_key, r_key = len(t & q) / len(q) if q else 0.0, len(t & q) / len(t) if t else 0.0
        rows.append((p_key, r_key, f1(p_key, r_key)))
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return {
        "instance_micro": {"p": p, "r": r, "f1": f1(p, r)},
        "instance_macro": dict(zip(("p", "r", "f1"), means, strict=True)),
    }


def document_auprc(truth: list[bool], scores: list[float]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no gold: recall is set to one
        precision, recall, _ = precision_recall_curve(truth, scores)
    return float(auc(recall, precision))


def soft(pairs: list[tuple[list[bool], list[float]]]) -> dict[str, float | None]:
    both = [(truth, scores) for truth, scores in pairs if any(truth) and not all(truth)]
    return {
        "auprc": float(np.mean([document_auprc(truth, scores) for truth, scores in pairs])),
        "average_precision": float(np.mean([average_precision_score(*pair) for pair in both])) if both else None,
        "roc_auc_score": float(np.mean([roc_auc_score(*pair) for pair in both])) if both else None,
    }


def answers(gold: list[dict[str, Any]], rows: list[dict[str, Any]], thresholds: list[float]) -> dict[str, Any]:
    given = {row["annotation_id"]: row for row in rows}
    truth = [one["classification"] for one in gold]
    predicted = [given[one["annotation_id"]]["classification"] for one in gold]
    scores: dict[str, Any] = {
        "accuracy": accuracy_score(truth, predicted),
        "prf": classification_report(truth, predicted, output_dict=True, zero_division=0),
        "aopc_thresholds": None,
    }
    for side in ("comprehensiveness", "sufficiency"):
        name = f"{side}_classification_scores"
        scores |= dict.fromkeys([side, f"{side}_entropy", f"{side}_kl", f"{side}_aopc", f"{side}_aopc_points"])
        if name in rows[0]:
            full = [row["classification_scores"] for row in rows]
            drops = [
                f[row["classification"]] - row[name][row["classification"]] for f, row in zip(full, rows, strict=True)
            ]
            scores[side] = np.mean(drops)
            scores[f"{side}_entropy"] = np.mean(
                [
                    entropy(list(f.values())) - entropy(list(row[name].values()))
                    for f, row in zip(full, rows, strict=True)
                ]
            )
            scores[f"{side}_kl"] = np.mean(
                [entropy([row[name][k] for k in f], list(f.values())) for f, row in zip(full, rows, strict=True)]
            )
        if "thresholded_scores" in rows[0]:
            table = [
                [
                    row["classification_scores"][row["classification"]] - one[name][row["classification"]]
                    for one in sorted(row["thresholded_scores"], key=lambda one: one["threshold"])
                    if one["threshold"] in thresholds
                ]
                for row in rows
            ]
            scores["aopc_thresholds"] = sorted(thresholds)
            scores[f"{side}_aopc"] = np.mean(table)
            scores[f"{side}_aopc_points"] = list(np.mean(table, axis=0))
    return scores


def score(
    lengths: dict[str, tuple[int, int]],
    gold: list[dict[str, Any]],
    rows: list[dict[str, Any]],
    iou_thresholds: list[float],
    aopc_thresholds: list[float],
) -> dict[str, Any]:
    """The whole object; `lengths` has tokens and sentences of each document."""
    evidences = [(one["annotation_id"], e) for one in gold for group in one["evidences"] for e in group]
    entries = [(row["annotation_id"], entry) for row in rows for entry in row["rationales"]]
    scores: dict[str, Any] = {}
    if any("hard_rationale_predictions" in entry for _, entry in entries):
        truth = {(a, e["docid"], e["start_token"], e["end_token"]) for a, e in evidences}
        predicted = {
            (a, entry["docid"], span["start_token"], span["end_token"])
            for a, entry in entries
            for span in entry.get("hard_rationale_predictions", [])
        }
        scores["iou_scores"] = partial_match(truth, predicted, iou_thresholds)
        scores["rationale_prf"] = hard_prf(truth, predicted)
        scores["token_prf"] = hard_prf(tokens_of(truth), tokens_of(predicted))
    for name, field, unit, column in (
        ("token_soft_metrics", "soft_rationale_predictions", "token", 0),
        ("sentence_soft_metrics", "soft_sentence_predictions", "sentence", 1),
    ):
        if not any(field in entry for _, entry in entries):
            continue
        truths = {(a, entry["docid"]): [False] * lengths[entry["docid"]][column] for a, entry in entries}
        for a, e in evidences:
            for place in range(e[f"start_{unit}"], e[f"end_{unit}"]):
                if (a, e["docid"]) in truths:
                    truths[a, e["docid"]][place] = True
        made = {(a, entry["docid"]): entry[field] for a, entry in entries}
        scores[name] = soft([(truths[key], made[key]) for key in made])
    if "classification" in rows[0]:
        scores["classification_scores"] = answers(gold, rows, aopc_thresholds)
    return scores
