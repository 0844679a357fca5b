"""Project: create, import, rules, people, progress, decisions, export, record."""

import streamlit as st

from annotator.web.frame import as_text
from annotator.web.page_parts import READABLE, asked_instance, require_project
from annotator.web.presses import pressed
from annotator.web.sections import (
    creation,
    decisions,
    export,
    file_import,
    guidelines,
    instances,
    progress,
    quality,
    record,
    rounds,
    rules,
)
from annotator.web.sections.people import page as people
from annotator.web.session import current_visit, page_store

SECTIONS = {
    "Progress": progress.show,
    "Instances": instances.show,
    "Import": file_import.show,
    "Rules": rules.show,
    "Guidelines": guidelines.show,
    "People": people.show,
    "Rounds": rounds.show,
    "Quality": quality.show,
    "Decisions": decisions.show,
    "Export": export.show,
    "Record": record.show,
}

WIDE = frozenset({"Instances", "Quality", "Record"})  # tables, charts and texts side by side use the whole screen

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
            if done := st.session_state.pop("import_done", None):
                st.toast(done, icon=":material/check:")
            chosen = section or "Progress"
            with st.container(width="stretch" if chosen in WIDE else READABLE):
                SECTIONS[chosen](store, visit, project)
