"""Building 10,000 cases against filling the whole product of the same templates; judging 100,000 pairs against a loop."""

import itertools
import random
import statistics
import time
from collections.abc import Callable

from annotator.domain.suites import Alternative, Case, CaseAnswer, Recipe
from annotator.metrics.er_test_functional import failure_rate
from annotator.perturb.functional_tests import build_cases, ready_suite
from annotator.scoring.reports import verdicts
from benchmarks.measured import Measured, table

_N = 10_000
_N_JUDGED = 100_000
_TEMPLATES = ("{name} said that the {thing} in {city} was {good}.", "{name} said that the {thing} in {city} was {bad}.")
_LIMIT_S = 2.0
_LIMIT_JUDGED_S = 1.0


def main() -> list[Measured]:
    """Seconds, by turns; the whole product of these lists has some 1.2 million combinations."""
    words = ready_suite("sentiment").words
    lists = {
        "name": words["first_name"],
        "thing": words["thing"],
        "city": words["city"],
        "good": words["good"],
        "bad": words["bad"],
    }
    recipe = Recipe("t", "MFT", "c", "label", tuple(Alternative((text,), ("x",)) for text in _TEMPLATES))

    def ours() -> int:
        return len({case.texts for case in build_cases(recipe, lists, n=_N, seed=0)})

    def in_full() -> int:
        """The obvious way: fill every combination, then draw."""
        found: list[str] = []
        for template in _TEMPLATES:
            names = [name for name in lists if f"{{{name}}}" in template]
            every = itertools.product(*(lists[name] for name in names))
            texts = [template.format(**dict(zip(names, chosen, strict=True))) for chosen in every]
            found += random.Random(0).sample(texts, _N // 2)
        return len(set(found))

    if (n := ours()) != in_full():
        raise RuntimeError(f"both must give {_N} different cases; ours gave {n}")
    built, product = _median(ours, 10), _median(in_full, 3)
    changed = [(name, _median(_change(name), 3)) for name in ("contractions", "change names", "2 typos")]
    judging, loop = _judging()
    if judging() != loop():
        raise RuntimeError("both must count the same failing pairs")
    judged, looped = _median(judging, 5), _median(loop, 5)
    return [
        Measured(f"{_N:,} cases of two templates", built, "s", product, "filling the whole product", 0.5),
        Measured(f"{_N:,} cases of two templates", built, "s", at_most=_LIMIT_S),
        *(Measured(f"{_N:,} cases, {name}", seconds, "s", at_most=_LIMIT_S) for name, seconds in changed),
        Measured(f"failure rate of {_N_JUDGED:,} pairs (INV)", judged, "s", looped, "the definition as a loop"),
        Measured(f"failure rate of {_N_JUDGED:,} pairs (INV)", judged, "s", at_most=_LIMIT_JUDGED_S),
    ]


def _change(name: str) -> Callable[[], int]:
    suite = ready_suite("sentiment")
    return lambda: len(build_cases(suite.recipe(name), suite.words, n=_N, seed=0))


def _judging() -> tuple[Callable[[], int], Callable[[], int]]:
    """Judging pairs with probabilities as the program does, and as a plain loop over the definition of INV."""
    draw = random.Random(0)
    cases = [Case("t", "INV", "c", str(n), ("a", "b"), "same") for n in range(_N_JUDGED)]
    drawn = [(draw.random(), draw.random()) for _ in cases]
    answers = [[CaseAnswer("x" if p > 0.5 else "y", {"x": p, "y": 1 - p}) for p in pair] for pair in drawn]

    def ours() -> int:
        return round(float((failure_rate(verdicts(cases, answers)[None, :]).mean or 0) * _N_JUDGED))

    def loop() -> int:
        n_failed = 0
        for case, (first, *others) in zip(cases, answers, strict=True):
            before = first.p(first.label) or 0.0
            moved = [
                abs((one.p(first.label) or 0.0) - before) > case.tolerance for one in others if one.label != first.label
            ]
            n_failed += any(moved)
        return n_failed

    return ours, loop


def _median(work: Callable[[], int], rounds: int) -> float:
    work()
    seconds = []
    for _ in range(rounds):
        before = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - before)
    return statistics.median(seconds)


if __name__ == "__main__":
    print(table([("suites", row) for row in main()]))
