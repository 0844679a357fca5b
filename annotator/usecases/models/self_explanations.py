"""Prompts for a label and its reasons, as a file for any language model, or asked of one of this machine.

Each answer is stored whole, in one transaction, before the next is asked for: a stop at any moment loses one request.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.attribution.local_server import NONSENSE, SERVER_FAILURES, configured_address
from annotator.attribution.served_models import ServedModel
from annotator.domain import self_explanations
from annotator.domain.instances import Instance
from annotator.domain.models import MachineRationale, Output, Prediction, Run
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError, NotFound
from annotator.formats.rows.files import new_file
from annotator.language import _, listed
from annotator.store import Store
from annotator.store.events import add_event, require_open
from annotator.store.instances import iterate_instance_batches
from annotator.store.models import (
    RunFinder,
    list_runs,
    models_with_quoted_sets,
    outputs_of_run,
    splits_of,
    store_outputs,
)
from annotator.text.model_answers import STRANGE, ExplainedAnswer, Unusable, read_answer
from annotator.text.search import quotes_on_tokens
from annotator.usecases.access.rights import require
from annotator.usecases.gold import require_split
from annotator.usecases.models.attributions import AttributingReport

# Prompts that ask any language model for a label and the quotes that are its reasons; they go out as a file.


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """Which prompts are written, and how.

    template:    None: the standard one; asks_sets: that for several sets
    batch_model: lines as the OpenAI batch interface takes them, for this model; "": plain ones
    """

    template: str | None = None
    split: str | None = None
    batch_model: str = ""
    asks_sets: bool = False


def write_prompts(
    store: Store, actor: User, project: Project, path: Path, options: PromptOptions = PromptOptions()
) -> int:
    """Write a line with a prompt for each instance that is not discarded; how many there are.

    Raises: InvalidValue for a template or a split that cannot be; ExportRefused where the file cannot be written
    """
    require(store, actor, project.id, "use models")
    template = chosen_template(project, options.template, asks_sets=options.asks_sets)
    n = 0
    with store.snapshot(), new_file(path) as file:
        for instance in instances_asked(store, project, options.split):
            line = json.dumps(_line(project, instance, template, options.batch_model), ensure_ascii=False)
            file.write(line.encode() + b"\n")
            n += 1
    with store.transaction():
        add_event(
            store, actor.name, "write prompts", "project", project.id, project_id=project.id, file=path.name, instances=n,
            prompt=self_explanations.prompt_name(project, template),
        )  # fmt: skip
    return n


def chosen_template(project: Project, template: str | None, *, asks_sets: bool = False) -> str:
    """The template that was asked for, else the standard one; raises InvalidValue where it cannot be used."""
    chosen = self_explanations.standard_template(project, asks_sets=asks_sets) if template is None else template
    self_explanations.check_template(project, chosen)
    return chosen


def instances_asked(store: Store, project: Project, split: str | None) -> Iterator[Instance]:
    """The instances that are not discarded; raises InvalidValue for a split that is not there, or where there is none."""
    if not splits_of(store, project.id):
        raise InvalidValue(_("No texts yet. A lead can import some."))
    require_split(store, [project], split)
    for batch in iterate_instance_batches(store, project.id, split=split, batch_size=100):
        yield from (instance for instance in batch if instance.state != "discarded")


def _line(project: Project, instance: Instance, template: str, batch_model: str) -> object:
    version = self_explanations.prompt_name(project, template)
    prompt = self_explanations.prompt_of(project, instance, template)
    name = self_explanations.request_name(instance.key, instance.split, version)
    if batch_model:
        return self_explanations.batch_request(name, batch_model, prompt)
    return {
        "custom_id": name, "key": instance.key, "split": instance.split, "prompt_version": version, "prompt": prompt,
    }  # fmt: skip


_UNREAD = "answered without a label and quotes that could be read"
_STRANGE = "answered with a label that the project does not have"
_GIVE_UP_AFTER = 20  # answers in a row that cannot be used: then it is the model or the prompt
_GIVE_UP_ON_SERVER_AFTER = 3
_SHOWN = 20
_SHORTEST_SECRET = 8  # a key such as "none" keeps nothing secret, and may stand in a text


@dataclass(frozen=True, slots=True)
class SelfExplanationOptions:
    """Which texts a model is asked about, and with which prompt; None: the standard one, asks_sets: that for several sets."""

    template: str | None = None
    split: str | None = None
    asks_sets: bool = False


def is_address_set() -> bool:
    """Whether whoever runs the program named an address; raises InvalidValue for one that cannot be asked."""
    return configured_address() is not None


def explain_self(
    store: Store, actor: User, project: Project, model: str, options: SelfExplanationOptions = SelfExplanationOptions(),
    *, progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> AttributingReport:  # fmt: skip
    """Ask about every text that has no answer by this model and prompt yet.

    Raises: InvalidValue without an address, a model or a template that can be used; ModelError where the server or the model
            fails again and again, saying that what is stored stays
    """
    require(store, actor, project.id, "use models")
    require_open(store, project.id)
    served, template = require_askable(project, model, options)
    work = _Work(store, actor, project, served, template, options.split)
    work.run(instances_asked(store, project, options.split), progress)
    return work.report


def require_askable(project: Project, model: str, options: SelfExplanationOptions) -> tuple[ServedModel, str]:
    """The model and the template to ask with; raises InvalidValue where there is no such thing."""
    served = ServedModel.of(model)
    self_explanations.run_of(model, "1")  # a name that is too long is refused
    return served, chosen_template(project, options.template, asks_sets=options.asks_sets)


@dataclass(slots=True)
class Failures:
    """Texts that a served model could not be asked about, as a report counts them; and how many in a row."""

    report: AttributingReport
    n_in_a_row: int = 0
    n_unserved: int = 0  # of these the last ones, for which no server was there

    def add(self, key: str, error: ModelError) -> None:
        """Count a text out. Raises: ModelError where too many have failed one after another."""
        report = self.report
        self.n_in_a_row += 1
        self.n_unserved = self.n_unserved + 1 if error.reason in SERVER_FAILURES else 0
        report.n_left_out += 1
        report.reasons[error.reason] = report.reasons.get(error.reason, 0) + 1
        if len(report.left_out) < _SHOWN:
            report.left_out.append((key, str(error)))
        if self.n_unserved >= _GIVE_UP_ON_SERVER_AFTER or self.n_in_a_row >= _GIVE_UP_AFTER:
            n = counted(self.n_in_a_row, "text")
            raise ModelError(
                f"{error} {n} one after another could not be answered, the last '{key}', so the work stopped. What was "
                "answered until then is stored; ask again to go on from there."
            ) from error

    def end(self) -> None:
        """A text was answered."""
        self.n_in_a_row = self.n_unserved = 0


class _Work:
    """Goes through the instances, keeps count, and goes on where single ones fail."""

    def __init__(
        self, store: Store, actor: User, project: Project, served: ServedModel, template: str, split: str | None
    ) -> None:
        self.store, self.actor, self.project = store, actor, project
        self.served, self.template = served, template
        self.quotes_run = self_explanations.run_of(served.name, self_explanations.prompt_name(project, template))
        self.answers_run = self.quotes_run.answers()
        self.runs = RunFinder(store, project.id)
        n_by_split = splits_of(store, project.id)
        n = sum(n_by_split.values()) if split is None else n_by_split.get(split, 0)
        parameters = json.loads(self.quotes_run.parameters)
        self.report = AttributingReport(self.quotes_run.model, self_explanations.METHOD, (None,), parameters, n)
        self.failures = Failures(self.report)
        self.n_done = self.n_quotes = self.n_missing = self.n_sets = self.n_sets_cut = 0

    def run(self, instances: Iterable[Instance], progress: Callable[[int, int], None]) -> None:
        try:
            for instance in instances:
                self._take(instance)
                self.n_done += 1
                progress(self.n_done, self.report.n_instances)
        finally:
            if self.n_quotes:
                self.report.notes.append(self._quotes_summary())
            if self.report.n_answers:
                self._tell("attribute", answers=self.report.n_answers, left_out=self.report.n_left_out)
        if self.report.n_left_out and self.report.n_left_out == self.report.n_instances:
            raise ModelError(f"Nothing could be computed: {self.report.left_out[0][1]}")

    def _quotes_summary(self) -> str:
        n, n_missing, is_are = self.n_quotes, self.n_missing, "is" if self.n_missing == 1 else "are"
        words = f"{counted(n, 'quote')}: {n - n_missing:,} found in their texts, {n_missing:,} {is_are} not there."
        if self.n_sets:
            words += (
                f" {counted(self.n_sets, 'set')}: {self.n_sets - self.n_sets_cut:,} kept, {self.n_sets_cut:,} with such a "
                "quote, or given twice."
            )
        return words

    def _take(self, instance: Instance) -> None:
        if self._is_known(instance):
            self.report.n_known += 1
            return
        try:
            answer = self._answer(instance)
        except ModelError as error:
            self.failures.add(instance.key, error)
            return
        self._write(instance, answer)
        self.failures.end()

    def _is_known(self, instance: Instance) -> bool:
        """Whether both parts are stored, the answer and the quotes."""
        quotes, answers = self._stored(self.quotes_run, instance), self._stored(self.answers_run, instance)
        return quotes is not None and bool(quotes.rationales) and answers is not None and bool(answers.predictions)

    def _stored(self, run: Run, instance: Instance) -> Output | None:
        number = self.runs.find(run)
        return None if number is None else outputs_of_run(self.store, number, [instance.id]).get(instance.id)

    def _answer(self, instance: Instance) -> ExplainedAnswer:
        text = self.served.say(self_explanations.prompt_of(self.project, instance, self.template))
        answer = read_answer(text, self.project.labels if self.project.task.result_kind == "label" else ())
        if isinstance(answer, Unusable):
            raise ModelError(answer.reason, reason=_STRANGE if answer.what == STRANGE else _UNREAD)
        key = self.served.address.key
        if len(key) >= _SHORTEST_SECRET and any(key in text for text in (answer.result, *answer.quotes)):
            raise ModelError("The answer repeats the key of the server, so it is not kept.", reason=NONSENSE)
        return answer

    def _write(self, instance: Instance, answer: ExplainedAnswer) -> None:
        """Both parts or none; at the first one numbers that were made before are out of date."""
        rationale: MachineRationale = quotes_on_tokens(answer.quotes, instance, answer.sets)
        if not self.report.n_answers:
            self._tell("start attributing")
        with self.store.transaction():
            require_open(self.store, self.project.id)
            answered = Output(instance.id, (Prediction(answer.result),))
            store_outputs(self.store, self.runs.id_of(self.answers_run), [answered])
            store_outputs(self.store, self.runs.id_of(self.quotes_run), [Output(instance.id, rationales=(rationale,))])
        self.report.n_answers += 1
        if rationale.quotes is not None:
            self.n_quotes += rationale.quotes.n
            self.n_missing += rationale.quotes.n_missing
            self.n_sets += rationale.quotes.n_sets
            self.n_sets_cut += rationale.quotes.n_sets - len(rationale.quotes.sets)

    def _tell(self, action: str, **counts: int) -> None:
        report = self.report
        with self.store.transaction():
            add_event(
                self.store, self.actor.name, action, "project", self.project.id, project_id=self.project.id,
                model=report.model, method=report.method, seeds=[], parameters=dict(report.parameters), **counts,
            )  # fmt: skip


def self_explanation_summary(report: AttributingReport) -> str:
    """What was done, in sentences."""
    known = f"; {counted(report.n_known, 'text')} had one already" if report.n_known else ""
    return " ".join([f"{report.model} gave {counted(report.n_answers, 'answer')}{known}.", *report.notes])


# Sets of quotes that a model gave as its reasons, each of which is to be enough alone.


def models_that_gave_sets(store: Store, actor: User, project: Project) -> list[str]:
    """The models of a project that gave any of their reasons as sets, by name."""
    require(store, actor, project.id, "use models")
    return models_with_quoted_sets(store, project.id)


@dataclass(frozen=True, slots=True)
class QuotedSets:
    """What a model said of a text: its label, None where that is not known, and its sets in token numbers of the instance."""

    label: str | None
    sets: tuple[tuple[int, ...], ...]


class QuotedSetsReader:
    """Reads the sets that a model of a project gave."""

    def __init__(self, store: Store, project: Project, model: str) -> None:
        """Raises: NotFound for a model that gave none, naming those that did."""
        known = models_with_quoted_sets(store, project.id)
        if model not in known:
            raise NotFound(
                _("'{model}' gave no sets. Models that did: {models}.", model=model, models=listed(known) or _("none"))
            )
        self._store = store
        runs = list_runs(store, project.id, model)
        self._quoting = [stored.id for stored in runs if stored.run.method == self_explanations.METHOD]
        self._answering = [stored.id for stored in runs if not stored.run.method]

    def read(self, instance_ids: Sequence[int]) -> dict[int, QuotedSets]:
        """Of each of some instances for which there is any."""
        labels = {
            number: output.predictions[0].label
            for run in self._answering
            for number, output in outputs_of_run(self._store, run, instance_ids).items()
            if output.predictions
        }
        return {
            number: QuotedSets(labels.get(number), sets)
            for run in self._quoting
            for number, output in outputs_of_run(self._store, run, instance_ids).items()
            for rationale in output.rationales
            if rationale.quotes is not None and (sets := rationale.quotes.token_sets)
        }
