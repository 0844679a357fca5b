"""Sections of the Project page: progress, releases, export, rules."""

import io
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.files import resource_folder
from annotator.store import Store
from annotator.store.instances import discard, find_instance_ids
from annotator.store.projects import get_project_by_id
from annotator.usecases.annotate.work import next_work, submit
from annotator.usecases.databases import find_project
from annotator.usecases.qualification.items import pick
from annotator.usecases.releases.frozen_gold import freeze_gold, releases_of_project
from annotator.usecases.transfer.export import WITH_PEOPLE, WRITABLE
from annotator.usecases.transfer.import_report import ImportReport
from annotator.web.frame import CONFIRMED
from tests.usecases.review.test_reviews import annotate
from tests.web.sections.test_project_page import SETS, Opened, lea, opened, table_with, texts

__all__ = ["lea", "opened", "texts"]

VIEWS = ("Days and people", "Time", "Hours and cost", "Flagged work")


@pytest.fixture
def worked(store: Store, texts: Callable[..., Project], add_person: Callable[..., User]) -> Project:
    """Thirty texts, of which ann has submitted two that took her 6 and 12 s."""
    project = texts(30)
    ann = add_person("ann", project, "annotator")
    for seconds in (6, 12):
        work = annotate(store, ann, project, SETS)
        store.run("UPDATE assignments SET active_ms = ? WHERE id = ?", (1000 * seconds, work.assignment.id))
    return project


def view(opened: Opened, project: Project, lead: User, name: str) -> AppTest:
    page = opened(project, lead, "Progress")
    page.session_state[f"progress_view_{project.id}"] = name
    return page.run()


@pytest.mark.parametrize("name", VIEWS)
def test_before_anybody_has_submitted_each_view_says_so_and_none_fails(
    texts: Callable[..., Project], lea: Callable[[Project], User], opened: Opened, name: str
) -> None:
    project = texts(3)
    page = view(opened, project, lea(project), name)
    assert not page.exception
    assert not page.error


