"""`annotator evaluate minutes`: models that are trained on what minutes buy, told one by one and as a table."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Answer, Command
from tests.models.conftest import torch

__all__ = ["torch"]  # fixtures

SIMULATED = ("--seconds-per-label", "6", "--seconds-per-rationale", "12")
QUICK = ("--epochs", "1", "--seed", "0", "--device", "cpu", "--start", "20")


def minutes(command: Command, folder: Path, *words: str) -> Answer:
    return command("evaluate", "minutes", "--project", "P", "--minutes", "1", "--folder", str(folder), *QUICK, *words)


def test_each_model_is_told_when_it_is_done_and_then_the_table_and_asked_again_nothing_is_trained(
    planted_project: Command, torch: Any, tmp_path: Path
) -> None:
    answer = minutes(planted_project, tmp_path / "out", *SIMULATED)
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0].startswith("No minutes, labels of the start, seed 0: 20 texts, 0 with rationales: P ")
    assert lines[1].startswith("1 minute, labels, seed 0: 30 texts, 0 with rationales, 60 s spent, simulated: P ")
    assert lines[2].startswith("1 minute, rationales, seed 0: 20 texts, 5 with rationales, 60 s spent, simulated: P ")
    assert lines[3].startswith("1 minute, both, seed 0: 23 texts, 3 with rationales, 54 s spent, simulated: P ")
    assert "SIMULATED" in answer.out
    again = minutes(planted_project, tmp_path / "out", *SIMULATED)
    assert [line.endswith("(was there already)") for line in again.out.splitlines()[:4]] == [True] * 4
    csv = minutes(planted_project, tmp_path / "out", *SIMULATED, "--csv")
    assert [line.split(",")[:3] for line in csv.out.splitlines()[1:]] == [
        ["0", "start", ""], ["1", "labels", "simulated"], ["1", "rationales", "simulated"], ["1", "both", "simulated"],
        ["", "majority label", ""],
    ]  # fmt: skip
    told = json.loads(minutes(planted_project, tmp_path / "out", *SIMULATED, "--json").out)
    assert (told["is_simulated"], told["texts"], told["start"]) == (True, 54, 20)
    assert told["models"][3]["with_rationales"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "No text of 'P' that can be learned from has a time"),
        ((*SIMULATED, "--labels-only", "Q"), "There is no project 'Q'"),
        ((*SIMULATED, "--minutes", "0"), "0 minutes buy nothing"),
        (("--by-token",), "No seconds are given"),
    ],
)
def test_what_will_not_do_is_refused_before_anything_is_made(
    planted_project: Command, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    answer = minutes(planted_project, tmp_path / "out", *words)
    assert (answer.code, message in answer.err) == (1, True), answer.err
    assert not (tmp_path / "out").exists()


def test_two_ways_of_printing_at_once_are_a_wrong_use(planted_project: Command, tmp_path: Path) -> None:
    assert minutes(planted_project, tmp_path / "out", "--csv", "--json").code == 2
