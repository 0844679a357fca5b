"""Give every text of the project a split: parts with their shares, what that would come to, and only then the storing."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _, listed, several
from annotator.usecases.databases import Store
from annotator.usecases.project.splits import SplitReport, preview_split, split_project
from annotator.web.buttons import pressed
from annotator.web.frame import confirm_and_rerun, refusals_shown
from annotator.web.session import Visit

_PARTS = "train=.8,val=.1,test=.1"


def show(store: Store, visit: Visit, project: Project) -> None:
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
