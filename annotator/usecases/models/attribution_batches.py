"""One batch of instances: what of it is stored, what is computed or written by a model, and how that is stored.

What is written has a map for each of its subwords. It is an answer of the project where the task asks for answers, or where it
begins with the words of a label; else the model has no answer, and nothing of it is counted as right or wrong.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from annotator.attribution.base import Answerer, Explained, Explainer, Input
from annotator.attribution.lime import spread_over_seeds
from annotator.attribution.removal_methods import TOO_LONG, reading_of
from annotator.domain.instances import Instance
from annotator.domain.models import (
    Attribution,
    MachineRationale,
    Output,
    Prediction,
    Run,
    canonical_parameters,
    facts_from,
)
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.language import _, unknown
from annotator.scoring.chance_verdicts import OF_LAYER
from annotator.store import Store
from annotator.store.events import require_open
from annotator.store.models import RunFinder, list_runs, outputs_of_run, store_outputs
from annotator.usecases.gold import gold_labels
from annotator.usecases.models.faithfulness import Normaliser, NormalisingCounts, Reduced, Selection, answered, missing
from annotator.usecases.models.project_model import ProjectModel

Outputs = Mapping[int, Output]

_NO_MEMORY = (
    "The memory of the machine is too small for this text. Choose fewer samples, a smaller model, or more memory."
)


@dataclass(frozen=True, slots=True)
class WrittenMethod:
    """A method with a seed, and the run that its output is stored under. explainer: None for gold, which has no scores."""

    explainer: Explainer | None
    run: Run

    @staticmethod
    def of(model: ProjectModel, method: str, explainer: Explainer | None) -> "WrittenMethod":
        if explainer is None:
            return WrittenMethod(None, Run(model.name, method, canonical_parameters(reading_of(model.predictor))))
        parameters = canonical_parameters(explainer.parameters)
        run = Run(model.name, method, parameters, explainer.seed, explainer.unit, explainer.is_signed)
        return WrittenMethod(explainer, run)


@dataclass(slots=True, kw_only=True)
class Counts:
    """How much was computed now; n_known instances had everything before.

    n_rationales: those that the model selected; n_reduced: predictions on a rationale alone or on the rest
    n_unscored:   written answers that are no answer of the project
    """

    n_known: int = 0
    n_answers: int = 0
    n_attributions: int = 0
    n_rationales: int = 0
    n_reduced: int = 0
    n_without_label: int = 0
    n_seen_in_part: int = 0
    n_unscored: int = 0

    def count(self, more: "Counts") -> None:
        """Add those of something else."""
        for counted in fields(Counts):
            setattr(self, counted.name, getattr(self, counted.name) + getattr(more, counted.name))


@dataclass(slots=True)
class BatchResult(Counts):
    """What was computed for a batch, by run, and its counts; facts by name, one value an attribution."""

    outputs: list[tuple[Run, Output]] = field(default_factory=list)
    normalising: NormalisingCounts = field(default_factory=NormalisingCounts)
    facts: dict[str, list[float]] = field(default_factory=dict)

    @property
    def has_output(self) -> bool:
        return bool(self.outputs)

    def add_facts(self, facts: Mapping[str, float], of: str = "") -> None:
        """of: what they are of, where a text has several attributions."""
        for name, value in facts.items():
            self.facts.setdefault(name + of, []).append(value)


Key = tuple[str, str, int | None]  # of a run of the model: its method, parameters and seed


def _key(run: Run) -> Key:
    return run.method, run.parameters, run.seed


@dataclass(frozen=True, slots=True)
class BatchTask:
    """Instances, and everything that is stored of them and needed to compute the rest.

    gold:   their gold labels, where these are looked at
    stored: outputs of the model's runs; others: keys of those among them from which bounds may be taken over
    """

    instances: tuple[Instance, ...]
    gold: Mapping[int, str | None]
    stored: Mapping[Key, Outputs]
    others: tuple[Key, ...] = ()

    def outputs(self, run: Run) -> dict[int, Output]:
        """Of each instance what is stored of a run, maybe nothing."""
        outputs = self.stored.get(_key(run), {})
        return {instance.id: outputs.get(instance.id, Output(instance.id)) for instance in self.instances}


@dataclass(frozen=True, slots=True)
class Part:
    """What became of so many instances: a result; or, of a single one, why the model failed for it."""

    n: int
    key: str
    result: BatchResult | ModelError


def parts_of(computed: Callable[[BatchTask], BatchResult], task: BatchTask) -> Iterator[Part]:
    """A batch whole; where the model fails for it, its instances one by one."""
    try:
        result = computed(task)
    except (ModelError, MemoryError) as error:
        if len(task.instances) > 1:
            for instance in task.instances:
                yield from parts_of(computed, replace(task, instances=(instance,)))
        else:
            yield Part(1, task.instances[0].key, error if isinstance(error, ModelError) else ModelError(_NO_MEMORY))
        return
    yield Part(len(task.instances), "", result)


class Batches:
    """Reads what is stored of batches for one model, and writes what was computed for them."""

    def __init__(self, store: Store, project: Project, model: str) -> None:
        self._store = store
        self._project = project
        self._runs = RunFinder(store, project.id)
        self._answers_run = Run(model)
        self._known_runs = {_key(stored.run): stored.id for stored in list_runs(store, project.id, model)}

    def task(
        self, instances: Sequence[Instance], runs: Sequence[Run], normaliser: Normaliser | None, *, needs_gold: bool
    ) -> BatchTask:
        """What is needed to compute everything of the instances that is not stored."""
        gold = gold_labels(self._store, self._project, instances) if needs_gold else {}
        stored = {key: self._outputs(key, instances) for key in map(_key, (self._answers_run, *runs))}
        others = self._others(stored, runs, normaliser, instances)
        stored |= {key: self._outputs(key, instances) for key in others if key not in stored}
        return BatchTask(tuple(instances), gold, stored, others)

    def _outputs(self, key: Key, instances: Sequence[Instance]) -> Outputs:
        run_id = self._known_runs.get(key)
        return {} if run_id is None else outputs_of_run(self._store, run_id, [instance.id for instance in instances])

    def _others(
        self, stored: Mapping[Key, Outputs], runs: Sequence[Run], normaliser: Normaliser | None,
        instances: Sequence[Instance],
    ) -> tuple[Key, ...]:  # fmt: skip
        """The runs whose bounds may be taken over; none where nothing is normalised, or all is."""
        if normaliser is None:
            return ()
        outputs = (stored[_key(run)].get(instance.id, Output(0)) for run in runs for instance in instances)
        if all(output.attributions and not any(map(normaliser.is_missing, output.attributions)) for output in outputs):
            return ()
        return tuple(key for key in self._known_runs if key[0] and normaliser.reads_alike(key[1]))

    def write(self, result: BatchResult) -> None:
        """Write a batch in one transaction: all of it or nothing."""
        if not result.outputs:
            return
        with self._store.transaction():
            require_open(self._store, self._project.id)  # it may have been archived or deleted while a command computed
            for run, outputs in _by_run(result.outputs):
                run_id = self._runs.id_of(run)
                self._known_runs[_key(run)] = run_id
                store_outputs(self._store, run_id, outputs)

    def as_stored(self, method: WrittenMethod) -> WrittenMethod:
        """Under the run, whatever its seeds, that was stored before runs said how texts that are too long are treated."""
        run, known = method.run, {(name, parameters) for name, parameters, _ in self._known_runs}
        parameters = json.loads(run.parameters)
        before = canonical_parameters({name: value for name, value in parameters.items() if name != TOO_LONG})
        if (run.method, run.parameters) in known or (run.method, before) not in known:
            return method
        return replace(method, run=replace(run, parameters=before))


@dataclass(frozen=True, slots=True)
class Computing:
    """Computes batches for one model and one method with its seeds; it knows no database.

    label: whose attribution, as in `AttributingOptions`
    """

    model: ProjectModel
    methods: Sequence[WrittenMethod]
    label: str
    selection: Selection | None
    normaliser: Normaliser | None = None

    def computed(self, task: BatchTask) -> BatchResult:
        """Everything of the instances that is not stored. Raises: ModelError when the model fails for one of them."""
        result, instances, gold = BatchResult(), task.instances, task.gold
        answers = self._answers(task, result)
        wanted = {instance.id: self._labels(answers[instance.id], gold.get(instance.id)) for instance in instances}
        result.n_without_label = sum(not labels for labels in wanted.values())
        by_seed: list[dict[int, tuple[Attribution, ...]]] = []
        if self.normaliser is not None:
            self.normaliser.begin()
        for method in self.methods:
            stored_outputs = task.outputs(method.run)
            attributions = self._attributions(method, instances, wanted, stored_outputs, result)
            by_seed.append(attributions)
            self._reduce(method, instances, answers, gold, attributions, stored_outputs, result)
            self._normalise(method, task, answers, attributions, result)
        self._add_spread(by_seed, result)
        touched = {output.instance_id for _, output in result.outputs}
        result.n_known = sum(instance.id not in touched for instance in instances)
        return result

    def _answers(self, task: BatchTask, result: BatchResult) -> dict[int, Prediction]:
        """The answer to each full input, asked for where it is not stored."""
        outputs = task.outputs(Run(self.model.name))
        answers = {i: p for i, output in outputs.items() for p in output.predictions if p.on == "full"}
        unknown = [instance for instance in task.instances if instance.id not in answers]
        if unknown:
            predictions = self.model.answers([Input.of(instance) for instance in unknown])
            for instance, answer in zip(unknown, predictions, strict=True):
                answers[instance.id] = answer
                result.outputs.append((Run(self.model.name), Output(instance.id, (answer,))))
        result.n_answers = len(unknown)
        return answers

    def _labels(self, answer: Prediction, gold: str | None) -> tuple[str, ...]:
        """The labels whose attributions are wanted; none where the gold label is asked for and missing."""
        if isinstance(self.model.predictor, Answerer):  # only its own answer can be explained
            return () if answer.label is None else (answer.label,)
        match self.label:
            case "predicted":
                return (answer.label or "",)
            case "gold":
                return (gold,) if gold is not None and gold in self.model.labels else ()
            case "all":
                return self.model.labels
            case label:
                return (label,)

    def _attributions(
        self,
        method: WrittenMethod,
        instances: Sequence[Instance],
        wanted: Mapping[int, tuple[str, ...]],
        stored_outputs: Outputs,
        result: BatchResult,
    ) -> dict[int, tuple[Attribution, ...]]:
        """Stored and new attributions of each instance; new ones are added to the result."""
        attributions = {instance.id: stored_outputs[instance.id].attributions for instance in instances}
        if method.explainer is None:
            return attributions
        new: dict[int, list[Attribution]] = {}
        selections: dict[int, tuple[MachineRationale, ...]] = {}
        for index in range(max((len(labels) for labels in wanted.values()), default=0)):
            todo = [
                (instance, wanted[instance.id][index])
                for instance in instances
                if index < len(wanted[instance.id])
                and not _has(wanted[instance.id][index], (*attributions[instance.id], *new.get(instance.id, ())))
            ]
            for (instance, _target), explained in zip(todo, self._explained(method.explainer, todo), strict=True):
                new.setdefault(instance.id, []).extend(self._named(explained))
                selections[instance.id] = (
                    () if explained.selected is None else (MachineRationale("hard", explained.selected),)
                )
                result.n_attributions += len(explained.attributions)
                result.n_seen_in_part += any(math.isnan(s) for of in explained.attributions for s in of.scores)
                for name, facts in _told_facts(explained):
                    result.add_facts(facts, name)
        result.outputs += [(method.run, Output(i, (), tuple(of_one), selections[i])) for i, of_one in new.items()]
        result.n_rationales += sum(map(len, selections.values()))
        return {i: (*stored, *new.get(i, ())) for i, stored in attributions.items()}

    def _explained(self, explainer: Explainer, todo: Sequence[tuple[Instance, str]]) -> list[Explained]:
        if not todo:
            return []
        return self.model.explained(
            explainer, [Input.of(instance) for instance, _ in todo], [label for _, label in todo]
        )

    def _named(self, explained: Explained) -> Iterable[Attribution]:
        """Attributions under the project's labels, each with its own facts and those of its text."""
        for a in explained.attributions:
            facts = facts_from({**explained.facts, **dict(a.facts)})
            yield replace(a, label=self.model.named(a.label), facts=facts)

    def _reduce(
        self,
        method: WrittenMethod,
        instances: Sequence[Instance],
        answers: Mapping[int, Prediction],
        gold: Mapping[int, str | None],
        attributions: Mapping[int, tuple[Attribution, ...]],
        stored_outputs: Outputs,
        result: BatchResult,
    ) -> None:
        """Ask about rationales alone and about the rest, where that is wanted and not stored."""
        if self.selection is None:
            return
        inputs: list[Reduced] = []
        selected = _selected_by_model(method.run, stored_outputs, result)
        for instance in instances:
            if method.explainer is None:
                of_one = self.selection.of_gold(instance)
            else:
                chosen = _selecting(attributions[instance.id], (answers[instance.id].label, gold.get(instance.id)))
                of_one = (
                    [] if chosen is None else self.selection.of_attribution(instance, chosen, selected.get(instance.id))
                )
            inputs += missing(of_one, stored_outputs[instance.id])
        result.outputs += [(method.run, output) for output in answered(self.model, inputs).values()]
        result.n_reduced += len(inputs)

    def _normalise(
        self,
        method: WrittenMethod,
        task: BatchTask,
        answers: Mapping[int, Prediction],
        attributions: Mapping[int, tuple[Attribution, ...]],
        result: BatchResult,
    ) -> None:
        """Add normalised faithfulness to the attributions that select the rationales, where it is wanted and not stored."""
        if self.normaliser is None or method.explainer is None:
            return
        others = (task.stored[key] for key in task.others if key != _key(method.run))
        chosen = [
            (instance, attribution, predicted or "")
            for instance in task.instances
            for predicted in [answers[instance.id].label]
            for attribution in [_selecting(attributions[instance.id], (predicted, task.gold.get(instance.id)))]
            if attribution is not None
        ]
        for i, attribution in self.normaliser.add(chosen, others, result.normalising):
            result.outputs.append((method.run, Output(i, attributions=(attribution,))))

    def _add_spread(self, by_seed: Sequence[Mapping[int, tuple[Attribution, ...]]], result: BatchResult) -> None:
        """How far the seeds of an instance lie apart, where something was computed."""
        if len(by_seed) < 2 or not result.n_attributions:
            return
        for i, of_first in by_seed[0].items():
            for first in of_first:
                same = [
                    a for of_seed in by_seed for a in of_seed[i] if (a.label, a.layer) == (first.label, first.layer)
                ]
                if len(same) == len(by_seed):
                    result.add_facts({"spread": spread_over_seeds([a.scores for a in same])})


