"""Audits on Quality: drawing one, the share that is right with its interval, and what becomes of the wrong ones."""

from collections.abc import Mapping

import streamlit as st

from annotator.domain.numbers import UNDEFINED, counted, percent
from annotator.domain.project.audits import FAULTS, Drawing, Per
from annotator.domain.projects import Project, titles_of_kinds
from annotator.language import _, parted, several, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.perturb import audit_results
from annotator.usecases.perturb.audits import DrawingPreview, draw_audit, kinds_to_audit, preview_drawing
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.session import Visit, shown_day

_PER: Mapping[Per, str] = {"altogether": unsaid("total"), "of each kind": unsaid("per type")}
_BY = (unsaid("a number"), unsaid("a share"))


def show(store: Store, visit: Visit, project: Project) -> None:
    """The audits that there are; nothing where no changed version was ever accepted here."""
    results = audit_results.audits_of_project(store, visit.user, project)
    kinds = kinds_to_audit(store, project)
    if not results and not kinds:
        return
    st.subheader(_("Audits of perturbed versions"), anchor=False)
    st.caption(_("Benchmark: over 95 % right (Wang et al. 2022)."))
    for result in results:
        with st.container(border=True):
            _show_audit(store, visit, project, result)
    if kinds:
        with st.popover(_("Draw a sample"), icon=":material/casino:"):
            _ask_drawing(store, visit, project, kinds)


def _show_audit(store: Store, visit: Visit, project: Project, result: audit_results.AuditResult) -> None:
    audit, overall = result.audit, result.overall
    st.markdown(_("**Audit {id}**: {words}", id=audit.id, words=overall.words))
    st.caption(
        as_text(
            _(
                "{n} of {versions} ({per}), seed {seed}, {day}, {person}",
                per=_(_PER[audit.drawing.per]),
                n=f"{overall.n_drawn:,}",
                versions=counted(overall.population, "accepted version"),
                seed=audit.drawing.seed,
                day=shown_day(audit.made_at),
                person=audit.made_by,
            )
        )
    )
    st.dataframe([_row(share) for share in result.shares], hide_index=True, key=f"audit_shares_{audit.id}")
    if overall.n_changed:
        st.warning(
            several(
                "{n} version changed and must be judged again.",
                "{n} versions changed and must be judged again.",
                overall.n_changed,
            ),
            icon=":material/update:",
        )
    if audit.drawing.per == "of each kind":
        st.caption(_("Sampled per type; the total covers judged versions."))
    _show_wrong(store, visit, project, result)
    st.download_button(
        _("Download verdicts"), audit_results.csv_of(result), f"audit-{audit.id}.csv", key=f"audit_csv_{audit.id}",
        icon=":material/download:"
    )  # fmt: skip


def _row(share: audit_results.AuditShare) -> dict[str, object]:
    return {
        _("type"): _("total") if share.kind == audit_results.ALTOGETHER else share.kind,
        _("accepted"): share.population, _("sampled"): share.n_drawn, _("judged"): share.n_judged,
        _("right"): share.n_right, _("share right"): percent(share.share),
        _("95 % interval"): UNDEFINED if share.low is None else f"{percent(share.low)} – {percent(share.high)}",
    }  # fmt: skip


def _faults(version: audit_results.AuditedVersion) -> str:
    verdict = version.item.verdict
    return parted(_(FAULTS[fault]) for fault in verdict.faults) if verdict else ""


