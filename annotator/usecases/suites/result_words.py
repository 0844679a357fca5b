"""What models make of a suite in words: a rate with its interval, a difference of two models, and what the intervals are over."""

from annotator.domain.numbers import counted, percent, points
from annotator.metrics.failure_intervals import FEWEST_TESTS, Bounds
from annotator.usecases.suites.results import Rate, ResultRow, SuiteResults

WHAT_INTERVALS_ARE = (
    "… to …: 95 % interval. Of a test and of a capability it is over further cases made in the same way (Wilson; of a difference "
    "Agresti and Min); cases of one template are alike, so it says nothing of other templates or tests. Of all tests together, "
    f"where there are {FEWEST_TESTS} and more, it is over other tests like these, each drawn with all its cases. "
    "Each interval stands by itself: of twenty about one misses."
)


def rate_words(rate: Rate, n_cases: int) -> str:
    """A rate in percent with what it is made of: how many failed of how many that the test applies to."""
    if rate.rate is None:
        return "–" if not rate.n_runs else "– · applies to none"
    n_failed, n_left_out = (round(sum(ns) / rate.n_runs) for ns in (rate.n_failed, rate.n_not_applicable))
    return f"{percent(rate.rate)} · {n_failed:,} of {n_cases - n_left_out:,}"


def beside_rate(rate: Rate) -> str:
    """Its interval, its deviation over seeds, and how many cases the test does not apply to; "" without a rate."""
    if rate.rate is None:
        return ""
    n_left_out = round(sum(rate.n_not_applicable) / rate.n_runs)
    parts = [
        "" if rate.bounds is None else _interval(rate.bounds),
        ""
        if rate.deviation is None
        else f"± {100 * rate.deviation:.1f} over {counted(rate.n_runs, 'seed')}".replace(" ", "\u00a0"),
        f"{n_left_out:,}\u00a0n/a" if n_left_out else "",
    ]
    return " · ".join(filter(None, parts))


def difference_words(row: ResultRow) -> tuple[str, str, str]:
    """A difference in percentage points, its interval, and what that comes to; "–" and nothing without one."""
    if row.difference is None:
        return "–", "", ""
    bounds = row.difference_bounds
    interval = "" if bounds is None else f"{points(bounds.low)} to {points(bounds.high)}"
    verdict = {
        "more": "fails more often", "less": "fails less often", "not told": "no clear difference",
        "too few": "too few cases to say",
    }[row.verdict]  # fmt: skip
    return points(row.difference), interval, verdict


def comparison_sentence(results: SuiteResults) -> str:
    """What the second model of two makes of all tests beside the first, in words; "" where no two are compared."""
    row = results.rows[-1] if results.rows else None
    if results.compared is None or row is None or row.difference is None:
        return ""
    first, second = results.compared
    verdict = {
        "more": f"{second} fails more often than {first}", "less": f"{second} fails less often than {first}",
        "not told": f"There is no clear difference between {second} and {first}",
        "too few": f"There are too few cases to compare {second} with {first}",
    }[row.verdict]  # fmt: skip
    bounds = row.difference_bounds
    interval = "" if bounds is None else f", 95 % interval {points(bounds.low)} to {points(bounds.high)}"
    unit = "other cases of these tests" if bounds is None or bounds.unit == "cases" else "other tests like these"
    return (
        f"{verdict}: {points(row.difference)} percentage points over the {counted(row.n_compared, 'case')} on which both are "
        f"judged{interval}, which is about {unit}."
    )


def _interval(bounds: Bounds) -> str:
    """In percent, the sign once.

    >>> _interval(Bounds(0.165, 0.4012, "cases"))
    '16.5 to 40.1 %'
    """
    return f"{percent(bounds.low).removesuffix(' %')} to {percent(bounds.high)}"
