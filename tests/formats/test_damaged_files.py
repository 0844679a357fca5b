"""Files that are cut, garbled, nested or enormous: every reader says so in a sentence, soon, and in little memory."""

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import OutputOptions, ReadOptions
from annotator.formats.model_output.inseq import read_arrays
from annotator.formats.model_output.thermostat import read_vocabulary
from annotator.formats.registry import OUTPUT_READERS, READERS, get_output_reader, get_reader
from annotator.formats.rows.csv_table import MAX_COLUMNS
from annotator.formats.rows.file_kinds import N_FIRST_LINES
from tests.formats import damaged

ROOT = Path(__file__).parents[2]


def test_every_format_that_is_read_has_a_sample_to_be_damaged():
    assert set(damaged.INSTANCES) == set(READERS)
    assert set(damaged.OUTPUT) == set(OUTPUT_READERS)


@pytest.mark.parametrize("name", sorted({**READERS, **OUTPUT_READERS}))
def test_the_samples_that_are_damaged_are_read_whole_when_they_are_not(name, tmp_path):
    for path, reader in damaged.samples(name, tmp_path):
        items = list(reader(path))
        assert any(not isinstance(item, Problem) for item in items)
        assert [str(i) for i in items if isinstance(i, Problem) and not i.is_warning] == []


@pytest.mark.parametrize("name", sorted({**READERS, **OUTPUT_READERS}))
def test_damaged_files_are_told_and_never_a_trace_a_hang_or_gigabytes(name):
    done = subprocess.run(
        [sys.executable, "-m", "tests.formats.damaged", name],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.stdout == "tried\n", f"{done.stdout}\n{done.stderr[-2000:]}"


# Tables --------------------------------------------------------------------------------------------------------------


def test_a_table_with_more_columns_than_the_limit_is_told_with_both_numbers(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["id", "text", *(f"c{n}" for n in range(100_000))]) + "\n" + "x," * 100_001 + "x\n")
    [problem] = get_reader("csv")(path, ReadOptions(TASKS["sentiment"]))
    assert problem.reason == "The header names 100,002 columns, and a table may have 5,000 at most; leave columns out."


def test_a_table_as_wide_as_may_be_is_read(tmp_path):
    path = tmp_path / "wide.csv"
    names = ["id", "text", *(f"c{n}" for n in range(MAX_COLUMNS - 2))]
    path.write_text(",".join(names) + "\n" + f"1,Fine.{',x' * (MAX_COLUMNS - 2)}\n")
    instance, _ = get_reader("csv")(path, ReadOptions(TASKS["sentiment"]))
    assert len(instance.metadata) == MAX_COLUMNS - 2


# Arrays --------------------------------------------------------------------------------------------------------------


def read_npz(path: Path) -> list[object]:
    return list(get_output_reader("shap")(path, OutputOptions(TASKS["sentiment"], model="m")))


HEADER = "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}"
CLAIMS = [
    (HEADER.format("<f8", "(100000000000,)"), "claims 100,000,000,000 values"),  # 800 GB, before anything is read
    (HEADER.format("<U0", "(100000000000,)"), "claims 100,000,000,000 values"),  # of no bytes each
    (HEADER.format("<f8", "(1000000, 1000000)"), "claims 1,000,000,000,000 values"),
    (HEADER.format("<f8", "(-1,)"), "not that of numbers or text"),
    (HEADER.format("|O", "(1,)"), "not that of numbers or text"),  # Python objects: never unpickled
    (HEADER.format("<f8", "(" * 4000), "not that of numbers or text"),
    ("-" * 9000, "not that of numbers or text"),
    ("", "not that of numbers or text"),
]


@pytest.mark.parametrize(("header", "reason"), CLAIMS)
def test_an_array_with_a_header_that_cannot_be_true_is_refused_before_it_is_made(header, reason, tmp_path):
    path = tmp_path / "e.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "values.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + b"0" * 16
        )
    with pytest.raises(InvalidValue, match=reason):
        read_npz(path)


def test_arrays_that_would_unpack_to_more_than_the_limit_are_refused(tmp_path):
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, values=np.zeros(40_000_000, dtype=np.float64))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InvalidValue, match=r"'bomb.npz' holds more than 256 MB; save it in parts"):
        read_npz(path)


ARRAYS = [
    np.array([[0.5, -1.5], [2.0, 3.0], [4.0, 5.0]]),
    np.asfortranarray([[0.5, -1.5], [2.0, 3.0], [4.0, 5.0]]),
    np.array([1, 2], dtype=">i4"),
    np.array([0.5], dtype=np.float16),
    np.array(["a ", "ü", ""]),
    np.array(3),
    np.zeros((0, 3)),
]


