"""The failing cases behind a number: the original first, what was changed, and what the model said of each text."""

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import Case, CaseAnswer, StoredTest
from annotator.figures.case_texts import case_texts_html
from annotator.web.frame import as_text
from annotator.web.session import Visit, page_store

_PAGE = 10


@st.dialog("Failing cases", width="large")
def failing_cases(visit: Visit, project: Project, test: StoredTest, model: str) -> None:
    """Ten cases a page. The dialog runs again by itself, when the page's own connection is closed: so it opens one."""
    from annotator.usecases.suites.results import judged_cases  # noqa: PLC0415  (NumPy)

    st.markdown(f"**{as_text(test.name)}** ({test.type}, {as_text(test.category)}) · {as_text(model)}")
    page = int(st.session_state.get(_key(test, model), 1))
    with page_store() as store:
        failing = judged_cases(store, visit.user, project, test, model, limit=_PAGE, offset=_PAGE * (page - 1))
    if failing.cases and test.type != "MFT":
        st.caption(as_text(expectation_words(failing.cases[0].case)))
    for judged in failing.cases:
        answers = [answer_words(judged.case, judged.answers, text_index) for text_index in range(len(judged.answers))]
        seed = f" · seed {judged.seed}" if judged.seed else ""
        several = f" · fails with {judged.n_runs_so} of {counted(judged.n_runs, 'seed')}" if judged.n_runs > 1 else ""
        expected = f" · {expectation_words(judged.case)}" if test.type == "MFT" else ""
        with st.container(border=True, gap="xxsmall"):
            st.caption(as_text(f"case {judged.case.case}{seed}{several}{expected}"))
            st.html(
                case_texts_html(
                    judged.case.texts, compares=judged.case.type != "MFT", answers=answers, fails=judged.fails
                )
            )
    n_pages = -(-failing.n // _PAGE)
    if n_pages > 1:
        st.number_input(f"Page of {n_pages:,}", 1, n_pages, key=_key(test, model))


def _key(test: StoredTest, model: str) -> str:
    return f"tests_failing_{test.id}_{model}"


def expectation_words(case: Case) -> str:
    """What is expected of the texts of a case, in a sentence."""
    moves = f"by more than {case.tolerance:g}"
    watched = f"“{case.labels[0]}”" if case.labels else "the label predicted for the original"
    match case.expectation:
        case "label":
            label = " or ".join(f"“{label}”" for label in case.labels)
            return f"Expected: {'not ' if case.is_forbidden else ''}{label}."
        case "same":
            return (
                "Expected: the label of the original. Another label fails if the probability of the original's label moves "
                f"{moves}."
            )
        case "not_down":
            return f"Expected: the probability of {watched} does not fall {moves}."
        case "not_up":
            return f"Expected: the probability of {watched} does not rise {moves}."


def answer_words(case: Case, answers: tuple[CaseAnswer, ...], text_index: int) -> str:
    """What a model said of a text: its label, and the probability of the label that the case watches."""
    answer = answers[text_index]
    watched = answer.label if case.type == "MFT" else case.labels[0] if case.labels else answers[0].label
    p = answer.p(watched)
    if p is None:
        return answer.label
    return f"{answer.label} {p:.2f}" if watched == answer.label else f"{answer.label}; {watched} {p:.2f}"
