"""What help did to a project's annotations, where a lot decided who had it, and to the score of the model that helped."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import Output
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.language import _, together
from annotator.review.help_effects import MANY_PEOPLE, HelpReport, Outcome, Trial, help_report
from annotator.scoring.gold import GoldTable, gold_row
from annotator.scoring.runs import ScoringOptions, score_attributions
from annotator.store import Store
from annotator.store.annotate.annotations import get_annotations
from annotator.store.annotate.assignments import drawn_work
from annotator.store.annotate.proposals import helping_models
from annotator.store.instances import get_instances
from annotator.store.models import iterate_outputs_of, list_runs

__all__ = ["HelpReport", "Outcome", "help_of_project", "help_words"]

Floats = npt.NDArray[np.float64]
_RANDOM = "random"


def help_of_project(store: Store, project: Project) -> HelpReport | None:
    """What help did where the lot decided who had it; None where it never did."""
    drawn = drawn_work(store, project.id)
    handed_in = get_annotations(store, [work.annotation_id for work in drawn if work.annotation_id is not None])
    if not drawn:
        return None
    trials = [
        Trial(
            str(work.user_id), work.instance_id, work.is_helped, work.active_ms / 1000 or None,
            handed_in[work.annotation_id],
        )
        for work in drawn if work.annotation_id is not None
    ]  # fmt: skip
    left = [work.is_helped for work in drawn if work.was_opened and work.annotation_id is None]
    return help_report(trials, (sum(left), len(left) - sum(left)), _advantage(store, project, trials))


def _advantage(store: Store, project: Project, trials: Sequence[Trial]) -> Floats:
    """float[n_texts, 2]: how much better the models that helped rank helped sets than blind ones, and how much others do.

    Average precision of each attribution method but random, mean over a model's; no row without a model of either kind.
    """
    helping = helping_models(store, project.id)
    runs = [run for run in list_runs(store, project.id) if run.run.method not in {"", _RANDOM}] if helping else []
    if {run.run.model in helping for run in runs} != {True, False}:
        return np.empty((0, 2))
    by_instance: dict[int, tuple[list[RationaleSet], list[RationaleSet]]] = defaultdict(lambda: ([], []))
    for trial in trials:
        by_instance[trial.instance][0 if trial.is_helped else 1].extend(trial.annotation.sets)
    compared = [number for number, (helped, blind) in by_instance.items() if helped and blind]
    instances = get_instances(store, compared)
    golds = [_table(project, [(instances[number], by_instance[number][arm]) for number in compared]) for arm in (0, 1)]
    differences: dict[bool, list[Floats]] = {True: [], False: []}
    for run in runs:
        outputs = {output.instance_id: output for output in iterate_outputs_of(store, run.id, compared)}
        helped, blind = (_precisions(gold, outputs, compared) for gold in golds)
        differences[run.run.model in helping].append(helped - blind)
    both = [np.stack(differences[kind]) for kind in (True, False)]
    with np.errstate(invalid="ignore"):
        means = [np.nansum(of, axis=0) / np.sum(~np.isnan(of), axis=0) for of in both]
    columns: Floats = np.stack(means, axis=1)
    return columns


def _table(project: Project, marked: Sequence[tuple[Instance, Sequence[RationaleSet]]]) -> GoldTable:
    golds = [GoldInstance(instance, tuple(sets), instance.result) for instance, sets in marked]
    return GoldTable([gold_row(gold, project.task, keep_tokens=False, is_exhaustive=False) for gold in golds])


def _precisions(gold: GoldTable, outputs: Mapping[int, Output], instances: Sequence[int]) -> Floats:
    """float[n_instances]: of the attributions of a run's last layer; NaN where it has none."""
    layers = [a.layer for output in outputs.values() for a in output.attributions if a.layer is not None]
    scored = score_attributions(gold, outputs, {}, max(layers, default=None), ScoringOptions())
    values = dict(zip((row.id for row in scored.gold.rows), scored.values["editing.average_precision"], strict=True))
    return np.array([values.get(number, np.nan) for number in instances], dtype=np.float64)


def help_words(report: HelpReport) -> str:
    """What the effects are of, and whom they speak of."""
    texts = _(
        "{helped} annotations with help and {blind} without, drawn by lot; {people} on {texts}.",
        helped=f"{report.n_helped:,}", blind=f"{report.n_blind:,}", people=counted(report.n_people, "annotator"),
        texts=counted(report.n_instances, "text"),
    )  # fmt: skip
    reach = (
        _("The intervals speak of annotators and texts like these.")
        if report.n_people >= MANY_PEOPLE
        else _("The intervals speak of these annotators only, on texts like these.")
    )
    first, second = report.halves
    halves = (
        ""
        if first is None or second is None
        else _(
            "Time in each annotator's first half × {first}, second × {second}.",
            first=f"{first:.2f}",
            second=f"{second:.2f}",
        )
    )
    left = _(
        "Opened, not submitted: {helped} with help, {blind} without.", helped=report.n_left[0], blind=report.n_left[1]
    )
    alone = "" if report.has_instances else _("Each text has one annotator, so texts aren't compared with themselves.")
    return together(texts, reach, alone, halves, left if any(report.n_left) else "")
