"""Crowd doors from the command line: make, open, list, codes."""

import json
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.usecases.crowd.doors import find_door
from annotator.usecases.crowd.visits import look_at_visit
from tests.usecases.crowd.crowd_work import do_texts, enter


def crowd(path: Path, *words: str) -> int:
    return run(["--db", str(path), "crowd", *words, "--project", "Project"])


@pytest.fixture
def made(store, project, tmp_path):
    introduction = tmp_path / "introduction.txt"
    introduction.write_text("Mark the words.", encoding="utf-8")
    words = ["make", "Pilot", "--workers", "5", "--texts", "2", "--parameter", "PROLIFIC_PID", "--until", "2099-01-31"]
    assert crowd(store.path, *words, "--introduction", str(introduction)) == 0
    return find_door(store, LOCAL_OPERATOR, project.id, "Pilot")


def test_a_door_is_made_paused_with_its_rules_and_its_link_is_printed(store, made, capsys):
    assert made.state == "paused"
    assert (made.rules.most_workers, made.rules.quota, made.rules.introduction) == (5, 2, "Mark the words.")
    assert made.rules.until == "2099-01-31T23:59:59.999Z"
    assert crowd(store.path, "list") == 0
    assert f"/crowd/{made.token}" in capsys.readouterr().out


def test_rules_that_cannot_be_are_a_sentence_and_no_door(store, project, capsys):
    words = ["make", "Pilot", "--workers", "5", "--texts", "2", "--return-address", "http://elsewhere.example"]
    assert crowd(store.path, *words) == 1
    assert "begins with https://" in capsys.readouterr().err
    assert store.value("SELECT count(*) FROM crowd_doors") == 0


def test_what_became_of_a_doors_workers_and_their_codes(store, project, made, capsys):
    assert crowd(store.path, "set", "Pilot", "open") == 0
    entry, user = enter(store, made)
    do_texts(store, user, project, 2)
    code = look_at_visit(store, entry.token).code
    capsys.readouterr()
    assert crowd(store.path, "list", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["doors"]
    assert (row["name"], row["state"], row["came"], row["finished"]) == ("Pilot", "open", 1, 1)
    assert crowd(store.path, "codes", "Pilot") == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(f"{code},{user.name},finished,2,")
    assert crowd(store.path, "code", code, "--paid") == 0
    assert "2 texts" in capsys.readouterr().out
    assert crowd(store.path, "code", code, "--paid") == 1
    assert "used up" in capsys.readouterr().err
    assert crowd(store.path, "code", "ABCD") == 1


def test_the_work_of_one_worker_is_ended(store, project, made, capsys):
    assert crowd(store.path, "set", "Pilot", "open") == 0
    entry, user = enter(store, made)
    do_texts(store, user, project, 1)
    assert crowd(store.path, "stop", user.name) == 0
    assert capsys.readouterr().out.endswith(f"Ended the work of {user.name} after 1 text.\n")
    assert look_at_visit(store, entry.token).is_stopped
    assert crowd(store.path, "stop", user.name) == 1
    assert "who is at work is called" in capsys.readouterr().err
