"""What a report holds: its numbers, differences against one row, and the texts that it shows."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotator.domain.instances import GoldInstance
from annotator.domain.measurements import group_of
from annotator.domain.models import Prediction
from annotator.domain.numbers import counted, signed, written
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.figures.report.drawings import BarChart, Interval, IntervalChart, bar_chart, interval_chart, line_charts
from annotator.figures.report.page import Definition, Differences, DifferingSide, DifferingTexts, Numbers, TwoModels
from annotator.language import together
from annotator.scoring.chance_verdicts import n_without_choice
from annotator.scoring.instance_numbers import Behind
from annotator.scoring.row_differences import AgainstTable, ComparedRow, Difference, against, with_seeds_apart
from annotator.scoring.runs import ScoringOptions, p_of
from annotator.scoring.table import Column, MetricRow, MetricTable, without_repeats
from annotator.store import Store
from annotator.store.instances import find_instance_ids, instances_without_texts
from annotator.store.models import full_answers
from annotator.store.saved_lists import find_list, ids_on_list, lists_of
from annotator.usecases.compare import comparison_words, model_comparison
from annotator.usecases.compare.differences import (
    LONG,
    heads_and_lines,
    legend,
    names_of_compared,
    reasons,
    reference_name,
    sentence_of_pair,
    sentences,
    what_could_be_told,
    what_it_is,
)
from annotator.usecases.compare.report_request import MOST_TEXTS, ReportRequest, TextChoice
from annotator.usecases.compare.row_names import compared_row
from annotator.usecases.compare.rows import DifferingInstance, TwoRows, differing_instances
from annotator.usecases.inspect import metrics_table
from annotator.usecases.inspect.metric_values import WHAT_DROPS_ARE, drop_panels, rows_with_curves
from annotator.usecases.inspect.shown_table import (
    LEGEND,
    TableView,
    head_of,
    judged_column,
    lines_of,
    summaries_of_rows,
    verdict_sentences,
    what_a_verdict_is,
)
from annotator.usecases.inspect.training_texts import learned_by_model


def numbers_of(view: TableView) -> Numbers:
    """The table as the page has it, with its charts."""
    columns = [judged_column(view, column) for column in view.columns]
    shown = range(len(view.rows))
    titles = [metrics_table.title_of(row) for row in view.rows]
    sentences = [(metrics_table.named(of.column), list(verdict_sentences(of, shown, titles))) for of in columns]
    curved = rows_with_curves(view.rows)
    group = metrics_table.asked_group(view.table)
    n = counted(view.table.gold["instances"] or view.table.gold["scored_without_gold"], "text")
    return Numbers(
        title=f"Metrics: {group} ({n})" if group else "Metrics",
        heads=[head_of(column, view) for column in view.columns],
        lines=lines_of(view, columns, shown),
        about=[metrics_table.gold_summary(view.table), *summaries_of_rows(view.rows)],
        legend=f"{LEGEND} “What the numbers mean” explains each column.",
        verdicts=[(title, lines) for title, lines in sentences if lines],
        verdict_note=what_a_verdict_is(n_without_choice(view.table)),
        intervals=[chart for column in view.columns if (chart := _intervals(view, column)) is not None],
        curves=line_charts(drop_panels(curved)) if curved else (),
        curve_note=WHAT_DROPS_ARE,
    )


def definitions_of(columns: Sequence[Column]) -> list[Definition]:
    """What each column is, which way is better, when it is not defined, and where it is from."""
    return [
        Definition(
            metrics_table.named(column),
            f"{column.definition.in_plain_words} {metrics_table.way_of(column.definition)}"
            if column.definition.in_plain_words
            else "",
            metrics_table.sentence_of(column.definition),
            column.definition.source,
        )
        for column in columns
    ]


def _intervals(view: TableView, column: Column) -> IntervalChart | None:
    """A point a row; a model's quality, which all of its rows have, once a model. None where fewer than two are to be seen."""
    intervals = list(_of_models(view.rows, column) if column.group == "quality" else _of_rows(view.rows, column))
    random = view.table.random.numbers.get(column.name)
    if random is not None and random.value is not None:
        intervals.append(Interval("random, mean of ten seeds", random.value, random.low, random.high, is_baseline=True))
    if len(intervals) < 2:
        return None
    definition = column.definition
    note = " · ".join(
        filter(
            None,
            (metrics_table.family_of(column), f"{metrics_table.ARROWS[definition.direction]} {definition.direction}"),
        )
    )
    return interval_chart(definition.title, note, intervals)


def _of_rows(rows: Sequence[MetricRow], column: Column) -> Iterator[Interval]:
    for row, name in zip(rows, metrics_table.names_of(rows), strict=True):
        yield from _interval(row, name, column)


