"""Import a file into a project: all or nothing, every problem with its place, the same rows again change nothing."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotator.domain.labels import variants_of
from annotator.domain.people import User
from annotator.domain.projects import GOLD_POLICIES, GoldPolicy, Project
from annotator.domain.sources import SourceColumns
from annotator.errors import ImportRefused, InvalidValue, NotFound, Problem
from annotator.formats.base import VOCABULARY_NAMES, OutputOptions, ReadOptions
from annotator.formats.registry import OUTPUT_READERS, READERS, Guess, get_output_reader, get_reader, guess_format
from annotator.formats.rows.encodings import recoded
from annotator.formats.rows.file_kinds import is_blank, refuse_foreign
from annotator.formats.rows.sheets import sheet_names
from annotator.language import _, several
from annotator.store import Store
from annotator.store.annotate.annotations import accepted_of
from annotator.store.events import add_event, require_open
from annotator.store.projects import get_project_by_id, update_project
from annotator.usecases.access.rights import require
from annotator.usecases.gold import require_split
from annotator.usecases.transfer.file_labels import (
    OwnLabels,
    check_labels,
    remember_labels,
    remembered_labels,
    with_labels,
)
from annotator.usecases.transfer.import_report import GOLD_MODES, MERGES, ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from annotator.usecases.transfer.row_keys import RowNumbers, chosen_columns, remember_columns
from annotator.usecases.transfer.uploads import unpacked

_NO_ROWS = (Problem, SourceColumns)  # a tuple, since a union would be made anew for each item
READABLE: tuple[str, ...] = tuple(READERS)
INSEQ = "inseq"
WITH_VOCABULARY = "thermostat"  # whose files have token ids alone
VOCABULARIES = frozenset(VOCABULARY_NAMES)
SELF_EXPLANATIONS = "self-explanations"
READABLE_OUTPUT: tuple[str, ...] = tuple(OUTPUT_READERS)


def import_file(
    store: Store, actor: User, project: Project, format_name: str, path: Path, options: ImportOptions = ImportOptions(),
    *, progress: Callable[[int], None] = lambda _: None,
) -> ImportReport:  # fmt: skip
    """Read a file into a project; a dry run reads it into a copy of the database, so that nobody has to wait for it.

    progress: called with the number of instances read so far.
    Raises:   ImportRefused with all problems when there is one (unless skip_invalid); then nothing is stored
              InvalidValue when the file holds nothing, or is not of the format at all
    """
    is_output = format_name in OUTPUT_READERS
    require(store, actor, project.id, "use models" if is_output else "manage project")
    require_open(store, project.id)
    check_labels(project, options.renamed, options.added_labels, options.left_labels)
    _refuse_blank(path)
    if not is_output:
        require_known_kind(path)
    take = _import_output if is_output else _import
    with recoded(path, options.encoding) as readable_path:
        if options.dry_run:
            with store.scratch_copy() as copy:
                return take(copy, actor, project, format_name, readable_path, options, progress)
        return take(store, actor, project, format_name, readable_path, options, progress)


def import_path(
    store: Store,
    actor: User,
    project: Project,
    path: Path,
    options: ImportOptions = ImportOptions(),
    format_name: str | None = None,
) -> ImportReport:
    """The same of a file, a folder or a zip archive; without a format of that which its first lines tell.

    Raises: NotFound where there is no such path; InvalidValue for options that mean nothing, or where nothing tells the format
    """
    require_known_words(options)
    with readable(path, format_name) as (unpacked_path, known_format):
        return import_file(store, actor, project, known_format, unpacked_path, options)


def require_known_words(options: ImportOptions) -> None:
    """Raise InvalidValue for an option with a word that means nothing."""
    for what, value, known in (
        ("gold", options.gold, GOLD_MODES),
        ("merge", options.merge, MERGES),
        ("gold_policy", options.gold_policy or GOLD_POLICIES[0], GOLD_POLICIES),
    ):
        if value not in known:
            raise InvalidValue(
                _("'{what}' must be one of {known}, not '{value}'.", what=what, known=", ".join(known), value=value)
            )


@contextmanager
def readable(path: Path, format_name: str | None = None) -> Iterator[tuple[Path, str]]:
    """A path out of its archive, and the format, where none is named that which its first lines tell.

    Raises: NotFound where there is no such path; InvalidValue where nothing tells the format
    """
    if not path.exists():
        raise NotFound(_("No file or folder '{path}'.", path=path))
    with unpacked(path) as unpacked_path:
        guess = None if format_name is not None else guessed(unpacked_path)
        known_format = format_name if guess is None else guess.format_name
        if known_format is None:
            require_known_kind(unpacked_path)
            raise InvalidValue(_("Unknown format of '{path}'. Set it (see docs/formats.md).", path=path))
        yield unpacked_path, known_format


def require_known_kind(path: Path) -> None:
    """Raise InvalidValue for a file of a tool whose form is known and not read here."""
    with suppress(OSError):  # whoever reads it says why
        refuse_foreign(path)


def guessed(path: Path) -> Guess | None:
    """What a file or folder seems to be; None where nothing tells it, or it cannot be opened."""
    with suppress(OSError):  # whoever reads it says why
        return guess_format(path)
    return None


def sheets_in(path: Path) -> list[str]:
    """The sheets of a spreadsheet from which one is chosen; [] where there is nothing to choose."""
    with suppress(InvalidValue):  # whoever reads it says why it cannot be read
        names = sheet_names(path)
        return names if len(names) > 1 else []
    return []


def _import(
    store: Store, actor: User, project: Project, format_name: str, path: Path, options: ImportOptions,
    progress: Callable[[int], None],
) -> ImportReport:  # fmt: skip
    report = ImportReport(is_dry_run=options.dry_run)
    chosen = chosen_columns(project, format_name, options)
    numbers = RowNumbers(store, project, options.key_prefix, options.entities)
    labels = _labels_of(project, options)
    with store.transaction():
        project = get_project_by_id(store, project.id)  # its rules as they are now that nobody else writes
        project = with_labels(store, actor, project, options.added_labels)
        read_options = ReadOptions(
            project.task, project.labels, options.language, options.split, options.key_prefix, options.one_set_per_edit,
            labels.not_own, chosen.columns, frozenset(chosen.left), chosen.needed, frozenset(chosen.metadata),
            numbers.key if options.number_keys else None, options.sheet, options.entities,
        )  # fmt: skip
        options, labels = _with_variants(project, format_name, path, options, read_options, labels)
        read_options = replace(read_options, renamed=labels.not_own)
        items = _Counted(labels.each(get_reader(format_name)(path, read_options)))
        Intake(store, project, options, report, progress).run(items.each())
        _refuse(report, options, path, format_name, items.n_rows)
        report.notes += labels.notes()
        report.labels_met = labels.met
        if not labels.are_as_written:
            report.tell_labels(labels.counts, project.labels)
        report.notes += numbers.notes()
        project = _take_policy(store, actor, get_project_by_id(store, project.id), options.gold_policy)
        project = remember_columns(store, actor, project, chosen, options)
        remember_labels(store, actor, project, options)
        _tell(store, project, options, report)
        add_event(
            store, actor.name, "import", "project", project.id, project_id=project.id, format=format_name,
            file=path.name, new=report.n_new, updated=report.n_updated, annotations=report.n_annotations,
        )  # fmt: skip
    return report


def _labels_of(project: Project, options: ImportOptions) -> OwnLabels:
    left, remembered = frozenset(options.left_labels), remembered_labels(project, options)
    return OwnLabels(
        options.renamed, left, options.added_labels, remembered, are_needed=not options.is_one_of_several,
        are_as_written=project.task.result_kind == "answer",
    )  # fmt: skip


def _with_variants(
    project: Project, format_name: str, path: Path, options: ImportOptions, read_options: ReadOptions, labels: OwnLabels
) -> tuple[ImportOptions, OwnLabels]:
    """Where labels are merged that differ in case, blanks or width alone: the file is read once before, to count them."""
    if not options.merge_labels or project.task.result_kind != "label":
        return options, labels
    counting = OwnLabels(labels.renamed, labels.left, labels.added, labels.remembered, are_needed=False)
    key_of = None if read_options.key_of is None else _line_as_key
    for _item in counting.each(get_reader(format_name)(path, replace(read_options, labels=(), key_of=key_of))):
        pass
    groups = variants_of(counting.counts, project.labels)
    merged = {label: group.name for group in groups for label in group.others}
    return replace(options, renamed={**options.renamed, **merged}), replace(labels, merged=merged)


def _line_as_key(_split: str, _texts: object, _annotator: str | None, line: int | None) -> str:
    return str(line)


def _take_policy(store: Store, actor: User, project: Project, policy: GoldPolicy | None) -> Project:
    """The project under the gold policy that was asked for."""
    if policy is None or policy == project.settings.gold_policy:
        return project
    changed = replace(project, settings=replace(project.settings, gold_policy=policy))
    update_project(store, changed)
    add_event(store, actor.name, "change", "project", project.id, project_id=project.id, changed=["settings"])
    return changed


def _tell(store: Store, project: Project, options: ImportOptions, report: ImportReport) -> None:
    """What is to be known of the file as a whole."""
    report.tell_widened()
    if project.lacks_labels:
        report.tell_unlabelled(report.n_new)
    if options.gold == "accepted" and (report.n_annotations or options.gold_policy):
        report.tell_several(accepted_of(store, project.id), project.settings.gold_policy)
        report.tell_reference()


def _import_output(
    store: Store, actor: User, project: Project, format_name: str, path: Path, options: ImportOptions,
    progress: Callable[[int], None],
) -> ImportReport:  # fmt: skip
    if options.prompt and format_name != INSEQ:
        raise InvalidValue(_("{option} is only for {names}. Remove it.", option="--prompt", names="inseq"))
    report = ImportReport(is_dry_run=options.dry_run, is_output=True)
    chosen_columns(project, format_name, options)
    labels = _labels_of(project, options)
    require_split(store, [project], options.split, of_files=True)
    with store.transaction():
        project = with_labels(store, actor, get_project_by_id(store, project.id), options.added_labels)
        read_options = OutputOptions(
            project.task, project.labels, options.model, options.method, options.seed, options.split, options.key_prefix,
            options.vocabulary, labels.not_own, options.prompt,
        )  # fmt: skip
        rows = _Counted(labels.each(get_output_reader(format_name)(path, read_options)))
        intake = Intake(store, project, options, report, progress)
        intake.run(intake.quotes.each(rows.each()) if format_name == SELF_EXPLANATIONS else rows.each())
        _refuse(report, options, path, format_name, rows.n_rows)
        report.notes += labels.notes()
        report.labels_met = labels.met
        remember_labels(store, actor, project, options)
        add_event(
            store, actor.name, "import", "project", project.id, project_id=project.id, format=format_name,
            file=path.name, new=report.n_new, updated=report.n_updated,
        )  # fmt: skip
    return report


def _refuse_blank(path: Path) -> None:
    with suppress(OSError):  # whoever reads it says why it cannot be opened
        if is_blank(path):
            if path.is_dir():
                raise InvalidValue(_("'{name}' is empty.", name=path.name))
            raise InvalidValue(_("'{name}' is empty.", name=path.name))


@dataclass(slots=True)
class _Counted:
    """The items of a file, and how many of them are rows that can be used."""

    items: Iterable[object]
    n_rows: int = 0

    def each(self) -> Iterator[Any]:
        for item in self.items:
            self.n_rows += not isinstance(item, _NO_ROWS)
            yield item


def _refuse(report: ImportReport, options: ImportOptions, path: Path, format_name: str, n_rows: int) -> None:
    """Raise where nothing of the file may be stored: for its problems, or because there is nothing in it."""
    if report.n_problems and (n_rows == 0 or not options.skip_invalid):
        raise ImportRefused(
            _refusal(report, path, n_rows), report.problems, report.n_problems, report.file_words,
            can_leave_out=n_rows > 0,
        )  # fmt: skip
    if n_rows == 0:
        raise InvalidValue(
            _(
                "No {format_name} rows in '{name}'. Choose another file or format.",
                name=path.name,
                format_name=format_name,
            )
        )


def _refusal(report: ImportReport, path: Path, n_rows: int) -> str:
    n = report.n_problems
    if n_rows == 0:
        return several(
            "{n} problem in '{name}'; no usable rows. Nothing was stored.",
            "{n} problems in '{name}'; no usable rows. Nothing was stored.",
            n,
            name=path.name,
        )
    return several(
        "{n} problem in '{name}'; nothing was stored. Correct it or use --skip-invalid.",
        "{n} problems in '{name}'; nothing was stored. Correct them or use --skip-invalid.",
        n,
        name=path.name,
    )
