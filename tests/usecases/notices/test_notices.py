"""Who is told of what, and what they are not told."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore, Thread
from annotator.domain.texts import RationaleSet
from annotator.store import Store, open_store
from annotator.store.annotate.talk import get_thread
from annotator.store.notices.outbox import prune_notices
from annotator.store.projects import update_project
from annotator.usecases.access.accounts import disable_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.talk import Subject, answer, begin, note_answers_read, talk_of
from annotator.usecases.lead.decisions import decide
from annotator.usecases.notices.notices import count_unread, mark_all_read, mark_read, read_before, sentence, unread
from annotator.usecases.project.projects import change_project, give_role, take_role
from annotator.usecases.review import reviews
from annotator.usecases.review.rounds import decide_round
from tests.clock import pass_time
from tests.usecases.review.test_reviews import GOOD, annotate, score

People = Callable[..., User]
A = RationaleSet.of((0, 2))
POOR = Scores((SetScore(1, 1),), 1)


@pytest.fixture
def reviewed(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Three texts, each annotation scored by one reviewer."""
    made = make_project(reviewers_per_annotation=1)
    text = "The staff never smiled and the soup was cold."
    import_rows(made, [{"id": f"t{n}", "text": text, "label": "negative"} for n in (1, 2, 3)])
    return made


@pytest.fixture
def ann(add_person: People, reviewed: Project) -> User:
    return add_person("ann", reviewed, "annotator")


@pytest.fixture
def rev(add_person: People, reviewed: Project) -> User:
    return add_person("rev", reviewed, "reviewer")


@pytest.fixture
def lea(add_person: People, reviewed: Project) -> User:
    return add_person("lea", reviewed, "lead")


def lines(store: Store, user: User) -> list[str]:
    return [sentence(group) for group in unread(store, user)]


def kinds(store: Store, user: User) -> list[tuple[str, str]]:
    rows = store.rows("SELECT kind, detail FROM notices WHERE user_id = ? ORDER BY id", (user.id,))
    return [(row["kind"], row["detail"]) for row in rows]


def test_work_that_came_back_is_told_to_its_annotator_by_its_key_and_several_by_their_number(
    store: Store, reviewed: Project, ann: User, rev: User
) -> None:
    annotate(store, ann, reviewed, A)
    score(store, rev, reviewed, POOR)
    assert lines(store, ann) == ["“t1” was returned to you"]
    for _ in range(2):
        annotate(store, ann, reviewed, A)  # the correction, and the next
    while store.value("SELECT count(*) FROM rounds WHERE outcome IS NULL"):
        score(store, rev, reviewed, POOR)
    assert lines(store, ann) == ["2 texts were returned to you"], "one of them twice"
    assert lines(store, rev) == [], "nobody is told of what they did"
    assert not {"rev"} & set(" ".join(lines(store, ann)).split()), "nor who reviewed"


def test_what_the_last_round_discards_is_told_to_its_annotator(
    store: Store, reviewed: Project, ann: User, rev: User
) -> None:
    update_project(store, replace(reviewed, settings=replace(reviewed.settings, max_rounds=1)))
    for expected in ("“t1” was discarded after review", "2 texts were discarded after review"):
        annotate(store, ann, reviewed, A)
        score(store, rev, reviewed, POOR)
        assert lines(store, ann) == [expected]


def test_an_accepted_round_tells_nobody(store: Store, reviewed: Project, ann: User, rev: User, lea: User) -> None:
    annotate(store, ann, reviewed, A)
    score(store, rev, reviewed, Scores((GOOD,), 3))
    assert [lines(store, user) for user in (ann, rev, lea)] == [[], [], []]


def test_what_was_undone_told_nobody(store: Store, reviewed: Project, ann: User, rev: User) -> None:
    annotate(store, ann, reviewed, A)
    annotation_id = store.value("SELECT annotation_id FROM rounds")

    def fail_after_all() -> None:
        with store.transaction():
            decide_round(store, LOCAL_OPERATOR, annotation_id, "returned", "one more word")
            assert lines(store, ann) == ["“t1” was returned to you"]
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_after_all()
    assert lines(store, ann) == []


