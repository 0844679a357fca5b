"""Making a test: one that comes along or one's own, with a preview of its cases before they are saved."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import (
    CAPABILITIES,
    EXPECTATIONS,
    TOLERANCE,
    Alternative,
    Applies,
    Case,
    CaseType,
    Expectation,
    ReadySuite,
    Recipe,
    Text,
    capability_name,
)
from annotator.errors import AnnotatorError, InvalidValue
from annotator.figures.case_texts import case_texts_html
from annotator.language import _, parted, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.suites.construction import (
    N_CASES,
    MadeSuite,
    TestPlan,
    construction_report,
    guessed_labels,
    make_ready_suite,
    plan_cases,
    ready_for,
    recipe_in_labels,
    save_test,
    suites_of,
    why_not,
)
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.page_parts import ask_page
from annotator.web.sections.suites.results import expectation_words, label_words
from annotator.web.sections.tables import choose
from annotator.web.session import Visit

# A test of one's own: its name, type, expectation and templates; and what one sets of any test before it is made.


_EXPECTED: dict[Expectation, str] = {
    "label": unsaid("each text gets this label"),
    "same": unsaid("the label stays"),
    "not_down": unsaid("the probability does not fall"),
    "not_up": unsaid("the probability does not rise"),
}
_TYPES: dict[CaseType, str] = {
    "MFT": unsaid("MFT: each text gets this label"),
    "INV": unsaid("INV: perturbation keeps the label"),
    "DIR": unsaid("DIR: perturbation shifts a probability one way"),
}
_VERSIONS = {"original": unsaid("{segment}, original"), "changed": unsaid("{segment}, perturbed")}


def adjusted(project: Project, recipe: Recipe, ready: str | None, key: str) -> TestPlan:
    """The recipe with what a person sets: how many cases, the tolerance, where the texts come from that are changed."""
    columns = iter(st.columns([1, 1, 1, 2], vertical_alignment="bottom"))
    n = int(next(columns).number_input(_("Cases"), 1, 100_000, N_CASES, key=f"tests_n_{project.id}_{key}"))
    seed = int(next(columns).number_input(_("Seed"), 0, 2**31, 0, key=f"tests_seed_{project.id}_{key}"))
    tolerance = recipe.tolerance
    if recipe.type != "MFT":
        tolerance = next(columns).number_input(
            _("Tolerance"), 0.0, 0.99, recipe.tolerance, 0.05, key=f"tests_tolerance_{project.id}_{key}",
            help=_("Maximum change in probability (CheckList: 0.1).")
        )  # fmt: skip
    on_texts = False
    if recipe.change:
        on_texts = next(columns).selectbox(
            _("Texts to perturb"), [False, True], key=f"tests_source_{project.id}_{key}",
            format_func=lambda on_texts: _("the project's texts") if on_texts else _("texts from its templates")
        )  # fmt: skip
    return TestPlan(replace(recipe, tolerance=float(tolerance)), n, seed, on_texts, ready)


def own_plan(project: Project, ready: Sequence[ReadySuite]) -> TestPlan | None:
    """What a person writes; None while something is missing, which is said."""
    left, middle, right = st.columns([2, 1.2, 2])
    name = left.text_input(_("Test name"), key=f"tests_own_name_{project.id}", placeholder=_("negated praise"))
    category = middle.selectbox(
        _("Capability"), CAPABILITIES, key=f"tests_own_category_{project.id}", accept_new_options=True,
        format_func=capability_name
    )  # fmt: skip
    kind = choose(_("Type"), _TYPES, column=right, key=f"tests_own_type_{project.id}")
    expectation, labels, is_forbidden, applies = _own_expectation(project, kind)
    st.caption(
        _(
            "{first_name1} and {first_name2} differ, {a:thing} adds the article, {Thing} a capital, {size.2} "
            "the second form of “big | small”."
        )
    )
    alternatives = _own_templates(project, kind, labels, is_forbidden)
    if not name.strip() or not alternatives:
        st.info(_("Enter a name and template to preview cases."), icon=":material/edit:")
        return None
    try:
        recipe = Recipe(
            name.strip(), kind, category or "", expectation, alternatives, labels=labels if kind == "DIR" else (),
            tolerance=TOLERANCE, applies=applies,
        )  # fmt: skip
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return None
    return adjusted(project, recipe, ready[0].name if ready else None, "own")


def _own_expectation(project: Project, kind: CaseType) -> tuple[Expectation, tuple[str, ...], bool, Applies]:
    left, middle, right = st.columns([2, 1.2, 2])
    key = f"tests_own_expectation_{project.id}_{kind}"
    expectation = choose(_("Expected"), _EXPECTED, EXPECTATIONS[kind], column=left, key=key)
    labels: tuple[str, ...] = ()
    is_forbidden = False
    if kind == "MFT":
        choices = [(label, is_not) for is_not in (False, True) for label in project.labels]
        chosen = middle.selectbox(
            _("Label"), choices, key=f"tests_own_label_{project.id}",
            format_func=lambda choice: label_words([choice[0]], choice[1])
        )  # fmt: skip
        if chosen:
            labels, is_forbidden = (chosen[0],), chosen[1]
    elif kind == "DIR":
        watched = middle.selectbox(
            _("Label"), [None, *project.labels], index=0, key=f"tests_own_watched_{project.id}",
            format_func=lambda label: _("the predicted label") if label is None else label
        )  # fmt: skip
        labels = () if watched is None else (watched,)
    not_for: tuple[str, ...] = ()
    if kind != "MFT":
        title, key = _("Not applicable if the original is predicted as"), f"tests_own_not_for_{project.id}"
        not_for = tuple(right.multiselect(title, project.labels, key=key, placeholder=_("Choose")))
    return expectation, labels, is_forbidden, Applies(original_is_not=not_for)


def _own_templates(
    project: Project, kind: CaseType, labels: tuple[str, ...], is_forbidden: bool
) -> tuple[Alternative, ...]:
    """MFT: a template a line (one segment), else one; INV and DIR: the original and its changed versions."""
    expected = labels if kind == "MFT" else ()
    if kind == "MFT" and len(project.task.segments) == 1:
        written = st.text_area(
            _("Templates, one per line"),
            key=f"tests_own_lines_{project.id}",
            placeholder=_("The {thing} was not {good}."),
        )
        return tuple(
            Alternative((line.strip(),), expected, is_forbidden) for line in written.splitlines() if line.strip()
        )
    if kind == "MFT":
        text = _segments(project, "text", st.columns(len(project.task.segments)))
        return () if text is None else (Alternative((text,), expected, is_forbidden),)
    return _compared(project)


def _compared(project: Project) -> tuple[Alternative, ...]:
    segments = project.task.segments
    if len(segments) == 1:
        left, right = st.columns(2)
        original = left.text_area(
            _("Original"), key=f"tests_own_original_{project.id}", placeholder=_("{first_name1} liked the {thing}.")
        ).strip()
        changed = right.text_area(
            _("Perturbed versions, one per line"), key=f"tests_own_changed_{project.id}",
            placeholder=_("{first_name2} liked the {thing}.")
        )  # fmt: skip
        versions = tuple(line.strip() for line in changed.splitlines() if line.strip())
        return (Alternative((original, *versions)),) if original and versions else ()
    original_text = _segments(project, "original", st.columns(len(segments)))
    changed_text = _segments(project, "changed", st.columns(len(segments)))
    return () if original_text is None or changed_text is None else (Alternative((original_text, changed_text)),)


def _segments(
    project: Project, what: Literal["text", "original", "changed"], columns: Sequence[DeltaGenerator]
) -> Text | None:
    """A template for each segment; None while one is missing that may not be empty."""
    text: dict[str, str] = {}
    for column, spec in zip(columns, project.task.segments, strict=True):
        title = spec.title if what == "text" else _(_VERSIONS[what], segment=spec.title)
        text[spec.name] = column.text_area(as_text(title), key=f"tests_own_{what}_{spec.name}_{project.id}").strip()
    is_missing = any(not text[spec.name] and not spec.may_be_empty for spec in project.task.segments)
    return None if is_missing else text


# The cases of a planned test, ten at a time: bad ones are dropped or edited before the test is saved.


_PAGE = 10
_KEY = "tests_preview"


@dataclass
class Preview:
    """A planned test as somebody is looking at it. dropped: names of cases; edited: cases that were rewritten, by name."""

    project_id: int
    plan: TestPlan
    cases: Sequence[Case]
    dropped: set[str] = field(default_factory=set)
    edited: dict[str, Case] = field(default_factory=dict)

    @property
    def kept(self) -> list[Case]:
        return [self.edited.get(case.case, case) for case in self.cases if case.case not in self.dropped]


def show_preview(store: Store, visit: Visit, project: Project, plan: TestPlan, suite_names: Sequence[str]) -> None:
    """The cases of the plan, made anew when it changes."""
    try:
        preview = _preview(store, visit, project, plan)
    except InvalidValue as error:
        st.session_state.pop(_KEY, None)
        st.error(as_text(str(error)), icon=":material/error:")
        return
    _show_save(store, visit, project, preview, suite_names)
    n_pages = -(-len(preview.cases) // _PAGE)
    about, pager = st.columns([4, 1], vertical_alignment="center")
    words = [_counts(preview)]
    if preview.plan.recipe.type != "MFT":
        words.append(expectation_words(preview.cases[0]))
    if n_pages > 1:
        words.append(_("Page (of {n_pages})", n_pages=f"{n_pages:,}"))
    about.caption(as_text(together(*words)))
    page = ask_page(n_pages, key="tests_preview_page", parent=pager, label_visibility="collapsed")
    with st.container(gap="xsmall"):
        for case in preview.cases[_PAGE * (page - 1) : _PAGE * page]:
            _show_case(project, preview, case)


def _preview(store: Store, visit: Visit, project: Project, plan: TestPlan) -> Preview:
    known = st.session_state.get(_KEY)
    if isinstance(known, Preview) and (known.project_id, known.plan) == (project.id, plan):
        return known
    made = Preview(project.id, plan, plan_cases(store, visit.user, project, plan))
    st.session_state[_KEY] = made
    st.session_state.pop("tests_preview_page", None)
    return made


def _counts(preview: Preview) -> str:
    n = len(preview.cases)
    words, more = counted(n, "case"), []
    if preview.plan.n is not None and n < preview.plan.n:
        more.append(_("fewer than {n} different ones exist", n=f"{preview.plan.n:,}"))
    more += [_("{n} dropped", n=f"{len(preview.dropped):,}")] if preview.dropped else []
    more += [_("{n} edited", n=f"{len(preview.edited):,}")] if preview.edited else []
    for part in more:
        words = _("{counts}, {more}", counts=words, more=part)
    return _("{counts}.", counts=words)


def _show_save(store: Store, visit: Visit, project: Project, preview: Preview, suite_names: Sequence[str]) -> None:
    left, right = st.columns([3, 1.2], vertical_alignment="bottom")
    names = list(suite_names) or [preview.plan.ready or _("my tests")]
    suite = left.selectbox(
        _("Save to suite"), names, key=f"tests_into_{project.id}", accept_new_options=True
    )  # fmt: skip
    n = len(preview.kept)
    if not pressed(
        _("Save test ({cases})", cases=counted(n, 'case')), type="primary", icon=":material/save:", container=right,
        key="tests_save", width="stretch", disabled=not n
    ):  # fmt: skip
        return
    cases = [replace(case, case=str(number)) for number, case in enumerate(preview.kept)]
    report = construction_report(preview.plan, dropped=sorted(preview.dropped), edited=sorted(preview.edited))
    with refusals_shown():
        saved = save_test(store, visit.user, project, suite or "", cases, report)
        st.session_state.pop(_KEY, None)
        cases_saved = counted(saved.n_cases, "case")
        confirm_and_rerun(_("Saved “{test}” with {cases}. Run it under “Results”.", test=saved.name, cases=cases_saved))


def _show_case(project: Project, preview: Preview, case: Case) -> None:
    now = preview.edited.get(case.case, case)
    is_out = case.case in preview.dropped
    texts, edit, drop = st.columns([8, 0.9, 1], vertical_alignment="center", gap="small")
    with texts:
        st.html(case_texts_html(now.texts, compares=case.type != "MFT", answers=_expected(now), is_out=is_out))
    name = int(case.case) + 1
    if pressed(
        _("Edit"),
        container=edit,
        key=f"tests_edit_{case.case}",
        disabled=is_out,
        type="tertiary",
        help=_("Edit case {n}", n=name),
    ):
        st.dialog(_("Edit case"), width="large")(_edit)(project, preview, now)
    word, help_ = (_("Keep"), _("Keep case {n}", n=name)) if is_out else (_("Drop"), _("Drop case {n}", n=name))
    if pressed(word, container=drop, key=f"tests_drop_{case.case}", type="tertiary", help=help_):
        preview.dropped.symmetric_difference_update({case.case})
        st.rerun()


def _expected(case: Case) -> list[str]:
    """Beside the texts of an MFT case the label that each should get: templates of one test may expect different ones."""
    if case.type != "MFT":
        return []
    return [label_words(case.labels, case.is_forbidden)] * len(case.texts)


def _edit(project: Project, preview: Preview, case: Case) -> None:
    texts = tuple(_edited_text(case, text_index, text) for text_index, text in enumerate(case.texts))
    changed = replace(case, texts=texts)
    reason = why_not(project, changed)
    if reason is not None:
        st.error(as_text(reason), icon=":material/error:")
    if pressed(_("Use text"), type="primary", disabled=reason is not None or texts == case.texts, key="tests_edit_go"):
        preview.edited[case.case] = changed
        st.rerun()


def _edited_text(case: Case, text_index: int, text: Text) -> Text:
    what = _which_text(case, text_index)
    if isinstance(text, str):
        return st.text_area(what, text, key=f"tests_edit_{case.case}_{text_index}", height=70)
    written: Mapping[str, str] = {
        name: st.text_area(
            as_text(_("{text}: {segment}", text=what, segment=name)),
            part,
            key=f"tests_edit_{case.case}_{text_index}_{name}",
            height=70,
        )
        for name, part in text.items()
    }
    return written


def _which_text(case: Case, text_index: int) -> str:
    if case.type == "MFT":
        return _("Text")
    return _("Perturbed {n}", n=text_index) if text_index else _("Original")


_NONE = unsaid("none of these")


def show(store: Store, visit: Visit, project: Project) -> None:
    """A test that comes along, or one of one's own; below it the preview."""
    ready = ready_for(project)
    kinds: dict[str, Callable[[], TestPlan | None]] = {
        **({unsaid("Ready-made test"): lambda: _ready_plan(store, visit, project, ready)} if ready else {}),
        unsaid("Custom test"): lambda: own_plan(project, ready),
    }
    kind = st.segmented_control(
        _("Test"), list(kinds), default=next(iter(kinds)), required=True, key=f"tests_kind_{project.id}",
        label_visibility="collapsed", persist_state="session", format_func=_
    )  # fmt: skip
    plan = kinds[kind]()
    if plan is not None:
        show_preview(store, visit, project, plan, [suite.name for suite in suites_of(store, visit.user, project)])


