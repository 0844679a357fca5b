"""The table of metrics as text for a terminal, as LaTeX with its notes, and as CSV with a line a number."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from annotator.domain.measurements import group_in_words
from annotator.domain.numbers import UNDEFINED, by_key, counted, written
from annotator.figures.html_table import BEST, Cell, Head, Line
from annotator.figures.latex_tables import label_of, metric_table_latex
from annotator.figures.text_tables import TextCell, TextHead, TextLine, metric_table_text
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import speaking
from annotator.metrics.significance import FEWEST
from annotator.scoring.chance_verdicts import LEARNED, Judged, judged, n_without_choice
from annotator.scoring.shared_instances import are_comparable, are_different
from annotator.scoring.signatures import asked, signature
from annotator.scoring.table import Column, Group, MetricRow, MetricTable, Number, Points, definition_in_table, scope_of
from annotator.usecases.inspect import metrics_table
from annotator.usecases.inspect.measurement import unmeasured
from annotator.usecases.inspect.training_texts import trust_lines, words_of

_MEANINGS: Mapping[str, str] = {
    BEST: "the best of its column, among rows that are over the same instances and better than their baseline, if any",
    "▲": "better than its baseline",
    "≈": "no clear difference from its baseline",
    "▼": "worse than its baseline",
    "?": f"fewer than {FEWEST} instances: too few to say whether it is better than its baseline",
    LEARNED: "all or partly on texts that the model learned from, or perhaps did: nothing is said of chance",
    "±": "the standard deviation over seeds",
    "[": "…, …] the 95 % bootstrap interval",
    UNDEFINED: "not defined, or not in this run",
}


def table_text(view: metrics_table.MetricView) -> str:
    """What is shown of the table, and random below it; the notes tell signs, instances, training, and what is missing."""
    columns = [_JudgedColumn.of(view, column) for column in view.columns]
    sizes = metrics_table.RowSizes.of(view.rows, view.columns)
    names = metrics_table.names_of(view.rows)
    has_n = sizes.by_column is None
    lines = [
        TextLine(
            name, [*([TextCell(sizes.beside(at))] if has_n else []), *(_cell(view, of, at, sizes) for of in columns)]
        )
        for at, name in enumerate(names)
    ]
    random = view.table.random
    if any(column.name in random.numbers for column in view.columns):
        cells = [_below(_plain(random.numbers.get(column.name))) for column in view.columns]
        lines.append(TextLine("random, mean of ten seeds", [*([TextCell("")] * has_n), *cells], is_baseline=True))
    heads = [*([TextHead("", "n")] * has_n), *(_head(view, column, sizes) for column in view.columns)]
    return metric_table_text(
        heads,
        lines,
        corner="Model · method",
        caption=f"{view.table.project}: {metrics_table.gold_summary(view.table)}",
        notes=[*_signs(lines), *_notes(view, columns, names)],
    )


@dataclass(frozen=True, slots=True)
class _JudgedColumn:
    column: Column
    verdicts: Sequence[Judged]
    best: set[int]

    @staticmethod
    def of(view: metrics_table.MetricView, column: Column) -> "_JudgedColumn":
        verdicts = judged(view.table, view.rows, column)
        return _JudgedColumn(column, verdicts, metrics_table.best_of(view.table, view.rows, column, verdicts))


def _head(view: metrics_table.MetricView, column: Column, sizes: metrics_table.RowSizes) -> TextHead:
    titles = [other.definition.title for other in view.columns]
    family = f" ({metrics_table.family_of(column)})" if titles.count(column.definition.title) > 1 else ""
    n = None if sizes.by_column is None else sizes.by_column.get(column.name)
    details = [metrics_table.ARROWS[column.definition.direction], "" if n is None else f"n {n:,}"]
    return TextHead(column.group, f"{column.definition.title}{family}", " ".join(filter(None, details)))


def _cell(view: metrics_table.MetricView, of: _JudgedColumn, at: int, sizes: metrics_table.RowSizes) -> TextCell:
    number = view.rows[at].numbers.get(of.column.name)
    if number is None:
        return TextCell(UNDEFINED)
    signs = of.verdicts[at].sign + (BEST if at in of.best else "")
    cell = _plain(number)
    n = sizes.differing(at, number)
    return TextCell(cell.value, cell.deviation, signs, (*cell.notes, *([] if n is None else [f"n {n:,}"])))


def _plain(number: Number | None) -> TextCell:
    if number is None:
        return TextCell(UNDEFINED)
    deviation = "" if number.deviation is None else written(number.deviation, small=1)
    has_interval = number.low is not None and number.high is not None
    return TextCell(
        written(number.value),
        deviation,
        "",
        (f"[{written(number.low)}, {written(number.high)}]",) if has_interval else (),
    )


def _below(cell: TextCell) -> TextCell:
    """With the deviation below the number, so that it takes no width from all rows above."""
    return TextCell(cell.value, "", "", (*([f"± {cell.deviation}"] if cell.deviation else []), *cell.notes))


def _signs(lines: Sequence[TextLine]) -> Iterator[str]:
    """What the signs that are used mean."""
    cells = [cell for line in lines for cell in line.cells]
    used = {sign for cell in cells for sign in cell.signs}
    used |= {note[0] for cell in cells for note in cell.notes} | {"±" for cell in cells if cell.deviation}
    used |= {UNDEFINED for cell in cells if cell.value == UNDEFINED}
    if meanings := _meanings_of(used):
        yield "; ".join([*meanings, "↑ higher is better, ↓ lower is better"]) + "."


def _meanings_of(signs: Collection[str]) -> list[str]:
    return [f"{sign} {meaning}".replace("[ ", "[") for sign, meaning in _MEANINGS.items() if sign in signs]


def _notes(view: metrics_table.MetricView, columns: Sequence[_JudgedColumn], names: Sequence[str]) -> Iterator[str]:
    yield from _of_nulls((of.column.definition.title, of.verdicts) for of in columns)
    yield from _of_scopes(columns)
    yield from _of_instances(view)
    yield from _of_left_out(view)
    yield from trust_lines(view.rows, says_training=True)
    yield from metrics_table.constant_attribution_lines(view.rows)
    yield from metrics_table.degenerate_mask_lines(view.rows)
    yield from metrics_table.normalised_aopc_lines(view.rows)
    lacking = dict.fromkeys(
        names[at]
        for shared in view.table.shared.values()
        for at, row in enumerate(view.rows)
        if row.key in shared.lacking
    )
    yield f"Signature: {signature_of_table(view.table)}; --csv has each number's own."
    if lacking:
        yield f"Not compared, since they lack more than a fifth of the instances of the others: {', '.join(lacking)}."
    n_all_gold = n_without_choice(view.table)
    if n_all_gold:
        left_out = counted(n_all_gold, "instance is", "instances are")
        yield f"{left_out} left out of verdicts on plausibility: every token is gold there."
    yield from _of_unmeasured(view, columns)


def _of_unmeasured(view: metrics_table.MetricView, columns: Sequence[_JudgedColumn]) -> Iterator[str]:
    """Verdicts that are missing, and how they are had."""
    judged_columns = [(of.column, of.verdicts) for of in columns]
    for titles, models in unmeasured(judged_columns, view.rows, range(len(view.rows))):
        yield (
            f"There is no verdict on {', '.join(titles)} of {', '.join(models)}, since random attributions of the same model "
            "were not measured: compute them with 'annotator attribute --method random --faithfulness' (or --normalised)."
        )


def _of_nulls(columns: Iterable[tuple[str, Sequence[Judged]]]) -> Iterator[str]:
    """What the verdicts are held against: columns by name, where not all have the same."""
    pairs = [(judged.null, name) for name, verdicts in columns for judged in verdicts if judged.verdict is not None]
    nulls = by_key(dict.fromkeys(pairs))
    if nulls:
        words = [f"{null} ({', '.join(names)})" if len(nulls) > 1 else null for null, names in nulls.items()]
        yield f"Baseline: {'; '.join(words)}."


def _of_scopes(columns: Sequence[_JudgedColumn]) -> Iterator[str]:
    """Of columns that have a best of each model, which are on the scale of each model's own probabilities."""
    titles = [of.column.definition.title for of in columns if of.best and scope_of(of.column) == "model"]
    if titles:
        yield f"{', '.join(titles)}: {BEST} within each model; only normalised AOPC (--normalised) compares models."


