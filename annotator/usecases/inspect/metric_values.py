"""Numbers of single instances: what stands behind a row of the table of metrics, and how much there is to score."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from annotator.domain.measurements import (
    ANNOTATOR,
    ANNOTATORS,
    CRITERION,
    EXHAUSTIVE,
    HELP,
    KIND,
    LABEL,
    METADATA,
    SPLIT,
)
from annotator.domain.people import User, has_right
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.figures.curves import Curve, Panel
from annotator.language import _, unsaid
from annotator.metrics.aggregate import Interval, mean_of, paired_bootstrap
from annotator.metrics.ragged import Floats
from annotator.scoring import scored_blocks
from annotator.scoring.gold import GoldTable
from annotator.scoring.instance_numbers import together
from annotator.scoring.runs import Answers, Scored, ScoringOptions, score_answers
from annotator.scoring.scored_blocks import score_run
from annotator.scoring.table import MetricRow
from annotator.store import Store
from annotator.store.annotate.annotations import has_help
from annotator.store.gold.releases import newest_release
from annotator.store.gold_choices import has_exhaustive
from annotator.store.measurements import fact_names, group_names
from annotator.store.models import StoredRun, answers_of_run, count_outputs, iterate_outputs, list_runs, splits_of
from annotator.store.people import roles_of
from annotator.usecases.access.rights import require
from annotator.usecases.gold_table import grouped_gold
from annotator.usecases.inspect.metrics_table import names_of
from annotator.usecases.inspect.project_scores import answers_of_seed, require_may_group, runs_asked
from annotator.usecases.inspect.stale_numbers import has_changed, last_change
from annotator.usecases.inspect.training_texts import without_training
from annotator.usecases.models.model_trust import Trainings


@dataclass(frozen=True, slots=True)
class ToScore:
    """How much there is. n_stored: answers, attributions (one a layer) and rationales, over all runs and instances."""

    n_runs: int
    n_stored: int


def what_to_score(store: Store, actor: User, project: Project) -> ToScore:
    """The size of what `evaluate_project` would score, without reading it."""
    require(store, actor, project.id, "export")
    runs = list_runs(store, project.id)
    counts = count_outputs(store, [stored.id for stored in runs])
    return ToScore(len(runs), sum(map(sum, counts.values())))


def newest_event(store: Store, actor: User, project: Project) -> int:
    """The number of the last event that changed gold or what models say: numbers that are made now are as of then."""
    require(store, actor, project.id, "export")
    return last_change(store, project.id)


def newest_release_number(store: Store, actor: User, project: Project) -> int:
    """The number of the newest release of the gold; 0 without any."""
    require(store, actor, project.id, "export")
    release = newest_release(store, project.id)
    return 0 if release is None else release.number


def has_changed_since(store: Store, actor: User, project: Project, event_id: int) -> bool:
    """Whether anything happened since an event that may change numbers."""
    require(store, actor, project.id, "export")
    return has_changed(store, project.id, event_id)


def split_names(store: Store, actor: User, project: Project) -> list[str]:
    """The splits of a project, "" for instances of none."""
    require(store, actor, project.id, "export")
    return list(splits_of(store, project.id))


def groupings_of(store: Store, actor: User, project: Project) -> list[str]:
    """By what the instances of a project may be grouped by somebody (domain/measurements.py)."""
    require(store, actor, project.id, "export")
    names = fact_names(store, project.id)
    sees_people = has_right(actor, roles_of(store, actor, project.id), "see all annotations")
    return [
        *([LABEL] if project.task.result_kind == "label" else []),
        SPLIT,
        KIND,
        *([CRITERION] if CRITERION in names else []),
        *([EXHAUSTIVE] if not project.settings.is_exhaustive and has_exhaustive(store, project.id) else []),
        *([ANNOTATOR, *(f"{ANNOTATORS}{name}" for name in group_names(store, project.id))] if sees_people else []),
        *([HELP] if has_help(store, project.id) else []),
        *(f"{METADATA}{name}" for name in names if name != CRITERION),
    ]


@dataclass(frozen=True, slots=True)
class RowChoice:
    """A row of the table of metrics, of one seed. kind: "attribution", "hard", "ranked" or "answers"; parameters: JSON."""

    model: str
    method: str
    kind: str
    layer: int | None = None
    parameters: str = "{}"
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class ScoredInstance:
    """An instance of which a run says something. p: of the label that the model predicts, None where it does not say it."""

    id: int
    key: str
    split: str
    result: str | None
    predicted: str | None
    p: float | None
    kind: str | None


@dataclass(frozen=True, slots=True, eq=False)
class InstanceValues:
    """values: by column of the table, float[n_instances], NaN where it is not defined; MAPs belong to the perturbed version."""

    instances: tuple[ScoredInstance, ...]
    values: Mapping[str, Floats]


def values_of_row(
    store: Store, actor: User, project: Project, choice: RowChoice, options: ScoringOptions = ScoringOptions()
) -> InstanceValues:
    """Every number of every instance behind a row.

    Raises: NotFound for a run that the project does not have
    """
    require(store, actor, project.id, "export")
    require_may_group(store, actor, project, options.grouping[0])
    with store.snapshot():
        runs = list_runs(store, project.id, choice.model)
        stored = _find(runs, choice)
        policy = options.policy_of(project)
        whole = grouped_gold(store, project, policy, options.split, options.grouping, options.ratio).gold
        gold, _ = without_training(store, Trainings.of(store, project.id), choice.model, whole, options)
        answers_by_seed = {other.run.seed: answers_of_run(store, other.id) for other in runs if not other.run.method}
        answers = answers_of_seed(answers_by_seed, choice.seed)
        parts = []
        if len(gold):
            outputs = iterate_outputs(store, stored.id) if choice.method else ()
            scored = score_run(gold, outputs, answers, options, only=(choice.kind, choice.layer))
            is_label = project.task.result_kind == "label"
            faithfulness = scored.faithfulness_of((choice.kind, choice.layer))
            parts = [*scored.rows.values(), score_answers(gold, answers, is_label=is_label)]
            parts += [faithfulness] if faithfulness is not None else []
    return _together(gold, answers, parts)


def values_of_rows(
    store: Store, actor: User, project: Project, *, model: str | None = None, method: str | None = None,
    options: ScoringOptions = ScoringOptions(),
) -> Iterator[tuple[RowChoice, InstanceValues]]:  # fmt: skip
    """The same of every row of the table and each of its seeds, run by run; an answer's quality stands in each row of its model.

    Raises: NotFound for a model or a method that the project does not have
    """
    require(store, actor, project.id, "export")
    require_may_group(store, actor, project, options.grouping[0])
    with store.snapshot():
        runs = runs_asked(store, project, model, method)
        policy = options.policy_of(project)
        whole = grouped_gold(store, project, policy, options.split, options.grouping, options.ratio).gold
        trainings = Trainings.of(store, project.id)
        for name, of_model in groupby(runs, lambda stored: stored.run.model):
            gold, _ = without_training(store, trainings, name, whole, options)
            if len(gold):
                yield from _of_model(store, project, gold, list(of_model), options)


def _of_model(
    store: Store, project: Project, gold: GoldTable, runs: Sequence[StoredRun], options: ScoringOptions
) -> Iterator[tuple[RowChoice, InstanceValues]]:
    answers_by_seed = {stored.run.seed: answers_of_run(store, stored.id) for stored in runs if not stored.run.method}
    has_methods = any(stored.run.method for stored in runs)
    for stored in runs:
        run = stored.run
        if has_methods and not run.method:
            continue
        answers = answers_of_seed(answers_by_seed, run.seed)
        quality = score_answers(gold, answers, is_label=project.task.result_kind == "label")
        if not run.method:
            yield RowChoice(run.model, "", "answers", seed=run.seed), _together(gold, answers, [quality])
            continue
        scored = score_run(gold, iterate_outputs(store, stored.id), answers, options)
        rows: list[tuple[str, int | None, list[Scored]]] = [
            (*key, [row]) for key, row in _unrepeated(scored.rows).items()
        ]
        for kind, layer, parts in rows or [("answers", None, [])]:
            choice = RowChoice(run.model, run.method, kind, layer, run.parameters, run.seed)
            faithfulness = scored.faithfulness_of((kind, layer))
            yield choice, _together(gold, answers, [*parts, *([faithfulness] if faithfulness else []), quality])


def _unrepeated(rows: Mapping[scored_blocks.RowKey, Scored]) -> Mapping[scored_blocks.RowKey, Scored]:
    """Without what is selected where that is the top k of the run's scores, as in the table (see `without_repeats`)."""
    scores = [row for (kind, _), row in rows.items() if kind == "attribution"]
    if len(scores) != 1:
        return rows
    return {key: row for key, row in rows.items() if key[0] != "hard" or not _are_same(scores[0], row)}


