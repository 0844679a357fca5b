"""Lists of texts on the Saliency page: asked for, their slices, and saved with a note; and saved views of the Metrics page.

Only whoever made a list, or a lead, changes it: others rely on a list that is named in a link or a paper.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from urllib.parse import parse_qs, urlencode

from annotator.domain.measurements import (
    LONGEST_NAME,
    LONGEST_NOTE,
    LONGEST_QUERY,
    MOST_LISTED,
    MOST_LISTS,
    MOST_VIEWS,
    Question,
    SavedList,
    SavedView,
    Slice,
)
from annotator.domain.numbers import counted, natural_order
from annotator.domain.people import User, has_right
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.language import _, listed, several, unknown
from annotator.store import Store
from annotator.store import saved_lists as list_store
from annotator.store import saved_lists as view_store
from annotator.store.events import add_event
from annotator.store.instances import project_of_instance
from annotator.store.measurements import SlicedKind, all_lengths, count_asked, count_kinds, fact_names, group_names
from annotator.store.models import list_runs
from annotator.store.people import roles_of
from annotator.store.projects import get_project_by_id
from annotator.text.characters import normal
from annotator.usecases.access.rights import require, require_of_project
from annotator.usecases.inspect.saliency_messages import ShownSlice, ShownSliceNames, ShownSlices
from annotator.usecases.inspect.scatter import within_brush

# Which texts a question of the Saliency page lists: what its part of a scatter and its models' training come to.


def asked_texts(store: Store, question: Question) -> Question:
    """The same question with the instances that its part of a scatter and its models' training come to."""
    return without_learned(store, within_brush(store, question))


def without_learned(store: Store, question: Question) -> Question:
    """Of what one model won or lost against another not what one of them learned from, as the Metrics page counts it."""
    if question.which not in {"won", "lost"} or question.has_learned:
        return question
    from annotator.scoring.runs import ScoringOptions  # noqa: PLC0415  (NumPy: the server starts without it)
    from annotator.usecases.inspect.training_texts import learned_by_model  # noqa: PLC0415

    run_ids = {question.answers_run_id, question.other_run_id}
    models = {stored.run.model for stored in list_runs(store, question.project_id) if stored.id in run_ids}
    learned = learned_by_model(store, question.project_id, ScoringOptions(split=question.within.split))
    ids = {number for model in models for number in learned.get(model, ())}
    return replace(question, but_for=tuple(sorted(ids)))


def count_left_out(store: Store, question: Question) -> int:
    """How many texts are not listed only because a model learned from them. question: as `asked_texts` answers it."""
    if not question.but_for:
        return 0
    return count_asked(store, replace(question, but_for=())) - count_asked(store, question)


def lists_of_project(store: Store, actor: User, project_id: int) -> list[tuple[SavedList, bool]]:
    """The lists of a project by name, each with whether the person may change it."""
    require(store, actor, project_id, "use models")
    return [
        (saved, may_change(store, actor, saved.project_id, saved.user_id))
        for saved in list_store.lists_of(store, project_id)
    ]


def keys_on_list(store: Store, actor: User, project: Project, name: str) -> list[tuple[str, str]]:
    """Key and split of each instance on the list of a name, in its order; raises NotFound naming the lists there are."""
    require(store, actor, project.id, "use models")
    saved = list_store.find_list(store, project.id, name)
    if saved is None:
        known = listed([f"'{other.name}'" for other in list_store.lists_of(store, project.id)]) or _("none yet")
        raise NotFound(unknown(_("saved list"), name, known))
    return list_store.keys_on_list(store, saved.id)


def lists_with_instance(store: Store, actor: User, project_id: int, instance_id: int) -> set[int]:
    """The numbers of the lists that an instance of the project is on."""
    require(store, actor, project_id, "use models")
    _require_instance(store, project_id, instance_id)
    return list_store.lists_with(store, instance_id)


def require_list(store: Store, project_id: int, list_id: int) -> SavedList:
    """A list of a project; raises NotFound for one of another project too."""
    saved = list_store.get_list(store, list_id)
    require_of_project(saved.project_id, project_id, list_id, _("saved list"))
    return saved


def save_listed(store: Store, actor: User, question: Question, name: str, note: str) -> SavedList:
    """Save what a question lists now, in its order; later changes of numbers or answers do not change the list.

    Raises: InvalidValue when nothing is listed or more than a list holds, and for a name that is taken
    """
    with store.transaction():
        require(store, actor, question.project_id, "use models")
        if question.list_id is not None:
            require_list(store, question.project_id, question.list_id)
        question = asked_texts(store, question)
        _require_fits(count_asked(store, question))
        list_id = _begin(store, actor, question.project_id, name, note)
        n = list_store.fill_list(store, list_id, question)
        saved = list_store.get_list(store, list_id)
        add_event(
            store, actor.name, "save list", "project", question.project_id, project_id=question.project_id,
            list=saved.name, note=saved.note, instances=n,
        )  # fmt: skip
    return saved


