"""Every screen that is translated says nothing in English to who reads Chinese, but for data and a short list of names.

A screen is a page, or a section of one, as somebody of a role sees it on the demonstration. What the panel draws itself is
JavaScript and not seen here (tests/panel), nor is what Streamlit says by itself (docs/languages.md).
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import open_store
from annotator.usecases.access import accounts
from annotator.web import frame, session
from annotator.web.navigation import PAGES, page_at
from tests.web.test_frame import APP


@dataclass(frozen=True, slots=True)
class Screen:
    """What somebody opens: a page by its address; section: of the pages that have several, as it is stored."""

    who: str
    page: str
    section: str = ""

    def __str__(self) -> str:
        return "-".join(word for word in (self.who, self.page, self.section) if word)


TRANSLATED = (
    Screen("Lead", "start"),
    Screen("Annotator 1", "start"),
    Screen("Reviewer 1", "start"),
    Screen("Researcher", "start"),
    Screen("Root", "start"),
    Screen("Annotator 1", "annotate"),
    Screen("Reviewer 1", "review"),
    Screen("Annotator 1", "perturb"),
    Screen("Lead", "perturb"),
    Screen("Researcher", "export"),
    *(Screen("Researcher", "tests", section) for section in ("Results", "Word lists", "Files")),
    *(
        Screen("Lead", "project", section)
        for section in ("Import", "Progress", "Order", "Quality", "Decisions", "Record")
    ),
)
# Not translated yet: a screen goes from here to the list above with its translation.
STILL_ENGLISH = (
    Screen("Researcher", "saliency"),
    Screen("Researcher", "metrics"),
    Screen("Researcher", "tests", "Make a test"),
    *(Screen("Lead", "project", section) for section in ("Instances", "Rules", "Guidelines", "Training")),
    *(Screen("Lead", "project", section) for section in ("People", "Rounds", "Export")),
)
# What stays as it is in every language, and why.
NAMES = {
    "Webhook": "a technical name, which Chinese products write so as well",
    "Argilla": "the name of a program",
    "Hugging Face datasets：一个文件夹": "the name of a format",
    "reducers=not_up, negation=not:negative": "an example of what is entered",
    "pos=positive, neg=negative": "an example of what is entered",
    "mail.lab.example, 10.1.0.0/16": "an example of what is entered",
}
_SAID = frozenset(
    {"label", "help", "placeholder", "body", "caption", "captions", "options", "title", "text", "content"}
)
_ENGLISH = re.compile(r"[A-Za-z]{2,}[,.:;]? [a-z]{2,}|^[A-Z][a-z]+( [a-z]+)*[.…:]?$")
_MARKUP = re.compile(r":material/\w+:|<[^>]*>|:small\[\]|\\(?=\W)|\*\*")

Opened = Callable[[Screen], AppTest]


@pytest.fixture
def database(demonstration: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "demo.db"
    shutil.copy(demonstration, path)
    with open_store(path) as store:
        accounts.add_user(store, LOCAL_OPERATOR, "Root", "administrator")
    monkeypatch.setenv("ANNOTATOR_DB", str(path))
    return path


@pytest.fixture
def opened(database: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A screen in a browser that asks for Chinese."""

    def run(screen: Screen) -> AppTest:
        with open_store(database) as store:
            token = accounts.sign_in_as(store, screen.who, is_demonstration=True)
        monkeypatch.setattr(session, "cookie_token", lambda: token)
        monkeypatch.setattr(session, "accepted_languages", lambda: "zh-CN")
        app = AppTest.from_file(str(APP), default_timeout=60)
        monkeypatch.setattr(frame, "first_page_for", lambda *_, **__: page_at(screen.page))
        if screen.page == "tests":
            app.session_state["tests_section"] = screen.section
        elif screen.section:
            app.session_state["project_section"] = screen.section
        return app.run()

    return run


@pytest.fixture
def data(database: Path) -> list[str]:
    """What people and files brought along, the longest first: it stays in its language."""
    with open_store(database) as store:
        rows = store.rows(
            """SELECT name AS text FROM users UNION SELECT name FROM projects UNION SELECT key FROM instances
                UNION SELECT guidelines FROM projects UNION SELECT question FROM projects"""
        )
        texts = {line for row in rows for line in (row["text"] or "").splitlines() if line.strip()}
    return sorted(texts, key=len, reverse=True)


def sentences(node: Any) -> Iterator[str]:
    """What an element says, and all that is in it."""
    proto = getattr(node, "proto", None)
    if isinstance(proto, Message):
        yield from _strings(proto)
    if getattr(node, "type", "") == "dataframe":
        labels = json.loads(proto.columns) if proto is not None and proto.columns else {}
        for column in node.value.columns:
            config = labels.get(str(column)) or {}
            if not config.get("hidden"):
                yield config.get("label") or str(column)
    for child in getattr(node, "children", {}).values():
        yield from sentences(child)


def _strings(proto: Message) -> Iterator[str]:
    for field, value in proto.ListFields():
        for part in value if field.is_repeated else [value]:
            if isinstance(part, Message) and field.name != "arrow_data":
                yield from _strings(part)
            elif isinstance(part, str) and field.name in _SAID:
                yield part


def english_in(app: AppTest, data: list[str]) -> list[str]:
    """The lines of a screen that look English and are neither data nor on the list."""
    lines = [_MARKUP.sub("", line).strip(" ·") for root in (app.sidebar, app.main) for text in sentences(root) for line in text.splitlines()]  # fmt: skip
    return [line for line in dict.fromkeys(lines) if line not in NAMES and _ENGLISH.search(_without(line, data))]


def _without(line: str, data: list[str]) -> str:
    for text in data:
        line = line.replace(_MARKUP.sub("", text).strip(), "")
    return line.strip(" ·")


@pytest.mark.parametrize("screen", TRANSLATED, ids=str)
def test_a_translated_screen_says_nothing_in_english(opened: Opened, data: list[str], screen: Screen) -> None:
    app = opened(screen)
    assert not app.exception
    assert english_in(app, data) == []


def test_every_page_is_on_one_of_the_lists_and_every_section_of_the_project() -> None:
    screens = TRANSLATED + STILL_ENGLISH
    assert {screen.page for screen in screens} == {page.path for page in PAGES}
    assert len(set(screens)) == len(screens)


def test_a_sentence_in_english_would_be_noticed(opened: Opened, data: list[str]) -> None:
    def page() -> None:
        import streamlit as st

        st.text_input("Name", help="Where it is kept", placeholder="abc")
        st.dataframe({"Text": ["a"]}, column_config={"Text": st.column_config.TextColumn("Key of it")})
        st.button("保存")
        st.segmented_control("部分", ["Make a test"])

    noticed = english_in(AppTest.from_function(page).run(), data)
    assert noticed == ["Name", "Where it is kept", "Key of it", "Make a test"]
