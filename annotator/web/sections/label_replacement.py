"""The dialog for a label that cannot be removed: what uses it, and another label in its place."""

from collections.abc import Callable

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import InvalidValue
from annotator.usecases.project.label_replacement import LabelUses, replace_label, uses_of
from annotator.web.frame import as_text
from annotator.web.page_parts import open_instance
from annotator.web.presses import pressed
from annotator.web.session import current_visit, page_store

_NAMED_CHARACTERS = 60
_KEEPS = (
    "Texts, annotations and drafts get the other label, and so does what models answered and explained; probabilities of the two "
    "are added up. What reviewers scored stays, and so does what is gold. The numbers of the models have to be measured again, "
    "and models that were trained here have to be trained again. This cannot be undone: make a backup first if you are not sure."
)


@st.dialog("Replace a label", width="medium")
def dialog(project: Project, label: str, wanted: tuple[str, ...]) -> None:
    """It runs again by itself, when the page's own connection is closed: so it opens one. wanted: the labels of the form."""
    with page_store() as store:
        visit = current_visit(store)
        uses = uses_of(store, visit.user, project, label)
        st.markdown(f"The label “{as_text(label)}” cannot be removed: it is used by {uses.told}.")
        _show_texts(uses)
        others = [other for other in sorted({*wanted, *project.labels}, key=_new_ones_first(project)) if other != label]
        if uses.refusal or not others:
            st.info(as_text(uses.refusal) or "Write another label into the rules first.", icon=":material/info:")
            return
        by = st.selectbox(f"Replace “{as_text(label)}” by", others, key=f"replace_label_{project.id}_{label}")
        st.caption(_KEEPS)
        if uses.n_cases:
            st.warning(_cases(uses, label), icon=":material/rule:")
        if pressed("Replace the label", type="primary", key="replace_label_go"):
            try:
                report = replace_label(store, visit.user, project, label, by)
            except InvalidValue as error:
                st.error(as_text(str(error)), icon=":material/error:")
                return
            st.session_state["rules_told"] = (
                f"“{label}” is replaced by “{by}”: {report}. Your other changes are not saved yet."
            )
            st.rerun()


def _new_ones_first(project: Project) -> Callable[[str], tuple[int, str]]:
    """Whoever writes a new label in the place of an old one means to rename it."""
    return lambda label: (project.labels.index(label) + 1 if label in project.labels else 0, label)


def _show_texts(uses: LabelUses) -> None:
    if not uses.texts:
        return
    st.caption("Look at the first of them:")
    with st.container(gap=None):
        for row in uses.texts:
            words = as_text(first_words(row.excerpt, _NAMED_CHARACTERS) or row.key)
            if st.button(
                words, icon=":material/arrow_forward:", key=f"label_text_{row.id}", type="tertiary",
                on_click=open_instance, args=(row.id,),
            ):  # fmt: skip
                st.rerun()


def _cases(uses: LabelUses, label: str) -> str:
    return (
        f"{counted(uses.n_cases, 'saved test case names', 'saved test cases name')} “{as_text(label)}” and will not change, so "
        "models will fail it. Remove and make such tests again (page Tests)."
    )
