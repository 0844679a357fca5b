"""What each annotator and each reviewer has done, and when they were last active."""

from dataclasses import dataclass

import streamlit as st

from annotator.domain.instances import Accepted
from annotator.domain.numbers import UNDEFINED, duration
from annotator.domain.people import role_name
from annotator.domain.projects import Project
from annotator.figures.work_charts import Row, first_and_mean, row_chart
from annotator.language import _, listed, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.progress import (
    AnnotatorProgress,
    WorkProgress,
    accepted_annotations,
    imported_annotations,
    work_progress,
)
from annotator.usecases.project.projects import Progress
from annotator.usecases.transfer.import_report import gold_words
from annotator.web.frame import as_text
from annotator.web.sections.progress import days
from annotator.web.sections.progress.kept import kept
from annotator.web.session import Visit

_MOST_ROWS = 12  # of the chart; the table below has everybody
_FEW = 12  # people among whom one is found without searching
_STANDINGS = {
    "accepted": unsaid("accepted"),
    "submitted": unsaid("under review"),
    "returned": unsaid("returned"),
    "leased": unsaid("in progress"),
    "skipped": unsaid("skipped"),
    "held": unsaid("with the lead"),
    "discarded": unsaid("discarded"),
}


@dataclass(frozen=True, slots=True)
class _Counted:
    """People's work, and what files brought: annotations by annotator, and what the gold is made from."""

    work: WorkProgress
    imported: dict[str, int]
    accepted: Accepted


def show(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """The pace, the charts, and the tables of annotators and reviewers."""
    counted_now = kept(store, visit, project, progress, "people", _Counted, lambda: _count(store, visit, project))
    _show_pace(counted_now.work)
    days.show(store, visit, project, progress)
    _show_annotators(project, counted_now)
    _show_reviewers(counted_now.work)
    _show_others(counted_now.work)


def _count(store: Store, visit: Visit, project: Project) -> _Counted:
    return _Counted(
        work_progress(store, visit.user, project),
        imported_annotations(store, visit.user, project),
        accepted_annotations(store, visit.user, project),
    )


def _show_pace(people: WorkProgress) -> None:
    if people.annotators and people.pace:
        st.markdown(people.pace)


def _show_annotators(project: Project, counted_now: _Counted) -> None:
    people, imported = counted_now.work.annotators, counted_now.imported
    st.subheader(_("Annotators"), anchor=False)
    if counted_now.accepted.n_several:
        gold = gold_words(project.settings.gold_policy, counted_now.accepted)
        st.caption(as_text(together(gold, _("You can change this under Rules."))))
    if not people and not imported:
        st.caption(_("Nobody has started yet."))
        return
    if people:
        _show_chart(people)
        _show_table(people)
    if imported:
        came = [{_("person"): _("{name} (imported)", name=name), _("imported"): n} for name, n in imported.items()]
        st.dataframe(came, hide_index=True, width="content", key="project_people_imported")


def _show_chart(people: tuple[AnnotatorProgress, ...]) -> None:
    """Who has most texts comes first."""
    ranked = sorted(people, key=lambda person: -person.n_texts)
    rows = [Row(person.name, {**person.standings}) for person in ranked]
    rest = _("mean of {n_rows} others", n_rows=f"{len(rows) - _MOST_ROWS:,}")
    standings = {standing: _(words) for standing, words in _STANDINGS.items()}
    st.plotly_chart(
        row_chart(first_and_mean(rows, _MOST_ROWS, rest), standings, across=_("texts")),
        key="progress_by_person", config=days.NO_BAR,
    )  # fmt: skip


def _show_table(people: tuple[AnnotatorProgress, ...]) -> None:
    wanted = ""
    if len(people) > _FEW:
        wanted = st.text_input(_("Search a person"), key="progress_search", placeholder=_("part of a name")).strip()
    rows = [
        {_("person"): person.name, _("texts"): person.n_texts}
        | {_(head): person.standings.get(standing, 0) for standing, head in _STANDINGS.items()}
        | {_("last submission"): _ago(person.days_since), _("last activity"): _ago(person.days_since_active)}
        for person in people
        if wanted.casefold() in person.name.casefold()
    ]
    if not rows:
        st.caption(as_text(_("No annotator’s name has “{wanted}” in it.", wanted=wanted)))
        return
    st.dataframe(rows, hide_index=True, key=f"project_people_progress_{wanted}")
    st.caption(
        _(
            "A text counts once for each of its annotators, as it stands now: the columns from “accepted” to “discarded” add "
            "up to “texts”. “In progress” includes what was given out ahead. A click on a column’s head sorts by it. Last "
            "activity: anything that the project’s record has of somebody, or a mark that was saved."
        )
    )


def _show_reviewers(people: WorkProgress) -> None:
    if not people.reviewers:
        return
    st.subheader(_("Reviewers"), anchor=False)
    rows = [
        {
            _("person"): person.name,
            _("reviews given"): person.n_submitted,
            _("waiting for them"): person.n_waiting,
            _("median time"): duration(person.median_seconds),
            _("last review"): _ago(person.days_since),
            _("last activity"): _ago(person.days_since_active),
        }
        for person in people.reviewers
    ]
    st.dataframe(rows, hide_index=True, key="project_reviewers_progress")
    st.caption(
        _(
            "Waiting: what a reviewer has in hand or could be given now, counted up to 1,000; an annotation waits for "
            "several people until it has enough scores. The median is of working time without pauses, where it is known."
        )
    )


def _show_others(people: WorkProgress) -> None:
    if not people.others:
        return
    st.subheader(_("Others with a role here"), anchor=False)
    rows = [
        {
            _("person"): person.name,
            _("roles"): listed([role_name(role) for role in person.roles]),
            _("last activity"): _ago(person.days_since_active),
        }
        for person in people.others
    ]
    st.dataframe(rows, hide_index=True, width="content", key="progress_others")
    st.caption(_("They have neither annotated nor reviewed here yet."))


def _ago(days: int | None) -> str:
    if days is None:
        return UNDEFINED
    return several("{n} day ago", "{n} days ago", days) if days else _("less than a day ago")
