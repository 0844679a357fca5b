"""`annotator evaluate tests`: failure rates, contrast sets, fairness and a second model, from files alone."""

import json
import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.evaluation.er_test.scores import ScoredFiles, evaluate_tests
from annotator.metrics.registry import definition_of
from tests.cli.conftest import Answer, Command, heavy_parts
from tests.conftest import SAMPLES, SHARED_DATA, needs_data
from tests.metrics.test_er_test_functional import expect_inv, expect_monotonic, verdict

Row = dict[str, object]


@pytest.fixture
def evaluate(annotator: Command, database: Path, tmp_path: Path) -> Command:
    """Run the command; a list of rows as an option's value becomes a file."""

    def command(*words: object) -> Answer:
        said = []
        for number, word in enumerate(words):
            if isinstance(word, list):
                path = tmp_path / f"file{number}.jsonl"
                path.write_text(
                    "".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in word), encoding="utf-8"
                )
                said.append(str(path))
            else:
                said.append(str(word))
        answer = annotator("evaluate", "tests", *said)
        assert not database.exists()
        return answer

    return command


def scored(evaluate: Command, *words: object) -> dict:
    answer = evaluate(*words, "--json")
    assert (answer.code, answer.err) == (0, "")
    return answer.json


def case(test: str, kind: str, number: int = 0, *, n_texts: int = 1, **more: object) -> Row:
    texts = [f"text {number}.{position}" for position in range(n_texts)]
    return {"test": test, "type": kind, "category": "Logic", "case": number, "texts": texts, **more}


def said(test: str, number: int, position: int, label: str, p: float | None = None, **more: object) -> Row:
    """A prediction; p: the probability of A, the rest is B's."""
    row = {"test": test, "case": number, "position": position, "label": label, **more}
    return row if p is None else {**row, "probabilities": {"A": p, "B": 1 - p}}


SAMPLE = [
    "--suite", SAMPLES / "predictions" / "suite.jsonl", "--contrast", SAMPLES / "contrast.jsonl",
    "--predictions", SAMPLES / "predictions" / "suite-predictions.jsonl",
    "--predictions", SAMPLES / "predictions" / "contrast-predictions.jsonl",
    "--groups", SAMPLES / "predictions" / "word-groups.json", "--positive", "positive",
]  # fmt: skip


def one(value: float | None) -> dict[str, object]:
    """A number of a single run."""
    wanted = None if value is None else pytest.approx(value, abs=1e-12)
    return {"value": wanted, "deviation": None, "runs": [wanted]}


def baselines_of(functional: dict) -> tuple[dict, dict]:
    """By test and category what models that read nothing get, and what the model is beside them; taken out."""
    parts = {**functional["tests"], **functional["categories"], "all": functional["all"]}
    return (
        {name: part.pop("baselines") for name, part in parts.items()},
        {name: part.pop("against_baselines") for name, part in parts.items()},
    )


