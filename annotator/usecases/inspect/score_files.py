"""The table of metrics in a long form, a line a number, as a CSV file."""

from collections.abc import Collection, Iterator

from annotator.domain.measurements import group_in_words
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import speaking
from annotator.scoring.chance_verdicts import Judged, judged
from annotator.scoring.table import Group, MetricRow, MetricTable, Number, Points, definition_in_table
from annotator.usecases.inspect.metric_names import criterion_in_words
from annotator.usecases.inspect.training_texts import words_of

CSV_FIELDS: tuple[str, ...] = (
    "model", "method", "parameters", "seeds", "kind", "layer", "group", "metric", "part", "value", "n", "n_left_out",
    "low", "high", "deviation", "n_seeds", "instances", "null", "verdict", "difference", "difference_low", "difference_high",
    "n_compared", "training", "title", "direction", "definition", "source", "gold_policy", "gold_release", "split", "criterion",
    "explained", "gamma", "grouped_by", "of_group",
)  # fmt: skip
Cells = dict[str, object]  # of a line, by the names of CSV_FIELDS; what is not there is an empty cell


@speaking("en")
def table_csv(table: MetricTable, names: Collection[str] | None = None, *, explained: str = "predicted") -> str:
    """Everything in a long form: a line a number; names: of these metrics alone.

    part: "" for all instances; else "kind: …" (of perturbation), "prediction: same" or "changed", "threshold: …"
    instances: "shared" where the table's rows are over the same ones, else "own"
    verdict and what follows: the number beside its null, where there is one (metric_verdicts.py)
    """
    options = {
        "gold_policy": table.gold_policy, "gold_release": table.release or "", "split": table.split or "",
        "criterion": "" if table.criterion is None else criterion_in_words(table.criterion),
        "explained": explained, "gamma": table.gamma,
        "grouped_by": table.by, "of_group": "" if table.group is None else group_in_words(table.by, table.group),
    }  # fmt: skip
    lines = (line | options for line in metric_lines(table) if names is None or line["metric"] in names)
    return written_csv(CSV_FIELDS, ([line.get(name) for name in CSV_FIELDS] for line in lines))


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
            yield _head(row, group) | _line(group, name, "", number) | shared | _verdict(judged_number)
        if row.points is not None and ("points", *row.run) not in yielded:
            yielded.add(("points", *row.run))
            yield from (_head(row, "faithfulness") | line for line in _point_lines(row.points))
        for part, of_parts in (("kind", row.by_kind), ("prediction", row.by_change)):
            for word, maps in of_parts.items():
                for name, number in maps.items():
                    yield _head(row, "consistency") | _line("consistency", name, f"{part}: {word}", number)


def _verdict(number: Judged) -> Cells:
    verdict = number.verdict
    if verdict is None:
        return {}
    return {
        "null": number.null, "verdict": verdict.word, "difference": verdict.difference, "difference_low": verdict.low,
        "difference_high": verdict.high, "n_compared": verdict.n,
    }  # fmt: skip


def _head(row: MetricRow, group: Group) -> Cells:
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
