"""What was left out of a suite that came from a file, in words."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotator.domain.numbers import counted
from annotator.language import _, listed, several, together

if TYPE_CHECKING:
    from annotator.usecases.suites.files import SuiteImport

_NAMED = 3


def left_out_words(done: "SuiteImport") -> str:
    """How many lines were left out, and why, the most frequent reason first; tests of which nothing is left are named."""
    n_lines = len({problem.line for problem in done.problems})
    reasons = Counter(problem.reason.rstrip(".。") for problem in done.problems).most_common()
    named = "; ".join(_("{n}: {reason}", n=f"{n:,}", reason=reason) for reason, n in reasons[:_NAMED])
    more = len(reasons) - _NAMED
    if more > 0:
        named = _("{reasons}; and {others}", reasons=named, others=counted(more, "other reason"))
    words = several(
        "{n} line was left out ({reasons}).", "{n} lines were left out ({reasons}).", n_lines, reasons=named
    )
    return together(words, _nothing_left(done.tests_left)) if done.tests_left else words


def _nothing_left(tests: Sequence[str]) -> str:
    names = listed([_("“{name}”", name=name) for name in tests[:_NAMED]])
    rest = len(tests) - _NAMED
    if rest > 0:
        names = _("{names} and {n} more", names=names, n=f"{rest:,}")
    return several(
        "Nothing is left of {n} test: {names}.", "Nothing is left of {n} tests: {names}.", len(tests), names=names
    )
