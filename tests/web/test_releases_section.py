"""Releases on Project: a lead freezes the gold, compares it with that of now, and takes it along."""

import io
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.instances import discard, find_instance_ids
from annotator.usecases.qualification.items import pick
from annotator.usecases.releases.frozen_gold import freeze_gold, releases_of_project


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project()
    rows = [
        {"id": f"t{n}", "text": "good *and* bad", "label": "positive", "rationales": [[[0, 1]]], "annotator": "a"}
        for n in range(3)
    ]
    import_rows(made, rows)
    return made


@pytest.fixture
def app(project_page: Callable[[Project, str], AppTest], project: Project) -> AppTest:
    return project_page(project, "Export")


def test_a_lead_freezes_the_gold_and_sees_it_listed(store: Store, project: Project, app: AppTest) -> None:
    app.run()
    assert not app.dataframe
    app.text_input(key=f"release_name_{project.id}_0").input("*camera* ready")
    app.text_input(key=f"release_licence_{project.id}_0").input("CC0")
    app.button(key="release_freeze").click().run()
    assert not app.exception
    [made] = releases_of_project(store, LOCAL_OPERATOR, project)
    assert (made.name, made.rules.licence, made.made_by) == ("*camera* ready", "CC0", "lea")
    assert app.success[0].value.startswith(r"Made release 1 “\*camera\* ready”")
    assert app.dataframe[0].value["Instances"].tolist() == [3]
    assert app.text_input(key=f"release_name_{project.id}_1").value == "", "the next one needs another name"


def test_training_texts_that_are_in_a_release_are_said_before_and_after(
    store: Store, project: Project, app: AppTest
) -> None:
    sentence = "1 complete text is picked for training or blind checks of people. It is in the release like any other."
    app.run()
    assert sentence not in [caption.value for caption in app.caption]
    pick(store, LOCAL_OPERATOR, project, "annotators", find_instance_ids(store, project.id, "t1"))
    app.run()
    assert sentence in [caption.value for caption in app.caption]
    app.text_input(key=f"release_name_{project.id}_0").input("ready")
    app.text_input(key=f"release_licence_{project.id}_0").input("CC0")
    app.button(key="release_freeze").click().run()
    assert app.success[0].value.replace("\\", "").endswith(sentence)


def test_texts_without_all_their_annotators_are_said_before_and_after(
    project_page: Callable[[Project, str], AppTest], make_project: Callable[..., Project],
    import_rows: Callable[..., object],
) -> None:  # fmt: skip
    project = make_project(name="Two each", annotators_per_instance=2)
    import_rows(project, [{"id": "t", "text": "good", "label": "positive", "rationales": [[[0, 1]]], "annotator": "a"}])
    app = project_page(project, "Export").run()
    sentence = "1 text with gold is not complete: 1 has fewer annotators than the rules ask for (2). Its gold is frozen as it is now."
    assert sentence in [warning.value.replace("\\", "") for warning in app.warning]
    app.text_input(key=f"release_name_{project.id}_0").input("ready")
    app.text_input(key=f"release_licence_{project.id}_0").input("CC0")
    app.button(key="release_freeze").click().run()
    assert app.success[0].value.replace("\\", "").endswith(sentence)


def test_what_is_refused_is_said_and_the_fields_stay(store: Store, project: Project, app: AppTest) -> None:
    app.run()
    app.text_input(key=f"release_name_{project.id}_0").input("first")
    app.button(key="release_freeze").click().run()
    assert "A release needs a licence" in app.error[0].value
    assert app.text_input(key=f"release_name_{project.id}_0").value == "first"
    assert releases_of_project(store, LOCAL_OPERATOR, project) == []


def test_all_that_is_missing_is_said_at_once(app: AppTest) -> None:
    app.run()
    app.button(key="release_freeze").click().run()
    assert "A release needs a name" in app.error[0].value
    assert "A release needs a licence" in app.error[0].value
    assert {"Name (required)", "Licence (required)"} <= {field.label for field in app.text_input}


def test_a_release_is_compared_with_the_gold_of_now_and_taken_along(
    store: Store, project: Project, app: AppTest
) -> None:
    freeze_gold(store, LOCAL_OPERATOR, project, "first", licence="CC0")
    with store.transaction():
        discard(store, find_instance_ids(store, project.id, "t1")[0])
    app.run()
    app.button(key="release_compare").click().run()
    assert "From release 1 to the gold of now: 1 instance differs (1 removed, or without gold now)." in [
        markdown.value.replace("\\", "") for markdown in app.markdown
    ]
    assert "removed, or without gold now: t1" in [caption.value.replace("\\", "") for caption in app.caption]
    app.button(key="release_prepare").click().run()
    assert not app.exception
    _, name, content = app.session_state["release_ready"]
    with ZipFile(io.BytesIO(content)) as archive:
        assert {Path(path).name for path in archive.namelist()} >= {"LICENSE", "CITATION", "README.md", "gold.jsonl"}
    assert name == "Project-release-1-jsonl.zip"
