"""FairRationales' own CSV: the rows of a text become one instance with an annotation of each annotator."""

from pathlib import Path

import pytest

from annotator.domain.sources import SourceInstance, SourceSpan, SourceText
from annotator.domain.tasks import TASKS, SegmentSpec, Task, custom_task
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.datasets.fair_rationales import read
from annotator.formats.registry import guess_format
from tests.conftest import SHARED_DATA, needs_data

HEADER = "QID,text_id,sentence,original_label,label,label_index,rationale,rationale_index,rationale_binary,annotator_ID,group_id\n"
A = 'Q1,7,"Well, a  calm film.",positive,{label},1,"calm","{index}","[0, 0, 1, 0]",{who},G1\n'
QUESTIONS = custom_task((SegmentSpec("question", "Question"),), "answer")


def items(folder: Path, rows: str, name: str = "SST_annotations.csv", task: Task = TASKS["sentiment"], labels=()):
    path = folder / name
    path.write_text(HEADER + rows, encoding="utf-8")
    found = list(read(path, ReadOptions(task, labels)))
    return [i for i in found if isinstance(i, SourceInstance)], [i for i in found if isinstance(i, Problem)]


def row(label: str = "positive", index: str = "[2, 3]", who: str = "4") -> str:
    return A.format(label=label, index=index, who=who)


def test_rows_of_a_text_become_one_instance_wherever_they_stand(tmp_path):
    other = 'Q2,8,Dull.,negative,negative,2,"Dull.","[0]","[1]",4,G1\n'
    (first, second), problems = items(tmp_path, row() + other + row("negative", "[]", "9"))
    assert problems == []
    assert (first.key, first.result, second.key, first.language) == ("SST-7", "positive", "SST-8", "en")
    assert [(a.annotator, a.result, a.sets) for a in first.annotations] == [
        ("4", "positive", ((SourceSpan("text", 2, 4),),)), ("9", "negative", ()),
    ]  # fmt: skip
    text = first.segments["text"]
    assert isinstance(text, SourceText)
    assert text.text == "Well, a  calm film."
    assert text.tokens is not None
    assert text.tokens.n_tokens == 4
    assert first.metadata["QID"] == "Q1"


def test_what_the_file_says_of_each_annotator_is_kept_beside_their_name(tmp_path):
    header = HEADER.replace("group_id", "group_id,age,sst2_id")
    rows = 'Q1,7,Dull.,negative,{0},1,Dull.,"[0]","[1]",{1},G{1},{2},44\n'
    path = tmp_path / "SST_annotations.csv"
    path.write_text(header + rows.format("negative", 1, 30) + rows.format("positive", 2, ""), encoding="utf-8")
    [instance] = read(path, ReadOptions(TASKS["sentiment"]))
    assert isinstance(instance, SourceInstance)
    assert instance.metadata["annotations"] == [
        {"annotator": "1", "group_id": "G1", "age": "30"},
        {"annotator": "2", "group_id": "G2"},
    ]
    assert instance.metadata["sst2_id"] == "44"


def test_a_label_of_an_annotator_that_the_project_has_not_is_a_problem_of_that_row(tmp_path):
    [instance], [problem] = items(tmp_path, row() + row("no sentiment", who="5"), labels=("negative", "positive"))
    assert (problem.line, problem.value, problem.remedy) == (3, "no sentiment", "label")
    assert [a.annotator for a in instance.annotations] == ["4"]


@pytest.mark.parametrize(
    ("rows", "field"),
    [
        (row() + row(), "annotator_ID"),
        (row(index="[9]"), "rationales[0][0]"),
        (row(index="2 3"), "rationale_index"),
        (row() + row(who="5").replace("calm film", "dull film"), "sentence"),
    ],
)
def test_what_cannot_be_is_told_with_its_column(tmp_path, rows, field):
    _, problems = items(tmp_path, rows)
    assert [p.field for p in problems] == [field]


def test_questions_of_cos_e_have_the_text_of_the_choice_as_answer_and_its_letter_as_label(tmp_path):
    rows = (
        'Q3,2,Where is he?,C,race track,3,he,"[2]","[0, 0, 1]",1,G1\nQ3,2,Where is he?,C,"at home, asleep",1,,,,2,G2\n'
    )
    [asked], problems = items(tmp_path, rows, "cose_annotations.csv", QUESTIONS)
    assert problems == []
    assert (asked.key, asked.result) == ("cose-2", "race track")
    assert [(a.result, len(a.sets)) for a in asked.annotations] == [("race track", 1), ("at home, asleep", 0)]
    [labelled], _ = items(tmp_path, rows, "cose_annotations.csv")
    assert (labelled.result, [a.result for a in labelled.annotations]) == ("C", ["C", "A"])


def test_the_format_is_guessed_and_a_task_of_several_texts_is_refused(tmp_path):
    items(tmp_path, row())
    guess = guess_format(tmp_path / "SST_annotations.csv")
    assert guess is not None
    assert guess.format_name == "fair-rationales"
    with pytest.raises(InvalidValue, match=r"Use sentiment or a one-segment task\."):
        items(tmp_path, row(), task=TASKS["inference"])


def test_tables_of_a_folder_that_are_not_read_are_named(tmp_path):
    (tmp_path / "SST_annotations.csv").write_text(HEADER + row(), encoding="utf-8")
    (tmp_path / "bert_sst2_attention.csv").write_text("text,attention\n", encoding="utf-8")
    found = list(read(tmp_path, ReadOptions(TASKS["sentiment"])))
    [warning] = [item for item in found if isinstance(item, Problem)]
    assert (warning.value, warning.is_warning) == ("bert_sst2_attention.csv", True)
    assert "Skipped: not annotations. Import model output later." in warning.reason
    assert sum(isinstance(item, SourceInstance) for item in found) == 1


@needs_data
@pytest.mark.parametrize(
    ("name", "task", "n", "n_empty"),
    [
        ("SST_annotations.csv", TASKS["sentiment"], 160, 0),
        ("dynasent_annotations.csv", TASKS["sentiment"], 300, 0),
        ("cose_annotations.csv", QUESTIONS, 300, 26),
    ],
)
def test_the_real_files_come_in_whole(name, task, n, n_empty):
    found = list(read(SHARED_DATA / "fair_rationales" / "raw" / name, ReadOptions(task)))
    instances = [item for item in found if isinstance(item, SourceInstance)]
    assert len(instances) == len(found) == n
    annotations = [annotation for instance in instances for annotation in instance.annotations]
    assert len(annotations) == 6 * n
    assert sum(not annotation.sets for annotation in annotations) == n_empty
