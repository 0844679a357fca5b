"""Write a project's gold, or everything of it, to files; people by pseudonyms, unless names are asked for."""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes

from annotator.domain import sources as source_values
from annotator.domain.instances import Annotation, GoldInstance, Instance, Segment, SetOrigin
from annotator.domain.models import StoredOutput
from annotator.domain.numbers import counted
from annotator.domain.own_sources import SourceEvent, SourceProject
from annotator.domain.people import User, has_right
from annotator.domain.projects import Project
from annotator.errors import ExportRefused, InvalidValue, NotFound
from annotator.formats.base import WriteOptions
from annotator.formats.own.jsonl import write_own
from annotator.formats.registry import WRITERS, get_writer
from annotator.language import _, listed, together, unknown
from annotator.store import Store
from annotator.store.annotate.annotations import accepted_of, annotations_of
from annotator.store.annotate.assignments import HeldWork, work_of_instances
from annotator.store.annotate.instance_queue import positions_put_first
from annotator.store.annotate.proposals import help_of_instances, proposals_of_instances, proposed_of_instances
from annotator.store.annotate.visibility import extra_annotators_of, named_of_instances, shown_of_instances
from annotator.store.events import add_event, all_events
from annotator.store.instances import iterate_instance_batches, iterate_named_documents, queue_keys
from annotator.store.models import iterate_outputs, list_runs, sufficient_sets_as_sources
from annotator.store.people import list_members
from annotator.store.perturb.originals import count_versions
from annotator.store.project.guidelines import readings_of, versions_of
from annotator.store.projects import settings_json
from annotator.store.saved_lists import lists_as_sources, views_as_sources
from annotator.store.suites import list_word_lists
from annotator.store.trained_models import trainings_as_sources
from annotator.store.transfer import export_sources as export_sources_store
from annotator.text.source_spans import to_source_sets, to_source_span
from annotator.usecases.access.independence import GoldFor
from annotator.usecases.access.rights import require
from annotator.usecases.gold import (
    HALVES,
    GoldOptions,
    annotations_of_people,
    counting_states,
    gold_instances,
    is_in,
    left_out_words,
    require_split,
)
from annotator.usecases.transfer.contents import iterate_annotations
from annotator.usecases.transfer.full_export_records import qualification_as_source, releases_as_sources
from annotator.usecases.transfer.import_report import tied_words

# What each person marked, beside the gold of a data set.


def annotations_that_count(
    store: Store, project: Project, options: GoldOptions
) -> Iterator[tuple[Instance, list[Annotation]]]:
    """Every instance that is not discarded, with those annotations of everybody that gold may be made from, oldest first."""
    states = counting_states(options)
    for instances in iterate_instance_batches(store, project.id, split=options.split):
        annotations = annotations_of(store, [instance.id for instance in instances])
        for instance in instances:
            if instance.state != "discarded" and is_in(options.half, instance):
                of_people = annotations_of_people(instance, annotations[instance.id], options.whose)
                yield instance, [of for of in of_people if of.state in states]


# How people are called in an exported file: by pseudonyms, unless names are asked for.


