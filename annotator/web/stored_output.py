"""After files were stored: what they brought, of how many texts there are answers and maps of models, and what comes next."""

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _, several, together
from annotator.usecases.transfer.import_report import ImportReport
from annotator.usecases.transfer.several_files import FileReport
from annotator.web.frame import as_text

_STORED = "import_output_stored"


def keep_stored(project: Project, files: Sequence[FileReport]) -> None:
    """Keep what was stored for the page as it is drawn next, until something else is checked."""
    st.session_state[_STORED] = (project.id, tuple(files))


def forget_stored() -> None:
    """Something else is looked at now."""
    st.session_state.pop(_STORED, None)


def show_stored(project: Project) -> None:
    """What was stored last in this visit, file by file, with a way to look at it."""
    project_id, files = st.session_state.get(_STORED, (None, ()))
    if project_id != project.id:
        return
    linked: set[int] = set()
    for number, file in enumerate(files):
        words = _words(file.report)
        sentence = (
            _("{file}: stored {words}", file=file.name, words=words)
            if len(files) > 1
            else _("Stored {words}", words=words)
        )
        st.success(as_text(sentence), icon=":material/check_circle:")
        if file.report.first_mapped is not None and file.report.first_mapped[0] not in linked:
            instance_id, key = file.report.first_mapped
            linked.add(instance_id)
            st.link_button(
                as_text(_("Look at the first text with a map: {key}", key=key)),
                f"/saliency?{urlencode({'project': project.id, 'instance': instance_id})}",
                icon=":material/open_in_new:",
                key=f"import_first_map_{number}",
            )
    if any(not file.report.is_output for file in files):
        _show_next(project)


def _words(report: ImportReport) -> str:
    """What became of one file."""
    n_left = report.n_left_out
    left = several("{n} row was left out.", "{n} rows were left out.", n_left) if n_left else ""
    if report.n_unchanged and not report.is_output:
        stored = several("{words}; {n} unchanged.", "{words}; {n} unchanged.", report.n_unchanged, words=report.words)
    else:
        stored = _("{words}.", words=report.words)
    return together(stored, left, report.reach_words if report.is_output else "")


def _show_next(project: Project) -> None:
    """Where stored texts are looked at."""
    with st.container(horizontal=True):
        st.button(_("Look at the instances"), icon=":material/list:", key="import_instances", on_click=_open_instances)
        st.link_button(
            _("Open Saliency"),
            f"/saliency?{urlencode({'project': project.id})}",
            icon=":material/open_in_new:",
            key="import_saliency",
        )


def _open_instances() -> None:
    forget_stored()
    st.session_state["project_section"] = "Instances"