def begun(store: Store, user: User, project: Project, text: str, *, to_lead: bool = False) -> Thread:
    """A thread about the first text of somebody's work."""
    instance_id = store.value("SELECT id FROM instances WHERE key = 't1'")
    subjects = talk_of(store, user, project.id, instance_id).subjects
    subject: Subject = subjects[-1] if not to_lead else subjects[0]
    return get_thread(store, begin(store, user, project.id, instance_id, subject, text, to_lead=to_lead))


def test_a_question_is_told_to_the_leads_and_its_answer_to_whoever_asked(
    store: Store, reviewed: Project, ann: User, rev: User, lea: User
) -> None:
    annotate(store, ann, reviewed, A)
    thread = begun(store, ann, reviewed, "Is a title part of it?", to_lead=True)
    assert lines(store, lea) == ["You have a question about “t1”"]
    answer(store, lea, thread.id, "Yes.")
    assert lines(store, ann) == ["You have a reply about “t1”"]
    answer(store, ann, thread.id, "Thank you.")
    assert kinds(store, ann) == [("answer", "annotator")], "not of one's own"


def test_a_comment_that_the_asker_may_not_read_yet_is_not_told_to_them(
    store: Store, reviewed: Project, ann: User, rev: User, lea: User
) -> None:
    annotate(store, ann, reviewed, A)
    thread = begun(store, ann, reviewed, "I am not sure.")
    reviews.next_review(store, rev, reviewed.id)
    answer(store, rev, thread.id, "I would have marked less.")
    assert lines(store, ann) == []
    answer(store, lea, thread.id, "Leave it.")
    assert lines(store, ann) == ["You have a reply about “t1”"]


@pytest.mark.parametrize(
    ("decision", "expected"),
    [("keep", "“t1” was kept and returned to you"), ("discard", "“t1” was discarded, as you proposed")],
)
def test_a_decision_is_told_once_to_whoever_proposed_it(
    store: Store, reviewed: Project, ann: User, lea: User, decision: str, expected: str
) -> None:
    work = annotate_work.next_work(store, ann, reviewed.id).work
    assert work is not None
    annotate_work.propose_discard(store, ann, work.assignment.id, "broken text")
    decide(store, lea, store.value("SELECT id FROM proposals"), decision)  # type: ignore[arg-type]
    assert lines(store, ann) == [expected]


def test_a_new_role_is_told_and_the_same_again_is_not(store: Store, reviewed: Project, ann: User, lea: User) -> None:
    for _ in range(2):
        give_role(store, lea, reviewed.id, "ann", "reviewer")
    assert lines(store, ann) == ["You're now reviewer"]
    give_role(store, lea, reviewed.id, "lea", "annotator")
    assert lines(store, lea) == [], "one knows what one gave oneself"


def test_leads_are_told_once_that_rounds_are_stuck(
    store: Store, reviewed: Project, ann: User, rev: User, lea: User
) -> None:
    annotate(store, ann, reviewed, A)
    assert lines(store, lea) == []
    strict = replace(reviewed, settings=replace(reviewed.settings, reviewers_per_annotation=3))
    change_project(store, LOCAL_OPERATOR, strict)
    assert len(lines(store, lea)) == 1
    annotate(store, ann, reviewed, A)
    disable_user(store, LOCAL_OPERATOR, "rev")
    assert kinds(store, lea) == [("stuck", "")]
    mark_all_read(store, lea, unread(store, lea)[0].newest_id)
    annotate(store, ann, reviewed, A)
    assert len(lines(store, lea)) == 1, "after it was read, the next is told again"


def test_a_round_is_stuck_when_its_last_reviewer_leaves(
    store: Store, reviewed: Project, ann: User, rev: User, add_person: People
) -> None:
    annotate(store, ann, reviewed, A)
    other = add_person("other", reviewed, "lead")
    take_role(store, LOCAL_OPERATOR, reviewed.id, "rev", "reviewer")
    assert lines(store, other) == [], "a lead may review"
    change_project(store, other, replace(reviewed, settings=replace(reviewed.settings, reviewers_per_annotation=2)))
    assert lines(store, other) == ["Rounds are stuck: too few people to score"]


