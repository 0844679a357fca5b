"""The project's instances, searched and paged; those that are ticked, and one of them to look at."""

import re
from collections.abc import Sequence

import streamlit as st

from annotator.domain.instances import InstanceState
from annotator.domain.project.search import PART_NAMES
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import AnnotatorError
from annotator.language import _, in_brackets, listed, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.instance_search import PAGE_SIZE, FoundInstance, FoundPage, search_instances
from annotator.usecases.project.projects import InstanceRow
from annotator.web.components import copy_link
from annotator.web.frame import as_text
from annotator.web.page_parts import ask_page, asked_instance
from annotator.web.sections import comparison
from annotator.web.sections.evidence import page as evidence
from annotator.web.sections.instances import changes, fields
from annotator.web.sections.instances import changes as splits
from annotator.web.session import Visit

_BLANKS = re.compile(" {2,}")
_SIGNS = re.compile(r"[\W_]+")
_HEIGHT = 320  # pixels: the selected instance stays in sight below the list
_STATES: dict[InstanceState, str] = {
    "open": unsaid("open"),
    "complete": unsaid("complete"),
    "held": unsaid("with the lead"),
    "discarded": unsaid("discarded"),
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """What is searched for, a page of it, and an instance with everybody's sets: the one asked for, else the address's."""
    of_the_address = st.container()
    wanted = fields.show(store, visit, project)
    ticked = _show_found(store, visit, project, wanted)
    if key := _ask_key(ticked):
        comparison.show(store, visit, project, key)
    elif instance_id := asked_instance():
        with of_the_address:
            comparison.show(store, visit, project, instance_id)
    with (buttons := st.container(horizontal=True)):
        splits.show_splits(store, visit, project)
    evidence.show(store, visit, project, buttons)
    fields.end(wanted)


def _ask_key(ticked: Sequence[InstanceRow]) -> str:
    """The key of a text to look at. A tick alone shows nothing: who saw what others marked is not given the text."""
    field, button = st.columns([4, 1], vertical_alignment="bottom")
    if len(ticked) == 1:
        button.button(_("Open selected text"), key="project_look", on_click=_look, args=(ticked,), width="stretch")
    return field.text_input(_("Select a text, or type its ID"), key="project_look_key").strip()


def _look(ticked: Sequence[InstanceRow]) -> None:
    st.session_state["project_look_key"] = ticked[0].key


def _show_found(store: Store, visit: Visit, project: Project, wanted: fields.Fields) -> list[InstanceRow]:
    """One page of what is found, below what can be done with it; answers what is ticked on the page."""
    try:
        page = _page_of(store, visit, project, wanted)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return []
    bar = st.container()
    if not page.n:
        st.info(_("Nothing found. Change the search or filters."), icon=":material/search_off:")
        ticked: list[InstanceRow] = []
    elif wanted.search.folded_words:
        ticked = [hit.row for hit in page.instances if _show_hit(hit)]
    else:
        ticked = _show_rows(page.instances, project)
    with bar:
        changes.show(store, visit, project, wanted.search, page.n, [row.id for row in ticked])
    return ticked


def _page_of(store: Store, visit: Visit, project: Project, wanted: fields.Fields) -> FoundPage:
    """The page that is chosen."""
    first = search_instances(store, visit.user, project, wanted.search, page=1)
    pages = max(1, -(-first.n // PAGE_SIZE))
    key = wanted.choices.number(fields.PAGE, 1, pages, 1)
    chosen = ask_page(pages, key=key, parent=wanted.of_page)
    with wanted.of_link:
        copy_link(fields.link_of(project, wanted), key=f"project_search_link_{project.id}")
    return first if chosen == 1 else search_instances(store, visit.user, project, wanted.search, page=chosen)


def _show_hit(hit: FoundInstance) -> bool:
    """A line of an instance with what was found in it; whether it is ticked."""
    row = hit.row
    box, line = st.columns([1, 30], gap="small", vertical_alignment="center")
    name = _("Select {key}", key=_SIGNS.sub(" ", row.key).strip())  # spoken as it stands, with no Markdown in it
    key = f"project_hit_{row.id}_{changes.n_made()}"
    is_ticked = box.checkbox(name, key=key, label_visibility="collapsed")
    line.markdown(f"{_line_of(hit)} :gray[{' · '.join(_about(hit))}]")
    return is_ticked


def _line_of(hit: FoundInstance) -> str:
    """Where the words stand; of a key that was found, which stands behind the line, the text's beginning."""
    if hit.part == "key":
        return as_text(first_words(hit.row.excerpt))
    part = "" if hit.part in {None, "text"} else f"{_(PART_NAMES[hit.part])}: "
    return f"{part}{_highlighted(hit)}"


def _about(hit: FoundInstance) -> list[str]:
    row = hit.row
    key = _highlighted(hit) if hit.part == "key" else as_text(row.key)
    others = [_(PART_NAMES[part]) for part in hit.parts if part != hit.part]
    about = [key, as_text(row.split), _(_STATES[row.state])]
    about += [as_text(_for_whom(hit))] if hit.named else []
    about += [_("also in {others}", others=listed(others))] if others else []
    return [words for words in about if words]


def _highlighted(hit: FoundInstance) -> str:
    """The line of context in Markdown; the words that were looked for on a coloured ground."""
    if hit.context is None:
        return as_text(first_words(hit.row.excerpt))
    pieces = [_in_line(piece, is_hit=number % 2 == 1) for number, piece in enumerate(hit.context.pieces)]
    return _BLANKS.sub(" ", "".join(pieces)).strip()


def _in_line(piece: str, *, is_hit: bool) -> str:
    """A piece of the line; blanks at its ends stand outside of the marks, within which they would undo these."""
    words = as_text(piece.strip())
    if not words:
        return piece
    marked = f":orange-background[**{words}**]" if is_hit else words
    return f"{' ' if piece[0].isspace() else ''}{marked}{' ' if piece[-1].isspace() else ''}"


def _for_whom(hit: FoundInstance) -> str:
    people = listed(hit.named)
    return _("first for {people}", people=people) if hit.named_as == "first" else _("only for {people}", people=people)


def _show_rows(hits: Sequence[FoundInstance], project: Project) -> list[InstanceRow]:
    """A table; answers those that are ticked."""
    rows = [hit.row for hit in hits]
    names_people = any(hit.named for hit in hits)
    selection = st.dataframe(
        [_line(hit.row) | ({_("for"): _for_whom(hit) if hit.named else ""} if names_people else {}) for hit in hits],
        hide_index=True,
        height=_HEIGHT,
        key=f"project_list_{project.id}_{rows[0].id}_{rows[-1].id}_{len(rows)}_{changes.n_made()}",
        column_config={_("text"): st.column_config.TextColumn(width="large")},
        on_select="rerun",
        selection_mode="multi-row",
    )
    return [rows[number] for number in selection["selection"]["rows"]]


def _line(row: InstanceRow) -> dict[str, object]:
    return {
        _("text"): first_words(row.excerpt),
        _("ID"): row.key,
        _("split"): row.split or "–",
        _("language"): row.language,
        _("state"): _(_STATES[row.state]),
        _("result"): "–" if row.result is None else row.result or in_brackets(_("no answer")),
        _("tokens"): row.n_tokens,
        _("annotations"): row.n_annotations,
    }
