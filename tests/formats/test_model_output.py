"""Our own model output, as JSON lines and as tables: what is written reads back equal, and what is wrong is named."""

import itertools
import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.domain.models import (
    Input,
    MarkedPart,
    Prediction,
    Run,
    ScoredPart,
    SourceAttribution,
    SourceOutput,
    SourceRationale,
    Subword,
    Unit,
    canonical_parameters,
)
from annotator.domain.tasks import TASKS, get_task
from annotator.errors import ExportRefused, NotFound, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.own_lines import PlainLines, read, write_outputs
from annotator.formats.registry import get_output_reader
from annotator.text.subword_scores import merge_over_segments
from annotator.text.tokenisation import tokenise
from tests.conftest import SAMPLES

BOTH = ("negative", "positive")
OPTIONS = OutputOptions(TASKS["sentiment"], BOTH)
HOSTILE = "<img src=x onerror=alert(1)>"


def read_rows(folder: Path, *rows: object, **options: object) -> list:
    path = folder / "rows.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return list(read(path, replace(OPTIONS, **options)))


def one(folder: Path, row: object, **options: object) -> SourceOutput:
    items = read_rows(folder, row, **options)
    assert [str(item) for item in items if isinstance(item, Problem)] == []
    return items[0]


def reason(folder: Path, row: object, **options: object) -> str:
    """The only problem of a row that is not taken."""
    (item,) = read_rows(folder, row, **options)
    assert isinstance(item, Problem)
    assert item.line == 1
    return f"{item.field}: {item.reason}"


SCORED = {"id": "a", "model": "m", "method": "ig", "scores": [0.5, -0.25], "tokens": ["good", "film"]}


# What is read --------------------------------------------------------------------------------------------------------


def test_a_row_as_the_format_describes_it(tmp_path):
    row = {
        "id": 7, "split": "test", "model": "bert", "method": "ig", "params": {"steps": 50, "seed": 3}, "unit": "logit",
        "signed": True, "target": {"index": 1, "name": "positive"}, "layer": 2, "segment": "text", "convergence": 0.01,
        "tokens": ["[CLS]", {"text": "good", "start": 0, "end": 4, "segment": "text"}], "scores": [0.1, 0.5],
        "special": [1, 0], "prediction": [0.25, 0.75], "partial": True, "ranking": [0],
    }  # fmt: skip
    subwords = (Subword("[CLS]", is_special=True), Subword("good", 0, 4, segment="text"))
    part = ScoredPart((0.1, 0.5), "text", subwords, (0,), is_partial=True)
    assert one(tmp_path, row) == SourceOutput(
        "7",
        Run("bert", "ig", '{"steps": 50}', 3, "logit", True),
        "rows.jsonl",
        1,
        "test",
        (Prediction(None, {"negative": 0.25, "positive": 0.75}),),
        (SourceAttribution((part,), "positive", 2, 0.01),),
    )


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        ([0.25, 0.75], Prediction(None, {"negative": 0.25, "positive": 0.75})),
        ({"negative": 0.25, "positive": 0.75}, Prediction(None, {"negative": 0.25, "positive": 0.75})),
        ({"0": 0.25, "1": 0.75}, Prediction(None, {"negative": 0.25, "positive": 0.75})),
        ({"label": "positive", "probabilities": {"positive": 1}}, Prediction("positive", {"positive": 1.0})),
        ({"label": 0, "on": "rest", "threshold": 0.2}, Prediction("negative", {}, "rest", 0.2)),
        ("positive", Prediction("positive")),
        (1, Prediction("positive")),
        ("a prediction", Prediction("a prediction")),
    ],
)
def test_an_answer_may_be_written_in_several_ways(tmp_path, prediction, expected):
    assert one(tmp_path, {"id": "a", "model": "m", "prediction": prediction}).predictions == (expected,)


def test_answers_alone(tmp_path):
    row = {"id": "a", "model": "m", "method": "ig", "label": "negative", "probabilities": {"negative": 0.6, "positive": 0.4},
           "on": "rationale", "threshold": 0.1, "seed": 4}  # fmt: skip
    found = one(tmp_path, row)
    assert found.predictions == (Prediction("negative", {"negative": 0.6, "positive": 0.4}, "rationale", 0.1),)
    assert found.run == Run("m", "ig", seed=4)
    reading = replace(OPTIONS, task=TASKS["reading"], labels=())
    (item,) = read_rows(tmp_path, {"id": "a", "model": "m", "answer": ""}, task=reading.task, labels=())
    assert item.predictions == (Prediction(""),)  # an empty answer says that there is none


