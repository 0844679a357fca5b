"""`annotator release`: frozen, listed, shown, compared, exported."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Answer, Command

ROWS = [
    {"id": f"t{n}", "text": "good and bad", "label": "yes", "rationales": [[[0, 1]]], "annotator": "Known Name"}
    for n in range(2)
]


@pytest.fixture
def with_gold(annotator: Command, tmp_path: Path) -> Command:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    annotator("import", "jsonl", str(rows), "--project", "P")
    return annotator


def create(command: Command, name: str, *more: str) -> Answer:
    return command("release", "create", name, "--project", "P", "--licence", "CC0", *more)


def test_a_release_is_made_listed_shown_and_exported(with_gold: Command, tmp_path: Path) -> None:
    assert with_gold("release", "list", "--project", "P").out.startswith("There is no release yet. Make one with")
    made = json.loads(create(with_gold, "camera ready", "--json").out)
    assert (made["number"], made["instances"], made["sets"], made["annotators"]) == (1, 2, 2, 1)
    listed = with_gold("release", "list", "--project", "P").out
    assert listed.startswith("1  camera ready (")
    assert listed.endswith(f"2 instances, 2 rationale sets, 1 annotator; digest {made['digest'][:12]}\n")
    assert "licence: CC0" in with_gold("release", "show", "1", "--project", "P").out.splitlines()
    answer = with_gold("release", "export", "1", str(tmp_path / "out"), "--project", "P", "--format", "csv")
    assert answer.code == 0
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"LICENSE", "CITATION", "README.md", "gold.csv"}
    assert "Known Name" not in (tmp_path / "out" / "gold.csv").read_text()


def test_what_differs_is_told_with_keys(with_gold: Command, tmp_path: Path) -> None:
    create(with_gold, "first")
    same = with_gold("release", "diff", "1", "--project", "P").out
    assert same == "From release 1 to the gold of now: the gold is the same.\n"
    rows = tmp_path / "more.jsonl"
    more = [ROWS[0] | {"id": f"n{number}", "split": "test"} for number in range(12)]
    rows.write_text("".join(json.dumps(row) + "\n" for row in more))
    with_gold("import", "jsonl", str(rows), "--project", "P")
    create(with_gold, "second")
    first, kinds = with_gold("release", "diff", "1", "2", "--project", "P").out.splitlines()
    assert first == "From release 1 to release 2: 12 instances differ (12 added)."
    assert kinds.startswith("added: test/n0, test/n1, ")
    assert kinds.endswith("test/n9 and 2 more")
    answer = with_gold("release", "diff", "1", "2", "--project", "P", "--json").json
    assert (answer["n"], len(answer["added"]), answer["added"][0]) == (12, 12, ["n0", "test"])


def test_a_release_without_a_licence_or_of_no_number_is_refused(with_gold: Command) -> None:
    refused = with_gold("release", "create", "x", "--project", "P")
    assert refused.code == 1
    assert "A release needs a licence, such as CC BY 4.0" in refused.err
    missing = with_gold("release", "show", "3", "--project", "P")
    assert (missing.code, missing.err) == (1, "The project has no release 3. There is none yet.\n")
