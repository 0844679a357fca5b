"""Find a model's own rationale sets, text by text, and ask it about people's.

Each text is stored when it is done, a long one after each set. What is stored is not looked for again, so that the work may be
stopped at any moment and begun anew. People's sets that have changed since are asked about again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from annotator.attribution.base import Answerer, Input, Predictor, Writes, with_target
from annotator.attribution.loaders import LoadOptions
from annotator.attribution.local_server import SERVER_FAILURES
from annotator.attribution.removal_methods import Question, chance_for
from annotator.attribution.served_models import SERVED, ServedLabels
from annotator.attribution.sufficient_sets import (
    ROWS_AT_ONCE,
    Done,
    Seeking,
    Steps,
    Work,
    examine,
    f_of,
    judge_again,
    search_many,
)
from annotator.domain.instances import Instance
from annotator.domain.models import canonical_parameters
from annotator.domain.numbers import counted, percent
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.sufficient_sets import Removal, Search, SufficientSets, Threshold, distinct_sets
from annotator.errors import ModelError
from annotator.language import _
from annotator.metrics.normalised_aopc import MOST_EXACT
from annotator.metrics.ragged import Flags, Floats, Integers
from annotator.scoring.sufficient_sets import SufficientNumbers, sufficient_numbers
from annotator.store import Store, models
from annotator.store.events import add_event, require_open
from annotator.store.instances import iterate_instance_batches
from annotator.usecases.access.rights import require
from annotator.usecases.gold import gold_among
from annotator.usecases.gold_table import gold_table
from annotator.usecases.models.attributions import count_instances
from annotator.usecases.models.engines import LOCAL, Doing, Engine, Workers
from annotator.usecases.models.project_model import ModelSource, ProjectModel, asked_model
from annotator.usecases.models.self_explanations import QuotedSets, QuotedSetsReader

_GIVE_UP_AFTER = 20  # texts for which the model fails before it answers any
_GIVE_UP_ON_SERVER_AFTER = 3
_FAILED = "on which the model failed"
SETS_OF = "sets_of"  # the parameter that names whose sets were judged
_SHOWN = 20
_TOO_LONG = f"longer than {MOST_EXACT} tokens"
_BLANK = ""  # a token without characters; the white space around it stays


@dataclass(frozen=True, slots=True)
class SufficientOptions:
    """How sets are looked for.

    removal:  how tokens are taken out; "default": the model's mask token where it has one, else they are deleted
    goes_on:  beyond the paper's stop rule; is_exact: by all subsets, of texts of at most 12 tokens
    is_strong: also looks for a sufficient set in what people's sets leave
    renamed:  what the project calls labels of the model
    is_anew:  what was found in this way before is taken out first
    at_once:  texts that advance together
    sets_of:  a model that gave sets of quotes as its reasons: these are judged, and none is looked for
    """

    removal: Removal = "default"
    threshold: Threshold = field(default_factory=Threshold)
    goes_on: bool = False
    is_exact: bool = False
    is_strong: bool = False
    split: str | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    load: LoadOptions = field(default_factory=LoadOptions)
    is_anew: bool = False
    at_once: int = 16
    sets_of: str = ""

    def seeking(self, predictor: Predictor) -> Seeking:
        """is_brief: where a language model is asked about sets, a request at a time."""
        is_brief = bool(self.sets_of) and isinstance(predictor, ServedLabels)
        search: Search = "exact" if self.is_exact else "auto"
        return Seeking(self.threshold, search, self.goes_on, self.is_strong, is_brief)


@dataclass(frozen=True, slots=True)
class BesideExact:
    """How the search compares with all subsets, over texts of which both are stored (of at most 12 tokens).

    n_same: with the same sets; n_as_many: with as many; n_larger: whose first set is larger than the smallest that is enough
    """

    n: int
    n_same: int
    n_as_many: int
    n_larger: int


@dataclass(slots=True)
class SufficientReport:
    """What was done, and the numbers over all texts that are stored.

    n_known: texts of which everything was stored; n_without: for which the other model gave no sets
    n_calls: subsets that the model was asked about now
    left_out: ID and reason of the first texts for which the model failed; n_left_out counts all
    """

    model: str
    parameters: str
    n_instances: int
    n_known: int = 0
    n_without: int = 0
    n_examined: int = 0
    n_calls: int = 0
    n_left_out: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    numbers: SufficientNumbers | None = None
    beside_exact: BesideExact | None = None


def find_sufficient_sets(
    store: Store,
    actor: User,
    project: Project,
    model: str,
    options: SufficientOptions = SufficientOptions(),
    *,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
    engine: Engine = LOCAL,
) -> SufficientReport:
    """Look for the sets of all texts (or of a split's) that are not discarded, and ask about people's.

    model:    as in `attributions.attribute`, but none that answers questions or writes
    progress: told how many texts are done, of how many
    engine:   where the model is asked, about 512 reduced texts a task
    Raises: ModelError where the model cannot be had, or fails again and again; NotFound for a model that gave no sets
    """
    require(store, actor, project.id, "use models")
    quoted = QuotedSetsReader(store, project, options.sets_of) if options.sets_of else None
    require_open(store, project.id)
    n_instances = count_instances(store, project, options.split)
    chosen = asked_model(store, actor, project, model, options.load, options.renamed)
    project_model = chosen.model
    if isinstance(project_model.predictor, Answerer | Writes) or len(project_model.labels) < 2:
        raise ModelError(_("Sufficient sets need probabilities of two labels or more."))
    if not options.is_anew:
        chosen.require_one_table(store, project)
    reduction = Reduction.of(project_model, options.removal)
    parameters = canonical_parameters(_parameters(options, reduction))
    report = SufficientReport(project_model.name, parameters, n_instances, notes=list(chosen.notes))
    source = chosen.source(engine)
    setup = source.setup(partial(_answering, source))
    chosen.remember(store, actor, project)
    with store.transaction():
        model_id = models.add_model(store, project.id, project_model.name)
        if options.is_anew:
            models.forget_sufficient_sets(store, project.id, project_model.name, parameters)
    with engine.open(setup, partial(_answers, project_model)) as workers:
        work = _Working(
            store, actor, project, project_model, options, reduction, model_id, report, progress, workers, quoted
        )
        try:
            work.run()
        finally:
            work.tell()
    report.numbers = stored_numbers(store, project, project_model.name, parameters, options.split)
    if quoted is None:
        report.beside_exact = _beside_exact(store, project, project_model.name, options, reduction)
    return report


def ask_itself(
    store: Store, actor: User, project: Project, model: str, explained: str, split: str | None = None,
    *, progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> SufficientReport | None:  # fmt: skip
    """Ask a served model about the sets that it gave as its reasons: about each alone, and about the text without them.

    explained: under which name they are stored
    Returns: None where it gave no set, or where the project asks for answers
    """
    if project.task.result_kind != "label" or explained not in models.models_with_quoted_sets(store, project.id):
        return None
    options = SufficientOptions(split=split, sets_of=explained)
    return find_sufficient_sets(store, actor, project, f"{SERVED}:{model}", options, progress=progress)


def own_sets_summary(report: SufficientReport) -> str:
    """What a model answers to its own sets, in a sentence."""
    if report.numbers is None or not report.numbers.model.n_texts:
        return "Asked again, the model gives its label to no text."
    of_model = report.numbers.model
    sufficient, whole = (of_model.questions[name]["value"] for name in ("sufficient", "comprehensive"))
    return (
        f"Asked about its own {counted(of_model.n_sets, 'set')} in {counted(of_model.n_texts, 'text')}: {percent(sufficient)} "
        f"of a text's sets are enough; without all of them it changes its answer in {percent(whole)} of the texts."
    )


def _beside_exact(
    store: Store, project: Project, model: str, options: SufficientOptions, reduction: "Reduction"
) -> BesideExact | None:
    """None where one of the two ways was not gone."""
    ways = (replace(options, is_exact=is_exact) for is_exact in (False, True))
    searched, exact = (
        models.all_sufficient_sets(
            store, project.id, model, canonical_parameters(_parameters(way, reduction)), options.split
        )
        for way in ways
    )
    both = [
        (searched[number].own.tokens, exact[number].own.tokens)
        for number in searched.keys() & exact.keys()
        if not exact[number].reason
    ]
    if not both:
        return None
    n_larger = sum(len(some[0]) > len(all_[0]) for some, all_ in both if some and all_)
    return BesideExact(
        len(both),
        sum(set(some) == set(all_) for some, all_ in both),
        sum(len(some) == len(all_) for some, all_ in both),
        n_larger,
    )


def stored_numbers(
    store: Store, project: Project, model: str, parameters: str, split: str | None = None
) -> SufficientNumbers:
    """The numbers over all texts of which sets are stored."""
    with store.snapshot():
        gold = gold_table(store, project, project.settings.gold_policy, split)
        return sufficient_numbers(models.all_sufficient_sets(store, project.id, model, parameters, split), gold)


def _parameters(options: SufficientOptions, reduction: "Reduction") -> dict[str, object]:
    """What changes the sets."""
    threshold = options.threshold
    of_threshold = {"share": threshold.share} if threshold.fixed is None else {"fixed": threshold.fixed}
    if options.sets_of:
        return {"threshold": of_threshold, SETS_OF: options.sets_of, **reduction.parameters}
    return {
        "threshold": of_threshold,
        "rule": "continue" if options.goes_on else "paper",
        "search": "exact" if options.is_exact else "auto",
        **reduction.parameters,
    }


@dataclass(frozen=True, slots=True)
class Reduction:
    """How tokens of a text are taken out. is_blank: they become tokens without characters."""

    question: Question
    removal: Removal
    is_blank: bool = False

    @staticmethod
    def of(model: ProjectModel, removal: Removal) -> "Reduction":
        """Raises ModelError where the model has no mask token, and that is asked for."""
        name = {"mask": "cover", "blank": "delete"}.get(removal, removal)
        question = Question.of(model.predictor, "probability", name)
        stated: Removal = "mask" if question.removal == "cover" else "delete"
        return Reduction(question, "blank" if removal == "blank" else stated, removal == "blank")

    @property
    def parameters(self) -> dict[str, object]:
        of_question = {
            name: value for name, value in self.question.parameters.items() if name not in ("output", "removal")
        }
        return {**of_question, "removal": self.removal}

    def without(self, model_input: Input, mask: Flags) -> Input:
        """The input with the tokens of the mask alone; bool[n_selectable]."""
        if self.is_blank:
            return model_input.covered(with_target(self.question.predictor, model_input, mask), _BLANK)
        return self.question.without(model_input, mask)


@dataclass(slots=True)
class _Text:
    """A text in work. tokens: those that the model sees, by number; column: of its answer, once that is known."""

    instance: Instance
    model_input: Input
    tokens: Integers
    people: tuple[tuple[int, ...], ...] | None
    quoted: QuotedSets | None = None
    column: int | None = None

    def mask(self, subset: Flags) -> Flags:
        """bool[n_selectable], of a subset of the seen tokens; what the model does not see is out."""
        mask = np.zeros(self.model_input.n_selectable, dtype=np.bool_)
        mask[self.tokens[subset]] = True
        return mask

    def seen(self, sets: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
        """Sets of the instance's tokens in numbers of those that the model sees."""
        numbers = {token: number for number, token in enumerate(self.tokens.tolist())}
        return distinct_sets([[numbers[token] for token in of_set if token in numbers] for of_set in sets])

    def number(self, token: int) -> int:
        """A seen token's, in the instance."""
        return int(self.tokens[token])

    def begun(self, stored: SufficientSets) -> SufficientSets | None:
        """A search that has not ended, by the numbers of seen tokens; None where it has, or they are others now."""
        numbers = self.tokens.tolist()
        if stored.label or not {token for of_set in stored.own.tokens for token in of_set} <= set(numbers):
            return None
        return replace(stored, own=stored.own.numbered(numbers.index))

    def sentences(self) -> list[int]:
        """The number of each seen token's sentence."""
        numbers: list[int] = []
        for segment in self.model_input.segments:
            if segment.is_selectable:
                first = max(numbers, default=-1) + 1
                numbers += [first + number for number in segment.sentences or (0,) * len(segment.tokens)]
        return [numbers[token] for token in self.tokens.tolist()]


@dataclass(frozen=True, slots=True)
class ReducedTexts:
    """Reduced texts that a model is asked about together. first: the number of the first one among all that are asked about."""

    first: int
    inputs: tuple[Input, ...]


def _answering(source: ModelSource) -> Doing:
    return partial(_answers, source.load())


def _answers(model: ProjectModel, rows: ReducedTexts) -> Iterator[Floats]:
    """float[n_inputs, n_labels], all in one."""
    try:
        yield model.probabilities(rows.inputs)
    except MemoryError as error:
        raise ModelError(_("Too little memory for this text.")) from error


@dataclass(slots=True)
class _Working:
    """Goes through the texts, many at once; keeps count, and goes on where single ones fail."""

    store: Store
    actor: User
    project: Project
    model: ProjectModel
    options: SufficientOptions
    reduction: Reduction
    model_id: int
    report: SufficientReport
    progress: Callable[[int, int], None]
    workers: Workers
    quoted: QuotedSetsReader | None = None
    texts: dict[int, _Text] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)  # reasons of the last texts, as long as they fail

    @property
    def seeking(self) -> Seeking:
        return self.options.seeking(self.model.predictor)

    def run(self) -> None:
        for done in search_many(self._waiting(), self._ask, at_once=self.options.at_once):
            self._take(done)
        self._show_progress()

    def tell(self) -> None:
        """In the record, where anything was found."""
        report = self.report
        if report.n_examined:
            with self.store.transaction():
                add_event(
                    self.store, self.actor.name, "find sufficient sets", "project", self.project.id,
                    project_id=self.project.id, model=report.model, texts=report.n_examined, left_out=report.n_left_out,
                )  # fmt: skip

    def _waiting(self) -> Iterator[Work]:
        """The texts that have something to be asked, read as they are needed."""
        policy = self.project.settings.gold_policy
        for batch in iterate_instance_batches(self.store, self.project.id, split=self.options.split, batch_size=100):
            instances = [instance for instance in batch if instance.state != "discarded"]
            ids = [instance.id for instance in instances]
            stored = models.sufficient_sets_of(
                self.store, self.project.id, self.model.name, self.report.parameters, ids
            )
            quoted = {} if self.quoted is None else self.quoted.read(ids)
            for gold in gold_among(self.store, instances, policy):
                text = self._text(gold.instance, [rationale_set.token_indices for rationale_set in gold.sets])
                text.quoted = quoted.get(text.instance.id)
                if self.quoted is not None and text.quoted is None:
                    self.report.n_without += 1
                    continue
                work = self._work(text, stored.get(text.instance.id))
                if work is not None:
                    self.texts[text.instance.id] = text
                    yield work

    def _text(self, instance: Instance, sets: Sequence[Sequence[int]]) -> _Text:
        model_input = Input.of(instance)
        text = _Text(instance, model_input, self.reduction.question.seen(model_input), None)
        text.people = text.seen(sets) or None
        return text

    def _work(self, text: _Text, stored: SufficientSets | None) -> Work | None:
        """What is to be asked of a text; None where nothing is, or it is left out."""
        number, n_tokens, seeking = text.instance.id, len(text.tokens), self.seeking
        given = None if text.quoted is None else text.seen(text.quoted.sets)
        begun = None if stored is None else text.begun(stored)
        if stored is not None and (stored.label not in self.model.labels or not _is_of(stored, given, text)):
            stored = None
        if stored is None and given is None and self.options.is_exact and n_tokens > MOST_EXACT:
            self._leave_out(text, ModelError(f"It has {counted(n_tokens, 'token')}.", reason=_TOO_LONG))
            return None
        sentences = text.sentences()
        if stored is None:
            seed = int(chance_for(text.model_input, 0).integers(2**32))
            steps = examine(
                n_tokens,
                seeking,
                n_labels=len(self.model.labels),
                people=text.people,
                given=given,
                sentences=sentences,
                seed=seed,
                begun=begun,
                tell=lambda sets: self._store(text, replace(sets, own=sets.own.numbered(text.number))),
            )
            return Work(number, steps if text.quoted is None else self._for_label(steps, text, text.quoted.label))
        if stored.reason or not self._is_outdated(text, stored):
            self.report.n_known += 1
            return None
        text.column = self.model.labels.index(stored.label)
        return Work(number, judge_again(stored, n_tokens, seeking, people=text.people, sentences=sentences))

    def _for_label(self, steps: Steps[SufficientSets], text: _Text, label: str | None) -> Steps[SufficientSets]:
        """The same steps, which end where the model gives the text another label than the sets were given for."""
        answer = yield next(steps)
        if label is not None and self.model.labels[text.column or 0] != label:
            full, empty = answer.tolist()
            threshold = self.options.threshold.of(full, len(self.model.labels))
            return SufficientSets("", threshold, full, empty, "answers otherwise", "given")
        while True:
            try:
                answer = yield steps.send(answer)
            except StopIteration as stopped:
                examined: SufficientSets = stopped.value
                return examined

    def _is_outdated(self, text: _Text, stored: SufficientSets) -> bool:
        """Whether people's sets are others than those that were asked about."""
        wanted = None if text.people is None else tuple(tuple(text.tokens[list(s)].tolist()) for s in text.people)
        if stored.people is None or wanted is None:
            return (stored.people is None) != (wanted is None)
        return stored.people.tokens != wanted or (self.options.is_strong and stored.people.leaves_set is None)

    def _ask(self, subsets: Sequence[tuple[int, Flags]]) -> Floats:
        """F of each; of a text whose answer is not known the first subset is the whole text."""
        texts = [self.texts[number] for number, _ in subsets]
        answers = {rows.first: of_rows for rows, of_rows in self.workers.results(self._questions(subsets))}
        probabilities = np.concatenate([answers[first] for first in sorted(answers)])
        if not np.isfinite(probabilities).all():
            raise ModelError(_("'{name}' gives probabilities that aren't numbers.", name=self.model.name))
        columns = np.empty(len(texts), dtype=np.int64)
        for index, (text, of_text) in enumerate(zip(texts, probabilities.round(9), strict=True)):
            if text.column is None:
                text.column = int(of_text.argmax())
            columns[index] = text.column
        return f_of(probabilities, columns)

    def _questions(self, subsets: Sequence[tuple[int, Flags]]) -> Iterator[ReducedTexts]:
        for first in range(0, len(subsets), ROWS_AT_ONCE):
            some = [(self.texts[number], subset) for number, subset in subsets[first : first + ROWS_AT_ONCE]]
            yield ReducedTexts(
                first, tuple(self.reduction.without(text.model_input, text.mask(of)) for text, of in some)
            )

    def _take(self, done: Done) -> None:
        """Store what was found, or count the text out."""
        text = self.texts.pop(done.number)
        self.report.n_calls += done.n_calls
        if isinstance(done.result, ModelError):
            self._leave_out(text, done.result)
            return
        self._store(text, self._examined(text, done))
        self.report.n_examined += 1
        self.failures.clear()
        self._show_progress()

    def _store(self, text: _Text, sets: SufficientSets) -> None:
        """Without a label, until the search has ended."""
        with self.store.transaction():
            require_open(self.store, self.project.id)
            models.store_sufficient_sets(self.store, self.model_id, self.report.parameters, {text.instance.id: sets})

    def _examined(self, text: _Text, done: Done) -> SufficientSets:
        """In the instance's token numbers, with the label."""
        result = done.result
        if isinstance(result, ModelError):
            raise result
        if result.label:  # it was stored, and people's sets alone were asked about
            people = None if result.people is None else result.people.numbered(text.number)
            return replace(result, people=people, n_calls=result.n_calls + done.n_calls)
        return replace(
            result,
            label=self.model.labels[text.column or 0],
            own=result.own.numbered(text.number),
            people=result.people and result.people.numbered(text.number),
            n_calls=done.n_calls,
        )

    def _leave_out(self, text: _Text, error: ModelError) -> None:
        report = self.report
        report.n_left_out += 1
        reason = error.reason or _FAILED
        report.reasons[reason] = report.reasons.get(reason, 0) + 1
        if len(report.left_out) < _SHOWN:
            report.left_out.append((text.instance.key, str(error)))
        self._show_progress()
        self.failures.append(reason)
        is_down = len(self.failures) >= _GIVE_UP_ON_SERVER_AFTER and set(self.failures) <= SERVER_FAILURES
        if is_down or (report.reasons.get(_FAILED, 0) >= _GIVE_UP_AFTER and not report.n_examined):
            raise error

    def _show_progress(self) -> None:
        report = self.report
        done = report.n_known + report.n_without + report.n_examined + report.n_left_out
        self.progress(done, report.n_instances)


def _is_of(stored: SufficientSets, given: tuple[tuple[int, ...], ...] | None, text: _Text) -> bool:
    """Whether what is stored is of the sets that the other model gives now."""
    if given is None or stored.reason:
        return True
    return stored.own.tokens == tuple(tuple(text.tokens[list(tokens)].tolist()) for tokens in given)
