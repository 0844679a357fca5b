"""The record: who did what and when, in sentences; newest first; and everything that happened to one instance.

Administrators also read what belongs to no project: accounts, sign-in links, backups.
"""

import streamlit as st

from annotator.domain.instances import Instance
from annotator.domain.numbers import UNDEFINED
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.language import _, several, unsaid
from annotator.usecases.access.accounts import count_events_of_accounts, events_of_accounts, list_users
from annotator.usecases.databases import Store
from annotator.usecases.lead.event_sentences.parts import in_a_row
from annotator.usecases.lead.event_words import KINDS, event_actor, event_lines, event_words
from annotator.usecases.lead.timeline import timeline, timeline_as_csv
from annotator.usecases.persons.removal import names_of_copies
from annotator.usecases.project.ends import archive, bring_back, delete, deletion_summary
from annotator.usecases.project.projects import ALL_EVENTS, EventFilter, count_events_of, events_of, members_of
from annotator.usecases.upkeep import back_up_beside
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, carry_out, confirm_and_rerun, refusals_shown
from annotator.web.page_parts import ask_page
from annotator.web.session import Visit, current_visit, page_store, shown_day, shown_time, visit_zone

_PAGE = 50
_HEIGHT = 560  # pixels: the choice of the page stays in sight below
_OF_PROJECT, _OF_SERVER = unsaid("this project"), unsaid("accounts and database")


def show(store: Store, visit: Visit, project: Project) -> None:
    """One page of the project's events, or of those that are of no project."""
    about = _OF_PROJECT
    if visit.user.is_administrator:
        about = _OF_SERVER if "about" in st.query_params else about  # of the address
        about = st.segmented_control(
            _("About"), (_OF_PROJECT, _OF_SERVER), default=about, required=True, format_func=_, key="record_about"
        )
    if about == _OF_SERVER:
        _offer_backup(store, visit)
    wanted = _ask_which(store, visit, project, about)
    container = st.container()
    view_key = f"{about}_{hash(wanted)}"  # of another filter another first page
    page = _ask_page(view_key, _count(store, visit, project, about, wanted))
    here = {"limit": _PAGE, "offset": _PAGE * (page - 1)}
    if about == _OF_SERVER:
        events = events_of_accounts(store, visit.user, wanted, **here)
    else:
        events = events_of(store, visit.user, project.id, wanted, **here)
    if not events:
        container.caption(
            _("Nothing yet.") if wanted == ALL_EVENTS else _("Nothing found. Change the search or filters.")
        )
        return
    zone = visit_zone()[0]
    is_of_texts = any(event.key for event in events)
    container.dataframe(
        [
            {
                _("time ({zone})", zone=zone): shown_time(event.at, with_seconds=True, is_zone_named=True),
                _("person"): event_actor(event),
                _("event"): in_a_row((event_words(event), *event_lines(event))),
                **({_("text"): first_words(event.excerpt), _("ID"): event.key} if is_of_texts else {}),
            }
            for event in events
        ],
        hide_index=True,
        height=min(_HEIGHT, 38 + 35 * len(events)),
        key=f"record_events_{view_key}_{page}",
        column_config={
            _("time ({zone})", zone=zone): st.column_config.TextColumn(width=170),
            _("person"): st.column_config.TextColumn(width=110),
            _("event"): st.column_config.TextColumn(width=520 if is_of_texts else 690),
            _("text"): st.column_config.TextColumn(width="medium"),
            _("ID"): st.column_config.TextColumn(width="small"),
        },
    )


def _offer_backup(store: Store, visit: Visit) -> None:
    """A copy beside the database; what the browser may not do, since nobody may have the database open, has its command."""
    button, words = st.columns((1, 3), vertical_alignment="center")
    if pressed(_("Make a backup"), key="record_backup", container=button):
        done = _(
            "Backup saved beside the database: {name}. Moving it? Take {removals} along, if there is one: it keeps "
            "erased people erased.", name=back_up_beside(store, visit.user).name, removals=f"{store.path.name}.removals",
        )  # fmt: skip
        words.success(as_text(done))
    elif backups := [name for name in names_of_copies(store) if name.endswith(".backup")]:
        words.caption(
            several(
                "{n} backup beside the database. To restore the newest, stop the server and run: {command}",
                "{n} backups beside the database. To restore the newest, stop the server and run: {command}",
                len(backups),
                command=f"`annotator --db {backups[-1].rsplit('.', 2)[0]} restore {backups[-1]}`",
            )
        )


