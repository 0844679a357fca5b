"""What the texts that are listed on the Saliency page can be sliced by: label, split, length, metadata, groups of annotators."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from annotator.domain.measurements import Question, Slice
from annotator.domain.numbers import natural_order
from annotator.domain.people import User
from annotator.store import Store
from annotator.store.projects import get_project_by_id
from annotator.store.slice_counts import SlicedKind, all_lengths, count_kinds, fact_names, group_names
from annotator.usecases.access.rights import require
from annotator.usecases.inspect.asked_texts import asked_texts
from annotator.usecases.inspect.saliency_messages import ShownSlice, ShownSliceNames, ShownSlices
from annotator.usecases.inspect.saved_lists import require_list

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
