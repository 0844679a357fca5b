"""Attributions in the peers' own formats: their values arrive, by place, and what is wrong is named."""

import base64
import csv
import io
import json
import math
import pickle
import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.models import Prediction, Run, ScoredPart, SourceOutput, Subword
from annotator.domain.tasks import TASKS
from annotator.errors import AnnotatorError, InvalidValue, NotFound, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.inseq import read_arrays
from annotator.formats.model_output.thermostat import read_vocabulary
from annotator.formats.registry import OUTPUT_READERS, get_output_reader
from annotator.text.alignment import split_on_spaces
from annotator.text.subword_scores import merge_over_segments
from annotator.text.tokenisation import tokenise
from tests.conftest import SAMPLES, SHARED_DATA, needs_data

THEIRS = SHARED_DATA / "attribution_samples"
OWN = SAMPLES / "predictions"
BOTH = ("negative", "positive")
OPTIONS = OutputOptions(TASKS["sentiment"], BOTH, model="bert", method="ig")
HOSTILE = "<img src=x onerror=alert(1)>"


TEXTS = (
    "the movie was unlikeable and boring but the acting is wonderful",
    "i never hate a good story",
    "a terrible, dull plot!",
)


def read(name: str, path: Path, **options: Any) -> list[SourceOutput | Problem]:
    return list(get_output_reader(name)(path, replace(OPTIONS, **options)))


def read_json(name: str, folder: Path, content: object, **options: Any) -> list[SourceOutput | Problem]:
    path = folder / "file.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return read(name, path, **options)


def outputs(items: list[SourceOutput | Problem]) -> list[SourceOutput]:
    assert [str(item) for item in items if isinstance(item, Problem) and not item.is_warning] == []
    return [item for item in items if isinstance(item, SourceOutput)]


def refusals(items: list[SourceOutput | Problem]) -> list[str]:
    return [f"{p.field}: {p.reason}" for p in items if isinstance(p, Problem) and not p.is_warning]


def warnings(items: list[SourceOutput | Problem]) -> list[str]:
    return [p.reason for p in items if isinstance(p, Problem) and p.is_warning]


def scores_of(output: SourceOutput, label: str) -> list[tuple[str, float]]:
    """Subwords with their scores for a label."""
    (attribution,) = [a for a in output.attributions if a.label == label]
    (part,) = attribution.parts
    return [(subword.text, score) for subword, score in zip(part.subwords or (), part.scores, strict=True)]


def written_of(
    output: SourceOutput,
) -> tuple[tuple[str, ...], list[list[tuple[str, float]]], tuple[tuple[float, ...], ...]]:
    """The subwords of a written answer, the subwords of the text with their scores for each, and those of earlier subwords."""
    (attribution,) = output.attributions
    written = attribution.written
    assert written is not None
    parts = [step.parts[0] for step in written.steps]
    steps = [[(p.text, s) for p, s in zip(part.subwords or (), part.scores, strict=True)] for part in parts]
    return written.subwords, steps, written.earlier


# The peers' own files ------------------------------------------------------------------------------------------------


def sample(name: str) -> Any:
    return json.loads((THEIRS / name).read_text(encoding="utf-8"))


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    """The tiny model's vocabulary: the subwords of one sample under the ids of another, of the same three texts."""
    rows = [json.loads(line) for line in (THEIRS / "thermostat.jsonl").read_text().splitlines()]
    subwords = [json.loads(line) for line in (THEIRS / "xai_benchmark.jsonl").read_text().splitlines()]
    found = {
        token["token"]: number
        for row, of_row in zip(rows, subwords, strict=True)
        for number, token in zip(row["input_ids"], of_row["tokens"], strict=False)
    }
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps(found | {"[PAD]": 0}))
    return path


