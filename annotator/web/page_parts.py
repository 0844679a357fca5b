"""What several pages share."""

import re
from dataclasses import replace

import streamlit as st

from annotator.domain.people import Right, has_right
from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.projects import change_project, missing_reviewers, progress_of
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
    asked = st.query_params.get(name, "")
    return int(asked) if re.fullmatch(r"[0-9]{1,18}", asked) else None


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


def show_missing_labels(store: Store, visit: Visit, project: Project, *, is_before_texts: bool = True) -> None:
    """Say so when the texts want a label and the project has none, with the way to mend it.

    is_before_texts: also while there are no texts, of which the first may bring the labels
    """
    n = progress_of(store, visit.user, project.id).n_instances if project.lacks_labels else 0
    if not project.lacks_labels or not (n or is_before_texts):
        return
    if n:
        have = "This text has" if n == 1 else f"These {n:,} texts have"
        st.warning(
            f"{have} no label and the project has none, so nothing is given out: add labels first.",
            icon=":material/label_off:",
        )
    else:
        st.info(
            "This project has no labels yet. It takes over those of the first file that brings some; or write them here.",
            icon=":material/label:",
        )
    with st.form(f"labels_{project.id}", border=False):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        text = field.text_input(
            "Labels, comma separated", key=f"labels_text_{project.id}", placeholder="negative, positive"
        )
        if not button.form_submit_button("Add labels", type="primary" if n else "secondary", width="stretch"):
            return
    labels = labels_in(text)
    if not labels:
        st.error("Write at least one label.", icon=":material/error:")
        return
    change_project(store, visit.user, replace(project, labels=labels))
    st.rerun()


def labels_in(text: str) -> tuple[str, ...]:
    """The labels that somebody wrote, with commas between them."""
    return tuple(label.strip() for label in text.split(",") if label.strip())


@st.dialog("Guidelines", width="large")
def guidelines_dialog(project: Project) -> None:
    """The project's guidelines, as its lead wrote them in Markdown (no HTML)."""
    st.markdown(project.guidelines or "_This project has no guidelines yet. Ask its lead for them._")
