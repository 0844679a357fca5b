"""The record: who did what, on what, and when; newest first, paged."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.projects import events_of
from annotator.web.session import Visit

_PAGE = 50


def show(store: Store, visit: Visit, project: Project) -> None:
    """One page of the project's events."""
    page = int(st.number_input("Page", 1, key="record_page"))
    events = events_of(store, visit.user, project.id, limit=_PAGE, offset=_PAGE * (page - 1))
    if not events:
        st.caption("Nothing (more) has happened.")
        return
    st.dataframe(
        [
            {
                "when": e.at.replace("T", " ")[:19],
                "who": e.actor,
                "did": e.action,
                "on": e.key or e.subject,
                "detail": ", ".join(f"{name}: {value}" for name, value in e.detail.items()),
            }
            for e in events
        ],
        hide_index=True,
        key=f"record_events_{page}",
        column_config={"detail": st.column_config.TextColumn(width="large")},
    )
