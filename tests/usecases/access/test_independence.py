"""Per text one is annotator or reviewer: what is closed to whom, what ends being given a text, and that no work gets stuck unsaid."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError, Conflict, ExportRefused, LeaseLost, NotAllowed
from annotator.store import Store, open_store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import find_instance_ids, get_instance
from annotator.store.people import get_user, set_disabled
from annotator.usecases.annotate import proposals, talk
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work, my_work
from annotator.usecases.databases import find_project
from annotator.usecases.inspect import saliency
from annotator.usecases.lead.decisions import decide, list_undecided_rounds, open_proposals, stuck_work
from annotator.usecases.lead.timeline import timeline
from annotator.usecases.perturb import versions
from annotator.usecases.project.projects import change_project, create_project, give_role, missing_annotators, take_role
from annotator.usecases.review import reviews
from annotator.usecases.review.inspection import look_at, must_give_back
from annotator.usecases.review.rounds import decide_round
from annotator.usecases.transfer.contents import export_gold_lines
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check
from tests.usecases.annotate.test_work import expire_leases
from tests.usecases.review.test_reviews import annotate, score

Rows = Callable[..., object]
People = Callable[..., User]

A, B = RationaleSet.of((0, 2)), RationaleSet.of((3, 5))
TEXT = "The staff never smiled and the soup was cold."


@pytest.fixture
def make(make_project: Callable[..., Project], import_rows: Rows) -> Callable[..., Project]:
    """A project with some texts, each annotation of which is scored by one reviewer."""

    def made(n_texts: int = 2, **settings: object) -> Project:
        project = make_project(**{"reviewers_per_annotation": 1, **settings})
        import_rows(project, [{"id": f"t{n}", "text": TEXT, "label": "negative"} for n in range(1, n_texts + 1)])
        return project

    return made


@pytest.fixture
def person(add_person: People) -> Callable[..., User]:
    """Somebody who annotates and reviews, unless other roles are named."""

    def add(name: str, project: Project, *roles: str) -> User:
        return add_person(name, project, *(roles or ("annotator", "reviewer")))

    return add


def wanting(store: Store, project: Project, n: int) -> Project:
    """The same project with another number of annotators for each text."""
    now = find_project(store, project.name)
    settings = replace(now.settings, annotators_per_instance=n)
    return change_project(store, LOCAL_OPERATOR, replace(now, settings=settings))


def annotation_of(store: Store, work: Work) -> int:
    return annotations_of(store, [work.instance.id])[work.instance.id][-1].id


def given(store: Store, user: User, project: Project) -> str | None:
    """The key of the text that a person is given to annotate."""
    work = annotate_work.next_work(store, user, project.id).work
    return None if work is None else work.instance.key


def reviewed(store: Store, user: User, project: Project) -> str | None:
    """The key of the text that a person is given to review."""
    work = reviews.next_review(store, user, project.id).work
    return None if work is None else work.instance.key


def look_now(store: Store, lead: User, project: Project, instance_id: int, **how: bool) -> None:
    look_at(store, lead, project, instance_id, **how)


# --- what is closed


def test_whoever_may_still_be_given_a_text_is_not_shown_what_others_marked_in_it(store: Store, make, person) -> None:
    project = make(1, annotators_per_instance=2)
    ann, ben = person("ann", project), person("ben", project)
    work = annotate(store, ann, project, A)
    answer = reviews.next_review(store, ben, project.id)
    assert (answer.work, answer.counts["to_review"]) == (None, 0)
    assert answer.empty is not None
    assert "Nothing to review: you may still annotate the texts that need scores." in answer.empty
    with pytest.raises(NotAllowed, match=r"Others' marks are hidden while you can still annotate this text\."):
        reviews.next_review(store, ben, project.id, annotation_of(store, work))
    assert given(store, ben, project) == "t1"
    assert check(store) == []


def test_whoever_has_a_text_in_hand_or_handed_it_in_does_not_review_it(store: Store, make, person) -> None:
    project = make(1, annotators_per_instance=2)
    ann, ben = person("ann", project), person("ben", project)
    number = annotation_of(store, annotate(store, ann, project, A))
    annotate_work.next_work(store, ben, project.id)
    for _ in range(2):
        answer = reviews.next_review(store, ben, project.id)
        assert answer.work is None
        assert answer.empty is not None
        assert "Nothing to review: the texts that need scores are your own." in answer.empty
        with pytest.raises(NotAllowed, match=r"You annotate this text; others review it\."):
            reviews.next_review(store, ben, project.id, number)
        if given(store, ben, project):
            annotate(store, ben, project, B)


def test_a_text_that_can_be_given_to_nobody_else_is_reviewed_by_the_other_of_two(store: Store, make, person) -> None:
    """Two people who both annotate and review, one annotator a text: nothing waits for anybody else."""
    project = make(4)
    ann, ben = person("ann", project), person("ben", project)
    for _ in range(4):
        for one in (ann, ben):
            if given(store, one, project):
                annotate(store, one, project, A)
            if reviewed(store, one, project):
                score(store, one, project)
    assert store.value("SELECT count(*) FROM instances WHERE state = 'complete'") == 4
    assert store.value("SELECT count(*) FROM reviews") == 4
    assert stuck_work(store, LOCAL_OPERATOR, project).annotation_ids == ()


def test_two_tabs_at_once_never_make_somebody_annotator_and_reviewer_of_a_text(
    database: Path, store: Store, make, person
) -> None:
    project = make(6, annotators_per_instance=2)
    ann, ben, lea = person("ann", project), person("ben", project), person("lea", project, "lead")
    for _ in range(6):
        annotate(store, ann, project, A)
    barrier = threading.Barrier(4)
    ids = [row["id"] for row in store.rows("SELECT id FROM instances ORDER BY id")]

    def run(action: Callable[[Store, int], object]) -> None:
        with open_store(database) as own:
            for number in ids:
                barrier.wait()
                try:
                    action(own, number)
                except AnnotatorError:
                    continue

    actions: list[Callable[[Store, int], object]] = [
        lambda own, number: annotate_work.next_work(own, ben, project.id, number),
        lambda own, number: reviews.next_review(own, ben, project.id, annotations_of(own, [number])[number][0].id),
        lambda own, number: annotate_work.next_work(own, lea, project.id, number),
        lambda own, number: look_at(own, lea, project, number),
    ]
    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert check(store) == []
    assert store.value("SELECT count(*) FROM sets_shown JOIN assignments USING (instance_id, user_id)") == 0


def test_a_text_that_waits_for_the_lead_may_still_be_given(store: Store, half_done, person) -> None:
    project, ria, number = half_done
    work = annotate_work.next_work(store, person("cem", project), project.id).work
    assert work is not None
    annotate_work.propose_discard(store, get_user(store, "cem"), work.assignment.id, "broken text")
    assert get_instance(store, number).state == "held"
    assert saliency.show_instance(store, ria, number, None).withheld.startswith(
        "Others' marks are hidden while you can still annotate this text."
    )


# --- what ends being given a text


def test_a_review_that_was_opened_ends_being_given_the_text_when_it_is_free_again(
    store: Store, make, person, import_rows: Rows
) -> None:
    project = make(1)
    ann, ben = person("ann", project), person("ben", project)
    work = annotate(store, ann, project, A)
    assert reviewed(store, ben, project) == "t1"
    annotate_work.withdraw(store, ann, work.assignment.id)
    annotate_work.skip(store, ann, work.assignment.id)
    assert get_instance(store, work.instance.id).state == "open"
    answer = annotate_work.next_work(store, ben, project.id)
    assert (answer.work, answer.counts["waiting"]) == (None, 0)
    with pytest.raises(NotAllowed, match=r"You've seen others' marks in this text and can't annotate it\."):
        annotate_work.next_work(store, ben, project.id, work.instance.id)
    import_rows(project, [{"id": "t1", "text": TEXT, "label": "negative", "split": ""}], update=True)
    assert given(store, ben, project) is None
    assert given(store, ann, project) == "t1"
    assert check(store) == []


def test_nor_is_it_given_when_more_annotators_are_wanted_or_somebody_lets_it_lie(store: Store, make, person) -> None:
    project = make(1)
    ann, ben, cem = person("ann", project), person("ben", project), person("cem", project)
    annotate(store, ann, project, A)
    assert reviewed(store, ben, project) == "t1"
    project = wanting(store, project, 2)
    assert given(store, ben, project) is None
    assert given(store, cem, project) == "t1"
    expire_leases(store)
    assert given(store, ben, project) is None
    assert given(store, cem, project) == "t1"
    assert check(store) == []


def test_a_reviewer_who_becomes_an_annotator_is_not_given_what_they_reviewed(store: Store, make, person) -> None:
    project = make(1)
    ann, ben = person("ann", project), person("ben", project, "reviewer")
    work = annotate(store, ann, project, A)
    assert reviewed(store, ben, project) == "t1"
    decide_round(store, LOCAL_OPERATOR, annotation_of(store, work), "discarded", "too short")
    give_role(store, LOCAL_OPERATOR, project.id, "ben", "annotator")
    project = wanting(store, project, 2)
    assert given(store, ben, project) is None


def test_marks_of_a_text_that_one_reviewed_since_cannot_be_saved_any_more(store: Store, make, person) -> None:
    project = make(1)
    ann, ben = person("ann", project), person("ben", project)
    mine = annotate_work.next_work(store, ben, project.id).work
    assert mine is not None
    expire_leases(store)
    work = annotate(store, ann, project, A)
    assert reviewed(store, ben, project) == "t1"
    annotate_work.withdraw(store, ann, work.assignment.id)
    annotate_work.skip(store, ann, work.assignment.id)
    for call in (annotate_work.save_draft, annotate_work.submit):
        with pytest.raises(
            LeaseLost, match=r"You've seen others' marks in this text\. Yours are kept, but can't be submitted\."
        ):
            call(store, ben, mine.assignment.id, 0, Draft(sets=(B,)))  # type: ignore[operator]


def test_an_annotation_that_the_gate_discarded_can_be_read_but_not_changed_by_the_address_of_its_text(
    store: Store, make, person
) -> None:
    project = make(1, annotators_per_instance=2)
    ann = person("ann", project)
    work = annotate(store, ann, project, A)
    decide_round(store, LOCAL_OPERATOR, annotation_of(store, work), "discarded", "too short")
    shown = annotate_work.next_work(store, ann, project.id, work.instance.id).work
    assert shown is not None
    assert (shown.assignment.state, shown.assignment.draft.sets) == ("ended", (A,))
    with pytest.raises(LeaseLost):
        annotate_work.submit(store, ann, work.assignment.id, shown.assignment.revision, Draft(sets=(B,)))
    with pytest.raises(Conflict, match=r"Can't reopen this submission: the round is decided\."):
        annotate_work.withdraw(store, ann, work.assignment.id)


# --- leads who look


def test_a_lead_who_looked_is_not_given_the_text_and_may_review_it(store: Store, make, person, tmp_path: Path) -> None:
    project = make(1, annotators_per_instance=2)
    ann, lea = person("ann", project), person("lea", project, "lead")
    work = annotate(store, ann, project, A)
    assert reviewed(store, lea, project) is None
    with pytest.raises(
        NotAllowed,
        match=r"Others' marks are hidden while you can still annotate this text\. To review it instead, view it under Project, Texts\.",
    ):
        reviews.next_review(store, lea, project.id, annotation_of(store, work))
    assert look_at(store, lea, project, work.instance.id).was_shown
    assert given(store, lea, project) is None
    assert reviewed(store, lea, project) == "t1"
    assert check(store) == []
    told = [(m.who, m.what) for m in timeline(store, LOCAL_OPERATOR, project, work.instance.id)]
    assert ("lea", "looked at others' marks") not in told  # the review says it
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    assert '"shown":[["lea",' in (tmp_path / "all.jsonl").read_text()


def test_that_a_lead_looked_is_told_and_is_kept_by_our_own_export(store: Store, make, person, tmp_path: Path) -> None:
    project = make(1, annotators_per_instance=2)
    ann, lea = person("ann", project), person("lea", project, "lead")
    work = annotate(store, ann, project, A)
    look_at(store, lea, project, work.instance.id)
    assert ("lea", "looked at others' marks") in [
        (m.who, m.what) for m in timeline(store, LOCAL_OPERATOR, project, work.instance.id)
    ]
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = _imported(other, tmp_path / "all.jsonl")
        assert given(other, get_user(other, "lea"), copy) is None
        assert check(other) == []


def test_work_in_an_export_that_says_nothing_of_who_saw_what_goes_back_where_its_person_reviewed_the_text(
    store: Store, make, person, tmp_path: Path
) -> None:
    project = make(1, annotators_per_instance=2)
    ann, lea = person("ann", project), person("lea", project, "lead")
    number = annotate(store, ann, project, A).instance.id
    look_at(store, lea, project, number)
    assert reviewed(store, lea, project) == "t1"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    [text] = [line for line in lines if line["record"] == "instance"]
    del text["shown"]
    work = {"user": "lea", "round": 1, "state": "leased", "revision": 0, "draft": {"annotator": "lea"}}
    text["work"].append(work)
    old = tmp_path / "old.jsonl"
    old.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = _imported(other, old)
        assert check(other) == []
        assert given(other, get_user(other, "lea"), copy) is None


def _imported(other: Store, path: Path) -> Project:
    copy = create_project(other, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
    import_file(other, LOCAL_OPERATOR, copy, "jsonl", path)
    with other.transaction():
        for name in ("lea", "ann"):
            set_disabled(other, get_user(other, name), False)
    return find_project(other, "Copy")


def test_looking_at_a_text_of_which_nobody_else_marked_anything_ends_nothing(store: Store, make, person) -> None:
    project = make(2, annotators_per_instance=2)
    lea = person("lea", project, "lead")
    for number in find_instance_ids(store, project.id, "t1") + find_instance_ids(store, project.id, "t2"):
        assert not look_at(store, lea, project, number).was_shown
    work = annotate(store, lea, project, A)
    assert not look_at(store, lea, project, work.instance.id).was_shown
    assert given(store, lea, project) == "t2"


@pytest.mark.parametrize("look", [look_now, timeline])
def test_a_lead_with_the_text_in_hand_looks_only_by_giving_it_back(
    store: Store, make, person, look: Callable[..., object]
) -> None:
    project = make(1, annotators_per_instance=2)
    ann, lea, cem = person("ann", project), person("lea", project, "lead"), person("cem", project)
    number = annotate(store, ann, project, A).instance.id
    mine = annotate_work.next_work(store, lea, project.id).work
    assert mine is not None
    annotate_work.save_draft(store, lea, mine.assignment.id, 0, Draft(sets=(B,)))
    assert must_give_back(store, lea, project, number)
    with pytest.raises(
        Conflict,
        match=r"Others' marks are hidden while you annotate this text\. Submit it, or give it back \(Project, Texts\)\.",
    ):
        look(store, lea, project, number)
    assert given(store, lea, project) == "t1"
    look_at(store, lea, project, number, gives_back=True)
    assert not must_give_back(store, lea, project, number)
    assert given(store, lea, project) is None
    assert given(store, cem, project) == "t1"
    assert store.value("SELECT sets FROM drafts WHERE assignment_id = ?", (mine.assignment.id,)) == "[[[3,5]]]"
    assert [m.what for m in timeline(store, lea, project, number) if m.who == "lea"] == [
        "gave up the text to see others' marks",
        "looked at others' marks",
    ]
    assert check(store) == []


def test_the_correction_of_ones_own_work_stays_ones_own_whatever_one_looked_at(store: Store, make, person) -> None:
    project = make(1, annotators_per_instance=2)
    ann, lea = person("ann", project), person("lea", project, "lead")
    annotate(store, ann, project, A)
    work = annotate(store, lea, project, B)
    decide_round(store, LOCAL_OPERATOR, annotation_of(store, work), "returned", "too short")
    look_at(store, lea, project, work.instance.id)
    assert given(store, lea, project) == "t1"
    with store.transaction():
        store.run("UPDATE assignments SET lease_until = '2020-01-01T00:00:00.000Z' WHERE state = 'returned'")
    given(store, ann, project)  # ends what rested for too long
    assert store.value("SELECT state FROM assignments WHERE user_id = ? AND round = 2", (lea.id,)) == "expired"
    assert given(store, lea, project) == "t1"
    assert check(store) == []


def test_a_submission_cannot_be_taken_back_by_somebody_who_looked_since(store: Store, make, person) -> None:
    project = make(1, annotators_per_instance=2)
    ann, lea = person("ann", project), person("lea", project, "lead")
    annotate(store, ann, project, A)
    work = annotate(store, lea, project, B)
    look_at(store, lea, project, work.instance.id)
    [row], _ = my_work(store, lea, project.id)
    assert not row.may_reopen
    with pytest.raises(Conflict, match=r"Can't reopen this submission: you've since seen others' marks\."):
        annotate_work.withdraw(store, lea, work.assignment.id)


def test_a_text_that_is_kept_after_a_proposal_goes_to_others_when_its_annotator_looked_meanwhile(
    store: Store, make, person
) -> None:
    project = make(1, annotators_per_instance=2)
    ann, lea, cem = person("ann", project), person("lea", project, "lead"), person("cem", project)
    annotate(store, ann, project, A)
    mine = annotate_work.next_work(store, lea, project.id).work
    assert mine is not None
    annotate_work.propose_discard(store, lea, mine.assignment.id, "broken text")
    look_at(store, lea, project, mine.instance.id)
    [(proposal, _)] = open_proposals(store, lea, project.id)
    decide(store, lea, proposal.id, "keep")
    assert given(store, lea, project) is None
    assert given(store, cem, project) == "t1"
    assert check(store) == []


def test_scores_of_others_are_not_listed_to_a_lead_who_may_be_given_the_text(store: Store, make, person) -> None:
    project = make(1, annotators_per_instance=2, reviewers_per_annotation=2)
    ann, rob, lea = person("ann", project), person("rob", project, "reviewer"), person("lea", project, "lead")
    number = annotate(store, ann, project, A).instance.id
    score(store, rob, project)
    [one] = list_undecided_rounds(store, lea, project)
    assert (one.n_scored, one.scored) == (1, ())
    look_at(store, lea, project, number)
    [one] = list_undecided_rounds(store, lea, project)
    assert len(one.scored) == 1


def test_a_lead_at_work_on_a_text_reads_of_its_talk_what_its_annotator_may(store: Store, make, person) -> None:
    project = make(1, annotators_per_instance=2)
    ann, rob, lea = person("ann", project), person("rob", project, "reviewer"), person("lea", project, "lead")
    number = annotate(store, ann, project, A).instance.id
    assert given(store, lea, project) == "t1"
    assert reviewed(store, rob, project) == "t1"
    [_, of_set] = [s for s in talk.talk_of(store, rob, project.id, number).subjects if s.about in {"instance", "set"}]
    talk.begin(store, rob, project.id, number, of_set, "“staff” alone would do", to_lead=True)
    seen = talk.talk_of(store, lea, project.id, number)
    assert ([s.words for s in seen.subjects], seen.threads) == (["this text"], ())
    look_at(store, lea, project, number, gives_back=True)
    assert len(talk.talk_of(store, lea, project.id, number).threads) == 1


# --- other places that show gold


@pytest.fixture
def half_done(store: Store, make, person) -> tuple[Project, User, int]:
    """A text with ann's accepted annotation and room for another; ria annotates and may see gold."""
    project = make(1, annotators_per_instance=2, reviewers_per_annotation=0)
    work = annotate(store, person("ann", project), project, A)
    return project, person("ria", project, "annotator", "researcher"), work.instance.id


