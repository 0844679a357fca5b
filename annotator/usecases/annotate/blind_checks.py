"""Blind checks: texts with known gold among an annotator's work, which look to them like any other in every message.

An exercise stands for an assignment here, under a number of the same row; what is answered is kept apart, and changes nothing
about the text. Everything is called inside the transaction of another use case.
"""

import datetime as dt
from random import Random
from zlib import crc32

from annotator.domain.instances import (
    Assignment,
    AssignmentState,
    Draft,
    Instance,
    MyWorkState,
    Timing,
    result_mode_for,
)
from annotator.domain.project.qualification import Exercise, Item, Known, Measures
from annotator.domain.projects import Project, are_rationales_reviewed
from annotator.language import _, unsaid
from annotator.review.gold import measure_marks
from annotator.store import Store
from annotator.store.annotate.instance_queue import waiting_for
from annotator.store.annotate.my_work import WorkLine
from annotator.store.annotate.visibility import standing
from annotator.store.connection.database import iso
from annotator.store.instances import get_instance, row_of
from annotator.store.projects import assignment_counts_of, get_project_by_id
from annotator.store.qualification import exercises as exercises_store
from annotator.store.qualification.rules import check_items_for, count_check_items_for, get_item, newest_rules
from annotator.usecases.annotate.outcomes import Outcome
from annotator.usecases.gold import find_gold

_STATES: dict[str, AssignmentState] = {"open": "leased", "done": "submitted", "passed over": "skipped"}
_SHOWN = unsaid("you've since seen others' marks")


def find_check(store: Store, number: int) -> Assignment | None:
    """A blind check by its number, as the piece of work that it looks like."""
    exercise = exercises_store.find_exercise(store, number)
    return None if exercise is None or exercise.attempt_id is not None else _as_assignment(store, exercise)


def find_check_of(store: Store, project: Project, instance_id: int, user_id: int) -> Assignment | None:
    """The blind check that a person has, or had, of a text."""
    checks = exercises_store.checks_of(store, project.id, user_id)
    exercise = next((check for check in checks if check.instance_id == instance_id), None)
    return None if exercise is None else _as_assignment(store, exercise)


def among_held(store: Store, project_id: int, user_id: int, held: list[Assignment]) -> list[Assignment]:
    """What a person holds with their open checks, each where it was given out."""
    merged = list(held)
    for exercise in exercises_store.open_checks(store, project_id, user_id):
        later = (n for n, a in enumerate(merged) if a.state == "leased" and a.id > exercise.id)
        merged.insert(next(later, len(merged)), _as_assignment(store, exercise))
    return merged


def _as_assignment(store: Store, exercise: Exercise) -> Assignment:
    minutes = get_project_by_id(store, exercise.project_id).settings.lease_minutes
    return Assignment(
        id=exercise.id, project_id=exercise.project_id, instance_id=exercise.instance_id, user_id=exercise.user_id,
        round_number=1, state=_STATES[exercise.state], lease_until=iso(store.moment() + dt.timedelta(minutes=minutes)),
        revision=exercise.revision, draft=exercise.draft, is_check=True,
    )  # fmt: skip


def claim_check(store: Store, project: Project, user_id: int) -> Assignment | None:
    """A blind check, where it is due now, work waits as well, and there is a text for it."""
    every = newest_rules(store, project.id, "annotators").rules.check_every
    if not every or not _is_due(project.id, user_id, _n_given(store, project.id, user_id), every):
        return None
    items = check_items_for(store, project.id, user_id) if may_have_checks(project) else []
    if not items or not waiting_for(store, project.id, user_id, at_most=1):
        return None
    Random(f"check {project.id} {user_id} {len(items)}").shuffle(items)  # noqa: S311  (no secret)
    item = next((item for item in items if _has_gold(store, project, item)), None)
    if item is None:
        return None
    exercise = exercises_store.add_exercise(store, project.id, user_id, item.id, item.instance_id, None)
    return _as_assignment(store, exercise)


def _has_gold(store: Store, project: Project, item: Item) -> bool:
    return find_gold(store, project, get_instance(store, item.instance_id)) is not None


def _n_given(store: Store, project_id: int, user_id: int) -> int:
    """How many texts a person was given, checks among them."""
    n_assignments = sum(assignment_counts_of(store, project_id, user_id).values())
    return n_assignments + exercises_store.count_checks(store, project_id, user_id).n


def _drawn(project_id: int, user_id: int, block: int, every: int) -> int:
    """Which of each `every` texts is the check: drawn, so that nobody can count to it."""
    return crc32(f"check {project_id} {user_id} {block}".encode()) % every


def _is_due(project_id: int, user_id: int, n_given: int, every: int) -> bool:
    block, at = divmod(n_given, every)
    return _drawn(project_id, user_id, block, every) == at


def may_have_checks(project: Project) -> bool:
    """Where sets are proposed to annotators there is none: they would be missing."""
    settings = project.settings
    return settings.result_mode == "labels_only" or not (settings.proposed_word_lists or settings.proposed_model)


