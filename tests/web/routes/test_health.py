"""Numbers for Prometheus: for whoever has the token, and nothing of anybody's work but how much there is."""

import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from httpx import Response
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.store import Store
from annotator.usecases.access import accounts
from annotator.web.addresses import JsonLines
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import ServerOptions, close_kept_store

TOKEN = "a token of thirty-two characters"


@pytest.fixture
def numbers(database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Response]]:
    monkeypatch.setenv("ANNOTATOR_METRICS_TOKEN", TOKEN)
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
    with TestClient(app, base_url="http://127.0.0.1:8501") as client:
        yield lambda **headers: client.get("/health/metrics", headers=headers)
    close_kept_store()


def values_of(answer: Response) -> dict[str, float]:
    """The samples, by name and label."""
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'annotator_[a-z_]+(\{[a-z]+="[^"]+"\})? [0-9]+', line) for line in lines), lines
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def test_whoever_has_the_token_reads_how_much_there_is(
    numbers: Callable[..., Response], store: Store, annotator: User
) -> None:
    accounts.sign_in_as(store, annotator.name, is_demonstration=True)
    answer = numbers(Authorization=f"Bearer {TOKEN}")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    values = values_of(answer)
    assert (values["annotator_up"], values["annotator_sessions"]) == (1, 1)
    assert values["annotator_accounts"] == len(accounts.list_users(store, LOCAL_OPERATOR))
    assert values["annotator_database_bytes"] > 0
    assert answer.text.count("# TYPE annotator_annotations_total counter") == 1


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \u00e9"])
def test_without_the_token_no_number_is_told(numbers: Callable[..., Response], store: Store, given: str) -> None:
    answer = numbers(Authorization=given.encode("latin-1"))
    assert (answer.status_code, "annotator_" in answer.text) == (401, False)


def test_where_no_token_was_set_there_is_nothing(
    numbers: Callable[..., Response], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANNOTATOR_METRICS_TOKEN")
    assert numbers(Authorization="Bearer ").status_code == 404


def test_a_database_that_is_gone_is_a_number_and_no_defect(numbers: Callable[..., Response], database: Path) -> None:
    database.unlink(missing_ok=True)
    values = values_of(numbers(Authorization=f"Bearer {TOKEN}"))
    assert (values["annotator_up"], values["annotator_database_bytes"]) == (0, 0)


def test_a_line_of_the_log_is_an_object_with_its_trace() -> None:
    import json
    import sys

    try:
        raise ValueError("line one\nline two")
    except ValueError:
        record = logging.LogRecord(
            "annotator.web", logging.ERROR, "x.py", 1, 'It "broke" %s\nhere', ("twice",), sys.exc_info()
        )
    line = JsonLines().format(record)
    assert "\n" not in line
    fields = json.loads(line)
    assert (fields["level"], fields["logger"], fields["message"]) == (
        "ERROR",
        "annotator.web",
        'It "broke" twice\nhere',
    )
    assert fields["trace"].endswith("ValueError: line one\nline two")
    assert fields["time"].endswith("+00:00")
