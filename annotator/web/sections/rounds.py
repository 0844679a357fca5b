"""The rounds that wait for scores, oldest first; the lead may decide one that is stuck."""

from typing import get_args

import streamlit as st

from annotator.domain.projects import Project
from annotator.domain.reviews import Outcome
from annotator.errors import AnnotatorError
from annotator.usecases.databases import Store
from annotator.usecases.gating import decide_round
from annotator.usecases.open_rounds import PAGE_SIZE, OpenRound, open_rounds
from annotator.usecases.projects import progress_of
from annotator.web.frame import as_text
from annotator.web.page_parts import open_instance, show_missing_reviewers
from annotator.web.session import Visit

_WORDS: dict[Outcome, str] = {
    "accepted": "Accept it",
    "returned": "Send it back to its annotator",
    "discarded": "Discard the annotation",
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """One page of them."""
    show_missing_reviewers(store, visit, project)
    total = progress_of(store, visit.user, project.id).n_open_rounds
    if not total:
        st.info("No annotation waits for scores.", icon=":material/task_alt:")
        return
    pages = -(-total // PAGE_SIZE)
    words, number = st.columns([4, 1], vertical_alignment="bottom")
    words.caption(f"{total:,} annotation{'s wait' if total > 1 else ' waits'} for scores, the oldest first.")
    page = int(number.number_input(f"Page of {pages:,}", 1, pages, key=f"rounds_page_{pages}")) if pages > 1 else 1
    waiting = open_rounds(store, visit.user, project, page)
    for one in waiting:
        with st.container(border=True):
            _show_one(store, visit, one)


def _show_one(store: Store, visit: Visit, one: OpenRound) -> None:
    number = one.round.annotation_id
    words, look, decide = st.columns([4, 1, 1], vertical_alignment="center")
    words.markdown(f"**{as_text(one.instance.key)}** · {as_text(one.annotator)} · round {one.round.number}")
    words.caption(as_text(one.summary))
    look.button(
        "Look at it", key=f"round_look_{number}", on_click=open_instance, args=(one.instance.id,), width="stretch"
    )
    with decide.popover("Decide", width="stretch"):
        _ask_decision(store, visit, number)
    for line in one.scored:
        st.caption(as_text(line))


def _ask_decision(store: Store, visit: Visit, annotation_id: int) -> None:
    outcome = st.radio(
        "The scores that are there stay", get_args(Outcome), format_func=_WORDS.__getitem__,
        key=f"round_outcome_{annotation_id}",
    )  # fmt: skip
    reason = st.text_input("Reason, for the annotator and the reviewers", key=f"round_reason_{annotation_id}")
    if st.button("Decide the round", type="primary", key=f"round_decide_{annotation_id}"):
        try:
            decide_round(store, visit.user, annotation_id, outcome, reason)
        except AnnotatorError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return
        st.rerun()
