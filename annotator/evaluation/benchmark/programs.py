"""The two readings of the benchmark's own programs: exactly the number that each gives over the same files.

What is not theirs: ids are compared as text, and a field that a program loads without need may lack in all rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from annotator.errors import Problem
from annotator.evaluation.benchmark.files import BenchmarkFiles
from annotator.formats.benchmark.gold import GoldRecord
from annotator.formats.benchmark.predictions import ModelOutput
from annotator.formats.benchmark.records import label_text
from annotator.metrics import benchmark_faithfulness as faithfulness
from annotator.metrics.aggregate import Aggregate, mean_of
from annotator.metrics.benchmark_consistency import corpus_map_scripts, encode_tokens, mean_average_precision_scripts
from annotator.metrics.benchmark_plausibility import (
    accuracy,
    iou_match_evaluator,
    mean_over_sides,
    over_all_gold,
    over_predicted,
    token_f1_scripts,
)
from annotator.metrics.ragged import Floats
from annotator.scoring.reports import Report
from annotator.text.characters import is_chinese

# What is reported beside the benchmark's numbers: over how many each is, and which a program cannot give.


ROWS_NAMED = 10


@dataclass(frozen=True, slots=True)
class Stop:
    """A number for which a program stops over these files.

    rows: what it stops at; none where it is the files as a whole
    refuses: the files are refused where this program's reading alone is asked for
    """

    number: str
    reason: str
    rows: tuple[Problem, ...] = ()
    refuses: bool = False


@dataclass(slots=True)
class BenchmarkReport:
    """Collected while numbers are made; a number's place is that in the object, such as "scripts.map"."""

    n: dict[str, Report] = field(default_factory=dict)
    stops: list[Stop] = field(default_factory=list)
    samples: dict[str, Floats] = field(default_factory=dict)  # values whose means some numbers are, for intervals

    def over(self, name: str, aggregate: Aggregate) -> float | None:
        """The mean, noting over how many it is."""
        return self.number(name, aggregate.value, aggregate.n, aggregate.n_left_out)

    def mean(self, name: str, values: Floats) -> float | None:
        """The mean of values over records or pairs, NaN left out."""
        self.samples[name] = values
        return self.over(name, mean_of(values))

    def number(self, name: str, value: float | None, n: int, n_left_out: int = 0) -> float | None:
        """The number, noting over how many it is."""
        self.n[name] = {"n": n, "n_left_out": n_left_out}
        return value

    def stop(self, name: str, reason: str, rows: Sequence[Problem] = (), *, refuses: bool = False) -> None:
        """Note that a program gives no number."""
        self.stops.append(Stop(name, reason, tuple(rows), refuses))


def as_mean(values: Floats) -> Report:
    """A mean over instances with how many it is over and how many were left out, as our own numbers are reported."""
    return asdict(mean_of(values))


_UNKNOWN_IDS = "It stops at a prediction whose id gold does not have."
_NO_TOKENS = "It compares tokens; neither the predictions nor gold or input say those of each ranking."


def scripts_reading(files: BenchmarkFiles, report: BenchmarkReport) -> Report:
    """What PaddleNLP's scripts give (eval_senti, eval_similarity, eval_mrc, cal_map, newp_analysis, cal_acc, mrc_f1_evaluate)."""
    answers = _chinese_answers(files, report)
    return {
        "token_f1": _token_f1_of_scripts(files, report),
        "map": _map_of_scripts(files, report),
        "new_p": _new_p(files, report),
        "accuracy": _accuracy(files, report),
        "answer_f1": answers[0],
        "answer_em": answers[1],
    }


def evaluator_reading(files: BenchmarkFiles, report: BenchmarkReport) -> Report:
    """What TrustAI's Evaluator gives."""
    return {
        "token_f1": _over_predicted("evaluator.token_f1", token_f1_scripts, files, report),
        "iou_f1": _over_predicted("evaluator.iou_f1", iou_match_evaluator, files, report),
        "map": _map_of_evaluator(files, report),
        "sufficiency": _lost("sufficiency", "p_only", files, report),
        "comprehensiveness": _lost("comprehensiveness", "p_rest", files, report),
    }


