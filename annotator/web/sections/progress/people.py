"""Work by day and by person: when all will be done, what each one has done, when they were last active, how long they take."""

from dataclasses import dataclass

import streamlit as st

from annotator.domain.numbers import UNDEFINED, counted, duration
from annotator.domain.people import role_name
from annotator.domain.projects import Project, titles_of_kinds
from annotator.figures.curves import Curve, Panel, curve_panels
from annotator.figures.work_charts import WORK_STYLE, DayBar, Row, day_chart, row_chart
from annotator.language import _, listed, several, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.progress import (
    AnnotatorProgress,
    CurvePoint,
    PersonTimes,
    WorkDays,
    WorkProgress,
    WorkTimes,
    forecast_words,
    imported_annotations,
    work_days,
    work_progress,
    work_times,
)
from annotator.usecases.project.projects import Progress
from annotator.web.cached_numbers import kept
from annotator.web.frame import as_text
from annotator.web.page_parts import show_chart
from annotator.web.session import Visit, visit_zone

# What was done on each day, texts by state and kind, and when all will be done.


_STATES = {
    "complete": unsaid("complete"),
    "queued": unsaid("to annotate"),
    "open": unsaid("in progress or review"),
    "held": unsaid("with the lead"),
    "discarded": unsaid("discarded"),
}
_FEW_DAYS = 30
_LAST = {unsaid("last 30 days"): _FEW_DAYS, unsaid("last 90 days"): 90, unsaid("all"): None}


