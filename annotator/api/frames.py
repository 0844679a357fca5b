"""Rows as DataFrames, and DataFrames as rows. pandas is loaded with the first table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from annotator.domain.imports import PREDICTED
from annotator.errors import InvalidValue

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
_P = "p_"  # before a label, in the name of a column with its probabilities


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

    A DataFrame's key may be its index. Where it has columns for at least two of the labels, as predict_proba gives them, or
    p_LABEL for each of some, these hold the probabilities. What is predicted may be called as in tables of model output, such as
    y_pred.
    Raises: InvalidValue where only some columns p_... are of labels, and for a single one without what is predicted
    """
    return _rows_of_frame(cast("DataFrame", rows), labels) if hasattr(rows, "itertuples") else rows


def _rows_of_frame(frame: "DataFrame", labels: Sequence[str]) -> Iterator[dict[str, object]]:
    from pandas import isna  # noqa: PLC0415
    from pandas.api.types import is_scalar  # noqa: PLC0415

    if frame.index.name in _KEYS and frame.index.name not in frame.columns:
        frame = frame.reset_index()
    names = [str(name) for name in frame.columns]
    of_labels = _columns_of_labels(names, labels) if "probabilities" not in names else {}
    if len(of_labels) < min(2, len(labels)) and not {"label", *PREDICTED} & set(names):
        _refuse_single(of_labels, labels)
    predicted = next((name for name in PREDICTED if name in names), "") if not {"label", "answer"} & set(names) else ""
    for values in frame.itertuples(index=False, name=None):
        cells = zip(names, values, strict=True)
        row = {name: _cell(name, value) for name, value in cells if not (is_scalar(value) and isna(value))}
        probabilities = {label: row.pop(name) for name, label in of_labels.items() if name in row}
        if predicted in row:
            row["label" if probabilities or "probabilities" in row else "prediction"] = row.pop(predicted)
        yield {**row, "probabilities": probabilities} if probabilities else row


def _columns_of_labels(names: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    """The label of each column that holds its probability; {} where no columns do."""
    bare = {name: name for name in names if name in labels}
    prefixed = {name: name.removeprefix(_P) for name in names if name.startswith(_P) and name not in bare}
    odd = [name for name, label in prefixed.items() if label not in labels]
    if len(odd) < len(prefixed):
        _refuse_columns(odd, list(bare), labels)
        return prefixed
    return bare if len(bare) >= min(2, len(labels)) else {}


def _refuse_columns(odd: Sequence[str], bare: Sequence[str], labels: Sequence[str]) -> None:
    """Raise for columns beside those of probabilities of which nobody can say whether they are such."""
    if odd:
        columns, known = (", ".join(f"'{name}'" for name in of) for of in (odd, labels))
        raise InvalidValue(
            f"Columns p_LABEL hold the probabilities of the labels, but these are of no label of the project: {columns} (it has "
            f"{known}). Rename them, or leave them out."
        )
    if len(bare) >= min(2, len(labels)):
        columns = ", ".join(f"'{name}'" for name in bare)
        raise InvalidValue(
            f"Probabilities stand in columns p_LABEL and in columns called as labels as well ({columns}). Leave one of both out."
        )


def _refuse_single(of_labels: Mapping[str, str], labels: Sequence[str]) -> None:
    """Raise for the probability of one label alone, by which that label would be the answer, whatever the number is."""
    for name, label in of_labels.items():
        others = ", ".join(f"'{_P}{other}'" for other in labels if other != label)
        raise InvalidValue(
            f"The column '{name}' alone does not say what is predicted. Add the other labels' ({others}), or a column 'label'."
        )


def _cell(name: str, value: object) -> object:
    """A column of whole numbers becomes one of floats when some are missing."""
    if name in _WHOLE_NUMBERS and isinstance(value, float) and value.is_integer():
        return int(value)
    return value
