"""How commands show scores and gains (one JSON object, or for people a line a number), and options of those on two files."""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from annotator.cli.commands import option, options_of, print_json
from annotator.domain.numbers import UNDEFINED, written, written_in_report
from annotator.domain.projects import GOLD_POLICIES
from annotator.domain.tasks import Task
from annotator.errors import NotFound
from annotator.metrics.registry import definition_of

if TYPE_CHECKING:
    from annotator.evaluation.attributions import FilePair
    from annotator.usecases.models.alignment_gains import Measured
    from annotator.usecases.models.alignment_proofs import AlignmentProof

# From a number's place, such as "paper.map", to its name in the register of metrics.
Registered = Callable[[str], str | None]
Sizes = Mapping[str, Any]  # n and n_left_out, and what else stands beside a number
_BESIDE = {"value", "n", "n_left_out", "low", "high", "deviation", "n_seeds", "n_batches"}


def show_scores(
    scores: Mapping[str, object], registered: Registered, *, as_json: bool, sizes: Mapping[str, Sizes] | None = None
) -> None:
    """Print nested scores with their signature; `registered` names the definition of each number that has one.

    sizes: over how many the number in a place is and how many were left out, where it does not stand beside it
    """
    scores = {**scores, **({"signature": signed} if (signed := signature_of_files()) else {})}
    if as_json:
        print_json({name: _plain(value) for name, value in scores.items()})
        return
    for line in _table(scores, registered, sizes or {}):
        click.echo(line)


def signature_of_files() -> str:
    """What the numbers of the command that runs follow from: its files by content, and the options; "" of a project."""
    from annotator.scoring.signatures import signature

    given: dict[str, object] = {}
    context = click.get_current_context(silent=True)
    if context is None or "project_name" in context.params:  # each number of a project has its own
        return ""
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.name in {"as_json", "intervals", "shows_all", "output_format", "gold_format"} or value in (
            None,
            "",
            False,
            (),
        ):
            continue
        values = value if isinstance(value, tuple) else (value,)
        given[parameter.name or ""] = ",".join(
            _digest(each) if isinstance(each, Path) else str(each) for each in values
        )
    boot = 1000 if context.params.get("intervals") else None
    return signature("METRIC", {"def": None, **given, "boot": boot})


def _digest(path: Path) -> str:
    """16 hexadecimal digits of the SHA-256 of a file, or of the names and contents of a folder's files in the order of names."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            digest.update(file.relative_to(path).as_posix().encode() + b"\0")
            with file.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()[:16]


def _plain(value: object) -> object:
    """A value as JSON can hold it: NaN is null, infinity the word."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _table(scores: Mapping[str, object], registered: Registered, sizes: Mapping[str, Sizes]) -> Iterator[str]:
    """For people: a line a number, with over how many it is, its direction and its definition."""
    intervals = cast("Mapping[str, Sizes | None]", scores.get("intervals", {}))
    for score_name, value, beside in _leaves({name: value for name, value in scores.items() if name != "intervals"}):
        name, size = registered(score_name), beside or sizes.get(score_name)
        interval = intervals.get(score_name.removesuffix(".value"))
        size = size if interval is None else {**(size or {}), "low": interval["low"], "high": interval["high"]}
        text = value if isinstance(value, str) else written_in_report(value)
        definition = definition_of(name) if name else None
        over = f"   {_summary(size)}" if size else ""
        meaning = f"   {definition.direction}: {definition.definition}" if definition else ""
        yield f"{score_name:<58} {text:>10}{over}{meaning}"


def _summary(size: Sizes) -> str:
    """Over how many a number is, its interval, and its spread over seeds; what is missing is left out."""
    parts = []
    if size.get("low") is not None and size.get("high") is not None:
        parts.append(f"[{written_in_report(size['low'])}, {written_in_report(size['high'])}]")
    if size.get("deviation") is not None:
        parts.append(f"± {written(size['deviation'], small=1)} over {size.get('n_seeds', 0)} seeds")
    if "n" in size:
        left_out = size.get("n_left_out", 0)
        parts.append(f"n = {size['n']:,}" + (f" ({left_out:,} left out)" if left_out else ""))
    return " ".join(parts)


def _leaves(value: object, score_name: str = "") -> Iterator[tuple[str, float | str | None, Sizes | None]]:
    """Each number with its place; a mean over instances with over how many it is."""
    if isinstance(value, Mapping) and "value" in value and value.keys() <= _BESIDE:
        yield f"{score_name}.value", value["value"], value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{score_name}.{name}" if score_name else str(name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{score_name}[{number}]")
    elif value is None or isinstance(value, (int, float, str)):
        is_shown = value is None or isinstance(value, str) or math.isfinite(value)
        yield score_name, value if is_shown else str(value), None


def registered_value(score_name: str) -> str | None:
    """The name in the register that stands before `value` at the end of a place, such as "all.editing.mrr.value"."""
    parts = score_name.split(".")
    if parts[-1] != "value":
        return None
    try:
        return definition_of(".".join(parts[-3:-1])).name
    except NotFound:
        return None


