"""Agreement on tokens over 10,000 instances x 3 annotators x 50 tokens, against the same numbers from scikit-learn's and the
krippendorff package's functions, called once for each instance, pair and annotator. The two must be equal to 1e-9.

Target: at most a twentieth of the time. The packages take minutes, so they run once, and ours runs ten times around them.
"""

import statistics
import time
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import isclose

import krippendorff
import numpy as np
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from annotator.domain.numbers import natural_order
from annotator.review.token_agreement import InstanceVotes, Marks, TokenAgreement, TokenTally
from benchmarks.measured import Measured, table

_N_INSTANCES, _N_ANNOTATORS, _N_TOKENS = 10_000, 3, 50
_TOLERANCE = 1e-9
_OF_MAJORITY = ("kappa", "precision", "recall", "f1")

Figures = dict[str, float | None]


def main() -> list[Measured]:
    """Seconds of ours and of the packages, after a look that both say the same."""
    instances = list(_drawn())
    by_us = token_agreement(instances)
    ours = [_seconds(instances) for _ in range(5)]
    began = time.perf_counter()
    by_packages = figures_by_packages(instances)
    packages = time.perf_counter() - began
    ours += [_seconds(instances) for _ in range(5)]
    check_equal(figures_of(by_us), by_packages)
    what = f"agreement over {_N_INSTANCES:,} x {_N_ANNOTATORS} x {_N_TOKENS} tokens"
    beside = "scikit-learn and krippendorff per instance"
    return [Measured(what, statistics.median(ours), "s", packages, beside, 1 / 20)]


def _drawn() -> Iterator[InstanceVotes]:
    """Each annotator flips a tenth of the marks of a common opinion; in some instances nobody marks anything."""
    draw = np.random.default_rng(0)
    names = tuple(f"annotator-{number}" for number in range(_N_ANNOTATORS))
    for number in range(_N_INSTANCES):
        opinion = draw.random(_N_TOKENS) < 0.2
        flipped = draw.random((_N_ANNOTATORS, _N_TOKENS)) < 0.1
        yield InstanceVotes(names, np.zeros_like(flipped) if number % 100 == 0 else opinion ^ flipped)


def token_agreement(instances: Iterable[InstanceVotes]) -> TokenAgreement:
    """The agreement on tokens over some instances."""
    tally = TokenTally()
    for votes in instances:
        tally.add(votes)
    return tally.result()


def _seconds(instances: Sequence[InstanceVotes]) -> float:
    began = time.perf_counter()
    token_agreement(instances)
    return time.perf_counter() - began


def check_equal(ours: Figures, theirs: Figures) -> None:
    """Raise RuntimeError, naming the figure, when two are further apart than 1e-9."""
    for name in ours.keys() | theirs.keys():
        one, other = ours.get(name), theirs.get(name)
        if one is None or other is None:
            if one is not other:
                raise RuntimeError(f"{name}: {one} by us, {other} by the packages")
        elif not isclose(one, other, rel_tol=0, abs_tol=_TOLERANCE):
            raise RuntimeError(f"{name}: {one!r} by us, {other!r} by the packages")


def figures_of(found: TokenAgreement) -> Figures:
    """Ours under flat names, without those that no package has (Fleiss' kappa)."""
    spreads = {
        "kappa": found.cohen_kappa_per_instance,
        "pooled": found.cohen_kappa_pooled,
        "alpha": found.krippendorff_alpha_per_instance,
    }
    for name, majority in {"": found.majority, **found.by_annotator}.items():
        for what in _OF_MAJORITY:
            spreads[f"majority {what} {name}"] = getattr(majority, what)
    figures: Figures = {"alpha over all": found.krippendorff_alpha}
    for name, spread in spreads.items():
        figures |= {f"{name} mean": spread.mean, f"{name} sd": spread.sd}
        figures |= {f"{name} n": spread.n, f"{name} left out": spread.n_left_out}
    for pair in found.pairs:
        figures[f"{pair.first} {pair.second}"] = pair.kappa_pooled
        figures[f"{pair.first} {pair.second} mean"] = pair.kappa_per_instance
        figures[f"{pair.first} {pair.second} left out"] = pair.n_undefined
    return figures


