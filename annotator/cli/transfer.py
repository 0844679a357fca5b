"""Commands that bring files in and out: import, export."""

import dataclasses
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commands import (
    answering,
    examples,
    opened_project,
    option,
    pairs_of,
    print_json,
    project_option,
    show_rest,
)
from annotator.domain.file_problems import group_problems
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GOLD_POLICIES, Project
from annotator.errors import ImportRefused, InvalidValue, NotFound, Problem
from annotator.usecases.transfer.import_report import GOLD_MODES, MERGES, ImportOptions, ImportReport

if TYPE_CHECKING:
    from annotator.usecases.databases import Store
    from annotator.usecases.gold import GoldOptions
    from annotator.usecases.transfer.several_files import NamedFile

_PAIRS = {"renamed": "--rename", "columns": "--column"}
_ROWS_BETWEEN_LINES = 5_000


@click.command("import")
@click.argument("places", metavar="[FORMAT] PATH...", nargs=-1, required=True)
@project_option
@option("--split", help="The split of a single file that names none. Of a folder with split files all are read.")
@option("--language", help="The language of texts whose file names none.")
@option(
    "--gold", type=click.Choice(GOLD_MODES), default="accepted",
    help="What the file's annotations become: accepted annotations, drafts for annotators to correct, or a "
    "reference only.",
)  # fmt: skip
@option(
    "--gold-policy",
    type=click.Choice(GOLD_POLICIES),
    help=("What the project's gold is made from, from now on; by default as before. See docs/rules.md#gold-policies."),
)
@option("--key-prefix", default="", help="Put this before every key, if ids repeat between files.")
@option("--update", is_flag=True, help="Let a changed row overwrite the instance with its key; else it is refused.")
@option("--skip-invalid", is_flag=True, help="Store the good rows and list the others.")
@option(
    "--set-per-deletion", "one_set_per_edit", is_flag=True,
    help="For aesw: make each deletion a rationale set; else a sentence has one.",
)  # fmt: skip
@option(
    "--rename", "renamed", multiple=True, metavar="FILE_LABEL=LABEL",
    help="The project's name for a label of the file; repeat it for several. The project remembers it, but for "
    "class numbers such as LABEL_1.",
)  # fmt: skip
@option(
    "--add-label", "added_labels", multiple=True, metavar="LABEL",
    help="A label of the file that becomes one of the project's; repeat it for several.",
)  # fmt: skip
@option(
    "--leave-out-label", "left_labels", multiple=True, metavar="LABEL",
    help="A label of the file whose rows are left out; repeat it for several.",
)  # fmt: skip
@option(
    "--merge-labels", is_flag=True,
    help="Merge labels that differ only in case, blanks or full and half width: into the project's, else the "
    "most frequent one.",
)  # fmt: skip
@option(
    "--number-keys",
    is_flag=True,
    help="Number the texts of a file without keys. See docs/columns.md#rows-without-keys.",
)
@option(
    "--majority-labels", is_flag=True,
    help="Give a text without a label the one that most of its annotators gave. See "
    "docs/columns.md#labels-of-several-annotators.",
)  # fmt: skip
@option(
    "--entities", is_flag=True,
    help="For exports of labelling tools and conll, task entity: each labelled span becomes an instance with it as target "
    "and its label. See docs/labelling_tools.md#entities.",
)  # fmt: skip
@option(
    "--column", "columns", multiple=True, metavar="FIELD=COLUMN",
    help="For csv and jsonl: the column that holds a field, such as text=sentence; repeat it for several. The "
    "project remembers it.",
)  # fmt: skip
@option(
    "--leave-column", "left_columns", multiple=True, metavar="COLUMN",
    help="A column that is not read; repeat it for several.",
)  # fmt: skip
@option(
    "--metadata-column", "metadata_columns", multiple=True, metavar="COLUMN",
    help="A column that looks like marks and is metadata. Without it, or --column rationales=COLUMN, its rows "
    "are refused.",
)  # fmt: skip
@option("--forget-columns", is_flag=True, help="Forget the columns and labels that the project remembers.")
@option(
    "--encoding", metavar="NAME",
    help="The files' encoding if it is not UTF-8: windows-1252, gb18030, big5, shift_jis, utf-16 or any that "
    "Python knows. It is never guessed; sample lines are printed for you to check.",
)  # fmt: skip
@option("--sheet", metavar="NAME", help="Of a spreadsheet with several sheets: the one to read.")
@option("--dry-run", is_flag=True, help="Check everything and store nothing.")
@option("--model", default="", help="For model output: the model, if the file names none.")
@option("--method", default="", help="For model output: the method, if the file names none.")
@option("--seed", type=int, help="For model output: the run's seed, if the file names none.")
@option(
    "--vocabulary",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="For model output that holds token numbers only: a file with each token's text.",
)
@option(
    "--prompt", default="",
    help="For inseq: what stands around the text in what the model read, such as 'Review: {text} Sentiment:'; "
    r"\n is a line break. Scores of the words around it are left out; the fact prompt_share tells their "
    "share.",
)  # fmt: skip
@option(
    "--merge", type=click.Choice(MERGES), default="sum",
    help="For model output: how the scores of a word's subwords are joined.",
)  # fmt: skip
@option(
    "--all-doubles",
    is_flag=True,
    help=("For model output without keys: give it to every instance with the same text; else such texts are refused."),
)
@answering
@examples(
    "annotator import reviews.csv --project Reviews --column text=sentence",
    "annotator import predictions answers.jsonl --project Reviews --model bert",
    "annotator import eraser movies/ --project Movies --dry-run",
    "annotator import conll eng.testa --project Names --entities --number-keys",
)
def import_(database: Path, /, places: tuple[str, ...], project_name: str, as_json: bool, **options: Any) -> None:
    """Read files or folders into a project: all of it or nothing.

    FORMAT is one of docs/formats.md, such as csv, jsonl, eraser, conll; for model output predictions, attributions,
    inseq, shap and others. Without it the first lines decide, and the command says which format it took. If a file
    may be both texts and model output, name the format.

    If a row is refused nothing is stored, and every problem is listed with file, line, field, value and reason. The
    same rows again change nothing. Of several files, texts are read before model output; a folder or archive brings
    the model output that lies in it.
    """
    pairs = {name: pairs_of(options[name], option) for name, option in _PAIRS.items()}
    given = ImportOptions(**{**options, **pairs, "prompt": options["prompt"].replace(r"\n", "\n")})
    format_given, paths = _format_and_paths(places)
    with ExitStack() as stack:
        files = [file for path in paths for file in _files_of(path, format_given, stack)]
        _show_letters(files, given.encoding)
        if len(files) > 1:
            _import_several(database, project_name, files, given, as_json=as_json)
        else:
            _import_one(database, project_name, files[0], given, as_json=as_json)


