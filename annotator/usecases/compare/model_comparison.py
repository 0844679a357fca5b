"""Two models of one or several projects beside each other: won, lost and kept, and where the base model was unsure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotator.domain.instances import GoldInstance
from annotator.domain.measurements import group_of
from annotator.domain.models import Prediction
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed
from annotator.metrics.aggregate import Interval, bootstrap
from annotator.metrics.er_test_functional import opportunity_cost, opportunity_costs
from annotator.metrics.eraser_faithfulness import label_report
from annotator.metrics.model_comparison import bins_by_confidence, exact_mcnemar
from annotator.metrics.ragged import Flags, Floats
from annotator.metrics.significance import FEWEST, sign_flips
from annotator.scoring.reports import RunsReport
from annotator.scoring.runs import ScoringOptions, p_of
from annotator.scoring.seeds import over_runs
from annotator.store import Store
from annotator.store.models import full_answers, list_models
from annotator.usecases.access.rights import require
from annotator.usecases.gold import labelled_gold, require_split
from annotator.usecases.inspect.training_texts import learned_by_model
from annotator.usecases.models.label_tables import label_notes


@dataclass(frozen=True, slots=True)
class LabelledText:
    """What a comparison needs of a text with a gold label."""

    id: int
    result: str | None
    split: str
    is_changed: bool
    group: str | None = None


_PARTS: Mapping[str, Callable[[LabelledText], bool]] = {
    "all": lambda _text: True,
    "originals": lambda text: not text.is_changed,
    "changed_versions": lambda text: text.is_changed,
}


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Two models, each as the names of one or several trainings of it; those are paired in their order.

    A name with answers of several seeds stands for all of these, by seed; a single run stands against each of the other's.
    """

    base: tuple[str, ...]
    other: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartComparison:
    """All of the texts compared, or the originals, or the changed versions.

    base, other: accuracy over runs
    difference:  other − base, the mean over runs and instances; None of no instance
    interval:    of the difference, by drawing instances with their means over runs; None of fewer than two
    cost:        opportunity cost (ER-TEST): (lost − won) / n
    n_won ...:   a number for each pair of runs; p_mcnemar: None where nothing is won or lost
    p:           of the difference, by flipping the signs of instances with their means over runs; None of no instance
    macro_f1:    of the other model over runs, of the labels that are gold or predicted; None where results are answers
    """

    n: int
    base: RunsReport
    other: RunsReport
    difference: float | None
    interval: Interval | None
    cost: RunsReport
    n_won: tuple[int, ...]
    n_lost: tuple[int, ...]
    n_both_right: tuple[int, ...]
    n_both_wrong: tuple[int, ...]
    p_mcnemar: tuple[float | None, ...]
    p: float | None = None
    macro_f1: RunsReport | None = None

    @property
    def verdict(self) -> Literal["better", "worse", "not told", "too few"]:
        """Whether the interval lies above or below 0; of fewer than twenty texts nothing is said."""
        if self.n < FEWEST or self.interval is None:
            return "too few"
        return "better" if self.interval.low > 0 else "worse" if self.interval.high < 0 else "not told"


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Instances, of all pairs of runs together, to whose gold label the base model gives a probability from `low` up to `high`.

    change: the mean of other − base of that probability; None of an empty bin
    """

    low: float
    high: float
    n: int
    n_won: int
    n_lost: int
    change: float | None


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Two models in a project.

    runs:         which runs stand against each other, base and other
    n_learned:    texts left out because one of the models learned from them; n_unanswered: because a run has no answer
    labels:       what the project calls labels of the models, in sentences; none where both have the same
    won_lost_of_learned: how many of the texts in n_learned the first pair of runs wins and loses, which count nowhere
    parts:        "all"; also "originals" and "changed_versions" where there are both
    confidence:   by the base model's; instances without probabilities are left out
    """

    runs: tuple[tuple[str, str], ...]
    n_learned: int
    n_unanswered: int
    parts: Mapping[str, PartComparison]
    confidence: tuple[ConfidenceBin, ...]
    labels: tuple[str, ...] = ()
    won_lost_of_learned: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class _Run:
    """A training or a seed of a model, and what it answers by instance."""

    name: str
    seed: int | None
    answers: Mapping[int, Prediction]


