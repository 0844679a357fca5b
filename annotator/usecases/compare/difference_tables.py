"""Rows against one of them as tables: for a terminal, as CSV, as LaTeX, and as what the page draws."""

from collections.abc import Iterator, Sequence

from annotator.domain.numbers import UNDEFINED, counted, signed, written
from annotator.figures.html_table import Cell, Head, Line
from annotator.figures.latex_tables import label_of, metric_table_latex
from annotator.figures.text_tables import TextCell, TextHead, TextLine, metric_table_text
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _, speaking
from annotator.scoring.row_differences import AgainstTable, Compared, ComparedRow, own_number
from annotator.scoring.table import Column
from annotator.usecases.compare.difference_words import (
    WORDS,
    details_of_compared,
    lines_of_cell,
    names_of_compared,
    p_in_words,
    reasons,
    reference_name,
    text_of,
    what_could_be_told,
    what_it_is,
)
from annotator.usecases.inspect.metric_names import (
    ARROWS,
    criterion_in_words,
    family_of,
    group_of,
    meaning_of,
    title_in_words,
)
from annotator.usecases.inspect.metric_view import gold_summary

_MEANINGS = {
    "▲": "better", "▼": "worse", "△": "higher", "▽": "lower", "≈": "not told apart", "=": "equal in all instances",
}  # fmt: skip
CSV_FIELDS: tuple[str, ...] = (
    "model", "method", "parameters", "seeds", "kind", "layer", "against", "group", "metric", "difference", "low", "high", "p",
    "p_corrected", "n_comparisons", "verdict", "n", "n_left_out", "value", "value_of_reference", "n_higher", "n_lower", "told",
    "reason", "title", "direction", "gold_policy", "gold_release", "split", "criterion", "explained", "gamma",
)  # fmt: skip


def heads_and_lines(made: AgainstTable, order: Column | None = None) -> tuple[list[Head], list[Line]]:
    """As the page draws it: the reference with its own values first."""
    heads = [
        Head(
            group_of(column), title_in_words(column.definition), f"{family_of(column)} · {_('difference')}",
            ARROWS[column.definition.direction],
            meaning_of(column), column == order,
        )
        for column in made.columns
    ]  # fmt: skip
    lines = [
        Line(
            reference_name(made),
            _("what the others are compared with"),
            [_own(made, column) for column in made.columns],
        )
    ]
    for at, (title, detail) in enumerate(details_of_compared(made.rows)):
        cells = [made.cell(at, column) for column in made.columns]
        lines.append(Line(title, detail, [Cell(text_of(cell), lines_of_cell(cell)) for cell in cells]))
    return heads, lines


def _own(made: AgainstTable, column: Column) -> Cell:
    """The reference's own value, over all of its instances."""
    number = own_number(made.table, made.reference, column)
    return (
        Cell(UNDEFINED)
        if number is None
        else Cell(written(number.value), () if number.n is None else (f"n {number.n:,}",))
    )


def against_text(made: AgainstTable) -> str:
    """For a terminal: a row's differences with signs, and below each its interval, p, and n."""
    name = reference_name(made)
    heads = [
        TextHead(column.group, column.definition.title, ARROWS[column.definition.direction]) for column in made.columns
    ]
    lines = [
        TextLine(of_row, [_text_cell(made.cell(at, column)) for column in made.columns])
        for at, of_row in enumerate(names_of_compared(made))
    ]
    own_cells = [_own(made, column) for column in made.columns]
    lines.append(
        TextLine(
            f"{name}: its own values", [TextCell(cell.text, "", "", cell.notes) for cell in own_cells], is_baseline=True
        )
    )
    signs = {sign for line in lines for cell in line.cells for sign in cell.signs}
    meanings = [f"{sign} {meaning}" for sign, meaning in _MEANINGS.items() if sign in signs]
    return metric_table_text(
        heads, lines, corner="Model · method",
        caption=f"{made.table.project}, against {name}: {gold_summary(made.table)}",
        notes=[
            what_it_is(made, name),
            *([f"{'; '.join(meanings)}; ↑ higher is better, ↓ lower is better."] if meanings else []),
            *filter(None, [what_could_be_told(made)]),
            *reasons(made),
        ],
    )  # fmt: skip


def _text_cell(cell: Compared) -> TextCell:
    if isinstance(cell, str):
        return TextCell(UNDEFINED)
    notes = [f"[{signed(cell.low)}, {signed(cell.high)}]"] if cell.low is not None and cell.high is not None else []
    corrected = "" if cell.p == cell.corrected else f", Holm {p_in_words(cell.corrected).removeprefix('p ')}"
    notes.append(p_in_words(cell.p) + corrected)
    return TextCell(signed(cell.difference), "", WORDS[cell.word], (*notes, f"n {cell.n:,}"))


