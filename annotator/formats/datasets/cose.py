"""The format `cose`: CoS-E (Rajani et al. 2019), explanations joined by id with the questions of CommonsenseQA."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from annotator.domain.numbers import counted
from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceItem, SourceSpan, SourceText
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.checks import InstanceReader
from annotator.formats.rows.files import files_of_split, split_in_name
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import Row, convert, read_rows
from annotator.language import _
from annotator.language import listed as in_a_row

# Where a text that somebody selected in a question stands in it, though it was not always copied as it stands.


# Words of the page that the selection took in, before the question and after it.
_BEFORE = re.compile(r"\A(?:question)?\s*:\s*", re.IGNORECASE)
_AFTER = re.compile(r"\s*answer choices:\s*\Z", re.IGNORECASE)

Characters = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Selection:
    """What was selected, and the field and findings for what has to be said of it."""

    text: str
    field: str
    findings: Findings

    def find(self, question: str) -> Sequence[Characters]:
        """The character ranges of the selection in the question; none when it is empty or not there.

        Looked for as it is (without white space at its ends), without the words of the page around it, then with other
        white space and capitals, then in the pieces between its commas. Everything but the first is told in a warning.
        """
        wanted = self.text.strip()
        if not wanted:
            self._warn(_("Nothing marked: taken as no rationale."))
            return ()
        bare = _AFTER.sub("", _BEFORE.sub("", wanted))
        page = _("ignoring page text (Question:, Answer Choices:)")
        around = [page] if bare != wanted else []
        attempts: tuple[tuple[str, list[str]], ...] = (
            (re.escape(wanted), []),
            (re.escape(bare), around),
            (_loosely(bare), [*around, _("ignoring white space and capitals")]),
            (_in_pieces(bare), [*around, _("comma-separated parts")]),
        )
        for pattern, how in attempts:
            if pattern and (matches := list(re.finditer(pattern, question))):
                if how:
                    self._warn(_("No verbatim match in the question; matched {how}.", how=in_a_row(how, "and")))
                return self._chosen(matches, question)
        self._warn(_("Not in the question: kept as metadata only."))
        return ()

    def _chosen(self, matches: "Sequence[re.Match[str]]", question: str) -> Sequence[Characters]:
        """The first match of whole words, else the first; its groups where it has some."""
        whole = [match for match in matches if not _cuts_a_word(match.span(), question)]
        match = (whole or matches)[0]
        if len(matches) > 1:
            number = match.start()
            choice = _("using the one at character {number}", number=number)
            self._warn(
                _(
                    "The selection occurs {times} in the question; {choice}.",
                    times=counted(len(matches), "time"),
                    choice=choice,
                )
            )
        spans = [match.span(number) for number in range(1, len(match.groups()) + 1)] or [match.span()]
        if any(_cuts_a_word(span, question) for span in spans):
            self._warn(_("Cuts a word; the whole word is marked."))
        return spans

    def _warn(self, reason: str) -> None:
        self.findings.warn(self.field, self.text, reason)


def _loosely(text: str) -> str:
    characters = [re.escape(character) for character in text if not character.isspace()]
    return "(?i:" + r"\s*".join(characters) + ")" if characters else ""


def _in_pieces(text: str) -> str:
    """Each piece between commas as a group, in order; nothing for a text of one piece."""
    pieces = [piece.strip() for piece in text.split(",") if piece.strip()]
    return "(?s:.*?)".join(rf"\b({_loosely(piece)})" for piece in pieces) if len(pieces) > 1 else ""


def _cuts_a_word(span: Characters, question: str) -> bool:
    start, end = span
    return (start > 0 and (question[start - 1] + question[start]).isalnum()) or (
        end < len(question) and (question[end - 1] + question[end]).isalnum()
    )


ANNOTATOR = "cose"
LANGUAGE = "en"
_PROCESSED = "_processed"

Kind = Literal["question", "explanation"]


class _Choice(msgspec.Struct):
    label: str
    text: str


class _Question(msgspec.Struct):
    stem: str
    choices: list[_Choice]


class _QuestionRow(msgspec.Struct):
    id: str
    question: _Question
    answerKey: str | None = None  # noqa: N815  # the file's own name


class _Explained(msgspec.Struct):
    selected: str
    open_ended: str | None = msgspec.field(default=None, name="open-ended")


class _ExplanationRow(msgspec.Struct):
    id: str
    explanation: _Explained


@dataclass(frozen=True, slots=True)
class _Explanation:
    row: Row
    explained: _Explained


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The questions of a folder with what was said of them; of one file, with what stands in the files beside it.

    Explanations are held in memory (there are 10,962 in the largest release), questions are not.

    Raises: NotFound or InvalidValue when there is no such file, a kind of file is missing, or the task is another
    """
    task = options.task
    question, choices = task.spec_of("question"), task.spec_of("choices")
    if question is None or choices is None or not question.is_selectable:
        raise InvalidValue(_("{name} needs the task {task}.", name="CoS-E", task="choice"))
    files = _Files.of(path, options.split)
    yield from files.left_out()
    reader = _CoseReader(options, files)
    yield from reader.explanations()
    for file in files.questions:
        for row in read_rows(file, file.name):
            yield from [row] if isinstance(row, Problem) else reader.question(row, split_in_name(file))
    if files.named != "question":
        yield from reader.without_question()


