"""A project day by day for its lead: what was submitted, accepted and done, and by kind of text."""

import datetime as dt
from collections.abc import Callable
from random import Random
from zoneinfo import ZoneInfo

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotAllowed
from annotator.store import Store
from annotator.usecases.lead.progress import DayCount, KindCount, standing, work_days
from tests.clock import pass_time
from tests.usecases.review.test_reviews import A, annotate, score

MONDAY = dt.datetime(2026, 11, 23, 22, 30, tzinfo=dt.UTC)


@pytest.fixture
def project(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> Project:  # fmt: skip
    """Four texts and one reviewer for each annotation, on a Monday."""
    made = make_project(reviewers_per_annotation=1)
    text = "The staff never smiled and the soup was cold."
    import_rows(made, [{"id": f"t{n}", "text": text, "label": "negative"} for n in range(4)])
    store.clock = lambda: MONDAY
    return made


def test_a_piece_of_work_is_submitted_on_one_day_and_accepted_on_another(
    store: Store, project: Project, annotator: User, lead: User, add_person: Callable[..., User]
) -> None:
    rita = add_person("rita", project, "reviewer")
    annotate(store, annotator, project, A)
    annotate(store, annotator, project, A)
    pass_time(store, days=2)
    score(store, rita, project)
    assert work_days(store, lead, project).days == (
        DayCount(dt.date(2026, 11, 23), 2, 0, 0),
        DayCount(dt.date(2026, 11, 24), 0, 0, 0),
        DayCount(dt.date(2026, 11, 25), 0, 1, 1),
    )
    in_berlin = work_days(store, lead, project, ZoneInfo("Europe/Berlin")).days
    assert [day.n_submitted for day in in_berlin] == [2, 0, 0]
    in_tokyo = work_days(store, lead, project, ZoneInfo("Asia/Tokyo")).days
    assert [(day.day.day, day.n_submitted) for day in in_tokyo] == [(24, 2), (25, 0), (26, 0)]


def test_without_reviewers_what_is_submitted_is_accepted_on_that_day(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:  # fmt: skip
    project = make_project()
    import_rows(project, [{"id": "t", "text": "Never again, not even once.", "label": "negative"}])
    store.clock = lambda: MONDAY
    annotate(store, add_person("ann", project, "annotator"), project, A)
    [day] = work_days(store, add_person("lea", project, "lead"), project).days
    assert day == DayCount(dt.date(2026, 11, 23), 1, 1, 1)


def test_texts_are_counted_by_kind_of_changed_version_and_state(
    store: Store, project: Project, lead: User, import_rows: Callable[..., object]
) -> None:
    import_rows(
        project,
        [
            {
                "id": "v",
                "text": "The staff always smiled.",
                "label": "positive",
                "parent": "t0",
                "perturbation_kind": "contrast",
            }
        ],
    )
    kinds = work_days(store, lead, project).kinds
    assert kinds == (KindCount("", "queued", 4), KindCount("contrast", "queued", 1))


def test_before_anything_was_done_there_is_one_empty_day_and_no_date(
    store: Store, project: Project, lead: User
) -> None:
    empty = work_days(store, lead, project)
    assert empty.days == (DayCount(MONDAY.date(), 0, 0, 0),)
    assert empty.forecast.reason == "too few days"


def test_only_who_manages_a_project_sees_its_days(store: Store, project: Project, annotator: User) -> None:
    with pytest.raises(NotAllowed):
        work_days(store, annotator, project)


def test_what_the_start_page_tells_is_what_progress_tells(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:  # fmt: skip
    """From the first day to long after it, in two time zones: the few days that are read say the same as all of them."""
    project, draw = make_project(), Random(7)
    text = "The staff never smiled and the soup was cold."
    import_rows(project, [{"id": f"t{n}", "text": text, "label": "negative"} for n in range(60)])
    store.clock = lambda: MONDAY
    ann, lead = add_person("ann", project, "annotator"), add_person("lea", project, "lead")
    reasons = set()
    for _n in range(45):
        annotate(store, ann, project, A)
        for zone in (dt.UTC, ZoneInfo("Asia/Tokyo")):
            shown = standing(store, lead, project, zone)
            assert shown.forecast == work_days(store, lead, project, zone).forecast
            reasons.add(shown.forecast.reason)
        pass_time(store, days=draw.choice((0, 0, 0, 1, 1, 2)))
    assert {"too few days", "dates"} <= reasons
    assert (shown.n_done, shown.n_instances, shown.n_people) == (45, 60, 1)
    pass_time(store, days=8)
    assert standing(store, lead, project).n_people == 0
    with pytest.raises(NotAllowed):
        standing(store, ann, project)
