"""The label of a text that several annotators of a file labelled, where the file says none of its own: what most of them gave."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from annotator.domain.imports import InstancePlan, KnownInstance, Place
from annotator.domain.instances import majority_label
from annotator.domain.projects import Project
from annotator.domain.sources import SourceInstance
from annotator.formats.rows.findings import Places
from annotator.store import Store
from annotator.store.annotate.annotations import label_votes
from annotator.store.instances import set_results
from annotator.store.transfer.known_rows import instances_at
from annotator.usecases.transfer.import_report import ImportReport

_BATCH = 500


@dataclass(slots=True)
class MajorityLabels:
    """The texts of an import whose annotators gave labels; those without a label of their own get one, or are counted.

    is_asked: whether they get one; last_instance: the last number that an instance had before the import
    """

    is_asked: bool
    last_instance: int
    n_labelled: int = 0
    tied: Places = field(default_factory=Places)
    _places: dict[Place, None] = field(default_factory=dict)
    _changed: set[int] = field(default_factory=set)  # instances that are counted as changed already

    def note(self, rows: Sequence[SourceInstance]) -> None:
        """Remember the rows that bring annotators' labels and no label of the text."""
        for row in rows:
            if row.result is None and any(a.result is not None and a.state is None for a in row.annotations):
                self._places[row.place] = None

    def note_changes(self, plan: InstancePlan) -> None:
        """Remember what is counted as changed, so that no instance is counted twice."""
        self._changed.update(change.instance_id for change in plan.changes if change.is_update)

    def settle(self, store: Store, project: Project, report: ImportReport) -> None:
        """Give these texts their labels where that is asked for; say in the report what became of them."""
        for known in self._without_label(store, project):
            majority = self._majority(store, known)
            self.n_labelled += len(majority)
            if self.is_asked:
                numbers = {known[key_and_split].id: label for key_and_split, label in majority.items()}
                set_results(store, numbers)
                report.show_labels(majority)
                report.count_relabelled(sum(n <= self.last_instance and n not in self._changed for n in numbers))
        report.tell_majority(self.n_labelled, self.tied, project.task.result_kind, is_asked=self.is_asked)

    def _majority(self, store: Store, known: Mapping[Place, KnownInstance]) -> dict[Place, str]:
        votes = label_votes(store, [instance.id for instance in known.values()])
        labels = {
            key_and_split: majority_label(votes.get(instance.id, {})) for key_and_split, instance in known.items()
        }
        for key, _ in (key_and_split for key_and_split, label in labels.items() if label is None):
            self.tied.add(f"“{key}”")
        return {key_and_split: label for key_and_split, label in labels.items() if label is not None}

    def _without_label(self, store: Store, project: Project) -> Iterator[dict[Place, KnownInstance]]:
        places = iter(self._places)
        while batch := list(islice(places, _BATCH)):
            known = instances_at(store, project.id, batch)
            yield {key_and_split: instance for key_and_split, instance in known.items() if instance.result is None}
