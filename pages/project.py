"""Project: the sections of a lead's week, each with its parts."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.web.buttons import pressed
from annotator.web.frame import as_text
from annotator.web.navigation import PARTS_OF_ARCHIVED, PROJECT_SECTIONS
from annotator.web.page_parts import READABLE, asked_instance, require_project
from annotator.web.sections import creation, guidelines, record, rules
from annotator.web.sections import record as project_end
from annotator.web.sections.instances import fields as instance_fields
from annotator.web.sections.instances import page as instances
from annotator.web.sections.lead import decisions, quality
from annotator.web.sections.order import page as order
from annotator.web.sections.people import page as people
from annotator.web.sections.progress import page as progress
from annotator.web.sections.releases import page as releases
from annotator.web.sections.training import page as training
from annotator.web.sections.transfer import export, file_import
from annotator.web.session import Visit, current_visit, is_just_opened, page_store


def _record(store: Store, visit: Visit, project: Project) -> None:
    """What happened, and the end."""
    record.show(store, visit, project)
    if not project.is_archived:
        project_end.show_project_end(project)


Section = Callable[[Store, Visit, Project], None]

SHOWN: Mapping[str, Section] = {
    "Progress": progress.show,
    "Decisions": decisions.show,
    "Import": file_import.show,
    "Instances": instances.show,
    "Export": export.show,
    "Releases": releases.show,
    "Rules": rules.show,
    "Guidelines": guidelines.show,
    "People": people.show,
    "Quality": quality.show,
    "Rounds": decisions.show_rounds,
    "Training": training.show,
    "Previews": rules.show_previews,
    "Order": order.show,
    "Record": _record,
}

# tables, charts and texts side by side use the whole screen
WIDE = frozenset({"Progress", "Instances", "Quality", "Record"})
_PART = "project_section"  # of the session: the part that is open
_ADDRESS = "section"  # of the address


def _parts_of(project: Project) -> dict[str, list[str]]:
    """The parts that a project has, by section."""
    sections = {
        name: [part for part in parts if not project.is_archived or part in PARTS_OF_ARCHIVED]
        for name, parts in PROJECT_SECTIONS.items()
    }
    return {name: parts for name, parts in sections.items() if parts}


def _opened(project: Project, parts: Sequence[str]) -> str:
    """The part that the address names, when one comes with it; else the one that is open, or the first."""
    wanted = st.query_params.get(_ADDRESS)
    if is_just_opened() and wanted in parts:
        st.session_state[_PART] = wanted
    begun, part = st.session_state.get(creation.BEGUN, (None, ""))
    if begun == project.id:
        st.session_state[_PART] = part
        del st.session_state[creation.BEGUN]
    if st.session_state.get(_PART) not in parts:
        is_led = asked_instance() is not None or instance_fields.is_searched_by_address()
        st.session_state[_PART] = "Instances" if is_led else "Progress"
    return str(st.session_state[_PART])


def _choose(project: Project) -> str:
    """Two rows: the sections, and the parts of the one that is open."""
    by_section = _parts_of(project)
    part = _opened(project, [part for parts in by_section.values() for part in parts])
    section = next(name for name, parts in by_section.items() if part in parts)
    chosen = st.segmented_control(
        _("Section"), list(by_section), default=section, required=True, key=f"project_sections_{section}",
        label_visibility="collapsed", format_func=_
    )  # fmt: skip
    if chosen != section:
        _go_to(by_section[str(chosen)][0])
    if len(by_section[section]) > 1:
        given = st.segmented_control(
            _("Part"), by_section[section], default=part, required=True, key=f"project_part_{part}",
            label_visibility="collapsed", format_func=lambda name: _(PROJECT_SECTIONS[section][name])
        )  # fmt: skip
        if given != part:
            _go_to(str(given))
    if st.query_params.get(_ADDRESS) != part:
        st.query_params[_ADDRESS] = part
    return part


def _go_to(part: str) -> None:
    st.session_state[_PART] = part
    st.rerun()


with page_store() as store:
    visit = current_visit(store)
    if visit.project is None:
        st.title(_("Your first project"))
        creation.show(store, visit)
    else:
        project = require_project(visit, "manage project")
        if project is not None:
            title, new = st.container(width=READABLE).columns([4, 1], vertical_alignment="center")
            title.header(as_text(project.name), anchor=False)
            if project.is_archived:
                with st.container(width=READABLE):
                    project_end.show_archived(store, visit, project)
            part = _choose(project)
            if part == "Progress" and pressed(
                _("New project"), container=new, icon=":material/add:", width="stretch", key="project_new"
            ):
                creation.dialog()
            with st.container(width="stretch" if part in WIDE else READABLE):
                SHOWN[part](store, visit, project)
