"""Uploaded files on the disk: one as itself, several or an archive's as their folder."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from annotator.errors import InvalidValue, NotFound
from annotator.formats.rows.lines import check_file
from annotator.usecases.transfer.uploads import laid_out, name_that_repeats, unpacked


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
        pytest.raises(
            InvalidValue, match=r"^You chose 2 files at once, but this format reads one file\. Import them one"
        ),
        laid_out([("a.csv", b"id,text"), ("b.csv", b"id,text")]) as path,
    ):
        check_file(path)


def test_an_archive_of_several_files_where_one_is_read_is_refused_under_its_own_name(tmp_path):
    archive = tmp_path / "data.zip"
    archive.write_bytes(zipped("a.csv", "b.csv"))
    reason = r"^'data.zip' holds several files, but this format reads one file\. Choose that file alone\.$"
    with pytest.raises(InvalidValue, match=reason), laid_out([("data.zip", archive.read_bytes())]) as path:
        check_file(path)
    with pytest.raises(InvalidValue, match=reason), unpacked(archive) as path:
        check_file(path)


def test_an_archive_of_our_own_parquet_is_refused_with_the_exports_that_are_read_back(tmp_path):
    archive = tmp_path / "datasets.zip"
    archive.write_bytes(zipped("data/train.parquet", "annotations/train.parquet", "README.md"))
    reason = r"^'datasets.zip' holds Parquet files.* jsonl \(the whole project\) and csv \(its gold\) are read back"
    with pytest.raises(InvalidValue, match=reason), unpacked(archive) as path:
        check_file(path)


def test_a_file_name_with_a_nul_is_refused_with_the_name():
    with (
        pytest.raises(InvalidValue, match=r"^The file name 'ro�ws.csv' holds a NUL character\. Rename the file"),
        laid_out([("ro\0ws.csv", b"id")]),
    ):
        pytest.fail("it was laid out")


def test_an_archive_that_cannot_be_unpacked_is_refused_under_its_own_name():
    with (
        pytest.raises(InvalidValue, match=r"'data.zip' is not a zip file, or is damaged"),
        laid_out([("data.zip", b"PK")]),
    ):
        pass


def test_a_name_that_leads_elsewhere_is_cut_to_its_last_part():
    with laid_out([("../../up.csv", b"id")]) as path:
        assert path.name == "up.csv"
        assert path.parent.parent.name.startswith("annotator-import-")


def test_two_files_of_one_name_are_found():
    assert name_that_repeats(["a/train.jsonl", "b/train.jsonl", "c"]) == "train.jsonl"
    assert name_that_repeats(["a", "b"]) is None
