"""Tries at the training, and exercises: single texts with known gold before single people."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from annotator.domain.instances import Draft
from annotator.domain.project.qualification import (
    Attempt,
    AttemptState,
    Audience,
    Exercise,
    ExerciseState,
    Known,
    Measures,
)
from annotator.domain.reviews import Scores
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.connection.database import Row, Store, of_columns, unused_number
from annotator.store.qualification.rules import pack, unpack

# Exercises of training are numbered far above all assignments and reviews: a browser keeps drafts by these numbers.
FIRST_OF_TRAINING = 2**40


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is stored of an answer."""

    draft: Draft = field(default_factory=Draft)
    scores: Scores = field(default_factory=Scores)


def begin_attempt(
    store: Store, project_id: int, audience: Audience, user_id: int, rules_number: int, items: Sequence[int]
) -> Attempt:
    """A new try; there must be no other open one."""
    number = len(attempts_of(store, project_id, audience, user_id)) + 1
    cursor = store.run(
        """INSERT INTO qualification_attempts (project_id, audience, user_id, number, rules_number, state, items, begun_at)
            VALUES (?, ?, ?, ?, ?, 'open', ?, ?)""",
        (project_id, audience, user_id, number, rules_number, json.dumps(list(items)), store.now()),
    )
    return get_attempt(store, int(cursor.lastrowid or 0))


def end_attempt(store: Store, attempt_id: int, state: AttemptState) -> None:
    """A try is over."""
    store.run(
        "UPDATE qualification_attempts SET state = ?, ended_at = ? WHERE id = ?", (state, store.now(), attempt_id)
    )


def get_attempt(store: Store, attempt_id: int) -> Attempt:
    """A try, which must be there."""
    return _attempt(store.rows("SELECT * FROM qualification_attempts WHERE id = ?", (attempt_id,))[0])


def attempts_of(store: Store, project_id: int, audience: Audience, user_id: int) -> list[Attempt]:
    """The tries of a person, the first one first."""
    rows = store.rows(
        "SELECT * FROM qualification_attempts WHERE project_id = ? AND audience = ? AND user_id = ? ORDER BY number",
        (project_id, audience, user_id),
    )
    return [_attempt(row) for row in rows]


