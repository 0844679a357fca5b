"""`annotator release`: a project's gold, frozen under a number."""

from pathlib import Path
from typing import Any

import click

from annotator.cli.commands import answering, on_project, opened_project, option, print_json, project_option, respond
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.releases import Release

_SHOWN = 10  # keys of a kind of difference
_number = click.argument("number", type=click.IntRange(min=1))


@click.group()
def release() -> None:
    """Releases: a project's gold, frozen under a number, compared and exported. A release is never edited or deleted."""


@release.command()
@click.argument("name")
@project_option
@option("--licence", help="The licence; by default the project's. Without any, nothing is frozen.")
@option("--citation", help="How to cite it; by default as the project says, else by its name, release and day.")
@answering
def create(path: Path, name: str, project_name: str, licence: str | None, citation: str | None, as_json: bool) -> None:
    """Freeze the gold of a project, as it is now under its policy, as the next release: 1, 2, 3 ...

    The release stays the same whatever happens to the project. People have pseudonyms in it. Gold comes from accepted
    annotations; a labels-only project without any freezes the labels of its texts.
    """
    from annotator.usecases.releases.frozen_gold import freeze_gold, unfinished_words

    with opened_project(path, project_name) as (store, project):
        unfinished = unfinished_words(store, LOCAL_OPERATOR, project)
        made = freeze_gold(store, LOCAL_OPERATOR, project, name, licence=licence, citation=citation)
    if as_json:
        print_json(_row(made))
        return
    click.echo(f"Made {made.words} of '{project_name}': {made.gold.words}.")
    if unfinished:
        click.echo(f"note: {unfinished}", err=True)


@release.command(name="list")
@on_project
def list_(path: Path, project_name: str, as_json: bool) -> None:
    """The releases of a project with names, days, counts and digests. Equal gold has the same digest in any database."""
    from annotator.usecases.releases.frozen_gold import releases_of_project

    with opened_project(path, project_name) as (store, project):
        releases = releases_of_project(store, LOCAL_OPERATOR, project)
    lines = [
        f"{made.number}  {made.name} ({made.day}): {made.gold_words}; digest {made.gold.short_digest}"
        for made in releases
    ]
    none = f"There is no release yet. Make one with 'annotator release create NAME --project {project_name}'."
    respond(as_json, {"releases": [_row(made) for made in releases]}, *(lines or [none]))


@release.command()
@_number
@on_project
def show(path: Path, number: int, project_name: str, as_json: bool) -> None:
    """Everything about a release: policy, labels, licence, citation, counts and the whole digest."""
    from annotator.usecases.releases.frozen_gold import release_of_project

    with opened_project(path, project_name) as (store, project):
        made = release_of_project(store, LOCAL_OPERATOR, project, number)
    row = _row(made)
    lines = (
        f"{name.replace('_', ' ')}: {', '.join(value) if isinstance(value, list) else value}"
        for name, value in row.items()
    )
    respond(as_json, row, *lines)


@release.command()
@_number
@click.argument("other", type=click.IntRange(min=1), required=False)
@on_project
def diff(path: Path, number: int, other: int | None, project_name: str, as_json: bool) -> None:
    """What differs from release NUMBER to release OTHER; without OTHER, to the gold of now.

    Instances that were added or removed, or have another label, other sets or another text: counts, and the first ten
    keys of each. --json has all of them.
    """
    from annotator.usecases.releases.differences import KIND_WORDS, release_differences

    with opened_project(path, project_name) as (store, project):
        differences = release_differences(store, LOCAL_OPERATOR, project, number, other)
    if as_json:
        kinds: dict[str, object] = {
            kind: [list(key_and_split) for key_and_split in places] for kind, places in differences.places.items()
        }
        print_json({"from": differences.before, "to": differences.after, "n": differences.n, **kinds})
        return
    click.echo(differences.words)
    for kind, places in differences.places.items():
        keys = [f"{split}/{key}" if split else key for key, split in places[:_SHOWN]]
        rest = f" and {len(places) - _SHOWN:,} more" if len(places) > _SHOWN else ""
        click.echo(f"{KIND_WORDS[kind]}: {', '.join(keys)}{rest}")


@release.command()
@_number
@click.argument("folder", type=click.Path(path_type=Path))
@project_option
@option(
    "--format", "format_name", default="jsonl", metavar="FORMAT",
    help="jsonl, eraser, datasets, csv, conll or parquet.",
)  # fmt: skip
@click.pass_obj
def export(path: Path, number: int, folder: Path, project_name: str, format_name: str) -> None:
    """Write a release to a new FOLDER, as it was frozen, with LICENSE, CITATION, README.md and any guidelines."""
    from annotator.usecases.releases.export import export_release

    with opened_project(path, project_name) as (store, project):
        made = export_release(store, LOCAL_OPERATOR, project, number, format_name, folder)
    click.echo(f"Wrote {made.words} to {folder}: {made.gold_words}, with LICENSE, CITATION and README.md.")


@release.command()
@click.argument("name")
@project_option
@click.pass_obj
def erase(path: Path, name: str, project_name: str) -> None:
    """Remove the sets of the person NAME from every release; each release tells how many are gone, not whose.

    Sets that others made too stay, and so do numbers and digests. The project, backups and files that were given away
    do not change.
    """
    from annotator.usecases.releases.frozen_gold import erase_from_releases

    with opened_project(path, project_name) as (store, project):
        n = erase_from_releases(store, LOCAL_OPERATOR, project, name)
    click.echo(f"{counted(n, 'rationale set is', 'rationale sets are')} gone from the releases of '{project_name}'.")
    click.echo("Backups, and files that were given away, still hold them.")


def _row(made: Release) -> dict[str, Any]:
    rules, gold = made.rules, made.gold
    return {
        "number": made.number, "name": made.name, "project": rules.title, "created_at": made.created_at,
        "made_by": made.made_by, "gold_policy": rules.policy, "labels": list(rules.labels), "licence": rules.licence,
        "citation": rules.citation, "instances": gold.n_instances, "sets": gold.n_sets, "annotators": gold.n_annotators,
        "erased_sets": made.n_erased, "digest": gold.digest,
    }  # fmt: skip
