"""What the Saliency page shows: lists of instances by a number, and one instance with gold and several attributions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.measurements import Listed, Question
from annotator.domain.models import Attribution, MachineRationale, Output, Prediction
from annotator.domain.numbers import whole_number
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import InvalidValue, NotFound
from annotator.metrics.benchmark_consistency import aligned_places
from annotator.scoring.gold import gold_row
from annotator.scoring.table import RANDOM
from annotator.store import Store
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.measurements import (
    count_without_value,
    list_by_number,
    measured_names,
    partners_of,
    runs_with_output,
    values_of_instance,
)
from annotator.store.models import StoredRun, list_runs, outputs_of_run
from annotator.store.projects import get_project_by_id
from annotator.usecases.access import independence
from annotator.usecases.access.rights import require
from annotator.usecases.gold import gold_of_instance
from annotator.usecases.inspect.measurement import MEASURED
from annotator.usecases.inspect.saved_lists import require_list
from annotator.usecases.inspect.seed_spread import group_attributions, spread_of
from annotator.usecases.models.model_trust import Seen, Trainings, seen_by, seen_summary
from annotator.usecases.models.rationale_ratios import UNMEASURED, measured_ratios

MOST_PANELS = 8
_FIRST_PANELS = 4
_DIGITS = 6
_EXCERPT_CHARS = 120
Shown = dict[str, Any]


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
        run, _, rest = text.partition(":")
        layer, _, label = rest.partition(":")
        run_id, number = whole_number(run), whole_number(layer)
        if run_id is None or (number is None and layer not in {"", "-"}):
            raise InvalidValue(
                f"An address names a map as RUN:LAYER:LABEL, such as 12:-:positive; this one has '{text[:60]}'."
            )
        return PanelChoice(run_id, label or None, number)


def list_instances_by(
    store: Store, actor: User, question: Question, page: int, per_page: int = 25
) -> tuple[list[Listed], int]:
    """A page of instances in the order of a number; how many there are in all. Raises NotFound for a list that is not there."""
    require(store, actor, question.project_id, "use models")
    if question.list_id is not None:
        require_list(store, question.project_id, question.list_id)
    rows, n = list_by_number(store, question, limit=per_page, offset=(page - 1) * per_page)
    return [replace(row, excerpt=first_words(row.excerpt, _EXCERPT_CHARS)) for row in rows], n


def count_not_listed(store: Store, actor: User, question: Question) -> int:
    """How many instances are not listed only because they have no value of the number that orders the list."""
    require(store, actor, question.project_id, "use models")
    return count_without_value(store, question)


def choices_of_numbers(
    store: Store, actor: User, project_id: int
) -> list[tuple[StoredRun, list[tuple[int | None, str]]]]:
    """Each run, with the numbers (layer, name) that it has, in the order of MEASURED."""
    require(store, actor, project_id, "use models")
    order = {name: place for place, name in enumerate(MEASURED)}
    return [
        (stored, sorted(measured_names(store, stored.id), key=lambda one: (one[0] or -1, order.get(one[1], 99))))
        for stored in list_runs(store, project_id)
    ]


def show_instance(store: Store, actor: User, instance_id: int, panels: Sequence[PanelChoice] | None) -> Shown:
    """An instance with its gold sets and panels (None: those that open by themselves), and its partners.

    Raises: NotFound for an instance or a run that is not there; InvalidValue for more than eight panels
    """
    project = get_project_by_id(store, project_of_instance(store, instance_id))
    require(store, actor, project.id, "use models")
    if panels is not None and len(panels) > MOST_PANELS:
        raise InvalidValue(f"At most {MOST_PANELS} maps are shown side by side. Remove some of them.")
    with store.snapshot():
        runs = {stored.id: stored for stored in list_runs(store, project.id)}
        instance = get_instance(store, instance_id)
        there = [run_id for run_id in runs_with_output(store, instance_id) if run_id in runs]
        groups = first_of_groups(runs[run_id] for run_id in there)
        chosen = _first_panels(runs, groups) if panels is None else list(panels)
        unknown = next((choice.run_id for choice in chosen if choice.run_id not in runs), None)
        if unknown is not None:
            raise NotFound(f"There is no run number {unknown} in this project.")
        gold, withheld = _gold_for(store, actor, project, instance)
        shown = {
            "project": project.id,
            "policy": project.settings.gold_policy,
            **_shown(store, project, gold, chosen, runs),
            "withheld": withheld,
            "choices": [_choice(store, runs[run_id], instance_id) | {"group": groups[run_id]} for run_id in there],
            "partners": [{"id": i, "key": key, "kind": kind} for i, key, kind in partners_of(store, instance_id)],
        }
    independence.show(store, actor, project.id, instance_id, independence.annotations_behind(gold))
    return shown


def first_of_groups(runs: Iterable[StoredRun]) -> dict[int, int]:
    """Of each run the first of those that differ in their seed alone: one choice stands for all, as one row of metrics does."""
    firsts: dict[tuple[str, str, str], int] = {}
    return {stored.id: firsts.setdefault(stored.run.group, stored.id) for stored in runs}


def _first_panels(runs: Mapping[int, StoredRun], groups: Mapping[int, int]) -> list[PanelChoice]:
    """One map of each of the first four groups; random scores only where there is nothing better to look at."""
    firsts = sorted(dict.fromkeys(groups.values()), key=lambda run_id: runs[run_id].run.method == RANDOM)
    return [PanelChoice(run_id) for run_id in firsts[:_FIRST_PANELS]]


def show_partner(store: Store, actor: User, instance_id: int, partner_id: int, panels: Sequence[PanelChoice]) -> Shown:
    """The same panels for the original or a perturbed version, and which tokens stand in the same place."""
    project = get_project_by_id(store, project_of_instance(store, instance_id))
    require(store, actor, project.id, "use models")
    if partner_id not in {number for number, _, _ in partners_of(store, instance_id)}:
        raise NotFound("That text is neither the original of this one nor a changed version of it.")
    with store.snapshot():
        runs = {stored.id: stored for stored in list_runs(store, project.id)}
        instance, partner = get_instance(store, instance_id), get_instance(store, partner_id)
        gold, withheld = _gold_for(store, actor, project, partner)
        shown = _shown(store, project, gold, [choice for choice in panels if choice.run_id in runs], runs)
    independence.show(store, actor, project.id, partner_id, independence.annotations_behind(gold))
    places = aligned_places(_selectable_tokens(instance), _selectable_tokens(partner))
    n = instance.layout.n_selectable
    return shown | {"withheld": withheld, "aligned": [place if place < n else None for place in places]}


def _gold_for(store: Store, actor: User, project: Project, instance: Instance) -> tuple[GoldInstance, str]:
    """The gold of an instance for a person; without sets where it is closed to them, and why, else ""."""
    gold = gold_of_instance(store, project, instance)
    closed = independence.why_withheld(store, actor, project.id, instance.id, independence.annotations_behind(gold))
    return (GoldInstance(instance, (), instance.result), closed) if closed else (gold, "")


def _selectable_tokens(instance: Instance) -> list[str]:
    return [token for segment in instance.segments if segment.is_selectable for token in segment.body.tokens()]


def _shown(
    store: Store, project: Project, gold: GoldInstance, chosen: Sequence[PanelChoice], runs: Mapping[int, StoredRun]
) -> Shown:
    instance = gold.instance
    row = gold_row(gold, project.task, keep_tokens=False, is_exhaustive=False)
    numbers = values_of_instance(store, instance.id)
    outputs = {choice.run_id: outputs_of_run(store, choice.run_id, [instance.id]).get(instance.id) for choice in chosen}
    answers = _answers(store, instance, chosen, runs)
    seeds = {c.run_id: group_attributions(store, instance.id, runs[c.run_id], runs.values()) for c in chosen}
    ratios = measured_ratios(store, project.id, [choice.run_id for choice in chosen], len(row.sides))
    trainings = Trainings.of(store, project.id)
    seen = seen_by(store, trainings, instance.id)
    return {
        "instance": {
            "id": instance.id, "key": instance.key, "split": instance.split, "result": instance.result,
            "language": instance.language, "parent": instance.parent_key, "kind": instance.perturbation_kind,
        },
        "segments": [_segment(instance, place) for place in range(len(instance.segments))],
        "gold": [list(rationale_set.token_indices) for rationale_set in gold.sets],
        "sides": [{"name": name, "n": n} for name, n in row.sides],
        "ratios": ratios or [UNMEASURED] * len(row.sides),
        "are_ratios_measured": bool(ratios),
        "panels": [
            _panel(
                choice, runs[choice.run_id], outputs[choice.run_id], answers.get(choice.run_id), instance, numbers,
                seeds[choice.run_id],
            )
            | _trust(trainings, seen, runs[choice.run_id].run.model)
            for choice in chosen
        ],
    }  # fmt: skip


def _trust(trainings: Trainings, seen: Mapping[str, Seen], model: str) -> Shown:
    """Of a model that was trained here: how often it is right, and whether it learned from this text; else None."""
    return {"trust": trainings.summary(model), "seen": seen_summary(seen.get(model))}


def _segment(instance: Instance, place: int) -> Shown:
    """A segment's text cut at its tokens: what stands before each, the token itself, and what follows the last."""
    segment, at = instance.segments[place], instance.layout.segments[place]
    body = segment.body
    before = [body.text[end:start] for end, start in zip((0, *body.ends), body.starts, strict=False)]
    rest = body.text[body.ends[-1] :] if body.ends else body.text
    return {
        "name": segment.name, "first": at.first_token, "is_selectable": segment.is_selectable,
        "tokens": body.tokens(), "before": before, "rest": rest,
    }  # fmt: skip


