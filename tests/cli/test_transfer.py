"""`annotator import` and `export`: what they print, refuse and leave behind."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from annotator.cli.transfer import _Progress
from tests.cli.conftest import Command, heavy_parts
from tests.conftest import REPOSITORY
from tests.formats.datasets.test_aesw import PAPER, sentences


def test_an_import_says_what_it_stored(annotator: Command, rows: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    answer = annotator("import", "jsonl", str(rows), "--project", "P")
    assert answer.out.startswith("Stored 2 new instances (2 new texts, 1 annotation with 1 rationale set)")


def test_an_import_without_a_format_takes_that_of_the_file_and_says_it(annotator: Command, rows: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    answer = annotator("import", str(rows), "--project", "P")
    assert answer.out.startswith("Stored 2 new instances")
    assert answer.err.startswith("note: This looks like JSONL; it is read as jsonl.\n")


def test_an_import_without_a_format_asks_for_one_where_nothing_tells_it(annotator: Command, tmp_path: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    file = tmp_path / "prose.txt"
    file.write_text("Nothing but prose.\n")
    answer = annotator("import", str(file), "--project", "P")
    assert (answer.code, "tells its format. Name it: annotator import FORMAT" in answer.err) == (1, True)
    assert annotator("import", "--project", "P").code == 2


def test_a_format_that_was_named_is_kept_and_the_other_one_is_told_when_it_does_not_fit(
    annotator: Command, rows: Path
) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    answer = annotator("import", "csv", str(rows), "--project", "P")
    assert answer.code == 1
    assert "note: This looks like JSONL. Try the format jsonl." in answer.err
    assert "Import it on Tests." not in annotator("import", "jsonl", str(rows), "--project", "P").err


def test_json_of_no_known_form_is_not_said_to_be_of_another_format_than_model_output_that_was_named(
    filled: Command, tmp_path: Path
) -> None:
    file = tmp_path / "out.json"
    file.write_text('{"made": "by another tool"}')
    answer = filled("import", "inseq", str(file), "--project", "P")
    assert (answer.code, "This looks like" in answer.err) == (1, False)


def test_an_import_of_model_output_counts_attributions_and_instances_apart(filled: Command, tmp_path: Path) -> None:
    file = tmp_path / "output.jsonl"
    said = [
        {"id": key, "model": "m", "method": method, "scores": [0.5] * 3}
        for key in "ab" for method in ("x", "y", "z")
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in said))
    answer = filled("import", "attributions", str(file), "--project", "P")
    assert answer.out == (
        "Stored 6 attributions of 2 instances. Rows of the file: 6 new, 0 changed, 0 unchanged, 0 left "
        "out; 0 warnings.\nThe file has predictions for 0 texts, attributions for 2.\nThe first text with a "
        "map is 'a'.\n"
    )


@pytest.fixture
def two_outputs(tmp_path: Path) -> tuple[Path, Path]:
    """Answers of one model, and a map of another for the second text alone."""
    answers, maps = tmp_path / "answers.jsonl", tmp_path / "maps.jsonl"
    answers.write_text("".join(json.dumps({"id": k, "model": "m", "prediction": "yes"}) + "\n" for k in "ab"))
    maps.write_text(json.dumps({"id": "b", "model": "n", "method": "x", "scores": [1, 2, 3]}) + "\n")
    return answers, maps


def test_several_files_of_model_output_are_stored_together_and_told_one_by_one(
    filled: Command, two_outputs: tuple[Path, Path]
) -> None:
    answers, maps = map(str, two_outputs)
    answer = filled("import", answers, maps, "--project", "P")
    assert answer.code == 0
    assert f"{answers} (predictions):\nStored 2 predictions of 2 instances." in answer.out
    assert f"{maps} (attributions):\nStored 1 attribution of 1 instance." in answer.out
    assert (
        "The file has predictions for 0 texts, attributions for 1.\nThe first text with a map is 'b'.\n" in answer.out
    )
    again = filled("import", answers, maps, "--project", "P", "--json").json
    assert [(file["file"], file["n_unchanged"]) for file in again["files"]] == [(answers, 2), (maps, 1)]


def test_texts_that_are_named_with_model_output_are_stored_before_it(
    annotator: Command, rows: Path, two_outputs: tuple[Path, Path]
) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    answers, maps = map(str, two_outputs)
    answer = annotator("import", answers, str(rows), maps, "--project", "P")
    assert answer.code == 0
    assert answer.out.startswith(f"{rows} (jsonl):\nStored 2 new instances")
    assert f"{answers} (predictions):\nStored 2 predictions of 2 instances." in answer.out
    assert f"{maps} (attributions):\nStored 1 attribution of 1 instance." in answer.out


def test_a_folder_of_texts_is_read_with_the_model_output_that_lies_in_it(annotator: Command, tmp_path: Path) -> None:
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "SST_annotations.csv").write_text(
        "text_id,sentence,original_label,label,rationale_index,annotator_ID\n1,a calm film,positive,positive,[1],7\n"
    )
    (folder / "lrp_tiny_sst2_attention.csv").write_text(
        "originaldata_id,tokens_input,tokens_merged,lrp,label\n5,\"['a', 'calm', 'film']\",\"['a', 'calm', 'film']\","
        '"[0.1, 0.7, 0.2]",1\n'
    )
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "negative,positive")
    answer = annotator("import", str(folder), "--project", "P")
    assert f"{folder} (fair-rationales):\nStored 1 new instance" in answer.out
    assert f"{folder}/lrp_tiny_sst2_attention.csv (attributions):\nStored 1 attribution" in answer.out
    assert "left out" not in answer.err


def test_of_several_files_none_is_stored_when_one_has_a_problem(
    filled: Command, two_outputs: tuple[Path, Path]
) -> None:
    answers, maps = two_outputs
    maps.write_text(maps.read_text() + json.dumps({"id": "z", "model": "n", "prediction": "yes"}) + "\n")
    refused = filled("import", str(answers), str(maps), "--project", "P")
    assert refused.code == 1
    assert refused.err.count("Problems in 1 of 2 files. Nothing was stored. Correct them or use --skip-invalid.") == 1
    assert "maps.jsonl, line 2, field id, value 'z'" in refused.err
    assert f"note: '{answers}': no problem (2 predictions of 2 instances)." in refused.err
    only = filled("import", str(answers), "--project", "P", "--json").json
    assert (only["n_new"], only["n_unchanged"]) == (2, 0)  # nothing was there
    left_out = filled("import", str(answers), str(maps), "--project", "P", "--skip-invalid")
    assert (left_out.code, "Stored 1 attribution of 1 instance." in left_out.out) == (0, True)


def test_a_column_that_looks_like_the_label_and_is_not_read_is_a_warning_with_the_option_that_reads_it(
    annotator: Command, tmp_path: Path
) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("id,text,my class\n" + "".join(f"{n},Good {n}.,{'yes' if n % 2 else 'no'}\n" for n in range(20)))
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    answer = annotator("import", str(file), "--project", "P", "--dry-run")
    assert "warning: 'my class': looks like the label but becomes metadata." in answer.err
    assert "Choose it (--column 'label=my class')" in answer.err
    assert "note: The column 'my class' looks" not in answer.err
    assert "1 warning." in answer.out
    chosen = annotator("import", str(file), "--project", "P", "--column", "label=my class")
    assert ("warning:" in chosen.err, "0 warnings." in chosen.out) == (False, True)


def test_labels_of_a_file_are_renamed_by_pairs(annotator: Command, rows: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "negative,positive")
    renaming = ("--rename", "yes=positive", "--rename", "no=negative")
    assert annotator("import", "jsonl", str(rows), "--project", "P", *renaming).code == 0
    refused = annotator("import", "jsonl", str(rows), "--project", "P", "--rename", "yes")
    assert (refused.code, "--rename yes: write a name, =, and a value." in refused.err) == (1, True)


def test_a_dry_run_stores_nothing(annotator: Command, rows: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    answer = annotator("import", "jsonl", str(rows), "--project", "P", "--dry-run", "--json")
    assert answer.json["stored"] is False
    assert annotator("project", "list", "--json").json["projects"][0]["instances"] == 0


def test_a_refused_file_names_file_line_field_and_reason_on_standard_error(filled: Command, rows: Path) -> None:
    rows.write_text(json.dumps({"id": "c", "text": "x", "label": "maybe"}) + "\n")
    answer = filled("import", "jsonl", str(rows), "--project", "P")
    assert answer.code == 1
    assert "rows.jsonl, line 1, field label, value 'maybe'" in answer.err
    assert answer.out == ""


def test_a_file_that_is_not_there_and_an_unknown_format_are_refused(
    filled: Command, rows: Path, tmp_path: Path
) -> None:
    assert "There is no file or folder '" in filled("import", "jsonl", str(tmp_path / "none"), "--project", "P").err
    assert "Unknown format 'xml'. Available:" in filled("import", "xml", str(rows), "--project", "P").err
    assert "Unknown project 'Q'. Available: 'P'." in filled("import", "jsonl", str(rows), "--project", "Q").err


def test_an_export_imports_into_a_new_project(filled: Command, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert filled("export", "jsonl", str(out), "--project", "P").out == f"Wrote 2 instances to {out}.\n"
    filled("project", "create", "Copy", "--task", "sentiment")
    assert filled("import", "jsonl", str(out), "--project", "Copy").code == 0
    assert filled("stats", "--project", "Copy", "--json").json["rationales"]["n_sets"] == 1


def test_an_export_names_people_where_names_are_asked_for(filled: Command, tmp_path: Path) -> None:
    def annotators(*options: str) -> set[str]:
        out = tmp_path / "gold.csv"
        assert filled("export", "csv", str(out), "--project", "P", *options).code == 0
        with out.open(encoding="utf-8", newline="") as file:
            return {row["annotators"] for row in csv.DictReader(file)}

    [named] = annotators("--names")
    assert annotators("--names", "--annotator", named) == {named}
    assert filled("export", "csv", str(tmp_path / "x"), "--project", "P", "--annotator", "zoe").code == 1
    [unnamed] = annotators()
    assert named not in unnamed
    assert unnamed.startswith("annotator ")
    refused = filled("export", "eraser", str(tmp_path / "x"), "--project", "P", "--names")
    assert (
        refused.code,
        "--names is only for csv, prodigy, parquet, datasets, parquet-annotations. Remove it." in refused.err,
    ) == (1, True)


def test_a_zip_of_an_eraser_export_with_its_folder_imports_again(filled: Command, tmp_path: Path) -> None:
    assert filled("split", "--project", "P", "--parts", "train=1").code == 0
    assert filled("export", "eraser", str(tmp_path / "P-eraser"), "--project", "P").code == 0
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path, "P-eraser")
    filled("project", "create", "Copy", "--task", "sentiment")
    answer = filled("import", archive, "--project", "Copy")
    assert answer.out.startswith("Stored 1 new instance")
    assert "note: This looks like ERASER; it is read as eraser." in answer.err


def test_an_export_without_splits_to_eraser_says_how_to_make_them(filled: Command, tmp_path: Path) -> None:
    answer = filled("export", "eraser", str(tmp_path / "out"), "--project", "P")
    assert answer.code == 1
    assert "annotator split" in answer.err
    assert not (tmp_path / "out").exists()
    assert filled("split", "--project", "P", "--parts", "train=.5,test=.5").code == 0
    assert filled("export", "eraser", str(tmp_path / "out"), "--project", "P").code == 0


def test_problems_and_warnings_are_listed_apart_and_counted(annotator: Command, tmp_path: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    fields = [{"text": {"text": f"a {n}"}} for n in range(202)]
    rows = [{"id": f"w{n}", "fields": fields[n], "pair": {"group": f"g{n}", "role": "perturbed"}} for n in range(202)]
    rows += [{"id": f"w{n}", "fields": fields[n]} for n in range(201)]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused = annotator("import", "jsonl", str(file), "--project", "P")
    assert refused.err.count("Duplicate of line ") == 200
    assert "warning" not in refused.err
    assert refused.err.endswith("... and 1 more problem\n")
    taken = annotator("import", "jsonl", str(file), "--project", "P", "--skip-invalid")
    assert (taken.err.count("left out: "), taken.err.count("warning: ")) == (200, 1)
    assert "... and 1 more problem\n" in taken.err
    assert "warning: rows.jsonl, in 202 rows (lines 1, 2, 3, 4, 5, …)" in taken.err
    assert "201 left out, 202 warnings" in taken.out


def test_problems_that_differ_in_their_values_alone_are_one_line_with_all_their_rows(
    filled: Command, tmp_path: Path
) -> None:
    file = tmp_path / "answers.jsonl"
    rows = [{"id": f"strange{n}", "model": "m", "prediction": "yes"} for n in range(250)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused = filled("import", "predictions", str(file), "--project", "P")
    assert refused.err.count("Unknown ID. Correct it, or import the text first.") == 1
    assert (
        "in 250 rows (lines 1, 2, 3, 4, 5, …), field id, value 'strange0; strange1; strange2; and more'" in refused.err
    )
    assert "more problem" not in refused.err
    few = filled("import", "predictions", str(file), "--project", "P", "--json").json
    assert sum(problem["n"] for problem in few["problems"]) == few["n_problems"] == 250


def test_the_same_problem_in_many_rows_is_printed_once_and_nothing_is_said_to_be_missing(
    annotator: Command, tmp_path: Path
) -> None:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "bad,good")
    file = tmp_path / "rows.csv"
    file.write_text("id,text,label\n" + "".join(f"{n},Fine.,odd\n" for n in range(250)))
    refused = annotator("import", "csv", str(file), "--project", "P")
    assert refused.err.splitlines()[0].startswith("250 problems in 'rows.csv'; no usable rows. Nothing was stored.")
    assert "rows.csv, in 250 rows (lines 2, 3, 4, 5, 6, …), field label, value 'odd'" in refused.err
    assert refused.err.count("field label") == 1
    assert "more problem" not in refused.err


@pytest.mark.parametrize(("is_terminal", "last"), [(True, ["12,000 instances read"]), (False, [])])
def test_progress_is_told_at_least_every_5_000_rows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_terminal: bool, last: list[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal, raising=False)
    progress = _Progress()
    for n_read in (4_999, 5_300, 9_900, 10_100, 12_000):
        progress.take(n_read)
    progress.end()
    assert capsys.readouterr().err.splitlines() == ["5,300 instances read", "10,100 instances read", *last]


SEVERAL = [
    {"id": "a", "text": "Good food.", "label": "yes", "annotator": f"ann{n}", "rationales": [[[0, n]]]}
    for n in (1, 2, 3)
]


def test_an_import_with_several_annotators_names_the_policy_and_the_others(annotator: Command, rows: Path) -> None:
    rows.write_text("".join(json.dumps(row) + "\n" for row in SEVERAL), encoding="utf-8")
    annotator("project", "create", "P", "--task", "sentiment")
    answer = annotator("import", "jsonl", str(rows), "--project", "P")
    assert answer.code == 0
    assert "note: 3 annotators per text. Gold policy “chosen”:" in answer.err
    assert "1 of 3 accepted annotations count." in answer.err
    assert "For another policy, repeat the command with --gold-policy (all, majority, union)." in answer.err


def test_the_gold_policy_can_be_set_with_the_import(annotator: Command, rows: Path) -> None:
    rows.write_text("".join(json.dumps(row) + "\n" for row in SEVERAL), encoding="utf-8")
    annotator("project", "create", "P", "--task", "sentiment")
    answer = annotator("import", "jsonl", str(rows), "--project", "P", "--gold-policy", "union", "--json")
    told = answer.json
    assert (told["gold_policy"], told["accepted"]["n_annotations"]) == ("union", 3)
    assert told["notes"][0].startswith("3 annotators per text. Gold policy “union”")
    assert annotator("project", "show", "P", "--json").json["settings"]["gold_policy"] == "union"


def test_an_empty_file_and_prose_are_refused_with_exit_status_1(filled: Command, tmp_path: Path) -> None:
    for content in ("", "\ufeff\n", "Prose.\n" * 57):
        (tmp_path / "file").write_text(content, encoding="utf-8")
        answer = filled("import", "jsonl", str(tmp_path / "file"), "--project", "P")
        assert (answer.code, answer.out) == (1, "")
        assert "is empty." in answer.err or "Choose another format." in answer.err
        assert len(answer.err.splitlines()) <= 2


def test_a_file_in_another_encoding_is_refused_until_it_is_named_and_its_letters_are_shown(
    annotator: Command, tmp_path: Path
) -> None:
    file = tmp_path / "excel.csv"
    file.write_bytes("id,text,label\n1,a café – fine,yes\n".encode("windows-1252"))
    annotator("project", "create", "W", "--task", "sentiment", "--labels", "no,yes")
    refused = annotator("import", "csv", str(file), "--project", "W")
    assert (refused.code, "Not UTF-8. Set --encoding, or save as UTF-8 (Excel: “CSV UTF-8”)." in refused.err) == (
        1,
        True,
    )
    wrong = annotator("import", "csv", str(file), "--project", "W", "--encoding", "gb18030")
    assert (wrong.code, "isn't gb18030" in wrong.err) == (1, True)
    read = annotator("import", "csv", str(file), "--project", "W", "--encoding", "windows-1252")
    assert (read.code, "read as windows-1252, line 2: 1,a café – fine,yes" in read.err) == (0, True)
    exported = tmp_path / "out.jsonl"
    annotator("export", "jsonl", str(exported), "--project", "W")
    assert "a café – fine" in exported.read_text(encoding="utf-8")


def test_a_file_whose_words_nltk_finds_is_imported_in_a_process_of_its_own_and_without_torch(
    path: Path, annotator: Command
) -> None:
    annotator("project", "create", "P", "--task", "editing")
    file = REPOSITORY / "data" / "samples" / "aesw.xml"
    assert "torch" not in heavy_parts("--db", path, "import", "aesw", file, "--project", "P")


def test_edits_are_imported_counted_and_exported_from_the_command_line(annotator: Command, tmp_path: Path) -> None:
    file, out = tmp_path / "train.xml", tmp_path / "out.jsonl"
    file.write_text(
        sentences(PAPER, "A <del>b </del>c <del>d </del>e.", "An upper<del> </del>one.", "F<ins>,</ins> g.", "H i.")
    )
    annotator("project", "create", "P", "--task", "editing")
    answer = annotator("import", "aesw", str(file), "--project", "P")
    assert answer.code == 0
    assert answer.out.startswith("Stored 5 new instances (5 new texts, 3 annotations with 2 rationale sets)")
    again = annotator("import", "aesw", str(file), "--project", "P")
    assert "0 changed, 5 unchanged, 0 left out" in again.out
    other = annotator("import", "aesw", str(file), "--project", "P", "--set-per-deletion", "--update")
    assert "1 changed, 4 unchanged, 0 left out" in other.out
    numbers = annotator("stats", "--project", "P", "--json").json
    assert (numbers["size"]["n_instances"], numbers["rationales"]["n_sets"]) == (5, 3)
    assert annotator("export", "jsonl", str(out), "--project", "P").code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    stored = {row["key"]: row for row in rows if row["record"] == "instance"}
    assert stored["0"]["metadata"]["edits"] == [[14, 24, "described"]]
    assert len(stored["1"]["annotations"][0]["rationales"]) == 2
    assert stored["2"]["annotations"][0].get("rationales", []) == []
    assert (stored["3"]["result"], stored["4"]["result"]) == ("needs edit", "correct")


@pytest.mark.parametrize("corpus", ["multirc", "movies", "fever", "evidence-inference"])
def test_a_raw_corpus_goes_from_its_authors_files_into_an_eraser_folder(
    annotator: Command, tmp_path: Path, corpus: str
) -> None:
    annotator("project", "create", "P", "--task", "verification")
    answer = annotator("import", str(REPOSITORY / "data" / "samples" / corpus), "--project", "P")
    assert answer.out.startswith("Stored 2 new instances")
    assert "note: Instances kept: 2 (" in answer.err
    assert annotator("export", "eraser", str(tmp_path / "out"), "--project", "P").out.startswith("Wrote 2 instances")
    rows = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text().splitlines()]
    text = {
        "multirc": [["Ada bought beans .", "In May she planted them ."]],
        "movies": [["warm and clever film"], ["laughed twice"]],
        "fever": [["Oak Hill is a hill -LRB- 210 m -RRB- ."]],
        "evidence-inference": [["Patients with tea slept longer ( p < 0.01 ) ."]],
    }[corpus]
    assert [[evidence["text"] for evidence in group] for group in rows[0]["evidences"]] == text


def test_boolq_is_refused_in_one_sentence(annotator: Command, tmp_path: Path) -> None:
    annotator("project", "create", "P", "--task", "verification")
    file = tmp_path / "train.jsonl"
    file.write_text('{"question": "is a cat a dog", "title": "Cat", "answer": false, "passage": "A cat is no dog."}\n')
    answer = annotator("import", "boolq", str(file), "--project", "P")
    assert answer.code == 1
    assert "BoolQ's files lack the evidence, which needs Wikipedia's dump of 2018-12-20." in answer.err
