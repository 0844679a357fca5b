"""`annotator project`, `split`, `stats`: what they print, refuse and leave behind."""

from pathlib import Path

import pytest

from annotator.store import open_store
from annotator.store.people import get_user
from annotator.store.projects import get_project
from annotator.usecases.annotate.work import next_work
from tests.cli.conftest import Command


def test_a_split_prints_the_sizes(filled: Command) -> None:
    answer = filled("split", "--project", "P", "--parts", "train=.5,test=.5", "--json").json
    assert answer == {"sizes": {"train": 1, "test": 1}, "leaks": 0}
    assert "sum to 1" in filled("split", "--project", "P", "--parts", "train=.5").err


def test_stats_print_one_json_object_or_a_readable_list(filled: Command) -> None:
    found = filled("stats", "--project", "P", "--json").json
    assert (found["size"]["n_instances"], found["rationales"]["rsn"]) == (2, 1.0)
    assert "rsn: 1" in filled("stats", "--project", "P").out


def test_show_prints_rules_and_members(filled: Command) -> None:
    found = filled("project", "show", "P", "--json").json
    assert (found["labels"], found["settings"]["order"]) == (["no", "yes"], "sequential")


def test_show_tells_people_each_instance_once_and_in_words_what_everybody_has(filled: Command, path: Path) -> None:
    filled("user", "add", "Ann", "--role", "annotator", "--project", "P")
    assert "  to annotate: 1\n  in progress: 0\n" in filled("project", "show", "P").out
    with open_store(path) as store:
        next_work(store, get_user(store, "Ann"), get_project(store, "P").id)
    said = filled("project", "show", "P").out
    assert "instances:\n  complete: 1\n  to annotate: 0\n  in progress: 1\n  with the lead: 0\n  discarded: 0\n" in said
    assert "people:\n  Ann: 1 in progress\n" in said
    assert "  proposed_word_lists: –\n" in said
    assert filled("project", "show", "P", "--json").json["people"] == {"Ann": {"leased": 1}}


def test_a_custom_task_is_made_of_named_segments(annotator: Command, tmp_path: Path) -> None:
    made = annotator(
        "project", "create", "Own", "--task", "custom", "--segments", "text,context,question:unselectable",
        "--result", "answer",
    )  # fmt: skip
    assert made.code == 0
    file = tmp_path / "rows.csv"
    file.write_text("id,text,context,question,answer\n1,a b,c,d?,e\n")
    assert annotator("import", "csv", str(file), "--project", "Own").code == 0
    assert annotator("project", "show", "Own", "--json").json["task"] == "custom"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("custom",), "needs its segments and its kind of result"),
        (("custom", "--segments", "text"), "needs its segments and its kind of result"),
        (("custom", "--segments", "a:b", "--result", "label"), "'b' after 'a' means nothing"),
        (("sentiment", "--result", "label"), "--segments and --result are for the task custom"),
    ],
)
def test_a_task_that_cannot_be_is_refused(annotator: Command, words: tuple[str, ...], sentence: str) -> None:
    answer = annotator("project", "create", "Own", "--task", *words)
    assert (answer.code, sentence in answer.err) == (1, True)


def test_an_unknown_task_is_a_refused_value(annotator: Command) -> None:
    assert annotator("project", "create", "P", "--task", "poetry").code == 1


def test_a_project_without_labels_says_so_when_it_is_made_and_when_texts_without_labels_come(
    annotator: Command, rows: Path
) -> None:
    made = annotator("project", "create", "P", "--task", "sentiment")
    assert "It has no labels yet and takes over those of its first import." in made.out
    assert "labels" not in annotator("project", "create", "Q", "--task", "sentiment", "--labels", "no,yes").out
    assert "labels" not in annotator("project", "create", "R", "--task", "reading").out
    rows.write_text('{"id": "a", "text": "Good food."}\n')
    answer = annotator("import", "jsonl", str(rows), "--project", "P")
    assert "note: This text has no label and the project has none: add labels before you give out work." in answer.err
