"""Who is told of what: called by other use cases, inside their transaction. Nobody is told of what they did themselves."""

from collections.abc import Iterable, Sequence

from annotator.domain.people import NoticeKind, User
from annotator.store import Store
from annotator.store.notices.inbox import add_notices, has_unread
from annotator.store.people import list_members
from annotator.store.project.open_work import is_without_reviewers, rounds_without_reviewers


def tell(
    store: Store,
    by: User | None,
    user_ids: Iterable[int | None],
    project_id: int,
    kind: NoticeKind,
    instance_id: int | None = None,
    detail: str = "",
) -> None:
    """Tell people something; by: whoever did it, None for the gate."""
    concerned = {user_id for user_id in user_ids if user_id is not None and (by is None or user_id != by.id)}
    if concerned:
        add_notices(store, concerned, project_id, kind, instance_id, detail)


def tell_leads(
    store: Store, by: User | None, project_id: int, kind: NoticeKind, instance_id: int | None = None
) -> None:
    """Tell those who lead a project."""
    tell(store, by, _leads(store, project_id), project_id, kind, instance_id)


def tell_of_stuck_round(
    store: Store, project_id: int, annotation_id: int, instance_id: int, reviewing: Sequence[str]
) -> None:
    """Tell the leads when a round that was just opened wants more reviewers than there are.

    One line is enough until it is read: a project that has no reviewers yet would else bring one for each submission. The
    lead is told of a round of their own too, since what is stuck is nobody's act.
    """
    leads = _untold_leads(store, project_id)
    if leads and is_without_reviewers(store, project_id, annotation_id, reviewing):
        add_notices(store, leads, project_id, "stuck", instance_id)


def tell_of_stuck_rounds(store: Store, project_id: int, reviewing: Sequence[str]) -> None:
    """The same for all rounds of a project, after somebody left or the rules changed."""
    leads = _untold_leads(store, project_id)
    if leads and rounds_without_reviewers(store, project_id, reviewing, at_most=1_000):
        add_notices(store, leads, project_id, "stuck")


def _untold_leads(store: Store, project_id: int) -> list[int]:
    return [user_id for user_id in _leads(store, project_id) if not has_unread(store, user_id, project_id, "stuck")]


def _leads(store: Store, project_id: int) -> list[int]:
    return [user.id for user, role in list_members(store, project_id) if role == "lead" and user.id is not None]
