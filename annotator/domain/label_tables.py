"""What a project calls the labels of a model, and a proposal of that, which a person confirms."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

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
        '“pos” is “Positive”, “neutral” is never an answer'
        """
        return listed([_said(label, name) for label, name in self.names.items()])


def _said(label: str, name: str) -> str:
    if not name:
        return _("“{label}” is never an answer", label=label)
    return _("“{label}” is “{name}”", label=label, name=name)


def not_given_words(labels: Sequence[str]) -> str:
    """What becomes of texts whose gold label a model cannot answer; "" where there is no such label."""
    if not labels:
        return ""
    named = listed([f"“{label}”" for label in labels])
    return _("It cannot answer {labels}: a text with that gold label counts as wrong.", labels=named)


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
