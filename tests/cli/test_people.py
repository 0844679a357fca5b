"""People by command: accounts, tokens, recruitment links, training, a person's data; backup, check, and how the command line answers."""

import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from annotator.cli.main import COMMANDS, run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import ImportRefused, NotSignedIn, Problem
from annotator.store import open_store
from annotator.store.connection.file_access import served
from annotator.store.people import add_identity, find_identity, get_user, list_users
from annotator.store.persons.erasure import Removal, add_removal
from annotator.usecases.access import accounts
from annotator.usecases.access.credentials import open_token
from annotator.usecases.crowd.recruitment_links import find_recruitment_link
from annotator.usecases.crowd.visits import look_at_visit
from tests.cli.conftest import Command
from tests.usecases.crowd.crowd_work import do_texts, enter


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
    assert "Unknown role '" in answer.err
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


def test_an_account_is_joined_with_somebodys_single_sign_on(annotator: Command, path: Path) -> None:
    for name in ("boss", "Ada", "ada 2"):
        annotator("user", "add", name, "--role", "administrator")
    assert "Nobody signs in to 'ada 2' by single sign-on." in annotator("user", "join", "Ada", "ada 2").err
    with open_store(path) as store, store.transaction():
        add_identity(store, "https://id.example.org", "1", get_user(store, "ada 2"))
    joined = annotator("user", "join", "Ada", "ada 2").out
    assert joined == "Whoever signed in as 'ada 2' is 'Ada' from now on. 'ada 2' is disabled.\n"
    with open_store(path) as store:
        user = find_identity(store, "https://id.example.org", "1")
    assert user is not None
    assert user.name == "Ada"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("user", "add", "ann", "--role", "administrator"), 1, "'ann' already exists. Choose another name."),
        (("user", "add", "bob", "--role", "boss"), 1, "'boss' is not one of 'annotator'"),  # a value was refused
        (("user", "add", "bob", "--role", "lead", "--project", "Q"), 1, "No project 'Q'."),
        (("user", "disable", "nobody"), 1, "No person 'nobody'."),
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


@pytest.mark.parametrize(
    "words",
    [
        ("user", "list"),
        ("user", "disable", "ann"),
        ("user", "add", "ann", "--role", "annotator", "--project", "P"),
        ("check",),
        ("backup", "x.db"),
    ],
)
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

    monkeypatch.setattr("annotator.cli.accounts.user", click.Command("user", callback=refuse))
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
        "heavy = {'streamlit', 'spacy', 'sqlite_utils', 'pandas', 'numpy', 'annotator.cli.accounts'} & set(sys.modules)\n"
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


# `annotator user anonymise`, `erase`, `export` and `wipe`.


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
    assert "Deletes the account and name 'Ann'," in refused.err
    assert "Nothing was done: the name is 'Ann', and 'ann' was typed." in refused.err
    assert people("user", verb, "Ann", "--json").code == 1
    assert names_in(path) == ["Ann", "Bo"]
    done = people("user", verb, "ann", "--confirm", "Ann")
    assert done.code == 0
    assert (
        "Any backup or export from before keeps the name and words; the server log may. Delete what nobody needs."
        in done.out
    )
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
    assert (again.code, f"'{file}' is there already. Choose another name for the file." in again.err) == (1, True)


def test_what_a_killed_process_left_is_named_and_wiped(people: Command, path: Path) -> None:
    with open_store(path) as store, store.transaction():
        add_removal(store, Removal("erase", store.now()))
    assert "was not written anew since" in people("check").err
    assert people("user", "wipe").code == 0
    assert people("check").code == 0


# `annotator token`: made and shown once, listed without the secret, revoked.

WRITE = "write model output"


@pytest.fixture
def with_researcher(annotator: Command) -> Command:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    annotator("user", "add", "ria", "--role", "researcher", "--project", "P")
    return annotator


def test_a_token_is_made_works_is_listed_without_its_secret_and_revoked(with_researcher: Command, path: Path) -> None:
    made = with_researcher("token", "make", "ria", "--project", "P", "--scope", "read", "--scope", WRITE, "--note", "n")
    assert made.code == 0
    assert "may read and write model output" in made.out
    token = made.out.strip().splitlines()[-1]
    with open_store(path) as store:
        assert open_token(store, token, "P", "read")[0].name == "ria"
    listed = with_researcher("token", "list").out
    assert listed.startswith("1: ria in 'P', may read and write model output; valid, until ")
    assert token.split("_", 2)[2] not in listed
    assert with_researcher("token", "revoke", "1").out == "Token 1 of 'ria' no longer works.\n"
    with open_store(path) as store, pytest.raises(NotSignedIn, match="revoked"):
        open_token(store, token, "P", "read")
    assert with_researcher("token", "revoke", "1").code == 1