def _of_instances(view: metrics_table.MetricView) -> Iterator[str]:
    if view.table.shared:
        yield "Each column is over the instances that all of its rows have; with --own-instances each row is over its own."
    elif any(are_different(view.table, view.rows, column) for column in view.columns):
        yield "The rows are over different instances, so that none is marked as the best."


def _of_left_out(view: metrics_table.MetricView) -> Iterator[str]:
    """For how many instances of the rows a metric is not defined."""
    parts = []
    for column in view.columns:
        numbers = [row.numbers[column.name] for row in view.rows if column.name in row.numbers]
        counts = sorted({number.n_left_out for number in numbers if number.n_left_out})
        if counts:
            least = "up to " if len(counts) > 1 or any(not number.n_left_out for number in numbers) else ""
            parts.append(f"{column.definition.title} {least}{counts[-1]:,}")
    if parts:
        yield f"Instances for which the metric is not defined are left out of a row: {'; '.join(parts)}."


# What one has to know of a table of metrics in a paper: whose instances differ, what is not compared, what is left out.


def latex_notes(
    table: MetricTable, rows: Sequence[MetricRow], names: Sequence[tuple[Column, str]], verdicts: Sequence[Sequence[Judged]],
    cells: Sequence[Cell],
) -> Iterator[str]:  # fmt: skip
    """One sentence or two each. names: what the columns are called above their numbers; verdicts: by column and row."""
    columns = [column for column, _ in names]
    if meanings := _meanings_of({cell.sign for cell in cells} | {note[0] for cell in cells for note in cell.notes}):
        yield f"{'; '.join(meanings)}."
    yield from _of_nulls((name, of) for (_column, name), of in zip(names, verdicts, strict=True))
    yield from _of_differing(table, rows, names)
    yield from _of_lacking(table, rows, columns)
    if any(cell.is_best for cell in cells) and any(scope_of(column) == "model" for column in columns):
        yield "Faithfulness that is not normalised, and confidence, are compared within one model only."
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
    names, chosen, parts = metrics_table.names_of(rows), set(places), dict[str, None]()
    for at in places:
        model = rows[at].model
        of_model = {other for other, row in enumerate(rows) if row.model == model}
        is_whole = len(of_model) > 1 and of_model <= chosen
        parts[f"{model} ({counted(len(of_model), 'row')})" if is_whole else names[at]] = None
    return ", ".join(parts)


