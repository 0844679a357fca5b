"""What the chosen files are: their format, their encoding, and which columns hold what."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.file_problems import on_page
from annotator.domain.imports import ColumnChoice, ColumnChoices
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, Problem
from annotator.language import _, listed, several, spoken_language, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.transfer.file_import import READABLE, READABLE_OUTPUT, guessed, sheets_in
from annotator.usecases.transfer.row_keys import (
    ENCODINGS,
    PLAIN,
    UTF8,
    choices_of,
    is_text,
    marked,
    recoded_bytes,
    samples,
)
from annotator.usecases.transfer.uploads import laid_out
from annotator.web.addresses import page_address
from annotator.web.frame import as_text
from annotator.web.sections.tables import choose
from annotator.web.session import Visit

_FORMAT = "import_format"
_BY_HAND = "import_format_by_hand"
_GUESS = "import_guess"
_GUESSES = "import_guesses"  # of each file by itself
_SHEET, _SHEETS = "import_sheet", "import_sheets"
_MOST_NAMED = 6
_GENERAL = frozenset({"csv", "jsonl"})  # forms that texts and model output have alike


def ask_format(
    container: DeltaGenerator, project: Project, files: Sequence[Any], formats: Sequence[str], *,
    help_text: str | None = None, is_each_alone: bool = False,
) -> str:  # fmt: skip
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
        container.caption(as_text(_("Detected: {each}. A chosen format applies to all.", each=each)))
    elif guess is not None and (summary := _summary(*guess, chosen, formats)):
        container.caption(as_text(summary))
        if guess[0] not in (*READABLE, *READABLE_OUTPUT):
            container.link_button(
                _("Open Tests"), page_address("tests", project=project.id), icon=":material/fact_check:"
            )
    return chosen


def ask_sheet(files: Sequence[Any]) -> str | None:
    """Which sheet is read of spreadsheets that have several; None where there is nothing to choose."""
    names = list(dict.fromkeys(name for file in files for name in _sheets_of(file)))
    if not names:
        return None
    return st.selectbox(_("Sheet"), names, key=_SHEET)


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
        words = _("{words}, or {other} (read on Saliency)", words=words, other=other)
    return guess.format_name, words


def _summary(name: str, words: str, chosen: str, formats: Sequence[str]) -> str:
    if name == chosen:
        return _("Looks like {words}. If not, choose another format.", words=words)
    if name in formats:
        return _("Looks like {words} (format {name}), but you chose {chosen}.", words=words, name=name, chosen=chosen)
    if name in _GENERAL:
        return ""
    if name in READABLE_OUTPUT:
        return _("Looks like {words}. Import it on {page}.", words=words, page=_("Saliency"))
    if name in READABLE:
        return _("Looks like {words}. Ask a lead to import it.", words=words)
    return _("Looks like {words}. Import it on {page}.", words=words, page=_("Tests"))


def are_read_alone(files: Sequence[Any], format_name: str) -> bool:
    """Whether several files with texts are read one after the other: plain rows, of which a reader takes one file."""
    return len(files) > 1 and format_name in PLAIN and not any(file.name.lower().endswith(".zip") for file in files)


def _alike(files: Sequence[Any], formats: Sequence[str]) -> tuple[str, str] | None:
    """Of several files that are nothing together: what each looks like by itself, where that is the same plain format."""
    guesses = set(_guesses(files, formats))
    guess = guesses.pop() if len(guesses) == 1 else None
    return guess if guess is not None and guess[0] in PLAIN else None


# In which encoding the chosen files are: asked, never guessed, with a few of their letters as they are then read.


@dataclass(frozen=True, slots=True)
class RecodedFile:
    """An uploaded file as it is in UTF-8."""

    name: str
    file_id: str
    content: bytes

    def getbuffer(self) -> memoryview:
        return memoryview(self.content)


def ask_encoding(files: Sequence[Any]) -> list[Any]:
    """The files in UTF-8; none of them where one is not in the encoding that is chosen, which is said."""
    if not files:
        return []
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    help_words = _("Not detected. Spreadsheets often use Windows-1252, everything else UTF-8.")
    encoding = choose(_("Encoding"), ENCODINGS, column=left, key="import_encoding", help=help_words)
    if encoding == UTF8:
        files = [
            _recoded(file, encoding) for file in files for encoding in [marked(bytes(file.getbuffer()[:4])) or UTF8]
        ]
        _warn_of_other_bytes(files)
        return files
    try:
        made = [_recoded(file, encoding) for file in files]
    except InvalidValue as error:
        st.error(as_text(on_page(str(error))), icon=":material/error:")
        return []
    lines = [sample for file in files for sample in samples(bytes(file.getbuffer()), encoding)][:5]
    shown = " · ".join(f"{sample.line}: {sample.text}" for sample in lines)
    right.caption(
        as_text(_("Preview by line: {shown}", shown=shown))
        if lines
        else _("These files read the same in any encoding.")
    )
    return made


def _recoded(file: Any, encoding: str) -> Any:
    """The file in UTF-8; one that holds no text, or is in it already, as it is."""
    if encoding == UTF8 or not (is_text(file.name) or file.name.lower().endswith(".zip")):
        return file
    if file.name.lower().endswith(".zip"):
        raise InvalidValue(_("'{name}' is an archive. Unpack it first.", name=file.name))
    return RecodedFile(
        file.name, f"{file.file_id}-{encoding}", recoded_bytes(bytes(file.getbuffer()), encoding, file.name)
    )


def _warn_of_other_bytes(files: Sequence[Any]) -> None:
    for file in files:
        content = bytes(file.getbuffer())
        try:
            content.decode(UTF8)
        except UnicodeDecodeError as fault:
            line = content[: fault.start].count(b"\n") + 1
            if b"\0" not in content[:1000]:  # what is no text at all is refused by the check
                st.warning(
                    as_text(_("“{name}” isn't UTF-8 (line {line}). Choose its encoding.", name=file.name, line=line)),
                    icon=":material/translate:",
                )


# Which columns of a file hold what: taken by name or as before, guessed, or asked where several look alike.


_SEEN = "import_columns_seen"
_MARKS = "import_columns_marks"
NUMBER_ROWS = unsaid("use row numbers")
_NUMBERS = "\0numbers"  # no column is called so
_IN_A_ROW = 4


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the person chose. columns: where it is not what would be taken anyway."""

    columns: dict[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()
    number_keys: bool = False
    majority_labels: bool = False


def ask_columns(
    store: Store, visit: Visit, project: Project, format_name: str, files: Sequence[Any], sheet: str | None = None
) -> Chosen:
    """The columns of one file with plain rows; open where something is missing or guessed."""
    seen = _choices(store, visit, project, format_name, files, sheet)
    if seen is None:
        return Chosen()
    with st.expander(_("Columns"), expanded=seen.are_open, icon=":material/view_column:"):
        chosen = _ask(seen, "_".join(file.file_id for file in files) + format_name + (sheet or ""))
        st.caption(_("Remembered for this project. Other columns become metadata."))
    return chosen


def _ask(seen: ColumnChoices, of_files: str) -> Chosen:
    columns: dict[str, str] = {}
    unread: list[str] = []
    number_keys = False
    answers: dict[str, str | None] = {}
    for first in range(0, len(seen.choices), _IN_A_ROW):
        cells = st.columns(_IN_A_ROW)
        for cell, choice in zip(cells, seen.choices[first : first + _IN_A_ROW], strict=False):
            answer = answers[choice.name] = _ask_one(cell, choice, seen, of_files)
            if answer == _NUMBERS:
                number_keys = True
            elif answer is None and choice.column is not None:
                unread.append(choice.column)
            elif answer is not None and answer != choice.column:
                columns[choice.name] = answer
    majority_labels = _ask_majority(answers, seen, of_files)
    left = st.multiselect(
        _("Columns to skip"), seen.columns, seen.left, key=f"import_left_{of_files}", placeholder=_("Choose")
    )
    metadata = _ask_metadata(seen, of_files)
    taken = {*columns.values(), *metadata}
    unread = [column for column in unread if column not in taken]
    return Chosen(
        {name: column for name, column in columns.items() if column not in metadata},
        tuple(column for column in dict.fromkeys((*left, *unread)) if column not in metadata),
        metadata,
        number_keys,
        majority_labels,
    )


def note_marks(problems: Sequence[Problem]) -> bool:
    """Keep the columns that a check found to look like marks, below those that the first rows show; whether some are new."""
    fields = {problem.field for problem in problems if problem.remedy == "marks"}
    columns = fields | {field.partition(".")[0] for field in fields}
    met: frozenset[str] = st.session_state.get(_MARKS, frozenset())
    st.session_state[_MARKS] = met | columns
    return not columns <= met


def _ask_metadata(seen: ColumnChoices, of_files: str) -> tuple[str, ...]:
    """Which of the columns with marks are metadata: none, unless somebody says so."""
    met = st.session_state.get(_MARKS, frozenset())
    marks = [column for column in seen.columns if column in seen.marks or column in met]
    if not marks:
        return ()
    return tuple(
        st.multiselect(
            _("Marks kept as metadata"),
            marks,
            seen.metadata,
            key=f"import_metadata_{of_files}",
            placeholder=_("Choose"),
            help=_("These look like marks. Unless chosen, they're read as rationales or rejected."),
        )
    )


def _ask_one(cell: Any, choice: ColumnChoice, seen: ColumnChoices, of_files: str) -> str | None:
    options = [*([_NUMBERS] if choice.name == "id" else []), *seen.columns]
    guess = choice.guess
    answer: str | None = cell.selectbox(
        f"{choice.words[0].upper()}{choice.words[1:]}",
        options,
        index=None if guess is None else options.index(guess),
        format_func=lambda column: _(NUMBER_ROWS) if column == _NUMBERS else column,
        placeholder=_("Choose") if choice.is_needed or choice.likely else _("none"),
        key=_key(choice, of_files),
        on_change=_take_from_others,
        args=(choice, seen, of_files),
    )
    if choice.column is None and choice.likely:
        cell.caption(as_text(_why(choice)))
    return answer


def _why(choice: ColumnChoice) -> str:
    """Beneath a choice: why something is preselected, or what has to be chosen from."""
    if len(choice.likely) > 1:
        return _("{columns}? They look similar.", columns=listed([f"“{column}”" for column in choice.likely], "or"))
    if choice.name == "annotator_label":
        return _("Guessed: differs between annotators of one text.")
    return _("Guessed.")


def _take_from_others(choice: ColumnChoice, seen: ColumnChoices, of_files: str) -> None:
    """A column holds one thing: what is chosen here is chosen nowhere else any more."""
    answer = st.session_state.get(_key(choice, of_files))
    for other in seen.choices:
        if answer is not None and other is not choice and st.session_state.get(_key(other, of_files)) == answer:
            st.session_state[_key(other, of_files)] = None


def _ask_majority(answers: Mapping[str, str | None], seen: ColumnChoices, of_files: str) -> bool:
    """Where annotators give labels and the file none of the text: whether the text gets the one that most of them gave."""
    result = next((choice for choice in seen.choices if choice.name in ("label", "answer")), None)
    if result is None or answers.get("annotator_label") is None or answers[result.name] is not None:
        return False
    is_label = result.name == "label"
    most = _("majority; none if tied")
    return st.radio(
        _("Label per text") if is_label else _("Answer per text"),
        [True, False],
        format_func={True: most, False: _("none")}.__getitem__,
        key=f"import_majority_{of_files}",
    )


def _key(choice: ColumnChoice, of_files: str) -> str:
    return f"import_column_{choice.name}_{of_files}"


def _choices(
    store: Store, visit: Visit, project: Project, format_name: str, files: Sequence[Any], sheet: str | None
) -> ColumnChoices | None:
    """Read once for the same files and format."""
    if not files or format_name not in PLAIN:
        return None
    signature = (project.id, project.settings, format_name, sheet, spoken_language(), *(file.file_id for file in files))
    before, seen = st.session_state.get(_SEEN, (None, None))
    if before != signature:
        try:
            with laid_out((file.name, file.getbuffer()) for file in files) as path:
                seen = choices_of(store, visit.user, project, format_name, path, sheet)
        except InvalidValue:  # an archive that cannot be unpacked; the check says why
            seen = None
        st.session_state[_SEEN] = (signature, seen)
    choices: ColumnChoices | None = seen
    return choices
