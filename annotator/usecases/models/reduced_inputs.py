"""Faithfulness runs: what a model answers to a rationale alone and to the rest; a rationale is the method's own, or a share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotator.attribution.base import Input, with_target
from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import Attribution, MachineRationale, Output, Prediction
from annotator.domain.models import Input as InputKind
from annotator.domain.tasks import Task
from annotator.metrics.against_sets import Sides, order_of, top_of_sides
from annotator.metrics.ragged import Flags, Integers, Ragged
from annotator.scoring.gold import GoldTable, gold_row
from annotator.usecases.models.project_model import ProjectModel

THRESHOLDS = (0.01, 0.05, 0.1, 0.2, 0.5)  # ERASER's shares of tokens (DeYoung et al. 2020, section 4.2)

_REDUCED: tuple[InputKind, InputKind] = ("rationale", "rest")


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is asked of an instance: the selected tokens, and whether they are the method's own or a share of all.

    threshold: None for the method's own rationale
    """

    instance: Instance
    tokens: tuple[int, ...]
    threshold: float | None


class Selection:
    """How many tokens are selected: k by the project's gold, and the shares.

    k = ceil(ratio × tokens of the side), the ratio being the mean RLR of the gold, or the stated one without gold; likewise a
    share of each side. Sides are as in scoring: the two of a pair, else the whole.
    """

    def __init__(self, gold: GoldTable, task: Task, ratio: float | None = None) -> None:
        self._gold = gold
        self._task = task
        self._ratio = ratio
        self.has_ratio = any(gold.ratios) or ratio is not None

    def without_gold(self) -> "Selection":
        """The same of attributions, without what `of_gold` needs."""
        return Selection(replace(self._gold, rows=()).with_ratios(self._gold.ratios), self._task, self._ratio)

    def of_attribution(
        self, instance: Instance, attribution: Attribution, selected: tuple[int, ...] | None = None
    ) -> list[Reduced]:
        """The top k of the scores and the top of each share; tokens that the model did not see are never selected.

        selected: the tokens that the model selected by itself, in the place of the top k
        """
        row = gold_row(GoldInstance(instance, (), None), self._task, keep_tokens=False, is_exhaustive=False)
        scores = Ragged.of([attribution.scores[: row.n_tokens]], np.float64)
        order = order_of(scores)
        lengths = np.array([[n for _, n in row.sides]], dtype=np.int64)
        ratios_by_threshold: list[tuple[float | None, tuple[float, ...]]] = [
            (t, (t,) * lengths.shape[1]) for t in THRESHOLDS
        ]
        if self.has_ratio and selected is None:
            by_ratio = self._gold.ratios if self._ratio is None else (self._ratio,) * lengths.shape[1]
            ratios_by_threshold.insert(0, (None, by_ratio))
        of_scores = [
            Reduced(instance, _sorted(top_of_sides(order, Sides(lengths, ratios)).values), threshold)
            for threshold, ratios in ratios_by_threshold
        ]
        return of_scores if selected is None else [Reduced(instance, selected, None), *of_scores]

    def of_gold(self, instance: Instance) -> list[Reduced]:
        """The union of the instance's gold sets; nothing where it has none."""
        index = self._gold.places.get(instance.id)
        sets = () if index is None else self._gold.rows[index].sets
        union = sorted({token for tokens in sets for token in tokens})
        return [Reduced(instance, tuple(union), None)] if sets else []


def missing(inputs: Sequence[Reduced], stored: Output) -> list[Reduced]:
    """What has not been answered yet; the method's own rationale is asked about again where it has changed."""
    known = {(p.on, p.threshold) for p in stored.predictions}
    stored_rationale = next((rationale for rationale in stored.rationales if rationale.kind == "hard"), None)
    return [
        reduced
        for reduced in inputs
        if any((on, reduced.threshold) not in known for on in _REDUCED)
        or (reduced.threshold is None and stored_rationale != rationale_of(reduced))
    ]


def answered(model: ProjectModel, reduced_inputs: Sequence[Reduced]) -> dict[int, Output]:
    """The answers by instance, with the method's own rationale as it was asked about. Equal inputs are asked about once."""
    places: dict[tuple[int, bytes], int] = {}
    inputs: list[Input] = []
    for reduced, _, mask in _masks(reduced_inputs):
        key = (reduced.instance.id, mask.tobytes())
        if key not in places:
            places[key] = len(inputs)
            whole = Input.of(reduced.instance)
            inputs.append(whole.kept(with_target(model.predictor, whole, mask)))
    answers = model.answers(inputs) if inputs else []
    predictions: dict[int, list[Prediction]] = {}
    for reduced, on, mask in _masks(reduced_inputs):
        answer = answers[places[reduced.instance.id, mask.tobytes()]]
        prediction = Prediction(answer.result, answer.probabilities, on, reduced.threshold)
        predictions.setdefault(reduced.instance.id, []).append(prediction)
    rationales = {
        reduced.instance.id: (rationale_of(reduced),) for reduced in reduced_inputs if reduced.threshold is None
    }
    return {i: Output(i, tuple(of_one), rationales=rationales.get(i, ())) for i, of_one in predictions.items()}


def _masks(reduced_inputs: Sequence[Reduced]) -> Iterator[tuple[Reduced, InputKind, Flags]]:
    for reduced in reduced_inputs:
        mask = np.zeros(reduced.instance.layout.n_selectable, dtype=np.bool_)
        mask[list(reduced.tokens)] = True
        yield reduced, "rationale", mask
        yield reduced, "rest", ~mask


def rationale_of(reduced: Reduced) -> MachineRationale:
    """The selected tokens as spans, none of which crosses from one segment into another."""
    starts = {segment.first_token for segment in reduced.instance.layout.segments}
    spans: list[tuple[int, int]] = []
    for token in reduced.tokens:
        if spans and spans[-1][1] == token and token not in starts:
            spans[-1] = (spans[-1][0], token + 1)
        else:
            spans.append((token, token + 1))
    return MachineRationale("hard", tuple(spans))


def _sorted(tokens: Integers) -> tuple[int, ...]:
    return tuple(np.sort(tokens).tolist())
