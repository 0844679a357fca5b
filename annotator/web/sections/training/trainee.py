"""One's own training: what stands in the place of work until it is passed, and what came of each answer."""

from collections.abc import Callable

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.project.qualification import Audience, QualificationRules
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.usecases.annotate.panel_messages import show_project
from annotator.usecases.databases import Store
from annotator.usecases.project.guidelines import Reading
from annotator.usecases.qualification.attempts import AnsweredText, Training, answered_text, begin, end_feedback
from annotator.usecases.qualification.marked_texts import beside_gold, gold_before
from annotator.usecases.qualification.words import (
    label_line,
    mark_lines,
    mark_rules_line,
    score_lines,
    score_rules_line,
    total_lines,
)
from annotator.web import review_panel, token_panel
from annotator.web.frame import as_text
from annotator.web.guidelines import show_parts
from annotator.web.page_parts import READABLE
from annotator.web.presses import pressed
from annotator.web.session import Visit

_FINISH = "This project has a training. Finish what you hold here; new texts come after the training."


def show(store: Store, visit: Visit, project: Project, audience: Audience, training: Training) -> None:
    """Everything but a text of the training itself, whose screen the page draws."""
    match training.stage:
        case "finish":
            st.markdown(f":material/school: {_FINISH}")
        case "begin":
            with st.container(width=READABLE):
                _show_begin(store, visit, project, audience, training)
        case "feedback":
            _show_feedback(store, visit, project, audience, training)
        case "failed":
            with st.container(width=READABLE):
                _show_failed()
        case "no texts":
            st.info(
                "There is no text left that you could be trained on. Tell the lead of this project.",
                icon=":material/school:",
            )


_THEN: dict[Audience, str] = {
    "annotators": "the gold is shown when you have submitted",
    "reviewers": "the expected scores are shown when you have submitted",
}


def _show_line(training: Training, audience: Audience) -> None:
    """Where one is, above the text."""
    number = training.attempt.number if training.attempt else 1
    st.markdown(f":material/school: **Training {training.number} of {training.of}** · try {number} · {_THEN[audience]}")


def _show_begin(store: Store, visit: Visit, project: Project, audience: Audience, training: Training) -> None:
    st.header("Training", anchor=False)
    last = training.attempt
    if last is not None and last.state == "failed":
        st.warning(
            "You did not pass this time. You can try again, with the texts in another order.", icon=":material/replay:"
        )
    work = "texts to mark" if audience == "annotators" else "annotations to score"
    st.markdown(
        f"Before you get {work} in **{as_text(project.name)}**, you do {counted(training.of, 'training text')} whose gold is "
        "known. After each you see what you did beside the gold. What you do here counts for nothing else."
    )
    st.markdown(_rules_line(training.rules, audience))
    st.caption(f"You have {counted(training.tries_left, 'try', 'tries')} left.")
    if pressed("Begin the training", type="primary", key=f"training_begin_{audience}"):
        _do(lambda: begin(store, visit.user, project, audience))
    if project.guidelines.strip():
        with st.expander("Guidelines: read them before you begin"):
            show_parts(project.guidelines)


def _rules_line(rules: QualificationRules, audience: Audience) -> str:
    return mark_rules_line(rules) if audience == "annotators" else score_rules_line(rules)


def _show_failed() -> None:
    st.header("Training", anchor=False)
    st.warning(
        "You have not passed the training of this project, and no try is left, so you get no texts here. Ask the lead of "
        "this project: they can give you another try, or let you begin.",
        icon=":material/school:",
    )


def _show_feedback(store: Store, visit: Visit, project: Project, audience: Audience, training: Training) -> None:
    answered = answered_text(store, visit.user, project, audience)
    if answered is None:
        return
    st.markdown(f":material/school: **Training {training.number} of {training.of}** · what came of it")
    if audience == "annotators":
        _show_marks(store, project, answered)
    else:
        _show_scores(store, project, answered)
    if answered.totals is not None:
        _show_result(answered, audience)
    name = "Next training text" if answered.totals is None else "Go on"
    if pressed(name, type="primary", key=f"training_next_{answered.exercise.id}", shortcut="Ctrl+Enter"):
        _do(lambda: end_feedback(store, visit.user, answered.exercise.id))


def _show_marks(store: Store, project: Project, answered: AnsweredText) -> None:
    """The person's sets beside the gold sets, each drawn as the panel draws sets, and what is to be said of them."""
    marked, gold = beside_gold(store, project, answered.exercise, answered.known)
    shown = show_project(project)
    number = answered.exercise.id
    for column, title, work, name in zip(
        st.columns(2, gap="medium"), ("What you marked", "The gold"), (marked, gold), ("own", "gold"), strict=True
    ):
        with column:
            st.markdown(f"**{title}**")
            token_panel.read(work, shown, is_brief=True, key=f"training_{name}_{number}")
    lines = [label_line(answered.exercise.draft.result, answered.known)] if answered.measures.n else []
    if answered.measures.f1 is not None:
        lines += mark_lines(answered.instance, answered.exercise.draft.sets, answered.known)
    st.markdown("\n".join(f"- {as_text(line)}" for line in lines))


def _show_scores(store: Store, project: Project, answered: AnsweredText) -> None:
    """The sets that were scored, the gold sets where they were worsened, and each score beside the one that was expected."""
    _, scored = beside_gold(store, project, answered.exercise, answered.known)
    sides = [("The sets that you scored", scored, "scored")]
    unspoiled = gold_before(store, project, answered.exercise)
    if answered.item.spoiling and unspoiled is not None:
        sides.append(("The gold as it is", unspoiled, "gold"))
    for column, (title, work, name) in zip(st.columns(len(sides), gap="medium"), sides, strict=True):
        with column:
            st.markdown(f"**{title}**")
            token_panel.read(work, show_project(project), is_brief=True, key=f"training_{name}_{scored.assignment}")
    lines = score_lines(answered.exercise.scores, answered.known, project.settings.thresholds, answered.item.spoiling)
    st.markdown("\n".join(f"- {as_text(line)}" for line in lines))


def _show_result(answered: AnsweredText, audience: Audience) -> None:
    totals = answered.totals
    if totals is None:
        return
    lines = "\n".join(f"- {line}" for line in total_lines(totals, answered.rules, audience))
    if answered.attempt.state == "passed":
        st.success(f"You have passed the training.\n{lines}", icon=":material/check:")
    else:
        st.warning(f"You have not passed this time.\n{lines}", icon=":material/replay:")


def show_scored_text(visit: Visit, project: Project, reading: Reading, training: Training) -> None:
    """A text of a reviewer's training on the review screen."""
    _show_line(training, "reviewers")
    number = training.attempt.id if training.attempt else 0
    review_panel.train(
        project, visit.user, visit.csrf, reading, key=f"training_review_{project.id}_{number}_{training.number}"
    )


def show_text(visit: Visit, project: Project, reading: Reading, training: Training) -> None:
    """A text of the training in the token panel."""
    _show_line(training, "annotators")
    number = training.attempt.id if training.attempt else 0
    token_panel.train(
        project, visit.user, visit.csrf, reading, key=f"training_panel_{project.id}_{number}_{training.number}"
    )


def _do(action: Callable[[], object]) -> None:
    try:
        action()
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.rerun()
