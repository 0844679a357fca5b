"""The doors of a project: each with its link and its numbers, a form for a new one, and the look-up of codes."""

import os
from urllib.parse import urlsplit

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.project.recruitment import Door, DoorState
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, several, unsaid
from annotator.usecases.crowd.doors import DoorView, change_door, doors_of, make_door, payments_csv, set_door_state
from annotator.usecases.crowd.visits import TrainingFirst, training_first
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections.crowd import codes, form, work_ends
from annotator.web.sections.people.roles import show_answers
from annotator.web.session import Visit

_STATES: dict[DoorState, str] = {
    "open": unsaid("open: workers come in"),
    "paused": unsaid("paused: nobody new comes in"),
    "closed": unsaid("closed"),
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """Off until a lead makes a door and opens it."""
    st.subheader(_("Crowd doors"), anchor=False)
    st.caption(
        _(
            "A link for workers of a platform such as Prolific or MTurk. Each gets an account with a drawn name, marks as "
            "many texts as you say, sees nothing but the work, and gets a code at the end. They are not listed among the "
            "people above."
        )
    )
    views = doors_of(store, visit.user, project.id)
    training = training_first(store, project.id)
    for view in views:
        _show_door(store, visit, project, view)
    if training is not None:
        _show_training(training)
    if views:
        work_ends.show(store, visit, project)
        codes.show(store, visit, project)
    with st.expander(_("Make a crowd door"), expanded=False, key="crowd_new"):
        st.caption(_("A new door is paused: nobody comes in by it before you open it."))
        rules = form.ask(project, None)
        if rules is not None and _is_done(lambda: make_door(store, visit.user, project.id, rules)):
            st.rerun()


def _show_door(store: Store, visit: Visit, project: Project, view: DoorView) -> None:
    door, key = view.door, f"crowd_{view.door.id}"
    with st.container(border=True, key=key):
        st.markdown(f"**{as_text(door.rules.name)}** · {_(_STATES[door.state])}")
        st.markdown(_numbers(view))
        if door.state != "closed":
            st.code(_link(door), language=None)
            _show_hint(door)
        _show_buttons(store, visit, view)
        if door.state != "closed":
            with st.expander(_("Change"), key=f"{key}_change"):
                rules = form.ask(project, door)
                if rules is not None and _is_done(lambda: change_door(store, visit.user, door.id, rules)):
                    st.rerun()


def _show_training(training: TrainingFirst) -> None:
    """What stands before a worker's first text, since their time runs meanwhile."""
    if not training.n_texts:
        st.warning(
            _(
                "Annotators are trained here before they get texts, and no training text is picked: whoever comes in by a door "
                "gets nothing. Pick some under Training, or switch the training off there."
            ),
            icon=":material/school:",
        )
        return
    st.info(
        several(
            "Whoever comes in by a door does {n} training text first, with {tries}. It counts neither for the texts of the door "
            "nor for the code, and their minutes run meanwhile. Who does not pass gets no text and no code.",
            "Whoever comes in by a door does {n} training texts first, with {tries}. They count neither for the texts of the "
            "door nor for the code, and their minutes run meanwhile. Who does not pass gets no text and no code.",
            training.n_texts,
            tries=counted(training.tries, "try", "tries"),
        ),
        icon=":material/school:",
    )


def _numbers(view: DoorView) -> str:
    rules = view.door.rules
    return several(
        "{n} worker of this door: {working} at work, {finished} of {most_workers} finished, {left} stopped, {out_of_time} "
        "ran out of time. {texts} each within {minutes}, at most {at_once} at once.",
        "{n} workers of this door: {working} at work, {finished} of {most_workers} finished, {left} stopped, {out_of_time} "
        "ran out of time. {texts} each within {minutes}, at most {at_once} at once.",
        view.came,
        working=f"{view.working:,}",
        finished=f"{view.finished:,}",
        most_workers=f"{rules.most_workers:,}",
        left=f"{view.left:,}",
        out_of_time=f"{view.out_of_time:,}",
        texts=counted(rules.quota, "text"),
        minutes=counted(rules.minutes, "minute"),
        at_once=f"{rules.at_once:,}",
    )


def _show_hint(door: Door) -> None:
    if door.rules.parameter:
        st.caption(
            _(
                "The platform puts the worker's id into the parameter {parameter}; where it does not, the page asks for it. Only "
                "a hash of it is kept.",
                parameter=as_text(door.rules.parameter),
            )
        )
    else:
        st.caption(
            _("No id of a platform is asked for: whoever opens the link in another browser may begin once more.")
        )


def _show_buttons(store: Store, visit: Visit, view: DoorView) -> None:
    door, key = view.door, f"crowd_{view.door.id}"
    turn, close, take = st.columns(3)
    if door.state == "paused" and pressed(_("Open the door"), type="primary", container=turn, key=f"{key}_open"):
        set_door_state(store, visit.user, door.id, "open")
        st.rerun()
    if door.state == "open" and pressed(_("Pause"), container=turn, key=f"{key}_pause"):
        set_door_state(store, visit.user, door.id, "paused")
        st.rerun()
    if door.state != "closed" and pressed(_("Close for good"), container=close, key=f"{key}_close"):
        st.dialog(_("Close this door?"))(_ask_to_close)(door)
    if view.came:
        take.download_button(
            _("Codes as CSV"),
            payments_csv(store, visit.user, door.id),
            f"codes-{door.id}.csv",
            "text/csv",
            key=f"{key}_csv",
        )


def _ask_to_close(door: Door) -> None:
    st.markdown(
        _(
            "Nobody new comes in by “{name}” any more, and it cannot be opened again. Who is at work goes on until they have "
            "finished or their time is up. Codes can still be looked up.",
            name=as_text(door.rules.name),
        )
    )
    show_answers(
        _("Close it"), _("Keep it"), key=f"crowd_{door.id}_closing",
        act=lambda store, visit: set_door_state(store, visit.user, door.id, "closed"),
    )  # fmt: skip


def _is_done(act: "form.Act") -> bool:
    try:
        act()
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return False
    return True


def _link(door: Door) -> str:
    """As people reach the server; the platform's placeholder for the id is the lead's to add (docs/crowd.md)."""
    page = urlsplit(st.context.url or "")
    address = os.environ.get("ANNOTATOR_URL", f"{page.scheme}://{page.netloc}").rstrip("/")
    return f"{address}/crowd/{door.token}{form.placeholder(door.rules.parameter)}"