def test_labels_that_are_numbers_stay_what_they_are(tmp_path):
    found = one(tmp_path, {**SCORED, "target": 1}, labels=("1", "0"))
    assert found.attributions[0].label == "1"
    assert one(tmp_path, {**SCORED, "target": 1}, labels=()).attributions[0].label == "1"
    assert one(tmp_path, {**SCORED, "target": {"index": 0}}).attributions[0].label == "negative"
    assert one(tmp_path, SCORED).attributions[0].label == ""


def test_options_fill_what_a_row_does_not_say_and_a_row_goes_first(tmp_path):
    row = {"id": "a", "scores": [1.0]}
    found = one(tmp_path, row, model="m", method="x", seed=2, split="val", key_prefix="p-")
    assert (found.key, found.run, found.split) == ("p-a", Run("m", "x", seed=2), "val")
    row |= {"model": "own", "method": "y", "seed": 0, "split": "test"}
    found = one(tmp_path, row, model="m", method="x", seed=2, split="val")
    assert (found.run, found.split) == (Run("own", "y", seed=0), "test")


def test_scores_of_special_tokens_can_be_masked_without_naming_the_tokens(tmp_path):
    found = one(tmp_path, {"id": "a", "model": "m", "method": "ig", "scores": [9, 1, 2, 9], "special": [1, 0, 0, 1]})
    assert found.attributions[0].parts == (ScoredPart((1.0, 2.0)),)


def test_repeated_tokens_are_kept_by_place_and_hostile_ones_as_they_are(tmp_path):
    found = one(tmp_path, {**SCORED, "tokens": ["the", HOSTILE, "the"], "scores": [1, 2, 3]})
    (part,) = found.attributions[0].parts
    assert [(subword.text, score) for subword, score in zip(part.subwords, part.scores, strict=True)] == [
        ("the", 1), (HOSTILE, 2), ("the", 3),
    ]  # fmt: skip


def test_runs_that_differ_in_the_seed_alone_are_a_group(tmp_path):
    rows = [{**SCORED, "params": {"steps": 5, "seed": 1}}, {**SCORED, "params": {"steps": 5}, "seed": 2}]
    first, second = read_rows(tmp_path, *rows)
    assert first.run.group == second.run.group
    assert (first.run.seed, second.run.seed) == (1, 2)


# What is wrong -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"scores": [1.0]}, "tokens: 'tokens' has 2 entries, 'scores' 1; lengths must match."),
        ({"special": [1]}, "special: 'special' has 1 entry, 'scores' 2; lengths must match."),
        ({"scores": None}, "tokens: 'tokens' needs 'scores'."),
        ({"scores": ["a", 1]}, "scores[0]: Must be a number, not text."),
        ({"method": None}, "method: Scores and rationales need a method (--method)."),
        ({"model": ""}, "model: 'rows.jsonl' doesn't name its model. Use --model."),
        ({"model": "m" * 201}, "model: Model names have 1 to 200 characters. Add it here or use --model."),
        ({"id": "", "tokens": None}, "id: The row needs an id or a text."),
        ({"target": 2}, "target: No class 2: the project has 2 labels, from 0."),
        ({"target": -1}, "target: No class -1: the project has 2 labels, from 0."),
        ({"unit": "odds"}, "unit: Unknown value 'odds'."),
        ({"ranking": [0, 0]}, "ranking: Must list each token number once, from 0."),
        ({"parts": [{"scores": [1]}]}, "parts: Use 'parts' or row scores, not both."),
        ({"params": {"seed": "x"}}, "params.seed: A seed must be an integer."),
        ({"params": {"seed": 1}, "seed": 2}, "seed: params has another seed, 1. Keep one."),
        ({"prediction": [0.2, 0.3, 0.5]}, "prediction.probabilities: It has 3 probabilities; the project has 2 labels."),
        ({"prediction": [-2.5, 3.5]}, "prediction.probabilities.0: Probabilities must be in [0, 1]. Apply softmax to logits."),
        ({"prediction": "positive", "label": "positive"}, "prediction: Use 'prediction' or 'label', not both."),
        ({"prediction": {"0": 0.5, "negative": 0.5}}, "prediction.probabilities: Duplicate. Keep one."),
        ({"prediction": True}, "prediction: Must be a label, answer, probabilities, {label: p} or {label, probabilities}."),
        ({"threshold": 0.1}, "on: 'on' or 'threshold' needs a label or probabilities."),
        ({"label": "positive", "threshold": 10}, "threshold: Must be a share of tokens, 0 to 1."),
        ({"rationale": {"kind": "hard", "parts": [{"spans": [[3, 3]]}]}}, "rationale.parts[0].spans: Must satisfy 0 <= start < end."),
        ({"rationale": {"kind": "hard", "parts": [{"ranking": [1]}]}}, "rationale.parts[0].ranking: A hard rationale has no ranking."),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_taken_says_why(tmp_path, change, expected):
    problems = read_rows(tmp_path, {**SCORED, **change})
    assert all(isinstance(problem, Problem) for problem in problems), "the row was taken"
    assert any(f"{problem.field}: {problem.reason}".startswith(expected) for problem in problems), problems


