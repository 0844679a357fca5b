"""What `annotator stats --all` prints for people: what has a value, and once in a sentence why a part has none."""

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from annotator.domain.numbers import counted

if TYPE_CHECKING:
    from annotator.usecases.lead.statistics import ProjectStatistics


def for_people(statistics: "ProjectStatistics") -> dict[str, Any]:
    """The statistics without empty parts. In what compares people, a number that is not defined stays, as a dash beside its n."""
    answer = dataclasses.asdict(statistics)
    agreement, work = answer.pop("agreement"), answer.pop("work")
    report = _with_values(answer, keeps_undefined=False)
    if not statistics.rationales.n_gold:
        report["rationales"] = "There is no gold yet, so there are no numbers of rationales."
    report["agreement"] = why_no_agreement(statistics) or _with_values(agreement, keeps_undefined=True)
    report["work"] = _work(work)
    return report


def why_no_agreement(statistics: "ProjectStatistics") -> str:
    """A sentence where nobody's annotations can be compared; else ""."""
    labels, tokens = statistics.agreement.labels, statistics.agreement.tokens
    if labels.n_instances or tokens.n_instances:
        return ""
    n = max(labels.n_alone, tokens.n_alone)
    alone = f" ({counted(n, 'text has one', 'texts have one')})" if n else ""
    return f"There is none to tell: no text has two annotations that are submitted or accepted{alone}."


def _work(work: dict[str, Any]) -> dict[str, Any] | str:
    if not work["outcomes"] and not work["time"]["n"]:
        return "Nothing has been submitted here."
    reviewers = work.pop("reviewers")
    compared = {name: agreement for name, agreement in reviewers.items() if agreement["n_items"]}
    report = _with_values(work, keeps_undefined=False)
    return report | {"reviewers": compared or "There is no agreement to tell: no set has scores of two reviewers."}


def _with_values(value: Mapping[str, Any], *, keeps_undefined: bool) -> dict[str, Any]:
    """The same without parts that hold nothing but zeros and what is not defined."""
    values: dict[str, Any] = {}
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            if _has_value(inner):
                values[name] = _with_values(inner, keeps_undefined=keeps_undefined)
        elif isinstance(inner, list | tuple):
            if inner:
                values[name] = inner
        elif inner is not None or keeps_undefined:
            values[name] = inner
    return values


def _has_value(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_value, value.values()))
    return bool(value)
