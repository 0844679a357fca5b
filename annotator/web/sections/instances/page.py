"""The project's instances, searched and paged; those that are ticked, and one of them to look at."""

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.project.instance_search import PART_NAMES
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import AnnotatorError
from annotator.usecases.databases import Store
from annotator.usecases.lead.instance_search import PAGE_SIZE, FoundInstance, FoundPage, search_instances
from annotator.usecases.project.projects import InstanceRow
from annotator.web.copy_link import copy_link
from annotator.web.frame import as_text
from annotator.web.page_parts import asked_instance
from annotator.web.sections import comparison, splits
from annotator.web.sections.instances import changes, fields
from annotator.web.session import Visit

_HEIGHT = 320  # pixels: the selected instance stays in sight below the list


def show(store: Store, visit: Visit, project: Project) -> None:
    """What is searched for, a page of it, and an instance with everybody's sets: the one ticked, else the address's."""
    of_the_address = st.container()
    wanted = fields.show(store, visit, project)
    ticked = _show_found(store, visit, project, wanted)
    splits.show(store, visit, project)
    key = st.text_input("To look at a text, tick it alone or type its key", key="project_look_key").strip()
    if key or len(ticked) == 1:
        comparison.show(store, visit, project, ticked[0] if len(ticked) == 1 else key)
    elif instance_id := asked_instance():
        with of_the_address:
            comparison.show(store, visit, project, instance_id)
    fields.end(wanted)


def _show_found(store: Store, visit: Visit, project: Project, wanted: fields.Fields) -> list[int]:
    """One page of what is found; answers what is ticked on it."""
    try:
        page = _page_of(store, visit, project, wanted)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return []
    if not page.n:
        st.info("Nothing is found. Search for a shorter piece, or take a filter away.", icon=":material/search_off:")
        return []
    if wanted.search.folded_words:
        ticked = [hit.row.id for hit in page.instances if _show_hit(hit)]
    else:
        ticked = _show_rows([hit.row for hit in page.instances], project)
    changes.show(store, visit, project, wanted, page.n, ticked)
    return ticked


def _page_of(store: Store, visit: Visit, project: Project, wanted: fields.Fields) -> FoundPage:
    """The page that is chosen, with how many are found above it."""
    line, number, link = st.columns([4, 1, 1], vertical_alignment="bottom")
    first = search_instances(store, visit.user, project, wanted.search, page=1)
    pages = max(1, -(-first.n // PAGE_SIZE))
    chosen = int(
        number.number_input(f"Page of {pages:,}", 1, pages, key=wanted.choices.number(fields.PAGE, 1, pages, 1))
    )
    line.markdown(f"**{counted(first.n, 'text')}**")
    with link:
        copy_link(fields.link_of(project, wanted), key=f"project_search_link_{project.id}")
    return first if chosen == 1 else search_instances(store, visit.user, project, wanted.search, page=chosen)


def _show_hit(hit: FoundInstance) -> bool:
    """A line of an instance with what was found in it; whether it is ticked."""
    row = hit.row
    name = as_text(f"{row.key} · {row.split}" if row.split else row.key)
    others = [PART_NAMES[part] for part in hit.parts if part != hit.part]
    more = f" · also in {', '.join(others)}" if others else ""
    part = "" if hit.part in {None, "text"} else f"{PART_NAMES[hit.part]}: "
    return st.checkbox(f"{part}{_highlighted(hit)} :gray[{name} · {row.state}{more}]", key=f"project_hit_{row.id}")


def _highlighted(hit: FoundInstance) -> str:
    """The line of context in Markdown; the words that were looked for on a coloured ground."""
    if hit.context is None:
        return as_text(first_words(hit.row.excerpt))
    pieces = []
    for number, piece in enumerate(hit.context.pieces):
        text = as_text(piece)
        pieces.append(f":orange-background[{text}]" if number % 2 and piece.strip() else text)
    return "".join(pieces)


def _show_rows(rows: list[InstanceRow], project: Project) -> list[int]:
    """The rows as a table; answers the ids of those that are ticked."""
    selection = st.dataframe(
        [_line(row) for row in rows],
        hide_index=True,
        height=_HEIGHT,
        key=f"project_list_{project.id}_{rows[0].id}_{rows[-1].id}_{len(rows)}",
        column_config={
            "text": st.column_config.TextColumn(width="large"),
            "key": st.column_config.TextColumn(width="small"),
        },
        on_select="rerun",
        selection_mode="multi-row",
    )
    return [rows[number].id for number in selection["selection"]["rows"]]


def _line(row: InstanceRow) -> dict[str, object]:
    return {
        "text": first_words(row.excerpt),
        "split": row.split or "–",
        "language": row.language,
        "state": row.state,
        "result": "–" if row.result is None else row.result or "(no answer)",
        "tokens": row.n_tokens,
        "annotations": row.n_annotations,
        "key": row.key,
    }
