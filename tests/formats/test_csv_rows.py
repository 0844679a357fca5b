"""Plain CSV: the same rows as plain JSONL, with lists as JSON in their cells."""

from pathlib import Path

import pytest

from annotator.domain.file_problems import group_problems
from annotator.domain.sources import SourceColumns, SourceInstance, SourceSpan, SourceText
from annotator.domain.tasks import TASKS
from annotator.errors import NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.own import jsonl
from annotator.formats.rows import csv_rows
from annotator.formats.rows.lines import not_utf8

Read = tuple[list[SourceInstance], list[Problem]]


def columns_of(content: str, tmp_path: Path, task: str = "sentiment", **options) -> SourceColumns:
    path = tmp_path / "rows.csv"
    path.write_text(content)
    [told] = [i for i in csv_rows.read(path, ReadOptions(TASKS[task], **options)) if isinstance(i, SourceColumns)]
    return told


def read(content: str | bytes, tmp_path: Path, task: str = "sentiment", **options) -> Read:
    path = tmp_path / "rows.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    items = list(csv_rows.read(path, ReadOptions(TASKS[task], **options)))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


def test_a_row_with_rationales_in_its_cell_becomes_an_instance(tmp_path):
    content = (
        "id,text,label,annotator,rationales,exhaustive,stars,meta\n"
        '1,"A calm, clever film.",positive,ada,"[[[1,2],{""start_char"":8,""end_char"":14}]]",yes,4,"{""year"": 2001}"\n'
    )
    [instance], problems = read(content, tmp_path)
    assert problems == []
    assert (instance.key, instance.result, instance.line) == ("1", "positive", 2)
    assert instance.segments == {"text": SourceText("A calm, clever film.")}
    assert instance.annotations[0].sets == ((SourceSpan("text", 1, 2), SourceSpan("text", 8, 14, "char")),)
    assert instance.is_exhaustive is True
    assert instance.metadata == {"stars": "4", "year": 2001}


CELLS = [
    ("", None),  # not annotated
    ("[]", 0),  # annotated, with no rationale
    ('"[[[0,1]],[[2,3]]]"', 2),
]


@pytest.mark.parametrize(("cell", "n_sets"), CELLS)
def test_an_empty_cell_is_not_annotated_and_empty_brackets_are_zero_sets(cell, n_sets, tmp_path):
    [instance], problems = read(f"id,text,rationales\n1,A calm film.,{cell}\n", tmp_path)
    assert problems == []
    assert [len(a.sets) for a in instance.annotations] == ([] if n_sets is None else [n_sets])


RESULTS = [
    ("sentiment", "id,text,label\n1,a,\n", None),
    ("reading", "id,passage,question,answer\n1,a,q,\n", ""),  # an empty answer: there is none
    ("reading", "id,passage,question\n1,a,q\n", None),
]


@pytest.mark.parametrize(("task", "content", "result"), RESULTS)
def test_an_empty_cell_is_no_label_but_an_answer(task, content, result, tmp_path):
    [instance], problems = read(content, tmp_path, task)
    assert (instance.result, problems) == (result, [])


GOOD_FILES = [
    ("\ufeffid,text\n1,a b\n", "a byte order mark, as Excel writes it"),
    ("id,text\r\n1,a b\r\n", "line ends of Windows"),
    ("id;text\n1;a b\n", "semicolons, as Excel writes in half of Europe"),
    ("id\ttext\n1\ta b\n", "tabs"),
    ("id;text;remark, if any, on it\n1;a b;\n", "a header that holds more commas than semicolons"),
    ("sep=;\nid;text\n1;a b\n", "the line in which Excel names the delimiter"),
    ("id,text\n\n1,a b\n\n,\n", "blank rows"),
    (" id , text\n1,a b\n", "blanks around names"),
    ('"id","text"\n"1","a b"\n', "everything quoted"),
]


@pytest.mark.parametrize(("content", "why"), GOOD_FILES)
def test_usual_ways_of_writing_csv_are_read(content, why, tmp_path):
    instances, problems = read(content, tmp_path)
    assert ([(i.key, i.segments) for i in instances], problems) == ([("1", {"text": SourceText("a b")})], []), why


def test_a_quoted_cell_may_hold_lines_and_the_next_row_has_its_own_line_number(tmp_path):
    instances, problems = read('id,text\n1,"first\n\nthird"\n2,\n', tmp_path)
    assert instances[0].segments["text"].text == "first\n\nthird"
    assert [(p.line, p.field) for p in problems] == [(5, "text")]


