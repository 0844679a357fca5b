"""Groups beside each other on Metrics: groups of instances, contrast sets, word lists (fairness), functional tests."""

from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import quote

import streamlit as st

from annotator.domain.measurements import grouping_in_words
from annotator.domain.projects import Project
from annotator.domain.suites import StoredSuite
from annotator.figures.bars import Bar, grouped_bars
from annotator.figures.curves import saves_svg
from annotator.figures.html_table import metric_table_html
from annotator.figures.instance_html import LinkedRow, instance_list_html
from annotator.language import _, several, together, unsaid
from annotator.scoring.table import MetricRow, MetricTable
from annotator.usecases.databases import Store
from annotator.usecases.inspect.contrast_accuracy import NUMBERS, ContrastRow, contrast_rows
from annotator.usecases.inspect.fairness import FairnessRow, fairness_rows
from annotator.usecases.inspect.groups import group_lines, group_tables, groups_csv, row_heads
from annotator.usecases.inspect.metric_values import newest_event, what_to_score
from annotator.usecases.inspect.metrics_table import first_columns, named
from annotator.usecases.project.word_lists import word_lists
from annotator.usecases.suites.construction import suites_of
from annotator.usecases.suites.results import ResultRow, suite_results
from annotator.web.buttons import pressed
from annotator.web.cached_numbers import cache_of
from annotator.web.frame import as_text
from annotator.web.page_parts import ask_page, show_chart
from annotator.web.sections.metrics import choices as state
from annotator.web.sections.metrics.numbers import AUTOMATIC, ScoredTable
from annotator.web.sections.metrics.table import uncounted_training_summary
from annotator.web.sections.suites.results import failing_cases
from annotator.web.sections.tables import file_stem, show_numbers
from annotator.web.session import Visit

_SCORED_AT_ONCE = 12  # groups; more are scored when one asks for them
_PAGE = 30


_tables = partial(cache_of, "groups", 30_000_000)  # numbers of instances, of eight bytes each


