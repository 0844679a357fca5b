"""The document of a page: what it says to a browser before anything else is read."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.usecases.access import accounts
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import COOKIE, ServerOptions, close_kept_store
from annotator.web.routes.documents import _document
from annotator.web.routes.first_text import ZONE, _day_began
from annotator.web.routes.static import _PANEL, PageFiles, panel_address, panel_version
from tests.usecases.review.test_reviews import annotate

PAGE = {"Accept": "text/html", "Sec-Fetch-Site": "none"}
HOST = "http://127.0.0.1:8501"
HOSTILE = "The staff </script><b>never</b> smiled & left. WHO_IS_SIGNED_IN FIRST_ANSWER"
Come = Callable[..., TestClient]


def test_a_document_brings_the_words_of_its_language_before_any_module() -> None:
    page = _document("annotate", language="zh")
    assert '<html lang="zh">' in page
    scripts = re.findall(r'<(?:script|link)[^>]*?(?:src|href)="(/panel/[^"]+)"', page)
    assert scripts[0] == f"/panel/{panel_version()}/words/zh.js"


def test_an_english_document_brings_no_words() -> None:
    assert "/words/" not in _document("annotate").replace("/words/language.js", "")


def test_the_first_text_is_asked_for_before_any_file_and_streamlits_files_come_last() -> None:
    page = _document("annotate")
    assert page.index("/api/panel/next?") < page.index("<link")
    preloads = re.findall(r'<link[^>]*rel="modulepreload"[^>]*>', page)
    ours = [link for link in preloads if "/panel/" in link]
    assert 0 < len(ours) < len(preloads)
    assert {link for link in preloads if "fetchpriority" not in link} >= {*ours}
    assert all('fetchpriority="low"' in link for link in preloads if "./static/" in link)


def files_for(client: str) -> TestClient:
    """The files of pages before a route that answers "behind" to everything."""
    app = PageFiles(PlainTextResponse("behind"), {"X-Content-Type-Options": "nosniff"})
    return TestClient(app, client=(client, 50_000))


MAIN = panel_address("annotate/main.js")


def test_a_file_of_a_page_is_what_lies_on_the_disk_and_may_be_kept_for_ever() -> None:
    answer = files_for("127.0.0.1").get(MAIN)
    assert answer.content == (_PANEL / "annotate" / "main.js").read_bytes()
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(("client", "encoding"), [("127.0.0.1", None), ("10.0.0.5", "gzip")])
def test_files_are_compressed_for_other_machines_alone(client: str, encoding: str | None) -> None:
    answer = files_for(client).get(MAIN, headers={"Accept-Encoding": "gzip"})
    assert answer.headers.get("content-encoding") == encoding
    assert answer.content == (_PANEL / "annotate" / "main.js").read_bytes()
    assert "content-encoding" not in files_for(client).get(MAIN, headers={"Accept-Encoding": "identity"}).headers


@pytest.mark.parametrize(
    "path",
    [
        MAIN.replace(panel_version(), "0" * 16),  # of a tab that was opened before the program was renewed
        MAIN.replace("main.js", "nothing.js"),
        MAIN + "/",
        "/static/../index.html",
        "/static/index.html",
        "/annotate",
    ],
)
def test_whatever_is_no_file_of_a_page_goes_on_to_the_routes(path: str) -> None:
    assert files_for("127.0.0.1").get(path).text == "behind"
    assert files_for("127.0.0.1").post(MAIN).text == "behind"


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(reviewers_per_annotation=1)
    import_rows(made, [{"id": f"t{n}", "text": HOSTILE, "label": "negative"} for n in (1, 2)])
    return made


@pytest.fixture
def come(database: Path, store: Store) -> Iterator[Come]:
    """A browser of somebody who is signed in, west of Greenwich by an hour."""

    def made(user: User, **cookies: str) -> TestClient:
        token = accounts.sign_in_as(store, user.name, is_demonstration=True)
        app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
        return TestClient(app, base_url=HOST, cookies={COOKIE: token, ZONE: "60"} | cookies)

    yield made
    close_kept_store()


def text_in(page: str) -> str | None:
    found = re.search(r'<div class="(?:alone |heat )?first-text.*?</div>', page, re.DOTALL)
    return found and found[0]


def test_the_first_text_stands_in_the_document_before_any_file_beside_what_the_panel_would_ask_for(
    come: Come, project: Project, annotator: User, store: Store
) -> None:
    client = come(annotator)
    page = client.get(f"/annotate?project={project.id}", headers=PAGE).text
    shown = text_in(page) or ""
    assert "The staff &lt;/script&gt;&lt;b&gt;never&lt;/b&gt; smiled &amp; left." in shown
    assert page.index(shown) < min(
        page.index("<script "), page.index('rel="modulepreload"'), page.index('rel="stylesheet"')
    )
    answer = json.loads(re.search(r"const first = (.*);\n", page)[1])  # type: ignore[index]
    asked = client.get(
        f"/api/panel/next?project={project.id}&day={_day_began('60', store.moment())}", headers={"Origin": HOST}
    ).json()
    for work in (answer["work"], answer["ahead"], asked["work"], asked["ahead"]):
        work.pop("lease_until")
    assert answer == asked
    assert "</script><b>" not in page
    assert "WHO_IS_SIGNED_IN FIRST_ANSWER" in shown


@pytest.mark.parametrize(
    ("headers", "query", "zone"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, "project={id}", "60"),
        ({"Sec-Purpose": "prefetch;prerender"}, "project={id}", "60"),
        ({}, "project=77", "60"),
        ({}, "project={id}&instance=none", "noon"),
        ({}, "", "60"),
    ],
)
def test_a_text_is_taken_for_nobody_who_does_not_come_to_read_it(
    headers: dict[str, str], query: str, zone: str, come: Come, project: Project, annotator: User, store: Store
) -> None:
    answer = come(annotator, **{ZONE: zone}).get(f"/annotate?{query.format(id=project.id)}", headers=PAGE | headers)
    assert (answer.status_code, text_in(answer.text)) == (200, None)
    come(annotator).head(f"/annotate?project={project.id}", headers=PAGE)
    assert store.value("SELECT count(*) FROM assignments") == 0


@pytest.mark.parametrize("page", ["annotate", "review"])
def test_nothing_is_taken_for_a_lead_who_looks_in_unless_the_work_is_theirs_too_and_a_stranger_learns_nothing_of_it(
    page: str, come: Come, project: Project, annotator: User, add_person: Callable[..., User], store: Store,
    import_rows: Callable[..., object],
) -> None:  # fmt: skip
    import_rows(project, [{"id": f"more{n}", "text": "Good food.", "label": "positive"} for n in range(3)])
    annotate(store, annotator, project, RationaleSet.of((0, 2)))
    lead = add_person("lena", project, "lead")
    add_person("rita", project, "reviewer")

    def opened(user: User, number: int) -> str:
        return come(user).get(f"/{page}?project={number}", headers=PAGE).text

    def n_taken(user: User) -> int:
        return sum(
            store.number(f"SELECT count(*) FROM {of} WHERE user_id = ?", (user.id,))
            for of in ("assignments", "reviews")
        )

    shown = opened(lead, project.id)
    assert (text_in(shown), "/api/panel/next?" in shown, n_taken(lead)) == (None, False, 0)
    both = add_person("both", project, "lead", "annotator", "reviewer")
    assert text_in(opened(both, project.id)) is not None
    assert n_taken(both) > 0
    stranger = add_person("stranger", project)
    asks = {"/api/panel/next?" in opened(stranger, number) for number in (project.id, 77)}
    assert asks == {page == "annotate"}, "a project that is there is like one that is not"


def test_a_reviewer_first_sees_the_set_of_which_it_is_asked_whether_it_is_enough_alone(
    come: Come, project: Project, annotator: User, store: Store, add_person: Callable[..., User]
) -> None:
    annotate(store, annotator, project, RationaleSet.of((1, 2)), RationaleSet.of((0, 1)))
    page = come(add_person("reviewer", project, "reviewer")).get(f"/review?project={project.id}", headers=PAGE).text
    shown = text_in(page) or ""
    assert shown.startswith('<div class="alone first-text main"')
    assert re.findall("<mark>(.*?)</mark>", shown) == ["staff"]


@pytest.mark.parametrize(
    ("place", "style"),
    [
        ("0010_268.39_232.50_653.22_18.00_36.00", ' style="left:268.39px;top:232.50px;'),
        ('0010_268.39_232.50_653.22_18.00_36.00"><b>', None),
        ("0010_268.39_-232.50_653.22_18.00_36.00", None),
        ("", None),
    ],
)
def test_the_text_stands_where_the_panel_stood_and_a_cookie_that_says_something_else_is_left_aside(
    place: str, style: str | None, come: Come, project: Project, annotator: User
) -> None:
    page = come(annotator, annotator_words_annotate=place).get(f"/annotate?project={project.id}", headers=PAGE).text
    shown = (text_in(page) or "").partition(">")[0]
    assert style in shown if style else "style" not in shown


def test_saliency_opens_with_the_text_that_its_address_names_and_else_with_the_first_that_it_lists(
    come: Come, project: Project, store: Store, add_person: Callable[..., User], import_rows: Callable[..., object]
) -> None:
    import_rows(
        project, [{"id": "t3", "text": "Boo.", "label": "negative", "tokens": ["Boo", "."], "rationales": [[[0, 1]]]}]
    )
    client = come(add_person("researcher", project, "researcher"))
    asked = {"t1": "", "t3": f"&instance={find_instance_ids(store, project.id, 't3')[0]}"}
    for key, more in asked.items():
        shown = text_in(client.get(f"/saliency?project={project.id}{more}", headers=PAGE).text) or ""
        assert shown.startswith('<div class="heat first-text main"')
        assert ("Boo." in shown) == (key == "t3")
        assert "<mark>" not in shown, "whether somebody may see the gold is not known yet"


def test_a_text_of_another_project_is_not_in_the_document_of_saliency(
    come: Come, project: Project, store: Store, add_person: Callable[..., User], make_project: Callable[..., Project],
    import_rows: Callable[..., object],
) -> None:  # fmt: skip
    import_rows(other := make_project(name="Other"), [{"id": "o1", "text": "Secret.", "label": "negative"}])
    client = come(add_person("researcher", project, "researcher"))
    theirs = find_instance_ids(store, other.id, "o1")[0]
    for named in (project, other):
        page = client.get(f"/saliency?project={named.id}&instance={theirs}", headers=PAGE).text
        assert text_in(page) is None
        assert "Secret" not in page


@pytest.mark.parametrize("address", ["/saliency?project={id}&words=nowhere", "/saliency?project={id}&instance=77"])
def test_saliency_opens_with_nothing_where_nothing_is_found(
    address: str, come: Come, project: Project, add_person: Callable[..., User]
) -> None:
    client = come(add_person("researcher", project, "researcher"))
    assert text_in(client.get(address.format(id=project.id), headers=PAGE).text) is None


def test_who_may_not_look_at_models_gets_no_text_of_saliency(come: Come, project: Project, annotator: User) -> None:
    assert text_in(come(annotator).get(f"/saliency?project={project.id}", headers=PAGE).text) is None
