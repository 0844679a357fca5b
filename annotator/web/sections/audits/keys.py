"""The keys with which audited versions are judged: as on Review, digits, c and Ctrl+Enter (docs/perturb.md)."""

from functools import partial

import streamlit as st

from annotator.web.panel_component import panel_component
from annotator.web.presses import press

_KEYS = panel_component("audit_keys", "perturb/audit_keys.js", "perturb/perturb.css")


def hear_keys(version: str, n_faults: int) -> None:
    """Says the keys and hears them; the fields whose names begin with `version` are what they press."""
    data = {"version": version, "faults": n_faults}
    _KEYS(data=data, key="audit_keys", on_submit_change=partial(_press_verdict, version))


def _press_verdict(version: str) -> None:
    """Wrong is a version of which a fault is chosen: as which of the two buttons can be pressed then."""
    press(f"{version}_wrong" if st.session_state.get(f"{version}_faults") else f"{version}_right")
