"""What waits for the lead: questions, proposals to discard, contested labels, and rounds that wait for scores."""

from functools import partial
from typing import get_args

import streamlit as st

from annotator.domain.instances import Instance
from annotator.domain.projects import Project
from annotator.domain.reviews import Outcome
from annotator.domain.texts import first_words
from annotator.language import _, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.decisions import (
    PAGE_SIZE,
    Decision,
    Proposal,
    StuckWork,
    UndecidedRound,
    decide,
    kept_before,
    list_undecided_rounds,
    open_proposals,
    stuck_work,
)
from annotator.usecases.project.projects import progress_of
from annotator.usecases.review.rounds import decide_round
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, carry_out, confirm_and_rerun, refusals_shown
from annotator.web.page_parts import ask_page, open_instance
from annotator.web.project_warnings import show_missing_people, show_stuck
from annotator.web.sections import comparison
from annotator.web.session import Visit, shown_day

_SHOWN = 20
_SHOWN_CHARACTERS = 600  # of each segment; the whole text is one click away


def show(store: Store, visit: Visit, project: Project) -> None:
    """The oldest first; one decision each."""
    n_questions = comparison.show_questions(store, visit, project)
    waiting = open_proposals(store, visit.user, project.id, limit=_SHOWN)
    if not waiting and not n_questions:
        st.info(_("Nothing to decide."), icon=":material/task_alt:")
        return
    for proposal, instance in waiting:
        with st.container(border=True):
            _show_one(store, visit, proposal, instance)


def _show_one(store: Store, visit: Visit, proposal: Proposal, instance: Instance) -> None:
    who = as_text(proposal.proposed_by)
    if proposal.kind == "discard":
        st.markdown(_("**Discard this text?** {who}: {reason}", who=who, reason=as_text(proposal.reason)))
    else:
        was, would = as_text(instance.result or "–"), as_text(proposal.reason)
        st.markdown(
            _("**Change this text's label?** Now “{was}”; {who} suggests “{would}”.", was=was, who=who, would=would)
        )
    if proposal.comment:
        st.markdown(f"“{as_text(proposal.comment)}”")
    for segment in instance.as_shown:
        st.text(first_words(segment.body.text, _SHOWN_CHARACTERS))
    decided_at = kept_before(store, proposal)
    before = _(" · kept on {day}", day=shown_day(decided_at)) if decided_at else ""
    st.caption(f":small[{as_text(instance.key)}{before}]")
    *columns, look = st.columns(4)
    look.button(
        _("Open"), key=f"decide_look_{proposal.id}", on_click=open_instance, args=(instance.id,), width="stretch"
    )
    for column, (decision, (title, done)) in zip(columns, _choices(proposal).items(), strict=False):
        if pressed(title, container=column, key=f"decide_{proposal.id}_{decision}", width="stretch"):
            carry_out(partial(decide, store, visit.user, proposal.id, decision), done)


def _choices(proposal: Proposal) -> dict[Decision, tuple[str, str]]:
    """What each button says, and what is said once it is done. What a file brought goes back to nobody."""
    discarded, is_of_file = _("Text discarded."), proposal.assignment_id is None
    back = "" if is_of_file else _("It is back with {who}.", who=proposal.proposed_by)
    if proposal.kind == "discard":
        keep = _("Keep text") if is_of_file else _("Keep and return")
        return {"discard": (_("Discard"), discarded), "keep": (keep, together(_("Text kept."), back))}
    return {
        "keep": (_("Keep label") if is_of_file else _("Keep label and return"), together(_("Label kept."), back)),
        "relabel": (_("Use new label"), _("The text's label is now “{label}”.", label=proposal.reason)),
        "discard": (_("Discard text"), discarded),
    }


# The rounds that wait for scores, oldest first; the lead may decide one that is stuck.