def test_a_row_that_says_nothing_is_refused(tmp_path):
    assert reason(tmp_path, {"id": "a", "model": "m", "method": "ig"}).startswith(
        "line: The row needs scores, a rationale or a prediction."
    )


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_refused_and_the_rest_is_read(tmp_path, word):
    bad = json.dumps(SCORED).replace("-0.25", word)
    problem, output = read_rows(tmp_path, bad, {**SCORED, "id": "b"})
    assert (problem.line, problem.value) == (1, word)
    assert "isn't JSON. Write a number or null." in problem.reason
    assert output.key == "b"


def test_half_a_last_line_is_named(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(SCORED).encode() + b"\r\n\r\n" + b'{"id": "b", "sco')
    output, problem = read(path, OPTIONS)
    assert output.key == "a"
    assert (problem.line, problem.field) == (3, "line")


def test_scores_that_are_all_zero_are_taken_with_a_warning(tmp_path):
    output, warning = read_rows(tmp_path, {**SCORED, "scores": [0, 0]})
    assert output.attributions[0].parts[0].scores == (0, 0)
    assert warning.is_warning
    assert warning.reason == "All scores are 0. Check the method."


@pytest.mark.parametrize(
    ("probabilities", "value", "reason"),
    [
        ([0.9, 0.1], "negative", "Highest probability, but another label is predicted. Read in the project's label order (negative, " "positive)."),
        ({"negative": 0.9, "positive": 0.1}, "negative", "Highest probability, but another label is predicted."),
        ({"negative": 0.8, "positive": 0.9}, "1.7", "They sum to more than 1. Are they probabilities?"),
    ],
)  # fmt: skip
def test_probabilities_that_do_not_fit_the_answer_are_taken_with_a_warning(tmp_path, probabilities, value, reason):
    items = list(read_rows(tmp_path, {"id": "a", "model": "m", "label": "positive", "probabilities": probabilities}))
    [warning] = [item for item in items if isinstance(item, Problem)]
    assert warning.is_warning
    assert (warning.field, warning.value, warning.reason) == ("probabilities", value, reason)
    assert len(items) == 2


def test_the_same_said_twice_is_refused(tmp_path):
    rows = [
        SCORED,
        {**SCORED, "target": 1},
        {**SCORED, "seed": 1},
        {**SCORED, "split": "x"},
        {**SCORED, "scores": [1, 1]},
    ]
    *outputs, problem = read_rows(tmp_path, *rows)
    assert all(isinstance(output, SourceOutput) for output in outputs)
    assert problem.line == 5
    assert problem.reason == "Duplicate scores, also in line 1. Keep one."


def test_fields_that_are_not_known_are_told_once(tmp_path):
    rows = [{**SCORED, "id": name, "score": 1, "note": "x"} for name in "ab"]
    _, warning, _ = read_rows(tmp_path, *rows)
    assert warning.is_warning
    assert "Unknown fields ignored: 'note', 'score'." in warning.reason


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(NotFound, match="No file or folder '"):
        list(read(tmp_path / "none.jsonl", OPTIONS))


def test_rows_are_read_one_at_a_time(tmp_path):
    path = tmp_path / "rows.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(100_000):
            file.write(f'{{"id": {number}, "model": "m", "method": "x", "scores": [0.5]}}\n')
        file.write("never read\n")
    found = itertools.islice(read(path, OPTIONS), 100_000)
    assert next(found).key == "0"
    assert sum(1 for _ in found) == 99_999


# Written and read again ----------------------------------------------------------------------------------------------

