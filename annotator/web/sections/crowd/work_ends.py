"""Ending the work of one worker, while the door stays open to all others."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, several
from annotator.usecases.crowd.doors import stop_worker, workers_at_work
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.presses import submitted
from annotator.web.sections.people.roles import NOBODY_CHOSEN
from annotator.web.session import Visit

_WORKER = "crowd_stop_worker"
_DONE = "crowd_stop_done"


def show(store: Store, visit: Visit, project: Project) -> None:
    """Nobody is chosen beforehand; nothing stands here while nobody is at work."""
    if done := st.session_state.pop(_DONE, ""):
        st.success(as_text(done), icon=":material/check:")
    done_by_name = {worker.name: worker.done for worker in workers_at_work(store, visit.user, project.id)}
    if not done_by_name:
        return
    with st.form("crowd_stop", border=True):
        st.markdown(_("**End the work of one worker**"))
        field, button = st.columns([4, 1], vertical_alignment="bottom")
        field.selectbox(
            _("Worker"), list(done_by_name), index=None, key=_WORKER, placeholder=_("Choose somebody"),
            format_func=lambda name: several("{name} ({n} text)", "{name} ({n} texts)", done_by_name[name], name=name),
        )  # fmt: skip
        held = submitted(_("End it"), container=button, key="crowd_stop_go", fields=(_WORKER,))
        st.caption(
            _(
                "What they handed in stays, what they hold goes to others, and their next page says that their work was ended. "
                "Their code stands for what they did. They cannot begin again with the same id."
            )
        )
    if held is None:
        return
    if held[_WORKER] is None:
        st.warning(_(NOBODY_CHOSEN))
        return
    try:
        stopped = stop_worker(store, visit.user, project.id, held[_WORKER])
    except AnnotatorError as error:  # they ended a moment ago
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.session_state[_DONE] = _("The work of {name} is ended.", name=stopped.name)
    st.rerun()
