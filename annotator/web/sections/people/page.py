"""Who takes part in the project, and as what."""

from collections.abc import Sequence

import streamlit as st

from annotator.domain.people import role_name
from annotator.domain.projects import Project
from annotator.language import _, listed
from annotator.usecases.access.invitations import Member, members_with_accounts
from annotator.usecases.databases import Store
from annotator.web.project_warnings import show_missing_labels, show_missing_people
from annotator.web.sections.crowd import page as crowd
from annotator.web.sections.people import personal_data, roles
from annotator.web.sections.people import roles as accounts
from annotator.web.sections.people import roles as invitations
from annotator.web.session import Visit, shown_day


def show(store: Store, visit: Visit, project: Project) -> None:
    """Members with their roles and accounts; what can be done about them opens below, each by itself."""
    show_missing_people(store, visit, project)
    invitations.show_links(project)
    members = members_with_accounts(store, visit.user, project.id)
    _show_members(members)
    show_missing_labels(store, visit, project)
    with st.expander(
        _("Invite people"), expanded=not members, icon=":material/person_add:", key=f"people_open_invite_{project.id}"
    ):
        invitations.show_invitations(store, visit, project)
    with st.expander(_("Change a role"), icon=":material/badge:", key="people_open_roles"):
        roles.show(store, visit, project, members)
    with st.expander(_links_title(visit), icon=":material/link:", key="people_open_accounts"):
        accounts.show_accounts(store, visit, project, members)
    with st.expander(_("A person's data"), icon=":material/person_off:", key="people_open_data"):
        personal_data.show(store, visit, project)
    st.divider()
    crowd.show(store, visit, project)


def _links_title(visit: Visit) -> str:
    if visit.user.is_administrator:
        return _("Reset or revoke sign-in")
    return _("New link")


def _show_members(members: Sequence[Member]) -> None:
    if not members:
        st.info(_("Nobody has a role here yet. Invite people below."), icon=":material/group_add:")
        return
    rows = [
        {
            "person": member.user.name,
            "roles": listed([role_name(role) for role in member.roles]),
            "account": _account(member),
        }
        for member in members
    ]
    titles = {"person": _("person"), "roles": _("roles"), "account": _("account")}
    st.dataframe(rows, hide_index=True, key="people_members", column_config=titles)


def _account(member: Member) -> str:
    match member.account:
        case "can sign in":
            return _("can sign in")
        case "has a link":
            return _("link unused, valid until {day}", day=shown_day(str(member.link_expires_at)))
        case "needs a link":
            return _("no password and no valid link")
        case "shut out":
            return _("blocked")
