"""Sufficient sets of functions whose answer is known: by hand, by closed form, and against all subsets."""

from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np
import pytest

from annotator.attribution.sufficient_sets import Done, Seeking, Work, examine, f_of, judge, random_sets, search_many
from annotator.domain.sufficient_sets import MOST_SETS, Search, SufficientSets, Threshold
from annotator.errors import InvalidValue, ModelError
from annotator.metrics.ragged import Flags, Floats

Function = Callable[[Flags], Floats]  # bool[k, n] to float[k]
HALF = Threshold(fixed=0.5)
BY_HALF = Seeking(HALF)


def sigmoid(z: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-z)))


def linear(bias: float, weights: Sequence[float]) -> Function:
    return lambda masks: sigmoid(bias + masks @ np.array(weights))


def sets_or(*causes: Sequence[int]) -> Function:
    """High iff all tokens of one of the causes are there."""
    return lambda masks: np.where(np.any([masks[:, list(cause)].all(axis=1) for cause in causes], axis=0), 0.9, 0.1)


def solve(
    function: Function, n: int, seeking: Seeking = BY_HALF, *, people: Sequence[Sequence[int]] | None = None,
    n_labels: int = 2, sentences: Sequence[int] = (),
) -> SufficientSets:  # fmt: skip
    done = solve_many([(function, n)], seeking, people=people, n_labels=n_labels, sentences=sentences)[0]
    assert isinstance(done.result, SufficientSets), done.result
    return done.result


def solve_many(
    functions: Sequence[tuple[Function, int]], seeking: Seeking = BY_HALF, *, at_once: int = 16,
    people: Sequence[Sequence[int]] | None = None, n_labels: int = 2, sentences: Sequence[int] = (),
) -> list[Done]:  # fmt: skip
    def ask(subsets: Sequence[tuple[int, Flags]]) -> Floats:
        by_text = groupby(subsets, key=lambda subset: subset[0])
        return np.concatenate(
            [functions[number][0](np.array([mask for _, mask in of])) for number, of in by_text]
        ).round(9)

    work = (
        Work(number, examine(n, seeking, people=people, n_labels=n_labels, sentences=sentences))
        for number, (_, n) in enumerate(functions)
    )
    return sorted(search_many(work, ask, at_once=at_once), key=lambda done: done.number)


def tokens(found: SufficientSets) -> list[tuple[int, ...]]:
    return list(found.own.tokens)


def as_set(found: SufficientSets) -> set[tuple[int, ...]]:
    return set(found.own.tokens)


def closed_form(
    bias: float, weights: Sequence[float], threshold: float, *, goes_on: bool = False
) -> list[tuple[int, ...]]:
    """Tokens by falling weight until their sum reaches logit τ − b, while what is left (goes_on: of it the positive) does."""
    least = float(np.log(threshold / (1 - threshold))) - bias
    rest, found = dict(enumerate(weights)), []
    while sum(w for w in rest.values() if w > 0 or not goes_on) >= least and rest:
        chosen: list[int] = []
        for token in sorted(rest, key=lambda t: -rest[t]):
            chosen.append(token)
            if sum(weights[t] for t in chosen) >= least:
                break
        found.append(tuple(sorted(chosen)))
        rest = {token: w for token, w in rest.items() if token not in chosen}
    return found


# By hand.


def test_a_linear_model_stops_where_the_rest_is_outvoted_and_goes_on_only_when_asked_to() -> None:
    function = linear(-1, (3, 1.5, -2))  # the rest of the first set weighs −.5 (reference, section 7)
    paper, further = solve(function, 3), solve(function, 3, Seeking(HALF, goes_on=True))
    assert tokens(paper) == [(0,)]
    assert tokens(further) == [(0,), (1,)]
    assert [judged.is_late for judged in further.own.sets] == [False, True]
    assert paper.own.of_rest == pytest.approx(float(sigmoid(np.array([-1.5]))[0]), abs=1e-8)


@pytest.mark.parametrize("search", ["full", "exact", "blocks"])
def test_two_causes_are_two_sets_and_there_is_no_third(search: str) -> None:
    found = solve(sets_or((1, 2), (3, 4)), 6, Seeking(HALF, search, goes_on=True))  # type: ignore[arg-type]
    assert as_set(found) == {(1, 2), (3, 4)}
    assert not any(judged.is_late for judged in found.own.sets)


def test_of_equal_tokens_the_first_goes_and_by_all_subsets_the_first_set_comes_first() -> None:
    function = sets_or((0,), (1,), (2,))
    assert tokens(solve(function, 3)) == [(2,), (1,), (0,)]
    assert tokens(solve(function, 3, Seeking(HALF, "exact"))) == [(0,), (1,), (2,)]


