"""Whatever a file holds, a reader says what is wrong in a sentence, soon, in little memory, and in the reader's language."""

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.domain.file_problems import on_page
from annotator.domain.sources import SourceColumns
from annotator.domain.tasks import TASKS
from annotator.errors import AnnotatorError, InvalidValue, Problem
from annotator.formats.base import OutputOptions, ReadOptions
from annotator.formats.model_output.inseq import read_arrays
from annotator.formats.model_output.thermostat import read_vocabulary
from annotator.formats.registry import OUTPUT_READERS, READERS, get_output_reader, get_reader
from annotator.formats.rows.csv_table import MAX_COLUMNS
from annotator.language import speaking
from tests.conftest import REPOSITORY
from tests.formats import damaged
from tests.formats.conftest import check_items, paths_of, with_value


def test_every_format_that_is_read_has_a_sample_to_be_damaged():
    assert set(damaged.INSTANCES) == set(READERS)
    assert set(damaged.OUTPUT) == set(OUTPUT_READERS)


@pytest.mark.parametrize("name", sorted({**READERS, **OUTPUT_READERS}))
def test_the_samples_that_are_damaged_are_read_whole_when_they_are_not(name, tmp_path):
    for path, reader in damaged.samples(name, tmp_path):
        items = list(reader(path))
        assert any(not isinstance(item, Problem) for item in items)
        assert [str(i) for i in items if isinstance(i, Problem) and not i.is_warning] == []


def test_damaged_files_are_told_and_never_a_trace_a_hang_or_gigabytes():
    done = subprocess.run(
        [sys.executable, "-m", "tests.formats.damaged", *READERS, *OUTPUT_READERS],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.stdout == "tried\n", f"{done.stdout}\n{done.stderr[-2000:]}"


# Tables --------------------------------------------------------------------------------------------------------------


def test_a_table_with_more_columns_than_the_limit_is_told_with_both_numbers(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["id", "text", *(f"c{n}" for n in range(100_000))]) + "\n" + "x," * 100_001 + "x\n")
    [problem] = get_reader("csv")(path, ReadOptions(TASKS["sentiment"]))
    assert problem.reason == "Header has 100,002 columns; the limit is 5,000. Remove some."


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
    (HEADER.format("<f8", "(-1,)"), "not a header for numbers or text"),
    (HEADER.format("|O", "(1,)"), "not a header for numbers or text"),  # Python objects: never unpickled
    (HEADER.format("<f8", "(" * 4000), "not a header for numbers or text"),
    ("-" * 9000, "not a header for numbers or text"),
    ("", "not a header for numbers or text"),
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
    with pytest.raises(InvalidValue, match=r"'bomb\.npz' exceeds 256 MB\. Split it\."):
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
    with pytest.raises(InvalidValue, match="Not a safetensors file:"):
        read_arrays(len(deep).to_bytes(8, "little") + deep)
    (tmp_path / "vocab.json").write_bytes(deep)
    with pytest.raises(InvalidValue, match="is not a vocabulary"):
        read_vocabulary(tmp_path / "vocab.json")


# Files of another kind -----------------------------------------------------------------------------------------------

