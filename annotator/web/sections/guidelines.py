"""The guidelines of a project: to be written, and the versions that there were."""

from collections.abc import Sequence

import streamlit as st

from annotator.domain.numbers import UNDEFINED, counted
from annotator.domain.projects import Project
from annotator.language import _, listed, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.project.guidelines import ShownVersion, change_guidelines, guidelines_versions, readers_of
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.guidelines import show_changes, show_parts
from annotator.web.session import Visit, shown_time

_CHANGED, _WHOLE = unsaid("What changed"), unsaid("Full text")


def show(store: Store, visit: Visit, project: Project) -> None:
    """A form for the text, and below it every version with what it changed."""
    versions = guidelines_versions(store, visit.user, project.id)
    _ask_text(store, visit, project, versions)
    show_readers(store, visit, project)
    if versions and versions[0].version.text.strip():
        with st.expander(_("Annotator view"), key="guidelines_as_read"):
            show_parts(versions[0].version.text)
    _show_versions(versions)


def _ask_text(store: Store, visit: Visit, project: Project, versions: Sequence[ShownVersion]) -> None:
    """The text stays that of the version which the lead began from, also where somebody else saves one meanwhile."""
    newest = versions[0].version.number if versions else 0
    text_key, small_key, begun_key = (f"guidelines_{name}_{project.id}" for name in ("text", "small", "begun"))
    if text_key not in st.session_state:
        st.session_state[begun_key] = newest
    based_on: int = st.session_state[begun_key]
    began = next((shown.version.text for shown in versions if shown.version.number == based_on), "")
    with st.form("guidelines", border=False):
        st.text_area(
            _("Guidelines (Markdown)"),
            began,
            height=420,
            key=text_key,
            help=_(
                "Example: lines “label: negative”, “The [A: soup was cold]” and “why: …” between \\`\\`\\`example and "
                "\\`\\`\\`."
            ),
        )
        st.checkbox(
            _("Minor change (e.g. typo): no need to reread"),
            key=small_key,
            help=_("Otherwise everyone must read the changes."),
        )
        given = submitted(_("Save guidelines"), type="primary", key="guidelines_save", fields=(text_key, small_key))
    if given is not None:
        with refusals_shown():
            number = change_guidelines(
                store, visit.user, project.id, given[text_key], based_on=based_on, is_small=given[small_key]
            )
            _forget(text_key, small_key)
            confirm_and_rerun(_("Guidelines saved: version {number}.", number=number))
    elif newest != based_on:
        st.warning(
            _("{made_by} saved version {newest}.", newest=newest, made_by=as_text(versions[0].version.made_by)),
            icon=":material/group:",
        )
    if newest != based_on and pressed(_("Discard mine, load the newest version"), key="guidelines_newest"):
        _forget(text_key, small_key)
        st.rerun()


def show_readers(store: Store, visit: Visit, project: Project) -> None:
    """How many of those who annotate or review have read the guidelines that hold, and who has not."""
    readers = readers_of(store, visit.user, project)
    n = len(readers.have_read) + len(readers.waiting)
    if not project.guidelines.strip() or not n:
        return
    sentence = several(
        "{n} of {people} has read the current guidelines.",
        "{n} of {people} have read the current guidelines.",
        len(readers.have_read),
        people=counted(n, "person", "people"),
    )
    waiting = [_("Not yet: {names}.", names=listed(readers.waiting))] if readers.waiting else []
    st.caption(as_text(together(sentence, *waiting)))


def _forget(*keys: str) -> None:
    for key in keys:
        st.session_state.pop(key, None)


def _show_versions(versions: Sequence[ShownVersion]) -> None:
    if versions:
        st.markdown(f"**{_('Versions')}**")
    for shown in versions:
        version = shown.version
        words = [
            _("Version {number}", number=version.number),
            as_text(version.made_by) or UNDEFINED,
            shown_time(version.made_at),
        ]
        with st.expander(" · ".join([*words, *([_("minor change")] if version.is_small else [])])):
            part = st.segmented_control(
                _("Part"), [_CHANGED, _WHOLE], default=_CHANGED, required=True, format_func=_,
                label_visibility="collapsed", key=f"guidelines_part_{version.number}"
            )  # fmt: skip
            if part == _CHANGED:
                show_changes(shown.changes)
            else:
                st.code(version.text, language=None, wrap_lines=True)
