"""`annotator evaluate edits`, `alignment` and `project`: two files to numbers, refusals by line, and that little is loaded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

REPOSITORY = Path(__file__).resolve().parents[2]

# Two sentences with a deleted word, one without an edit. "The boy ate the found his ball .": the worked example of
# Stevens and Su 2021, section 4, whose rationale is the two words that are ranked first.
MARKUP = (
    "The boy <del>ate the </del>found his ball .\n"
    "It is <del>very </del>good .\n"
    "Nothing to mend .\n"
)  # fmt: skip


def attribution(key: str, scores: list[float], **more: object) -> dict[str, object]:
    return {"id": key, "model": "m", "method": "attention", "scores": scores, **more}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    gold, scores = tmp_path / "edits.txt", tmp_path / "scores.jsonl"
    gold.write_text(MARKUP, encoding="utf-8")
    rows = [
        attribution("line1", [0, 0, 0.9, 0.8, 0.1, 0, 0, 0], prediction={"needs edit": 0.9, "correct": 0.1}),
        attribution("line2", [0.9, 0, 0.5, 0, 0.1], prediction={"needs edit": 0.4, "correct": 0.6}),
    ]
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(gold), str(scores)


def test_edits_give_all_correct_and_wrong_rows_with_their_confidence(
    annotator: Command, files: tuple[str, str]
) -> None:
    answer = annotator("evaluate", "edits", "--gold", files[0], "--predictions", files[1], "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.json["gold"] == {
        "instances": 2, "instances_without_sets": 0, "sets": 2, "rows_of_unknown_instances": 0, "warnings": 0,
    }  # fmt: skip
    [row] = answer.json["runs"]
    mrr = {part: row[part]["editing.mrr"]["value"] for part in ("all", "correct", "wrong")}
    assert mrr == {"all": 0.75, "correct": 1.0, "wrong": 0.5}  # "ate the" at ranks 1 and 2; "very" at rank 2
    assert row["all"]["editing.top_1"]["value"] == 0.0  # two words never count, one is second
    assert row["correct"]["editing.top_1_lenient"]["value"] == 1.0
    assert (row["confidence"]["perfect"], row["confidence"]["other"]) == (0.9, None)
    assert (row["model"], row["method"], row["layer"]) == ("m", "attention", None)


def test_edits_are_told_by_criterion_too(annotator: Command, tmp_path: Path) -> None:
    gold, scores = tmp_path / "edits.txt", tmp_path / "scores.jsonl"
    gold.write_text(MARKUP + "The <del>weigthed</del><ins>weighted</ins> mean .\n", encoding="utf-8")
    said = {"line1": [0, 0, 0.9, 0.8, 0, 0, 0, 0], "line2": [0.9, 0, 0.5, 0, 0], "line4": [0.9, 0.5, 0.7, 0]}
    rows = [attribution(key, of_key, prediction={"needs edit": 0.9, "correct": 0.1}) for key, of_key in said.items()]
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    [row] = annotator("evaluate", "edits", "--gold", str(gold), "--predictions", str(scores), "--json").json["runs"]
    mrr = {
        criterion: (numbers["all"]["editing.mrr"]["value"], numbers["all"]["editing.mrr"]["n"])
        for criterion, numbers in row["by_criterion"].items()
    }
    assert mrr == {"deleted": ((1.0 + 0.5) / 2, 2), "spelling": (pytest.approx(1 / 3), 1)}
    assert row["by_criterion"]["spelling"]["wrong"]["editing.mrr"]["n"] == 0


def test_a_sentence_without_an_answer_or_without_a_gold_label_is_neither_right_nor_wrong_and_is_counted(
    annotator: Command, tmp_path: Path
) -> None:
    gold, scores = tmp_path / "gold.jsonl", tmp_path / "scores.jsonl"
    texts = [
        {"id": key, "text": "a b c d", "rationales": [[[0, 1]]]}
        for key in ("right", "wrong", "unlabelled", "unanswered")
    ]
    labels = {"right": "edit", "wrong": "edit", "unanswered": "edit"}
    rows = [text | ({"label": labels[text["id"]]} if text["id"] in labels else {}) for text in texts]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    said = {"right": ("edit", [4, 3, 2, 1]), "wrong": ("keep", [3, 4, 2, 1]), "unlabelled": ("edit", [1, 2, 3, 4])}
    answered = [attribution(key, of_key, prediction={label: 0.9}) for key, (label, of_key) in said.items()]
    lines = [*answered, attribution("unanswered", [1, 2, 3, 4])]
    scores.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    words = ["--gold", str(gold), "--gold-format", "jsonl", "--predictions", str(scores), "--json"]
    [row] = annotator("evaluate", "edits", *words).json["runs"]
    mrr = {
        part: (row[part]["editing.mrr"]["value"], row[part]["editing.mrr"]["n"]) for part in ("all", "correct", "wrong")
    }
    assert mrr == {"all": (0.75, 2), "correct": (1.0, 1), "wrong": (0.5, 1)}  # all = R x correct + (1 - R) x wrong
    counts = {
        name: row["counts"][f"instances_{name}"] for name in ("without_answer", "without_gold_label", "left_out_of_all")
    }
    assert counts == {"without_answer": 1, "without_gold_label": 1, "left_out_of_all": 2}


def test_where_nothing_is_answered_all_sentences_count_and_none_is_wrong(
    annotator: Command, files: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(json.dumps(attribution("line2", [0.9, 0, 0.5, 0, 0.1])) + "\n", encoding="utf-8")
    [row] = annotator("evaluate", "edits", "--gold", files[0], "--predictions", str(path), "--json").json["runs"]
    assert {part: row[part]["editing.mrr"]["n"] for part in ("all", "correct", "wrong")} == {
        "all": 1,
        "correct": 0,
        "wrong": 0,
    }
    assert (row["counts"]["instances_without_answer"], row["counts"]["instances_left_out_of_all"]) == (1, 0)


def test_each_layer_is_a_row(annotator: Command, files: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "layers.jsonl"
    rows = [attribution("line2", [0, 0, float(layer), 0.5, 0], layer=layer) for layer in (0, 1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answer = annotator("evaluate", "edits", "--gold", files[0], "--predictions", str(path), "--json")
    assert [(row["layer"], row["all"]["editing.mrr"]["value"]) for row in answer.json["runs"]] == [(0, 0.25), (1, 1.0)]


ALIGNED = [0, 0.04, -0.01, 0.01, 0, 0]  # er_test.md 2.1, the worked case; y = 0 1 1 0 0 0


@pytest.fixture
def aligned(tmp_path: Path) -> tuple[str, str]:
    gold, scores = tmp_path / "gold.jsonl", tmp_path / "scores.jsonl"
    row = {"id": "a", "tokens": ["t0", "t1", "t2", "t3", "t4", "t5"], "label": "x", "rationales": [[[1, 3]]]}
    gold.write_text(json.dumps(row) + "\n", encoding="utf-8")
    scores.write_text(json.dumps(attribution("a", ALIGNED)) + "\n", encoding="utf-8")
    return str(gold), str(scores)


@pytest.mark.parametrize(("gamma", "mse", "mae", "order"), [("1", 0.249, 0.499, 0.0001), ("100", 0.303, 0.497, 0.400)])
def test_alignment_gives_the_worked_numbers_at_both_gammas(
    annotator: Command, aligned: tuple[str, str], gamma: str, mse: float, mae: float, order: float
) -> None:
    words = ["--task", "sentiment", "--gold", aligned[0], "--predictions", aligned[1], "--gamma", gamma, "--json"]
    [row] = annotator("evaluate", "alignment", *words).json["runs"]
    defined = {name: number["value"] for name, number in row["defined"].items()}
    assert defined["er_test.mse_mean"] == pytest.approx(mse, abs=5e-4)
    assert defined["er_test.mae_mean"] == pytest.approx(mae, abs=5e-4)
    assert defined["er_test.order"] == pytest.approx(order, abs=5e-4)
    released = row["released"]["er_test.mse_released"]
    assert released["value"] == pytest.approx(mse, abs=5e-4)
    assert (released["n_batches"], row["released"]["er_test.huber_released"]["value"]) == (1, released["value"] / 2)


def test_a_row_that_does_not_fit_is_refused_with_file_line_and_name(
    annotator: Command, files: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(attribution("line2", [1.0])) + "\n", encoding="utf-8")
    answer = annotator("evaluate", "edits", "--gold", files[0], "--predictions", str(path), "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "bad.jsonl, line 1" in answer.err
    assert "1 score for 5 tokens" in answer.err
    path.write_text(json.dumps(attribution("77", [1.0])) + "\n", encoding="utf-8")
    answer = annotator("evaluate", "edits", "--gold", files[0], "--predictions", str(path))
    assert (answer.code, "are the ids the same?" in answer.err) == (1, True)


def test_edits_are_a_table_for_people_with_a_row_for_all_right_and_wrong_ones(
    annotator: Command, files: tuple[str, str]
) -> None:
    words = ("evaluate", "edits", "--gold", files[0], "--predictions", files[1])
    lines = annotator(*words).out.splitlines()
    assert lines[0] == "2 sentences with an edit, 2 rationale sets"
    heads = next(line for line in lines if line.startswith("Model · method"))
    assert heads.split()[3:] == ["↑"] * 7
    of_all = next(line for line in lines if line.startswith("m · attention  "))
    assert of_all.split()[3:6] == ["2", "0.750", "0.750"]  # MRR 1 and 1/2
    assert any(line.startswith("m · attention, answered") for line in lines)
    assert "m, attention: confidence 0.900 where the ranking is perfect (n 1), – where it is not (n 0)." in lines
    assert "[0.500, 1.00]" in annotator(*words, "--intervals").out


def test_the_lines_for_people_name_runs_and_definitions(annotator: Command, aligned: tuple[str, str]) -> None:
    words = ("evaluate", "alignment", "--task", "sentiment", "--gold", aligned[0], "--predictions", aligned[1])
    lines = annotator(*words, "--intervals").out.splitlines()
    assert any(line.startswith("m, ") and "lower is better" in line and "n = " in line for line in lines)


def test_a_project_is_scored_by_command(annotator: Command, aligned: tuple[str, str], tmp_path: Path) -> None:
    database = ("--db", str(tmp_path / "p.db"))
    annotator(*database, "project", "create", "P", "--task", "sentiment")
    assert annotator(*database, "import", "jsonl", aligned[0], "--project", "P").code == 0
    assert annotator(*database, "import", "attributions", aligned[1], "--project", "P").code == 0
    answer = annotator(*database, "evaluate", "project", "--project", "P", "--model", "m", "--json")
    assert list(answer.json)[:3] == ["project", "gold_policy", "release"]
    assert (
        answer.json["models"][0]["methods"][0]["plausibility"]["sets.best_f1"]["value"] == 0.5
    )  # t1, t3 against t1, t2
    assert annotator(*database, "evaluate", "project", "--project", "P", "--model", "x").code == 1
    every = annotator(*database, "evaluate", "project", "--project", "P", "--all").out
    assert "m, attention (attribution).plausibility" in every


def test_scoring_files_loads_no_streamlit_spacy_sqlite_utils_or_pandas(files: tuple[str, str]) -> None:
    script = (
        "import sys; sys.modules['sklearn'] = None; "  # which a test's machine has, and NLTK would load with pandas
        "from annotator.cli.main import run; "
        f"code = run(['evaluate', 'edits', '--gold', {files[0]!r}, '--predictions', {files[1]!r}]); "
        "loaded = sorted({'streamlit', 'spacy', 'sqlite_utils', 'pandas', 'sqlite3', 'torch'} & sys.modules.keys()); "
        "print(loaded, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=REPOSITORY, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"
