"""Refusals as Python says them: options become arguments, in what is raised and in reports."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from typing import ParamSpec, TypeVar

from annotator.domain.file_problems import in_python
from annotator.errors import AnnotatorError, ImportRefused, Problem
from annotator.usecases.transfer.import_report import ImportReport

_P = ParamSpec("_P")
_T = TypeVar("_T")


@contextmanager
def python_words() -> Iterator[None]:
    """What is refused within is said with arguments."""
    try:
        yield
    except AnnotatorError as error:
        error.args = tuple(in_python(part) if isinstance(part, str) else part for part in error.args)
        if isinstance(error, ImportRefused):
            error.problems = tuple(map(_problem, error.problems))
            error.notes = tuple(map(in_python, error.notes))
        raise


def report_in_python(report: ImportReport) -> ImportReport:
    """A report of which each sentence is said with arguments."""
    for of_file in report.by_file.values():
        report_in_python(of_file)
    for problems in (report.problems, report.warnings):
        problems[:] = map(_problem, problems)
    for sentences in (report.columns, report.doubts, report.notes):
        sentences[:] = map(in_python, sentences)
    return report


def _problem(problem: Problem) -> Problem:
    return replace(problem, reason=in_python(problem.reason))


def speaks_python(part: type[_T]) -> type[_T]:
    """A class whose functions refuse in these words."""
    for name, value in list(vars(part).items()):
        if callable(value) and (name == "__init__" or not name.startswith("_")):
            setattr(part, name, _speaking(value))
    return part


def _speaking(function: Callable[_P, _T]) -> Callable[_P, _T]:
    @wraps(function)
    def speaking(*arguments: _P.args, **named: _P.kwargs) -> _T:
        with python_words():
            return function(*arguments, **named)

    return speaking
