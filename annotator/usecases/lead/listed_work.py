"""Which annotations may be worth a look: counts by person that lead to lists. Each has good reasons; none is a finding."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from annotator.domain.numbers import natural_order
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.store import Store
from annotator.store.project.work_numbers import (
    Authors,
    ListedAnnotation,
    empty_annotations,
    full_annotations,
    listed_annotations,
    other_results,
    quick_annotations,
    standing_counts_of,
)
from annotator.usecases.access.rights import require

__all__ = [
    "FILTERS",
    "Filter",
    "FilterCounts",
    "ListedAnnotation",
    "ListedWork",
    "default_bound",
    "listed_work",
    "page_of",
]

Filter = Literal["quick", "nothing marked", "everything marked", "other label"]
FILTERS: tuple[Filter, ...] = get_args(Filter)
_SHARE_OF_MEDIAN = 0.25


@dataclass(frozen=True, slots=True)
class FilterCounts:
    """Of somebody's annotations that stand now, how many each filter lists."""

    person: str
    n: int
    counts: Mapping[Filter, int]


@dataclass(frozen=True, slots=True)
class ListedWork:
    """What each filter lists, the newest first. seconds_per_token: the bound of "quick"; None: no time is known."""

    seconds_per_token: float | None
    listed: Mapping[Filter, Authors]
    people: tuple[FilterCounts, ...]

    def ids(self, name: Filter, person: str | None = None) -> list[int]:
        """The annotations that a filter lists, of one person or of all."""
        return [number for number, author in self.listed[name].items() if person in (None, author)]


def default_bound(median_seconds_per_token: float | None) -> float | None:
    """Below which time a token a submission is listed as quick, unless the lead says another: a quarter of the median.

    In a project whose people are alike nothing lies below it, where a percentile would always list somebody.
    """
    return None if median_seconds_per_token is None else _SHARE_OF_MEDIAN * median_seconds_per_token


def listed_work(store: Store, actor: User, project: Project, seconds_per_token: float | None) -> ListedWork:
    """Every filter over a project; texts that the actor has in hand are left out."""
    require(store, actor, project.id, "manage project")
    require(store, actor, project.id, "see all annotations")
    if seconds_per_token is not None and not 0 <= seconds_per_token < float("inf"):
        raise InvalidValue(_("{seconds} seconds a token cannot be a bound; give 0 or more.", seconds=seconds_per_token))
    viewer, number = actor.id, project.id
    has_sets = project.settings.result_mode != "labels_only"
    with store.snapshot():
        listed: dict[Filter, Authors] = {
            "quick": quick_annotations(store, number, viewer, 1000 * (seconds_per_token or 0)),
            "nothing marked": empty_annotations(store, number, viewer) if has_sets else {},
            "everything marked": full_annotations(store, number, viewer) if has_sets else {},
            "other label": other_results(store, number, viewer),
        }
        totals = standing_counts_of(store, number, viewer)
    by_filter = {name: Counter(authors.values()) for name, authors in listed.items()}
    people = tuple(
        FilterCounts(person, totals[person], {name: by_filter[name][person] for name in FILTERS})
        for person in sorted(totals, key=natural_order)
    )
    return ListedWork(seconds_per_token, listed, people)


def page_of(store: Store, actor: User, project: Project, annotation_ids: Sequence[int]) -> list[ListedAnnotation]:
    """What a list shows of some of them."""
    require(store, actor, project.id, "see all annotations")
    return listed_annotations(store, project.id, annotation_ids)
