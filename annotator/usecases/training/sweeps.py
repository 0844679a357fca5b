"""Many trainings that differ in few options: one after the other, each a model of its own, and those that are done stay."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.store import Store
from annotator.training.alignment import AlignmentOptions
from annotator.training.loop import FittingOptions
from annotator.usecases.access.rights import require
from annotator.usecases.models.built_in_model import is_model_name
from annotator.usecases.models.engines import LOCAL, Engine
from annotator.usecases.training import transformers
from annotator.usecases.training.examples import DataOptions, RationaleOptions

NO_ALIGNMENT = "none"

_OF_THE_ALIGNMENT = frozenset(field.name for field in fields(AlignmentOptions))
_OF_THE_RATIONALES = frozenset(field.name for field in fields(RationaleOptions))
_OF_THE_FITTING = frozenset(field.name for field in fields(FittingOptions))


@dataclass(frozen=True, slots=True)
class Trial:
    """One of the trainings. values: of the options in which they differ."""

    name: str
    values: Mapping[str, Any]
    options: transformers.TrainingOptions


def trials_of(name: str, options: transformers.TrainingOptions, axes: Mapping[str, Sequence[Any]]) -> tuple[Trial, ...]:
    """A trial for each combination of the values; options without an alignment are the same whatever would be aligned how.

    axes:   by option of the alignment (whose criterion may be "none"), of the rationales, or of the fitting. "seed" is of
            weights, batches and drawn texts alike
    Raises: InvalidValue where names would be too long
    """
    trials: dict[tuple[FittingOptions, DataOptions], Trial] = {}
    varied = [axis for axis, values in axes.items() if len(set(values)) > 1]
    for values in product(*(dict.fromkeys(of_axis) for of_axis in axes.values())):
        given = dict(zip(axes, values, strict=True))
        changed = with_values(options, given)
        ignored = _OF_THE_ALIGNMENT | _OF_THE_RATIONALES if changed.fitting.alignment is None else frozenset()
        differs = {axis: given[axis] for axis in varied if axis == "criterion" or axis not in ignored}
        trial_name = "-".join([name, *(_part(axis, value) for axis, value in differs.items())])
        if not is_model_name(trial_name):
            raise InvalidValue(
                f"'{trial_name}' cannot be the name of a model: letters, digits, '.', '_' and '-', up to 61. Choose a shorter "
                "one."
            )
        trials.setdefault((changed.fitting, changed.data), Trial(trial_name, differs, changed))
    return tuple(trials.values())


def with_values(options: transformers.TrainingOptions, values: Mapping[str, Any]) -> transformers.TrainingOptions:
    """The options with other values; `criterion` "none" takes the alignment and the choice of rationales out.

    Raises: InvalidValue for an option that there is not
    """
    unknown = values.keys() - _OF_THE_ALIGNMENT - _OF_THE_RATIONALES - _OF_THE_FITTING
    if unknown:
        raise InvalidValue(f"'{min(unknown)}' is no option of a training.")
    fitting = replace(options.fitting, **_only(values, _OF_THE_FITTING))
    data = replace(options.data, **_only(values, {"seed"}))
    if values.get("criterion") == NO_ALIGNMENT:
        return replace(
            options, fitting=replace(fitting, alignment=None), data=replace(data, rationales=RationaleOptions())
        )
    if fitting.alignment is not None:
        fitting = replace(fitting, alignment=replace(fitting.alignment, **_only(values, _OF_THE_ALIGNMENT)))
        data = replace(data, rationales=replace(data.rationales, **_only(values, _OF_THE_RATIONALES)))
    return replace(options, fitting=fitting, data=data)


def train_sweep(
    store: Store, actor: User, project: Project, trials: Sequence[Trial], *,
    progress: Callable[[int, int], None] = lambda _done, _of: None, engine: Engine = LOCAL,
) -> Iterator[transformers.TrainingReport]:  # fmt: skip
    """Train one after the other; a trial that is done already stays as it is, so that a sweep that was stopped goes on.

    engine: where it is done, a trial a task, if not here; each is saved here as soon as it comes
    Raises: ModelError, before anything is trained, where a text is too long for one of the models
    """
    require(store, actor, project.id, "use models")
    for trial in _by_tokenizer(trials):
        transformers.check_lengths(store, project, trial.name, trial.options)
    if not engine.is_local:
        yield from _trained_elsewhere(store, actor, project, trials, engine)
        return
    for trial in trials:
        yield transformers.train_transformer(store, actor, project, trial.name, trial.options, progress=progress)


def _trained_elsewhere(
    store: Store, actor: User, project: Project, trials: Sequence[Trial], engine: Engine
) -> Iterator[transformers.TrainingReport]:
    reports: dict[str, transformers.TrainingReport] = {}

    def planned() -> Iterator[transformers.PlannedTraining]:
        for trial in trials:
            training = transformers.plan_training(store, actor, project, trial.name, trial.options)
            if isinstance(training, transformers.TrainingReport):
                reports[trial.name] = training
            else:
                yield training.with_whole_paths()

    with engine.open(transformers.training_setup(trials[0].options)) as workers:
        results = workers.results(planned())
        for trial in trials:
            while trial.name not in reports and (done := next(results, None)) is not None:
                reports[done[0].name] = transformers.store_training(store, actor, *done)
            yield reports.pop(trial.name)


def _by_tokenizer(trials: Sequence[Trial]) -> list[Trial]:
    """One for each seed: by it the texts are drawn from which a tokenizer from scratch learns; [] where all have the same.

    Else the first training finds what is too long by itself.
    """
    by_seed = {trial.options.data.seed: trial for trial in reversed(trials)}
    is_same = len(by_seed) == 1 or all(trial.options.model.base is not None for trial in trials)
    return [] if is_same else list(by_seed.values())[::-1]


def _only(values: Mapping[str, Any], names: frozenset[str] | set[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in names}


def _part(axis: str, value: Any) -> str:
    """What a value adds to a model's name.

    >>> _part("criterion", "mae"), _part("learning_rate", 2e-05), _part("choice", "least confident")
    ('mae', 'learning_rate2e-05', 'least_confident')
    """
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return ("" if isinstance(value, str) else axis) + text.replace(" ", "_").replace("+", "")