_LETTERS = str.maketrans("0123456789", "ghijklmnop")  # one of digits alone would look like a count within a text
_N_BYTES = 6  # among 10,000 people two get the same pseudonym once in five million exports


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Calls people “annotator jfpagchhdiek”, by a hash of their name under a secret that nobody keeps.

    What stands together in an instance is put into the order of the pseudonyms: who holds the file that it came from could
    else tell by its order who is who.
    """

    secret: bytes

    @classmethod
    def draw(cls) -> "Pseudonyms":
        """New ones, for one export."""
        return cls(token_bytes(32))

    def __call__(self, name: str) -> str:
        digest = blake2b(name.encode(), key=self.secret, digest_size=_N_BYTES).hexdigest()
        return f"annotator {digest.translate(_LETTERS)}"

    def in_gold(self, items: Iterable[GoldInstance]) -> Iterator[GoldInstance]:
        """Gold in which nobody is named."""
        for item in items:
            origins = tuple(map(self._origins, item.origins))
            yield replace(item, instance=self._in_metadata(item.instance), origins=origins)

    def in_annotations(
        self, pairs: Iterable[tuple[Instance, Sequence[Annotation]]]
    ) -> Iterator[tuple[Instance, list[Annotation]]]:
        """Annotations, of which nobody's name is told; of one person the oldest first."""
        for instance, annotations in pairs:
            unnamed = [replace(annotation, annotator=self(annotation.annotator)) for annotation in annotations]
            yield self._in_metadata(instance), sorted(unnamed, key=lambda annotation: annotation.annotator)

    def _origins(self, origins: Sequence[SetOrigin]) -> tuple[SetOrigin, ...]:
        unnamed = [replace(origin, annotator=self(origin.annotator)) for origin in origins]
        return tuple(sorted(unnamed, key=lambda origin: origin.annotator))

    def _in_metadata(self, instance: Instance) -> Instance:
        metadata = source_values.with_annotators_called(instance.metadata, self)
        if instance.perturbation_kind is not None:
            metadata = source_values.with_authors_called(metadata, self)
        return instance if metadata == instance.metadata else replace(instance, metadata=metadata)


