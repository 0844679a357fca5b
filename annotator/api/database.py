"""The Python interface, for notebooks and training scripts: `annotator.open` gives a Database (docs/api.md).

It acts as the local operator, as commands do, and calls the same use cases. Tables and iterations read one moment of the
database over a connection of their own, so that one may write while one iterates. pandas is loaded with the first table.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.models import StoredOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy
from annotator.domain.projects import Project as Rules
from annotator.errors import InvalidValue, NotFound
from annotator.usecases.databases import Store, open_store
from annotator.usecases.project.projects import find_project, projects_of
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

if TYPE_CHECKING:
    from pandas import DataFrame

    from annotator.scoring.reports import ProjectReport
    from annotator.text.word_scores import How

Rows = Iterable[Mapping[str, object]]
_T = TypeVar("_T")

_EXPLAINED = ("predicted", "gold")
_WHOLE_NUMBERS = frozenset(
    {"seed", "layer", "round", "n_selectable"}
)  # columns of numbers, some of which may be missing


class Database:
    """An open database. It belongs to the thread that opened it; use it as a context manager, or close it."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()
        self._store: Store | None = open_store(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<annotator database '{self.path}'{'' if self._store else ', closed'}>"

    def close(self) -> None:
        """Close the connection; closing again is fine."""
        if self._store is not None:
            self._store.close()
            self._store = None

    @property
    def store(self) -> Store:
        """The connection, as use cases take it."""
        if self._store is None:
            raise InvalidValue("The database is closed. Open it again with annotator.open.")
        return self._store

    def projects(self) -> "list[Project]":
        """All projects, oldest first."""
        return [Project(self, rules.id, rules.name) for rules in projects_of(self.store, LOCAL_OPERATOR)]

    def project(self, name: str) -> "Project":
        """The project of that name; raises NotFound naming those there are."""
        stored = find_project(self.store, name)
        return Project(self, stored.id, stored.name)

    @contextmanager
    def moment(self) -> Iterator[Store]:
        """A connection of its own that sees the database as it is now."""
        with open_store(self.store.path) as store, store.snapshot():
            yield store


class Project:
    """One project: what is in it as DataFrames and as domain values, and the way back for what models say.

    Of every table there is a generator of domain values, which holds no more than a batch of instances in memory.
    """

    def __init__(self, database: Database, project_id: int, name: str) -> None:
        self.database = database
        self.id = project_id
        self.name = name

    def __repr__(self) -> str:
        return f"<annotator project '{self.name}'>"

    @property
    def rules(self) -> Rules:
        """The project as it is now: task, labels, language, settings."""
        for rules in projects_of(self.database.store, LOCAL_OPERATOR):
            if rules.id == self.id:
                return rules
        raise NotFound(f"The project '{self.name}' is not in the database any more.")

    # What is in it, as tables -----------------------------------------------------------------------------------------

    def instances(self, *, split: str | None = None) -> "DataFrame":
        """A row an instance, discarded ones too."""
        from annotator.api.tables import instance_columns, row_of_instance  # noqa: PLC0415

        task = self.rules.task
        rows = (row_of_instance(instance, task) for instance in self.iterate_instances(split=split))
        return _frame(rows, instance_columns(task))

    def gold(self, policy: GoldPolicy | None = None, *, split: str | None = None) -> "DataFrame":
        """A row an instance with gold; `sets` is a list of lists of token indices. `.explode("sets")` gives a row a set."""
        from annotator.api.tables import gold_columns, row_of_gold  # noqa: PLC0415

        task = self.rules.task
        return _frame((row_of_gold(gold, task) for gold in self.iterate_gold(policy, split=split)), gold_columns(task))

    def annotations(self, *, split: str | None = None) -> "DataFrame":
        """A row an annotation, of all rounds and states."""
        from annotator.api.tables import annotation_columns, rows_of_annotations  # noqa: PLC0415

        task = self.rules.task
        pairs = self.iterate_annotations(split=split)
        rows = (row for instance, made in pairs for row in rows_of_annotations(instance, made, task))
        return _frame(rows, annotation_columns(task))

    def predictions(self, model: str | None = None, *, split: str | None = None) -> "DataFrame":
        """A row an answer; `on` tells those to the full input from those to a rationale alone and to the rest."""
        from annotator.api.tables import prediction_columns, rows_of_predictions  # noqa: PLC0415

        task = self.rules.task
        outputs = self.iterate_outputs(model, split=split)
        return _frame(
            (row for output in outputs for row in rows_of_predictions(output, task)), prediction_columns(task)
        )

    def attributions(
        self, model: str | None = None, method: str | None = None, *, split: str | None = None
    ) -> "DataFrame":
        """A row an attribution: an instance, a run, a label and a layer."""
        from annotator.api.tables import ATTRIBUTION_COLUMNS, rows_of_attributions  # noqa: PLC0415

        outputs = self.iterate_outputs(model, method, split=split)
        return _frame((row for output in outputs for row in rows_of_attributions(output)), ATTRIBUTION_COLUMNS)

    def rationales(
        self, model: str | None = None, method: str | None = None, *, split: str | None = None
    ) -> "DataFrame":
        """A row a machine rationale: what a run selects (hard) or ranks without scores."""
        from annotator.api.tables import RATIONALE_COLUMNS, rows_of_rationales  # noqa: PLC0415

        outputs = self.iterate_outputs(model, method, split=split)
        return _frame((row for output in outputs for row in rows_of_rationales(output)), RATIONALE_COLUMNS)

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

    def _read(self, read: Callable[[Store, Rules], Iterator[_T]]) -> Iterator[_T]:
        rules = self.rules
        with self.database.moment() as store:
            yield from read(store, rules)

    # The way back -----------------------------------------------------------------------------------------------------

    def add_predictions(
        self,
        rows: "Rows | DataFrame",
        *,
        model: str = "",
        seed: int | None = None,
        split: str | None = None,
        update: bool = False,
        skip_invalid: bool = False,
        dry_run: bool = False,
    ) -> ImportReport:
        """Store what a model answers: all rows or none. The names count where a row does not say them itself.

        rows:   mappings with the fields of docs/formats.md, "Our own JSONL", or a DataFrame with such columns
        Raises: ImportRefused, whose `problems` name row, field, value and reason
        """
        options = ImportOptions(
            model=model, seed=seed, split=split, update=update, skip_invalid=skip_invalid, dry_run=dry_run
        )
        return self._add(rows, options)

    def add_attributions(
        self,
        rows: "Rows | DataFrame",
        *,
        model: str = "",
        method: str = "",
        seed: int | None = None,
        params: Mapping[str, object] | None = None,
        merge: "How" = "sum",
        split: str | None = None,
        update: bool = False,
        skip_invalid: bool = False,
        dry_run: bool = False,
    ) -> ImportReport:
        """Store scores of tokens (or of pieces, which are merged into tokens) and rationales; see add_predictions."""
        options = ImportOptions(
            model=model, method=method, seed=seed, merge=merge, split=split, update=update, skip_invalid=skip_invalid,
            dry_run=dry_run,
        )  # fmt: skip
        return self._add(rows, options, params)

    def _add(
        self, rows: "Rows | DataFrame", options: ImportOptions, params: Mapping[str, object] | None = None
    ) -> ImportReport:
        from annotator.usecases.transfer.import_values import import_rows  # noqa: PLC0415

        return import_rows(self.database.store, LOCAL_OPERATOR, self.rules, _mappings(rows), options, parameters=params)

    # Numbers ----------------------------------------------------------------------------------------------------------

    def evaluate(
        self,
        model: str | None = None,
        method: str | None = None,
        *,
        gold_policy: GoldPolicy | None = None,
        split: str | None = None,
        criterion: str | None = None,
        gamma: float = 1.0,
        explained: str = "predicted",
        n_resamples: int = 0,
        includes_training: bool = False,
    ) -> "ProjectReport":
        """The object that `annotator evaluate project --json` prints (docs/commands.md).

        criterion: of sentence editing, such as "spelling" or "deleted"; "" for sentences that tell none
        n_resamples: above 0, each mean over instances has a bootstrap interval
        includes_training: a model that was trained here is scored on the split that it learned from too
        """
        from annotator.scoring.runs import ScoringOptions  # noqa: PLC0415
        from annotator.usecases.inspect.project_scores import evaluate_project  # noqa: PLC0415
        from annotator.usecases.transfer.contents import checked_policy  # noqa: PLC0415

        if explained not in _EXPLAINED:
            raise InvalidValue(f"'explained' must be one of {', '.join(_EXPLAINED)}; it is '{explained}'.")
        options = ScoringOptions(
            checked_policy(gold_policy),
            split,
            criterion,
            n_resamples,
            gamma,
            explained=explained,
            includes_training=includes_training,
        )
        return evaluate_project(
            self.database.store, LOCAL_OPERATOR, self.rules, model=model, method=method, options=options
        )

    def measure(self) -> int:
        """Store the numbers by which screens sort instances, for all runs against the gold of now; answers how many runs."""
        from annotator.usecases.inspect.measurement import measure  # noqa: PLC0415

        return measure(self.database.store, LOCAL_OPERATOR, self.rules)


def _frame(rows: Iterable[Mapping[str, object]], columns: Iterable[str]) -> "DataFrame":
    import pandas as pd  # noqa: PLC0415

    values: dict[str, list[Any]] = {name: [] for name in columns}
    for row in rows:
        for name, of_column in values.items():
            of_column.append(row[name])
    return pd.DataFrame(
        {name: pd.Series(v, dtype="Int64" if name in _WHOLE_NUMBERS else None) for name, v in values.items()}
    )


def _mappings(rows: "Rows | DataFrame") -> Rows:
    """Rows as mappings; of a DataFrame without its missing cells."""
    return _rows_of_frame(cast("DataFrame", rows)) if hasattr(rows, "itertuples") else rows


def _rows_of_frame(frame: "DataFrame") -> Iterator[dict[str, object]]:
    from pandas import isna  # noqa: PLC0415
    from pandas.api.types import is_scalar  # noqa: PLC0415

    names = [str(name) for name in frame.columns]
    for values in frame.itertuples(index=False, name=None):
        cells = zip(names, values, strict=True)
        yield {name: _cell(name, value) for name, value in cells if not (is_scalar(value) and isna(value))}


def _cell(name: str, value: object) -> object:
    """A column of whole numbers becomes one of floats when some are missing."""
    if name in _WHOLE_NUMBERS and isinstance(value, float) and value.is_integer():
        return int(value)
    return value
