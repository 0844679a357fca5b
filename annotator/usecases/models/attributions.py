"""Compute what a model answers and how much each token counts for it, a batch of instances at a time.

A batch is computed first and then written in one transaction, so that a stop at any moment loses one batch; what is stored is
not computed again.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from annotator.attribution.base import Answerer, Explainer, TooLong, Writes
from annotator.attribution.loaders import LoadOptions
from annotator.attribution.methods import METHODS, make_explainer, seeds_of
from annotator.attribution.transformers_generation_attribution import WRITTEN_METHODS
from annotator.attribution.transformers_parameters import FOLLOWS_MODEL, Parameter, Value
from annotator.attribution.transformers_parameters import METHODS as TRANSFORMERS_METHODS
from annotator.domain.instances import Instance
from annotator.domain.models import Run
from annotator.domain.numbers import counted, percent
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.normalised_aopc import WIDTH
from annotator.scoring.chance_verdicts import OF_LAYER
from annotator.store import Store
from annotator.store.events import add_event, require_open
from annotator.store.instances import iterate_instance_batches
from annotator.store.models import forget_model, has_outputs, splits_of
from annotator.store.suites import forget_computed
from annotator.usecases.access.rights import require
from annotator.usecases.gold import require_split
from annotator.usecases.gold_table import check_ratio, gold_table
from annotator.usecases.models.attribution_batches import (
    Batches,
    BatchResult,
    Computing,
    Counts,
    Part,
    WrittenComputing,
    WrittenMethod,
    check_label_words,
    parts_of,
)
from annotator.usecases.models.engines import LOCAL, Doing, Engine
from annotator.usecases.models.faithfulness import (
    MOST_TOKENS,
    Normaliser,
    Normalising,
    NormalisingCounts,
    Selection,
    plan_normalising,
)
from annotator.usecases.models.project_model import AskedModel, ModelSource, ProjectModel, asked_model

__all__ = [
    "FOLLOWS_MODEL",
    "MOST_TOKENS",
    "AttributingOptions",
    "AttributingReport",
    "LoadOptions",
    "Parameter",
    "TooLong",
    "Value",
    "attribute",
    "choosable_labels",
    "count_instances",
    "offered_methods",
    "offered_parameters",
]

PREDICTED, GOLD, ALL = "predicted", "gold", "all"
GOLD_METHOD = "gold"

_TOKENS_IN_A_BATCH = 4_000
_GIVE_UP_AFTER = 20  # instances in a row for which the model fails: then it is the model, not the text
_SHOWN = 20
_NO_REASON = "on which the model failed"
_OF_THE_MODEL = "too_long"  # a parameter that is chosen with the model: see LoadOptions
_OF_ONE_TEXT = frozenset({"base", "logit", "full", "output_change"})  # facts whose mean says nothing


@dataclass(frozen=True, slots=True)
class AttributingOptions:
    """What is computed.

    label:       whose attribution: "predicted", "gold", "all", or one of the project's labels
    seeds:       of methods that draw; none: the method's own (random: ten)
    parameters:  of the method, in its own words; "preset" names one
    batch_size:  instances that are written together (fewer where they are long)
    trains:      the built-in model is trained again
    train_seed:  of its training
    renamed:     what the project calls labels of the model, "" for one that is never an answer
    is_anew:     what is stored of the model is taken out first
    only:        these instances alone; None: all
    ratio:       of a project without gold, which has no RLR: the share of a side's tokens that the rationale is
    is_normalised: faithfulness between its bounds too, of texts of at most most_tokens, found with a beam of beam_width
    """

    label: str = PREDICTED
    seeds: tuple[int, ...] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    split: str | None = None
    has_faithfulness: bool = False
    batch_size: int = 8
    trains: bool = False
    train_seed: int = 0
    renamed: Mapping[str, str] = field(default_factory=dict)
    is_anew: bool = False
    load: LoadOptions = field(default_factory=LoadOptions)
    only: frozenset[int] | None = None
    ratio: float | None = None
    is_normalised: bool = False
    most_tokens: int = MOST_TOKENS
    beam_width: int = WIDTH


@dataclass(slots=True)
class AttributingReport(Counts):
    """What was done.

    n_normalised: attributions whose AOPC got its bounds, for n_calls reduced texts; n_too_long, n_without_order: left out of that
    gap, n_gaps: what a beam twice as wide adds to the range of the bounds, in the mean of so many texts
    facts:    means over the attributions that were computed now (see the explainers), NaN left out; of several layers one each,
              as in "special_share of layer 0"
    left_out: key and reason of the first instances for which the model failed; n_left_out counts all
    reasons:  how many of all were left out for which reason, in words that follow a number
    """

    model: str
    method: str
    seeds: tuple[int | None, ...]
    parameters: Mapping[str, object]
    n_instances: int = 0
    n_normalised: int = 0
    n_calls: int = 0
    n_too_long: int = 0
    n_without_order: int = 0
    gap: float | None = None
    n_gaps: int = 0
    n_left_out: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)
    facts: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def left_out_summary(report: AttributingReport) -> str:
    """How many texts were left out, and why; "" where none was."""
    if not report.n_left_out:
        return ""
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in sorted(report.reasons.items(), key=lambda pair: -pair[1]))
    were = "text was" if report.n_left_out == 1 else "texts were"
    return f"{report.n_left_out:,} of {report.n_instances:,} {were} left out: {reasons}."


def normalising_lines(report: AttributingReport) -> Iterator[str]:
    """How many attributions were normalised by how many calls, what was left out of that, and how close the bounds are."""
    if report.n_normalised:
        yield (
            f"Normalised the AOPC of {counted(report.n_normalised, 'attribution')}, asking about "
            f"{counted(report.n_calls, 'reduced text')}."
        )
    if report.n_too_long:
        yield f"{counted(report.n_too_long, 'attribution')} of longer texts not normalised (--most-tokens)."
    if report.n_without_order:
        yield f"{counted(report.n_without_order, 'attribution')} without an order (all scores equal) not normalised."
    if report.gap is not None:
        yield (
            f"A beam twice as wide adds {percent(report.gap)} to the range of the bounds "
            f"({counted(report.n_gaps, 'text')}); above 5 %, take a wider one (--beam-width)."
        )


def offered_methods(*, writes: bool = False) -> dict[str, str]:
    """Every method with a title for people: those for any model first, then those for transformers models, then gold itself.

    writes: those alone that explain what a model writes
    """
    any_model = {name: _(method.title) for name, method in METHODS.items()}
    of_transformers = {name: f"{method.title} (transformers)" for name, method in TRANSFORMERS_METHODS.items()}
    if writes:
        return {name: any_model.get(name) or of_transformers[name] for name in WRITTEN_METHODS}
    return (
        any_model | of_transformers | {GOLD_METHOD: _("Gold as a method (predictions on gold rationales and the rest)")}
    )


def offered_parameters(method: str) -> tuple[Parameter, ...]:
    """What of a method can be chosen, apart from what is chosen with the model."""
    methods = METHODS | TRANSFORMERS_METHODS
    parameters = methods[method].parameters if method in methods else ()
    return tuple(parameter for parameter in parameters if parameter.name != _OF_THE_MODEL)


def choosable_labels(project: Project) -> dict[str, str]:
    """Whose attribution may be asked for, with a title for people; of answers only the model's own."""
    if project.task.result_kind == "answer":
        return {PREDICTED: _("the predicted one")}
    several = {PREDICTED: _("the predicted one"), GOLD: _("the gold one"), ALL: _("each of them")}
    return several | {label: label for label in project.labels if label not in several}


