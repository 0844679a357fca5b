"""Files before their format: zip archives, and files in other encodings."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from annotator.errors import InvalidValue
from annotator.formats.registry import guess_format
from annotator.formats.rows import files as archives
from annotator.formats.rows.encodings import ENCODINGS, Sample, recoded, recoded_bytes, samples
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
    ("../up", "a path outside its folder"),
    ("a/../../up", "a path outside its folder"),
    ("..\\up", "a path outside its folder"),  # of another system
    ("/etc/passwd", "a path outside its folder"),
    ("C:/up", "a path outside its folder"),
    ("a/" * 1500 + "deep", "more than 20 folders deep"),
    ("n" * 300, "a file name that is too long"),
    ("é" * 200, "a file name that is too long"),  # in bytes
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
        with pytest.raises(InvalidValue, match="'"):
            take(archive)


def test_two_files_of_one_name_and_a_file_that_is_a_folder_too_are_refused(tmp_path, take):
    with pytest.warns(UserWarning, match="Duplicate"):
        archive = packed(tmp_path / "a.zip", ("d", b"x"), ("./d", b"y"), ("d", b"z"))
    with pytest.raises(InvalidValue, match="'d' is twice in '"):
        take(archive)
    with pytest.raises(InvalidValue, match="'d' is both file and folder in '"):
        take(packed(tmp_path / "a.zip", ("d", b"x"), ("d/e", b"y")))


def test_a_declared_size_beyond_the_limit_is_refused_without_unpacking(tmp_path, take, monkeypatch):
    monkeypatch.setattr(archives, "MAX_UNPACKED_GB", 1e-6)
    archive = packed(tmp_path / "bomb.zip", ("zeros", b"\0" * 5_000_000))
    assert archive.stat().st_size < 10_000
    with pytest.raises(InvalidValue, match=r"GB unpacked\. Import the folder by command line\."):
        take(archive)


def test_more_files_than_the_limit_are_refused(tmp_path, take, monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    with pytest.raises(InvalidValue, match=r"has 4 files; the limit is 3\. Split it\."):
        take(packed(tmp_path / "a.zip", *((f"f{n}", b"x") for n in range(4))))


def test_a_locked_archive_and_one_of_another_method_are_refused(tmp_path, take):
    archive = packed(tmp_path / "a.zip", ("d", b"x" * 100))
    content = bytearray(archive.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[central + 8] |= 1  # "encrypted"
    archive.write_bytes(content)
    with pytest.raises(InvalidValue, match=r"is password-protected\."):
        take(archive)
    content[central + 8] &= ~1
    content[central + 10] = 14  # LZMA, which may ask for gigabytes
    archive.write_bytes(content)
    with pytest.raises(InvalidValue, match="Unsupported compression in '"):
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


# Files in other encodings: read in the one that is named, refused where it cannot be it, and never guessed.

WORDS = {
    "windows-1252": "a café – “good”", "windows-1250": "źle", "windows-1251": "плохо", "windows-1254": "çok kötü ş",
    "mac-roman": "café", "utf-16": "café 好", "gb18030": "很好", "big5": "很好", "shift_jis": "とても", "euc-kr": "좋다",
    "utf-8": "café 好",
}  # fmt: skip


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_each_encoding_that_is_offered_is_read(encoding: str) -> None:
    text = f"id,text\n1,{WORDS[encoding]}\n"
    assert recoded_bytes(text.encode(encoding), encoding, "f").decode() == text


def test_bytes_that_mean_nothing_in_an_encoding_are_refused_with_their_line() -> None:
    with pytest.raises(
        InvalidValue, match=r"'f\.csv' isn't windows-1252 \(line 2, byte 0x81\)\. Choose another --encoding\."
    ):
        recoded_bytes(b"id,text\n1,\x81\n", "windows-1252", "f.csv")


def test_an_encoding_that_is_not_read_is_refused_with_those_that_are() -> None:
    with pytest.raises(InvalidValue, match=r"Unknown encoding 'klingon'\. Available:"):
        recoded_bytes(b"a", "klingon", "f")
    assert recoded_bytes(b"caf\xe9", "cp1252", "f") == "café".encode()  # another name of one that is


OTHER_NAMES = [
    ("latin-1", b"caf\xe9 \x96 \x93so\x94", "café – “so”"), ("ISO-8859-1", b"caf\xe9", "café"), ("ansi", b"caf\xe9", "café"),
    ("iso-8859-15", b"\xa4", "€"), ("koi8-r", b"\xd0\xcc\xcf\xc8\xcf", "плохо"), ("gbk", "很好".encode("gbk"), "很好"),
    ("sjis", "とても".encode("shift_jis"), "とても"), ("cp949", "좋다".encode("cp949"), "좋다"), ("utf8", "好".encode(), "好"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "text"), OTHER_NAMES)
def test_the_usual_names_of_encodings_are_taken(name: str, content: bytes, text: str) -> None:
    assert recoded_bytes(content, name, "f").decode() == text


@pytest.mark.parametrize("name", ["rot13", "base64", "unicode_escape", "idna", ""])
def test_what_is_no_encoding_of_files_is_refused(name: str) -> None:
    with pytest.raises(InvalidValue, match="Unknown encoding '"):
        recoded_bytes(b"a", name, "f")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_says_the_encoding_without_a_word(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith("e") else ""
    path = tmp_path / "rows.csv"
    path.write_bytes(f"{mark}id,text\n1,café 好\n".encode(encoding))
    (tmp_path / "plain.csv").write_bytes("id,text\n1,好\n".encode())
    guess = guess_format(path)
    assert guess is not None or encoding == "utf-32"
    for named in (None, "utf-8"):
        with recoded(path, named) as readable:
            assert readable.read_bytes().decode("utf-8-sig") == "id,text\n1,café 好\n"
    with recoded(tmp_path, None) as folder:
        assert (folder / "plain.csv").read_bytes() == "id,text\n1,好\n".encode()
        assert (folder / "rows.csv").read_bytes().decode("utf-8-sig") == "id,text\n1,café 好\n"


def test_a_folder_is_read_with_all_its_files_and_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a").write_bytes(b"caf\xe9")
    (folder / "scores.npz").write_bytes(b"\xe9")
    with recoded(folder, "windows-1252") as path:
        assert (path.name, (path / "docs" / "a").read_bytes()) == ("data", "café".encode())
        assert (path / "scores.npz").read_bytes() == b"\xe9"
        assert path != folder
    assert not path.exists()
    assert (folder / "docs" / "a").read_bytes() == b"caf\xe9"
    with recoded(folder, None) as path:
        assert path == folder


def test_what_is_shown_are_lines_whose_letters_depend_on_the_encoding() -> None:
    content = "id,text\n1,plain\n2,a café\n3,no\n4,naïve\n".encode("windows-1252")
    assert samples(content, "windows-1252") == [Sample(3, "2,a café"), Sample(5, "4,naïve")]
    assert samples(content, "mac-roman", 1) == [Sample(3, "2,a cafÈ")]
    assert samples(b"id\n1\n", "gb18030") == []
    long = ("x" * 50 + "é" + "y" * 50).encode("windows-1252")
    assert samples(long, "windows-1252") == [Sample(1, "…" + "x" * 20 + "é" + "y" * 19 + "…")]
