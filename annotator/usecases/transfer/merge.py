"""Rows whose key is in the project already: the same again, a change, or gold for a stored instance."""

from collections.abc import Sequence

from annotator.domain.instances import Annotation
from annotator.domain.numbers import counted
from annotator.domain.sources import SourceInstance
from annotator.errors import InvalidValue, Problem
from annotator.store import Store
from annotator.store.annotations import annotations_of, replace_annotation
from annotator.store.imports import InstanceWriter, KnownInstance, NewAnnotation, NewInstance
from annotator.store.instances import get_instance, set_result
from annotator.store.models import forget_outputs
from annotator.store.queue import settle
from annotator.text.source_spans import body_reader, to_source_span
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.preparation import Preparer, fingerprint_of


class Merger:
    """Brings rows together with what is stored; never overwrites without being asked, nor moves the text under annotations."""

    def __init__(
        self, store: Store, options: ImportOptions, report: ImportReport, preparer: Preparer, instances: InstanceWriter
    ) -> None:
        self.store = store
        self.options = options
        self.report = report
        self.preparer = preparer
        self.instances = instances

    def take_known(self, there: KnownInstance, instance: NewInstance) -> None:
        source = instance.source
        new = instance.fingerprint
        is_changed = new != there.fingerprint and new != self._fingerprint_now(there.id)
        if is_changed and not self.options.update:
            reason = (
                "The project has an instance with this key and other content. To overwrite it, import the file again with "
                "--update (“Let changed rows overwrite”)."
            )
            self.report.refuse(source, "id", source.key, reason)
            return
        is_other_text = is_changed and not self._texts_equal(there.id, instance)
        if is_other_text and (there.n_annotations or there.n_works):
            reason = (
                f"Its text changed, but {counted(there.n_annotations, 'annotation')} and "
                f"{counted(there.n_works, 'piece')} of work belong to the old tokens; give it another key."
            )
            self.report.refuse(source, "id", source.key, reason)
            return
        if is_other_text and forget_outputs(self.store, there.id):
            reason = "Its text changed, so what models had said of the old tokens was removed."
            self.report.add_problem(Problem(source.source, source.line, "id", source.key, reason, is_warning=True))
        if is_changed:
            self.instances.update(there.id, instance)
        wrote = self._merge_annotations(there.id, source, instance.annotations)
        if is_changed or wrote:
            self.report.n_updated += 1
        else:
            self.report.n_unchanged += 1

    def _fingerprint_now(self, instance_id: int) -> bytes:
        """Of the instance as it is today: a lead may have changed its label since the row was imported."""
        stored = get_instance(self.store, instance_id)
        target = to_source_span(*stored.target, stored.layout) if stored.target else None
        as_row = SourceInstance(
            key=stored.key,
            segments={},
            source="",
            line=None,
            result=stored.result,
            target=target,
            parent_key=stored.parent_key,
            perturbation_kind=stored.perturbation_kind,
            is_exhaustive=stored.is_exhaustive,
            metadata=stored.metadata,
        )
        prints = [(name, digest) for name, _, digest in self.instances.documents_of(instance_id)]
        return fingerprint_of(as_row, stored.language, prints)

    def _texts_equal(self, instance_id: int, instance: NewInstance) -> bool:
        stored = [(name, document_id) for name, document_id, _ in self.instances.documents_of(instance_id)]
        return stored == [(name, document.id) for name, _, document in instance.segments]

    def take_addition(self, source: SourceInstance) -> None:
        """An annotation for an instance that is stored already: the file has no text of it."""
        there = self.instances.known([(source.key, source.split)]).get((source.key, source.split))
        if there is None:
            reason = (
                "The project has no instance with this key. Import the file with its texts first, or name its split."
            )
            self.report.refuse(source, "id", source.key, reason)
            return
        stored = get_instance(self.store, there.id)
        body_of = body_reader({s.name: s.body for s in stored.segments})
        try:
            annotations = [self.preparer.annotation(source, a, stored.layout, body_of) for a in source.annotations]
        except InvalidValue as error:
            self.report.refuse(source, "rationales", source.key, str(error))
            return
        if source.result is not None and stored.result is None:
            set_result(self.store, there.id, source.result)
        if self._merge_annotations(there.id, source, annotations):
            self.report.n_updated += 1
        else:
            self.report.n_unchanged += 1

    def _merge_annotations(self, instance_id: int, source: SourceInstance, new: Sequence[NewAnnotation]) -> bool:
        """Add annotations that are not there yet; answers whether anything was written."""
        annotations = annotations_of(self.store, [instance_id])[instance_id]
        stored = {(a.annotator, a.round_number, a.user_id is not None): a for a in annotations}
        wrote = False
        for annotation in new:
            there = stored.get((annotation.annotator, annotation.round_number, annotation.by_user))
            if there is None:
                self.instances.add_annotations([(instance_id, [annotation])])
                self.report.count_annotations([len(annotation.sets)])
            elif (there.result, there.sets, there.note) == (annotation.result, annotation.sets, annotation.note):
                continue
            elif self.options.update and there.user_id is None:
                replace_annotation(
                    self.store, there.id, state=annotation.state, result=annotation.result, sets=annotation.sets,
                    note=annotation.note,
                )  # fmt: skip
            else:
                reason = _otherwise(annotation, there)
                self.report.refuse(source, "rationales", source.key, reason)
                continue
            wrote = True
        if wrote:
            settle(self.store, instance_id)
        return wrote


def _otherwise(annotation: NewAnnotation, there: Annotation) -> str:
    if there.user_id is not None:
        return f"'{annotation.annotator}' annotated this instance here, otherwise than the file says; the file cannot change that"
    return (
        f"'{annotation.annotator}' annotated this instance otherwise already; import it again as one that overwrites "
        "(--update)"
    )
