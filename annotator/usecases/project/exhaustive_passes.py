"""Making a second pass: a project with the rules of another and copies of chosen texts, to mark all their evidence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from annotator.assignment.orders import drawn
from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.people import User, has_right
from annotator.domain.project.evidence import EvidenceCopy, Selection
from annotator.domain.projects import Project
from annotator.domain.sources import SourceDocument, SourceInstance, SourceText
from annotator.domain.texts import union_of_tokens
from annotator.errors import Conflict, InvalidValue
from annotator.language import _
from annotator.store import Store
from annotator.store.annotate.visibility import note_shown
from annotator.store.events import add_event
from annotator.store.instances import find_instance_ids, split_names
from annotator.store.people import add_role, list_members, roles_of
from annotator.store.project import evidence_passes as passes_store
from annotator.store.projects import get_project_by_id, list_projects_of, update_project
from annotator.store.qualification.rules import copy_rules
from annotator.store.suites import list_word_lists, save_word_list
from annotator.text.source_spans import to_source_span
from annotator.usecases.access.rights import require
from annotator.usecases.evidence.exhaustive_gold import packed_gold
from annotator.usecases.gold import GoldOptions, gold_instances, require_split
from annotator.usecases.notices.notices import tell
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake

# A new project with the rules of another: task, labels, settings, guidelines, word lists, training, without its texts.


def projects_to_copy(store: Store, actor: User) -> list[Project]:
    """The projects whose rules somebody may take: those that they lead, and all of them for an administrator."""
    return [
        project
        for project in list_projects_of(store, actor)
        if actor.is_administrator or "lead" in roles_of(store, actor, project.id)
    ]


def copy_project(store: Store, actor: User, source_id: int, name: str, *, has_people: bool = False) -> Project:
    """The new project, of which whoever copies is the lead; has_people: everybody has the roles that they have in the other."""
    with store.transaction():
        require(store, actor, source_id, "manage project")
        source = get_project_by_id(store, source_id)
        project = create_project(
            store, actor, name, source.task, labels=source.labels, language=source.language,
            # There are no answers to go by yet, and it is no second pass of another.
            settings=replace(source.settings, model_order=None, are_first_sets_proposed=False),
            guidelines=source.guidelines,
        )  # fmt: skip
        project = replace(project, question=source.question)
        update_project(store, project)
        for words in list_word_lists(store, source_id):
            save_word_list(store, project.id, words, created_by=actor.name)
        copy_rules(store, source_id, project.id, actor.name)
        if has_people:
            for user, role in list_members(store, source_id):
                add_role(store, project.id, user, role)
                tell(store, actor, [user.id], project.id, "role", detail=role)
        add_event(
            store, actor.name, "copy rules", "project", project.id,
            project_id=project.id, source=source.name, has_people=has_people,
        )  # fmt: skip
    return project


QUESTION = (
    "Mark every piece of evidence for “{result}”. What the first pass marked is drawn dashed: accept or change it, then add the "
    "rest."
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a selection comes to, said before the pass is made.

    n_gold:       texts with gold that are complete and not in a pass yet, of which it takes n
    n_in_passes:  texts with gold that are in one already
    n_open:       texts with gold that still wait for annotators or for a decision, and so are left out
    n_tokens:     of the gold of the chosen ones
    n_without_annotator: of the chosen ones, those that all annotators of the project have annotated
    """

    n: int
    n_gold: int
    n_in_passes: int
    n_open: int
    n_tokens: int
    n_without_annotator: int


def count_chosen(store: Store, actor: User, project: Project, selection: Selection) -> Chosen:
    """What a pass over a selection would hold; nothing is made."""
    require(store, actor, project.id, "manage project")
    require_split(store, [project], selection.split)
    gold = list(gold_instances(store, project, project.settings.gold_policy, GoldOptions(split=selection.split)))
    in_passes = passes_store.originals_in_passes(store, project.id)
    free = [item for item in gold if item.instance.id not in in_passes]
    chosen = _draw(_complete(free), selection)
    return Chosen(
        len(chosen),
        len(_complete(free)),
        len(gold) - len(free),
        len(free) - len(_complete(free)),
        sum(len(union_of_tokens(item.sets)) for item in chosen),
        _count_without_annotator(store, project, chosen),
    )


def splits_to_choose(store: Store, project: Project) -> list[str]:
    """The splits whose texts alone may get a second pass."""
    return sorted(split_names(store, [project.id]) - {""})


