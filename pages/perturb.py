"""Perturb: changed versions of texts, written and checked, and those of audits judged."""

import streamlit as st

from annotator.language import _, unsaid
from annotator.usecases.perturb.audits import count_to_audit
from annotator.web import components
from annotator.web.page_parts import require_project
from annotator.web.sections.audits import verdicts
from annotator.web.session import current_visit, page_store

_WRITE, _AUDIT = unsaid("Write and check"), unsaid("Audit")

with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "annotate", "review")
    if project is not None:
        asks_for_audit = "audit" in st.query_params
        chosen: str | None = _WRITE
        if asks_for_audit or st.session_state.get("perturb_part") or count_to_audit(store, visit.user, project.id):
            st.session_state.setdefault("perturb_part", _AUDIT if asks_for_audit else _WRITE)
            chosen = st.segmented_control(
                _("Part"), [_WRITE, _AUDIT], required=True, key="perturb_part", label_visibility="collapsed",
                format_func=_
            )  # fmt: skip
        if chosen == _AUDIT:
            verdicts.show(store, visit, project)
        else:
            components.perturb(project.id, visit.user.id, visit.csrf, key=f"perturb_panel_{project.id}")
