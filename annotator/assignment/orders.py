"""The project's order (every instance has a position in the queue), samples and splits: drawn from a seed, the same anywhere."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from random import Random
from typing import TypeVar

from annotator.domain.project.queue_orders import Order
from annotator.errors import InvalidValue


def queue_position(order: Order, seed: int, ordinal: int, key: str, split: str) -> int:
    """Where an instance stands in the queue; smaller comes first.

    sequential: the order of import. random: a number drawn from (seed, split, key), so that it does not depend on when
    or in which portions the instances came, and can be drawn again.

    Range: 0 to 2**63 - 1
    """
    if order == "sequential":
        return ordinal
    digest = blake2b(f"{seed}\0{split}\0{key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def queue_positions(
    order: Order, seed: int, names: Iterable[tuple[int, str, str]], first: Sequence[int] = ()
) -> dict[int, int]:
    """The position of each instance by its number; those of `first`, in their order, stand below 0 and so before all others.

    What is imported later gets a position of `order`, from 0 on, and so comes after them.

    names: (number, key, split) in the order of import

    >>> queue_positions("sequential", 0, [(7, "a", ""), (8, "b", ""), (9, "c", "")], first=[9, 7])
    {7: -1, 8: 2, 9: -2}
    """
    rank_by_id: Mapping[int, int] = {instance_id: rank for rank, instance_id in enumerate(first)}
    return {
        instance_id: rank_by_id[instance_id] - len(first)
        if instance_id in rank_by_id
        else queue_position(order, seed, ordinal, key, split)
        for ordinal, (instance_id, key, split) in enumerate(names, start=1)
    }


# Drawing a sample: which ones are in it follows from their names and a seed alone, on any machine.


T = TypeVar("T")


def drawn(candidates: Iterable[T], n: int, seed: int, name: Callable[[T], str]) -> list[T]:
    """A sample of n, or all where there are fewer, in the order in which they were given.

    A larger sample of the same seed holds the smaller one, so that a sample can be made larger.

    >>> drawn(["a", "b", "c", "d"], 2, 0, str), drawn(["a", "b", "c", "d"], 3, 0, str), drawn(["a"], 5, 0, str)
    (['a', 'd'], ['a', 'b', 'd'], ['a'])
    """
    numbered = list(enumerate(candidates))
    numbered.sort(key=lambda pair: _place(seed, name(pair[1])))
    return [candidate for _, candidate in sorted(numbered[:n], key=lambda pair: pair[0])]


def _place(seed: int, name: str) -> bytes:
    return blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest()


# Splitting a data set by document: instances that share a text stay together.


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
