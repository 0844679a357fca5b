"""`annotator suite` and `annotator words`: functional tests and word lists of a project."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from annotator.cli import commands
from annotator.domain.file_problems import group_problems
from annotator.domain.numbers import counted, percent
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.suites import WORD_LIST_ROLES, StoredSuite, WordListRole
from annotator.errors import InvalidValue

if TYPE_CHECKING:
    from annotator.usecases.suites.results import ResultRow

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_N_CASES = 200
_project = commands.option("--project", "project_name", required=True, metavar="P", help="The project.")


@click.group()
def suite() -> None:
    """Functional tests (MFT, INV, DIR): make, run, score, exchange. See docs/tests.md."""


@suite.command()
@commands.json_option
def ready(as_json: bool) -> None:
    """List the ready-made suites with their tests."""
    from annotator.usecases.suites.construction import all_ready

    ready_suites = all_ready()
    if as_json:
        rows = [
            {"name": suite.name, "task": suite.task, "source": suite.source, "labels": list(suite.labels),
             "tests": [{"name": r.name, "type": r.type, "category": r.category, "about": r.about} for r in suite.recipes]}
            for suite in ready_suites
        ]  # fmt: skip
        commands.print_json({"suites": rows})
        return
    for suite in ready_suites:
        click.echo(f"{suite.name} (task {suite.task}; labels {', '.join(suite.labels)}), {suite.source}")
        for recipe in suite.recipes:
            click.echo(f"  {recipe.category:<11} {recipe.type}  {recipe.name}: {recipe.about}")


@suite.command()
@click.argument("name")
@_project
@commands.option(
    "--ready", "ready_name", required=True, metavar="NAME",
    help="A suite of `annotator suite ready`: sentiment or inference.",
)  # fmt: skip
@commands.option("--test", "only", multiple=True, metavar="TEST", help="Only this test; repeat it for several.")
@commands.option("--n", default=_N_CASES, type=click.IntRange(1, 100_000), help="Cases of each test.")
@commands.option("--seed", default=0, help="The same seed gives the same result.")
@commands.option(
    "--label", "labels", multiple=True, metavar="READY=OWN",
    help="The project's name for a label of the suite; repeat it for several.",
)  # fmt: skip
@commands.option(
    "--on-texts",
    is_flag=True,
    help="Make tests that change texts from the project's texts; the others still come from templates.",
)
@commands.answering
@commands.examples("annotator suite make first --ready sentiment --project Reviews --n 20")
def make(
    path: Path, /, *, name: str, project_name: str, ready_name: str, only: Sequence[str], n: int, seed: int,
    labels: Sequence[str], on_texts: bool, as_json: bool,
) -> None:  # fmt: skip
    """Make the suite NAME from a ready-made one. A test that needs a label which the project lacks is left out and
    named.
    """
    from annotator.usecases.suites.construction import find_ready, guessed_labels, make_ready_suite

    with commands.opened_project(path, project_name) as (store, project):
        chosen = find_ready(project, ready_name)
        named = guessed_labels(chosen, project) | _named(labels, chosen.labels)
        made = make_ready_suite(
            store, LOCAL_OPERATOR, project, chosen, name, named, n=n, seed=seed, on_instances=on_texts, only=only
        )
    for test, reason in made.left_out:
        click.echo(f"left out: {test}: {reason}", err=True)
    values = {**_row(made.suite), "labels": named, "left_out": dict(made.left_out)}
    commands.respond(as_json, values, f"The suite '{name}' has {_counts(made.suite, ' with')}.")


def _named(given: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    named = commands.pairs_of(given, "--label")
    strange = [label for label in named if label not in known]
    if strange:
        raise InvalidValue(f"--label: the suite has no label '{strange[0]}'; it has {', '.join(known)}.")
    return named


def _counts(suite: StoredSuite, joint: str = ",") -> str:
    return f"{counted(len(suite.tests), 'test')}{joint} {counted(suite.n_cases, 'case')}"


def _row(suite: StoredSuite) -> dict[str, Any]:
    tests = [
        {"name": t.name, "type": t.type, "category": t.category, "cases": t.n_cases, "texts": t.n_texts}
        for t in suite.tests
    ]
    return {"suite": suite.name, "tests": tests}


@suite.command(name="list")
@_project
@commands.answering
def list_(path: Path, project_name: str, as_json: bool) -> None:
    """List the project's suites with their tests."""
    from annotator.usecases.suites.construction import suites_of

    with commands.opened_project(path, project_name) as (store, project):
        suites = suites_of(store, LOCAL_OPERATOR, project)
    lines = []
    for suite in suites:
        lines.append(f"{suite.name}: {_counts(suite)}")
        lines += [f"  {t.category:<11} {t.type}  {t.name}: {counted(t.n_cases, 'case')}" for t in suite.tests]
    none = "There are no suites yet. Make one with 'annotator suite make NAME --ready sentiment --project P'."
    commands.respond(as_json, {"suites": [_row(suite) for suite in suites]}, *(lines or [none]))