@dataclass(frozen=True, slots=True)
class _Files:
    """The files to read, and which kind was named where one file was."""

    questions: Sequence[Path]
    explanations: Sequence[Path]
    named: Kind | None = None
    processed: Sequence[Path] = ()  # explanations that stand in another file as they were given

    @staticmethod
    def of(path: Path, asked_split: str | None) -> "_Files":
        if not path.exists():
            raise NotFound(_("No file or folder '{path}'.", path=path))
        folder = path if path.is_dir() else path.parent
        split = asked_split if path.is_dir() else None
        kinds = {file: _kind_of(file) for file in files_of_split(folder.glob("*.jsonl"), split)}
        questions = [file for file, kind in kinds.items() if kind == "question"]
        explanations = [file for file, kind in kinds.items() if kind == "explanation"]
        if path.is_dir():
            return _Files._of_folder(path, questions, explanations)
        if _kind_of(path) != "explanation":
            beside = [file for file in explanations if not _is_processed(file, explanations)]
            return _Files([path], [file for file in beside if _may_belong(file, path)], "question")
        beside = [file for file in questions if _may_belong(file, path)]
        if not beside:
            raise InvalidValue(_("No questions in or beside '{path}'. Add CommonsenseQA's files.", path=path))
        return _Files(beside, [path], "explanation")

    @staticmethod
    def _of_folder(path: Path, questions: Sequence[Path], explanations: Sequence[Path]) -> "_Files":
        if not questions:
            raise InvalidValue(_("No questions in or beside '{path}'. Add CommonsenseQA's files.", path=path))
        processed = [file for file in explanations if _is_processed(file, explanations)]
        return _Files(questions, [file for file in explanations if file not in processed], None, processed)

    def left_out(self) -> Iterator[Problem]:
        """What is said of files that are not read."""
        for file in self.processed:
            reason = _("Skipped: originals found. Name this file to read it.")
            yield Problem(file.name, None, "file", file.name, reason, is_warning=True)


def _kind_of(file: Path) -> Kind | None:
    """Whether a file holds questions or explanations, by its first row that can be read."""
    row = next((row for row in read_rows(file, file.name) if isinstance(row, Row)), None)
    if row is None:
        return None
    return "question" if "question" in row.values else "explanation" if "explanation" in row.values else None


def _is_processed(file: Path, others: Sequence[Path]) -> bool:
    return file.stem.endswith(_PROCESSED) and file.with_stem(file.stem.removesuffix(_PROCESSED)) in others


def _may_belong(file: Path, named: Path) -> bool:
    """Whether two files may be of one split, by their names."""
    return "" in {split_in_name(file), split_in_name(named)} or split_in_name(file) == split_in_name(named)


