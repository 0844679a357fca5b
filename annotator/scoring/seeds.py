"""Numbers of runs that differ in their seed alone: means and deviations over seeds, and over how many instances each is."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
import numpy.typing as npt

from annotator.domain.numbers import mean
from annotator.metrics.aggregate import Aggregate, bootstrap, mean_of, over_seeds, paired_bootstrap
from annotator.metrics.ragged import Flags, Floats, Integers
from annotator.metrics.sentence_editing import confidence_by_ranking
from annotator.scoring.gold import GoldTable
from annotator.scoring.reports import ConfidenceReport, CountsReport, NumberReport, NumberReports, Report, RunsReport
from annotator.scoring.runs import Answers, Scored, Values, values_of_pairs


@dataclass(slots=True)
class Sample:
    """One number of each seed: a mean over instances, or over pairs.

    keeps_instances: beside the seeds' means, the sum of each instance over the seeds that have a value for it
    """

    keeps_instances: bool = True
    means: list[Aggregate] = field(default_factory=list)
    _sums: Floats = field(default_factory=lambda: np.zeros(0))
    _n_values: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    _is_met: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    def add(self, indices: Integers, values: Floats) -> None:
        """The values of a seed. Shapes: places int[n], distinct; values float[n], NaN where it is not defined."""
        self.means.append(mean_of(values))
        if not self.keeps_instances:
            return
        missing = int(indices.max(initial=-1)) + 1 - len(self._sums)
        if missing > 0:
            self._sums, self._n_values, self._is_met = (
                np.concatenate([of, np.zeros(missing, dtype=of.dtype)])
                for of in (self._sums, self._n_values, self._is_met)
            )
        is_there = ~np.isnan(values)
        self._sums[indices] += np.where(is_there, values, 0.0)
        self._n_values[indices] += is_there
        self._is_met[indices] = True

    def of_instances(self) -> Floats:
        """float[n_places]: each instance's mean over the seeds that have a value for it, NaN where none has."""
        means = np.full(len(self._sums), np.nan)
        np.divide(self._sums, self._n_values, out=means, where=self._n_values > 0)
        return means

    def report(self, n_resamples: int = 0) -> NumberReport:
        """The mean over seeds of the seeds' means. n: instances with a value in some seed; n_left_out: in none.

        n_resamples: above 0, with a bootstrap interval over the instances' means
        """
        first = self.means[0]
        number: NumberReport = {"value": first.value, "n": first.n, "n_left_out": first.n_left_out}
        if len(self.means) > 1:
            defined = [mean.value for mean in self.means if mean.value is not None]
            n = int((self._n_values > 0).sum())
            number = {"value": mean(defined), "n": n, "n_left_out": int(self._is_met.sum()) - n}
            number |= spread(defined, len(self.means))
        if n_resamples:
            interval = bootstrap(self.of_instances(), n_resamples=n_resamples)
            number["low"] = None if interval is None else interval.low
            number["high"] = None if interval is None else interval.high
        return number


def spread(values: Sequence[float], n_seeds: int) -> NumberReport:
    """Nothing of one seed."""
    return {} if n_seeds < 2 else {"deviation": over_seeds(np.array(values)).deviation, "n_seeds": n_seeds}


@dataclass(slots=True)
class NumbersOverSeeds:
    """All numbers and counts of one scoring of each seed. n_seeds: how many there may be."""

    gold: GoldTable
    n_seeds: int
    n_resamples: int = 0
    samples: dict[str, Sample] = field(default_factory=dict)
    totals: dict[str, list[float | None]] = field(default_factory=dict)
    counts: list[Mapping[str, int]] = field(default_factory=list)

    def add(self, scored: Scored) -> None:
        indices = np.array([self.gold.places[row.id] for row in scored.gold.rows], dtype=np.int64)
        keeps_instances = self.n_seeds > 1 or self.n_resamples > 0
        for name, values in scored.values.items():
            self.samples.setdefault(name, Sample(keeps_instances)).add(indices, values)
        for name, total in scored.totals.items():
            self.totals.setdefault(name, []).append(total)
        self.counts.append(scored.counts)

    def report(self) -> NumberReports:
        numbers: NumberReports = {name: sample.report(self.n_resamples) for name, sample in self.samples.items()}
        for name, totals in self.totals.items():
            defined = [total for total in totals if total is not None]
            numbers[name] = {"value": mean(defined), **spread(defined, len(totals))}
        return numbers

    def count_report(self) -> CountsReport:
        """`counts`: means over seeds, whole numbers as such; of several seeds also `count_deviations`."""
        names = dict.fromkeys(name for counts in self.counts for name in counts)
        of_names = {name: [counts[name] for counts in self.counts if name in counts] for name in names}
        means = {name: sum(of_name) / len(of_name) for name, of_name in of_names.items()}
        report: CountsReport = {"counts": {n: int(mean) if mean.is_integer() else mean for n, mean in means.items()}}
        if len(self.counts) > 1:
            report["count_deviations"] = {
                n: over_seeds(np.array(of, dtype=np.float64)).deviation for n, of in of_names.items()
            }
        return report