def _show_wrong(store: Store, visit: Visit, project: Project, result: audit_results.AuditResult) -> None:
    """The wrong ones; those that are in the data set still may be chosen."""
    if not result.wrong:
        return
    rows = [
        {
            _("ID"): version.key, _("type"): version.item.kind, _("problem"): _faults(version),
            _("comment"): version.item.verdict.comment if version.item.verdict else "",
            _("annotations"): version.n_annotations, _("in the data set"): version.is_in_data_set,
        }
        for version in result.wrong
    ]  # fmt: skip
    key = f"audit_wrong_{result.audit.id}_{sum(version.is_in_data_set for version in result.wrong)}"
    st.markdown(
        several(
            "**{n} wrong version**: select rows to return or discard.",
            "**{n} wrong versions**: select rows to return or discard.",
            len(rows),
        )
    )
    selection = st.dataframe(rows, hide_index=True, key=key, on_select="rerun", selection_mode="multi-row")
    chosen = [result.wrong[number] for number in selection["selection"]["rows"]]
    numbers = [version.item.perturbation_id for version in chosen if version.is_in_data_set]
    back, discard, _rest = st.columns([1, 1, 2])
    is_none = not numbers
    if pressed(_("Return to authors"), container=back, key=f"{key}_back", disabled=is_none, width="stretch"):
        _carry_out(store, visit, project, result.audit.id, numbers, "send back")
    if pressed(_("Discard"), container=discard, key=f"{key}_discard", disabled=is_none, width="stretch"):
        _carry_out(store, visit, project, result.audit.id, numbers, "discard")
    st.caption(_("Either removes the version and its annotations."))


def _carry_out(
    store: Store, visit: Visit, project: Project, audit_id: int, numbers: list[int], remedy: audit_results.Remedy
) -> None:
    with refusals_shown():
        n = audit_results.remedy_wrong(store, visit.user, project, audit_id, numbers, remedy)
        confirm_and_rerun(
            several("{n} version returned.", "{n} versions returned.", n)
            if remedy == "send back"
            else several("{n} version discarded.", "{n} versions discarded.", n)
        )


def _ask_drawing(store: Store, visit: Visit, project: Project, kinds: list[str]) -> None:
    key = f"audit_new_{project.id}"
    titles = titles_of_kinds(project)
    chosen = st.pills(
        _("Types (empty: all)"), kinds, selection_mode="multi", key=f"{key}_kinds",
        format_func=lambda kind: as_text(titles.get(kind) or kind)
    )  # fmt: skip
    per = st.radio(_("Sampling"), list(_PER), horizontal=True, key=f"{key}_per", format_func=lambda per: _(_PER[per]))
    by = st.radio(_("Size"), list(_BY), horizontal=True, key=f"{key}_by", format_func=_)
    left, right = st.columns(2)
    if by == "a number":
        n, percent = int(left.number_input(_("Number of versions"), 1, value=100, key=f"{key}_n")), None
    else:
        n, percent = None, int(left.number_input(_("Share in %"), 1, 100, value=10, key=f"{key}_percent"))
    seed = int(right.number_input(_("Seed"), 0, key=f"{key}_seed"))
    drawing = Drawing("of each kind" if per == "of each kind" else "altogether", n, percent, tuple(chosen), seed)
    with refusals_shown():
        preview = preview_drawing(store, visit.user, project, drawing)
        _show_preview(preview)
        if pressed(_("Draw sample"), type="primary", key=f"{key}_draw", disabled=not preview.n):
            draw_audit(store, visit.user, project, drawing)
            confirm_and_rerun(
                several("{n} version drawn; see Perturb, Audit.", "{n} versions drawn; see Perturb, Audit.", preview.n)
            )


def _show_preview(preview: DrawingPreview) -> None:
    st.dataframe(
        [{_("type"): kind, _("sampled"): n, _("accepted"): of} for kind, (n, of) in preview.kinds.items()],
        hide_index=True,
    )
    if preview.bounds is not None:
        st.markdown(
            _(
                "95 % of {versions} right gives a 95 % interval of {low}–{high}.",
                versions=counted(preview.n, "version"),
                low=percent(preview.bounds.low),
                high=percent(preview.bounds.high),
            )
        )
    if preview.n_unjudged:
        st.warning(
            several(
                "Everybody wrote or checked {n} of these. Add people.",
                "Everybody wrote or checked {n} of these. Add people.",
                preview.n_unjudged,
            ),
            icon=":material/group_off:",
        )
    elif preview.n_third:
        st.caption(
            several(
                "{n} person can judge at least one of them.",
                "{n} people can judge at least one of them.",
                preview.n_third,
            )
        )
