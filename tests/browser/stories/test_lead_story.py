"""The lead: create a project, import as others write their files, people, rules, progress, export."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.store.instances import instances_of_keys
from annotator.store.people import get_user, list_members
from annotator.store.projects import find_project, get_project, get_project_by_id
from annotator.usecases.access.accounts import add_user
from annotator.usecases.project.projects import create_project
from benchmarks.served import Server
from tests.browser.stories.story import Person, choose, take, unfold

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

GOOD = [
    {"id": "a", "text": "The soup was cold.", "label": "no"},
    {"id": "b", "text": "Fine bread, fine cheese.", "label": "yes", "annotator": "source", "rationales": [[[0, 2]]]},
]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    made = {}
    for name, rows in {"good": GOOD, "bad": [*GOOD, {"id": "c", "text": 7, "label": "maybe"}]}.items():
        made[name] = tmp_path / f"{name}.jsonl"
        made[name].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return made


def accept_stuck_round(lead: Person) -> None:
    """Where nobody reviews, the lead is told so, and decides."""
    lead.section("People")
    lead.sees("3 reviewers")
    lead.section("Rounds")
    lead.sees("0 of 3")
    lead.page.get_by_role("button", name="Decide").click()
    lead.page.get_by_label("Reason (shown to annotator and reviewers)").fill("nobody reviews here")
    lead.page.get_by_role("button", name="Decide round").click()
    lead.sees("Nothing to show.")


def choose_another_file(lead: Person, path: Path) -> None:
    """In the place of the one that was refused; what was said of that one goes with it."""
    lead.page.get_by_test_id("stFileChipDeleteBtn").first.click()
    lead.sees("Choose a file. Nothing is stored until you confirm.")
    lead.page.locator("input[type=file]").set_input_files(path)
    lead.sees(path.name)
    expect(lead.page.get_by_text("Correct or skip")).to_have_count(0)


def give_role(page: Page, name: str) -> None:
    """That of an annotator, which the form begins with."""
    page.get_by_text("Change a role", exact=True).click()
    choose(page.get_by_role("combobox", name="Person", exact=True), name)
    page.get_by_role("button", name="Give").click()


def test_a_project_is_made_filled_given_to_people_and_exported(
    server: Server, person: Come, files: dict[str, Path], tmp_path: Path
) -> None:
    lead = person("Lead").open("/project?project=1")
    page = lead.page
    page.get_by_role("button", name="New project").click()
    page.get_by_label("Project name", exact=True).fill("Menus")
    page.get_by_role("dialog").get_by_role("textbox", name="Labels (comma-separated").fill("no, yes")
    page.get_by_role("spinbutton", name="Reviewers per annotation").fill("3")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("heading", name="Menus").wait_for()

    lead.section("Import")
    take(page.get_by_role("combobox", name="Format"), "jsonl")
    page.locator("input[type=file]").set_input_files(files["bad"])
    page.get_by_role("button", name="Check").click()
    lead.sees("Correct or skip")
    with open_store(server.database) as store:
        assert store.value("SELECT count(*) FROM instances WHERE key = 'a'") == 0

    choose_another_file(lead, files["good"])
    page.get_by_role("button", name="Check").click()
    lead.sees("2 new instances")
    page.get_by_role("button", name="Store 2 instances").click()
    lead.sees("Stored 2 new")

    lead.section("People")
    give_role(page, "Annotator 2")
    with open_store(
        server.database
    ) as store:  # the table of members is a picture, so the database says when it is done
        project_id = store.value("SELECT id FROM projects WHERE name = 'Menus'")
        held = "SELECT count(*) FROM memberships WHERE project_id = ? AND role = 'annotator'"
        for _ in range(600):
            if store.value(held, (project_id,)):
                break
            page.wait_for_timeout(100)
    ann = person("Annotator 2").annotate(project_id)
    assert ann.key == "a"
    ann.mark("cold")
    ann.press("Control+Enter")
    ann.sees("Nothing left to annotate")

    accept_stuck_round(lead)
    lead.section("Progress")
    lead.sees("100 % done.")
    lead.section("Instances")
    page.get_by_label("Select a text, or type its ID").fill("a")
    page.keyboard.press("Enter")
    lead.sees("Annotator 2 · round 1 · accepted")
    page.locator(".segment-text").first.wait_for()

    lead.section("Export")
    page.get_by_role("button", name="Prepare").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download Menus.jsonl").click()
    download.value.save_as(tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["key"] for row in rows if row["record"] == "instance"] == ["a", "b"]


# What only this section shows, towards its end.
SECTIONS = {
    "Progress": "h3:has-text('Reviewers')",
    "Instances": ".st-key-project_look_key",
    "Import": ".st-key-import_format",
    "Rules": ".st-key-rules_save",
    "People": ".st-key-people_open_data",
    "Rounds": "[class*=st-key-round_look_]",
    "Decisions": "p:text-is('Nothing to decide.')",
    "Export": ".st-key-export_prepare",
    "Record": "[class*=st-key-record_person_]",
}


def shows_without_an_error(lead: Person, project: int, name: str, shown: str) -> None:
    lead.open(f"/project?project={project}&section={name}")
    expect(lead.page.get_by_test_id("stMain").locator(shown).first).to_be_visible()
    lead.settles()
    expect(lead.page.get_by_test_id("stAlertContentError")).to_have_count(0)


def test_every_section_shows_without_an_error_also_in_an_empty_project(server: Server, person: Come) -> None:
    lead = person("Lead")
    for name, shown in SECTIONS.items():
        shows_without_an_error(lead, 1, name, shown)
    with open_store(server.database) as store:
        empty = create_project(store, get_user(store, "Lead"), "Empty", get_task("sentiment"))
    shows_without_an_error(lead, empty.id, "Progress", "[class*=st-key-labels_text_]")
    for name in ("Instances", "Decisions", "Export", "Record"):
        shows_without_an_error(lead, empty.id, name, SECTIONS[name])


def test_a_lead_is_asked_before_a_text_is_taken_and_ctrl_k_leads_to_a_setting_also_from_there(
    server: Server, person: Come
) -> None:
    with open_store(server.database) as store:
        add_user(store, LOCAL_OPERATOR, "Lena", "lead", "Sentiment")
    lead = person("Lena").open("/annotate?project=1")
    page = lead.page
    lead.sees("If you begin, you'll be assigned texts.")
    with open_store(server.database) as store:
        assert not store.holds("SELECT 1 FROM assignments JOIN users ON users.id = user_id WHERE name = 'Lena'")
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I've read them").click()
    page.locator(".segment-text").first.wait_for()
    page.keyboard.press("Control+k")
    found = page.get_by_role("dialog", name="Go to")
    expect(found.get_by_role("option", name="Metrics")).to_be_visible()
    page.keyboard.type("idle")
    page.keyboard.press("Enter")  # sooner than the list can follow
    expect(page.get_by_role("spinbutton", name="Idle (seconds)")).to_be_focused()  # within a fold that was closed
    idle = page.get_by_test_id("stNumberInput").filter(has_text="Idle (seconds)")
    expect(idle.get_by_test_id("stTooltipIcon")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("change a role")
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Person and role")).to_be_visible()  # in a fold with an icon
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_project_with_segments_of_ones_own_is_made_and_filled(person: Come, tmp_path: Path) -> None:
    lead = person("Lead").open("/project?project=1")
    page = lead.page
    page.get_by_role("button", name="New project").click()
    take(page.get_by_role("combobox", name="Template"), "custom")
    page.get_by_text("an answer text").click()
    expect(page.get_by_label("Labels, separated by commas")).to_have_count(0)
    page.get_by_label("Project name", exact=True).fill("Own")
    page.get_by_role("textbox", name="Markable segments (comma-separated)").fill("text, context")
    page.get_by_role("textbox", name="Display-only segments (comma-separated)").fill("question")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("heading", name="Own", exact=True).wait_for()
    file = tmp_path / "rows.csv"
    file.write_text("id,text,context,question,answer\n1,a b,c,d?,e\n")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Check").click()
    lead.sees("1 new instance")


def test_two_files_of_one_name_are_refused(person: Come, files: dict[str, Path], tmp_path: Path) -> None:
    lead = person("Lead").open("/project?project=1&section=Import")
    (tmp_path / "more").mkdir()
    again = tmp_path / "more" / "good.jsonl"
    again.write_text(files["good"].read_text(encoding="utf-8"), encoding="utf-8")
    lead.page.locator("input[type=file]").set_input_files([files["good"], again])
    lead.sees("Two files are named 'good.jsonl'. Rename one.")


def test_an_address_with_an_instance_opens_it_with_everybodys_sets(person: Come) -> None:
    lead = person("Lead")
    number = lead.instance_id("sentiment-en-01")
    lead.open(f"/project?project=1&instance={number}")
    lead.sees("sentiment-en-01")
    lead.sees("source · round 1 · accepted")
    lead.wait_for_text()
    expect(lead.page.get_by_role("button", name="Submit")).to_have_count(0)
    lead.open("/project?project=1&instance=999999")
    lead.sees("No instance number 999999.")


def test_a_researcher_takes_the_papers_formats_and_not_everything(person: Come, tmp_path: Path) -> None:
    page = person("Researcher").open("/export?project=1").page
    page.get_by_role("combobox", name="Format").click()
    expect(page.get_by_role("option", name="ERASER")).to_have_count(1)
    expect(page.get_by_role("option", name="our own JSONL")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Prepare").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download Sentiment-eraser.zip").click()
    assert download.value.suggested_filename == "Sentiment-eraser.zip"
    download.value.save_as(tmp_path / "gold")
    assert (tmp_path / "gold").stat().st_size > 1000


def test_a_name_that_is_taken_is_refused_with_a_sentence(person: Come) -> None:
    lead = person("Lead").open("/project?project=1")
    lead.page.get_by_role("button", name="New project").click()
    lead.page.get_by_label("Project name", exact=True).fill("Reading")
    lead.page.get_by_role("button", name="Create").click()
    lead.sees("'Reading' already exists. Choose another name.")


def test_what_a_label_requires_of_the_segments_is_kept(server: Server, person: Come) -> None:
    lead = person("Lead").open("/project?project=2&section=Rules")
    page = lead.page
    lead.unfold("Data set")
    page.get_by_label("Citation").fill("Nobody 2026")
    lead.unfold("Marking")
    required = page.get_by_role("combobox", name="“different”: required marks in")
    take(required, "sentence1")
    page.keyboard.press("Escape")  # closes the list
    page.get_by_role("button", name="Save rules").click()
    lead.sees("Rules saved.")
    with open_store(server.database) as store:
        saved = get_project_by_id(store, 2)
    assert saved.settings.required_segments == {"different": ("sentence1",)}
    assert (saved.citation, saved.settings.forbidden_segments) == ("Nobody 2026", {})


def test_a_label_in_use_and_a_taken_name_are_refused_on_the_rules_page(person: Come) -> None:
    lead = person("Lead").open("/project?project=1&section=Rules")
    lead.page.get_by_label("Labels, separated by commas").fill("positive")
    lead.page.get_by_role("button", name="Save rules").click()
    lead.sees("Can't remove")


def test_a_label_in_use_leads_to_its_texts_and_is_replaced_by_another(server: Server, person: Come) -> None:
    lead = person("Lead").open("/project?project=1")
    lead.section("Rules")
    labels = lead.page.get_by_label("Labels, separated by commas")
    labels.fill("bad, positive")
    lead.page.get_by_role("button", name="Save rules").click()
    dialog = lead.page.get_by_role("dialog")
    dialog.get_by_role("button").nth(1).click()  # the first text, after the cross
    lead.page.wait_for_url("**instance=*")
    expect(labels).to_be_hidden()  # the page that the link left has its sections until then
    lead.section("Rules")
    labels.fill("bad, positive")
    lead.page.get_by_role("button", name="Save rules").click()
    dialog.get_by_role("button", name="Replace label").click()
    lead.sees("Replaced “negative” with “bad”:")
    with open_store(server.database) as store:
        assert get_project_by_id(store, 1).labels == ("bad", "positive")
        assert not store.value("SELECT count(*) FROM instances WHERE project_id = 1 AND result = 'negative'")
    lead.page.get_by_role("button", name="Save rules").click()
    lead.sees("Rules saved.")


def test_the_rules_are_saved_and_hold_at_once(person: Come) -> None:
    lead = person("Lead").open("/project?project=1&section=Rules")
    lead.unfold("Marking")
    lead.page.get_by_text("Allow “No rationale in the text”").click()
    lead.page.get_by_role("button", name="Save rules").click()
    lead.sees("Rules saved.")
    ann = person("Annotator 1").annotate(1)
    ann.page.get_by_role("button", name="No rationale").wait_for()


def test_a_role_is_taken_away_only_after_a_question(server: Server, person: Come) -> None:
    lead = person("Lead").open("/project?project=1&section=People")
    page = lead.page
    page.get_by_text("Change a role", exact=True).click()
    chosen = page.get_by_role("combobox", name="Person and role")
    choose(chosen, "Annotator 2 · annotator")
    dialog = page.get_by_role("dialog")
    for answer, is_left in (("Cancel", True), ("Remove", False)):
        page.get_by_test_id("stForm").get_by_role("button", name="Remove").click()
        dialog.get_by_role("button", name=answer).click()
        dialog.wait_for(state="detached")
        with open_store(server.database) as store:
            roles = {(user.name, role) for user, role in list_members(store, 1)}
        assert (("Annotator 2", "annotator") in roles) is is_left


def test_a_new_project_takes_the_rules_of_one_that_the_lead_has(server: Server, person: Come) -> None:
    lead = person("Lead").open("/project?project=1")
    lead.page.get_by_role("button", name="New project").click()
    take(lead.page.get_by_role("combobox", name="Template"), "rules of Sentiment")
    lead.sees("Same people and roles")  # before, the form of the usual rules has a field of that name, too
    lead.page.get_by_label("Project name", exact=True).fill("Second")
    lead.page.get_by_role("button", name="Create").click()
    lead.page.get_by_role("heading", name="Second").wait_for()
    with open_store(server.database) as store:
        first, second = get_project_by_id(store, 1), get_project(store, "Second")
    assert (second.labels, second.settings, second.guidelines) == (first.labels, first.settings, first.guidelines)


def asked_for(page: Page, name: str, rows: str, people: str) -> Locator:
    """The form of a new project, filled in and sent."""
    page.get_by_role("button", name="New project").click()
    form = page.get_by_role("dialog")
    form.get_by_label("Project name", exact=True).fill(name)
    form.get_by_label("Or paste rows").fill(rows)
    form.get_by_role("textbox", name="People to invite").fill(people)
    form.get_by_role("button", name="Create", exact=True).click()
    return form


def test_what_the_form_of_a_new_project_could_not_read_is_mended_under_import_without_choosing_it_again(
    server: Server, person: Come
) -> None:
    page = person("Lead").open("/project?project=1").page
    form = asked_for(page, "Odd", "Fundstelle,Urteil\nSuperb film.,positive\n", "Ola\nOle, reviewer")
    form.get_by_role("button", name="Create it and go on under Import").click()
    expect(page.get_by_text("2 links are under People, shown only now.")).to_be_visible()
    expect(page.get_by_role("checkbox", name="“pasted.csv”")).to_be_checked()
    take(page.get_by_role("combobox", name="The text"), "Fundstelle")
    take(page.get_by_role("combobox", name="The label"), "Urteil")
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Store 1 instance").click()
    expect(page.get_by_role("checkbox", name="“pasted.csv”")).to_have_count(0)


def test_a_new_project_is_filled_and_its_people_invited_on_one_page_and_whoever_has_a_link_marks_a_text(
    person: Come, stranger: Come
) -> None:
    page = person("Lead").open("/project?project=1").page
    form = asked_for(page, "Films", "txt,label\nSuperb film.,positive\n", "Filmi\nFilma, reviewer")
    expect(form.get_by_text("1 problem; no project was created.")).to_be_visible()
    expect(form.get_by_role("button", name="Create it and go on under Import")).to_be_visible()
    form.get_by_label("Or paste rows").fill(
        'text,label,rationales\nSuperb film.,positive,\nDull and long.,negative,\nGrand.,Positive ,"[[[0, 1]]]"\n'
    )
    form.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("heading", name="Films").wait_for()
    expect(page.get_by_text("3 texts imported. 1 annotation accepted. Labels: negative, positive.")).to_be_visible()
    expect(page.get_by_text("2 links to send privately")).to_be_visible()
    link = page.locator(".st-key-people_made_links code").first.inner_text()
    filmi = stranger().page
    filmi.goto(link)
    for field in filmi.locator("input[type=password]").all():
        field.fill("a good long password")
    filmi.keyboard.press("Enter")
    expect(filmi.locator(".segment-text").first).to_have_text("Superb film.")
    filmi.get_by_text("Filmi", exact=True).wait_for()


# What a lead and an annotator meet at 1280×720: where a new project opens, what covers what, and which keys are to be seen.


def test_a_new_project_opens_where_one_begins_and_what_is_saved_is_said_below_the_sections(person: Come) -> None:
    lead = person("Lead").open("/project?project=1&section=Rules")
    lead.page.get_by_role("button", name="Save rules").click()
    toast = lead.page.get_by_test_id("stToast")
    expect(toast).to_be_visible()
    expect(lead.page.get_by_text("Rules saved.")).to_be_visible()
    box = lead.page.get_by_test_id("stToastContainer").bounding_box()
    assert box is not None
    assert box["y"] > 360, "it covers neither the sections nor the first line of the page"
    lead.section("Progress")
    lead.page.get_by_role("button", name="New project").click()
    lead.page.get_by_role("dialog").get_by_label("Project name", exact=True).fill("Fresh")
    lead.page.get_by_role("button", name="Create").click()
    expect(lead.page.get_by_role("heading", name="Fresh")).to_be_visible()
    lead.sees("Choose a file. Nothing is stored until you confirm.")


def test_the_keys_are_to_be_seen_beside_open_guidelines(person: Come) -> None:
    page = person("Annotator 1").annotate(1).page
    expect(page.locator(".guidelines-close")).to_be_visible()
    for name in ("Skip", "Discard", "Submit", "New set", "Erase", "Hide sets"):
        button = page.get_by_role("button", name=name).first
        key = button.locator("kbd")
        expect(key).to_be_visible()
        box, around = key.bounding_box(), button.bounding_box()
        assert box is not None
        assert around is not None
        assert 0 < box["x"] < box["x"] + box["width"] < 960, f"the key of {name} lies beside the guidelines"
        assert around["x"] <= box["x"], f"the key of {name} stays within its button"
        assert box["x"] + box["width"] <= around["x"] + around["width"], f"the key of {name} stays within its button"
        assert around["y"] <= box["y"], f"the key of {name} stays within its button"
        assert box["y"] + box["height"] <= around["y"] + around["height"], f"the key of {name} stays within its button"
    for width in (1280, 390):
        if width < 1280:
            page.locator(".guidelines-close").click()
            page.set_viewport_size({"width": width, "height": 720})
        menu = page.locator(".menu")
        menu.locator("summary").click()
        for name in ("Previous", "My work", "Text size and line spacing", "Keys"):
            menu.get_by_role("button", name=name).click(trial=True)  # neither covered nor outside
            box = menu.get_by_role("button", name=name).bounding_box()
            assert box is not None
            assert 0 <= box["x"] < box["x"] + box["width"] <= width
        menu.locator("summary").press("Escape")


def test_a_lead_renames_a_label_and_archives_the_project(person: Come) -> None:
    lead = person("Lead").open("/project?project=1&section=Rules")
    page = lead.page
    page.get_by_role("button", name="Add, rename or merge a label …").click()
    page.get_by_text("Rename", exact=True).click()
    take(page.get_by_role("dialog").get_by_role("combobox", name="Label", exact=True), "negative")
    page.get_by_label("New name").fill("bad")
    page.get_by_label("New name").press("Tab")
    lead.sees("To undo, rename the label back.")
    page.get_by_role("button", name="Rename label").click()
    lead.sees("“negative” is now “bad”")
    expect(page.get_by_label("Labels, separated by commas")).to_have_value("bad, positive")
    lead.section("Record").unfold("Archive or delete the project")
    page.get_by_role("button", name="Archive project").click()
    page.get_by_role("dialog").get_by_role("button", name="Archive").click()
    lead.sees("Archived since")
    with open_store(lead.database) as store:
        project = find_project(store, "Sentiment")
    assert project is not None
    assert (project.is_archived, project.labels) == (True, ("bad", "positive"))
    lead.open("/annotate?project=1")
    lead.sees("This project is archived. Ask a lead to restore it.")
    lead.open("/project?project=1")
    page.get_by_role("button", name="Restore").click()
    lead.sees("is active again.")


def test_more_annotators_are_saved_after_the_lead_has_read_what_becomes_incomplete(person: Come) -> None:
    lead = person("Lead").open("/project?project=1&section=Rules")
    field = lead.page.get_by_label("Annotators per text", exact=True)
    wanted = str(int(field.input_value()) + 1)
    field.fill(wanted)
    lead.page.get_by_role("button", name="Save rules").click()
    expect(lead.page.get_by_role("dialog").get_by_text("become incomplete")).to_be_visible()
    lead.page.get_by_role("button", name="Save anyway").click()
    expect(lead.page.get_by_test_id("stToast")).to_be_visible()
    with open_store(lead.database) as store:
        project = find_project(store, "Sentiment")
        assert project is not None
        assert str(project.settings.annotators_per_instance) == wanted


# Files as others write them: columns with other names, rows without keys, labels of their own, model output without keys.

TABLE = (
    "phrase,worker_id,label,rationale_index\n"
    '"<b>Good</b> soup, good bread, and friendly people.",w1,positive,"[0, 2]"\n'
    '"Cold soup, old bread, and nobody who smiled once.",w1,<b>odd</b>,[0]\n'
)


def test_a_plain_table_comes_in_by_keyboard_with_its_columns_numbers_and_labels(
    server: Server, person: Come, tmp_path: Path
) -> None:
    file = tmp_path / "plain.csv"
    file.write_text(TABLE, encoding="utf-8")
    lead = person("Lead").open("/project?project=1&section=Import")
    page = lead.page
    page.locator("input[type=file]").set_input_files(file)
    lead.sees("Looks like a CSV table.")
    lead.sees("Guessed.")  # the text and the annotator
    key = page.get_by_role("combobox", name="The ID")
    key.focus()
    page.keyboard.press("ArrowDown")
    page.get_by_role("option", name="use row numbers").wait_for()
    page.keyboard.press("Enter")
    expect(key).to_have_value("use row numbers")
    page.get_by_role("button", name="Check").focus()
    page.keyboard.press("Enter")
    lead.sees("“<b>odd</b>”")
    leave = page.get_by_role("radio", name="Skip rows").or_(page.get_by_role("button", name="Skip rows"))
    leave.first.focus()
    page.keyboard.press("Space")
    lead.sees("Skipped 1 row labelled '<b>odd</b>'.")
    page.get_by_role("button", name="Store 1 instance").click()
    lead.sees("Stored 1 new and 0 changed instances")
    with open_store(server.database) as store:
        assert get_project_by_id(store, 1).settings.import_columns == {"text": "phrase", "annotator": "worker_id"}
        [stored] = instances_of_keys(store, 1, ["1"])["1"]
        assert stored.n_tokens == 7


def test_model_output_without_keys_goes_to_the_texts_and_doubles_are_named(
    server: Server, person: Come, tmp_path: Path
) -> None:
    with open_store(server.database) as store:
        [row] = store.rows(
            "SELECT text, instances.key AS key FROM instances JOIN segments ON instance_id = instances.id "
            "JOIN documents ON documents.id = document_id WHERE instances.project_id = 1 ORDER BY instances.id LIMIT 1"
        )
    twice = tmp_path / "twice.csv"
    twice.write_text(f'id,text,label\none,"{row["text"]}",positive\n', encoding="utf-8")
    lead = person("Lead").open("/project?project=1&section=Import")
    lead.page.locator("input[type=file]").set_input_files(twice)
    lead.page.get_by_role("button", name="Check").click()
    lead.page.get_by_role("button", name="Store 1 instance").click()
    lead.sees("Stored 1 new")
    said = tmp_path / "said.csv"
    said.write_text(
        f'text,prediction,p_negative,p_positive\n"{row["text"].upper()}",positive,0.2,0.8\n', encoding="utf-8"
    )
    lead.open("/saliency?project=1")
    unfold(lead.page, "Add predictions, models and attributions")
    unfold(lead.page, "Import predictions and attributions")
    lead.page.locator("input[type=file]").set_input_files(said)
    lead.sees("Looks like")
    model = lead.page.get_by_label("Model (if not in the file)")
    expect(model).to_have_count(1)  # until a script run has ended, what it draws anew stands beside what it takes away
    model.fill("mine")
    lead.page.keyboard.press("Enter")
    lead.page.get_by_role("button", name="Check").click()
    lead.sees(f"'{row['key']}', 'one'")
    lead.page.get_by_role("button", name="Apply to all instances with this text").click()
    lead.sees("2 predictions of 2 instances")
