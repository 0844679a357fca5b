"""A person's own notices: read on the start page, counted in the sidebar."""

from annotator.domain.people import NoticeGroup, User
from annotator.store import Store
from annotator.store.notices import inbox as inbox_store

PAGE_SIZE = 20
KEPT_DAYS = 90
MOST_COUNTED = 1_000


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
    """How many notices somebody has not read, counted up to a thousand: it is asked for with every page."""
    return 0 if user.id is None else inbox_store.count_unread(store, user, at_most=MOST_COUNTED)


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
