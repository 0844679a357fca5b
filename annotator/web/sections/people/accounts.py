"""A new link for somebody who has not used theirs, or lost the password; shutting somebody out."""

from collections.abc import Sequence

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.access.accounts import disable_user, list_users
from annotator.usecases.access.invitations import Invitation, Member, renew_link
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.presses import submitted
from annotator.web.sections.people.invitations import keep_links
from annotator.web.sections.people.questions import NOBODY_CHOSEN, ask_for_person, show_answers
from annotator.web.session import Visit


def show(store: Store, visit: Visit, project: Project, members: Sequence[Member]) -> None:
    """For leads: links that were not used. For administrators: anybody's link, and shutting out."""
    everybody = [*members, *_others(store, visit, members)]
    renewable = {member.user.name: member for member in everybody if member.may_renew}
    renew, shut = st.columns(2, gap="large")
    with renew, st.form("people_renew", border=True):
        st.markdown(_("**Make a new link**"))
        name = ask_for_person(_("Whose"), list(renewable), key="people_renew_name", without=_("Nobody needs one"))
        is_asked = submitted(_("Make a new link"), key="people_renew_go", disabled=not renewable) is not None
        if not visit.user.is_administrator:
            st.caption(_("Of people who have a password, an administrator makes a new link."))
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
    st.markdown(
        _(
            "{name} has a password. It ends at once, and so does every page that they have open: they come in again with the "
            "new link alone.",
            name=as_text(member.user.name),
        )
    )
    show_answers(
        _("Make a new link"),
        _("Keep it"),
        key="people_reset",
        act=lambda store, visit: _renew(store, visit, project, member),
    )


def _show_shutting_out(members: Sequence[Member]) -> None:
    active = [member.user.name for member in members if member.account != "shut out"]
    with st.form("people_shut", border=True):
        st.markdown(_("**Shut somebody out**"))
        name = ask_for_person(_("Who"), active, key="people_shut_name")
        is_asked = submitted(_("Shut out"), key="people_shut_ask", disabled=not active) is not None
        st.caption(_("Of every project of this server. A new link lets them in again."))
    if is_asked and name:
        st.dialog(_("Shut somebody out?"))(_ask_to_shut_out)(name)
    elif is_asked:
        st.warning(_(NOBODY_CHOSEN))


def _ask_to_shut_out(name: str) -> None:
    st.markdown(
        _(
            "{name} can sign in no more, in no project, from now on. What they submitted and scored stays; what they hold "
            "goes to others.",
            name=as_text(name),
        )
    )
    show_answers(
        _("Shut out"),
        _("Leave them in"),
        key="people_shut",
        act=lambda store, visit: disable_user(store, visit.user, name),
    )
