"""When a submission may be reopened, and what is said where it may not."""

from annotator.domain.instances import Annotation, Assignment
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store.annotate.visibility import standing
from annotator.store.gold_choices import is_chosen
from annotator.store.instances import row_of
from annotator.store.review.reviews import has_scores
from annotator.store.review.rounds import find_round

_DECIDED = {
    "accepted": unsaid("the round has been decided, and your work was accepted"),
    "returned": unsaid("the round has been decided, and the text was returned to be revised"),
    "discarded": unsaid("the round has been decided, and your work was discarded"),
}


def why_closed(store: Store, assignment: Assignment, annotation: Annotation | None) -> str:
    """Why a submission cannot be reopened, as the end of a sentence ("a reviewer has scored it"); "" where it may be.

    It may until its first score is submitted, the lead has decided or made it gold, or its author has seen others' sets.
    """
    if row_of(store, assignment.instance_id).state == "discarded":
        return _("the text was discarded")
    if annotation is None:
        return _("it was never submitted")
    review_round = find_round(store, annotation.id)
    if review_round is not None and review_round.outcome is not None:
        return _(_DECIDED[review_round.outcome])
    if assignment.state != "submitted" or annotation.state not in {"submitted", "accepted"}:
        return _("it is not submitted any more")
    return _why_others_depend(store, annotation, assignment.user_id)


def _why_others_depend(store: Store, annotation: Annotation, user_id: int) -> str:
    if has_scores(store, annotation.id):
        return _("a reviewer has already scored it")
    if is_chosen(store, annotation.id):
        return _("the lead has already made it gold")
    was_shown = standing(store, annotation.instance_id, user_id).was_shown
    return _("you have since seen what others marked in this text") if was_shown else ""
