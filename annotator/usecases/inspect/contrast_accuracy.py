"""Original against contrast accuracy of a project's models: by kind of perturbation, with the sets that break.

Source:  contrast sets as in ER-TEST (metrics/er_test_functional.py)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from annotator.domain.measurements import group_of
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.language import unsaid
from annotator.metrics.aggregate import OverSeeds, over_seeds
from annotator.metrics.er_test_functional import contrast, is_consistent
from annotator.metrics.ragged import Ragged
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.models import StoredRun, list_runs
from annotator.store.slices import Pair, answered_labels, pairs_of
from annotator.usecases.access.rights import require
from annotator.usecases.gold import gold_of_instances
from annotator.usecases.inspect.training_texts import learned_by_model, without

ALL_KINDS = unsaid("all kinds")
# The kinds that are always there (domain/perturbations.py) and whether an answer changed, by name, for the catalogues.
_NAMES = (
    unsaid("dispensable"), unsaid("important"), unsaid("syntax"), unsaid("contrast"), unsaid("vocabulary"), unsaid("same"),
    unsaid("perturbed"),
)  # fmt: skip
NUMBERS = ("original", "contrast", "delta", "consistency_of_sets")
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class BrokenSet:
    """An original that a run gets right, and the changed versions of it that the run gets wrong."""

    original_id: int
    key: str
    wrong: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class ContrastRow:
    """A model on the pairs of a kind. Means over seeds, None of nothing; delta is contrast − original.

    consistency_of_sets: originals that are right with all their changed versions of the kind
    n_left_out: pairs without a gold label on one side, or without an answer
    broken:     of the first seed
    n_learned:  instances that the model learned from, or versions of such, whose answers are not counted
    sets:       by original, over seeds: how often it is right, how many of its versions are, and how many there are
    """

    model: str
    kind: str
    seeds: tuple[int | None, ...]
    numbers: Mapping[str, OverSeeds]
    n_originals: int
    n_contrasts: int
    n_left_out: int
    broken: tuple[BrokenSet, ...]
    n_learned: int = 0
    sets: Mapping[int, tuple[float, float, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _OfSeed:
    values: tuple[float | None, ...]
    n_originals: int
    n_contrasts: int
    broken: tuple[BrokenSet, ...]
    sets: Mapping[int, tuple[bool, int, int]]


def contrast_rows(
    store: Store, actor: User, project: Project, options: ScoringOptions = ScoringOptions()
) -> list[ContrastRow]:
    """Every model on all pairs and on those of each kind; [] without pairs, or where answers are no labels.

    options: the split, the group of the originals, and whether a model is asked about what it learned from
    """
    require(store, actor, project.id, "use models")
    with store.snapshot():
        pairs = pairs_of(store, project.id, options.split) if project.task.result_kind == "label" else []
        gold, is_asked = _gold_labels(store, project, pairs, options)
        pairs = [pair for pair in pairs if is_asked[pair.original_id]]
        all_runs = list_runs(store, project.id) if pairs else []
        answer_runs = sorted((r for r in all_runs if not r.run.method), key=lambda stored: stored.run.model)
        answers = {stored.id: answered_labels(store, stored.id) for stored in answer_runs}
        learned = learned_by_model(store, project.id, options)
    rows: list[ContrastRow] = []
    for model, runs in groupby(answer_runs, key=lambda stored: stored.run.model):
        ids = learned.get(model, frozenset())
        of_model = [(stored, without(answers[stored.id], ids)) for stored in runs if answers[stored.id]]
        if of_model:
            rows.extend(replace(row, n_learned=len(ids)) for row in _rows(model, of_model, pairs, gold))
    return rows


def _gold_labels(
    store: Store, project: Project, pairs: Sequence[Pair], options: ScoringOptions
) -> tuple[dict[int, str | None], dict[int, bool]]:
    """By instance its gold label, and whether it is of the group that is asked for."""
    ids = sorted({pair.original_id for pair in pairs} | {pair.changed_id for pair in pairs})
    labels: dict[int, str | None] = {}
    is_asked: dict[int, bool] = {}
    for first in range(0, len(ids), _AT_ONCE):
        part = gold_of_instances(store, ids[first : first + _AT_ONCE], project.settings.gold_policy)
        labels |= {number: gold.result for number, gold in part.items()}
        for number, gold in part.items():
            group = group_of(gold.instance, gold.result, options.grouping[0])
            is_asked[number] = options.asks_for(options.split or "", group)
    return labels, is_asked


def _rows(
    model: str,
    runs: Sequence[tuple[StoredRun, Mapping[int, str]]],
    pairs: Sequence[Pair],
    gold: Mapping[int, str | None],
) -> Iterator[ContrastRow]:
    kinds = sorted({pair.kind for pair in pairs})
    for kind in ([ALL_KINDS] if len(kinds) > 1 else []) + kinds:
        of_kind = [pair for pair in pairs if kind in {ALL_KINDS, pair.kind}]
        of_seeds = [_of_seed(of_kind, answers, gold) for _, answers in runs]
        numbers = {
            name: over_seeds(np.array([np.nan if (v := of_seed.values[n]) is None else v for of_seed in of_seeds]))
            for n, name in enumerate(NUMBERS)
        }
        first = of_seeds[0]
        seeds = tuple(stored.run.seed for stored, _ in runs)
        n_left_out = len(of_kind) - first.n_contrasts
        yield ContrastRow(
            model, kind, seeds, numbers, first.n_originals, first.n_contrasts, n_left_out, first.broken,
            sets=_means_of_sets([of_seed.sets for of_seed in of_seeds]),
        )  # fmt: skip


def _means_of_sets(of_seeds: Sequence[Mapping[int, tuple[bool, int, int]]]) -> dict[int, tuple[float, float, int]]:
    """Of the originals that all seeds have with as many versions."""
    means = {}
    for original, (_, _, n) in of_seeds[0].items():
        sets = [of_seed[original] for of_seed in of_seeds if original in of_seed and of_seed[original][2] == n]
        if len(sets) == len(of_seeds):
            means[original] = (
                sum(right for right, _, _ in sets) / len(sets),
                sum(k for _, k, _ in sets) / len(sets),
                n,
            )
    return means


def _of_seed(pairs: Sequence[Pair], answers: Mapping[int, str], gold: Mapping[int, str | None]) -> _OfSeed:
    """One run on pairs; a pair counts where both sides have a gold label and an answer."""
    scored = [
        pair
        for pair in pairs
        if all(i in answers and gold.get(i) is not None for i in (pair.original_id, pair.changed_id))
    ]
    sets = [list(of_one) for _, of_one in groupby(scored, key=lambda pair: pair.original_id)]

    def is_right(instance_id: int) -> bool:
        return answers[instance_id] == gold[instance_id]

    originals = np.array([is_right(contrast_set[0].original_id) for contrast_set in sets], dtype=np.bool_)
    contrasts = Ragged.of(([is_right(pair.changed_id) for pair in contrast_set] for contrast_set in sets), np.bool_)
    made = contrast(originals, contrasts)
    breaks = originals & ~is_consistent(originals, contrasts)
    broken = tuple(
        BrokenSet(
            contrast_set[0].original_id,
            contrast_set[0].original_key,
            tuple(p for p in contrast_set if not is_right(p.changed_id)),
        )
        for contrast_set, is_broken in zip(sets, breaks, strict=True)
        if is_broken
    )
    of_originals = {
        contrast_set[0].original_id: (bool(is_original_right), int(n_right), len(contrast_set))
        for contrast_set, is_original_right, n_right in zip(sets, originals, contrasts.sums(), strict=True)
    }
    return _OfSeed(tuple(getattr(made, name) for name in NUMBERS), len(sets), len(scored), broken, of_originals)