def _files_of(path: Path, format_given: str | None, stack: ExitStack) -> "list[NamedFile]":
    """What is read of a path: a file, or a folder with the model output that lies in it; of an archive what is in that."""
    from annotator.usecases.transfer.several_files import NamedFile, output_within
    from annotator.usecases.transfer.uploads import unpacked

    unpacked_path = stack.enter_context(unpacked(path))
    file = NamedFile(str(path), unpacked_path, format_given or _guessed_format(unpacked_path))
    return [file] if format_given else [file, *output_within(file)]


def _show_letters(files: "Sequence[NamedFile]", encoding: str | None) -> None:
    """How the encoding that was named reads the files, for whoever named it to look at."""
    if encoding is None:
        return
    from annotator.usecases.transfer.row_keys import is_text, recoded_bytes, samples

    for file in files:
        if file.path.is_file() and is_text(file.path.name):
            content = file.path.read_bytes()
            recoded_bytes(content, encoding, file.name)
            for sample in samples(content, encoding, 3):
                click.echo(f"{file.name} read as {encoding}, line {sample.line}: {sample.text}", err=True)


def _import_one(database: Path, project_name: str, file: "NamedFile", given: ImportOptions, *, as_json: bool) -> None:
    from annotator.usecases.transfer.file_import import READABLE_OUTPUT, import_file

    unpacked_path, format_name = file.path, file.format_name
    with opened_project(database, project_name) as (store, stored_project):
        progress = _Progress("row" if format_name in READABLE_OUTPUT else "instance")
        try:
            report = import_file(
                store, LOCAL_OPERATOR, stored_project, format_name, unpacked_path, given, progress=progress.take
            )
        except (InvalidValue, ImportRefused) as refusal:
            _tell_other_format(unpacked_path, format_name)
            if as_json and isinstance(refusal, ImportRefused):
                print_json(_refusal(refusal))
            raise
        finally:
            progress.end()
    _print_rows(report)
    if as_json:
        print_json(_answer(report))
    else:
        _print_counts(report, database, stored_project)


