"""Plain JSONL rows: names of columns, rationales, several annotators, and everything that can be wrong with a row."""

import json
from pathlib import Path

import pytest

from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceSpan, SourceText
from annotator.domain.tasks import TASKS, SegmentSpec, Task
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.own import jsonl

Read = tuple[list[SourceInstance], list[Problem]]
TEXT = "A calm, clever film."


def read_rows(rows: list[dict], tmp_path: Path, task: Task | str = "sentiment", **options) -> Read:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    chosen = TASKS[task] if isinstance(task, str) else task
    items = list(jsonl.read(path, ReadOptions(chosen, **options)))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


def test_a_full_row_becomes_an_instance_with_its_annotation(tmp_path):
    row = {
        "id": 7,
        "split": "val",
        "lang": "en",
        "text": TEXT,
        "label": "positive",
        "annotator": "ada",
        "annotator_label": "neutral",
        "rationales": [
            [{"segment": "text", "start_token": 1, "end_token": 2}, [3, 4]],
            [{"segment": "text", "start_char": 8, "end_char": 14}],
        ],
        "note": "two reasons",
        "exhaustive": True,
        "parent": 3,
        "perturbation_kind": "syntax",
        "stars": 4,
        "metadata": {"source": "own"},
    }
    [instance], problems = read_rows([row], tmp_path)
    assert problems == []
    assert instance == SourceInstance(
        key="7",
        segments={"text": SourceText(TEXT)},
        source="rows.jsonl",
        line=1,
        split="val",
        language="en",
        result="positive",
        annotations=(
            SourceAnnotation(
                "ada",
                "neutral",
                (
                    (SourceSpan("text", 1, 2), SourceSpan("text", 3, 4)),
                    (SourceSpan("text", 8, 14, "char"),),
                ),
                note="two reasons",
            ),
        ),
        parent_key="3",
        perturbation_kind="syntax",
        is_exhaustive=True,
        metadata={"stars": 4, "source": "own"},
    )


NAMES = [
    ("sentiment", {"sentence": "a"}, {"text": "a"}),
    ("sentiment", {"context": "a"}, {"text": "a"}),
    ("sentiment", {"review": "a"}, {"text": "a"}),
    ("sentiment", {"context": "b", "text": "a"}, {"text": "a"}),  # the segment's own name goes first
    ("similarity", {"query": "a", "title": "b"}, {"sentence1": "a", "sentence2": "b"}),
    ("similarity", {"sentence2": "b", "sentence1": "a"}, {"sentence1": "a", "sentence2": "b"}),
    ("reading", {"context": "a", "question": "q"}, {"passage": "a", "question": "q"}),
    ("reading", {"passage": "a", "title": "t", "query": "q"}, {"passage": "a", "title": "t", "question": "q"}),
    ("reading", {"passage": "a", "title": "", "question": "q"}, {"passage": "a", "question": "q"}),  # empty: left out
    ("inference", {"premise": "a", "hypothesis": "b"}, {"premise": "a", "hypothesis": "b"}),
    ("inference", {"sentence1": "a", "sentence2": "b"}, {"premise": "a", "hypothesis": "b"}),
    ("verification", {"document": "a", "claim": "c"}, {"document": "a", "query": "c"}),
    ("verification", {"document": "a", "document2": "b", "query": "c"}, {"document": "a", "document2": "b", "query": "c"}),
    ("choice", {"question": "a", "choices": "b"}, {"question": "a", "choices": "b"}),
]  # fmt: skip


@pytest.mark.parametrize(("task", "columns", "segments"), NAMES)
def test_segments_are_found_by_their_own_and_other_names(task, columns, segments, tmp_path):
    [instance], problems = read_rows([{"id": "1", **columns}], tmp_path, task)
    assert problems == []
    assert {name: body.text for name, body in instance.segments.items()} == segments


KEYS = ["id", "key", "instance_id", "annotation_id", "sent_id"]


@pytest.mark.parametrize("name", KEYS)
def test_the_key_may_have_any_of_its_names(name, tmp_path):
    [instance], _ = read_rows([{name: "a", "text": TEXT}], tmp_path)
    assert (instance.key, instance.metadata) == ("a", {})


RESULTS = [
    ("sentiment", {"label": "positive"}, "positive"),
    ("sentiment", {"answer": "positive"}, "positive"),
    ("sentiment", {"label": 1}, "1"),
    ("sentiment", {"label": ""}, None),
    ("sentiment", {"label": None}, None),
    ("sentiment", {}, None),
    ("reading", {"answer": "in May"}, "in May"),
    ("reading", {"answer": ""}, ""),  # there is no answer
    ("reading", {"answer": None}, None),
    ("reading", {}, None),  # not given
]


