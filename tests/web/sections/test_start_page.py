"""The start page: each line leads to where something is done."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.store.people import get_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.databases import find_project
from annotator.usecases.project.projects import create_project
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.start import overview

Opened = Callable[..., AppTest]


@pytest.fixture
def database(demonstration: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "demo.db"
    shutil.copy(demonstration, path)
    monkeypatch.setenv("ANNOTATOR_DB", str(path))
    return path


HOW_FAR = [
    (name, "project", f"project={number}&section=Progress")
    for number, name in enumerate(("Sentiment", "Similarity", "Reading"), start=1)
]


def links(app: AppTest) -> list[tuple[str, str, str]]:
    """Of each link: its words, its page and what the address says besides."""
    protos = [element.proto for element in app.main if element.type == "page_link"] + [
        element.proto for element in app.get("page_link")
    ]
    return list(dict.fromkeys((proto.label, proto.page, proto.query_string) for proto in protos))


def propose(store: Store, name: str) -> None:
    """Somebody's next text of the first project waits for its lead."""
    user, project = get_user(store, name), find_project(store, "Sentiment")
    work = annotate_work.next_work(store, user, project.id).work
    assert work is not None
    annotate_work.propose_discard(store, user, work.assignment.id, "broken text")


def test_each_line_of_a_lead_leads_to_the_section_that_mends_it(opened: Opened, database: Path) -> None:
    with open_store(database) as store:
        propose(store, "Annotator 1")
        create_project(store, get_user(store, "Lead"), "New *one*", get_task("sentiment"), labels=("no", "yes"))
        day = store.now()[:10]
    app = opened("Lead")
    assert not app.exception
    assert app.header[0].value == "Start"
    day = day.replace("-", "\\-")
    assert links(app) == [
        (f"1 proposal to decide, oldest since {day}", "project", "project=1&section=Decisions"),
        ("No texts yet. Import some.", "project", "project=4&section=Import"),
        *HOW_FAR,
    ]
    assert any(markdown.value == r"**New \*one\***" for markdown in app.main.markdown)


def test_a_release_that_gold_may_have_left_behind_leads_to_the_releases_where_it_is_compared(
    opened: Opened, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(database) as store:
        project = find_project(store, "Sentiment")
        freeze_gold(store, get_user(store, "Lead"), project, "1.0", licence="CC0", citation="Us")
    monkeypatch.setattr(overview, "has_new_gold", lambda *_: True)
    shown = [(page, query) for label, page, query in links(opened("Lead")) if "Gold may have changed since" in label]
    assert ("project", "project=1&section=Releases") in shown


def test_an_annotator_has_a_link_to_the_texts_of_each_project(opened: Opened) -> None:
    shown = [(page, query) for label, page, query in links(opened("Annotator 1")) if "to annotate" in label]
    assert shown == [("annotate", "project=1"), ("annotate", "project=2"), ("annotate", "project=3")]


def test_where_nothing_waits_that_is_what_it_says(opened: Opened) -> None:
    app = opened("Researcher")
    assert links(app) == []
    assert app.caption[0].value == "Nothing is waiting for you in Sentiment · Similarity · Reading."


def test_a_lead_reads_how_far_projects_are_where_nothing_waits(opened: Opened) -> None:
    app = opened("Lead")
    assert links(app) == HOW_FAR
    told = [caption.value for caption in app.caption if "texts done." in caption.value]
    assert len(told) == len(HOW_FAR)
    assert told[0] == ("34 of 73 texts done. 4 people active in the last 7 days.")
