"""Zip archives that people hand in: unpacked into a folder, or refused with the reason; nothing leaves that folder."""

import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _

MAX_UNPACKED_GB = 2
MAX_FILES = 200_000
MAX_FOLDERS_DEEP = 20
_LONGEST_NAME = 255  # bytes; what file systems take
_IS_LOCKED = 0x1  # the flag of an entry that needs a password
_METHODS = frozenset({ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2})  # LZMA may ask for gigabytes of memory


def unpack(archive: Path, folder: Path, *, name: str) -> None:
    """Unpack an archive, which people know under `name`, into a folder; where it is refused, files may lie there already.

    Raises: InvalidValue when it is none, is damaged, locked, empty or too large, or a name in it cannot be one here
    """
    try:
        with ZipFile(archive) as opened:
            entries = opened.infolist()
            _check(name, entries, folder)
            opened.extractall(folder)
    except (BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
        raise InvalidValue(
            _("'{name}' is not a zip file, or is damaged: {reason}. Pack it again.", name=name, reason=_reason(error))
        ) from None
    except OSError as error:
        reason = error.strerror or _("its content breaks off")
        raise InvalidValue(_("'{name}' cannot be unpacked: {reason}.", name=name, reason=reason)) from None


def _reason(error: Exception) -> str:
    """What Python says, without a full stop of its own; EOFError says nothing."""
    return str(error).rstrip(".") or _("it breaks off")


def _check(name: str, entries: Sequence[ZipInfo], folder: Path) -> None:
    files = [entry for entry in entries if not entry.is_dir()]
    if not files:
        raise InvalidValue(_("The archive '{name}' holds no file; there is nothing to import.", name=name))
    if len(entries) > MAX_FILES:
        raise InvalidValue(
            _(
                "'{name}' holds {files}; at most {most} are unpacked. Pack it in parts.",
                name=name,
                files=counted(len(entries), "file"),
                most=f"{MAX_FILES:,}",
            )
        )
    if sum(entry.file_size for entry in files) > MAX_UNPACKED_GB * 2**30:
        raise InvalidValue(
            _(
                "'{name}' would unpack to more than {size} GB. Unpack it and import the folder from the command line.",
                name=name,
                size=MAX_UNPACKED_GB,
            )
        )
    if any(entry.flag_bits & _IS_LOCKED for entry in files):
        raise InvalidValue(_("'{name}' is locked with a password. Pack it without one.", name=name))
    if any(entry.compress_type not in _METHODS for entry in files):
        raise InvalidValue(
            _("'{name}' is packed in a way that is not read here. Pack it as an ordinary zip file.", name=name)
        )
    _check_names(name, entries, folder)


def _check_names(name: str, entries: Sequence[ZipInfo], folder: Path) -> None:
    files: set[str] = set()
    for entry in entries:
        if reason := _why_not(entry.filename):
            shown = entry.filename if len(entry.filename) <= 80 else f"{entry.filename[:77]}..."
            raise InvalidValue(
                _(
                    "'{name}' holds '{entry}', {reason}. Pack it again without it.",
                    name=name,
                    entry=shown,
                    reason=reason,
                )
            )
        path = str(PurePosixPath(entry.filename))
        if entry.is_dir():
            continue
        if path in files or (folder / path).is_file():
            raise InvalidValue(
                _("'{name}' holds '{path}', which is among the files already. Rename one.", name=name, path=path)
            )
        files.add(path)
    for entry in entries:
        above = next((str(p) for p in PurePosixPath(entry.filename).parents if str(p) in files), None)
        if above is not None:
            raise InvalidValue(
                _("'{name}' holds '{path}' both as a file and as a folder. Pack it again.", name=name, path=above)
            )


def _why_not(filename: str) -> str | None:
    """What is wrong with the name of an entry."""
    parts = filename.replace("\\", "/").split("/")
    if filename.startswith(("/", "\\")) or parts[0].endswith(":") or ".." in parts:
        return _("a name that leads out of its folder")
    if len(parts) > MAX_FOLDERS_DEEP:
        return _("which lies more than {n} folders deep", n=MAX_FOLDERS_DEEP)
    if any(len(part.encode("utf-8", "surrogatepass")) > _LONGEST_NAME for part in parts):
        return _("a name that is too long for a file")
    return None