ANNOTATIONS = "parquet-annotations"
DATASETS = "datasets"
WHOLE = frozenset({"jsonl", ANNOTATIONS})  # hold what everybody marked, accepted or not
WITH_PEOPLE = (
    "csv",
    "prodigy",
    "parquet",
    DATASETS,
    ANNOTATIONS,
)  # tell which annotations are of one person; jsonl has all names
WRITABLE: tuple[str, ...] = ("jsonl", *WRITERS, ANNOTATIONS)
_Annotated = tuple[Instance, list[Annotation]]


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: n instances, and where each person's annotations are rows of their own, so many of those.

    n_waiting:   changed versions left out of contrast sets, because they have no gold yet
    not_in_gold: whose sets are not in the gold that was written, in sentences
    n_tied:      texts without gold, because several results were given as often
    """

    n: int
    n_waiting: int = 0
    n_annotations: int | None = None
    not_in_gold: str = ""
    n_tied: int = 0

    @property
    def words(self) -> str:
        """How much was written."""
        instances = counted(self.n, "instance")
        return (
            instances
            if self.n_annotations is None
            else listed([instances, counted(self.n_annotations, "annotation")], "and")
        )

    @property
    def left_out(self) -> str:
        """What was left out, in sentences; "" for nothing."""
        waiting = _(
            "{what} skipped.",
            what=counted(self.n_waiting, "perturbed version without gold", "perturbed versions without gold"),
        )
        return together(
            waiting if self.n_waiting else "", tied_words(self.n_tied) if self.n_tied else "", self.not_in_gold
        )


def export_file(
    store: Store, actor: User, project: Project, format_name: str, path: Path, options: GoldOptions = GoldOptions(), *,
    has_names: bool = False,
) -> Exported:  # fmt: skip
    """Write a project in a format; answers how many instances were written.

    `jsonl` is our own: everything but hashes, sign-ins and tokens; `parquet-annotations` holds every annotation. The others
    hold the gold of the instances that have one and are not discarded; to people without a lead's rights, of those that they
    cannot be given to annotate any more. Beside it `datasets` holds what each person marked and models' own sets, for those
    who may see all annotations. Outside `jsonl` people are pseudonyms, unless has_names asks for names, for the same people.
    """
    roles = require(store, actor, project.id, "export")
    _require_possible(store, actor, project, format_name, options, has_names=has_names)
    require_split(store, [project], options.split)
    _require_person(store, project, options)
    passed, for_them, unnamed = _Counter(), GoldFor(store, actor, project.id), Pseudonyms.draw()
    with store.snapshot():
        if format_name == "jsonl":
            write_own(path, passed.count_instances(everything_of(store, project, options.split)))
            exported = Exported(passed.n)
        elif format_name == ANNOTATIONS:
            pairs = passed.count_annotations(iterate_annotations(store, actor, project, options.split))
            n_annotated = _write_annotations(pairs if has_names else unnamed.in_annotations(pairs), project, path)
            exported = Exported(n_annotated, n_annotations=passed.n_annotations)
        else:
            policy = "personal" if options.is_of_people else options.gold_policy or project.settings.gold_policy
            n_versions = count_versions(store, project.id, options.split)
            with_gold = passed.count_versions(gold_instances(store, project, policy, options, passed.not_in_gold))
            gold = passed.count(for_them.open_to_them(with_gold))
            how = WriteOptions(project, policy, n_versions)
            sees_all = has_right(actor, roles, "see all annotations")
            if format_name == DATASETS:
                of_people = annotations_that_count(store, project, options) if sees_all else iter(())
                pairs = passed.count_annotations(of_people)
                how = dataclasses.replace(how, annotations=pairs if has_names else unnamed.in_annotations(pairs))
                if sees_all and options.whose is None:
                    sources = sufficient_sets_as_sources(store, project.id, options.split)
                    how = dataclasses.replace(how, model_sets=sources)
            n_written = get_writer(format_name)(path, gold if has_names else unnamed.in_gold(gold), how)
            n_waiting = n_versions - passed.n_versions if format_name == "contrast" else 0
            has_people = format_name == DATASETS and passed.n_annotations > 0
            exported = Exported(
                passed.n if n_written is None else n_written, n_waiting, passed.n_annotations if has_people else None,
                "" if has_people else left_out_words(passed.not_in_gold, policy, has_names=sees_all),
                accepted_of(store, project.id, options.split).n_tied,
            )  # fmt: skip
    for_them.note()
    with store.transaction():
        add_event(
            store, actor.name, "export", "project", project.id, project_id=project.id,
            format=format_name, file=path.name, instances=exported.n, **({"names": True} if has_names else {}),
        )  # fmt: skip
    return exported


def _require_possible(
    store: Store, actor: User, project: Project, format_name: str, options: GoldOptions, *, has_names: bool
) -> None:
    """Raise for what a format cannot hold, and for what the person may not have in it."""
    if format_name not in WRITABLE:
        raise InvalidValue(unknown(_("format"), format_name, ", ".join(WRITABLE)))
    holds_unfinished = format_name in WHOLE or (
        options.include_submitted and not project.settings.researchers_see_submitted
    )
    if holds_unfinished or has_names or options.is_of_people:
        require(store, actor, project.id, "see all annotations")
    if has_names and format_name not in WITH_PEOPLE:
        raise InvalidValue(
            _("{option} is only for {names}. Remove it.", names=", ".join(WITH_PEOPLE), option="--names")
        )
    if options.whose is not None and not options.is_of_people and format_name in WHOLE:
        raise InvalidValue(
            _("--unhelped is for gold formats; {formats} say it of each set.", formats=listed(sorted(WHOLE), "and"))
        )
    if options.is_of_people and (format_name in WHOLE or options.gold_policy is not None):
        raise InvalidValue(_("--annotator is for gold formats, without --gold-policy. Remove one."))
    if options.half not in HALVES:
        raise InvalidValue(
            _(
                "'{what}' must be one of {known}, not '{value}'.",
                what="half",
                known=", ".join(HALVES),
                value=options.half,
            )
        )
    if format_name == "contrast" and options.half != "both":
        raise ExportRefused(_("Contrast sets need perturbed versions too. Export both halves."))


def _require_person(store: Store, project: Project, options: GoldOptions) -> None:
    """Raise NotFound where nobody of that name has an annotation that counts; one pass, which ends at the first."""
    if options.whose is None or any(of for _, of in annotations_that_count(store, project, options)):
        return
    if options.is_of_people:
        raise NotFound(_("No accepted annotation here is by '{name}'.", name=options.whose.group))
    raise NotFound(_("No accepted annotation is known to be without help. Export all, without --unhelped."))


def _write_annotations(pairs: Iterator[_Annotated], project: Project, path: Path) -> int:
    from annotator.formats.parquet.writer import write_annotations as write  # noqa: PLC0415

    return write(path, pairs, WriteOptions(project, project.settings.gold_policy))


class _Counter:
    """Counts what passes."""

    def __init__(self) -> None:
        self.n = 0
        self.n_versions = 0
        self.n_annotations = 0
        self.not_in_gold = Counter[str]()

    def count_versions(self, items: Iterator[GoldInstance]) -> Iterator[GoldInstance]:
        for item in items:
            self.n_versions += item.instance.parent_key is not None
            yield item

    def count(self, items: Iterator[GoldInstance]) -> Iterator[GoldInstance]:
        for item in items:
            self.n += 1
            yield item

    def count_annotations(self, pairs: Iterator[_Annotated]) -> Iterator[_Annotated]:
        for instance, annotations in pairs:
            self.n_annotations += len(annotations)
            yield instance, annotations

    def count_instances(self, items: Iterator[source_values.SourceItem]) -> Iterator[source_values.SourceItem]:
        for item in items:
            self.n += isinstance(item, source_values.SourceInstance)
            yield item


def everything_of(store: Store, project: Project, split: str | None = None) -> Iterator[source_values.SourceItem]:
    """Our own export: the project's rules and members, documents, instances with all their annotations and work, events."""
    yield _header(store, project)
    yield from list_word_lists(store, project.id)
    for segment in iterate_named_documents(store, project.id):
        yield source_values.SourceDocument(
            segment.docid or "", source_values.SourceText(segment.body.text, segment.body)
        )
    all_places: dict[int, int] = {}
    for instances in iterate_instance_batches(store, project.id, split=split):
        ids = [instance.id for instance in instances]
        annotations, works = annotations_of(store, ids), work_of_instances(store, ids)
        proposals = proposals_of_instances(store, ids)
        proposed, log = proposed_of_instances(store, ids), help_of_instances(store, ids)
        places = {a.id: position for of_one in annotations.values() for position, a in enumerate(of_one)}
        all_places |= places
        rounds = export_sources_store.rounds_as_sources(store, ids, places)
        choices = export_sources_store.choices_as_sources(store, ids, places)
        put_first = positions_put_first(store, ids)
        threads, shown = export_sources_store.threads_as_sources(store, ids, places), shown_of_instances(store, ids)
        named, extra = named_of_instances(store, ids), extra_annotators_of(store, ids)
        for instance in instances:
            works_of_one = [
                _source_work(
                    work, instance, places, proposed.get(work.assignment.id, ()), log.get(work.assignment.id, ())
                )
                for work in works.get(instance.id, [])
            ]
            source = _source_instance(instance, annotations[instance.id], works_of_one)
            yield dataclasses.replace(
                source, proposals=tuple(p.as_source() for p in proposals.get(instance.id, [])),
                rounds=rounds.get(instance.id, ()), choice=choices.get(instance.id), threads=threads.get(instance.id, ()),
                shown=shown.get(instance.id, ()), put_first=put_first.get(instance.id),
                extra_annotators=extra.get(instance.id, 0), named_as=named[instance.id][0] if instance.id in named else None,
                named=named[instance.id][1] if instance.id in named else (),
            )  # fmt: skip
    yield from _outputs(store, project, split)
    yield from sufficient_sets_as_sources(store, project.id, split)
    yield from lists_as_sources(store, project.id, split)
    yield from views_as_sources(store, project.id)
    if split is None:
        yield from qualification_as_source(store, project)
    yield from trainings_as_sources(store, project.id, split)
    if split is None:
        yield from releases_as_sources(store, project.id)
    yield from export_sources_store.perturbations_as_sources(store, project.id, split)
    if split is None:
        yield from export_sources_store.audits_as_sources(store, project.id)
    perturbations = export_sources_store.places_of_perturbations(store, project.id)
    for event in all_events(store, project.id):
        yield SourceEvent(
            event.at, event.actor, event.action, event.subject, event.key,
            _with_places(event.detail, all_places, perturbations), event.split,
        )  # fmt: skip


