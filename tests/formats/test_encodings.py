"""Files in other encodings: read in the one that is named, refused where it cannot be it, and never guessed."""

from pathlib import Path

import pytest

from annotator.errors import InvalidValue
from annotator.formats.registry import guess_format
from annotator.formats.rows.encodings import ENCODINGS, Sample, recoded, recoded_bytes, samples

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
        InvalidValue, match=r"'f.csv' is not in windows-1252: its line 2 has a byte \(0x81\) that means nothing"
    ):
        recoded_bytes(b"id,text\n1,\x81\n", "windows-1252", "f.csv")


def test_an_encoding_that_is_not_read_is_refused_with_those_that_are() -> None:
    with pytest.raises(
        InvalidValue, match="'klingon' is not an encoding that is read here. Choose one of utf-8, windows-1252"
    ):
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
    with pytest.raises(InvalidValue, match="is not an encoding that is read here"):
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
