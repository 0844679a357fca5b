"""Files into a project and out of it from Python, dates as dates, and gold as a Hugging Face data set."""

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import annotator
from annotator.api import Database, Project, tables
from annotator.errors import ImportRefused, InvalidValue, NotFound

ROWS = """id,text,label,split,rationales
a,Good food here .,positive,train,"[[[0, 2]]]"
b,Cold soup .,negative,,"[[[0, 1]], [[1, 2]]]"
"""


@pytest.fixture
def db(database: Path, make_project: Callable[..., object]) -> Iterator[Database]:
    make_project()
    with annotator.open(database) as opened:
        yield opened


@pytest.fixture
def opened(db: Database) -> Project:
    return db.project("Project")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_a_file_goes_in_by_what_its_first_lines_tell(opened: Project, rows: Path) -> None:
    report = opened.import_(rows)
    assert (report.n_new, report.n_sets) == (2, 3)
    assert opened.gold()["sets"].tolist() == [[[0, 1]], [[0], [1]]]
    assert opened.import_(str(rows), "csv").n_unchanged == 2


def test_the_options_of_an_import_are_those_of_the_command(opened: Project, rows: Path) -> None:
    assert opened.import_(rows, dry_run=True).n_new == 2
    assert opened.instances().empty
    opened.import_(rows, gold="draft", key_prefix="x-", gold_policy="all")
    assert opened.instances()["key"].tolist() == ["x-a", "x-b"]
    assert opened.gold().empty
    assert opened.rules.settings.gold_policy == "all"
    rows.write_text(ROWS.replace("positive", "good"), encoding="utf-8")
    with pytest.raises(ImportRefused) as refused:
        opened.import_(rows)
    assert {(problem.line, problem.value) for problem in refused.value.problems} == {(2, "good")}
    assert opened.import_(rows, rename={"good": "positive"}).n_new == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"gold": "maybe"}, r"'gold' must be one of accepted, draft, reference, not 'maybe'\."),
        ({"merge": "max"}, r"'merge' must be one of sum, mean, signed max, not 'max'\."),
        ({"gold_policy": "best"}, "'gold_policy' must be one of chosen"),
        ({"format": "xls"}, "Unknown format 'xls'. Available:"),
    ],
)
def test_words_that_mean_nothing_are_refused(
    opened: Project, rows: Path, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidValue, match=sentence):
        opened.import_(rows, **options)
    assert opened.instances().empty


def test_a_path_that_tells_nothing_is_refused(opened: Project, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="No file or folder '"):
        opened.import_(tmp_path / "nothing.csv")
    (tmp_path / "notes.txt").write_text("Hello.\n", encoding="utf-8")
    with pytest.raises(InvalidValue, match=r"Set it \(see docs/formats\.md\)\."):
        opened.import_(tmp_path / "notes.txt")