# The table of metrics as LaTeX: the rows and columns that are shown, with what is best of what can be compared.


# What a column is called above its numbers, where its title has no room; the caption says what it stands for.
_SHORT = {
    "sets.best_f1": "F1", "sets.whole_set": "Whole", "eraser.average_precision": "AP", "eraser.token_f1_macro": "F1",
    "method.comprehensiveness": "Comp.", "method.sufficiency": "Suff.", "eraser.comprehensiveness_aopc": "Comp.",
    "eraser.sufficiency_aopc": "Suff.", "eraser.accuracy": "Acc.", "eraser.macro_f1": "F1", "editing.mrr": "MRR",
    "editing.need_edit_f1": "F1", "benchmark.iou_f1_paper": "IOU", "benchmark.answer_f1_english": "F1",
    "benchmark.answer_f1_chinese": "F1",
}  # fmt: skip


@speaking("en")
def table_latex(table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column]) -> str:
    """These rows and columns, and random below them. What the page marks with a star is bold; verdicts are superscripts."""
    verdicts = [judged(table, rows, column) for column in columns]
    n_of = metrics_table.RowSizes.of(rows, columns)
    cells = [_cells(table, rows, column, of, n_of) for column, of in zip(columns, verdicts, strict=True)]
    models = [row.model for row in rows]
    is_grouped = len(models) > len(set(models)) == sum(1 for _model in groupby(models))  # else sorted across models
    groups = models if is_grouped else [""] * len(models)
    names = [
        name.removeprefix(f"{group} · ") if group else name
        for name, group in zip(metrics_table.names_of(rows), groups, strict=True)
    ]
    groups, details = _with_sizes(groups, n_of)
    lines = [Line(name, details[at], [of_column[at] for of_column in cells]) for at, name in enumerate(names)]
    if table.random.numbers:
        of_random = [table.random.numbers.get(column.name) for column in columns]
        lines.append(
            Line("random", "mean of ten seeds", [_latex_cell(number) for number in of_random], is_baseline=True)
        )
        groups = [*groups, ""]
    sizes = [_size(n_of, column) for column in columns]
    is_same = len(set(sizes)) == 1
    shorts = _shorts(columns)
    heads = [
        Head(
            column.group, short, metrics_table.family_of(column), metrics_table.ARROWS[column.definition.direction], ""
        )
        for column, short in zip(columns, shorts, strict=True)
    ]
    legend = "; ".join(
        _meant(column, short, "" if is_same else size)
        for column, short, size in zip(columns, shorts, sizes, strict=True)
    )
    caption = f"Metrics of {table.project} ({_asked(table)}){sizes[0] if is_same else ''}. {legend}."
    return metric_table_latex(
        heads, lines, corner="Method" if any(groups) else "Model, method", caption=caption, groups=groups,
        label=label_of("metrics", table.project, table.split or "", metrics_table.asked_group(table)),
        notes=[*latex_notes(
            table, rows, list(zip(columns, shorts, strict=True)), verdicts, [cell for line in lines for cell in line.cells],
        )],
    )  # fmt: skip


