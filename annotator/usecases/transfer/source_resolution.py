"""From what a row says to what may be stored: its labels checked, its spans in instance token indices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from annotator.domain.imports import NewAnnotation, NewInstance, PreparedRow
from annotator.domain.projects import Project
from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceSpan, is_mask_of_nobody
from annotator.domain.texts import RationaleSet, TokenizedText, TokenLayout
from annotator.errors import InvalidValue, Problem, QuoteNotPlaced
from annotator.formats.rows.findings import listed
from annotator.formats.rows.label_remedies import LABEL, label_remedy
from annotator.language import _
from annotator.text.search import sets_of_quotes
from annotator.text.source_spans import Marks, resolve_draft, resolve_marks
from annotator.usecases.transfer.import_report import ImportOptions


@dataclass(slots=True)
class Resolver:
    """Resolves the rows of one batch; gathers what is wrong with them, and what became of spans of characters."""

    project: Project
    options: ImportOptions
    problems: list[Problem] = field(default_factory=list)
    n_character_spans: int = 0
    widened: list[str] = field(default_factory=list)

    def instance(self, row: PreparedRow, *, is_new: bool) -> NewInstance | None:
        """The instance of a row, with the drafts of the work that comes with it where it is new; None where it is refused.

        Raises: InvalidAnnotation for a draft that marks what the instance does not have
        """
        source = row.source
        if not self._has_label(source, source.result):
            return None
        layout = TokenLayout.of([(s.name, s.is_selectable, s.n_tokens) for s in row.segments])
        marks = self._marks(source, source.target, layout, row.bodies)
        if marks is None:
            return None
        annotations = self._annotations(source, marks.sets)
        n_accepted = len({a.annotator for a in annotations if a.state == "accepted"})
        open_slots = max(0, self.project.settings.annotators_per_instance - n_accepted)
        return NewInstance(
            source=source,
            language=row.language,
            segments=row.segments,
            target=marks.target,
            fingerprint=row.fingerprint,
            open_slots=open_slots,
            state=source.state or ("open" if open_slots else "complete"),
            annotations=annotations,
            drafts=tuple(resolve_draft(work, layout) for work in source.work) if is_new else (),
        )

    def annotations(
        self, source: SourceInstance, layout: TokenLayout, bodies: Mapping[str, TokenizedText]
    ) -> tuple[NewAnnotation, ...] | None:
        """The annotations of a row that brings nothing else; None where one cannot be taken."""
        marks = self._marks(source, None, layout, bodies)
        return None if marks is None else self._annotations(source, marks.sets)

    def refuse(self, source: SourceInstance, name: str, value: str, reason: str, remedy: str = "") -> None:
        """A row cannot be taken: which field of it, and why. remedy: see Problem."""
        self.problems.append(Problem(source.source, source.line, name, value, reason, remedy=remedy))

    def warn(self, source: SourceInstance, name: str, value: str, reason: str) -> None:
        """A row is taken, but something is to be known of it."""
        self.problems.append(Problem(source.source, source.line, name, value, reason, is_warning=True))

    def _marks(
        self,
        source: SourceInstance,
        target: SourceSpan | None,
        layout: TokenLayout,
        bodies: Mapping[str, TokenizedText],
    ) -> Marks | None:
        """What a row marks, whose spans of characters are then counted; None where one of its annotations is refused."""
        labelled = list(takewhile(lambda a: self._knows(_result_of(a, source)), source.annotations))
        try:
            with_sets = [_with_quoted_sets(annotation, layout, bodies) for annotation in labelled]
            marks = resolve_marks(target, with_sets, layout, bodies.__getitem__)
        except QuoteNotPlaced as error:
            self.refuse(source, "rationale_quotes", error.quote, str(error))
            return None
        except InvalidValue as error:
            self.refuse(source, "rationales", source.key, str(error))
            return None
        for strange in source.annotations[len(labelled) :][:1]:
            self._has_label(source, _result_of(strange, source))
            reason = _(
                "The annotation of '{annotator}' has a label that the project does not have.",
                annotator=strange.annotator,
            )
            self.refuse(source, "rationales", source.key, reason)
            return None
        self.n_character_spans += marks.n_character_spans
        where = (
            source.source if source.line is None else _("{source}, line {line}", source=source.source, line=source.line)
        )
        self.widened += [f"{where}: {widening}" for widening in marks.widened]
        return marks

    def _annotations(
        self, source: SourceInstance, sets: Sequence[tuple[RationaleSet, ...]]
    ) -> tuple[NewAnnotation, ...]:
        people = {work.user for work in source.work}
        return tuple(
            NewAnnotation(
                annotation.annotator,
                _result_of(annotation, source),
                of_annotation,
                annotation.note,
                annotation.round_number,
                annotation.state or self.options.gold,
                annotation.created_at,
                annotation.by_user and annotation.annotator in people,
                annotation.guidelines,
            )
            for annotation, of_annotation in zip(source.annotations, sets, strict=True)
        )

    def _knows(self, result: str | None) -> bool:
        """Whether the project has a label, or takes any."""
        labels = self.project.labels if self.project.task.result_kind == "label" else ()
        return result is None or not labels or result in labels

    def _has_label(self, source: SourceInstance, result: str | None) -> bool:
        """The same; a row whose label it does not have is refused."""
        if result is None or self._knows(result):
            return True
        allowed = listed(self.project.labels)
        reason = _(
            "The project has no label '{label}' (it has {labels}); {remedy}.",
            label=result,
            labels=allowed,
            remedy=label_remedy(result, self.project.labels),
        )
        self.refuse(source, "label", result, reason, LABEL)
        return False


def _with_quoted_sets(
    annotation: SourceAnnotation, layout: TokenLayout, bodies: Mapping[str, TokenizedText]
) -> SourceAnnotation:
    if not annotation.quoted:
        return annotation
    texts = {segment.name: bodies[segment.name] for segment in layout.segments if segment.is_selectable}
    return replace(annotation, sets=(*annotation.sets, *sets_of_quotes(annotation.quoted, texts)))


def _result_of(annotation: SourceAnnotation, source: SourceInstance) -> str | None:
    """The annotation's own result, else the instance's; the marks of nobody known were made for a label that nobody knows."""
    if is_mask_of_nobody(annotation.annotator):
        return annotation.result
    return source.result if annotation.result is None else annotation.result
