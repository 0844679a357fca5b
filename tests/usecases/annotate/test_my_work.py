"""My work: what one has handed in, proposed or skipped stays listed with its outcome; the last submission can be reopened."""

from collections.abc import Callable

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidValue, NotAllowed
from annotator.store import Store
from annotator.store.annotate.my_work import PAGE_SQL
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import MyWorkRow, Work, my_work
from annotator.usecases.lead.decisions import choose_gold, decide, open_proposals
from annotator.usecases.review import reviews
from annotator.usecases.review.rounds import decide_round

Rows = Callable[..., object]
People = Callable[..., User]

A, B = RationaleSet.of((0, 2)), RationaleSet.of((3, 5))
TEXT = "The staff never smiled and the soup was cold."


def take(store: Store, person: User, project: Project) -> Work:
    work = annotate_work.next_work(store, person, project.id).work
    assert work is not None
    return work


def annotate(store: Store, person: User, project: Project) -> Work:
    work = take(store, person, project)
    annotate_work.submit(store, person, work.assignment.id, work.assignment.revision, Draft(sets=(A, B)))
    return work


def score(store: Store, person: User, project: Project, compactness: int, comment: str = "") -> None:
    work = reviews.next_review(store, person, project.id).work
    assert work is not None
    scores = Scores((SetScore(3, compactness, comment), SetScore(3, 4)), 3)
    reviews.submit_review(store, person, work.review.id, work.review.revision, scores)


def listed(store: Store, person: User, project: Project, **asked: str) -> list[tuple[str, str]]:
    return [(row.line.key, row.line.state) for row in my_work(store, person, project.id, **asked)[0]]


def only(store: Store, person: User, project: Project) -> MyWorkRow:
    [row], total = my_work(store, person, project.id)
    assert total == 1
    return row


@pytest.fixture
def reviewed(make_project: Callable[..., Project], import_rows: Rows) -> Project:
    """Two texts; one reviewer, and one round."""
    made = make_project(name="Reviewed", reviewers_per_annotation=1, max_rounds=1)
    import_rows(made, [{"id": f"t{n}", "text": TEXT, "label": "negative"} for n in (1, 2)])
    return made


def test_what_was_submitted_skipped_or_proposed_is_listed_newest_first(
    store: Store, project: Project, annotator: User
) -> None:
    annotate(store, annotator, project)
    annotate_work.skip(store, annotator, take(store, annotator, project).assignment.id)
    annotate_work.propose_discard(store, annotator, take(store, annotator, project).assignment.id, "names a person")
    assert sorted(listed(store, annotator, project)) == [("t1", "accepted"), ("t2", "skipped"), ("t3", "proposed")]
    annotate(store, annotator, project)
    assert listed(store, annotator, project)[0] == ("t4", "accepted")


def test_a_submission_that_was_reopened_is_listed_as_the_draft_that_it_is(
    store: Store, project: Project, annotator: User
) -> None:
    annotate(store, annotator, project)
    again = annotate_work.reopen_last(store, annotator, project.id)
    annotate_work.save_draft(store, annotator, again.assignment.id, again.assignment.revision, Draft(sets=(A,)))
    row = only(store, annotator, project)
    assert (row.line.key, row.line.state, row.n_sets, row.may_reopen) == ("t1", "draft", 1, False)


def test_what_is_only_in_hand_or_leased_ahead_is_not_listed(store: Store, project: Project, annotator: User) -> None:
    take(store, annotator, project)
    assert listed(store, annotator, project) == []


def test_a_text_that_the_gate_discarded_stays_with_its_scores_and_can_be_read(
    store: Store, reviewed: Project, add_person: People
) -> None:
    ann, rita = add_person("ann", reviewed, "annotator"), add_person("rita", reviewed, "reviewer")
    work = annotate(store, ann, reviewed)
    score(store, rita, reviewed, 1, "Half of it is not needed.")
    row = only(store, ann, reviewed)
    assert (row.line.state, row.n_sets, row.may_reopen) == ("discarded", 2, False)
    assert "Set A: Compactness score: 1 × includes redundant tokens." in row.lines
    assert "Set A: A reviewer: Half of it is not needed." in row.lines
    assert "Set B: Compactness score: 1 × concise." in row.lines
    shown = annotate_work.next_work(store, ann, reviewed.id, work.instance.id).work
    assert shown is not None
    assert shown.assignment.draft.sets == (A, B)
    assert shown.outcome is not None
    assert (shown.outcome.state, shown.outcome.closed) == ("discarded", "the text was discarded")
    with pytest.raises(Conflict, match=r"Can't reopen this submission: the text was discarded\."):
        annotate_work.withdraw(store, ann, work.assignment.id)


