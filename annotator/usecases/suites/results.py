"""What models make of a suite, also in words: failing cases, failure rates by capability and test, two models compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotator.domain.numbers import counted, percent, points
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.suites import Case, CaseAnswer, StoredSuite, StoredTest, SuiteRun, Verdict
from annotator.errors import NotFound
from annotator.language import _, unsaid
from annotator.metrics.er_test_functional import failure_rate
from annotator.metrics.ragged import Floats, Integers
from annotator.metrics.significance import FEWEST_TESTS, Bounds, RateDifference, rate_bounds, rate_difference
from annotator.scoring.chance_verdicts import SIGNS
from annotator.scoring.reports import verdicts
from annotator.scoring.seeds import means_of_runs
from annotator.scoring.suite_baselines import AgainstBaseline, Baseline, baselines_of
from annotator.store import Store
from annotator.store import suites as run_store
from annotator.store.suites import Answers, cases_by_number, cases_without_texts
from annotator.usecases.access.rights import require

# Which cases of a suite failed, by the metrics of functional tests.


_NOT_APPLICABLE = 2


def verdicts_of_cases(cases: Sequence[Case], answers: Sequence[Answers]) -> list[Verdict]:
    """The verdict on each case of one test."""
    return [_in_words(value) for value in verdicts(cases, answers).tolist()]


def failing_texts(case: Case, answers: Answers) -> tuple[bool, ...]:
    """For each text whether it alone would fail the case; the original of INV and DIR is not judged."""
    if case.type == "MFT":
        alone = [replace(case, texts=(text,)) for text in case.texts]
        return tuple(value == 1 for value in verdicts(alone, [[answer] for answer in answers]).tolist())
    pairs = [replace(case, texts=(case.texts[0], text)) for text in case.texts[1:]]
    judged = verdicts(pairs, [[answers[0], answer] for answer in answers[1:]])
    return (False, *(value == 1 for value in judged.tolist()))


def _in_words(value: float) -> Verdict:
    if value != value:  # noqa: PLR0124  # NaN
        return "not applicable"
    return "failed" if value else "passed"


def as_floats(packed: bytes) -> Floats:
    """float[n_cases] of a stored byte for each case: 1 failed, 0 passed, NaN does not apply."""
    codes = np.frombuffer(packed, dtype=np.uint8)
    return np.where(codes == _NOT_APPLICABLE, np.nan, codes.astype(np.float64))


ALL = unsaid("All tests")


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a model failed. Lists have one entry a run (seed) that answered; rate and deviation (n − 1) are over these.

    rate:   None where no run answered, or the tests apply to no case
    bounds: its 95 % interval, over cases or over tests
    against: it beside the best model that reads nothing; None where none is judged
    """

    rate: float | None
    deviation: float | None
    n_failed: tuple[int, ...]
    n_not_applicable: tuple[int, ...]
    bounds: Bounds | None = None
    against: AgainstBaseline | None = None

    @property
    def n_runs(self) -> int:
        return len(self.n_failed)


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A line of the table: a test, the tests of a capability together (test None), or all of them.

    rates:      by model
    difference: of the second compared model's rate from the first's, over the cases that both are judged on; n of these,
                with its interval, and whether the second fails more or less often
    baselines:  what models that read nothing get: a constant one of each label, and random
    """

    name: str
    category: str
    test: StoredTest | None
    n_cases: int
    rates: Mapping[str, Rate]
    difference: float | None = None
    n_compared: int = 0
    difference_bounds: Bounds | None = None
    verdict: str = ""
    baselines: tuple[Baseline, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteResults:
    """The table: capabilities in the order of their first test, each before its tests, and all tests last."""

    suite: StoredSuite
    models: tuple[str, ...]
    rows: tuple[ResultRow, ...]
    compared: tuple[str, str] | None


def suite_results(
    store: Store, actor: User, project: Project, suite: StoredSuite, compared: tuple[str, str] | None = None
) -> SuiteResults:
    """Failure rates of every model that has answered."""
    require(store, actor, project.id, "use models")
    with store.snapshot():
        runs = run_store.list_runs(store, suite.id)
        packed = run_store.verdicts_of(store, suite.id)
        cases = cases_without_texts(store, suite.id)
    return _Table(suite, runs, packed, compared).results(_Baselines(project, suite, cases))


def case_means(store: Store, actor: User, project: Project, suite: StoredSuite) -> dict[str, dict[str, Floats]]:
    """By capability, and of all tests, by model float[n_cases]: how many of its runs fail a case; NaN where none is judged."""
    require(store, actor, project.id, "use models")
    with store.snapshot():
        runs = run_store.list_runs(store, suite.id)
        packed = run_store.verdicts_of(store, suite.id)
    return _Table(suite, runs, packed, None).case_means()


class _Table:
    def __init__(
        self,
        suite: StoredSuite,
        runs: Sequence[SuiteRun],
        packed: Mapping[tuple[int, int], bytes],
        compared: tuple[str, str] | None,
    ) -> None:
        self.suite = suite
        self.compared = compared
        self.runs: dict[str, list[SuiteRun]] = {}
        for run in runs:
            self.runs.setdefault(run.model, []).append(run)
        self.verdicts = {cell: as_floats(codes) for cell, codes in packed.items()}

    def results(self, baselines: "_Baselines") -> SuiteResults:
        rows = []
        for category in dict.fromkeys(test.category for test in self.suite.tests):
            tests = [test for test in self.suite.tests if test.category == category]
            rows.append(self._row(category, category, None, tests, baselines))
            rows += [self._row(test.name, category, test, [test], baselines) for test in tests]
        rows.append(self._row(ALL, "", None, self.suite.tests, baselines))
        return SuiteResults(self.suite, tuple(self.runs), tuple(rows), self.compared)

    def case_means(self) -> dict[str, dict[str, Floats]]:
        groups = {
            category: [test for test in self.suite.tests if test.category == category]
            for category in dict.fromkeys(test.category for test in self.suite.tests)
        }
        means = {}
        for name, tests in [*groups.items(), (ALL, list(self.suite.tests))]:
            of_models = {model: self._of(model, tests) for model in self.runs}
            means[name] = {model: means_of_runs(verdicts) for model, verdicts in of_models.items() if len(verdicts)}
        return means

    def _row(
        self, name: str, category: str, test: StoredTest | None, tests: Sequence[StoredTest], baselines: "_Baselines"
    ) -> ResultRow:  # fmt: skip
        by_model = {model: self._of(model, tests) for model in self.runs}
        rates = {model: _rate(verdicts, tests, baselines) for model, verdicts in by_model.items()}
        n_cases = sum(test.n_cases for test in tests)
        row = ResultRow(name, category, test, n_cases, rates, baselines=baselines.rates(tests))
        difference = self._difference(by_model, tests)
        if difference is None:
            return row
        return replace(
            row, difference=difference.value, n_compared=difference.n, difference_bounds=difference.bounds,
            verdict=difference.word,
        )  # fmt: skip

    def _of(self, model: str, tests: Sequence[StoredTest]) -> Floats:
        """float[n_runs, n_cases]: of the runs that answered all of these tests."""
        rows = []
        for run in self.runs[model]:
            parts = [self.verdicts.get((run.id, test.id)) for test in tests]
            present = [part for part in parts if part is not None]
            if len(present) == len(parts):
                rows.append(np.concatenate(present))
        return np.array(rows) if rows else np.empty((0, sum(test.n_cases for test in tests)))

    def _difference(self, by_model: Mapping[str, Floats], tests: Sequence[StoredTest]) -> RateDifference | None:
        if self.compared is None or any(not len(by_model.get(model, ())) for model in self.compared):
            return None
        first, second = (_by_test(means_of_runs(by_model[model]), tests) for model in self.compared)
        return rate_difference(first, second)


class _Baselines:
    """What models that read nothing make of a suite's tests."""

    def __init__(self, project: Project, suite: StoredSuite, cases: Mapping[int, Sequence[Case]]) -> None:
        in_order = [case for test in suite.tests for case in cases.get(test.id, ())]
        labels = project.labels or tuple(sorted({label for case in in_order for label in case.labels}))
        self._of_cases = baselines_of(in_order, labels)
        lasts = np.cumsum([test.n_cases for test in suite.tests]).tolist()
        self._numbers = {
            test.id: np.arange(last - test.n_cases, last) for test, last in zip(suite.tests, lasts, strict=True)
        }

    def rates(self, tests: Sequence[StoredTest]) -> tuple[Baseline, ...]:
        return self._of_cases.rates(np.concatenate([np.empty(0, np.int64), *self._numbers_of(tests)]))

    def against(self, cases: Sequence[Floats], tests: Sequence[StoredTest]) -> AgainstBaseline | None:
        """A model whose cases of these tests fail so often."""
        return self._of_cases.against(list(zip(self._numbers_of(tests), cases, strict=True)))

    def _numbers_of(self, tests: Sequence[StoredTest]) -> list[Integers]:
        return [self._numbers[test.id] for test in tests]


