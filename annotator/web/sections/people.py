"""Who takes part in the project, and as what."""

import streamlit as st

from annotator.domain.people import PROJECT_ROLES, Role
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.usecases.databases import Store
from annotator.usecases.project.projects import give_role, members_of, people_to_choose, take_role
from annotator.web.frame import as_text
from annotator.web.presses import pressed, submitted
from annotator.web.project_warnings import show_missing_labels, show_missing_people
from annotator.web.session import Visit, current_visit, page_store


def show(store: Store, visit: Visit, project: Project) -> None:
    """Members with their roles; give or take one."""
    show_missing_labels(store, visit, project)
    show_missing_people(store, visit, project)
    members = members_of(store, visit.user, project.id)
    if members:
        rows = [{"person": user.name, "role": role, "may sign in": not user.is_disabled} for user, role in members]
        st.dataframe(rows, hide_index=True, key="people_members")
    else:
        st.info("Nobody has a role here yet. Give somebody one below.", icon=":material/group_add:")
    give, take = st.columns(2, gap="large")
    with give, st.form("people_give", border=True):
        st.markdown("**Give a role**")
        name = st.selectbox("Person", people_to_choose(store, visit.user, project.id), key="people_give_name")
        role = st.selectbox("Role", PROJECT_ROLES, key="people_give_role")
        if submitted("Give the role", type="primary", key="people_give_go") is not None and name:
            give_role(store, visit.user, project.id, name, role)
            st.rerun()
    with take, st.form("people_take", border=True):
        st.markdown("**Take a role away**")
        held = {f"{user.name} · {role}": (user.name, role) for user, role in members}
        chosen = st.selectbox("Person and role", list(held), key="people_take_role")
        is_asked = submitted("Take it away", key="people_take_ask") is not None
    if is_asked and chosen:
        _ask_to_take(project, *held[chosen])
    st.caption(
        "To add somebody who has no account yet, ask an administrator. The command `annotator user add NAME --role ROLE` makes "
        "an account and prints a one-time sign-in link."
    )


@st.dialog("Take a role away?")
def _ask_to_take(project: Project, name: str, role: Role) -> None:
    """It runs again by itself, when the page's own connection is closed: so it opens one."""
    st.markdown(
        f"{as_text(name)} will no longer have the role {role} in “{as_text(project.name)}”. What they submitted and scored "
        "stays; a text that they hold goes to somebody else, unless another role lets them keep it. You can give the role again "
        "at any time."
    )
    take, keep = st.columns(2)
    if pressed("Keep it", width="stretch", container=keep, key="people_take_not"):
        st.rerun()
    if pressed("Take it away", type="primary", width="stretch", container=take, key="people_take_go"):
        with page_store() as store:
            try:
                take_role(store, current_visit(store).user, project.id, name, role)
            except AnnotatorError as error:
                st.error(as_text(str(error)), icon=":material/error:")
                return
        st.rerun()
