"""`annotator crowd`: recruitment links for workers of a platform from the command line."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.commands import answering, examples, opened_project, option, print_json, project_option, respond
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR

if TYPE_CHECKING:
    from annotator.domain.project.recruitment import LinkState, RecruitmentLink

_USUAL = "http://127.0.0.1:8501"
_url_option = option(
    "--url", envvar="ANNOTATOR_URL", help="The address at which people reach the server (also ANNOTATOR_URL)."
)


@click.group()
def crowd() -> None:
    """Recruitment links for crowd workers of a platform. See docs/crowd.md."""


@crowd.command()
@click.argument("name")
@project_option
@option("--workers", type=int, required=True, help="How many may finish in all.")
@option("--texts", type=int, required=True, help="How many texts each worker does.")
@option("--minutes", type=int, default=60, help="How long a visit may take.")
@option("--at-once", type=int, default=200, help="How many may be at work at once.")
@option(
    "--until", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY",
    help="The last day on which new workers may start (UTC), such as 2026-11-30.",
)  # fmt: skip
@option("--parameter", default="", help="The link's parameter with the worker's ID: PROLIFIC_PID, workerId.")
@option(
    "--return-address",
    default="",
    help="Where workers go when they are done: https only; {code} stands for their code.",
)
@option("--introduction", type=click.File(encoding="utf-8-sig"), help="A text file that is shown first.")
@option("--must-read", is_flag=True, help="The guidelines must be read before anything is submitted.")
@option("--open", "is_open", is_flag=True, help="Let workers in at once.")
@_url_option
@answering
@examples("annotator crowd make pilot --project Reviews --workers 20 --texts 10 --parameter PROLIFIC_PID")
def make(
    path: Path, /, name: str, project_name: str, is_open: bool, url: str | None, as_json: bool, **given: object
) -> None:
    """Make a recruitment link NAME and print it; it is paused unless --open is given."""
    from annotator.domain.project.recruitment import LinkRules
    from annotator.usecases.crowd.recruitment_links import make_recruitment_link, set_link_state

    introduction, until = given["introduction"], given["until"]
    rules = LinkRules(
        name, given["workers"], given["texts"], given["minutes"], given["at_once"],  # type: ignore[arg-type]  # click's
        until=f"{until:%Y-%m-%d}T23:59:59.999Z" if until else None,
        parameter=str(given["parameter"]),
        return_address=str(given["return_address"]),
        introduction=introduction.read() if introduction else "",  # type: ignore[attr-defined]  # click.File
        must_read=bool(given["must_read"]),
    )  # fmt: skip
    with opened_project(path, project_name) as (store, project):
        link = make_recruitment_link(store, LOCAL_OPERATOR, project.id, rules)
        if is_open:
            link = set_link_state(store, LOCAL_OPERATOR, link.id, "open")
        address = _link(store.path, url, link)
    if as_json:
        print_json({"name": link.rules.name, "state": link.state, "link": address})
        return
    click.echo(f"The recruitment link '{link.rules.name}' is {link.state}. Its address:\n{address}")
    if not is_open:
        click.echo(f"Open it with 'annotator crowd set {link.rules.name!r} open --project {project_name!r}'.", err=True)


@crowd.command(name="list")
@project_option
@_url_option
@answering
def list_(path: Path, project_name: str, url: str | None, as_json: bool) -> None:
    """The links of a project, with how many workers came, are working, finished, stopped or ran out of time."""
    from annotator.usecases.crowd.recruitment_links import links_of

    with opened_project(path, project_name) as (store, project):
        rows = [
            {
                "name": view.link.rules.name, "state": view.link.state, "link": _link(store.path, url, view.link),
                "came": view.came, "working": view.working, "finished": view.finished, "left": view.left,
                "out_of_time": view.out_of_time,
            }
            for view in links_of(store, LOCAL_OPERATOR, project.id)
        ]  # fmt: skip
    lines = [
        f"{row['name']}: {row['state']}; {counted(int(str(row['came'])), 'worker')}, {row['working']} at work, "
        f"{row['finished']} finished, {row['left']} stopped, {row['out_of_time']} ran out of time\n  {row['link']}"
        for row in rows
    ]
    none = "This project has no recruitment links. Make one with 'annotator crowd make NAME'."
    respond(as_json, {"doors": rows}, *(lines or [none]))


@crowd.command(name="set")
@click.argument("name")
@click.argument("state", type=click.Choice(("open", "paused", "closed")))
@project_option
@click.pass_obj
def set_(path: Path, name: str, state: "LinkState", project_name: str) -> None:
    """Open, pause or close the link NAME. Closing is final; who is working goes on."""
    from annotator.usecases.crowd.recruitment_links import find_recruitment_link, set_link_state

    with opened_project(path, project_name) as (store, project):
        link = find_recruitment_link(store, LOCAL_OPERATOR, project.id, name)
        set_link_state(store, LOCAL_OPERATOR, link.id, state)
    click.echo(f"The recruitment link '{name}' is {state}.")


@crowd.command()
@click.argument("worker")
@project_option
@click.pass_obj
def stop(path: Path, worker: str, project_name: str) -> None:
    """End the work of one WORKER, by the drawn name. What they submitted stays, what they hold goes to others.

    Their next page says so. The link stays as it is.
    """
    from annotator.usecases.crowd.recruitment_links import stop_worker

    with opened_project(path, project_name) as (store, project):
        stopped = stop_worker(store, LOCAL_OPERATOR, project.id, worker)
    click.echo(f"Ended the work of {stopped.name} after {counted(stopped.done, 'text')}.")


@crowd.command()
@click.argument("name")
@project_option
@click.pass_obj
def codes(path: Path, name: str, project_name: str) -> None:
    """Print the completion codes of the link NAME as CSV, with texts, minutes and times, for paying."""
    from annotator.usecases.crowd.recruitment_links import find_recruitment_link, payments_csv

    with opened_project(path, project_name) as (store, project):
        link = find_recruitment_link(store, LOCAL_OPERATOR, project.id, name)
        click.echo(payments_csv(store, LOCAL_OPERATOR, link.id), nl=False)


@crowd.command()
@click.argument("code")
@project_option
@option("--paid", is_flag=True, help="Note that it is paid, so that it is used up.")
@answering
def code(path: Path, code: str, project_name: str, paid: bool, as_json: bool) -> None:
    """Say whether CODE is one of the project's, whether it is used up, and how much work it stands for."""
    from annotator.usecases.crowd.recruitment_links import find_code, mark_paid

    with opened_project(path, project_name) as (store, project):
        payment = (mark_paid if paid else find_code)(store, LOCAL_OPERATOR, project.id, code)
    worker = payment.worker
    values = {
        "worker": worker.name, "door": payment.link_name, "state": worker.state, "texts": worker.done,
        "active_ms": payment.active_ms, "began_at": worker.began_at, "ended_at": worker.ended_at, "paid_at": worker.paid_at,
    }  # fmt: skip
    used = f"used up, paid {worker.paid_at[:10]}" if worker.paid_at else "not used up"
    respond(
        as_json,
        values,
        f"The code is of {worker.name} (recruitment link '{payment.link_name}'): {worker.state}, {counted(worker.done, 'text')}, "
        f"{payment.active_ms / 60_000:.1f} minutes of work; {used}.",
    )


def _link(path: Path, url: str | None, link: "RecruitmentLink") -> str:
    from annotator.usecases.databases import address_of_server

    return f"{(url or address_of_server(path) or _USUAL).rstrip('/')}/crowd/{link.token}"
