"""The numbers of a project's models: answers, plausibility against gold, faithfulness, consistency."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby

import numpy as np

from annotator.domain.people import User
from annotator.domain.projects import GoldPolicy, Project
from annotator.errors import NotFound
from annotator.metrics.aggregate import bootstrap, mean_of, over_seeds
from annotator.metrics.ragged import Floats
from annotator.store import Store
from annotator.store.models import StoredRun, iterate_outputs, list_models, list_runs
from annotator.usecases.exporting import gold_instances
from annotator.usecases.gold_rows import GoldTable, gold_row
from annotator.usecases.rights import require
from annotator.usecases.scoring_pairs import score_pairs
from annotator.usecases.scoring_runs import (
    Answers,
    Scored,
    ScoringOptions,
    confidence_of,
    layers_of,
    random_numbers,
    score_answers,
    score_attributions,
    score_faithfulness,
    score_rationales,
)

Numbers = dict[str, object]


def evaluate_project(
    store: Store,
    actor: User,
    project: Project,
    *,
    model: str | None = None,
    method: str | None = None,
    options: ScoringOptions = ScoringOptions(),
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Numbers:
    """Everything there is to say of a project's models (one, or all) under a gold policy.

    progress: called with how many runs are done, and how many there are
    Raises: NotFound for a model or a method that the project does not have
    """
    require(store, actor, project.id, "export")
    policy = options.gold_policy or project.settings.gold_policy
    with store.snapshot():
        runs = _runs(store, project, model, method)
        gold = gold_table(store, project, policy, options.split)
        is_label = project.task.result_kind == "label"
        scorer = _Scorer(store, gold, is_label, options, lambda done: progress(done, len(runs)))
        models = [scorer.model(name, list(of_model)) for name, of_model in groupby(runs, lambda one: one.run.model)]
    return {
        "project": project.name,
        "gold_policy": policy,
        "gold": _described(gold),
        "splits": dict(Counter(row.split for row in gold.rows)),
        "gamma": options.gamma,
        "random": random_numbers(gold) if len(gold) else {},
        "models": models,
    }


def _runs(store: Store, project: Project, model: str | None, method: str | None) -> list[StoredRun]:
    """The runs that were asked for; the model's own answers are always among them."""
    known = list_models(store, project.id)
    if model is not None and model not in known:
        there = f"it has {', '.join(known)}" if known else "it has none yet; import its predictions or attributions"
        raise NotFound(f"The project '{project.name}' has no model '{model}' ({there}).")
    runs = list_runs(store, project.id, model)
    methods = sorted({stored.run.method for stored in runs if stored.run.method})
    if method is not None and method not in methods:
        there = ", ".join(methods) or "none"
        raise NotFound(f"There is no method '{method}' here (there is {there}).")
    return [stored for stored in runs if method is None or stored.run.method in {"", method}]


def gold_table(store: Store, project: Project, policy: GoldPolicy, split: str | None = None) -> GoldTable:
    """A project's gold as metrics take it, tokens with it."""
    rows = [
        gold_row(item, project.task, keep_tokens=True, is_exhaustive=project.settings.is_exhaustive)
        for item in gold_instances(store, project, policy)
        if split is None or item.instance.split == split
    ]
    return GoldTable(rows)


def _described(gold: GoldTable) -> Numbers:
    """K of a side is ceil(ratio × its tokens); recall measures comprehensiveness only where gold is exhaustive."""
    return {
        "instances": len(gold),
        "instances_without_sets": int((gold.sets.n_sets == 0).sum()) if len(gold) else 0,
        "sets": int(gold.sets.n_sets.sum()) if len(gold) else 0,
        "ratios": dict(zip(gold.side_names, gold.ratios, strict=True)),
        "exhaustive_instances": sum(row.is_exhaustive for row in gold.rows),
    }


