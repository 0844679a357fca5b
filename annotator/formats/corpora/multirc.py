"""The format `multirc`: the authors' JSON of MultiRC (Khashabi et al. 2018), as in ERASER: an instance a candidate answer."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from annotator.domain.sources import SourceAnnotation, SourceItem, SourceSpan, SourceText
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.corpora.corpus import BETWEEN, Corpus, Range, text_of_lines
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.json_files import read_content, read_items
from annotator.formats.rows.lines import LineError, Row, convert, parse_value
from annotator.language import _, unsaid
from annotator.text.tokenisation import tokenise

_N_TRAIN, _N_VALIDATION = 456, 56  # paragraphs of the authors' train file, and those that ERASER took for validation
_MARK = re.compile(r"<b>\s*Sent (\d+):\s*</b>")
_BREAK = re.compile(r"\s*(?:<br\s*/?>\s*)*$")
_SPLITS = (("train", "train"), ("dev", "test"))  # by how a file's name begins
_WANTED = unsaid("Use MultiRC's train_456-fixedIds.json or dev_83-fixedIds.json.")
_UNMARKED = unsaid("Questions without evidence (empty sentences_used)")


class _Answer(msgspec.Struct):
    text: str
    isAnswer: bool  # noqa: N815  (the file's names)


class _Question(msgspec.Struct):
    question: str
    sentences_used: list[int]
    answers: list[_Answer]


class _Paragraph(msgspec.Struct):
    text: str
    questions: list[_Question]


class _Entry(msgspec.Struct):
    id: str
    paragraph: _Paragraph


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The answers of one file, or of all JSON files of a folder; raises NotFound or InvalidValue where there are none."""
    corpus = Corpus(options, "multirc", path)
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise InvalidValue(
            _("No {names} in '{path}'. Choose another folder.", path=path, names="train_456-fixedIds.json")
        )
    for file in files:
        rows = list(_rows(read_content(file), file.name))
        of_file = next((split for start, split in _SPLITS if file.name.startswith(start)), "")
        validation = _validation_ids(rows) if of_file == "train" else frozenset()
        for row in rows:
            if isinstance(row, Problem):
                yield row
            else:
                split = corpus.split("val" if str(row.values.get("id")) in validation else of_file)
                if split is not None:
                    yield from _paragraph(corpus, row, split)
    yield from corpus.told()


def _validation_ids(rows: Sequence[Row | Problem]) -> frozenset[str]:
    """The paragraphs that are validation: ERASER's number of them, drawn by their names, for it does not say which."""
    names = sorted(str(row.values.get("id")) for row in rows if isinstance(row, Row))
    names.sort(key=lambda name: hashlib.sha256(name.encode("utf-8")).digest())
    return frozenset(names[: round(len(names) * _N_VALIDATION / _N_TRAIN)])


def _rows(content: bytes, source: str) -> Iterator[Row | Problem]:
    """The entries of the list under `data`; of a file of another form why it is not read."""
    try:
        data = msgspec.json.decode(content, type=dict[str, msgspec.Raw]).get("data")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield _no_object(content, source)
        return
    if data is None:
        yield Problem(source, 1, "data", "", _("No list 'data'. {wanted}", wanted=_(_WANTED)))
        return
    n_before = content[: content.index(bytes(data))].count(b"\n")
    for row in read_items(bytes(data), source, _(_WANTED)):
        yield replace(row, line=(row.line or 1) + n_before)


def _no_object(content: bytes, source: str) -> Problem:
    start = content.lstrip().partition(b"\n")[0]
    if b'"passage"' in start and b'"idx"' in start:
        reason = _("SuperGLUE's release has no evidence (sentences_used). {wanted}", wanted=_(_WANTED))
        return Problem(source, 1, "file", "passage", reason)
    try:
        parse_value(content)
    except LineError as fault:
        return Problem(source, None, "file", shown(fault.value), f"{fault.reason} {_(_WANTED)}")
    return Problem(source, None, "file", "", f"{_('Must be an object {...}.')} {_(_WANTED)}")


def _paragraph(corpus: Corpus, row: Row, split: str) -> Iterator[SourceItem]:
    findings = row.findings()
    entry = convert(row.values, _Entry, findings)
    sentences = [] if entry is None else _sentences(entry.paragraph.text, findings)
    if entry is not None and f"{corpus.options.key_prefix}{entry.id}" in corpus.checker.documents:
        findings.refuse("id", entry.id, _("Duplicate. Keep one."))
    if entry is None or findings.is_refused:
        yield from findings.problems
        return
    body, ranges = text_of_lines(sentences, lambda line: tokenise(line, corpus.language))
    yield corpus.document(entry.id, SourceText(body.text, body), findings)
    for number, question in enumerate(entry.paragraph.questions):
        yield from _answers(corpus, row, entry.id, number, question, ranges, split)


def _sentences(text: str, findings: Findings) -> list[str]:
    """The sentences between their marks, <b>Sent 1: </b>, which must count from 1."""
    before, *parts = _MARK.split(text)
    numbers, sentences = parts[::2], [_BREAK.sub("", part).strip() for part in parts[1::2]]
    is_counted = bool(numbers) and numbers == [str(n) for n in range(1, len(numbers) + 1)]
    if before.strip() not in {"", "Paragraph:"} or not is_counted or not any(sentences):
        reason = _("Every sentence must follow its mark, from <b>Sent 1: </b> on, without gaps.")
        findings.refuse("paragraph.text", text, reason)
    return [" ".join(sentence.split()) for sentence in sentences]


def _answers(
    corpus: Corpus, row: Row, docid: str, number: int, question: _Question, ranges: Sequence[Range], split: str
) -> Iterator[SourceItem]:
    """An instance for each answer, all with the question's evidence."""
    of_question = row.findings()
    spans = []
    for sentence in sorted(set(question.sentences_used)):
        if not 0 <= sentence < len(ranges):
            reason = _("No sentence {number}; the paragraph has {n}, from 0.", number=sentence, n=len(ranges))
            of_question.refuse(f"paragraph.questions[{number}].sentences_used", question.sentences_used, reason)
        elif ranges[sentence][0] < ranges[sentence][1]:
            spans.append(SourceSpan(corpus.document_segment, *ranges[sentence]))
    if of_question.is_refused:
        yield from of_question.problems
        return
    if not spans:
        corpus.note(_UNMARKED, f"{docid}:{number}")
    sets = (tuple(spans),) if spans else ()
    for answer_number, answer in enumerate(question.answers):
        label = str(answer.isAnswer)
        yield from corpus.instance(
            f"{docid}:{number}:{answer_number}", docid, f"{question.question.strip()}{BETWEEN}{answer.text.strip()}",
            split, label, [SourceAnnotation(corpus.name, label, sets)], row.findings(),
        )  # fmt: skip