@needs_data
class TestSamples:
    def test_thermostat(self, vocabulary):
        first, second, third = outputs(read("thermostat", THEIRS / "thermostat.jsonl", vocabulary=vocabulary))
        assert [output.key for output in (first, second, third)] == ["0", "1", "2"]
        assert scores_of(second, "negative")[:3] == [
            ("[CLS]", 0.08985333144664764), ("i", -0.04722140356898308), ("never", -0.004855075851082802),
        ]  # fmt: skip
        assert len(scores_of(second, "negative")) == 8  # the padding is gone
        # softmax of .9195 and -.3720 by hand: 1 / (1 + e^-1.2915)
        assert first.predictions[0].probabilities["negative"] == pytest.approx(0.7844, abs=1e-4)
        assert first.run == Run("bert", "ig")

    def test_xai_benchmark(self):
        first, *_ = found = outputs(read("xai-benchmark", THEIRS / "xai_benchmark.jsonl"))
        assert [output.key for output in found] == ["0", "1", "2"]
        assert scores_of(first, "positive")[4:7] == [
            ("un", 0.022869616746902466), ("##like", -0.036462850868701935), ("##able", -0.009989048354327679),
        ]  # fmt: skip
        assert scores_of(first, "negative")[-1] == ("[SEP]", -0.003425516188144684)

    @pytest.mark.parametrize("name", ["inseq.json", "inseq_primitives.json"])
    def test_inseq(self, name):
        (output,) = outputs(read("inseq", THEIRS / name, task=TASKS["reading"]))
        assert output.run == Run("bert", "input_x_gradient", '{"attributed_fn": "probability_fn"}', unit="probability")
        # the numbers as numpy reads the 56 bytes of the sample
        subwords, steps, earlier = written_of(output)
        assert subwords == ("and", "[SEP]")
        assert [text for text, _ in steps[0]] == ["[CLS]", "the", "movie", "was", "boring"]
        first = [0.0392476, 0.0348874, 0.033416, 0.0402154, 0.8522336]
        second = [0.0433861, 0.041493, 0.0630427, 0.0470822, 0.0501629]
        assert [s for _, s in steps[0]] == pytest.approx(first, abs=1e-6)
        assert [s for _, s in steps[1]] == pytest.approx(second, abs=1e-6)
        assert earlier[0] == ()
        assert len(earlier[1]) == 1
        assert [s for _, s in scores_of(output, "")] == pytest.approx(np.mean([first, second], axis=0), abs=1e-6)
        assert output.predictions == (Prediction("boring and"),)

    def test_shap(self):
        first, *_ = outputs(read("shap", THEIRS / "shap_explanation.json", labels=("neg", "pos"), method=""))
        assert scores_of(first, "neg")[:2] == [("", 1.4901161193847656e-08), ("the ", 0.027335897088050842)]
        assert scores_of(first, "pos")[1] == ("the ", -0.027335896156728268)
        assert first.run == Run("bert", "shap", is_signed=True)

    def test_lime(self):
        found = outputs(read("lime", THEIRS / "lime.json", method=""))
        assert [(output.key, output.run.parameters) for output in found[:4]] == [
            ("0", '{"bow": true}'), ("0", '{"bow": false}'), ("1", '{"bow": true}'), ("1", '{"bow": false}'),
        ]  # fmt: skip
        with_bow, by_place = (dict(enumerate(scores_of(output, "negative"))) for output in found[:2])
        assert with_bow[0] == with_bow[7] == ("the", 0.0005736875917975004)  # each occurrence has the weight whole
        assert (by_place[0][1], by_place[7][1]) == (0.02724961401518544, 0.009786087894489825)
        assert scores_of(found[4], "negative")[2] == (", ", 0.0)  # no word for LIME

    def test_captum(self):
        first, _, third = outputs(read("captum", THEIRS / "captum_records.json"))
        assert scores_of(first, "negative")[4:7] == [
            ("un", 0.43401122093200684), ("##like", 0.3840232193470001), ("##able", -0.12544406950473785),
        ]  # fmt: skip
        assert first.attributions[0].convergence == -6.51925802230835e-08
        assert third.predictions == (Prediction("negative", {"negative": 0.7721155881881714}),)
        assert (first.source, first.line) == ("captum_records.json[0]", 2)

    def test_transformers_interpret(self):
        first, *_ = outputs(read("transformers-interpret", THEIRS / "transformers_interpret.json"))
        assert scores_of(first, "negative")[4:6] == [("un", 0.011370695196092129), ("##like", 0.7102027535438538)]
        assert first.predictions == (Prediction("negative"),)

    def test_ferret(self):
        found = outputs(read("ferret", THEIRS / "ferret_explanations.json"))
        assert [output.key for output in found] == [str(number) for number in range(3) for _ in range(6)]
        assert len({output.run.method for output in found}) == 6
        assert found[0].run.method == "Partition SHAP"
        assert scores_of(found[0], "positive")[1] == ("the", -0.18841449493574294)

    def test_interpreto(self):
        found = outputs(read("interpreto", THEIRS / "interpreto.json"))
        assert [output.key for output in found] == ["0", "1", "2", "0", "1", "2"]
        assert scores_of(found[3], "positive")[3] == ("unlikeable", -0.09080389142036438)
        assert found[3].run == Run("bert", "Occlusion", '{"granularity": "WORD"}')

    @pytest.mark.parametrize(
        ("name", "file"),
        [
            ("thermostat", "thermostat.jsonl"),
            ("xai-benchmark", "xai_benchmark.jsonl"),
            ("shap", "shap_explanation.json"),
            ("lime", "lime.json"),
            ("captum", "captum_records.json"),
            ("ferret", "ferret_explanations.json"),
            ("transformers-interpret", "transformers_interpret.json"),
            ("interpreto", "interpreto.json"),
        ],
    )
    def test_every_file_fits_the_words_of_its_texts_and_nothing_is_lost(self, name, file, vocabulary):
        bodies = [tokenise(text, "en") for text in TEXTS]
        found = outputs(read(name, THEIRS / file, vocabulary=vocabulary))
        assert len(found) % 3 == 0
        for output in found:
            body = bodies[int(output.key)]
            for attribution in output.attributions:
                (part,) = attribution.parts
                merged = merge_over_segments(part.subwords, part.scores, {"text": body})
                special = [score for subword, score in merged.subwords if subword.is_special]
                assert math.fsum(merged.scores) == pytest.approx(math.fsum(part.scores) - math.fsum(special), abs=1e-9)
                if output.key == "0" and any(subword.text.endswith("like") for subword in part.subwords):
                    of_word = [s for p, s in merged.subwords if p.text.strip("# ") in {"un", "like", "able"}]
                    assert merged.scores[body.tokens().index("unlikeable")] == pytest.approx(math.fsum(of_word))


