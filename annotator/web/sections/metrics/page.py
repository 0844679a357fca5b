"""The Metrics page from its title to its charts, its saved views, and the address that follows what is chosen."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotator.domain.measurements import LONGEST_NAME, SavedView
from annotator.domain.numbers import whole_number
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.inspect import text_lists
from annotator.web.buttons import submitted
from annotator.web.components import copy_link
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.page_choices import PageChoices, Params
from annotator.web.sections.metrics import charts as figures
from annotator.web.sections.metrics import choices as state
from annotator.web.sections.metrics import groups, numbers, table
from annotator.web.session import Visit

# Saved views on the Metrics page: one is opened, the present choices are kept under a name, one is renamed or deleted.


def expanded(store: Store, visit: Visit, project: Project, address: Params) -> Params:
    """What an address stands for: what the view that it names holds, and what it asks for beside it."""
    view = named_view(store, visit, project, address)
    if view is None:
        return address
    others = {name: texts for name, texts in address.items() if name != state.VIEW.name}
    return {**text_lists.params_of(view), **others}


def named_view(store: Store, visit: Visit, project: Project, address: Params) -> SavedView | None:
    """The view that an address names; None where it names none, or one that is not there."""
    texts = address.get(state.VIEW.name, ())
    number = whole_number(texts[0]) if len(texts) == 1 else None
    if number is None:
        return None
    try:
        return text_lists.view_of_project(store, visit.user, project, number)
    except NotFound:
        return None


def show_views(store: Store, visit: Visit, project: Project, choices: PageChoices) -> None:
    """What the popover holds; after everything else on the page, so that all that is chosen can be kept."""
    views = text_lists.views_of_project(store, visit.user, project)
    current = named_view(store, visit, project, state.address())
    _open(project, [view for view, _may_change in views], current)
    _save(store, visit, project, choices)
    if current is not None and any(view.id == current.id and may_change for view, may_change in views):
        _change(store, visit, current, choices)


def _open(project: Project, views: Sequence[SavedView], current: SavedView | None) -> None:
    if not views:
        st.caption(_("Saves this page's choices for everyone."))
        return
    names = {view.id: f"{view.name} ({view.made_by})" for view in views}
    key = f"metrics_view_{project.id}"
    st.session_state[key] = None if current is None else current.id
    st.selectbox(
        _("Open a view"), list(names), index=None, key=key, format_func=names.__getitem__, placeholder=_("Choose"),
        on_change=_follow, args=(key,)
    )  # fmt: skip


def _follow(key: str) -> None:
    number = st.session_state[key]
    state.go_to({} if number is None else {state.VIEW.name: (str(number),)})


def _save(store: Store, visit: Visit, project: Project, choices: PageChoices) -> None:
    name = f"metrics_view_name_{project.id}"
    with st.form(f"metrics_view_new_{project.id}", border=False):  # Enter saves, too
        st.text_input(_("Save current choices as"), key=name, max_chars=LONGEST_NAME)
        given = submitted(
            _("Save view"), key=f"metrics_view_save_{project.id}", fields=(name,), icon=":material/bookmark_add:"
        )
    if given is not None:
        with refusals_shown():
            view = text_lists.save_view(store, visit.user, project, given[name], choices.params())
            state.go_to({state.VIEW.name: (str(view.id),)})
            confirm_and_rerun(_("Saved as “{name}”.", name=view.name))


def _change(store: Store, visit: Visit, view: SavedView, choices: PageChoices) -> None:
    name = f"metrics_view_rename_{view.id}"
    with st.form(f"metrics_view_change_{view.id}", border=False):  # Enter presses the first of its buttons
        st.text_input(_("View name"), view.name, key=name, max_chars=LONGEST_NAME)
        rename, delete = st.columns(2)
        given = submitted(
            _("Rename"), container=rename, key=f"metrics_view_renames_{view.id}", fields=(name,), width="stretch"
        )
        is_deleted = (
            submitted(_("Delete"), container=delete, key=f"metrics_view_deletes_{view.id}", width="stretch") is not None
        )
    with refusals_shown():
        if given is not None:
            renamed = text_lists.rename_view(store, visit.user, view.id, given[name])
            confirm_and_rerun(_("View renamed to “{name}”.", name=renamed.name))
        if is_deleted:
            text_lists.delete_view(store, visit.user, view.id)
            state.go_to(choices.params())
            confirm_and_rerun(_("Deleted “{name}”.", name=view.name))


def show(store: Store, visit: Visit, project: Project) -> None:
    """Everything on the page; at the end the address is brought to what was chosen."""
    choices = state.begin(project, partial(expanded, store, visit, project))
    title, scored_as, saved, link = st.columns([2.4, 1.1, 0.8, 0.8], vertical_alignment="center")
    title.header(as_text(_("Metrics of {name}", name=project.name)), anchor=False)
    popover = saved.popover(_("Views"), icon=":material/bookmarks:", width="stretch")
    notice = st.container()
    scored = numbers.show(store, visit, project, choices, scored_as)
    if scored is not None:
        shown = table.show(store, visit, project, scored) if scored.table.columns else scored
        groups.show(store, visit, project, shown)
        figures.show(store, visit, project, shown)
    state.end(choices, is_whole=scored is not None)
    view = named_view(store, visit, project, state.address())
    gone = choices.gone() if view is None else choices.gone(_("The view “{name}”", name=view.name))
    if gone:
        notice.warning(as_text(gone), icon=":material/link_off:")
    with popover:
        show_views(store, visit, project, choices)
    with link:
        copy_link(state.link_of(project, choices), key=f"metrics_link_{project.id}")
