"""Whether a column that is called like the label holds what each annotator said of a text."""

from collections.abc import Iterable, Mapping
from itertools import islice

from annotator.formats.base import ReadOptions
from annotator.formats.rows.column_plan import Plan, Planner

_ROWS_LOOKED_AT = 20_000


def have_own_labels(rows: Iterable[Mapping[str, object]], options: ReadOptions) -> bool:
    """Whether among the first rows two annotators of one text have different labels, so that they cannot be the text's."""
    planner = Planner(options.task, options.columns, options.left_columns)
    first: dict[int, tuple[object, object]] = {}
    for values in islice(rows, _ROWS_LOOKED_AT):
        plan = planner.plan(tuple(values))
        label, annotator = (str(values.get(plan.names.get(name, ""), "")) for name in ("result", "annotator"))
        if not label or not annotator:
            continue
        of_text = first.setdefault(_name(plan, values), (annotator, label))
        if of_text[0] != annotator and of_text[1] != label:
            return True
    return False


def _name(plan: Plan, values: Mapping[str, object]) -> int:
    """What tells a text from others: its key, or where rows have none its words."""
    key = plan.names.get("key")
    columns = [column for _, column in plan.segments] if key is None else [key]
    split = plan.names.get("split", "")
    return hash((str(values.get(split, "")), *(str(values.get(column, "")) for column in columns)))