def _outputs(store: Store, project: Project, split: str | None) -> Iterator[StoredOutput]:
    """What each run says of each instance; instances are named by key and split."""
    names = {number: (key, of_split) for number, key, of_split in queue_keys(store, project.id)}
    for stored in list_runs(store, project.id):
        for output in iterate_outputs(store, stored.id):
            key, of_split = names[output.instance_id]
            if split is None or of_split == split:
                yield StoredOutput(key, of_split, stored.run, dataclasses.replace(output, instance_id=0))


def _with_places(
    detail: Mapping[str, object], annotations: Mapping[int, int], perturbations: Mapping[int, int]
) -> dict[str, object]:
    """An event's detail with annotation and perturbation named by their places: numbers mean nothing in another database."""
    named = dict(detail)
    for name, places in (("annotation", annotations), ("perturbation", perturbations)):
        number = detail.get(name)
        if isinstance(number, int):
            named[name] = places.get(number)
    if "perturbation" in named:
        named.pop("instance", None)  # what it became; the perturbation itself says so
    return named


def _header(store: Store, project: Project) -> SourceProject:
    return SourceProject(
        name=project.name,
        task=project.task.name,
        segments=tuple(dataclasses.asdict(segment) for segment in project.task.segments),
        labels=project.labels,
        language=project.language,
        settings=json.loads(settings_json(project.settings.portable)),
        guidelines=project.guidelines,
        question=project.question,
        licence=project.licence,
        citation=project.citation,
        members=tuple((user.name, role) for user, role in list_members(store, project.id)),
        guidelines_versions=tuple(versions_of(store, project.id)),
        guidelines_read=tuple(readings_of(store, project.id)),
    )


