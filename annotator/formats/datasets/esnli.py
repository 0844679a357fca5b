"""The format `esnli`: the CSV files of e-SNLI (Camburu et al. 2018), with up to three annotators a row."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.numbers import counted
from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceItem, SourceSpan, SourceText
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.checks import InstanceReader
from annotator.formats.rows.csv_table import TextTable
from annotator.formats.rows.files import files_of_split, split_in_name
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import Row
from annotator.formats.rows.spans import spans_of_tokens
from annotator.language import _
from annotator.text.alignment import split_on_spaces

# The words of a sentence that an annotator of e-SNLI highlighted, which its files say in two columns.


_NONE = "{}"


@dataclass(frozen=True, slots=True)
class Highlight:
    """What the two columns of one sentence and annotator hold, with their names."""

    stars: str
    numbers: str
    stars_column: str
    numbers_column: str

    @property
    def is_given(self) -> bool:
        return bool(self.stars.strip() or self.numbers.strip())


def read_highlight(given: Highlight, sentence: TokenizedText, findings: Findings) -> Sequence[int]:
    """The numbers of the highlighted words, in order, from 0; what is wrong, and what was overlooked, is noted."""
    starred = _starred(given.stars, sentence)
    numbered, fault = _numbered(given.numbers, sentence)
    if starred is None:
        return _without_stars(given, numbered, fault, findings)
    if fault:
        findings.warn(
            given.numbers_column,
            given.numbers,
            _("{fault} Using the stars of {column}.", fault=fault, column=given.stars_column),
        )
    elif given.numbers.strip() and starred not in numbered:
        words = ", ".join(map(str, starred)) or "none"
        reason = _("{column} stars other words ({words}); using these.", column=given.stars_column, words=words)
        findings.warn(given.numbers_column, given.numbers, reason)
    return starred


def _without_stars(given: Highlight, numbered: Sequence[list[int]], fault: str, findings: Findings) -> Sequence[int]:
    has_stars = bool(given.stars.strip())
    if fault or not numbered:
        if has_stars:
            reason = _("No starred sentence, and no usable numbers in {column}.", column=given.numbers_column)
            findings.refuse(given.stars_column, given.stars, reason)
        if fault:
            findings.refuse(given.numbers_column, given.numbers, fault)
        return ()
    if has_stars:
        reason = _("No starred sentence; using the numbers of {column}.", column=given.numbers_column)
        findings.warn(given.stars_column, given.stars, reason)
    if len(numbered) > 1:
        reason = _("Consecutive blanks: word numbers count them as one.")
        findings.warn(given.numbers_column, given.numbers, reason)
    return numbered[0]


def _starred(stars: str, sentence: TokenizedText) -> list[int] | None:
    """The words between stars; None where the words are not those of the sentence.

    A word that has stars of its own (*sigh*) has two more when it is highlighted (**sigh**).
    """
    words, given = sentence.tokens(), stars.split()
    if len(words) != len(given) or any(w not in {word, f"*{word}*"} for w, word in zip(given, words, strict=True)):
        return None
    return [number for number, word in enumerate(words) if given[number] != word]


def _numbered(cell: str, sentence: TokenizedText) -> tuple[list[list[int]], str]:
    """What the numbers may mean, the likeliest first, and what is wrong with them ("" for nothing).

    Numbers count what stands between white space or, where blanks follow each other, perhaps between single blanks.
    """
    pieces = [piece.strip() for piece in cell.split(",")]
    if cell.strip() in {"", _NONE}:
        return ([[]] if cell.strip() else []), ""
    if any(not (piece.isascii() and piece.isdigit() and len(piece) < 7) for piece in pieces):
        return [], _("Must be comma-separated word numbers, or {none} for none.", none=_NONE)
    numbers = sorted({int(piece) for piece in pieces})
    readings = []
    if numbers[-1] < sentence.n_tokens:
        readings.append(numbers)
    if sentence.text.split(" ") != sentence.tokens():
        by_blank = _between_blanks(numbers, sentence)
        if by_blank is not None and by_blank not in readings:
            readings.append(by_blank)
    if not readings:
        return [], _(
            "No word {number}: the sentence has {words} from 0.",
            number=numbers[-1],
            words=counted(sentence.n_tokens, "word"),
        )
    return readings, ""


def _between_blanks(numbers: Sequence[int], sentence: TokenizedText) -> list[int] | None:
    """The words in the pieces of these numbers, where each single blank parts two pieces; None for a piece without."""
    words = list(_words_of_pieces(sentence))
    if any(number >= len(words) or not words[number] for number in numbers):
        return None
    return [word for number in numbers for word in words[number]]


def _words_of_pieces(sentence: TokenizedText) -> Iterator[list[int]]:
    start = 0
    for piece in sentence.text.split(" "):
        end = start + len(piece)
        yield [n for n in range(sentence.n_tokens) if start <= sentence.starts[n] < end]
        start = end + 1


LANGUAGE = "en"
NO_LABEL = "-"

_SENTENCES = {"premise": "Sentence1", "hypothesis": "Sentence2"}
_ANNOTATORS = (1, 2, 3)
_NEEDED = ("pairID", "gold_label", *_SENTENCES.values())
_FILE_NAME = re.compile(r"esnli.*\.csv", re.IGNORECASE)


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The instances of one CSV file, or of all files esnli*.csv of a folder.

    Raises: NotFound or InvalidValue when there is no such file, or the task has no premise and hypothesis
    """
    specs = [options.task.spec_of(name) for name in _SENTENCES]
    if any(spec is None or not spec.is_selectable for spec in specs):
        raise InvalidValue(_("{name} needs the task {task}.", name="e-SNLI", task="inference"))
    reader = _EsnliReader(options)
    for file in _files(path, options.split):
        split = options.split or split_in_name(file)
        for row in TextTable(file, options, needed=_NEEDED).rows():
            yield from [row] if isinstance(row, Problem) else reader.instance(row, split)


