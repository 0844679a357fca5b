"""Files that appear whole or not at all, and what killed processes left of them."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotator.errors import ExportRefused
from annotator.files import dead_folders, part_folder, put_in_place, remove_dead_parts, scratch_folder
from annotator.formats.rows.files import new_file, new_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks, modes and signals of POSIX")


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of this test alone, so that nothing that others left or are making is looked at."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


@contextmanager
def working(code: str) -> Iterator["subprocess.Popen[str]"]:
    """Another process in the middle of its work."""
    program = f"from pathlib import Path\n{code}\n    print('working', flush=True)\n    __import__('time').sleep(600)"
    environment = {**os.environ, "TMPDIR": str(tempfile.gettempdir())}
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout.readline() == "working\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


EXPORT = """
from annotator.formats.rows.files import new_file
with new_file(Path({path!r})) as file:
    file.write(b'half of it')
"""
FOLDER = """
from annotator.formats.rows.files import new_folder
with new_folder(Path({path!r})) as folder:
    (folder / 'half').write_text('of it')
"""
SCRATCH = """
from annotator.files import scratch_folder
with scratch_folder() as folder:
    (folder / 'copy.db').write_text('a copy of everything')
"""


@pytest.mark.parametrize("code", [EXPORT, FOLDER])
def test_the_next_export_removes_what_a_killed_one_left_and_nothing_of_one_that_works(
    code: str, tmp_path: Path
) -> None:
    place = tmp_path / "exports"
    place.mkdir()
    with working(code.format(path=str(place / "first"))):
        with new_file(place / "second") as file:
            file.write(b"whole")
        assert len(list(place.iterdir())) == 2, "what the other one is making is still there"
    assert len(list(place.iterdir())) == 2, "the killed one left something"
    with new_file(place / "third") as file:
        file.write(b"whole")
    assert sorted(path.name for path in place.iterdir()) == ["second", "third"]


def test_the_next_scratch_folder_removes_what_a_killed_process_left_and_nothing_of_one_that_works(
    tmp_path: Path,
) -> None:
    place = tmp_path / "temporary"
    with working(SCRATCH):
        with scratch_folder():
            assert len(list(place.iterdir())) == 2
        assert len(list(place.iterdir())) == 1
    assert dead_folders(tmp_path) == list(place.iterdir())
    with scratch_folder() as own:
        assert list(place.iterdir()) == [own]
    assert list(place.iterdir()) == []


def test_what_others_made_is_never_taken_for_dead(tmp_path: Path) -> None:
    for name in (".notes.part", "export.annotator-part", ".annotator-part.txt"):
        (tmp_path / name).mkdir()
    (tmp_path / ".file.annotator-part").touch()
    remove_dead_parts(tmp_path)
    assert len(list(tmp_path.iterdir())) == 5  # with the temporary folder


def test_what_is_being_made_can_be_read_by_nobody_else_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with new_file(tmp_path / "a"), new_folder(tmp_path / "b"), scratch_folder() as scratch:
            folders = [*tmp_path.glob(".*"), scratch]
            assert len(folders) == 3
            assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}
    finally:
        os.umask(before)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_an_export_can_be_read_by_its_owner_alone_whatever_the_umask(umask: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("of an older version")
    (tmp_path / "a").chmod(0o644)
    before = os.umask(umask)
    try:
        with new_file(tmp_path / "a") as file, new_folder(tmp_path / "b") as folder:
            file.write(b"new")
            (folder / "docs").mkdir()
            (folder / "docs" / "one").write_text("text")
    finally:
        os.umask(before)
    modes = {name: (tmp_path / name).stat().st_mode & 0o777 for name in ("a", "b", "b/docs", "b/docs/one")}
    assert modes == {"a": 0o600, "b": 0o700, "b/docs": 0o700, "b/docs/one": 0o600}


def test_an_export_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("before")

    def fail() -> None:
        with new_file(tmp_path / "a") as file:
            file.write(b"half")
            raise OSError(28, "No space left on device")

    with pytest.raises(ExportRefused, match=r"Can't write '.*a': No space left on device\."):
        fail()
    assert (tmp_path / "a").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "temporary"]


def test_what_has_the_name_by_now_is_not_overwritten(tmp_path: Path) -> None:
    with part_folder(tmp_path / "a") as folder:
        (folder / "a").write_text("second")
        (tmp_path / "a").write_text("first")
        with pytest.raises(FileExistsError):
            put_in_place(folder / "a", tmp_path / "a")
    assert (tmp_path / "a").read_text() == "first"


def test_where_there_are_no_hard_links_names_are_given_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    with part_folder(tmp_path / "a") as folder:
        (folder / "a").write_text("first")
        put_in_place(folder / "a", tmp_path / "a")
        (folder / "b").write_text("second")
        with pytest.raises(FileExistsError):
            put_in_place(folder / "b", tmp_path / "a")
    assert (tmp_path / "a").read_text() == "first"


def test_a_folder_whose_process_is_gone_is_dead_at_once(tmp_path: Path) -> None:
    with working(SCRATCH) as process:
        assert dead_folders(tmp_path) == []
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert len(dead_folders(tmp_path)) == 1
