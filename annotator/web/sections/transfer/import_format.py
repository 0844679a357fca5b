"""Which format the files that somebody chose are in: the one that their first lines tell, until the person chooses one."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.language import _, listed, several
from annotator.usecases.transfer.file_import import READABLE, READABLE_OUTPUT, guessed, sheets_in
from annotator.usecases.transfer.row_keys import PLAIN
from annotator.usecases.transfer.uploads import laid_out
from annotator.web.frame import as_text

_FORMAT = "import_format"
_BY_HAND = "import_format_by_hand"
_GUESS = "import_guess"
_GUESSES = "import_guesses"  # of each file by itself
_SHEET, _SHEETS = "import_sheet", "import_sheets"
_MOST_NAMED = 6
_GENERAL = frozenset({"csv", "jsonl"})  # forms that texts and model output have alike


def ask_format(
    container: DeltaGenerator,
    project: Project,
    files: Sequence[Any],
    formats: Sequence[str],
    *,
    help_text: str | None = None,
    is_each_alone: bool = False,
) -> str:
    """The format, chosen by the files unless the person chose before; beneath it, what the files look like.

    is_each_alone: whether several files are read one by one, each in its own format
    """
    guess = _guess_of(files, formats)
    if guess is not None and guess[0] in formats and not st.session_state.get(_BY_HAND):
        st.session_state[_FORMAT] = guess[0]
    chosen: str = container.selectbox(_("Format"), formats, key=_FORMAT, on_change=_keep, help=help_text)
    is_known = guess is None or guess[0] in formats
    if is_each_alone and len(files) > 1 and is_known and not st.session_state.get(_BY_HAND):
        each = _each_words(files, format_of_each(files, chosen))
        container.caption(
            as_text(
                _("Read by what each file looks like: {each}. A format that you choose is taken for all.", each=each)
            )
        )
    elif guess is not None and (summary := _summary(*guess, chosen, formats)):
        container.caption(as_text(summary))
        if guess[0] not in (*READABLE, *READABLE_OUTPUT):
            container.link_button(
                _("Open the Tests page"), f"/tests?{urlencode({'project': project.id})}", icon=":material/fact_check:"
            )
    return chosen


def ask_sheet(files: Sequence[Any]) -> str | None:
    """Which sheet is read of spreadsheets that have several; None where there is nothing to choose."""
    names = list(dict.fromkeys(name for file in files for name in _sheets_of(file)))
    if not names:
        return None
    chosen: str = st.selectbox(_("Sheet"), names, key=_SHEET, help=_("One sheet of a file is read at a time."))
    return chosen


def _sheets_of(file: Any) -> list[str]:
    """The sheets of a file, read once."""
    if not file.name.lower().endswith((".xlsx", ".xlsm", ".ods")):
        return []
    known: dict[str, list[str]] = st.session_state.setdefault(_SHEETS, {})
    if file.file_id not in known:
        with laid_out([(file.name, file.getbuffer())]) as path:
            known[file.file_id] = sheets_in(path)
    return known[file.file_id]


def _each_words(files: Sequence[Any], formats: Sequence[str]) -> str:
    """Which file is read as what; of more files than one takes in at a glance how many are."""
    if len(files) > _MOST_NAMED:
        return listed(
            [several("{n} file as {name}", "{n} files as {name}", n, name=name) for name, n in Counter(formats).items()]
        )
    return listed([_("{file} as {name}", file=file.name, name=name) for file, name in zip(files, formats, strict=True)])


def format_of_each(files: Sequence[Any], chosen: str) -> list[str]:
    """The format of each file of model output: its own, where its first lines tell it and the person chose none for all."""
    if len(files) < 2 or st.session_state.get(_BY_HAND):
        return [chosen] * len(files)
    guesses = _guesses(files, READABLE_OUTPUT)
    return [guess[0] if guess is not None and guess[0] in READABLE_OUTPUT else chosen for guess in guesses]


def apart(files: Sequence[Any]) -> tuple[list[Any], list[tuple[Any, str]]]:
    """Of several files those with texts, and those of model output, each with its format; all of one kind stay together."""
    guesses = _guesses(files, READABLE) if len(files) > 1 else [None for _file in files]
    named = [
        (file, guess[0] if guess is not None and guess[0] in READABLE_OUTPUT else None)
        for file, guess in zip(files, guesses, strict=True)
    ]
    texts = [file for file, format_name in named if format_name is None]
    outputs = [(file, format_name) for file, format_name in named if format_name is not None]
    return (texts, outputs) if texts else (list(files), [])


def _guesses(files: Sequence[Any], formats: Sequence[str]) -> list[tuple[str, str] | None]:
    """What each file by itself looks like, read once."""
    known: dict[tuple[str, str], tuple[str, str] | None] = st.session_state.setdefault(_GUESSES, {})
    for file in files:
        if (file.file_id, formats[0]) not in known:
            known[file.file_id, formats[0]] = _read([file], formats)
    return [known[file.file_id, formats[0]] for file in files]


def _keep() -> None:
    st.session_state[_BY_HAND] = True


def _guess_of(files: Sequence[Any], formats: Sequence[str]) -> tuple[str, str] | None:
    """The format's name and its words, read once for the same files; when they are all taken away a new choice begins.

    formats: those that are read here; of two formats that a file may be, the one that is among them is taken
    """
    chosen = tuple(file.file_id for file in files)
    before, guess = st.session_state.get(_GUESS, ((), None))
    if chosen != before:
        if not chosen:
            st.session_state.pop(_BY_HAND, None)
        guess = (_read(files, formats) or _alike(files, formats)) if chosen else None
        st.session_state[_GUESS] = (chosen, guess)
    known_guess: tuple[str, str] | None = guess
    return known_guess


def _read(files: Sequence[Any], formats: Sequence[str]) -> tuple[str, str] | None:
    try:
        with laid_out((file.name, file.getbuffer()) for file in files) as path:
            guess = guessed(path)
    except InvalidValue:  # an archive that cannot be unpacked; the check says why
        return None
    if guess is None:
        return None
    if guess.other is not None and guess.format_name not in formats:
        return guess.other.format_name, _(guess.other.words)
    words = _(guess.words)
    if guess.other is not None:
        other = _(guess.other.words)
        words = _("{words}, which may also be {other} (read on the Saliency page)", words=words, other=other)
    return guess.format_name, words


def _summary(name: str, words: str, chosen: str, formats: Sequence[str]) -> str:
    if name == chosen:
        return _("This looks like {words}. If it is not, choose another format.", words=words)
    if name in formats:
        return _(
            "This looks like {words} (the format {name}), but you chose {chosen}.",
            words=words,
            name=name,
            chosen=chosen,
        )
    if name in _GENERAL:
        return ""
    if name in READABLE_OUTPUT:
        return _("This looks like {words}, which is model output. Import it on the Saliency page.", words=words)
    if name in READABLE:
        return _("This looks like {words}, which holds texts. A lead imports those.", words=words)
    return _("This looks like {words}. Import it on the Tests page, under “Files”.", words=words)


def are_read_alone(files: Sequence[Any], format_name: str) -> bool:
    """Whether several files with texts are read one after the other: plain rows, of which a reader takes one file."""
    return len(files) > 1 and format_name in PLAIN and not any(file.name.lower().endswith(".zip") for file in files)


def _alike(files: Sequence[Any], formats: Sequence[str]) -> tuple[str, str] | None:
    """Of several files that are nothing together: what each looks like by itself, where that is the same plain format."""
    guesses = set(_guesses(files, formats))
    guess = guesses.pop() if len(guesses) == 1 else None
    return guess if guess is not None and guess[0] in PLAIN else None
