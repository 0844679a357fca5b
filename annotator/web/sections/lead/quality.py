"""Quality: how rounds ended, scores, agreement of annotators and reviewers, time, proposed sets. A bar opens its instances."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotator.domain.instances import Accepted
from annotator.domain.numbers import UNDEFINED, duration, natural_order, signed, written
from annotator.domain.projects import Project
from annotator.domain.proposed_sets import ProposedSource
from annotator.domain.reviews import OUTCOMES, PROPERTY_NAMES, SCALES, SCORE_NAMES, Property
from annotator.domain.texts import first_words
from annotator.figures.bars import Part, stacked_bars
from annotator.language import _, several, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.quality import (
    BehindPoint,
    Leaning,
    WorkQuality,
    instances_behind_outcome,
    instances_behind_score,
    quality_of,
    reviewer_leanings,
)
from annotator.usecases.project.projects import events_of
from annotator.usecases.transfer.import_report import accepted_annotations
from annotator.web.sections import comparison
from annotator.web.sections.audits import results as audits
from annotator.web.sections.lead.quality_agreement import show_agreement
from annotator.web.session import Visit

_ENDS: tuple[tuple[str, str], ...] = (*OUTCOMES.items(), ("open", unsaid("open")))
_SCORE_HEADS: dict[Property, str] = {
    "sufficiency": unsaid("Sufficiency scores"),
    "compactness": unsaid("Compactness scores"),
    "comprehensiveness": unsaid("Comprehensiveness scores"),
}
_BY = (unsaid("by round"), unsaid("by annotator"))
_SOURCES: dict[ProposedSource, str] = {
    "carried": unsaid("original's gold"),
    "lexicon": unsaid("keep list"),
    "complement": unsaid("all but ignored words"),
}
Leanings = dict[Property, dict[str, Leaning]]
_NUMBERS_KEY = "quality_numbers"


def show(store: Store, visit: Visit, project: Project) -> None:
    """How the work is, then audits of changed versions, where there are any to audit."""
    _show_work(store, visit, project)
    audits.show(store, visit, project)


def _show_work(store: Store, visit: Visit, project: Project) -> None:
    """What costs little is there at once; agreement reads the whole project, so it is computed when it is asked for."""
    quality, leanings, accepted = _numbers(store, visit, project)
    if not quality.outcomes and not quality.time.n:
        if accepted.n_several:
            st.info(
                _(
                    "Nothing has been submitted here yet, but imported texts have several annotations: how far these agree is "
                    "computed below."
                ),
                icon=":material/monitoring:",
            )
            show_agreement(store, visit, project, accepted)
            return
        st.info(
            _("Nothing has been submitted yet. Numbers appear here with the first annotations."),
            icon=":material/monitoring:",
        )
        return
    left, right = st.columns(2, gap="large")
    with left:
        behind = _show_outcomes(store, visit, project, quality)
    with right:
        behind = _show_scores(store, visit, project, quality) or behind
    if behind:
        _show_behind(store, visit, project, behind)
    left, right = st.columns(2, gap="large")
    with left:
        _show_reviewers(quality)
    with right:
        _show_times(quality)
    _show_leanings(leanings)
    _show_proposed(quality)
    show_agreement(store, visit, project, accepted)


def _numbers(store: Store, visit: Visit, project: Project) -> tuple[WorkQuality, Leanings, Accepted]:
    """Counted anew only when something has happened since: in a large project it takes seconds, and each click asks."""
    newest = [event.id for event in events_of(store, visit.user, project.id, limit=1)]
    cached = st.session_state.get(_NUMBERS_KEY)
    if cached is None or cached[0] != (project.id, newest):
        numbers = (
            quality_of(store, visit.user, project),
            reviewer_leanings(store, visit.user, project),
            accepted_annotations(store, visit.user, project),
        )
        cached = ((project.id, newest), numbers)
        st.session_state[_NUMBERS_KEY] = cached
    known_numbers: tuple[WorkQuality, Leanings, Accepted] = cached[1]
    return known_numbers


def _show_outcomes(store: Store, visit: Visit, project: Project, quality: WorkQuality) -> list[BehindPoint]:
    parts = [
        Part(
            _round(count.round_number),
            count.outcome,
            count.n,
            (count.round_number, count.outcome),
        )
        for count in quality.outcomes
    ]
    outcomes = {outcome: _(words) for outcome, words in _ENDS}
    figure = stacked_bars(parts, outcomes, title=_("How rounds ended"), across=_("round"), up=_("number of rounds"))
    point = _chosen(figure, key=f"quality_outcomes_{project.id}")
    shares = [
        _(
            "{round}: {percent} of {n_decided} decided",
            round=_round(share.round_number),
            percent=_percent(share.accepted_share),
            n_decided=f"{share.n_decided:,}",
        )
        for share in quality.accepted_by_round
    ]
    st.caption(_("Accepted in {shares}", shares=" · ".join(shares)) if shares else _("There are no rounds yet."))
    return [] if point is None else instances_behind_outcome(store, visit.user, project, int(point[0]), str(point[1]))


def _show_scores(store: Store, visit: Visit, project: Project, quality: WorkQuality) -> list[BehindPoint]:
    left, right = st.columns(2)
    name: Property = left.selectbox(
        _("Score"), list(SCALES), format_func=lambda name: _(SCORE_NAMES[name]), key=f"quality_property_{project.id}",
        label_visibility="collapsed",
    )  # fmt: skip
    by = right.segmented_control(
        _("By"), _BY, default="by round", required=True, format_func=_, key=f"quality_by_{project.id}",
        label_visibility="collapsed",
    )  # fmt: skip
    is_by_round = by == "by round"
    counts: dict[tuple[int | str, int], int] = {}
    for count in quality.scores:
        if count.property == name:
            column = count.round_number if is_by_round else count.annotator
            counts[column, count.score] = counts.get((column, count.score), 0) + count.n
    parts = [
        Part(_round(column) if is_by_round else str(column), str(score), n, (column, score))
        for (column, score), n in sorted(counts.items())
    ]
    kinds = {str(score): f"{score} {_(words)}" for score, words in reversed(list(enumerate(SCALES[name], start=1)))}
    point = _chosen(
        stacked_bars(
            parts, kinds, title=_(_SCORE_HEADS[name]), across=_("round") if is_by_round else _("annotator"),
            up=_("number of scores"),
        ), key=f"quality_scores_{project.id}",
    )  # fmt: skip
    if point is None:
        return []
    where: dict[str, Any] = {"round_number": int(point[0])} if is_by_round else {"annotator": str(point[0])}
    return instances_behind_score(store, visit.user, project, name, int(point[1]), **where)


def _chosen(figure: Any, key: str) -> Sequence[Any] | None:
    """The part of a chart that was clicked."""
    event = st.plotly_chart(
        figure, key=key, on_select="rerun", selection_mode="points", config={"displayModeBar": False}
    )
    points = event["selection"]["points"]
    return points[0]["customdata"] if points else None


def _show_behind(store: Store, visit: Visit, project: Project, behind: Sequence[BehindPoint]) -> None:
    st.markdown(
        several("**{n} instance behind this bar**", "**{n} instances behind this bar**", len(behind))
        if len(behind) < 100
        else _("**The first 100 behind this bar**")
    )
    rows = [
        {_("text"): first_words(b.excerpt), _("annotator"): b.annotator, _("round"): b.round_number, _("key"): b.key}
        for b in behind
    ]
    selection = st.dataframe(
        rows, hide_index=True, height=min(260, 38 + 35 * len(rows)), on_select="rerun", selection_mode="single-row",
        key=f"quality_behind_{project.id}_{len(rows)}_{behind[0].key}",
    )  # fmt: skip
    selected = selection["selection"]["rows"]
    if selected:
        comparison.show(store, visit, project, behind[selected[0]].instance_id)


def _show_reviewers(quality: WorkQuality) -> None:
    st.markdown(_("**Reviewers' agreement**"))
    rows = [
        {
            _("score"): _(PROPERTY_NAMES[name]),
            _("same score"): _percent(agreement.exact_share),
            _("α (ordinal)"): written(agreement.krippendorff_alpha),
            _("items"): agreement.n_items,
            _("scored by one"): agreement.n_alone,
        }
        for name, agreement in quality.reviewers.items()
    ]
    st.dataframe(rows, hide_index=True, key="quality_reviewers")
    st.caption(
        _("Over sets (comprehensiveness: annotations) that two or more scored. α: Krippendorff, for ordered scores.")
    )


def _show_leanings(leanings: Leanings) -> None:
    """Who scores higher or lower than the others; nothing where no set has two scores."""
    names = sorted({name for of_one in leanings.values() for name in of_one}, key=natural_order)
    if not names:
        return
    st.markdown(_("**Who scores higher or lower than the other reviewers**"))
    rows = [{_("reviewer"): name} | {head: value for scale in leanings for head, value in _leaning(leanings, scale, name)}
            for name in names]  # fmt: skip
    st.dataframe(rows, hide_index=True, key="quality_leanings")
    st.caption(
        _(
            "The mean difference between a reviewer's score and the mean score that the others gave the same set "
            "(comprehensiveness: the same annotation), in steps of the scale; n: over how many. Rounds that are not decided "
            "yet are left out. A difference over a few sets may be chance."
        )
    )


def _leaning(leanings: Leanings, scale: Property, name: str) -> list[tuple[str, object]]:
    leaning = leanings[scale].get(name)
    return [
        (_(SCORE_NAMES[scale]), signed(leaning.mean_difference) if leaning else UNDEFINED),
        (_("n ({score})", score=_(PROPERTY_NAMES[scale])), leaning.n if leaning else 0),
    ]


def _show_times(quality: WorkQuality) -> None:
    st.markdown(_("**Time for each piece of work**"))
    everybody = {_("everybody"): quality.time, **quality.time_by_person}
    rows = [
        {
            _("person"): name,
            _("median"): duration(spent.median_seconds),
            _("submitted"): spent.n,
            _("time not known"): spent.n_unknown,
        }
        for name, spent in everybody.items()
    ]
    st.dataframe(rows, hide_index=True, key="quality_times")
    st.caption(
        _(
            "Working time without pauses, over everything that was submitted, corrections too, where the time is known. "
            "Corrections begin with sets that are there and are quicker: *Progress*, “Time”, counts first submissions alone."
        )
    )


def _show_proposed(quality: WorkQuality) -> None:
    """What became of sets that were proposed; nothing where none was."""
    if not quality.proposed:
        return
    st.markdown(_("**Proposed sets**"))
    rows = [
        {
            _("source"): _(_SOURCES[count.source]),
            _("kind or list"): count.name or "–",
            _("suggested"): count.n_suggested,
            _("kept"): count.n_kept,
            _("of these changed"): count.n_edited,
            _("rejected"): count.n_rejected,
            _("undecided"): count.n_undecided,
            _("share kept"): _percent(count.n_kept / count.n_suggested),
        }
        for count in quality.proposed
    ]
    st.dataframe(rows, hide_index=True, key="quality_proposed")
    suggested, n_kept = (sum(getattr(count, name) for count in quality.proposed) for name in ("n_suggested", "n_kept"))
    st.caption(
        _(
            "{suggested} suggested, {n_kept} kept, in work that was submitted. A set that somebody marked without accepting "
            "a proposal is their own, whatever was proposed beside it.",
            suggested=f"{suggested:,}",
            n_kept=f"{n_kept:,}",
        )
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _round(number: int | str) -> str:
    return _("round {number}", number=number)
