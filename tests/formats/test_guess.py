"""The format of a file is guessed from its first lines: every sample, and rows that only look alike."""

import json
from pathlib import Path

import pytest

from annotator.formats.registry import OUTPUT_READERS, READERS, guess_format
from tests.formats.test_samples import CASES, SAMPLES

PREDICTIONS = [
    ("attributions.csv", "attributions-csv"),
    ("benchmark-paddlenlp.jsonl", "benchmark-predictions"),
    ("benchmark-trustai.jsonl", "benchmark-predictions"),
    ("benchmark-saliency.jsonl", "benchmark-saliency"),
    ("model_output.jsonl", "attributions"),
]
SAMPLES_BY_FORMAT = [(path, name) for name, path, *_ in CASES] + [(f"predictions/{n}", f) for n, f in PREDICTIONS]


@pytest.mark.parametrize(("path", "name"), SAMPLES_BY_FORMAT)
def test_the_format_of_each_sample_is_found(path, name):
    guess = guess_format(SAMPLES / path)
    assert guess is not None
    assert guess.format_name == name


OTHERS = Path(__file__).parents[3] / "shared" / "data" / "attribution_samples"
TOOLS = [
    ("captum_records.json", "captum"),
    ("ferret_explanations.json", "ferret"),
    ("inseq.json", "inseq"),
    ("inseq_primitives.json", "inseq"),
    ("interpreto.json", "interpreto"),
    ("lime.json", "lime"),
    ("shap_explanation.json", "shap"),
    ("thermostat.jsonl", "thermostat"),
    ("transformers_interpret.json", "transformers-interpret"),
    ("xai_benchmark.jsonl", "xai-benchmark"),
]


@pytest.mark.parametrize(("path", "name"), TOOLS)
def test_what_the_tools_themselves_wrote_is_found(path, name):
    if not OTHERS.is_dir():
        pytest.skip("the tools' own files are not here")
    guess = guess_format(OTHERS / path)
    assert guess is not None
    assert guess.format_name == name


FILES = [
    (
        "out.json",
        b'{"__instance_type__": ["inseq.data.attribution", "FeatureAttributionOutput"], "attributes": {"sequence_attributions": [], "info": {}}}',
        "inseq",
        "on one line, within class names",
    ),
    (
        "out.json",
        b'{"sequence_attributions": [{"target": [' + b'{"token": "a"}, ' * 20_000 + b"{}]}]}",
        "inseq",
        "one line that is longer than what is read",
    ),
    (
        "answers.jsonl",
        b'{"custom_id": "self-explanation:1::0", "text": "{}", "prediction": "x"}\n',
        "self-explanations",
        "an answer to a prompt, in a field that texts have",
    ),
    (
        "answers.jsonl",
        b'{"id": "self-explanation:1::0", "reply": "{}"}\n',
        "self-explanations",
        "an answer to a prompt, by its name alone",
    ),
    ("rows.txt", b'{"id": "1", "text": "a", "label": "x"}\n', "jsonl", "the name does not matter where lines tell it"),
    ("rows.jsonl", b'\xef\xbb\xbf\n{"id": "1", "text": "a"}\n', "jsonl", "a byte order mark and a blank line"),
    ("rows.jsonl", b'{"id": "1", "text": "a", "scores": [1], "prediction": "x"}\n', "jsonl", "texts with more fields"),
    ("rows.jsonl", b'{"id": "1", "fields": {"text": {"text": "a"}}}\n', "jsonl", "the neutral form"),
    ("rows.csv", b"id;text\n1;a\n", "csv", "semicolons"),
    ("rows.txt", b"id\ttext\n1\ta\n", "csv", "a table under another name"),
    ("rows.csv", b"id\n1\n", "csv", "one column, by its name"),
    ("out.jsonl", b'{"id": "1", "probabilities": {"a": 1}}\n', "predictions", "answers"),
    ("doccano.jsonl", b'{"id": 1, "text": "abc", "label": [[0, 1, "x"]]}\n', "doccano", "marks as lists"),
    ("doccano.jsonl", b'{"id": 1, "text": "abc", "label": ["x"]}\n', "jsonl", "labels that are no marks"),
    ("prose.txt", b"This is a text, of two lines,\nand no table.\n", None, "prose with commas"),
    ("empty.csv", b"", None, "nothing"),
    ("photo.bin", b"\x89PNG\r\n\x00\x00", None, "a picture"),
]


@pytest.mark.parametrize(("name", "content", "format_name", "why"), FILES)
def test_the_first_lines_tell_the_format(name, content, format_name, why, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    guess = guess_format(path)
    assert (guess.format_name if guess else None) == format_name, why


def test_a_folder_is_what_its_most_particular_file_is(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d1").write_text("A b .")
    (tmp_path / "docs.jsonl").write_text('{"docid": "d1", "document": "A b ."}\n')
    row = {"annotation_id": "1", "classification": "x", "evidences": []}
    (tmp_path / "train.jsonl").write_text(json.dumps(row) + "\n")
    guess = guess_format(tmp_path)
    assert guess is not None
    assert guess.format_name == "eraser"


def test_every_guess_is_a_format_that_can_be_read():
    from annotator.formats import registry as formats_guess

    names = {guess.format_name for guess, _ in formats_guess._FORMS}
    assert names - {"suite"} <= READERS.keys() | OUTPUT_READERS.keys()  # a suite is imported by itself


@pytest.mark.parametrize(
    ("name", "content", "format_name", "other"),
    [
        ("a.jsonl", '{"text": "Good.", "probabilities": {"a": 1}}\n', "jsonl", "predictions"),
        ("a.jsonl", '{"id": 1, "text": "Good.", "scores": [1]}\n', "jsonl", "attributions"),
        ("a.jsonl", '{"id": 1, "text": "Good.", "label": "a"}\n', "jsonl", None),
        ("a.csv", "text,prediction\nGood.,a\n", "csv", "predictions"),
        ("a.csv", "id,prediction\n1,a\n", "predictions", None),
        ("a.csv", "id,tokens,scores\n1,[],[]\n", "attributions", None),
        ("a.csv", "originaldata_id,tokens_input,tokens_merged,lrp,label\n1,[],[],[],a\n", "attributions", None),
    ],
)
def test_a_file_of_texts_with_what_a_model_says_of_them_may_be_two_formats(
    tmp_path: Path, name: str, content: str, format_name: str, other: str | None
) -> None:
    path = tmp_path / name
    path.write_text(content)
    guess = guess_format(path)
    assert guess is not None
    assert (guess.format_name, guess.other and guess.other.format_name) == (format_name, other)
