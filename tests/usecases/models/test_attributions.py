"""Computing answers, attributions and faithfulness runs of a project: what is stored, resumed, left out and refused."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.domain.models import Output
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError, NotAllowed
from annotator.store import Store
from annotator.store.models import iterate_outputs, list_runs
from annotator.store.trained_models import find_training
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.models import attributions, project_model
from annotator.usecases.models.attributions import (
    AttributingOptions,
    AttributingReport,
    attribute,
    choosable_labels,
    left_out_summary,
)
from annotator.usecases.models.built_in_model import built_in_model, record_training
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.upkeep import check
from tests.attribution_inputs import Scripted, weighing
from tests.conftest import REPOSITORY
from tests.older_model import save_as_before

ROWS = [
    {"id": f"{label}-{number}", "text": text, "label": label, "annotator": "source", "rationales": [[[1, 2]]]}
    for label, texts in {
        "positive": ("a good book", "the good food was kind", "so good to see", "one good cat"),
        "negative": ("a bad book", "the bad food was cold", "so bad to see", "one bad cat"),
    }.items()
    for number, text in enumerate(texts)
]


@pytest.fixture
def tastes(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Eight texts with a label and one gold token each, of 3 to 5 tokens."""
    made = make_project(name="Tastes")
    import_rows(made, ROWS)
    return made


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    """A scripted model in the place of what would be loaded."""

    def use(model: Scripted, labels: tuple[str, str] = ("negative", "positive")) -> Scripted:
        model.labels = labels
        monkeypatch.setattr(project_model, "load_predictor", lambda *_: model)
        return model

    return use


def run(
    store: Store, project: Project, method: str = "linear", model: str = "built-in", **options: object
) -> AttributingReport:
    return attribute(store, LOCAL_OPERATOR, project, model, method, AttributingOptions(**options))  # type: ignore[arg-type]


def outputs(store: Store, project: Project, method: str, seed: int | None = None) -> list[Output]:
    found = [one for one in list_runs(store, project.id, method=method) if one.run.seed == seed]
    return list(iterate_outputs(store, found[0].id)) if found else []


def everything(path: Path) -> list[tuple[object, ...]]:
    """All that models say, without numbers of runs."""
    connection = sqlite3.connect(path)
    try:
        return [
            row
            for table, columns in (
                ("predictions", "input, threshold, result, probabilities"),
                ("attributions", "label, layer, scores, convergence"),
                ("machine_rationales", "kind, tokens"),
            )
            for row in connection.execute(
                f"""SELECT '{table}', method, parameters, seed, instance_id, {columns} FROM {table}
                    JOIN runs ON runs.id = run_id ORDER BY method, parameters, seed, instance_id, 6, 7"""
            )
        ]
    finally:
        connection.close()


class Limited(Scripted):
    """A model that does not take texts of any length."""

    too_long = "cut"
    query_first = False


@pytest.mark.parametrize("method", ["occlusion", "lime", "gold"])
def test_runs_that_read_the_query_first_are_other_runs(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], method: str
) -> None:
    for query_first in (False, True):
        model = Limited(lambda _: 0.0)
        model.query_first = query_first
        scripted(model)
        assert run(store, tastes, method, "spacy:x").n_known == 0
    stored = [json.loads(of.run.parameters) for of in list_runs(store, tastes.id, method=method)]
    assert sorted(of.get("query_first", False) for of in stored) == [False, True]


@pytest.mark.parametrize("method", ["occlusion", "lime", "gold"])
def test_runs_say_how_texts_that_are_too_long_are_treated_and_other_ways_are_other_runs(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], method: str
) -> None:
    model = Limited(lambda _: 1.0)
    scripted(model)
    for treated in ("cut", "windows", "cut"):
        model.too_long = treated
        run(store, tastes, method, "transformers:x")
    stored = [json.loads(of.run.parameters)["too_long"] for of in list_runs(store, tastes.id, method=method)]
    assert sorted(stored) == ["cut", "windows"]


@pytest.mark.parametrize("method", ["occlusion", "lime", "gold"])
def test_a_run_from_before_that_was_said_is_gone_on_with_and_so_are_its_seeds(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], method: str
) -> None:
    scripted(Scripted(lambda _: 1.0))
    run(store, tastes, method, "transformers:x")
    (before,) = list_runs(store, tastes.id, method=method)
    assert "too_long" not in before.run.parameters
    scripted(Limited(lambda _: 1.0))
    assert run(store, tastes, method, "transformers:x").n_known == 8
    if method == "lime":
        run(store, tastes, method, "transformers:x", seeds=(0, 1))
    assert {of.run.parameters for of in list_runs(store, tastes.id, method=method)} == {before.run.parameters}


