"""How sets on the screen fit the attributions that are stored of their text: the numbers of the Saliency screen, set by set."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import Attribution, Output
from annotator.domain.projects import NEWEST_METHODS, NO_METHOD, Project
from annotator.domain.texts import RationaleSet
from annotator.scoring.gold import GoldRow, GoldTable, gold_row
from annotator.scoring.runs import ScoringOptions, score_attributions
from annotator.store import Store
from annotator.store.measurements import runs_with_output
from annotator.store.models import StoredRun, list_runs, outputs_of_run
from annotator.usecases.models.rationale_ratios import UNMEASURED, measured_ratios

MOST_COMPARED = 3
_RANDOM = "random"  # as a method it is what others are measured by, and tells nothing of a set
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class SetFit:
    """F1 and IoU of a set with the top k, average precision of the ranking against the set; None where undefined."""

    f1: float | None
    iou: float | None
    ap: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """Sets beside one attribution. k: how many tokens of each side are its top, n: how many the side has."""

    run: int
    model: str
    method: str
    seed: int | None
    layer: int | None
    label: str
    k: tuple[int, ...]
    n: tuple[int, ...]
    sets: tuple[SetFit, ...]


def compare(
    store: Store, project: Project, instance: Instance, result: str | None, sets: Sequence[RationaleSet]
) -> list[Compared]:
    """Each set beside the attributions of the newest methods, or of the one that the lead named; [] where there is none.

    result: the label of which an attribution is taken where there are several; else the first
    """
    if project.settings.preview_method == NO_METHOD:
        return []
    rows = _rows(project, instance, sets)
    if not rows:
        return []
    compared: list[Compared] = []
    for stored in _newest(store, project, instance):
        output = outputs_of_run(store, stored.id, [instance.id]).get(instance.id)
        attribution = _wanted(output.attributions if output is not None else (), result)
        if attribution is not None:
            n_sides = len(rows[0].sides)
            ratios = measured_ratios(store, project.id, [stored.id], n_sides) or [UNMEASURED] * n_sides
            compared.append(_compared(stored, attribution, GoldTable(rows).with_ratios(ratios)))
        if len(compared) == MOST_COMPARED:
            break
    return compared


def _newest(store: Store, project: Project, instance: Instance) -> list[StoredRun]:
    """The first seed of each group of runs that has something for the instance, the group made last first."""
    wanted, with_output = project.settings.preview_method, set(runs_with_output(store, instance.id))
    groups: dict[tuple[str, str, str], list[StoredRun]] = {}
    for stored in list_runs(store, project.id):
        is_wanted = stored.run.method == wanted or (wanted == NEWEST_METHODS and stored.run.method != _RANDOM)
        if is_wanted and stored.id in with_output:
            groups.setdefault(stored.run.group, []).append(stored)
    newest_first = sorted(groups.values(), key=lambda runs: -max(stored.id for stored in runs))
    return [runs[0] for runs in newest_first]


def _wanted(attributions: Sequence[Attribution], result: str | None) -> Attribution | None:
    """Of the last layer, the one of the result on the screen, or of no label, else the first.

    Never chosen by the label that the file gave: an annotator who is to give the label must not learn it from here.
    """
    last = max((a.layer for a in attributions if a.layer is not None), default=None)
    of_layer = [a for a in attributions if a.layer == last]
    fitting = [a for a in of_layer if a.label in {result, ""}]
    return next(iter(fitting or of_layer), None)


def _rows(project: Project, instance: Instance, sets: Sequence[RationaleSet]) -> list[GoldRow]:
    """A row for each set, as if it were the instance's only one."""
    row = gold_row(GoldInstance(instance, (), None), project.task, keep_tokens=False, is_exhaustive=False)
    tokens = [tuple(t for t in rationale_set.token_indices if t < row.n_tokens) for rationale_set in sets]
    return [replace(row, id=number, sets=(of_set,) if of_set else ()) for number, of_set in enumerate(tokens)]


def _compared(stored: StoredRun, attribution: Attribution, table: GoldTable) -> Compared:
    outputs = {row.id: Output(row.id, (), (attribution,)) for row in table.rows}
    scored = score_attributions(table, outputs, {}, attribution.layer, ScoringOptions())
    values = scored.values
    sets = zip(values["sets.best_f1"], values["sets.best_iou"], values["editing.average_precision"], strict=True)
    return Compared(
        stored.id,
        stored.run.model,
        stored.run.method,
        stored.run.seed,
        attribution.layer,
        attribution.label,
        tuple(table.sides.n_selected[0].tolist()),
        tuple(table.sides.lengths[0].tolist()),
        tuple(SetFit(*(_rounded(float(value)) for value in of_set)) for of_set in sets),
    )


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, _DIGITS)
