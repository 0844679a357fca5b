"""Several files at once, texts before what models said of them: each is told by itself, and all of them are stored, or none."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import ImportRefused, InvalidValue, Problem
from annotator.formats.registry import OUTPUT_READERS
from annotator.formats.rows.findings import listed
from annotator.language import _, several, unknown
from annotator.store import Store
from annotator.store.projects import get_project_by_id
from annotator.usecases.transfer import file_import
from annotator.usecases.transfer.file_labels import check_labels, unmet_label
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

_ENDINGS = frozenset({".csv", ".tsv", ".json", ".jsonl"})
_MOST_LOOKED_AT = 500


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file or folder to be imported, as the person calls it."""

    name: str
    path: Path
    format_name: str

    @property
    def is_output(self) -> bool:
        """Whether it holds what models said, and not texts."""
        return self.format_name in OUTPUT_READERS


@dataclass(frozen=True, slots=True)
class FileReport:
    """What an import did with one of several files, or would do."""

    name: str
    format_name: str
    report: ImportReport


Progress = Callable[[int], None]


def output_within(folder: NamedFile) -> list[NamedFile]:
    """The files of model output that lie in a folder of texts, whose reader leaves them out; none of a file."""
    if not folder.path.is_dir() or folder.is_output:
        return []
    paths = [path for path in sorted(folder.path.rglob("*")) if path.suffix.lower() in _ENDINGS and path.is_file()]
    guesses = [(path, file_import.guessed(path)) for path in paths[:_MOST_LOOKED_AT]]
    files = [
        NamedFile(f"{folder.name}/{path.relative_to(folder.path)}", path, guess.format_name)
        for path, guess in guesses
        if guess is not None and guess.other is None
    ]
    return [file for file in files if file.is_output]


def import_files(
    store: Store, actor: User, project: Project, files: Sequence[NamedFile], options: ImportOptions = ImportOptions(),
    *, progress: Progress = lambda _: None,
) -> tuple[FileReport, ...]:  # fmt: skip
    """Read files one after the other into a project, those with texts first, in one transaction.

    Raises: ImportRefused with the problems of all files, and what became of each, where one cannot be taken: then nothing of
            any is stored; for a single file as `import_file` does
    """
    if len(files) == 1:
        report = file_import.import_file(
            store, actor, project, files[0].format_name, files[0].path, options, progress=progress
        )
        return (FileReport(files[0].name, files[0].format_name, report),)
    check_labels(project, options.renamed, options.added_labels, options.left_labels)  # else each file would say it
    if options.dry_run:
        with store.scratch_copy() as copy:
            return _Several(copy, actor, project, options, progress).take_all(files)
    return _Several(store, actor, project, options, progress).take_all(files)


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
        raise InvalidValue(_("No files given. Name at least one."))
    repeated = next((path for number, path in enumerate(paths) if path in paths[:number]), None)
    if repeated is not None:
        raise InvalidValue(_("'{path}' is given twice. Remove one.", path=repeated))
    if len(paths) == 1:
        return file_import.import_path(store, actor, project, paths[0], options, format_name)
    file_import.require_known_words(options)
    with ExitStack() as stack:
        readables = [stack.enter_context(file_import.readable(path, format_name)) for path in paths]
        files = [NamedFile(str(path), *of) for path, of in zip(paths, readables, strict=True)]
        together = ImportReport(is_dry_run=options.dry_run, is_output=all(file.is_output for file in files))
        for file in import_files(store, actor, project, files, options):
            together.add_file(file.name, file.report)
    return together


