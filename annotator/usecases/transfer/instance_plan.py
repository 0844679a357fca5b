"""What an import does with a batch of rows, from the rows and what is known of them. Nothing is read or written here."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Generic, TypeVar

from annotator.domain.imports import (
    DocumentPlan,
    InstanceChange,
    InstancePlan,
    KnownAdditions,
    KnownContent,
    KnownInstance,
    KnownRows,
    NewAnnotation,
    NewDocument,
    NewInstance,
    Place,
    PreparedRow,
    PreparedRows,
)
from annotator.domain.instances import Annotation
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.sources import SourceAnnotation, SourceDocument, SourceInstance, SourceSpan, is_mask_of_nobody
from annotator.domain.texts import HelpOrigin, RationaleSet, TokenizedText, TokenLayout
from annotator.errors import InvalidValue, Problem, QuoteNotPlaced
from annotator.formats.rows.checks import LABEL, no_label
from annotator.formats.rows.findings import listed
from annotator.language import _, several, unsaid
from annotator.text.search import sets_of_quotes
from annotator.text.source_spans import Marks, resolve_draft, resolve_marks
from annotator.usecases.transfer.import_report import ImportOptions

# From what a row says to what may be stored: its labels checked, its spans in instance token indices.


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
            source=source, language=row.language, segments=row.segments, target=marks.target,
            fingerprint=row.fingerprint, open_slots=open_slots,
            state=source.state or ("open" if open_slots else "complete"), annotations=annotations,
            drafts=tuple(resolve_draft(work, layout) for work in source.work) if is_new else (),
        )  # fmt: skip

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
            reason = _("The label by '{annotator}' isn't in the project.", annotator=strange.annotator)
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
                _with_origins(of_annotation, annotation.origins),
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
        labels = self.project.labels
        self.refuse(source, "label", result, no_label(result, listed(labels), labels), LABEL)
        return False


def _with_quoted_sets(
    annotation: SourceAnnotation, layout: TokenLayout, bodies: Mapping[str, TokenizedText]
) -> SourceAnnotation:
    if not annotation.quoted:
        return annotation
    texts = {segment.name: bodies[segment.name] for segment in layout.segments if segment.is_selectable}
    return replace(annotation, sets=(*annotation.sets, *sets_of_quotes(annotation.quoted, texts)))


def _with_origins(sets: tuple[RationaleSet, ...], origins: Sequence[HelpOrigin | None]) -> tuple[RationaleSet, ...]:
    return tuple(replace(of, origin=o) for of, o in zip(sets, origins, strict=True)) if origins else sets


def _result_of(annotation: SourceAnnotation, source: SourceInstance) -> str | None:
    """The annotation's own result, else the instance's; the marks of nobody known were made for a label that nobody knows."""
    if is_mask_of_nobody(annotation.annotator):
        return annotation.result
    return source.result if annotation.result is None else annotation.result


_CHANGED = unsaid("Exists with different content. Use --update to overwrite.")
_UNKNOWN = unsaid("Unknown ID. Correct it, or import the text first.")
_OUTPUT_REMOVED = unsaid("Text changed; model output for old tokens was removed.")
_OTHER_DOCUMENT = unsaid("Document exists with different text. Rename one.")


def plan_documents(
    batch: Sequence[SourceDocument], prepared: Sequence[NewDocument | Problem], known: Mapping[str, bytes]
) -> DocumentPlan:
    """Documents with names of their own: each is new, or there already, or contradicts one of its name.

    known: the fingerprint of each stored document, by name
    """
    prints = dict(known)
    new, unreadable, contradicting = [], [], []
    for source, document in zip(batch, prepared, strict=True):
        if isinstance(document, Problem):
            unreadable.append(document)
        elif source.docid not in prints:
            prints[source.docid] = document.fingerprint
            new.append(document)
        elif prints[source.docid] != document.fingerprint:
            contradicting.append(Problem(source.source, source.line, "docid", source.docid, _(_OTHER_DOCUMENT)))
    return DocumentPlan(tuple(new), (*unreadable, *contradicting))


def divide(
    batch: Sequence[SourceInstance], known: Mapping[Place, KnownInstance]
) -> tuple[list[SourceInstance], list[SourceInstance]]:
    """The rows of a batch, and those that only add annotations to an instance that is stored, or is another row's."""
    here = {source.place for source in batch if not source.is_addition}
    rows: list[SourceInstance] = []
    additions: list[SourceInstance] = []
    for source in batch:
        is_bare = not source.segments
        is_added = is_bare or (source.is_addition and (source.place in known or source.place in here))
        (additions if is_added else rows).append(source)
    return rows, additions


