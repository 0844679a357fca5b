"""`annotator sufficient`: the sets of tokens that are enough for a model's own answers, beside people's."""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli import commands
from annotator.cli.attribute import InstanceProgress
from annotator.domain.numbers import counted, written
from annotator.domain.people import LOCAL_OPERATOR

if TYPE_CHECKING:
    from annotator.scoring.sufficient_sets import SufficientNumbers
    from annotator.usecases.models.sufficient_sets import SufficientReport

_NAME, _CELL = 36, 22  # widths of a table's columns


@click.command("sufficient")
@commands.project_option
@commands.option(
    "--model", required=True,
    help="built-in, built-in:NAME, spacy:FOLDER-OR-NAME, transformers:FOLDER-OR-NAME, served:NAME (see explain-self), or the "
    "name of a model trained in the project.",
)  # fmt: skip
@commands.option("--split", help="Only this split.")
@commands.option(
    "--removal", type=click.Choice(["default", "delete", "mask", "blank"]), default="default",
    help="How tokens are taken out: deleted, replaced by the model's mask token (default where it has one), or blanked.",
)  # fmt: skip
@commands.option(
    "--threshold", type=click.FloatRange(0, 1, min_open=True), default=0.9,
    help="A set is sufficient if it keeps this share of the answer's probability (with two labels at least 0.5).",
)  # fmt: skip
@commands.option(
    "--fixed-threshold", type=click.FloatRange(0, 1, min_open=True), help="A probability for all texts instead."
)
@commands.option(
    "--continue", "goes_on", is_flag=True,
    help="Look on after the rest is no longer sufficient, for sets that are outvoted there.",
)  # fmt: skip
@commands.option("--exact", "is_exact", is_flag=True, help="By all subsets; texts of more than 12 tokens are left out.")
@commands.option(
    "--strong", "is_strong", is_flag=True, help="Also look for a sufficient set in what people's sets leave."
)
@commands.option(
    "--sets-of", default="", metavar="MODEL",
    help="Ask about the sets that this model gave as its reasons (explain-self --sets) instead of looking for sets.",
)  # fmt: skip
@commands.rename_option
@commands.option("--again", "is_anew", is_flag=True, help="First delete what was found with these options before.")
@commands.option(
    "--save-lists",
    is_flag=True,
    help="Save lists of the texts where the model is right for a reason nobody marked, or ignores what everyone marked.",
)
@commands.option(
    "--texts-at-once", "at_once", type=click.IntRange(min=1), default=16, help="How many texts are searched together."
)
@commands.device_option
@commands.threads_option
@commands.inputs_option
@commands.engine_options
@commands.too_long_option("refuse")
@commands.hub_option
@commands.answering
@commands.examples(
    "annotator sufficient --project Reviews --model built-in",
    "annotator sufficient --project Reviews --model transformers:bert --split test --removal delete",
)
def sufficient(
    database: Path, /, project_name: str, model: str, as_json: bool, threshold: float, fixed_threshold: float | None,
    save_lists: bool, **options: Any,
) -> int:  # fmt: skip
    """Find the smallest sets of tokens that are enough for a model's answers, and compare them with people's sets.

    Each text is stored when it is done, so the command can be stopped at any moment and repeated. A text for which
    the model fails is left out and named, and the exit code is 1.

    docs/sufficient.md explains the search, the numbers, and what they don't say.
    """
    from annotator.domain.sufficient_sets import Threshold
    from annotator.usecases.inspect.saliency_sets import save_pile_lists
    from annotator.usecases.models.attributions import LoadOptions
    from annotator.usecases.models.sufficient_sets import SufficientOptions, find_sufficient_sets

    if options["sets_of"] and (save_lists or any(options[name] for name in ("goes_on", "is_exact", "is_strong"))):
        raise click.UsageError("--sets-of looks for no sets: leave out --exact, --continue, --strong and --save-lists.")
    engine = commands.engine_of(options)
    of_model = ("device", "threads", "inputs_at_once", "too_long", "asks_hub")
    load = LoadOptions(**{name: options.pop(name) for name in of_model})
    renamed = commands.pairs_of(options.pop("renamed"), "--rename", may_be_empty=True)
    seeking = SufficientOptions(threshold=Threshold(threshold, fixed_threshold), load=load, renamed=renamed, **options)
    with commands.opened_project(database, project_name) as (store, project):
        with InstanceProgress("text") as progress:
            report = find_sufficient_sets(
                store, LOCAL_OPERATOR, project, model, seeking, progress=progress.take, engine=engine
            )
        of_run = (report.model, report.parameters, options["split"])
        lists = save_pile_lists(store, LOCAL_OPERATOR, project, *of_run) if save_lists else ()
    show_report(report, as_json=as_json)
    for saved in lists:
        click.echo(f"Saved the list “{saved.name}” with {counted(saved.n, 'text')}.", err=as_json)
    return 1 if report.n_left_out else 0


