"""Inviting people: a list of names becomes accounts with one-time links, which are shown once."""

import csv
import io
import os
from collections.abc import Sequence

import streamlit as st

from annotator.domain.people import PROJECT_ROLES, role_name
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.language import _, listed, several, unsaid
from annotator.usecases.access.invitations import INVITATION_LASTS, Invitation, invite, read_invitees
from annotator.usecases.databases import Store
from annotator.usecases.qualification.items import picked_but_off
from annotator.web.addresses import SSO_ONLY_VARIABLE, public_address
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text
from annotator.web.session import Visit

_MADE = "people_links"
_N_MADE = "people_n_lists"
_SHOWN_ONE_BY_ONE = 10  # more are easier to take as a file
_NO_LINKS = unsaid("Links don't work here. Invite people by name after their first sign-in with {name}.")
_OFF = unsaid("Training has texts but is off. Turn it on under Training.")


def show(store: Store, visit: Visit, project: Project) -> None:
    """The form for a list of names; what was wrong with a list is said below it, and nobody of it was invited."""
    field = f"people_invite_names_{st.session_state.get(_N_MADE, 0)}"  # another one is empty
    with st.form("people_invite", border=True):
        names, chosen = st.columns([3, 1], gap="large")
        names.text_area(
            _("Names, one per line"),
            key=field,
            placeholder=_("Ada\nBo\nCleo, reviewer"),
            help=_("Sign-in names; for another role: name, role."),
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


def keep_links(project: Project, given: Sequence[Invitation]) -> None:
    """Keep what was just made for this visit: the database has only the links' digests."""
    st.session_state[_MADE] = (project.id, list(given))
    st.session_state[_N_MADE] = st.session_state.get(_N_MADE, 0) + 1


def show_links(project: Project) -> None:
    """The links that were just made, until they are put away."""
    project_id, given = st.session_state.get(_MADE, (None, []))
    if project_id != project.id or not given:
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
                days=INVITATION_LASTS.days,
            )
        )
    if known:
        names = listed([as_text(_invited(invitation)) for invitation in known])
        st.markdown(_("Added: {names}.", names=names))


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
