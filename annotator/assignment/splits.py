"""Splitting a data set by document: instances that share a text stay together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from annotator.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class Splittable:
    """What decides where an instance goes: its own id, its documents, and its original's id if it is a perturbation."""

    id: int
    document_ids: tuple[int, ...]
    parent_id: int | None


def parse_parts(text: str) -> dict[str, Fraction]:
    """Shares by name, exact; raises InvalidValue unless they are positive and sum to one.

    >>> parse_parts("train=.8,val=.1,test=.1")
    {'train': Fraction(4, 5), 'val': Fraction(1, 10), 'test': Fraction(1, 10)}
    """
    parts: dict[str, Fraction] = {}
    for piece in text.split(","):
        name, _, share = piece.partition("=")
        try:
            parts[name.strip()] = Fraction(share.strip())
        except (ValueError, ZeroDivisionError):
            raise InvalidValue(f"'{piece}' is no part; write for example train=.8,val=.1,test=.1") from None
    if any(share <= 0 for share in parts.values()) or sum(parts.values()) != 1 or "" in parts:
        raise InvalidValue(f"The parts in '{text}' must be named, greater than 0 and sum to 1.")
    return parts


def plan_split(instances: Sequence[Splittable], parts: Mapping[str, Fraction], seed: int) -> dict[int, str]:
    """The split of each instance: whole groups of instances that share a document or an original, in a seeded order.

    Each group goes to the part that is furthest below its share, so that the parts' sizes differ from their shares by less
    than the largest group.
    """
    groups = _groups(instances)
    Random(seed).shuffle(groups)  # noqa: S311  (a reproducible order, no secret)
    groups.sort(key=len, reverse=True)
    filled = dict.fromkeys(parts, 0)
    plan: dict[int, str] = {}
    for group in groups:
        name = max(parts, key=lambda part: parts[part] * len(instances) - filled[part])
        filled[name] += len(group)
        plan.update(dict.fromkeys(group, name))
    return plan


def _groups(instances: Sequence[Splittable]) -> list[list[int]]:
    """Instances that are connected by a shared document or by being a perturbation of one another."""
    leader: dict[object, object] = {}

    def find(node: object) -> object:
        leader.setdefault(node, node)
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for instance in instances:
        me = ("instance", instance.id)
        for other in [("document", d) for d in instance.document_ids] + [
            ("instance", p) for p in [instance.parent_id] if p
        ]:
            leader[find(other)] = find(me)
    groups: dict[object, list[int]] = {}
    for instance in instances:
        groups.setdefault(find(("instance", instance.id)), []).append(instance.id)
    return list(groups.values())