@suite.command()
@click.argument("name")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_project
@click.pass_obj
def export(path: Path, name: str, file: Path, project_name: str) -> None:
    """Write the suite NAME to FILE as JSONL, one case on each line."""
    from annotator.usecases.suites.files import export_suite

    with commands.opened_project(path, project_name) as (store, project):
        n = export_suite(store, LOCAL_OPERATOR, project, name, file)
    click.echo(f"Wrote {counted(n, 'case')} to {file}.")


@suite.command(name="import")
@click.argument("name")
@click.argument("file", type=_FILE)
@_project
@commands.option(
    "--rename", "renamed", multiple=True, metavar="LABEL=OWN",
    help="The project's name for a label of the file; repeat it for several.",
)  # fmt: skip
@commands.option(
    "--expect", "expected", multiple=True, metavar="TEST=EXPECTATION",
    help="What a test expects if its cases do not say: not_up or not_down (DIR), a label or not:LABEL (MFT); "
    "repeat it for several.",
)  # fmt: skip
@commands.option(
    "--skip-invalid",
    is_flag=True,
    help="Leave out and list invalid cases, also those with labels that the project lacks.",
)
@click.pass_obj
def import_(
    path: Path, name: str, file: Path, project_name: str, renamed: Sequence[str], expected: Sequence[str],
    skip_invalid: bool,
) -> None:  # fmt: skip
    """Store the cases of FILE as a new suite NAME."""
    from annotator.usecases.suites.files import import_suite, left_out_words

    with commands.opened_project(path, project_name) as (store, project):
        done = import_suite(
            store, LOCAL_OPERATOR, project, file, name, renamed=commands.pairs_of(renamed, "--rename"),
            expected=commands.pairs_of(expected, "--expect"), skip_invalid=skip_invalid,
        )  # fmt: skip
    for problem in group_problems(done.problems):
        click.echo(f"left out: {problem}", err=True)
    click.echo(f"The suite '{name}' has {_counts(done.suite, ' with')}.")
    if done.problems:
        click.echo(left_out_words(done))


@suite.command()
@click.argument("name")
@_project
@commands.option(
    "--model",
    required=True,
    help="built-in, built-in:NAME, spacy:FOLDER-OR-NAME, transformers:FOLDER-OR-NAME or served:NAME (see explain-self).",
)
@commands.option("--as", "model_name", default="", metavar="NAME", help="Keep its answers under this name.")
@commands.option(
    "--seed",
    default="",
    help="The seed of its training. Models of one name with other seeds give a mean with its deviation.",
)
@commands.rename_option
@commands.option(
    "--again",
    is_flag=True,
    help="Also ask about answered tests; answers of another model under that name are replaced.",
)
@commands.device_option
@commands.threads_option
@commands.hub_option
@commands.answering
def run(
    path: Path, /, *, name: str, project_name: str, model: str, model_name: str, seed: str, renamed: Sequence[str],
    again: bool, device: str, threads: int, asks_hub: bool, as_json: bool,
) -> None:  # fmt: skip
    """Ask a model about the tests of the suite NAME that it has not answered yet. A test is stored when all of it is
    answered; repeat the command to go on.
    """
    from annotator.usecases.models.attributions import LoadOptions
    from annotator.usecases.suites.runs import SuiteOptions, run_suite

    load = LoadOptions(device, threads, asks_hub=asks_hub)
    options = SuiteOptions(model_name, seed, commands.pairs_of(renamed, "--rename", may_be_empty=True), again, load)
    with commands.opened_project(path, project_name) as (store, project):
        report = run_suite(store, LOCAL_OPERATOR, project, name, model, options)
    for note in report.notes:
        click.echo(note, err=True)
    known = f" {counted(report.n_known, 'test was', 'tests were')} answered before." if report.n_known else ""
    words = f"'{report.model}' answered {counted(report.n_tests, 'test')}, {counted(report.n_texts, 'text')}.{known}"
    commands.respond(as_json, dataclasses.asdict(report), words)