def save_instance(store: Store, actor: User, project_id: int, instance_id: int, name: str, note: str) -> SavedList:
    """Save a list with one instance on it, to which others can be added."""
    with store.transaction():
        require(store, actor, project_id, "use models")
        _require_instance(store, project_id, instance_id)
        list_id = _begin(store, actor, project_id, name, note)
        list_store.put_on_list(store, list_id, instance_id)
        saved = list_store.get_list(store, list_id)
        add_event(
            store, actor.name, "save list", "instance", instance_id, project_id=project_id,
            list=saved.name, note=saved.note, instances=1,
        )  # fmt: skip
    return saved


def put_on_list(store: Store, actor: User, list_id: int, instance_id: int) -> SavedList:
    """Put an instance at the end of a list; one that is there already stays where it is."""
    with store.transaction():
        saved = _changeable(store, actor, list_id)
        _require_instance(store, saved.project_id, instance_id)
        if saved.n >= MOST_LISTED:
            raise InvalidValue(
                _("'{name}' is full ({n} texts). Save another list.", name=saved.name, n=f"{MOST_LISTED:,}")
            )
        if list_store.put_on_list(store, list_id, instance_id):
            _note_member(store, actor, saved, "put on list", instance_id)
        return list_store.get_list(store, list_id)


def take_off_list(store: Store, actor: User, list_id: int, instance_id: int) -> SavedList:
    """Take an instance off a list."""
    with store.transaction():
        saved = _changeable(store, actor, list_id)
        if list_store.take_off_list(store, list_id, instance_id):
            _note_member(store, actor, saved, "take off list", instance_id)
        return list_store.get_list(store, list_id)


def change_list(store: Store, actor: User, list_id: int, name: str, note: str) -> SavedList:
    """Give a list another name or note."""
    with store.transaction():
        saved = _changeable(store, actor, list_id)
        name, note = _checked(store, saved.project_id, name, note, list_id)
        if (name, note) != (saved.name, saved.note):
            list_store.change_list(store, list_id, name, note)
            add_event(
                store, actor.name, "change list", "project", saved.project_id, project_id=saved.project_id,
                list=name, note=note, before={"list": saved.name, "note": saved.note},
            )  # fmt: skip
        return list_store.get_list(store, list_id)


def delete_list(store: Store, actor: User, list_id: int) -> SavedList:
    """Delete a list; the instances on it stay. Answers the list as it was."""
    with store.transaction():
        saved = _changeable(store, actor, list_id)
        list_store.delete_list(store, list_id)
        add_event(
            store, actor.name, "delete list", "project", saved.project_id, project_id=saved.project_id,
            list=saved.name, note=saved.note, instances=saved.n,
        )  # fmt: skip
    return saved


def _begin(store: Store, actor: User, project_id: int, name: str, note: str) -> int:
    name, note = _checked(store, project_id, name, note, None)
    if list_store.count_lists(store, project_id) >= MOST_LISTS:
        raise InvalidValue(_("The maximum is {n}. Delete one first.", n=MOST_LISTS))
    return list_store.add_list(store, project_id, name, note, actor)


def _note_member(store: Store, actor: User, saved: SavedList, action: str, instance_id: int) -> None:
    list_store.touch_list(store, saved.id)
    add_event(store, actor.name, action, "instance", instance_id, project_id=saved.project_id, list=saved.name)


def _changeable(store: Store, actor: User, list_id: int) -> SavedList:
    saved = list_store.get_list(store, list_id)
    require_may_change(store, actor, saved)
    return saved


def require_may_change(store: Store, actor: User, saved: SavedList | SavedView) -> None:
    """Raise NotAllowed for who is neither the maker of a list or a view nor a lead."""
    require(store, actor, saved.project_id, "use models")
    if not may_change(store, actor, saved.project_id, saved.user_id):
        raise NotAllowed(
            _("Only {maker} or a lead can change '{name}'. Save your own.", name=saved.name, maker=saved.made_by)
        )


def may_change(store: Store, actor: User, project_id: int, maker_id: int | None) -> bool:
    """Whether somebody may change what a person saved for everybody in a project: that person and its leads."""
    is_maker = actor.id is not None and actor.id == maker_id
    return is_maker or has_right(actor, roles_of(store, actor, project_id), "manage project")


def _require_instance(store: Store, project_id: int, instance_id: int) -> None:
    require_of_project(project_of_instance(store, instance_id), project_id, instance_id, _("instance"))


