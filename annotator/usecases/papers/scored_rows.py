"""What the tables of one project share: the rows over the same texts, the caption's facts, and the CSV file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

import annotator
from annotator.domain.numbers import by_key, counted, written
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.formats.rows.gold_csv import written_csv
from annotator.metrics.ragged import Flags
from annotator.scoring.paper_table import ARROWS, PaperCell, PaperColumn, PaperRow, PaperTable, cell_of
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.shared_instances import do_rows_differ, over_shared, seeds_of, values_of
from annotator.scoring.signatures import signature_of_gold
from annotator.scoring.table import MetricRow, MetricTable, Number, definition_in_table, metric_table, without_repeats
from annotator.store import Store
from annotator.usecases.inspect.metric_formats import signature_of_table
from annotator.usecases.inspect.metrics_table import names_of
from annotator.usecases.inspect.project_scores import evaluate_with_instances
from annotator.usecases.inspect.training_texts import words_of

GOLD_METHOD, RANDOM_METHOD = "gold", "random"
Reason = Callable[[MetricRow, PaperColumn], str]  # why a row has no number in a column


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rows: of these models and methods, of all where none is named."""

    models: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    options: ScoringOptions = field(default_factory=ScoringOptions)


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """Rows with their numbers, without what repeats others. is_shared: means are over the texts that all competing rows have."""

    project: Project
    choice: Choice
    table: MetricTable
    rows: tuple[MetricRow, ...]
    is_shared: bool = False

    def over_same_texts(self, columns: Sequence[PaperColumn]) -> "ScoredRows":
        """Over the texts that all competing rows have, where the rows of one of these columns are over different ones."""
        shown = [column for column in self.table.columns if column.name in {of.name for of in columns}]
        if not do_rows_differ(self.table, self.rows, shown):
            return self
        shared = over_shared(self.table, self.rows)
        return ScoredRows(self.project, self.choice, shared, shared.rows, is_shared=True)


def scored_rows(store: Store, actor: User, project: Project, choice: Choice, *, without: str = "") -> ScoredRows:
    """The rows of a project's table of metrics. without: a method that the paper's table has no row for.

    Raises: NotFound for a model or method that has none, and where there is no row at all
    """
    table = metric_table(*evaluate_with_instances(store, actor, project, options=choice.options))
    rows, _ = without_repeats(table.rows)
    _require("model", choice.models, [row.model for row in rows])
    _require("method", choice.methods, [row.method for row in rows if row.method])
    chosen = [
        row
        for row in rows
        if (not choice.models or row.model in choice.models)
        and (not choice.methods or row.method in choice.methods)
        and (not without or row.method != without)
    ]
    if not chosen:
        raise NotFound(
            f"There are no numbers of '{project.name}' yet: no model has output for texts with gold. Import some, or compute "
            f"attributions with 'annotator attribute'."
        )
    return ScoredRows(project, choice, table, tuple(chosen))


