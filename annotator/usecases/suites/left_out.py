"""What was left out of a suite that came from a file, in words."""

from collections import Counter
from typing import TYPE_CHECKING

from annotator.domain.numbers import counted

if TYPE_CHECKING:
    from annotator.usecases.suites.files import SuiteImport

_NAMED = 3


def left_out_words(done: "SuiteImport") -> str:
    """How many lines were left out, and why, the most frequent reason first; tests of which nothing is left are named."""
    n_lines = len({problem.line for problem in done.problems})
    reasons = Counter(problem.reason.removesuffix(".") for problem in done.problems).most_common()
    named = [f"{n:,}: {reason}" for reason, n in reasons[:_NAMED]]
    more = len(reasons) - _NAMED
    others = f"; and {counted(more, 'other reason')}" if more > 0 else ""
    words = f"{counted(n_lines, 'line was', 'lines were')} left out ({'; '.join(named)}{others})."
    if done.tests_left:
        quoted = ", ".join(f"“{name}”" for name in done.tests_left[:_NAMED])
        rest = len(done.tests_left) - _NAMED
        whole = f"{quoted} and {rest:,} more" if rest > 0 else quoted
        words += f" Nothing is left of {counted(len(done.tests_left), 'test')}: {whole}."
    return words
