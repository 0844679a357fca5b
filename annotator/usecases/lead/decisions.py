"""What the lead decides: gold, proposals to discard, contested labels, rounds that are stuck; and taking a choice back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from annotator.domain.instances import Annotation, Draft, GoldChoice, Instance, check_submission, may_have_no_sets
from annotator.domain.people import User
from annotator.domain.projects import Project, ResultMode, are_rationales_reviewed
from annotator.domain.reviews import Review, Round
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidAnnotation, InvalidValue, NotFound
from annotator.language import _, listed, unsaid
from annotator.review.gate import score_line
from annotator.review.gold import chosen_among
from annotator.store import Store
from annotator.store import instances as instances_store
from annotator.store.annotate.annotations import (
    annotations_of,
    find_annotation_of_assignment,
    get_annotation,
    get_annotations,
    set_annotation_state,
)
from annotator.store.annotate.assignments import end_work_on, get_assignment, give_back_to_annotator, save_draft
from annotator.store.annotate.instance_queue import settle
from annotator.store.annotate.proposals import (
    Proposal,
    decide_proposal,
    find_proposal,
    list_open_proposals,
    list_open_proposals_of,
    proposals_of_instances,
)
from annotator.store.annotate.visibility import give_back_what_was_shown
from annotator.store.events import add_event, events_of_instance
from annotator.store.gold_choices import add_adjudicated, find_choice, replace_adjudicated, set_choice
from annotator.store.project import open_work as open_work_store
from annotator.store.projects import get_project_by_id
from annotator.store.review.reviews import end_reviews_of_instance, reviews_of
from annotator.store.review.rounds import find_round, forget_round, list_undecided, open_round
from annotator.usecases.access.independence import is_at_work_on, may_annotate_still
from annotator.usecases.access.rights import require, require_of_project, roles_with
from annotator.usecases.annotate.leases import away_end
from annotator.usecases.evidence.exhaustive_gold import after_acceptance, restore_former
from annotator.usecases.lead.event_sentences.parts import in_a_row
from annotator.usecases.notices.notices import tell
from annotator.usecases.review.rounds import decide_complete_of

__all__ = ["Decision", "Proposal", "decide", "open_proposals"]

LONGEST_REASON = 10_000


def choose_gold(store: Store, actor: User, project: Project, annotation_id: int, reason: str) -> None:
    """Make an annotation the gold of its instance, as it was handed in; an instance that had dropped out comes back.

    Raises: Conflict while the annotation can still change, when it is the gold already, and when the lead discarded the instance
    """
    reason = _checked_reason(reason)
    with store.transaction():
        require(store, actor, project.id, "manage project")
        annotation = get_annotation(store, annotation_id)
        instance = _instance_of(store, project, annotation.instance_id)
        before = find_choice(store, instance.id)
        _require_fixed(store, annotation, before)
        _require_in_data_set(store, instance)
        _retire(store, before)
        set_choice(store, GoldChoice(instance.id, annotation_id, False, actor.name, reason, store.now()))
        instances_store.bring_back(store, instance.id)
        add_event(
            store, actor.name, "choose gold", "instance", instance.id, project_id=project.id, annotation=annotation_id,
            annotator=annotation.annotator, round=annotation.round_number, reason=reason,
        )  # fmt: skip


def adjudicate(
    store: Store, actor: User, project: Project, instance_id: int, result: str | None, sets: Sequence[RationaleSet],
    reason: str,
) -> int:  # fmt: skip
    """Store a version of the lead's own as the gold, in place of an earlier one; answers the annotation's number.

    It is checked like a submission. The instance is complete then, and comes back if it had dropped out.
    Raises: InvalidAnnotation naming what the project's rules refuse; Conflict when the lead discarded the instance
    """
    reason = _checked_reason(reason)
    with store.transaction():
        require(store, actor, project.id, "manage project")
        instance = _instance_of(store, project, instance_id)
        _require_in_data_set(store, instance)
        result = _checked_version(project, instance, result, tuple(sets))
        choice = find_choice(store, instance_id)
        others = annotations_of(store, [instance_id])[instance_id]
        is_own = choice is not None and choice.is_adjudicated and not choice.is_exhaustive
        before = chosen_among(others, choice) if is_own else None
        _retire(store, choice if before is None else None)
        if before is None:
            annotation_id = add_adjudicated(store, instance_id, actor, result, sets, reason)
        else:
            annotation_id = before.id
            replace_adjudicated(store, instance_id, annotation_id, actor, result, sets, reason)
        set_choice(store, GoldChoice(instance_id, annotation_id, True, actor.name, reason, store.now()))
        instances_store.bring_back(store, instance_id)
        add_event(
            store, actor.name, "adjudicate", "instance", instance_id, project_id=project.id, annotation=annotation_id,
            reason=reason, before=None if before is None else _as_detail(before.result, before.sets),
            after=_as_detail(result, sets), taken=[_taken_from(s, others, annotation_id) for s in sets],
        )  # fmt: skip
    return annotation_id


def take_choice_back(store: Store, actor: User, project: Project, instance_id: int, reason: str = "") -> None:
    """The project's policy decides again; a version that the lead made stays stored as withdrawn.

    Behind what came from a second pass stands the lead's choice before it, if there was one. An instance without an annotation
    that is open or accepted drops out, as the gate would have it.
    """
    with store.transaction():
        require(store, actor, project.id, "manage project")
        _instance_of(store, project, instance_id)
        choice = find_choice(store, instance_id)
        if choice is None:
            raise Conflict(_("Nothing to undo: the gold follows the policy."))
        restore_former(store, instance_id)
        add_event(
            store, actor.name, "take gold choice back", "instance", instance_id, project_id=project.id,
            annotation=choice.annotation_id, was_adjudicated=choice.is_adjudicated, reason=reason.strip(),
        )  # fmt: skip


def _checked_reason(reason: str) -> str:
    if not reason.strip():
        raise InvalidValue(_("Say briefly why."))
    if len(reason) > LONGEST_REASON:
        raise InvalidValue(_("Use at most {most} characters.", most=f"{LONGEST_REASON:,}"))
    return reason.strip()


def _instance_of(store: Store, project: Project, instance_id: int) -> Instance:
    owner_id = instances_store.project_of_instance(store, instance_id)
    require_of_project(owner_id, project.id, instance_id, _("text"))
    return instances_store.get_instance(store, instance_id)


def _require_fixed(store: Store, annotation: Annotation, choice: GoldChoice | None) -> None:
    if choice is not None and choice.annotation_id == annotation.id:
        raise Conflict(_("This annotation is already the gold."))
    if reason := why_not_gold(store, annotation):
        raise Conflict(reason)


def why_not_gold(store: Store, annotation: Annotation) -> str:
    """Why an annotation can't be made the gold as long as it can still change; "" where it can."""
    review_round = find_round(store, annotation.id)
    is_decided = review_round is not None and review_round.outcome is not None
    if annotation.state in {"accepted", "discarded", "reference"} or (annotation.state == "returned" and is_decided):
        return ""
    return _(
        "This annotation ({state}) can still change. Decide its round, or copy its sets.",
        state=_(_WORDS.get(annotation.state, annotation.state)),
    )


