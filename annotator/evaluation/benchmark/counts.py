"""What was there and what was scored all the same: the `counts` of `evaluate benchmark`, with the rows that are meant."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

from annotator.errors import Problem
from annotator.evaluation.benchmark.files import BenchmarkFiles, Fit, fit_of_gold, fit_of_output
from annotator.evaluation.benchmark.programs import ROWS_NAMED, BenchmarkReport, Stop
from annotator.formats.benchmark.gold import GoldRecord
from annotator.formats.benchmark.predictions import ModelOutput
from annotator.formats.benchmark.records import label_text
from annotator.formats.rows.findings import shown
from annotator.scoring.reports import Report

_SUM_TOLERANCE = 1e-6
_UNLIKELY = 1e-3
_AnyRow = GoldRecord | ModelOutput | Problem

_SHIFTED = (
    "The indices seem to count from 1 (a [CLS] before the text was counted?): each token stands one before its index, or "
    "the last index is the length of the text. The programs' numbers are as they give them; ours leave the records out. "
    "Subtract 1 from each index."
)
_OUTSIDE = (
    "An index lies outside of its text. The programs' numbers are as they give them: it never hits; ours leave the records "
    "out. Correct the indices."
)
_DIFFERS = (
    "The tokens that are named are not those at the indices. F1 is over the indices, MAP over the tokens as named."
)

# What the numbers hide, by the name of its count; each count that is here is reported with its rows where it is not 0.
MEANINGS: dict[str, str] = {
    "gold.ids_twice": "The id appears twice in gold; the last row counts, as in both programs.",
    "gold.other_sample_types": "sample_type is neither 'ori' nor 'disturb'; the record is in no pair.",
    "gold.without_rationale": "Gold holds no token (of a pair: on a side): 0 for the scripts; ours leave the record out; "
    "the evaluator stops at it where it is predicted.",
    "gold.indices_outside": _OUTSIDE,
    "gold.shifted_by_one": _SHIFTED,
    "gold.named_tokens_differ": _DIFFERS,
    "links.to_unknown": "rel_ids name a record that gold does not have; the link is left out.",
    "links.unlinked": "No original names this perturbed record; it lowers the programs' MAP.",
    "links.linked_twice": "Several links name this perturbed record; the programs count each, so that MAP can exceed 1. "
    "Our own MAP leaves it out.",
    "links.to_no_disturbed": "rel_ids name a record that is no perturbed one; the programs count it, our own MAP does not.",
    "predictions.ids_twice": "The id appears twice in the predictions; the last row counts, but New-P counts both.",
    "predictions.without_gold": "Gold does not have this id. New-P, sufficiency and comprehensiveness of the programs count "
    "the row all the same (New-P can exceed 1); the rest and our own numbers leave it out.",
    "predictions.missing": "The record has no prediction: 0 for the scripts, the MAP of both programs and the paper's "
    "Equations 1 and 3; left out elsewhere.",
    "predictions.empty_rationales": "The predicted rationale is empty (of a pair: on a side): F1 and MAP of the programs are 0.",
    "predictions.repeated_indices": "An index appears twice; it counts twice in the length of the rationale.",
    "predictions.indices_as_text": "An index is written as text; the programs take it for no number, so that it never hits. "
    "Our own numbers read it.",
    "predictions.indices_outside": _OUTSIDE,
    "predictions.shifted_by_one": _SHIFTED,
    "predictions.named_tokens_differ": _DIFFERS,
    "predictions.sorted_by_position": "Every rationale rises by position, so its order can hardly be that of importance; "
    "MAP needs the most important token first.",
    "predictions.labels_not_of_the_highest_probability": "The predicted label is not that of the highest probability.",
    "predictions.probabilities_not_summing_to_one": "The probabilities do not sum to 1.",
    "extraction.rankings_not_by_score": "The scores do not fall along the keys. The order of the keys is the ranking: was "
    "the file written with sorted keys?",
}


def counts_of(files: BenchmarkFiles, report: BenchmarkReport, scores: Report) -> Report:
    """Every count, over how many each number is, what is worth knowing, and what a program cannot give."""
    rows = {**_of_gold(files), **_of_links(files), **_of_predictions(files), **_of_extraction(files)}
    sizes = {flag: len(rows_of_flag) for flag, rows_of_flag in rows.items()}
    return {
        "task": files.task,
        "dialect": files.dialect,
        "gold": _sizes_of_gold(files) | _below("gold", sizes),
        "links": _sizes_of_links(files) | _below("links", sizes),
        "predictions": {"rows": len(files.output_rows), "records": len(files.outputs)} | _below("predictions", sizes),
        "extraction": None if files.cut is None else _extraction(files) | _below("extraction", sizes),
        "n": report.n,
        "flagged": [
            *_above_one(scores),
            *(
                {"what": flag, "n": len(rows[flag]), "rows": _first_rows(rows[flag]), "meaning": meaning}
                for flag, meaning in MEANINGS.items()
                if rows.get(flag)
            ),
        ],
        "refused": [_refused(stop) for stop in report.stops],
    }


def _above_one(scores: Report) -> list[Report]:
    """Numbers of the programs that cannot be."""
    above_one = {
        f"{reading}.{name}": value
        for reading in ("scripts", "evaluator")
        for name, value in cast("dict[str, float | None]", scores.get(reading, {})).items()
        if value is not None and value > 1
    }
    meaning = (
        "A share above 1 cannot be; it is what the program gives over these files. What makes it so is flagged too."
    )
    return [{"what": number_name, "n": 1, "rows": [], "meaning": meaning} for number_name in above_one]


def _below(part: str, sizes: dict[str, int]) -> Report:
    return {flag.partition(".")[2]: n for flag, n in sizes.items() if flag.startswith(f"{part}.")}


def _first_rows(rows: Sequence[_AnyRow]) -> list[str]:
    """The first rows, as a person finds them."""
    return [
        f"{row.source}, line {row.line}, id {shown(row.value if isinstance(row, Problem) else row.key)}"
        for row in rows[:ROWS_NAMED]
    ]


def _refused(stop: Stop) -> Report:
    return {"number": stop.number, "reason": stop.reason, "n": len(stop.rows), "rows": _first_rows(stop.rows)}


def _twice(rows: Iterable[GoldRecord | ModelOutput]) -> list[_AnyRow]:
    """Rows whose id an earlier row has."""
    known: set[str] = set()
    repeated: list[_AnyRow] = []
    for row in rows:
        repeated += [row] if row.key in known else []
        known.add(row.key)
    return repeated


def _of_gold(files: BenchmarkFiles) -> dict[str, list[_AnyRow]]:
    fits: dict[Fit, list[_AnyRow]] = {}
    for record in files.records:
        fits.setdefault(fit_of_gold(record), []).append(record)
    empty: list[_AnyRow] = [
        record
        for record in files.records
        if record.sets is not None and not all(any(rationale for rationale in sets) for sets in record.sets)
    ]
    return {
        "gold.ids_twice": _twice(files.gold_rows),
        "gold.other_sample_types": [r for r in files.records if r.sample_type not in (None, "ori", "disturb")],
        "gold.without_rationale": empty,
        "gold.indices_outside": fits.get("outside", []),
        "gold.shifted_by_one": fits.get("shifted", []),
        "gold.named_tokens_differ": fits.get("differs", []),
    }


def _sizes_of_gold(files: BenchmarkFiles) -> Report:
    types = Counter(record.sample_type for record in files.records)
    return {
        "rows": len(files.gold_rows),
        "records": len(files.records),
        "originals": types["ori"],
        "disturbed": types["disturb"],
        "with_several_sets": sum(any(len(sets) > 1 for sets in record.sets or ()) for record in files.records),
        "without_token_list": sum(record.tokens is None for record in files.records),
        "languages": dict(Counter(record.language for record in files.records)),
    }


def _of_links(files: BenchmarkFiles) -> dict[str, list[_AnyRow]]:
    originals = [record for record in files.records if record.sample_type == "ori"]
    times = Counter(link.perturbed for link in files.links)
    numbered = list(enumerate(files.records))
    return {
        "links.to_unknown": [r for r in originals if any(other not in files.numbers for other in r.rel_ids or ())],
        "links.unlinked": [r for number, r in numbered if r.sample_type == "disturb" and not times[number]],
        "links.linked_twice": [r for number, r in numbered if times[number] > 1],
        "links.to_no_disturbed": [r for number, r in numbered if times[number] and r.sample_type != "disturb"],
    }


def _sizes_of_links(files: BenchmarkFiles) -> Report:
    is_predicted = files.is_predicted
    predicted = sum(bool(is_predicted[link.original] and is_predicted[link.perturbed]) for link in files.links)
    return {"links": len(files.links), "predicted": predicted}


def _of_predictions(files: BenchmarkFiles) -> dict[str, list[_AnyRow]]:
    outputs, of_records = files.outputs, list(zip(files.records, files.outputs_of_records, strict=True))
    answered = [(record, output) for record, output in of_records if output is not None]
    return {
        "predictions.ids_twice": _twice(files.output_rows),
        "predictions.without_gold": list(files.unknown),
        "predictions.missing": [record for record, output in of_records if output is None],
        **_of_rankings(outputs),
        **_of_fits([(output, fit_of_output(output, record)) for record, output in answered]),
        "predictions.sorted_by_position": [] if files.cut else _sorted_by_position(outputs),
        **_of_probabilities(outputs),
    }


def _of_rankings(outputs: Sequence[ModelOutput]) -> dict[str, list[_AnyRow]]:
    rankings = [(output, [side.ranking for side in output.sides or ()]) for output in outputs]
    return {
        "predictions.empty_rationales": [o for o, sides in rankings if not all(sides)],
        "predictions.repeated_indices": [o for o, sides in rankings if any(len(set(s)) < len(s) for s in sides)],
        "predictions.indices_as_text": [o for o in outputs if any(side.written_as_text for side in o.sides or ())],
    }


def _of_fits(fits: Sequence[tuple[ModelOutput, Fit]]) -> dict[str, list[_AnyRow]]:
    """The outputs whose indices do not fit their texts, by the way in which they do not."""
    flags: dict[str, Fit] = {
        "predictions.indices_outside": "outside",
        "predictions.shifted_by_one": "shifted",
        "predictions.named_tokens_differ": "differs",
    }
    return {flag: [o for o, fit in fits if fit == way] for flag, way in flags.items()}


def _of_probabilities(outputs: Sequence[ModelOutput]) -> dict[str, list[_AnyRow]]:
    return {
        "predictions.labels_not_of_the_highest_probability": [o for o in outputs if _is_not_highest(o)],
        "predictions.probabilities_not_summing_to_one": [
            o for o in outputs if o.p_full is not None and abs(math.fsum(o.p_full) - 1) > _SUM_TOLERANCE
        ],
    }


def _sorted_by_position(outputs: Sequence[ModelOutput]) -> list[_AnyRow]:
    """All outputs, where every rationale rises and that would be a rare chance; none else."""
    rankings = [side.ranking for output in outputs for side in output.sides or ()]
    if not all(list(ranking) == sorted(set(ranking)) for ranking in rankings):
        return []
    chance = math.prod(1 / math.factorial(min(len(ranking), 20)) for ranking in rankings)
    return list(outputs) if chance < _UNLIKELY else []


def _is_not_highest(output: ModelOutput) -> bool:
    if output.p_full is None or output.label is None:
        return False
    text = label_text(output.label)
    is_place = text.isdigit() and int(text) < len(output.p_full)
    return is_place and output.p_full[int(text)] < max(output.p_full)


def _of_extraction(files: BenchmarkFiles) -> dict[str, list[_AnyRow]]:
    if files.saliency is None:
        return {}
    wrong = {row.line for row in files.saliency.rows if not all(side.is_by_score for side in row.sides)}
    return {"extraction.rankings_not_by_score": [row for row in files.output_rows if row.line in wrong]}


def _extraction(files: BenchmarkFiles) -> Report:
    if files.cut is None or files.saliency is None:
        return {}
    return {
        "ratio": [float(ratio) for ratio in files.cut.ratios],
        "ratio_from": "--ratio" if files.cut.is_given else "the mean RLR of gold",
        "ties_at_the_cut": files.cut.n_tied,
        "titles_numbered_on": sum(row.has_moved_title for row in files.saliency.rows),
    }
