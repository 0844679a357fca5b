"""ER-TEST's table: accuracy by project, marks against the base, contrast sets and functional tests."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from annotator.domain.labels import LabelTable
from annotator.domain.models import Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue, NotFound
from annotator.figures.latex_tables import paper_latex
from annotator.figures.text_tables import paper_text
from annotator.scoring.paper_table import PaperCell, PaperTable
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.instances import ids_of_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.training.card import Card
from annotator.training.loop import EpochResult
from annotator.usecases.models.label_tables import ModelLabels, remember
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.papers.er_test import Groups, Trained, er_test_table, write_er_test_plot
from annotator.usecases.project.projects import create_project
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.suites.files import import_suite, import_suite_predictions

Importer = Callable[..., Any]
TRAINED = Trained.of(["None=n"], ["MAE=m0", "MAE=m1"])
N = 8


@pytest.fixture
def projects(store: Store, import_rows: Importer) -> list[Project]:
    """Eight texts in distribution, of which two have a changed version, and four out of it; all originals are “yes”."""
    made = [
        create_project(store, LOCAL_OPERATOR, name, get_task("sentiment"), labels=["no", "yes"])
        for name in ("ID", "OOD")
    ]
    rows: list[dict[str, object]] = [{"id": f"t{n}", "text": f"text {n}", "label": "yes"} for n in range(N)]
    changed = {"label": "no", "perturbation_kind": "importance"}
    rows += [{"id": f"t{n}c", "text": f"other {n}", "parent": f"t{n}", **changed} for n in (0, 1)]
    import_rows(made[0], rows)
    import_rows(made[1], [{"id": f"o{n}", "text": f"far {n}", "label": "yes"} for n in range(4)])
    return made


def answer(store: Store, project: Project, model: str, yes: Mapping[str, bool], seed: int | None = None) -> None:
    with store.transaction():
        run = RunFinder(store, project.id).id_of(Run(model, "", "{}", seed))
        ids = {key: number for key, [(_, _, number)] in ids_of_keys(store, project.id, list(yes)).items()}
        outputs = [
            Output(ids[key], (Prediction(None, {"yes": float(says_yes), "no": float(not says_yes)}),))
            for key, says_yes in yes.items()
        ]
        store_outputs(store, run, outputs)


def texts(n_right: int) -> dict[str, bool]:
    """The first n texts right, and all changed versions wrong."""
    return {**{f"t{n}": n < n_right for n in range(N)}, "t0c": True, "t1c": True}


def cell(table: PaperTable, row: str, column: str) -> PaperCell:
    at = [of.name for of in table.columns].index(column)
    return next(of for of in table.rows if of.title == row).cells[at]


def test_the_first_project_is_in_distribution_and_trainings_of_one_title_are_seeds_of_one_row(
    store: Store, projects: list[Project]
) -> None:
    answer(store, projects[0], "n", texts(4))
    for model, n_right in (("m0", 6), ("m1", 8)):
        answer(store, projects[0], model, texts(n_right))
    answer(store, projects[1], "m0", {f"o{n}": n < 3 for n in range(4)})
    table = er_test_table(store, LOCAL_OPERATOR, projects, TRAINED)
    assert [(of.title, of.group, of.scale) for of in table.columns][:2] == [
        ("ID", "In distribution", 100), ("OOD", "Out of distribution", 100),
    ]  # fmt: skip
    assert [of.title for of in table.rows] == ["None", "MAE", "majority label"]
    assert cell(table, "None", "accuracy.ID").value == 0.4
    mae = cell(table, "MAE", "accuracy.ID")
    assert (mae.value, mae.deviation, mae.n, mae.n_seeds) == (pytest.approx(0.7), pytest.approx(0.02**0.5), 10, 2)
    assert "no answers of the model" in cell(table, "None", "accuracy.OOD").reason
    assert cell(table, "majority label", "accuracy.ID").value == 0.8


def test_a_note_says_what_a_project_calls_labels_that_models_learned_elsewhere(
    store: Store, projects: list[Project]
) -> None:
    for model in ("n", "m0", "m1"):
        answer(store, projects[0], model, texts(4))
        answer(store, projects[1], model, {f"o{n}": n < 3 for n in range(4)})
        asked = ModelLabels.of_model(model, ["pos", "neg", "mixed"])
        remember(store, LOCAL_OPERATOR, projects[1], asked, LabelTable({"pos": "yes", "neg": "no", "mixed": ""}))
    table = er_test_table(store, LOCAL_OPERATOR, projects, TRAINED)
    told = "OOD: Of “n”, “m0”, “m1”: “pos” is “yes”, “neg” is “no”, “mixed” is never predicted."
    assert [note for note in table.notes if "is never" in note] == [told]
    assert told in " ".join(paper_text(table).split())
    assert "is never predicted" in " ".join(paper_latex(table).split())


def test_a_row_with_another_number_of_runs_than_the_base_is_not_compared_and_a_note_says_so(
    store: Store, projects: list[Project]
) -> None:
    for model in ("n0", "n1", "n2", "m0", "m1"):
        answer(store, projects[0], model, texts(8 if model[0] == "m" else 2))
    trained = Trained.of(["None=n0", "None=n1", "None=n2"], ["MAE=m0", "MAE=m1"])
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], trained)
    assert any("not compared with the base, which has another number of runs" in note for note in table.notes)
    assert cell(table, "MAE", "accuracy.ID").mark == ""


def test_contrast_sets_have_original_contrast_their_difference_and_the_share_that_is_right_throughout(
    store: Store, projects: list[Project]
) -> None:
    answer(store, projects[0], "n", texts(1))
    answer(store, projects[0], "m0", {**texts(8), "t0c": False})
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of(["n"], ["m0"]))
    names = [f"contrast.{part}.ID" for part in ("original", "contrast", "delta", "consistency_of_sets")]
    assert [cell(table, "m0", name).value for name in names] == [1.0, 0.5, -0.5, 0.5]
    assert [cell(table, "n", name).value for name in names] == [0.5, 0.0, -0.5, 0.0]
    assert cell(table, "majority label", names[0]) == PaperCell()


def test_the_opportunity_cost_is_what_is_lost_minus_what_is_won(store: Store, projects: list[Project]) -> None:
    answer(store, projects[0], "n", texts(4))
    for model, n_right in (("m0", 6), ("m1", 1)):  # of ten texts: two won; three lost
        answer(store, projects[0], model, texts(n_right))
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], TRAINED)
    cost = cell(table, "MAE", "cost.ID")
    assert (cost.value, cost.deviation, cost.n, cost.n_seeds) == (pytest.approx(0.05), pytest.approx(0.125**0.5), 10, 2)
    assert cell(table, "None", "cost.ID") == PaperCell()
    without_base = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of([], ["n", "m0"]))
    assert not [column for column in without_base.columns if column.name.startswith("cost.")]


def test_inference_has_macro_f1_beside_accuracy_also_of_the_majority_label(store: Store, import_rows: Importer) -> None:
    made = create_project(store, LOCAL_OPERATOR, "NLI", get_task("inference"), labels=["no", "yes"])
    rows = [
        {"id": f"t{n}", "premise": f"p {n}", "hypothesis": "h", "label": "yes" if n < 6 else "no"} for n in range(N)
    ]
    import_rows(made, rows)
    answer(store, made, "m", {f"t{n}": n < 4 or n == 7 for n in range(N)})
    table = er_test_table(store, LOCAL_OPERATOR, [made], Trained.of([], ["m"]))
    assert [column.title for column in table.columns] == ["NLI", "NLI, macro F1"]
    # yes: 4 right of 5 predicted and 6 gold, 8/11; no: 1 right of 3 and 2, 2/5
    assert cell(table, "m", "accuracy.NLI").value == 5 / 8
    assert cell(table, "m", "macro_f1.NLI").value == pytest.approx((8 / 11 + 2 / 5) / 2)
    assert cell(table, "majority label", "macro_f1.NLI").value == pytest.approx(2 * 0.75 / 1.75 / 2)


def trained_here(store: Store, project: Project, name: str, *points: tuple[float | None, float | None]) -> None:
    """A card of a model whose epochs had this alignment loss and this validation accuracy."""
    epochs = tuple(EpochResult(1.0, loss, 0, 1.0, accuracy, 1.0) for loss, accuracy in points)
    folder = models_folder(store, project) / name
    folder.mkdir(parents=True)
    Card(name, "d", "scratch", ("no", "yes"), "softmax", {}, {}, epochs, 0, {}, {}).write(folder)


def test_trainings_have_the_drop_of_their_alignment_loss_and_its_slope_over_the_accuracy(
    store: Store, projects: list[Project], tmp_path: Path
) -> None:
    for model in ("n", "m0", "m1"):
        answer(store, projects[0], model, texts(4))
    trained_here(store, projects[0], "n", (None, 0.5), (None, 0.6))
    trained_here(store, projects[0], "m0", (4.0, 0.5), (3.0, 0.6), (2.0, 0.7))
    trained_here(store, projects[0], "m1", (4.0, 0.5), (3.0, 0.5), (3.0, 0.5))
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], TRAINED)
    assert cell(table, "MAE", "alignment.drop").value == pytest.approx((0.5 + 0.25) / 2)
    assert cell(table, "MAE", "alignment.slope").value == pytest.approx((-0.1 + 0) / 2)
    assert cell(table, "MAE", "alignment.r2").value == pytest.approx((1 + 0) / 2)
    assert cell(table, "None", "alignment.drop").reason == "the model was not trained here with rationales"
    write_er_test_plot(store, LOCAL_OPERATOR, projects[:1], TRAINED, tmp_path / "plot.svg")
    svg = ET.fromstring((tmp_path / "plot.svg").read_text(encoding="utf-8"))
    assert [of.tag.rpartition("}")[2] for of in svg.iter()].count("circle") == 6
    assert "validation accuracy" in {of.text for of in svg.iter()}
    with pytest.raises(NotFound, match="No model of these rows was trained in 'ID' with rationales"):
        write_er_test_plot(store, LOCAL_OPERATOR, projects[:1], Trained.of([], ["n"]), tmp_path / "other.svg")


def test_a_difference_is_marked_and_the_caption_says_by_which_test(
    store: Store, projects: list[Project], import_rows: Importer
) -> None:
    import_rows(projects[1], [{"id": f"q{n}", "text": f"near {n}", "label": "yes"} for n in range(6)])
    keys = [f"q{n}" for n in range(6)] + [f"o{n}" for n in range(4)]
    answer(store, projects[1], "n", dict.fromkeys(keys, False))
    answer(store, projects[1], "better", dict.fromkeys(keys, True))  # ten won, none lost: p = 2 / 1024
    answer(store, projects[1], "same", {key: number < 2 for number, key in enumerate(keys)})  # two won: p = .5
    table = er_test_table(store, LOCAL_OPERATOR, projects[1:], Trained.of(["n"], ["better", "same"]))
    assert [cell(table, row, "accuracy.OOD").mark for row in ("n", "better", "same")] == ["", "*", ""]
    assert "differs from “n”" in table.caption
    assert "paired sign flips" in table.caption


def test_marks_are_corrected_for_all_comparisons_that_the_table_shows(
    store: Store, projects: list[Project], import_rows: Importer
) -> None:
    import_rows(projects[1], [{"id": f"q{n}", "text": f"near {n}", "label": "yes"} for n in range(6)])
    keys = [f"q{n}" for n in range(6)] + [f"o{n}" for n in range(4)]
    answer(store, projects[1], "n", dict.fromkeys(keys, False))
    for n_right, model in (
        (7, "seven"),
        (7, "again"),
        (7, "more"),
    ):  # p = 2 / 2^7 = .0156 each, of three comparisons .047
        answer(store, projects[1], model, {key: number < n_right for number, key in enumerate(keys)})
    answer(store, projects[1], "fourth", dict.fromkeys(keys, False))  # nothing differs: p 1; of four 4 · .0156 = .0625
    three = er_test_table(store, LOCAL_OPERATOR, projects[1:], Trained.of(["n"], ["seven", "again", "more"]))
    assert [cell(three, row, "accuracy.OOD").mark for row in ("n", "seven", "again", "more")] == ["", "*", "*", "*"]
    assert "Holm's correction for the 3 comparisons that this table shows" in three.caption
    four = er_test_table(store, LOCAL_OPERATOR, projects[1:], Trained.of(["n"], ["seven", "again", "more", "fourth"]))
    assert {of.mark for row in four.rows for of in row.cells} == {""}
    assert cell(four, "seven", "accuracy.OOD").p == 2 / 2**7


def test_contrast_sets_are_compared_original_by_original(store: Store, projects: list[Project]) -> None:
    answer(store, projects[0], "n", texts(1))  # the first original right, both changed versions wrong
    answer(store, projects[0], "m0", {**texts(8), "t0c": False, "t1c": False})
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of(["n"], ["m0"]))
    assert cell(table, "m0", "contrast.original.ID").p == 1.0  # one original of two differs
    assert cell(table, "m0", "contrast.contrast.ID").p == 0.5  # the versions of both do
    assert cell(table, "m0", "contrast.delta.ID").p is None
    assert cell(table, "n", "contrast.contrast.ID").p is None


def test_the_caption_says_whose_policy_is_which_where_projects_have_others(
    store: Store, projects: list[Project]
) -> None:
    answer(store, projects[0], "n", texts(4))
    answer(store, projects[1], "n", {"o0": True})
    trained = Trained.of([], ["n"])
    assert "Gold policy “chosen”, all splits" in er_test_table(store, LOCAL_OPERATOR, projects, trained).caption
    union = replace(projects[1], settings=replace(projects[1].settings, gold_policy="union"))
    caption = er_test_table(store, LOCAL_OPERATOR, [projects[0], union], trained).caption
    assert "Gold policies: ID “chosen”, OOD “union”, all splits" in caption


def test_groups_of_word_lists_have_false_positive_rates_beside_their_distance(
    store: Store, projects: list[Project], import_rows: Importer
) -> None:
    import_rows(projects[1], [{"id": f"g{n}", "text": "she came", "label": "no"} for n in range(4)])
    save_word_list(store, LOCAL_OPERATOR, projects[1], "women", ["she"], role="slot", language="en")
    keys = [f"g{n}" for n in range(4)]
    answer(store, projects[1], "n", dict.fromkeys(keys, True))
    answer(store, projects[1], "m0", {key: key == "g0" for key in keys})
    answer(store, projects[1], "m1", dict.fromkeys(keys, False))
    groups = Groups(("women",), "yes")
    table = er_test_table(store, LOCAL_OPERATOR, projects, TRAINED, groups=groups)
    assert any(
        note.startswith("ID has no word list “women”, so that it is not among the groups") for note in table.notes
    )
    women = cell(table, "MAE", "groups.women.OOD")
    assert (women.value, women.deviation, women.n, women.n_seeds) == (0.125, pytest.approx(0.125 * 2**0.5), 4, 2)
    assert women.p == 2 / 2**4  # 4 texts of which all differ in the same direction
    assert (cell(table, "None", "groups.women.OOD").value, cell(table, "None", "groups.FPRD.OOD").value) == (1.0, 0.0)
    assert cell(table, "MAE", "groups.FPRD.OOD").p is None
    with pytest.raises(
        InvalidValue, match="None of these projects has the label 'yes' and all of the word lists 'men'"
    ):
        er_test_table(store, LOCAL_OPERATOR, projects, TRAINED, groups=Groups(("men",), "yes"))
    with pytest.raises(InvalidValue, match="need each other"):
        Groups(("women",))


def test_failure_rates_of_a_stored_suite_stand_by_capability(
    store: Store, projects: list[Project], tmp_path: Path
) -> None:
    cases = [
        {"test": test, "type": "MFT", "category": category, "case": number, "texts": ["x"], "label": "yes"}
        for test, category in (("t", "Vocabulary"), ("u", "Logic"))
        for number in range(2)
    ]
    suite = tmp_path / "suite.jsonl"
    suite.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    import_suite(store, LOCAL_OPERATOR, projects[0], suite, "S")
    labels = {("t", 0): "yes", ("t", 1): "no", ("u", 0): "yes", ("u", 1): "yes"}
    told = [{"test": test, "case": case, "position": 0, "label": label} for (test, case), label in labels.items()]
    path = tmp_path / "told.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in told), encoding="utf-8")
    import_suite_predictions(store, LOCAL_OPERATOR, projects[0], "S", [path], model="m0")
    for model in ("n", "m0"):
        answer(store, projects[0], model, texts(8))
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of(["n"], ["MAE=m0"]))
    columns = [of for of in table.columns if of.group == "Failure rate, S"]
    assert [(of.title, of.arrow, of.scale) for of in columns] == [
        ("Vocabulary", "↓", 100), ("Logic", "↓", 100), ("All tests", "↓", 100),
    ]  # fmt: skip
    assert [cell(table, "MAE", of.name).value for of in columns] == [0.5, 0.0, 0.25]
    assert cell(table, "n", columns[0].name).reason == "the model has not answered all of these tests"
    assert cell(table, "MAE", columns[0].name).p is None  # as there is nothing to compare with
    told = [{**row, "label": "yes"} for row in told]
    path.write_text("".join(json.dumps(row) + "\n" for row in told), encoding="utf-8")
    import_suite_predictions(store, LOCAL_OPERATOR, projects[0], "S", [path], model="n")
    compared = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of(["n"], ["MAE=m0"]))
    assert [cell(compared, "MAE", of.name).p for of in columns] == [1.0, 1.0, 1.0]  # one of four cases differs


def test_without_a_base_nothing_is_marked_and_all_models_are_rows(store: Store, projects: list[Project]) -> None:
    for model, n_right in (("n", 0), ("m0", 8)):
        answer(store, projects[0], model, texts(n_right))
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of([], []))
    assert {of.title for of in table.rows} == {"n", "m0", "majority label"}
    assert {of.mark for row in table.rows for of in row.cells} == {""}
    assert "No base was named" in table.caption


def test_a_split_without_texts_and_a_model_that_is_not_there(store: Store, projects: list[Project]) -> None:
    answer(store, projects[0], "n", texts(4))
    options = ScoringOptions(split="test")
    with pytest.raises(InvalidValue, match=r"No splits in 'ID'\. Remove the split 'test'\."):
        er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of(["n"], []), options)
    store.run("UPDATE instances SET split = 'test', result = NULL WHERE key = 't1'")
    table = er_test_table(store, LOCAL_OPERATOR, projects[:1], Trained.of(["n"], []), options)
    assert cell(table, "n", "accuracy.ID").reason == "no text has a gold label and an answer, and was not learned from"
    with pytest.raises(NotFound, match="None of these projects has a model 'x' \\(there is n\\)"):
        er_test_table(store, LOCAL_OPERATOR, projects, Trained.of(["n"], ["x"]))
    with pytest.raises(InvalidValue, match="write MODEL, or TITLE=MODEL"):
        Trained.of(["None="], [])


def test_the_table_cites_the_releases_of_the_projects_that_have_one(
    store: Store, projects: list[Project], import_rows: Importer
) -> None:
    for model in ("n", "m0", "m1"):
        answer(store, projects[0], model, texts(4))
    marked = {"id": "z", "text": "far away", "label": "yes", "rationales": [[[0, 1]]], "annotator": "a"}
    import_rows(projects[1], [marked])
    release = freeze_gold(store, LOCAL_OPERATOR, projects[1], "camera ready", licence="CC0")
    table = er_test_table(store, LOCAL_OPERATOR, projects, TRAINED)
    assert table.provenance["gold_release"] == f"{projects[1].name}: {release.words}"
    assert f"Gold: {projects[1].name}: {release.words}." in table.caption
