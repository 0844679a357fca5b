"""Several files in one import, as they are uploaded and as they are read: texts before what models said of them."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, InvalidValue, NotFound
from annotator.formats.rows.lines import check_file
from annotator.store import Store
from annotator.store.models import list_runs
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.transfer.several_files import NamedFile, import_files
from annotator.usecases.transfer.uploads import laid_out, name_that_repeats, unpacked

TEXTS = [{"id": "a", "text": "Good food.", "label": "yes"}, {"id": "b", "text": "Bad food.", "label": "no"}]
ANSWERS = [{"id": key, "model": "m", "prediction": "yes"} for key in "ab"]


@pytest.fixture
def project(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"))


def written(tmp_path: Path, name: str, format_name: str, rows: list[dict[str, Any]]) -> NamedFile:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return NamedFile(name, path, format_name)


def stored(store: Store) -> tuple[int, int]:
    return store.value("SELECT count(*) FROM instances"), store.value("SELECT count(*) FROM predictions")


def test_texts_are_read_first_whatever_the_order_and_the_project_takes_their_labels(
    store: Store, project: Project, tmp_path: Path
) -> None:
    answers = written(tmp_path, "answers.jsonl", "predictions", ANSWERS)
    texts = written(tmp_path, "texts.jsonl", "jsonl", TEXTS)
    reports = import_files(store, LOCAL_OPERATOR, project, [answers, texts])
    assert [file.name for file in reports] == ["texts.jsonl", "answers.jsonl"]
    assert stored(store) == (2, 2)


def test_a_dry_run_of_both_says_the_same_and_stores_nothing(store: Store, project: Project, tmp_path: Path) -> None:
    files = [written(tmp_path, "t", "jsonl", TEXTS), written(tmp_path, "a", "predictions", ANSWERS)]
    reports = import_files(store, LOCAL_OPERATOR, project, files, ImportOptions(dry_run=True))
    assert [file.report.words for file in reports] == [
        "2 new and 0 changed instances with 0 annotations",
        "2 predictions of 2 instances",
    ]
    assert all(file.report.is_dry_run for file in reports)
    assert stored(store) == (0, 0)


def test_where_the_model_output_has_a_problem_the_texts_are_not_stored_either_and_the_other_way_is_said(
    store: Store, project: Project, tmp_path: Path
) -> None:
    strange = [*ANSWERS, {"id": "nobody", "model": "m", "prediction": "yes"}]
    files = [written(tmp_path, "t", "jsonl", TEXTS), written(tmp_path, "a", "predictions", strange)]
    with pytest.raises(
        ImportRefused, match=r"Problems in 1 of 2 files\. Nothing was stored\. Correct them or use --skip-invalid\."
    ) as refused:
        import_files(store, LOCAL_OPERATOR, project, files)
    assert "'t': no problem (2 new and 0 changed instances with 0 annotations)." in refused.value.notes
    assert "You can import model output later under Saliency." in refused.value.notes[-1]
    assert stored(store) == (0, 0)
    import_files(store, LOCAL_OPERATOR, project, files, ImportOptions(skip_invalid=True))
    assert stored(store) == (2, 2)


def test_where_the_texts_have_problems_nothing_is_said_of_texts_that_model_output_would_lack(
    store: Store, project: Project, tmp_path: Path
) -> None:
    texts = written(tmp_path, "t", "jsonl", [{"id": "a"}])
    with pytest.raises(ImportRefused) as refused:
        import_files(store, LOCAL_OPERATOR, project, [texts, written(tmp_path, "a", "predictions", ANSWERS)])
    assert {problem.source for problem in refused.value.problems} == {"t"}
    assert refused.value.notes[-1] == "The model output file wasn't checked; texts come first."


def test_of_texts_alone_nothing_is_said_of_model_output(store: Store, project: Project, tmp_path: Path) -> None:
    files = [written(tmp_path, "t", "jsonl", TEXTS), written(tmp_path, "bad", "jsonl", [{"id": "a"}])]
    with pytest.raises(ImportRefused) as refused:
        import_files(store, LOCAL_OPERATOR, project, files)
    assert refused.value.notes[-1] == "'t': no problem (2 new and 0 changed instances with 0 annotations)."


@pytest.mark.parametrize("how", [{"renamed": {"maybe": "no"}}, {"left_labels": ("maybe",)}])
def test_what_is_said_of_a_label_holds_for_the_files_that_have_it_and_one_of_them_has_to(
    store: Store, project: Project, tmp_path: Path, how: dict[str, Any]
) -> None:
    other = [{"id": "a", "model": "n", "prediction": "maybe"}, {"id": "b", "model": "n", "prediction": "yes"}]
    files = [written(tmp_path, "t", "jsonl", TEXTS), written(tmp_path, "a", "predictions", ANSWERS)]
    with pytest.raises(InvalidValue, match=r"Unknown label 'maybe'\. Available:"):
        import_files(store, LOCAL_OPERATOR, project, files, ImportOptions(**how))
    assert stored(store) == (0, 0)
    files.append(written(tmp_path, "n", "predictions", other))
    import_files(store, LOCAL_OPERATOR, project, files, ImportOptions(**how))
    assert {run.run.model for run in list_runs(store, project.id)} == {"m", "n"}


def test_columns_that_are_chosen_for_the_texts_are_not_looked_for_in_model_output(
    store: Store, project: Project, tmp_path: Path
) -> None:
    texts = written(tmp_path, "t", "jsonl", [{"id": "a", "body": "Good food.", "label": "yes"}])
    answers = written(tmp_path, "a", "predictions", ANSWERS[:1])
    import_files(store, LOCAL_OPERATOR, project, [texts, answers], ImportOptions(columns={"text": "body"}))
    assert stored(store) == (1, 1)


# Uploaded files on the disk: one as itself, several or an archive's as their folder.


def zipped(*names: str) -> bytes:
    content = BytesIO()
    with ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "" if name.endswith("/") else name)
    return content.getvalue()


def files_in(path: Path) -> list[str]:
    return sorted(str(p.relative_to(path)) for p in path.rglob("*") if p.is_file())


def test_one_file_is_laid_out_as_itself_and_is_gone_afterwards():
    with laid_out([("rows.csv", b"id")]) as path:
        assert (path.name, path.read_bytes()) == ("rows.csv", b"id")
    assert not path.parent.parent.exists()


def test_several_files_are_laid_out_as_their_folder():
    with laid_out([("train.jsonl", b"{}"), ("docs.jsonl", b"{}")]) as path:
        assert files_in(path) == ["docs.jsonl", "train.jsonl"]


ARCHIVES = [
    (["data/train.jsonl", "data/docs/d1"], "data", ["docs/d1", "train.jsonl"]),  # its one folder
    (
        ["data/train.jsonl", "data/docs/d1", "__MACOSX/._train.jsonl", ".DS_Store"],
        "data",
        ["docs/d1", "train.jsonl"],
    ),  # a Mac
    (
        ["home/me/data/train.jsonl", "home/me/data/docs/d1"],
        "data",
        ["docs/d1", "train.jsonl"],
    ),  # packed with the way to it
    (["data/", "data/rows.csv"], "rows.csv", []),  # the one file of its one folder
    (["rows.csv"], "rows.csv", []),  # its one file
]


@pytest.mark.parametrize("name", ["data.zip", "DATA.ZIP"])
@pytest.mark.parametrize(("names", "place", "files"), ARCHIVES)
def test_what_was_in_an_archive_is_laid_out_without_the_archive(name, names, place, files):
    with laid_out([(name, zipped(*names))]) as path:
        assert (path.name, files_in(path) if path.is_dir() else []) == (place, files)


def test_an_archive_on_the_disk_is_read_like_an_upload_and_other_files_as_they_are(tmp_path):
    archive, plain = tmp_path / "data.zip", tmp_path / "rows.csv"
    archive.write_bytes(zipped("data/train.jsonl", "data/docs.jsonl"))
    plain.write_text("id")
    with unpacked(archive) as path:
        assert files_in(path) == ["docs.jsonl", "train.jsonl"]
    assert archive.exists()
    for as_it_is in (plain, tmp_path):
        with unpacked(as_it_is) as path:
            assert path == as_it_is


def test_a_refusal_does_not_name_the_folder_that_nobody_knows():
    with (
        pytest.raises(NotFound, match=r"^'train.jsonl' has no documents in 'upload'\.$"),
        laid_out([("a.zip", zipped("x", "y"))]) as path,
    ):
        raise NotFound(f"'{path / 'train.jsonl'}' has no documents in '{path}'.")


def test_several_files_where_one_is_read_are_refused_as_what_they_were_chosen_as():
    with (
        pytest.raises(InvalidValue, match=r"This format takes one file, not 2 files\."),
        laid_out([("a.csv", b"id,text"), ("b.csv", b"id,text")]) as path,
    ):
        check_file(path)


def test_an_archive_of_several_files_where_one_is_read_is_refused_under_its_own_name(tmp_path):
    archive = tmp_path / "data.zip"
    archive.write_bytes(zipped("a.csv", "b.csv"))
    reason = r"'data\.zip' contains several files; choose the one to import\."
    with pytest.raises(InvalidValue, match=reason), laid_out([("data.zip", archive.read_bytes())]) as path:
        check_file(path)
    with pytest.raises(InvalidValue, match=reason), unpacked(archive) as path:
        check_file(path)


def test_an_archive_of_our_own_parquet_is_refused_with_the_exports_that_are_read_back(tmp_path):
    archive = tmp_path / "datasets.zip"
    archive.write_bytes(zipped("data/train.parquet", "annotations/train.parquet", "README.md"))
    reason = r"'datasets\.zip' contains Parquet files\. Use Annotator's jsonl or csv export\."
    with pytest.raises(InvalidValue, match=reason), unpacked(archive) as path:
        check_file(path)


def test_a_file_name_with_a_nul_is_refused_with_the_name():
    with (
        pytest.raises(InvalidValue, match=r"'ro�ws\.csv' contains a NUL character\. Rename it\."),
        laid_out([("ro\0ws.csv", b"id")]),
    ):
        pytest.fail("it was laid out")


def test_an_archive_that_cannot_be_unpacked_is_refused_under_its_own_name():
    with pytest.raises(InvalidValue, match=r"'data\.zip' isn't a valid zip file:"), laid_out([("data.zip", b"PK")]):
        pass


def test_a_name_that_leads_elsewhere_is_cut_to_its_last_part():
    with laid_out([("../../up.csv", b"id")]) as path:
        assert path.name == "up.csv"
        assert path.parent.parent.name.startswith("annotator-import-")


def test_two_files_of_one_name_are_found():
    assert name_that_repeats(["a/train.jsonl", "b/train.jsonl", "c"]) == "train.jsonl"
    assert name_that_repeats(["a", "b"]) is None
