"""Reading ERASER predictions and scoring the files: the scorer's numbers, and every refusal with its row and field."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.errors import ImportRefused, InvalidValue
from annotator.evaluation.eraser import evaluate_eraser
from annotator.formats.eraser.gold import KeyNumbers, read_lengths
from annotator.formats.eraser.predictions import read_predictions
from annotator.text.alignment import eraser_docs_folder, eraser_docs_jsonl
from tests.conftest import SHARED_DATA, needs_data
from tests.reference import eraser_scorer
from tests.reference.eraser_cases import ANSWER

Json = dict[str, Any]
Evaluate = Callable[..., Json]
DOCUMENTS = {"d1": "one two three\nfour five six\nseven eight", "d2": "a b c d\ne f"}
LENGTHS = {"d1": (8, 3), "d2": (6, 2)}


def evidence(docid: str, start: int, end: int, sentences: tuple[int, int] = (-1, -1)) -> Json:
    places = dict(zip(("start_sentence", "end_sentence"), sentences, strict=True))
    return {"docid": docid, "start_token": start, "end_token": end, "text": "", **places}


def annotation(key: str, label: str, *groups: list[Json]) -> Json:
    named = {"annotation_id": key, "classification": label, "query": "?", "query_type": None, "docids": None}
    return {**named, "evidences": list(groups)}


GOLD = [
    annotation("i1", "Y", [evidence("d1", 0, 3, (0, 1))], [evidence("d1", 6, 8, (2, 3))]),
    annotation("i2", "N", [evidence("d2", 1, 3, (0, 1)), evidence("d1", 3, 4, (1, 2))]),
]


def hard(docid: str, *spans: tuple[int, int], **more: object) -> Json:
    listed = [{"start_token": start, "end_token": end} for start, end in spans]
    return {"docid": docid, "hard_rationale_predictions": listed, **more}


def row(key: str, *rationales: Json, **more: object) -> Json:
    return {"annotation_id": key, "rationales": list(rationales), **more}


def answered(key: str, label: str = "Y", p: float = 0.8, **more: object) -> Json:
    scores = {"Y": p, "N": round(1 - p, 6)}
    return row(key, classification=label, classification_scores=scores, **more)


def write(folder: Path, gold: list[Json], rows: list[Json] | bytes, documents: Json = DOCUMENTS) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "test.jsonl").write_text("".join(json.dumps(one) + "\n" for one in gold), encoding="utf-8")
    lines = "".join(json.dumps({"docid": docid, "document": text}) + "\n" for docid, text in documents.items())
    (folder / "docs.jsonl").write_text(lines, encoding="utf-8")
    path = folder / "predictions"
    path.write_bytes(rows if isinstance(rows, bytes) else "".join(json.dumps(one) + "\n" for one in rows).encode())
    return path


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    def run(rows: list[Json] | bytes, gold: list[Json] = GOLD, **options: Any) -> Json:
        return evaluate_eraser(tmp_path / "data", "test", write(tmp_path / "data", gold, rows), **options)

    return run


def problems_of(evaluate: Evaluate, rows: list[Json] | bytes, **options: Any) -> list[tuple[int | None, str, str]]:
    with pytest.raises(ImportRefused) as refusal:
        evaluate(rows, **options)
    return [(one.line, one.field, one.reason) for one in refusal.value.problems]


def assert_same(found: object, wanted: object, place: str = "") -> None:
    if isinstance(wanted, dict):
        assert isinstance(found, dict), place
        assert found.keys() == wanted.keys(), place
        for name, value in wanted.items():
            assert_same(found[name], value, f"{place}.{name}")
    elif isinstance(wanted, list):
        assert isinstance(found, list), place
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            assert_same(one, other, f"{place}[{number}]")
    else:
        assert found == pytest.approx(wanted, abs=1e-9, nan_ok=True), place


SPAN = st.tuples(st.integers(0, 5), st.integers(1, 4)).map(lambda one: (one[0], min(6, sum(one))))
PROBABILITY = st.floats(0.05, 1)
DISTRIBUTION = st.fixed_dictionaries({"Y": PROBABILITY, "N": PROBABILITY})


@st.composite
def files(draw: st.DrawFn) -> tuple[list[Json], list[Json]]:
    """Gold with evidence, and predictions of every kind."""
    gold, rows = [], []
    for number in range(draw(st.integers(1, 4))):
        groups = [
            [evidence(draw(st.sampled_from(["d1", "d2"])), *span, (0, 1))] for span in draw(st.lists(SPAN, max_size=3))
        ]
        gold.append(annotation(f"i{number}", draw(st.sampled_from("YN")), *groups))
        entries = [
            {
                **hard(docid, *(span for span in ((0, 2), (2, 4), (4, 6)) if draw(st.booleans()))),
                "soft_rationale_predictions": draw(st.lists(st.sampled_from([0, 0.5, -1, 3]), min_size=n, max_size=n)),
                "soft_sentence_predictions": draw(st.lists(st.floats(-1, 1), min_size=m, max_size=m)),
            }
            for docid, (n, m) in LENGTHS.items()
            if docid == "d1" or draw(st.booleans())
        ]
        more = {f"{side}_classification_scores": draw(DISTRIBUTION) for side in ("comprehensiveness", "sufficiency")}
        thresholds = [
            {"threshold": threshold, **{name: draw(DISTRIBUTION) for name in more}} for threshold in (0.5, 0.1, 0.2)
        ]
        label = draw(st.sampled_from([one["classification"] for one in gold[:1]]))
        rows.append(
            row(f"i{number}", *entries, classification=label, classification_scores=draw(DISTRIBUTION),
                thresholded_scores=thresholds, **more)
        )  # fmt: skip
    return gold, rows


def test_token_f1_and_areas_stand_beside_random_on_the_same_documents(evaluate: Evaluate) -> None:
    # d1 has 8 tokens, 5 of i1's gold; 3 are selected: 2 · (3 · 5 / 8) / (3 + 5). Of i2 nothing is: 0 on both documents.
    found = evaluate([row("i1", hard("d1", (0, 3)))])["beside_random"]["token_prf.instance_macro.f1"]
    assert found["random"] == pytest.approx((2 * 15 / 8 / 8 + 0 + 0) / 3)
    assert (found["word"], found["n"]) == ("too few", 3)
    assert found["difference"] == pytest.approx((2 * 3 / 8 - 2 * 15 / 8 / 8) / 3)
    many = [annotation(f"i{n}", "Y", [evidence("d1", 0, 3, (0, 1))]) for n in range(24)]
    soft = [
        row(f"i{n}", {"docid": "d1", "soft_rationale_predictions": [1, 1, 0.9, 0.2, 0, 0, 0, 0.1]}) for n in range(24)
    ]
    areas = evaluate(soft, many)["beside_random"]["token_soft_metrics.average_precision"]
    assert (areas["word"], areas["n"]) == ("better", 24)
    assert 0.375 < areas["random"] < 0.7, (
        "3 of 8 tokens are gold; few tokens ranked at random do better than their share"
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files(), st.randoms(use_true_random=False))
def test_the_object_is_the_scorers_on_well_formed_files_in_any_order_of_rows(evaluate: Evaluate, made, random) -> None:
    gold, rows = made
    rows[0]["rationales"][0]["hard_rationale_predictions"] = [{"start_token": 0, "end_token": 2}]
    gold[0]["evidences"].append([evidence("d1", 1, 3, (0, 1))])
    wanted = eraser_scorer.score(LENGTHS, gold, rows, [0.5, 0.1], [0.5, 0.1])
    random.shuffle(rows)
    found = evaluate(rows, gold, iou_thresholds=[0.5, 0.1], aopc_thresholds=[0.5, 0.1])
    found.pop("counts")
    found.pop("beside_random")
    paper = found.pop("paper")
    assert found.pop("group_aware")["best_f1"]["n"] >= 1
    assert_same(found, wanted)
    for side in ("comprehensiveness", "sufficiency"):
        assert paper[f"{side}_aopc"] * 3 / 2 == pytest.approx(wanted["classification_scores"][f"{side}_aopc"])


def test_the_worked_example_has_the_numbers_of_the_table(evaluate: Evaluate) -> None:
    thresholds = [
        {"threshold": t, "comprehensiveness_classification_scores": {"Y": p, "N": 1 - p},
         "sufficiency_classification_scores": {"Y": 0.7, "N": 0.3}}
        for t, p in zip((0.01, 0.05, 0.1, 0.2, 0.5), (0.8, 0.7, 0.6, 0.4, 0.1), strict=True)
    ]  # fmt: skip
    one = answered(
        "i1",
        comprehensiveness_classification_scores={"Y": 0.5, "N": 0.5},
        sufficiency_classification_scores={"Y": 0.7, "N": 0.3},
        thresholded_scores=thresholds,
    )
    found = evaluate([one], GOLD[:1])
    scores = {**found["classification_scores"], "paper": found["paper"]["comprehensiveness_aopc"]}
    for name, wanted in ANSWER.items():
        assert scores[name] == pytest.approx(wanted, abs=1e-7), name


def test_whether_a_family_is_scored_is_decided_over_all_rows(evaluate: Evaluate) -> None:
    found = evaluate([row("i2"), row("i1", hard("d1", (0, 3)))])
    assert found["iou_scores"][0]["micro"] == {"p": 1.0, "r": 0.25, "f1": 0.4}
    assert "token_soft_metrics" not in found
    assert "classification_scores" not in found


def test_what_the_scorer_lets_pass_is_scored_and_counted(evaluate: Evaluate) -> None:
    rows = [
        row("i1", hard("d1", (0, 2), (0, 2)), hard("d1", (6, 8), (7, 5)), {"docid": "d2"}),
        row("stranger", hard("d2", (-1, -1))),
    ]
    gold = [*GOLD, annotation("i3", "Y", [evidence("d1", -1, -1), evidence("d1", 2, 99)])]
    counts = evaluate(rows, gold)["counts"]
    assert counts == {
        "instances": 3,
        "instances_given_twice": 0,
        "instances_without_row": 2,
        "rows": 2,
        "rows_of_unknown_instances": 1,
        "document_entries": 4,
        "document_entries_given_twice": 1,
        "document_entries_without_hard": 1,
        "hard": {
            "gold_spans": 6,
            "predicted_spans": 4,
            "keys_with_gold": 4,
            "keys_with_prediction": 2,
            "gold_spans_without_tokens": 1,
            "predicted_spans_without_tokens": 2,
            "gold_spans_past_document": 1,
            "keys_with_iou_recall_above_one": {"0.5": 0},
        },
        "group_aware": {
            "instances_with_groups": 3,
            "instances_with_several_groups": 1,
            "groups": 4,
            "groups_without_tokens": 0,
            "instances_whose_best_group_is_tied": 0,
            "gold_is_exhaustive": None,
        },
    }


def test_a_model_that_finds_one_of_two_sufficient_groups_has_found_enough_whichever_documents_it_spans(
    evaluate: Evaluate,
) -> None:
    first = row("i1", hard("d1", (0, 3)))  # the first of two groups, whole
    second = row("i2", hard("d1", (3, 4)), hard("d2", (1, 3)))  # one group, over two documents, whole
    found = evaluate([first, second])
    assert found["token_prf"]["instance_macro"]["r"] == pytest.approx(
        (3 / 5 + 1 + 1) / 3
    )  # the scorer wants both groups
    ours = {name: aggregate["value"] for name, aggregate in found["group_aware"].items()}
    assert ours == {"best_f1": 1, "best_iou": 1, "whole_set": 1, "recall": (0.5 + 1) / 2, "coverage": (3 / 5 + 1) / 2}


def test_equal_groups_are_one_and_groups_without_tokens_are_none(evaluate: Evaluate) -> None:
    groups = [[evidence("d1", 0, 3)], [evidence("d1", 0, 3)], [], [evidence("d1", -1, -1)], [evidence("d1", 4, 8)]]
    found = evaluate([row("i1", hard("d1", (0, 3)))], [annotation("i1", "Y", *groups), annotation("i2", "Y")])
    assert found["group_aware"]["recall"] == {"value": 0.5, "n": 1, "n_left_out": 1}
    assert found["counts"]["group_aware"]["groups_without_tokens"] == 2


def test_intervals_come_when_they_are_asked_for_and_hold_the_number(evaluate: Evaluate) -> None:
    gold = [annotation(f"i{n}", "Y", [evidence("d1", 0, 2)]) for n in range(40)]
    rows = [row(f"i{n}", hard("d1", (0, 2) if n % 2 else (4, 5))) for n in range(40)]
    found = evaluate(rows, gold, n_resamples=500)
    for name, value in (("token_prf.instance_macro.f1", 0.5), ("group_aware.whole_set", 0.5)):
        interval = found["intervals"][name]
        assert 0.3 < interval["low"] < value < interval["high"] < 0.7
    assert "intervals" not in evaluate(rows, gold)


def test_recall_above_one_is_told_as_the_scorer_does_and_counted(evaluate: Evaluate) -> None:
    gold = [annotation("i1", "Y", [evidence("d1", 0, 8)])]
    found = evaluate([row("i1", hard("d1", (0, 4), (4, 8)))], gold)
    assert found["iou_scores"][0]["macro"] == {"p": 1.0, "r": 2.0, "f1": pytest.approx(4 / 3)}
    assert found["counts"]["hard"]["keys_with_iou_recall_above_one"] == {"0.5": 1}


def test_documents_without_gold_count_one_half_in_the_scorers_auprc_and_are_left_out_of_ours(
    evaluate: Evaluate,
) -> None:
    scores = {"soft_rationale_predictions": [8, 7, 6, 5, 4, 3, 2, 1]}
    found = evaluate([row("i1", {"docid": "d1", **scores}), row("other", {"docid": "d1", **scores})])
    assert found["token_soft_metrics"]["auprc"] == pytest.approx(
        (found["counts"]["token_soft_metrics"]["auprc_of_documents_with_gold"] + 0.5) / 2
    )
    assert found["counts"]["token_soft_metrics"] | {"auprc_of_documents_with_gold": 0} == {
        "documents": 2,
        "documents_without_gold": 1,
        "documents_all_gold": 0,
        "documents_with_ties": 0,
        "documents_given_twice": 0,
        "gold_documents_without_scores": 2,
        "auprc_of_documents_with_gold": 0,
    }


def test_of_scores_given_twice_the_last_count(evaluate: Evaluate) -> None:
    good, bad = (
        {"docid": "d1", "soft_rationale_predictions": [sign * x for x in (1, 1, 1, 0, 0, 0, 1, 1)]} for sign in (1, -1)
    )
    other = {"docid": "d2", "soft_rationale_predictions": [0, 1, 1, 0, 0, 0]}
    found = evaluate([row("i1", bad, good), row("i2", other)])
    assert found["token_soft_metrics"]["auprc"] == pytest.approx(1.0)
    assert found["counts"]["token_soft_metrics"]["documents_given_twice"] == 1


def test_labels_off_the_maximum_and_sums_off_one_are_scored_and_counted(evaluate: Evaluate) -> None:
    rows = [answered("i1", "N", 0.9), row("i2", classification="Y", classification_scores={"Y": 3.0, "N": -1})]
    found = evaluate(rows)
    assert found["classification_scores"]["accuracy"] == 0.0
    assert found["counts"]["classification"] == {
        "answers": 2,
        "labels_not_of_the_highest_score": 1,
        "scores_not_summing_to_one": 1,
    }
    assert found["classification_scores"]["comprehensiveness"] is None
    assert found["classification_scores"]["sufficiency_aopc_points"] is None


def test_a_full_zero_where_the_changed_answer_has_weight_makes_the_divergence_infinite(evaluate: Evaluate) -> None:
    changed = {f"{side}_classification_scores": {"Y": 0.5, "N": 0.5} for side in ("comprehensiveness", "sufficiency")}
    found = evaluate([answered("i1", p=1.0, **changed)], GOLD[:1])["classification_scores"]
    assert found["comprehensiveness_kl"] == np.inf


CHANGED = {f"{side}_classification_scores": {"Y": 0.5, "N": 0.5} for side in ("comprehensiveness", "sufficiency")}
AT = {"threshold": 0.5, **CHANGED}
SOFT = {"soft_rationale_predictions": [0.0] * 8}

# rows, line, field, a piece of the reason
REFUSED: list[tuple[str, list[Json], int | None, str, str]] = [
    ("an instance twice", [row("i1"), row("i1")], 2, "annotation_id", "stands in line 1 too"),
    ("overlapping spans", [row("i1", hard("d1", (0, 2), (1, 3)))], 1, "hard_rationale_predictions", "shares a token"),
    ("a span past the end", [row("i1", hard("d1", (0, 9)))], 1, "hard_rationale_predictions", "which has 8 tokens"),
    ("a start past the end", [row("i1", hard("d1", (9, 8)))], 1, "hard_rationale_predictions", "which has 8 tokens"),
    ("a span beyond any document", [row("i1", hard("d1", (0, 2**40)))], 1, "rationales[0].hard_rationale_predictions[0]", "so many tokens"),
    ("too few scores", [row("i1", {"docid": "d1", "soft_rationale_predictions": [1.0]})], 1, "soft_rationale_predictions", "has 8 tokens"),
    ("no scores in the list", [row("i1", {"docid": "d1", "soft_rationale_predictions": []})], 1, "soft_rationale_predictions", "has 8 tokens"),
    ("too many sentences", [row("i1", {"docid": "d1", "soft_sentence_predictions": [1.0] * 4})], 1, "soft_sentence_predictions", "has 3 sentences"),
    ("null scores", [row("i1", {"docid": "d1", "soft_rationale_predictions": None})], 1, "rationales[0].soft_rationale_predictions", "a list, not null"),
    ("null spans", [row("i1", {"docid": "d1", "hard_rationale_predictions": None})], 1, "rationales[0].hard_rationale_predictions", "a list, not null"),
    ("an unknown document", [row("i1", hard("d9", (0, 1)))], 1, "rationales.docid", "no document 'd9'"),
    ("scores of some documents alone", [row("i1", hard("d1", (0, 1), **SOFT), hard("d2", (0, 1)))], 1, "rationales[1].soft_rationale_predictions", "Line 1 has 'soft_rationale_predictions'; every row has it, or none."),
    ("labels in some rows alone", [answered("i1"), row("i2")], 2, "classification", "Line 1 has 'classification'"),
    ("a label without scores", [row("i1", classification="Y")], 1, "classification_scores", "needed beside 'classification'"),
    ("scores without a label", [row("i1", classification_scores={"Y": 1})], 1, "classification", "needed beside"),
    ("thresholds without the rest", [answered("i1", thresholded_scores=[AT])], 1, "comprehensiveness_classification_scores", "needed beside"),
    ("a label that is no text", [row("i1", classification=1, classification_scores={})], 1, "classification", "Must be text, not an integer."),
    ("a label unknown to gold", [answered("i1", "maybe"), answered("i2")], 1, "classification", "No annotation of the split has the label 'maybe'"),
    ("an instance without answer", [answered("i1")], None, "annotation_id", "no row with a classification"),
    ("a label without score", [answered("i1", "N") | {"classification_scores": {"Y": 1.0}} | CHANGED, answered("i2", **CHANGED)], 1, "classification", "no score of 'N'"),
    ("a label lacking in the changed answer", [answered("i1", sufficiency_classification_scores={"Y": 1.0}), answered("i2", sufficiency_classification_scores={"Y": 1, "N": 0})], 1, "sufficiency_classification_scores", "label 'N' is missing"),
    ("a threshold that is not there", [answered(key, thresholded_scores=[AT], **CHANGED) for key in ("i1", "i2")], 1, "thresholded_scores", "are asked for"),
    ("other thresholds than in the first row", [answered("i1", thresholded_scores=[AT], **CHANGED), answered("i2", thresholded_scores=[AT | {"threshold": 0.3}], **CHANGED)], 2, "thresholded_scores", "thresholds of the first one"),
    ("a threshold twice", [answered(key, thresholded_scores=[AT, AT], **CHANGED) for key in ("i1", "i2")], 1, "thresholded_scores", "appears twice"),
    ("no rationales", [{"annotation_id": "i1"}], 1, "rationales", "is missing"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "line", "field", "reason"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_a_row_is_refused_by_line_and_field(evaluate: Evaluate, rows, line, field, reason) -> None:
    found = problems_of(evaluate, rows)
    assert any((at, name) == (line, field) and reason in why for at, name, why in found), found


LINES: list[tuple[str, bytes, int, str]] = [
    ("NaN", b'{"annotation_id": "i1", "rationales": [{"docid": "d1", "soft_rationale_predictions": [NaN]}]}', 1, "NaN isn't JSON. Write a number or null."),
    ("a half-written last line", b'{"annotation_id": "i1", "rationales": []}\n{"annotation_id": "i2", "ra', 2, "Invalid JSON: unterminated string at character 25 of 27."),
    ("not UTF-8", b'{"annotation_id": "i\xe9", "rationales": []}', 1, "Not UTF-8."),
    ("a list", b"[]", 1, 'Must be like {"id": "1", ...}.'),
    ("a number too large", b'{"annotation_id": "i1", "rationales": [{"docid": "d1", "soft_rationale_predictions": [1e999]}]}', 1, ""),
]  # fmt: skip


@pytest.mark.parametrize(("content", "line", "reason"), [case[1:] for case in LINES], ids=[case[0] for case in LINES])
def test_a_line_that_holds_no_row_is_named(evaluate: Evaluate, content: bytes, line: int, reason: str) -> None:
    found = problems_of(evaluate, content)
    assert found[0][0] == line
    assert reason in found[0][2]


def test_a_byte_order_mark_crlf_and_blank_lines_are_read(evaluate: Evaluate) -> None:
    rows = "\r\n\r\n".join(json.dumps(one) for one in [row("i1", hard("d1", (0, 3))), row("i2", hard("d2"))])
    assert evaluate(b"\xef\xbb\xbf" + rows.encode() + b"\r\n")["counts"]["rows"] == 2


def test_every_problem_is_told_at_once_up_to_two_hundred(evaluate: Evaluate) -> None:
    with pytest.raises(ImportRefused, match="300 problems; nothing was scored") as refusal:
        evaluate([row(f"x{number}", hard("d9", (0, 1))) for number in range(300)])
    assert (len(refusal.value.problems), refusal.value.n_problems) == (200, 300)


def test_gold_past_the_document_is_refused_only_where_soft_scores_need_its_place(evaluate: Evaluate) -> None:
    gold = [annotation("i1", "Y", [evidence("d1", 0, 3, (0, 1)), evidence("d1", 7, 9, (2, 4))])]
    assert evaluate([row("i1", hard("d1", (0, 3)))], gold)["iou_scores"][0]["micro"]["r"] == 0.5
    for field, n, unit in (
        ("soft_rationale_predictions", 8, "8 tokens"),
        ("soft_sentence_predictions", 3, "3 sentences"),
    ):
        found = problems_of(evaluate, [row("i1", {"docid": "d1", field: [0.0] * n})], gold=gold)
        assert [(line, name) for line, name, _ in found] == [(1, "evidences")]
        assert unit in found[0][2]


def test_gold_that_names_no_document_is_refused_by_its_line(evaluate: Evaluate) -> None:
    gold = [*GOLD, annotation("i3", "Y", [evidence("nowhere", 0, 1)])]
    assert problems_of(evaluate, [row("i1")], gold=gold) == [
        (3, "evidences.docid", "There is no document 'nowhere'; correct the name or add it.")
    ]


def test_gold_offsets_beyond_any_document_are_refused(evaluate: Evaluate) -> None:
    found = problems_of(evaluate, [row("i1")], gold=[annotation("i1", "Y", [evidence("d1", 0, 2**60)])])
    assert [(line, name) for line, name, _ in found] == [(1, "evidences[0][0]")]


@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan")])
def test_a_threshold_outside_zero_to_one_is_refused(evaluate: Evaluate, threshold: float) -> None:
    for name in ("iou_thresholds", "aopc_thresholds"):
        with pytest.raises(InvalidValue, match="is not between 0 and 1"):
            evaluate([row("i1")], **{name: [threshold]})


def test_the_thresholds_zero_and_one_are_legal(evaluate: Evaluate) -> None:
    found = evaluate([row("i1", hard("d1", (0, 3), (3, 4)))], iou_thresholds=[0, 1])
    assert [one["micro"]["p"] for one in found["iou_scores"]] == [1.0, 0.5]


def test_files_that_are_missing_or_hold_nothing_are_refused(evaluate: Evaluate, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"'.*predictions' holds no prediction; write one row an instance\."):
        evaluate(b"\n")
    data = tmp_path / "data"
    with pytest.raises(InvalidValue, match=r"The folder '.*data' has no split 'val'; it has 'test'\."):
        evaluate_eraser(data, "val", data / "predictions")
    with pytest.raises(InvalidValue, match="holds no annotation"):
        evaluate([row("i1")], [])
    write(data, GOLD, [row("i1")])
    (data / "docs.jsonl").unlink()
    with pytest.raises(InvalidValue, match=r"neither docs/ nor docs\.jsonl"):
        evaluate_eraser(data, "test", data / "predictions")


def test_a_document_twice_in_docs_jsonl_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"docid": "d", "document": "a"}\n{"docid": "d", "document": "b"}\n')
    assert [one.line for one in read_lengths(tmp_path, {"d"})[1]] == [2]


TEXT = st.text(st.sampled_from("ab \n\t\u00a0\u2028é"), max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT)
def test_lengths_are_those_of_the_loader_of_each_layout(tmp_path: Path, text: str) -> None:
    (tmp_path / "folder" / "docs").mkdir(parents=True, exist_ok=True)
    (tmp_path / "folder" / "docs" / "d").write_text(text, encoding="utf-8", newline="")
    (tmp_path / "docs.jsonl").write_text(json.dumps({"docid": "d", "document": text}), encoding="utf-8")
    for folder, load in ((tmp_path / "folder", eraser_docs_folder), (tmp_path, eraser_docs_jsonl)):
        body = load(text)
        lengths, problems = read_lengths(folder, {"d"})
        assert problems == []
        assert lengths["d"] == (body.n_tokens, len(body.sentence_starts))


def test_a_name_that_leads_out_of_the_folder_and_a_document_that_is_no_utf_8_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bad").write_bytes(b"\xff\xfe")
    (tmp_path / "secret").write_text("a b")
    lengths, problems = read_lengths(tmp_path, {"../secret", "bad", "", "x\0"})
    assert lengths == {}
    assert [one.source for one in problems] == ["docs/bad"]


def test_numbers_are_kept_in_arrays_and_not_in_lists(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(
        json.dumps(row("i", hard("d", (0, 1), soft_rationale_predictions=[1, 2.5]), hard("e", (1, 2)))) + "\n"
    )
    found = read_predictions(path, KeyNumbers())
    assert found.tokens.rows().values.tolist() == [1.0, 2.5]
    assert found.hard.tolist() == [[0, 0, 1], [1, 1, 2]]
    assert found.keys_of_hard().tolist() == [0, 1]


@needs_data
def test_gold_of_fever_as_a_prediction_of_itself_is_perfect_by_token(tmp_path: Path) -> None:
    """401 of its 411 rows; the other ten point past or at missing documents."""
    source = SHARED_DATA / "eraser_fever"
    gold = [json.loads(line) for line in (source / "raw" / "instances.jsonl").read_bytes().splitlines()][:401]
    (tmp_path / "docs").symlink_to(source / "raw" / "docs")
    rows = []
    for one in gold:
        places: dict[str, set[tuple[int, int]]] = {}
        for e in (e for group in one["evidences"] for e in group):
            places.setdefault(e["docid"], set()).add((e["start_token"], e["end_token"]))
        rows.append(row(one["annotation_id"], *(hard(docid, *spans) for docid, spans in places.items())))
    (tmp_path / "val.jsonl").write_text("".join(json.dumps(one) + "\n" for one in gold))
    (tmp_path / "predictions").write_text("".join(json.dumps(one) + "\n" for one in rows))
    found = evaluate_eraser(tmp_path, "val", tmp_path / "predictions")
    assert found["token_prf"]["instance_micro"] == {"p": 1.0, "r": 1.0, "f1": 1.0}
    assert found["rationale_prf"]["instance_macro"] == {"p": 1.0, "r": 1.0, "f1": 1.0}
