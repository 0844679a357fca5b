"""Several files of model output at once: each is told by itself, and all of them are stored, or none."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import ImportRefused, InvalidValue, Problem
from annotator.formats.registry import OUTPUT_READERS
from annotator.formats.rows.findings import listed
from annotator.store import Store
from annotator.usecases.transfer.file_import import import_file, import_path, readable, require_known_words
from annotator.usecases.transfer.file_labels import check_labels
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file of model output, as the person calls it."""

    name: str
    path: Path
    format_name: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """What an import did with one of several files, or would do."""

    name: str
    format_name: str
    report: ImportReport


Progress = Callable[[int], None]


def import_outputs(
    store: Store,
    actor: User,
    project: Project,
    files: Sequence[OutputFile],
    options: ImportOptions = ImportOptions(),
    *,
    progress: Progress = lambda _: None,
) -> tuple[FileReport, ...]:
    """Read files of model output one after the other into a project, in one transaction.

    Raises: ImportRefused with the problems of all files, and what became of each, where one cannot be taken: then nothing of
            any is stored; InvalidValue for a format of texts, and for a single file as `import_file` does
    """
    for file in files:
        if file.format_name not in OUTPUT_READERS:
            raise InvalidValue(
                f"'{file.name}' is read as {file.format_name}, which holds texts. Of several files at once only model output "
                "is read; import this one by itself, and first."
            )
    if len(files) == 1:
        report = import_file(store, actor, project, files[0].format_name, files[0].path, options, progress=progress)
        return (FileReport(files[0].name, files[0].format_name, report),)
    check_labels(project, options.renamed, options.added_labels, options.left_labels)  # else each file would say it
    if options.dry_run:
        with store.scratch_copy() as copy:
            return _take_all(copy, actor, project, files, options, progress)
    return _take_all(store, actor, project, files, options, progress)


def import_paths(
    store: Store,
    actor: User,
    project: Project,
    paths: Sequence[Path],
    options: ImportOptions = ImportOptions(),
    format_name: str | None = None,
) -> ImportReport:
    """The same of paths, as `import_path` reads one; answers one report, with that of each file in `by_file`.

    Raises: InvalidValue for no path, and for one that is named twice
    """
    if not paths:
        raise InvalidValue("No file is named. Name those that are to be read.")
    repeated = next((path for number, path in enumerate(paths) if path in paths[:number]), None)
    if repeated is not None:
        raise InvalidValue(f"'{repeated}' is named twice. Name each file once.")
    if len(paths) == 1:
        return import_path(store, actor, project, paths[0], options, format_name)
    require_known_words(options)
    with ExitStack() as stack:
        readables = [stack.enter_context(readable(path, format_name)) for path in paths]
        files = [OutputFile(str(path), *of) for path, of in zip(paths, readables, strict=True)]
        together = ImportReport(is_dry_run=options.dry_run, is_output=True)
        for file in import_outputs(store, actor, project, files, options):
            together.add_file(file.name, file.report)
    return together


def _take_all(
    store: Store, actor: User, project: Project, files: Sequence[OutputFile], options: ImportOptions, progress: Progress
) -> tuple[FileReport, ...]:
    taken: list[FileReport] = []
    refusals: dict[str, ImportRefused] = {}
    with store.transaction():
        for file in files:
            try:
                report = import_file(
                    store,
                    actor,
                    project,
                    file.format_name,
                    file.path,
                    replace(options, dry_run=False),
                    progress=progress,
                )
            except ImportRefused as refusal:
                refusals[file.name] = refusal
            except InvalidValue as error:
                problem = Problem(file.name, None, "file", file.name, str(error))
                refusals[file.name] = ImportRefused(str(error), [problem], 1, can_leave_out=False)
            else:
                report.is_dry_run = options.dry_run
                taken.append(FileReport(file.name, file.format_name, report))
        if refusals:
            raise _refusal(taken, refusals)  # and everything is taken back
    return tuple(taken)


def _refusal(taken: Sequence[FileReport], refusals: Mapping[str, ImportRefused]) -> ImportRefused:
    """What is wrong with some files, with what could have been stored of the others."""
    are_all_bad = [name for name, refusal in refusals.items() if not refusal.can_leave_out]
    remedy = (
        f"Nothing of {listed(are_all_bad)} can be used; correct or leave out what cannot be read."
        if are_all_bad
        else "Correct the files, or leave the bad rows out with --skip-invalid."
    )
    n_files = counted(len(taken) + len(refusals), "file")
    verb = "has problems" if len(refusals) == 1 else "have problems"
    return ImportRefused(
        f"{len(refusals):,} of {n_files} {verb}; nothing of any was stored. {remedy}",
        [problem for refusal in refusals.values() for problem in refusal.problems],
        sum(refusal.n_problems for refusal in refusals.values()),
        [
            *(f"'{name}': {counted(refusal.n_problems, 'problem')}." for name, refusal in refusals.items()),
            *(f"'{name}': {note}" for name, refusal in refusals.items() for note in refusal.notes),
            *(f"'{file.name}': no problem ({file.report.output_words})." for file in taken),
        ],
        can_leave_out=not are_all_bad,
    )
