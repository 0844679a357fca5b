"""The Tests page as a script: what it says with nothing, making a test, results with markup in names, who may see it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.models import Prediction, Run, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.suites import Case, CaseAnswer
from annotator.figures.case_texts import case_texts_html
from annotator.files import resource_folder
from annotator.store import Store
from annotator.store.projects import get_project_by_id
from annotator.store.suites import add_run, save_answers
from annotator.usecases.background import AskedSuite, queue_of
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.project.ends import archive
from annotator.usecases.suites.construction import save_test, suite_named, suites_of
from annotator.usecases.suites.results import Rate, rate_words
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from annotator.web.sections.suites.results import expectation_words
from annotator.web.session import Visit

PAGE = resource_folder("pages") / "tests.py"
HOSTILE = "<b onclick=x>model</b>"


@pytest.fixture
def page(app_for: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """The page, run for somebody with a role in a project."""

    def run(
        project: Project, role: str = "researcher", section: str = "Results", typed: dict[str, str] | None = None
    ) -> AppTest:
        app = app_for(PAGE, project, role)
        app.session_state["tests_section"] = section
        for key, text in (typed or {}).items():
            app.session_state[key] = text
        return app.run()

    return run


@pytest.fixture
def answered(store: Store, project: Project) -> Project:
    """A test of two cases; a model with markup in its name fails the first."""
    cases = [Case("t", "MFT", "Logic", str(n), (f"<i>text</i> {n}",), "label", ("negative",)) for n in range(2)]
    test = save_test(store, LOCAL_OPERATOR, project, "s", cases)
    with store.transaction():
        run = add_run(store, test.suite_id, HOSTILE, "", computed_by=None, created_by="x")
        answers = [[CaseAnswer(label, None)] for label in ("positive", "negative")]
        save_answers(store, run, test.id, answers, ["failed", "passed"])
    return project


@pytest.mark.parametrize("section", ["Results", "Make a test", "Word lists", "Files"])
@pytest.mark.parametrize("task", ["sentiment", "inference", "similarity", "verification"])
def test_every_section_runs_in_an_empty_project_of_any_task_with_labels(page, make_project, task, section) -> None:
    app = page(make_project(task), section=section)
    assert not app.exception
    assert not app.error


def test_an_empty_project_says_where_tests_come_from(page, make_project) -> None:
    assert page(make_project()).info[0].value.startswith("No test suites yet. See “Make a test” or “Files”.")


def test_a_project_that_asks_for_answers_says_so(page, make_project) -> None:
    app = page(make_project("reading"))
    assert not app.exception
    assert app.info[0].value.startswith("This needs labels; this project has answers.")


@pytest.mark.parametrize("role", ["annotator", "reviewer"])
def test_who_may_not_use_models_sees_no_tests(page, answered, role) -> None:
    app = page(answered, role)
    assert app.info[0].value.startswith("You can't use models here. Ask a lead.")
    assert not app.selectbox


def test_a_rate_is_a_button_and_names_are_text(page, answered) -> None:
    app = page(answered)
    assert not app.exception
    assert "50.0 % ?" in [b.label.replace("\\", "") for b in app.button]
    shown = "".join(markdown.value for markdown in app.markdown)
    assert HOSTILE not in shown
    assert "onclick" in shown  # as text


def test_a_rate_has_a_bar_with_its_interval(page, answered) -> None:
    bars = [html.body for html in page(answered).get("html") if 'class="rate"' in html.body]
    assert any('<i style="width:50.0%"></i>' in bar and "9.5 to 90.5 %" in bar for bar in bars)


def test_a_ready_test_is_previewed_a_case_dropped_and_the_rest_saved(page, project, store) -> None:
    app = page(project, section="Make a test")
    assert not app.exception
    assert "Save test (200 cases)" in [b.label for b in app.button]
    app.button(key="tests_drop_0").click().run()
    app.button(key="tests_save").click().run()
    assert not app.exception
    (suite,) = suites_of(store, LOCAL_OPERATOR, project)
    assert (suite.name, suite.n_cases) == ("sentiment", 199)
    assert suite.tests[0].recipe["dropped"] == ["0"]


def test_an_own_template_with_an_unknown_slot_is_refused_where_it_is_written(page, project, store) -> None:
    app = page(project, section="Make a test")
    app.segmented_control(key=f"tests_kind_{project.id}").set_value("Custom test").run()
    app.text_input(key=f"tests_own_name_{project.id}").set_value("mine")
    app.text_area(key=f"tests_own_lines_{project.id}").set_value("The {thin} was not {good}.").run()
    assert app.error[0].value.replace("\\", "") == "No word list for slot {thin}. Did you mean {thing}?"
    app.text_area(key=f"tests_own_lines_{project.id}").set_value("The {thing} was not {good}.").run()
    assert not app.error
    app.number_input(key=f"tests_n_{project.id}_own").set_value(7).run()
    app.button(key="tests_save").click().run()
    assert suite_named(store, project, "sentiment").n_cases == 7


def test_word_lists_are_written_on_the_page(page, project, store) -> None:
    app = page(project, section="Word lists")
    app.text_input(key=f"tests_list_name_{project.id}_new list").set_value("dish")
    app.text_area(key=f"tests_list_words_{project.id}_new list").set_value("soup\nbread").run()
    app.button(key="tests_list_save").click().run()
    assert not app.exception
    assert store.value("SELECT words FROM word_lists WHERE name = 'dish'") == '["soup", "bread"]'


def test_a_model_with_other_labels_runs_the_tests_once_its_labels_are_confirmed(
    store: Store, page, answered, tmp_path: Path
) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "config.json").write_text('{"id2label": {"0": "NEG", "1": "POS"}}', encoding="utf-8")
    app = page(answered, typed={f"tests_model_{answered.id}": f"transformers:{tmp_path / 'm'}"})
    assert app.button(key="tests_run").disabled
    app.checkbox(key=f"tests_labels_{answered.id}_m_negative_positive_right").check().run()
    app.button(key="tests_run").click().run()
    assert not app.exception
    (job,) = queue_of(store, LOCAL_OPERATOR, answered).open
    options = msgspec.json.decode(job.options, type=AskedSuite).options
    assert options.renamed == {"NEG": "negative", "POS": "positive"}


def test_models_that_can_be_asked_are_offered_and_those_that_cannot_are_named(
    store: Store, page, answered, import_rows
) -> None:
    path = models_folder(store, answered) / "trained" / "config.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}", encoding="utf-8")
    import_output(store, answered, "trained", "elsewhere")
    app = page(answered)
    assert app.selectbox(key=f"tests_model_{answered.id}").options == ["built-in", "trained"]
    assert "“elsewhere” wasn't trained here. Enter transformers:FOLDER, or import predictions under “Files”." in said(
        app.caption
    )
    app.selectbox(key=f"tests_model_{answered.id}").set_value("trained").run()
    app.button(key="tests_run").click().run()
    assert not app.exception
    (job,) = queue_of(store, LOCAL_OPERATOR, answered).open
    assert msgspec.json.decode(job.options, type=AskedSuite).model == "trained"


def import_output(store: Store, project: Project, *models: str) -> None:
    rows = [SourceOutput("t1", Run(model), "f", 1, None, (Prediction("negative"),)) for model in models]
    with store.transaction():
        Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run(rows)


def said(elements: object) -> str:
    return " | ".join(element.value for element in elements).replace("\\", "").replace(":small[]", "")


CASES = [
    {"test": "t", "type": "MFT", "capability": "c", "case": n, "texts": ["x"], "label": label}
    for n, label in enumerate(("positive", "neutral", "neutral"))
] + [{"test": "none", "type": "MFT", "capability": "c", "case": 0, "texts": ["x"], "label": "neutral"}]


def as_file(name: str, rows: list[dict[str, object]]) -> tuple[str, bytes, str]:
    return name, b"".join(msgspec.json.encode(row) + b"\n" for row in rows), "text/plain"


def test_a_suite_among_the_predictions_is_told_and_imported_by_a_button(store: Store, page, answered) -> None:
    app = page(answered, section="Files")
    app.file_uploader(key="tests_predictions").set_value([as_file("theirs.jsonl", CASES[:1])]).run()
    app.button(key="tests_predictions_go").click().run()
    assert "problem; nothing was stored." in said(app.error)
    app.button(key="tests_move").click().run()
    assert not app.exception
    assert suite_named(store, answered, "theirs").n_cases == 1


def test_what_is_left_out_of_a_suite_is_counted_with_its_reasons(store: Store, page, answered) -> None:
    app = page(answered, section="Files")
    app.file_uploader(key="tests_import").set_value(as_file("theirs.jsonl", CASES)).run()
    app.checkbox(key="tests_import_skip").check()
    app.button(key="tests_import_go").click().run()
    assert not app.exception
    assert said(app.error) == ""
    assert suite_named(store, answered, "theirs").n_cases == 1
    assert said(app.warning) == (
        "3 lines were left out (3: 'neutral' isn't a project label (negative, positive); rename it (“Labels named differently "
        "in the project”)). 1 test has no cases left: “none”."
    )
    assert (
        "isn't a project label (negative, positive); rename it (“Labels named differently in the project”)."
        in app.table[0].value.to_string().replace("\\", "")
    )
    app.button(key="tests_left_close").click().run()
    assert not app.warning


def test_case_texts_are_escaped_and_mark_what_was_changed() -> None:
    html = case_texts_html(["a <i>b</i>", "a <u>c</u>"], compares=True, answers=["x", "<y>"], fails=[False, True])
    assert "<i>" not in html
    assert "<u>" not in html
    assert "✗ &lt;y&gt;" in html
    plain = case_texts_html(["It was good.", "It was very good."], compares=True)
    assert "It was<ins> very</ins> good." in plain or "It was <ins>very </ins>good." in plain


def test_a_result_without_a_value_is_never_a_none_and_has_no_minus_before_a_zero() -> None:
    assert rate_words(Rate(None, None, (), ())) == "–"
    assert rate_words(Rate(None, None, (0,), (3,))) == "– · applies to none"
    assert rate_words(Rate(-0.0, None, (0,), (0,))) == "0.0 %"


def test_what_is_expected_of_a_changed_text_is_a_sentence_for_itself() -> None:
    case = Case("t", "INV", "Logic", "0", ("a", "b"), "same", (), tolerance=0.1)
    assert expectation_words(case) == (
        "Fails if the label changes and the original label's probability moves by more than 0.1."
    )


@pytest.mark.parametrize(
    ("section", "off", "of_use"),
    [
        ("Results", {"tests_run", "tests_remove_go_1"}, {"tests_cell_1_0"}),
        ("Word lists", {"tests_list_save"}, set()),
        ("Files", set(), {"tests_export"}),
    ],
)
def test_in_an_archived_project_what_would_change_it_is_off_and_says_why(
    page, store, answered, section, off, of_use
) -> None:
    app = page(answered, section=section)
    archive(store, LOCAL_OPERATOR, answered.id)
    visit: Visit = app.session_state["visit"]
    app.session_state["visit"] = replace(visit, project=get_project_by_id(store, answered.id))
    app.run()
    assert "is archived" in app.info[0].value
    assert {button.key for button in app.button if button.disabled and "is archived" in button.help} == off
    assert {button.key for button in app.button if not button.disabled} == of_use