def _format_and_paths(places: Sequence[str]) -> tuple[str | None, list[Path]]:
    """The format, where the first word is none of the paths, and the paths; raises NotFound for one that is not there."""
    from annotator.usecases.transfer.file_import import READABLE, READABLE_OUTPUT

    is_path = Path(places[0]).exists() or "." in places[0] or "/" in places[0]
    is_format = len(places) > 1 and (places[0] in (*READABLE, *READABLE_OUTPUT) or not is_path)
    paths = [Path(name) for name in places[is_format:]]
    for path in paths:
        if not path.exists():
            raise NotFound(f"There is no file or folder '{path}'.")
    return (places[0] if is_format else None), paths


def _import_several(
    database: Path, project_name: str, files: "Sequence[NamedFile]", options: ImportOptions, *, as_json: bool
) -> None:
    """Several files, texts before model output: all of them or nothing, each told by itself."""
    from annotator.usecases.transfer.several_files import import_files

    progress = _Progress("row")
    with opened_project(database, project_name) as (store, stored_project):
        try:
            reports = import_files(store, LOCAL_OPERATOR, stored_project, files, options, progress=progress.take)
        except ImportRefused as refusal:
            if as_json:
                print_json(_refusal(refusal))
            raise
        finally:
            progress.end()
    for file in reports:
        _print_rows(file.report)
        if not as_json:
            click.echo(f"{file.name} ({file.format_name}):")
            _print_counts(file.report, database, stored_project)
    if as_json:
        answers = [{"file": file.name, "format": file.format_name, **_answer(file.report)} for file in reports]
        print_json({"stored": not options.dry_run, "files": answers})


def _guessed_format(path: Path) -> str:
    from annotator.usecases.transfer.file_import import READABLE, READABLE_OUTPUT, guessed, require_known_kind

    guess = guessed(path)
    if guess is None:
        require_known_kind(path)
        raise InvalidValue(f"Nothing in '{path}' tells its format. Name it: annotator import FORMAT '{path}'.")
    if guess.format_name not in (*READABLE, *READABLE_OUTPUT):
        raise InvalidValue(
            f"'{path.name}' looks like {guess.words}. Import it with: annotator suite import NAME '{path}'."
        )
    if guess.other is not None:
        ways = " or ".join(f"annotator import {name} '{path}'" for name in (guess.format_name, guess.other.format_name))
        raise InvalidValue(
            f"'{path.name}' may be texts to be marked ({guess.words}) or {guess.other.words} about texts that the project has. "
            f"Say which: {ways}."
        )
    click.echo(f"note: This looks like {guess.words}; it is read as {guess.format_name}.", err=True)
    return guess.format_name


def _tell_other_format(path: Path, format_name: str) -> None:
    """Where a file is refused that looks like one of another format."""
    from annotator.usecases.transfer.file_import import READABLE, READABLE_OUTPUT, guessed

    guess = guessed(path)
    if guess is not None and guess.is_general and format_name in READABLE_OUTPUT:
        return  # JSON or a table of no known form may well be of the format that was named
    if guess is not None and guess.format_name not in (*READABLE, *READABLE_OUTPUT):
        click.echo(
            f"note: This looks like {guess.words}. Import it with: annotator suite import NAME '{path}'.", err=True
        )
    elif guess is not None and format_name not in {
        guess.format_name,
        *([guess.other.format_name] if guess.other else []),
    }:
        click.echo(f"note: This looks like {guess.words}. Try the format {guess.format_name}.", err=True)