def test_the_samples_get_the_numbers_that_one_counts_by_hand(evaluate: Command) -> None:
    found = scored(evaluate, *SAMPLE)
    assert list(found) == ["functional", "contrast", "fairness", "counts", "signature"]
    baselines, against = baselines_of(found["functional"])
    # a text that must be negative, and two of which neither may be: random fails with 2/3, and with 1 − (2/3)²
    assert baselines["simple negation"] == {
        "always": dict.fromkeys(["negative", "neutral", "positive"], 0.5), "random": pytest.approx((2 / 3 + 5 / 9) / 2),
    }  # fmt: skip
    assert baselines["typos"] == {
        "always": dict.fromkeys(["negative", "neutral", "positive"], 0.0),
        "random": pytest.approx(2 / 3),
    }
    assert set(against.values()) == {"too few to tell"}
    assert found["functional"] == {
        "tests": {
            "simple negation": {"category": "Logic", "type": "MFT", "n_cases": 2, "n_failed": [1], "n_not_applicable": [0], "rate": one(0.5)},
            "typos": {"category": "Robustness", "type": "INV", "n_cases": 2, "n_failed": [0], "n_not_applicable": [0], "rate": one(0.0)},
            "intensifiers": {"category": "Vocabulary", "type": "DIR", "n_cases": 2, "n_failed": [1], "n_not_applicable": [1], "rate": one(1.0)},
        },
        "categories": {
            "Logic": {"n_cases": 2, "n_failed": [1], "n_not_applicable": [0], "rate": one(0.5)},
            "Robustness": {"n_cases": 2, "n_failed": [0], "n_not_applicable": [0], "rate": one(0.0)},
            "Vocabulary": {"n_cases": 2, "n_failed": [1], "n_not_applicable": [1], "rate": one(1.0)},
        },
        "all": {"n_cases": 6, "n_failed": [2], "n_not_applicable": [1], "rate": one(0.4)},
    }  # fmt: skip
    assert found["contrast"] == {
        "original": one(2 / 3), "contrast": one(2 / 3), "delta": one(0), "consistency": one(1 / 3),
        "consistency_of_sets": one(1 / 2), "n_originals": 3, "n_contrasts": 3, "n_without_contrast": 1,
    }  # fmt: skip
    of_contrast = found["fairness"]["contrast"]  # of three negatives one is wrong; of two that mention staff, one
    assert (of_contrast["difference"], of_contrast["overall"]) == (one(1 / 6), one(1 / 3))
    assert of_contrast["groups"]["staff"] == {"rate": one(1 / 2), "n_texts": 3, "n_negatives": 2}
    assert of_contrast["groups"]["rooms"] == {"rate": one(None), "n_texts": 1, "n_negatives": 0}
    assert (of_contrast["n_texts"], of_contrast["n_negatives"], of_contrast["n_groups_left_out"]) == (6, 3, 1)
    assert found["counts"] == {
        "suite": {"tests": 3, "cases": 6, "texts": 11, "cases_taken_out_by_the_suite": 0, "changed_texts_equal_to_the_original": 0},
        "predictions": {
            "runs_for_suite": ["suite-predictions.jsonl"],
            "runs_for_contrast": ["contrast-predictions.jsonl"],
            "rows": 17,
            "rows_of_unknown_cases": 0,
            "rows_of_unknown_instances": 0,
            "labels_not_of_the_highest_probability": 0,
            "probabilities_not_summing_to_one": 0,
            "expected_labels_that_no_prediction_knows": [],
            "cases_that_expect_only_such_labels": 0,
            "labels_that_the_suite_does_not_expect": ["neutral", "positive"],
            "inv_cases_judged_without_probabilities": 0,
        },
    }  # fmt: skip


def test_the_table_tells_direction_and_definition_beside_each_number(evaluate: Command) -> None:
    lines = {line[:58].rstrip(): line[58:].split(None, 1) for line in evaluate(*SAMPLE).out.splitlines()}
    for place, metric in (
        ("functional.tests.simple negation.rate.value", "functional.mft"),
        ("functional.tests.typos.rate.value", "functional.inv"),
        ("functional.tests.intensifiers.rate.value", "functional.dir"),
        ("contrast.delta.value", "contrast.delta"),
        ("fairness.contrast.difference.value", "fairness.fprd"),
    ):
        definition = definition_of(metric)
        assert lines[place][1].strip() == f"{definition.direction}: {definition.definition}"
    assert lines["functional.all.rate.value"] == ["0.4"]
    assert lines["fairness.contrast.groups.rooms.rate.value"] == ["–"]


# Verdicts, against CheckList's rules as plain functions of one case

