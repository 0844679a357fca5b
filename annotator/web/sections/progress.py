"""How far the project is: instances by state, and what each person has done."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.open_rounds import stuck_work
from annotator.usecases.projects import Progress, progress_of
from annotator.web.page_parts import show_missing_people, show_stuck
from annotator.web.session import Visit


def show(store: Store, visit: Visit, project: Project) -> None:
    """Counts that are kept, never counted over the project; one page of the list."""
    progress = progress_of(store, visit.user, project.id)
    if not progress.n_instances:
        st.info("This project holds no texts yet. Go to **Import** to read a file.", icon=":material/upload_file:")
        return
    show_missing_people(store, visit, project)
    show_stuck(stuck_work(store, visit.user, project))
    _show_counts(progress)
    _show_people(progress)


def _show_counts(progress: Progress) -> None:
    counts, n = progress.instances, progress.n_instances
    columns = st.columns(6)
    for column, (title, value) in zip(
        columns,
        {
            "Instances": n,
            "Complete": counts.get("complete", 0),
            "Waiting": counts.get("queued", 0),
            "In work": counts.get("open", 0) - counts.get("queued", 0),
            "With the lead": counts.get("held", 0),
            "Discarded": counts.get("discarded", 0),
        }.items(),
        strict=True,
    ):
        column.metric(title, f"{value:,}")
    discarded = counts.get("discarded", 0)
    parts = f"{counts.get('complete', 0):,} complete" + (f" and {discarded:,} discarded" if discarded else "")
    percent = 100 * progress.n_done // n  # never 100 before the last one
    st.progress(percent, text=f"{percent} % done: {parts} of {n:,}")


def _show_people(progress: Progress) -> None:
    st.subheader("People", anchor=False)
    if not progress.people:
        st.caption("Nobody has begun yet.")
        return
    columns = {
        "leased": "open",
        "returned": "returned",
        "submitted": "submitted",
        "skipped": "skipped",
        "proposed": "proposed to discard",
    }
    rows = [
        {"person": name, **{title: counts.get(state, 0) for state, title in columns.items()}}
        for name, counts in progress.people.items()
    ]
    st.dataframe(rows, hide_index=True, key="project_people_progress")
