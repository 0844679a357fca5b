"""What every format checks of an instance before it hands it on: segments, spans, results, keys that stand twice."""

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotator.domain.labels import proposed_names, variant_among
from annotator.domain.sources import SourceAnnotation, SourceDocument, SourceInstance, SourceSpan, SourceText
from annotator.formats.base import ReadOptions
from annotator.formats.rows.columns import accepted_names
from annotator.formats.rows.findings import Findings, listed
from annotator.language import _, unsaid
from annotator.language import listed as listed_words

# What can be done about a label that a file has and the project has not.


LABEL = "label"  # the remedy of such a problem, whose value is the label


def no_label(label: str, shown: str, labels: Sequence[str]) -> str:
    """That a project has no such label, and what to do. shown: those that it has, in a line."""
    remedy = label_remedy(label, labels)
    return _("No label '{label}' (only {labels}); {remedy}.", label=label, labels=shown, remedy=remedy)


def label_remedy(label: str, labels: Sequence[str]) -> str:
    """The three ways, as parts of a sentence, each with its option; another name is the one that it seems to be, or the first.

    >>> label_remedy("no sentiment", ["negative", "positive"]).partition(", or ")[2]
    "skip it (--leave-out-label 'no sentiment')"
    """
    likely = proposed_names([label], labels)[label] if labels else None
    pair = f"{label}={likely or labels[0]}" if labels else label
    ways = _(
        "add it (--add-label {label}), rename it (--rename {pair}), or skip it (--leave-out-label {label})",
        label=shlex.quote(label),
        pair=shlex.quote(pair),
    )
    name = variant_among(label, labels)
    return listed_words([_("merge it with '{name}' (--merge-labels)", name=name), ways]) if name else ways


@dataclass(frozen=True, slots=True)
class Size:
    """How many characters and, if the source brings its own tokens, how many tokens a text has."""

    n_characters: int
    n_tokens: int | None

    @staticmethod
    def of(text: SourceText) -> "Size":
        """The size of a text as a file gives it."""
        return Size(len(text.text), None if text.tokens is None else text.tokens.n_tokens)


_UNITS = {"token": unsaid("token"), "character": unsaid("character")}
_UNKNOWN_SIZE = Size(sys.maxsize, None)


