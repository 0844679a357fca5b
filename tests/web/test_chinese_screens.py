"""Every screen says nothing in English to who reads Chinese, but for data, citations and a short list of names.

A screen is a page, or a section of one, as somebody of a role sees it on the demonstration. What the panel draws itself is
JavaScript and not seen here (tests/panel), nor is what Streamlit says by itself (docs/languages.md).
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import Store, open_store
from annotator.store.projects import list_projects
from annotator.usecases.access import accounts
from annotator.usecases.models.attributions import offered_methods
from annotator.usecases.suites.construction import TestPlan, plan_cases, ready_for
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


SCREENS = (
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
    Screen("Researcher", "saliency"),
    Screen("Researcher", "metrics"),
    *(Screen("Researcher", "tests", section) for section in ("Results", "Make a test", "Word lists", "Files")),
    *(
        Screen("Lead", "project", section)
        for section in (
            "Import",
            "Instances",
            "Rules",
            "Guidelines",
            "Training",
            "People",
            "Progress",
            "Order",
            "Rounds",
            "Quality",
            "Decisions",
            "Record",
            "Export",
        )
    ),
)
# Names of methods and of their parameters are in English still; all else of these screens is looked at.
WITH_ENGLISH_METHODS = (Screen("Researcher", "saliency"), Screen("Researcher", "metrics"))
# What stays as it is in every language, and why.
NAMES = {
    "Webhook": "a technical name, which Chinese products write so as well",
    "Argilla": "the name of a program",
    "Prodigy": "the name of a program",
    "Hugging Face datasets": "the name of a format",
    "reducers=not_up, negation=not:negative": "an example of what is entered",
    "pos=positive, neg=negative": "an example of what is entered",
    "positive=great, negative=terrible": "an example of what is entered",
    "mail.lab.example, 10.1.0.0/16": "an example of what is entered",
    "docs/formats.md，Model output": "a section of a document, which is in English",
}
# What is typed as it stands, in whatever language: it is quoted within sentences.
TYPED = ("label: negative", "The [A: soup was cold]")
_SAID = frozenset(
    {"label", "help", "placeholder", "body", "caption", "captions", "options", "title", "text", "content"}
)
_ENGLISH = re.compile(r"[A-Za-z]{2,}[,.:;]? [a-z]{2,}|^[A-Z][a-z]+( [a-z]+)*[.…:]?$")
_CITATION = re.compile(r"[A-Z]\w+ (?:et al\.|and [A-Z]\w+) (?:19|20)\d\d")
_SHEET = re.compile(r"<style>.*?</style>", re.DOTALL)
_BORDER = re.compile(r"</?(?:t[dhr]|div|p|li|br|h\d)\b[^>]*>")  # of parts of a drawing that are read one by one
_LEAST_SHORTENED = 15  # characters of a text that is shown by its beginning
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
                UNION SELECT guidelines FROM projects UNION SELECT question FROM projects
                UNION SELECT text FROM guidelines_versions UNION SELECT made_by FROM guidelines_versions
                UNION SELECT text FROM documents UNION SELECT comment FROM scores"""
        )
        texts = {line for row in rows for line in (row["text"] or "").splitlines()}
        texts |= set(_texts_of_tests(store))
    return sorted(filter(str.strip, {" ".join(text.split()) for text in texts} | {*TYPED}), key=len, reverse=True)


@pytest.fixture
def method_words(database: Path) -> list[str]:
    """What methods are called, and the parameters of those of the demonstration."""
    with open_store(database) as store:
        of_runs = [json.loads(row["parameters"]) for row in store.rows("SELECT parameters FROM runs")]
    pairs = {f"{name.replace('_', ' ')} {value}" for parameters in of_runs for name, value in parameters.items()}
    return sorted({*offered_methods().values(), *pairs}, key=len, reverse=True)


def _texts_of_tests(store: Store) -> Iterator[str]:
    """The names of tests that come along, which are stored with what is made of them, and what the first one is made of."""
    project = list_projects(store)[0]
    for ready in ready_for(project):
        yield from (recipe.name for recipe in ready.recipes)
        for case in plan_cases(store, LOCAL_OPERATOR, project, TestPlan(ready.recipes[0], ready=ready.name)):
            yield from (text for text in case.texts if isinstance(text, str))


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
    """The lines of a screen that look English and are neither data, nor citations, nor on the list."""
    lines = [line for root in (app.sidebar, app.main) for text in sentences(root) for line in lines_of(text)]
    return [line for line in dict.fromkeys(lines) if line not in NAMES and _ENGLISH.search(_without(line, data))]


def lines_of(text: str) -> list[str]:
    """What is read of an element, line by line, without what is written for the browser."""
    parts = _BORDER.sub("\n", _SHEET.sub("", text))
    return [" ".join(unescape(_MARKUP.sub("", line)).split()).strip(" ·") for line in parts.splitlines()]


def _without(line: str, data: list[str]) -> str:
    for text in data:
        line = _without_beginning(line.replace(_MARKUP.sub("", text).strip(), ""), text)
    return _CITATION.sub("", line).strip(" ·")


def _without_beginning(line: str, text: str) -> str:
    """A line without the beginning of a text before “…”."""
    start = line.find(text[:_LEAST_SHORTENED]) if len(text) > _LEAST_SHORTENED and "…" in line else -1
    end = line.find("…", start)
    return line[:start] + line[end + 1 :] if start >= 0 and text.startswith(line[start:end]) else line


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_a_screen_says_nothing_in_english(
    opened: Opened, data: list[str], method_words: list[str], screen: Screen
) -> None:
    app = opened(screen)
    assert not app.exception
    noticed = english_in(app, [*data, *(method_words if screen in WITH_ENGLISH_METHODS else [])])
    assert noticed == [], "\n".join(noticed)


def test_every_page_is_looked_at() -> None:
    assert {screen.page for screen in SCREENS} == {page.path for page in PAGES}
    assert len(set(SCREENS)) == len(SCREENS)


def test_what_is_data_is_left_out_and_what_stands_beside_it_is_not(data: list[str]) -> None:
    text = max(data, key=len)
    assert _ENGLISH.search(text), "or this would show nothing"
    assert not _ENGLISH.search(_without(f"{text[:40]}… · t1", data))
    assert _ENGLISH.search(_without(f"{text[:40]}… · Choose a text", data))
    assert _ENGLISH.search(_without("Choose the text that…", data)), "the beginning of no text"
    assert not _ENGLISH.search(_without("（DeYoung et al. 2020）", data))
    assert _ENGLISH.search(_without("the scores of DeYoung et al. 2020", data))
    drawn = lines_of("<style>.a { color: red;\n }</style><td>The text</td><td>标签</td>")
    assert [*filter(None, drawn)] == ["The text", "标签"]


def test_a_sentence_in_english_would_be_noticed(opened: Opened, data: list[str]) -> None:
    def page() -> None:
        import streamlit as st

        st.text_input("Name", help="Where it is kept", placeholder="abc")
        st.dataframe({"Text": ["a"]}, column_config={"Text": st.column_config.TextColumn("Key of it")})
        st.button("保存")
        st.segmented_control("部分", ["Make a test"])

    noticed = english_in(AppTest.from_function(page).run(), data)
    assert noticed == ["Name", "Where it is kept", "Key of it", "Make a test"]