P = st.sampled_from([0.0, 0.05, 0.1, 0.15, 0.4, 0.5, 0.55, 0.9, 1.0])
PREDICTED = st.tuples(st.sampled_from(["A", "B"]), P)
TOLERANCES = st.sampled_from([0.0, 0.1, 0.3])
MFT_LABELS = st.sampled_from(["A", "not:A", ["A", "B"], ["B"]])
MFT = st.tuples(st.just("MFT"), MFT_LABELS, st.lists(PREDICTED, min_size=1, max_size=3), TOLERANCES)
INV = st.tuples(st.just("INV"), st.none(), st.lists(PREDICTED, min_size=2, max_size=4), TOLERANCES)
DIR = st.tuples(
    st.sampled_from(["not_up", "not_down"]),
    st.sampled_from(["A", None]),
    st.lists(PREDICTED, min_size=2, max_size=4),
    TOLERANCES,
)


def checklists_verdict(kind: str, label: object, predicted: list[tuple[str, float]], tolerance: float) -> float:
    """The verdict on one case; p is A's probability."""

    def p_of(name: str, p: float) -> float:
        return p if name == "A" else 1 - p

    first = predicted[0]
    if kind == "MFT":
        wanted = {"A", "B"} - {"A"} if label == "not:A" else set(label)
        return verdict([name in wanted for name, _ in predicted])
    if kind == "INV":
        texts = [(name, p_of(first[0], p)) for name, p in predicted]
        return verdict([expect_inv(texts[0], text, tolerance) for text in texts[1:]])
    watched = label or first[0]
    p_watched = [p_of(watched, p) for _, p in predicted]
    towards = "up" if kind == "not_down" else "down"
    return verdict([expect_monotonic(p_watched[0], p, towards, tolerance) for p in p_watched[1:]])


@given(st.lists(MFT | INV | DIR, min_size=1, max_size=6), st.randoms())
def test_rates_are_those_of_checklists_verdicts(cases: list, random) -> None:
    suite, predictions, wanted = [], [], []
    for number, (kind, label, predicted, tolerance) in enumerate(cases):
        is_dir = kind.startswith("not_")
        more = {"label": label, "tolerance": tolerance, **({"expectation": kind} if is_dir else {})}
        suite.append(case(f"t{number}", "DIR" if is_dir else kind, n_texts=len(predicted), **more))
        predictions += [said(f"t{number}", 0, place, name, p) for place, (name, p) in enumerate(predicted)]
        wanted.append(checklists_verdict(kind, label, predicted, tolerance))
    random.shuffle(predictions)  # nothing hangs on the order of lines
    predictions.append(said("not in the suite", 0, 0, "A", 1.0))  # so that every label is known
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "suite.jsonl", Path(folder) / "predictions.jsonl"]
        for path, rows in zip(paths, (suite, predictions), strict=True):
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        found = evaluate_tests(ScoredFiles((paths[1],), suite=paths[0]))["functional"]
    rates = [found["tests"][f"t{number}"]["rate"]["value"] for number in range(len(cases))]
    assert rates == [None if math.isnan(value) else value for value in wanted]
    judged = [value for value in wanted if not math.isnan(value)]
    assert found["all"]["n_failed"] == [sum(judged)]
    assert found["all"]["n_not_applicable"] == [len(wanted) - len(judged)]
    assert found["all"]["rate"]["value"] == (pytest.approx(sum(judged) / len(judged)) if judged else None)


def test_a_case_is_judged_only_where_it_applies(evaluate: Command) -> None:
    suite = [
        case("t", "MFT", 0, label="A"),
        case("t", "MFT", 1, label="A", applies=False),
        case("t", "MFT", 2, label="A", applies={"original_is": ["A"]}),
        case("t", "MFT", 3, label="A", applies={"original_is_not": ["A"]}),
    ]
    found = scored(
        evaluate, "--suite", suite, "--predictions", [said("t", n, 0, "B") for n in range(4)] + [said("x", 0, 0, "A")]
    )
    test = found["functional"]["tests"]["t"]
    assert (test["n_failed"], test["n_not_applicable"], test["rate"]) == ([2], [2], one(1.0))  # cases 0 and 3
    assert found["counts"]["suite"]["cases_taken_out_by_the_suite"] == 1
    assert found["counts"]["predictions"]["rows_of_unknown_cases"] == 1