def _answers(
    store: Store, instance: Instance, chosen: Sequence[PanelChoice], runs: Mapping[int, StoredRun]
) -> dict[int, Prediction]:
    """What each panel's model answers to the full input, by the panel's run."""
    own = {(stored.run.model, stored.run.seed): stored.id for stored in runs.values() if not stored.run.method}
    found: dict[int, Prediction] = {}
    for choice in chosen:
        run = runs[choice.run_id].run
        run_id = own.get((run.model, run.seed), own.get((run.model, None)))
        output = outputs_of_run(store, run_id, [instance.id]).get(instance.id) if run_id is not None else None
        answer = next((p for p in output.predictions if p.on == "full"), None) if output is not None else None
        if answer is not None:
            found[choice.run_id] = answer
    return found


def _panel(
    choice: PanelChoice, stored: StoredRun, output: Output | None, answer: Prediction | None, instance: Instance,
    numbers: Mapping[tuple[int, int | None], Mapping[str, float]], seeds: Sequence[Sequence[Attribution]],
) -> Shown:  # fmt: skip
    run = stored.run
    attribution = _attribution(choice, output, answer, instance)
    rationale = next(iter(output.rationales), None) if output is not None and attribution is None else None
    layer = attribution.layer if attribution is not None else None
    of_run = numbers.get((stored.id, layer), {}) | numbers.get((stored.id, None), {})  # type: ignore[operator]  # both are dicts
    return {
        "run": stored.id, "model": run.model, "method": run.method, "parameters": run.parameters, "seed": run.seed,
        "unit": run.unit, "is_signed": _is_signed(run.is_signed, attribution), "label": attribution.label if attribution else "",
        "asked_label": choice.label, "layer": layer, "answer": _answer(answer), "numbers": dict(of_run),
        "scores": None if attribution is None else [None if s != s else _rounded(s) for s in attribution.scores],  # noqa: PLR0124  (NaN)
        "ranking": _ranking(attribution, rationale),
        "spans": list(rationale.spans) if rationale is not None and rationale.kind == "hard" else None,
        "pieces": None if attribution is None or attribution.pieces is None else [
            [p.text, p.start, p.end, p.is_special, p.segment, _rounded(score)] for p, score in attribution.pieces
        ],
        "convergence": attribution.convergence if attribution else None,
        "facts": dict(attribution.facts) if attribution else {},
        "spread": spread_of(attribution, seeds) if attribution else None,
    }  # fmt: skip


