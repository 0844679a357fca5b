"""The texts of a report: each with its gold, and what the models' runs say of it as maps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import Attribution, MachineRationale, Output, Prediction
from annotator.domain.numbers import counted, written
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.figures.report.heat import (
    CutText,
    HeatMap,
    Painting,
    meaning_in_head,
    meaning_in_legend,
    painted,
    scale_of,
    written_scale,
)
from annotator.figures.report.page import GoldSet, ReportedText
from annotator.metrics.against_sets import Sides, order_of, top_of_sides
from annotator.metrics.ragged import Ragged
from annotator.scoring.gold import GoldRow, gold_row
from annotator.scoring.scored_blocks import OverInstances
from annotator.scoring.shared_instances import seeds_of, values_of
from annotator.scoring.table import RANDOM, Column, MetricRow, MetricTable
from annotator.store import Store
from annotator.store.models import StoredRun, full_answers, list_runs, outputs_of_run
from annotator.usecases.inspect.metrics_table import title_of
from annotator.usecases.inspect.project_scores import answers_of_seed
from annotator.usecases.inspect.saliency_panels import PanelChoice, chosen_attribution, has_signs

MOST_MAPS = 4
MOST_WORDS = 500_000  # of all maps together: a page of more is slow to open
_AT_ONCE = 500
_MOST_QUOTES = 5
_OF_INSTANCES = ("plausibility", "faithfulness", "consistency")


@dataclass(frozen=True, slots=True)
class _MapSource:
    """A row of the table as a map: its first run, what that says of each text, what its model answers, the row's numbers."""

    row: MetricRow
    stored: StoredRun
    outputs: Mapping[int, Output]
    answers: Mapping[int, Prediction]
    numbers: Sequence[tuple[str, Mapping[int, float]]]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What a run says of one text; numbers: of the row."""

    source: _MapSource
    attribution: Attribution | None
    rationale: MachineRationale | None
    answer: Prediction | None
    is_signed: bool

    @property
    def scale_key(self) -> tuple[str, str]:
        """Maps of one method whose scores have one unit share the ends of their colours."""
        return self.source.row.method, self.source.stored.run.unit


def rows_with_maps(rows: Sequence[MetricRow], first: Sequence[MetricRow] = ()) -> list[MetricRow]:
    """Those whose runs are drawn: first the methods that most models have, so that these stand beside each other; random last.

    first: rows before all others, whether they are among these or not
    """
    ahead = {row.key: row for row in first if row.method and row.kind != "answers"}
    candidates = [row for row in rows if row.method and row.kind != "answers" and row.key not in ahead]
    methods = list(dict.fromkeys(row.method for row in candidates))
    n_models = {method: len({row.model for row in candidates if row.method == method}) for method in methods}

    def order(row: MetricRow) -> tuple[bool, int, int]:
        return row.method == RANDOM, -n_models[row.method], methods.index(row.method)

    return [*ahead.values(), *sorted(candidates, key=order)][:MOST_MAPS]


def reported_texts(
    store: Store, project: Project, gold: Sequence[GoldInstance], table: MetricTable, rows: Sequence[MetricRow],
    columns: Sequence[Column], *, explained: str, has_names: bool,
) -> list[ReportedText]:  # fmt: skip
    """The texts in their order, each with a map for each of the rows.

    Raises: InvalidValue where all maps together have so many words that the page could hardly be opened
    """
    n_words = max(1, len(rows)) * sum(item.instance.layout.n_tokens for item in gold)
    if n_words > MOST_WORDS:
        raise InvalidValue(
            f"{counted(len(gold), 'text')} with {counted(len(rows), 'heatmap')} have {counted(n_words, 'word')}; a page "
            f"of more than {MOST_WORDS:,} is slow to open. Ask for fewer texts, or for fewer methods."
        )
    ids = [item.instance.id for item in gold]
    sources = list(_sources(store, project, table, rows, columns, ids))
    return [_reported(item, project, table, sources, explained, has_names=has_names) for item in gold]


def _sources(
    store: Store, project: Project, table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column],
    ids: Sequence[int],
) -> Iterator[_MapSource]:  # fmt: skip
    runs = list_runs(store, project.id)
    answers = {model: full_answers(store, project.id, model) for model in dict.fromkeys(row.model for row in rows)}
    for row in rows:
        stored = next(stored for stored in runs if stored.run.group == row.run)
        outputs: dict[int, Output] = {}
        for first in range(0, len(ids), _AT_ONCE):
            outputs |= outputs_of_run(store, stored.id, ids[first : first + _AT_ONCE])
        of_columns = [(column.definition.title, _numbers(table, row, column)) for column in columns]
        numbers = [(title, of_column) for title, of_column in of_columns if of_column]
        yield _MapSource(row, stored, outputs, answers_of_seed(answers[row.model], stored.run.seed), numbers)


def _numbers(table: MetricTable, row: MetricRow, column: Column) -> dict[int, float]:
    """By instance the mean over the row's seeds, of what is a mean over instances; {} of anything else."""
    behind = table.behind
    if behind is None or column.group not in _OF_INSTANCES:
        return {}
    over_seeds = OverInstances(len(behind.ids))
    for seed in seeds_of(behind, row, column):
        values = values_of(seed, column)
        if values is not None:
            over_seeds.add(column.name, seed.places, values)
    means = over_seeds.means().get(column.name)
    return {} if means is None else dict(zip(behind.ids.tolist(), means.tolist(), strict=True))


