"""How long people take for a text and a token, and how that changes with practice."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.numbers import natural_order
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.review.progress import CurvePoint, Quartiles, learning_curve, quartiles
from annotator.store import Store
from annotator.store.project.work_numbers import TimedWork, timed_work
from annotator.usecases.access.rights import require

__all__ = ["CurvePoint", "PersonTimes", "Quartiles", "WorkTimes", "work_times"]


@dataclass(frozen=True, slots=True)
class PersonTimes:
    """Seconds of working time, pauses left out, over somebody's first submissions; n_unknown: those without a known time."""

    name: str
    per_text: Quartiles
    per_token: Quartiles
    n_unknown: int
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class WorkTimes:
    """everybody: all submissions together, under the name "". idle_after_seconds: longer pauses do not count."""

    everybody: PersonTimes
    people: tuple[PersonTimes, ...]
    idle_after_seconds: int


def work_times(store: Store, actor: User, project: Project) -> WorkTimes:
    """The times of a project at one moment."""
    require(store, actor, project.id, "manage project")
    by_person: dict[str, list[TimedWork]] = defaultdict(list)
    with store.snapshot():
        for work in timed_work(store, project.id):
            by_person[work.person].append(work)
    people = tuple(_times(name, by_person[name]) for name in sorted(by_person, key=natural_order))
    everybody = _times("", [work for of_one in by_person.values() for work in of_one])
    return WorkTimes(everybody, people, project.settings.idle_after_seconds)


def _times(name: str, submitted: Sequence[TimedWork]) -> PersonTimes:
    known = [work for work in submitted if work.active_ms and work.n_tokens]
    codes: dict[str, int] = {}
    people = np.array([codes.setdefault(work.person, len(codes)) for work in known], dtype=np.int64)
    seconds = np.array([work.active_ms / 1000 for work in known], dtype=np.float64)
    per_token = seconds / np.array([work.n_tokens for work in known], dtype=np.float64)
    positions = np.array([work.position for work in known], dtype=np.int64)
    return PersonTimes(
        name, quartiles(seconds), quartiles(per_token), len(submitted) - len(known),
        learning_curve(positions, people, per_token),
    )  # fmt: skip
