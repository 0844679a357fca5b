"""The size of a data set and of its rationales, as the papers' tables give them."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotator.domain.instances import GoldInstance
from annotator.domain.rationales import union_of_tokens
from annotator.domain.tasks import ResultKind


@dataclass(frozen=True, slots=True)
class RationaleStatistics:
    """What a project's gold looks like. A mean over nothing is None.

    rlr:            mean over instances of tokens in the union of the sets / selectable tokens (Wang et al. 2022, Table 3);
                    instances without a selectable token are left out and counted in n_rlr_undefined
    rlr_by_segment: the same for each selectable segment by itself (pairs are given per side)
    rlr_per_set:    mean over sets of tokens of the set / selectable tokens, a variant
    rsn:            mean number of sets of an instance
    results:        instances by label; where results are answers, by whether there is one
    """

    n_gold: int = 0
    n_sets: int = 0
    n_spans: int = 0
    n_rlr_undefined: int = 0
    rlr: float | None = None
    rlr_by_segment: dict[str, float] = field(default_factory=dict)
    rlr_per_set: float | None = None
    rsn: float | None = None
    results: dict[str, int] = field(default_factory=dict)
    splits: dict[str, int] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)


def describe_gold(gold: Iterable[GoldInstance], result_kind: ResultKind = "label") -> RationaleStatistics:
    """Statistics over instances with gold."""
    shares: list[float] = []
    set_shares: list[float] = []
    by_segment: dict[str, list[float]] = defaultdict(list)
    results, splits, languages = Counter[str](), Counter[str](), Counter[str]()
    n_gold = n_sets = n_spans = 0
    for item in gold:
        n_gold += 1
        n_sets += len(item.sets)
        n_spans += sum(len(s.spans) for s in item.sets)
        results[_result_class(item.result, result_kind)] += 1
        splits[item.instance.split] += 1
        languages[item.instance.language] += 1
        layout, union = item.instance.layout, union_of_tokens(item.sets)
        if layout.n_selectable:
            shares.append(len(union) / layout.n_selectable)
            set_shares += [len(s.token_indices) / layout.n_selectable for s in item.sets]
        for place in layout.segments:
            if place.is_selectable and place.n_tokens:
                inside = sum(place.first_token <= token < place.end_token for token in union)
                by_segment[place.name].append(inside / place.n_tokens)
    return RationaleStatistics(
        n_gold=n_gold,
        n_sets=n_sets,
        n_spans=n_spans,
        n_rlr_undefined=n_gold - len(shares),
        rlr=_mean(shares),
        rlr_by_segment={name: sum(values) / len(values) for name, values in by_segment.items()},
        rlr_per_set=_mean(set_shares),
        rsn=n_sets / n_gold if n_gold else None,
        results=dict(results),
        splits=dict(splits),
        languages=dict(languages),
    )


def _result_class(result: str | None, kind: ResultKind) -> str:
    if result is None:
        return "–"
    if kind == "label":
        return result
    return "answered" if result else "no answer"


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
