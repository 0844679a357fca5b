"""The share of a text that is selected: the project's mean RLR, as it was when a run was measured last."""

from collections.abc import Iterable

from annotator.domain.measurements import Measurement
from annotator.store import Store
from annotator.store.measurements import measurements_of

UNMEASURED = 0.2


def measured_ratios(store: Store, project_id: int, run_ids: Iterable[int], n_sides: int) -> list[float]:
    """One ratio a side, from the first of some runs that was measured, else from any; none where none was."""
    made = measurements_of(store, project_id)
    ordered: list[Measurement] = [made[run_id] for run_id in run_ids if run_id in made] or list(made.values())
    given = ordered[0].parameters.get("ratios") if ordered else None
    ratios = [float(ratio) for ratio in given] if isinstance(given, list) else []
    return ratios[:n_sides] if len(ratios) >= n_sides else []
