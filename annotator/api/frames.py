"""Rows as DataFrames, and DataFrames as rows. pandas is loaded with the first table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from annotator.domain.columns import PREDICTED

if TYPE_CHECKING:
    from pandas import DataFrame

Rows = Iterable[Mapping[str, object]]

_KEYS = ("key", "id")
# columns of numbers, some of which may be missing
_WHOLE_NUMBERS = frozenset(
    {"seed", "layer", "round", "n_selectable", "n", "n_left_out", "n_seeds", "n_compared", "n_comparisons", "n_higher",
     "n_lower", "n_cases", "n_texts", "n_runs", "n_instances"}
)  # fmt: skip
_MEASURED = frozenset(
    {"value", "low", "high", "deviation", "difference", "difference_low", "difference_high", "p", "sd", "rate", "kappa",
     "p_corrected", "value_of_reference", "told",
     "kappa_per_instance"}
)  # fmt: skip
_DATES = frozenset({"created_at", "changed_at"})


def frame(rows: Rows, columns: Iterable[str], measured: Iterable[str] = ()) -> "DataFrame":
    """A table with these columns, also where there is no row. measured: further columns of numbers, NaN where there is none."""
    import pandas as pd  # noqa: PLC0415

    values: dict[str, list[Any]] = {name: [] for name in columns}
    for row in rows:
        for name, of_column in values.items():
            of_column.append(row.get(name))
    types = dict.fromkeys(_WHOLE_NUMBERS, "Int64") | dict.fromkeys((*_MEASURED, *measured), "float64")
    made = {name: pd.Series(of_column, dtype=types.get(name)) for name, of_column in values.items()}
    for name in made.keys() & _DATES:
        made[name] = pd.to_datetime(made[name], utc=True, format="ISO8601").dt.as_unit("us")
    return pd.DataFrame(made)


def mappings(rows: "Rows | DataFrame", labels: Sequence[str] = ()) -> Rows:
    """Rows as mappings; of a DataFrame without its missing cells.

    A DataFrame's key may be its index. Where it has columns for at least two of the labels, as predict_proba gives them, these
    hold the probabilities. What is predicted may be called as in tables of model output, such as y_pred.
    """
    return _rows_of_frame(cast("DataFrame", rows), labels) if hasattr(rows, "itertuples") else rows


def _rows_of_frame(frame: "DataFrame", labels: Sequence[str]) -> Iterator[dict[str, object]]:
    from pandas import isna  # noqa: PLC0415
    from pandas.api.types import is_scalar  # noqa: PLC0415

    if frame.index.name in _KEYS and frame.index.name not in frame.columns:
        frame = frame.reset_index()
    names = [str(name) for name in frame.columns]
    of_labels = set(labels) & set(names) if "probabilities" not in names else set()
    if len(of_labels) < min(2, len(labels)):
        of_labels = set()
    predicted = next((name for name in PREDICTED if name in names), "") if not {"label", "answer"} & set(names) else ""
    for values in frame.itertuples(index=False, name=None):
        cells = zip(names, values, strict=True)
        row = {name: _cell(name, value) for name, value in cells if not (is_scalar(value) and isna(value))}
        probabilities = {name: row.pop(name) for name in names if name in of_labels and name in row}
        if predicted in row:
            row["label" if probabilities or "probabilities" in row else "prediction"] = row.pop(predicted)
        yield {**row, "probabilities": probabilities} if probabilities else row


def _cell(name: str, value: object) -> object:
    """A column of whole numbers becomes one of floats when some are missing."""
    if name in _WHOLE_NUMBERS and isinstance(value, float) and value.is_integer():
        return int(value)
    return value