_WORDS: dict[Outcome, tuple[str, str]] = {  # to be chosen, and once it is done
    "accepted": (unsaid("Accept annotation"), unsaid("Annotation accepted.")),
    "returned": (unsaid("Return to annotator"), unsaid("Annotation returned.")),
    "discarded": (unsaid("Discard annotation"), unsaid("Annotation discarded.")),
}


_ROUND_WIDTHS = (4.5, 1.6, 0.8, 0.9, 1.4, 1.1, 1.4)  # of the list's columns


def show_rounds(store: Store, visit: Visit, project: Project) -> None:
    """One page of them, or of those that nobody may score."""
    show_missing_people(store, visit, project)
    stuck = stuck_work(store, visit.user, project)
    show_stuck(stuck)
    total = progress_of(store, visit.user, project.id).n_open_rounds
    if not total:
        st.info(_("Nothing to show."), icon=":material/task_alt:")
        return
    only = _ask_which(stuck) if stuck.annotation_ids else None
    total = total if only is None else len(only)
    pages = -(-total // PAGE_SIZE)
    words, number = st.columns([4, 1], vertical_alignment="bottom")
    words.caption(several("{n} annotation to review", "{n} annotations to review", total))
    page = ask_page(pages, key=f"rounds_page_{pages}", parent=number)
    waiting = list_undecided_rounds(store, visit.user, project, page, only=only)
    with st.container(gap="xxsmall"):
        heads = (_("Text"), _("Annotator"), _("Round"), _("Scores"), _("Since"))
        for column, head in zip(st.columns(_ROUND_WIDTHS), heads, strict=False):
            column.caption(head)
        for undecided in waiting:
            _show_round(store, visit, undecided)


def _ask_which(stuck: StuckWork) -> tuple[int, ...] | None:
    """The annotations to list; None for all."""
    words = {"all": _("all"), "stuck": _("too few reviewers left ({n})", n=f"{len(stuck.annotation_ids):,}")}
    chosen = st.segmented_control(
        _("Rounds"), list(words), default="all", required=True, format_func=words.__getitem__, key="rounds_which",
        label_visibility="collapsed"
    )  # fmt: skip
    return None if chosen == "all" else stuck.annotation_ids


def _show_round(store: Store, visit: Visit, undecided: UndecidedRound) -> None:
    number, instance = undecided.round.annotation_id, undecided.instance
    words, *values, look, decide = st.columns(_ROUND_WIDTHS, vertical_alignment="center")
    about = [f":small[:gray[{as_text(line)}]]" for line in (instance.key, undecided.about) if line]
    words.markdown("  \n".join((f"**{as_text(first_words(instance.excerpt) or instance.key)}**", *about)))
    scores = _("{n} of {all}", n=undecided.n_scored, all=undecided.wanted)
    since = shown_day(undecided.round.opened_at)
    for column, value in zip(values, (undecided.annotator, str(undecided.round.number), scores, since), strict=True):
        column.markdown(as_text(value))
    look.button(_("Open"), key=f"round_look_{number}", on_click=open_instance, args=(instance.id,), width="stretch")
    with decide.popover(_("Decide"), width="stretch"):
        for line in undecided.scored:
            st.caption(as_text(line))
        if undecided.n_scored and not undecided.scored:
            st.caption(_("You can't see scores of texts you may still annotate."))
        _ask_decision(store, visit, number)


def _ask_decision(store: Store, visit: Visit, annotation_id: int) -> None:
    outcome = st.radio(
        _("What should happen to this round? Scores are kept."), get_args(Outcome),
        format_func=lambda outcome: _(_WORDS[outcome][0]), key=f"round_outcome_{annotation_id}"
    )  # fmt: skip
    reason = st.text_input(_("Reason (shown to annotator and reviewers)"), key=f"round_reason_{annotation_id}")
    if pressed(_("Decide round"), type="primary", key=f"round_decide_{annotation_id}"):
        with refusals_shown():
            decide_round(store, visit.user, annotation_id, outcome, reason)
            confirm_and_rerun(_(_WORDS[outcome][1]))
