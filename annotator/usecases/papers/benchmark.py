"""The benchmark's table of methods (Wang et al. 2022, Tables 6 and 8), gold and random among them.

Beside it stands how often the model is right on the full input, on the rationale alone and on the rest (Tables 4 and 7), and on
originals and changed versions.
"""

from collections.abc import Mapping
from dataclasses import replace

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.scoring.paper_table import BLANK, PaperCell, PaperColumn, PaperRow, PaperTable
from annotator.scoring.table import MetricRow
from annotator.store import Store
from annotator.usecases.inspect.contrast_accuracy import ContrastRow, contrast_rows
from annotator.usecases.papers import scored_rows

_TOKEN_F1, _IOU_F1 = "benchmark.token_f1_paper", "benchmark.iou_f1_paper"
_SUFFICIENCY, _COMPREHENSIVENESS, _MAP = "method.sufficiency", "method.comprehensiveness", "benchmark.map"
_COLUMNS = (
    scored_rows.metric_column(_TOKEN_F1, "Token-F1", scale=100, decimals=1),
    scored_rows.metric_column(_IOU_F1, "IOU-F1", scale=100, decimals=1),
    scored_rows.metric_column(_MAP, "MAP", scale=100, decimals=1),
    scored_rows.metric_column(_SUFFICIENCY, "Suf"),
    scored_rows.metric_column(_COMPREHENSIVENESS, "Com"),
)
_INPUTS = tuple(
    scored_rows.metric_column(f"method.quality_{name}", name, scale=100, decimals=1, group="Right on")
    for name in ("full", "rationale", "rest")
)
_ACCURACY = tuple(
    PaperColumn(f"contrast.{name}", title, "Accuracy", "↑", 100, 1)
    for name, title in (("original", "original"), ("contrast", "changed"))
)
_ON_INPUTS = (
    "Right on: how often the model is right (for reading, its answer F1) on the full input, on the method's rationale alone and "
    "on the rest, as in Tables 4 and 7. "
)
_PAIRS = "Accuracy is over pairs of an original and a changed version. "
_DRAWN = "drawn scores have no answers and no pairs; compute a model's method “random”, with faithfulness, for these"


def benchmark_table(store: Store, actor: User, project: Project, choice: scored_rows.Choice) -> PaperTable:
    """A row for each model and method, in the paper's columns; how often each model is right on originals and changed versions.

    Raises: NotFound without any row, or for a model or method that has none
    """
    chosen = scored_rows.scored_rows(store, actor, project, choice)
    has_inputs = any(scored_rows.has_column(chosen, column.name) for column in _INPUTS)
    shown = (*_COLUMNS, *_INPUTS) if has_inputs else _COLUMNS
    scored = chosen.over_same_texts(shown)
    policy = choice.options.gold_policy or project.settings.gold_policy
    under_policy = replace(project, settings=replace(project.settings, gold_policy=policy))
    of_models = by_model(contrast_rows(store, actor, under_policy, choice.options))
    rows = scored_rows.paper_rows(scored, shown, _reason)
    without_gold = dict.fromkeys((_TOKEN_F1, _IOU_F1), "no text has a gold set")
    drawn = scored_rows.random_row(scored, shown, without_gold, _DRAWN)
    has_pairs = any(of_models[row.model].n_contrasts for row in scored.rows if row.model in of_models)
    if has_pairs:
        rows = [_with_accuracy(row, of_models) for row in rows]
        drawn = replace(drawn, cells=(*drawn.cells, BLANK, BLANK))
    caption = (
        f"Explanations of the models of {project.name}, in the columns of Tables 6 and 8 of the fine-grained interpretability "
        f"benchmark (Wang et al. 2022). Each text is held against its best single set, MAP compares the top k of originals and "
        f"changed versions; Suf and Com are of the predicted label. {_ON_INPUTS if has_inputs else ''}"
        f"{_PAIRS if has_pairs else ''}Deviations are over seeds. {scored_rows.what_was_scored(scored)}"
    )
    notes = (
        *scored_rows.texts_in_words(scored, shown),
        *_pairs_in_words(of_models, {row.keys["model"] for row in rows}),
    )
    columns = (*shown, *_ACCURACY) if has_pairs else shown
    provenance = scored_rows.asked_for(
        project.name, policy, choice.options.split, scored.table.release, table=scored.table
    )
    return PaperTable("benchmark", "Model, method", caption, columns, (*rows, drawn), notes, provenance)


def by_model(rows: list[ContrastRow]) -> dict[str, ContrastRow]:
    """Of each model the row over pairs of all kinds, which is the first one."""
    of_models: dict[str, ContrastRow] = {}
    for row in rows:
        of_models.setdefault(row.model, row)
    return of_models


def contrast_cell(row: ContrastRow, name: str) -> PaperCell:
    """A number over originals or changed versions."""
    number = row.numbers[name]
    n = row.n_originals if name == "original" else row.n_contrasts
    n_seeds = number.n_seeds if number.n_seeds > 1 else None
    return PaperCell(number.mean, number.deviation, n, n_seeds, reason="" if n else NO_PAIRS_ANSWERED)


NO_PAIRS_ANSWERED = "the model has no answers to both sides of a pair with gold labels that it did not learn from"


def _with_accuracy(row: PaperRow, of_models: Mapping[str, ContrastRow]) -> PaperRow:
    of_model = of_models.get(row.keys["model"])
    if of_model is None:
        return replace(row, cells=(*row.cells, *(PaperCell(reason=NO_PAIRS_ANSWERED),) * len(_ACCURACY)))
    return replace(
        row, cells=(*row.cells, *(contrast_cell(of_model, column.name.partition(".")[2]) for column in _ACCURACY))
    )


def _pairs_in_words(of_models: Mapping[str, ContrastRow], shown: set[str]) -> list[str]:
    sizes = {
        (row.n_originals, row.n_contrasts) for model, row in of_models.items() if model in shown and row.n_contrasts
    }
    return [
        f"Accuracy: n = {originals:,} originals and {changed:,} changed versions."
        for originals, changed in sorted(sizes)
    ]


def _reason(row: MetricRow, column: PaperColumn) -> str:
    if column.name in {_SUFFICIENCY, _COMPREHENSIVENESS} or column in _INPUTS:
        return "the model was not asked without the rationale and on it alone; compute the method with faithfulness"
    if row.method == scored_rows.GOLD_METHOD:
        return "gold is what the others are held against"
    if row.kind == "answers":
        return "the model has answers alone, no attributions"
    if column.name == _MAP:
        return "no original and changed version with gold are both ranked by the run"
    return "there is nothing to score for texts with a gold set"
