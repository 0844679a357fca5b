"""`annotator.open`: a project as DataFrames and domain values, and model output back into it."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import annotator
from annotator.api import Database, Project
from annotator.domain.sufficient_sets import JudgedFamily, JudgedSet, SufficientSets
from annotator.errors import ImportRefused, InvalidValue, NotFound, StoreError
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.models import add_model, store_sufficient_sets

N = 10  # tokens of t1: The staff never smiled and the soup was cold .
SCORES = [float(n) for n in range(N)]
SETS = [[[2, 4]], [[5, 6], [8, 9]]]


@pytest.fixture
def db(database: Path, project: object, import_rows: Callable[..., object]) -> Iterator[Database]:
    rows = [{"id": "g", "text": "Dull plot, dull end .", "label": "negative", "split": "test", "rationales": [[[0, 2]], [[3, 4], [4, 5]]],
             "annotator": "ann", "note": "easy"}]  # fmt: skip
    import_rows(project, rows)
    with annotator.open(database) as opened:
        yield opened


@pytest.fixture
def opened(db: Database) -> Project:
    return db.project("Project")


def test_a_database_opens_by_path_and_closes(db: Database, database: Path) -> None:
    assert [one.name for one in db.projects()] == ["Project"]
    with pytest.raises(NotFound, match=r"Unknown project 'Q'\. Available:"):
        db.project("Q")
    project = db.project("Project")
    rows = project.iterate_instances()
    db.close()
    db.close()
    for use in (db.projects, project.gold, lambda: next(rows), lambda: project.add_predictions([])):
        with pytest.raises(InvalidValue, match="The database is closed"):
            use()
    with pytest.raises(StoreError, match="There is no database at"):
        annotator.open(str(database) + "x")


def test_a_database_and_a_project_are_made_when_one_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with pytest.raises(StoreError, match="There is no database at"):
        annotator.open(path)
    with annotator.open(path, create=True) as made:
        assert made.create_project("Pairs", "similarity", labels=["different", "same"]).rules.labels == (
            "different",
            "same",
        )
        with pytest.raises(InvalidValue, match=r"'Pairs' already exists\. Choose another name\."):
            made.create_project("Pairs", "similarity")
        with pytest.raises(InvalidValue, match=r"Unknown task 'moods'\. Choose"):
            made.create_project("Moods", "moods")
    with annotator.open(path, create=True) as again:
        assert [project.name for project in again.projects()] == ["Pairs"]


def test_gold_has_tokens_and_sets_as_token_indices(opened: Project) -> None:
    [row] = opened.gold().to_dict("records")
    assert row["tokens"] == ["Dull", "plot", ",", "dull", "end", "."]
    assert (row["key"], row["split"], row["label"]) == ("g", "test", "negative")
    assert row["sets"] == [[0, 1], [3, 4]]
    assert (row["n_selectable"], row["segments"]) == (6, {"text": (0, 6)})
    assert opened.gold().explode("sets")["sets"].tolist() == [[0, 1], [3, 4]]
    assert opened.gold("union")["sets"].tolist() == [[[0, 1, 3, 4]]]
    with pytest.raises(InvalidValue, match=r"Unknown gold policy 'best'\. Available:"):
        opened.gold("best")


def test_instances_and_annotations_are_tables(opened: Project) -> None:
    instances = opened.instances()
    assert instances["key"].tolist() == ["t1", "t2", "t3", "t4", "g"]
    assert instances["texts"][0] == {"text": "The staff never smiled and the soup was cold."}
    assert len(instances["tokens"][0]) == N
    assert instances["state"].tolist() == ["open"] * 4 + ["complete"]
    [annotation] = opened.annotations().to_dict("records")
    assert (annotation["annotator"], annotation["round"], annotation["state"]) == ("ann", 1, "accepted")
    assert (annotation["sets"], annotation["note"]) == ([[0, 1], [3, 4]], "easy")
    assert annotation["help"] == [None, None]  # it was not handed in here


def test_tokens_of_all_segments_stand_in_the_order_of_their_indices(
    db: Database, make_project: Callable[..., object], import_rows: Callable[..., object]
) -> None:
    reading = make_project("reading", "Reading")
    import_rows(
        reading,
        [
            {
                "id": "r",
                "passage": "He left in May .",
                "question": "When ?",
                "answer": "May",
                "rationales": [[{"segment": "passage", "start_token": 3, "end_token": 4}]],
            }
        ],
    )
    [row] = db.project("Reading").gold().to_dict("records")
    assert row["answer"] == "May"
    assert [row["tokens"][i] for i in row["sets"][0]] == ["May"]
    first, end = row["segments"]["question"]
    assert row["tokens"][first:end] == ["When", "?"]
    assert row["n_selectable"] == first


def test_an_empty_project_gives_empty_tables_with_all_columns(
    db: Database, make_project: Callable[..., object]
) -> None:
    make_project(name="Empty")
    empty = db.project("Empty")
    for table in (empty.instances(), empty.gold(), empty.annotations(), empty.predictions(), empty.attributions()):
        assert table.empty
        assert {"key", "split"} <= set(table.columns)


def test_models_own_sets_are_a_row_each_beside_peoples(opened: Project, store: Store) -> None:
    own = JudgedFamily((JudgedSet((3, 4), 0.8, 0.4, 0.3),), 0.3)
    people = JudgedFamily((JudgedSet((0,), 0.2, 0.2, 0.9),), 0.9)
    [number] = find_instance_ids(store, opened.id, "t1")
    with store.transaction():
        sets = SufficientSets("positive", 0.5, 0.9, 0.2, own=own, people=people)
        store_sufficient_sets(store, add_model(store, opened.id, "tiny"), '{"removal":"delete"}', {number: sets})
    table = opened.sufficient_sets("tiny")
    assert table[["key", "side", "tokens", "sufficient", "comprehensive"]].values.tolist() == [
        ["t1", "model", [3, 4], True, True],
        ["t1", "people", [0], False, False],
    ]
    assert table["compact"].tolist() == [True, None]
    assert opened.sufficient_sets("another").empty


def test_predictions_go_in_as_rows_and_come_out(opened: Project) -> None:
    report = opened.add_predictions(
        [{"id": "t1", "probabilities": {"negative": 0.75, "positive": 0.25}}, {"key": "t2", "label": "positive"}],
        model="tiny", seed=3,
    )  # fmt: skip
    assert (report.n_new, report.n_problems) == (2, 0)
    table = opened.predictions("tiny")
    assert table[["key", "seed", "on", "label"]].values.tolist() == [
        ["t1", 3, "full", "negative"], ["t2", 3, "full", "positive"],
    ]  # fmt: skip
    assert table["probabilities"][0] == {"negative": 0.75, "positive": 0.25}
    assert opened.add_predictions(table).n_unchanged == 2
    with pytest.raises(NotFound, match=r"No 'huge' in project 'Project' \(only 'tiny'\)\."):
        opened.predictions("huge")


def test_the_table_of_predict_proba_goes_in_with_its_keys_as_index_and_its_labels_as_columns(opened: Project) -> None:
    keys = opened.instances()["key"].tolist()
    given = pd.DataFrame([[0.2, 0.8]] * len(keys), index=pd.Index(keys, name="key"), columns=["positive", "negative"])
    assert opened.add_predictions(given, model="proba").n_new == len(keys)
    first = opened.predictions("proba").iloc[0]
    assert (first["key"], first["label"], first["probabilities"]) == (
        keys[0],
        "negative",
        {"positive": 0.2, "negative": 0.8},
    )


def test_predictions_are_those_to_the_full_input_unless_one_asks_for_others(opened: Project) -> None:
    rows = [{"key": "t1", "label": label, "on": on} for label, on in (("negative", "full"), ("positive", "rationale"))]
    opened.add_predictions(rows, model="tiny")
    assert opened.predictions()["label"].tolist() == ["negative"]
    assert opened.predictions(on="rationale")["label"].tolist() == ["positive"]
    assert opened.predictions(on="rest").empty
    assert opened.predictions(on=None)["on"].tolist() == ["full", "rationale"]
    with pytest.raises(
        InvalidValue, match="'on' must be one of full, rationale, rest, or None for all of them; it is 'all'"
    ):
        opened.predictions(on="all")


def test_probabilities_of_some_of_the_labels_go_in_with_y_pred(tmp_path: Path) -> None:
    with annotator.open(tmp_path / "four.db", create=True) as database:
        four = database.create_project("Four", "sentiment", labels=["a", "b", "c", "d"])
        path = tmp_path / "texts.jsonl"
        path.write_text('{"id": "x", "text": "Good soup.", "label": "a"}\n', encoding="utf-8")
        four.import_(path)
        proba = pd.DataFrame({"key": ["x"], "a": [0.25], "b": [0.75], "y_pred": ["b"]})
        assert four.add_predictions(proba, model="both").n_new == 1
        assert four.add_predictions(proba[["key", "y_pred"]], model="label").n_new == 1
        both, label = (four.predictions(model).to_dict("records")[0] for model in ("both", "label"))
    assert (both["label"], both["probabilities"], label["label"]) == ("b", {"a": 0.25, "b": 0.75}, "b")


def test_columns_that_are_called_p_and_a_label_are_probabilities(opened: Project) -> None:
    given = pd.DataFrame(
        {"key": ["t1", "t2"], "p_positive": [0.2, None], "p_negative": [0.8, None], "y_pred": ["negative"] * 2}
    )
    assert opened.add_predictions(given, model="p").n_new == 2
    probabilities = opened.predictions("p")["probabilities"].tolist()
    assert probabilities == [{"positive": 0.2, "negative": 0.8}, None]
    assert opened.add_predictions(given.drop(columns="y_pred")[:1], model="q").n_new == 1
    assert opened.predictions("q")["label"].tolist() == ["negative"]
    one = opened.add_predictions(
        given.drop(columns="p_negative"), model="one"
    )  # of two labels the second's, as from sklearn
    assert (one.n_new, one.n_warnings) == (2, 0)
    other = opened.add_predictions(
        pd.DataFrame({"key": ["t1"], "p_value": [0.1], "label": ["positive"]}), model="other"
    )
    assert [problem.value for problem in other.warnings] == ['["p_value"]']  # no probability: named and left out


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (("p_positive", "p_neg"), "of no label of the project: 'p_neg' .it has 'negative', 'positive'.. Rename them"),
        (("p_positive", "p_negative", "p_value"), "of no label of the project: 'p_value'"),
        (
            ("p_positive", "p_negative", "positive", "negative"),
            "columns called as labels as well .'positive', 'negative'.",
        ),
        (("p_positive",), "'p_positive' alone does not say what is predicted. Add the other labels' .'p_negative'."),
    ],
)
def test_columns_of_probabilities_that_may_be_meant_otherwise_are_refused(
    opened: Project, columns: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(InvalidValue, match=sentence):
        opened.add_predictions(pd.DataFrame({"key": ["t1"], **{name: [0.5] for name in columns}}), model="p")
    assert opened.predictions().empty


def test_where_all_rows_are_bad_leaving_them_out_is_not_proposed(opened: Project) -> None:
    with pytest.raises(ImportRefused, match=r"problem; no usable rows\. Nothing was stored\.") as refused:
        opened.add_predictions([{"key": "t1"}], model="m", skip_invalid=True)
    assert "skip_invalid" not in str(refused.value)


def test_attributions_go_in_as_a_frame_of_arrays_and_come_out_equal(opened: Project) -> None:
    scores = np.linspace(-1, 1, N, dtype=np.float32)
    frame = pd.DataFrame(
        {"key": ["t1", "t1"], "scores": [scores, -scores], "layer": [0, np.nan], "target": ["negative"] * 2}
    )
    report = opened.add_attributions(frame, model="tiny", method="ig", params={"steps": 50})
    assert report.n_new == 2
    table = opened.attributions("tiny", "ig").sort_values("layer")
    assert table["layer"].tolist() == [0, pd.NA]
    assert table["scores"].tolist() == [scores.tolist(), (-scores).tolist()]
    assert table["params"].tolist() == [{"steps": 50}] * 2
    assert opened.add_attributions(table).n_unchanged == 2
    assert opened.attributions(method="ig", split="test").empty


def test_a_split_that_is_not_there_is_refused_by_all_that_reads(opened: Project) -> None:
    readers = (
        opened.instances,
        opened.gold,
        opened.annotations,
        opened.predictions,
        opened.attributions,
        opened.rationales,
    )
    for reader in readers:
        with pytest.raises(InvalidValue, match="No split 'tset' in"):
            reader(split="tset")
    assert sorted(opened.instances(split="")["key"]) == ["t1", "t2", "t3", "t4"]
    assert opened.gold(split="").empty


def test_subwords_are_merged_as_asked(opened: Project) -> None:
    subwords = ["[CLS]", "The", "st", "##aff", "never", "smiled", "and", "the", "soup", "was", "cold", ".", "[SEP]"]
    row = {"id": "t1", "tokens": subwords, "scores": [9.0, *[1.0] * 11, 9.0]}
    opened.add_attributions([row], model="bert", method="ig")
    opened.add_attributions([row], model="bert", method="ig mean", merge="mean")
    of_staff = {row["method"]: row["scores"][1] for row in opened.attributions().to_dict("records")}
    assert of_staff == {"ig": 2.0, "ig mean": 1.0}


def test_rationales_go_in_and_come_out(opened: Project) -> None:
    row = {"id": "t1", "rationale": {"kind": "hard", "parts": [{"spans": [[0, 2]]}]}}
    opened.add_attributions([row], model="rules", method="list")
    [found] = opened.rationales("rules").to_dict("records")
    assert (found["kind"], found["spans"], found["quotes"]) == ("hard", ((0, 2),), None)


def test_rationales_that_were_quoted_tell_which_quotes_are_not_in_the_text(opened: Project) -> None:
    quotes = {"n": 2, "n_missing": 1, "missing": ("nowhere",)}
    row = {"id": "t1", "rationale": {"kind": "hard", "parts": [{"spans": [[0, 2]]}], "quotes": quotes}}
    opened.add_attributions([row], model="gpt", method="quotes")
    assert opened.rationales()["quotes"].tolist() == [{**quotes, "n_sets": 0, "sets": ()}]


def test_what_a_model_did_not_see_is_nan_and_goes_back_as_partial(opened: Project) -> None:
    opened.add_attributions([{"id": "t1", "scores": SCORES[:4], "partial": True}], model="short", method="ig")
    table = opened.attributions()
    assert table["scores"][0][:4] == SCORES[:4]
    assert all(map(math.isnan, table["scores"][0][4:]))
    assert opened.add_attributions(table).n_unchanged == 1


def test_scores_that_are_no_numbers_are_refused_with_row_field_and_value_and_nothing_is_stored(opened: Project) -> None:
    rows = [
        {"id": "t1", "scores": SCORES},
        {"id": "t2", "scores": [0.5, math.nan]},
        {"id": "t3", "scores": np.array([math.inf] * 3)},
        {"id": "nowhere", "scores": [0.0]},
        {"id": "t4", "scores": [1.0]},
    ]
    with pytest.raises(ImportRefused) as refused:
        opened.add_attributions(rows, model="m", method="x")
    places = {(problem.source, problem.line, problem.field): problem.value for problem in refused.value.problems}
    assert places["rows", 2, "scores[1]"] == "NaN"
    assert places["rows", 3, "scores[0]"] == "Infinity"
    assert {("rows", 4, "id"), ("rows", 5, "scores")} <= places.keys()
    assert "rows, line 2, field scores[1]" in str(refused.value)
    assert opened.attributions().empty
    report = opened.add_attributions(rows, model="m", method="x", skip_invalid=True)
    assert (report.n_new, report.n_problems) == (1, 4)


def test_an_attribution_of_nan_alone_is_no_partial_one(opened: Project) -> None:
    with pytest.raises(ImportRefused, match="field scores.0., value 'NaN'"):
        opened.add_attributions([{"id": "t1", "scores": [math.nan] * N}], model="m", method="x")


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("t1", "Row 1 must be a mapping, not"),
        ({"id": "t1", "key": "t2", "label": "negative"}, r"Row 1 has both key and id\. Keep one\."),
        ({"id": "t1", "params": {"model": object()}, "label": "negative"}, "Can't write row 1 as JSON:"),
    ],
)
def test_a_row_that_is_none_is_refused(opened: Project, row: object, sentence: str) -> None:
    with pytest.raises(InvalidValue, match=sentence):
        opened.add_predictions([row], model="m")


def test_a_dry_run_stores_nothing_and_other_values_need_update(opened: Project) -> None:
    rows = [{"id": "t1", "scores": SCORES}]
    assert opened.add_attributions(rows, model="m", method="x", dry_run=True).n_new == 1
    assert opened.attributions().empty
    opened.add_attributions(rows, model="m", method="x")
    changed = [{"id": "t1", "scores": SCORES[::-1]}]
    with pytest.raises(ImportRefused, match=r"1 problem; nothing was stored\."):
        opened.add_attributions(changed, model="m", method="x")
    assert opened.add_attributions(changed, model="m", method="x", update=True).n_updated == 1


def test_one_may_write_while_one_iterates(opened: Project) -> None:
    for instance in opened.iterate_instances():
        opened.add_predictions([{"id": instance.key, "label": "negative"}], model="m")
    assert len(opened.predictions()) == 5


def test_values_of_the_domain_are_what_tables_are_made_of(opened: Project) -> None:
    opened.add_predictions([{"id": "t1", "label": "negative"}], model="m")
    assert [gold.instance.key for gold in opened.iterate_gold()] == ["g"]
    assert [len(made) for _, made in opened.iterate_annotations()] == [0, 0, 0, 0, 1]
    [output] = opened.iterate_outputs("m")
    assert (output.key, output.output.predictions[0].result) == ("t1", "negative")


def test_numbers_are_those_of_the_command(opened: Project) -> None:
    opened.add_attributions([{"key": "g", "scores": [1, 1, 0, 0, 0, 0]}], model="m", method="x")
    numbers = opened.evaluate("m")
    [method] = numbers["models"][0]["methods"]
    # The top k = ceil(4/6 × 6) = 4 tokens are 0 to 3; the best set is {0, 1}: precision 2/4, recall 1.
    assert method["plausibility"]["sets.best_f1"]["value"] == pytest.approx(2 / 3)
    assert opened.measure() == 1
    with pytest.raises(InvalidValue, match=r"Unknown gold policy 'best'\. Available:"):
        opened.evaluate(gold_policy="best")
    with pytest.raises(InvalidValue, match="'explained' must be one of"):
        opened.evaluate(explained="all")


def test_a_project_is_known_by_its_number_when_it_was_renamed(opened: Project, store: object) -> None:
    with store.transaction():
        store.run("UPDATE projects SET name = 'New' WHERE id = ?", (opened.id,))
    assert opened.rules.name == "New"
    assert len(opened.instances()) == 5


# A table without a row has the types of one with rows, so that two can be put together.


def test_counts_are_whole_numbers_and_dates_are_dates_where_there_is_no_row(tmp_path: Path) -> None:
    with annotator.open(tmp_path / "a.db", create=True) as database:
        project = database.create_project("Films", "sentiment", labels=["negative", "positive"])
        types = {"suites": project.suites().dtypes, "lists": project.lists().dtypes}
        pairs = project.agreement(pairs=True).dtypes
    assert types["suites"][["n_cases", "n_texts"]].astype(str).tolist() == ["Int64", "Int64"]
    assert str(types["lists"]["n"]) == "Int64"
    assert str(pairs["n_instances"]) == "Int64"
    assert {str(types[name]["created_at"]) for name in types} == {"datetime64[us, UTC]"}
