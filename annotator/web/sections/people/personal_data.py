"""A person's data: taken along, made nameless, erased. Administrators alone; leads see that there is such a thing."""

from collections.abc import Callable, Sequence

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _, listed, several, together
from annotator.usecases.access.accounts import administrator_names, list_users
from annotator.usecases.databases import Store
from annotator.usecases.persons import erasure
from annotator.usecases.persons.my_account import data_of_person
from annotator.usecases.persons.removal import BACKUPS_HOLD, NOT_WIPED, Removed, names_of_copies
from annotator.usecases.upkeep import back_up_beside
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, refusals_shown
from annotator.web.sections.people.roles import NOBODY_CHOSEN, ask_for_person
from annotator.web.session import Visit, current_visit, page_store

_DONE = "people_removed"
_TAKEN = "people_data_taken"


def show(store: Store, visit: Visit, project: Project) -> None:
    """Choose somebody, and what is to become of their data."""
    _show_done()
    if not visit.user.is_administrator:
        _show_whom_to_ask(store, visit, project)
        return
    names = [listed.user.name for listed in list_users(store, visit.user) if listed.user.name != visit.user.name]
    with st.form("people_data", border=True):
        st.markdown("**" + _("A person's data") + "**")
        name = ask_for_person(_("Person"), names, key="people_data_name", without=_("Nobody else"))
        take, hide, out = st.columns(3)
        is_taken = (
            submitted(_("Prepare download"), container=take, key="people_data_take", disabled=not names) is not None
        )
        is_hidden = submitted(_("Anonymise"), container=hide, key="people_data_hide", disabled=not names) is not None
        is_out = submitted(_("Erase"), container=out, key="people_data_erase", disabled=not names) is not None
        st.caption(
            _(
                "Anonymise: removes account, name and words, keeps numbers. Erase: also removes marks, scores and "
                "writing."
            )
        )
    if name is None and (is_taken or is_hidden or is_out):
        st.warning(_(NOBODY_CHOSEN))
    if name and is_taken:
        st.session_state[_TAKEN] = (name, data_of_person(store, visit.user, name))
    if name and is_hidden:
        st.dialog(_("Anonymise this person?"), width="large")(ask_to_anonymise)(name)
    if name and is_out:
        st.dialog(_("Erase this person and all their work?"), width="large")(ask_to_erase)(name)
    _offer_download()


def _show_whom_to_ask(store: Store, visit: Visit, project: Project) -> None:
    """Who can do it is named, and what everybody can do alone has its link."""
    st.markdown(_("Administrators can export, anonymise or erase personal data."))
    if names := administrator_names(store, visit.user, project.id):
        st.markdown(
            several(
                "Server administrator: {names}.",
                "Server administrators: {names}.",
                len(names),
                names=listed([as_text(name) for name in names]),
            )
        )


def _offer_download() -> None:
    if _TAKEN not in st.session_state:
        return
    name, content = st.session_state[_TAKEN]
    st.download_button(
        _("Download all data about {name}", name=as_text(name)), content, "data-of-a-person.zip", "application/zip",
        key="people_data_download"
    )  # fmt: skip


def ask_to_anonymise(name: str) -> None:
    """What will go and stay, and the name to type."""
    with page_store() as store:
        lines = _lines(
            store, lambda visit: erasure.anonymising_lines(erasure.plan_anonymising(store, visit.user, name))
        )
        copies = names_of_copies(store)
    _ask(name, lines, copies, _("Anonymise"), lambda store, visit: erasure.anonymise(store, visit.user, name))


def ask_to_erase(name: str) -> None:
    """What will go, and the name to type."""
    with page_store() as store:
        lines = _lines(store, lambda visit: erasure.erasing_lines(erasure.plan_erasing(store, visit.user, name)))
        copies = names_of_copies(store)
    _ask(name, lines, copies, _("Erase"), lambda store, visit: erasure.erase(store, visit.user, name))


def _lines(store: Store, plan: Callable[[Visit], Sequence[str]]) -> Sequence[str] | None:
    with refusals_shown():
        return plan(current_visit(store))
    return None


def _ask(
    name: str, lines: Sequence[str] | None, copies: Sequence[str], go: str, act: Callable[[Store, Visit], Removed]
) -> None:
    """What will happen, a backup if it is wanted, and the name to type."""
    if lines is None:
        return
    for line in lines:
        st.markdown(as_text(line))
    if copies:
        st.markdown(_("Copies beside the database: {copies}.", copies=as_text(listed(copies))))
    if pressed(_("Back up first"), key="people_data_backup"):
        with page_store() as store:
            st.info(
                as_text(
                    _(
                        "Backup: {name}. It contains this person too.",
                        name=back_up_beside(store, current_visit(store).user).name,
                    )
                )
            )
    with st.form("people_data_confirm", border=False):
        st.text_input(_("Type this name: {name}", name=as_text(name)), key="people_data_typed", autocomplete="off")
        typed = submitted(go, type="primary", key="people_data_go", fields=("people_data_typed",))
    if typed is None:
        return
    if typed["people_data_typed"] != name:
        st.error(as_text(_("Nothing was done. Type '{name}' exactly.", name=name)), icon=":material/error:")
        return
    with page_store() as store, refusals_shown():
        st.session_state[_DONE] = act(store, current_visit(store))
        st.session_state.pop(_TAKEN, None)
        st.rerun()


def _show_done() -> None:
    removed: Removed | None = st.session_state.pop(_DONE, None)
    if removed is None:
        return
    st.success(as_text(_("Done. Now named “{called}”.", called=removed.called)), icon=":material/check:")
    st.warning(
        as_text(_(BACKUPS_HOLD) if removed.is_wiped else together(_(NOT_WIPED), _(BACKUPS_HOLD))),
        icon=":material/inventory_2:",
    )
