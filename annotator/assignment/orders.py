"""The project's order: every instance gets a position in the queue when it is imported."""

from hashlib import blake2b

from annotator.domain.projects import Order


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
