"""The fields of a door, for a new one and for one that is changed."""

import datetime as dt
from collections.abc import Callable

import streamlit as st

from annotator.domain.project.recruitment import Door, DoorRules
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _
from annotator.web.frame import as_text
from annotator.web.presses import submitted

Act = Callable[[], object]

_PARAMETERS = {"PROLIFIC_PID": "?PROLIFIC_PID={{%PROLIFIC_PID%}}"}
_FIELDS = (
    "name",
    "workers",
    "quota",
    "minutes",
    "at_once",
    "until",
    "parameter",
    "address",
    "introduction",
    "must_read",
)


def placeholder(parameter: str) -> str:
    """What the platform wants to find in the link, where it is one that we know."""
    return _PARAMETERS.get(parameter, "")


def ask(project: Project, door: Door | None) -> DoorRules | None:
    """The rules that somebody gave and sent; what is wrong with them is said below."""
    rules = door.rules if door else DoorRules("Pilot", 20, 20, parameter="PROLIFIC_PID")
    keys = {name: f"crowd_{door.id if door else 'new'}_{project.id}_{name}" for name in _FIELDS}
    with st.form(f"crowd_form_{door.id if door else 'new'}", border=False):
        _draw(rules, keys)
        word = "Save" if door else _("Make the door")
        held = submitted(word, type="primary", key=f"{keys['name']}_go", fields=tuple(keys.values()))
    if held is None:
        return None
    try:
        return _rules_of({name: held[key] for name, key in keys.items()})
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return None


def _draw(rules: DoorRules, keys: dict[str, str]) -> None:
    name, workers, quota = st.columns(3, gap="large")
    name.text_input(_("Name of the door"), rules.name, max_chars=100, key=keys["name"])
    workers.number_input(
        _("Workers in all"), 1, 100_000, rules.most_workers, key=keys["workers"],
        help=_("Who stops or runs out of time makes room for somebody else."),
    )  # fmt: skip
    quota.number_input(_("Texts for each worker"), 1, 10_000, rules.quota, key=keys["quota"])
    minutes, at_once, until = st.columns(3, gap="large")
    minutes.number_input(_("Minutes for a visit"), 1, 7 * 24 * 60, rules.minutes, key=keys["minutes"])
    at_once.number_input(_("At work at once"), 1, 10_000, rules.at_once, key=keys["at_once"])
    until.date_input(
        _("Open until the end of"), None if rules.until is None else dt.date.fromisoformat(rules.until[:10]),
        key=keys["until"], help=_("Nobody new comes in after that day (UTC). Empty: until you close it."),
    )  # fmt: skip
    parameter, address = st.columns([1, 2], gap="large")
    parameter.text_input(
        _("Parameter with the platform's id"), rules.parameter, key=keys["parameter"],
        help=_("PROLIFIC_PID at Prolific, workerId at MTurk. Empty: nobody is known again."),
    )  # fmt: skip
    address.text_input(
        _("Return address"), rules.return_address, key=keys["address"], max_chars=500,
        placeholder="https://app.prolific.com/submissions/complete?cc=ABC123",
        help=_("Where a worker who has finished goes. {code} stands for the worker's own code. Empty: they paste the code."),
    )  # fmt: skip
    st.text_area(
        _("Shown before they begin"), rules.introduction, key=keys["introduction"], max_chars=5000,
        help=_("What it is about, who you are, what becomes of their marks, whom to write to."),
    )  # fmt: skip
    st.checkbox(_("The guidelines must be read before anything is submitted"), rules.must_read, key=keys["must_read"])


def _rules_of(held: dict[str, object]) -> DoorRules:
    until = held["until"]
    return DoorRules(
        name=str(held["name"]).strip(),
        most_workers=int(str(held["workers"])),
        quota=int(str(held["quota"])),
        minutes=int(str(held["minutes"])),
        at_once=int(str(held["at_once"])),
        until=f"{until.isoformat()}T23:59:59.999Z" if isinstance(until, dt.date) else None,
        parameter=str(held["parameter"]).strip(),
        return_address=str(held["address"]).strip(),
        introduction=str(held["introduction"]).strip(),
        must_read=bool(held["must_read"]),
    )
