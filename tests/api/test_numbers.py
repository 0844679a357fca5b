"""The numbers of a project as DataFrames: metrics, single instances, comparison, agreement, functional tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

import annotator
from annotator.api import Database, Project
from annotator.domain.models import Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import InvalidValue, NotFound
from annotator.store import Store
from annotator.usecases.inspect.text_lists import save_instance
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.suites.construction import find_ready, guessed_labels, make_ready_suite
from tests.usecases.transfer.comparing import N, gold_token, key_of, knowing, mistaken, output, project_of, said, take

F1 = "sets.best_f1"


@pytest.fixture
def db(
    store: Store, database: Path, make_project: Callable[..., object], import_rows: Callable[..., object]
) -> Iterator[Database]:
    made = project_of(make_project, import_rows)
    for model, scores, n_right in (("knowing", knowing, N), ("mistaken", mistaken, 10)):
        for seed in (1, 2):
            take(store, made, (output(k, Run(model, "ig", seed=seed), scores(k)) for k in range(N)))
        take(store, made, (output(k, Run(model), answers=[said(k, k < n_right)]) for k in range(N)))
    with annotator.open(database) as opened:
        yield opened


@pytest.fixture
def opened(db: Database) -> Project:
    return db.project("Project")


def test_metrics_are_a_row_a_number_with_verdict_and_random(opened: Project) -> None:
    table = opened.metrics()
    of_f1 = table[table["metric"] == F1].set_index("model")
    assert of_f1["value"]["knowing"] == 1.0
    assert (of_f1["n"]["knowing"], of_f1["n_seeds"]["knowing"]) == (N, 2)
    assert of_f1["seeds"]["knowing"] == [1, 2]
    assert of_f1["verdict"][["knowing", "mistaken"]].tolist() == ["better", "not better"]
    assert 0 < of_f1["value"]["random"] < 1
    assert not table.duplicated(["model", "method", "kind", "layer", "metric"]).any()
    accuracy = table[table["metric"] == "eraser.accuracy"].set_index("model")
    assert accuracy["value"].to_dict() == {"knowing": 1.0, "mistaken": 0.25}
    assert accuracy["method"].tolist() == ["", ""]


def test_metrics_are_columns_when_one_asks_for_the_wide_form(opened: Project) -> None:
    table = opened.metrics(metrics=[F1, "eraser.accuracy"], wide=True)
    assert list(table.columns)[-2:] == [F1, "eraser.accuracy"]
    assert table[["model", "method", "eraser.accuracy"]].values.tolist()[:2] == [
        ["knowing", "ig", 1.0],
        ["mistaken", "ig", 0.25],
    ]
    assert pd.isna(table["eraser.accuracy"].iloc[-1])  # random answers nothing


def test_a_table_of_metrics_cites_the_release_of_its_gold(opened: Project, store: Store) -> None:
    assert opened.metrics().attrs["gold_release"] == ""
    release = freeze_gold(store, LOCAL_OPERATOR, opened.rules, "camera ready", licence="CC0")
    assert opened.metrics().attrs["gold_release"] == release.words
    assert opened.metrics(wide=True).attrs["gold_release"] == release.words


def test_intervals_are_there_when_one_asks_for_them(opened: Project) -> None:
    assert opened.metrics(metrics=F1)["low"].isna().all()
    row = opened.metrics("mistaken", metrics="eraser.accuracy", intervals=True).iloc[0]
    assert row["low"] < row["value"] < row["high"]


def test_metrics_of_groups_have_a_column_that_names_the_group(opened: Project) -> None:
    table = opened.metrics(by="label", metrics="eraser.accuracy")
    assert table.columns[0] == "of_group"
    assert set(table["of_group"]) == set(opened.rules.labels)
    for group, rows in table.groupby("of_group"):
        alone = opened.metrics(by="label", group=group, metrics="eraser.accuracy")
        pd.testing.assert_frame_equal(rows.reset_index(drop=True), alone)
        of_group = opened.gold().query("label == @group")
        assert set(rows["n"]) == {len(of_group)}
    wide = opened.metrics(by="label", metrics=[F1, "eraser.accuracy"], wide=True)
    assert list(wide.columns)[:2] == ["of_group", "model"]
    values = wide[wide["model"] == "mistaken"].set_index("of_group")["eraser.accuracy"]
    alike = table[table["model"] == "mistaken"].set_index("of_group")["value"]
    assert values.to_dict() == alike.to_dict()
    assert "of_group" not in opened.metrics(metrics=F1)


def test_evaluate_gives_the_object_of_each_group_as_the_command_prints_it(opened: Project) -> None:
    grouped = opened.evaluate("mistaken", by="label")
    assert (grouped["group_by"], set(grouped["groups"])) == ("label", set(opened.rules.labels))
    assert opened.evaluate("mistaken", by="label", group="positive") == grouped["groups"]["positive"]
    assert grouped["groups"]["positive"]["gold"]["instances"] < opened.evaluate("mistaken")["gold"]["instances"]


def test_evaluate_has_its_intervals_at_the_top_as_the_command_prints_them(opened: Project) -> None:
    plain, asked = opened.evaluate(), opened.evaluate(n_resamples=50)
    interval = asked.pop("intervals")["models[0].methods[0].plausibility.sets.best_f1"]
    assert plain == asked
    assert interval == {"low": 1.0, "high": 1.0, "level": 0.95, "n_resamples": 50, "seed": 0}
    assert (plain["ferret_k"], opened.evaluate(ferret_k=1)["ferret_k"]) == (5, 1)


def test_soft_and_personal_gold_are_asked_for_by_a_policy_and_refused_beside_groups(opened: Project) -> None:
    soft = opened.metrics(gold_policy="soft")
    assert "soft.token_f1" in set(soft["metric"])
    assert "sets.best_f1" not in set(soft["metric"])
    assert "soft.token_f1" in set(opened.instance_metrics(gold_policy="soft").columns)
    with pytest.raises(NotFound, match="No gold instance has annotator 'zoe'"):
        opened.evaluate(gold_policy="annotator:zoe")
    with pytest.raises(InvalidValue, match="One person's gold can't be grouped"):
        opened.metrics(gold_policy="annotator:zoe", by="label")
    with pytest.raises(InvalidValue, match="One person's gold can't be grouped"):
        opened.evaluate(gold_policy="annotator:zoe", criterion="spelling")
    with pytest.raises(InvalidValue, match="Unknown gold policy 'soft'"):
        opened.compare("m", "n", gold_policy="soft")


def test_groups_that_are_not_there_are_refused_with_those_that_are(opened: Project) -> None:
    for measure in (opened.metrics, opened.evaluate):
        with pytest.raises(InvalidValue, match="'by' must be one of label, split, kind, annotator; it is 'age'"):
            measure(by="age")
        with pytest.raises(NotFound, match=r"'group' must be one of '.*' \(by label\); it is 'neutral'"):
            measure(by="label", group="neutral")
        with pytest.raises(InvalidValue, match="'group' is 'positive', but nothing says by what: name that in 'by'"):
            measure(group="positive")
    with pytest.raises(InvalidValue, match="Choose 'criterion' or 'by'"):
        opened.evaluate(by="label", criterion="spelling")
    with pytest.raises(NotFound, match="There is no metric 'nothing'"):
        opened.metrics(by="label", metrics="nothing")


def test_metrics_and_single_instances_are_the_same_numbers(opened: Project) -> None:
    single = opened.instance_metrics()
    assert len(single) == 2 * 2 * N  # two models, two seeds
    assert single["seed"].drop_duplicates().tolist() == [1, 2]
    means = single.groupby("model")[[F1, "eraser.accuracy"]].mean()
    whole = opened.metrics(metrics=[F1, "eraser.accuracy"], wide=True).set_index("model")
    for name in (F1, "eraser.accuracy"):
        assert means[name].to_dict() == pytest.approx(whole[name][["knowing", "mistaken"]].to_dict())
    first = single.iloc[0]
    assert (first["key"], first["gold"], first["predicted"], first["p"]) == ("t00", "negative", "negative", 0.8)


def test_selected_tokens_that_repeat_the_scores_have_no_row_of_their_own(opened: Project, store: Store) -> None:
    """Runs with faithfulness store their top k as selected tokens."""
    for model, selected in (("same", gold_token), ("another", lambda n: (gold_token(n) + 1) % 8)):
        spans = [[(selected(k), selected(k) + 1)] for k in range(N)]
        take(store, opened.rules, (output(k, Run(model, "ig"), knowing(k), hard=spans[k]) for k in range(N)))
    assert len(opened.instance_metrics("same", metrics=F1)) == N
    another = opened.instance_metrics("another", metrics=F1)
    assert another["kind"].value_counts().to_dict() == {"attribution": N, "hard": N}
    assert opened.metrics("same", "ig", metrics=F1)["kind"].tolist() == ["attribution", ""]


def test_single_instances_have_a_row_a_number_in_the_long_form(opened: Project) -> None:
    table = opened.instance_metrics("knowing", metrics=F1, wide=False)
    assert set(table["metric"]) == {F1}
    assert table["value"].tolist() == [1.0] * (2 * N)


def test_a_model_that_only_answers_has_rows_of_its_own(opened: Project) -> None:
    opened.add_predictions([{"key": key_of(n), "label": "negative"} for n in range(3)], model="plain")
    table = opened.instance_metrics("plain")
    assert (len(table), set(table["kind"]), set(table["method"])) == (3, {"answers"}, {""})


def test_what_is_not_there_is_refused_in_a_sentence(
    opened: Project, db: Database, make_project: Callable[..., object]
) -> None:
    with pytest.raises(NotFound, match="Did you mean sets.best_f1"):
        opened.metrics(metrics="best_f1")
    with pytest.raises(NotFound, match="has the number 'benchmark.map'"):
        opened.instance_metrics(metrics=["benchmark.map"])
    with pytest.raises(NotFound, match=r"Project 'Project' has no model 'huge' \(only knowing, mistaken\)\."):
        opened.metrics("huge")
    with pytest.raises(InvalidValue, match=r"Unknown gold policy 'best'\. Available:"):
        opened.metrics(gold_policy="best")
    make_project(name="Empty")
    with pytest.raises(NotFound, match="No instance of 'Empty' that was asked for has gold"):
        db.project("Empty").metrics()
    assert db.project("Empty").instance_metrics().empty


def test_two_models_are_compared_as_the_command_does(opened: Project) -> None:
    comparison = opened.compare("mistaken", "knowing")
    assert comparison["parts"]["all"]["n_won"] == (30,)
    assert set(comparison) == {
        "runs", "n_learned", "n_unanswered", "parts", "confidence", "labels", "gains", "won_lost_of_learned",
    }  # fmt: skip
    with pytest.raises(NotFound, match="No predictions by 'huge' in '"):
        opened.compare("huge", "knowing")


def test_rows_are_compared_with_one_of_them_as_the_command_does(opened: Project) -> None:
    table = opened.differences("mistaken", metrics=[F1, "eraser.accuracy"]).set_index("metric")
    assert table["model"].tolist() == ["knowing", "knowing"]
    assert table["against"].tolist() == ["mistaken · ig", "mistaken · ig"]
    assert table["difference"].to_dict() == {F1: 1.0, "eraser.accuracy": 0.75}
    assert table["n_comparisons"].tolist() == [2, 2]
    assert table["p_corrected"].tolist() == pytest.approx((2 * table["p"]).tolist())
    assert table["verdict"].tolist() == ["better", "better"]


def test_rows_are_compared_within_each_group_too(opened: Project) -> None:
    table = opened.differences("mistaken", metrics=[F1, "eraser.accuracy"], by="label")
    assert table.columns[0] == "of_group"
    assert set(table["of_group"]) == set(opened.rules.labels)
    for name, lines in table.groupby("of_group"):
        alone = opened.differences("mistaken", metrics=[F1, "eraser.accuracy"], by="label", group=str(name))
        pd.testing.assert_frame_equal(alone, lines.reset_index(drop=True))
        assert set(lines["n_comparisons"]) == {2}
    assert table[table["metric"] == F1]["n"].sum() == N
    with pytest.raises(NotFound, match="nobody"):
        opened.differences("nobody", by="label")


def test_any_two_rows_may_be_compared_also_of_one_seed_and_with_random(opened: Project) -> None:
    table = opened.differences("random", "knowing/seed 2", metrics=F1)
    assert table[["model", "method", "seeds", "n", "n_comparisons"]].values.tolist() == [["knowing", "ig", [2], N, 1]]
    assert table["value_of_reference"][0] == pytest.approx(1 - table["difference"][0])


def test_what_is_not_compared_is_there_with_its_reason(opened: Project) -> None:
    table = opened.differences("mistaken", metrics=["eraser.macro_f1", F1]).set_index("metric")
    assert table["reason"]["eraser.macro_f1"] == "no mean"
    assert pd.isna(table["difference"]["eraser.macro_f1"])
    assert pd.isna(table["reason"][F1])


def test_differences_of_single_instances_average_to_those_of_rows(opened: Project) -> None:
    of_instances = opened.instance_differences("mistaken", metrics="editing.mrr")
    [whole] = opened.differences("mistaken", metrics="editing.mrr")["difference"]
    assert len(of_instances) == N
    assert of_instances["difference"].mean() == pytest.approx(whole)
    assert (of_instances["value"] - of_instances["value_of_reference"]).tolist() == of_instances["difference"].tolist()
    assert of_instances["key"].tolist() == [key_of(k) for k in range(N)]


def test_agreement_is_a_row_a_coefficient_or_a_pair(
    db: Database, make_project: Callable[..., object], import_rows: Callable[..., object]
) -> None:
    made = make_project(name="Two")
    text = {"id": "a", "text": "Good food here .", "label": "positive"}
    import_rows(made, [
        {**text, "annotator": "ada", "rationales": [[[0, 2]]]}, {**text, "annotator": "ben", "rationales": [[[0, 1]]]},
    ])  # fmt: skip
    table = db.project("Two").agreement().set_index(["about", "name"])["value"]
    assert table["sets", "best_match_iou"] == 0.5
    assert table["tokens", "majority.recall"] == 1.0
    assert table["tokens", "cohen_kappa_pooled"] == pytest.approx(0.5)
    [row] = db.project("Two").agreement(pairs=True).query("about == 'tokens'").to_dict("records")
    assert (row["first"], row["second"], row["n_instances"]) == ("ada", "ben", 1)


def test_lists_and_functional_tests_are_tables(opened: Project, store: Store) -> None:
    rules = opened.rules
    number = next(opened.iterate_instances()).id
    save_instance(store, LOCAL_OPERATOR, rules.id, number, "hard ones", "gave up the text to see others' marks")
    [saved] = opened.lists().to_dict("records")
    assert (saved["name"], saved["note"], saved["n"]) == ("hard ones", "gave up the text to see others' marks", 1)
    assert str(opened.lists()["created_at"].dt.tz) == "UTC"
    assert opened.listed("hard ones").values.tolist() == [["t00", ""]]
    with pytest.raises(NotFound, match="Unknown saved list 'easy ones'\\. Available: "):
        opened.listed("easy ones")
    ready = find_ready(rules, "sentiment")
    make_ready_suite(store, LOCAL_OPERATOR, rules, ready, "Ready", guessed_labels(ready, rules), n=4)
    tests = opened.suites()
    assert set(tests["suite"]) == {"Ready"}
    assert opened.failure_rates("Ready").empty
    with pytest.raises(NotFound, match=r"Unknown suite 'Own'\. Available:"):
        opened.failure_rates("Own")
