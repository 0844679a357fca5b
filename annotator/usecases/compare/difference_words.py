"""Rows against one of them in words: the signs and lines of a cell, why a cell is empty, and what the table is of."""

from collections.abc import Iterator, Mapping, Sequence

from annotator.domain.numbers import UNDEFINED, counted, signed, written
from annotator.scoring.row_differences import AgainstTable, Compared, ComparedRow, Difference, Reason, Word
from annotator.scoring.table import Column
from annotator.usecases.compare.row_names import compared_name, compared_names
from annotator.usecases.inspect.metric_names import details_of, title_of

MARK = "*"
LEGEND = (
    f"↑ higher is better · ↓ lower is better · {MARK} told apart, better or worse · … to …: the interval · n: instances that "
    "both have · – not compared, or no number."
)
SHORT: Mapping[Reason, str] = {
    "no number": "",
    "no number of the reference": "the reference has none",
    "other model": "not comparable",
    "other method": "not comparable",
    "other thresholds": "not comparable",
    "no mean": "cannot be paired",
    "same numbers": "the reference’s own",
    "nothing in common": "no instance in common",
    "learned": "it learned from them",
}
LONG: Mapping[Reason, str] = {
    "no number of the reference": "The reference has no such number.",
    "other model": "Values of different models are not compared: each is on the scale of its model’s own probabilities, and the "
    "bounds of these differ.",
    "other method": "Losses of different methods are not compared: they are on the scale of each method’s own scores.",
    "other thresholds": "Values over different thresholds are not compared.",
    "no mean": "The number is no mean over instances, so that there is nothing to pair.",
    "same numbers": "The number is of the reference’s own model or run, so that it is the same.",
    "nothing in common": "There is no instance that both have.",
    "learned": "A model’s answers to texts that it learned from, or may have, are not compared.",
}


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
    return of.word not in ("not told apart", "equal")


def lines_of_cell(cell: Compared) -> tuple[str, ...]:
    """What stands below a difference: interval, p with the corrected one, n, and the verdict; or why there is none."""
    if isinstance(cell, str):
        return (SHORT[cell],) if SHORT[cell] else ()
    interval = [] if cell.low is None or cell.high is None else [f"{signed(cell.low)} to {signed(cell.high)}"]
    p = p_in_words(cell.p) + ("" if cell.p == cell.corrected else f", corrected {_p(cell.corrected)}")
    return (*interval, p, f"n {cell.n:,}", cell.word)


def sentence_of(cell: Difference) -> str:
    """The whole of a difference, with what its number of instances would tell where nothing is told.

    >>> sentence_of(Difference(310, 0, 0.5, 0.479, 0.021, -0.004, 0.046, 0.1, 9, 7, 0.3, 0.041))
    '+0.021 [−0.004, +0.046], p .100, corrected .300, n 310: not told apart (so many instances would tell a difference of 0.041)'
    """
    if cell.word == "equal":
        return f"equal in all {counted(cell.n, 'instance')}"
    interval = "" if cell.low is None or cell.high is None else f" [{signed(cell.low)}, {signed(cell.high)}]"
    corrected = "" if cell.p == cell.corrected else f", corrected {_p(cell.corrected)}"
    has_told = cell.word == "not told apart" and cell.told
    would_tell = f" (so many instances would tell a difference of {written(cell.told)})" if has_told else ""
    return (
        f"{signed(cell.difference)}{interval}, {p_in_words(cell.p)}{corrected}, n {cell.n:,}: {cell.word}{would_tell}"
    )


def sentence_of_pair(cell: Difference, row: str, reference: str) -> str:
    """The same of two rows by their names, and in how many instances which of them is higher."""
    whole = sentence_of(cell)
    n_equal = cell.n - cell.n_higher - cell.n_lower
    alone = counted(cell.n_left_out, "instance that only one of them has is", "instances that only one of them has are")
    left_out = f" {alone} left out." if cell.n_left_out else ""
    return (
        f"{whole[0].upper()}{whole[1:]}. {row} is higher in {counted(cell.n_higher, 'instance')}, {reference} in "
        f"{cell.n_lower:,}; they are equal in {n_equal:,}.{left_out}"
    )


