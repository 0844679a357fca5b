"""The Project page as a script: how far the work is, what is stuck, and a lead who looks at a text they have in hand."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.qualification import QualificationRules
from annotator.domain.project.search import BulkChange
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.texts import RationaleSet
from annotator.files import resource_folder
from annotator.language import speaking
from annotator.store import Store
from annotator.store.annotate.assignments import give_up_work_of
from annotator.store.events import add_event
from annotator.store.instances import InstanceRow
from annotator.store.projects import get_project_by_id
from annotator.store.qualification.rules import add_rules
from annotator.text.search import context_of
from annotator.usecases.access import accounts
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.databases import find_project
from annotator.usecases.lead.bulk_actions import change_many
from annotator.usecases.lead.decisions import decide, open_proposals
from annotator.usecases.lead.instance_search import FoundInstance
from annotator.usecases.project.guidelines import change_guidelines
from annotator.usecases.project.projects import count_events_of, instances_of, take_role
from annotator.web.frame import CONFIRMED, as_text
from annotator.web.project_warnings import _missing_annotators_words, _missing_reviewers_words
from annotator.web.sections.instances.page import _highlighted
from tests.usecases.crowd.crowd_work import enter, open_recruitment_link
from tests.usecases.review.test_reviews import annotate, score

PAGE = resource_folder("pages") / "project.py"
SETS = RationaleSet.of((0, 2))

Opened = Callable[..., AppTest]


@pytest.fixture
def texts(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Callable[..., Project]:
    def made(n: int, **settings: object) -> Project:
        project = make_project(**settings)
        import_rows(project, [{"id": f"t{number}", "text": "Never again.", "label": "negative"} for number in range(n)])
        return project

    return made


@pytest.fixture
def lea(store: Store) -> Callable[[Project], User]:
    return lambda project: accounts.add_user(store, LOCAL_OPERATOR, "lea", "lead", project.name).user


@pytest.fixture
def opened(app_for: Callable[..., AppTest]) -> Opened:
    """A section of the page, as lea sees it."""

    def run(project: Project, lead: User, section: str) -> AppTest:
        app: AppTest = app_for(PAGE, project, who=lead)
        app.session_state["project_section"] = section
        return app

    return run


def table_with(page: AppTest, column: str) -> list[dict[str, Any]]:
    """The rows of the table that has such a column."""
    [table] = [table.value for table in page.dataframe if column in table.value.columns]
    rows: list[dict[str, Any]] = table.to_dict("records")
    return rows


def test_the_address_opens_a_section_and_follows_what_is_chosen(texts, project_page: Opened) -> None:
    project = texts(1)
    app = project_page(project, "Progress")
    app.session_state["is_just_opened"] = True
    app.query_params["section"] = "People"
    app.run()
    assert app.session_state["project_section"] == "People"
    app.session_state["is_just_opened"] = False
    app.session_state["project_section"] = "Rules"
    assert app.run().query_params["section"] == "Rules", "a colleague who is sent the address sees the same"


def test_what_was_discarded_is_done_too_and_the_parts_are_said(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(30)
    ann = add_person("ann", project, "annotator")
    for _ in range(2):
        annotate(store, ann, project, SETS)
    work = annotate_work.next_work(store, ann, project.id).work
    assert work is not None
    annotate_work.propose_discard(store, ann, work.assignment.id, "broken text")
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "discard")
    page = project_page(project, "Progress").run()
    assert not page.exception
    [shown] = page.get("progress")
    assert (shown.proto.value, shown.proto.text) == (10, "10 % done.")


@pytest.mark.parametrize(
    ("decision", "title", "said"),
    [
        ("keep", "Keep label and return", "Label kept. It is back with ann."),
        ("relabel", "Use new label", "The text's label is now “positive”."),
        ("discard", "Discard text", "Text discarded."),
    ],
)
def test_a_decision_of_one_click_is_said_with_where_the_work_went(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User], decision: str, title: str, said: str
) -> None:
    project = texts(1, result_mode="contest")
    annotate(store, add_person("ann", project, "annotator"), project, SETS, result="positive")
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    button = project_page(project, "Decisions").run().button(key=f"decide_{proposal.id}_{decision}")
    assert button.label == title
    assert button.click().run().session_state[CONFIRMED]["words"] == said


def test_an_annotation_with_its_reviewers_is_not_offered_as_the_gold_and_the_tooltip_says_why(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(1, reviewers_per_annotation=1)
    annotate(store, add_person("ann", project, "annotator"), project, SETS)
    app = project_page(project, "Instances")
    app.query_params["instance"] = str(instances_of(store, LOCAL_OPERATOR, project.id)[0].id)
    [popover] = [b for b in app.run().get("popover") if b.proto.popover.label == "Make it the gold"]
    assert popover.proto.popover.disabled
    assert popover.proto.popover.help.endswith("can still change. Decide its round, or copy its sets.")


def test_what_annotators_submitted_is_shown_in_parts_that_add_up_and_reviewers_have_a_table_of_their_own(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(9, reviewers_per_annotation=1)
    ann, rita = add_person("ann", project, "annotator"), add_person("rita", project, "reviewer")
    for _ in range(3):
        annotate(store, ann, project, SETS)
    score(store, rita, project)
    page = project_page(project, "Progress").run()
    assert not page.exception
    heads = {one.label: one.value for one in page.metric}
    assert heads == {"Texts": "9", "To annotate": "5", "In progress": "1", "Waiting for review": "2", "Complete": "1"}
    [bar] = page.get("progress")
    assert bar.proto.text == "11 % done. 2 annotations to review"
    [row] = table_with(page, "under review")
    parts = {name: n for name, n in row.items() if name not in {"person", "texts", "last submission", "last activity"}}
    assert parts == {"accepted": 1, "under review": 2, "in progress": 1}, "what nobody has is no column"
    assert sum(parts.values()) == row["texts"]
    [of_rita] = table_with(page, "reviews given")
    assert (of_rita["person"], of_rita["reviews given"], of_rita["waiting"]) == ("rita", 1, 2)
    assert (row["last submission"], of_rita["last review"]) == ("less than a day ago", "less than a day ago")
    sentences = "\n".join(one.value for one in page.markdown)
    assert "8 texts left. A forecast appears after 5 days with finished texts." in sentences
    assert sentences.count("texts left") == 1


def test_what_was_given_out_since_stands_among_what_each_annotator_has(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(3)
    ann, ben = (add_person(name, project, "annotator") for name in ("ann", "ben"))
    annotate_work.next_work(store, ann, project.id)
    page = project_page(project, "Progress").run()
    assert [row["person"] for row in table_with(page, "in progress")] == ["ann"]
    annotate_work.next_work(store, ben, project.id)
    assert [row["person"] for row in table_with(page.run(), "in progress")] == ["ann", "ben"]


def test_annotators_whose_names_begin_alike_stand_side_by_side(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(1, annotators_per_instance=2)
    for name in ("Ann · north", "Ann · south"):
        work = annotate(store, add_person(name, project, "annotator"), project, SETS)
    page = project_page(project, "Instances")
    page.query_params["instance"] = str(work.instance.id)
    [chosen] = [one for one in page.run().get("button_group") if one.label == "Annotations side by side"]
    assert len(chosen.value) == 2


def test_times_of_a_browser_that_tells_no_zone_say_that_they_are_those_of_utc(
    store: Store, texts, lea, opened: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(1, reviewers_per_annotation=1)
    lead = lea(project)
    work = annotate(store, add_person("ann", project, "annotator"), project, SETS)
    assert "time (UTC)" in opened(project, lead, "Record").run().dataframe[0].value.columns
    page = opened(project, lead, "Instances")
    page.query_params["instance"] = str(work.instance.id)
    page.session_state[f"look_part_{work.instance.id}"] = "Timeline"
    assert re.search(r"^[\d-]+ [\d:]+ UTC$", "\n".join(one.value for one in page.run().caption), re.MULTILINE)


def test_quality_names_the_reviewer_who_scores_lower_than_the_others(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(1, reviewers_per_annotation=2)
    ann, ben, rita = (add_person(name, project, role) for name, role in
                      (("ann", "annotator"), ("ben", "reviewer"), ("rita", "reviewer")))  # fmt: skip
    annotate(store, ann, project, SETS)
    score(store, ben, project, Scores((SetScore(1, 4),), 3))
    score(store, rita, project, Scores((SetScore(3, 4),), 3))
    page = project_page(project, "Quality").run()
    assert not page.exception
    rows = next(one.value for one in page.dataframe if "n (sufficiency)" in one.value.columns).to_dict("records")
    assert [(row["reviewer"], row["sufficiency score"], row["n (sufficiency)"], row["compactness score"]) for row in rows] == [
        ("ben", "−2.00", 1, "0"), ("rita", "+2.00", 1, "0"),
    ]  # fmt: skip


def test_quality_draws_no_chart_and_no_reviewers_table_where_nothing_is_reviewed(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(2)
    annotate(store, add_person("ann", project, "annotator"), project, SETS)
    page = project_page(project, "Quality").run()
    assert not page.exception
    assert not page.get("plotly_chart")
    assert not page.dataframe
    assert page.markdown[0].value == "**Annotator agreement**"


@pytest.mark.parametrize("section", ["Progress", "Rounds"])
def test_what_nobody_may_review_is_told_with_what_helps(
    store: Store, texts, lea, opened: Opened, add_person: Callable[..., User], section: str
) -> None:
    project = texts(1, annotators_per_instance=3, reviewers_per_annotation=1)
    lead = lea(project)
    for one in (add_person("ann", project, "annotator"), add_person("ben", project, "annotator", "reviewer"), lead):
        annotate(store, one, project, SETS)
    page = opened(project, lead, section).run()
    assert not page.exception
    [beforehand, stuck] = page.warning
    assert beforehand.value.startswith(
        "Each annotation needs 1 reviewer, but nobody reviews their own. Add 1 under People"
    )
    assert stuck.value.startswith("3 annotations have too few eligible reviewers.")
    assert "Add some under People, or decide under Rounds." in stuck.value


def test_rules_that_ask_for_more_people_than_there_are_say_so_before_they_are_saved(
    store: Store, texts, lea, opened: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(1)
    lead = lea(project)
    add_person("ann", project, "annotator")
    page = opened(project, lead, "Rules").run()
    page.number_input(key=f"rules_annotators_{project.id}").set_value(4)
    page.button(key="rules_save").click().run()
    assert any("Each text needs 4 annotators, but there is only 1" in element.value for element in page.markdown)
    page.button(key="rules_save_anyway").click().run()
    page.number_input(key=f"rules_idle_{project.id}").set_value(30)
    page.button(key="rules_save").click().run()
    rules = get_project_by_id(store, project.id).settings
    assert (rules.annotators_per_instance, rules.idle_after_seconds) == (4, 30), (
        "what was known before is not asked again"
    )


def test_the_rounds_that_are_stuck_are_listed_by_themselves(
    store: Store, texts, lea, opened: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(2, annotators_per_instance=2, reviewers_per_annotation=1)
    lead, ann = lea(project), add_person("ann", project, "annotator")
    for one in (ann, ann, lead):
        annotate(store, one, project, SETS)
    with store.transaction():
        give_up_work_of(store, lead)  # t1, which was leased ahead: lea may still have it, and is no annotator of it yet
    page = opened(project, lead, "Rounds").run()
    assert not page.exception
    assert page.caption[0].value.startswith("3 annotations to review")
    page.segmented_control("rounds_which").set_value("stuck").run()
    assert not page.exception
    assert page.caption[0].value.startswith("2 annotations to review")
    shown = [one.value.replace("\\", "") for one in page.markdown]
    assert [words for words in shown if words in {"ann", "lea"}] == ["ann", "lea"]
    assert sum(":small[:gray[t0]]" in words for words in shown) == 2, "the key is there, and small"


def test_a_lead_is_asked_before_a_text_in_their_hands_is_given_back(
    store: Store, texts, lea, opened: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(1, annotators_per_instance=2)
    lead = lea(project)
    annotate(store, add_person("ann", project, "annotator"), project, SETS)
    assert annotate_work.next_work(store, lead, project.id).work is not None
    page = opened(project, lead, "Instances").run()
    page.text_input("project_look_key").set_value("t0").run()
    assert not page.exception
    assert page.warning[0].value.startswith("If you look, this text goes to someone else for good.")
    assert not [one for one in page.markdown if "ann · round 1" in one.value]
    [button] = [one for one in page.button if str(one.key).startswith("look_give_back")]
    button.click().run()
    assert not page.exception
    assert [one for one in page.markdown if "ann · round 1" in one.value.replace("\\", "")]
    assert any("You've seen others' marks in this text and can't annotate it." in one.value for one in page.caption)
    assert annotate_work.next_work(store, lead, project.id).work is None


def test_the_record_says_in_sentences_what_happened_to_which_text(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(1)
    annotate(store, add_person("ann", project, "annotator"), project, SETS)
    page = project_page(project, "Record").run()
    assert not page.exception
    rows = page.dataframe[0].value.to_dict("records")
    found = next(row for row in rows if row["person"] == "ann" and row["ID"])
    assert found["event"] == "submitted round 1: negative, 1 set"
    assert (found["text"], found["ID"]) == ("Never again.", "t0")
    assert not [row for row in rows if any(sign in row["event"] for sign in ("{", "[", "None", "True", "False"))]


def test_the_record_is_narrowed_to_a_person_a_kind_of_entry_and_a_text(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(2)
    ann = add_person("ann", project, "annotator")
    annotate(store, ann, project, SETS)
    annotate(store, ann, project, SETS)
    page = project_page(project, "Record").run()

    def choose(kind: str, key: str, value: str | None) -> list[tuple[str, str]]:
        [widget] = [one for one in getattr(page, kind) if one.key.startswith(key)]
        (widget.set_value if kind == "text_input" else widget.select)(value).run()  # type: ignore[arg-type]
        assert not page.exception
        return [(row["person"], row["ID"]) for table in page.dataframe for row in table.value.to_dict("records")]

    assert set(choose("selectbox", "record_person", "ann")) == {("ann", "t0"), ("ann", "t1")}
    assert set(choose("text_input", "record_key", "T1")) == {("ann", "t1")}
    assert choose("selectbox", "record_kind", "people, accounts and backups") == []
    assert any(one.value == "Nothing found. Change the search or filters." for one in page.caption)
    assert set(choose("selectbox", "record_kind", "work on texts")) == {("ann", "t1")}


def test_a_text_is_called_by_its_first_words_and_its_key_stands_beside_it(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(1)
    annotate(store, add_person("ann", project, "annotator"), project, SETS)
    page = project_page(project, "Instances").run()
    page.text_input("project_look_key").set_value("t0").run()
    assert page.subheader[0].value.replace("\\", "") == "Never again."
    assert any(one.value.startswith("t0 · ") for one in page.caption)
    assert [*page.dataframe[0].value.columns][:2] == ["text", "ID"]


def test_a_changed_version_leads_to_its_original_and_the_original_to_its_versions(
    texts, project_page: Opened, import_rows: Callable[..., object]
) -> None:
    project = texts(1)
    row = {
        "id": "t0 <b>",
        "text": "Ever again.",
        "label": "positive",
        "parent_key": "t0",
        "perturbation_kind": "contrast",
    }
    import_rows(project, [row])
    page = project_page(project, "Instances").run()
    page.text_input("project_look_key").set_value("t0 <b>").run()
    assert not page.exception
    said = [one.value.replace("\\", "").replace(":small[]", "") for one in page.markdown]
    assert "Perturbed version of [t0](/project?project=1&instance=1) · Contrast · negative · open" in said
    page.text_input("project_look_key").set_value("t0").run()
    said = [one.value.replace("\\", "").replace(":small[]", "") for one in page.markdown]
    line = "- [t0 <b>](/project?project=1&instance=2) · Contrast · positive · imported, open"
    assert f"Perturbed versions of this text\n\n{line}" in said


@pytest.mark.parametrize("section", ["Progress", "People", "Rounds"])
def test_nobody_is_asked_for_reviewers_where_every_text_is_complete(
    store: Store, texts, lea, opened: Opened, section: str
) -> None:
    project = texts(2, reviewers_per_annotation=3)
    lead = lea(project)
    assert opened(project, lead, section).run().warning, "while there are texts to annotate, people are missing"
    store.run("UPDATE instances SET state = 'complete'")
    store.run("UPDATE instance_counts SET n = 0")
    store.run("UPDATE instance_counts SET n = 2 WHERE state = 'complete'")
    page = opened(project, lead, section).run()
    assert not page.exception
    assert not page.warning


@pytest.mark.parametrize(
    ("section", "is_wide"), [("Import", False), ("Rules", False), ("Instances", True), ("Record", True)]
)
def test_forms_are_not_stretched_over_a_wide_screen_and_tables_use_it(
    texts, project_page: Opened, section: str, is_wide
) -> None:
    project = texts(1)
    page = project_page(project, section).run()
    assert not page.exception
    widths = [block.proto.width_config for block in page.main.children.values() if hasattr(block.proto, "width_config")]
    assert [width.use_stretch for width in widths if width.use_stretch or width.pixel_width][-1] == is_wide


def test_taking_a_role_away_asks_first_and_says_what_it_means(
    store: Store, texts, lea, opened: Opened, add_person
) -> None:
    project = texts(1)
    lead = lea(project)
    add_person("ann", project, "annotator")
    app = opened(project, lead, "People").run()
    app.selectbox("people_take_role").set_value("ann · annotator")
    [button] = [one for one in app.button if one.label == "Remove"]
    button.click().run()
    assert "ann · annotator" in app.selectbox("people_take_role").options
    assert any("Submitted work stays; reserved texts go to others." in one.value for one in app.markdown)
    assert {one.label for one in app.button if one.key in {"people_take_go", "people_take_not"}} == {"Cancel", "Remove"}


@pytest.mark.parametrize("is_administrator", [False, True])
def test_the_record_of_accounts_is_for_administrators_alone(
    store: Store, texts, lea, opened: Opened, is_administrator: bool
) -> None:
    project = texts(1)
    lead = lea(project)
    if is_administrator:
        lead = accounts.add_user(store, LOCAL_OPERATOR, "ada", "administrator").user
    app = opened(project, lead, "Record").run()
    about = [one for one in app.button_group if one.key == "record_about"]
    assert bool(about) == is_administrator
    if about:
        app.session_state["record_about"] = "accounts and database"
        app.run()
        [told] = app.dataframe
        assert "created an account and link for ada, role administrator" in list(told.value["event"])


def test_an_administrator_makes_a_backup_beside_the_record_and_reads_how_it_is_restored(
    store: Store, texts, opened: Opened
) -> None:
    ada = accounts.add_user(store, LOCAL_OPERATOR, "ada", "administrator").user
    app = opened(texts(1), ada, "Record").run()
    assert not [one for one in app.button if one.key == "record_backup"]
    app.session_state["record_about"] = "accounts and database"
    app.run()
    [button] = [one for one in app.button if one.key == "record_backup"]
    button.click().run()
    assert not app.exception
    [backup] = store.path.parent.glob("*.backup")
    assert app.success[0].value.replace("\\", "") == (
        f"Backup saved beside the database: {backup.name}. Moving it? Take {store.path.name}.removals along, if there is one: "
        "it keeps erased people erased."
    )
    app.run()
    said = next(
        one.value.replace("\\", "")
        for one in app.caption
        if "backup beside the database. To restore the newest, stop the server and run" in one.value
    )
    assert said.endswith(f"and run: `annotator --db {store.path.name} restore {backup.name}`")


def test_people_come_first_and_each_form_opens_by_itself(store: Store, texts, project_page: Opened) -> None:
    project = texts(1)
    app = project_page(project, "People").run()
    assert not app.exception
    assert app.dataframe[0].value["person"].iloc[0] == "lea"
    assert [(one.label, one.proto.expanded) for one in app.expander] == [
        ("Invite people", False), ("Change a role", False), ("New link", False), ("A person's data", False),
        ("New recruitment link", False),
    ]  # fmt: skip
    assert "New links start paused." in [one.value for one in app.caption]


def test_links_say_that_training_comes_first_and_where_it_has_no_text(store: Store, texts, lea, opened: Opened) -> None:
    project = texts(1)
    lead = lea(project)
    assert "training" not in " ".join(one.value for one in opened(project, lead, "People").run().info)
    add_rules(store, project.id, "annotators", QualificationRules(is_on=True), "lea")
    app = opened(project, lead, "People").run()
    assert "Training has no texts, so workers get nothing. Pick some under Training." in app.warning[-1].value


def test_a_lead_invites_a_list_of_people_whose_links_work_and_are_put_away(
    store: Store, texts, project_page: Opened
) -> None:
    project = texts(1)
    app = project_page(project, "People").run()
    app.text_area("people_invite_names_0").input("Ada\nBo, reviewer")
    next(button for button in app.button if button.label == "Create links").click().run()
    links = [code.value for code in app.code]
    assert [accounts.open_link(store, link.rpartition("/")[2]).user.name for link in links] == ["Ada", "Bo"]
    assert app.text_area("people_invite_names_1").value == ""
    app.button("people_links_away").click().run()
    assert not app.code


def test_where_local_accounts_are_off_a_lead_reads_that_links_do_not_work(
    texts, project_page: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANNOTATOR_SSO_ONLY", "Lab *1*")
    project = texts(1)
    captions = [caption.value for caption in project_page(project, "People").run().caption]
    assert any(
        "Links don't work here. Invite people by name after their first sign-in with Lab \\*1\\*" in text
        for text in captions
    )


def test_an_administrator_can_shut_out_whoever_has_no_role_any_more(store: Store, texts, lea, opened: Opened) -> None:
    project = texts(1)
    lea(project)
    root = accounts.add_user(store, LOCAL_OPERATOR, "root", "administrator").user
    accounts.add_user(store, LOCAL_OPERATOR, "ben", "annotator", project.name)
    take_role(store, LOCAL_OPERATOR, project.id, "ben", "annotator")
    app = opened(project, root, "People").run()
    assert "ben" in app.selectbox("people_shut_name").options
    app.selectbox("people_renew_name").set_value("ben")
    next(button for button in app.button if button.label == "New link").click().run()
    assert not app.exception, app.exception
    assert "ben's password and sessions end now; only the new link works." in " ".join(
        text.value for text in app.markdown
    ), [t.value for t in app.markdown]


def test_a_list_with_a_wrong_line_is_kept_and_nobody_of_it_is_invited(
    store: Store, texts, project_page: Opened
) -> None:
    project = texts(1)
    app = project_page(project, "People").run()
    app.text_area("people_invite_names_0").input("Ada\nBo, boss")
    next(button for button in app.button if button.label == "Create links").click().run()
    assert "Line 2\\: Unknown role 'boss'\\." in app.error[0].value
    assert app.text_area("people_invite_names_0").value == "Ada\nBo, boss"
    assert store.value("SELECT count(*) FROM users WHERE name = 'Ada'") == 0


def test_a_lead_makes_a_new_link_for_whoever_has_not_used_theirs(store: Store, texts, lea, opened: Opened) -> None:
    project = texts(1)
    lead = lea(project)
    old = accounts.add_user(store, LOCAL_OPERATOR, "ada", "annotator", project.name).link_token
    app = opened(project, lead, "People").run()
    app.selectbox("people_renew_name").set_value("ada")
    next(button for button in app.button if button.label == "New link").click().run()
    [code] = app.code
    new = code.value.rpartition("/")[2]
    assert new != old
    assert accounts.open_link(store, new).user.name == "ada"


@pytest.mark.parametrize(("is_administrator", "labels"), [(False, set()), (True, {"Block"})])
def test_only_administrators_can_shut_somebody_out(
    store: Store, texts, lea, opened: Opened, is_administrator: bool, labels: set[str]
) -> None:
    project = texts(1)
    person = lea(project)
    if is_administrator:
        person = accounts.add_user(store, LOCAL_OPERATOR, "root", "administrator").user
    app = opened(project, person, "People").run()
    assert {button.label for button in app.button} & {"Block"} == labels


def test_a_lead_sees_what_splits_come_to_and_stores_them_on_the_page(store: Store, texts, project_page: Opened) -> None:
    project = texts(10)
    page = project_page(project, "Instances").run()
    page.text_input(f"splits_parts_{project.id}").set_value("train=.7,test=.4").run()
    page.button(f"splits_preview_{project.id}").click().run()
    assert any("must be named, greater than 0 and sum to 1" in error.value for error in page.error)
    page.text_input(f"splits_parts_{project.id}").set_value("train=.7,test=.3").run()
    page.button(f"splits_preview_{project.id}").click().run()
    # Texts that are equal share a document, and stay together.
    [table] = [frame.value for frame in page.dataframe if "label negative" in frame.value]
    assert table.to_dict("records") == [
        {"split": "train", "texts": 10, "label negative": 10},
        {"split": "test", "texts": 0, "label negative": 0},
    ]
    assert {row.split for row in instances_of(store, LOCAL_OPERATOR, project.id, limit=20)} == {""}
    page.button(f"splits_store_{project.id}").click().run()
    assert not page.exception
    assert {row.split for row in instances_of(store, LOCAL_OPERATOR, project.id, limit=20)} == {"train"}


def test_of_two_leads_the_second_is_told_that_the_guidelines_were_changed_and_keeps_the_text(
    store: Store, texts, project_page: Opened
) -> None:
    project = texts(1)
    page = project_page(project, "Guidelines").run()
    change_guidelines(store, LOCAL_OPERATOR, project.id, "Mark **all**.", based_on=0)
    page.text_area(f"guidelines_text_{project.id}").set_value("Mark nothing.")
    page.button("guidelines_save").click().run()
    assert "Copy your changes, reload and redo them\\." in page.error[0].value
    assert page.text_area(f"guidelines_text_{project.id}").value == "Mark nothing."
    page.button("guidelines_newest").click().run()
    assert page.text_area(f"guidelines_text_{project.id}").value == "Mark **all**."
    page.text_area(f"guidelines_text_{project.id}").set_value("Mark little.")
    page.checkbox(f"guidelines_small_{project.id}").set_value(True)
    page.button("guidelines_save").click().run()
    assert not page.exception
    assert [expander.label.split(" · ")[0::3] for expander in page.expander if "Version" in expander.label] == [
        ["Version 2", "minor change"],
        ["Version 1"],
    ]
    assert find_project(store, project.name).guidelines == "Mark little."


def test_the_record_has_no_page_beyond_its_last(store: Store, texts, lea, opened: Opened) -> None:
    project = texts(1)
    lead = lea(project)
    n_before = count_events_of(store, lead, project.id)
    page = opened(project, lead, "Record").run()
    assert n_before <= 50
    assert not page.number_input, "of one page none is asked for"
    for _ in range(51 - n_before):
        add_event(store, "lea", "split", "project", project.id, project_id=project.id, parts={"all": "1"}, seed=0)
    page = opened(project, lead, "Record").run()
    [asked] = [one for one in page.number_input if one.key.startswith("record_page_")]
    assert (asked.max, asked.label) == (2, "Page (of 2)")
    asked.set_value(2).run()
    assert len(page.dataframe[0].value) == 1


def test_side_by_side_has_the_words_of_the_gold_and_what_a_file_tells_of_people(
    store: Store, make_project, import_rows, project_page: Opened
) -> None:
    project = make_project(gold_policy="majority")
    row = {"id": "t", "text": "Never again.", "label": "negative", "rationales": [[[0, 1]]]}
    told = {"annotations": [{"annotator": "ada", "group": "G1"}, {"annotator": "ben", "group": "G2"}]}
    import_rows(project, [{**row, "annotator": who, "meta": told} for who in ("ada", "ben")])
    page = project_page(project, "Instances")
    page.session_state["project_look_key"] = "t"
    captions = [caption.value.replace("\\", "") for caption in page.run().caption]
    assert any("A “Never” (ada, round 1 and ben, round 1)" in caption for caption in captions), captions
    assert {"G1", "G2"} <= set(captions)


def test_texts_that_are_for_who_left_are_freed_with_one_button(
    store: Store, texts, lea, opened: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(3)
    lead = lea(project)
    for name in ("bo", "chen"):
        add_person(name, project, "annotator")
    ids = [row.id for row in instances_of(store, LOCAL_OPERATOR, project.id)]
    change_many(store, lead, project, BulkChange("name", people=("bo",)), ids[:2])
    page = opened(project, lead, "Progress").run()
    assert not [button for button in page.button if button.key == f"free_named_{project.id}"]
    take_role(store, LOCAL_OPERATOR, project.id, "bo", "annotator")
    page = opened(project, lead, "Progress").run()
    assert any("2 texts are reserved for people without access." in w.value for w in page.warning)
    page = page.button(f"free_named_{project.id}").click().run()
    assert not page.exception
    assert not any(
        "text is reserved for people without access. See Texts, filter “Assigned to”." in w.value for w in page.warning
    )


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("A dog is  here.", "dog", r"A :orange-background[**dog**] is here\."),
        ("A dog is here.", "dog ", r"A :orange-background[**dog**] is here\."),
        ("A dog  is here.", "dog is", r"A :orange-background[**dog is**] here\."),
        ("A dog\nis here: dog dog", "dog", r"A :orange-background[**dog**] is here\:"),
        ("汤是冷的。", "是", "汤:orange-background[**是**]冷的。"),
    ],
)
def test_what_was_found_stands_in_its_line_with_the_spaces_of_the_text(text: str, words: str, line: str) -> None:
    row = InstanceRow(1, "t1", "", "en", "open", None, 4, 0, text)
    hit = FoundInstance(row, "text", context_of(text, words), ("text",))
    assert _highlighted(hit).startswith(line)


@pytest.mark.parametrize(
    ("show", "words"),
    [
        (
            lambda: _missing_reviewers_words(2, 2, 0),
            "每份标注需要 2 名审阅员，但这里没有人可以审阅。请在“人员”中再添加 2 人，或在“规则”中减少所需人数。",
        ),
        (
            lambda: _missing_annotators_words(3, 1),
            "每份文本需要 3 名标注员，但只有 2 人。请在“人员”中再添加 1 人，或在“规则”中减少所需人数。",
        ),
        (lambda: _missing_annotators_words(1, 1), "没有人可以标注。请在“人员”中添加标注员。"),
    ],
)
def test_who_is_missing_is_said_in_a_whole_chinese_sentence(show: Callable[[], str], words: str) -> None:
    with speaking("zh"):
        assert words in show()


def test_the_list_is_searched_paged_and_says_for_whom_texts_are(
    store: Store, texts, lea, opened: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(30)
    lead = lea(project)
    add_person("bo", project, "annotator")
    ids = [row.id for row in instances_of(store, LOCAL_OPERATOR, project.id, limit=30)]
    change_many(store, lead, project, BulkChange("name", people=("bo",), named_as="first"), ids[:1])
    page = opened(project, lead, "Instances").run()
    assert page.dataframe[0].value["for"].tolist()[:2] == ["first for bo", ""]
    page.number_input(f"project_search_page_{project.id}").set_value(2).run()
    assert len(page.dataframe[0].value) == 5
    page.text_input(f"project_search_words_{project.id}").set_value("t29").run()
    assert not page.exception
    assert [box.label for box in page.checkbox if "t29" in box.label] == ["Select t29"]
    [line] = [markdown.value for markdown in page.markdown if "t29" in markdown.value]
    assert line.count("t29") == 1, "a key that is found stands once, and the text's beginning before it"
    assert line.startswith(as_text("Never again."))
    assert ":orange-background[**t29**]" in line
    page.text_input(f"project_search_words_{project.id}").set_value("**nobody** wrote this").run()
    assert "Nothing found. Change the search or filters." in page.info[0].value


def test_a_lead_archives_a_project_brings_it_back_and_deletes_it_by_its_name(
    store: Store, texts, lea, opened: Opened, database: Path
) -> None:
    project = texts(2)
    lead = lea(project)
    page = opened(project, lead, "Record").run()
    page.button(key="project_archive").click().run()
    assert not find_project(store, project.name).is_archived, "it is asked first"
    dialog = "\n".join(markdown.value for markdown in page.markdown)
    assert "stops and can't be submitted." in dialog
    assert "Everything stays. A lead can restore it at any time." in dialog
    page.button(key="project_archive").click()  # a dialog is drawn by the run that opens it alone, outside of a browser
    page.button(key="project_archive_go").click().run()
    assert not page.exception
    archived = find_project(store, project.name)
    assert archived.is_archived
    page = opened(archived, lead, "Rules").run()
    [sections] = [one for one in page.get("button_group") if one.label == "Section"]
    assert (sections.options, sections.value) == (["Overview", "Data", "Quality", "Record"], "Overview")
    page.button(key="project_bring_back").click().run()
    assert not find_project(store, project.name).is_archived
    page = opened(project, lead, "Record").run()
    _type_and_delete(page, "another name")
    assert "Nothing was done" in page.error[0].value
    _type_and_delete(page, project.name)  # then the frame, which is not run here, would open another project
    assert store.value("SELECT count(*) FROM projects") == 0
    [backup] = database.parent.glob("*.backup")
    assert str(backup) in page.session_state[CONFIRMED]["words"].replace("\\", "")


def _type_and_delete(page: AppTest, name: str) -> None:
    """A dialog is drawn by the run that opens it alone, outside of a browser."""
    page.button(key="project_delete").click().run()
    page.text_input(key="project_delete_name").input(name)
    page.button(key="project_delete").click()
    page.button(key="project_delete_go").click().run()


def test_what_was_given_out_ahead_is_said_beside_the_counts(
    store: Store, texts, project_page: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(5)
    ann = add_person("ann", project, "annotator")
    work = annotate_work.next_work(store, ann, project.id).work
    assert work is not None
    annotate_work.note_seen(store, ann, work.assignment.id, store.now())
    page = project_page(project, "Progress").run()
    assert [(one.label, one.value) for one in page.metric][1:3] == [("To annotate", "3"), ("In progress", "2")]
    assert page.metric[2].help == "Includes 1 text assigned ahead."
    counts = annotate_work.counts_in(store, ann, project.id, None)
    assert counts["open"] + counts["waiting"] == 5


def test_workers_of_a_crowd_link_are_counted_and_not_listed(store: Store, texts, project_page: Opened) -> None:
    project = texts(8)
    link = open_recruitment_link(store, project, quota=1)
    names = [enter(store, link, f"worker-{number}")[1].name for number in range(3)]
    app = project_page(project, "People").run()
    assert not app.exception
    shown = " ".join(element.value for element in app.markdown)
    assert "**Pilot** · open: accepts workers 3 workers: 3 working, 0 of 10 finished, 0 stopped, 0 timed out." in shown
    options = [
        option for box in app.selectbox if box.label != "Worker" for option in box.options
    ]  # that one stops them
    assert not [name for name in names if name in shown or any(name in option for option in options)]
    assert not [name for name in names if name in app.dataframe[0].value.to_csv()]
    app.text_input(key="crowd_code").input("no code")
    app.button(key="crowd_code_go").click().run()
    assert any("isn't a code of this project" in error.value for error in app.error)
    app.button(key=f"crowd_{link.id}_pause").click().run()
    assert any("paused" in element.value for element in (*app.markdown, *app.caption))


def test_nobody_is_chosen_where_somebody_loses_something(texts, project_page: Opened) -> None:
    project = texts(1)
    page = project_page(project, "People").run()
    assert page.selectbox("people_take_role").value is None
    page.button("people_take_ask").click().run()
    assert not page.exception
    assert "Choose a person." in [warning.value for warning in page.warning]


def test_less_than_one_percent_is_not_said_to_be_nothing(
    store: Store, texts, lea, opened: Opened, add_person: Callable[..., User]
) -> None:
    project = texts(150)
    lead = lea(project)
    ids = [row.id for row in instances_of(store, LOCAL_OPERATOR, project.id, limit=1)]
    change_many(store, lead, project, BulkChange("discard", reason="broken text"), ids)
    page = opened(project, lead, "Progress").run()
    [shown] = page.get("progress")
    assert shown.proto.text == "less than 1 % done."


def test_before_anybody_is_chosen_naming_people_says_to_choose_and_then_what_one_alone_leaves_undone(
    store: Store, texts: Callable[..., Project], project_page: Callable[[Project, str], AppTest]
) -> None:
    project = texts(2, annotators_per_instance=2)
    accounts.add_user(store, LOCAL_OPERATOR, "mei", "annotator", project.name)
    page = project_page(project, "Instances").run()
    page.selectbox(key=f"changes_kind_{project.id}_0").set_value("name").run()
    written = [element.value for element in (*page.caption, *page.markdown)]
    assert any("Choose people. Currently everyone gets these texts." in words for words in written)
    assert not any("Skipped:" in words or "Affects **" in words for words in written)
    page.multiselect(key=f"changes_people_name_{project.id}").set_value(["mei"]).run()
    [short] = [element.value for element in page.warning if "Add people, or choose" in element.value]
    assert short == "2 texts need 2 annotators each. Add people, or choose “first for them, then for others”."