@dataclass(slots=True)
class Checker:
    """Checks instances of one import; remembers of documents only their sizes."""

    options: ReadOptions
    documents: dict[str, Size] = field(default_factory=dict)
    _labels: frozenset[str] = field(init=False)
    _required: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        task = self.options.task
        labels = (*self.options.labels, *self.options.renamed) if self.options.labels else ()
        self._labels = frozenset(labels if task.result_kind == "label" else ())
        self._required = tuple(s.name for s in task.segments if not s.may_be_empty)

    def remember(self, document: SourceDocument) -> None:
        """Keep a document's size, so that instances may point to it."""
        self.documents[document.docid] = Size.of(document.body)

    def check(self, instance: SourceInstance, findings: Findings) -> None:
        """Note everything for which an instance cannot be taken. Without segments it adds to an instance by key."""
        if not instance.key:
            findings.refuse("id", "", _("Must not be empty."))
        if instance.parent_key is not None and instance.parent_key == instance.key:
            findings.refuse("parent", instance.parent_key, _("An instance can't be its own perturbed version."))
        sizes = self._sizes(instance.segments, findings)
        self.check_result("label", instance.result, findings)
        self._check_annotations(instance.annotations, sizes, findings)
        for number, work in enumerate(instance.work):
            sets = [spans for spans in work.draft.sets if spans]  # a draft may hold a set that is still empty
            self._check_sets(f"work[{number}].draft.rationales", sets, sizes, findings)
        if instance.target is not None:
            self.check_span("target", instance.target, sizes, findings, must_be_selectable=False)

    def _sizes(self, segments: Mapping[str, SourceText | str], findings: Findings) -> dict[str, Size] | None:
        if not segments:
            return None
        sizes = {}
        for name, body in segments.items():
            spec = self.options.task.spec_of(name)
            if spec is None:
                known = listed([s.name for s in self.options.task.segments])
                reason = _("No such segment, only {known}.", known=known)
                findings.refuse(name, "", reason)
            elif isinstance(body, str):
                sizes[name] = self._size_of_document(name, body, findings)
            else:
                sizes[name] = Size.of(body)
                if not spec.may_be_empty and not body.text.strip():
                    reason = _("Must not be empty.")
                    findings.refuse(name, body.text, reason)
        self._check_required(segments, findings)
        return sizes

    def _size_of_document(self, name: str, docid: str, findings: Findings) -> Size:
        size = self.documents.get(docid)
        if size is None:
            findings.refuse(name, docid, _("No document '{docid}'. Put documents before their instances.", docid=docid))
        elif size.n_characters == 0:
            findings.refuse(name, docid, _("Document '{docid}' is empty.", docid=docid))
        return size or _UNKNOWN_SIZE

    def _check_required(self, segments: Mapping[str, SourceText | str], findings: Findings) -> None:
        for name in self._required:
            if name not in segments:
                task = self.options.task
                names = accepted_names(task, name)
                reason = _(
                    "Task '{task}' needs segment '{segment}' (as {names}).", segment=name, task=task.name, names=names
                )
                findings.refuse(name, "", reason)

    def check_result(self, field_name: str, result: str | None, findings: Findings) -> None:
        """Note a label that the project does not have."""
        if result is not None and self._labels and result not in self._labels:
            labels = self.options.labels
            findings.refuse(field_name, result, no_label(result, listed(labels), labels), LABEL)

    def _check_annotations(
        self, annotations: Sequence[SourceAnnotation], sizes: dict[str, Size] | None, findings: Findings
    ) -> None:
        seen: set[tuple[str, int]] = set()
        for annotation in annotations:
            who = (annotation.annotator, annotation.round_number)
            if who in seen and annotation.state is None:  # our own JSONL keeps withdrawn ones beside
                reason = _("Same person twice in one round. Keep one.")
                findings.refuse("annotator", annotation.annotator, reason)
            seen.add(who)
            if not annotation.annotator:
                findings.refuse("annotator", "", _("Must not be empty."))
            self.check_result("annotator_label", annotation.result, findings)
            self._check_sets("rationales", annotation.sets, sizes, findings)

    def _check_sets(
        self, field_name: str, sets: Sequence[Sequence[SourceSpan]], sizes: dict[str, Size] | None, findings: Findings
    ) -> None:
        for set_number, spans in enumerate(sets):
            if not spans:
                reason = _("Remove the empty set; [] means no rationale.")
                findings.refuse(f"{field_name}[{set_number}]", "[]", reason)
            for span_number, span in enumerate(spans):
                self.check_span(f"{field_name}[{set_number}][{span_number}]", span, sizes, findings)

    def check_span(
        self, field_name: str, span: SourceSpan, sizes: dict[str, Size] | None, findings: Findings, *,
        must_be_selectable: bool = True,
    ) -> None:  # fmt: skip
        """Note what is wrong with a span: nothing marked, no such segment, past its end, a text that is not marked."""
        value = [span.segment, span.start, span.end]
        if not 0 <= span.start < span.end:
            reason = _("Must satisfy 0 <= start < end.")
            findings.refuse(field_name, value, reason)
            return
        if span.segment == "" and sizes is None:
            return  # numbered through the instance that the row adds to
        spec = self.options.task.spec_of(span.segment)
        if spec is None or (sizes is not None and span.segment not in sizes):
            known = listed(list(sizes)) if sizes else listed([s.name for s in self.options.task.segments])
            findings.refuse(field_name, value, _("No such segment, only {known}.", known=known))
        elif must_be_selectable and not spec.is_selectable:
            findings.refuse(field_name, value, _("Segment '{segment}' can't be marked.", segment=span.segment))
        elif sizes is not None:
            _check_end(field_name, span, sizes[span.segment], findings)


def _check_end(field_name: str, span: SourceSpan, size: Size, findings: Findings) -> None:
    limit = size.n_tokens if span.unit == "token" else size.n_characters
    if limit is not None and span.end > limit:
        unit = "token" if span.unit == "token" else "character"
        reason = _(
            "Ends at {unit} {end} (exclusive); '{segment}' has {limit}.",
            unit=_(_UNITS[unit]),
            end=span.end,
            segment=span.segment,
            limit=limit,
        )
        findings.refuse(field_name, [span.segment, span.start, span.end], reason)


@dataclass(slots=True)
class KeyLines:
    """On which line each (split, key) stood first. Kept as hashes: 570,000 keys must fit in little memory."""

    _lines: dict[int, int] = field(default_factory=dict)

    def refuse_twice(self, instance: SourceInstance, findings: Findings, field_name: str = "id") -> None:
        """Note a key that stood before in the same split."""
        fingerprint = hash((instance.split, instance.key))
        first = self._lines.get(fingerprint)
        if first is None:
            self._lines[fingerprint] = instance.line or 0
            return
        findings.refuse(field_name, instance.key, _("Duplicate of line {line}. Keep one.", line=first))


@dataclass(slots=True)
class InstanceReader:
    """What readers of instances have in common: how they read, and what they have checked so far."""

    options: ReadOptions
    checker: Checker = field(init=False)
    keys: KeyLines = field(default_factory=KeyLines, init=False)

    def __post_init__(self) -> None:
        self.checker = Checker(self.options)

    def checked(self, instance: SourceInstance, findings: Findings, key_field: str = "id") -> Iterator[SourceInstance]:
        """An instance for which nothing is refused, and whose key is new in its split."""
        self.checker.check(instance, findings)
        self.keys.refuse_twice(instance, findings, key_field)
        if not findings.is_refused:
            yield instance
