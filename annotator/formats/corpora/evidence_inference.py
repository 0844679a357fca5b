"""The format `evidence-inference`: the tables and articles of Evidence Inference 1.1 (Lehman et al. 2019), as in ERASER."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotator.domain.numbers import by_key
from annotator.domain.sources import SourceAnnotation, SourceItem, SourceSpan, SourceText
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.corpora.corpus import BETWEEN, Corpus, Range, read_text
from annotator.formats.eraser.reader import documents_first
from annotator.formats.rows.csv_table import TextTable
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import Row
from annotator.language import _, unsaid

_LABELS = {-1: "significantly decreased", 0: "no significant difference", 1: "significantly increased"}  # by Label Code
_PROMPT_COLUMNS = ("PromptID", "PMCID", "Outcome", "Intervention", "Comparator")
_ANNOTATION_COLUMNS = (
    "UserID", "PromptID", "Valid Label", "Valid Reasoning", "Label", "Label Code", "Annotations", "Evidence Start",
    "Evidence End",
)  # fmt: skip
_SPLITS = (("train", "train"), ("validation", "val"), ("test", "test"))
_TRUE = frozenset({"true", "1", "1.0"})
_NEARBY = 20  # characters to either side in which the quoted text is looked for
_WORDS = re.compile(r"\w+")
_INVALID = unsaid("annotations “invalid prompt”")
_REJECTED = unsaid("annotations rejected by the verifier (Valid Label, Valid Reasoning)")
_UNKNOWN = unsaid("spans without place (-1)")
_NOT_THERE = unsaid("spans whose text isn't there or nearby")
_MOVED = unsaid("Spans moved to the quoted text nearby")
_NO_PROMPT = unsaid("annotations without a prompt")
_NO_SPANS = unsaid("prompts without a span")
_NO_ARTICLE = unsaid("prompts without an article")


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The prompts of a folder, or of the folder of one of its tables, that have spans; each after its article.

    Raises: NotFound or InvalidValue when a file is missing, or the task has another form
    """
    corpus, folder = Corpus(options, "evidence-inference", path), path if path.is_dir() else path.parent
    corpus.path = folder
    tables = [_table(path, folder, kind) for kind in ("prompts", "annotations")]
    # The texts by PMCID
    files = sorted({*folder.glob("PMC*.txt"), *folder.glob("txt_files/**/PMC*.txt")})
    if not files:
        raise InvalidValue(_("No {names} in '{path}'. Choose another folder.", path=folder, names="txt_files/PMC….txt"))
    reader = _Reader(corpus, {file.stem.removeprefix("PMC"): file for file in files}, _splits(folder))
    yield from reader.tables(*tables)
    yield from documents_first(item for prompt in reader.prompts.values() for item in reader.prompt(prompt))
    yield from corpus.told()


def _table(path: Path, folder: Path, kind: str) -> Path:
    """One of the two tables; beside a table that somebody named the one that is called like it."""
    swapped = re.sub("prompts|annotations", kind, path.name)
    names = [swapped] if path.is_file() else [f"{kind}_merged.csv", f"{kind}.csv"]
    if file := next((folder / name for name in names if (folder / name).is_file()), None):
        return file
    raise InvalidValue(_("No {names} in '{path}'. Choose another folder.", names=listed(names), path=folder))


def _splits(folder: Path) -> dict[str, str]:
    """The split of each article that the authors' lists name."""
    splits = {}
    for name, split in _SPLITS:
        file = folder / "splits" / f"{name}_article_ids.txt"
        text = read_text(file) if file.is_file() else ""
        if isinstance(text, Problem):
            raise InvalidValue(str(text))
        splits.update({article.removeprefix("PMC"): split for article in text.split()})
    return splits