_WORDS = {
    "submitted": unsaid("with its reviewers or the lead"),
    "returned": unsaid("returned to its annotator"),
    "draft": unsaid("a draft to be revised"),
}


def _require_in_data_set(store: Store, instance: Instance) -> None:
    """What the gate let drop out may come back; what the lead discarded stays out."""
    by_lead = [e for e in events_of_instance(store, instance.id) if e.action == "decide: discard"]
    if instance.state == "discarded" and by_lead:
        raise Conflict(_("{name} discarded this text: no gold.", name=by_lead[-1].actor))


def _retire(store: Store, choice: GoldChoice | None) -> None:
    if choice is not None and choice.is_adjudicated:
        set_annotation_state(store, choice.annotation_id, "withdrawn")


def _checked_version(
    project: Project, instance: Instance, result: str | None, sets: tuple[RationaleSet, ...]
) -> str | None:
    """The lead gives the result, whatever annotators may do; everything highlighted is meant, since a reason is given."""
    settings = project.settings
    if not sets and not may_have_no_sets(project, result) and settings.result_mode != "labels_only":
        raise InvalidAnnotation(_("“No rationale in the text” isn't allowed. Mark a set."))
    mode: ResultMode = "labels_only" if settings.result_mode == "labels_only" else "give"
    by_lead = replace(project, settings=replace(settings, result_mode=mode))
    return check_submission(Draft(result, sets, no_rationale=not sets), instance, by_lead, is_confirmed=True)


def _as_detail(result: str | None, sets: Sequence[RationaleSet]) -> dict[str, object]:
    return {"result": result, "sets": [[[span.start, span.end] for span in s.spans] for s in sets]}


def _taken_from(taken: RationaleSet, annotations: Sequence[Annotation], but_not: int) -> dict[str, object] | None:
    """The first annotation that has a set of the same tokens."""
    for annotation in annotations:
        for position, rationale_set in enumerate(annotation.sets):
            if annotation.id != but_not and rationale_set.token_indices == taken.token_indices:
                return {"annotator": annotation.annotator, "round": annotation.round_number, "set": position}
    return None


# What the lead decides: proposals to discard, and contested labels.


Decision = Literal["discard", "keep", "relabel"]


