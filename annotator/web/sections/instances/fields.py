"""What is searched for on the Instances section: its fields, and the address that says the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.instances import InstanceState
from annotator.domain.project import search as search_values
from annotator.domain.projects import Project
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.instance_search import SearchChoices, search_choices
from annotator.usecases.project.projects import events_of
from annotator.web.frame import as_text
from annotator.web.page_choices import Choice, PageChoices, Params
from annotator.web.session import Visit, is_just_opened

WORDS = Choice("words", unsaid("Words"))
STATE = Choice("state", unsaid("State"))
PARTS = Choice("within", unsaid("Search in"))
LABEL = Choice("label", unsaid("Label"))
SPLIT = Choice("split", unsaid("Split"))
ANNOTATOR = Choice("by", unsaid("Annotated by"))
NOTE = Choice("note", unsaid("Note"))
TALK = Choice("talk", unsaid("Discussion"))
EXHAUSTIVE = Choice("exhaustive", unsaid("Exhaustive"))
IMPORTED = Choice("imported", unsaid("Imported on (UTC)"))
LIST = Choice("list", unsaid("On the list"))
NAMED = Choice("for", unsaid("Assigned to"))
PAGE = Choice("page", unsaid("Page"))
CHOICES = (WORDS, STATE, PARTS, LABEL, SPLIT, ANNOTATOR, NOTE, TALK, EXHAUSTIVE, IMPORTED, LIST, NAMED, PAGE)

T = TypeVar("T", bound=str)

_OTHERS = ("section", "project", "instance")  # in the address of the page, and no business of the search
_STATES: dict[str, InstanceState | None] = {
    unsaid("all"): None,
    unsaid("open"): "open",
    unsaid("complete"): "complete",
    unsaid("with the lead"): "held",
    unsaid("discarded"): "discarded",
}
_ANY = unsaid("any")
_NO_SPLIT, _UNLABELLED = unsaid("no split"), unsaid("no label")
_NOTES = {_ANY: None, unsaid("with a note"): True, unsaid("without a note"): False}
_TALK = {"open": unsaid("open question for the lead"), "any": unsaid("any discussion"), "none": unsaid("no discussion")}
_EXHAUSTIVE = {
    "yes": unsaid("marked as exhaustive"),
    "no": unsaid("marked as not exhaustive"),
    "unsaid": unsaid("not marked"),
}
_CHOICES_KEY = "search_choices"


@dataclass(frozen=True, slots=True)
class Fields:
    """What the fields of a project hold in this visit, and the places of the page and of the link to it."""

    choices: PageChoices
    search: search_values.Search
    of_page: DeltaGenerator
    of_link: DeltaGenerator


def is_searched_by_address() -> bool:
    """Whether the address of the page names a search."""
    return any(choice.name in st.query_params for choice in CHOICES)


def show(store: Store, visit: Visit, project: Project) -> Fields:
    """The field for words, the filters behind a button, and the states."""
    choices = PageChoices(st.session_state, "project_search", project.id, CHOICES)
    choices.begin(_address(), is_arrival=is_just_opened())
    possible = _possible(store, visit, project)
    field, of_states, of_page, more = st.columns([10, 4, 3, 4], vertical_alignment="bottom")
    words = field.text_input(
        _("Search texts, IDs, notes, comments and discussion"), key=choices.text(WORDS, search_values.LONGEST_WORDS),
        placeholder=_("Any substring, case-insensitive"), max_chars=search_values.LONGEST_WORDS
    )  # fmt: skip
    with more.popover(_("Filters"), icon=":material/tune:", width="stretch"):
        filters = _show_filters(project, choices, possible)
        of_link = st.container()
    states = list(_STATES)
    state = of_states.selectbox(_("Show"), states, format_func=_, key=choices.one(STATE, states, "all"))
    return Fields(
        choices, search_values.Search(words=words, state=_STATES[state or "all"], **filters), of_page, of_link
    )


def end(fields: Fields) -> None:
    """Let the address follow what is searched for; after the last control."""
    params = fields.choices.end(is_whole=True)
    if params is not None:
        others = {name: st.query_params.get_all(name) for name in _OTHERS if name in st.query_params}
        st.query_params.from_dict({**others, **{name: list(texts) for name, texts in params.items()}})


def link_of(project: Project, fields: Fields) -> Params:
    """The whole address of what is searched for."""
    return {"project": (str(project.id),), **fields.choices.params()}


def _address() -> Params:
    return {name: tuple(st.query_params.get_all(name)) for name in st.query_params if name not in _OTHERS}


def _possible(store: Store, visit: Visit, project: Project) -> SearchChoices:
    """Read anew only when something has happened since: it is read from the whole project."""
    newest = [event.id for event in events_of(store, visit.user, project.id, limit=1)]
    cached = st.session_state.get(_CHOICES_KEY)
    if cached is None or cached[0] != (project.id, newest):
        cached = ((project.id, newest), search_choices(store, visit.user, project))
        st.session_state[_CHOICES_KEY] = cached
    possible: SearchChoices = cached[1]
    return possible


def _show_filters(project: Project, choices: PageChoices, possible: SearchChoices) -> dict[str, Any]:
    """The filters; answers what they say, as `Search` calls it."""
    within = st.pills(
        _("Search in"), search_values.SEARCHED_PARTS, selection_mode="multi",
        format_func=lambda part: _(search_values.PART_NAMES[part]),
        key=choices.several(PARTS, search_values.SEARCHED_PARTS, search_values.SEARCHED_PARTS)
    )  # fmt: skip
    of_label = {_UNLABELLED: _(_UNLABELLED)}
    label = _select(_("Label"), LABEL, choices, [_UNLABELLED, *project.labels], of_label) if project.labels else None
    of_split = {_NO_SPLIT: _(_NO_SPLIT)}
    split = _select(_("Split"), SPLIT, choices, [name or _NO_SPLIT for name in possible.splits], of_split)
    note = _NOTES[
        st.selectbox(_("Annotators' notes"), list(_NOTES), format_func=_, key=choices.one(NOTE, list(_NOTES), _ANY))
    ]
    imported = _select(_("Imported on (UTC)"), IMPORTED, choices, possible.days)
    named = {str(number): name for number, name in possible.lists.items()}
    list_id = _select(_("On the list"), LIST, choices, list(named), named)
    return {
        "parts": tuple(part for part in search_values.SEARCHED_PARTS if part in within) or search_values.SEARCHED_PARTS,
        "label": None if label == _UNLABELLED else label,
        "is_unlabelled": label == _UNLABELLED,
        "split": "" if split == _NO_SPLIT else split,
        "annotator": _select(_("Annotated by"), ANNOTATOR, choices, possible.annotators),
        "has_note": note,
        "talk": _select(_("Discussion"), TALK, choices, search_values.TALK_STATES, _spoken(_TALK)),
        "exhaustive": _select(_("Exhaustive"), EXHAUSTIVE, choices, search_values.EXHAUSTIVENESS, _spoken(_EXHAUSTIVE)),
        "imported_from": imported,
        "imported_to": imported,
        "list_id": None if list_id is None else int(list_id),
        "named": _select(_("Assigned to"), NAMED, choices, possible.people),
    }


def _select(
    label: str, choice: Choice, choices: PageChoices, options: Sequence[T], names: Mapping[str, str] | None = None
) -> T | None:
    """A choice among some texts, or any of them; answers None for any."""
    words = names or {}
    return st.selectbox(
        label, [None, *options], key=choices.one(choice, [None, *options], None, write=lambda value: value or ""),
        format_func=lambda value: _(_ANY) if value is None else as_text(words.get(value, value)), placeholder=_(_ANY)
    )  # fmt: skip


def _spoken(names: Mapping[str, str]) -> dict[str, str]:
    return {value: _(name) for value, name in names.items()}
