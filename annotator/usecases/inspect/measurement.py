"""Measuring runs: numbers for each instance, stored to sort and filter by, and whether maps are better than random."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby

import numpy as np

from annotator.domain.measurements import Measurement
from annotator.domain.models import Output
from annotator.domain.numbers import by_key
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.metrics.ragged import Floats, Integers
from annotator.metrics.registry import definition_of
from annotator.metrics.significance import Verdict, beside, sentence
from annotator.scoring.chance_verdicts import Judged
from annotator.scoring.gold import GoldRow, GoldTable
from annotator.scoring.instance_numbers import has_choice
from annotator.scoring.runs import Answers, Scored, ScoringOptions, score_answers, values_of_pairs
from annotator.scoring.scored_blocks import OverInstances, random_numbers, score_run
from annotator.scoring.table import Column, MetricRow
from annotator.store import Store, open_store
from annotator.store.events import add_event, require_open
from annotator.store.measurements import last_event_id, measurements_of, write_measurement
from annotator.store.models import StoredRun, answers_of_run, has_run, iterate_outputs, list_runs
from annotator.store.trained_models import ids_learned_from, ids_of_versions
from annotator.usecases.access.rights import require
from annotator.usecases.gold_table import gold_table
from annotator.usecases.inspect.metrics_table import title_in_words
from annotator.usecases.inspect.project_scores import answers_of_seed
from annotator.usecases.inspect.stale_numbers import has_changed
from annotator.usecases.models.model_trust import Trainings

# Whether a run's maps are better than random on texts that its model did not learn from: measured once, told on Saliency.


NUMBER = "sets.best_f1"
_PARAMETER = "beside_random"
_MOST = 2_000  # instances: enough for a verdict, and ten seeds of them are drawn in no time


@dataclass(frozen=True, eq=False)
class RandomNull:
    """Token F1 of scores drawn at random, mean of ten seeds.

    values: by instance, of at most 2,000 that lie evenly in the gold
    """

    values: Mapping[int, float]

    @staticmethod
    def of(gold: GoldTable) -> "RandomNull":
        if not len(gold):
            return RandomNull({})
        with_sets = np.flatnonzero(gold.sets.n_sets > 0)  # all of them, so that the draws are those of Metrics
        part = gold.take(with_sets[:: max(1, -(-len(with_sets) // _MOST))])
        instances = OverInstances(len(part))
        if len(part):
            random_numbers(part, instances)
        means = instances.means().get(NUMBER, np.empty(0))
        has_null = np.isfinite(means) & has_choice(part) if len(part) else ()
        rows = zip(part.rows, means.tolist(), has_null, strict=True)
        return RandomNull({row.id: mean for row, mean, is_there in rows if is_there})

    def verdict(self, instance_ids: Integers, values: Floats, learned: Container[int]) -> Verdict | None:
        """On a run's token F1, without the instances that its model learned from.

        Shapes: instance_ids int[n], values float[n]
        """
        pairs = [
            (value, self.values[number])
            for number, value in zip(instance_ids.tolist(), values.tolist(), strict=True)
            if number in self.values and number not in learned
        ]
        values_here, null = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
        return beside([(values_here, null)], "higher is better")[0]


def learned_from(store: Store, trainings: Trainings, model: str) -> frozenset[int] | None:
    """What a model learned from, and changed versions of it; None where that is not known."""
    if model in trainings.unknown:
        return None
    training = trainings.known.get(model)
    if training is None:
        return frozenset()
    return frozenset(ids_learned_from(store, training.id) | ids_of_versions(store, training.id))


def as_parameters(verdicts: Sequence[tuple[int | None, Verdict]]) -> dict[str, object]:
    """As they are kept with a run's measurement, by layer."""
    return {_PARAMETER: [{"layer": layer, **asdict(verdict)} for layer, verdict in verdicts]} if verdicts else {}


def beside_random(measurement: Measurement | None, layer: int | None) -> str | None:
    """What a map's measurement says, in a sentence; None where nothing was measured or there are too few texts to say."""
    verdicts = () if measurement is None else measurement.parameters.get(_PARAMETER, ())
    for of_layer in verdicts if isinstance(verdicts, list) else ():
        if of_layer["layer"] == layer and of_layer["word"] != "too few":
            verdict = Verdict(**{name: value for name, value in of_layer.items() if name != "layer"})
            return f"token F1 {sentence(verdict)}"
    return None


