"""`annotator audit`: samples of accepted changed versions, judged by people who neither wrote nor checked them."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from annotator.cli.commands import answering, on_project, opened_project, option, print_json, project_option, respond
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import NotFound

if TYPE_CHECKING:
    from annotator.domain.projects import Project
    from annotator.usecases.databases import Store
    from annotator.usecases.perturb.audit_results import AuditResult

_number = click.argument("number", type=click.IntRange(min=1))


@click.group()
def audit() -> None:
    """Audits: a sample of accepted perturbed versions, judged on Perturb by people who neither wrote nor checked
    them.
    """


@audit.command()
@project_option
@option("--n", type=click.IntRange(min=1), help="How many versions; 100 if no share is given.")
@option("--percent", type=click.IntRange(1, 100), help="A share of the versions, instead of a number.")
@option("--of-each-kind", is_flag=True, help="So many of each kind, instead of altogether.")
@option("--kind", "kinds", multiple=True, help="Only versions of this kind; repeat it for several.")
@option(
    "--seed", type=click.IntRange(min=0), default=0,
    help="The same seed draws the same; a larger sample holds the smaller one.",
)  # fmt: skip
@option("--dry-run", is_flag=True, help="Only say what would be drawn.")
@answering
def draw(path: Path, /, project_name: str, dry_run: bool, as_json: bool, **choice: Any) -> None:
    """Draw a sample of the accepted perturbed versions of a project.

    First it prints how many there are of each kind, how wide the interval is if 95 % are right, and how many versions
    nobody may judge.
    """
    from annotator.domain.project.audits import Drawing
    from annotator.usecases.perturb.audits import draw_audit, preview_drawing

    n = choice["n"] if choice["n"] or choice["percent"] else 100
    per: Literal["altogether", "of each kind"] = "of each kind" if choice["of_each_kind"] else "altogether"
    drawing = Drawing(per, n, choice["percent"], choice["kinds"], choice["seed"])
    with opened_project(path, project_name) as (store, project):
        preview = preview_drawing(store, LOCAL_OPERATOR, project, drawing)
        number = None if dry_run else draw_audit(store, LOCAL_OPERATOR, project, drawing)
    if as_json:
        print_json({"audit": number, "n": preview.n, **asdict(preview)})
        return
    drawn = f"Audit {number} holds" if number is not None else "It would hold"
    click.echo(f"{drawn} {counted(preview.n, 'version')}:")
    for kind, (n, of) in preview.kinds.items():
        click.echo(f"  {kind}: {n:,} of {of:,}")
    if preview.bounds is not None:
        low, high = preview.bounds.low, preview.bounds.high
        click.echo(f"If 95 % of them are right, the 95 % interval is {100 * low:.1f} % to {100 * high:.1f} %.")
    if preview.n_unjudged:
        click.echo(
            f"Nobody may judge {counted(preview.n_unjudged, 'version')} of these: everybody wrote or checked them. Give "
            "somebody else the role of annotator or reviewer.",
            err=True,
        )


@audit.command()
@on_project
def show(path: Path, project_name: str, as_json: bool) -> None:
    """The audits of a project, newest first: how many were judged, and the share that is right, by kind.

    The share has a 95 % interval (Wilson, no correction for a finite population). A version that was changed since
    its verdict is counted apart and waits to be judged again.
    """
    from annotator.usecases.perturb.audit_results import audits_of_project

    with opened_project(path, project_name) as (store, project):
        results = audits_of_project(store, LOCAL_OPERATOR, project)
    lines = []
    for result in results:
        drawing = result.audit.drawing
        lines.append(f"audit {result.audit.id} ({result.audit.made_at[:10]}, {drawing.per}, seed {drawing.seed})")
        for share in result.shares:
            changed = f"; {share.n_changed:,} changed since" if share.n_changed else ""
            lines.append(f"  {share.kind}: {share.words}; {share.n_drawn:,} drawn of {share.population:,}{changed}")
    none = f"'{project_name}' has no audit. Draw one with 'annotator audit draw --project ...'."
    respond(as_json, {"audits": [_row(result) for result in results]}, *(lines or [none]))


@audit.command()
@_number
@project_option
@click.pass_obj
def export(path: Path, number: int, project_name: str) -> None:
    """Print the verdicts of an audit as CSV, a row for each version, without the judges' names."""
    from annotator.usecases.perturb.audit_results import csv_of

    with opened_project(path, project_name) as (store, project):
        click.echo(csv_of(_result(store, project, number)), nl=False)


@audit.command()
@_number
@project_option
@option(
    "--send-back/--discard", "is_sent_back", required=True,
    help="Send it back to the authors, who may submit another version; or discard it for good.",
)  # fmt: skip
@click.pass_obj
def remedy(path: Path, number: int, project_name: str, is_sent_back: bool) -> None:
    """Take what was judged wrong out of the data set: send it back to its authors, or discard it."""
    from annotator.usecases.perturb.audit_results import remedy_wrong

    with opened_project(path, project_name) as (store, project):
        wrong = [v.item.perturbation_id for v in _result(store, project, number).wrong if v.is_in_data_set]
        n = remedy_wrong(store, LOCAL_OPERATOR, project, number, wrong, "send back" if is_sent_back else "discard")
    click.echo(f"{counted(n, 'wrong version')} {'sent back' if is_sent_back else 'discarded'}.")


def _result(store: "Store", project: "Project", number: int) -> "AuditResult":
    from annotator.usecases.perturb.audit_results import audits_of_project

    for result in audits_of_project(store, LOCAL_OPERATOR, project):
        if result.audit.id == number:
            return result
    raise NotFound(f"'{project.name}' has no audit number {number}. 'annotator audit show' lists them.")


def _row(result: "AuditResult") -> dict[str, Any]:
    drawing = {**asdict(result.audit.drawing), "kinds": list(result.audit.drawing.kinds)}
    return {
        "audit": result.audit.id, "made_at": result.audit.made_at, "made_by": result.audit.made_by, "drawing": drawing,
        "shares": [asdict(share) for share in result.shares],
        "wrong": [{"key": v.key, "kind": v.item.kind, "faults": v.fault_words} for v in result.wrong],
    }  # fmt: skip
