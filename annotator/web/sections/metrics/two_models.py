"""Two models beside each other on the Metrics page: what the other wins and loses, where the base was unsure, and its control."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.figures.bars import Bar, grouped_bars
from annotator.figures.curves import saves_svg
from annotator.language import _, spoken_language, together, unsaid
from annotator.usecases.compare import comparison_words
from annotator.usecases.compare.model_comparison import (
    ConfidenceBin,
    LabelledText,
    ModelComparison,
    ModelPair,
    compare_labelled,
    labelled_texts,
)
from annotator.usecases.compare.model_gains import ModelGains, answers_runs, first_pair, gains_behind
from annotator.usecases.databases import Store
from annotator.usecases.inspect.metric_values import newest_event
from annotator.web.cached_numbers import cache_of
from annotator.web.frame import as_text
from annotator.web.page_parts import show_chart
from annotator.web.sections.metrics import choices as state
from annotator.web.sections.metrics.numbers import ScoredTable
from annotator.web.sections.model_cards import show_measures
from annotator.web.sections.tables import file_stem, show_numbers
from annotator.web.session import Visit

if TYPE_CHECKING:
    from annotator.scoring.instance_numbers import Behind

_MEASURED = ("base", "other", "opportunity cost ↓")
_AT_THE_RIGHT = ("difference", "won", "lost", "both right", "both wrong", "p")
_REMEDIES = {
    "twin": "",
    "control": unsaid("Train one on Saliency under “Train a model”."),
    "attributions": unsaid("Compute them on Saliency under “Compute attributions”."),
}
_OF_OTHERS = unsaid("Compute them on Saliency under “Compute attributions”.")


_texts = partial(cache_of, "texts", 400_000)  # texts
_comparisons = partial(cache_of, "comparisons", 100)


def show(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """Choose two models; below, what the one wins and loses against the other."""
    newest = newest_event(store, visit.user, project)  # asks for the right as well, whoever made what is kept
    if project.task.result_kind != "label":
        st.info(_("This needs labels; this project has answers."), icon=":material/info:")
        return
    behind = scored.table.behind
    models = [] if behind is None else sorted(behind.quality)
    if behind is None or len(models) < 2:
        st.info(_("Needs predictions of two models. Add them on Saliency."), icon=":material/compare_arrows:")
        return
    pair = _choose(store, visit, project, models)
    if pair.base == pair.other:
        st.info(_("Choose two different models."), icon=":material/compare_arrows:")
        return
    try:
        comparison, gains = _compared(store, visit, project, scored, behind, pair, newest)
    except AnnotatorError as error:  # such as other numbers of seeds
        st.info(as_text(str(error)), icon=":material/compare_arrows:")
        return
    _show_parts(project, pair, comparison)
    _show_links(store, visit, project, pair, comparison, scored.request.options.split)
    _show_bins(project, comparison.confidence)
    _show_gains(project, gains)


def _choose(store: Store, visit: Visit, project: Project, models: Sequence[str]) -> ModelPair:
    first = first_pair(store, visit.user, project, models)
    of_base, of_other = st.columns(2, vertical_alignment="bottom")
    choices = state.choices_of(project)
    base = of_base.selectbox(_("Base model"), models, key=choices.one(state.BASE_MODEL, models, first.base[0]))
    other = of_other.selectbox(_("Other model"), models, key=choices.one(state.OTHER_MODEL, models, first.other[0]))
    return ModelPair((base,), (other,))


def _compared(
    store: Store, visit: Visit, project: Project, scored: ScoredTable, behind: "Behind", pair: ModelPair, newest: int
) -> tuple[ModelComparison, ModelGains]:
    """Both are kept; the labelled texts as well, which are the same for every pair."""

    def made() -> tuple[ModelComparison, ModelGains]:
        with st.spinner(_("Computing …")):
            texts: list[LabelledText] = _texts().get_or_make(
                (scored.request, newest), list, lambda: labelled_texts(store, visit.user, project, options), len
            )
            comparison = compare_labelled(store, visit.user, project, pair, texts, options)
            chosen = [text for text in texts if options.asks_for(text.split, text.group)]
            return comparison, gains_behind(store, visit.user, project, pair, behind, chosen)

    options = scored.request.options
    # What is kept holds sentences, such as what the two are to one another: in each language for itself.
    compared: tuple[ModelComparison, ModelGains] = _comparisons().get_or_make(
        (scored.request, newest, pair, spoken_language()), tuple, made, lambda _made: 1
    )
    return compared


def _show_parts(project: Project, pair: ModelPair, comparison: ModelComparison) -> None:
    base, other, part = pair.base[0], pair.other[0], comparison.parts["all"]
    if not part.n:
        st.info(_("No text outside training has gold and predictions of both."), icon=":material/compare_arrows:")
        return
    st.markdown(as_text(comparison_words.in_words(base, other, part)))
    rows = [comparison_words.row_of_part(name, of_part) for name, of_part in comparison.parts.items()]
    show_numbers(
        [{_(title): cell for title, cell in row.items()} for row in rows], {_(title) for title in _MEASURED},
        key=f"metrics_two_models_{project.id}", right=[_(title) for title in _AT_THE_RIGHT],
    )  # fmt: skip
    st.caption(as_text(comparison_words.meaning_of_parts(comparison)))


def _show_links(
    store: Store, visit: Visit, project: Project, pair: ModelPair, comparison: ModelComparison, split: str | None
) -> None:
    """To Saliency, with the list of what is won or lost chosen; what a model learned from is left out there as well."""
    base, other = answers_runs(store, visit.user, project, (*pair.base, *pair.other))
    if base is None or other is None:
        return
    of_split = {"split": split} if split else {}
    with st.container(horizontal=True, gap="small"):
        for which, words in (
            ("won", _("Open on Saliency: only the other is right")),
            ("lost", _("Open on Saliency: only the base is right")),
        ):
            address = state.saliency_address(project, which=which, answers=other, other=base, **of_split)
            st.link_button(words, address, icon=":material/open_in_new:")
    if more := comparison_words.not_listed(comparison):
        st.caption(more)


def _show_bins(project: Project, bins: Sequence[ConfidenceBin]) -> None:
    filled = [of_bin for of_bin in bins if of_bin.n]
    if not filled:
        st.caption(_("No probabilities of gold labels."))
        return
    left, right = st.columns(2)
    changes = [
        Bar(comparison_words.title_of_bin(of_bin), _("change"), of_bin.change, of_bin.n)
        for of_bin in filled
        if of_bin.change is not None
    ]
    across = _(comparison_words.CONFIDENCE)
    with left:
        show_chart(
            grouped_bars(list(_exchanged(filled)), across=across, up=_("share of texts in the bin")),
            key=f"metrics_won_lost_{project.id}", config=saves_svg(f"{file_stem(project.name)}-won-lost"),
            alt=_("Texts won and lost by base confidence"),
        )  # fmt: skip
    with right:
        show_chart(
            grouped_bars(changes, across=across, up=_("mean change in probability")),
            key=f"metrics_change_{project.id}", config=saves_svg(f"{file_stem(project.name)}-change"),
            alt=_("Mean change in gold-label probability by base confidence"),
        )  # fmt: skip
    st.caption(_("By base confidence (ER-TEST, Table 7 and Figure 9)."))
    with st.expander(_("Chart data")):
        rows = [
            {
                _(comparison_words.CONFIDENCE): comparison_words.title_of_bin(of_bin),
                "n": of_bin.n,
                _("won"): of_bin.n_won,
                _("lost"): of_bin.n_lost,
                _("change"): of_bin.change,
            }
            for of_bin in filled
        ]
        show_numbers(rows, {_("change")}, key=f"metrics_bins_{project.id}")


def _exchanged(bins: Sequence[ConfidenceBin]) -> Iterator[Bar]:
    for of_bin in bins:
        yield Bar(comparison_words.title_of_bin(of_bin), _("won"), of_bin.n_won / of_bin.n, of_bin.n)
        yield Bar(comparison_words.title_of_bin(of_bin), _("lost"), of_bin.n_lost / of_bin.n, of_bin.n)


def _show_gains(project: Project, gains: ModelGains) -> None:
    """By attributions that were not trained as well, with the control beside them."""
    st.markdown(f"##### {_('Plausibility and shuffled-rationale control')}")
    if gains.relation.sentence:
        st.markdown(as_text(gains.relation.sentence))
    show_measures(gains.measures, _("base"), _("other"), key=f"metrics_gains_{project.id}")
    st.caption(
        _(
            "Accuracy: texts predicted by all models. Plausibility: ERASER's AUPRC on texts with gold sets. "
            "No training texts. Differences from the base: paired 95 % intervals."
        )
    )
    for sentence in gains.sentences:
        st.markdown(as_text(sentence))
    for lack in gains.lacking:
        remedy = _OF_OTHERS if lack.is_elsewhere else _REMEDIES[lack.kind]
        st.markdown(as_text(together(lack.sentence, _(remedy)) if lack.name and remedy else lack.sentence))
