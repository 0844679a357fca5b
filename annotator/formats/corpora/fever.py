"""The format `fever`: claims of FEVER (Thorne et al. 2018) on pages of its Wikipedia, as in ERASER.

A claim is kept if all its evidence is in one page, as in ERASER's release. So a page with its claims is what has to stay
together for no document to be in two splits.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.sources import SourceAnnotation, SourceItem, SourceSpan, SourceText
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.corpora.corpus import Corpus, Range, text_of_lines
from annotator.formats.eraser.reader import documents_first
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.lines import LineError, Row, convert, line_at, parse_object, read_lines, read_rows
from annotator.language import _, unsaid
from annotator.text.alignment import split_on_spaces

_NOT_ENOUGH = "NOT ENOUGH INFO"
_LABELS = ("SUPPORTS", "REFUTES", _NOT_ENOUGH)
_ID = re.compile(rb'\s*\{\s*"id"\s*:\s*("(?:[^"\\]|\\.)*")')
_UNDECIDED = unsaid("claims labelled NOT ENOUGH INFO")
_SEVERAL = unsaid("claims with support in several documents")
_NO_EVIDENCE = unsaid("claims without evidence")
_NO_PAGE = unsaid("claims whose page is missing")
_NO_LINE = unsaid("evidence whose line is empty or missing")
_NO_LINES = unsaid("claims without other evidence")
_SHARED = unsaid("train claims on a dev document")
_DOUBLES = unsaid("claims of an earlier file")
_UNREAD = unsaid("files named neither train nor dev")


class _Row(msgspec.Struct):
    id: int | str
    label: str
    claim: str
    evidence: list[list[tuple[Any, Any, str | None, int | None]]]


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim with the lines of its page that each evidence group names. part: of FEVER."""

    key: str
    text: str
    label: str
    page: str
    groups: tuple[tuple[int, ...], ...]
    part: str
    source: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.source}:{self.line}"


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The claims of one file, or of the files of a folder, each after its page of the folder wiki-pages.

    Raises: NotFound or InvalidValue when there are no claims or no pages, or the task has another form
    """
    reader = _Reader(Corpus(options, "fever", path))
    files, pages = _files(reader.corpus, path), _page_files(path if path.is_dir() else path.parent)
    for file, part in files:
        for row in read_rows(file, file.name):
            yield from [row] if isinstance(row, Problem) else reader.take(row, part)
    yield from reader.find_pages(pages)
    yield from documents_first(reader.items())
    yield from reader.corpus.told()


def _files(corpus: Corpus, path: Path) -> list[tuple[Path, str]]:
    """The files of claims with the part of FEVER that each is, train first, halves of dev last."""
    if path.is_file():
        return [(path, _part(path) or "")]
    files, names = [], path.glob("*.jsonl")
    for file in sorted(names, key=lambda file: ("train" not in file.name, "paper" in file.name, file.name)):
        if part := _part(file):
            files.append((file, part))
        elif not file.name.startswith("wiki-"):
            corpus.count(_UNREAD, file.name)
    if not files:
        raise InvalidValue(
            _("No {names} in '{path}'. Choose another folder.", path=path, names="train.jsonl, shared_task_dev.jsonl")
        )
    return files


def _part(file: Path) -> str | None:
    """Which part a file is by its name; paper_dev and paper_test are halves of dev."""
    if "train" in file.name:
        return "train"
    return "dev" if "dev" in file.name or file.name.startswith("paper_test") else None


def _page_files(folder: Path) -> list[Path]:
    files = sorted({*folder.glob("wiki-*.jsonl"), *folder.glob("wiki-pages/**/wiki-*.jsonl")})
    if not files:
        raise InvalidValue(
            _("No {names} in '{path}'. Choose another folder.", path=folder, names="wiki-pages/wiki-001.jsonl")
        )
    return files


def _normal(page: str) -> str:
    """A page's name in one Unicode form, since claims and pages differ in it; -LRB- and the like stay, as in ERASER."""
    return unicodedata.normalize("NFC", page)


