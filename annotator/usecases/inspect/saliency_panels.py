"""Panels of the Saliency page: what a run says of a text, ready to be drawn."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotator.attribution.lime import spread_over_seeds
from annotator.domain.instances import Instance
from annotator.domain.measurements import Measurement
from annotator.domain.models import Attribution, MachineRationale, Output, Prediction
from annotator.domain.numbers import whole_number
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.store import Store
from annotator.store.measurements import measurements_of, values_of_instance
from annotator.store.models import StoredRun, outputs_of_run
from annotator.usecases.inspect import saliency_messages
from annotator.usecases.inspect.measurement import beside_random, is_other
from annotator.usecases.inspect.stale_numbers import newest_gold
from annotator.usecases.models.model_trust import Seen, Trainings, seen_by, seen_summary

# How far the seeds of a run lie apart on one instance: told from what is stored, so that it holds for imported seeds too.


def group_attributions(
    store: Store, instance_id: int, stored: StoredRun, runs: Iterable[StoredRun]
) -> list[Sequence[Attribution]]:
    """What each seed of a run's group has for an instance; [] for a run that has no other seed."""
    group = [seed_run for seed_run in runs if seed_run.run.group == stored.run.group]
    if len(group) < 2:
        return []
    outputs = (outputs_of_run(store, seed_run.id, [instance_id]).get(instance_id) for seed_run in group)
    return [output.attributions for output in outputs if output is not None]


def spread_of(attribution: Attribution, of_seeds: Sequence[Sequence[Attribution]]) -> saliency_messages.Spread | None:
    """How far the seeds lie apart for the label and layer of an attribution; None of fewer than two, or without a score."""
    same = [a for of_seed in of_seeds for a in of_seed if (a.label, a.layer) == (attribution.label, attribution.layer)]
    n_tokens = min((len(a.scores) for a in same), default=0)
    scores = [a.scores[:n_tokens] for a in same]
    value = spread_over_seeds(scores) if len(same) > 1 else float("nan")
    if value != value:  # noqa: PLR0124  (NaN)
        return None
    sizes = [abs(score) for of_seed in scores for score in of_seed if score == score]  # noqa: PLR0124
    mean = sum(sizes) / len(sizes)
    return saliency_messages.Spread(value, value / mean if mean else None, len(same))


_DIGITS = 6


@dataclass(frozen=True, slots=True)
class PanelChoice:
    """One panel: a run, and of it a label (None: the predicted one, else gold's) and a layer."""

    run_id: int
    label: str | None = None
    layer: int | None = None

    @staticmethod
    def read(text: str) -> "PanelChoice":
        """From an address: RUN, RUN:LAYER or RUN:LAYER:LABEL, the layer "-" for none.

        >>> PanelChoice.read("12:-:positive")
        PanelChoice(run_id=12, label='positive', layer=None)
        """
        run, _colon, rest = text.partition(":")
        layer, _colon, label = rest.partition(":")
        run_id, number = whole_number(run), whole_number(layer)
        if run_id is None or (number is None and layer not in {"", "-"}):
            raise InvalidValue(
                _("URLs name heatmaps as RUN:LAYER:LABEL (12:-:positive), not '{text}'.", text=text[:60])
            )
        return PanelChoice(run_id, label or None, number)


def show_panels(
    store: Store, project: Project, instance: Instance, chosen: Sequence[PanelChoice], runs: Mapping[int, StoredRun]
) -> tuple[saliency_messages.ShownPanel, ...]:
    answers = _answers(store, instance, chosen, runs)
    trust = Trust.of(store, project, instance)
    numbers = _current_numbers(store, project, instance, trust.measured)
    shown = []
    for choice in chosen:
        stored = runs[choice.run_id]
        of_run = RunOutput(
            outputs_of_run(store, choice.run_id, [instance.id]).get(instance.id),
            answers.get(choice.run_id),
            group_attributions(store, instance.id, stored, runs.values()),
        )
        shown.append(show_panel(choice, stored, of_run, instance, numbers, trust))
    return tuple(shown)


def _current_numbers(
    store: Store, project: Project, instance: Instance, measured: Mapping[int, Measurement]
) -> dict[tuple[int, int | None], dict[str, float]]:
    """The text's numbers, of each run and layer, without those that were measured against gold that is another now."""
    current = {run_id: made.last_event_id for run_id, made in measured.items() if not is_other(made, project)}
    newest = newest_gold(store, project.id, instance.id, after=min(current.values(), default=0))
    values = values_of_instance(store, instance.id)
    return {key: numbers for key, numbers in values.items() if current.get(key[0], -1) >= newest}


@dataclass(frozen=True, slots=True)
class RunOutput:
    """What a run says of a text: its output, what its model answers, and the attributions of each seed of its group."""

    output: Output | None
    answer: Prediction | None
    seeds: Sequence[Sequence[Attribution]]


@dataclass(frozen=True, slots=True)
class Trust:
    """How each run was measured; of models that were trained here how often each is right, and whether it learned from a text."""

    trainings: Trainings
    seen: Mapping[str, Seen]
    measured: Mapping[int, Measurement]

    @staticmethod
    def of(store: Store, project: Project, instance: Instance) -> "Trust":
        trainings = Trainings.of(store, project.id)
        seen = seen_by(store, trainings, instance.id)
        return Trust(trainings, seen, measurements_of(store, project.id))


