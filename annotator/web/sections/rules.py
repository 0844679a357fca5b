"""The project's rules: labels, how results come about, order, leases, gold policy, guidelines."""

from dataclasses import replace

import streamlit as st

from annotator.domain.projects import GOLD_POLICIES, Order, Project, ResultMode
from annotator.usecases.databases import Store
from annotator.usecases.projects import change_project
from annotator.web.session import Visit

_MODES: dict[ResultMode, str] = {
    "contest": "given, and annotators may contest it",
    "confirm": "given and fixed",
    "give": "annotators give it themselves",
    "labels_only": "annotators give labels only, no rationales",
}
_ORDERS: dict[Order, str] = {"sequential": "as imported", "random": "random, by the seed"}


def show(store: Store, visit: Visit, project: Project) -> None:
    """One form; it is stored as a whole."""
    settings = project.settings
    with st.form("rules", border=False):
        left, right = st.columns(2, gap="large")
        with left:
            name = st.text_input("Name", project.name, key=f"rules_name_{project.id}")
            labels = _labels_field(project)
            mode = st.selectbox(
                "The result is", list(_MODES), list(_MODES).index(settings.result_mode), format_func=_MODES.__getitem__,
                key=f"rules_mode_{project.id}",
            )  # fmt: skip
            question = st.text_input(
                "Question above the text ({result} stands for the label or answer)", project.question,
                placeholder=project.task.question, key=f"rules_question_{project.id}",
            )  # fmt: skip
            may_be_empty = st.checkbox(
                "“No rationale in the text” may be submitted", settings.may_be_empty, key=f"rules_empty_{project.id}"
            )
            may_cross = st.checkbox(
                "A set may cross segments", settings.sets_may_cross_segments, key=f"rules_cross_{project.id}"
            )
        with right:
            order = st.selectbox(
                "Order", list(_ORDERS), list(_ORDERS).index(settings.order), format_func=_ORDERS.__getitem__,
                key=f"rules_order_{project.id}",
            )  # fmt: skip
            seed = st.number_input("Seed", 0, 2**31, settings.seed, key=f"rules_seed_{project.id}")
            annotators = st.number_input(
                "Annotators per instance",
                1,
                100,
                settings.annotators_per_instance,
                key=f"rules_annotators_{project.id}",
            )
            lease = st.number_input(
                "Minutes until work that rests is given to someone else", 1, 43_200, settings.lease_minutes,
                key=f"rules_lease_{project.id}",
            )  # fmt: skip
            policy = st.selectbox(
                "Gold policy",
                GOLD_POLICIES,
                GOLD_POLICIES.index(settings.gold_policy),
                key=f"rules_policy_{project.id}",
            )
        guidelines = st.text_area(
            "Guidelines (Markdown)", project.guidelines, height=320, key=f"rules_guidelines_{project.id}"
        )
        if st.form_submit_button("Save the rules", type="primary"):
            changed = replace(
                settings, result_mode=mode, may_be_empty=may_be_empty, sets_may_cross_segments=may_cross,
                order=order, seed=int(seed), annotators_per_instance=int(annotators), lease_minutes=int(lease),
                gold_policy=policy,
            )  # fmt: skip
            change_project(
                store, visit.user,
                replace(project, name=name, labels=labels, question=question, guidelines=guidelines, settings=changed),
            )  # fmt: skip
            st.toast("The rules are saved.", icon=":material/check:")


def _labels_field(project: Project) -> tuple[str, ...]:
    if project.task.result_kind == "answer":
        return ()
    text = st.text_input("Labels, comma separated", ", ".join(project.labels), key=f"rules_labels_{project.id}")
    return tuple(label.strip() for label in text.split(",") if label.strip())
