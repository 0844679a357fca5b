"""What pages share: choices and addresses, presses that are carried out once, times, the panel as a component."""

import subprocess
import sys
from typing import Any

import plotly.io
import pytest
import streamlit as st
from plotly.graph_objects import Figure
from streamlit.elements.lib import streamlit_plotly_theme
from streamlit.testing.v1 import AppTest

from annotator.web import buttons, page_parts
from annotator.web.page_choices import Choice, PageChoices, Params
from annotator.web.session import shown_day, shown_time, visit_zone
from tests.house.test_house import ROOT

SPLIT = Choice("split", "the split")
COLUMNS = Choice("columns", "the column")
IS_WIDE = Choice("wide", "the width")
PAGE = Choice("page", "the page")
ROW = Choice("row", "the row")
SPLITS = ["all", "train", "test"]


class Browser:
    """A person at a page: an address, a session, and controls that are drawn in each run."""

    def __init__(self) -> None:
        self.session: dict[Any, Any] = {}
        self.address: Params = {}
        self.splits = list(SPLITS)
        self.rows: list[str] | None = ["a", "b"]

    @property
    def choices(self) -> PageChoices:
        return PageChoices(self.session, "numbers", 7, (SPLIT, COLUMNS, IS_WIDE, PAGE, ROW))

    def run(self, *, is_arrival: bool = False, is_whole: bool = True) -> dict[str, Any]:
        """A run of the page; answers what its controls hold."""
        choices = self.choices
        choices.begin(self.address, is_arrival=is_arrival)
        keys = {
            "split": choices.one(SPLIT, self.splits, "all"),
            "columns": choices.several(COLUMNS, ["f1", "auc", "mrr"], ["f1"]),
            "wide": choices.flag(IS_WIDE),
            "page": choices.number(PAGE, 1, 9, 1),
        }
        if self.rows is not None and is_whole:
            keys["row"] = choices.one(ROW, self.rows, self.rows[0], part="chart")
        params = choices.end(is_whole=is_whole)
        self.address = self.address if params is None else params
        return {name: self.session[key] for name, key in keys.items()}

    def choose(self, name: str, value: Any) -> dict[str, Any]:
        self.session[f"numbers_{name}_7"] = value
        return self.run()

    def another_tab(self) -> "Browser":
        other = Browser()
        other.address = self.address
        return other


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_an_address_without_choices_stays_as_short_as_it_is(browser) -> None:
    assert browser.run() == {"split": "all", "columns": ["f1"], "wide": False, "page": 1, "row": "a"}
    assert browser.address == {}


