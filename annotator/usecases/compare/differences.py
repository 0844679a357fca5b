"""Rows against one of them, and two metrics beside each other: for a terminal, CSV, LaTeX and the page, and their words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.measurements import group_in_words
from annotator.domain.numbers import UNDEFINED, by_key, counted, signed, written
from annotator.errors import InvalidValue
from annotator.figures.html_table import Cell, Head, Line
from annotator.figures.latex_tables import label_of, metric_table_latex
from annotator.figures.text_tables import TextCell, TextHead, TextLine, metric_table_text
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _, listed, several, speaking, together, unsaid
from annotator.metrics.aggregate import FEWEST_PAIRS, Correlation, rank_correlation
from annotator.metrics.ragged import Floats
from annotator.scoring.row_differences import AgainstTable, Compared, ComparedRow, Difference, Reason, Word, own_number
from annotator.scoring.shared_instances import seeds_of, values_of
from annotator.scoring.table import Column, MetricRow, MetricTable, without_repeats
from annotator.usecases.compare.row_names import compared_name, compared_names
from annotator.usecases.inspect.metrics_table import (
    ARROWS,
    criterion_in_words,
    details_of,
    family_of,
    gold_summary,
    group_of,
    meaning_of,
    metric_view,
    names_of,
    title_in_words,
    title_of,
)

# Rows against one of them in words: the signs and lines of a cell, why a cell is empty, and what the table is of.


MARK = "*"
_LEGEND = unsaid(
    "↑ higher, ↓ lower is better · {mark} clear difference · … to …: interval · n: shared instances · – no number."
)
_NOT_COMPARABLE = unsaid("not comparable")
SHORT: Mapping[Reason, str] = {
    "no number": "",
    "no number of the reference": unsaid("none for the reference"),
    "other model": _NOT_COMPARABLE,
    "other method": _NOT_COMPARABLE,
    "other thresholds": _NOT_COMPARABLE,
    "no mean": unsaid("cannot be paired"),
    "same numbers": unsaid("same as the reference"),
    "nothing in common": unsaid("no shared instances"),
    "learned": unsaid("training texts"),
}
LONG: Mapping[Reason, str] = {
    "no number of the reference": unsaid("The reference lacks this number."),
    "other model": unsaid("Probability scales of different models differ."),
    "other method": unsaid("Score scales of different methods differ."),
    "other thresholds": unsaid("The thresholds differ."),
    "no mean": unsaid("Not an instance mean, so unpaired."),
    "same numbers": unsaid("Same as the reference (same model or run)."),
    "nothing in common": unsaid("No shared instances."),
    "learned": unsaid("Includes known or possible training texts."),
}


_VERDICTS: Mapping[Word, str] = {
    "better": unsaid("better"),
    "worse": unsaid("worse"),
    "higher": unsaid("higher"),
    "lower": unsaid("lower"),
    "no clear difference": unsaid("no clear difference"),
    "equal": unsaid("equal"),
}


def legend() -> str:
    """What the signs of the table mean."""
    return _(_LEGEND, mark=MARK)


def p_in_words(p: float) -> str:
    """A p value.

    >>> [p_in_words(p) for p in (0.0001, 0.0234, 0.2, 1.0)]
    ['p < .001', 'p .023', 'p .200', 'p 1']
    """
    return f"p {_p(p)}"


def _p(p: float) -> str:
    if p < 0.001:
        return "< .001"
    text = f"{p:.3f}"
    return "1" if text == "1.000" else text.lstrip("0")


def text_of(cell: Compared) -> str:
    """The difference, with a star where it is told apart; a dash where there is none."""
    if isinstance(cell, str):
        return UNDEFINED
    return signed(cell.difference) + (MARK if is_told(cell) else "")


def is_told(of: Difference) -> bool:
    return of.word not in ("no clear difference", "equal")


def lines_of_cell(cell: Compared) -> tuple[str, ...]:
    """What stands below a difference: interval, p with the corrected one, n, and the verdict; or why there is none."""
    if isinstance(cell, str):
        return (_(SHORT[cell]),) if SHORT[cell] else ()
    has_bounds = cell.low is not None and cell.high is not None
    interval = [_("{low} to {high}", low=signed(cell.low or 0.0), high=signed(cell.high or 0.0))] if has_bounds else []
    return (*interval, _p_corrected(cell), f"n {cell.n:,}", _(_VERDICTS[cell.word]))


def _p_corrected(cell: Difference) -> str:
    if cell.p == cell.corrected:
        return p_in_words(cell.p)
    return _("{p}, corrected {corrected}", p=p_in_words(cell.p), corrected=_p(cell.corrected))


def sentence_of(cell: Difference) -> str:
    """The whole of a difference, with what its number of instances would tell where nothing is told.

    >>> sentence_of(Difference(310, 0, 0.5, 0.479, 0.021, -0.004, 0.046, 0.1, 9, 7, 0.3, 0.041))
    '+0.021 [−0.004, +0.046], p .100, corrected .300, n 310: no clear difference (detectable with this n: 0.041)'
    """
    if cell.word == "equal":
        return several("equal in all {n} instance", "equal in all {n} instances", cell.n)
    interval = "" if cell.low is None or cell.high is None else f" [{signed(cell.low)}, {signed(cell.high)}]"
    figures, n = f"{signed(cell.difference)}{interval}", f"{cell.n:,}"
    verdict = _(_VERDICTS[cell.word])
    if cell.word == "no clear difference" and cell.told:
        smallest = written(cell.told)
        verdict = _("{verdict} (detectable with this n: {told})", verdict=verdict, told=smallest)
    return _("{difference}, {p}, n {n}: {verdict}", difference=figures, p=_p_corrected(cell), n=n, verdict=verdict)


def sentence_of_pair(cell: Difference, row: str, reference: str) -> str:
    """The same of two rows by their names, and in how many instances which of them is higher."""
    whole = sentence_of(cell)
    n_equal = cell.n - cell.n_higher - cell.n_lower
    sentence = several(
        "{whole}. Instances: {row} higher in {n}, {reference} in {n_lower}, equal in {n_equal}.",
        "{whole}. Instances: {row} higher in {n}, {reference} in {n_lower}, equal in {n_equal}.",
        cell.n_higher,
        whole=f"{whole[0].upper()}{whole[1:]}", row=row, reference=reference, n_lower=f"{cell.n_lower:,}", n_equal=f"{n_equal:,}"
    )  # fmt: skip
    if not cell.n_left_out:
        return sentence
    left_out = several(
        "{n} unpaired instance excluded.",
        "{n} unpaired instances excluded.", cell.n_left_out
    )  # fmt: skip
    return together(sentence, left_out)


def what_it_is(made: AgainstTable, name: str) -> str:
    """How a difference is to be read. name: of the reference."""
    return _(
        "Row minus {reference}: mean over shared instances (n), paired 95 % bootstrap interval. p: "
        "sign-flip test (exact if few differ, else 9,999 draws), Holm-corrected for {comparisons}. Clear "
        "difference: corrected p < .05.",
        reference=name, comparisons=several("this table's only comparison", "this table's {n} comparisons", made.n_comparisons)
    )  # fmt: skip


def reasons(made: AgainstTable) -> Iterator[str]:
    """Why cells are empty: each reason with its columns, and with its rows where others have a number."""
    columns_by_reason: dict[Reason, dict[str, list[int]]] = {}
    names = names_of_compared(made)
    for column in made.columns:
        for at, cell in enumerate(made.cells[column.name]):
            if isinstance(cell, str) and cell in LONG:
                columns_by_reason.setdefault(cell, {}).setdefault(title_in_words(column.definition), []).append(at)
    for reason, places_by_title in columns_by_reason.items():
        titles_by_places = by_key((tuple(places), title) for title, places in places_by_title.items())
        for places_of, titles in titles_by_places.items():
            metrics, why = listed(titles), _(LONG[reason])
            if len(places_of) == len(names):
                yield _("{metrics}: {why}", metrics=metrics, why=why)
            else:
                rows = listed([names[at] for at in places_of])
                yield _("{metrics} of {rows}: {why}", metrics=metrics, rows=rows, why=why)


def what_could_be_told(made: AgainstTable) -> str:
    """Of each column in which rows are not told apart, from which difference on each of them would have been; "" of none."""
    parts = []
    for column in made.columns:
        cells = [
            of for of in made.cells[column.name] if isinstance(of, Difference) and of.word == "no clear difference"
        ]
        detectable = sorted((of.told, of.n) for of in cells if of.told)
        if detectable:
            parts.append(_what_tells(detectable, column))
    if not parts:
        return ""
    return _("Smallest differences detectable with 80 % power: {differences}.", differences="; ".join(parts))


def _what_tells(detectable: Sequence[tuple[float, int]], column: Column) -> str:
    """The difference that would be told, of several rows from the least to the most; or that none can be so large."""
    title, lowest, highest = title_in_words(column.definition), column.definition.lowest, column.definition.highest
    n = _from_to([f"{n:,}" for n in sorted({n for _told, n in detectable})])
    if lowest is not None and highest is not None and detectable[0][0] > highest - lowest:
        return _("{metric}: {n} are too few for any difference", metric=title, n=n)
    return _(
        "{metric} {difference} (n {n})", metric=title, difference=_from_to([written(of) for of, _n in detectable]), n=n
    )


def _from_to(ordered: Sequence[str]) -> str:
    return ordered[0] if ordered[0] == ordered[-1] else _("{low} to {high}", low=ordered[0], high=ordered[-1])


def sentences(made: AgainstTable, column: Column) -> Iterator[str]:
    """A line a row of a column that is compared."""
    names = names_of_compared(made)
    for name, cell in zip(names, made.cells[column.name], strict=True):
        if not isinstance(cell, str):
            yield _("{rows}: {verdict}", rows=name, verdict=sentence_of(cell))


def reference_name(made: AgainstTable) -> str:
    return compared_name(made.reference, [of.row for of in (*made.rows, made.reference)])


def names_of_compared(made: AgainstTable) -> list[str]:
    return compared_names(made.rows, [of.row for of in (*made.rows, made.reference)])


@speaking("en")
def english_reference(made: AgainstTable) -> str:
    """As addresses and reports have it."""
    return reference_name(made)


@speaking("en")
def english_names(made: AgainstTable) -> list[str]:
    """As addresses and reports have them."""
    return names_of_compared(made)


def details_of_compared(rows: Sequence[ComparedRow]) -> list[tuple[str, str]]:
    """The title of each row, and what tells it from the others."""
    details = details_of([of.row for of in rows])
    return [
        (title_of(of.row), detail if of.seed is None else _("seed {seed}", seed=of.seed))
        for of, detail in zip(rows, details, strict=True)
    ]


WORDS: Mapping[Word, str] = {
    "better": "▲", "worse": "▼", "higher": "△", "lower": "▽", "no clear difference": "≈", "equal": "=",
}  # fmt: skip


_MEANINGS = {
    "▲": "better", "▼": "worse", "△": "higher", "▽": "lower", "≈": "no clear difference", "=": "equal in all instances",
}  # fmt: skip
CSV_FIELDS: tuple[str, ...] = (
    "model", "method", "parameters", "seeds", "kind", "layer", "against", "group", "metric", "difference", "low", "high", "p",
    "p_corrected", "n_comparisons", "verdict", "n", "n_left_out", "value", "value_of_reference", "n_higher", "n_lower", "told",
    "reason", "title", "direction", "gold_policy", "gold_release", "split", "criterion", "explained", "gamma", "grouped_by",
    "of_group",
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
        Line(reference_name(made), _("reference for the other rows"), [_own(made, column) for column in made.columns])
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
        "grouped_by": table.by, "of_group": "" if table.group is None else group_in_words(table.by, table.group),
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


# Two metrics beside each other (Wang et al. 2022, 6): whether an instance, or a row, with more of one has more of the other.


RELATIONS_CSV_FIELDS = ("over", "row", "first", "second", "rho", "low", "high", "n")


@dataclass(frozen=True, slots=True)
class Relations:
    """Correlations of two columns: over the instances of each row (by name), and over the rows' numbers."""

    columns: tuple[Column, Column]
    of_rows: tuple[tuple[str, Correlation], ...]
    over_rows: Correlation


