"""Agreement: equal to scikit-learn and krippendorff wherever those are defined, and None with a count where nothing is."""

import statistics
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isnan, sqrt
from random import Random

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from annotator.domain.instances import Annotation, AnnotationState, Instance, Segment
from annotator.domain.numbers import natural_order
from annotator.domain.texts import RationaleSet, TokenizedText
from annotator.errors import InvalidValue
from annotator.review import token_agreement as review_token_agreement
from annotator.review.agreement import (
    AgreementTally,
    DisagreementParts,
    DisagreementTally,
    SetAgreement,
    SetTally,
    best_match_iou,
    disagreement,
    taking_part,
    votes_of,
)
from annotator.review.coefficients import Moments, Spread, binary_cohen_kappa
from annotator.review.label_agreement import LabelAgreement, LabelTally
from annotator.review.rater_agreement import (
    AgainstRest,
    Estimate,
    RestTally,
    reviewer_agreement,
    shadow_agreement,
    weighted_kappa,
)
from annotator.review.token_agreement import InstanceVotes
from benchmarks.agreement import check_equal, figures_by_packages, figures_of, token_agreement

NAMES = ("ada", "ben", "cy", "di", "eve")


def label_agreement(instances: Iterable[Mapping[str, str]]) -> LabelAgreement:
    tally = LabelTally()
    for labels in instances:
        tally.add(labels)
    return tally.result()


def votes(**rows: str) -> InstanceVotes:
    """Each annotator's tokens as a row of 0 and 1."""
    return InstanceVotes(tuple(rows), np.array([[mark == "1" for mark in row] for row in rows.values()], dtype=bool))


