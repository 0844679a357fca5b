"""Numbers beside chance, and which of a column is best: of all models, of a model, of a method, or none."""

import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b

import numpy as np
import pytest

from annotator.domain.models import Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.metrics.aggregate import paired_bootstrap
from annotator.metrics.gold_as_method import TEN_SEEDS, scores_drawn_for
from annotator.scoring.chance_verdicts import Judged, best_rows, fact_summary, judged, n_without_choice
from annotator.scoring.table import Column, MetricRow, MetricTable, Number, definition_in_table, scope_of, sorted_rows
from annotator.store import Store
from annotator.usecases.inspect.metric_values import RowChoice, values_of_row
from annotator.usecases.inspect.metrics_table import constant_attribution_lines
from annotator.usecases.models.attributions import AttributingOptions, attribute
from tests.conftest import REPOSITORY
from tests.usecases.transfer.comparing import (
    LENGTH,
    N,
    blind,
    gold_token,
    key_of,
    knowing,
    mistaken,
    output,
    project_of,
    row_of,
    rows_of,
    said,
    table_of,
    take,
)

F1, MRR, ACCURACY, SUF = "sets.best_f1", "editing.mrr", "eraser.accuracy", "method.sufficiency"


@pytest.fixture
def compared(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Three models on forty texts: one knows the gold, one is mistaken, one is blind; right in 36, 30 and 10 of them."""
    made = project_of(make_project, import_rows)
    for model, scores, n_right in (("knowing", knowing, 36), ("mistaken", mistaken, 30), ("blind", blind, 10)):
        take(store, made, (output(n, Run(model, "ig"), scores(n), [said(n, n < n_right)]) for n in range(N)))
    return made


def verdicts(table: MetricTable, name: str) -> dict[str, Judged]:
    return dict(zip([row.model for row in table.rows], judged(table, table.rows, table.column(name)), strict=True))


def word(found: Judged) -> str | None:
    return None if found.verdict is None else found.verdict.word


def best(table: MetricTable, name: str) -> set[str]:
    column = table.column(name)
    return {table.rows[n].model for n in best_rows(table.rows, column, judged(table, table.rows, column))}


# Beside random ---------------------------------------------------------------------------------------------------------


def test_plausibility_is_judged_beside_the_mean_of_ten_seeds_of_each_instance(store, compared) -> None:
    table = table_of(store, compared)
    found = verdicts(table, MRR)
    assert {model: word(one) for model, one in found.items()} == {
        "knowing": "better", "mistaken": "not better", "blind": "not told",
    }  # fmt: skip
    values = values_of_row(store, LOCAL_OPERATOR, compared, RowChoice("blind", "ig", "attribution")).values[MRR]
    # 1 / rank of the gold token under each seed's scores, which follow from the text's key
    digests = [blake2b(key_of(n).encode(), digest_size=8).digest() for n in range(N)]
    identities = np.array([int.from_bytes(digest, "little") for digest in digests], dtype=np.uint64)
    ranks = []
    for seed in TEN_SEEDS:
        scores = scores_drawn_for(identities, np.full(N, LENGTH), seed).values.reshape(N, LENGTH)
        order = np.argsort(-scores, axis=1)
        ranks.append([1 / (1 + list(order[n]).index(gold_token(n))) for n in range(N)])
    null = np.mean(ranks, axis=0)
    interval = paired_bootstrap(values, null)
    verdict = found["blind"].verdict
    assert verdict.n == N
    assert verdict.difference == pytest.approx((values - null).mean())
    assert (verdict.low, verdict.high) == (pytest.approx(interval.low), pytest.approx(interval.high))
    assert found["mistaken"].sentence.startswith("worse than random on this gold (−0.")


def test_a_verdict_on_the_same_texts_is_the_same_whatever_else_is_asked_for(store, make_project, import_rows) -> None:
    made: Project = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N), split=lambda n: "test" if n % 2 else "train"))
    for model, scores in (("blind", blind), ("knowing", knowing)):
        take(store, made, (output(n, Run(model, "ig"), scores(n)) for n in range(1, N, 2)))
        take(store, made, [output(n, Run(model, "hard"), hard=((0, 3),)) for n in range(1, N, 2)])
    of_all, of_split = table_of(store, made), table_of(store, made, split="test")
    for row, alone in zip(of_all.rows, of_split.rows, strict=True):
        for name in (MRR, F1) if row.kind == "attribution" else (F1,):
            column = of_all.column(name)
            assert judged(of_all, [row], column)[0].verdict == judged(of_split, [alone], column)[0].verdict


def test_random_itself_has_no_verdict_and_is_never_best(store, compared) -> None:
    take(store, compared, (output(n, Run("knowing", "random", seed=s), knowing(n)) for n in range(N) for s in (0, 1)))
    table = table_of(store, compared)
    rows = [row_of(table, "knowing", "random"), row_of(table, "mistaken")]
    column = table.column(F1)
    assert [word(one) for one in judged(table, rows, column)] == [None, "not better"]
    assert best_rows(rows, column, judged(table, rows, column)) == set()


def test_of_fewer_than_twenty_instances_nothing_is_said_and_none_is_best(store, make_project, import_rows) -> None:
    made = project_of(make_project, import_rows, n=19)
    for model, scores in (("knowing", knowing), ("mistaken", mistaken)):
        take(store, made, (output(n, Run(model, "ig"), scores(n)) for n in range(19)))
    table = table_of(store, made)
    assert {word(one) for one in verdicts(table, F1).values()} == {"too few"}
    assert verdicts(table, F1)["knowing"].sentence == "too few to tell (n 19)"
    assert best(table, F1) == set()


def test_what_is_selected_hard_is_judged_beside_as_many_words_at_random_and_not_beside_k_of_them(
    store, make_project, import_rows
) -> None:
    """Seven of eight words, the gold one among them: F1 is 2 · 1 / (7 + 1) = .25, and so it is by chance in 7 of 8 texts."""
    made = project_of(make_project, import_rows)
    around = [((0, 7) if gold_token(n) < 7 else (1, 8),) for n in range(N)]
    take(store, made, (output(n, Run("selector", "select"), hard=around[n]) for n in range(N)))
    table = table_of(store, made)
    [row] = table.rows
    assert row.numbers[F1].value == pytest.approx(0.25)
    [found] = judged(table, [row], table.column(F1))
    # k = 1 word at random would have about 1/8; seven of eight have 7/8 · .25 = .219
    assert found.verdict.difference == pytest.approx(0.25 - 7 / 8 * 0.25, abs=0.02)


def test_texts_of_which_every_word_is_gold_are_left_out_and_counted(store, compared, import_rows) -> None:
    whole = rows_of(range(100, 110))
    import_rows(compared, [{**row, "rationales": [[[0, LENGTH]]]} for row in whole])
    take(store, compared, (output(n, Run("knowing", "ig"), knowing(n)) for n in range(100, 110)))
    table = table_of(store, compared)
    assert n_without_choice(table) == 10
    assert row_of(table, "knowing").numbers[F1].n == N + 10
    assert verdicts(table, F1)["knowing"].verdict.n == N


def test_maps_that_have_all_scores_equal_have_no_number_by_their_order_and_no_verdict(
    store, make_project, import_rows
) -> None:
    """Gold is the first word of every text, which the order of ties alone would find."""
    made = make_project(gold_policy="all")
    import_rows(made, [{**row, "rationales": [[[0, 1]]]} for row in rows_of(range(N))])
    first = (1.0, *[0.0] * (LENGTH - 1))
    zeros = (0.0,) * LENGTH
    take(store, made, (output(n, Run("failed", "ig"), zeros, hard=[(0, 1)]) for n in range(N)))
    take(store, made, (output(n, Run("partly", "ig"), zeros if n < 12 else first) for n in range(N)))
    table = table_of(store, made)
    scores = {row.model: row for row in table.rows if row.kind == "attribution"}
    assert {model: row.counts["instances_with_all_scores_equal"] for model, row in scores.items()} == {
        "failed": N, "partly": 12,
    }  # fmt: skip
    assert [(scores[model].numbers[F1].value, scores[model].numbers[F1].n) for model in scores] == [
        (None, 0),
        (1.0, N - 12),
    ]
    assert scores["failed"].numbers["eraser.average_precision"].value == pytest.approx(1 / LENGTH)
    for name in (F1, "eraser.auprc", "editing.mrr"):
        column = table.column(name)
        failed, partly = judged(table, [scores["failed"], scores["partly"]], column)
        assert failed.verdict is None, name
        assert partly.verdict.n == N - 12, name
    hard = row_of(table, "failed", kind="hard")  # the first k of the same map: it repeats the row of the scores
    assert hard.numbers[F1].value is None
    assert constant_attribution_lines(list(scores.values()))[0].startswith(
        "failed · ig: 40 constant attributions (all scores equal); partly · ig: 12 constant attributions (all scores equal): "
        "no token ranking, so no order-based plausibility"
    )


def test_a_selection_of_its_own_beside_a_map_of_equal_scores_counts(store, make_project, import_rows) -> None:
    made = project_of(make_project, import_rows)
    take(store, made, (
        output(n, Run("selector", "select"), (0.0,) * LENGTH, hard=[(gold_token(n), gold_token(n) + 1)]) for n in range(N)
    ))  # fmt: skip
    hard = row_of(table_of(store, made), "selector", "select", kind="hard")
    n_first = sum(gold_token(n) == 0 for n in range(N))  # these look like a cut of the map
    assert hard.numbers[F1].value == 1.0
    assert hard.numbers[F1].n == N - n_first


def test_accuracy_is_judged_beside_always_saying_the_commonest_label(store, compared) -> None:
    found = verdicts(table_of(store, compared), ACCURACY)
    assert found["knowing"].null == "always predicting “negative”"  # in 27 of 40
    assert {model: word(one) for model, one in found.items()} == {
        "knowing": "better", "mistaken": "not told", "blind": "not better",
    }  # fmt: skip
    assert found["knowing"].verdict.difference == pytest.approx((36 - 27) / 40)


def test_in_a_group_by_label_where_one_label_is_right_by_construction_accuracy_has_no_baseline(store, compared) -> None:
    found = verdicts(table_of(store, compared, by="label", group="negative"), ACCURACY)
    assert {model: (word(one), one.label) for model, one in found.items()} == dict.fromkeys(found, (None, ""))


def test_faithfulness_is_judged_beside_the_method_random_of_the_same_model_and_says_where_that_is_missing(
    store, compared
) -> None:
    def answers(n: int, alone: float) -> list[Prediction]:
        label, other = ("negative", "positive") if said(n, n < 36).label == "negative" else ("positive", "negative")
        return [Prediction(None, {label: alone, other: 1 - alone}, "rationale")]

    take(store, compared, (output(n, Run("knowing", "ig"), knowing(n), answers(n, 0.7)) for n in range(N)))
    table = table_of(store, compared)
    rows = [row_of(table, "knowing")]
    [unmeasured] = judged(table, rows, table.column(SUF))
    assert (unmeasured.verdict, unmeasured.is_unmeasured) == (None, True)
    runs = [Run("knowing", "random", seed=seed) for seed in range(3)]
    take(
        store, compared, (output(n, run, blind(n), answers(n, 0.2 + 0.1 * run.seed)) for n in range(N) for run in runs)
    )
    table = table_of(store, compared)
    [found] = judged(table, [row_of(table, "knowing")], table.column(SUF))
    # p(full) − p(rationale) is .1 here and .5 on average for random: lower is better, so that the sign is turned
    assert (word(found), found.verdict.difference) == ("better", pytest.approx(0.4))
    [of_gold] = judged(table, [replace(row_of(table, "knowing"), method="gold")], table.column(SUF))
    assert of_gold == Judged()


def test_aopc_is_not_judged_beside_random_at_other_thresholds(store, compared) -> None:
    def answered(n: int, *thresholds: float) -> list[Prediction]:
        label = said(n, n < 36).label
        other = ({"negative", "positive"} - {label}).pop()
        return [Prediction(None, {label: 0.6, other: 0.4}, "rest", t) for t in thresholds]

    take(store, compared, (output(n, Run("knowing", "ig"), None, answered(n, 0.1, 0.5)) for n in range(N)))
    take(store, compared, (output(n, Run("knowing", "random", seed=0), None, answered(n, 0.2)) for n in range(N)))
    table = table_of(store, compared)
    [found] = judged(table, [row_of(table, "knowing")], table.column("eraser.comprehensiveness_aopc"))
    assert (found.verdict, found.is_unmeasured) == (None, True)


# The best ---------------------------------------------------------------------------------------------------------------


def test_the_best_of_all_models_is_marked_where_it_is_better_than_random(store, compared) -> None:
    table = table_of(store, compared)
    assert best(table, F1) == {"knowing"}
    assert best(table, ACCURACY) == {"knowing"}
    others = replace(table, rows=tuple(row for row in table.rows if row.model != "knowing"))
    assert best(others, F1) == set()  # neither is better than random
    assert best(others, ACCURACY) == set()


def row(model: str, method: str, name: str, value: float | None, n: int | None = 30, **more: object) -> MetricRow:
    return MetricRow(model, method, "attribution", numbers={name: Number(value, n)}, **more)  # type: ignore[arg-type]


def column(name: str, group: str) -> Column:
    return Column(name, group, definition_in_table(name))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("method.sufficiency", "faithfulness"),
        ("method.comprehensiveness", "faithfulness"),
        ("eraser.comprehensiveness_aopc", "faithfulness"),
        ("eraser.sufficiency_aopc", "faithfulness"),
        ("benchmark.new_p", "faithfulness"),
    ],
)
def test_what_is_on_a_models_own_scale_has_a_best_of_each_model(name: str, group: str) -> None:
    of = column(name, group)
    rows = [row("a", "ig", name, 0.9), row("a", "lime", name, 0.1), row("b", "ig", name, 0.2), row("b", "lime", name, 0.3),
            row("alone", "ig", name, 0.99)]  # fmt: skip
    assert scope_of(of) == "model"
    is_higher = of.definition.direction == "higher is better"
    assert best_rows(rows, of) == ({0, 3} if is_higher else {1, 2})


@pytest.mark.parametrize(("name", "best"), [("naopc.comprehensiveness", {4}), ("naopc.sufficiency", {1})])
def test_only_normalised_faithfulness_has_one_best_of_all_models(name: str, best: set[int]) -> None:
    of = column(name, "faithfulness")
    rows = [row("a", "ig", name, 0.9), row("a", "lime", name, 0.1), row("b", "ig", name, 0.2), row("b", "lime", name, 0.3),
            row("alone", "ig", name, 0.99)]  # fmt: skip
    assert scope_of(of) == "models"
    assert best_rows(rows, of) == best


def test_rows_that_are_not_ranked_against_each_other_are_sorted_apart() -> None:
    name = "method.comprehensiveness"
    rows = [
        row("a", "ig", name, 0.1),
        row("b", "ig", name, 0.8),
        row("a", "lime", name, 0.2),
        row("b", "lime", name, 0.9),
    ]
    of_each = sorted_rows(rows, column(name, "faithfulness"))
    assert [(r.model, r.method) for r in of_each] == [("a", "lime"), ("a", "ig"), ("b", "lime"), ("b", "ig")]
    normalised = [row(r.model, r.method, "naopc.comprehensiveness", r.numbers[name].value) for r in rows]
    of_all = sorted_rows(normalised, column("naopc.comprehensiveness", "faithfulness"))
    assert [r.model for r in of_all] == ["b", "b", "a", "a"]


def test_losses_have_a_best_of_each_method_and_confidence_none(store) -> None:
    rows = [
        row("a", "ig", "er_test.order", 0.2),
        row("b", "ig", "er_test.order", 0.1),
        row("b", "lime", "er_test.order", 0.01),
    ]
    assert best_rows(rows, column("er_test.order", "plausibility")) == {1}
    sure = [row("a", "ig", "confidence.ratio", 1.2), row("a", "lime", "confidence.ratio", 1.1)]
    assert best_rows(sure, column("confidence.ratio", "confidence")) == set()


def test_equal_rows_share_the_mark_and_all_equal_ones_have_none() -> None:
    of = column(F1, "plausibility")
    rows = [row("a", "ig", F1, 0.5), row("b", "ig", F1, 0.5), row("c", "ig", F1, 0.4)]
    assert best_rows(rows, of) == {0, 1}
    assert best_rows(rows[:2], of) == set()
    assert best_rows([row("a", "ig", F1, None), row("b", "ig", F1, 0.5)], of) == set()


def test_answers_of_a_model_to_what_it_learned_from_are_not_marked() -> None:
    of = column(ACCURACY, "quality")
    seen = {"is_known": True, "split": None, "left_out": 0, "changed_left_out": 0, "seen": 30}
    not_seen = seen | {"seen": 0, "left_out": 30, "split": "train"}
    rows = [row("seen", "", ACCURACY, 0.9, training=seen), row("unknown", "", ACCURACY, 0.8, training={"is_known": False}),
            row("held", "", ACCURACY, 0.7, training=not_seen), row("elsewhere", "", ACCURACY, 0.6)]  # fmt: skip
    assert best_rows(rows, of) == {2}


def test_rows_that_lack_instances_do_not_compete() -> None:
    rows = [row("a", "ig", F1, 0.5), row("b", "ig", F1, 0.4), row("c", "ig", F1, 0.3)]
    assert best_rows(rows, column(F1, "plausibility"), lacking=[True, False, False]) == {1}


def test_the_built_in_model_of_words_that_it_never_saw_has_maps_without_an_order_and_no_verdict(
    store, compared
) -> None:
    """Each word stands in one text alone: of the others it knows none, and all of their scores are 0."""
    attribute(store, LOCAL_OPERATOR, compared, "built-in", "linear", AttributingOptions())
    table = table_of(store, compared)
    built_in = row_of(table, "built-in", "linear")
    assert built_in.counts["instances_with_all_scores_equal"] == built_in.counts["instances"] == N
    [found] = judged(table, [built_in], table.column(MRR))
    assert (found.verdict, built_in.numbers[MRR].value) == (None, None)


# What the command line says of a method's own numbers: never a bare number where the page has words.


PAGE = REPOSITORY / "annotator" / "web" / "panel" / "saliency" / "map_numbers.js"


@pytest.mark.parametrize(
    ("share", "end"),
    [
        (0.83, "Above 5 %, take more steps (--steps) or another baseline (--baseline)."),
        (0.05, "Up to 5 % is close enough."),
    ],
)
def test_how_far_an_integral_is_off_is_told_with_a_verdict(share: float, end: str) -> None:
    told = fact_summary("convergence_share", share)
    assert told.startswith(f"convergence_share: {100 * share:.1f} % (mean over what was computed now): how far")
    assert told.endswith(end)


def test_a_fact_of_one_layer_of_several_is_told_as_the_fact_is_with_the_layers_number() -> None:
    told = fact_summary("convergence_share of layer 0", 0.265)
    assert told.startswith("convergence_share of layer 0: 26.5 % (mean over what was computed now): how far")
    assert told.endswith("or another baseline (--baseline).")


def test_every_fact_that_the_page_explains_is_explained_on_the_command_line() -> None:
    named = set(re.findall(r'"(\w+)" in facts', PAGE.read_text(encoding="utf-8")))
    assert named >= {"r2", "convergence_share", "special_share", "unseen_tokens"}
    for name in named:
        assert "): " in fact_summary(name, 0.5), name
