"""What can be done about a label that a file has and the project has not."""

import shlex
from collections.abc import Sequence

from annotator.domain.labels import proposed_names, variant_among
from annotator.language import _

LABEL = "label"  # the remedy of such a problem, whose value is the label


def label_remedy(label: str, labels: Sequence[str]) -> str:
    """The three ways, as parts of a sentence, each with its option; another name is the one that it seems to be, or the first.

    >>> label_remedy("no sentiment", ["negative", "positive"]).partition(", or ")[2]
    "skip it (--leave-out-label 'no sentiment')"
    """
    likely = proposed_names([label], labels)[label] if labels else None
    pair = f"{label}={likely or labels[0]}" if labels else label
    if name := variant_among(label, labels):
        return _(
            "merge it with '{name}' (--merge-labels), add it (--add-label {label}), rename it (--rename "
            "{pair}) or skip it (--leave-out-label {label})",
            name=name,
            label=shlex.quote(label),
            pair=shlex.quote(pair),
        )
    return _(
        "add it (--add-label {label}), rename it (--rename {pair}), or skip it (--leave-out-label {label})",
        label=shlex.quote(label),
        pair=shlex.quote(pair),
    )
