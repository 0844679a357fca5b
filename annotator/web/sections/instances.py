"""The project's instances, paged; one of them to look at."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.usecases.databases import Store
from annotator.usecases.project.projects import InstanceRow, instances_of, progress_of
from annotator.web.page_parts import asked_instance
from annotator.web.sections import comparison, splits
from annotator.web.sections.evidence import page as evidence
from annotator.web.session import Visit

_PAGE = 25
_HEIGHT = 320  # pixels: the selected instance stays in sight below the list
_STATES = {"all": None, "open": "open", "complete": "complete", "with the lead": "held", "discarded": "discarded"}


def show(store: Store, visit: Visit, project: Project) -> None:
    """One page of the list, and an instance with everybody's rationale sets: the one chosen here, else the address's."""
    of_the_address = st.container()
    rows = _show_controls(store, visit, project)
    chosen = _show_list(rows, project) if rows else None
    if not rows:
        st.info("There are no texts in this state. Choose another one above.", icon=":material/search_off:")
    splits.show(store, visit, project)
    key = st.text_input("To look at a text, select its row or type its key", key="project_look_key").strip()
    if chosen or key:
        comparison.show(store, visit, project, chosen or key)
    elif instance_id := asked_instance():
        with of_the_address:
            comparison.show(store, visit, project, instance_id)
    st.divider()
    evidence.show(store, visit, project)


def _show_controls(store: Store, visit: Visit, project: Project) -> list[InstanceRow]:
    """Which state, which page; answers its rows."""
    progress = progress_of(store, visit.user, project.id)
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    chosen = left.segmented_control("Show", list(_STATES), default="all", required=True, key="project_list_state")
    state = _STATES[chosen]
    total = progress.n_instances if state is None else progress.instances.get(state, 0)
    pages = max(1, -(-total // _PAGE))
    page = int(right.number_input(f"Page of {pages:,}", 1, pages, key=f"project_list_page_{state}"))
    return instances_of(store, visit.user, project.id, state=state, limit=_PAGE, offset=_PAGE * (page - 1))


def _show_list(rows: list[InstanceRow], project: Project) -> int | None:
    """The rows; answers the id of the one that is selected."""
    selection = st.dataframe(
        [_line(row) for row in rows],
        hide_index=True,
        height=_HEIGHT,
        key=f"project_list_{project.id}_{rows[0].id}_{rows[-1].id}_{len(rows)}",
        column_config={
            "text": st.column_config.TextColumn(width="large"),
            "key": st.column_config.TextColumn(width="small"),
        },
        on_select="rerun",
        selection_mode="single-row",
    )
    selected = selection["selection"]["rows"]
    return rows[selected[0]].id if selected else None


def _line(row: InstanceRow) -> dict[str, object]:
    return {
        "text": first_words(row.excerpt),
        "split": row.split or "–",
        "language": row.language,
        "state": row.state,
        "result": "–" if row.result is None else row.result or "(no answer)",
        "tokens": row.n_tokens,
        "annotations": row.n_annotations,
        "key": row.key,
    }
