"""Look at an instance and at what others made of it, side by side, without changing anything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.domain.instances import (
    Annotation,
    AnnotationState,
    Assignment,
    AssignmentState,
    Draft,
    GoldChoice,
    GoldInstance,
    Instance,
    SetOrigin,
)
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Review, Round
from annotator.domain.sources import short_facts
from annotator.domain.texts import RationaleSet, set_letter
from annotator.errors import NotFound
from annotator.language import _, unsaid
from annotator.review.gate import decision_lines, score_line
from annotator.review.gold import gold_with_choice
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.annotate.visibility import standing
from annotator.store.gold_choices import find_choice
from annotator.store.instances import find_instance_ids, get_instance, project_of_instance, row_of
from annotator.store.review.reviews import reviews_of
from annotator.store.review.rounds import rounds_of_instances
from annotator.usecases.access import independence
from annotator.usecases.access.rights import require, require_of_project
from annotator.usecases.annotate.my_work import Work
from annotator.usecases.annotate.panel_messages import ShownProject, ShownWork, show_project, show_work

_LONGEST_WORDS = 160
_STATES: Mapping[AnnotationState, str] = {
    "draft": unsaid("draft"),
    "reference": unsaid("reference"),
    "submitted": unsaid("submitted"),
    "accepted": unsaid("accepted"),
    "returned": unsaid("returned"),
    "discarded": unsaid("discarded"),
    "withdrawn": unsaid("withdrawn"),
}


@dataclass(frozen=True, slots=True)
class View:
    """One annotation of an instance (or the bare instance), ready to be drawn, with what became of it.

    sets:     the words of each set
    facts:    what the file that the instance came from tells of the annotator
    decision: what its round came to, with the arithmetic; scores: what each reviewer gave, a line each
    """

    title: str
    work: ShownWork
    project: ShownProject
    annotation: Annotation | None = None
    sets: tuple[str, ...] = ()
    decision: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """An instance with everybody's annotations, oldest first, and what counts of them under the project's policy.

    was_shown: the person saw what others marked, now or before, and is not given the instance to annotate
    """

    instance: Instance
    views: tuple[View, ...]
    gold: GoldInstance | None
    choice: GoldChoice | None
    was_shown: bool = False


def find_instances(store: Store, actor: User, project: Project, key: str) -> list[tuple[int, str]]:
    """The instances of a key: number and split; several where splits share it. Raises NotFound when there is none."""
    require(store, actor, project.id, "see all annotations")
    ids = find_instance_ids(store, project.id, key)
    if not ids:
        raise NotFound(_("No text with ID '{key}' in '{project}'.", key=key, project=project.name))
    return [(number, row_of(store, number).split) for number in ids]


def must_give_back(store: Store, actor: User, project: Project, instance_id: int) -> bool:
    """Whether the person has the instance in hand to annotate: to look at what others marked they must give it back."""
    _require_instance(store, actor, project, instance_id)
    annotations = annotations_of(store, [instance_id])[instance_id]
    return independence.must_give_back(store, actor, instance_id, [a.id for a in annotations])


def look_at(store: Store, actor: User, project: Project, instance_id: int, *, gives_back: bool = False) -> Comparison:
    """An instance with every annotation of it; the bare instance in a view of its own when there is none.

    Whoever was shown what others marked is not given the instance to annotate any more.
    gives_back: what they have of it in hand goes back to the queue
    Raises: Conflict where they have it in hand, and do not give it back
    """
    _require_instance(store, actor, project, instance_id)
    with store.snapshot():
        instance = get_instance(store, instance_id)
        annotations = annotations_of(store, [instance_id])[instance_id]
        rounds = {
            review_round.annotation_id: review_round
            for review_round in rounds_of_instances(store, [instance_id]).get(instance_id, [])
        }
        reviews = reviews_of(store, list(rounds))
        choice = find_choice(store, instance_id)
    independence.show(store, actor, project.id, instance_id, [a.id for a in annotations], gives_back=gives_back)
    views = [_view_of(project, instance, a, rounds.get(a.id), reviews.get(a.id, []), choice) for a in annotations]
    bare = _view(_("not annotated yet"), project, instance, Draft(instance.result), 1)
    is_closed = actor.id is not None and standing(store, instance_id, actor.id).was_shown
    gold = _gold(project, instance, annotations, choice)
    return Comparison(instance, tuple(views) or (bare,), gold, choice, is_closed)


def _require_instance(store: Store, actor: User, project: Project, instance_id: int) -> None:
    require(store, actor, project.id, "see all annotations")
    require_of_project(project_of_instance(store, instance_id), project.id, instance_id, _("text"))


def as_draft_of_lead(comparison: Comparison, project: Project, sets: Sequence[RationaleSet]) -> View:
    """A version that the lead is to edit: these sets to begin with, and the result to be given."""
    instance = comparison.instance
    mode = project.settings.result_mode
    by_lead = (
        project if mode == "labels_only" else replace(project, settings=replace(project.settings, result_mode="give"))
    )
    result = comparison.gold.result if comparison.gold else instance.result
    return _view(_("the lead's version"), by_lead, instance, Draft(result, tuple(sets)), 1, is_open=True)


def words_of(instance: Instance, rationale_set: RationaleSet) -> str:
    """The words of a set, spans joined by dots; cut when they are many."""
    words = " … ".join(" ".join(instance.words(span.start, span.end).split()) for span in rationale_set.spans)
    return words if len(words) <= _LONGEST_WORDS else f"{words[:_LONGEST_WORDS]} …"


def origin_words(origin: SetOrigin) -> str:
    """Where a gold set came from, in a few words.

    >>> origin_words(SetOrigin(3, "Ann", 2, 0)), origin_words(SetOrigin(3, "Ann", 1, None))
    ('set A of Ann, round 2', 'Ann, round 1')
    """
    if origin.position is None:
        return _("{annotator}, round {round}", annotator=origin.annotator, round=origin.round_number)
    return _(
        "set {letter} of {annotator}, round {round}",
        letter=set_letter(origin.position), annotator=origin.annotator, round=origin.round_number
    )  # fmt: skip


def _gold(
    project: Project, instance: Instance, annotations: Sequence[Annotation], choice: GoldChoice | None
) -> GoldInstance | None:
    if instance.state == "discarded":
        return None
    accepted = [a for a in annotations if a.state == "accepted"]
    return gold_with_choice(instance, accepted, project.settings.gold_policy, annotations, choice)


def _view_of(
    project: Project,
    instance: Instance,
    annotation: Annotation,
    review_round: Round | None,
    reviews: Sequence[Review],
    choice: GoldChoice | None,
) -> View:
    draft = Draft(annotation.result, annotation.sets, annotation.note)
    is_version = choice is not None and choice.is_adjudicated and choice.annotation_id == annotation.id
    round_and_state = (
        _("adjudicated")
        if is_version
        else _("round {round} · {state}", round=annotation.round_number, state=_(_STATES[annotation.state]))
    )
    title = f"{annotation.annotator} · {round_and_state}"
    view = _view(title, project, instance, draft, annotation.round_number)
    return replace(
        view,
        annotation=annotation,
        sets=tuple(words_of(instance, s) for s in annotation.sets),
        decision=decision_lines(review_round),
        scores=tuple(score_line(review) for review in reviews if review.state == "submitted"),
        facts=short_facts(instance.metadata).get(annotation.annotator, ()),
    )


def _view(
    title: str, project: Project, instance: Instance, draft: Draft, round_number: int, *, is_open: bool = False
) -> View:
    state: AssignmentState = "leased" if is_open else "submitted"
    shown = Assignment(0, project.id, instance.id, 0, round_number, state, "", 0, draft)
    return View(title, show_work(Work(shown, instance), project), show_project(project))
