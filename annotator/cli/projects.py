"""Commands on projects: create, list, show, split, stats."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from annotator.cli import commands
from annotator.domain.numbers import counted, written_in_report
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.queue_orders import FIRST_KINDS, FirstKind, ModelOrder, Order, QueueOrder
from annotator.domain.tasks import TASKS, Task, get_task
from annotator.domain.texts import first_words
from annotator.errors import InvalidValue

if TYPE_CHECKING:
    from annotator.usecases.queue.orders import PresentOrder, Preview

# What the states of a person's work are called; a piece of work that is "ended" was decided by others.
_WORK = {
    "submitted": "submitted",
    "returned": "returned",
    "leased": "in progress",
    "skipped": "skipped",
    "proposed": "proposed to discard",
    "expired": "given to others",
    "ended": "ended by a decision",
}


@click.group()
def project() -> None:
    """Projects: create, copy, list, show, archive, delete."""


@project.command("create")
@click.argument("name")
@commands.option("--task", "task_name", required=True, type=click.Choice([*TASKS, "custom"]), help="The kind of input.")
@commands.option("--segments", help="For a custom task: its segments, separated by commas.")
@commands.option(
    "--result", "result_kind", type=click.Choice(["label", "answer"]),
    help="For a custom task: whether its result is a label or an answer.",
)  # fmt: skip
@commands.option(
    "--labels",
    default="",
    help="Labels, separated by commas, in the order that annotators see; by default those of the first import.",
)
@commands.option("--language", default="en", help="The language of texts whose file names none.")
@commands.option(
    "--guidelines",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A Markdown file with the guidelines.",
)
@click.pass_obj
@commands.examples(
    "annotator project create Reviews --task sentiment --labels positive,negative",
    "annotator project create QA --task custom --segments text,question:unselectable --result answer",
)
def create(
    database: Path, name: str, task_name: str, segments: str | None, result_kind: str | None, labels: str,
    language: str, guidelines: Path | None,
) -> None:  # fmt: skip
    """Create an empty project (and the database, if it is missing). Nobody leads it until somebody gets that role.

    The task fixes the segments of a text, which of them can be marked, and whether the result is a label or an
    answer; docs/columns.md lists them. For a custom task name the segments, NAME, NAME:unselectable (nothing can be
    marked) or NAME:optional (may be empty), and the result. Names have letters, digits and "_", and are no name of a
    column.
    """
    from annotator.usecases.project.projects import create_project

    chosen = [label.strip() for label in labels.split(",")] if labels.strip() else []
    text = guidelines.read_text(encoding="utf-8") if guidelines else ""
    task = _task(task_name, segments, result_kind)
    with commands.opened(database, create=True) as store:
        made = create_project(store, LOCAL_OPERATOR, name, task, labels=chosen, language=language, guidelines=text)
    click.echo(f"Project '{made.name}' is ready. Next: annotator import FORMAT PATH --project '{made.name}'")
    click.echo(
        "Nobody leads it yet; only administrators see it. Give somebody the role: annotator user add NAME --role lead --project "
        f"'{made.name}'"
    )
    if made.lacks_labels:
        click.echo(
            "It has no labels yet and takes over those of its first import. Texts without labels cannot be given out before it "
            "has some: a lead adds them on the Project page."
        )


@project.command("copy")
@click.argument("source")
@click.argument("name")
@commands.option("--people", "has_people", is_flag=True, help="Give everybody the roles that they have in SOURCE.")
@click.pass_obj
def copy(database: Path, source: str, name: str, has_people: bool) -> None:
    """Create the project NAME with the rules of SOURCE, and none of its texts.

    Copied are task, labels, language, settings, guidelines, word lists and rules of training (switched off).
    """
    from annotator.usecases.project.exhaustive_passes import copy_project

    with commands.opened_project(database, source) as (store, project):
        made = copy_project(store, LOCAL_OPERATOR, project.id, name, has_people=has_people)
    click.echo(f"Project '{made.name}' is ready. Next: annotator import FORMAT PATH --project '{made.name}'")


@project.command("archive")
@click.argument("name")
@click.pass_obj
def archive_(database: Path, name: str) -> None:
    """Archive a project: it can be read and exported, but nothing is given out, imported or changed.

    It is refused while long work runs or waits in the project. Marks that could not be sent any more stay in people's
    browsers, and are sent when the project is restored.
    """
    from annotator.usecases.project.ends import archive

    with commands.opened_project(database, name) as (store, project):
        archive(store, LOCAL_OPERATOR, project.id)
    click.echo(f"Project '{name}' is archived. Bring it back with: annotator project restore '{name}'")


@project.command("restore")
@click.argument("name")
@click.pass_obj
def restore_(database: Path, name: str) -> None:
    """Bring an archived project back as it was. A deleted project comes back with its backup: `annotator restore
    PATH`.
    """
    from annotator.usecases.project.ends import bring_back

    with commands.opened_project(database, name) as (store, project):
        bring_back(store, LOCAL_OPERATOR, project.id)
    click.echo(f"Project '{name}' is at work again.")


@project.command("delete")
@click.argument("name")
@commands.option("--name-again", help="The same name once more, for scripts; without it you are asked to type it.")
@commands.answering
def delete_(database: Path, name: str, name_again: str | None, as_json: bool) -> None:
    """Delete a project with everything in it, after a backup of the whole database beside it.

    The command names the backup, NAME.TIME.backup. `annotator restore` brings everything back, and also undoes what
    other projects did since. Files of trained models move beside it, to NAME.TIME.backup.models. To be rid of
    everything, remove both. Accounts and the database's record of the deletion stay; the file does not become
    smaller, its room is used again.
    """
    from annotator.usecases.project.ends import delete, deletion_summary

    with commands.opened_project(database, name) as (store, stored_project):
        typed = name_again if name_again is not None else click.prompt(f"Type '{name}' to delete it", err=as_json)
        deleted = delete(store, LOCAL_OPERATOR, stored_project.id, typed)
    models = None if deleted.models is None else str(deleted.models)
    values = dataclasses.asdict(deleted) | {"backup": str(deleted.backup), "models": models}
    commands.respond(as_json, values, deletion_summary(deleted))


def _task(name: str, segments: str | None, result_kind: str | None) -> Task:
    if name != "custom":
        if segments is not None or result_kind is not None:
            raise InvalidValue(
                f"Task '{name}' already has its segments and result; --segments and --result are for the task custom."
            )
        return get_task(name)
    if segments is None or result_kind is None:
        raise InvalidValue(
            "A custom task needs its segments and its kind of result: --segments text,question:unselectable --result label."
        )
    from annotator.usecases.project.projects import parse_task

    return parse_task(segments, result_kind)


@project.command("list")
@commands.answering
def list_(database: Path, as_json: bool) -> None:
    """List the projects with their task and size."""
    from annotator.usecases.project.projects import progress_of, projects_of

    with commands.opened(database) as store:
        projects = [
            (p, progress_of(store, LOCAL_OPERATOR, p.id).n_instances) for p in projects_of(store, LOCAL_OPERATOR)
        ]
    rows = [
        {"name": p.name, "task": p.task.name, "language": p.language, "instances": n, "archived_at": p.archived_at}
        for p, n in projects
    ]
    lines = (
        f"{p.name}  ({p.task.name}, {p.language}, {counted(n, 'instance')}{', archived' if p.is_archived else ''})"
        for p, n in projects
    )
    commands.respond(as_json, {"projects": rows}, *lines)


@project.command("show")
@click.argument("name")
@commands.answering
def show(database: Path, name: str, as_json: bool) -> None:
    """Show a project's task, labels, settings (docs/settings.md), members and progress."""
    from annotator.usecases.project.projects import members_of, progress_of

    with commands.opened_project(database, name) as (store, stored_project):
        progress = progress_of(store, LOCAL_OPERATOR, stored_project.id)
        members = [
            {"name": user.name, "role": role} for user, role in members_of(store, LOCAL_OPERATOR, stored_project.id)
        ]
    answer: dict[str, Any] = {
        "name": stored_project.name, "task": stored_project.task.name, "language": stored_project.language,
        "labels": list(stored_project.labels), "settings": msgspec.to_builtins(stored_project.settings),
        "instances": progress.instances, "people": progress.people,
        "open_proposals": progress.n_open_proposals, "members": members,
    }  # fmt: skip
    if not as_json:
        answer |= {"instances": _instances_in_words(progress.instances), "people": _people_in_words(progress.people)}
    _print(answer, as_json)


