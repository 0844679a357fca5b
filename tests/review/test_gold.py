"""Gold under each policy, and the numbers over it, on cases worked out by hand."""

import pytest

from annotator.domain.instances import Annotation, GoldChoice, Instance, Segment, SetOrigin
from annotator.domain.projects import GoldPolicy
from annotator.domain.texts import RationaleSet, TokenizedText
from annotator.review.gold import chosen_among, gold_of, gold_result, gold_with_choice, is_tied
from annotator.review.statistics import describe_gold


def segment(name: str, n_tokens: int, *, is_selectable: bool = True) -> Segment:
    text = "x " * n_tokens
    body = TokenizedText(
        text, tuple(range(0, 2 * n_tokens, 2)), tuple(range(1, 2 * n_tokens, 2)), (0,) if n_tokens else ()
    )
    return Segment(name, is_selectable, body)


def instance(result: str | None = "yes", *segments: Segment) -> Instance:
    return Instance(1, "k", "train", "en", segments or (segment("text", 10),), result)


def annotation(number: int, result: str | None, *sets: RationaleSet) -> Annotation:
    return Annotation(number, f"a{number}", 1, "accepted", result, sets)


A, B, C = RationaleSet.of((0, 3)), RationaleSet.of((2, 4)), RationaleSet.of((8, 9))
THREE = (annotation(1, "yes", A, C), annotation(2, "yes", B), annotation(3, "yes", RationaleSet.of((0, 1), (1, 3))))

POLICIES = [
    ("chosen", (A, C), "the first annotation's sets as they are"),
    ("all", (A, C, B), "equal token sets count once, the first one's spans stay"),
    ("majority", (RationaleSet.of((0, 3)),), "tokens 0, 1 by two of three, 2 by all; 3 and 8 by one only"),
    ("union", (RationaleSet.of((0, 4), (8, 9)),), "whatever anyone marked, in runs"),
]


@pytest.mark.parametrize(("policy", "expected", "_why"), POLICIES)
def test_each_policy_gives_its_sets(policy: str, expected: tuple[RationaleSet, ...], _why: str) -> None:
    gold = gold_of(instance(), THREE, policy)  # type: ignore[arg-type]
    assert gold is not None
    assert (gold.sets, gold.result) == (expected, "yes")


def test_annotations_with_another_result_do_not_count() -> None:
    gold = gold_of(instance("no"), (*THREE, annotation(4, "no", C)), "chosen")
    assert gold is not None
    assert gold.sets == (C,)


def test_exactly_half_is_no_majority() -> None:
    gold = gold_of(instance(), THREE[:2], "majority")
    assert gold is not None
    assert gold.sets == (RationaleSet.of((2, 3)),)


def test_without_an_annotation_that_counts_there_is_no_gold() -> None:
    assert gold_of(instance("no"), THREE, "chosen") is None
    assert gold_of(instance(), (), "union") is None


def test_without_a_result_of_its_own_an_instance_has_the_most_frequent_one() -> None:
    assert gold_result(instance(None), (*THREE, annotation(4, "no"))) == "yes"
    assert gold_result(instance(None), (annotation(1, "no"), annotation(2, "yes"))) is None
    assert gold_result(instance(None), ()) is None


@pytest.mark.parametrize("policy", ["chosen", "all", "majority", "union"])
def test_a_tie_has_no_gold_whatever_came_first_until_the_lead_chooses(policy: str) -> None:
    for results in (("no", "yes"), ("yes", "no")):
        tied = tuple(annotation(n, result) for n, result in enumerate(results, start=1))
        assert is_tied(instance(None), tied)
        assert gold_of(instance(None), tied, policy) is None  # type: ignore[arg-type]
    assert not is_tied(instance("no"), tied)
    chosen = gold_of(instance(None), tied, "chosen", tied[1])
    assert chosen is not None
    assert chosen.result == "no"


def test_zero_sets_are_gold_too() -> None:
    gold = gold_of(instance(""), (annotation(1, ""),), "all")
    assert gold is not None
    assert gold.sets == ()