@pytest.mark.parametrize(("task", "columns", "result"), RESULTS)
def test_a_missing_result_is_none_and_an_empty_answer_is_an_answer(task, columns, result, tmp_path):
    [instance], problems = read_rows([{"id": "1", "text": TEXT, "question": "When?", **columns}], tmp_path, task)
    assert problems == []
    assert instance.result == result


ANNOTATIONS = [
    ({}, None),
    ({"rationales": None}, None),
    ({"rationales": []}, ("gold", "positive", 0)),  # annotated, with no rationale
    ({"rationales": [[[0, 1]]]}, ("gold", "positive", 1)),
    ({"annotator": "ada"}, None),  # the name alone is no annotation
    ({"annotator": "ada", "annotator_label": "negative"}, ("ada", "negative", 0)),
    ({"annotator": "ada", "rationales": [[[0, 1]], [[2, 3]]]}, ("ada", "positive", 2)),
]


@pytest.mark.parametrize(("columns", "expected"), ANNOTATIONS)
def test_a_row_is_annotated_when_it_has_rationales_or_an_annotators_label(columns, expected, tmp_path):
    [instance], problems = read_rows([{"id": "1", "text": TEXT, "label": "positive", **columns}], tmp_path)
    assert problems == []
    found = [(a.annotator, a.result, len(a.sets)) for a in instance.annotations]
    assert found == ([] if expected is None else [expected])


def test_tokens_of_the_source_are_kept_with_their_offsets(tmp_path):
    rows = [
        {"id": "1", "text": "don't  stop", "tokens": ["do", "n't", "stop"]},
        {"id": "2", "tokens": {"text": ["Well", "done"]}},  # no text: made from the tokens
        {"id": "3", "tokens": ["好", "吃"], "language": "zh"},
    ]
    instances, problems = read_rows(rows, tmp_path)
    assert problems == []
    bodies = [i.segments["text"] for i in instances]
    assert [b.text for b in bodies] == ["don't  stop", "Well done", "好吃"]
    assert [b.tokens.tokens() for b in bodies] == [["do", "n't", "stop"], ["Well", "done"], ["好", "吃"]]
    assert bodies[0].tokens.starts == (0, 2, 7)


BAD_ROWS = [
    ("sentiment", {"id": None}, "id", "It must be a whole number or text, not null."),
    ("sentiment", {"id": ""}, "id", "The key is empty"),
    ("sentiment", {"id": True}, "id", "not true or false"),
    ("sentiment", {"text": None}, "text", "must be text"),
    ("sentiment", {"text": ["a"]}, "text", "must be text"),
    ("sentiment", {"text": ""}, "text", "has no text"),
    ("sentiment", {"text": "  \u3000"}, "text", "has no text"),
    ("sentiment", {"label": True}, "label", "not true or false"),
    ("sentiment", {"label": "joyful"}, "label", "no label 'joyful' (it has 'negative', 'positive')"),
    ("sentiment", {"annotator_label": "joyful"}, "annotator_label", "no label 'joyful'"),
    ("sentiment", {"exhaustive": "yes"}, "exhaustive", "true or false or null, not text"),
    ("sentiment", {"parent": "1"}, "parent", "cannot be the perturbation of itself"),
    ("sentiment", {"rationales": "good"}, "rationales", "a list or null, not text"),
    ("sentiment", {"rationales": [[]]}, "rationales[0]", "The set is empty"),
    ("sentiment", {"rationales": [[[0, "1"]]]}, "rationales[0][0][1]", "a whole number, not text"),
    ("sentiment", {"rationales": [[[0, 1, 2]]]}, "rationales[0][0]", "length 2"),
    ("sentiment", {"rationales": [[[3, 1]]]}, "rationales[0][0]", "from token 3 to 1 (exclusive)"),
    ("sentiment", {"rationales": [[[3, 3]]]}, "rationales[0][0]", "0 <= start < end"),
    ("sentiment", {"rationales": [[[-1, 1]]]}, "rationales[0][0]", "0 <= start < end"),
    ("sentiment", {"rationales": [[{"start_char": 15, "end_char": 21}]]}, "rationales[0][0]", "has 20 characters, 0 to 19"),
    ("sentiment", {"rationales": [[{"start_token": 1}]]}, "rationales[0][0]", "needs start_token and end_token"),
    ("sentiment", {"rationales": [[{"segment": "body", "start_token": 1, "end_token": 2}]]}, "rationales[0][0].segment", "no segment 'body'; write one of 'text'"),
    ("sentiment", {"tokens": ["A", "calm"]}, "tokens.text", "The 2 tokens end at character 6"),
    ("sentiment", {"tokens": ["B"]}, "tokens.text", "Token 0 'B' is not in the text"),
    ("sentiment", {"tokens": {"body": []}}, "tokens.body", "no segment 'body'"),
    ("sentiment", {"tokens": ["A", "calm", ",", "clever", "film", "."], "rationales": [[[5, 7]]]}, "rationales[0][0]", "has 6 tokens, 0 to 5"),
    ("similarity", {"sentence2": "b"}, "sentence1", "missing; the task 'similarity' needs it (as 'sentence1' or 'query'"),
    ("similarity", {"sentence1": "a", "sentence2": "b", "rationales": [[[0, 1]]]}, "rationales[0][0]", "must name its segment"),
    ("similarity", {"sentence1": "a", "sentence2": "b", "tokens": ["a"]}, "tokens", "Say whose tokens these are"),
    ("reading", {"passage": "a", "question": "q", "rationales": [[{"segment": "question", "start_token": 0, "end_token": 1}]]}, "rationales[0][0]", "Nothing can be marked in the segment 'question'"),
    ("reading", {"passage": "a", "question": "q", "rationales": [[{"segment": "title", "start_token": 0, "end_token": 1}]]}, "rationales[0][0]", "has no segment 'title'"),
    ("entity", {"text": TEXT}, "target", "The row has no target"),
    ("entity", {"text": TEXT, "target": [4, 2]}, "target", "from token 4 to 2"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "columns", "field", "reason"), BAD_ROWS)
