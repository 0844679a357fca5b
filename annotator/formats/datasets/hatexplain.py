"""The format `hatexplain`: dataset.json of HateXplain (Mathew et al. 2021), with its splits in a file beside it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from annotator.domain.numbers import counted
from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceItem, SourceSpan, SourceText
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.checks import InstanceReader
from annotator.formats.rows.findings import Findings, listed, shown
from annotator.formats.rows.json_files import read_members
from annotator.formats.rows.lines import LineError, Row, convert, parse_object
from annotator.formats.rows.spans import spans_of_tokens
from annotator.language import _
from annotator.text.alignment import align_tokens

DATA_FILE = "dataset.json"
SPLITS_FILE = "post_id_divisions.json"
LANGUAGE = "en"
NORMAL = "normal"

Sets = tuple[tuple[SourceSpan, ...], ...]


class _Annotator(msgspec.Struct):
    label: str
    annotator_id: int | str
    target: list[str] = []


class _Post(msgspec.Struct):
    post_id: str
    annotators: list[_Annotator]
    rationales: list[list[int]]
    post_tokens: list[str]


_KNOWN = frozenset(_Post.__struct_fields__) - {"annotators"}


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The posts of a dataset.json, or of the one in a folder, as instances; one post is decoded at a time.

    Raises: NotFound or InvalidValue when there is no such file, or the task has not just one text
    """
    task = options.task
    names = [spec.name for spec in task.segments if not spec.may_be_empty]
    spec = task.spec_of(names[0]) if len(names) == 1 else None
    if spec is None or not spec.is_selectable or task.has_target:
        raise InvalidValue(_("{name} needs the task {task}.", name="HateXplain", task="sentiment"))
    segment = spec.name
    if path.is_dir() and not (path / DATA_FILE).is_file():
        raise NotFound(_("No {names} in '{path}'. Choose another folder.", path=path, names=DATA_FILE))
    file = path / DATA_FILE if path.is_dir() else path
    splits = _Splits()
    yield from splits.read(file.with_name(SPLITS_FILE))
    reader = _HatexplainReader(options, segment, splits)
    for item in read_members(file, file.name):
        yield from [item] if isinstance(item, Problem) else reader.post(*item)
    yield from splits.left_over(reader.seen)


