"""My work: the list of what one has annotated, proposed to discard or skipped in a project, with its outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast, get_args

from annotator.domain.instances import MyWorkState
from annotator.domain.people import User
from annotator.domain.projects import are_rationales_reviewed
from annotator.domain.texts import first_words, set_letter
from annotator.errors import InvalidValue
from annotator.language import _, listed
from annotator.store import Store
from annotator.store.annotate.annotations import get_annotations
from annotator.store.annotate.assignments import get_assignment
from annotator.store.annotate.my_work import WorkLine, find_last_decided, list_my_work
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.rights import require
from annotator.usecases.annotate.checks import check_lines, find_check, outcome_of_check
from annotator.usecases.annotate.outcomes import Outcome, outcome_of, summary_of

PAGE_SIZE = 20
STATES: tuple[MyWorkState, ...] = get_args(MyWorkState)
_EXCERPT_CHARS = 160
_LINE_CHARS = 200
_TOLD = {"discarded", "proposed", "accepted", "returned"}


@dataclass(frozen=True, slots=True)
class MyWorkRow:
    """One line of one's own work; may_reopen: the submission can still be taken back; lines: its reasons and scores."""

    line: WorkLine
    excerpt: str
    result: str | None
    n_sets: int
    may_reopen: bool
    lines: tuple[str, ...]


def my_work(
    store: Store, user: User, project_id: int, page: int = 1, *, state: str = "", words: str = ""
) -> tuple[list[MyWorkRow], int]:
    """One page of one's own work, newest first, and how much there is.

    state: one of STATES, or "" for all; words: what its key or texts hold, whatever the case
    """
    require(store, user, project_id, "annotate")
    if state not in {"", *STATES}:
        raise InvalidValue(
            _("'{state}' is no state of one's own work; choose one of: {states}.", state=state, states=listed(STATES))
        )
    lines, n = _lines(store, project_id, cast("int", user.id), state, words.strip(), PAGE_SIZE * (page - 1))
    annotations = get_annotations(store, [line.annotation_id for line in lines if line.annotation_id is not None])
    decided_at = _last_decided(store, project_id, cast("int", user.id))
    rows = []
    for line in lines:
        assignment = find_check(store, line.assignment_id) or get_assignment(store, line.assignment_id)
        is_draft = line.state == "draft" or assignment.is_check
        work = assignment.draft if is_draft else annotations.get(cast("int", line.annotation_id))
        outcome = outcome_of_check(store, assignment) if assignment.is_check else outcome_of(store, assignment)
        n_sets = len(work.sets) if work else 0
        rows.append(
            MyWorkRow(
                line, first_words(line.excerpt, _EXCERPT_CHARS), work.result if work else None, n_sets,
                may_reopen=line.state in {"submitted", "accepted"} and not outcome.closed,
                lines=_summary(line, outcome, n_sets, decided_at),
            )
        )  # fmt: skip
    return rows, n


def _lines(
    store: Store, project_id: int, user_id: int, state: str, words: str, offset: int
) -> tuple[Sequence[WorkLine], int]:
    """The lines of a page and how many there are, blind checks among them; only who has some pays for the pages before."""
    checks = check_lines(store, project_id, user_id, state, words)
    if not checks:
        return list_my_work(store, project_id, user_id, state, words, limit=PAGE_SIZE, offset=offset)
    lines, n = list_my_work(store, project_id, user_id, state, words, limit=offset + PAGE_SIZE, offset=0)
    merged = sorted([*lines, *checks], key=lambda line: (line.at, line.assignment_id), reverse=True)
    return merged[offset : offset + PAGE_SIZE], n + len(checks)


def _last_decided(store: Store, project_id: int, user_id: int) -> str:
    """When the newest of a person's work that is decided was handed in; "" where decisions follow from no review."""
    if not are_rationales_reviewed(get_project_by_id(store, project_id)):
        return ""
    return find_last_decided(store, project_id, user_id) or ""


def _summary(line: WorkLine, outcome: Outcome, n_sets: int, decided_at: str) -> tuple[str, ...]:
    """The reasons and scores; of what was left behind by decisions of later work (as a blind check is for ever), that."""
    if line.state == "submitted" and line.at < decided_at:
        return (_("Texts that you handed in later are decided. Of some texts you are not told a decision."),)
    if line.state not in _TOLD:
        return ()
    letters = [set_letter(number) for number in range(n_sets)]
    return tuple(first_words(sentence, _LINE_CHARS) for sentence in summary_of(outcome, letters))
