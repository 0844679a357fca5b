"""The document of a page: what it says to a browser before anything else is read."""

import re

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from annotator.web.routes.documents import _document
from annotator.web.routes.static import _PANEL, PageFiles, panel_address, panel_version


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
