"""`annotator evaluate benchmark`: one JSON object with stable keys, a table for people, refusals, and that it loads little."""

import subprocess
import sys
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.evaluation.benchmark.counts import MEANINGS
from tests.cli.conftest import Answer, Command

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLES = REPOSITORY / "data" / "samples"
BENCHMARK_GOLD = SAMPLES / "benchmark-sentiment" / "golden" / "senti_en.tsv"
GOLD_TRUSTAI = SAMPLES / "benchmark-sentiment-trustai" / "golden" / "senti_en.tsv"
PREDICTIONS = SAMPLES / "predictions"

PROGRAMS = {
    "scripts": ["token_f1", "map", "new_p", "accuracy", "answer_f1", "answer_em"],
    "evaluator": ["token_f1", "iou_f1", "map", "sufficiency", "comprehensiveness"],
}
PAPER = [
    *["token_f1", "iou_f1", "map", "sufficiency", "comprehensiveness"],
    *["over_predicted", "pooled", "sides", "map_variants", "map_by_change", "map_by_kind", "answers"],
]
SETS = ["best_f1", "best_iou", "whole_set", "recall", "coverage"]
COUNTS = ["task", "dialect", "gold", "links", "predictions", "extraction", "n", "flagged", "refused"]


@pytest.fixture
def evaluate(annotator: Command) -> Command:
    def command(gold: Path, predictions: Path, *words: str, task: str = "sentiment") -> Answer:
        place = ["--task", task, "--gold", str(gold), "--predictions", str(predictions)]
        return annotator("evaluate", "benchmark", *place, *words)

    return command


def test_json_prints_one_object_with_the_documented_keys(evaluate: Command, database: Path) -> None:
    answer = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-paddlenlp.jsonl", "--json")
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert list(found) == ["scripts", "evaluator", "paper", "sets", "counts"]
    assert {name: list(found[name]) for name in PROGRAMS} == PROGRAMS
    assert (list(found["paper"]), list(found["sets"]), list(found["counts"])) == (PAPER, SETS, COUNTS)
    assert not database.exists()


def test_the_samples_have_the_numbers_worked_by_hand(evaluate: Command) -> None:
    # Record 1: {3, 8, 1} against {1, 2, 3} 2/3, {6, 7, 8} 1/3, the union of both 3 of 3 and of 6: 2/3, no better.
    # Record 2: {4, 5, 7} against {4, 5} 4/5, with {7, 8} 6/7. Record 4: 2 of 3 and of 3, 2/3.
    # MAP: cold waiter soup, lukewarm waiter soup: (0 + 1/2 + 2/3) / 3. New-P: record 2's rest keeps the label.
    found = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-paddlenlp.jsonl", "--json").json
    assert found["scripts"] == {
        "token_f1": pytest.approx((2 / 3 + 6 / 7 + 2 / 3) / 3),
        "map": pytest.approx(7 / 18),
        "new_p": pytest.approx(2 / 3),
        "accuracy": 1.0,
        "answer_f1": None,
        "answer_em": None,
    }
    assert found["paper"]["token_f1"] == pytest.approx((2 / 3 + 4 / 5 + 2 / 3) / 3)
    assert found["sets"]["recall"] == {
        "value": pytest.approx(1 / 6),
        "n": 3,
        "n_left_out": 0,
    }  # {4, 5} of two, of three


@pytest.mark.parametrize("gold", [BENCHMARK_GOLD, GOLD_TRUSTAI])
@pytest.mark.parametrize("name", ["paddlenlp.jsonl", "trustai.jsonl", "upload.tsv"])
def test_dialects_of_gold_and_predictions_may_be_paired_freely(evaluate: Command, gold: Path, name: str) -> None:
    found = evaluate(gold, PREDICTIONS / f"benchmark-{name}", "--json").json
    expected = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-paddlenlp.jsonl", "--json").json
    for reading, number in (
        ("scripts", "token_f1"),
        ("scripts", "map"),
        ("evaluator", "iou_f1"),
        ("paper", "token_f1"),
    ):
        assert found[reading][number] == expected[reading][number]
    assert (found["counts"]["flagged"], found["counts"]["refused"]) == ([], [])


def test_sufficiency_and_comprehensiveness_of_the_sample(evaluate: Command) -> None:
    found = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-trustai.jsonl", "--json").json
    assert found["evaluator"]["sufficiency"] == pytest.approx((0.03 + 0.08 - 0.04) / 3)
    assert found["evaluator"]["comprehensiveness"] == pytest.approx((0.48 + 0.28 + 0.36) / 3)
    assert found["scripts"]["new_p"] is None


def test_scores_of_tokens_are_predictions_too_and_the_share_is_said(evaluate: Command) -> None:
    words = ["--ratio", "0.3", "--json"]
    found = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-saliency.jsonl", *words).json
    expected = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-paddlenlp.jsonl", "--json").json
    for reading in ("scripts", "evaluator"):
        assert found[reading]["token_f1"] == expected[reading]["token_f1"]
        assert found[reading]["map"] == expected[reading]["map"]
    assert found["paper"]["map_variants"] == expected["paper"]["map_variants"]
    assert found["counts"]["extraction"] == {
        "ratio": [0.3], "ratio_from": "--ratio", "ties_at_the_cut": 0, "titles_numbered_on": 0, "rankings_not_by_score": 0
    }  # fmt: skip
    of_gold = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-saliency.jsonl", "--json").json
    assert of_gold["counts"]["extraction"]["ratio"] == [pytest.approx((6 + 4 + 3) / 30)]