BAD_ROWS = [
    ("1", 2, "line", "Row has 1 cell, header"),
    ("1,a,[],more", 2, "line", "has 4 cells"),
    (
        "1,a,good",
        2,
        "rationales",
        'Must be JSON, such as [[{"start_token": 2, "end_token": 4}]] (a list of sets of spans).',
    ),
    ('1,a,"[[[0,NaN]]]"', 2, "rationales", "NaN isn't JSON. Write a number or null."),
    ('1,a,"{""a"":1}"', 2, "rationales", "Must be a list or null, not an object {...}."),
    ("1,a\0b,", 2, "text", "NUL"),
    ('1,"a"b,', 2, "line", "Invalid CSV: ',' expected after '\"'. Check for unclosed or undoubled quotes."),
    (",a,", 2, "id", "Must not be empty."),
    ("1,,", 2, "text", "Must not be empty."),
]


@pytest.mark.parametrize(("row", "line", "field", "reason"), BAD_ROWS)
def test_a_bad_row_is_a_problem_and_the_next_row_is_read(row, line, field, reason, tmp_path):
    instances, problems = read(f"id,text,rationales\n{row}\n2,fine,\n", tmp_path)
    assert [i.key for i in instances] == ["2"]
    assert [(p.source, p.line, p.field) for p in problems] == [("rows.csv", line, field)]
    assert reason in problems[0].reason


def test_bytes_that_are_not_utf8_are_named_by_line_with_what_stands_around_them(tmp_path):
    instances, problems = read(b"id,text\n1,caf\xe9\n2,fine\n", tmp_path)
    assert [i.key for i in instances] == ["2"]
    assert [(p.line, p.value, p.reason) for p in problems] == [(2, "1,caf\ufffd", not_utf8())]


def test_a_file_in_another_encoding_is_one_problem_however_many_rows_it_has(tmp_path):
    rows = b"".join(b"%d,caf\xe9 %d\n" % (n, n) for n in range(40))
    _, problems = read(b"id,text\n" + rows, tmp_path)
    [problem] = group_problems(problems)
    assert (problem.n, problem.lines()) == (40, "2, 3, 4, 5, 6, …")


def test_a_quotation_mark_that_is_never_closed_is_a_problem_of_the_row_where_it_opens(tmp_path):
    instances, problems = read('id,text\n1,fine\n2,"open\n3,lost\n', tmp_path)
    assert [i.key for i in instances] == ["1"]
    assert [p.line for p in problems] == [3]
    assert "Check for unclosed or undoubled quotes." in problems[0].reason


HEADERS = [
    ("text,label\na,b\n", "No column holds the ID."),
    ("id,text,text\n1,a,b\n", "Duplicate column 'text'. Rename one."),
    (b"id,caf\xe9\n1,a\n", "Not UTF-8. Set --encoding, or save as UTF-8"),
]


@pytest.mark.parametrize(("content", "reason"), HEADERS)
def test_a_header_that_cannot_be_used_is_one_problem(content, reason, tmp_path):
    instances, problems = read(content, tmp_path)
    assert instances == []
    assert [p.line for p in problems] == [1]
    assert reason in problems[0].reason


def test_all_that_a_header_lacks_is_told_at_once_with_the_column_that_may_be_meant(tmp_path):
    content = ";postId;Tweet;Class;Tweet 2;Tweet 2\n" + "0;p1;It is fine.;good;;\n" * 3
    instances, problems = read(content, tmp_path)
    assert instances == []
    assert {(p.line, p.field) for p in problems} == {(1, "header")}
    assert [p.reason for p in problems] == [
        "Duplicate column 'Tweet 2'. Rename one.",
        "No column holds the ID. Is it 'postId'? Choose it (--column id=postId) or rename it 'id' (or "
        "'key', 'instance_id', 'annotation_id', 'sent_id'). Rows without IDs can be numbered "
        "(--number-keys).",
        "No column holds the text. Is it 'Tweet' or 'Tweet 2'? Choose it (--column text=Tweet or "
        "--column 'text=Tweet 2') or rename it 'text' (or 'sentence', 'context', 'review').",
    ]
    told = columns_of(content, tmp_path)
    assert told.told == "'postId', 'Tweet', 'Class', 'Tweet 2' become metadata. No column holds the label or the split."
    assert told.doubts == (
        "'Class': looks like the label but becomes metadata. Choose it (--column label=Class) or rename it 'label'.",
        "Column 1 has no name and is ignored.",
    )


def test_the_only_long_column_may_be_the_text_that_is_missing(tmp_path):
    _, [problem] = read("id,words,kind\n1,It is a rather long sentence here.,a\n", tmp_path)
    assert problem.reason.startswith("No column holds the text. Is it 'words'?")


def test_a_pair_without_its_texts_lacks_each_of_them(tmp_path):
    _, problems = read("id,Premise,conclusion\n1,a,b\n", tmp_path, "inference")
    assert [p.reason for p in problems] == [
        "No column holds the segment 'premise'. Is it 'Premise'? Choose it (--column premise=Premise) or rename it "
        "'premise' (or 'sentence1', 'text1').",
        "No column holds the segment 'hypothesis'. Name its column 'hypothesis' (or 'sentence2', 'text2').",
    ]