@st.composite
def instances_of_votes(draw: st.DrawFn) -> InstanceVotes:
    """Any number of annotators, in any order; often all marks or none, since there the edges are."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    n_tokens = draw(st.integers(0, 7))
    rows = st.one_of(
        st.lists(st.booleans(), min_size=n_tokens, max_size=n_tokens),
        st.sampled_from([[False] * n_tokens, [True] * n_tokens]),
    )
    return InstanceVotes(tuple(names), np.array([draw(rows) for _ in names], dtype=bool).reshape(len(names), n_tokens))


# --- tokens


@settings(deadline=None, max_examples=30)
@given(st.lists(instances_of_votes(), max_size=8))
def test_token_agreement_over_any_instances_is_what_the_packages_say(instances: list[InstanceVotes]) -> None:
    check_equal(figures_of(token_agreement(instances)), figures_by_packages(instances))


@settings(max_examples=30)
@given(st.lists(instances_of_votes(), max_size=8))
def test_token_fleiss_kappa_is_its_definition_with_each_token_as_an_item(instances: list[InstanceVotes]) -> None:
    items = [Counter(column) for v in instances if len(v.annotators) > 1 for column in v.marked.T.tolist()]
    found = token_agreement(instances)
    assert found.fleiss_kappa == approx(fleiss_by_definition(items))
    assert found.fleiss_is_generalised == (len({item.total() for item in items}) > 1)


@settings(max_examples=30)
@given(st.lists(instances_of_votes(), max_size=8))
def test_a_batch_more_or_less_changes_nothing(instances: list[InstanceVotes]) -> None:
    at_once = token_agreement(instances)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(review_token_agreement, "_VOTES_AT_ONCE", 1)
        check_equal(figures_of(token_agreement(instances)), figures_of(at_once))


def test_what_is_left_out_of_token_agreement_is_counted() -> None:
    alone, empty, nothing = votes(ada="10"), votes(ada="", ben=""), votes(ada="00", ben="00")
    nobody = InstanceVotes((), np.zeros((0, 3), dtype=bool))
    found = token_agreement([alone, empty, nothing, votes(ada="10", ben="10"), nobody])
    assert (found.n_instances, found.n_alone, found.n_without_tokens, found.n_tokens) == (2, 1, 1, 4)
    assert found.cohen_kappa_per_instance == Spread(1.0, None, 1, 1)
    assert found.krippendorff_alpha_per_instance == Spread(1.0, None, 1, 1)
    assert (found.majority.kappa.n_left_out, found.majority.precision.n_left_out) == (2, 2)
    assert found.majority.recall == Spread(1.0, 0.0, 2, 2)


@pytest.mark.parametrize("row", ["000", "111"])
def test_where_both_mark_nothing_or_both_everything_kappa_and_alpha_are_not_defined(row: str) -> None:
    found = token_agreement([votes(ada=row, ben=row)])
    assert found.cohen_kappa_per_instance == found.cohen_kappa_pooled == Spread(n_left_out=1)
    assert (found.fleiss_kappa, found.krippendorff_alpha) == (None, None)
    [pair] = found.pairs
    assert (pair.kappa_pooled, pair.kappa_per_instance, pair.n_undefined) == (None, None, 1)


def test_over_nothing_no_agreement_is_defined() -> None:
    found = token_agreement([])
    assert (found.fleiss_kappa, found.krippendorff_alpha, found.mean_annotators) == (None, None, None)
    assert found.cohen_kappa_pooled == found.majority.f1 == Spread()
    assert (found.pairs, found.by_annotator) == ((), {})


def test_half_of_the_annotators_are_no_majority() -> None:
    found = token_agreement([votes(ada="1100", ben="1010")])  # the majority of two is what both marked: token 0
    assert (found.majority.precision.mean, found.majority.recall.mean) == (0.5, 1.0)


def test_table_2_of_eraser_worked_out_by_hand() -> None:
    found = token_agreement([votes(ada="110000", ben="110000", cy="011000")])  # majority 110000
    cy = found.by_annotator["cy"]
    assert (cy.precision.mean, cy.recall.mean, cy.f1.mean) == (0.5, 0.5, 0.5)
    assert cy.kappa.mean == approx((4 / 6 - (4 + 16) / 36) / (1 - (4 + 16) / 36))
    assert found.majority.f1.mean == approx((1 + 1 + 0.5) / 3)
    assert found.majority.f1.sd == approx(sqrt((2 * (1 / 6) ** 2 + (1 / 3) ** 2) / 2))
    assert found.mean_annotators == 3


def test_pooled_kappa_weighs_tokens_and_the_mean_of_kappas_weighs_instances() -> None:
    found = token_agreement([votes(ada="10", ben="10"), votes(ben="11110000", ada="00001111")])
    assert found.cohen_kappa_per_instance.mean == 0.0  # 1 and -1
    assert found.cohen_kappa_pooled.mean == approx((2 / 10 - 1 / 2) / (1 - 1 / 2))


def test_kappa_of_counts_that_no_float_holds_is_exact() -> None:
    n = np.array([10**9 + 1])
    assert binary_cohen_kappa(n, n - 1, n - 1, n - 1) == [1.0]


@pytest.mark.parametrize(
    ("names", "n_rows"), [(("ada", "ada"), 2), (("ada", "ben"), 1)], ids=["a name twice", "a row too few"]
)
def test_votes_need_one_row_for_each_annotator(names: tuple[str, ...], n_rows: int) -> None:
    with pytest.raises(InvalidValue, match=r"in an instance: give one per annotator\."):
        InstanceVotes(names, np.zeros((n_rows, 3), dtype=bool))


# --- labels


labelled = st.lists(st.dictionaries(st.sampled_from(NAMES), st.sampled_from("xyz")), max_size=10)


@settings(max_examples=30)
@given(labelled)
def test_label_kappas_are_those_of_scikit_learn(instances: list[dict[str, str]]) -> None:
    check_pairs(label_agreement(instances), instances)


def check_pairs(found: LabelAgreement, instances: list[dict[str, str]]) -> None:
    """Against scikit-learn, called for each two annotators on the instances that they share."""
    shared: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for item in instances:
        for pair in combinations(sorted(item, key=natural_order), 2):
            shared[pair].append((item[pair[0]], item[pair[1]]))
    domain = sorted({label for item in instances for label in item.values()})
    in_order = sorted(shared.items(), key=lambda of_pair: tuple(map(natural_order, of_pair[0])))
    kappas = [quietly(cohen_kappa_score, *zip(*labels, strict=True), labels=domain) for _, labels in in_order]
    assert [(p.first, p.second, p.n_instances) for p in found.pairs] == [
        (*pair, len(labels)) for pair, labels in in_order
    ]
    assert [p.kappa for p in found.pairs] == [approx(None if isnan(kappa) else kappa) for kappa in kappas]
    assert found.cohen_kappa == spread_of(kappas)


@settings(max_examples=30)
@given(labelled)
def test_label_alpha_is_that_of_krippendorff_and_fleiss_kappa_its_definition(instances: list[dict[str, str]]) -> None:
    found = label_agreement(instances)
    check_over_all(found, instances)
    assert found.n_alone == sum(len(item) == 1 for item in instances)


def check_over_all(found: LabelAgreement, instances: list[dict[str, str]]) -> None:
    """Against the package's alpha and the definition of Fleiss' kappa."""
    items = [Counter(item.values()) for item in instances if len(item) > 1]
    domain = sorted({label for item in items for label in item})
    counts = np.array([[item[label] for label in domain] for item in items])
    alpha = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal") if len(domain) > 1 else None
    assert found.krippendorff_alpha == approx(alpha)
    assert found.fleiss_kappa == approx(fleiss_by_definition(items))
    assert found.n_instances == len(items)
    assert found.fleiss_is_generalised == (len({item.total() for item in items}) > 1)


def fleiss_by_definition(items: list[Counter]) -> float | None:
    """Fleiss 1971, formulas 1 to 7, item by item; a label's share is the mean of its shares (Gwet 2014)."""
    if not items:
        return None
    observed = np.mean([sum(n * (n - 1) for n in i.values()) / (i.total() * (i.total() - 1)) for i in items])
    shares = defaultdict(float)
    for item in items:
        for label, n in item.items():
            shares[label] += n / item.total() / len(items)
    if len(shares) == 1:
        return None
    expected = sum(share**2 for share in shares.values())
    return (observed - expected) / (1 - expected)