@dataclass(slots=True)
class _Reader:
    corpus: Corpus
    articles: dict[str, Path]
    splits: dict[str, str]
    prompts: dict[str, Row] = field(default_factory=dict)
    annotations: dict[str, list[Row]] = field(default_factory=dict)  # that count, by prompt
    texts: dict[str, str | None] = field(default_factory=dict)  # of the articles that were met; None: unreadable

    def tables(self, prompts: Path, annotations: Path) -> Iterator[Problem]:
        """Keep the rows of both tables; what is wrong in them is given."""
        options = ReadOptions(self.corpus.options.task)
        for row in TextTable(prompts, options, needed=_PROMPT_COLUMNS).rows():
            if isinstance(row, Problem):
                yield row
            elif (first := self.prompts.setdefault(row.values["PromptID"].strip(), row)) is not row:
                reason = _("Duplicate of line {line}. Keep one.", line=first.line)
                yield Problem(row.source, row.line, "PromptID", row.values["PromptID"], reason)
        for row in TextTable(annotations, options, needed=_ANNOTATION_COLUMNS).rows():
            findings = Findings("", None) if isinstance(row, Problem) else row.findings()
            if isinstance(row, Problem):
                yield row
            elif self._counts(row, findings):
                self.annotations.setdefault(row.values["PromptID"].strip(), []).append(row)
            yield from findings.problems

    def _counts(self, row: Row, findings: Findings) -> bool:
        """Whether an annotation counts; else why not is noted or counted."""
        are_valid = all(row.values[name].strip().lower() in _TRUE for name in ("Valid Label", "Valid Reasoning"))
        for name in ("Evidence Start", "Evidence End"):
            if _number(row.values[name]) is None:
                findings.refuse(name, row.values[name], _("Must be a whole number, or -1."))
        if row.values["Label"].strip().startswith("invalid prompt"):
            self._leave_out(_INVALID, row)
        elif _number(row.values["Label Code"]) not in _LABELS:
            findings.refuse("Label Code", row.values["Label Code"], _("Must be one of {values}.", values="-1, 0, 1"))
        elif not are_valid:
            self._leave_out(_REJECTED, row)
        elif row.values["PromptID"].strip() not in self.prompts:
            self._leave_out(_NO_PROMPT, row)
        else:
            return not findings.is_refused
        return False

    def _leave_out(self, rule: str, row: Row) -> None:
        self.corpus.count(rule, f"{row.source}:{row.line}")

    def prompt(self, row: Row) -> Iterator[SourceItem]:
        """The instance of a prompt with an annotation a user; nothing, where no span of it is known."""
        key, article = row.values["PromptID"].strip(), row.values["PMCID"].strip().removeprefix("PMC")
        split = self.corpus.split(self.splits.get(article, ""))
        if split is None:
            return
        if article not in self.articles:
            self._leave_out(_NO_ARTICLE, row)
            return
        if article not in self.texts:
            yield from self._article(article)
        text = self.texts[article]
        rows = [(of_row, span) for of_row in self.annotations.get(key, []) if (span := self._span(of_row, text or ""))]
        if not rows:
            self._leave_out(_NO_SPANS, row)
            return
        query = BETWEEN.join(row.values[name].strip() for name in ("Intervention", "Comparator", "Outcome"))
        result = _label([of_row for of_row, _span in rows])
        by = self._annotations(rows)
        yield from self.corpus.instance(key, f"PMC{article}", query, split, result, by, row.findings())

    def _article(self, article: str) -> Iterator[SourceItem]:
        text = read_text(self.articles[article])
        self.texts[article] = None if isinstance(text, Problem) else text
        if isinstance(text, Problem):
            yield text
        else:
            findings = Findings(self.articles[article].name, None)
            yield self.corpus.document(f"PMC{article}", SourceText(text), findings)

    def _annotations(self, rows: Sequence[tuple[Row, Range]]) -> Iterator[SourceAnnotation]:
        """One a user: their spans are one set, their label is that of most of their rows."""
        by_user = by_key((row.values["UserID"].strip(), (row, span)) for row, span in rows)
        for user, of_user in by_user.items():
            label = _label([row for row, _span in of_user])
            spans = sorted({span for _row, span in of_user})
            in_segment = tuple(SourceSpan(self.corpus.document_segment, *span, "char") for span in spans)
            yield SourceAnnotation(f"user {user}", label, (in_segment,))

    def _span(self, row: Row, text: str) -> Range | None:
        """The characters of a row's evidence: as given, both ends within it, or where its text stands nearby."""
        start, last = _number(row.values["Evidence Start"]), _number(row.values["Evidence End"])
        if start is None or last is None or start < 0 or last < 0:
            self._leave_out(_UNKNOWN, row)
            return None
        quote, n_blanks = row.values["Annotations"].strip(), len(text[start:]) - len(text[start:].lstrip())
        at = text.find(quote, max(0, start - _NEARBY), last + 1 + _NEARBY) if quote else -1
        words = text[start : last + 1].strip()
        if at >= 0:
            if at != start + n_blanks:
                self.corpus.note(_MOVED, f"{row.source}:{row.line}")
            return at, at + len(quote)
        if words and last < len(text) and (not quote or _same_words(words, quote)):
            return start + n_blanks, start + n_blanks + len(words)
        self._leave_out(_NOT_THERE, row)
        return None


def _label(rows: Sequence[Row]) -> str:
    """The label of most rows, else the first; by its code, since the same label stands in several words."""
    return _LABELS[Counter(_number(row.values["Label Code"]) or 0 for row in rows).most_common(1)[0][0]]


def _same_words(first: str, second: str) -> bool:
    return _WORDS.findall(first.casefold()) == _WORDS.findall(second.casefold())


def _number(cell: str) -> int | None:
    """The whole number in a cell, which a spreadsheet may have written as 12.0."""
    match = re.fullmatch(r"\s*(-?[0-9]{1,9})(?:\.0*)?\s*", cell)
    return None if match is None else int(match.group(1))