def test_a_table_of_tokens_needs_no_column_of_texts(tmp_path):
    instances, problems = read('id,tokens\n1,"[""a"",""b""]"\n', tmp_path)
    assert (len(instances), problems) == (1, [])


def test_a_target_that_a_task_needs_is_asked_for_once_and_not_in_each_row(tmp_path):
    _, problems = read("id,text\n1,a\n2,b\n", tmp_path, "entity")
    assert [(p.line, p.reason) for p in problems] == [
        (1, "No target column (the labelled token range). Name it 'target'.")
    ]


TAKEN = [
    (
        "id,text,label,split,stars\n1,a,x,train,4\n",
        {},
        "The column 'id' holds the ID, 'text' the text, 'split' the split, 'label' the label.",
        [],
    ),
    ("id,text,gold\n1,a,x\n", {}, "No column holds the label or the split.", ["'gold': looks like the label"]),
    ("id,text,Label\n1,a,x\n", {}, "'Label' becomes metadata.", ["'Label': looks like the label"]),
    ("id,text,partition\n1,a,1\n", {}, "'partition' becomes", ["'partition': looks like the split"]),
    ("id,text,rationale\n1,a,0 1\n", {}, "'rationale' becomes", ["'rationale': looks like the rationale sets"]),
    ("id,text,rationale,rationales\n1,a,x,[]\n", {}, "'rationale' becomes", []),
    ("id,text,set\n1,a,1\n", {}, "'set' becomes", ["'set': looks like the split"]),
    ("id,text,x\n1,a,train\n2,a,Dev\n", {}, "'x' becomes", ["but becomes metadata. Choose it ("]),
    ("id,text,x\n1,a,GOOD\n", {"labels": ("good", "bad")}, "'x' becomes", ["but becomes metadata. Choose it ("]),
    ("id,text,x,y2\n" + "1,a,u,\n2,a,w,\n" * 5, {}, "become metadata", ["but becomes metadata. Choose it ("]),
    ("id,text,label,gold\n1,a,x,y\n", {}, "'gold' becomes", []),
    ("id,text,x\n1,a,u\n2,a,w\n", {}, "'x' becomes", []),
    ("id,text,label,Annotator\n1,a,x,ada\n", {}, "becomes", ["'Annotator': looks like 'annotator'"]),
    ("id,text,label,gold split,fold\n1,a,x,1,2\n", {}, "become", ["'gold split', 'fold': looks like the split"]),
]


@pytest.mark.parametrize(("content", "options", "told", "doubts"), TAKEN)
def test_it_is_said_what_columns_become_and_asked_where_they_look_like_more(content, options, told, doubts, tmp_path):
    columns = columns_of(content, tmp_path, **options)
    assert told in columns.told
    assert len(columns.doubts) == len(doubts)
    for doubt, said in zip(columns.doubts, doubts, strict=True):
        assert said in doubt