def show_report(report: "SufficientReport", *, as_json: bool = False) -> None:
    """What was done, and the numbers."""
    for note in report.notes:
        click.echo(note, err=True)
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in report.reasons.items())
    summary = f"{counted(report.n_left_out, 'text')} left out: {reasons}." if report.n_left_out else ""
    commands.show_left_out(report.left_out, report.n_left_out, summary)
    if as_json:
        commands.print_json(dataclasses.asdict(report))
        return
    click.echo(f"{report.model}, sufficient sets {report.parameters}")
    click.echo(
        f"Searched {counted(report.n_examined, 'text')} with {counted(report.n_calls, 'reduced text')}; "
        f"{report.n_known:,} of {counted(report.n_instances, 'text')} were known."
    )
    if report.n_without:
        click.echo(f"{counted(report.n_without, 'text')} without sets by the model that gave them.")
    if report.numbers is not None:
        for line in table_lines(report.numbers):
            click.echo(line)
    if (beside := report.beside_exact) is not None:
        click.echo(
            f"Beside all subsets, of {counted(beside.n, 'text')}: the same sets in {beside.n_same:,}, as many in "
            f"{beside.n_as_many:,}, a larger first set in {beside.n_larger:,}."
        )


def table_lines(numbers: "SufficientNumbers") -> Iterator[str]:
    """All numbers, as they are printed."""
    from annotator.usecases.inspect.saliency_sets import (
        number_words,
        pile_rows,
        question_rows,
        random_sentence,
        size_sentences,
    )

    yield from _undefined(numbers)
    if not numbers.model.n_texts:
        return
    yield from ("", *map(_row, question_rows(numbers)), *size_sentences(numbers))
    if numbers.people.strongly.get("n"):
        yield f"  strongly comprehensive (no sufficient set in the rest): {number_words(numbers.people.strongly)}"
    if numbers.n_other_answer:
        other = counted(numbers.n_other_answer, "text")
        yield f"People's sets of {other} that the model answers otherwise are not in these shares."
    yield from filter(None, [random_sentence(numbers)])
    piles = pile_rows(numbers)
    yield from ("", *map(_row, piles)) if piles else ("No people's sets to compare with.",)
    if numbers.n_other_answer:
        yield "Where the model answers otherwise, unmarked sets are wrong, for its own reason."
    yield from _families(numbers)


def _undefined(numbers: "SufficientNumbers") -> Iterator[str]:
    from annotator.usecases.inspect.saliency_sets import number_words

    yield f"{counted(numbers.n_texts, 'text')} stored; without sets to speak of:"
    for reason, n in numbers.reasons.items():
        if n or reason != "answers otherwise":  # than the sets are for, which were given
            yield f"  {reason}: {n:,}"
    yield f"Probability of the answer on nothing: {number_words(numbers.empty)}."
    if numbers.n_cut:
        yield f"{counted(numbers.n_cut, 'text')} may have more than the 20 sets that were looked for."
    if numbers.n_late:
        yield f"{counted(numbers.n_late, 'set is', 'sets are')} sufficient only without what speaks against them."


def _families(numbers: "SufficientNumbers") -> Iterator[str]:
    if not numbers.families:
        return
    from annotator.metrics.registry import definition_of
    from annotator.usecases.inspect.saliency_sets import number_words

    yield ""
    yield _row(("sets against sets", "value", "chance"))
    for name, number in numbers.families.items():
        yield _row((definition_of(f"families.{name}").title, number_words(number), written(numbers.chance[name])))


def _row(cells: Sequence[str]) -> str:
    name, *others = cells
    return (f"{name:<{_NAME}}" + "".join(f"{cell:<{_CELL}}" for cell in others)).rstrip()
