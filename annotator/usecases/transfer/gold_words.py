"""Which of several annotations of a text the gold is made from, in words."""

from annotator.domain.instances import POLICY_WORDS, Accepted
from annotator.domain.numbers import counted
from annotator.domain.projects import GoldPolicy
from annotator.language import _, several, together


def annotators_words(accepted: Accepted) -> str:
    """How many people annotated a text, where several did.

    >>> annotators_words(Accepted(960, 160, 160, 6)), annotators_words(Accepted(5, 3, 2, 2))
    ('The texts come with 6 annotators each.', 'The texts come with up to 2 annotators each.')
    """
    if accepted.n_annotations == accepted.n_instances * accepted.most:
        return _("The texts come with {n} annotators each.", n=accepted.most)
    return _("The texts come with up to {n} annotators each.", n=accepted.most)


def gold_words(policy: GoldPolicy, accepted: Accepted) -> str:
    """What the gold of a project is made from, with counts."""
    words = _(
        "Gold policy “{policy}”: {how}; {counts}.",
        policy=policy,
        how=_(POLICY_WORDS[policy]),
        counts=_chosen_words(accepted) if policy == "chosen" else _all_words(accepted),
    )
    others = [_other_words(policy, accepted.n_other)] if accepted.n_other else []
    return together(words, *others, *([tied_words(accepted.n_tied)] if accepted.n_tied else []))


def tied_words(n: int) -> str:
    """That texts have no gold, since several results were given as often."""
    return several(
        "{n} text has no gold, since several results were given as often. Choose its gold under Instances.",
        "{n} texts have no gold, since several results were given as often. Choose their gold under Instances.",
        n,
    )


def _other_words(policy: GoldPolicy, n_other: int) -> str:
    if policy == "chosen":
        return several(
            "{n} annotation gives another result than the gold one: what is marked there is no part of the gold, unless the lead "
            "chose it.",
            "{n} annotations give another result than the gold one: what is marked there is no part of the gold, unless the lead "
            "chose one of them.",
            n_other,
        )
    return several(
        "{n} annotation gives another result than the gold one: what is marked there is no part of the gold.",
        "{n} annotations give another result than the gold one: what is marked there is no part of the gold.",
        n_other,
    )


def _chosen_words(accepted: Accepted) -> str:
    return several(
        "{chosen} of {n} accepted annotation counts",
        "{chosen} of {n} accepted annotations count",
        accepted.n_annotations,
        chosen=f"{accepted.n_instances:,}",
    )


def _all_words(accepted: Accepted) -> str:
    texts = counted(accepted.n_instances, "text")
    return several(
        "there are {n} accepted annotation of {texts}, of any result",
        "there are {n} accepted annotations of {texts}, of any result",
        accepted.n_annotations,
        texts=texts,
    )