def test_a_column_that_a_problem_asks_for_is_not_asked_for_again_under_another_name(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("Sentence;Gold;partition;ID\nGood food.;x;train;1\n")
    *problems, told = csv_rows.read(path, ReadOptions(TASKS["sentiment"]))
    assert ["Is it 'ID'?" in problems[0].reason, "Is it 'Sentence'?" in problems[1].reason] == [True, True]
    assert [doubt.partition(" but ")[0] for doubt in told.doubts] == [
        "'Gold': looks like the label", "'partition': looks like the split",
    ]  # fmt: skip


def test_plain_jsonl_tells_its_columns_too(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "1", "text": "a"}\n{"id": "2", "text": "b", "gold": "x", "more": {"a": [1]}}\n')
    *_, told = jsonl.read(path, ReadOptions(TASKS["sentiment"]))
    assert told.told.startswith("The column 'id' holds the ID, 'text' the text. 'gold', 'more' become metadata.")
    assert "'gold': looks like the label" in told.doubts[0]


DELIMITERS = [(";", "semicolons"), (",", "commas"), ("\t", "tabs"), ("|", "vertical bars")]


@pytest.mark.parametrize(("delimiter", "words"), DELIMITERS)
def test_a_row_with_too_many_cells_is_told_to_quote_what_holds_the_files_own_delimiter(delimiter, words, tmp_path):
    _, [problem] = read("id?text\n1?a?b\n2?c\n".replace("?", delimiter), tmp_path)
    assert "Quote cells with" in problem.reason


def test_a_row_with_too_few_cells_is_told_to_add_them(tmp_path):
    _, [problem] = read("id,text,label\n1,a\n2,c,d\n", tmp_path)
    assert problem.reason == "Row has 2 cells, header 3 columns. Add the missing cells, also empty ones."


def test_a_cell_of_one_megabyte_is_read(tmp_path):
    instances, problems = read("id,text\n1," + "word " * 250_000 + "\n", tmp_path)
    assert problems == []
    assert len(instances[0].segments["text"].text) == 1_250_000


def test_a_missing_file_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(NotFound, match="No file or folder '"):
        list(csv_rows.read(tmp_path / "nowhere.csv", ReadOptions(TASKS["sentiment"])))


def test_a_column_that_was_chosen_holds_what_it_was_chosen_for(tmp_path):
    content = 'label,who,phrase,text,"odd, name"\nx,ada,A calm film.,other,7\n'
    chosen = {"key": "odd, name", "text": "phrase", "annotator": "who"}
    [instance], problems = read(content, tmp_path, columns=chosen, left_columns=frozenset({"label"}))
    assert problems == []
    assert (instance.key, instance.segments["text"], instance.result) == ("7", SourceText("A calm film."), None)
    assert instance.metadata == {"text": "other"}


def test_a_chosen_column_that_is_not_there_is_named_with_those_that_are(tmp_path):
    _, problems = read("id,text\n1,A film.\n", tmp_path, columns={"text": "phrase"}, needed_columns=("phrase",))
    assert [p.reason for p in problems] == ["No column 'phrase'. Choose from 'id', 'text'."]


@pytest.mark.parametrize(
    ("header", "cell", "spans"),
    [
        ("rationale_index", '"[3, 1, 2]"', (((1, 4),),)),
        ("rationale_index", '"[[0], [2, 3]]"', (((0, 1),), ((2, 4),))),
        ("rationale_mask", '"[0, 1, 1, 0]"', (((1, 3),),)),
        ("rationale_index", "[]", ()),
    ],
)  # fmt: skip
def test_marked_tokens_may_be_numbers_or_a_mask_and_are_then_what_stands_between_blanks(tmp_path, header, cell, spans):
    [instance], problems = read(f'id,text,{header}\n1,"Well, it isn\'t good.",{cell}\n', tmp_path)
    assert problems == []
    [annotation] = instance.annotations
    assert annotation.sets == tuple(tuple(SourceSpan("text", *span) for span in of_set) for of_set in spans)
    text = instance.segments["text"]
    assert isinstance(text, SourceText)
    assert text.tokens is not None
    assert [text.text[a:b] for a, b in zip(text.tokens.starts, text.tokens.ends, strict=True)] == [
        "Well,", "it", "isn't", "good.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "cell", "reason"),
    [
        ("rationale_index", "[-1]", "Must be an integer from 0."),
        ("rationale_index", '"[1, [0]]"', "Must be a list of numbers, or one per set."),
        ("rationale_mask", '"[0, 2]"', "Must be one of 1, 0."),
    ],
)  # fmt: skip
def test_numbers_that_are_no_tokens_are_refused(tmp_path, header, cell, reason):
    _, problems = read(f"id,text,{header}\n1,A film.,{cell}\n", tmp_path)
    assert [p.reason for p in problems] == [reason]


def test_a_cell_may_hold_a_list_as_python_prints_it(tmp_path):
    content = """id,text,tokens\n1,"It isn't, good.","['It', ""isn't"", ',', 'good.']"\n"""
    [instance], problems = read(content, tmp_path)
    assert problems == []
    assert instance.segments["text"].tokens.n_tokens == 4
    _, problems = read('id,text,tokens\n1,Good.,"[' + "[" * 3000 + '"\n', tmp_path)
    assert problems[0].field == "tokens"


def test_rows_without_keys_get_one_where_that_is_asked_for(tmp_path):
    def key_of(split, texts, annotator, line):
        return f"{split}:{texts['text'].text}:{annotator}:{line}"

    instances, problems = read("text,split\nGood.,val\nBad.,\n", tmp_path, key_of=key_of, split="test")
    assert problems == []
    assert [i.key for i in instances] == ["val:Good.:None:2", "test:Bad.:None:3"]


@pytest.mark.parametrize(
    ("column", "wrong"), [("rationale_mask", "0 0 1 0"), ("rationales", "charming|superb"), ("rationale_index", "1 2")]
)
def test_the_cell_that_a_refusal_gives_as_an_example_is_read(tmp_path, column, wrong):
    header = f"id,text,{column}\n"
    _, (problem,) = read(f"{header}1,a very fine film,{wrong}\n", tmp_path)
    example = problem.reason.partition("such as ")[2].partition(" (")[0].replace("5]", "3]").replace('"', '""')
    rows, problems = read(f'{header}1,a very fine film,"{example}"\n', tmp_path)
    assert (problems, len(rows[0].annotations[0].sets)) == ([], 1)
