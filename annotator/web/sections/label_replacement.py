"""Dialogs on labels: to add, rename or map one, and for one that cannot be removed, since something uses it."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import InvalidValue
from annotator.language import _, listed, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.project.labels import (
    NOT_UNDONE,
    UNDONE,
    LabelEffects,
    LabelUses,
    add_label,
    label_effects,
    map_label,
    rename_label,
    replace_label,
    uses_of,
)
from annotator.usecases.project.projects import find_project
from annotator.web.frame import as_text
from annotator.web.page_parts import open_instance
from annotator.web.presses import pressed
from annotator.web.session import Visit, current_visit, page_store

_NAMED_CHARACTERS = 60
Changed = TypeVar("Changed")
_CARRY = unsaid(
    "Texts, annotations and drafts carry it, and what models answered and explained. Pages that are open now go on: what they "
    "still send under the old label is stored under the other one."
)


def dialog(project: Project, label: str, wanted: tuple[str, ...]) -> None:
    """For a label that is used and is not among those of the form any more."""
    st.dialog(_("Replace a label"), width="medium")(_show_replacing)(project, label, wanted)


def _show_replacing(project: Project, label: str, wanted: tuple[str, ...]) -> None:
    """It runs again by itself, when the page's own connection is closed: so it opens one. wanted: the labels of the form."""
    with page_store() as store:
        visit = current_visit(store)
        uses = uses_of(store, visit.user, project, label)
        st.markdown(
            _("The label “{label}” cannot be removed: it is used by {uses}.", label=as_text(label), uses=uses.told)
        )
        _show_texts(uses)
        others = [other for other in sorted({*wanted, *project.labels}, key=_new_ones_first(project)) if other != label]
        if uses.refusal or not others:
            st.info(as_text(uses.refusal) or _("Write another label into the rules first."), icon=":material/info:")
            return
        by = st.selectbox(
            _("Replace “{label}” by", label=as_text(label)), others, key=f"replace_label_{project.id}_{label}"
        )
        is_new = by not in project.labels
        _show_effects(label_effects(store, visit.user, project, label), UNDONE if is_new else NOT_UNDONE)
        if pressed(_("Replace the label"), type="primary", key="replace_label_go"):
            try:
                report = replace_label(store, visit.user, project, label, by)
            except InvalidValue as error:
                st.error(as_text(str(error)), icon=":material/error:")
                return
            st.session_state["rules_told"] = _(
                "“{label}” is replaced by “{by}”: {report}. Your other changes are not saved yet.",
                label=label,
                by=by,
                report=report,
            )
            st.rerun()


def _new_ones_first(project: Project) -> Callable[[str], tuple[int, str]]:
    """Whoever writes a new label in the place of an old one means to rename it."""
    return lambda label: (project.labels.index(label) + 1 if label in project.labels else 0, label)


def _show_texts(uses: LabelUses) -> None:
    if not uses.texts:
        return
    st.caption(_("Look at the first of them:"))
    with st.container(gap=None):
        for row in uses.texts:
            words = as_text(first_words(row.excerpt, _NAMED_CHARACTERS) or row.key)
            if st.button(
                words, icon=":material/arrow_forward:", key=f"label_text_{row.id}", type="tertiary",
                on_click=open_instance, args=(row.id,),
            ):  # fmt: skip
                st.rerun()


def changes_dialog(project: Project) -> None:
    """One label more, another name, or two that become one, with what it does before it is done."""
    st.dialog(_("Labels"), width="medium")(_show_changes)(project)


def _show_changes(project: Project) -> None:
    with page_store() as store:
        visit = current_visit(store)
        project = find_project(store, project.name)
        act = st.segmented_control(
            _("What to do"), list(_ACTS), required=True, default=_ADD, key=f"labels_act_{project.id}", format_func=_
        )
        outcome = _ACTS[act or _ADD](store, visit, project)
        if outcome is not None:
            st.session_state["rules_told"] = outcome
            _forget_labels(project)
            st.rerun()


def labels_key(project: Project) -> str:
    """Of the field of the rules: another one after each change here, which shows the labels as they are then."""
    turn = st.session_state.get(_turn_key(project), 0)
    return f"rules_labels_{project.id}" + (f"_{turn}" if turn else "")


def _forget_labels(project: Project) -> None:
    st.session_state[_turn_key(project)] = st.session_state.get(_turn_key(project), 0) + 1


def _turn_key(project: Project) -> str:
    return f"rules_labels_turn_{project.id}"


def _add(store: Store, visit: Visit, project: Project) -> str | None:
    name = st.text_input(_("Name of the new label"), key=f"labels_new_{project.id}")
    st.caption(_("What is marked stays as it is. People who mark now are offered it with their next text."))
    if not pressed(_("Add the label"), type="primary", key="labels_add"):
        return None
    changed = _tried(lambda: add_label(store, visit.user, project, name))
    return None if changed is None else _("The labels are now: {labels}.", labels=listed(changed.labels))


def _rename(store: Store, visit: Visit, project: Project) -> str | None:
    label = st.selectbox(_("Label"), project.labels, key=f"labels_old_{project.id}")
    name = st.text_input(_("Its new name"), key=f"labels_name_{project.id}")
    _show_effects(label_effects(store, visit.user, project, label), UNDONE)
    if not pressed(_("Rename the label"), type="primary", key="labels_rename"):
        return None
    report = _tried(lambda: rename_label(store, visit.user, project, label, name))
    return (
        None
        if report is None
        else _("“{label}” is now “{name}”: {report}.", label=label, name=name.strip(), report=report)
    )


def _map(store: Store, visit: Visit, project: Project) -> str | None:
    label = st.selectbox(_("Label"), project.labels, key=f"labels_old_{project.id}")
    others = [other for other in project.labels if other != label]
    other = st.selectbox(_("Put it under"), others, key=f"labels_other_{project.id}")
    _show_effects(label_effects(store, visit.user, project, label), NOT_UNDONE)
    if not pressed(_("Map the label"), type="primary", key="labels_map"):
        return None
    report = _tried(lambda: map_label(store, visit.user, project, label, other))
    return (
        None if report is None else _("“{label}” is now “{other}”: {report}.", label=label, other=other, report=report)
    )


_ADD = unsaid("Add one")
_ACTS = {_ADD: _add, unsaid("Rename one"): _rename, unsaid("Map one to another"): _map}


def _tried(act: Callable[[], Changed]) -> Changed | None:
    try:
        return act()
    except InvalidValue as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return None


def _show_effects(effects: LabelEffects, undoing: str) -> None:
    changes = listed(effects.changes) or _("nothing that is stored")
    st.markdown(_("**It changes:** {changes}.", changes=as_text(changes)))
    if effects.changes:
        st.caption(_(_CARRY))
    st.markdown("\n".join(f"- {as_text(sentence)}" for sentence in (*effects.stays, _(undoing))))
