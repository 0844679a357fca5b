"""One instance with each annotation of it, read-only, in the token panel."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.viewing import look_at
from annotator.web import token_panel
from annotator.web.frame import as_text
from annotator.web.session import Visit


def show(store: Store, visit: Visit, project: Project, key: str) -> None:
    """The text, and whose annotation of it is drawn."""
    views = look_at(store, visit.user, project, key)
    names = [view.title for view in views]
    chosen = 0
    if len(names) > 1:
        title = st.segmented_control("Annotation", names, default=names[0], key=f"project_look_{key}") or names[0]
        chosen = names.index(title)
    else:
        st.caption(as_text(names[0]))
    view = views[chosen]
    token_panel.read(view.work, view.project, key=f"project_look_{key}_{chosen}")
