"""Do something with all texts that were found or ticked, and take it back; give every text a split."""

from collections.abc import Sequence

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.people import has_right
from annotator.domain.project.search import BulkAction, BulkChange, BulkKind, BulkPlan, Search
from annotator.domain.projects import DISCARD_REASONS, Project
from annotator.language import _, listed, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.bulk_actions import BulkResult, change_many, last_changes, plan_change, plan_undoing, undo
from annotator.usecases.lead.event_words import bulk_words
from annotator.usecases.lead.instance_search import found_ids, search_choices
from annotator.usecases.project.splits import SplitReport, preview_split, split_project
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.session import Visit, shown_time

_MADE = "changes_made"
_KINDS: dict[BulkKind, str] = {
    "give out": unsaid("Assign again"),
    "name": unsaid("Assign to people"),
    "split": unsaid("Set split"),
    "exhaustive": unsaid("Set exhaustive mark"),
    "discard": unsaid("Discard"),
    "put back": unsaid("Restore"),
}
_MARKS: dict[str, bool | None] = {unsaid("exhaustive"): True, unsaid("not exhaustive"): False, unsaid("no mark"): None}
_WAYS = {"only": unsaid("only for them"), "first": unsaid("first for them, then for others")}


def show(store: Store, visit: Visit, project: Project, search: Search, n_found: int, ticked: Sequence[int]) -> None:
    """What can be done with the texts, and the last things that were done, for those who manage the project."""
    if not has_right(visit.user, visit.roles, "manage project"):
        return
    of_count, right, left = st.columns([2, 1, 1], vertical_alignment="center")
    of_count.markdown(_count_words(n_found, len(ticked)))
    change = _("Change {n} selected", n=f"{len(ticked):,}") if ticked else _("Change all {n}", n=f"{n_found:,}")
    with left.popover(change, icon=":material/checklist:", width="stretch", disabled=not n_found), refusals_shown():
        _show_form(store, visit, project, search, ticked)
    if last := last_changes(store, visit.user, project):
        with right.popover(_("Recent changes"), icon=":material/undo:", width="stretch"):
            _show_last(store, visit, project, last)


def n_made() -> int:
    """How many changes were made in this visit: after each, nothing is ticked."""
    return int(st.session_state.get(_MADE, 0))


def _end(done: str) -> None:
    """Say what was done on a page that shows it."""
    st.session_state[_MADE] = n_made() + 1
    confirm_and_rerun(done)


def _show_form(store: Store, visit: Visit, project: Project, search: Search, ticked: Sequence[int]) -> None:
    """What is to be done, chosen anew each time, then what it comes to, then the button that does it."""
    kind = st.selectbox(
        _("Action"),
        list(_KINDS),
        format_func=lambda kind: _(_KINDS[kind]),
        index=None,
        placeholder=_("Choose"),
        key=f"changes_kind_{project.id}_{n_made()}"
    )  # fmt: skip
    change = None if kind is None else _ask(store, visit, project, kind)
    if change is None:
        return
    ids = list(ticked) or found_ids(store, visit.user, project, search)
    plan = plan_change(store, visit.user, project, change, ids)
    if change.kind == "name" and not change.people and not plan.ids:
        st.caption(_("Choose people. Currently everyone gets these texts."))
        return
    if plan.n_short:  # before the numbers: on a low window the rest is below the edge
        st.warning(_short_words(project, plan.n_short), icon=":material/group_add:")
    _show_plan(plan)
    deed = _("Open to everyone") if change.kind == "name" and not change.people else _(_KINDS[change.kind])
    button = _("{what}: {value}", what=deed, value=counted(len(plan.ids), "text"))
    if plan.ids and pressed(button, type="primary", key=f"changes_do_{project.id}"):
        result = change_many(store, visit.user, project, change, ids, n_expected=len(plan.ids))
        _end(_result_words(result))


