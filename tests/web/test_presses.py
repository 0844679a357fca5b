"""A press is carried out once, also where the run that was told of it never came to the button."""

import pytest
from streamlit.testing.v1 import AppTest

from annotator.web import buttons

PAGE = """
import streamlit as st
from annotator.web.buttons import pressed

st.session_state.setdefault("n_done", 0)
if st.session_state.pop("is_broken_off", False):
    st.rerun()  # as when something else on the page reports meanwhile
if st.session_state.get("is_drawn", True) and pressed("Go", key="go"):
    st.session_state["n_done"] += 1
"""

OF_A_PROJECT = """
import streamlit as st
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.web.buttons import pressed, work_of

archived_at = st.session_state["archived_at"]
project = Project(1, "Tastes", get_task("sentiment"), (), "en", ProjectSettings(), archived_at=archived_at)
with work_of(project, reads=("read_",)):
    pressed("Change it", key="change")
    pressed("Read it", key="read_1")
pressed("Elsewhere", key="elsewhere")
"""


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_string(PAGE).run()


def n_done(app: AppTest) -> int:
    return int(app.session_state["n_done"])


def test_a_press_is_carried_out_once(app: AppTest) -> None:
    assert n_done(app) == 0
    assert n_done(app.button(key="go").click().run()) == 1
    assert n_done(app.run()) == 1


def test_a_press_whose_run_is_broken_off_before_the_button_is_carried_out_by_the_next(app: AppTest) -> None:
    app.session_state["is_broken_off"] = True
    assert n_done(app.button(key="go").click().run()) == 1
    assert n_done(app.run()) == 1


def test_a_press_is_not_carried_out_in_another_project(app: AppTest) -> None:
    app.session_state["is_drawn"] = False
    app.button(key="go").click().run()
    app.session_state["is_drawn"] = True
    app.query_params["project"] = "2"
    assert n_done(app.run()) == 0
    app.query_params.clear()
    assert n_done(app.run()) == 0


def test_a_button_that_comes_back_much_later_is_not_pressed(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    app.session_state["is_drawn"] = False
    app.button(key="go").click().run()
    app.session_state["is_drawn"] = True
    now = buttons.time.monotonic()
    monkeypatch.setattr(buttons.time, "monotonic", lambda: now + 61)
    assert n_done(app.run()) == 0


FORM = """
import streamlit as st
from annotator.web.buttons import submitted

st.session_state.setdefault("written", [])
if st.session_state.pop("is_broken_off", False):
    st.session_state["words"] = ""  # as the browser does with a form that clears its fields
    st.rerun()
with st.form("talk"):
    st.text_input("Words", key="words")
    held = submitted("Write", key="write", fields=("words",))
if held is not None:
    st.session_state["written"].append(held["words"])
"""


@pytest.mark.parametrize("is_broken_off", [False, True])
def test_the_words_of_a_form_are_written_once_also_where_the_first_run_is_broken_off(is_broken_off: bool) -> None:
    app = AppTest.from_string(FORM).run()
    assert app.session_state["written"] == []
    app.session_state["is_broken_off"] = is_broken_off
    app.text_input(key="words").set_value("It does.")
    assert app.button(key="write").click().run().session_state["written"] == ["It does."]
    assert app.run().session_state["written"] == ["It does."]


@pytest.mark.parametrize(("archived_at", "off"), [("2026-01-01", ["change"]), (None, [])])
def test_in_an_archived_project_buttons_that_change_something_are_off_and_say_why(
    archived_at: str | None, off: list[str]
) -> None:
    app = AppTest.from_string(OF_A_PROJECT)
    app.session_state["archived_at"] = archived_at
    app.run()
    assert [button.key for button in app.button if button.disabled] == off
    assert [button.key for button in app.button if "“Tastes” is archived" in button.help] == off