def show_forecast(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """How many texts are left, and when all will be done."""
    forecast = _days(store, visit, project, progress).forecast
    if forecast.n_left:
        st.markdown(
            forecast_words(forecast),
            help=_(
                "From the last 14 full days; weekdays without work stay free. Range: 90 % prediction "
                "interval (Student’s t, at least chance variation)."
            ),
        )


def show_days(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """The charts of days and of kinds."""
    numbers = _days(store, visit, project, progress)
    if len(numbers.days) > _FEW_DAYS:
        st.segmented_control(
            _("Days"), list(_LAST), default="last 30 days", required=True, format_func=_,
            key=f"progress_days_{project.id}", label_visibility="collapsed"
        )  # fmt: skip
    n_days = _LAST[st.session_state.get(f"progress_days_{project.id}", "last 30 days")]
    shown = numbers.days if n_days is None else numbers.days[-n_days:]
    st.markdown(_("**Texts by type and state**"))
    states = {state: _(words) for state, words in _STATES.items()}
    st.html(WORK_STYLE + row_chart(_rows_of_kinds(project, numbers), states))
    zone = _("Time zone {name}. Corrections count when submitted.", name=visit_zone()[0])
    st.markdown(_("**Submitted and accepted per day**"), help=zone)
    if not any(day.n_submitted or day.n_accepted for day in shown):
        st.caption(_("Nothing yet."))
        return
    bars = [DayBar(day.day, day.n_submitted, day.n_accepted) for day in shown]
    st.html(day_chart(bars, bar=_("submitted"), line=_("accepted"), up=_("tasks")))
    with st.expander(_("Show as table")):
        rows = [
            {
                _("day"): day.day,
                _("submitted"): day.n_submitted,
                _("accepted"): day.n_accepted,
                _("texts done"): day.n_done,
            }
            for day in reversed(shown)
        ]
        st.dataframe(rows, hide_index=True, key="progress_days_table")


def _rows_of_kinds(project: Project, numbers: WorkDays) -> list[Row]:
    names = {"": _("originals")} | titles_of_kinds(project)
    by_kind: dict[str, dict[str, int]] = {}
    for count in numbers.kinds:
        by_kind.setdefault(count.kind, {})[count.state] = count.n
    return [(names.get(kind, kind), counts) for kind, counts in by_kind.items()]


def _days(store: Store, visit: Visit, project: Project, progress: Progress) -> WorkDays:
    name, zone = visit_zone()
    return kept(
        store, visit, project, progress, ("days", name), WorkDays, lambda: work_days(store, visit.user, project, zone)
    )


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
    """People's work, and what files brought: annotations by annotator."""

    work: WorkProgress
    imported: dict[str, int]


def show(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """The pace, the charts, and the tables of annotators and reviewers."""
    counted_now = kept(store, visit, project, progress, "people", _Counted, lambda: _count(store, visit, project))
    if counted_now.work.annotators and counted_now.work.pace:
        st.markdown(counted_now.work.pace)
    show_days(store, visit, project, progress)
    _show_annotators(counted_now)
    _show_reviewers(counted_now.work)
    _show_others(counted_now.work)


def _count(store: Store, visit: Visit, project: Project) -> _Counted:
    return _Counted(work_progress(store, visit.user, project), imported_annotations(store, visit.user, project))


def _show_annotators(counted_now: _Counted) -> None:
    people, imported = counted_now.work.annotators, counted_now.imported
    explained = _(
        "Per annotator, by current status. “In progress” includes texts assigned ahead. Last "
        "activity: any record entry, comment or saved mark."
    )
    st.subheader(_("Annotators"), anchor=False, help=explained if people else None)
    if not people and not imported:
        st.caption(_("Nothing yet."))
        return
    if people:
        _show_table(people)
    if imported:
        came = [{_("person"): _("{name} (imported)", name=name), _("imported"): n} for name, n in imported.items()]
        st.dataframe(came, hide_index=True, width="content", key="project_people_imported")


def _show_table(people: tuple[AnnotatorProgress, ...]) -> None:
    """Who has most texts comes first; a standing that nobody's texts have has no column."""
    standings = {
        standing: _(head) for standing, head in _STANDINGS.items() if any(standing in p.standings for p in people)
    }
    wanted = ""
    if len(people) > _FEW:
        wanted = st.text_input(_("Search people"), key="progress_search", placeholder=_("part of a name")).strip()
    rows = [
        {_("person"): person.name, _("texts"): person.n_texts}
        | {head: person.standings.get(standing, 0) for standing, head in standings.items()}
        | {_("last submission"): _ago(person.days_since), _("last activity"): _ago(person.days_since_active)}
        for person in sorted(people, key=lambda person: -person.n_texts)
        if wanted.casefold() in person.name.casefold()
    ]
    if not rows:
        st.caption(as_text(_("No annotator's name contains “{wanted}”.", wanted=wanted)))
        return
    most = max(person.n_texts for person in people)
    bars = st.column_config.ProgressColumn(width=110, format="%d", min_value=0, max_value=max(1, most))
    st.dataframe(rows, hide_index=True, key=f"project_people_progress_{wanted}", column_config={_("texts"): bars})


def _show_reviewers(people: WorkProgress) -> None:
    if not people.reviewers:
        return
    explained = _(
        "Waiting: reserved or assignable, up to 1,000; one annotation can wait for several people. Median: active time."
    )
    st.subheader(_("Reviewers"), anchor=False, help=explained)
    rows = [
        {
            _("person"): person.name,
            _("reviews given"): person.n_submitted,
            _("waiting"): person.n_waiting,
            _("median time"): duration(person.median_seconds),
            _("last review"): _ago(person.days_since),
            _("last activity"): _ago(person.days_since_active),
        }
        for person in people.reviewers
    ]
    st.dataframe(rows, hide_index=True, key="project_reviewers_progress")


def _show_others(people: WorkProgress) -> None:
    if not people.others:
        return
    st.subheader(_("Nothing done yet"), anchor=False)
    rows = [
        {
            _("person"): person.name,
            _("roles"): listed([role_name(role) for role in person.roles]),
            _("last activity"): _ago(person.days_since_active),
        }
        for person in people.others
    ]
    st.dataframe(rows, hide_index=True, width="content", key="progress_others")


def _ago(days: int | None) -> str:
    if days is None:
        return UNDEFINED
    return several("{n} day ago", "{n} days ago", days) if days else _("less than a day ago")


# How long a text and a token take, by person, and how that changes with practice.


_MOST_CURVES = 5
_TEXT = (unsaid("median s per text"), unsaid("lower quartile"), unsaid("upper quartile"))
_TOKEN = (unsaid("median s per token"), unsaid("lower quartile (token)"), unsaid("upper quartile (token)"))
# Tokens take hundredths of a second, texts many seconds.
_PER_TEXT = dict.fromkeys(_TEXT, st.column_config.NumberColumn(format="%.2f"))
_PER_TOKEN = dict.fromkeys(_TOKEN, st.column_config.NumberColumn(format="%.3g"))


def show_times(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """The table of everybody, and the curve."""
    times = kept(store, visit, project, progress, "times", WorkTimes, lambda: work_times(store, visit.user, project))
    if not times.everybody.per_text.n:
        st.info(_("Nothing yet."), icon=":material/timer:")
        return
    st.markdown(_("**Time per text and token**"))
    st.dataframe(
        [_row(_("everyone"), times.everybody), *(_row(person.name, person) for person in times.people)],
        hide_index=True, key="progress_times", placeholder=UNDEFINED,
        column_config={_(name): column for name, column in (_PER_TEXT | _PER_TOKEN).items()},
    )  # fmt: skip
    st.caption(
        _(
            "Active time while a text is shown. Pauses over {idle_after_seconds} s don't count (Rules, "
            "“Idle”). First submissions only; all tokens of the text.",
            idle_after_seconds=times.idle_after_seconds,
        )
    )
    _show_curves(project, times)


def _row(name: str, times: PersonTimes) -> dict[str, object]:
    text, token = times.per_text, times.per_token
    return {
        _("person"): name,
        _("texts"): text.n,
        **dict(zip(map(_, _TEXT), (text.median, text.lower, text.upper), strict=True)),
        **dict(zip(map(_, _TOKEN), (token.median, token.lower, token.upper), strict=True)),
        _("time unknown"): times.n_unknown,
    }


def _show_curves(project: Project, times: WorkTimes) -> None:
    st.markdown(_("**Learning curve**"))
    names = [person.name for person in times.people]
    chosen = st.multiselect(
        _("Also show people"), names, key=f"progress_curves_{project.id}", max_selections=_MOST_CURVES,
        placeholder=_("Everyone combined; choose people to add them")
    )  # fmt: skip
    shown = [(_("everyone"), times.everybody), *((p.name, p) for p in times.people if p.name in chosen)]
    curves = [_curve(name, person) for name, person in shown]
    panel = Panel("", _("a person's submissions, up to the n-th"), _("median s per token"), curves, scale="from 0")
    figure = curve_panels([panel], whole_numbers=True)
    show_chart(figure, key="progress_curve", config={"displayModeBar": False})
    with st.expander(_("Show combined curve as table")):
        st.dataframe(
            [_curve_row(point) for point in times.everybody.curve], hide_index=True, key="progress_curve_table",
            placeholder=UNDEFINED, column_config={_(name): column for name, column in _PER_TOKEN.items()},
        )  # fmt: skip
    last = times.everybody.curve[-1]
    people = counted(last.n_people, "person", "people")
    st.caption(
        _(
            "Median over 10 submissions (1–10, 11–20, …); bars: middle half. The last point "
            "covers {people}: it may fall because others left.",
            people=people,
        )
    )


def _curve_row(point: CurvePoint) -> dict[str, object]:
    seconds = point.seconds
    return {
        _("submissions"): f"{point.first:,} – {point.last:,}",
        **dict(zip(map(_, _TOKEN), (seconds.median, seconds.lower, seconds.upper), strict=True)),
        "n": seconds.n,
        _("people"): point.n_people,
    }


def _curve(name: str, times: PersonTimes) -> Curve:
    points = times.curve
    return Curve(
        name,
        [point.last for point in points],
        [point.seconds.median for point in points],
        [point.seconds.lower for point in points],
        [point.seconds.upper for point in points],
        [point.seconds.n for point in points],
    )