def _of_models(rows: Sequence[MetricRow], column: Column) -> Iterator[Interval]:
    firsts: dict[str, MetricRow] = {}
    for row in rows:
        yield from _interval(row, row.model, column) if firsts.setdefault(row.model, row) is row else ()


def _interval(row: MetricRow, name: str, column: Column) -> Iterator[Interval]:
    number = row.numbers.get(column.name)
    if number is not None and number.value is not None:
        yield Interval(name, number.value, number.low, number.high)


def two_models_of(store: Store, actor: User, project: Project, request: ReportRequest) -> TwoModels | None:
    """What the other model wins and loses against the base; None where no two were named.

    Raises: InvalidValue of a project that asks for answers, since models are compared by their labels
    """
    if not request.base:
        return None
    if project.task.result_kind != "label":
        raise InvalidValue(
            f"Two models are compared by the labels that they give; '{project.name}' asks for answers. Leave out --base and "
            "--other."
        )
    pair = model_comparison.ModelPair((request.base,), (request.other,))
    options = replace(request.options, n_resamples=0)
    comparison = model_comparison.compare_models(store, actor, [project], pair, options)[project.name]
    part, title = comparison.parts["all"], f"{request.other} against {request.base}"
    if not part.n:
        return TwoModels(title, ["No text outside training has gold and predictions of both."], (), "", None)
    rows = [
        {name: _cell(value) for name, value in comparison_words.row_of_part(of, of_part).items()}
        for of, of_part in comparison.parts.items()
    ]
    return TwoModels(
        title,
        [
            comparison_words.in_words(request.base, request.other, part),
            *([comparison_words.OF_ALL_TEXTS] if options.whose is not None else []),
        ],
        rows,
        comparison_words.meaning_of_parts(comparison),
        _bins(comparison.confidence),
    )


def _cell(value: object) -> str:
    return written(value) if value is None or isinstance(value, int | float) else str(value)


def _bins(bins: Sequence[model_comparison.ConfidenceBin]) -> BarChart | None:
    filled = [of_bin for of_bin in bins if of_bin.n]
    if not filled:
        return None
    rows = [
        (
            comparison_words.title_of_bin(of_bin),
            (of_bin.n_won / of_bin.n, of_bin.n_lost / of_bin.n),
            f"{of_bin.n_won:,} won, {of_bin.n_lost:,} lost of {counted(of_bin.n, 'text')}",
        )
        for of_bin in filled
    ]
    return bar_chart(
        "Where the base was unsure", "share of the texts of each bin that the other wins and loses (ER-TEST, Figure 9)",
        comparison_words.CONFIDENCE, ("won", "lost"), rows,
    )  # fmt: skip


# The rows of a report against one of them: the table of differences in the page's words, and the texts in which two differ.


MOST_EITHER_WAY = 10
WHY_CLOSED = "whoever made this report annotates them or may still be given them"


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRows:
    """Rows against one of them, and the row and number in whose instances two are looked at; None where none is compared."""

    made: AgainstTable
    pair: TwoRows | None

    @property
    def looked_at(self) -> list[MetricRow]:
        """The rows of the two, but for random, which is nobody's."""
        return [] if self.pair is None else [of.row for of in (self.pair.row, self.pair.reference) if not of.is_random]


def compared_rows(
    table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column], request: ReportRequest
) -> ComparedRows | None:
    """The rows of a report against the one that is asked for; None where none is. table: with all rows.

    Raises: NotFound for a row or a number that is not there; InvalidValue for two rows that are not compared
    """
    if not request.against:
        return None
    known = without_repeats(table.rows)[0]
    reference = compared_row(known, table.random, request.against)
    made = against(
        table, reference, with_seeds_apart(rows, reference), columns, metrics_table.comparisons_of(table, reference)
    )
    return ComparedRows(made, _pair(made, known, request))


def differences_of(
    store: Store, actor: User, project: Project, compared: ComparedRows, closed: Collection[int]
) -> Differences:
    """As the page has them. closed: instances whose gold is not told."""
    made, pair = compared.made, compared.pair
    name = reference_name(made)
    if not made.rows:
        return Differences(f"Differences from {name}", (), (), ["No other row is in this report."], (), None)
    heads, lines = heads_and_lines(made)
    words = [(metrics_table.named(column), list(sentences(made, column))) for column in made.columns]
    return Differences(
        f"Differences from {name}", heads, lines,
        [note for note in (together(what_it_is(made, name), legend()), what_could_be_told(made), *reasons(made)) if note],
        [(title, of_column) for title, of_column in words if of_column],
        None if pair is None else _differing(store, actor, project, made, pair, closed),
    )  # fmt: skip