def _files(path: Path, asked_split: str | None) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = files_of_split((file for file in path.iterdir() if _FILE_NAME.fullmatch(file.name)), asked_split)
    if not files:
        if asked_split:
            raise InvalidValue(_("No esnli_*.csv for split '{split}' in '{path}'.", path=path, split=asked_split))
        raise InvalidValue(_("No {names} in '{path}'. Choose another folder.", path=path, names="esnli_*.csv"))
    return files


class _EsnliReader(InstanceReader):
    def instance(self, row: Row, split: str) -> Iterator[SourceItem]:
        """The instance of a row and what is wrong with it."""
        findings = row.findings()
        values: Mapping[str, str] = row.values
        bodies = {segment: split_on_spaces(values[name]) for segment, name in _SENTENCES.items()}
        label = values["gold_label"].strip()
        result = None if label in {"", NO_LABEL} else label
        annotations = (_annotation(number, values, bodies, result, findings) for number in _ANNOTATORS)
        instance = SourceInstance(
            key=self.options.key_prefix + values["pairID"] if values["pairID"] else "",
            segments={segment: SourceText(body.text, body) for segment, body in bodies.items()},
            source=row.source,
            line=row.line,
            split=split,
            language=self.options.language or LANGUAGE,
            result=result,
            annotations=tuple(annotation for annotation in annotations if annotation is not None),
            metadata={name: value for name, value in values.items() if name not in _KNOWN},
        )
        yield from self.checked(instance, findings, "pairID")
        yield from findings.problems


def _annotation(
    number: int, values: Mapping[str, str], bodies: Mapping[str, TokenizedText], result: str | None, findings: Findings
) -> SourceAnnotation | None:
    """What one of the row's annotators highlighted in both sentences, as one set; None where there is no such one."""
    highlights = {segment: _highlight(values, sentence, number) for segment, sentence in _SENTENCES.items()}
    explanation = values.get(f"Explanation_{number}", "").strip()
    is_given = any(highlight.is_given for highlight in highlights.values())
    if not is_given and not explanation:
        return None
    if not is_given:
        reason = _("Nothing marked: taken as no rationale.")
        findings.warn(f"Explanation_{number}", explanation, reason)
    spans: list[SourceSpan] = []
    for segment, highlight in highlights.items():
        if highlight.is_given:
            spans += spans_of_tokens(segment, read_highlight(highlight, bodies[segment], findings))
    worker = values.get(_worker_column(number), "").strip()
    return SourceAnnotation(worker or f"annotator {number}", result, (tuple(spans),) if spans else (), note=explanation)


def _highlight(values: Mapping[str, str], sentence: str, number: int) -> Highlight:
    stars, numbers = f"{sentence}_marked_{number}", f"{sentence}_Highlighted_{number}"
    return Highlight(values.get(stars, ""), values.get(numbers, ""), stars, numbers)


def _worker_column(number: int) -> str:
    """Where the name of an annotator stands; only the training files have it, and one annotator."""
    return "WorkerId" if number == 1 else f"WorkerId_{number}"


_KNOWN = frozenset(_NEEDED).union(
    *(
        {
            f"Explanation_{number}",
            _worker_column(number),
            *(f"{s}_{kind}_{number}" for s in _SENTENCES.values() for kind in ("marked", "Highlighted")),
        }
        for number in _ANNOTATORS
    )
)
