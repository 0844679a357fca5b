"""What is asked once more before somebody loses something: a way on and a way back."""

from collections.abc import Callable, Sequence

import streamlit as st

from annotator.errors import AnnotatorError
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.session import Visit, current_visit, page_store

NOBODY_CHOSEN = unsaid("Choose a person first.")


def ask_for_person(label: str, people: Sequence[str], *, key: str, without: str = "") -> str | None:
    """A choice of somebody with nobody chosen: what they lose must not hang on who stands first. without: there is no choice."""
    placeholder = _("Choose a person") if people else without or _("There is nobody")
    return st.selectbox(label, people, index=None, key=key, placeholder=placeholder)


def show_answers(go: str, keep: str, *, key: str, act: Callable[[Store, Visit], object]) -> None:
    """The two buttons of a dialog; what is done by the first, or why it cannot be.

    A dialog runs again by itself, when the page's own connection is closed: so this opens one.
    """
    left, right = st.columns(2)
    if pressed(keep, width="stretch", container=right, key=f"{key}_not"):
        st.rerun()
    if pressed(go, type="primary", width="stretch", container=left, key=f"{key}_go"):
        with page_store() as store:
            try:
                act(store, current_visit(store))
            except AnnotatorError as error:
                st.error(as_text(str(error)), icon=":material/error:")
                return
        st.rerun()
