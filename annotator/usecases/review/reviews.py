"""What a reviewer does: get an annotation, score it, change the scores until the round is decided; and the list of it."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast, get_args

from annotator.domain.instances import Annotation, Instance, plausible
from annotator.domain.numbers import counted
from annotator.domain.people import User, has_right
from annotator.domain.projects import Project
from annotator.domain.reviews import SCALES, SCORE_NAMES, MyReviewState, Property, Review, Round, Scores, SetScore
from annotator.domain.tasks import Task
from annotator.domain.texts import first_words, set_letter
from annotator.errors import InvalidAnnotation, InvalidValue, LeaseLost, NotAllowed, NotFound, NotWritable, StaleDraft
from annotator.language import _, listed, unknown, unsaid
from annotator.review.gate import in_words
from annotator.store import Store
from annotator.store.annotate.annotations import get_annotation, get_annotations
from annotator.store.annotate.visibility import annotates_text
from annotator.store.connection.database import iso
from annotator.store.events import add_event
from annotator.store.instances import get_instance
from annotator.store.people import roles_of
from annotator.store.projects import get_project_by_id
from annotator.store.qualification.rules import is_kept_from_work
from annotator.store.review import reviews as review_store
from annotator.store.review.reviews import ReviewLine, get_review, list_my_reviews
from annotator.store.review.rounds import carried_sets_of, find_round, origins_of_annotation
from annotator.usecases.access.independence import may_annotate_still
from annotator.usecases.access.rights import require, require_person, roles_with
from annotator.usecases.annotate.leases import TRAINING_FIRST, lease_end, require_revision
from annotator.usecases.annotate.outcomes import DISCARDED, FormerRound, former_round, why_discarded
from annotator.usecases.review.rounds import decide_if_complete, scores_by_set

LONGEST_COMMENT = 10_000


@dataclass(frozen=True, slots=True)
class ReviewWork:
    """An annotation before a reviewer, with what they have scored.

    carried_means: for each set that carries its scores, their means (sufficiency, compactness) as exact numbers in words
    former:        the round before, of a correction; origins: position now, position then
    others_said:   as _others_said, once the round is decided
    """

    review: Review
    round: Round
    max_rounds: int
    task: Task
    instance: Instance
    annotation: Annotation
    carried_means: Mapping[int, tuple[str, str]]
    origins: Mapping[int, int]
    former: FormerRound | None
    others_said: Sequence[tuple[int | None, str]] = ()


@dataclass(frozen=True, slots=True)
class NextReview:
    """What the screen needs to begin."""

    project: Project
    work: ReviewWork | None
    counts: dict[str, int]
    empty: str | None


def next_review(store: Store, user: User, project_id: int, annotation_id: int | None = None) -> NextReview:
    """Lease an annotation for scoring: what is held, then corrections one knows, then the queue.

    annotation_id: a deep link; opened when the person has scored it or may score it
    """
    try:
        return _lease_next(store, user, project_id, annotation_id)
    except NotWritable:  # what somebody holds can be read while nothing can be stored
        held = review_store.find_open_review(store, project_id, _reviewer(store, user, project_id))
        if held is None or annotation_id not in (None, held.annotation_id):
            raise
        return _next(store, get_project_by_id(store, project_id), user, held)


def _lease_next(store: Store, user: User, project_id: int, annotation_id: int | None) -> NextReview:
    user_id = _reviewer(store, user, project_id)
    with store.transaction():
        project = get_project_by_id(store, project_id)
        review_store.end_expired_reviews(store, project_id, but_not_of=user_id, lease_until=lease_end(store, project))
        review = (
            _round_to_review(store, project, user, annotation_id)
            if annotation_id
            else _held_or_claimed(store, project, user)
        )
        review_store.extend_review_leases(store, project_id, user_id, lease_end(store, project))
        return _next(store, project, user, review)


def _next(store: Store, project: Project, user: User, review: Review | None) -> NextReview:
    counts = review_counts(store, project, user)
    work = None if review is None else _work(store, project, review)
    return NextReview(project, work, counts, None if work else _why_empty(store, project, user))


def _held_or_claimed(store: Store, project: Project, user: User) -> Review | None:
    reviewer = _asking(store, project, user)
    held = review_store.find_open_review(store, project.id, reviewer.user_id)
    if held is not None:
        return held
    if is_kept_from_work(store, project.id, reviewer.user_id, "reviewers"):
        return None
    annotation_id = review_store.next_to_review(store, reviewer)
    return None if annotation_id is None else _claim(store, project, annotation_id, reviewer.user_id)


def _claim(store: Store, project: Project, annotation_id: int, user_id: int) -> Review:
    return review_store.claim_review(store, project.id, annotation_id, user_id, lease_end(store, project))


def _round_to_review(store: Store, project: Project, user: User, annotation_id: int) -> Review:
    user_id = cast("int", user.id)
    review_round = find_round(store, annotation_id)
    if review_round is None or review_round.project_id != project.id:
        raise NotFound(_("This annotation isn't under review any more."))
    mine = review_store.find_review(store, annotation_id, user_id)
    if mine is not None and mine.state in {"leased", "submitted"}:
        return mine
    _require_no_annotator(store, user, review_round)
    if is_kept_from_work(store, project.id, user_id, "reviewers"):
        raise NotAllowed(_(TRAINING_FIRST))
    if not review_store.may_claim(store, annotation_id):
        raise NotAllowed(_("This annotation isn't under review any more."))
    return _claim(store, project, annotation_id, user_id)


def _require_no_annotator(store: Store, user: User, review_round: Round) -> None:
    """Raise NotAllowed for whoever annotates the text, or may still be given it: per text one is annotator or reviewer."""
    if annotates_text(store, review_round.instance_id, cast("int", user.id)):
        raise NotAllowed(_("You annotate this text; others review it."))
    if may_annotate_still(store, user, review_round.project_id, review_round.instance_id):
        leads = has_right(user, roles_of(store, user, review_round.project_id), "see all annotations")
        raise NotAllowed(_(_LEAD_MAY_BE_GIVEN_IT if leads else _MAY_BE_GIVEN_IT))


_MAY_BE_GIVEN_IT = unsaid("Others' marks are hidden while you can still annotate this text.")
_LEAD_MAY_BE_GIVEN_IT = unsaid(
    "Others' marks are hidden while you can still annotate this text. To review it instead, view it under Project, Texts."
)


def _asking(store: Store, project: Project, user: User) -> review_store.Reviewer:
    away_since = iso(store.moment() - dt.timedelta(days=project.settings.away_after_days))
    may_annotate = has_right(user, roles_of(store, user, project.id), "annotate")
    return review_store.Reviewer(
        project.id, cast("int", user.id), roles_with("review"), away_since, store.now(), may_annotate
    )


def review_counts(store: Store, project: Project, user: User) -> dict[str, int]:
    """What waits for a reviewer: to_review (free for them, once they have passed the training), open (in work), submitted."""
    user_id = cast("int", user.id)
    is_kept = is_kept_from_work(store, project.id, user_id, "reviewers")
    return {
        "to_review": 0 if is_kept else review_store.count_to_review(store, _asking(store, project, user)),
        "open": review_store.count_reviews(store, project.id, user_id, "leased"),
        "submitted": review_store.count_reviews(store, project.id, user_id, "submitted"),
    }


def save_review(
    store: Store, user: User, review_id: int, revision: int, scores: Scores, active_ms: int = 0, idle_ms: int = 0
) -> int:
    """Keep what is scored so far; answers the new revision.

    Raises: StaleDraft when it was saved elsewhere since `revision`; LeaseLost when the annotation is no longer to be scored
    """
    with store.transaction():
        review, project = _open_review(store, user, review_id)
        if review.state == "submitted":
            raise StaleDraft(_("Already submitted. Submit again to change them."))
        _keep(store, user, project, review, revision, scores)
        review_store.add_review_time(store, review_id, plausible(active_ms), plausible(idle_ms))
    return revision + 1


def submit_review(
    store: Store, user: User, review_id: int, revision: int, scores: Scores, active_ms: int = 0, idle_ms: int = 0
) -> NextReview:
    """Hand the scores in, or change them while the round is open; the last reviewer's scores decide it. Answers what is next.

    Raises: InvalidAnnotation naming the set whose score is missing; StaleDraft, LeaseLost as save_review
    """
    with store.transaction():
        stored = _own_review(store, user, review_id)
        if stored.state == "submitted" and stored.scores == scores:
            # The answer to a message got lost, and it is sent again; the round may have been decided by it.
            project = get_project_by_id(store, stored.project_id)
            return _next(store, project, user, _held_or_claimed(store, project, user))
        review, project = _open_review(store, user, review_id)
        _require_complete(store, review, scores)
        _keep(store, user, project, review, revision, scores)
        review_store.add_review_time(store, review_id, plausible(active_ms), plausible(idle_ms))
        if review.state != "submitted":
            review_store.set_review_state(store, review, "submitted")
            _note(store, user, "review", review, project, scores=_as_detail(scores))
        decide_if_complete(store, project, review.annotation_id)
        return _next(store, project, user, _held_or_claimed(store, project, user))


def skip_review(store: Store, user: User, review_id: int) -> NextReview:
    """Leave an annotation to others, or one's own review that was submitted; it is offered again when nothing else is left."""
    with store.transaction():
        review, project = _open_review(store, user, review_id)
        if review.state != "submitted":
            review_store.set_review_state(store, review, "skipped")
            _note(store, user, "skip review", review, project)
        return _next(store, project, user, _held_or_claimed(store, project, user))


