"""Everything that happened to one instance, as a timeline to read and to take along."""

import streamlit as st

from annotator.domain.instances import Instance
from annotator.domain.numbers import UNDEFINED
from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.lead.timeline import timeline, timeline_as_csv
from annotator.web.frame import as_text
from annotator.web.session import Visit
from annotator.web.visit_times import shown_time


def show(store: Store, visit: Visit, project: Project, instance: Instance) -> None:
    """Oldest first."""
    moments = timeline(store, visit.user, project, instance.id)
    if not moments:
        st.info(_("Nothing has happened to this text yet."), icon=":material/history:")
        return
    for moment in moments:
        when, what = st.columns([1, 4], gap="small")
        when.caption(shown_time(moment.at, with_seconds=True) if moment.at else UNDEFINED)
        what.markdown(f"**{as_text(moment.who)}** {as_text(moment.what)}")
        if moment.lines:
            what.caption("  \n".join(as_text(line) for line in moment.lines))
    st.download_button(
        _("Download the timeline as CSV"), timeline_as_csv(moments), f"{instance.key}-timeline.csv", "text/csv",
        key=f"history_{instance.id}", icon=":material/download:",
    )  # fmt: skip
