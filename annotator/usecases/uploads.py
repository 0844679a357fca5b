"""Files that somebody uploads, laid out on the disk as a reader wants them."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from annotator.errors import InvalidValue
from annotator.formats.archives import unpack

_NOT_DATA = frozenset({"__MACOSX", ".DS_Store"})  # what a Mac puts into its archives


def name_that_repeats(names: Sequence[str]) -> str | None:
    """A name that two of the files have, of which one would take the other's place."""
    counts = Counter(PurePosixPath(name).name for name in names)
    return next((name for name, n in counts.items() if n > 1), None)


@contextmanager
def laid_out(files: Iterable[tuple[str, bytes | memoryview]]) -> Iterator[Path]:
    """One plain file as itself; several, or what was in an archive, as their folder. It is gone afterwards.

    files: name and content of each; zip archives are unpacked
    Raises: InvalidValue for an archive that cannot be unpacked
    """
    with tempfile.TemporaryDirectory(prefix="annotator-import-") as name:
        folder = Path(name)
        for file_name, content in files:
            target = folder / PurePosixPath(file_name).name
            try:
                target.write_bytes(content)
            except OSError as error:
                raise InvalidValue(f"'{file_name}' cannot be kept while it is read: {error.strerror}.") from None
            if target.suffix.lower() == ".zip":
                archive = target.rename(folder / ".archive")
                unpack(archive, folder, name=target.name)
                archive.unlink()
        entries = [path for path in folder.iterdir() if path.name not in _NOT_DATA]
        yield entries[0] if len(entries) == 1 else folder