class _Scorer:
    """Scores runs; runs that differ in the seed alone are one row, with the mean and deviation over seeds."""

    def __init__(
        self, store: Store, gold: GoldTable, is_label: bool, options: ScoringOptions, progress: Callable[[int], None]
    ) -> None:
        self.store = store
        self.gold = gold
        self.is_label = is_label
        self.options = options
        self.progress = progress
        self.n_done = 0

    def model(self, name: str, runs: Sequence[StoredRun]) -> Numbers:
        own = {stored.run.seed: answers_of(self.store, stored.id) for stored in runs if not stored.run.method}
        scored = [score_answers(self.gold, answers, is_label=self.is_label) for answers in own.values() if answers]
        self._done(len(own))
        with_method = [stored for stored in runs if stored.run.method]
        methods: list[Numbers] = []
        for _, of_group in groupby(with_method, lambda one: one.run.group):
            group = list(of_group)
            methods += self._methods(group, own)
            self._done(len(group))
        return {
            "model": name,
            "seeds": list(own),
            "quality": self._numbers(scored),
            "counts": scored[0].counts if scored else {},
            "methods": methods,
        }

    def _done(self, n_runs: int) -> None:
        self.n_done += n_runs
        self.progress(self.n_done)

    def _methods(self, runs: Sequence[StoredRun], own: Mapping[int | None, Answers]) -> Iterator[Numbers]:
        """A row for each layer, for what is selected without scores, and for answers to changed inputs."""
        outputs = [{one.instance_id: one for one in iterate_outputs(self.store, stored.id)} for stored in runs]
        answers = [answers_of_seed(own, stored.run.seed) for stored in runs]
        first = runs[0].run
        head: Numbers = {
            "method": first.method,
            "parameters": json.loads(first.parameters),
            "seeds": [stored.run.seed for stored in runs],
        }
        faithfulness = [score_faithfulness(self.gold, o, a) for o, a in zip(outputs, answers, strict=True)]
        told = {
            "faithfulness": self._numbers([one for one in faithfulness if one.values]),
            "aopc_points": _points([one.drops for one in faithfulness]),
        }
        if not len(self.gold):
            yield head | {"kind": "attribution", "layer": None, "plausibility": {}, "counts": {}} | told
            return
        layers = sorted({layer for of_run in outputs for layer in layers_of(of_run)}, key=_layer_order)
        for layer in layers:
            scored = [
                score_attributions(self.gold, o, a, layer, self.options)
                for o, a in zip(outputs, answers, strict=True)
                if layer in layers_of(o)
            ]
            yield head | {"kind": "attribution", "layer": layer} | self._row(scored, answers) | told
        for kind in ("hard", "ranked"):
            if any(rationale.kind == kind for of_run in outputs for o in of_run.values() for rationale in o.rationales):
                scored = [score_rationales(self.gold, o, kind) for o in outputs]
                yield head | {"kind": kind, "layer": None} | self._row(scored, answers) | told
        if not layers and not any(o.rationales for of_run in outputs for o in of_run.values()):
            yield head | {"kind": "answers", "layer": None, "plausibility": {}, "counts": {}} | told

    def _row(self, scored: Sequence[Scored], answers: Sequence[Answers]) -> Numbers:
        pairs = score_pairs(scored[0], answers[0], n_resamples=self.options.n_resamples)
        confidence = confidence_of(scored[0], answers[0]) if "editing.mrr" in scored[0].values else {}
        return {
            "plausibility": self._numbers(scored),
            "consistency": pairs,
            "confidence": confidence,
            "counts": scored[0].counts,
        }

    def _numbers(self, scored: Sequence[Scored]) -> Numbers:
        """Each number over instances, and over seeds where there are several."""
        found: Numbers = {}
        for name in scored[0].values if scored else ():
            found[name] = self._number([one for one in scored if name in one.values], name)
        for name in scored[0].totals if scored else ():
            values = [value for one in scored if (value := one.totals.get(name)) is not None]
            found[name] = {"value": sum(values) / len(values) if values else None} | _spread(values, len(scored))
        return found

    def _number(self, of_seeds: Sequence[Scored], name: str) -> Numbers:
        means = [mean_of(one.values[name]) for one in of_seeds]
        there = [mean.value for mean in means if mean.value is not None]
        number: Numbers = asdict(means[0]) | {"value": sum(there) / len(there) if there else None}
        number |= _spread(there, len(of_seeds))
        if self.options.n_resamples:
            interval = bootstrap(_of_instances(of_seeds, name), n_resamples=self.options.n_resamples)
            number |= {"low": interval and interval.low, "high": interval and interval.high}
        return number


def answers_of(store: Store, run_id: int) -> Answers:
    """What a run answers to the full input, by instance."""
    return {
        output.instance_id: prediction
        for output in iterate_outputs(store, run_id)
        for prediction in output.predictions
        if prediction.on == "full"
    }


def _points(of_seeds: Sequence[Mapping[str, Mapping[float, float]]]) -> Numbers:
    """The mean drop at each threshold, over seeds that have it; None where only the other side has it; {} of none."""
    thresholds = sorted({t for drops in of_seeds for of_side in drops.values() for t in of_side})
    if not thresholds:
        return {}
    sides: Numbers = {}
    for side in ("comprehensiveness", "sufficiency"):
        found = [[drops[side][t] for drops in of_seeds if t in drops.get(side, {})] for t in thresholds]
        sides[side] = [sum(values) / len(values) if values else None for values in found]
    return {"thresholds": thresholds, **sides}


def _of_instances(of_seeds: Sequence[Scored], name: str) -> Floats:
    """Each instance's mean over seeds, where all are over the same instances; else the values of the first seed."""
    values = [one.values[name] for one in of_seeds]
    if len({tuple(row.id for row in one.gold.rows) for one in of_seeds}) > 1 or len(values) == 1:
        return values[0]
    table = np.stack(values)
    n = (~np.isnan(table)).sum(axis=0)
    return np.where(n > 0, np.nansum(table, axis=0) / np.maximum(n, 1), np.nan)


def _spread(values: Sequence[float], n_seeds: int) -> Numbers:
    return {} if n_seeds < 2 else {"deviation": over_seeds(np.array(values)).deviation, "n_seeds": n_seeds}


def answers_of_seed(own: Mapping[int | None, Answers], seed: int | None) -> Answers:
    """The model's answers of the same seed, else those without one, else the only ones there are."""
    if seed in own:
        return own[seed]
    if None in own:
        return own[None]
    return next(iter(own.values())) if len(own) == 1 else {}


def _layer_order(layer: int | None) -> int:
    return -1 if layer is None else layer
