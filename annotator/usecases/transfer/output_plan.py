"""What an import does with a batch of model output: its instances, labels and quotes. Nothing is read or written here."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, TypeVar

from annotator.domain.imports import KeyedInstance
from annotator.domain.instances import Instance, Places
from annotator.domain.models import (
    Attribution,
    MachineRationale,
    Output,
    OutputChange,
    OutputPlan,
    Run,
    SourceAttribution,
    SourceOutput,
    Written,
    change_of,
)
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, Problem
from annotator.formats.model_output.self_explanations import FAILED, STRANGE, UNREAD
from annotator.formats.rows.label_remedies import LABEL, label_remedy
from annotator.language import _, listed, several, unsaid
from annotator.store import Store
from annotator.store.instances import get_instances, instances_of_keys, places_of
from annotator.store.models import RunFinder, known_outputs
from annotator.text.search import quotes_on_tokens
from annotator.text.subword_scores import How, attribution_on_tokens, rationale_on_tokens, scores_on_same_tokens
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.transfer.text_index import TextIndex, TextMatch

# Labels that models speak of and a project does not have: the same check for what is imported and what is restored.


_SHOWN = 12


def strange_label(project: Project, output: SourceOutput | Output) -> tuple[str, str] | None:
    """The first label that a project does not have: what it is of ("target", "prediction"), and the label.

    Scores of no label ("") are of whatever the model predicts; a project that has no labels yet, or asks for answers, takes any.
    """
    labels = project.labels if project.task.result_kind == "label" else ()
    if not labels:
        return None
    for attribution in output.attributions:
        if attribution.label and attribution.label not in labels:
            return "target", attribution.label
    for prediction in output.predictions:
        for label in (*prediction.probabilities, prediction.result):
            if label is not None and label not in labels:
                return "prediction", label
    return None


def strange_label_report(project: Project, label: str) -> str:
    """Why a row with such a label is refused, and what to do about it."""
    more = len(project.labels) - _SHOWN
    labels = listed(project.labels[:_SHOWN])
    if more > 0:
        labels = _("{names} and {n} more", names=labels, n=more)
    return _(
        "The label '{label}' is not one of the project's ({labels}); {remedy}.",
        label=label,
        labels=labels,
        remedy=label_remedy(label, project.labels),
    )


ByRun = dict[Run, list[tuple[int, Output]]]  # with the number of the row that says it
Planned = dict[Run, list[tuple[int, OutputChange]]]

_UNKNOWN = unsaid("The project has no instance with this key. Correct the key, or have a lead import its text first.")
_SEVERAL = unsaid(
    "Instances of several splits have this key. Say which split is meant, in the row's field 'split' or for the whole file."
)
_FULL_ANSWER = "the answer to the full input"
_OTHERWISE = {  # by what is there with other values
    _FULL_ANSWER: unsaid(
        "The answer to the full input of '{model}' for this instance is there already with other values. To overwrite it, "
        "import the file again with --update."
    ),
    "the answer to the rationale input": unsaid(
        "The answer to the rationale input of '{model}' for this instance is there already with other values. To overwrite it, "
        "import the file again with --update."
    ),
    "the answer to the rest input": unsaid(
        "The answer to the rest input of '{model}' for this instance is there already with other values. To overwrite it, "
        "import the file again with --update."
    ),
    "the attribution": unsaid(
        "The attribution of '{model}' for this instance is there already with other values. To overwrite it, import the file "
        "again with --update."
    ),
    "the hard rationale": unsaid(
        "The hard rationale of '{model}' for this instance is there already with other values. To overwrite it, import the "
        "file again with --update."
    ),
    "the ranked rationale": unsaid(
        "The ranked rationale of '{model}' for this instance is there already with other values. To overwrite it, import the "
        "file again with --update."
    ),
}


class LaidRow(NamedTuple):
    """A row with its scores on the tokens of its instance; a tuple, since there are as many as rows, and it is made sooner."""

    source: SourceOutput
    output: Output

    def of_runs(self) -> Iterator[tuple[Run, Output]]:
        """Answers to the full input belong to the model and its seed; everything else to the run."""
        run, output = self.source.run, self.output
        if not output.predictions:
            yield run, output
            return
        full = tuple(p for p in output.predictions if p.on == "full")
        if full:
            yield run.answers(), Output(output.instance_id, full)
        rest = tuple(p for p in output.predictions if p.on != "full")
        if rest or output.attributions or output.rationales:
            yield run, Output(output.instance_id, rest, output.attributions, output.rationales)


def match_instance(row: SourceOutput, known: Sequence[KeyedInstance]) -> KeyedInstance | Problem:
    """The one instance that a row speaks of. known: those of its key."""
    fitting = known if row.split is None else [k for k in known if row.split in (k.split, k.source_split)]
    if len(fitting) == 1:
        return fitting[0]
    if not known:
        return refusal(row, "id", row.key, _(_UNKNOWN))
    if fitting:
        return refusal(row, "id", row.key, _(_SEVERAL))
    splits = listed([f"'{instance.split}'" for instance in known])
    reason = _("The instance with this key is in the split {splits}; correct the split or leave it out.", splits=splits)
    return refusal(row, "split", row.split or "", reason)


def fault_of(row: SourceOutput, project: Project) -> Problem | None:
    """Why a row cannot be taken whatever its instance is: a label that the project does not have, or no probability."""
    if strange := strange_label(project, row):
        return refusal(row, *strange, strange_label_report(project, strange[1]), LABEL)
    for prediction in row.predictions:
        for label, p in prediction.probabilities.items():
            if not math.isfinite(p):
                return refusal(
                    row, "scores", row.key, _("The probability of '{label}' is {p}; write a number.", label=label, p=p)
                )
    return None


def rounds_of(rows: Sequence[LaidRow]) -> list[list[LaidRow]]:
    """The rows in lists that are written one after the other; in none of them a run speaks of an instance twice.

    So it does where a row is of one label of several. What a model says of an instance keeps its order, by whatever method; all
    else may be written in any.
    """
    if len({row.output.instance_id for row in rows}) == len(rows):
        return [list(rows)] if rows else []
    rounds: list[list[LaidRow]] = []
    heard: dict[
        tuple[str, int | None, int], tuple[int, set[Run]]
    ] = {}  # the round that is on, and who has spoken in it
    for row in rows:
        run = row.source.run
        of_whom = run.model, run.seed, row.output.instance_id
        number, speakers = heard.get(of_whom, (0, set[Run]()))
        if run in speakers:
            number, speakers = number + 1, set[Run]()
        heard[of_whom] = number, speakers
        speakers.add(run)
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(row)
    return rounds


def outputs_by_run(rows: Sequence[LaidRow]) -> ByRun:
    """What each run says, with the number of the row that says it."""
    by_run: ByRun = {}
    last, of_last = None, list[tuple[int, Output]]()
    for number, row in enumerate(rows):
        for run, output in row.of_runs():
            if run is not last:  # rows of one run follow each other, and a run is dear to look up
                last, of_last = run, by_run.setdefault(run, [])
            of_last.append((number, output))
    return by_run


def plan_outputs(
    rows: Sequence[LaidRow], by_run: ByRun, known: Mapping[Run, Mapping[int, Output]], options: ImportOptions
) -> OutputPlan:
    """Each row is written whole, or not at all where something is there otherwise and may not be overwritten.

    by_run: see `outputs_by_run`; known: what each run says of the instances already
    """
    planned: Planned = {}
    refused: dict[int, str] = {}
    for run, outputs in by_run.items():
        of_run = planned[run] = list[tuple[int, OutputChange]]()
        before = known.get(run, {})
        first = {output.instance_id: output for _, output in reversed(outputs)}
        changes = {number: change_of(before.get(number), output) for number, output in first.items()}
        for number, output in outputs:
            same, change = first[output.instance_id], changes[output.instance_id]
            if output is not same and output != same:  # only answers to the full input can be met twice here
                refused[number] = _FULL_ANSWER
            elif change.overwritten and not options.update:
                refused.setdefault(number, change.overwritten)
            of_run.append((number, change))
    return _plan(rows, planned, refused)


def _plan(rows: Sequence[LaidRow], planned: Planned, refused: Mapping[int, str]) -> OutputPlan:
    """The plan without the rows that are refused; what several rows say alike is written once."""
    of_rows = [of_row for of_run in planned.values() for of_row in of_run]
    taken = {number for number, _ in of_rows} - refused.keys()
    changed = {number for number, change in of_rows if change.is_change}
    overwritten = {number for number, change in of_rows if change.overwritten}
    return OutputPlan(
        changes={run: _written(of_run, taken & changed) for run, of_run in planned.items()},
        problems=tuple(_otherwise(rows[number].source, what) for number, what in sorted(refused.items())),
        n_new=len(taken & changed - overwritten),
        n_updated=len(taken & overwritten),
        n_unchanged=len(taken - changed),
    )


def _written(of_run: Sequence[tuple[int, OutputChange]], rows: set[int]) -> tuple[OutputChange, ...]:
    """The changes of some rows of a run, each once."""
    return tuple({id(change): change for number, change in of_run if number in rows}.values())


def refusal(row: SourceOutput, name: str, value: str, reason: str, remedy: str = "") -> Problem:
    """A row cannot be taken: which field of it, and why."""
    return Problem(row.source, row.line, name, value, reason, remedy=remedy)


def _otherwise(row: SourceOutput, what: str) -> Problem:
    return refusal(row, "id", row.key, _(_OTHERWISE[what], model=row.run.model), "update")


# From rows of model output to their instances, with the scores laid on the tokens.


class Matched(NamedTuple):
    """A row and its instance. are_edges_open: the punctuation at the ends of their texts may differ."""

    row: SourceOutput
    instance: KeyedInstance
    are_edges_open: bool = False


def gather_instances(
    store: Store, project: Project, rows: Sequence[SourceOutput], by_text: TextIndex
) -> tuple[list[Matched], list[Problem]]:
    """Each row with its instance; and the rows that have none. by_text: finds those of rows without keys."""
    known = instances_of_keys(store, project.id, list({row.key for row in rows}))
    matched: list[Matched] = []
    problems: list[Problem] = []
    for row in rows:
        instances = _instances_of(row, known.get(row.key, ()), by_text)
        if isinstance(instances, Problem):
            problems.append(instances)
        else:
            matched += [Matched(row, instance, instances.are_edges_open) for instance in instances.instances]
    return matched, problems


def _instances_of(row: SourceOutput, known: Sequence[KeyedInstance], by_text: TextIndex) -> TextMatch | Problem:
    """The instances of a row: by its text where it has no key, or by its text's number where the model saw a beginning."""
    match = None if row.input is None else by_text.match(row, row.input)
    if match is not None:
        return match
    instance = match_instance(row, known)
    if row.input is not None and (isinstance(instance, Problem) or not by_text.begins(instance, row.input)):
        return by_text.unknown(row, row.input)
    return instance if isinstance(instance, Problem) else TextMatch([instance])


