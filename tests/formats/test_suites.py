"""Suites of functional tests, what models predict for them, and groups of words: what is read, and what is refused."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.suites import Applies, Case
from annotator.errors import InvalidValue, NotFound
from annotator.formats.contrast.reader import Labelled, LabelledSet, read_labelled_sets
from annotator.formats.suites.cases import read_suite, write_suite
from annotator.formats.suites.predictions import Prediction, read_runs
from annotator.formats.suites.word_groups import WordGroup, read_word_groups
from tests.conftest import SHARED_DATA, needs_data

MFT = {"test": "negation", "type": "MFT", "category": "Logic", "case": 0, "texts": ["Not good."], "label": "negative"}
INV = {"test": "typos", "type": "INV", "capability": "Robustness", "case": "a", "texts": ["Fine.", "Fien."]}
DIR = {
    "test": "less",
    "type": "DIR",
    "category": "Vocabulary",
    "case": 1,
    "texts": ["Good.", "Quite good."],
    "expectation": "not_up",
}


def written(folder: Path, *rows: object, name: str = "suite.jsonl") -> Path:
    path = folder / name
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_a_case_of_each_type_is_read_with_what_it_leaves_out(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, MFT, "", INV, {**DIR, "label": 2, "tolerance": 0.3, "edits": [[0, 4, "x"]]}))
    assert suite.problems == ()
    assert suite.cases == (
        Case("negation", "MFT", "Logic", "0", ("Not good.",), "label", ("negative",)),
        Case("typos", "INV", "Robustness", "a", ("Fine.", "Fien."), "same"),
        Case(
            "less",
            "DIR",
            "Vocabulary",
            "1",
            ("Good.", "Quite good."),
            "not_up",
            ("2",),
            tolerance=0.3,
            edits=[[0, 4, "x"]],
        ),
    )
    assert [case.line for case in suite.cases] == [1, 3, 4]


@pytest.mark.parametrize(
    ("label", "labels", "is_forbidden"),
    [
        ("positive", ("positive",), False),
        (2, ("2",), False),
        (["neutral", 2], ("neutral", "2"), False),
        ("not:negative", ("negative",), True),
        (["not:a label"], ("not:a label",), False),  # in a list labels stand as they are
    ],
)
def test_what_an_mft_case_accepts(tmp_path: Path, label: object, labels: tuple[str, ...], is_forbidden: bool) -> None:
    [case] = read_suite(written(tmp_path, {**MFT, "label": label})).cases
    assert (case.labels, case.is_forbidden) == (labels, is_forbidden)


def test_a_text_may_be_segments_and_a_case_may_say_when_it_applies(tmp_path: Path) -> None:
    row = {
        **INV,
        "texts": [{"premise": "a", "hypothesis": "b"}, {"premise": "a", "hypothesis": "c"}],
        "applies": {"original_is_not": [1], "original_is": ["2", "0"]},
    }
    [case] = read_suite(written(tmp_path, row)).cases
    assert case.texts[1] == {"premise": "a", "hypothesis": "c"}
    assert [case.applies.to(label) for label in ("0", "1", "2", "3")] == [True, False, True, False]
    [case] = read_suite(written(tmp_path, {**INV, "applies": False})).cases
    assert not case.applies.to("0")


SUITE_PROBLEMS = [
    ({**MFT, "type": "mft"}, "type", "'MFT', 'INV', 'DIR'", "an unknown type"),
    ({**MFT, "label": None}, "label", "MFT cases need a label, list or not:LABEL (--expect).", "MFT without a label"),
    ({**MFT, "label": []}, "label", "MFT cases need a label, list or not:LABEL (--expect).", "MFT without any of a list"),
    ({**MFT, "label": "not:"}, "label", "MFT cases need a label, list or not:LABEL (--expect).", "not nothing"),
    ({**MFT, "label": True}, "label", "Must be an integer or text or a list or null, not true or false.", "a label that is no text"),
    ({**MFT, "expectation": "same"}, "expectation", "cases need the expectation", "of another type"),
    ({**MFT, "texts": []}, "texts", "A MFT case needs one text.", "no text"),
    ({**INV, "texts": ["a"]}, "texts", "case needs the original and a perturbed text.", "nothing to compare"),
    ({**INV, "texts": ["a", 3]}, "texts[1]", "Must be text or an object {...}, not an integer.", "a text that is none"),
    ({**INV, "texts": [{}, "a"]}, "texts[0]", "No segment.", "no segment"),
    ({**DIR, "expectation": None}, "expectation", "DIR cases need the expectation not_up or not_down (--expect).", "DIR without one"),
    ({**DIR, "expectation": "up"}, "expectation", "not_up or not_down", "an unknown one"),
    ({**DIR, "label": ["a", "b"]}, "label", "DIR cases watch one label, or (null) the first text's.", "several labels to watch"),
    ({**DIR, "label": "not:a"}, "label", "DIR cases watch one label, or (null) the first text's.", "none to watch"),
    ({**DIR, "tolerance": 1}, "tolerance", "Tolerance is a probability difference: 0 or more, below 1.", "a tolerance too wide"),
    ({**DIR, "tolerance": -0.1}, "tolerance", "Tolerance is a probability difference: 0 or more, below 1.", "a negative tolerance"),
    ({**INV, "capability": None}, "category", "Must not be empty.", "no category"),
    ({**INV, "case": ""}, "case", "Must not be empty.", "an empty case"),
    ({**INV, "case": 1.5}, "case", "Must be an integer or text, not a number.", "a case that is no whole number"),
    ({**INV, "applies": "no"}, "applies", "Must be true or false or an object {...}, not text.", "applies that says nothing"),
    ({k: v for k, v in INV.items() if k != "test"}, "test", "is missing", "no test"),
    ('{"test": "typos", "type": "INV", "tolerance": NaN}', "line", "NaN isn't JSON. Write a number or null.", "NaN"),
    ('{"test": "typos", "type": "INV"', "line", "Invalid JSON: truncated at character 31.", "a half-written line"),
    ({**MFT, "case": 0}, "case", "Duplicate of line 1.", "a case twice"),
    ({**INV, "test": "negation"}, "type", "Differs from line 1.", "a test with two types"),
    ({**MFT, "case": 1, "category": "Entity"}, "category", "Differs from line 1.", "a test with two categories"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "field", "reason", "_why"), SUITE_PROBLEMS)
def test_a_bad_case_is_named_and_not_taken(tmp_path: Path, row: object, field: str, reason: str, _why: str) -> None:
    suite = read_suite(written(tmp_path, MFT, row, DIR))
    assert [case.test for case in suite.cases] == ["negation", "less"]
    problem = suite.problems[0]
    assert (problem.source, problem.line, problem.field) == ("suite.jsonl", 2, field)
    assert reason in problem.reason


def test_a_suite_that_is_not_there_or_holds_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_suite(tmp_path / "none.jsonl")
    with pytest.raises(InvalidValue, match=r"\(see docs/formats\.md\)\."):
        read_suite(written(tmp_path, "", ""))


NAMES = st.text(min_size=1, max_size=5).filter(lambda text: text.strip() and "\0" not in text and text.isprintable())
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
ANY_TEXT = TEXTS | st.dictionaries(NAMES, TEXTS, min_size=1, max_size=2)
APPLIES = st.just(Applies()) | st.just(Applies(False)) | st.builds(
    Applies, st.just(True), st.lists(NAMES, min_size=1, max_size=2).map(tuple), st.lists(NAMES, max_size=2).map(tuple)
)  # fmt: skip


@st.composite
def cases(draw: st.DrawFn) -> Case:
    kind = draw(st.sampled_from(["MFT", "INV", "DIR"]))
    texts = tuple(draw(st.lists(ANY_TEXT, min_size=1 if kind == "MFT" else 2, max_size=3)))
    labels: tuple[str, ...] = ()
    if kind == "MFT":
        labels = tuple(draw(st.lists(NAMES, min_size=1, max_size=2)))
    elif kind == "DIR":
        labels = draw(st.just(()) | st.tuples(NAMES.filter(lambda name: not name.startswith("not:"))))
    is_forbidden = kind == "MFT" and len(labels) == 1 and draw(st.booleans())
    expectation = {"MFT": "label", "INV": "same"}.get(kind) or draw(st.sampled_from(["not_up", "not_down"]))
    return Case(
        f"{kind} test", kind, "Logic", draw(NAMES), texts, expectation, labels, is_forbidden,
        draw(st.floats(0, 1, exclude_max=True)), draw(APPLIES), draw(st.none() | st.just([[0, 1, "x"]])),
    )  # fmt: skip


@given(st.lists(cases(), min_size=1, max_size=5, unique_by=lambda case: (case.test, case.case)))
def test_a_written_suite_reads_back_as_the_same_cases(given_cases: list[Case]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suite.jsonl"
        write_suite(path, given_cases)
        suite = read_suite(path)
    assert suite.problems == ()
    assert list(suite.cases) == given_cases


# Predictions

TEXT = {"test": "typos", "case": "a", "position": 0, "label": 2, "probabilities": {"2": 0.75, "0": 0.25}}


def test_predictions_are_joined_by_what_they_name_and_not_by_their_line(tmp_path: Path) -> None:
    path = written(tmp_path, {**TEXT, "position": 1}, TEXT, {"id": 7, "label": "yes", "text": "left alone"})
    runs = read_runs([path])
    [run] = runs.runs
    assert run.of_texts == {
        ("typos", "a", 1): Prediction("2", {"2": 0.75, "0": 0.25}, "suite.jsonl", 1),
        ("typos", "a", 0): Prediction("2", {"2": 0.75, "0": 0.25}, "suite.jsonl", 2),
    }
    assert run.of_instances == {"7": Prediction("yes", None, "suite.jsonl", 3)}
    assert runs.problems == []


def test_a_run_is_a_seed_or_a_file_whose_rows_say_none(tmp_path: Path) -> None:
    first = written(tmp_path, {**TEXT, "seed": 1}, {**TEXT, "seed": 2}, name="a.jsonl")
    second = written(tmp_path, {**TEXT, "seed": "1", "position": 1}, {"id": 1, "label": "x"}, name="b.jsonl")
    (tmp_path / "other").mkdir()
    third = written(tmp_path / "other", {"id": 1, "label": "x"}, name="b.jsonl")
    runs = read_runs([first, second, third])
    assert [(run.name, len(run.of_texts), len(run.of_instances)) for run in runs.runs] == [
        ("1", 2, 0), ("2", 1, 0), ("b.jsonl", 0, 1), ("b.jsonl (3)", 0, 1),
    ]  # fmt: skip
    assert [run.name for run in runs.for_suite()] == ["1", "2"]
    assert [run.name for run in runs.for_contrasts()] == ["b.jsonl", "b.jsonl (3)"]


PREDICTION_PROBLEMS = [
    (TEXT, "position", "Duplicate of p.jsonl, line 1. Keep one.", "a text twice"),
    ({"id": 1, "label": "x"}, "id", "Duplicate of p.jsonl, line 2. Keep one.", "an instance twice"),
    ({**TEXT, "position": -1}, "position", "Must be an integer from 0.", "a negative position"),
    ({**TEXT, "position": True}, "position", "Must be an integer or null, not true or false.", "a position that is no number"),
    ({**TEXT, "case": None}, "case", "is missing", "no case"),
    ({"label": "x"}, "test", "is missing", "nothing named"),
    ({**TEXT, "id": 3}, "id", "The row also has 'test'.", "both"),
    ({**TEXT, "position": 1, "label": "1"}, "probabilities", "No probability for the predicted label '1' (only", "the label's is missing"),
    ({**TEXT, "position": 1, "probabilities": {}}, "probabilities", "No probability for the predicted label '", "none at all"),
    ({**TEXT, "position": 1, "probabilities": {"2": 1.5}}, "probabilities.2", "Probabilities must be in [0, 1].", "above 1"),
    ({**TEXT, "position": 1, "probabilities": {"2": "0.5"}}, "probabilities[...]", "Must be a number, not text.", "text"),
    ({**TEXT, "position": 1, "label": None}, "label", "Must be an integer or text, not null.", "no label"),
    ('{"id": 2, "label": "x", "probabilities": {"x": NaN}}', "line", "NaN isn't JSON. Write a number or null.", "NaN"),
    ('{"id": 2, "label": "x", "probabilities": {"x": 1e999}}', "line", "", "infinity"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "field", "reason", "_why"), PREDICTION_PROBLEMS)
def test_a_bad_prediction_is_named(tmp_path: Path, row: object, field: str, reason: str, _why: str) -> None:
    runs = read_runs([written(tmp_path, TEXT, {"id": 1, "label": "x"}, row, name="p.jsonl")])
    problems = {(p.source, p.line, p.field): p.reason for p in runs.problems}
    assert ("p.jsonl", 3, field) in problems, problems
    assert reason in problems["p.jsonl", 3, field]
    assert [len(run.of_texts) + len(run.of_instances) for run in runs.runs] == [2]


def test_predictions_of_two_models_or_of_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"Score one, compare another with --base-predictions\."):
        read_runs([written(tmp_path, {**TEXT, "model": "a"}, {"id": 1, "label": "x", "model": "b"})])
    with pytest.raises(InvalidValue, match=r"\(see docs/formats\.md\)\."):
        read_runs([written(tmp_path, "")])


# Contrast sets as scoring needs them


def test_keys_and_labels_of_contrast_sets_are_read_whatever_the_task(tmp_path: Path) -> None:
    found = read_labelled_sets(
        written(
            tmp_path,
            {"id": 1, "premise": "a", "hypothesis": "b", "label": 0, "contrasts": [{"hypothesis": "c", "answer": "1"}]},
            {"key": "x", "own_segment": "a", "note": "n", "label": "yes", "contrasts": []},
        )
    )
    assert found.problems == []
    assert found.sets == [
        LabelledSet(Labelled("1", "0", "a\nb"), (Labelled("1#1", "1", "a\nc"),)),
        LabelledSet(Labelled("x", "yes", "a"), ()),
    ]


LABELLED_PROBLEMS = [
    ({"id": 2, "text": "a", "contrasts": []}, "label", "label is missing"),
    ({"id": 2, "text": "a", "label": "x", "contrasts": [{"text": "b"}]}, "contrasts[0].label", "label is missing"),
    ({"id": 2, "text": "a", "label": "x", "contrasts": [{"text": "a", "label": "y"}]}, "contrasts[0].text", "Same texts as the original."),
    ({"id": 2, "text": "a", "label": "x", "contrasts": [{"label": "y", "source": "s"}]}, "contrasts[0].text", "Same texts as the original."),
    ({"id": 2, "text": "a", "label": "x", "contrasts": [{"text": "b", "label": "y"}] * 2}, "contrasts[1].text", "twice"),
    ({"id": 1, "text": "a", "label": "x", "split": "val", "contrasts": []}, "id", "joined by it"),
    ({"id": 2, "text": "a", "label": "x", "contrasts": [{"id": "1#1", "text": "b", "label": "y"}]}, "id", "joined by it"),
    ({"id": "", "text": "a", "label": "x", "contrasts": []}, "id", "Must not be empty."),
    ({"text": "a", "label": "x", "contrasts": []}, "id", "Must not be empty."),
    ({"id": 2, "text": "a", "label": 1.5, "contrasts": []}, "label", "whole number"),
    ({"id": 2, "text": "a", "label": "x"}, "contrasts", "Must be like [{...}]."),
    ({"id": 2, "text": "a", "label": "x", "contrasts": [{"text": "b", "label": "y", "contrasts": []}]}, "contrasts[0].contrasts", "Add contrasts to the original only."),
]  # fmt: skip


@pytest.mark.parametrize(("row", "field", "reason"), LABELLED_PROBLEMS)
def test_a_bad_contrast_set_is_named(tmp_path: Path, row: object, field: str, reason: str) -> None:
    good = {"id": 1, "text": "a", "label": "x", "contrasts": [{"text": "b", "label": "y"}]}
    found = read_labelled_sets(written(tmp_path, good, row))
    assert len(found.sets) == 1
    [problem] = found.problems
    assert (problem.line, problem.field) == (2, field)
    assert reason in problem.reason


# Groups of words


def test_words_of_a_group_are_found_as_words_in_any_case() -> None:
    group = WordGroup.of("g", ["She", "grand-mother", "New  York", "女士", "o'Neill"])
    found = {
        "she": True, "SHE!": True, "Sheila": False, "ashe": False, "his grand-mother's": True, "new\nyork": True,
        "New Yorker": False, "这位女士说": True, "O'NEILL,": True, "": False,
    }  # fmt: skip
    assert {text: group.is_mentioned_in(text) for text in found} == found


@pytest.mark.parametrize(
    ("content", "field", "reason"),
    [
        ("[]", "file", 'Must be like {"women": [...]}.'),
        ("{}", "file", 'Must be like {"women": [...]}.'),
        ('{"women": []}', "women", "Must be a non-empty list of words."),
        ('{"women": "she"}', "women", "Must be a non-empty list of words."),
        ('{"women": ["she", " "]}', "women", "Must be a non-empty list of words."),
        ('{"women": ["she"], "women": ["her"]}', "women", "Duplicate. Keep one."),
        ('{"women": ["she"', "line", "Invalid JSON:"),
    ],
)
def test_bad_groups_are_refused(tmp_path: Path, content: str, field: str, reason: str) -> None:
    (tmp_path / "groups.json").write_text(content, encoding="utf-8")
    groups, [problem] = read_word_groups(tmp_path / "groups.json")
    assert groups == []
    assert (problem.source, problem.field) == ("groups.json", field)
    assert reason in problem.reason


def test_groups_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "groups.json").write_text('\ufeff{\n "women": ["she"]\n}\n', encoding="utf-8")
    [group], problems = read_word_groups(tmp_path / "groups.json")
    assert (group.name, group.words, problems) == ("women", {"she"}, [])


# Real suites of others

EXPECTED = {  # what the tests that name no label expect, after their names and ER-TEST's description
    "intensifiers": {"expectation": "not_down", "applies": {"original_is_not": [1]}},
    "reducers": {"expectation": "not_up", "applies": {"original_is_not": [1]}},
    '"used to" should reduce': {"expectation": "not_up"},
    "simple negations: not negative": {"label": "not:0"},
    "simple negations: I thought x was negative, but it was not (should be neutral or positive)": {"label": [1, 2]},
    "Hard: Negation of negative with neutral stuff in the middle (should be positive or neutral)": {"label": [1, 2]},
}


@needs_data
def test_checklists_own_cases_are_read_once_they_say_what_they_expect(tmp_path: Path) -> None:
    lines = (SHARED_DATA / "checklist" / "sentiment_template_cases.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    suite = read_suite(written(tmp_path, *({**row, **EXPECTED.get(row["test"], {})} for row in rows)))
    assert suite.problems == ()
    assert len(suite.cases) == len(rows) == 1282
    silent = read_suite(SHARED_DATA / "checklist" / "sentiment_template_cases.jsonl")
    assert (silent.problems, silent.is_checklist) == ((), True)
    assert [(c.expectation, c.applies) for c in silent.cases] == [(c.expectation, c.applies) for c in suite.cases]
    assert {c.test: c.labels for c in silent.cases if c.is_forbidden} == {
        test: ("0",) for test, said in EXPECTED.items() if "label" in said
    }


def test_a_test_that_does_not_say_what_it_expects_is_read_once_that_is_said(tmp_path: Path) -> None:
    rows = [
        {"test": "own", "type": "DIR", "capability": "X", "case": 0, "texts": ["a", "b"], "label": None},
        {"test": "inv", "type": "INV", "capability": "X", "case": 0, "texts": ["a", "b"], "label": None},
        {"test": "mft", "type": "MFT", "capability": "X", "case": 0, "texts": ["a"], "label": None},
    ]
    path = written(tmp_path, *rows)
    assert [(p.line, p.field) for p in read_suite(path).problems] == [(1, "expectation"), (3, "label")]
    suite = read_suite(path, {"own": "not_up", "mft": "not:bad"})
    assert suite.problems == ()
    assert [(c.expectation, c.labels, c.is_forbidden) for c in suite.cases] == [
        ("not_up", (), False), ("same", (), False), ("label", ("bad",), True),
    ]  # fmt: skip
    assert [p.field for p in read_suite(path, {"own": "up", "mft": "bad"}).problems] == ["expectation"]
