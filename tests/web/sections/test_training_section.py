"""Training on the pages: the lead's section, and what stands on Annotate in the place of work."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, Role, User
from annotator.domain.project.qualification import QualificationRules
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.files import resource_folder
from annotator.store import Store
from annotator.store.annotate.visibility import note_shown
from annotator.store.instances import find_instance_ids
from annotator.store.projects import get_project_by_id
from annotator.usecases.access import accounts
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.project.exhaustive_passes import copy_project
from annotator.usecases.project.guidelines import acknowledge, change_guidelines
from annotator.usecases.qualification.attempts import begin
from annotator.usecases.qualification.items import set_rules, training_rules
from annotator.usecases.qualification.panel import next_text, submit
from annotator.web import session
from annotator.web.frame import CONFIRMED
from annotator.web.session import Visit

PAGES = resource_folder("pages")
GOLD, POOR = Draft(sets=(RationaleSet.of((0, 2)),)), Draft(sets=(RationaleSet.of((1, 2), (3, 5)),))

Come = Callable[[str, Role], AppTest]


@pytest.fixture
def come(store: Store, database: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> Come:
    """Somebody opens Annotate, or as a lead the section Training; two texts of the project have gold."""
    gone = accounts.add_user(store, LOCAL_OPERATOR, "gone", "annotator", project.name).user
    for _ in range(2):
        work = annotate_work.next_work(store, gone, project.id).work
        assert work is not None
        annotate_work.submit(store, gone, work.assignment.id, work.assignment.revision, GOLD)
    accounts.disable_user(store, LOCAL_OPERATOR, gone.name)
    monkeypatch.setenv("ANNOTATOR_DB", str(database))

    tokens: list[str] = []
    monkeypatch.setattr(session, "cookie_token", lambda: tokens[-1])

    def run(name: str, role: Role) -> AppTest:
        user = accounts.add_user(store, LOCAL_OPERATOR, name, role, project.name).user
        tokens.append(accounts.sign_in_as(store, name, is_demonstration=True))
        page = "project.py" if role == "lead" else "annotate.py"
        app = AppTest.from_file(str(PAGES / page), default_timeout=30)
        app.session_state["visit"] = Visit(user, "", project, frozenset({role}))
        app.session_state["project_section"] = "Training"
        return app.run()

    return run


def plain(markdown: str) -> str:
    """What is read of text that was written into Markdown."""
    return markdown.replace("\\", "")


def pick_both(page: AppTest, store: Store, project: Project) -> None:
    numbers = [find_instance_ids(store, project.id, key)[0] for key in ("t1", "t2")]
    page.multiselect(key="training_texts_annotators").set_value(numbers)
    page.button(key="training_pick_annotators").click().run()


def switch_on(page: AppTest, project: Project) -> None:
    page.checkbox(key=f"training_is_on_annotators_{project.id}_0").set_value(True)
    page.button(key="training_save_annotators").click().run()


def answer(store: Store, user: User, project: Project, draft: Draft) -> None:
    work = next_text(store, user, project.id).work
    assert work is not None
    submit(store, user, work.assignment, work.revision, draft)


def test_a_lead_without_any_gold_reads_how_to_make_some_and_gets_no_empty_list(
    come: Come, store: Store, project: Project
) -> None:
    page = come("otto", "lead")
    clone = copy_project(store, LOCAL_OPERATOR, project.id, "Empty", has_people=True)
    assert any(element.key == "training_texts_annotators" for element in page.multiselect)
    page.session_state["visit"] = replace(page.session_state["visit"], project=clone)
    page.run()
    assert any(
        "To make gold, open a text under *Texts* and mark it below “Your own version”." in element.value
        for element in page.caption
    )
    assert not any(element.key == "training_texts_annotators" for element in page.multiselect)


def test_a_lead_picks_texts_and_switches_training_on(store: Store, project: Project, come: Come) -> None:
    page = come("lea", "lead")
    assert not page.exception
    switch_on(page, project)
    assert "Pick some with gold first\\." in page.error[0].value
    pick_both(page, store, project)
    assert plain(page.session_state[CONFIRMED]["words"]) == "Picked 2 texts."
    switch_on(page, project)
    assert not page.error
    assert training_rules(store, LOCAL_OPERATOR, project.id, "annotators").rules.is_on


def test_an_annotator_sees_the_text_then_their_sets_beside_the_gold_then_the_result(
    store: Store, project: Project, come: Come
) -> None:
    page = come("lea", "lead")
    pick_both(page, store, project)
    switch_on(page, project)
    page = come("ann", "annotator")
    assert "2 training texts" in page.markdown[0].value
    assert "You have 2 attempts left." in page.caption[0].value
    page.button(key="training_begin_annotators").click().run()
    assert not page.exception
    assert "Training: text 1 of 2" in page.markdown[0].value
    ann = page.session_state["visit"].user
    for last in (False, True):
        answer(store, ann, project, POOR)
        page.run()
        assert not page.exception
        lines = plain(page.markdown[-1].value)
        assert "Set A matches gold set A best: token F1 0.400." in lines
        assert "Missing from set A: “" in lines
        assert ("You didn't pass this time." in "".join(element.value for element in page.warning)) is last
        [button] = [button for button in page.button if str(button.key).startswith("training_next_")]
        button.click().run()
    assert "You didn't pass. Try again; the texts are reordered." in page.warning[0].value
    assert "You have 1 attempt left." in page.caption[0].value


def test_the_lead_reads_what_was_answered_and_lets_people_through(store: Store, project: Project, come: Come) -> None:
    page = come("lea", "lead")
    pick_both(page, store, project)
    switch_on(page, project)
    ann = accounts.add_user(store, LOCAL_OPERATOR, "ann", "annotator", project.name).user
    begin(store, ann, project, "annotators")
    answer(store, ann, project, POOR)
    page.run()
    assert not page.exception
    assert any("Set A matches gold set A best" in plain(caption.value) for caption in page.caption)
    page.button(key="training_through_annotators").click().run()
    assert plain(page.error[0].value) == "Choose a person."
    page.multiselect(key="training_who_annotators").set_value(["ann"])
    page.button(key="training_through_annotators").click().run()
    assert plain(page.session_state[CONFIRMED]["words"]) == "Can now get work: ann."
    assert annotate_work.next_work(store, ann, project.id).work is not None


def test_switching_training_on_names_who_goes_on_first_and_that_its_texts_count(
    store: Store, project: Project, come: Come
) -> None:
    ann = accounts.add_user(store, LOCAL_OPERATOR, "ann", "annotator", project.name).user
    assert annotate_work.next_work(store, ann, project.id).work is not None
    page = come("lea", "lead")
    assert not any("count in gold, exports and releases" in caption.value for caption in page.caption)
    pick_both(page, store, project)
    assert any("2 complete texts count in gold, exports and releases." in plain(one.value) for one in page.caption)
    switch_on(page, project)
    assert plain(page.session_state[CONFIRMED]["words"]).startswith("Saved. Attempts in progress keep the old rules.")
    assert any(
        "reservations of people who haven't passed come before training: ann (2)." in plain(one.value)
        for one in page.info
    )


def test_a_second_try_that_shows_seen_gold_is_told_with_how_many_texts_would_do(
    store: Store, project: Project, come: Come
) -> None:
    page = come("lea", "lead")
    pick_both(page, store, project)
    assert any("Attempt 2 repeats 2 of 2 texts. Choose 10 for 2 attempts of 5." in one.value for one in page.warning)
    page.number_input(key=f"training_texts_annotators_{project.id}_0").set_value(1)
    page.button(key="training_save_annotators").click().run()
    assert not any("Attempt 2 repeats" in one.value for one in page.warning)


def test_the_lead_reads_for_whom_there_are_checks_left_and_for_whom_there_are_none(
    store: Store, project: Project, come: Come
) -> None:
    accounts.add_user(store, LOCAL_OPERATOR, "ann", "annotator", project.name)
    bo = accounts.add_user(store, LOCAL_OPERATOR, "bo", "annotator", project.name).user
    page = come("lea", "lead")
    numbers = [find_instance_ids(store, project.id, key)[0] for key in ("t1", "t2")]
    page.segmented_control(key="training_part").set_value("Blind checks").run()
    page.multiselect(key="training_texts_checks").set_value(numbers)
    page.button(key="training_pick_checks").click().run()
    for number in numbers:
        note_shown(store, number, bo.id or 0)
    page.run()
    assert any("Texts left for checks: ann (2)." in plain(one.value) for one in page.caption)
    assert any("No check texts left for bo. Pick other complete texts." in plain(one.value) for one in page.warning)


def test_after_the_last_try_one_reads_who_decides_what_comes_next(store: Store, project: Project, come: Come) -> None:
    page = come("lea", "lead")
    pick_both(page, store, project)
    page.number_input(key=f"training_tries_annotators_{project.id}_0").set_value(1)
    switch_on(page, project)
    page = come("ann", "annotator")
    page.button(key="training_begin_annotators").click().run()
    ann = page.session_state["visit"].user
    for _n in range(2):
        answer(store, ann, project, POOR)
        page.run()
        warnings = " ".join(plain(element.value) for element in page.warning)
        [button] = [button for button in page.button if str(button.key).startswith("training_next_")]
        button.click().run()
    assert "You didn't pass this time." in warnings
    assert "No training attempts left. Ask the lead." in warnings


def test_the_guidelines_are_asked_for_once_with_the_first_training_text(
    store: Store, project: Project, come: Come
) -> None:
    page = come("lea", "lead")
    pick_both(page, store, project)
    switch_on(page, project)
    number = change_guidelines(store, LOCAL_OPERATOR, project.id, "Mark little.", based_on=0)
    project = get_project_by_id(store, project.id)
    page = come("ann", "annotator")
    page.session_state["visit"] = replace(page.session_state["visit"], project=project)
    page.run()
    assert not page.exception
    assert page.button(key="training_begin_annotators")
    assert not page.expander, "the panel asks for them with the first text"
    acknowledge(store, page.session_state["visit"].user, project.id, number)
    page.run()
    assert [one.label for one in page.expander] == ["Guidelines"]


def test_the_part_on_blind_checks_shows_nobody_before_there_is_something_to_see(project: Project, come: Come) -> None:
    page = come("lea", "lead")
    page.session_state["training_part"] = "Blind checks"
    page.run()
    assert not page.exception
    assert "Nothing yet." in page.info[0].value
    page.number_input(key=f"training_check_every_annotators_{project.id}_0").set_value(10)
    page.button(key="training_save_check_every").click().run()
    assert "Pick some with gold, or use 0\\." in page.error[0].value


def test_two_leads_at_once_lose_nothing(store: Store, project: Project, come: Come) -> None:
    page = come("lea", "lead")
    pick_both(page, store, project)
    ida = accounts.add_user(store, LOCAL_OPERATOR, "ida", "lead", project.name).user
    set_rules(store, ida, project.id, "annotators", QualificationRules(is_on=True), based_on=0)
    page.number_input(key=f"training_tries_annotators_{project.id}_0").set_value(5)
    page.button(key="training_save_annotators").click().run()
    assert "Not saved: ida changed this meanwhile. Copy your changes, reload and redo them." in plain(
        page.error[0].value
    )
    stored = training_rules(store, LOCAL_OPERATOR, project.id, "annotators")
    assert (stored.rules.is_on, stored.rules.tries, stored.made_by) == (True, 2, "ida")


def test_whoever_invites_reads_that_texts_are_picked_while_the_training_is_off(
    store: Store, project: Project, come: Come
) -> None:
    page = come("lea", "lead")
    pick_both(page, store, project)
    page.session_state["project_section"] = "People"
    page.run()
    assert [one.value.count("Training has texts but is off. Turn it on under Training.") for one in page.caption].count(
        1
    ) == 1
