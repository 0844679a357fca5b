"""The numbers of a project's models: answers, plausibility against gold, faithfulness, consistency."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

import numpy as np

from annotator.domain.measurements import (
    ANNOTATORS,
    CRITERION,
    METADATA,
    grouping_in_words,
    is_of_people,
    require_grouping,
)
from annotator.domain.models import Output
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed, unknown
from annotator.metrics.ragged import Flags
from annotator.scoring import reports, scored_blocks
from annotator.scoring.gold import GoldTable, people_of
from annotator.scoring.instance_numbers import Behind, OfSeed, RowKey, coded_labels, families_of, has_choice, places_of
from annotator.scoring.runs import Answers, Scored, ScoringOptions, confidence_inputs, score_answers
from annotator.scoring.scored_blocks import OverInstances, random_numbers
from annotator.scoring.seeds import ConfidenceOverSeeds, NumbersOverSeeds, PairsOverSeeds
from annotator.store import Store
from annotator.store import models as models_store
from annotator.store.annotate.annotations import accepted_of
from annotator.store.measurements import fact_names, group_names
from annotator.store.project.label_replacement import labelled_ids
from annotator.usecases.access.rights import require
from annotator.usecases.gold import require_split
from annotator.usecases.gold_table import GroupedGold, grouped_gold
from annotator.usecases.inspect.gold_release import gold_release
from annotator.usecases.inspect.training_texts import without_training
from annotator.usecases.models.model_trust import Trainings


def evaluate_project(
    store: Store, actor: User, project: Project, *, model: str | None = None, method: str | None = None,
    options: ScoringOptions = ScoringOptions(), progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> reports.ProjectReport:  # fmt: skip
    """Everything there is to say of a project's models (one, or all) under a gold policy.

    progress: called with how many runs are done, and how many there are
    Raises: NotFound for a model, a method or a criterion that the project does not have
    """
    numbers = _evaluated(store, actor, project, model, method, options, progress, keeps_instances=False)[0]
    by, group = options.grouping
    require_group(by, group, numbers["criteria"] if by == CRITERION else numbers["groups"])
    return numbers


def require_group(by: str, group: str | None, groups: Mapping[str, int]) -> None:
    """Raise NotFound for a group that no instance with gold is in, naming those there are. groups: with their sizes."""
    if group is not None and group not in groups:
        known = listed([f"'{name}'" for name in groups]) or _("none")
        raise NotFound(
            _(
                "No gold instance has {by} '{group}', only {known}.", by=grouping_in_words(by), group=group, known=known
            )
        )  # fmt: skip


def evaluate_with_instances(
    store: Store, actor: User, project: Project, *, model: str | None = None, method: str | None = None,
    options: ScoringOptions = ScoringOptions(), progress: Callable[[int, int], None] = lambda _done, _of: None,
    show_gold: Callable[[reports.ProjectReport], None] = lambda _: None,
) -> tuple[reports.ProjectReport, Behind]:  # fmt: skip
    """The same, with the numbers of all instances behind it; memory grows with these.

    show_gold: called once the gold is known, with the answer as far as it goes then: without models and random
    """
    options = replace(options, has_null=True)
    numbers, behind = _evaluated(
        store, actor, project, model, method, options, progress, keeps_instances=True, show_gold=show_gold
    )
    if options.perspective == "personal":
        require_group(*options.grouping, numbers["groups"])
    return numbers, cast("Behind", behind)


def _evaluated(
    store: Store, actor: User, project: Project, model: str | None, method: str | None, options: ScoringOptions,
    progress: Callable[[int, int], None], *, keeps_instances: bool,
    show_gold: Callable[[reports.ProjectReport], None] = lambda _: None,
) -> tuple[reports.ProjectReport, Behind | None]:  # fmt: skip
    require(store, actor, project.id, "export")
    require_may_group(store, actor, project, options.grouping[0])
    policy = options.policy_of(project)
    with store.snapshot():
        require_split(store, [project], options.split)
        require_fact(store, project, options.grouping[0])
        runs = runs_asked(store, project, model, method)
        grouped = grouped_gold(store, project, policy, options.split, options.grouping, options.ratio)
        return score_gold(
            store, project, runs, grouped, options, progress, keeps_instances=keeps_instances, show_gold=show_gold,
            release=gold_release(store, project, policy, is_of_people=options.whose is not None),
        )  # fmt: skip


def score_gold(
    store: Store, project: Project, runs: Sequence[models_store.StoredRun], grouped: GroupedGold, options: ScoringOptions,
    progress: Callable[[int, int], None], *, keeps_instances: bool, answers_by_run: dict[int, Answers] | None = None,
    show_gold: Callable[[reports.ProjectReport], None] = lambda _: None, release: str | None = None,
) -> tuple[reports.ProjectReport, Behind | None]:  # fmt: skip
    """Runs against gold that is read already.

    answers_by_run: kept from one group to the next; show_gold: see `evaluate_with_instances`
    release: of the project's gold, in words
    """
    gold = grouped.gold
    is_label = project.task.result_kind == "label"
    labelled = labelled_ids(store, project.id, options.split) if is_label and options.grouping[1] is None else set()
    is_hard_gold_of_all = options.grouping[1] is None and options.perspective is None
    n_other = accepted_of(store, project.id, options.split).n_other if is_hard_gold_of_all else 0
    numbers: reports.ProjectReport = {
        "project": project.name,
        "gold_policy": options.policy_of(project),
        "release": release,
        "gold": _described(gold, len(labelled - {row.id for row in gold.rows}), n_other),
        "split": options.split,
        "criterion": options.criterion,
        "splits": dict(Counter(row.split for row in gold.rows)),
        "criteria": dict(grouped.criteria),
        "by": options.grouping[0],
        "group": options.grouping[1],
        "groups": dict(grouped.counts),
        "gamma": options.gamma,
        "ferret_k": options.ferret_k,
        "random": {},
        "models": [],
    }
    show_gold(numbers)
    trainings = Trainings.of(store, project.id)
    instance_numbers = _InstanceNumbers(gold) if keeps_instances else None
    scorer = _Scorer(
        store, gold, trainings, is_label, options, instance_numbers, lambda done: progress(done, len(runs)),
        answers_by_run,
    )  # fmt: skip
    numbers["models"] = [
        scorer.model(name, list(of_model)) for name, of_model in groupby(runs, lambda stored: stored.run.model)
    ]
    if len(gold) and gold.has_gold:
        of_random = None if instance_numbers is None else instance_numbers.random
        numbers["random"] = random_numbers(gold, of_random, options.ferret_k)
    return numbers, None if instance_numbers is None else instance_numbers.behind()


def require_may_group(store: Store, actor: User, project: Project, by: str) -> None:
    """Groups of annotators say who marked what: they are for those who see all annotations."""
    if by:
        require_grouping(by)
    if is_of_people(by):
        require(store, actor, project.id, "see all annotations")


def require_fact(store: Store, project: Project, by: str) -> None:
    """Raise InvalidValue for a name of the metadata, of texts or of annotators, that is told nowhere, naming those there are."""
    if by.startswith(ANNOTATORS):
        _require_told_of_people(store, project, by.removeprefix(ANNOTATORS))
    if not by.startswith(METADATA):
        return
    name, known = by.removeprefix(METADATA), fact_names(store, project.id)
    if name in known:
        return
    quoted = listed([f"'{fact}'" for fact in known])
    there_is = _("text metadata: {known}", known=quoted) if known else _("no text metadata")
    if name in group_names(store, project.id):
        raise InvalidValue(
            _("'{name}' describes annotators, not texts. Group by '{by}'.", name=name, by=f"{ANNOTATORS}{name}")
        )
    raise InvalidValue(
        _(
            "No text of '{project}' has metadata '{name}'; {there_is}.",
            project=project.name, name=name, there_is=there_is
        )
    )  # fmt: skip


def _require_told_of_people(store: Store, project: Project, name: str) -> None:
    known = group_names(store, project.id)
    if name not in known:
        quoted = listed([f"'{fact}'" for fact in known])
        there_is = _("available: {known}", known=quoted) if known else _("none available")
        raise InvalidValue(
            _(
                "No file of '{project}' gives annotators' '{name}'; {there_is}.",
                project=project.name, name=name, there_is=there_is
            )
        )  # fmt: skip


def runs_asked(store: Store, project: Project, model: str | None, method: str | None) -> list[models_store.StoredRun]:
    """The runs that were asked for; the model's own answers are always among them.

    Raises: NotFound for a model or a method that the project does not have
    """
    known = models_store.list_models(store, project.id)
    if model is not None and model not in known:
        alternatives = (
            _("only {known}", known=listed(known)) if known else _("none yet; import predictions or attributions")
        )
        raise NotFound(
            _(
                "Project '{project}' has no model '{model}' ({alternatives}).",
                project=project.name, model=model, alternatives=alternatives
            )
        )  # fmt: skip
    runs = models_store.list_runs(store, project.id, model)
    methods = sorted({stored.run.method for stored in runs if stored.run.method})
    if method is not None and method not in methods:
        known_methods = listed(methods) or _("none")
        raise NotFound(unknown(_("method"), method, known_methods))
    return [stored for stored in runs if method is None or stored.run.method in {"", method}]


def _described(gold: GoldTable, n_without_gold: int, n_other: int) -> reports.GoldReport:
    """K of a side is ceil(ratio × its tokens); recall measures comprehensiveness only where gold is exhaustive."""
    described: reports.GoldReport = {
        "instances": len(gold) if gold.has_gold else 0,
        "scored_without_gold": 0 if gold.has_gold else len(gold),
        "labelled_without_gold": n_without_gold,
        "annotations_with_other_results": n_other,
        "instances_without_sets": int((gold.sets.n_sets == 0).sum()) if len(gold) and gold.has_gold else 0,
        "sets": int(gold.sets.n_sets.sum()) if len(gold) else 0,
        "ratios": dict(zip(gold.side_names, gold.ratios, strict=True)),
        "exhaustive_instances": sum(row.is_exhaustive for row in gold.rows) if gold.has_gold else 0,
    }
    if gold.is_soft and gold.has_gold and len(gold):
        described["people"] = people_of(gold)
    return described


class _InstanceNumbers:
    """Numbers of single instances, gathered while rows are scored."""

    def __init__(self, gold: GoldTable) -> None:
        self.gold = gold
        self.rows: dict[RowKey, list[OfSeed]] = {}
        self.quality: dict[str, list[OfSeed]] = {}
        self.left_out: dict[str, Flags] = {}
        self.random = OverInstances(len(gold))

    def leave_out(self, model: str, part: GoldTable) -> None:
        """What a model is not scored on."""
        is_left_out = np.ones(len(self.gold), dtype=np.bool_)
        is_left_out[[self.gold.places[row.id] for row in part.rows]] = False
        self.left_out[model] = is_left_out

    def behind(self) -> Behind:
        labels, names = coded_labels(self.gold)
        ids = np.fromiter((row.id for row in self.gold.rows), dtype=np.int64, count=len(self.gold))
        kinds = [row.kind or "" if row.parent_key is not None else None for row in self.gold.rows]
        choice = has_choice(self.gold) if len(self.gold) else np.zeros(0, dtype=np.bool_)
        return Behind(
            ids, kinds, choice, labels, names, self.rows, self.quality, self.random.means(), self.left_out,
            families_of(self.gold),
        )  # fmt: skip


@dataclass(slots=True)
class _Scorer:
    """Scores runs; runs that differ in the seed alone are one row, with the mean and deviation over seeds."""

    store: Store
    gold: GoldTable
    trainings: Trainings
    is_label: bool
    options: ScoringOptions
    instance_numbers: _InstanceNumbers | None
    progress: Callable[[int], None]
    answers_by_run: dict[int, Answers] | None
    n_done: int = 0

    def model(self, name: str, runs: Sequence[models_store.StoredRun]) -> reports.ModelReport:
        answers_by_seed: dict[int | None, Answers] = {}
        gold, training = without_training(self.store, self.trainings, name, self.gold, self.options)
        if self.instance_numbers is not None and len(gold) < len(self.gold):
            self.instance_numbers.leave_out(name, gold)
        quality = NumbersOverSeeds(self.gold, len(runs), self.options.n_resamples)
        for stored in runs:
            if not stored.run.method:
                answers = answers_by_seed[stored.run.seed] = self._answers(stored.id)
                if answers and (gold.has_gold or any(row.result is not None for row in gold.rows)):
                    labels = self.options.ordered_labels
                    scored = score_answers(gold, answers, is_label=self.is_label, ordered_labels=labels)
                    self._add_quality(stored, quality, scored)
                self._done()
        with_method = [stored for stored in runs if stored.run.method]
        methods: list[reports.MethodReport] = []
        for _reason, group in groupby(with_method, lambda stored: stored.run.group):
            methods += self._methods(list(group), gold, answers_by_seed)
        return {
            "model": name,
            "seeds": list(answers_by_seed),
            "training": None if training is None else training.report(),
            "quality": quality.report(),
            **quality.count_report(),
            "methods": methods,
        }

    def _answers(self, run_id: int) -> Answers:
        if self.answers_by_run is None:
            return models_store.answers_of_run(self.store, run_id)
        if run_id not in self.answers_by_run:
            self.answers_by_run[run_id] = models_store.answers_of_run(self.store, run_id)
        return self.answers_by_run[run_id]

    def _outputs(self, run_id: int, gold: GoldTable) -> Iterator[Output]:
        """Of all instances, or of those of a group, which may be few."""
        if self.options.grouping[1] is None:
            return models_store.iterate_outputs(self.store, run_id)
        return models_store.iterate_outputs_of(self.store, run_id, [row.id for row in gold.rows])

    def _add_quality(self, stored: models_store.StoredRun, quality: NumbersOverSeeds, scored: Scored) -> None:
        quality.add(scored)
        if self.instance_numbers is not None:
            of_seed = OfSeed.of_answers(self.gold, scored, stored.run.seed)
            self.instance_numbers.quality.setdefault(stored.run.model, []).append(of_seed)

    def _done(self) -> None:
        self.n_done += 1
        self.progress(self.n_done)

    def _methods(
        self, runs: Sequence[models_store.StoredRun], gold: GoldTable, answers_by_seed: Mapping[int | None, Answers]
    ) -> Iterator[reports.MethodReport]:
        """A row for each layer, for what is selected without scores, and for answers to changed inputs."""
        rows: dict[scored_blocks.RowKey, _Row] = {}
        arguments = (self.gold, len(runs), self.options.n_resamples)
        faithfulness, drops = NumbersOverSeeds(*arguments), []
        kind_of_none = "answers" if len(self.gold) else "attribution"
        for stored in runs:
            answers = answers_of_seed(answers_by_seed, stored.run.seed)
            outputs = self._outputs(stored.id, gold) if len(gold) else iter(())
            scored = scored_blocks.score_run(gold, outputs, answers, self.options)
            for key, of_row in scored.rows.items():
                rows.setdefault(key, _Row(*arguments)).add(of_row, answers)
            if scored.faithfulness.values:
                faithfulness.add(scored.faithfulness)
            drops.append(scored.faithfulness.drops)
            self._keep(stored, scored, answers, kind_of_none)
            self._done()
        first = runs[0].run
        head: reports.SeedsReport = {
            "method": first.method, "parameters": json.loads(first.parameters),
            "seeds": [stored.run.seed for stored in runs],
        }  # fmt: skip
        behaviour: reports.BehaviourReport = {"faithfulness": faithfulness.report(), "aopc_points": _points(drops)}
        nothing: reports.BehaviourReport = {"faithfulness": {}, "aopc_points": {}}
        layers = {layer for kind, layer in rows if kind == "attribution"}
        for kind, layer in sorted(rows, key=scored_blocks.row_order):
            is_reduced = scored_blocks.is_reduced_by((kind, layer), layers)
            report = rows[kind, layer].report(faithfulness if is_reduced else None)
            yield {**head, "kind": kind, "layer": layer, **report, **(behaviour if is_reduced else nothing)}
        if not rows:
            yield {
                "method": head["method"], "parameters": head["parameters"], "seeds": head["seeds"], "kind": kind_of_none,
                "layer": None, "plausibility": {}, "counts": {}, "faithfulness": behaviour["faithfulness"],
                "aopc_points": behaviour["aopc_points"],
            }  # fmt: skip

    def _keep(
        self, stored: models_store.StoredRun, scored: scored_blocks.ScoredRun, answers: Answers, kind_of_none: str
    ) -> None:
        if self.instance_numbers is None:
            return
        rows = dict(scored.rows) or {(kind_of_none, None): Scored(self.gold.take(()))}
        for (kind, layer), of_row in rows.items():
            of_seed = OfSeed.of(self.gold, of_row, scored.faithfulness_of((kind, layer)), answers, stored.run.seed)
            self.instance_numbers.rows.setdefault((*stored.run.group, kind, layer), []).append(of_seed)


class _Row:
    """A layer of a method, or what it selects, over seeds."""

    def __init__(self, gold: GoldTable, n_seeds: int, n_resamples: int) -> None:
        self.plausibility = NumbersOverSeeds(gold, n_seeds, n_resamples)
        self.consistency = PairsOverSeeds(n_resamples)
        self.confidence = ConfidenceOverSeeds()

    def add(self, scored: Scored, answers: Answers) -> None:
        self.plausibility.add(scored)
        self.consistency.add(scored, answers)
        if "editing.mrr" in scored.values:
            self.confidence.add(places_of(self.plausibility.gold, scored), *confidence_inputs(scored, answers))

    def report(self, faithfulness: NumbersOverSeeds | None) -> reports.PlausibilityReport:
        """faithfulness: of the same tokens, whose own counts stand beside the row's; None of a layer that has none."""
        counts = self.plausibility.count_report()
        if faithfulness is not None:
            others = faithfulness.count_report()
            counts["counts"] = others["counts"] | counts["counts"]
            if "count_deviations" in counts:
                counts["count_deviations"] = others.get("count_deviations", {}) | counts["count_deviations"]
        return {
            "plausibility": self.plausibility.report(),
            "consistency": self.consistency.report(),
            "confidence": self.confidence.report(),
            **counts,
        }


def _points(of_seeds: Sequence[Mapping[str, Mapping[float, float]]]) -> reports.Report:
    """The mean drop at each threshold, over seeds that have it; None where only the other side has it; {} of none."""
    thresholds = sorted({t for drops in of_seeds for of_side in drops.values() for t in of_side})
    if not thresholds:
        return {}
    sides: reports.Report = {}
    for side in ("comprehensiveness", "sufficiency"):
        drops_at_thresholds = [[drops[side][t] for drops in of_seeds if t in drops.get(side, {})] for t in thresholds]
        sides[side] = [sum(values) / len(values) if values else None for values in drops_at_thresholds]
    return {"thresholds": thresholds, **sides}


def answers_of_seed(answers_by_seed: Mapping[int | None, Answers], seed: int | None) -> Answers:
    """The model's answers of the same seed, else those without one, else the only ones there are."""
    if seed in answers_by_seed:
        return answers_by_seed[seed]
    if None in answers_by_seed:
        return answers_by_seed[None]
    return next(iter(answers_by_seed.values())) if len(answers_by_seed) == 1 else {}
