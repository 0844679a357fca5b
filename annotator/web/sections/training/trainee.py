"""One's own training: what stands in the place of work until it is passed, and what came of each answer."""

from collections.abc import Mapping
from typing import Literal

import streamlit as st

from annotator.domain.project.qualification import Audience
from annotator.domain.projects import Project
from annotator.language import _, several, unsaid
from annotator.usecases.access.rights import is_onlooker
from annotator.usecases.annotate.panel_messages import show_project
from annotator.usecases.databases import Store
from annotator.usecases.project.guidelines import Reading, reading_of
from annotator.usecases.qualification.attempts import (
    AnsweredText,
    Training,
    answered_text,
    begin,
    end_feedback,
    training_of,
)
from annotator.usecases.qualification.panel import beside_gold, gold_before
from annotator.usecases.qualification.words import (
    label_line,
    mark_lines,
    mark_rules_line,
    score_lines,
    score_rules_line,
    total_lines,
)
from annotator.web import components
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, carry_out
from annotator.web.guidelines import show_parts
from annotator.web.page_parts import READABLE
from annotator.web.session import Visit

_ROLES: Mapping[Audience, Literal["annotator", "reviewer"]] = {"annotators": "annotator", "reviewers": "reviewer"}
_NONE_LEFT = unsaid("No training attempts left. Ask the lead.")
_FINISH = unsaid("Finish your current texts first; training comes next.")


def begin_work(
    store: Store, visit: Visit, project: Project, audience: Audience, work: int | None
) -> tuple[Reading, Training] | None:
    """What the page's screen needs for work, or for a text of the training; None where something else is to be said.

    Whoever only looks in is asked first, since a text that is shown is taken. work: what the address asks for
    """
    reading, training = reading_of(store, visit.user, project), training_of(store, visit.user, project, audience)
    begun, role = f"begun_{audience}_{project.id}", _ROLES[audience]
    if work is None and not st.session_state.get(begun) and is_onlooker(store, visit.user, project.id, role):
        words = _("Other people do this here. If you begin, you'll be assigned texts.")
        st.info(words, icon=":material/visibility:")
        if pressed(_("Begin"), key=f"begin_{audience}"):
            st.session_state[begun] = True
            st.rerun()
        return None
    _show(store, visit, project, audience, training)
    return (reading, training) if training.stage in {"open", "none", "finish"} else None


def _show(store: Store, visit: Visit, project: Project, audience: Audience, training: Training) -> None:
    """Everything but a text of the training itself."""
    match training.stage:
        case "finish":
            st.markdown(f":material/school: {_(_FINISH)}")
        case "begin":
            with st.container(width=READABLE):
                _show_begin(store, visit, project, audience, training)
        case "feedback":
            _show_feedback(store, visit, project, audience, training)
        case "failed":
            with st.container(width=READABLE):
                _show_failed()
        case "no texts":
            st.info(_("No training texts left. Tell the lead."), icon=":material/school:")


def _show_line(training: Training) -> None:
    """Where one is, above the text."""
    number = training.attempt.number if training.attempt else 1
    parts = [_step(training), _("attempt {number}", number=number), _("feedback after you submit")]
    st.markdown(":material/school: " + " · ".join(parts))


def _step(training: Training) -> str:
    return f"**{_('Training: text {number} of {all}', number=training.number, all=training.of)}**"


def _show_begin(store: Store, visit: Visit, project: Project, audience: Audience, training: Training) -> None:
    st.header(_("Training"), anchor=False)
    last = training.attempt
    if last is not None and last.state == "failed":
        st.warning(_("You didn't pass. Try again; the texts are reordered."), icon=":material/replay:")
    st.markdown(
        several(
            "First do {n} training text; the gold follows each. Responses are for training only.",
            "First do {n} training texts; the gold follows each. Responses are for training only.",
            training.of,
        )
    )
    st.markdown(mark_rules_line(training.rules) if audience == "annotators" else score_rules_line(training.rules))
    st.caption(_what_is_next(training.tries_left))
    if pressed(_("Begin training"), type="primary", key=f"training_begin_{audience}"):
        carry_out(lambda: begin(store, visit.user, project, audience))
    # Who has not read them yet is asked with the first text, and once is enough.
    if project.guidelines.strip() and not reading_of(store, visit.user, project).is_asked:
        with st.expander(_("Guidelines")):
            show_parts(project.guidelines)