def _rate(verdicts: Floats, tests: Sequence[StoredTest], baselines: _Baselines) -> Rate:
    if not len(verdicts):
        return Rate(None, None, (), ())
    over, cases = failure_rate(verdicts), _by_test(means_of_runs(verdicts), tests)
    return Rate(
        over.mean,
        over.deviation,
        tuple(int(np.nansum(row)) for row in verdicts),
        tuple(int(np.isnan(row).sum()) for row in verdicts),
        rate_bounds(cases),
        baselines.against(cases, tests),
    )


def _by_test(cases: Floats, tests: Sequence[StoredTest]) -> list[Floats]:
    """The cases of each of the tests that they are of."""
    return np.split(cases, np.cumsum([test.n_cases for test in tests])[:-1])


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case with the answers of one run to its texts, and in how many of the model's runs it has this verdict.

    fails: for each text whether it alone would fail the case
    """

    number: int
    case: Case
    seed: str
    answers: tuple[CaseAnswer, ...]
    fails: tuple[bool, ...]
    n_runs_so: int
    n_runs: int


@dataclass(frozen=True, slots=True)
class CasePage:
    """Some of the cases that were asked for, and how many there are."""

    cases: tuple[JudgedCase, ...]
    n: int


def judged_cases(
    store: Store, actor: User, project: Project, test: StoredTest, model: str, *, verdict: Verdict = "failed",
    limit: int = 10, offset: int = 0,
) -> CasePage:  # fmt: skip
    """A model's cases of a test on which some run has this verdict, in their order, with the answers of the first such run.

    Raises: NotFound where the model has not answered the test
    """
    require(store, actor, project.id, "use models")
    with store.snapshot():
        runs = {r.id: r for r in run_store.list_runs(store, test.suite_id) if r.model == model and test.id in r.tests}
        if not runs:
            raise NotFound(_("'{model}' hasn't run the test '{test}'.", model=model, test=test.name))
        packed = run_store.verdicts_of(store, test.suite_id)
        codes = np.array([np.frombuffer(packed[run_id, test.id], dtype=np.uint8) for run_id in runs])
        is_so = codes == run_store.code_of(verdict)
        numbers = np.flatnonzero(is_so.any(axis=0)).tolist()
        shown = numbers[offset : offset + limit]
        cases = cases_by_number(store, test.id, shown)
        judged = []
        for number, case in zip(shown, cases, strict=True):
            run = list(runs.values())[int(np.argmax(is_so[:, number]))]
            answers = tuple(run_store.answers_of(store, run.id, test.id, [number])[number])
            n_so = int(is_so[:, number].sum())
            judged.append(JudgedCase(number, case, run.seed, answers, failing_texts(case, answers), n_so, len(runs)))
    return CasePage(tuple(judged), len(numbers))


# What models make of a suite in words: a rate with its interval, a difference of two models, and what the intervals are over.


_WHAT_INTERVALS_ARE = unsaid(
    "… to …: 95 % interval. Per test or capability: over further cases made the same way (Wilson; "
    "differences: Agresti and Min). All tests, from {n}: over similar tests. Unadjusted: about one in "
    "twenty misses."
)
_VERDICTS = {
    "more": unsaid("fails more often"),
    "less": unsaid("fails less often"),
    "not told": unsaid("no clear difference"),
    "too few": unsaid("too few cases to say"),
}
_COMPARED = {
    "more": unsaid("{second} fails more often than {first}"),
    "less": unsaid("{second} fails less often than {first}"),
    "not told": unsaid("No clear difference between {second} and {first}"),
    "too few": unsaid("Too few cases to compare {second} with {first}"),
}


def what_intervals_are() -> str:
    """What the intervals of the table are over."""
    return _(_WHAT_INTERVALS_ARE, n=FEWEST_TESTS)


def rate_words(rate: Rate) -> str:
    """A rate in percent, with its sign beside the best model that reads nothing."""
    if rate.rate is None:
        return "–" if not rate.n_runs else _("– · applies to none")
    return " ".join(filter(None, (percent(rate.rate), "" if rate.against is None else SIGNS[rate.against.word])))


def about_rate(rate: Rate, n_cases: int) -> str:
    """How many failed of how many that the test applies to, the interval, the deviation over seeds, and the sign in words."""
    if rate.rate is None:
        return ""
    n_failed, n_left_out = (round(sum(ns) / rate.n_runs) for ns in (rate.n_failed, rate.n_not_applicable))
    parts = [
        _("{n} of {all} failed", n=f"{n_failed:,}", all=f"{n_cases - n_left_out:,}"),
        _("{n} n/a", n=f"{n_left_out:,}") if n_left_out else "",
        "" if rate.bounds is None else _interval(rate.bounds),
        ""
        if rate.deviation is None
        else _(
            "± {deviation} over {seeds}", deviation=f"{100 * rate.deviation:.1f}", seeds=counted(rate.n_runs, "seed")
        ),
        "" if rate.against is None else rate.against.words,
    ]
    return " · ".join(filter(None, parts))


def lowest_baselines(row: ResultRow) -> tuple[str, str]:
    """The rates of the constant model that fails least, and of random; "–" where none is judged."""
    constants = [b for b in row.baselines if b.label is not None and b.rate is not None]
    lowest = min(constants, key=lambda baseline: baseline.rate or 0, default=Baseline("", None))
    random = next((b for b in row.baselines if b.label is None), Baseline(None, None))
    return _baseline_rate(lowest, row), _baseline_rate(random, row)


def baseline_lines(row: ResultRow) -> list[str]:
    """What models that read nothing get, each with its name."""
    return [_("{name}: {rate}", name=b.name, rate=_baseline_rate(b, row)) for b in row.baselines if b.rate is not None]


def _baseline_rate(baseline: Baseline, row: ResultRow) -> str:
    """In percent, and of how many cases where it is not judged on all."""
    rate = percent(baseline.rate)
    return rate if baseline.n in {0, row.n_cases} else _("{rate} of {n}", rate=rate, n=f"{baseline.n:,}")


def difference_words(row: ResultRow) -> tuple[str, str, str]:
    """A difference in percentage points, its interval, and what that comes to; "–" and nothing without one."""
    if row.difference is None:
        return "–", "", ""
    bounds = row.difference_bounds
    interval = "" if bounds is None else _("{low} to {high}", low=points(bounds.low), high=points(bounds.high))
    return points(row.difference), interval, _(_VERDICTS[row.verdict])


def comparison_sentence(results: SuiteResults) -> str:
    """What the second model of two makes of all tests beside the first, in words; "" where no two are compared."""
    row = results.rows[-1] if results.rows else None
    if results.compared is None or row is None or row.difference is None:
        return ""
    first, second = results.compared
    verdict = _(_COMPARED[row.verdict], first=first, second=second)
    difference, cases, bounds = points(row.difference), counted(row.n_compared, "case"), row.difference_bounds
    if bounds is None:
        return _(
            "{verdict}: {difference} percentage points over {cases} judged for both (generalising to other "
            "cases of these tests).",
            verdict=verdict, difference=difference, cases=cases
        )  # fmt: skip
    return _(
        "{verdict}: {difference} percentage points over {cases} judged for both, 95 % interval {interval} "
        "(generalising to {others}).",
        verdict=verdict, difference=difference, cases=cases,
        interval=_("{low} to {high}", low=points(bounds.low), high=points(bounds.high)),
        others=_("other cases of these tests") if bounds.unit == "cases" else _("other tests like these")
    )  # fmt: skip


def _interval(bounds: Bounds) -> str:
    """In percent, the sign once.

    >>> _interval(Bounds(0.165, 0.4012, "cases"))
    '16.5 to 40.1 %'
    """
    return _("{low} to {high}", low=f"{100 * bounds.low:.1f}", high=percent(bounds.high))