def _require_fits(n: int) -> None:
    if n == 0:
        raise InvalidValue(_("No texts are listed. Choose others before saving."))
    if n > MOST_LISTED:
        raise InvalidValue(
            several(
                "{n} text listed; the maximum is {most}. Narrow the list.",
                "{n} texts listed; the maximum is {most}. Narrow the list.",
                n,
                most=f"{MOST_LISTED:,}",
            )
        )


def _checked(store: Store, project_id: int, name: str, note: str, list_id: int | None) -> tuple[str, str]:
    """Name and note as they are stored; list_id: the list that may keep its name."""
    name = checked_name(name, lambda wanted: list_store.find_list(store, project_id, wanted), list_id)
    note = note.encode("utf-8", "replace").decode().strip()
    if len(note) > LONGEST_NOTE or "\x00" in note:
        raise InvalidValue(_("{name} has at most {most} characters.", most=f"{LONGEST_NOTE:,}", name=_("Note")))
    return name, note


def checked_name(name: str, find: Callable[[str], SavedList | SavedView | None], keeps_id: int | None) -> str:
    """The name of a list or view as it is stored; find: what has a name; keeps_id: the one that may keep its name."""
    name = normal(name)
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise InvalidValue(_("Names are one line of 1–{n} visible characters.", n=LONGEST_NAME))
    taken = find(name)
    if taken is not None and taken.id != keeps_id:
        raise InvalidValue(
            _("'{name}' exists (made by {maker}). Choose another name.", name=taken.name, maker=taken.made_by)
        )
    return name


# What the texts that are listed on the Saliency page can be sliced by: label, split, length, metadata, groups of annotators.


MOST_VALUES = 50
_QUARTERS = 4
_WAYS = ("label", "split", "length", "fact", "group")


def show_slice_names(store: Store, actor: User, project_id: int) -> ShownSliceNames:
    """What the metadata of a project's instances, and of their annotators, can be sliced by."""
    require(store, actor, project_id, "use models")
    with store.snapshot():
        return ShownSliceNames(tuple(fact_names(store, project_id)), tuple(group_names(store, project_id)))


def show_slices(store: Store, actor: User, question: Question, fact: str, group: str) -> ShownSlices:
    """The slices of what a question lists; of metadata and groups the values of one name each, "" for none.

    Each count is of the question with every other slice that it asks for: what choosing this one instead would list.
    """
    require(store, actor, question.project_id, "use models")
    if question.list_id is not None:
        require_list(store, question.project_id, question.list_id)
    with store.snapshot():
        project = get_project_by_id(store, question.project_id)
        kinds = count_kinds(store, asked_texts(store, question), fact, group)
        lengths = quarters(all_lengths(store, project.id))
    counts = _counted(kinds, question.within)
    facts, groups = _by_count(counts["fact"]), _by_count(counts["group"])
    return ShownSlices(
        labels=_shown(_by_count(counts["label"])) if project.task.result_kind == "label" else (),
        splits=_shown(_by_count(counts["split"])),
        lengths=_of_lengths(lengths, counts["length"]),
        facts=_shown(facts),
        groups=_shown(groups),
        left_out=max(0, len(facts) - MOST_VALUES) + max(0, len(groups) - MOST_VALUES),
    )


def _counted(kinds: Mapping[SlicedKind, int], within: Slice) -> dict[str, Counter[str | None]]:
    """How many instances have each value, among those that are in every other slice that is asked for."""
    counts: dict[str, Counter[str | None]] = {way: Counter() for way in _WAYS}
    members_of = lru_cache(maxsize=None)(json.loads)
    for kind, n in kinds.items():
        members = members_of(kind.members) if kind.members else []
        outside = _outside(kind, members, within)
        if len(outside) > 1:
            continue
        values: dict[str, Sequence[str | None]] = {
            "label": [kind.label],
            "split": [kind.split],
            "length": [str(kind.length)],
            "fact": [] if kind.fact is None else [kind.fact],
            "group": members,
        }
        for way in outside or _WAYS:
            for value in values[way]:
                counts[way][value] += n
    return counts


def _outside(kind: SlicedKind, members: Sequence[str], within: Slice) -> list[str]:
    """Of which slices that are asked for instances of a kind are not."""
    is_labelled_so = kind.label is None if within.is_unlabelled else within.label in {None, kind.label}
    is_in = {
        "label": is_labelled_so,
        "split": within.split in {None, kind.split},
        "length": within.length is None or within.length[0] <= kind.length <= within.length[1],
        "fact": within.fact is None or within.fact[1] == kind.fact,
        "group": within.group is None or within.group[1] in members,
    }
    return [way for way in _WAYS if not is_in[way]]


