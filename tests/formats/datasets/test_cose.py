"""CoS-E: explanations joined with the questions of CommonsenseQA. The rows here are made up."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.datasets import cose
from tests.conftest import SHARED_DATA, needs_data
from tests.formats.test_damaged_files import VALUES, paths_of, with_value

REAL = SHARED_DATA / "cos_e"
STEM = "The cat, old and fat, saw the catfish.  What did the cat do?"


def question(key="q1", answer: str | None = "B", stem=STEM, **more) -> dict:
    choices = [{"label": label, "text": text} for label, text in zip("ABC", ("sleep", "eat", "sing"), strict=True)]
    row = {"id": key, "question": {"stem": stem, "choices": choices}, **more}
    return row if answer is None else {**row, "answerKey": answer}


def said(key="q1", selected="saw the catfish", **more) -> dict:
    return {"id": key, "explanation": {"selected": selected, "open-ended": "Cats eat fish.", **more}}


def write(tmp_path: Path, **files: list) -> None:
    for name, rows in files.items():
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        (tmp_path / f"{name}.jsonl").write_text("".join(line + "\n" for line in lines))


def read(path: Path, **options):
    items = list(cose.read(path, ReadOptions(TASKS["choice"], **options)))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


def read_one(tmp_path: Path, questions: dict, explanation: dict):
    write(tmp_path, questions=[questions], explanations=[explanation])
    [instance], problems = read(tmp_path)
    return instance, problems


def marked(instance: SourceInstance) -> list[list[str]]:
    text = instance.segments["question"].text
    return [[text[s.start : s.end] for s in one_set] for a in instance.annotations for one_set in a.sets]


def test_a_question_and_its_explanation_become_one_instance(tmp_path):
    given_question = question(source="quiz")
    given_question["question"]["question_concept"] = "cat"
    instance, problems = read_one(tmp_path, given_question, said())
    assert problems == []
    assert (instance.key, instance.result, instance.language) == ("q1", "B", "en")  # the letter, as in the neutral form
    assert instance.segments["choices"].text == "A. sleep\nB. eat\nC. sing"
    [annotation] = instance.annotations
    assert (annotation.annotator, annotation.result, annotation.note) == ("cose", "B", "Cats eat fish.")
    assert marked(instance) == [["saw the catfish"]]
    assert instance.metadata == {
        "source": "quiz",
        "question_concept": "cat",
        "choices": given_question["question"]["choices"],
        "answer": "eat",
    }


@pytest.mark.parametrize("answer", [None, ""])
def test_a_question_without_explanation_or_answer_waits_for_them(answer, tmp_path):
    write(tmp_path, test_rand_split_no_answers=[question(answer=answer)])
    [instance], problems = read(tmp_path)
    assert (instance.result, instance.annotations, instance.split, problems) == (None, (), "test", [])


PAGE = "ignoring page text (Question:, Answer Choices:)"
SPACE = "ignoring white space and capitals"
SELECTIONS = [
    ("saw the catfish", [["saw the catfish"]], []),
    (" saw the catfish\u00a0", [["saw the catfish"]], []),
    ("Question: The cat", [["The cat"]], [PAGE]),
    (": The cat", [["The cat"]], [PAGE]),
    ("the cat do?Answer Choices: \u00a0", [["the cat do?"]], [PAGE]),
    ("catfish. What", [["catfish.  What"]], [SPACE]),
    ("The cat,old", [["The cat, old"]], [SPACE]),
    ("SAW THE", [["saw the"]], [SPACE]),
    ("Question: The cat, old  and fat", [["The cat, old and fat"]], [PAGE + " and " + SPACE]),
    ("the cat", [["the cat"]], ["The selection occurs 2 times in the question; using the one at character 49."]),  # not in "the catfish"
    ("at", [["at"]], ["The selection occurs 5 times in the question; using the one at character 5.", "Cuts a word; the whole word is marked."]),
    ("saw the cat", [["saw the cat"]], ["Cuts a word; the whole word is marked."]),
    ("the cat,saw,the catfish", [["The cat", "saw", "the catfish"]], ["comma-separated parts"]),
    ("the catfish,old", [], ["Not in the question: kept as metadata only."]),  # pieces in another order
    ("a dog", [], ["Not in the question: kept as metadata only."]),
    ("Question:", [], ["Not in the question: kept as metadata only."]),
    ("", [], ["Nothing marked: taken as no rationale."]),
    (" ", [], ["Nothing marked: taken as no rationale."]),
]  # fmt: skip


@pytest.mark.parametrize(("selected", "found", "reasons"), SELECTIONS)
def test_a_selection_is_looked_for_leniently_and_every_leniency_is_told(selected, found, reasons, tmp_path):
    instance, problems = read_one(tmp_path, question(), said(selected=selected))
    assert marked(instance) == found
    assert len(problems) == len(reasons)
    for problem, reason in zip(problems, reasons, strict=True):
        assert reason in problem.reason
        assert (problem.source, problem.line, problem.field) == ("explanations.jsonl", 1, "explanation.selected")
        assert problem.is_warning
    assert instance.metadata.get("selected") == (selected if selected and not found else None)


BAD_QUESTIONS = [
    (question(key=""), "id", "Must not be empty."),
    (question(answer="F"), "answerKey", "Answer not among the choices ('A', 'B', 'C')."),
    (question(stem=""), "question", "Must not be empty."),
    ({**question(), "question": {"stem": STEM, "choices": []}}, "choices", "Must not be empty."),
    ({**question(), "question": {"stem": STEM}}, "question.choices", "is missing"),
    ({**question(), "question": STEM}, "question", "Must be an object {...}, not text."),
    ("{", "line", "Invalid JSON: truncated at character 1."),
]


@pytest.mark.parametrize(("bad", "field", "reason"), BAD_QUESTIONS)
def test_a_bad_question_names_its_field_and_gives_no_instance(bad, field, reason, tmp_path):
    write(tmp_path, questions=[question("good"), bad], explanations=[said("good")])
    instances, problems = read(tmp_path)
    assert [i.key for i in instances] == ["good"]
    assert (2, field) in [(p.line, p.field) for p in problems]
    assert any(p.field == field and reason in p.reason for p in problems), [p.reason for p in problems]


BAD_EXPLANATIONS = [
    ({"id": "q1", "explanation": {}}, "explanation.selected", "is missing"),
    (said(selected=None), "explanation.selected", "Must be text, not null."),
    ({"explanation": {"selected": ""}}, "id", "is missing"),
    (said("good"), "id", "Duplicate of explanations.jsonl, line 1."),
    (said("other"), "id", "No question with this id in"),
    ({"id": "q1"}, "explanation", "is missing"),
]


@pytest.mark.parametrize(("bad", "field", "reason"), BAD_EXPLANATIONS)
def test_a_bad_explanation_is_told_and_the_questions_stay(bad, field, reason, tmp_path):
    write(tmp_path, questions=[question("good"), question("q1")], explanations=[said("good"), bad])
    instances, [problem] = read(tmp_path)
    assert [(i.key, len(i.annotations)) for i in instances] == [("good", 1), ("q1", 0)]
    assert (problem.source, problem.line, problem.field) == ("explanations.jsonl", 2, field)
    assert reason in problem.reason


def test_a_file_without_a_row_that_can_be_read_takes_no_part(tmp_path):
    write(tmp_path, questions=[question()], explanations=[said()], notes=["not a row"])
    [instance], problems = read(tmp_path)
    assert (marked(instance), problems) == ([["saw the catfish"]], [])


def test_a_question_that_stands_twice_is_refused_the_second_time(tmp_path):
    write(tmp_path, questions=[question(), question()], explanations=[said()])
    instances, [problem] = read(tmp_path)
    assert (len(instances), problem.line, problem.field) == (1, 2, "id")


def release(tmp_path: Path) -> None:
    write(
        tmp_path,
        train_rand_split=[question("t1"), question("t2")],
        dev_rand_split=[question("d1")],
        cose_train_v1=[said("t1"), said("t2")],
        cose_dev_v1=[said("d1", "Question: The cat")],
        cose_dev_v1_processed=[said("d1", "The cat")],
        notes=[{"other": 1}],
    )


def test_a_folder_gives_all_splits_or_the_asked_one_and_leaves_processed_copies_out(tmp_path):
    release(tmp_path)
    instances, problems = read(tmp_path, key_prefix="c-")
    assert {i.key: i.split for i in instances} == {"c-d1": "val", "c-t1": "train", "c-t2": "train"}
    assert [(p.source, p.is_warning) for p in problems] == [
        ("cose_dev_v1_processed.jsonl", True),
        ("cose_dev_v1.jsonl", True),
    ]
    instances, problems = read(tmp_path, split="train")
    assert ([i.key for i in instances], problems) == (["t1", "t2"], [])


def test_a_file_is_joined_with_the_files_of_its_split_beside_it(tmp_path):
    release(tmp_path)
    [instance], [warning] = read(tmp_path / "dev_rand_split.jsonl", split="pilot")
    assert (instance.key, instance.split, marked(instance)) == ("d1", "pilot", [["The cat"]])
    assert PAGE in warning.reason
    [instance], problems = read(tmp_path / "cose_dev_v1_processed.jsonl")
    assert (instance.key, marked(instance), problems) == ("d1", [["The cat"]], [])


def test_the_questions_of_a_named_file_of_explanations_are_those_it_explains(tmp_path):
    write(tmp_path, questions=[question("q1"), question("q2")], train=[said("q2")])
    [instance], problems = read(tmp_path / "train.jsonl")
    assert (instance.key, instance.split, problems) == ("q2", "train", [])


def test_missing_files_and_other_tasks_are_refused(tmp_path):
    with pytest.raises(NotFound):
        read(tmp_path / "none")
    with pytest.raises(InvalidValue, match=r"Add CommonsenseQA's files\."):
        read(tmp_path)
    write(tmp_path, explanations=[said()])
    with pytest.raises(InvalidValue, match=r"Add CommonsenseQA's files\."):
        read(tmp_path / "explanations.jsonl")
    for task in ("reading", "sentiment"):
        with pytest.raises(InvalidValue, match="CoS-E needs the task choice"):
            list(cose.read(tmp_path, ReadOptions(TASKS[task])))


@given(data=st.data())
def test_odd_values_never_make_the_reader_fail(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    rows = {"questions": question("q2"), "explanations": said("q2")}
    changed = data.draw(st.sampled_from(list(rows)))
    path = data.draw(st.sampled_from([path for path in paths_of(rows[changed]) if path]))
    rows[changed] = with_value(rows[changed], path, data.draw(VALUES))
    write(folder, questions=[question(), rows["questions"]], explanations=[said(), rows["explanations"]])
    instances, _ = read(folder)
    assert instances[0].key == "q1"
    assert all(0 <= s.start < s.end for i in instances for a in i.annotations for one in a.sets for s in one)


@needs_data
def test_the_real_rows_have_the_sets_of_the_neutral_form():
    """Source: canonical.jsonl, made by others, which gives no set to a selection that is not in the question as it is."""
    instances, problems = read(REAL / "raw")
    rows = {row["id"]: row for row in map(json.loads, (REAL / "canonical.jsonl").read_text().splitlines())}
    assert (len(instances), {p.is_warning for p in problems}) == (804, {True})
    n_recovered, differing = 0, []
    for instance in instances:
        row = rows[instance.key]
        [annotation], [theirs] = instance.annotations, row["annotations"]
        ours = [(span.start, span.end) for one_set in annotation.sets for span in one_set]
        n_recovered += row["meta"]["unmatched"]
        is_same = row["meta"]["unmatched"] or ours == [(s["start"], s["end"]) for s in theirs["char_spans"]]
        if not is_same or (annotation.note, annotation.result) != (theirs["explanation"], theirs["label"]):
            differing.append(instance.key)
    assert differing == []
    assert n_recovered == 156
    assert all(a.sets for i in instances for a in i.annotations)  # those 156 hold words of the page around the question
