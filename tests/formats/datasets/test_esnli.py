"""The CSV files of e-SNLI. The rows here are made up, in the layout of the released files.

Source: github.com/OanaMariaCamburu/e-SNLI, README ("ignore the fields Sentence_Highlighted_ and retrieve the highlighted
words from the Sentence_marked_ fields") and issue 6 (numbers count from 0 what stands between blanks); no real file of
the data set is among the shared data.
"""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.sources import SourceInstance, SourceSpan
from annotator.domain.tasks import TASKS, SegmentSpec, custom_task
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.datasets import esnli

PREMISE = "A woman in a green coat waters her tomatoes."
HYPOTHESIS = "A woman is gardening."
TRAIN = {
    "pairID": "1.jpg#0r1e",
    "gold_label": "entailment",
    "Sentence1": PREMISE,
    "Sentence2": HYPOTHESIS,
    "Explanation_1": "Whoever waters tomatoes is gardening.",
    "WorkerId": "W17",
    "Sentence1_marked_1": " A woman in a green coat *waters* her *tomatoes.*",  # released files begin with a blank, too
    "Sentence2_marked_1": " A woman is *gardening.*",
    "Sentence1_Highlighted_1": "8,6",
    "Sentence2_Highlighted_1": "3",
}
PLAIN = {"Sentence1_marked_1": PREMISE, "Sentence1_Highlighted_1": "{}"}


def table(*rows: dict) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def read(content: str | bytes, tmp_path: Path, name: str = "esnli_train_1.csv", **options):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_path(tmp_path / name, **options)


def read_path(path: Path, **options):
    items = list(esnli.read(path, ReadOptions(TASKS["inference"], **options)))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


def words(instance: SourceInstance, annotation) -> list[str]:
    """The marked words as the segments' own tokens have them."""
    bodies = {name: text.tokens.tokens() for name, text in instance.segments.items()}
    return [word for spans in annotation.sets for s in spans for word in bodies[s.segment][s.start : s.end]]


def test_a_training_row_has_one_named_annotator_and_one_set_over_both_sentences(tmp_path):
    [instance], problems = read(table({**TRAIN, "batch": "7"}), tmp_path, key_prefix="e-")
    assert problems == []
    assert (instance.key, instance.split, instance.result, instance.line) == ("e-1.jpg#0r1e", "train", "entailment", 2)
    assert instance.segments["premise"].tokens.tokens() == PREMISE.split()  # "tomatoes." is one word
    [annotation] = instance.annotations
    assert (annotation.annotator, annotation.result) == ("W17", "entailment")
    assert annotation.note == "Whoever waters tomatoes is gardening."
    assert annotation.sets == (
        (SourceSpan("premise", 6, 7), SourceSpan("premise", 8, 9), SourceSpan("hypothesis", 3, 4)),
    )
    assert (instance.metadata, instance.language) == ({"batch": "7"}, "en")


def numbered(number: int, **cells: str) -> dict:
    return {name.replace("_1", f"_{number}"): cells.get(name, "") for name in TRAIN if name.endswith("_1")}


def test_a_development_row_has_up_to_three_annotators_known_by_their_position(tmp_path):
    row = {name: value for name, value in TRAIN.items() if name != "WorkerId"}
    row |= numbered(2, **{**TRAIN, **PLAIN, "Explanation_1": "It is."}) | numbered(3)
    [instance], problems = read(table(row), tmp_path, "esnli_dev.csv")
    assert (problems, instance.split) == ([], "val")
    assert [(a.annotator, words(instance, a), a.note) for a in instance.annotations] == [
        ("annotator 1", ["waters", "tomatoes.", "gardening."], "Whoever waters tomatoes is gardening."),
        ("annotator 2", ["gardening."], "It is."),
    ]


def test_a_gold_label_of_a_dash_is_no_result(tmp_path):
    [instance], problems = read(table({**TRAIN, "gold_label": "-"}), tmp_path)
    assert (instance.result, instance.annotations[0].result, problems) == (None, None, [])


# what the two columns of the premise hold, the words of it that are taken, columns of warnings with a word of their reason
DISAGREEING = [
    (
        " *A* woman in a green coat waters her tomatoes.",
        "1",
        ["A"],
        [("Highlighted", "Sentence1_marked_1 stars other words (0); using these.")],
    ),
    (
        " *A* woman in a green coat waters her tomatoes.",
        "{}",
        ["A"],
        [("Highlighted", "Sentence1_marked_1 stars other words (0); using these.")],
    ),
    (PREMISE, "1", [], [("Highlighted", "Sentence1_marked_1 stars other words (none); using these.")]),
    (
        " *A* woman in a green coat waters her tomatoes.",
        "9",
        ["A"],
        [("Highlighted", "No word 9: the sentence has 9 words from 0.")],
    ),
    (
        " *A* woman in a green coat waters her tomatoes.",
        "0;1",
        ["A"],
        [("Highlighted", "Must be comma-separated word numbers, or")],
    ),
    (
        " *A* woman in a coat waters her tomatoes.",
        "0,4",
        ["A", "green"],
        [("marked", "No starred sentence; using the numbers of")],
    ),
    ("", "0, 4 ,4", ["A", "green"], []),
    (" *A* woman in a green coat waters her tomatoes.", "", ["A"], []),
]