def _are_same(scores: Scored, selected: Scored) -> bool:
    shared = scores.values.keys() & selected.values.keys()
    return bool(shared) and all(
        len(scores.values[name]) == len(selected.values[name])
        and np.allclose(scores.values[name], selected.values[name], rtol=0, atol=1e-9, equal_nan=True)
        for name in shared
    )


def _find(runs: Sequence[StoredRun], choice: RowChoice) -> StoredRun:
    wanted = (choice.method, choice.parameters, choice.seed)
    for stored in runs:
        if (stored.run.method, stored.run.parameters, stored.run.seed) == wanted:
            return stored
    raise NotFound(_("This run of {model} no longer exists.", model=choice.model))


def _together(gold: GoldTable, answers: Answers, parts: Sequence[Scored]) -> InstanceValues:
    """The parts are over different instances; one that is in none is left out."""
    places, values = together(gold, parts)
    return InstanceValues(tuple(_instance(gold, index, answers) for index in places.tolist()), values)


def only(values: InstanceValues, ids: Collection[int]) -> InstanceValues:
    """Of some instances alone."""
    stays = np.array([instance.id in ids for instance in values.instances], dtype=np.bool_)
    instances = tuple(
        instance for instance, stays_here in zip(values.instances, stays.tolist(), strict=True) if stays_here
    )
    return InstanceValues(instances, {name: of_all[stays] for name, of_all in values.values.items()})