class _Progress:
    """A line at least every 5,000 instances, on standard error, where it disturbs no output; a last one for a terminal."""

    def __init__(self, what: str = "instance") -> None:
        self.what = what
        self.n_read = 0
        self.n_shown = 0

    def take(self, n_read: int) -> None:
        """So many have been read by now."""
        self.n_read = n_read
        if n_read // _ROWS_BETWEEN_LINES > self.n_shown // _ROWS_BETWEEN_LINES:
            self._show()

    def end(self) -> None:
        """The file is read, or was refused."""
        if self.n_read > self.n_shown and sys.stderr.isatty():
            self._show()

    def _show(self) -> None:
        self.n_shown = self.n_read
        click.echo(f"{counted(self.n_read, self.what)} read", err=True)


def _refusal(refusal: ImportRefused) -> dict[str, Any]:
    problems = [dataclasses.asdict(problem) for problem in refusal.problems]
    return {"stored": False, "n_problems": refusal.n_problems, "problems": problems, "notes": list(refusal.notes)}


def _answer(report: ImportReport) -> dict[str, Any]:
    return {"stored": not report.is_dry_run, **dataclasses.asdict(report)}


def _print_rows(report: ImportReport) -> None:
    """What is to be known of single rows, and of the file, on standard error."""
    _show_problems("left out", report.problems, report.n_problems, "problem")
    for doubt in report.doubts:
        click.echo(f"warning: {doubt}", err=True)
    _show_problems("warning", report.warnings, report.n_warnings - len(report.doubts), "warning")
    _show_notes(report)


def _print_counts(report: ImportReport, database: Path, project: Project) -> None:
    verb = "Would store" if report.is_dry_run else "Stored"
    if report.is_output:
        click.echo(
            f"{verb} {report.output_words}. Rows of the file: {report.n_new:,} new, {report.n_updated:,} changed, "
            f"{report.n_unchanged:,} unchanged, {report.n_left_out:,} left out; {counted(report.n_warnings, 'warning')}."
        )
        _show_reach(report, database, project)
        return
    click.echo(
        f"{verb} {counted(report.n_new, 'new instance')} ({counted(report.n_documents, 'new text')}, "
        f"{counted(report.n_annotations, 'annotation')} with "
        f"{counted(report.n_sets, 'rationale set')}); {report.n_updated} changed, {report.n_unchanged} unchanged, "
        f"{report.n_left_out} left out, {counted(report.n_warnings, 'warning')}."
    )


def _show_reach(report: ImportReport, database: Path, project: Project) -> None:
    """Of how many texts there are answers and maps now, and where the first map is looked at."""
    from annotator.usecases.databases import address_of_server

    if not (report.n_answered or report.n_mapped):
        return
    click.echo(report.reach_words)
    if report.first_mapped is None:
        return
    number, key = report.first_mapped
    server = address_of_server(database)
    where = "" if server is None or report.is_dry_run else f": {server}/saliency?project={project.id}&instance={number}"
    click.echo(f"The first text with a map is '{key}'{where}.")


def _show_notes(report: ImportReport) -> None:
    """What is to be known of the file as a whole, with what one can do about it here."""
    for note in (*report.columns, *report.notes):
        click.echo(f"note: {note}", err=True)
    if report.gold_policy is not None:
        others = ", ".join(policy for policy in GOLD_POLICIES if policy != report.gold_policy)
        click.echo(f"note: For another policy, repeat the command with --gold-policy ({others}).", err=True)


def _show_problems(what: str, problems: Sequence[Problem], n: int, rest: str) -> None:
    for problem in group_problems(problems):
        click.echo(f"{what}: {problem}", err=True)
    show_rest(n, sum(problem.n for problem in problems), rest)


_PREDICTIONS = ("eraser-predictions", "benchmark-predictions")


def _export_predictions(
    store: "Store", project: "Project", format_name: str, path: Path, options: "GoldOptions", **run: Any
) -> int:
    from annotator.usecases.models.prediction_export import export_benchmark_predictions, export_predictions

    if format_name == "benchmark-predictions":
        return export_benchmark_predictions(store, LOCAL_OPERATOR, project, path, options=options, **run)
    return export_predictions(store, LOCAL_OPERATOR, project, path, split=options.split, **run)


