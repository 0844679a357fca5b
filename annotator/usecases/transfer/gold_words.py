"""Which of several annotations of a text the gold is made from, in words."""

from annotator.domain.gold import Accepted
from annotator.domain.numbers import counted
from annotator.domain.projects import GoldPolicy

_HOW: dict[GoldPolicy, str] = {
    "chosen": "of several annotations of a text the lead's choice counts, else the first accepted one with its gold result",
    "all": "the distinct sets of those annotators of a text who gave its gold result",
    "majority": "the tokens that more than half of those annotators of a text marked who gave its gold result",
    "union": "the tokens that any of those annotators of a text marked who gave its gold result",
}


def annotators_words(accepted: Accepted) -> str:
    """How many people annotated a text, where several did.

    >>> annotators_words(Accepted(960, 160, 160, 6)), annotators_words(Accepted(5, 3, 2, 2))
    ('The texts come with 6 annotators each.', 'The texts come with up to 2 annotators each.')
    """
    is_even = accepted.n_annotations == accepted.n_instances * accepted.most
    return f"The texts come with {'' if is_even else 'up to '}{accepted.most} annotators each."


def gold_words(policy: GoldPolicy, accepted: Accepted) -> str:
    """What the gold of a project is made from, with counts."""
    n = accepted.n_annotations
    counts = (
        f"{accepted.n_instances:,} of {counted(n, 'accepted annotation counts', 'accepted annotations count')}"
        if policy == "chosen"
        else f"there are {counted(n, 'accepted annotation')} of {counted(accepted.n_instances, 'text')}, of any result"
    )
    return f"Gold policy “{policy}”: {_HOW[policy]}; {counts}.{_other_words(policy, accepted.n_other)}"


def _other_words(policy: GoldPolicy, n_other: int) -> str:
    if not n_other:
        return ""
    unless = f", unless the lead chose {'it' if n_other == 1 else 'one of them'}" if policy == "chosen" else ""
    return (
        f" {counted(n_other, 'annotation gives', 'annotations give')} another result than the gold one: what is marked "
        f"there is no part of the gold{unless}."
    )