def test_saliency_withholds_gold_from_whoever_may_be_given_the_text_and_says_why(store: Store, half_done) -> None:
    project, ria, number = half_done
    shown = saliency.show_instance(store, ria, number, None)
    assert shown.gold == ()
    assert shown.withheld.startswith("Others' marks are hidden while you can still annotate this text.")
    assert given(store, ria, project) == "t1"
    assert saliency.show_instance(store, ria, number, None).withheld.startswith(
        "Others' marks are hidden while you can still annotate this text."
    )
    annotate(store, ria, project, B)
    shown = saliency.show_instance(store, ria, number, None)
    assert (shown.gold, shown.withheld) == (((0, 1),), "")


def test_whoever_saw_gold_in_saliency_is_not_given_the_text(store: Store, half_done, person) -> None:
    project, ria, number = half_done
    project = wanting(store, project, 1)
    assert saliency.show_instance(store, ria, number, None).gold == ((0, 1),)
    project = wanting(store, project, 2)
    assert given(store, ria, project) is None
    assert given(store, person("cem", project), project) == "t1"


@pytest.mark.parametrize("as_lines", [True, False])
def test_an_export_leaves_out_what_is_closed_and_counts_as_seeing_what_it_holds(
    store: Store, half_done, tmp_path: Path, as_lines: bool
) -> None:
    project, ria, _ = half_done

    def n_exported(user: User) -> int:
        path = tmp_path / f"{store.value('SELECT max(id) FROM events')}"
        if as_lines:
            return export_gold_lines(store, user, project, path)
        return export_file(store, user, project, "doccano", path).n

    with pytest.raises(
        ExportRefused, match=r"You annotate, or may be assigned, all texts with gold\. Ask a lead to export\."
    ):
        n_exported(ria)
    assert n_exported(LOCAL_OPERATOR) == 1
    project = wanting(store, project, 1)
    assert n_exported(ria) == 1
    project = wanting(store, project, 2)
    assert given(store, ria, project) is None


