"""ERASER's tables of models (DeYoung et al. 2020): those that select words (Table 3), and those with soft scores (Table 4)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.scoring.paper_table import PaperColumn, PaperTable
from annotator.scoring.table import MetricRow
from annotator.store import Store
from annotator.usecases.papers.scored_rows import (
    GOLD_METHOD,
    Choice,
    ScoredRows,
    asked_for,
    has_column,
    metric_column,
    paper_rows,
    random_row,
    scored_rows,
    texts_in_words,
    what_was_scored,
)

_AUPRC, _TOKEN_F1, _IOU_F1 = "eraser.auprc", "eraser.token_f1_macro", "eraser.iou_f1_macro"
_AOPC = ("eraser.comprehensiveness_aopc_paper", "eraser.sufficiency_aopc_paper")
_AT_K = ("method.comprehensiveness", "method.sufficiency")
_DRAWN = (
    "drawn scores have no answers and select nothing; compute a model's method “random”, with faithfulness, for these"
)
_PERFORMANCE = {
    "eraser.macro_f1": "macro F1",
    "eraser.accuracy": "accuracy",
    "benchmark.answer_f1_english": "the answers' F1 (English)",
    "benchmark.answer_f1_chinese": "the answers' F1 (Chinese)",
}


def eraser_hard_table(store: Store, actor: User, project: Project, choice: Choice) -> PaperTable:
    """A row for each run that has selected words: its own, or with faithfulness the top k; a model's random among them.

    Raises: NotFound without any such run, or for a model or method that has none
    """
    scored = scored_rows(store, actor, project, choice, without=GOLD_METHOD)
    scored = replace(scored, rows=tuple(row for row in scored.rows if _IOU_F1 in row.numbers))
    if not scored.rows:
        raise NotFound(
            f"No run of {project.name} has selected words. Import hard rationales, or train a model with --architecture lei and "
            "compute its method “selection”."
        )
    performance = _performance(scored)
    columns = [
        metric_column(performance, "Perf."),
        metric_column(_IOU_F1, "IOU F1"),
        metric_column(_TOKEN_F1, "Token F1"),
    ]
    about = (
        f"Hard rationales of the models of {project.name}, as in Table 3 of ERASER (DeYoung et al. 2020): a model's own "
        f"selection, or the top k of a method's scores. Perf. is {_PERFORMANCE[performance]}; IOU F1 counts a span as found "
        "from an overlap of one half on."
    )
    return _table("eraser-hard", about, scored.over_same_texts(columns), columns, {}, choice)


def eraser_soft_table(store: Store, actor: User, project: Project, choice: Choice) -> PaperTable:
    """A row for each model and method, in the paper's columns; F1 of selected words where some row has selected any.

    Raises: NotFound without any row, or for a model or method that has none
    """
    scored = _with_selected(scored_rows(store, actor, project, choice, without=GOLD_METHOD))
    performance = _performance(scored)
    columns = [
        metric_column(performance, "Perf."), metric_column(_AUPRC, "AUPRC"), metric_column(_AOPC[0], "Comp."),
        metric_column(_AOPC[1], "Suff."),
    ]  # fmt: skip
    if has_column(scored, _TOKEN_F1):
        columns += [metric_column(_TOKEN_F1, "Token F1"), metric_column(_IOU_F1, "IOU F1")]
    if any(_has(row, _AT_K) and not _has(row, _AOPC) for row in scored.rows):
        columns += [metric_column(_AT_K[0], "Comp. at k"), metric_column(_AT_K[1], "Suff. at k")]
    about = (
        f"Soft scores of the models of {project.name}, as in Table 4 of ERASER (DeYoung et al. 2020). "
        f"Perf. is {_PERFORMANCE[performance]}; Comp. and Suff. are AOPC (Equation 3: through the number of shares and 1)."
    )
    others = {_AUPRC: "no text has a gold set"}
    return _table("eraser-soft", about, scored.over_same_texts(columns), columns, others, choice)


def _table(
    name: str, about: str, scored: ScoredRows, columns: list[PaperColumn], others: Mapping[str, str], choice: Choice
) -> PaperTable:
    """about: the caption's own part; others: why random has no number in a column, in place of the usual reason."""
    rows = (*paper_rows(scored, columns, _reason), random_row(scored, columns, others, _DRAWN))
    caption = f"{about} Deviations are over seeds. {what_was_scored(scored)}"
    provenance = asked_for(
        scored.project.name, scored.table.gold_policy, choice.options.split, scored.table.release, table=scored.table
    )
    notes = tuple(texts_in_words(scored, columns))
    return PaperTable(name, "Model, method", caption, tuple(columns), rows, notes, provenance)


def _with_selected(scored: ScoredRows) -> ScoredRows:
    """F1 of what a run has selected stands beside its scores, also where another share of the words was selected than k."""
    selected = {row.run: row for row in scored.rows if row.kind == "hard"}
    n_scored = Counter(row.run for row in scored.rows if row.kind == "attribution")
    rows = []
    for row in scored.rows:
        of_run = selected.get(row.run) if n_scored[row.run] == 1 else None
        if of_run is not None and row.kind == "attribution":
            more = {name: of_run.numbers[name] for name in (_TOKEN_F1, _IOU_F1) if name in of_run.numbers}
            rows.append(replace(row, numbers={**row.numbers, **more}))
        elif of_run is None or row.kind != "hard":
            rows.append(row)
    return replace(scored, rows=tuple(rows))


def _performance(scored: ScoredRows) -> str:
    """Macro F1 of labels, as the paper but for CoS-E, of whose choices it gives the accuracy; F1 of answers."""
    if scored.project.task.result_kind == "answer":
        english, chinese = "benchmark.answer_f1_english", "benchmark.answer_f1_chinese"
        return chinese if has_column(scored, chinese) and not has_column(scored, english) else english
    return "eraser.accuracy" if scored.project.task.name == "choice" else "eraser.macro_f1"


def _has(row: MetricRow, names: tuple[str, str]) -> bool:
    return any((number := row.numbers.get(name)) is not None and number.value is not None for name in names)


def _reason(row: MetricRow, column: PaperColumn) -> str:
    if column.name in _PERFORMANCE:
        return "the model has no answers to texts with a gold label that it did not learn from"
    if column.name in {_TOKEN_F1, _IOU_F1}:
        return "the run has selected no words; a run with faithfulness does"
    if column.name in (*_AOPC, *_AT_K):
        if column.name in _AOPC and _has(row, _AT_K):
            return "the answers are to the top k alone; AOPC needs answers at several shares of the words"
        return "the model was not asked without the rationale and on it alone; compute the method with faithfulness"
    if row.kind in {"hard", "ranked"}:
        return f"the run has {'selected words' if row.kind == 'hard' else 'a ranking'} without scores"
    return "there are no scores for texts with a gold set"