def figures_by_packages(instances: Sequence[InstanceVotes]) -> Figures:
    """The same figures in the simplest way: nan is what a package says where a value is not defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _Found()
        for votes in instances:
            if len(votes.annotators) > 1 and votes.marked.shape[1]:
                found.add(votes)
        return found.figures()


@dataclass
class _Found:
    """What the packages say of each instance, and the columns that they are given of all together."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    of_pairs: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    tokens_of_pairs: dict[tuple[str, str], list[tuple[Marks, Marks]]] = field(default_factory=lambda: defaultdict(list))
    counts: list[Marks] = field(default_factory=list)

    def add(self, votes: InstanceVotes) -> None:
        rows = dict(zip(votes.annotators, votes.marked, strict=True))
        for pair in combinations(sorted(rows, key=natural_order), 2):
            first, second = rows[pair[0]], rows[pair[1]]
            kappa = cohen_kappa_score(first, second, labels=[False, True])
            self.values["kappa"].append(kappa)
            self.of_pairs[pair].append(kappa)
            self.tokens_of_pairs[pair].append((first, second))
        self._add_majority(rows)
        ratings = votes.marked.astype(np.int64)
        alpha = krippendorff.alpha(ratings, value_domain=[0, 1], level_of_measurement="nominal")
        self.values["alpha"].append(alpha)
        self.counts.append(np.array([(1 - ratings).sum(axis=0), ratings.sum(axis=0)]))

    def _add_majority(self, rows: dict[str, Marks]) -> None:
        majority = 2 * np.sum(list(rows.values()), axis=0) > len(rows)
        for name, row in rows.items():
            kappa = cohen_kappa_score(row, majority, labels=[False, True])
            scores = precision_recall_fscore_support(majority, row, average="binary", zero_division=np.nan)
            for what, value in zip(_OF_MAJORITY, (kappa, *scores[:3]), strict=True):
                self.values[f"majority {what} "].append(value)
                self.values[f"majority {what} {name}"].append(value)

    def figures(self) -> Figures:
        for pair, tokens in self.tokens_of_pairs.items():
            first, second = (np.concatenate(side) for side in zip(*tokens, strict=True))
            self.values["pooled"].append(cohen_kappa_score(first, second, labels=[False, True]))
            self.of_pairs[pair].append(self.values["pooled"][-1])
        figures: Figures = {"alpha over all": self._alpha_over_all()}
        for name in {*self.values, "kappa", "pooled", "alpha", *(f"majority {what} " for what in _OF_MAJORITY)}:
            figures |= _spread(name, self.values[name])
        for (first_name, second_name), (*each, pooled) in self.of_pairs.items():
            of_instances = _spread("", each)
            figures[f"{first_name} {second_name}"] = None if np.isnan(pooled) else pooled
            figures[f"{first_name} {second_name} mean"] = of_instances[" mean"]
            figures[f"{first_name} {second_name} left out"] = of_instances[" left out"]
        return figures

    def _alpha_over_all(self) -> float | None:
        if not self.counts:
            return None
        counts = np.concatenate(self.counts, axis=1).T
        alpha = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
        return None if np.isnan(alpha) else float(alpha)


def _spread(name: str, values: Sequence[float]) -> Figures:
    kept = [value for value in values if not np.isnan(value)]
    return {
        f"{name} mean": float(np.mean(kept)) if kept else None,
        f"{name} sd": float(np.std(kept, ddof=1)) if len(kept) > 1 else None,
        f"{name} n": len(kept),
        f"{name} left out": len(values) - len(kept),
    }


if __name__ == "__main__":
    print(table([("agreement", row) for row in main()]))
