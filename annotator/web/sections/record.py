"""The record: who did what, on which text, and when, in sentences; newest first, paged."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.usecases.databases import Store
from annotator.usecases.event_words import event_actor, event_lines, event_words
from annotator.usecases.projects import events_of
from annotator.web.session import Visit

_PAGE = 50
_HEIGHT = 560  # pixels: the choice of the page stays in sight below


def show(store: Store, visit: Visit, project: Project) -> None:
    """One page of the project's events."""
    place = st.container()
    page = int(st.number_input("Page", 1, key="record_page", width=140))
    events = events_of(store, visit.user, project.id, limit=_PAGE, offset=_PAGE * (page - 1))
    if not events:
        place.caption("There is nothing on this page. Go back to page 1." if page > 1 else "Nothing has happened yet.")
        return
    place.dataframe(
        [
            {
                "when": event.at.replace("T", " ")[:19],
                "who": event_actor(event),
                "what": "; ".join((event_words(event), *event_lines(event))),
                "text": first_words(event.excerpt),
                "key": event.key,
            }
            for event in events
        ],
        hide_index=True,
        height=min(_HEIGHT, 38 + 35 * len(events)),
        key=f"record_events_{page}",
        column_config={
            "when": st.column_config.TextColumn(width=140),
            "who": st.column_config.TextColumn(width=110),
            "what": st.column_config.TextColumn(width=520),
            "text": st.column_config.TextColumn(width="medium"),
            "key": st.column_config.TextColumn(width="small"),
        },
    )
