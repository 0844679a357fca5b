"""Writing the benchmark's records: both layouts of gold, ids and links, and what reads back."""

import json
from pathlib import Path

import pytest

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.domain.texts import RationaleSet
from annotator.errors import ExportRefused, Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.formats.benchmark import reader as benchmark
from annotator.formats.benchmark.writer import write, write_trustai
from annotator.text.alignment import align_tokens

LABELS = ("negative", "positive")


def options(task: str = "sentiment", policy: str = "chosen") -> WriteOptions:
    return WriteOptions(Project(1, "films", TASKS[task], LABELS, "en", ProjectSettings()), policy)


def gold(task: str, texts: dict[str, str], *sets: RationaleSet, **changes) -> GoldInstance:
    result = changes.pop("result", "positive")
    given = {"id": 1, "key": "1", "split": "", "language": "en", "result": result, **changes}
    split_up = list if given["language"] == "zh" else str.split
    bodies = {name: align_tokens(text, split_up(text)) for name, text in texts.items()}
    segments = tuple(Segment(n, TASKS[task].spec_of(n).is_selectable, b) for n, b in bodies.items())
    return GoldInstance(Instance(segments=segments, **given), sets, result)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_back(folder: Path, task: str, labels: tuple[str, ...] = LABELS) -> list[SourceInstance]:
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
READING = {"passage": "we open at ten", "title": "opening hours", "question": "When ?"}


@pytest.mark.parametrize("labels", [LABELS, ()])
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
        reading = gold("reading", READING, RationaleSet.of((3, 4), (4, 5)), result="", language="en")
        writer(tmp_path / f"reading{number}", [reading], options("reading"))
        [back] = read_back(tmp_path / f"reading{number}", "reading")
        assert sets_of(back) == [[("passage", 3, 4), ("title", 0, 1)]]
        assert (back.result, {n: b.text for n, b in back.segments.items()}) == ("", READING)


def test_several_sets_of_a_pair_read_back_from_trustai_alone(tmp_path):
    sets = (RationaleSet.of((0, 1), (3, 4)), RationaleSet.of((2, 3)), RationaleSet.of((6, 7)))
    pair = gold("similarity", PAIR, *sets)
    write_trustai(tmp_path / "out", [pair], options("similarity"))
    [back] = read_back(tmp_path / "out", "similarity")
    assert sets_of(back) == [[("sentence1", 0, 1), ("sentence2", 0, 1)], [("sentence1", 2, 3)], [("sentence2", 3, 4)]]
    with pytest.raises(
        ExportRefused, match=r"Instance '1' has 3 rationale sets.*--gold-policy union, or .* benchmark-trustai"
    ):
        write(tmp_path / "paddle", [pair], options("similarity"))
    write(tmp_path / "paddle", [pair], options("similarity", "union"))
    assert lines(tmp_path / "paddle" / "golden" / "similarity_en.tsv")[0]["rationale_t_idx"] == [0, 3]


def test_zero_sets_read_back_as_zero_sets(tmp_path):
    for number, writer in enumerate((write, write_trustai)):
        for task, texts in (("sentiment", {"text": "so so"}), ("similarity", PAIR), ("reading", READING)):
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
    ([gold("sentiment", {"text": "a"}, result=None)], "1 of the instances have no result"),
    ([FILM, FILM], "Two instances of split '' have the key '3'"),
    ([], "There is no instance to write"),
]


@pytest.mark.parametrize(("items", "reason"), REFUSED)
def test_what_cannot_be_written_is_refused_and_nothing_is_left(items, reason, tmp_path):
    with pytest.raises(ExportRefused, match=reason):
        write(tmp_path / "out", items, options())
    assert list(tmp_path.iterdir()) == []


def test_a_set_in_the_question_is_refused(tmp_path):
    with pytest.raises(ExportRefused, match="token 6 lies in a segment that has no tokens in the benchmark"):
        write(tmp_path / "out", [gold("reading", READING, RationaleSet.of((6, 7)))], options("reading"))


def test_a_folder_that_holds_something_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportRefused, match="is not an empty folder"):
        write(tmp_path, [FILM], options())
