"""`annotator progress`: the numbers of the page for people and programs, and a table to pay by."""

import csv
import io
import json
from pathlib import Path

import pytest

from annotator.store import open_store
from annotator.store.people import get_user
from annotator.store.projects import get_project
from tests.cli.conftest import Command
from tests.store.handed_in import hand_in


@pytest.fixture
def worked(annotator: Command, path: Path, tmp_path: Path) -> Command:
    """Three texts of four tokens, of which ann has submitted one in eight seconds."""
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps({"id": f"t{n}", "text": "a b c d", "label": "yes"}) + "\n" for n in range(3)))
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    assert annotator("user", "add", "ann", "--role", "annotator", "--project", "P").code == 0
    with open_store(path) as store:
        hand_in(store, get_project(store, "P"), "t0", get_user(store, "ann"))
        store.run("UPDATE assignments SET active_ms = 8000")
    return annotator


def test_programs_get_every_number_as_json(worked: Command) -> None:
    numbers = worked("progress", "--project", "P", "--json").json
    assert [day["n_submitted"] for day in numbers["days"]] == [1]
    assert (numbers["forecast"]["reason"], numbers["forecast"]["n_left"]) == ("too few days", 3)
    assert numbers["times"]["everybody"]["per_token"]["median"] == 2.0
    [paid] = numbers["pay"]["work"]
    assert (paid["person"], paid["n_submitted"], paid["amount"]) == ("ann", 1, None)
    assert numbers["worth_a_look"]["people"][0]["counts"]["other label"] == 1  # handed in as “negative”


def test_people_get_a_line_for_each_matter(worked: Command) -> None:
    out = worked("progress", "--project", "P", "--time-zone", "Asia/Kathmandu").out
    assert "A forecast appears after 5 working days" in out
    assert "time: median of 8 s a text, 2 s a token (n = 1; pauses of more than 60 s left out)" in out
    assert "ann (annotator): 1 submitted, 0 accepted, 0 corrected, 0.0022 hours" in out
    assert "no rate is stated" in out


def test_the_table_to_pay_by_is_csv_and_nothing_else(worked: Command) -> None:
    [row] = csv.DictReader(io.StringIO(worked("progress", "--project", "P", "--pay-csv").out))
    assert (row["person"], row["role"], row["submitted"], row["active hours"]) == ("ann", "annotator", "1", "0.0022")
    long_ago = worked("progress", "--project", "P", "--pay-csv", "--from", "2001-01-01", "--to", "2001-01-31").out
    assert len(long_ago.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--time-zone", "Mars/Olympus"), "--time-zone Mars/Olympus: there is no such zone"),
        (("--from", "2026-02-01", "--to", "2026-01-01"), "The last day, 2026-01-01, is before the first"),
    ],
)
def test_days_and_zones_that_cannot_be_are_refused(worked: Command, options: tuple[str, ...], said: str) -> None:
    answer = worked("progress", "--project", "P", *options)
    assert (answer.code, said in answer.err) == (1, True)
