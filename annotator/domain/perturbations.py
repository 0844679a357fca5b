"""Kinds of perturbation: what a changed version of an instance changes, and what usually stays; drafts and checks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from annotator.errors import InvalidValue
from annotator.language import _, listed, unknown, unsaid

Family = Literal["benchmark", "contrast", "functional", "own"]

_NAME = re.compile(r"[^\W_][\w .:-]{0,39}")


@dataclass(frozen=True, slots=True)
class PerturbationKind:
    """One kind.

    name:            what is stored and exported
    description:     what is changed; whether the label stays is said beside it, by `keeps_label`
    keeps_label:     whether the label usually stays; None: as often as not. Nothing enforces it
    keeps_rationale: whether the tokens that support the label usually stay what they are, so that what is inserted among
                     them is not one of them
    """

    name: str
    title: str
    description: str
    family: Family
    keeps_label: bool | None
    keeps_rationale: bool


KINDS: tuple[PerturbationKind, ...] = (
    PerturbationKind(
        "dispensable",
        unsaid("Dispensable words"),
        unsaid("Insert, delete or replace unimportant words; rationale unchanged. (Wang et al. 2022)"),
        "benchmark",
        keeps_label=True,
        keeps_rationale=True,
    ),
    PerturbationKind(
        "important",
        unsaid("Important words"),
        unsaid("Replace important words by synonyms or related words; rationale changes. (Wang et al. 2022)"),
        "benchmark",
        keeps_label=None,
        keeps_rationale=False,
    ),
    PerturbationKind(
        "syntax",
        unsaid("Syntax"),
        unsaid("Rephrase: active/passive or clause order; rationale unchanged. (Wang et al. 2022)"),
        "benchmark",
        keeps_label=True,
        keeps_rationale=True,
    ),
    PerturbationKind(
        "contrast",
        unsaid("Contrast"),
        unsaid("A minimal change that crosses the decision boundary. (ER-TEST, contrast sets)"),
        "contrast",
        keeps_label=False,
        keeps_rationale=False,
    ),
    PerturbationKind(
        "vocabulary",
        unsaid("Vocabulary"),
        unsaid(
            "Similar words, intensifiers, reducers, or an added phrase that agrees or opposes. (ER-TEST, "
            "functional tests)"
        ),
        "functional",
        keeps_label=None,
        keeps_rationale=False,
    ),
    PerturbationKind(
        "robustness",
        unsaid("Robustness"),
        unsaid("Typos, punctuation, contractions, added URLs and handles. (ER-TEST, functional tests)"),
        "functional",
        keeps_label=True,
        keeps_rationale=True,
    ),
    PerturbationKind(
        "logic",
        unsaid("Logic"),
        unsaid("Added or removed negation, contradiction, or swapped sides. (ER-TEST, functional tests)"),
        "functional",
        keeps_label=False,
        keeps_rationale=False,
    ),
    PerturbationKind(
        "entity",
        unsaid("Entity"),
        unsaid("Other names, places and numbers; result unchanged. (ER-TEST, functional tests)"),
        "functional",
        keeps_label=True,
        keeps_rationale=False,
    ),
)


def title_of(kind: PerturbationKind) -> str:
    """What a kind is called, in the language of who reads it; what a project calls its own stays."""
    return kind.title if kind.family == "own" else _(kind.title)


def description_of(kind: PerturbationKind) -> str:
    """What a kind changes, likewise."""
    return kind.description if kind.family == "own" else _(kind.description)


def own_kind(
    name: str, *, title: str = "", description: str = "", keeps_label: bool | None = None, keeps_rationale: bool = False
) -> PerturbationKind:
    """A kind of the project's own.

    Raises:  InvalidValue for a name that is empty, longer than 40 characters or has other signs than letters, digits, blanks
             and _ . : -, and for one of the kinds that are always there
    """
    if not _NAME.fullmatch(name) or name != name.strip():
        raise InvalidValue(
            _("Invalid name '{name}'. Use up to 40 letters, digits, spaces, _ . : - and no symbol first.", name=name)
        )
    if name.casefold() in {kind.name for kind in KINDS}:
        raise InvalidValue(_("'{name}' already exists. Choose another name.", name=name.casefold()))
    return PerturbationKind(name, title or name, description, "own", keeps_label, keeps_rationale)


def get_kind(name: str, project_kinds: Sequence[PerturbationKind] = ()) -> PerturbationKind:
    """The kind of that name, one of ours or of the project's own; raises InvalidValue naming those there are."""
    known = {kind.name: kind for kind in (*KINDS, *project_kinds)}
    if name not in known:
        raise InvalidValue(unknown(_("perturbation type"), name, listed(list(known))))
    return known[name]


# Perturbations that people write: versions, what the checkers say of them, and what becomes of them.


PerturbationState = Literal["waiting", "returned", "approved", "withdrawn"]
Verdict = Literal["approve", "correct", "reject"]


@dataclass(frozen=True, slots=True)
class ChangedText:
    """What is written: the kind first, then the text of every segment, then the changed version's own result.

    texts:  by segment name, those that stay as they are too
    result: None while it is not given
    """

    kind: str
    texts: Mapping[str, str]
    result: str | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class DraftTurn:
    """Which of the states of a draft it is that one tab wrote: messages of a tab that closes may overtake each other.

    writer: names the writing of one text in one tab; "" where nobody counts
    number: grows with each state that this writer sends
    """

    writer: str = ""
    number: int = 0