def test_inv_without_probabilities_fails_for_every_other_label_and_says_so(evaluate: Command) -> None:
    suite = [case("t", "INV", n, n_texts=2) for n in range(2)]
    rows = [said("t", 0, 0, "A", 0.5), said("t", 0, 1, "B", 0.45), said("t", 1, 0, "A"), said("t", 1, 1, "B", 0.45)]
    found = scored(evaluate, "--suite", suite, "--predictions", rows)
    assert found["functional"]["tests"]["t"]["n_failed"] == [1]  # case 0 moved by 0.05 alone
    assert found["counts"]["predictions"]["inv_cases_judged_without_probabilities"] == 1


def test_a_rate_has_a_mean_and_a_deviation_over_seeds(evaluate: Command) -> None:
    suite = [case("t", "MFT", n, label="A") for n in range(4)]
    rows = [
        said("t", n, 0, "A" if n >= wrong else "B", seed=seed)
        for seed, wrong in ((1, 1), (2, 2), (3, 3))
        for n in range(4)
    ]
    test = scored(evaluate, "--suite", suite, "--predictions", rows)["functional"]["tests"]["t"]
    assert test["n_failed"] == [1, 2, 3]
    assert test["rate"] == {"value": 0.5, "deviation": 0.25, "runs": [0.25, 0.5, 0.75]}  # of 0.25, 0.5, 0.75 with n − 1


def test_files_without_seeds_are_runs_of_their_own(evaluate: Command) -> None:
    suite = [case("t", "MFT", label="A")]
    found = scored(
        evaluate, "--suite", suite, "--predictions", [said("t", 0, 0, "A")], "--predictions", [said("t", 0, 0, "B"), said("u", 0, 0, "A")]
    )  # fmt: skip
    assert found["functional"]["tests"]["t"]["rate"]["runs"] == [0.0, 1.0]


# A second model

SETS = [
    {"id": 1, "text": "a", "label": "A", "contrasts": [{"text": "b", "label": "B"}, {"text": "c", "label": "B"}]},
    {"id": 2, "text": "d", "label": "B", "contrasts": [{"text": "e", "label": "A"}]},
    {"id": 3, "text": "f", "label": "B", "contrasts": []},
]
KEYS = ("1", "1#1", "1#2", "2", "2#1", "3")


def answers(labels: str, **more: object) -> list[Row]:
    return [{"id": key, "label": label, **more} for key, label in zip(KEYS, labels, strict=True)]


def test_contrast_sets_of_two_seeds(evaluate: Command) -> None:
    rows = answers("ABBBAB", seed=1) + answers("ABABBB", seed=2)  # all right; then one contrast of each set wrong
    found = scored(evaluate, "--contrast", SETS, "--predictions", rows)["contrast"]
    assert found["original"] == {"value": 1.0, "deviation": 0.0, "runs": [1.0, 1.0]}
    assert found["contrast"]["runs"] == [1.0, pytest.approx(1 / 3)]
    assert found["delta"]["value"] == pytest.approx(-1 / 3)
    assert found["consistency"]["runs"] == [1.0, pytest.approx(1 / 3)]  # the third has no contrast to fail
    assert found["consistency_of_sets"]["runs"] == [1.0, 0.0]


