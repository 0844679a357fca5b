"""How commands show scores: one JSON object, or for people a line a number."""

import math
from collections.abc import Callable, Iterator, Mapping

import click

from annotator.cli.answers import print_json

Registered = Callable[
    [str], str | None
]  # from a number's place, such as "paper.map", to its name in the register of metrics


Sizes = Mapping[str, int]  # n and n_left_out
_MEAN = {"value", "n", "n_left_out"}


def show_scores(
    scores: Mapping[str, object], registered: Registered, *, as_json: bool, sizes: Mapping[str, Sizes] | None = None
) -> None:
    """Print nested scores; `registered` names the definition of each number that has one.

    sizes: over how many the number in a place is and how many were left out, where it does not stand beside it
    """
    if as_json:
        print_json({name: _plain(value) for name, value in scores.items()})
        return
    for line in _table(scores, registered, sizes or {}):
        click.echo(line)


def _plain(value: object) -> object:
    """A value as JSON can hold it: NaN is null, infinity the word."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _table(scores: Mapping[str, object], registered: Registered, sizes: Mapping[str, Sizes]) -> Iterator[str]:
    """For people: a line a number, with over how many it is, its direction and its definition."""
    from annotator.metrics.registry import definition_of

    for place, value, beside in _leaves(scores):
        name, size = registered(place), beside or sizes.get(place)
        text = value if isinstance(value, str) else "–" if value is None else f"{value:,.4f}".rstrip("0").rstrip(".")
        definition = definition_of(name) if name else None
        over = f"   {_told(size)}" if size else ""
        told = f"   {definition.direction}: {definition.definition}" if definition else ""
        yield f"{place:<58} {text:>10}{over}{told}"


def _told(size: Sizes) -> str:
    left_out = size["n_left_out"]
    return f"n = {size['n']:,}" + (f" ({left_out:,} left out)" if left_out else "")


def _leaves(value: object, place: str = "") -> Iterator[tuple[str, float | str | None, Sizes | None]]:
    """Each number with its place; a mean over instances with over how many it is."""
    if isinstance(value, Mapping) and value.keys() == _MEAN:
        yield f"{place}.value", value["value"], value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{place}[{number}]")
    elif value is None or isinstance(value, (int, float, str)):
        is_shown = value is None or isinstance(value, str) or math.isfinite(value)
        yield place, value if is_shown else str(value), None