def _instance(gold: GoldTable, index: int, answers: Answers) -> ScoredInstance:
    row, answer = gold.rows[index], answers.get(gold.rows[index].id)
    label = None if answer is None else answer.label
    p = None if answer is None or label is None else answer.probabilities.get(label)
    kind = row.kind or "perturbed" if row.parent_key is not None else None
    return ScoredInstance(row.id, row.key, row.split, row.result, label, p, kind)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two rows over the instances for which both have a value. difference: first − second, mean of `differences`.

    n_left_out: instances that only one of the rows has a value for; interval: paired bootstrap, None for fewer than two
    """

    instances: tuple[ScoredInstance, ...]
    differences: Floats
    difference: float | None
    n_higher: int
    n_lower: int
    n_equal: int
    n_left_out: int
    interval: Interval | None


def compare_rows(first: InstanceValues, second: InstanceValues, name: str, *, n_resamples: int = 1000) -> Comparison:
    """How a number of one row differs from that of another, instance by instance."""
    others = _defined(second, name)
    mine = _defined(first, name)
    shared = [instance for instance in first.instances if instance.id in mine and instance.id in others]
    a, b = (np.array([of_row[instance.id] for instance in shared], dtype=np.float64) for of_row in (mine, others))
    return Comparison(
        tuple(shared), a - b, mean_of(a - b).value, int((a > b).sum()), int((a < b).sum()), int((a == b).sum()),
        len(mine.keys() | others.keys()) - len(shared), paired_bootstrap(a, b, n_resamples=n_resamples),
    )  # fmt: skip


def _defined(row: InstanceValues, name: str) -> dict[int, float]:
    """By instance; a loss may be infinite, which has no difference."""
    values = row.values.get(name, np.full(len(row.instances), np.nan))
    return {
        instance.id: value for instance, value in zip(row.instances, values.tolist(), strict=True) if np.isfinite(value)
    }


# How far the probability falls by the share of tokens that is removed, or left alone: the curves behind AOPC.


SIDES = {"comprehensiveness": unsaid("Comprehensiveness ↑"), "sufficiency": unsaid("Sufficiency ↓")}
WHAT_DROPS_ARE = unsaid(
    "Mean drop in the predicted label's probability, over instances with predictions at every "
    "threshold. AOPC: mean over thresholds (DeYoung et al. 2020, section 4.2)."
)
_CURVES = (
    ("comprehensiveness", unsaid("share of tokens removed, top scores first"), "eraser.comprehensiveness_aopc"),
    ("sufficiency", unsaid("share of tokens kept, top scores first"), "eraser.sufficiency_aopc"),
)


def rows_with_curves(rows: Sequence[MetricRow]) -> list[MetricRow]:
    """The first row of each run that has answers at several thresholds."""
    return list({row.run: row for row in reversed(rows) if row.points is not None}.values())[::-1]


def drop_panels(rows: Sequence[MetricRow]) -> list[Panel]:
    """A panel for each side, a line for each of such rows."""
    names = names_of_runs(rows)
    return [
        Panel(_(SIDES[side]), _(across), _("mean probability drop"), list(_drops(rows, names, side, column)))
        for side, across, column in _CURVES
    ]


def names_of_runs(rows: Sequence[MetricRow]) -> list[str]:
    """Names without the layer, which is one of several."""
    return names_of([replace(row, layer=None, kind="") for row in rows])


def _drops(rows: Sequence[MetricRow], names: Sequence[str], side: str, column: str) -> Iterator[Curve]:
    for row, name in zip(rows, names, strict=True):
        if row.points is not None:
            pairs = zip(row.points.thresholds, getattr(row.points, side), strict=True)
            points = [(x, y) for x, y in pairs if y is not None]
            if points:
                n = row.numbers[column].n if column in row.numbers else None
                yield Curve(name, [x for x, _y in points], [y for _x, y in points], n=[n] * len(points))
