"""Create a project from a task template."""

import streamlit as st

from annotator.domain.tasks import TASKS, get_task
from annotator.errors import InvalidValue
from annotator.usecases.databases import Store
from annotator.usecases.projects import create_project
from annotator.web.frame import as_text
from annotator.web.session import Visit, current_visit, page_store


@st.dialog("A new project")
def dialog() -> None:
    """The same form over the page. It runs again by itself, so it opens the database by itself."""
    with page_store() as store:
        show(store, current_visit(store))


def show(store: Store, visit: Visit) -> None:
    """Name, task, labels, language; everything else has a default and can be changed under Rules."""
    with st.form("create", border=False):
        name = st.text_input("Name", key="create_name")
        task = st.selectbox("Task", list(TASKS), format_func=_described, key="create_task")
        labels = st.text_input(
            "Labels, comma separated (none: those of the first import; reading has answers instead)",
            key="create_labels",
        )
        language = st.text_input("Language of texts that do not say theirs", "en", key="create_language")
        if not st.form_submit_button("Create", type="primary"):
            return
    chosen = [label.strip() for label in labels.split(",") if label.strip()]
    try:
        project = create_project(
            store, visit.user, name, get_task(task), labels=chosen, language=language.strip() or "en"
        )
    except InvalidValue as error:
        st.error(as_text(str(error)))
        return
    st.query_params["project"] = str(project.id)
    st.rerun()


def _described(name: str) -> str:
    return f"{name}: {', '.join(spec.name for spec in TASKS[name].segments)}"
