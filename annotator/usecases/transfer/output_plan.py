"""What an import does with a batch of model output, its labels and quotes. Nothing is read or written here."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from annotator.domain.imports import KeyedInstance
from annotator.domain.models import Output, OutputChange, OutputPlan, Run, SourceOutput, change_of
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.errors import Problem
from annotator.formats.rows.checks import LABEL, no_label
from annotator.language import _, first_listed, listed, several, unsaid
from annotator.text.model_answers import FAILED, STRANGE, UNREAD
from annotator.usecases.transfer.import_report import ImportOptions

# Labels that models speak of and a project does not have: the same check for what is imported and what is restored.


_SHOWN = 12


def strange_labels(project: Project, output: SourceOutput | Output) -> dict[str, str]:
    """The labels that a project does not have, each with what it is of ("target", "prediction").

    Scores of no label ("") are of whatever the model predicts; a project that has no labels yet, or asks for answers, takes any.
    """
    labels = project.labels if project.task.result_kind == "label" else ()
    if not labels:
        return {}
    targets = [attribution.label for attribution in output.attributions]
    answers = [label for answer in output.predictions for label in (*answer.probabilities, answer.result)]
    strange = {label: "target" for label in targets if label and label not in labels}
    return {label: "prediction" for label in answers if label is not None and label not in labels} | strange


def strange_label_report(project: Project, label: str) -> str:
    """Why a row with such a label is refused, and what to do about it."""
    return no_label(label, first_listed(project.labels, _SHOWN), project.labels)


ByRun = dict[Run, list[tuple[int, Output]]]  # with the number of the row that says it
Planned = dict[Run, list[tuple[int, OutputChange]]]

_UNKNOWN = unsaid("Unknown ID. Correct it, or import the text first.")
_SEVERAL = unsaid("Several splits have this ID. Set 'split'.")


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
    reason = _("This ID is in split {splits}.", splits=splits)
    return refusal(row, "split", row.split or "", reason)


def faults_of(row: SourceOutput, project: Project) -> list[Problem]:
    """Why a row cannot be taken whatever its instance is: labels that the project does not have, or no probability."""
    if strange := strange_labels(project, row):
        return [refusal(row, of, label, strange_label_report(project, label), LABEL) for label, of in strange.items()]
    for prediction in row.predictions:
        for label, p in prediction.probabilities.items():
            if not math.isfinite(p):
                reason = _("Probability of '{label}' is {p}. Write a number.", label=label, p=p)
                return [refusal(row, "scores", row.key, reason)]
    return []


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
    refused = set[int]()
    for run, outputs in by_run.items():
        of_run = planned[run] = list[tuple[int, OutputChange]]()
        before = known.get(run, {})
        first = {output.instance_id: output for _, output in reversed(outputs)}
        changes = {number: change_of(before.get(number), output) for number, output in first.items()}
        for number, output in outputs:
            same, change = first[output.instance_id], changes[output.instance_id]
            is_other = output is not same and output != same  # only answers to the full input can be met twice here
            if is_other or (change.overwritten and not options.update):
                refused.add(number)
            of_run.append((number, change))
    return _plan(rows, planned, refused)


def _plan(rows: Sequence[LaidRow], planned: Planned, refused: set[int]) -> OutputPlan:
    """The plan without the rows that are refused; what several rows say alike is written once."""
    of_rows = [of_row for of_run in planned.values() for of_row in of_run]
    taken = {number for number, _ in of_rows} - refused
    changed = {number for number, change in of_rows if change.is_change}
    overwritten = {number for number, change in of_rows if change.overwritten}
    return OutputPlan(
        changes={run: _written(of_run, taken & changed) for run, of_run in planned.items()},
        problems=tuple(_otherwise(rows[number].source) for number in sorted(refused)),
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


def _otherwise(row: SourceOutput) -> Problem:
    reason = _("'{model}' has different output here. Use --update to overwrite.", model=row.run.model)
    return refusal(row, "id", row.key, reason, "update")


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
            "{answers} with {quotes}: {n_found} found in the texts, {n} not.",
            "{answers} with {quotes}: {n_found} found in the texts, {n} not.",
            self.n_missing,
            answers=counted(self.n_answers, "answer"),
            quotes=counted(self.n_quotes, "quote"),
            n_found=f"{self.n_quotes - self.n_missing:,}",
        )
        left = [_left_out_words(what, n) for what in _LEFT_OUT if (n := self.left_out[what])]
        return [words, *([_("Skipped: {parts}.", parts=listed(left))] if left else [])]


def _left_out_words(what: str, n: int) -> str:
    if what == UNREAD:
        return several("{n} unreadable response", "{n} unreadable responses", n)
    if what == FAILED:
        return several("{n} line without a response", "{n} lines without a response", n)
    return several("{n} prediction with an unknown label", "{n} predictions with unknown labels", n)