def _instances_in_words(counts: Mapping[str, int]) -> dict[str, int]:
    """As on the page Project: each instance once, those that wait for somebody apart from those that people have."""
    n_waiting = counts.get("queued", 0)
    return {
        "complete": counts.get("complete", 0),
        "to annotate": n_waiting,
        "in progress": counts.get("open", 0) - n_waiting,
        "with the lead": counts.get("held", 0),
        "discarded": counts.get("discarded", 0),
    }


def _people_in_words(people: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    return {
        name: ", ".join(f"{of_one[state]:,} {words}" for state, words in _WORK.items() if state in of_one)
        for name, of_one in people.items()
    }


@click.command()
@commands.project_option
@commands.option("--parts", required=True, help="Splits and their shares, such as train=.8,val=.1,test=.1.")
@commands.option("--seed", default=0, help="The same seed gives the same split.")
@commands.answering
@commands.examples("annotator split --project Reviews --parts train=.8,val=.1,test=.1 --seed 7")
def split(database: Path, project_name: str, parts: str, seed: int, as_json: bool) -> None:
    """Give every instance a split, by document: instances that share a text, and perturbed versions, stay together.

    Leaks that remain are reported.
    """
    from annotator.usecases.project.splits import split_project

    with commands.opened_project(database, project_name) as (store, project):
        report = split_project(store, LOCAL_OPERATOR, project, parts, seed)
    _print({"sizes": report.sizes, "leaks": report.n_leaks}, as_json)


@click.command()
@commands.project_option
@commands.option(
    "--all", "shows_all", is_flag=True, help="Print every table, pair and person, with the papers' tables."
)
@commands.option("--csv", "as_csv", is_flag=True, help="Print all of it as CSV, a number on each row.")
@commands.answering
def stats(database: Path, project_name: str, shows_all: bool, as_csv: bool, as_json: bool) -> None:
    """Print a project's size, progress, rationales and agreement; docs/progress.md#statistics defines each number."""
    from annotator.cli.stats import MORE, for_people, summary_lines, why_no_agreement
    from annotator.scoring.signatures import signature_of_gold
    from annotator.usecases.inspect.gold_release import gold_release
    from annotator.usecases.lead.statistics import statistics_csv, statistics_of

    with commands.opened_project(database, project_name) as (store, project):
        statistics = statistics_of(store, LOCAL_OPERATOR, project)
        release = gold_release(store, project, statistics.gold_policy)
    signed = signature_of_gold(statistics.gold_policy, release, n=statistics.rationales.n_gold)
    statistics = dataclasses.replace(statistics, signature=signed)
    if as_json:
        commands.print_json(dataclasses.asdict(statistics))
    elif as_csv:
        click.echo(statistics_csv(statistics), nl=False)
    elif shows_all:
        _print(for_people(statistics), as_json=False)
    else:
        for line in (*summary_lines(statistics, why_no_agreement(statistics)), MORE):
            click.echo(line)


def _print(answer: dict[str, Any], as_json: bool, indent: str = "") -> None:
    if as_json:
        commands.print_json(answer)
        return
    for key, value in answer.items():
        name = key or "(none)"  # texts without a split
        if isinstance(value, dict) and value:
            click.echo(f"{indent}{name}:")
            _print(value, as_json=False, indent=indent + "  ")
        elif isinstance(value, list | tuple) and value and isinstance(value[0], dict):
            click.echo(f"{indent}{name}:")
            for row in value:
                click.echo(f"{indent}  - {_shown(row)}")
        else:
            click.echo(f"{indent}{name}: {_shown(value)}")


def _shown(value: object) -> str:
    if value is None or (isinstance(value, dict | list | tuple) and not value):
        return "–"
    if isinstance(value, float):
        return written_in_report(value)
    if isinstance(value, list | tuple):
        return ", ".join(_shown(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(item)}" for name, item in value.items())
    return str(value)


# The command that shows and sets the order in which a project gives out its texts.


_KINDS: dict[str, FirstKind] = {kind.replace(" ", "-"): kind for kind in FIRST_KINDS}


@click.command()
@commands.project_option
@commands.option("--first", "kind", type=click.Choice([*_KINDS, "none"]), help="Which texts come first.")
@commands.option(
    "--model", "models", multiple=True, metavar="NAME",
    help="The model whose stored answers count, with all its seeds; repeat it for several.",
)  # fmt: skip
@commands.option(
    "--percent", type=float, default=100, help="The percentage of texts with a number that come first, rounded up."
)
@commands.option("--split", help="Only texts of this split come first.")
@commands.option("--method", default="", help="For least-plausible and nothing-found: the method of the attributions.")
@commands.option("--number", default="", help="For least-plausible: the metric, by its name in docs/metrics.md.")
@commands.option("--layer", type=int, help="For least-plausible: the layer.")
@commands.option("--label", help="For nothing-found: the answer that says that there is nothing.")
@commands.option("--rest", type=click.Choice(["sequential", "random"]), help="How the other texts follow.")
@commands.option("--seed", type=int, help="The seed of everything that is drawn.")
@commands.option("--preview", "is_preview", is_flag=True, help="Show what would come first, and change nothing.")
@commands.answering
@commands.examples("annotator order --project Reviews --first least-confident --model bert --percent 20")
def order(
    database: Path, /, project_name: str, rest: Order | None, seed: int | None, is_preview: bool, as_json: bool,
    **first: Any,
) -> None:  # fmt: skip
    """Show in which order texts are given out, with the next ten; with --first, --rest or --seed, set another one.

    What is not named stays as it is, and people keep the texts that they hold. docs/rules.md#what-comes-next explains
    each order. --json has `order`, `n_free` (waiting texts), `n_known` (those with the number), `n_first`, `texts`
    (the first ten with `reason`), `notes`.
    """
    from annotator.usecases.queue.orders import present_order, preview_order, set_order

    is_another = first["kind"] is not None or rest is not None or seed is not None
    act = set_order if is_another and not is_preview else preview_order
    with commands.opened_project(database, project_name) as (store, project):
        present = present_order(store, LOCAL_OPERATOR, project.id)
        wanted = QueueOrder(
            present.order.rest if rest is None else rest,
            present.order.seed if seed is None else seed,
            _first(first) if first["kind"] is not None or first != _NOTHING_SAID else present.order.first,
        )
        preview = act(store, LOCAL_OPERATOR, project.id, wanted)
    if as_json:
        commands.print_json(asdict(preview))
    else:
        _print_orders(preview, "Set: " if act is set_order else "", () if is_another else _about(present))


_NOTHING_SAID: dict[str, Any] = {
    "kind": None, "models": (), "percent": 100, "split": None, "method": "", "number": "", "layer": None, "label": None,
}  # fmt: skip


def _first(options: dict[str, Any]) -> ModelOrder | None:
    """What is to come first, of the options that say it."""
    if options["kind"] == "none":
        return None
    if options["kind"] is None:
        raise InvalidValue(f"Say what is to come first with --first: {', '.join(_KINDS)}.")
    return ModelOrder(**{**options, "kind": _KINDS[options["kind"]]})


def _about(present: "PresentOrder") -> list[str]:
    """What is to be known of the order that is set."""
    from annotator.usecases.queue.orders import order_words

    lines = [f"set by {present.set_by} at {present.set_at}"] if present.set_by else []
    lines += [f"before: {order_words(present.before)}"] if present.before else []
    lines += [f"gone since: model {model}; the texts keep their positions" for model in present.gone]
    lines += ["what it goes by has changed since; set the order again to follow it"] if present.is_old else []
    return lines


def _print_orders(preview: "Preview", begin: str, lines: Sequence[str]) -> None:
    from annotator.usecases.queue.orders import order_words

    click.echo(f"{begin}{order_words(preview.order)}")
    for line in (*lines, *preview.notes):
        click.echo(f"  {line}")
    waiting = counted(preview.n_free, "text waits", "texts wait")
    first = f"; {preview.n_first:,} of the {preview.n_known:,} with a number come first" if preview.order.first else ""
    click.echo(f"{waiting}{first}. Next:")
    for number, text in enumerate(preview.texts, start=1):
        label = "–" if text.label is None else text.label or "(no answer)"
        reason = f": {text.reason}" if text.reason else ""
        click.echo(f"{number:>3}. {text.key} [{label}]{reason}")
        click.echo(f"     {first_words(text.text)}")