def test_what_is_chosen_stands_in_the_address_and_a_default_does_not(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    assert browser.address == {"split": ("test",)}
    browser.choose("columns", ["mrr", "f1"])
    assert browser.address == {"split": ("test",), "columns": ("mrr", "f1")}
    browser.choose("split", "all")
    assert browser.address == {"columns": ("mrr", "f1")}


def test_nothing_chosen_of_several_is_a_choice_as_well(browser) -> None:
    browser.run()
    browser.choose("columns", [])
    assert browser.address == {"columns": ("",)}
    assert browser.another_tab().run()["columns"] == []


def test_another_tab_with_the_same_address_shows_the_same_and_leaves_the_address_alone(browser) -> None:
    browser.run()
    for name, value in (("split", "test"), ("columns", ["auc"]), ("wide", True), ("page", 3)):
        browser.choose(name, value)
    shown = browser.run()
    other = browser.another_tab()
    assert other.run() == shown
    assert other.address == browser.address
    assert other.choices.gone() == ""


def test_back_brings_the_former_choices_and_defaults(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    former = browser.address
    browser.choose("columns", ["auc"])
    browser.address = former
    assert browser.run()["columns"] == ["f1"]
    browser.address = {}
    assert browser.run()["split"] == "all"
    assert browser.address == {}


def test_a_choice_that_comes_with_the_former_address_counts(browser) -> None:
    browser.run()
    former = browser.address
    browser.choose("split", "test")
    browser.address = former  # the browser has not learned the new one yet
    browser.session["numbers_wide_7"] = True
    assert browser.run() == {"split": "test", "columns": ["f1"], "wide": True, "page": 1, "row": "a"}
    assert browser.address == {"split": ("test",), "wide": ("1",)}


def test_a_page_that_is_opened_from_the_menu_is_as_it_was_left(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    browser.address = {}
    for key in [
        key for key in browser.session if key.startswith("numbers_") and key.endswith("_7") and "choices" not in key
    ]:
        del browser.session[key]  # as Streamlit does when another page runs
    assert browser.run(is_arrival=True)["split"] == "test"
    assert browser.address == {"split": ("test",)}


def test_a_link_that_is_opened_in_a_tab_that_had_other_choices_is_followed(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    browser.address = {"columns": ("auc",)}
    assert browser.run(is_arrival=True) == {"split": "all", "columns": ["auc"], "wide": False, "page": 1, "row": "a"}


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ({"split": ("gone",)}, "Not found, so ignored: the split “gone”."),
        ({"split": ("test", "train")}, "Not found, so ignored: the split “test”, the split “train”."),  # one can be chosen
        ({"columns": ("<b>",)}, "Not found, so ignored: the column “<b>”."),
        ({"columns": ("auc", "x", "y")}, "Not found, so ignored: the column “x”, the column “y”."),
        ({"wide": ("yes",)}, "Not found, so ignored: "),
        ({"page": ("10",)}, "Not found, so ignored: "),  # beyond the last
        ({"page": ("²",)}, "Not found, so ignored: "),
        ({"page": ("9" * 5000,)}, f"the page “{'9' * 39}…”"),
        ({"row": ("c",)}, "Not found, so ignored: "),
        ({"nonsense": ("1",)}, "Not found, so ignored: "),  # no choice of the page
        ({"split": ("\ud800\x00",)}, "Not found, so ignored: "),
    ],
)  # fmt: skip
def test_what_an_address_asks_for_and_is_not_there_is_named_and_left_out(browser, address, sentence) -> None:
    browser.address = {**address, "wide": address.get("wide", ("1",))}
    shown = browser.run()
    assert sentence in browser.choices.gone()
    assert shown["split"] == "all"
    assert shown["page"] == 1
    assert shown["wide"] is ("wide" not in address)  # the rest is followed
    browser.run()
    assert sentence in browser.choices.gone()  # as long as the address stays
    browser.choose("page", 2)
    assert browser.choices.gone() == ""
    assert set(browser.address) <= {"page", "wide", "columns"}


def test_of_a_hundred_strange_names_a_few_are_named_and_the_others_counted(browser) -> None:
    browser.address = {f"strange{n}": ("x",) for n in range(100)}
    browser.run()
    assert browser.choices.gone().count("strange") == 5
    assert (
        "Not found, so ignored: “strange0”, “strange1”, “strange2”, “strange3”, “strange4”, 95 more."
        in browser.choices.gone()
    )


def test_what_somebody_chose_is_named_before_names_that_the_page_does_not_know(browser) -> None:
    browser.address = {**{f"strange{n}": ("x",) for n in range(100)}, "row": ("c",), "split": ("gone",)}
    browser.run()
    sentence = browser.choices.gone()
    assert "the row “c”" in sentence
    assert "the split “gone”" in sentence
    assert sentence.count("strange") == 3
    assert sentence.index("“gone”") < sentence.index("strange")
    assert sentence.index("“c”") < sentence.index("strange")
    browser.choose("page", 2)
    assert browser.choices.gone() == ""


def test_what_is_not_drawn_yet_stays_asked_for(browser) -> None:
    browser.address = {"row": ("b",)}
    browser.run(is_whole=False)
    browser.session["numbers_split_7"] = "test"
    browser.run(is_whole=False)
    assert browser.address == {"row": ("b",), "split": ("test",)}
    assert browser.run()["row"] == "b"
    assert browser.choices.gone() == ""


def test_a_choice_whose_option_has_gone_falls_back_to_the_default(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    browser.splits.remove("test")
    assert browser.run()["split"] == "all"
    assert browser.address == {}


def test_two_projects_have_choices_of_their_own(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    other = PageChoices(browser.session, "numbers", 8, (SPLIT,))
    other.begin({})
    assert browser.session[other.one(SPLIT, SPLITS, "all")] == "all"


# A press is carried out once, also where the run that was told of it never came to the button.

PRESSED = """
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
    return AppTest.from_string(PRESSED).run()


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
    assert [
        button.key for button in app.button if "This project is archived. Ask a lead to restore it." in button.help
    ] == off


# Times are shown in the time zone of the browser, and named as UTC where it tells none.

EVENING = "2026-11-23T18:30:15.000Z"


def in_zone(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    monkeypatch.setattr(type(st.context), "timezone", property(lambda _context: name))


def test_a_moment_is_shown_as_the_browser_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    in_zone(monkeypatch, "Asia/Shanghai")
    assert visit_zone()[0] == "Asia/Shanghai"
    assert shown_time(EVENING) == "2026-11-24 02:30"
    assert shown_time(EVENING, with_seconds=True) == "2026-11-24 02:30:15"
    assert shown_day(EVENING) == "2026-11-24"


@pytest.mark.parametrize("name", [None, "Atlantis/Centre"])
def test_without_a_zone_that_is_known_utc_is_named(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    in_zone(monkeypatch, name)
    assert shown_time(EVENING) == "2026-11-23 18:30 UTC"
    assert shown_time(EVENING, is_zone_named=True) == "2026-11-23 18:30"
    assert shown_day(EVENING) == "2026-11-23"


# The panel on a page, as Streamlit's component sends it.

COMPONENT = """
import sys
from streamlit.testing.v1 import AppTest

tried = AppTest.from_string(
    "from annotator.web.components import panel_component\\n"
    "panel_component('tried', 'annotate/main.js')(data={'project': 1, 'guidelines': None, 'work': {}}, key='tried')",
    default_timeout=60,
).run()
print(tried.main[0].proto.json, *sorted({"pandas", "pyarrow"} & {*sys.modules}))
"""


def test_a_page_with_a_panel_loads_neither_pandas_nor_pyarrow() -> None:
    """They are 80 MB of a server's memory. In a dictionary Streamlit would look for data frames, with both."""
    done = subprocess.run(
        [sys.executable, "-c", COMPONENT], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == '[{"project": 1, "guidelines": null, "work": {}}]\n'


def test_a_chart_has_streamlits_colours_whatever_plotly_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plotly.io.templates, "default", "plotly")
    monkeypatch.setattr(st, "plotly_chart", lambda figure, **_: figure)
    [first, *_] = page_parts.show_chart(Figure(), key="chart").layout.template.layout.colorway
    assert first == streamlit_plotly_theme.CATEGORY_0
