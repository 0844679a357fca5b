"""What models make of a suite in words: a rate with its interval, a difference of two models, and what the intervals are over."""

from annotator.domain.numbers import counted, percent, points
from annotator.language import _, unsaid
from annotator.metrics.significance import FEWEST_TESTS, Bounds
from annotator.usecases.suites.results import Rate, ResultRow, SuiteResults

_WHAT_INTERVALS_ARE = unsaid(
    "… to …: 95 % interval. Of a test and of a capability it is over further cases made in the same way (Wilson; of a difference "
    "Agresti and Min); cases of one template are alike, so it says nothing of other templates or tests. Of all tests together, "
    "where there are {n} and more, it is over other tests like these, each drawn with all its cases. "
    "Each interval stands by itself: of twenty about one misses."
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
    "not told": unsaid("There is no clear difference between {second} and {first}"),
    "too few": unsaid("There are too few cases to compare {second} with {first}"),
}


def what_intervals_are() -> str:
    """What the intervals of the table are over."""
    return _(_WHAT_INTERVALS_ARE, n=FEWEST_TESTS)


def rate_words(rate: Rate, n_cases: int) -> str:
    """A rate in percent with what it is made of: how many failed of how many that the test applies to."""
    if rate.rate is None:
        return "–" if not rate.n_runs else _("– · applies to none")
    n_failed, n_left_out = (round(sum(ns) / rate.n_runs) for ns in (rate.n_failed, rate.n_not_applicable))
    return _("{rate} · {n} of {all}", rate=percent(rate.rate), n=f"{n_failed:,}", all=f"{n_cases - n_left_out:,}")


def beside_rate(rate: Rate) -> str:
    """Its interval, its deviation over seeds, and how many cases the test does not apply to; "" without a rate."""
    if rate.rate is None:
        return ""
    n_left_out = round(sum(rate.n_not_applicable) / rate.n_runs)
    parts = [
        "" if rate.bounds is None else _interval(rate.bounds),
        ""
        if rate.deviation is None
        else _(
            "± {deviation} over {seeds}", deviation=f"{100 * rate.deviation:.1f}", seeds=counted(rate.n_runs, "seed")
        ).replace(" ", "\u00a0"),
        _("{n} n/a", n=f"{n_left_out:,}").replace(" ", "\u00a0") if n_left_out else "",
    ]
    return " · ".join(filter(None, parts))


def baseline_lines(row: ResultRow, most: int | None = None) -> list[str]:
    """What models that read nothing get, a line each; most: so many constant ones, those that fail least."""
    judged = [baseline for baseline in row.baselines if baseline.rate is not None]
    constants = [baseline for baseline in judged if baseline.label is not None]
    shown = constants if most is None else sorted(constants, key=lambda baseline: baseline.rate or 0.0)[:most]
    others = [baseline for baseline in judged if baseline.label is None]
    lines = [_("{name}: {rate}", name=baseline.name, rate=percent(baseline.rate)) for baseline in (*shown, *others)]
    n_more = len(constants) - len(shown)
    return [*lines, _("and {n} more", n=n_more)] if n_more else lines


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
            "{verdict}: {difference} percentage points over the {cases} on which both are judged, which is about other cases "
            "of these tests.",
            verdict=verdict, difference=difference, cases=cases,
        )  # fmt: skip
    return _(
        "{verdict}: {difference} percentage points over the {cases} on which both are judged, 95 % interval {interval}, "
        "which is about {others}.",
        verdict=verdict, difference=difference, cases=cases,
        interval=_("{low} to {high}", low=points(bounds.low), high=points(bounds.high)),
        others=_("other cases of these tests") if bounds.unit == "cases" else _("other tests like these"),
    )  # fmt: skip


def _interval(bounds: Bounds) -> str:
    """In percent, the sign once.

    >>> _interval(Bounds(0.165, 0.4012, "cases"))
    '16.5 to 40.1 %'
    """
    return _("{low} to {high}", low=f"{100 * bounds.low:.1f}", high=percent(bounds.high))