# The peers' formats, small files of our own --------------------------------------------------------------------------

TOKENS = ["[CLS]", "un", "##kind", HOSTILE, "[SEP]"]
SCORES = [0.5, 0.25, -0.5, 0.125, 0.0]
RECORDS: dict[str, Any] = {
    "xai-benchmark": {"tokens": [{"token": t, "0": -s, "1": s} for t, s in zip(TOKENS, SCORES, strict=True)]},
    "shap": {"values": [[-s, s] for s in SCORES], "data": TOKENS, "output_names": ["negative", "positive"]},
    "captum": {"word_attributions": SCORES, "raw_input_ids": TOKENS, "attr_class": 1, "pred_class": 1, "pred_prob": 0.75},
    "transformers-interpret": {"text": "x", "word_attributions": list(zip(TOKENS, SCORES, strict=True)), "predicted": "LABEL_1"},
    "ferret": {"text": "x", "tokens": TOKENS, "scores": SCORES, "explainer": "ig", "target": 1},
    "interpreto": {"elements": TOKENS, "attributions": [SCORES], "targets": [1], "method": "ig"},
    "argilla-attributions": {
        "explanation": {"text": [{"token": t, "attributions": {"positive": s}} for t, s in zip(TOKENS, SCORES, strict=True)]}
    },
    "thermostat": {"idx": 0, "attributions": SCORES, "input_ids": list(range(5)), "label": 0, "predictions": [0.25, 0.75]},
}  # fmt: skip
EXPECTED = list(zip(TOKENS, SCORES, strict=True))


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(TOKENS) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("shape", ["list", "object", "lines"])
def test_scores_arrive_by_place_and_tokens_as_they_are(tmp_path, words, name, shape):
    record = RECORDS[name]
    second = json.loads(json.dumps(record).replace("kind", "like")) | {"idx": 1}
    if shape == "list":
        content: str = json.dumps([record, second], indent=1)
    else:
        content = json.dumps(record) if shape == "object" else f"{json.dumps(record)}\n\n{json.dumps(second)}\n"
    first, *rest = outputs(read_json(name, tmp_path, content, vocabulary=words))
    assert scores_of(first, "positive") == EXPECTED
    assert [output.key for output in rest] == ([] if shape == "object" else ["1"])


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_with_nan_is_named_and_the_others_are_read(tmp_path, words, name):
    content = json.dumps([RECORDS[name] | {"id": "a"}, RECORDS[name] | {"id": "b"}], indent=1)
    at = content.rindex("0.25")
    items = read_json(name, tmp_path, content[:at] + "NaN" + content[at + 4 :], vocabulary=words)
    (problem,) = [item for item in items if isinstance(item, Problem) and not item.is_warning]
    assert problem.source == "file.json[1]"
    assert problem.reason == "NaN isn't JSON. Write a number or null."
    assert [output.key for output in items if isinstance(output, SourceOutput)] == ["a"]


