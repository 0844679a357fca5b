"""What goes wrong around training: gold that changes, texts that go, labels that are replaced, files that are damaged."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.instances import Draft, Timing
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.qualification import QualificationRules
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, ImportRefused, InvalidValue, NotAllowed, NotFound
from annotator.store import Store
from annotator.store.annotate.visibility import note_shown
from annotator.store.instances import discard, find_instance_ids
from annotator.store.qualification.exercises import attempts_of, exercises_of_attempt
from annotator.store.qualification.rules import newest_rules
from annotator.usecases.access import independence
from annotator.usecases.lead.decisions import adjudicate
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.project.exhaustive_passes import copy_project
from annotator.usecases.project.labels import replace_label
from annotator.usecases.project.projects import change_project, events_of
from annotator.usecases.qualification.attempts import answered_text, begin, end_feedback, training_of
from annotator.usecases.qualification.items import accept_gold, instances_of_keys, items_of, pick, set_rules, take_out
from annotator.usecases.qualification.panel import next_text, save_draft, submit
from annotator.usecases.qualification.people import allow, trained_people
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.upkeep import check
from tests.usecases.qualification.conftest import GOLD, hold, pick_keys

OTHER = (RationaleSet.of((2, 3)),)


def number_of(store: Store, project: Project, key: str) -> int:
    return find_instance_ids(store, project.id, key)[0]


def change_gold(store: Store, lead: User, project: Project, instance_id: int) -> None:
    adjudicate(store, lead, project, instance_id, "negative", OTHER, "better so")


def states(store: Store, lead: User, project: Project) -> dict[str, str]:
    return {shown.row.key: shown.gold for shown in items_of(store, lead, project, "annotators")}


def begun_text(store: Store, user: User, project: Project) -> tuple[int, int]:
    """The number of the text before somebody, and of its instance."""
    work = next_text(store, user, project.id).work
    assert work is not None
    return work.assignment, work.instance.id


@pytest.mark.usefixtures("training")
def test_changed_gold_is_named_and_old_answers_keep_the_gold_that_they_were_measured_against(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    begin(store, annotator, project, "annotators")
    first, instance_id = begun_text(store, annotator, project)
    submit(store, annotator, first, 0, GOLD)
    change_gold(store, lead, project, instance_id)
    [changed] = [key for key, state in states(store, lead, project).items() if state == "changed"]
    assert number_of(store, project, changed) == instance_id
    answered = answered_text(store, annotator, project, "annotators")
    assert answered is not None
    assert (answered.known.sets, answered.measures.f1) == (GOLD.sets, 1)
    end_feedback(store, annotator, first)
    second, other_id = begun_text(store, annotator, project)
    change_gold(store, lead, project, other_id)
    submit(store, annotator, second, 0, Draft(sets=OTHER))
    answered = answered_text(store, annotator, project, "annotators")
    assert answered is not None
    assert (answered.known.sets, answered.measures.f1) == (OTHER, 1)
    [item] = [shown for shown in items_of(store, lead, project, "annotators") if shown.row.key == changed]
    accept_gold(store, lead, project, item.item.id)
    assert states(store, lead, project)[changed] == "as picked"


@pytest.mark.usefixtures("training")
def test_a_text_without_gold_is_passed_over_before_and_while_somebody_is_at_it(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    begin(store, annotator, project, "annotators")
    first, instance_id = begun_text(store, annotator, project)
    save_draft(store, annotator, first, 0, GOLD, Timing())
    discard(store, instance_id)
    submit(store, annotator, first, 1, GOLD)
    assert answered_text(store, annotator, project, "annotators") is None
    second, other_id = begun_text(store, annotator, project)
    assert other_id != instance_id
    assert "no gold" in states(store, lead, project).values()
    submit(store, annotator, second, 0, GOLD)
    end_feedback(store, annotator, second)
    [attempt] = attempts_of(store, project.id, "annotators", annotator.id or 0)
    assert attempt.state == "passed"
    assert [text.state for text in exercises_of_attempt(store, attempt.id)] == ["passed over", "done"]
    assert exercises_of_attempt(store, attempt.id)[0].draft.sets == GOLD.sets  # nothing is lost


@pytest.mark.usefixtures("training")
def test_a_try_of_which_no_text_is_left_counts_for_nothing(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    begin(store, annotator, project, "annotators")
    for shown in items_of(store, lead, project, "annotators"):
        take_out(store, lead, project, shown.item.id)
    assert next_text(store, annotator, project.id).work is None
    training = training_of(store, annotator, project, "annotators")
    assert (training.stage, training.tries_left) == ("no texts", 2)
    assert training.attempt is not None
    assert training.attempt.state == "ended"
    with pytest.raises(Conflict, match=r"No training texts left\. Tell the lead\."):
        begin(store, annotator, project, "annotators")


@pytest.mark.usefixtures("training")
def test_two_tabs_begin_one_try(store: Store, project: Project, annotator: User) -> None:
    begin(store, annotator, project, "annotators")
    begin(store, annotator, project, "annotators")
    assert len(attempts_of(store, project.id, "annotators", annotator.id or 0)) == 1


@pytest.mark.usefixtures("training")
def test_nobody_is_trained_on_a_text_that_they_hold_or_whose_gold_they_saw(
    store: Store, project: Project, add_person: Callable[..., User]
) -> None:
    both = add_person("both", project, "annotator", "researcher")
    note_shown(store, number_of(store, project, "g1"), both.id or 0)
    begin(store, both, project, "annotators")
    [attempt] = attempts_of(store, project.id, "annotators", both.id or 0)
    exercise, instance_id = begun_text(store, both, project)
    assert instance_id != number_of(store, project, "g1")
    gold = independence.GoldFor(store, both, project.id)
    assert instance_id in gold.closed  # an export leaves its gold out while it is before them
    submit(store, both, exercise, 0, GOLD)
    assert instance_id not in independence.GoldFor(store, both, project.id).closed
    assert attempt.state == "open"


@pytest.mark.usefixtures("training")
def test_a_replaced_label_reaches_the_gold_of_items_and_what_is_being_marked(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    begin(store, annotator, project, "annotators")
    exercise, _ = begun_text(store, annotator, project)
    save_draft(store, annotator, exercise, 0, Draft("negative", GOLD.sets), Timing())
    wider = change_project(store, lead, replace(project, labels=(*project.labels, "neutral")))
    replace_label(store, lead, wider, "negative", "neutral")
    assert set(states(store, lead, project).values()) == {"as picked"}
    work = next_text(store, annotator, project.id).work
    assert work is not None
    assert (work.draft.result, work.revision) == ("neutral", 2)


def test_what_cannot_be_is_refused_with_its_remedy(
    store: Store, project: Project, lead: User, annotator: User, rules: Callable[..., int]
) -> None:
    with pytest.raises(InvalidValue, match=r"No training texts\. Pick some with gold first\."):
        rules()
    with pytest.raises(InvalidValue, match=r"No texts for blind checks\. Pick some with gold, or use 0\."):
        rules(is_on=False, check_every=5)
    with pytest.raises(InvalidValue, match=r"check_every can't be 1\. Use 2 or more, or 0 for none\."):
        QualificationRules(check_every=1)
    with pytest.raises(InvalidValue, match="tries is 0; use 1 to"):
        QualificationRules(tries=0)
    waiting = number_of(store, project, "w1")
    assert pick(store, lead, project, "annotators", [waiting]).left_out == ("“w1” has no gold.",)
    with pytest.raises(InvalidValue, match=r"Only reviewers' texts can have worsened sets\."):
        pick(store, lead, project, "annotators", [waiting], ["token missing"])
    with pytest.raises(NotAllowed):
        set_rules(store, annotator, project.id, "annotators", QualificationRules(), based_on=0)
    with pytest.raises(NotFound, match="'nemo' doesn't have this role in '"):
        allow(store, lead, project, "annotators", "nemo", "let through")


@pytest.mark.usefixtures("training")
def test_a_lead_gives_another_try_only_where_none_is_left_and_lets_through_once(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    with pytest.raises(Conflict, match=r"has an attempt left\."):
        allow(store, lead, project, "annotators", annotator.name, "another try")
    allow(store, lead, project, "annotators", annotator.name, "let through")
    with pytest.raises(Conflict, match="can already work:"):
        allow(store, lead, project, "annotators", annotator.name, "let through")
    assert [(p.user.name, p.state, p.let_by) for p in trained_people(store, lead, project, "annotators")] == [
        (annotator.name, "let through", "lea")
    ]
    assert hold(store, annotator, project).instance.key == "w1"
    words = [event_words(event) for event in events_of(store, lead, project.id)]
    assert f"exempted {annotator.name} from training for annotators" in words
    assert "changed training for annotators: is on yes, texts 2" in words
    assert "picked 4 texts for annotator training" in words


@pytest.mark.usefixtures("training")
def test_a_copied_project_has_the_rules_switched_off(store: Store, project: Project, lead: User) -> None:
    copied = copy_project(store, LOCAL_OPERATOR, project.id, "Copy")
    stored = newest_rules(store, copied.id, "annotators")
    assert (stored.number, stored.rules.is_on, stored.rules.texts) == (1, False, 2)
    assert not items_of(store, LOCAL_OPERATOR, copied, "annotators")
    change_project(store, LOCAL_OPERATOR, copied)


@pytest.mark.usefixtures("training")
def test_the_check_of_the_database_finds_what_training_must_not_have(
    store: Store, project: Project, annotator: User
) -> None:
    begin(store, annotator, project, "annotators")
    exercise, instance_id = begun_text(store, annotator, project)
    submit(store, annotator, exercise, 0, GOLD)
    assert not check(store)
    with store.transaction():
        store.run("DELETE FROM sets_shown WHERE instance_id = ?", (instance_id,))
        store.run("UPDATE exercises SET attempt_id = attempt_id, instance_id = ?", (number_of(store, project, "w1"),))
    problems = "\n".join(check(store))
    assert "is not the one that its item says" in problems
    assert "showed them the gold of instance 'w1', but they may be given it to annotate" in problems
    with store.transaction():
        store.run("UPDATE exercises SET attempt_id = NULL, id = (SELECT max(id) FROM assignments)")
    assert "which a piece of work has too" in "\n".join(check(store))


# Training in our own JSONL: the rules, the texts and who may work come along; the answers stay.


def export_to(store: Store, actor: User, project: Project, path: Path) -> list[dict[str, Any]]:
    export_file(store, actor, project, "jsonl", path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def training_records(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if line.get("record") == "qualification"]


@pytest.mark.usefixtures("training")
def test_rules_texts_and_who_may_work_come_back(
    store: Store, project: Project, lead: User, annotator: User, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    allow(store, lead, project, "annotators", annotator.name, "let through")
    pick_keys(store, lead, project, "checks", "g4")
    pick(store, lead, project, "reviewers", instances_of_keys(store, project, ["g1"]), ["token missing"], seed=4)
    export_to(store, lead, project, tmp_path / "all.jsonl")
    copy = make_project(name="Copy")
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl", ImportOptions())
    before, after = (newest_rules(store, number, "annotators").rules for number in (project.id, copy.id))
    assert before == after
    for purpose in ("annotators", "reviewers", "checks"):
        mine, theirs = (
            [(s.row.key, s.item.known, s.item.spoiling, s.item.seed, s.gold) for s in items_of(store, LOCAL_OPERATOR, p, purpose)]
            for p in (project, copy)
        )  # fmt: skip
        assert mine == theirs
    states = {p.user.name: p.state for p in trained_people(store, LOCAL_OPERATOR, copy, "annotators")}
    assert states[annotator.name] == "let through"


def test_a_project_without_training_writes_nothing_of_it(
    store: Store, project: Project, lead: User, tmp_path: Path
) -> None:
    assert not training_records(export_to(store, lead, project, tmp_path / "all.jsonl"))


@pytest.mark.usefixtures("training")
def test_an_annotator_who_may_export_does_not_learn_which_texts_are_checks(
    store: Store, project: Project, lead: User, add_person: Callable[..., User], tmp_path: Path
) -> None:
    both = add_person("both", project, "annotator", "researcher")
    assert training_records(export_to(store, lead, project, tmp_path / "lead.jsonl"))
    with pytest.raises(NotAllowed):
        export_to(store, both, project, tmp_path / "both.jsonl")


@pytest.mark.usefixtures("training")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": {"annotators": {"texts": 0}}}, "texts is 0; use 1 to"),
        ({"rules": {"annotators": {"least": 3}}}, "there is no rule 'least'"),
        ({"members": []}, "members and items must be as many"),
        ({"members": [["nowhere", ""]] * 4}, "unknown instance"),
    ],
)
def test_a_record_that_cannot_be_is_refused_with_its_line(
    store: Store, project: Project, lead: User, make_project: Callable[..., Project], tmp_path: Path,
    change: dict[str, Any], message: str,
) -> None:  # fmt: skip
    path = tmp_path / "all.jsonl"
    lines = export_to(store, lead, project, path)
    changed = [line | change if line.get("record") == "qualification" else line for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in changed), encoding="utf-8")
    with pytest.raises(ImportRefused) as refusal:
        import_file(store, LOCAL_OPERATOR, make_project(name="Copy"), "jsonl", path, ImportOptions())
    assert message in " ".join(problem.reason for problem in refusal.value.problems)