def open_proposals(
    store: Store, actor: User, project_id: int, *, limit: int = 20, offset: int = 0
) -> list[tuple[Proposal, Instance]]:
    """What waits for the lead, oldest first, with the instances it is about."""
    require(store, actor, project_id, "manage project")
    proposals = list_open_proposals(store, project_id, limit=limit, offset=offset)
    return [(proposal, instances_store.get_instance(store, proposal.instance_id)) for proposal in proposals]


def kept_before(store: Store, proposal: Proposal) -> str:
    """When a lead last decided that a text, or its label, stays; "" where nobody did."""
    others = proposals_of_instances(store, [proposal.instance_id])[proposal.instance_id]
    rejected = [other.decided_at for other in others if (other.kind, other.state) == (proposal.kind, "rejected")]
    return max(filter(None, rejected), default="")


def decide(store: Store, actor: User, proposal_id: int, decision: Decision) -> None:
    """Decide a proposal.

    discard: the instance leaves the data set. keep: the text, or the label it has, stays, and the work goes back to the
    annotator. relabel: a contested label becomes the instance's own, and the annotation counts.
    Raises: Conflict when it is decided already
    """
    with store.transaction():
        proposal = find_proposal(store, proposal_id)
        if proposal is None:
            raise NotFound(_("No {what} number {number}.", number=proposal_id, what=_("proposal")))
        require(store, actor, proposal.project_id, "manage project")
        if proposal.state != "open":
            raise Conflict(_("Already decided by {name}.", name=proposal.decided_by))
        if decision == "relabel" and proposal.kind != "contest":
            raise Conflict(_("Only a contested label can be adopted."))
        is_confirmed = decision == ("discard" if proposal.kind == "discard" else "relabel")
        decide_proposal(store, proposal_id, "confirmed" if is_confirmed else "rejected", actor.name)
        _tell(store, actor, proposal, decision)
        _carry_out(store, actor, proposal, decision)
        add_event(
            store, actor.name, f"decide: {decision}", "instance", proposal.instance_id,
            project_id=proposal.project_id, proposal=proposal.id, kind=proposal.kind, reason=proposal.reason,
        )  # fmt: skip


def _carry_out(store: Store, actor: User, proposal: Proposal, decision: Decision) -> None:
    if decision == "discard":
        _set_annotation(store, proposal, "discarded")
        for other in list_open_proposals_of(store, proposal.instance_id):
            decide_proposal(store, other.id, "confirmed" if other.kind == "discard" else "rejected", actor.name)
            _tell(store, actor, other, decision)
        end_work_on(store, proposal.instance_id)
        end_reviews_of_instance(store, proposal.instance_id)
        instances_store.discard(store, proposal.instance_id)
        return
    if decision == "keep":
        _set_annotation(store, proposal, "returned")
        if proposal.assignment_id is not None:
            project = get_project_by_id(store, proposal.project_id)
            give_back_to_annotator(store, proposal.assignment_id, away_end(store, project))
            if proposal.kind == "contest":
                work = get_assignment(store, proposal.assignment_id)
                save_draft(store, work.id, replace(work.draft, result=None), work.revision + 1)
            give_back_what_was_shown(store, [proposal.instance_id])
    else:
        instances_store.set_result(store, proposal.instance_id, proposal.reason)
        _hand_in_again(store, proposal)
    settle(store, proposal.instance_id)
    after_acceptance(store, proposal.instance_id)
    decide_complete_of(store, get_project_by_id(store, proposal.project_id), proposal.instance_id)


def _tell(store: Store, actor: User, proposal: Proposal, decision: Decision) -> None:
    """Whoever proposed it; what a file brought was proposed by nobody who works here."""
    if proposal.assignment_id is not None:
        author = get_assignment(store, proposal.assignment_id).user_id
        tell(store, actor, [author], proposal.project_id, "decision", proposal.instance_id, decision)


def _hand_in_again(store: Store, proposal: Proposal) -> None:
    """A contested annotation counts, or comes before its reviewers, now that its label is the instance's."""
    annotation = _annotation_of(store, proposal)
    if annotation is None:
        return
    project = get_project_by_id(store, proposal.project_id)
    if not are_rationales_reviewed(project):
        set_annotation_state(store, annotation.id, "accepted")
        forget_round(store, annotation.id)
        return
    set_annotation_state(store, annotation.id, "submitted")
    former = get_assignment(store, cast("int", annotation.assignment_id)).follows_id
    open_round(store, annotation.id, project.id, annotation.instance_id, annotation.round_number, former)


def _annotation_of(store: Store, proposal: Proposal) -> Annotation | None:
    return None if proposal.assignment_id is None else find_annotation_of_assignment(store, proposal.assignment_id)