@pytest.mark.parametrize("array", ARRAYS)
def test_plain_arrays_are_read_as_numpy_reads_them(array, tmp_path):
    from annotator.formats.model_output.shap_values import read_arrays as read_npz_arrays

    np.savez(tmp_path / "e.npz", values=array, other=np.array([object()], dtype=object))
    found = read_npz_arrays(tmp_path / "e.npz", ("values", "data"), "")
    assert found == {"values": array.tolist() if array.size else []}


def test_deep_json_in_the_header_of_safetensors_and_in_a_vocabulary_is_refused(tmp_path):
    deep = b'{"a":' * 50_000
    with pytest.raises(InvalidValue, match="no safetensors file"):
        read_arrays(len(deep).to_bytes(8, "little") + deep)
    (tmp_path / "vocab.json").write_bytes(deep)
    with pytest.raises(InvalidValue, match="is not a vocabulary"):
        read_vocabulary(tmp_path / "vocab.json")


# Files of another kind -----------------------------------------------------------------------------------------------

PROSE = "# Read me\n\nThis is the data of a study.\nIt holds 57 lines.\n\n" + "More is told in the paper.\n" * 53
LIST = '[\n  {"id": "1", "text": "Fine."},\n  {"id": "2", "text": "Bad."}\n]\n'
NO_JSONL = [
    (PROSE, f"line 1 is no JSON object, nor are the {N_FIRST_LINES - 1} lines after it. JSONL has one object"),
    ("just a word", "This does not look like JSONL: line 1 is no JSON object. JSONL has one object"),
    ("id,text\n1,Fine.\n", "nor is the line after it"),
    ('[\n{\n"id": 1\n}\n]\n', "seems to be one JSON list [...]"),
    ('{\n"id": 1,\n"text": "Fine."\n}\n', "seems to be one JSON object over several lines"),
    ("\n\n<xml>\n</xml>\n", "line 3 is no JSON object"),
]


@pytest.mark.parametrize(("content", "reason"), NO_JSONL)
def test_what_is_no_jsonl_at_all_is_one_problem(content, reason, tmp_path):
    path = tmp_path / "README"
    path.write_text(content)
    [problem] = get_reader("jsonl")(path, ReadOptions(TASKS["sentiment"]))
    assert reason in problem.reason
    assert problem.field == "file"


@pytest.mark.parametrize("name", ["csv", "esnli"])
@pytest.mark.parametrize("content", ['{"id": "1", "text": "Fine, really fine."}\n' * 3, '[\n  {"id": "1"}\n]\n'])
def test_json_given_as_a_table_is_told_by_what_it_is(name, content, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(content)
    [problem] = get_reader(name)(path, ReadOptions(TASKS["inference"]))
    assert problem.reason.startswith("The file looks like JSON and not like a table; choose the format jsonl")


def test_prose_given_as_a_models_output_is_one_problem(tmp_path):
    path = tmp_path / "README"
    path.write_text(PROSE)
    [problem] = get_output_reader("predictions")(path, OutputOptions(TASKS["sentiment"], model="m"))
    assert problem.reason.startswith("This does not look like JSONL")


def test_a_file_whose_lines_are_rows_with_mistakes_tells_each_line(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("{'id': 1}\n{\"id\": 2\n" * 3)
    problems = list(get_reader("jsonl")(path, ReadOptions(TASKS["sentiment"])))
    assert [p.line for p in problems] == [1, 2, 3, 4, 5, 6]


KINDS = [
    (b"PK\x03\x04rest", "is a zip archive"),
    (b"PK\x05\x06" + b"\0" * 18, "is an empty zip archive"),
    (b"\x1f\x8brest", "is a gzip archive"),
    (b"PAR1rest", "is a Parquet file, and not text in UTF-8. Write its rows as JSONL. Of our own exports, jsonl (the"),
    (b"%PDF-1.7", "is a PDF file"),
    (b"\x89PNG\r\n\x1a\n", "is a picture"),
    (b"SQLite format 3\0", "is a SQLite database"),
    ("id,text".encode("utf-16"), "is text in UTF-16, and not text in UTF-8. Save it as UTF-8."),
]


@pytest.mark.parametrize("name", ["csv", "jsonl", "label-studio", "aesw", "argilla"])
@pytest.mark.parametrize(("content", "reason"), KINDS)
def test_a_file_that_is_no_text_is_refused_by_what_it_is(name, content, reason, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    task = {"aesw": "editing", "argilla": "inference"}.get(name, "sentiment")
    with pytest.raises(InvalidValue) as refusal:
        list(get_reader(name)(path, ReadOptions(TASKS[task])))
    assert reason in str(refusal.value) or (name == "label-studio" and "is a zip archive" in str(refusal.value))
