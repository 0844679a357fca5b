"""What models make of a suite: asking one, the table of failure rates, and the failing cases behind a number."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import Case, CaseAnswer, StoredSuite, StoredTest, capability_name
from annotator.figures.bars import RATE_STYLE, RateBar, rate_bar_html
from annotator.figures.case_texts import case_texts_html
from annotator.language import _, first_listed, listed, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.models.explanations import model_choices
from annotator.usecases.suites.construction import known_models, remove_suite, remove_test, suites_of
from annotator.usecases.suites.results import (
    Rate,
    ResultRow,
    SuiteResults,
    about_rate,
    baseline_lines,
    comparison_sentence,
    difference_words,
    lowest_baselines,
    rate_words,
    what_intervals_are,
)
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.page_parts import ask_page
from annotator.web.sections import computation
from annotator.web.sections import labels as model_labels
from annotator.web.session import Visit, page_store

if TYPE_CHECKING:
    from annotator.usecases.suites.results import JudgedCase

_MOST_MODELS = 3
_MOST_SILENT = 5


def show(store: Store, visit: Visit, project: Project) -> None:
    """The chosen suite."""
    suites = suites_of(store, visit.user, project)
    if not suites:
        st.info(_("No test suites yet. See “Make a test” or “Files”."), icon=":material/fact_check:")
        return
    suite = choose_suite(suites, "results")
    _ask_a_model(store, visit, project, suite)
    with st.container():  # always there, so that what stands below keeps its place
        computation.show_open(store, visit, project)
        _tell_last(store, visit, project)
    _show_table(store, visit, project, suite)
    _offer_removal(store, visit, project, suite)


def _tell_last(store: Store, visit: Visit, project: Project) -> None:
    """What came of the last run."""
    last = next((job for job in computation.ended(store, visit, project) if job.kind == "suite"), None)
    if last is not None and last.state == "done":
        st.caption(as_text(last.told))
    elif last is not None:
        st.warning(as_text(f"{last.title}: {last.told}"), icon=":material/error:")


def choose_suite(suites: Sequence[StoredSuite], where: str) -> StoredSuite:
    """One of several suites."""
    by_name = {suite.name: suite for suite in suites}
    key = f"tests_suite_{suites[0].project_id}_{where}"
    if st.session_state.get(key) not in by_name:
        st.session_state[key] = suites[0].name
    chosen = st.selectbox(
        _("Suite"), list(by_name), key=key, persist_state="session",
        format_func=lambda name: (
            _(
                "{suite} ({tests}, {cases})", suite=name, tests=counted(len(by_name[name].tests), "test"),
                cases=counted(by_name[name].n_cases, "case")
            )
        )
    )  # fmt: skip
    return by_name[chosen]


def _ask_a_model(store: Store, visit: Visit, project: Project, suite: StoredSuite) -> None:
    model, name, seed, button = st.columns([3, 2, 1, 1.2], vertical_alignment="bottom")
    choices = model_choices(store, visit.user, project)
    key = f"tests_model_{project.id}"
    typed = st.session_state.get(key) or ""
    chosen = model.selectbox(
        _("Model"), list(dict.fromkeys([*choices.specs, *filter(None, [typed])])), key=key, accept_new_options=True,
        help=_("built-in, spacy:FOLDER, transformers:FOLDER.")
    )  # fmt: skip
    spec = choices.specs.get(chosen or "", (chosen or "").strip())
    kept_as = name.text_input(_("Save predictions as"), key="tests_model_name")
    of_seed = seed.text_input(
        _("Seed"), key="tests_model_seed", placeholder=_("none"),
        help=_("Training seed; seeds of one model are grouped, with deviation.")
    )  # fmt: skip
    if choices.silent:
        st.caption(as_text(_silent_words(choices.silent)))
    labels_said = model_labels.ask(store, visit, project, spec, key="tests_labels")
    is_pressed = pressed(
        _("Run tests"), container=button, type="primary", icon=":material/play_arrow:", key="tests_run",
        width="stretch", disabled=labels_said is None or not spec,
    )  # fmt: skip
    if is_pressed and labels_said is not None:
        _run(store, visit, project, suite, spec, (kept_as.strip(), of_seed.strip()), labels_said.renamed)


def _silent_words(names: Sequence[str]) -> str:
    """Whose answers are here though they cannot be asked."""
    shown = first_listed([f"“{name}”" for name in names], _MOST_SILENT)
    return several(
        "{names} wasn't trained here. Enter transformers:FOLDER, or import predictions under “Files”.",
        "{names} weren't trained here. Enter transformers:FOLDER, or import predictions under “Files”.",
        len(names),
        names=shown,
    )


def _run(
    store: Store, visit: Visit, project: Project, suite: StoredSuite, spec: str, kept_as: tuple[str, str],
    renamed: Mapping[str, str],
) -> None:  # fmt: skip
    """kept_as: the name and the seed under which its answers are kept."""
    # NumPy and spaCy come with it, and the page is shown without them.
    from annotator.usecases.background import AskedSuite, ask_to_run_suite  # noqa: PLC0415
    from annotator.usecases.suites.runs import SuiteOptions  # noqa: PLC0415

    with refusals_shown():
        ask_to_run_suite(store, visit.user, project, AskedSuite(suite.name, spec, SuiteOptions(*kept_as, renamed)))
        st.rerun()


def _show_table(store: Store, visit: Visit, project: Project, suite: StoredSuite) -> None:
    from annotator.usecases.suites.results import suite_results  # noqa: PLC0415  (NumPy)

    models = known_models(store, visit.user, project, suite)
    shown, compared = _choose_models(suite, models)
    show_results(visit, project, suite_results(store, visit.user, project, suite, compared), shown)
    if not models:
        st.info(_("No predictions yet. Run the tests, or see “Files”."))


def _choose_models(suite: StoredSuite, models: Sequence[str]) -> tuple[list[str], tuple[str, str] | None]:
    """Which models stand in the table, and which two are compared."""
    if len(models) < 2:
        return list(models), None
    left, right = st.columns([3, 2])
    key = f"tests_models_{suite.id}"
    st.session_state[key] = [m for m in st.session_state.get(key, models[:_MOST_MODELS]) if m in models]
    shown = left.multiselect(
        _("Models"), models, key=key, persist_state="session", max_selections=_MOST_MODELS, placeholder=_("Choose")
    )
    pairs = [(first, other) for first in shown for other in shown if first != other]
    compared = right.selectbox(
        _("Difference"), [None, *pairs], key=f"tests_compared_{suite.id}", index=1 if pairs else 0,
        format_func=lambda pair: _("{second} minus {first}", first=pair[0], second=pair[1]) if pair else _("none"),
        help=_("Over cases applicable to both.")
    )  # fmt: skip
    return shown, compared


def _offer_removal(store: Store, visit: Visit, project: Project, suite: StoredSuite) -> None:
    with st.expander(_("Remove test")):
        st.caption(_("Also removes its predictions."))
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        names = [test.name for test in suite.tests]
        chosen = left.selectbox(
            _("Test"),
            [*names, None],
            index=0,
            key=f"tests_remove_{suite.id}",
            format_func=lambda test: _("the whole suite") if test is None else test,
        )
        if pressed(
            _("Remove"), container=right, key=f"tests_remove_go_{suite.id}", icon=":material/delete:", width="stretch"
        ):
            if chosen is None:
                remove_suite(store, visit.user, project, suite.name)
            else:
                remove_test(store, visit.user, project, suite.name, chosen)
            confirm_and_rerun(_("Removed “{name}”.", name=suite.name if chosen is None else chosen))


# The failing cases behind a number: the original first, what was changed, and what the model said of each text.


_PAGE = 10


def failing_cases(visit: Visit, project: Project, test: StoredTest, model: str) -> None:
    """Open a dialog with them."""
    st.dialog(_("Failing cases"), width="large")(_show_failing)(visit, project, test, model)


def _show_failing(visit: Visit, project: Project, test: StoredTest, model: str) -> None:
    """Ten cases a page. The dialog runs again by itself, when the page's own connection is closed: so it opens one."""
    from annotator.usecases.suites.results import judged_cases  # noqa: PLC0415  (NumPy)

    st.markdown(f"**{as_text(test.name)}** ({test.type}, {as_text(capability_name(test.category))}) · {as_text(model)}")
    page = int(st.session_state.get(_key(test, model), 1))
    with page_store() as store:
        failing = judged_cases(store, visit.user, project, test, model, limit=_PAGE, offset=_PAGE * (page - 1))
    if failing.cases and test.type != "MFT":
        st.caption(as_text(expectation_words(failing.cases[0].case)))
    for judged in failing.cases:
        answers = [answer_words(judged.case, judged.answers, text_index) for text_index in range(len(judged.answers))]
        with st.container(border=True, gap="xxsmall"):
            st.caption(as_text(" · ".join(_head_words(judged))))
            st.html(
                case_texts_html(
                    judged.case.texts, compares=judged.case.type != "MFT", answers=answers, fails=judged.fails
                )
            )
    ask_page(-(-failing.n // _PAGE), key=_key(test, model))


def _head_words(judged: "JudgedCase") -> Iterator[str]:
    yield _("case {name}", name=judged.case.case)
    if judged.seed:
        yield _("seed {seed}", seed=judged.seed)
    if judged.n_runs > 1:
        yield _("fails with {n} of {seeds}", n=judged.n_runs_so, seeds=counted(judged.n_runs, "seed"))
    if judged.case.type == "MFT":
        yield expectation_words(judged.case)


def _key(test: StoredTest, model: str) -> str:
    return f"tests_failing_{test.id}_{model}"


def expectation_words(case: Case) -> str:
    """What is expected of the texts of a case, in a sentence."""
    moves = _("by more than {tolerance}", tolerance=f"{case.tolerance:g}")
    watched = f"“{case.labels[0]}”" if case.labels else _("the original's predicted label")
    match case.expectation:
        case "label":
            label = listed([f"“{label}”" for label in case.labels], "or")
            return (
                _("Expected: not {label}.", label=label) if case.is_forbidden else _("Expected: {label}.", label=label)
            )
        case "same":
            return _(
                "Fails if the label changes and the original label's probability moves {by_how_much}.",
                by_how_much=moves,
            )
        case "not_down":
            return _("Fails if the probability of {label} falls {by_how_much}.", label=watched, by_how_much=moves)
        case "not_up":
            return _("Fails if the probability of {label} rises {by_how_much}.", label=watched, by_how_much=moves)


def label_words(labels: Sequence[str], is_forbidden: bool) -> str:
    """Which label a text should get, or should not."""
    label = listed(labels, "or")
    return _("not {label}", label=label) if is_forbidden else label


def answer_words(case: Case, answers: tuple[CaseAnswer, ...], text_index: int) -> str:
    """What a model said of a text: its label, and the probability of the label that the case watches."""
    answer = answers[text_index]
    watched = answer.label if case.type == "MFT" else case.labels[0] if case.labels else answers[0].label
    p = answer.p(watched)
    if p is None:
        return answer.label
    return f"{answer.label} {p:.2f}" if watched == answer.label else f"{answer.label}; {watched} {p:.2f}"


# The table of a suite's results: failure rates with bars and intervals, two models' difference, a way to failing cases.


_FIRST_NUMBER = 2  # the column
_WIDTH = 1180  # pixels; wider, a number is far from its name
_LEGEND = unsaid(
    "Failure rates; lower is better. ▲ better than the best baseline (constant label or random) · ≈ no clear "
    "difference · ▼ worse · ? too few cases."
)
_ABOUT = unsaid(
    "Failure rate: failing / applicable cases. ±: standard deviation over seeds. MFT: expected "
    "label predicted. INV: label unchanged, or its probability within tolerance. DIR: no fall (or "
    "rise) beyond tolerance."
)

# The numbers that can be opened look like links and are no taller than the others.
_STYLE = """
.st-key-tests_table p { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
[class*="st-key-tests_name_"] { padding-inline-start: 1rem; }
.st-key-tests_table button { min-height: 0; padding: 0; border-radius: .2rem; }
.st-key-tests_table button p { font-size: 1rem; text-decoration: underline; text-underline-offset: 3px;
  color: light-dark(#2f6299, #8dbbe6); }
/* So that no head is broken within a word where three models stand beside the sidebar of a small screen. */
@media (max-width: 1400px) {
  .st-key-tests_table [data-testid="stHorizontalBlock"] { gap: .5rem; }
  .st-key-tests_table p, .st-key-tests_table button p { font-size: .875rem; }
}
"""


def show_results(visit: Visit, project: Project, results: SuiteResults, models: Sequence[str]) -> None:
    """In words how two models differ, and the table. models: those that stand in it."""
    if words := comparison_sentence(results):
        st.markdown(as_text(words))
    table = _Table(visit, project, models, results.compared)
    st.html(f"<style>{_STYLE}{RATE_STYLE}</style>")
    with st.container(key="tests_table", gap=None, width=_WIDTH):
        table.show_heads()
        for number, row in enumerate(results.rows):
            table.show_row(number, row)
    if models:
        st.caption(_(_LEGEND))
    with st.expander(_("About these numbers")):
        st.caption(together(_(_ABOUT), what_intervals_are()))
        st.dataframe(
            [line for row in results.rows for line in _all_numbers(row, models)], hide_index=True,
            key=f"tests_numbers_{results.suite.id}",
        )  # fmt: skip


def _all_numbers(row: ResultRow, models: Sequence[str]) -> Iterator[dict[str, str]]:
    """A line for each model: what the bars say to who points at them, and every baseline."""
    name = _name_of(row)
    for model in models:
        rate = row.rates[model]
        about = {_("failure rate"): rate_words(rate), _("interval and baseline"): about_rate(rate, row.n_cases)}
        yield {_("test"): name, _("model"): model, **about, _("baselines"): " · ".join(baseline_lines(row))}


def _name_of(row: ResultRow) -> str:
    return row.name if row.test is not None else capability_name(row.name) if row.category else _(row.name)


class _Table:
    """Capabilities, their tests and all together down, models across; a number opens its failing cases."""

    def __init__(self, visit: Visit, project: Project, models: Sequence[str], compared: tuple[str, str] | None) -> None:
        self.visit = visit
        self.project = project
        self.models = models
        self.compared = compared
        self.widths = [2.6, 0.75, 0.85, *([2] * len(models)), *([1.6] if compared else []), 1.15, 1.15]

    def show_heads(self) -> None:
        heads = [_("Capability and test"), _("Type"), _("Cases"), *self.models]
        heads += [_("Difference, points")] if self.compared else []
        heads += [_("Constant"), _("Random")]
        for number, (column, head) in enumerate(zip(st.columns(self.widths), heads, strict=True)):
            is_number = number == _FIRST_NUMBER or number >= len(heads) - 2
            column.markdown(f"**{as_text(head)}**", text_alignment="right" if is_number else "left")

    def show_row(self, number: int, row: ResultRow) -> None:
        columns = st.columns(self.widths)
        if row.test is None:
            columns[0].markdown(f"**{as_text(_name_of(row))}**")
        else:
            columns[0].container(key=f"tests_name_{number}").markdown(as_text(row.name))
            columns[1].markdown(row.test.type)
        columns[_FIRST_NUMBER].markdown(f"{row.n_cases:,}", text_alignment="right")
        for index, model in enumerate(self.models):
            self._show_cell(columns[3 + index], f"tests_cell_{number}_{index}", row, model)
        if self.compared:
            columns[-3].markdown("  \n".join(filter(None, difference_words(row))))
        for column, rate in zip(columns[-2:], lowest_baselines(row), strict=True):
            column.markdown(rate, text_alignment="right")

    def _show_cell(self, column: DeltaGenerator, key: str, row: ResultRow, model: str) -> None:
        rate = row.rates[model]
        words = rate_words(rate)
        number, bar = column.columns([1.3, 1], gap="small", vertical_alignment="top")
        if row.test is None or not any(rate.n_failed):
            number.markdown(as_text(words))
        elif pressed(as_text(words), container=number, key=key, type="tertiary", help=_failing_words(rate)):
            failing_cases(visit=self.visit, project=self.project, test=row.test, model=model)
        if rate.rate is not None:
            low, high = (None, None) if rate.bounds is None else (rate.bounds.low, rate.bounds.high)
            bar.html(rate_bar_html(RateBar(rate.rate, low, high, about_rate(rate, row.n_cases))))


def _failing_words(rate: Rate) -> str:
    if rate.n_runs < 2:
        return _("Failing cases")
    failed, left_out = (", ".join(f"{n:,}" for n in ns) for ns in (rate.n_failed, rate.n_not_applicable))
    return _(
        "Failing cases. {seeds}: {failed} failed; {left_out} not applicable",
        seeds=counted(rate.n_runs, "seed"),
        failed=failed,
        left_out=left_out,
    )
