"""Asking a language model of this machine from the page, where whoever runs the server set its address."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, unsaid
from annotator.usecases.background import ask_to_explain_self, explains_itself
from annotator.usecases.databases import Store
from annotator.usecases.models.self_explanations import SelfExplanationOptions, is_address_set
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections import jobs
from annotator.web.session import Visit

_NEXT = unsaid(
    "This server can ask a language model of its own machine. It is asked in the background, text by text, even when this page "
    "is closed. The top of this page shows the progress. What is stored already is not asked again."
)


def offer(store: Store, visit: Visit, project: Project, options: SelfExplanationOptions) -> None:
    """The name of a model, a button, and what came of the last; nothing where no address is set."""
    try:
        if not is_address_set():
            return
    except AnnotatorError as error:
        st.warning(as_text(str(error)), icon=":material/error:")
        return
    st.divider()
    st.caption(_(_NEXT))
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    model = left.text_input(_("Model, as its server calls it"), key="selfexp_model", placeholder="llama3.2:3b")
    if pressed(
        _("Ask"), container=right, type="primary", key="selfexp_go", icon=":material/play_arrow:", width="stretch"
    ):
        try:
            ask_to_explain_self(store, visit.user, project, model, options)
        except AnnotatorError as error:
            st.error(as_text(str(error)), icon=":material/error:")
        else:
            st.rerun()
    for job in jobs.ended(store, visit, project, "attribute"):
        if explains_itself(job):
            jobs.show_line(job)