def _set_annotation(store: Store, proposal: Proposal, state: Literal["discarded", "returned"]) -> None:
    annotation = _annotation_of(store, proposal)
    if annotation is not None:
        set_annotation_state(store, annotation.id, state)


# The rounds that are before their reviewers, for the lead: who has scored, who is scoring, what is missing, what is stuck.


PAGE_SIZE = 10
_NAMED_TEXTS = 5
_NOBODY_LEFT = open_work_store.ReviewersLeft(0, 0, 0)


@dataclass(frozen=True, slots=True)
class UndecidedRound:
    """A round that waits for scores.

    n_scored: how many reviewers are done, scored: what each gave; none while the lead may be given the text, or has it in hand
    scoring: the names of those who hold it now; left: how many others there are who may score it
    """

    round: Round
    instance: instances_store.InstanceRow
    annotator: str
    wanted: int
    n_scored: int
    scored: tuple[str, ...]
    scoring: tuple[str, ...]
    left: open_work_store.ReviewersLeft

    @property
    def is_stuck(self) -> bool:
        """Whether fewer people are left who may score it than it wants."""
        return self.left.wanted > self.left.n_now + self.left.n_later

    @property
    def about(self) -> str:
        """Who scores it now, and who is missing, in one line; mostly ""."""
        being = [_("{people} scoring now", people=listed(self.scoring))] if self.scoring else []
        parts = (*being, *self._of_others)
        return in_a_row(parts) if parts else ""

    @property
    def _of_others(self) -> tuple[str, ...]:
        left = self.left
        n = left.n_now + left.n_later
        if self.is_stuck and n:
            return (_("{wanted} more needed, but only {n} others can score it", wanted=left.wanted, n=n),)
        if self.is_stuck:
            return (_("{wanted} more needed, but nobody can score it", wanted=left.wanted),)
        if left.wanted > left.n_now:
            return (_("{n} of the others may still annotate it, so can't score it yet", n=left.n_later),)
        return ()


@dataclass(frozen=True, slots=True)
class StuckWork:
    """What nobody may do: annotations that wait for scores, and free texts (how many, and the first of them).

    for_the_gone: the numbers of those texts that are only for people who cannot be given them any more
    """

    annotation_ids: tuple[int, ...]
    n_texts: int
    texts: tuple[instances_store.InstanceRow, ...]
    for_the_gone: tuple[int, ...] = ()


def stuck_work(store: Store, actor: User, project: Project) -> StuckWork:
    """What waits for people whom the project does not have."""
    require(store, actor, project.id, "manage project")
    rounds = open_work_store.rounds_without_reviewers(store, project.id, roles_with("review"))
    texts = open_work_store.texts_without_annotators(store, project.id, roles_with("annotate"))
    first = tuple(instances_store.row_of(store, number) for number in texts[:_NAMED_TEXTS])
    gone = open_work_store.texts_for_the_gone(store, project.id, roles_with("annotate"))
    return StuckWork(tuple(rounds), len(texts), first, tuple(gone))


def list_undecided_rounds(
    store: Store, actor: User, project: Project, page: int = 1, *, only: Sequence[int] | None = None
) -> list[UndecidedRound]:
    """One page of a project's undecided rounds, oldest first; only: those of some annotations."""
    require(store, actor, project.id, "manage project")
    rounds = list_undecided(store, project.id, limit=PAGE_SIZE, offset=PAGE_SIZE * (page - 1), only=only)
    ids = [review_round.annotation_id for review_round in rounds]
    annotations, reviews = get_annotations(store, ids), reviews_of(store, ids)
    left = open_work_store.reviewers_left(store, project.id, ids, roles_with("review"), roles_with("annotate"))
    return [
        _shown(
            store, actor, project, review_round, annotations[review_round.annotation_id].annotator,
            reviews.get(review_round.annotation_id, []), left.get(review_round.annotation_id, _NOBODY_LEFT),
        )
        for review_round in rounds
    ]  # fmt: skip


def _shown(
    store: Store, actor: User, project: Project, review_round: Round, annotator: str, reviews: Sequence[Review],
    left: open_work_store.ReviewersLeft,
) -> UndecidedRound:  # fmt: skip
    scored = [score_line(review) for review in reviews if review.state == "submitted"]
    is_led = is_at_work_on(store, actor, review_round.instance_id) or may_annotate_still(
        store, actor, project.id, review_round.instance_id
    )
    return UndecidedRound(
        round=review_round,
        instance=instances_store.row_of(store, review_round.instance_id),
        annotator=annotator,
        wanted=project.settings.reviewers_per_annotation,
        n_scored=len(scored),
        scored=() if is_led else tuple(scored),
        scoring=tuple(review.reviewer for review in reviews if review.state == "leased"),
        left=left,
    )