# What is computed and stored -----------------------------------------------------------------------------------------


def test_answers_and_attributions_are_stored_and_scored(store: Store, tastes: Project) -> None:
    report = run(store, tastes)
    assert (report.n_answers, report.n_attributions, report.n_known, report.n_left_out) == (8, 8, 0, 0)
    numbers = evaluate_project(store, LOCAL_OPERATOR, tastes)["models"][0]  # type: ignore[index]
    assert numbers["quality"]["eraser.accuracy"]["value"] == 1.0
    method = numbers["methods"][0]
    assert (method["method"], method["kind"]) == ("linear", "attribution")
    assert method["plausibility"]["editing.mrr"]["value"] == 1.0  # "good" and "bad" count most
    assert check(store) == []


def test_the_predicted_labels_attribution_is_stored_unless_another_is_asked_for(store: Store, tastes: Project) -> None:
    run(store, tastes)
    assert {a.label for output in outputs(store, tastes, "linear") for a in output.attributions} == {
        "negative",
        "positive",
    }
    assert all(len(output.attributions) == 1 for output in outputs(store, tastes, "linear"))
    report = run(store, tastes, label="all")
    assert report.n_attributions == 8
    assert all(len(output.attributions) == 2 for output in outputs(store, tastes, "linear"))
    assert run(store, tastes, label="positive").n_attributions == 0
    assert run(store, tastes, label="gold").n_attributions == 0


def test_instances_without_a_gold_label_have_no_attribution_for_it(
    store: Store, tastes: Project, import_rows: Callable[..., object]
) -> None:
    import_rows(tastes, [{"id": "unknown", "text": "a good cat"}])
    report = run(store, tastes, label="gold")
    assert (report.n_answers, report.n_attributions, report.n_without_label) == (9, 8, 1)


