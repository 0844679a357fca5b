"""Which strings the English frequency dictionary of pyspellchecker lacks."""

from functools import cache
from typing import Any


def is_unknown(text: str) -> bool:
    """Whether pyspellchecker calls a string unknown: its lower-case form is not in the dictionary, and it is not skipped.

    Skipped, so never unknown: one sign of punctuation, a number, a string much longer than the longest word.
    The paper used version 0.5.5; later dictionaries differ in some words (docs/formats.md names those that matter).

    Source:  spellchecker.SpellChecker, English, defaults
    >>> is_unknown("descripted"), is_unknown("Let"), is_unknown("4"), is_unknown(",")
    (True, False, False, False)
    """
    return bool(_checker().unknown([text]))


@cache
def _checker() -> Any:
    from spellchecker import SpellChecker  # noqa: PLC0415

    return SpellChecker()
