"""`annotator evaluate edits`: how high models rank the words that an edit changed."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.answers import json_option
from annotator.cli.scores import file_options, files_of, registered_value, run_title, show_scores
from annotator.domain.numbers import UNDEFINED, counted, written
from annotator.domain.tasks import get_task

if TYPE_CHECKING:
    from annotator.figures.text_tables import TextCell, TextLine

_PARTS = {"all": "", "correct": "answered correctly", "wrong": "answered wrongly"}
_ARROWS = {"higher is better": "↑", "lower is better": "↓", "neither": ""}
Numbers = Mapping[str, Any]


@click.command("edits")
@file_options(gold_format="aesw")
@json_option
def edits(*, intervals: bool, as_json: bool, **options: Any) -> None:
    """Score how high models rank the words that an edit changed, from files alone (Stevens and Su 2021).

    The table has a row for all sentences, for those answered correctly and wrongly, and for each criterion.
    """
    from annotator.evaluation.attributions import evaluate_edits

    files = files_of(get_task("editing"), options)
    numbers = evaluate_edits(files, n_resamples=1000 if intervals else 0)
    if as_json:
        show_scores(numbers, registered_value, as_json=True)
        return
    click.echo(_table(numbers), nl=False)


def _table(numbers: Numbers) -> str:
    """For each run all sentences, those answered correctly and wrongly, and the same of each criterion."""
    from annotator.figures.text_tables import TextHead, metric_table_text
    from annotator.metrics.registry import definition_of

    rows = [row for run in numbers["runs"] for row in _rows(run)]
    names = list(dict.fromkeys(name for _title, part in rows for name in part))
    definitions = [definition_of(name) for name in names]
    heads = [
        TextHead("", "n"),
        *(TextHead("", definition.title, _ARROWS[definition.direction]) for definition in definitions),
    ]
    gold = numbers["gold"]
    caption = ", ".join(
        [
            counted(gold["instances"], "sentence with an edit", "sentences with an edit"),
            counted(gold["sets"], "rationale set"),
        ]
    )
    return metric_table_text(
        heads, [_line(title, part, names) for title, part in rows], corner="Model · method", caption=caption,
        notes=[*_confidence(numbers), *_counts(numbers), "docs/metrics.md defines each column; --json has every number."],
    )  # fmt: skip


def _rows(run: Numbers) -> Iterator[tuple[str, Numbers]]:
    title = run_title(run).replace(", ", " · ")
    parts = [("", run), *((criterion, of) for criterion, of in run.get("by_criterion", {}).items())]
    for criterion, of in parts:
        for part, words in _PARTS.items():
            if _n(of.get(part, {})):
                yield ", ".join(filter(None, (title, criterion, words))), of[part]


def _line(title: str, part: Numbers, names: list[str]) -> "TextLine":
    from annotator.figures.text_tables import TextCell, TextLine

    return TextLine(title, [TextCell(f"{_n(part):,}"), *(_cell(part.get(name)) for name in names)])


def _n(part: Numbers) -> int:
    """Over how many sentences the numbers are."""
    return max((number.get("n") or 0 for number in part.values()), default=0)


def _cell(number: Numbers | None) -> "TextCell":
    from annotator.figures.text_tables import TextCell

    if number is None or number.get("value") is None:
        return TextCell(UNDEFINED)
    low, high = number.get("low"), number.get("high")
    bounds = () if low is None or high is None else (f"[{written(low)}, {written(high)}]",)
    return TextCell(written(number["value"]), "", "", bounds)


def _confidence(numbers: Numbers) -> Iterator[str]:
    for run in numbers["runs"]:
        confidence = run.get("confidence") or {}
        if confidence.get("perfect") is not None or confidence.get("other") is not None:
            yield (
                f"{run_title(run)}: confidence {written(confidence['perfect'])} where the ranking is perfect "
                f"(n {confidence['n_perfect']:,}), {written(confidence['other'])} where it is not (n {confidence['n_other']:,})."
            )


def _counts(numbers: Numbers) -> Iterator[str]:
    for run in numbers["runs"]:
        counts = [f"{name.replace('_', ' ')} {n:,}" for name, n in run["counts"].items() if n and name != "instances"]
        if counts:
            yield f"{run_title(run)}: {', '.join(counts)}."
