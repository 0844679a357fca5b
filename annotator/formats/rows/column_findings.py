"""What people read about a file's columns: what they are taken for, what is missing, what may be meant otherwise."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

from annotator.domain.sources import SourceColumns
from annotator.domain.tasks import Task
from annotator.formats.base import ReadOptions
from annotator.formats.rows.columns import KEY_NAMES, SEGMENT_NAMES, Columns, Plan, field_names, make_plan, segment_of
from annotator.formats.rows.findings import either, listed, shown
from annotator.language import _, several, unsaid
from annotator.language import listed as listed_words

_MEANINGS = {
    "key": unsaid("the ID"),
    "split": unsaid("the split"),
    "language": unsaid("the language"),
    "annotator": unsaid("the annotator"),
    "annotator_label": unsaid("the annotator's {result}"),
    "rationales": unsaid("the rationale sets"),
    "rationale_index": unsaid("marked token numbers"),
    "rationale_mask": unsaid("which tokens are marked"),
    "rationale_quotes": unsaid("a quoted rationale set"),
    "note": unsaid("the annotator's note"),
    "exhaustive": unsaid("whether sets are exhaustive"),
    "parent": unsaid("the original's ID"),
    "perturbation_kind": unsaid("the perturbation type"),
    "tokens": unsaid("the tokens"),
    "metadata": unsaid("more metadata"),
    "result": unsaid("the {result}"),
    "target": unsaid("the target"),
}
_KEY_WORDS = frozenset({"id", "ids", "key", "index", "uid", "uuid", "guid"})
_NO_KEY_WORDS = frozenset(
    {
        "label",
        "rationale",
        "rationales",
        "annotator",
        "worker",
        "rater",
        "coder",
        "user",
        "group",
        "token",
        "tokens",
        "gold",
    }
)
_WORKER_WORDS = frozenset({"annotator", "worker", "rater", "coder", "annotators"})
_TEXT_WORDS = frozenset(
    {"text", "texts", "tweet", "post", "comment", "body", "content", "sentence", "review", "utterance", "message",
     "headline", "document", "abstract"}
)  # fmt: skip
_RESULT_WORDS = {
    "label": frozenset(
        {"label", "labels", "gold", "class", "classes", "category", "sentiment", "polarity", "verdict", "stance", "rating",
         "classification", "truth", "y"}
    ),
    "answer": frozenset({"answer", "answers", "response", "solution", "gold"}),
}  # fmt: skip
_RATIONALE_WORDS = frozenset({"rationale", "rationales", "highlight", "highlights", "evidence"})
_RATIONALE_FIELDS = frozenset({"rationales", "rationale_index", "rationale_mask", "rationale_quotes"})
_SPLIT_WORDS = frozenset({"split", "splits", "partition", "subset", "fold"})
_SPLIT_NAMES = frozenset({"set", "data_set"})
_SPLITS = ("train", "training", "dev", "val", "valid", "validation", "test", "testing", "eval")
_CHOICES = 3
_LONG_TEXT = 20  # characters a cell, from which a column may hold the texts

_CAPITAL_INSIDE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NO_LETTERS = re.compile(r"[\W_]+")


def column_report(columns: Columns, options: ReadOptions) -> SourceColumns | None:
    """The report on the columns of a file that was read; None where none was met."""
    if not columns.by_name:
        return None
    plan = make_plan(options.task, tuple(columns.by_name), options.columns, options.left_columns)
    marks = {*marks_in(plan, columns)} - options.metadata_columns  # refused by row, and no metadata
    without_marks = replace(plan, metadata=tuple(column for column in plan.metadata if column not in marks))
    return SourceColumns(taken(without_marks, options.task), tuple(doubts(plan, columns, options)))


def columns_not_there(names: Sequence[str], options: ReadOptions) -> list[str]:
    """A sentence for each column that was chosen and is not among those of a file."""
    return [
        _("No column '{column}'. Choose from {columns}.", column=shown(column), columns=listed(list(names)))
        for column in options.needed_columns
        if column not in names
    ]


def taken(plan: Plan, task: Task) -> str:
    """What each column is taken for, in one or more sentences.

    >>> from annotator.domain.tasks import TASKS
    >>> taken(make_plan(TASKS["sentiment"], ("id", "text", "stars")), TASKS["sentiment"])
    "The column 'id' holds the ID, 'text' the text. 'stars' becomes metadata. No column holds the label or the split."
    """
    known = [(column, _meaning(name, task)) for name, column in plan.fields]
    known[1:1] = [(column, _segment_words(segment)) for segment, column in plan.segments]
    sentences = [_("The column {holdings}.", holdings=_holdings(known))] if known else []
    if plan.metadata:
        metadata = listed([shown(c) for c in plan.metadata])
        words = several(
            "{columns} becomes metadata.", "{columns} become metadata.", len(plan.metadata), columns=metadata
        )
        sentences.append(words)
    absent = [_meaning(name, task) for name in ("result", "split") if name not in plan.names]
    if absent:
        sentences.append(_no_column(either(absent)))
    return " ".join(sentences)


def _holdings(known: Sequence[tuple[str, str]]) -> str:
    """Columns with what each of them holds."""
    (column, words), *others = known
    first = _("'{column}' holds {meaning}", column=shown(column), meaning=words)
    rest = [_("'{column}' {meaning}", column=shown(column), meaning=words) for column, words in others]
    return listed_words([first, *rest])


def _no_column(words: str) -> str:
    return _("No column holds {meaning}.", meaning=words)


def missing(plan: Plan, columns: Columns, options: ReadOptions) -> list[str]:
    """What no row can be read without, and which column may be it: a sentence with the remedy for each."""
    return [sentence for sentence, _likely in _missing(plan, columns, options)]


def may_be_own_labels(plan: Plan) -> bool:
    """Whether the column that is read as the label may hold each annotator's own."""
    return {"annotator", "result"} <= {*plan.names} and "annotator_label" not in plan.names


