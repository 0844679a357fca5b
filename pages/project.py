"""Project: create, import, rules, people, progress, decisions, export, record."""

from collections.abc import Sequence

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.web.buttons import pressed
from annotator.web.frame import as_text
from annotator.web.page_parts import READABLE, asked_instance, require_project
from annotator.web.sections import creation, guidelines, project_end, record, rules
from annotator.web.sections.instances import fields as instance_fields
from annotator.web.sections.instances import page as instances
from annotator.web.sections.lead import decisions, quality
from annotator.web.sections.lead import decisions as rounds
from annotator.web.sections.order import page as order
from annotator.web.sections.people import page as people
from annotator.web.sections.progress import page as progress
from annotator.web.sections.releases import page as releases
from annotator.web.sections.training import page as training
from annotator.web.sections.transfer import export, file_import
from annotator.web.session import Visit, current_visit, is_just_opened, page_store


def _export(store: Store, visit: Visit, project: Project) -> None:
    """Files of now, and releases."""
    export.show(store, visit, project)
    st.divider()
    releases.show(store, visit, project)


def _first_section() -> str:
    """A link to a text or to a search leads there."""
    is_led = asked_instance() is not None or instance_fields.is_searched_by_address()
    return "Instances" if is_led else "Progress"


SECTIONS = {
    unsaid("Progress"): progress.show,
    unsaid("Instances"): instances.show,
    unsaid("Import"): file_import.show,
    unsaid("Rules"): rules.show,
    unsaid("Order"): order.show,
    unsaid("Guidelines"): guidelines.show,
    unsaid("Training"): training.show,
    unsaid("People"): people.show,
    unsaid("Rounds"): rounds.show_rounds,
    unsaid("Quality"): quality.show,
    unsaid("Decisions"): decisions.show,
    unsaid("Export"): _export,
    unsaid("Record"): record.show,
}

OF_ARCHIVED = ("Progress", "Instances", "Quality", "Export", "Record")  # what can be read without changing anything

# tables, charts and texts side by side use the whole screen
WIDE = frozenset({"Progress", "Instances", "Quality", "Record"})
_SECTION = "section"  # of the address


def _begin_with_section(project: Project, sections: Sequence[str]) -> None:
    """The section that the address names, when one comes with it; else the one that is open, or the first."""
    wanted = st.query_params.get(_SECTION)
    if is_just_opened() and wanted in sections:
        st.session_state["project_section"] = wanted
    if st.session_state.get(creation.BEGUN) == project.id:
        st.session_state["project_section"] = "Import"
        del st.session_state[creation.BEGUN]
    st.session_state.setdefault("project_section", _first_section())
    if st.session_state["project_section"] not in sections:
        st.session_state["project_section"] = "Progress"


with page_store() as store:
    visit = current_visit(store)
    project_end.show_outcome()
    if visit.project is None:
        st.title(_("Your first project"))
        creation.show(store, visit)
    else:
        project = require_project(visit, "manage project")
        if project is not None:
            title, new = st.container(width=READABLE).columns([4, 1], vertical_alignment="center")
            title.header(as_text(project.name), anchor=False)
            if pressed(_("New project"), container=new, icon=":material/add:", width="stretch", key="project_new"):
                creation.dialog()
            sections = list(SECTIONS)
            if project.is_archived:
                with st.container(width=READABLE):
                    project_end.show_archived(store, visit, project)
                sections = [name for name in SECTIONS if name in OF_ARCHIVED]
            _begin_with_section(project, sections)
            section = st.segmented_control(
                _("Section"), sections, required=True, key="project_section", label_visibility="collapsed", format_func=_,
            )  # fmt: skip
            chosen = section or "Progress"
            if st.query_params.get(_SECTION) != chosen:
                st.query_params[_SECTION] = chosen
            with st.container(width="stretch" if chosen in WIDE else READABLE):
                SECTIONS[chosen](store, visit, project)
