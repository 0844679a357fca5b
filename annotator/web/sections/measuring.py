"""Bringing the numbers of models up to date: what lists are sorted by."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.measuring import is_out_of_date, measure
from annotator.web.session import Visit


def measure_if_wanted(store: Store, visit: Visit, project: Project) -> str:
    """Offer to measure where something happened since; answers a word that changes when it was done."""
    if is_out_of_date(store, project):
        words, button = st.columns([5, 1], vertical_alignment="center")
        words.info(
            "Gold or what models say has changed since their numbers were made. Texts can be looked at all the same; "
            "lists are sorted by the numbers as they were.",
            icon=":material/update:",
        )
        if button.button("Measure", type="primary", width="stretch", help="Make every model's numbers anew"):
            bar = st.progress(0.0, "Measuring ...")

            def show(done: int, of: int) -> None:
                bar.progress(done / of, f"Run {done} of {of}")

            measure(store, visit.user, project, progress=show)
            st.session_state["measured"] = st.session_state.get("measured", 0) + 1
            st.rerun()
    return str(st.session_state.get("measured", 0))