def attribute(
    store: Store,
    actor: User,
    project: Project,
    model: str,
    method: str,
    options: AttributingOptions = AttributingOptions(),
    *,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
    announce: Callable[[str], None] = lambda _sentence: None,
    engine: Engine = LOCAL,
) -> AttributingReport:
    """Compute and store a model's answers, a method's attributions, and on request its faithfulness runs.

    model:    built-in, built-in:NAME, spacy:FOLDER-OR-NAME, transformers:FOLDER-OR-NAME, transformers-zero-shot:FOLDER-OR-NAME,
              transformers-writing:FOLDER-OR-NAME, or the name of a transformers model that was trained in the project
    method:   one of attribution.methods; "gold": answers to the gold rationales and to the rest, without attributions
    progress: told how many instances are done, of how many
    announce: told before the work how much of it there is at most, where that is much
    engine:   where it is computed; everything is stored here
    Raises: ModelError, saying what is stored and how to go on, where the model cannot be had or fails
    """
    require(store, actor, project.id, "use models")
    require_open(store, project.id)
    n_instances = len(options.only) if options.only is not None else count_instances(store, project, options.split)
    seeds = (None,) if method == GOLD_METHOD else seeds_of(method, options.seeds)
    chosen = asked_model(
        store, actor, project, model, options.load, options.renamed, trains=options.trains, seed=options.train_seed
    )
    project_model, notes = chosen.model, list(chosen.notes)
    if not options.is_anew:
        chosen.require_one_table(store, project)
    if writes := isinstance(project_model.predictor, Writes):
        _check_written(project, method, options)
    _check_label(project_model, options.label)
    methods = [_written(project_model, method, options, seed) for seed in seeds]
    selection = _selection(store, project, method, options, notes)
    normaliser = _normaliser(store, project, project_model, method, options, len(seeds), announce)
    if options.is_anew:
        _forget(store, actor, project, chosen)
    chosen.remember(store, actor, project)
    report = AttributingReport(
        project_model.name, method, seeds, json.loads(methods[0].run.parameters), n_instances, notes=notes
    )
    batches = Batches(store, project, project_model.name)
    methods = methods if writes else [batches.as_stored(method) for method in methods]
    computing = _computing(chosen.source(engine), project, method, options, methods, selection, normaliser)
    work = _Work(store, actor, project, batches, report, progress)
    with engine.open(computing.source.setup(computing.load), computing.doing(project_model, methods)) as workers:
        tasks = (
            batches.task(batch, computing.runs, normaliser, needs_gold=selection is not None or options.label == GOLD)
            for batch in _instances(store, project, options)
        )
        work.run(part for _task, part in workers.results(tasks))
    return report