def _attribution(
    choice: PanelChoice, output: Output | None, answer: Prediction | None, instance: Instance
) -> Attribution | None:
    """The one that is asked for; without a label the predicted one's, else gold's, else the first; else the first layer."""
    there = list(output.attributions) if output is not None else []
    if choice.layer is not None:
        there = [attribution for attribution in there if attribution.layer == choice.layer]
    predicted = answer.label if answer is not None else None
    for label in (choice.label, predicted, instance.result):
        for attribution in there:
            if label is not None and attribution.label == label:
                return attribution
    return there[0] if there else None


def _is_signed(said: bool | None, attribution: Attribution | None) -> bool:
    if said is not None:
        return said
    return attribution is not None and any(score < 0 for score in attribution.scores)


def _ranking(attribution: Attribution | None, rationale: MachineRationale | None) -> list[int] | None:
    if attribution is not None:
        return None if attribution.ranking is None else list(attribution.ranking)
    return list(rationale.ranking) if rationale is not None and rationale.kind == "ranked" else None


def _answer(answer: Prediction | None) -> Shown | None:
    if answer is None:
        return None
    return {"label": answer.label, "probabilities": {label: round(p, 4) for label, p in answer.probabilities.items()}}


def _rounded(score: float) -> float:
    return float(f"{score:.{_DIGITS}g}")


def _choice(store: Store, stored: StoredRun, instance_id: int) -> Shown:
    """What can be chosen of a run for an instance."""
    output = outputs_of_run(store, stored.id, [instance_id]).get(instance_id)
    attributions = output.attributions if output is not None else ()
    run = asdict(stored.run)
    return {
        "run": stored.id,
        **{name: run[name] for name in ("model", "method", "parameters", "seed")},
        "layers": sorted({a.layer for a in attributions if a.layer is not None}),
        "labels": sorted({a.label for a in attributions if a.label}),
    }
