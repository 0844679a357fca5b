"""What waits for a person: project by project, each line a link to where it is done."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.start.overview import PAGE_SIZE, ProjectWork, overview
from annotator.web.frame import as_text
from annotator.web.sections.start import administration, lead_work, notices, own_mail, own_work, standings
from annotator.web.session import Visit


def show(store: Store, visit: Visit) -> None:
    """Notices, then what waits; at the end what a person chooses for themselves, and an administrator for the server."""
    st.header(_("What is waiting for you"), anchor=False)
    with st.container():  # always there: what stands below keeps its place, and stays open, when this comes or goes
        notices.show(store, visit)
    projects, total = overview(store, visit.user, _page())
    with st.container():
        _show_projects(visit, projects, total)
    how_far = st.container()
    for section in (own_mail.show, administration.show):
        with st.container():
            section(store, visit)
    with how_far:  # counted last: nothing else waits for it
        standings.show(store, visit, [work.project for work in projects if work.is_led])


def _show_projects(visit: Visit, projects: list[ProjectWork], total: int) -> None:
    """The projects in which something waits first."""
    if not total:
        _show_no_projects(visit)
        return
    waiting = [work for work in projects if work.waits]
    for work in waiting:
        _show_project(work)
    _show_quiet_projects([work.project for work in projects if not work.waits], is_all=not waiting)
    pages = -(-total // PAGE_SIZE)
    if pages > 1:
        st.number_input(_("Page of {pages}", pages=f"{pages:,}"), 1, pages, key=_PAGE_KEY, width=160)


_PAGE_KEY = "start_page"


def _page() -> int:
    return int(st.session_state.get(_PAGE_KEY, 1))


def _show_no_projects(visit: Visit) -> None:
    if visit.user.is_administrator:
        st.info(_("There is no project yet. Make the first one on the page Project."), icon=":material/folder_open:")
    else:
        st.info(
            _("You have no role in a project yet. Ask a lead or an administrator for one."), icon=":material/group:"
        )


def _show_project(work: ProjectWork) -> None:
    with st.container(border=True, gap="xxsmall"):
        st.markdown(f"**{as_text(work.project.name)}**")
        lead_work.show(work.project, work.lead)
        own_work.show(work.project, work.mine)


def _show_quiet_projects(projects: list[Project], *, is_all: bool) -> None:
    """Those in which nothing waits, in one line."""
    if not projects:
        return
    names = " · ".join(as_text(project.name) for project in projects)
    if is_all:
        st.info(
            _("No decision, question or returned work is waiting for you in {names}.", names=names),
            icon=":material/task_alt:",
        )
    else:
        st.caption(_("No decision, question or returned work is waiting for you in {names}.", names=names))
