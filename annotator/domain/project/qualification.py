"""Training and calibration: whether somebody may be given work is shown by what they make of texts with known gold."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from annotator.domain.instances import Draft
from annotator.domain.numbers import require_between
from annotator.domain.people import Right
from annotator.domain.reviews import Scores
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue
from annotator.language import _

Audience = Literal["annotators", "reviewers"]
AUDIENCES: tuple[Audience, ...] = ("annotators", "reviewers")
RIGHT_OF: dict[Audience, Right] = {"annotators": "annotate", "reviewers": "review"}
# What an item is for: training of one of the two, or a blind check among annotators' work.
Purpose = Literal["annotators", "reviewers", "checks"]
PURPOSES: tuple[Purpose, ...] = ("annotators", "reviewers", "checks")
# How the gold sets of a reviewer's item are worsened on purpose; "": not at all.
Spoiling = Literal["", "token too much", "token missing", "set left out"]
SPOILINGS: tuple[Spoiling, ...] = ("", "token too much", "token missing", "set left out")
AttemptState = Literal["open", "passed", "failed", "ended"]
ExerciseState = Literal["open", "answered", "done", "passed over"]
Grant = Literal["another try", "let through"]


@dataclass(frozen=True, slots=True)
class QualificationRules:
    """Of annotators or of reviewers: whether training comes before work, how much of it, and what passes.

    texts:       how many texts a try has
    least_f1:    percent; the mean token F1 of a try, of annotators
    least_labels, least_scores: percent; labels as in the gold, of annotators; scores on the right side of their
                 threshold, of reviewers
    check_every: of so many texts of an annotator one is a blind check; 0: none
    """

    is_on: bool = False
    texts: int = 5
    tries: int = 2
    least_f1: int = 60
    least_labels: int = 80
    least_scores: int = 80
    check_every: int = 0

    def __post_init__(self) -> None:
        for name, lowest, highest in (
            ("texts", 1, 100),
            ("tries", 1, 20),
            ("least_f1", 0, 100),
            ("least_labels", 0, 100),
            ("least_scores", 0, 100),
            ("check_every", 0, 10_000),
        ):
            require_between(name, getattr(self, name), lowest, highest)
        if self.check_every == 1:
            raise InvalidValue(_("check_every can't be 1. Use 2 or more, or 0 for none."))


def seen_in_second_try(rules: QualificationRules, n_texts: int) -> int:
    """How many texts of a second try were in the first, where there are so many to draw from and new ones come first.

    >>> seen_in_second_try(QualificationRules(texts=3, tries=2), 4)
    2
    """
    in_a_try = min(rules.texts, n_texts)
    return max(0, 2 * in_a_try - n_texts) if rules.tries > 1 else 0


@dataclass(frozen=True, slots=True)
class StoredRules:
    """A version of the rules; number 0: nobody ever set any."""

    rules: QualificationRules
    number: int = 0
    made_by: str = ""
    made_at: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """The gold of a text as it was at one moment; with `scores`, what a reviewer is to give these sets."""

    result: str | None
    sets: tuple[RationaleSet, ...]
    scores: Scores | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A text with known gold that the lead picked."""

    id: int
    project_id: int
    purpose: Purpose
    instance_id: int
    known: Known
    spoiling: Spoiling = ""
    seed: int = 0
    added_by: str = ""
    added_at: str = ""


@dataclass(frozen=True, slots=True)
class Measures:
    """How an answer came out; None where it is not measured.

    f1:      mean over the person's sets and the gold sets of each one's best token F1 with a set of the other side
    n_right: of n labels (or scores), how many were right
    """

    f1: Fraction | None = None
    n_right: int = 0
    n: int = 0


@dataclass(frozen=True, slots=True)
class Totals:
    """The measures of several answers together: mean token F1, and the share that was right."""

    f1: Fraction | None
    n_f1: int
    n_right: int
    n: int

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.n_right, self.n) if self.n else None

    def passes(self, rules: QualificationRules, audience: Audience) -> bool:
        """Whether what is measured reaches the rules; what is measured nowhere is not asked for."""
        least_share = rules.least_labels if audience == "annotators" else rules.least_scores
        has_f1 = self.f1 is None or self.f1 >= Fraction(rules.least_f1, 100)
        return has_f1 and (self.share is None or self.share >= Fraction(least_share, 100))


def total_of(measures: Sequence[Measures]) -> Totals:
    """Means over answers.

    >>> total_of([Measures(Fraction(1, 2), 1, 1), Measures(None, 0, 1)]).share
    Fraction(1, 2)
    """
    f1s = [measure.f1 for measure in measures if measure.f1 is not None]
    mean = sum(f1s, Fraction(0)) / len(f1s) if f1s else None
    return Totals(mean, len(f1s), sum(m.n_right for m in measures), sum(m.n for m in measures))


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of somebody at the training; items: those that it was to have, in their order."""

    id: int
    project_id: int
    audience: Audience
    user_id: int
    number: int
    rules_number: int
    state: AttemptState
    items: tuple[int, ...]
    begun_at: str
    ended_at: str | None = None


@dataclass(frozen=True, slots=True)
class Exercise:
    """One text with known gold before one person; attempt_id None: a blind check.

    draft: what an annotator marked; scores: what a reviewer gave
    """

    id: int
    project_id: int
    user_id: int
    item_id: int
    instance_id: int
    attempt_id: int | None
    state: ExerciseState
    revision: int = 0
    draft: Draft = field(default_factory=Draft)
    scores: Scores = field(default_factory=Scores)
    known: Known | None = None
    measures: Measures | None = None
    created_at: str = ""
    answered_at: str | None = None
    active_ms: int = 0