@dataclass(frozen=True, slots=True)
class _PlannedComputing:
    """What computes batches, also where nothing is loaded yet (see `models.engines`).

    runs:   of the method, one for each of its seeds, as they are stored
    labels: of which a written answer may begin with one; None where whatever is written is one
    """

    source: ModelSource
    method: str
    parameters: Mapping[str, object]
    runs: tuple[Run, ...]
    label: str
    selection: Selection | None
    normalising: Normalising | None
    labels: tuple[str, ...] | None

    def load(self) -> Doing:
        model = self.source.load()
        return self.doing(
            model, [WrittenMethod(_explainer(model, self.method, self.parameters, run.seed), run) for run in self.runs]
        )

    def doing(self, model: ProjectModel, methods: Sequence[WrittenMethod]) -> Doing:
        """With what is loaded already."""
        if isinstance(model.predictor, Writes):
            written = WrittenComputing(model, methods[0], self.labels, self.source.options.label_words)
            return partial(parts_of, written.computed)
        normaliser = None if self.normalising is None else Normaliser(model, self.normalising)
        return partial(parts_of, Computing(model, methods, self.label, self.selection, normaliser).computed)


def _computing(
    source: ModelSource, project: Project, method: str, options: AttributingOptions,
    methods: Sequence[WrittenMethod], selection: Selection | None, normaliser: Normaliser | None,
) -> _PlannedComputing:  # fmt: skip
    runs = tuple(of_seed.run for of_seed in methods)
    selection = selection if selection is None or method == GOLD_METHOD else selection.without_gold()
    normalising = None if normaliser is None else normaliser.normalising
    labels = tuple(project.labels) if project.task.result_kind == "label" else None
    parameters = dict(options.parameters)
    return _PlannedComputing(source, method, parameters, runs, options.label, selection, normalising, labels)


def _check_written(project: Project, method: str, options: AttributingOptions) -> None:
    """Refuse what a model that writes its answers cannot be asked for."""
    if options.label != PREDICTED:
        raise InvalidValue(
            _("Generative models take no --label ('{label}'). Use transformers-zero-shot:FOLDER.", label=options.label)
        )
    if options.has_faithfulness or options.is_normalised or method == GOLD_METHOD:
        raise InvalidValue(_("Faithfulness needs probabilities. Use transformers-zero-shot:FOLDER."))
    if options.renamed:
        raise InvalidValue(_("Generative models have no labels. Add --label-words LABEL=WORDS."))
    check_label_words(project.labels, options.load.label_words)


