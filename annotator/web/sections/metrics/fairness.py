"""False positive rates over word lists on the Metrics page; a group opens the texts behind its rate."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

import streamlit as st

from annotator.domain.projects import Project
from annotator.figures.grouped_bars import Bar, grouped_bars
from annotator.figures.instance_list import LinkedRow, instance_list_html
from annotator.language import _, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.inspect.fairness import FairnessRow, fairness_rows
from annotator.usecases.inspect.metric_values import newest_event
from annotator.usecases.project.word_lists import word_lists
from annotator.web.cached_numbers import ValueCache
from annotator.web.frame import as_text
from annotator.web.sections.metrics import state
from annotator.web.sections.metrics.numbers import ScoredTable
from annotator.web.sections.metrics.words import uncounted_training_summary
from annotator.web.sections.number_frames import show_numbers
from annotator.web.session import Visit

_MOST_SHOWN = 100
_ALL = unsaid("all texts")


@st.cache_resource(show_spinner=False)
def _rows() -> ValueCache:
    return ValueCache(most=12)


def show(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """Choose word lists and a label; each model's rate for each list beside its rate over all texts."""
    words = {word_list.name: word_list.words for word_list in word_lists(store, visit.user, project)}
    lists = list(words)
    if not lists or project.task.result_kind != "label":
        st.info(
            _(
                "Groups are word lists. Save some, such as words for men and for women, on the page Tests under “Word lists”."
            ),
            icon=":material/groups:",
        )
        return
    chosen, positive = _choose(project, lists)
    newest = newest_event(store, visit.user, project)  # asks for the right as well, whoever made what is kept
    rows = [] if not chosen else _rows().get_or_make(
        (scored.request, newest, tuple((name, words[name]) for name in chosen), positive), list,
        lambda: fairness_rows(store, visit.user, project, chosen, positive, scored.request.options), lambda _rows: 1,
    )  # fmt: skip
    if not rows:
        st.info(
            _("Choose a word list.")
            if not chosen
            else _("No model has answers here yet. Compute or import some on the page Saliency."),
            icon=":material/groups:",
        )
        return
    _show_rates(project, rows, chosen)
    _show_wrong(project, rows)


def _choose(project: Project, lists: Sequence[str]) -> tuple[list[str], str]:
    """The word lists, and the label whose false positives count."""
    of_lists, of_label = st.columns([4, 2], vertical_alignment="bottom")
    choices = state.choices_of(project)
    chosen = of_lists.multiselect(
        _("Word lists"), lists, key=choices.several(state.WORD_LISTS, lists, lists[:4]), placeholder=_("Choose options")
    )
    positive = of_label.selectbox(
        _("Label whose false positives count"), project.labels,
        key=choices.one(state.POSITIVE, project.labels, project.labels[-1]),
    )  # fmt: skip
    return chosen, positive


def _show_rates(project: Project, rows: Sequence[FairnessRow], chosen: Sequence[str]) -> None:
    st.plotly_chart(
        grouped_bars(
            [bar for row in rows for bar in _bars(row)],
            across=_("texts that mention a word of the list"),
            up=_("false positive rate ↓"),
        ),
        key=f"metrics_fairness_{project.id}", config={"displayModeBar": False},
    )  # fmt: skip
    show_numbers(
        [_cells(row) for row in rows], {"FPRD ↓", _(_ALL), *chosen}, key=f"metrics_fairness_table_{project.id}"
    )
    meaning = _(
        "The rate is the share of texts with another label that the model gives this one, among those that mention a "
        "word of the list. FPRD is the sum of the lists' distances from the rate over all texts (ER-TEST). A list "
        "without such a text is left out (–)."
    )
    st.caption(together(meaning, uncounted_training_summary(rows)))


def _bars(row: FairnessRow) -> list[Bar]:
    bars = [
        Bar(group.name, row.model, group.rate.mean, group.n_negatives)
        for group in row.groups
        if group.rate.mean is not None
    ]
    return ([Bar(_(_ALL), row.model, row.overall.mean)] if row.overall.mean is not None else []) + bars


def _cells(row: FairnessRow) -> dict[str, object]:
    rates = {group.name: group.rate.mean for group in row.groups}
    negatives = {_("n of {group}", group=group.name): group.n_negatives for group in row.groups}
    return {_("model"): row.model, "FPRD ↓": row.difference.mean, _(_ALL): row.overall.mean, **rates, **negatives}


def _show_wrong(project: Project, rows: list[FairnessRow]) -> None:
    behind = [(row.model, group) for row in rows for group in row.groups if group.wrong]
    if not behind:
        return
    by_name = {f"{quote(model, safe=' ')}/{quote(group.name, safe=' ')}": (model, group) for model, group in behind}
    names = list(by_name)
    chosen = st.selectbox(
        _("False positives of"), names, key=state.choices_of(project).one(state.LIST_OF, names, names[0], part="wrong"),
        format_func=lambda name: f"{by_name[name][0]}, {by_name[name][1].name}: {len(by_name[name][1].wrong):,}",
    )  # fmt: skip
    wrong = by_name[chosen][1].wrong
    if len(wrong) > _MOST_SHOWN:
        st.markdown(
            as_text(
                _(
                    "The first {n} of {total}; a link opens Saliency in another tab",
                    n=_MOST_SHOWN,
                    total=f"{len(wrong):,}",
                )
            )
        )
    shown = [
        LinkedRow(f"/saliency?{urlencode({'project': project.id, 'instance': instance_id})}", key, [])
        for instance_id, key in wrong[:_MOST_SHOWN]
    ]
    st.html(instance_list_html(shown, [], label=_("False positives")))
