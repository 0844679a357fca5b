"""`annotator instances`: search a project's instances, change many at once, and take that back."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commands import (
    examples,
    json_option,
    on_project,
    opened_project,
    option,
    options_of,
    print_json,
    project_option,
    respond,
    show_rest,
)
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.search import (
    EXHAUSTIVENESS,
    SEARCHED_PARTS,
    TALK_STATES,
    BulkChange,
    Exhaustiveness,
    NamedAs,
    Search,
)
from annotator.domain.projects import DISCARD_REASONS
from annotator.domain.texts import first_words
from annotator.errors import InvalidValue, NotFound

if TYPE_CHECKING:
    from annotator.domain.projects import Project
    from annotator.usecases.databases import Store

_SHOWN = 25
_STATES = ("open", "complete", "held", "discarded")
_FILTERS = (
    option("--words", default="", metavar="TEXT", help="Any piece of a text, whatever the case."),
    option(
        "--in",
        "parts",
        multiple=True,
        type=click.Choice(SEARCHED_PARTS),
        help="Where the words stand; repeat it for several. By default everywhere.",
    ),
    option("--state", type=click.Choice(_STATES), help="held: the text waits for the lead."),
    option("--label", help="The text's label."),
    option("--unlabelled", "is_unlabelled", is_flag=True, help="Only texts without a label."),
    option("--split", help="The split; an empty one for texts in none."),
    option("--annotated-by", "annotator", metavar="NAME", help="A person, or a source, who annotated it."),
    option("--note/--no-note", "has_note", default=None, help="With a note of an annotator, or without."),
    option("--talk", type=click.Choice(TALK_STATES), help="A conversation; open: a question waits for the lead."),
    option("--exhaustive", type=click.Choice(EXHAUSTIVENESS), help="Whether its gold marks all the evidence."),
    option("--imported-from", metavar="DAY", help="Imported on this day or later, such as 2026-11-23 (UTC)."),
    option("--imported-to", metavar="DAY", help="Imported on this day or before."),
    option("--list", "list_name", metavar="NAME", help="A saved list."),
    option("--for", "named", metavar="NAME", help="A person for whom it is named."),
)
_CHANGING = (
    option(
        "--key",
        "keys",
        multiple=True,
        metavar="KEY",
        help="Of the texts that are found, only these keys; repeat it for several.",
    ),
    option("--all", "is_all", is_flag=True, help="All texts of the project; needed if no filter is given."),
    option(
        "--dry-run",
        "is_dry",
        is_flag=True,
        help="Say how many texts would change and how many would be passed over, and change nothing.",
    ),
    json_option,
)
_Option = Callable[[Any], Any]  # click's options leave a function as it is


def _searching(*more: _Option) -> _Option:
    """The options that say which texts are meant."""
    return options_of(click.pass_obj, project_option, *_FILTERS, *more)


@click.group()
def instances() -> None:
    """Search a project's texts, change many at once, and undo it. The same is on the page Project, Texts.

    All commands that change texts take the same filters, and --key for single texts. Texts that somebody holds or
    scores are passed over and counted. --json has `change` (its number, null if nothing changed), `instances` (how
    many) and `passed_over` (by reason).
    """


@instances.command()
@_searching(option("--page", default=1, type=click.IntRange(1), help="The page of the list."), json_option)
@examples('annotator instances search --project Reviews --words "cold soup" --state open')
def search(path: Path, /, project_name: str, page: int, as_json: bool, **filters: Any) -> None:
    """List the texts that are found, 25 a page, each with where the words stand.

    --json has `n` (on all pages), `page` and `instances` (`key`, `split`, `state`, `label`, `part`, `context`).
    """
    from annotator.usecases.lead.instance_search import search_instances

    with opened_project(path, project_name) as (store, project):
        wanted = _search_of(store, project, filters)
        shown = search_instances(store, LOCAL_OPERATOR, project, wanted, page=page, size=_SHOWN)
    if as_json:
        lines = [
            {"key": hit.row.key, "split": hit.row.split, "state": hit.row.state, "label": hit.row.result, "part": hit.part,
             "context": hit.context.line if hit.context else None}
            for hit in shown.instances
        ]  # fmt: skip
        print_json({"n": shown.n, "page": page, "instances": lines})
        return
    for hit in shown.instances:
        line = hit.context.line if hit.context else first_words(hit.row.excerpt)
        of_part = f" [{hit.part}]" if hit.part not in {None, "text"} else ""
        click.echo(f"{hit.row.key} ({hit.row.state}){of_part}: {line}")
    click.echo(counted(shown.n, "text"), err=True)
    show_rest(shown.n, _SHOWN * (page - 1) + len(shown.instances), "text")


@instances.command()
@option("--reason", type=click.Choice(DISCARD_REASONS), required=True, help="The reason, as annotators have it.")
@option("--comment", default="", help="A few words; needed with the reason other.")
@_searching(*_CHANGING)
@examples('annotator instances discard --project Reviews --words "lorem ipsum" --reason "broken text" --dry-run')
def discard(path: Path, /, reason: str, comment: str, **options: Any) -> None:
    """Discard the texts that are found."""
    _change(path, BulkChange("discard", reason=reason, comment=comment), options)


@instances.command(name="put-back")
@_searching(*_CHANGING)
def put_back(path: Path, /, **options: Any) -> None:
    """Put discarded texts back into the data set."""
    _change(path, BulkChange("put back"), options)


@instances.command(name="set-split")
@option("--to", "to_split", required=True, metavar="SPLIT", help="The new split; an empty one for none.")
@_searching(*_CHANGING)
def set_split(path: Path, /, to_split: str, **options: Any) -> None:
    """Move the texts that are found to a split, with their perturbed versions. A text whose key the split has already
    is passed over.
    """
    _change(path, BulkChange("split", split=to_split.strip()), options)


@instances.command()
@option("--as", "mark", type=click.Choice(EXHAUSTIVENESS), required=True, help="unsaid takes the mark away.")
@_searching(*_CHANGING)
def mark(path: Path, /, mark: Exhaustiveness, **options: Any) -> None:
    """Say whether the gold of the texts that are found marks all the evidence."""
    _change(path, BulkChange("exhaustive", is_exhaustive={"yes": True, "no": False, "unsaid": None}[mark]), options)


_person = option(
    "--person", "people", multiple=True, metavar="NAME", help="A person for whom they are; repeat it for several."
)
_first = option("--first", "is_first", is_flag=True, help="Let others get them when nothing else is left for those.")


@instances.command(name="give-out")
@_person
@_first
@_searching(*_CHANGING)
def give_out(path: Path, /, people: tuple[str, ...], is_first: bool, **options: Any) -> None:
    """Have the texts that are found annotated by one more person, who has not had them."""
    _change(path, BulkChange("give out", people=people, named_as=_way(is_first)), options)


@instances.command()
@_person
@_first
@option("--nobody", "is_free", is_flag=True, help="Free them for everybody.")
@_searching(*_CHANGING)
@examples('annotator instances name --project Reviews --list "Hard ones" --person Bo --person Chen')
def name(path: Path, /, people: tuple[str, ...], is_first: bool, is_free: bool, **options: Any) -> None:
    """Name the people for whom the texts that are found are. See docs/rules.md#for-whom-a-text-is."""
    if bool(people) == is_free:
        raise InvalidValue("Say for whom they are with --person, or free them with --nobody.")
    _change(path, BulkChange("name", people=people, named_as=_way(is_first)), options)


