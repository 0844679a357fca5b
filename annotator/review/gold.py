"""Gold: the rationale sets that count for an instance under the project's gold policy (design, section 5)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from annotator.domain.instances import (
    Annotation,
    GoldChoice,
    GoldInstance,
    Instance,
    Opinion,
    SetOrigin,
    majority_label,
)
from annotator.domain.project.qualification import Known, Measures, Spoiling
from annotator.domain.projects import GoldPolicy
from annotator.domain.reviews import Scores, SetScore, Thresholds
from annotator.domain.sources import is_mask_of_nobody
from annotator.domain.texts import RationaleSet, union_of_tokens

_SetsWithOrigins = list[tuple[RationaleSet, tuple[SetOrigin, ...]]]


def gold_of(
    instance: Instance, annotations: Sequence[Annotation], policy: GoldPolicy, chosen: Annotation | None = None
) -> GoldInstance | None:
    """The gold of an instance, each set with where it came from; None while no annotation counts.

    chosen:   the sets of the lead's choice, else of the first annotation that counts, spans as they are
    all:      the distinct sets (by tokens) of all that count, in order
    majority: one set of the tokens that more than half of those who count marked
    union:    one set of the tokens that anyone who counts marked
    An annotation counts when it carries the gold result (the instance's own, else the most frequent one; where several are as
    frequent there is none until the lead chooses). The lead's choice
    brings its own result with it; the other policies do not look at it.
    """
    result = gold_result(instance, annotations)
    if policy == "chosen" and chosen is not None:
        return _gold(instance, result if chosen.result is None else chosen.result, _each_set(chosen))
    counting = that_count(instance, annotations)
    return _gold(instance, result, _sets_under(policy, counting)) if counting else None


def gold_with_choice(
    instance: Instance, counting: Sequence[Annotation], policy: GoldPolicy, annotated: Sequence[Annotation],
    choice: GoldChoice | None,
) -> GoldInstance | None:  # fmt: skip
    """The same with the lead's choice among all annotations, of which some count.

    A choice that is known to mark all the evidence is the gold under every policy, and the instance is exhaustive then.
    """
    chosen = chosen_among(annotated, choice)
    if chosen is None or choice is None or not choice.is_exhaustive:
        return gold_of(instance, counting, policy, chosen)
    return gold_of(replace(instance, is_exhaustive=True), counting, "chosen", chosen)


def chosen_among(annotations: Sequence[Annotation], choice: GoldChoice | None) -> Annotation | None:
    """The annotation that a choice names, if there is a choice."""
    return next((a for a in annotations if choice is not None and a.id == choice.annotation_id), None)


def that_count(instance: Instance, annotations: Sequence[Annotation]) -> list[Annotation]:
    """The annotations that carry the gold result, or none at all; where there is none, whose result is undecided, those alone."""
    result = gold_result(instance, annotations)
    return [a for a in annotations if a.result == result or a.result is None]


def _gold(instance: Instance, result: str | None, sets: _SetsWithOrigins) -> GoldInstance:
    return GoldInstance(instance, tuple(s for s, _ in sets), result, tuple(origins for _, origins in sets))


def _sets_under(policy: GoldPolicy, counting: Sequence[Annotation]) -> _SetsWithOrigins:
    match policy:
        case "chosen":
            return _each_set(counting[0])
        case "all":
            # Sets with the same tokens count once; the first one's spans stay, and all are named as its origin
            sets = [pair for annotation in counting for pair in _each_set(annotation)]
            first_of_each: dict[tuple[int, ...], tuple[RationaleSet, tuple[SetOrigin, ...]]] = {}
            for rationale_set, origins in sets:
                tokens = rationale_set.token_indices
                first, before = first_of_each.get(tokens, (rationale_set, ()))
                first_of_each[tokens] = (first, before + origins)
            return list(first_of_each.values())
        case "majority":
            return _as_one_set(_majority_tokens(counting), counting)
        case "union":
            return _as_one_set(union_of_tokens([s for a in counting for s in a.sets]), counting)


def _each_set(annotation: Annotation) -> _SetsWithOrigins:
    return [(s, (_origin(annotation, position),)) for position, s in enumerate(annotation.sets)]


def _origin(annotation: Annotation, position: int | None) -> SetOrigin:
    of_set = None if position is None else annotation.sets[position].origin
    return SetOrigin(annotation.id, annotation.annotator, annotation.round_number, position, of_set)


def gold_result(instance: Instance, annotations: Sequence[Annotation]) -> str | None:
    """The instance's own result, else what most annotations say; None where several are said as often."""
    if instance.result is not None:
        return instance.result
    return majority_label(Counter(a.result for a in annotations if a.result is not None))


