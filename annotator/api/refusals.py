"""Refusals as Python says them.

A sentence names an option as a command has it, `--key-prefix`, with its value where it has one; that is how the program's floors
name what can be asked for. Here it becomes the argument of the functions, and what pages call it is left out.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from typing import Literal, ParamSpec, TypeVar

from annotator.errors import AnnotatorError, ImportRefused, Problem
from annotator.usecases.transfer.import_report import ImportReport

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Kind = Literal["flag", "name", "text", "pairs", "list", "params"]  # name: sentences give it no value

# The argument for each option that a sentence may name, and how its value is written.
ARGUMENTS: dict[str, tuple[str, _Kind]] = {
    "--add-label": ("add_labels", "list"),
    "--again": ("again", "flag"),
    "--all-doubles": ("all_doubles", "flag"),
    "--allow-model-hub": ("allow_model_hub", "flag"),
    "--baseline": ("baseline", "params"),
    "--column": ("columns", "pairs"),
    "--faithfulness": ("faithfulness", "flag"),
    "--gold-policy": ("gold_policy", "text"),
    "--key-prefix": ("key_prefix", "name"),
    "--label": ("label", "name"),
    "--label-words": ("label_words", "pairs"),
    "--longest-answer": ("longest_answer", "name"),
    "--leave-out-label": ("leave_out_labels", "list"),
    "--majority-labels": ("majority_labels", "flag"),
    "--method": ("method", "name"),
    "--model": ("model", "name"),
    "--names": ("names", "flag"),
    "--number-keys": ("number_keys", "flag"),
    "--prompt": ("prompt", "name"),
    "--rename": ("rename", "pairs"),
    "--seed": ("seeds", "name"),
    "--set": ("params", "pairs"),
    "--skip-invalid": ("skip_invalid", "flag"),
    "--split": ("split", "name"),
    "--steps": ("steps", "params"),
    "--task": ("task", "text"),
    "--train": ("train", "flag"),
    "--update": ("update", "flag"),
    "--vocabulary": ("vocabulary", "name"),
}
# What else commands call otherwise.
PHRASES = {
    "Give one with --db or ANNOTATOR_DB, make one with 'annotator project create' or 'annotator demo'": "Give another path, "
    "make one with create=True",
    "--include submitted": "include_submitted=True",
    "'annotator attribute'": "Project.attribute",
    "'annotator import'": "Project.import_",
    ": of this command, or of 'annotator serve' for what is asked for on pages": "",
}
_WITH_VALUE = "|".join(name for name, (_, kind) in ARGUMENTS.items() if kind not in {"flag", "name"})
_VALUE = r"""(?:'[^']*'|"[^"]*"|[^\s'"(),;]*[^\s'"(),;.])+"""
_OPTION = re.compile(
    rf"(?:(?P<valued>{_WITH_VALUE}) (?P<values>{_VALUE}(?: (?P=valued) {_VALUE})*)|(?P<bare>--[a-z][a-z-]*))"
    r"(?: \(“[^”]*”\)|, or (?:the box under )?“[^”]*”(?: on the page(?: [A-Z]\w+)?)?)?"
)


def in_python(sentence: str) -> str:
    """A sentence with arguments in the place of options.

    >>> in_python("Import it with --update (“Let changed rows overwrite”), or --rename good=positive --rename 'so so'=neutral.")
    "Import it with update=True, or rename={'good': 'positive', 'so so': 'neutral'}."
    >>> in_python("Leave --seed out, or choose --baseline zero.")
    "Leave seeds out, or choose params={'baseline': 'zero'}."
    """
    for phrase, meant in PHRASES.items():
        sentence = sentence.replace(phrase, meant)
    return _OPTION.sub(_argument, sentence)


def _argument(match: re.Match[str]) -> str:
    option = match["valued"] or match["bare"]
    if option not in ARGUMENTS:
        return match[0]
    name, kind = ARGUMENTS[option]
    if kind == "flag":
        return f"{name}=True"
    if match["valued"] is None:
        return f"params['{name}']" if kind == "params" else name
    values = [word for word in shlex.split(match["values"]) if word != option]
    if kind == "params":
        return f"params={{'{name}': {values[0]!r}}}"
    if kind == "pairs":
        return f"{name}={dict(word.partition('=')[::2] for word in values)!r}"
    return f"{name}={(values if kind == 'list' else values[0])!r}"


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
