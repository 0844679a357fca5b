"""The columns that a person chose for plain rows, beside those that the project remembers."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from annotator.domain.imports import ColumnChoices
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.formats.base import ReadOptions
from annotator.formats.rows.column_choices import column_choices
from annotator.formats.rows.column_findings import meaning
from annotator.formats.rows.columns import field_names, our_name
from annotator.formats.rows.findings import listed
from annotator.language import _
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.projects import update_project
from annotator.usecases.access.rights import require
from annotator.usecases.transfer.import_report import ImportOptions

PLAIN = frozenset({"csv", "jsonl"})  # formats whose columns can be chosen
NUMBERED = PLAIN | {"label-studio", "doccano", "argilla", "prodigy", "conll"}  # whose texts may have no keys


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

    Raises: InvalidValue for a field that there is not, a column that is chosen twice, and a format without plain rows
    """
    if format_name not in PLAIN:
        if options.columns or options.left_columns or options.metadata_columns:
            reason = _(
                "Columns are chosen of the formats csv and jsonl, not of {format_name}.", format_name=format_name
            )
            raise InvalidValue(reason)
        if options.number_keys and format_name not in NUMBERED:
            reason = _(
                "Texts of the format {format_name} have keys of their own. Leave --number-keys out.",
                format_name=format_name,
            )
            raise InvalidValue(reason)
        return ChosenColumns({}, (), ())
    now = {_field(project, written): column for written, column in options.columns.items()}
    named = [*now.values(), *options.left_columns, *options.metadata_columns]
    twice = [column for column in named if named.count(column) > 1]
    if twice:
        raise InvalidValue(_("The column '{twice}' is chosen twice; a column holds one thing.", twice=twice[0]))
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
            _("A file holds no '{written}'. Choose columns for {names}.", written=written, names=listed(names, 20))
        )
    return name
