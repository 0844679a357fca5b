"""Taking back what was handed in: which submission was the last one, and opening it again; inside another's transaction."""

from annotator.domain.instances import Assignment
from annotator.domain.people import User
from annotator.errors import Conflict
from annotator.language import _
from annotator.store import Store
from annotator.store.annotate import assignments as work_store
from annotator.store.annotate.annotations import find_annotation_of_assignment, set_annotation_state
from annotator.store.annotate.my_work import find_last_submission, submission_time
from annotator.store.annotate.proposals import decide_proposal, last_proposal_of
from annotator.store.projects import get_project_by_id
from annotator.store.qualification.exercises import last_done_check
from annotator.store.review.reviews import end_open_reviews
from annotator.usecases.annotate.checks import outcome_of_check, reopen_check
from annotator.usecases.annotate.leases import lease_end
from annotator.usecases.annotate.reopening import why_closed
from annotator.usecases.annotate.shown_work import Work, work_of
from annotator.usecases.annotate.steps import move, note_event


def last_submission(store: Store, project_id: int, user_id: int) -> int | None:
    """The number of what a person handed in last, a blind check too."""
    last, check = find_last_submission(store, project_id, user_id), last_done_check(store, project_id, user_id)
    if last is None or check is None:
        return check[1] if check else last
    return check[1] if check[0] > (submission_time(store, last) or "") else last


def reopen(store: Store, user: User, assignment: Assignment, title: str = "") -> Work:
    """Open a submission again, a blind check too, with everything as it was handed in.

    title: of the text, where it is not on the screen
    Raises: Conflict saying why that is not allowed any more
    """
    if assignment.is_check:
        reopened = reopen_check(store, assignment)
        if reopened is None:
            closed = outcome_of_check(store, assignment).closed or _("it is not submitted any more")
            raise Conflict(_cannot_reopen(title, closed))
        return work_of(store, reopened)
    annotation = find_annotation_of_assignment(store, assignment.id)
    closed = why_closed(store, assignment, annotation)
    if annotation is None or closed:
        raise Conflict(_cannot_reopen(title, closed))
    project = get_project_by_id(store, assignment.project_id)
    _cancel_contest(store, user, assignment)
    set_annotation_state(store, annotation.id, "withdrawn")
    end_open_reviews(store, annotation.id)
    move(store, assignment, "leased")
    work_store.extend_leases(store, project.id, assignment.user_id, lease_end(store, project))
    note_event(store, user, "withdraw", assignment, state=annotation.state)
    return work_of(store, work_store.get_assignment(store, assignment.id))


def _cannot_reopen(title: str, why: str) -> str:
    if not title:
        return _("This submission cannot be reopened: {why}.", why=why)
    return _(
        "Your last submission, “{title}”, cannot be reopened: {why}. You can read it under My work (m).",
        title=title,
        why=why,
    )


def _cancel_contest(store: Store, user: User, assignment: Assignment) -> None:
    proposal = last_proposal_of(store, assignment.id)
    if proposal is not None and proposal.state == "open":
        decide_proposal(store, proposal.id, "rejected", user.name)
