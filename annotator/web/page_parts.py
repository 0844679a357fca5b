"""What several pages share."""

import re

import streamlit as st

from annotator.domain.people import Right, has_right
from annotator.domain.projects import Project
from annotator.web.session import Visit


def require_project(visit: Visit, right: Right) -> Project | None:
    """The chosen project when the person has a right there; else says what to do. The use cases check again."""
    if visit.project is None:
        st.info("You have no role in a project yet. Ask a lead or an administrator for one.", icon=":material/group:")
        return None
    if not has_right(visit.user, visit.roles, right):
        st.info(
            f"You cannot {right} in this project. Choose another one in the sidebar, or ask its lead for the role.",
            icon=":material/lock:",
        )
        return None
    return visit.project


def asked_instance() -> int | None:
    """The instance of a deep link (?instance=…)."""
    asked = st.query_params.get("instance", "")
    return int(asked) if re.fullmatch(r"[0-9]{1,18}", asked) else None


@st.dialog("Guidelines", width="large")
def guidelines_dialog(project: Project) -> None:
    """The project's guidelines, as its lead wrote them in Markdown (no HTML)."""
    st.markdown(project.guidelines or "_This project has no guidelines yet. Ask its lead for them._")