@pytest.mark.parametrize("reading", ["scripts", "evaluator", "paper"])
def test_a_reading_is_printed_alone_with_its_counts(evaluate: Command, reading: str) -> None:
    path = PREDICTIONS / "benchmark-trustai.jsonl"
    found = evaluate(BENCHMARK_GOLD, path, "--reading", reading, "--json").json
    assert list(found) == [reading, "counts"]
    assert found[reading] == evaluate(BENCHMARK_GOLD, path, "--json").json[reading]
    assert {place.partition(".")[0] for place in found["counts"]["n"]} == {reading}


def test_the_table_tells_n_direction_and_definition_beside_each_number(evaluate: Command) -> None:
    lines = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-trustai.jsonl").out.splitlines()
    by_name = {line[:58].rstrip(): line[58:].strip() for line in lines}
    assert by_name["scripts.token_f1"].startswith("0.7302   n = 3   higher is better: 2PR/(P+R) of token indices")
    assert by_name["evaluator.sufficiency"].startswith("0.0233   n = 3   lower is better: p(c | full)")
    assert by_name["paper.map_variants.full.value"].startswith("–   n = 0 (1 left out)   higher is better")
    assert by_name["paper.map_by_kind.important words.aligned.all.value"].startswith(
        "1   n = 1   higher is better: as MAP"
    )
    assert by_name["sets.whole_set.value"].startswith("0.3333   n = 3   higher is better: 1 where P holds all tokens")
    assert by_name["scripts.new_p"].startswith("–   higher is better")
    assert by_name["counts.gold.records"] == "3"


@pytest.mark.parametrize(
    ("task", "folder", "row"),
    [
        ("similarity", "benchmark-similarity", '{"id": 1, "pred_label": 0, "rationale": [[2], [0]]}'),
        ("reading", "benchmark-reading", '{"id": 1, "pred_label": "at ten", "rationale": [[4, 5]]}'),
    ],
)
def test_every_number_of_the_other_tasks_has_its_definition(
    evaluate: Command, tmp_path: Path, task: str, folder: str, row: str
) -> None:
    (tmp_path / "p.jsonl").write_text(row, encoding="utf-8")
    answer = evaluate(SAMPLES / folder, tmp_path / "p.jsonl", task=task)
    assert (answer.code, answer.err) == (0, "")
    numbers = [line for line in answer.out.splitlines() if " n = " in line]
    assert len(numbers) > 15
    assert [line for line in numbers if " is better: " not in line] == []


def test_a_refusal_names_file_line_and_field_and_prints_no_object(evaluate: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 1, "pred_label": 1, "rationale": [[0], [1]]}\n', encoding="utf-8")
    answer = evaluate(BENCHMARK_GOLD, path, "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "1 problem; nothing was scored." in answer.err
    assert "p.jsonl, line 1, field rationale, value '[[0],[1]]': It has 2 lists; this task has 1" in answer.err


def test_what_a_program_stops_at_is_refused_where_it_alone_is_asked_for(evaluate: Command, tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text('{"sent_id": 1, "sent_label": 1, "rationales": []}\n', encoding="utf-8")
    path = PREDICTIONS / "benchmark-upload.tsv"
    answer = evaluate(tmp_path / "gold.tsv", path, "--reading", "evaluator", "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "gold.tsv, line 1, field rationales" in answer.err
    assert "No evaluator.iou_f1 can be given" in answer.err
    assert evaluate(tmp_path / "gold.tsv", path, "--json").code == 0


def test_gold_of_another_task_is_refused(evaluate: Command) -> None:
    answer = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-upload.tsv", task="similarity")
    assert answer.code == 1
    assert "senti_en.tsv, line 1, field rationales" in answer.err
    assert "see --task" in answer.err


def test_a_missing_option_is_wrong_usage_and_an_unknown_value_a_refusal(evaluate: Command, tmp_path: Path) -> None:
    assert run(["evaluate", "benchmark", "--task", "sentiment"]) == 2
    assert evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-upload.tsv", task="editing").code == 1
    assert evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-upload.tsv", "--reading", "mine").code == 1
    assert evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-saliency.jsonl", "--ratio", "2").code == 1
    assert evaluate(tmp_path / "none", PREDICTIONS / "benchmark-upload.tsv").code == 1


def test_every_flag_names_a_count_that_is_printed_and_is_described(evaluate: Command) -> None:
    counts = evaluate(BENCHMARK_GOLD, PREDICTIONS / "benchmark-saliency.jsonl", "--json").json["counts"]
    described = (REPOSITORY / "docs" / "commands.md").read_text(encoding="utf-8")
    for place in MEANINGS:
        part, name = place.split(".")
        assert counts[part][name] == 0
        assert f"`{name}`" in described, f"docs/commands.md does not describe counts.{place}"


def test_scoring_loads_no_streamlit_spacy_sqlite_utils_or_pandas() -> None:
    words = ["evaluate", "benchmark", "--task", "sentiment", "--gold", str(BENCHMARK_GOLD)]
    words += ["--predictions", str(PREDICTIONS / "benchmark-saliency.jsonl")]
    script = (
        "import sys; from annotator.cli.main import run; "
        f"code = run({words!r}); "
        "loaded = sorted({'streamlit', 'spacy', 'sqlite_utils', 'pandas', 'sqlite3', 'sklearn'} & sys.modules.keys()); "
        "print(loaded, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=REPOSITORY, check=True)
    assert done.stderr.strip() == "[]"