def rows_of(records: Sequence[GoldRecord | ModelOutput], field_name: str = "id") -> list[Problem]:
    """Records as places; what is wrong with them stands in the Stop that holds them."""
    return [Problem(record.source, record.line, field_name, record.key, "") for record in records]


def _values_of_sides(files: BenchmarkFiles, measure: Callable[..., Floats]) -> list[Floats]:
    """A value for each record and side."""
    sides = range(files.n_sides)
    return [measure(files.predicted(side, as_programs_read=True), files.gold_sets(side)) for side in sides]


def _token_f1_of_scripts(files: BenchmarkFiles, report: BenchmarkReport) -> float | None:
    if not (files.has("sides") and files.has_gold_sets):
        return None
    name = "scripts.token_f1"
    several = [record for record in files.gold_rows if any(len(side) > 1 for side in record.sets or ())]
    if several and files.shape != "single":
        report.stop(name, "It reads one flat rationale a side; these records have several sets.", rows_of(several, "rationales"),
                  refuses=True)  # fmt: skip
        return None
    if files.unknown and files.shape == "pair":
        report.stop(name, _UNKNOWN_IDS, rows_of(files.unknown))
        return None
    values = mean_over_sides(_values_of_sides(files, token_f1_scripts))
    return report.over(name, over_all_gold(values, files.is_predicted))


def _over_predicted(
    name: str, measure: Callable[..., Floats], files: BenchmarkFiles, report: BenchmarkReport
) -> float | None:
    if not (files.has("sides") and files.has_gold_sets):
        return None
    empty = [
        record
        for record, output in zip(files.records, files.outputs_of_records, strict=True)
        if output is not None and any(not side or not all(side) for side in record.sets or ())
    ]
    if empty:
        report.stop(name, "It stops at a record with an empty set, or without one on a side.", rows_of(empty, "rationales"),
                  refuses=True)  # fmt: skip
        return None
    values = mean_over_sides(_values_of_sides(files, measure))
    mean = over_predicted(values, files.is_predicted)
    return report.number(name, mean.value or 0.0, mean.n, mean.n_left_out)  # of none it says 0


def _map_of_scripts(files: BenchmarkFiles, report: BenchmarkReport) -> float | None:
    if not (files.has("sides") and files.has_sample_types):
        return None
    if not files.output_rows:
        return report.number("scripts.map", 0.0, 0)  # "file empty!"
    n_disturbed = sum(row.sample_type == "disturb" for row in files.gold_rows)
    if not n_disturbed:
        report.stop("scripts.map", "It divides by the number of perturbed records, and gold has none.")
        return None
    return _corpus_map("scripts.map", n_disturbed, files, report)


def _map_of_evaluator(files: BenchmarkFiles, report: BenchmarkReport) -> float | None:
    if not (files.has("sides") and files.has_sample_types):
        return None
    n_disturbed = sum(record.sample_type == "disturb" for record in files.records)
    if not n_disturbed:
        return report.number("evaluator.map", 0.0, 0)  # "does not have any disturbed data"
    if not files.output_rows:
        report.stop("evaluator.map", "It stops at a predictions file without a row.")
        return None
    return _corpus_map("evaluator.map", n_disturbed, files, report)


def _corpus_map(name: str, n_disturbed: int, files: BenchmarkFiles, report: BenchmarkReport) -> float | None:
    """The sum over linked pairs with both predicted / perturbed records, and the mean of that over sides."""
    if files.unknown:
        report.stop(name, _UNKNOWN_IDS, rows_of(files.unknown))
        return None
    pairs = [
        (link.original, link.perturbed)
        for link in files.links
        if files.is_predicted[link.original] and files.is_predicted[link.perturbed]
    ]
    values = []
    for side in range(files.n_sides):
        named = {number: files.named_tokens(number, side) for pair in pairs for number in pair}
        lacking = [files.records[number] for number, tokens in named.items() if tokens is None]
        if lacking:
            report.stop(name, _NO_TOKENS, rows_of(lacking))
            return None
        lists = [[named[pair[which]] or [] for pair in pairs] for which in (0, 1)]
        values.append(mean_average_precision_scripts(*encode_tokens(*lists)))
    return report.number(name, corpus_map_scripts(mean_over_sides(values), n_disturbed), n_disturbed)