def test_a_bad_row_names_its_field_and_gives_no_instance(task, columns, field, reason, tmp_path):
    row = {"id": "1", **({"text": TEXT} if task == "sentiment" else {}), **columns}
    good = {"id": "2", "text": TEXT, "label": "positive"}
    labels = ("negative", "positive") if task == "sentiment" else ()
    instances, problems = read_rows([row, *([good] if task == "sentiment" else [])], tmp_path, task, labels=labels)
    assert [i.key for i in instances] == (["2"] if task == "sentiment" else [])
    assert [(p.source, p.line, p.field, p.is_warning) for p in problems] == [("rows.jsonl", 1, field, False)]
    assert reason in problems[0].reason


def test_a_row_without_key_or_text_says_what_is_missing(tmp_path):
    instances, problems = read_rows([{"text": TEXT}, {"id": "2", "stars": 3}], tmp_path)
    assert instances == []
    assert (problems[0].line, problems[0].field) == (1, "key")
    assert "every row needs it" in problems[0].reason
    assert "it needs 'text' or 'sentence' or 'context' or 'review'" in problems[1].reason


def test_several_things_wrong_with_a_row_are_all_said(tmp_path):
    row = {"id": "1", "text": TEXT, "label": "odd", "rationales": [[[3, 1]], []]}
    _, problems = read_rows([row], tmp_path, labels=("a", "b"))
    assert [p.field for p in problems] == ["label", "annotator_label", "rationales[0][0]", "rationales[1]"]


def test_rows_of_several_annotators_in_a_row_are_one_instance(tmp_path):
    base = {"id": "1", "text": TEXT, "label": "positive", "year": 2001}
    rows = [
        {**base, "annotator": "ada", "rationales": [[[0, 1]]]},
        {**base, "annotator": "ben", "annotator_label": "negative", "rationales": []},
        {**base, "id": "2"},
    ]
    instances, problems = read_rows(rows, tmp_path)
    assert problems == []
    assert [(i.key, [a.annotator for a in i.annotations]) for i in instances] == [("1", ["ada", "ben"]), ("2", [])]
    assert instances[0].annotations[1].result == "negative"


def test_a_later_row_of_an_instance_comes_as_an_addition_to_it(tmp_path):
    rows = [
        {"id": "1", "text": TEXT, "annotator": "ada", "rationales": [[[0, 1]]]},
        {"id": "2", "text": TEXT},
        {"id": "1", "text": TEXT, "annotator": "ben", "rationales": [[[1, 2]]]},
        {"id": "1", "text": TEXT, "annotator": "cem", "rationales": [[[2, 3]]]},
    ]
    instances, problems = read_rows(rows, tmp_path)
    assert problems == []
    assert [(i.key, i.is_addition, [a.annotator for a in i.annotations]) for i in instances] == [
        ("1", False, ["ada"]),
        ("2", False, []),
        ("1", True, ["ben", "cem"]),
    ]
    assert (instances[2].segments, instances[2].line) == ({}, 3)


