"""From what a row says to what may be stored: its labels checked, its spans in instance token indices."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from annotator.domain.imports import NewAnnotation, NewInstance, PreparedRow
from annotator.domain.instances import Draft
from annotator.domain.projects import Project
from annotator.domain.rationales import RationaleSet, check_spans
from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceWork
from annotator.domain.texts import TokenizedText, TokenLayout
from annotator.errors import InvalidValue, Problem
from annotator.text.source_spans import no_body, resolve_sets, resolve_span, widening_report
from annotator.usecases.transfer.import_report import ImportOptions


@dataclass(slots=True)
class Resolver:
    """Resolves the rows of one batch; gathers what is wrong with them, and what became of spans of characters."""

    project: Project
    options: ImportOptions
    problems: list[Problem] = field(default_factory=list)
    n_character_spans: int = 0
    widened: list[str] = field(default_factory=list)

    def instance(self, row: PreparedRow) -> NewInstance | None:
        """The instance of a row; None where it cannot be taken."""
        source = row.source
        if not self._has_label(source, source.result):
            return None
        layout = TokenLayout.of([(s.name, s.is_selectable, s.n_tokens) for s in row.segments])
        try:
            target = resolve_span(source.target, layout, row.bodies.__getitem__) if source.target else None
            annotations = tuple(self._annotation(source, a, layout, row.bodies) for a in source.annotations)
        except InvalidValue as error:
            self.refuse(source, "rationales", source.key, str(error))
            return None
        self._note_characters(source, row.bodies)
        n_accepted = len({a.annotator for a in annotations if a.state == "accepted"})
        open_slots = max(0, self.project.settings.annotators_per_instance - n_accepted)
        return NewInstance(
            source=source,
            language=row.language,
            segments=row.segments,
            target=(target.start, target.end) if target else None,
            fingerprint=row.fingerprint,
            open_slots=open_slots,
            state=source.state or ("open" if open_slots else "complete"),
            annotations=annotations,
        )

    def annotations(
        self, source: SourceInstance, layout: TokenLayout, bodies: Mapping[str, TokenizedText]
    ) -> tuple[NewAnnotation, ...] | None:
        """The annotations of a row that brings nothing else; None where one cannot be taken."""
        try:
            annotations = tuple(self._annotation(source, a, layout, bodies) for a in source.annotations)
        except InvalidValue as error:
            self.refuse(source, "rationales", source.key, str(error))
            return None
        self._note_characters(source, bodies)
        return annotations

    def refuse(self, source: SourceInstance, name: str, value: str, reason: str) -> None:
        """A row cannot be taken: which field of it, and why."""
        self.problems.append(Problem(source.source, source.line, name, value, reason))

    def warn(self, source: SourceInstance, name: str, value: str, reason: str) -> None:
        """A row is taken, but something is to be known of it."""
        self.problems.append(Problem(source.source, source.line, name, value, reason, is_warning=True))

    def _annotation(
        self,
        source: SourceInstance,
        annotation: SourceAnnotation,
        layout: TokenLayout,
        bodies: Mapping[str, TokenizedText],
    ) -> NewAnnotation:
        result = source.result if annotation.result is None else annotation.result
        if not self._has_label(source, result):
            raise InvalidValue(
                f"The annotation of '{annotation.annotator}' has a label that the project does not have."
            )
        sets = resolve_sets(annotation, layout, bodies.__getitem__)
        return NewAnnotation(
            annotation.annotator,
            result,
            sets,
            annotation.note,
            annotation.round_number,
            annotation.state or self.options.gold,
            annotation.created_at,
            annotation.by_user and any(w.user == annotation.annotator for w in source.work),
        )

    def _note_characters(self, source: SourceInstance, bodies: Mapping[str, TokenizedText]) -> None:
        """Count the spans of characters of a row that is taken, and keep what became of those that end within a token."""
        for span in source.spans:
            if span.unit == "char" and span.segment:
                self.n_character_spans += 1
                if widening := widening_report(span, bodies[span.segment]):
                    where = source.source if source.line is None else f"{source.source}, line {source.line}"
                    self.widened.append(f"{where}: {widening}")

    def _has_label(self, source: SourceInstance, result: str | None) -> bool:
        if result is None or self.project.task.result_kind == "answer":
            return True
        if self.project.labels and result not in self.project.labels:
            allowed = ", ".join(self.project.labels)
            reason = f"The project's labels are {allowed}; add this one to them, or correct the row."
            self.refuse(source, "label", result, reason)
            return False
        return True


def with_drafts(instance: NewInstance) -> NewInstance:
    """A new instance with the drafts of the work that its row brings; raises InvalidAnnotation for what it does not have."""
    if not instance.source.work:
        return instance
    layout = TokenLayout.of([(s.name, s.is_selectable, s.n_tokens) for s in instance.segments])
    return replace(instance, drafts=tuple(_draft(work, layout) for work in instance.source.work))


def _draft(work: SourceWork, layout: TokenLayout) -> Draft:
    draft = work.draft
    sets = resolve_sets(draft, layout, no_body)
    check_spans([RationaleSet.of(*proposed.spans) for proposed in work.proposed], layout)
    return Draft(draft.result, sets, draft.note, work.no_rationale, origins=work.origins, unlocked=work.unlocked)
