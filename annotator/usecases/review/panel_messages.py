"""What the review screen draws (docs/review.md): the field names are those of its messages."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from annotator.domain.instances import Annotation
from annotator.domain.projects import Project
from annotator.domain.reviews import Finding, MyReviewState, Round, Scores
from annotator.domain.texts import RationaleSet
from annotator.language import _
from annotator.usecases.annotate.outcomes import FormerRound
from annotator.usecases.annotate.panel_messages import Pairs, ShownInstance, pairs_of, show_instance
from annotator.usecases.review.reviews import PAGE_SIZE, MyReviewRow, NextReview, ReviewWork


class ShownCarried(Struct, frozen=True):
    """The means that a set carries, exact numbers in words."""

    sufficiency: str
    compactness: str


class ShownReviewedSet(Struct, frozen=True):
    """One set; previous: which set it was in the round before."""

    spans: Pairs
    is_carried: bool
    carried: ShownCarried | None
    previous: int | None


class ShownSetScore(Struct, frozen=True):
    """My scores of one set."""

    sufficiency: int | None
    compactness: int | None
    comment: str


class ShownScores(Struct, frozen=True):
    """My scores."""

    comprehensiveness: int | None
    comment: str
    sets: tuple[ShownSetScore, ...]


class ShownFormerRound(Struct, frozen=True):
    """The round before, and why it was sent back."""

    round: int
    sets: tuple[Pairs, ...]
    lines: tuple[str, ...]
    set_lines: Mapping[str, tuple[str, ...]]


class ShownFinding(Struct, frozen=True):
    """One mean against its threshold."""

    property: str
    set: int | None
    scores: tuple[int, ...]
    mean: str
    threshold: str
    passes: bool


class ShownComment(Struct, frozen=True):
    """What another reviewer wrote, and of which set."""

    set: int | None
    line: str


class ShownDecision(Struct, frozen=True):
    """What the round came to."""

    outcome: str
    by: str
    reason: str
    findings: tuple[ShownFinding, ...]
    others: tuple[ShownComment, ...]


class ShownReview(Struct, frozen=True):
    """The review object."""

    review: int
    revision: int
    annotation: int
    round: int
    max_rounds: int
    state: str
    instance: ShownInstance
    result: str | None
    note: str
    no_rationale: bool
    sets: tuple[ShownReviewedSet, ...]
    scores: ShownScores
    previous: ShownFormerRound | None
    decision: ShownDecision | None


class ShownReviewProject(Struct, frozen=True):
    """What the screen needs of the project."""

    id: int
    name: str
    question: str
    has_guidelines: bool
    idle_after_s: int
    asks_model: bool  # whether the model's answers may be asked for here


class ShownNextReview(Struct, frozen=True):
    """What the screen begins with."""

    work: ShownReview | None
    project: ShownReviewProject
    counts: Mapping[str, int]
    empty: str | None


class ShownReviewRow(Struct, frozen=True):
    """One line of my reviews."""

    review: int
    annotation: int
    key: str
    excerpt: str
    round: int
    state: MyReviewState
    result: str | None
    sets: int
    at: str
    may_change: bool
    scored: tuple[str, ...]
    lines: tuple[str, ...]


class ShownMyReviews(Struct, frozen=True):
    """One page of my reviews."""

    rows: tuple[ShownReviewRow, ...]
    total: int
    page: int
    page_size: int


def show_next_review(answer: NextReview) -> ShownNextReview:
    """The answer of the route `next`."""
    project = answer.project
    shown = show_review_project(project, asks_model=project.settings.model_previews != "nobody")
    work = None if answer.work is None else show_review(answer.work)
    return ShownNextReview(work, shown, answer.counts, answer.empty)


def show_review_project(project: Project, *, asks_model: bool) -> ShownReviewProject:
    """The project as a reviewer's screen needs it; the task's own question in the reviewer's language."""
    return ShownReviewProject(
        project.id, project.name, _(project.shown_question), bool(project.guidelines),
        project.settings.idle_after_seconds, asks_model
    )  # fmt: skip


def show_review(work: ReviewWork) -> ShownReview:
    """A review with everything that the reviewer may see."""
    review, review_round, annotation = work.review, work.round, work.annotation
    return ShownReview(
        review=review.id,
        revision=review.revision,
        annotation=annotation.id,
        round=review_round.number,
        max_rounds=work.max_rounds,
        state=_state(work),
        instance=show_instance(work.instance, work.task),
        result=annotation.result,
        note=annotation.note,
        no_rationale=not annotation.sets,
        sets=tuple(_show_set(work, number, s) for number, s in enumerate(annotation.sets)),
        scores=_show_scores(review.scores),
        previous=None if work.former is None else _show_former(work.former),
        decision=_show_decision(review_round, work.others_said),
    )


def _state(work: ReviewWork) -> str:
    if work.round.outcome is not None:
        return "decided"
    return "submitted" if work.review.state == "submitted" else "open"


def _show_set(work: ReviewWork, number: int, rationale_set: RationaleSet) -> ShownReviewedSet:
    means = work.carried_means.get(number)
    carried = None if means is None else ShownCarried(*means)
    return ShownReviewedSet(pairs_of(rationale_set), carried is not None, carried, work.origins.get(number))


def _show_scores(scores: Scores) -> ShownScores:
    sets = tuple(ShownSetScore(s.sufficiency, s.compactness, s.comment) for s in scores.sets)
    return ShownScores(scores.comprehensiveness, scores.comment, sets)


def _show_former(former: FormerRound) -> ShownFormerRound:
    annotation: Annotation = former.annotation
    set_lines = {str(number): lines for number, lines in former.feedback.sets.items()}
    return ShownFormerRound(
        former.feedback.round_number, tuple(pairs_of(s) for s in annotation.sets), former.feedback.lines, set_lines
    )


def _show_decision(review_round: Round, others: Sequence[tuple[int | None, str]]) -> ShownDecision | None:
    if review_round.outcome is None:
        return None
    findings = tuple(
        _show_finding(finding) for finding in (review_round.verdict.findings if review_round.verdict else ())
    )
    comments = tuple(ShownComment(number, line) for number, line in others)
    return ShownDecision(review_round.outcome, review_round.decided_by or "", review_round.reason, findings, comments)


def _show_finding(finding: Finding) -> ShownFinding:
    return ShownFinding(
        finding.name, finding.set_index, finding.scores, str(finding.mean), str(finding.threshold), finding.passes
    )


def show_my_reviews(rows: Sequence[MyReviewRow], total: int, page: int) -> ShownMyReviews:
    """The answer of the route `mine`."""
    shown = tuple(
        ShownReviewRow(
            row.line.review_id,
            row.line.annotation_id,
            row.line.key,
            row.excerpt,
            row.line.round_number,
            row.line.state,
            row.result,
            row.n_sets,
            row.line.at,
            row.may_change,
            row.scored,
            row.lines,
        )
        for row in rows
    )
    return ShownMyReviews(shown, total, page, PAGE_SIZE)