def _source_instance(
    instance: Instance, annotations: list[Annotation], works: Sequence[source_values.SourceWork]
) -> source_values.SourceInstance:
    layout = instance.layout
    return source_values.SourceInstance(
        key=instance.key,
        segments={segment.name: _source_text(segment) for segment in instance.segments},
        source="",
        line=None,
        split=instance.split,
        language=instance.language,
        result=instance.result,
        annotations=tuple(
            source_values.SourceAnnotation(
                a.annotator,
                a.result,
                to_source_sets(a.sets, layout),
                a.note,
                a.round_number,
                a.state,
                by_user=a.assignment_id is not None,
                created_at=a.created_at,
                guidelines=a.guidelines,
                origins=tuple(rationale_set.origin for rationale_set in a.sets),
            )
            for a in annotations
        ),
        target=to_source_span(*instance.target, layout) if instance.target else None,
        parent_key=instance.parent_key,
        perturbation_kind=instance.perturbation_kind,
        is_exhaustive=instance.is_exhaustive,
        metadata=instance.metadata,
        state=instance.state,
        work=tuple(works),
    )


def _source_text(segment: Segment) -> source_values.SourceText | str:
    return segment.docid if segment.docid is not None else source_values.SourceText(segment.body.text, segment.body)


def _source_work(
    work: HeldWork, instance: Instance, places: Mapping[int, int], proposed: Sequence[source_values.SourceProposedSet],
    log: Sequence[source_values.SourceHelp],
) -> source_values.SourceWork:  # fmt: skip
    draft, follows = work.assignment.draft, work.assignment.follows_id
    return source_values.SourceWork(
        user=work.user_name, round_number=work.assignment.round_number, state=work.assignment.state,
        revision=work.assignment.revision,
        draft=source_values.SourceAnnotation(
            work.user_name, draft.result, to_source_sets(draft.sets, instance.layout), draft.note
        ),
        no_rationale=draft.no_rationale, first_view_at=work.first_view_at, first_action_at=work.first_action_at,
        submitted_at=work.submitted_at, active_ms=work.active_ms, idle_ms=work.idle_ms, edits=work.edits,
        follows=None if follows is None else places[follows], origins=draft.origins, unlocked=draft.unlocked,
        proposed=tuple(proposed), arm=work.assignment.arm, help=tuple(log),
    )  # fmt: skip