def _new_p(files: BenchmarkFiles, report: BenchmarkReport) -> float | None:
    """Over all rows, those of unknown ids and those that stand twice as well."""
    if not has_new_p(files):
        return None
    n_gold = len(files.records)
    return report.number(
        "scripts.new_p", faithfulness.corpus_new_p_scripts(new_p_of(files.output_rows), n_gold), n_gold
    )


def has_new_p(files: BenchmarkFiles) -> bool:
    """Whether the predictions say the label on the whole input, on the rationale and on the rest."""
    return all(files.has(name) for name in ("label", "label_only", "label_rest"))


def new_p_of(outputs: Sequence[ModelOutput]) -> Floats:
    """float[n_outputs]: New-P; labels are compared as the file writes them, so that 1 and "1" differ, as in the script."""
    numbers: dict[object, int] = {}
    labels = [
        [numbers.setdefault(label, len(numbers)) for label in (output.label, output.label_only, output.label_rest)]
        for output in outputs
    ]
    columns = np.array(labels, dtype=np.int64).reshape(-1, 3).T
    return faithfulness.new_p(*columns)


def _accuracy(files: BenchmarkFiles, report: BenchmarkReport) -> float | None:
    if files.shape == "reading" or not files.has("label") or files.records[0].label is None:
        return None
    right = is_right(files)
    return report.over("scripts.accuracy", over_all_gold(right, files.is_predicted))


def is_right(files: BenchmarkFiles) -> Floats:
    """float[n_records]: 1 where the predicted label is the gold one, 0 without a prediction."""
    numbers: dict[str, int] = {}
    gold = [numbers.setdefault(record.label or "", len(numbers)) for record in files.records]
    given = [
        -1 if output is None or output.label is None else numbers.get(label_text(output.label), len(numbers))
        for output in files.outputs_of_records
    ]
    return accuracy(np.array(gold, dtype=np.int64), np.array(given, dtype=np.int64))


def _chinese_answers(files: BenchmarkFiles, report: BenchmarkReport) -> tuple[float | None, float | None]:
    """mrc_f1_evaluate.py; the script for English answers needs a library that is no longer there."""
    are_chinese = all(is_chinese(record.language or "xx") for record in files.records)
    if files.shape != "reading" or not are_chinese or not files.has("label") or files.records[0].label is None:
        return None, None
    gold = [record.label or "" for record in files.records]
    given = [None if output is None else str(output.label) for output in files.outputs_of_records]
    f1, em = (
        mean_of(measure(gold, given))
        for measure in (faithfulness.answer_f1_chinese_scripts, faithfulness.answer_em_chinese_scripts)
    )
    return report.over("scripts.answer_f1", f1), report.over("scripts.answer_em", em)


def _lost(name: str, reduced: str, files: BenchmarkFiles, report: BenchmarkReport) -> float | None:
    """Over all predictions, those of unknown ids too; 0 of none."""
    if files.shape == "reading" or not (files.has("p_full") and files.has(reduced)):
        return None
    lost = lost_probability(files.outputs, reduced)
    return report.number(f"evaluator.{name}", mean_of(lost).value or 0.0, len(lost))


def lost_probability(outputs: Sequence[ModelOutput], reduced: str) -> Floats:
    """float[n_outputs]: what the predicted class loses on the rationale (`p_only`) or on the rest (`p_rest`)."""
    values = np.array([[_of_predicted(output, name) for name in ("p_full", reduced)] for output in outputs]).reshape(
        -1, 2
    )
    measure = faithfulness.sufficiency if reduced == "p_only" else faithfulness.comprehensiveness
    return measure(values[:, :1], values[:, 1:], np.zeros(len(values), dtype=np.int64))


def _of_predicted(output: ModelOutput, name: str) -> float:
    """The probability of the predicted label; the reader has checked that there is one."""
    probabilities: tuple[float, ...] = getattr(output, name)
    return probabilities[int(label_text(output.label or 0))]
