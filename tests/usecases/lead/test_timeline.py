"""The timeline of an instance: everything that happened, told once, in sentences."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.texts import RationaleSet
from annotator.errors import NotAllowed, NotFound
from annotator.language import speaking
from annotator.store import Store, open_store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import find_instance_ids
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.talk import Subject, begin
from annotator.usecases.lead.decisions import adjudicate, choose_gold, decide, open_proposals, take_choice_back
from annotator.usecases.lead.timeline import Moment, timeline, timeline_as_csv
from annotator.usecases.project.projects import change_project, create_project
from annotator.usecases.review import reviews
from annotator.usecases.review.rounds import decide_round
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.usecases.review.test_reviews import annotate, score

People = Callable[..., User]
A, B = RationaleSet.of((0, 2)), RationaleSet.of((3, 5))


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(reviewers_per_annotation=1, annotators_per_instance=2)
    text = "The staff never smiled and the soup was cold."
    import_rows(made, [{"id": "t1", "text": text, "label": "negative", "annotator": "file", "rationales": [[[0, 1]]]}])
    return made


@pytest.fixture
def lead(add_person: People, project: Project) -> User:
    return add_person("lead", project, "lead")


@pytest.fixture
def reviewer(add_person: People, project: Project) -> User:
    return add_person("reviewer", project, "reviewer")


def told(store: Store, project: Project) -> list[str]:
    return [f"{moment.who} {moment.what}" for moment in timeline(store, LOCAL_OPERATOR, project, 1)]


def moment_of(store: Store, project: Project, words: str) -> Moment:
    return next(moment for moment in timeline(store, LOCAL_OPERATOR, project, 1) if words in moment.what)


def test_a_whole_life_is_told_once_and_in_order(
    store: Store, project: Project, annotator: User, reviewer: User, lead: User
) -> None:
    annotate(store, annotator, project, A, B)
    first = annotations_of(store, [1])[1][-1].id
    score(store, reviewer, project, Scores((SetScore(3, 4), SetScore(2, 4, "too little")), 3, "nearly"))
    begin(store, annotator, project.id, 1, Subject("set", first, 1, ""), "Why?", to_lead=True)
    annotate(store, annotator, project, A)
    decide_round(store, lead, annotations_of(store, [1])[1][-1].id, "accepted", "good enough")
    adjudicate(store, lead, project, 1, "negative", [B], "B alone")
    adjudicate(store, lead, project, 1, "negative", [A], "no, A")
    take_choice_back(store, lead, project, 1, "the annotator was right")
    choose_gold(store, lead, project, first, "both")
    assert told(store, project) == [
        "file made an annotation, round 1, now accepted: negative, 1 set",
        "annotator-a submitted round 1: negative, 2 sets",
        "reviewer scored annotator-a, round 1",
        "the thresholds returned round 1 of annotator-a",
        "annotator-a wrote about set B of annotator-a, round 1",
        "annotator-a submitted round 2: negative, 1 set",
        "lead accepted round 2 of annotator-a: good enough",
        "lead made a version of the lead’s the gold: negative (B alone)",
        "lead changed the lead’s version: negative (no, A)",
        "lead took back the choice of gold (the annotator was right)",
        "lead chose annotator-a, round 1, as the gold (both)",
    ]
    assert moment_of(store, project, "scored").lines == (
        "set A: sufficiency score 3, compactness score 4",
        "set B: sufficiency score 2, compactness score 4",
        "comprehensiveness score 3",
        "set B: “too little”",
        "the whole: “nearly”",
    )
    assert (
        "Set B · Sufficiency score 2 (2), needs 3: the set alone does not support the result."
        in moment_of(store, project, "returned").lines
    )
    assert moment_of(store, project, "changed the lead").lines == (
        "set A: tokens 0–1, as set A of annotator-a, round 1", "before, set A: tokens 3–4",
    )  # fmt: skip


def test_a_changed_score_says_what_it_was_and_what_it_is(
    store: Store, project: Project, annotator: User, lead: User, reviewer: User
) -> None:
    annotate(store, annotator, project, A)
    work = reviews.next_review(store, reviewer, project.id).work
    assert work is not None
    reviews.save_review(store, reviewer, work.review.id, 0, Scores((SetScore(2, 4),), 3))
    reviews.submit_review(store, reviewer, work.review.id, 1, Scores((SetScore(3, 4),), 2))
    changed = moment_of(store, project, "changed scores of annotator-a, round 1")
    assert (changed.who, changed.lines) == ("reviewer", ("comprehensiveness: 3 → 2", "sufficiency of set A: 2 → 3"))


def test_a_proposal_that_is_decided_with_anothers_is_told_in_the_language_of_who_reads_it(
    store: Store, project: Project, annotator: User, add_person: People, lead: User
) -> None:
    settings = replace(project.settings, annotators_per_instance=3)
    change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))
    held = []
    for person in (annotator, add_person("annotator-b", project, "annotator")):
        work = annotate_work.next_work(store, person, project.id).work
        assert work is not None
        held.append((person, work.assignment.id))
    for (person, assignment_id), reason in zip(held, ("broken text", "offensive"), strict=True):
        annotate_work.propose_discard(store, person, assignment_id, reason)
    first = open_proposals(store, lead, project.id)[0][0]
    decide(store, lead, first.id, "discard")
    assert "lead confirmed the proposal of annotator-b" in told(store, project)[-2:], "both in one moment, in any order"
    with speaking("zh"):
        assert "lead 同意了 annotator-b 的提议" in told(store, project)[-2:]


def test_proposals_are_told_with_what_the_lead_decided(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.submit(store, annotator, work.assignment.id, 0, Draft("positive", (A,), note="irony"))
    [(proposal, _)] = open_proposals(store, lead, project.id)
    decide(store, lead, proposal.id, "keep")
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.propose_discard(store, annotator, work.assignment.id, "broken text")
    [(proposal, _)] = open_proposals(store, lead, project.id)
    decide(store, lead, proposal.id, "discard")
    assert told(store, project)[1:] == [
        "annotator-a submitted round 1: positive, 1 set",
        "lead kept the label (proposed label: positive)",
        "annotator-a proposed to discard the text: broken text",
        "lead discarded the text (proposed to discard: broken text)",
    ]
    assert moment_of(store, project, "submitted").lines == ("this contests the label: “irony”",)


def test_what_no_event_tells_of_is_told_from_the_tables(
    store: Store, project: Project, annotator: User, reviewer: User
) -> None:
    annotate(store, annotator, project, A)
    score(store, reviewer, project, Scores((SetScore(3, 4),), 3, "fine"))
    with store.transaction():
        store.run("DROP TRIGGER events_are_not_deleted")
        store.run("DELETE FROM events")
    assert told(store, project) == [
        "file made an annotation, round 1, now accepted: negative, 1 set",
        "annotator-a made an annotation, round 1, now accepted: negative, 1 set",
        "reviewer scored annotator-a, round 1",
        "the thresholds accepted round 1 of annotator-a",
    ]
    assert moment_of(store, project, "scored").lines == (
        "reviewer · A: sufficiency score 3, compactness score 4; comprehensiveness score 3 “fine”",
    )


def test_the_timeline_is_a_file_for_a_spreadsheet(store: Store, project: Project, annotator: User) -> None:
    annotate(store, annotator, project, A)
    rows = list(csv.DictReader(timeline_as_csv(timeline(store, LOCAL_OPERATOR, project, 1)).splitlines()))
    assert [row["who"] for row in rows] == ["file", "annotator-a"]
    assert rows[1]["what"] == "submitted round 1: negative, 1 set"


def test_words_that_begin_like_a_formula_are_words_in_the_file() -> None:
    moments = [Moment("2026-01-01T00:00:00Z", "@ann", "=1+1", ("-a", "b"))]
    assert timeline_as_csv(moments) == "when,who,what,more\n2026-01-01T00:00:00Z,'@ann,'=1+1,\"'-a\nb\"\n"


def test_only_who_sees_all_annotations_sees_it(
    store: Store, project: Project, annotator: User, make_project: Callable[..., Project]
) -> None:
    with pytest.raises(NotAllowed, match="the right to see all annotations"):
        timeline(store, annotator, project, 1)
    with pytest.raises(NotFound, match="no instance number 1 in 'Other'"):
        timeline(store, LOCAL_OPERATOR, replace(make_project(name="Other"), name="Other"), 1)


def test_a_restored_project_tells_the_same_story(
    store: Store, project: Project, annotator: User, lead: User, reviewer: User, tmp_path: Path
) -> None:
    annotate(store, annotator, project, A, B)
    score(store, reviewer, project, Scores((SetScore(3, 4), SetScore(2, 4, "too little")), 3))
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    with open_store(tmp_path / "other.db", create=True) as other:
        first = create_project(other, LOCAL_OPERATOR, "First", project.task)
        import_file(other, LOCAL_OPERATOR, first, "jsonl", tmp_path / "all.jsonl")
        copy = create_project(other, LOCAL_OPERATOR, "Second", project.task)
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
        [instance_id] = find_instance_ids(other, copy.id, "t1")
        told = [(m.who, m.what, m.lines) for m in timeline(other, LOCAL_OPERATOR, copy, instance_id)]
    assert told == [(m.who, m.what, m.lines) for m in timeline(store, LOCAL_OPERATOR, project, 1)]