def _with_sizes(groups: Sequence[str], sizes: metrics_table.RowSizes) -> tuple[list[str], list[str]]:
    """What lines stand under, and what stands behind their names: n, where rows have different ones, as seldom as may be."""
    if sizes.by_column is not None:
        return [*groups], [""] * len(groups)
    own_sizes = ["" if n is None else f"n = {n:,}" for n in sizes.by_row]
    by_group: dict[str, set[str]] = {}
    for group, of_row in zip(groups, own_sizes, strict=True):
        by_group.setdefault(group, set()).add(of_row)
    is_above = [bool(group) and len(by_group[group]) == 1 for group in groups]
    return (
        [
            f"{group}, {n}" if above and n else group
            for group, n, above in zip(groups, own_sizes, is_above, strict=True)
        ],
        ["" if above else n for n, above in zip(own_sizes, is_above, strict=True)],
    )


def _shorts(columns: Sequence[Column]) -> list[str]:
    """The short name of each column; of two that would be called alike the titles."""
    shorts = [_SHORT.get(column.name, column.definition.title) for column in columns]
    return [
        column.definition.title if shorts.count(short) > 1 else short
        for column, short in zip(columns, shorts, strict=True)
    ]


def _meant(column: Column, short: str, size: str) -> str:
    """What a column's short name stands for, and whose metric it is."""
    title, family = column.definition.title, metrics_table.family_of(column)
    return f"{short}: {family}{size}" if short == title else f"{short}: {title} ({family}){size}"


def _asked(table: MetricTable) -> str:
    parts = [f"gold policy {table.gold_policy}"]
    parts += [] if table.release is None else [f"gold: {table.release}"]
    parts += [] if table.split is None else [f"split {table.split or '(none)'}"]
    parts += [metrics_table.asked_group(table)] if metrics_table.asked_group(table) else []
    return ", ".join(parts)


def _size(sizes: metrics_table.RowSizes, column: Column) -> str:
    """Over how many instances the numbers of a column are; "" where rows tell it, and of what is no mean over instances."""
    n = None if sizes.by_column is None else sizes.by_column.get(column.name)
    return "" if n is None else f", n = {n:,}"


def _cells(
    table: MetricTable, rows: Sequence[MetricRow], column: Column, verdicts: Sequence[Judged], sizes: metrics_table.RowSizes
) -> list[Cell]:  # fmt: skip
    best = metrics_table.best_of(table, rows, column, verdicts)
    cells = []
    for at, row in enumerate(rows):
        number = row.numbers.get(column.name)
        n = None if number is None else sizes.differing(at, number)
        cells.append(replace(_latex_cell(number, at in best, n), sign=verdicts[at].sign))
    return cells


def _latex_cell(number: Number | None, is_best: bool = False, n: int | None = None) -> Cell:
    """The value, with its interval, its deviation over seeds, and its number of instances where these are to be told."""
    if number is None:
        return Cell(UNDEFINED)
    notes = []
    if number.low is not None and number.high is not None:
        notes.append(f"[{written(number.low)}, {written(number.high)}]")
    if number.deviation is not None:
        notes.append(f"± {written(number.deviation, small=1)}")
    if n is not None:
        notes.append(f"n = {n:,}")
    return Cell(written(number.value), tuple(notes), is_best)


# The table of metrics in a long form, a line a number, as a CSV file.


CSV_FIELDS: tuple[str, ...] = (
    "model", "method", "parameters", "seeds", "kind", "layer", "group", "metric", "part", "value", "n", "n_left_out",
    "low", "high", "deviation", "n_seeds", "instances", "null", "verdict", "difference", "difference_low", "difference_high",
    "n_compared", "training", "title", "direction", "definition", "source", "gold_policy", "gold_release", "split", "criterion",
    "explained", "gamma", "signature", "grouped_by", "of_group",
)  # fmt: skip
Cells = dict[str, object]  # of a line, by the names of CSV_FIELDS; what is not there is an empty cell


