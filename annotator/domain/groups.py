"""Groups of a project's instances, over which numbers are made apart: by label, split, kind of changed version, and so on."""

from annotator.domain.instances import Instance
from annotator.errors import InvalidValue

LABEL, SPLIT, KIND, CRITERION, ANNOTATOR = "label", "split", "kind", "criterion", "annotator"
METADATA = "metadata:"  # and a name of the instances' metadata
GROUPINGS = (LABEL, SPLIT, KIND, CRITERION, ANNOTATOR)
_WORDS = {KIND: "kind of changed version"}
_UNNAMED = {
    LABEL: "(no label)",
    SPLIT: "(none)",
    KIND: "(not changed)",
    CRITERION: "not told",
    ANNOTATOR: "(not named)",
}


def require_grouping(by: str) -> None:
    """Raise InvalidValue for what nothing can be grouped by."""
    if by not in GROUPINGS and not (by.startswith(METADATA) and by != METADATA):
        raise InvalidValue(
            f"Numbers cannot be grouped by '{by}'. Choose {', '.join(GROUPINGS)}, or {METADATA}NAME for a name of the metadata."
        )


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
        case _ if by.startswith(METADATA):
            value = instance.metadata.get(by.removeprefix(METADATA), "")
            return fact_in_words(value)
        case _:
            return None


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
    return f"“{by.removeprefix(METADATA)}” of the metadata" if by.startswith(METADATA) else _WORDS.get(by, by)


def group_in_words(by: str, name: str) -> str:
    """The name of a group, or what is common to those that tell none."""
    return name or _UNNAMED.get(by, "(not told)")
