"""Problems of a file, put together where they have one reason, and what can be done about each."""

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from annotator.errors import OTHER_VALUES, Problem
from annotator.language import _, listed, unsaid

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
    return "; ".join([*named, _("and more") if OTHER_VALUES in values else _("and {n} more", n=f"{rest:,}")])


def _begin(value: str) -> str:
    """So much of it that several, and how many others there are, are shown whole."""
    return value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"


# What can be done, in the words of whoever reads it: of the command, of a page, of an address for scripts, of Python.


_Kind = Literal["flag", "name", "text", "pairs", "list", "params"]  # name: sentences give it no value


@dataclass(frozen=True, slots=True)
class Option:
    """How an option of commands is called elsewhere.

    argument: in Python; kind: how its value is written there
    page:     the field or button of the page; "" where pages have none
    part:     where on the page that is
    values:   how one value is called there, with {value} for what is chosen and {field} for what a column is chosen as
    """

    argument: str
    kind: _Kind
    page: str = ""
    part: Literal["", "above", "Columns", "More"] = ""
    values: str = ""

    @property
    def on_page(self) -> str:
        """How it is called on the page where a sentence gives it no value."""
        name = _(self.page)
        if self.part == "above":
            return _("“{name}” above", name=name)
        return _("“{name}” under “{part}”", name=name, part=_(self.part)) if self.part else _("“{name}”", name=name)


OPTIONS: dict[str, Option] = {
    "--add-label": Option("add_labels", "list", "Add label", "above"),
    "--again": Option("again", "flag"),
    "--all-doubles": Option("all_doubles", "flag", "Duplicate texts: apply to all copies"),
    "--allow-model-hub": Option("allow_model_hub", "flag"),
    "--annotator": Option("annotator", "name"),
    "--unhelped": Option("unhelped", "flag"),
    "--baseline": Option("baseline", "params"),
    "--beam-width": Option("beam_width", "name"),
    "--column": Option("columns", "pairs", "Columns", values=unsaid("“{value}” for “{field}” under “Columns”")),
    "--encoding": Option("encoding", "name", "Encoding"),
    "--entities": Option("entities", "flag", "One instance per labelled span"),
    "--faithfulness": Option("faithfulness", "flag"),
    "--first": Option("first", "name"),
    "--gold-policy": Option("gold_policy", "text", "Gold of these texts"),
    "--key-prefix": Option("key_prefix", "name", "ID prefix (if IDs repeat between files)", "More"),
    "--label": Option("label", "name"),
    "--label-words": Option("label_words", "pairs"),
    "--longest-answer": Option("longest_answer", "name"),
    "--leave-out-label": Option("leave_out_labels", "list", "Skip rows", "above"),
    "--majority-labels": Option("majority_labels", "flag", "Label per text", "Columns"),
    "--merge-labels": Option("merge_labels", "flag", "Merge similar labels", "More"),
    "--metadata-column": Option("metadata_columns", "list", "Marks kept as metadata", "Columns"),
    "--method": Option("method", "name", "Method (if not in the file)"),
    "--model": Option("model", "name", "Model (if not in the file)"),
    "--most-tokens": Option("most_tokens", "name"),
    "--names": Option("names", "flag"),
    "--number-keys": Option("number_keys", "flag", "Generate missing IDs", "More"),
    "--number": Option("number", "name"),
    "--percent": Option("percent", "name"),
    "--prompt": Option("prompt", "name", "Text around the text"),
    "--ratio": Option("ratio", "name", "Top k, % of tokens"),
    "--rename": Option(
        "rename", "pairs", "Labels named differently in the project", values=unsaid("“Map to another” above")
    ),
    "--seed": Option("seeds", "name"),
    "--set": Option("params", "pairs"),
    "--sheet": Option("sheet", "name", "Sheet"),
    "--skip-invalid": Option("skip_invalid", "flag", "Skip invalid rows"),
    "--split": Option("split", "name", "Split"),
    "--steps": Option("steps", "params"),
    "--task": Option("task", "text"),
    "--train": Option("train", "flag"),
    "--update": Option("update", "flag", "Let changed rows overwrite"),
    "--vocabulary": Option("vocabulary", "name", "Files", "above"),
}
# What else commands call otherwise than Python.
PHRASES = {
    "Give one with --db or ANNOTATOR_DB, make one with 'annotator project create' or 'annotator demo'": "Give another path, "
    "make one with create=True",
    "--include submitted": "include_submitted=True",
    "'annotator attribute'": "Project.attribute",
    "'annotator import'": "Project.import_",
}
_WITH_VALUE = "|".join(name for name, option in OPTIONS.items() if option.kind not in {"flag", "name"})
_VALUE = r"""(?:'[^']*'|"[^"]*"|[^\s'"(),;（），；。]*[^\s'"(),;.（），；。])+"""
_OPTION = re.compile(
    rf"(?:(?P<valued>{_WITH_VALUE}) (?P<values>{_VALUE}(?: (?P=valued) {_VALUE})*)|(?P<bare>(?<![\w-])--[a-z][a-z-]*))"
    r"(?P<elsewhere> \(“[^”]*”\)|, or (?:the box under )?“[^”]*”(?: on the page(?: [A-Z]\w+)?)?)?"
)
_BARE = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def in_python(sentence: str) -> str:
    """A sentence with arguments in the place of options.

    >>> in_python("Import it with --update, or --rename good=positive --rename 'so so'=neutral.")
    "Import it with update=True, or rename={'good': 'positive', 'so so': 'neutral'}."
    >>> in_python("Leave --seed out, or choose --baseline zero.")
    "Leave seeds out, or choose params={'baseline': 'zero'}."
    """
    for phrase, meant in PHRASES.items():
        sentence = sentence.replace(phrase, meant)
    return _OPTION.sub(_argument, sentence)