@pytest.mark.parametrize("name", RECORDS)
def test_scores_that_are_all_zero_are_told(tmp_path, words, name):
    content = json.dumps(RECORDS[name])
    for score in (0.25, 0.5, 0.125):
        content = content.replace(f" {score}", " 0.0").replace(f" -{score}", " 0.0").replace(f"[{score}", "[0.0")
    items = read_json(name, tmp_path, content, vocabulary=words)
    assert "All scores are 0. Check the method." in warnings(items)
    assert len(outputs(items)) == 1


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("shap", {"data": ["a"]}, "values: 'values' has 5 entries, 'data' 1; lengths must match."),
        ("shap", {"output_names": ["a"]}, "output_names: 'output_names' has 1 entry, 'values[0]' 2; lengths must match."),
        ("shap", {"values": [[1, 2], [1], [1, 2], [1, 2], [1, 2]]}, "values[1]: Every subword needs 2 values, one per class."),
        ("captum", {"raw_input_ids": ["a"]}, "word_attributions: 'word_attributions' has 5 entries, 'raw_input_ids' 1; lengths must match."),
        ("captum", {"attr_class": 7}, "attr_class: No class 7: the project has 2 labels, from 0."),
        ("ferret", {"tokens": ["a"]}, "tokens: 'tokens' has 1 entry, 'scores' 5; lengths must match."),
        ("ferret", {"scores": None}, "scores: Must be a list, not null."),
        ("interpreto", {"elements": ["a"]}, "attributions[0]: 'attributions[0]' has 5 entries, 'elements' 1; lengths must match."),
        ("interpreto", {"targets": [0, 1]}, "targets: 'targets' has 2 entries, 'attributions' 1; lengths must match."),
        ("interpreto", {"attributions": [[1, 2, 3, 4, 5], 1]}, "attributions: Must be one list, or one per class."),
        ("thermostat", {"input_ids": [1, 2, 3, 4]}, "attributions: 'attributions' has 5 entries, 'input_ids' 4; lengths must match."),
        ("thermostat", {"input_ids": [1, 2, 3, 4, 99]}, "input_ids: Unknown token id. Use the model's own tokeniser."),
        ("xai-benchmark", {"tokens": [{"token": "a", "0": 1}, {"token": "b"}]}, "tokens[1]: Each token needs text and a score per class ('0')."),
        ("xai-benchmark", {"tokens": []}, "tokens: No token has a score."),
        ("argilla-attributions", {"explanation": {"text": []}}, "explanation: No token has a score."),
        ("transformers-interpret", {"word_attributions": [["a"]]}, "word_attributions"),
    ],
)  # fmt: skip
def test_records_that_cannot_be_taken_say_why(tmp_path, words, name, change, expected):
    items = read_json(name, tmp_path, [RECORDS[name] | change], vocabulary=words)
    assert [item for item in items if isinstance(item, SourceOutput)] == []
    assert any(reason.startswith(expected) for reason in refusals(items)), refusals(items)


def test_one_score_a_subword_without_class_names(tmp_path):
    (output,) = outputs(read_json("shap", tmp_path, {"values": SCORES, "data": TOKENS}))
    assert scores_of(output, "") == EXPECTED
    (output,) = outputs(read_json("interpreto", tmp_path, {"elements": TOKENS, "attributions": SCORES}))
    assert scores_of(output, "") == EXPECTED


def test_several_texts_in_one_object_of_shap(tmp_path):
    content = {"values": [[[1, 2]], [[3, 4], [5, 6]]], "data": [["a"], ["b", "c"]], "output_names": list(BOTH)}
    first, second = outputs(read_json("shap", tmp_path, content))
    assert scores_of(first, "positive") == [("a", 2)]
    assert scores_of(second, "negative") == [("b", 3), ("c", 5)]
    assert (first.key, second.key) == ("0", "1")


def test_records_of_one_text_by_several_methods_are_of_one_instance(tmp_path):
    def record(text: str, explainer: str, target: int = 1) -> dict[str, Any]:
        return {"text": text, "tokens": [text], "scores": [1.0], "explainer": explainer, "target": target}

    records = [
        record("a", "x"),
        record("a", "y"),
        record("a", "x", 0),
        record("b", "x"),
        record("a", "x"),
        record("a", "y"),
    ]
    items = read_json("ferret", tmp_path, records)
    assert [output.key for output in outputs(items)] == ["0", "0", "0", "1", "2", "2"]
    assert [output.input and output.input.text for output in outputs(items)] == ["a", "a", "a", "b", "a", "a"]


def test_a_record_without_an_id_says_the_letters_of_its_subwords_and_one_with_an_id_none(tmp_path):
    (output,) = outputs(read_json("shap", tmp_path, {"values": [1, 2, 3], "data": ["[CLS]", "Soup", "##s"]}))
    assert output.input is not None
    assert "soups" in output.input.letters
    (output,) = outputs(read_json("shap", tmp_path, {"id": "x", "values": [1], "data": ["Soup"]}))
    assert output.input is None


def test_records_are_not_numbered_on_from_one_that_is_refused(tmp_path):
    good = RECORDS["ferret"]
    other, bad = good | {"text": "y"}, good | {"text": "z", "scores": []}
    items = read_json("ferret", tmp_path, [good, bad, other, other | {"id": "known"}, good | {"explainer": "lime"}])
    assert [item.key for item in items if isinstance(item, SourceOutput)] == ["0", "", "known", "0"]
    assert len(refusals(items)) == 1


def test_ids_and_splits_of_records_go_first(tmp_path):
    record = RECORDS["ferret"] | {"id": "x-9", "split": "val"}
    items = read_json("ferret", tmp_path, [record, record], key_prefix="p-", split="test")
    output, order, problem = items
    assert (output.key, output.split) == ("p-x-9", "val")
    assert order.reason == "Read in the project's label order (0 = negative, 1 = positive)."
    assert problem.reason == "Duplicate scores, also in record 0. Keep one."


def test_a_file_that_does_not_name_its_model_needs_it_named(tmp_path):
    with pytest.raises(InvalidValue, match=r"'file\.json' doesn't name its model\. Use --model\."):
        read_json("captum", tmp_path, [RECORDS["captum"]], model="")


