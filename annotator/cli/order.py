"""The command that shows and sets the order in which a project gives out its texts."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.answers import examples, json_option, opened, print_json, project_option
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.queue_orders import FIRST_KINDS, FirstKind, ModelOrder, Order, QueueOrder
from annotator.domain.texts import first_words
from annotator.errors import InvalidValue

if TYPE_CHECKING:
    from annotator.usecases.queue.orders import PresentOrder, Preview

_KINDS: dict[str, FirstKind] = {kind.replace(" ", "-"): kind for kind in FIRST_KINDS}


@click.command()
@project_option
@click.option("--first", "kind", type=click.Choice([*_KINDS, "none"]), help="Which texts come first.")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME",
    help="The model whose stored answers count, with all its seeds; repeat it for several.",
)
@click.option(
    "--percent",
    type=float,
    default=100,
    show_default=True,
    help="The percentage of texts with a number that come first, rounded up.",
)
@click.option("--split", help="Only texts of this split come first.")
@click.option("--method", default="", help="For least-plausible and nothing-found: the method of the attributions.")
@click.option("--number", default="", help="For least-plausible: the metric, by its name in docs/metrics.md.")
@click.option("--layer", type=int, help="For least-plausible: the layer.")
@click.option("--label", help="For nothing-found: the answer that says that there is nothing.")
@click.option("--rest", type=click.Choice(["sequential", "random"]), help="How the other texts follow.")
@click.option("--seed", type=int, help="The seed of everything that is drawn.")
@click.option("--preview", "is_preview", is_flag=True, help="Show what would come first, and change nothing.")
@json_option
@click.pass_obj
@examples("annotator order --project Reviews --first least-confident --model bert --percent 20")
def order(
    database: Path,
    /,
    project_name: str,
    rest: Order | None,
    seed: int | None,
    is_preview: bool,
    as_json: bool,
    **first: Any,
) -> None:
    """Show in which order texts are given out, with the next ten; with --first, --rest or --seed, set another one.

    What is not named stays as it is, and people keep the texts that they hold. docs/rules.md#what-comes-next
    explains each order.
    """
    from annotator.usecases.project.projects import find_project
    from annotator.usecases.queue.orders import present_order, preview_order, set_order

    is_another = first["kind"] is not None or rest is not None or seed is not None
    act = set_order if is_another and not is_preview else preview_order
    with opened(database) as store:
        project = find_project(store, project_name)
        present = present_order(store, LOCAL_OPERATOR, project.id)
        wanted = QueueOrder(
            present.order.rest if rest is None else rest,
            present.order.seed if seed is None else seed,
            _first(first) if first["kind"] is not None or first != _NOTHING_SAID else present.order.first,
        )
        preview = act(store, LOCAL_OPERATOR, project.id, wanted)
    if as_json:
        print_json(asdict(preview))
    else:
        _print(preview, "Set: " if act is set_order else "", () if is_another else _about(present))


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


def _print(preview: "Preview", begin: str, lines: Sequence[str]) -> None:
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
