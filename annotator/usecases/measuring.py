"""Measuring runs: numbers for each instance, stored, so that lists can be sorted and filtered by them."""

from collections.abc import Callable, Iterator

import numpy as np

from annotator.domain.measurements import Measurement
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.metrics.ragged import Floats
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.measurements import (
    changes_since,
    last_event_id,
    measurements_of,
    write_measurement,
)
from annotator.store.models import StoredRun, iterate_outputs, list_runs
from annotator.usecases.evaluating_project import answers_of, answers_of_seed, gold_table
from annotator.usecases.gold_rows import GoldTable
from annotator.usecases.rights import require
from annotator.usecases.scoring_pairs import values_of_pairs
from annotator.usecases.scoring_runs import (
    Answers,
    Scored,
    ScoringOptions,
    layers_of,
    score_answers,
    score_attributions,
    score_faithfulness,
    score_rationales,
)

# The numbers that are kept, in the order in which a screen offers them.
MEASURED: tuple[str, ...] = (
    "sets.best_f1",
    "sets.best_iou",
    "sets.coverage",
    "editing.mrr",
    "editing.average_precision",
    "eraser.auprc",
    "er_test.order",
    "er_test.mae_mean",
    "method.sufficiency",
    "method.comprehensiveness",
    "benchmark.map",
    "benchmark.map_aligned",
    "eraser.accuracy",
)
_PAIRED = {"map": "benchmark.map", "map_aligned": "benchmark.map_aligned"}
Value = tuple[int | None, str, int, float]


def measure(
    store: Store, actor: User, project: Project, *, progress: Callable[[int, int], None] = lambda _done, _of: None
) -> int:
    """Measure every run of a project against its gold as it is now; answers the number of runs.

    progress: called with how many runs are done, and how many there are
    """
    require(store, actor, project.id, "use models")
    policy, options = project.settings.gold_policy, ScoringOptions()
    with store.snapshot():
        event_id = last_event_id(store, project.id)
        gold = gold_table(store, project, policy)
        runs = list_runs(store, project.id)
        own = _answers_by_model(store, runs)
        found: list[tuple[StoredRun, list[Value]]] = []
        for number, stored in enumerate(runs):
            answers = answers_of_seed(own[stored.run.model], stored.run.seed)
            is_label = project.task.result_kind == "label"
            found.append((stored, list(_values(store, gold, stored, answers, options, is_label=is_label))))
            progress(number + 1, len(runs))
    with store.transaction():
        for stored, values in found:
            made = Measurement(stored.id, policy, {"gamma": options.gamma, "ratios": gold.ratios}, event_id, "")
            write_measurement(store, made, values)
        add_event(store, actor.name, "measure", "project", project.id, project_id=project.id, runs=len(found))
    return len(found)


def is_out_of_date(store: Store, project: Project) -> bool:
    """Whether a run was never measured, or something happened since that may change its numbers."""
    made = measurements_of(store, project.id)
    runs = list_runs(store, project.id)
    if any(stored.id not in made or made[stored.id].gold_policy != project.settings.gold_policy for stored in runs):
        return True
    oldest = min((one.last_event_id for one in made.values()), default=0)
    return bool(runs) and changes_since(store, project.id, oldest) > 0


def _answers_by_model(store: Store, runs: list[StoredRun]) -> dict[str, dict[int | None, Answers]]:
    own: dict[str, dict[int | None, Answers]] = {stored.run.model: {} for stored in runs}
    for stored in runs:
        if not stored.run.method:
            own[stored.run.model][stored.run.seed] = answers_of(store, stored.id)
    return own


def _values(
    store: Store, gold: GoldTable, stored: StoredRun, answers: Answers, options: ScoringOptions, *, is_label: bool
) -> Iterator[Value]:
    if not len(gold):
        return
    if not stored.run.method:
        yield from _kept(score_answers(gold, answers, is_label=is_label), None)
        return
    outputs = {output.instance_id: output for output in iterate_outputs(store, stored.id)}
    for layer in layers_of(outputs):
        scored = score_attributions(gold, outputs, answers, layer, options)
        yield from _kept(scored, layer)
        yield from _of_pairs(scored, layer)
    if not layers_of(outputs):
        for kind in ("hard", "ranked"):
            scored = score_rationales(gold, outputs, kind)
            if len(scored.gold):
                yield from _kept(scored, None)
                yield from _of_pairs(scored, None)
                break
    yield from _kept(score_faithfulness(gold, outputs, answers), None)


def _kept(scored: Scored, layer: int | None) -> Iterator[Value]:
    for name in MEASURED:
        if name in scored.values:
            yield from _each(scored, scored.values[name], name, layer)


def _each(scored: Scored, values: Floats, name: str, layer: int | None) -> Iterator[Value]:
    for row, value in zip(scored.gold.rows, values.tolist(), strict=True):
        if np.isfinite(value):
            yield layer, name, row.id, value


def _of_pairs(scored: Scored, layer: int | None) -> Iterator[Value]:
    """The MAP of a pair belongs to its perturbed version."""
    pairs, values = values_of_pairs(scored)
    for name, of_pairs in values.items():
        if name in _PAIRED:
            for (_, second), value in zip(pairs, of_pairs.tolist(), strict=True):
                if np.isfinite(value):
                    yield layer, _PAIRED[name], scored.gold.rows[second].id, value