# The numbers that are kept, in the order in which a screen offers them.
MEASURED: tuple[str, ...] = (
    "sets.best_f1", "sets.best_iou", "sets.coverage", "editing.mrr", "editing.average_precision", "eraser.auprc",
    "er_test.order", "er_test.mae_mean", "method.sufficiency", "method.comprehensiveness", "benchmark.map",
    "benchmark.map_aligned", "eraser.accuracy",
)  # fmt: skip
_OPTIONS = ScoringOptions()
# Kept with each measurement: those made when maps without an order still had numbers (1), or before the definition of a
# number changed, are out of date.
_RULES = 2 + sum(definition_of(name).version - 1 for name in MEASURED)
_PAIRED = {"map": "benchmark.map", "map_aligned": "benchmark.map_aligned"}


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """A number of some instances. Shapes: instance_ids int[n], values float[n], all of them finite."""

    layer: int | None
    name: str
    instance_ids: Integers
    values: Floats

    @staticmethod
    def of(layer: int | None, name: str, rows: Sequence[GoldRow], values: Floats) -> "_Column":
        is_there = np.isfinite(values)
        ids = np.array([row.id for row in rows], dtype=np.int64)
        return _Column(layer, name, ids[is_there], values[is_there])


def measure(
    store: Store, actor: User, project: Project, *, progress: Callable[[int, int], None] = lambda _done, _of: None
) -> int:
    """Measure every run of a project against its gold as it is now; answers the number of runs.

    All runs are read in one snapshot, so that their numbers are of one state of the database, whose last event each
    measurement names. Each run's numbers are written as soon as they are made, by another connection, in a transaction of
    its own: memory holds one run's numbers, nobody waits for more than the writing of one, and a run has the old numbers
    or the new ones, never some of both. Between the first and the last run some have new numbers and some still old ones;
    where the work stops there, `is_out_of_date` says so.

    progress: called with how many runs are done, and how many there are
    """
    require(store, actor, project.id, "use models")
    require_open(store, project.id)
    n_measured = 0
    with store.snapshot(), open_store(store.path) as writer:
        event_id = last_event_id(store, project.id)
        gold = gold_table(store, project, project.settings.gold_policy)
        parameters = {"gamma": _OPTIONS.gamma, "ratios": gold.ratios, "rules": _RULES}
        runs = list_runs(store, project.id)
        null = _Null.of(store, project, gold, runs)
        for number, (stored, columns) in enumerate(_measured(store, project, gold, runs), 1):
            of_run = parameters | null.parameters(stored, columns)
            made = Measurement(stored.id, project.settings.gold_policy, of_run, event_id, "")
            n_measured += _write(writer, made, columns)
            progress(number, len(runs))
    with store.transaction():
        add_event(store, actor.name, "measure", "project", project.id, project_id=project.id, runs=n_measured)
    return n_measured


@dataclass(frozen=True, slots=True)
class _Null:
    """What maps are held against. learned: by model; None where it is not known what it learned from."""

    random: RandomNull
    learned: Mapping[str, frozenset[int] | None]

    @staticmethod
    def of(store: Store, project: Project, gold: GoldTable, runs: Sequence[StoredRun]) -> "_Null":
        trainings = Trainings.of(store, project.id)
        models = {stored.run.model for stored in runs if stored.run.method}
        random = RandomNull.of(gold) if models else RandomNull({})
        return _Null(random, {model: learned_from(store, trainings, model) for model in models})

    def parameters(self, stored: StoredRun, columns: Sequence[_Column]) -> dict[str, object]:
        """Whether a run's maps are better than random, layer by layer; {} of answers and of random itself."""
        learned = self.learned.get(stored.run.model) if stored.run.method not in {"", "random"} else None
        if learned is None:
            return {}
        of_layers = [
            (column.layer, self.random.verdict(column.instance_ids, column.values, learned))
            for column in columns
            if column.name == NUMBER
        ]
        return as_parameters([(layer, verdict) for layer, verdict in of_layers if verdict is not None])


