"""Sentences that name options of commands, in the words of the page that has a field for each."""

import re

_FIELDS = {
    "--add-label": "Add it",
    "--all-doubles": "Texts that stand several times: give all of them what is said of one",
    "--leave-out-label": "Leave it out",
    "--method": "Method, if the file names none",
    "--model": "Model, if the file names none",
    "--rename": "Labels that the project calls otherwise",
    "--seed": "Seed",
    "--split": "Split, if keys repeat between splits",
}
_VALUE = r"""(?: (?:'[^']*'|"[^"]*"|[^\s'"()])+)?"""
_NAMED_TWICE = re.compile(rf"--[a-z-]+{_VALUE} \((“[^”]*”)\)")
_IN_BRACKETS = re.compile(rf"\((--[a-z-]+){_VALUE}\)")


def on_page(sentence: str) -> str:
    """A sentence with fields and buttons in the place of options.

    >>> on_page("Import the file again with --update (“Let changed rows overwrite”).")
    'Import the file again with “Let changed rows overwrite”.'
    >>> on_page("Name it (--model), or leave it out (--leave-out-label 'so (so)').")
    'Name it (“Model, if the file names none”), or leave it out (“Leave it out”).'
    """
    return _IN_BRACKETS.sub(_field, _NAMED_TWICE.sub(r"\1", sentence))


def _field(match: re.Match[str]) -> str:
    return f"(“{_FIELDS[match[1]]}”)" if match[1] in _FIELDS else match[0]