def current_review(store: Store, user: User, review_id: int) -> ReviewWork:
    """A person's own review as it is stored now."""
    review = _own_review(store, user, review_id)
    return _work(store, get_project_by_id(store, review.project_id), review)


def _work(store: Store, project: Project, review: Review) -> ReviewWork:
    review_round = cast("Round", find_round(store, review.annotation_id))
    annotation = get_annotation(store, review.annotation_id)
    carried, before = carried_sets_of(store, annotation.id), review_round.previous_id
    # With an entry for each set, scored or not
    n_sets = len(annotation.sets)
    sets = (*review.scores.sets, *(SetScore() for _ in range(n_sets - len(review.scores.sets))))
    return ReviewWork(
        review=replace(review, scores=replace(review.scores, sets=sets[:n_sets])),
        round=review_round,
        max_rounds=project.settings.max_rounds,
        task=project.task,
        instance=get_instance(store, annotation.instance_id),
        annotation=annotation,
        carried_means=_carried_means(store, annotation) if carried else {},
        former=None if before is None else former_round(store, before, review.user_id),
        origins=origins_of_annotation(store, annotation.id),
        others_said=_others_said(store, review_round, review.user_id),
    )


def _carried_means(store: Store, annotation: Annotation) -> dict[int, tuple[str, str]]:
    scores = scores_by_set(store, annotation, [])
    return {
        position: (_mean(scores[position].sufficiency), _mean(scores[position].compactness))
        for position in carried_sets_of(store, annotation.id)
    }