def gather_outputs(runs: RunFinder, by_run: ByRun) -> dict[Run, Mapping[int, Output]]:
    """What some runs say already of the instances that a batch speaks of."""
    numbers = {run: runs.find(run) for run in by_run}
    return {
        run: known_outputs(runs.store, number, dict.fromkeys([output.instance_id for _, output in by_run[run]]))
        for run, number in numbers.items()
        if number is not None
    }


def lay_rows(
    store: Store, project: Project, matched: Sequence[Matched], how: How
) -> tuple[list[LaidRow], list[Problem]]:
    """The rows that can be taken, on their instances' tokens; and those that cannot.

    how: the scores of one token's pieces are joined
    """
    tokens = _Tokens(store, matched)
    laid_rows: list[LaidRow] = []
    problems: list[Problem] = []
    for row, instance, are_edges_open in matched:
        if fault := fault_of(row, project):
            problems.append(fault)
            continue
        try:
            laid_rows.append(LaidRow(row, _on_tokens(row, instance, tokens, how, are_edges_open)))
        except InvalidValue as error:
            problems.append(refusal(row, "scores", row.key, str(error)))
    return laid_rows, problems


def _on_tokens(row: SourceOutput, instance: KeyedInstance, tokens: "_Tokens", how: How, are_edges_open: bool) -> Output:
    attributions = [_laid(source, instance, tokens, how, are_edges_open) for source in row.attributions]
    rationales = tokens.rationales(row, instance.id) if row.rationales else ()
    return Output(instance.id, row.predictions, tuple(attributions), rationales)


