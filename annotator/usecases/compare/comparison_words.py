"""Two models beside each other in words: what is won and lost, and whether that is a difference; on the page and in a report."""

from collections.abc import Mapping, Sequence

from annotator.domain.numbers import counted, percent, signed
from annotator.usecases.compare.model_comparison import ConfidenceBin, ModelComparison, PartComparison

TITLES: Mapping[str, str] = {"all": "all texts", "originals": "originals", "changed_versions": "changed versions"}
OF_ALL_TEXTS = "An annotator's group is about whose sets are gold. Labels and answers are counted here over all texts."
CONFIDENCE = "probability that the base gives the gold label"
_VERDICTS = {
    "better": "{other} is better", "worse": "{other} is worse", "not told": "no clear difference",
    "too few": "too few texts to say anything",
}  # fmt: skip


def in_words(base: str, other: str, part: PartComparison) -> str:
    """Of all seeds together what is won and lost, and whether that is a difference."""
    won, lost, right, wrong = map(sum, (part.n_won, part.n_lost, part.n_both_right, part.n_both_wrong))
    rest = f"Both are right on {right:,} and wrong on {wrong:,}."
    verdict = _VERDICTS[part.verdict].format(other=other)
    n_lost = f"{lost:,}" if lost else "none"
    return (
        f"{other} is right on {counted(won, 'text')} on which {base} is wrong (won), and wrong on {n_lost} on which {base} is "
        f"right (lost). {rest} Accuracy {percent(part.other['value'])} against {percent(part.base['value'])}: {verdict}."
    )


def row_of_part(name: str, part: PartComparison) -> dict[str, object]:
    """A line of the table of what is won and lost."""
    difference = None if part.difference is None else signed(part.difference)
    if part.interval is not None:
        difference = f"{difference} [{signed(part.interval.low)}, {signed(part.interval.high)}]"
    return {
        "texts": TITLES[name], "n": part.n, "base": part.base["value"], "other": part.other["value"],
        "difference": difference, "won": _counts(part.n_won), "lost": _counts(part.n_lost),
        "both right": _counts(part.n_both_right), "both wrong": _counts(part.n_both_wrong),
        "p": ", ".join("–" if p is None else "< .001" if p < 0.001 else f"{p:.3f}" for p in part.p_mcnemar),
        "opportunity cost ↓": part.cost["value"],
    }  # fmt: skip


def meaning_of_parts(comparison: ModelComparison) -> str:
    """What the columns of that table are, what is left out of it, and what the project calls labels of the models."""
    runs = "" if len(comparison.runs) == 1 else " Of several seeds, counts and p stand seed by seed."
    return (
        "Won: the other is right and the base is wrong; lost: the reverse. The difference is that of accuracy, with a paired "
        "95 % bootstrap interval over texts; p is McNemar's, exact and two-sided; the opportunity cost is (lost − won) / n "
        f"(ER-TEST).{_left_out(comparison)}{runs}{''.join(f' {sentence}' for sentence in comparison.labels)}"
    )


def not_listed(comparison: ModelComparison) -> str:
    """What the lists on Saliency leave out, as the counts do: texts that a model learned from; "" for nothing."""
    won, lost = comparison.won_lost_of_learned
    if not won and not lost:
        return ""
    return (
        f"Texts that a model learned from are neither counted here nor listed on Saliency: {won:,} more for the first list, "
        f"{lost:,} more for the second. A tick above the list there shows them as well."
    )


def title_of_bin(of_bin: ConfidenceBin) -> str:
    """The probabilities that belong to a bin."""
    return f"{of_bin.low:.1f}–{of_bin.high:.1f}"


def _left_out(comparison: ModelComparison) -> str:
    reasons = {
        "that a model learned from": comparison.n_learned,
        "that not both have answered": comparison.n_unanswered,
    }
    left_out = " and ".join(f"{counted(n, 'text')} {why}" for why, n in reasons.items() if n)
    return f" Left out: {left_out}." if left_out else ""


def _counts(of_runs: Sequence[int]) -> str:
    return ", ".join(f"{n:,}" for n in of_runs)
