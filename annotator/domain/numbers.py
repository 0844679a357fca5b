"""Whole numbers as people and addresses write them."""

_MOST_DIGITS = 18  # more do not fit into SQLite's whole numbers


def whole_number(text: str) -> int | None:
    """The number that a text writes in the digits 0 to 9; None for every other text, and for one that is too long.

    (Python's `isdigit` also takes "²", which `int` does not, and `int` refuses thousands of digits.)

    >>> whole_number("012"), whole_number("²"), whole_number("-1"), whole_number(""), whole_number("9" * 19)
    (12, None, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None
