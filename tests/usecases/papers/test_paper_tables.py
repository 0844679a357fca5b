"""The papers' tables of a project: whose numbers, in which order and scale, and why a cell is empty."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.models import Input, Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import NotAllowed, NotFound
from annotator.figures.text_tables import paper_text
from annotator.scoring.paper_table import PaperCell, PaperRow, PaperTable
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.instances import ids_of_keys
from annotator.training.budgets import Condition, Origin, Simulation
from annotator.training.examples import Example
from annotator.usecases.models.built_in_model import record_training
from annotator.usecases.papers.benchmark import benchmark_table
from annotator.usecases.papers.edits import edits_table
from annotator.usecases.papers.eraser import eraser_hard_table, eraser_soft_table
from annotator.usecases.papers.minutes import minutes_table, outcome_line, release_of_sweep, write_minutes
from annotator.usecases.papers.scored_rows import Choice, paper_csv
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.training.budgets import CostOptions, MinutesOptions, Purchase
from annotator.usecases.training.minutes import Outcome, Sweep
from tests.models.conftest import one_text
from tests.usecases.edited_sentences import answered, edited_project
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
    table = eraser_hard_table(store, LOCAL_OPERATOR, compared, ALL)
    assert [of.title for of in table.rows] == ["picking · rules · selected tokens", "random scores, ten seeds"]
    assert [of.value for of in table.rows[0].cells] == [1.0, 1.0, 1.0]
    with pytest.raises(NotFound, match="--architecture lei"):
        eraser_hard_table(store, LOCAL_OPERATOR, compared, Choice(("knowing",)))


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
    assert "m: 10 training texts (split train) excluded." in table.notes
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


def test_without_gold_map_is_over_the_share_of_tokens_that_is_stated(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(gold_policy="all")
    changed = {"parent": "o", "perturbation_kind": "dispensable"}
    import_rows(made, [{"id": "o", "text": "a b c"}, {"id": "p", "text": "a b c , d", **changed}])
    scores = {"o": (0.1, 2.0, 1.0), "p": (0.5, 1.0, 0.0, 2.0, 0.1)}
    attributions = {key: (SourceAttribution((ScoredPart(values),)),) for key, values in scores.items()}
    take(store, made, [SourceOutput(k, Run("m", "ig"), "f", 1, None, (), a) for k, a in attributions.items()])
    # k = 2 of each: b, c and ",", b: (0 + 1 / 2) / 2 (Wang et al. 2022, Eq. 2)
    stated = benchmark_table(store, LOCAL_OPERATOR, made, Choice(options=ScoringOptions(ratio=0.4)))
    assert cell(stated, "m", "MAP").value == 0.25
    assert "No text has gold sets, all splits, 2 texts; k is 0.400 of a text's tokens." in stated.caption


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


# Sentence editing's table of a project: ranks by criterion over all, right and wrong answers, and F1 of “need edit”.


@pytest.fixture
def project(store: Store, tmp_path: Path) -> Project:
    return edited_project(store, tmp_path)


def edits_row(table: PaperTable, group: str, title: str) -> PaperRow:
    return next(of for of in table.rows if of.group.startswith(group) and of.title == title)


def values(table: PaperTable, group: str, title: str) -> dict[str, float | None]:
    cells = edits_row(table, group, title).cells
    return {column.title: cell.value for column, cell in zip(table.columns, cells, strict=True)}


def test_each_criterion_has_its_rows_over_all_right_and_wrong_answers(store: Store, project: Project) -> None:
    answered(store, project)
    table = edits_table(store, LOCAL_OPERATOR, project, Choice())
    assert list(dict.fromkeys(of.group for of in table.rows)) == [
        "Spelling (2 sentences)", "Deleted text (1 sentence)", "Every sentence with a gold label (6)",
    ]  # fmt: skip
    spelling = values(table, "Spelling", "bert · attention, all")
    assert (spelling["MRR"], spelling["n"], spelling["Top-1"]) == (pytest.approx((1 + 1 / 3) / 2), 2, 0.5)
    assert spelling["AUPRC"] == pytest.approx((1 + 1 / 6) / 2)  # one word at rank r: 1, else 1 / 2r
    assert values(table, "Spelling", "bert · attention, correct")["MRR"] == 1.0
    assert values(table, "Spelling", "bert · attention, wrong")["MRR"] == pytest.approx(1 / 3)
    assert values(table, "Deleted", "bert · attention, all")["MRR"] == 1.0


def test_f1_of_need_edit_is_of_a_criterions_sentences_and_of_every_sentence(store: Store, project: Project) -> None:
    answered(store, project)
    table = edits_table(store, LOCAL_OPERATOR, project, Choice())
    assert values(table, "Spelling", "bert · attention, all")["F1"] == pytest.approx(2 * 0.5 / 1.5)  # 2R / (1 + R)
    assert values(table, "Every", "bert")["F1"] == pytest.approx(2 * 3 / (4 + 4))  # 3 told of 4, and one too many
    assert any("F1 is that of the label “needs edit”" in note for note in table.notes)


def test_no_wrong_answer_is_said_and_the_correct_row_has_no_f1(store: Store, project: Project) -> None:
    answered(store, project)
    table = edits_table(store, LOCAL_OPERATOR, project, Choice())
    assert "answers wrongly" in edits_row(table, "Deleted", "bert · attention, wrong").cells[0].reason
    f1 = edits_row(table, "Deleted", "bert · attention, correct").cells[-1]
    assert (f1.value, f1.reason) == (None, "")


def test_seeds_are_one_row_with_their_deviation(store: Store, project: Project) -> None:
    for seed in (0, 1):
        answered(store, project, seed=seed)
    mrr = edits_row(edits_table(store, LOCAL_OPERATOR, project, Choice()), "Spelling", "bert · attention, all").cells[0]
    assert (mrr.value, mrr.deviation, mrr.n_seeds) == (pytest.approx(2 / 3), 0.0, 2)


def test_gold_without_a_criterion_is_one_group_whose_f1_is_not_known(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project("editing", gold_policy="all")
    import_rows(made, [{"id": "line1", "text": "a b c d", "label": "positive", "rationales": [[[1, 2]]]}])
    answer = Prediction(None, {"positive": 1.0, "negative": 0.0})
    scores = (SourceAttribution((ScoredPart((0.0, 1.0, 0.0, 0.0)),)),)
    take(store, made, [SourceOutput("line1", Run("m", "ig"), "f", 1, None, (answer,), scores)])
    table = edits_table(store, LOCAL_OPERATOR, made, Choice())
    told = edits_row(table, "Criterion not told (1 sentence)", "m · ig, all")
    assert told.cells[0].value == 1.0
    assert "no sentence says its criterion" in told.cells[-1].reason
    assert json.loads(json.dumps(dict(told.keys)))["criterion"] == ""


# The table of minutes: a row for each budget and condition over seeds, simulated times named wherever it is read.

LABELS = ("negative", "positive")


def asked(*labels: str) -> tuple[Example, ...]:
    return tuple(Example(n, f"t{n}", one_text(f"text {n}"), label) for n, label in enumerate(labels))


@pytest.fixture
def sweep(make_project: Callable[..., Project]) -> Sweep:
    judge = {"P": asked("positive", "positive", "negative"), "Q": asked("negative", "positive", "negative", "negative")}
    options = MinutesOptions((10.0,), seeds=(0, 1), costs=CostOptions(simulation=Simulation(5, 20)))
    return Sweep(make_project(name="P"), options, LABELS, judge, (), 12, 6, 0, 0, 0, {"Q": (0, 0)}, {})


def outcome(
    condition: Condition | None, seed: int, right: int, *, bought: int = 4, minutes: float = 10, origin: Origin = "simulated",
    first_ms: int | None = 60_000, has_all: bool = False,
) -> Outcome:  # fmt: skip
    if condition is None:
        return Outcome(Purchase(None, 0, seed, 0, 6, 0), {"P": (right, 3), "Q": (1, 4)})
    purchase = Purchase(
        condition, minutes, seed, bought, 6 + bought, bought, 60_000 * bought, first_ms, has_all, origin
    )
    return Outcome(purchase, {"P": (right, 3), "Q": (2, 4)})


def test_the_table_cites_the_release_of_the_gold_that_models_learn_from(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], sweep: Sweep
) -> None:
    project = make_project(name="Gold")
    row = {"id": "t", "text": "so good", "label": "positive", "rationales": [[[1, 2]]], "annotator": "a"}
    import_rows(project, [row])
    of_project = replace(sweep, project=project)
    assert release_of_sweep(store, of_project) is None
    release = freeze_gold(store, LOCAL_OPERATOR, project, "ready", licence="CC0")
    cited = release_of_sweep(store, of_project)
    assert cited == release.words
    table = minutes_table(of_project, [outcome("both", 0, 1)], cited)
    assert f"Gold: {release.words}. " in table.caption
    assert release.name in paper_csv(table)
    assert "@release-1|seeds:0" in table.provenance["signature"]
    unfrozen = minutes_table(sweep, [outcome("both", 0, 1)])
    assert "Gold:" not in unfrozen.caption, "where nothing is frozen the caption is as it was"


def test_a_row_is_a_mean_over_seeds_of_what_was_bought_and_of_how_often_models_are_right(sweep: Sweep) -> None:
    outcomes = [outcome(of, seed, 1 + seed) for seed in (0, 1) for of in (None, "both")]
    table = minutes_table(sweep, outcomes)
    assert [(row.group, row.title) for row in table.rows] == [
        ("No minutes", "labels of the start"), ("10 minutes", "both (simulated)"), ("For comparison", "majority label"),
    ]  # fmt: skip
    start, both, majority = table.rows
    values = [cell.value for cell in both.cells]
    assert values[:4] == [4, 4, 10, 4]
    assert values[4:] == [pytest.approx((1 / 3 + 2 / 3) / 2), 0.5]
    assert [cell.n for cell in both.cells[4:]] == [3, 4]
    assert start.cells[0].value == 0
    assert [cell.value for cell in majority.cells[4:]] == [pytest.approx(2 / 3), 0.75]


def test_simulated_times_are_named_in_each_row_in_the_caption_on_the_card_in_the_file_and_as_each_model_is_done(
    sweep: Sweep, tmp_path: Path
) -> None:
    outcomes = [outcome("labels", 0, 1), outcome("both", 0, 2)]
    table = minutes_table(sweep, outcomes)
    assert all("simulated" in row.title for row in table.rows[:-1])
    assert "SIMULATED (5 s for a label and 20 s for rationales, for each text and annotator)" in table.caption
    assert [line.split(",")[2] for line in paper_csv(table).splitlines()[1:3]] == ["simulated", "simulated"]
    write_minutes(sweep, table, tmp_path)
    assert "Times are SIMULATED." in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "(simulated times)" in (tmp_path / "accuracy.html").read_text(encoding="utf-8")
    assert (tmp_path / "table.csv").read_text(encoding="utf-8") == paper_csv(table)
    assert "simulated: P 0.333, Q 0.500" in outcome_line(outcomes[0])


def test_a_project_s_name_cannot_leave_its_place_on_the_card(sweep: Sweep, tmp_path: Path) -> None:
    sweep = replace(sweep, judge={"P": sweep.judge["P"], "``` # Q": sweep.judge["Q"]})
    write_minutes(sweep, minutes_table(sweep, [outcome("both", 0, 1)]), tmp_path)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert card.count("```") == 2


def test_measured_times_are_not_called_simulated_and_the_limit_of_pauses_is_said(sweep: Sweep) -> None:
    measured = replace(sweep, options=replace(sweep.options, costs=CostOptions()), idle_ms=600_000)
    text = paper_text(minutes_table(measured, [outcome("both", 0, 1, origin="measured")]))
    assert "imulated" not in text
    assert "SIMULATED" not in text
    assert "Pauses of more than 60 s are not counted (10.0 min on all these texts)." in " ".join(text.split())


def test_budgets_that_buy_nothing_and_those_that_buy_everything_are_told(sweep: Sweep) -> None:
    nothing = outcome("both", 0, 1, bought=0, minutes=0.5, first_ms=90_000)
    whole = outcome("labels", 0, 1, bought=6, minutes=100, has_all=True)
    none_left = outcome("rationales", 0, 1, bought=0, first_ms=None, has_all=True)
    notes = " ".join(minutes_table(sweep, [nothing, whole, none_left]).notes)
    assert "Both: 0.5 min buy no text with 1 seed, since the first one alone takes up to 90 s." in notes
    assert "Labels: 100 min buy all there is (6.0 min); more minutes buy nothing more." in notes
    assert "Rationales: there is nothing to buy, since every text has a label before." in notes


def test_a_model_that_nothing_was_bought_for_has_a_reason_in_the_place_of_a_number(sweep: Sweep) -> None:
    bare = replace(outcome("both", 0, 1, bought=0), right={})
    cell = minutes_table(sweep, [bare]).rows[0].cells[4]
    assert (cell.value, cell.reason) == (None, "nothing was bought, and no text had a label before")
    assert "not trained" in outcome_line(bare)


def test_what_is_left_out_is_counted(sweep: Sweep) -> None:
    left_out = replace(sweep, n_unpriced=3, n_incomplete=1, n_left_out={"Q": (2, 5)})
    notes = " ".join(minutes_table(left_out, [outcome("both", 0, 1)]).notes)
    assert "3 more texts could be learned from and cannot be bought" in notes
    assert "Of 1 text some of the work has no time" in notes
    assert "Of “Q” 2 texts that the models learn from and 5 with a label that they do not learn are left out." in notes