def _laid(
    source: SourceAttribution, instance: KeyedInstance, tokens: "_Tokens", how: How, are_edges_open: bool
) -> Attribution:
    """An attribution on its instance's tokens; of an answer that was written also each of its pieces.

    Where the source's scores are of pieces of the text, the means are taken over what came of these: joining is no sum.
    """
    as_it_is = scores_on_same_tokens(source, instance.n_tokens, instance.n_selectable)
    attribution = as_it_is or tokens.scores(source, instance.id, how, are_edges_open)
    if source.written is None:
        return attribution
    steps = tuple(_laid(step, instance, tokens, how, are_edges_open).scores for step in source.written.steps)
    written = Written(source.written.pieces, steps, source.written.earlier, source.written.facts)
    if all(part.pieces is None for part in source.parts):
        return replace(attribution, written=written)
    means = tuple(sum(of_token) / len(steps) for of_token in zip(*steps, strict=True))
    return replace(attribution, scores=means, written=written)


class _Tokens:
    """Lays what takes more to know of its instance than its size; that is read for all rows when the first asks for it."""

    def __init__(self, store: Store, matched: Sequence[Matched]) -> None:
        self._store = store
        self._matched = matched

    def scores(self, source: SourceAttribution, instance_id: int, how: How, are_edges_open: bool) -> Attribution:
        return attribution_on_tokens(
            source, self._places[instance_id], lambda: self._texts[instance_id], how, are_edges_open=are_edges_open
        )

    def rationales(self, row: SourceOutput, instance_id: int) -> tuple[MachineRationale, ...]:
        return tuple(
            rationale_on_tokens(source, self._places[instance_id])
            if source.quotes is None
            else quotes_on_tokens(source.quotes, self._texts[instance_id])
            for source in row.rationales
        )

    @cached_property
    def _places(self) -> dict[int, Places]:
        """How each instance numbers its tokens."""
        return places_of(self._store, sorted({instance.id for _, instance, _ in self._matched}))

    @cached_property
    def _texts(self) -> dict[int, Instance]:
        """The instances of which pieces or quotes have to be found in the texts."""
        return get_instances(
            self._store, sorted({instance.id for row, instance, _ in self._matched if _is_by_text(row)})
        )