def test_noise_of_a_batch_breaks_no_tie() -> None:
    def noisy(masks: Flags) -> Floats:
        return sets_or((0,), (1,))(masks) + 1e-11 * masks[:, 0]

    assert tokens(solve(noisy, 2)) == [(1,), (0,)]


def test_a_set_in_a_function_that_is_not_monotone_is_minimal_though_a_part_of_it_would_do() -> None:
    """f is high on everything, on {0, 1, 2} and on {0}: no one token of the three can go."""
    high = {(0, 1, 2, 3), (0, 1, 2), (0,)}

    def function(masks: Flags) -> Floats:
        return np.array([0.9 if tuple(np.flatnonzero(mask).tolist()) in high else 0.1 for mask in masks])

    found = solve(function, 4)
    assert found.own.sets[0].is_compact(found.threshold) is True
    assert tokens(solve(function, 4, Seeking(HALF, "exact"))) == [(0,)]


# The threshold, and when there are no sets to speak of.


@pytest.mark.parametrize(
    ("full", "n_labels", "threshold", "why"),
    [
        (0.8, 2, 0.72, "nine tenths of the answer's probability"),
        (0.52, 2, 0.5, "two labels: never below a half"),
        (0.4, 3, 0.36, "more labels: as it is; the label must stay the most probable, which f says"),
    ],
)
def test_the_threshold_follows_the_answer(full: float, n_labels: int, threshold: float, why: str) -> None:
    assert Threshold().of(full, n_labels) == pytest.approx(threshold), why


@pytest.mark.parametrize("value", [0.0, 1.1])
def test_a_threshold_that_is_no_share_is_refused(value: float) -> None:
    with pytest.raises(InvalidValue, match=r"use above 0, up to 1"):
        Threshold(value)
    with pytest.raises(InvalidValue, match=r"use above 0, up to 1"):
        Threshold(fixed=value)


def test_another_label_that_is_more_probable_makes_f_negative() -> None:
    shares = np.array([[0.36, 0.34, 0.3], [0.3, 0.36, 0.34]])
    assert f_of(shares, np.array([0, 0])).tolist() == [0.36, -0.7]
    assert f_of(np.array([[0.4, 0.6]]), np.array([0])).tolist() == [0.4]  # with two labels the threshold says it


def test_answers_without_reading_too_weak_ones_and_texts_without_a_token_have_no_sets() -> None:
    assert solve(linear(3, (1, 1)), 2).reason == "answers without reading"
    assert solve(linear(-3, (1, 1)), 2).reason == "answers too weakly"
    assert solve(linear(0, ()), 0).reason == "no token"
    assert solve(linear(3, (1, 1)), 2).own.sets == ()


# Against closed form and all subsets.


def drawn_linear(seed: int, n: int = 10) -> tuple[float, list[float]]:
    """A linear model that is sure of a text, and not of nothing."""
    draw = np.random.default_rng(seed)
    while True:
        bias, weights = float(draw.normal(-1.5, 0.5)), draw.normal(0.3, 1.0, n)
        if bias + weights.sum() > 0 > bias:
            return bias, weights.tolist()


def planted(seed: int, n: int = 10) -> Function:
    """Two causes of two or three tokens, of which each is enough, and noise that falls with every token that is gone."""
    draw = np.random.default_rng(seed)
    order, size = draw.permutation(n), int(draw.integers(2, 4))
    first, second, noise = order[:size], order[size : 2 * size], draw.uniform(0, 0.02, n)

    def function(masks: Flags) -> Floats:
        is_high = masks[:, first].all(axis=1) | masks[:, second].all(axis=1)
        return np.asarray(np.where(is_high, 0.75, 0.05) + masks @ noise)

    return function


@pytest.mark.parametrize("goes_on", [False, True])
def test_sets_of_200_linear_models_are_those_of_the_closed_form(goes_on: bool) -> None:
    models = [drawn_linear(seed) for seed in range(200)]
    done = solve_many([(linear(*model), 10) for model in models], Seeking(HALF, goes_on=goes_on))
    expected = [closed_form(*model, 0.5, goes_on=goes_on) for model in models]
    assert [list(of.result.own.tokens) for of in done if isinstance(of.result, SufficientSets)] == expected


@pytest.mark.parametrize("kind", ["linear", "planted"])
def test_sets_of_200_functions_are_those_of_all_subsets(kind: str) -> None:
    functions = [(linear(*drawn_linear(seed)) if kind == "linear" else planted(seed), 10) for seed in range(200)]
    greedy, exact = (solve_many(functions, Seeking(HALF, search)) for search in ("full", "exact"))
    same = [
        isinstance(a.result, SufficientSets)
        and isinstance(b.result, SufficientSets)
        and as_set(a.result) == as_set(b.result)
        for a, b in zip(greedy, exact, strict=True)
    ]
    assert sum(same) == 200
    assert all(isinstance(of.result, SufficientSets) and of.n_calls <= 2**10 for of in exact)