def _by_count(counts: Counter[str | None]) -> list[tuple[str | None, int]]:
    """The values, the most frequent first; of those that are as frequent, in the order in which one looks for names."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], natural_order(pair[0] or "")))


def _shown(counts: Sequence[tuple[str | None, int]]) -> tuple[ShownSlice, ...]:
    return tuple(ShownSlice(*pair) for pair in counts[:MOST_VALUES])


def _of_lengths(ranges: Sequence[tuple[int, int]], counts: Counter[str | None]) -> tuple[ShownSlice, ...]:
    by_length = {int(length): n for length, n in counts.items() if length is not None}
    return tuple(
        ShownSlice(f"{first}-{last}", sum(n for length, n in by_length.items() if first <= length <= last))
        for first, last in ranges
    )


def quarters(lengths: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of length that hold about a quarter each; fewer where many have one length. lengths: (length, how many), rising.

    >>> quarters([(1, 2), (2, 2), (3, 2), (9, 2)]), quarters([(5, 10)])
    ([(1, 1), (2, 2), (3, 3), (9, 9)], [(5, 5)])
    """
    total, passed = sum(n for _, n in lengths), 0
    ranges: list[tuple[int, int]] = []
    first: int | None = None
    for length, n in lengths:
        first = length if first is None else first
        passed += n
        if passed * _QUARTERS >= total * (len(ranges) + 1):
            ranges.append((first, length))
            first = None
    return ranges


# Saved views of the Metrics page: what is chosen there, under a name, for everybody who may use models in the project.


Params = Mapping[str, tuple[str, ...]]


def views_of_project(store: Store, actor: User, project: Project) -> list[tuple[SavedView, bool]]:
    """The views of a project by name, each with whether the person may change it."""
    require(store, actor, project.id, "use models")
    return [
        (view, may_change(store, actor, view.project_id, view.user_id))
        for view in view_store.views_of(store, project.id)
    ]


def view_of_project(store: Store, actor: User, project: Project, view_id: int) -> SavedView:
    """A view of a project; raises NotFound for one of another project too."""
    require(store, actor, project.id, "use models")
    view = view_store.get_view(store, view_id)
    require_of_project(view.project_id, project.id, view_id, _("view"))
    return view


def params_of(view: SavedView) -> Params:
    """What a view asks for, as an address names it."""
    return {name: tuple(texts) for name, texts in parse_qs(view.query, keep_blank_values=True).items()}


def save_view(store: Store, actor: User, project: Project, name: str, params: Mapping[str, Sequence[str]]) -> SavedView:
    """Keep what is chosen under a name.

    Raises: InvalidValue for a name that is taken, and when the project has as many views as it may have
    """
    query = urlencode(params, doseq=True, errors="replace")
    with store.transaction():
        require(store, actor, project.id, "use models")
        name = _checked_view_name(store, project.id, name, None)
        if len(query) > LONGEST_QUERY:
            raise InvalidValue(
                _(
                    "The selection takes {characters} of {most}. Choose fewer columns or rows.",
                    characters=counted(len(query), "character"),
                    most=f"{LONGEST_QUERY:,}",
                )
            )
        if view_store.count_views(store, project.id) >= MOST_VIEWS:
            raise InvalidValue(_("The maximum is {n}. Delete one first.", n=MOST_VIEWS))
        view_id = view_store.add_view(store, project.id, name, query, actor)
        add_event(store, actor.name, "save view", "project", project.id, project_id=project.id, view=name)
        return view_store.get_view(store, view_id)


def rename_view(store: Store, actor: User, view_id: int, name: str) -> SavedView:
    """Give a view another name."""
    with store.transaction():
        view = _changeable_view(store, actor, view_id)
        name = _checked_view_name(store, view.project_id, name, view_id)
        if name != view.name:
            view_store.rename_view(store, view_id, name)
            add_event(
                store, actor.name, "rename view", "project", view.project_id, project_id=view.project_id,
                view=name, before={"view": view.name},
            )  # fmt: skip
        return view_store.get_view(store, view_id)


def delete_view(store: Store, actor: User, view_id: int) -> SavedView:
    """Delete a view. Answers it as it was."""
    with store.transaction():
        view = _changeable_view(store, actor, view_id)
        view_store.delete_view(store, view_id)
        add_event(
            store, actor.name, "delete view", "project", view.project_id, project_id=view.project_id, view=view.name
        )  # fmt: skip
    return view


def _changeable_view(store: Store, actor: User, view_id: int) -> SavedView:
    view = view_store.get_view(store, view_id)
    require_may_change(store, actor, view)
    return view


def _checked_view_name(store: Store, project_id: int, name: str, view_id: int | None) -> str:
    return checked_name(name, lambda wanted: view_store.find_view(store, project_id, wanted), view_id)
