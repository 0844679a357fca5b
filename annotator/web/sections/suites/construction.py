"""Making a test: one that comes along or one of one's own, looked at and mended before its cases are saved."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import ReadySuite, Recipe, Text, capability_name
from annotator.errors import AnnotatorError
from annotator.language import _, parted, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.suites.construction import (
    N_CASES,
    MadeSuite,
    TestPlan,
    guessed_labels,
    make_ready_suite,
    ready_for,
    recipe_in_labels,
    suites_of,
)
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections.suites import preview
from annotator.web.sections.suites.own_cases import adjusted, own_plan
from annotator.web.sections.suites.results import label_words
from annotator.web.session import Visit

_NONE = unsaid("none of them")


def show(store: Store, visit: Visit, project: Project) -> None:
    """A test that comes along, or one of one's own; below it the preview."""
    ready = ready_for(project)
    kinds: dict[str, Callable[[], TestPlan | None]] = {
        **({unsaid("A ready-made test"): lambda: _ready_plan(store, visit, project, ready)} if ready else {}),
        unsaid("My own test"): lambda: own_plan(project, ready),
    }
    kind = st.segmented_control(
        _("Which test"), list(kinds), default=next(iter(kinds)), required=True, key=f"tests_kind_{project.id}",
        label_visibility="collapsed", persist_state="session", format_func=_,
    )  # fmt: skip
    plan = kinds[kind]()
    if plan is not None:
        preview.show(store, visit, project, plan, [suite.name for suite in suites_of(store, visit.user, project)])


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
            "{title}; {source}. Templates and words are this program's own.", title=_(ready.title), source=_(ready.source)
        ),
    )  # fmt: skip
    with naming.popover(_("Labels"), icon=":material/label:", width="stretch"):
        labels = _label_names(project, ready)
    recipe = recipe_in_labels(ready.recipe(name), labels)
    with templates.popover(_("Templates"), icon=":material/data_object:", width="stretch"):
        _show_templates(ready.recipe(name))
    with every.popover(_("All {n} at once", n=len(category)), icon=":material/playlist_add:", width="stretch"):
        _offer_all(store, visit, project, ready, labels)
    st.markdown(as_text(_(ready.recipe(name).about)))
    if recipe is None:
        st.info(
            _(
                "This test asks for a label that the project does not have. Choose the project's name for it under “Labels”, or "
                "choose another test."
            ),
            icon=":material/label_off:",
        )
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
            _("“{label}” is called", label=label),
            options,
            index,
            key=f"tests_label_{project.id}_{ready.name}_{label}",
            format_func=_option_words,
        )
    return {label: project_label for label, project_label in chosen.items() if project_label != _NONE}


def _option_words(label: str) -> str:
    return _(_NONE) if label == _NONE else label


def _show_templates(recipe: Recipe) -> None:
    if recipe.change:
        st.caption(
            _("The change “{change}” is made to texts like these, or to the project's texts:", change=recipe.change)
        )
    for alternative in recipe.alternatives:
        texts = [_one_line(text) for text in alternative.texts]
        label = label_words(alternative.labels, alternative.is_forbidden)
        expected = f"   [{label}]" if alternative.labels else ""
        st.code("\n→ ".join(texts) + expected, language=None, wrap_lines=True)


def _one_line(text: Text) -> str:
    return text if isinstance(text, str) else " / ".join(text.values())


def _offer_all(store: Store, visit: Visit, project: Project, ready: ReadySuite, labels: Mapping[str, str]) -> None:
    name = st.text_input(_("Name of the suite"), ready.name, key=f"tests_all_name_{project.id}")
    n = st.number_input(_("Cases of each test"), 1, 10_000, N_CASES, key=f"tests_all_n_{project.id}")
    on_texts = st.checkbox(
        _("Change the project's own texts where a test changes texts"), key=f"tests_all_texts_{project.id}"
    )
    if not pressed(_("Make all without preview"), key=f"tests_all_go_{project.id}", type="primary"):
        return
    try:
        made = make_ready_suite(store, visit.user, project, ready, name, labels, n=int(n), on_instances=on_texts)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.session_state["tests_done"] = _made_words(made)
    st.rerun()


def _made_words(made: MadeSuite) -> str:
    suite, cases = made.suite.name, counted(made.suite.n_cases, "case")
    if not made.left_out:
        return _("“{suite}” has {cases}.", suite=suite, cases=cases)
    tests = parted(name for name, _reason in made.left_out)
    return _("“{suite}” has {cases}. Left out: {tests}.", suite=suite, cases=cases, tests=tests)
