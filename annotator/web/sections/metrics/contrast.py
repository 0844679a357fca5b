"""Original against contrast accuracy on the Metrics page; a row opens the sets that break."""

from urllib.parse import quote, urlencode

import streamlit as st

from annotator.domain.projects import Project
from annotator.figures.grouped_bars import Bar, grouped_bars
from annotator.figures.instance_list import LinkedRow, instance_list_html
from annotator.language import _, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.inspect.contrast_accuracy import NUMBERS, ContrastRow, contrast_rows
from annotator.usecases.inspect.metric_values import newest_event
from annotator.web.cached_numbers import ValueCache
from annotator.web.frame import as_text
from annotator.web.sections.metrics import state
from annotator.web.sections.metrics.numbers import ScoredTable
from annotator.web.sections.metrics.words import uncounted_training_summary
from annotator.web.sections.number_frames import show_numbers
from annotator.web.session import Visit

_PAGE = 25
_TITLES = {
    "original": unsaid("Original accuracy ↑"),
    "contrast": unsaid("Contrast accuracy ↑"),
    "delta": unsaid("Delta"),
    "consistency_of_sets": unsaid("Consistency ↑"),
}
_SPREAD = {"original": unsaid("± original"), "contrast": unsaid("± contrast")}
_SHOWN_BARS = ("original", "contrast", "consistency_of_sets")


@st.cache_resource(show_spinner=False)
def _rows() -> ValueCache:
    return ValueCache(most=12)


def show(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """The models on originals and on their perturbed versions, by kind; below, the sets that break."""
    newest = newest_event(store, visit.user, project)  # asks for the right as well, whoever made what is kept
    rows = _rows().get_or_make(
        (scored.request, newest),
        list,
        lambda: contrast_rows(store, visit.user, project, scored.request.options),
        lambda _rows: 1,
    )
    if not rows:
        st.info(
            _(
                "No model has predicted changed versions that have a label. Annotators write such versions on the page Perturb, "
                "and a lead imports contrast sets; predictions are imported or computed on the page Saliency."
            ),
            icon=":material/contrast:",
        )
        return
    bars = [
        Bar(f"{_(row.kind)}: {_(_TITLES[name])}", row.model, mean, row.n_contrasts)
        for row in rows
        for name in _SHOWN_BARS
        if (mean := row.numbers[name].mean) is not None
    ]
    st.plotly_chart(
        grouped_bars(bars, across=_("kind of perturbation and measure"), up=_("share of right answers ↑")),
        key=f"metrics_contrast_{project.id}",
        config={"displayModeBar": False},
    )
    measured = [_(title) for title in (*_TITLES.values(), *_SPREAD.values())]
    show_numbers([_cells(row) for row in rows], measured, key=f"metrics_contrast_table_{project.id}")
    meaning = _(
        "Over pairs of which both sides have a gold label and an answer. Delta is contrast accuracy minus original "
        "accuracy, as in ER-TEST. Consistency is the share of originals that are right together with all their versions "
        "of the kind. Over several seeds the numbers are means, and the broken sets are those of the first seed."
    )
    st.caption(together(meaning, uncounted_training_summary(rows)))
    _show_broken(project, rows)


def _cells(row: ContrastRow) -> dict[str, object]:
    numbers: dict[str, object] = {_(_TITLES[name]): row.numbers[name].mean for name in NUMBERS}
    spread = {_(title): row.numbers[name].deviation for name, title in _SPREAD.items()}
    counts = {
        _("originals"): row.n_originals, _("versions"): row.n_contrasts, _("broken sets"): len(row.broken),
        _("left out"): row.n_left_out,
    }  # fmt: skip
    return {_("model"): row.model, _("kind"): _(row.kind)} | numbers | (spread if len(row.seeds) > 1 else {}) | counts


def _show_broken(project: Project, rows: list[ContrastRow]) -> None:
    broken = [row for row in rows if row.broken]
    if not broken:
        st.success(
            _("No contrast set is broken: wherever the original is right, so is every version."),
            icon=":material/check_circle:",
        )
        return
    of_row, of_page = st.columns([4, 1], vertical_alignment="bottom")
    choices = state.choices_of(project)
    by_name = {f"{quote(row.model, safe=' ')}/{quote(row.kind, safe=' ')}": row for row in broken}
    names = list(by_name)
    chosen = of_row.selectbox(
        _("Broken sets of"), names, key=choices.one(state.LIST_OF, names, names[0], part="broken"),
        format_func=lambda name: f"{by_name[name].model}, {_(by_name[name].kind)}: {len(by_name[name].broken):,}",
    )  # fmt: skip
    row = by_name[chosen]
    n_pages = max(1, -(-len(row.broken) // _PAGE))
    page_key = choices.number(state.LIST_PAGE, 1, n_pages, 1, part="broken")
    page = int(of_page.number_input(_("Page of {n_pages}", n_pages=f"{n_pages:,}"), 1, n_pages, key=page_key))
    shown = [
        LinkedRow(
            f"/saliency?{urlencode({'project': project.id, 'instance': broken_set.original_id, 'partner': pair.changed_id})}",
            broken_set.key, [pair.changed_key, _(pair.kind)],
        )
        for broken_set in row.broken[_PAGE * (page - 1) : _PAGE * page]
        for pair in broken_set.wrong
    ]  # fmt: skip
    st.markdown(
        as_text(
            _(
                "Here the model is right about the original and wrong about the version; a link opens both side by side in "
                "another tab"
            )
        )
    )
    st.html(instance_list_html(shown, [_("version"), _("kind")], label=_("Broken sets")))