def rows_by_name(numbers: Mapping[str, Any]) -> Mapping[str, object]:
    """For people: runs are named by model, method and layer instead of by their place in a list."""
    rest = {name: value for name, value in numbers.items() if name != "runs"}
    return rest | {
        run_title(run): {n: part for n, part in run.items() if isinstance(part, Mapping)} for run in numbers["runs"]
    }


def run_title(run: Mapping[str, Any]) -> str:
    """A run in a few words, without a full stop, which parts the names of numbers."""
    layer = "" if run["layer"] is None else f", layer {run['layer']}"
    seed = "" if run.get("seed") is None else f", seed {run['seed']}"
    return f"{run['model']}, {run['method']}{layer}{seed}".replace(".", "_")


def file_options(*, gold_format: str) -> Callable[[Any], Any]:
    """The options of commands that score model output in one file against gold in another."""
    path = click.Path(exists=True, path_type=Path)
    policies = click.Choice(GOLD_POLICIES)
    return options_of(
        option("--gold", required=True, type=path, help="The gold."),
        option("--gold-format", default=gold_format, help="The format of the gold, any that `annotator import` reads."),
        option("--gold-policy", type=policies, default="all", help="Which sets count."),
        option("--language", default="en", help="The language of gold that brings no tokens."),
        option("--predictions", required=True, type=path, help="The attributions, with predictions if there are any."),
        option(
            "--format",
            "output_format",
            default="attributions",
            help="The format of the predictions, any of model output.",
        ),
        option("--model", default="", help="The model, if the file does not name it."),
        option("--method", default="", help="The method, if the file does not name it."),
        option("--labels", default="", help="The labels, separated by commas, if the file numbers its classes."),
        option("--intervals", is_flag=True, help="Bootstrap intervals (1,000 resamples) of means over instances."),
    )


def files_of(task: Task, options: Mapping[str, Any]) -> "FilePair":
    """What the options name."""
    from annotator.evaluation.attributions import FilePair

    labels = tuple(label.strip() for label in options["labels"].split(",") if label.strip())
    return FilePair(
        task, options["gold"], options["gold_format"], options["predictions"], options["output_format"],
        options["gold_policy"], options["language"], options["model"], options["method"], labels,
    )  # fmt: skip


# What a model gained over another as lines of text, with its control beside it.


TITLES = {
    "accuracy": "accuracy",
    "gradient-x-input": "AUPRC, gradient × input",
    "occlusion": "AUPRC, occlusion",
    "linear": "AUPRC, exact weights",
    "attention": "AUPRC, attention",
    "integrated-gradients": "AUPRC, integrated gradients",
    "selection": "AUPRC, extractor",
}


def gain_lines(proof: "AlignmentProof") -> Iterator[str]:
    """An alignment beside its twin and its control, and in words what that comes to."""
    if proof.twins:
        control = f"; control: {', '.join(proof.controls)}" if proof.controls else ""
        yield f"{', '.join(proof.names)} against {', '.join(proof.twins)}, without alignment{control}"
        yield from measure_lines(proof.measures)
        yield from (f"  {sentence}" for sentence in proof.sentences)
    else:
        numbers = (
            f"{TITLES[of.measure]} {written_in_report(of.gain.other)} (n {of.gain.n:,})" for of in proof.measures
        )
        yield f"{', '.join(proof.names)}, on texts that it did not learn from: {'; '.join(numbers)}"
    yield from map(str, proof.lacking)


def measure_lines(measures: "Sequence[Measured]") -> Iterator[str]:
    from annotator.usecases.models.alignment_gains import in_words

    has_control = any(of.gain.control is not None for of in measures)
    width = max(len(TITLES[name]) for name in ("gradient-x-input", *(of.measure for of in measures)))
    head = f"  {'':<{width}}       n    base   other  difference"
    yield head + (f"{'':<15}  control  its difference" if has_control else "")
    for of in measures:
        gain = of.gain
        numbers = "  ".join(f"{written_in_report(value):>6}" for value in (gain.base, gain.other))
        title = TITLES[of.measure] + ("" if of.is_alike else " ¹")
        line = f"  {title:<{width}}  {gain.n:>6,}  {numbers}  {in_words(gain.gain) or UNDEFINED:<25}"
        if has_control:
            line += f"  {written_in_report(gain.control):>7}  {in_words(gain.of_control) or UNDEFINED}"
        yield line.rstrip()
    if not all(of.is_alike for of in measures):
        yield "  ¹ each with its own parameters"


def proof_as_json(proof: "AlignmentProof") -> dict[str, object]:
    from annotator.usecases.models.alignment_gains import measures_as_json

    return {
        "models": proof.names, "twins": proof.twins, "controls": proof.controls, "is_control": proof.is_control,
        "measures": measures_as_json(proof.measures), "sentences": proof.sentences,
        "lacking": [str(lack) for lack in proof.lacking],
    }  # fmt: skip