@dataclass(slots=True)
class _Reader:
    corpus: Corpus
    claims: list[_Claim] = field(default_factory=list)
    seen: dict[str, tuple[str, int]] = field(default_factory=dict)
    pages: dict[str, tuple[Path, int, int]] = field(default_factory=dict)  # file, offset, line
    lines: dict[str, Mapping[int, Range]] = field(default_factory=dict)  # tokens of each line of a page that was met

    def take(self, row: Row, part: str) -> Iterator[Problem]:
        """Keep a claim, or count why it is left out."""
        findings = row.findings()
        if "evidence_wiki_url" in row.values:
            reason = _("Another release, one evidence per row. Use the authors' train.jsonl.")
            findings.refuse("evidence_wiki_url", row.values["evidence_wiki_url"], reason)
        elif (values := convert(row.values, _Row, findings)) is not None:
            source, line = self.seen.setdefault(str(values.id), (row.source, row.line))
            if values.label not in _LABELS:
                findings.refuse(
                    "label", values.label, _("Must be one of {values}.", values="SUPPORTS, REFUTES, NOT ENOUGH INFO")
                )
            elif source != row.source:
                self.corpus.count(_DOUBLES, f"{row.source}:{row.line}")
            elif line != row.line:
                findings.refuse("id", values.id, _("Duplicate of line {line}. Keep one.", line=line))
            else:
                self._keep(values, row, part)
        yield from findings.problems

    def _keep(self, values: _Row, row: Row, part: str) -> None:
        groups = _groups(values.evidence)
        pages = {page for group in groups for page, _line in group}
        if values.label == _NOT_ENOUGH or len(pages) != 1:
            rule = _UNDECIDED if values.label == _NOT_ENOUGH else _SEVERAL if pages else _NO_EVIDENCE
            self.corpus.count(rule, f"{row.source}:{row.line}")
            return
        lines = tuple(tuple(sorted(line for _page, line in group)) for group in groups)
        self.claims.append(
            _Claim(str(values.id), values.claim, values.label, pages.pop(), lines, part, row.source, row.line)
        )

    def find_pages(self, files: Sequence[Path]) -> Iterator[Problem]:
        """Read through all pages, a line at a time, and remember where those are that claims need."""
        needed = {claim.page for claim in self.claims}
        for file in files:
            for raw in read_lines(file):
                match = _ID.match(raw.content or b"")
                try:
                    name = msgspec.json.decode(match.group(1)) if match else parse_object(raw.content).get("id")
                except (LineError, msgspec.DecodeError, UnicodeDecodeError) as fault:
                    yield Problem(file.name, raw.number, "id", "", _("Unreadable: {reason}.", reason=fault))
                    continue
                if _normal(str(name)) in needed:
                    self.pages.setdefault(_normal(str(name)), (file, raw.offset, raw.number))

    def items(self) -> Iterator[SourceItem]:
        """Each claim, after its page where it is the first one on it."""
        split_of_page = _splits(self.claims)
        for claim in self.claims:
            of_source = split_of_page.get(claim.page, claim.part)
            split = self.corpus.split(of_source)
            if claim.part == "train" and of_source != "train":
                self.corpus.count(_SHARED, claim.place)
            elif claim.page not in self.pages:
                self.corpus.count(_NO_PAGE, claim.place)
            elif split is not None:
                if claim.page not in self.lines:
                    yield from self._page(claim.page)
                yield from self._claim(claim, split)

    def _page(self, page: str) -> Iterator[SourceItem]:
        file, offset, line = self.pages[page]
        self.lines[page] = {}
        try:
            if not (sentences := _sentences(str(parse_object(line_at(file, offset)).get("lines", "")))):
                raise LineError("lines", page, _("No lines (number, tab, sentence). Use FEVER's wiki-pages."))
        except LineError as fault:
            yield Problem(file.name, line, fault.field, shown(fault.value), fault.reason)
            return
        body, ranges = text_of_lines(list(sentences.values()), split_on_spaces)
        self.lines[page] = dict(zip(sentences, ranges, strict=True))
        yield self.corpus.document(page, SourceText(body.text, body), Findings(file.name, line))

    def _claim(self, claim: _Claim, split: str) -> Iterator[SourceItem]:
        lines, sets = self.lines[claim.page], []
        for group in claim.groups:
            if all(line in lines for line in group):
                sets.append(tuple(SourceSpan(self.corpus.document_segment, *lines[line]) for line in group))
            else:
                self.corpus.count(_NO_LINE, f"{claim.place}, {claim.page} {', '.join(map(str, group))}")
        if sets:
            annotation = SourceAnnotation(self.corpus.name, claim.label, tuple(sets))
            findings, by = Findings(claim.source, claim.line), [annotation]
            yield from self.corpus.instance(claim.key, claim.page, claim.text, split, claim.label, by, findings)
        else:
            self.corpus.count(_NO_LINES, claim.place)


def _groups(evidence: Sequence[Sequence[tuple[Any, Any, str | None, int | None]]]) -> list[frozenset[tuple[str, int]]]:
    """The evidence groups as pages and lines, each once, since several people may have given the same."""
    groups = dict.fromkeys(
        frozenset((_normal(page), line) for _a, _e, page, line in group if page is not None and line is not None)
        for group in evidence
    )
    return [group for group in groups if group]


def _splits(claims: Sequence[_Claim]) -> dict[str, str]:
    """The split of each page of dev: the one with most claims first, for the split with fewer claims so far."""
    n_claims = Counter(claim.page for claim in claims if claim.part == "dev")
    sizes, split_of_page = {"val": 0, "test": 0}, {}
    for page, n in sorted(n_claims.items(), key=lambda item: (-item[1], item[0])):
        split_of_page[page] = min(sizes, key=lambda split: sizes[split])
        sizes[split_of_page[page]] += n
    return split_of_page


def _sentences(lines: str) -> dict[int, str]:
    r"""The sentences of a page by their line's number, without empty ones and the links behind them.

    >>> _sentences("0\tA tree .\tTree\tTree_-LRB-plant-RRB-\n1\t\n2\tIt grows .")
    {0: 'A tree .', 2: 'It grows .'}
    """
    cells = (line.split("\t") for line in lines.split("\n"))
    numbered = {
        int(first): " ".join(rest[0].split()) for first, *rest in cells if rest and re.fullmatch("[0-9]{1,6}", first)
    }
    return {number: sentence for number, sentence in numbered.items() if sentence}
