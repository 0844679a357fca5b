"""Gold as a data set of the package `datasets`, which is loaded here alone."""

from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from annotator.api.tables import row_of_gold
from annotator.domain.instances import GoldInstance
from annotator.domain.tasks import Task
from annotator.errors import NotFound

if TYPE_CHECKING:
    from datasets import DatasetDict


def dataset_dict(gold: Iterable[GoldInstance], task: Task, labels: tuple[str, ...]) -> "DatasetDict":
    """A row an instance by split ("train" where there is none), labels as ClassLabel in the project's order.

    Columns: key, language, a text for each segment under its name, label or answer, tokens, sets (lists of token indices),
             parent, perturbation_kind
    Raises:  NotFound where `datasets` is not installed, or there is no gold
    """
    if find_spec("datasets") is None:
        raise NotFound(
            "The package datasets is not installed here: pip install datasets. (export(path, 'datasets') needs none.)"
        )
    from datasets import ClassLabel, Dataset, DatasetDict, Features, Sequence, Value  # noqa: PLC0415

    rows_by_split: dict[str, list[dict[str, object]]] = {}
    names: dict[str, str] = {}  # of the columns of texts, by segment
    fixed = {"key", "language", task.result_kind, "tokens", "sets", "parent", "perturbation_kind"}
    for item in gold:
        texts = {segment.name: segment.body.text for segment in item.instance.segments}
        names |= {name: f"{name}_text" if name in fixed else name for name in texts}
        row = {name: value for name, value in row_of_gold(item, task).items() if name in fixed}
        rows_by_split.setdefault(item.instance.split or "train", []).append(
            row | {names[name]: text for name, text in texts.items()}
        )
    if not rows_by_split:
        raise NotFound(
            "No instance has gold here, so there is no data set to make. Have texts annotated, or choose another policy."
        )
    text = Value("string")
    result = ClassLabel(names=list(labels)) if labels and task.result_kind == "label" else text
    columns = {"key": text, "language": text, **dict.fromkeys(names.values(), text), task.result_kind: result}
    columns |= {
        "tokens": Sequence(text),
        "sets": Sequence(Sequence(Value("int32"))),
        "parent": text,
        "perturbation_kind": text,
    }
    return DatasetDict(
        {
            split: Dataset.from_list([{name: row.get(name) for name in columns} for row in rows], Features(columns))
            for split, rows in rows_by_split.items()
        }
    )
