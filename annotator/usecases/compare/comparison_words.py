"""Two models beside each other in words and as one JSON object: what is won and lost, and whether that is a difference."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from annotator.domain.numbers import percent, signed
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.language import _, listed, several, together, unsaid
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.usecases.compare.model_comparison import (
    ConfidenceBin,
    ModelComparison,
    ModelPair,
    PartComparison,
    compare_models,
)
from annotator.usecases.compare.model_gains import ModelGains, model_gains
from annotator.usecases.models.alignment_gains import measures_as_json

TITLES: Mapping[str, str] = {
    "all": unsaid("all texts"),
    "originals": unsaid("originals"),
    "changed_versions": unsaid("perturbed versions"),
}
OF_ALL_TEXTS = unsaid("Annotator groups affect only gold sets, not labels or answers.")
CONFIDENCE = unsaid("base model's probability of the gold label")
# The columns of the table of what is won and lost, said by the page.
_COLUMNS = (
    unsaid("texts"), unsaid("n"), unsaid("base"), unsaid("other"), unsaid("difference"), unsaid("won"), unsaid("lost"),
    unsaid("both right"), unsaid("both wrong"), unsaid("p"), unsaid("opportunity cost ↓"),
)  # fmt: skip
_VERDICTS = {
    "better": unsaid("{other} is better"), "worse": unsaid("{other} is worse"), "not told": unsaid("no clear difference"),
    "too few": unsaid("too few to tell"),
}  # fmt: skip


def in_words(base: str, other: str, part: PartComparison) -> str:
    """Of all seeds together what is won and lost, and whether that is a difference."""
    won, lost, right, wrong = map(sum, (part.n_won, part.n_lost, part.n_both_right, part.n_both_wrong))
    exchanged = several(
        "Only {other} is right on {n} text (won), only {base} on {n_lost} (lost).",
        "Only {other} is right on {n} texts (won), only {base} on {n_lost} (lost).",
        won,
        other=other, base=base, n_lost=f"{lost:,}" if lost else _("none")
    )  # fmt: skip
    rest = _("Both right: {n_right}; both wrong: {n_wrong}.", n_right=f"{right:,}", n_wrong=f"{wrong:,}")
    accuracy = _(
        "Accuracy {other} against {base} (n {n}): {verdict}.", n=f"{part.n:,}",
        other=percent(part.other["value"]), base=percent(part.base["value"]), verdict=_(_VERDICTS[part.verdict], other=other)
    )  # fmt: skip
    return f"{exchanged} {rest} {accuracy}"


def row_of_part(name: str, part: PartComparison) -> dict[str, object]:
    """A line of the table of what is won and lost."""
    difference = None if part.difference is None else signed(part.difference)
    if part.interval is not None:
        difference = f"{difference} [{signed(part.interval.low)}, {signed(part.interval.high)}]"
    return {
        "texts": _(TITLES[name]), "n": part.n, "base": part.base["value"], "other": part.other["value"],
        "difference": difference, "won": _counts(part.n_won), "lost": _counts(part.n_lost),
        "both right": _counts(part.n_both_right), "both wrong": _counts(part.n_both_wrong),
        "p": ", ".join("–" if p is None else "< .001" if p < 0.001 else f"{p:.3f}" for p in part.p_mcnemar),
        "opportunity cost ↓": part.cost["value"],
    }  # fmt: skip


def meaning_of_parts(comparison: ModelComparison) -> str:
    """What the columns of that table are, what is left out of it, and what the project calls labels of the models."""
    meaning = _(
        "Won: only the other is right; lost: only the base. Difference: accuracy, paired 95 % bootstrap "
        "interval over texts; p: McNemar, exact, two-sided; opportunity cost: (lost − won) / n (ER-TEST)."
    )
    runs = "" if len(comparison.runs) == 1 else _("With several seeds, counts and p are per seed.")
    reasons = [
        several("{n} training text", "{n} training texts", comparison.n_learned),
        several(
            "{n} text without predictions from both", "{n} texts without predictions from both", comparison.n_unanswered
        ),
    ]
    counts = (comparison.n_learned, comparison.n_unanswered)
    texts = listed([reason for reason, n in zip(reasons, counts, strict=True) if n], "and")
    return together(meaning, (_("Excluded: {texts}.", texts=texts) if texts else ""), runs, *comparison.labels)


def not_listed(comparison: ModelComparison) -> str:
    """What the lists on Saliency leave out, as the counts do: texts that a model learned from; "" for nothing."""
    won, lost = comparison.won_lost_of_learned
    if not won and not lost:
        return ""
    return _(
        "Training texts aren't counted: {won} more won, {lost} more lost.",
        won=f"{won:,}", lost=f"{lost:,}"
    )  # fmt: skip


def title_of_bin(of_bin: ConfidenceBin) -> str:
    """The probabilities that belong to a bin."""
    return f"{of_bin.low:.1f}–{of_bin.high:.1f}"


def _counts(of_runs: Sequence[int]) -> str:
    return ", ".join(f"{n:,}" for n in of_runs)


# Two models of one or several projects beside each other, as the object that `annotator evaluate models --json` prints.


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """What is won and lost in a project, and what is gained beside a control."""

    comparison: ModelComparison
    gains: ModelGains

    def as_json(self) -> dict[str, object]:
        """The object of a project (docs/scores.md)."""
        gains = self.gains
        return {
            **asdict(self.comparison),
            "gains": {
                "bond": gains.relation.bond,
                "controls": gains.relation.controls,
                "measures": measures_as_json(gains.measures),
                "sentences": [sentence for sentence in (gains.relation.sentence, *gains.sentences) if sentence],
                "lacking": [*map(str, gains.lacking)],
            },
        }


def comparison_reports(
    store: Store, actor: User, projects: Sequence[Project], pair: ModelPair, options: ScoringOptions = ScoringOptions()
) -> Mapping[str, ComparisonReport]:
    """By the name of the project; see compare_models and model_gains."""
    comparisons = compare_models(store, actor, projects, pair, options)
    by_name = {project.name: project for project in projects}
    return {
        name: ComparisonReport(comparison, model_gains(store, actor, projects, by_name[name], pair, options))
        for name, comparison in comparisons.items()
    }
