"""Names that people and files bring are shown as they are on every page: Streamlit takes most texts for Markdown."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.instances import PREMISE_CHARACTERS, Draft
from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.suites import Case, CaseAnswer
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.files import resource_folder
from annotator.store import Store
from annotator.store.suites import add_run, save_answers
from annotator.usecases.access import accounts
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.talk import Subject, begin
from annotator.usecases.background import ask_to_measure, stop_job
from annotator.usecases.project.projects import create_project, give_role
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.review import reviews
from annotator.usecases.suites.construction import save_test
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from annotator.web import frame, session
from annotator.web.frame import as_text
from annotator.web.sections.metrics import numbers
from annotator.web.session import Visit

WORD = "zqx"  # stands in every name, and nowhere else
HOSTILE = f"**{WORD}**:red[y]$z$<img src=q>[l](http://e.com):smile: :material/home: www.e.com a -> b"
ESCAPED = as_text(HOSTILE)
ESCAPED_BEGINNING = as_text(HOSTILE.removesuffix(" a -> b"))  # of a text that is shown by its first words
ESCAPED_PREMISE = as_text(f"{HOSTILE[:PREMISE_CHARACTERS]}… · ")  # the same before its hypothesis

# What Streamlit shows as it is; any other text that a page sends is taken for Markdown here.
PLAIN = {
    ("selectbox", "options"), ("selectbox", "raw_value"), ("selectbox", "default_value"),
    ("multiselect", "options"), ("multiselect", "raw_values"), ("multiselect", "placeholder"),
    ("text_input", "default"), ("text_input", "value"), ("text_input", "placeholder"),
    ("text_area", "default"), ("text_area", "value"), ("text_area", "placeholder"),
    ("text", "body"), ("html", "body"), ("code", "code_text"), ("download_button", "download_url"),
    ("plotly_chart", "spec"), ("plotly_chart", "alt"), ("plotly_chart", "config"),
    ("arrow_data_frame", "data"), ("bidi_component", "json"), ("bidi_component", "mixed"),
}  # fmt: skip


def texts_of(message: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a message of Streamlit's, with the name of its field."""
    for field, value in message.ListFields():
        for one in value if field.is_repeated else [value]:
            if isinstance(one, str):
                yield field.name, one
            elif hasattr(one, "ListFields"):
                yield from texts_of(one, field.name)


def nodes_of(node: Any) -> Iterator[Any]:
    yield node
    for child in getattr(node, "children", {}).values():
        yield from nodes_of(child)


def shown_as_markdown(app: AppTest) -> Iterator[tuple[str, str, str]]:
    """Texts with the hostile name in them that Streamlit takes for Markdown: kind of element, field, text."""
    for node in nodes_of(app._tree):
        message = getattr(node, "proto", None)
        for field, text in texts_of(message) if hasattr(message, "ListFields") else ():
            if WORD in text and (node.type, field) not in PLAIN and field not in {"id", "form_id", "element_id", "key"}:
                yield node.type, field, text


@pytest.fixture
def project(store: Store, tmp_path: Path) -> Project:
    """A project in which everything that somebody can name has the hostile name; texts in work, answers of models, tests."""
    made = create_project(
        store, LOCAL_OPERATOR, HOSTILE, get_task("inference"), labels=[f"{HOSTILE}1", f"{HOSTILE}2"], language="en",
        settings=ProjectSettings(reviewers_per_annotation=1, annotators_per_instance=3),
    )  # fmt: skip
    rows = [
        {"id": f"{HOSTILE}{n}", "premise": f"{HOSTILE} is good.", "hypothesis": "bad slow plot", "label": f"{HOSTILE}1", "split": split,
         "annotator": f"{HOSTILE}{m}", "rationales": [[{"segment": "hypothesis", "start_token": m, "end_token": m + 1}]]}
        for n in range(4) for split in ("", HOSTILE) for m in range(2)
    ]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_file(store, LOCAL_OPERATOR, made, "jsonl", path)
    _let_models_speak(store, made)
    _test_models(store, made)
    _let_people_work(store, made)
    return made


