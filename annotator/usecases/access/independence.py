"""Annotators work independently: to whom others' sets of a text are shown, and that whoever saw them is not given the text.

Per text one is annotator or reviewer. While a person has a text in hand or may still be given it, what others marked in it is
closed to them; a lead may look, which ends that they are given it. Every place that shows others' sets asks here first.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from annotator.domain.instances import GoldInstance
from annotator.domain.people import User, has_right
from annotator.errors import Conflict, ExportRefused
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store.annotate.assignments import find_assignment, set_assignment_state
from annotator.store.annotate.instance_queue import settle
from annotator.store.annotate.visibility import closed_instances, note_gold_shown, note_shown, of_others, standing
from annotator.store.events import add_event
from annotator.store.people import roles_of
from annotator.store.qualification.exercises import has_open_exercise

_BATCH = 2_000
_WHILE_ANNOTATING = unsaid("Others' marks are hidden while you can still annotate this text.")
_IN_HAND_OF_LEAD = unsaid(
    "Others' marks are hidden while you annotate this text. Submit it, or give it back (Project, Texts)."
)
_ALL_CLOSED = unsaid("You annotate, or may be assigned, all texts with gold. Ask a lead to export.")


def may_annotate_still(store: Store, user: User, project_id: int, instance_id: int) -> bool:
    """Whether a person could still be given a text, now or when the lead has decided on it."""
    if user.id is None or not has_right(user, roles_of(store, user, project_id), "annotate"):
        return False
    return standing(store, instance_id, user.id).may_still_be_given


def is_at_work_on(store: Store, user: User, instance_id: int) -> bool:
    """Whether a person has a text in hand to annotate, or what they handed in is not decided yet."""
    if user.id is None:
        return False
    user_standing = standing(store, instance_id, user.id)
    return user_standing.has_in_hand or user_standing.is_undecided


def why_withheld(store: Store, actor: User, project_id: int, instance_id: int, annotation_ids: Sequence[int]) -> str:
    """Why some annotations of a text are not to be shown to a person now, in a sentence; "" where they may be."""
    if actor.id is None or not of_others(store, annotation_ids, actor.id):
        return ""
    return _why_closed(store, actor, project_id, instance_id)


def _why_closed(store: Store, actor: User, project_id: int, instance_id: int) -> str:
    if actor.id is None:
        return ""
    roles = roles_of(store, actor, project_id)
    user_standing = standing(store, instance_id, actor.id)
    if has_right(actor, roles, "see all annotations"):
        return _(_IN_HAND_OF_LEAD) if user_standing.has_in_hand else ""
    is_closed = (
        user_standing.has_in_hand
        or has_open_exercise(store, instance_id, actor.id)
        or user_standing.is_undecided
        or (user_standing.may_still_be_given and has_right(actor, roles, "annotate"))
    )
    return _(_WHILE_ANNOTATING) if is_closed else ""


def show(
    store: Store, actor: User, project_id: int, instance_id: int, annotation_ids: Sequence[int], *,
    gives_back: bool = False,
) -> None:  # fmt: skip
    """Annotations of a text are about to be shown to a person: keep that those of others were.

    gives_back: what they have of the text in hand goes back to the queue for it
    Raises: Conflict where they are closed to the person, saying why
    """
    if actor.id is None or not of_others(store, annotation_ids, actor.id):
        return
    if standing(store, instance_id, actor.id).was_shown and not _why_closed(store, actor, project_id, instance_id):
        return
    with store.transaction():
        if gives_back:
            _give_back(store, actor, project_id, instance_id)
        if closed := _why_closed(store, actor, project_id, instance_id):
            raise Conflict(closed)
        note_shown(store, instance_id, actor.id)


def must_give_back(store: Store, actor: User, instance_id: int, annotation_ids: Sequence[int]) -> bool:
    """Whether a person has a text in hand of which others' annotations are about to be shown."""
    if actor.id is None or not of_others(store, annotation_ids, actor.id):
        return False
    return standing(store, instance_id, actor.id).has_in_hand


def _give_back(store: Store, actor: User, project_id: int, instance_id: int) -> None:
    """What the person has in hand goes back to the queue, for others; what they marked is kept."""
    user_id = cast("int", actor.id)
    assignment = find_assignment(store, instance_id, user_id)
    if assignment is None or not standing(store, instance_id, user_id).has_in_hand:
        return
    set_assignment_state(store, assignment.id, "expired")
    settle(store, instance_id)
    add_event(
        store, actor.name, "give back", "instance", instance_id, project_id=project_id,
        assignment=assignment.id, round=assignment.round_number,
    )  # fmt: skip


class GoldFor:
    """Gold that a person takes along in a file: without what is closed to them, and noted as shown to them.

    To leads and the command line everything is open, and nothing is noted: a backup must not take them out of the work.
    """

    def __init__(self, store: Store, actor: User, project_id: int) -> None:
        self.store, self.actor = store, actor
        roles = roles_of(store, actor, project_id)
        self.is_noted = actor.id is not None and not has_right(actor, roles, "see all annotations")
        may_annotate = has_right(actor, roles, "annotate")
        self.closed = (
            closed_instances(store, project_id, actor.id, may_annotate) if self.is_noted and actor.id else set()
        )
        self.taken: list[int] = []

    def open_to_them(self, gold: Iterable[GoldInstance]) -> Iterator[GoldInstance]:
        """Those among some that are not closed. Raises ExportRefused where all are."""
        is_any_open, is_any_closed = False, False
        for gold_instance in gold:
            is_closed = gold_instance.instance.id in self.closed
            is_any_open, is_any_closed = is_any_open or not is_closed, is_any_closed or is_closed
            if not is_closed:
                if self.is_noted:
                    self.taken.append(gold_instance.instance.id)
                yield gold_instance
        if is_any_closed and not is_any_open:
            raise ExportRefused(_(_ALL_CLOSED))

    def note(self) -> None:
        """What was taken is shown to the person from now on; a batch in a transaction, so that nobody waits for long."""
        for start in range(0, len(self.taken), _BATCH):
            with self.store.transaction():
                note_gold_shown(self.store, self.taken[start : start + _BATCH], cast("int", self.actor.id))


def annotations_behind(gold: GoldInstance) -> list[int]:
    """The annotations that gold sets came from."""
    return sorted({origin.annotation_id for origins in gold.origins for origin in origins})
