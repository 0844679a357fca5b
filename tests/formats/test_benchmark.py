"""The benchmark's input and gold: both dialects, three tasks, joined by id, perturbed records linked; written, and read back."""

import json
from pathlib import Path

import pytest

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceSpan
from annotator.domain.tasks import TASKS
from annotator.domain.texts import RationaleSet
from annotator.errors import ExportRefused, InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.formats.benchmark import reader as benchmark
from annotator.formats.benchmark.writer import write, write_trustai
from annotator.text.alignment import align_tokens
from tests.conftest import SHARED_DATA, needs_data

# The records of reference/benchmark.md 2.1 to 2.3.
SHOP = "特别垃圾的摄影店，服务态度差"
SENTIMENT_INPUT = {"id": 1, "context": SHOP, "sent_token": list(SHOP), "sample_type": "ori", "rel_ids": [1647]}
SENTIMENT_PERTURBED = {"id": 1647, "context": "垃圾店", "sent_token": list("垃圾店"), "sample_type": "disturb"}
PADDLE_SENTIMENT = {
    "sent_id": 1,
    "sent_label": 0,
    "sent_token": list(SHOP),
    "rationales": [["2", "3", "7"], ["11", "12", "13"]],
    "sample_type": "ori",
    "rel_ids": [1647],
}
TRUST_SENTIMENT = {
    "sent_id": 1,
    "sent_text": SHOP,
    "sent_label": 0,
    "sent_token": list(SHOP),
    "sent_type": "single",
    "sent_token_with_idx": [[token, number] for number, token in enumerate(SHOP)],
    "rationale_tokens": [[["垃", "圾", "店"], ["态", "度", "差"]]],
    "sample_type": "ori",
    "rel_ids": [1647],
    "rationale_ids": [[["2", "3", "7"], ["11", "12", "13"]]],
}
SHOP_SETS = ((SourceSpan("text", 2, 4), SourceSpan("text", 7, 8)), (SourceSpan("text", 11, 14),))

ENGLISH_PAIR = {
    "id": 5,
    "sentence1": "is it free",
    "sentence2": "what does it cost",
    "text_q_seg": ["is", "it", "free"],
    "text_t_seg": ["what", "does", "it", "cost"],
    "sample_type": "ori",
    "rel_ids": [],
}
CHINESE_PAIR = {
    "id": 5,
    "query": "免费吗",
    "title": "多少钱",
    "text_q_seg": list("免费吗"),
    "text_t_seg": list("多少钱"),
    "sample_type": "ori",
    "rel_ids": [],
}
READING = {
    "id": 9,
    "title": "Opening hours",
    "context": "We open at ten .",
    "question": "When do you open ?",
    "sent_token": ["We", "open", "at", "ten", ".", "Opening", "hours"],
    "sample_type": "ori",
    "rel_ids": [],
}


def write_file(path: Path, *records: dict) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def read(path: Path, task: str = "sentiment", **options) -> tuple[list[SourceInstance], list[Problem]]:
    items = list(benchmark.read(path, ReadOptions(TASKS[task], **options)))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


def test_an_input_file_gives_instances_with_the_sources_tokens_and_links(tmp_path):
    path = write_file(tmp_path / "senti_ch.jsonl", SENTIMENT_PERTURBED, SENTIMENT_INPUT)
    [perturbed, original], problems = read(path)
    assert problems == []
    assert (original.key, original.language, original.result, original.annotations) == ("1", "zh", None, ())
    assert original.segments["text"].tokens.tokens() == list(SHOP)
    assert (perturbed.key, perturbed.parent_key, perturbed.perturbation_kind) == ("1647", "1", "perturbed")
    assert original.metadata == {}
    assert not original.is_addition