def _let_models_speak(store: Store, project: Project) -> None:
    said = [
        SourceOutput(
            f"{HOSTILE}{n}", Run(f"{HOSTILE}{m}", HOSTILE, json.dumps({HOSTILE: HOSTILE})), "f", 1, "",
            (Prediction(None, {f"{HOSTILE}1": 0.6, f"{HOSTILE}2": 0.4}),),
            (SourceAttribution((ScoredPart((3.0, 2, 1), "hypothesis"),)),),
        )
        for n in range(4) for m in range(2)
    ]  # fmt: skip
    report = ImportReport(is_output=True)
    with store.transaction():
        Intake(store, project, ImportOptions(), report, lambda _: None).run(said)
    assert report.problems == []


def _test_models(store: Store, project: Project) -> None:
    save_word_list(store, LOCAL_OPERATOR, project, "group", [HOSTILE, "good"])
    text = {"premise": HOSTILE, "hypothesis": HOSTILE}
    cases = [Case(HOSTILE, "MFT", HOSTILE, str(n), (text,), "label", (f"{HOSTILE}1",)) for n in range(2)]
    test = save_test(store, LOCAL_OPERATOR, project, HOSTILE, cases)
    for model in (f"{HOSTILE}1", f"{HOSTILE}2"):
        with store.transaction():
            run = add_run(store, test.suite_id, model, "", computed_by=None, created_by=HOSTILE)
            answers = [[CaseAnswer(f"{HOSTILE}{n}", None)] for n in (2, 1)]
            save_answers(store, run, test.id, answers, ["failed", "passed"])


def _let_people_work(store: Store, project: Project) -> None:
    """A round that waits, one that is decided, a proposal, a contested label, a question, a job that was stopped."""
    people = []
    for number in range(3):
        person = accounts.add_user(store, LOCAL_OPERATOR, f"{HOSTILE}{number}", "annotator", project.name).user
        give_role(store, LOCAL_OPERATOR, project.id, person.name, "reviewer" if number else "lead")
        people.append(person)
    first, second, third = people
    sets = (RationaleSet.of((7, 8)),)
    for result in (f"{HOSTILE}1", f"{HOSTILE}1", f"{HOSTILE}2"):
        work = annotate_work.next_work(store, first, project.id).work
        annotate_work.submit(store, first, work.assignment.id, 0, Draft(result, sets, note=HOSTILE))
    work = annotate_work.next_work(store, second, project.id).work
    annotate_work.propose_discard(store, second, work.assignment.id, "other", HOSTILE)
    review = reviews.next_review(store, third, project.id).work
    begin(store, third, project.id, review.instance.id, Subject("instance", None, None, ""), HOSTILE, to_lead=True)
    stop_job(store, first, project, ask_to_measure(store, first, project).id)