# That nothing can go: asked of the function itself, by all subsets of each set, and by all that lack one token.


def positive_linear(seed: int, n: int) -> Function:
    """More tokens never lower f; of nothing it is at most .4."""
    draw = np.random.default_rng(seed)
    weights = draw.exponential(1.0, n)
    return linear(-0.4 - float(draw.uniform(0, 0.8)) * float(weights.sum()), weights.tolist())


def any_function(seed: int, n: int) -> Function:
    """A number of its own for every subset; high on the text, low on nothing."""
    values = np.random.default_rng(seed).random(2**n)
    values[0], values[-1] = 0.1, 0.9
    return lambda masks: np.asarray(values[masks @ (1 << np.arange(n))])


def proper_subsets(tokens: Sequence[int], n: int) -> Flags:
    """bool[2^|S| − 1, n]."""
    chosen = (np.arange(2 ** len(tokens) - 1)[:, None] >> np.arange(len(tokens))) & 1 == 1
    masks = np.zeros((len(chosen), n), dtype=np.bool_)
    masks[:, list(tokens)] = chosen
    return masks


@pytest.mark.parametrize(("search", "n"), [("full", 12), ("exact", 12), ("full", 30), ("blocks", 40)])
@pytest.mark.parametrize("kind", [positive_linear, planted])
def test_no_subset_of_a_set_is_enough_where_more_tokens_never_lower_f(
    kind: Callable[[int, int], Function], search: Search, n: int
) -> None:
    functions = [(kind(seed, n), n) for seed in range(20 if search == "exact" else 60)]
    n_sets = n_subsets = 0
    for done in solve_many(functions, Seeking(HALF, search)):
        assert isinstance(done.result, SufficientSets), done.result
        for of_set in done.result.own.tokens:
            if len(of_set) <= 12:
                of_subsets = functions[done.number][0](proper_subsets(of_set, n)).round(9)
                assert (of_subsets < 0.5).all(), (done.number, of_set)
                n_sets, n_subsets = n_sets + 1, n_subsets + len(of_subsets)
    assert n_sets >= 20
    assert n_subsets >= 2 * n_sets


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize(("search", "n"), [("full", 10), ("exact", 10), ("blocks", 16)])
def test_no_token_of_a_set_can_go_whatever_the_function(search: Search, n: int, goes_on: bool) -> None:
    functions = [(any_function(seed, n), n) for seed in range(40)]
    n_sets = 0
    for done in solve_many(functions, Seeking(HALF, search, goes_on)):
        assert isinstance(done.result, SufficientSets), done.result
        function = functions[done.number][0]
        for of_set in done.result.own.tokens:
            mask = np.isin(np.arange(n), of_set)
            assert function(mask[None])[0] >= 0.5
            assert (function(mask & ~np.eye(n, dtype=np.bool_)[list(of_set)]) < 0.5).all(), (done.number, of_set)
            n_sets += 1
    assert n_sets >= 40


def test_an_exact_search_of_a_long_text_is_refused() -> None:
    with pytest.raises(InvalidValue, match="at most 12 tokens; this text has 13"):
        solve(linear(-1, (1,) * 13), 13, Seeking(HALF, "exact"))


# Long texts.


def long_planted(seed: int, n: int) -> Function:
    """Two causes of three tokens among small positive and negative words."""
    draw = np.random.default_rng(seed)
    order, noise = draw.permutation(n), draw.normal(0, 0.15, n)

    def function(masks: Flags) -> Floats:
        causes = masks[:, order[:3]].all(axis=1) | masks[:, order[3:6]].all(axis=1)
        return sigmoid(-2.5 + 5 * causes + masks @ noise / np.sqrt(n / 10))

    return function


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("n", [20, 65, 100])
def test_blocks_ask_about_at_most_seven_subsets_a_token_and_set_and_every_set_is_minimal(n: int, goes_on: bool) -> None:
    linear_models = [(linear(*drawn_linear(seed, n)), n) for seed in range(15)]
    functions = [*linear_models, *((long_planted(seed, n), n) for seed in range(15))]
    seeking = Seeking(Threshold(), "blocks", goes_on)
    n_checked = 0
    for done in solve_many(functions, seeking):
        assert isinstance(done.result, SufficientSets), done.result
        found, threshold = done.result.own.sets, done.result.threshold
        n_checked += len(found)
        assert all(judged.is_compact(threshold) for judged in found)
        assert len({token for judged in found for token in judged.tokens}) == sum(
            len(judged.tokens) for judged in found
        )
        assert done.n_calls <= 7 * n * (len(found) + 1), (done.number, len(found))
    assert n_checked > 40