def test_a_lead_who_exports_is_given_texts_as_before(store: Store, half_done, person, tmp_path: Path) -> None:
    project, _, _ = half_done
    lea = person("lea", project, "lead")
    assert export_file(store, lea, project, "jsonl", tmp_path / "all.jsonl").n == 1
    assert given(store, lea, project) == "t1"


def test_whoever_saw_an_original_in_perturb_is_not_given_it(store: Store, half_done, person) -> None:
    project, ria, number = half_done
    with pytest.raises(Conflict, match="finished yet"):
        versions.open_original(store, ria, number)
    project = wanting(store, project, 1)
    versions.open_original(store, ria, number)
    project = wanting(store, project, 2)
    assert given(store, ria, project) is None


def test_perturb_passes_over_originals_that_a_lead_has_in_hand(store: Store, half_done, person) -> None:
    project, _, number = half_done
    lea = person("lea", project, "lead")
    assert given(store, lea, project) == "t1"
    assert versions.next_original(store, lea, project.id) is None
    with pytest.raises(
        Conflict,
        match=r"Others' marks are hidden while you annotate this text\. Submit it, or give it back \(Project, Texts\)\.",
    ):
        versions.open_original(store, lea, number)
    assert given(store, lea, project) == "t1"


def test_whoever_is_proposed_the_sets_of_an_original_is_not_given_the_original(
    store: Store, half_done, person, import_rows: Rows
) -> None:
    project, _, number = half_done
    project = wanting(store, project, 1)
    changed = {
        "id": "c",
        "text": f"Truly, {TEXT}",
        "label": "negative",
        "parent": "t1",
        "perturbation_kind": "dispensable",
    }
    import_rows(project, [changed])
    cem = person("cem", project)
    work = annotate_work.next_work(store, cem, project.id).work
    assert work is not None
    assert proposals.propose(store, cem, work.assignment.id).proposals.sets
    project = wanting(store, project, 2)
    assert get_instance(store, number).state == "open"
    with pytest.raises(NotAllowed, match=r"You've seen others' marks in this text and can't annotate it\."):
        annotate_work.next_work(store, cem, project.id, number)