@pytest.mark.parametrize("gold", [PADDLE_SENTIMENT, TRUST_SENTIMENT])
@pytest.mark.parametrize("order", ["gold first", "input first"])
def test_a_folder_of_input_and_gold_gives_annotated_instances(gold, order, tmp_path):
    names = ("a.tsv", "b.jsonl") if order == "gold first" else ("b.tsv", "a.jsonl")
    kind = {"sent_id": 1647, "sent_label": 1, "rationales": [[0]], "sample_type": "disturb", "adv_type": "敏感-重要词"}
    write_file(tmp_path / names[0], gold, kind)
    write_file(tmp_path / names[1], SENTIMENT_INPUT, SENTIMENT_PERTURBED)
    [original, perturbed], problems = read(tmp_path, labels=("negative", "positive"))
    assert problems == []
    assert original.annotations == (SourceAnnotation("benchmark", "negative", SHOP_SETS),)
    assert (original.result, original.key, original.is_addition) == ("negative", "1", False)
    assert (perturbed.parent_key, perturbed.perturbation_kind, perturbed.result) == ("1", "敏感-重要词", "positive")


def test_gold_alone_with_its_text_is_an_instance_or_an_addition_to_it(tmp_path):
    [instance], [warning] = read(write_file(tmp_path / "gold.tsv", TRUST_SENTIMENT))
    assert (warning.field, warning.is_warning) == ("rel_ids", True)  # 1647 is not there
    assert (instance.is_addition, instance.segments["text"].text) == (True, SHOP)
    assert instance.annotations[0].sets == SHOP_SETS
    [instance], _ = read(write_file(tmp_path / "gold.tsv", PADDLE_SENTIMENT))
    assert instance.segments["text"].text == SHOP  # made from the tokens


def test_gold_alone_without_text_adds_to_the_instance_of_its_key(tmp_path):
    gold = {"sent_id": 9, "sent_label": "ten", "rationales": [3, "5"], "sample_type": "ori", "rel_ids": []}
    [addition], problems = read(write_file(tmp_path / "mrc_en.tsv", gold), "reading")
    assert problems == []
    assert (addition.key, addition.segments, addition.is_addition, addition.result) == ("9", {}, True, "ten")
    assert addition.annotations[0].sets == ((SourceSpan("", 3, 4), SourceSpan("", 5, 6)),)  # through the whole instance


PAIRS = [
    (ENGLISH_PAIR, {"rationale_q_idx": [2], "rationale_t_idx": [3, "2"]}, "en", [[("sentence1", 2, 3), ("sentence2", 2, 4)]]),
    (CHINESE_PAIR, {"rationale_q_idx": [0, 1], "rationale_t_idx": []}, "zh", [[("sentence1", 0, 2)]]),
    (CHINESE_PAIR, {"rationale_q_idx": [], "rationale_t_idx": []}, "zh", []),
    (ENGLISH_PAIR, {"rationale_ids": [[[2], [0]], [["3"], ["1"]]]}, "en", [[("sentence1", 2, 3), ("sentence2", 3, 4)], [("sentence1", 0, 1), ("sentence2", 1, 2)]]),
    (ENGLISH_PAIR, {"rationale_ids": [[[2], [0]], [["3"]]]}, "en", [[("sentence1", 2, 3), ("sentence2", 3, 4)], [("sentence1", 0, 1)]]),
]  # fmt: skip


@pytest.mark.parametrize(("given", "gold", "language", "sets"), PAIRS)
def test_set_i_of_both_sides_of_a_pair_is_one_set(given, gold, language, sets, tmp_path):
    write_file(tmp_path / "input.jsonl", given)
    write_file(tmp_path / "gold.jsonl", {"sent_id": 5, "sent_label": 1, **gold})
    [instance], problems = read(tmp_path, "similarity")
    assert problems == []
    assert (instance.language, instance.result) == (language, "1")
    assert [[(s.segment, s.start, s.end) for s in spans] for spans in instance.annotations[0].sets] == sets


READINGS = [
    (READING, [3, 4, 5], [[("passage", 3, 5), ("title", 0, 1)]]),  # over the border
    (READING, [], []),
    (READING, [["6"], [0]], [[("title", 1, 2)], [("passage", 0, 1)]]),
    ({**READING, "title": "", "sent_token": READING["sent_token"][:5]}, [3], [[("passage", 3, 4)]]),
]


