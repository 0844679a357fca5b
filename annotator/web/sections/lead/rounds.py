"""The rounds that wait for scores, oldest first; the lead may decide one that is stuck."""

from typing import get_args

import streamlit as st

from annotator.domain.projects import Project
from annotator.domain.reviews import Outcome
from annotator.domain.texts import first_words
from annotator.errors import AnnotatorError
from annotator.language import _, several, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.undecided_rounds import (
    PAGE_SIZE,
    StuckWork,
    UndecidedRound,
    list_undecided_rounds,
    stuck_work,
)
from annotator.usecases.project.projects import progress_of
from annotator.usecases.review.rounds import decide_round
from annotator.web.frame import as_text
from annotator.web.page_parts import open_instance, shown_time
from annotator.web.presses import pressed
from annotator.web.project_warnings import show_missing_people, show_stuck
from annotator.web.session import Visit

_WORDS: dict[Outcome, str] = {
    "accepted": unsaid("Accept it"),
    "returned": unsaid("Return it to its annotator"),
    "discarded": unsaid("Discard the annotation"),
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """One page of them, or of those that nobody may score."""
    show_missing_people(store, visit, project)
    stuck = stuck_work(store, visit.user, project)
    show_stuck(stuck)
    total = progress_of(store, visit.user, project.id).n_open_rounds
    if not total:
        st.info(_("No annotation is waiting for scores."), icon=":material/task_alt:")
        return
    only = _ask_which(stuck) if stuck.annotation_ids else None
    total = total if only is None else len(only)
    pages = -(-total // PAGE_SIZE)
    words, number = st.columns([4, 1], vertical_alignment="bottom")
    words.caption(
        several(
            "{n} annotation is waiting for scores, the oldest first.",
            "{n} annotations are waiting for scores, the oldest first.",
            total,
        )
    )
    page = (
        int(number.number_input(_("Page of {pages}", pages=f"{pages:,}"), 1, pages, key=f"rounds_page_{pages}"))
        if pages > 1
        else 1
    )
    waiting = list_undecided_rounds(store, visit.user, project, page, only=only)
    for undecided in waiting:
        with st.container(border=True):
            _show_one(store, visit, undecided)


def _ask_which(stuck: StuckWork) -> tuple[int, ...] | None:
    """The annotations to list; None for all."""
    words = {
        "all": _("all"),
        "stuck": _("too few reviewers left ({n})", n=f"{len(stuck.annotation_ids):,}"),
    }
    chosen = st.segmented_control(
        _("Which rounds"), list(words), default="all", required=True, format_func=words.__getitem__, key="rounds_which",
        label_visibility="collapsed",
    )  # fmt: skip
    return None if chosen == "all" else stuck.annotation_ids


def _show_one(store: Store, visit: Visit, undecided: UndecidedRound) -> None:
    number = undecided.round.annotation_id
    words, look, decide = st.columns([4, 1, 1], vertical_alignment="center")
    words.markdown(f"**{as_text(first_words(undecided.instance.excerpt) or undecided.instance.key)}**")
    summary = undecided.summary(shown_time(undecided.round.opened_at))
    words.caption(
        as_text(" · ".join((undecided.annotator, _("round {number}", number=undecided.round.number), summary)))
        + f"  \n:small[{as_text(undecided.instance.key)}]"
    )
    look.button(
        _("Look at it"),
        key=f"round_look_{number}",
        on_click=open_instance,
        args=(undecided.instance.id,),
        width="stretch",
    )
    with decide.popover(_("Decide"), width="stretch"):
        _ask_decision(store, visit, number)
    for line in undecided.scored:
        st.caption(as_text(line))
    if undecided.n_scored and not undecided.scored:
        st.caption(_("You cannot see the scores while you are annotating this text, or may still be given it."))


def _ask_decision(store: Store, visit: Visit, annotation_id: int) -> None:
    outcome = st.radio(
        _("What becomes of this round? The scores given so far are kept."), get_args(Outcome),
        format_func=lambda outcome: _(_WORDS[outcome]), key=f"round_outcome_{annotation_id}",
    )  # fmt: skip
    reason = st.text_input(_("Reason, for the annotator and the reviewers"), key=f"round_reason_{annotation_id}")
    if pressed(_("Decide the round"), type="primary", key=f"round_decide_{annotation_id}"):
        try:
            decide_round(store, visit.user, annotation_id, outcome, reason)
        except AnnotatorError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return
        st.rerun()
