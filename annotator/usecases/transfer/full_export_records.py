"""What only our own JSONL brings: rules, reviews, training, releases, and the record of events."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import cast

from annotator.domain import own_sources
from annotator.domain.models import Output, Run, StoredOutput, change_of
from annotator.domain.numbers import by_key
from annotator.domain.people import PROJECT_ROLES
from annotator.domain.perturbations import get_kind
from annotator.domain.project.qualification import AUDIENCES, PURPOSES, Known, QualificationRules
from annotator.domain.project.releases import GoldTally, Release
from annotator.domain.projects import Project, kinds_of
from annotator.domain.sources import SourceInstance, SourceItem
from annotator.domain.sufficient_sets import all_tokens
from annotator.domain.suites import WordList
from annotator.errors import InvalidValue, Problem
from annotator.formats.own.releases import pack, unpack
from annotator.language import _
from annotator.perturb.versions import changed_instance
from annotator.review.gold import spoiled
from annotator.store import Store, models
from annotator.store.events import record_event
from annotator.store.gold.releases import add_part, add_release, parts_of, releases_of
from annotator.store.instances import find_instance_ids, get_instance, ids_of_keys, places_of, queue_keys
from annotator.store.people import account_for, add_role
from annotator.store.perturb.perturbations import perturbation_of_instance, perturbations_of
from annotator.store.project.guidelines import add_version, newest_number, note_read, restore_versions, versions_of
from annotator.store.projects import instance_counts, settings_from, update_project
from annotator.store.qualification import rules as items_store
from annotator.store.qualification.rules import add_grant, add_rules, newest_rules, people_who_may_work
from annotator.store.saved_lists import find_list, find_view, restore_list, restore_view
from annotator.store.suites import find_word_list, save_word_list
from annotator.store.trained_models import find_training, save_training
from annotator.store.transfer.export_sources import (
    annotation_ids_of,
    perturbation_at,
    restore_audit,
    restore_perturbation,
)
from annotator.usecases.gold import find_gold
from annotator.usecases.transfer.import_report import ImportReport
from annotator.usecases.transfer.output_plan import strange_label_report, strange_labels

# Events of audits, which are told of the instance that a changed version became, and not of its original.
_OF_WHAT_A_VERSION_BECAME = frozenset({"judge version", "send back version", "discard version"})


class Restorer:
    """Takes a full export back into an empty project. People whom this database does not know get a disabled account."""

    def __init__(self, store: Store, project: Project) -> None:
        self.store = store
        self.project = project
        self.runs = models.RunFinder(store, project.id)
        self.was_empty = not instance_counts(store, project.id)
        self.versions: frozenset[int] = frozenset()  # of the file's guidelines: those that the project has as well
        self.n_unknown_versions = 0

    def take_header(self, header: own_sources.SourceProject) -> Project:
        """The rules of the file, when the project is still empty; the format has checked that the task fits."""
        if self.was_empty:
            self.project = replace(
                self.project, labels=header.labels, language=header.language,
                settings=settings_from(dict(header.settings)).portable, guidelines=header.guidelines,
                question=header.question, licence=header.licence, citation=header.citation,
            )  # fmt: skip
            update_project(self.store, self.project)
            for name, role in header.members:
                self._add_member(name, role)
            self._take_guidelines(header)
        here = {version.number: version.text for version in versions_of(self.store, self.project.id)}
        self.versions = frozenset(v.number for v in header.guidelines_versions if here.get(v.number) == v.text)
        return self.project

    def _take_guidelines(self, header: own_sources.SourceProject) -> None:
        """The versions of the file with who has read them; where the project has versions already, the text as a new one."""
        store, project_id = self.store, self.project.id
        if newest_number(store, project_id) is None:
            restore_versions(store, project_id, header.guidelines_versions)
            for name, number, at in header.guidelines_read:
                note_read(store, project_id, self._user_id(name), number, at)
        versions = versions_of(store, project_id)
        if header.guidelines != (versions[-1].text if versions else ""):
            add_version(store, project_id, header.guidelines, "a file")

    def with_known_versions(self, source: SourceInstance) -> SourceInstance:
        """Without numbers of versions of guidelines that mean nothing here, which are counted."""
        unknown = [a for a in source.annotations if a.guidelines is not None and a.guidelines not in self.versions]
        if not unknown:
            return source
        self.n_unknown_versions += len(unknown)
        annotations = (replace(a, guidelines=None) if a in unknown else a for a in source.annotations)
        return replace(source, annotations=tuple(annotations))

    def take_outputs(self, outputs: Sequence[StoredOutput], report: ImportReport) -> None:
        """What models say of instances that are stored; what is there already stays as it is."""
        ids = ids_of_keys(self.store, self.project.id, sorted({output.key for output in outputs}))
        by_run: dict[Run, list[Output]] = {}
        for output in outputs:
            candidates = [
                i for split, source_split, i in ids.get(output.key, []) if output.split in {split, source_split}
            ]
            problem = _misfit(output, self.store, candidates)
            strange = {} if self.was_empty else strange_labels(self.project, output.output)
            if problem:
                report.add_problem(Problem(output.source, output.line, "key", output.key, problem))
            elif strange:
                for label, of in strange.items():
                    reason = strange_label_report(self.project, label)
                    report.add_problem(Problem(output.source, output.line, of, label, reason))
            else:
                by_run.setdefault(output.run, []).append(replace(output.output, instance_id=candidates[0]))
        for run, of_run in by_run.items():
            run_id = self.runs.id_of(run)
            known = models.known_outputs(self.store, run_id, [output.instance_id for output in of_run])
            changes = [change_of(known.get(output.instance_id), output) for output in of_run]
            models.write_outputs(self.store, run_id, [change.output for change in changes if not change.overwritten])

    def take_word_lists(self, lists: Sequence[WordList]) -> None:
        """Word lists whose names are free; one that is there already stays as it is."""
        for saved in lists:
            if find_word_list(self.store, self.project.id, saved.name) is None:
                save_word_list(self.store, self.project.id, saved, created_by="a file")

    def take_lists(self, lists: Sequence[own_sources.SourceList], report: ImportReport) -> None:
        """Saved lists whose names are free; one that is there already stays as it is."""
        for source in lists:
            if find_list(self.store, self.project.id, source.name) is not None:
                continue
            members, missing = self._members(source)
            if missing is not None:
                report.add_problem(_unknown(source, "members", missing))
            else:
                user_id = self._user_id(source.made_by) if source.by_user else None
                restore_list(self.store, self.project.id, source, user_id, members)

    def take_views(self, views: Sequence[own_sources.SourceView]) -> None:
        """Saved views whose names are free; one that is there already stays as it is."""
        for source in views:
            if find_view(self.store, self.project.id, source.name) is None:
                restore_view(
                    self.store, self.project.id, source, self._user_id(source.made_by) if source.by_user else None
                )

    def take_sufficient_sets(self, sources: Sequence[own_sources.SourceSufficientSets], report: ImportReport) -> None:
        """Models' own sets; what was found here in the same way stays as it is."""
        for source in sources:
            number = self._instance_id((source.key, source.split))
            n_tokens = 0 if number is None else get_instance(self.store, number).layout.n_selectable
            strange = [token for of_set in all_tokens(source.sets) for token in of_set if not 0 <= token < n_tokens]
            if number is None:
                report.add_problem(Problem(source.source, source.line, "key", source.key, _("unknown instance")))
                continue
            if strange:
                reason = _("No token {index}: the input has {n}.", index=strange[0], n=n_tokens)
                report.add_problem(Problem(source.source, source.line, "sets", source.key, reason))
                continue
            model_id = models.add_model(self.store, self.project.id, source.model)
            if not models.sufficient_sets_of(self.store, self.project.id, source.model, source.parameters, [number]):
                models.store_sufficient_sets(self.store, model_id, source.parameters, {number: source.sets})

    def take_trainings(self, trainings: Sequence[own_sources.SourceTraining], report: ImportReport) -> None:
        """What models learned from; of a model that was trained here it stays as it is."""
        for source in trainings:
            if find_training(self.store, self.project.id, source.model) is not None:
                continue
            members, missing = self._members(source)
            if missing is not None:
                report.add_problem(_unknown(source, "members", missing))
            else:
                save_training(
                    self.store, self.project.id, source.model, digest=source.digest, seed=source.seed, split=source.split,
                    held_out=source.held_out, instance_ids=members, trained_at=source.trained_at,
                )  # fmt: skip

    def take_perturbations(self, perturbations: Sequence[own_sources.SourcePerturbation], report: ImportReport) -> None:
        """Perturbations with their versions and checks; only into a project that was empty, where none can be there already."""
        for source in perturbations if self.was_empty else ():
            original_id = self._instance_id(source.original)
            instance_id = None if source.instance is None else self._instance_id(source.instance)
            problem = self._perturbation_problem(source, original_id, instance_id)
            if problem or original_id is None:
                report.add_problem(Problem(source.source, source.line, "perturbation", str(source.original), problem))
            else:
                restore_perturbation(self.store, self.project.id, source, original_id, instance_id, self._user_id)

    def take_audits(self, audits: Sequence[own_sources.SourceAudit], report: ImportReport) -> None:
        """Audits, after the perturbations that they drew; only into a project that was empty."""
        for source in audits if self.was_empty else ():
            members = self._audited(source)
            if members is None:
                report.add_problem(_unknown(source, "items", source.made_at))
            else:
                restore_audit(self.store, self.project.id, source, members, self._user_id)

    def _audited(self, source: own_sources.SourceAudit) -> list[tuple[int, int]] | None:
        """The numbers of the perturbation and the instance of each item; None where one is missing."""
        members: list[tuple[int, int]] = []
        for item in source.items:
            original_id, instance_id = self._instance_id(item.original), self._instance_id(item.instance)
            number = None if original_id is None else perturbation_at(self.store, original_id, item.place)
            if number is None or instance_id is None:
                return None
            members.append((number, instance_id))
        return members

    def _perturbation_problem(
        self, source: own_sources.SourcePerturbation, original_id: int | None, instance_id: int | None
    ) -> str:
        """Why one cannot be stored, or could never be checked; "" where it can."""
        if original_id is None or (instance_id is None) != (source.instance is None):
            return _("unknown instance")
        if instance_id is not None and perturbation_of_instance(self.store, instance_id) is not None:
            return _("'{instance}' already comes from another perturbation", instance=source.instance)
        original = get_instance(self.store, original_id)
        try:
            for version in source.versions:
                get_kind(version.changed.kind, kinds_of(self.project))
                changed_instance(original, version.changed)
        except InvalidValue as error:
            return str(error)
        return ""

    def _instance_id(self, key_and_split: tuple[str, str]) -> int | None:
        numbers = find_instance_ids(self.store, self.project.id, *key_and_split)
        return numbers[0] if numbers else None

    def _members(self, source: own_sources.SourceList | own_sources.SourceTraining) -> tuple[list[int], str | None]:
        """The instances that are named, each once; and the key of the first that is not there."""
        ids = ids_of_keys(self.store, self.project.id, sorted({key for key, _ in source.members}))
        numbers: dict[int, None] = {}
        for key, split in source.members:
            candidates = [i for now, before, i in ids.get(key, []) if split in {now, before}]
            if not candidates:
                return [], key
            numbers[candidates[0]] = None
        return list(numbers), None

    def take_events(self, events: Sequence[own_sources.SourceEvent]) -> None:
        """The record goes on where the export ended; only into a project that was empty."""
        for event in events if self.was_empty else ():
            subject_id = self._subject_id(event)
            detail = self._with_numbers(event, subject_id) if event.subject == "instance" else event.detail
            record_event(
                self.store, event.at, event.actor, event.action, event.subject, subject_id, self.project.id, detail
            )

    def _with_numbers(self, event: own_sources.SourceEvent, instance_id: int | None) -> Mapping[str, object]:
        """The annotation and the perturbation that an event names by their places, by their numbers here."""
        detail, restored = event.detail, dict(event.detail)
        if isinstance(position := detail.get("annotation"), int):
            ids = [] if instance_id is None else annotation_ids_of(self.store, [instance_id])[instance_id]
            restored["annotation"] = ids[position] if 0 <= position < len(ids) else None
        if event.action in _OF_WHAT_A_VERSION_BECAME:
            became = None if instance_id is None else perturbation_of_instance(self.store, instance_id)
            restored["perturbation"] = became and became.id
        elif isinstance(position := detail.get("perturbation"), int):
            versions = [] if instance_id is None else perturbations_of(self.store, instance_id)
            version = versions[position] if 0 <= position < len(versions) else None
            restored |= {"perturbation": version and version.id, "instance": version and version.instance_id}
        return restored

    def _subject_id(self, event: own_sources.SourceEvent) -> int | None:
        if event.subject == "project":
            return self.project.id
        if event.subject == "instance":
            numbers = find_instance_ids(self.store, self.project.id, event.key, event.split)
            return numbers[0] if numbers else None
        return None

    def _add_member(self, name: str, role: str) -> None:
        if role in PROJECT_ROLES:
            add_role(self.store, self.project.id, account_for(self.store, name), role)

    def _user_id(self, name: str) -> int:
        return cast("int", account_for(self.store, name).id)


