"""Which columns of a file hold what: taken by name or as before, guessed, or asked where several look alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from annotator.domain.imports import ColumnChoice, ColumnChoices
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, Problem
from annotator.language import _, listed, spoken_language, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.transfer.row_keys import PLAIN, choices_of
from annotator.usecases.transfer.uploads import laid_out
from annotator.web.frame import as_text
from annotator.web.session import Visit

_SEEN = "import_columns_seen"
_MARKS = "import_columns_marks"
NUMBER_ROWS = unsaid("number the rows")
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
        st.caption(
            _("What is chosen here is remembered for this project. Columns that hold none of these become metadata.")
        )
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
        _("Columns that are not read"),
        seen.columns,
        seen.left,
        key=f"import_left_{of_files}",
        placeholder=_("Choose options"),
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
            placeholder=_("Choose options"),
            help=_("These columns look like marks. Without a choice they are read as rationales, or refused."),
        )
    )


def _ask_one(cell: Any, choice: ColumnChoice, seen: ColumnChoices, of_files: str) -> str | None:
    options = [*([_NUMBERS] if choice.name == "id" else []), *seen.columns]
    guess = choice.guess
    answer: str | None = cell.selectbox(
        _capital(choice.words),
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
        return _("{columns}? They look alike.", columns=listed([f"“{column}”" for column in choice.likely], "or"))
    if choice.name == "annotator_label":
        return _("A guess: annotators of one text have different ones.")
    return _("A guess.")


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
    most = (
        _("the one that most of its annotators gave; none where several labels were given as often")
        if is_label
        else _("the one that most of its annotators gave; none where several answers were given as often")
    )
    return st.radio(
        _("The label of each text") if is_label else _("The answer of each text"),
        [True, False],
        format_func={True: most, False: _("none")}.__getitem__,
        key=f"import_majority_{of_files}",
    )


def _key(choice: ColumnChoice, of_files: str) -> str:
    return f"import_column_{choice.name}_{of_files}"


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


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
