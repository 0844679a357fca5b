"""What is said beside a ranking of texts that it cannot rank, or ranks by less than it has of the others."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from annotator.assignment.ranks import Flags, Floats
from annotator.language import several


@dataclass(frozen=True, slots=True, eq=False)
class Remark:
    """Something to be said of some texts, with how many of those that wait it is said of.

    Shapes: is_meant bool[n_texts]
    """

    is_meant: Flags
    say: Callable[[int], str]

    def sentence(self, is_free: Flags) -> str:
        """With the number of texts that wait; "" where there is none."""
        n = int((self.is_meant & is_free).sum())
        return self.say(n) if n else ""


def say_no_probability(n: int) -> str:
    return several(
        "{n} waiting text has no probability: it keeps its position behind the others.",
        "{n} waiting texts have no probability: they keep their position behind the others.",
        n,
    )


def say_own_answer(n: int) -> str:
    return several(
        "{n} waiting text has no label: the probability of the model’s own answer counts.",
        "{n} waiting texts have no label: the probability of the model’s own answer counts.",
        n,
    )


def say_fewer_than_two(n: int) -> str:
    return several(
        "{n} waiting text has fewer than two answers: it keeps its position behind the others.",
        "{n} waiting texts have fewer than two answers: they keep their position behind the others.",
        n,
    )


def say_no_label(n: int) -> str:
    return several(
        "{n} waiting text has no label: it keeps its position behind the others.",
        "{n} waiting texts have no label: they keep their position behind the others.",
        n,
    )


def say_no_answer(n: int) -> str:
    return several(
        "{n} waiting text has no answer: it keeps its position behind the others.",
        "{n} waiting texts have no answer: they keep their position behind the others.",
        n,
    )


def say_same_label(n: int) -> str:
    return several(
        "{n} waiting text has the label that was answered: it comes behind.",
        "{n} waiting texts have the label that was answered: they come behind.",
        n,
    )


def say_no_gold(n: int) -> str:
    return several(
        "{n} waiting text has no gold to hold it against: it keeps its position behind the others.",
        "{n} waiting texts have no gold to hold them against: they keep their position behind the others.",
        n,
    )


def say_something_found(n: int) -> str:
    return several(
        "{n} waiting text is one in which something was found: it comes behind.",
        "{n} waiting texts are ones in which something was found: they come behind.",
        n,
    )


def said_of_some(values: Floats, *, of_pairs: bool = False) -> Remark:
    """Texts that some of the members say nothing of."""
    n_known, n_members = np.isfinite(values).sum(axis=0), len(values)

    def say(n: int) -> str:
        if of_pairs:
            return several(
                "{n} waiting text has numbers of some of the {n_members} models and seeds alone: the pairs of these count.",
                "{n} waiting texts have numbers of some of the {n_members} models and seeds alone: the pairs of these count.",
                n,
                n_members=n_members,
            )
        return several(
            "{n} waiting text has numbers of some of the {n_members} models and seeds alone: the mean is over these.",
            "{n} waiting texts have numbers of some of the {n_members} models and seeds alone: the mean is over these.",
            n,
            n_members=n_members,
        )

    return Remark((n_known > 0) & (n_known < n_members), say)
