"""Do something with all texts that were found or ticked: what, how many it concerns, and taking it back."""

from collections.abc import Sequence

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.people import has_right
from annotator.domain.project.bulk_actions import BulkAction, BulkChange, BulkKind, BulkPlan
from annotator.domain.project.instance_search import Search
from annotator.domain.projects import DISCARD_REASONS, Project
from annotator.errors import AnnotatorError
from annotator.usecases.databases import Store
from annotator.usecases.lead.bulk_actions import BulkResult, change_many, last_changes, plan_change, plan_undoing, undo
from annotator.usecases.lead.event_words import bulk_words
from annotator.usecases.lead.instance_search import found_ids, search_choices
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.session import Visit

_DONE, _MADE = "changes_done", "changes_made"
_KINDS: dict[BulkKind, str] = {
    "give out": "Give out again",
    "name": "Name people for them",
    "split": "Set the split",
    "exhaustive": "Mark as exhaustive or not",
    "discard": "Discard",
    "put back": "Put back",
}
_MARKS: dict[str, bool | None] = {"exhaustive": True, "not exhaustive": False, "no mark": None}
_WAYS = {"only": "only for them", "first": "first for them, then for others"}


def show(store: Store, visit: Visit, project: Project, search: Search, n_found: int, ticked: Sequence[int]) -> None:
    """What can be done with the texts, and the last things that were done, for those who manage the project."""
    if not has_right(visit.user, visit.roles, "manage project"):
        return
    if done := st.session_state.pop(_DONE, None):
        st.toast(done, icon=":material/check:")
    of_count, left, right = st.columns([2, 1, 1], vertical_alignment="center")
    of_count.markdown(f"**{counted(n_found, 'text')}**" + (f", {len(ticked):,} ticked" if ticked else ""))
    texts = f"{len(ticked):,} ticked" if ticked else f"all {n_found:,}"
    with left.popover(f"Change {texts}", icon=":material/checklist:", width="stretch", disabled=not n_found):
        try:
            _show_form(store, visit, project, search, ticked)
        except AnnotatorError as error:
            st.error(as_text(str(error)), icon=":material/error:")
    with right.popover("Last changes", icon=":material/undo:", width="stretch"):
        _show_last(store, visit, project)


def n_made() -> int:
    """How many changes were made in this visit: after each, nothing is ticked."""
    return int(st.session_state.get(_MADE, 0))


def _end(done: str) -> None:
    """Say what was done on a page that shows it."""
    st.session_state[_DONE] = done
    st.session_state[_MADE] = n_made() + 1
    st.rerun()


def _show_form(store: Store, visit: Visit, project: Project, search: Search, ticked: Sequence[int]) -> None:
    """What is to be done, then what it comes to, then the button that does it."""
    kind = st.selectbox("What to do", list(_KINDS), format_func=_KINDS.__getitem__, index=None, placeholder="Choose",
                        key=f"changes_kind_{project.id}")  # fmt: skip
    change = None if kind is None else _ask(store, visit, project, kind)
    if change is None:
        return
    ids = list(ticked) or found_ids(store, visit.user, project, search)
    plan = plan_change(store, visit.user, project, change, ids)
    _show_plan(plan)
    deed = "Free for everybody" if change.kind == "name" and not change.people else _KINDS[change.kind]
    if plan.ids and pressed(
        f"{deed}: {counted(len(plan.ids), 'text')}", type="primary", key=f"changes_do_{project.id}"
    ):
        result = change_many(store, visit.user, project, change, ids, n_expected=len(plan.ids))
        _end(as_text(_result_words(result)))


def _show_plan(plan: BulkPlan) -> None:
    st.markdown(f"This concerns **{counted(len(plan.ids), 'text')}**.")
    if plan.n_versions:
        st.caption(f"Among them are {counted(plan.n_versions, 'changed version')} that follow their originals.")
    if plan.passed_over:
        n = sum(plan.passed_over.values())
        st.caption(f"Passed over: {n:,}.")
        for reason in plan.reasons:
            st.caption(f"· {reason}")


def _ask(store: Store, visit: Visit, project: Project, kind: BulkKind) -> BulkChange | None:
    """What belongs to a kind of change; None while something is still to be said."""
    match kind:
        case "split":
            split = st.text_input("Split", key=f"changes_split_{project.id}", help="Left empty, they are in no split.")
            return BulkChange("split", split=split.strip())
        case "exhaustive":
            mark = st.segmented_control("Mark as", list(_MARKS), key=f"changes_mark_{project.id}")
            return None if mark is None else BulkChange("exhaustive", is_exhaustive=_MARKS[mark])
        case "discard":
            return _ask_reason(project)
        case "name" | "give out":
            return _ask_people(store, visit, project, kind)
    return BulkChange(kind)


def _ask_reason(project: Project) -> BulkChange | None:
    reason = st.selectbox(
        "Reason", DISCARD_REASONS, index=None, placeholder="Choose", key=f"changes_reason_{project.id}"
    )
    comment = st.text_input("In a few words", key=f"changes_comment_{project.id}", max_chars=500)
    if reason is None or (reason == "other" and not comment.strip()):
        return None
    return BulkChange("discard", reason=reason, comment=comment.strip())


def _ask_people(store: Store, visit: Visit, project: Project, kind: BulkKind) -> BulkChange:
    possible = search_choices(store, visit.user, project).people
    people = st.multiselect(
        "For", possible, format_func=as_text, key=f"changes_people_{kind}_{project.id}",
        placeholder="Everybody who has not had it" if kind == "give out" else "Everybody",
    )  # fmt: skip
    way = st.segmented_control(
        "They are", list(_WAYS), default="only", required=True, format_func=_WAYS.__getitem__,
        key=f"changes_way_{kind}_{project.id}", disabled=not people,
    )  # fmt: skip
    return BulkChange(kind, people=tuple(people), named_as="first" if way == "first" else "only")


def _show_last(store: Store, visit: Visit, project: Project) -> None:
    """What was done to many texts, the newest first, each with the way back."""
    actions = last_changes(store, visit.user, project)
    if not actions:
        st.caption("Nothing was done to many texts yet.")
    for action in actions:
        _show_action(store, visit, project, action)


def _show_action(store: Store, visit: Visit, project: Project, action: BulkAction) -> None:
    words, button = st.columns([4, 1], vertical_alignment="center")
    when = action.made_at.replace("T", " ")[:16]
    words.markdown(f"**{as_text(action.made_by)}** {as_text(bulk_words(action))} :gray[{when} UTC]")
    if action.undone_by is not None:
        words.caption(as_text(f"Undone by {action.undone_by}, {action.n_restored:,} of {action.n_instances:,}."))
    elif pressed("Undo", container=button, key=f"changes_undo_{action.id}", width="stretch"):
        undone = undo(store, visit.user, project, action.id)
        changed = f" {undone.n_changed:,} had changed since and stay as they are." if undone.n_changed else ""
        _end(f"{counted(undone.n_restored, 'text is', 'texts are')} as before.{changed}")
    else:
        planned = plan_undoing(store, visit.user, project, action.id)
        if planned.n_changed:
            words.caption(f"{planned.n_changed:,} have changed since and would stay as they are.")


def _result_words(result: BulkResult) -> str:
    n_passed = sum(result.plan.passed_over.values())
    words = f"{counted(len(result.plan.ids), 'text is', 'texts are')} changed, {n_passed:,} passed over."
    if result.n_leaks:
        words += f" {counted(result.n_leaks, 'text stands', 'texts stand')} in more than one split now."
    return words
