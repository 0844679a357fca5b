"""Crowd doors from the command line: make, open, list, codes."""

import json
from collections.abc import Callable

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.usecases.crowd.doors import find_door
from annotator.usecases.crowd.visits import look_at_visit
from tests.usecases.crowd.crowd_work import do_texts, enter

Says = Callable[..., str]


@pytest.fixture
def crowd(says: Says) -> Says:
    return lambda *words, **code: says("crowd", *words, "--project", "Project", **code)


@pytest.fixture
def made(store, project, crowd, tmp_path):
    introduction = tmp_path / "introduction.txt"
    introduction.write_text("Mark the words.", encoding="utf-8")
    words = ["make", "Pilot", "--workers", "5", "--texts", "2", "--parameter", "PROLIFIC_PID", "--until", "2099-01-31"]
    crowd(*words, "--introduction", str(introduction))
    return find_door(store, LOCAL_OPERATOR, project.id, "Pilot")


def test_a_door_is_made_paused_with_its_rules_and_its_link_is_printed(store, made, crowd):
    assert made.state == "paused"
    assert (made.rules.most_workers, made.rules.quota, made.rules.introduction) == (5, 2, "Mark the words.")
    assert made.rules.until == "2099-01-31T23:59:59.999Z"
    assert f"/crowd/{made.token}" in crowd("list")


def test_rules_that_cannot_be_are_a_sentence_and_no_door(store, project, crowd):
    words = ["make", "Pilot", "--workers", "5", "--texts", "2", "--return-address", "http://elsewhere.example"]
    assert "begins with https://" in crowd(*words, code=1)
    assert store.value("SELECT count(*) FROM crowd_doors") == 0


def test_what_became_of_a_doors_workers_and_their_codes(store, project, made, crowd):
    crowd("set", "Pilot", "open")
    entry, user = enter(store, made)
    do_texts(store, user, project, 2)
    code = look_at_visit(store, entry.token).code
    (row,) = json.loads(crowd("list", "--json"))["doors"]
    assert (row["name"], row["state"], row["came"], row["finished"]) == ("Pilot", "open", 1, 1)
    assert crowd("codes", "Pilot").splitlines()[1].startswith(f"{code},{user.name},finished,2,")
    assert "2 texts" in crowd("code", code, "--paid")
    assert "used up" in crowd("code", code, "--paid", code=1)
    crowd("code", "ABCD", code=1)


def test_the_work_of_one_worker_is_ended(store, project, made, crowd):
    crowd("set", "Pilot", "open")
    entry, user = enter(store, made)
    do_texts(store, user, project, 1)
    assert crowd("stop", user.name).endswith(f"Ended the work of {user.name} after 1 text.\n")
    assert look_at_visit(store, entry.token).is_stopped
    assert "who is at work is called" in crowd("stop", user.name, code=1)
