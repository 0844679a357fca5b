"""Training in the panels: an annotator marks, a reviewer scores texts whose gold is known. Nothing becomes an annotation."""

import datetime as dt
from dataclasses import dataclass, replace
from typing import cast

from msgspec import structs

from annotator.domain.instances import Assignment, AssignmentState, Draft, Timing, check_submission, plausible
from annotator.domain.people import User
from annotator.domain.project.qualification import Exercise, Known
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.texts import check_spans, set_letter
from annotator.errors import InvalidAnnotation, InvalidValue, NotAllowed
from annotator.language import _, unsaid
from annotator.review.gold import measure_scores
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.instances import get_instance, layout_of
from annotator.store.projects import get_project_by_id
from annotator.store.qualification import exercises as exercises_store
from annotator.store.qualification.rules import get_item
from annotator.usecases.access.rights import require
from annotator.usecases.annotate.blind_checks import measures_of
from annotator.usecases.annotate.leases import require_revision
from annotator.usecases.annotate.my_work import Work
from annotator.usecases.annotate.panel_messages import (
    ShownNext,
    ShownWork,
    pairs_of,
    show_instance,
    show_project,
    show_work,
)
from annotator.usecases.qualification.attempts import hand_in, open_exercise, own_exercise, pass_over
from annotator.usecases.qualification.items import known_now, known_of
from annotator.usecases.review import panel_messages

_ANSWERED = unsaid("Saved.")


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What the panel is told when an answer was handed in: nothing of the gold, which the page shows."""

    counts: dict[str, int]
    ahead: None = None


def next_text(store: Store, user: User, project_id: int) -> ShownNext:
    """The next text of one's open try, in the form of any other work."""
    with store.transaction():
        require(store, user, project_id, "annotate")
        project = get_project_by_id(store, project_id)
        exercise = open_exercise(store, user, project, "annotators")
        work = None if exercise is None else as_work(store, project, exercise)
    return ShownNext(
        work, None, structs.replace(show_project(project), asks_model=False), {}, None if work else _(_ANSWERED)
    )


def current_text(store: Store, user: User, exercise_id: int) -> ShownWork:
    """A text of one's training as it is stored now."""
    exercise = _exercise_of(store, user, exercise_id)
    return as_work(store, get_project_by_id(store, exercise.project_id), exercise)


def _exercise_of(store: Store, user: User, exercise_id: int) -> Exercise:
    """Raises NotAllowed for somebody else's."""
    exercise = exercises_store.get_exercise(store, exercise_id)
    if user.id is None or exercise.user_id != user.id:
        raise NotAllowed(_("This text is assigned to others."))
    return exercise


def as_work(store: Store, project: Project, exercise: Exercise) -> ShownWork:
    """An exercise as the panel draws work; it has no proposed sets and no original beside it."""
    state: AssignmentState = "leased" if exercise.state == "open" else "submitted"
    lease_until = iso(store.moment() + dt.timedelta(minutes=project.settings.lease_minutes))
    assignment = Assignment(
        exercise.id, project.id, exercise.instance_id, exercise.user_id, 1, state, lease_until, exercise.revision,
        exercise.draft,
    )  # fmt: skip
    shown = show_work(Work(assignment, get_instance(store, exercise.instance_id)), project)
    return structs.replace(shown, proposes=False, is_changed=False)


def save_draft(store: Store, user: User, exercise_id: int, revision: int, draft: Draft, timing: Timing) -> int:
    """Keep what is marked so far; answers the new revision. Raises: StaleDraft, LeaseLost as in `own_exercise`."""
    with store.transaction():
        exercise, _attempt = own_exercise(store, user, exercise_id)
        require_revision(exercise.revision, revision)
        check_spans(draft.sets, layout_of(store, exercise.instance_id))
        exercises_store.save_answer(store, exercise_id, revision + 1, draft, active_ms=plausible(timing.active_ms))
    return revision + 1


def submit(
    store: Store, user: User, exercise_id: int, revision: int, draft: Draft, timing: Timing = Timing(), *,
    is_confirmed: bool = False,
) -> HandedIn:  # fmt: skip
    """Hand an answer in, under the project's own rules for submissions, and measure it against the gold of now."""
    with store.transaction():
        exercise, attempt = own_exercise(store, user, exercise_id)
        require_revision(exercise.revision, revision)
        project = get_project_by_id(store, exercise.project_id)
        instance = get_instance(store, exercise.instance_id)
        result = check_submission(draft, instance, project, is_confirmed=is_confirmed)
        answer = replace(draft, result=result)
        exercises_store.save_answer(store, exercise_id, revision + 1, answer, active_ms=plausible(timing.active_ms))
        known = known_now(store, project, get_item(store, exercise.item_id))
        if known is None:
            pass_over(store, user, exercise, attempt)
        else:
            hand_in(store, user, exercise, attempt, known, measures_of(project, instance, answer, known))
    return HandedIn({"trained": 1})