FLEISS = [  # Wikipedia, "Fleiss' kappa", the worked example: 14 raters, 10 subjects, 5 categories, kappa 0.210
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip

KRIPPENDORFF = [  # the krippendorff package's documentation: nominal alpha .691358
    (None, None, None, None, None, 3, 4, 1, 2, 1, 1, 3, 3, None, 3),
    (1, None, 2, 1, 3, 3, 4, 3, None, None, None, None, None, None, None),
    (None, None, 2, 1, 3, 4, 4, None, 2, 1, 1, 3, 3, None, 4),
]


def test_fleiss_kappa_of_the_worked_example() -> None:
    instances = [{f"r{rater}": str(label) for rater, label in enumerate(np.repeat(range(5), row))} for row in FLEISS]
    found = label_agreement(instances)
    assert (round(found.fleiss_kappa, 3), found.fleiss_is_generalised) == (0.210, False)


def test_alpha_of_labels_with_gaps_is_that_of_the_packages_documentation() -> None:
    instances = [
        {f"r{rater}": str(value) for rater, value in enumerate(column) if value is not None}
        for column in zip(*KRIPPENDORFF, strict=True)
    ]
    found = label_agreement(instances)
    assert round(found.krippendorff_alpha, 6) == 0.691358
    assert (found.n_instances, found.n_alone) == (12, 1)


def test_cohens_kappa_of_a_table_of_fifty() -> None:
    rows = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    [pair] = label_agreement([{"ada": one, "ben": other} for one, other in rows]).pairs
    assert pair.kappa == approx(0.4)  # Wikipedia, "Cohen's kappa", simple example: p_o .7, p_e .5


def test_one_label_throughout_has_no_kappa_and_no_alpha() -> None:
    found = label_agreement([{"ada": "x", "ben": "x"}] * 3)
    assert found.cohen_kappa == Spread(n_left_out=1)
    assert (found.fleiss_kappa, found.krippendorff_alpha) == (None, None)


# --- sets


A, B, C = RationaleSet.of((0, 4)), RationaleSet.of((6, 8)), RationaleSet.of((0, 2))
MATCHES = [
    ([A, B], [B, A], 1.0, "the order of sets does not matter"),
    ([A], [RationaleSet.of((0, 2), (2, 4))], 1.0, "nor how a set is cut into spans"),
    ([A, B], [C], ((0.5 + 0) / 2 + 0.5) / 2, "B finds nothing, C its half in A"),
    ([A], [A, B], (1 + (1 + 0) / 2) / 2, "one set too many costs in one direction"),
    ([A], [], 0.0, "sets against none: nothing matches"),
    ([], [], None, "none against none is not defined"),
    ([A], [B], 0.0, "no token shared"),
]


@pytest.mark.parametrize(("first", "second", "expected", "_why"), MATCHES)
def test_each_set_is_compared_with_its_best_match(
    first: list[RationaleSet], second: list[RationaleSet], expected: float | None, _why: str
) -> None:
    assert best_match_iou(first, second) == approx(expected)
    assert best_match_iou(second, first) == approx(expected)


def set_agreement(instances: Iterable[Mapping[str, Sequence[RationaleSet]]]) -> SetAgreement:
    tally = SetTally()
    for sets in instances:
        tally.add(sets)
    return tally.result()


def test_set_agreement_is_the_mean_over_instances_and_pairs() -> None:
    found = set_agreement([{"ada": [A], "ben": [A], "cy": []}, {"ada": [], "ben": []}, {"ada": [A]}, {}])
    assert found.best_match_iou == Spread(approx(1 / 3), approx(sqrt(1 / 3)), 3, 1)
    assert found.n_alone == 1


def test_set_agreement_over_many_instances_is_added_up_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.review.agreement._VALUES_AT_ONCE", 2)
    found = set_agreement([{"ada": [A], "ben": [C]}, {"ada": [A], "ben": [A]}] * 10)
    assert (found.best_match_iou.mean, found.best_match_iou.n) == (approx(0.75), 20)


# --- disagreement taken apart: reference/trust.md, section 4, by hand


def marked(name: str, label: str | None, *sets: RationaleSet) -> Annotation:
    return Annotation(0, name, 1, "accepted", label, sets)


PARTS = [
    ((marked("ada", "x", A, B), marked("ben", "x", C)), (0.0, 0.25, 0.375), "B has no counterpart: ada gave more"),
    ((marked("ada", "x", A), marked("ben", "y", A)), (1.0, 0.0, 0.0), "another label, whatever the reason"),
    ((marked("ada", "x"), marked("ben", "y")), (1.0, 0.0, 0.0), "another label without reasons"),
    ((marked("ada", "x", A), marked("ben", "x", B)), (0.0, 1.0, 0.0), "another reason"),
    ((marked("ada", "x", A), marked("ben", "x")), (0.0, 1.0, 0.0), "nothing marked beside something"),
    ((marked("ada", "x", A), marked("ben", None, A)), (0.0, 0.0, 0.0), "a label that is not known differs from none"),
]


@pytest.mark.parametrize(("pair", "expected", "_why"), PARTS)
def test_disagreement_is_of_the_label_or_the_reason_or_the_extent(
    pair: tuple[Annotation, Annotation], expected: tuple[float, float, float], _why: str
) -> None:
    parts = disagreement(*pair)
    assert parts is not None
    assert (parts.label, parts.reason, parts.extent) == expected


def test_two_who_marked_nothing_and_gave_the_same_label_have_no_disagreement_to_take_apart() -> None:
    assert disagreement(marked("ada", "x"), marked("ben", "x")) is None


FAMILIES = st.lists(
    st.sets(st.integers(0, 6), min_size=1, max_size=5).map(RationaleSet.of_tokens),
    max_size=3,
    unique_by=lambda rationale_set: rationale_set.token_indices,
)
LABELLED = st.builds(lambda label, sets: marked("ada", label, *sets), st.sampled_from("xy"), FAMILIES)


@settings(max_examples=30)
@given(LABELLED, LABELLED, st.floats(0.05, 1), st.floats(0.05, 1), st.randoms())
def test_the_parts_of_disagreement_add_up_in_any_order_and_a_higher_threshold_moves_extent_to_reason(
    first: Annotation, second: Annotation, low: float, high: float, random: Random
) -> None:
    low, high = sorted((low, high))
    parts, stricter = (disagreement(first, second, counterpart=threshold) for threshold in (low, high))
    match = best_match_iou(first.sets, second.sets)
    if parts is None or stricter is None:
        assert parts is stricter is None is match
        return
    assert min(parts.label, parts.reason, parts.extent) >= 0
    assert parts.total == approx(1.0 if first.result != second.result else 1 - (match or 0.0))
    shuffled = replace(first, sets=tuple(random.sample(first.sets, len(first.sets))))
    assert disagreement(second, shuffled, counterpart=low) == parts
    families = [{rationale_set.token_indices for rationale_set in of.sets} for of in (first, second)]
    assert (parts.total == 0) == (first.result == second.result and families[0] == families[1])
    assert stricter.total == approx(parts.total)
    assert stricter.reason >= parts.reason - 1e-12


def test_disagreement_of_a_project_is_the_mean_over_pairs_and_then_over_instances() -> None:
    tally = DisagreementTally()
    of_three = [marked("ada", "x", A, B), marked("ben", "x", C), marked("cy", "y", C)]
    tally.add(replace(instance(), key="t1"), of_three)  # label: 0, 1, 1; reason .25 and extent .375 of the first pair
    tally.add(replace(instance(), key="t2"), [marked("ada", "x"), marked("ben", "x")])
    tally.add(replace(instance(), key="t3"), [marked("ada", "x", A), marked("ben", "x", A)])
    tally.add(replace(instance(), key="t4"), [marked("ada", "x", A)])
    tally.add(replace(instance(), key="t5"), [])
    parts = tally.result()
    assert (parts.label, parts.reason, parts.extent) == (approx(1 / 3), approx(1 / 24), approx(1 / 16))
    assert (parts.n_pairs, parts.n_instances, parts.n_left_out) == (4, 2, 1)
    assert (parts.n_one_gave_more, parts.n_other_reason, parts.n_other_label, parts.n_same_reason) == (1, 0, 2, 1)
    assert [(of.key, of.total) for of in parts.most] == [("t1", approx((1 + 1 + 0.625) / 3))]


def test_labels_alone_have_no_disagreement_to_take_apart() -> None:
    tally = DisagreementTally()
    tally.add(replace(instance(), key="t1"), [marked("ada", "x"), marked("ben", "y")])
    tally.add(replace(instance(), key="t2"), [marked("ada", "x"), marked("ben", "x")])
    assert tally.result() == DisagreementParts(n_left_out=2)


# --- reviewers


def patterns(items: list[dict[str, int]]) -> Counter[tuple[int, ...]]:
    """How often each score from 1 to 5 was given to an item, and to how many items."""
    return Counter(tuple(list(item.values()).count(score) for score in range(1, 6)) for item in items)


@settings(max_examples=30)
@given(st.lists(st.dictionaries(st.sampled_from(NAMES), st.integers(1, 4)), max_size=8))
def test_reviewers_alpha_is_the_ordinal_one_of_all_their_scores(items: list[dict[str, int]]) -> None:
    found = reviewer_agreement(patterns(items))
    table = np.array([[item.get(name, np.nan) for item in items] for name in NAMES])
    scores = {score for item in items if len(item) > 1 for score in item.values()}
    expected = krippendorff.alpha(table, level_of_measurement="ordinal") if len(scores) > 1 else None
    assert found.krippendorff_alpha == approx(expected)
    pairs = [one == other for item in items for one, other in combinations(item.values(), 2)]
    assert found.exact_share == approx(np.mean(pairs) if pairs else None)
    assert (found.n_pairs, found.n_alone) == (len(pairs), sum(len(item) == 1 for item in items))


def test_ordinal_alpha_is_that_of_krippendorffs_own_example() -> None:
    coders = [  # Krippendorff 2011, p. 8, data of four observers with gaps: ordinal alpha .815
        (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
        (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
        (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
        (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
    ]
    items = [
        {f"r{coder}": score for coder, score in enumerate(column) if score is not None}
        for column in zip(*coders, strict=True)
    ]
    assert round(reviewer_agreement(patterns(items)).krippendorff_alpha, 3) == 0.815


@pytest.mark.parametrize("items", [[], [{"ada": 3}], [{"ada": 3, "ben": 3}, {"ada": 3, "ben": 3}]])
def test_reviewers_who_never_differ_or_never_meet_have_no_alpha(items: list[dict[str, int]]) -> None:
    assert reviewer_agreement(patterns(items)).krippendorff_alpha is None


# --- a project's annotations


def instance(n_tokens: int = 6, result: str | None = "yes") -> Instance:
    body = TokenizedText("x " * n_tokens, tuple(range(0, 2 * n_tokens, 2)), tuple(range(1, 2 * n_tokens, 2)), (0,))
    asked = TokenizedText("x x", (0, 2), (1, 3), (0,))
    return Instance(1, "k", "", "en", (Segment("text", True, body), Segment("question", False, asked)), result)


def annotation(
    number: int,
    who: str,
    *sets: RationaleSet,
    state: AnnotationState = "accepted",
    round_number: int = 1,
    result: str | None = "yes",
) -> Annotation:
    return Annotation(number, who, round_number, state, result, sets)


def test_the_latest_round_of_each_annotator_that_is_submitted_or_accepted_takes_part() -> None:
    given_in = [
        annotation(1, "ada", A, state="returned"),
        annotation(2, "ben", A),
        annotation(3, "ada", B, state="submitted", round_number=2),
        annotation(4, "ben", C, round_number=2),
        annotation(5, "cy", A, state="draft"),
        annotation(6, "di", A, state="reference"),
        annotation(7, "eve", A, state="withdrawn"),
        annotation(8, "eve", C, state="submitted"),
        annotation(9, "fay", A, state="discarded"),
        annotation(10, "gus", A, state="withdrawn"),
    ]
    assert sorted(a.id for a in taking_part(given_in)) == [3, 4, 8]


def test_only_annotations_with_the_gold_result_take_part_for_tokens_and_sets_and_the_rest_is_counted() -> None:
    tally = AgreementTally()
    tally.add(instance(8), [annotation(1, "ada", A), annotation(2, "ben", A), annotation(3, "cy", B, result="no")])
    found = tally.result()
    assert (found.n_annotations, found.n_other_result) == (3, 1)
    assert (found.tokens.majority.kappa.n, found.tokens.cohen_kappa_pooled.mean) == (2, 1.0)
    assert found.sets.best_match_iou.mean == 1.0
    assert (found.labels.n_instances, found.labels.n_labels) == (1, 2)


def test_votes_are_over_selectable_tokens_and_the_union_of_overlapping_sets() -> None:
    found = votes_of([annotation(1, "ada", C, RationaleSet.of((1, 3), (5, 6))), annotation(2, "ben")], 6)
    assert found.annotators == ("ada", "ben")
    assert found.marked.tolist() == [[True, True, True, False, False, True], [False] * 6]


# --- spreads


@settings(max_examples=30)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.3, 1.0, -0.25, np.nan])), max_size=6), max_size=5)
)
def test_means_and_deviations_do_not_depend_on_batches(batches: list[list[tuple[int, float]]]) -> None:
    moments = Moments()
    for batch in [*batches, [(3, np.nan)]]:
        moments.add(np.array([v for _, v in batch], dtype=float), np.array([g for g, _ in batch], dtype=np.int64))
    every = [pair for batch in [*batches, [(3, np.nan)]] for pair in batch]
    for group in range(4):
        values = [value for g, value in every if g == group]
        if values:
            assert moments.of_group(group) == spread_of(values)
    assert moments.of_all() == spread_of([value for _, value in every])


