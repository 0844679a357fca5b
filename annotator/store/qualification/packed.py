"""How rules, gold, answers and measures are written into a row: as JSON, fractions as text."""

from fractions import Fraction
from typing import Any, TypeVar

import msgspec

_T = TypeVar("_T")


def pack(value: object) -> str:
    """A value as JSON."""
    return msgspec.json.encode(value, enc_hook=_as_text).decode()


def unpack(text: str, kind: type[_T]) -> _T:
    """The inverse of pack."""
    return msgspec.json.decode(text, type=kind, dec_hook=_from_text)


def _as_text(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be written as JSON.")


def _from_text(kind: type, value: Any) -> Any:
    if kind is Fraction:
        return Fraction(value)
    raise NotImplementedError(f"{kind.__name__} cannot be read from JSON.")