@suite.command()
@click.argument("name")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@_project
@commands.option("--model", default="", help="The model, if the rows do not name it.")
@commands.option("--update", is_flag=True, help="Replace earlier answers of the same run.")
@click.pass_obj
def predictions(path: Path, name: str, files: tuple[Path, ...], project_name: str, model: str, update: bool) -> None:
    """Import what a model predicted for every text of the suite NAME, by test, case and position.

    Each seed, or each file without seeds, is a run. The whole import is refused if a text has no prediction or two,
    if a row has no text in the suite, or if DIR has no probabilities.
    """
    from annotator.usecases.suites.files import import_suite_predictions

    with commands.opened_project(path, project_name) as (store, project):
        done = import_suite_predictions(store, LOCAL_OPERATOR, project, name, files, model=model, update=update)
    click.echo(
        f"'{done.model}': {counted(done.n_new, 'new run')}, {done.n_changed} changed, {done.n_unchanged} unchanged."
    )


@suite.command()
@click.argument("name")
@_project
@commands.option(
    "--compare", nargs=2, metavar="MODEL OTHER",
    help="Two models: how much more often OTHER fails, over the cases on which both are judged.",
)  # fmt: skip
@commands.answering
def score(path: Path, name: str, project_name: str, compare: tuple[str, str] | None, as_json: bool) -> None:
    """Show failure rates of every model that has answered the suite NAME, by capability and test.

    Each rate has its 95 % interval, and beside it the rates of models that read nothing. docs/tests.md describes what
    --json holds.
    """
    from annotator.usecases.suites.construction import suite_named
    from annotator.usecases.suites.results import suite_results

    with commands.opened_project(path, project_name) as (store, project):
        results = suite_results(store, LOCAL_OPERATOR, project, suite_named(store, project, name), compare)
    if as_json:
        commands.print_json({"suite": name, "models": list(results.models), "compared": results.compared,
                    "rows": [_result(row) for row in results.rows]})  # fmt: skip
        return
    if not results.models:
        click.echo(f"No model has answered '{name}' yet. Ask one with 'annotator suite run', or import predictions.")
    for row in results.rows:
        indent = "  " if row.test is not None else ""
        click.echo(f"{indent}{row.name} ({counted(row.n_cases, 'case')})")
        for line in _lines(row):
            click.echo(f"{indent}    {line}")


def _result(row: "ResultRow") -> Mapping[str, object]:
    return {
        "name": row.name, "category": row.category, "type": row.test.type if row.test else None, "n_cases": row.n_cases,
        "models": {model: dataclasses.asdict(rate) for model, rate in row.rates.items()},
        "baselines": [dataclasses.asdict(baseline) for baseline in row.baselines],
        "difference": row.difference, "n_compared": row.n_compared, "verdict": row.verdict,
        "difference_bounds": None if row.difference_bounds is None else dataclasses.asdict(row.difference_bounds),
    }  # fmt: skip


def _share(value: float) -> str:
    return percent(value).removesuffix(" %")


def _lines(row: "ResultRow") -> list[str]:
    from annotator.usecases.suites.results import baseline_lines, difference_words

    lines = []
    for model, rate in row.rates.items():
        deviation = (
            "" if rate.deviation is None else f" ± {100 * rate.deviation:.1f} over {counted(rate.n_runs, 'seed')}"
        )
        failed = ", ".join(f"{n:,}" for n in rate.n_failed) or "no answers"
        none = ", ".join(f"{n:,}" for n in rate.n_not_applicable)
        interval = "" if rate.bounds is None else f" [{_share(rate.bounds.low)}, {_share(rate.bounds.high)}]"
        lines.append(
            f"{model}: {percent(rate.rate)}{interval}{deviation}; failed {failed}"
            + (f"; not applicable {none}" if none else "")
            + (f"; {rate.against.words}" if rate.against is not None else "")
        )
    if baselines := baseline_lines(row):
        lines.append(f"baselines: {', '.join(baselines)}")
    if row.difference is not None:
        difference, interval, verdict = difference_words(row)
        between = f" [{interval.replace(' to ', ', ')}]" if interval else ""
        lines.append(f"difference {difference}{between} points over {counted(row.n_compared, 'case')}: {verdict}")
    return lines


