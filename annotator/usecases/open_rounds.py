"""The rounds that are before their reviewers, for the lead: who has scored, who is scoring, what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Review, Round
from annotator.store import Store
from annotator.store.annotations import get_annotations
from annotator.store.instances import InstanceRow, row_of
from annotator.store.reviews import reviews_of
from annotator.store.rounds import list_undecided
from annotator.usecases.rights import require
from annotator.usecases.viewing import score_line

PAGE_SIZE = 10


@dataclass(frozen=True, slots=True)
class OpenRound:
    """A round that waits for scores.

    scored: what each reviewer gave who is done; scoring: the names of those who hold it now
    """

    round: Round
    instance: InstanceRow
    annotator: str
    wanted: int
    scored: tuple[str, ...]
    scoring: tuple[str, ...]

    @property
    def summary(self) -> str:
        """What is missing, in one line."""
        since = self.round.opened_at.replace("T", " ")[:16]
        being = f"; {', '.join(self.scoring)} scoring now" if self.scoring else ""
        return f"{len(self.scored)} of {self.wanted} scores; waits since {since}{being}"


def open_rounds(store: Store, actor: User, project: Project, page: int = 1) -> list[OpenRound]:
    """One page of a project's undecided rounds, oldest first."""
    require(store, actor, project.id, "manage project")
    rounds = list_undecided(store, project.id, limit=PAGE_SIZE, offset=PAGE_SIZE * (page - 1))
    ids = [found.annotation_id for found in rounds]
    annotations, reviews = get_annotations(store, ids), reviews_of(store, ids)
    return [
        _shown(store, project, found, annotations[found.annotation_id].annotator, reviews.get(found.annotation_id, []))
        for found in rounds
    ]


def _shown(store: Store, project: Project, found: Round, annotator: str, reviews: Sequence[Review]) -> OpenRound:
    return OpenRound(
        round=found,
        instance=row_of(store, found.instance_id),
        annotator=annotator,
        wanted=project.settings.reviewers_per_annotation,
        scored=tuple(score_line(review) for review in reviews if review.state == "submitted"),
        scoring=tuple(review.reviewer for review in reviews if review.state == "leased"),
    )
