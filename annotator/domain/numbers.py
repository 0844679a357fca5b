"""Numbers as people and addresses write them: whole ones that are read, measured ones that are shown, counts in sentences.

And things by what they have in common.
"""

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TypeVar

from annotator.errors import InvalidValue
from annotator.language import _, several

Key = TypeVar("Key")
Value = TypeVar("Value")
_MOST_DIGITS = 18  # more do not fit into SQLite's whole numbers
UNDEFINED = "–"
_NOISE = 1e-12  # what remains of a zero that was added up
_SMALLEST_WITH_DECIMALS = 1e-4


def whole_number(text: str) -> int | None:
    """The number that a text writes in the digits 0 to 9; None for every other text, and for one that is too long.

    (Python's `isdigit` also takes "²", which `int` does not, and `int` refuses thousands of digits.)

    >>> whole_number("012"), whole_number("²"), whole_number("-1"), whole_number(""), whole_number("9" * 19)
    (12, None, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def require_between(name: str, value: int | Decimal, lowest: int, highest: int) -> None:
    """Raise InvalidValue, naming the value, where a number of the rules lies outside of what it may be."""
    if not lowest <= value <= highest:
        raise InvalidValue(
            _(
                "{name} is {value}; use {lowest} to {highest}.",
                name=name, value=f"{value:,}", lowest=f"{lowest:,}", highest=f"{highest:,}",
            )
        )  # fmt: skip


def written(value: float | None, *, digits: int = 3, small: int = 2) -> str:
    """A measured number, with the digits that its size asks for: three; below .1 three decimals, or `small` digits that count.

    There is no minus before a zero; what is not defined is a dash. Counts stay whole.

    >>> [written(value) for value in (0.3711, 0.05, 0.0042, -0.187, 1.0, 12.345, 1234.5, 0.00002)]
    ['0.371', '0.050', '0.0042', '−0.187', '1.00', '12.3', '1,234', '2.0e−5']
    >>> written(-1e-17), written(-0.0), written(0.0), written(0.99999), written(7), written(None), written(float("inf"))
    ('0', '0', '0', '1.00', '7', '–', '∞')
    >>> written(0.00049), written(0.00049, small=1)
    ('0.00049', '0.0005')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    if isinstance(value, int):
        text = f"{value:,}"
    elif math.isinf(value):
        text = f"{value}".replace("inf", "∞")
    elif abs(value) < _NOISE:
        text = "0"
    elif abs(value) < _SMALLEST_WITH_DECIMALS:
        mantissa, _e, exponent = f"{value:.{small - 1}e}".partition("e")
        text = f"{mantissa}e{int(exponent)}"
    else:
        text = f"{value:,.{_decimals(abs(value), digits, small)}f}"
    return text.replace("-", "−")


def _decimals(size: float, digits: int, small: int) -> int:
    """How many decimals show so many digits, or below .1 so many decimals, or `small` digits that count.

    >>> [_decimals(size, 3, 2) for size in (0.0042, 0.042, 0.42, 0.9996, 4.2, 42.0, 420.0)]
    [4, 3, 3, 2, 2, 1, 0]
    """
    rounded = float(f"{size:.{digits}g}" if size >= 0.1 else f"{size:.{small}g}")
    first = math.floor(math.log10(rounded))  # the place of its first digit: 0 of 1 to 9, −1 of tenths
    return max(digits, small - 1 - first) if first < 0 else max(0, digits - 1 - first)


def written_in_report(value: float | None) -> str:
    """The same with four digits, so that it can be held against a paper's tables, and without zeros at the end.

    >>> [written_in_report(value) for value in (0.73024, 0.25, 1.0, -0.00042, -1e-17, None)]
    ['0.7302', '0.25', '1', '−0.00042', '0', '–']
    """
    text = written(value, digits=4)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return sum(values) / len(values) if values else None


def signed(value: float) -> str:
    """A difference, with its sign.

    >>> signed(0.021), signed(-0.00042), signed(-1e-17)
    ('+0.021', '−0.0004', '0')
    """
    text = written(float(value), small=1)
    return text if text == "0" or value < 0 else f"+{text}"


def percent(share: float | None) -> str:
    """A share with one decimal.

    >>> percent(0.4444), percent(-1e-17), percent(None)
    ('44.4 %', '0.0 %', '–')
    """
    return UNDEFINED if share is None else in_percent(_one_decimal(100 * share))


def in_percent(number: str) -> str:
    """A written number with the sign of percent.

    >>> in_percent("12.5")
    '12.5 %'
    """
    return _("{number} %", number=number)


def points(difference: float | None) -> str:
    """A difference of two shares in percentage points, with its sign.

    >>> points(0.0321), points(-0.5), points(-0.0001), points(None)
    ('+3.2', '−50.0', '0.0', '–')
    """
    if difference is None:
        return UNDEFINED
    text = _one_decimal(100 * difference)
    return text if text.startswith("−") or not float(text) else f"+{text}"


def duration(seconds: float | None) -> str:
    """A time that people spent, in seconds below two minutes.

    >>> duration(42.4), duration(150), duration(None)
    ('42 s', '2.5 min', '–')
    """
    if seconds is None:
        return UNDEFINED
    if seconds < 120:
        return _("{seconds} s", seconds=f"{seconds:.0f}")
    return _("{minutes} min", minutes=f"{seconds / 60:.1f}")


def _one_decimal(value: float) -> str:
    return f"{round(value, 1) + 0.0:.1f}".replace("-", "−")


def counted(n: int, what: str, plural: str = "") -> str:
    """A number with its noun, or with a noun and its verb, in the language of who reads it.

    what: written where it is called, for the catalogues are gathered from there
    plural: the words for every number but 1, where an s at the end of `what` does not make them

    >>> counted(1, "reviewer"), counted(1200, "text"), counted(0, "text was", "texts were")
    ('1 reviewer', '1,200 texts', '0 texts were')
    """
    return several("{n} " + what, "{n} " + (plural or what + "s"), n)


# The order in which people look for names: numbers in them by their value, so that 2 stands before 10.


_DIGITS = re.compile(r"([0-9]+)")


def natural_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """What names are sorted by.

    >>> sorted(["101", "2", "ann10", "1", "ann9", "10", "Ben"], key=natural_order)
    ['1', '2', '10', '101', 'Ben', 'ann9', 'ann10']
    >>> sorted(["a1", "01", "1", "a"], key=natural_order)
    ['01', '1', 'a', 'a1']
    """
    return (*(_part(part) for part in _DIGITS.split(name) if part), (-1, 0, name))  # the name itself, for 1 and 01


def _part(part: str) -> tuple[int, int, str]:
    """Numbers before words, by their length and digits: a name may have more digits than Python turns into a number."""
    if not _DIGITS.fullmatch(part):
        return 1, 0, part
    digits = part.lstrip("0")
    return 0, len(digits), digits


def by_key(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key, keys and values in the order in which they come.

    >>> by_key([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': [2]}
    """
    values: dict[Key, list[Value]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    return values