def plan_instances(prepared: PreparedRows, known: KnownRows, project: Project, options: ImportOptions) -> InstancePlan:
    """Rows with their texts: each is new, or changes what is stored, or changes nothing, or is refused."""
    resolver = Resolver(project, options)
    rows = []
    for row in prepared.rows:
        if isinstance(row, Problem):
            resolver.problems.append(row)
        elif (instance := resolver.instance(row, is_new=row.source.place not in known.instances)) is not None:
            rows.append(instance)
    changes = [
        change
        for instance in rows
        if (stored := known.instances.get(instance.source.place)) is not None
        and (change := _change(instance, stored, known, options, resolver)) is not None
    ]
    new = [instance for instance in rows if instance.source.place not in known.instances]
    contents = [change.content for change in changes if change.content is not None]
    accepted = _accepted(prepared, new, changes, known)
    replaced, refused = _left_documents(prepared, accepted)
    return InstancePlan(
        documents=_shown(prepared.documents, (*new, *contents)),
        rows=tuple(rows),
        new=tuple(new),
        changes=tuple(changes),
        problems=tuple(resolver.problems),
        n_character_spans=resolver.n_character_spans,
        widened=tuple(resolver.widened),
        unshown=frozenset((*replaced, *refused)),
        n_own_spacing=len(replaced) + sum(row.n_respaced for row in accepted),
    )


def plan_additions(
    batch: Sequence[SourceInstance], known: KnownAdditions, project: Project, options: ImportOptions
) -> InstancePlan:
    """Rows that add annotations to instances that are stored, and a result to one that has none."""
    resolver = Resolver(project, options)
    changes = [_addition(source, known, options, resolver) for source in batch]
    return InstancePlan(
        changes=tuple(change for change in changes if change is not None),
        problems=tuple(resolver.problems),
        n_character_spans=resolver.n_character_spans,
        widened=tuple(resolver.widened),
    )


def _accepted(
    prepared: PreparedRows, new: Iterable[NewInstance], changes: Iterable[InstanceChange], known: KnownRows
) -> list[PreparedRow]:
    """The rows that are not refused."""
    taken = {instance.source.place for instance in new}
    changed = {change.instance_id for change in changes}

    def is_accepted(row: PreparedRow) -> bool:
        stored = known.instances.get(row.source.place)
        return row.source.place in taken or (stored is not None and stored.id in changed)

    return [row for row in prepared.rows if isinstance(row, PreparedRow) and is_accepted(row)]


def _left_documents(prepared: PreparedRows, accepted: Sequence[PreparedRow]) -> tuple[list[str], list[str]]:
    """Documents that rows name and do not show: those whose instances keep their own spacing, and those of refused rows."""
    places = {row.source.place for row in accepted}
    refused = [
        text
        for row in prepared.rows
        if isinstance(row, PreparedRow) and row.source.place not in places
        for text in row.source.segments.values()
        if isinstance(text, str)
    ]
    return [docid for row in accepted for docid in row.replaced], refused


def _shown(documents: Iterable[NewDocument], instances: Iterable[NewInstance]) -> tuple[NewDocument, ...]:
    """The texts that some instances show; those of rows that are refused are not among them."""
    prints = {segment.document for instance in instances for segment in instance.segments}
    return tuple(document for document in documents if document.fingerprint in prints)


def _change(
    instance: NewInstance, stored: KnownInstance, known: KnownRows, options: ImportOptions, resolver: Resolver
) -> InstanceChange | None:
    """What a row does to the instance that is stored under its key; None where it is refused."""
    source = instance.source
    before = known.contents.get(stored.id)
    is_changed = instance.fingerprint != stored.fingerprint and (
        before is None or instance.fingerprint != before.fingerprint
    )
    if is_changed and not options.update:
        resolver.refuse(source, "id", source.key, _(_CHANGED), "update")
        return None
    is_other_text = is_changed and not _has_texts(before, instance)
    if is_other_text and (stored.n_annotations or stored.n_works):
        reason = several(
            "Text or tokens changed, but it has {annotations} and {n} piece of work. Change the ID.",
            "Text or tokens changed, but it has {annotations} and {n} pieces of work. Change the ID.",
            stored.n_works,
            annotations=counted(stored.n_annotations, "annotation"),
        )
        resolver.refuse(source, "id", source.key, reason)
        return None
    forgets_output = is_other_text and before is not None and before.has_output
    if forgets_output:
        resolver.warn(source, "id", source.key, _(_OUTPUT_REMOVED))
    added, replaced = _annotations(
        source, instance.annotations, known.annotations.get(stored.id, ()), options, resolver
    )
    return InstanceChange(
        stored.id, instance if is_changed else None, forgets_output, None, tuple(added), tuple(replaced)
    )