def _mean(scores: Sequence[int]) -> str:
    return str(Fraction(sum(scores), len(scores))) if scores else "–"


def _open_review(store: Store, user: User, review_id: int) -> tuple[Review, Project]:
    """A person's own review of a round that is still open; one that rested too long is taken up again if there is a slot."""
    review = _own_review(store, user, review_id)
    review_round = find_round(store, review.annotation_id)
    if (
        review_round is None
        or review_round.outcome is not None
        or review.state == "ended"
        or get_annotation(store, review.annotation_id).state != "submitted"
    ):
        raise LeaseLost(_("This annotation isn't under review any more."))
    project = get_project_by_id(store, review.project_id)
    if review.state in {"expired", "skipped"}:
        if not review_store.may_claim(store, review.annotation_id):
            raise LeaseLost(_("Another reviewer has this annotation."))
        _require_no_annotator(store, user, review_round)
        review = _claim(store, project, review.annotation_id, review.user_id)
    return review, project


def _own_review(store: Store, user: User, review_id: int) -> Review:
    review = review_store.get_review(store, review_id)
    if user.id is None or review.user_id != user.id:
        raise NotAllowed(_("Another reviewer has this annotation."))
    require(store, user, review.project_id, "review")
    return review


def _keep(store: Store, user: User, project: Project, review: Review, revision: int, scores: Scores) -> None:
    require_revision(review.revision, revision)
    n_sets = len(get_annotation(store, review.annotation_id).sets)
    if len(scores.sets) > n_sets:
        raise InvalidValue(
            _(
                "Scores cover {sets}, but the annotation has {number}.",
                sets=counted(len(scores.sets), "set"),
                number=n_sets,
            )
        )
    changed = _changes(review.scores, scores)
    review_store.save_scores(store, review.id, scores, revision + 1)
    review_store.extend_review_leases(store, project.id, review.user_id, lease_end(store, project))
    if changed:
        _note(store, user, "change score", review, project, changed=changed)


