"""The numbers of the benchmark's programs and paper over rows of JSON, in plain loops that say reference/benchmark.md 3 to 5.

Gold rows are TrustAI's (`rationale_ids`: side, set, index). None stands where the program stops.
"""

from typing import Any

Json = dict[str, Any]
SIDES = {"sentiment": 1, "similarity": 2, "reading": 1}


def f1(gold: Any, predicted: list[Any]) -> float:
    """2PR / (P + R) over list lengths; 0 where nothing overlaps (3.1)."""
    n_hits = len(set(gold) & set(predicted))
    if not n_hits:
        return 0.0
    precision, recall = n_hits / len(predicted), n_hits / len(gold)
    return 2 * precision * recall / (precision + recall)


def chosen(sets: list[list[int]], predicted: list[Any]) -> tuple[float, set[int]]:
    """The best single set, or a greedy union in file order where it is strictly better (3.1)."""
    best, gold = 0.0, set()
    for one in sets:
        if f1(one, predicted) > best:
            best, gold = f1(one, predicted), set(one)
    for start in range(len(sets) - 1):
        union: set[int] = set()
        reached = 0.0
        for one in sets[start:]:
            if set(one) & set(predicted) and f1(union | set(one), predicted) > reached:
                union |= set(one)
                reached = f1(union, predicted)
        if reached > best:
            best, gold = reached, union
    return best, gold


def is_match(sets: list[list[int]], predicted: list[Any]) -> bool:
    """IOU of at least a half with the gold chosen by F1 (3.2)."""
    gold, marked = chosen(sets, predicted)[1], set(predicted)
    return bool(gold | marked) and len(gold & marked) / len(gold | marked) >= 0.5


def average_precision(original: list[str], perturbed: list[str]) -> float:
    """Equation 2 for one pair (3.3)."""
    depths = range(1, len(perturbed) + 1)
    shares = [sum(token in original[:depth] for token in perturbed[:depth]) / depth for depth in depths]
    return sum(shares) / len(shares) if shares else 0.0


def last_of_each(rows: list[Json], name: str) -> dict[Any, Json]:
    return {row[name]: row for row in rows}


def ids(sets: list[list[Any]]) -> list[list[int]]:
    return [[int(index) for index in one] for one in sets]


def scripts(task: str, gold_rows: list[Json], rows: list[Json]) -> Json:
    gold, found = last_of_each(gold_rows, "sent_id"), last_of_each(rows, "id")
    n_disturbed = sum(row["sample_type"] == "disturb" for row in gold_rows)
    right = [row["rationale_pred"] == row["pred_label"] != row["no_rationale_pred"] for row in rows]
    same = [key in gold and int(row["pred_label"]) == int(gold[key]["sent_label"]) for key, row in found.items()]
    return {
        "token_f1": None if has_no_form(task, gold_rows) else scripts_f1(task, gold, found),
        "map": 0.0 if not rows else corpus_map(task, gold, found, n_disturbed) if n_disturbed else None,
        "new_p": sum(right) / len(gold),
        "accuracy": None if task == "reading" else sum(same) / len(gold),
    }


def has_no_form(task: str, gold_rows: list[Json]) -> bool:
    """Several sets of a pair or a reading: the scripts stop while they load the row (4, row 4)."""
    return task != "sentiment" and any(len(sets) > 1 for row in gold_rows for sets in row["rationale_ids"])


def scripts_f1(task: str, gold: dict[Any, Json], found: dict[Any, Json]) -> float | None:
    if task == "similarity" and found.keys() - gold.keys():
        return None
    total = 0.0
    for key, row in found.items():
        if key in gold:
            sides = zip(gold[key]["rationale_ids"], row["rationale"], strict=True)
            total += sum(chosen(ids(sets), marked)[0] for sets, marked in sides) / SIDES[task]
    return total / len(gold)


def corpus_map(task: str, gold: dict[Any, Json], found: dict[Any, Json], n_disturbed: int) -> float | None:
    if found.keys() - gold.keys():
        return None
    total = 0.0
    for key, row in found.items():
        for other in gold[key]["rel_ids"] if gold[key]["sample_type"] == "ori" else []:
            if other in found:
                pairs = zip(row["rationale_token"], found[other]["rationale_token"], strict=True)
                total += sum(average_precision(*pair) for pair in pairs) / SIDES[task]
    return total / n_disturbed


def evaluator(task: str, gold_rows: list[Json], rows: list[Json]) -> Json:
    gold, found = last_of_each(gold_rows, "sent_id"), last_of_each(rows, "id")
    both = [key for key in found if key in gold]
    sides = [
        (ids(sets), marked)
        for key in both
        for sets, marked in zip(gold[key]["rationale_ids"], found[key]["rationale"], strict=True)
    ]
    stops = any(not sets or not all(sets) for sets, _ in sides)
    n_disturbed = sum(row["sample_type"] == "disturb" for row in gold.values())
    suf, com = (
        None if task == "reading" else lost(found, name)
        for name in ("rationale_pred_proba", "non_rationale_pred_proba")
    )
    return {
        "token_f1": None if stops else mean([chosen(*side)[0] for side in sides]),
        "iou_f1": None if stops else mean([float(is_match(*side)) for side in sides]),
        "map": 0.0 if not n_disturbed else corpus_map(task, gold, found, n_disturbed) if rows else None,
        "sufficiency": suf,
        "comprehensiveness": com,
    }


def paper(task: str, gold_rows: list[Json], rows: list[Json]) -> Json:
    """Equations 1 to 3 with the best single set; what is not defined is left out, a missing prediction is empty."""
    gold, found = last_of_each(gold_rows, "sent_id"), last_of_each(rows, "id")
    empty = [[] for _ in range(SIDES[task])]
    values, matches = [], []
    for key, row in gold.items():
        sides = [ids(sets) for sets in row["rationale_ids"]]
        marked = [[int(index) for index in side] for side in found.get(key, {}).get("rationale", empty)]
        if all(any(sets) for sets in sides):
            best = [best_single(*side) for side in zip(sides, marked, strict=True)]
            values.append(mean([f1(one, side) for one, side in zip(best, marked, strict=True)]))
            matches.append(mean([float(is_match([one], side)) for one, side in zip(best, marked, strict=True)]))
    links = [(key, other) for key, row in gold.items() if row["sample_type"] == "ori" for other in row["rel_ids"]]
    pairs = [
        list(zip(found[key]["rationale_token"], found[other]["rationale_token"], strict=True))
        for key, other in links
        if key in found and other in found and other in gold
        if gold[other]["sample_type"] == "disturb" and [named for _, named in links].count(other) == 1
    ]
    scores = [mean([average_precision(*pair) for pair in sides]) for sides in pairs if all(all(pair) for pair in sides)]
    return {
        "token_f1": mean(values) if values else None,
        "iou_f1": mean(matches) if values else None,
        "map": mean(scores) if scores else None,
    }


def best_single(sets: list[list[int]], predicted: list[int]) -> list[int]:
    """The first set of the largest F1; none where nothing overlaps."""
    best = max(sets, key=lambda one: f1(one, predicted))
    return best if f1(best, predicted) else []


def lost(found: dict[Any, Json], name: str) -> float:
    drops = [row["pred_proba"][row["pred_label"]] - row[name][row["pred_label"]] for row in found.values()]
    return mean(drops)


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