@speaking("en")
def against_latex(made: AgainstTable) -> str:
    """For a paper: differences with intervals, stars where the corrected p is below .05."""
    heads = [
        Head(column.group, column.definition.title, family_of(column), ARROWS[column.definition.direction], "")
        for column in made.columns
    ]
    lines = [
        Line(name, "", [_tex_cell(made.cell(at, column)) for column in made.columns])
        for at, name in enumerate(names_of_compared(made))
    ]
    name = reference_name(made)
    own_cells = [_own(made, column) for column in made.columns]
    lines.append(Line(f"{name}: its own values", "", [_with_n(cell) for cell in own_cells], is_baseline=True))
    caption = (
        f"Differences from {name} on {made.table.project} ({_asked(made)}), over the instances that both have, "
        f"with 95 % paired bootstrap intervals. p is by sign flips, corrected (Holm) for "
        f"{counted(made.n_comparisons, 'comparison')}; *: p < .05."
    )
    return metric_table_latex(
        heads, lines, corner="Model, method", caption=caption, label=label_of("differences", made.table.project),
        notes=list(reasons(made)), undefined="–: not compared, or no number.",
    )  # fmt: skip


def _with_n(cell: Cell) -> Cell:
    return Cell(cell.text, tuple(note.replace("n ", "n = ") for note in cell.notes))


def _tex_cell(cell: Compared) -> Cell:
    if isinstance(cell, str):
        return Cell(UNDEFINED)
    notes = [f"[{signed(cell.low)}, {signed(cell.high)}]"] if cell.low is not None and cell.high is not None else []
    p = p_in_words(cell.corrected).replace("p .", "p = .").replace("p 1", "p = 1")
    return Cell(text_of(cell), (*notes, p, f"n = {cell.n:,}"))


def _asked(made: AgainstTable) -> str:
    table = made.table
    parts = [f"gold policy {table.gold_policy}"]
    parts += [] if table.release is None else [f"gold: {table.release}"]
    parts += [] if table.split is None else [f"split {table.split or '(none)'}"]
    parts += [] if table.criterion is None else [f"criterion {criterion_in_words(table.criterion)}"]
    return ", ".join(parts)


@speaking("en")
def against_csv(made: AgainstTable, *, explained: str = "predicted") -> str:
    """A line a comparison, with all digits; also of what is not compared, with the reason."""
    table = made.table
    options = {
        "gold_policy": table.gold_policy, "gold_release": table.release or "", "split": table.split or "",
        "criterion": "" if table.criterion is None else criterion_in_words(table.criterion),
        "explained": explained, "gamma": table.gamma,
    }  # fmt: skip
    lines = (_head(of) | line | options for of, line in difference_lines(made))
    return written_csv(CSV_FIELDS, ([line.get(name) for name in CSV_FIELDS] for line in lines))


def difference_lines(made: AgainstTable) -> Iterator[tuple[ComparedRow, dict[str, object]]]:
    """Each row and column by the fields of the CSV but for the row's; what one of the two has no number for is left out."""
    name = reference_name(made)
    for at, of in enumerate(made.rows):
        for column in made.columns:
            cell = made.cell(at, column)
            if cell in ("no number", "no number of the reference"):
                continue
            yield of, {
                "against": name, "group": column.group, "metric": column.name, "title": column.definition.title,
                "direction": column.definition.direction, "n_comparisons": made.n_comparisons, **_figures(cell),
            }  # fmt: skip


def _head(of: ComparedRow) -> dict[str, object]:
    row = of.row
    seeds: Sequence[int | None] = row.seeds if of.seed is None else (of.seed,)
    return {
        "model": row.model, "method": row.method, "parameters": "" if row.parameters == "{}" else row.parameters,
        "seeds": " ".join(str(seed) for seed in seeds if seed is not None), "kind": row.kind,
        "layer": "" if row.layer is None else row.layer,
    }  # fmt: skip


def _figures(cell: Compared) -> dict[str, object]:
    if isinstance(cell, str):
        return {"reason": cell}
    return {
        "difference": cell.difference, "low": cell.low, "high": cell.high, "p": cell.p, "p_corrected": cell.corrected,
        "verdict": cell.word, "n": cell.n, "n_left_out": cell.n_left_out, "value": cell.value,
        "value_of_reference": cell.of_reference, "n_higher": cell.n_higher, "n_lower": cell.n_lower, "told": cell.told,
    }  # fmt: skip
