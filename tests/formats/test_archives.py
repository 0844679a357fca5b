"""Zip archives: what is in one lies in the folder, or one sentence says why it does not."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from annotator.errors import InvalidValue
from annotator.formats.rows import files as archives
from annotator.formats.rows.files import unpack


def packed(path: Path, *entries: tuple[str, bytes]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return path


@pytest.fixture
def take(tmp_path: Path) -> Callable[[Path], list[str]]:
    """Unpack; the names of the files that lie in the folder then."""
    folder = tmp_path / "inner" / "folder"
    folder.mkdir(parents=True)

    def run(archive: Path) -> list[str]:
        try:
            unpack(archive, folder, name=archive.name)
        finally:
            outside = [str(p) for p in tmp_path.rglob("*") if p.is_file() and not p.is_relative_to(folder)]
            assert outside == [str(archive)]
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())

    return run


def test_files_lie_in_their_folders(tmp_path, take):
    archive = packed(tmp_path / "a.zip", ("data/docs/d1", b"one"), ("data/train.jsonl", b"{}"), ("empty/", b""))
    assert take(archive) == ["data/docs/d1", "data/train.jsonl"]


BAD_NAMES = [
    ("../up", "leads out of its folder"),
    ("a/../../up", "leads out of its folder"),
    ("..\\up", "leads out of its folder"),  # of another system
    ("/etc/passwd", "leads out of its folder"),
    ("C:/up", "leads out of its folder"),
    ("a/" * 1500 + "deep", "more than 20 folders deep"),
    ("n" * 300, "too long for a file"),
    ("é" * 200, "too long for a file"),  # in bytes
]


@pytest.mark.parametrize(("name", "reason"), BAD_NAMES)
def test_a_name_that_cannot_be_one_here_is_refused_before_anything_is_written(name, reason, tmp_path, take):
    archive = packed(tmp_path / "a.zip", ("good", b"x"), (name, b"x"))
    with pytest.raises(InvalidValue, match=reason) as refusal:
        take(archive)
    assert len(str(refusal.value)) < 250
    assert not (tmp_path / "inner" / "folder" / "good").exists()


def test_an_archive_without_files_is_refused(tmp_path, take):
    for archive in (packed(tmp_path / "a.zip"), packed(tmp_path / "a.zip", ("folder/", b""))):
        with pytest.raises(InvalidValue, match="holds no file; there is nothing to import"):
            take(archive)


def test_two_files_of_one_name_and_a_file_that_is_a_folder_too_are_refused(tmp_path, take):
    with pytest.warns(UserWarning, match="Duplicate"):
        archive = packed(tmp_path / "a.zip", ("d", b"x"), ("./d", b"y"), ("d", b"z"))
    with pytest.raises(InvalidValue, match="'d', which is among the files already"):
        take(archive)
    with pytest.raises(InvalidValue, match="'d' both as a file and as a folder"):
        take(packed(tmp_path / "a.zip", ("d", b"x"), ("d/e", b"y")))


def test_a_declared_size_beyond_the_limit_is_refused_without_unpacking(tmp_path, take, monkeypatch):
    monkeypatch.setattr(archives, "MAX_UNPACKED_GB", 1e-6)
    archive = packed(tmp_path / "bomb.zip", ("zeros", b"\0" * 5_000_000))
    assert archive.stat().st_size < 10_000
    with pytest.raises(InvalidValue, match="would unpack to more than"):
        take(archive)


def test_more_files_than_the_limit_are_refused(tmp_path, take, monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    with pytest.raises(InvalidValue, match="holds 4 files; at most 3 are unpacked"):
        take(packed(tmp_path / "a.zip", *((f"f{n}", b"x") for n in range(4))))


def test_a_locked_archive_and_one_of_another_method_are_refused(tmp_path, take):
    archive = packed(tmp_path / "a.zip", ("d", b"x" * 100))
    content = bytearray(archive.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[central + 8] |= 1  # "encrypted"
    archive.write_bytes(content)
    with pytest.raises(InvalidValue, match="locked with a password"):
        take(archive)
    content[central + 8] &= ~1
    content[central + 10] = 14  # LZMA, which may ask for gigabytes
    archive.write_bytes(content)
    with pytest.raises(InvalidValue, match="packed in a way that is not read here"):
        take(archive)


def test_an_archive_cut_anywhere_or_with_a_wrong_byte_is_one_sentence_or_whole(tmp_path, take):
    archive = packed(tmp_path / "a.zip", ("d", bytes(range(200))), ("e/f", b"abc" * 100))
    whole = archive.read_bytes()
    for damaged in [whole[:n] for n in range(0, len(whole), 7)] + [
        whole[:n] + bytes([whole[n] ^ 0xFF]) + whole[n + 1 :] for n in range(len(whole))
    ]:
        archive.write_bytes(damaged)
        with suppress(InvalidValue):
            take(archive)
        for path in sorted((tmp_path / "inner" / "folder").rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()


def test_what_an_archive_calls_a_link_is_an_ordinary_file(tmp_path, take):
    archive = tmp_path / "a.zip"
    entry = ZipInfo("link")
    entry.external_attr = 0o120777 << 16
    with ZipFile(archive, "w") as opened:
        opened.writestr(entry, "/etc/passwd")
    assert take(archive) == ["link"]
    assert not (tmp_path / "inner" / "folder" / "link").is_symlink()
