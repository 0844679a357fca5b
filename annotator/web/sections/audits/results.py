"""Audits on Quality: drawing one, the share that is right with its interval, and what becomes of the wrong ones."""

import streamlit as st

from annotator.domain.numbers import UNDEFINED, counted
from annotator.domain.project.audits import Drawing
from annotator.domain.projects import Project, kinds_of
from annotator.errors import AnnotatorError
from annotator.usecases.databases import Store
from annotator.usecases.perturb.audit_results import (
    AuditResult,
    AuditShare,
    Remedy,
    audits_of_project,
    csv_of,
    remedy_wrong,
)
from annotator.usecases.perturb.audits import DrawingPreview, draw_audit, kinds_to_audit, preview_drawing
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.session import Visit

_DONE = "audit_done"


def show(store: Store, visit: Visit, project: Project) -> None:
    """The audits that there are; nothing where no changed version was ever accepted here."""
    results = audits_of_project(store, visit.user, project)
    kinds = kinds_to_audit(store, project)
    if not results and not kinds:
        return
    st.subheader("Audits of changed versions", anchor=False)
    st.caption(
        "A sample of the accepted versions, judged by people who neither wrote nor checked them. More than 95 % were right "
        "after checking in the benchmark (Wang et al. 2022)."
    )
    if done := st.session_state.pop(_DONE, ""):
        st.success(as_text(done), icon=":material/check:")
    for result in results:
        with st.container(border=True):
            _show_audit(store, visit, project, result)
    if kinds:
        with st.popover("Draw a sample", icon=":material/casino:"):
            _ask_drawing(store, visit, project, kinds)


def _show_audit(store: Store, visit: Visit, project: Project, result: AuditResult) -> None:
    audit, overall = result.audit, result.overall
    st.markdown(f"**Audit {audit.id}**: {overall.words}")
    st.caption(
        as_text(
            f"{overall.n_drawn:,} of {counted(overall.population, 'accepted version')}, drawn {audit.drawing.per} by seed "
            f"{audit.drawing.seed} on {audit.made_at[:10]} by {audit.made_by}"
        )
    )
    st.dataframe([_row(share) for share in result.shares], hide_index=True, key=f"audit_shares_{audit.id}")
    if overall.n_changed:
        st.warning(
            f"{counted(overall.n_changed, 'version was', 'versions were')} changed after the verdict, which is out of date and "
            "not counted. They wait to be judged again.",
            icon=":material/update:",
        )
    if audit.drawing.per == "of each kind":
        st.caption(
            "Each kind was drawn by itself, so the row altogether is the share of those judged, not of all versions."
        )
    _show_wrong(store, visit, project, result)
    st.download_button(
        "Download the verdicts", csv_of(result), f"audit-{audit.id}.csv", key=f"audit_csv_{audit.id}",
        icon=":material/download:",
    )  # fmt: skip


def _row(share: AuditShare) -> dict[str, object]:
    return {
        "kind": share.kind, "accepted": share.population, "drawn": share.n_drawn, "judged": share.n_judged,
        "right": share.n_right, "share right": _percent(share.share),
        "95 % interval": UNDEFINED if share.low is None else f"{_percent(share.low)} – {_percent(share.high)}",
    }  # fmt: skip


def _percent(value: float | None) -> str:
    return UNDEFINED if value is None else f"{100 * value:.1f} %"


