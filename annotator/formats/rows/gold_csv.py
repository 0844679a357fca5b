"""Gold as CSV, a row a rationale set, for spreadsheets and data frames: written, and read back."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.tasks import Task
from annotator.domain.texts import Span, TokenizedText
from annotator.errors import ExportRefused, InvalidValue, Problem
from annotator.formats.base import WriteOptions
from annotator.formats.rows.files import NO_GOLD, new_file
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.lines import LineError, Row, parse_value
from annotator.language import _, several, unsaid
from annotator.text.alignment import align_tokens

# Where the spans of gold lie: in which segment, at which tokens and characters of it, and what they say.


@dataclass(frozen=True, slots=True)
class PlacedSpan:
    """A span by its segment: tokens numbered within it, characters of its text (code points); half open."""

    segment: str
    start_token: int
    end_token: int
    start_char: int
    end_char: int
    text: str


def placed_span(instance: Instance, span: Span) -> PlacedSpan:
    """Where a span of an instance lies; it must not run over the border of two segments."""
    segment = instance.layout.segment_at(span.start)
    body = instance.segment(segment.name).body
    start, end = span.start - segment.first_token, span.end - segment.first_token
    start_char, end_char = body.starts[start], body.ends[end - 1]
    return PlacedSpan(segment.name, start, end, start_char, end_char, body.text[start_char:end_char])


# CSV that people open in a spreadsheet: text that would run there as a formula stays text.


_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")  # with apostrophes of its own, so that ours can be taken off again
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def written_csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A line of heads and a line for each row; None is an empty cell."""
    text = io.StringIO()
    write_csv(text, heads, rows)
    return text.getvalue()