def test_a_proposal_to_discard_stays_with_its_reason_whatever_the_lead_decides(
    store: Store, project: Project, annotator: User
) -> None:
    for reason, comment in (("other", "It is an advertisement."), ("broken text", "")):
        annotate_work.propose_discard(store, annotator, take(store, annotator, project).assignment.id, reason, comment)
    told = {row.line.key: row.lines for row in my_work(store, annotator, project.id)[0]}
    assert told["t1"] == ("You proposed to discard this text: It is an advertisement. The lead has not decided yet.",)
    [(first, _), (second, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, first.id, "discard")
    decide(store, LOCAL_OPERATOR, second.id, "keep")
    rows = {row.line.key: row for row in my_work(store, annotator, project.id)[0]}
    assert (rows["t1"].line.state, rows["t2"].line.state) == ("discarded", "returned")
    assert rows["t1"].lines == ("You proposed to discard this text: It is an advertisement. The lead agreed.",)
    assert rows["t2"].lines == ("You proposed to discard this text: broken text. The lead disagreed.",)


def test_work_of_others_that_led_to_a_discard_is_not_told_by_name(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project(annotators_per_instance=2)
    import_rows(project, [{"id": "t1", "text": TEXT, "label": "negative"}])
    ann, bob = add_person("ann", project, "annotator"), add_person("bob", project, "annotator")
    annotate(store, ann, project)
    annotate_work.propose_discard(store, bob, take(store, bob, project).assignment.id, "offensive")
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "discard")
    row = only(store, ann, project)
    assert (row.line.state, row.lines) == ("discarded", ("The lead discarded this text: offensive.",))


def test_a_returned_text_is_listed_once_as_what_it_is_now(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project(reviewers_per_annotation=1)
    import_rows(project, [{"id": "t1", "text": TEXT, "label": "negative"}])
    ann, rita = add_person("ann", project, "annotator"), add_person("rita", project, "reviewer")
    annotate(store, ann, project)
    score(store, rita, project, 1)
    row = only(store, ann, project)
    assert (row.line.state, row.n_sets) == ("returned", 2)
    assert any("Compactness score: 1 × " in line for line in row.lines)
    again = take(store, ann, project)
    annotate_work.submit(store, ann, again.assignment.id, again.assignment.revision, again.assignment.draft)
    assert only(store, ann, project).line.state == "submitted"


def test_states_and_words_are_asked_for_together_and_whatever_the_case(
    store: Store, project: Project, annotator: User
) -> None:
    for _ in range(2):
        annotate(store, annotator, project)
    annotate_work.skip(store, annotator, take(store, annotator, project).assignment.id)
    assert listed(store, annotator, project, state="accepted", words="BREAD in town") == [("t2", "accepted")]
    assert listed(store, annotator, project, state="skipped", words="bread") == []
    assert listed(store, annotator, project, words="T3") == [("t3", "skipped")]
    assert my_work(store, annotator, project.id, state="accepted")[1] == 2
    with pytest.raises(InvalidValue, match=r"Unknown state 'done'\. Available:"):
        my_work(store, annotator, project.id, state="done")


def test_a_long_text_is_cut_between_words(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project()
    text = " ".join(f"incomprehensibility{n}" for n in range(100))
    import_rows(project, [{"id": "t1", "text": text, "label": "negative"}])
    ann = add_person("ann", project, "annotator")
    annotate(store, ann, project)
    excerpt = only(store, ann, project).excerpt
    assert excerpt.endswith("…")
    assert text.startswith(excerpt[:-1] + " ")


def test_a_page_of_my_work_is_found_in_the_order_of_an_index(store: Store, project: Project, annotator: User) -> None:
    asked = (project.id, annotator.id, "", "", 20, 0)
    plan = [row["detail"] for row in store.rows(f"EXPLAIN QUERY PLAN {PAGE_SQL}", asked)]
    assert "assignments_by_time" in plan[0]
    assert not any("TEMP B-TREE FOR ORDER BY" in step for step in plan[:3])
    assert not any(step.startswith("SCAN") for step in plan)


def test_only_annotators_have_work_of_their_own(store: Store, project: Project, add_person: People) -> None:
    with pytest.raises(
        NotAllowed,
        match=r"rita can't annotate in 'Project'\. An administrator can grant a role \(annotator or lead\)\.",
    ):
        my_work(store, add_person("rita", project, "reviewer"), project.id)


def test_going_back_reopens_submissions_one_after_the_other(store: Store, project: Project, annotator: User) -> None:
    first, second = annotate(store, annotator, project), annotate(store, annotator, project)
    in_hand = take(store, annotator, project)
    annotate_work.save_draft(store, annotator, in_hand.assignment.id, 0, Draft(sets=(B,)))
    for work in (second, first):
        again = annotate_work.reopen_last(store, annotator, project.id)
        assert again.assignment.id == work.assignment.id
        assert (again.assignment.state, again.assignment.draft.sets) == ("leased", (A, B))
    kept = annotate_work.current_work(store, annotator, in_hand.assignment.id)
    assert (kept.assignment.state, kept.assignment.draft.sets) == ("leased", (B,))
    with pytest.raises(Conflict, match=r"You haven't submitted anything yet\."):
        annotate_work.reopen_last(store, annotator, project.id)


def test_going_back_withdraws_a_proposal_to_discard_that_the_lead_has_not_decided(
    store: Store, project: Project, annotator: User
) -> None:
    annotate(store, annotator, project)
    work = take(store, annotator, project)
    annotate_work.save_draft(store, annotator, work.assignment.id, 0, Draft(sets=(A,)))
    annotate_work.propose_discard(store, annotator, work.assignment.id, "offensive")
    assert my_work(store, annotator, project.id, state="proposed")[0][0].may_reopen
    again = annotate_work.reopen_last(store, annotator, project.id)
    assert (again.assignment.id, again.assignment.state) == (work.assignment.id, "leased")
    assert again.assignment.draft.sets == (A,)
    assert open_proposals(store, LOCAL_OPERATOR, project.id) == []
    annotate_work.propose_discard(store, annotator, work.assignment.id, "broken text")
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    assert proposal.reason == "broken text"
    decide(store, LOCAL_OPERATOR, proposal.id, "discard")
    with pytest.raises(Conflict, match=r"Can't reopen “Quiet rooms.*”: the text was discarded\."):
        annotate_work.reopen_last(store, annotator, project.id)


def test_what_its_author_withdrew_the_lead_did_not_decide(store: Store, project: Project, annotator: User) -> None:
    work = take(store, annotator, project)
    annotate_work.propose_discard(store, annotator, work.assignment.id, "offensive")
    again = annotate_work.reopen_last(store, annotator, project.id)
    annotate_work.submit(store, annotator, work.assignment.id, again.assignment.revision, Draft("positive", (A,)))
    again = annotate_work.reopen_last(store, annotator, project.id)
    annotate_work.submit(store, annotator, work.assignment.id, again.assignment.revision, Draft("negative", (A,)))
    row = only(store, annotator, project)
    assert (row.line.state, row.lines) == ("accepted", ())


def test_going_back_says_why_the_last_submission_is_closed(store: Store, reviewed: Project, add_person: People) -> None:
    ann = add_person("ann", reviewed, "annotator")
    annotate(store, ann, reviewed)
    [annotation_id] = [row["id"] for row in store.rows("SELECT id FROM annotations")]
    decide_round(store, LOCAL_OPERATOR, annotation_id, "accepted", "It is plain.")
    sentence = r"Can't reopen “The staff never smiled and the soup was cold\.”: the round is decided\."
    with pytest.raises(Conflict, match=sentence):
        annotate_work.reopen_last(store, ann, reviewed.id)
    assert only(store, ann, reviewed).lines == ("The lead decided: It is plain.",)


def test_a_submission_with_a_first_score_or_made_gold_is_closed(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project(reviewers_per_annotation=2)
    import_rows(project, [{"id": f"t{n}", "text": TEXT, "label": "negative"} for n in (1, 2)])
    ann, rita = add_person("ann", project, "annotator"), add_person("rita", project, "reviewer")
    annotate(store, ann, project)
    score(store, rita, project, 4)
    with pytest.raises(
        Conflict,
        match=r"Can't reopen “The staff never smiled and the soup was cold\.”: a reviewer has already scored it\.",
    ):
        annotate_work.reopen_last(store, ann, project.id)
    plain = make_project(name="Plain")
    import_rows(plain, [{"id": "p1", "text": TEXT, "label": "negative"}])
    bob = add_person("bob", plain, "annotator")
    annotate(store, bob, plain)
    [annotation_id] = [row["id"] for row in store.rows("SELECT id FROM annotations WHERE annotator = 'bob'")]
    choose_gold(store, LOCAL_OPERATOR, plain, annotation_id, "the best")
    with pytest.raises(Conflict, match="the lead has already made it gold"):
        annotate_work.reopen_last(store, bob, plain.id)
