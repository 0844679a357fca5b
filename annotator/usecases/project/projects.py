"""Set up a project (also of a lead's own kind of task), change its rules, give people roles, and see how far it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain

from annotator.assignment.orders import queue_positions
from annotator.domain.people import PROJECT_ROLES, Right, Role, User, has_right
from annotator.domain.projects import Project, ProjectSettings, are_rationales_reviewed
from annotator.domain.tasks import SegmentSpec, Task, custom_task
from annotator.errors import InvalidValue, NotAllowed
from annotator.formats.rows.columns import FIELD_NAMES
from annotator.language import _, listed, unknown
from annotator.store import Store
from annotator.store import projects as projects_store
from annotator.store.annotate.instance_queue import list_put_first, set_queue_positions, settle_project
from annotator.store.annotate.proposals import count_open_proposals
from annotator.store.events import ALL_EVENTS, Event, EventFilter, add_event, count_events, list_events
from annotator.store.instances import InstanceRow, list_instances, queue_keys
from annotator.store.people import add_role, get_user, list_members, list_users, roles_of
from annotator.store.project.guidelines import add_version, note_read
from annotator.store.review.rounds import count_undecided, count_under_review
from annotator.usecases.access import rights
from annotator.usecases.access.accounts import lose_role
from annotator.usecases.notices.notices import tell, tell_of_stuck_rounds
from annotator.usecases.project.rules import checked_labels, checked_language, checked_name, checked_rules
from annotator.usecases.review.rounds import decide_all_complete

__all__ = ["ALL_EVENTS", "EventFilter", "InstanceRow"]

_CHANGEABLE = ("name", "labels", "language", "settings", "guidelines", "question", "licence", "citation")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a project is: instances by state, each person's work by state, and what waits for the lead.

    n_open_rounds: annotations that wait for scores, counted up to 10,000
    n_unseen:      texts that people were given ahead and have not seen yet
    """

    instances: dict[str, int]
    people: dict[str, dict[str, int]]
    n_open_proposals: int
    n_open_rounds: int
    n_unseen: int = 0

    @property
    def n_instances(self) -> int:
        return sum(n for state, n in self.instances.items() if state != "queued")

    @property
    def n_done(self) -> int:
        """Instances of which nothing more is to be done: what was discarded was work too."""
        return done_among(self.instances)

    @property
    def has_work_left(self) -> bool:
        """Whether anybody will annotate or score anything; not where files brought all that there is."""
        return self.n_done < self.n_instances or self.n_open_rounds > 0


def done_among(instances: Mapping[str, int]) -> int:
    """How many instances are done, of counts by state.

    >>> done_among({"open": 27, "queued": 20, "complete": 2, "discarded": 1})
    3
    """
    return instances.get("complete", 0) + instances.get("discarded", 0)


def create_project(
    store: Store, actor: User, name: str, task: Task, *, labels: Sequence[str] = (), language: str = "en",
    settings: ProjectSettings | None = None, guidelines: str = "",
) -> Project:  # fmt: skip
    """A new project; whoever makes it becomes its lead."""
    rights.require_may_create(store, actor)
    with store.transaction():
        project = projects_store.add_project(
            store, checked_name(store, name), task, labels=checked_labels(task, labels),
            language=checked_language(language), settings=settings, guidelines=guidelines,
        )  # fmt: skip
        if actor.id is not None:
            add_role(store, project.id, actor, "lead")
        if guidelines:
            _add_guidelines(store, actor, project)
        add_event(store, actor.name, "create", "project", project.id, project_id=project.id, name=project.name)
    return project


def change_project(store: Store, actor: User, project: Project, *, is_small: bool = False) -> Project:
    """Write a project's rules; the queue follows a change of order, and slots a change of annotators per instance.

    is_small: changed guidelines say the same as before, so that nobody is asked to read them again
    Raises: InvalidValue for a name that is taken, a label or a kind of changed versions that is taken away while it is in
            use, and rules that cannot be
    """
    with store.transaction():
        rights.require(store, actor, project.id, "manage project")
        before = projects_store.get_project_by_id(store, project.id)
        project = checked_rules(store, project, before)
        projects_store.update_project(store, project)
        _follow_settings(store, project, before.settings)
        if project.settings.checkers_per_perturbation < before.settings.checkers_per_perturbation:
            from annotator.usecases.perturb.checks import settle_all  # noqa: PLC0415  (brings NumPy)

            settle_all(store, actor, project)
        changed = [name for name in _CHANGEABLE if getattr(project, name) != getattr(before, name)]
        version = (
            {"guidelines": _add_guidelines(store, actor, project, is_small=is_small)} if "guidelines" in changed else {}
        )
        add_event(
            store, actor.name, "change", "project", project.id, project_id=project.id, changed=changed,
            settings=_changed_settings(before.settings, project.settings), **version,
        )  # fmt: skip
    return project