FINITE = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
COUNTS = st.integers(0, 50)
SUBWORDS = st.builds(
    Subword, NAMES | st.just(HOSTILE), st.none() | COUNTS, st.none() | COUNTS, st.booleans(), st.none() | NAMES
)
RUNS = st.builds(
    Run,
    NAMES.filter(str.strip),
    NAMES,
    st.dictionaries(NAMES.filter(lambda name: name != "seed"), FINITE | NAMES | COUNTS, max_size=3).map(
        canonical_parameters
    ),
    st.none() | COUNTS,
    st.sampled_from(get_args(Unit)),
    st.none() | st.booleans(),
)
ANSWERS = st.builds(
    Prediction,
    st.none() | NAMES,
    st.dictionaries(NAMES, st.floats(0, 1), min_size=1, max_size=3),
    st.sampled_from(get_args(Input)),
    st.none() | st.floats(0, 1),
)


@st.composite
def scored_parts(draw):
    scores = draw(st.lists(FINITE, min_size=1, max_size=4))
    subwords = draw(st.none() | st.lists(SUBWORDS, min_size=len(scores), max_size=len(scores)))
    ranking = draw(st.none() | st.lists(COUNTS, unique=True, max_size=3))
    return ScoredPart(
        tuple(scores),
        draw(st.none() | NAMES),
        None if subwords is None else tuple(subwords),
        None if ranking is None else tuple(ranking),
        draw(st.booleans()),
    )


ATTRIBUTIONS = st.builds(
    SourceAttribution,
    st.lists(scored_parts(), min_size=1, max_size=2).map(tuple),
    st.just("") | NAMES,
    st.none() | st.integers(-1, 30),
    st.none() | FINITE,
)
SPANS = st.tuples(COUNTS, st.integers(1, 5)).map(lambda span: (span[0], span[0] + span[1]))
RATIONALES = st.one_of(
    st.lists(
        st.builds(MarkedPart, st.lists(SPANS, max_size=3).map(tuple), st.just(()), st.none() | NAMES), max_size=2
    ).map(lambda parts: SourceRationale("hard", tuple(parts))),
    st.lists(
        st.builds(MarkedPart, st.just(()), st.lists(COUNTS, unique=True, max_size=3).map(tuple), st.none() | NAMES),
        max_size=2,
    ).map(lambda parts: SourceRationale("ranked", tuple(parts))),
)
OUTPUTS = st.builds(
    SourceOutput, NAMES, RUNS, st.just("x"), st.just(1), st.none() | st.just("") | NAMES,
    st.lists(ANSWERS, max_size=2, unique_by=lambda a: (a.on, a.threshold)).map(tuple),
    st.lists(ATTRIBUTIONS, max_size=2, unique_by=lambda a: (a.label, a.layer)).map(tuple),
    st.lists(RATIONALES, max_size=2, unique_by=lambda r: r.kind).map(tuple),
)  # fmt: skip


def said(outputs: list[SourceOutput]) -> list[tuple]:
    """Everything that outputs say, each by itself."""
    return [
        (output.key, output.split, output.run, one)
        for output in outputs
        for one in (*output.predictions, *output.attributions, *output.rationales)
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outputs=st.lists(OUTPUTS, max_size=3, unique_by=lambda o: (o.key, o.split, o.run)))
def test_what_is_written_reads_back_equal(tmp_path, outputs):
    path = tmp_path / "out.jsonl"
    n_rows = write_outputs(path, outputs)
    found = list(read(path, OutputOptions(TASKS["reading"])))
    problems = [str(item) for item in found if isinstance(item, Problem) and not item.is_warning]
    assert problems == []
    again = [item for item in found if isinstance(item, SourceOutput)]
    assert len(again) == n_rows
    assert said(again) == said(outputs)


def test_a_score_that_is_no_number_is_not_written(tmp_path):
    path = tmp_path / "out.jsonl"
    output = SourceOutput(
        "a", Run("m", "ig"), "", None, attributions=(SourceAttribution((ScoredPart((1.0, math.nan)),)),)
    )
    with pytest.raises(ExportRefused, match=r"Instance 'a': nan isn't a writable number\."):
        write_outputs(path, [output])
    assert list(tmp_path.iterdir()) == []


# Samples -------------------------------------------------------------------------------------------------------------


