"""Gold: the rationale sets that count for an instance under the project's gold policy (design, section 5)."""

from collections import Counter
from collections.abc import Sequence

from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.projects import GoldPolicy
from annotator.domain.rationales import RationaleSet, union_of_tokens


def gold_of(instance: Instance, annotations: Sequence[Annotation], policy: GoldPolicy) -> GoldInstance | None:
    """The gold of an instance, or None while no annotation counts.

    chosen:   the sets of the first annotation that counts, spans as they are
    all:      the distinct sets (by tokens) of all that count, in order
    majority: one set of the tokens that more than half of those who count marked
    union:    one set of the tokens that anyone who counts marked
    An annotation counts when it carries the gold result (the instance's own, else the most frequent one).
    """
    result = gold_result(instance, annotations)
    counting = that_count(instance, annotations)
    return GoldInstance(instance, _sets_under(policy, counting), result) if counting else None


def that_count(instance: Instance, annotations: Sequence[Annotation]) -> list[Annotation]:
    """The annotations that carry the gold result, or none at all."""
    result = gold_result(instance, annotations)
    return [a for a in annotations if a.result == result or a.result is None]


def _sets_under(policy: GoldPolicy, counting: Sequence[Annotation]) -> tuple[RationaleSet, ...]:
    everything = [s for a in counting for s in a.sets]
    match policy:
        case "chosen":
            return counting[0].sets
        case "all":
            return _distinct(everything)
        case "majority":
            return _as_one_set(_majority_tokens(counting))
        case "union":
            return _as_one_set(union_of_tokens(everything))


def gold_result(instance: Instance, annotations: Sequence[Annotation]) -> str | None:
    """The instance's own result, else what most annotations say; a tie goes to the first."""
    if instance.result is not None:
        return instance.result
    counts = Counter(a.result for a in annotations if a.result is not None)
    return counts.most_common(1)[0][0] if counts else None


def _distinct(sets: Sequence[RationaleSet]) -> tuple[RationaleSet, ...]:
    first_of_each: dict[tuple[int, ...], RationaleSet] = {}
    for rationale_set in sets:
        first_of_each.setdefault(rationale_set.token_indices, rationale_set)
    return tuple(first_of_each.values())


def _majority_tokens(annotations: Sequence[Annotation]) -> frozenset[int]:
    votes = Counter(token for a in annotations for token in union_of_tokens(a.sets))
    return frozenset(token for token, n in votes.items() if 2 * n > len(annotations))


def _as_one_set(tokens: frozenset[int]) -> tuple[RationaleSet, ...]:
    return (RationaleSet.of_tokens(tokens),) if tokens else ()
