"""Somebody's own training: how it stands, beginning a try, the next text of it, handing an answer in, reading the feedback."""

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Literal

from annotator.domain.instances import Instance
from annotator.domain.people import User
from annotator.domain.project.qualification import (
    RIGHT_OF,
    Attempt,
    Audience,
    Exercise,
    Item,
    Known,
    Measures,
    QualificationRules,
    Totals,
    total_of,
)
from annotator.domain.projects import Project
from annotator.errors import Conflict, LeaseLost, NotAllowed, StaleDraft
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store.annotate.assignments import list_held
from annotator.store.annotate.visibility import note_shown
from annotator.store.events import add_event
from annotator.store.instances import get_instance
from annotator.store.projects import get_project_by_id
from annotator.store.qualification import exercises as exercises_store
from annotator.store.qualification import rules as rules_store
from annotator.store.review.reviews import count_reviews
from annotator.usecases.access.rights import require
from annotator.usecases.qualification.items import known_now

# none: nothing stands before work. finish: what is held comes first. begin: a try may begin. open: in the middle of one.
# feedback: an answer is to be looked at. failed: no try is left. no texts: there is nothing to be trained on.
Stage = Literal["none", "finish", "begin", "open", "feedback", "failed", "no texts"]


@dataclass(frozen=True, slots=True)
class Training:
    """How somebody's training stands.

    attempt: the last try; number: which text of it comes, or is looked at, of so many
    tries_left: of those that the rules and the lead allow
    """

    stage: Stage
    rules: QualificationRules
    attempt: Attempt | None = None
    number: int = 0
    of: int = 0
    tries_left: int = 0


@dataclass(frozen=True, slots=True)
class AnsweredText:
    """An answer beside the gold that it was measured against; totals: where it was the last one, what the try came to.

    tries_left: of those that the person may still begin
    """

    exercise: Exercise
    item: Item
    instance: Instance
    known: Known
    measures: Measures
    attempt: Attempt
    rules: QualificationRules
    totals: Totals | None
    tries_left: int = 0


def training_of(store: Store, user: User, project: Project, audience: Audience) -> Training:
    """How somebody's training stands, which says what their page shows."""
    if user.id is None:
        return Training("none", QualificationRules())
    attempts = exercises_store.attempts_of(store, project.id, audience, user.id)
    last = attempts[-1] if attempts else None
    texts = [] if last is None else exercises_store.exercises_of_attempt(store, last.id)
    answered = [text for text in texts if text.state == "answered"]
    rules = rules_store.newest_rules(store, project.id, audience).rules
    if last is not None and answered:
        return _in_attempt(store, "feedback", last, texts, answered[0])
    stage = _before_training(store, project, user.id, audience)
    if stage is not None:
        return Training(stage, rules, last)
    if last is not None and last.state == "open":
        return _in_attempt(store, "open", last, texts)
    left = tries_left(store, project.id, audience, user.id, attempts, rules)
    n_texts = min(
        rules.texts,
        len({item.instance_id for item, _n_before in rules_store.items_for(store, project.id, audience, user.id)}),
    )
    outlook: Stage = "failed" if left <= 0 else "begin" if n_texts else "no texts"
    return Training(outlook, rules, last, 0, n_texts, left)


def _before_training(store: Store, project: Project, user_id: int, audience: Audience) -> Stage | None:
    """No training stands before the person's work, or they still hold some."""
    if not rules_store.is_kept_from_work(store, project.id, user_id, audience):
        return "none"
    return "finish" if n_held(store, project, user_id, audience) else None


def _in_attempt(
    store: Store, stage: Stage, attempt: Attempt, texts: list[Exercise], at: Exercise | None = None
) -> Training:
    n_over = sum(text.state == "passed over" for text in texts)
    done = [text for text in texts if text.state in {"answered", "done"}]
    number = len(done) + 1 if at is None else done.index(at) + 1
    rules = rules_store.rules_of_number(store, attempt.project_id, attempt.audience, attempt.rules_number)
    return Training(stage, rules, attempt, number, len(attempt.items) - n_over)