def show(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """Nothing where all groups are not asked for, or there are not several."""
    request, groups = scored.request, scored.table.groups
    if not request.by or request.group is not None or len(groups) < 2 or not scored.rows:
        return
    choices = state.choices_of(project)
    columns = {column.name: column for column in scored.table.columns}
    title, metric, file = st.columns([2.2, 2, 1], vertical_alignment="bottom")
    title.markdown(
        several("**{n} group by {by}**", "**{n} groups by {by}**", len(groups), by=grouping_in_words(request.by))
    )
    name = metric.selectbox(
        _("Group metric"), list(columns), format_func=lambda known: named(columns[known]), label_visibility="collapsed",
        key=choices.one(state.GROUP_METRIC, list(columns), next(iter(first_columns(scored.table)), next(iter(columns))))
    )  # fmt: skip
    tables = _made(store, visit, project, scored)
    if tables is None:
        return
    file.download_button(
        _("Groups as CSV"), partial(groups_csv, tables, explained=request.explained), f"{file_stem(project.name)}-groups.csv",
        "text/csv", icon=":material/download:", on_click="ignore", width="stretch", key="metrics_groups_csv"
    )  # fmt: skip
    _draw(project, scored.rows, tables, request.by, name, scored)


def _made(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> dict[str, MetricTable] | None:
    """The tables that are kept, or made now: at once where that is quick, else when one asks for it."""
    request, n_groups = scored.request, len(scored.table.groups)
    tables: dict[str, MetricTable] | None = _tables().get(request, dict)
    if tables is not None:
        return tables
    is_quick = n_groups <= _SCORED_AT_ONCE and what_to_score(store, visit.user, project).n_stored <= AUTOMATIC
    if not is_quick and not pressed(
        _("Score all {n} groups", n=f"{n_groups:,}"), icon=":material/calculate:", key=f"metrics_groups_{project.id}"
    ):
        return None
    bar = st.progress(0.0, _("Computing …"))

    def show_progress(done: int, of: int) -> None:
        bar.progress(min(1.0, done / max(of, 1)), _("Scoring: {done} of {of}", done=f"{done:,}", of=f"{of:,}"))

    tables = group_tables(store, visit.user, project, request.options, show_progress)
    bar.empty()
    _tables().put(request, tables, sum(table.behind.n_numbers for table in tables.values() if table.behind) or 1)
    return tables


def _draw(
    project: Project, rows: Sequence[MetricRow], tables: dict[str, MetricTable], by: str, name: str, scored: ScoredTable
) -> None:
    column = scored.table.column(name)
    is_shared = None if scored.shared else False
    keys = [row.key for row in rows]
    lines = list(group_lines(tables, by, keys, name, scored.request.n_resamples, is_shared=is_shared))
    n_pages = -(-len(lines) // _PAGE)
    page = ask_page(n_pages, key=state.choices_of(project).number(state.GROUP_PAGE, 1, max(1, n_pages), 1))
    shown = lines[_PAGE * (page - 1) : _PAGE * page]
    st.html(
        metric_table_html(
            row_heads(rows, column), shown, corner=_("Group"), label=_("{metric} by group", metric=named(column))
        )
    )
    st.caption(
        _("Each group has its own instances and gold; ★: best of its line. Differences between groups aren't tested.")
    )


# Original against contrast accuracy on the Metrics page; a row opens the sets that break.


_SETS_A_PAGE = 25
_TITLES = {
    "original": unsaid("Original accuracy ↑"),
    "contrast": unsaid("Contrast accuracy ↑"),
    "delta": unsaid("Delta"),
    "consistency_of_sets": unsaid("Consistency ↑"),
}
_SPREAD = {"original": unsaid("± original"), "contrast": unsaid("± contrast")}
_SHOWN_BARS = ("original", "contrast", "consistency_of_sets")


_rows = partial(cache_of, "contrast", 12)


def show_contrast(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """The models on originals and on their perturbed versions, by kind; below, the sets that break."""
    newest = newest_event(store, visit.user, project)  # asks for the right as well, whoever made what is kept
    rows = _rows().get_or_make(
        (scored.request, newest), list, lambda: contrast_rows(store, visit.user, project, scored.request.options),
        lambda _rows: 1,
    )  # fmt: skip
    if not rows:
        st.info(
            _(
                "No predictions for labelled perturbed versions yet. Annotators add versions on Perturb; add predictions on "
                "Saliency."
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
    show_chart(
        grouped_bars(bars, across=_("perturbation type and metric"), up=f"{_('share of correct predictions')} ↑"),
        key=f"metrics_contrast_{project.id}",
        config=saves_svg(f"{file_stem(project.name)}-contrast"),
    )
    measured = [_(title) for title in (*_TITLES.values(), *_SPREAD.values())]
    show_numbers([_cells(row) for row in rows], measured, key=f"metrics_contrast_table_{project.id}")
    meaning = _(
        "Pairs with gold labels and predictions. Delta: contrast minus original accuracy. Consistency: "
        "originals correct with all their versions. Several seeds: means; broken sets from the first."
    )
    st.caption(together(meaning, uncounted_training_summary(rows)))
    _show_broken(project, rows)


def _cells(row: ContrastRow) -> dict[str, object]:
    numbers: dict[str, object] = {_(_TITLES[name]): row.numbers[name].mean for name in NUMBERS}
    spread = {_(title): row.numbers[name].deviation for name, title in _SPREAD.items()}
    counts = {
        _("originals"): row.n_originals, _("versions"): row.n_contrasts, _("broken sets"): len(row.broken),
        _("excluded"): row.n_left_out,
    }  # fmt: skip
    return {_("model"): row.model, _("type"): _(row.kind)} | numbers | (spread if len(row.seeds) > 1 else {}) | counts


def _show_broken(project: Project, rows: list[ContrastRow]) -> None:
    broken = [row for row in rows if row.broken]
    if not broken:
        st.success(_("No broken contrast sets."), icon=":material/check_circle:")
        return
    of_row, of_page = st.columns([4, 1], vertical_alignment="bottom")
    choices = state.choices_of(project)
    by_name = {f"{quote(row.model, safe=' ')}/{quote(row.kind, safe=' ')}": row for row in broken}
    names = list(by_name)
    chosen = of_row.selectbox(
        _("Broken sets of"), names, key=choices.one(state.LIST_OF, names, names[0], part="broken"),
        format_func=lambda name: f"{by_name[name].model}, {_(by_name[name].kind)}: {len(by_name[name].broken):,}"
    )  # fmt: skip
    row = by_name[chosen]
    n_pages = max(1, -(-len(row.broken) // _SETS_A_PAGE))
    page_key = choices.number(state.LIST_PAGE, 1, n_pages, 1, part="broken")
    page = ask_page(n_pages, key=page_key, parent=of_page)
    shown = [
        LinkedRow(
            state.saliency_address(project, instance=broken_set.original_id, partner=pair.changed_id),
            broken_set.key, [pair.changed_key, _(pair.kind)],
        )
        for broken_set in row.broken[_SETS_A_PAGE * (page - 1) : _SETS_A_PAGE * page]
        for pair in broken_set.wrong
    ]  # fmt: skip
    st.markdown(as_text(_("Original predicted correctly, version not")))
    st.html(instance_list_html(shown, [_("version"), _("type")], label=_("Broken sets")))


# False positive rates over word lists on the Metrics page; a group opens the texts behind its rate.


_MOST_SHOWN = 100
_ALL = unsaid("all texts")


_rows_of_rates = partial(cache_of, "fairness", 12)


def show_fairness(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """Choose word lists and a label; each model's rate for each list beside its rate over all texts."""
    words = {word_list.name: word_list.words for word_list in word_lists(store, visit.user, project)}
    lists = list(words)
    if not lists or project.task.result_kind != "label":
        st.info(_("Groups are word lists. Add some on Tests under “Word lists”."), icon=":material/groups:")
        return
    chosen, positive = _choose(project, lists)
    newest = newest_event(store, visit.user, project)  # asks for the right as well, whoever made what is kept
    rows = [] if not chosen else _rows_of_rates().get_or_make(
        (scored.request, newest, tuple((name, words[name]) for name in chosen), positive), list,
        lambda: fairness_rows(store, visit.user, project, chosen, positive, scored.request.options), lambda _rows: 1,
    )  # fmt: skip
    if not rows:
        st.info(
            _("Choose a word list.") if not chosen else _("No predictions yet. Compute or import some on Saliency."),
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
        _("Word lists"), lists, key=choices.several(state.WORD_LISTS, lists, lists[:4]), placeholder=_("Choose")
    )
    positive = of_label.selectbox(
        _("Label for false positives"), project.labels,
        key=choices.one(state.POSITIVE, project.labels, project.labels[-1])
    )  # fmt: skip
    return chosen, positive


def _show_rates(project: Project, rows: Sequence[FairnessRow], chosen: Sequence[str]) -> None:
    show_chart(
        grouped_bars(
            [bar for row in rows for bar in _bars(row)],
            across=_("texts with a word of the list"),
            up=f"{_('false positive rate')} ↓"
        ),
        key=f"metrics_fairness_{project.id}", config=saves_svg(f"{file_stem(project.name)}-fairness"),
    )  # fmt: skip
    show_numbers(
        [_cells_of_rates(row) for row in rows], {"FPRD ↓", _(_ALL), *chosen}, key=f"metrics_fairness_table_{project.id}"
    )
    meaning = _(
        "Share of texts with another label predicted as this one, among texts with a listed word. FPRD: "
        "sum of the lists' distances from the overall rate (ER-TEST)."
    )
    st.caption(together(meaning, uncounted_training_summary(rows)))


def _bars(row: FairnessRow) -> list[Bar]:
    bars = [
        Bar(group.name, row.model, group.rate.mean, group.n_negatives)
        for group in row.groups
        if group.rate.mean is not None
    ]
    return ([Bar(_(_ALL), row.model, row.overall.mean)] if row.overall.mean is not None else []) + bars


def _cells_of_rates(row: FairnessRow) -> dict[str, object]:
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
        format_func=lambda name: f"{by_name[name][0]}, {by_name[name][1].name}: {len(by_name[name][1].wrong):,}"
    )  # fmt: skip
    wrong = by_name[chosen][1].wrong
    if len(wrong) > _MOST_SHOWN:
        st.markdown(as_text(_("First {n} of {total}", n=_MOST_SHOWN, total=f"{len(wrong):,}")))
    shown = [
        LinkedRow(state.saliency_address(project, instance=instance_id), key, [])
        for instance_id, key in wrong[:_MOST_SHOWN]
    ]
    st.html(instance_list_html(shown, [], label=_("False positives")))


# Failure rates of functional tests as a chart on the Metrics page; a click on a bar of a test opens its failing cases.


_CAPABILITIES = unsaid("capability")
_TESTS = unsaid("test")
_OPENED = "metrics_suite_opened"


def show_suites(store: Store, visit: Visit, project: Project, _scored: ScoredTable) -> None:
    """One suite; a bar a model for each capability or test."""
    suites = suites_of(store, visit.user, project)
    rows, by = _choose_suite(store, visit, project, suites) if suites else ([], _TESTS)
    bars = [bar for row in rows for bar in _bars_of_tests(row)]
    if not bars:
        st.info(_("No functional tests yet. Run a suite on Tests."), icon=":material/fact_check:")
        return
    event = show_chart(
        grouped_bars(bars, across=_(by), up=f"{_('failure rate')} ↓"), key=f"metrics_suite_chart_{project.id}",
        on_select="rerun", selection_mode="points", config=saves_svg(f"{file_stem(project.name)}-tests"),
        alt=_("Failure rates by {by} and model", by=_(by))
    )  # fmt: skip
    st.caption(
        _(
            "Failing / applicable cases with 95 % intervals over similarly generated cases. Click a bar to "
            "open failing cases."
        )
    )
    numbers = [
        {
            _(by): bar.column, _("model"): bar.name, _("failure rate"): bar.value, _("low"): bar.low, _("high"): bar.high,
            _("cases"): bar.n,
        }
        for bar in bars
    ]  # fmt: skip
    show_numbers(numbers, {_("failure rate"), _("low"), _("high")}, key="metrics_suite_numbers")
    points = event["selection"]["points"]
    _open(visit, project, rows, tuple(points[0]["customdata"][:2]) if points else None)


def _choose_suite(
    store: Store, visit: Visit, project: Project, suites: Sequence[StoredSuite]
) -> tuple[list[ResultRow], str]:
    """The rows of a suite that are shown, and what they are."""
    left, right = st.columns([2, 2], vertical_alignment="bottom")
    choices, by_name = state.choices_of(project), {stored.name: stored for stored in suites}
    names, ways = list(by_name), [_CAPABILITIES, _TESTS]
    suite = by_name[left.selectbox(_("Suite"), names, key=choices.one(state.SUITE, names, names[0]))]
    by_key = choices.one(state.BY, ways, _CAPABILITIES, part="suite")
    by = right.segmented_control(_("By"), ways, required=True, key=by_key, format_func=_) or _CAPABILITIES
    rows = suite_results(store, visit.user, project, suite).rows
    return [row for row in rows if (row.test is not None) == (by == _TESTS)], by


def _bars_of_tests(row: ResultRow) -> Iterator[Bar]:
    for model, rate in row.rates.items():
        if rate.rate is not None:
            low, high = (None, None) if rate.bounds is None else (rate.bounds.low, rate.bounds.high)
            yield Bar(row.name, model, rate.rate, row.n_cases, low, high)


def _open(visit: Visit, project: Project, rows: Sequence[ResultRow], chosen: tuple[str, str] | None) -> None:
    """Open the failing cases of the bar that was clicked, once."""
    is_new = st.session_state.get(_OPENED) != chosen
    st.session_state[_OPENED] = chosen
    if chosen is None or not is_new:
        return
    name, model = chosen
    test = next((row.test for row in rows if row.name == name), None)
    if test is not None:
        failing_cases(visit, project, test, model)
