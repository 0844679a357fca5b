"""Notices: who is told of what, what a line says (on the screen, by mail and webhook), and a person's own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from annotator.domain.people import NoticeGroup, NoticeKind, Role, User, role_name
from annotator.language import _, several, unsaid
from annotator.store import Store
from annotator.store.notices import outbox as inbox_store
from annotator.store.notices.outbox import add_notices, has_unread
from annotator.store.people import list_members
from annotator.store.project.open_work import is_without_reviewers, rounds_without_reviewers

PAGE_SIZE = 20
KEPT_DAYS = 90
_MOST_READ = 1_000


def unread(store: Store, user: User, page: int = 1) -> tuple[NoticeGroup, ...]:
    """One page of the lines of what somebody has not read, the newest first."""
    return _groups(store, user, page, is_read=False)


def read_before(store: Store, user: User, page: int = 1) -> tuple[NoticeGroup, ...]:
    """The same of what they have read, a line for each day on which they did."""
    return _groups(store, user, page, is_read=True)


def _groups(store: Store, user: User, page: int, *, is_read: bool) -> tuple[NoticeGroup, ...]:
    if user.id is None:
        return ()
    offset = PAGE_SIZE * (page - 1)
    return tuple(inbox_store.list_groups(store, user, is_read=is_read, limit=PAGE_SIZE, offset=offset))


def count_unread(store: Store, user: User) -> int:
    """How many lines of notices somebody has not read. It is asked for with every page, so no more than a thousand are read."""
    return 0 if user.id is None else inbox_store.count_unread(store, user, at_most=_MOST_READ)


def mark_all_read(store: Store, user: User, up_to: int) -> None:
    """Everything up to a notice is read; what came since stays new."""
    if user.id is not None:
        with store.transaction():
            inbox_store.mark_read(store, user.id, up_to)


def mark_read(store: Store, user: User, notice_id: int) -> None:
    """The line that a notice belongs to is read; one of somebody else's changes nothing."""
    if user.id is not None:
        with store.transaction():
            inbox_store.mark_group_read(store, user.id, notice_id)


# Who is told of what: called by other use cases, inside their transaction. Nobody is told of what they did themselves.


def tell(
    store: Store, by: User | None, user_ids: Iterable[int | None], project_id: int, kind: NoticeKind,
    instance_id: int | None = None, detail: str = "",
) -> None:  # fmt: skip
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


# What a line of notices says, as plain text: the screen, the mail and the webhook say the same.


_DECISIONS = {
    "discard": unsaid("“{key}” was discarded, as you proposed"),
    "keep": unsaid("“{key}” was kept and returned to you"),
    "relabel": unsaid("Your label for “{key}” was adopted"),
}


def sentence(group: NoticeGroup) -> str:
    """The line without the project, which stands beside it: one text by its key, several by their number."""
    return _SENTENCES[group.kind](group)


def _returned(group: NoticeGroup) -> str:
    if group.detail == "discarded":
        many = several("{n} text was discarded after review", "{n} texts were discarded after review", group.n)
        return _("“{key}” was discarded after review", key=group.key) if group.key else many
    if group.key:
        return _("“{key}” was returned to you", key=group.key)
    return several("{n} text was returned to you", "{n} texts were returned to you", group.n)


def _version_returned(group: NoticeGroup) -> str:
    return several(
        "{n} of your perturbed versions was returned", "{n} of your perturbed versions were returned", group.n
    )


def _answer(group: NoticeGroup) -> str:
    if group.key:
        return _("You have a reply about “{key}”", key=group.key)
    return several("You have a reply", "You have {n} replies", group.n)


def _question(group: NoticeGroup) -> str:
    if group.key:
        return _("You have a question about “{key}”", key=group.key)
    return several("You have {n} question", "You have {n} questions", group.n)


def _decision(group: NoticeGroup) -> str:
    if group.key and group.detail in _DECISIONS:
        return _(_DECISIONS[group.detail], key=group.key)
    return several("{n} of your proposals was decided", "{n} of your proposals were decided", group.n)


def _stuck(_group: NoticeGroup) -> str:
    return _("Rounds are stuck: too few people to score")


def _role(group: NoticeGroup) -> str:
    return _("You're now {role}", role=role_name(cast("Role", group.detail)))


_SENTENCES: Mapping[NoticeKind, Callable[[NoticeGroup], str]] = {
    "returned": _returned,
    "version returned": _version_returned,
    "answer": _answer,
    "question": _question,
    "decision": _decision,
    "stuck": _stuck,
    "role": _role,
}
