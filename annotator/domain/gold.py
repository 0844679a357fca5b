"""The lead's choice of gold, and where each gold set came from."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotator.domain.projects import GoldPolicy
from annotator.language import unsaid

# What each policy makes gold of, in the words of every page, card and sentence that says it.
POLICY_WORDS: dict[GoldPolicy, str] = {
    "chosen": unsaid("the lead's choice, or else the first accepted annotation with the gold result"),
    "all": unsaid("all distinct sets of those who gave the gold result"),
    "majority": unsaid("one set, of the tokens that more than half marked of those who gave the gold result"),
    "union": unsaid("one set, of the tokens that anybody marked who gave the gold result"),
}


@dataclass(frozen=True, slots=True)
class GoldChoice:
    """The annotation that the lead made the gold of an instance.

    is_adjudicated: the lead made this version, or had it made; else it is an annotator's, as it was handed in
    evidence_pass: the second pass, in which all evidence was marked, that it came from; None: the lead's own choice
    """

    instance_id: int
    annotation_id: int
    is_adjudicated: bool
    chosen_by: str
    reason: str
    chosen_at: str
    evidence_pass: str | None = None

    @property
    def is_exhaustive(self) -> bool:
        """Whether it is known to mark all the evidence: it then is the gold whatever the policy."""
        return self.evidence_pass is not None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The accepted annotations of a project, of texts that are not discarded.

    n_several: texts that several people annotated; most: annotations of one text
    n_other: annotations with another result than the text's own, or than most of those of a text that has none
    n_tied: texts without a result of their own whose annotations give several as often, so that they have no gold
    """

    n_annotations: int
    n_instances: int
    n_several: int
    most: int
    n_other: int = 0
    n_tied: int = 0


@dataclass(frozen=True, slots=True)
class SetOrigin:
    """An annotation that a gold set came from; `position` is the set's there, None where all of its sets took part."""

    annotation_id: int
    annotator: str
    round_number: int
    position: int | None


def majority_label(votes: Mapping[str, int]) -> str | None:
    """The label that more annotators gave than any other; None where several have as many, or there is none.

    >>> majority_label({"good": 2, "bad": 1}), majority_label({"good": 1, "bad": 1}), majority_label({})
    ('good', None, None)
    """
    most = max(votes.values(), default=0)
    leading = [label for label, n in votes.items() if n == most]
    return leading[0] if len(leading) == 1 else None