def beside_gold(store: Store, project: Project, exercise: Exercise, known: Known) -> tuple[ShownWork, ShownWork]:
    """What somebody marked and the gold that it was measured against, as the panel draws them. Only of what was handed in."""
    marked = as_work(store, project, exercise)
    gold = as_work(store, project, replace(exercise, draft=Draft(known.result, known.sets)))
    return marked, gold


def gold_before(store: Store, project: Project, exercise: Exercise) -> ShownWork | None:
    """The gold of a reviewer's text before it was worsened, as the panel draws it; None where it has none now."""
    known = known_of(store, project, get_instance(store, exercise.instance_id))
    return None if known is None else beside_gold(store, project, exercise, known)[1]


# A reviewer's training on the review screen: gold sets, some worsened on purpose, whose scores are known.


def next_scored_text(store: Store, user: User, project_id: int) -> panel_messages.ShownNextReview:
    """The next text of one's open try, in the form of any other annotation to score."""
    with store.transaction():
        require(store, user, project_id, "review")
        project = get_project_by_id(store, project_id)
        exercise = open_exercise(store, user, project, "reviewers")
        work = None if exercise is None else _as_review(store, project, exercise)
    return _next(project, work)


def _next(project: Project, work: panel_messages.ShownReview | None) -> panel_messages.ShownNextReview:
    shown = panel_messages.show_review_project(project, asks_model=False)
    return panel_messages.ShownNextReview(work, shown, {"trained": 1}, None if work else _(_ANSWERED))


def _as_review(store: Store, project: Project, exercise: Exercise) -> panel_messages.ShownReview | None:
    """An exercise as the review screen draws an annotation; None where its gold went before anybody looked at it."""
    known = shown_sets(store, project, exercise)
    if known is None:
        return None
    scores = exercise.scores.sets
    padded = (*scores, *(SetScore() for _n in range(len(known.sets) - len(scores))))[: len(known.sets)]
    return panel_messages.ShownReview(
        review=exercise.id,
        revision=exercise.revision,
        annotation=exercise.id,
        round=1,
        max_rounds=0,  # an exercise has no other
        state="open" if exercise.state == "open" else "submitted",
        instance=show_instance(get_instance(store, exercise.instance_id), project.task),
        result=known.result,
        note="",
        no_rationale=not known.sets,
        sets=tuple(panel_messages.ShownReviewedSet(pairs_of(each), False, None, None) for each in known.sets),
        scores=panel_messages.ShownScores(
            exercise.scores.comprehensiveness, exercise.scores.comment,
            tuple(panel_messages.ShownSetScore(score.sufficiency, score.compactness, score.comment) for score in padded),
        ),
        previous=None,
        decision=None,
    )  # fmt: skip


def shown_sets(store: Store, project: Project, exercise: Exercise) -> Known | None:
    """The sets that stand before the reviewer: those of the gold as it was when they began with them."""
    return exercise.known or known_now(store, project, get_item(store, exercise.item_id))


def current_scored_text(store: Store, user: User, exercise_id: int) -> panel_messages.ShownReview | None:
    """A text of one's training as it is stored now."""
    exercise = _exercise_of(store, user, exercise_id)
    return _as_review(store, get_project_by_id(store, exercise.project_id), exercise)


def save_scores(store: Store, user: User, exercise_id: int, revision: int, scores: Scores, active_ms: int = 0) -> int:
    """Keep what is scored so far; answers the new revision. Raises: StaleDraft, LeaseLost as in `own_exercise`."""
    with store.transaction():
        exercise, _ = own_exercise(store, user, exercise_id)
        require_revision(exercise.revision, revision)
        exercises_store.save_answer(store, exercise_id, revision + 1, Draft(), scores, plausible(active_ms))
    return revision + 1


def submit_scores(
    store: Store, user: User, exercise_id: int, revision: int, scores: Scores, active_ms: int = 0
) -> panel_messages.ShownNextReview:
    """Hand scores in, and measure them against those that are expected."""
    with store.transaction():
        exercise, attempt = own_exercise(store, user, exercise_id)
        require_revision(exercise.revision, revision)
        project = get_project_by_id(store, exercise.project_id)
        known = shown_sets(store, project, exercise)
        is_gone = known_now(store, project, get_item(store, exercise.item_id)) is None
        exercises_store.save_answer(store, exercise_id, revision + 1, Draft(), scores, plausible(active_ms))
        if known is None or is_gone:
            pass_over(store, user, exercise, attempt)
        else:
            _require_complete(scores, known)
            measures = measure_scores(scores, cast("Scores", known.scores), project.settings.thresholds)
            hand_in(store, user, exercise, attempt, known, measures)
    return _next(project, None)


def _require_complete(scores: Scores, known: Known) -> None:
    if len(scores.sets) != len(known.sets):
        raise InvalidValue(_("This has changed. Reload and check it again."))
    for number, score in enumerate(scores.sets):
        if score.sufficiency is None or score.compactness is None:
            raise InvalidAnnotation(_("Set {letter} needs both scores.", letter=set_letter(number)), set_index=number)
    if scores.comprehensiveness is None:
        raise InvalidAnnotation(_("The comprehensiveness score is missing."))
