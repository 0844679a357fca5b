"""Rows against a chosen one: how it is named, what the table says, and in which instances two rows differ most."""

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.models import Run
from annotator.domain.numbers import written
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.scoring.row_differences import Difference
from annotator.scoring.table import MetricRow, without_repeats
from annotator.store import Store
from annotator.usecases.compare.differences import against_csv, against_latex, against_text, what_could_be_told
from annotator.usecases.compare.row_names import compared_name, compared_row, names_to_compare
from annotator.usecases.compare.rows import (
    differing_csv,
    differing_instances,
    differing_text,
    found_reference,
    references_of,
    rows_against,
    two_rows,
)
from tests.usecases.transfer import comparing

MRR, F1 = "editing.mrr", "sets.best_f1"


@pytest.fixture
def of_three(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Two models, one of them by two methods, one of these with two seeds."""
    made = comparing.project_of(make_project, import_rows)
    comparing.take(
        store,
        made,
        (
            comparing.output(k, Run("org/one", "ig"), comparing.knowing(k), [comparing.said(k, k < 30)])
            for k in range(comparing.N)
        ),
    )
    for seed, scores in ((1, comparing.mistaken), (2, comparing.blind)):
        comparing.take(
            store, made, (comparing.output(k, Run("org/one", "lime", seed=seed), scores(k)) for k in range(comparing.N))
        )
    comparing.take(
        store, made, (comparing.output(k, Run("two", "ig"), comparing.blind(k)) for k in range(comparing.N - 4))
    )
    return made


def sentences(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("org/one · ig", "org/one · ig"),
        ("org/one/ig", "org/one · ig"),
        ("org/one / IG", "org/one · ig"),
        ("lime", "org/one · lime"),
        ("two", "two · ig"),
        ("lime/seed 2", "org/one · lime (seed 2)"),
        ("org/one · lime (seed 2)", "org/one · lime (seed 2)"),  # as it is written where it stands
        ("random", "random"),
    ],
)
def test_a_row_is_named_as_the_table_prints_it_or_by_what_tells_it_from_the_others(
    store: Store, of_three: Project, name: str, expected: str
) -> None:
    table = comparing.table_of(store, of_three)
    rows = without_repeats(table.rows)[0]
    assert compared_name(compared_row(rows, table.random, name), rows) == expected


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("ig", "'ig' is ambiguous: 2 rows (org/one · ig; two · ig)."),
        ("three", "Unknown row 'three'. Available: org/one · ig; org/one · lime; two · ig; random."),
        ("lime/seed 7", "Unknown row 'lime/seed 7'. Available:"),
        ("", "Unknown row ''. Available:"),
    ],
)
def test_a_name_of_no_row_or_of_several_is_refused_with_the_names_there_are(
    store: Store, of_three: Project, name: str, sentence: str
) -> None:
    table = comparing.table_of(store, of_three)
    with pytest.raises(NotFound) as refusal:
        rows_against(table, name, [MRR])
    assert sentence in str(refusal.value)


def test_everything_that_rows_can_be_compared_with_is_found_by_its_name(store: Store, of_three: Project) -> None:
    for samples in (100, 500):
        for seed in (1, 2):
            run = Run("two", "lime", f'{{"n_samples": {samples}}}', seed)
            comparing.take(store, of_three, (comparing.output(k, run, comparing.blind(k)) for k in range(comparing.N)))
    table = comparing.table_of(store, of_three)
    rows = without_repeats(table.rows)[0]
    names = names_to_compare(rows, table.random)
    assert "two · lime (n samples 100, seed 2)" in names
    assert len(set(names)) == len(names)
    assert [compared_name(compared_row(rows, table.random, name), rows) for name in names] == names


def test_rows_that_differ_in_their_parameters_are_told_apart_by_them(store: Store, of_three: Project) -> None:
    for samples in (100, 500):
        run = Run("two", "lime", f'{{"n_samples": {samples}}}')
        comparing.take(store, of_three, (comparing.output(k, run, comparing.blind(k)) for k in range(comparing.N)))
    table = comparing.table_of(store, of_three)
    rows = without_repeats(table.rows)[0]
    chosen = compared_row(rows, table.random, "two/lime/n samples 500")
    assert compared_name(chosen, rows) == "two · lime (n samples 500)"
    with pytest.raises(
        NotFound,
        match=r"'two/lime' is ambiguous: 2 rows \(two · lime \(n samples 100\); two · lime \(n samples 500\)\)\. Add the seed or parameters\.",
    ):
        compared_row(rows, table.random, "two/lime")


def test_what_could_have_been_told_is_said_from_the_row_with_the_least_to_that_with_the_most(
    store: Store, of_three: Project
) -> None:
    """The least alone would say of the noisiest row that its difference would have been found."""
    made = rows_against(comparing.table_of(store, of_three), "two/ig", [F1])
    cell = made.cells[F1][1]
    assert isinstance(cell, Difference)
    assert cell.word == "no clear difference"
    noisy, narrow = replace(cell, told=0.023, n=190), replace(cell, told=0.0031, n=198)
    assert what_could_be_told(replace(made, cells={F1: [noisy, narrow]})) == (
        "Smallest differences detectable with 80 % power: Best-set token F1 0.0031 to 0.023 (n 190 to 198)."
    )
    assert what_could_be_told(replace(made, cells={F1: [noisy, noisy]})).endswith("token F1 0.023 (n 190).")


def test_the_table_says_how_many_comparisons_it_corrects_for_and_over_how_many_instances_each_is(
    store: Store, of_three: Project
) -> None:
    made = rows_against(comparing.table_of(store, of_three), "org/one/ig", [F1, MRR])
    text = against_text(made)
    assert "Holm-corrected for this table's 4 comparisons." in sentences(text)
    assert "n 36" in text
    assert "n 40" in text
    assert "▼" in text
    assert "▼ worse" in text
    [lime, two] = [made.cell(at, made.columns[1]) for at in range(2)]
    assert isinstance(lime, Difference)
    assert isinstance(two, Difference)
    # p of drawn signs cannot be smaller than 1 in 10,000, and four of them stand here
    assert (lime.p, lime.corrected) == pytest.approx((0.0001, 0.0004))
    assert "p < .001, Holm < .001" in text


def test_where_rows_are_not_told_apart_it_is_said_what_so_many_instances_would_have_told(
    store: Store, of_three: Project
) -> None:
    comparing.take(
        store,
        of_three,
        (
            comparing.output(k, Run("three", "ig"), comparing.blind(k + 3 if k % 5 == 0 else k))
            for k in range(comparing.N)
        ),
    )
    made = rows_against(comparing.table_of(store, of_three), "two", [MRR], model="three")
    cell = made.cell(0, made.columns[0])
    assert isinstance(cell, Difference)
    assert cell.word == "no clear difference"
    assert f"{made.columns[0].definition.title} {written(cell.told)} (n 36)" in sentences(against_text(made))


def test_only_rows_of_a_model_or_method_are_compared_where_that_is_asked_with_a_reference_of_any(
    store: Store, of_three: Project
) -> None:
    table = comparing.table_of(store, of_three)
    assert [of.row.model for of in rows_against(table, "lime", [MRR], model="two").rows] == ["two"]
    assert [of.row.method for of in rows_against(table, "two", [MRR], method="lime").rows] == ["lime"]
    with pytest.raises(NotFound, match=r"Nothing to compare with 'two'\."):
        rows_against(table, "two", [MRR], model="two")


def test_the_file_has_a_line_a_comparison_with_all_digits(store: Store, of_three: Project) -> None:
    made = rows_against(comparing.table_of(store, of_three), "org/one/ig", [MRR, "eraser.accuracy"])
    lines = list(csv.DictReader(io.StringIO(against_csv(made))))
    assert [(line["model"], line["method"], line["metric"]) for line in lines] == [
        ("org/one", "lime", MRR),
        ("org/one", "lime", "eraser.accuracy"),
        ("two", "ig", MRR),
    ]
    mine = lines[0]
    assert (mine["against"], mine["n"], mine["n_comparisons"], mine["verdict"]) == ("org/one · ig", "40", "2", "worse")
    assert float(mine["difference"]) == pytest.approx(float(mine["value"]) - float(mine["value_of_reference"]))
    assert float(mine["p_corrected"]) == pytest.approx(2 * float(mine["p"]))
    assert (lines[1]["reason"], lines[1]["difference"]) == ("same numbers", "")


def test_a_papers_table_has_stars_where_rows_are_told_apart(store: Store, of_three: Project) -> None:
    latex = against_latex(rows_against(comparing.table_of(store, of_three), "org/one/ig", [MRR]))
    assert "Differences from org/one $\\cdot$ ig on Project (gold policy all)" in latex
    assert "corrected (Holm) for 2 comparisons" in latex
    assert re.search(r"\*.{0,40}\[\$-\$0\.", latex)
    assert "p \\textless{} .001" in latex
    assert "\\label{tab:differences-project}" in latex


def test_a_papers_table_holds_the_reference_and_names_the_rows_that_are_not_compared(
    store: Store, of_three: Project
) -> None:
    made = rows_against(comparing.table_of(store, of_three), "org/one/ig", [MRR, "eraser.accuracy"])
    latex = against_latex(made)
    own = next(line for line in latex.splitlines() if "its own values" in line)
    assert written(made.reference.row.numbers[MRR].value) in own
    assert "--: not compared, or no number." in latex
    caption, below = latex.split("\\begin{tabularx}")
    assert "Same as the reference (same model or run)." not in caption
    assert "Accuracy of org/\\allowbreak{}one $\\cdot$ lime: Same as the reference (same model or run)." in below


def test_the_instances_in_which_two_rows_differ_most_are_listed_either_way(store: Store, of_three: Project) -> None:
    pair = two_rows(comparing.table_of(store, of_three), "two", "lime/seed 1", MRR)
    assert pair.names == ("two · ig", "org/one · lime (seed 1)")
    listed = differing_instances(store, LOCAL_OPERATOR, of_three, pair, most=3)
    # by blind scores the gold word of text k has rank 1 + k mod 8, by mistaken ones 8: they differ by 7/8 in texts 0, 8, 16 ...
    assert [of.key for of in listed.higher] == [comparing.key_of(0), comparing.key_of(8), comparing.key_of(16)]
    assert listed.higher[0].difference == pytest.approx(7 / 8)
    assert (listed.higher[0].value, listed.higher[0].of_reference) == (1, pytest.approx(1 / 8))
    assert listed.lower == ()
    whole = differing_instances(store, LOCAL_OPERATOR, of_three, pair, most=None)
    assert len(whole.higher) == 36 - 4  # equal where the rank is 8: in texts 7, 15, 23, 31
    text = differing_text(pair, listed)
    assert "+0.875  1.00 against 0.125  t00" in text
    assert "in no instance" in text
    lines = list(csv.DictReader(io.StringIO(differing_csv(pair, whole))))
    assert [line["key"] for line in lines[:3]] == ["t00", "t08", "t16"]
    assert lines[0]["gold"] == "negative"


def test_two_rows_that_are_not_compared_have_no_list_and_it_is_said_why(store: Store, of_three: Project) -> None:
    table = comparing.table_of(store, of_three)
    with pytest.raises(
        InvalidValue,
        match=r"org/one · lime and two · ig can't be compared on er_test\.mae\. Score scales of different methods differ\.",
    ):
        two_rows(table, "lime", "two", "er_test.mae")


def test_who_may_not_see_the_numbers_does_not_see_the_instances_either(
    store: Store, of_three: Project, add_person
) -> None:
    pair = two_rows(comparing.table_of(store, of_three), "two", "lime", MRR)
    with pytest.raises(NotAllowed):
        differing_instances(store, add_person("ann", of_three, "annotator"), of_three, pair)


# Rows of the table of metrics by reference: the same row is found again, whatever other rows have come or gone.

LIME = MetricRow("bert", "lime", "attribution", parameters='{"samples":500}')
MORE = MetricRow("bert", "lime", "attribution", parameters='{"samples":1000}')
LAYER = MetricRow("bert", "attention", "attribution", 3)
HARD = MetricRow("bert", "attention", "hard")
ANSWERS = MetricRow("a/b ü", "", "answers")


def test_a_reference_is_short_where_no_other_row_has_the_same_method() -> None:
    assert references_of([LIME, LAYER, HARD, ANSWERS]) == [
        "bert/lime", "bert/attention//3", "bert/attention/hard", "a%2Fb %C3%BC//answers",
    ]  # fmt: skip


@pytest.mark.parametrize("rows", [[LIME, LAYER, HARD, ANSWERS], [LIME, MORE, LAYER], [MORE, LIME]])
def test_every_row_is_found_by_its_reference(rows) -> None:
    references = references_of(rows)
    assert len(set(references)) == len(rows)
    assert [found_reference(reference, rows) for reference in references] == references


def test_a_reference_with_parameters_is_found_when_the_other_row_is_gone() -> None:
    reference = references_of([LIME, MORE])[1]
    assert found_reference(reference, [LAYER, MORE]) == "bert/lime"
    assert found_reference(reference, [LAYER, LIME]) is None


@pytest.mark.parametrize(
    "reference", ["bert/lime", "bert", "", "////", "bert/lime//x", "%", "bert/lime///{}", "/" * 500]
)
def test_a_reference_that_means_no_row_or_several_is_not_found(reference) -> None:
    assert found_reference(reference, [LIME, MORE]) is None