def _forget(store: Store, actor: User, project: Project, chosen: AskedModel) -> None:
    """Everything by all methods; with it what it answers to suites, where that was by other labels."""
    model = chosen.model.name
    with store.transaction():
        if chosen.is_by_another_table(store, project):
            forget_computed(store, project.id, model)
        if has_outputs(store, project.id, model):
            forget_model(store, project.id, model)
            add_event(
                store, actor.name, "forget model", "project", project.id, project_id=project.id, model=model,
            )  # fmt: skip


def count_instances(store: Store, project: Project, split: str | None) -> int:
    """How many instances of a project, or of a split, are not discarded. Raises: InvalidValue where there are none at all."""
    n_by_split = splits_of(store, project.id)
    if not n_by_split:
        raise InvalidValue(_("No texts yet. A lead can import some."))
    if split is None:
        return sum(n_by_split.values())
    require_split(store, [project], split)
    return n_by_split.get(split, 0)


def _check_label(model: ProjectModel, label: str) -> None:
    if label == GOLD and isinstance(model.predictor, Answerer):
        raise InvalidValue(
            _("'{name}' explains only its own answer, not {gold}. Choose {predicted}.", name=model.name, gold=GOLD,
              predicted=PREDICTED)
        )  # fmt: skip
    if label in {PREDICTED, GOLD, ALL} or label in model.labels:
        return
    known = ", ".join(model.labels) or _("none by name: its predictions aren't labels")
    raise InvalidValue(
        _(
            "'{name}' has no label '{label}'. Choose {predicted}, {gold}, {all} or a label ({known}).",
            label=label,
            name=model.name,
            predicted=PREDICTED,
            gold=GOLD,
            all=ALL,
            known=known,
        )
    )


def _written(model: ProjectModel, method: str, options: AttributingOptions, seed: int | None) -> WrittenMethod:
    if method == GOLD_METHOD and options.parameters:
        raise InvalidValue(
            _(
                "{method} takes no parameters. Remove {parameters}.",
                method=method,
                parameters=", ".join(options.parameters),
            )
        )
    return WrittenMethod.of(model, method, _explainer(model, method, options.parameters, seed))


def _explainer(
    model: ProjectModel, method: str, parameters: Mapping[str, object], seed: int | None
) -> Explainer | None:
    """None of gold, which has no scores."""
    return None if method == GOLD_METHOD else make_explainer(model.predictor, method, parameters, seed)


def _selection(
    store: Store, project: Project, method: str, options: AttributingOptions, notes: list[str]
) -> Selection | None:
    if method != GOLD_METHOD and not options.has_faithfulness and not options.is_normalised:
        return None
    with store.snapshot():
        gold = gold_table(store, project, project.settings.gold_policy)
    check_ratio(options.ratio, gold)
    selection = Selection(gold, project.task, options.ratio)
    if not any(gold.ratios) and method == GOLD_METHOD:
        raise InvalidValue(_("Project '{name}' has no gold rationales yet.", name=project.name))
    if not selection.has_ratio:
        notes.append(
            "There is no gold, from which k would follow; only shares of all tokens are asked about. State k with --ratio."
        )
    return selection


def _normaliser(
    store: Store,
    project: Project,
    model: ProjectModel,
    method: str,
    options: AttributingOptions,
    n_seeds: int,
    announce: Callable[[str], None],
) -> Normaliser | None:
    """None where nothing is normalised. Raises InvalidValue for what has no order, or no probability of a class."""
    if not options.is_normalised:
        return None
    if method == GOLD_METHOD:
        raise InvalidValue(_("Gold doesn't order tokens. Choose another method."))
    if isinstance(model.predictor, Answerer):
        raise InvalidValue(_("Normalising needs label probabilities. '{name}' answers questions.", name=model.name))
    batches = _instances(store, project, options)
    normalising, sentence = plan_normalising(batches, options.most_tokens, options.beam_width, n_seeds)
    announce(sentence)
    return Normaliser(model, normalising)