@pytest.mark.parametrize(("given", "rationales", "sets"), READINGS)
def test_a_readings_indices_go_through_passage_and_title(given, rationales, sets, tmp_path):
    write_file(tmp_path / "input.jsonl", given)
    write_file(tmp_path / "gold.tsv", {"sent_id": 9, "sent_label": "", "rationales": rationales})
    [instance], problems = read(tmp_path, "reading")
    assert problems == []
    assert (instance.result, "title" in instance.segments) == ("", bool(given["title"]))
    assert instance.segments["question"].tokens is None
    assert [[(s.segment, s.start, s.end) for s in spans] for spans in instance.annotations[0].sets] == sets


BORDERS = [
    ("你好 吗", "题 目", ["你", "好", " ", "吗", "题", " ", "目"], ["你", "好", " ", "吗"]),
    ("你好 ", "题", ["你", "好", " ", "题"], ["你", "好", " "]),  # the blank can only be the passage's
    ("你好", " 题", ["你", "好", " ", "题"], ["你", "好"]),
    ("a b", "a b", ["a", "b", "a", "b"], ["a", "b"]),
]


@pytest.mark.parametrize(("passage", "title", "tokens", "of_passage"), BORDERS)
def test_blank_tokens_are_kept_and_fall_to_the_right_side_of_the_border(passage, title, tokens, of_passage, tmp_path):
    record = {**READING, "context": passage, "title": title, "sent_token": tokens}
    [instance], problems = read(write_file(tmp_path / "input.jsonl", record), "reading")
    assert problems == []
    assert instance.segments["passage"].tokens.tokens() == of_passage
    assert instance.segments["title"].tokens.tokens() == tokens[len(of_passage) :]


LABELS = [
    (0, ("negative", "positive"), "negative"),
    ("1", ("negative", "positive"), "positive"),
    (1, (), "1"),
    (1, ("1", "0"), "1"),  # itself a label
    ("positive", ("negative", "positive"), "positive"),
]


@pytest.mark.parametrize(("given", "labels", "result"), LABELS)
def test_a_number_is_the_projects_label_of_that_position(given, labels, result, tmp_path):
    [instance], _ = read(write_file(tmp_path / "a.tsv", {**TRUST_SENTIMENT, "sent_label": given}), labels=labels)
    assert instance.result == result


def test_a_label_of_thousands_of_digits_is_a_problem_of_its_row(tmp_path):
    path = write_file(tmp_path / "a.tsv", {**TRUST_SENTIMENT, "sent_label": "9" * 5000})  # Python reads no such number
    instances, problems = read(path, labels=("negative", "positive"))
    assert (instances, {problem.line for problem in problems}) == ([], {1})


def test_the_language_is_the_dialects_else_the_given_one_else_that_of_the_characters(tmp_path):
    path = write_file(tmp_path / "a.jsonl", {"id": 1, "context": "so dull", "sent_token": ["so", "dull"]})
    assert read(path)[0][0].language == "en"
    assert read(path, language="de")[0][0].language == "de"
    path = write_file(tmp_path / "a.jsonl", CHINESE_PAIR)
    assert read(path, "similarity", language="de")[0][0].language == "zh"


def test_a_file_of_another_task_in_a_folder_is_left_out_and_told_once(tmp_path):
    write_file(tmp_path / "mrc.jsonl", READING, {**READING, "id": 10})
    write_file(tmp_path / "senti.jsonl", SENTIMENT_INPUT, SENTIMENT_PERTURBED)
    instances, [problem] = read(tmp_path)
    assert len(instances) == 2
    assert (problem.source, problem.line, "Skipped: doesn't fit the task '" in problem.reason) == ("mrc.jsonl", 1, True)