def test_json_is_one_object_and_only_making_has_the_token(with_researcher: Command) -> None:
    made = json.loads(
        with_researcher("token", "make", "ria", "--project", "P", "--scope", "read", "--days", "3", "--json").out
    )
    assert made.pop("token").startswith("annotator_1_")
    assert (made["user"], made["project"], made["scopes"], made["state"]) == ("ria", "P", ["read"], "valid")
    assert json.loads(with_researcher("token", "list", "--json").out) == {"tokens": [made]}
    revoked = json.loads(with_researcher("token", "revoke", "1", "--json").out)
    assert (revoked["state"], revoked["id"]) == ("revoked", 1)


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (
            ("make", "ria", "--project", "P", "--scope", "write"),
            1,
            "'write' is not one of 'read', 'write model output'",
        ),
        (("make", "ria", "--project", "P"), 2, "Missing option '--scope'"),
        (("make", "ria", "--project", "Q", "--scope", "read"), 1, "Unknown project 'Q'."),
        (("make", "tom", "--project", "P", "--scope", "read"), 1, "No person 'tom'."),
        (("make", "ria", "--project", "P", "--scope", "read", "--days", "400"), 1, "400 is not in the range"),
        (("revoke", "5"), 1, "No access token number"),
    ],
)
def test_what_cannot_be_is_refused(with_researcher: Command, words: tuple[str, ...], code: int, sentence: str) -> None:
    answer = with_researcher("token", *words)
    assert (answer.code, answer.out) == (code, "")
    assert sentence in answer.err


def test_an_empty_list_says_how_to_make_one(with_researcher: Command) -> None:
    assert with_researcher("token", "list").out.startswith(
        "There are no tokens yet. Make one with 'annotator token make"
    )


# Recruitment links from the command line: make, open, list, codes.

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
    return find_recruitment_link(store, LOCAL_OPERATOR, project.id, "Pilot")


def test_a_link_is_made_paused_with_its_rules_and_its_link_is_printed(store, made, crowd):
    assert made.state == "paused"
    assert (made.rules.most_workers, made.rules.quota, made.rules.introduction) == (5, 2, "Mark the words.")
    assert made.rules.until == "2099-01-31T23:59:59.999Z"
    assert f"/crowd/{made.token}" in crowd("list")


def test_rules_that_cannot_be_are_a_sentence_and_no_link(store, project, crowd):
    words = ["make", "Pilot", "--workers", "5", "--texts", "2", "--return-address", "http://elsewhere.example"]
    assert "Use the form https://app.prolific.com/submissions/complete?cc=ABC123." in crowd(*words, code=1)
    assert store.value("SELECT count(*) FROM crowd_doors") == 0


def test_what_became_of_a_links_workers_and_their_codes(store, project, made, crowd):
    crowd("set", "Pilot", "open")
    entry, user = enter(store, made)
    do_texts(store, user, project, 2)
    code = look_at_visit(store, entry.token).code
    (row,) = json.loads(crowd("list", "--json"))["doors"]
    assert (row["name"], row["state"], row["came"], row["finished"]) == ("Pilot", "open", 1, 1)
    assert crowd("codes", "Pilot").splitlines()[1].startswith(f"{code},{user.name},finished,2,")
    assert "2 texts" in crowd("code", code, "--paid")
    assert "The code of worker " in crowd("code", code, "--paid", code=1)
    crowd("code", "ABCD", code=1)


def test_the_work_of_one_worker_is_ended(store, project, made, crowd):
    crowd("set", "Pilot", "open")
    entry, user = enter(store, made)
    do_texts(store, user, project, 1)
    assert crowd("stop", user.name).endswith(f"Ended the work of {user.name} after 1 text.\n")
    assert look_at_visit(store, entry.token).is_stopped
    assert "No active worker “" in crowd("stop", user.name, code=1)


# `annotator training`: rules, texts and people.


@pytest.fixture
def of_gold(annotator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Two texts with gold and one without."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {
            "id": f"t{n}",
            "text": "good and not bad",
            "label": "yes",
            "rationales": [[[0, 1]], [[2, 4]]],
            "annotator": "x",
        }
        for n in range(2)
    ]
    lines = [*rows, {"id": "t2", "text": "good", "label": "yes"}]
    Path("rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", "rows.jsonl", "--project", "P").code == 0
    annotator("user", "add", "ann", "--role", "annotator", "--project", "P")
    return annotator


def test_training_is_set_up_shown_and_undone(of_gold: Command) -> None:
    refused = of_gold("training", "set", "--project", "P", "--on")
    assert refused.code == 1
    assert "No training texts. Pick some with gold first." in refused.err
    picked = of_gold("training", "pick", "t0", "t1", "t2", "--project", "P")
    assert (picked.out, picked.err) == ("Picked 2 new texts.\n", "“t2” has no gold.\n")
    assert of_gold("training", "set", "--project", "P", "--on", "--texts", "2").out == "Training of annotators is on.\n"
    shown = of_gold("training", "show", "--project", "P").out
    assert "Training of annotators is on: texts 2, tries 2, least f1 60" in shown
    assert "  ann: not begun, 0 attempts" in shown
    assert "t0: for annotators; gold as picked" in shown
    assert of_gold("training", "allow", "ann", "--project", "P", "--through").out == "ann gets work now.\n"
    answer = of_gold("training", "show", "--project", "P", "--json").json
    assert answer["people"]["annotators"][0]["training"] == "let through"
    assert of_gold("training", "remove", "t0", "--project", "P").out == "Took 1 text out.\n"
    missing = of_gold("training", "remove", "t0", "--project", "P")
    assert "'t0' is not among the texts for annotators" in missing.err


def test_reviewers_texts_are_worsened_as_it_is_said(of_gold: Command) -> None:
    ways = ("--worsened", "set-left-out", "--worsened", "not", "--worsened", "token-missing")
    assert (
        of_gold("training", "pick", "t0", "--project", "P", "--for", "reviewers", *ways).out == "Picked 3 new texts.\n"
    )
    answer = of_gold("training", "show", "--project", "P", "--json").json
    assert {text["worsened"] for text in answer["texts"]} == {"", "set left out", "token missing"}