def test_the_sample_is_read_whole_and_fits_the_texts_of_the_sample_project():
    items = list(get_output_reader("attributions")(SAMPLES / "predictions" / "model_output.jsonl", OPTIONS))
    assert [str(item) for item in items if isinstance(item, Problem)] == []
    assert len(items) == 7
    assert {item.run.group for item in items[:2]} == {
        ("bert-boots", "integrated gradients", '{"baseline": "[MASK]", "steps": 50}')
    }
    body = tokenise("Dry feet after nine miles of bog, and not a blister in sight.", "en")
    part = items[0].attributions[0].parts[0]
    found = merge_over_segments(part.subwords, part.scores, {"text": body})
    assert dict(zip(body.tokens(), found.scores, strict=True))["blister"] == pytest.approx(-0.1 + 0.02)
    body = tokenise("鞋底很软，走一天也不累。", "zh")
    part = items[-1].attributions[0].parts[0]
    assert merge_over_segments(part.subwords, part.scores, {"text": body}).scores == part.scores


# The fast lane of model output says the same as reading with care, about plain lines and about those that only look plain.

PLAIN_OPTIONS = OutputOptions(TASKS["sentiment"], ("negative", "positive"))
RUN = {"model": "m", "method": "lime"}
FIELDS: dict[str, list[object]] = {
    "id": ["a", "b", 7, "", "k\u00e9y", 'with "quotes"', "a\": 1", None],
    "scores": [[1, 2.5], [0, 0], [], [1e300, 1e300], [1, None], "12", [[1]]],
    "model": ["m", "other", "", None, 3],
    "method": ["lime", "", None, "two: words"],
    "params": [{}, {"k": 3}, {"seed": 1}, {"seed": "x"}, {"k": {"deep": [1]}}, None, []],
    "seed": [1, 2, None, "1", True],
    "unit": ["logit", "none", "miles", None],
    "signed": [True, False, None, 1],
    "split": ["train", None, 5],
    "target": ["positive", 1, 9, "LABEL_0", "unknown", None],
    "layer": [0, -1, None, "x"],
    "prediction": [{"label": "positive"}, {"label": "positive", "probabilities": {"positive": 0.9, "negative": 0.1}}, {"label": 7}, {}, None, "positive"],
    "unheard": [1],
}  # fmt: skip
ODD = [
    '{"id": "a", "model": "m", "method": "lime", "scores": [1, NaN]}',
    '{"id": "a", "model": "m", "method": "lime", "scores": [1, Infinity]}',
    '{"id": "a", "model": "m", "method": "lime", "scores": [1, 1e999]}',
    '{"id": "a", "id": "b", "model": "m", "method": "lime", "scores": [1]}',
    '{"id": "a", "model": "m", "method": "lime", "params": {"k": 1, "k": 2}, "scores": [1]}',
    '{"id": "a", "model": "m", "method": "lime", "prediction": {"label": "positive", "label": "negative"}, "scores": [1]}',
    '{"id": "a", "model": "m", "method": "lime", "scores": [1]} trailing',
    '{"id" : "a" , "model":"m","method":"lime","scores":[ 1 , 2 ]}',
    '{"id": "\\u0061", "model": "m", "method": "lime", "scores": [1]}',
    '{"id": "a", "model": "m", "method": "lime", "scores": [1',
    "[1, 2]",
    "",
    "null",
]


def lines(seed: int) -> list[str]:
    """Plain rows with nothing, one or two fields put otherwise, ids that repeat now and then, and odd lines among them."""
    drawn = random.Random(seed)
    made = []
    for number in range(300):
        row: dict[str, object] = {"id": f"r{number if drawn.random() < 0.9 else 1}", "scores": [0.5, -1, 3], **RUN}
        for name in drawn.sample(list(FIELDS), drawn.choice([0, 1, 1, 2])):
            row[name] = drawn.choice(FIELDS[name])
        made.append(json.dumps(row, ensure_ascii=drawn.random() < 0.3))
    made += ODD
    drawn.shuffle(made)
    return made


@pytest.mark.parametrize(
    "options", [PLAIN_OPTIONS, replace(PLAIN_OPTIONS, split="dev", key_prefix="p-", seed=4, labels=())]
)
@pytest.mark.parametrize("seed", range(20))
def test_plain_lines_say_what_they_say_when_read_with_care(
    seed: int, options: OutputOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines(seed)) + "\n", encoding="utf-8")
    fast = list(read(path, options))
    monkeypatch.setattr(PlainLines, "read", lambda self, line: None)
    careful = list(read(path, options))
    assert [str(item) if isinstance(item, Problem) else item for item in fast] == [
        str(item) if isinstance(item, Problem) else item for item in careful
    ]
    assert fast == careful


