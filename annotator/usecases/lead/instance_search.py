"""Search a project's instances by words and by what they are like, for those who see everybody's annotations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotator.domain.people import User
from annotator.domain.project.search import NamedAs, Search, SearchedPart
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store.annotate.annotations import annotator_names
from annotator.store.annotate.visibility import named_of_instances
from annotator.store.events import newest_of_actions
from annotator.store.instances import InstanceRow, ids_of_keys, list_instances, split_names
from annotator.store.people import list_members
from annotator.store.project import instance_search as search_store
from annotator.store.projects import instance_counts
from annotator.store.saved_lists import lists_of
from annotator.text.search import Context, context_of
from annotator.usecases.access.rights import require, roles_with
from annotator.usecases.gold import require_split

PAGE_SIZE = 25
_MOST_DAYS = 50


@dataclass(frozen=True, slots=True)
class FoundInstance:
    """An instance that was found: where the words stand in it first, and in which parts; none where nothing was asked for.

    named: the people for whom it is, named_as: whether only these are given it
    """

    row: InstanceRow
    part: SearchedPart | None = None
    context: Context | None = None
    parts: tuple[SearchedPart, ...] = ()
    named_as: NamedAs | None = None
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundPage:
    """One page of what was found, and how many instances there are on all pages."""

    instances: tuple[FoundInstance, ...]
    n: int


@dataclass(frozen=True, slots=True)
class SearchChoices:
    """What a project's instances can be told apart by.

    annotators: people and sources; days: of imports, the newest first; lists: by number; people: whom one can name
    """

    splits: tuple[str, ...]
    annotators: tuple[str, ...]
    days: tuple[str, ...]
    lists: dict[int, str]
    people: tuple[str, ...]


def search_instances(
    store: Store, actor: User, project: Project, search: Search, *, page: int = 1, size: int = PAGE_SIZE
) -> FoundPage:
    """One page of what is found, in the order of import.

    What people wrote about a text is not found by somebody who is at work on it themselves, and what reviewers wrote not by
    somebody who is to score the same.
    Raises: InvalidValue for a split that the project does not have, naming those that there are
    """
    require(store, actor, project.id, "see all annotations")
    _require_split(store, project, search)
    offset = size * (page - 1)
    with store.snapshot():
        if search.asks_by_state_alone:
            counts = instance_counts(store, project.id)
            counts.pop("queued", None)
            n = sum(counts.values()) if search.state is None else counts.get(search.state, 0)
            rows = list_instances(store, project.id, state=search.state, limit=size, offset=offset)
        else:
            rows, n = search_store.find_page(store, project.id, actor.id or 0, search, limit=size, offset=offset)
        numbers = [row.id for row in rows]
        words = (
            search_store.words_found(store, project.id, actor.id or 0, search, numbers) if search.folded_words else []
        )
        named = named_of_instances(store, numbers)
    shown = [_with_context(row, words, search) for row in rows]
    return FoundPage(tuple(replace(hit, named_as=named[hit.row.id][0], named=named[hit.row.id][1])
                           if hit.row.id in named else hit for hit in shown), n)  # fmt: skip


def found_ids(store: Store, actor: User, project: Project, search: Search) -> list[int]:
    """The numbers of all instances that are found, in the order of import."""
    require(store, actor, project.id, "see all annotations")
    _require_split(store, project, search)
    return search_store.find_ids(store, project.id, actor.id or 0, search)


def _require_split(store: Store, project: Project, search: Search) -> None:
    if search.split:  # "" is what is in no split, whether there is any or not
        require_split(store, [project], search.split)


def ids_of_keys_among(store: Store, project: Project, keys: Sequence[str], instance_ids: Sequence[int]) -> list[int]:
    """Those of some instances that have one of these keys, in any split. Raises NotFound for a key that none of them has."""
    by_key = ids_of_keys(store, project.id, list(dict.fromkeys(keys)))
    among = set(instance_ids)
    numbers = {key: [number for _, _, number in by_key.get(key, []) if number in among] for key in keys}
    for key, of_key in numbers.items():
        if not of_key:
            raise NotFound(
                _("No text with ID '{key}' among the matches in '{project}'.", key=key, project=project.name)
            )
    return sorted({number for of_key in numbers.values() for number in of_key})


def search_choices(store: Store, actor: User, project: Project) -> SearchChoices:
    """What there is to choose among."""
    require(store, actor, project.id, "see all annotations")
    days: dict[str, None] = {}
    for event in newest_of_actions(store, project.id, ["import"]):
        days.setdefault(event.at[:10])
        if len(days) == _MOST_DAYS:
            break
    annotating = roles_with("annotate")
    people = {user.name for user, role in list_members(store, project.id) if role in annotating}
    return SearchChoices(
        tuple(sorted(split_names(store, [project.id]))),
        tuple(annotator_names(store, project.id)),
        tuple(days),
        {saved.id: saved.name for saved in lists_of(store, project.id)},
        tuple(sorted(people, key=str.casefold)),
    )


def _with_context(row: InstanceRow, words: Sequence[search_store.PartWords], search: Search) -> FoundInstance:
    of_row = [part_words for part_words in words if part_words.instance_id == row.id]
    parts = tuple(dict.fromkeys(part_words.part for part_words in of_row))
    for part_words in of_row:
        context = context_of(part_words.words, search.folded_words)
        if context is not None:
            return FoundInstance(row, part_words.part, context, parts)
    return FoundInstance(row, parts=parts)
