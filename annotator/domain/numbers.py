"""Whole numbers as people and addresses write them, and as sentences say them."""

_MOST_DIGITS = 18  # more do not fit into SQLite's whole numbers


def whole_number(text: str) -> int | None:
    """The number that a text writes in the digits 0 to 9; None for every other text, and for one that is too long.

    (Python's `isdigit` also takes "²", which `int` does not, and `int` refuses thousands of digits.)

    >>> whole_number("012"), whole_number("²"), whole_number("-1"), whole_number(""), whole_number("9" * 19)
    (12, None, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def counted(n: int, what: str, several: str = "") -> str:
    """A number with its noun, or with a noun and its verb.

    several: the words for every number but 1, where an s at the end of `what` does not make them

    >>> counted(1, "reviewer"), counted(1200, "text"), counted(0, "text was", "texts were")
    ('1 reviewer', '1,200 texts', '0 texts were')
    """
    return f"{n:,} {what if n == 1 else several or what + 's'}"