def _add_guidelines(store: Store, actor: User, project: Project, *, is_small: bool = False) -> int:
    """The project's guidelines are a version of their own, which whoever wrote it has read; answers its number."""
    number = add_version(store, project.id, project.guidelines, actor.name, is_small=is_small)
    if actor.id is not None:
        note_read(store, project.id, actor.id, number)
    return number


def _changed_settings(before: ProjectSettings, after: ProjectSettings) -> list[str]:
    return [rule.name for rule in fields(before) if getattr(before, rule.name) != getattr(after, rule.name)]


def _follow_settings(store: Store, project: Project, before: ProjectSettings) -> None:
    now = project.settings
    if (now.order, now.seed) != (before.order, before.seed):
        first = list_put_first(store, project.id)
        set_queue_positions(
            store, project.id, queue_positions(now.order, now.seed, queue_keys(store, project.id), first)
        )
    wanted = (now.annotators_per_instance, now.reviewers_per_annotation)
    if wanted != (before.annotators_per_instance, before.reviewers_per_annotation):
        settle_project(store, project.id)
        decide_all_complete(store, project)
        tell_of_stuck_rounds(store, project.id, rights.roles_with("review"))


def give_role(store: Store, actor: User, project_id: int, name: str, role: Role) -> None:
    """Let a person take part in a project."""
    if role not in PROJECT_ROLES:
        raise InvalidValue(unknown(_("role"), role, listed(PROJECT_ROLES)))
    with store.transaction():
        rights.require(store, actor, project_id, "manage project")
        user = get_user(store, name)
        rights.require_no_worker(user)
        is_new = role not in roles_of(store, user, project_id)
        add_role(store, project_id, user, role)
        if is_new:
            tell(store, actor, [user.id], project_id, "role", detail=role)
        add_event(store, actor.name, "give role", "project", project_id, project_id=project_id, user=name, role=role)


def take_role(store: Store, actor: User, project_id: int, name: str, role: Role) -> None:
    """Take a role in a project from a person. What they submitted stays; what they hold goes back to the queue.

    Raises: NotAllowed when nobody would lead the project any more, unless an administrator takes the role
    """
    with store.transaction():
        rights.require(store, actor, project_id, "manage project")
        user = get_user(store, name)
        if role == "lead" and not actor.is_administrator:
            _require_other_lead(store, project_id, user)
        lose_role(store, user, project_id, role)
        add_event(store, actor.name, "take role", "project", project_id, project_id=project_id, user=name, role=role)


def _require_other_lead(store: Store, project_id: int, user: User) -> None:
    leads = [member.id for member, role in list_members(store, project_id) if role == "lead" and not member.is_disabled]
    if leads == [user.id]:
        raise NotAllowed(_("Projects need a lead. Appoint another first."))


def projects_of(store: Store, user: User) -> list[Project]:
    """The projects in which a person takes part; an administrator sees all."""
    return projects_store.list_projects_of(store, user)


def progress_of(store: Store, actor: User, project_id: int) -> Progress:
    """How far a project is, for its lead."""
    rights.require(store, actor, project_id, "manage project")
    return Progress(
        projects_store.instance_counts(store, project_id),
        projects_store.assignment_counts(store, project_id),
        count_open_proposals(store, project_id),
        count_undecided(store, project_id),
        projects_store.count_unseen(store, project_id),
    )


def texts_under_review(store: Store, actor: User, project_id: int) -> int:
    """How many texts wait for scores alone; costs as much as there are rounds before reviewers, so not part of `progress_of`."""
    rights.require(store, actor, project_id, "manage project")
    return count_under_review(store, project_id)


def members_of(store: Store, actor: User, project_id: int) -> list[tuple[User, Role]]:
    """Who takes part, and as what."""
    rights.require(store, actor, project_id, "manage project")
    return list_members(store, project_id)


def missing_reviewers(store: Store, actor: User, project: Project) -> int:
    """How many people who may review are missing, so that an annotation could get as many reviewers as the project wants.

    Nobody reviews a text that they annotate: whoever may do both is left only where others suffice to annotate. Nobody is
    missing where nothing will be reviewed: no text is left, nobody annotates yet, or the project has no reviews.
    """
    progress = progress_of(store, actor, project.id)
    if not are_rationales_reviewed(project) or not progress.has_work_left:
        return 0
    reviewing, annotating = (_members_who_may(store, project.id, right) for right in ("review", "annotate"))
    if not annotating and not progress.n_open_rounds:
        return 0
    wanted = project.settings.annotators_per_instance
    must_annotate = min(max(0, wanted - len(annotating - reviewing)), len(annotating & reviewing))
    return max(0, project.settings.reviewers_per_annotation - (len(reviewing) - must_annotate))


