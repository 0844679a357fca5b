"""The project's order: every instance gets a position in the queue when it is imported, and another when the lead draws anew."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from annotator.domain.project.queue_orders import Order


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