def what_it_is(made: AgainstTable, name: str) -> str:
    """How a difference is to be read. name: of the reference."""
    return (
        f"Each number is the row’s value minus that of {name}: the mean over the instances that both have (n), with a paired "
        "95 % bootstrap interval. p is by flipping the signs of these differences (all signs where few differ, else 9,999 "
        f"draws), and is corrected (Holm) for {_how_many(made)}. Rows are told apart where the corrected p is below .05; where "
        "it is not, they may be alike or not."
    )


def _how_many(made: AgainstTable) -> str:
    n = made.n_comparisons
    return "the one comparison of this table" if n == 1 else f"the {counted(n, 'comparison')} of this table"


def reasons(made: AgainstTable) -> Iterator[str]:
    """Why cells are empty: each reason with its columns, and with its rows where others have a number."""
    columns_by_reason: dict[Reason, dict[str, list[int]]] = {}
    names = names_of_compared(made)
    for column in made.columns:
        for at, cell in enumerate(made.cells[column.name]):
            if isinstance(cell, str) and cell in LONG:
                columns_by_reason.setdefault(cell, {}).setdefault(column.definition.title, []).append(at)
    for reason, places_by_title in columns_by_reason.items():
        titles_by_places: dict[tuple[int, ...], list[str]] = {}
        for title, places in places_by_title.items():
            titles_by_places.setdefault(tuple(places), []).append(title)
        for places_of, titles in titles_by_places.items():
            rows = "" if len(places_of) == len(names) else f" of {', '.join(names[at] for at in places_of)}"
            yield f"{', '.join(titles)}{rows}: {LONG[reason]}"


def what_could_be_told(made: AgainstTable) -> str:
    """Of each column in which rows are not told apart, the smallest difference that would have been; "" of none."""
    parts = []
    for column in made.columns:
        open_cells = [
            of for of in made.cells[column.name] if isinstance(of, Difference) and of.word == "not told apart"
        ]
        smallest = min((of for of in open_cells if of.told), key=lambda of: of.told or 0.0, default=None)
        if smallest is not None:
            parts.append(_what_tells(smallest.told, column, smallest.n))
    if not parts:
        return ""
    listed = "; ".join(parts)
    return (
        "Where rows are not told apart, they may still differ. With this many instances, a difference has to be at least as "
        f"large as this to be found in four of five cases (power 80 %): {listed}."
    )


def _what_tells(difference: float | None, column: Column, n: int) -> str:
    """The difference that would be told; or that there is none, where it is larger than any can be."""
    title, lowest, highest = column.definition.title, column.definition.lowest, column.definition.highest
    if lowest is not None and highest is not None and (difference or 0.0) > highest - lowest:
        return f"{title}: {n:,} are too few for any difference"
    return f"{title} {written(difference)} (n {n:,})"


def sentences(made: AgainstTable, column: Column) -> Iterator[str]:
    """A line a row of a column that is compared."""
    names = names_of_compared(made)
    for name, cell in zip(names, made.cells[column.name], strict=True):
        if not isinstance(cell, str):
            yield f"{name}: {sentence_of(cell)}"


def reference_name(made: AgainstTable) -> str:
    return compared_name(made.reference, [of.row for of in (*made.rows, made.reference)])


def names_of_compared(made: AgainstTable) -> list[str]:
    return compared_names(made.rows, [of.row for of in (*made.rows, made.reference)])


def details_of_compared(rows: Sequence[ComparedRow]) -> list[tuple[str, str]]:
    """The title of each row, and what tells it from the others."""
    details = details_of([of.row for of in rows])
    return [
        (title_of(of.row), detail if of.seed is None else f"seed {of.seed}")
        for of, detail in zip(rows, details, strict=True)
    ]


WORDS: Mapping[Word, str] = {
    "better": "▲", "worse": "▼", "higher": "△", "lower": "▽", "not told apart": "≈", "equal": "=",
}  # fmt: skip
