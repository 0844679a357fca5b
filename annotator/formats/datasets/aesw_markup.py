"""Sentences with `<del>` and `<ins>` in a file of AESW, found one by one so that a broken one spoils no other.

Only single `<sentence>` elements are given to the XML parser, never a file. So no document type, and with it no entity
of a file's own, can reach the parser; the wrappers need no order, and a file of any size is read line by line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from annotator.errors import Problem
from annotator.formats.rows.findings import shown
from annotator.formats.rows.lines import MAX_LINE_BYTES, read_lines
from annotator.language import _, unsaid

MAX_CHARACTERS = 100_000

_IS_XML = re.compile(r"<(?!/?(?:del|ins)\b)[A-Za-z_?!/]")
_OPEN = re.compile(r"<sentence(?=[\s/>]|$)")
_OUTSIDE = re.compile(
    r"<!--|<!(?i:doctype|entity|element|attlist|notation)\b|<\?.*?\?>|<sentence(?=[\s/>]|$)"
    r"|</?(?!(?:del|ins)\b)[A-Za-z_][^<>]*>"
)
_INSIDE = re.compile(r"</sentence\s*>|<sentence(?=[\s/>]|$)|</(?:par|doc|document)\s*>")
_REST_OF_EMPTY = re.compile(r"[^<>]*/>")
_DTD = unsaid(
    "The file declares a document type, with which entities can be defined; nothing is read from here on. "
    "Remove the declaration; it is not needed."
)
_STRAY = unsaid(
    'This stands in no <sentence> and is not read; put <sentence sid="..."> and </sentence> around it. '
    "(A file of plain lines, one sentence a line, must not begin with another tag than <del> or <ins>.)"
)
_COMMENT = unsaid("The comment that begins here is not closed, so that nothing after it is read; write its -->.")


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
            reason = _(
                "The line is longer than {size} MB; break it between two sentences.",
                size=MAX_LINE_BYTES // 2**20,
            )
            yield raw.number, Problem(path.name, raw.number, "line", "", reason)
            continue
        try:
            yield raw.number, content.decode("utf-8")
        except UnicodeDecodeError as fault:
            near = content[max(0, fault.start - 40) :][:80].decode("utf-8", "replace")
            reason = _(
                "Byte {number} of the line ({byte}) is not UTF-8; save the file as UTF-8.",
                number=fault.start + 1,
                byte=f"0x{content[fault.start]:02x}",
            )
            yield raw.number, Problem(path.name, raw.number, "line", near, reason)


def _too_long() -> str:
    return _(
        "The sentence has over {n} characters; look for an end that is missing, or split it.", n=f"{MAX_CHARACTERS:,}"
    )


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
        reason = _(
            "The <sentence> that begins here is still open at {where}, line {line}; write its </sentence>.",
            where=where,
            line=self._line,
        )
        return self._problem(self._begin, self._start(), reason)

    def _start(self) -> str:
        return "".join(self._parts[:3])

    def _problem(self, line: int, value: str, reason: str) -> Problem:
        return Problem(self.source, line, "sentence", shown(value.strip()), reason)
