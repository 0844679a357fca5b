"""One instance with each annotation of it, read-only, in the token panel."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.usecases.databases import Store
from annotator.usecases.viewing import View, look_at, look_up
from annotator.web import token_panel
from annotator.web.frame import as_text
from annotator.web.session import Visit


def show(store: Store, visit: Visit, project: Project, wanted: int | str) -> None:
    """The text, and whose annotation of it is drawn; wanted is an instance's number or its key."""
    try:
        views = _views(store, visit, project, wanted)
    except NotFound as error:
        st.info(as_text(str(error)), icon=":material/search_off:")
        return
    _show_views(views, f"project_look_{wanted}")


def _views(store: Store, visit: Visit, project: Project, wanted: int | str) -> list[View]:
    if isinstance(wanted, int):
        return look_at(store, visit.user, project, wanted)
    return look_up(store, visit.user, project, wanted)


def _show_views(views: list[View], key: str) -> None:
    names = [view.title for view in views]
    instance_key = as_text(views[0].work.instance.key)
    chosen = 0
    if len(names) > 1:
        title = st.segmented_control(f"Annotations of {instance_key}", names, default=names[0], key=key) or names[0]
        chosen = names.index(title)
    else:
        st.caption(f"{instance_key} · {as_text(names[0])}")
    view = views[chosen]
    token_panel.read(view.work, view.project, key=f"{key}_{chosen}")