def on_page(sentence: str, field_words: Callable[[str], str] = str) -> str:
    """A sentence with the fields and buttons of the page in the place of options; field_words: what a page calls a field of ours.

    >>> on_page("Is it 'Tweet 2'? Then choose that column (--column 'text=Tweet 2').", {"text": "The text"}.__getitem__)
    "Is it 'Tweet 2'? Then choose that column (“Tweet 2” for “The text” under “Columns”)."
    >>> on_page("Choose fewer (--number).")
    'Choose fewer (`annotator import` with --number).'
    """
    return _OPTION.sub(lambda match: _button(match, field_words), sentence)


def in_address(sentences: Iterable[str], known: Iterable[str], flags: Iterable[str]) -> list[str]:
    """For the options of some sentences, in sentences of their own: how they stand in an address, or where else they are.

    known: what an address may hold; flags: those of them that are true or false

    >>> in_address(["Let it overwrite (--update).", "Add it (--add-label odd)."], ["update"], ["update"])[0]
    'Here --update stands in the address, as update=true.'
    """
    flags, known = frozenset(flags), frozenset(known)
    options = dict.fromkeys(option for sentence in sentences for option in _BARE.findall(sentence))
    names = {option: option[2:].replace("-", "_") for option in options}
    here = [option for option, name in names.items() if name in known]
    others = [option for option in options if option not in here]
    parts = []
    if here:
        written = [f"{names[option]}={'true' if names[option] in flags else '...'}" for option in here]
        parts.append(f"Here {', '.join(here)} stands in the address, as {', '.join(written)}.")
    if others:
        parts.append(f"What needs {', '.join(others)} is imported with `annotator import`, or on the page.")
    return parts


def _argument(match: re.Match[str]) -> str:
    name = match["valued"] or match["bare"]
    option = OPTIONS.get(name)
    if option is None:
        return match[0]
    if option.kind == "flag":
        return f"{option.argument}=True"
    if match["valued"] is None:
        return f"params['{option.argument}']" if option.kind == "params" else option.argument
    values = _values_of_option(match)
    if option.kind == "params":
        return f"params={{'{option.argument}': {values[0]!r}}}"
    if option.kind == "pairs":
        return f"{option.argument}={dict(word.partition('=')[::2] for word in values)!r}"
    return f"{option.argument}={(values if option.kind == 'list' else values[0])!r}"


def _button(match: re.Match[str], field_words: Callable[[str], str]) -> str:
    option = OPTIONS.get(match["valued"] or match["bare"])
    if option is None or match["elsewhere"]:
        return match[0]
    if not option.page:
        return _("`annotator import` with {option}", option=match[0])
    if match["valued"] is None or not option.values:
        return option.on_page
    pairs = [value.partition("=") for value in _values_of_option(match)]
    return listed(
        list(
            dict.fromkeys(
                _(option.values, value=value, field=field_words(name) if value else "")
                for name, _equals, value in pairs
            )
        ),
        "and",
    )


def _values_of_option(match: re.Match[str]) -> list[str]:
    return [word for word in shlex.split(match["values"]) if word != match["valued"]]
