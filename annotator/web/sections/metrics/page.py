"""The Metrics page from its title to its charts, and the address that follows what is chosen on it."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.web.copy_link import copy_link
from annotator.web.frame import as_text
from annotator.web.sections.metrics import figures, numbers, state, table
from annotator.web.session import Visit


def show(store: Store, visit: Visit, project: Project) -> None:
    """Everything on the page; at the end the address is brought to what was chosen."""
    choices = state.begin(project)
    title, scored_as, link = st.columns([2.2, 2.2, 0.75], vertical_alignment="center")
    title.header(as_text(f"Metrics of {project.name}"), anchor=False)
    notice = st.container()
    scored = numbers.show(store, visit, project, choices, scored_as)
    if scored is not None:
        shown = table.show(store, visit, project, scored) if scored.table.columns else scored
        figures.show(store, visit, project, shown)
    state.end(choices, is_whole=scored is not None)
    if choices.gone:
        notice.warning(as_text(choices.gone), icon=":material/link_off:")
    with link:
        copy_link(state.link_of(project, choices), key=f"metrics_link_{project.id}")
