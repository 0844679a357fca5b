"""Quality: how rounds ended, scores, time, and agreement of annotators, reviewers, and each against the rest."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import streamlit as st

from annotator.domain.instances import Accepted
from annotator.domain.measurements import WITHOUT_HELP
from annotator.domain.numbers import UNDEFINED, natural_order, percent, signed, written
from annotator.domain.projects import Project
from annotator.domain.proposed_sets import ProposedSource
from annotator.domain.reviews import OUTCOMES, PROPERTY_NAMES, SCALES, SCORE_NAMES, SCORE_TITLES, Property
from annotator.domain.texts import first_words
from annotator.figures.bars import Part, stacked_bars
from annotator.language import _, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.gold import agreement_of
from annotator.usecases.lead import quality as lead_quality
from annotator.usecases.lead.progress import accepted_annotations
from annotator.usecases.project.projects import events_of, progress_of
from annotator.usecases.transfer.import_report import gold_words
from annotator.web.buttons import pressed
from annotator.web.cached_numbers import kept
from annotator.web.frame import as_text
from annotator.web.page_parts import show_chart
from annotator.web.sections import comparison
from annotator.web.sections.audits import results as audits
from annotator.web.sections.tables import choose
from annotator.web.session import Visit

# Each annotator against all others of the same texts, as a table that sorts; pairs say little where many people work.


_FEW = 10  # instances; a mean over fewer says little
_SHARE = st.column_config.NumberColumn(format="%.3f")


def show_against_rest(agreement: lead_quality.Agreement) -> None:
    """The table, least agreement with the majority first."""
    people = sorted(agreement.against_rest, key=_order)
    if not people:
        return
    st.markdown(_("Each annotator vs. the others"))
    columns = (
        _("majority F1"), _("F1 from"), _("F1 to"), _("union F1"), _("union from"), _("union to"), _("same label"),
        _("label from"), _("label to"),
    )  # fmt: skip
    has_union = not _is_of_pairs(agreement)
    st.dataframe(
        [_row_against_rest(person, has_union=has_union) for person in people], hide_index=True, key="quality_against_rest",
        placeholder=UNDEFINED, column_config=dict.fromkeys(columns, _SHARE),
    )  # fmt: skip
    st.caption(
        _(
            "Token F1 against tokens marked by most others (majority) or any other (union); label agreement "
            "with the others. Mean over n texts, 95 % intervals; n excludes texts without marks or with "
            "tied labels."
        )
    )


def _order(person: lead_quality.AgainstRest) -> tuple[bool, float]:
    first = person.majority_f1 if person.majority_f1.value is not None else person.label
    return first.n < _FEW, 1.0 if first.value is None else first.value


def _is_of_pairs(agreement: lead_quality.Agreement) -> bool:
    """Whether most of the others and any other are the same: nobody has more than one partner at a text."""
    return all(person.majority_f1 == person.union_f1 for person in agreement.against_rest)


def _row_against_rest(person: lead_quality.AgainstRest, *, has_union: bool) -> dict[str, object]:
    union = _cells(_("union F1"), _("union from"), _("union to"), person.union_f1) | {_("n (union)"): person.union_f1.n}
    return (
        {_("annotator"): person.annotator}
        | _cells(_("majority F1"), _("F1 from"), _("F1 to"), person.majority_f1)
        | {"n": person.majority_f1.n}
        | (union if has_union else {})
        | _cells(_("same label"), _("label from"), _("label to"), person.label)
        | {_("n (labels)"): person.label.n, _("no majority"): person.label.n_left_out}
    )


def _cells(name: str, low: str, high: str, estimate: lead_quality.Estimate) -> dict[str, object]:
    return {name: estimate.value, low: estimate.low, high: estimate.high}


# How far annotators agree, on the page Quality: in a large project when it is asked for, since all of it is read.


Row = dict[str, object]  # of a table: a cell by its column's head
_AGREEMENT_KEY = "quality_agreement_{}"
_AT_ONCE = 500  # instances; those of three annotators take a tenth of a second
_MOST_PAIRS = 5000
_FEW_SHARED = 10  # instances; the agreement of a pair with fewer says little


def show_agreement(store: Store, visit: Visit, project: Project, accepted: Accepted) -> None:
    st.markdown(_("**Annotator agreement**"))
    if accepted.n_several:
        st.caption(as_text(gold_words(project.settings.gold_policy, accepted)))
    key = _AGREEMENT_KEY.format(project.id)
    is_unhelped = lead_quality.knows_help(store, visit.user, project) and st.checkbox(
        _("Only annotations made without help"), key=f"quality_unhelped_{project.id}",
        on_change=lambda: st.session_state.pop(key, None),
    )  # fmt: skip

    def compute() -> lead_quality.Agreement:
        return agreement_of(store, visit.user, project, WITHOUT_HELP if is_unhelped else None)

    progress = progress_of(store, visit.user, project.id)
    if progress.n_instances <= _AT_ONCE:
        st.session_state[key] = kept(
            store, visit, project, progress, ("agreement", is_unhelped), lead_quality.Agreement, compute
        )
    elif pressed(_("Compute now"), key=f"quality_compute_{project.id}"):
        with st.spinner(_("Reading …")):
            st.session_state[key] = compute()
    agreement = st.session_state.get(key)
    if isinstance(agreement, lead_quality.Agreement):
        _show_agreement_numbers(agreement)


def _show_agreement_numbers(agreement: lead_quality.Agreement) -> None:
    if not agreement.tokens.n_instances and not agreement.labels.n_instances:
        st.info(
            _("No text has two submitted annotations. Require more annotators under **Rules**."),
            icon=":material/group:",
        )
        return
    st.caption(_included(agreement))
    rows = list(_agreement_rows(agreement))
    st.dataframe(rows, hide_index=True, height=38 + 35 * len(rows), key="quality_agreement_table")
    st.caption(_("Majority: marked by over half of the annotators. Undefined values are excluded."))
    if not _is_of_pairs(agreement):
        _show_annotators(agreement)
    show_against_rest(agreement)
    _show_pairs(agreement)


def _included(agreement: lead_quality.Agreement) -> str:
    """Whose annotations the numbers are of."""
    others = several(
        "{n} differs from the gold and counts for labels only",
        "{n} differ from the gold and count for labels only",
        agreement.n_other_result,
    )
    taking_part = several(
        "{n} annotation included; {others}.",
        "{n} annotations included; {others}.",
        agreement.n_annotations,
        others=others,
    )
    labels, tokens = agreement.labels.n_alone, agreement.tokens.n_alone
    alone = several(
        "{n} instance with one annotator is excluded.", "{n} instances with one annotator are excluded.", tokens
    )
    if (
        labels != tokens
    ):  # with two annotators of whom only one gave the gold result, labels are compared and tokens are not
        alone = _(
            "Instances with one annotator are excluded: {labels} for labels, {tokens} for tokens.",
            labels=f"{labels:,}", tokens=f"{tokens:,}",
        )  # fmt: skip
    return together(taking_part, alone, *_apart(agreement))


def _apart(agreement: lead_quality.Agreement) -> tuple[str, ...]:
    """Of marks whose people are not known, and of the people whose marks they may be."""
    if not agreement.n_marks_alone:
        return ()
    return (
        several(
            "{n} annotation without an annotator counts for tokens only.",
            "{n} annotations without an annotator count for tokens only.",
            agreement.n_marks_alone,
        ),
        several(
            "{n} label without known marks counts for labels only.",
            "{n} labels without known marks count for labels only.",
            agreement.n_labels_alone,
        ),
    )


def _agreement_rows(agreement: lead_quality.Agreement) -> Iterator[Row]:
    """Of disagreement the means over pairs and then over texts; n is of the pairs."""
    labels, tokens, parts = agreement.labels, agreement.tokens, agreement.disagreement
    about = _("labels")
    yield _row(about, _("Cohen κ, mean over annotator pairs"), labels.cohen_kappa)
    yield _value(about, _fleiss(labels.fleiss_is_generalised), labels.fleiss_kappa, labels.n_instances)
    yield _value(about, _("Krippendorff α, nominal"), labels.krippendorff_alpha, labels.n_instances)
    about = _("tokens")
    yield _row(about, _("Cohen κ, mean over instances and pairs"), tokens.cohen_kappa_per_instance)
    yield _row(about, _("Cohen κ pooled, mean over pairs"), tokens.cohen_kappa_pooled)
    yield _value(about, _fleiss(tokens.fleiss_is_generalised), tokens.fleiss_kappa, tokens.n_instances)
    yield _value(about, _("Krippendorff α, nominal, all tokens"), tokens.krippendorff_alpha, tokens.n_instances)
    yield _row(about, _("Krippendorff α, mean over instances"), tokens.krippendorff_alpha_per_instance)
    yield _row(_("sets"), _("best-match IoU"), agreement.sets.best_match_iou)
    values = {_("another label"): parts.label, _("another reason"): parts.reason, _("another extent"): parts.extent}
    for name, value in values.items():
        yield _row(_("disagreement"), name, lead_quality.Spread(value, None, parts.n_pairs, parts.n_left_out))
    measures = {"Cohen κ": "kappa", _("precision"): "precision", _("recall"): "recall", "F1": "f1"}
    for name, field in measures.items():
        yield _row(_("vs. majority"), _("{name} (ERASER, Table 2)", name=name), getattr(tokens.majority, field))


def _show_annotators(agreement: lead_quality.Agreement) -> None:
    by_annotator = [
        {_("annotator"): name, _("kappa"): written(of_one.kappa.mean), "n": of_one.kappa.n,
         _("excluded"): of_one.kappa.n_left_out,
         **{_(title): _mean_of(of, of_one.kappa.n) for title, of in
            (("precision", of_one.precision), ("recall", of_one.recall), ("f1", of_one.f1))}}
        for name, of_one in agreement.tokens.by_annotator.items()
    ]  # fmt: skip
    if by_annotator:
        st.markdown(_("Each annotator vs. the token majority"))
        st.dataframe(by_annotator, hide_index=True, key="quality_by_annotator")


def _mean_of(of: lead_quality.Spread, n: int) -> str:
    """A mean, with over how many instances it is where these are others than the n beside it."""
    return written(of.mean) if of.n == n else f"{written(of.mean)} (n {of.n:,})"


def _show_pairs(agreement: lead_quality.Agreement) -> None:
    """Who disagrees with whom: those who share few instances come last, since their κ says little."""
    pairs = sorted(
        (pair for pair in lead_quality.pairs_of(agreement) if pair.about == "tokens" and pair.kappa is not None),
        key=lambda pair: (pair.n_instances < _FEW_SHARED, pair.kappa),
    )
    if not pairs:
        return
    rows = [
        {
            _("annotator"): pair.first,
            _("and"): pair.second,
            _("token κ"): written(pair.kappa),
            _("instances"): pair.n_instances,
        }
        for pair in pairs[:_MOST_PAIRS]
    ]
    st.markdown(_("Disagreement between annotators"))
    st.dataframe(rows, hide_index=True, key="quality_pairs")
    about = _("Token-level Cohen's κ, pooled over shared instances; lowest first.")
    if len(pairs) > _MOST_PAIRS:
        more = _("First {most} of {n} pairs.", most=f"{_MOST_PAIRS:,}", n=f"{len(pairs):,}")
        about = together(about, more)
    st.caption(about)


def _fleiss(is_generalised: bool) -> str:
    return _("{name}, generalised to unequal numbers", name="Fleiss κ") if is_generalised else "Fleiss κ"


def _row(about: str, name: str, spread: lead_quality.Spread) -> Row:
    return {
        _("about"): about, _("measure"): name, _("value"): written(spread.mean), _("± sd"): written(spread.sd), "n": spread.n,
        _("excluded"): spread.n_left_out,
    }  # fmt: skip


def _value(about: str, name: str, value: float | None, n: int) -> Row:
    spread = lead_quality.Spread(value, None, n if value is not None else 0, n if value is None else 0)
    return _row(about, name, spread)


_ENDS: tuple[tuple[str, str], ...] = (*OUTCOMES.items(), ("open", unsaid("open")))
_BY = (unsaid("by round"), unsaid("by annotator"))
_SOURCES: dict[ProposedSource, str] = {
    "carried": unsaid("original's gold"),
    "lexicon": unsaid("keep list"),
    "model": unsaid("model's sets"),
    "complement": unsaid("all but ignored words"),
}
Leanings = dict[Property, dict[str, lead_quality.Leaning]]
_NUMBERS_KEY = "quality_numbers"


def show(store: Store, visit: Visit, project: Project) -> None:
    """How the work is, then audits of changed versions, where there are any to audit."""
    _show_work(store, visit, project)
    audits.show(store, visit, project)


def _show_work(store: Store, visit: Visit, project: Project) -> None:
    """What is there of the work, and how far its annotators agree."""
    quality, leanings, accepted = _numbers(store, visit, project)
    if not quality.outcomes and not quality.time.n:
        st.info(_("Nothing yet."), icon=":material/monitoring:")
        if accepted.n_several:
            show_agreement(store, visit, project, accepted)
        return
    drawn: list[tuple[bool, Callable[[], list[lead_quality.BehindPoint] | None]]] = [
        (bool(quality.outcomes), lambda: _show_outcomes(store, visit, project, quality)),
        (bool(quality.scores), lambda: _show_scores(store, visit, project, quality)),
        (bool(quality.scores), lambda: _show_reviewers(quality)),
    ]
    parts = [draw for has_numbers, draw in drawn if has_numbers]
    for at in range(0, len(parts), 2):
        behind = None
        beside = parts[at : at + 2]
        for column, draw in zip(st.columns(len(beside), gap="large"), beside, strict=True):
            with column:
                behind = draw() or behind
        if behind:
            _show_behind(store, visit, project, behind)
    _show_leanings(leanings)
    _show_shadows(quality)
    _show_proposed(quality)
    _show_help(quality.help)
    show_agreement(store, visit, project, accepted)


def _numbers(store: Store, visit: Visit, project: Project) -> tuple[lead_quality.WorkQuality, Leanings, Accepted]:
    """Counted anew only when something has happened since: in a large project it takes seconds, and each click asks."""
    newest = [event.id for event in events_of(store, visit.user, project.id, limit=1)]
    of, numbers = st.session_state.get(_NUMBERS_KEY, (None, None))
    if of != (project.id, newest):
        numbers = (
            lead_quality.quality_of(store, visit.user, project),
            lead_quality.reviewer_leanings(store, visit.user, project),
            accepted_annotations(store, visit.user, project),
        )
        st.session_state[_NUMBERS_KEY] = ((project.id, newest), numbers)
    return cast("tuple[lead_quality.WorkQuality, Leanings, Accepted]", numbers)


def _show_outcomes(
    store: Store, visit: Visit, project: Project, quality: lead_quality.WorkQuality
) -> list[lead_quality.BehindPoint]:
    parts = [
        Part(_round(count.round_number), count.outcome, count.n, (count.round_number, count.outcome))
        for count in quality.outcomes
    ]
    outcomes = {outcome: _(words) for outcome, words in _ENDS}
    figure = stacked_bars(parts, outcomes, title=_("Round outcomes"), across=_("round"), up=_("number of rounds"))
    point = _chosen(figure, key=f"quality_outcomes_{project.id}")
    shares = [
        _(
            "{round}: {percent} of {n_decided} decided",
            round=_round(share.round_number),
            percent=percent(share.accepted_share),
            n_decided=f"{share.n_decided:,}",
        )
        for share in quality.accepted_by_round
    ]
    st.caption(_("Accepted in {shares}", shares=" · ".join(shares)) if shares else _("Nothing yet."))
    return (
        []
        if point is None
        else lead_quality.instances_behind_outcome(store, visit.user, project, int(point[0]), str(point[1]))
    )


def _show_scores(
    store: Store, visit: Visit, project: Project, quality: lead_quality.WorkQuality
) -> list[lead_quality.BehindPoint]:
    left, right = st.columns(2)
    scored = {count.property for count in quality.scores}
    name = choose(
        _("Score"), SCORE_NAMES, [name for name in SCALES if name in scored], column=left,
        key=f"quality_property_{project.id}", label_visibility="collapsed"
    )  # fmt: skip
    by = right.segmented_control(
        _("By"), _BY, default="by round", required=True, format_func=_, key=f"quality_by_{project.id}",
        label_visibility="collapsed"
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
            parts, kinds, title=_(SCORE_TITLES[name]), across=_("round") if is_by_round else _("annotator"),
            up=_("number of scores")
        ), key=f"quality_scores_{project.id}",
    )  # fmt: skip
    if point is None:
        return []
    where: dict[str, Any] = {"round_number": int(point[0])} if is_by_round else {"annotator": str(point[0])}
    return lead_quality.instances_behind_score(store, visit.user, project, name, int(point[1]), **where)


def _chosen(figure: Any, key: str) -> Sequence[Any] | None:
    """The part of a chart that was clicked."""
    event = show_chart(figure, key=key, on_select="rerun", selection_mode="points", config={"displayModeBar": False})
    points = event["selection"]["points"]
    return points[0]["customdata"] if points else None


def _show_behind(store: Store, visit: Visit, project: Project, behind: Sequence[lead_quality.BehindPoint]) -> None:
    st.markdown(
        several("**{n} instance in this bar**", "**{n} instances in this bar**", len(behind))
        if len(behind) < 100
        else _("**First 100 in this bar**")
    )
    rows = [
        {_("text"): first_words(b.excerpt), _("annotator"): b.annotator, _("round"): b.round_number, _("ID"): b.key}
        for b in behind
    ]
    selection = st.dataframe(
        rows, hide_index=True, height=min(260, 38 + 35 * len(rows)), on_select="rerun", selection_mode="single-row",
        key=f"quality_behind_{project.id}_{len(rows)}_{behind[0].key}",
    )  # fmt: skip
    selected = selection["selection"]["rows"]
    if selected:
        comparison.show(store, visit, project, behind[selected[0]].instance_id)


def _show_reviewers(quality: lead_quality.WorkQuality) -> None:
    st.markdown(_("**Reviewer agreement**"))
    any_alone = any(agreement.n_alone for agreement in quality.reviewers.values())
    rows = [
        {
            _("score"): _(PROPERTY_NAMES[name]),
            _("same score"): percent(agreement.exact_share),
            _("α (ordinal)"): written(agreement.krippendorff_alpha),
            _("items"): agreement.n_items,
        }
        | ({_("one scorer"): agreement.n_alone} if any_alone else {})
        for name, agreement in quality.reviewers.items()
    ]
    st.dataframe(rows, hide_index=True, key="quality_reviewers")
    st.caption(_("Sets (comprehensiveness: annotations) with at least two scores. α: Krippendorff, ordinal."))


_SHADOW_NOTE = unsaid(
    "Weighted κ [95 % over texts]; n: sets (comprehensiveness: annotations). As good: at most "
    "{most} below people, even at the interval's low end; needs ten texts."
)
_STANDINGS: dict[lead_quality.Standing, str] = {
    "as good": unsaid("as good as a reviewer"),
    "worse": unsaid("worse"),
    "open": unsaid("not known yet"),
}


def _show_shadows(quality: lead_quality.WorkQuality) -> None:
    """Language models that scored what people scored; nothing where none did."""
    rows = [
        {
            _("model"): shadow.model.partition(" · ")[0],
            _("score"): _(PROPERTY_NAMES[name]),
            _("κ with people"): _interval(shadow.shadow),
            _("people among themselves"): _interval(shadow.people),
            _("difference"): _interval(shadow.difference),
            _("verdict"): _(_STANDINGS[shadow.standing]),
            "n": shadow.shadow.n,
        }
        for name, shadows in quality.shadows.items()
        for shadow in shadows
    ]
    if not rows:
        return
    st.markdown(
        _("**Shadow reviewers**"),
        help=_("Language models that scored decided rounds; they decide nothing (docs/self_explanations.md)."),
    )
    st.dataframe(rows, hide_index=True, key="quality_shadows")
    st.caption(_(_SHADOW_NOTE, most=lead_quality.NO_WORSE))


def _interval(estimate: lead_quality.Estimate) -> str:
    bounds = "" if estimate.low is None else f" [{written(estimate.low)}, {written(estimate.high)}]"
    return f"{written(estimate.value)}{bounds}"


def _show_leanings(leanings: Leanings) -> None:
    """Who scores higher or lower than the others; nothing where no set has two scores."""
    names = sorted({name for of_one in leanings.values() for name in of_one}, key=natural_order)
    if not names:
        return
    st.markdown(_("**Reviewers scoring higher or lower than the others**"))
    rows = [{_("reviewer"): name} | {head: value for scale in leanings for head, value in _leaning(leanings, scale, name)}
            for name in names]  # fmt: skip
    st.dataframe(rows, hide_index=True, key="quality_leanings")
    st.caption(
        _(
            "Mean difference from the others' mean score of the same set (comprehensiveness: annotation), "
            "decided rounds only."
        )
    )


def _leaning(leanings: Leanings, scale: Property, name: str) -> list[tuple[str, object]]:
    leaning = leanings[scale].get(name)
    return [
        (_(SCORE_NAMES[scale]), signed(leaning.mean_difference) if leaning else UNDEFINED),
        (_("n ({score})", score=_(PROPERTY_NAMES[scale])), leaning.n if leaning else 0),
    ]


def _show_proposed(quality: lead_quality.WorkQuality) -> None:
    """What became of sets that were proposed; nothing where none was."""
    if not quality.proposed:
        return
    st.markdown(_("**Suggested sets**"))
    rows = [
        {
            _("source"): _(_SOURCES[count.source]),
            _("type or list"): count.name or "–",
            _("suggested"): count.n_suggested,
            _("kept"): count.n_kept,
            _("of these, edited"): count.n_edited,
            _("rejected"): count.n_rejected,
            _("undecided"): count.n_undecided,
            _("share kept"): percent(count.n_kept / count.n_suggested),
        }
        for count in quality.proposed
    ]
    st.dataframe(rows, hide_index=True, key="quality_proposed")
    suggested, n_kept = (sum(getattr(count, name) for count in quality.proposed) for name in ("n_suggested", "n_kept"))
    st.caption(
        _("Submitted work: {suggested} suggested, {n_kept} kept.", suggested=f"{suggested:,}", n_kept=f"{n_kept:,}")
    )


_EFFECTS: dict[lead_quality.Outcome, str] = {
    "time": unsaid("time, ratio"),
    "tokens": unsaid("marked words"),
    "sets": unsaid("sets"),
    "agreement": unsaid("agreement (best-match IoU)"),
    "gold": unsaid("shift of the gold"),
    "model": unsaid("score of the model that helped"),
}


def _show_help(report: lead_quality.HelpReport | None) -> None:
    """What help did, where the lot gave it: helped minus blind, with intervals."""
    if report is None:
        return
    st.markdown(
        _("**What help did**"), help=_("Helped minus blind, by lot. p is corrected for the rows below time (Holm).")
    )
    rows = [
        {
            _("outcome"): _(_EFFECTS[effect.outcome]),
            _("effect"): _signed(effect.outcome, effect.value),
            _("from"): _signed(effect.outcome, effect.low),
            _("to"): _signed(effect.outcome, effect.high),
            _("p"): written(effect.p),
            "n": effect.n,
        }
        for effect in report.effects
    ]
    st.dataframe(rows, hide_index=True, key="quality_help")
    st.caption(as_text(lead_quality.help_words(report)))


def _signed(outcome: lead_quality.Outcome, value: float | None) -> str:
    if value is None:
        return UNDEFINED
    return f"× {value:.2f}" if outcome == "time" else signed(value)


def _round(number: int | str) -> str:
    return _("round {number}", number=number)
