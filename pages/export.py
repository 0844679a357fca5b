"""Export: a project's files, for researchers (leads find the same on the Project page)."""

import streamlit as st

from annotator.domain.people import has_right
from annotator.language import _
from annotator.web.frame import as_text, link_to
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
            if has_right(visit.user, visit.roles, "manage project"):
                link_to(
                    "project", _("Gold releases"), project_id=project.id, icon=":material/ac_unit:", section="Releases"
                )
