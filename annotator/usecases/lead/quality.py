"""How good the work is: how rounds ended, what was scored, agreement, how long it takes, and what help did to it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import Output
from annotator.domain.numbers import by_key, counted, natural_order
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.proposed_sets import ProposedCount
from annotator.domain.reviews import SCALES, Property, Scores
from annotator.domain.texts import RationaleSet
from annotator.language import _, together
from annotator.review import rater_agreement
from annotator.review.agreement import Agreement, DisagreementParts
from annotator.review.coefficients import Spread
from annotator.review.help_effects import MANY_PEOPLE, HelpReport, Outcome, Trial, help_report
from annotator.review.rater_agreement import NO_WORSE, AgainstRest, Estimate, Leaning, ShadowAgreement, Standing
from annotator.scoring.gold import GoldTable, gold_row
from annotator.scoring.runs import ScoringOptions, score_attributions
from annotator.store import Store
from annotator.store.annotate.annotations import get_annotations, has_help
from annotator.store.annotate.assignments import drawn_work
from annotator.store.annotate.proposals import helping_models, proposed_counts
from annotator.store.instances import get_instances
from annotator.store.models import iterate_outputs_of, list_runs
from annotator.store.review import review_numbers as review_numbers_store
from annotator.store.review.review_numbers import BehindPoint
from annotator.usecases.access.rights import require

__all__ = [
    "NO_WORSE", "AgainstRest", "Agreement", "BehindPoint", "DisagreementParts", "Estimate", "HelpReport", "Leaning",
    "Outcome", "ShadowAgreement", "Spread", "Standing",
]  # fmt: skip

# What help did to a project's annotations, where a lot decided who had it, and to the score of the model that helped.


Floats = npt.NDArray[np.float64]
_RANDOM = "random"


def help_of_project(store: Store, project: Project) -> HelpReport | None:
    """What help did where the lot decided who had it; None where it never did."""
    drawn = drawn_work(store, project.id)
    handed_in = get_annotations(store, [work.annotation_id for work in drawn if work.annotation_id is not None])
    if not drawn:
        return None
    trials = [
        Trial(
            str(work.user_id), work.instance_id, work.is_helped, work.active_ms / 1000 or None,
            handed_in[work.annotation_id],
        )
        for work in drawn if work.annotation_id is not None
    ]  # fmt: skip
    left = [work.is_helped for work in drawn if work.was_opened and work.annotation_id is None]
    return help_report(trials, (sum(left), len(left) - sum(left)), _advantage(store, project, trials))


def _advantage(store: Store, project: Project, trials: Sequence[Trial]) -> Floats:
    """float[n_texts, 2]: how much better the models that helped rank helped sets than blind ones, and how much others do.

    Average precision of each attribution method but random, mean over a model's; no row without a model of either kind.
    """
    helping = helping_models(store, project.id)
    runs = [run for run in list_runs(store, project.id) if run.run.method not in {"", _RANDOM}] if helping else []
    if {run.run.model in helping for run in runs} != {True, False}:
        return np.empty((0, 2))
    by_instance: dict[int, tuple[list[RationaleSet], list[RationaleSet]]] = defaultdict(lambda: ([], []))
    for trial in trials:
        by_instance[trial.instance][0 if trial.is_helped else 1].extend(trial.annotation.sets)
    compared = [number for number, (helped, blind) in by_instance.items() if helped and blind]
    instances = get_instances(store, compared)
    golds = [_table(project, [(instances[number], by_instance[number][arm]) for number in compared]) for arm in (0, 1)]
    differences: dict[bool, list[Floats]] = {True: [], False: []}
    for run in runs:
        outputs = {output.instance_id: output for output in iterate_outputs_of(store, run.id, compared)}
        helped, blind = (_precisions(gold, outputs, compared) for gold in golds)
        differences[run.run.model in helping].append(helped - blind)
    both = [np.stack(differences[kind]) for kind in (True, False)]
    with np.errstate(invalid="ignore"):
        means = [np.nansum(of, axis=0) / np.sum(~np.isnan(of), axis=0) for of in both]
    columns: Floats = np.stack(means, axis=1)
    return columns


def _table(project: Project, marked: Sequence[tuple[Instance, Sequence[RationaleSet]]]) -> GoldTable:
    golds = [GoldInstance(instance, tuple(sets), instance.result) for instance, sets in marked]
    return GoldTable([gold_row(gold, project.task, keep_tokens=False, is_exhaustive=False) for gold in golds])


def _precisions(gold: GoldTable, outputs: Mapping[int, Output], instances: Sequence[int]) -> Floats:
    """float[n_instances]: of the attributions of a run's last layer; NaN where it has none."""
    layers = [a.layer for output in outputs.values() for a in output.attributions if a.layer is not None]
    scored = score_attributions(gold, outputs, {}, max(layers, default=None), ScoringOptions())
    values = dict(zip((row.id for row in scored.gold.rows), scored.values["editing.average_precision"], strict=True))
    return np.array([values.get(number, np.nan) for number in instances], dtype=np.float64)