@pytest.mark.parametrize(("stars", "numbers", "taken", "warned"), DISAGREEING)
def test_the_stars_win_where_they_stand_in_the_sentence_and_a_disagreement_is_told(
    stars, numbers, taken, warned, tmp_path
):
    row = {**TRAIN, "Sentence1_marked_1": stars, "Sentence1_Highlighted_1": numbers}
    [instance], problems = read(table(row), tmp_path)
    assert words(instance, instance.annotations[0]) == [*taken, "gardening."]
    assert [(p.field, p.is_warning) for p in problems] == [(f"Sentence1_{kind}_1", True) for kind, _ in warned]
    for problem, (_, reason) in zip(problems, warned, strict=True):
        assert reason in problem.reason


# With blanks in a row, "naps" is word 2 between white space and piece 3 between single blanks.
BLANKS_IN_A_ROW = [
    ("A cat *naps*  here.", "3", ["naps"], []),
    ("A cat *naps*  here.", "2", ["naps"], []),
    (
        "",
        "3",
        ["here."],
        ["Consecutive blanks: word numbers count them as one."],
    ),  # nothing says which: words between white space
    ("", "4", ["here."], []),  # past the end of the words, so that only pieces are left
]


@pytest.mark.parametrize(("stars", "numbers", "taken", "reasons"), BLANKS_IN_A_ROW)
def test_numbers_that_count_single_blanks_agree_with_the_stars(stars, numbers, taken, reasons, tmp_path):
    row = {**TRAIN, "Sentence1": "A cat  naps here.", "Sentence1_marked_1": stars, "Sentence1_Highlighted_1": numbers}
    [instance], problems = read(table(row), tmp_path)
    assert words(instance, instance.annotations[0]) == [*taken, "gardening."]
    assert len(problems) == len(reasons)
    assert all(reason in p.reason for p, reason in zip(problems, reasons, strict=True))


def test_a_word_with_stars_of_its_own_is_highlighted_only_when_it_has_two_more(tmp_path):
    row = {**TRAIN, "Sentence1": "*sigh* a cat *purrs*", "Sentence1_marked_1": "*sigh* a cat **purrs**"}
    [instance], problems = read(table({**row, "Sentence1_Highlighted_1": "3"}), tmp_path)
    assert (words(instance, instance.annotations[0]), problems) == (["*purrs*", "gardening."], [])


def test_nothing_highlighted_is_an_annotation_without_a_set_and_an_explanation_alone_is_told(tmp_path):
    nothing = {**TRAIN, **PLAIN, "Sentence2_marked_1": HYPOTHESIS, "Sentence2_Highlighted_1": "{}"}
    blank = dict.fromkeys((name for name in TRAIN if "_marked_" in name or "_Highlighted_" in name), "")
    rows = [nothing, {**TRAIN, **blank, "pairID": "2"}, {**TRAIN, **blank, "Explanation_1": "", "pairID": "3"}]
    instances, [warning] = read(table(*rows), tmp_path)
    assert [[len(a.sets) for a in i.annotations] for i in instances] == [[0], [0], []]
    assert (warning.line, warning.field, warning.is_warning) == (3, "Explanation_1", True)


BAD_ROWS = [
    ({"Sentence1": ""}, "premise", "Must not be empty."),
    ({"Sentence2": "  "}, "hypothesis", "Must not be empty."),
    ({"pairID": ""}, "id", "Must not be empty."),
    ({"gold_label": "maybe"}, "label", "No label 'maybe' (only"),
    (
        {"Sentence1_marked_1": "", "Sentence1_Highlighted_1": "9"},
        "Sentence1_Highlighted_1",
        "No word 9: the sentence has 9 words from 0.",
    ),
    (
        {"Sentence1_marked_1": "", "Sentence1_Highlighted_1": "-1"},
        "Sentence1_Highlighted_1",
        "Must be comma-separated word numbers, or {} for none.",
    ),
    (
        {"Sentence1_marked_1": "", "Sentence1_Highlighted_1": "1,"},
        "Sentence1_Highlighted_1",
        "Must be comma-separated word numbers, or {} for none.",
    ),
    (
        {"Sentence1_marked_1": "*Else*", "Sentence1_Highlighted_1": ""},
        "Sentence1_marked_1",
        "no usable numbers in Sentence1_Highlighted_1",
    ),
    (
        {"Sentence1_marked_1": "*Else*", "Sentence1_Highlighted_1": "x"},
        "Sentence1_marked_1",
        "no usable numbers in Sentence1_Highlighted_1",
    ),
    ({"WorkerId_2": "W17", "Explanation_2": "Again."}, "annotator", "Same person twice in one round. Keep one."),
]


