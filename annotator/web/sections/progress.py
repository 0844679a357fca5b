"""How far the project is: instances by state, people, and the instances themselves, paged."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.projects import Progress, instances_of, progress_of
from annotator.web.frame import as_text
from annotator.web.session import Visit

_PAGE = 25
_STATES = {"all": None, "open": "open", "complete": "complete", "with the lead": "held", "discarded": "discarded"}


def show(store: Store, visit: Visit, project: Project) -> None:
    """Counts that are kept, never counted over the project; one page of the list."""
    progress = progress_of(store, visit.user, project.id)
    if not progress.n_instances:
        st.info("This project holds no texts yet. Go to **Import** to read a file.", icon=":material/upload_file:")
        return
    _show_counts(progress)
    _show_people(progress)
    _show_list(store, visit, project, progress)


def _show_counts(progress: Progress) -> None:
    counts, n = progress.instances, progress.n_instances
    columns = st.columns(5)
    for column, (title, value) in zip(
        columns,
        {
            "Instances": n,
            "Complete": counts.get("complete", 0),
            "Waiting": counts.get("queued", 0),
            "With the lead": counts.get("held", 0),
            "Discarded": counts.get("discarded", 0),
        }.items(),
        strict=True,
    ):
        column.metric(title, f"{value:,}")
    share = counts.get("complete", 0) / n
    st.progress(share, text=f"{share:.0%} complete")


def _show_people(progress: Progress) -> None:
    st.subheader("People")
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


def _show_list(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    st.subheader("Instances")
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    shown = left.segmented_control("Show", list(_STATES), default="all", key="project_list_state")
    state = _STATES[shown or "all"]
    total = progress.n_instances if state is None else progress.instances.get(state, 0)
    pages = max(1, -(-total // _PAGE))
    page = right.number_input(f"Page of {pages:,}", 1, pages, key=f"project_list_page_{state}")
    rows = instances_of(store, visit.user, project.id, state=state, limit=_PAGE, offset=_PAGE * (int(page) - 1))
    if not rows:
        st.caption("None.")
        return
    st.dataframe(
        [
            {
                "key": row.key,
                "split": row.split or "–",
                "language": row.language,
                "state": row.state,
                "result": "–" if row.result is None else row.result or "(no answer)",
                "tokens": row.n_tokens,
                "annotations": row.n_annotations,
                "text": row.excerpt,
            }
            for row in rows
        ],
        hide_index=True,
        key=f"project_list_{state}_{page}",
        column_config={"text": st.column_config.TextColumn(width="large")},
    )
    _show_one(store, visit, project)


def _show_one(store: Store, visit: Visit, project: Project) -> None:
    from annotator.web.sections import looking  # noqa: PLC0415  (the panel is registered only where it is shown)

    key = st.text_input("Look at an instance: its key", key="project_look_key", placeholder="sentiment-en-01")
    if key:
        looking.show(store, visit, project, key.strip())
    else:
        st.caption(as_text("Type a key of the list to see its text with everybody's rationale sets."))