def _reported(
    item: GoldInstance, project: Project, table: MetricTable, sources: Sequence[_MapSource], explained: str, *,
    has_names: bool,
) -> ReportedText:  # fmt: skip
    instance = item.instance
    drawn = [_drawn(source, item, explained) for source in sources]
    texts, row = _cut(instance), gold_row(item, project.task, keep_tokens=False, is_exhaustive=False)
    gold = [rationale_set.token_indices for rationale_set in item.sets]
    scales = _scales(drawn)
    maps = [_heat_map(of, item, texts, gold, row, table, scale) for of, scale in zip(drawn, scales, strict=True)]
    if not maps:
        maps = [
            HeatMap("Text and gold", "", "", None, painted(texts, Painting(gold=gold)), None, "no map was asked for")
        ]
    return ReportedText(instance.key, instance.language, _facts(item), _gold_sets(item, has_names=has_names), maps)


def _facts(item: GoldInstance) -> list[str]:
    instance = item.instance
    facts = [f"gold: {item.result}" if item.result else "no gold label"]
    facts += [f"split {instance.split}"] if instance.split else []
    if instance.parent_key is not None:
        facts.append(f"changed version of {instance.parent_key} ({instance.perturbation_kind or 'no kind'})")
    return facts if item.sets else [*facts, "no gold sets"]


def _gold_sets(item: GoldInstance, *, has_names: bool) -> list[GoldSet]:
    sets = []
    for number, rationale_set in enumerate(item.sets):
        origins = item.origins[number] if has_names and number < len(item.origins) else ()
        by = ", ".join(dict.fromkeys(origin.annotator for origin in origins))
        sets.append(GoldSet(number, len(rationale_set.token_indices), by))
    return sets


def _cut(instance: Instance) -> list[CutText]:
    texts = []
    for segment, at in zip(instance.segments, instance.layout.segments, strict=True):
        before, rest = segment.body.gaps()
        tokens = tuple(segment.body.tokens())
        texts.append(CutText(segment.name, at.first_token, segment.is_selectable, tokens, before, rest))
    return texts


def _drawn(source: _MapSource, item: GoldInstance, explained: str) -> _Drawn:
    output, answer = source.outputs.get(item.instance.id), source.answers.get(item.instance.id)
    attribution, rationale = None, None
    if source.row.kind == "attribution":
        label = item.result if explained == "gold" else None
        choice = PanelChoice(source.stored.id, label, source.row.layer)
        attribution = chosen_attribution(choice, output, answer, item.instance)
    elif output is not None:
        rationale = next((of for of in output.rationales if of.kind == source.row.kind), None)
    return _Drawn(source, attribution, rationale, answer, has_signs(source.stored.run.is_signed, attribution))


def _scales(drawn: Sequence[_Drawn]) -> list[float]:
    scales = [0.0 if of.attribution is None else scale_of(of.attribution.scores) for of in drawn]
    return [
        max(scale for other, scale in zip(drawn, scales, strict=True) if other.scale_key == of.scale_key)
        for of in drawn
    ]


