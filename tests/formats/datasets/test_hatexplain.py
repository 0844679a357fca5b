"""HateXplain's dataset.json. The rows here are made up and harmless; the real ones are compared where they are there."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.sources import SourceInstance, SourceSpan
from annotator.domain.tasks import TASKS, SegmentSpec, custom_task
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.datasets import hatexplain
from tests.conftest import SHARED_DATA, needs_data
from tests.formats.test_damaged_files import VALUES, paths_of, with_value

REAL = SHARED_DATA / "hatexplain"
TOKENS = ["lazy", "cooks", "serve", "cold", "soup"]


def post(labels=("normal", "normal", "normal"), masks=(), post_id="p1", tokens=TOKENS, **more) -> dict:
    annotators = [{"label": label, "annotator_id": n, "target": ["Cooks"]} for n, label in enumerate(labels, 11)]
    return {
        "post_id": post_id,
        "annotators": annotators,
        "rationales": list(masks),
        "post_tokens": list(tokens),
        **more,
    }


def read(posts: "dict | str | bytes", tmp_path: Path, divisions: object = None, path: str = "dataset.json", **options):
    content = json.dumps(posts) if isinstance(posts, dict) else posts
    (tmp_path / "dataset.json").write_bytes(content.encode() if isinstance(content, str) else content)
    if divisions is not None:
        (tmp_path / "post_id_divisions.json").write_text(json.dumps(divisions))
    items = list(hatexplain.read(tmp_path / path, ReadOptions(TASKS["sentiment"], **options)))
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


def marked(annotation) -> list[list[int]]:
    return [[t for span in one_set for t in range(span.start, span.end)] for one_set in annotation.sets]


def test_a_post_becomes_an_instance_with_an_annotation_for_each_annotator(tmp_path):
    given_post = post(("offensive", "normal", "offensive"), [[1, 1, 0, 0, 1], [0, 1, 0, 0, 0]], source="forum")
    [instance], problems = read({"p1": given_post}, tmp_path)
    assert problems == []
    assert (instance.key, instance.result, instance.language, instance.split) == ("p1", "offensive", "en", "")
    body = instance.segments["text"]
    assert (body.text, body.tokens.tokens()) == ("lazy cooks serve cold soup", TOKENS)
    first, second, third = instance.annotations
    assert [(a.annotator, a.result) for a in instance.annotations] == [
        ("11", "offensive"),
        ("12", "normal"),
        ("13", "offensive"),
    ]
    assert first.sets == ((SourceSpan("text", 0, 2), SourceSpan("text", 4, 5)),)  # one set; contiguous tokens joined
    assert second.sets == ()
    assert marked(third) == [[1]]
    assert instance.metadata == {"annotators": given_post["annotators"], "source": "forum"}


# labels, number of masks, whose each mask is (None: nobody knows)
OWNERS = [
    ("nnn", 0, []),
    ("onn", 0, []),  # the majority is normal: not marked, though one annotator chose another label
    ("oho", 3, ["11", "12", "13"]),
    ("onh", 2, ["11", "13"]),  # one for each whose label is not normal
    ("onh", 3, ["11", "12", "13"]),  # one for each annotator
    ("ooh", 2, None),
    ("ooo", 1, None),
    ("nnn", 1, None),
    ("ooh", 4, None),
]
LABELS = {"n": "normal", "o": "offensive", "h": "hatespeech"}


@pytest.mark.parametrize(("letters", "n_masks", "owners"), OWNERS)
def test_a_mask_is_tied_to_an_annotator_where_the_numbers_say_whose_it_is(letters, n_masks, owners, tmp_path):
    masks = [[int(position == n) for position in range(5)] for n in range(n_masks)]
    [instance], problems = read({"p1": post([LABELS[letter] for letter in letters], masks)}, tmp_path)
    found = {a.annotator: marked(a) for a in instance.annotations if a.sets}
    names = [f"mask {n}" for n in range(1, n_masks + 1)] if owners is None else owners
    assert found == {name: [[n]] for n, name in enumerate(names)}
    assert [(p.field, p.is_warning) for p in problems] == [("p1.rationales", True)] * (owners is None)


def test_masks_of_nobody_known_count_and_the_labels_are_kept_for_reference(tmp_path):
    masks = [[1, 0, 0, 0, 0], [1, 0, 0, 0, 0]]
    [instance], [warning] = read({"p1": post(("offensive", "hatespeech", "offensive"), masks)}, tmp_path)
    assert [(a.annotator, a.result, a.state, len(a.sets)) for a in instance.annotations] == [
        ("mask 1", None, None, 1),
        ("mask 2", None, None, 1),
        ("11", "offensive", "reference", 0),
        ("12", "hatespeech", "reference", 0),
        ("13", "offensive", "reference", 0),
    ]
    assert "owners unknown, imported as" in warning.reason


RESULTS = [("onn", "normal"), ("oho", "offensive"), ("noh", None), ("oh", None), ("ooh", "offensive"), ("", None)]


@pytest.mark.parametrize(("letters", "result"), RESULTS)
def test_the_result_is_the_label_of_more_than_half(letters, result, tmp_path):
    masks = [[1, 0, 0, 0, 0] for letter in letters if letter != "n"]
    [instance], problems = read({"p1": post([LABELS[letter] for letter in letters], masks)}, tmp_path)
    assert (instance.result, problems) == (result, [])


def test_a_mask_without_a_mark_and_masks_that_are_missing_are_told(tmp_path):
    posts = {
        "p1": post(("offensive", "offensive", "normal"), [[0] * 5, [0, 0, 0, 1, 0]]),
        "p2": post(("offensive", "offensive", "normal"), [], "p2"),
    }
    instances, problems = read(posts, tmp_path)
    assert [[len(a.sets) for a in i.annotations] for i in instances] == [[0, 1, 0], [0, 0, 0]]
    assert [(p.field, p.is_warning) for p in problems] == [("p1.rationales[0]", True), ("p2.rationales", True)]


BAD_POSTS = [
    (post(("offensive",), [[1, 0, 0, 0]]), "rationales[0]", "Mask has 4 values, post"),
    (post(("offensive",), [[1, 0, 0, 0, 0, 0]]), "rationales[0]", "Mask has 6 values, post"),
    (post(("offensive",), [[1, 0, 2, 0, 0]]), "rationales[0][2]", "Must be one of 1, 0."),
    (post(("offensive",), [[1, 0, 0.5, 0, 0]]), "rationales[0][2]", "Must be an integer, not a number."),
    (post(("offensive",), [[1, 0, True, 0, 0]]), "rationales[0][2]", "Must be an integer, not true or false."),
    (post(tokens=[]), "post_tokens", "Must not be empty."),
    (post(tokens=["", " "]), "post_tokens", "Must not be empty."),
    (post(post_id="p2"), "post_id", "The key is 'p1'. Use the same id."),
    ({k: v for k, v in post().items() if k != "rationales"}, "rationales", "is missing"),
    ({k: v for k, v in post().items() if k != "post_id"}, "post_id", "is missing"),
    (post(("silly",)), "label", "No label 'silly' (only 'normal', 'offensive', 'hatespeech')"),
    (
        {**post(), "annotators": [{"label": "normal", "annotator_id": 1}] * 2},
        "annotator",
        "Same person twice in one round. Keep one.",
    ),
    ({**post(), "annotators": [{"annotator_id": 1}]}, "annotators[0].label", "is missing"),
]


@pytest.mark.parametrize(("bad", "field", "reason"), BAD_POSTS)
def test_a_bad_post_names_its_id_and_field_and_gives_no_instance(bad, field, reason, tmp_path):
    posts = {"p1": bad, "good": post(post_id="good")}
    instances, problems = read(posts, tmp_path, labels=("normal", "offensive", "hatespeech"))
    assert [i.key for i in instances] == ["good"]
    assert (f"p1.{field}", False) in [(p.field, p.is_warning) for p in problems]
    assert any(reason in p.reason for p in problems)


def test_a_post_that_stands_twice_is_refused_the_second_time(tmp_path):
    one = json.dumps(post())
    instances, [problem] = read(f'{{"p1": {one},\n"p1": {one},\n"p2": {json.dumps(post(post_id="p2"))}}}', tmp_path)
    assert [i.key for i in instances] == ["p1", "p2"]
    assert (problem.line, problem.field) == (2, "p1.post_id")


# content (the first post is right), keys that are read, line and field and reason of the problem
BROKEN = [
    ('{"p1": %s, "p2": [1]}', ["p1"], 1, "p2", "an object"),
    ('{"p1": %s, "p2": {"post_id": NaN}}', ["p1"], 1, "p2", "NaN isn't JSON. Write a number or null."),
    ('{"p1": %s, "p2": {"a": 1, "a": 2}}', ["p1"], 1, "p2.a", "Duplicate. Keep one."),
    ('{"p1": %s, "p2": {"post_id": "\\ud800"}}', ["p1"], 1, "p2", "is a lone surrogate. Write the whole character."),
    ('{"p1": %s, "p\\u0000": {}}', ["p1"], 1, "key", "NUL"),
    (
        '{"p1": %s,\n"p2": {"post_id": "p',
        ["p1"],
        2,
        "file",
        "Invalid JSON: unterminated string at character 324 of 325.",
    ),
    ('{"p1": %s', ["p1"], 1, "file", "Invalid JSON: truncated at character 303."),
    ('{"p1": %s}\n{}', ["p1"], 2, "file", "Content after the object, at character"),
    ('[{"p1": %s}]', [], 1, "file", "Invalid JSON: missing '{' at character 1 of 306."),
    ('{"p1" %s}', [], 1, "file", "Invalid JSON: missing ':' at character 7 of 303."),
    ("", [], 1, "file", "Invalid JSON: missing '{' at character 1 of 0."),
    ('{"p1": ' + "[" * 100_000, [], 1, "file", "Nested too deeply, or a number too long."),
    (b'\xef\xbb\xbf{"p1": %s, "p\xff": 1}', [], None, "file", "Byte 308 isn't UTF-8. Save as UTF-8."),
]


@pytest.mark.parametrize(("content", "keys", "line", "field", "reason"), BROKEN)
def test_what_stands_before_a_broken_place_is_read_and_the_place_is_named(content, keys, line, field, reason, tmp_path):
    one = json.dumps(post())
    whole = content.replace(b"%s", one.encode()) if isinstance(content, bytes) else content.replace("%s", one)
    instances, [problem] = read(whole, tmp_path)
    assert [i.key for i in instances] == keys
    assert (problem.line, problem.field, problem.is_warning) == (line, field, False)
    assert reason in problem.reason


def test_a_byte_order_mark_and_windows_line_ends_are_tolerated(tmp_path):
    content = b"\xef\xbb\xbf{\r\n" + json.dumps("p1").encode() + b" :\r\n" + json.dumps(post()).encode() + b"\r\n}\r\n"
    [instance], problems = read(content, tmp_path)
    assert (instance.key, instance.line, problems) == ("p1", 2, [])


DIVISIONS = {"train": ["p1"], "val": ["p2", "elsewhere"], "test": []}


@pytest.mark.parametrize(
    ("asked", "splits"), [(None, {"p1": "train", "p2": "val", "p3": ""}), ("val", {"p2": "val"}), ("test", {})]
)
def test_splits_come_from_the_file_beside_it_and_one_can_be_asked_for(asked, splits, tmp_path):
    posts = {key: post(post_id=key) for key in ("p1", "p2", "p3")}
    instances, [warning] = read(posts, tmp_path, DIVISIONS, path="", split=asked, key_prefix="h-")
    assert {i.key: i.split for i in instances} == {f"h-{key}": split for key, split in splits.items()}
    assert (warning.source, warning.value, warning.is_warning) == ("post_id_divisions.json", "'elsewhere'", True)
    assert "1 of 3 posts with a split aren't in the data." in warning.reason


def test_without_that_file_the_asked_split_is_the_split_of_all(tmp_path):
    [instance], _ = read({"p1": post()}, tmp_path, split="test")
    assert instance.split == "test"


def test_a_post_of_two_splits_is_refused_and_wrong_divisions_are_told(tmp_path):
    instances, problems = read({"p1": post()}, tmp_path, {"train": ["p1"], "val": ["p1"]})
    assert (instances, [p.field for p in problems]) == ([], ["p1.split"])
    _, [problem] = read({"p1": post()}, tmp_path, {"train": "p1"})
    assert (problem.source, problem.field) == ("post_id_divisions.json", "train")
    _, [problem] = read({"p1": post()}, tmp_path, [1])
    assert problem.source == "post_id_divisions.json"


@pytest.mark.parametrize("task", ["inference", "reading", "verification", "choice", "entity"])
def test_a_task_with_more_than_one_text_is_refused(task, tmp_path):
    (tmp_path / "dataset.json").write_text("{}")
    with pytest.raises(InvalidValue, match="HateXplain needs the task sentiment"):
        list(hatexplain.read(tmp_path / "dataset.json", ReadOptions(TASKS[task])))


def test_the_text_goes_to_the_one_segment_of_a_custom_task(tmp_path):
    (tmp_path / "dataset.json").write_text(json.dumps({"p1": post(("offensive",), [[1, 0, 0, 0, 0]])}))
    task = custom_task([SegmentSpec("post", "Post")], "label")
    [instance] = hatexplain.read(tmp_path, ReadOptions(task))
    assert instance.segments["post"].text == "lazy cooks serve cold soup"
    assert instance.annotations[0].sets == ((SourceSpan("post", 0, 1),),)


def test_a_folder_without_the_file_and_a_file_that_is_not_there_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(NotFound):
            list(hatexplain.read(path, ReadOptions(TASKS["sentiment"])))


@given(data=st.data())
def test_odd_values_never_make_the_reader_fail(data, tmp_path_factory):
    right = {"p1": post(("offensive", "normal", "hatespeech"), [[1, 0, 0, 0, 0], [0, 0, 0, 1, 1]])}
    path = data.draw(st.sampled_from(list(paths_of(right))))
    odd = with_value(right, path, data.draw(VALUES))
    instances, problems = read(json.dumps(odd), tmp_path_factory.mktemp("odd"))
    assert len(instances) + len([p for p in problems if not p.is_warning]) > 0 or odd == {}


@needs_data
def test_the_real_posts_have_the_sets_of_the_neutral_form():
    """Source: canonical.jsonl, made by others; sets, labels and tokens must be the same for all 1,922 posts."""
    items = list(hatexplain.read(REAL / "raw" / "dataset_val.json", ReadOptions(TASKS["sentiment"])))
    instances = {i.key: i for i in items if isinstance(i, SourceInstance)}
    problems = [p for p in items if isinstance(p, Problem)]
    rows = [json.loads(line) for line in (REAL / "canonical.jsonl").read_text().splitlines()]
    assert (len(instances), len(rows), {p.is_warning for p in problems}) == (1922, 1922, {True})
    unaligned = {row["id"] for row in rows if not all(a["aligned"] for a in row["annotations"])}
    assert {p.field.removesuffix(".rationales") for p in problems} == unaligned
    differing = []
    for row in rows:
        instance = instances[row["id"]]
        counting = [a for a in instance.annotations if a.state is None]
        ours = ([marked(a) for a in counting], instance.result, instance.segments["text"].tokens.tokens())
        theirs = [[one_set["text"] for one_set in a["rationales"]] for a in row["annotations"]]
        if ours != (theirs, row["label"], row["fields"]["text"]["tokens"]):
            differing.append(row["id"])
    assert differing == []
