"""Quality: how rounds ended, scores, agreement of annotators and reviewers, time, proposed sets. A bar opens its instances."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotator.domain.gold import Accepted
from annotator.domain.numbers import UNDEFINED, counted, duration, signed, written
from annotator.domain.projects import Project
from annotator.domain.proposed_sets import ProposedSource
from annotator.domain.reviews import SCALES, Property
from annotator.domain.texts import first_words
from annotator.figures.bars import Part, stacked_bars
from annotator.usecases.databases import Store
from annotator.usecases.lead.agreement import Agreement, Spread, agreement_of
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
from annotator.usecases.transfer.gold_words import gold_words
from annotator.usecases.transfer.imported_work import accepted_annotations
from annotator.web.frame import as_text
from annotator.web.sections import comparison
from annotator.web.session import Visit

_OUTCOMES = {"accepted": "accepted", "returned": "returned", "discarded": "discarded", "open": "open"}
_SOURCES: dict[ProposedSource, str] = {
    "carried": "original's gold",
    "lexicon": "keep list",
    "complement": "all but ignored words",
}
Leanings = dict[Property, dict[str, Leaning]]
_NUMBERS_KEY = "quality_numbers"
_AGREEMENT_KEY = "quality_agreement_{}"


def show(store: Store, visit: Visit, project: Project) -> None:
    """What costs little is there at once; agreement reads the whole project, so it is computed when it is asked for."""
    found, leanings, accepted = _numbers(store, visit, project)
    if not found.outcomes and not found.time.n:
        if accepted.n_several:
            st.info(
                "Nothing has been submitted here yet, but imported texts have several annotations: how far these agree is "
                "computed below.",
                icon=":material/monitoring:",
            )
            _show_agreement(store, visit, project, accepted)
            return
        st.info(
            "Nothing has been submitted yet. Numbers appear here with the first annotations.",
            icon=":material/monitoring:",
        )
        return
    left, right = st.columns(2, gap="large")
    with left:
        behind = _show_outcomes(store, visit, project, found)
    with right:
        behind = _show_scores(store, visit, project, found) or behind
    if behind:
        _show_behind(store, visit, project, behind)
    left, right = st.columns(2, gap="large")
    with left:
        _show_reviewers(found)
    with right:
        _show_times(found)
    _show_leanings(leanings)
    _show_proposed(found)
    _show_agreement(store, visit, project, accepted)


def _numbers(store: Store, visit: Visit, project: Project) -> tuple[WorkQuality, Leanings, Accepted]:
    """Counted anew only when something has happened since: in a large project it takes seconds, and each click asks."""
    newest = [event.id for event in events_of(store, visit.user, project.id, limit=1)]
    kept = st.session_state.get(_NUMBERS_KEY)
    if kept is None or kept[0] != (project.id, newest):
        numbers = (
            quality_of(store, visit.user, project),
            reviewer_leanings(store, visit.user, project),
            accepted_annotations(store, visit.user, project),
        )
        kept = ((project.id, newest), numbers)
        st.session_state[_NUMBERS_KEY] = kept
    found: tuple[WorkQuality, Leanings, Accepted] = kept[1]
    return found


def _show_outcomes(store: Store, visit: Visit, project: Project, found: WorkQuality) -> list[BehindPoint]:
    parts = [
        Part(f"round {count.round_number}", count.outcome, count.n, (count.round_number, count.outcome))
        for count in found.outcomes
    ]
    figure = stacked_bars(parts, _OUTCOMES, title="How rounds ended", across="round", up="number of rounds")
    point = _chosen(figure, key=f"quality_outcomes_{project.id}")
    shares = [
        f"round {share.round_number}: {_percent(share.accepted_share)} of {share.n_decided:,} decided"
        for share in found.accepted_by_round
    ]
    st.caption(f"Accepted in {' · '.join(shares)}" if shares else "There are no rounds yet.")
    return [] if point is None else instances_behind_outcome(store, visit.user, project, int(point[0]), str(point[1]))


def _show_scores(store: Store, visit: Visit, project: Project, found: WorkQuality) -> list[BehindPoint]:
    left, right = st.columns(2)
    name: Property = left.selectbox(
        "Score", list(SCALES), format_func=lambda name: f"{name} score", key=f"quality_property_{project.id}",
        label_visibility="collapsed",
    )  # fmt: skip
    by = right.segmented_control(
        "By", ["by round", "by annotator"], default="by round", required=True, key=f"quality_by_{project.id}",
        label_visibility="collapsed",
    )  # fmt: skip
    is_by_round = by == "by round"
    counts: dict[tuple[int | str, int], int] = {}
    for count in found.scores:
        if count.property == name:
            column = count.round_number if is_by_round else count.annotator
            counts[column, count.score] = counts.get((column, count.score), 0) + count.n
    parts = [
        Part(f"round {column}" if is_by_round else str(column), str(score), n, (column, score))
        for (column, score), n in sorted(counts.items())
    ]
    kinds = {str(score): f"{score} {words}" for score, words in reversed(list(enumerate(SCALES[name], start=1)))}
    point = _chosen(
        stacked_bars(
            parts, kinds, title=f"{name.capitalize()} scores", across=by.removeprefix("by "), up="number of scores"
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
        f"**{counted(len(behind), 'instance')} behind this bar**"
        if len(behind) < 100
        else "**The first 100 behind this bar**"
    )
    rows = [
        {"text": first_words(b.excerpt), "annotator": b.annotator, "round": b.round_number, "key": b.key}
        for b in behind
    ]
    selection = st.dataframe(
        rows, hide_index=True, height=min(260, 38 + 35 * len(rows)), on_select="rerun", selection_mode="single-row",
        key=f"quality_behind_{project.id}_{len(rows)}_{behind[0].key}",
    )  # fmt: skip
    selected = selection["selection"]["rows"]
    if selected:
        comparison.show(store, visit, project, behind[selected[0]].instance_id)


def _show_reviewers(found: WorkQuality) -> None:
    st.markdown("**Reviewers' agreement**")
    rows = [
        {
            "score": name,
            "same score": _percent(agreement.exact_share),
            "α (ordinal)": written(agreement.krippendorff_alpha),
            "items": agreement.n_items,
            "scored by one": agreement.n_alone,
        }
        for name, agreement in found.reviewers.items()
    ]
    st.dataframe(rows, hide_index=True, key="quality_reviewers")
    st.caption(
        "Over sets (comprehensiveness: annotations) that two or more scored. α: Krippendorff, for ordered scores."
    )


def _show_leanings(found: Leanings) -> None:
    """Who scores higher or lower than the others; nothing where no set has two scores."""
    names = sorted({name for of_one in found.values() for name in of_one})
    if not names:
        return
    st.markdown("**Who scores higher or lower than the other reviewers**")
    rows = [{"reviewer": name} | {head: value for scale in found for head, value in _leaning(found, scale, name)}
            for name in names]  # fmt: skip
    st.dataframe(rows, hide_index=True, key="quality_leanings")
    st.caption(
        "The mean difference between a reviewer's score and the mean score that the others gave the same set "
        "(comprehensiveness: the same annotation), in steps of the scale; n: over how many. Rounds that are not decided yet "
        "are left out. A difference over a few sets may be chance."
    )


def _leaning(found: Leanings, scale: Property, name: str) -> list[tuple[str, object]]:
    one = found[scale].get(name)
    return [
        (f"{scale} score", signed(one.mean_difference) if one else UNDEFINED),
        (f"n ({scale})", one.n if one else 0),
    ]


def _show_times(found: WorkQuality) -> None:
    st.markdown("**Time per instance**")
    everybody = {"everybody": found.time, **found.time_by_person}
    rows = [
        {"person": name, "median": duration(spent.median_seconds), "submitted": spent.n}
        for name, spent in everybody.items()
    ]
    st.dataframe(rows, hide_index=True, key="quality_times")
    st.caption("Working time without pauses.")


def _show_proposed(found: WorkQuality) -> None:
    """What became of sets that were proposed; nothing where none was."""
    if not found.proposed:
        return
    st.markdown("**Proposed sets**")
    rows = [
        {
            "source": _SOURCES[count.source],
            "kind or list": count.name or "–",
            "suggested": count.n_suggested,
            "kept": count.n_kept,
            "of these changed": count.n_edited,
            "rejected": count.n_rejected,
            "undecided": count.n_undecided,
            "share kept": _percent(count.n_kept / count.n_suggested),
        }
        for count in found.proposed
    ]
    st.dataframe(rows, hide_index=True, key="quality_proposed")
    suggested, kept = (sum(getattr(count, name) for count in found.proposed) for name in ("n_suggested", "n_kept"))
    st.caption(
        f"{suggested:,} suggested, {kept:,} kept, in work that was submitted. A set that somebody marked without accepting a "
        "proposal is their own, whatever was proposed beside it."
    )


def _show_agreement(store: Store, visit: Visit, project: Project, accepted: Accepted) -> None:
    st.markdown("**Annotators' agreement**")
    if accepted.n_several:
        st.caption(as_text(gold_words(project.settings.gold_policy, accepted)))
    key = _AGREEMENT_KEY.format(project.id)
    if st.button("Compute it now", key=f"quality_compute_{project.id}", help="This reads the whole project."):
        with st.spinner("Reading all annotations …"):
            st.session_state[key] = agreement_of(store, visit.user, project)
    found = st.session_state.get(key)
    if isinstance(found, Agreement):
        _show_found(found)


def _show_found(found: Agreement) -> None:
    labels, tokens, sets = found.labels, found.tokens, found.sets
    if not tokens.n_instances and not labels.n_instances:
        st.info(
            "No text has two annotations that are submitted or accepted; returned ones count when they are submitted again. "
            "Under **Rules** you can ask for more annotators for each text.",
            icon=":material/group:",
        )
        return
    st.caption(
        f"{counted(found.n_annotations, 'annotation takes', 'annotations take')} part; "
        f"{counted(found.n_other_result, 'carries', 'carry')} another result than the gold one and "
        f"{'counts' if found.n_other_result == 1 else 'count'} for labels only. "
        f"{counted(tokens.n_alone, 'instance with only one annotator is', 'instances with only one annotator are')} left out."
    )
    rows = [
        _row("labels", "Cohen κ, mean over pairs of annotators", labels.cohen_kappa),
        _value(
            "labels", _generalised("Fleiss κ", labels.fleiss_is_generalised), labels.fleiss_kappa, labels.n_instances
        ),
        _value("labels", "Krippendorff α, nominal", labels.krippendorff_alpha, labels.n_instances),
        _row("tokens", "Cohen κ, mean over instances and pairs", tokens.cohen_kappa_per_instance),
        _row("tokens", "Cohen κ pooled, mean over pairs", tokens.cohen_kappa_pooled),
        _value(
            "tokens", _generalised("Fleiss κ", tokens.fleiss_is_generalised), tokens.fleiss_kappa, tokens.n_instances
        ),
        _value("tokens", "Krippendorff α, nominal, all tokens", tokens.krippendorff_alpha, tokens.n_instances),
        _row("tokens", "Krippendorff α, mean over instances", tokens.krippendorff_alpha_per_instance),
        _row("sets", "best-match IoU", sets.best_match_iou),
        *(
            _row("against the majority", f"{name} (ERASER, Table 2)", getattr(tokens.majority, field))
            for name, field in (("Cohen κ", "kappa"), ("precision", "precision"), ("recall", "recall"), ("F1", "f1"))
        ),
    ]
    st.dataframe(rows, hide_index=True, height=38 + 35 * len(rows), key="quality_agreement_table")
    st.caption(
        "Majority: tokens that more than half of an instance's annotators marked. Left out: values that are not defined, such "
        "as κ where both annotators marked nothing."
    )
    by_annotator = [
        {"annotator": name, **{field: written(getattr(of_one, field).mean) for field in ("kappa", "precision", "recall", "f1")},
         "n": of_one.f1.n, "left out": of_one.kappa.n_left_out}
        for name, of_one in tokens.by_annotator.items()
    ]  # fmt: skip
    if by_annotator:
        st.markdown("Each annotator against the token majority")
        st.dataframe(by_annotator, hide_index=True, key="quality_by_annotator")


def _generalised(name: str, is_generalised: bool) -> str:
    return f"{name}, generalised to unequal numbers" if is_generalised else name


def _row(about: str, name: str, spread: Spread) -> dict[str, object]:
    return {
        "about": about, "measure": name, "value": written(spread.mean), "± sd": written(spread.sd), "n": spread.n,
        "left out": spread.n_left_out,
    }  # fmt: skip


def _value(about: str, name: str, value: float | None, n: int) -> dict[str, object]:
    spread = Spread(value, None, n if value is not None else 0, n if value is None else 0)
    return _row(about, name, spread)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
