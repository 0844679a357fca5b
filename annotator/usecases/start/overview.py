"""What waits for a person in all their projects: their own work, and what only a lead can do."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.jobs import JobKind
from annotator.domain.people import Role, User, has_right
from annotator.domain.project.qualification import AUDIENCES, RIGHT_OF, Audience
from annotator.domain.project.releases import Release
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.gold.releases import newest_release
from annotator.store.people import roles_of
from annotator.store.project import open_work
from annotator.store.project.open_work import (
    QuietPerson,
    ReturnedText,
    Waiting,
    rounds_without_reviewers,
    texts_without_annotators,
)
from annotator.store.projects import instance_counts, list_projects_of
from annotator.usecases.access.rights import changed_versions_waiting, roles_with
from annotator.usecases.annotate.my_work import waiting_counts
from annotator.usecases.inspect.stale_numbers import has_new_gold
from annotator.usecases.project.projects import missing_annotators, missing_reviewers
from annotator.usecases.qualification.attempts import Training, training_of
from annotator.usecases.qualification.people import people_without_tries
from annotator.usecases.review.reviews import review_counts

__all__ = ["LeadWork", "OwnWork", "ProjectWork", "QuietPerson", "ReturnedText", "Training", "Waiting", "overview"]

PAGE_SIZE = 20
QUIET_DAYS = 5
RETURNED_SHOWN = 5
_LOOKED_THROUGH = 1_000  # rounds, and texts, of a project: whether some are stuck, not which


@dataclass(frozen=True, slots=True)
class OwnWork:
    """What somebody can do themselves. texts: the oldest of those that came back; trainings: those that come before work."""

    n_returned: int = 0
    texts: tuple[ReturnedText, ...] = ()
    n_to_annotate: int = 0
    n_to_review: int = 0
    n_to_check: int = 0
    n_versions_back: int = 0
    trainings: tuple[tuple[Audience, Training], ...] = ()

    def __bool__(self) -> bool:
        return self != OwnWork()


@dataclass(frozen=True, slots=True)
class LeadWork:
    """What waits for a project's lead. release: the newest, if gold may have moved on since.

    without_tries: who has failed the training, with no try left
    """

    is_empty: bool = False
    decisions: Waiting | None = None
    questions: Waiting | None = None
    n_stuck_rounds: int = 0
    n_stuck_texts: int = 0
    n_missing_reviewers: int = 0
    n_missing_annotators: int = 0
    quiet: tuple[QuietPerson, ...] = ()
    release: Release | None = None
    failed: tuple[tuple[JobKind, Waiting], ...] = ()
    without_tries: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != LeadWork()


@dataclass(frozen=True, slots=True)
class ProjectWork:
    """What waits in one project; lead: for its lead alone."""

    project: Project
    mine: OwnWork
    lead: LeadWork
    is_led: bool

    @property
    def waits(self) -> bool:
        return bool(self.mine) or bool(self.lead)


def overview(store: Store, user: User, page: int = 1) -> tuple[list[ProjectWork], int]:
    """One page of a person's projects with what waits in each, and how many projects there are."""
    with store.snapshot():
        projects = list_projects_of(store, user)
        shown = projects[PAGE_SIZE * (page - 1) : PAGE_SIZE * page]
        roles = {project.id: roles_of(store, user, project.id) for project in shown}
        mine = _own_work(store, user, shown, roles)
        led = _led_work(store, user, [p for p in shown if has_right(user, roles[p.id], "manage project")])
        work = [ProjectWork(p, mine.get(p.id, OwnWork()), led.get(p.id, LeadWork()), p.id in led) for p in shown]
    return work, len(projects)


def _own_work(
    store: Store, user: User, projects: Sequence[Project], roles: dict[int, frozenset[Role]]
) -> dict[int, OwnWork]:
    if user.id is None:
        return {}
    ids = [project.id for project in projects]
    returned = open_work.returned_texts(store, ids, user.id, at_most=RETURNED_SHOWN)
    return {p.id: own_work_in(store, user, p, roles[p.id], returned.get(p.id, [])) for p in projects}


def own_work_in(
    store: Store, user: User, project: Project, roles: frozenset[Role], texts: Sequence[ReturnedText] = ()
) -> OwnWork:
    """What waits for somebody in a project, on the start page and in the sidebar alike.

    A lead may annotate and review, but nobody waits for them to: of theirs only what they have in hand is work.
    """
    may_annotate, may_review = has_right(user, roles, "annotate"), has_right(user, roles, "review")
    counts = waiting_counts(store, project, user) if may_annotate else {}
    is_reviewed = may_review and project.settings.reviewers_per_annotation > 0
    to_review = review_counts(store, project, user) if is_reviewed else {}
    to_check, back = changed_versions_waiting(store, project, user) if may_annotate or may_review else (0, 0)
    return OwnWork(
        n_returned=counts.get("returned", 0),
        texts=tuple(texts) if may_annotate else (),
        n_to_annotate=counts.get("open", 0) + (counts.get("waiting", 0) if "annotator" in roles else 0),
        n_to_review=to_review.get("open", 0) + (to_review.get("to_review", 0) if "reviewer" in roles else 0),
        n_to_check=to_check if roles & {"annotator", "reviewer"} else 0,
        n_versions_back=back,
        trainings=trainings_before_work(store, user, project, roles),
    )


def trainings_before_work(
    store: Store, user: User, project: Project, roles: frozenset[Role]
) -> tuple[tuple[Audience, Training], ...]:
    """The trainings that stand before somebody's work in a project, each with how it stands."""
    audiences: list[Audience] = [audience for audience in AUDIENCES if has_right(user, roles, RIGHT_OF[audience])]
    if not project.settings.reviewers_per_annotation and "reviewers" in audiences:
        audiences.remove("reviewers")
    standing = [(audience, training_of(store, user, project, audience)) for audience in audiences]
    return tuple((audience, training) for audience, training in standing if training.stage != "none")


def _led_work(store: Store, user: User, projects: Sequence[Project]) -> dict[int, LeadWork]:
    ids = [project.id for project in projects]
    decisions, questions = open_work.open_decisions(store, ids), open_work.open_questions(store, ids)
    failed = open_work.failed_jobs(store, ids)
    quiet = open_work.quiet_people(store, ids, iso(store.moment() - dt.timedelta(days=QUIET_DAYS)))
    return {
        project.id: LeadWork(
            is_empty=not any(instance_counts(store, project.id).values()),
            decisions=decisions.get(project.id),
            questions=questions.get(project.id),
            n_stuck_rounds=len(
                rounds_without_reviewers(store, project.id, roles_with("review"), at_most=_LOOKED_THROUGH)
            ),
            n_stuck_texts=len(
                texts_without_annotators(store, project.id, roles_with("annotate"), at_most=_LOOKED_THROUGH)
            ),
            n_missing_reviewers=missing_reviewers(store, user, project),
            n_missing_annotators=missing_annotators(store, user, project),
            quiet=tuple(quiet.get(project.id, ())),
            release=_moved_release(store, project),
            failed=tuple(failed.get(project.id, ())),
            without_tries=tuple(people_without_tries(store, project)),
        )
        for project in projects
    }


def _moved_release(store: Store, project: Project) -> Release | None:
    """The newest release, if something happened since that may have changed gold; the gold itself is not compared."""
    release = newest_release(store, project.id)
    return release if release is not None and has_new_gold(store, project.id, release.event_id) else None