def _has_texts(before: KnownContent | None, instance: NewInstance) -> bool:
    return before is not None and before.texts == tuple((s.name, s.document) for s in instance.segments)


def _addition(
    source: SourceInstance, known: KnownAdditions, options: ImportOptions, resolver: Resolver
) -> InstanceChange | None:
    stored = known.instances.get(source.place)
    if stored is None:
        resolver.refuse(source, "id", source.key, _(_UNKNOWN))
        return None
    annotations = resolver.annotations(source, known.layouts[stored.id], known.bodies.get(stored.id, {}))
    if annotations is None:
        return None
    added, replaced = _annotations(source, annotations, known.annotations.get(stored.id, ()), options, resolver)
    result = source.result if stored.result is None else None
    return InstanceChange(stored.id, result=result, added=tuple(added), replaced=tuple(replaced))


def _annotations(
    source: SourceInstance,
    given: Iterable[NewAnnotation],
    stored: Iterable[Annotation],
    options: ImportOptions,
    resolver: Resolver,
) -> tuple[list[NewAnnotation], list[tuple[int, NewAnnotation]]]:
    """The annotations that are not there yet, and those that are there otherwise and may be overwritten."""
    known = {(a.annotator, a.round_number, a.user_id is not None): a for a in stored}
    added, replaced = [], []
    for annotation in given:
        earlier = known.get((annotation.annotator, annotation.round_number, annotation.by_user))
        if earlier is None:
            added.append(annotation)
        elif (earlier.result, earlier.sets, earlier.note) == (annotation.result, annotation.sets, annotation.note):
            continue
        elif options.update and earlier.user_id is None:
            replaced.append((earlier.id, annotation))
        else:
            resolver.refuse(source, "rationales", source.key, _otherwise(annotation, earlier))
    return added, replaced


def _otherwise(annotation: NewAnnotation, stored: Annotation) -> str:
    if stored.user_id is not None:
        return _(
            "'{annotator}' annotated this differently here; files can't change that", annotator=annotation.annotator
        )
    return _("'{annotator}' annotated this differently; use --update to overwrite", annotator=annotation.annotator)


# The items of a file in batches: neighbours of one kind, so many that they are worth a query and so few that they fit.


Item = TypeVar("Item")
Kind = TypeVar("Kind")


class Upcoming(Generic[Item]):
    """The items that are still to come; one is read ahead, to see of which kind it is."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = iter(items)
        self._first = next(self._items, None)

    @property
    def first(self) -> Item | None:
        """The next item; None after the last one."""
        return self._first

    def batch(self, kind: type[Kind], size: int, name: Callable[[Kind], Hashable] = id, repeats: int = 1) -> list[Kind]:
        """Takes the next items as long as they are of a kind: of at most so many names, at most `repeats` a name on average."""
        taken: list[Kind] = []
        names: set[Hashable] = set()
        item, items = self._first, self._items
        while isinstance(item, kind) and len(taken) < size * repeats:
            names.add(name(item))
            if len(names) > size:
                break
            taken.append(item)
            item = next(items, None)
        self._first = item
        return taken


def apart(rows: Sequence[Kind], name: Callable[[Kind], Hashable]) -> Iterator[list[Kind]]:
    """The rows in order, in lists in which no name comes twice.

    >>> list(apart(["a", "b", "a", "c"], str))
    [['a', 'b'], ['a', 'c']]
    """
    part: list[Kind] = []
    names: set[Hashable] = set()
    for row in rows:
        if (row_name := name(row)) in names:
            yield part
            part, names = [], set()
        part.append(row)
        names.add(row_name)
    if part:
        yield part
