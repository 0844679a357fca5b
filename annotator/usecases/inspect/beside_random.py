"""Whether a run's maps are better than random on texts that its model did not learn from: measured once, told on Saliency."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from annotator.domain.measurements import Measurement
from annotator.metrics.ragged import Floats, Integers
from annotator.metrics.significance import Verdict, beside, sentence
from annotator.scoring.blocks import OverInstances, random_numbers
from annotator.scoring.gold import GoldTable
from annotator.scoring.instance_numbers import has_choice
from annotator.store import Store
from annotator.store.trained_models import ids_learned_from, ids_of_versions
from annotator.usecases.models.model_trust import Trainings

NUMBER = "sets.best_f1"
_PARAMETER = "beside_random"
_MOST = 2_000  # instances: enough for a verdict, and ten seeds of them are drawn in no time


@dataclass(frozen=True, eq=False)
class RandomNull:
    """Token F1 of scores drawn at random, mean of ten seeds.

    values: by instance, of at most 2,000 that lie evenly in the gold
    """

    values: Mapping[int, float]

    @staticmethod
    def of(gold: GoldTable) -> "RandomNull":
        if not len(gold):
            return RandomNull({})
        with_sets = np.flatnonzero(gold.sets.n_sets > 0)  # all of them, so that the draws are those of Metrics
        part = gold.take(with_sets[:: max(1, -(-len(with_sets) // _MOST))])
        instances = OverInstances(len(part))
        if len(part):
            random_numbers(part, instances)
        means = instances.means().get(NUMBER, np.empty(0))
        has_null = np.isfinite(means) & has_choice(part) if len(part) else ()
        rows = zip(part.rows, means.tolist(), has_null, strict=True)
        return RandomNull({row.id: mean for row, mean, is_there in rows if is_there})

    def verdict(self, instance_ids: Integers, values: Floats, learned: Container[int]) -> Verdict | None:
        """On a run's token F1, without the instances that its model learned from.

        Shapes: instance_ids int[n], values float[n]
        """
        pairs = [
            (value, self.values[number])
            for number, value in zip(instance_ids.tolist(), values.tolist(), strict=True)
            if number in self.values and number not in learned
        ]
        values_here, null = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
        return beside([(values_here, null)], "higher is better")[0]


def learned_from(store: Store, trainings: Trainings, model: str) -> frozenset[int] | None:
    """What a model learned from, and changed versions of it; None where that is not known."""
    if model in trainings.unknown:
        return None
    training = trainings.known.get(model)
    if training is None:
        return frozenset()
    return frozenset(ids_learned_from(store, training.id) | ids_of_versions(store, training.id))


def as_parameters(verdicts: Sequence[tuple[int | None, Verdict]]) -> dict[str, object]:
    """As they are kept with a run's measurement, by layer."""
    return {_PARAMETER: [{"layer": layer, **asdict(verdict)} for layer, verdict in verdicts]} if verdicts else {}


def beside_random(measurement: Measurement | None, layer: int | None) -> str | None:
    """What a map's measurement says, in a sentence; None where nothing was measured or there are too few texts to say."""
    verdicts = () if measurement is None else measurement.parameters.get(_PARAMETER, ())
    for of_layer in verdicts if isinstance(verdicts, list) else ():
        if of_layer["layer"] == layer and of_layer["word"] != "too few":
            verdict = Verdict(**{name: value for name, value in of_layer.items() if name != "layer"})
            return f"token F1 {sentence(verdict)}"
    return None