def test_a_file_that_does_not_name_its_method_is_told_how_it_is_called(tmp_path):
    items = read_json("captum", tmp_path, [RECORDS["captum"]], method="")
    assert outputs(items)[0].run.method == "captum"
    assert "No method named; using 'captum'. Set it with --method." in "".join(warnings(items))


# Thermostat ----------------------------------------------------------------------------------------------------------


def test_token_ids_need_a_vocabulary(tmp_path):
    with pytest.raises(
        InvalidValue, match=r"has only token ids\. Add vocab\.txt, vocab\.json or tokenizer\.json \(--vocabulary\)\."
    ):
        read_json("thermostat", tmp_path, RECORDS["thermostat"])


def test_without_padding_a_record_may_have_been_cut(tmp_path, words):
    words.write_text("[PAD]\na\nb\n")
    row = {"idx": "k", "attributions": [1, 2, 0], "input_ids": [1, 2, 0], "predictions": [2.0, -1.0]}
    (padded,) = outputs(read_json("thermostat", tmp_path, row, vocabulary=words))
    assert padded.attributions[0].parts == (ScoredPart((1.0, 2.0), None, (Subword("a"), Subword("b"))),)
    (full,) = outputs(read_json("thermostat", tmp_path, row | {"input_ids": [1, 2, 1]}, vocabulary=words))
    assert full.attributions[0].parts[0].is_partial


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.txt", "[PAD]\r\ncat\r\n"),
        ("v.json", '{"[PAD]": 0, "cat": 1}'),
        ("v.json", '{"0": "[PAD]", "1": "cat"}'),
        ("t.json", '{"model": {"type": "BPE", "vocab": {"cat": 1}}, "added_tokens": [{"id": 0, "content": "[PAD]", "special": true}]}'),
        ("t.json", '{"model": {"type": "Unigram", "vocab": [["[PAD]", 0.0], ["cat", -2.5]]}}'),
    ],
)  # fmt: skip
def test_vocabularies_come_in_several_forms(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    found = read_vocabulary(tmp_path / name)
    assert (found[0], found[1]) == ("[PAD]", "cat")


def test_what_is_no_vocabulary_is_refused(tmp_path):
    (tmp_path / "v.json").write_text("[1, 2]")
    with pytest.raises(
        InvalidValue,
        match=r"'.*v\.json' is not a vocabulary\. Must be a token per line or \{token: id\}: Expected `object`, got `array`\.",
    ):
        read_vocabulary(tmp_path / "v.json")
    with pytest.raises(NotFound):
        read_vocabulary(tmp_path / "none.txt")


# LIME ----------------------------------------------------------------------------------------------------------------


def lime(folder: Path, **fields: Any) -> list[SourceOutput | Problem]:
    return read_json("lime", folder, {"text": "the cat, the dog", **fields})


def test_the_fit_of_limes_linear_model_is_kept_where_the_record_has_it(tmp_path):
    of = {"as_map": {"1": [[0, 0.5]], "0": [[0, -0.5]]}}
    (one,) = outputs(lime(tmp_path, **of, score=0.875))
    assert [dict(a.facts) for a in one.attributions] == [{"r2": 0.875}] * 2
    (by_class,) = outputs(lime(tmp_path, **of, score={"1": 0.75}))
    assert {a.label: dict(a.facts) for a in by_class.attributions} == {"positive": {"r2": 0.75}, "negative": {}}


def test_a_list_has_no_positions_so_a_weight_goes_to_all_occurrences_and_it_is_told(tmp_path):
    items = lime(tmp_path, as_list=[["the", 0.5], ["dog", -0.25]], label=1)
    assert scores_of(outputs(items)[0], "positive") == [
        ("the", 0.5),
        ("cat", 0),
        (", ", 0),
        ("the", 0.5),
        ("dog", -0.25),
    ]
    assert any("Repeated words (bow): each occurrence gets LIME's weight." in text for text in warnings(items))


def test_an_index_counts_different_words_with_bow_and_all_words_without(tmp_path):
    (with_bow,) = outputs(lime(tmp_path, as_map={"1": [[2, 0.5]]}, bow=True))
    assert scores_of(with_bow, "positive")[4] == ("dog", 0.5)
    items = lime(tmp_path, as_map={"1": [[2, 0.5]]}, bow=False)
    assert scores_of(outputs(items)[0], "positive")[3:] == [("the", 0.5), ("dog", 0)]
    assert not any("bow" in text for text in warnings(items))
    (told_by_index,) = outputs(lime(tmp_path, as_map={"1": [[3, 0.5]]}))
    assert scores_of(told_by_index, "positive")[4] == ("dog", 0.5)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"as_map": {"1": [[4, 0.5]]}, "bow": False}, "as_map.1[0]: LIME has 4 words from 0. Check 'text' and 'bow'."),
        ({"as_map": {"1": [[0, 0.5], [0, 1]]}}, "as_map.1[1]: Duplicate. Keep one."),
        ({"as_list": [["bird", 1]]}, "as_list: Words not in LIME's text: 'bird'."),
        ({"as_list": [["the", 1], ["the", 2]]}, "as_list: Ambiguous weights of repeated 'the'. Write as_map."),
        ({}, "as_map: Missing as_map (or as_list)"),
        ({"text": None}, "text: Must be text, not null."),
    ],
)  # fmt: skip
def test_weights_of_another_text_are_refused(tmp_path, fields, expected):
    found = refusals(lime(tmp_path, **fields))
    assert any(reason.startswith(expected) for reason in found), found


