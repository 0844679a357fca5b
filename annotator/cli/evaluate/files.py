"""`annotator evaluate` on files: the scores of the papers' own programs, and some that they define only."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from annotator.cli import scores as score_words
from annotator.cli.commands import examples, json_option, option
from annotator.domain.numbers import UNDEFINED, counted, written
from annotator.domain.tasks import TASKS, get_task

if TYPE_CHECKING:
    from annotator.evaluation.benchmark.paper import Reading
    from annotator.figures.text_tables import TextCell, TextLine


@click.command("alignment")
@option("--task", "task_name", required=True, type=click.Choice([*TASKS]), help="The kind of input.")
@score_words.file_options(gold_format="jsonl")
@option("--gamma", type=float, default=1.0, help="The factor that attributions are multiplied by.")
@option("--delta", type=float, default=1.0, help="The threshold of the Huber loss.")
@option("--batch-size", type=int, help="Instances in a batch, for the released numbers; by default all in one.")
@option(
    "--as-released", is_flag=True,
    help="Also what the code alone computes: AUPRC and macro token F1 with 0 where there is no rationale, and losses of "
    "negative classes.",
)  # fmt: skip
@json_option
def alignment(
    *, intervals: bool, as_json: bool, task_name: str, gamma: float, delta: float, batch_size: int | None,
    as_released: bool, **options: Any,
) -> None:  # fmt: skip
    """Score ER-TEST's alignment criteria from files alone, as the paper defines them and as its code computes them
    (Joshi et al. 2022).
    """
    from annotator.evaluation.attributions import evaluate_alignment
    from annotator.scoring.reports import with_intervals

    files = score_words.files_of(get_task(task_name), options)
    n_resamples = 1000 if intervals else 0
    numbers = evaluate_alignment(
        files, gamma=gamma, delta=delta, batch_size=batch_size, n_resamples=n_resamples, as_released=as_released
    )
    shown = with_intervals(numbers, n_resamples) if as_json else score_words.rows_by_name(numbers)
    score_words.show_scores(shown, score_words.registered_value, as_json=as_json)


# `annotator evaluate benchmark`: the numbers of Wang et al. 2022, as its two programs and as its paper compute them.


_PATH = click.Path(path_type=Path)
_OF_PROGRAMS = {
    "token_f1": "token_f1_scripts",
    "iou_f1": "iou_f1_evaluator",
    "map": "map_scripts",
    "new_p": "new_p_scripts",
    "answer_f1": "answer_f1_chinese_scripts",
    "answer_em": "answer_em_chinese_scripts",
}
_EQUATIONS = frozenset({"token_f1", "iou_f1", "map", "sufficiency", "comprehensiveness"})
_OF_PAPER = {
    "new_p": "new_p_scripts",
    "token_f1": "token_f1_paper",
    "iou_f1": "iou_f1_paper",
    "counting": "map_counting",
    "aligned": "map_aligned",
    "full": "map",
    "full_counting": "map_counting",
    "full_aligned": "map_aligned",
}


@click.command("benchmark")
@option("--task", required=True, type=click.Choice(["sentiment", "similarity", "reading"]), help="The task.")
@option(
    "--gold", required=True, type=_PATH,
    help="Gold of either dialect: a file, or a folder whose input records join their gold by id.",
)  # fmt: skip
@option(
    "--predictions", required=True, type=_PATH,
    help="Predictions of either dialect, a competition upload (TSV), or a saliency file.",
)  # fmt: skip
@option("--reading", type=click.Choice(["scripts", "evaluator", "paper"]), help="Only this reading, with its counts.")
@option("--input", "inputs", type=_PATH, help="Input records, if the gold does not hold the tokens.")
@option(
    "--ratio", "ratios", multiple=True, type=float,
    help="For a saliency file: the share of a side's tokens that are its rationale; give it twice for a pair. "
    "By default the mean RLR of the gold.",
)  # fmt: skip
@option(
    "--language",
    help="For reading: the language of records without one. By default Chinese if an answer has Chinese "
    "characters, else English.",
)  # fmt: skip
@option(
    "--intervals",
    is_flag=True,
    help="Bootstrap intervals (1,000 resamples, seed 0, 95 %) of the paper's numbers over records.",
)
@json_option
@examples("annotator evaluate benchmark --task sentiment --gold senti_en.tsv --predictions upload.tsv")
def benchmark(
    *, task: str, gold: Path, predictions: Path, reading: str | None, inputs: Path | None, ratios: tuple[float, ...],
    language: str | None, intervals: bool, as_json: bool,
) -> None:  # fmt: skip
    """Score predictions for the fine-grained interpretability benchmark (Wang et al. 2022), without a database.

    It prints the numbers of PaddleNLP's scripts, of TrustAI's evaluator, of the paper's equations, and set by set.
    """
    from annotator.evaluation.benchmark.paper import evaluate_benchmark

    scores = evaluate_benchmark(
        task, gold, predictions, reading=cast("Reading | None", reading), inputs=inputs, ratios=ratios,
        language=language, n_resamples=1000 if intervals else 0,
    )  # fmt: skip
    counts = dict(cast("Mapping[str, Mapping[str, score_words.Sizes]]", scores["counts"]))
    sizes = counts["n"] if as_json else counts.pop("n")  # in the table they stand beside their numbers
    score_words.show_scores({**scores, "counts": counts}, _registered_in_benchmark, as_json=as_json, sizes=sizes)


def _registered_in_benchmark(score_name: str) -> str | None:
    """The name in the register of a number; None for counts."""
    reading, _, rest = score_name.partition(".")
    parts = rest.removesuffix(".value").split(".")
    name = parts[-1]
    if reading in ("scripts", "evaluator"):
        return f"benchmark.{_OF_PROGRAMS.get(name, name)}"
    if reading == "sets":
        return f"sets.{name}" if score_name.endswith(".value") else None
    if reading != "paper" or not (score_name.endswith(".value") or name in _EQUATIONS):
        return None
    if parts[0] == "answers":
        is_chinese = parts[1].partition("-")[0] == "zh"
        return f"benchmark.answer_{name}_{'chinese' if is_chinese else 'english'}"
    if name in ("all", "same", "changed"):
        name = parts[-2]
    return f"benchmark.{_OF_PAPER.get(name, name)}"


# `annotator evaluate edits`: how high models rank the words that an edit changed.


_PARTS = {"all": "", "correct": "answered correctly", "wrong": "answered wrongly"}
_ARROWS = {"higher is better": "↑", "lower is better": "↓", "neither": ""}
Numbers = Mapping[str, Any]


@click.command("edits")
@score_words.file_options(gold_format="aesw")
@option("--all", "shows_all", is_flag=True, help="Print every column, also other variants of what is shown.")
@json_option
def edits(*, intervals: bool, shows_all: bool, as_json: bool, **options: Any) -> None:
    """Score how high models rank the words that an edit changed, from files alone (Stevens and Su 2021).

    The table has a row for all sentences, for those answered correctly and wrongly, and for each criterion.
    """
    from annotator.evaluation.attributions import evaluate_edits
    from annotator.scoring.reports import with_intervals

    files = score_words.files_of(get_task("editing"), options)
    n_resamples = 1000 if intervals else 0
    numbers = evaluate_edits(files, n_resamples=n_resamples)
    if as_json:
        score_words.show_scores(with_intervals(numbers, n_resamples), score_words.registered_value, as_json=True)
        return
    click.echo(f"{_table(numbers, shows_all=shows_all)}Signature: {score_words.signature_of_files()}")


def _table(numbers: Numbers, *, shows_all: bool) -> str:
    """For each run all sentences, those answered correctly and wrongly, and the same of each criterion."""
    from annotator.figures.text_tables import TextHead, metric_table_text
    from annotator.metrics.registry import definition_of, one_of_each

    rows = [row for run in numbers["runs"] for row in _rows(run)]
    names = list(dict.fromkeys(name for _title, part in rows for name in part))
    names = names if shows_all else one_of_each(names)
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
        notes=[*_confidence(numbers), *_counts(numbers), "docs/metrics.md defines each column; --all has every one."],
    )  # fmt: skip


def _rows(run: Numbers) -> Iterator[tuple[str, Numbers]]:
    title = score_words.run_title(run).replace(", ", " · ")
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
                f"{score_words.run_title(run)}: confidence {written(confidence['perfect'])} where the ranking is perfect "
                f"(n {confidence['n_perfect']:,}), {written(confidence['other'])} where it is not (n {confidence['n_other']:,})."
            )


def _counts(numbers: Numbers) -> Iterator[str]:
    for run in numbers["runs"]:
        counts = [f"{name.replace('_', ' ')} {n:,}" for name, n in run["counts"].items() if n and name != "instances"]
        if counts:
            yield f"{score_words.run_title(run)}: {', '.join(counts)}."


# `annotator evaluate eraser`: the ERASER scorer's numbers.


@click.command("eraser")
@option(
    "--data-dir", required=True, type=click.Path(path_type=Path),
    help="The ERASER data set: split files, and documents as docs.jsonl or docs/.",
)  # fmt: skip
@option("--split", required=True, help="The split to score; only DATA-DIR/SPLIT.jsonl is read.")
@option(
    "--predictions", required=True, type=click.Path(path_type=Path),
    help="The predictions as JSONL, a row for each instance in the scorer's form.",
)  # fmt: skip
@option(
    "--iou-threshold", "iou", multiple=True, type=float,
    help="The best IOU from which a predicted span counts as found; repeat it for several. By default 0.5.",
)  # fmt: skip
@option(
    "--aopc-threshold", "aopc", multiple=True, type=float,
    help="A share of tokens for AOPC, which every row must have, as it is written there; repeat it. By default "
    "0.01 0.05 0.1 0.2 0.5.",
)  # fmt: skip
@option(
    "--intervals",
    is_flag=True,
    help="Bootstrap intervals (1,000 resamples, seed 0, 95 %) of means over instances or documents.",
)
@json_option
@examples("annotator evaluate eraser --data-dir movies --split test --predictions predictions.jsonl")
def eraser(
    data_dir: Path, split: str, predictions: Path, iou: tuple[float, ...], aopc: tuple[float, ...], intervals: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Score a predictions file with the numbers of ERASER's metrics.py (DeYoung et al. 2020), without a database."""
    from annotator.evaluation.eraser import AOPC_THRESHOLDS, IOU_THRESHOLDS, evaluate_eraser

    scores = evaluate_eraser(
        data_dir,
        split,
        predictions,
        iou_thresholds=iou or IOU_THRESHOLDS,
        aopc_thresholds=aopc or AOPC_THRESHOLDS,
        n_resamples=1000 if intervals else 0,
    )
    score_words.show_scores(scores, _registered_in_eraser, as_json=as_json)


