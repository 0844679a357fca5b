"""How right models are by the minutes that people spent: on labels alone, on rationales of labelled texts, or on both.

A budget buys texts in a drawn order, and a model learns from what is bought. It says how often it is right, and is not kept.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from annotator.attribution.base import Input
from annotator.domain.labels import LabelTable
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import Conflict, InvalidValue, ModelError
from annotator.files import lock, part_folder, sync_file, sync_folder
from annotator.metrics.ragged import Flags
from annotator.store import Store
from annotator.training.examples import Example, Row, rows_of, told_by_key
from annotator.training.loop import Checkpoint, FittingOptions, State, answered, fit
from annotator.training.trainable_models import NewModel, Trainable, make
from annotator.usecases.access.rights import require
from annotator.usecases.gold import labelled_gold
from annotator.usecases.training import budgets
from annotator.usecases.training.examples import TrainingData, training_data

_DONE, _UNDER_WAY, _LOCK = "trained", "under-way", ".lock"


@dataclass(frozen=True, slots=True)
class Trial:
    """A model to be trained.

    plan:   what makes two trials the same one, whatever minutes were paid for it
    before: the trial whose weights it begins with; None: with new ones
    """

    purchase: budgets.Purchase
    learn: tuple[Example, ...]
    data: TrainingData
    fitting: FittingOptions
    plan: str
    before: "Trial | None" = None


@dataclass(frozen=True, slots=True)
class Sweep:
    """All trials of a project, and what is to be said of them.

    labels:      of the models
    judge:       by project what is asked about: the project's other splits, then unseen projects
    n_pool:      texts that can be bought (the fewest of any seed); n_start: those of them that have a label before
    n_unpriced:  texts that could be learned from, but not all of whose prices are known
    n_left_out:  of each unseen project: texts that are learned from as well, and those with a label that is not learned
    tables:      of each unseen project: what it calls the labels
    """

    project: Project
    options: budgets.MinutesOptions
    labels: tuple[str, ...]
    judge: Mapping[str, tuple[Example, ...]]
    trials: tuple[Trial, ...]
    n_pool: int
    n_start: int
    n_unpriced: int
    n_incomplete: int
    idle_ms: int
    n_left_out: Mapping[str, tuple[int, int]]
    tables: Mapping[str, LabelTable]

    def own_labels(self, name: str) -> Flags:
        """bool[n_labels]: the labels that are an answer in a project; an unseen one may not have all of them."""
        dropped = self.tables[name].dropped if name in self.tables else ()
        return np.array([label not in dropped for label in self.labels])


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often a model is right. right: by project, how many texts of how many; {} where nothing could be learned from."""

    purchase: budgets.Purchase
    right: Mapping[str, tuple[int, int]]
    is_new: bool = True


def plan_sweep(store: Store, actor: User, project: Project, options: budgets.MinutesOptions) -> Sweep:
    """What is bought and asked about; nothing is trained yet.

    Raises: InvalidValue for times that nothing says, ModelError where there is nothing to learn from or to ask about
    """
    other = options.costs.labels_only
    for involved in (project, *options.unseen, *([other] if other is not None else [])):
        require(store, actor, involved.id, "use models")
    if project.task.result_kind != "label":
        raise ModelError(f"The project '{project.name}' asks for answers, and models that answer are not trained here.")
    if project.id in {foreign.id for foreign in options.unseen}:
        raise InvalidValue(
            f"The models learn from '{project.name}', so it is not unseen. Name other projects (--unseen)."
        )
    policy = options.data.gold_policy or project.settings.gold_policy
    with store.snapshot():
        data = {seed: training_data(store, project, replace(options.data, seed=seed)) for seed in options.seeds}
        pool = {example.id: example for of_seed in data.values() for example in (*of_seed.learn, *of_seed.stop)}
        costs = budgets.text_costs(store, project, list(pool.values()), options.costs, policy)
        unseen = {foreign.name: _examples(store, foreign, options) for foreign in options.unseen}
    learned = {example.label for of_seed in data.values() for example in of_seed.learn}
    labels = tuple(label for label in project.labels if label in learned)
    not_learned = {number for number, label in costs.labels.items() if label not in labels}
    priced = (
        frozenset(budgets.require_prices(project, costs, options.conditions, options.costs.simulation)) - not_learned
    )
    n_pool, n_learn = min(
        (sum(example.id in priced for example in of_seed.learn), len(of_seed.learn)) for of_seed in data.values()
    )
    tables = budgets.unseen_tables(store, project, options.unseen, labels, options.renamed)
    asked_about, left_out = _asked_about(unseen, pool, tables)
    judge = {project.name: data[options.seeds[0]].judge, **asked_about}
    trials = []
    for seed, of_seed in data.items():
        online = _Online(options.online)
        for purchase, learn in budgets.purchases(of_seed.learn, costs, priced, options, seed):
            fitting = replace(options.fitting, seed=seed)
            if not purchase.n_rationales:
                fitting = replace(fitting, alignment=None)
            in_order = tuple(sorted(learn, key=lambda example: example.id))
            plan = _plan((in_order, of_seed.learn, of_seed.stop), judge, labels, options.model, fitting, tables)
            trials.append(Trial(purchase, in_order, of_seed, fitting, plan))
            trials += online.after(trials[-1])
    return Sweep(
        project, options, labels, judge, tuple(trials), n_pool, budgets.n_start_of(n_pool, options), n_learn - n_pool,
        costs.n_incomplete, costs.idle_ms, left_out, tables,
    )  # fmt: skip


