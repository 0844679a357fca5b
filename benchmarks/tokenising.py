"""Tokenising texts that were made to hang a tokeniser: one twice as long takes twice the processor's time, not four times."""

import statistics
import time

from annotator.text.tokenisation import tokenise
from benchmarks.measured import Measured

# What is repeated, how often, and the language. spaCy and the pattern \X alone are quadratic in some of them.
HOSTILE = (
    ("(", 20_000, "en"),
    (")(][([)", 6_000, "en"),
    ("a word, and another one. ", 20_000, "en"),
    ("line\n", 40_000, "en"),
    ("ab", 250_000, "en"),
    ("ab.c", 120_000, "xx"),
    ("中文，", 160_000, "en"),
    ("中文，", 160_000, "zh"),
    (" ", 500_000, "en"),
    ("\n", 500_000, "en"),
    (". ", 250_000, "en"),
    ("🇩🇪", 50_000, "en"),
    ("🇩🇪", 120_000, "zh"),
    ("a\u0301", 500_000, "en"),
    ("👩\u200d", 120_000, "ja"),
    ("\u0600 ", 50_000, "ar"),
)
_ROUNDS, _AT_MOST = 5, 2.8


def main() -> list[Measured]:
    """The median of five pairs of each text; the limit lies between linear, 2, and quadratic, 4."""
    return [_measured(unit, times, language) for unit, times, language in HOSTILE]


def _measured(unit: str, times: int, language: str) -> Measured:
    tokenise(unit, language)
    pairs = [(_seconds(unit * times, language), _seconds(unit * times * 2, language)) for _ in range(_ROUNDS)]
    once, twice = (statistics.median(taken) for taken in zip(*pairs, strict=True))
    return Measured(f"{times * 2:,} × {unit[:8]!r}, {language}", twice, "s", once, "half of it", _AT_MOST)


def _seconds(text: str, language: str) -> float:
    before = time.process_time()
    tokenise(text, language)
    return time.process_time() - before