def _registered_in_eraser(score_name: str) -> str | None:
    """The name in the register of a number in the scorer's object; None for counts and single rows of a report."""
    parts = {"p": "precision", "r": "recall", "f1": "f1"}
    family, _, rest = score_name.partition(".")
    kind = {"iou_scores": "iou", "rationale_prf": "exact", "token_prf": "token"}.get(family.partition("[")[0])
    mean, _, part = rest.rpartition(".")
    if kind and part in parts:
        return f"eraser.{kind}_{parts[part]}_{mean.removeprefix('instance_')}"
    if family in {"token_soft_metrics", "sentence_soft_metrics"}:
        return f"eraser.{rest}"
    if family == "group_aware":
        return f"sets.{rest.removesuffix('.value')}" if rest.endswith(".value") else None
    if family == "paper":
        return f"eraser.{rest}_paper"
    if family != "classification_scores" or rest.startswith(("prf", "aopc")):
        return "eraser.macro_f1" if score_name == "classification_scores.prf.macro avg.f1-score" else None
    return f"eraser.{rest.partition('_points')[0]}"


# `annotator evaluate tests`: functional tests and contrast sets, as ER-TEST and CheckList score them.


@click.command("tests")
@option("--suite", type=_PATH, help="Functional tests, one case on each line.")
@option("--contrast", type=_PATH, help="Contrast sets, an original and its changed versions on each line.")
@option(
    "--predictions", required=True, multiple=True, type=_PATH,
    help="What the model predicts for all texts; repeat it. Each seed, or each file without seeds, is a run.",
)  # fmt: skip
@option(
    "--base-predictions", "base", multiple=True, type=_PATH,
    help="Predictions of a model to compare with; repeat it for its seeds.",
)  # fmt: skip
@option("--groups", type=_PATH, help='Words by group, as JSON: {"women": ["she", ...]}.')
@option("--positive", metavar="LABEL", help="The label whose false positives count, with --groups.")
@option("--intervals", is_flag=True, help="Bootstrap intervals (1,000 resamples) of the means.")
@json_option
@examples("annotator evaluate tests --suite suite.jsonl --predictions seed0.jsonl --predictions seed1.jsonl")
def tests(
    suite: Path | None, contrast: Path | None, predictions: tuple[Path, ...], base: tuple[Path, ...],
    groups: Path | None, positive: str | None, intervals: bool, as_json: bool,
) -> None:  # fmt: skip
    """Score predictions for functional tests and contrast sets, from files alone, with the numbers of ER-TEST.

    Name --suite, --contrast or both. docs/tests.md#files-of-suites-and-predictions describes the files.
    """
    from annotator.evaluation.er_test.scores import ScoredFiles, evaluate_tests

    if suite is None and contrast is None:
        raise click.UsageError("Name what is to be scored: --suite, --contrast, or both.")
    if (groups is None) != (positive is None):
        raise click.UsageError("--groups and --positive need each other: give both.")
    files = ScoredFiles(predictions, suite, contrast, base, groups, positive)
    scores = evaluate_tests(files, n_resamples=1000 if intervals else 0)
    score_words.show_scores(scores, _registered_by_name(scores).get, as_json=as_json)


def _registered_by_name(scores: Mapping[str, object]) -> dict[str, str]:
    """The names in the register, by the places of the numbers that have one."""
    names = {f"contrast.{name}.value": f"contrast.{name}" for name in _CONTRAST}
    names |= {f"contrast.base.{name}.value": f"contrast.{name}" for name in _CONTRAST}
    for part in ("originals", "contrasts"):
        names[f"contrast.opportunity_cost.{part}.cost.value"] = "models.opportunity_cost"
    for part in ("functional", "contrast"):
        for model in ("", "base."):
            names[f"fairness.{part}.{model}difference.value"] = "fairness.fprd"
    match scores:
        case {"functional": {"tests": dict() as by_test}}:
            for test, rates in by_test.items():
                metric = f"functional.{rates['type'].lower()}"
                names |= {f"functional.tests.{test}.{model}rate.value": metric for model in ("", "base.")}
    return names


_CONTRAST = ("original", "contrast", "delta", "consistency", "consistency_of_sets")
