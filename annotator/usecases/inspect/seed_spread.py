"""How far the seeds of a run lie apart on one instance: told from what is stored, so that it holds for imported seeds too."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotator.attribution.lime import spread_over_seeds
from annotator.domain.models import Attribution
from annotator.store import Store
from annotator.store.models import StoredRun, outputs_of_run


@dataclass(frozen=True, slots=True)
class Spread:
    """value: mean over tokens of the standard deviation (n − 1) over seeds, in the scores' unit; share: of the mean |score|."""

    value: float
    share: float | None
    n_seeds: int


def group_attributions(
    store: Store, instance_id: int, stored: StoredRun, runs: Iterable[StoredRun]
) -> list[Sequence[Attribution]]:
    """What each seed of a run's group has for an instance; [] for a run that has no other seed."""
    group = [seed_run for seed_run in runs if seed_run.run.group == stored.run.group]
    if len(group) < 2:
        return []
    outputs = (outputs_of_run(store, seed_run.id, [instance_id]).get(instance_id) for seed_run in group)
    return [output.attributions for output in outputs if output is not None]


def spread_of(attribution: Attribution, of_seeds: Sequence[Sequence[Attribution]]) -> Spread | None:
    """How far the seeds lie apart for the label and layer of an attribution; None of fewer than two, or without a score."""
    same = [a for of_seed in of_seeds for a in of_seed if (a.label, a.layer) == (attribution.label, attribution.layer)]
    n_tokens = min((len(a.scores) for a in same), default=0)
    scores = [a.scores[:n_tokens] for a in same]
    value = spread_over_seeds(scores) if len(same) > 1 else float("nan")
    if value != value:  # noqa: PLR0124  (NaN)
        return None
    sizes = [abs(score) for of_seed in scores for score in of_seed if score == score]  # noqa: PLR0124
    mean = sum(sizes) / len(sizes)
    return Spread(value, value / mean if mean else None, len(same))
