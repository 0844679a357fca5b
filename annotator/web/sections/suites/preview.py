"""The cases of a planned test, ten at a time: bad ones are dropped or edited before the test is saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import Case, Text
from annotator.errors import AnnotatorError, InvalidValue
from annotator.figures.case_texts import case_texts_html
from annotator.language import _, together
from annotator.usecases.databases import Store
from annotator.usecases.suites.construction import TestPlan, construction_report, plan_cases, save_test, why_not
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections.suites.results import expectation_words, label_words
from annotator.web.session import Visit

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


def show(store: Store, visit: Visit, project: Project, plan: TestPlan, suite_names: Sequence[str]) -> None:
    """The cases of the plan, made anew when it changes."""
    try:
        preview = _preview(store, visit, project, plan)
    except InvalidValue as error:
        st.session_state.pop(_KEY, None)
        st.error(as_text(str(error)), icon=":material/error:")
        return
    _show_save(store, visit, project, preview, suite_names)
    n_pages = -(-len(preview.cases) // _PAGE)
    title, pager = st.columns([4, 1], vertical_alignment="center")
    words = [_counts(preview)]
    if preview.plan.recipe.type != "MFT":
        words.append(expectation_words(preview.cases[0]))
    if n_pages > 1:
        words.append(_("Page of {n}:", n=f"{n_pages:,}"))
    title.caption(as_text(together(*words)))
    page = (
        int(
            pager.number_input(
                _("Page of {n}", n=f"{n_pages:,}"),
                1,
                n_pages,
                key="tests_preview_page",
                label_visibility="collapsed",
            )
        )
        if n_pages > 1
        else 1
    )
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
        more.append(_("since there are no {n} different ones", n=f"{preview.plan.n:,}"))
    more += [_("{n} dropped", n=f"{len(preview.dropped):,}")] if preview.dropped else []
    more += [_("{n} edited", n=f"{len(preview.edited):,}")] if preview.edited else []
    for part in more:
        words = _("{counts}, {more}", counts=words, more=part)
    return _("{counts}.", counts=words)


def _show_save(store: Store, visit: Visit, project: Project, preview: Preview, suite_names: Sequence[str]) -> None:
    left, right = st.columns([3, 1.2], vertical_alignment="bottom")
    names = list(suite_names) or [preview.plan.ready or _("my tests")]
    suite = left.selectbox(
        _("Save in the suite"), names, key=f"tests_into_{project.id}", accept_new_options=True,
        help=_("Choose a suite, or write a new name."),
    )  # fmt: skip
    n = len(preview.kept)
    go = pressed(
        _("Save the test ({cases})", cases=counted(n, 'case')), type="primary", icon=":material/save:", container=right,
        key="tests_save", width="stretch", disabled=not n,
    )  # fmt: skip
    if not go:
        return
    cases = [replace(case, case=str(number)) for number, case in enumerate(preview.kept)]
    report = construction_report(preview.plan, dropped=sorted(preview.dropped), edited=sorted(preview.edited))
    try:
        saved = save_test(store, visit.user, project, suite or "", cases, report)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.session_state.pop(_KEY, None)
    st.session_state["tests_done"] = _(
        "“{test}” is saved with {cases}. Run it under “Results”.", test=saved.name, cases=counted(saved.n_cases, "case")
    )
    st.rerun()


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
        st.dialog(_("Edit a case"), width="large")(_edit)(project, preview, now)
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
    if pressed(
        _("Use this text"), type="primary", disabled=reason is not None or texts == case.texts, key="tests_edit_go"
    ):
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
    return _("Changed {n}", n=text_index) if text_index else _("Original")