def start_pass(
    store: Store, actor: User, source_id: int, name: str, selection: Selection, *, is_automatic: bool = False,
    may_repeat: bool = False, has_people: bool = True,
) -> Project:  # fmt: skip
    """Make the second pass of a project; answers its project, of which the actor is the lead.

    is_automatic: what is accepted is taken over at once; may_repeat: whoever annotated a text may be given it again;
    has_people:   everybody has the roles that they have in the first project
    Raises: InvalidValue where nothing is chosen, or the project asks for labels alone; Conflict of a project that is a pass
    """
    with store.transaction():
        require(store, actor, source_id, "manage project")
        source = get_project_by_id(store, source_id)
        chosen = _chosen(store, source, selection)
        project = _with_its_rules(store, copy_project(store, actor, source_id, name, has_people=has_people))
        passes_store.add_pass(store, project.id, source_id, actor.name, is_automatic=is_automatic)
        _add_texts(store, project, chosen)
        passes_store.add_copies(store, [_copy(store, project, item) for item in chosen])
        if not may_repeat:
            for copy_id, user_id in passes_store.annotators_of_originals(store, project.id):
                note_shown(store, copy_id, user_id)
        add_event(
            store, actor.name, "start evidence pass", "project", source_id, project_id=source_id,
            evidence_pass=project.name, texts=len(chosen), split=selection.split, sample=selection.n, seed=selection.seed,
            is_automatic=is_automatic, may_repeat=may_repeat,
        )  # fmt: skip
    return project


def _chosen(store: Store, source: Project, selection: Selection) -> list[GoldInstance]:
    if source.settings.result_mode == "labels_only":
        raise InvalidValue(_("'{name}' asks for labels only.", name=source.name))
    if passes_store.find_pass(store, source.id) is not None:
        raise Conflict(_("'{name}' is a second pass. Start from the first.", name=source.name))
    require_split(store, [source], selection.split)
    gold = gold_instances(store, source, source.settings.gold_policy, GoldOptions(split=selection.split))
    in_passes = passes_store.originals_in_passes(store, source.id)
    chosen = _draw(_complete([item for item in gold if item.instance.id not in in_passes]), selection)
    if not chosen:
        raise InvalidValue(_("No text of '{name}' is complete, has gold and is in no second pass.", name=source.name))
    return chosen


def _complete(gold: Sequence[GoldInstance]) -> list[GoldInstance]:
    return [item for item in gold if item.instance.state == "complete"]


def _draw(gold: Sequence[GoldInstance], selection: Selection) -> list[GoldInstance]:
    n = len(gold) if selection.n is None else selection.n
    return drawn(gold, n, selection.seed, lambda item: f"{item.instance.split}\0{item.instance.key}")


def _count_without_annotator(store: Store, project: Project, chosen: Sequence[GoldInstance]) -> int:
    annotators = {
        user.id
        for user, _ in list_members(store, project.id)
        if has_right(user, roles_of(store, user, project.id), "annotate")
    }
    if not annotators:
        return 0  # roles are still to be given
    people = passes_store.annotators_of(store, [item.instance.id for item in chosen])
    return sum(annotators <= people.get(item.instance.id, set()) for item in chosen)


def _with_its_rules(store: Store, project: Project) -> Project:
    """The rules of the first pass, but for what the second one asks: the label is given, and all evidence is marked."""
    settings = replace(
        project.settings,
        result_mode="confirm" if project.settings.result_mode == "confirm" else "contest",
        is_exhaustive=True,
        are_first_sets_proposed=True,
    )
    changed = replace(project, settings=settings, question=QUESTION)
    update_project(store, changed)
    return changed


def _add_texts(store: Store, project: Project, chosen: Sequence[GoldInstance]) -> None:
    report = ImportReport()
    Intake(store, project, ImportOptions(), report, lambda _: None).run(_sources(chosen))
    if report.problems:
        raise InvalidValue(_("A text can't be copied. {problems}", problems=report.problems[0]))


def _sources(chosen: Sequence[GoldInstance]) -> Iterator[SourceDocument | SourceInstance]:
    """Documents that have a name of their own, each once and before its texts, and the texts with their gold result."""
    written: set[str] = set()
    for item in chosen:
        for segment in item.instance.segments:
            if segment.docid is not None and segment.docid not in written:
                written.add(segment.docid)
                yield SourceDocument(segment.docid, _own_text(segment), item.instance.language, "copy")
        yield _source(item.instance, item.result)


def _source(instance: Instance, result: str | None) -> SourceInstance:
    target = None if instance.target is None else to_source_span(*instance.target, instance.layout)
    return SourceInstance(
        instance.key, {segment.name: _text(segment) for segment in instance.segments}, source="copy", line=None,
        split=instance.split, language=instance.language, result=result, target=target, metadata=instance.metadata,
    )  # fmt: skip


def _text(segment: Segment) -> SourceText | str:
    return segment.docid if segment.docid is not None else _own_text(segment)


def _own_text(segment: Segment) -> SourceText:
    return SourceText(segment.body.text, segment.body)


def _copy(store: Store, project: Project, item: GoldInstance) -> EvidenceCopy:
    copy_id = find_instance_ids(store, project.id, item.instance.key, item.instance.split)[0]
    return EvidenceCopy(copy_id, item.instance.id, item.result, item.result, packed_gold(item))
