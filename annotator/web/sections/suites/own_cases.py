"""A test of one's own: its name, type, expectation and templates; and what one sets of any test before it is made."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.projects import Project
from annotator.domain.suites import (
    CAPABILITIES,
    EXPECTATIONS,
    TOLERANCE,
    Alternative,
    Applies,
    CaseType,
    Expectation,
    ReadySuite,
    Recipe,
    Text,
    capability_name,
)
from annotator.errors import AnnotatorError
from annotator.language import _, unsaid
from annotator.usecases.suites.construction import N_CASES, TestPlan
from annotator.web.frame import as_text
from annotator.web.sections.suites.results import label_words

_EXPECTED: dict[Expectation, str] = {
    "label": unsaid("each text gets the label"),
    "same": unsaid("the label stays"),
    "not_down": unsaid("the probability does not fall"),
    "not_up": unsaid("the probability does not rise"),
}
_TYPES: dict[CaseType, str] = {
    "MFT": unsaid("MFT: each text gets a label"),
    "INV": unsaid("INV: a change leaves the label"),
    "DIR": unsaid("DIR: a change moves a probability one way"),
}
_VERSIONS = {"original": unsaid("{segment}, original"), "changed": unsaid("{segment}, changed")}


def adjusted(project: Project, recipe: Recipe, ready: str | None, key: str) -> TestPlan:
    """The recipe with what a person sets: how many cases, the tolerance, where the texts come from that are changed."""
    columns = iter(st.columns([1, 1, 1, 2], vertical_alignment="bottom"))
    n = int(next(columns).number_input(_("Cases"), 1, 100_000, N_CASES, key=f"tests_n_{project.id}_{key}"))
    seed = int(
        next(columns).number_input(
            _("Seed"), 0, 2**31, 0, key=f"tests_seed_{project.id}_{key}", help=_("The seed of the random draw.")
        )
    )
    tolerance = recipe.tolerance
    if recipe.type != "MFT":
        tolerance = next(columns).number_input(
            _("Tolerance"), 0.0, 0.99, recipe.tolerance, 0.05, key=f"tests_tolerance_{project.id}_{key}",
            help=_("How far the probability may move. CheckList uses 0.1."),
        )  # fmt: skip
    on_texts = False
    if recipe.change:
        on_texts = next(columns).selectbox(
            _("Texts that are changed"), [False, True], key=f"tests_source_{project.id}_{key}",
            format_func=lambda on_texts: _("the project's texts") if on_texts else _("the texts of its templates"),
        )  # fmt: skip
    return TestPlan(replace(recipe, tolerance=float(tolerance)), n, seed, on_texts, ready)


def own_plan(project: Project, ready: Sequence[ReadySuite]) -> TestPlan | None:
    """What a person writes; None while something is missing, which is said."""
    left, middle, right = st.columns([2, 1.2, 2])
    name = left.text_input(_("Name of the test"), key=f"tests_own_name_{project.id}", placeholder=_("negated praise"))
    category = middle.selectbox(
        _("Capability"), CAPABILITIES, key=f"tests_own_category_{project.id}", accept_new_options=True,
        format_func=capability_name,
    )  # fmt: skip
    kind = right.selectbox(
        _("Type"), list(_TYPES), format_func=lambda kind: _(_TYPES[kind]), key=f"tests_own_type_{project.id}"
    )
    expectation, labels, is_forbidden, applies = _own_expectation(project, kind)
    st.caption(
        _(
            "Slots stand in braces and ask for a word of a list: {first_name1} and {first_name2} are two different ones, "
            "{a:thing} brings its article, {Thing} a capital, {size.2} the second form of “big | small”. The lists are under "
            "“Word lists”."
        )
    )
    alternatives = _own_templates(project, kind, labels, is_forbidden)
    if not name.strip() or not alternatives:
        st.info(_("Write a name and a template; the first ten cases then appear here."), icon=":material/edit:")
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
    options = EXPECTATIONS[kind]
    expectation = left.selectbox(
        _("Expected"), options, format_func=lambda expectation: _(_EXPECTED[expectation]),
        key=f"tests_own_expectation_{project.id}_{kind}",
    )  # fmt: skip
    labels: tuple[str, ...] = ()
    is_forbidden = False
    if kind == "MFT":
        choices = [(label, is_not) for is_not in (False, True) for label in project.labels]
        chosen = middle.selectbox(
            _("Label"), choices, key=f"tests_own_label_{project.id}",
            format_func=lambda choice: label_words([choice[0]], choice[1]),
        )  # fmt: skip
        if chosen:
            labels, is_forbidden = (chosen[0],), chosen[1]
    elif kind == "DIR":
        watched = middle.selectbox(
            _("Of which label"), [None, *project.labels], index=0, key=f"tests_own_watched_{project.id}",
            format_func=lambda label: _("the predicted label") if label is None else label,
        )  # fmt: skip
        labels = () if watched is None else (watched,)
    not_for: tuple[str, ...] = ()
    if kind != "MFT":
        not_for = tuple(
            right.multiselect(
                _("Does not apply where the original is predicted"),
                project.labels,
                key=f"tests_own_not_for_{project.id}",
                placeholder=_("Choose options"),
            )
        )
    return expectation, labels, is_forbidden, Applies(original_is_not=not_for)


def _own_templates(
    project: Project, kind: CaseType, labels: tuple[str, ...], is_forbidden: bool
) -> tuple[Alternative, ...]:
    """MFT: a template a line (one segment), else one; INV and DIR: the original and its changed versions."""
    expected = labels if kind == "MFT" else ()
    if kind == "MFT" and len(project.task.segments) == 1:
        written = st.text_area(
            _("Templates, one on each line"),
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
            _("Changed versions, one on each line"), key=f"tests_own_changed_{project.id}",
            placeholder=_("{first_name2} liked the {thing}."),
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
