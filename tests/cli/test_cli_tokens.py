"""`annotator token`: made and shown once, listed without the secret, revoked."""

import json
from pathlib import Path

import pytest

from annotator.errors import NotSignedIn
from annotator.store import open_store
from annotator.usecases.access.credentials import open_token
from tests.cli.conftest import Command

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
        (("make", "ria", "--project", "Q", "--scope", "read"), 1, "There is no project 'Q'"),
        (("make", "tom", "--project", "P", "--scope", "read"), 1, "There is no user 'tom'"),
        (("make", "ria", "--project", "P", "--scope", "read", "--days", "400"), 1, "400 is not in the range"),
        (("revoke", "5"), 1, "There is no token number 5"),
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