def test_rlr_is_the_union_over_selectable_tokens_per_instance_and_side() -> None:
    pair = instance("same", segment("sentence1", 4), segment("sentence2", 6), segment("note", 90, is_selectable=False))
    sets = (RationaleSet.of((0, 2), (4, 5)), RationaleSet.of((1, 2), (9, 10)))
    gold = gold_of(pair, (annotation(1, "same", *sets),), "all")
    assert gold is not None
    found = describe_gold([gold])
    assert found.rlr == 4 / 10  # tokens 0, 1, 4, 9 of 4 + 6
    assert found.rlr_by_segment == {"sentence1": 2 / 4, "sentence2": 2 / 6}
    assert found.rlr_per_set == (3 / 10 + 2 / 10) / 2
    assert (found.rsn, found.n_spans) == (2.0, 4)


def test_over_nothing_every_mean_is_undefined() -> None:
    found = describe_gold([])
    assert (found.rlr, found.rsn, found.rlr_per_set, found.n_gold) == (None, None, None, 0)


# --- the lead's choice, and where each set came from


def origin(number: int, position: int | None) -> SetOrigin:
    return SetOrigin(number, f"a{number}", 1, position)


ORIGINS = [
    ("chosen", ((origin(1, 0),), (origin(1, 1),))),
    ("all", ((origin(1, 0), origin(3, 0)), (origin(1, 1),), (origin(2, 0),))),
    ("majority", ((origin(1, None), origin(2, None), origin(3, None)),)),
    ("union", ((origin(1, None), origin(2, None), origin(3, None)),)),
]


@pytest.mark.parametrize(("policy", "expected"), ORIGINS)
def test_each_gold_set_says_which_annotations_it_came_from(
    policy: GoldPolicy, expected: tuple[tuple[SetOrigin, ...], ...]
) -> None:
    gold = gold_of(instance(), (*THREE, annotation(4, "no", C)), policy)
    assert gold is not None
    assert gold.origins == expected


def test_the_leads_choice_comes_before_the_first_annotation_and_brings_its_result() -> None:
    version = Annotation(9, "lead", 1, "reference", "no", (B,))
    gold = gold_of(instance(), THREE, "chosen", version)
    assert gold is not None
    assert (gold.sets, gold.result, gold.origins) == ((B,), "no", ((SetOrigin(9, "lead", 1, 0),),))


def test_a_choice_is_gold_where_no_annotation_counts() -> None:
    gold = gold_of(instance(), (), "chosen", Annotation(9, "lead", 1, "reference", None, (B,)))
    assert gold is not None
    assert (gold.sets, gold.result) == ((B,), "yes")


@pytest.mark.parametrize("policy", ["all", "majority", "union"])
def test_the_other_policies_do_not_look_at_the_choice(policy: GoldPolicy) -> None:
    version = Annotation(9, "lead", 1, "reference", "no", (B,))
    assert gold_of(instance(), THREE, policy, version) == gold_of(instance(), THREE, policy)


def test_the_chosen_annotation_is_found_by_its_number() -> None:
    choice = GoldChoice(1, 2, is_adjudicated=False, chosen_by="lead", reason="better", chosen_at="2026-11-20")
    assert chosen_among(THREE, choice) is THREE[1]
    assert chosen_among(THREE, None) is None


@pytest.mark.parametrize("policy", ["chosen", "all", "majority", "union"])
def test_a_choice_that_marks_all_the_evidence_is_the_gold_under_every_policy(policy: GoldPolicy) -> None:
    version = Annotation(9, "Ann", 1, "reference", "yes", (A, B))
    choice = GoldChoice(1, 9, True, "lead", "all evidence", "2026-11-23", evidence_pass="Second")
    gold = gold_with_choice(instance(), THREE, policy, (*THREE, version), choice)
    assert gold is not None
    assert (gold.sets, gold.instance.is_exhaustive) == ((A, B), True)
    # Where it is not among the annotations, as of one person's alone, these are the gold, and not called exhaustive.
    assert gold_with_choice(instance(), THREE, policy, THREE, choice) == gold_of(instance(), THREE, policy)


@pytest.mark.parametrize("policy", ["chosen", "all", "majority", "union"])
def test_any_other_choice_is_as_ever(policy: GoldPolicy) -> None:
    version = Annotation(9, "lead", 1, "reference", "no", (B,))
    choice = GoldChoice(1, 9, True, "lead", "better", "2026-11-23")
    everybody = (*THREE, version)
    assert gold_with_choice(instance(), THREE, policy, everybody, choice) == gold_of(instance(), THREE, policy, version)
    assert gold_with_choice(instance(), THREE, policy, THREE, None) == gold_of(instance(), THREE, policy)
