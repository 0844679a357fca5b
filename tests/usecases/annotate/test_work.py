"""The annotator's way: get work, save, submit, skip, propose to discard, withdraw; leases and the queue."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.instances import Draft, Segment, Timing
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.tasks import TASKS
from annotator.domain.texts import RationaleSet, TokenizedText
from annotator.errors import Conflict, InvalidAnnotation, InvalidValue, LeaseLost, NotAllowed, NotFound, StaleDraft
from annotator.language import speaking
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.people import add_role
from annotator.usecases.access.accounts import disable_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work
from annotator.usecases.annotate.panel_messages import segment_title, show_project
from annotator.usecases.annotate.work import NextWork
from annotator.usecases.lead.decisions import decide, kept_before, open_proposals
from annotator.usecases.project.projects import change_project, progress_of
from annotator.usecases.review.panel_messages import show_review_project
from tests.clock import pass_time

Rows = Callable[..., object]
People = Callable[..., User]

MARKED = Draft(sets=(RationaleSet.of((1, 4)), RationaleSet.of((5, 7), (8, 9))))


def held(answer: NextWork) -> Work:
    assert answer.work is not None
    return answer.work


def expire_leases(store: Store) -> None:
    """The half hour passes that a lease lasts."""
    pass_time(store, minutes=31)


def finish(store: Store, user: User, work: Work, draft: Draft = MARKED) -> None:
    annotate_work.submit(store, user, work.assignment.id, work.assignment.revision, draft)


def test_next_leases_the_first_instance_and_one_ahead(store: Store, project: Project, annotator: User) -> None:
    answer = annotate_work.next_work(store, annotator, project.id)
    assert held(answer).instance.key == "t1"
    assert answer.ahead is not None
    assert answer.ahead.instance.key == "t2"
    assert answer.counts == {"returned": 0, "open": 2, "waiting": 2, "submitted": 0, "skipped": 0}


def test_a_submit_is_one_transaction_without_steps_inside(store: Store, project: Project, annotator: User) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    statements: list[str] = []
    store.connection.set_trace_callback(statements.append)
    finish(store, annotator, work)
    assert [s for s in statements if s.startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"))] == [
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]


def test_asking_again_gives_the_same_work_and_claims_no_more(store: Store, project: Project, annotator: User) -> None:
    first = annotate_work.next_work(store, annotator, project.id)
    again = annotate_work.next_work(store, annotator, project.id)
    assert held(again).assignment.id == held(first).assignment.id
    assert again.counts["open"] == 2


def test_two_people_never_get_the_same_instance(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    other = add_person("annotator-b", project, "annotator")
    mine = annotate_work.next_work(store, annotator, project.id)
    theirs = annotate_work.next_work(store, other, project.id)
    assert {w.instance.key for w in (mine.work, mine.ahead, theirs.work, theirs.ahead) if w} == {"t1", "t2", "t3", "t4"}


def test_a_submission_stores_its_sets_with_their_spans_and_completes_the_instance(
    store: Store, project: Project, annotator: User
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    finish(store, annotator, work)
    stored = annotations_of(store, [work.instance.id])[work.instance.id]
    assert [(a.annotator, a.state, a.result, a.sets) for a in stored] == [
        ("annotator-a", "accepted", "negative", MARKED.sets)
    ]
    assert progress_of(store, LOCAL_OPERATOR, project.id).instances["complete"] == 1


def test_submitting_answers_the_work_after_the_one_that_is_shown_already(
    store: Store, project: Project, annotator: User
) -> None:
    answer = annotate_work.next_work(store, annotator, project.id)
    assert answer.ahead is not None
    counts, ahead = annotate_work.submit(
        store, annotator, held(answer).assignment.id, 0, MARKED, shown_next=answer.ahead.assignment.id
    )
    assert ahead is not None
    assert ahead.instance.key == "t3"
    assert counts == {"returned": 0, "open": 2, "waiting": 1, "submitted": 1, "skipped": 0}


def test_when_all_is_done_there_is_a_sentence_in_the_place_of_work(
    store: Store, project: Project, annotator: User
) -> None:
    while (work := annotate_work.next_work(store, annotator, project.id).work) is not None:
        finish(store, annotator, work)
    answer = annotate_work.next_work(store, annotator, project.id)
    assert answer.empty is not None
    assert "Nothing left to annotate. Come back later." in answer.empty
    assert answer.counts["submitted"] == 4


def test_who_has_nothing_left_here_is_told_in_which_of_their_projects_texts_wait(
    store: Store, project: Project, annotator: User, make_project, import_rows
) -> None:
    for name, is_theirs in (("Posts", True), ("Theirs", False)):
        other = make_project(name=name)
        import_rows(other, [{"id": "p", "text": "a post", "label": "positive"}])
        if is_theirs:
            add_role(store, other.id, annotator, "annotator")
    while (work := annotate_work.next_work(store, annotator, project.id).work) is not None:
        finish(store, annotator, work)
    answer = annotate_work.next_work(store, annotator, project.id)
    assert answer.empty == "Nothing left to annotate here. Texts wait in “Posts”."
    assert [other.name for other in answer.elsewhere] == ["Posts"]


def test_a_draft_comes_back_as_it_was_saved(store: Store, project: Project, annotator: User) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    draft = replace(MARKED, note="unsure about “never”", result="positive")
    assert annotate_work.save_draft(store, annotator, work.assignment.id, 0, draft) == 1
    again = held(annotate_work.next_work(store, annotator, project.id))
    assert (again.assignment.revision, again.assignment.draft) == (1, draft)


def test_a_draft_of_another_tab_is_never_overwritten(store: Store, project: Project, annotator: User) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    annotate_work.save_draft(store, annotator, work.assignment.id, 0, MARKED)
    with pytest.raises(StaleDraft, match=r"Changed in another tab\. Keep this version, or use that one\."):
        annotate_work.save_draft(store, annotator, work.assignment.id, 0, Draft())
    with pytest.raises(StaleDraft, match=r"Changed in another tab\. Keep this version, or use that one\."):
        annotate_work.submit(store, annotator, work.assignment.id, 0, MARKED)
    assert annotate_work.current_work(store, annotator, work.assignment.id).assignment.draft == MARKED


def test_a_skipped_instance_goes_to_others_first_and_comes_back_at_the_end(
    store: Store, project: Project, annotator: User
) -> None:
    annotate_work.skip(store, annotator, held(annotate_work.next_work(store, annotator, project.id)).assignment.id)
    seen = []
    while (work := annotate_work.next_work(store, annotator, project.id).work) is not None:
        seen.append(work.instance.key)
        finish(store, annotator, work)
    assert seen == ["t2", "t3", "t4", "t1"]


def test_an_expired_lease_gives_the_work_to_someone_else_and_keeps_the_draft(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    annotate_work.save_draft(store, annotator, work.assignment.id, 0, MARKED)
    expire_leases(store)
    other = add_person("annotator-b", project, "annotator")
    theirs = held(annotate_work.next_work(store, other, project.id))
    assert theirs.instance.key == "t1"
    assert theirs.assignment.draft == Draft()
    with pytest.raises(
        LeaseLost, match=r"Someone else has this text now\. Your marks are kept, but can't be submitted\."
    ):
        annotate_work.save_draft(store, annotator, work.assignment.id, 1, MARKED)
    assert annotate_work.current_work(store, annotator, work.assignment.id).assignment.draft == MARKED


def test_a_lease_that_ran_out_unnoticed_goes_on_when_one_types_again(
    store: Store, project: Project, annotator: User
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    expire_leases(store)
    assert annotate_work.save_draft(store, annotator, work.assignment.id, 0, MARKED) == 1


def test_expired_work_that_nobody_took_is_taken_up_again_with_its_draft(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    annotate_work.save_draft(store, annotator, work.assignment.id, 0, MARKED)
    expire_leases(store)
    other = add_person("annotator-b", project, "annotator")
    theirs = held(annotate_work.next_work(store, other, project.id))
    annotate_work.skip(store, other, theirs.assignment.id)
    assert annotate_work.save_draft(store, annotator, work.assignment.id, 1, MARKED) == 2
    finish(store, annotator, held(annotate_work.next_work(store, annotator, project.id, work.instance.id)))


def test_a_released_instance_is_offered_again_to_people_whose_cursor_had_passed_it(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    other = add_person("annotator-b", project, "annotator")
    first = held(annotate_work.next_work(store, annotator, project.id))
    annotate_work.next_work(store, other, project.id)
    annotate_work.skip(store, annotator, first.assignment.id)
    keys = []
    while (work := annotate_work.next_work(store, other, project.id).work) is not None:
        keys.append(work.instance.key)
        finish(store, other, work)
    assert "t1" in keys


def test_with_two_annotators_wanted_each_instance_is_done_by_two_different_people(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    change_project(
        store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, annotators_per_instance=2))
    )
    people = [
        annotator,
        add_person("annotator-b", project, "annotator"),
        add_person("annotator-c", project, "annotator"),
    ]
    while sum(_one_step(store, person, project) for person in people):
        pass
    who = store.rows(
        "SELECT instance_id, count(*) AS n, count(DISTINCT annotator) AS people FROM annotations GROUP BY 1"
    )
    assert [(row["n"], row["people"]) for row in who] == [(2, 2)] * 4
    assert progress_of(store, LOCAL_OPERATOR, project.id).instances == {"complete": 4}


def _one_step(store: Store, person: User, project: Project) -> bool:
    work = annotate_work.next_work(store, person, project.id).work
    if work is not None:
        finish(store, person, work)
    return work is not None


def test_a_random_order_is_the_same_for_the_same_seed_and_covers_everything(
    store: Store, project: Project, annotator: User
) -> None:
    orders = []
    for seed in (3, 3, 4):
        change_project(
            store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, order="random", seed=seed))
        )
        rows = store.rows("SELECT key FROM instances ORDER BY queue_position")
        orders.append([row["key"] for row in rows])
        change_project(store, LOCAL_OPERATOR, project)
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]
    assert sorted(orders[0]) == ["t1", "t2", "t3", "t4"]


REFUSED = [
    (Draft(), None, r"Nothing is marked\. Mark a set, or skip\."),
    (Draft(sets=(RationaleSet(()),)), 0, "Set A is empty"),
    (
        Draft(sets=(RationaleSet.of((0, 2)), RationaleSet.of((0, 1), (1, 2)))),
        1,
        "Sets A and B are identical. Change one.",
    ),
    (Draft(sets=(RationaleSet.of((0, 99)),)), 0, "marks token 98 of"),
    (
        Draft(sets=(RationaleSet.of((0, 2)),), no_rationale=True),
        None,
        "“No rationale in the text” conflicts with the sets. Undo one.",
    ),
    (Draft(no_rationale=True), None, "“No rationale in the text” isn't allowed. Mark a set."),
    (Draft(result="furious", sets=(RationaleSet.of((0, 2)),)), None, r"'furious' isn't one of negative, positive\."),
]


@pytest.mark.parametrize(("draft", "set_index", "sentence"), REFUSED)
def test_a_submission_against_the_rules_is_refused_naming_the_set(
    store: Store, project: Project, annotator: User, draft: Draft, set_index: int | None, sentence: str
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    with pytest.raises(InvalidAnnotation, match=sentence) as refusal:
        finish(store, annotator, work, draft)
    assert refusal.value.set_index == set_index
    assert annotations_of(store, [work.instance.id])[work.instance.id] == []
    still = held(annotate_work.next_work(store, annotator, project.id)).assignment
    assert (still.id, still.revision, still.draft) == (work.assignment.id, 0, Draft())


def test_highlighting_everything_warns_once_and_is_taken_when_it_is_meant(
    store: Store, project: Project, annotator: User
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    everything = Draft(sets=(RationaleSet.of((0, work.instance.layout.n_tokens)),))
    with pytest.raises(InvalidAnnotation, match="Every word is marked") as warning:
        finish(store, annotator, work, everything)
    assert warning.value.is_warning
    annotate_work.submit(store, annotator, work.assignment.id, 0, everything, is_confirmed=True)


def test_no_rationale_may_be_submitted_where_the_project_allows_it(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project("reading", may_be_empty=True)
    import_rows(
        project, [{"id": "r1", "passage": "The lake is cold.", "title": "", "question": "Who swims?", "answer": ""}]
    )
    user = add_person("annotator-a", project, "annotator")
    work = held(annotate_work.next_work(store, user, project.id))
    finish(store, user, work, Draft(no_rationale=True))
    assert annotations_of(store, [work.instance.id])[work.instance.id][0].sets == ()


@pytest.mark.parametrize("draft", [Draft(result=""), Draft(result="", no_rationale=True)])
def test_no_answer_needs_no_rationale_even_where_every_annotation_else_needs_one(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People, draft: Draft
) -> None:
    project = make_project("reading")
    import_rows(project, [{"id": "r1", "passage": "The lake is cold.", "title": "", "question": "Who swims?"}])
    user = add_person("annotator-a", project, "annotator")
    work = held(annotate_work.next_work(store, user, project.id))
    for answered, sentence in (
        (Draft(result="nobody"), r"Nothing is marked\. Mark a set, or skip\."),
        (Draft(result="nobody", no_rationale=True), r"“No rationale in the text” isn't allowed\. Mark a set\."),
    ):
        with pytest.raises(InvalidAnnotation, match=sentence):
            finish(store, user, work, answered)
    finish(store, user, work, draft)
    [stored] = annotations_of(store, [work.instance.id])[work.instance.id]
    assert (stored.result, stored.sets) == ("", ())


def test_the_question_of_a_reading_instance_cannot_be_marked(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project("reading")
    import_rows(
        project, [{"id": "r1", "passage": "The lake is cold.", "title": "", "question": "Who swims?", "answer": ""}]
    )
    user = add_person("annotator-a", project, "annotator")
    work = held(annotate_work.next_work(store, user, project.id))
    with pytest.raises(InvalidAnnotation, match=r"marks “question”, which can't be marked\."):
        finish(store, user, work, Draft(sets=(RationaleSet.of((5, 7)),)))


def test_a_set_may_not_cross_segments_where_the_project_forbids_it(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project("similarity", sets_may_cross_segments=False)
    import_rows(project, [{"id": "p1", "sentence1": "a cat sat", "sentence2": "a dog sat", "label": "negative"}])
    user = add_person("annotator-a", project, "annotator")
    work = held(annotate_work.next_work(store, user, project.id))
    with pytest.raises(InvalidAnnotation, match="crosses segments"):
        finish(store, user, work, Draft(sets=(RationaleSet.of((1, 2), (4, 5)),)))
    finish(store, user, work, Draft(sets=(RationaleSet.of((1, 2)), RationaleSet.of((4, 5)))))


def test_a_label_may_require_and_forbid_segments(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project(
        "inference", required_segments={"positive": ("premise",)}, forbidden_segments={"negative": ("premise",)}
    )
    rows = [
        {"id": f"e{n}", "premise": "a cat sat", "hypothesis": "it sat", "label": label}
        for n, label in enumerate(("positive", "negative"))
    ]
    import_rows(project, rows)
    user = add_person("annotator-a", project, "annotator")
    entailment = held(annotate_work.next_work(store, user, project.id))
    with pytest.raises(InvalidAnnotation, match=r"“positive” needs a set with a word of “premise”\."):
        finish(store, user, entailment, Draft(sets=(RationaleSet.of((3, 4)),)))
    finish(store, user, entailment, Draft(sets=(RationaleSet.of((1, 2), (3, 4)),)))
    neutral = held(annotate_work.next_work(store, user, project.id))
    with pytest.raises(InvalidAnnotation, match=r"“negative” can't mark words of “premise”\."):
        finish(store, user, neutral, Draft(sets=(RationaleSet.of((0, 1)),)))


def test_a_project_for_labels_only_takes_no_sets(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project(result_mode="labels_only")
    import_rows(project, [{"id": "t1", "text": "Fine."}])
    user = add_person("annotator-a", project, "annotator")
    work = held(annotate_work.next_work(store, user, project.id))
    with pytest.raises(InvalidAnnotation, match="Choose a label"):
        finish(store, user, work, Draft())
    with pytest.raises(InvalidAnnotation, match=r"Labels only: remove the rationale sets\."):
        finish(store, user, work, Draft(result="positive", sets=(RationaleSet.of((0, 1)),)))
    finish(store, user, work, Draft(result="positive"))


def test_annotators_give_the_label_where_the_instance_has_none(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project()
    import_rows(project, [{"id": "t1", "text": "Fine food."}])
    user = add_person("annotator-a", project, "annotator")
    work = held(annotate_work.next_work(store, user, project.id))
    with pytest.raises(InvalidAnnotation, match=r"Choose a label \(negative, positive\) first"):
        finish(store, user, work, Draft(sets=(RationaleSet.of((0, 1)),)))
    finish(store, user, work, Draft(result="positive", sets=(RationaleSet.of((0, 1)),)))


def test_a_contested_label_waits_for_the_lead_who_may_take_it(store: Store, project: Project, annotator: User) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    finish(store, annotator, work, replace(MARKED, result="positive"))
    assert progress_of(store, LOCAL_OPERATOR, project.id).instances["held"] == 1
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    assert (proposal.kind, proposal.reason, proposal.proposed_by) == ("contest", "positive", "annotator-a")
    decide(store, LOCAL_OPERATOR, proposal.id, "relabel")
    instance = annotate_work.get_instance(store, work.instance.id)
    assert (instance.result, instance.state) == ("positive", "complete")
    assert annotations_of(store, [instance.id])[instance.id][0].state == "accepted"


def test_a_contested_label_that_the_lead_keeps_brings_the_work_back_first_with_the_reason_and_that_label(
    store: Store, project: Project, annotator: User
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    finish(store, annotator, work, replace(MARKED, result="positive"))
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "keep")
    again = held(annotate_work.next_work(store, annotator, project.id))
    assert again.instance.id == work.instance.id
    assert replace(again.assignment.draft, origins=(), proposed=None) == MARKED
    assert again.feedback is not None
    assert again.feedback.lines == ("The label stays “negative” (you chose “positive”). Mark what supports it.",)
    annotate_work.submit(store, annotator, again.assignment.id, again.assignment.revision, again.assignment.draft)
    assert annotations_of(store, [work.instance.id])[work.instance.id][0].result == "negative"
    with pytest.raises(Conflict, match=r"Already decided by local operator\."):
        decide(store, LOCAL_OPERATOR, proposal.id, "discard")


def test_a_label_that_is_contested_again_says_when_it_was_kept_and_not_when_that_was_withdrawn(
    store: Store, project: Project, annotator: User
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    contested = replace(MARKED, result="positive")
    finish(store, annotator, work, contested)
    finish(store, annotator, annotate_work.withdraw(store, annotator, work.assignment.id), contested)
    [(first, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    assert kept_before(store, first) == ""
    decide(store, LOCAL_OPERATOR, first.id, "keep")
    finish(store, annotator, held(annotate_work.next_work(store, annotator, project.id)), contested)
    [(again, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    assert kept_before(store, again) == store.value("SELECT decided_at FROM proposals WHERE id = ?", (first.id,))


def test_a_proposal_to_discard_holds_the_instance_until_the_lead_confirms(
    store: Store, project: Project, annotator: User
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    annotate_work.propose_discard(store, annotator, work.assignment.id, "names a person")
    [(proposal, instance)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    assert (proposal.reason, instance.key) == ("names a person", "t1")
    decide(store, LOCAL_OPERATOR, proposal.id, "discard")
    assert progress_of(store, LOCAL_OPERATOR, project.id).instances["discarded"] == 1


def test_a_rejected_proposal_to_discard_brings_the_text_back(store: Store, project: Project, annotator: User) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    annotate_work.propose_discard(store, annotator, work.assignment.id, "other", "too short")
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "keep")
    again = held(annotate_work.next_work(store, annotator, project.id))
    assert again.instance.key == "t1"
    assert again.feedback is not None
    assert "Proposal to discard rejected (" in again.feedback.lines[0]
    finish(store, annotator, again)


@pytest.mark.parametrize(
    ("reason", "comment", "sentence"),
    [
        ("boring", "", "Unknown reason 'boring'. Available:"),
        ("", "", "Choose a reason:"),
        ("other", " ", "Say briefly why."),
    ],
)
def test_a_discard_needs_a_known_reason(
    store: Store, project: Project, annotator: User, reason: str, comment: str, sentence: str
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    with pytest.raises(InvalidValue, match=sentence):
        annotate_work.propose_discard(store, annotator, work.assignment.id, reason, comment)


def test_a_submission_can_be_withdrawn_and_comes_back_as_it_was(
    store: Store, project: Project, annotator: User
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    finish(store, annotator, work)
    again = annotate_work.withdraw(store, annotator, work.assignment.id)
    assert (again.instance.key, again.assignment.state, again.assignment.draft) == ("t1", "leased", MARKED)
    assert progress_of(store, LOCAL_OPERATOR, project.id).instances.get("complete", 0) == 0
    other = Draft(sets=(RationaleSet.of((0, 1)),))
    annotate_work.submit(store, annotator, work.assignment.id, again.assignment.revision, other)
    [annotation] = annotations_of(store, [work.instance.id])[work.instance.id]
    assert (annotation.sets, annotation.state) == (other.sets, "accepted")


def test_what_was_never_submitted_cannot_be_withdrawn(store: Store, project: Project, annotator: User) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    with pytest.raises(Conflict, match=r"Can't reopen this submission: it was never submitted\."):
        annotate_work.withdraw(store, annotator, work.assignment.id)


def test_a_deep_link_opens_work_that_one_may_take(store: Store, project: Project, annotator: User) -> None:
    third = store.value("SELECT id FROM instances WHERE key = 't3'")
    assert held(annotate_work.next_work(store, annotator, project.id, third)).instance.key == "t3"


def test_a_deep_link_to_someone_elses_work_is_refused(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    other = add_person("annotator-b", project, "annotator")
    mine = held(annotate_work.next_work(store, annotator, project.id))
    with pytest.raises(NotAllowed, match=r"This text is assigned to others\."):
        annotate_work.next_work(store, other, project.id, mine.instance.id)
    with pytest.raises(NotFound, match=r"No instance number 999\."):
        annotate_work.next_work(store, other, project.id, 999)


def test_nobody_can_touch_the_work_of_others(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    other = add_person("annotator-b", project, "annotator")
    for action in (
        lambda: annotate_work.save_draft(store, other, work.assignment.id, 0, MARKED),
        lambda: annotate_work.submit(store, other, work.assignment.id, 0, MARKED),
        lambda: annotate_work.skip(store, other, work.assignment.id),
        lambda: annotate_work.withdraw(store, other, work.assignment.id),
    ):
        with pytest.raises(NotAllowed, match=r"This text is assigned to others\."):
            action()


@pytest.mark.parametrize("role", ["reviewer", "researcher"])
def test_only_annotators_and_leads_get_work(store: Store, project: Project, add_person: People, role: str) -> None:
    with pytest.raises(NotAllowed, match=r"can grant a role \("):
        annotate_work.next_work(store, add_person("someone", project, role), project.id)


def test_time_is_added_up_and_the_first_view_stays_the_first(store: Store, project: Project, annotator: User) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    annotate_work.note_seen(store, annotator, work.assignment.id, "2026-01-01T10:00:00.000Z")
    annotate_work.note_seen(store, annotator, work.assignment.id, "2026-01-01T11:00:00.000Z")
    annotate_work.save_draft(
        store, annotator, work.assignment.id, 0, MARKED, Timing("2026-01-01T10:00:03.000Z", 4000, 0, 2)
    )
    annotate_work.submit(
        store, annotator, work.assignment.id, 1, MARKED, Timing("2026-01-01T10:05:00.000Z", 2500, 90_000, 1)
    )
    [row] = store.rows("SELECT * FROM assignments WHERE id = ?", (work.assignment.id,))
    assert row["first_view_at"] == "2026-01-01T10:00:00.000Z"
    assert row["first_action_at"] == "2026-01-01T10:00:03.000Z"
    assert (row["active_ms"], row["idle_ms"], row["edits"]) == (6500, 90_000, 3)
    assert row["submitted_at"] is not None


def test_every_step_is_in_the_record(store: Store, project: Project, annotator: User) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    finish(store, annotator, work)
    annotate_work.withdraw(store, annotator, work.assignment.id)
    annotate_work.skip(store, annotator, work.assignment.id)
    rows = store.rows("SELECT actor, action FROM events WHERE subject = 'instance' ORDER BY id")
    assert [tuple(row) for row in rows] == [("annotator-a", a) for a in ("submit", "withdraw", "skip")]


def test_imported_drafts_are_the_start_of_the_annotators_draft(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project()
    row = {"id": "t1", "text": "Fine food.", "label": "positive", "annotator": "source", "rationales": [[[0, 2]]]}
    import_rows(project, [row], gold="draft")
    work = held(annotate_work.next_work(store, add_person("annotator-a", project, "annotator"), project.id))
    assert work.assignment.draft.sets == (RationaleSet.of((0, 2)),)


def test_a_project_without_labels_gives_out_no_work_yet(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People
) -> None:
    project = make_project()
    change_project(store, LOCAL_OPERATOR, replace(project, labels=()))
    import_rows(replace(project, labels=()), [{"id": "t1", "text": "Fine food."}])
    annotator = add_person("annotator-a", project, "annotator")
    answer = annotate_work.next_work(store, annotator, project.id)
    assert answer.work is None
    assert answer.empty is not None
    assert "This project has no labels. Its lead can add some (Project, Rules)." in answer.empty
    assert "This project has no labels. Its lead can add some (Project, Rules)." in answer.empty
    assert answer.counts["waiting"] == 0
    change_project(store, LOCAL_OPERATOR, project)  # with labels
    answer = annotate_work.next_work(store, annotator, project.id)
    assert (answer.work is None, answer.counts["open"]) == (False, 1)


def test_a_draft_with_a_span_outside_the_text_is_refused(store: Store, project: Project, annotator: User) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    with pytest.raises(InvalidAnnotation, match="marks token 998"):
        annotate_work.save_draft(store, annotator, work.assignment.id, 0, Draft(sets=(RationaleSet.of((500, 999)),)))


def test_the_work_ahead_keeps_its_lease_while_one_works_on_the_other(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    answer = annotate_work.next_work(store, annotator, project.id)
    assert answer.ahead is not None
    expire_leases(store)
    annotate_work.save_draft(store, annotator, held(answer).assignment.id, 0, MARKED)
    annotate_work.next_work(store, add_person("annotator-b", project, "annotator"), project.id)
    assert annotate_work.save_draft(store, annotator, answer.ahead.assignment.id, 0, MARKED) == 1


def test_an_expired_text_that_is_skipped_does_not_come_back_at_once(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    expire_leases(store)
    other = add_person("annotator-b", project, "annotator")
    annotate_work.skip(store, other, held(annotate_work.next_work(store, other, project.id)).assignment.id)
    _, ahead = annotate_work.skip(store, annotator, work.assignment.id)
    assert ahead is not None
    assert ahead.instance.key != work.instance.key


def test_what_the_lead_discarded_is_over_for_everybody(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    change_project(
        store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, annotators_per_instance=2))
    )
    other = add_person("annotator-b", project, "annotator")
    work = held(annotate_work.next_work(store, annotator, project.id))
    theirs = held(annotate_work.next_work(store, other, project.id))
    assert theirs.instance.key == work.instance.key
    annotate_work.propose_discard(store, annotator, work.assignment.id, "broken text")
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "discard")
    with pytest.raises(LeaseLost, match=r"This text was discarded or reassigned\. Nothing more to do\."):
        finish(store, other, theirs)
    assert held(annotate_work.next_work(store, other, project.id)).instance.key != work.instance.key


def test_the_work_of_somebody_whose_account_is_disabled_goes_to_others(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    work = held(annotate_work.next_work(store, annotator, project.id))
    finish(store, annotator, work, replace(MARKED, result="positive"))
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "keep")
    disable_user(store, LOCAL_OPERATOR, annotator.name)
    other = add_person("annotator-b", project, "annotator")
    keys = []
    while (theirs := annotate_work.next_work(store, other, project.id).work) is not None:
        keys.append(theirs.instance.key)
        finish(store, other, theirs)
    assert sorted(keys) == ["t1", "t2", "t3", "t4"]


def test_a_question_and_reasons_are_said_in_the_language_of_the_annotator_and_stored_in_english(
    store: Store, project: Project, annotator: User
) -> None:
    with speaking("zh"):
        shown = show_project(project)
        assert shown.question.startswith("哪些词元支持“{result}”？")
        assert show_review_project(project, asks_model=False).question == shown.question
        assert shown.discard_reasons["wrong language"] == "语言不符"
        with pytest.raises(InvalidValue, match="^请选择原因："):
            annotate_work.propose_discard(store, annotator, 1, "")
    assert project.shown_question.startswith("Which tokens support “{result}”?")
    assert show_project(project).discard_reasons["wrong language"] == "wrong language"


# What the segments of a text are called on a screen: words, and a document's own name where it tells something.

HEX = "9a0364b9e99bb480dd25e1f0284c8555"


@pytest.mark.parametrize(
    ("name", "docid", "title"),
    [
        ("document", "Soup", "Document · Soup"),
        ("document2", "Soup", "Document 2 · Soup"),
        ("document", None, "Document"),
        ("document2", HEX, "Document 2"),  # nobody knows a document by 32 digits
        ("query", "Soup", "Claim or question"),
    ],
)
def test_a_segment_is_called_by_words(name: str, docid: str | None, title: str) -> None:
    segment = Segment(name, name != "query", TokenizedText("Soup", (0,), (4,), (0,)), docid)
    assert segment_title(segment, TASKS["verification"]) == title


def test_a_segment_is_called_by_words_of_the_reader_and_a_document_by_its_own_name() -> None:
    segment = Segment("document2", True, TokenizedText("Soup", (0,), (4,), (0,)), "Soup")
    with speaking("zh"):
        assert segment_title(segment, TASKS["verification"]) == "文档 2 · Soup"