def _write(writer: Store, made: Measurement, columns: Sequence[_Column]) -> bool:
    """False where the run was taken out meanwhile."""
    values = (
        (column.layer, column.name, instance_id, value)
        for column in columns
        for instance_id, value in zip(column.instance_ids.tolist(), column.values.tolist(), strict=True)
    )
    with writer.transaction():
        if not has_run(writer, made.run_id):
            return False
        write_measurement(writer, made, values)
    return True


def is_out_of_date(store: Store, project: Project) -> bool:
    """Whether a run was never measured, or something happened since that may change its numbers."""
    made = measurements_of(store, project.id)
    runs = list_runs(store, project.id)
    if any(stored.id not in made or is_other(made[stored.id], project) for stored in runs):
        return True
    oldest = min((measurement.last_event_id for measurement in made.values()), default=0)
    return bool(runs) and has_changed(store, project.id, oldest)


def is_other(measurement: Measurement, project: Project) -> bool:
    """Whether a measurement was made under another gold policy, or by older rules."""
    rules = measurement.parameters.get("rules")
    return measurement.gold_policy != project.settings.gold_policy or rules != _RULES


def is_measured(store: Store, project: Project) -> bool:
    """Whether the numbers of any run were ever measured."""
    return bool(measurements_of(store, project.id))


def _measured(
    store: Store, project: Project, gold: GoldTable, runs: Sequence[StoredRun]
) -> Iterator[tuple[StoredRun, list[_Column]]]:
    """Each run with its numbers, one run at a time; a model's own answers come before its methods."""
    is_label = project.task.result_kind == "label"
    for _, of_model in groupby(runs, lambda stored: stored.run.model):
        answers_by_seed: dict[int | None, Answers] = {}
        for stored in of_model:
            if not len(gold):
                yield stored, []
            elif stored.run.method:
                outputs = iterate_outputs(store, stored.id)
                yield stored, _of_method(gold, outputs, answers_of_seed(answers_by_seed, stored.run.seed))
            else:
                answers_by_seed[stored.run.seed] = answers_of_run(store, stored.id)
                scored = score_answers(gold, answers_by_seed[stored.run.seed], is_label=is_label)
                yield stored, list(_kept(scored, None))


def _of_method(gold: GoldTable, outputs: Iterable[Output], answers: Answers) -> list[_Column]:
    """Of the layers; where there is none, of what is selected hard, else of what is ranked."""
    scored = score_run(gold, outputs, answers, _OPTIONS, names=MEASURED)
    keys = [key for key in scored.rows if key[0] == "attribution"]
    keys = keys or [key for key, of_row in scored.rows.items() if len(of_row.gold)][:1]
    columns: list[_Column] = []
    for kind, layer in keys:
        columns += _kept(scored.rows[kind, layer], layer)
        columns += _of_pairs(scored.rows[kind, layer], layer)
    return columns + list(_kept(scored.faithfulness, None))


def _kept(scored: Scored, layer: int | None) -> Iterator[_Column]:
    for name in MEASURED:
        if name in scored.values:
            yield _Column.of(layer, name, scored.gold.rows, scored.values[name])


def _of_pairs(scored: Scored, layer: int | None) -> Iterator[_Column]:
    """The MAP of a pair belongs to its perturbed version."""
    pairs, values = values_of_pairs(scored)
    for name, of_pairs in values.items():
        if name in _PAIRED:
            yield _Column.of(layer, _PAIRED[name], [second for _, second in pairs], of_pairs)


# Verdicts that are missing since random attributions of a model were not measured.


def unmeasured(
    columns: Sequence[tuple[Column, Sequence[Judged]]], rows: Sequence[MetricRow], shown: Iterable[int]
) -> Iterator[tuple[list[str], list[str]]]:
    """Titles of columns, and the models of the rows shown that have no verdict on these; models with the same share a line."""
    titles_by_model: dict[str, dict[str, None]] = {}
    places = list(shown)
    for column, verdicts in columns:
        for at in places:
            if verdicts[at].is_unmeasured:
                titles_by_model.setdefault(rows[at].model, {})[title_in_words(column.definition)] = None
    models_by_titles = by_key((tuple(titles), model) for model, titles in titles_by_model.items())
    for titles_of, models in models_by_titles.items():
        yield list(titles_of), models
