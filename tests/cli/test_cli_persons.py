"""`annotator user anonymise`, `erase`, `export` and `wipe`."""

import json
import zipfile
from pathlib import Path

import pytest

from annotator.store import open_store
from annotator.store.people import list_users
from annotator.store.persons.erasure import Removal, add_removal
from tests.cli.conftest import Command


@pytest.fixture
def people(annotator: Command) -> Command:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    for name in ("Ann", "Bo"):
        annotator("user", "add", name, "--role", "annotator", "--project", "P")
    return annotator


def names_in(database: Path) -> list[str]:
    with open_store(database) as store:
        return [user.name for user in list_users(store)]


@pytest.mark.parametrize("verb", ["anonymise", "erase"])
def test_the_name_is_typed_or_nothing_is_done(people: Command, path: Path, verb: str) -> None:
    refused = people("user", verb, "Ann", "--confirm", "ann")
    assert (refused.code, refused.out) == (1, "")
    assert "What goes: the account and the name 'Ann'" in refused.err
    assert "Nothing was done: the name is 'Ann', and 'ann' was typed." in refused.err
    assert people("user", verb, "Ann", "--json").code == 1
    assert names_in(path) == ["Ann", "Bo"]
    done = people("user", verb, "ann", "--confirm", "Ann")
    assert done.code == 0
    assert "Backups that were made before still hold the name" in done.out
    assert "Ann" not in names_in(path)
    assert b"Ann" not in path.read_bytes()
    assert people("check").code == 0


def test_a_script_gets_one_object_and_no_questions(people: Command, path: Path) -> None:
    answer = people("user", "anonymise", "Ann", "--confirm", "Ann", "--json")
    answered = answer.json
    assert (answered["is_wiped"], answered["called"] in names_in(path)) == (True, True)
    answer = people("user", "erase", answered["called"], "--confirm", answered["called"], "--json")
    assert answer.json == {"annotations": 0, "reviews": 0, "is_wiped": True}
    assert names_in(path) == ["Bo"]


def test_somebodys_data_go_into_a_file_that_nobody_else_reads_and_none_is_overwritten(
    people: Command, tmp_path: Path
) -> None:
    file = tmp_path / "ann.zip"
    assert people("user", "export", "ann", str(file)).code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(file) as archive:
        assert json.loads(archive.read("roles.json")) == [{"project": "P", "role": "annotator"}]
    again = people("user", "export", "ann", str(file))
    assert (again.code, "is there already" in again.err) == (1, True)


def test_what_a_killed_process_left_is_named_and_wiped(people: Command, path: Path) -> None:
    with open_store(path) as store, store.transaction():
        add_removal(store, Removal("erase", store.now()))
    assert "was not written anew since" in people("check").err
    assert people("user", "wipe").code == 0
    assert people("check").code == 0