def _instances(store: Store, project: Project, options: AttributingOptions) -> Iterator[list[Instance]]:
    """Batches of the instances that are not discarded: at most so many, and not much work."""
    batch: list[Instance] = []
    work = 0.0
    normalising = Normalising(options.most_tokens, options.beam_width) if options.is_normalised else None
    for read in iterate_instance_batches(store, project.id, split=options.split, batch_size=100):
        for instance in read:
            if instance.state == "discarded" or (options.only is not None and instance.id not in options.only):
                continue
            weight = instance.layout.n_tokens / _TOKENS_IN_A_BATCH
            if normalising is not None:
                weight = max(weight, normalising.weight_of(instance.layout.n_selectable))
            if batch and (len(batch) >= options.batch_size or work + weight > 1):
                yield batch
                batch, work = [], 0.0
            batch.append(instance)
            work += weight
    if batch:
        yield batch


@dataclass(slots=True)
class _Work:
    """Goes through the batches; keeps count, and goes on where single instances fail."""

    store: Store
    actor: User
    project: Project
    batches: Batches
    report: AttributingReport
    progress: Callable[[int, int], None]
    n_done: int = 0
    n_failed_in_a_row: int = 0
    has_begun: bool = False
    # In the order in which they come, which changes no mean.
    facts: dict[str, list[float]] = field(default_factory=dict)
    gaps: list[float] = field(default_factory=list)

    def run(self, parts: Iterable[Part]) -> None:
        try:
            for part in parts:
                self._take(part)
                self.progress(self.n_done, self.report.n_instances)
        finally:
            self.report.facts = {name: math.fsum(values) / len(values) for name, values in self.facts.items()}
            if self.has_begun:
                self._tell("attribute", answers=self.report.n_answers, attributions=self.report.n_attributions,
                           reduced=self.report.n_reduced, left_out=self.report.n_left_out)  # fmt: skip
        if self.report.n_left_out and self.report.n_left_out == self.report.n_instances:
            raise ModelError(f"Nothing could be computed: {self.report.left_out[0][1]}")

    def _take(self, part: Part) -> None:
        """Write what was computed, or count the instance out."""
        result = part.result
        if isinstance(result, ModelError):
            self._leave_out(part.key, result)
            return
        if result.has_output and not self.has_begun:
            self._tell("start attributing")
            self.has_begun = True
        self.batches.write(result)
        self.n_failed_in_a_row = 0
        self.n_done += part.n
        self._count(result)

    def _leave_out(self, key: str, error: ModelError) -> None:
        """Texts that are left out for a reason of their own, such as their length, say nothing against the model."""
        self.n_failed_in_a_row += not error.reason
        self.n_done += 1
        self.report.n_left_out += 1
        reason = error.reason or _NO_REASON
        self.report.reasons[reason] = self.report.reasons.get(reason, 0) + 1
        if len(self.report.left_out) < _SHOWN:
            self.report.left_out.append((key, str(error)))
        if self.n_failed_in_a_row >= _GIVE_UP_AFTER and self.n_done < self.report.n_instances:
            raise ModelError(
                f"{error} The model failed for {counted(self.n_failed_in_a_row, 'instance')} one after another, the last "
                f"'{key}', so the work stopped. What was computed until then is stored; the same command "
                "goes on from there once the cause is removed."
            ) from error

    def _count(self, result: BatchResult) -> None:
        self.report.count(result)
        self._count_normalising(result.normalising)
        for name, values in result.facts.items():
            defined = [value for value in values if value == value]  # noqa: PLR0124  # NaN
            if defined and name.partition(OF_LAYER)[0] not in _OF_ONE_TEXT:
                self.facts.setdefault(name, []).extend(defined)

    def _count_normalising(self, counts: NormalisingCounts) -> None:
        report = self.report
        report.n_normalised += counts.n_normalised
        report.n_calls += counts.n_calls
        report.n_too_long += counts.n_too_long
        report.n_without_order += counts.n_without_order
        if counts.gaps:
            self.gaps += counts.gaps.values()
            report.gap, report.n_gaps = math.fsum(self.gaps) / len(self.gaps), len(self.gaps)

    def _tell(self, action: str, **counts: int) -> None:
        """In the record: at the start too, since numbers that were made before may be out of date from then on."""
        report = self.report
        with self.store.transaction():
            add_event(
                self.store, self.actor.name, action, "project", self.project.id, project_id=self.project.id,
                model=report.model, method=report.method, seeds=list(report.seeds), parameters=dict(report.parameters),
                **counts, **({"facts": report.facts} if report.facts else {}),
            )  # fmt: skip
