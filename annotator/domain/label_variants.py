"""Labels that differ only in case, in blanks or in full and half width: probably one label, if somebody says so."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotator.language import _, listed

_UNSEEN = "\u200b\ufeff\u2060"  # characters without width, which no blank is


@dataclass(frozen=True, slots=True)
class Variants:
    """Labels that are written alike but for case, blanks and width; name: what all of them would be called."""

    name: str
    others: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """The name and the others."""
        return (self.name, *self.others)


def trimmed(label: str) -> str:
    r"""A label without blanks at its ends.

    >>> trimmed(" positive\u3000"), trimmed("\ufeffno sentiment ")
    ('positive', 'no sentiment')
    """
    return label.strip().strip(_UNSEEN).strip()


def variants_of(counts: Mapping[str, int], labels: Iterable[str] = ()) -> list[Variants]:
    """The groups of labels of a file that are probably one. counts: how often each stands there; labels: the project's.

    The name is the project's label, where there is one; else the most frequent one, of several the first.

    >>> variants_of({"POSITIVE": 1, "positive": 3, "negative": 2, "Ｐositive": 1})
    [Variants(name='positive', others=('POSITIVE', 'Ｐositive'))]
    >>> variants_of({"Positive": 9, "bad": 1}, ["positive", "negative"])
    [Variants(name='positive', others=('Positive',))]
    """
    ours: dict[str, list[str]] = {}
    for label in labels:
        ours.setdefault(_key(label), []).append(label)
    theirs: dict[str, list[str]] = {}
    for label in counts:
        theirs.setdefault(_key(label), []).append(label)
    groups = []
    for key, of_file in theirs.items():
        known = ours.get(key, [])
        if len(known) > 1:
            continue  # the project tells them apart
        name = known[0] if known else max(of_file, key=lambda label: counts[label])
        others = tuple(label for label in of_file if label != name)
        groups += [Variants(name, others)] if others else []
    return groups


def variant_among(label: str, labels: Iterable[str]) -> str | None:
    """The project's label that a label is written like, if it is one alone.

    >>> variant_among("POSITIVE", ["positive", "negative"]), variant_among("odd", ["positive"])
    ('positive', None)
    """
    known = [name for name in labels if _key(name) == _key(label)]
    return known[0] if len(known) == 1 else None


def variant_words(groups: Iterable[Variants], counts: Mapping[str, int]) -> str:
    """The groups in a sentence with what can be done."""
    groups = list(groups)
    named = [listed([f"“{label}” ({counts.get(label, 0):,})" for label in group.all], "and") for group in groups]
    return _(
        "These labels differ only in case, blanks or width: {labels}. Merge them into {names} (--merge-labels), if they are one.",
        labels="; ".join(named),
        names=listed([f"“{group.name}”" for group in groups], "and"),
    )


def _key(label: str) -> str:
    """What a label is compared by."""
    return "".join(unicodedata.normalize("NFKC", trimmed(label)).casefold().split())
