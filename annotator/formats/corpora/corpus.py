"""What the corpora have in common: a document with a query, sentences that the source gives, what is kept and left out."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from annotator.domain import sources
from annotator.domain.tasks import Task
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.eraser.reader import SPLITS
from annotator.formats.rows.checks import InstanceReader
from annotator.formats.rows.findings import Findings, Places
from annotator.formats.rows.lines import not_utf8
from annotator.language import _, listed

LANGUAGE = "en"
BETWEEN = " || "  # parts of a query
Range = tuple[int, int]
_N_NAMED = 5  # places of a rule


def text_of_lines(lines: Sequence[str], cut: Callable[[str], TokenizedText]) -> tuple[TokenizedText, list[Range]]:
    """The lines as one text in which each is a sentence, and the tokens of each; a line without tokens is none.

    >>> from annotator.text.alignment import split_on_spaces
    >>> body, ranges = text_of_lines(["A b .", "", "C ."], split_on_spaces)
    >>> body.sentence_starts, ranges
    ((0, 3), [(0, 3), (3, 3), (3, 5)])
    """
    bodies = [cut(line) for line in lines]
    offsets = accumulate((len(line) + 1 for line in lines), initial=0)
    starts, ends, ranges = list[int](), list[int](), list[Range]()
    for offset, body in zip(offsets, bodies, strict=False):
        ranges.append((len(starts), len(starts) + body.n_tokens))
        starts += [offset + start for start in body.starts]
        ends += [offset + end for end in body.ends]
    sentence_starts = tuple(start for start, end in ranges if start < end)
    return TokenizedText("\n".join(lines), tuple(starts), tuple(ends), sentence_starts), ranges


@dataclass(slots=True)
class Corpus(InstanceReader):
    """One import: which segments hold document and query, what was checked, what is kept, what is left out by which rule.

    name: what annotations are by, where the files do not say by whom
    """

    name: str
    path: Path
    left_out: dict[str, Places] = field(default_factory=dict)
    noted: set[str] = field(default_factory=set)
    kept: Counter[str] = field(default_factory=Counter)
    document_segment: str = field(init=False)

    def __post_init__(self) -> None:
        if not self.path.exists():
            raise NotFound(_("No file or folder '{path}'.", path=self.path))
        self.document_segment = _document_segment(self.options.task)
        InstanceReader.__post_init__(self)

    def note(self, rule: str, location: str) -> None:
        """One more that is read otherwise than it stands there."""
        self.noted.add(rule)
        self.count(rule, location)

    def count(self, rule: str, location: str) -> None:
        """One more that a rule (`unsaid`) leaves out, and where it stands."""
        self.left_out.setdefault(rule, Places()).add(location)

    @property
    def language(self) -> str:
        return self.options.language or LANGUAGE

    def split(self, of_source: str) -> str | None:
        """The split of what a source gives for one; None where another is asked for. Of one file --split is its name."""
        wanted = self.options.split
        if wanted is None or not self.path.is_dir():
            return wanted or of_source
        return of_source if of_source == wanted else None

    def document(self, docid: str, body: sources.SourceText, findings: Findings) -> sources.SourceDocument:
        """A document that instances may name from now on."""
        name = f"{self.options.key_prefix}{docid}"
        document = sources.SourceDocument(name, body, self.language, findings.source, findings.line)
        self.checker.remember(document)
        return document

    def instance(
        self, key: str, docid: str, query: str, split: str, result: str | None,
        annotations: Iterable[sources.SourceAnnotation], findings: Findings,
    ) -> Iterator[sources.SourceItem]:  # fmt: skip
        """An instance on a document, and what is wrong with it."""
        prefix, query_segment = self.options.key_prefix, self.options.task.query_segment
        segments: dict[str, sources.SourceText | str] = {self.document_segment: f"{prefix}{docid}"}
        if query_segment is not None:
            segments[query_segment] = sources.SourceText(query)
        instance = sources.SourceInstance(
            key=f"{prefix}{key}", segments=segments, source=findings.source, line=findings.line, split=split,
            language=self.language, result=result, annotations=tuple(annotations),
            metadata={} if query_segment is not None or not query else {"query": query},
        )  # fmt: skip
        for accepted in self.checked(instance, findings):
            self.kept[split] += 1
            yield accepted
        yield from findings.problems

    def told(self) -> Iterator[sources.SourceItem]:
        """How many instances are kept of each split, and a warning for each rule."""
        name, n = self.path.name, sum(self.kept.values())
        in_order = sorted(self.kept.items(), key=lambda of_split: (*SPLITS, of_split[0]).index(of_split[0]))
        splits = listed([f"{split or _('no split')} {n_of_split:,}" for split, n_of_split in in_order])
        if n:
            yield sources.SourceColumns(_("Instances kept: {n} ({splits}).", n=f"{n:,}", splits=splits))
        for rule, places in self.left_out.items():
            first = Places(places.n, places.first[:_N_NAMED])
            reason = _("{rule}: {n} ({places}).", n=f"{places.n:,}", rule=_(rule), places=first)
            reason = reason if rule in self.noted else _("Left out: {what}", what=reason)
            yield Problem(name, None, "file", str(places.n), reason, is_warning=True)


def _document_segment(task: Task) -> str:
    """The one segment that can be marked and must be there; raises InvalidValue for a task that has another form."""
    needed = [spec for spec in task.segments if spec.is_selectable and not spec.may_be_empty]
    if task.result_kind != "label" or task.has_target or len(needed) != 1:
        raise InvalidValue(
            _("This corpus has a document, a query and a label. Use verification, not '{task}'.", task=task.name)
        )
    return needed[0].name


def read_text(path: Path) -> str | Problem:
    """What a file of text holds, with plain line ends; of one that is no UTF-8 or holds NUL, the problem and its line."""
    content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        return Problem(path.name, line, "text", f"0x{content[fault.start]:02x}", not_utf8())
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        return Problem(path.name, line, "text", "", _("Contains a NUL character. Remove it."))
    return text.replace("\r\n", "\n").replace("\r", "\n")