# inseq ---------------------------------------------------------------------------------------------------------------


def safetensors(array: np.ndarray, kind: str = "F32") -> bytes:
    """A file as the published format says: length, header, numbers."""
    content = array.tobytes()
    header = json.dumps(
        {"attribution": {"dtype": kind, "shape": list(array.shape), "data_offsets": [0, len(content)]}}
    ).encode()
    return struct.pack("<Q", len(header)) + header + content


def inseq(array: np.ndarray, *, source: bool = True, **fields: Any) -> dict[str, Any]:
    coded = base64.b64encode(safetensors(array.astype("<f4"))).decode()
    name = "source_attributions" if source else "target_attributions"
    sequence = {
        "source": [{"token": t, "id": 1} for t in ("▁so", "▁good")], "target": [{"token": t} for t in ("<s>", "▁yes", "▁yes")],
        "attr_pos_start": 1, "attr_pos_end": 3, "source_attributions": None, name: coded, **fields,
    }  # fmt: skip
    return {
        "sequence_attributions": [sequence],
        "info": {"attribution_method": "ig", "model_name": "t5", "attribution_args": {"n_steps": 5}},
    }


def test_each_output_step_has_its_map_and_the_attribution_is_their_mean(tmp_path):
    (output,) = outputs(read_json("inseq", tmp_path, inseq(np.array([[1, 2], [3, 4]])), model=""))
    assert output.run == Run("t5", "ig", '{"n_steps": 5}')
    subwords, steps, earlier = written_of(output)
    assert subwords == (" yes", " yes")
    assert steps == [[("▁so", 1), ("▁good", 3)], [("▁so", 2), ("▁good", 4)]]
    assert earlier == ((), (0.0,))  # the file does not say what the first counted for the second
    assert scores_of(output, "") == [("▁so", 1.5), ("▁good", 3.5)]


def test_what_an_encoder_with_a_decoder_wrote_before_is_kept_where_the_file_has_it(tmp_path):
    saved = inseq(np.array([[1, 2], [3, 4]]), target_attributions=[[0.0, 0.0], [0.0, 0.5], [0.0, 0.0]])
    (output,) = outputs(read_json("inseq", tmp_path, saved, model=""))
    assert written_of(output)[2] == ((), (0.5,))


def test_an_answer_that_is_a_label_is_the_label_of_the_attribution(tmp_path):
    saved = inseq(np.array([[1, 2], [3, 4]]))
    saved["info"]["generated_texts"] = ["yes"]
    (output,) = outputs(read_json("inseq", tmp_path, saved, model="", labels=("yes", "no")))
    assert [a.label for a in output.attributions] == ["yes"]
    assert output.predictions == (Prediction("yes"),)


def test_of_a_model_that_goes_on_with_its_input_the_input_is_kept(tmp_path):
    matrix = np.array([[1, 2], [np.nan, 3], [np.nan, np.nan]])
    (output,) = outputs(read_json("inseq", tmp_path, inseq(matrix, source=False)))
    _, steps, earlier = written_of(output)
    assert steps == [[("<s>", 1)], [("<s>", 2)]]
    assert earlier == ((), (3.0,))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (inseq(np.ones((2, 2, 3))), "The scores have shape 2 x 2 x 3; expected 2 subwords and 2 output steps (attr_pos_start to attr_pos_end). Save it with inseq: out.aggregate() and out.save(path)."),
        (inseq(np.ones((3, 2))), "The scores have shape 3 x 2; expected"),
        (inseq(np.array([[np.nan, 1], [1, 1]])), "Must be a finite number."),
        (inseq(np.ones((2, 2)), source_attributions="AAAA"), "Must be base64 safetensors or number lists."),
        (inseq(np.ones((2, 2)), source_attributions="?"), "Must be base64 safetensors or number lists."),
        ({"attributes": 1}, "Required field 'sequence_attributions' is missing."),
    ],
)  # fmt: skip
def test_scores_of_inseq_that_do_not_fit_are_named(tmp_path, content, expected):
    found = refusals(read_json("inseq", tmp_path, content))
    assert any(expected in reason for reason in found), found


