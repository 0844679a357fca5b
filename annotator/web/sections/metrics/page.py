"""The Metrics page from its title to its charts, and the address that follows what is chosen on it."""

from functools import partial

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.web.copy_link import copy_link
from annotator.web.frame import as_text
from annotator.web.sections.metrics import figures, groups, numbers, state, table, views
from annotator.web.session import Visit


def show(store: Store, visit: Visit, project: Project) -> None:
    """Everything on the page; at the end the address is brought to what was chosen."""
    choices = state.begin(project, partial(views.expanded, store, visit, project))
    title, scored_as, saved, link = st.columns([1.95, 1.85, 0.68, 0.7], vertical_alignment="center")
    title.header(as_text(_("Metrics of {name}", name=project.name)), anchor=False)
    popover = saved.popover(_("Views"), icon=":material/bookmarks:", width="stretch")
    notice = st.container()
    scored = numbers.show(store, visit, project, choices, scored_as)
    if scored is not None:
        shown = table.show(store, visit, project, scored) if scored.table.columns else scored
        groups.show(store, visit, project, shown)
        figures.show(store, visit, project, shown)
    state.end(choices, is_whole=scored is not None)
    view = views.named_view(store, visit, project, state.address())
    gone = choices.gone() if view is None else choices.gone(_("The view “{name}”", name=view.name))
    if gone:
        notice.warning(as_text(gone), icon=":material/link_off:")
    with popover:
        views.show(store, visit, project, choices)
    with link:
        copy_link(state.link_of(project, choices), key=f"metrics_link_{project.id}")
