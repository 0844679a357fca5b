"""Problems of a file, put together where they have one reason."""

import re
from collections.abc import Sequence
from dataclasses import replace

from annotator.errors import OTHER_VALUES, Problem
from annotator.language import _

_ALONE = 3  # up to so many values of one reason stand by themselves
_NAMED = 3
_LINES = 5
_LONGEST_VALUE = 20
_NUMBER = re.compile(r"\[\d+\]")
_LAST_NUMBER = re.compile(r"\[\d+\]$")  # of a record that stands on no line of its own, such as out.json[4]


def group_problems(problems: Sequence[Problem]) -> list[Problem]:
    """The problems in their order; those that have a reason in common and differ in value and place alone are one, if many.

    >>> [p.value for p in group_problems([Problem("f", n, "text", str(n), "Unknown.") for n in range(5)])]
    ['0; 1; 2; and 2 more']
    >>> [p.source for p in group_problems([Problem(f"f[{n}]", None, "id", "", "Unknown.") for n in range(5)])]
    ['f[0], [1], [2], …']
    """
    by_reason: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        key = (_LAST_NUMBER.sub("", problem.source), _NUMBER.sub("[…]", problem.field), problem.reason)
        by_reason.setdefault(key, []).append(problem)
    grouped: list[Problem] = []
    for alike in by_reason.values():
        grouped += [_joined(alike)] if len(alike) > _ALONE else alike
    return grouped


def _joined(problems: Sequence[Problem]) -> Problem:
    first = problems[0]
    lines = [line for problem in problems for line in (problem.rows or (problem.line,)) if line is not None]
    is_one_field = all(problem.field == first.field for problem in problems)
    return replace(
        first,
        source=_sources(problems),
        field=first.field if is_one_field else _NUMBER.sub("[…]", first.field),
        value=_values(problems),
        n=sum(problem.n for problem in problems),
        rows=tuple(sorted(set(lines))[:_LINES]),
    )


def _sources(problems: Sequence[Problem]) -> str:
    """The file; of records that stand on no line of their own the numbers of the first."""
    first, *others = dict.fromkeys(problem.source for problem in problems)
    numbers = [match.group() for source in others if (match := _LAST_NUMBER.search(source))]
    return ", ".join([first, *numbers[: _NAMED - 1], *(["…"] if len(others) >= _NAMED else [])])


def _values(problems: Sequence[Problem]) -> str:
    """The first values, and how many others there are, where they were counted."""
    values = list(dict.fromkeys(problem.value for problem in problems))
    named = [_begin(value) for value in values if value != OTHER_VALUES][:_NAMED]
    rest = len(values) - len(named)
    if rest == 0:
        return "; ".join(named)
    return "; ".join([*named, _("and more") if OTHER_VALUES in values else _("and {rest} more", rest=f"{rest:,}")])


def _begin(value: str) -> str:
    """So much of it that several, and how many others there are, are shown whole."""
    return value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"