def spread_of(values: list[float]) -> Spread:
    kept = [value for value in values if not isnan(value)]
    mean, sd = np.mean(kept) if kept else None, np.std(kept, ddof=1) if len(kept) > 1 else None
    return Spread(approx(mean), approx(sd), len(kept), len(values) - len(kept))


def test_equal_values_have_no_deviation_at_all() -> None:
    moments = Moments()
    for _ in range(100):
        moments.add(np.full(1000, 0.3))
    assert moments.of_all().sd == pytest.approx(0, abs=1e-12)


def approx(value: float | None) -> object:
    return None if value is None else pytest.approx(value, rel=0, abs=1e-9)


def quietly(function, *arguments, **options):
    """The packages warn where a value is not defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


# Each annotator against the rest, held to a computation of another kind: sets of tokens and counts, person by person.

Shared = list[dict[str, tuple[frozenset[int], str]]]  # of each instance, who marked which tokens and gave which label
_N_TOKENS = 12


def tally(instances: Shared) -> dict[str, AgainstRest]:
    rest = RestTally()
    for people in instances:
        marked = np.zeros((len(people), _N_TOKENS), dtype=np.bool_)
        for row, (tokens, _) in zip(marked, people.values(), strict=True):
            row[list(tokens)] = True
        rest.add(InstanceVotes(tuple(people), marked), {name: label for name, (_, label) in people.items()})
    return {person.annotator: person for person in rest.result()}


def drawn(n: int) -> Shared:
    """Twenty people, of whom two to five have each instance; in some of them nobody marks anything."""
    draw = np.random.default_rng(4)
    instances = []
    for number in range(n):
        names = draw.choice(20, size=draw.integers(2, 6), replace=False)
        share = 0 if number % 20 == 0 else 0.4
        instances.append(
            {
                f"ann{name}": (
                    frozenset(np.flatnonzero(draw.random(_N_TOKENS) < share).tolist()),
                    "yn"[draw.integers(2)],
                )
                for name in names
            }
        )
    return instances


def f1(mine: frozenset[int], others: frozenset[int]) -> float | None:
    """From precision and recall."""
    if not mine and not others:
        return None
    precision = len(mine & others) / len(mine) if mine else 0
    recall = len(mine & others) / len(others) if others else 0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def by_hand(instances: Shared, name: str) -> tuple[list[float | None], list[float | None], list[bool | None]]:
    """Of each of somebody's instances: F1 against the majority of the others, against their union, whether the label is theirs."""
    majority, union, labels = [], [], []
    for people in instances:
        if name in people:
            mine, label = people[name]
            others = [people[other] for other in people if other != name]
            votes = Counter(token for tokens, _ in others for token in tokens)
            majority.append(f1(mine, frozenset(token for token, n in votes.items() if n > len(others) / 2)))
            union.append(f1(mine, frozenset(votes)))
            given = [other for _, other in others]
            modes = statistics.multimode(given)
            labels.append(label == modes[0] if len(modes) == 1 else None)
    return majority, union, labels


