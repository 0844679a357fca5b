"""Bringing the numbers of models up to date: those that texts are ordered by."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _, unsaid
from annotator.usecases.background import ask_to_measure
from annotator.usecases.databases import Store
from annotator.usecases.inspect.measurement import is_measured, is_out_of_date
from annotator.web.presses import pressed
from annotator.web.session import Visit

_NEVER = unsaid(
    "The numbers of the models have not been measured yet. You can look at texts all the same; until you measure, they cannot be "
    "ordered by these numbers, and k is 20 % of the tokens."
)
_CHANGED = unsaid(
    "Gold, predictions or attributions have changed since the numbers of the models were measured. You can look at texts all the "
    "same; until you measure again, they are ordered by the old numbers."
)


def offer_to_measure(store: Store, visit: Visit, project: Project) -> None:
    """Offer to measure where nothing was measured yet, or something happened since."""
    if not is_out_of_date(store, project):
        return
    words, button = st.columns([5, 1], vertical_alignment="center")
    words.info(_(_CHANGED if is_measured(store, project) else _NEVER), icon=":material/update:")
    if pressed(
        _("Measure"), container=button, type="primary", width="stretch", key=f"measure_go_{project.id}",
        help=_("Measure the numbers of every model"),
    ):  # fmt: skip
        ask_to_measure(store, visit.user, project)
        st.rerun()