def _show_plan(plan: BulkPlan) -> None:
    st.markdown(_("Affects **{texts}**.", texts=counted(len(plan.ids), "text")))
    if plan.n_versions:
        st.caption(
            _(
                "Includes {changed_versions} that follow their originals.",
                changed_versions=counted(plan.n_versions, "perturbed version"),
            )
        )
    if plan.passed_over:
        n = sum(plan.passed_over.values())
        st.caption(_("Skipped: {parts}.", parts=f"{n:,}"))
        for reason in plan.reasons:
            st.caption(f"· {reason}")


def _short_words(project: Project, n: int) -> str:
    return several(
        "{n} text needs {annotators}. Add people, or choose “first for them, then for others”.",
        "{n} texts need {annotators} each. Add people, or choose “first for them, then for others”.",
        n,
        annotators=counted(project.settings.annotators_per_instance, "annotator"),
    )


def _ask(store: Store, visit: Visit, project: Project, kind: BulkKind) -> BulkChange | None:
    """What belongs to a kind of change; None while something is still to be said."""
    match kind:
        case "split":
            split = st.text_input(_("Split"), key=f"changes_split_{project.id}", help=_("Empty: no split."))
            return BulkChange("split", split=split.strip())
        case "exhaustive":
            mark = st.segmented_control(_("Mark as"), list(_MARKS), format_func=_, key=f"changes_mark_{project.id}")
            return None if mark is None else BulkChange("exhaustive", is_exhaustive=_MARKS[mark])
        case "discard":
            return _ask_reason(project)
        case "name" | "give out":
            return _ask_people(store, visit, project, kind)
    return BulkChange(kind)


def _ask_reason(project: Project) -> BulkChange | None:
    reason = st.selectbox(
        _("Reason"),
        DISCARD_REASONS,
        index=None,
        placeholder=_("Choose"),
        format_func=_,
        key=f"changes_reason_{project.id}",
    )
    comment = st.text_input(_("Short reason"), key=f"changes_comment_{project.id}", max_chars=500)
    if reason is None or (reason == "other" and not comment.strip()):
        return None
    return BulkChange("discard", reason=reason, comment=comment.strip())


def _ask_people(store: Store, visit: Visit, project: Project, kind: BulkKind) -> BulkChange:
    possible = search_choices(store, visit.user, project).people
    people = st.multiselect(
        _("Assigned to"), possible, format_func=as_text, key=f"changes_people_{kind}_{project.id}", select_all=False,
        placeholder=_("Everyone who hasn't had it") if kind == "give out" else _("Everyone")
    )  # fmt: skip
    way = st.segmented_control(
        _("Priority"), list(_WAYS), default="only", required=True, format_func=lambda way: _(_WAYS[way]),
        key=f"changes_way_{kind}_{project.id}", disabled=not people
    )  # fmt: skip
    return BulkChange(kind, people=tuple(people), named_as="first" if way == "first" else "only")


def _show_last(store: Store, visit: Visit, project: Project, actions: Sequence[BulkAction]) -> None:
    """What was done to many texts, the newest first, each with the way back."""
    for action in actions:
        _show_action(store, visit, project, action)


def _show_action(store: Store, visit: Visit, project: Project, action: BulkAction) -> None:
    words, button = st.columns([4, 1], vertical_alignment="center")
    when = shown_time(action.made_at)
    words.markdown(f"**{as_text(action.made_by)}** {as_text(bulk_words(action))} :gray[{when}]")
    if action.undone_by is not None:
        words.caption(
            as_text(
                _(
                    "Undone by {undone_by}, {n_restored} of {n_instances}.",
                    undone_by=action.undone_by,
                    n_restored=f"{action.n_restored:,}",
                    n_instances=f"{action.n_instances:,}",
                )
            )
        )
    elif pressed(_("Undo"), container=button, key=f"changes_undo_{action.id}", width="stretch"):
        undone = undo(store, visit.user, project, action.id)
        _end(_undone_words(undone.n_restored, undone.n_changed))
    else:
        planned = plan_undoing(store, visit.user, project, action.id)
        if planned.n_changed:
            words.caption(_changed_words(planned.n_changed))