def help_words(report: HelpReport) -> str:
    """What the effects are of, and whom they speak of."""
    texts = _(
        "{helped} annotations with help and {blind} without, by lot; {people} on {texts}.",
        helped=f"{report.n_helped:,}", blind=f"{report.n_blind:,}", people=counted(report.n_people, "annotator"),
        texts=counted(report.n_instances, "text"),
    )  # fmt: skip
    reach = (
        _("Intervals: for annotators and texts like these.")
        if report.n_people >= MANY_PEOPLE
        else _("Intervals: for these annotators only, on texts like these.")
    )
    first, second = report.halves
    halves = (
        ""
        if first is None or second is None
        else _(
            "Time in each annotator's first half × {first}, second × {second}.",
            first=f"{first:.2f}",
            second=f"{second:.2f}",
        )
    )
    left = _(
        "Opened, not submitted: {helped} with help, {blind} without.", helped=report.n_left[0], blind=report.n_left[1]
    )
    alone = "" if report.has_instances else _("One annotator per text, so texts aren't compared with themselves.")
    return together(texts, reach, alone, halves, left if any(report.n_left) else "")


@dataclass(frozen=True, slots=True)
class RoundShare:
    """Of the rounds of one number: how many were decided, and the share of these that was accepted (None of none)."""

    round_number: int
    n_decided: int
    n_open: int
    accepted_share: float | None


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """Working time without pauses on each of n pieces of work that were handed in, corrections among them.

    median_seconds: over those whose time is known, which n_unknown are not. First submissions alone: progress.py
    """

    n: int
    median_seconds: float | None
    n_unknown: int


@dataclass(frozen=True, slots=True)
class WorkQuality:
    """Everything about reviewing and time; scores_by_annotator of each property is in `scores`.

    proposed: what became of sets that were proposed to annotators; help: what help did, where the lot gave it
    shadows: language models that scored what people scored, on each scale; {} without one
    """

    outcomes: tuple[review_numbers_store.OutcomeCount, ...]
    accepted_by_round: tuple[RoundShare, ...]
    scores: tuple[review_numbers_store.ScoreCount, ...]
    reviewers: dict[Property, rater_agreement.ReviewerAgreement]
    time: TimeSpent
    time_by_person: dict[str, TimeSpent]
    proposed: tuple[ProposedCount, ...]
    shadows: dict[Property, tuple[ShadowAgreement, ...]]
    help: HelpReport | None = None


def quality_of(store: Store, actor: User, project: Project) -> WorkQuality:
    """The numbers of a project, at one moment."""
    require(store, actor, project.id, "see all annotations")
    with store.snapshot():
        return work_quality(store, project)


def reviewer_leanings(store: Store, actor: User, project: Project) -> dict[Property, dict[str, Leaning]]:
    """Who scores higher or lower than the others, on each scale, over decided rounds."""
    require(store, actor, project.id, "see all annotations")
    with store.snapshot():
        return {
            name: rater_agreement.leanings(
                item.scores for item in review_numbers_store.decided_scores(store, project.id, name)
            )
            for name in SCALES
        }


def work_quality(store: Store, project: Project) -> WorkQuality:
    """The same for a caller that has checked the right and holds a snapshot."""
    outcomes = review_numbers_store.outcome_counts(store, project.id)
    times = review_numbers_store.active_times(store, project.id)
    by_person = by_key((name, milliseconds) for name, milliseconds in times)
    return WorkQuality(
        outcomes=tuple(outcomes),
        accepted_by_round=_shares(outcomes),
        scores=tuple(review_numbers_store.score_counts(store, project.id)),
        reviewers={
            name: rater_agreement.reviewer_agreement(patterns)
            for name, patterns in review_numbers_store.score_patterns(store, project.id).items()
        },
        time=_time([milliseconds for _, milliseconds in times]),
        time_by_person={
            name: _time(spent) for name, spent in sorted(by_person.items(), key=lambda pair: natural_order(pair[0]))
        },
        proposed=tuple(proposed_counts(store, project.id)),
        help=help_of_project(store, project),
        shadows=_shadows(store, project.id),
    )


def _shadows(store: Store, project_id: int) -> dict[Property, tuple[ShadowAgreement, ...]]:
    by_model = review_numbers_store.shadow_scores(store, project_id)
    return {name: tuple(_shadow(store, project_id, name, *of_model) for of_model in by_model.items())
            for name in SCALES if by_model}  # fmt: skip


