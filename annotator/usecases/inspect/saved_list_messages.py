"""What the Saliency page is told of saved lists (docs/saliency.md): the field names are those of its messages."""

from dataclasses import dataclass

from msgspec import UNSET, UnsetType

from annotator.domain.measurements import SavedList


@dataclass(frozen=True, slots=True)
class ShownSavedList:
    """A saved list; may_change, holds: only where lists are listed."""

    id: int
    name: str
    note: str
    made_by: str
    created_at: str
    changed_at: str
    n: int
    may_change: bool | UnsetType = UNSET
    holds: bool | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class ShownSavedLists:
    """The lists of a project."""

    lists: tuple[ShownSavedList, ...]


def show_saved_list(saved: SavedList) -> ShownSavedList:
    """A saved list without its instances."""
    return ShownSavedList(
        *(saved.id, saved.name, saved.note, saved.made_by, saved.created_at, saved.changed_at, saved.n)
    )
