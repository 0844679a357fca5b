"""The format `aesw`: sentences with an editor's marks, from which the rationale sets follow (Stevens and Su 2021)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree as ET

from annotator.domain.instances import CRITERION
from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceItem, SourceText
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.checks import InstanceReader
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.lines import MAX_LINE_BYTES, read_lines
from annotator.formats.rows.spans import spans_of_tokens
from annotator.language import _, listed, unsaid
from annotator.text.alignment import is_unknown, treebank_words
from annotator.text.edits import (
    Criterion,
    EditedSentence,
    Piece,
    criterion_of,
    is_comma_edit,
    partly_covered,
    touched_tokens,
)

# Sentences with `<del>` and `<ins>` in a file of AESW, found one by one so that a broken one spoils no other.


MAX_CHARACTERS = 100_000

_IS_XML = re.compile(r"<(?!/?(?:del|ins)\b)[A-Za-z_?!/]")
_OPEN = re.compile(r"<sentence(?=[\s/>]|$)")
_OUTSIDE = re.compile(
    r"<!--|<!(?i:doctype|entity|element|attlist|notation)\b|<\?.*?\?>|<sentence(?=[\s/>]|$)"
    r"|</?(?!(?:del|ins)\b)[A-Za-z_][^<>]*>"
)
_INSIDE = re.compile(r"</sentence\s*>|<sentence(?=[\s/>]|$)|</(?:par|doc|document)\s*>")
_REST_OF_EMPTY = re.compile(r"[^<>]*/>")
_DTD = unsaid("Reading stopped at the document type. Remove it.")
_STRAY = unsaid('Skipped: outside <sentence>. Add <sentence sid="..."> and </sentence>.')
_COMMENT = unsaid("Unclosed comment; the rest isn't read. Add -->.")


@dataclass(frozen=True, slots=True)
class Markup:
    """One `<sentence>` element: the line on which it begins, the how-manieth it is on that line, and its XML."""

    line: int
    number: int
    xml: str
    is_plain_line: bool = False


_Lines = Iterator[tuple[int, str | Problem]]


def read_markup(path: Path) -> Iterator[Markup | Problem]:
    """The sentences of an AESW file, or of a file of plain lines, one marked-up sentence a line.

    A file whose first line begins with a tag (other than `<del>` and `<ins>`) is AESW.

    Raises: NotFound or InvalidValue when the file cannot be opened
    """
    lines = _decoded(path)
    begin: list[tuple[int, str | Problem]] = []
    for line in lines:
        begin.append(line)
        if isinstance(line[1], str) and line[1].strip():
            break
    first = begin[-1][1] if begin else ""
    is_xml = isinstance(first, str) and _IS_XML.match(first.lstrip()) is not None
    everything = chain(begin, lines)
    return _Elements(path.name).read(everything) if is_xml else _plain_lines(everything, path.name)


def _decoded(path: Path) -> _Lines:
    """Every line with its number, blank ones too: they may stand within a sentence."""
    for raw in read_lines(path, keep_blank=True):
        content = raw.content
        if content is None:
            reason = _("Line exceeds {size} MB. Split it.", size=MAX_LINE_BYTES // 2**20)
            yield raw.number, Problem(path.name, raw.number, "line", "", reason)
            continue
        try:
            yield raw.number, content.decode("utf-8")
        except UnicodeDecodeError as fault:
            near = content[max(0, fault.start - 40) :][:80].decode("utf-8", "replace")
            reason = _("Byte {number} isn't UTF-8. Save as UTF-8.", number=fault.start + 1)
            yield raw.number, Problem(path.name, raw.number, "line", near, reason)


def _too_long() -> str:
    return _("Over {n} characters. Close or split the sentence.", n=f"{MAX_CHARACTERS:,}")


def _plain_lines(lines: _Lines, source: str) -> Iterator[Markup | Problem]:
    for number, line in lines:
        if isinstance(line, Problem):
            yield line
        elif len(line) > MAX_CHARACTERS:
            yield Problem(source, number, "line", shown(line), _too_long())
        elif _OPEN.match(line.lstrip()):
            yield Markup(number, 1, line.strip())
        elif line.strip():
            yield Markup(number, 1, f"<sentence>{line}</sentence>", is_plain_line=True)


@dataclass(slots=True)
class _Elements:
    """Cuts a file into its `<sentence>` elements; other tags, comments and instructions around them are passed over."""

    source: str
    _line: int = 0
    _index: int = 0  # in the line
    _number: int = 0  # of sentences that began on the line
    _stray: list[str] = field(default_factory=list)  # text of the line that stands in no sentence
    _begin: int = 0  # the line on which the open sentence began; 0 when none is open
    _parts: list[str] = field(default_factory=list)
    _size: int = 0
    _is_broken: bool = False  # what is wrong has been reported: read on to the end of the sentence, wherever it began
    _comment: int = 0  # the line on which the open comment began
    _is_ended: bool = False

    def read(self, lines: _Lines) -> Iterator[Markup | Problem]:
        for self._line, line in lines:
            if isinstance(line, Problem):
                yield line
                self._is_broken = self._comment == 0
                continue
            yield from self._read_line(line)
            if self._is_ended:
                return
        if self._comment:
            yield self._problem(self._comment, "<!--", _(_COMMENT))
        elif self._begin and not self._is_broken:
            yield self._unclosed(_("the end of the file"))

    def _read_line(self, line: str) -> Iterator[Markup | Problem]:
        self._index, self._number, self._stray = 0, 0, []
        while self._index < len(line):
            if self._comment:
                self._skip_comment(line)
            elif self._begin or self._is_broken:
                yield from self._inside(line)
            else:
                yield from self._outside(line)
        if self._stray:
            yield self._problem(self._line, " ".join(self._stray), _(_STRAY))
        if self._begin:
            yield from self._add("\n")

    def _skip_comment(self, line: str) -> None:
        end = line.find("-->", self._index)
        self._index = len(line) if end < 0 else end + 3
        self._comment = self._comment if end < 0 else 0

    def _outside(self, line: str) -> Iterator[Markup | Problem]:
        """Read on behind the next tag, and keep the text before it."""
        match = _OUTSIDE.search(line, self._index)
        text = line[self._index : match.start() if match else len(line)].strip()
        self._stray += [text] if text else []
        self._index = match.end() if match else len(line)
        if match is None:
            return
        if match.group() == "<!--":
            self._comment = self._line
        elif match.group().startswith("<!"):
            yield self._problem(self._line, line[match.start() :], _(_DTD))
            self._is_ended, self._index = True, len(line)
        elif _OPEN.fullmatch(match.group()):
            self._number += 1
            self._begin, self._parts, self._size = self._line, ["<sentence"], 0
            if rest := _REST_OF_EMPTY.match(line, self._index):
                self._index = rest.end()
                yield from self._close(rest.group())

    def _inside(self, line: str) -> Iterator[Markup | Problem]:
        """Read on to what ends the sentence: its end tag, the next sentence, or the end of its paragraph."""
        match = _INSIDE.search(line, self._index)
        if match is not None and match.group().startswith("</sentence"):
            text = line[self._index : match.end()]
            self._index = match.end()
            yield from self._close(text)
            return
        end = match.start() if match else len(line)
        yield from self._add(line[self._index : end])
        self._index = end
        if match is not None:
            if not self._is_broken:
                yield self._unclosed(f"'{match.group()}'")
            self._end()

    def _add(self, text: str) -> Iterator[Problem]:
        """More of the open sentence, unless it is broken or grows too long."""
        if self._is_broken:
            return
        self._parts.append(text)
        self._size += len(text)
        if self._size > MAX_CHARACTERS:
            self._is_broken = True
            yield self._problem(self._begin, self._start(), _too_long())

    def _close(self, text: str) -> Iterator[Markup | Problem]:
        yield from self._add(text)
        if not self._is_broken:
            yield Markup(self._begin, self._number, "".join(self._parts))
        self._end()

    def _end(self) -> None:
        self._begin, self._parts, self._size, self._is_broken = 0, [], 0, False

    def _unclosed(self, where: str) -> Problem:
        reason = _("<sentence> still open at {where}, line {line}. Add </sentence>.", where=where, line=self._line)
        return self._problem(self._begin, self._start(), reason)

    def _start(self) -> str:
        return "".join(self._parts[:3])

    def _problem(self, line: int, value: str, reason: str) -> Problem:
        return Problem(self.source, line, "sentence", shown(value.strip()), reason)


LABELS = ("correct", "needs edit")  # without and with edits: 0 and 1 in the released data
ANNOTATOR = "aesw"
SPLITS = ("train", "val", "test")
_SEGMENT = "text"
_BLANK = unsaid("Only white space is deleted: no rationale set.")


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The instances of a file of AESW, or of plain lines with one marked-up sentence each, and what is wrong with them.

    Raises: NotFound or InvalidValue when the file cannot be opened, or the task is not one of editing
    """
    if options.task.name != "editing":
        raise InvalidValue(_("{name} needs the task {task}.", name="AESW", task="editing"))
    markups = read_markup(path)
    reader = _AeswReader(options, options.split or (path.stem if path.stem in SPLITS else ""), _labels(options.labels))
    yield from reader.label_warnings(path.name)
    for markup in markups:
        yield from (
            [markup] if isinstance(markup, Problem) else reader.instance(markup, Findings(path.name, markup.line))
        )


