"""How far the projects are that somebody leads, each with a link to its Progress: shown where nothing waits, too."""

from collections.abc import Sequence

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _, several, together
from annotator.usecases.databases import Store
from annotator.usecases.lead.progress import LATELY_DAYS, Standing, forecast_words, standing
from annotator.usecases.project.projects import Progress, progress_of
from annotator.web.frame import as_text, link_to
from annotator.web.sections.progress.kept import kept
from annotator.web.session import Visit
from annotator.web.visit_times import visit_zone


def show(store: Store, visit: Visit, projects: Sequence[Project]) -> None:
    """A line a project that has texts."""
    counts = {project.id: progress_of(store, visit.user, project.id) for project in projects}
    begun = [project for project in projects if counts[project.id].n_instances]
    if not begun:
        return
    st.markdown(_("**How far your projects are**"))
    for project in begun:
        _show_line(store, visit, project, counts[project.id])


def _show_line(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    zone_name, zone = visit_zone()
    link, words = st.columns([1, 3], gap="small", vertical_alignment="top")
    with link:
        link_to(
            "project", as_text(project.name), project_id=project.id, icon=":material/trending_up:", section="Progress"
        )
    shown = kept(
        store, visit, project, progress, ("standing", zone_name), Standing,
        lambda: standing(store, visit.user, project, zone),
    )  # fmt: skip
    words.caption(_words(shown))


def _words(shown: Standing) -> str:
    done = several(
        "{done} of {n} text is done.", "{done} of {n} texts are done.", shown.n_instances, done=f"{shown.n_done:,}"
    )
    people = several(
        "{n} person submitted work in the last {days} days.",
        "{n} people submitted work in the last {days} days.",
        shown.n_people,
        days=LATELY_DAYS,
    )
    return together(done, forecast_words(shown.forecast), people)