def test_a_second_model_is_compared_case_by_case(evaluate: Command) -> None:
    suite = [case("t", "MFT", n, label="A") for n in range(3)] + [
        case("d", "DIR", n_texts=2, expectation="not_down", label="A")
    ]
    down = [said("d", 0, 0, "A", 0.9), said("d", 0, 1, "A", 0.5)]
    low = [said("d", 0, 0, "B", 0.05), said("d", 0, 1, "B", 0.0)]
    new = [said("t", n, 0, label) for n, label in enumerate("AAB")] + down
    old = [said("t", n, 0, label) for n, label in enumerate("ABB")] + low
    found = scored(evaluate, "--suite", suite, "--predictions", new, "--base-predictions", old, "--intervals")
    test = found["functional"]["tests"]["t"]
    assert test["rate"]["value"] == pytest.approx(1 / 3)
    assert test["base"] == {
        "n_failed": [2], "n_not_applicable": [0], "rate": one(2 / 3), "against_baselines": "too few to tell",
    }  # fmt: skip
    assert test["difference"] == {"value": pytest.approx(-1 / 3), "n": 3, "n_left_out": 0}
    # "d" applies to the first model alone, so there is nothing to compare
    assert found["functional"]["tests"]["d"]["difference"] == {"value": None, "n": 0, "n_left_out": 1}
    interval = found["intervals"]["functional.tests.t.difference"]
    assert -1 <= interval["low"] <= -1 / 3 <= interval["high"] <= 0
    assert (interval["level"], interval["n_resamples"], interval["seed"]) == (0.95, 1000, 0)
    assert found["intervals"]["functional.tests.d.difference"] is None
    assert set(found["counts"]) == {"suite", "predictions", "base_predictions"}


def test_what_a_second_model_wins_and_loses(evaluate: Command) -> None:
    new, old = answers("BBBBBB"), answers("AABABA")
    words = ["--contrast", SETS, "--predictions", new, "--base-predictions", old]
    found = scored(evaluate, *words)["contrast"]
    # gold ABBBAB. Originals A B B: new BBB has two right, old AAA one; contrasts B B A: new BBB two, old ABB one
    assert found["opportunity_cost"] == {
        "originals": {"cost": one(-1 / 3), "n_won": [2], "n_lost": [1], "n_both_right": [0], "n_both_wrong": [0]},
        "contrasts": {"cost": one(-1 / 3), "n_won": [1], "n_lost": [0], "n_both_right": [1], "n_both_wrong": [1]},
    }
    assert found["base"]["original"] == one(1 / 3)
    assert found["difference"]["original"] == pytest.approx(1 / 3)
    assert found["difference"]["delta"] == pytest.approx(0)
    intervals = scored(evaluate, *words, "--intervals")["intervals"]
    assert intervals.keys() == {
        *(f"contrast.{name}" for name in ("original", "consistency", "consistency_of_sets")),
        *(f"contrast.difference.{name}" for name in ("original", "consistency", "consistency_of_sets")),
        "contrast.opportunity_cost.originals.cost",
    }
    first, cost = intervals["contrast.difference.original"], intervals["contrast.opportunity_cost.originals.cost"]
    assert (first["low"], first["high"]) == (pytest.approx(-cost["high"]), pytest.approx(-cost["low"]))


def test_runs_are_paired_by_their_seeds(evaluate: Command) -> None:
    new = answers("ABBBAB", seed="x") + answers("BBBBAB", seed="y")
    old = answers("BBBBAB", seed="y") + answers("ABBBAB", seed="x")
    found = scored(evaluate, "--contrast", SETS, "--predictions", new, "--base-predictions", old)["contrast"]
    assert found["opportunity_cost"]["originals"]["cost"] == {"value": 0.0, "deviation": 0.0, "runs": [0.0, 0.0]}


def test_models_of_unequal_numbers_of_runs_cannot_be_compared_run_by_run(evaluate: Command) -> None:
    old = answers("BBBBAB", seed="y") + answers("ABBBAB", seed="x")
    answer = evaluate("--contrast", SETS, "--predictions", answers("ABBBAB"), "--base-predictions", old)
    assert answer.code == 1
    assert "have 1 run and those of the base model 2" in answer.err