_SELECTION = "selection"  # the method of models that select a rationale by themselves


def _selected_by_model(run: Run, stored_outputs: Outputs, result: BatchResult) -> dict[int, tuple[int, ...]]:
    """The tokens of the rationales that a model selected by itself, stored or new; {} of all other methods."""
    if run.method != _SELECTION:
        return {}
    new = (output for of_run, output in result.outputs if of_run == run)
    return {
        output.instance_id: tuple(token for span in rationale.spans for token in range(*span))
        for output in (*stored_outputs.values(), *new)
        for rationale in output.rationales
        if rationale.kind == "hard"
    }


def _has(label: str, attributions: Iterable[Attribution]) -> bool:
    """Whether there is an attribution of a label; one of no label (attention) stands for all."""
    return any(attribution.label in {label, ""} for attribution in attributions)


def _told_facts(explained: Explained) -> list[tuple[str, Mapping[str, float]]]:
    """What is told of an explanation; of several layers each by itself, with the layer's name."""
    layers = [attribution for attribution in explained.attributions if attribution.layer is not None]
    if len(layers) < 2:
        return [("", explained.facts)]
    return [(f"{OF_LAYER}{attribution.layer}", dict(attribution.facts)) for attribution in layers]


def _selecting(attributions: Sequence[Attribution], wanted: Sequence[str | None]) -> Attribution | None:
    """The attribution that selects the rationale: of the last layer, and of the first label wanted (predicted, gold), or any."""
    if not attributions:
        return None
    last = max((a.layer for a in attributions if a.layer is not None), default=None)
    of_layer = [a for a in attributions if a.layer == last]
    for label in wanted:
        for attribution in of_layer:
            if label is not None and attribution.label in {label, ""}:
                return attribution
    return of_layer[0]