# --- nothing gets stuck unsaid


def test_annotations_that_nobody_is_left_to_review_are_told_until_somebody_is(store: Store, make, person) -> None:
    project = make(1, annotators_per_instance=2)
    ann, ben = person("ann", project), person("ben", project)
    annotate(store, ann, project, A)
    [first] = list_undecided_rounds(store, LOCAL_OPERATOR, project)
    assert stuck_work(store, LOCAL_OPERATOR, project).annotation_ids == ()
    assert first.about.endswith("1 of the others may still annotate it, so can't score it yet")
    annotate(store, ben, project, B)
    stuck = stuck_work(store, LOCAL_OPERATOR, project).annotation_ids
    assert len(stuck) == 2
    assert [
        one.round.annotation_id for one in list_undecided_rounds(store, LOCAL_OPERATOR, project, only=stuck[1:])
    ] == [stuck[1]]
    assert all(one.about.endswith("1 more needed, but nobody can score it") for one in
               list_undecided_rounds(store, LOCAL_OPERATOR, project))  # fmt: skip
    cem = person("cem", project, "reviewer")
    assert stuck_work(store, LOCAL_OPERATOR, project).annotation_ids == ()
    for _ in range(2):
        score(store, cem, project)
    assert get_instance(store, first.instance.id).state == "complete"