def _changes(before: Scores, after: Scores) -> list[dict[str, object]]:
    """Every score that was there and is another one now."""
    changes = [_change("comprehensiveness", None, before.comprehensiveness, after.comprehensiveness)]
    for number, (was, is_now) in enumerate(zip(before.sets, after.sets, strict=False)):
        changes.append(_change("sufficiency", number, was.sufficiency, is_now.sufficiency))
        changes.append(_change("compactness", number, was.compactness, is_now.compactness))
    return [change for change in changes if change is not None]


def _change(name: str, number: int | None, was: int | None, is_now: int | None) -> dict[str, object] | None:
    if was is None or was == is_now:
        return None
    return {"score": name, "set": number, "before": was, "after": is_now}


def _require_complete(store: Store, review: Review, scores: Scores) -> None:
    annotation = get_annotation(store, review.annotation_id)
    carried = carried_sets_of(store, annotation.id)
    for number in range(len(annotation.sets)):
        if number in carried:
            continue
        score = scores.sets[number] if number < len(scores.sets) else SetScore()
        scored: dict[Property, int | None] = {"sufficiency": score.sufficiency, "compactness": score.compactness}
        for name, given in scored.items():
            if given is None:
                raise InvalidAnnotation(
                    _("Set {letter} needs a {score}.", letter=set_letter(number), score=_(SCORE_NAMES[name])),
                    set_index=number,
                )
    if scores.comprehensiveness is None:
        raise InvalidAnnotation(_("The comprehensiveness score is missing."))


def _as_detail(scores: Scores) -> dict[str, object]:
    return {
        "comprehensiveness": scores.comprehensiveness,
        "sets": [[score.sufficiency, score.compactness] for score in scores.sets],
    }


def _note(store: Store, user: User, action: str, review: Review, project: Project, **detail: object) -> None:
    annotation = get_annotation(store, review.annotation_id)
    add_event(
        store, user.name, action, "instance", annotation.instance_id, project_id=project.id,
        annotation=annotation.id, round=annotation.round_number, **detail,
    )  # fmt: skip


def _reviewer(store: Store, user: User, project_id: int) -> int:
    require(store, user, project_id, "review")
    return require_person(user)


def _why_empty(store: Store, project: Project, user: User) -> str:
    if not project.settings.reviewers_per_annotation:
        return _("This project accepts annotations without review.")
    if user.id is not None and is_kept_from_work(store, project.id, user.id, "reviewers"):
        return _(TRAINING_FIRST)
    reasons = review_store.why_closed(store, _asking(store, project, user))
    if reasons == {"annotates"}:
        return _("Nothing to review: the texts that need scores are your own.")
    if reasons == {"may still be given"}:
        return _("Nothing to review: you may still annotate the texts that need scores.")
    if reasons:
        return _("Nothing to review: you annotate the texts that need scores, or still may.")
    return _("Nothing to review. Annotations appear here when submitted.")


# My reviews: the list of what one has scored in a project, with one's own scores and what came of each round.


PAGE_SIZE = 20
STATES: tuple[MyReviewState, ...] = get_args(MyReviewState)
_EXCERPT_CHARS = 160
_LINE_CHARS = 200