def _is_by_text(row: SourceOutput) -> bool:
    parts = (part for attribution in row.attributions for part in attribution.parts)
    return any(part.pieces is not None for part in parts) or any(r.quotes is not None for r in row.rationales)


# What is told of a file of self-explanations as a whole: its answers, and the quotes that are in their texts.


_T = TypeVar("_T")
_LEFT_OUT = (UNREAD, STRANGE, FAILED)


class QuoteCounts:
    """Counts what passes on its way from the file, and what was found of it."""

    def __init__(self) -> None:
        self.n_answers = 0
        self.left_out: Counter[str] = Counter()
        self.n_quotes = 0
        self.n_missing = 0

    def each(self, items: Iterable[_T]) -> Iterator[_T]:
        """The same items."""
        for item in items:
            if isinstance(item, Problem) and item.is_warning and item.field in _LEFT_OUT:
                self.left_out[item.field] += 1
            self.n_answers += not isinstance(item, Problem)
            yield item

    def add(self, output: Output) -> None:
        """An output of which the quotes have been looked for."""
        for rationale in output.rationales:
            if rationale.quotes is not None:
                self.n_quotes += rationale.quotes.n
                self.n_missing += rationale.quotes.n_missing

    def notes(self) -> list[str]:
        """The counts in sentences; nothing for a file of something else."""
        if not self.n_quotes and not self.left_out:
            return []
        words = several(
            "{answers} with {quotes}: {n_found} found in their texts, {n} is not there.",
            "{answers} with {quotes}: {n_found} found in their texts, {n} are not there.",
            self.n_missing,
            answers=counted(self.n_answers, "answer"),
            quotes=counted(self.n_quotes, "quote"),
            n_found=f"{self.n_quotes - self.n_missing:,}",
        )
        left = [_left_out_words(what, n) for what in _LEFT_OUT if (n := self.left_out[what])]
        return [words, *([_("Left out: {parts}.", parts=listed(left))] if left else [])]


def _left_out_words(what: str, n: int) -> str:
    if what == UNREAD:
        return several("{n} answer could not be read", "{n} answers could not be read", n)
    if what == FAILED:
        return several("{n} line holds no answer", "{n} lines hold no answer", n)
    return several(
        "{n} answer has a label that the project does not have",
        "{n} answers have labels that the project does not have",
        n,
    )
