"""The end of a project on its page: archive it, bring it back, delete it."""

from collections.abc import Callable

import streamlit as st

from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.project.ends import archive, bring_back, delete, deletion_summary
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, refusals_shown
from annotator.web.session import Visit, current_visit, page_store
from annotator.web.shown_times import shown_day

_TOLD = "project_end_told"


def show(project: Project) -> None:
    """At the end of the rules of a project that is at work."""
    st.divider()
    st.markdown(_("**The end of the project**"))
    with st.container(horizontal=True, vertical_alignment="center"):
        if pressed(_("Archive the project …"), icon=":material/archive:", key="project_archive"):
            st.dialog(_("Archive the project"), width="medium")(_ask_to_archive)(project)
        _offer_deletion(project)
    st.caption(
        _(
            "An archived project can be read and exported, and brought back as it was. Nothing of it is given out, imported "
            "or changed."
        )
    )


def show_archived(store: Store, visit: Visit, project: Project) -> None:
    """Above everything else of an archived project."""
    day = as_text(shown_day(project.archived_at) if project.archived_at else "")
    with st.container(border=True):
        st.markdown(
            ":material/archive: "
            + _(
                "**Archived since {day}.** You can read and export it. Nothing of it is given out, imported or changed.",
                day=day,
            )
        )
        with st.container(horizontal=True):
            if pressed(_("Bring it back"), icon=":material/unarchive:", key="project_bring_back"):
                _do(
                    lambda: bring_back(store, visit.user, project.id),
                    _("“{name}” is at work again.", name=project.name),
                )
            _offer_deletion(project)


def show_outcome() -> None:
    """What became of a project, on the page that comes afterwards."""
    if outcome := st.session_state.pop(_TOLD, None):
        st.success(as_text(outcome), icon=":material/check:")


def _offer_deletion(project: Project) -> None:
    if pressed(_("Delete the project …"), icon=":material/delete:", key="project_delete"):
        st.dialog(_("Delete the project"), width="medium")(_ask_to_delete)(project)


def _ask_to_archive(project: Project) -> None:
    """What it means for the people of a project; it runs again by itself, so it opens a connection of its own."""
    name = as_text(project.name)
    st.markdown(
        _(
            "Everybody’s work in “{name}” stops: nothing is given out, and what somebody has in hand cannot be submitted while "
            "the project is archived.",
            name=name,
        )
    )
    st.markdown(
        _(
            "Everything is kept, drafts too, and can be read and exported. A lead can bring the project back at any time; it "
            "goes on as it was."
        )
    )
    if pressed(_("Archive it"), type="primary", key="project_archive_go"):
        with page_store() as store:
            visit = current_visit(store)
            _do(lambda: archive(store, visit.user, project.id), _("“{name}” is archived.", name=project.name))


def _ask_to_delete(project: Project) -> None:
    """It runs again by itself, when the page's own connection is closed: so it opens one."""
    st.markdown(
        _(
            "Everything of “{name}” is deleted: texts, annotations and drafts, reviews, questions, what models answered and "
            "explained, tests, releases, its record. People keep their accounts. Other projects stay as they are.",
            name=as_text(project.name),
        )
    )
    st.markdown(
        _(
            "A backup of the whole database is made first, on the server, beside the database; the files of trained models "
            "are put beside it. Whoever runs the server can bring everything back from there, and removes it when it is not "
            "wanted any more."
        )
    )
    with st.form("project_delete_form", border=False):
        st.text_input(
            _("Type the project's name to delete it: {name}", name=as_text(project.name)), key="project_delete_name"
        )
        held = submitted(
            _("Delete everything of it"), type="primary", key="project_delete_go", fields=("project_delete_name",)
        )
    if held is None:
        return
    with page_store() as store, st.spinner(_("Making the backup and deleting …")):
        visit = current_visit(store)
        try:
            deleted = delete(store, visit.user, project.id, str(held["project_delete_name"]))
        except AnnotatorError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return
    st.session_state[_TOLD] = deletion_summary(deleted)
    st.query_params.clear()
    st.rerun()


def _do(act: Callable[[], object], outcome: str) -> None:
    with refusals_shown():
        act()
        st.session_state[_TOLD] = outcome
        st.rerun()
