"""How far the project is: what there is at once, and one of several views of the work below it."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.decisions import stuck_work
from annotator.usecases.project.projects import Progress, progress_of, texts_under_review
from annotator.web.project_warnings import show_missing_labels, show_missing_people, show_stuck, show_texts_of_the_gone
from annotator.web.sections.guidelines import show_readers
from annotator.web.sections.progress import cost, looks, people
from annotator.web.sections.progress.people import show_forecast
from annotator.web.session import Visit

_VIEWS = {
    unsaid("Days and people"): people.show,
    unsaid("Time"): people.show_times,
    unsaid("Hours and cost"): cost.show,
    unsaid("Flagged work"): looks.show,
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """Counts that are kept, never counted over the project; what is counted over it is kept until something happens."""
    progress = progress_of(store, visit.user, project.id)
    show_missing_labels(store, visit, project)
    if not progress.n_instances:
        st.info(_("No texts yet. Import some."), icon=":material/upload_file:")
        return
    show_missing_people(store, visit, project)
    stuck = stuck_work(store, visit.user, project)
    show_stuck(stuck)
    show_texts_of_the_gone(store, visit, project, stuck.for_the_gone)
    _show_counts(progress, texts_under_review(store, visit.user, project.id))
    show_readers(store, visit, project)
    show_forecast(store, visit, project, progress)
    view = st.segmented_control(
        _("View"), list(_VIEWS), default="Days and people", required=True, key=f"progress_view_{project.id}",
        label_visibility="collapsed", format_func=_
    )  # fmt: skip
    _VIEWS[view](store, visit, project, progress)


def _show_counts(progress: Progress, n_under_review: int) -> None:
    """Each text under one of the heads; what may be nought for the whole of a project is shown when there is some."""
    counts = progress.instances
    n_open, n_queued = counts.get("open", 0), counts.get("queued", 0)
    shown = {
        _("Texts"): progress.n_instances,
        _("To annotate"): n_queued,
        _("In progress"): n_open - n_queued - n_under_review,
        _("Waiting for review"): n_under_review,
        _("Complete"): counts.get("complete", 0),
        _("With the lead"): counts.get("held", 0),
        _("Discarded"): counts.get("discarded", 0),
    }
    for rare in (_("With the lead"), _("Discarded")):
        if not shown[rare]:
            del shown[rare]
    ahead = several("Includes {n} text assigned ahead.", "Includes {n} texts assigned ahead.", progress.n_unseen)
    helps = {_("In progress"): ahead if progress.n_unseen else None}
    for column, (title, value) in zip(st.columns(len(shown)), shown.items(), strict=True):
        column.metric(title, f"{value:,}", help=helps.get(title))
    _show_bar(progress)


def _show_bar(progress: Progress) -> None:
    n, n_done = progress.n_instances, progress.n_done
    percent = 100 * n_done // n  # never 100 before the last one
    share = _("less than 1") if n_done and not percent else f"{percent}"
    done = _("{share} % done.", share=share)
    n_waiting = progress.n_open_rounds  # also of texts that still need others, and are among those to annotate
    waiting = several("{n} annotation to review", "{n} annotations to review", n_waiting)
    st.progress(percent, text=together(done, waiting if n_waiting else ""))