def _answers(
    store: Store, instance: Instance, chosen: Sequence[PanelChoice], runs: Mapping[int, StoredRun]
) -> dict[int, Prediction]:
    """What each panel's model answers to the full input, by the panel's run."""
    answer_runs = {(stored.run.model, stored.run.seed): stored.id for stored in runs.values() if not stored.run.method}
    answers: dict[int, Prediction] = {}
    for choice in chosen:
        run = runs[choice.run_id].run
        run_id = answer_runs.get((run.model, run.seed), answer_runs.get((run.model, None)))
        output = outputs_of_run(store, run_id, [instance.id]).get(instance.id) if run_id is not None else None
        answer = next((p for p in output.predictions if p.on == "full"), None) if output is not None else None
        if answer is not None:
            answers[choice.run_id] = answer
    return answers


def show_panel(
    choice: PanelChoice, stored: StoredRun, of_run: RunOutput, instance: Instance,
    numbers: Mapping[tuple[int, int | None], Mapping[str, float]], trust: Trust,
) -> saliency_messages.ShownPanel:  # fmt: skip
    run = stored.run
    attribution = chosen_attribution(choice, of_run.output, of_run.answer, instance)
    rationale = (
        next(iter(of_run.output.rationales), None) if of_run.output is not None and attribution is None else None
    )
    layer = attribution.layer if attribution is not None else None
    return saliency_messages.ShownPanel(
        run=stored.id,
        model=run.model,
        method=run.method,
        parameters=run.parameters,
        seed=run.seed,
        unit=run.unit,
        is_signed=has_signs(run.is_signed, attribution),
        label=attribution.label if attribution else "",
        asked_label=choice.label,
        layer=layer,
        answer=_answer(of_run.answer),
        numbers={**numbers.get((stored.id, layer), {}), **numbers.get((stored.id, None), {})},
        scores=None if attribution is None else _with_nulls(attribution.scores),
        ranking=_ranking(attribution, rationale),
        spans=rationale.spans if rationale is not None and rationale.kind == "hard" else None,
        quotes=_quotes(rationale),
        subwords=_subwords(attribution),
        convergence=attribution.convergence if attribution else None,
        facts=dict(attribution.facts) if attribution else {},
        spread=spread_of(attribution, of_run.seeds) if attribution else None,
        beside_random=beside_random(trust.measured.get(stored.id), layer),
        held_out=trust.trainings.brief(run.model),
        trust=trust.trainings.summary(run.model),
        seen=seen_summary(trust.seen.get(run.model)),
        written=_written(attribution),
    )


def _written(attribution: Attribution | None) -> saliency_messages.ShownWritten | None:
    written = attribution.written if attribution is not None else None
    if written is None:
        return None
    earlier = tuple(tuple(map(_rounded, row)) for row in written.earlier)
    return saliency_messages.ShownWritten(
        written.subwords, tuple(map(_with_nulls, written.scores)), earlier, tuple(map(dict, written.facts))
    )


def _with_nulls(scores: Sequence[float]) -> tuple[float | None, ...]:
    return tuple(None if math.isnan(score) else _rounded(score) for score in scores)


def _subwords(attribution: Attribution | None) -> tuple[saliency_messages.ShownSubword, ...] | None:
    if attribution is None or attribution.subwords is None:
        return None
    return tuple(
        (p.text, p.start, p.end, p.is_special, p.segment, _rounded(score)) for p, score in attribution.subwords
    )


def chosen_attribution(
    choice: PanelChoice, output: Output | None, answer: Prediction | None, instance: Instance
) -> Attribution | None:
    """The one that is asked for; without a label the predicted one's, else gold's, else the first; else the first layer."""
    attributions = list(output.attributions) if output is not None else []
    if choice.layer is not None:
        attributions = [attribution for attribution in attributions if attribution.layer == choice.layer]
    predicted = answer.label if answer is not None else None
    for label in (choice.label, predicted, instance.result):
        for attribution in attributions:
            if label is not None and attribution.label == label:
                return attribution
    return attributions[0] if attributions else None


def has_signs(declared: bool | None, attribution: Attribution | None) -> bool:
    """Whether scores may oppose as well as support: as was said of them, else as they are."""
    if declared is not None:
        return declared
    return attribution is not None and any(score < 0 for score in attribution.scores)


def _ranking(attribution: Attribution | None, rationale: MachineRationale | None) -> tuple[int, ...] | None:
    if attribution is not None:
        return attribution.ranking
    return rationale.ranking if rationale is not None and rationale.kind == "ranked" else None


def _quotes(rationale: MachineRationale | None) -> saliency_messages.ShownQuotes | None:
    if rationale is None or rationale.quotes is None:
        return None
    return saliency_messages.ShownQuotes(rationale.quotes.n, rationale.quotes.n_missing, rationale.quotes.missing)


def _answer(answer: Prediction | None) -> saliency_messages.ShownAnswer | None:
    if answer is None:
        return None
    return saliency_messages.ShownAnswer(
        answer.label, {label: round(p, 4) for label, p in answer.probabilities.items()}
    )


def _rounded(score: float) -> float:
    return float(f"{score:.{_DIGITS}g}")
