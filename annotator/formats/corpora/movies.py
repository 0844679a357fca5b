"""The format `movies`: tagged reviews of Zaidan and Eisner (2008), as in ERASER: each marked span is evidence by itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from annotator.domain.sources import SourceAnnotation, SourceItem, SourceSpan, SourceText
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.corpora.corpus import Corpus, read_text, text_of_lines
from annotator.formats.eraser.reader import documents_first
from annotator.formats.rows.findings import Findings
from annotator.language import _, unsaid
from annotator.text.tokenisation import tokenise

QUERY = "What is the sentiment of this review?"
_NAME = re.compile(r"(pos|neg)R?_(\d{1,3})\.txt", re.IGNORECASE)
_FOLDER = re.compile(r"(with|no)Rats_(pos|neg)", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(POS|NEG)>")
_FOLDS = ("train",) * 8 + ("val", "test")
_COPY = unsaid("noRats files of reviews with marks in withRats")
_UNREAD = unsaid("files not named like posR_000.txt")
_OTHER_LABEL, _EMPTY = unsaid("marks for the other label"), unsaid("marks without words")
_NO_MARKS = unsaid("Unmarked reviews of withRats, as having no rationale")
_UNMARKED = unsaid("Reviews of noRats, not annotated (ERASER collected marks of the last folds itself)")


@dataclass(frozen=True, slots=True)
class _Review:
    path: Path
    label: str
    number: int

    @property
    def is_annotated(self) -> bool:
        return not self.path.parent.name.lower().startswith("norats")

    @property
    def key(self) -> str:
        """ERASER's name of it, whatever folder it comes from."""
        return f"{self.label.lower()}R_{self.number:03d}.txt"


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The reviews of the folders withRats_pos, withRats_neg, noRats_pos and noRats_neg, of one of these, or one review.

    Raises: NotFound or InvalidValue when there are none, or the task has another form
    """
    corpus = Corpus(options, "movies", path)
    yield from documents_first(item for review in _reviews(corpus, path) for item in _items(corpus, review))
    yield from corpus.told()


def _reviews(corpus: Corpus, path: Path) -> list[_Review]:
    """Those of the files, in the order of the folds; of one that has marks not its copy without them."""
    within = sorted(path.iterdir()) if path.is_dir() else [path]
    folders = [folder for folder in within if folder.is_dir() and _FOLDER.fullmatch(folder.name)]
    files = [file for folder in folders for file in sorted(folder.iterdir())] or within
    by_key: dict[str, _Review] = {}
    for file in sorted(files, key=lambda file: file.parent.name.lower(), reverse=True):  # withRats first
        match = _NAME.fullmatch(file.name)
        if match is None:
            corpus.count(_UNREAD, file.name)
            continue
        review = _Review(file, match.group(1).upper(), int(match.group(2)))
        if review.key in by_key:
            corpus.count(_COPY, file.name)
        else:
            by_key[review.key] = review
    if not by_key:
        raise InvalidValue(_("No {names} in '{path}'. Choose another folder.", path=path, names="posR_000.txt"))
    return sorted(by_key.values(), key=lambda review: (review.number, review.label))


def _items(corpus: Corpus, review: _Review) -> Iterator[SourceItem]:
    split = corpus.split(_FOLDS[review.number // 100])
    if split is None:
        return
    findings = Findings(review.path.name, None)
    folder = _FOLDER.fullmatch(review.path.parent.name)
    if folder is not None and folder.group(2).upper() != review.label:
        reason = _("A review of the other label in '{folder}'. Move it.", folder=review.path.parent.name)
        findings.refuse("file", review.path.name, reason)
    text = read_text(review.path)
    marked = _Marked(problems=[text]) if isinstance(text, Problem) else _Marked.of(text, review.path.name)
    if findings.is_refused or marked.problems:
        yield from (*findings.problems, *marked.problems)
        return
    yield corpus.document(review.key, SourceText(marked.text, _body(marked.text, corpus.language)), findings)
    annotations = [_annotation(corpus, review, marked)] if review.is_annotated else []
    if not annotations:
        corpus.note(_UNMARKED, review.key)
    yield from corpus.instance(review.key, review.key, QUERY, split, review.label, annotations, findings)


def _annotation(corpus: Corpus, review: _Review, marked: "_Marked") -> SourceAnnotation:
    """The marks for the review's label, each a set of its own."""
    sets = []
    for label, start, end in marked.ranges:
        words = marked.text[start:end]
        if not words.strip():
            corpus.count(_EMPTY, review.key)
        elif label != review.label:
            corpus.count(_OTHER_LABEL, review.key)
        else:
            left = start + len(words) - len(words.lstrip())
            span = SourceSpan(corpus.document_segment, left, left + len(words.strip()), "char")
            sets.append((span,))
    if not sets:
        corpus.note(_NO_MARKS, review.key)
    return SourceAnnotation(corpus.name, review.label, tuple(sets))


def _body(text: str, language: str) -> TokenizedText:
    """Its tokens; its lines are its sentences, unless it has but one."""
    lines = text.split("\n")
    if sum(bool(line.strip()) for line in lines) < 2:
        return tokenise(text, language)
    return text_of_lines(lines, lambda line: tokenise(line, language))[0]


@dataclass(slots=True)
class _Marked:
    """A text without its tags, the characters between them with the label that the tag names, and tags that do not fit."""

    text: str = ""
    ranges: list[tuple[str, int, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @staticmethod
    def of(tagged: str, source: str) -> "_Marked":
        """A tag that blanks part from the words takes one of them along."""
        marked, reached = _Marked(), 0
        opened: tuple[str, int, int] | None = None
        for tag in _TAG.finditer(tagged):
            marked.text += tagged[reached : tag.start()]
            has_blanks = marked.text[-1:] in {"", " ", "\n"} and tagged.startswith(" ", tag.end())
            reached = tag.end() + has_blanks
            line = tagged.count("\n", 0, tag.start()) + 1
            if tag.group(1) == "" and opened is None:
                opened = tag.group(2), len(marked.text), line
            elif tag.group(1) and opened is not None and opened[0] == tag.group(2):
                marked.ranges.append((opened[0], opened[1], len(marked.text)))
                opened = None
            else:
                reason = _("Every <POS> needs one </POS>, every <NEG> one </NEG>, unnested.")
                marked.problems.append(Problem(source, line, "text", tag.group(), reason))
                opened = None
        if opened is not None:
            reason = _("No </{label}> follows. Close it.", label=opened[0])
            marked.problems.append(Problem(source, opened[2], "text", f"<{opened[0]}>", reason))
        marked.text += tagged[reached:]
        return marked
