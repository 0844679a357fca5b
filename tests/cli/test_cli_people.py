"""`annotator user`, `backup` and `check`, and how the command line answers."""

import subprocess
import sys
import tempfile
from pathlib import Path

import click
import pytest

from annotator.cli.main import COMMANDS, run
from annotator.errors import ImportRefused, Problem
from annotator.store import open_store
from annotator.store.connection.file_access import served
from annotator.usecases.access import accounts
from tests.cli.conftest import Command


def test_everybody_of_a_file_is_invited_and_whoever_has_an_account_gets_the_role(
    annotator: Command, path: Path, tmp_path: Path
) -> None:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    annotator("user", "add", "ann", "--role", "annotator", "--project", "P")
    names = tmp_path / "names.txt"
    names.write_text("\ufeffAda\nann, reviewer\n", encoding="utf-8")
    answer = annotator("user", "invite", str(names), "--project", "P", "--url", "https://a.example/")
    assert answer.code == 0
    ada, ann = (line.split("\t") for line in answer.out.strip().splitlines())
    assert ada[:2] == ["Ada", "annotator"]
    assert ann == ["ann", "reviewer", "has an account already"]
    with open_store(path) as store:
        assert accounts.open_link(store, ada[2].removeprefix("https://a.example/link/")).user is not None


