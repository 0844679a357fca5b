"""Problems of a file, put together where they have one reason."""

from collections.abc import Sequence
from dataclasses import replace

from annotator.errors import Problem

_ALONE = 3  # up to so many values of one reason stand by themselves
_NAMED = 3


def group_problems(problems: Sequence[Problem]) -> list[Problem]:
    """The problems in their order; those that have a reason in common and differ in their values alone are one, if many.

    >>> [p.value for p in group_problems([Problem("f", n, "text", str(n), "Unknown.") for n in range(5)])]
    ['0; 1; 2; and 2 more']
    """
    by_reason: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        by_reason.setdefault((problem.source, problem.field, problem.reason), []).append(problem)
    grouped: list[Problem] = []
    for alike in by_reason.values():
        grouped += [_joined(alike)] if len(alike) > _ALONE else alike
    return grouped


def _joined(problems: Sequence[Problem]) -> Problem:
    first = problems[0]
    values = "; ".join(problem.value for problem in problems[:_NAMED])
    lines = [line for problem in problems for line in (problem.rows or (problem.line,)) if line is not None]
    return replace(
        first,
        value=f"{values}; and {len(problems) - _NAMED:,} more",
        n=sum(problem.n for problem in problems),
        rows=tuple(sorted(set(lines))[:5]),
    )