def test_the_same_key_in_two_splits_is_two_instances(tmp_path):
    rows = [{"id": "1", "text": TEXT, "split": split} for split in ("train", "test")]
    instances, problems = read_rows(rows, tmp_path)
    assert problems == []
    assert [i.split for i in instances] == ["train", "test"]


DISAGREEMENTS = [
    ({"text": "Another film."}, "text", "'text' of instance '1' is not what it is on line 1"),
    ({"label": "negative"}, "label", "'label' of instance '1' is not what it is on line 1"),
    ({"language": "de"}, "language", "not what it is on line 1"),
    ({"year": 1999}, "metadata", "not what it is on line 1"),
    ({"parent": "0"}, "parent", "not what it is on line 1"),
    ({"exhaustive": True}, "exhaustive", "not what it is on line 1"),
    ({"tokens": ["A", "calm", ",", "clever", "film", "."]}, "text", "not what it is on line 1"),
    ({"annotator": "ada"}, "annotator", "'ada' has a row for instance '1' already"),
    ({"rationales": None}, "id", "is already on line 1, and this row adds no annotation"),
]


@pytest.mark.parametrize("is_next", [True, False])
@pytest.mark.parametrize(("changes", "field", "reason"), DISAGREEMENTS)
def test_rows_of_one_instance_that_disagree_are_refused_naming_field_and_line(
    changes, field, reason, is_next, tmp_path
):
    base = {"id": "1", "text": TEXT, "label": "positive", "year": 2001, "annotator": "ada", "rationales": [[[0, 1]]]}
    between = [] if is_next else [{"id": "2", "text": TEXT}]
    instances, problems = read_rows([base, *between, {**base, "annotator": "ben", **changes}], tmp_path)
    assert [a.annotator for i in instances for a in i.annotations] == ["ada"]
    assert [(p.line, p.field) for p in problems] == [(2 if is_next else 3, field)]
    assert reason in problems[0].reason


def test_rows_of_one_instance_with_other_segments_are_refused(tmp_path):
    rows = [
        {"id": "1", "passage": "a", "question": "q", "rationales": []},
        {"id": "1", "passage": "a", "title": "t", "question": "q", "annotator": "ben", "rationales": []},
    ]
    _, problems = read_rows(rows, tmp_path, "reading")
    assert "has other segments than on line 1" in problems[0].reason


def test_the_options_fill_what_a_row_does_not_say(tmp_path):
    rows = [{"id": "1", "text": TEXT, "parent": "2"}, {"id": "2", "text": TEXT, "split": "test", "language": "de"}]
    instances, _ = read_rows(rows, tmp_path, language="en", split="val", key_prefix="sst-")
    assert [(i.key, i.split, i.language, i.parent_key) for i in instances] == [
        ("sst-1", "val", "en", "sst-2"),
        ("sst-2", "test", "de", None),
    ]


def test_a_target_is_read_for_entities_and_is_metadata_elsewhere(tmp_path):
    [instance], problems = read_rows([{"id": "1", "text": TEXT, "target": [3, 5]}], tmp_path, "entity")
    assert (instance.target, problems) == (SourceSpan("text", 3, 5), [])
    [instance], problems = read_rows([{"id": "1", "text": TEXT, "target": "films"}], tmp_path)
    assert (instance.metadata, problems) == ({"target": "films"}, [])


def test_a_custom_task_is_read_by_the_names_of_its_segments(tmp_path):
    task = Task("custom", (SegmentSpec("note", "Note"), SegmentSpec("key", "Key", is_selectable=False)), "label", "?")
    [instance], problems = read_rows([{"id": "1", "note": "a", "key": "b"}], tmp_path, task)
    assert problems == []
    assert {name: body.text for name, body in instance.segments.items()} == {"note": "a", "key": "b"}


def test_metadata_that_is_no_object_is_kept_under_its_name(tmp_path):
    [instance], _ = read_rows([{"id": "1", "text": TEXT, "meta": "from 2001"}], tmp_path)
    assert instance.metadata == {"meta": "from 2001"}


def test_rows_are_read_one_at_a_time(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"id": str(n), "text": TEXT}) + "\n" for n in range(50_000)))
    items = jsonl.read(path, ReadOptions(TASKS["sentiment"]))
    assert next(items).key == "0"
    items.close()