def _by_run(outputs: Iterable[tuple[Run, Output]]) -> list[tuple[Run, list[Output]]]:
    """Outputs of one run together, and those of one instance in one."""
    outputs_by_run: dict[Run, dict[int, Output]] = {}
    for run, output in outputs:
        of_run = outputs_by_run.setdefault(run, {})
        before = of_run.get(output.instance_id, Output(output.instance_id))
        of_run[output.instance_id] = Output(
            output.instance_id,
            before.predictions + output.predictions,
            before.attributions + output.attributions,
            before.rationales + output.rationales,
        )
    return [(run, list(of_run.values())) for run, of_run in outputs_by_run.items()]


# One batch of instances of a model that writes its answers: what is stored already, what it writes, what that answers.


def label_in(answer: str, labels: Sequence[str], label_words: Mapping[str, str]) -> str | None:
    """The label with whose words an answer begins, as whole words and whatever their case; the longest words count.

    >>> label_in(" Not good, really", ("good", "not good"), {})
    'not good'
    >>> label_in("goodness", ("good", "bad"), {}) is None
    True
    """
    words = {label: label_words.get(label, label).strip() for label in labels}
    for label in sorted(labels, key=lambda label: -len(words[label])):
        if words[label] and re.match(rf"\W*{re.escape(words[label])}(?!\w)", answer, re.IGNORECASE):
            return label
    return None