def test_time_is_told_by_person_with_what_it_was_measured_from(
    worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Time")
    everybody, ann = table_with(page, "time unknown")
    assert (everybody["texts"], everybody["median s per text"]) == (2, 9.0)
    assert (ann["person"], ann["median s per token"]) == ("ann", 3.0)
    assert (
        "Active time while a text is shown. Pauses over 60 s don't count (Rules, “Idle”). First "
        "submissions only; all tokens of the text." in page.caption[-2].value
    )


def test_a_rate_is_typed_once_and_then_costs_are_there(
    store: Store, worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Hours and cost")
    assert page.metric[-1].value == "–"
    page.selectbox(key=f"progress_rate_unit_{worked.id}").set_value("text")
    page.text_input(key=f"progress_rate_annotating_{worked.id}").set_value("0,35")
    page.text_input(key=f"progress_rate_currency_{worked.id}").set_value("EUR")
    page.button(key=f"progress_rate_save_{worked.id}").click().run()
    assert not page.exception
    rate = get_project_by_id(store, worked.id).settings.pay_rate
    assert rate is not None
    assert (rate.unit, rate.annotating, rate.reviewing, rate.currency) == ("text", Decimal("0.35"), Decimal(0), "EUR")
    lead = page.session_state["visit"].user
    page = view(
        opened, get_project_by_id(store, worked.id), lead, "Hours and cost"
    )  # as the next run reads the project
    assert page.metric[-1].value == r"0\.70 EUR"  # Markdown, in which a point may mean a list
    [row] = table_with(page, "amount")
    assert (row["person"], row["submitted"], row["amount"]) == ("ann", 2, 0.7)


def test_a_typed_rate_counts_at_once_and_is_not_yet_the_projects(
    store: Store, worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Hours and cost")
    [row] = table_with(page, "amount")
    assert row["amount"] == "–"
    assert page.get("download_button")[0].label == "Table without amounts (CSV)"
    page.selectbox(key=f"progress_rate_unit_{worked.id}").set_value("text")
    page.text_input(key=f"progress_rate_annotating_{worked.id}").set_value("0.35").run()
    assert page.metric[-1].value == r"0\.70 EUR"
    [row] = table_with(page, "amount")
    assert row["amount"] == 0.7
    assert page.get("download_button")[0].label == "Payment table (CSV)"
    assert any("Unsaved rate: lost when you leave." in caption.value for caption in page.caption)
    assert get_project_by_id(store, worked.id).settings.pay_rate is None


def test_a_rate_without_a_currency_says_which_word_is_missing(
    worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Hours and cost")
    page.text_input(key=f"progress_rate_annotating_{worked.id}").set_value("12")
    page.text_input(key=f"progress_rate_currency_{worked.id}").set_value("").run()
    assert page.error[0].value == r"Enter a currency, such as EUR\."
    assert page.metric[-1].value == "–"


def test_a_rate_that_is_no_number_is_refused_in_a_sentence(
    store: Store, worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Hours and cost")
    page.text_input(key=f"progress_rate_annotating_{worked.id}").set_value("twelve")
    page.button(key=f"progress_rate_save_{worked.id}").click().run()
    assert "Invalid rate “twelve”\\." in page.error[0].value
    assert get_project_by_id(store, worked.id).settings.pay_rate is None


def test_a_count_leads_to_the_annotations_behind_it_with_a_good_reason_beside_them(
    store: Store, worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Flagged work")
    page.number_input(key=f"progress_looks_bound_{worked.id}").set_value(300.0).run()
    assert not page.exception
    counts, rows = table_with(page, "annotations"), table_with(page, "gold")
    assert (counts[0]["person"], counts[0]["annotations"], counts[0]["quick"]) == ("ann", 2, 1)
    assert [(row["annotator"], row["time"]) for row in rows] == [("ann", "6 s")]


def test_the_usual_bound_of_quick_work_is_a_quarter_of_the_median_however_small(
    store: Store, worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    store.run("UPDATE assignments SET active_ms = active_ms / 1000")
    bound = view(opened, worked, lea(worked), "Flagged work").number_input(key=f"progress_looks_bound_{worked.id}")
    assert bound.value == pytest.approx(100 * 0.003 / 4)


def test_among_many_people_one_is_found_by_a_part_of_the_name(
    store: Store, texts: Callable[..., Project], lea: Callable[[Project], User], opened: Opened,
    add_person: Callable[..., User],
) -> None:  # fmt: skip
    project = texts(40)
    for number in range(14):
        annotate(store, add_person(f"ann {number}", project, "annotator"), project, SETS)
    page = view(opened, project, lea(project), "Days and people")
    assert len(table_with(page, "last submission")) == 14
    page.text_input(key="progress_search").set_value("N 13").run()
    assert [row["person"] for row in table_with(page, "last submission")] == ["ann 13"]
    page.text_input(key="progress_search").set_value("<b>nobody").run()
    assert not page.exception


# Releases on Project: a lead freezes the gold, compares it with that of now, and takes it along.


@pytest.fixture
def released(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project()
    rows = [
        {"id": f"t{n}", "text": "good *and* bad", "label": "positive", "rationales": [[[0, 1]]], "annotator": "a"}
        for n in range(3)
    ]
    import_rows(made, rows)
    return made


@pytest.fixture
def app(project_page: Callable[[Project, str], AppTest], released: Project) -> AppTest:
    return project_page(released, "Releases")


def test_a_lead_freezes_the_gold_and_sees_it_listed(store: Store, released: Project, app: AppTest) -> None:
    app.run()
    assert not app.dataframe
    app.text_input(key=f"release_name_{released.id}_0").input("*camera* ready")
    app.text_input(key=f"release_licence_{released.id}_0").input("CC0")
    app.button(key="release_freeze").click().run()
    assert not app.exception
    [made] = releases_of_project(store, LOCAL_OPERATOR, released)
    assert (made.name, made.rules.licence, made.made_by) == ("*camera* ready", "CC0", "lea")
    assert app.session_state[CONFIRMED]["words"].startswith("Created release 1 “*camera* ready”")
    assert app.dataframe[0].value["Instances"].tolist() == [3]
    assert app.text_input(key=f"release_name_{released.id}_1").value == "", "the next one needs another name"
    app.selectbox(key="release_taken_1").set_value(1).run()
    app.text_input(key=f"release_name_{released.id}_1").input("second")
    app.text_input(key=f"release_licence_{released.id}_1").input("CC0")
    app.button(key="release_freeze").click().run()
    assert app.selectbox(key="release_taken_2").value == 2, "the newest is at hand"


def test_training_texts_that_are_in_a_release_are_said_before_and_after(
    store: Store, released: Project, app: AppTest
) -> None:
    sentence = "Includes 1 complete text used for training or blind checks."
    app.run()
    assert sentence not in [caption.value for caption in app.caption]
    pick(store, LOCAL_OPERATOR, released, "annotators", find_instance_ids(store, released.id, "t1"))
    app.run()
    assert sentence in [caption.value for caption in app.caption]
    app.text_input(key=f"release_name_{released.id}_0").input("ready")
    app.text_input(key=f"release_licence_{released.id}_0").input("CC0")
    app.button(key="release_freeze").click().run()
    assert app.session_state[CONFIRMED]["words"].replace("\\", "").endswith(sentence)


def test_texts_without_all_their_annotators_are_said_before_and_after(
    project_page: Callable[[Project, str], AppTest], make_project: Callable[..., Project],
    import_rows: Callable[..., object],
) -> None:  # fmt: skip
    released = make_project(name="Two each", annotators_per_instance=2)
    import_rows(
        released, [{"id": "t", "text": "good", "label": "positive", "rationales": [[[0, 1]]], "annotator": "a"}]
    )
    app = project_page(released, "Releases").run()
    sentence = "1 text with gold is incomplete; it is frozen as is. 1 has fewer annotators than required (2)."
    assert sentence in [warning.value.replace("\\", "") for warning in app.warning]
    app.text_input(key=f"release_name_{released.id}_0").input("ready")
    app.text_input(key=f"release_licence_{released.id}_0").input("CC0")
    app.button(key="release_freeze").click().run()
    assert app.session_state[CONFIRMED]["words"].replace("\\", "").endswith(sentence)


def test_what_is_refused_is_said_and_the_fields_stay(store: Store, released: Project, app: AppTest) -> None:
    app.run()
    app.text_input(key=f"release_name_{released.id}_0").input("first")
    app.button(key="release_freeze").click().run()
    assert "Add a licence, e.g. CC BY 4.0." in app.error[0].value.replace("\\", "")
    assert app.text_input(key=f"release_name_{released.id}_0").value == "first"
    assert releases_of_project(store, LOCAL_OPERATOR, released) == []


def test_all_that_is_missing_is_said_at_once(app: AppTest) -> None:
    app.run()
    app.button(key="release_freeze").click().run()
    assert "A release needs a name" in app.error[0].value
    assert "Add a licence, e.g. CC BY 4.0." in app.error[0].value.replace("\\", "")
    assert {"Name (required)", "Licence (required)"} <= {field.label for field in app.text_input}


def test_a_release_is_compared_with_the_gold_of_now_and_taken_along(
    store: Store, released: Project, app: AppTest
) -> None:
    freeze_gold(store, LOCAL_OPERATOR, released, "first", licence="CC0")
    with store.transaction():
        discard(store, find_instance_ids(store, released.id, "t1")[0])
    app.run()
    app.button(key="release_compare").click().run()
    assert "From release 1 to the current gold: 1 instance differs (1 removed, or now without gold)." in [
        markdown.value.replace("\\", "") for markdown in app.markdown
    ]
    assert "removed, or now without gold: t1" in [caption.value.replace("\\", "") for caption in app.caption]
    app.button(key="release_prepare").click().run()
    assert not app.exception
    _, name, content = app.session_state["release_ready"]
    with ZipFile(io.BytesIO(content)) as archive:
        assert {Path(path).name for path in archive.namelist()} >= {"LICENSE", "CITATION", "README.md", "gold.jsonl"}
    assert name == "Project-release-1-jsonl.zip"
    app.selectbox(key="release_format").select("eraser").run()
    app.button(key="release_prepare").click().run()
    shown = app.error[0].value.replace("\\", "")
    assert "so assign splits (“Assign splits” under Texts) and freeze a new one" in shown, "a page names no command"


# The Export page as a script: each format that can be written can be chosen, prepared and taken.

PAGE = resource_folder("pages") / "export.py"


@pytest.fixture
def page(
    app_for: Callable[..., AppTest], make_project: Callable[..., Project], import_rows: Callable[..., ImportReport]
) -> AppTest:
    """The page of a lead, in a project of an original with gold and a perturbed version of it."""
    project = make_project()
    import_rows(project, [
        {"id": "a", "text": "bad slow plot", "label": "negative", "split": "train", "rationales": [[[0, 1]]]},
        {"id": "a1", "text": "good slow plot", "label": "positive", "split": "train", "rationales": [[[0, 1]]], "parent": "a", "perturbation_kind": "contrast"},
    ])  # fmt: skip
    return app_for(PAGE, project, "lead").run()


@pytest.mark.parametrize("format_name", WRITABLE)
def test_each_format_is_prepared_and_can_be_taken(page: AppTest, format_name: str) -> None:
    page.selectbox("export_format").set_value(format_name)
    page.button("export_prepare").click().run()
    assert not page.exception
    [taken] = page.get("download_button")
    assert taken.proto.label.startswith("Download ")


def test_a_contrast_set_always_holds_both_halves_and_the_page_says_how_many_versions_have_no_gold_yet(
    page: AppTest, store: Store, import_rows: Callable[..., ImportReport]
) -> None:
    waiting = {"id": "a2", "text": "fine slow plot", "label": "positive", "split": "train", "parent": "a"}
    import_rows(find_project(store, "Project"), [waiting | {"perturbation_kind": "contrast"}])
    page.selectbox("export_format").set_value("eraser").run()
    page.button_group("export_half").set_value("originals").run()
    page.selectbox("export_format").set_value("contrast").run()
    page.button("export_prepare").click().run()
    assert not page.exception
    assert page.button_group("export_half").proto.disabled
    [taken] = page.get("download_button")
    assert "Download Project\\-contrast\\.jsonl \\(0 KB\\)" in taken.proto.label
    assert [said.value for said in page.info] == ["1 perturbed version without gold skipped."]


@pytest.mark.parametrize("format_name", WRITABLE)
def test_names_are_offered_for_the_formats_that_tell_people_apart(page: AppTest, format_name: str) -> None:
    page.selectbox("export_format").set_value(format_name).run()
    assert ("export_names" in [box.key for box in page.checkbox]) == (format_name in WITH_PEOPLE)


def test_names_are_in_the_file_once_they_are_asked_for(page: AppTest) -> None:
    page.selectbox("export_format").set_value("datasets").run()
    page.checkbox("export_names").check()
    page.button("export_prepare").click().run()
    assert not page.exception
    with ZipFile(BytesIO(page.session_state["export_ready"][2])) as archive:
        [name] = [name for name in archive.namelist() if "/annotations/" in name and name.endswith(".parquet")]
        table = pq.read_table(BytesIO(archive.read(name)))
    assert all(not person.startswith("annotator ") for person in table["annotator"].to_pylist())


def test_a_lead_finds_the_releases_from_here_and_a_researcher_has_none(page: AppTest) -> None:
    [link] = [element.proto for element in page.get("page_link")]
    assert link.label == "Gold releases"
    assert link.query_string.endswith("section=Releases")
    visit = page.session_state["visit"]
    page.session_state["visit"] = replace(visit, roles=frozenset({"researcher"}))
    assert not page.run().get("page_link")


# The rules on the Project page: what is read before they are saved, and that they were.


def test_more_annotators_are_wanted_only_once_the_lead_has_read_what_becomes_incomplete(
    store: Store, project: Project, annotator: User, project_page: Callable[[Project, str], AppTest]
) -> None:
    work = next_work(store, annotator, project.id).work
    assert work is not None
    submit(store, annotator, work.assignment.id, work.assignment.revision, Draft(sets=(RationaleSet.of((0, 2)),)))
    page = project_page(project, "Rules").run()
    page.number_input(key=f"rules_annotators_{project.id}").set_value(2)
    page.button(key="rules_save").click().run()
    assert not page.exception
    assert any("1 complete text becomes incomplete" in element.value for element in page.markdown)
    assert get_project_by_id(store, project.id).settings.annotators_per_instance == 1
    assert any(button.key == "rules_save_anyway" for button in page.button)
    page.number_input(key=f"rules_annotators_{project.id}").set_value(1)
    page.number_input(key=f"rules_idle_{project.id}").set_value(30)
    page.button(key="rules_save").click().run()
    assert get_project_by_id(store, project.id).settings.idle_after_seconds == 30
    assert page.toast[0].value == r"Rules saved\."


@pytest.mark.parametrize(("labels", "chosen"), [("positive", None), ("bad, positive", "bad")])
def test_what_replaces_a_removed_label_is_chosen_beforehand_only_where_a_new_one_stands_in_its_place(
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    project_page: Callable[[Project, str], AppTest],
    labels: str,
    chosen: str | None,
) -> None:
    project = make_project()
    import_rows(project, [{"id": "t", "text": "good", "label": "negative"}])
    page = project_page(project, "Rules").run()
    page.text_input(key=f"rules_labels_{project.id}").input(labels)
    page.button(key="rules_save").click().run()
    assert page.selectbox(key=f"replace_label_{project.id}_negative").value == chosen
    assert bool([button for button in page.button if button.key == "replace_label_go"]) == bool(chosen)


def test_a_threshold_says_what_its_scores_mean(
    project: Project, project_page: Callable[[Project, str], AppTest]
) -> None:
    field = project_page(project, "Rules").run().number_input(key=f"rules_compactness_{project.id}")
    assert field.help == "1: includes redundant tokens; 2: includes disturbances; 3: not sure; 4: concise"
    assert field.max == 4