def test_what_is_told_of_each_person_is_what_sets_and_counts_say() -> None:
    instances = drawn(300)
    people = tally(instances)
    assert len(people) == 20
    for name, person in people.items():
        majority, union, labels = by_hand(instances, name)
        for estimate, values in ((person.majority_f1, majority), (person.union_f1, union), (person.label, labels)):
            kept = [value for value in values if value is not None]
            assert estimate.value == pytest.approx(statistics.fmean(kept))
            assert (estimate.n, estimate.n_left_out) == (len(kept), len(values) - len(kept))
        kept = [value for value in majority if value is not None]
        half = 1.959964 * statistics.stdev(kept) / len(kept) ** 0.5
        assert person.majority_f1.high == pytest.approx(min(1, statistics.fmean(kept) + half))
        assert person.majority_f1.low == pytest.approx(max(0, statistics.fmean(kept) - half))


def test_of_two_people_each_is_held_against_the_other() -> None:
    people = tally([{"ada": (frozenset({0, 1}), "y"), "ben": (frozenset({1, 2}), "n")}])
    assert people["ada"] == AgainstRest(
        "ada", Estimate(0.5, None, None, 1, 0), Estimate(0.5, None, None, 1, 0),
        Estimate(0.0, 0.0, pytest.approx(0.7935, abs=1e-4), 1, 0),
    )  # fmt: skip


