"""`annotator evidence`: second passes in which all evidence of chosen texts is marked."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli import commands
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR

if TYPE_CHECKING:
    from annotator.usecases.evidence.exhaustive_gold import PassStanding

_pass = click.argument("pass_name", metavar="PASS")
_changed = commands.option(
    "--with-changed", is_flag=True, help="Also texts whose gold was changed since they were copied."
)


@click.group()
def evidence() -> None:
    """Second passes: texts with gold are given out again to mark all their evidence, and get exhaustive gold. Only
    there does recall measure comprehensiveness (DeYoung et al. 2020).
    """


@evidence.command()
@click.argument("name")
@commands.project_option
@commands.option("--split", help="Only texts of this split.")
@commands.option(
    "--sample", "n", type=click.IntRange(min=1),
    help="Only so many texts, drawn by the seed. A larger sample of the same seed holds the smaller one.",
)  # fmt: skip
@commands.option("--seed", type=click.IntRange(min=0), default=0, help="The seed of the sample.")
@commands.option("--automatic", "is_automatic", is_flag=True, help="Take over at once what is accepted in the pass.")
@commands.option("--same-people", "may_repeat", is_flag=True, help="Let people get texts that they annotated before.")
@commands.option(
    "--with-people/--without-people", "has_people", default=True,
    help="Give everybody the roles that they have in the first project.",
)  # fmt: skip
@commands.option("--dry-run", is_flag=True, help="Only say what the pass would hold.")
@commands.answering
@commands.examples('annotator evidence start "All evidence" --project Reviews --sample 50')
def start(path: Path, /, name: str, project_name: str, dry_run: bool, as_json: bool, **choice: Any) -> None:
    """Make the project NAME with copies of complete texts that have gold and are in no pass yet.

    It has the rules of the first project and gives the gold result; annotators mark every piece of evidence. The gold
    sets of the first pass are proposed to them, dashed.
    """
    from annotator.domain.project.evidence import Selection
    from annotator.usecases.project.exhaustive_passes import count_chosen, start_pass

    selection = Selection(**{field: choice.pop(field) for field in ("split", "n", "seed")})
    with commands.opened_project(path, project_name) as (store, project):
        chosen = count_chosen(store, LOCAL_OPERATOR, project, selection)
        if not dry_run:
            start_pass(store, LOCAL_OPERATOR, project.id, name, selection, **choice)
    if as_json:
        commands.print_json({"pass": name, "is_made": not dry_run, **asdict(chosen)})
        return
    would = "would hold" if dry_run else "holds"
    click.echo(f"'{name}' {would} {counted(chosen.n, 'text')} of {chosen.n_gold:,} with gold.")
    if chosen.n_without_annotator and not choice["may_repeat"]:
        click.echo(
            f"Everybody who annotates in '{project_name}' has annotated {counted(chosen.n_without_annotator, 'text')} of them. "
            "Add an annotator, or start it with --same-people.",
            err=True,
        )


@evidence.command()
@commands.on_project
def show(path: Path, project_name: str, as_json: bool) -> None:
    """How far the second passes of a project are: texts that wait, are ready, taken over or blocked, with their keys,
    and what taking over changes.
    """
    from annotator.usecases.evidence.exhaustive_gold import passes_of, standing_of

    with commands.opened_project(path, project_name) as (store, project):
        standings = [
            standing_of(store, LOCAL_OPERATOR, one_pass.project_id)
            for one_pass in passes_of(store, LOCAL_OPERATOR, project.id)
        ]
    lines = [line for standing in standings for line in _lines(standing)]
    none = f"'{project_name}' has no second pass. Start one with 'annotator evidence start NAME --project ...'."
    commands.respond(as_json, {"passes": [_row(standing) for standing in standings]}, *(lines or [none]))


def _lines(standing: "PassStanding") -> Iterator[str]:
    yield f"{standing.evidence_pass.project_name}: {counted(standing.n, 'text')}"
    for words, n, keys in standing.rows():
        yield f"  {n:,}  {words}{': ' + ', '.join(keys) if keys else ''}"
    if standing.n_taken:
        yield f"  {standing.words}"


def _row(standing: "PassStanding") -> dict[str, Any]:
    return {
        "pass": standing.evidence_pass.project_name, "is_automatic": standing.evidence_pass.is_automatic,
        "texts": standing.n, "by_state": dict(standing.n_by_state), "ready": standing.n_taken, "changed": standing.n_changed,
        "tokens": list(standing.tokens), "sets": list(standing.sets),
    }  # fmt: skip


@evidence.command(name="take-over")
@_pass
@_changed
@click.pass_obj
def take_over_(path: Path, pass_name: str, with_changed: bool) -> None:
    """Make what was accepted in PASS the exhaustive gold of the first project's texts, under every gold policy.

    The first sets stay stored. Texts that were discarded, or that got another result or text in the first project,
    are left out. A renamed label is followed.
    """
    from annotator.usecases.evidence.exhaustive_gold import take_over

    with commands.opened_project(path, pass_name) as (store, project):
        n = take_over(store, LOCAL_OPERATOR, project.id, with_changed=with_changed)
    click.echo(f"The gold of {counted(n, 'text')} is exhaustive now.")


@evidence.command(name="take-back")
@_pass
@click.pass_obj
def take_back_(path: Path, pass_name: str) -> None:
    """Give the first project's texts the gold that they had before PASS; what was marked stays in PASS."""
    from annotator.usecases.evidence.exhaustive_gold import take_back

    with commands.opened_project(path, pass_name) as (store, project):
        n = take_back(store, LOCAL_OPERATOR, project.id)
    click.echo(f"The gold of {counted(n, 'text')} is what it was before the pass.")


@evidence.command()
@_pass
@commands.option(
    "--on/--off", "is_on", required=True, help="Take them over at once, or wait for `annotator evidence take-over`."
)
@click.pass_obj
def automatic(path: Path, pass_name: str, is_on: bool) -> None:
    """Say whether annotations accepted in PASS from now on are taken over at once."""
    from annotator.usecases.evidence.exhaustive_gold import set_automatic

    with commands.opened_project(path, pass_name) as (store, project):
        set_automatic(store, LOCAL_OPERATOR, project.id, is_on)
    click.echo(
        "What is accepted is taken over at once." if is_on else "Take over what is accepted with 'evidence take-over'."
    )
