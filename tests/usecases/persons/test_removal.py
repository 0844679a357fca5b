"""Somebody is anonymised or erased: nothing of them is left to the last byte, and what is left is in order."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, SOMEONE_ERASED, User
from annotator.domain.perturbations import ChangedText
from annotator.domain.project.evidence import Selection
from annotator.domain.project.recruitment import RecruitmentLink
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError, Conflict, InvalidValue, NotAllowed, NotFound, NotWritable
from annotator.store import Store, open_store
from annotator.store import people as people_store
from annotator.store.jobs import add_job
from annotator.store.measurements import last_event_id
from annotator.store.people import add_user, get_user, list_users
from annotator.store.persons.erasure import is_wiping_due
from annotator.store.perturb.audits import items_open_to
from annotator.usecases.access.accounts import disable_user
from annotator.usecases.annotate.work import next_work, save_draft, submit
from annotator.usecases.crowd.recruitment_links import find_code, links_of, mark_paid
from annotator.usecases.crowd.visits import Entry, come_in, leave, look_at_visit
from annotator.usecases.databases import find_project
from annotator.usecases.evidence.exhaustive_gold import take_back, take_over
from annotator.usecases.gold import gold_instances
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.inspect.stale_numbers import has_changed
from annotator.usecases.lead.bulk_actions import last_changes, undo
from annotator.usecases.lead.decisions import adjudicate
from annotator.usecases.lead.event_words import event_lines, event_words
from annotator.usecases.lead.timeline import timeline
from annotator.usecases.persons.erasure import (
    anonymise,
    anonymising_lines,
    erase,
    erasing_lines,
    plan_anonymising,
    plan_erasing,
)
from annotator.usecases.persons.removal import Removed, finish_removals
from annotator.usecases.perturb.checks import approve
from annotator.usecases.perturb.versions import hand_in
from annotator.usecases.project.exhaustive_passes import start_pass
from annotator.usecases.project.projects import events_of, instances_of, projects_of
from annotator.usecases.releases.export import export_release
from annotator.usecases.releases.frozen_gold import freeze_gold, frozen_gold, releases_of_project
from annotator.usecases.upkeep import check
from tests.usecases.crowd.crowd_work import do_texts, enter, open_recruitment_link
from tests.usecases.persons.conftest import MAIL, OTHERS, WANDA, WORD, bytes_of, gold_of_project, numbers_of, speak
from tests.usecases.review.test_reviews import annotate, score
from tests.usecases.test_whole_life import _goes_out_and_in_again as goes_out_and_in_again
from tests.usecases.test_whole_life import assert_finished


def metrics_of(store: Store) -> list[str]:
    """Every metric of every model, as it is computed now."""
    return [repr(evaluate_project(store, LOCAL_OPERATOR, project)) for project in projects_of(store, LOCAL_OPERATOR)]


def test_of_the_demonstration_no_byte_holds_the_name_and_no_number_changes(demonstration: Path, tmp_path: Path) -> None:
    shutil.copy(demonstration, tmp_path / "demo.db")
    with open_store(tmp_path / "demo.db") as demo:
        assert b"Annotator 2" in bytes_of(demo.path)
        disable_user(demo, LOCAL_OPERATOR, "Annotator 2")  # what they hold goes to others, which is all that changes
        before, measured = numbers_of(demo, {}), metrics_of(demo)
        removed = anonymise(demo, LOCAL_OPERATOR, "annotator 2")
        assert removed.is_wiped
        assert b"annotator 2" not in bytes_of(demo.path).lower()
        assert numbers_of(demo, {removed.called: "Annotator 2"}) == before
        assert metrics_of(demo) == measured
        assert (check(demo), demo.problems()) == ([], [])


def kept_of(store: Store, name: str) -> tuple[list[tuple[object, ...]], ...]:
    """What stays of somebody beside annotations and reviews: how they came out in training, verdicts, what they changed at once."""
    return tuple(
        [tuple(row) for row in store.rows(sql, (name,))]
        for sql in (
            """SELECT state, measures, answer ->> '$.draft.sets' FROM exercises JOIN users ON users.id = user_id
                WHERE name = ? ORDER BY exercises.id""",
            """SELECT audit_id, position, is_right, faults, texts FROM audit_items JOIN users ON users.id = auditor
                WHERE name = ? ORDER BY 1, 2""",
            "SELECT kind, n_instances, undone_by = made_by FROM bulk_actions WHERE made_by = ? ORDER BY id",
            "SELECT instance_id FROM named_people JOIN users ON users.id = user_id WHERE name = ? ORDER BY 1",
        )
    )


@pytest.mark.parametrize("seed", range(3))
def test_after_any_life_no_byte_is_left_of_name_and_words_and_the_numbers_are_the_same(
    store: Store, live, seed: int, tmp_path: Path
) -> None:
    life = live(seed)
    disable_user(store, LOCAL_OPERATOR, WANDA)  # what she holds goes to others, which is all that changes
    n_words = speak(store, WANDA)
    before, gold, kept = numbers_of(store, {}), gold_of_project(store, life.project), kept_of(store, WANDA)
    assert all(kept)
    assert plan_anonymising(store, LOCAL_OPERATOR, WANDA).held.words == n_words > 5
    removed = anonymise(store, LOCAL_OPERATOR, WANDA)
    assert WANDA.encode() not in bytes_of(store.path)
    assert WORD.encode() not in bytes_of(store.path)
    assert MAIL.encode() not in bytes_of(store.path)
    assert numbers_of(store, {removed.called: WANDA}) == before
    assert gold_of_project(store, life.project) == gold
    assert kept_of(store, removed.called) == kept
    assert store.rows("SELECT 1 FROM notices JOIN users ON users.id = user_id WHERE name = ?", (removed.called,)) == []
    assert store.rows("SELECT 1 FROM users WHERE name = ? AND language IS NOT NULL", (removed.called,)) == []
    assert store.rows("SELECT 1 FROM audit_items WHERE held_by IS NOT NULL") == []
    assert (check(store), store.problems()) == ([], [])
    goes_out_and_in_again(store, find_project(store, life.project.name), OTHERS, tmp_path)


# Somebody is erased with all that they made: nothing of it is left, and what is left is in order and can be finished.

NOBODY = 0  # no account has this number


@pytest.mark.parametrize("seed", range(4))
def test_after_any_life_nothing_is_left_and_the_others_can_finish_their_work(
    store: Store, live, seed: int, tmp_path: Path
) -> None:
    life = live(seed)
    speak(store, WANDA)
    with_verdicts = store.rows("SELECT audit_id, position FROM audit_items WHERE is_right IS NOT NULL")
    erase(store, LOCAL_OPERATOR, WANDA)
    assert not [word for word in (WANDA, WORD, MAIL) if word.encode() in bytes_of(store.path)]
    assert with_verdicts
    assert store.rows("SELECT 1 FROM audit_items WHERE is_right IS NOT NULL") == []
    assert items_open_to(store, life.project.id, NOBODY)  # and whoever comes next judges it
    assert_every_change_can_be_undone(store, life.project)
    assert (check(store), store.problems()) == ([], [])
    assert store.rows("SELECT 1 FROM users WHERE name LIKE 'wanda%'") == []
    life.project = find_project(store, life.project.name)
    life.people = life.reviewers = [user for user in life.people if user.name != WANDA]
    assert_the_record_reads(store, life.project)
    goes_out_and_in_again(store, life.project, OTHERS, tmp_path)
    for _ in range(40):
        life.step()
        assert check(store) == []
    life.finish()
    assert_finished(store, life)


def assert_every_change_can_be_undone(store: Store, project: Project) -> None:
    """And none of it names whoever is gone again."""
    for action in last_changes(store, LOCAL_OPERATOR, project):
        if action.undone_by is None:
            undo(store, LOCAL_OPERATOR, project, action.id)
            assert check(store) == []


def assert_the_record_reads(store: Store, project: Project) -> None:
    """For the lead, who may check changed versions too, in the list and beside each text; and of whoever was erased it says so."""
    lead = get_user(store, "Lea")
    events = events_of(store, lead, project.id, limit=10_000)
    assert all(event_words(event) and event_lines(event) is not None for event in events)
    assert (
        {SOMEONE_ERASED}
        <= {event.actor for event in events}
        <= {SOMEONE_ERASED, *OTHERS, "local operator", "gate", "somebody"}
    )
    for row in instances_of(store, lead, project.id):
        timeline(store, LOCAL_OPERATOR, project, row.id)


@pytest.fixture
def told(store: Store, make_project: Callable[..., Project], import_rows, add_person) -> Project:
    """Wanda and Zoe marked the first word of t, Wanda alone the third, and Wanda alone annotated u; one release."""
    made = make_project(gold_policy="all")
    add_person(WANDA, made, "annotator")
    facts = {"annotations": [{"annotator": WANDA, "age": 30}, {"annotator": "Zoe", "age": 40}]}
    row = {"id": "t", "text": "good and bad", "label": "positive", "metadata": facts}
    import_rows(
        made,
        [
            row | {"annotator": WANDA, "rationales": [[[0, 1]], [[2, 3]]]},
            row | {"annotator": "Zoe", "rationales": [[[0, 1]]]},
            {"id": "u", "text": "so so", "label": "negative", "annotator": WANDA, "rationales": [[[0, 2]]]},
        ],
    )
    freeze_gold(store, LOCAL_OPERATOR, made, "first", licence="CC0")
    return made


def test_before_it_is_done_it_is_counted_and_nothing_changes(store: Store, told: Project) -> None:
    before = list(store.connection.iterdump())
    plan = plan_erasing(store, LOCAL_OPERATOR, WANDA)
    assert (plan.held.annotations, plan.held.sets, plan.n_gold_lost) == (2, 3, 1)
    assert [*plan.releases.values()] == [2]
    assert any("2 rationale sets would leave release 1 “first”" in line for line in erasing_lines(plan))
    assert list(store.connection.iterdump()) == before


def test_gold_is_worked_out_anew_and_numbers_that_were_measured_are_stale(store: Store, told: Project) -> None:
    last = last_event_id(store, told.id)
    erase(store, LOCAL_OPERATOR, WANDA)
    assert gold_of_project(store, told) == '[["t", "positive", [[0]]]]'
    assert has_changed(store, told.id, last)
    assert [row["open_slots"] for row in store.rows("SELECT open_slots FROM instances ORDER BY id")] == [0, 1]


def test_the_release_says_how_many_sets_are_gone_and_leaves_out_what_would_read_as_gold_without_a_rationale(
    store: Store, told: Project, tmp_path: Path
) -> None:
    erase(store, LOCAL_OPERATOR, WANDA)
    [release] = releases_of_project(store, LOCAL_OPERATOR, told)
    assert release.n_erased == 2
    assert [(item.instance.key, len(item.sets)) for item in frozen_gold(store, release)] == [("t", 1)]
    export_release(store, LOCAL_OPERATOR, told, 1, "jsonl", tmp_path / "gold")
    card = (tmp_path / "gold" / "README.md").read_text(encoding="utf-8")
    assert "* Gold of 2 instances, 3 rationale sets, 2 annotators, when it was frozen." in card
    assert "| (none) | 1 | 1 | 0 |" in card
    assert "Wanda" not in str([item.instance.metadata for item in frozen_gold(store, release)])


def test_somebody_whom_only_a_file_names_is_erased_too(store: Store, told: Project) -> None:
    erase(store, LOCAL_OPERATOR, "zoe")
    assert b"Zoe" not in bytes_of(store.path)
    assert check(store) == []


def test_the_only_administrator_stays_and_nobody_else_may_ask(store: Store, told: Project) -> None:
    with store.transaction():
        boss = add_user(store, "Boss", is_administrator=True)
    before = list(store.connection.iterdump())
    for act in (erase, anonymise, plan_erasing, plan_anonymising):
        with pytest.raises(InvalidValue, match="'Boss' is the only administrator"):
            act(store, boss, "Boss")
        with pytest.raises(NotAllowed, match=r"Ask an administrator to do this\."):
            act(store, get_user(store, WANDA), "Zoe")
        with pytest.raises(NotFound, match=r"No person 'Xaver'\."):
            act(store, boss, "Xaver")
    assert list(store.connection.iterdump()) == before


@pytest.mark.parametrize("act", [erase, anonymise])
def test_of_two_administrators_who_remove_each_other_one_stays(store: Store, told: Project, act) -> None:
    with store.transaction():
        first, second = (add_user(store, name, is_administrator=True) for name in ("First", "Second"))
    act(store, first, "Second")
    with pytest.raises((NotAllowed, NotFound)):
        act(store, second, "First")
    assert get_user(store, "First").is_administrator


@pytest.mark.parametrize("act", [erase, anonymise])
def test_two_administrators_who_remove_each_other_at_the_same_moment_leave_one(
    store: Store, told: Project, act
) -> None:
    with store.transaction():
        pair = [add_user(store, name, is_administrator=True) for name in ("First", "Second")]

    def remove(actor: User, other: User) -> str:
        with open_store(store.path) as own_store:
            try:
                act(own_store, actor, other.name)
            except (NotAllowed, NotFound, InvalidValue):
                return "refused"
        return "done"

    with ThreadPoolExecutor(2) as threads:
        outcomes = threads.map(remove, pair, reversed(pair))
        assert sorted(outcomes) == ["done", "refused"]
    assert [user.is_administrator for user in list_users(store) if user.name in {"First", "Second"}] == [True]


@pytest.mark.parametrize("act", [erase, anonymise])
def test_whoever_has_a_page_open_and_holds_work_can_do_nothing_more(
    store: Store, project: Project, add_person, act
) -> None:
    wanda = add_person(WANDA, project, "annotator")
    work = next_work(store, wanda, project.id).work
    with store.transaction():
        people_store.add_session(store, b"t" * 32, wanda, "csrf", "2999-01-01T00:00:00.000Z")
    act(store, LOCAL_OPERATOR, WANDA)
    assert people_store.find_session(store, b"t" * 32) is None
    draft = Draft(None, (RationaleSet.of((0, 1)),), note="too late")
    for late in (
        lambda: save_draft(store, wanda, work.assignment.id, 0, draft),
        lambda: submit(store, wanda, work.assignment.id, 0, draft),
        lambda: next_work(store, wanda, project.id),
    ):
        with pytest.raises(AnnotatorError):
            late()
    assert b"too late" not in bytes_of(store.path)
    assert check(store) == []
    assert next_work(store, add_person("Next", project, "annotator"), project.id).work.instance.id == work.instance.id


@pytest.mark.parametrize("act", [erase, anonymise])
def test_a_process_that_is_killed_before_the_file_is_written_anew_leaves_it_to_the_next_start(
    store: Store, told: Project, act, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "rewrite", killed)
    with pytest.raises(KeyboardInterrupt):
        act(store, LOCAL_OPERATOR, WANDA)
    monkeypatch.undo()
    assert WANDA.encode() in bytes_of(store.path)
    assert any("was not written anew since" in sentence for sentence in check(store))
    assert finish_removals(store)
    assert WANDA.encode() not in bytes_of(store.path)
    assert check(store) == []


def test_while_somebody_reads_the_log_it_is_left_for_later(store: Store, told: Project, monkeypatch) -> None:
    checkpoint = Store.checkpoint
    monkeypatch.setattr(Store, "checkpoint", lambda of: checkpoint(of, 50))
    with open_store(store.path) as reader, reader.snapshot():
        reader.rows("SELECT * FROM users")
        assert not erase(store, LOCAL_OPERATOR, WANDA).is_wiped
        assert is_wiping_due(store)
    assert finish_removals(store)
    assert WANDA.encode() not in bytes_of(store.path)


@pytest.mark.parametrize("act", [erase, anonymise])
def test_long_work_that_somebody_asked_for_ends_first_and_never_runs_with_more_rights(
    store: Store, told: Project, act
) -> None:
    wanda = get_user(store, WANDA)
    with store.transaction():
        first = add_job(store, told.id, "measure", "Measuring", "{}", wanda)
        add_job(store, told.id, "measure", "Measuring", "{}", wanda)
        store.run("UPDATE jobs SET state = 'running', worker = 1, beat_at = asked_at WHERE id = ?", (first.id,))
    with pytest.raises(Conflict, match=r"'Measuring' by 'Wanda Quixote' is running\. Wait, or stop it\."):
        act(store, LOCAL_OPERATOR, WANDA)
    assert get_user(store, WANDA) == wanda
    with store.transaction():
        store.run(
            "UPDATE jobs SET state = 'done', worker = NULL, beat_at = NULL, ended_at = asked_at WHERE id = ?",
            (first.id,),
        )
    act(store, LOCAL_OPERATOR, WANDA)
    assert store.rows("SELECT 1 FROM jobs WHERE state = 'waiting' OR asked_by IS NULL") == []


def test_who_alone_leads_a_project_is_said_before(store: Store, told: Project, add_person) -> None:
    add_person("Lea", told, "lead")
    for lines in (
        erasing_lines(plan_erasing(store, LOCAL_OPERATOR, "Lea")),
        anonymising_lines(plan_anonymising(store, LOCAL_OPERATOR, "Lea")),
    ):
        assert any("'Project' would have no lead. Appoint one first." in line for line in lines)


def test_a_full_disk_leaves_the_file_for_later_and_what_was_done_stays_done(
    store: Store, told: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> bool:
        raise NotWritable("There is no space left on the disk.")

    monkeypatch.setattr(Store, "rewrite", full)
    assert not erase(store, LOCAL_OPERATOR, WANDA).is_wiped
    monkeypatch.undo()
    assert store.rows("SELECT 1 FROM users WHERE name = ?", (WANDA,)) == []
    assert is_wiping_due(store)
    assert finish_removals(store)


def test_a_changed_version_goes_with_what_others_marked_there_and_its_key_stays_in_the_release(
    store: Store, make_project: Callable[..., Project], import_rows, add_person, tmp_path: Path
) -> None:
    project = make_project(checkers_per_perturbation=1, gold_policy="all")
    import_rows(
        project,
        [
            {
                "id": "a",
                "split": "test",
                "text": "It was good.",
                "label": "positive",
                "annotator": "Zoe",
                "rationales": [[[2, 3]]],
            }
        ],
    )
    wanda, bo = (add_person(name, project, "annotator") for name in (WANDA, "Bo"))
    [original] = [row.id for row in instances_of(store, LOCAL_OPERATOR, project.id)]
    changed = ChangedText("contrast", {"text": "It was zebrafinch bad."}, "negative", "one word")
    written = hand_in(store, wanda, original, changed)
    approve(store, bo, written.id, 1)
    work = next_work(store, bo, project.id).work
    submit(store, bo, work.assignment.id, 0, Draft(None, (RationaleSet.of((2, 4)),)))
    freeze_gold(store, LOCAL_OPERATOR, project, "both", licence="CC0")
    plan = plan_erasing(store, LOCAL_OPERATOR, WANDA)
    assert (plan.held.versions, plan.n_instances, plan.n_of_others, [*plan.releases.values()]) == (1, 1, 1, [1])
    erase(store, LOCAL_OPERATOR, WANDA)
    assert [row.key for row in instances_of(store, LOCAL_OPERATOR, project.id)] == ["a"]
    assert b"zebrafinch" not in bytes_of(store.path)
    assert (check(store), store.problems()) == ([], [])
    [release] = releases_of_project(store, LOCAL_OPERATOR, project)
    assert [item.instance.key for item in frozen_gold(store, release)] == ["a"]
    assert (release.n_erased, release.gold.n_instances) == (1, 2)
    for format_name in ("jsonl", "eraser", "csv", "parquet"):
        export_release(store, LOCAL_OPERATOR, project, 1, format_name, tmp_path / format_name)
    goes_out_and_in_again(store, project, {"Bo": ("annotator",)}, tmp_path)


def test_a_score_goes_and_what_was_decided_with_it_stays(
    store: Store, make_project: Callable[..., Project], import_rows, add_person
) -> None:
    project = make_project(reviewers_per_annotation=2)
    import_rows(project, [{"id": key, "text": "It was good.", "label": "positive"} for key in "ab"])
    ann = add_person("Ann", project, "annotator")
    wanda, bo = (add_person(name, project, "reviewer") for name in (WANDA, "Bo"))
    for _ in range(2):
        annotate(store, ann, project, RationaleSet.of((2, 3)))
    for reviewer in (wanda, bo, wanda):
        score(store, reviewer, project)
    lost = "3 reviews of these by others would be deleted too."
    unpaid = "Payment tables lose all this work: pay for it, or download them, first."
    assert {lost, unpaid} <= set(erasing_lines(plan_erasing(store, LOCAL_OPERATOR, "Ann")))
    idle = add_person("Ida", project, "annotator")
    assert unpaid not in erasing_lines(plan_erasing(store, LOCAL_OPERATOR, idle.name))
    erase(store, LOCAL_OPERATOR, WANDA)
    assert [row[0] for row in store.rows("SELECT state FROM annotations ORDER BY id")] == ["accepted", "submitted"]
    assert [row[0] for row in store.rows("SELECT open_slots FROM rounds ORDER BY annotation_id")] == [
        0,
        1,
    ]  # Bo has one in hand
    assert check(store) == []


# Somebody had a part in a second pass: their name and words go from what it remembers, and gold is as it was before them.

OF_THE_LEAD, OF_THE_FILE = [(2,)], [(0,)]


@pytest.fixture
def passed(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> tuple[Project, Project]:
    """Wanda chose the gold of a text, Ann and Bo marked more in a second pass, and that is its gold now."""
    first = make_project(gold_policy="all", annotators_per_instance=2)
    import_rows(first, [{"id": "t", "text": "good and bad", "label": "positive", "rationales": [[[0, 1]]]}])
    wanda, ann = add_person(WANDA, first, "lead"), add_person("Ann", first, "annotator")
    bo = add_person("Bo", first, "annotator")
    [original] = [row.id for row in instances_of(store, LOCAL_OPERATOR, first.id)]
    adjudicate(store, wanda, first, original, "positive", (RationaleSet.of((2, 3)),), WORD)
    second = start_pass(store, LOCAL_OPERATOR, first.id, "More", Selection(""))
    for person, span in ((ann, (0, 1)), (bo, (1, 2))):
        work = next_work(store, person, second.id).work
        assert work is not None
        sets = (RationaleSet.of(span), RationaleSet.of((2, 3)))
        submit(store, person, work.assignment.id, work.assignment.revision, Draft("positive", sets))
    assert take_over(store, LOCAL_OPERATOR, second.id) == 1
    assert store.value("SELECT count(*) FROM annotations WHERE annotator = 'Ann, Bo'") == 1
    return first, second


def chosen(store: Store, project: Project) -> list[tuple[int, ...]]:
    """The tokens of the gold sets of the text, as the lead chose."""
    [item] = gold_instances(store, project, "chosen")
    return [tuple(gold_set.token_indices) for gold_set in item.sets]


@pytest.mark.parametrize(("act", "left"), [(anonymise, OF_THE_LEAD), (erase, OF_THE_FILE)])
def test_what_a_pass_remembers_of_the_lead_who_chose_before_names_them_no_more(
    store: Store, passed: tuple[Project, Project], act: Callable[..., Removed], left: list[tuple[int, ...]]
) -> None:  # fmt: skip
    first, second = passed
    act(store, LOCAL_OPERATOR, WANDA)
    assert not [word for word in (WANDA, WORD) if word.encode() in bytes_of(store.path)]
    assert take_back(store, LOCAL_OPERATOR, second.id) == 1
    assert chosen(store, first) == left
    assert check(store) == []


@pytest.mark.parametrize("act", [anonymise, erase])
def test_of_several_people_behind_gold_only_the_one_who_went_is_called_otherwise(
    store: Store, passed: tuple[Project, Project], act: Callable[..., Removed]
) -> None:
    before = chosen(store, passed[0])
    called = act(store, LOCAL_OPERATOR, "Ann").called
    assert b"Ann" not in bytes_of(store.path).replace(b"Annot", b"")
    assert store.value("SELECT count(*) FROM annotations WHERE annotator = ?", (f"{called}, Bo",)) == 1
    assert chosen(store, passed[0]) == before
    assert check(store) == []


def test_gold_that_came_of_one_person_alone_goes_with_them_and_what_the_lead_chose_before_stands_again(
    store: Store, passed: tuple[Project, Project]
) -> None:
    with store.transaction():
        ann = get_user(store, "Ann")
        store.run("UPDATE annotations SET annotator = 'Ann', user_id = ? WHERE annotator = 'Ann, Bo'", (ann.id,))
    erase(store, LOCAL_OPERATOR, "Ann")
    assert chosen(store, passed[0]) == OF_THE_LEAD
    assert store.rows("SELECT 1 FROM evidence_copies WHERE taken IS NOT NULL") == []
    assert check(store) == []


# A worker of a recruitment link is taken out: by their code they can be paid all the same, or they were paid before.


@pytest.fixture
def crowd(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project()
    import_rows(made, [{"id": key, "text": "It was good.", "label": "positive"} for key in "abcdef"])
    return made


@pytest.fixture
def link(store: Store, crowd: Project) -> RecruitmentLink:
    return open_recruitment_link(store, crowd)


@pytest.fixture
def finished(store: Store, crowd: Project, link: RecruitmentLink) -> tuple[Entry, User, str]:
    """A worker who did both texts, with their code."""
    entry, worker = enter(store, link)
    do_texts(store, worker, crowd, 2)
    assert entry.token is not None
    code = look_at_visit(store, entry.token).code
    assert code is not None
    return entry, worker, code


def test_whoever_is_anonymised_can_still_be_paid_and_is_not_known_again(
    store: Store, crowd: Project, link: RecruitmentLink, finished: tuple[Entry, User, str]
) -> None:
    _, worker, code = finished
    [hashes] = store.rows("SELECT platform_hash, visit_hash FROM crowd_workers")
    removed = anonymise(store, LOCAL_OPERATOR, worker.name)
    content = store.path.read_bytes()
    assert not [name for name in (worker.name.encode(), *hashes) if name in content]
    payment = find_code(store, LOCAL_OPERATOR, crowd.id, code)
    assert (payment.worker.name, payment.worker.done) == (removed.called, 2)
    assert mark_paid(store, LOCAL_OPERATOR, crowd.id, code).worker.paid_at is not None
    assert come_in(store, link.token, "5f1a").visit.done == 0  # another worker, for all that is known
    assert check(store) == []


def test_nobody_is_erased_before_they_are_paid_and_then_all_of_it_goes(
    store: Store, crowd: Project, finished: tuple[Entry, User, str]
) -> None:
    _, worker, code = finished
    with pytest.raises(
        Conflict, match=rf"'{worker.name}' did 2 texts via “Pilot”; their unpaid code would be lost\. Mark it as paid"
    ):
        erase(store, LOCAL_OPERATOR, worker.name)
    assert find_code(store, LOCAL_OPERATOR, crowd.id, code).worker.done == 2
    mark_paid(store, LOCAL_OPERATOR, crowd.id, code)
    erase(store, LOCAL_OPERATOR, worker.name)
    assert store.rows("SELECT 1 FROM crowd_workers") == []
    assert code.encode() not in store.path.read_bytes()
    assert links_of(store, LOCAL_OPERATOR, crowd.id)[0].came == 0
    assert check(store) == []


@pytest.mark.parametrize("act", [anonymise, erase])
def test_a_visit_ends_with_its_worker_and_what_they_hold_goes_to_others(
    store: Store, crowd: Project, link: RecruitmentLink, act: Callable[..., object]
) -> None:
    _, worker = enter(store, link)
    act(store, LOCAL_OPERATOR, worker.name)
    assert links_of(store, LOCAL_OPERATOR, crowd.id)[0].working == 0
    assert store.rows("SELECT 1 FROM sessions") == []
    assert check(store) == []
    entry, other = enter(store, link, "other")
    do_texts(store, other, crowd, 2)
    assert entry.token is not None
    assert leave(store, entry.token).code is not None