@pytest.mark.parametrize(("kind", "dtype"), [("F64", "<f8"), ("F32", "<f4"), ("F16", "<f2")])
def test_safetensors_of_several_precisions(kind, dtype):
    array = np.array([[0.5, -0.25, 2.0]], dtype=dtype)
    assert read_arrays(safetensors(array, kind))["attribution"].tolist() == [[0.5, -0.25, 2.0]]


def test_safetensors_of_the_upper_halves_of_floats():
    halves = (np.array([0.5, -0.25, 2.0], dtype="<f4").view("<u4") >> 16).astype("<u2")
    assert read_arrays(safetensors(halves, "BF16"))["attribution"].tolist() == [0.5, -0.25, 2.0]


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff" * 12, safetensors(np.zeros(2, "<f4"))[:-1], safetensors(np.zeros(2, "<i4"), "I32"), safetensors(np.zeros(3, "<f2"), "F32")],
)  # fmt: skip
def test_bytes_that_are_no_safetensors_are_refused(content):
    with pytest.raises(InvalidValue, match="Not a safetensors file:"):
        read_arrays(content)


# transformers-interpret and Argilla ----------------------------------------------------------------------------------


def test_a_list_of_pairs_alone_is_one_record(tmp_path):
    (output,) = outputs(read_json("transformers-interpret", tmp_path, [["good", 0.5], ["good", 0.25]]))
    assert scores_of(output, "") == [("good", 0.5), ("good", 0.25)]


def test_an_object_may_hold_a_list_for_each_class(tmp_path):
    content = [{"positive": [["good", 0.5]], "negative": [["good", -0.5]]}]
    (output,) = outputs(read_json("transformers-interpret", tmp_path, content))
    assert scores_of(output, "negative") == [("good", -0.5)]


def test_scores_keyed_by_token_text_are_refused_since_repeats_are_lost(tmp_path):
    content = [{"good": {"label": "B-PER", "attribution_scores": [["good", 0.5]]}}]
    assert "Must be like [subword, score]." in refusals(read_json("transformers-interpret", tmp_path, content))[0]


def test_fields_of_argilla_are_segments(tmp_path):
    def tokens(*texts: str) -> list[dict[str, Any]]:
        return [{"token": text, "attributions": {"same": 0.5}} for text in texts]

    record = {
        "id": 4,
        "explanation": {"sentence1": tokens("a"), "sentence2": tokens("b", "c")},
        "prediction": [["same", 0.75], ["different", 0.25]],
    }
    options = {"task": TASKS["similarity"], "labels": ("different", "same")}
    (output,) = outputs(read_json("argilla-attributions", tmp_path, record, **options))
    assert [(part.place, part.scores) for part in output.attributions[0].parts] == [
        ("sentence1", (0.5,)),
        ("sentence2", (0.5, 0.5)),
    ]
    assert output.predictions == (Prediction("same", {"same": 0.75, "different": 0.25}),)
    record["explanation"]["remark"] = tokens("x")
    assert (
        "explanation: No such segment, only 'sentence1', 'sentence2'."
        in refusals(read_json("argilla-attributions", tmp_path, record, **options))[0]
    )


def test_a_list_of_argilla_tokens_alone_is_one_record(tmp_path):
    content = [
        {"token": "good", "attributions": {"positive": 0.5, "negative": -0.5}},
        {"token": "film", "attributions": {"positive": 0.25}},
    ]
    (output,) = outputs(read_json("argilla-attributions", tmp_path, content))
    assert scores_of(output, "negative") == [("good", -0.5), ("film", 0.0)]


# Files that are none -------------------------------------------------------------------------------------------------

JSON_FORMATS = [*RECORDS, "inseq", "lime"]


