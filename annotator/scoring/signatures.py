"""The signature of a number: all that it follows from in a line, equal where numbers may be compared (after sacreBLEU)."""

import re
from collections.abc import Mapping
from urllib.parse import quote

from annotator import __version__
from annotator.metrics.against_sets import FERRET_K
from annotator.metrics.registry import all_definitions
from annotator.scoring.table import MetricTable

_RELEASE = re.compile(r"(moved on since )?release (\d+) ")
_VERSIONS = {definition.name: definition.version for definition in all_definitions()}


def signature(metric: str, values: Mapping[str, object]) -> str:
    """`metric|key:value|…|v:version`; values that are None or "" are left out, `| : %` and blanks are percent-encoded.

    >>> signature("sets.best_f1", {"gold": "all@release-2", "n": 312, "split": None, "seeds": "0 1"}).rpartition("|v:")[0]
    'sets.best_f1|def:1|gold:all@release-2|n:312|seeds:0%201'
    """
    given = {"def": _VERSIONS.get(metric, 1), **values, "v": __version__}
    parts = (f"{key}:{_encoded(value)}" for key, value in given.items() if value not in (None, ""))
    return "|".join((metric, *parts))


def asked(table: MetricTable, *, explained: str = "predicted") -> dict[str, object]:
    """What all numbers of a table have in common. No time, place, person or machine."""
    return {
        "gold": table.gold_policy + _release(table.release),
        "split": table.split,
        "criterion": table.criterion,
        "group": None if table.group is None else f"{table.by}={table.group}",
        "explained": explained,
        "gamma": None if table.gamma == 1 else f"{table.gamma:g}",
        "ferret_k": None if table.ferret_k == FERRET_K else table.ferret_k,
    }


def signature_of_gold(policy: str, release: str | None, **values: object) -> str:
    """Of numbers over a project's gold that stand in no table of metrics. release: as numbers cite it."""
    return signature("METRIC", {"def": None, "gold": policy + _release(release), **values})


def _release(words: str | None) -> str:
    """Which release the gold equals, or has left; "" for none. words: as numbers cite it."""
    match = None if words is None else _RELEASE.match(words)
    if match is None:
        return ""
    return f"@{'after-' if match[1] else ''}release-{match[2]}"


def _encoded(value: object) -> str:
    return re.sub(r"[|:%\s]", lambda match: quote(match[0], safe=""), str(value))