@dataclass(frozen=True, slots=True)
class MyReviewRow:
    """One line of one's own reviews.

    scored: one's own scores and comments, a line a set and one for the whole; lines: what came of it, and why
    """

    line: ReviewLine
    excerpt: str
    result: str | None
    n_sets: int
    may_change: bool
    scored: tuple[str, ...]
    lines: tuple[str, ...]


def my_reviews(
    store: Store, user: User, project_id: int, page: int = 1, *, state: str = "", words: str = ""
) -> tuple[list[MyReviewRow], int]:
    """One page of one's own reviews, newest first, and how many there are.

    state: one of STATES, or "" for all; words: what its key, texts or one's own comments hold, whatever the case
    """
    require(store, user, project_id, "review")
    if state not in {"", *STATES}:
        raise InvalidValue(unknown(_("state"), state, listed(STATES)))
    lines, n = list_my_reviews(
        store, project_id, cast("int", user.id), state, words.strip(), limit=PAGE_SIZE, offset=PAGE_SIZE * (page - 1)
    )
    annotations = get_annotations(store, [line.annotation_id for line in lines])
    return [_row(store, line, annotations[line.annotation_id]) for line in lines], n


def _row(store: Store, line: ReviewLine, annotation: Annotation) -> MyReviewRow:
    review = get_review(store, line.review_id)
    return MyReviewRow(
        line, first_words(line.excerpt, _EXCERPT_CHARS), annotation.result, len(annotation.sets),
        may_change=line.state == "submitted",
        scored=_brief(_scored(review)),
        lines=_brief(_became(store, line, review.user_id)),
    )  # fmt: skip


def _brief(lines: list[str]) -> tuple[str, ...]:
    return tuple(first_words(sentence, _LINE_CHARS) for sentence in lines)


def _scored(review: Review) -> list[str]:
    """One's own scores, in the words of their scales, and what one said of them."""
    whole = review.scores
    sets = [
        _line(
            _("Set {letter}", letter=set_letter(number)),
            {"sufficiency": of.sufficiency, "compactness": of.compactness},
            of.comment,
        )
        for number, of in enumerate(whole.sets)
    ]
    return [
        sentence
        for sentence in (*sets, _line(_("All sets"), {"comprehensiveness": whole.comprehensiveness}, whole.comment))
        if sentence
    ]


def _line(about: str, scores: Mapping[Property, int | None], comment: str) -> str:
    parts = [
        _("{score} {number} ({words})", score=_(SCORE_NAMES[name]), number=n, words=_(SCALES[name][n - 1]))
        for name, n in scores.items()
        if n is not None
    ]
    parts += [f"“{comment}”"] if comment else []
    return _("{about}: {scores}", about=about, scores=listed(parts)) if parts else ""


def _became(store: Store, line: ReviewLine, user_id: int) -> list[str]:
    """Why the round, or the text, came to its end; while the round is open nothing is told of others' scores."""
    review_round = cast("Round", find_round(store, line.annotation_id))
    lines = why_discarded(store, line.instance_id) if line.state == "discarded" else []
    if review_round.reason:
        lines.append(_("The lead decided: {reason}", reason=review_round.reason))
    for finding in review_round.verdict.failed if review_round.verdict else ():
        about = (
            _("All sets together")
            if finding.set_index is None
            else _("Set {letter}", letter=set_letter(finding.set_index))
        )
        lines.append(_("{about} fell short. {scores}", about=about, scores=in_words(finding)))
    if line.state == "discarded" and not lines:
        lines = [DISCARDED]
    return lines + [
        comment if number is None else _("Set {letter}: {line}", letter=set_letter(number), line=comment)
        for number, comment in _others_said(store, review_round, user_id)
    ]


def _others_said(store: Store, review_round: Round, user_id: int) -> list[tuple[int | None, str]]:
    """What other reviewers wrote, without names, in a round that is decided: the set it is about (None: all), the line."""
    if review_round.outcome is None:
        return []
    return [
        (number, _("A reviewer: {comment}", comment=comment))
        for review in review_store.submitted_reviews(store, review_round.annotation_id)
        for number, comment in ((None, review.scores.comment), *enumerate(s.comment for s in review.scores.sets))
        if comment and review.user_id != user_id
    ]