def test_fairness_looks_at_tests_that_expect_one_label(evaluate: Command, tmp_path: Path) -> None:
    suite = [
        case("t", "MFT", 0, label="B", texts=["She is here.", "He is here."]),
        case("t", "MFT", 1, label="A", texts=[{"premise": "x", "hypothesis": "She."}]),
        case("t", "MFT", 2, label="not:A", texts=["She."]),
        case("i", "INV", 0, texts=["She.", "He."]),
    ]
    new = [
        said("t", 0, 0, "A"),
        said("t", 0, 1, "B"),
        said("t", 1, 0, "A"),
        said("t", 2, 0, "A"),
        said("i", 0, 0, "A"),
        said("i", 0, 1, "A"),
    ]
    groups = tmp_path / "groups.json"
    groups.write_text(json.dumps({"women": ["she"], "men": ["he"]}))
    words = ["--suite", suite, "--predictions", new, "--base-predictions", new, "--groups", groups, "--positive", "A"]
    found = scored(evaluate, *words)["fairness"]["functional"]
    # two negatives, one wrong: 1/2. The women's is wrong (1), the men's right (0): |1 − 1/2| + |0 − 1/2|
    assert (found["difference"], found["overall"], found["n_texts"], found["n_negatives"]) == (one(1.0), one(0.5), 3, 2)
    assert found["groups"]["women"] == {"rate": one(1.0), "n_texts": 2, "n_negatives": 1}
    assert found["base"]["difference"] == one(1.0)


# Bad days

SUITE = [case("t", "MFT", label="A"), case("d", "DIR", n_texts=2, expectation="not_up")]
GOOD = [said("t", 0, 0, "A"), said("d", 0, 0, "A", 0.5), said("d", 0, 1, "B", 0.25)]

REFUSED = [
    (GOOD[:2], "file3.jsonl, field test, case, position, value 'd, 0, 1'", "file3.jsonl, field test, case, position, value 'd, 0, 1': No prediction by 'file3.jsonl' for this text.", "a text is missing"),
    ([*GOOD, said("d", 0, 2, "B", 0.2)], "line 4, field position, value '2'", "file3.jsonl, line 4, field position, value '2': The case has 2 texts: positions 0 to 1.", "too many texts"),
    ([*GOOD, GOOD[0]], "line 4, field position", "Duplicate of", "a text twice"),
    ([GOOD[0], GOOD[1], said("d", 0, 1, "B")], "line 3, field probabilities", "DIR cases compare the probability of 'A'; the row has none.", "DIR without probabilities"),
    ([GOOD[0], GOOD[1], {**GOOD[2], "probabilities": {"B": 1}}], "line 3, field probabilities", "of 'A'; the row has 'B'", "without the watched one"),
    ([*GOOD[:2], {**GOOD[2], "label": "C"}], "line 3, field probabilities", "No probability for the predicted label 'C' (only", "not of its own label"),
    ([*GOOD, '{"id": 1, "label": "A", "probabilities": {"A": NaN}}'], "line 4, field line", "NaN isn't JSON. Write a number or null.", "NaN"),
    ([{**row, "label": "x", "probabilities": {"x": 1.0}} for row in GOOD], "no label in common", "'A' there, 'x' here", "other names of labels"),
    ([{"id": 1, "label": "A"}], "no row for 'file1.jsonl'", "rows with test, case and position", "of something else"),
]  # fmt: skip


@pytest.mark.parametrize(("predictions", "place", "reason", "_why"), REFUSED)
def test_bad_predictions_are_refused_with_their_place_and_nothing_is_scored(
    evaluate: Command, predictions: list[object], place: str, reason: str, _why: str
) -> None:
    answer = evaluate("--suite", SUITE, "--predictions", predictions, "--json")
    assert (answer.code, answer.out) == (1, "")
    assert place in answer.err
    assert reason in answer.err


def test_every_run_needs_every_prediction(evaluate: Command) -> None:
    rows = answers("ABBBAB", seed=1) + answers("ABBBAB", seed=2)[:-1]
    answer = evaluate("--contrast", SETS, "--predictions", rows)
    assert answer.code == 1
    assert "1 problem; nothing was scored." in answer.err
    assert "field id, value '3': The run '2' has no prediction for this instance" in answer.err


