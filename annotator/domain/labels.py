"""Labels: what those of models and files are called in a project, and which differ in writing alone."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import by_key
from annotator.language import _, listed

# Words that data sets have for the same label. They make a proposal and never more.
_MEANINGS = (
    ("positive", "pos"),
    ("negative", "neg"),
    ("neutral", "neu", "nosentiment", "notenoughinfo", "notenoughinformation", "nei"),
    ("entailment", "entails", "entailed", "supports", "supported", "support"),
    ("contradiction", "contradicts", "contradictory", "refutes", "refuted", "refute"),
    ("true", "yes"),
    ("false", "no"),
)
_MEANING_BY_WORD = {word: words[0] for words in _MEANINGS for word in words}


@dataclass(frozen=True, slots=True)
class LabelTable:
    """What a project calls each label of a model. names: "" for a label that is never an answer in the project."""

    names: Mapping[str, str]

    @property
    def dropped(self) -> tuple[str, ...]:
        """The model's labels that are never an answer."""
        return tuple(label for label, name in self.names.items() if not name)

    def is_of(self, labels: Iterable[str]) -> bool:
        """Whether it changes nothing in a project of these labels: each label is called what it is, and none is missing."""
        return all(label == name for label, name in self.names.items()) and not self.not_given(labels)

    def not_given(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Those of the project's labels that the model cannot answer."""
        given = set(self.names.values())
        return tuple(label for label in labels if label not in given)

    def words(self) -> str:
        """The table in a line.

        >>> LabelTable({"pos": "Positive", "neutral": ""}).words()
        '“pos” is “Positive”, “neutral” is never predicted'
        """
        return listed([_said(label, name) for label, name in self.names.items()])


def _said(label: str, name: str) -> str:
    if not name:
        return _("“{label}” is never predicted", label=label)
    return _("“{label}” is “{name}”", label=label, name=name)


def not_given_words(labels: Sequence[str]) -> str:
    """What becomes of texts whose gold label a model cannot answer; "" where there is no such label."""
    if not labels:
        return ""
    named = listed([f"“{label}”" for label in labels])
    return _("It can't predict {labels}; those texts count as wrong.", labels=named)


def proposed_names(labels: Sequence[str], ours: Sequence[str]) -> dict[str, str | None]:
    """For each label of a model the project's that it seems to be.

    Equal names first, then names that differ in case, spaces and punctuation, then common words for the same; never two for one.
    "": no label of the project is left for it; None: some are, but none that it seems to be

    >>> proposed_names(["SUPPORTS", "NOT ENOUGH INFO", "other"], ["entailment", "neutral"])
    {'SUPPORTS': 'entailment', 'NOT ENOUGH INFO': 'neutral', 'other': ''}
    """
    names: dict[str, str] = {}
    for key in (str, _letters, _meaning):
        theirs = _once([label for label in labels if label not in names], key)
        left = _once([name for name in ours if name not in names.values()], key)
        names |= {label: left[of_label] for of_label, label in theirs.items() if of_label in left}
    rest = "" if len(names) == len(set(ours)) else None
    return {label: names.get(label, rest) for label in labels}


def _once(labels: Sequence[str], key: Callable[[str], str]) -> dict[str, str]:
    """The labels by what they are compared by, but for those that are the same by it, or nothing."""
    times = Counter(map(key, labels))
    return {key(label): label for label in labels if key(label) and times[key(label)] == 1}


def _letters(label: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKC", label).casefold() if sign.isalnum())


def _meaning(label: str) -> str:
    return _MEANING_BY_WORD.get(_letters(label), "")


def are_sentiment(labels: Iterable[str]) -> bool:
    """Whether both poles of sentiment are among them."""
    return {"positive", "negative"} <= set(map(_meaning, labels))


# Labels that differ only in case, in blanks or in full and half width: probably one label, if somebody says so.


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
    ours = by_key((_key(label), label) for label in labels)
    theirs = by_key((_key(label), label) for label in counts)
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
        "Labels {labels} differ only in case, spaces or width. To merge them into {names}: --merge-labels.",
        labels="; ".join(named),
        names=listed([f"“{group.name}”" for group in groups], "and"),
    )


def _key(label: str) -> str:
    """What a label is compared by."""
    return "".join(unicodedata.normalize("NFKC", trimmed(label)).casefold().split())
