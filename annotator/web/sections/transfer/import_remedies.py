"""What can be done about the problems of a file, as buttons: each chooses an option, and checks the file again."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from annotator.domain.labels import Variants, variant_among
from annotator.domain.projects import Project
from annotator.errors import Problem
from annotator.language import _, unsaid
from annotator.usecases.transfer.row_keys import WITH_ENTITIES
from annotator.usecases.transfer.text_index import PROMPT, proposed_prompt
from annotator.web.buttons import press
from annotator.web.frame import as_text

_STRANGE = "import_strange_labels"
_ADD, _RENAME, _LEAVE = unsaid("Add label"), unsaid("Map to another"), unsaid("Skip rows")
_PROMPT = "import_prompt_needed"
_MOST = 12
_CHECK = "import_check"
_MERGE, _MERGE_WORDS = "import_merge_labels", unsaid("Merge and check again")


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
    if st.session_state.get(_MERGE):
        strange = {label: n for label, n in strange.items() if not variant_among(label, project.labels)}
    if strange:
        st.subheader(_("Labels missing in the project"), anchor=False)
    for number, (label, n) in enumerate(list(strange.items())[:_MOST]):
        answer, project_label = _ask_one(project, label, n, f"{number}_{files}", may_add=may_add)
        if answer == _ADD:
            added.append(label)
        elif answer == _LEAVE:
            left.append(label)
        elif answer == _RENAME and project_label:
            renamed[label] = project_label
    return LabelChoices(renamed, tuple(added), tuple(left))


def note_prompt(problems: Sequence[Problem], files: str) -> None:
    """Keep that texts of these files were found within a prompt; the field for it stays when it has been filled."""
    if proposal := proposed_prompt(problems):
        st.session_state[_PROMPT] = (files, proposal)


def ask_prompt(files: str) -> str:
    """What stands around the texts, where a check of these files found that something does; else "" without asking."""
    of_files, proposal = st.session_state.get(_PROMPT, ("", ""))
    if of_files != files:
        return ""
    written = st.text_input(
        _("Text around the text"),
        key=_prompt_key(files),
        placeholder=proposal,
        help=_("The model's input, with {place} for the project's text (\\n: line break).", place="{text}"),
    )
    return written.replace(r"\n", "\n")


def _prompt_key(files: str) -> str:
    return f"import_prompt_{files}"


def ask_entities(project: Project, format_name: str, *, is_any: bool) -> bool:
    """Whether each labelled span is an instance of its own; asked where the task and the format know such spans."""
    if not (is_any and project.task.has_target and format_name in WITH_ENTITIES):
        return False
    return st.checkbox(
        _("One instance per labelled span"),
        key="import_entities",
        help=_("The span becomes the target, its label the instance's. Skips texts without spans."),
    )


def show_remedies(problems: Sequence[Problem], labels: Sequence[str], *, can_leave_out: bool) -> None:
    """Buttons for what mends problems of other kinds. labels: the project's."""
    remedies = {problem.remedy for problem in problems}
    are_alike = any(p.remedy == "label" and variant_among(p.value, labels) for p in problems)
    buttons = [
        ("import_doubles", _("Apply to all instances with this text"), "doubles" in remedies),
        (_MERGE, _(_MERGE_WORDS), are_alike),
        ("import_entities", _("Import each labelled span"), "entities" in remedies),
        ("import_number", _("Number texts and check again"), "number" in remedies),
        ("import_update", _("Let changed rows overwrite"), "update" in remedies),
        ("import_skip", _("Skip these rows and check again"), can_leave_out),
    ]
    with st.container(horizontal=True):
        for key, words, is_offered in buttons:
            if is_offered and not st.session_state.get(key):
                st.button(words, key=f"{key}_remedy", on_click=_choose, args=(key,))
        if proposal := proposed_prompt(problems):
            key = _prompt_key(st.session_state.get(_PROMPT, ("", ""))[0])
            words = as_text(_("Read texts within “{proposal}”", proposal=proposal))
            st.button(words, key="import_prompt_remedy", on_click=_choose, args=(key, proposal))


def show_merge(variants: Sequence[Variants]) -> None:
    """The button that merges labels which differ in case, blanks or width alone."""
    if variants:
        st.button(_(_MERGE_WORDS), key=f"{_MERGE}_remedy", on_click=_choose, args=(_MERGE,))


def _choose(key: str, value: object = True) -> None:
    st.session_state[key] = value
    press(_CHECK)


def has_questions(problems: Sequence[Problem]) -> bool:
    """Whether what can be done about some of the problems is asked above them."""
    return any(problem.remedy in ("label", PROMPT) for problem in problems)


def _ask_one(project: Project, label: str, n: int, key: str, *, may_add: bool) -> tuple[str | None, str | None]:
    with st.container(horizontal=True, vertical_alignment="center"):
        quoted = as_text(f"“{label}”")
        words = _("{label} ({n} times)", label=quoted, n=f"{n:,}") if n > 1 else quoted
        st.markdown(words, width="content")
        answer = st.segmented_control(
            _("How to handle “{label}”?", label=as_text(label)),
            [_ADD, _RENAME, _LEAVE] if may_add else [_RENAME, _LEAVE],
            format_func=_,
            key=f"import_label_{key}",
            label_visibility="collapsed",
            on_change=_check_unless_renamed,
            args=(f"import_label_{key}",),
        )
        if answer != _RENAME:
            return answer, None
        project_label: str | None = st.selectbox(
            _("Project label for “{label}”", label=as_text(label)),
            project.labels,
            index=None,
            placeholder=_("to"),
            key=f"import_label_to_{key}",
            label_visibility="collapsed",
            on_change=press,
            args=(_CHECK,),
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