def add_exercise(
    store: Store, project_id: int, user_id: int, item_id: int, instance_id: int, attempt_id: int | None,
    state: ExerciseState = "open",
) -> Exercise:  # fmt: skip
    """A text before somebody; the number of a blind check looks like that of any work."""
    number = next_work_number(store) if attempt_id is None else _next_of_training(store)
    store.run(
        """INSERT INTO exercises (id, project_id, user_id, item_id, instance_id, attempt_id, state, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        (number, project_id, user_id, item_id, instance_id, attempt_id, state, store.now()),
    )
    return get_exercise(store, number)


def next_work_number(store: Store) -> int:
    """The number of the next piece of work, which neither an assignment nor a blind check has."""
    return store.number(
        f"""SELECT max({unused_number("assignments")},
            1 + (SELECT coalesce(max(id), 0) FROM exercises WHERE id < ?))""",
        (FIRST_OF_TRAINING,),
    )


def _next_of_training(store: Store) -> int:
    return store.number("SELECT 1 + max(?1, (SELECT coalesce(max(id), 0) FROM exercises))", (FIRST_OF_TRAINING,))


def get_exercise(store: Store, number: int) -> Exercise:
    """An exercise; raises NotFound."""
    exercise = find_exercise(store, number)
    if exercise is None:
        raise NotFound(_("No {what} number {number}.", number=number, what=_("assignment")))
    return exercise


def find_exercise(store: Store, number: int) -> Exercise | None:
    """An exercise by its number, if it is one."""
    row = store.row("SELECT * FROM exercises WHERE id = ?", (number,))
    return None if row is None else _exercise(row)


def exercises_of_attempt(store: Store, attempt_id: int) -> list[Exercise]:
    """What somebody had in a try, in order."""
    rows = store.rows("SELECT * FROM exercises WHERE attempt_id = ? ORDER BY id", (attempt_id,))
    return [_exercise(row) for row in rows]


def checks_of(store: Store, project_id: int, user_id: int) -> list[Exercise]:
    """The blind checks of a person, in order."""
    rows = store.rows(
        "SELECT * FROM exercises WHERE project_id = ? AND user_id = ? AND attempt_id IS NULL ORDER BY id",
        (project_id, user_id),
    )
    return [_exercise(row) for row in rows]


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """How a person's blind checks stand; n_since: handed in since a moment."""

    n_open: int
    n_done: int
    n_left: int
    n_since: int

    @property
    def n(self) -> int:
        return self.n_open + self.n_done + self.n_left


def count_checks(store: Store, project_id: int, user_id: int, since: str = "") -> CheckCounts:
    """The numbers of a person's blind checks."""
    row = store.rows(
        """SELECT coalesce(sum(state = 'open'), 0), coalesce(sum(state = 'done'), 0), coalesce(sum(state = 'passed over'), 0),
                coalesce(sum(state = 'done' AND answered_at >= ?3), 0)
            FROM exercises WHERE project_id = ?1 AND user_id = ?2 AND attempt_id IS NULL""",
        (project_id, user_id, since),
    )[0]
    return CheckCounts(*row)


def open_checks(store: Store, project_id: int, user_id: int) -> list[Exercise]:
    """The blind checks that somebody has before them, in order."""
    rows = store.rows(
        """SELECT * FROM exercises WHERE project_id = ? AND user_id = ? AND attempt_id IS NULL AND state = 'open'
            ORDER BY id""",
        (project_id, user_id),
    )
    return [_exercise(row) for row in rows]


def last_done_check(store: Store, project_id: int, user_id: int) -> tuple[str, int] | None:
    """When somebody handed in their last blind check, and its number."""
    row = store.row(
        """SELECT answered_at, id FROM exercises WHERE project_id = ? AND user_id = ? AND attempt_id IS NULL
            AND state = 'done' ORDER BY answered_at DESC, id DESC LIMIT 1""",
        (project_id, user_id),
    )
    return None if row is None else (row["answered_at"], row["id"])


def save_answer(
    store: Store, exercise_id: int, revision: int, draft: Draft, scores: Scores | None = None, active_ms: int = 0
) -> None:
    """What is marked or scored so far, under a new revision."""
    store.run(
        "UPDATE exercises SET revision = ?, answer = ?, active_ms = active_ms + ? WHERE id = ?",
        (revision, pack(_Answer(draft, scores or Scores())), active_ms, exercise_id),
    )


def set_measured(store: Store, exercise_id: int, known: Known, measures: Measures, state: ExerciseState) -> None:
    """An answer is handed in, with the gold that it was measured against."""
    store.run(
        "UPDATE exercises SET state = ?, known = ?, measures = ?, answered_at = ? WHERE id = ?",
        (state, pack(known), pack(measures), store.now(), exercise_id),
    )


def set_known(store: Store, exercise_id: int, known: Known) -> None:
    """What stands before a reviewer stays what it was when they began."""
    store.run("UPDATE exercises SET known = ? WHERE id = ?", (pack(known), exercise_id))


def set_exercise_state(store: Store, exercise_id: int, state: ExerciseState) -> None:
    """Write a state."""
    store.run("UPDATE exercises SET state = ? WHERE id = ?", (state, exercise_id))


def has_open_exercise(store: Store, instance_id: int, user_id: int) -> bool:
    """Whether somebody has a text before them whose gold they are to find by themselves."""
    return store.holds(
        "SELECT EXISTS (SELECT 1 FROM exercises WHERE instance_id = ? AND user_id = ? AND state = 'open')",
        (instance_id, user_id),
    )


def _attempt(row: Row) -> Attempt:
    return of_columns(Attempt, row, items=tuple(json.loads(row["items"])))


def _exercise(row: Row) -> Exercise:
    answer = _Answer() if row["answer"] is None else unpack(row["answer"], _Answer)
    return of_columns(
        Exercise,
        row,
        draft=answer.draft,
        scores=answer.scores,
        known=None if row["known"] is None else unpack(row["known"], Known),
        measures=None if row["measures"] is None else unpack(row["measures"], Measures),
    )
