"""What annotators get next: the order that is set, another one with its first ten texts, and setting it."""

from collections.abc import Iterable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.project.queue_orders import QueueOrder
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import AnnotatorError
from annotator.language import _, listed, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.queue.orders import (
    NextText,
    PresentOrder,
    Preview,
    choices_of,
    order_words,
    present_order,
    preview_order,
    set_order,
)
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections import built_in_offer
from annotator.web.sections.order.choice import ask_order, begin_anew
from annotator.web.session import Visit
from annotator.web.visit_times import shown_time

_WHAT_STAYS = unsaid(
    "What people hold stays with them: the text on their screen and the next one, which each has already. So the new order "
    "reaches them one text later. They see no reason. The record keeps what the order was before."
)


def show(store: Store, visit: Visit, project: Project) -> None:
    """Nothing changes before the button is pressed."""
    present = present_order(store, visit.user, project.id)
    _show_present(store, visit, project, present)
    choices = choices_of(store, visit.user, project)
    order = ask_order(project, present.order, choices)
    if order is None and not choices.models:
        built_in_offer.offer(store, visit, project, where="order")
    if order is None:
        return
    try:
        with st.spinner(_("Working out what would come first …"), show_time=True):
            preview = preview_order(store, visit.user, project.id, order)
    except AnnotatorError as error:
        st.warning(as_text(str(error)), icon=":material/info:")
        return
    sentence, button = st.columns([4, 1], vertical_alignment="center")
    sentence.markdown(_("**What would come next.** {counts}", counts=_counts(preview)))
    _show_button(store, visit, project, present, preview, button)
    st.caption(together(*map(as_text, preview.notes), _(_WHAT_STAYS)))
    if preview.texts:
        _show_texts(preview.texts, has_reasons=order.first is not None)


def _show_present(store: Store, visit: Visit, project: Project, present: PresentOrder) -> None:
    lines = [_("Texts are given out **{order}**.", order=as_text(order_words(present.order)))]
    if present.set_by and present.set_at:
        lines.append(_("{name} set this on {time}.", name=as_text(present.set_by), time=shown_time(present.set_at)))
    if present.order.first:
        lines.append(
            several(
                "{n} text that was put first still waits.",
                "{n} texts that were put first still wait.",
                present.n_waiting,
            )
        )
    st.markdown(together(*lines))
    if present.gone:
        names = listed([_("“{name}”", name=name) for name in present.gone], "and")
        st.info(
            _(
                "Nothing of {names} is stored any more. The texts keep the positions that it gave them.",
                names=as_text(names),
            ),
            icon=":material/history:",
        )
    elif present.is_old:
        st.info(
            _(
                "What it goes by has changed since. The texts keep their positions; set the order again to follow the change."
            ),
            icon=":material/history:",
        )
    if present.before is not None and present.before != present.order:
        _show_way_back(store, visit, project, present, present.before)


def _show_way_back(store: Store, visit: Visit, project: Project, present: PresentOrder, before: QueueOrder) -> None:
    sentence, button = st.columns([4, 1], vertical_alignment="center")
    sentence.caption(_("Before that they were given out {order}.", order=as_text(order_words(before))))
    if pressed(_("Set it back"), container=button, width="stretch", key="order_back"):
        _set(store, visit, project, before, present.revision)


def _counts(preview: Preview) -> str:
    if preview.order.first is None:
        return several("{n} text waits.", "{n} texts wait.", preview.n_free)
    return several(
        "{n} text waits; {n_known} of them can be ranked so, and {n_first} come first.",
        "{n} texts wait; {n_known} of them can be ranked so, and {n_first} come first.",
        preview.n_free,
        n_known=f"{preview.n_known:,}",
        n_first=f"{preview.n_first:,}",
    )


def _show_texts(texts: Iterable[NextText], *, has_reasons: bool) -> None:
    st.dataframe(
        [
            {
                "text": first_words(text.text),
                "label": "–" if text.label is None else text.label or _("(no answer)"),
                **({"why now": text.reason or _("follows in the order of the rest")} if has_reasons else {}),
                "key": text.key,
            }
            for text in texts
        ],
        hide_index=True,
        key="order_texts",
        column_config={
            "text": st.column_config.TextColumn(_("text"), width=280),
            "label": st.column_config.TextColumn(_("label"), width=80),
            "why now": st.column_config.TextColumn(_("why now"), width=500),
            "key": st.column_config.TextColumn(_("key"), width=100),
        },
    )


def _show_button(
    store: Store, visit: Visit, project: Project, present: PresentOrder, preview: Preview, container: DeltaGenerator
) -> None:
    """Sets what was shown when it was pressed; whoever was overtaken by another lead meanwhile is told."""
    seen = st.session_state.get(_shown_key(project), preview.revision)
    st.session_state[_shown_key(project)] = preview.revision
    is_set = preview.order == present.order
    is_idle = preview.n_first == 0 if preview.order.first else is_set
    if not pressed(
        _("Draw it anew") if is_set and preview.order.first else _("Set this order"),
        container=container, type="primary", width="stretch", key="order_set", disabled=is_idle,
    ):  # fmt: skip
        return
    _set(store, visit, project, preview.order, seen)


def _shown_key(project: Project) -> str:
    return f"order_shown_{project.id}"


def _set(store: Store, visit: Visit, project: Project, order: QueueOrder, revision: int) -> None:
    """The fields begin with what is set then."""
    try:
        set_order(store, visit.user, project.id, order, revision=revision)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    begin_anew(project)
    st.session_state.pop(_shown_key(project), None)
    st.toast(_("The order is set."), icon=":material/check:")
    st.rerun()