def most_differing(store: Store, actor: User, project: Project, pair: TwoRows, n: int) -> list[int]:
    """The instances in which two rows differ most, either way."""
    listed = differing_instances(store, actor, project, pair, most=n)
    return [of.id for of in sorted((*listed.higher, *listed.lower), key=lambda of: -abs(of.difference))[:n]]


def _pair(made: AgainstTable, known: Sequence[MetricRow], request: ReportRequest) -> TwoRows | None:
    """The row and the number that are named, else the first that are compared."""
    places = range(len(made.rows)) if not request.row else [_place(made, known, request.row)]
    columns = made.columns if not request.metric else [_column(made, request.metric)]
    for column in columns:
        for at in places:
            if isinstance(made.cell(at, column), Difference):
                return TwoRows(made.table, column, made.rows[at], made.reference)
    if request.row and request.metric:
        cell = made.cell(places[0], columns[0])
        why = LONG.get(cell, "") if isinstance(cell, str) else ""
        raise InvalidValue(
            f"{request.row} and {reference_name(made)} are not compared in {request.metric}. {why}".strip()
        )
    return None


def _place(made: AgainstTable, known: Sequence[MetricRow], name: str) -> int:
    """By its name in the table of differences, or by what tells it from the other rows."""
    names = names_of_compared(made)
    if name in names:
        return names.index(name)
    wanted = compared_row(known, made.table.random, name)
    for at, of in enumerate(made.rows):
        if _is_same(of, wanted):
            return at
    raise NotFound(f"'{name}' is not among the rows that are compared with {reference_name(made)}: {'; '.join(names)}.")


def _is_same(row: ComparedRow, other: ComparedRow) -> bool:
    return (row.row.key, row.seed) == (other.row.key, other.seed)


def _column(made: AgainstTable, name: str) -> Column:
    for column in made.columns:
        if column.name == name:
            return column
    shown = ", ".join(column.name for column in made.columns)
    raise NotFound(f"The report has no column '{name}' to compare rows in (it has {shown}).")


def _differing(
    store: Store, actor: User, project: Project, made: AgainstTable, pair: TwoRows, closed: Collection[int]
) -> DifferingTexts:
    names = dict(zip([(of.row.key, of.seed) for of in made.rows], names_of_compared(made), strict=True))
    row, reference = names[pair.row.row.key, pair.row.seed], reference_name(made)
    cell = made.cell([*names].index((pair.row.row.key, pair.row.seed)), pair.column)
    listed = differing_instances(store, actor, project, pair, most=None)
    sides = [
        DifferingSide(f"{name} is higher", [_cells(of) for of in instances if of.id not in closed][:MOST_EITHER_WAY])
        for name, instances in ((row, listed.higher), (reference, listed.lower))
    ]
    sentence = sentence_of_pair(cell, row, reference) if isinstance(cell, Difference) else ""
    if n := sum(of.id in closed for of in (*listed.higher, *listed.lower)):
        sentence += f" {counted(n, 'text that differs is', 'texts that differ are')} not listed: {WHY_CLOSED}."
    return DifferingTexts(f"Where they differ: {metrics_table.named(pair.column)}", sentence, sides)


def _cells(of: DifferingInstance) -> dict[str, str]:
    return {
        "text": of.key, "difference": signed(of.difference), "value": written(of.value),
        "reference value": written(of.of_reference), "gold": of.result or "–", "split": of.split or "–",
    }  # fmt: skip


# Which texts a report shows: drawn from a seed, those on which two models differ most, those of a list or of some keys.


_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ChosenTexts:
    """The texts in their order, and in a sentence how they were chosen."""

    ids: Sequence[int]
    sentence: str


def choose_texts(
    store: Store, actor: User, project: Project, request: ReportRequest, view: TableView, pair: TwoRows | None
) -> ChosenTexts:
    """The texts that a report shows. view: whose models' training texts are not drawn; pair: the two rows that are looked at.

    Raises: NotFound for a list or a key that the project does not have
    """
    texts = request.texts
    if texts.how == "list":
        return _of_list(store, project, texts)
    if texts.how == "keys":
        split = request.options.split
        ids: list[int] = []
        for key in dict.fromkeys(texts.keys):
            of_key = find_instance_ids(store, project.id, key, split)
            if not of_key:
                where = "" if split is None else f" in the split '{split}'"
                raise NotFound(f"The project '{project.name}' has no instance '{key}'{where}.")
            ids += of_key
        return ChosenTexts(ids[:MOST_TEXTS], f"{counted(len(ids), 'text')}, chosen by hand.")
    if texts.how == "differences" and request.against:
        return _texts_of_rows(store, actor, project, texts, pair)
    if texts.how == "differences":
        return _of_differences(store, actor, project, request, view.table.behind)
    return _drawn(store, texts, view.table.behind, list(dict.fromkeys(row.model for row in view.rows)))


