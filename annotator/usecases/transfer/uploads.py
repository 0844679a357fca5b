"""Files that somebody uploads, laid out on the disk as a reader wants them."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, NotFound, NotOneFile
from annotator.formats.rows.files import unpack
from annotator.language import _

_UPLOAD = "upload"
_NOT_DATA = frozenset({"__MACOSX", ".DS_Store"})  # what a Mac puts into its archives


def name_that_repeats(names: Sequence[str]) -> str | None:
    """A name that two of the files have, of which one would take the other's place."""
    counts = Counter(PurePosixPath(name).name for name in names)
    return next((name for name, n in counts.items() if n > 1), None)


@contextmanager
def laid_out(files: Iterable[tuple[str, bytes | memoryview]]) -> Iterator[Path]:
    """One plain file as itself; several, or what was in an archive, as their folder. It is gone afterwards.

    Folders that hold nothing but one folder or file, as in an archive of a folder, are gone through.
    files: name and content of each; zip archives are unpacked
    Raises: InvalidValue for a name that no file can have, and for an archive that cannot be unpacked
    """
    names: list[str] = []
    with _folder() as folder, _as_chosen(names, folder):
        for file_name, content in files:
            names.append(file_name)
            if "\0" in file_name:
                shown = file_name.replace("\0", "�")
                raise InvalidValue(_("'{file_name}' contains a NUL character. Rename it.", file_name=shown))
            target = folder / PurePosixPath(file_name).name
            try:
                target.write_bytes(content)
            except OSError as error:
                raise InvalidValue(
                    _("Can't write '{path}': {reason}.", path=file_name, reason=error.strerror)
                ) from None
            if _is_archive(target):
                archive = target.rename(folder / ".archive")
                unpack(archive, folder, name=target.name)
                archive.unlink()
        yield _inner(folder)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """A file or folder on the disk as itself; what is in a zip archive like an upload.

    Raises: InvalidValue for an archive that cannot be unpacked
    """
    if not _is_archive(path):
        yield path
        return
    with _folder() as folder, _as_chosen([path.name], folder):
        unpack(path, folder, name=path.name)
        yield _inner(folder)


def _is_archive(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and path.is_file()


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder for a while; a refusal does not name it, since nobody knows it."""
    with tempfile.TemporaryDirectory(prefix="annotator-import-") as name:
        folder = Path(name) / _UPLOAD
        folder.mkdir()
        try:
            yield folder
        except (InvalidValue, NotFound) as error:
            message = str(error).replace(f"{folder}/", "").replace(str(folder), _UPLOAD)
            if message == str(error):
                raise
            raise type(error)(message) from None


@contextmanager
def _as_chosen(names: Sequence[str], folder: Path) -> Iterator[None]:
    """Where the format reads one file, a refusal says which files the person chose, and not which folder they lie in."""
    try:
        yield
    except NotOneFile:
        if len(names) > 1:
            reason = _("This format takes one file, not {files}.", files=counted(len(names), "file"))
        elif any(folder.rglob("*.parquet")):
            reason = _("'{file_name}' contains Parquet files. Use Annotator's jsonl or csv export.", file_name=names[0])
        else:
            reason = _("'{file_name}' contains several files; choose the one to import.", file_name=names[0])
        raise InvalidValue(reason) from None


def _inner(folder: Path) -> Path:
    """The file or folder that the data lie in."""
    entry = folder
    while entry.is_dir():
        entries = [path for path in entry.iterdir() if path.name not in _NOT_DATA]
        if len(entries) != 1:
            break
        entry = entries[0]
    return entry
