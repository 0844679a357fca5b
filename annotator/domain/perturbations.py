"""Kinds of perturbation: what a changed version of an instance changes, and what usually stays."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.errors import InvalidValue
from annotator.language import _, listed, unsaid

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
        unsaid(
            "Insert, delete or replace words that do not matter for the result. The rationale stays. (Wang et al. 2022)"
        ),
        "benchmark",
        keeps_label=True,
        keeps_rationale=True,
    ),
    PerturbationKind(
        "important",
        unsaid("Important words"),
        unsaid(
            "Replace words that matter by a synonym or a related word. The rationale changes with them. (Wang et al. 2022)"
        ),
        "benchmark",
        keeps_label=None,
        keeps_rationale=False,
    ),
    PerturbationKind(
        "syntax",
        unsaid("Syntax"),
        unsaid(
            "Say the same with another construction: active and passive, another order of clauses. The rationale stays. "
            "(Wang et al. 2022)"
        ),
        "benchmark",
        keeps_label=True,
        keeps_rationale=True,
    ),
    PerturbationKind(
        "contrast",
        unsaid("Contrast"),
        unsaid(
            "As small a change as possible: an example from the other side of the decision boundary. "
            "(ER-TEST, contrast sets)"
        ),
        "contrast",
        keeps_label=False,
        keeps_rationale=False,
    ),
    PerturbationKind(
        "vocabulary",
        unsaid("Vocabulary"),
        unsaid(
            "Other words of the same sort, intensifiers and reducers, or an added phrase that says more of the same or the "
            "opposite. (ER-TEST, functional tests)"
        ),
        "functional",
        keeps_label=None,
        keeps_rationale=False,
    ),
    PerturbationKind(
        "robustness",
        unsaid("Robustness"),
        unsaid(
            "Typos, punctuation, contractions, added URLs and handles: nothing a reader would mind. "
            "(ER-TEST, functional tests)"
        ),
        "functional",
        keeps_label=True,
        keeps_rationale=True,
    ),
    PerturbationKind(
        "logic",
        unsaid("Logic"),
        unsaid(
            "Negation added or removed, a contradiction, or two sides that change places. (ER-TEST, functional tests)"
        ),
        "functional",
        keeps_label=False,
        keeps_rationale=False,
    ),
    PerturbationKind(
        "entity",
        unsaid("Entity"),
        unsaid("Other names, places and numbers that do not matter for the result. (ER-TEST, functional tests)"),
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
            _(
                "'{name}' is no name for a kind of perturbation. Use up to 40 letters, digits, blanks and _ . : -, a letter or "
                "digit first.",
                name=name,
            )
        )
    if name.casefold() in {kind.name for kind in KINDS}:
        raise InvalidValue(
            _("There is already a kind '{name}'. Give the project's own kind another name.", name=name.casefold())
        )
    return PerturbationKind(name, title or name, description, "own", keeps_label, keeps_rationale)


def get_kind(name: str, project_kinds: Sequence[PerturbationKind] = ()) -> PerturbationKind:
    """The kind of that name, one of ours or of the project's own; raises InvalidValue naming those there are."""
    known = {kind.name: kind for kind in (*KINDS, *project_kinds)}
    if name not in known:
        raise InvalidValue(
            _("There is no kind of perturbation '{name}'. There are: {kinds}.", name=name, kinds=listed(list(known)))
        )
    return known[name]