def count_reviewers(store: Store, actor: User, project: Project) -> int:
    """How many people may review in a project."""
    rights.require(store, actor, project.id, "manage project")
    return len(_members_who_may(store, project.id, "review"))


def missing_annotators(store: Store, actor: User, project: Project) -> int:
    """How many annotators are missing, so that each text that is left could get as many as the project wants.

    Besides annotators, leads count who have had a text here, or all where there are no annotators.
    """
    progress = progress_of(store, actor, project.id)
    if progress.n_done == progress.n_instances:
        return 0
    may_annotate = _members_who_may(store, project.id, "annotate")
    annotators = {user.id for user, role in list_members(store, project.id, with_workers=True) if role == "annotator"}
    annotating = {
        n for n in may_annotate if n in annotators or (n and projects_store.assignment_counts_of(store, project.id, n))
    } or may_annotate
    return max(0, project.settings.annotators_per_instance - len(annotating))


def _members_who_may(store: Store, project_id: int, right: Right) -> set[int | None]:
    members = list_members(store, project_id, with_workers=True)
    return {user.id for user, role in members if has_right(user, frozenset({role}), right)}


def people_to_choose(store: Store, actor: User, project_id: int) -> list[str]:
    """Names of everyone who can sign in, for a lead to give roles to."""
    rights.require(store, actor, project_id, "manage project")
    return [user.name for user in list_users(store) if not user.is_disabled]


def instances_of(
    store: Store, actor: User, project_id: int, *, state: str | None = None, limit: int = 25, offset: int = 0
) -> list[InstanceRow]:
    """One page of a project's instances, for its lead."""
    rights.require(store, actor, project_id, "manage project")
    return list_instances(store, project_id, state=state, limit=limit, offset=offset)


def count_events_of(store: Store, actor: User, project_id: int, wanted: EventFilter = ALL_EVENTS) -> int:
    """How many events the project's record has."""
    rights.require(store, actor, project_id, "manage project")
    return count_events(store, project_id, rights.unveiling_nobody(store, actor, project_id, wanted))


def events_of(
    store: Store, actor: User, project_id: int, wanted: EventFilter = ALL_EVENTS, *, limit: int = 50, offset: int = 0
) -> list[Event]:
    """One page of the project's record, newest first."""
    rights.require(store, actor, project_id, "manage project")
    wanted = rights.unveiling_nobody(store, actor, project_id, wanted)
    events = list_events(store, project_id, wanted, limit=limit, offset=offset)
    names_authors = projects_store.get_project_by_id(store, project_id).settings.checkers_see_author
    return rights.redacted(store, actor, project_id, events, names_authors=names_authors)


# A lead's own kind of task, from a few words: which segments an instance has, and what kind of result.


_RESERVED = frozenset({*chain.from_iterable(FIELD_NAMES.values()), "label", "answer", "target", "result"})
_WORDS = frozenset({"unselectable", "optional"})
_NAME = re.compile(r"[^\W\d]\w{0,49}")


def parse_task(segments_text: str, result_kind: str) -> Task:
    """The task that is written "text,context,question:unselectable".

    A segment is a name, then `:unselectable` where nothing can be marked in it and `:optional` where it may be empty.
    Segments that can be marked are numbered first, whatever the order in which they are written.
    Raises: InvalidValue naming the segment

    >>> [(s.name, s.is_selectable) for s in parse_task("question:unselectable, text", "label").segments]
    [('text', True), ('question', False)]
    """
    segments = [_segment(piece) for piece in segments_text.split(",") if piece.strip()]
    return custom_task(sorted(segments, key=lambda segment: not segment.is_selectable), result_kind)


def _segment(written: str) -> SegmentSpec:
    name, *words = (part.strip() for part in written.split(":"))
    if not _NAME.fullmatch(name):
        raise InvalidValue(
            _("Invalid segment name '{name}'. Use up to 50 letters, digits and _, letter first.", name=name)
        )
    if name in _RESERVED:
        raise InvalidValue(_("'{name}' is reserved. Choose another name.", name=name))
    for word in words:
        if word not in _WORDS:
            raise InvalidValue(
                _("'{word}' after '{name}' is invalid. Use unselectable or optional.", word=word, name=name)
            )
    title = name.replace("_", " ")
    return SegmentSpec(name, title[0].upper() + title[1:], "unselectable" not in words, "optional" in words)
