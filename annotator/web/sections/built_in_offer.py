"""The built-in model, offered where somebody looks for a model: a button that trains it, and its progress in the same place."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, unsaid
from annotator.usecases.background import ask_for_built_in
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections import jobs
from annotator.web.session import Visit

_WHAT = unsaid(
    "The built-in model is a small classifier of words that learns from the labels of this project in seconds to minutes. It "
    "answers and explains every text; nothing has to be installed."
)


def offer(store: Store, visit: Visit, project: Project, *, where: str) -> None:
    """A button, or the progress of what runs; below it what came of the last work. Nothing where texts have no labels.

    where: names the place, of which a page has several
    """
    if project.task.result_kind != "label" or project.is_archived:
        return
    with st.container(border=True):
        if jobs.show_open(store, visit, project, where):
            return
        words, button = st.columns([3, 1], vertical_alignment="center")
        words.markdown(_(_WHAT))
        if pressed(
            _("Train the built-in model"), container=button, width="stretch", key=f"built_in_go_{where}",
            icon=":material/model_training:",
        ):  # fmt: skip
            try:
                ask_for_built_in(store, visit.user, project)
            except AnnotatorError as error:
                st.error(as_text(str(error)), icon=":material/error:")
            else:
                st.rerun()
        for job in jobs.ended(store, visit, project, "attribute")[:1]:
            jobs.show_line(job)
