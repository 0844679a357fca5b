"""Looking up a code that a worker gave on the platform, and noting that it is paid."""

import streamlit as st

from annotator.domain.project.recruitment import STATE_WORDS
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, several
from annotator.usecases.crowd.doors import Payment, find_code, mark_paid
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.page_parts import shown_time
from annotator.web.presses import pressed, submitted
from annotator.web.session import Visit

_CODE = "crowd_code"
_SHOWN = "crowd_code_shown"


def show(store: Store, visit: Visit, project: Project) -> None:
    """Is it ours, is it used up, how many texts, how long."""
    with st.form("crowd_codes", border=True):
        st.markdown(_("**Look up a code**"))
        field, button = st.columns([4, 1], vertical_alignment="bottom")
        field.text_input(_("Code"), key=_CODE, placeholder="ABCD-EFGH-…")
        held = submitted(_("Look it up"), container=button, key="crowd_code_go", fields=(_CODE,))
    if held is not None:
        st.session_state[_SHOWN] = (project.id, held[_CODE])
    project_id, code = st.session_state.get(_SHOWN, (None, ""))
    if project_id != project.id:
        return
    try:
        _show_payment(store, visit, project, find_code(store, visit.user, project.id, code))
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")


def _show_payment(store: Store, visit: Visit, project: Project, payment: Payment) -> None:
    worker = payment.worker
    minutes = f"{payment.active_ms / 60_000:.1f}"
    st.markdown(
        several(
            "This code is of {name}, who came in by “{door_name}”: {state}, {n} text, {minutes} minutes of work, begun "
            "{time}.",
            "This code is of {name}, who came in by “{door_name}”: {state}, {n} texts, {minutes} minutes of work, begun "
            "{time}.",
            worker.done,
            name=as_text(worker.name),
            door_name=as_text(payment.door_name),
            state=_(STATE_WORDS[worker.state]),
            minutes=minutes,
            time=as_text(shown_time(worker.began_at)),
        )
    )
    if worker.state == "working":
        st.info(_("The visit is not over yet."), icon=":material/hourglass_top:")
    elif worker.paid_at is None:
        if pressed(_("Mark as paid"), key="crowd_code_paid"):
            mark_paid(store, visit.user, project.id, worker.code)
            st.rerun()
    else:
        st.warning(
            _("Used up: marked as paid on {time}.", time=as_text(shown_time(worker.paid_at))),
            icon=":material/done:",
        )
        if pressed(_("It is not paid"), key="crowd_code_unpaid"):
            mark_paid(store, visit.user, project.id, worker.code, is_paid=False)
            st.rerun()
