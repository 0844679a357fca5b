"""The format `conll`: a token a line with its tag in the last column, a blank line after each text.

Source:  Sang and De Meulder 2003 (CoNLL-2003: token, part of speech, chunk, tag; IOB1); our own gold (`write`);
         Lin et al. 2020 (TriggerNER: a sentence stands once for each of its entities, with this one and its triggers tagged)
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.domain.instances import GoldInstance
from annotator.domain.numbers import by_key
from annotator.domain.sources import SourceItem, SourceSpan
from annotator.domain.tasks import Task
from annotator.errors import ExportRefused, InvalidValue, Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.formats.rows.columns import field_names
from annotator.formats.rows.files import NO_GOLD, Refused, new_file
from annotator.formats.rows.findings import shown
from annotator.formats.rows.lines import Entity, Row, line_too_long, not_utf8, read_lines
from annotator.formats.rows.plain_rows import ENTITIES, RowReader
from annotator.formats.rows.spans import spans_of_tokens
from annotator.formats.tools.left_out import LeftOut
from annotator.language import _, unsaid
from annotator.text import tag_schemes

__all__ = ["read", "write"]

# Writing gold as CoNLL: a token a line with its BIO tag, a blank line after each instance.


BEGIN, INSIDE, NO_SET = "B-RATIONALE", "I-RATIONALE", "_"

TARGET = "target"


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one file; tabs stand between the columns: token, segment, the numbers of the sets it is in, tag.

    Raises: ExportRefused for tokens that a line cannot hold (empty, or with white space), when there is no instance, or the
            file cannot be written
    """
    refused = Refused(unsaid("have tokens that are empty or have blanks; export as csv or jsonl"))
    n_instances = 0
    with new_file(path) as file:
        for item in gold:
            n_instances += 1
            if all(token and not any(map(str.isspace, token)) for token in _tokens_of_gold(item)):
                file.write("".join(f"{line}\n" for line in lines_of(item, options)).encode())
            else:
                refused.add(item.instance.key)
        refused.raise_if_any()
        if not n_instances:
            raise ExportRefused(_(NO_GOLD))


def lines_of(gold: GoldInstance, options: WriteOptions) -> Iterator[str]:
    """What tells the instance, as comments; a line a token; a blank line.

    A tag begins where a token is in a set and the one before it (of its segment) is in none: sets that overlap or touch are one
    stretch, which the column before tells apart.
    """
    instance = gold.instance
    yield f"# id = {_on_one_line(instance.key)}"
    if instance.split:
        yield f"# split = {_on_one_line(instance.split)}"
    if gold.result is not None:
        yield f"# {options.project.task.result_kind} = {_on_one_line(gold.result)}"
    if instance.target is not None:
        first = instance.layout.segment_at(instance.target[0]).first_token
        yield f"# {TARGET} = {instance.target[0] - first} {instance.target[1] - first}"
    numbers = by_key(
        (index, str(number))
        for number, rationale_set in enumerate(gold.sets, 1)
        for index in rationale_set.token_indices
    )
    for segment, placed in zip(instance.segments, instance.layout.segments, strict=True):
        is_inside = False
        for index, token in enumerate(segment.body.tokens(), placed.first_token):
            of_token = numbers.get(index)
            tag = tag_schemes.OUTSIDE if of_token is None else INSIDE if is_inside else BEGIN
            is_inside = of_token is not None
            yield "\t".join((token, segment.name, ",".join(of_token or [NO_SET]), tag))
    yield ""


def _tokens_of_gold(gold: GoldInstance) -> Iterator[str]:
    for segment in gold.instance.segments:
        yield from segment.body.tokens()


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


_COMMENT = re.compile(r"#\s*([\w.-]+(?: [\w.-]+)?)\s*=\s?(.*)")
_NUMBERS = re.compile(r"_|[0-9]+(?:,[0-9]+)*")
_RANGE = re.compile(r"[0-9]{1,9} [0-9]{1,9}")
_OWN_COLUMNS = 4
_OWN_TAGS = frozenset({BEGIN, INSIDE, tag_schemes.OUTSIDE})
_MOST_TAGS = 200
_KEYS = ("id", "sent_id")
_TEXT = "text"


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    cells: tuple[str, ...]