@suite.command()
@click.argument("name")
@_project
@commands.option("--test", "test_name", help="Only this test.")
@click.pass_obj
def remove(path: Path, name: str, project_name: str, test_name: str | None) -> None:
    """Remove the suite NAME, or one of its tests, with the models' answers."""
    from annotator.usecases.suites.construction import remove_suite, remove_test

    with commands.opened_project(path, project_name) as (store, project):
        if test_name is None:
            remove_suite(store, LOCAL_OPERATOR, project, name)
        else:
            remove_test(store, LOCAL_OPERATOR, project, name, test_name)
    click.echo(f"'{test_name or name}' was removed.")


# `annotator words`: the word lists of a project.


_SHOWN = 8


@click.group()
def words() -> None:
    """Word lists: what fills the slots of templates, and what is to be marked or left alone."""


@words.command(name="list")
@_project
@commands.answering
def list_words(path: Path, project_name: str, as_json: bool) -> None:
    """List the word lists of a project."""
    from annotator.usecases.project.word_lists import word_lists

    with commands.opened_project(path, project_name) as (store, project):
        stored_lists = word_lists(store, LOCAL_OPERATOR, project)
    lists = [{"name": w.name, "role": w.role, "language": w.language, "words": list(w.words)} for w in stored_lists]
    lines = []
    for words in stored_lists:
        rest = f" and {len(words.words) - _SHOWN:,} more" if len(words.words) > _SHOWN else ""
        lines.append(f"{words.name} ({words.role}, {words.language}): {', '.join(words.words[:_SHOWN])}{rest}")
    none = "There are no word lists yet. Save one with 'annotator words save NAME FILE --project P'."
    commands.respond(as_json, {"word_lists": lists}, *(lines or [none]))


@words.command()
@click.argument("name")
@click.argument("file", type=_FILE)
@_project
@commands.option(
    "--role", type=click.Choice(WORD_LIST_ROLES), default="slot",
    help="slot: it fills templates; keep: its words are proposed as rationale; ignore: they are shown as none.",
)  # fmt: skip
@commands.option("--language", help="The language; by default the project's.")
@click.pass_obj
def save(path: Path, name: str, file: Path, project_name: str, role: WordListRole, language: str | None) -> None:
    """Save a word list from a text file, one word on each line; "big | small" are two forms of one word. Of a JSON
    file of lists, such as CheckList's lexicons, it is the list NAME. It replaces the list of its name.
    """
    from annotator.usecases.project.word_lists import save_word_list

    try:
        lines = _words_in(file.read_text(encoding="utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise InvalidValue(f"'{file}' is not UTF-8 (byte {error.start}). Save it as UTF-8.") from error
    if lines is None:
        raise InvalidValue(
            f"'{file}' has no list of words '{name}'. Write a word on each line, or JSON: {{NAME: [word]}}."
        )
    with commands.opened_project(path, project_name) as (store, project):
        made = save_word_list(store, LOCAL_OPERATOR, project, name, lines, role=role, language=language)
    click.echo(f"The list '{made.name}' has {counted(len(made.words), 'word')}.")


def _words_in(text: str, name: str) -> Sequence[str] | None:
    """A word a line, or the words of a list in JSON; None where the JSON has no such list."""
    if not text.lstrip().startswith("{"):
        return text.splitlines()
    try:
        words = msgspec.json.decode(text, type=dict[str, Any]).get(name)
    except (msgspec.DecodeError, RecursionError):
        return None
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else None


@words.command("remove")
@click.argument("name")
@_project
@click.pass_obj
def remove_words(path: Path, name: str, project_name: str) -> None:
    """Remove a word list; tests that were made with it keep their cases."""
    from annotator.usecases.project.word_lists import remove_word_list

    with commands.opened_project(path, project_name) as (store, project):
        remove_word_list(store, LOCAL_OPERATOR, project, name)
    click.echo(f"The list '{name}' has been removed.")