UNCOUNTED = DraftTurn()


@dataclass(frozen=True, slots=True)
class PerturbationVersion:
    """One version: as its author wrote it, or as a checker corrected it. Every version is kept.

    reason: why it was corrected; "" of the author's own
    """

    number: int
    made_by: int
    made_by_name: str
    changed: ChangedText
    reason: str
    made_at: str


@dataclass(frozen=True, slots=True)
class Check:
    """What somebody said of a version."""

    version: int
    checker: int
    checker_name: str
    verdict: Verdict
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class ListedOriginal:
    """An original in a list: how its text begins, how many changed versions there are or wait, and whether one has begun one."""

    id: int
    key: str
    result: str | None
    excerpt: str
    n_there: int
    n_waiting: int
    has_draft: bool


@dataclass(frozen=True, slots=True)
class StateCount:
    """How many changed versions of a kind or by a person have a state (of a checker: how many verdicts are so)."""

    name: str
    state: str
    n: int


@dataclass(frozen=True, slots=True)
class PerturbationCounts:
    """How far a project is; n_without: originals without a changed version, n_complete_without: those that are ready for one."""

    kinds: tuple[StateCount, ...]
    authors: tuple[StateCount, ...]
    checkers: tuple[StateCount, ...]
    n_originals: int
    n_without: int
    n_complete_without: int


@dataclass(frozen=True, slots=True)
class Perturbation:
    """One changed version of an original on its way into the data set.

    waiting:   for its checkers; returned: one rejected it, so its author is asked; approved: it is the instance `instance_id`
    original_fingerprint, gold: the original and its sets as they were when this was written, to know when they changed
    """

    id: int
    project_id: int
    original_id: int
    author: int
    author_name: str
    state: PerturbationState
    versions: tuple[PerturbationVersion, ...]
    checks: tuple[Check, ...]
    original_fingerprint: bytes
    gold: str
    instance_id: int | None = None

    @property
    def current(self) -> PerturbationVersion:
        """The version that counts."""
        return self.versions[-1]

    @property
    def correctors(self) -> list[str]:
        """Names of those who corrected it, the first one first, each once."""
        return list(dict.fromkeys(v.made_by_name for v in self.versions if v.made_by != self.author))

    @property
    def checks_of_current(self) -> tuple[Check, ...]:
        """The checks of the version that counts."""
        return tuple(check for check in self.checks if check.version == self.current.number)

    def may_be_checked_by(self, user_id: int) -> bool:
        """Whether a person may check the current version: nobody their own words, and nobody twice.

        What a checker corrected is the checker's own words, so its author may check that.
        """
        have_checked = {check.checker for check in self.checks_of_current}
        return self.state == "waiting" and user_id not in {self.current.made_by, *have_checked}

    def blinded_for(self, user_id: int, *, names_authors: bool) -> "Perturbation":
        """What of it a person sees: nobody judges the current version knowing what another checker said.

        Until they have given their own word they see the version that counts, those that they wrote or checked themselves,
        and of the checks their own; why it was corrected is told to its author alone. names_authors: who wrote it is
        told while it is not decided yet; else names that are left out are "".
        """
        have_a_word = {self.current.made_by, *(check.checker for check in self.checks_of_current)}
        is_asked_back = self.state == "returned" and user_id == self.author
        is_blind = self.state in {"waiting", "returned"} and user_id not in have_a_word and not is_asked_back
        seen = _without_others_words(self, user_id) if is_blind else self
        is_decided = self.state in {"approved", "withdrawn"}
        return seen if names_authors or is_decided else _without_authors(seen, user_id)

    def may_be_revised_by(self, user_id: int | None) -> bool:
        """Whether a person may write it anew: its author, when it came back or no checker has said a word of it yet.

        What a checker corrected its author checks like others: that it could not be changed would tell what another said.
        """
        is_untouched = self.state == "waiting" and self.current.made_by == self.author and not self.checks_of_current
        return user_id == self.author and (self.state == "returned" or is_untouched)


def _without_others_words(perturbation: Perturbation, user_id: int) -> Perturbation:
    own_checks = tuple(check for check in perturbation.checks if check.checker == user_id)
    known = {check.version for check in own_checks} | {perturbation.current.number}
    versions = (v for v in perturbation.versions if v.number in known or v.made_by == user_id)
    is_author = user_id == perturbation.author
    return replace(
        perturbation, versions=tuple(v if is_author else replace(v, reason="") for v in versions), checks=own_checks
    )


def _without_authors(perturbation: Perturbation, user_id: int) -> Perturbation:
    """A correction is stored twice, as a check and as the version that came of it."""
    return replace(
        perturbation,
        author_name=perturbation.author_name if perturbation.author == user_id else "",
        versions=tuple(v if v.made_by == user_id else replace(v, made_by_name="") for v in perturbation.versions),
        checks=tuple(
            c if c.verdict != "correct" or c.checker == user_id else replace(c, checker_name="")
            for c in perturbation.checks
        ),
    )
