"""The order in which people look for names: numbers in them by their value, so that 2 stands before 10."""

import re

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
