"""Talk: who may begin and answer, who sees what before and after the decision, questions to the lead."""

from collections.abc import Callable

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError, Conflict, InvalidValue, LeaseLost, NotAllowed, NotFound
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.usecases.annotate import work
from annotator.usecases.annotate.talk import Subject, answer, begin, questions, talk_of
from annotator.usecases.notices.notices import unread
from annotator.usecases.project.projects import take_role
from annotator.usecases.review import reviews
from tests.usecases.review.test_reviews import annotate, score

People = Callable[..., User]
A, B = RationaleSet.of((0, 2)), RationaleSet.of((3, 5))
TEXT = Subject("instance", None, None, "")


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(reviewers_per_annotation=2, annotators_per_instance=2)
    import_rows(made, [{"id": "t1", "text": "The staff never smiled and the soup was cold.", "label": "negative"}])
    return made


@pytest.fixture
def lead(add_person: People, project: Project) -> User:
    return add_person("lead", project, "lead")


@pytest.fixture
def reviewers(add_person: People, project: Project) -> list[User]:
    return [add_person(f"reviewer-{n}", project, "reviewer") for n in (1, 2)]


@pytest.fixture
def before(store: Store, project: Project, annotator: User, reviewers: list[User]) -> Subject:
    """An annotation that both reviewers hold and nobody has scored."""
    annotate(store, annotator, project, A, B)
    for reviewer in reviewers:
        reviews.next_review(store, reviewer, project.id)
    return Subject("annotation", annotations_of(store, [1])[1][0].id, None, "")


def heard(store: Store, person: User, project: Project) -> list[list[str]]:
    return [
        [comment.text for comment in thread.comments] for thread, _ in talk_of(store, person, project.id, 1).threads
    ]


def test_before_the_decision_reviewers_are_independent_of_one_another_and_the_annotator_of_them(
    store: Store, project: Project, annotator: User, reviewers: list[User], lead: User, before: Subject
) -> None:
    first, second = reviewers
    theirs = begin(store, annotator, project.id, 1, before, "B is on the border", to_lead=False)
    answer(store, first, theirs, "A number is too long.")
    answer(store, lead, theirs, "leave it")
    own = begin(store, first, project.id, 1, before, "I doubt set A", to_lead=True)
    answer(store, lead, own, "it is fine")
    assert heard(store, annotator, project) == [["B is on the border", "leave it"]]
    assert heard(store, second, project) == [["B is on the border", "leave it"]]
    assert heard(store, first, project) == [
        ["B is on the border", "A number is too long.", "leave it"],
        ["I doubt set A", "it is fine"],
    ]
    assert heard(store, lead, project) == heard(store, first, project)
    with pytest.raises(NotFound, match="No thread number"):
        answer(store, second, own, "me too")


def test_after_the_decision_all_see_all(
    store: Store, project: Project, annotator: User, reviewers: list[User], before: Subject
) -> None:
    begin(store, reviewers[0], project.id, 1, before, "I doubt set A", to_lead=False)
    for reviewer in reviewers:
        score(store, reviewer, project)
    for person in (annotator, *reviewers):
        assert heard(store, person, project) == [["I doubt set A"]]
    decision = Subject("decision", before.annotation_id, None, "")
    begin(store, annotator, project.id, 1, decision, "thanks", to_lead=False)
    _, words = talk_of(store, reviewers[0], project.id, 1).threads[-1]
    assert words == f"the decision · #{before.annotation_id}, round 1"


def test_only_leads_read_who_annotates_and_who_reviews(
    store: Store, project: Project, annotator: User, reviewers: list[User], lead: User, before: Subject
) -> None:
    for reviewer in reviewers:
        score(store, reviewer, project)
    number = begin(store, reviewers[0], project.id, 1, before, "I do not agree", to_lead=True)
    answer(store, annotator, number, "39 is enough")
    answer(store, lead, number, "So it is")

    def names(person: User) -> list[str]:
        [(thread, _)] = talk_of(store, person, project.id, 1).threads
        return [comment.author for comment in thread.comments]

    assert names(lead) == ["reviewer-1", "annotator-a", "lead"]
    assert names(annotator) == ["", "annotator-a", "lead"]
    assert names(reviewers[0]) == ["reviewer-1", "", "lead"]
    assert names(reviewers[1]) == ["", "", "lead"]
    assert talk_of(store, lead, project.id, 1).threads[0][1] == "the annotation · annotator-a, round 1"
    assert [notice.detail for notice in unread(store, reviewers[0])] == ["reviewer"]


def test_a_question_waits_until_a_lead_answers(
    store: Store, project: Project, annotator: User, lead: User, add_person: People
) -> None:
    work.next_work(store, annotator, project.id)
    number = begin(store, annotator, project.id, 1, TEXT, "  Is irony negative? ", to_lead=True)
    [waiting], total = questions(store, lead, project)
    assert (total, waiting.thread.id, waiting.instance.key, waiting.words) == (1, number, "t1", "this text")
    assert waiting.thread.comments[0].text == "Is irony negative?"
    answer(store, annotator, number, "I mean the second sentence")
    assert questions(store, lead, project)[1] == 1
    answer(store, lead, number, "Yes")
    assert questions(store, lead, project) == ([], 0)
    other = add_person("annotator-b", project, "annotator")
    work.next_work(store, other, project.id)
    assert heard(store, other, project) == []  # annotators work independently
    with pytest.raises(NotAllowed, match=r"can grant a role \("):
        questions(store, annotator, project)