@pytest.fixture
def outputs(opened: Project, rows: Path, tmp_path: Path) -> list[Path]:
    """Two files of model output, of which the second says something of one text that the first does not."""
    opened.import_(rows)
    folder = tmp_path / "out"
    folder.mkdir()
    for model, keys in (("one", ("a",)), ("two", ("a", "b"))):
        lines = [json.dumps({"id": key, "model": model, "label": "positive"}) for key in keys]
        (folder / f"{model}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return sorted(folder.glob("*.jsonl"))


def test_several_files_of_model_output_are_stored_at_once(opened: Project, outputs: list[Path]) -> None:
    tried = opened.import_(outputs, "predictions", dry_run=True)
    assert (tried.n_new, tried.is_dry_run, len(opened.predictions())) == (3, True, 0)
    report = opened.import_((path for path in outputs), "predictions")
    assert (report.n_new, report.n_predictions, report.n_instances, report.n_answered) == (3, 3, 2, 2)
    assert {Path(name).name: each.n_new for name, each in report.by_file.items()} == {"one.jsonl": 1, "two.jsonl": 2}
    assert sorted(opened.predictions()["model"]) == ["one", "two", "two"]
    assert opened.import_(outputs[:1], "predictions").n_unchanged == 1


def test_one_bad_file_of_several_keeps_all_of_them_out(opened: Project, outputs: list[Path]) -> None:
    outputs[1].write_text('{"id": "nobody", "model": "two", "label": "positive"}\n', encoding="utf-8")
    with pytest.raises(
        ImportRefused, match=r"Problems in 1 of 2 files\. Nothing was stored\. Correct them or use skip_invalid=True\."
    ) as refused:
        opened.import_(outputs, "predictions")
    assert "Correct them or use skip_invalid=True." in str(refused.value)
    assert any("one.jsonl': no problem" in note for note in refused.value.notes)
    assert opened.predictions().empty


def test_texts_go_in_before_what_models_said_of_them_whatever_their_order(db: Database, tmp_path: Path) -> None:
    opened = db.project("Project")
    (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")
    line = json.dumps(
        {"id": "b", "model": "one", "label": "positive", "probabilities": {"positive": 0.9, "negative": 0.1}}
    )
    (tmp_path / "output.jsonl").write_text(line, encoding="utf-8")
    report = opened.import_([tmp_path / "output.jsonl", tmp_path / "rows.csv"])
    assert (report.n_new, report.n_sets, report.n_predictions) == (2, 3, 1)
    assert opened.predictions()["key"].tolist() == ["b"]


def test_several_paths_that_cannot_be_read_together_are_refused(opened: Project, outputs: list[Path]) -> None:
    for paths, sentence in (
        ([*outputs, outputs[0]], "is given twice. Remove one."),
        ([], "No files given. Name at least one."),
        ([3], "'path' must be a file or folder, as text or a Path, or several of them; this is of the type int: 3"),
        (b"x.csv", "this is of the type bytes: b'x.csv'"),
    ):
        with pytest.raises(InvalidValue, match=sentence):
            opened.import_(paths)  # type: ignore[arg-type]
    with pytest.raises(NotFound, match="No file or folder '"):
        opened.import_([*outputs, outputs[0].with_name("three.jsonl")])
    assert opened.predictions().empty


def test_a_project_goes_out_in_every_format(opened: Project, rows: Path, tmp_path: Path) -> None:
    opened.import_(rows)
    assert opened.export(tmp_path / "own.jsonl").n == 2
    assert opened.export(tmp_path / "gold", "eraser", split="train").n == 1
    with pytest.raises(InvalidValue, match=r"Unknown format 'xls'\. Available:"):
        opened.export(tmp_path / "x", "xls")
    with pytest.raises(InvalidValue, match=r"'half' must be one of both, originals, perturbed, not 'none'\."):
        opened.export(tmp_path / "x", half="none")
    with pytest.raises(InvalidValue, match=r"Unknown gold policy 'best'\. Available:"):
        opened.export(tmp_path / "x", gold_policy="best")
    with pytest.raises(
        InvalidValue, match=r"names=True is only for csv, prodigy, parquet, datasets, parquet-annotations\. Remove it\."
    ):
        opened.export(tmp_path / "x", "eraser", names=True)
    assert not (tmp_path / "x").exists()


def test_what_a_file_tells_of_annotators_stands_beside_their_annotations(opened: Project, tmp_path: Path) -> None:
    told = {"annotations": [{"annotator": "ada", "group": "G1"}]}
    row = {
        "id": "told",
        "text": "Fine.",
        "label": "positive",
        "annotator": "ada",
        "rationales": [[[0, 1]]],
        "metadata": told,
    }
    path = tmp_path / "told.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    opened.import_(path)
    table = opened.annotations()
    assert table[table["key"] == "told"]["facts"].tolist() == [{"group": "G1"}]
    assert table[table["key"] != "told"]["facts"].isna().all()


def test_dates_are_dates_in_utc(opened: Project, rows: Path) -> None:
    opened.import_(rows)
    dates = opened.annotations()["created_at"]
    assert str(dates.dt.tz) == "UTC"
    assert dates.notna().all()
    assert opened.annotations(split="")["created_at"].dtype == dates.dtype


class _Feature(SimpleNamespace):
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(args=args, **kwargs)


def test_gold_is_a_data_set_by_split(opened: Project, rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package itself is not needed here: what it is given is what it shows."""
    stand_in = SimpleNamespace(
        ClassLabel=_Feature, Value=_Feature, Sequence=_Feature, Features=dict, DatasetDict=dict,
        Dataset=SimpleNamespace(from_list=lambda rows, features: (rows, features)),
    )  # fmt: skip
    monkeypatch.setitem(__import__("sys").modules, "datasets", stand_in)
    monkeypatch.setattr(tables, "find_spec", lambda _: object())
    opened.import_(rows)
    made = opened.to_datasets()
    assert list(made) == ["train"]
    rows_of_train, features = made["train"]
    assert [(row["key"], row["text"], row["label"], row["sets"]) for row in rows_of_train] == [
        ("a", "Good food here .", "positive", [[0, 1]]),
        ("b", "Cold soup .", "negative", [[0], [1]]),  # of no split, as of train
    ]
    assert features["label"].names == ["negative", "positive"]
    assert rows_of_train[0].keys() == features.keys()
    json.dumps(rows_of_train)


@pytest.mark.skipif(find_spec("datasets") is None, reason="the package datasets is not here; it is no dependency")
def test_the_package_itself_takes_it(opened: Project, rows: Path) -> None:
    opened.import_(rows)
    data = opened.to_datasets()["train"]
    assert data["text"][:] == ["Good food here .", "Cold soup ."]
    assert data.features["label"].int2str(data["label"][:]) == ["positive", "negative"]
    assert data["sets"][:] == [[[0, 1]], [[0], [1]]]


def test_without_the_package_it_is_said_what_to_install(opened: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "find_spec", lambda _: None)
    with pytest.raises(NotFound, match="The package datasets is not installed here: pip install datasets"):
        opened.to_datasets()


def test_a_project_without_gold_is_no_data_set(opened: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "find_spec", lambda _: object())
    monkeypatch.setitem(
        __import__("sys").modules, "datasets",
        SimpleNamespace(ClassLabel=0, Value=0, Sequence=0, Features=0, DatasetDict=0, Dataset=0),
    )  # fmt: skip
    with pytest.raises(NotFound, match="No instance has gold here"):
        opened.to_datasets()