def test_what_is_plain_goes_through_the_fast_lane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    read_plain = PlainLines.read

    def noted(self: PlainLines, line: object) -> object:
        taken.append(read_plain(self, line))
        return taken[-1]

    monkeypatch.setattr(PlainLines, "read", noted)
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"id": f"r{n}", "scores": [1, 2], **RUN}) + "\n" for n in range(5)))
    assert list(read(path, PLAIN_OPTIONS)) == taken


# Model output in tables: a row a text, with an answer, probabilities by column, or lists in cells.


def items(folder: Path, content: str, name: str = "m.csv", model: str = "m", **options: object) -> list[object]:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    given = OutputOptions(get_task("sentiment"), ("negative", "positive"), model=model, **options)  # type: ignore[arg-type]
    return list(read(path, given))


def outputs(found: list[object]) -> list[SourceOutput]:
    return [item for item in found if isinstance(item, SourceOutput)]


def refusals(found: list[object]) -> list[tuple[str, str]]:
    return [(p.field, p.reason) for p in found if isinstance(p, Problem) and not p.is_warning]


def test_the_column_of_a_label_holds_its_probability(tmp_path):
    [output] = outputs(items(tmp_path, "sentence,pred,p_negative,Positive,label\nGood.,positive,0.1,0.9,negative\n"))
    assert output.input is not None
    assert output.input.text == "Good."
    [prediction] = output.predictions
    assert (prediction.result, prediction.probabilities) == ("positive", {"negative": 0.1, "positive": 0.9})


def test_without_a_prediction_the_label_is_what_is_predicted_and_a_number_is_a_class(tmp_path):
    found = items(tmp_path, "id\tlabel\nx\t1\ny\tnegative\nz\t\n", "m.tsv")
    assert [(o.key, o.predictions[0].result) for o in outputs(found)] == [("x", "positive"), ("y", "negative")]
    assert [reason for _, reason in refusals(found)] == ["The row needs scores, a rationale or a prediction."]


def test_lists_in_cells_may_be_json_or_what_python_prints(tmp_path):
    rows = """id,tokens,scores,method\na,"['it', ""isn't""]","[1, -2.5]",lime\nb,"[""it""]",[0.5],lime\n"""
    first, second = outputs(items(tmp_path, rows))
    [part] = first.attributions[0].parts
    assert ([subword.text for subword in part.subwords or ()], part.scores) == (["it", "isn't"], (1.0, -2.5))
    assert second.attributions[0].parts[0].scores == (0.5,)


def test_fair_rationales_files_name_their_model_and_method(tmp_path):
    rows = (
        """originaldata_id,tokens_input,tokens_merged,lrp,label\nr2,"['a']","['a', 'cat.']","[0.1, -0.2]",positive\n"""
    )
    found = items(tmp_path, rows, "lrp_org_tiny-bert_sst2_attention.csv", model="")
    [output] = outputs(found)
    assert (output.run.model, output.run.method) == ("org_tiny-bert_sst2", "lrp")
    assert output.predictions[0].result == "positive"
    assert output.input is not None
    assert "acat." in output.input.letters
    told = "From the file name: model 'org_tiny-bert_sst2', method 'lrp'."
    assert told in [item.reason for item in found if isinstance(item, Problem)]


def test_models_of_one_base_that_learned_other_data_sets_stay_two(tmp_path):
    rows = """id,tokens_merged,lrp\nr2,"['a']",[0.1]\n"""
    names = ("lrp_bert-base-uncased_sst2_attention.csv", "lrp_bert-base-uncased_dynasent_attention.csv")
    models = [outputs(items(tmp_path, rows, name, model=""))[0].run.model for name in names]
    assert models == ["bert-base-uncased_sst2", "bert-base-uncased_dynasent"]


def test_cells_that_hold_no_list_and_scores_that_are_no_number_are_refused_by_name(tmp_path):
    rows = (
        'id,tokens,scores,method\na,nothing,[1],x\nb,"[""b""]",[nan],x\nc,"[""c""]",[one],x\n'
        + "d,"
        + "[" * 5000
        + ",[1],x\n"
    )
    reasons = refusals(items(tmp_path, rows))
    assert [field for field, _ in reasons] == ["tokens", "scores[0]", "scores", "tokens"]
    assert reasons[1][1] == "Must be a finite number."


def test_a_table_without_texts_and_answers_says_both_at_once(tmp_path):
    assert [reason for _, reason in refusals(items(tmp_path, "__proto__,b\n1,2\n"))] == [
        "No ID or text column. Name it 'id' or 'text'.",
        "No model output column. Name it 'prediction' or 'scores'.",
    ]