def _heat_map(
    of: _Drawn, item: GoldInstance, texts: Sequence[CutText], gold: Sequence[Sequence[int]], row: GoldRow,
    table: MetricTable, scale: float,
) -> HeatMap:  # fmt: skip
    attribution, n = of.attribution, row.n_tokens
    boxed = _boxed(of, row, table)
    scores = (
        None if attribution is None else [*attribution.scores[:n], *([float("nan")] * (n - len(attribution.scores)))]
    )
    is_scored = scores is not None and scale > 0
    head = "" if attribution is None else meaning_in_head(attribution.label, is_signed=of.is_signed)
    is_said = attribution is not None or of.rationale is not None
    numbers = [(title, written(values.get(item.instance.id))) for title, values in of.source.numbers if is_said]
    return HeatMap(
        _title(of.source), head, *_answer(of.answer, item.result),
        painted(texts, Painting(scores, of.is_signed, scale, boxed, gold)),
        written_scale(scale, is_signed=of.is_signed) if is_scored else None,
        _legend(of, len(boxed), is_scored=is_scored), numbers, _missing_quotes(of.rationale),
    )  # fmt: skip


def _title(source: _MapSource) -> str:
    seed = source.stored.run.seed
    return title_of(source.row) + ("" if seed is None else f" · seed {seed}")


def _boxed(of: _Drawn, row: GoldRow, table: MetricTable) -> frozenset[int]:
    """The first k tokens of each side, or what is selected."""
    if of.rationale is not None and of.rationale.kind == "hard":
        return frozenset(token for start, end in of.rationale.spans for token in range(start, end))
    ranking = of.attribution.ranking if of.attribution is not None else of.rationale.ranking if of.rationale else None
    if ranking is not None:
        order = Ragged.of([[token for token in ranking if token < row.n_tokens]], np.int64)
    elif of.attribution is not None:
        order = order_of(Ragged.of([of.attribution.scores[: row.n_tokens]], np.float64))
    else:
        return frozenset()
    lengths = np.array([[n for _, n in row.sides]], dtype=np.int64)
    ratios = tuple(table.gold["ratios"].values())
    return frozenset(top_of_sides(order, Sides(lengths, ratios)).values.tolist())


def _answer(answer: Prediction | None, gold: str | None) -> tuple[str, bool | None]:
    """What the model answers, and whether that is right: by a sign, too."""
    label = None if answer is None else answer.label
    if answer is None or label is None:
        return "", None
    p = answer.probabilities.get(label)
    share = "" if p is None else f" {round(100 * p)} %"
    if not gold:
        return f"{label or 'no answer'}{share}", None
    return f"{'✓' if label == gold else '✗'} {label or 'no answer'}{share}", label == gold


def _legend(of: _Drawn, n_boxed: int, *, is_scored: bool) -> str:
    if of.attribution is None:
        if of.rationale is None:
            return "no attribution of this text in this run"
        return (
            "selected tokens are boxed"
            if of.rationale.kind == "hard"
            else f"a ranking without scores; top {n_boxed} boxed"
        )
    if not is_scored:
        return "all scores are 0, so the top k are the first tokens"
    unit = "" if of.source.stored.run.unit == "none" else f" · {of.source.stored.run.unit}"
    return f"{meaning_in_legend(of.attribution.label, is_signed=of.is_signed)}{unit} · top {n_boxed} boxed"


def _missing_quotes(rationale: MachineRationale | None) -> str:
    """Which of a model's quotes are not in the text, in a sentence; "" where all are."""
    quotes = None if rationale is None else rationale.quotes
    if quotes is None or not quotes.n_missing:
        return ""
    is_are = "is" if quotes.n_missing == 1 else "are"
    shown = [f"“{quote}”" for quote in quotes.missing[:_MOST_QUOTES]]
    n_more = quotes.n_missing - len(shown)
    listed = ", ".join(shown) + (f" and {n_more:,} more" if n_more and shown else "")
    return f"{quotes.n_missing:,} of {counted(quotes.n, 'quote')} {is_are} not in the text{f': {listed}' if listed else ''}."