def is_tied(instance: Instance, annotations: Sequence[Annotation]) -> bool:
    """Whether the annotations of an instance without a result of its own say several as often."""
    return gold_result(instance, annotations) is None and any(a.result is not None for a in annotations)


def _majority_tokens(annotations: Sequence[Annotation]) -> frozenset[int]:
    votes = Counter(token for a in annotations for token in union_of_tokens(a.sets))
    return frozenset(token for token, n in votes.items() if 2 * n > len(annotations))


def _as_one_set(tokens: frozenset[int], counting: Sequence[Annotation]) -> _SetsWithOrigins:
    return [(RationaleSet.of_tokens(tokens), tuple(_origin(a, None) for a in counting))] if tokens else []


# Gold that keeps people apart: what everybody said of an instance, or one person alone.


def soft_gold(
    instance: Instance, annotations: Sequence[Annotation], counting: Sequence[Annotation]
) -> GoldInstance | None:
    """The gold of an instance with what each person said of it; None where nobody counts.

    The sets are those of the policy “all”, and none where labels tie; the lead's choice has no part in it.
    counting: of `annotations`, those that may be gold; labels of people whose marks are not known count for labels alone
    """
    latest = latest_of_each(counting)
    if not latest:
        return None
    opinions = [Opinion(a.annotator, a.result, a.sets, is_of_person=not is_mask_of_nobody(a.annotator)) for a in latest]
    opinions += [Opinion(a.annotator, a.result, None) for a in labels_alone(annotations, latest)]
    gold = gold_of(instance, latest, "all") or GoldInstance(instance, (), gold_result(instance, latest))
    return replace(gold, opinions=tuple(opinions))


def personal_gold(instance: Instance, counting: Sequence[Annotation]) -> GoldInstance | None:
    """The sets and the label of the one person whose annotations count; the label is the instance's where they gave none."""
    latest = latest_of_each(counting)
    gold = gold_of(replace(instance, result=None), latest, "all") if latest else None
    return gold and replace(gold, instance=instance, result=instance.result if gold.result is None else gold.result)