def test_a_reply_about_a_text_that_was_skipped_and_went_to_others_can_be_read_where_it_leads(
    store: Store, project: Project, annotator: User, lead: User, add_person: People, import_rows: Callable[..., object]
) -> None:
    import_rows(project, [{"id": "t2", "text": "Fine food.", "label": "positive"}])
    mine = work.next_work(store, annotator, project.id).work
    assert mine is not None
    number = begin(store, annotator, project.id, 1, TEXT, "Is irony negative?", to_lead=True)
    work.skip(store, annotator, mine.assignment.id)
    for name in ("annotator-b", "annotator-c"):
        annotate(store, add_person(name, project, "annotator"), project, A)
    answer(store, lead, number, "Yes")
    [notice] = unread(store, annotator)
    assert (notice.kind, notice.instance_id) == ("answer", 1)
    shown = work.next_work(store, annotator, project.id, notice.instance_id).work
    assert shown is not None
    assert (shown.assignment.state, shown.assignment.draft.sets) == ("skipped", ())  # to be read; nothing of others
    assert shown.outcome is not None
    assert (shown.outcome.state, shown.outcome.lines) == ("skipped", ())
    assert heard(store, annotator, project) == [["Is irony negative?", "Yes"]]
    with pytest.raises(LeaseLost, match=r"This text is assigned to others\."):
        work.submit(store, annotator, mine.assignment.id, 0, Draft(sets=(B,)))


def test_a_comment_that_is_sent_again_since_its_answer_was_lost_stands_there_once(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    threads = {begin(store, lead, project.id, 1, TEXT, "mind the soup", to_lead=False) for _ in range(2)}
    for text in ("why?", "why?"):
        answer(store, lead, min(threads), text)
    assert (len(threads), heard(store, lead, project)) == (1, [["mind the soup", "why?"]])
    begin(store, lead, project.id, 1, TEXT, "mind the staff", to_lead=False)
    assert len(heard(store, lead, project)) == 2


def test_what_the_lead_begins_about_a_text_all_who_work_on_it_see_without_each_others_answers(
    store: Store, project: Project, annotator: User, lead: User, add_person: People
) -> None:
    other = add_person("annotator-b", project, "annotator")
    for person in (annotator, other):
        work.next_work(store, person, project.id)
    number = begin(store, lead, project.id, 1, TEXT, "Mind the last words", to_lead=True)
    answer(store, annotator, number, "I took them")
    assert heard(store, other, project) == [["Mind the last words"]]
    assert heard(store, annotator, project) == [["Mind the last words", "I took them"]]
    assert questions(store, lead, project)[1] == 0


def test_strangers_to_a_text_or_an_annotation_are_refused(
    store: Store,
    project: Project,
    annotator: User,
    before: Subject,
    add_person: People,
    make_project: Callable[..., Project],
) -> None:
    other = add_person("annotator-b", project, "annotator")
    with pytest.raises(NotAllowed, match=r"Only its annotators, reviewers and leads can discuss this\."):
        talk_of(store, other, project.id, 1)
    work.next_work(store, other, project.id)
    with pytest.raises(NotAllowed, match=r"Only its annotators, reviewers and leads can discuss this\."):
        begin(store, other, project.id, 1, before, "hello", to_lead=False)
    outsider = add_person("outsider", make_project(name="Other"), "lead")
    with pytest.raises(NotFound, match="you have no role in it"):
        talk_of(store, outsider, project.id, 1)
    with pytest.raises(NotFound, match=r"No text number 1\."):
        talk_of(store, outsider, 2, 1)


def test_who_lost_the_role_hears_nothing_more(
    store: Store, project: Project, annotator: User, lead: User, before: Subject
) -> None:
    take_role(store, lead, project.id, annotator.name, "annotator")
    with pytest.raises(NotFound):
        talk_of(store, annotator, project.id, 1)


def test_one_may_talk_about_what_one_has_a_part_in(
    store: Store, project: Project, annotator: User, reviewers: list[User], before: Subject
) -> None:
    words = [subject.words for subject in talk_of(store, annotator, project.id, 1).subjects]
    assert words == ["this text", "the annotation · round 1", "set A · round 1", "set B · round 1"]
    for reviewer in reviewers:
        score(store, reviewer, project)
    assert talk_of(store, annotator, project.id, 1).subjects[-1].words == "the decision · round 1"


@pytest.fixture
def talk(store: Store, project: Project, annotator: User) -> tuple[Store, Project, User]:
    return store, project, annotator


REFUSED: list[tuple[Callable[[int], Subject], str, type[AnnotatorError], str]] = [
    (lambda number: Subject("annotation", number, None, ""), " \n\0 ", InvalidValue, "Write something"),
    (lambda number: Subject("annotation", number, None, ""), "x" * 10_001, InvalidValue, "10,000 characters"),
    (lambda number: Subject("set", number, 2, ""), "why", NotFound, "no set C"),
    (lambda number: Subject("set", number, None, ""), "why", InvalidValue, r"Only a thread about a set names a set\."),
    (
        lambda number: Subject("annotation", None, None, ""),
        "why",
        InvalidValue,
        r"Threads are about a text or an annotation\.",
    ),
    (lambda number: Subject("decision", number, None, ""), "why", Conflict, r"This round has no decision yet\."),
    (
        lambda number: Subject("annotation", number + 7, None, ""),
        "why",
        NotFound,
        r"No annotation number \d+ of this text\.",
    ),
]


@pytest.mark.parametrize(("subject", "text", "error", "words"), REFUSED)
def test_a_refused_comment_leaves_no_thread(
    talk: tuple[Store, Project, User], before: Subject, subject: Callable[[int], Subject], text: str,
    error: type[AnnotatorError], words: str,
) -> None:  # fmt: skip
    store, project, annotator = talk
    with pytest.raises(error, match=words):
        begin(store, annotator, project.id, 1, subject(before.annotation_id or 0), text, to_lead=True)
    assert store.value("SELECT count(*) FROM threads") == 0