def _ask_which(store: Store, visit: Visit, project: Project, about: str) -> EventFilter:
    """Whose entries, of which kind, and on which texts."""
    is_of_server = about == _OF_SERVER
    if is_of_server:
        names = [listed.user.name for listed in list_users(store, visit.user)]
    else:
        names = list(dict.fromkeys(user.name for user, _role in members_of(store, visit.user, project.id)))
    whose, kind, key = st.columns(3)
    actor = whose.selectbox(
        _("Person"), names, index=None, placeholder=_("Anyone"), accept_new_options=True, key=f"record_person_{about}",
        help=_("Choose a member, or type a former member's name.")
    )  # fmt: skip
    actions = kind.selectbox(
        _("Entry type"), KINDS, index=None, placeholder=_("All"), format_func=_, key=f"record_kind_{about}"
    )
    typed = "" if is_of_server else key.text_input(_("Text ID contains"), key="record_key", autocomplete="off")
    return EventFilter(actor or "", KINDS[actions] if actions else frozenset(), typed.strip())


def _count(store: Store, visit: Visit, project: Project, about: str, wanted: EventFilter) -> int:
    if about == _OF_SERVER:
        return count_events_of_accounts(store, visit.user, wanted)
    return count_events_of(store, visit.user, project.id, wanted)


def _ask_page(view_key: str, n_events: int) -> int:
    """Which page, of those that there are."""
    return ask_page(-(-n_events // _PAGE), key=f"record_page_{view_key}", width=140)


# Everything that happened to one instance, as a timeline to read and to take along.


def show_history(store: Store, visit: Visit, project: Project, instance: Instance) -> None:
    """Oldest first."""
    moments = timeline(store, visit.user, project, instance.id)
    if not moments:
        st.info(_("Nothing yet."), icon=":material/history:")
        return
    for moment in moments:
        when, what = st.columns([1, 4], gap="small")
        when.caption(shown_time(moment.at, with_seconds=True) if moment.at else UNDEFINED)
        what.markdown(f"**{as_text(moment.who)}** {as_text(moment.what)}")
        if moment.lines:
            what.caption("  \n".join(as_text(line) for line in moment.lines))
    st.download_button(
        _("Download timeline (CSV)"), timeline_as_csv(moments), f"{instance.key}-timeline.csv", "text/csv",
        key=f"history_{instance.id}", icon=":material/download:"
    )  # fmt: skip


# The end of a project on its page: archive it, bring it back, delete it.


def show_project_end(project: Project) -> None:
    """At the end of the rules of a project that is at work."""
    with st.expander(_("Archive or delete the project")):
        st.caption(_("Archived projects are read-only."))
        with st.container(horizontal=True, vertical_alignment="center"):
            if pressed(_("Archive project"), icon=":material/archive:", key="project_archive"):
                st.dialog(_("Archive project"), width="medium")(_ask_to_archive)(project)
            _offer_deletion(project)


def show_archived(store: Store, visit: Visit, project: Project) -> None:
    """Above everything else of an archived project."""
    day = as_text(shown_day(project.archived_at) if project.archived_at else "")
    with st.container(border=True):
        st.markdown(":material/archive: " + _("**Archived since {day}.** Read-only.", day=day))
        with st.container(horizontal=True):
            if pressed(_("Restore"), icon=":material/unarchive:", key="project_bring_back"):
                carry_out(
                    lambda: bring_back(store, visit.user, project.id), _("“{name}” is active again.", name=project.name)
                )
            _offer_deletion(project)


def _offer_deletion(project: Project) -> None:
    if pressed(_("Delete project"), icon=":material/delete:", key="project_delete"):
        st.dialog(_("Delete project"), width="medium")(_ask_to_delete)(project)


def _ask_to_archive(project: Project) -> None:
    """What it means for the people of a project; it runs again by itself, so it opens a connection of its own."""
    name = as_text(project.name)
    st.markdown(_("All work in “{name}” stops and can't be submitted.", name=name))
    st.markdown(_("Everything stays. A lead can restore it at any time."))
    if pressed(_("Archive"), type="primary", key="project_archive_go"):
        with page_store() as store:
            visit = current_visit(store)
            carry_out(lambda: archive(store, visit.user, project.id), _("“{name}” is archived.", name=project.name))


def _ask_to_delete(project: Project) -> None:
    """It runs again by itself, when the page's own connection is closed: so it opens one."""
    st.markdown(
        _(
            "Deletes all texts, work, model output, tests, releases and record of “{name}”. Accounts stay.",
            name=as_text(project.name),
        )
    )
    st.markdown(_("The server keeps a backup that its operator can restore or delete."))
    with st.form("project_delete_form", border=False):
        st.text_input(_("Type this name: {name}", name=as_text(project.name)), key="project_delete_name")
        held = submitted(
            _("Delete everything"), type="primary", key="project_delete_go", fields=("project_delete_name",)
        )
    if held is None:
        return
    with page_store() as store, st.spinner(_("Backing up and deleting …")):
        visit = current_visit(store)
        with refusals_shown():
            deleted = delete(store, visit.user, project.id, str(held["project_delete_name"]))
            st.query_params.clear()
            confirm_and_rerun(deletion_summary(deleted), is_kept=True)
