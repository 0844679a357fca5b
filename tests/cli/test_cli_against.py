"""`annotator evaluate project --against`: rows against one of them, and what cannot be asked for together."""

import csv
import io

import pytest

from annotator.domain.models import Run
from annotator.store import Store
from tests.cli.conftest import Command
from tests.usecases.transfer.comparing import N, blind, key_of, knowing, mistaken, output, project_of, take


@pytest.fixture
def ask(store: Store, annotator: Command, make_project, import_rows) -> Command:
    made = project_of(make_project, import_rows)
    for model, method, scores in (("one", "ig", knowing), ("one", "lime", mistaken), ("files", "theirs", blind)):
        take(store, made, (output(k, Run(model, method), scores(k)) for k in range(N)))
    store.close()

    return lambda *words: annotator("evaluate", "project", "--project", "Project", *words)


def test_the_table_is_of_differences_and_no_wider_than_a_terminal(ask: Command) -> None:
    code, out, err = ask("--against", "files/theirs")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 100
    assert "Project, against files · theirs" in out
    assert "▲" in out
    assert "▼" in out


def test_a_row_stands_against_another_method_though_only_its_own_is_asked_for(ask: Command) -> None:
    code, out, _ = ask("--against", "one/lime", "--method", "theirs", "--metric", "editing.mrr", "--csv")
    assert code == 0
    [line] = csv.DictReader(io.StringIO(out))
    assert (line["model"], line["against"], line["n_comparisons"]) == ("files", "one · lime", "1")


def test_the_instances_in_which_two_rows_differ_are_listed_and_written_whole_as_csv(ask: Command) -> None:
    words = ("--against", "files", "--metric", "editing.mrr", "--instances", "one/ig")
    code, out, _ = ask(*words)
    assert code == 0
    assert sum(line.startswith("  +") for line in out.splitlines()) == 10
    _, whole, _ = ask(*words, "--csv")
    lines = list(csv.DictReader(io.StringIO(whole)))
    assert len(lines) == 35  # of forty texts five have the gold word first by the other row too
    assert lines[0]["key"] == key_of(7)


def test_latex_of_differences_is_printed(ask: Command) -> None:
    code, out, _ = ask("--against", "files", "--latex")
    assert code == 0
    assert "\\begin{table*}" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--against", "one/ig", "--json"), "--against is for the table, --csv and --latex; --json holds the numbers"),
        (("--against", "one/ig", "--all"), "--against is for the table"),
        (("--against", "one/ig", "--own-instances"), "over the instances that both have; leave --own-instances out"),
        (("--instances", "one/ig"), "--instances lists where two rows differ: name the other with --against, and one --metric"),
        (("--against", "files", "--instances", "one/ig"), "and one --metric"),
        (("--against", "nobody",), "There is no row 'nobody' among those of the table"),
        (("--against", "one",), "'one' may stand for 2 rows"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused_with_the_remedy(
    ask: Command, words: tuple[str, ...], sentence: str
) -> None:
    code, out, err = ask(*words)
    assert code != 0
    assert out == ""
    assert sentence in " ".join(err.split())