def _ready_plan(store: Store, visit: Visit, project: Project, suites: Sequence[ReadySuite]) -> TestPlan | None:
    ready = suites[0]
    if len(suites) > 1:
        ready = st.selectbox(
            _("Suite"), suites, format_func=lambda suite: _(suite.title), key=f"tests_ready_{project.id}"
        )
    left, naming, templates, every = st.columns([3.2, 1.1, 1.3, 1.3], vertical_alignment="bottom")
    category = {recipe.name: recipe.category for recipe in ready.recipes}
    name = left.selectbox(
        _("Test"), list(category), key=f"tests_ready_test_{project.id}",
        format_func=lambda test: _("{capability}: {test}", capability=capability_name(category[test]), test=test),
        help=_(
            "{title}; {source}. Templates and words are our own.", title=_(ready.title), source=_(ready.source)
        )
    )  # fmt: skip
    with naming.popover(_("Labels"), icon=":material/label:", width="stretch"):
        labels = _label_names(project, ready)
    recipe = recipe_in_labels(ready.recipe(name), labels)
    with templates.popover(_("Templates"), icon=":material/data_object:", width="stretch"):
        _show_templates(ready.recipe(name))
    with every.popover(_("Generate all {n}", n=len(category)), icon=":material/playlist_add:", width="stretch"):
        _offer_all(store, visit, project, ready, labels)
    st.markdown(as_text(_(ready.recipe(name).about)))
    if recipe is None:
        st.info(_("This test lacks a label. Map it under “Labels”."), icon=":material/label_off:")
        return None
    return adjusted(project, recipe, ready.name, f"{ready.name}_{name}")