def test_problems_of_all_files_are_told_together(evaluate: Command) -> None:
    answer = evaluate(
        "--suite", [*SUITE, {"test": "x"}], "--contrast", [{"id": 1}], "--predictions", [*GOOD, "{"], "--base-predictions", [{"label": "A"}]
    )  # fmt: skip
    assert answer.code == 1
    for place in ("file1.jsonl, line 3", "file3.jsonl, line 1", "file5.jsonl, line 4", "file7.jsonl, line 1"):
        assert place in answer.err


def test_labels_that_no_prediction_knows_are_counted_and_fail(evaluate: Command) -> None:
    """A model of two classes meets a suite of three (ER-TEST does not say how it mapped them)."""
    suite = [
        case("t", "MFT", 0, label="neutral"),
        case("t", "MFT", 1, label=["neutral", "A"]),
        case("t", "MFT", 2, label="not:B"),
    ]
    found = scored(evaluate, "--suite", suite, "--predictions", [said("t", n, 0, "A", 0.8) for n in range(3)])
    assert found["functional"]["tests"]["t"]["n_failed"] == [1]
    counts = found["counts"]["predictions"]
    assert counts["expected_labels_that_no_prediction_knows"] == ["neutral"]
    assert counts["cases_that_expect_only_such_labels"] == 1


def test_odd_rows_that_can_be_scored_are_counted(evaluate: Command) -> None:
    suite = [case("t", "INV", n_texts=2, texts=["same", "same"])]
    rows = [
        said("t", 0, 0, "A", 0.25),
        {**said("t", 0, 1, "A"), "probabilities": {"A": 0.5, "B": 0.25}},
        {"id": "x", "label": "A"},
        said("gone", 0, 0, "A"),
    ]
    counts = scored(evaluate, "--suite", suite, "--predictions", rows)["counts"]
    assert counts["suite"]["changed_texts_equal_to_the_original"] == 1
    found = counts["predictions"]
    assert (found["rows"], found["rows_of_unknown_cases"], found["rows_of_unknown_instances"]) == (4, 1, 1)
    assert (found["labels_not_of_the_highest_probability"], found["probabilities_not_summing_to_one"]) == (1, 1)


def test_wrong_usage_is_told_from_a_refusal(evaluate: Command, tmp_path: Path) -> None:
    assert evaluate("--predictions", GOOD).code == 2
    assert evaluate("--suite", SUITE).code == 2
    assert evaluate("--suite", SUITE, "--predictions", GOOD, "--positive", "A").code == 2
    assert evaluate("--suite", tmp_path / "none.jsonl", "--predictions", GOOD).code == 1
    groups = tmp_path / "groups.json"
    groups.write_text('{"women": ["she"]}')
    answer = evaluate("--suite", SUITE, "--predictions", GOOD, "--groups", groups, "--positive", "Yes")
    assert (answer.code, answer.out) == (1, "")
    assert "label 'Yes' (--positive)" in answer.err
    groups.write_text('{"women": []}')
    answer = evaluate("--suite", SUITE, "--predictions", GOOD, "--groups", groups, "--positive", "A")
    assert (answer.code, "groups.json, field women" in answer.err) == (1, True)


def test_scoring_loads_no_large_package() -> None:
    assert heavy_parts("evaluate", "tests", *SAMPLE) == []


@needs_data
def test_a_model_that_always_says_the_original_is_right_on_every_pair_of_reviews_once(evaluate: Command) -> None:
    path = SHARED_DATA / "cad" / "raw" / "sentiment_dev_paired.tsv"
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    first = {batch: label for label, _, batch in reversed(rows)}  # the label of each batch's first row
    predictions = [{"id": key, "label": label} for batch, label in first.items() for key in (batch, f"{batch}#1")]
    found = scored(evaluate, "--contrast", path, "--predictions", predictions)["contrast"]
    assert (found["n_originals"], found["n_contrasts"]) == (245, 245)
    numbers = [found[name]["value"] for name in ("original", "contrast", "delta", "consistency")]
    assert numbers == [1.0, 0.0, -1.0, 0.0]  # every edit flips the label