class Evil:
    """Unpickling it would make a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", JSON_FORMATS)
@pytest.mark.parametrize("file", ["e.pkl", "e.pt", "e.json"])
def test_pickles_are_refused_and_never_unpickled(tmp_path, name, file):
    path, trace = tmp_path / file, tmp_path / "was-unpickled"
    path.write_bytes(pickle.dumps(Evil(trace)))
    words = tmp_path / "vocab.txt"
    words.write_text("a")
    with pytest.raises(
        InvalidValue, match=rf"{re.escape(file)}' contains packed objects, which are never unpacked\. (Write|Save)"
    ):
        read(name, path, vocabulary=words)
    assert not trace.exists()


def test_arrays_of_shap_are_read_unless_they_are_of_objects(tmp_path):
    path = tmp_path / "e.npz"
    np.savez(
        path,
        values=np.array([[-0.5, 0.5], [0.25, -0.25]]),
        data=np.array(["good ", "film"]),
        output_names=np.array(BOTH),
    )
    (output,) = outputs(read("shap", path))
    assert scores_of(output, "positive") == [("good ", 0.5), ("film", -0.25)]
    np.savez(path, values=np.array([1.0]), data=np.array([Evil(tmp_path / "trace")], dtype=object))
    with pytest.raises(InvalidValue, match=r"'e\.npz' has no plain arrays \(not a header for numbers or text\)\."):
        read("shap", path)
    assert not (tmp_path / "trace").exists()
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(InvalidValue, match=r"has no plain arrays \("):
        read("shap", path)


def test_json_that_breaks_gives_what_stands_before(tmp_path):
    record = json.dumps(RECORDS["ferret"])
    items = read_json("ferret", tmp_path, f"[{record},\n {record[:40]}")
    assert len([item for item in items if isinstance(item, SourceOutput)]) == 1
    assert refusals(items)[0].startswith("file: Invalid JSON: truncated at character ")
    assert refusals(read_json("ferret", tmp_path, f"[{record} {record}]"))[0].startswith(
        "file: Invalid JSON: missing ',' or ']' at character "
    )


def test_the_line_of_a_record_is_told(tmp_path):
    content = "[\n" + json.dumps(RECORDS["ferret"]) + ",\n\n" + json.dumps(RECORDS["ferret"] | {"scores": 1}) + "\n]"
    (problem,) = [p for p in read_json("ferret", tmp_path, content) if isinstance(p, Problem) and not p.is_warning]
    assert (problem.source, problem.line, problem.field) == ("file.json[1]", 4, "scores")


# Whatever a file holds -----------------------------------------------------------------------------------------------

NAMES = [
    "id", "idx", "key", "split", "text", "tokens", "token", "scores", "score", "attributions", "input_ids",
    "predictions", "label", "target", "explainer", "elements", "targets", "granularity", "method", "values",
    "data", "output_names", "base_values", "as_map", "as_list", "bow", "word_attributions", "raw_input_ids",
    "attr_class", "pred_class", "convergence_score", "predicted", "explanation", "prediction",
    "sequence_attributions", "info", "source", "attr_pos_start", "attr_pos_end",
    "source_attributions", "annotation_id", "rationales", "classification", "parts", "rationale", "kind",
    "model", "params", "seed", "on", "threshold", "0", "1",
]  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.just(0.5)
    | st.sampled_from(["a", "", "1", "LABEL_1", "hard", "rest"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=10,
)
FORMATS = [name for name in OUTPUT_READERS if not name.startswith("benchmark")]  # these have tests of their own


@st.composite
def nearly_right(draw: st.DrawFn) -> object:
    record = dict(draw(st.sampled_from(list(RECORDS.values()))))
    record[draw(st.sampled_from(NAMES) | st.sampled_from(sorted(record)))] = draw(VALUES)
    return record


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data(), records=st.lists(VALUES | nearly_right(), max_size=3), by_line=st.booleans())
def test_odd_files_never_make_a_reader_fail(name, data, records, by_line, tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "odd.json"
    path.write_text("\n".join(json.dumps(record) for record in records) if by_line else json.dumps(records))
    check(name, path)


@pytest.mark.parametrize("name", FORMATS)
@given(content=st.binary(max_size=60) | st.text(max_size=40).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_odd_bytes_never_make_a_reader_fail(name, content, tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "odd.json"
    for start in (b"", b"[", b'{"a": ', b"id,token_index,score\n"):
        path.write_bytes(start + content)
        check(name, path)


def check(name: str, path: Path) -> None:
    vocabulary = path.with_name("vocab.txt")
    vocabulary.write_text("\n".join(TOKENS))
    try:
        items = read(name, path, vocabulary=vocabulary)
    except AnnotatorError:  # the file as a whole
        return
    for item in items:
        if isinstance(item, Problem):
            assert item.reason
            continue
        for part in (part for attribution in item.attributions for part in attribution.parts):
            assert all(math.isfinite(score) for score in part.scores)
            assert part.subwords is None or len(part.subwords) == len(part.scores)


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["ig", "x,y"]), st.lists(st.tuples(st.sampled_from(["the", HOSTILE, 'a "b"', "一"]), st.floats(-5, 5)), min_size=1, max_size=4)),
        unique_by=lambda row: row[:2], max_size=4,
    )
)  # fmt: skip
def test_any_table_of_scores_arrives(rows, tmp_path_factory):
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["id", "method", "token_index", "token", "score"])
    for key, method, scored in rows:
        writer.writerows([key, method, index, token, score] for index, (token, score) in enumerate(scored))
    path = tmp_path_factory.mktemp("table") / "rows.csv"
    path.write_text(table.getvalue(), encoding="utf-8")
    found = outputs(read("attributions-csv", path))
    assert [(output.key, output.run.method, scores_of(output, "")) for output in found] == rows


def test_subwords_from_a_file_become_words(tmp_path):
    (output,) = outputs(read_json("ferret", tmp_path, RECORDS["ferret"]))
    (part,) = output.attributions[0].parts
    found = merge_over_segments(part.subwords, part.scores, {"text": split_on_spaces(f"Unkind {HOSTILE}")})
    assert found.scores == (
        -0.25,
        pytest.approx(0.125 * 4 / 26),
        pytest.approx(0.125 * 5 / 26),
        pytest.approx(0.125 * 17 / 26),
    )