def _result_words(result: BulkResult) -> str:
    changed = several(
        "{n} text changed, {n_passed} skipped.",
        "{n} texts changed, {n_passed} skipped.",
        len(result.plan.ids),
        n_passed=f"{sum(result.plan.passed_over.values()):,}",
    )
    if not result.n_leaks:
        return changed
    leaks = several("{n} text is in more than one split.", "{n} texts are in more than one split.", result.n_leaks)
    return together(changed, leaks)


def _count_words(n_found: int, n_ticked: int) -> str:
    texts = counted(n_found, "text")
    return _("**{texts}**, {n} selected", texts=texts, n=f"{n_ticked:,}") if n_ticked else f"**{texts}**"


def _undone_words(n_restored: int, n_changed: int) -> str:
    restored = several("{n} text restored.", "{n} texts restored.", n_restored)
    return together(restored, _changed_words(n_changed)) if n_changed else restored


def _changed_words(n_changed: int) -> str:
    return _("{n_changed} changed since and stay as they are.", n_changed=f"{n_changed:,}")


# Give every text of the project a split: parts with their shares, what that would come to, and only then the storing.


_PARTS = "train=.8,val=.1,test=.1"


def show_splits(store: Store, visit: Visit, project: Project) -> None:
    """The form, and what it would come to while it is open."""
    with st.popover(_("Assign splits"), icon=":material/call_split:"):
        left, right = st.columns([3, 1])
        parts = left.text_input(
            _("Splits and their shares"), _PARTS, key=f"splits_parts_{project.id}",
            help=_("Name and share of each, summing to 1. Replaces existing splits.")
        )  # fmt: skip
        seed = int(right.number_input(_("Seed"), 0, key=f"splits_seed_{project.id}"))
        if pressed(_("Preview"), key=f"splits_preview_{project.id}"):
            st.session_state[_asked_key(project)] = (parts, seed)
        if st.session_state.get(_asked_key(project)) == (parts, seed):
            _show_preview(store, visit, project, parts, seed)


def _asked_key(project: Project) -> str:
    return f"splits_asked_{project.id}"


def _show_preview(store: Store, visit: Visit, project: Project, parts: str, seed: int) -> None:
    with refusals_shown():
        _show_report(preview_split(store, visit.user, project, parts, seed), project)
        if pressed(_("Save splits"), type="primary", key=f"splits_store_{project.id}"):
            report = split_project(store, visit.user, project, parts, seed)
            del st.session_state[_asked_key(project)]
            sizes = listed([f"{name} {n:,}" for name, n in report.sizes.items()])
            confirm_and_rerun(_("All texts are split: {sizes}.", sizes=sizes))


def _show_report(report: SplitReport, project: Project) -> None:
    st.dataframe(
        [
            {"split": name, "texts": n, **(_labels(report, name) if project.task.result_kind == "label" else {})}
            for name, n in report.sizes.items()
        ],
        hide_index=True,
        key=f"splits_table_{project.id}",
        column_config={"split": _("split"), "texts": _("texts")},
    )
    st.caption(_("Texts of one document and perturbed versions stay together."))
    if report.n_leaks:
        st.warning(
            several("{n} text is in more than one split.", "{n} texts are in more than one split.", report.n_leaks),
            icon=":material/warning:",
        )


def _labels(report: SplitReport, part: str) -> dict[str, int]:
    """A column for each label that any part has, with those of this part."""
    names = dict.fromkeys(label for of_part in report.labels.values() for label in of_part)
    return {
        _("no label") if name is None else _("label {name}", name=name): report.labels[part].get(name, 0)
        for name in names
    }