class _Online:
    """The trials of a seed that go on from the budget before."""

    def __init__(self, how: budgets.Online) -> None:
        self.how = how
        self.last: dict[str | None, tuple[Trial, set[str]]] = {}

    def after(self, trial: Trial) -> list[Trial]:
        """The one beside a trial; none of the start, from which they all go on."""
        if self.how == "none":
            return []
        condition, texts = trial.purchase.condition, {_digest([example]): example for example in trial.learn}
        if condition is None:
            self.last[None] = (trial, set(texts))
            return []
        before, known = self.last.get(condition) or self.last.get(None) or (None, set())
        learn = trial.learn if self.how == "all" else tuple(texts[key] for key in texts if key not in known)
        plan = trial.plan
        if before is not None:
            whole = [before.plan, trial.plan, self.how, _digest(learn)]
            plan = hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:32]
        online = replace(trial, purchase=replace(trial.purchase, is_online=True), learn=learn, plan=plan, before=before)
        self.last[condition] = (online, set(texts))
        return [online]


def _examples(store: Store, project: Project, options: budgets.MinutesOptions) -> tuple[Example, ...]:
    """Everything of a project that has a gold label."""
    policy = options.data.gold_policy or project.settings.gold_policy
    return tuple(
        Example(gold.instance.id, gold.instance.key, Input.of(gold.instance), gold.result or "")
        for gold in labelled_gold(store, project, policy)
    )


def _asked_about(
    unseen: Mapping[str, Sequence[Example]], pool: Mapping[int, Example], tables: Mapping[str, LabelTable]
) -> tuple[dict[str, tuple[Example, ...]], dict[str, tuple[int, int]]]:
    """Of unseen projects the texts that are not learned from as well, and have a label that is learned; how many are left out."""
    known = {budgets.words_of(example.input) for example in pool.values()}
    judge, left_out = {}, {}
    for name, examples in unseen.items():
        new = [example for example in examples if budgets.words_of(example.input) not in known]
        learned = {theirs: label for label, theirs in tables[name].names.items() if theirs}
        judge[name] = tuple(
            replace(example, label=learned[example.label]) for example in new if example.label in learned
        )
        if not judge[name]:
            raise ModelError(
                f"The models cannot be asked about the project '{name}': it has no text with one of the gold labels "
                f"{', '.join(learned)} that they do not learn from as well."
            )
        left_out[name] = (len(examples) - len(new), len(new) - len(judge[name]))
    return judge, left_out


def _plan(
    learned: Sequence[Sequence[Example]], judge: Mapping[str, Sequence[Example]], labels: Sequence[str],
    model: NewModel, fitting: FittingOptions, tables: Mapping[str, LabelTable],
) -> str:  # fmt: skip
    """The digest of everything that an outcome follows from. What other labels are called is in what is judged."""
    dropped = {name: list(table.dropped) for name, table in tables.items() if table.dropped}
    as_fitted = asdict(fitting)
    if fitting.alignment is not None:
        as_fitted["alignment"] = fitting.alignment.as_plan()
    whole = [
        list(map(_digest, learned)), {name: _digest(examples) for name, examples in judge.items()}, list(labels),
        model.as_plan(), as_fitted, *([dropped] if dropped else []),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(whole, sort_keys=True, default=str).encode()).hexdigest()[:32]


