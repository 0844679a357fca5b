"""Who takes part in the project, and as what."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.access.invitations import Member, members_with_accounts
from annotator.usecases.databases import Store
from annotator.web.project_warnings import show_missing_labels, show_missing_people
from annotator.web.sections.crowd import page as crowd
from annotator.web.sections.people import accounts, invitations, personal_data, roles
from annotator.web.session import Visit


def show(store: Store, visit: Visit, project: Project) -> None:
    """Members with their roles and accounts; invite somebody, give or take a role, make a new link."""
    show_missing_people(store, visit, project)
    invitations.show_links(project)
    members = members_with_accounts(store, visit.user, project.id)
    if members:
        rows = [
            {"person": member.user.name, "roles": ", ".join(member.roles), "account": _account(member)}
            for member in members
        ]
        st.dataframe(rows, hide_index=True, key="people_members")
    else:
        st.info("Nobody has a role here yet. Invite somebody below.", icon=":material/group_add:")
    invitations.show(store, visit, project)
    show_missing_labels(store, visit, project)
    roles.show(store, visit, project, members)
    accounts.show(store, visit, project, members)
    personal_data.show(store, visit)
    st.divider()
    crowd.show(store, visit, project)


def _account(member: Member) -> str:
    match member.account:
        case "can sign in":
            return "can sign in"
        case "has a link":
            return f"has not used the link yet, which works until {str(member.link_expires_at)[:10]}"
        case "needs a link":
            return "has no password, and no link that works: make a new one"
        case "shut out":
            return "shut out"