def test_ids_that_repeat_between_files_are_problems_that_name_the_first(tmp_path):
    write_file(tmp_path / "a.jsonl", SENTIMENT_PERTURBED)
    write_file(tmp_path / "b.jsonl", SENTIMENT_PERTURBED)
    instances, [problem] = read(tmp_path)
    assert len(instances) == 1
    assert (problem.source, problem.line) == ("b.jsonl", 1)
    assert "Duplicate of a.jsonl, line 1. Import separately with --key-prefix." in problem.reason
    assert "--key-prefix" in problem.reason


def test_the_prefix_goes_before_keys_and_parents(tmp_path):
    path = write_file(tmp_path / "a.jsonl", SENTIMENT_INPUT, SENTIMENT_PERTURBED)
    instances, _ = read(path, key_prefix="ch-", split="test")
    assert [(i.key, i.parent_key, i.split) for i in instances] == [("ch-1", None, "test"), ("ch-1647", "ch-1", "test")]


BAD_RECORDS = [
    ({"context": "a"}, "id", "Missing id (in gold: sent_id)."),
    ({"id": None, "context": "a"}, "id", "Missing id (in gold: sent_id)."),
    ({"id": 2}, "line", "No text. The task needs"),
    ({"id": 2, "context": ""}, "text", "Must not be empty."),
    ({"id": 2, "context": ["a"]}, "context", "Must be text or null, not a list."),
    ({"id": 2, "context": "ab", "sent_token": ["b"]}, "sent_token", "Token 0 'b' isn't in the text at character"),
    ({"id": 2, "context": "ab", "sent_token": ["a"]}, "sent_token", "end at character"),
    ({"id": 2, "context": "ab", "rel_ids": [1647]}, "rel_ids", "1647 is already a perturbation of 1."),
    ({"id": 2, "context": "ab", "rel_ids": "x"}, "rel_ids", "Must be a list or null, not text."),
]


@pytest.mark.parametrize(("record", "field", "reason"), BAD_RECORDS)
def test_a_bad_input_record_names_its_field_and_gives_no_instance(record, field, reason, tmp_path):
    path = write_file(tmp_path / "a.jsonl", SENTIMENT_INPUT, SENTIMENT_PERTURBED, record)
    instances, [problem] = read(path)
    assert [i.key for i in instances] == ["1", "1647"]
    assert (problem.line, problem.field, problem.is_warning) == (3, field, False)
    assert reason in problem.reason


BAD_GOLD = [
    ({"rationales": [["x"]]}, "rationales[0]", "Must be an integer from 0."),
    ({"rationales": [[-1]]}, "rationales[0]", "Must be an integer from 0."),
    ({"rationales": [[14]]}, "rationales", "No token 14: the input has 14."),
    ({"rationales": [[1.5]]}, "rationales[0][0]", "Must be an integer or text, not a number."),
    ({"rationales": "2,3"}, "rationales", "Must be a list or null, not text."),
    ({"rationale_ids": [[[1]], [[2]]]}, "rationale_ids", "Gold has 2 sides; task 'sentiment' needs"),
    ({"sent_label": "joyful", "rationales": []}, "label", "No label 'joyful' (only"),
]


@pytest.mark.parametrize(("gold", "field", "reason"), BAD_GOLD)
def test_bad_gold_is_told_and_the_input_comes_without_it(gold, field, reason, tmp_path):
    write_file(tmp_path / "a.jsonl", SENTIMENT_INPUT, SENTIMENT_PERTURBED)
    write_file(tmp_path / "b.tsv", {"sent_id": 1, **gold})
    instances, problems = read(tmp_path, labels=("negative", "positive"))
    assert [(i.key, i.annotations) for i in instances] == [("1", ()), ("1647", ())]
    assert (problems[0].source, problems[0].line, problems[0].field) == ("b.tsv", 1, field)
    assert reason in problems[0].reason


