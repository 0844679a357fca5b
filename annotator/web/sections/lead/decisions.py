"""What waits for the lead: questions, proposals to discard, and contested labels."""

import streamlit as st

from annotator.domain.instances import Instance
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.lead.adjudication import Decision, Proposal, decide, open_proposals
from annotator.web.frame import as_text
from annotator.web.page_parts import open_instance
from annotator.web.presses import pressed
from annotator.web.sections.lead import talk
from annotator.web.session import Visit

_SHOWN = 20
_SHOWN_CHARACTERS = 600  # of each segment; the whole text is one click away


def show(store: Store, visit: Visit, project: Project) -> None:
    """The oldest first; one decision each."""
    n_questions = talk.show_questions(store, visit, project)
    waiting = open_proposals(store, visit.user, project.id, limit=_SHOWN)
    if not waiting and not n_questions:
        st.info(_("There is nothing to decide."), icon=":material/task_alt:")
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
            _("**Change the label of this text?** It is “{was}”; {who} says “{would}”.", was=was, who=who, would=would)
        )
    if proposal.comment:
        st.markdown(f"“{as_text(proposal.comment)}”")
    for segment in instance.as_shown:
        st.text(first_words(segment.body.text, _SHOWN_CHARACTERS))
    st.caption(f":small[{as_text(instance.key)}]")
    *columns, look = st.columns(4)
    look.button(
        _("Look at it"), key=f"decide_look_{proposal.id}", on_click=open_instance, args=(instance.id,), width="stretch"
    )
    for column, (decision, title) in zip(columns, _choices(proposal).items(), strict=False):
        if pressed(title, container=column, key=f"decide_{proposal.id}_{decision}", width="stretch"):
            decide(store, visit.user, proposal.id, decision)
            st.rerun()


def _choices(proposal: Proposal) -> dict[Decision, str]:
    if proposal.kind == "discard":
        return {"discard": _("Discard it"), "keep": _("Keep and return it")}
    return {"keep": _("Keep the label"), "relabel": _("Take the new label"), "discard": _("Discard the text")}
