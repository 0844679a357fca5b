"""The failing cases behind a number: the original first, what was changed, and what the model said of each text."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import Case, CaseAnswer, StoredTest, capability_name
from annotator.figures.case_texts import case_texts_html
from annotator.language import _, listed
from annotator.web.frame import as_text
from annotator.web.session import Visit, page_store

if TYPE_CHECKING:
    from annotator.usecases.suites.results import JudgedCase

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
    n_pages = -(-failing.n // _PAGE)
    if n_pages > 1:
        st.number_input(_("Page of {n}", n=f"{n_pages:,}"), 1, n_pages, key=_key(test, model))


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
    watched = f"“{case.labels[0]}”" if case.labels else _("the label predicted for the original")
    match case.expectation:
        case "label":
            label = listed([f"“{label}”" for label in case.labels], "or")
            return (
                _("Expected: not {label}.", label=label) if case.is_forbidden else _("Expected: {label}.", label=label)
            )
        case "same":
            return _(
                "Expected: the label of the original. Another label fails if the probability of the original's label moves "
                "{by_how_much}.",
                by_how_much=moves,
            )
        case "not_down":
            return _(
                "Expected: the probability of {label} does not fall {by_how_much}.", label=watched, by_how_much=moves
            )
        case "not_up":
            return _(
                "Expected: the probability of {label} does not rise {by_how_much}.", label=watched, by_how_much=moves
            )


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