def test_people_who_cannot_sign_in_are_no_reviewers(store: Store, make, person) -> None:
    project = make(1)
    ann, cem = person("ann", project), person("cem", project, "reviewer")
    annotate(store, ann, project, A)
    assert stuck_work(store, LOCAL_OPERATOR, project).annotation_ids == ()
    with store.transaction():
        set_disabled(store, cem, True)
    assert len(stuck_work(store, LOCAL_OPERATOR, project).annotation_ids) == 1


def test_a_free_text_that_everybody_saw_is_told_until_somebody_may_have_it(store: Store, make, person) -> None:
    project = make(2)
    ann, ben = person("ann", project), person("ben", project)
    work = annotate(store, ann, project, A)
    assert reviewed(store, ben, project) == "t1"
    annotate_work.withdraw(store, ann, work.assignment.id)
    assert stuck_work(store, LOCAL_OPERATOR, project).n_texts == 0
    take_role(store, LOCAL_OPERATOR, project.id, "ann", "annotator")
    stuck = stuck_work(store, LOCAL_OPERATOR, project)
    assert (stuck.n_texts, [row.key for row in stuck.texts]) == (1, ["t1"])
    person("cem", project, "annotator")
    assert stuck_work(store, LOCAL_OPERATOR, project).n_texts == 0


def test_too_few_people_who_may_annotate_are_counted(store: Store, make, person) -> None:
    project = make(1, annotators_per_instance=3)
    assert missing_annotators(store, LOCAL_OPERATOR, project) == 3
    lea = person("lea", project, "lead")
    assert missing_annotators(store, LOCAL_OPERATOR, project) == 2, "a lead alone annotates"
    person("ann", project)
    assert missing_annotators(store, LOCAL_OPERATOR, project) == 2
    annotate(store, lea, project, A)
    assert missing_annotators(store, LOCAL_OPERATOR, project) == 1, "who leads and annotates counts"
    with pytest.raises(NotAllowed):
        missing_annotators(store, person("rob", project, "reviewer"), project)
