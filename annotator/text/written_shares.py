"""How the scores of a written answer lie on everything that its maps were given: text, prompt, special and earlier pieces."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotator.domain.models import Facts, facts_from

Floats = NDArray[np.float64]
PROMPT_SHARE, SPECIAL_SHARE, EARLIER_SHARE = "prompt_share", "special_share", "earlier_share"


@dataclass(frozen=True, slots=True)
class WrittenShares:
    """Of all maps of an answer together, and of each by itself; nothing where all scores are 0."""

    of_answer: Facts
    of_pieces: tuple[Facts, ...]


def written_shares(of_text: Floats, of_others: Mapping[str, Floats]) -> WrittenShares:
    """The sums of |score| as shares of everything: float[n_written] each, of_others by the name of their fact.

    >>> written_shares(np.array([0.75, 0.5]), {EARLIER_SHARE: np.array([0.0, 1.5])})
    WrittenShares(of_answer=(('earlier_share', 0.545455),), of_pieces=((('earlier_share', 0.0),), (('earlier_share', 0.75),)))
    """
    totals = of_text + sum(of_others.values())
    rows = [
        _shares({name: sizes[step] for name, sizes in of_others.items()}, total) for step, total in enumerate(totals)
    ]
    return WrittenShares(_shares({name: sizes.sum() for name, sizes in of_others.items()}, totals.sum()), tuple(rows))


def _shares(sizes: Mapping[str, float], total: float) -> Facts:
    return facts_from({name: float(size / total) for name, size in sizes.items()}) if total else ()