@click.command("export")
@click.argument("format_name", metavar="FORMAT")
@click.argument("path", type=click.Path(path_type=Path))
@project_option
@option("--gold-policy", type=click.Choice(GOLD_POLICIES), help="Which sets count; by default the project's policy.")
@option("--annotator", metavar="NAME", help="Only this person's annotations, whatever label they gave.")
@option("--unhelped", is_flag=True, help="Only annotations made without help (proposed sets, predictions).")
@option("--split", help="Only this split.")
@option("--include", type=click.Choice(["submitted"]), help="Also annotations that are submitted and not yet accepted.")
@option(
    "--half", type=click.Choice(["both", "originals", "perturbed"]), default="both",
    help="Only originals, or only perturbed versions. Contrast sets always hold both.",
)  # fmt: skip
@option(
    "--names", "has_names", is_flag=True,
    help="Name the annotators in csv, parquet, datasets and parquet-annotations; else they are pseudonyms. "
    "jsonl always has names.",
)  # fmt: skip
@option("--model", metavar="MODEL", help="With predictions: the model.")
@option("--method", default="", metavar="METHOD", help="With predictions: the method.")
@option("--seed", type=int, help="With predictions: the seed, where there are several.")
@answering
@examples(
    "annotator export jsonl reviews.jsonl --project Reviews",
    "annotator export eraser reviews-eraser --project Reviews --gold-policy union",
    "annotator export eraser-predictions lime.jsonl --project Reviews --model bert --method lime --split test",
)
def export(
    database: Path, /, *, format_name: str, path: Path, project_name: str, gold_policy: Any,
    annotator: str | None, unhelped: bool, split: str | None, include: str | None, half: Any, has_names: bool,
    model: str | None, method: str, seed: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Write a project's gold to a file or folder; as jsonl, everything in the project.

    --annotator writes one person's sets and labels; jsonl and parquet-annotations always hold everybody's.

    FORMAT is jsonl, csv (a row for each rationale set), conll (BIO tags), eraser, benchmark, contrast, parquet,
    datasets (a folder for Hugging Face datasets), parquet-annotations (every annotation of everybody), or one of
    docs/formats.md. What a format cannot hold is refused with its place. Only you can read the files (modes 600 and
    700); chmod opens them to others.

    eraser-predictions and benchmark-predictions write what a model and method say of the texts, for the papers' scorers,
    `evaluate eraser` and `evaluate benchmark`. The benchmark's lines have the numbers of the gold that is exported with the
    same --split and --gold-policy.

    --json has `instances` (written), `left_out` (perturbed versions without gold, which contrast sets leave out) and
    `path`.
    """
    from annotator.domain.measurements import ANNOTATOR, WITHOUT_HELP, Whose
    from annotator.usecases.gold import GoldOptions
    from annotator.usecases.transfer.export import export_file

    if (format_name in _PREDICTIONS) != (model is not None):
        raise click.UsageError(f"{' and '.join(_PREDICTIONS)} need --model, and no other format takes it.")
    if unhelped and annotator is not None:
        raise click.UsageError("--annotator and --unhelped exclude each other. Remove one.")
    whose = Whose(ANNOTATOR, annotator) if annotator is not None else WITHOUT_HELP if unhelped else None
    options = GoldOptions(gold_policy, split, include == "submitted", half, whose)
    with opened_project(database, project_name) as (store, stored_project):
        if model is not None:
            run = {"model": model, "method": method, "seed": seed}
            n = _export_predictions(store, stored_project, format_name, path, options, **run)
            print_json({"instances": n, "path": str(path)}) if as_json else click.echo(
                f"Wrote {counted(n, 'line')} to {path}."
            )
            return
        exported = export_file(store, LOCAL_OPERATOR, stored_project, format_name, path, options, has_names=has_names)
    if as_json:
        annotations = {} if exported.n_annotations is None else {"annotations": exported.n_annotations}
        print_json({"instances": exported.n, **annotations, "left_out": exported.n_waiting, "path": str(path)})
    else:
        click.echo(" ".join(filter(None, (f"Wrote {exported.words} to {path}.", exported.left_out))))
