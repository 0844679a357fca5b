"""Import a file into a project: all or nothing, every problem with its place, the same rows again change nothing."""

from collections.abc import Callable
from pathlib import Path

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import ImportRefused
from annotator.formats.base import OutputOptions, ReadOptions
from annotator.formats.registry import OUTPUT_READERS, READERS, get_output_reader, get_reader
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.projects import get_project_by_id
from annotator.usecases.import_report import ImportOptions, ImportReport
from annotator.usecases.intake import Intake
from annotator.usecases.output_intake import OutputIntake
from annotator.usecases.rights import require

READABLE: tuple[str, ...] = tuple(READERS)
READABLE_OUTPUT: tuple[str, ...] = tuple(OUTPUT_READERS)


def import_file(
    store: Store,
    actor: User,
    project: Project,
    format_name: str,
    path: Path,
    options: ImportOptions = ImportOptions(),
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> ImportReport:
    """Read a file into a project; a dry run reads it into a copy of the database, so that nobody has to wait for it.

    progress: called with the number of instances read so far.
    Raises:   ImportRefused with all problems when there is one (unless skip_invalid); then nothing is stored
    """
    is_output = format_name in OUTPUT_READERS
    require(store, actor, project.id, "use models" if is_output else "manage project")
    take = _import_output if is_output else _import
    if options.dry_run:
        with store.scratch_copy() as copy:
            return take(copy, actor, project, format_name, path, options, progress)
    return take(store, actor, project, format_name, path, options, progress)


def _import(
    store: Store,
    actor: User,
    project: Project,
    format_name: str,
    path: Path,
    options: ImportOptions,
    progress: Callable[[int], None],
) -> ImportReport:
    report = ImportReport(is_dry_run=options.dry_run)
    read_options = ReadOptions(
        project.task, project.labels, options.language, options.split, options.key_prefix, options.one_set_per_edit
    )
    items = get_reader(format_name)(path, read_options)
    with store.transaction():
        project = get_project_by_id(store, project.id)  # its rules as they are now that nobody else writes
        Intake(store, project, options, report, progress).run(items)
        if report.n_problems and not options.skip_invalid:
            raise ImportRefused(_refusal(report, path), report.problems, report.n_problems)
        add_event(
            store, actor.name, "import", "project", project.id, project_id=project.id, format=format_name,
            file=path.name, new=report.n_new, updated=report.n_updated, annotations=report.n_annotations,
        )  # fmt: skip
    return report


def _import_output(
    store: Store,
    actor: User,
    project: Project,
    format_name: str,
    path: Path,
    options: ImportOptions,
    progress: Callable[[int], None],
) -> ImportReport:
    report = ImportReport(is_dry_run=options.dry_run, is_output=True)
    rows = get_output_reader(format_name)(
        path,
        OutputOptions(
            project.task, project.labels, options.model, options.method, options.seed, options.split,
            options.key_prefix, options.vocabulary,
        ),
    )  # fmt: skip
    with store.transaction():
        OutputIntake(store, project, options, report, progress).run(rows)
        if report.n_problems and not options.skip_invalid:
            raise ImportRefused(_refusal(report, path), report.problems, report.n_problems)
        add_event(
            store, actor.name, "import", "project", project.id, project_id=project.id, format=format_name,
            file=path.name, new=report.n_new, updated=report.n_updated,
        )  # fmt: skip
    return report


def _refusal(report: ImportReport, path: Path) -> str:
    n = report.n_problems
    return (
        f"'{path.name}' has {n} problem{'s' if n != 1 else ''}; nothing was stored. "
        "Mend the file, or leave the bad rows out with --skip-invalid."
    )
