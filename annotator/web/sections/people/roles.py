"""Inviting people, giving and taking roles, a new link, shutting somebody out; whatever takes something is asked once more."""

import csv
import io
import os
from collections.abc import Callable, Sequence

import streamlit as st

from annotator.domain.people import PROJECT_ROLES, Role, role_name
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.language import _, listed, several, unsaid
from annotator.usecases.access.accounts import LINK_LASTS, disable_user, list_users
from annotator.usecases.access.invitations import Invitation, Member, invite, read_invitees, renew_link
from annotator.usecases.databases import Store
from annotator.usecases.project.projects import give_role, people_to_choose, take_role
from annotator.usecases.qualification.items import picked_but_off
from annotator.web.addresses import SSO_ONLY_VARIABLE, public_address
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, refusals_shown
from annotator.web.session import Visit, current_visit, page_store

# Inviting people: a list of names becomes accounts with one-time links, which are shown once.


_MADE = "people_links"
_N_MADE = "people_n_lists"
_SHOWN_ONE_BY_ONE = 10  # more are easier to take as a file
_NO_LINKS = unsaid("Links don't work here. Invite people by name after their first sign-in with {name}.")
_OFF = unsaid("Training has texts but is off. Turn it on under Training.")


def show_invitations(store: Store, visit: Visit, project: Project) -> None:
    """The form for a list of names; what was wrong with a list is said below it, and nobody of it was invited."""
    field = f"people_invite_names_{st.session_state.get(_N_MADE, 0)}"  # another one is empty
    with st.form("people_invite", border=True):
        names, chosen = st.columns([3, 1], gap="large")
        names.text_area(
            _("Names, one per line"),
            key=field,
            placeholder=_("Ada\nBo\nCleo, reviewer"),
            help=_("Sign-in names; for another role: name, role. A name again: a new link, if theirs is unused."),
        )
        role = chosen.selectbox(_("Role"), PROJECT_ROLES, format_func=role_name, key="people_invite_role")
        if picked_but_off(store, visit.user, project.id):
            st.caption(f":material/school: {_(_OFF)}")
        if provider := os.environ.get(SSO_ONLY_VARIABLE):
            st.caption(f":material/key_off: {_(_NO_LINKS, name=as_text(provider))}")
        held = submitted(_("Create links"), type="primary", key="people_invite_go", fields=(field,))
    if held is None:
        return
    try:
        given = invite(store, visit.user, project.id, read_invitees(held[field], role))
    except InvalidValue as problem:
        st.error(as_text(str(problem)), icon=":material/error:")
        return
    keep_links(project, given)
    st.rerun()


def keep_links(project: Project, given: Sequence[Invitation], *, is_renewed: bool = False) -> None:
    """Keep what was just made for this visit: the database has only the links' digests. is_renewed: for an account there is."""
    st.session_state[_MADE] = (project.id, list(given), is_renewed)
    st.session_state[_N_MADE] = st.session_state.get(_N_MADE, 0) + 1


def show_links(project: Project, *, is_renewed: bool = False) -> None:
    """The links that were just made, until they are put away; a renewed one where it was asked for, far below the others."""
    project_id, given, were_renewed = st.session_state.get(_MADE, (None, [], False))
    if project_id != project.id or not given or were_renewed != is_renewed:
        return
    links = [
        (invitation, f"{public_address(st.context.url)}/link/{invitation.link_token}")
        for invitation in given
        if invitation.link_token is not None
    ]
    with st.container(border=True, key="people_made_links"):
        _say(given, len(links))
        if len(links) <= _SHOWN_ONE_BY_ONE:
            for invitation, link in links:
                st.markdown(
                    " · ".join(filter(None, (as_text(invitation.name), invitation.role and role_name(invitation.role))))
                )
                st.code(link, language=None)
        take, away = st.columns([1, 1])
        if links:
            take.download_button(
                several("Download {n} link as CSV", "Download {n} links as CSV", len(links)), _as_csv(links), "links.csv",
                "text/csv",
                key="people_take_links"
            )  # fmt: skip
        if pressed(_("Hide links") if links else _("Close"), container=away, key="people_links_away"):
            del st.session_state[_MADE]
            st.rerun()


def _say(given: Sequence[Invitation], n_links: int) -> None:
    known = [invitation for invitation in given if invitation.link_token is None]
    if n_links:
        st.markdown(
            several(
                "**{n} link** to send privately: works once within {days} days, shown only now.",
                "**{n} links** to send privately: each works once within {days} days, shown only now.",
                n_links,
                days=LINK_LASTS.days,
            )
        )
    if known:
        names = listed([as_text(_invited(invitation)) for invitation in known])
        st.markdown(_("No new link, as they have an account: {names}.", names=names))


def _invited(invitation: Invitation) -> str:
    if invitation.role is None:
        return invitation.name
    return _("{name} ({role})", name=invitation.name, role=role_name(invitation.role))


def _as_csv(links: Sequence[tuple[Invitation, str]]) -> str:
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    writer.writerow(("name", "role", "link"))
    writer.writerows((invitation.name, invitation.role, link) for invitation, link in links)
    return rows.getvalue()


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
    show_links(project, is_renewed=True)
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
    keep_links(
        project, [Invitation(member.user.name, member.roles[0] if member.roles else None, token)], is_renewed=True
    )


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