def tries_left(
    store: Store, project_id: int, audience: Audience, user_id: int, attempts: list[Attempt], rules: QualificationRules
) -> int:
    """How many tries somebody may still begin: those of the rules, and what a lead gave beyond them, less what failed."""
    more = sum(kind == "another try" for kind, _ in rules_store.grants_of(store, project_id, audience, user_id))
    return rules.tries + more - sum(attempt.state == "failed" for attempt in attempts)


def n_held(store: Store, project: Project, user_id: int, audience: Audience) -> int:
    """How many texts, or annotations to score, somebody holds now."""
    if audience == "annotators":
        return len(list_held(store, project.id, user_id))
    return count_reviews(store, project.id, user_id, "leased")


def begin(store: Store, user: User, project: Project, audience: Audience) -> None:
    """Begin a try: texts in an order of its own, first those that the person has not had before.

    Raises: Conflict where none may be begun now, saying why
    """
    with store.transaction():
        require(store, user, project.id, RIGHT_OF[audience])
        training = training_of(store, user, project, audience)
        if training.stage in {"open", "feedback"}:
            return  # another tab was faster
        if training.stage != "begin" or user.id is None:
            raise Conflict(_(_WHY_NOT[training.stage]))
        number = 1 + (training.attempt.number if training.attempt else 0)
        chosen = _drawn(store, project.id, audience, user.id, number)[: training.rules.texts]
        stored = rules_store.newest_rules(store, project.id, audience)
        exercises_store.begin_attempt(store, project.id, audience, user.id, stored.number, chosen)


_WHY_NOT: dict[Stage, str] = {
    "none": unsaid("You need no training."),
    "finish": unsaid("Finish your current texts first; training comes next."),
    "failed": unsaid("No training attempts left. Ask the lead."),
    "no texts": unsaid("No training texts left. Tell the lead."),
}


def _drawn(store: Store, project_id: int, audience: Audience, user_id: int, number: int) -> list[int]:
    """Items in an order that is drawn for the person and the try; texts that they had least often first, each text once.

    What counts is how often they had the text: one that was worsened in another way showed its gold all the same.
    """
    pairs = rules_store.items_for(store, project_id, audience, user_id)
    Random(f"{project_id} {audience} {user_id} {number}").shuffle(pairs)  # noqa: S311  (no secret)
    n_had: Counter[int] = Counter()
    for item, n_before in pairs:
        n_had[item.instance_id] += n_before
    by_instance: dict[int, int] = {}
    for item, _n_before in sorted(pairs, key=lambda pair: (n_had[pair[0].instance_id], pair[1])):
        by_instance.setdefault(item.instance_id, item.id)
    return list(by_instance.values())


def open_exercise(store: Store, user: User, project: Project, audience: Audience) -> Exercise | None:
    """The text of one's open try that is to be answered next; None where there is none. Call inside a transaction.

    A text without gold is passed over; a try of which no text is left ends, and counts for nothing.
    """
    training = training_of(store, user, project, audience)
    if training.stage != "open" or training.attempt is None:
        return None
    attempt = training.attempt
    texts = exercises_store.exercises_of_attempt(store, attempt.id)
    open_text = next((text for text in texts if text.state == "open"), None)
    if open_text is not None:
        return open_text
    begun = {text.item_id for text in texts}
    ordered = rules_store.items_by_number(store, attempt.items)
    for number in attempt.items:
        if number in begun:
            continue
        item = ordered[number]
        known = None if rules_store.is_removed(store, item.id) else known_now(store, project, item)
        exercise = exercises_store.add_exercise(
            store, project.id, attempt.user_id, item.id, item.instance_id, attempt.id,
            "passed over" if known is None else "open",
        )  # fmt: skip
        if (
            known is not None and audience == "reviewers"
        ):  # the sets are before them from the first moment, and stay the same
            exercises_store.set_known(store, exercise.id, known)
            note_shown(store, item.instance_id, attempt.user_id)
        if known is not None:
            return exercises_store.get_exercise(store, exercise.id)
    _decide(store, user, attempt)
    return None