def _digest(examples: Sequence[Example]) -> str:
    whole = [(e.id, e.label, sorted(map(sorted, e.sets)), budgets.words_of(e.input)) for e in examples]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def remember_labels(store: Store, actor: User, sweep: Sweep) -> None:
    """Keep what was confirmed of the labels of unseen projects."""
    budgets.remember_tables(store, actor, sweep.project, sweep.options.unseen, sweep.tables)


def run_sweep(
    sweep: Sweep, folder: Path, *, progress: Callable[[int, int], None] = lambda _done, _of: None
) -> Iterator[Outcome]:
    """Train one model after the other. What is done stays in the folder, so that a sweep that was stopped goes on.

    Raises: Conflict where another process is at work in the folder
    """
    states: dict[str, State] = {}
    with _alone_in(folder):
        for number, trial in enumerate(sweep.trials):
            right = _read(folder / _DONE / trial.plan)
            is_new = right is None
            if right is None:
                is_any = trial.learn or trial.before is not None
                right = _right(sweep, trial, folder / _UNDER_WAY, states, progress) if is_any else {}
                _write(folder / _DONE / trial.plan, right)
            yield Outcome(trial.purchase, right, is_new)
            needed = {later.before.plan for later in sweep.trials[number + 1 :] if later.before is not None}
            states = {plan: state for plan, state in states.items() if plan in needed}


def _untrained(sweep: Sweep, trial: Trial) -> Trainable:
    texts = [segment.text for example in trial.data.learn for segment in example.input.segments]
    return make(replace(sweep.options.model, labels=sweep.labels), texts, trial.fitting.seed)


def _rows(sweep: Sweep, trainable: Trainable, examples: Sequence[Example]) -> list[Row]:
    known = [example for example in examples if example.label in sweep.labels]
    with told_by_key(trainable.cutter, known):
        return rows_of(trainable.cutter, known, sweep.labels, reads_target=trainable.network.reads == "target")


def _learn(
    sweep: Sweep, trial: Trial, trainable: Trainable, folder: Path, states: dict[str, State],
    progress: Callable[[int, int], None],
) -> None:  # fmt: skip
    """Train a model; one that goes on from another begins with its weights, which are learned again where they are not known."""
    if trial.before is not None:
        if trial.before.plan not in states:
            _learn(sweep, trial.before, _untrained(sweep, trial.before), folder, states, progress)
        trainable.restore(states[trial.before.plan])
    if trial.learn:
        checkpoint = folder / trial.plan
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
        fit(
            trainable, _rows(sweep, trainable, trial.learn), _rows(sweep, trainable, trial.data.stop), trial.fitting,
            checkpoint=Checkpoint(checkpoint, trial.plan), progress=progress,
        )  # fmt: skip
    if sweep.options.online != "none":
        states[trial.plan] = trainable.state()


def _right(
    sweep: Sweep, trial: Trial, folder: Path, states: dict[str, State], progress: Callable[[int, int], None]
) -> dict[str, tuple[int, int]]:
    """Train a model, and count by project how many texts it is right about; where it does not know the label it is wrong."""
    trainable = _untrained(sweep, trial)
    rows_to_judge = {
        name: _rows(sweep, trainable, examples) for name, examples in sweep.judge.items()
    }  # before the long part: a text may not fit
    _learn(sweep, trial, trainable, folder, states, progress)
    right = {}
    for name, of_project in rows_to_judge.items():
        targets = np.array([row.target for row in of_project])
        n_right = 0
        if of_project:
            numbers = np.where(sweep.own_labels(name), answered(trainable, of_project), -np.inf)
            n_right = int((numbers.argmax(axis=1) == targets).sum())
        right[name] = (n_right, len(sweep.judge[name]))
    for of in (trial, *_chain(trial)):
        (folder / of.plan).unlink(missing_ok=True)
    with suppress(OSError):  # another trial, of other settings, may be under way there
        folder.rmdir()
    return right


def _chain(trial: Trial) -> Iterator[Trial]:
    """Those that a trial goes on from."""
    while trial.before is not None:
        trial = trial.before
        yield trial


def _read(path: Path) -> dict[str, tuple[int, int]] | None:
    """What is written down of a trial; None where it is not done."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, tuple[int, int]])
    except FileNotFoundError:
        return None


def _write(path: Path, right: Mapping[str, tuple[int, int]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with part_folder(path) as part:
        made = part / path.name
        made.write_bytes(msgspec.json.encode(right))
        sync_file(made)
        made.replace(path)
        sync_folder(path.parent)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Nobody else trains into a folder meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("a") as file:
        if not lock(file.fileno(), alone=True):
            raise Conflict(f"Another process is training into {folder}. Wait until it is done, or name another folder.")
        yield