def test_full_search_up_to_64_tokens_and_blocks_above() -> None:
    assert solve(sets_or((3,)), 64).search == "full"
    assert solve(sets_or((3,)), 65).search == "blocks"
    assert tokens(solve(sets_or((3,), (60, 61)), 65)) in ([(3,), (60, 61)], [(60, 61), (3,)])


def test_above_512_tokens_sentences_go_before_tokens() -> None:
    n, length = 600, 20
    sentences = [token // length for token in range(n)]
    functions = [(sets_or((5, 7), (401, 590)), n)]
    done = solve_many(functions, sentences=sentences)[0]
    assert isinstance(done.result, SufficientSets)
    assert as_set(done.result) == {(5, 7), (401, 590)}
    assert done.n_calls < 2 * n  # by tokens alone some 3·n a set


def test_no_more_than_twenty_sets_are_looked_for_and_that_is_said() -> None:
    found = solve(sets_or(*((token,) for token in range(30))), 30)
    assert len(found.own.sets) == MOST_SETS
    assert found.is_cut


# What is asked of people's sets.


def test_people_are_asked_the_three_questions() -> None:
    found = solve(sets_or((1, 2), (3, 4)), 6, people=[(0, 1, 2), (5,), (3, 4)])
    assert found.people is not None
    first, second, third = found.people.sets
    assert [judged.is_sufficient(found.threshold) for judged in found.people.sets] == [True, False, True]
    assert (first.is_compact(found.threshold), second.is_compact(found.threshold)) == (False, None)
    assert third.is_compact(found.threshold) is True
    assert (first.of_rest, second.of_rest) == (0.9, 0.9)
    assert found.people.is_comprehensive(found.threshold)
    nothing = solve(sets_or((1,)), 3, people=[]).people
    assert nothing is not None
    assert not nothing.is_comprehensive(0.5)  # a family without sets is not comprehensive


def test_strongly_comprehensive_sets_leave_no_sufficient_set_in_the_rest() -> None:
    function = linear(-1, (3, 1.5, -2))
    of_first = solve(function, 3, Seeking(HALF, is_strong=True), people=[(0,)]).people
    assert of_first is not None
    assert (of_first.is_comprehensive(0.5), of_first.leaves_set) == (True, True)  # 1.5 is outvoted by −2
    of_both = solve(function, 3, Seeking(HALF, is_strong=True), people=[(0,), (1,)]).people
    assert of_both is not None
    assert of_both.leaves_set is False


def test_judging_asks_about_each_set_once_with_each_token_gone() -> None:
    masks = np.array([[True, True, False], [False, False, True]])
    steps = judge(list(masks), 3)
    asked = next(steps)
    assert len(asked) == 1 + 2 + 2 + 3
    assert asked[0].tolist() == [False, False, False]


# Many texts at once.


@pytest.mark.parametrize("at_once", [1, 3, 16])
def test_how_many_texts_advance_together_changes_nothing_and_they_share_calls(at_once: int) -> None:
    functions = [(planted(seed), 10) for seed in range(20)]
    n_batches = 0

    def ask(subsets: Sequence[tuple[int, Flags]]) -> Floats:
        nonlocal n_batches
        n_batches += 1
        return np.array([functions[number][0](mask[None])[0] for number, mask in subsets]).round(9)

    work = (Work(number, examine(n, Seeking(HALF))) for number, (_, n) in enumerate(functions))
    done = {of.number: of.result for of in search_many(work, ask, at_once=at_once)}
    assert done == {of.number: of.result for of in solve_many(functions, at_once=1)}
    assert n_batches < 20 * 30 / max(1, at_once // 2)


def test_a_text_for_which_the_model_fails_ends_alone() -> None:
    def ask(subsets: Sequence[tuple[int, Flags]]) -> Floats:
        if any(number == 1 for number, _ in subsets):
            raise ModelError("3 labels instead of 2")
        return sets_or((0,))(np.array([mask for _, mask in subsets]))

    work = (Work(number, examine(3, Seeking(HALF))) for number in range(3))
    done = {of.number: of.result for of in search_many(work, ask)}
    assert isinstance(done[1], ModelError)
    assert all(isinstance(done[number], SufficientSets) for number in (0, 2))


def test_random_sets_have_the_sizes_of_the_sets_in_turn_and_the_share_that_suffices_is_told() -> None:
    drawn = random_sets((1, 3), 5, seed=0)
    assert drawn.sum(axis=1).tolist() == [1, 3] * 10
    found = solve(lambda masks: np.where(masks.any(axis=1), 0.9, 0.1), 4)  # any token will do
    assert (found.n_random, found.random_share) == (20, 1.0)