def test_whoever_lost_their_role_is_told_nothing_of_the_project(
    store: Store, reviewed: Project, ann: User, lea: User
) -> None:
    give_role(store, lea, reviewed.id, "ann", "reviewer")
    for role in ("annotator", "reviewer"):
        take_role(store, lea, reviewed.id, "ann", role)  # type: ignore[arg-type]
    assert (lines(store, ann), count_unread(store, ann)) == ([], 0)


def test_what_is_read_is_one_line_a_day_and_what_came_since_stays_new(
    store: Store, reviewed: Project, ann: User, lea: User
) -> None:
    give_role(store, lea, reviewed.id, "ann", "reviewer")
    (seen,) = unread(store, ann)
    give_role(store, lea, reviewed.id, "ann", "researcher")
    mark_all_read(store, ann, seen.newest_id)
    assert lines(store, ann) == ["You're now researcher"]
    assert [sentence(group) for group in read_before(store, ann)] == ["You're now reviewer"]
    mark_read(store, lea, unread(store, ann)[0].newest_id)
    assert count_unread(store, ann) == 1, "nobody reads for somebody else"
    mark_read(store, ann, unread(store, ann)[0].newest_id)
    assert count_unread(store, ann) == 0


def test_old_notices_go(store: Store, reviewed: Project, ann: User, lea: User) -> None:
    give_role(store, lea, reviewed.id, "ann", "reviewer")
    pass_time(store, days=1)
    with store.transaction():
        assert prune_notices(store, "2000-01-01") == 0
        assert prune_notices(store, store.now()) == 1
    assert count_unread(store, ann) == 0


def test_an_answer_is_no_news_once_its_talk_was_opened_nor_a_question_once_it_was_answered(
    store: Store, reviewed: Project, ann: User, lea: User
) -> None:
    annotate(store, ann, reviewed, A)
    thread = begun(store, ann, reviewed, "Is a title part of it?", to_lead=True)
    other = begun(store, ann, reviewed, "And a name?", to_lead=True)
    answer(store, lea, thread.id, "Yes.")
    assert lines(store, lea) == ["You have 2 questions"], "the other question waits still"
    assert count_unread(store, lea) == 1, "lines are counted"
    answer(store, lea, other.id, "No.")
    assert count_unread(store, lea) == 0
    talk_of(store, ann, reviewed.id, thread.instance_id)
    assert lines(store, ann) == ["You have 2 replies"], "the panel only counted the comments"
    note_answers_read(store, ann, reviewed.id, thread.instance_id)
    assert count_unread(store, ann) == 0


# The history of the demonstration, played through the use cases: whoever was told had a part in what they were told of.

_OF_STRANGERS = """SELECT notices.id FROM notices WHERE kind IN ('returned', 'decision') AND NOT EXISTS (
    SELECT 1 FROM assignments WHERE assignments.instance_id = notices.instance_id AND assignments.user_id = notices.user_id)"""
_TO_NO_LEAD = """SELECT notices.id FROM notices WHERE kind IN ('question', 'stuck') AND NOT EXISTS (
    SELECT 1 FROM memberships WHERE memberships.project_id = notices.project_id AND memberships.user_id = notices.user_id
        AND role = 'lead')"""
_RETURNED = """SELECT instance_id, user_id, count(*) AS n FROM {table} GROUP BY instance_id, user_id ORDER BY 1, 2"""


def counts(store: Store, table: str) -> list[tuple[int, ...]]:
    return [tuple(row) for row in store.rows(_RETURNED.format(table=table))]


def test_whoever_was_told_had_a_part_in_it_and_each_return_was_told_once(demonstration: Path, tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    path.write_bytes(demonstration.read_bytes())
    with open_store(path) as store:
        assert store.value("SELECT count(*) FROM notices WHERE kind = 'returned'") > 0
        assert (store.rows(_OF_STRANGERS), store.rows(_TO_NO_LEAD)) == ([], [])
        returned = "(SELECT instance_id, user_id FROM notices WHERE kind = 'returned')"
        rounds = """(SELECT rounds.instance_id, user_id FROM rounds JOIN annotations ON annotations.id = annotation_id
            WHERE outcome = 'returned')"""
        assert counts(store, returned) == counts(store, rounds)