def latest_of_each(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Of each annotator the latest round, in the order in which they came."""
    latest: dict[str, Annotation] = {}
    for annotation in annotations:
        known = latest.get(annotation.annotator)
        if known is None or (annotation.round_number, annotation.id) > (known.round_number, known.id):
            latest[annotation.annotator] = annotation
    return list(latest.values())


def labels_alone(annotations: Sequence[Annotation], part: Sequence[Annotation]) -> list[Annotation]:
    """Where marks of nobody known take part: what a file says of those who gave a label, since some of the marks are theirs."""
    if not any(is_mask_of_nobody(a.annotator) for a in part):
        return []
    names = {a.annotator for a in part}
    brought = (a for a in annotations if a.state == "reference" and a.user_id is None and a.annotator not in names)
    return [a for a in brought if a.result is not None and not a.sets]


# What somebody marked or scored beside gold that is known: which sets match, what was too much, what was missing.


@dataclass(frozen=True, slots=True)
class SetMatch:
    """A set with the gold set that fits it best (the first of equals); None where there is no gold set, or no common token."""

    gold: int | None
    f1: Fraction
    too_much: tuple[int, ...]
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A person's sets against gold sets; unmatched: gold sets that share no token with any of the person's sets."""

    matches: tuple[SetMatch, ...]
    unmatched: tuple[int, ...]
    f1: Fraction


def compare_sets(marked: Sequence[RationaleSet], gold: Sequence[RationaleSet]) -> Comparison:
    """Each set with its best gold set, and the mean of best token F1 over the sets of both sides.

    Both sides count, so that a gold set that was not marked costs as much as a set that is not in the gold.

    Range:     0 to 1, higher is better; no sets on either side: 1, on one side alone: 0
    """
    marks, known = [frozenset(s.token_indices) for s in marked], [frozenset(s.token_indices) for s in gold]
    best_of_gold = [max((token_f1(tokens, other) for other in marks), default=Fraction(0)) for tokens in known]
    matches = tuple(_match(tokens, known) for tokens in marks)
    best = [*(match.f1 for match in matches), *best_of_gold]
    mean = sum(best, Fraction(0)) / len(best) if best else Fraction(1)
    return Comparison(matches, tuple(n for n, value in enumerate(best_of_gold) if not value), mean)


def _match(tokens: frozenset[int], gold: Sequence[frozenset[int]]) -> SetMatch:
    values = [token_f1(tokens, other) for other in gold]
    best = max(values, default=Fraction(0))
    if not best:
        return SetMatch(None, Fraction(0), tuple(sorted(tokens)), ())
    number = values.index(best)
    return SetMatch(number, best, tuple(sorted(tokens - gold[number])), tuple(sorted(gold[number] - tokens)))


def token_f1(tokens: frozenset[int], others: frozenset[int]) -> Fraction:
    """Token F1 of two sets of token indices.

    >>> token_f1(frozenset({1, 2}), frozenset({2, 3, 4}))
    Fraction(2, 5)
    """
    total = len(tokens) + len(others)
    return Fraction(2 * len(tokens & others), total) if total else Fraction(1)


def measure_marks(
    marked: Sequence[RationaleSet], result: str | None, known: Known, *, has_sets: bool, gives_label: bool
) -> Measures:
    """How an annotator's answer came out. has_sets: sets are asked for; gives_label: the label was theirs to say."""
    f1 = compare_sets(marked, known.sets).f1 if has_sets else None
    counts_label = gives_label and known.result is not None
    return Measures(f1, int(counts_label and result == known.result), int(counts_label))


def measure_scores(given: Scores, expected: Scores, thresholds: Thresholds) -> Measures:
    """Of the scores that are expected, how many given ones lie on the same side of their threshold."""
    sides = [side for side in score_sides(given, expected, thresholds) if side is not None]
    return Measures(None, sum(sides), len(sides))


def score_sides(given: Scores, expected: Scores, thresholds: Thresholds) -> list[bool | None]:
    """Set by set sufficiency and compactness, then comprehensiveness: whether each is on the right side; None: not expected."""
    sides: list[bool | None] = []
    for score, right in zip(given.sets, expected.sets, strict=True):
        sides.append(_is_same_side(score.sufficiency, right.sufficiency, thresholds.sufficiency))
        sides.append(_is_same_side(score.compactness, right.compactness, thresholds.compactness))
    sides.append(_is_same_side(given.comprehensiveness, expected.comprehensiveness, thresholds.comprehensiveness))
    return sides


def _is_same_side(given: int | None, expected: int | None, threshold: Fraction) -> bool | None:
    if expected is None:
        return None
    return given is not None and (given >= threshold) == (expected >= threshold)


_GOOD = SetScore(sufficiency=3, compactness=4)


def spoiled(known: Known, spoiling: Spoiling, seed: int, selectable: Sequence[int]) -> Known | None:
    """Gold sets worsened on purpose, with the scores that they are to get; None where these sets cannot be worsened so.

    A token too much makes a set less compact; a token missing leaves it insufficient (whether what is left is compact, or the
    sets comprehensive, is then nobody's to say: not expected); a set left out leaves the whole not comprehensive.
    """
    draw, sets = Random(seed), known.sets  # noqa: S311  (no secret)
    scores = Scores((_GOOD,) * len(sets), 3)
    if not sets:
        return None
    if not spoiling:
        return replace(known, scores=scores)
    if spoiling == "set left out":
        if len(sets) == 1:
            return None
        number = draw.randrange(len(sets))
        return Known(known.result, (*sets[:number], *sets[number + 1 :]), Scores((_GOOD,) * (len(sets) - 1), 1))
    return _with_another_set(known, spoiling, draw, selectable)


def _with_another_set(known: Known, spoiling: Spoiling, draw: Random, selectable: Sequence[int]) -> Known | None:
    marked = {token for s in known.sets for token in s.token_indices}
    is_added = spoiling == "token too much"
    numbers = [n for n, s in enumerate(known.sets) if is_added or len(s.token_indices) > 1]
    free = [token for token in selectable if token not in marked]
    if not numbers or (is_added and not free):
        return None
    number = draw.choice(numbers)
    tokens = known.sets[number].token_indices
    if is_added:
        tokens, score, whole = (*tokens, draw.choice(free)), SetScore(3, 1), 3
    else:
        missing = draw.choice(tokens)
        tokens, score, whole = tuple(token for token in tokens if token != missing), SetScore(1, None), None
    sets = [*known.sets[:number], RationaleSet.of_tokens(tokens), *known.sets[number + 1 :]]
    scores = [_GOOD] * number + [score] + [_GOOD] * (len(sets) - number - 1)
    return Known(known.result, tuple(sets), Scores(tuple(scores), whole))