@instances.command()
@on_project
def changes(path: Path, project_name: str, as_json: bool) -> None:
    """List the last changes of many texts with their numbers, the newest first, undone ones too.

    --json has `changes` (`number`, `kind`, `instances`, `by`, `at`, `undone_by`, `undone_at`, `restored`).
    """
    from annotator.usecases.lead.bulk_actions import last_changes
    from annotator.usecases.lead.event_words import bulk_words

    with opened_project(path, project_name) as (store, project):
        actions = last_changes(store, LOCAL_OPERATOR, project)
    rows = [
        {"number": a.id, "kind": a.change.kind, "instances": a.n_instances, "by": a.made_by, "at": a.made_at,
         "undone_by": a.undone_by, "undone_at": a.undone_at, "restored": a.n_restored}
        for a in actions
    ]  # fmt: skip
    lines = [
        f"{a.id}. {a.made_at[:16]} {a.made_by} {bulk_words(a)}{f'; undone by {a.undone_by}' if a.undone_by else ''}"
        for a in actions
    ]
    respond(as_json, {"changes": rows}, *(lines or ["No bulk changes yet."]))


@instances.command()
@click.argument("number", type=int)
@project_option
@option("--dry-run", "is_dry", is_flag=True, help="Say what it would come to, and change nothing.")
@click.pass_obj
def undo(path: Path, number: int, project_name: str, is_dry: bool) -> None:
    """Undo change NUMBER (see `annotator instances changes`) where the texts are still as it left them; others stay
    and are counted.
    """
    from annotator.usecases.lead import bulk_actions

    with opened_project(path, project_name) as (store, project):
        act = bulk_actions.plan_undoing if is_dry else bulk_actions.undo
        undone = act(store, LOCAL_OPERATOR, project, number)
    are = "would be" if is_dry else "are"
    click.echo(
        f"{counted(undone.n_restored, 'text')} {are} as before; {undone.n_changed:,} had changed since and stay."
    )


