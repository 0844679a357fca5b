"""The lead's word on gold: a chosen annotation, an adjudicated version, and taking either back."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import Draft, GoldInstance
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import GoldPolicy, Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidAnnotation, InvalidValue, NotAllowed, NotFound
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.events import events_of_instance
from annotator.store.instances import get_instance
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.gold import gold_instances
from annotator.usecases.lead.decisions import (
    adjudicate,
    choose_gold,
    decide,
    open_proposals,
    take_choice_back,
    why_not_gold,
)
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.review.inspection import as_draft_of_lead, look_at
from annotator.usecases.review.rounds import decide_round
from annotator.usecases.transfer.export import export_file
from annotator.usecases.upkeep import check
from tests.usecases.review.test_reviews import annotate, score

People = Callable[..., User]
A, B, C = RationaleSet.of((0, 2)), RationaleSet.of((3, 5)), RationaleSet.of((5, 7))
WEAK = Scores((SetScore(1, 1),), 1)


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """One text for two annotators; one reviewer; one scoring only."""
    made = make_project(annotators_per_instance=2, reviewers_per_annotation=1, max_rounds=1)
    import_rows(
        made,
        [{"id": "t1", "text": "The staff never smiled and the soup was cold.", "label": "negative"}],
        split="train",
    )
    return made


@pytest.fixture
def lead(add_person: People, project: Project) -> User:
    return add_person("lead", project, "lead")


@pytest.fixture
def two(store: Store, project: Project, annotator: User, add_person: People) -> list[int]:
    """Two accepted annotations: set A, and sets A and B; answers their numbers."""
    reviewer = add_person("reviewer", project, "reviewer")
    for person, sets in ((annotator, (A,)), (add_person("annotator-b", project, "annotator"), (A, B))):
        annotate(store, person, project, *sets)
        score(store, reviewer, project)
    return [annotation.id for annotation in annotations_of(store, [1])[1]]


def gold(store: Store, project: Project, policy: GoldPolicy = "chosen") -> GoldInstance | None:
    return next(gold_instances(store, project, policy), None)


def sets_of(store: Store, project: Project, policy: GoldPolicy = "chosen") -> tuple[RationaleSet, ...] | None:
    found = gold(store, project, policy)
    return None if found is None else found.sets


def everything(store: Store) -> list[list[tuple[object, ...]]]:
    tables = ("instances", "annotations", "rationale_sets", "gold_choices", "events")
    return [[tuple(row) for row in store.rows(f"SELECT * FROM {table}")] for table in tables]


def test_without_a_choice_the_first_accepted_annotation_is_gold(
    store: Store, project: Project, two: list[int], lead: User
) -> None:
    assert sets_of(store, project) == (A,)
    shown = look_at(store, lead, project, 1)
    assert shown.gold is not None
    assert [(o.annotation_id, o.position) for origins in shown.gold.origins for o in origins] == [(two[0], 0)]
    assert shown.choice is None


def test_the_lead_chooses_an_annotation_as_gold(store: Store, project: Project, two: list[int], lead: User) -> None:
    choose_gold(store, lead, project, two[1], "  both words count ")
    assert sets_of(store, project) == (A, B)
    choice = look_at(store, lead, project, 1).choice
    assert choice is not None
    assert (choice.chosen_by, choice.reason, choice.is_adjudicated) == ("lead", "both words count", False)
    assert check(store) == []


def test_an_adjudicated_version_is_gold_in_exports_and_statistics_and_for_no_other_policy(
    store: Store, project: Project, two: list[int], lead: User, tmp_path: Path
) -> None:
    before = [sets_of(store, project, policy) for policy in ("all", "majority", "union")]
    number = adjudicate(store, lead, project, 1, "negative", [B, C], "A is too long")
    found = gold(store, project)
    assert found is not None
    assert (found.sets, found.result) == ((B, C), "negative")
    assert [o.annotator for origins in found.origins for o in origins] == ["lead", "lead"]
    assert [sets_of(store, project, policy) for policy in ("all", "majority", "union")] == before
    assert statistics_of(store, lead, project).rationales.rsn == 2.0
    export_file(store, lead, project, "eraser", tmp_path / "out")
    [row] = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [group[0]["start_token"] for group in row["evidences"]] == [3, 5]
    version = annotations_of(store, [1])[1][-1]
    assert (version.id, version.state, version.annotator, version.user_id) == (number, "reference", "lead", lead.id)
    assert check(store) == []


def test_adjudicating_again_replaces_the_sets_and_the_record_keeps_both(
    store: Store, project: Project, two: list[int], lead: User, add_person: People
) -> None:
    first = adjudicate(store, lead, project, 1, "negative", [B], "one")
    second = adjudicate(store, add_person("lead-b", project, "lead"), project, 1, "negative", [B, C], "two")
    assert first == second
    assert sets_of(store, project) == (B, C)
    assert annotations_of(store, [1])[1][-1].annotator == "lead-b"
    last = events_of_instance(store, 1)[-1]
    assert (last.action, last.detail["before"]) == ("adjudicate", {"result": "negative", "sets": [[[3, 5]]]})
    assert last.detail["after"] == {"result": "negative", "sets": [[[3, 5]], [[5, 7]]]}
    assert last.detail["taken"] == [{"annotator": "annotator-b", "round": 1, "set": 1}, None]


def test_an_adjudicated_instance_wants_nobody_any_more(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    adjudicate(store, lead, project, 1, "negative", [A], "clear")
    assert get_instance(store, 1).state == "complete"
    assert annotate_work.next_work(store, annotator, project.id).work is None
    assert check(store) == []
    take_choice_back(store, lead, project, 1)
    assert annotate_work.next_work(store, annotator, project.id).work is not None
    assert check(store) == []


def test_a_choice_taken_back_leaves_the_policy_to_decide(
    store: Store, project: Project, two: list[int], lead: User
) -> None:
    number = adjudicate(store, lead, project, 1, "negative", [C], "clear")
    take_choice_back(store, lead, project, 1, "the annotator was right")
    assert sets_of(store, project) == (A,)
    assert annotations_of(store, [1])[1][-1].state == "withdrawn"
    assert adjudicate(store, lead, project, 1, "negative", [C], "no, it was not") != number
    choose_gold(store, lead, project, two[0], "yes, it was")
    assert [a.state for a in annotations_of(store, [1])[1]] == ["accepted", "accepted", "withdrawn", "withdrawn"]
    assert check(store) == []


def test_an_instance_that_the_gate_let_drop_out_comes_back_and_drops_out_again(
    store: Store, project: Project, annotator: User, lead: User, add_person: People
) -> None:
    reviewer = add_person("reviewer", project, "reviewer")
    for person in (annotator, add_person("annotator-b", project, "annotator")):
        annotate(store, person, project, A)
        score(store, reviewer, project, WEAK)
    assert get_instance(store, 1).state == "discarded"
    assert sets_of(store, project) is None
    adjudicate(store, lead, project, 1, "negative", [B], "nobody saw it")
    assert get_instance(store, 1).state == "complete"
    assert sets_of(store, project) == (B,)
    assert check(store) == []
    take_choice_back(store, lead, project, 1)
    assert get_instance(store, 1).state == "discarded"
    choose_gold(store, lead, project, annotations_of(store, [1])[1][0].id, "good enough")
    assert (get_instance(store, 1).state, sets_of(store, project)) == ("complete", (A,))
    assert check(store) == []


def test_what_the_lead_discarded_does_not_come_back(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.propose_discard(store, annotator, work.assignment.id, "broken text")
    [(proposal, _)] = open_proposals(store, lead, project.id)
    decide(store, lead, proposal.id, "discard")
    with pytest.raises(Conflict, match=r"lead discarded this text: no gold\."):
        adjudicate(store, lead, project, 1, "negative", [A], "but still")
    assert get_instance(store, 1).state == "discarded"


def test_an_annotation_before_its_reviewers_cannot_be_chosen_yet(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    annotate(store, annotator, project, A)
    annotation = annotations_of(store, [1])[1][0]
    number, refused = annotation.id, why_not_gold(store, annotation)
    assert refused.endswith("can still change. Decide its round, or copy its sets."), (
        "the page asks before it offers it"
    )
    with pytest.raises(Conflict, match=re.escape(refused)):
        choose_gold(store, lead, project, number, "good")
    decide_round(store, lead, number, "accepted", "nobody scores it")
    assert not why_not_gold(store, annotations_of(store, [1])[1][0])
    choose_gold(store, lead, project, number, "good")
    with pytest.raises(Conflict, match="already the gold"):
        choose_gold(store, lead, project, number, "good")


def test_a_chosen_annotation_cannot_be_withdrawn(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: People
) -> None:
    project = make_project(name="Unreviewed")
    import_rows(project, [{"id": "t1", "text": "The staff never smiled.", "label": "negative"}])
    person, lead = add_person("somebody", project, "annotator"), add_person("lead", project, "lead")
    work = annotate(store, person, project, A)
    choose_gold(store, lead, project, annotations_of(store, [work.instance.id])[work.instance.id][0].id, "good")
    with pytest.raises(Conflict, match="the lead has already made it gold"):
        annotate_work.withdraw(store, person, work.assignment.id)


def test_a_source_with_the_leads_name_does_no_harm(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: People
) -> None:
    project = make_project(name="Imported")
    row = {
        "id": "t1",
        "text": "The staff never smiled.",
        "label": "negative",
        "annotator": "lead",
        "rationales": [["staff"]],
    }
    row["rationales"] = [[[0, 1]]]
    import_rows(project, [row])
    lead = add_person("lead", project, "lead")
    adjudicate(store, lead, project, 1, "negative", [B], "shorter")
    assert [(a.annotator, a.round_number) for a in annotations_of(store, [1])[1]] == [("lead", 1), ("lead", 2)]
    assert sets_of(store, project) == (B,)


def test_a_project_of_labels_only_is_adjudicated_by_its_label(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: People
) -> None:
    project = make_project(name="Labels", result_mode="labels_only")
    import_rows(project, [{"id": "t1", "text": "The staff never smiled."}])
    adjudicate(store, add_person("lead", project, "lead"), project, 1, "negative", [], "plain")
    found = gold(store, project)
    assert found is not None
    assert (found.sets, found.result) == ((), "negative")


REFUSED: list[tuple[str | None, list[RationaleSet], str, str]] = [
    ("positively", [A], "why", r"'positively' isn't one of negative, positive\. Reload; your marks are kept\."),
    (None, [A], "why", "Choose a label"),
    ("negative", [A, A], "why", "are identical. Change one."),
    ("negative", [], "why", "“No rationale in the text” isn't allowed. Mark a set."),
    ("negative", [RationaleSet.of((8, 99))], "why", "marks token 98"),
    ("negative", [A], "  ", "Say briefly why."),
    ("negative", [A], "x" * 10_001, r"Use at most 10,000 characters\."),
]


@pytest.mark.parametrize(("result", "sets", "reason", "words"), REFUSED)
@pytest.mark.usefixtures("two")
def test_a_refused_version_leaves_everything_as_it_was(
    store: Store, project: Project, lead: User, result: str | None, sets: list[RationaleSet], reason: str, words: str
) -> None:
    before = everything(store)
    with pytest.raises(InvalidValue, match=words):
        adjudicate(store, lead, project, 1, result, sets, reason)
    assert everything(store) == before


def test_only_who_manages_the_project_may_choose(
    store: Store, project: Project, two: list[int], lead: User, annotator: User, make_project: Callable[..., Project]
) -> None:
    before = everything(store)
    with pytest.raises(NotAllowed, match=r"can grant a role \("):
        choose_gold(store, annotator, project, two[0], "mine")
    with pytest.raises(NotAllowed):
        adjudicate(store, annotator, project, 1, "negative", [A], "mine")
    with pytest.raises(NotAllowed):
        take_choice_back(store, annotator, project, 1)
    with pytest.raises(Conflict, match=r"Nothing to undo: the gold follows the policy\."):
        take_choice_back(store, lead, project, 1)
    other = replace(make_project(name="Other"), name="Other")
    with pytest.raises(NotFound, match=r"No text number 1\."):
        choose_gold(store, LOCAL_OPERATOR, other, two[0], "wrong project")
    assert everything(store)[:-1] == before[:-1]


# --- looking at everybody's sets, side by side


def test_the_lead_sees_everybodys_sets_scores_and_decisions(
    store: Store, project: Project, two: list[int], lead: User
) -> None:
    first, second = look_at(store, lead, project, 1).views
    assert (first.title, first.sets) == ("annotator-a · round 1 · accepted", ("The staff",))
    assert second.sets == ("The staff", "smiled and")
    assert first.decision == (
        "Accepted by the thresholds",
        "Set A · Sufficiency score 3 (3), reaches 3.",
        "Set A · Compactness score 4 (4), reaches 3.6.",
        "Comprehensiveness score 3 (3), reaches 2.6.",
    )
    assert second.scores == (
        "reviewer · set A: sufficiency 3, compactness 4; set B: sufficiency 3, compactness 4; comprehensiveness 3",
    )


def test_the_leads_version_starts_with_the_sets_taken_and_the_gold_result(
    store: Store, project: Project, two: list[int], lead: User
) -> None:
    shown = as_draft_of_lead(look_at(store, lead, project, 1), project, [B])
    assert (shown.work.state, shown.work.draft.result, shown.work.draft.sets) == ("open", "negative", (((3, 5),),))
    assert (shown.work.result.mode, shown.project.result_mode) == ("give", "give")


def test_a_lead_may_decide_that_a_text_holds_no_answer_without_marking_anything(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: People
) -> None:
    project = make_project("reading")
    import_rows(project, [{"id": "r1", "passage": "The lake is cold.", "title": "", "question": "Who swims?"}])
    annotator, lead = add_person("annotator", project, "annotator"), add_person("lead", project, "lead")
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.submit(store, annotator, work.assignment.id, 0, Draft(result="the lake", sets=(A,)))
    with pytest.raises(InvalidAnnotation, match=r"“No rationale in the text” isn't allowed\. Mark a set\."):
        adjudicate(store, lead, project, work.instance.id, "somebody", [], "a guess")
    adjudicate(store, lead, project, work.instance.id, "", [], "nobody swims")
    found = gold(store, project)
    assert found is not None
    assert (found.result, found.sets) == ("", ())
    assert check(store) == []