@dataclass(slots=True)
class _AeswReader(InstanceReader):
    split: str
    labels: tuple[str, str]

    def label_warnings(self, source: str) -> Iterator[Problem]:
        """Said once, when the project has two labels of its own, since only their order tells which is which."""
        if not set(self.labels) & set(LABELS):
            without, with_edits = self.labels
            reason = _(
                "Unedited: '{without}'; edited: '{with_edits}'. If wrong, swap the labels.",
                without=without,
                with_edits=with_edits,
            )
            yield Problem(source, None, "label", ", ".join(self.labels), reason, is_warning=True)

    def instance(self, markup: Markup, findings: Findings) -> Iterator[SourceItem]:
        """The instance of one sentence, and what is wrong with it."""
        element = _parsed(markup, findings)
        sentence = None if element is None else _edited_sentence(element, findings)
        body = None if sentence is None else _words(sentence, findings)
        if element is not None and sentence is not None and body is not None:
            instance = self._instance(markup, dict(element.attrib), sentence, body, findings)
            yield from self.checked(instance, findings, "sid")
        yield from findings.problems

    def _instance(
        self,
        markup: Markup,
        attributes: dict[str, str],
        sentence: EditedSentence,
        body: TokenizedText,
        findings: Findings,
    ) -> SourceInstance:
        criterion = criterion_of(sentence, is_unknown)
        is_told = criterion in {"spelling", "deleted"}
        return SourceInstance(
            key=self.options.key_prefix + _key(attributes.pop("sid", ""), markup, findings),
            segments={_SEGMENT: SourceText(sentence.before, body)},
            source=findings.source,
            line=markup.line,
            split=self.split,
            language=self.options.language,
            result=self.labels[0 if criterion is None else 1],
            annotations=(self._annotation(sentence, body, findings),) if is_told else (),
            metadata={**attributes, **_metadata(sentence, criterion)},
        )

    def _annotation(self, sentence: EditedSentence, body: TokenizedText, findings: Findings) -> SourceAnnotation:
        """The rationale sets that follow from the deletions."""
        deletions = sentence.deletions
        groups = [(deletion,) for deletion in deletions] if self.options.one_set_per_edit else [deletions]
        sets: list[list[int]] = []
        for ranges in groups:
            tokens = touched_tokens(body, ranges)
            if tokens and tokens not in sets:
                sets.append(tokens)
            elif any(start < end for start, end in ranges):  # an empty one has been reported already
                reason = _("Same word as another deletion; no second set.") if tokens else _(_BLANK)
                findings.warn(
                    "del",
                    listed([_("characters {start} to {end}", start=start, end=end) for start, end in ranges]),
                    reason,
                )
        _warn_of_parts(sentence, body, findings)
        spans = tuple(spans_of_tokens(_SEGMENT, tokens) for tokens in sets)
        return SourceAnnotation(ANNOTATOR, self.labels[1], spans)