def relations(table: MetricTable, names: Sequence[str]) -> Relations:
    """Of two metrics by their names; of several seeds each instance has their mean.

    Raises: NotFound for a metric that is not there; InvalidValue for other than two
    """
    if len(set(names)) != 2:
        raise InvalidValue(_("Give two different metrics."))
    first, second = metric_view(table, names, is_shared=False).columns
    rows = without_repeats(table.rows)[0]
    of_rows = []
    for name, row in zip(names_of(rows), rows, strict=True):
        values = [_of_instances(table, row, column) for column in (first, second)]
        correlation = rank_correlation(*values)
        if correlation.n:
            of_rows.append((name, correlation))
    numbers = [[_value(row, column) for row in rows] for column in (first, second)]
    over_rows = rank_correlation(*(np.array(of_column, dtype=np.float64) for of_column in numbers))
    return Relations((first, second), tuple(of_rows), over_rows)


def _of_instances(table: MetricTable, row: MetricRow, column: Column) -> Floats:
    """float[n_gold], NaN where no seed has a value."""
    if table.behind is None:
        return np.zeros(0)
    sums, n_seeds = np.zeros(len(table.behind.ids)), np.zeros(len(table.behind.ids))
    for seed in seeds_of(table.behind, row, column):
        values = values_of(seed, column)
        if values is not None:
            is_there = ~np.isnan(values)
            sums[seed.places[is_there]] += values[is_there]
            n_seeds[seed.places[is_there]] += 1
    means: Floats = np.divide(sums, n_seeds, out=np.full(len(sums), np.nan), where=n_seeds > 0)
    return means


