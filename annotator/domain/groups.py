"""Groups of a project's instances, over which numbers are made apart: by label, split, kind of changed version, and so on."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotator.domain.annotator_facts import facts_of_annotators
from annotator.domain.instances import Instance
from annotator.errors import InvalidValue
from annotator.language import _, unsaid

LABEL, SPLIT, KIND, CRITERION, ANNOTATOR = "label", "split", "kind", "criterion", "annotator"
EXHAUSTIVE = "exhaustive"  # whether the gold of an instance marks all the evidence: only there is a recall one
METADATA = "metadata:"  # and a name of the instances' metadata
ANNOTATORS = "annotators:"  # and a name of what the file tells of its annotators
GROUPINGS = (LABEL, SPLIT, KIND, CRITERION, ANNOTATOR, EXHAUSTIVE)
_WORDS = {
    KIND: unsaid("kind of changed version"),
    EXHAUSTIVE: unsaid("whether gold is exhaustive"),
    LABEL: unsaid("label"),
    SPLIT: unsaid("split"),
    CRITERION: unsaid("criterion"),
    ANNOTATOR: unsaid("annotator"),
}
_UNNAMED = {
    LABEL: unsaid("(no label)"),
    SPLIT: unsaid("(none)"),
    KIND: unsaid("(not changed)"),
    CRITERION: unsaid("not told"),
    ANNOTATOR: unsaid("(not named)"),
    EXHAUSTIVE: unsaid("(not exhaustive)"),
}


def require_grouping(by: str) -> None:
    """Raise InvalidValue for what nothing can be grouped by."""
    if by not in GROUPINGS and not any(by.startswith(kind) and by != kind for kind in (METADATA, ANNOTATORS)):
        raise InvalidValue(
            _(
                "Numbers cannot be grouped by '{by}'. Choose {groupings}, {metadata}NAME for a name of the metadata, or "
                "{annotators}NAME for what is told of the annotators.",
                by=by, groupings=", ".join(GROUPINGS), metadata=METADATA, annotators=ANNOTATORS,
            )
        )  # fmt: skip


def is_of_people(by: str) -> bool:
    """Whether groups are of annotators, and so of annotations, and not of instances."""
    return by == ANNOTATOR or by.startswith(ANNOTATORS)


@dataclass(frozen=True, slots=True)
class Whose:
    """The people of a group, whose annotations alone are gold. by: "annotator", or "annotators:NAME"."""

    by: str
    group: str

    def has(self, instance: Instance, annotator: str) -> bool:
        """Whether somebody who annotated an instance is of the group."""
        return groups_of_people(instance, [annotator], self.by)[annotator] == self.group


def groups_of_people(instance: Instance, annotators: Iterable[str], by: str) -> dict[str, str]:
    """The group of each annotator of an instance; "" where the file does not tell it of them."""
    if by == ANNOTATOR:
        return {annotator: annotator for annotator in annotators}
    facts, name = facts_of_annotators(instance.metadata), by.removeprefix(ANNOTATORS)
    return {annotator: fact_in_words(facts.get(annotator, {}).get(name)) for annotator in annotators}


def group_of(instance: Instance, label: str | None, by: str) -> str | None:
    """The group of an instance; "" where it does not tell one, None where groups are not of instances (those of annotators).

    label: its gold label
    """
    match by:
        case "label":
            return label or ""
        case "split":
            return instance.split
        case "kind":
            return "" if instance.parent_key is None else instance.perturbation_kind or "perturbed"
        case "criterion":
            return instance.criterion
        case str() if by.startswith(METADATA):
            value = instance.metadata.get(by.removeprefix(METADATA), "")
            return fact_in_words(value)
        case _:
            return (EXHAUSTIVE if instance.is_exhaustive else "") if by == EXHAUSTIVE else None


def fact_in_words(value: object) -> str:
    """A value of the metadata as a name; "" of what is no text, number, yes or no.

    >>> fact_in_words(True), fact_in_words(3), fact_in_words("a"), fact_in_words([1]), fact_in_words(None)
    ('true', '3', 'a', '', '')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else ""


def grouping_in_words(by: str) -> str:
    """What one groups by, in a sentence."""
    if by.startswith(ANNOTATORS):
        return _("“{name}” of the annotators", name=by.removeprefix(ANNOTATORS))
    if by.startswith(METADATA):
        return _("“{name}” of the metadata", name=by.removeprefix(METADATA))
    return _(_WORDS.get(by, by))


def group_in_words(by: str, name: str) -> str:
    """The name of a group, or what is common to those that tell none."""
    return name or _(_UNNAMED.get(by, unsaid("(not told)")))
