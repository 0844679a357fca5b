"""What Ctrl+K finds, by who asks: nobody is led to what they may not open, and every setting stands where it leads."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.files import resource_folder
from annotator.store import Store
from annotator.store.people import add_role
from annotator.usecases.access import accounts
from annotator.web.middleware import web_middleware
from annotator.web.navigation import PROJECT_SECTIONS, SETTINGS
from annotator.web.routes import all_routes
from annotator.web.routes.access import COOKIE, ServerOptions, close_kept_store
from tests.web.routes.test_panel_routes import HOST

Find = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def find(database: Path, store: Store) -> Iterator[Find]:
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
    with TestClient(app, base_url=HOST) as client:

        def found(user: User, words: str, project: Project | None) -> list[dict[str, Any]]:
            client.cookies.set(COOKIE, accounts.sign_in_as(store, user.name, is_demonstration=True))
            query = {"words": words, **({"project": project.id} if project else {})}
            answer = client.get("/api/palette", params=query, headers={"Sec-Fetch-Site": "same-origin"})
            assert answer.status_code == 200, answer.text
            targets: list[dict[str, Any]] = answer.json()["targets"]
            return targets

        yield found
    close_kept_store()


def test_a_lead_finds_pages_settings_people_projects_and_texts_by_name(
    find: Find, project: Project, add_person: Callable[..., User], import_rows: Callable[..., object]
) -> None:
    import_rows(project, [{"id": "soup-7", "text": "A lukewarm gazpacho.", "label": "negative"}])
    lead, annotator = add_person("lea", project, "lead"), add_person("Wilhelmina", project, "annotator")
    here = f"project={project.id}"

    def addresses(words: str) -> list[str]:
        return [target["address"] for target in find(lead, words, project)]

    assert addresses("metr") == [f"/metrics?{here}"]
    assert addresses("agreement kappa") == [f"/project?{here}&section=Quality"]
    assert addresses("sign out") == ["/sign-out"]
    [idle] = find(lead, "IDLE sec", project)
    assert (idle["address"], idle["seek"], idle["kind"]) == (
        f"/project?{here}&section=Rules",
        "Idle (seconds)",
        "Rules",
    )
    assert addresses(annotator.name) == [f"/project?{here}&section=People"]
    assert f"/project?{here}" in addresses(project.name)
    [text] = find(lead, "lukewarm gaz", project)
    assert (text["kind"], text["name"]) == ("soup-7", "A lukewarm gazpacho.")
    assert text["address"].startswith(f"/project?{here}&instance=")
    assert addresses("nothing like it") == []
    assert addresses("restore") == addresses("webhook") == [], "an administrator's"
    assert addresses("payment") == [f"/project?{here}&section=Progress"]
    assert addresses("blind") == [f"/project?{here}&section=Training"]
    assert addresses("my account") == ["/account"]
    assert addresses("splits") == [f"/project?{here}&section=Instances"]
    empty = find(lead, "", project)
    assert [target["name"] for target in empty][:2] == ["Start", "Annotate"]
    assert all(not target["seek"] for target in empty), "settings come when one looks for them"


def test_an_administrator_is_led_to_the_backups_of_the_server_and_to_its_mail(
    find: Find, project: Project, store: Store, app_for: Callable[..., AppTest]
) -> None:
    admin = accounts.add_user(store, LOCAL_OPERATOR, "root", "administrator").user
    [backup] = find(admin, "backup", project)
    assert backup["address"] == f"/project?project={project.id}&section=Record&about=server"
    page = app_for(resource_folder("pages") / "project.py", project, who=admin)
    page.session_state["project_section"], page.query_params["about"] = "Record", "server"
    assert page.run().button(key="record_backup").label == "Make a backup"
    assert [(target["address"], target["seek"]) for target in find(admin, "mail", project)] == [
        ("/start", "Server mail and webhook")
    ]


@pytest.mark.parametrize("role", ["annotator", "reviewer", "researcher"])
def test_only_whoever_leads_the_project_finds_its_settings_people_and_texts(
    find: Find, project: Project, make_project: Callable[..., Project], add_person: Callable[..., User],
    import_rows: Callable[..., object], store: Store, role: str,
) -> None:  # fmt: skip
    import_rows(project, [{"id": "gazpacho-7", "text": "A lukewarm gazpacho.", "label": "negative"}])
    own = make_project(name="Elsewhere")
    somebody, other = add_person("sam", project, role), add_person("Wilhelmina", project, "annotator")
    with store.transaction():
        add_role(store, own.id, somebody, "lead")
    for words in ("idle", "rounds", "restore", other.name, "gazpacho"):
        shown = [target["address"].split("?")[0] for target in find(somebody, words, project)]
        is_text = words == "gazpacho" and role == "researcher"  # whose texts Saliency shows
        assert shown == (["/saliency"] if is_text else []), (
            f"{words}: leading another project gives no right to this one"
        )
    assert [target["name"] for target in find(somebody, "idle", own)] == ["Idle (seconds)"]


def test_who_leads_nothing_finds_their_pages_and_projects_alone(
    find: Find, project: Project, make_project: Callable[..., Project], add_person: Callable[..., User]
) -> None:
    other = make_project(name="Somebody else's")
    ann = add_person("Wilhelmina", project, "annotator")
    assert [target["name"] for target in find(ann, "", project)] == ["Start", "Annotate", "Perturb"]
    assert find(ann, "idle", project) == find(ann, "people", project) == find(ann, other.name, project) == []
    assert find(ann, "idle", other) == [], "an address that names a project gives no right to it"
    [own] = find(ann, project.name, None)
    assert own["address"] == f"/annotate?project={project.id}"


@pytest.mark.parametrize("part", list(SETTINGS))
def test_each_setting_stands_where_it_leads(
    project: Project, import_rows: Callable[..., object], project_page: Callable[[Project, str], AppTest], part: str
) -> None:
    import_rows(project, [{"id": "a", "text": "Cold soup.", "label": "negative"}])
    assert any(part in parts for parts in PROJECT_SECTIONS.values())
    page = project_page(project, part).run()
    assert not page.exception
    widgets = (
        page.text_input, page.text_area, page.number_input, page.selectbox, page.multiselect, page.checkbox,
        page.radio, page.expander,
    )  # fmt: skip
    shown = {widget.label for kind in widgets for widget in kind}
    assert set(SETTINGS[part]) <= shown, set(SETTINGS[part]) - shown
