"""What minutes buy: the price of a text under each condition, by hand, and how many texts a budget is enough for."""

from math import inf

import pytest

from annotator.errors import InvalidValue
from annotator.training.budgets import Price, Simulation, SpentTime, drawn_order, n_bought, prices_of

# Labels alone took 10 s in all, labels with rationales 40 s: so three quarters of these are what rationales take.
TWO = {1: SpentTime(label=4_000, both=16_000), 2: SpentTime(label=6_000, both=24_000)}


def test_what_was_asked_for_together_costs_what_it_took_and_its_rationales_the_share_beyond_the_labels() -> None:
    assert prices_of(TWO) == {
        1: {"labels": Price(4_000, "measured"), "rationales": Price(12_000, "by difference"), "both": Price(16_000, "measured")},
        2: {"labels": Price(6_000, "measured"), "rationales": Price(18_000, "by difference"), "both": Price(24_000, "measured")},
    }  # fmt: skip


def test_the_prices_of_all_rationales_come_to_the_whole_difference_though_one_text_took_less_with_them() -> None:
    uneven = {1: SpentTime(label=9_000, both=8_000), 2: SpentTime(label=1_000, both=32_000)}
    prices = prices_of(uneven)
    assert sum(of["rationales"].ms for of in prices.values()) == 40_000 - 10_000
    assert prices[1]["rationales"] == Price(6_000, "by difference")


def test_where_the_label_was_given_the_time_is_that_of_rationales_and_both_is_the_sum() -> None:
    assert prices_of({1: SpentTime(label=4_000, rationales=11_000)})[1] == {
        "labels": Price(4_000, "measured"),
        "rationales": Price(11_000, "measured"),
        "both": Price(15_000, "measured"),
    }
    assert prices_of({1: SpentTime(rationales=11_000)})[1] == {"rationales": Price(11_000, "measured")}


def test_seconds_that_are_assumed_count_for_each_annotator_and_are_called_simulated() -> None:
    prices = prices_of({1: SpentTime(label=4_000, both=16_000, n_people=3)}, Simulation(5, 20))[1]
    assert prices == {
        "labels": Price(15_000, "simulated"),
        "rationales": Price(60_000, "simulated"),
        "both": Price(75_000, "simulated"),
    }


def test_seconds_for_each_token_are_those_times_the_length_of_the_text() -> None:
    prices = prices_of({1: SpentTime(n_people=2, n_tokens=10)}, Simulation(0.25, 1.5, is_by_token=True))[1]
    assert (prices["labels"].ms, prices["rationales"].ms, prices["both"].ms) == (5_000, 30_000, 35_000)


def test_what_is_made_of_measured_and_of_assumed_times_is_called_partly_simulated() -> None:
    given = prices_of({1: SpentTime(rationales=11_000)}, Simulation(seconds_per_label=5))[1]
    assert (given["rationales"].origin, given["both"]) == ("measured", Price(16_000, "partly simulated"))
    together = prices_of({1: SpentTime(both=20_000)}, Simulation(seconds_per_label=5))[1]
    assert together["both"] == Price(20_000, "measured")
    assert together["rationales"] == Price(15_000, "partly simulated")


def test_a_text_that_nobody_annotated_has_a_label_to_buy_and_no_rationales() -> None:
    assert prices_of({1: SpentTime(n_people=0)}, Simulation(5, 20))[1] == {"labels": Price(5_000, "simulated")}


def test_rationales_have_no_price_where_labels_alone_took_as_long_as_both() -> None:
    assert prices_of({1: SpentTime(label=9_000, both=9_000)})[1].keys() == {"labels", "both"}


def test_a_budget_buys_what_is_done_before_it_is_over_and_passes_nothing_over() -> None:
    costs = [30_000, 20_000, 120_000, 1_000]
    assert [n_bought(costs, budget) for budget in (29_999, 30_000, 50_000, 169_999, 170_000, 171_000, 10**9)] == [
        0, 1, 2, 2, 3, 4, 4,
    ]  # fmt: skip
    assert n_bought([], 60_000) == 0


def test_the_order_is_the_same_for_a_seed_whatever_order_the_texts_come_in_and_another_for_another() -> None:
    ids = list(range(20))
    assert drawn_order(ids, 3) == drawn_order(reversed(ids), 3)
    assert sorted(drawn_order(ids, 3)) == ids
    assert drawn_order(ids, 3) != drawn_order(ids, 4)


@pytest.mark.parametrize("seconds", [0, -1, inf, float("nan")])
def test_seconds_that_nobody_can_take_are_refused(seconds: float) -> None:
    with pytest.raises(InvalidValue, match=rf"rationale can't be {seconds} seconds\. Use more than 0\."):
        Simulation(seconds_per_rationale=seconds)


def test_seconds_for_each_token_need_seconds() -> None:
    with pytest.raises(InvalidValue, match=r"Give seconds to apply per token, or remove that option\."):
        Simulation(is_by_token=True)
