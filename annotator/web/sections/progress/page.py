"""How far the project is: what there is at once, and one of several views of the work below it."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _, several, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.undecided_rounds import stuck_work
from annotator.usecases.project.projects import Progress, progress_of
from annotator.web.project_warnings import show_missing_labels, show_missing_people, show_stuck, show_texts_of_the_gone
from annotator.web.sections.guidelines import show_readers
from annotator.web.sections.progress import cost, days, looks, people, times
from annotator.web.session import Visit

_VIEWS = {
    unsaid("Days and people"): people.show,
    unsaid("Time"): times.show,
    unsaid("Hours and cost"): cost.show,
    unsaid("Worth a look"): looks.show,
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """Counts that are kept, never counted over the project; what is counted over it is kept until something happens."""
    progress = progress_of(store, visit.user, project.id)
    show_missing_labels(store, visit, project)
    if not progress.n_instances:
        st.info(
            _("There are no texts in this project yet. Go to **Import** to read a file."), icon=":material/upload_file:"
        )
        return
    show_missing_people(store, visit, project)
    stuck = stuck_work(store, visit.user, project)
    show_stuck(stuck)
    show_texts_of_the_gone(store, visit, project, stuck.for_the_gone)
    _show_counts(progress)
    show_readers(store, visit, project)
    days.show_forecast(store, visit, project, progress)
    view = st.segmented_control(
        _("View"), list(_VIEWS), default="Days and people", required=True, key=f"progress_view_{project.id}",
        label_visibility="collapsed", format_func=_,
    )  # fmt: skip
    _VIEWS[view](store, visit, project, progress)


def _show_counts(progress: Progress) -> None:
    counts = progress.instances
    shown = {
        _("Instances"): progress.n_instances,
        _("Complete"): counts.get("complete", 0),
        _("To annotate"): counts.get("queued", 0),
        _("In progress"): counts.get("open", 0) - counts.get("queued", 0),
        _("With the lead"): counts.get("held", 0),
        _("Discarded"): counts.get("discarded", 0),
    }
    for column, (title, value) in zip(st.columns(len(shown)), shown.items(), strict=True):
        column.metric(title, f"{value:,}")
    if progress.n_unseen:
        st.caption(
            several(
                "“To annotate” is what nobody has. Of what is in progress {n} text was given out ahead and is not seen yet, "
                "since each annotator has the next text already. To annotators all that they have counts as still to annotate.",
                "“To annotate” is what nobody has. Of what is in progress {n} texts were given out ahead and are not seen yet, "
                "since each annotator has the next text already. To annotators all that they have counts as still to annotate.",
                progress.n_unseen,
            )
        )
    _show_bar(progress)


def _show_bar(progress: Progress) -> None:
    n, discarded = progress.n_instances, progress.instances.get("discarded", 0)
    percent = 100 * progress.n_done // n  # never 100 before the last one
    share = _("less than 1") if progress.n_done and not percent else f"{percent}"
    values = {"share": share, "complete": f"{progress.instances.get('complete', 0):,}", "n": f"{n:,}"}
    if discarded:
        text = _(
            "{share} % done: {complete} complete and {discarded} discarded of {n}", **values, discarded=f"{discarded:,}"
        )
    else:
        text = _("{share} % done: {complete} complete of {n}", **values)
    st.progress(percent, text=text)
