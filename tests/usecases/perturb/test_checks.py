"""Each checker by themselves: who sees whose word and name, before and after their own and the decision."""

from dataclasses import replace

import msgspec
import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.perturbations import Perturbation
from annotator.domain.projects import Project
from annotator.errors import Conflict
from annotator.store import Store
from annotator.usecases.lead.timeline import timeline
from annotator.usecases.perturb import checks, versions
from annotator.usecases.perturb import panel_messages as messages
from annotator.usecases.perturb.panel_values import ShownPerturbation
from annotator.usecases.project.projects import EventFilter, change_project, count_events_of, events_of, give_role
from tests.usecases.perturb.conftest import approve, change


def shown_check(store: Store, person: User, one: Perturbation) -> ShownPerturbation:
    shown = messages.show_check(store, person, checks.open_check(store, person, one.id)).perturbation
    assert shown is not None
    return shown


def sent(message: object) -> str:
    """The bytes that reach the browser, as text."""
    return msgspec.json.encode(message).decode()


def test_the_second_checker_sees_neither_the_first_ones_word_nor_the_author_before_their_own(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    checks.approve(store, people["Ben"], written.id, 1, "a perfect filler")
    told = sent(shown_check(store, people["Cem"], written))
    for word in ("Ann", "Ben", "perfect filler", "approve"):
        assert word not in told, word
    approve(store, people["Cem"], written)  # the last word: it is decided, and everything is told
    told = sent(shown_check(store, people["Cem"], written))
    assert all(word in told for word in ("Ann", "Ben", "perfect filler"))


def test_after_ones_own_word_one_sees_the_others_and_the_author_once_it_is_decided(
    store: Store, people: dict[str, User], reviews: Project, written: Perturbation
) -> None:
    settings = replace(reviews.settings, checkers_per_perturbation=3)
    change_project(store, LOCAL_OPERATOR, replace(reviews, settings=settings))
    approve(store, people["Ben"], written)
    approve(store, people["Cem"], written)
    shown = shown_check(store, people["Cem"], written)
    assert ([c.by for c in shown.checks], shown.author, shown.versions[0].by) == (["Ben", "Cem"], None, None)
    approve(store, people["Lea"], written)
    assert shown_check(store, people["Cem"], written).author == "Ann"


def test_the_lead_may_let_checkers_see_the_author_but_never_what_others_said(
    store: Store, people: dict[str, User], reviews: Project, written: Perturbation
) -> None:
    settings = replace(reviews.settings, checkers_see_author=True)
    change_project(store, LOCAL_OPERATOR, replace(reviews, settings=settings))
    approve(store, people["Ben"], written)
    shown = shown_check(store, people["Cem"], written)
    assert (shown.author, shown.checks) == ("Ann", ())


def test_a_correction_is_judged_without_the_version_before_it_but_by_its_author(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    better = change("The plot is slow but the acting is simply superb .")
    checks.correct(store, people["Ben"], written.id, 1, better, "a calmer word")
    shown = shown_check(store, people["Cem"], written)
    assert ([v.number for v in shown.versions], shown.versions[0].since, shown.checks) == ([2], {}, ())
    assert "calmer" not in sent(shown)
    assert "truly" not in sent(shown)
    approve(store, people["Cem"], written)
    mine = messages.show_mine(store, people["Ann"], written.project_id, 1).rows[0]
    assert [(v.by, v.reason, v.is_correction) for v in mine.versions] == [
        ("Ann", "", False),
        (None, "a calmer word", True),
    ]
    assert (mine.checks, mine.may_check) == ((), True)
    assert shown_check(store, people["Ann"], written).may_revise is False
    with pytest.raises(Conflict, match=r"and can't be changed\."):
        versions.revise(store, people["Ann"], written.id, change("The acting is superb ."))


def test_what_came_back_tells_its_author_why_and_nobody_else_who_will_check_it_again(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    checks.reject(store, people["Ben"], written.id, 1, "no filler at all")
    assert "no filler" in sent(messages.show_mine(store, people["Ann"], written.project_id, 1))
    assert "no filler" not in sent(shown_check(store, people["Cem"], written))
    versions.revise(store, people["Ann"], written.id, change("The plot is slow but her acting is superb ."))
    assert "no filler" not in sent(shown_check(store, people["Cem"], written))
    again = shown_check(store, people["Ben"], written)
    assert [(v.number, v.by) for v in again.versions] == [(1, None), (2, None)]
    assert [(c.version, c.by, c.reason) for c in again.checks] == [(1, "Ben", "no filler at all")]


def test_no_other_part_of_the_screen_names_the_author_or_tells_a_checkers_word(
    store: Store, people: dict[str, User], reviews: Project, written: Perturbation
) -> None:
    approve(store, people["Ben"], written)
    dan = people["Cem"]
    give_role(store, LOCAL_OPERATOR, reviews.id, "Cem", "annotator")
    told = [
        messages.show_original(dan, versions.open_original(store, dan, written.original_id)),
        messages.show_progress(store, dan, reviews.id),
        messages.show_mine(store, dan, reviews.id, 1),
        messages.show_assessment(versions.assess_version(store, dan, written.original_id, change())),
    ]
    assert "same text" in sent(told)
    for word in ("Ann", "Ben", 'approve"'):
        assert word not in sent(told), word
    of_lead = messages.show_progress(store, people["Lea"], reviews.id)
    assert ([one["name"] for one in of_lead.authors], [one["name"] for one in of_lead.checkers]) == (["Ann"], ["Ben"])


def test_the_record_and_the_timeline_keep_it_from_a_lead_who_is_still_to_check(
    store: Store, people: dict[str, User], reviews: Project, written: Perturbation
) -> None:
    checks.approve(store, people["Ben"], written.id, 1, "a perfect filler")

    def told(lead: User) -> str:
        events = events_of(store, lead, reviews.id)
        return str(timeline(store, lead, reviews, written.original_id)) + str(
            [(e.actor, e.action, e.detail) for e in events]
        )

    said = told(people["Lea"])
    assert "somebody" in said
    for word in ("'Ann'", "'Ben'", "perfect filler", "approve"):
        assert word not in said, word
    assert "perfect filler" in told(LOCAL_OPERATOR)
    approve(store, people["Lea"], written)
    assert "perfect filler" in told(people["Lea"])


def test_asking_the_record_for_a_person_says_nothing_of_who_wrote_or_checked_what_one_is_still_to_check(
    store: Store, people: dict[str, User], reviews: Project, written: Perturbation
) -> None:
    checks.approve(store, people["Ben"], written.id, 1, "a perfect filler")

    def actions(reader: User, name: str) -> set[str]:
        wanted = EventFilter(actor=name)
        events = events_of(store, reader, reviews.id, wanted)
        assert count_events_of(store, reader, reviews.id, wanted) == len(events)
        return {event.action for event in events}

    for name in ("Ann", "ben"):
        assert not [action for action in actions(people["Lea"], name) if "perturbation" in action]
    assert "write perturbation" in actions(LOCAL_OPERATOR, "Ann")
    assert "check perturbation: approve" in actions(LOCAL_OPERATOR, "ben")
