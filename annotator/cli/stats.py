"""What `annotator stats` prints: a project's numbers on one screen, and with --all every number, or why it has no value."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from annotator.domain.numbers import counted
from annotator.domain.numbers import written_in_report as _of

if TYPE_CHECKING:
    from annotator.review.agreement import Agreement
    from annotator.review.coefficients import Spread
    from annotator.review.help_effects import HelpReport
    from annotator.usecases.lead.statistics import ProjectStatistics

_NAMED = 6  # splits, labels, languages and people that a line names
MORE = "All tables, pairs and people: --all to read, --csv as a table, --json for programs."


def summary_lines(statistics: "ProjectStatistics", why_no_agreement: str) -> Iterator[str]:
    """The lines. why_no_agreement: a sentence where there is none, else ""."""
    size = statistics.size
    yield f"project: {statistics.project} (gold policy “{statistics.gold_policy}”)"
    yield (
        f"size: {counted(size.n_instances, 'instance')} over {counted(size.n_documents, 'text')}, "
        f"{counted(size.n_tokens, 'markable token')}"
        + (f"; {_of(size.mean_tokens_per_instance)} tokens an instance, markable or not" if size.n_instances else "")
    )
    if statistics.instances:
        yield f"state: {_counts(statistics.instances)}; {statistics.n_done:,} done"
    if statistics.people:
        yield f"people: {len(statistics.people):,} ({_names(list(statistics.people))})"
    if statistics.imported:
        n_people, n_brought = len(statistics.imported), sum(statistics.imported.values())
        yield f"imported: {counted(n_brought, 'annotation')} by {counted(n_people, 'annotator')}: {_counts(statistics.imported)}"
    yield (
        f"accepted: {counted(statistics.n_accepted, 'annotation')}, {statistics.n_counting:,} of them in the gold; "
        f"{statistics.n_other_result:,} with another label or answer than the gold"
    )
    if statistics.n_tied:
        yield f"ties: {counted(statistics.n_tied, 'text')} without gold, since several labels or answers were given as often"
    yield from _rationales(statistics)
    yield from [f"agreement: {why_no_agreement}"] if why_no_agreement else _agreement(statistics.agreement)
    yield _work(statistics)
    if statistics.work.help is not None:
        yield from _help(statistics.work.help)
    if statistics.audit:
        yield f"audit of changed versions: {statistics.audit[0].words}"
    yield f"signature: {statistics.signature}"


def _rationales(statistics: "ProjectStatistics") -> Iterator[str]:
    gold = statistics.rationales
    if not gold.n_gold:
        yield "rationales: There is no gold yet, so there are no numbers of rationales."
        return
    yield (
        f"rationales: {counted(gold.n_sets, 'set')}, {counted(gold.n_spans, 'span')} on {counted(gold.n_gold, 'text')} with gold"
    )
    yield f"  rlr: {_of(gold.rlr)}"
    yield f"  rsn: {_of(gold.rsn)}"
    yield f"  results: {_counts(gold.results)}"
    yield f"  splits: {_counts(gold.splits)}"
    yield f"  languages: {_counts(gold.languages)}"


def _apart(agreement: "Agreement") -> str:
    others = (
        f", {agreement.n_other_result:,} of them with another label or answer than the gold (for labels only)"
        if agreement.n_other_result
        else ""
    )
    if not agreement.n_marks_alone:
        return others
    return (
        f"{others}, {agreement.n_marks_alone:,} of them marks of nobody known (for tokens only), and "
        f"{counted(agreement.n_labels_alone, 'label')} of people whose marks are not known (for labels only)"
    )


def _agreement(agreement: "Agreement") -> Iterator[str]:
    labels, tokens = agreement.labels, agreement.tokens
    yield f"agreement: {counted(agreement.n_annotations, 'annotation')} take part{_apart(agreement)}"
    if labels.n_instances:
        yield (
            f"  labels ({counted(labels.n_instances, 'text')}): Krippendorff's α {_of(labels.krippendorff_alpha)}, Fleiss' κ "
            f"{_of(labels.fleiss_kappa)}, Cohen's κ by pair {_spread(labels.cohen_kappa)}"
        )
    if tokens.n_instances:
        yield (
            f"  tokens ({counted(tokens.n_instances, 'text')}): Krippendorff's α {_of(tokens.krippendorff_alpha)}, Fleiss' κ "
            f"{_of(tokens.fleiss_kappa)}, Cohen's κ by instance {_spread(tokens.cohen_kappa_per_instance)}"
        )
        yield f"  sets: best-match IoU {_spread(agreement.sets.best_match_iou)}"
    parts = agreement.disagreement
    if parts.n_pairs:
        yield (
            f"  disagreement ({counted(parts.n_pairs, 'pair')}): another label {_of(parts.label)}, another reason "
            f"{_of(parts.reason)}, another extent {_of(parts.extent)}"
        )


def _work(statistics: "ProjectStatistics") -> str:
    work = statistics.work
    if not work.outcomes and not work.time.n:
        return "work: Nothing has been submitted here."
    by_round = groupby(work.outcomes, key=lambda count: count.round_number)
    lines = (
        f"round {number}: {', '.join(f'{count.n:,} {count.outcome}' for count in counts)}"
        for number, counts in by_round
    )
    rounds = "; ".join(lines) or "no rounds"
    seconds = "" if work.time.median_seconds is None else f"; median of {_of(work.time.median_seconds)} s a submission"
    return f"work: {rounds}{seconds}"


def _help(report: "HelpReport") -> Iterator[str]:
    from annotator.usecases.lead.quality import help_words

    yield f"help: {help_words(report)}"
    for effect in report.effects:
        interval = "" if effect.low is None else f" [{_of(effect.low)}, {_of(effect.high)}], p {_of(effect.p)}"
        yield f"  {effect.outcome}: {'×' if effect.outcome == 'time' else ''}{_of(effect.value)}{interval} (n = {effect.n:,})"


def _spread(spread: "Spread") -> str:
    return f"{_of(spread.mean)} ± {_of(spread.sd)} (n = {spread.n:,})"


def _counts(counts: Mapping[str, int]) -> str:
    """The most frequent, and how many more there are."""
    most = sorted(counts.items(), key=lambda pair: -pair[1])
    named = ", ".join(f"{name or '(none)'} ({n:,})" for name, n in most[:_NAMED])
    return f"{named} and {len(most) - _NAMED:,} more" if len(most) > _NAMED else named


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED:,} more" if len(names) > _NAMED else shown


# What `annotator stats --all` prints for people: what has a value, and once in a sentence why a part has none.


def for_people(statistics: "ProjectStatistics") -> dict[str, Any]:
    """The statistics without empty parts. In what compares people, a number that is not defined stays, as a dash beside its n."""
    answer = dataclasses.asdict(statistics)
    agreement, work = answer.pop("agreement"), answer.pop("work")
    report = _with_values(answer, keeps_undefined=False)
    if not statistics.rationales.n_gold:
        report["rationales"] = "There is no gold yet, so there are no numbers of rationales."
    report["agreement"] = why_no_agreement(statistics) or _with_values(agreement, keeps_undefined=True)
    report["work"] = _work_with_reasons(work)
    return report


def why_no_agreement(statistics: "ProjectStatistics") -> str:
    """A sentence where nobody's annotations can be compared; else ""."""
    labels, tokens = statistics.agreement.labels, statistics.agreement.tokens
    if labels.n_instances or tokens.n_instances:
        return ""
    n = max(labels.n_alone, tokens.n_alone)
    alone = f" ({counted(n, 'text has one', 'texts have one')})" if n else ""
    return f"There is none to tell: no text has two annotations that are submitted or accepted{alone}."


def _work_with_reasons(work: dict[str, Any]) -> dict[str, Any] | str:
    if not work["outcomes"] and not work["time"]["n"]:
        return "Nothing has been submitted here."
    reviewers = work.pop("reviewers")
    compared = {name: agreement for name, agreement in reviewers.items() if agreement["n_items"]}
    report = _with_values(work, keeps_undefined=False)
    return report | {"reviewers": compared or "There is no agreement to tell: no set has scores of two reviewers."}


def _with_values(value: Mapping[str, Any], *, keeps_undefined: bool) -> dict[str, Any]:
    """The same without parts that hold nothing but zeros and what is not defined."""
    values: dict[str, Any] = {}
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            if _has_value(inner):
                values[name] = _with_values(inner, keeps_undefined=keeps_undefined)
        elif isinstance(inner, list | tuple):
            if inner:
                values[name] = inner
        elif inner is not None or keeps_undefined:
            values[name] = inner
    return values


def _has_value(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_value, value.values()))
    return bool(value)
