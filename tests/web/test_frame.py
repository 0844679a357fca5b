"""What surrounds the pages: who sees which, the project of the address, and errors as sentences."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.qualification import QualificationRules
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store.projects import add_project
from annotator.store.qualification.rules import add_rules
from annotator.usecases.access import accounts
from annotator.usecases.access.rights import roles_in
from annotator.usecases.annotate.work import next_work
from annotator.usecases.project.projects import take_role
from annotator.usecases.start.overview import overview
from annotator.web import frame, page_parts, session
from annotator.web.navigation import PAGES

APP = Path(frame.__file__).with_name("app.py")
SHOW_VISIT = """
import streamlit as st
from annotator.web.session import current_visit, page_store
with page_store() as store:
    visit = current_visit(store)
st.title({title!r})
st.text(f"{{visit.user.name}} in {{visit.project.name if visit.project else None}} as {{sorted(visit.roles)}}")
"""


@pytest.fixture
def path(tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Projects P (1) and Q (2); pages that show the visit."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for page in PAGES:
        (pages / page.file).write_text(SHOW_VISIT.format(title=page.title))
    monkeypatch.setattr(frame, "resource_folder", lambda _: pages)
    monkeypatch.setenv("ANNOTATOR_DB", str(tmp_path / "annotator.db"))
    with open_store(shutil.copy(empty_database, tmp_path / "annotator.db")) as store, store.transaction():
        for name in ("P", "Q *nice*"):
            add_project(store, name, get_task("sentiment"), labels=["no", "yes"])
    return tmp_path / "annotator.db"


@pytest.fixture
def signed_in(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    def sign_in(*roles: tuple[str, str | None]) -> str:
        with open_store(path) as store:
            for role, project in roles:
                accounts.add_user(store, LOCAL_OPERATOR, "ann_*b*", role, project)
            token = accounts.sign_in_as(store, "ann_*b*", is_demonstration=True)
        monkeypatch.setattr(session, "cookie_token", lambda: token)
        return token

    return sign_in


def run(**query: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=20)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def test_the_start_goes_on_to_the_first_page_of_the_person(signed_in: object) -> None:
    signed_in(("annotator", "P"))
    app = run()
    assert not app.exception
    assert app.title[0].value == "Annotate"
    assert app.text[0].value == "ann_*b* in P as ['annotator']"
    assert app.sidebar.markdown[0].value == r"**ann\_\*b\***  " + "\nannotator"
    assert app.sidebar.caption[0].value == "0 to annotate"


def test_a_lead_starts_with_what_waits_in_all_their_projects(signed_in: object) -> None:
    signed_in(("annotator", "P"), ("lead", "Q *nice*"))
    assert run().title[0].value == "Start"


def test_an_administrator_starts_with_what_waits_and_without_a_project_where_one_is_made(
    signed_in: object, path: Path
) -> None:
    signed_in(("administrator", None))
    app = run()
    assert app.title[0].value == "Start"
    assert app.sidebar.markdown[0].value.endswith("administrator")
    assert not app.sidebar.caption
    with open_store(path) as store, store.transaction():
        store.run("DELETE FROM projects")
    assert run().title[0].value == "Project"


def test_a_researcher_starts_on_the_saliency_page(signed_in: object) -> None:
    signed_in(("researcher", "P"))
    assert run().title[0].value == "Saliency"


def test_the_address_chooses_the_project_and_the_chooser_changes_it(signed_in: object) -> None:
    signed_in(("annotator", "P"), ("lead", "Q *nice*"))
    app = run(project="2")
    assert app.text[0].value == "ann_*b* in Q *nice* as ['lead']"
    assert app.sidebar.selectbox(key="sidebar_project").proto.default == 0, "the choice cannot be taken back"
    app.sidebar.selectbox(key="sidebar_project").select(1).run()
    assert app.text[0].value == "ann_*b* in P as ['annotator']"
    assert app.query_params["project"] == "1"


def test_where_the_page_goes_to_another_project_the_box_is_there_before_the_page(signed_in: object, path: Path) -> None:
    """Who clicks as soon as the page is there would else send the former project along as if they had chosen it."""
    for page in PAGES:
        with (path.parent / "pages" / page.file).open("a", encoding="utf-8") as file:
            file.write(
                'st.code(st.session_state["sidebar_project"] if "sidebar_project" in st.session_state else "none")\n'
            )
    signed_in(("annotator", "P"), ("lead", "Q *nice*"))
    app = run(project="1")
    assert app.sidebar.selectbox(key="sidebar_project").value == 1
    app.query_params["project"] = "2"
    app.run()
    assert app.text[0].value == "ann_*b* in Q *nice* as ['lead']"
    assert app.code[0].value == "2"
    assert len(app.sidebar.selectbox) == 1


@pytest.mark.parametrize("asked", ["2", "99", "x", "-1", "1" * 40])
def test_a_project_that_is_not_ones_own_is_refused_with_a_sentence(signed_in: object, asked: str) -> None:
    signed_in(("annotator", "P"))
    app = run(project=asked)
    said = app.error[0].value.replace("\\", "")
    assert said.endswith("or no role in it. Open another:")
    assert not app.title


def test_where_the_address_names_no_project_of_ones_own_none_is_shown_and_ones_own_are_offered(
    signed_in: object,
) -> None:
    signed_in(("annotator", "P"), ("lead", "Q *nice*"))
    app = run(project="99")
    assert "No project “99”, or no role in it. Open another:" in app.error[0].value
    assert app.sidebar.selectbox(key="sidebar_project").value is None
    assert not app.sidebar.caption, "nothing is said of what waits in another project"
    assert app.sidebar.markdown[0].value.endswith("no role here")
    app.button(key="offered_2").click().run()
    assert app.text[0].value == "ann_*b* in Q *nice* as ['lead']"
    assert app.query_params["project"] == "2"
    assert not app.error


def test_the_sidebar_leads_from_a_wrong_address_to_a_project(signed_in: object) -> None:
    signed_in(("annotator", "P"))
    app = run(project="99")
    app.sidebar.selectbox(key="sidebar_project").select(1).run()
    assert app.text[0].value == "ann_*b* in P as ['annotator']"


@pytest.mark.parametrize("asked", ["a-17", "-1", "²"])
def test_an_address_whose_text_is_no_number_opens_no_other_text(monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    monkeypatch.setattr(st, "query_params", {"instance": asked})
    with pytest.raises(NotFound, match=rf"Invalid address: instance={asked} isn't a number\."):
        page_parts.asked_instance()


def test_without_any_role_one_reads_what_to_do(signed_in: object, path: Path) -> None:
    signed_in(("annotator", "P"))
    with open_store(path) as store:
        take_role(store, LOCAL_OPERATOR, 1, "ann_*b*", "annotator")
    app = run()
    assert app.title[0].value == "Nothing here"


def test_a_reviewer_starts_on_the_review_page(signed_in: object) -> None:
    signed_in(("reviewer", "P"))
    app = run()
    assert app.title[0].value == "Review"
    assert app.sidebar.caption[0].value == "0 to review"


def test_nobody_reads_where_to_sign_in(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "cookie_token", lambda: None)
    app = run()
    assert app.warning[0].value == r"You're signed out\. Sign in again\."
    assert not app.sidebar.selectbox


def test_a_session_that_ended_shows_nothing_more(signed_in: object, path: Path) -> None:
    token = signed_in(("annotator", "P"))
    app = run()
    with open_store(path) as store:
        accounts.sign_out(store, token)
    app.run()
    assert app.warning
    assert not app.title


def test_a_page_that_one_may_not_see_refuses_with_a_sentence() -> None:
    with pytest.raises(NotAllowed, match=r"Project needs a role \(lead\)\. Ask a lead\."):
        frame._refuse(next(page for page in PAGES if page.path == "project"))


def test_a_defect_shows_a_sentence_and_no_trace(caplog: pytest.LogCaptureFixture, signed_in: object) -> None:
    def page() -> None:
        from annotator.web.frame import report_defect

        report_defect(ZeroDivisionError("secret detail"))

    app = AppTest.from_function(page).run()
    assert "Saved work is safe. Reload, or tell your administrator." in app.error[0].value
    assert "secret" not in app.error[0].value
    assert "with the error traced above: ZeroDivisionError" in caplog.text


CALLBACK = """
import streamlit as st
from annotator.language import _
from annotator.web.session import current_visit, page_store