def _value(row: MetricRow, column: Column) -> float:
    number = row.numbers.get(column.name)
    return np.nan if number is None or number.value is None else number.value


def relations_text(made: Relations) -> str:
    """A table: over instances a line a row, below it over rows."""
    lines = [TextLine(name, _cells(correlation)) for name, correlation in made.of_rows]
    lines.append(TextLine("over the rows' numbers", _cells(made.over_rows), is_baseline=True))
    first, second = (column.definition.title for column in made.columns)
    heads = [TextHead("", "Spearman's ρ"), TextHead("", "95 % interval"), TextHead("", "n")]
    notes = [
        f"ρ above 0: where {first} is higher, {second} is higher. Intervals: bootstrap, from {FEWEST_PAIRS} pairs on; "
        f"{UNDEFINED}: a side is constant, or there are too few."
    ]
    return metric_table_text(heads, lines, corner="Over instances of", caption=f"{first} and {second}", notes=notes)


def _cells(correlation: Correlation) -> list[TextCell]:
    rho, interval = correlation.rho, correlation.interval
    between = UNDEFINED if interval is None else f"[{signed(interval.low)}, {signed(interval.high)}]"
    return [TextCell(UNDEFINED if rho is None else signed(rho)), TextCell(between), TextCell(f"{correlation.n:,}")]


def relations_csv(made: Relations) -> str:
    """The same in all digits."""
    pairs = [("instances", name, correlation) for name, correlation in made.of_rows]
    pairs.append(("rows", "", made.over_rows))
    first, second = (column.name for column in made.columns)
    return written_csv(
        RELATIONS_CSV_FIELDS,
        (
            [over, name, first, second, of.rho, of.interval and of.interval.low, of.interval and of.interval.high, of.n]
            for over, name, of in pairs
        ),
    )