@dataclass(slots=True)
class _Block:
    """A text: its lines, what comments say of it, and the number of its document, if the file parts documents."""

    lines: list[_Line] = field(default_factory=list)
    comments: dict[str, str] = field(default_factory=dict)
    document: int = 0

    @property
    def tokens(self) -> list[str]:
        return [line.cells[0] for line in self.lines]

    def stretches(self) -> list[tuple[str, int, int]]:
        """What is tagged, without triggers: label, first token, end."""
        tags = [line.cells[-1] for line in self.lines]
        return tag_schemes.labelled_stretches(
            [tag_schemes.OUTSIDE if tag_schemes.is_trigger(tag) else tag for tag in tags]
        )

    def triggers(self) -> list[list[int]]:
        """The tokens of each trigger, in the order of their numbers."""
        by_number = by_key(
            (int(line.cells[-1][2:]), index)
            for index, line in enumerate(self.lines)
            if tag_schemes.is_trigger(line.cells[-1])
        )
        return [by_number[number] for number in sorted(by_number)]

    def repeats(self, text: "Sequence[_Block]") -> bool:
        """Whether it is the text of blocks before it, with another entity."""
        first = text[0]
        is_same = (self.document, self.comments, self.tokens) == (first.document, first.comments, first.tokens)
        return is_same and all(self.stretches() != block.stretches() for block in text)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What all lines of a file have in common. between: a value of each column between token and tag."""

    n_columns: int
    tags: frozenset[str]
    is_own: bool
    between: tuple[str, ...]
    has_triggers: bool


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The texts of a file; its tags are the marks of one annotator, each label a set.

    Raises: NotFound or InvalidValue when there is no such file, or it holds no tags
    """
    shape = _shape_of(path)
    if shape.has_triggers and not options.entities:
        return iter([_unasked_triggers(path, options.task)])
    return RowReader(options).read(_FileReader(path, options.task, shape, options.entities).rows())


def _unasked_triggers(path: Path, task: Task) -> Problem:
    """What to do with a file of which each text is about one entity."""
    if task.has_target:
        reason = _("The file tags entities' triggers. Import each entity as an instance (--entities).")
        return Problem(path.name, None, "file", "T-0", reason, remedy=ENTITIES)
    reason = _("The file tags entities' triggers. Use a project with the task entity.")
    return Problem(path.name, None, "file", "T-0", reason)


def _shape_of(path: Path) -> _Shape:
    """The shape of a file's lines; raises where they are no tokens with tags."""
    columns: Counter[int] = Counter()
    tags: dict[str, None] = {}
    between: tuple[str, ...] = ()
    is_own = True
    for line in _tokens(path):
        columns[len(line.cells)] += 1
        if len(tags) <= _MOST_TAGS:
            tags[line.cells[-1]] = None
        between = between or line.cells[1:-1]
        is_own = is_own and _is_own_line(line.cells)
    n_columns = columns.most_common(1)[0][0] if columns else 0
    if n_columns == 1 or not (tag_schemes.have_prefixes(tags) or tag_schemes.OUTSIDE in tags) or len(tags) > _MOST_TAGS:
        raise InvalidValue(
            _("No tags such as {tags} in '{name}'. Put them last.", name=path.name, tags="B-PER, I-PER, O")
        )
    has_triggers = tag_schemes.have_prefixes(tags) and any(map(tag_schemes.is_trigger, tags))
    return _Shape(n_columns, frozenset(tags), is_own and bool(columns), between, has_triggers)


def _is_own_line(cells: Sequence[str]) -> bool:
    return len(cells) == _OWN_COLUMNS and _NUMBERS.fullmatch(cells[2]) is not None and cells[3] in _OWN_TAGS


def _tokens(path: Path) -> Iterator[_Line]:
    """The lines with a token, as far as they can be read."""
    for raw in read_lines(path):
        line = (raw.content or b"").decode("utf-8", "replace")
        if line.strip() and not line.startswith(tag_schemes.DOCUMENT_START) and not _COMMENT.fullmatch(line):
            yield _Line(raw.number, tag_schemes.cells_of(line))


