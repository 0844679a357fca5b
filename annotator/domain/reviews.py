"""Reviewing: scores, rounds, and what the gate decides (Wang et al. 2022, section 3.3); comment threads."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from annotator.domain.numbers import require_between
from annotator.language import _, unsaid

Property = Literal["sufficiency", "compactness", "comprehensiveness"]
Outcome = Literal["accepted", "returned", "discarded"]
ReviewState = Literal["leased", "submitted", "skipped", "expired", "ended"]
# How a review stands in the list of one's own: what one has handed in stands as its round does.
MyReviewState = Literal["submitted", "accepted", "returned", "discarded", "skipped", "draft"]

# The scales and the papers' words for each step of them.
SCALES: Mapping[Property, tuple[str, ...]] = {
    "sufficiency": (unsaid("cannot support the result"), unsaid("not sure"), unsaid("can support the result")),
    "compactness": (
        unsaid("includes redundant tokens"),
        unsaid("includes disturbances"),
        unsaid("not sure"),
        unsaid("concise"),
    ),
    "comprehensiveness": (unsaid("not comprehensive"), unsaid("not sure"), unsaid("comprehensive")),
}
PROPERTY_NAMES: Mapping[Property, str] = {
    "sufficiency": unsaid("sufficiency"),
    "compactness": unsaid("compactness"),
    "comprehensiveness": unsaid("comprehensiveness"),
}
SCORE_NAMES: Mapping[Property, str] = {
    "sufficiency": unsaid("sufficiency score"),
    "compactness": unsaid("compactness score"),
    "comprehensiveness": unsaid("comprehensiveness score"),
}
SCORE_TITLES: Mapping[Property, str] = {  # where a line begins
    "sufficiency": unsaid("Sufficiency score"),
    "compactness": unsaid("Compactness score"),
    "comprehensiveness": unsaid("Comprehensiveness score"),
}
OUTCOMES: Mapping[Outcome, str] = {
    "accepted": unsaid("accepted"),
    "returned": unsaid("returned"),
    "discarded": unsaid("discarded"),
}


@dataclass(frozen=True, slots=True)
class SetScore:
    """One reviewer's scores of one rationale set; None where there is none yet."""

    sufficiency: int | None = None
    compactness: int | None = None
    comment: str = ""

    def __post_init__(self) -> None:
        _check_on_scale("sufficiency", self.sufficiency)
        _check_on_scale("compactness", self.compactness)


@dataclass(frozen=True, slots=True)
class Scores:
    """What one reviewer says of an annotation: of each set, in its order, and of the whole."""

    sets: tuple[SetScore, ...] = ()
    comprehensiveness: int | None = None
    comment: str = ""

    def __post_init__(self) -> None:
        _check_on_scale("comprehensiveness", self.comprehensiveness)


def _check_on_scale(name: Property, score: int | None) -> None:
    if score is not None:
        require_between(_(SCORE_TITLES[name]), score, 1, len(SCALES[name]))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What the means must reach, and how many scorings there may be. Exact numbers.

    is_pooled: sufficiency and compactness are averaged over all sets together ("its average score" read so)
    """

    sufficiency: Fraction = Fraction(3)
    compactness: Fraction = Fraction(18, 5)
    comprehensiveness: Fraction = Fraction(13, 5)
    max_rounds: int = 3
    is_pooled: bool = False


@dataclass(frozen=True, slots=True)
class SetScores:
    """All reviewers' scores of one set."""

    sufficiency: tuple[int, ...]
    compactness: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One mean against its threshold; `set_index` is None for the whole annotation (and for the pooled reading)."""

    name: Property
    set_index: int | None
    scores: tuple[int, ...]
    mean: Fraction
    threshold: Fraction

    @property
    def passes(self) -> bool:
        return self.mean >= self.threshold


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's decision with its whole arithmetic."""

    outcome: Outcome
    findings: tuple[Finding, ...]

    @property
    def failed(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if not finding.passes)

    def has_passed(self, set_index: int) -> bool:
        """Whether nothing about a set fell short (in the pooled reading: about the sets together)."""
        return not any(
            finding.name != "comprehensiveness" and finding.set_index in {set_index, None} for finding in self.failed
        )


@dataclass(frozen=True, slots=True)
class Round:
    """One pass annotate → score: an annotation that is, or was, before its reviewers.

    previous_id: the annotation of the round before, which this one corrects
    decided_by:  "gate", or the lead who decided a stuck round, with a reason
    """

    annotation_id: int
    project_id: int
    instance_id: int
    number: int
    previous_id: int | None
    opened_at: str
    outcome: Outcome | None = None
    decided_at: str | None = None
    decided_by: str | None = None
    reason: str = ""
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """One reviewer's work on one annotation."""

    id: int
    project_id: int
    annotation_id: int
    user_id: int
    reviewer: str
    state: ReviewState
    lease_until: str
    revision: int
    scores: Scores
    created_at: str
    submitted_at: str | None = None
    active_ms: int = 0
    idle_ms: int = 0


@dataclass(frozen=True, slots=True)
class CarriedSet:
    """A set that passed in an earlier round and was not touched: it carries the scores it was given there."""

    position: int
    scored_annotation_id: int
    scored_position: int


# Talk: threads of comments about an instance, an annotation of it, a set of that, or the decision on it.


About = Literal["instance", "annotation", "set", "decision"]
Voice = Literal["annotator", "reviewer", "lead"]


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment; `spoken_as` is what its author was to the thread when they wrote it."""

    id: int
    author: str
    user_id: int | None
    spoken_as: Voice
    text: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Thread:
    """Comments about one thing, oldest first.

    position:       the set, where the thread is about one
    waits_for_lead: a question that no lead has answered yet
    """

    id: int
    project_id: int
    instance_id: int
    annotation_id: int | None
    about: About
    position: int | None
    begun_by: int | None
    waits_for_lead: bool
    comments: tuple[Comment, ...] = ()
