"""How long a text and a token take, by person, and how that changes with practice."""

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.figures.curves import Curve, Panel, curve_panels
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.progress import CurvePoint, PersonTimes, WorkTimes, work_times
from annotator.usecases.project.projects import Progress
from annotator.web.sections.progress.days import NO_BAR
from annotator.web.sections.progress.kept import kept
from annotator.web.session import Visit

_MOST_CURVES = 5
_TEXT = (unsaid("median s per text"), unsaid("lower quartile"), unsaid("upper quartile"))
_TOKEN = (unsaid("median s per token"), unsaid("lower quartile (token)"), unsaid("upper quartile (token)"))
_NUMBER = st.column_config.NumberColumn(format="%.2f")


def show(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """The table of everybody, and the curve."""
    times = kept(store, visit, project, progress, "times", WorkTimes, lambda: work_times(store, visit.user, project))
    if not times.everybody.per_text.n:
        st.info(_("No working time is known yet. It appears here with the first submissions."), icon=":material/timer:")
        return
    st.markdown(_("**Time per text and per token**"))
    st.dataframe(
        [_row(_("everybody"), times.everybody), *(_row(person.name, person) for person in times.people)],
        hide_index=True, key="progress_times", column_config=dict.fromkeys(map(_, (*_TEXT, *_TOKEN)), _NUMBER),
    )  # fmt: skip
    st.caption(_basis(times))
    _show_curves(project, times)


def _row(name: str, times: PersonTimes) -> dict[str, object]:
    text, token = times.per_text, times.per_token
    return {
        _("person"): name,
        _("texts"): text.n,
        **dict(zip(map(_, _TEXT), (text.median, text.lower, text.upper), strict=True)),
        **dict(zip(map(_, _TOKEN), (token.median, token.lower, token.upper), strict=True)),
        _("time not known"): times.n_unknown,
    }


def _basis(times: WorkTimes) -> str:
    return _(
        "Measured in the browser while a text is on the screen, from one key or click to the next, and sent with each "
        "saved mark and with the submission. A pause of more than {idle_after_seconds} s does not count (Rules, “Idle”). "
        "First submissions only, since a correction begins with sets that are there; tokens are all those of the text. A "
        "quarter of the texts took less than the lower quartile, a quarter more than the upper one.",
        idle_after_seconds=times.idle_after_seconds,
    )


def _show_curves(project: Project, times: WorkTimes) -> None:
    st.markdown(_("**With practice**"))
    names = [person.name for person in times.people]
    chosen = st.multiselect(
        _("People beside everybody"), names, key=f"progress_curves_{project.id}", max_selections=_MOST_CURVES,
        placeholder=_("Everybody together; choose people to see theirs"),
    )  # fmt: skip
    shown = [(_("everybody"), times.everybody), *((p.name, p) for p in times.people if p.name in chosen)]
    curves = [_curve(name, person) for name, person in shown]
    panel = Panel(
        "", _("submissions of a person, up to the n-th"), _("median seconds per token"), curves, scale="from 0"
    )
    st.plotly_chart(curve_panels([panel]), key="progress_curve", config=NO_BAR)
    with st.expander(_("The curve of everybody as a table")):
        st.dataframe(
            [_curve_row(point) for point in times.everybody.curve], hide_index=True, key="progress_curve_table",
            column_config=dict.fromkeys(map(_, _TOKEN), _NUMBER),
        )  # fmt: skip
    last = times.everybody.curve[-1]
    people = counted(last.n_people, "person", "people")
    st.caption(
        _(
            "Each point: the median over one stretch of submissions (1 to 10, 11 to 20 and so on); the bars hold the middle "
            "half. The last point of everybody is of {people}: later stretches are of those who submitted much, so that the "
            "curve of everybody may fall because others left it.",
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
