"""How far the project is: instances by state, the pace, and what each annotator and reviewer has done."""

from dataclasses import dataclass

import streamlit as st

from annotator.domain.numbers import UNDEFINED, counted, duration
from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.lead.progress import WorkProgress, work_progress
from annotator.usecases.lead.undecided_rounds import stuck_work
from annotator.usecases.project.projects import Progress, events_of, progress_of
from annotator.usecases.transfer.gold_words import gold_words
from annotator.usecases.transfer.imported_work import accepted_annotations, imported_annotations
from annotator.web.frame import as_text
from annotator.web.project_warnings import show_missing_labels, show_missing_people, show_stuck
from annotator.web.sections.guidelines import show_readers
from annotator.web.session import Visit

_PEOPLE_KEY = "progress_people"
_STANDINGS = {
    "accepted": "accepted",
    "submitted": "under review",
    "returned": "returned",
    "leased": "in progress",
    "skipped": "skipped",
    "held": "with the lead",
    "discarded": "discarded",
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
    show_readers(store, visit, project)
    people, imported = _people(store, visit, project, progress)
    _show_pace(people)
    _show_annotators(people, imported)
    _show_reviewers(people)


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
    if progress.n_unseen:
        singular, plural = (
            "text was given out ahead and is not seen yet",
            "texts were given out ahead and are not seen yet",
        )
        st.caption(
            f"“To annotate” is what nobody has. Of what is in progress {counted(progress.n_unseen, singular, plural)}, since "
            "each annotator has the next text already. To annotators all that they have counts as still to annotate."
        )
    discarded = counts.get("discarded", 0)
    parts = f"{counts.get('complete', 0):,} complete" + (f" and {discarded:,} discarded" if discarded else "")
    percent = 100 * progress.n_done // n  # never 100 before the last one
    st.progress(percent, text=f"{percent} % done: {parts} of {n:,}")


@dataclass(frozen=True)
class _Imported:
    """What files brought: annotations by annotator, and what the gold is made from."""

    people: dict[str, int]
    gold: str


def _people(store: Store, visit: Visit, project: Project, progress: Progress) -> tuple[WorkProgress, _Imported]:
    """Counted anew only when something has happened since: it is counted over the whole project.

    That work was given out is no event; the counts that are kept tell it.
    """
    newest = [event.id for event in events_of(store, visit.user, project.id, limit=1)]
    counted_of = (project.id, newest, progress.instances, progress.people)
    cached = st.session_state.get(_PEOPLE_KEY)
    if cached is None or cached[0] != counted_of:
        accepted = accepted_annotations(store, visit.user, project)
        gold = gold_words(project.settings.gold_policy, accepted) if accepted.n_several else ""
        imported = _Imported(imported_annotations(store, visit.user, project), gold)
        cached = (counted_of, (work_progress(store, visit.user, project), imported))
        st.session_state[_PEOPLE_KEY] = cached
    numbers: tuple[WorkProgress, _Imported] = cached[1]
    return numbers


def _show_pace(people: WorkProgress) -> None:
    if people.annotators:
        st.markdown(people.pace)


def _show_annotators(people: WorkProgress, imported: _Imported) -> None:
    st.subheader("Annotators", anchor=False)
    if imported.gold:
        st.caption(as_text(f"{imported.gold} You can change this under Rules."))
    if not people.annotators and not imported.people:
        st.caption("Nobody has started yet.")
        return
    rows = [
        {"person": person.name, "texts": person.n_texts}
        | {head: person.standings.get(standing, 0) for standing, head in _STANDINGS.items()}
        | {"last submission": _ago(person.days_since)}
        for person in people.annotators
    ]
    if people.annotators:
        st.dataframe(rows, hide_index=True, key="project_people_progress")
        st.caption(
            "A text counts once for each of its annotators, as it stands now: the columns from “accepted” to “discarded” add up "
            "to “texts”. “In progress” includes what was given out ahead."
        )
    if imported.people:
        came = [{"person": f"{name} (imported)", "imported": n} for name, n in imported.people.items()]
        st.dataframe(came, hide_index=True, width="content", key="project_people_imported")


def _show_reviewers(people: WorkProgress) -> None:
    if not people.reviewers:
        return
    st.subheader("Reviewers", anchor=False)
    rows = [
        {
            "person": person.name,
            "reviews given": person.n_submitted,
            "waiting for them": person.n_waiting,
            "median time": duration(person.median_seconds),
            "last review": _ago(person.days_since),
        }
        for person in people.reviewers
    ]
    st.dataframe(rows, hide_index=True, key="project_reviewers_progress")
    st.caption(
        "Waiting: what a reviewer has in hand or could be given now, counted up to 1,000; an annotation waits for several people "
        "until it has enough scores. The median is of working time without pauses, where it is known."
    )


def _ago(days: int | None) -> str:
    if days is None:
        return UNDEFINED
    return f"{counted(days, 'day')} ago" if days else "less than a day ago"
