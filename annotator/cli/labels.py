"""Commands on the labels of a project: list, add, rename, map."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.commands import on_project, opened_project, option, project_option, respond
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR

if TYPE_CHECKING:
    from annotator.usecases.project.labels import LabelEffects

_yes_option = option("--yes", is_flag=True, help="Do it without asking; what it changes is printed all the same.")


@click.group()
def label() -> None:
    """Labels of a project, also after work has begun. What follows a change is in docs/rules.md#labels-and-texts."""


@label.command("list")
@on_project
def list_(database: Path, project_name: str, as_json: bool) -> None:
    """List the labels with the instances and annotations that carry them."""
    from annotator.usecases.project.labels import label_effects

    with opened_project(database, project_name) as (store, project):
        effects = [label_effects(store, LOCAL_OPERATOR, project, name) for name in project.labels]
    rows = [{"label": of.label, "instances": of.n_instances, "annotations": of.n_annotations} for of in effects]
    lines = (
        f"{of.label}  ({counted(of.n_instances, 'instance')}, {counted(of.n_annotations, 'annotation')})"
        for of in effects
    )
    respond(as_json, {"labels": rows}, *lines)


@label.command("add")
@click.argument("name")
@project_option
@click.pass_obj
def add(database: Path, name: str, project_name: str) -> None:
    """Add a label at the end; people who mark now are offered it with their next text."""
    from annotator.usecases.project.labels import add_label

    with opened_project(database, project_name) as (store, project):
        labels = add_label(store, LOCAL_OPERATOR, project, name).labels
    click.echo(f"The labels are now: {', '.join(labels)}.")


@label.command("rename")
@click.argument("old")
@click.argument("new")
@project_option
@_yes_option
@click.pass_obj
def rename(database: Path, old: str, new: str, project_name: str, yes: bool) -> None:
    """Give a label another name wherever it stands. What changes is printed first; renaming it back undoes it."""
    from annotator.usecases.project.labels import UNDONE, label_effects, rename_label

    with opened_project(database, project_name) as (store, project):
        _show(label_effects(store, LOCAL_OPERATOR, project, old), f"“{old}” becomes “{new}”", UNDONE)
        if not yes:
            click.confirm("Rename it?", abort=True)
        report = rename_label(store, LOCAL_OPERATOR, project, old, new)
    click.echo(f"“{old}” is now “{new}”: {report}.")


@label.command("map")
@click.argument("old")
@click.argument("other")
@project_option
@_yes_option
@click.pass_obj
def map_(database: Path, old: str, other: str, project_name: str, yes: bool) -> None:
    """Put a label's texts under another label of the project; the first label is gone. This cannot be undone."""
    from annotator.usecases.project.labels import NOT_UNDONE, label_effects, map_label

    with opened_project(database, project_name) as (store, project):
        _show(
            label_effects(store, LOCAL_OPERATOR, project, old),
            f"“{old}” is put under “{other}” and is then gone",
            NOT_UNDONE,
        )
        if not yes:
            click.confirm("Map it?", abort=True)
        report = map_label(store, LOCAL_OPERATOR, project, old, other)
    click.echo(f"“{old}” is now “{other}”: {report}.")


def _show(effects: "LabelEffects", what: str, undoing: str) -> None:
    """What it does, before it is done."""
    click.echo(f"{what}. It changes: {', '.join(effects.changes) or 'nothing that is stored'}.")
    for sentence in (*effects.stays, undoing):
        click.echo(sentence)
