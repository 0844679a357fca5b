"""The end of a project on its page: archive it, bring it back, delete it."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.project.ends import archive, bring_back, delete, deletion_summary
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, carry_out, confirm_and_rerun, refusals_shown
from annotator.web.session import Visit, current_visit, page_store
from annotator.web.shown_times import shown_day


def show(project: Project) -> None:
    """At the end of the rules of a project that is at work."""
    with st.expander(_("Archive or delete the project")):
        st.caption(_("Archived projects are read-only."))
        with st.container(horizontal=True, vertical_alignment="center"):
            if pressed(_("Archive project"), icon=":material/archive:", key="project_archive"):
                st.dialog(_("Archive project"), width="medium")(_ask_to_archive)(project)
            _offer_deletion(project)


def show_archived(store: Store, visit: Visit, project: Project) -> None:
    """Above everything else of an archived project."""
    day = as_text(shown_day(project.archived_at) if project.archived_at else "")
    with st.container(border=True):
        st.markdown(":material/archive: " + _("**Archived since {day}.** Read-only.", day=day))
        with st.container(horizontal=True):
            if pressed(_("Restore"), icon=":material/unarchive:", key="project_bring_back"):
                carry_out(
                    lambda: bring_back(store, visit.user, project.id), _("“{name}” is active again.", name=project.name)
                )
            _offer_deletion(project)


def _offer_deletion(project: Project) -> None:
    if pressed(_("Delete project"), icon=":material/delete:", key="project_delete"):
        st.dialog(_("Delete project"), width="medium")(_ask_to_delete)(project)


def _ask_to_archive(project: Project) -> None:
    """What it means for the people of a project; it runs again by itself, so it opens a connection of its own."""
    name = as_text(project.name)
    st.markdown(_("All work in “{name}” stops and can't be submitted.", name=name))
    st.markdown(_("Everything stays. A lead can restore it at any time."))
    if pressed(_("Archive"), type="primary", key="project_archive_go"):
        with page_store() as store:
            visit = current_visit(store)
            carry_out(lambda: archive(store, visit.user, project.id), _("“{name}” is archived.", name=project.name))


def _ask_to_delete(project: Project) -> None:
    """It runs again by itself, when the page's own connection is closed: so it opens one."""
    st.markdown(
        _(
            "Deletes all texts, work, model output, tests, releases and record of “{name}”. Accounts stay.",
            name=as_text(project.name),
        )
    )
    st.markdown(_("The server keeps a backup that its operator can restore or delete."))
    with st.form("project_delete_form", border=False):
        st.text_input(_("Type this name: {name}", name=as_text(project.name)), key="project_delete_name")
        held = submitted(
            _("Delete everything"), type="primary", key="project_delete_go", fields=("project_delete_name",)
        )
    if held is None:
        return
    with page_store() as store, st.spinner(_("Backing up and deleting …")):
        visit = current_visit(store)
        with refusals_shown():
            deleted = delete(store, visit.user, project.id, str(held["project_delete_name"]))
            st.query_params.clear()
            confirm_and_rerun(deletion_summary(deleted), is_kept=True)
