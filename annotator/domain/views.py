"""Saved views: what somebody chose on the Metrics page, under a name."""

from dataclasses import dataclass

MOST_VIEWS = 200  # of one project
LONGEST_NAME = 100
LONGEST_QUERY = 20_000  # characters


@dataclass(frozen=True, slots=True)
class SavedView:
    """A saved view.

    query:   what is chosen, as the page's address has it (without the project)
    user_id: whose it is; None where nobody with an account made it (the local operator, an import)
    """

    id: int
    project_id: int
    name: str
    query: str
    made_by: str
    user_id: int | None
    created_at: str
    changed_at: str
