"""Project: create, import, rules, people, progress, decisions, export, record."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.page_parts import READABLE, asked_instance, require_project
from annotator.web.presses import pressed
from annotator.web.sections import creation, guidelines, instances, record, rules
from annotator.web.sections.lead import decisions, quality, rounds
from annotator.web.sections.order import page as order
from annotator.web.sections.people import page as people
from annotator.web.sections.progress import page as progress
from annotator.web.sections.releases import page as releases
from annotator.web.sections.transfer import export, file_import
from annotator.web.session import Visit, current_visit, page_store


def _export(store: Store, visit: Visit, project: Project) -> None:
    """Files of now, and releases."""
    export.show(store, visit, project)
    st.divider()
    releases.show(store, visit, project)


SECTIONS = {
    "Progress": progress.show,
    "Instances": instances.show,
    "Import": file_import.show,
    "Rules": rules.show,
    "Order": order.show,
    "Guidelines": guidelines.show,
    "People": people.show,
    "Rounds": rounds.show,
    "Quality": quality.show,
    "Decisions": decisions.show,
    "Export": _export,
    "Record": record.show,
}

# Tables, charts and texts side by side use the whole screen.
WIDE = frozenset({"Progress", "Instances", "Quality", "Record"})

with page_store() as store:
    visit = current_visit(store)
    if visit.project is None:
        st.title("Your first project")
        creation.show(store, visit)
    else:
        project = require_project(visit, "manage project")
        if project is not None:
            title, new = st.container(width=READABLE).columns([4, 1], vertical_alignment="center")
            title.header(as_text(project.name), anchor=False)
            if pressed("New project", container=new, icon=":material/add:", width="stretch", key="project_new"):
                creation.dialog()
            st.session_state.setdefault("project_section", "Progress" if asked_instance() is None else "Instances")
            section = st.segmented_control(
                "Section", list(SECTIONS), required=True, key="project_section", label_visibility="collapsed",
            )  # fmt: skip
            chosen = section or "Progress"
            with st.container(width="stretch" if chosen in WIDE else READABLE):
                SECTIONS[chosen](store, visit, project)