def _unknown(
    source: own_sources.SourceList
    | own_sources.SourceTraining
    | own_sources.SourceAudit
    | own_sources.SourceQualification,
    name: str,
    value: str,
) -> Problem:
    """A record names an instance that the file did not bring."""
    return Problem(source.source, source.line, name, value, _("unknown instance"))


def _misfit(output: StoredOutput, store: Store, instance_ids: Sequence[int]) -> str:
    """Why an output cannot be stored; "" where it can."""
    if not instance_ids:
        return _("unknown instance")
    layout = places_of(store, instance_ids[:1])[instance_ids[0]].layout
    if any(len(a.scores) not in {layout.n_selectable, layout.n_tokens} for a in output.output.attributions):
        return _("scores don't match the {n_tokens} tokens", n_tokens=layout.n_tokens)
    rankings = [a.ranking or () for a in output.output.attributions] + [r.ranking for r in output.output.rationales]
    quoted = [spans for r in output.output.rationales if r.quotes is not None for spans in r.quotes.sets]
    spans = [span for of in (*(r.spans for r in output.output.rationales), *quoted) for span in of]
    ends = [end for start, end in spans if start < end]
    is_outside = max(ends, default=0) > layout.n_tokens or any(t >= layout.n_tokens for of in rankings for t in of)
    return _("token outside the instance") if is_outside or len(ends) < len(spans) else ""


