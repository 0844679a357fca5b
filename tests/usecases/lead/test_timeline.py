"""The record and the timeline of an instance: everything that happened, told once, in sentences."""

import ast
import csv
from collections.abc import Callable, Iterator
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
from annotator.store.events import Event
from annotator.store.instances import find_instance_ids
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.talk import Subject, begin
from annotator.usecases.lead.decisions import adjudicate, choose_gold, decide, open_proposals, take_choice_back
from annotator.usecases.lead.event_words import KINDS, OF_ANNOTATIONS, SENTENCES, event_actor, event_lines, event_words
from annotator.usecases.lead.timeline import Moment, timeline, timeline_as_csv
from annotator.usecases.project.projects import change_project, create_project
from annotator.usecases.review import reviews
from annotator.usecases.review.rounds import decide_round
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.clock import let_no_moment_be_twice
from tests.conftest import REPOSITORY, parsed
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
    let_no_moment_be_twice(store)
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
        "annotator-a commented on set B of annotator-a, round 1",
        "annotator-a submitted round 2: negative, 1 set",
        "lead accepted round 2 of annotator-a: good enough",
        "lead made the lead's version the gold: negative (B alone)",
        "lead changed the lead's version: negative (no, A)",
        "lead undid the choice of gold (the annotator was right)",
        "lead chose annotator-a, round 1, as gold (both)",
    ]
    assert moment_of(store, project, "scored").lines == (
        "set A: sufficiency 3, compactness 4",
        "set B: sufficiency 2, compactness 4",
        "comprehensiveness 3",
        "set B: “too little”",
        "overall: “nearly”",
    )
    assert (
        "Set B · Sufficiency score 2 (2), needs 3: the set alone doesn't support the result."
        in moment_of(store, project, "returned").lines
    )
    assert moment_of(store, project, "changed the lead").lines == (
        "set A: tokens 0–1, from annotator-a's set A, round 1", "before, set A: tokens 3–4",
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
        "annotator-a proposed to discard: broken text",
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
        "reviewer · set A: sufficiency 3, compactness 4; comprehensiveness 3 “fine”",
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
    with pytest.raises(
        NotAllowed,
        match=r"annotator-a can't see all annotations in 'Project'\. An administrator can grant a role \(lead\)\.",
    ):
        timeline(store, annotator, project, 1)
    with pytest.raises(NotFound, match=r"No text number 1\."):
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


# The record says what happened in sentences, for every kind of event.

SOURCES = sorted((REPOSITORY / "annotator" / "usecases").rglob("*.py"))
WRITERS = frozenset({"add_event", "record_event", "_note", "_tell"})


def event(action: str, actor: str = "Lead", **detail: object) -> Event:
    return Event(1, "2026-03-01T10:00:00", actor, action, "project", 1, detail)


def _actions() -> Iterator[str]:
    """What the use cases write down, as it stands in the source."""
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name in WRITERS:
                    said = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
                    yield from said[:1] if said and said[0] not in ("instance", "project", "user") else ()


def test_every_action_that_is_written_down_has_its_words() -> None:
    actions = set(_actions())
    assert len(actions) > 30
    assert sorted(actions - SENTENCES.keys() - OF_ANNOTATIONS.keys()) == []


CASES = [
    (
        event("import", format="jsonl", file="a.jsonl", new=1, updated=0, annotations=2),
        "imported “a.jsonl” (format jsonl): 1 new text, 2 annotations",
    ),
    (
        event("import", format="ferret", file="a.json", new=2, updated=1),
        "imported “a.json” (format ferret): 2 texts with model output, 1 changed",
    ),
    (
        event("change", changed=["name", "settings"], settings=["max_rounds"]),
        "changed: Project name, number of rounds",
    ),
    (event("change", changed=["settings"]), "changed: Rules"),
    (event("change", changed=[], settings=[]), "changed: nothing"),
    (
        event("train model", model="built-in", digest="a0", seed=0, examples=1, split="train", changes_numbers=False),
        "trained built-in on 1 instance, split train (seed 0)",
    ),
    (
        event("map labels", model="m", learned_in="", names={"pos": "Positive", "mixed": ""}, labels=["Positive"]),
        "confirmed the labels of m: “pos” is “Positive”, “mixed” is never predicted",
    ),
    (
        event("start attributing", model="m", method="lime", seeds=[0, 1], parameters={"n_samples": 100, "bow": True}),
        "started computing predictions and attributions from model m by lime (n_samples 100, bow yes, seeds 0, 1)",
    ),
    (
        event("attribute", model="m", method="linear", seeds=[None], parameters={}, answers=1, attributions=3, reduced=0,
              left_out=0),
        "computed 1 answer, 3 attributions from model m by linear",
    ),
    (
        event("split", parts={"train": "0.8", "test": "0.2"}, seed=3),
        "split the project: train 0.8, test 0.2 (seed 3)",
    ),
    (
        event("make token", token=4, of="Ann", scopes=["read", "write"], days=1),
        "created access token 4 for Ann (read, write, 1 day)",
    ),
    (event("submit", round=1, result=None, sets=1), "submitted round 1: no result, 1 set"),
    (event("review", round=2, scores={}), "scored an annotation, round 2"),
    (event("decide round: returned", round=1, annotator="Ann", reason="unclear"), "returned round 1 of Ann: unclear"),
    (event("change list", list="b", note="", before={"list": "a", "note": ""}), "renamed “a” to “b”"),
    (event("remove word list", list="w", words=["a"], role="keep"), "removed the word list “w” (1 word)"),
    (
        event("make suite", suite="s", tests=1, cases=20, left_out=[]),
        "created the suite “s”: 1 test, 20 cases",
    ),
    (event("disable user", name="Ann"), "disabled the account of Ann"),
    (
        event("reset user", name="Ann", was_disabled=True),
        "created a sign-in link for Ann and re-enabled the account",
    ),
    (event("reset user", name="Ann", was_disabled=False), "created a new sign-in link for Ann"),
    (event("fail to sign in", n=4), "failed to sign in (4 times within the hour)"),
    (event("restore", file="a.backup", kept=""), "restored the backup “a.backup”"),
    (event("remove test", suite="s", test="t", cases=1), "removed the test “t” of “s”: 1 case"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "words"), CASES, ids=[one.action for one, _ in CASES])
def test_an_event_is_told_in_a_sentence(one: Event, words: str) -> None:
    assert event_words(one) == words


def test_whose_annotation_it_was_is_said_where_it_is_known() -> None:
    assert event_words(event("review", scores={}), "Ann, round 2") == "scored Ann, round 2"


def test_the_scores_of_a_review_are_told_set_by_set() -> None:
    one = event("review", round=1, scores={"comprehensiveness": 3, "sets": [[3, None]]})
    assert event_lines(one) == (
        "set A: sufficiency 3, compactness –", "comprehensiveness 3",
    )  # fmt: skip


def test_the_gate_is_named_where_the_scores_decided() -> None:
    assert event_actor(event("decide round: accepted", "gate")) == "the thresholds"
    assert event_actor(event("submit", "gate")) == "gate"


def test_an_action_of_another_version_is_told_by_its_values_as_people_write_them() -> None:
    one = event("polish", parts=["a", "b"], is_last=True, was=None, rules={"x": 1, "y": False})
    assert event_words(one) == "polish (parts a, b; is last yes; rules x 1; y no)"


def test_an_event_of_a_file_without_its_values_is_told_by_what_is_there() -> None:
    assert event_words(event("submit", round=1)) == "submit (round 1)"
    assert event_lines(event("review", scores=[1])) == ()


def test_every_entry_of_this_version_is_of_one_kind() -> None:
    kinds = [action for actions in KINDS.values() for action in actions]
    assert sorted(kinds) == sorted({*SENTENCES, *OF_ANNOTATIONS, "decide round: "})