def _shadow(store: Store, project_id: int, name: Property, model: str, scores: Mapping[int, Scores]) -> ShadowAgreement:
    items = []
    for item in review_numbers_store.decided_scores(store, project_id, name):
        of_model = scores.get(item.annotation_id)
        if of_model is not None:
            of_item = of_model if name == "comprehensiveness" else of_model.sets[item.position]
            items.append((item.instance_id, getattr(of_item, name), tuple(item.scores.values())))
    return rater_agreement.shadow_agreement(model, len(SCALES[name]), items)


def _shares(outcomes: Sequence[review_numbers_store.OutcomeCount]) -> tuple[RoundShare, ...]:
    by_round: dict[int, dict[str, int]] = defaultdict(dict)
    for count in outcomes:
        by_round[count.round_number][count.outcome] = count.n
    shares = []
    for number, counts in sorted(by_round.items()):
        n_open = counts.get("open", 0)
        n_decided = sum(counts.values()) - n_open
        shares.append(
            RoundShare(number, n_decided, n_open, counts.get("accepted", 0) / n_decided if n_decided else None)
        )
    return tuple(shares)


def _time(milliseconds: Sequence[int]) -> TimeSpent:
    known = [spent for spent in milliseconds if spent]
    return TimeSpent(len(milliseconds), median(known) / 1000 if known else None, len(milliseconds) - len(known))


def instances_behind_outcome(
    store: Store, actor: User, project: Project, round_number: int, outcome: str
) -> list[BehindPoint]:
    """The instances behind a bar of outcomes."""
    require(store, actor, project.id, "see all annotations")
    return review_numbers_store.behind_outcome(store, project.id, round_number, outcome)


def instances_behind_score(
    store: Store, actor: User, project: Project, name: Property, score: int, *, round_number: int | None = None,
    annotator: str | None = None,
) -> list[BehindPoint]:  # fmt: skip
    """The instances behind a bar of scores: of one round, or of one annotator."""
    require(store, actor, project.id, "see all annotations")
    return review_numbers_store.behind_score(
        store, project.id, name, score, round_number=round_number, annotator=annotator
    )


# Agreement between the annotators of a project.


def knows_help(store: Store, actor: User, project: Project) -> bool:
    """Whether help had to do with any annotation of a project, so that those without it may be looked at alone."""
    require(store, actor, project.id, "export")
    return has_help(store, project.id)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One number of agreement.

    about: "labels", "tokens", "sets" or "disagreement"
    name: as in `annotator stats --json`, such as "cohen_kappa" or "majority.f1"
    value: None where it is not defined; sd, n, n_left_out: of a mean over pairs or instances, else n is that of the instances
    """

    about: str
    name: str
    value: float | None
    sd: float | None = None
    n: int | None = None
    n_left_out: int | None = None


def coefficients_of(agreement: Agreement) -> Iterator[Coefficient]:
    """Every coefficient of agreement, one after another; counts are left out."""
    for about in ("labels", "tokens", "sets"):
        part = getattr(agreement, about)
        yield from _coefficients(about, part, "", getattr(part, "n_instances", None))
    parts = agreement.disagreement
    for name in ("label", "reason", "extent"):
        yield Coefficient("disagreement", name, getattr(parts, name), n=parts.n_pairs, n_left_out=parts.n_left_out)


def _coefficients(about: str, part: object, before: str, n_instances: int | None) -> Iterator[Coefficient]:
    for field in fields(part) if is_dataclass(part) else ():
        value, name = getattr(part, field.name), f"{before}{field.name}"
        if isinstance(value, Spread):
            yield Coefficient(about, name, value.mean, value.sd, value.n, value.n_left_out)
        elif is_dataclass(value):
            yield from _coefficients(about, value, f"{name}.", n_instances)
        elif field.name.endswith(("kappa", "alpha")):
            yield Coefficient(about, name, value, n=n_instances)


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """Two annotators over the instances that they share. kappa_per_instance: of tokens alone."""

    about: str
    first: str
    second: str
    n_instances: int
    kappa: float | None
    kappa_per_instance: float | None = None


def pairs_of(agreement: Agreement) -> Iterator[AnnotatorPair]:
    """Every pair of annotators, on labels and then on tokens."""
    for labels in agreement.labels.pairs:
        yield AnnotatorPair("labels", labels.first, labels.second, labels.n_instances, labels.kappa)
    for tokens in agreement.tokens.pairs:
        yield AnnotatorPair(
            "tokens", tokens.first, tokens.second, tokens.n_instances, tokens.kappa_pooled, tokens.kappa_per_instance
        )