def _label_names(project: Project, ready: ReadySuite) -> dict[str, str]:
    """What the project calls the labels of the suite: guessed, and asked."""
    guessed = guessed_labels(ready, project)
    chosen = {}
    for label in ready.labels:
        options = [_NONE, *project.labels]
        index = options.index(guessed[label]) if label in guessed else 0
        chosen[label] = st.selectbox(
            _("“{label}” is named", label=label),
            options,
            index,
            key=f"tests_label_{project.id}_{ready.name}_{label}",
            format_func=lambda option: _(_NONE) if option == _NONE else option,
        )
    return {label: project_label for label, project_label in chosen.items() if project_label != _NONE}


def _show_templates(recipe: Recipe) -> None:
    if recipe.change:
        st.caption(_("“{change}” is applied to texts like these:", change=recipe.change))
    for alternative in recipe.alternatives:
        texts = [text if isinstance(text, str) else " / ".join(text.values()) for text in alternative.texts]
        label = label_words(alternative.labels, alternative.is_forbidden)
        expected = f"   [{label}]" if alternative.labels else ""
        st.code("\n→ ".join(texts) + expected, language=None, wrap_lines=True)


def _offer_all(store: Store, visit: Visit, project: Project, ready: ReadySuite, labels: Mapping[str, str]) -> None:
    name = st.text_input(_("Suite name"), ready.name, key=f"tests_all_name_{project.id}")
    n = st.number_input(_("Cases per test"), 1, 10_000, N_CASES, key=f"tests_all_n_{project.id}")
    on_texts = st.checkbox(_("Use the project's texts for perturbation tests"), key=f"tests_all_texts_{project.id}")
    if not pressed(_("Generate all without preview"), key=f"tests_all_go_{project.id}", type="primary"):
        return
    with refusals_shown():
        made = make_ready_suite(store, visit.user, project, ready, name, labels, n=int(n), on_instances=on_texts)
        confirm_and_rerun(_made_words(made))


def _made_words(made: MadeSuite) -> str:
    suite, cases = made.suite.name, counted(made.suite.n_cases, "case")
    if not made.left_out:
        return _("“{suite}” has {cases}.", suite=suite, cases=cases)
    tests = parted(name for name, _reason in made.left_out)
    return _("“{suite}” has {cases}. Skipped: {tests}.", suite=suite, cases=cases, tests=tests)
