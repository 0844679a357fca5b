"""Bringing the numbers of models up to date: what lists are sorted by."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.measuring import is_out_of_date
from annotator.usecases.queueing import ask_to_measure
from annotator.web.session import Visit


def offer_to_measure(store: Store, visit: Visit, project: Project) -> None:
    """Offer to measure where something happened since."""
    if not is_out_of_date(store, project):
        return
    words, button = st.columns([5, 1], vertical_alignment="center")
    words.info(
        "Gold or what models say has changed since their numbers were made. Texts can be looked at all the same; "
        "lists are sorted by the numbers as they were.",
        icon=":material/update:",
    )
    if button.button("Measure", type="primary", width="stretch", help="Make every model's numbers anew"):
        ask_to_measure(store, visit.user, project)
        st.rerun()
