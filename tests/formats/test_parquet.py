"""Parquet and the folder for Hugging Face `datasets`: gold, and what each person marked; other people's programs load them."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator import __version__
from annotator.domain.instances import GoldInstance, Instance, Segment, SetOrigin
from annotator.domain.measurements import Whose
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.sufficient_sets import JudgedFamily, JudgedSet, SufficientSets
from annotator.domain.tasks import TASKS
from annotator.domain.texts import RationaleSet, Span, TokenizedText
from annotator.errors import ExportRefused, InvalidValue, NotAllowed
from annotator.formats.base import WriteOptions
from annotator.formats.parquet import writer as parquet
from annotator.formats.parquet.dataset_card import COLUMNS, MODEL_SET_COLUMNS, yaml_text
from annotator.formats.parquet.dataset_folder import write_datasets
from annotator.formats.parquet.writer import write
from annotator.store import Store
from annotator.store.models import add_model, store_sufficient_sets
from annotator.usecases.access.accounts import add_user
from annotator.usecases.gold import GoldOptions
from annotator.usecases.transfer.export import export_file
from tests.conftest import REPOSITORY
from tests.formats.test_eraser import body, gold

PROJECT = Project(
    1, 'Films: "old" ones', TASKS["sentiment"], ("negative", "positive"), "en", ProjectSettings(),
    licence="CC BY 4.0", citation="@misc{films,\n  title = {Films}}",
)  # fmt: skip


def options(task: str = "sentiment", **changes: object) -> WriteOptions:
    return WriteOptions(replace(PROJECT, task=TASKS[task], **changes), "all")


def some_gold(key: str = "1", **changes: object) -> GoldInstance:
    return gold({"text": body("A calm film")}, RationaleSet.of((1, 2)), key=key, **changes)


def instance_of(row: dict) -> GoldInstance:
    """The gold that a row tells, put together from its columns alone."""
    segments, first = [], {}
    for one in row["segments"]:
        text = TokenizedText(
            one["text"], tuple(one["token_starts"]), tuple(one["token_ends"]), tuple(one["sentence_starts"])
        )
        assert one["tokens"] == text.tokens()
        segments.append(Segment(one["name"], one["is_selectable"], text, one["docid"]))
        first[one["name"]] = one["first_token"]

    def span(placed: dict) -> Span:
        text = next(s.body.text for s in segments if s.name == placed["segment"])
        assert text[placed["start_char"] : placed["end_char"]] == placed["text"]
        start = first[placed["segment"]]
        return Span(start + placed["start_token"], start + placed["end_token"])

    target = None if row["target"] is None else span(row["target"])
    origins = tuple(
        tuple(SetOrigin(0, origin["annotator"], origin["round"], origin["set"]) for origin in of_set)
        for of_set in row["rationale_origins"] or ()
    )
    instance = Instance(
        0, row["key"], row["split"], row["language"], tuple(segments), row["result"],
        target=None if target is None else (target.start, target.end), parent_key=row["parent_key"],
        perturbation_kind=row["perturbation_kind"], is_exhaustive=row["exhaustive"], metadata=json.loads(row["metadata"]),
    )  # fmt: skip
    sets = tuple(RationaleSet(tuple(span(placed) for placed in one)) for one in row["rationales"])
    assert [list(one.token_indices) for one in sets] == row["rationale_tokens"]
    return GoldInstance(instance, sets, row["result"], origins)


WORDS = st.text(st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1, max_size=4)
NAMES = {
    "sentiment": ["text"],
    "similarity": ["sentence1", "sentence2"],
    "reading": ["passage", "title", "question"],
    "verification": ["document", "document2", "query"],
}


@st.composite
def gold_instances(draw: st.DrawFn, task: str) -> GoldInstance:
    segments, borders, first = [], [], 0
    for name in NAMES[task]:
        spec = TASKS[task].spec_of(name)
        tokens = draw(st.lists(WORDS, min_size=0 if spec.may_be_empty else 1, max_size=5))
        segments.append(
            Segment(name, spec.is_selectable, body("  ".join(tokens), tokens), draw(st.sampled_from([None, "é d"])))
        )
        borders += [(first, first + len(tokens))] if tokens and spec.is_selectable else []
        first += len(tokens)

    def spans() -> st.SearchStrategy[Span]:
        return st.sampled_from(borders).flatmap(
            lambda border: st.integers(border[0], border[1] - 1).flatmap(
                lambda start: st.builds(Span, st.just(start), st.integers(start + 1, border[1]))
            )
        )

    sets = tuple(
        RationaleSet(tuple(one)) for one in draw(st.lists(st.lists(spans(), min_size=1, max_size=3), max_size=3))
    )
    origin = st.builds(SetOrigin, st.just(0), WORDS, st.integers(1, 3), st.none() | st.integers(0, 4))
    origins = tuple(tuple(draw(st.lists(origin, min_size=1, max_size=2))) for _ in sets)
    target = draw(st.none() | spans())
    result = draw(st.none() | WORDS | st.just(""))
    instance = Instance(
        0, draw(WORDS), draw(st.sampled_from(["", "train", "test"])), "en", tuple(segments), result,
        target=None if target is None else (target.start, target.end), parent_key=draw(st.none() | WORDS),
        perturbation_kind=draw(st.none() | WORDS), is_exhaustive=draw(st.booleans()),
        metadata=draw(st.dictionaries(WORDS, st.none() | st.integers(-9, 9) | WORDS | st.lists(WORDS, max_size=2), max_size=2)),
    )  # fmt: skip
    return GoldInstance(instance, sets, result, draw(st.sampled_from([origins, ()])))


TASK_AND_GOLD = st.sampled_from(sorted(NAMES)).flatmap(
    lambda task: st.tuples(st.just(task), st.lists(gold_instances(task), min_size=1, max_size=4))
)


@given(TASK_AND_GOLD)
def test_every_value_of_the_gold_comes_back_through_pyarrow(task_and_gold: tuple[str, list[GoldInstance]]) -> None:
    task, items = task_and_gold
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gold.parquet"
        write(path, iter(items), options(task))
        table = pq.read_table(path)
    assert {row["task"] for row in table.to_pylist()} == {task}
    assert [instance_of(row) for row in table.to_pylist()] == items


def test_the_columns_are_those_that_the_documents_describe(tmp_path: Path) -> None:
    write(tmp_path / "gold.parquet", [some_gold()], options())
    schema = pq.read_schema(tmp_path / "gold.parquet")
    assert schema.names == list(COLUMNS)
    span = "struct<segment: string, start_token: int32, end_token: int32, start_char: int32, end_char: int32, text: string>"
    assert str(schema.field("rationales").type).replace("element", "item") == f"list<item: list<item: {span}>>"
    assert str(schema.field("rationale_tokens").type).replace("element", "item") == "list<item: list<item: int32>>"
    described = (REPOSITORY / "docs" / "formats.md").read_text(encoding="utf-8")
    assert [name for name in COLUMNS if f"`{name}`" not in described] == []


def test_the_file_says_what_made_it(tmp_path: Path) -> None:
    write(tmp_path / "gold.parquet", [some_gold()], options())
    made_by = json.loads(pq.read_schema(tmp_path / "gold.parquet").metadata[b"rationale-annotator"])
    assert made_by == {
        "version": __version__,
        "project": PROJECT.name,
        "task": "sentiment",
        "labels": ["negative", "positive"],
        "question": PROJECT.shown_question,
        "gold_policy": "all",
        "licence": "CC BY 4.0",
        "citation": PROJECT.citation,
    }


def test_an_instance_that_does_not_say_whether_its_gold_is_exhaustive_follows_the_project(tmp_path: Path) -> None:
    items = [some_gold("1"), some_gold("2", is_exhaustive=False)]
    write(tmp_path / "gold.parquet", items, options(settings=ProjectSettings(is_exhaustive=True)))
    assert pq.read_table(tmp_path / "gold.parquet").column("exhaustive").to_pylist() == [True, False]


def test_pandas_reads_it(tmp_path: Path) -> None:
    write(tmp_path / "gold.parquet", [some_gold("1"), some_gold("2", result=None)], options())
    frame = pd.read_parquet(tmp_path / "gold.parquet")
    assert list(frame["key"]) == ["1", "2"]
    assert frame["result"].isna().tolist() == [False, True]
    assert [span["text"] for span in frame["rationales"][0][0]] == ["calm"]


def test_rows_are_written_in_groups_of_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = []
    write_table = pq.ParquetWriter.write_table
    monkeypatch.setattr(
        pq.ParquetWriter,
        "write_table",
        lambda self, table, *more: (waiting.append(table.num_rows), write_table(self, table, *more)),
    )
    monkeypatch.setattr(parquet, "ROWS_OF_GROUP", 100)
    write(tmp_path / "rows.parquet", (some_gold(str(n)) for n in range(250)), options())
    assert waiting == [100, 100, 50]
    waiting.clear()
    monkeypatch.setattr(parquet, "TOKENS_OF_GROUP", 30)  # an instance has three
    write(tmp_path / "tokens.parquet", (some_gold(str(n)) for n in range(25)), options())
    assert waiting == [10, 10, 5]
    file = pq.ParquetFile(tmp_path / "tokens.parquet")
    assert file.num_row_groups == 3
    assert file.read().column("key").to_pylist() == [str(n) for n in range(25)]


def failing():
    yield some_gold()
    raise RuntimeError("the database went away")


@pytest.mark.parametrize("writer", [write, write_datasets])
def test_nothing_appears_when_writing_fails_half_way(tmp_path: Path, writer) -> None:
    with pytest.raises(RuntimeError):
        writer(tmp_path / "out", failing(), options())
    with pytest.raises(ExportRefused, match=r"No gold yet\. Choose another split\."):
        writer(tmp_path / "out", [], options())
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_whole_and_a_full_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gold.parquet"
    path.write_text("old")
    write(path, [some_gold("new")], options())
    assert pq.read_table(path).column("key").to_pylist() == ["new"]
    with pytest.raises(ExportRefused, match=r"exists and isn't an empty folder\."):
        write_datasets(tmp_path, [some_gold()], options())


# The folder for Hugging Face `datasets`


def of_splits(*splits: str) -> list[GoldInstance]:
    return [some_gold(f"{number}-{split}", split=split) for number, split in enumerate(splits)]


def front_matter(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8").split("---\n")[1]


def test_each_split_is_one_file_that_the_card_names(tmp_path: Path) -> None:
    write_datasets(tmp_path / "out", of_splits("train", "test", "train", "val.hard"), options())
    assert sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()) == [
        "out/README.md",
        "out/data/test.parquet",
        "out/data/train.parquet",
        "out/data/val.hard.parquet",
    ]
    assert pq.read_table(tmp_path / "out" / "data" / "train.parquet").column("key").to_pylist() == [
        "0-train",
        "2-train",
    ]
    assert front_matter(tmp_path / "out") == (
        'pretty_name: "Films: \\"old\\" ones"\n'
        'language:\n- "en"\n'
        "license: cc-by-4.0\n"
        "configs:\n- config_name: default\n  data_files:\n"
        '  - split: "train"\n    path: "data/train.parquet"\n'
        '  - split: "test"\n    path: "data/test.parquet"\n'
        '  - split: "val.hard"\n    path: "data/val.hard.parquet"\n'
    )


def test_the_card_tells_licence_citation_policy_and_every_column(tmp_path: Path) -> None:
    items = [
        some_gold("1"),
        some_gold("2", is_exhaustive=True),
        gold({"text": body("x")}, key="3", language="zh-words"),
    ]
    write_datasets(tmp_path / "out", items, options())
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert 'language:\n- "en"\n- "zh"\n' in card
    assert "* Gold policy `all`: all distinct sets from annotators with the gold result." in card
    assert "(`exhaustive`) in 1 of 3 instances." in card
    assert "| train | 3 | 2 | 1 |" in card
    assert "## Licence\n\nCC BY 4.0\n" in card
    assert "    @misc{films,\n      title = {Films}}\n" in card
    assert all(f"| `{name}` |" in card for name in COLUMNS)


def test_a_licence_that_the_hub_does_not_know_keeps_its_name(tmp_path: Path) -> None:
    write_datasets(tmp_path / "own", [some_gold()], options(licence="Ask: the lab"))
    assert 'license: other\nlicense_name: "Ask: the lab"\n' in front_matter(tmp_path / "own")
    write_datasets(tmp_path / "none", [some_gold()], options(licence="", citation=""))
    assert "license" not in front_matter(tmp_path / "none")
    assert "The project names no licence" in (tmp_path / "none" / "README.md").read_text(encoding="utf-8")


def test_yaml_reads_any_text_back() -> None:
    yaml = pytest.importorskip("yaml")
    for text in ('a: "b" # c', "- x\n--- ", "é 好 😀", "\t\x07\x85\u2028\ufeff", "{}", "yes", ""):
        assert yaml.safe_load(f"key: {yaml_text(text)}\n") == {"key": text}


def test_instances_without_any_split_are_written_as_train(tmp_path: Path) -> None:
    write_datasets(tmp_path / "out", of_splits("", ""), options())
    [file] = (tmp_path / "out" / "data").iterdir()
    assert file.name == "train.parquet"
    assert pq.read_table(file).column("split").to_pylist() == ["", ""]


@pytest.mark.parametrize(
    ("splits", "reason"),
    [
        (("train", ""), r"1 instances are in no split; assign splits \(`annotator split`\) \(instances: '1-'\)\."),
        (
            ("train", "my split"),
            r"1 instances are in a split `datasets` can't name \(letters, digits, _, inner dots; not `all`\); rename it \(instances: '1-my split'\)\.",
        ),
        (
            ("../out",),
            r"are in a split `datasets` can't name \(letters, digits, _, inner dots; not `all`\); rename it \(instances: '0-\.\./out'\)\.",
        ),
        (
            ("all",),
            r"are in a split `datasets` can't name \(letters, digits, _, inner dots; not `all`\); rename it \(instances: '0-all'\)\.",
        ),
    ],
)
def test_splits_that_the_folder_cannot_hold_are_refused(tmp_path: Path, splits: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ExportRefused, match=reason):
        write_datasets(tmp_path / "out", of_splits(*splits), options())
    assert list(tmp_path.iterdir()) == []


LOADING = """
import json, sys
from datasets import load_dataset
folder, file = sys.argv[1:]
data = load_dataset(folder)
one = load_dataset("parquet", data_files=file, split="train")
print(json.dumps([{name: list(part) for name, part in data.items()}, list(one), one.column_names]))
"""


@pytest.mark.skipif(find_spec("datasets") is None, reason="the package datasets is not here; it is no dependency")
def test_hugging_face_datasets_loads_the_folder_and_the_file(tmp_path: Path) -> None:
    items = [
        some_gold("1", metadata={"year": 1999}),
        gold({"text": body("x y")}, key="2", result=None),
        some_gold("3", split="test", target=(0, 2)),
    ]
    write_datasets(tmp_path / "out", items, options())
    write(tmp_path / "gold.parquet", items, options())
    script = tmp_path / "loading.py"
    script.write_text(LOADING)
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "out"), str(tmp_path / "gold.parquet")],
        env={**os.environ, **offline}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    by_split, rows, columns = json.loads(done.stdout)
    assert columns == list(COLUMNS)
    assert rows == pq.read_table(tmp_path / "gold.parquet").to_pylist()
    assert by_split == {"train": rows[:2], "test": rows[2:]}


def test_pyarrow_is_loaded_when_a_file_is_written_and_not_before() -> None:
    code = (
        "import sys; from annotator.formats.registry import get_writer; get_writer('parquet'); get_writer('datasets'); "
        "print(sorted({'pyarrow', 'pandas'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Every person's annotations as one Parquet file.

FORMAT = "parquet-annotations"


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., Any]) -> Project:
    made: Project = make_project()
    text = {"id": "a", "text": "Good, really good food.", "label": "positive", "split": "test"}
    import_rows(made, [
        {**text, "annotator": "ada", "rationales": [[[0, 1], [3, 4]], [[3, 5]]], "note": "two reasons"},
        {**text, "annotator": "ben", "annotator_label": "negative", "rationales": [[[3, 5]]]},
        {"id": "b", "text": "Nobody marked this", "label": "negative"},
    ])  # fmt: skip
    return made


def test_each_annotation_has_a_row_with_its_own_label_sets_and_date(
    store: Store, project: Project, tmp_path: Path
) -> None:
    exported = export_file(store, LOCAL_OPERATOR, project, FORMAT, tmp_path / "all.parquet", has_names=True)
    assert exported.n == 1  # instance with annotations
    table = pd.read_parquet(tmp_path / "all.parquet")
    assert table[["key", "annotator", "round", "state", "result", "instance_result", "note"]].values.tolist() == [
        ["a", "ada", 1, "accepted", "positive", "positive", "two reasons"],
        ["a", "ben", 1, "accepted", "negative", "positive", ""],
    ]
    assert [[list(tokens) for tokens in sets] for sets in table["rationale_tokens"]] == [[[0, 3], [3, 4]], [[3, 4]]]
    [segment] = table["segments"][0]
    assert list(segment["tokens"]) == ["Good", ",", "really", "good", "food", "."]
    assert [span["text"] for span in table["rationales"][0][0]] == ["Good", "good"]
    assert str(table["created_at"].dt.tz) == "UTC"
    assert table["created_at"].notna().all()


def test_a_split_that_is_not_there_is_refused_and_nothing_is_written(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(InvalidValue, match="No split 'train' in"):
        export_file(store, LOCAL_OPERATOR, project, FORMAT, tmp_path / "x.parquet", GoldOptions(split="train"))
    assert not list(tmp_path.glob("x.parquet*"))


def test_it_is_for_those_who_may_see_all_annotations(store: Store, project: Project, tmp_path: Path) -> None:
    ria = add_user(store, LOCAL_OPERATOR, "ria", "researcher", project.name).user
    with pytest.raises(NotAllowed):
        export_file(store, ria, project, FORMAT, tmp_path / "x.parquet")
    assert not (tmp_path / "x.parquet").exists()


# What each person marked, beside the gold of a folder for Hugging Face `datasets`.


@pytest.fixture
def annotated(make_project: Callable[..., Project], import_rows: Callable[..., Any]) -> Project:
    made: Project = make_project()
    text = {"id": "a", "text": "Good, really good food.", "label": "positive", "split": "test"}
    import_rows(made, [
        {**text, "annotator": "zoe", "rationales": [[[0, 1], [3, 4]], [[3, 5]]], "note": "Zoe says so"},
        {**text, "annotator": "ben", "annotator_label": "negative", "rationales": [[[3, 5]]]},
        {"id": "b", "text": "Cold soup", "label": "negative", "split": "train", "annotator": "ben", "rationales": [[[0, 2]]]},
        {"id": "c", "text": "Nobody marked this", "label": "negative", "split": "train"},
    ])  # fmt: skip
    return made


def exported(store: Store, annotated: Project, folder: Path, *, has_names: bool = False, **options: Any) -> Path:
    export_file(
        store, LOCAL_OPERATOR, annotated, "datasets", folder, GoldOptions("all", **options), has_names=has_names
    )
    return folder


def rows_of(folder: Path, split: str) -> list[dict[str, Any]]:
    return pq.read_table(folder / "annotations" / f"{split}.parquet").to_pylist()


def test_a_row_is_what_one_person_marked_with_labels_by_number(
    store: Store, annotated: Project, tmp_path: Path
) -> None:
    folder = exported(store, annotated, tmp_path / "out")
    rows = rows_of(folder, "test")
    names = ("key", "round", "state", "label", "instance_label", "rationale_tokens")
    positive, negative = annotated.labels.index("positive"), annotated.labels.index("negative")
    assert sorted(tuple(row[name] for name in names) for row in rows) == sorted([
        ("a", 1, "accepted", positive, positive, [[0, 3], [3, 4]]),
        ("a", 1, "accepted", negative, positive, [[3, 4]]),
    ])  # fmt: skip
    [row] = rows_of(folder, "train")
    [ben] = [row["annotator"] for row in rows if row["label"] == negative]
    assert row["annotator"] == ben
    assert [span["text"] for span in row["rationales"][0]] == ["Cold soup"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert (
        '- config_name: annotations\n  data_files:\n  - split: "test"\n    path: "annotations/test.parquet"\n' in card
    )
    assert "| test | 2 | 1 | 2 |" in card


def test_the_folder_names_people_where_that_is_asked_for(store: Store, annotated: Project, tmp_path: Path) -> None:
    named = exported(store, annotated, tmp_path / "named", has_names=True)
    assert [row["annotator"] for row in rows_of(named, "test")] == ["zoe", "ben"]
    [gold] = pq.read_table(named / "data" / "test.parquet").to_pylist()
    assert gold["rationale_origins"][0][0]["annotator"] == "zoe"


def test_the_gold_and_the_annotations_of_a_folder_call_a_person_the_same(
    make_project: Callable[..., Project], import_rows: Callable[..., Any], store: Store, tmp_path: Path
) -> None:
    told = [{"annotator": "worker-zoe", "group": "G1"}, {"annotator": "worker-ben", "group": "G2"}]
    text = {"id": "a", "text": "Good food.", "label": "positive", "metadata": {"year": 2, "annotations": told}}
    made = make_project()
    sets = {"worker-zoe": [[[0, 1]]], "worker-ben": [[[1, 2]]]}
    import_rows(made, [{**text, "annotator": name, "rationales": of} for name, of in sets.items()])
    folder = exported(store, made, tmp_path / "out")
    [gold] = pq.read_table(folder / "data" / "train.parquet").to_pylist()
    groups = {row["annotator"]: row["group"] for row in json.loads(gold["metadata"])["annotations"]}
    assert sorted(groups.values()) == ["G1", "G2"]
    rows = {row["annotator"]: row for row in rows_of(folder, "train")}
    assert {name: json.loads(row["facts"])["group"] for name, row in rows.items()} == groups
    assert list(rows) == sorted(rows)  # not as in the file
    assert {of[0]["annotator"] for of in gold["rationale_origins"]} == set(rows)
    named = exported(store, made, tmp_path / "named", has_names=True)
    [gold] = pq.read_table(named / "data" / "train.parquet").to_pylist()
    assert json.loads(gold["metadata"])["annotations"] == told


def test_how_many_annotations_were_written_is_told_beside_the_instances(
    store: Store, annotated: Project, tmp_path: Path
) -> None:
    def words(format_name: str) -> str:
        return export_file(store, LOCAL_OPERATOR, annotated, format_name, tmp_path / format_name).words

    assert words("datasets") == "2 instances and 3 annotations"
    assert words("parquet-annotations") == "2 instances and 3 annotations"
    assert words("parquet") == "2 instances"


def test_who_may_not_see_all_annotations_gets_the_gold_alone(store: Store, annotated: Project, tmp_path: Path) -> None:
    ria = add_user(store, LOCAL_OPERATOR, "ria", "researcher", annotated.name).user
    export_file(store, ria, annotated, "datasets", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["README.md", "data"]
    assert "annotations" not in (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---\n")[1]


def test_models_own_sets_stand_beside_the_gold_with_what_the_model_answers(
    store: Store, annotated: Project, tmp_path: Path
) -> None:
    people = JudgedFamily((JudgedSet((3, 4), 0.4, 0.3, 0.9),), 0.9)
    sets = SufficientSets(
        "positive", 0.72, 0.8, -0.75, own=JudgedFamily((JudgedSet((0,), 0.75, 0.1, 0.5),), 0.5), people=people
    )
    ids = {row["key"]: row["id"] for row in store.rows("SELECT id, key FROM instances")}
    with store.transaction():
        model = add_model(store, annotated.id, "tiny")
        store_sufficient_sets(store, model, '{"removal":"delete"}', {ids["a"]: sets, ids["c"]: sets})
    folder = exported(store, annotated, tmp_path / "out")
    assert [path.name for path in (folder / "model_sets").iterdir()] == ["test.parquet"]  # “c” has no gold
    table = pq.read_table(folder / "model_sets" / "test.parquet")
    own, of_people = table.to_pylist()
    assert own == {
        "key": "a", "split": "test", "model": "tiny", "params": '{"removal":"delete"}', "label": "positive", "p_full": 0.8,
        "p_empty": 0.25, "threshold": 0.72, "side": "model", "tokens": [0], "p": 0.75, "p_rest": 0.5, "sufficient": True,
        "compact": True, "comprehensive": True, "late": False,
    }  # fmt: skip
    assert (of_people["side"], of_people["tokens"], of_people["compact"]) == ("people", [3, 4], None)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert '- config_name: model_sets\n  data_files:\n  - split: "test"\n    path: "model_sets/test.parquet"\n' in card
    assert "| test | 2 |" in card
    assert [name for names in MODEL_SET_COLUMNS for name in names.split(", ")] == table.column_names
    of_ben = tmp_path / "ben"
    export_file(store, LOCAL_OPERATOR, annotated, "datasets", of_ben, GoldOptions(whose=Whose("annotator", "ben")))
    assert not (of_ben / "model_sets").exists()


def test_a_split_and_a_half_concern_the_annotations_as_the_gold(
    store: Store, annotated: Project, tmp_path: Path
) -> None:
    folder = exported(store, annotated, tmp_path / "out", split="train")
    assert [path.name for path in (folder / "annotations").iterdir()] == ["train.parquet"]


def test_answers_are_texts(
    make_project: Callable[..., Project], import_rows: Callable[..., Any], store: Store, tmp_path: Path
) -> None:
    reading = make_project(task="reading")
    row = {"id": "q", "passage": "It is blue.", "title": "", "question": "What?", "answer": "blue", "annotator": "zoe"}
    import_rows(reading, [{**row, "rationales": [[{"segment": "passage", "start_token": 2, "end_token": 3}]]}])
    [row] = rows_of(exported(store, reading, tmp_path / "out"), "train")
    assert (row["answer"], row["instance_answer"], row["split"]) == ("blue", "blue", "")


LOADING_ANNOTATIONS = """
import json, sys
from datasets import ClassLabel, load_dataset
folder = sys.argv[1]
data = load_dataset(folder, "annotations")
of_label = data["test"].features["label"]
assert isinstance(of_label, ClassLabel), of_label
labels = [of_label.int2str(row["label"]) for row in data["test"]]
print(json.dumps([sorted(data), of_label.names, labels, load_dataset(folder)["test"].num_rows]))
"""


@pytest.mark.skipif(find_spec("datasets") is None, reason="the package datasets is not here; it is no dependency")
def test_hugging_face_datasets_knows_the_labels_without_a_script(
    store: Store, annotated: Project, tmp_path: Path
) -> None:
    folder = exported(store, annotated, tmp_path / "out")
    (tmp_path / "loading.py").write_text(LOADING_ANNOTATIONS)
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "loading.py"), str(folder)],
        env={**os.environ, **offline}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["test", "train"], list(annotated.labels), ["positive", "negative"], 1]
