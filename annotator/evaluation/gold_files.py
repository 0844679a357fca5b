"""Gold and model output from files alone: the same values that the database gives, without one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from annotator.domain.instances import Annotation, GoldInstance, Instance, Segment
from annotator.domain.models import Output, Run, SourceOutput
from annotator.domain.numbers import counted
from annotator.domain.projects import GoldPolicy
from annotator.domain.sources import SourceAnnotation, SourceDocument, SourceInstance, SourceItem, SourceText
from annotator.domain.tasks import Task
from annotator.domain.texts import TokenizedText
from annotator.errors import ImportRefused, InvalidValue, Problem
from annotator.formats.base import OutputOptions, ReadOptions
from annotator.formats.registry import get_output_reader, get_reader
from annotator.review.gold import gold_of
from annotator.text.source_spans import body_reader, resolve_sets
from annotator.text.subword_scores import attribution_on_tokens, rationale_on_tokens

_PROBLEMS_SHOWN = 200


@dataclass(slots=True)
class Findings:
    """What was read of one kind of file, and everything that is wrong in it."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def add(self, problem: Problem) -> None:
        (self.warnings if problem.is_warning else self.problems).append(problem)

    def refuse_if_any(self) -> None:
        """Raise ImportRefused with every problem, if there is one."""
        if self.problems:
            n = len(self.problems)
            message = f"{counted(n, 'problem')}; nothing was scored."
            raise ImportRefused(message, self.problems[:_PROBLEMS_SHOWN], n)


def read_gold_file(
    path: Path, format_name: str, task: Task, policy: GoldPolicy, *, language: str = "en", split: str | None = None
) -> tuple[list[GoldInstance], Findings]:
    """Instances with gold under a policy, numbered from 1; those without an annotation that counts are left out.

    Texts that bring no tokens are tokenised as an import would.
    Raises: NotFound or InvalidValue when there is no such file or format
    """
    findings = Findings()
    items = get_reader(format_name)(path, ReadOptions(task, language=language, split=split))
    gold: list[GoldInstance] = []
    for number, (source, instance) in enumerate(_instances(items, task, language, findings), start=1):
        try:
            annotations = [
                _annotation(a, source, instance, number * 1000 + n) for n, a in enumerate(source.annotations)
            ]
        except InvalidValue as error:
            findings.add(Problem(source.source, source.line, "rationales", source.key, str(error)))
            continue
        of_instance = gold_of(instance, annotations, policy)
        if of_instance is not None:
            gold.append(of_instance)
    return gold, findings


def _instances(
    items: Iterable[SourceItem], task: Task, language: str, findings: Findings
) -> Iterator[tuple[SourceInstance, Instance]]:
    documents: dict[str, TokenizedText] = {}
    number = 0
    for item in items:
        match item:
            case Problem():
                findings.add(item)
            case SourceDocument():
                documents[item.docid] = _body(item.body, item.language or language)
            case SourceInstance() if item.segments:
                number += 1
                yield item, _instance(item, task, documents, language, number)
            case _:
                pass  # rows that only add to instances, and what is no text


def _instance(
    source: SourceInstance, task: Task, documents: dict[str, TokenizedText], language: str, number: int
) -> Instance:
    segments = []
    spoken = source.language or language
    for name in task.in_numbering_order(list(source.segments)):
        text, spec = source.segments[name], task.spec_of(name)
        body = documents[text] if isinstance(text, str) else _body(text, spoken)
        segments.append(
            Segment(name, spec is not None and spec.is_selectable, body, text if isinstance(text, str) else None)
        )
    return Instance(
        number, source.key, source.split, spoken, tuple(segments), source.result,
        parent_key=source.parent_key, perturbation_kind=source.perturbation_kind,
        is_exhaustive=source.is_exhaustive, metadata=source.metadata,
    )  # fmt: skip


def _body(text: SourceText, language: str) -> TokenizedText:
    if text.tokens is not None:
        return text.tokens
    from annotator.text.tokenisation import tokenise_all  # noqa: PLC0415  (loads spaCy, which a file with tokens does not need)

    return next(iter(tokenise_all([text.text], language)))


def _annotation(source: SourceAnnotation, row: SourceInstance, instance: Instance, number: int) -> Annotation:
    bodies = body_reader({segment.name: segment.body for segment in instance.segments})
    sets = resolve_sets(source, instance.layout, bodies)
    result = row.result if source.result is None else source.result
    return Annotation(number, source.annotator, source.round_number, "accepted", result, sets, source.note)


@dataclass(slots=True)
class FileOutputs:
    """What a file says of instances, by run and instance number; answers to the full input by model and seed."""

    outputs: dict[Run, dict[int, Output]] = field(default_factory=dict)
    n_unknown: int = 0


def read_output_file(
    path: Path, format_name: str, options: OutputOptions, gold: Iterable[GoldInstance]
) -> tuple[FileOutputs, Findings]:
    """Model output on the tokens of instances with gold; rows of other instances are counted.

    Raises: NotFound or InvalidValue when there is no such file or format
    """
    findings, made = Findings(), FileOutputs()
    by_key: dict[str, list[Instance]] = {}
    for item in gold:
        by_key.setdefault(item.instance.key, []).append(item.instance)
    for row in get_output_reader(format_name)(path, options):
        if isinstance(row, Problem):
            findings.add(row)
            continue
        fitting = [instance for instance in by_key.get(row.key, []) if row.split in {None, instance.split}]
        if len(fitting) > 1:
            reason = "instances of several splits have this key; say which split is meant"
            findings.add(Problem(row.source, row.line, "id", row.key, reason))
        elif not fitting:
            made.n_unknown += 1
        else:
            _take(row, fitting[0], made, findings)
    return made, findings


def _take(row: SourceOutput, instance: Instance, made: FileOutputs, findings: Findings) -> None:
    try:
        attributions = tuple(attribution_on_tokens(a, instance.places, lambda: instance) for a in row.attributions)
        rationales = tuple(rationale_on_tokens(r, instance.places) for r in row.rationales)
    except InvalidValue as error:
        findings.add(Problem(row.source, row.line, "scores", row.key, str(error)))
        return
    full = tuple(p for p in row.predictions if p.on == "full")
    reduced = tuple(p for p in row.predictions if p.on != "full")
    for run, output in (
        (row.run.answers(), Output(instance.id, full)),
        (row.run, Output(instance.id, reduced, attributions, rationales)),
    ):
        if output.predictions or output.attributions or output.rationales:
            _add(made.outputs.setdefault(run, {}), output, row, findings)


def _add(known: dict[int, Output], output: Output, row: SourceOutput, findings: Findings) -> None:
    """Join what several rows say of one instance; the same thing said twice is a problem."""
    present = known.get(output.instance_id, Output(output.instance_id))
    repeated = {(p.on, p.threshold) for p in present.predictions} & {(p.on, p.threshold) for p in output.predictions}
    scored = {(a.label, a.layer) for a in present.attributions} & {(a.label, a.layer) for a in output.attributions}
    chosen = {r.kind for r in present.rationales} & {r.kind for r in output.rationales}
    same_answers = all(p in present.predictions for p in output.predictions)
    if (repeated and not same_answers) or scored or chosen:
        findings.add(
            Problem(row.source, row.line, "id", row.key, "this instance appears twice for one run; keep one of the two")
        )
        return
    known[output.instance_id] = Output(
        output.instance_id,
        present.predictions + (() if repeated else output.predictions),
        present.attributions + output.attributions,
        present.rationales + output.rationales,
    )