def test_an_empty_set_in_gold_is_left_out_with_a_warning(tmp_path):
    write_file(tmp_path / "a.jsonl", SENTIMENT_INPUT, SENTIMENT_PERTURBED)
    write_file(tmp_path / "b.tsv", {"sent_id": 1, "rationales": [[], [2]]})
    instances, [warning] = read(tmp_path)
    assert (warning.is_warning, "Set 1 is empty" in warning.reason) == (True, True)
    assert instances[0].annotations[0].sets == ((SourceSpan("text", 2, 3),),)


def test_gold_for_an_input_without_tokens_is_refused(tmp_path):
    write_file(tmp_path / "a.jsonl", {"id": 1, "context": "so dull"})
    write_file(tmp_path / "b.tsv", {"sent_id": 1, "rationales": [[0]]})
    instances, [problem] = read(tmp_path)
    assert [i.annotations for i in instances] == [()]
    assert "Rationales need tokens. Add sent_token (text_q_seg, text_t_seg)." in problem.reason


def test_a_task_that_the_benchmark_has_not_and_missing_files_are_refused(tmp_path):
    with pytest.raises(NotFound, match="No file or folder '"):
        read(tmp_path / "nowhere")
    with pytest.raises(InvalidValue, match=r"No \.jsonl, \.tsv in '"):
        read(tmp_path)


REAL = [("senti_ch", "sentiment"), ("senti_en", "sentiment"), ("mrc_ch", "reading"), ("mrc_en", "reading")]


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(("name", "task"), REAL)
def test_the_real_samples_are_read_whole_with_their_links(name, task):
    path = SHARED_DATA / "dutrust_samples" / "raw" / f"{name}.jsonl"
    instances, problems = read(path, task)
    assert problems == []
    assert (len(instances), sum(i.parent_key is not None for i in instances)) == (60, 30)
    assert {i.language for i in instances} == {"zh" if name.endswith("ch") else "en"}
    records = {json.loads(line)["id"]: json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()}
    for instance in instances:
        bodies = [b for n, b in instance.segments.items() if n != "question"]
        assert [t for body in bodies for t in body.tokens.tokens()] == records[int(instance.key)]["sent_token"]


# Writing the benchmark's records: both layouts of gold, ids and links, and what reads back.

SENTIMENTS = ("negative", "positive")


def options(task: str = "sentiment", policy: str = "chosen") -> WriteOptions:
    return WriteOptions(Project(1, "films", TASKS[task], SENTIMENTS, "en", ProjectSettings()), policy)


def gold(task: str, texts: dict[str, str], *sets: RationaleSet, **changes) -> GoldInstance:
    result = changes.pop("result", "positive")
    given = {"id": 1, "key": "1", "split": "", "language": "en", "result": result, **changes}
    split_up = list if given["language"] == "zh" else str.split
    bodies = {name: align_tokens(text, split_up(text)) for name, text in texts.items()}
    segments = tuple(Segment(n, TASKS[task].spec_of(n).is_selectable, b) for n, b in bodies.items())
    return GoldInstance(Instance(segments=segments, **given), sets, result)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_back(folder: Path, task: str, labels: tuple[str, ...] = SENTIMENTS) -> list[SourceInstance]:
    items = list(benchmark.read(folder, ReadOptions(TASKS[task], labels if task != "reading" else ())))
    assert not [i for i in items if isinstance(i, Problem)]
    return items


def sets_of(instance: SourceInstance) -> list[list[tuple[str, int, int]]]:
    return [[(s.segment, s.start, s.end) for s in spans] for spans in instance.annotations[0].sets]


FILM = gold(
    "sentiment", {"text": "a calm , clever film"}, RationaleSet.of((1, 2), (3, 4)), RationaleSet.of((3, 5)), key="3"
)
DULL = gold(
    "sentiment", {"text": "a dull film"}, RationaleSet.of((1, 2)), key="30", parent_key="3", perturbation_kind="contrast", result="negative"
)  # fmt: skip


