"""A file that holds the tokens of texts alone, put into the project that has the texts."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import ImportRefused
from annotator.store import Store
from annotator.store.instances import iterate_instance_batches
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

ROWS: list[dict[str, object]] = [
    {"id": "a", "text": "It's good.  Isn't it?", "label": "positive", "split": "train", "rationales": [[[2, 3]]]},
    {
        "id": "b",
        "text": "好吃，不贵。",
        "label": "positive",
        "split": "train",
        "language": "zh",
        "rationales": [[[0, 2]]],
    },
    {"id": "c", "text": "Good food .", "label": "positive", "split": "train", "rationales": [[[0, 1]]]},
]
Rows = Callable[..., ImportReport]


def texts_in(store: Store) -> list[tuple[str | None, str]]:
    return [(row["docid"], row["text"]) for row in store.rows("SELECT docid, text FROM documents ORDER BY id")]


@pytest.fixture
def exported(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, tmp_path: Path
) -> tuple[Project, Path]:
    """A project with texts in two languages, and its export for ERASER, where blanks part all tokens."""
    project, folder = make_project(), tmp_path / "eraser"
    import_rows(project, ROWS)
    export_file(store, LOCAL_OPERATOR, project, "eraser", folder)
    assert "It 's good ." in (folder / "docs.jsonl").read_text()
    return project, folder


def test_an_export_for_eraser_put_back_is_known_and_the_project_keeps_its_own_spacing(
    store: Store, exported: tuple[Project, Path]
) -> None:
    project, folder = exported
    before = texts_in(store)
    report = import_file(store, LOCAL_OPERATOR, project, "eraser", folder)
    assert (report.n_new, report.n_problems, report.n_documents) == (0, 0, 0)
    assert report.notes[0] == (
        "Of 3 texts the file holds the tokens alone; the project has the same tokens, so its own spacing was kept."
    )
    assert texts_in(store) == before == [(None, row["text"]) for row in ROWS]
    again = import_file(store, LOCAL_OPERATOR, project, "eraser", folder)
    assert (again.n_new, again.n_updated, again.n_unchanged) == (0, 0, 3)


def test_a_label_of_such_a_row_may_overwrite_and_the_text_stays(store: Store, exported: tuple[Project, Path]) -> None:
    project, folder = exported
    rows = [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()]
    rows[0]["classification"] = "negative"
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = texts_in(store)
    report = import_file(store, LOCAL_OPERATOR, project, "eraser", folder, ImportOptions(update=True))
    assert report.n_problems == 0
    assert store.value("SELECT result FROM instances WHERE key = 'a'") == "negative"
    assert texts_in(store) == before


def test_other_tokens_are_other_content_of_which_nothing_is_stored(
    store: Store, exported: tuple[Project, Path]
) -> None:
    project, folder = exported
    documents = (folder / "docs.jsonl").read_text()
    (folder / "docs.jsonl").write_text(documents.replace("Is n't it ?", "Is not it ?"))
    with pytest.raises(ImportRefused, match="1 problem"):
        import_file(store, LOCAL_OPERATOR, project, "eraser", folder)
    before = texts_in(store)
    report = import_file(store, LOCAL_OPERATOR, project, "eraser", folder, ImportOptions(skip_invalid=True))
    assert (report.n_problems, report.n_documents, report.problems[0].value) == (1, 0, "a")
    assert texts_in(store) == before


@pytest.fixture
def spaced(store: Store, make_project: Callable[..., Project], import_rows: Rows) -> Project:
    """A project with texts in two languages, and its tokens."""
    project = make_project()
    import_rows(project, ROWS)
    return project


def tokens_of(store: Store, project: Project) -> dict[str, list[str]]:
    return {
        instance.key: instance.segment("text").body.tokens()
        for batch in iterate_instance_batches(store, project.id)
        for instance in batch
    }


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_rows_with_tokens_alone_are_known_in_the_project_that_has_their_texts(
    store: Store, spaced: Project, tmp_path: Path
) -> None:
    """Of a row that names no language the instance's own is kept."""
    before = texts_in(store)
    rows: list[dict[str, object]] = [
        {"id": key, "tokens": tokens, "label": "positive", "split": "train"}
        for key, tokens in tokens_of(store, spaced).items()
    ]
    report = import_file(store, LOCAL_OPERATOR, spaced, "jsonl", written(tmp_path / "tokens.jsonl", rows))
    assert (report.n_problems, report.n_new, report.n_updated, report.n_unchanged) == (0, 0, 0, 3)
    assert any("2 texts the file holds the tokens alone" in note for note in report.notes)  # the third is spaced alike
    assert texts_in(store) == before


def test_a_benchmark_file_with_tokens_alone_is_known_too(
    store: Store, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    project = make_project()
    record: dict[str, object] = {
        "id": 1,
        "context": "It's good.",
        "sent_token": ["It", "'s", "good", "."],
        "sample_type": "ori",
    }
    import_file(store, LOCAL_OPERATOR, project, "benchmark", written(tmp_path / "texts.jsonl", [record]))
    del record["context"]
    report = import_file(store, LOCAL_OPERATOR, project, "benchmark", written(tmp_path / "tokens.jsonl", [record]))
    assert (report.n_problems, report.n_new, report.n_unchanged) == (0, 0, 1)
    assert texts_in(store) == [(None, "It's good.")]


def test_a_row_that_counts_characters_of_its_joined_tokens_is_other_content(
    store: Store, spaced: Project, tmp_path: Path
) -> None:
    """They would stand at other words of the text that the project has."""
    row: dict[str, object] = {
        "id": "a", "tokens": tokens_of(store, spaced)["a"], "label": "positive", "split": "train",
        "rationales": [[{"start_char": 0, "end_char": 2}]],
    }  # fmt: skip
    with pytest.raises(ImportRefused, match="1 problem"):
        import_file(store, LOCAL_OPERATOR, spaced, "jsonl", written(tmp_path / "t.jsonl", [row]))