PROSE = "# Read me\n\nThis is the data of a study.\nIt holds 57 lines.\n\n" + "More is told in the paper.\n" * 53
LIST = '[\n  {"id": "1", "text": "Fine."},\n  {"id": "2", "text": "Bad."}\n]\n'
NO_JSONL = [
    (PROSE, "Not JSONL: line 1 isn't an object {...}. Choose another format."),
    ("just a word", "Not JSONL: line 1 isn't an object"),
    ("id,text\n1,Fine.\n", "Choose another format."),
    ('[\n{\n"id": 1\n}\n]\n', "per line). Choose another format."),
    ('{\n"id": 1,\n"text": "Fine."\n}\n', "per line). Choose another format."),
    ("\n\n<xml>\n</xml>\n", "Not JSONL: line 3 isn't an object {...}."),
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
    assert problem.reason.startswith("Looks like JSON, not a table. Choose its format.")


def test_prose_given_as_a_models_output_is_one_problem(tmp_path):
    path = tmp_path / "README"
    path.write_text(PROSE)
    [problem] = get_output_reader("predictions")(path, OutputOptions(TASKS["sentiment"], model="m"))
    assert problem.reason.startswith("Not JSONL: line 1 isn't an object {...}. Choose another format.")


def test_a_file_whose_lines_are_rows_with_mistakes_tells_each_line(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("{'id': 1}\n{\"id\": 2\n" * 3)
    problems = list(get_reader("jsonl")(path, ReadOptions(TASKS["sentiment"])))
    assert [p.line for p in problems] == [1, 2, 3, 4, 5, 6]


KINDS = [
    (b"PK\x03\x04rest", "archive"),
    (b"PK\x05\x06" + b"\0" * 18, "is an empty zip archive"),
    (b"\x1f\x8brest", "is an archive"),
    (b"PAR1rest", "is a Parquet file, not UTF-8 text. Write its rows as JSONL."),
    (b"%PDF-1.7", "is a PDF file"),
    (b"\x89PNG\r\n\x1a\n", "is a picture"),
    (b"SQLite format 3\0", "is a SQLite database"),
    ("id,text".encode("utf-16"), "is text in UTF-16, not UTF-8 text. Save it as UTF-8."),
]


@pytest.mark.parametrize("name", ["csv", "jsonl", "label-studio", "aesw", "argilla"])
@pytest.mark.parametrize(("content", "reason"), KINDS)
def test_a_file_that_is_no_text_is_refused_by_what_it_is(name, content, reason, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    task = {"aesw": "editing", "argilla": "inference"}.get(name, "sentiment")
    with pytest.raises(InvalidValue) as refusal:
        list(get_reader(name)(path, ReadOptions(TASKS[task])))
    assert reason in str(refusal.value) or (name == "label-studio" and "is an archive" in str(refusal.value))


# Whatever a file holds, a reader gives items and problems; it never fails.

NAMES = """
id key split language text tokens label answer annotator annotator_label rationales note exhaustive parent target metadata
passage title question sentence1 sentence2 query context document record fields annotations pair meta docid annotation_id
classification evidences docids query_type start_token end_token segment start_char end_char sent_id sent_label sent_token
sent_text text_q_seg text_t_seg rationale_ids rationale_q_idx rationale_t_idx rel_ids adv_type sample_type role group type
segments work draft proposals version name task labels settings char_spans field start end starts ends sentence_starts user
round state revision
"""
SOURCES = st.sampled_from(
    ["instance", "document", "project", "event", "text", "1", "a b", "", "perturbed", "original", "d"]
)
SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.just(1.5) | SOURCES
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=5),
    max_leaves=12,
)
ROWS = st.dictionaries(st.sampled_from(NAMES.split()), VALUES, max_size=8)
# Rows that are right but for one value.
RIGHT = [
    {"id": "1", "text": "a b", "label": "a", "rationales": [[[0, 1]]], "tokens": ["a", "b"]},
    {"record": "instance", "key": "1", "segments": {"text": {"text": "a b"}}, "annotations": [{"annotator": "a", "rationales": [[{"segment": "text", "start_token": 0, "end_token": 1}]]}], "work": [], "metadata": {}},
    {"id": "1", "fields": {"text": {"text": "a b", "tokens": ["a", "b"]}}, "annotations": [{"annotator": "a", "rationales": [{"text": [0]}]}], "pair": {"group": "g", "role": "original"}, "meta": {}},
    {"annotation_id": "1", "classification": "a", "query": "q", "docids": ["d"], "evidences": [[{"docid": "d", "start_token": 0, "end_token": 1, "text": "a"}]]},
    {"id": 1, "context": "a b", "sent_token": ["a", "b"], "rel_ids": [2], "sample_type": "ori"},
    {"sent_id": 1, "sent_text": "a b", "sent_label": 0, "sent_token": ["a", "b"], "rationales": [[0], ["1"]], "rel_ids": []},
    {"id": 1, "title": "c", "context": "a b", "question": "q", "sent_token": ["a", "b", "c"]},
    {"sent_id": 1, "sent_label": 0, "rationale_q_idx": [0], "rationale_t_idx": [0]},
    {"id": 1, "query": "a", "title": "b", "text_q_seg": ["a"], "text_t_seg": ["b"]},
]  # fmt: skip


@st.composite
def nearly_right(draw):
    row = draw(st.sampled_from(RIGHT))
    path = draw(st.sampled_from(list(paths_of(row))))
    return with_value(row, path, draw(VALUES))


def read(name: str, task: str, content: bytes, documents: bytes) -> list:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.jsonl"
        path.write_bytes(content)
        (Path(folder) / "docs.jsonl").write_bytes(documents)
        return list(get_reader(name)(path, ReadOptions(TASKS[task], ("a", "b"))))


TASK_NAMES = st.sampled_from(["sentiment", "similarity", "reading", "verification", "entity", "choice"])
DOCUMENT = b'{"docid": "d", "document": "a b", "text": "a b"}\n'


@pytest.mark.parametrize("name", READERS)
@given(rows=st.lists(ROWS | nearly_right() | st.sampled_from(RIGHT), max_size=4), task=TASK_NAMES)
def test_odd_rows_never_make_a_reader_fail(name, rows, task):
    content = "".join(json.dumps(row) + "\n" for row in rows)
    check(name, task, content.encode())


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=25)
@given(content=st.binary(max_size=200) | st.text(max_size=100).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_odd_bytes_never_make_a_reader_fail(name, content):
    check(name, "sentiment", content)
    check(name, "sentiment", b"id,text,rationales\n" + content)


def check(name: str, task: str, content: bytes) -> None:
    try:
        items = read(name, task, content, DOCUMENT)
    except AnnotatorError:  # the file as a whole, such as a task that the benchmark has not
        return
    check_items(items)


# What is wrong with a file is said in the language of whoever imports it; rows themselves are never translated.

SENTIMENT = ReadOptions(TASKS["sentiment"], ("positive", "negative"))


def read_rows(content: str, tmp_path: Path, name: str = "rows.csv") -> list[object]:
    path = tmp_path / name
    path.write_text(content)
    with speaking("zh"):
        return list(get_reader(path.suffix[1:])(path, SENTIMENT))


def test_a_header_without_what_is_needed_is_refused_in_chinese_with_what_may_be_meant(tmp_path: Path) -> None:
    problems = read_rows("tweet_id,tweet\n7,A calm film that stays.\n", tmp_path)
    assert [problem.reason for problem in problems if isinstance(problem, Problem)] == [
        "没有列存放编号。 是 'tweet_id' 吗？如果是，请选择该列（--column id=tweet_id），或把它改名为 'id'"
        "（或 'key'、'instance_id'、'annotation_id'、'sent_id'）。 没有编号的行可以编号（--number-keys）。",
        "没有列存放文本。 是 'tweet' 吗？如果是，请选择该列（--column text=tweet），或把它改名为 'text'"
        "（或 'sentence'、'context'、'review'）。",
    ]


def test_what_columns_are_taken_for_is_said_in_chinese(tmp_path: Path) -> None:
    [told] = [item for item in read_rows("id,text,stars\n1,Calm.,4\n", tmp_path) if isinstance(item, SourceColumns)]
    assert told.told == "列 'id' 是编号、'text' 是文本。 'stars' 成为元数据。 没有列存放标签或划分。"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "2", "text": "Dull', "JSON 无效：第 21 个字符处：字符串没有结束（共 25 个字符）。"),
        ('{"id": "2" "text": 1}', "JSON 无效：第 12 个字符处：应有 ','（共 21 个字符）。"),
        ('{"id": "2", "text": "Dull.", "note": 1}', "必须是文本或空值 null，而不是整数。"),
        ('{"text": "Dull."}', "没有编号。请补上，或使用 --number-keys。"),
    ],
)
def test_a_broken_line_among_rows_is_refused_in_chinese(line: str, reason: str, tmp_path: Path) -> None:
    items = read_rows(f'{{"id": "1", "text": "Calm."}}\n{line}\n', tmp_path, "rows.jsonl")
    assert [(item.line, item.reason) for item in items if isinstance(item, Problem)] == [(2, reason)]


def test_a_cell_is_called_a_cell_and_not_a_line(tmp_path: Path) -> None:
    items = read_rows('id,text,rationales\n1,Calm.,"[[1, 2"\n', tmp_path)
    [problem] = [item for item in items if isinstance(item, Problem)]
    assert problem.reason.startswith('必须是 JSON，例如 [[{"start_token": 2, "end_token": 4}]]')
    assert "JSON 无效：在第 6 个字符处截断。" in problem.reason


def test_a_file_that_is_no_text_is_refused_in_chinese(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="是 PDF 文件，不是 UTF-8 文本。请先提取其中的文本。"):
        read_rows("%PDF-1.7", tmp_path)


# What can be done about a file, in the words of the page and the language of whoever reads it.


def test_a_remedy_names_the_fields_of_the_page_in_the_language_of_the_page() -> None:
    with speaking("zh"):
        assert on_page("请用有变动的行覆盖（--update）。") == "请用有变动的行覆盖（“用有变动的行覆盖”）。"
        assert on_page("请选择该列（--column text=body）。", {"text": "文本"}.__getitem__) == (
            "请选择该列（在“列”中为“文本”选择“body”）。"
        )
