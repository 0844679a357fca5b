"""From one round to the next: which sets passed, what a correction may change, what need not be scored again."""

from collections.abc import Sequence

from annotator.domain.instances import Draft
from annotator.domain.reviews import Verdict
from annotator.domain.texts import RationaleSet, set_letter
from annotator.errors import InvalidAnnotation
from annotator.language import _


def passed_sets(verdict: Verdict | None, n_sets: int) -> tuple[int, ...]:
    """The sets about which nothing fell short; none where a lead decided without the gate's arithmetic."""
    return () if verdict is None else tuple(number for number in range(n_sets) if verdict.has_passed(number))


def origins_of(draft: Draft, previous: Sequence[RationaleSet]) -> tuple[int | None, ...]:
    """For each set of a correction, the set of the round before that it was, or None.

    Where the draft does not say it, a set is the one with the same tokens.
    """
    by_tokens = {s.token_indices: number for number, s in reversed(list(enumerate(previous)))}
    stated = (*draft.origins, *[None] * len(draft.sets)) if draft.origins else None
    origins = [
        by_tokens.get(s.token_indices) if stated is None else stated[number] for number, s in enumerate(draft.sets)
    ]
    seen: set[int] = set()
    return tuple(_once(origin, len(previous), seen) for origin in origins)


def _once(origin: int | None, n_previous: int, seen: set[int]) -> int | None:
    """A set has one successor; what points nowhere is a new set."""
    if origin is None or not 0 <= origin < n_previous or origin in seen:
        return None
    seen.add(origin)
    return origin


def carried_sets(draft: Draft, previous: Sequence[RationaleSet], passed: Sequence[int]) -> frozenset[int]:
    """The positions of the sets that carry their scores: passed before, and neither opened again nor changed.

    Raises: InvalidAnnotation when a set that passed was changed or removed without being opened again
    """
    origins = origins_of(draft, previous)
    carried = set()
    for number in passed:
        if number in draft.unlocked:
            continue
        position = origins.index(number) if number in origins else None
        if position is None or draft.sets[position].token_indices != previous[number].token_indices:
            raise InvalidAnnotation(
                _(
                    "Set {letter} of the round before has passed and is locked. Unlock it (u) before you change it, "
                    "or bring it back with undo.",
                    letter=set_letter(number),
                ),
                set_index=position,
            )
        carried.add(position)
    return frozenset(carried)