@dataclass(slots=True)
class _Splits:
    """The split of each post, from the file beside the data; without that file no post has one."""

    is_given: bool = False
    source: str = ""
    _of_post: dict[str, list[str]] = field(default_factory=dict)

    def read(self, path: Path) -> Iterator[Problem]:
        """Take the file in, if it is there; gives what is wrong with it."""
        if not path.is_file():
            return
        self.source = path.name
        try:
            values = parse_object(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
        except LineError as fault:
            yield Problem(path.name, None, fault.field, shown(fault.value), fault.reason)
            return
        findings = Findings(path.name, None)
        for split, posts in values.items():
            for post_id in convert(posts, list[str], findings, {"": split}) or ():
                self._of_post.setdefault(post_id, []).append(split)
        self.is_given = not findings.is_refused
        yield from findings.problems

    def of(self, post_id: str, findings: Findings) -> str | None:
        """The split of a post; None where the file names none for it."""
        splits = self._of_post.get(post_id, ())
        if len(splits) > 1:
            reason = _("{source} lists this post in {splits}. List it once.", source=self.source, splits=listed(splits))
            findings.refuse("split", post_id, reason)
        return splits[0] if splits else None

    def left_over(self, seen: set[str]) -> Iterator[Problem]:
        """A warning about posts that have a split and are not in the data."""
        missing = [post_id for post_id in self._of_post if post_id not in seen]
        if missing:
            reason = _(
                "{n_missing} of {posts} with a split aren't in the data.",
                n_missing=len(missing),
                posts=counted(len(self._of_post), "post"),
            )
            yield Problem(self.source, None, "post_id", listed(missing, 3), reason, is_warning=True)


@dataclass(slots=True)
class _HatexplainReader(InstanceReader):
    segment: str
    splits: _Splits
    seen: set[str] = field(default_factory=set)

    def post(self, post_id: str, row: Row) -> Iterator[SourceItem]:
        """The instance of one post and what is wrong with it; the field of a problem begins with the post's id."""
        findings = row.findings()
        if post_id in self.seen:
            findings.refuse("post_id", post_id, _("Duplicate. Keep one."))
        self.seen.add(post_id)
        split = self._split(post_id, findings)
        if split is not None:
            post = convert(row.values, _Post, findings)
            instance = None if post is None else self._instance(post_id, row, post, split, findings)
            if instance is not None and not findings.is_refused:
                yield instance
        for problem in findings.problems:
            yield replace(problem, field=f"{post_id}.{problem.field}")

    def _split(self, post_id: str, findings: Findings) -> str | None:
        """The post's split; None when another split is asked for."""
        wanted = self.options.split
        if not self.splits.is_given:
            return wanted or ""
        split = self.splits.of(post_id, findings) or ""
        return split if wanted in {None, split} else None

    def _instance(self, post_id: str, row: Row, post: _Post, split: str, findings: Findings) -> SourceInstance | None:
        if post.post_id != post_id:
            findings.refuse("post_id", post.post_id, _("The key is '{post_id}'. Use the same id.", post_id=post_id))
        text = _text(post.post_tokens, findings)
        sets = [_sets_of_mask(self.segment, mask, post, n, findings) for n, mask in enumerate(post.rationales)]
        if findings.is_refused:
            return None
        metadata: dict[str, object] = {name: value for name, value in row.values.items() if name not in _KNOWN}
        instance = SourceInstance(
            key=self.options.key_prefix + post_id if post_id else "",
            segments={self.segment: text},
            source=row.source,
            line=row.line,
            split=split,
            language=self.options.language or LANGUAGE,
            result=_majority([annotator.label for annotator in post.annotators]),
            annotations=_annotations(post.annotators, sets, findings),
            metadata=metadata,
        )
        self.checker.check(instance, findings)
        return instance


def _text(tokens: Sequence[str], findings: Findings) -> SourceText:
    """The tokens joined by blanks, as text with these tokens."""
    text = " ".join(tokens)
    if not text.strip():
        findings.refuse("post_tokens", list(tokens), _("Must not be empty."))
    return SourceText(text, align_tokens(text, tokens), is_text_of_tokens=True)


def _sets_of_mask(segment: str, mask: Sequence[int], post: _Post, number: int, findings: Findings) -> Sets:
    """The tokens of a mask as one set, contiguous tokens as one span; no set where it marks none."""
    field_name, n_tokens = f"rationales[{number}]", len(post.post_tokens)
    if len(mask) != n_tokens:
        reason = _(
            "Mask has {values}, post {tokens}. Use one per token.",
            values=counted(len(mask), "value"),
            tokens=counted(n_tokens, "token"),
        )
        findings.refuse(field_name, list(mask), reason)
    for position, value in enumerate(mask):
        if value not in {0, 1}:
            findings.refuse(f"{field_name}[{position}]", value, _("Must be one of {values}.", values="1, 0"))
    spans = spans_of_tokens(segment, [position for position, value in enumerate(mask) if value == 1])
    if not spans:
        findings.warn(field_name, list(mask), _("Nothing marked: taken as no rationale."))
    return (spans,) if spans else ()


def _majority(labels: Sequence[str]) -> str | None:
    """The label of more than half of the annotators, if there is one.

    >>> _majority(["normal", "offensive", "normal"]), _majority(["normal", "offensive", "hatespeech"])
    ('normal', None)
    """
    label, n = Counter(labels).most_common(1)[0] if labels else (None, 0)
    return label if 2 * n > len(labels) else None


def _annotations(
    annotators: Sequence[_Annotator], masks: Sequence[Sets], findings: Findings
) -> tuple[SourceAnnotation, ...]:
    """Each annotator's label with their mask; where nobody knows whose masks these are, they stand under their number.

    The file does not say whose a mask is. It follows where there is one for each annotator, or one for each whose label
    is not normal (normal posts were not marked). Else the annotators' labels are kept for reference, so that they do
    not count as having marked nothing, and the masks count, without a label of their own.
    """
    owners = _owners(annotators, len(masks))
    if owners is not None:
        sets = dict(zip(owners, masks, strict=True))
        if not masks and 2 * sum(annotator.label != NORMAL for annotator in annotators) > len(annotators):
            findings.warn("rationales", [], _("The majority label isn't normal, but there's no mask."))
        return tuple(SourceAnnotation(_name(a), a.label, sets.get(n, ())) for n, a in enumerate(annotators))
    names = [f"mask {number}" for number in range(1, len(masks) + 1)]
    reason = _(
        "{masks} for {annotators}: owners unknown, imported as {names} without labels.",
        masks=counted(len(masks), "mask"),
        annotators=counted(len(annotators), "annotator"),
        names=listed(names),
    )
    findings.warn("rationales", len(masks), reason)
    labels = [SourceAnnotation(_name(a), a.label, (), state="reference") for a in annotators]
    return (*(SourceAnnotation(name, None, sets) for name, sets in zip(names, masks, strict=True)), *labels)


def _owners(annotators: Sequence[_Annotator], n_masks: int) -> list[int] | None:
    """Whose each mask is, as places in the list of annotators; None where the numbers do not say it."""
    marking = [number for number, annotator in enumerate(annotators) if annotator.label != NORMAL]
    if n_masks in {0, len(marking)}:
        return marking[:n_masks]
    return list(range(n_masks)) if n_masks == len(annotators) else None


def _name(annotator: _Annotator) -> str:
    return str(annotator.annotator_id)