@dataclass(slots=True)
class _Several:
    """One import of several files: which of them were taken by now, and which refused."""

    store: Store
    actor: User
    project: Project
    options: ImportOptions
    progress: Progress
    taken: list[FileReport] = field(default_factory=list)
    refusals: dict[str, ImportRefused] = field(default_factory=dict)
    has_inseq: bool = False

    def take_all(self, files: Sequence[NamedFile]) -> tuple[FileReport, ...]:
        """Texts before what was said of them, which is not looked at where the texts have problems."""
        texts = [file for file in files if not file.is_output]
        outputs = [file for file in files if file.is_output]
        self.has_inseq = any(file.format_name == file_import.INSEQ for file in outputs)
        with self.store.transaction():
            for file in texts:
                self._take(file, self.options)
            if not self.refusals:  # else each would say of its texts that they are not there
                for file in outputs:
                    self._take(file, self._of_output(file, is_after_texts=bool(texts)))
            if self.refusals:
                raise _refusal(
                    self.taken, self.refusals, len(files), has_output=bool(outputs)
                )  # and everything is taken back
            self._require_labels()
        _leave_unsaid(self.taken, outputs)
        return tuple(self.taken)

    def _of_output(self, file: NamedFile, *, is_after_texts: bool) -> ImportOptions:
        """Without what is chosen for texts alone, or for files of another format beside this one."""
        options = self.options
        if options.prompt and file.format_name != file_import.INSEQ and self.has_inseq:
            options = replace(options, prompt="")
        if not is_after_texts:
            return options
        return replace(
            options, columns={}, left_columns=(), metadata_columns=(), number_keys=False, majority_labels=False,
            entities=False,
        )  # fmt: skip

    def _require_labels(self) -> None:
        options = self.options
        met = list(dict.fromkeys(label for file in self.taken for label in file.report.labels_met))
        unmet = unmet_label((*options.renamed, *options.left_labels, *options.added_labels), met)
        if unmet is not None:
            raise InvalidValue(unknown(_("label"), unmet, listed(met)))

    def _take(self, file: NamedFile, options: ImportOptions) -> None:
        now = get_project_by_id(self.store, self.project.id)  # with the labels that came with the files before
        storing = replace(options, dry_run=False, is_one_of_several=True)
        try:
            report = file_import.import_file(
                self.store, self.actor, now, file.format_name, file.path, storing, progress=self.progress
            )
        except ImportRefused as refusal:
            self.refusals[file.name] = refusal
        except InvalidValue as error:
            problem = Problem(file.name, None, "file", file.name, str(error))
            self.refusals[file.name] = ImportRefused(str(error), [problem], 1, can_leave_out=False)
        else:
            report.is_dry_run = self.options.dry_run
            self.taken.append(FileReport(file.name, file.format_name, report))


def _leave_unsaid(taken: Sequence[FileReport], outputs: Sequence[NamedFile]) -> None:
    """Nothing is said to be left out of a folder that was read for itself."""
    names = {file.path.name for file in outputs}
    for file in taken:
        kept_warnings = [w for w in file.report.warnings if not (w.field == "file" and w.value in names)]
        file.report.n_warnings -= len(file.report.warnings) - len(kept_warnings)
        file.report.warnings = kept_warnings


def _refusal(
    taken: Sequence[FileReport], refusals: Mapping[str, ImportRefused], n_files: int, *, has_output: bool
) -> ImportRefused:
    """What is wrong with some files, with what could have been stored of the others."""
    are_all_bad = [name for name, refusal in refusals.items() if not refusal.can_leave_out]
    return ImportRefused(
        _refusal_words(len(refusals), n_files, are_all_bad),
        [problem for refusal in refusals.values() for problem in refusal.problems],
        sum(refusal.n_problems for refusal in refusals.values()),
        [
            *(_n_problems_words(name, refusal.n_problems) for name, refusal in refusals.items()),
            *(
                _("'{name}': {sentence}", name=name, sentence=note)
                for name, refusal in refusals.items()
                for note in refusal.notes
            ),
            *(_("'{name}': no problem ({words}).", name=file.name, words=file.report.words) for file in taken),
            *_next_step(taken, n_files - len(taken) - len(refusals), has_output=has_output),
        ],
        can_leave_out=not are_all_bad,
    )


def _refusal_words(n: int, n_files: int, are_all_bad: Sequence[str]) -> str:
    files = counted(n_files, "file")
    if are_all_bad:
        return several(
            "Problems in {n} of {files}; {names} unusable. Nothing was stored.",
            "Problems in {n} of {files}; {names} unusable. Nothing was stored.",
            n,
            files=files,
            names=listed(list(are_all_bad)),
        )
    return several(
        "Problems in {n} of {files}. Nothing was stored. Correct them or use --skip-invalid.",
        "Problems in {n} of {files}. Nothing was stored. Correct them or use --skip-invalid.",
        n,
        files=files,
    )


def _n_problems_words(name: str, n: int) -> str:
    return several("'{name}': {n} problem.", "'{name}': {n} problems.", n, name=name)


def _next_step(taken: Sequence[FileReport], n_waiting: int, *, has_output: bool) -> list[str]:
    """What can be done where texts and model output came together."""
    if n_waiting:
        return [
            several(
                "The model output file wasn't checked; texts come first.",
                "The {n} model output files weren't checked; texts come first.",
                n_waiting,
            )
        ]
    if has_output and any(not file.report.is_output for file in taken):
        return [_("You can import model output later under Saliency.")]
    return []
