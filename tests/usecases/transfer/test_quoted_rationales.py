"""Rationales as a column of quoted words: found in the text, or named with their row; taken only where the person says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, Problem
from annotator.store import Store
from annotator.usecases.project.projects import create_project, find_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

QUOTES = ImportOptions(columns={"rationale_quotes": "why"})
TEXT = "The food was not good and the film was boring."


@pytest.fixture
def project(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=("bad", "good"))


def imported(store: Store, tmp_path: Path, rows: list[dict[str, Any]], options: ImportOptions = QUOTES) -> ImportReport:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_file(store, LOCAL_OPERATOR, find_project(store, "P"), "jsonl", path, options)


def row(why: object, text: str = TEXT, **more: object) -> dict[str, object]:
    return {"id": "a", "text": text, "label": "bad", "why": why, **more}


def marked(store: Store) -> list[list[tuple[int, int]]]:
    sets = store.rows("SELECT spans FROM rationale_sets ORDER BY annotation_id, position")
    return [[tuple(span) for span in json.loads(one["spans"])] for one in sets]


def problem_of(store: Store, tmp_path: Path, why: object, text: str) -> Problem:
    with pytest.raises(ImportRefused) as refused:
        imported(store, tmp_path, [row(why, text)])
    [problem] = refused.value.problems
    return problem


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        ("not good; boring", [[(3, 5), (9, 10)]]),
        ("“not good”;\n boring ", [[(3, 5), (9, 10)]]),  # quotation marks and blanks are not the text's
        (["not good", "boring"], [[(3, 5), (9, 10)]]),
        ([["not good"], ["boring"]], [[(3, 5)], [(9, 10)]]),  # a list of lists: one a set
        ("NOT  good", [[(3, 5)]]),  # whatever the case and white space
        ("bor", [[(9, 10)]]),  # a part of a word marks the word
        ([], []),
    ],
)
def test_quoted_words_become_the_tokens_where_they_stand(
    store: Store, project: Project, tmp_path: Path, why: object, expected: object
) -> None:
    report = imported(store, tmp_path, [row(why)])
    assert (report.n_annotations, marked(store)) == (1, expected)
    assert imported(store, tmp_path, [row(why)]).n_unchanged == 1


def test_a_part_of_a_word_is_said_to_mark_the_word(store: Store, project: Project, tmp_path: Path) -> None:
    report = imported(store, tmp_path, [row("bor")])
    assert "1 of 1 span was widened to whole tokens: rows.jsonl, line 1: “bor” became “boring”." in report.notes


@pytest.mark.parametrize(
    ("why", "text", "quote", "reason"),
    [
        ("awful", TEXT, "awful", "These words are not in the text. Quote them as they stand there, or say by numbers"),
        ("boring; good", "Good, good, good: boring.", "good", "These words stand 2 times in the text. Quote more of the words"),
    ],
)  # fmt: skip
def test_words_that_are_not_there_or_twice_are_named_with_their_row_and_what_can_be_done(
    store: Store, project: Project, tmp_path: Path, why: str, text: str, quote: str, reason: str
) -> None:
    problem = problem_of(store, tmp_path, why, text)
    assert (problem.line, problem.field, problem.value) == (1, "rationale_quotes", quote)
    assert problem.reason.startswith(reason)
    assert store.value("SELECT count(*) FROM instances") == 0


def test_quotes_of_a_second_annotator_are_found_in_the_text_that_is_stored(
    store: Store, project: Project, tmp_path: Path
) -> None:
    between = row("food", id="b")
    imported(store, tmp_path, [row("boring", annotator="ada"), between, row("not good", annotator="bob")])
    assert sorted(marked(store)) == [[(1, 2)], [(3, 5)], [(9, 10)]]


def test_without_being_chosen_the_column_is_metadata_and_the_choice_is_named(
    store: Store, project: Project, tmp_path: Path
) -> None:
    other = {"id": "a", "text": TEXT, "label": "bad", "rationale": "not good; boring"}
    report = imported(store, tmp_path, [other], ImportOptions())
    assert (report.n_annotations, report.n_warnings) == (0, 1)
    assert "choose it as such (--column rationale_quotes=rationale)" in report.doubts[0]