@dataclass(frozen=True, slots=True)
class _Right:
    """Of each pair of runs, which instances are right, and the probability of their gold label: [n_pairs, n_instances]."""

    base: Flags
    other: Flags
    p_base: Floats
    p_other: Floats


def compare_models(
    store: Store, actor: User, projects: Sequence[Project], pair: ModelPair, options: ScoringOptions = ScoringOptions()
) -> dict[str, ModelComparison]:
    """By project what the other model wins and loses against the base model; see docs/scores.md, "Two models".

    Instances with a gold label that all runs of both have answered, and none has learned from.
    Raises: NotFound for a model without answers in a project; InvalidValue where runs cannot be paired, and for a split that no
            project has
    """
    require_split(store, projects, options.split)
    return {
        project.name: compare_labelled(
            store, actor, project, pair, labelled_texts(store, actor, project, options), options
        )
        for project in projects
    }


def labelled_texts(
    store: Store, actor: User, project: Project, options: ScoringOptions = ScoringOptions()
) -> list[LabelledText]:
    """The texts of all splits with a gold label, which is most of the work of a comparison and the same for every pair."""
    require(store, actor, project.id, "export")
    with store.snapshot():
        policy = options.gold_policy or project.settings.gold_policy
        return [_labelled_text(gold, options.grouping[0]) for gold in labelled_gold(store, project, policy)]


def _labelled_text(gold: GoldInstance, by: str) -> LabelledText:
    instance = gold.instance
    group = group_of(instance, gold.result, by)
    return LabelledText(instance.id, gold.result, instance.split, instance.parent_key is not None, group)


def compare_labelled(
    store: Store, actor: User, project: Project, pair: ModelPair, texts: Sequence[LabelledText],
    options: ScoringOptions = ScoringOptions(),
) -> ModelComparison:  # fmt: skip
    """The same in a project whose labelled texts are known."""
    require(store, actor, project.id, "export")
    with store.snapshot():
        runs = _pairs(_runs(store, project, pair.base), _runs(store, project, pair.other))
        learned = learned_by_model(store, project.id, options)
        labels = label_notes(store, project, [*pair.base, *pair.other])
    labelled = [text for text in texts if options.asks_for(text.split, text.group)]
    ids_learned = frozenset().union(*(learned.get(name, frozenset()) for name in (*pair.base, *pair.other)))
    unseen = [text for text in labelled if text.id not in ids_learned]
    judged = [text for text in unseen if all(text.id in run.answers for both in runs for run in both)]
    parts = {name: [text for text in judged if is_in(text)] for name, is_in in _PARTS.items()}
    is_label = project.task.result_kind == "label"
    return ModelComparison(
        tuple((_title(base), _title(other)) for base, other in runs),
        len(labelled) - len(unseen),
        len(unseen) - len(judged),
        {
            name: _part(runs, rows, is_label=is_label)
            for name, rows in parts.items()
            if name == "all" or 0 < len(rows) < len(judged)
        },
        _bins(runs, judged),
        tuple(labels),
        _won_lost(runs[:1], [text for text in labelled if text.id in ids_learned]),
    )


def _won_lost(runs: Sequence[tuple[_Run, _Run]], texts: Sequence[LabelledText]) -> tuple[int, int]:
    answered = [text for text in texts if all(text.id in run.answers for both in runs for run in both)]
    right = _right(runs, answered)
    return int((right.other & ~right.base).sum()), int((right.base & ~right.other).sum())


def _runs(store: Store, project: Project, names: Sequence[str]) -> list[_Run]:
    runs = []
    for name in names:
        answers = full_answers(store, project.id, name)
        if not answers:
            known = listed(list_models(store, project.id)) or _("none")
            raise NotFound(
                _(
                    "No predictions by '{name}' in '{project}', only by {known}.",
                    project=project.name, name=name, known=known
                )
            )  # fmt: skip
        runs += [_Run(name, seed, of_seed) for seed, of_seed in answers.items()]
    return runs


