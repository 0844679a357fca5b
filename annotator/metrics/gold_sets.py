"""The gold sets of a batch of instances: rows of rows, which every metric against several sets takes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from annotator.errors import InvalidValue
from annotator.metrics.ragged import Flags, Integers, Ragged, T


@dataclass(frozen=True, eq=False)
class GoldSets:
    """Several sets of token indices for each instance, in their order. A file's set may be empty; one of a project never is.

    Shapes: tokens has one row a set; instance i has the sets offsets[i] to offsets[i + 1] (exclusive)
    Raises: InvalidValue for borders that do not fit
    """

    tokens: Ragged[np.int64]
    offsets: Integers

    @staticmethod
    def of(instances: Iterable[Sequence[Sequence[int]]]) -> "GoldSets":
        """Sets from lists of token indices.

        >>> GoldSets.of([[[0, 1], [4]], []]).offsets.tolist()
        [0, 2, 2]
        """
        listed = [list(sets) for sets in instances]
        n_sets = np.array([0, *(len(sets) for sets in listed)], dtype=np.int64)
        return GoldSets(Ragged.of((tokens for sets in listed for tokens in sets), np.int64), np.cumsum(n_sets))

    def __post_init__(self) -> None:
        self.per_set(self.tokens.lengths)  # of borders that do not fit no rows can be made

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def numbers(self) -> Ragged[np.int64]:
        """The numbers of the sets (rows of tokens), a row an instance."""
        return self.per_set(np.arange(len(self.tokens), dtype=np.int64))

    @property
    def n_sets(self) -> Integers:
        """int[n_instances]: how many sets each instance has."""
        return self.numbers.lengths

    @property
    def instances(self) -> Integers:
        """int[n_all_sets]: the instance of each set."""
        return self.numbers.rows_of_values

    @cached_property
    def has_token(self) -> Flags:
        """bool[n_instances]: whether any set of the instance holds a token."""
        return self.per_set(self.tokens.lengths).sums() > 0

    def per_set(self, values: npt.NDArray[T]) -> Ragged[T]:
        """Values of all sets, a row an instance."""
        return Ragged(values, self.offsets)

    def take(self, instances: Integers) -> "GoldSets":
        """The sets of some instances, in the order asked."""
        sets = self.numbers.take(instances)
        return GoldSets(self.tokens.take(sets.values), sets.offsets)

    def union(self) -> Ragged[np.int64]:
        """The sets put together, a row an instance; a token that is in several sets stands several times."""
        return Ragged(self.tokens.values, self.tokens.offsets[self.offsets])

    def check_filled(self) -> None:
        """Raises InvalidValue, naming the first instance, unless every set has a token."""
        if not self.tokens.is_filled.all():
            empty = int(np.flatnonzero(~self.tokens.is_filled)[0])
            raise InvalidValue(f"A gold set of instance {self.instances[empty]} (from 0) has no token.")