def check_label_words(labels: Sequence[str], label_words: Mapping[str, str]) -> None:
    """Raise InvalidValue for words of a label that there is not."""
    strange = [label for label in label_words if label not in labels]
    if strange:
        raise InvalidValue(unknown(_("label"), strange[0], ", ".join(labels) or _("none")))


@dataclass(frozen=True, slots=True)
class WrittenComputing:
    """Computes batches for a model that writes its answers, as `Computing` does for others.

    labels: of which one may begin an answer; None where whatever is written is one
    """

    model: ProjectModel
    method: WrittenMethod
    labels: Sequence[str] | None
    label_words: Mapping[str, str]

    def computed(self, task: BatchTask) -> BatchResult:
        """Everything of the instances that is not stored. Raises: ModelError when the model fails for one of them."""
        result = BatchResult()
        attributions, answers = task.outputs(self.method.run), task.outputs(Run(self.model.name))
        todo = [instance for instance in task.instances if not attributions[instance.id].attributions]
        result.n_known = len(task.instances) - len(todo)
        explainer = self.method.explainer
        if explainer is None or not todo:
            return result
        explained = explainer.explain([Input.of(instance) for instance in todo], [""] * len(todo))
        for instance, of_one in zip(todo, explained, strict=True):
            result.outputs.append((self.method.run, Output(instance.id, attributions=of_one.attributions)))
            result.n_attributions += 1
            result.n_seen_in_part += "unseen_tokens" in of_one.facts
            result.add_facts(of_one.facts)
            answer = self._answer(of_one)
            result.n_unscored += answer is None
            if answer is not None and not answers[instance.id].predictions:
                result.outputs.append((Run(self.model.name), Output(instance.id, (answer,))))
                result.n_answers += 1
        return result

    def _answer(self, explained: Explained) -> Prediction | None:
        """What was written, as an answer of the project; None where it is none."""
        written = explained.attributions[0].written
        text = "" if written is None else written.text
        if self.labels is None:
            return Prediction(text)
        label = label_in(text, self.labels, self.label_words)
        return None if label is None else Prediction(label)