def _require(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            alternatives = ", ".join(dict.fromkeys(known)) or "none"
            raise NotFound(f"No row of the table is of a {what} '{name}' (there is {alternatives}).")


def metric_column(name: str, title: str, *, scale: int = 1, decimals: int = 3, group: str = "") -> PaperColumn:
    """A column of a metric that the register knows, from which its direction is."""
    return PaperColumn(name, title, group, ARROWS[definition_in_table(name).direction], scale, decimals)


def paper_rows(scored: ScoredRows, columns: Sequence[PaperColumn], reason: Reason) -> list[PaperRow]:
    """A row for each model and method: what was scored first, then gold as a method, then random as one."""
    titles = dict(zip((row.key for row in scored.rows), names_of(scored.rows), strict=True))
    order = {GOLD_METHOD: 1, RANDOM_METHOD: 2}
    rows = sorted(scored.rows, key=lambda row: order.get(row.method, 0))
    return [
        PaperRow(
            titles[row.key],
            tuple(cell_of(row.numbers.get(column.name), reason(row, column)) for column in columns),
            keys_of(row),
            is_baseline=row.method in order,
        )
        for row in rows
    ]


def random_row(scored: ScoredRows, columns: Sequence[PaperColumn], others: Mapping[str, str], reason: str) -> PaperRow:
    """Random as the null: scores drawn at random, the mean of ten seeds. others: reasons by column, in place of `reason`."""
    cells: list[PaperCell] = [
        cell_of(_random_number(scored, column), others.get(column.name, reason)) for column in columns
    ]
    return PaperRow("random scores, ten seeds", tuple(cells), {"model": "random"}, is_baseline=True)


def _random_number(scored: ScoredRows, column: PaperColumn) -> Number | None:
    """Over the texts of the rows; how far seeds lie apart is only known over all texts."""
    number, behind = scored.table.random.numbers.get(column.name), scored.table.behind
    if number is None or behind is None or column.name not in behind.random:
        return number
    values = behind.random[column.name]
    is_measured = texts_of(scored, column.name) & ~np.isnan(values)
    if not is_measured.any() or np.array_equal(is_measured, ~np.isnan(values)):
        return number
    return Number(float(values[is_measured].mean()), int(is_measured.sum()))


def texts_of(scored: ScoredRows, name: str) -> Flags:
    """bool[n_gold]: the texts for which some row has a value in a column; of shared columns those that are shared."""
    behind, shared = scored.table.behind, scored.table.shared.get(name)
    if shared is not None or behind is None:
        return np.zeros(0, dtype=np.bool_) if shared is None else shared.keep
    is_measured = np.zeros(len(behind.ids), dtype=np.bool_)
    columns = [column for column in scored.table.columns if column.name == name]
    for column, row in product(columns, scored.rows):
        for seed in seeds_of(behind, row, column):
            values = values_of(seed, column)
            if values is not None:
                is_measured[seed.places[~np.isnan(values)]] = True
    return is_measured


def keys_of(row: MetricRow) -> dict[str, str]:
    """What tells a row from others in a file."""
    return {
        "model": row.model, "method": row.method, "parameters": "" if row.parameters == "{}" else row.parameters,
        "kind": row.kind, "layer": "" if row.layer is None else str(row.layer),
        "seeds": " ".join(str(seed) for seed in row.seeds if seed is not None),
    }  # fmt: skip


def asked_for(
    project: str, policy: str, split: str | None, release: str | None = None, *, table: MetricTable | None = None,
    options: Mapping[str, object] | None = None,
) -> dict[str, str]:  # fmt: skip
    """What a file says of each of its rows. release: of the gold, in words; None where nothing is frozen.

    table: from whose numbers those of the file are, of which it has the signature; options: of one without a table
    """
    of_gold = signature_of_gold(policy, release, split=split, **(options or {}))
    signed = of_gold if table is None else signature_of_table(table)
    return {
        "project": project, "gold_policy": policy, "gold_release": release or "", "split": split or "",
        "version": annotator.__version__, "signature": signed,
    }  # fmt: skip


def what_was_scored(scored: ScoredRows) -> str:
    """For the caption: policy, split, counts and version."""
    gold, options = scored.table.gold, scored.choice.options
    ratios = " and ".join(written(ratio) for ratio in gold["ratios"].values() if ratio)
    if gold["scored_without_gold"]:
        texts = counted(gold["scored_without_gold"], "text")
        top = f"; k is {ratios} of a text's tokens" if ratios else ""
        return f"No text has gold sets, {split_in_words(options.split)}, {texts}{top}. {made_by()}"
    whose = "" if options.split is None else " of the whole project’s gold"
    texts = counted(gold["instances"], "text with gold", "texts with gold")
    without = gold["instances_without_sets"]
    return (
        f"Gold policy “{scored.table.gold_policy}”, {split_in_words(options.split)}, {texts}"
        f"{f' ({without:,} of them without a set)' if without else ''}, {counted(gold['sets'], 'rationale set')}"
        f"{f'; k by the mean rationale length ratio {ratios}{whose}' if ratios else ''}. "
        f"{release_in_words(scored.table.release)}{made_by()}"
    )


def release_in_words(release: str | None) -> str:
    """Which release the gold is, as a sentence of a caption; nothing where nothing is frozen."""
    return f"Gold: {release}. " if release else ""


def split_in_words(split: str | None) -> str:
    """A split, or all of them."""
    return "all splits" if split is None else f"split “{split}”"


def made_by() -> str:
    """With what the numbers were made."""
    return f"Rationale annotator {annotator.__version__}."


def texts_in_words(scored: ScoredRows, columns: Sequence[PaperColumn]) -> list[str]:
    """Over which texts the rows are, and what their models learned from."""
    notes = []
    if scored.is_shared:
        notes.append("Each mean over texts is over those that all competing rows of its column have.")
        own_texts = [column.title for column in columns if _is_no_mean(scored.rows, column)]
        if own_texts:
            are = "is no mean over texts and is" if len(own_texts) == 1 else "are no means over texts and are"
            notes.append(f"{joined(own_texts)} {are} over all texts of each row.")
    sizes = [(column.title, _sizes(scored.rows, column)) for column in columns]
    by_sizes = by_key((of_column, title) for title, of_column in sizes if of_column)
    if by_sizes:
        notes.append("; ".join(f"{', '.join(titles)}: n = {_range(of)}" for of, titles in by_sizes.items()) + ".")
    trained = dict.fromkeys((row.model, words_of(row.training)) for row in scored.rows if words_of(row.training))
    notes += [f"{model}: {words}." for model, words in trained]
    return notes


def _sizes(rows: Sequence[MetricRow], column: PaperColumn) -> tuple[int, ...]:
    numbers = [row.numbers.get(column.name) for row in rows]
    return tuple(sorted({number.n for number in numbers if number is not None and number.n is not None and number.n}))


def _is_no_mean(rows: Sequence[MetricRow], column: PaperColumn) -> bool:
    numbers = [row.numbers.get(column.name) for row in rows]
    return any(number is not None and number.value is not None and number.n is None for number in numbers)


def joined(words: Sequence[str]) -> str:
    """Words as a sentence lists them.

    >>> joined(["a", "b", "c"]), joined(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _range(sizes: tuple[int, ...]) -> str:
    return f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,} by row"


def has_column(scored: ScoredRows, name: str) -> bool:
    """Whether any row has a value there."""
    return any((number := row.numbers.get(name)) is not None and number.value is not None for row in scored.rows)


# A paper's table as a CSV file: a line a row, all digits, nothing multiplied.


def paper_csv(table: PaperTable) -> str:
    """Keys of the row, for each metric its value, deviation, number of seeds and of texts, and note; then what was asked.

    note: why there is no value, or the mark of a difference
    """
    names = list(dict.fromkeys(name for row in table.rows for name in row.keys))
    parts = ("", "_deviation", "_n_seeds", "_n", "_note")
    heads = [*names, *(f"{column.name}{part}" for column in table.columns for part in parts), *table.provenance]
    rows = (
        [row.keys.get(name, "") for name in names]
        + [
            part
            for cell in row.cells
            for part in (cell.value, cell.deviation, cell.n_seeds, cell.n, cell.reason or cell.mark or None)
        ]
        + list(table.provenance.values())
        for row in table.rows
    )
    return written_csv(heads, rows)