def test_of_two_others_the_majority_is_what_both_marked() -> None:
    people = tally([{"ada": (frozenset({0}), "y"), "ben": (frozenset({0, 1}), "y"), "cy": (frozenset({0, 2}), "n")}])
    assert (people["ada"].majority_f1.value, people["ada"].union_f1.value) == (1.0, 0.5)
    assert (people["ada"].label.n, people["ada"].label.n_left_out) == (0, 1)  # the others gave a label each
    assert (people["cy"].label.value, people["ben"].label.n_left_out) == (0.0, 1)


def test_who_has_an_instance_alone_is_held_against_nobody() -> None:
    assert tally([{"ada": (frozenset({0}), "y")}]) == {}


def test_marks_of_nobody_known_count_among_the_others_and_are_no_person() -> None:
    rest = RestTally()
    rest.add(InstanceVotes(("mask 1", "ben"), np.array([[1, 0], [1, 1]], dtype=np.bool_)), {"ben": "y"})
    [ben] = rest.result()
    assert (ben.annotator, ben.union_f1.value) == ("ben", pytest.approx(2 / 3))


# A model that scores as reviewers do, beside people.


def test_weighted_kappa_is_that_of_scikit_learn_whichever_of_two_reviewers_comes_first() -> None:
    draw = np.random.default_rng(7)
    for n_steps in (2, 3, 4):
        first = draw.integers(1, n_steps + 1, 60)
        second = np.clip(first + draw.integers(-1, 2, 60), 1, n_steps)
        counts = np.zeros((n_steps, n_steps))
        np.add.at(counts, (first - 1, second - 1), 1)
        expected = cohen_kappa_score(np.r_[first, second], np.r_[second, first], weights="quadratic")
        assert weighted_kappa(counts + counts.T) == pytest.approx(expected, abs=1e-12)
    assert np.isnan(weighted_kappa(np.array([[4.0, 0.0], [0.0, 0.0]])))


