"""`annotator evaluate`: the scorer's object as JSON, a table for people, refusals, and that it loads little."""

import subprocess
import sys
from pathlib import Path

import pytest

from annotator.cli.main import run
from tests.cli.conftest import Answer, Command
from tests.formats.test_eraser_predictions import CHANGED, GOLD, answered, hard, row, write

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def evaluate(annotator: Command, tmp_path: Path) -> Command:
    def command(rows: list[dict[str, object]], *words: str) -> Answer:
        path = write(tmp_path / "data", GOLD, rows)
        place = ["--data-dir", str(tmp_path / "data"), "--split", "test", "--predictions", str(path)]
        return annotator("evaluate", "eraser", *place, *words)

    return command


def full(key: str, **more: object) -> dict[str, object]:
    return {**answered(key, p=1.0, **{**CHANGED, **more}), "rationales": [hard("d1", (0, 3))]}


def test_json_prints_one_object_with_the_scorers_names(evaluate: Command, database: Path) -> None:
    answer = evaluate([full("i1"), full("i2")], "--json")
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert list(found) == ["iou_scores", "rationale_prf", "token_prf", "classification_scores", "group_aware", "counts"]
    assert found["iou_scores"][0] == {
        "threshold": 0.5,
        "micro": {"p": 0.5, "r": 0.25, "f1": pytest.approx(1 / 3)},
        "macro": {"p": 0.5, "r": pytest.approx(1 / 6), "f1": 0.25},  # recall 1/2, 0 and 0 of three documents with gold
    }
    assert set(found["classification_scores"]) == {
        "accuracy",
        "prf",
        "aopc_thresholds",
        *(side + form for side in ("comprehensiveness", "sufficiency") for form in ("", "_entropy", "_kl", "_aopc", "_aopc_points")),
    }  # fmt: skip
    assert not database.exists()


def test_what_is_no_number_is_null_and_infinity_a_word(evaluate: Command) -> None:
    zeros = {"sufficiency_classification_scores": {"Y": 0, "N": 0}}
    found = evaluate([full("i1", **zeros), full("i2", **zeros)], "--json").json["classification_scores"]
    assert (found["comprehensiveness_kl"], found["sufficiency_entropy"]) == ("Infinity", None)
    assert (found["comprehensiveness_aopc"], found["aopc_thresholds"]) == (None, None)


def test_thresholds_are_taken_as_often_as_they_are_given(evaluate: Command) -> None:
    rows = [full(key, thresholded_scores=[{"threshold": t, **CHANGED} for t in (0.3, 0.1)]) for key in ("i1", "i2")]
    options = ["--iou-threshold", "0.1", "--iou-threshold", "0", "--aopc-threshold", "0.3", "--aopc-threshold", "0.1"]
    found = evaluate(rows, *options, "--json").json
    assert [one["threshold"] for one in found["iou_scores"]] == [0.1, 0.0]
    assert found["classification_scores"]["aopc_thresholds"] == [0.1, 0.3]
    assert found["classification_scores"]["comprehensiveness_aopc"] == 0.5
    assert found["paper"]["comprehensiveness_aopc"] == pytest.approx(1 / 3)


def test_the_table_tells_direction_and_definition_beside_each_number(evaluate: Command) -> None:
    rows = [full(key, thresholded_scores=[{"threshold": 0.5, **CHANGED}]) for key in ("i1", "i2")]
    lines = evaluate(rows, "--aopc-threshold", "0.5").out.splitlines()
    by_name = {line[:58].rstrip(): line[58:].split(None, 1) for line in lines}
    assert by_name["iou_scores[0].macro.f1"][0] == "0.25"
    assert by_name["iou_scores[0].macro.f1"][1].startswith("higher is better: predicted spans whose best IOU")
    assert by_name["classification_scores.sufficiency"][1].startswith("lower is better: mean of p(j | x)")
    assert by_name["paper.sufficiency_aopc"][1].startswith("lower is better: Σ over thresholds")
    assert by_name["classification_scores.comprehensiveness_kl"][0] == "inf"
    assert by_name["token_prf.instance_macro.f1"][1].startswith("higher is better: tokens in predicted")
    assert by_name["counts.instances"] == ["2"]


def test_what_is_not_defined_is_a_dash_in_the_table(evaluate: Command) -> None:
    lines = evaluate([row("i1", {"docid": "d1", "soft_rationale_predictions": [0.0] * 8}), row("i9")]).out.splitlines()
    assert any(line.startswith("token_soft_metrics.auprc ") and "higher is better" in line for line in lines)
    lines = evaluate([row("i9", {"docid": "d1", "soft_rationale_predictions": [0.0] * 8})]).out.splitlines()
    assert any(line.split()[:2] == ["token_soft_metrics.average_precision", "–"] for line in lines)


def test_a_refusal_names_file_line_and_field_and_prints_no_object(evaluate: Command) -> None:
    answer = evaluate([row("i1", hard("d1", (0, 9)))], "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "predictions, line 1, field hard_rationale_predictions, value '[0, 9)'" in answer.err


def test_a_split_that_the_folder_does_not_have_is_told_with_those_that_it_has(evaluate: Command) -> None:
    answer = evaluate([row("i1")], "--split", "tst")
    assert (answer.code, "has no split 'tst'; it has 'test'." in answer.err) == (1, True)


def test_a_missing_option_is_wrong_usage_and_a_threshold_that_is_no_number_a_refusal(evaluate: Command) -> None:
    assert run(["evaluate", "eraser", "--split", "test"]) == 2
    assert evaluate([row("i1")], "--iou-threshold", "many").code == 1
    assert evaluate([row("i1")], "--iou-threshold", "2").code == 1


def test_scoring_loads_no_streamlit_spacy_sqlite_utils_or_pandas(tmp_path: Path) -> None:
    path = write(tmp_path / "data", GOLD, [full("i1"), full("i2")])
    script = (
        "import sys; from annotator.cli.main import run; "
        f"code = run(['evaluate', 'eraser', '--data-dir', {str(path.parent)!r}, '--split', 'test', '--predictions', {str(path)!r}]); "
        "loaded = sorted({'streamlit', 'spacy', 'sqlite_utils', 'pandas', 'sqlite3', 'sklearn'} & sys.modules.keys()); "
        "print(loaded, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=REPOSITORY, check=True)
    assert done.stderr.strip() == "[]"
