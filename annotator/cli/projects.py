"""Commands on projects: create, list, show, import, export, split, stats."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import GOLD_POLICIES
from annotator.domain.tasks import TASKS, get_task
from annotator.errors import ImportRefused, NotFound
from annotator.usecases.databases import open_store
from annotator.usecases.import_report import GOLD_MODES, ImportOptions, ImportReport

_PROJECT = click.option("--project", "project_name", required=True, metavar="NAME", help="The project.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


def _database(context: click.Context) -> Path:
    return Path(context.find_root().obj)


@click.group()
def project() -> None:
    """Create, list and show projects."""


@project.command("create")
@click.argument("name")
@click.option("--task", "task_name", required=True, type=click.Choice(list(TASKS)), help="What kind of input.")
@click.option("--labels", default="", help="Labels, comma separated; none: those of the first import.")
@click.option("--language", default="en", show_default=True, help="For texts that do not say theirs.")
@click.option("--guidelines", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A Markdown file.")
@click.pass_context
def create(
    context: click.Context, name: str, task_name: str, labels: str, language: str, guidelines: Path | None
) -> None:
    """Create an empty project (and the database, if it is not there)."""
    from annotator.usecases.projects import create_project

    chosen = [label.strip() for label in labels.split(",")] if labels.strip() else []
    text = guidelines.read_text(encoding="utf-8") if guidelines else ""
    with open_store(_database(context), create=True) as store:
        made = create_project(
            store, LOCAL_OPERATOR, name, get_task(task_name), labels=chosen, language=language, guidelines=text
        )
    click.echo(f"Project '{made.name}' is ready. Next: annotator import FORMAT PATH --project '{made.name}'")


@project.command("list")
@_JSON
@click.pass_context
def list_(context: click.Context, as_json: bool) -> None:
    """List the projects with their size."""
    from annotator.usecases.projects import progress_of, projects_of

    with open_store(_database(context)) as store:
        rows = [
            {"name": p.name, "task": p.task.name, "language": p.language,
             "instances": progress_of(store, LOCAL_OPERATOR, p.id).n_instances}
            for p in projects_of(store, LOCAL_OPERATOR)
        ]  # fmt: skip
    if as_json:
        _print_json({"projects": rows})
    for row in [] if as_json else rows:
        click.echo(f"{row['name']}  ({row['task']}, {row['language']}, {row['instances']} instances)")


@project.command("show")
@click.argument("name")
@_JSON
@click.pass_context
def show(context: click.Context, name: str, as_json: bool) -> None:
    """Show a project's rules, members and progress."""
    from annotator.usecases.projects import find_project, members_of, progress_of

    with open_store(_database(context)) as store:
        found = find_project(store, name)
        progress = progress_of(store, LOCAL_OPERATOR, found.id)
        members = [{"name": user.name, "role": role} for user, role in members_of(store, LOCAL_OPERATOR, found.id)]
    answer: dict[str, Any] = {
        "name": found.name, "task": found.task.name, "language": found.language, "labels": list(found.labels),
        "settings": dataclasses.asdict(found.settings), "instances": progress.instances, "people": progress.people,
        "open_proposals": progress.n_open_proposals, "members": members,
    }  # fmt: skip
    _print(answer, as_json)


@click.command("import")
@click.argument("format_name", metavar="FORMAT")
@click.argument("path", type=click.Path(path_type=Path))
@_PROJECT
@click.option("--split", help="The split of a single file that does not say it.")
@click.option("--language", help="The language of texts that do not say theirs.")
@click.option(
    "--gold",
    type=click.Choice(GOLD_MODES),
    default="accepted",
    show_default=True,
    help="What the file's annotations are.",
)
@click.option("--key-prefix", default="", help="Put before every key, where ids repeat between files.")
@click.option("--update", is_flag=True, help="Changed rows of known keys overwrite.")
@click.option("--skip-invalid", is_flag=True, help="Store the good rows and list the rest.")
@click.option("--dry-run", is_flag=True, help="Check everything, store nothing.")
@_JSON
@click.pass_context
def import_(
    context: click.Context, /, format_name: str, path: Path, project_name: str, as_json: bool, **options: Any
) -> None:
    """Read a file or folder into a project: all of it or nothing.

    FORMAT is csv, jsonl, eraser or benchmark.
    """
    from annotator.usecases.importing import import_file
    from annotator.usecases.projects import find_project

    if not path.exists():
        raise NotFound(f"There is no file or folder '{path}'.")
    with open_store(_database(context)) as store:
        found = find_project(store, project_name)
        try:
            report = import_file(
                store, LOCAL_OPERATOR, found, format_name, path, ImportOptions(**options), progress=_show_progress
            )
        except ImportRefused as refusal:
            if as_json:
                _print_json(_refusal(refusal))
            raise
    _print_report(report, as_json)