def _change(path: Path, change: BulkChange, options: dict[str, Any]) -> None:
    """Plan a change of what is found, carry it out unless it is a dry run, and say what it came to."""
    from annotator.usecases.lead.bulk_actions import change_many, plan_change

    is_dry, as_json, is_all = (options.pop(name) for name in ("is_dry", "as_json", "is_all"))
    with opened_project(path, options.pop("project_name")) as (store, project):
        ids = _chosen(store, project, options, is_all=is_all)
        if is_dry:
            plan, number = plan_change(store, LOCAL_OPERATOR, project, change, ids), None
        else:
            result = change_many(store, LOCAL_OPERATOR, project, change, ids)
            plan, number = result.plan, result.action.id if result.action else None
    are = "would be changed" if is_dry else "changed"
    undo_words = (
        "" if number is None else f" Undo it with 'annotator instances undo {number} --project \"{project.name}\"'."
    )
    respond(
        as_json,
        {"change": number, "instances": len(plan.ids), "passed_over": dict(plan.passed_over)},
        f"{counted(len(plan.ids), 'text')} {are}.{undo_words}",
        *(f"  passed over: {reason}" for reason in plan.reasons),
    )


def _chosen(store: "Store", project: "Project", options: dict[str, Any], *, is_all: bool) -> list[int]:
    """The texts that are meant; raises InvalidValue where nothing narrows them and --all is not given."""
    from annotator.usecases.lead.instance_search import found_ids, ids_of_keys_among

    keys = options.pop("keys")
    wanted = _search_of(store, project, options)
    if wanted == Search() and not keys and not is_all:
        raise InvalidValue(
            "Say which texts are meant, with --words or another filter; or --all for all of the project."
        )
    ids = found_ids(store, LOCAL_OPERATOR, project, wanted)
    return ids_of_keys_among(store, project, keys, ids) if keys else ids


def _search_of(store: "Store", project: "Project", filters: dict[str, Any]) -> Search:
    """What the options look for."""
    from annotator.usecases.lead.instance_search import search_choices

    filters.pop("project_name", None)
    list_name, parts = filters.pop("list_name"), filters.pop("parts") or SEARCHED_PARTS
    list_id = None
    if list_name is not None:
        by_name = {name: number for number, name in search_choices(store, LOCAL_OPERATOR, project).lists.items()}
        if list_name not in by_name:
            known = ", ".join(f"'{name}'" for name in by_name) or "none yet"
            raise NotFound(f"The project '{project.name}' has no list '{list_name}'. There are: {known}.")
        list_id = by_name[list_name]
    return Search(**filters, parts=parts, list_id=list_id)


def _way(is_first: bool) -> NamedAs:
    return "first" if is_first else "only"