def test_paddle_gold_of_a_text_holds_its_sets_and_stands_beside_the_input(tmp_path):
    write(tmp_path / "out", [DULL, FILM], options())
    assert lines(tmp_path / "out" / "senti_en.jsonl") == [
        {"id": 3, "context": "a calm , clever film", "sent_token": ["a", "calm", ",", "clever", "film"], "sample_type": "ori", "rel_ids": [30]},
        {"id": 30, "context": "a dull film", "sent_token": ["a", "dull", "film"], "sample_type": "disturb"},
    ]  # fmt: skip
    assert lines(tmp_path / "out" / "golden" / "senti_en.tsv") == [
        {"sent_id": 3, "sent_label": 1, "label": "positive", "sent_token": ["a", "calm", ",", "clever", "film"], "rationales": [[1, 3], [3, 4]], "sample_type": "ori", "rel_ids": [30]},
        {"sent_id": 30, "sent_label": 0, "label": "negative", "sent_token": ["a", "dull", "film"], "rationales": [[1]], "sample_type": "disturb", "adv_type": "contrast"},
    ]  # fmt: skip


def test_trustai_gold_nests_side_set_and_token(tmp_path):
    write_trustai(tmp_path / "out", [FILM], options())
    [row] = lines(tmp_path / "out" / "golden" / "senti_en.tsv")
    assert row == {
        "sent_id": 3,
        "sent_label": 1,
        "label": "positive",
        "sent_text": "a calm , clever film",
        "sent_token": ["a", "calm", ",", "clever", "film"],
        "sent_type": "single",
        "rationale_tokens": [[["calm", "clever"], ["clever", "film"]]],
        "rationale_ids": [[[1, 3], [3, 4]]],
        "sample_type": "ori",
        "rel_ids": [],
    }
    assert next(iter(row)) == "sent_id"  # TrustAI's loader takes the first key for the id


PAIR = {"sentence1": "is it free", "sentence2": "what does it cost"}
READING_SEGMENTS = {"passage": "we open at ten", "title": "opening hours", "question": "When ?"}


@pytest.mark.parametrize("labels", [SENTIMENTS, ()])
@pytest.mark.parametrize(("writer", "n_sets"), [(write, 2), (write_trustai, 2)])
def test_texts_read_back_with_the_same_sets_labels_and_links(writer, n_sets, labels, tmp_path):
    writer(tmp_path / "out", [FILM, DULL], options())
    film, dull = read_back(tmp_path / "out", "sentiment", labels)
    assert sets_of(film) == [[("text", 1, 2), ("text", 3, 4)], [("text", 3, 5)]]
    assert (film.key, film.result, dull.result) == ("3", "positive", "negative")
    assert (dull.parent_key, dull.perturbation_kind) == ("3", "contrast")


@pytest.mark.parametrize("language", ["en", "zh", "fr"])
def test_pairs_and_readings_read_back_from_both_layouts(language, tmp_path):
    texts = {"sentence1": "免费吗", "sentence2": "多少钱"} if language == "zh" else PAIR
    one = RationaleSet.of((1, 3), (3, 5))
    pair = gold("similarity", texts, one, language=language)
    for number, writer in enumerate((write, write_trustai)):
        writer(tmp_path / f"pair{number}", [pair], options("similarity"))
        [back] = read_back(tmp_path / f"pair{number}", "similarity")
        assert sets_of(back) == [[("sentence1", 1, 3), ("sentence2", 0, 2)]]
        assert (back.language, {n: b.text for n, b in back.segments.items()}) == (language, texts)
        reading = gold("reading", READING_SEGMENTS, RationaleSet.of((3, 4), (4, 5)), result="", language="en")
        writer(tmp_path / f"reading{number}", [reading], options("reading"))
        [back] = read_back(tmp_path / f"reading{number}", "reading")
        assert sets_of(back) == [[("passage", 3, 4), ("title", 0, 1)]]
        assert (back.result, {n: b.text for n, b in back.segments.items()}) == ("", READING_SEGMENTS)


