"""Perturbations that people write: versions, what the checkers say of them, and what becomes of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

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
    def checks_of_current(self) -> tuple[Check, ...]:
        """What was said of the version that counts."""
        return tuple(check for check in self.checks if check.version == self.current.number)

    def may_be_checked_by(self, user_id: int) -> bool:
        """Whether a person may check the current version: nobody their own words, and nobody twice.

        What a checker corrected is the checker's own words, so its author may check that.
        """
        have_checked = {check.checker for check in self.checks_of_current}
        return self.state == "waiting" and user_id not in {self.current.made_by, *have_checked}

    def may_be_revised_by(self, user_id: int | None) -> bool:
        """Whether a person may write it anew: its author, when it came back or no checker has said a word of it yet."""
        is_untouched = self.state == "waiting" and not self.checks_of_current
        return user_id == self.author and (self.state == "returned" or is_untouched)
