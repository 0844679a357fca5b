"""A clock that was ahead for a while and is set right again: what it wrote locks nobody out for longer than it should."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.texts import RationaleSet
from annotator.errors import NotAllowed, NotSignedIn
from annotator.store import Store
from annotator.store import jobs as jobs_store
from annotator.store.connection.database import iso
from annotator.store.people import add_failure
from annotator.usecases.access import accounts, credentials
from annotator.usecases.access.credentials import make_token, open_token
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work
from annotator.usecases.background import ask_to_measure
from annotator.usecases.review import reviews
from tests.clock import ahead

pytestmark = pytest.mark.usefixtures("quick_hashes")

PASSWORD = "a good long password"
DAYS = 100
SET = RationaleSet.of((0, 2))


@pytest.fixture
def ann(store: Store, annotator: User) -> User:
    """The annotator, with a password."""
    accounts.set_password_with_link(store, accounts.reset_user(store, LOCAL_OPERATOR, annotator.name), None, PASSWORD)
    return annotator


def work_of(store: Store, person: User, project: Project) -> Work | None:
    return annotate_work.next_work(store, person, project.id).work


def one_text(store: Store, project: Project) -> None:
    """All texts but the first are out of the way."""
    with store.transaction():
        store.run("UPDATE instances SET state = 'complete', open_slots = 0 WHERE key <> 't1'")


# --- accounts ---


def test_failures_from_the_future_make_no_name_wait(store: Store, ann: User) -> None:
    with ahead(store, days=DAYS):
        for _ in range(credentials.FAILURES_UNTIL_A_WAIT):
            with pytest.raises(NotAllowed, match=r"Wrong name or password\."):
                accounts.sign_in(store, ann.name, "wrong password")
        with pytest.raises(NotAllowed, match=r"Try again in 5 seconds\."):
            accounts.sign_in(store, ann.name, PASSWORD)
    assert accounts.sign_in(store, ann.name, PASSWORD)


def test_failures_from_the_future_make_no_token_wait(
    store: Store, project: Project, add_person: Callable[..., User]
) -> None:
    ria = add_person("ria", project, "researcher")
    token = make_token(store, ria, project, "ria", ["read"]).text
    wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
    with ahead(store, days=30):
        for _ in range(credentials.FAILURES_UNTIL_A_WAIT):
            with pytest.raises(
                NotSignedIn,
                match=r"This token is not known here\. Check that you copied all of it, or make another one\.",
            ):
                open_token(store, wrong, project.name, "read")
        with pytest.raises(NotSignedIn, match=r"Try again in 5 seconds\."):
            open_token(store, token, project.name, "read")
    assert open_token(store, token, project.name, "read")


def test_the_last_use_of_a_token_is_noted_again(
    store: Store, project: Project, add_person: Callable[..., User]
) -> None:
    ria = add_person("ria", project, "researcher")
    token = make_token(store, ria, project, "ria", ["read"]).text
    with ahead(store, days=30):
        open_token(store, token, project.name, "read")
    open_token(store, token, project.name, "read")
    assert store.value("SELECT last_used_at FROM api_tokens") <= store.now()


def test_a_failure_counts_no_more_and_goes_when_its_time_is_over_or_lies_ahead(store: Store) -> None:
    since, until = credentials.failures_window(store.moment())
    with store.transaction():
        rows = [("old", "2020-01-01T00:00:00.000Z"), ("ahead", "2200-01-01T00:00:00.000Z"), ("fresh", until)]
        store.run_many("INSERT INTO sign_in_failures (name, at) VALUES (?, ?)", rows)
        add_failure(store, "new", since, until)
    assert [row["name"] for row in store.rows("SELECT name FROM sign_in_failures ORDER BY name")] == ["fresh", "new"]


def test_who_signs_in_while_the_clock_is_ahead_stays_signed_in_and_all_others_can_sign_in(
    store: Store, ann: User, add_person: Callable[..., User], project: Project
) -> None:
    add_person("ben", project, "annotator")
    before = accounts.sign_in(store, ann.name, PASSWORD)
    with ahead(store, days=DAYS):
        during = accounts.sign_in_as(store, "ben", is_demonstration=True)
        with pytest.raises(NotSignedIn):
            accounts.session_of(store, before)
    assert accounts.session_of(store, during).user.name == "ben"
    assert accounts.session_of(store, accounts.sign_in(store, ann.name, PASSWORD)).user.name == ann.name


def test_a_one_time_link_that_seemed_too_old_works_when_the_clock_is_right(store: Store, ann: User) -> None:
    link = accounts.reset_user(store, LOCAL_OPERATOR, ann.name)
    with (
        ahead(store, days=DAYS),
        pytest.raises(
            NotAllowed,
            match=r"This link was used, replaced or has expired\. Ask your lead or administrator for a new one\.",
        ),
    ):
        accounts.open_link(store, link)
    assert accounts.open_link(store, link).user == ann


# --- work that people hold ---


def test_work_given_out_by_a_clock_that_was_ahead_is_free_again_after_one_lease(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    one_text(store, project)
    ben = add_person("ben", project, "annotator")
    with ahead(store, days=DAYS):
        assert work_of(store, annotator, project)
    assert work_of(store, ben, project) is None  # it is not taken from whoever has it
    with ahead(store, minutes=project.settings.lease_minutes + 1):
        found = work_of(store, ben, project)
    assert found is not None
    assert found.instance.key == "t1"


def test_returned_work_waits_for_its_annotator_no_longer_than_the_rules_say(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    one_text(store, project)
    ben = add_person("ben", project, "annotator")
    work = work_of(store, annotator, project)
    assert work is not None
    with store.transaction():
        until = iso(store.moment() + dt.timedelta(days=DAYS))
        store.run("UPDATE assignments SET state = 'returned', lease_until = ?", (until,))
    assert work_of(store, ben, project) is None
    with ahead(store, days=project.settings.away_after_days, minutes=1):
        assert work_of(store, ben, project)


@pytest.fixture
def reviewed(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """One text; one reviewer scores each annotation."""
    made = make_project(name="Reviewed", reviewers_per_annotation=1)
    import_rows(made, [{"id": "r1", "text": "The staff never smiled.", "label": "negative"}])
    return made


def hand_in(store: Store, person: User, project: Project, rationale_set: RationaleSet = SET) -> None:
    work = work_of(store, person, project)
    assert work is not None
    draft = replace(work.assignment.draft, sets=(rationale_set,))
    annotate_work.submit(store, person, work.assignment.id, work.assignment.revision, draft)


def test_a_review_given_out_by_a_clock_that_was_ahead_is_free_again_after_one_lease(
    store: Store, reviewed: Project, add_person: Callable[..., User]
) -> None:
    hand_in(store, add_person("ann", reviewed, "annotator"), reviewed)
    first, second = (add_person(name, reviewed, "reviewer") for name in ("first", "second"))
    with ahead(store, days=DAYS):
        assert reviews.next_review(store, first, reviewed.id).work
    assert reviews.next_review(store, second, reviewed.id).work is None
    with ahead(store, minutes=reviewed.settings.lease_minutes + 1):
        assert reviews.next_review(store, second, reviewed.id).work


def test_a_correction_handed_in_while_the_clock_was_ahead_is_not_kept_for_its_reviewers_until_then(
    store: Store, reviewed: Project, add_person: Callable[..., User]
) -> None:
    ann = add_person("ann", reviewed, "annotator")
    first, second = (add_person(name, reviewed, "reviewer") for name in ("first", "second"))
    hand_in(store, ann, reviewed)
    review = reviews.next_review(store, first, reviewed.id).work
    assert review is not None
    reviews.submit_review(store, first, review.review.id, review.review.revision, Scores((SetScore(2, 4),), 3))
    with ahead(store, days=DAYS):
        hand_in(store, ann, reviewed, RationaleSet.of((2, 4)))
    assert reviews.review_counts(store, reviewed, second)["to_review"] == 1
    assert reviews.next_review(store, second, reviewed.id).work


# --- long work ---


def test_a_process_that_died_while_the_clock_was_ahead_holds_up_no_other(store: Store, project: Project) -> None:
    job = ask_to_measure(store, LOCAL_OPERATOR, project)
    with ahead(store, days=DAYS), store.transaction():
        assert jobs_store.claim_job(store, worker=1)
    assert jobs_store.is_work_waiting(store)
    with store.transaction():
        claimed = jobs_store.claim_job(store, worker=2)
    assert claimed is not None
    assert claimed.id == job.id


def test_a_process_at_work_is_left_its_job_when_the_clock_is_a_little_behind(store: Store, project: Project) -> None:
    ask_to_measure(store, LOCAL_OPERATOR, project)
    with ahead(store, seconds=5), store.transaction():
        assert jobs_store.claim_job(store, worker=1)
    assert not jobs_store.is_work_waiting(store)
