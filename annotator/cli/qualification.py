"""`annotator training`: who needs training before work, on which texts, and who has passed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commands import examples, on_project, opened, opened_project, option, project_option, respond
from annotator.domain.numbers import counted, written
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.qualification import (
    AUDIENCES,
    PURPOSES,
    SPOILINGS,
    Audience,
    Measures,
    Purpose,
    Spoiling,
    Totals,
)
from annotator.errors import NotFound

if TYPE_CHECKING:
    from annotator.usecases.qualification.people import Checked, Trained

_WORSENED: dict[str, Spoiling] = {spoiling.replace(" ", "-") or "not": spoiling for spoiling in SPOILINGS}
_audience = option("--audience", type=click.Choice(AUDIENCES), default="annotators", help="Whose rules.")
_purpose = option(
    "--for", "purpose", type=click.Choice(PURPOSES), default="annotators",
    help="Training of annotators, of reviewers, or blind checks among annotators' work.",
)  # fmt: skip


@click.group()
def training() -> None:
    """Training of people: texts with known gold that come before work, and blind checks among it. See
    docs/training_of_people.md.
    """


@training.command()
@on_project
def show(path: Path, project_name: str, as_json: bool) -> None:
    """Show rules, texts, people who passed, and the results of blind checks."""
    from annotator.usecases.qualification.items import items_of, training_rules
    from annotator.usecases.qualification.people import checked_people, trained_people

    with opened_project(path, project_name) as (store, project):
        rules = {a: training_rules(store, LOCAL_OPERATOR, project.id, a).rules for a in AUDIENCES}
        people = {a: trained_people(store, LOCAL_OPERATOR, project, a) for a in AUDIENCES}
        checked = checked_people(store, LOCAL_OPERATOR, project)
        items = [
            {"for": purpose, "key": shown.row.key, "worsened": shown.item.spoiling, "gold": shown.gold}
            for purpose in PURPOSES
            for shown in items_of(store, LOCAL_OPERATOR, project, purpose)
        ]
    answer = {
        "rules": {audience: asdict(each) for audience, each in rules.items()},
        "texts": items,
        "people": {audience: [_person(trained) for trained in each] for audience, each in people.items()},
        "checks": [_checked(person) for person in checked],
    }
    respond(as_json, answer, *_lines(answer))


def _person(trained: "Trained") -> dict[str, object]:
    return {"name": trained.user.name, "training": trained.state, "tries": trained.n_tries, **_numbers(trained.totals)}


def _checked(checked: "Checked") -> dict[str, object]:
    points = [{"at": point.at, **_numbers(point.measures)} for point in checked.points]
    return {"name": checked.user.name, **_numbers(checked.totals), "points": points}


def _numbers(counts: Measures | Totals | None) -> dict[str, object]:
    if counts is None:
        return {"token_f1": None, "right": 0, "of": 0}
    return {"token_f1": None if counts.f1 is None else float(counts.f1), "right": counts.n_right, "of": counts.n}


def _lines(answer: dict[str, Any]) -> Iterator[str]:
    for audience, rules in answer["rules"].items():
        values = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in rules.items() if name != "is_on")
        yield f"Training of {audience} is {'on' if rules['is_on'] else 'off'}: {values}"
        for person in answer["people"][audience]:
            yield f"  {person['name']}: {person['training']}, {counted(person['tries'], 'attempt')}{_spoken(person)}"
    for text in answer["texts"]:
        worsened = f", {text['worsened']}" if text["worsened"] else ""
        yield f"{text['key']}: for {text['for']}{worsened}; gold {text['gold']}"
    for person in answer["checks"]:
        yield f"Checks of {person['name']}: {len(person['points'])}{_spoken(person)}"


def _spoken(numbers: dict[str, Any]) -> str:
    right = f"; {numbers['right']} of {numbers['of']} right" if numbers["of"] else ""
    return f"; token F1 {written(numbers['token_f1'])}{right}" if numbers["token_f1"] is not None else right


@training.command(name="set")
@project_option
@_audience
@option("--on/--off", "is_on", default=None, help="Whether training comes before work; texts must be picked first.")
@option("--texts", type=int, help="Texts in an attempt.")
@option("--tries", type=int, help="How many attempts there are.")
@option("--least-f1", type=int, metavar="PERCENT", help="For annotators: the least mean token F1.")
@option("--least-labels", type=int, metavar="PERCENT", help="For annotators: the least share of right labels.")
@option("--least-scores", type=int, metavar="PERCENT", help="For reviewers: the least share of right scores.")
@option("--check-every", type=int, help="For annotators: one of so many texts is a blind check; 0: none.")
@click.pass_obj
@examples(
    "annotator training pick r1 r2 r3 r4 r5 --project Reviews",
    "annotator training set --project Reviews --on --least-f1 70",
)
def set_(path: Path, /, project_name: str, audience: Audience, **changes: int | bool | None) -> None:
    """Set the rules that are named; the others stay. Who is in an attempt finishes it under the rules that it began
    under.
    """
    from annotator.usecases.qualification.items import set_rules, training_rules
    from annotator.usecases.qualification.people import finishing_first

    with opened_project(path, project_name) as (store, project):
        stored = training_rules(store, LOCAL_OPERATOR, project.id, audience)
        given: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
        rules = replace(stored.rules, **given)
        set_rules(store, LOCAL_OPERATOR, project.id, audience, rules, based_on=stored.number)
        is_new = rules.is_on and not stored.rules.is_on
        held = finishing_first(store, LOCAL_OPERATOR, project, audience) if is_new else ""
    click.echo(f"Training of {audience} is {'on' if rules.is_on else 'off'}.")
    if held:
        click.echo(held)


@training.command()
@click.argument("keys", nargs=-1, required=True)
@project_option
@_purpose
@option(
    "--worsened", multiple=True, type=click.Choice(tuple(_WORSENED)),
    help="For reviewers: how sets are worsened; repeat it to take each text once in each form.",
)  # fmt: skip
@option("--seed", type=int, default=0, help="The seed by which they are worsened.")
@click.pass_obj
def pick(
    path: Path, keys: Sequence[str], project_name: str, purpose: Purpose, worsened: Sequence[str], seed: int
) -> None:
    """Pick texts with gold, by their keys. A text that cannot be picked is named with the reason."""
    from annotator.usecases.qualification.items import instances_of_keys
    from annotator.usecases.qualification.items import pick as pick_texts

    with opened_project(path, project_name) as (store, project):
        numbers = instances_of_keys(store, project, keys)
        spoilings = [_WORSENED[name] for name in worsened] or [""]
        picked = pick_texts(store, LOCAL_OPERATOR, project, purpose, numbers, spoilings, seed=seed)
    for reason in picked.left_out:
        click.echo(reason, err=True)
    click.echo(f"Picked {counted(picked.n_new, 'new text', 'new texts')}.")


@training.command()
@click.argument("keys", nargs=-1, required=True)
@project_option
@_purpose
@click.pass_obj
def remove(path: Path, keys: Sequence[str], project_name: str, purpose: Purpose) -> None:
    """Remove texts, by their keys; what people answered to them is kept."""
    from annotator.usecases.databases import find_project
    from annotator.usecases.qualification.items import items_of, take_out

    with opened(path) as store, store.transaction():
        project = find_project(store, project_name)
        items = items_of(store, LOCAL_OPERATOR, project, purpose)
        missing = next((key for key in keys if all(shown.row.key != key for shown in items)), None)
        if missing is not None:
            raise NotFound(f"'{missing}' is not among the texts for {purpose}. 'annotator training show' lists them.")
        chosen = [shown for shown in items if shown.row.key in keys]
        for shown in chosen:
            take_out(store, LOCAL_OPERATOR, project, shown.item.id)
    click.echo(f"Took {counted(len(chosen), 'text')} out.")


@training.command()
@click.argument("name")
@project_option
@_audience
@option("--through", "is_through", is_flag=True, help="Let them work without having passed.")
@click.pass_obj
def allow(path: Path, name: str, project_name: str, audience: Audience, is_through: bool) -> None:
    """Give somebody another attempt; with --through, let them work without having passed."""
    from annotator.usecases.qualification.people import allow as allow_person

    with opened_project(path, project_name) as (store, project):
        allow_person(store, LOCAL_OPERATOR, project, audience, name, "let through" if is_through else "another try")
    click.echo(f"{name} gets work now." if is_through else f"{name} has another try.")
