"""The record of our own JSONL that holds a perturbation with its versions and checks, and the way from and to domain values."""

from typing import Annotated

import msgspec

from annotator.domain.own_sources import SourceCheck, SourcePerturbation, SourceVersion
from annotator.domain.perturbations import ChangedText, PerturbationState, Verdict
from annotator.formats.own.values import Time, UserName, folded
from annotator.formats.rows.findings import Findings
from annotator.language import _

Text = Annotated[str, msgspec.Meta(max_length=1_000_000)]
Kind = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class VersionRecord(msgspec.Struct, omit_defaults=True):
    """One version; `reason` is a corrector's."""

    by: UserName
    kind: Kind
    texts: dict[str, Text]
    at: Time
    result: str | None = None
    note: Text = ""
    reason: Text = ""


class CheckRecord(msgspec.Struct, omit_defaults=True):
    """What somebody said of a version, which is named by its number from 1."""

    version: Annotated[int, msgspec.Meta(ge=1)]
    by: UserName
    verdict: Verdict
    at: Time
    reason: Text = ""


class PerturbationRecord(msgspec.Struct, tag_field="record", tag="perturbation", omit_defaults=True):
    """A changed version of `original`; `instance` is what it became. Both are (key, split) and stand before it."""

    original: tuple[str, str]
    author: UserName
    state: PerturbationState
    fingerprint: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    gold: list[list[tuple[int, int]]]
    versions: Annotated[list[VersionRecord], msgspec.Meta(min_length=1)]
    checks: list[CheckRecord] = []
    instance: tuple[str, str] | None = None


def perturbation_record(source: SourcePerturbation) -> PerturbationRecord:
    """The record of a perturbation."""
    versions = [
        VersionRecord(v.by, v.changed.kind, dict(v.changed.texts), v.at, v.changed.result, v.changed.note, v.reason)
        for v in source.versions
    ]
    checks = [CheckRecord(c.version, c.by, c.verdict, c.at, c.reason) for c in source.checks]
    gold = msgspec.json.decode(source.gold, type=list[list[tuple[int, int]]])
    return PerturbationRecord(
        source.original, source.author, source.state, source.fingerprint, gold, versions, checks, source.instance
    )


def check_perturbation(record: PerturbationRecord, findings: Findings) -> None:
    """What the record says of its own versions and checks must fit together."""
    seen: set[tuple[int, bytes]] = set()
    for check in record.checks:
        who = (check.version, folded(check.by))
        if check.version > len(record.versions):
            findings.refuse(
                "checks",
                str(check.version),
                _(
                    "There is no version {version}; there are {n}.",
                    version=check.version,
                    n=len(record.versions),
                ),
            )
        elif who in seen:
            findings.refuse(
                "checks",
                check.by,
                _("'{by}' checks version {version} twice; keep one of the two.", by=check.by, version=check.version),
            )
        elif check.verdict != "approve" and not check.reason.strip():
            findings.refuse("checks", check.verdict, _("A correction and a rejection need a reason."))
        seen.add(who)
    if (record.state == "approved") != (record.instance is not None):
        findings.refuse("state", record.state, _("What is approved has an `instance`, and nothing else has."))


def perturbation_of(record: PerturbationRecord, key_prefix: str, source: str, line: int) -> SourcePerturbation:
    """A perturbation as a domain value."""

    def named(split_and_key: tuple[str, str]) -> tuple[str, str]:
        return key_prefix + split_and_key[0], split_and_key[1]

    versions = tuple(
        SourceVersion(v.by, ChangedText(v.kind, v.texts, v.result, v.note), v.reason, v.at) for v in record.versions
    )
    checks = tuple(SourceCheck(c.version, c.by, c.verdict, c.reason, c.at) for c in record.checks)
    return SourcePerturbation(
        named(record.original), record.author, record.state, record.fingerprint,
        msgspec.json.encode(record.gold).decode(), versions, checks,
        None if record.instance is None else named(record.instance), source, line,
    )  # fmt: skip