def _show_wrong(store: Store, visit: Visit, project: Project, result: AuditResult) -> None:
    """The wrong ones; those that are in the data set still may be chosen."""
    if not result.wrong:
        return
    rows = [
        {
            "key": version.key, "kind": version.item.kind, "what is wrong": version.fault_words,
            "comment": version.item.verdict.comment if version.item.verdict else "",
            "annotations": version.n_annotations, "in the data set": version.is_in_data_set,
        }
        for version in result.wrong
    ]  # fmt: skip
    key = f"audit_wrong_{result.audit.id}_{sum(version.is_in_data_set for version in result.wrong)}"
    st.markdown(f"**{counted(len(rows), 'wrong version')}**: select rows to send them back or discard them.")
    selection = st.dataframe(rows, hide_index=True, key=key, on_select="rerun", selection_mode="multi-row")
    chosen = [result.wrong[number] for number in selection["selection"]["rows"]]
    numbers = [version.item.perturbation_id for version in chosen if version.is_in_data_set]
    back, discard, _ = st.columns([1, 1, 2])
    is_none = not numbers
    if pressed("Send back to their authors", container=back, key=f"{key}_back", disabled=is_none, width="stretch"):
        _carry_out(store, visit, project, result.audit.id, numbers, "send back")
    if pressed("Discard", container=discard, key=f"{key}_discard", disabled=is_none, width="stretch"):
        _carry_out(store, visit, project, result.audit.id, numbers, "discard")
    st.caption(
        "Either way the version leaves the data set with what was annotated of it, and its verdict still counts."
    )


def _carry_out(store: Store, visit: Visit, project: Project, audit_id: int, numbers: list[int], remedy: Remedy) -> None:
    try:
        n = remedy_wrong(store, visit.user, project, audit_id, numbers, remedy)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    versions = counted(n, "version")
    st.session_state[_DONE] = f"{versions} went back." if remedy == "send back" else f"{versions} discarded."
    st.rerun()


def _ask_drawing(store: Store, visit: Visit, project: Project, kinds: list[str]) -> None:
    key = f"audit_new_{project.id}"
    titles = {kind.name: kind.title for kind in kinds_of(project)}
    chosen = st.pills(
        "Kinds (none chosen: all)", kinds, selection_mode="multi", key=f"{key}_kinds",
        format_func=lambda kind: as_text(titles.get(kind) or kind),
    )  # fmt: skip
    per = st.radio("Draw", ["altogether", "of each kind"], horizontal=True, key=f"{key}_per")
    by = st.radio("Size", ["a number", "a share"], horizontal=True, key=f"{key}_by")
    left, right = st.columns(2)
    if by == "a number":
        n, percent = int(left.number_input("How many versions", 1, value=100, key=f"{key}_n")), None
    else:
        n, percent = None, int(left.number_input("Share in %", 1, 100, value=10, key=f"{key}_percent"))
    seed = int(right.number_input("Seed", 0, key=f"{key}_seed", help="The same seed draws the same versions."))
    drawing = Drawing("of each kind" if per == "of each kind" else "altogether", n, percent, tuple(chosen), seed)
    try:
        preview = preview_drawing(store, visit.user, project, drawing)
        _show_preview(preview)
        if pressed("Draw it", type="primary", key=f"{key}_draw", disabled=not preview.n):
            draw_audit(store, visit.user, project, drawing)
            st.session_state[_DONE] = (
                f"{counted(preview.n, 'version')} drawn. Whoever had no part in them finds them on Perturb under Audit."
            )
            st.rerun()
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")


def _show_preview(preview: DrawingPreview) -> None:
    st.dataframe(
        [{"kind": kind, "drawn": n, "accepted": of} for kind, (n, of) in preview.kinds.items()], hide_index=True
    )
    if preview.bounds is not None:
        st.markdown(
            f"If 95 % of {counted(preview.n, 'version')} are right, the 95 % interval is "
            f"{_percent(preview.bounds.low)} to {_percent(preview.bounds.high)}."
        )
    if preview.n_unjudged:
        st.warning(
            f"Nobody here may judge {counted(preview.n_unjudged, 'version')} of these: everybody wrote or checked them. Give "
            "somebody else the role of annotator or reviewer.",
            icon=":material/group_off:",
        )
    elif preview.n_third:
        st.caption(f"{counted(preview.n_third, 'person', 'people')} may judge at least one of them.")
