"""Tests: functional tests of models (MFT, INV, DIR): what fails, making tests, word lists, files."""

import streamlit as st

from annotator.language import _, unsaid
from annotator.web.buttons import why_at_rest, work_of
from annotator.web.frame import as_text
from annotator.web.page_parts import require_project
from annotator.web.sections.suites import construction, files, results, words
from annotator.web.session import current_visit, page_store

SECTIONS = {
    unsaid("Results"): results.show,
    unsaid("Make a test"): construction.show,
    unsaid("Word lists"): words.show,
    unsaid("Files"): files.show,
}

with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "use models")
    if project is not None:
        st.header(as_text(_("Tests of {project}", project=project.name)), anchor=False)
    if project is not None and project.task.result_kind != "label":
        st.info(_("This needs labels; this project has answers."), icon=":material/rule:")
    elif project is not None:
        section = st.segmented_control(
            _("Section"), list(SECTIONS), default="Results", required=True, key="tests_section", format_func=_,
            label_visibility="collapsed", persist_state="session"
        )  # fmt: skip
        if reason := why_at_rest(project):
            st.info(as_text(reason), icon=":material/archive:")
        with work_of(project, reads=("tests_cell_", "tests_export", "stop_job_")):
            SECTIONS[section or "Results"](store, visit, project)
