"""What is wrong with files is said in the language of who imports them; what is stored, and what commands say, is English."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.file_problems import on_page
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import ImportRefused
from annotator.language import Language, speaking
from annotator.store import Store
from annotator.store.events import all_events
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.transfer.several_files import NamedFile, import_files

Make = Callable[..., Project]
ENGLISH = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
DOCUMENTS = '{"docid": "d1", "document": "A fine film ."}\n{"docid": "d2", "document": ""}\n'
BROKEN = (
    '{"annotation_id": "e1", "classification": "positive", "docids": ["d1"], '
    '"evidences": [[{"docid": "d1", "start_token": 1, "end_token": 99}]]}\n'
    '{"annotation_id": "e3", "classification": "positive", "docids": ["d7"], "evidences": []}\n'
    '{"annotation_id": "e4", "classification": "positive", "docids": ["d2"], "evidences": []}\n'
)


@pytest.fixture
def eraser(tmp_path: Path) -> Path:
    folder = tmp_path / "films"
    folder.mkdir()
    (folder / "docs.jsonl").write_text(DOCUMENTS, encoding="utf-8")
    (folder / "train.jsonl").write_text(BROKEN, encoding="utf-8")
    return folder


@pytest.fixture
def several(tmp_path: Path) -> list[NamedFile]:
    good, broken = tmp_path / "good.jsonl", tmp_path / "broken.jsonl"
    good.write_text('{"id": "a", "text": "Good food.", "label": "positive"}\n', encoding="utf-8")
    broken.write_text('{"id": "b", "text": "Bad food.", "label": "so so"}\n', encoding="utf-8")
    return [NamedFile(path.name, path, "jsonl") for path in (good, broken)]


def refused(language: Language, run: Callable[[], object]) -> ImportRefused:
    with speaking(language), pytest.raises(ImportRefused) as caught:
        run()
    return caught.value


def test_of_several_files_a_chinese_page_says_which_is_broken_and_why_in_chinese(
    store: Store, make_project: Make, several: list[NamedFile]
) -> None:
    made = make_project()
    refusal = refused("zh", lambda: import_files(store, LOCAL_OPERATOR, made, several))
    assert str(refusal).startswith("2 个文件中有 1 个有问题，所有文件都没有存储。")
    assert "'broken.jsonl'：1 个问题。" in refusal.notes
    sentences = [str(refusal), *refusal.notes[2:], *(problem.reason for problem in refusal.problems)]
    assert [sentence for sentence in sentences if ENGLISH.search(sentence)] == []
    with speaking("zh"):
        assert [option for sentence in sentences for option in re.findall(r"--\w+", on_page(sentence))] == []


def test_whoever_chose_no_language_as_a_command_reads_the_same_in_english(
    store: Store, make_project: Make, several: list[NamedFile]
) -> None:
    made = make_project()
    with pytest.raises(ImportRefused, match="1 of 2 files has problems; nothing of any was stored.") as caught:
        import_files(store, LOCAL_OPERATOR, made, several)
    sentences = (str(caught.value), *caught.value.notes, *(problem.reason for problem in caught.value.problems))
    assert all(sentence.isascii() for sentence in sentences)


def test_every_row_of_a_broken_eraser_folder_is_told_in_chinese_and_found_by_the_same_fields(
    store: Store, make_project: Make, eraser: Path
) -> None:
    made = make_project()
    chinese, english = (
        refused(language, lambda: import_file(store, LOCAL_OPERATOR, made, "eraser", eraser))
        for language in ("zh", "en")
    )
    assert [problem.reason for problem in chinese.problems if ENGLISH.search(problem.reason)] == []
    assert "证据到词元 99（不含）为止，而文档 'd1' 只有 4 个词元。" in {problem.reason for problem in chinese.problems}
    places = [[(p.source, p.line, p.field, p.value) for p in of.problems] for of in (chinese, english)]
    assert places[0] == places[1]
    assert len(places[0]) == 3


def test_what_an_import_stores_is_the_same_in_every_language(store: Store, make_project: Make, eraser: Path) -> None:
    stored = []
    languages: tuple[Language, ...] = ("zh", "en")
    for language in languages:
        made = make_project(name=language)
        (eraser / "docs.jsonl").write_text(DOCUMENTS.splitlines()[0] + "\n", encoding="utf-8")
        good = {"annotation_id": "e1", "classification": "positive", "docids": ["d1"], "evidences": [[]]}
        (eraser / "train.jsonl").write_text(json.dumps(good) + "\n" + BROKEN, encoding="utf-8")
        with speaking(language):
            report = import_file(store, LOCAL_OPERATOR, made, "eraser", eraser, ImportOptions(skip_invalid=True))
        assert report.n_new == 1
        stored.append(
            [(event.action, event.detail) for event in all_events(store, made.id) if event.action == "import"]
        )
    assert stored[0] == stored[1] != []
