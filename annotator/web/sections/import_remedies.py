"""What can be done about the problems of a file, as buttons: each chooses an option, and checks the file again."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from annotator.domain.projects import Project
from annotator.errors import Problem
from annotator.web.frame import as_text
from annotator.web.presses import press

_STRANGE = "import_strange_labels"
_ADD, _RENAME, _LEAVE = "Add it", "Rename it", "Leave it out"
_MOST = 12
_CHECK = "import_check"


@dataclass(frozen=True, slots=True)
class LabelChoices:
    """What becomes of labels that the project does not have."""

    renamed: dict[str, str]
    added: tuple[str, ...]
    left: tuple[str, ...]


def note_labels(problems: Sequence[Problem], files: str) -> None:
    """Keep the labels that a check found to be strange; they stay on the page when they have been dealt with."""
    strange = dict(_strange(files))
    for label, n in _counts(problems).items():
        strange[label] = max(n, strange.get(label, 0))
    st.session_state[_STRANGE] = (files, strange)


def ask_labels(project: Project, files: str, *, may_add: bool) -> LabelChoices:
    """For each strange label of these files three buttons, and the project's labels where it is one of them."""
    renamed: dict[str, str] = {}
    added: list[str] = []
    left: list[str] = []
    strange = _strange(files)
    if strange:
        st.subheader("Labels that the project does not have", anchor=False)
    for number, (label, n) in enumerate(list(strange.items())[:_MOST]):
        answer, project_label = _ask_one(project, label, n, f"{number}_{files}", may_add=may_add)
        if answer == _ADD:
            added.append(label)
        elif answer == _LEAVE:
            left.append(label)
        elif answer == _RENAME and project_label:
            renamed[label] = project_label
    return LabelChoices(renamed, tuple(added), tuple(left))


def show_remedies(problems: Sequence[Problem], *, can_leave_out: bool) -> None:
    """Buttons for what mends problems of other kinds."""
    remedies = {problem.remedy for problem in problems}
    buttons = [
        ("import_doubles", "Give all instances with the text what is said of it", "doubles" in remedies),
        ("import_update", "Let changed rows overwrite", "update" in remedies),
        ("import_skip", "Leave these rows out and check again", can_leave_out),
    ]
    with st.container(horizontal=True):
        for key, words, is_offered in buttons:
            if is_offered and not st.session_state.get(key):
                st.button(words, key=f"{key}_remedy", on_click=_choose, args=(key,))


def _choose(key: str) -> None:
    st.session_state[key] = True
    press(_CHECK)


def _check_again() -> None:
    press(_CHECK)


def _ask_one(project: Project, label: str, n: int, key: str, *, may_add: bool) -> tuple[str | None, str | None]:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(as_text(f"“{label}”") + (f" ({n:,} times)" if n > 1 else ""), width="content")
        answer = st.segmented_control(
            f"What becomes of “{as_text(label)}”?",
            [_ADD, _RENAME, _LEAVE] if may_add else [_RENAME, _LEAVE],
            key=f"import_label_{key}",
            label_visibility="collapsed",
            on_change=_check_unless_renamed,
            args=(f"import_label_{key}",),
        )
        if answer != _RENAME:
            return answer, None
        project_label: str | None = st.selectbox(
            f"The project's label for “{as_text(label)}”",
            project.labels,
            index=None,
            placeholder="to",
            key=f"import_label_to_{key}",
            label_visibility="collapsed",
            on_change=_check_again,
            width=220,
        )
    return answer, project_label


def _check_unless_renamed(key: str) -> None:
    if st.session_state.get(key) != _RENAME:
        press(_CHECK)


def _strange(files: str) -> dict[str, int]:
    of_files, strange = st.session_state.get(_STRANGE, ("", {}))
    return strange if of_files == files else {}


def _counts(problems: Sequence[Problem]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for problem in problems:
        if problem.remedy == "label":
            counts[problem.value] = counts.get(problem.value, 0) + problem.n
    return counts
