"""What several pages share."""

import streamlit as st

from annotator.domain.numbers import whole_number
from annotator.domain.people import Right, has_right
from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.projects import missing_reviewers
from annotator.web.session import Visit


def require_project(visit: Visit, *rights: Right) -> Project | None:
    """The chosen project when the person has one of the rights there; else says what to do. The use cases check again."""
    if visit.project is None:
        st.info("You have no role in a project yet. Ask a lead or an administrator for one.", icon=":material/group:")
        return None
    if not any(has_right(visit.user, visit.roles, right) for right in rights):
        st.info(
            f"You cannot {' or '.join(rights)} in this project. Choose another one in the sidebar, or ask its lead for the role.",
            icon=":material/lock:",
        )
        return None
    return visit.project


def asked_instance() -> int | None:
    """The instance of a deep link (?instance=…)."""
    return _asked_number("instance")


def asked_annotation() -> int | None:
    """The annotation of a deep link (?annotation=…)."""
    return _asked_number("annotation")


def _asked_number(name: str) -> int | None:
    return whole_number(st.query_params.get(name, ""))


def open_instance(instance_id: int) -> None:
    """What a button does that leads to an instance: on the Project page, the section in which one looks at it."""
    st.session_state["project_section"] = "Instances"
    st.query_params["instance"] = str(instance_id)


def show_missing_reviewers(store: Store, visit: Visit, project: Project) -> None:
    """Say so when rounds cannot be decided for want of people who may review."""
    missing = missing_reviewers(store, visit.user, project)
    if missing:
        wanted = project.settings.reviewers_per_annotation
        st.warning(
            f"Each annotation wants {wanted} reviewers, but {wanted - missing} may review here, so no round will be decided by "
            f"its scores. Give {missing} more the role reviewer under People, or ask for fewer reviewers under Rules.",
            icon=":material/group_add:",
        )


@st.dialog("Guidelines", width="large")
def guidelines_dialog(project: Project) -> None:
    """The project's guidelines, as its lead wrote them in Markdown (no HTML)."""
    st.markdown(project.guidelines or "_This project has no guidelines yet. Ask its lead for them._")
