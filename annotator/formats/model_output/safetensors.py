"""Arrays of a safetensors file, read by hand: the length of a JSON header (8 bytes), the header, and the raw numbers."""

import struct
from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.errors import InvalidValue
from annotator.language import _

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_arrays(content: bytes) -> Mapping[str, NDArray[np.float64]]:
    """The arrays of floating-point numbers, by name.

    Source: the safetensors format (https://huggingface.co/docs/safetensors)
    Raises: InvalidValue when the bytes are no such file, or hold other numbers
    """
    try:
        (length,) = struct.unpack_from("<Q", content)
        header = msgspec.json.decode(content[8 : 8 + length], type=dict[str, msgspec.Raw])
        entries = {
            name: msgspec.json.decode(raw, type=_Entry) for name, raw in header.items() if name != "__metadata__"
        }
        return {name: _array(entry, content[8 + length :]) for name, entry in entries.items()}
    except (struct.error, msgspec.DecodeError, UnicodeDecodeError, ValueError, KeyError, RecursionError) as error:
        raise InvalidValue(_("The bytes are no safetensors file: {error}.", error=error)) from None


def _array(entry: _Entry, content: bytes) -> NDArray[np.float64]:
    start, end = entry.data_offsets
    if not 0 <= start <= end <= len(content) or min(entry.shape, default=0) < 0:
        raise ValueError(_("the numbers at {start} to {end} are not there", start=start, end=end))
    if entry.dtype not in _DTYPES:
        raise ValueError(_("numbers of the kind {dtype} are not known here", dtype=entry.dtype))
    numbers = np.frombuffer(content[start:end], dtype=_DTYPES[entry.dtype])
    if entry.dtype == "BF16":  # the upper half of a float32
        numbers = (numbers.astype("<u4") << 16).view("<f4")
    return numbers.astype(np.float64).reshape(entry.shape)
