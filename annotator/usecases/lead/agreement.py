"""Agreement between the annotators of a project."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.review.agreement import Agreement, AgreementTally
from annotator.review.rater_agreement import AgainstRest, Estimate
from annotator.review.spread import Spread
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import iterate_instance_batches
from annotator.usecases.access.rights import require

__all__ = [
    "AgainstRest",
    "Agreement",
    "AnnotatorPair",
    "Coefficient",
    "Estimate",
    "Spread",
    "agreement_of",
    "coefficients_of",
    "pairs_of",
]


def agreement_of(store: Store, actor: User, project: Project) -> Agreement:
    """How far the annotators of a project agree, over the instances that are not discarded, at one moment.

    Each annotator's latest round at an instance takes part when it is submitted or accepted, imported annotations with them.
    """
    require(store, actor, project.id, "export")
    tally = AgreementTally()
    with store.snapshot():
        for instances in iterate_instance_batches(store, project.id):
            annotations = annotations_of(store, [instance.id for instance in instances])
            for instance in instances:
                if instance.state != "discarded":
                    tally.add(instance, annotations[instance.id])
    return tally.result()


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One number of agreement.

    about: "labels", "tokens" or "sets"; name: as in `annotator stats --json`, such as "cohen_kappa" or "majority.f1"
    value: None where it is not defined; sd, n, n_left_out: of a mean over pairs or instances, else n is that of the instances
    """

    about: str
    name: str
    value: float | None
    sd: float | None = None
    n: int | None = None
    n_left_out: int | None = None


def coefficients_of(agreement: Agreement) -> Iterator[Coefficient]:
    """Every coefficient of agreement, one after another; counts are left out."""
    for about in ("labels", "tokens", "sets"):
        part = getattr(agreement, about)
        yield from _coefficients(about, part, "", getattr(part, "n_instances", None))


def _coefficients(about: str, part: object, before: str, n_instances: int | None) -> Iterator[Coefficient]:
    for field in fields(part) if is_dataclass(part) else ():
        value, name = getattr(part, field.name), f"{before}{field.name}"
        if isinstance(value, Spread):
            yield Coefficient(about, name, value.mean, value.sd, value.n, value.n_left_out)
        elif is_dataclass(value):
            yield from _coefficients(about, value, f"{name}.", n_instances)
        elif field.name.endswith(("kappa", "alpha")):
            yield Coefficient(about, name, value, n=n_instances)


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """Two annotators over the instances that they share. kappa_per_instance: of tokens alone."""

    about: str
    first: str
    second: str
    n_instances: int
    kappa: float | None
    kappa_per_instance: float | None = None


def pairs_of(agreement: Agreement) -> Iterator[AnnotatorPair]:
    """Every pair of annotators, on labels and then on tokens."""
    for labels in agreement.labels.pairs:
        yield AnnotatorPair("labels", labels.first, labels.second, labels.n_instances, labels.kappa)
    for tokens in agreement.tokens.pairs:
        yield AnnotatorPair(
            "tokens", tokens.first, tokens.second, tokens.n_instances, tokens.kappa_pooled, tokens.kappa_per_instance
        )