@pytest.mark.parametrize(
    ("model", "n_texts", "standing"),
    [("as the others", 300, "as good"), ("by lot", 300, "worse"), ("as the others", 15, "open"), ("by lot", 9, "open")],
)
def test_a_model_is_as_good_as_a_reviewer_worse_or_not_known_yet(model: str, n_texts: int, standing: str) -> None:
    draw = np.random.default_rng(3)
    truth = draw.integers(1, 5, 300)

    def person(noise: float) -> list[int]:
        return np.where(draw.random(300) < noise, draw.integers(1, 5, 300), truth).tolist()

    noise = {"as the others": 0.15, "by lot": 1.0}[model]
    people = zip(person(0.2), person(0.2), strict=True)
    scores = [(text, *of_text) for text, of_text in enumerate(zip(person(noise), people, strict=True))]
    found = shadow_agreement("m", 4, scores[:n_texts])
    assert found.standing == standing
    assert found.difference.value == pytest.approx(found.shadow.value - found.people.value)
    assert found.shadow.low < found.shadow.value < found.shadow.high


def test_where_no_item_has_two_scores_of_people_a_model_is_compared_with_nobody() -> None:
    found = shadow_agreement("m", 3, [(0, 1, [1]), (1, 2, [3]), (2, 3, [3])])
    assert (found.shadow.n, found.people.value, found.difference.value, found.standing) == (3, None, None, "open")
    assert shadow_agreement("m", 3, []).shadow.value is None
