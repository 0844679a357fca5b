"""The files that ERASER's scorer reads, and everything in them that does not fit together."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annotator.domain.numbers import counted
from annotator.errors import Problem
from annotator.formats.eraser.gold import EraserGold, KeyNumbers, read_gold, read_lengths
from annotator.formats.eraser.predictions import Predictions, SoftLists, read_predictions
from annotator.formats.rows.findings import shown
from annotator.metrics.ragged import Integers


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