# Releases in our own JSONL: written with their gold, and restored as they were.


def releases_as_sources(store: Store, project_id: int) -> Iterator[SourceItem]:
    """The releases of a project, each with its gold behind it."""
    for release in releases_of(store, project_id):
        yield own_sources.SourceRelease(
            release.number, release.name, release.rules, release.gold, release.made_by, release.user_id is not None,
            release.created_at, release.secret, release.n_erased,
        )  # fmt: skip
        for part in parts_of(store, release.id):
            yield from (own_sources.SourceFrozen(release.number, item) for item in unpack(part))


class ReleaseRestorer:
    """Takes releases back into a project that was empty; into another one they are not taken, whose numbers are its own.

    What was changed in the file is refused: a number that papers cite must stand for what it stood for.
    """

    def __init__(self, store: Store, project_id: int, *, is_wanted: bool) -> None:
        self.store = store
        self.project_id = project_id
        self.is_wanted = is_wanted
        self.taken: dict[int, tuple[int, own_sources.SourceRelease, GoldTally]] = {}

    def take(self, source: own_sources.SourceRelease, report: ImportReport) -> None:
        """A release without its gold."""
        if not self.is_wanted:
            return
        if source.number in self.taken or source.name in {taken.name for _id, taken, _tally in self.taken.values()}:
            reason = _("two releases with this number or name; keep one")
            report.add_problem(Problem(source.source, source.line, "number", str(source.number), reason))
            return
        user_id = account_for(self.store, source.made_by).id if source.by_user else None
        release_id = add_release(self.store, _release(source, self.project_id, user_id))
        self.taken[source.number] = (release_id, source, GoldTally(source.rules.is_exhaustive))

    def take_gold(self, batch: Sequence[own_sources.SourceFrozen], report: ImportReport) -> None:
        """Instances of releases that came before them."""
        by_release = by_key((frozen.release, frozen.gold) for frozen in (batch if self.is_wanted else ()))
        for number, items in by_release.items():
            if number not in self.taken:
                reason = _("release {number} is missing before it", number=number)
                report.add_problem(Problem("", None, "release", str(number), reason))
                continue
            release_id, _source, tally = self.taken[number]
            add_part(self.store, release_id, pack(number, list(tally.counted(items))))

    def check(self, report: ImportReport) -> None:
        """Every release has the gold that its digest is of; of those that people were erased from, as many instances."""
        for number, (_id, source, tally) in self.taken.items():
            has_all = tally.result.n_instances == source.gold.n_instances
            is_same = has_all and (source.n_erased > 0 or tally.result.digest == source.gold.digest)
            if not is_same:
                reason = _("the gold doesn't match its digest. Use the original file")
                report.add_problem(Problem(source.source, source.line, "digest", f"release {number}", reason))