def own_exercise(store: Store, user: User, exercise_id: int) -> tuple[Exercise, Attempt]:
    """A person's own text of a try that is still to be answered.

    Raises: NotAllowed for somebody else's; StaleDraft for one that was handed in; LeaseLost where the try is over
    """
    exercise = exercises_store.get_exercise(store, exercise_id)
    if user.id is None or exercise.user_id != user.id or exercise.attempt_id is None:
        raise NotAllowed(_("This text is assigned to others."))
    attempt = exercises_store.get_attempt(store, exercise.attempt_id)
    require(store, user, exercise.project_id, RIGHT_OF[attempt.audience])
    if exercise.state in {"answered", "done"}:
        raise StaleDraft(_("Already submitted. Reload to continue."))
    if exercise.state == "passed over":
        raise LeaseLost(_("This has changed. Reload and check it again."))
    return exercise, attempt


def hand_in(store: Store, user: User, exercise: Exercise, attempt: Attempt, known: Known, measures: Measures) -> None:
    """An answer counts: its gold may be shown from now on, so that the text is never given to the person as work."""
    exercises_store.set_measured(store, exercise.id, known, measures, "answered")
    note_shown(store, exercise.instance_id, exercise.user_id)
    if not _is_any_left(store, attempt):
        _decide(store, user, attempt)


def pass_over(store: Store, user: User, exercise: Exercise, attempt: Attempt) -> None:
    """The gold of a text went while somebody was at it: what they marked is kept, and counts for nothing."""
    exercises_store.set_exercise_state(store, exercise.id, "passed over")
    if not _is_any_left(store, attempt):
        _decide(store, user, attempt)


def _is_any_left(store: Store, attempt: Attempt) -> bool:
    """Whether a text of a try is still to come that has gold now."""
    project = get_project_by_id(store, attempt.project_id)
    begun = {text.item_id for text in exercises_store.exercises_of_attempt(store, attempt.id)}
    left = [rules_store.get_item(store, number) for number in attempt.items if number not in begun]
    return any(
        not rules_store.is_removed(store, item.id) and known_now(store, project, item) is not None for item in left
    )


def _decide(store: Store, user: User, attempt: Attempt) -> None:
    rules = rules_store.rules_of_number(store, attempt.project_id, attempt.audience, attempt.rules_number)
    totals = totals_of(store, attempt)
    if not totals.n_f1 and not totals.n:
        exercises_store.end_attempt(store, attempt.id, "ended")
        return
    state: Literal["passed", "failed"] = "passed" if totals.passes(rules, attempt.audience) else "failed"
    exercises_store.end_attempt(store, attempt.id, state)
    add_event(
        store, user.name, "end training", "project", attempt.project_id, project_id=attempt.project_id,
        audience=attempt.audience, number=attempt.number, state=state, rules=attempt.rules_number,
        f1=None if totals.f1 is None else float(totals.f1), right=totals.n_right, n=totals.n,
    )  # fmt: skip


def totals_of(store: Store, attempt: Attempt) -> Totals:
    """What the answers of a try come to together."""
    texts = exercises_store.exercises_of_attempt(store, attempt.id)
    return total_of([text.measures for text in texts if text.measures and text.state in {"answered", "done"}])


def answered_text(store: Store, user: User, project: Project, audience: Audience) -> AnsweredText | None:
    """The answer whose feedback somebody has not read to its end."""
    training = training_of(store, user, project, audience)
    if training.stage != "feedback" or training.attempt is None:
        return None
    texts = exercises_store.exercises_of_attempt(store, training.attempt.id)
    text = next(text for text in texts if text.state == "answered")
    if text.known is None or text.measures is None:
        return None
    totals = None if training.attempt.state == "open" else totals_of(store, training.attempt)
    instance = get_instance(store, text.instance_id)
    attempts = exercises_store.attempts_of(store, project.id, audience, user.id or 0)
    rules = rules_store.newest_rules(store, project.id, audience).rules
    return AnsweredText(
        text, rules_store.get_item(store, text.item_id), instance, text.known, text.measures, training.attempt, training.rules,
        totals, max(0, tries_left(store, project.id, audience, user.id or 0, attempts, rules)),
    )  # fmt: skip


def end_feedback(store: Store, user: User, exercise_id: int) -> None:
    """Somebody has read what came of an answer."""
    with store.transaction():
        exercise = exercises_store.get_exercise(store, exercise_id)
        if user.id is None or exercise.user_id != user.id or exercise.attempt_id is None:
            raise NotAllowed(_("This text is assigned to others."))
        if exercise.state == "answered":
            exercises_store.set_exercise_state(store, exercise.id, "done")
