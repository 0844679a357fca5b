"""The gold of a release as records of our own JSONL, which is also how it is stored."""

import zlib
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from annotator.domain.instances import GoldInstance, Instance, Segment, SetOrigin
from annotator.domain.numbers import counted
from annotator.domain.own_sources import SourceRelease
from annotator.domain.project.releases import LONGEST_NAME, FrozenGold, ReleaseRules
from annotator.domain.projects import GoldPolicy
from annotator.domain.texts import HelpOrigin, RationaleSet, TokenizedText, check_spans
from annotator.errors import InvalidValue
from annotator.formats.own.values import Time, UserName
from annotator.language import _

Number = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Counted = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class ReleaseRecord(msgspec.Struct, tag_field="record", tag="release", omit_defaults=True):
    """A release; its gold follows, an instance a line."""

    number: Number
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
    title: str
    labels: list[str]
    language: str
    question: str
    exhaustive: bool
    policy: GoldPolicy
    licence: str
    citation: str
    n_instances: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    n_sets: Counted
    n_annotators: Counted
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    made_by: UserName
    created_at: Time
    secret: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    by_user: bool = False
    n_erased: Counted = 0
    n_left_out: Counted = 0
    process: list[str] = []


class FrozenSegment(msgspec.Struct, omit_defaults=True):
    """A text with the borders of its tokens, and the tokens at which its sentences start."""

    name: str
    text: str
    starts: list[int]
    ends: list[int]
    sentence_starts: list[int]
    selectable: bool = True
    docid: str | None = None


class FrozenRecord(msgspec.Struct, tag_field="record", tag="released", omit_defaults=True):
    """An instance of a release with its gold. sets: token ranges; origins: annotator, round, place, for each set."""

    release: Number
    key: str
    segments: list[FrozenSegment]
    language: str
    split: str = ""
    result: str | None = None
    own_result: str | None = None
    sets: list[list[tuple[int, int]]] = []
    origins: list[list[tuple[str, int, int | None]]] = []
    help: list[list[HelpOrigin | None]] = []  # of each of these, where it is known of any
    target: tuple[int, int] | None = None
    parent: str | None = None
    perturbation_kind: str | None = None
    exhaustive: bool | None = None
    metadata: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if self.help and [len(of) for of in self.help] != [len(of) for of in self.origins]:
            raise ValueError("help and origins must be as many")


def release_record(item: SourceRelease) -> ReleaseRecord:
    """A release as it is written."""
    rules, gold = item.rules, item.gold
    return ReleaseRecord(
        item.number, item.name, rules.title, list(rules.labels), rules.language, rules.question, rules.is_exhaustive,
        rules.policy, rules.licence, rules.citation, gold.n_instances, gold.n_sets, gold.n_annotators, gold.digest,
        item.made_by, item.created_at, item.secret.hex(), item.by_user, item.n_erased, rules.n_left_out,
        list(rules.process),
    )  # fmt: skip


def release_of(record: ReleaseRecord, source: str, line: int | None) -> SourceRelease:
    """A release as a domain value."""
    rules = ReleaseRules(
        record.title, tuple(record.labels), record.language, record.question, record.exhaustive, record.policy,
        record.licence, record.citation, record.n_left_out, tuple(record.process),
    )  # fmt: skip
    gold = FrozenGold(record.n_instances, record.n_sets, record.n_annotators, record.digest)
    return SourceRelease(
        record.number, record.name, rules, gold, record.made_by, record.by_user, record.created_at,
        bytes.fromhex(record.secret), record.n_erased, source, line,
    )  # fmt: skip


_FROZEN = msgspec.json.Decoder(FrozenRecord)


def pack(release: int, items: Sequence[GoldInstance]) -> bytes:
    """Gold as compressed lines."""
    return zlib.compress(b"\n".join(msgspec.json.encode(frozen_record(release, item)) for item in items), 6)


def unpack(content: bytes) -> list[GoldInstance]:
    """The inverse of `pack`."""
    return [gold_of_record(record) for record in _FROZEN.decode_lines(zlib.decompress(content))]


def frozen_record(release: int, item: GoldInstance) -> FrozenRecord:
    """Gold as it is written."""
    instance = item.instance
    return FrozenRecord(
        release=release,
        key=instance.key,
        segments=[_segment_record(segment) for segment in instance.segments],
        language=instance.language,
        split=instance.split,
        result=item.result,
        own_result=instance.result,
        sets=[[(span.start, span.end) for span in rationale_set.spans] for rationale_set in item.sets],
        origins=[[(o.annotator, o.round_number, o.position) for o in origins] for origins in item.origins],
        help=[[o.help for o in origins] for origins in item.origins] if _is_help_known(item) else [],
        target=instance.target,
        parent=instance.parent_key,
        perturbation_kind=instance.perturbation_kind,
        exhaustive=instance.is_exhaustive,
        metadata=dict(instance.metadata),
    )


def _is_help_known(item: GoldInstance) -> bool:
    return any(origin.help for origins in item.origins for origin in origins)


def _segment_record(segment: Segment) -> FrozenSegment:
    body = segment.body
    return FrozenSegment(
        segment.name, body.text, list(body.starts), list(body.ends), list(body.sentence_starts), segment.is_selectable,
        segment.docid,
    )  # fmt: skip


def gold_of_record(record: FrozenRecord) -> GoldInstance:
    """Gold as it was; raises InvalidValue or InvalidAnnotation for what does not fit the text."""
    instance = Instance(
        id=0, key=record.key, split=record.split, language=record.language,
        segments=tuple(_segment(segment) for segment in record.segments), result=record.own_result,
        target=record.target, parent_key=record.parent, perturbation_kind=record.perturbation_kind,
        is_exhaustive=record.exhaustive, metadata=record.metadata,
    )  # fmt: skip
    sets = tuple(RationaleSet.of(*spans) for spans in record.sets)
    check_spans(sets, instance.layout)
    if record.origins and len(record.origins) != len(sets):
        raise InvalidValue(
            _(
                "{sets} with {origins}; every set needs its own.",
                origins=counted(len(record.origins), "origin"),
                sets=counted(len(sets), "set"),
            )
        )
    helps = record.help or [[None] * len(of_set) for of_set in record.origins]
    origins = tuple(
        tuple(SetOrigin(0, *origin, of) for origin, of in zip(of_set, of_help, strict=True))
        for of_set, of_help in zip(record.origins, helps, strict=True)
    )
    return GoldInstance(instance, sets, record.result, origins)


def _segment(record: FrozenSegment) -> Segment:
    if len(record.starts) != len(record.ends):
        raise InvalidValue(
            _(
                "Tokens of '{name}' have {starts} but {ends}.",
                name=record.name,
                starts=counted(len(record.starts), "start"),
                ends=counted(len(record.ends), "end"),
            )
        )
    sentence_starts = tuple(record.sentence_starts)
    body = TokenizedText(record.text, tuple(record.starts), tuple(record.ends), sentence_starts)
    if body.n_tokens or sentence_starts:
        body.check()
    return Segment(record.name, record.selectable, body, record.docid)