def test_several_sets_of_a_pair_read_back_from_trustai_alone(tmp_path):
    sets = (RationaleSet.of((0, 1), (3, 4)), RationaleSet.of((2, 3)), RationaleSet.of((6, 7)))
    pair = gold("similarity", PAIR, *sets)
    write_trustai(tmp_path / "out", [pair], options("similarity"))
    [back] = read_back(tmp_path / "out", "similarity")
    assert sets_of(back) == [[("sentence1", 0, 1), ("sentence2", 0, 1)], [("sentence1", 2, 3)], [("sentence2", 3, 4)]]
    with pytest.raises(
        ExportRefused, match=r"Instance '1' has 3 rationale sets; PaddleNLP allows one\. Use --gold-policy union\."
    ):
        write(tmp_path / "paddle", [pair], options("similarity"))
    write(tmp_path / "paddle", [pair], options("similarity", "union"))
    assert lines(tmp_path / "paddle" / "golden" / "similarity_en.tsv")[0]["rationale_t_idx"] == [0, 3]


def test_zero_sets_read_back_as_zero_sets(tmp_path):
    for number, writer in enumerate((write, write_trustai)):
        for task, texts in (("sentiment", {"text": "so so"}), ("similarity", PAIR), ("reading", READING_SEGMENTS)):
            writer(tmp_path / f"{task}{number}", [gold(task, texts)], options(task))
            assert sets_of(read_back(tmp_path / f"{task}{number}", task)[0]) == []


def test_keys_that_are_no_numbers_are_numbered_and_come_back(tmp_path):
    items = [
        gold("sentiment", {"text": "so good"}, key="film-b"),
        gold("sentiment", {"text": "so bad"}, key="7", parent_key="film-b", perturbation_kind="syntax"),
    ]
    write(tmp_path / "out", items, options())
    assert [(row["id"], row.get("key")) for row in lines(tmp_path / "out" / "senti_en.jsonl")] == [
        (1, "film-b"),
        (2, "7"),
    ]
    assert [(i.key, i.parent_key) for i in read_back(tmp_path / "out", "sentiment")] == [
        ("film-b", None),
        ("7", "film-b"),
    ]


def test_splits_and_languages_come_back(tmp_path):
    items = [
        gold("sentiment", {"text": "so good"}, split="train"),
        gold("sentiment", {"text": "so bad"}, split="test"),
        gold("sentiment", {"text": "很好"}, split="test", key="2", language="zh"),
        gold("sentiment", {"text": "OK"}, split="test", key="3", language="zh"),  # no Chinese character in it
    ]
    write(tmp_path / "out", items, options())
    assert sorted(p.name for p in (tmp_path / "out").rglob("*.*")) == [
        "senti_ch.jsonl",
        "senti_ch.tsv",
        "senti_en.jsonl",
        "senti_en.tsv",
    ]
    back = {(i.split, i.key): i.language for i in read_back(tmp_path / "out", "sentiment")}
    assert back == {("train", "1"): "en", ("test", "1"): "en", ("test", "2"): "zh", ("test", "3"): "zh"}


REFUSED = [
    (
        [gold("sentiment", {"text": "a"}, result=None)],
        r"1 instances have no result\. Set it, or export one split \(instances: '1'\)\.",
    ),
    ([FILM, FILM], "Duplicate ID '3' in split ''."),
    ([], "No gold yet. Choose another split."),
]


@pytest.mark.parametrize(("items", "reason"), REFUSED)
def test_what_cannot_be_written_is_refused_and_nothing_is_left(items, reason, tmp_path):
    with pytest.raises(ExportRefused, match=reason):
        write(tmp_path / "out", items, options())
    assert list(tmp_path.iterdir()) == []


def test_a_set_in_the_question_is_refused(tmp_path):
    with pytest.raises(ExportRefused, match=r"segment of token 6 has no benchmark tokens\."):
        write(tmp_path / "out", [gold("reading", READING_SEGMENTS, RationaleSet.of((6, 7)))], options("reading"))


def test_a_folder_that_holds_something_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportRefused, match=r"exists and isn't an empty folder\."):
        write(tmp_path, [FILM], options())