def _pairs(base: Sequence[_Run], other: Sequence[_Run]) -> list[tuple[_Run, _Run]]:
    """By seed where both have the same, else in order; a single run stands against each of the other model's."""
    if len(base) != len(other) and 1 not in (len(base), len(other)):
        raise InvalidValue(
            _(
                "Base has {runs}, the other {n}: choose equally many, or one.",
                runs=counted(len(base), "run"),
                n=len(other),
            )
        )
    by_seed = {run.seed: run for run in base}
    if len(by_seed) == len(base) and by_seed.keys() == {run.seed for run in other}:
        return [(by_seed[run.seed], run) for run in other]
    n = max(len(base), len(other))
    return list(zip(*(list(runs) * (n // len(runs)) for runs in (base, other)), strict=True))


def _title(run: _Run) -> str:
    return run.name if run.seed is None else f"{run.name}, seed {run.seed}"


def _right(runs: Sequence[tuple[_Run, _Run]], rows: Sequence[LabelledText]) -> _Right:
    def is_right(side: int) -> Flags:
        labels = [[both[side].answers[row.id].label == row.result for row in rows] for both in runs]
        return np.array(labels, dtype=np.bool_).reshape(len(runs), len(rows))

    def p_gold(side: int) -> Floats:
        p = [[p_of(both[side].answers[row.id], row.result) for row in rows] for both in runs]
        return np.array(p, dtype=np.float64).reshape(len(runs), len(rows))

    return _Right(is_right(0), is_right(1), p_gold(0), p_gold(1))


def _part(runs: Sequence[tuple[_Run, _Run]], rows: Sequence[LabelledText], *, is_label: bool) -> PartComparison:
    right = _right(runs, rows)
    pairs = list(zip(right.base, right.other, strict=True))
    exchanges = [opportunity_cost(base, other) for base, other in pairs]
    gains: Floats = -np.mean([opportunity_costs(base, other) for base, other in pairs], axis=0)
    return PartComparison(
        len(rows),
        _accuracy([base for base, _other in runs], right.base),
        _accuracy([other for _base, other in runs], right.other),
        float(gains.mean()) if rows else None,
        bootstrap(gains),
        over_runs([exchange.cost for exchange in exchanges]),
        tuple(exchange.n_won for exchange in exchanges),
        tuple(exchange.n_lost for exchange in exchanges),
        tuple(exchange.n_both_right for exchange in exchanges),
        tuple(exchange.n_both_wrong for exchange in exchanges),
        tuple(exact_mcnemar(exchange.n_won, exchange.n_lost) for exchange in exchanges),
        sign_flips(gains),
        _macro_f1([other for _base, other in runs], rows) if is_label else None,
    )


def _macro_f1(runs: Sequence[_Run], rows: Sequence[LabelledText]) -> RunsReport:
    """Of each run once."""
    by_title = {_title(run): run for run in runs}
    values = []
    for run in by_title.values():
        given = [(row.result or "", run.answers[row.id].label or "") for row in rows]
        places: dict[str, int] = {}
        coded = [[places.setdefault(label, len(places)) for label in pair] for pair in given]
        numbers = np.array(coded, dtype=np.int64).reshape(-1, 2)
        values.append(label_report(numbers[:, 0], numbers[:, 1], list(places)).macro.f1 if rows else None)
    return over_runs(values)


def _accuracy(runs: Sequence[_Run], right: Flags) -> RunsReport:
    """Of each run once, also where it stands against several."""
    rows = {_title(run): flags for run, flags in zip(runs, right, strict=True)}
    return over_runs([float(flags.mean()) if len(flags) else None for flags in rows.values()])


def _bins(runs: Sequence[tuple[_Run, _Run]], rows: Sequence[LabelledText]) -> tuple[ConfidenceBin, ...]:
    right = _right(runs, rows)
    is_known = ~np.isnan(right.p_base) & ~np.isnan(right.p_other)
    bins = bins_by_confidence(
        right.p_base[is_known], right.p_other[is_known], right.base[is_known], right.other[is_known]
    )
    width = 1 / len(bins.n)
    columns = (bins.low, bins.n, bins.n_won, bins.n_lost, bins.change)
    return tuple(
        ConfidenceBin(low, low + width, int(n), int(won), int(lost), None if np.isnan(change) else float(change))
        for low, n, won, lost, change in zip(*(column.tolist() for column in columns), strict=True)
    )