def _labels(known: tuple[str, ...]) -> tuple[str, str]:
    """The labels for sentences without and with edits: the project's own, where it has two and not ours."""
    if len(known) == 2 and not set(LABELS) <= set(known):
        first, second = known
        return (second, first) if first == LABELS[1] or second == LABELS[0] else (first, second)
    return LABELS


def _key(sid: str, markup: Markup, findings: Findings) -> str:
    """The sentence's own id, else one that is made of its line."""
    if sid.strip():
        return sid.strip()
    key = f"line{markup.line}" + (f".{markup.number}" if markup.number > 1 else "")
    if not markup.is_plain_line:
        reason = _("Add a sid; the ID '{key}' changes if lines move.", key=key)
        findings.warn("sid", sid, reason)
    return key


def _parsed(markup: Markup, findings: Findings) -> ET.Element | None:
    try:
        return ET.fromstring(markup.xml)  # noqa: S314  # no document type can stand within an element
    except ET.ParseError as error:
        near, reason = _explained(markup.xml, error)
        findings.refuse("sentence", near, reason)
        return None


_NOT_WELL_FORMED = unsaid("Not well-formed XML. Close every tag.")
_FAULTS = {
    7: unsaid("Unmatched tags. Close every <del> and <ins> in order."),
    11: unsaid("Unknown entity. Use &amp; &lt; &gt; &quot; &apos; or the character itself."),
    4: unsaid("Invalid XML. Write &amp; and &lt;; remove control characters."),
    14: unsaid("Character number not allowed. Write the character."),
    8: unsaid("Duplicate attribute in a tag. Keep one."),
    9: unsaid("Text after the sentence. Write one per line."),
}