def counts_with_checks(
    store: Store, project: Project, user_id: int, counts: dict[str, int], day_began: str | None
) -> dict[str, int]:
    """What waits for a person, with checks counted as the work that they look like, those to come among what waits."""
    every = newest_rules(store, project.id, "annotators").rules.check_every
    checks = exercises_store.count_checks(store, project.id, user_id, day_began or "")
    if not every and not checks.n:
        return counts
    counts["open"] += checks.n_open
    counts["skipped"] += checks.n_left
    counts["submitted"] += checks.n_done
    if day_began is not None:
        counts["today"] += checks.n_since
    if every and counts["waiting"] and may_have_checks(project):
        n_items = count_check_items_for(store, project.id, user_id)
        n_given = _n_given(store, project.id, user_id)
        counts["waiting"] += _n_to_come(project.id, user_id, n_given, every, counts["waiting"], n_items)
    return counts


def _n_to_come(project_id: int, user_id: int, n_given: int, every: int, n_waiting: int, n_items: int) -> int:
    """How many checks will be given before the last text that waits; each `every` texts hold one."""
    block, at = divmod(n_given, every)
    n = 0
    while n < n_items:
        n_before = _drawn(project_id, user_id, block, every) - at
        if n_before >= n_waiting:
            return n
        n += n_before >= 0
        n_waiting -= every - at - (n_before >= 0)
        block, at = block + 1, 0
        if n_waiting <= 0:
            return n
    return n


def save_check(store: Store, assignment: Assignment, draft: Draft, revision: int, timing: Timing) -> None:
    """Keep what is marked so far; a check that was skipped is taken up again."""
    if assignment.state == "skipped":
        exercises_store.set_exercise_state(store, assignment.id, "open")
    exercises_store.save_answer(store, assignment.id, revision, draft, active_ms=timing.active_ms)


def submit_check(
    store: Store, project: Project, instance: Instance, assignment: Assignment, draft: Draft, result: str, revision: int
) -> None:
    """What was handed in is measured against the gold of now, or that of when the text was picked where it has none."""
    exercise = exercises_store.get_exercise(store, assignment.id)
    exercises_store.save_answer(store, exercise.id, revision, _with_result(draft, result))
    gold = find_gold(store, project, instance)
    known = get_item(store, exercise.item_id).known if gold is None else Known(gold.result, gold.sets)
    measures = measures_of(project, instance, _with_result(draft, result), known)
    exercises_store.set_measured(store, exercise.id, known, measures, "done")


def _with_result(draft: Draft, result: str) -> Draft:
    return Draft(result, draft.sets, draft.note, draft.no_rationale)


def measures_of(project: Project, instance: Instance, draft: Draft, known: Known) -> Measures:
    """How marks came out: sets where the project asks for them, the label where it was the annotator's to say."""
    mode = result_mode_for(project, instance)
    return measure_marks(
        draft.sets, draft.result, known, has_sets=mode != "labels_only",
        gives_label=mode != "confirm" and project.task.result_kind == "label",
    )  # fmt: skip


def leave_check(store: Store, assignment: Assignment, note: str = "") -> None:
    """A check was skipped or proposed to be discarded; what was marked and said is kept with it."""
    if note:
        draft = assignment.draft
        with_note = Draft(draft.result, draft.sets, f"{draft.note}\n{note}".strip(), draft.no_rationale)
        exercises_store.save_answer(store, assignment.id, assignment.revision, with_note)
    exercises_store.set_exercise_state(store, assignment.id, "passed over")


def reopen_check(store: Store, assignment: Assignment) -> Assignment | None:
    """A check that was handed in is open again; None where that may not be."""
    if assignment.state != "submitted" or outcome_of_check(store, assignment).closed:
        return None
    exercises_store.set_exercise_state(store, assignment.id, "open")
    return find_check(store, assignment.id)


def outcome_of_check(store: Store, assignment: Assignment) -> Outcome:
    """What has become of it, as of any work that was handed in and of which nobody has decided yet."""
    instance = get_instance(store, assignment.instance_id)
    is_contested = instance.result is not None and assignment.draft.result not in {None, instance.result}
    lines = (
        (
            _(
                "You chose the label “{label}” instead. {decision}",
                label=assignment.draft.result,
                decision=_("The lead has not decided yet."),
            ),
        )
        if is_contested
        else ()
    )
    closed = _(_SHOWN) if standing(store, assignment.instance_id, assignment.user_id).was_shown else ""
    return Outcome(_state(store, assignment, is_contested=is_contested), closed, lines)


def _state(store: Store, assignment: Assignment, *, is_contested: bool) -> MyWorkState:
    if assignment.state == "skipped":
        return "skipped"
    if assignment.state == "leased":
        return "draft"
    is_reviewed = are_rationales_reviewed(get_project_by_id(store, assignment.project_id))
    return "submitted" if is_reviewed or is_contested else "accepted"


def check_lines(store: Store, project_id: int, user_id: int, state: str, words: str) -> list[WorkLine]:
    """The lines of My work that checks have there."""
    lines = []
    for exercise in exercises_store.checks_of(store, project_id, user_id):
        assignment = _as_assignment(store, exercise)
        outcome = outcome_of_check(store, assignment)
        row = row_of(store, exercise.instance_id)
        is_begun = exercise.state != "open" or exercise.revision > 0
        is_asked = (not state or outcome.state == state) and words.casefold() in f"{row.key}\n{row.excerpt}".casefold()
        if is_begun and is_asked:
            at = exercise.answered_at if exercise.state == "done" else exercise.created_at
            lines.append(
                WorkLine(exercise.id, exercise.instance_id, None, row.key, row.excerpt, outcome.state, at or "")
            )
    return lines
