"""The Export page as a script: each format that can be written can be chosen, prepared and taken."""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.resources import resource_folder
from annotator.store import Store
from annotator.usecases.access import accounts
from annotator.usecases.project.projects import find_project
from annotator.usecases.transfer.export import WITH_PEOPLE, WRITABLE
from annotator.usecases.transfer.import_report import ImportReport
from annotator.web import session
from annotator.web.session import Visit

PAGE = resource_folder("pages") / "export.py"


@pytest.fixture
def page(
    store: Store,
    database: Path,
    make_project: Callable[..., Project],
    import_rows: Callable[..., ImportReport],
    monkeypatch: pytest.MonkeyPatch,
) -> AppTest:
    """The page of a lead, in a project of an original with gold and a perturbed version of it."""
    project = make_project()
    import_rows(project, [
        {"id": "a", "text": "bad slow plot", "label": "negative", "split": "train", "rationales": [[[0, 1]]]},
        {"id": "a1", "text": "good slow plot", "label": "positive", "split": "train", "rationales": [[[0, 1]]], "parent": "a", "perturbation_kind": "contrast"},
    ])  # fmt: skip
    user = accounts.add_user(store, LOCAL_OPERATOR, "ada", "lead", project.name).user
    token = accounts.sign_in_as(store, "ada", is_demonstration=True)
    monkeypatch.setattr(session, "cookie_token", lambda: token)
    monkeypatch.setenv("ANNOTATOR_DB", str(database))
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    app.session_state["visit"] = Visit(user, "", project, frozenset({"lead"}))
    return app.run()


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
    assert "(2 instances, " in taken.proto.label
    assert [said.value for said in page.info] == [
        "1 changed version without gold was left out. It is written once it is annotated."
    ]


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
    [link] = [element.proto.label for element in page.get("page_link")]
    assert link == "Releases of the gold"
    visit = page.session_state["visit"]
    page.session_state["visit"] = replace(visit, roles=frozenset({"researcher"}))
    assert not page.run().get("page_link")