def _explained(xml: str, error: ET.ParseError) -> tuple[str, str]:
    """The text around the fault, and what to do about it."""
    row, column = error.position
    line = xml.split("\n")[row - 1]
    reason = _(_FAULTS.get(error.code, _NOT_WELL_FORMED))
    return line[max(0, column - 40) : column + 40], _(
        "{reason} (Parser: {message}.)", reason=reason, message=error.msg.partition(":")[0]
    )


def _edited_sentence(element: ET.Element, findings: Findings) -> EditedSentence | None:
    pieces = [Piece("kept", element.text)] if element.text else []
    for child in element:
        if child.tag not in {"del", "ins"}:
            reason = _("Unknown tag <{tag}>. Remove it or write &lt;.", tag=child.tag)
            findings.refuse("sentence", ET.tostring(child, encoding="unicode", method="xml"), reason)
        for inner in child:
            reason = _("Close <{outer}> before <{inner}>.", inner=inner.tag, outer=child.tag)
            findings.refuse("sentence", f"<{inner.tag}>", reason)
        pieces.append(Piece("deleted" if child.tag == "del" else "inserted", child.text or ""))
        if child.tail:
            pieces.append(Piece("kept", child.tail))
    return None if findings.is_refused else EditedSentence(tuple(pieces))


def _words(sentence: EditedSentence, findings: Findings) -> TokenizedText | None:
    for mark in sentence.marks:
        if not mark.text:
            name = "<del>" if mark.kind == "deleted" else "<ins>"
            reason = _("Empty {name}: the sentence counts as edited. Remove it.", name=name)
            findings.warn("sentence", name, reason)
    try:
        return treebank_words(sentence.before)
    except InvalidValue as error:
        findings.refuse("sentence", sentence.before, str(error))
        return None


def _warn_of_parts(sentence: EditedSentence, body: TokenizedText, findings: Findings) -> None:
    """Say that words are selected of which only a part is deleted."""
    deletions = sentence.deletions
    for token in partly_covered(body, touched_tokens(body, deletions), deletions):
        reason = _("Cuts a word; the whole word is marked.")
        findings.warn("del", body.token(token), reason)
    if body.n_tokens and not sentence.after.strip():
        findings.warn("del", sentence.before, _("Whole sentence deleted: every word is rationale."))


def _metadata(sentence: EditedSentence, criterion: Criterion | None) -> dict[str, object]:
    """What the editor did, exact to the character; nothing for a sentence without edits."""
    if criterion is None:
        return {}
    edits = [[edit.start, edit.end, edit.replacement] for edit in sentence.edits]
    named = {"is_comma_edit": True} if is_comma_edit(sentence) else {}
    return {"text_after": sentence.after, CRITERION: criterion, "edits": edits, **named}