def note():
    st.session_state["said"] = _("Sign out")

@st.fragment
def part():
    st.caption(_("Sign in"))

with page_store() as store:
    current_visit(store)
st.button("x", key="x", on_click=note)
part()
st.text(st.session_state.get("said", ""))
"""


def test_a_callback_and_a_fragment_of_a_page_speak_the_language_of_the_tab(
    signed_in: object, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for page in PAGES:
        (path.parent / "pages" / page.file).write_text(CALLBACK)
    monkeypatch.setattr(session, "accepted_languages", lambda: "zh-CN")
    signed_in(("annotator", "P"))
    app = run()
    app.button(key="x").click().run()
    assert app.text[0].value == "退出登录"
    assert app.main.caption[0].value == "登录"


def test_the_frame_speaks_the_language_of_the_browser(signed_in: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "accepted_languages", lambda: "zh-CN")
    signed_in(("annotator", "P"))
    app = run()
    assert app.sidebar.selectbox(key="sidebar_project").label == "项目"
    assert app.sidebar.markdown[0].value.endswith("标注员")
    assert app.sidebar.caption[0].value == "0 篇待标注"
    assert "没有项目“99”，或你在其中没有角色。请打开其他项目：" in run(project="99").error[0].value.replace("\\", "")


def test_a_name_too_long_for_the_box_can_be_read_whole(signed_in: object, path: Path) -> None:
    name = "Reviews of restaurants *and* hotels, second campaign"
    with open_store(path) as store, store.transaction():
        add_project(store, name, get_task("sentiment"), labels=["no", "yes"])
    signed_in(("annotator", "P"), ("annotator", name))
    assert run(project="1").sidebar.selectbox(key="sidebar_project").help == ""
    shown = run(project="3").sidebar.selectbox(key="sidebar_project").help
    assert shown.replace("\\", "") == name


def test_the_sidebar_says_that_training_comes_first_and_not_how_many_texts_wait(signed_in: object, path: Path) -> None:
    signed_in(("annotator", "P"), ("lead", "Q *nice*"))
    with open_store(path) as store, store.transaction():
        add_rules(store, 1, "annotators", QualificationRules(is_on=True), "lead")
    assert run(project="1").sidebar.caption[0].value == r"No training texts left\. Tell the lead\."


def test_of_a_lead_both_count_only_what_they_hold_themselves(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    project = make_project(reviewers_per_annotation=1)
    import_rows(project, [{"id": f"t{n}", "text": "Never again.", "label": "negative"} for n in range(9)])
    lead = add_person("lea", project, "lead")

    def counts() -> tuple[int, str]:
        [work] = overview(store, lead)[0]
        return work.mine.n_to_annotate, frame.waiting_line(store, lead, project, roles_in(store, lead, project.id))

    assert counts() == (0, "")
    next_work(store, lead, project.id)
    n_held, line = counts()
    assert line == f"{n_held} to annotate"
    assert 0 < n_held < 9