def test_a_label_that_annotators_gave_is_gold_too(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(name="Given", result_mode="give")
    rows = [{name: value for name, value in row.items() if name != "label"} for row in ROWS]
    import_rows(made, [{**row, "annotator_label": given["label"]} for row, given in zip(rows, ROWS, strict=True)])
    report = run(store, made, label="gold")
    assert (report.n_attributions, report.n_without_label) == (8, 0)
    assert "positive 4" in report.notes[0]


def test_seeds_are_runs_of_one_group(store: Store, tastes: Project) -> None:
    report = run(store, tastes, "lime", seeds=(1, 2), parameters={"samples": 20})
    assert report.n_attributions == 16
    assert report.facts["spread"] > 0
    assert 0 < report.facts["r2"] <= 1
    assert [one.run.seed for one in list_runs(store, tastes.id, method="lime")] == [1, 2]
    assert len({one.run.group for one in list_runs(store, tastes.id, method="lime")}) == 1
    assert outputs(store, tastes, "lime", 1) != outputs(store, tastes, "lime", 2)


def test_what_a_method_says_of_its_scores_is_stored_with_each_attribution(store: Store, tastes: Project) -> None:
    report = run(store, tastes, "lime", seeds=(1,), parameters={"samples": 20})
    each = [dict(a.facts) for output in outputs(store, tastes, "lime", 1) for a in output.attributions]
    assert sum(facts["r2"] for facts in each) / len(each) == pytest.approx(report.facts["r2"], rel=1e-5)
    assert len({facts["r2"] for facts in each}) > 1  # each text's own, and not the mean
    run(store, tastes, label="all")
    for output in outputs(store, tastes, "linear"):
        for a in output.attributions:  # the scores and the base are the logit (attribution/removal_methods.py)
            facts = dict(a.facts)
            assert sum(a.scores) + facts["base"] == pytest.approx(facts["logit"], abs=1e-4)


def test_random_has_ten_seeds(store: Store, tastes: Project) -> None:
    assert run(store, tastes, "random").n_attributions == 80
    numbers = evaluate_project(store, LOCAL_OPERATOR, tastes, method="random")["models"][0]  # type: ignore[index]
    assert numbers["methods"][0]["plausibility"]["editing.mrr"]["n_seeds"] == 10


def test_a_run_says_its_parameters_unit_and_sign(store: Store, tastes: Project) -> None:
    run(store, tastes, "occlusion", parameters={"output": "probability"})
    (one,) = list_runs(store, tastes.id, method="occlusion")
    assert one.run.parameters == '{"output": "probability", "removal": "delete"}'
    assert (one.run.unit, one.run.is_signed) == ("probability", True)


def test_one_split_alone_is_computed(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    import_rows(tastes, [{"id": "t", "text": "a test", "label": "positive"}], split="test")
    scripted(weighing({}))
    report = run(store, tastes, "occlusion", "spacy:x", split="test")
    assert (report.n_instances, report.n_attributions) == (1, 1)
    with pytest.raises(InvalidValue, match=r"Available: 'test'\."):
        run(store, tastes, "occlusion", "spacy:x", split="dev")


# Faithfulness --------------------------------------------------------------------------------------------------------


def test_faithfulness_asks_about_the_methods_own_rationale_and_five_shares(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    """Gold marks one token of 3 or 5: the mean RLR is (6/3 + 2/5) / 8 = 0.3, so k = ceil(0.3 n) = 1 of 3, 2 of 5."""
    model = scripted(weighing({"good": 2.0, "bad": -2.0}))
    report = run(store, tastes, "occlusion", "spacy:x", has_faithfulness=True)
    assert report.n_reduced == 8 * 6
    first, second = outputs(store, tastes, "occlusion")[:2]
    assert first.rationales[0].spans == ((1, 2),)
    assert second.rationales[0].spans == ((0, 2),)  # "good", and the first of the tokens that count nothing
    by_place = {(p.on, p.threshold): p.probabilities["positive"] for p in first.predictions}
    assert set(by_place) == {(on, t) for on in ("rationale", "rest") for t in (None, 0.01, 0.05, 0.1, 0.2, 0.5)}
    alone = float(model.probabilities([_text("good")])[0, 1])
    assert by_place["rationale", None] == pytest.approx(alone)
    assert by_place["rest", None] == pytest.approx(0.5)
    assert by_place["rationale", 0.01] == pytest.approx(alone)  # ceil(0.01 × 3) = 1


def _text(text: str) -> Input:
    from tests.attribution_inputs import words

    return words(text)


def test_equal_reduced_inputs_are_asked_about_once(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    model = scripted(weighing({"good": 2.0}))
    run(store, tastes, "random", "spacy:x", seeds=(0,))
    asked = model.n_asked
    run(store, tastes, "random", "spacy:x", seeds=(0,), has_faithfulness=True)
    # Of 3 tokens shares 0.01 to 0.2 and k select 1 and 0.5 selects 2; of 5 tokens 1 (0.01 to 0.2), k = 2, and 3 (0.5).
    assert model.n_asked - asked == 2 * (6 * 2 + 2 * 3)


def test_own_rationales_are_asked_about_again_when_the_gold_has_changed(
    store: Store, tastes: Project, import_rows: Callable[..., object]
) -> None:
    run(store, tastes, has_faithfulness=True)
    assert run(store, tastes, has_faithfulness=True).n_reduced == 0
    more = [{**row, "rationales": [[[0, 3]]]} for row in ROWS]
    import_rows(tastes, more, update=True)
    report = run(store, tastes, has_faithfulness=True)
    assert report.n_reduced == 8
    assert all(len(output.rationales) == 1 for output in outputs(store, tastes, "linear"))


def test_without_gold_rationales_only_shares_are_asked_about(
    store: Store, project: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted(weighing({"soup": -1.0}))
    report = run(store, project, "occlusion", "spacy:x", has_faithfulness=True)
    assert report.n_reduced == 4 * 5
    assert "State k with --ratio" in report.notes[0]
    assert run(store, project, "occlusion", "spacy:x", has_faithfulness=True, ratio=0.5).n_reduced == 4
    assert len(outputs(store, project, "occlusion")[0].rationales[0].spans) > 0
    with pytest.raises(InvalidValue, match="no gold rationales yet"):
        run(store, project, "gold", "spacy:x")


def test_gold_is_a_method_like_any_other(store: Store, tastes: Project, scripted: Callable[..., Scripted]) -> None:
    scripted(weighing({"good": 2.0, "bad": -2.0}))
    assert run(store, tastes, "gold", "spacy:x").n_reduced == 8
    row = evaluate_project(store, LOCAL_OPERATOR, tastes)["models"][0]["methods"][0]  # type: ignore[index]
    assert row["faithfulness"]["method.quality_rationale"]["value"] == 1.0
    assert row["faithfulness"]["method.quality_rest"]["value"] == 0.5  # nothing is left: always the first label
    assert run(store, tastes, "gold", "spacy:x").n_known == 8


# Again and after a stop ----------------------------------------------------------------------------------------------


def test_what_is_stored_is_not_computed_again(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], import_rows: Callable[..., object]
) -> None:
    model = scripted(weighing({"good": 2.0}))
    run(store, tastes, "occlusion", "spacy:x", has_faithfulness=True)
    asked = model.n_asked
    report = run(store, tastes, "occlusion", "spacy:x", has_faithfulness=True)
    assert (report.n_known, model.n_asked) == (8, asked)
    import_rows(tastes, [{"id": "new", "text": "one more", "label": "positive"}])
    report = run(store, tastes, "occlusion", "spacy:x", has_faithfulness=True)
    assert (report.n_known, report.n_answers, report.n_attributions) == (8, 1, 1)


def test_again_takes_out_what_is_stored_of_the_model_alone(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    run(store, tastes)
    scripted(weighing({"good": 2.0}))
    run(store, tastes, "occlusion", "spacy:x")
    report = run(store, tastes, "random", "spacy:x", seeds=(0,), is_anew=True)
    assert (report.n_answers, outputs(store, tastes, "occlusion")) == (8, [])
    assert len(outputs(store, tastes, "linear")) == 8


def test_a_crash_in_the_middle_keeps_what_is_done_and_the_next_run_goes_on(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    n = 0

    def breaks(one: Input) -> float:
        nonlocal n
        n += 1
        if n > 10:
            raise RuntimeError("a defect")
        return 0.0

    scripted(Scripted(breaks))
    with pytest.raises(RuntimeError):
        run(store, tastes, "occlusion", "spacy:x", batch_size=1)
    done = len(outputs(store, tastes, "occlusion"))
    assert 0 < done < 8
    scripted(Scripted(lambda _: 0.0))
    assert run(store, tastes, "occlusion", "spacy:x").n_attributions == 8 - done


def test_after_kill_9_the_same_command_goes_on_and_ends_as_if_nothing_had_been(
    store: Store, database: Path, tastes: Project, import_rows: Callable[..., object], tmp_path: Path
) -> None:
    import_rows(tastes, [{"id": f"n{n}", "text": f"a good thing and a bad one , number {n}"} for n in range(12)])
    store.checkpoint()
    killed = tmp_path / "killed.db"
    shutil.copy(database, killed)
    options = {"seeds": (0,), "parameters": {"samples": 1500}, "has_faithfulness": True, "batch_size": 1}
    process = subprocess.Popen(
        [sys.executable, "-m", "annotator.cli.main", "--db", str(killed), "attribute", "--project", "Tastes", "--model",
         "built-in", "--method", "lime", "--samples", "1500", "--faithfulness", "--batch-size", "1"],
        cwd=REPOSITORY, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    _wait_for_attributions(killed, 3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with attributing_store(killed) as stopped:
        done = len(outputs(stopped, tastes, "lime", 0))
        assert 3 <= done < 20
        report = run(stopped, tastes, "lime", **options)
        assert (report.n_attributions, report.n_answers) == (20 - done, 20 - done)
    run(store, tastes, "lime", **options)
    assert everything(killed) == everything(database)


def attributing_store(path: Path) -> Store:
    from annotator.store import open_store

    return open_store(path)


def _wait_for_attributions(path: Path, n: int) -> None:
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        connection = sqlite3.connect(path)
        found = connection.execute("SELECT count(*) FROM attributions").fetchone()[0]
        connection.close()
        if found >= n:
            return
        time.sleep(0.01)
    pytest.fail("no attributions within a minute")


# Instances for which a model fails -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["occlusion", "lime", "shap-partition"])
@pytest.mark.parametrize("least", [0, 4])
def test_an_instance_for_which_the_model_fails_is_left_out_and_the_others_are_computed(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], method: str, least: int
) -> None:
    """least: 4 where only what is left of the text is refused, which is asked about together with that of the others."""

    def refuses(one: Input) -> float:
        tokens = one.segments[0].tokens
        if "kind" in tokens and (least == 0 or len(tokens) <= least):
            raise ModelError("Too long for the model: it did not see")
        return 0.0

    scripted(Scripted(refuses))
    report = run(store, tastes, method, "spacy:x", has_faithfulness=method == "occlusion")
    assert report.left_out == [("positive-1", "Too long for the model: it did not see")]
    assert (report.n_left_out, report.n_attributions) == (1, 7)


def test_texts_that_are_left_out_are_counted_by_reason_and_long_ones_say_nothing_against_the_model(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(one: Input) -> float:
        if "good" in one.segments[0].tokens:
            raise ModelError("It has 9 pieces, and the model sees 3.", reason="longer than the model sees")
        if "cold" in one.segments[0].tokens:
            raise ModelError("Broken.")
        return 0.0

    monkeypatch.setattr(attributions, "_GIVE_UP_AFTER", 3)  # the four positive texts come one after another
    scripted(Scripted(refuses))
    report = run(store, tastes, "occlusion", "spacy:x")
    assert (report.n_attributions, report.n_left_out) == (3, 5)
    assert report.reasons == {"longer than the model sees": 4, "on which the model failed": 1}
    assert left_out_summary(report) == (
        "5 of 8 texts were left out: 4 longer than the model sees, 1 on which the model failed."
    )
    scripted(Scripted(lambda _: 0.0))
    assert left_out_summary(run(store, tastes, "occlusion", "spacy:x")) == ""


def test_memory_that_is_too_small_for_one_text_is_said_and_the_rest_goes_on(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    def eats(one: Input) -> float:
        if "kind" in one.segments[0].tokens:
            raise MemoryError
        return 0.0

    scripted(Scripted(eats))
    report = run(store, tastes, "occlusion", "spacy:x")
    assert report.n_attributions == 7
    assert "memory of the machine is too small for this text" in report.left_out[0][1]


def test_a_model_that_always_fails_is_an_error(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(_: Input) -> float:
        raise ModelError("It is broken.")

    scripted(Scripted(refuses))
    with pytest.raises(ModelError, match="Nothing could be computed: It is broken."):
        run(store, tastes, "occlusion", "spacy:x")
    monkeypatch.setattr(attributions, "_GIVE_UP_AFTER", 3)
    with pytest.raises(ModelError, match="failed for 3 instances one after another, the last 'positive-2'.*goes on"):
        run(store, tastes, "occlusion", "spacy:x")


def test_empty_one_token_and_all_equal_texts_are_computed(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    import_rows(tastes, [{"id": "one", "text": "Good", "label": "positive"}, {"id": "same", "text": "x x x x"}])
    scripted(Scripted(lambda _: 0.0))
    report = run(store, tastes, "occlusion", "spacy:x", has_faithfulness=True)
    assert report.n_left_out == 0
    same = outputs(store, tastes, "occlusion")[-1]
    assert same.attributions[0].scores == (0.0,) * 4
    assert same.rationales[0].spans == ((0, 2),)  # ties by position; k = ceil(0.3 × 4)
    assert check(store) == []


def test_the_sides_of_a_pair_are_ranked_by_themselves(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project("similarity")
    import_rows(made, [
        {"id": str(number), "sentence1": "a good cat sat", "sentence2": second, "label": label, "annotator": "source",
         "rationales": [[{"segment": "sentence1", "start_token": 1, "end_token": 2},
                         {"segment": "sentence2", "start_token": 0, "end_token": 1}]]}
        for number, (second, label) in enumerate([("good day", "positive"), ("bad day", "negative")] * 3)
    ])  # fmt: skip
    run(store, made, has_faithfulness=True)
    first = outputs(store, made, "linear")[0]
    assert len(first.attributions[0].scores) == 6
    # One of four tokens and one of two: k of each side is 1, whatever the other side's scores are.
    assert [span[0] // 4 for span in first.rationales[0].spans] == [0, 1]


# The built-in model --------------------------------------------------------------------------------------------------


def test_the_built_in_model_is_saved_beside_the_database_and_used_again(store: Store, tastes: Project) -> None:
    run(store, tastes)
    folder = models_folder(store, tastes) / "built-in"
    assert folder.parent.parent.name == f"{store.path.name}.models"
    before = (folder / "current.json").stat().st_mtime_ns
    run(store, tastes, "occlusion")
    assert (folder / "current.json").stat().st_mtime_ns == before


def test_it_learns_from_the_split_train_where_there_is_one(
    store: Store, tastes: Project, import_rows: Callable[..., object]
) -> None:
    report = run(store, tastes)
    assert "all 8 instances" in report.notes[0]
    assert "a model that has seen them" in report.notes[0]
    import_rows(tastes, [{**row, "id": f"train-{row['id']}"} for row in ROWS[:6]], split="train")
    report = run(store, tastes, trains=True)
    assert "6 instances of the split 'train' (negative 2, positive 4)" in report.notes[0]


def test_training_on_other_gold_takes_out_what_the_older_model_said(
    store: Store, tastes: Project, import_rows: Callable[..., object]
) -> None:
    run(store, tastes)
    assert run(store, tastes, trains=True).n_known == 8  # the same gold gives the same model
    import_rows(tastes, [{"id": "new", "text": "a cold bad day", "label": "negative"}])
    report = run(store, tastes, "occlusion", trains=True)
    assert report.n_answers == 9
    assert outputs(store, tastes, "linear") == []


def test_a_saved_model_that_is_not_the_one_trained_last_is_refused(
    store: Store, tastes: Project, import_rows: Callable[..., object]
) -> None:
    run(store, tastes)
    folder = models_folder(store, tastes)
    shutil.copytree(folder / "built-in", folder / "older")
    import_rows(tastes, [{"id": "new", "text": "a cold bad day", "label": "negative"}])
    built_in_model(store, LOCAL_OPERATOR, tastes, "older", trains=True)
    shutil.rmtree(folder / "older")
    shutil.copytree(folder / "built-in", folder / "older")
    with pytest.raises(ModelError, match=r"Restore it, or --train again \(deletes old output\)\."):
        run(store, tastes, model="built-in:older")


def test_a_model_that_an_older_version_trained_answers_as_before_until_it_is_trained_again(
    store: Store, tastes: Project
) -> None:
    older = save_as_before(models_folder(store, tastes) / "built-in")
    record_training(
        store, LOCAL_OPERATOR, tastes, "built-in", digest=older, seed=0, split=None, held_out=None, instance_ids=()
    )
    report = run(store, tastes)
    assert "Old model: whole words only. Retrain it." in report.notes[1]
    assert len(outputs(store, tastes, "linear")) == 8
    assert not any(
        "is an old, read-only model. Retrain it." in note for note in run(store, tastes, "occlusion", trains=True).notes
    )
    assert outputs(store, tastes, "linear") == []


def test_a_deleted_model_is_trained_again_and_its_output_stays(store: Store, tastes: Project) -> None:
    run(store, tastes)
    shutil.rmtree(models_folder(store, tastes))
    assert run(store, tastes).n_known == 8


def test_output_that_came_from_elsewhere_is_not_mixed_with_the_built_in_models(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted(weighing({})).name = "built-in"
    run(store, tastes, "occlusion", "spacy:x")
    with pytest.raises(ModelError, match=r"Another model is named 'built-in'\. Use built-in:NAME\."):
        run(store, tastes)
    assert run(store, tastes, model="built-in:ours").model == "ours"


@pytest.mark.parametrize("left", ["mine/config.json", "mine.training/checkpoint.pt"])
def test_a_built_in_model_is_never_trained_over_a_transformers_model(store: Store, tastes: Project, left: str) -> None:
    file = models_folder(store, tastes) / left
    file.parent.mkdir(parents=True)
    file.write_text("{}", encoding="utf-8")
    record_training(
        store, LOCAL_OPERATOR, tastes, "mine", digest="digest", seed=0, split=None, held_out=None, instance_ids=[]
    )
    for trains in (False, True):
        with pytest.raises(
            InvalidValue, match=r"'mine' is a transformers model\. Use transformers:.*mine or built-in:NAME\."
        ):
            run(store, tastes, model="built-in:mine", trains=trains)
    assert [path for path in models_folder(store, tastes).rglob("*") if path.is_file()] == [file]
    training = find_training(store, tastes.id, "mine")
    assert training is not None
    assert training.digest == "digest"


@pytest.mark.parametrize("trains", [False, True])
def test_nor_under_the_name_of_one_that_was_trained_into_another_folder(
    store: Store, tastes: Project, trains: bool
) -> None:
    record_training(
        store, LOCAL_OPERATOR, tastes, "mine", kind="transformers", digest="digest", seed=0, split=None, held_out=None,
        instance_ids=[],
    )  # fmt: skip
    with pytest.raises(
        InvalidValue, match=r"'mine' is a transformers model\. Use transformers:FOLDER or built-in:NAME\."
    ):
        run(store, tastes, model="built-in:mine", trains=trains)
    training = find_training(store, tastes.id, "mine")
    assert (training is not None and training.digest, models_folder(store, tastes).exists()) == ("digest", False)


def test_no_gold_at_all_is_said(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(name="Bare")
    with pytest.raises(InvalidValue, match=r"No texts yet\. A lead can import some\."):
        run(store, made)
    import_rows(made, [{"id": "a", "text": "no label"}])
    with pytest.raises(ModelError, match=r"No gold labels to train on\. Import some\."):
        run(store, made)


@pytest.mark.parametrize("name", ["built-in:", "built-in:a/b", "built-in:..", "built-in:" + "x" * 80])
def test_a_name_that_is_no_folder_name_is_refused(store: Store, tastes: Project, name: str) -> None:
    with pytest.raises(InvalidValue, match=r"Use up to 61 letters, digits, \. _ and -\."):
        run(store, tastes, model=name)


# Labels and people ---------------------------------------------------------------------------------------------------


def test_renamed_labels_are_stored_under_the_projects_names(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted(weighing({"good": 1.0, "bad": -1.0}), ("LABEL_0", "LABEL_1"))
    renamed = {"LABEL_0": "negative", "LABEL_1": "positive"}
    run(store, tastes, "occlusion", "spacy:x", renamed=renamed, label="positive", has_faithfulness=True)
    first = outputs(store, tastes, "occlusion")[0]
    assert first.attributions[0].label == "positive"
    assert first.attributions[0].scores[1] == 1.0
    assert all(set(p.probabilities) == {"negative", "positive"} for p in first.predictions)
    assert outputs(store, tastes, "")[0].predictions[0].result == "positive"


def test_a_label_that_the_model_does_not_give_is_refused(store: Store, tastes: Project) -> None:
    with pytest.raises(
        InvalidValue,
        match=r"'built-in' has no label 'neutral'\. Choose predicted, gold, all or a label \(negative, positive\)\.",
    ):
        run(store, tastes, label="neutral")


def test_a_model_of_labels_cannot_be_asked_for_answers(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object],
    scripted: Callable[..., Scripted],
) -> None:  # fmt: skip
    reading = make_project("reading", name="Reading")
    import_rows(reading, [{"id": "r", "passage": "It is red.", "title": "", "question": "What?", "answer": "red"}])
    for model in ("built-in", "spacy:x"):
        scripted(weighing({}))
        with pytest.raises(
            ModelError,
            match=r"This project needs answers\. Use transformers:\.\.\., or import answers \(format predictions\)\.",
        ):
            run(store, reading, "random", model)
    assert list(choosable_labels(reading)) == ["predicted"]


def test_annotators_may_not_compute_and_researchers_may(
    store: Store, tastes: Project, add_person: Callable[..., User]
) -> None:
    annotator, researcher = add_person("ann", tastes, "annotator"), add_person("res", tastes, "researcher")
    with pytest.raises(NotAllowed, match="use models"):
        attribute(store, annotator, tastes, "built-in", "linear")
    assert attribute(store, researcher, tastes, "built-in", "linear").n_attributions == 8


def test_discarded_instances_are_left_alone(store: Store, tastes: Project) -> None:
    with store.transaction():
        store.run("UPDATE instances SET state = 'discarded' WHERE key = 'positive-0'")
    report = run(store, tastes)
    assert report.n_instances == 7
    assert "positive 3" in report.notes[0]


def test_progress_is_told_batch_by_batch(store: Store, tastes: Project) -> None:
    told: list[tuple[int, int]] = []
    options = AttributingOptions(batch_size=3)
    attribute(store, LOCAL_OPERATOR, tastes, "built-in", "linear", options, progress=lambda *both: told.append(both))
    assert told == [(3, 8), (6, 8), (8, 8)]
    assert np.diff([done for done, _ in told]).min() > 0


def test_the_record_of_events_says_who_computed_what(store: Store, tastes: Project) -> None:
    run(store, tastes)
    run(store, tastes)
    told = [row["action"] for row in store.rows("SELECT action FROM events WHERE action LIKE '%attribut%' ORDER BY id")]
    assert told == ["start attributing", "attribute"]  # the second run computed nothing