def _show_failed() -> None:
    st.header(_("Training"), anchor=False)
    st.warning(_(_NONE_LEFT), icon=":material/school:")


def _show_feedback(store: Store, visit: Visit, project: Project, audience: Audience, training: Training) -> None:
    answered = answered_text(store, visit.user, project, audience)
    if answered is None:
        return
    st.markdown(f":material/school: {_step(training)} · {_('result')}")
    if audience == "annotators":
        _show_marks(store, project, answered)
    else:
        _show_scores(store, project, answered)
    if answered.totals is not None:
        _show_result(answered, audience)
    name = _("Next training text") if answered.totals is None else _("Continue")
    if pressed(name, type="primary", key=f"training_next_{answered.exercise.id}", shortcut="Ctrl+Enter"):
        carry_out(lambda: end_feedback(store, visit.user, answered.exercise.id))


def _show_marks(store: Store, project: Project, answered: AnsweredText) -> None:
    """The person's sets beside the gold sets, each drawn as the panel draws sets, and what is to be said of them."""
    marked, gold = beside_gold(store, project, answered.exercise, answered.known)
    shown = show_project(project)
    number = answered.exercise.id
    for column, title, work, name in zip(
        st.columns(2, gap="medium"), (_("Your marks"), _("Gold")), (marked, gold), ("own", "gold"), strict=True
    ):
        with column:
            st.markdown(f"**{title}**")
            components.read(work, shown, is_brief=True, key=f"training_{name}_{number}")
    lines = [label_line(answered.exercise.draft.result, answered.known)] if answered.measures.n else []
    if answered.measures.f1 is not None:
        lines += mark_lines(answered.instance, answered.exercise.draft.sets, answered.known)
    st.markdown("\n".join(f"- {as_text(line)}" for line in lines))


def _show_scores(store: Store, project: Project, answered: AnsweredText) -> None:
    """The sets that were scored, the gold sets where they were worsened, and each score beside the one that was expected."""
    _marked, scored = beside_gold(store, project, answered.exercise, answered.known)
    sides = [(_("Sets you scored"), scored, "scored")]
    unspoiled = gold_before(store, project, answered.exercise)
    if answered.item.spoiling and unspoiled is not None:
        sides.append((_("Unchanged gold"), unspoiled, "gold"))
    for column, (title, work, name) in zip(st.columns(len(sides), gap="medium"), sides, strict=True):
        with column:
            st.markdown(f"**{title}**")
            components.read(work, show_project(project), is_brief=True, key=f"training_{name}_{scored.assignment}")
    lines = score_lines(answered.exercise.scores, answered.known, project.settings.thresholds, answered.item.spoiling)
    st.markdown("\n".join(f"- {as_text(line)}" for line in lines))


def _show_result(answered: AnsweredText, audience: Audience) -> None:
    totals = answered.totals
    if totals is None:
        return
    lines = "\n".join(f"- {line}" for line in total_lines(totals, answered.rules, audience))
    if answered.attempt.state == "passed":
        st.success("\n".join((_("You passed the training."), lines)), icon=":material/check:")
        return
    st.warning(
        "\n".join((_("You didn't pass this time."), lines, "", _what_is_next(answered.tries_left))),
        icon=":material/replay:",
    )


def _what_is_next(tries_left: int) -> str:
    if not tries_left:
        return _(_NONE_LEFT)
    return several("You have {n} attempt left.", "You have {n} attempts left.", tries_left)


def show_scored_text(visit: Visit, project: Project, reading: Reading, training: Training) -> None:
    """A text of a reviewer's training on the review screen."""
    _show_line(training)
    number = training.attempt.id if training.attempt else 0
    components.train_reviewer(
        project, visit.user, visit.csrf, reading, key=f"training_review_{project.id}_{number}_{training.number}"
    )


def show_text(visit: Visit, project: Project, reading: Reading, training: Training) -> None:
    """A text of the training in the token panel."""
    _show_line(training)
    number = training.attempt.id if training.attempt else 0
    components.train_annotator(
        project, visit.user, visit.csrf, reading, key=f"training_panel_{project.id}_{number}_{training.number}"
    )
