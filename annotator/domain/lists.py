"""Saved lists: instances of a project that somebody put together, under a name and with a note."""

from dataclasses import dataclass

MOST_LISTED = 10_000  # instances on one list
MOST_LISTS = 500  # lists of one project
LONGEST_NAME = 100
LONGEST_NOTE = 2_000


@dataclass(frozen=True, slots=True)
class SavedList:
    """A saved list without its instances.

    user_id: whose it is; None where nobody with an account made it (the local operator, an import)
    n:       how many instances are on it
    """

    id: int
    project_id: int
    name: str
    note: str
    made_by: str
    user_id: int | None
    created_at: str
    changed_at: str
    n: int