def _show_progress(n_read: int) -> None:
    """Every 10,000 instances a line, on standard error, where it disturbs no output."""
    if n_read % 10_000 == 0:
        click.echo(f"{n_read:,} instances read", err=True)


def _refusal(refusal: ImportRefused) -> dict[str, Any]:
    problems = [dataclasses.asdict(problem) for problem in refusal.problems]
    return {"stored": False, "n_problems": refusal.n_problems, "problems": problems}


def _print_report(report: ImportReport, as_json: bool) -> None:
    for problem in report.problems:
        click.echo(f"{'warning' if problem.is_warning else 'left out'}: {problem}", err=True)
    hidden = report.n_problems + report.n_warnings - len(report.problems)
    if hidden:
        click.echo(f"... and {hidden} more", err=True)
    answer = dataclasses.asdict(report)
    if as_json:
        _print_json({"stored": not report.is_dry_run, **answer})
        return
    verb = "Would store" if report.is_dry_run else "Stored"
    click.echo(
        f"{verb} {report.n_new} new instances ({report.n_documents} new texts, {report.n_annotations} annotations with "
        f"{report.n_sets} rationale sets); {report.n_updated} changed, {report.n_unchanged} as they were, "
        f"{report.n_problems} left out, {report.n_warnings} warnings."
    )


@click.command("export")
@click.argument("format_name", metavar="FORMAT")
@click.argument("path", type=click.Path(path_type=Path))
@_PROJECT
@click.option("--gold-policy", type=click.Choice(GOLD_POLICIES), help="Which sets count; else the project's policy.")
@click.option("--split", help="Only this split.")
@click.option("--include", type=click.Choice(["submitted"]), help="Also annotations that are not accepted yet.")
@_JSON
@click.pass_context
def export(
    context: click.Context, format_name: str, path: Path, project_name: str, gold_policy: Any, split: str | None,
    include: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Write a project's gold (or, as jsonl, everything of it) to a file or folder."""
    from annotator.usecases.exporting import ExportOptions, export_file
    from annotator.usecases.projects import find_project

    with open_store(_database(context)) as store:
        found = find_project(store, project_name)
        options = ExportOptions(gold_policy, split, include == "submitted")
        n = export_file(store, LOCAL_OPERATOR, found, format_name, path, options)
    if as_json:
        _print_json({"instances": n, "path": str(path)})
    else:
        click.echo(f"Wrote {n} instances to {path}.")


@click.command()
@_PROJECT
@click.option("--parts", required=True, help="Names and shares, for example train=.8,val=.1,test=.1")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same split.")
@_JSON
@click.pass_context
def split(context: click.Context, project_name: str, parts: str, seed: int, as_json: bool) -> None:
    """Give every instance a split; instances that share a text stay together."""
    from annotator.usecases.projects import find_project
    from annotator.usecases.splitting import split_project

    with open_store(_database(context)) as store:
        report = split_project(store, LOCAL_OPERATOR, find_project(store, project_name), parts, seed)
    _print({"sizes": report.sizes, "leaks": report.n_leaks}, as_json)


@click.command()
@_PROJECT
@_JSON
@click.pass_context
def stats(context: click.Context, project_name: str, as_json: bool) -> None:
    """Print a project's size, progress, RLR and RSN."""
    from annotator.usecases.projects import find_project
    from annotator.usecases.statistics import statistics_of

    with open_store(_database(context)) as store:
        found = statistics_of(store, LOCAL_OPERATOR, find_project(store, project_name))
    _print(dataclasses.asdict(found), as_json)


def _print_json(answer: object) -> None:
    click.echo(json.dumps(answer, ensure_ascii=False))


def _print(answer: dict[str, Any], as_json: bool, indent: str = "") -> None:
    if as_json:
        _print_json(answer)
        return
    for name, value in answer.items():
        if isinstance(value, dict) and value:
            click.echo(f"{indent}{name}:")
            _print(value, as_json=False, indent=indent + "  ")
        else:
            click.echo(f"{indent}{name}: {_shown(value)}")


def _shown(value: object) -> str:
    if value is None or (isinstance(value, dict | list) and not value):
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(_shown(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(item)}" for name, item in value.items())
    return str(value)
