"""Names of labels as one writes them into a field: LABEL=name, separated by commas."""

from collections.abc import Mapping

from annotator.errors import InvalidValue
from annotator.language import _


def written_pairs(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{label}={name}" for label, name in labels.items())


def read_pairs(text: str) -> dict[str, str]:
    name_by_label: dict[str, str] = {}
    for part in text.split(","):
        label, sign, name = part.partition("=")
        if part.strip() and not (sign and label.strip()):
            raise InvalidValue(
                _(
                    "'{pair}' among the model's labels: write its label, =, and the project's, such as LABEL_0=negative, or "
                    "nothing after the = for a label that is never an answer.",
                    pair=part.strip(),
                )
            )
        if part.strip():
            name_by_label[label.strip()] = name.strip()
    return name_by_label