def test_nobody_of_a_file_with_a_line_that_cannot_be_read_is_invited(annotator: Command, tmp_path: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    names = tmp_path / "names.txt"
    names.write_text("Ada\nBo, boss\n")
    answer = annotator("user", "invite", str(names), "--project", "P")
    assert answer.code != 0
    assert "Line 2: 'boss' is not a role in a project" in answer.err
    assert "Ada" not in annotator("user", "list").out


def test_a_user_is_added_with_a_link_that_works(annotator: Command, path: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    answer = annotator("user", "add", "ann", "--role", "annotator", "--project", "P", "--url", "https://a.example/")
    assert answer.code == 0
    first, _, link = answer.out.strip().splitlines()
    assert first == "'ann' is annotator in the project 'P' now."
    assert link.startswith("https://a.example/link/")
    with open_store(path) as store:
        assert accounts.open_link(store, link.rsplit("/", 1)[1]).user.name == "ann"


def test_adding_a_user_makes_the_database_and_needs_no_project(annotator: Command) -> None:
    answer = annotator("user", "add", "ann", "--role", "annotator")
    assert answer.code == 0
    assert answer.out.startswith("'ann' has an account, but no role yet, since there is no project.")
    assert "http://127.0.0.1:8501/link/" in answer.out
    assert "No server runs on this database now, so the link has the usual address" in answer.err


def test_links_begin_with_the_address_of_the_server_that_runs(annotator: Command, path: Path) -> None:
    annotator("user", "add", "ann", "--role", "administrator")
    with served(path, "http://127.0.0.1:18765"):
        for words in (("add", "ben", "--role", "administrator"), ("reset", "ann")):
            answer = annotator("user", *words)
            assert "http://127.0.0.1:18765/link/" in answer.out
            assert answer.err == ""
        assert "https://a.example/link/" in annotator("user", "reset", "ann", "--url", "https://a.example").out


def test_json_is_one_object_and_nothing_else(annotator: Command) -> None:
    added = annotator("user", "add", "Zoë", "--role", "administrator", "--json").json
    assert (added["name"], added["role"], added["project"]) == ("Zoë", "administrator", None)
    annotator("project", "create", "P", "--task", "sentiment")
    annotator("user", "add", "bob", "--role", "lead")
    listed = annotator("user", "list", "--json").json
    assert listed == {
        "users": [
            {"name": "bob", "is_administrator": False, "is_disabled": False,
             "roles": [{"project": "P", "role": "lead"}]},
            {"name": "Zoë", "is_administrator": True, "is_disabled": False, "roles": []},
        ]
    }  # fmt: skip
    assert annotator("user", "reset", "bob", "--json").json["name"] == "bob"
    assert annotator("user", "disable", "bob", "--json").json == {"name": "bob", "is_disabled": True}
    assert annotator("check", "--json").json["problems"] == []


def test_people_are_listed_disabled_and_let_in_again(annotator: Command) -> None:
    assert annotator("user", "add", "ann", "--role", "administrator").code == 0
    assert annotator("user", "add", "bob", "--role", "administrator").code == 0
    assert "'bob' can no longer sign in" in annotator("user", "disable", "bob").out
    assert annotator("user", "list").out == "ann: administrator\nbob: administrator, disabled\n"
    assert "'bob' sets a password; it works once" in annotator("user", "reset", "bob").out
    assert annotator("user", "list").out == "ann: administrator\nbob: administrator\n"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("user", "add", "ann", "--role", "administrator"), 1, "There is a user 'ann' already."),
        (("user", "add", "bob", "--role", "boss"), 1, "'boss' is not one of 'annotator'"),  # a value was refused
        (("user", "add", "bob", "--role", "lead", "--project", "Q"), 1, "There is no project 'Q'."),
        (("user", "disable", "nobody"), 1, "There is no user 'nobody'. 'annotator user list' names those there are."),
        (("user", "add", "bob"), 2, "Missing option '--role'"),
        (("user", "add"), 2, "Missing argument 'NAME'"),
        (("user", "burn"), 2, "No such command 'burn'"),
        (("burn",), 2, "No such command 'burn'"),
        (("user", "list", "--color"), 2, "No such option '--color'"),
        (("serve", "--port", "99999"), 1, "99999 is not in the range"),
    ],
)
def test_refusals_are_sentences_on_standard_error(
    annotator: Command, path: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    annotator("user", "add", "ann", "--role", "administrator")
    with open_store(path) as store:
        before = "\n".join(store.connection.iterdump())
    answer = annotator(*words)
    assert (answer.code, answer.out) == (code, "")
    assert sentence in answer.err
    assert "Traceback" not in answer.err
    with open_store(path) as store:
        assert "\n".join(store.connection.iterdump()) == before


@pytest.mark.parametrize("words", [("user", "list"), ("user", "disable", "ann"), ("check",), ("backup", "x.db")])
def test_only_what_begins_something_makes_a_database(annotator: Command, path: Path, words: tuple[str, ...]) -> None:
    answer = annotator(*words)
    assert answer.code == 1
    assert "There is no database at" in answer.err
    assert not path.exists()


def test_a_backup_and_the_check(
    annotator: Command, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # what other processes left in the machine's is not ours
    annotator("project", "create", "P", "--task", "sentiment")
    copy = tmp_path / "copy.db"
    assert annotator("backup", str(copy)).out.startswith(f"Copied {path} to {copy}")
    assert "is there already. Choose another name" in annotator("backup", str(copy)).err
    assert annotator("check").out == f"{path} is in order.\n"
    with open_store(path) as store, store.transaction():
        store.run("INSERT INTO instance_counts VALUES (1, 'open', 5)")
    answer = annotator("check")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == 'The count of project 1, instances "open" says 5, but the right number is 0.\n'
    assert annotator("check", "--json").code == 1


def test_every_problem_of_a_refused_file_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise ImportRefused("'a.csv' has 3 problems.", [Problem("a.csv", 2, "label", "maybe", "is not a label")], 3)

    monkeypatch.setattr("annotator.cli.people.user", click.Command("user", callback=refuse))
    assert run(["user"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0] == "'a.csv' has 3 problems."
    assert "a.csv" in lines[1]
    assert "maybe" in lines[1]
    assert lines[2] == "... and 2 more problems"


def test_the_help_names_every_command_and_loads_none() -> None:
    code = (
        "import sys\nfrom annotator.cli.main import run\nrun(['--help'])\n"
        "heavy = {'streamlit', 'spacy', 'sqlite_utils', 'pandas', 'numpy', 'annotator.cli.people'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.split("Commands:")[1].strip().splitlines()] == list(COMMANDS)


def test_every_command_can_be_imported() -> None:
    for name in COMMANDS:
        assert run([name, "--help"]) == 0, name


def test_a_database_with_passwords_never_becomes_a_demonstration(annotator: Command, path: Path) -> None:
    annotator("user", "add", "ann", "--role", "administrator")
    with open_store(path) as store:
        link = accounts.reset_user(store, accounts.LOCAL_OPERATOR, "ann")
        accounts.set_password_with_link(store, link, None, "a good long password")
    answer = annotator("demo", "--no-browser")
    assert answer.code == 1
    assert "holds accounts with passwords; the demonstration would let anybody in without" in answer.err
