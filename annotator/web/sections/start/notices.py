"""Notices: what happened that concerns a person, each line a link; new ones first, and what was read below."""

import streamlit as st

from annotator.domain.people import NoticeGroup, NoticeKind
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.notices.notices import KEPT_DAYS, mark_all_read, read_before, sentence, unread
from annotator.web.frame import READ, as_text, link_to
from annotator.web.presses import pressed
from annotator.web.session import Visit
from annotator.web.visit_times import shown_time

_PAGES: dict[NoticeKind, tuple[str, str]] = {
    "returned": ("annotate", ":material/undo:"),
    "version returned": ("perturb", ":material/undo:"),
    "answer": ("annotate", ":material/forum:"),
    "question": ("project", ":material/help:"),
    "decision": ("annotate", ":material/gavel:"),
    "stuck": ("project", ":material/hourglass_disabled:"),
    "role": ("annotate", ":material/badge:"),
}
_SECTIONS: dict[NoticeKind, str] = {"question": "Decisions", "stuck": "Rounds"}
_PAGES_OF_PARTS = {"reviewer": "review", "researcher": "saliency", "lead": "project"}
_ON_A_TEXT = frozenset({"annotate", "project"})  # pages whose address names an instance


def show(store: Store, visit: Visit) -> None:
    """What is new, with one button for all of it; what was read is folded away."""
    new = unread(store, visit.user)
    if new:
        with st.container(border=True, gap="xxsmall"):
            title, button = st.columns([4, 1], vertical_alignment="center")
            title.markdown(_("**New for you**"))
            for group in new:
                _show_line(group)
            if pressed(_("Mark all as read"), container=button, key="notices_read", width="stretch"):
                mark_all_read(store, visit.user, max(group.newest_id for group in new))
                st.rerun()
    before = read_before(store, visit.user)
    if before:
        with st.expander(_("Notices that you have read"), icon=":material/drafts:"):
            for group in before:
                _show_line(group)
            st.caption(_("Notices are kept for {n} days.", n=KEPT_DAYS))


def _show_line(group: NoticeGroup) -> None:
    """A link that opens where the notice belongs, and reads it on the way."""
    path, icon = _PAGES[group.kind]
    if group.kind in {"answer", "role"}:
        path = _PAGES_OF_PARTS.get(group.detail, path)
    query = {} if group.is_read else {READ: str(group.newest_id)}
    if group.kind in _SECTIONS:
        query["section"] = _SECTIONS[group.kind]
    elif group.instance_id is not None and path in _ON_A_TEXT:
        query["instance"] = str(group.instance_id)
    when = shown_time(group.newest_at)
    label = f"{as_text(f'{sentence(group)} · {group.project_name}, {when}')}"
    link_to(path, label, project_id=group.project_id, icon=icon, **query)
