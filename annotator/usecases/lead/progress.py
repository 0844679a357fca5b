"""How far people are with a project, for its lead: whose texts stand how, who reviewed how much, and at what pace."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from annotator.domain.numbers import natural_order
from annotator.domain.people import Role, User
from annotator.domain.projects import Project
from annotator.review.progress import Pace, pace_words, window_days
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.people import list_members
from annotator.store.project.work_numbers import (
    finished_between,
    first_submission_at,
    last_activity,
    review_counts,
    standing_counts,
    submissions_between,
)
from annotator.store.projects import instance_counts
from annotator.usecases.access.rights import require
from annotator.usecases.project.projects import done_among
from annotator.usecases.review.reviews import review_counts as waiting_counts


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """How many of one person's texts stand how; each counts once.

    days_since: whole days since the newest submission; days_since_active: since they last did anything
    """

    name: str
    standings: dict[str, int]
    days_since: int | None
    days_since_active: int | None = None

    @property
    def n_texts(self) -> int:
        return sum(self.standings.values())


@dataclass(frozen=True, slots=True)
class ReviewerProgress:
    """What one person has reviewed, and what waits for them (in hand, or free for them; counted up to a thousand)."""

    name: str
    n_submitted: int
    n_waiting: int
    median_seconds: float | None
    days_since: int | None
    days_since_active: int | None = None


@dataclass(frozen=True, slots=True)
class OtherMember:
    """Somebody who has a role and has neither annotated nor reviewed yet."""

    name: str
    roles: tuple[Role, ...]
    days_since_active: int | None


@dataclass(frozen=True, slots=True)
class WorkProgress:
    """Everything about people and pace, at one moment."""

    annotators: tuple[AnnotatorProgress, ...]
    reviewers: tuple[ReviewerProgress, ...]
    others: tuple[OtherMember, ...]
    submitted: Pace
    done: Pace

    @property
    def pace(self) -> str:
        """How much is done in a day, in words."""
        return pace_words(self.submitted, self.done)


def work_progress(store: Store, actor: User, project: Project) -> WorkProgress:
    """How far people are."""
    require(store, actor, project.id, "manage project")
    now = store.moment()
    with store.snapshot():
        first = first_submission_at(store, project.id)
        n_days = window_days(None if first is None else dt.datetime.fromisoformat(first), now)
        since, until = iso(now - dt.timedelta(days=n_days)), iso(now)
        counts = instance_counts(store, project.id)
        active_at = last_activity(store, project.id)
        annotators = _annotators(store, project, active_at, now)
        reviewers = _reviewers(store, project, active_at, now)
        known = {person.name for person in annotators} | {person.name for person in reviewers}
        n_left = sum(n for state, n in counts.items() if state != "queued") - done_among(counts)
        return WorkProgress(
            annotators=annotators,
            reviewers=reviewers,
            others=_others(store, project, known, active_at, now),
            submitted=Pace(submissions_between(store, project.id, since, until), n_days, n_left),
            done=Pace(finished_between(store, project.id, since, until), n_days, n_left),
        )


@dataclass(slots=True)
class _Counted:
    standings: dict[str, int] = field(default_factory=dict)
    last_at: str | None = None


def _annotators(
    store: Store, project: Project, active_at: Mapping[str, str], now: dt.datetime
) -> tuple[AnnotatorProgress, ...]:
    people: dict[str, _Counted] = defaultdict(_Counted)
    for count in standing_counts(store, project.id):
        person = people[count.annotator]
        person.standings[count.standing] = count.n
        person.last_at = _newest(person.last_at, count.last_at)
    return tuple(
        AnnotatorProgress(
            name,
            of_person.standings,
            _days(of_person.last_at, now),
            _days(_newest(active_at.get(name), of_person.last_at), now),
        )
        for name, of_person in sorted(people.items(), key=lambda pair: natural_order(pair[0]))
    )


def _reviewers(
    store: Store, project: Project, active_at: Mapping[str, str], now: dt.datetime
) -> tuple[ReviewerProgress, ...]:
    """Whoever is a reviewer here, and whoever has reviewed: a lead may review, and a reviewer may have left."""
    given = {count.reviewer: count for count in review_counts(store, project.id)}
    members = {
        user.name: user
        for user, role in list_members(store, project.id)
        if not user.is_disabled and (role == "reviewer" or user.name in given)
    }
    reviewers = []
    for name in sorted(given.keys() | members.keys(), key=natural_order):
        count = given.get(name)
        waiting = waiting_counts(store, project, members[name]) if name in members else {}
        median_ms = count.median_ms if count else None
        reviewers.append(
            ReviewerProgress(
                name, count.n if count else 0, waiting.get("to_review", 0) + waiting.get("open", 0),
                None if median_ms is None else median_ms / 1000, _days(count.last_at if count else None, now),
                _days(_newest(active_at.get(name), count.last_at if count else None), now),
            )
        )  # fmt: skip
    return tuple(reviewers)


def _others(
    store: Store, project: Project, known: Collection[str], active_at: Mapping[str, str], now: dt.datetime
) -> tuple[OtherMember, ...]:
    roles: dict[str, list[Role]] = defaultdict(list)
    for user, role in list_members(store, project.id):
        if user.name not in known and not user.is_disabled:
            roles[user.name].append(role)
    return tuple(
        OtherMember(name, tuple(roles[name]), _days(active_at.get(name), now))
        for name in sorted(roles, key=natural_order)
    )


def _newest(*moments: str | None) -> str | None:
    return max(filter(None, moments), default=None)


def _days(at: str | None, now: dt.datetime) -> int | None:
    return None if at is None else max(0, (now - dt.datetime.fromisoformat(at)).days)
