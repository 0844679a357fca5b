"""Export: a project's files, for researchers (leads find the same on the Project page)."""

import streamlit as st

from annotator.language import _
from annotator.web.frame import as_text
from annotator.web.page_parts import READABLE, require_project
from annotator.web.sections.transfer import export
from annotator.web.session import current_visit, page_store

with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "export")
    if project is not None:
        with st.container(width=READABLE):
            st.header(as_text(_("Export {project}", project=project.name)), anchor=False)
            export.show(store, visit, project)
