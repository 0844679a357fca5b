"""Keys and columns of plain rows: numbers where a file has no keys, and the columns that a person chose."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotator.domain.imports import ColumnChoices
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.sources import SourceText
from annotator.errors import InvalidValue, NotFound
from annotator.formats.base import ReadOptions
from annotator.formats.rows.column_findings import meaning
from annotator.formats.rows.columns import field_names, our_name
from annotator.formats.rows.csv_rows import column_choices
from annotator.formats.rows.encodings import ENCODINGS, UTF8, Sample, is_text, marked, recoded, recoded_bytes, samples
from annotator.formats.rows.findings import listed
from annotator.language import _
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import iterate_keyed_texts
from annotator.store.projects import update_project
from annotator.usecases.access.rights import require
from annotator.usecases.transfer.import_report import ImportOptions

__all__ = ["ENCODINGS", "UTF8", "Sample", "is_text", "marked", "recoded", "recoded_bytes", "samples"]

_NUMBER = re.compile(r"([1-9][0-9]{0,17})")
_OF_ENTITY = re.compile(rf"{_NUMBER.pattern}-[0-9]+-[0-9]+")


@dataclass(slots=True)
class RowNumbers:
    """Gives numbers to texts, behind those that stand in the project.

    A text that stands there under a number, in the same split, keeps it, wherever it now stands in the file. Rows of several
    annotators of one text have one number; otherwise a text that stands twice has two.
    prefix: what stands before every key; are_entities: behind it is an entity's place, as in 7-12-18
    """

    store: Store
    project: Project
    prefix: str = ""
    are_entities: bool = False
    n_rows: int = 0
    n_kept: int = 0
    _last: int = 0  # the highest number so far
    _is_read: bool = False
    _free: dict[int, list[int]] = field(default_factory=dict)  # by split and texts, stored numbers that no row has yet
    _given: dict[int, list[tuple[int, set[str]]]] = field(
        default_factory=dict
    )  # and those that rows have, by annotator

    def key(self, split: str, texts: Mapping[str, SourceText | str], annotator: str | None, _line: int | None) -> str:
        """The key of a row. annotator: whose row it is, where the file says it."""
        self._read()
        name = self._name(split, [self._text(texts[n]) for n in self.project.task.in_numbering_order(list(texts))])
        of_text = self._given.setdefault(name, [])
        if annotator is not None:
            for number, annotators in of_text:
                if annotator not in annotators:
                    annotators.add(annotator)
                    return f"{self.prefix}{number}"
        number = self._next(name)
        of_text.append((number, set() if annotator is None else {annotator}))
        return f"{self.prefix}{number}"

    def notes(self) -> list[str]:
        """What the rows have as keys, in sentences."""
        return [self._number_words()] if self.n_rows else []

    def _number_words(self) -> str:
        """How many rows have a number, also those refused since, and how many of these the one that they had."""
        rows = counted(self.n_rows, "row")
        if not self.n_kept:
            return _("Numbered {rows} without an ID.", rows=rows)
        return _("Numbered {rows} without an ID, {n_kept} as before.", rows=rows, n_kept=f"{self.n_kept:,}")

    def _next(self, name: int) -> int:
        self.n_rows += 1
        if free := self._free.get(name):
            self.n_kept += 1
            return free.pop(0)
        self._last += 1
        return self._last

    def _read(self) -> None:
        if self._is_read:
            return
        self._is_read = True
        for instance, _is_discarded, segments in iterate_keyed_texts(self.store, self.project.id):
            key = instance.key.removeprefix(self.prefix)
            match = (_OF_ENTITY if self.are_entities else _NUMBER).fullmatch(key)
            if instance.key.startswith(self.prefix) and match:
                number = int(match[1])
                self._last = max(self._last, number)
                name = self._name(instance.source_split, [text for _, text in segments])
                self._free.setdefault(name, []).append(number)
        self._free = {name: sorted(set(numbers)) for name, numbers in self._free.items()}

    @staticmethod
    def _name(split: str, texts: list[str]) -> int:
        return hash((split, *filter(None, texts)))

    @staticmethod
    def _text(body: SourceText | str) -> str:
        return body if isinstance(body, str) else body.text


# The columns that a person chose for plain rows, beside those that the project remembers.


PLAIN = frozenset({"csv", "jsonl"})  # formats whose columns can be chosen
# Whose labelled spans may be entities.
WITH_ENTITIES = frozenset({"label-studio", "doccano", "argilla", "prodigy", "conll"})
NUMBERED = PLAIN | WITH_ENTITIES  # whose texts may have no keys


@dataclass(frozen=True, slots=True)
class ChosenColumns:
    """What the columns of a file hold. needed: those that were chosen for this file, and have to be there.

    metadata: those that look like marks and become metadata
    """

    columns: Mapping[str, str]
    left: tuple[str, ...]
    needed: tuple[str, ...]
    metadata: tuple[str, ...] = ()


def chosen_columns(project: Project, format_name: str, options: ImportOptions) -> ChosenColumns:
    """What was chosen now goes before what the project remembers.

    Raises: InvalidValue for a field that there is not, a column that is chosen twice, and a format without plain rows, or
            without entities where these are asked for
    """
    if options.entities and format_name not in WITH_ENTITIES:
        names = ", ".join(sorted(WITH_ENTITIES))
        raise InvalidValue(_("{option} is only for {names}. Remove it.", names=names, option="--entities"))
    if options.entities and not project.task.has_target:
        raise InvalidValue(_("{name} needs the task {task}.", name="--entities", task="entity"))
    if format_name not in PLAIN:
        if options.columns or options.left_columns or options.metadata_columns:
            reason = _("Choosing columns works only for csv and jsonl, not {format_name}.", format_name=format_name)
            raise InvalidValue(reason)
        if options.number_keys and format_name not in NUMBERED:
            reason = _("{format_name} texts already have IDs. Remove --number-keys.", format_name=format_name)
            raise InvalidValue(reason)
        return ChosenColumns({}, (), ())
    now = {_field(project, written): column for written, column in options.columns.items()}
    named = [*now.values(), *options.left_columns, *options.metadata_columns]
    twice = [column for column in named if named.count(column) > 1]
    if twice:
        raise InvalidValue(_("Column '{twice}' is chosen twice.", twice=twice[0]))
    settings = project.settings
    before = {} if options.forget_columns else dict(settings.import_columns)
    taken = {*named}
    remembered = {name: column for name, column in before.items() if column not in taken}
    left, metadata = (
        () if options.forget_columns else tuple(c for c in of_settings if c not in taken)
        for of_settings in (settings.import_left_columns, settings.import_metadata_columns)
    )
    return ChosenColumns(
        {**remembered, **now},
        tuple(dict.fromkeys((*left, *options.left_columns))),
        tuple(named),
        tuple(dict.fromkeys((*metadata, *options.metadata_columns))),
    )


def choices_of(
    store: Store, actor: User, project: Project, format_name: str, path: Path, sheet: str | None = None
) -> ColumnChoices | None:
    """What the columns of a file may be chosen for; None where its format, or what it holds, has no plain rows."""
    require(store, actor, project.id, "manage project")
    if format_name not in PLAIN or path.is_dir():
        return None
    chosen = chosen_columns(project, format_name, ImportOptions())
    options = ReadOptions(
        project.task, project.labels, columns=chosen.columns, left_columns=frozenset(chosen.left),
        metadata_columns=frozenset(chosen.metadata), sheet=sheet,
    )  # fmt: skip
    with suppress(InvalidValue, NotFound):  # the check says why it cannot be read
        return column_choices(path, format_name, options)
    return None


def field_words(project: Project, written: str) -> str:
    """What the page calls a field or segment that a file may hold, by the name with which it is chosen."""
    name = our_name(project.task, written)
    words = written if name is None else meaning(name, project.task)
    return f"{words[0].upper()}{words[1:]}"


def remember_columns(
    store: Store, actor: User, project: Project, chosen: ChosenColumns, options: ImportOptions
) -> Project:
    """The project, which remembers what was chosen."""
    settings = replace(
        project.settings, import_columns=dict(chosen.columns), import_left_columns=chosen.left,
        import_metadata_columns=chosen.metadata,
    )  # fmt: skip
    if not (chosen.needed or options.forget_columns) or settings == project.settings:
        return project
    changed = replace(project, settings=settings)
    update_project(store, changed)
    add_event(
        store, actor.name, "change", "project", project.id, project_id=project.id, changed=["settings"],
        settings=["import_columns"],
    )  # fmt: skip
    return changed


def _field(project: Project, written: str) -> str:
    name = our_name(project.task, written)
    if name is None:
        names = [spec.name for spec in project.task.segments] + ["id", project.task.result_kind]
        names += [name for name in field_names(project.task) if name not in {"key", "result"}]
        raise InvalidValue(
            _("Unknown field '{written}'. Choose columns for {names}.", written=written, names=listed(names, 20))
        )
    return name