def own_label_remedy(plan: Plan, task: Task) -> str:
    """What to do where that column does, as a sentence that follows another; "" where no column may."""
    if not may_be_own_labels(plan):
        return ""
    column = shown(plan.names["result"])
    own_label = _meaning("annotator_label", task)
    words = _(
        "If '{column}' holds {meaning}, set {option}.",
        column=column,
        meaning=own_label,
        option=_choice("annotator_label", column),
    )
    return f" {words}"


def likely_keys(plan: Plan) -> list[str]:
    """The columns that may hold the key, by their names; not those that are called like another thing's number."""
    return [c for c in plan.metadata if _words(c) & _KEY_WORDS and not _words(c) & _NO_KEY_WORDS]


def _missing(plan: Plan, columns: Columns, options: ReadOptions) -> list[tuple[str, list[str]]]:
    """The same, each with the columns that may be it."""
    task = options.task
    sentences: list[tuple[str, list[str]]] = []
    if "key" not in plan.names and options.key_of is None:
        likely = likely_keys(plan)
        wanted_key = _no_column(_meaning("key", task))
        numbered = _("Rows without IDs can be numbered (--number-keys).")
        sentences.append((f"{wanted_key} {_remedy(likely, KEY_NAMES)} {numbered}", likely))
    if "tokens" not in plan.names:
        planned = dict(plan.segments)
        wanted = [spec.name for spec in task.segments if not spec.may_be_empty and spec.name not in planned]
        for name in wanted:
            names = (name, *SEGMENT_NAMES.get(task.name, {}).get(name, ()))
            likely = _likely_texts(name, plan, columns, task, is_only_one=len(wanted) == 1)
            sentences.append((f"{_no_column(_segment_words(name))} {_remedy(likely, names)}", likely))
    if task.has_target and "target" not in plan.names:
        sentence = _("No target column (the labelled token range). Name it 'target'.")
        sentences.append((sentence, []))
    return sentences


def doubts(plan: Plan, columns: Columns, options: ReadOptions) -> list[str]:
    """Where a column becomes metadata, though its name or its values look like something that is read."""
    found_doubts: list[str] = []
    questioned = {column for _sentence, likely in _missing(plan, columns, options) for column in likely}
    for name, likely in (("result", _likely_results(plan, columns, options)), ("split", _likely_splits(plan, columns))):
        if likely and name not in plan.names:
            found_doubts.append(_doubt(likely, _meaning(name, options.task), field_names(options.task)[name][0]))
            questioned.update(likely)
    questioned.update(marks_in(plan, columns))  # asked about by row
    rationales = [c for c in plan.metadata if _words(c) & _RATIONALE_WORDS and not _words(c) & _KEY_WORDS]
    rationales = [c for c in rationales if c not in questioned]
    if rationales and not _RATIONALE_FIELDS & set(plan.names):
        quoted = _("If it quotes the text, set {option}.", option=_choices("rationale_quotes", rationales))
        words = _doubt(rationales, _meaning("rationales", options.task), "rationales")
        found_doubts.append(f"{words} {quoted}")
        questioned.update(rationales)
    for column in plan.metadata:
        read_as = None if column in questioned else _nearly(column, plan, options.task)
        if read_as is not None:
            found_doubts.append(_doubt([column], f"'{read_as}'", read_as))
    return found_doubts