@pytest.fixture
def page(store: Store, database: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """A page of the project, run for somebody of a hostile name who may do everything."""
    user = accounts.add_user(store, LOCAL_OPERATOR, f"{HOSTILE}a", "administrator", None).user
    token = accounts.sign_in_as(store, user.name, is_demonstration=True)
    monkeypatch.setattr(session, "cookie_token", lambda: token)
    monkeypatch.setattr(numbers, "AUTOMATIC", 10**6)
    monkeypatch.setenv("ANNOTATOR_DB", str(database))

    def run(name: str, **state: object) -> AppTest:
        app = AppTest.from_file(str(resource_folder("pages") / f"{name}.py"), default_timeout=60)
        app.session_state["visit"] = Visit(
            user, "", project, frozenset({"lead", "annotator", "reviewer", "researcher"})
        )
        for key, value in state.items():
            app.session_state[key] = value
        return app.run()

    return run


def check(app: AppTest, *, wants_name: bool = True) -> None:
    """Every hostile name is escaped wherever Streamlit would read it as Markdown, and some are there."""
    assert not app.exception
    found = list(shown_as_markdown(app))
    raw = [
        (kind, field, text)
        for kind, field, text in found
        if WORD in text.replace(ESCAPED, "").replace(ESCAPED_BEGINNING, "").replace(ESCAPED_PREMISE, "")
    ]
    assert raw == []
    assert found or not wants_name


@pytest.mark.parametrize("name", ["annotate", "review", "perturb", "saliency"])
def test_screens_that_are_one_component_send_names_as_data(page, name) -> None:
    check(page(name), wants_name=False)


def test_the_export_page_shows_names_as_text(page) -> None:
    check(page("export"))


SECTIONS = [
    "Progress",
    "Instances",
    "Import",
    "Rules",
    "Order",
    "People",
    "Rounds",
    "Quality",
    "Decisions",
    "Export",
    "Record",
]


@pytest.mark.parametrize("section", SECTIONS)
def test_the_sections_of_the_project_page_show_names_as_text(page, section) -> None:
    check(page("project", project_section=section))


def test_an_instance_that_is_looked_at_shows_names_as_text(page) -> None:
    state = {"project_section": "Instances", "project_look_key": f"{HOSTILE}0"}
    app = page("project", **state)
    check(app)
    part = next(one.key for one in app.segmented_control if one.key.startswith("look_part_"))
    for name in ("Talk", "Timeline"):
        check(page("project", **state, **{part: name}))


def test_agreement_shows_names_as_text(page) -> None:
    app = page("project", project_section="Quality")
    check(app)
    assert any("token κ" in table.value.columns for table in app.dataframe)


@pytest.mark.parametrize("section", ["Results", "Make a test", "Word lists", "Files"])
def test_the_sections_of_the_tests_page_show_names_as_text(page, section) -> None:
    check(page("tests", tests_section=section))


def test_failing_cases_show_names_as_text(page) -> None:
    app = page("tests", tests_section="Results")
    check(next(one for one in app.button if one.key.startswith("tests_cell_")).click().run())


CHARTS = [
    "Instances",
    "Confidence",
    "AOPC curves",
    "Layers",
    "Perturbed pairs",
    "Functional tests",
    "Fairness",
    "Contrast",
]


@pytest.mark.parametrize("chart", CHARTS)
def test_the_charts_of_the_metrics_page_show_names_as_text(page, project, chart) -> None:
    check(page("metrics", **{f"metrics_chart_{project.id}": chart}))


def test_the_frame_around_every_page_shows_names_as_text(page, project) -> None:
    page("export")
    app = AppTest.from_file(str(Path(frame.__file__).with_name("app.py")), default_timeout=60)
    app.query_params["project"] = str(project.id)
    check(app.run())


def test_what_is_checked_before_an_import_shows_names_as_text(page) -> None:
    app = page("project", project_section="Import")
    rows = [{"id": f"{HOSTILE}9", "premise": HOSTILE, "hypothesis": HOSTILE, "label": HOSTILE}] * 2
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    app.file_uploader(key="import_files").set_value(
        [(f"{HOSTILE}.jsonl".replace("/", ""), content, "text/plain")]
    ).run()
    app.selectbox(key="import_format").set_value("jsonl")
    check(app.button(key="import_check").click().run())


# What as_text makes of signs -----------------------------------------------------------------------------------------

SEEN_LATER = [
    ("a -> b <- c -- d", r"a \-:small[]\> b \<:small[]\- c \-:small[]\- d"),  # else → ← —
    ("a >= 1 <= ~=", r"a \>:small[]\= 1 \<:small[]\= \~:small[]\="),
    (":material/home:", r"\::small[]material/home\:"),  # else an icon
    (":smile: 12:30", r"\::small[]smile\: 12\::small[]30"),
    ("https://e.com www.e.com", r"https\::small[]//e\.com www:small[]\.e\.com"),  # else links
    ("ann@e.com", r"ann:small[]@e\.com"),
    ("a\n    b\n\tc", "a\nb\nc"),  # else a piece of code
    ("a\n===\n1. x", "a\n\\=\\=\\=\n1\\. x"),  # else a heading, and a list
    ("plain words, “quoted”; 好的", "plain words, “quoted”; 好的"),
]


@pytest.mark.parametrize(("text", "escaped"), SEEN_LATER)
def test_what_streamlit_puts_in_after_markdown_is_kept_off(text, escaped) -> None:
    assert as_text(text) == escaped