@pytest.mark.parametrize(("changes", "field", "reason"), BAD_ROWS)
def test_a_bad_row_names_its_column_and_gives_no_instance(changes, field, reason, tmp_path):
    content = table({**TRAIN, **changes}, {**TRAIN, "pairID": "good"})
    instances, problems = read(content, tmp_path, labels=("entailment", "neutral", "contradiction"))
    assert [i.key for i in instances] == ["good"]
    refusals = [p for p in problems if not p.is_warning]
    assert (2, field) in [(p.line, p.field) for p in refusals]
    assert any(p.field == field and reason in p.reason for p in refusals), [p.reason for p in refusals]


def test_a_pair_that_stands_twice_is_refused_the_second_time_also_in_another_file_of_the_split(tmp_path):
    for name in ("esnli_train_1.csv", "esnli_train_2.csv", "esnli_test.csv", "notes.csv"):
        (tmp_path / name).write_text(table(TRAIN) if name != "notes.csv" else "a,b\n1,2\n")
    instances, [problem] = read_path(tmp_path)
    assert [(i.source, i.split) for i in instances] == [("esnli_test.csv", "test"), ("esnli_train_1.csv", "train")]
    assert (problem.source, problem.line, problem.field) == ("esnli_train_2.csv", 2, "pairID")


def test_a_folder_gives_the_asked_split_alone_and_a_file_the_split_that_is_said(tmp_path):
    (tmp_path / "esnli_dev.csv").write_text(table(TRAIN))
    (tmp_path / "esnli_test.csv").write_text(table(TRAIN))
    assert [i.source for i in read_path(tmp_path, split="val")[0]] == ["esnli_dev.csv"]
    assert [i.split for i in read_path(tmp_path / "esnli_dev.csv", split="pilot")[0]] == ["pilot"]
    with pytest.raises(InvalidValue, match=r"No esnli_\*\.csv for split 'train' in '"):
        read_path(tmp_path, split="train")


def test_a_file_without_the_columns_is_told_and_one_that_is_not_there_refused(tmp_path):
    instances, [problem] = read("pairID,gold_label,Sentence1\n1,neutral,a\n", tmp_path)
    assert (instances, problem.line, problem.field) == ([], 1, "header")
    assert "Column 'Sentence2' is missing." in problem.reason
    assert "Duplicate column 'Sentence1'." in read("Sentence1," + table(TRAIN), tmp_path)[1][0].reason
    with pytest.raises(NotFound):
        read_path(tmp_path / "none.csv")
    with pytest.raises(InvalidValue, match="e-SNLI needs the task inference"):
        list(esnli.read(tmp_path, ReadOptions(TASKS["reading"])))


def test_byte_order_mark_windows_line_ends_broken_bytes_and_a_half_written_last_row(tmp_path):
    good = table(TRAIN).replace("\n", "\r\n").encode()
    broken = good.splitlines()[1].replace(b"1.jpg", b"2\xff")
    instances, problems = read(b"\xef\xbb\xbf" + good + b"\r\n" + broken + b"\r\n3.jpg,neut", tmp_path)
    assert [i.key for i in instances] == ["1.jpg#0r1e"]
    assert [(p.line, p.field) for p in problems] == [(4, "line"), (5, "line")]


def test_a_custom_task_with_the_two_segments_is_taken(tmp_path):
    (tmp_path / "esnli_train_1.csv").write_text(table({**TRAIN, "id": "x"}))
    task = custom_task([SegmentSpec("hypothesis", "H"), SegmentSpec("premise", "P")], "label")
    [instance] = esnli.read(tmp_path, ReadOptions(task))
    assert (instance.key, instance.metadata) == ("1.jpg#0r1e", {"id": "x"})


CELLS = st.text("*{}0123456789, ab.\t\"'", max_size=12) | st.text(max_size=8)


@given(changes=st.dictionaries(st.sampled_from(list(TRAIN)), CELLS, max_size=3))
def test_odd_cells_never_make_the_reader_fail(changes, tmp_path_factory):
    content = table({**TRAIN, **changes}).encode("utf-8", "surrogatepass")
    instances, problems = read(content, tmp_path_factory.mktemp("odd"))
    assert len(instances) + len([p for p in problems if not p.is_warning]) > 0
    for instance in instances:
        assert all(words(instance, a) for a in instance.annotations if a.sets)
