"""Arrays of an .npz file, read by hand: what a header claims is compared with what is there before anything is made."""

import re
import zlib
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.formats.rows.lines import check_file
from annotator.language import _

_MAGIC = b"\x93NUMPY"
_HEADER = re.compile(
    r"\{'descr': '(?P<type>[<>|=]?(?:f[248]|[iu][1248]|b1|U[0-9]{1,6}))', 'fortran_order': (?P<order>True|False), "
    r"'shape': \((?P<shape>(?:[0-9]{1,18},? ?){0,8})\),? *\}"
)
MAX_BYTES = 256 * 2**20  # as lists of Python's numbers they take several times as much


def read_arrays(path: Path, names: Sequence[str], remedy: str) -> dict[str, Any]:
    """The arrays of these names, of those that are there, as lists; objects are never unpickled.

    remedy: how else such values can be written, as a sentence
    Source: the format of NumPy's files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html)
    Raises: NotFound or InvalidValue when the file cannot be read, or holds more than 256 MB
    """
    check_file(path)
    try:
        with ZipFile(path) as archive:
            wanted = {name: f"{name}.npy" for name in names if f"{name}.npy" in archive.NameToInfo}
            if sum(archive.NameToInfo[entry].file_size for entry in wanted.values()) > MAX_BYTES:
                raise InvalidValue(
                    _(
                        "'{name}' holds more than {megabytes} MB; save it in parts.",
                        name=path.name,
                        megabytes=MAX_BYTES // 2**20,
                    )
                )
            return {name: _array(archive.read(entry)) for name, entry in wanted.items()}
    except (BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise InvalidValue(
            _(
                "'{name}' holds no plain arrays ({problem}); objects are never unpickled. {remedy}",
                name=path.name,
                problem=error or _("it breaks off"),
                remedy=remedy,
            )
        ) from None


def _array(content: bytes) -> Any:
    """The values of one array; raises ValueError when they are not plain, or not as many as its header claims."""
    import numpy as np  # noqa: PLC0415  (only where it is met)

    size = 2 if content[6:7] == b"\x01" else 4  # of the number that tells how long the header is
    begin = len(_MAGIC) + 2 + size
    end = begin + int.from_bytes(content[begin - size : begin], "little")
    header = _HEADER.fullmatch(content[begin:end].decode("latin-1").strip()) if content.startswith(_MAGIC) else None
    if header is None:
        raise ValueError(_("their header is not that of numbers or text"))
    dtype = np.dtype(header["type"])
    shape = tuple(int(n) for n in header["shape"].replace(",", " ").split())
    n_values, n_bytes = prod(shape), len(content) - end
    if n_values * max(1, dtype.itemsize) > n_bytes:
        raise ValueError(
            _(
                "the header claims {values}, for which {bytes} are too few",
                values=counted(n_values, "value"),
                bytes=counted(n_bytes, "byte"),
            )
        )
    if not n_values:
        return []  # whatever the other lengths are
    values = np.frombuffer(content, dtype=dtype, count=n_values, offset=end)
    return values.reshape(shape, order="F" if header["order"] == "True" else "C").tolist()
