"""How far the project is: what there is at once, and one of several views of the work below it, here work worth a look."""

import streamlit as st

from annotator.domain.numbers import UNDEFINED, duration, written
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.language import _, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.decisions import stuck_work
from annotator.usecases.lead.progress import (
    FILTERS,
    Filter,
    ListedAnnotation,
    ListedWork,
    WorkTimes,
    default_bound,
    flagged_work,
    page_of,
    work_times,
)
from annotator.usecases.project.projects import Progress, progress_of, texts_under_review
from annotator.web.cached_numbers import kept
from annotator.web.page_parts import ask_page
from annotator.web.project_warnings import show_missing_labels, show_missing_people, show_stuck, show_texts_of_the_gone
from annotator.web.sections import comparison
from annotator.web.sections.guidelines import show_readers
from annotator.web.sections.progress import cost, people
from annotator.web.sections.progress.people import show_forecast
from annotator.web.session import Visit

# Work that may be worth a look: counts by person, and behind them the annotations themselves.


_PAGE = 25
_EVERYBODY = ""
_HEADS: dict[Filter, str] = {
    "quick": unsaid("quick"),
    "nothing marked": unsaid("no marks"),
    "everything marked": unsaid("everything marked"),
    "other label": unsaid("label differs from gold"),
}


def show_looks(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """The bound, the counts, and one page of a list."""
    times = kept(store, visit, project, progress, "times", WorkTimes, lambda: work_times(store, visit.user, project))
    st.markdown(_("Texts to discuss; counts alone prove nothing."))
    bound = _ask_bound(project, times)
    listed = kept(
        store, visit, project, progress, ("looks", visit.user.id, bound), ListedWork,
        lambda: flagged_work(store, visit.user, project, bound),
    )  # fmt: skip
    if not listed.people:
        st.info(_("Nothing yet."), icon=":material/search:")
        return
    rows = [
        {_("person"): person.person, _("annotations"): person.n}
        | {_(_HEADS[name]): person.counts[name] for name in FILTERS}
        for person in listed.people
    ]
    st.dataframe(rows, hide_index=True, height=min(320, 38 + 35 * len(rows)), key="progress_looks")
    _show_list(store, visit, project, listed)


def _ask_bound(project: Project, times: WorkTimes) -> float | None:
    """In seconds a token; the default follows the project's own times."""
    usual = default_bound(times.everybody.per_token.median)
    if usual is None:
        return None
    per_hundred = st.number_input(
        _("Quick: fewer seconds per 100 tokens than"), 0.0, 100_000.0, 100 * usual, step=1.0, format="%.3f",
        key=f"progress_looks_bound_{project.id}", width=320,
        help=_("Default: a quarter of the project's median. First submissions only.")
    )  # fmt: skip
    return per_hundred / 100


def _show_list(store: Store, visit: Visit, project: Project, listed: ListedWork) -> None:
    name: Filter = st.segmented_control(
        _("List"), FILTERS, default=FILTERS[0], required=True, key=f"progress_looks_list_{project.id}",
        label_visibility="collapsed",
        format_func=lambda name: _("{name} ({n})", name=_(_HEADS[name]), n=f"{len(listed.listed[name]):,}")
    )  # fmt: skip
    left, right, _empty = st.columns([2, 1, 2], vertical_alignment="bottom")
    people = [_EVERYBODY, *(person.person for person in listed.people)]
    person = left.selectbox(
        _("Person"),
        people,
        key=f"progress_looks_person_{project.id}",
        format_func=lambda person: person or _("everyone"),
    )
    ids = listed.ids(name, person or None)
    if not ids:
        st.caption(_("Nothing to show."))
        return
    page = ask_page(-(-len(ids) // _PAGE), key=f"progress_looks_page_{name}_{person}", parent=right)
    shown = page_of(store, visit.user, project, ids[_PAGE * (page - 1) : _PAGE * page])
    st.caption(
        several(
            "{n} annotation, newest first. Select a row to read it.",
            "{n} annotations, newest first. Select a row to read it.",
            len(ids),
        )
    )
    selection = st.dataframe(
        [_row(annotation) for annotation in shown], hide_index=True, height=min(320, 38 + 35 * len(shown)),
        on_select="rerun", selection_mode="single-row", key=f"progress_looks_rows_{name}_{person}_{page}_{len(ids)}",
        column_config={_("text"): st.column_config.TextColumn(width="large")},
    )  # fmt: skip
    selected = selection["selection"]["rows"]
    if selected:
        comparison.show(store, visit, project, shown[selected[0]].instance_id)


def _row(annotation: ListedAnnotation) -> dict[str, object]:
    seconds = annotation.active_ms / 1000 or None
    per_hundred = None if seconds is None or not annotation.n_tokens else 100 * seconds / annotation.n_tokens
    return {
        _("text"): first_words(annotation.excerpt),
        _("annotator"): annotation.annotator,
        _("time"): duration(seconds),
        _("s per 100 tokens"): written(per_hundred),
        _("tokens"): annotation.n_tokens,
        _("label"): annotation.result or UNDEFINED,
        _("gold"): annotation.gold or UNDEFINED,
        _("ID"): annotation.key,
    }


_VIEWS = {
    unsaid("Days and people"): people.show,
    unsaid("Time"): people.show_times,
    unsaid("Hours and cost"): cost.show,
    unsaid("Flagged work"): show_looks,
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """Counts that are kept, never counted over the project; what is counted over it is kept until something happens."""
    progress = progress_of(store, visit.user, project.id)
    show_missing_labels(store, visit, project)
    if not progress.n_instances:
        st.info(_("No texts yet. Import some."), icon=":material/upload_file:")
        return
    show_missing_people(store, visit, project)
    stuck = stuck_work(store, visit.user, project)
    show_stuck(stuck)
    show_texts_of_the_gone(store, visit, project, stuck.for_the_gone)
    _show_counts(progress, texts_under_review(store, visit.user, project.id))
    show_readers(store, visit, project)
    show_forecast(store, visit, project, progress)
    view = st.segmented_control(
        _("View"), list(_VIEWS), default="Days and people", required=True, key=f"progress_view_{project.id}",
        label_visibility="collapsed", format_func=_
    )  # fmt: skip
    _VIEWS[view](store, visit, project, progress)


def _show_counts(progress: Progress, n_under_review: int) -> None:
    """Each text under one of the heads; what may be nought for the whole of a project is shown when there is some."""
    counts = progress.instances
    n_open, n_queued = counts.get("open", 0), counts.get("queued", 0)
    shown = {
        _("Texts"): progress.n_instances,
        _("To annotate"): n_queued,
        _("In progress"): n_open - n_queued - n_under_review,
        _("Waiting for review"): n_under_review,
        _("Complete"): counts.get("complete", 0),
        _("With the lead"): counts.get("held", 0),
        _("Discarded"): counts.get("discarded", 0),
    }
    shown = {title: n for title, n in shown.items() if n or title not in {_("With the lead"), _("Discarded")}}
    ahead = several("Includes {n} text assigned ahead.", "Includes {n} texts assigned ahead.", progress.n_unseen)
    helps = {_("In progress"): ahead if progress.n_unseen else None}
    for column, (title, value) in zip(st.columns(len(shown)), shown.items(), strict=True):
        column.metric(title, f"{value:,}", help=helps.get(title))
    _show_bar(progress)


def _show_bar(progress: Progress) -> None:
    n, n_done = progress.n_instances, progress.n_done
    percent = 100 if n_done == n else min(99, round(100 * n_done / n))  # never 100 before the last one
    share = _("less than 1") if 0 < n_done < n / 100 else f"{percent}"
    done = _("{share} % done.", share=share)
    n_waiting = progress.n_open_rounds  # also of texts that still need others, and are among those to annotate
    waiting = several("{n} annotation to review", "{n} annotations to review", n_waiting)
    st.progress(percent, text=together(done, waiting if n_waiting else ""))