@speaking("en")
def table_csv(table: MetricTable, names: Collection[str] | None = None, *, explained: str = "predicted") -> str:
    """Everything in a long form: a line a number; names: of these metrics alone.

    part: "" for all instances; else "kind: …" (of perturbation), "prediction: same" or "changed", "threshold: …"
    instances: "shared" where the table's rows are over the same ones, else "own"
    verdict and what follows: the number beside its null, where there is one (chance_verdicts.py)
    """
    options = {
        "gold_policy": table.gold_policy, "gold_release": table.release or "", "split": table.split or "",
        "criterion": "" if table.criterion is None else metrics_table.criterion_in_words(table.criterion),
        "explained": explained, "gamma": table.gamma,
        "grouped_by": table.by, "of_group": "" if table.group is None else group_in_words(table.by, table.group),
    }  # fmt: skip
    common = asked(table, explained=explained)
    lines = (
        line | options | {"signature": signature_of(line, common)}
        for line in metric_lines(table)
        if names is None or line["metric"] in names
    )
    return written_csv(CSV_FIELDS, ([line.get(name) for name in CSV_FIELDS] for line in lines))


def signature_of_table(table: MetricTable) -> str:
    """What all numbers of a table have in common."""
    return signature("METRIC", {"def": None, **asked(table, explained="")})


def signature_of(line: Cells, common: Mapping[str, object]) -> str:
    """Of one line. common: what all numbers of the table follow from."""
    of_line = {name: line.get(name) for name in ("part", "instances", "n", "n_left_out", "seeds")}
    return signature(str(line["metric"]), {**common, **of_line, "boot": None if line.get("low") is None else 1000})


def metric_lines(table: MetricTable) -> Iterator[Cells]:
    """By the fields of the CSV. What is of a whole model or run (its quality, its faithfulness) stands once, without a layer."""
    groups = {column.name: column.group for column in table.columns}
    verdicts = {column.name: judged(table, table.rows, column) for column in table.columns}
    yielded: set[tuple[object, ...]] = set()
    for index, row in enumerate((*table.rows, table.random)):
        for name, number in row.numbers.items():
            group = groups.get(name, "plausibility")
            whole = {"quality": (row.model,), "faithfulness": row.run}.get(group)
            if whole is not None and (name, *whole) in yielded:
                continue
            if whole is not None:
                yielded.add((name, *whole))
            judged_number = verdicts[name][index] if name in verdicts and index < len(table.rows) else Judged()
            shared = {"instances": "shared" if name in table.shared else "own"}
            yield _csv_head(row, group) | _line(group, name, "", number) | shared | _verdict(judged_number)
        if row.points is not None and ("points", *row.run) not in yielded:
            yielded.add(("points", *row.run))
            yield from (_csv_head(row, "faithfulness") | line for line in _point_lines(row.points))
        for part, of_parts in (("kind", row.by_kind), ("prediction", row.by_change)):
            for word, maps in of_parts.items():
                for name, number in maps.items():
                    yield _csv_head(row, "consistency") | _line("consistency", name, f"{part}: {word}", number)


def _verdict(number: Judged) -> Cells:
    verdict = number.verdict
    if verdict is None:
        return {}
    return {
        "null": number.null, "verdict": verdict.word, "difference": verdict.difference, "difference_low": verdict.low,
        "difference_high": verdict.high, "n_compared": verdict.n,
    }  # fmt: skip


def _csv_head(row: MetricRow, group: Group) -> Cells:
    seeds = " ".join(str(seed) for seed in row.seeds if seed is not None)
    head: Cells = {"model": row.model, "seeds": seeds, "training": words_of(row.training)}
    if group != "quality":
        head |= {"method": row.method, "parameters": "" if row.parameters == "{}" else row.parameters}
    if group not in {"quality", "faithfulness"}:
        head |= {"kind": row.kind, "layer": "" if row.layer is None else row.layer}
    return head


def _line(group: Group, name: str, part: str, number: Number) -> Cells:
    definition = definition_in_table(name)
    fields = {field: getattr(number, field) for field in Number.__dataclass_fields__}
    return {
        "group": group, "metric": name, "part": part, "title": definition.title, "direction": definition.direction,
        "definition": definition.definition, "source": definition.source, **fields,
    }  # fmt: skip


def _point_lines(points: Points) -> Iterator[Cells]:
    for side, values in (("comprehensiveness", points.comprehensiveness), ("sufficiency", points.sufficiency)):
        for threshold, value in zip(points.thresholds, values, strict=True):
            if value is not None:
                yield _line("faithfulness", f"eraser.{side}", f"threshold: {threshold:g}", Number(value))
