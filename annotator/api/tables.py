"""A project's contents as rows of tables: what `annotator.open` gives as DataFrames (docs/api.md lists the columns).

An instance is named by its key and split, tokens by their index in the instance. The columns of what models say are the
fields of our own JSON lines of model output, so that what was taken out can be put in again.
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

from annotator.api.frames import frame
from annotator.api.models import ShownInstance
from annotator.api.project import OpenProject, speaks_python
from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.models import StoredOutput
from annotator.domain.own_sources import SourceSufficientSets
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy
from annotator.domain.sources import facts_of_annotators
from annotator.domain.tasks import Task
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue, NotFound

if TYPE_CHECKING:
    from datasets import DatasetDict
    from pandas import DataFrame

Row = dict[str, object]

_TEXTS = ("tokens", "n_selectable", "segments")
_RUN = ("key", "split", "model", "method", "params", "seed")


def instance_columns(task: Task) -> tuple[str, ...]:
    """Columns of `row_of_instance`."""
    links = ("parent", "perturbation_kind", "exhaustive", "target", "metadata")
    return ("key", "split", "language", task.result_kind, "state", "texts", *_TEXTS, *links)


def row_of_instance(instance: Instance, task: Task) -> Row:
    """An instance with its texts by segment, and its tokens."""
    return {
        "key": instance.key,
        "split": instance.split,
        "language": instance.language,
        task.result_kind: instance.result,
        "state": instance.state,
        "texts": {segment.name: segment.body.text for segment in instance.segments},
        **_tokens(instance),
        "parent": instance.parent_key,
        "perturbation_kind": instance.perturbation_kind,
        "exhaustive": instance.is_exhaustive,
        "target": instance.target,
        "metadata": dict(instance.metadata),
    }


def _tokens(instance: Instance) -> Row:
    """tokens: of all segments, selectable ones first; segments: the half-open range of token indices of each."""
    return {
        "tokens": [token for segment in instance.segments for token in segment.body.tokens()],
        "n_selectable": instance.layout.n_selectable,
        "segments": {segment.name: (segment.first_token, segment.end_token) for segment in instance.layout.segments},
    }


def gold_columns(task: Task) -> tuple[str, ...]:
    """Columns of `row_of_gold`."""
    return ("key", "split", "language", task.result_kind, *_TEXTS, "sets", "parent", "perturbation_kind")


def row_of_gold(gold: GoldInstance, task: Task) -> Row:
    """An instance with the sets that count for it: each a list of token indices, in the order of the sets."""
    instance = gold.instance
    return {
        "key": instance.key,
        "split": instance.split,
        "language": instance.language,
        task.result_kind: gold.result,
        **_tokens(instance),
        "sets": _indices(gold.sets),
        "parent": instance.parent_key,
        "perturbation_kind": instance.perturbation_kind,
    }


def _indices(sets: Sequence[RationaleSet]) -> list[list[int]]:
    return [list(rationale_set.token_indices) for rationale_set in sets]


def annotation_columns(task: Task) -> tuple[str, ...]:
    """Columns of `rows_of_annotations`."""
    return (
        "key",
        "split",
        "annotator",
        "round",
        "state",
        task.result_kind,
        "sets",
        "help",
        "note",
        "created_at",
        "facts",
    )


def rows_of_annotations(instance: Instance, annotations: Sequence[Annotation], task: Task) -> Iterator[Row]:
    """Each annotation of an instance. facts: what the file that it came from tells of the annotator; help: of each set."""
    facts = facts_of_annotators(instance.metadata)
    for annotation in annotations:
        yield {
            "key": instance.key,
            "split": instance.split,
            "annotator": annotation.annotator,
            "round": annotation.round_number,
            "state": annotation.state,
            task.result_kind: annotation.result,
            "sets": _indices(annotation.sets),
            "help": [rationale_set.origin for rationale_set in annotation.sets],
            "note": annotation.note,
            "created_at": annotation.created_at,
            "facts": facts.get(annotation.annotator) or None,
        }


def prediction_columns(task: Task) -> tuple[str, ...]:
    """Columns of `rows_of_predictions`."""
    return (*_RUN, "on", "threshold", task.result_kind, "probabilities")


def rows_of_predictions(stored: StoredOutput, task: Task) -> Iterator[Row]:
    """Each answer; its label is the stated one, else that of the highest probability."""
    for prediction in stored.output.predictions:
        yield {
            **_of_run(stored),
            "on": prediction.on,
            "threshold": prediction.threshold,
            task.result_kind: prediction.label,
            "probabilities": dict(prediction.probabilities) or None,
        }


ATTRIBUTION_COLUMNS = (
    *_RUN,
    "unit",
    "signed",
    "target",
    "layer",
    "scores",
    "partial",
    "ranking",
    "convergence",
    "facts",
)


def rows_of_attributions(stored: StoredOutput) -> Iterator[Row]:
    """Each attribution. scores: one a selectable token, or one a token; NaN where there is none, and then it is partial."""
    for attribution in stored.output.attributions:
        yield {
            **_of_run(stored),
            "unit": stored.run.unit,
            "signed": stored.run.is_signed,
            "target": attribution.label or None,
            "layer": attribution.layer,
            "scores": list(attribution.scores),
            "partial": any(map(math.isnan, attribution.scores)),
            "ranking": None if attribution.ranking is None else list(attribution.ranking),
            "convergence": attribution.convergence,
            "facts": dict(attribution.facts) or None,
        }


RATIONALE_COLUMNS = (*_RUN, "kind", "spans", "ranking", "quotes")


def rows_of_rationales(stored: StoredOutput) -> Iterator[Row]:
    """What runs select without scores. spans: half-open ranges of token indices; ranking: token indices by importance.

    quotes: where the spans are what the model quoted, how many quotes there were, and which are not in the text
    """
    for rationale in stored.output.rationales:
        yield {**_of_run(stored), **asdict(rationale)}


def _of_run(stored: StoredOutput) -> Row:
    return {
        "key": stored.key,
        "split": stored.split,
        "model": stored.run.model,
        "method": stored.run.method,
        "params": json.loads(stored.run.parameters),
        "seed": stored.run.seed,
    }


SUFFICIENT_COLUMNS = (
    "key", "split", "model", "params", "label", "side", "tokens", "p", "threshold", "sufficient", "compact", "comprehensive",
)  # fmt: skip


def rows_of_sufficient_sets(source: SourceSufficientSets) -> Iterator[Row]:
    """Each set of either side."""
    for row in source.rows():
        yield {**{name: row[name] for name in SUFFICIENT_COLUMNS}, "params": json.loads(source.parameters)}


# What is in a project: tables, and generators of the program's own values, which hold no more than a batch in memory.


_ON = ("full", "rationale", "rest")


@speaks_python
class ProjectContents(OpenProject):
    """The part of a Project that reads what is in it."""

    # What is in it, as tables -----------------------------------------------------------------------------------------

    def instances(self, *, split: str | None = None) -> "DataFrame":
        """A row an instance, discarded ones too."""
        task = self.rules.task
        rows = (row_of_instance(instance, task) for instance in self.iterate_instances(split=split))
        return frame(rows, instance_columns(task))

    def gold(self, policy: GoldPolicy | None = None, *, split: str | None = None) -> "DataFrame":
        """A row an instance with gold; `sets` is a list of lists of token indices. `.explode("sets")` gives a row a set."""
        task = self.rules.task
        return frame((row_of_gold(gold, task) for gold in self.iterate_gold(policy, split=split)), gold_columns(task))

    def annotations(self, *, split: str | None = None) -> "DataFrame":
        """A row an annotation, of all rounds and states."""
        task = self.rules.task
        pairs = self.iterate_annotations(split=split)
        rows = (row for instance, made in pairs for row in rows_of_annotations(instance, made, task))
        return frame(rows, annotation_columns(task))

    def predictions(
        self, model: str | None = None, *, on: str | None = "full", split: str | None = None
    ) -> "DataFrame":
        """A row an answer.

        on: to the "full" input, to the "rationale" alone, to the "rest" of it; None: all of them, which the column tells apart
        """
        if on is not None and on not in _ON:
            raise InvalidValue(f"'on' must be one of {', '.join(_ON)}, or None for all of them; it is '{on}'.")
        task = self.rules.task
        outputs = self.iterate_outputs(model, split=split)
        rows = (row for output in outputs for row in rows_of_predictions(output, task))
        return frame((row for row in rows if on is None or row["on"] == on), prediction_columns(task))

    def attributions(
        self, model: str | None = None, method: str | None = None, *, split: str | None = None
    ) -> "DataFrame":
        """A row an attribution: an instance, a run, a label and a layer."""
        outputs = self.iterate_outputs(model, method, split=split)
        return frame((row for output in outputs for row in rows_of_attributions(output)), ATTRIBUTION_COLUMNS)

    def rationales(
        self, model: str | None = None, method: str | None = None, *, split: str | None = None
    ) -> "DataFrame":
        """A row a machine rationale: what a run selects (hard) or ranks without scores."""
        outputs = self.iterate_outputs(model, method, split=split)
        return frame((row for output in outputs for row in rows_of_rationales(output)), RATIONALE_COLUMNS)

    def sufficient_sets(self, model: str | None = None, *, split: str | None = None) -> "DataFrame":
        """A row a set of `annotator sufficient`: the models' own, and people's as the models answer them (docs/sufficient.md)."""
        from annotator.usecases.transfer.contents import iterate_sufficient_sets  # noqa: PLC0415

        sources = self._read(lambda store, rules: iterate_sufficient_sets(store, LOCAL_OPERATOR, rules, model, split))
        return frame((row for source in sources for row in rows_of_sufficient_sets(source)), SUFFICIENT_COLUMNS)

    def lists(self) -> "DataFrame":
        """A row a saved list: its name, note, how many instances are on it, who made it and when."""
        from annotator.usecases.inspect.text_lists import lists_of_project  # noqa: PLC0415

        saved = lists_of_project(self.database.store, LOCAL_OPERATOR, self.id)
        return frame((asdict(of) for of, _ in saved), ("name", "note", "n", "made_by", "created_at", "changed_at"))

    def listed(self, name: str) -> "DataFrame":
        """A row an instance on the saved list of a name, in its order: key and split."""
        from annotator.usecases.inspect.text_lists import keys_on_list  # noqa: PLC0415

        keys = keys_on_list(self.database.store, LOCAL_OPERATOR, self.rules, name)
        return frame(({"key": key, "split": split} for key, split in keys), ("key", "split"))

    def suites(self) -> "DataFrame":
        """A row a functional test, with the suite that it stands in."""
        from annotator.api.numbers import TEST_COLUMNS, rows_of_tests  # noqa: PLC0415
        from annotator.usecases.suites.construction import suites_of  # noqa: PLC0415

        suites = suites_of(self.database.store, LOCAL_OPERATOR, self.rules)
        return frame((row for suite in suites for row in rows_of_tests(suite)), TEST_COLUMNS)

    def instance(self, key: str, *, split: str | None = None) -> ShownInstance:
        """An instance with its gold and what models say of it; a notebook shows it with its maps."""
        from annotator.usecases.transfer.contents import whole_instance  # noqa: PLC0415

        whole = whole_instance(self.database.store, LOCAL_OPERATOR, self.rules, key, split)
        return ShownInstance(whole.gold.instance, whole.gold, whole.outputs)

    # What is in it, as domain values ----------------------------------------------------------------------------------

    def iterate_instances(self, *, split: str | None = None) -> Iterator[Instance]:
        """Every instance, in the order of import."""
        from annotator.usecases.transfer.contents import iterate_instances  # noqa: PLC0415

        return self._read(lambda store, rules: iterate_instances(store, LOCAL_OPERATOR, rules, split))

    def iterate_gold(self, policy: GoldPolicy | None = None, *, split: str | None = None) -> Iterator[GoldInstance]:
        """The gold of every instance that has one and is not discarded; policy None: the project's."""
        from annotator.usecases.transfer.contents import iterate_gold  # noqa: PLC0415

        return self._read(lambda store, rules: iterate_gold(store, LOCAL_OPERATOR, rules, policy, split))

    def iterate_annotations(self, *, split: str | None = None) -> Iterator[tuple[Instance, list[Annotation]]]:
        """Every instance with its annotations, oldest first."""
        from annotator.usecases.transfer.contents import iterate_annotations  # noqa: PLC0415

        return self._read(lambda store, rules: iterate_annotations(store, LOCAL_OPERATOR, rules, split))

    def iterate_outputs(
        self, model: str | None = None, method: str | None = None, *, split: str | None = None
    ) -> Iterator[StoredOutput]:
        """Everything that runs say of an instance (answers, attributions, rationales), run by run."""
        from annotator.usecases.transfer.contents import iterate_stored_outputs  # noqa: PLC0415

        return self._read(
            lambda store, rules: iterate_stored_outputs(store, LOCAL_OPERATOR, rules, model, method, split)
        )


# Gold as a data set of the package `datasets`, which is loaded here alone.


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
