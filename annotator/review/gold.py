"""Gold: the rationale sets that count for an instance under the project's gold policy (design, section 5)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from annotator.domain.instances import Annotation, GoldChoice, GoldInstance, Instance, SetOrigin, majority_label
from annotator.domain.projects import GoldPolicy
from annotator.domain.texts import RationaleSet, union_of_tokens

_SetsWithOrigins = list[tuple[RationaleSet, tuple[SetOrigin, ...]]]


def gold_of(
    instance: Instance, annotations: Sequence[Annotation], policy: GoldPolicy, chosen: Annotation | None = None
) -> GoldInstance | None:
    """The gold of an instance, each set with where it came from; None while no annotation counts.

    chosen:   the sets of the lead's choice, else of the first annotation that counts, spans as they are
    all:      the distinct sets (by tokens) of all that count, in order
    majority: one set of the tokens that more than half of those who count marked
    union:    one set of the tokens that anyone who counts marked
    An annotation counts when it carries the gold result (the instance's own, else the most frequent one; where several are as
    frequent there is none until the lead chooses). The lead's choice
    brings its own result with it; the other policies do not look at it.
    """
    result = gold_result(instance, annotations)
    if policy == "chosen" and chosen is not None:
        return _gold(instance, result if chosen.result is None else chosen.result, _each_set(chosen))
    counting = that_count(instance, annotations)
    return _gold(instance, result, _sets_under(policy, counting)) if counting else None


def gold_with_choice(
    instance: Instance, counting: Sequence[Annotation], policy: GoldPolicy, annotated: Sequence[Annotation],
    choice: GoldChoice | None,
) -> GoldInstance | None:  # fmt: skip
    """The same with the lead's choice among all annotations, of which some count.

    A choice that is known to mark all the evidence is the gold under every policy, and the instance is exhaustive then.
    """
    chosen = chosen_among(annotated, choice)
    if chosen is None or choice is None or not choice.is_exhaustive:
        return gold_of(instance, counting, policy, chosen)
    return gold_of(replace(instance, is_exhaustive=True), counting, "chosen", chosen)


def chosen_among(annotations: Sequence[Annotation], choice: GoldChoice | None) -> Annotation | None:
    """The annotation that a choice names, if there is a choice."""
    return next((a for a in annotations if choice is not None and a.id == choice.annotation_id), None)


def that_count(instance: Instance, annotations: Sequence[Annotation]) -> list[Annotation]:
    """The annotations that carry the gold result, or none at all; where there is none, whose result is undecided, those alone."""
    result = gold_result(instance, annotations)
    return [a for a in annotations if a.result == result or a.result is None]


def _gold(instance: Instance, result: str | None, sets: _SetsWithOrigins) -> GoldInstance:
    return GoldInstance(instance, tuple(s for s, _ in sets), result, tuple(origins for _, origins in sets))


def _sets_under(policy: GoldPolicy, counting: Sequence[Annotation]) -> _SetsWithOrigins:
    match policy:
        case "chosen":
            return _each_set(counting[0])
        case "all":
            return _distinct([pair for annotation in counting for pair in _each_set(annotation)])
        case "majority":
            return _as_one_set(_majority_tokens(counting), counting)
        case "union":
            return _as_one_set(union_of_tokens([s for a in counting for s in a.sets]), counting)


def _each_set(annotation: Annotation) -> _SetsWithOrigins:
    return [(s, (_origin(annotation, position),)) for position, s in enumerate(annotation.sets)]


def _origin(annotation: Annotation, position: int | None) -> SetOrigin:
    return SetOrigin(annotation.id, annotation.annotator, annotation.round_number, position)


def gold_result(instance: Instance, annotations: Sequence[Annotation]) -> str | None:
    """The instance's own result, else what most annotations say; None where several are said as often."""
    if instance.result is not None:
        return instance.result
    return majority_label(Counter(a.result for a in annotations if a.result is not None))


def is_tied(instance: Instance, annotations: Sequence[Annotation]) -> bool:
    """Whether the annotations of an instance without a result of its own say several as often."""
    return gold_result(instance, annotations) is None and any(a.result is not None for a in annotations)


def _distinct(sets: _SetsWithOrigins) -> _SetsWithOrigins:
    """Sets with the same tokens count once; the first one's spans stay, and all are named as its origin."""
    first_of_each: dict[tuple[int, ...], tuple[RationaleSet, tuple[SetOrigin, ...]]] = {}
    for rationale_set, origins in sets:
        tokens = rationale_set.token_indices
        first, before = first_of_each.get(tokens, (rationale_set, ()))
        first_of_each[tokens] = (first, before + origins)
    return list(first_of_each.values())


def _majority_tokens(annotations: Sequence[Annotation]) -> frozenset[int]:
    votes = Counter(token for a in annotations for token in union_of_tokens(a.sets))
    return frozenset(token for token, n in votes.items() if 2 * n > len(annotations))


def _as_one_set(tokens: frozenset[int], counting: Sequence[Annotation]) -> _SetsWithOrigins:
    return [(RationaleSet.of_tokens(tokens), tuple(_origin(a, None) for a in counting))] if tokens else []