def write_csv(file: TextIO, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """The same into a file, row by row, so that memory does not grow with it."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([as_words(head) for head in heads])
    writer.writerows([as_words(cell) for cell in row] for row in rows)


def as_words(cell: object) -> object:
    """A cell's value; an apostrophe before text that begins like a formula. Numbers stay numbers, written as text too.

    >>> [as_words(cell) for cell in ("=1+1", "-0.5", -0.5, "-a", "a=b", None)]
    ["'=1+1", '-0.5', -0.5, "'-a", 'a=b', None]
    """
    if isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def without_apostrophe(cell: str) -> str:
    """The text that `as_words` wrote as this cell.

    >>> [without_apostrophe(as_words(text)) for text in ("=1+1", "'-a", "'a", "-0.5")]
    ['=1+1', "'-a", "'a", '-0.5']
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


_BETWEEN = " … "  # of the stretches of a set


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one CSV file; an instance without sets has one row, whose columns of the set are empty.

    Raises: ExportRefused when there is no instance, or the file cannot be written
    """
    rows = _Rows(gold, options)
    with new_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            write_csv(text, rows.heads, rows)
        finally:
            text.detach()  # the file is closed by whoever opened it
        if not rows.n_instances:
            raise ExportRefused(_(NO_GOLD))


class _Rows:
    """The rows of all instances, one after another; counts the instances."""

    def __init__(self, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
        self.gold = gold
        self.options = options
        self.heads = columns(options.project.task)
        self.n_instances = 0

    def __iter__(self) -> Iterator[list[object]]:
        for item in self.gold:
            self.n_instances += 1
            for row in rows_of(item, self.options):
                yield [row.get(name) for name in self.heads]


def columns(task: Task) -> tuple[str, ...]:
    """The heads: what tells the instance, its texts, its result, and the set."""
    texts = tuple(spec.name for spec in task.segments)
    more = ("more_texts",) if any(spec.may_repeat for spec in task.segments) else ()
    of_set = ("set", "n_sets", "marked", "token_indices", "spans", "annotators", "help")
    return (
        "id", "split", "language", *texts, *more, task.result_kind, *of_set, *(("target",) if task.has_target else ()),
        "parent", "perturbation_kind", "exhaustive", "gold_policy", "tokens",
    )  # fmt: skip


def rows_of(gold: GoldInstance, options: WriteOptions) -> Iterator[dict[str, object]]:
    """A row for each set of an instance.

    set: its number from 1; marked: what it says; token_indices: of the instance; spans: by tokens of the segment and by
    characters; tokens: of each segment; empty where a list of them does not say where they stand in the text
    """
    instance, task = gold.instance, options.project.task
    head: dict[str, object] = {
        "id": instance.key, "split": instance.split, "language": instance.language, **_texts(instance, task),
        task.result_kind: gold.result, "n_sets": len(gold.sets), "parent": instance.parent_key,
        "perturbation_kind": instance.perturbation_kind, "exhaustive": _truth(instance.is_exhaustive),
        "gold_policy": options.gold_policy, "tokens": _tokens(instance, task),
    }  # fmt: skip
    if instance.target is not None:
        head["target"] = _json(_span(placed_span(instance, Span(*instance.target))))
    if not gold.sets:
        yield head
    for index, rationale_set in enumerate(gold.sets):
        spans = [placed_span(instance, span) for span in rationale_set.spans]
        origins = gold.origins[index] if index < len(gold.origins) else ()
        yield head | {
            "set": index + 1,
            "marked": _BETWEEN.join(span.text for span in spans),
            "token_indices": " ".join(map(str, rationale_set.token_indices)),
            "spans": _json([_span(span) for span in spans]),
            "annotators": _names([origin.annotator for origin in origins]),
            "help": "; ".join(dict.fromkeys(origin.help or "unknown" for origin in origins)),
        }


def _span(span: PlacedSpan) -> dict[str, object]:
    return {name: value for name, value in asdict(span).items() if name != "text"}


def _names(names: Sequence[str]) -> str:
    """Names with semicolons between them; as JSON where one of them could not be told from the next."""
    different = list(dict.fromkeys(names))
    is_plain = not any(";" in name or name != name.strip() or name.startswith("[") for name in different)
    return "; ".join(different) if is_plain else _json(different)


def _truth(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _tokens(instance: Instance, task: Task) -> str | None:
    """The tokens of each segment, where they are found again at the same places of its text; else nothing."""
    bodies = {segment.name: segment.body for segment in instance.segments if _is_written(segment, task)}
    return (
        _json({name: body.tokens() for name, body in bodies.items()})
        if all(map(_is_aligned, bodies.values()))
        else None
    )


def _is_written(segment: Segment, task: Task) -> bool:
    spec = task.spec_of(segment.name)
    return bool(segment.body.text) or spec is None or not spec.may_be_empty


def _is_aligned(body: TokenizedText) -> bool:
    try:
        aligned = align_tokens(body.text, body.tokens())
    except InvalidValue:
        return False
    return (aligned.starts, aligned.ends) == (body.starts, body.ends)


def _texts(instance: Instance, task: Task) -> dict[str, object]:
    """Each segment in its column; further documents of a task that may have several together, as JSON."""
    texts = {segment.name: segment.body.text for segment in instance.segments}
    known = {spec.name for spec in task.segments}
    more = {name: text for name, text in texts.items() if name not in known}
    columns_of_texts: dict[str, object] = {name: text for name, text in texts.items() if name in known}
    return columns_of_texts | ({"more_texts": json.dumps(more, ensure_ascii=False)} if more else {})


# Reading our own CSV of gold, a row a set (written above), as plain rows: one for each annotator of an instance.


OF_SET = frozenset({"set", "n_sets", "marked", "token_indices", "spans", "annotators", "help"})
GOLD_TABLE = unsaid("Gold table from Annotator. Merged and unnamed sets become annotations by 'gold'.")
_OWN = OF_SET | {"gold_policy"}
_TELLING = _OWN - {"help"}  # which tables of before do not have
# Under the other policies a set is made of several people's marks
OF_ONE_PERSON = frozenset({"chosen", "all", "personal"})
_COUNTING = re.compile(r"\d{1,6}")


def is_gold_table(header: Sequence[str], task: Task) -> bool:
    """Whether a header is that of our own export."""
    return set(header) >= _TELLING and not any(task.spec_of(name) for name in _TELLING)


def annotator_rows(rows: Iterable[Row | Problem]) -> Iterator[Row | Problem]:
    """The rows of each instance, which stand together, as one row for each of its annotators."""
    together: list[Row] = []
    for row in rows:
        if isinstance(row, Problem):
            yield row
            continue
        if together and _key(row) != _key(together[0]):
            yield from _rows_of(together)
            together = []
        together.append(replace(row, values=_without_apostrophes(row.values)))
    if together:
        yield from _rows_of(together)


def _without_apostrophes(values: dict[str, Any]) -> dict[str, Any]:
    """The cells as they were before a spreadsheet was kept from taking them for formulas."""
    return {name: without_apostrophe(cell) if isinstance(cell, str) else cell for name, cell in values.items()}


def _key(row: Row) -> tuple[object, object]:
    values = _without_apostrophes({name: row.values.get(name) for name in ("id", "split")})
    return values["id"], values["split"]


def _rows_of(rows: Sequence[Row]) -> Iterator[Row | Problem]:
    first, findings = rows[0], rows[0].findings()
    _check_together(rows, findings)
    more_texts = _read(first, "more_texts", dict, findings)
    sets = [(_annotators(row, findings), _spans(row, findings)) for row in rows if row.values["set"]]
    if findings.is_refused:
        yield from findings.problems
        return
    values = {name: value for name, value in first.values.items() if name not in _OWN | {"more_texts"}} | more_texts
    if isinstance(target := values.get("target"), dict):
        values["target"] = _in_one_unit(first, target)
    names = dict.fromkeys(name for of_set, _spans_of_set in sets for name in of_set) or {"": None}
    for name in names:
        of_name = [spans for of_set, spans in sets if name in of_set]
        yield replace(first, values=values | {"annotator": name or None, "rationales": of_name})


def _check_together(rows: Sequence[Row], findings: Findings) -> None:
    """Note where sets are missing, and where rows of one instance do not say the same of it."""
    first = rows[0].values
    n_sets, numbers = first["n_sets"], [row.values["set"] for row in rows]
    wanted = [str(number) for number in range(1, int(n_sets) + 1)] if _COUNTING.fullmatch(n_sets) else None
    if numbers != (wanted or [""]) or wanted is None:
        reason = several(
            "'n_sets' is {n_sets}, but {n} row is here. Number sets from 1; sort by 'id', 'split', 'set'.",
            "'n_sets' is {n_sets}, but {n} rows are here. Number sets from 1; sort by 'id', 'split', 'set'.",
            len(rows),
            n_sets=n_sets or _("missing"),
        )
        findings.refuse("set", ", ".join(numbers), reason)
    for name in (name for name in first if name not in OF_SET):
        other = next((row for row in rows if row.values.get(name) != first[name]), None)
        if other is not None:
            reason = _("Differs from line {line}. Make them agree.", line=other.line)
            findings.refuse(name, first[name], reason)


def _annotators(row: Row, findings: Findings) -> Sequence[str]:
    """Whose a set is; nobody's by name ("") where it is made of several people's marks, or the table does not say it."""
    cell = row.values["annotators"]
    if row.values["gold_policy"] not in OF_ONE_PERSON:
        return ("",)
    if cell.startswith("["):
        names = _read(row, "annotators", list, findings)
        return [str(name) for name in names] or ("",)
    return list(dict.fromkeys(name for part in cell.split(";") if (name := part.strip()))) or ("",)


def _spans(row: Row, findings: Findings) -> list[dict[str, object]]:
    """The spans of a set: as tokens where the row says what the tokens are, else as characters."""
    return [_in_one_unit(row, span) for span in _read(row, "spans", list, findings) if isinstance(span, dict)]


def _in_one_unit(row: Row, span: dict[str, object]) -> dict[str, object]:
    unit = "token" if row.values.get("tokens") else "char"
    return {name: span[name] for name in ("segment", f"start_{unit}", f"end_{unit}") if name in span}


def _read(row: Row, name: str, kind: type[Any], findings: Findings) -> Any:
    """What a cell with JSON holds; nothing, with a finding, where it is something else."""
    cell = row.values.get(name) or ""
    try:
        value = parse_value(cell.encode()) if cell.strip() else kind()
    except LineError as fault:
        findings.refuse(name, shown(cell), _("Line {line}: {reason}", line=row.line, reason=fault.reason))
        return kind()
    if not isinstance(value, kind):
        reason = _(
            "Line {line}: the cell must be {what}, as exported.",
            line=row.line,
            what=_("a list [...]") if kind is list else _("an object {...}"),
        )
        findings.refuse(name, shown(cell), reason)
        return kind()
    return value
