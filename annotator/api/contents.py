"""What is in a project: tables, and generators of the program's own values, which hold no more than a batch in memory."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from annotator.api.frames import frame
from annotator.api.open_project import OpenProject
from annotator.api.refusals import speaks_python
from annotator.api.shown_instances import ShownInstance
from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.models import StoredOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GoldPolicy
from annotator.errors import InvalidValue

if TYPE_CHECKING:
    from pandas import DataFrame

_ON = ("full", "rationale", "rest")


@speaks_python
class ProjectContents(OpenProject):
    """The part of a Project that reads what is in it."""

    # What is in it, as tables -----------------------------------------------------------------------------------------

    def instances(self, *, split: str | None = None) -> "DataFrame":
        """A row an instance, discarded ones too."""
        from annotator.api.tables import instance_columns, row_of_instance  # noqa: PLC0415

        task = self.rules.task
        rows = (row_of_instance(instance, task) for instance in self.iterate_instances(split=split))
        return frame(rows, instance_columns(task))

    def gold(self, policy: GoldPolicy | None = None, *, split: str | None = None) -> "DataFrame":
        """A row an instance with gold; `sets` is a list of lists of token indices. `.explode("sets")` gives a row a set."""
        from annotator.api.tables import gold_columns, row_of_gold  # noqa: PLC0415

        task = self.rules.task
        return frame((row_of_gold(gold, task) for gold in self.iterate_gold(policy, split=split)), gold_columns(task))

    def annotations(self, *, split: str | None = None) -> "DataFrame":
        """A row an annotation, of all rounds and states."""
        from annotator.api.tables import annotation_columns, rows_of_annotations  # noqa: PLC0415

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
        from annotator.api.tables import prediction_columns, rows_of_predictions  # noqa: PLC0415

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
        from annotator.api.tables import ATTRIBUTION_COLUMNS, rows_of_attributions  # noqa: PLC0415

        outputs = self.iterate_outputs(model, method, split=split)
        return frame((row for output in outputs for row in rows_of_attributions(output)), ATTRIBUTION_COLUMNS)

    def rationales(
        self, model: str | None = None, method: str | None = None, *, split: str | None = None
    ) -> "DataFrame":
        """A row a machine rationale: what a run selects (hard) or ranks without scores."""
        from annotator.api.tables import RATIONALE_COLUMNS, rows_of_rationales  # noqa: PLC0415

        outputs = self.iterate_outputs(model, method, split=split)
        return frame((row for output in outputs for row in rows_of_rationales(output)), RATIONALE_COLUMNS)

    def lists(self) -> "DataFrame":
        """A row a saved list: its name, note, how many instances are on it, who made it and when."""
        from annotator.usecases.inspect.saved_lists import lists_of_project  # noqa: PLC0415

        saved = lists_of_project(self.database.store, LOCAL_OPERATOR, self.id)
        return frame((asdict(of) for of, _ in saved), ("name", "note", "n", "made_by", "created_at", "changed_at"))

    def listed(self, name: str) -> "DataFrame":
        """A row an instance on the saved list of a name, in its order: key and split."""
        from annotator.usecases.inspect.saved_lists import keys_on_list  # noqa: PLC0415

        keys = keys_on_list(self.database.store, LOCAL_OPERATOR, self.rules, name)
        return frame(({"key": key, "split": split} for key, split in keys), ("key", "split"))

    def suites(self) -> "DataFrame":
        """A row a functional test, with the suite that it stands in."""
        from annotator.api.number_tables import TEST_COLUMNS, rows_of_tests  # noqa: PLC0415
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