def is_of_group(options: ScoringOptions, behind: Behind | None, item: GoldInstance) -> bool:
    """Whether a text is of the group that is asked for; of an annotator's, whether it is among those that are scored."""
    if options.whose is not None:
        return behind is not None and item.instance.id in behind.ids
    group = group_of(item.instance, item.result, options.grouping[0])
    return group is None or options.grouping[1] in (None, group)


def _of_list(store: Store, project: Project, texts: TextChoice) -> ChosenTexts:
    saved = find_list(store, project.id, texts.list_name)
    if saved is None:
        known = ", ".join(f"'{of.name}'" for of in lists_of(store, project.id)) or "none yet"
        raise NotFound(f"The project '{project.name}' has no list '{texts.list_name}' (it has {known}).")
    ids = ids_on_list(store, saved.id)
    first = f" (the first {MOST_TEXTS} of {len(ids):,})" if len(ids) > MOST_TEXTS else ""
    return ChosenTexts(
        ids[:MOST_TEXTS], f"{counted(min(len(ids), MOST_TEXTS), 'text')} of the list “{saved.name}”{first}."
    )


def _drawn(store: Store, texts: TextChoice, behind: Behind | None, models: Sequence[str]) -> ChosenTexts:
    """From those with gold that no model learned from where it is not scored on them; by key, so that a copy draws the same."""
    if behind is None or not len(behind.ids):
        return ChosenTexts((), "No text has gold here.")
    stays = np.ones(len(behind.ids), dtype=np.bool_)
    for model in models:
        if model in behind.left_out:
            stays &= ~behind.left_out[model]
    ids = _by_key(store, behind.ids[stays].tolist())
    order = np.random.default_rng(texts.seed).permutation(len(ids))[: texts.n].tolist()
    drawn = f"{counted(len(order), 'text')} of {len(ids):,} with gold"
    sentence = f"{drawn}, drawn at random from seed {texts.seed}: nobody chose them."
    return ChosenTexts([ids[index] for index in order], sentence)


def _by_key(store: Store, ids: Sequence[int]) -> list[int]:
    names: list[tuple[str, str, int]] = []
    for first in range(0, len(ids), _AT_ONCE):
        part = instances_without_texts(store, ids[first : first + _AT_ONCE])
        names += [(instance.split, instance.key, number) for number, instance in part.items()]
    return [number for _, _, number in sorted(names)]


def _texts_of_rows(store: Store, actor: User, project: Project, texts: TextChoice, pair: TwoRows | None) -> ChosenTexts:
    if pair is None:
        return ChosenTexts((), "No two rows are compared here, so that there are no texts in which they differ.")
    ids = most_differing(store, actor, project, pair, texts.n)
    row, reference = pair.names
    return ChosenTexts(
        ids,
        f"The {counted(len(ids), 'text')} in which {row} and {reference} differ most: {metrics_table.named(pair.column)}. They "
        "are not typical of the rest.",
    )


def _of_differences(
    store: Store, actor: User, project: Project, request: ReportRequest, behind: Behind | None
) -> ChosenTexts:
    options, pair = request.options, (request.base, request.other)
    learned = learned_by_model(store, project.id, options)
    scored = None if options.whose is None or behind is None else set(behind.ids.tolist())
    of_models = [_beliefs(store, project, model) for model in pair]
    unseen = [
        text
        for text in model_comparison.labelled_texts(store, actor, project, options)
        if options.asks_for(text.split, text.group)
        and (scored is None or text.id in scored)
        and not any(text.id in learned.get(model, ()) for model in pair)
    ]
    differences = []
    for text in unseen:
        base, other = (belief(text) for belief in of_models)
        if base is not None and other is not None:
            differences.append((-abs(other - base), text.id))
    largest = sorted(differences)[: request.texts.n]
    sentence = (
        f"The {counted(len(largest), 'text')} of {len(differences):,} on which {request.other} and {request.base} differ most, "
        "by the probability of the gold label (where a model gives none, by whether it is right). They are not typical of the "
        "rest."
    )
    return ChosenTexts([number for _, number in largest], sentence)


def _beliefs(store: Store, project: Project, model: str) -> Callable[[model_comparison.LabelledText], float | None]:
    """What a model gives the gold label of a text, the mean over its seeds."""
    of_seeds = list(full_answers(store, project.id, model).values())

    def belief(text: model_comparison.LabelledText) -> float | None:
        values = [_value(of_seed, text) for of_seed in of_seeds if text.id in of_seed]
        return sum(values) / len(values) if values else None

    return belief


def _value(answers: Mapping[int, Prediction], text: model_comparison.LabelledText) -> float:
    p = p_of(answers[text.id], text.result)
    return float(answers[text.id].label == text.result) if np.isnan(p) else float(p)
