"""ERASER's and the benchmark's tables of a project: whose numbers, in which order and scale, and why a cell is empty."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotator.domain.models import Input, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import NotAllowed, NotFound
from annotator.scoring.paper_table import PaperCell, PaperRow, PaperTable
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.instances import ids_of_keys
from annotator.usecases.models.built_in_model import record_training
from annotator.usecases.papers.benchmark import benchmark_table
from annotator.usecases.papers.eraser_soft import eraser_soft_table
from annotator.usecases.papers.scored_rows import Choice, paper_csv
from annotator.usecases.releases.frozen_gold import freeze_gold
from tests.usecases.transfer.comparing import (
    LENGTH,
    N,
    gold_token,
    key_of,
    knowing,
    mistaken,
    output,
    project_of,
    rows_of,
    said,
    take,
)

ALL = Choice()


@pytest.fixture
def compared(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """“knowing” ranks the gold word first and is right of 30 of 40 texts, “mistaken” ranks it last; both in two seeds, but
    that the second seed of “knowing” is mistaken."""
    made = project_of(make_project, import_rows)
    for model, of_seeds in (("knowing", (knowing, mistaken)), ("mistaken", (mistaken, mistaken))):
        for seed, scores in enumerate(of_seeds):
            run = Run(model, "ig", seed=seed)
            take(store, made, (output(k, run, scores(k), [said(k, k < 30)]) for k in range(N)))
    return made


def row(table: PaperTable, title: str) -> PaperRow:
    return next(of for of in table.rows if of.title == title)


def cell(table: PaperTable, title: str, column: str) -> PaperCell:
    at = [of.title for of in table.columns].index(column)
    return next(of for of in table.rows if of.title.startswith(title)).cells[at]


def test_erasers_columns_stand_in_the_papers_order_and_scale(store: Store, compared: Project) -> None:
    table = eraser_soft_table(store, LOCAL_OPERATOR, compared, ALL)
    assert [(column.title, column.scale, column.arrow) for column in table.columns] == [
        ("Perf.", 1, "↑"), ("AUPRC", 1, "↑"), ("Comp.", 1, "↑"), ("Suff.", 1, "↓"),
    ]  # fmt: skip
    assert [of.title for of in table.rows] == ["knowing · ig", "mistaken · ig", "random scores, ten seeds"]


def test_a_number_is_the_mean_over_seeds_with_its_deviation(store: Store, compared: Project) -> None:
    auprc = cell(eraser_soft_table(store, LOCAL_OPERATOR, compared, ALL), "knowing", "AUPRC")
    last = (0 + 1 / LENGTH) / 2  # ranked last of eight, by trapezoids: from (0, 1) over (0, 0) to (1, 1/8)
    assert (auprc.value, auprc.n, auprc.n_seeds) == (pytest.approx((1 + last) / 2), N, 2)
    assert auprc.deviation == pytest.approx((1 - last) / 2**0.5)


def test_what_was_not_computed_is_a_dash_with_its_reason(store: Store, compared: Project) -> None:
    table = eraser_soft_table(store, LOCAL_OPERATOR, compared, ALL)
    comprehensiveness = cell(table, "knowing", "Comp.")
    assert comprehensiveness.value is None
    assert "compute the method with faithfulness" in comprehensiveness.reason
    assert comprehensiveness.reason in table.reasons()


def test_f1_of_words_stands_where_some_run_has_selected_any(store: Store, compared: Project) -> None:
    run = Run("picking", "rules")
    picked = ((k, (gold_token(k), gold_token(k) + 1)) for k in range(N))
    take(store, compared, (output(k, run, None, [said(k, is_right=True)], hard=[span]) for k, span in picked))
    table = eraser_soft_table(store, LOCAL_OPERATOR, compared, ALL)
    assert [cell(table, "picking", title).value for title in ("Token F1", "IOU F1", "Perf.")] == [1.0, 1.0, 1.0]
    assert "selected words without scores" in cell(table, "picking", "AUPRC").reason
    assert "selected no words" in cell(table, "knowing", "Token F1").reason


def test_what_a_run_selected_stands_in_the_row_of_its_scores(store: Store, compared: Project) -> None:
    run = Run("both", "ig")  # two words are selected, where k is one
    picked = ((k, (min(gold_token(k), LENGTH - 2), min(gold_token(k), LENGTH - 2) + 2)) for k in range(N))
    take(store, compared, (output(k, run, knowing(k), [said(k, is_right=True)], hard=[span]) for k, span in picked))
    table = eraser_soft_table(store, LOCAL_OPERATOR, compared, ALL)
    assert [of.title for of in table.rows if of.keys["model"] == "both"] == ["both · ig"]
    assert cell(table, "both", "AUPRC").value == 1.0
    assert cell(table, "both", "Token F1").value == pytest.approx(2 / 3)


def test_only_the_models_and_methods_that_are_named_have_rows(store: Store, compared: Project) -> None:
    table = eraser_soft_table(store, LOCAL_OPERATOR, compared, Choice(("mistaken",), ("ig",)))
    assert [of.title for of in table.rows] == ["mistaken · ig", "random scores, ten seeds"]
    with pytest.raises(NotFound, match="model 'other' \\(there is knowing, mistaken\\)"):
        eraser_soft_table(store, LOCAL_OPERATOR, compared, Choice(("other",)))


def test_rows_over_different_texts_are_over_those_that_all_have_and_a_note_says_which_are_not(
    store: Store, compared: Project
) -> None:
    take(store, compared, (output(k, Run("less", "ig"), knowing(k), [said(k, k < 30)]) for k in range(35)))
    table = eraser_soft_table(store, LOCAL_OPERATOR, compared, ALL)
    assert [cell(table, title, "AUPRC").n for title in ("knowing", "less", "random")] == [35, 35, 35]
    assert "Each mean over texts is over those that all competing rows of its column have." in table.notes
    assert "Perf. is no mean over texts and is over all texts of each row." in table.notes


def test_random_is_over_the_texts_of_the_rows_and_a_models_training_texts_are_left_out(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., Any]
) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N), split=lambda k: "train" if k < 10 else "test"))
    ids = [number for [(_, _, number)] in ids_of_keys(store, made.id, [key_of(k) for k in range(10)]).values()]
    record_training(
        store, LOCAL_OPERATOR, made, "m", digest="d", seed=0, split="train", held_out=None, instance_ids=ids
    )
    take(store, made, (output(k, Run("m", "ig"), knowing(k), [said(k, is_right=True)]) for k in range(N)))
    table = eraser_soft_table(store, LOCAL_OPERATOR, made, ALL)
    assert [cell(table, title, "AUPRC").n for title in ("m", "random")] == [30, 30]
    assert "m: 10 texts that it learned from (split train) are left out." in table.notes
    both = Choice(options=ScoringOptions(includes_training=True))
    assert cell(eraser_soft_table(store, LOCAL_OPERATOR, made, both), "m", "AUPRC").n == N


def test_the_benchmarks_table_has_percentages_and_the_accuracy_on_pairs(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., Any]
) -> None:
    """Three originals, of which each has a changed version: right of all originals and of one version."""
    made = make_project(gold_policy="all")
    import_rows(made, rows_of(range(6), parent=lambda k: f"t{k - 3:02}" if k > 2 else None))
    take(store, made, (output(k, Run("m", "ig"), knowing(k), [said(k, k < 4)]) for k in range(6)))
    table = benchmark_table(store, LOCAL_OPERATOR, made, ALL)
    assert [(column.title, column.scale) for column in table.columns] == [
        ("Token-F1", 100), ("IOU-F1", 100), ("MAP", 100), ("Suf", 1), ("Com", 1), ("original", 100), ("changed", 100),
    ]  # fmt: skip
    values = [of.value for of in row(table, "m · ig").cells]
    assert values[:2] == [1.0, 1.0]  # k is one of eight words, which is gold
    assert values[2] == 0.0  # no two texts have a word in common
    assert values[5:] == [1.0, pytest.approx(1 / 3)]
    assert "Accuracy: n = 3 originals and 3 changed versions." in table.notes


def test_a_method_gold_among_them_has_how_often_the_model_is_right_on_parts_of_the_input(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, rows_of(range(4)))

    def on(k: int, part: Input, *, is_right: bool) -> Prediction:
        return replace(said(k, is_right), on=part)

    for method, right_on_rationale in (("gold", 4), ("random", 1)):
        answers = {
            k: [said(k, k < 3), on(k, "rationale", is_right=k < right_on_rationale), on(k, "rest", is_right=k < 2)]
            for k in range(4)
        }
        take(store, made, (output(k, Run("m", method), knowing(k), answers[k]) for k in range(4)))
    table = benchmark_table(store, LOCAL_OPERATOR, made, ALL)
    assert [(column.title, column.group, column.arrow) for column in table.columns[5:]] == [
        ("full", "Right on", "↑"), ("rationale", "Right on", "↑"), ("rest", "Right on", "↓"),
    ]  # fmt: skip
    assert [cell.value for cell in row(table, "m · gold").cells[5:]] == [0.75, 1.0, 0.5]
    assert [cell.value for cell in row(table, "m · random").cells[5:]] == [0.75, 0.25, 0.5]
    assert "as in Tables 4 and 7" in table.caption


def test_the_file_has_all_digits_and_what_was_asked(store: Store, compared: Project) -> None:
    table = benchmark_table(store, LOCAL_OPERATOR, compared, ALL)
    assert [column.group for column in table.columns] == [""] * 5  # without pairs there is no accuracy on them
    lines = list(csv.DictReader(io.StringIO(paper_csv(table))))
    assert [line["model"] for line in lines] == ["knowing", "mistaken", "random"]
    knowing_line = lines[0]
    assert float(knowing_line["benchmark.token_f1_paper"]) == 0.5  # not multiplied
    assert float(knowing_line["benchmark.token_f1_paper_deviation"]) == pytest.approx(0.5**0.5)
    assert (knowing_line["benchmark.token_f1_paper_n"], knowing_line["seeds"]) == (str(N), "0 1")
    assert (knowing_line["benchmark.map"], bool(knowing_line["benchmark.map_note"])) == ("", True)
    assert (knowing_line["project"], knowing_line["gold_policy"], knowing_line["split"]) == ("Project", "all", "")


def test_a_project_without_output_and_a_person_without_the_right_get_no_table(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: Callable[..., Any]
) -> None:  # fmt: skip
    made = project_of(make_project, import_rows)
    for table_of in (eraser_soft_table, benchmark_table):
        with pytest.raises(NotFound, match="There are no numbers of 'Project' yet"):
            table_of(store, LOCAL_OPERATOR, made, ALL)
        with pytest.raises(NotAllowed):
            table_of(store, add_person(f"Ann {table_of.__name__}", made, "annotator"), made, ALL)


@pytest.mark.parametrize("make", [eraser_soft_table, benchmark_table])
def test_a_papers_table_cites_the_release_of_its_gold(
    store: Store, compared: Project, make: Callable[..., PaperTable]
) -> None:
    before = make(store, LOCAL_OPERATOR, compared, ALL)
    assert "release" not in before.caption
    assert before.provenance["gold_release"] == ""
    release = freeze_gold(store, LOCAL_OPERATOR, compared, "camera ready", licence="CC0")
    after = make(store, LOCAL_OPERATOR, compared, ALL)
    assert f"Gold: {release.words}." in after.caption
    assert after.provenance["gold_release"] == release.words
