"""Which columns of a file hold what: taken by name or as before, guessed, or asked where several look alike."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from annotator.domain.columns import ColumnChoice, ColumnChoices
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.usecases.databases import Store
from annotator.usecases.transfer.chosen_columns import PLAIN, choices_of
from annotator.usecases.transfer.uploads import laid_out
from annotator.web.frame import as_text
from annotator.web.session import Visit

_SEEN = "import_columns_seen"
_NUMBERS = "\0numbers"  # no column is called so
_IN_A_ROW = 4


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the person chose. columns: where it is not what would be taken anyway."""

    columns: dict[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    number_keys: bool = False


def ask_columns(store: Store, visit: Visit, project: Project, format_name: str, files: Sequence[Any]) -> Chosen:
    """The columns of one file with plain rows; open where something is missing or guessed."""
    seen = _choices(store, visit, project, format_name, files)
    if seen is None:
        return Chosen()
    with st.expander("Columns", expanded=seen.are_open, icon=":material/view_column:"):
        chosen = _ask(seen, "_".join(file.file_id for file in files) + format_name)
        st.caption(
            "What is chosen here is remembered for this project. Columns that hold none of these become metadata."
        )
    return chosen


def _ask(seen: ColumnChoices, of_files: str) -> Chosen:
    columns: dict[str, str] = {}
    unread: list[str] = []
    number_keys = False
    for first in range(0, len(seen.choices), _IN_A_ROW):
        cells = st.columns(_IN_A_ROW)
        for cell, choice in zip(cells, seen.choices[first : first + _IN_A_ROW], strict=False):
            answer = _ask_one(cell, choice, seen.columns, of_files)
            if answer == _NUMBERS:
                number_keys = True
            elif answer is None and choice.column is not None:
                unread.append(choice.column)
            elif answer is not None and answer != choice.column:
                columns[choice.name] = answer
    left = st.multiselect("Columns that are not read", seen.columns, seen.left, key=f"import_left_{of_files}")
    unread = [column for column in unread if column not in columns.values()]
    return Chosen(columns, tuple(dict.fromkeys((*left, *unread))), number_keys)


def _ask_one(cell: Any, choice: ColumnChoice, columns: Sequence[str], of_files: str) -> str | None:
    options = [*([_NUMBERS] if choice.name == "id" else []), *columns]
    guess = choice.guess
    answer: str | None = cell.selectbox(
        f"{choice.words[0].upper()}{choice.words[1:]}",
        options,
        index=None if guess is None else options.index(guess),
        format_func=lambda column: "number the rows" if column == _NUMBERS else column,
        placeholder="Choose" if choice.is_needed or choice.likely else "none",
        key=f"import_column_{choice.name}_{of_files}",
    )
    if choice.column is None and choice.likely:
        names = " or ".join(f"“{column}”" for column in choice.likely)
        cell.caption(as_text("A guess." if len(choice.likely) == 1 else f"{names}? They look alike."))
    return answer


def _choices(
    store: Store, visit: Visit, project: Project, format_name: str, files: Sequence[Any]
) -> ColumnChoices | None:
    """Read once for the same files and format."""
    if not files or format_name not in PLAIN:
        return None
    signature = (project.id, project.settings, format_name, *(file.file_id for file in files))
    before, seen = st.session_state.get(_SEEN, (None, None))
    if before != signature:
        try:
            with laid_out((file.name, file.getbuffer()) for file in files) as path:
                seen = choices_of(store, visit.user, project, format_name, path)
        except InvalidValue:  # an archive that cannot be unpacked; the check says why
            seen = None
        st.session_state[_SEEN] = (signature, seen)
    choices: ColumnChoices | None = seen
    return choices
