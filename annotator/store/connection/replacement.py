"""Putting another database in the place of one.

What was there gets another name, with its log, byte for byte. From the moment at which the new one lies complete beside it
(NAME-restored) everybody who opens the database first carries on where this was cut off, so that a process that is killed at any
moment leaves the old database or the new one.
"""

import datetime as dt
import glob
import os
import shutil
from contextlib import suppress
from pathlib import Path

from annotator.files import sync_folder
from annotator.store.connection import file_access

_READY = "-restored"
_LOGS = ("-wal", "-journal")  # what SQLite would play into whatever database it finds beside them
_MODELS = ".models"
_KEPT = ".%Y%m%d-%H%M%S.replaced"


def ready_name(path: Path) -> Path:
    """Where the new database lies from the moment at which it counts."""
    return _beside(path, _READY)


def models_of(path: Path) -> Path:
    """The folder of the models that were trained on a database."""
    return _beside(path, _MODELS)


def unfinished(path: Path) -> list[Path]:
    """What killed processes of earlier versions, and a restore that was killed before it counted, left beside a database."""
    name = glob.escape(path.name)
    endings = ("", "-wal", "-shm", "-journal", _MODELS)
    patterns = [f"{name}{part}{ending}" for part in (".part", ".*.backup.part") for ending in endings]
    patterns.append(f"{name}{_READY}{_MODELS}")
    return sorted(leftover for pattern in patterns for leftover in path.parent.glob(pattern))


def rescued(path: Path) -> list[Path]:
    """Copies of what was still open when somebody removed a database."""
    return sorted(path.parent.glob(f"{glob.escape(path.name)}.*.rescued"))


def kept_name(path: Path) -> Path | None:
    """The name that what is at a place gets when it is replaced now; None where there is nothing."""
    if not any(_beside(path, ending).exists() for ending in ("", *_LOGS, _MODELS)):
        return None
    moment = dt.datetime.now(dt.UTC).replace(microsecond=0)
    while any(_beside(_kept_name(path, moment), ending).exists() for ending in ("", *_LOGS, _MODELS)):
        moment += dt.timedelta(seconds=1)
    return _kept_name(path, moment)


def announce(new: Path, path: Path, earlier: Path | None) -> None:
    """From now on the new database counts, and what is there will be called `kept`.

    new: complete and on the disk, in a folder of the same file system; its models, if any, beside it
    """
    if earlier is not None:
        # The time in the name is the new file's, for whoever carries on.
        moment = dt.datetime.strptime(earlier.name.removeprefix(path.name), _KEPT).replace(tzinfo=dt.UTC)
        os.utime(new, (moment.timestamp(), moment.timestamp()))
    ready = ready_name(path)
    shutil.rmtree(models_of(ready), ignore_errors=True)
    models_of(new).mkdir(exist_ok=True)
    models_of(new).rename(models_of(ready))
    new.rename(ready)
    sync_folder(path.parent)


def finish_replacing(path: Path, *, patience: float) -> None:
    """Carry on with what `announce` began and a killed process left, if there is such a thing."""
    if not ready_name(path).exists():
        return
    lock = file_access.enter(path, alone=True, patience=patience)
    try:
        replace(path)
    finally:
        file_access.leave(path, lock)


def replace(path: Path) -> None:
    """Put the announced database in its place; nobody else may have the old one open. Each step may be the last, or the first."""
    ready = ready_name(path)
    if not ready.exists():
        return
    earlier = _kept_name(path, dt.datetime.fromtimestamp(ready.stat().st_mtime, dt.UTC))
    _replace_models(path, earlier)
    for ending in ("", *_LOGS):
        _name_also(_beside(path, ending), _beside(earlier, ending))
    sync_folder(path.parent)
    for ending in (*_LOGS, "-shm"):
        _beside(path, ending).unlink(missing_ok=True)
    ready.replace(path)
    sync_folder(path.parent)
    with suppress(OSError):
        models_of(path).rmdir()  # where it is empty


def _replace_models(path: Path, earlier: Path) -> None:
    """The new ones lie ready, if only as an empty folder, until they are in their place: so this is known to be done."""
    ready = models_of(ready_name(path))
    if not ready.is_dir():
        return
    if models_of(path).is_dir():
        models_of(path).rename(models_of(earlier))
    ready.rename(models_of(path))


def _name_also(path: Path, other: Path) -> None:
    """Give a file a second name, so that the first never leads to nothing; where there are no hard links, another name."""
    if not path.exists() or other.exists():
        return
    try:
        os.link(path, other)
    except OSError:
        path.rename(other)


def _kept_name(path: Path, moment: dt.datetime) -> Path:
    return _beside(path, f"{moment:{_KEPT}}")


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
