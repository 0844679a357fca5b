"""Giving and taking roles."""

from collections.abc import Sequence

import streamlit as st

from annotator.domain.people import PROJECT_ROLES, Role, role_name
from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.access.invitations import Member
from annotator.usecases.databases import Store
from annotator.usecases.project.projects import give_role, people_to_choose, take_role
from annotator.web.frame import as_text
from annotator.web.presses import submitted
from annotator.web.sections.people.questions import NOBODY_CHOSEN, ask_for_person, show_answers
from annotator.web.session import Visit


def show(store: Store, visit: Visit, project: Project, members: Sequence[Member]) -> None:
    """Give a role to somebody who has an account, or take one away."""
    give, take = st.columns(2, gap="large")
    with give, st.form("people_give", border=True):
        st.markdown(_("**Give a role**"))
        name = st.selectbox(_("Person"), people_to_choose(store, visit.user, project.id), key="people_give_name")
        role = st.selectbox(_("Role"), PROJECT_ROLES, format_func=role_name, key="people_give_role")
        if submitted(_("Give the role"), type="primary", key="people_give_go") is not None and name:
            give_role(store, visit.user, project.id, name, role)
            st.rerun()
    with take, st.form("people_take", border=True):
        st.markdown(_("**Take a role away**"))
        held = {
            f"{member.user.name} · {role_name(role)}": (member.user.name, role)
            for member in members
            for role in member.roles
        }
        chosen = ask_for_person(_("Person and role"), list(held), key="people_take_role")
        is_asked = submitted(_("Take it away"), key="people_take_ask") is not None
    if is_asked and chosen:
        st.dialog(_("Take a role away?"))(_ask_to_take)(project, *held[chosen])
    elif is_asked:
        take.warning(_(NOBODY_CHOSEN))


def _ask_to_take(project: Project, name: str, role: Role) -> None:
    st.markdown(
        _(
            "{name} will no longer have the role {role} in “{project}”. What they submitted and scored stays; a text that "
            "they hold goes to somebody else, unless another role lets them keep it. You can give the role again at any time.",
            name=as_text(name),
            role=role_name(role),
            project=as_text(project.name),
        )
    )
    show_answers(
        _("Take it away"), _("Keep it"), key="people_take",
        act=lambda store, visit: take_role(store, visit.user, project.id, name, role),
    )  # fmt: skip
