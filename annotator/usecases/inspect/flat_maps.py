"""Maps that rank nothing, since all of their scores are equal: how many a row has, in words."""

from collections.abc import Sequence
from math import ceil

from annotator.language import _, several
from annotator.scoring.table import MetricRow
from annotator.usecases.inspect.metric_names import names_of

_COUNT = "instances_with_all_scores_equal"


def flat_map_lines(rows: Sequence[MetricRow]) -> list[str]:
    """A line for all rows that have such maps; of several seeds the mean, rounded up."""
    counts = [ceil(row.counts.get(_COUNT, 0)) for row in rows]
    of_rows = [
        several("{row}: {n} map has all scores equal", "{row}: {n} maps have all scores equal", n, row=name)
        for name, n in zip(names_of(rows), counts, strict=True)
        if n
    ]
    if not of_rows:
        return []
    what_it_is = _(
        "{maps}. Such a map ranks no token. Plausibility and MAP that depend on the order leave it out, as do all "
        "verdicts on plausibility; areas such as AUPRC count it, with the value that they have for equal scores.",
        maps="; ".join(of_rows),
    )
    return [what_it_is]