def _release(source: own_sources.SourceRelease, project_id: int, user_id: int | None) -> Release:
    return Release(
        0, project_id, source.number, source.name, source.rules, source.gold, source.made_by, user_id,
        source.created_at, 0, source.secret, source.n_erased,
    )  # fmt: skip


# Training in our own JSONL: its rules, its texts, and who may work; what people answered stays in the database.


_FILE = "a file"


def qualification_as_source(store: Store, project: Project) -> Iterator[own_sources.SourceQualification]:
    """What there is of it, if there is anything."""
    stored = {audience: newest_rules(store, project.id, audience) for audience in AUDIENCES}
    items = [item for purpose in PURPOSES for item in items_store.list_items(store, project.id, purpose)]
    passed = [(audience, name) for audience in AUDIENCES for name in people_who_may_work(store, project.id, audience)]
    if not items and not passed and not any(rules.number for rules in stored.values()):
        return
    names = {number: (key, split) for number, key, split in queue_keys(store, project.id)}
    yield own_sources.SourceQualification(
        {audience: asdict(rules.rules) for audience, rules in stored.items() if rules.number},
        tuple(names[item.instance_id] for item in items),
        tuple((item.purpose, item.spoiling, item.seed) for item in items),
        tuple(passed),
    )


def take_qualification(
    store: Store, project: Project, sources: Sequence[own_sources.SourceQualification], report: ImportReport
) -> None:
    """Training of a file, where the project has no rules of it and no texts for it yet."""
    for source in sources:
        if any(newest_rules(store, project.id, audience).number for audience in AUDIENCES):
            continue
        missing = _take_items(store, project, source)
        if missing is not None:
            report.add_problem(_unknown(source, "members", missing))
            continue
        for audience, rules in source.rules.items():
            add_rules(store, project.id, audience, QualificationRules(**rules), _FILE)  # type: ignore[arg-type]
        for audience, name in source.passed:
            add_grant(store, project.id, audience, account_for(store, name).id or 0, "let through", _FILE)


def _take_items(store: Store, project: Project, source: own_sources.SourceQualification) -> str | None:
    """Pick the texts that the file names; answers the key of the first that is not there, and picks none then."""
    ids = ids_of_keys(store, project.id, sorted({key for key, _ in source.members}))
    numbers = []
    for key, split in source.members:
        number = next((i for now, before, i in ids.get(key, []) if split in {now, before}), None)
        if number is None:
            return key
        numbers.append(number)
    for number, (purpose, spoiling, seed) in zip(numbers, source.items, strict=True):
        known = _known(store, project, number)
        if purpose == "reviewers":
            selectable = range(get_instance(store, number).layout.n_selectable)
            known = spoiled(known, spoiling, seed, selectable) or known
        items_store.add_item(store, project.id, purpose, number, known, _FILE, spoiling=spoiling, seed=seed)
    return None


def _known(store: Store, project: Project, instance_id: int) -> Known:
    """The gold that came with the text; without sets where it has none now, which the lead is told."""
    gold = find_gold(store, project, get_instance(store, instance_id))
    return Known(None, ()) if gold is None else Known(gold.result, gold.sets)
