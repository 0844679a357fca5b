"""The rounds that are before their reviewers, for the lead: who has scored, who is scoring, what is missing, what is stuck."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Review, Round
from annotator.language import _, listed, several
from annotator.review.gate import score_line
from annotator.store import Store
from annotator.store.annotate.annotations import get_annotations
from annotator.store.instances import InstanceRow, row_of
from annotator.store.project.open_work import (
    ReviewersLeft,
    reviewers_left,
    rounds_without_reviewers,
    texts_for_the_gone,
    texts_without_annotators,
)
from annotator.store.review.reviews import reviews_of
from annotator.store.review.rounds import list_undecided
from annotator.usecases.access.independence import is_at_work_on, may_annotate_still
from annotator.usecases.access.rights import require, roles_with
from annotator.usecases.lead.event_sentences.parts import in_a_row

PAGE_SIZE = 10
_NAMED_TEXTS = 5
_NOBODY_LEFT = ReviewersLeft(0, 0, 0)


@dataclass(frozen=True, slots=True)
class UndecidedRound:
    """A round that waits for scores.

    n_scored: how many reviewers are done, scored: what each gave; none while the lead may be given the text, or has it in hand
    scoring: the names of those who hold it now; left: how many others there are who may score it
    """

    round: Round
    instance: InstanceRow
    annotator: str
    wanted: int
    n_scored: int
    scored: tuple[str, ...]
    scoring: tuple[str, ...]
    left: ReviewersLeft

    @property
    def is_stuck(self) -> bool:
        """Whether fewer people are left who may score it than it wants."""
        return self.left.wanted > self.left.n_now + self.left.n_later

    def summary(self, since: str) -> str:
        """What is missing, in one line. since: when the round was opened, as whoever looks has the time."""
        words = several(
            "{n_scored} of {n} score; waiting since {since}",
            "{n_scored} of {n} scores; waiting since {since}",
            self.wanted,
            n_scored=self.n_scored,
            since=since,
        )
        being = [_("{people} scoring now", people=listed(self.scoring))] if self.scoring else []
        return in_a_row((words, *being, *self._of_others))

    @property
    def _of_others(self) -> tuple[str, ...]:
        left = self.left
        n = left.n_now + left.n_later
        if self.is_stuck and n:
            return (_("{wanted} more needed, but only {n} of the others may score it", wanted=left.wanted, n=n),)
        if self.is_stuck:
            return (_("{wanted} more needed, but nobody else may score it", wanted=left.wanted),)
        if left.wanted > left.n_now:
            return (
                _(
                    "{n} of the others may still be given this text to annotate, and may score it only when it can no longer "
                    "be given to them",
                    n=left.n_later,
                ),
            )
        return ()


@dataclass(frozen=True, slots=True)
class StuckWork:
    """What nobody may do: annotations that wait for scores, and free texts (how many, and the first of them).

    for_the_gone: the numbers of those texts that are only for people who cannot be given them any more
    """

    annotation_ids: tuple[int, ...]
    n_texts: int
    texts: tuple[InstanceRow, ...]
    for_the_gone: tuple[int, ...] = ()


def stuck_work(store: Store, actor: User, project: Project) -> StuckWork:
    """What waits for people whom the project does not have."""
    require(store, actor, project.id, "manage project")
    rounds = rounds_without_reviewers(store, project.id, roles_with("review"))
    texts = texts_without_annotators(store, project.id, roles_with("annotate"))
    first = tuple(row_of(store, number) for number in texts[:_NAMED_TEXTS])
    gone = texts_for_the_gone(store, project.id, roles_with("annotate"))
    return StuckWork(tuple(rounds), len(texts), first, tuple(gone))


def list_undecided_rounds(
    store: Store, actor: User, project: Project, page: int = 1, *, only: Sequence[int] | None = None
) -> list[UndecidedRound]:
    """One page of a project's undecided rounds, oldest first; only: those of some annotations."""
    require(store, actor, project.id, "manage project")
    rounds = list_undecided(store, project.id, limit=PAGE_SIZE, offset=PAGE_SIZE * (page - 1), only=only)
    ids = [review_round.annotation_id for review_round in rounds]
    annotations, reviews = get_annotations(store, ids), reviews_of(store, ids)
    left = reviewers_left(store, project.id, ids, roles_with("review"), roles_with("annotate"))
    return [
        _shown(
            store, actor, project, review_round, annotations[review_round.annotation_id].annotator,
            reviews.get(review_round.annotation_id, []), left.get(review_round.annotation_id, _NOBODY_LEFT),
        )
        for review_round in rounds
    ]  # fmt: skip


def _shown(
    store: Store,
    actor: User,
    project: Project,
    review_round: Round,
    annotator: str,
    reviews: Sequence[Review],
    left: ReviewersLeft,
) -> UndecidedRound:
    scored = [score_line(review) for review in reviews if review.state == "submitted"]
    is_led = is_at_work_on(store, actor, review_round.instance_id) or may_annotate_still(
        store, actor, project.id, review_round.instance_id
    )
    return UndecidedRound(
        round=review_round,
        instance=row_of(store, review_round.instance_id),
        annotator=annotator,
        wanted=project.settings.reviewers_per_annotation,
        n_scored=len(scored),
        scored=() if is_led else tuple(scored),
        scoring=tuple(review.reviewer for review in reviews if review.state == "leased"),
        left=left,
    )