def likely_columns(plan: Plan, columns: Columns, options: ReadOptions) -> dict[str, list[str]]:
    """The columns that may hold a field or segment which none is taken for, by our name."""
    task, planned = options.task, dict(plan.segments)
    wanted = [spec.name for spec in task.segments if not spec.may_be_empty and spec.name not in planned]
    likely = {name: _likely_texts(name, plan, columns, task, is_only_one=len(wanted) == 1) for name in wanted}
    likely |= {"key": likely_keys(plan), "result": _likely_results(plan, columns, options)}
    likely |= {"split": _likely_splits(plan, columns)}
    likely["annotator"] = [c for c in plan.metadata if _words(c) & _WORKER_WORDS and not _words(c) & {"label"}]
    if not _RATIONALE_FIELDS & {*plan.names}:
        likely["rationales"] = [c for c in marks_in(plan, columns) if c not in options.metadata_columns]
    return {name: of_name for name, of_name in likely.items() if name not in plan.names}


def marks_in(plan: Plan, columns: Columns) -> list[str]:
    """The columns that look like marks, and are read as nothing."""
    return [column for column in plan.metadata if columns.of(column).are_marks]


def meaning(name: str, task: Task) -> str:
    """What a field or a segment holds, in words."""
    return _meaning(name, task) if name in _MEANINGS else _segment_words(name)


def _meaning(name: str, task: Task) -> str:
    return _(_MEANINGS[name], result=_(task.result_kind))


def _segment_words(segment: str) -> str:
    return _("the text") if segment == "text" else _("the segment '{name}'", name=segment)


def _words(column: str) -> set[str]:
    """The words of a column's name.

    >>> sorted(_words("goldLabel")), sorted(_words("Post ID"))
    (['gold', 'label'], ['id', 'post'])
    """
    return set(_NO_LETTERS.split(_CAPITAL_INSIDE.sub("_", column).casefold())) - {""}


def _plain(column: str) -> str:
    return _NO_LETTERS.sub("_", column.strip()).casefold()


def _remedy(likely: Sequence[str], names: Sequence[str]) -> str:
    called = f"'{names[0]}'"
    if len(names) > 1:
        called = _("{name} (or {others})", name=called, others=listed_words([repr(name) for name in names[1:]]))
    if likely:
        return _(
            "Is it {columns}? Choose it ({options}) or rename it {names}.",
            columns=either([f"'{shown(c)}'" for c in likely]),
            options=_choices(names[0], likely),
            names=called,
        )
    return _("Name its column {names}.", names=called)


def _doubt(likely: Sequence[str], what: str, name: str) -> str:
    return _(
        "{columns}: looks like {meaning} but becomes metadata. Choose it ({options}) or rename it '{name}'.",
        columns=listed([shown(c) for c in likely]),
        meaning=what,
        options=_choices(name, likely),
        name=name,
    )


def _choices(name: str, likely: Sequence[str]) -> str:
    """The option for each of the first columns."""
    return either([_choice(name, shown(column)) for column in likely[:_CHOICES]])


def _choice(name: str, column: str) -> str:
    """The option by which a column is chosen, as it is typed."""
    return f"--column {shlex.quote(f'{name}={column}')}"


def _likely_texts(segment: str, plan: Plan, columns: Columns, task: Task, *, is_only_one: bool) -> list[str]:
    """By name; where one text alone is wanted, also by the words that texts are called, or by their length."""
    near = [
        c
        for c in plan.metadata
        if segment_of(task, _plain(c)) == segment or (_plain(segment) in _words(c) and not _words(c) & _KEY_WORDS)
    ]
    if near or not is_only_one:
        return near
    named = [c for c in plan.metadata if _words(c) & _TEXT_WORDS and not _words(c) & _KEY_WORDS]
    longest = max(plan.metadata, key=lambda c: columns.of(c).mean_length, default=None)
    if named or longest is None or columns.of(longest).mean_length < _LONG_TEXT:
        return named
    return [longest]


def _likely_results(plan: Plan, columns: Columns, options: ReadOptions) -> list[str]:
    words = _RESULT_WORDS[options.task.result_kind]
    sure = [c for c in plan.metadata if _words(c) & words or columns.of(c).are_among(options.labels)]
    if sure or options.task.result_kind == "answer":
        return sure
    splits = _likely_splits(plan, columns)
    return [c for c in plan.metadata if columns.of(c).are_few and c not in splits]


def _likely_splits(plan: Plan, columns: Columns) -> list[str]:
    return [
        c
        for c in plan.metadata
        if _words(c) & _SPLIT_WORDS or _plain(c) in _SPLIT_NAMES or columns.of(c).are_among(_SPLITS)
    ]


def _nearly(column: str, plan: Plan, task: Task) -> str | None:
    """The name that a column differs from in upper case, blanks and hyphens alone, where nothing else is read as that."""
    plain = _plain(column)
    for name, names in field_names(task).items():
        if plain in names and name not in plan.names and plain != column:
            return plain
    segment = segment_of(task, plain)
    return plain if segment is not None and plain != column and segment not in dict(plan.segments) else None