@dataclass(slots=True)
class _CoseReader(InstanceReader):
    files: _Files
    _explanations: dict[str, _Explanation] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)

    def explanations(self) -> Iterator[Problem]:
        """Take the explanations in; gives what is wrong with them."""
        for file in self.files.explanations:
            for row in read_rows(file, file.name):
                if isinstance(row, Problem):
                    yield row
                    continue
                findings = row.findings()
                parsed = convert(row.values, _ExplanationRow, findings)
                if parsed is not None:
                    first = self._explanations.setdefault(parsed.id, _Explanation(row, parsed.explanation))
                    if first.row is not row:
                        reason = _(
                            "Duplicate of {source}, line {line}. Keep one.",
                            source=first.row.source,
                            line=first.row.line,
                        )
                        findings.refuse("id", parsed.id, reason)
                yield from findings.problems

    def question(self, row: Row, split_of_file: str) -> Iterator[SourceItem]:
        """The instance of a question and what is wrong with it and with its explanation."""
        findings = row.findings()
        parsed = convert(row.values, _QuestionRow, findings)
        if parsed is not None:
            self._asked.add(parsed.id)
            explanation = self._explanations.get(parsed.id)
            if explanation is None and self.files.named == "explanation":
                return
            yield from self._joined(row, parsed, explanation, split_of_file, findings)
        yield from findings.problems

    def _joined(
        self, row: Row, parsed: _QuestionRow, explanation: _Explanation | None, split_of_file: str, findings: Findings
    ) -> Iterator[SourceItem]:
        metadata = _metadata(row.values, parsed)
        _check_answer(parsed, findings)
        annotations: tuple[SourceAnnotation, ...] = ()
        warnings: list[Problem] = []
        if explanation is not None:
            findings_of_explanation = explanation.row.findings()
            annotation = _annotation(parsed, explanation.explained, findings_of_explanation)
            annotations, warnings = (annotation,), findings_of_explanation.problems
            metadata.update(_metadata_of_explanation(explanation, annotation))
        instance = SourceInstance(
            key=self.options.key_prefix + parsed.id if parsed.id else "",
            segments={"question": SourceText(parsed.question.stem), "choices": SourceText(_choices(parsed.question))},
            source=row.source,
            line=row.line,
            split=self.options.split or split_of_file or self._split_of(explanation),
            language=self.options.language or LANGUAGE,
            result=parsed.answerKey or None,
            annotations=annotations,
            metadata=metadata,
        )
        for accepted in self.checked(instance, findings):
            yield accepted
            yield from warnings

    def _split_of(self, explanation: _Explanation | None) -> str:
        return "" if explanation is None else split_in_name(Path(explanation.row.source))

    def without_question(self) -> Iterator[Problem]:
        """Explanations whose question is in no file that was read."""
        for key, explanation in self._explanations.items():
            if key not in self._asked:
                findings = explanation.row.findings()
                names = listed([file.name for file in self.files.questions])
                findings.refuse("id", key, _("No question with this id in {names}.", names=names))
                yield from findings.problems


def _choices(question: _Question) -> str:
    """One choice a line, with its letter, as the neutral form has them."""
    return "\n".join(f"{choice.label}. {choice.text}" for choice in question.choices)


def _check_answer(parsed: _QuestionRow, findings: Findings) -> None:
    letters = [choice.label for choice in parsed.question.choices]
    if parsed.answerKey and parsed.answerKey not in letters:
        findings.refuse(
            "answerKey", parsed.answerKey, _("Answer not among the choices ({choices}).", choices=listed(letters))
        )


def _annotation(parsed: _QuestionRow, explanation: _Explained, findings: Findings) -> SourceAnnotation:
    spans = Selection(explanation.selected, "explanation.selected", findings).find(parsed.question.stem)
    marked = tuple(SourceSpan("question", start, end, "char") for start, end in spans)
    return SourceAnnotation(
        ANNOTATOR, parsed.answerKey or None, (marked,) if marked else (), note=explanation.open_ended or ""
    )


def _metadata(values: Mapping[str, Any], parsed: _QuestionRow) -> dict[str, object]:
    """The choices as they are, the text of the answer, and every field that the format does not know."""
    rest = {name: value for name, value in values.items() if name not in {"id", "question", "answerKey"}}
    more = {name: value for name, value in values["question"].items() if name != "stem"}
    answer = [choice.text for choice in parsed.question.choices if choice.label == parsed.answerKey]
    return {**rest, **more, **({"answer": answer[0]} if answer else {})}


def _metadata_of_explanation(explanation: _Explanation, annotation: SourceAnnotation) -> dict[str, object]:
    """What was selected where it could not be found, and every field that the format does not know."""
    values = explanation.row.values
    rest = {name: value for name, value in values.items() if name not in {"id", "explanation"}}
    more = {n: v for n, v in values["explanation"].items() if n not in {"selected", "open-ended"}}
    lost = (
        {"selected": explanation.explained.selected} if explanation.explained.selected and not annotation.sets else {}
    )
    return {**rest, **more, **lost}
