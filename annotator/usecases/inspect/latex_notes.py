"""What one has to know of a table of metrics in a paper: whose instances differ, what is not compared, what is left out."""

from collections.abc import Iterator, Sequence

from annotator.domain.numbers import counted
from annotator.metrics.significance import FEWEST
from annotator.scoring.chance_verdicts import Judged
from annotator.scoring.shared_instances import are_comparable
from annotator.scoring.table import Column, MetricRow, MetricTable
from annotator.usecases.inspect.metric_names import names_of
from annotator.usecases.inspect.training_texts import words_of

_OWN_SCALE = ("faithfulness", "confidence")


def latex_notes(
    table: MetricTable, rows: Sequence[MetricRow], names: Sequence[tuple[Column, str]], verdicts: Sequence[Sequence[Judged]],
    *, has_best: bool,
) -> Iterator[str]:  # fmt: skip
    """One sentence or two each. names: what the columns are called above their numbers; verdicts: by column and row."""
    columns = [column for column, _ in names]
    yield from _of_differing(table, rows, names)
    yield from _of_lacking(table, rows, columns)
    if has_best and any(column.group in _OWN_SCALE for column in columns):
        yield "Faithfulness and confidence are compared within one model only."
    few = [
        at
        for at, row in enumerate(rows)
        if any((judged := of[at].verdict) is not None and judged.word == "too few" for of in verdicts)
    ]
    if few:
        yield (
            f"Fewer than {FEWEST} instances, which are too few to say whether a row is better than random: "
            f"{_in_words(rows, few)}."
        )
    for model, training in {row.model: row.training for row in rows}.items():
        if words := words_of(training):
            yield f"{model}: {words}."


def _of_differing(table: MetricTable, rows: Sequence[MetricRow], names: Sequence[tuple[Column, str]]) -> Iterator[str]:
    differing = [name for column, name in names if not are_comparable(table, rows, column)]
    if differing:
        where = "" if len(differing) == len(names) else f" of {', '.join(differing)}"
        yield f"The rows{where} are over different instances (n), so that none{' of these' * bool(where)} is marked as the best."
        if table.random.numbers:
            yield f"Random{where} is over all instances with gold."
    if any(column.name in table.shared for column, _ in names):
        yield "Each column is over the instances that all rows which are compared have."


def _of_lacking(table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column]) -> Iterator[str]:
    lacking = [
        at
        for at, row in enumerate(rows)
        if any(column.name in table.shared and row.key in table.shared[column.name].lacking for column in columns)
    ]
    if lacking:
        yield (
            f"Not compared, since {'it lacks' if len(lacking) == 1 else 'they lack'} more than a fifth of the instances of the "
            f"others, and therefore never bold: {_in_words(rows, lacking)}."
        )


def _in_words(rows: Sequence[MetricRow], places: Sequence[int]) -> str:
    """The rows by name, or as their model where they are all of its rows."""
    names, chosen, parts = names_of(rows), set(places), dict[str, None]()
    for at in places:
        model = rows[at].model
        of_model = {other for other, row in enumerate(rows) if row.model == model}
        is_whole = len(of_model) > 1 and of_model <= chosen
        parts[f"{model} ({counted(len(of_model), 'row')})" if is_whole else names[at]] = None
    return ", ".join(parts)
