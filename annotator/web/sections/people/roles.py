"""Giving and taking roles, a new link, shutting somebody out; each asked once more before somebody loses something."""

from collections.abc import Callable, Sequence

import streamlit as st

from annotator.domain.people import PROJECT_ROLES, Role, role_name
from annotator.domain.projects import Project
from annotator.language import _, unsaid
from annotator.usecases.access.accounts import disable_user, list_users
from annotator.usecases.access.invitations import Invitation, Member, renew_link
from annotator.usecases.databases import Store
from annotator.usecases.project.projects import give_role, people_to_choose, take_role
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, refusals_shown
from annotator.web.sections.people.invitations import keep_links
from annotator.web.session import Visit, current_visit, page_store

# What is asked once more before somebody loses something: a way on and a way back.


NOBODY_CHOSEN = unsaid("Choose a person.")


def ask_for_person(label: str, people: Sequence[str], *, key: str, without: str = "") -> str | None:
    """A choice of somebody with nobody chosen: what they lose must not hang on who stands first. without: there is no choice."""
    placeholder = _("Choose a person") if people else without or _("Nobody")
    return st.selectbox(label, people, index=None, key=key, placeholder=placeholder)


def show_answers(go: str, *, key: str, act: Callable[[Store, Visit], object]) -> None:
    """The two buttons of a dialog; what is done by the first, or why it cannot be.

    A dialog runs again by itself, when the page's own connection is closed: so this opens one.
    """
    left, right = st.columns(2)
    if pressed(_("Cancel"), width="stretch", container=right, key=f"{key}_not"):
        st.rerun()
    if pressed(go, type="primary", width="stretch", container=left, key=f"{key}_go"):
        with page_store() as store, refusals_shown():
            act(store, current_visit(store))
            st.rerun()


def show(store: Store, visit: Visit, project: Project, members: Sequence[Member]) -> None:
    """Give a role to somebody who has an account, or take one away."""
    give, take = st.columns(2, gap="large")
    with give, st.form("people_give", border=True):
        st.markdown(f"**{_('Give role')}**")
        name = st.selectbox(_("Person"), people_to_choose(store, visit.user, project.id), key="people_give_name")
        role = st.selectbox(_("Role"), PROJECT_ROLES, format_func=role_name, key="people_give_role")
        if submitted(_("Give role"), type="primary", key="people_give_go") is not None and name:
            give_role(store, visit.user, project.id, name, role)
            st.rerun()
    with take, st.form("people_take", border=True):
        st.markdown(f"**{_('Remove role')}**")
        held = {
            f"{member.user.name} · {role_name(role)}": (member.user.name, role)
            for member in members
            for role in member.roles
        }
        chosen = ask_for_person(_("Person and role"), list(held), key="people_take_role")
        is_asked = submitted(_("Remove"), key="people_take_ask") is not None
    if is_asked and chosen:
        st.dialog(_("Remove this role?"))(_ask_to_take)(project, *held[chosen])
    elif is_asked:
        take.warning(_(NOBODY_CHOSEN))


def _ask_to_take(project: Project, name: str, role: Role) -> None:
    st.markdown(
        _(
            "{name} loses the role {role} in “{project}”. Submitted work stays; reserved texts go to others.",
            name=as_text(name),
            role=role_name(role),
            project=as_text(project.name),
        )
    )
    show_answers(
        _("Remove"), key="people_take",
        act=lambda store, visit: take_role(store, visit.user, project.id, name, role)
    )  # fmt: skip


# A new link for somebody who has not used theirs, or lost the password; shutting somebody out.


def show_accounts(store: Store, visit: Visit, project: Project, members: Sequence[Member]) -> None:
    """For leads: links that were not used. For administrators: anybody's link, and shutting out."""
    everybody = [*members, *_others(store, visit, members)]
    renewable = {member.user.name: member for member in everybody if member.may_renew}
    renew, shut = st.columns(2, gap="large")
    with renew, st.form("people_renew", border=True):
        st.markdown(f"**{_('New link')}**")
        name = ask_for_person(_("Person"), list(renewable), key="people_renew_name", without=_("Nobody needs one"))
        is_asked = submitted(_("New link"), key="people_renew_go", disabled=not renewable) is not None
        if not visit.user.is_administrator:
            st.caption(_("Only administrators create links for people with a password."))
    if is_asked and name is None:
        renew.warning(_(NOBODY_CHOSEN))
    elif is_asked and name in renewable:
        if renewable[name].account == "can sign in":
            st.dialog(_("End the old password?"))(_ask_to_reset)(project, renewable[name])
        else:
            _renew(store, visit, project, renewable[name])
            st.rerun()
    if visit.user.is_administrator:
        with shut:
            _show_shutting_out([member for member in everybody if member.user.name != visit.user.name])


def _others(store: Store, visit: Visit, members: Sequence[Member]) -> list[Member]:
    """For administrators those who have no role here, or no longer: they can still sign in."""
    if not visit.user.is_administrator:
        return []
    names = {member.user.name for member in members} | {visit.user.name}
    return [
        Member(account.user, (), "shut out" if account.user.is_disabled else "can sign in", None, may_renew=True)
        for account in list_users(store, visit.user)
        if account.user.name not in names
    ]


def _renew(store: Store, visit: Visit, project: Project, member: Member) -> None:
    token = renew_link(store, visit.user, project.id, member.user.name)
    keep_links(project, [Invitation(member.user.name, member.roles[0] if member.roles else None, token)])


def _ask_to_reset(project: Project, member: Member) -> None:
    st.markdown(_("{name}'s password and sessions end now; only the new link works.", name=as_text(member.user.name)))
    show_answers(_("New link"), key="people_reset", act=lambda store, visit: _renew(store, visit, project, member))


def _show_shutting_out(members: Sequence[Member]) -> None:
    active = [member.user.name for member in members if member.account != "shut out"]
    with st.form("people_shut", border=True):
        st.markdown(_("**Block sign-in**"))
        name = ask_for_person(_("Person"), active, key="people_shut_name")
        is_asked = submitted(_("Block"), key="people_shut_ask", disabled=not active) is not None
        st.caption(_("Applies to all projects. A new link unblocks them."))
    if is_asked and name:
        st.dialog(_("Block this person?"))(_ask_to_shut_out)(name)
    elif is_asked:
        st.warning(_(NOBODY_CHOSEN))


def _ask_to_shut_out(name: str) -> None:
    st.markdown(
        _("{name} can't sign in to any project. Submitted work stays; the rest goes to others.", name=as_text(name))
    )
    show_answers(_("Block"), key="people_shut", act=lambda store, visit: disable_user(store, visit.user, name))
