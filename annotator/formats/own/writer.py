"""Writing our own JSONL, of everything or of gold alone: each domain value as its record, a line each."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import cast

import msgspec

from annotator.domain import own_sources, sources
from annotator.domain.instances import AssignmentState, GoldInstance, InstanceState
from annotator.domain.models import StoredOutput
from annotator.domain.people import Role
from annotator.domain.project.search import NamedAs
from annotator.domain.suites import WordList
from annotator.domain.tasks import Task
from annotator.errors import ExportRefused, Problem
from annotator.formats.contrast.writer import plain_row
from annotator.formats.own import records
from annotator.formats.own.full_export import audit_record, output_record, perturbation_record
from annotator.formats.own.releases import frozen_record, release_record
from annotator.formats.rows.files import new_file
from annotator.formats.rows.spans import span_row
from annotator.language import _


def write(path: Path, items: Iterable[sources.SourceItem]) -> None:
    """Write everything to one file; it appears whole or not at all. Documents must come before their instances.

    Raises: ExportRefused when the file cannot be written, or when an item is a Problem
    """
    encoder = msgspec.json.Encoder()
    with new_file(path) as file:
        buffer = bytearray()
        for item in items:
            if isinstance(item, Problem):
                raise ExportRefused(_("Can't write the problem: {problem}", problem=item))
            if isinstance(item, sources.SourceColumns):  # said of a file that was read, and of nothing in it
                continue
            encoder.encode_into(record_of(item), buffer)
            file.write(buffer)
            file.write(b"\n")


def record_of(item: sources.OwnItem) -> records.OwnRecord:  # noqa: C901, PLR0911, PLR0912  (one for each kind)
    """A domain value as it is written."""
    match item:
        case sources.SourceInstance():
            return _instance_record(item)
        case StoredOutput():
            return output_record(item)
        case sources.SourceDocument():
            return records.DocumentRecord(item.docid, item.body.text, _tokens_record(item.body), item.language)
        case own_sources.SourceList():
            return records.ListRecord(
                item.name, item.made_by, item.created_at, item.changed_at, item.note, item.by_user, list(item.members)
            )
        case own_sources.SourceQualification():
            return records.QualificationRecord(
                {audience: dict(rules) for audience, rules in item.rules.items()}, list(item.members), list(item.items),
                list(item.passed),
            )  # fmt: skip
        case own_sources.SourceView():
            return records.ViewRecord(**asdict(item))
        case own_sources.SourceRelease():
            return release_record(item)
        case own_sources.SourceFrozen():
            return frozen_record(item.release, item.gold)
        case own_sources.SourceSufficientSets():
            parameters = msgspec.json.decode(item.parameters)
            return records.SufficientSetsRecord(item.model, parameters, item.key, item.sets, item.split)
        case own_sources.SourceTraining():
            held_out = None if item.held_out is None else records.HeldOutRecord(**asdict(item.held_out))
            return records.TrainingRecord(
                item.model, item.digest, item.seed, item.trained_at, item.split, held_out, list(item.members)
            )
        case own_sources.SourcePerturbation() | own_sources.SourceAudit():
            return audit_record(item) if isinstance(item, own_sources.SourceAudit) else perturbation_record(item)
        case WordList():
            return records.WordListRecord(item.name, item.language, item.role, list(item.words))
        case own_sources.SourceEvent():
            return records.EventRecord(
                item.at, item.actor, item.action, item.subject, item.key, dict(item.detail), item.split
            )
        case own_sources.SourceProject():
            return _project_record(item)


def _project_record(item: own_sources.SourceProject) -> records.ProjectRecord:
    return records.ProjectRecord(
        records.VERSION, item.name, item.task, [dict(segment) for segment in item.segments], list(item.labels), item.language,
        dict(item.settings), item.guidelines, item.question, item.licence, item.citation,
        [(name, cast("Role", role)) for name, role in item.members],
        [records.GuidelinesRecord(**asdict(version)) for version in item.guidelines_versions], list(item.guidelines_read),
    )  # fmt: skip


def _instance_record(item: sources.SourceInstance) -> records.InstanceRecord:
    return records.InstanceRecord(
        key=item.key,
        segments={
            name: records.TextRecord(docid=body)
            if isinstance(body, str)
            else records.TextRecord(body.text, _tokens_record(body))
            for name, body in item.segments.items()
        },
        split=item.split,
        language=item.language,
        result=item.result,
        annotations=[_annotation_record(annotation) for annotation in item.annotations],
        target=None if item.target is None else span_row(item.target),
        parent=item.parent_key,
        perturbation_kind=item.perturbation_kind,
        exhaustive=item.is_exhaustive,
        metadata=dict(item.metadata),
        state=cast("InstanceState | None", item.state),
        work=[_work_record(work) for work in item.work],
        proposals=[
            records.ProposalRecord(**{f: getattr(p, f) for f in sources.SourceProposal.__slots__})
            for p in item.proposals
        ],
        rounds=[msgspec.convert(asdict(r), records.RoundRecord) for r in item.rounds],
        choice=None if item.choice is None else records.ChoiceRecord(**asdict(item.choice)),
        threads=[msgspec.convert(asdict(t), records.ThreadRecord) for t in item.threads],
        shown=[(shown.user, shown.at) for shown in item.shown],
        put_first=item.put_first,
        extra_annotators=item.extra_annotators,
        named_as=cast("NamedAs | None", item.named_as),
        named=list(item.named),
    )


def _tokens_record(body: sources.SourceText) -> records.TokensRecord | None:
    tokens = body.tokens
    if tokens is None:
        return None
    return records.TokensRecord(list(tokens.starts), list(tokens.ends), list(tokens.sentence_starts))


def _annotation_record(item: sources.SourceAnnotation) -> records.AnnotationRecord:
    sets = [[span_row(span) for span in spans] for spans in item.sets]
    return records.AnnotationRecord(
        item.annotator, item.result, sets, item.note, item.round_number, item.state, item.by_user, item.created_at,
        item.guidelines, list(item.origins) if any(item.origins) else [],
    )  # fmt: skip


def _work_record(item: sources.SourceWork) -> records.WorkRecord:
    return records.WorkRecord(
        item.user,
        item.round_number,
        cast("AssignmentState", item.state),
        item.revision,
        _annotation_record(item.draft),
        item.no_rationale,
        item.first_view_at,
        item.first_action_at,
        item.submitted_at,
        item.active_ms,
        item.idle_ms,
        item.edits,
        item.follows,
        list(item.origins),
        list(item.unlocked),
        [
            records.ProposedSetRecord(
                proposed_set.source, proposed_set.name, list(proposed_set.spans), proposed_set.state
            )
            for proposed_set in item.proposed
        ],
        item.arm,
        [records.HelpRecord(of.at, of.source, of.name, list(of.spans), of.step) for of in item.help],
    )


# Gold as plain JSON lines, an instance a line, which the format `jsonl` reads again (docs/columns.md).


def write_gold_lines(path: Path, gold: Iterable[GoldInstance], task: Task) -> int:
    """Write a line for each instance; returns how many there are.

    Raises: ExportRefused when the file cannot be written, or tokens cannot be told from the text
    """
    encoder = msgspec.json.Encoder()
    n = 0
    with new_file(path) as file:
        for item in gold:
            file.write(encoder.encode(_line(item, task)) + b"\n")
            n += 1
    return n


def _line(gold: GoldInstance, task: Task) -> dict[str, object]:
    instance = gold.instance
    link = {"parent": instance.parent_key, "perturbation_kind": instance.perturbation_kind}
    more = {"split": instance.split, **{name: value for name, value in link.items() if value is not None}}
    return plain_row(gold, task) | more
