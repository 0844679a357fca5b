"""How far the project is: instances by state, and what each person has done."""

from dataclasses import dataclass

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.imported_work import accepted_annotations, gold_words, imported_annotations
from annotator.usecases.open_rounds import stuck_work
from annotator.usecases.projects import Progress, events_of, progress_of
from annotator.web.frame import as_text
from annotator.web.page_parts import show_missing_labels, show_missing_people, show_stuck
from annotator.web.session import Visit

_IMPORTED_KEY = "progress_imported"
_STATES = {
    "leased": "in progress",
    "returned": "returned",
    "submitted": "submitted",
    "skipped": "skipped",
    "proposed": "proposed to discard",
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """Counts that are kept, never counted over the project; one page of the list."""
    progress = progress_of(store, visit.user, project.id)
    show_missing_labels(store, visit, project)
    if not progress.n_instances:
        st.info(
            "There are no texts in this project yet. Go to **Import** to read a file.", icon=":material/upload_file:"
        )
        return
    show_missing_people(store, visit, project)
    show_stuck(stuck_work(store, visit.user, project))
    _show_counts(progress)
    _show_people(progress, _imported(store, visit, project))


def _show_counts(progress: Progress) -> None:
    counts, n = progress.instances, progress.n_instances
    columns = st.columns(6)
    for column, (title, value) in zip(
        columns,
        {
            "Instances": n,
            "Complete": counts.get("complete", 0),
            "To annotate": counts.get("queued", 0),
            "In progress": counts.get("open", 0) - counts.get("queued", 0),
            "With the lead": counts.get("held", 0),
            "Discarded": counts.get("discarded", 0),
        }.items(),
        strict=True,
    ):
        column.metric(title, f"{value:,}")
    discarded = counts.get("discarded", 0)
    parts = f"{counts.get('complete', 0):,} complete" + (f" and {discarded:,} discarded" if discarded else "")
    percent = 100 * progress.n_done // n  # never 100 before the last one
    st.progress(percent, text=f"{percent} % done: {parts} of {n:,}")


@dataclass(frozen=True)
class _Imported:
    """What files brought: annotations by annotator, and what the gold is made from."""

    people: dict[str, int]
    gold: str


def _imported(store: Store, visit: Visit, project: Project) -> _Imported:
    """Counted anew only when something has happened since: it is counted over the whole project."""
    newest = [event.id for event in events_of(store, visit.user, project.id, limit=1)]
    kept = st.session_state.get(_IMPORTED_KEY)
    if kept is None or kept[0] != (project.id, newest):
        accepted = accepted_annotations(store, visit.user, project)
        gold = gold_words(project.settings.gold_policy, accepted) if accepted.n_several else ""
        kept = ((project.id, newest), _Imported(imported_annotations(store, visit.user, project), gold))
        st.session_state[_IMPORTED_KEY] = kept
    found: _Imported = kept[1]
    return found


def _show_people(progress: Progress, imported: _Imported) -> None:
    st.subheader("People", anchor=False)
    if imported.gold:
        st.caption(as_text(f"{imported.gold} You can change this under Rules."))
    if not progress.people and not imported.people:
        st.caption("Nobody has started yet.")
        return
    heads = [*(_STATES.values() if progress.people else ()), *(["imported"] if imported.people else ())]
    people = {name: {_STATES[state]: n for state, n in counts.items() if state in _STATES}
              for name, counts in progress.people.items()}  # fmt: skip
    people |= {f"{name} (imported)": {"imported": n} for name, n in imported.people.items()}
    rows = [{"person": name, **{head: counts.get(head, 0) for head in heads}} for name, counts in people.items()]
    st.dataframe(rows, hide_index=True, key="project_people_progress")
