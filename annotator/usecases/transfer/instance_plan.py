"""What an import does with a batch of rows, from the rows and what is known of them: nothing is read or written here."""

from collections.abc import Iterable, Mapping, Sequence

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
from annotator.domain.sources import SourceDocument, SourceInstance
from annotator.errors import Problem
from annotator.language import _, several, unsaid
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.transfer.source_resolution import Resolver

_CHANGED = unsaid(
    "The project has an instance with this key and other content. To overwrite it, import the file again with --update."
)
_UNKNOWN = unsaid("The project has no instance with this key. Import the file with its texts first, or name its split.")
_OUTPUT_REMOVED = unsaid("Its text changed, so what models had said of the old tokens was removed.")
_OTHER_DOCUMENT = unsaid(
    "There is already a document of this name with another text or other tokens; give one of them another name."
)


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
            "Its text changed, but {annotations} and {n} piece of work belong to the old tokens; give it another key.",
            "Its text changed, but {annotations} and {n} pieces of work belong to the old tokens; give it another key.",
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
            "'{annotator}' annotated this instance here, otherwise than the file says; the file cannot change that",
            annotator=annotation.annotator,
        )
    return _(
        "'{annotator}' annotated this instance otherwise already; import it again as one that overwrites (--update)",
        annotator=annotation.annotator,
    )