@dataclass(slots=True)
class PairsOverSeeds:
    """MAP between the rankings of originals and of perturbed versions that both have one.

    By string (top k and full ranking, with and without counting repeats) and over tokens aligned by a diff; by kind, and
    crossed with whether the prediction changed.
    """

    n_resamples: int = 0
    kinds: dict[int, str] = field(default_factory=dict)
    samples: dict[tuple[str, str, str], Sample] = field(default_factory=dict)

    def add(self, scored: Scored, answers: Answers) -> None:
        pairs, values = values_of_pairs(scored)
        if pairs:
            changed = [second.id for _, second in pairs]
            kinds = [second.kind or "" for _, second in pairs]
            has_changed = [_label(answers, a.id) != _label(answers, b.id) for a, b in pairs]
            self.add_pairs(changed, kinds, np.array(has_changed, dtype=np.bool_), values)

    def add_pairs(self, changed: Sequence[int], of_kind: Sequence[str], has_changed: Flags, values: Values) -> None:
        """MAPs of pairs, each named by its changed version: of one original each."""
        numbers = {pair: index for index, pair in enumerate(self.kinds)}
        for number, kind in zip(changed, of_kind, strict=True):
            numbers.setdefault(number, len(numbers))
            self.kinds.setdefault(number, kind)
        indices = np.array([numbers[number] for number in changed], dtype=np.int64)
        kinds = np.array(of_kind)
        parts = {("all", ""): np.ones(len(indices), dtype=np.bool_), ("change", "same"): ~has_changed,
                 ("change", "changed"): has_changed}  # fmt: skip
        parts |= {("kind", kind): kinds == kind for kind in sorted(set(kinds.tolist()))}
        for name, of_pairs in values.items():
            for part, chosen in parts.items():
                self.samples.setdefault((*part, name), Sample()).add(indices[chosen], of_pairs[chosen])

    def report(self) -> Report:
        """{} without such pairs; `pairs`: those that some seed has a ranking of both for."""
        if not self.kinds:
            return {}
        kinds = sorted(set(self.kinds.values()))
        of_kinds = list(self.kinds.values())
        return {
            "pairs": len(self.kinds),
            **self._report("all", "", self.n_resamples),
            "by_change": {
                name: {word: self.samples["change", word, name].report() for word in ("same", "changed")}
                for name in self._names()
            },
            "by_kind": {
                kind: {"pairs": of_kinds.count(kind), **self._report("kind", kind, self.n_resamples)} for kind in kinds
            },
        }

    def _names(self) -> list[str]:
        return [name for part, _, name in self.samples if part == "all"]

    def _report(self, part: str, word: str, n_resamples: int) -> NumberReports:
        return {name: self.samples[part, word, name].report(n_resamples) for name in self._names()}


def _label(answers: Answers, instance_id: int) -> str | None:
    answer = answers.get(instance_id)
    return None if answer is None else answer.label


@dataclass(slots=True)
class ConfidenceOverSeeds:
    """How sure the model is of its right answers, with a perfect ranking of the gold set and with another."""

    perfect: Sample = field(default_factory=Sample)
    other: Sample = field(default_factory=Sample)
    compared: dict[str, list[float]] = field(default_factory=lambda: {"difference": [], "ratio": []})

    def add(self, indices: Integers, p: Floats, ranks: Floats, is_right: Flags) -> None:
        """A seed, as `confidence_inputs` makes them, by the places of the instances."""
        for sample, is_in_group in ((self.perfect, is_right & (ranks == 1)), (self.other, is_right & (ranks < 1))):
            sample.add(indices[is_in_group], p[is_in_group])
        confidence = confidence_by_ranking(p, ranks, is_right)
        for name, value in (("difference", confidence.difference), ("ratio", confidence.ratio)):
            if value is not None:
                self.compared[name].append(value)

    def report(self) -> ConfidenceReport:
        """{} without rankings; of several seeds also `deviations`, by name, and `n_seeds`."""
        n_seeds = len(self.perfect.means)
        if not n_seeds:
            return {}
        perfect, other = self.perfect.report(), self.other.report()
        report: ConfidenceReport = {
            "perfect": perfect["value"], "n_perfect": perfect["n"], "other": other["value"], "n_other": other["n"],
            "difference": mean(self.compared["difference"]), "ratio": mean(self.compared["ratio"]),
        }  # fmt: skip
        if n_seeds > 1:
            deviations = {"perfect": perfect["deviation"], "other": other["deviation"]}
            deviations |= {name: over_seeds(np.array(values)).deviation for name, values in self.compared.items()}
            report["deviations"], report["n_seeds"] = deviations, n_seeds
        return report


# Numbers over the runs (seeds) of a model, and what they are made from where an interval is asked for.


def over_runs(values: Sequence[float | None]) -> RunsReport:
    """A number of each run, with their mean and deviation (n − 1); None where it is not defined.

    >>> over_runs([0.5, None])
    {'value': 0.5, 'deviation': None, 'runs': [0.5, None]}
    """
    made = over_seeds(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
    return {"value": made.mean, "deviation": made.deviation, "runs": list(values)}


def means_of_runs(values: Floats) -> Floats:
    """float[n]: the mean of each column of float[n_runs, n] over the runs for which it is defined, else NaN."""
    is_there = ~np.isnan(values)
    counts = is_there.sum(axis=0)
    means = np.full(values.shape[1], np.nan)
    np.divide(np.where(is_there, values, 0.0).sum(axis=0), counts, out=means, where=counts > 0)
    return means


@dataclass(slots=True)
class Samples:
    """By the place of a number: the values whose mean it is, and those of a second model where it is a difference."""

    single: dict[str, Floats] = field(default_factory=dict)
    paired: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)

    def intervals(self, n_resamples: int) -> dict[str, Report | None]:
        """Bootstrap intervals (percentiles); None of fewer than two values."""
        intervals = {cell: bootstrap(values, n_resamples=n_resamples) for cell, values in self.single.items()}
        intervals |= {cell: paired_bootstrap(*pair, n_resamples=n_resamples) for cell, pair in self.paired.items()}
        return {cell: None if interval is None else asdict(interval) for cell, interval in intervals.items()}


def lists(rows: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    """Counts of each run as a list a name.

    >>> lists([{"a": 1}, {"a": 2}])
    {'a': [1, 2]}
    """
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