@dataclass(slots=True)
class _FileReader:
    path: Path
    task: Task
    shape: _Shape
    are_entities: bool = False
    left_out: LeftOut = field(init=False)

    def __post_init__(self) -> None:
        self.left_out = LeftOut(self.path.name, self.are_entities)

    def rows(self) -> Iterator[Row | Problem]:
        """A plain row for each text, what is wrong with its lines, and at the end what was left out."""
        for text in self._texts():
            yield text if isinstance(text, Problem) else self._row(text)
        if self.shape.between and not self.shape.is_own:
            yield self._unread_columns()
        yield from self.left_out.warnings()

    def _unread_columns(self) -> Problem:
        reason = _("Only the first (tokens) and last (tags) columns are read.")
        return Problem(self.path.name, None, "file", shown(" ".join(self.shape.between)), reason, is_warning=True)

    def _texts(self) -> Iterator[list[_Block] | Problem]:
        """The blocks of each text, which stands once for each entity where a file has triggers; and what is wrong with blocks."""
        text: list[_Block] = []
        for block in self._blocks():
            if isinstance(block, Problem):
                yield block
            elif (fault := self._fault_of(block)) is not None:
                yield fault
            elif text and self.shape.has_triggers and block.repeats(text):
                text.append(block)
            else:
                if text:
                    yield text
                text = [block]
        if text:
            yield text

    def _blocks(self) -> Iterator[_Block | Problem]:
        block = _Block()
        for raw in read_lines(self.path, keep_blank=True):
            line = _decoded(raw.content)
            if line is None:
                reason = line_too_long() if raw.content is None else not_utf8()
                yield Problem(self.path.name, raw.number, "line", "", reason)
                line = ""
            if line.startswith(tag_schemes.DOCUMENT_START) or not line.strip():
                if block.lines:
                    yield block
                    block = _Block(document=block.document)
                block.document += line.startswith(tag_schemes.DOCUMENT_START)
            elif self._is_comment(line):
                if match := _COMMENT.fullmatch(line):
                    block.comments[match[1].strip()] = match[2].strip()
            else:
                block.lines.append(_Line(raw.number, tag_schemes.cells_of(line)))
        if block.lines:
            yield block

    def _is_comment(self, line: str) -> bool:
        """Whether a line that begins with # is a comment, and not the token # or a hashtag."""
        if not line.startswith("#"):
            return False
        cells = tag_schemes.cells_of(line)
        is_tagged = len(cells) == self.shape.n_columns and not tag_schemes.wrong_tag(cells[-1], self.shape.tags)
        return _COMMENT.fullmatch(line) is not None or not is_tagged or cells[-1] not in self.shape.tags

    def _row(self, text: Sequence[_Block]) -> Row:
        block = text[0]
        values, number = self._values(block), block.lines[0].number
        if self.shape.is_own:
            return Row(self.path.name, number, values | _own_marks(block.lines))
        stretches = block.stretches()
        self.left_out.add_labels(label for label, *_range in stretches)
        values |= {"tokens": block.tokens, "rationales": _sets(stretches)}
        entities = tuple(entity for block in text for entity in self._entities(block))
        return Row(self.path.name, number, values, entities=entities)

    def _entities(self, block: _Block) -> Iterator[Entity]:
        """The entities of a block; what triggers there are is marked for them."""
        segment = next(spec.name for spec in self.task.segments if spec.is_selectable)
        sets = tuple(spans_of_tokens(segment, trigger) for trigger in block.triggers())
        for label, start, end in block.stretches():
            yield Entity(label, SourceSpan(segment, start, end), sets or None, block.lines[start].number)

    def _fault_of(self, block: _Block) -> Problem | None:
        """The first thing that is wrong with a block."""
        wrong = next(filter(None, map(self._fault, block.lines)), None)
        if wrong is None and self.shape.has_triggers and block.triggers() and len(block.stretches()) != 1:
            names = " ".join(label for label, *_range in block.stretches())
            reason = _("Text skipped: its triggers need exactly one entity. Repeat the text for each.")
            return Problem(self.path.name, block.lines[0].number, "line", names, reason)
        return wrong

    def _fault(self, line: _Line) -> Problem | None:
        """What is wrong with a line."""
        n, cells = self.shape.n_columns, line.cells
        if len(cells) != n:
            reason = _("Text skipped: {n} columns instead of {n_columns}.", n=len(cells), n_columns=n)
        elif tag_schemes.wrong_tag(cells[-1], self.shape.tags):
            reason = _("Text skipped: invalid tag '{tag}' (valid: {tags}).", tag=cells[-1], tags="B-PER, O")
        elif not cells[0]:
            reason = _("Text skipped: empty token.")
        else:
            return None
        return Problem(self.path.name, line.number, "line", shown("\t".join(cells)), reason)

    def _values(self, block: _Block) -> dict[str, Any]:
        """What comments say of a text: our fields by their names, else metadata."""
        values: dict[str, Any] = dict(block.comments)
        key = next((values.pop(name) for name in _KEYS if name in values), None)
        text = values.pop(_TEXT, None)
        known = {"split", *field_names(self.task)["result"]}
        if self.task.has_target and _RANGE.fullmatch(values.get(TARGET, "")):
            values[TARGET] = [int(number) for number in values[TARGET].split()]
            known.add(TARGET)
        metadata = {name: values.pop(name) for name in list(values) if name not in known}
        if block.document:
            metadata["document"] = block.document
        selectable = [spec.name for spec in self.task.segments if spec.is_selectable]
        if text and len(selectable) == 1:
            values[selectable[0]] = text
        return {**({} if key is None else {"id": key}), **values, **({"metadata": metadata} if metadata else {})}


def _decoded(content: bytes | None) -> str | None:
    try:
        return None if content is None else content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _sets(stretches: Sequence[tuple[str, int, int]]) -> list[list[list[int]]]:
    sets = by_key((label, [start, end]) for label, start, end in stretches)
    return list(sets.values())


def _own_marks(lines: Sequence[_Line]) -> dict[str, Any]:
    """The tokens of each segment, and the sets that our own export numbers."""
    tokens: dict[str, list[str]] = {}
    sets: dict[int, list[Mapping[str, Any]]] = {}
    for line in lines:
        token, segment, numbers, _tag = line.cells
        of_segment = tokens.setdefault(segment, [])
        for number in numbers.split(",") if numbers != NO_SET else ():
            spans = sets.setdefault(int(number), [])
            index, last = len(of_segment), spans[-1] if spans else None
            if last is not None and (last["segment"], last["end_token"]) == (segment, index):
                spans[-1] = {**last, "end_token": index + 1}
            else:
                spans.append({"segment": segment, "start_token": index, "end_token": index + 1})
        of_segment.append(token)
    return {"tokens": tokens, "rationales": [sets[number] for number in sorted(sets)]}
