"""The table of metrics as people read it: on the page, in a terminal, as LaTeX, in Chinese."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.models import Run
from annotator.domain.numbers import written
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.language import speaking
from annotator.metrics.definitions import Definition
from annotator.metrics.registry import idea_of
from annotator.scoring.chance_verdicts import judged
from annotator.scoring.reports import TrainingReport
from annotator.scoring.shared_instances import are_different, over_shared
from annotator.scoring.table import MetricTable, all_table_definitions, sorted_rows
from annotator.store import Store
from annotator.usecases.compare.differences import against_csv, against_latex
from annotator.usecases.compare.row_names import names_to_compare, spoken_to_compare
from annotator.usecases.compare.rows import rows_against
from annotator.usecases.inspect.metric_formats import table_csv, table_latex, table_text
from annotator.usecases.inspect.metrics_table import (
    first_columns,
    gold_summary,
    metric_view,
    named,
    plain_words_of,
    title_of,
)
from annotator.usecases.inspect.shown_table import (
    JudgedColumn,
    TableView,
    head_of,
    headline,
    judged_column,
    verdict_sentences,
    what_a_verdict_is,
)
from tests.usecases.transfer.comparing import (
    N,
    blind,
    knowing,
    mistaken,
    output,
    project_of,
    row_of,
    said,
    table_of,
    take,
)

F1 = "sets.best_f1"


@pytest.fixture
def apart(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """One model knows the gold of the first texts, another one has no idea of the others."""
    made = project_of(make_project, import_rows)
    for model, scores, places in (("knowing", knowing, range(N // 2)), ("blind", blind, range(N // 2, N))):
        take(store, made, (output(k, Run(model, "ig"), scores(k), [said(k, True)]) for k in places))
    return made


def test_where_rows_have_no_instance_in_common_none_is_marked_as_the_best(store: Store, apart: Project) -> None:
    table = table_of(store, apart)
    column = table.column(F1)
    shared = over_shared(table, table.rows)
    differs = {F1: are_different(table, table.rows, column)}
    view = TableView(shared, shared.rows, [column], differs, is_shared=True)
    judged = judged_column(view, column)
    assert [verdict.verdict.word for verdict in judged.verdicts if verdict.verdict is not None] == [
        "not told",
        "better",
    ]
    assert not any(cell.is_best for cell in judged.cells)
    assert "no shared instances" in head_of(column, view).family


def test_the_best_row_is_held_against_the_next_run_and_not_against_its_own_selection(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = project_of(make_project, import_rows)
    take(store, made, (output(n, Run("one", "ig"), knowing(n), hard=[(0, 8)]) for n in range(N)))
    take(store, made, (output(n, Run("two", "ig"), mistaken(n)) for n in range(N)))
    table = table_of(store, made)
    column = table.column(F1)
    view = TableView(table, table.rows, [column], {F1: False}, is_shared=True)
    assert [row.numbers[F1].value for row in table.rows] == [1.0, pytest.approx(2 / 9), 0.0]
    assert headline(view, [judged_column(view, column)]).endswith(" two · ig is clearly behind.")


def test_the_head_says_how_many_of_the_rows_share_the_instances(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = project_of(make_project, import_rows)
    for model, places in (("whole", range(N)), ("nearly", range(1, N)), ("few", range(N // 4))):
        take(store, made, (output(k, Run(model, "ig"), knowing(k), [said(k, True)]) for k in places))
    table = table_of(store, made)
    column = table.column(F1)
    shared = over_shared(table, table.rows)
    view = TableView(shared, shared.rows, [column], {F1: True}, is_shared=True)
    assert f"n {N - 1} shared by 2 of 3 rows" in head_of(column, view).family
    both = [row for row in shared.rows if row.model != "few"]
    assert (
        f"n {N - 1} shared by all rows"
        in head_of(column, TableView(shared, both, [column], {F1: True}, is_shared=True)).family
    )


# A project's numbers in a terminal: the columns that the page shows first or that were named, with what one has to know of them.


@pytest.fixture
def compared(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """One model knows the gold, one is mistaken, one has no idea."""
    made = project_of(make_project, import_rows)
    for model, scores in (("knowing", knowing), ("mistaken", mistaken), ("blind", blind)):
        take(store, made, (output(k, Run(model, "ig"), scores(k), [said(k, k < 30)]) for k in range(N)))
    return made


def sentences(text: str) -> str:
    """Without the breaks of lines."""
    return " ".join(text.split())


def line_of(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(name))


def test_each_row_has_its_numbers_and_verdicts_and_the_best_is_marked(store: Store, compared: Project) -> None:
    table = table_of(store, compared)
    text = table_text(metric_view(table, [F1]))
    assert line_of(text, "knowing · ig").split()[-2:] == [written(row_of(table, "knowing").numbers[F1].value), "▲★"]
    assert line_of(text, "mistaken · ig").split()[-1] == "▼"
    assert line_of(text, "blind · ig").split()[-1] == "≈"
    assert "▼ worse than its baseline" in sentences(text)
    assert f"n {N}" in text
    assert line_of(text, "random, mean of ten seeds").split()[-1] == written(table.random.numbers[F1].value)


def test_what_is_shown_first_is_what_the_page_shows_first_of_each_idea_one_variant(
    store: Store, compared: Project
) -> None:
    table = table_of(store, compared)
    names = first_columns(table)
    assert [column.name for column in metric_view(table).columns] == names
    assert len({*map(idea_of, names)}) == len(names) >= 4  # one variant of each idea


def test_seeds_are_one_row_with_their_deviation(store: Store, compared: Project) -> None:
    for seed, scores in enumerate((knowing, mistaken)):
        take(store, compared, (output(k, Run("seeded", "ig", seed=seed), scores(k)) for k in range(N)))
    text = table_text(metric_view(table_of(store, compared), [F1]))
    assert "±" in line_of(text, "seeded · ig")
    assert "± the standard deviation over seeds" in sentences(text)


def test_intervals_stand_below_their_numbers(store: Store, compared: Project) -> None:
    table = table_of(store, compared, n_resamples=50)
    number = row_of(table, "blind").numbers[F1]
    text = table_text(metric_view(table, [F1], n_resamples=50))
    assert f"[{written(number.low)}, {written(number.high)}]" in text
    assert "[…, …] the 95 % bootstrap interval; ↑ higher is better, ↓ lower is better." in sentences(text)


def test_rows_over_different_instances_are_brought_together_unless_one_asks_for_their_own(
    store: Store, compared: Project
) -> None:
    take(store, compared, (output(k, Run("most", "ig"), knowing(k)) for k in range(N - 5)))
    table = table_of(store, compared)
    shared = metric_view(table, [F1])
    assert {row.numbers[F1].n for row in shared.rows} == {N - 5}
    assert "Each column is over the instances that all of its rows have" in sentences(table_text(shared))
    own = table_text(metric_view(table, [F1], is_shared=False))
    assert line_of(own, "most · ig").split()[3] == str(N - 5)
    assert line_of(own, "blind · ig").split()[3] == str(N)
    assert "★" not in own
    assert "The rows are over different instances, so that none is marked as the best." in sentences(own)


def test_where_too_few_instances_are_shared_each_row_keeps_its_own(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    """As the switch on the page stands before anybody touched it."""
    made = project_of(make_project, import_rows)
    for model, numbers in (("early", range(25)), ("late", range(15, N))):
        take(store, made, (output(k, Run(model, "ig"), knowing(k)) for k in numbers))
    table = table_of(store, made)
    assert [row.numbers[F1].n for row in metric_view(table, [F1]).rows] == [25, 25]
    assert not metric_view(table, [F1]).table.shared


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("best_f1", r"There is no metric 'best_f1'. Did you mean sets.best_f1\?"),  # the family is missing
        ("eraser.acuracy", "Did you mean eraser.accuracy"),
        ("qqq", r"There is no metric 'qqq'. docs/metrics.md lists"),
        ("fairness.fprd", "No run of 'Project' that was asked for has the number 'fairness.fprd'"),
        ("benchmark.map", "No run of 'Project' .* has the number 'benchmark.map'"),  # the register has it, no run does
    ],
)
def test_a_name_that_stands_for_no_number_is_refused_with_near_ones(
    store: Store, compared: Project, name: str, sentence: str
) -> None:
    with pytest.raises(NotFound, match=sentence):
        metric_view(table_of(store, compared), [name])


def test_a_project_without_gold_is_refused_with_what_helps(store: Store, make_project: Callable[..., Project]) -> None:
    with pytest.raises(NotFound, match="No instance of 'Project' .* has gold under the policy “chosen”"):
        metric_view(table_of(store, make_project()))


def test_labelled_texts_without_gold_are_counted_where_the_gold_is_told(
    store: Store, compared: Project, import_rows: Callable[..., object]
) -> None:
    assert "labelled text" not in gold_summary(table_of(store, compared))
    import_rows(compared, [{"id": "bare", "text": "a b c", "label": compared.labels[0]}])
    assert "1 labelled text without gold doesn't count" in gold_summary(table_of(store, compared))


# The LaTeX of a project's table: the same rows, columns, numbers and marks as on the page.


@pytest.fixture
def with_half(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """One model knows the gold, one is mistaken; the third looked at half of the texts."""
    made = project_of(make_project, import_rows)
    for model, scores, n in (("knowing", knowing, N), ("mistaken", mistaken, N), ("half", blind, N // 2)):
        take(store, made, (output(k, Run(model, "ig"), scores(k), [said(k, k < 30)]) for k in range(n)))
    return made


def cells(made: str, name: str) -> list[str]:
    line = next(line for line in made.splitlines() if line.strip().startswith(name))
    return [cell.strip() for cell in line.removesuffix("\\\\").split("&")]


def test_the_best_is_bold_and_numbers_are_as_they_are_shown(store: Store, with_half: Project) -> None:
    table = table_of(store, with_half)
    rows = [row for row in table.rows if row.model != "half"]
    made = table_latex(table, rows, [table.column(F1)])
    values = {model: written(row_of(table, model).numbers[F1].value) for model in ("knowing", "mistaken")}
    assert cells(made, "knowing")[1] == f"\\textbf{{{values['knowing']}}}\\rlap{{\\textsuperscript{{+}}}}"
    assert cells(made, "mistaken")[1] == f"{values['mistaken']}\\rlap{{\\textsuperscript{{$-$}}}}"
    assert f"\\caption{{Metrics of Project (gold policy all), n = {N}. F1: Best-set token F1 (set by set).}}" in made
    assert f"}}{written(table.random.numbers[F1].value)} \\\\" in cells(made, "random")[1]


def test_rows_stand_under_their_model_where_one_has_several(store: Store, with_half: Project) -> None:
    take(store, with_half, (output(k, Run("knowing", "lime"), knowing(k), [said(k, k < 30)]) for k in range(N)))
    table = table_of(store, with_half)
    made = [line.strip() for line in table_latex(table, table.rows, [table.column(F1)]).splitlines()]
    start = made.index(r"\multicolumn{2}{@{}l}{\emph{knowing, n = 40}} \\")
    assert made[start + 1].startswith("ig & ")
    assert made[start + 2].startswith("lime & ")
    assert made[start + 3] == r"\midrule"


def test_two_columns_of_one_short_name_have_their_titles(store: Store, with_half: Project) -> None:
    table = table_of(store, with_half)
    made = table_latex(table, table.rows, [table.column(F1), table.column("eraser.macro_f1")])
    assert r"Best-set \\ token \\ F1" in made
    assert r"Macro \\ F1" in made


def test_where_rows_are_over_different_instances_each_tells_its_n_and_the_notes_why_nothing_is_bold(
    store: Store, with_half: Project
) -> None:
    table = table_of(store, with_half)
    made = table_latex(table, table.rows, [table.column(F1)])
    assert "\\textbf{" not in made
    assert cells(made, "knowing")[0].endswith(f"{{\\scriptsize n = {N}}}")
    assert cells(made, "half")[0].endswith(f"{{\\scriptsize n = {N // 2}}}")
    assert "The rows are over different instances (n), so that none is marked as the best." in made
    assert f"n = {N // 2} to {N}" not in made


def test_n_stands_beside_the_model_where_all_of_its_rows_have_one(store: Store, with_half: Project) -> None:
    take(store, with_half, (output(k, Run("knowing", "lime"), knowing(k), [said(k, k < 30)]) for k in range(N)))
    table = table_of(store, with_half)
    made = table_latex(table, table.rows, [table.column(F1)])
    assert f"\\emph{{knowing, n = {N}}}" in made
    assert cells(made, "lime")[0] == "lime"


def test_a_row_that_is_not_compared_is_named_with_the_reason(store: Store, with_half: Project) -> None:
    view = metric_view(table_of(store, with_half))
    made = table_latex(view.table, view.rows, view.columns)
    assert "since it lacks more than a fifth of the instances of the others, and therefore never bold: half" in made
    assert "over different instances (n)" not in made


def test_what_a_model_learned_from_and_what_is_too_few_are_told_below(store: Store, with_half: Project) -> None:
    table = table_of(store, with_half)
    learned: TrainingReport = {"is_known": True, "split": "train", "left_out": 21, "changed_left_out": 0, "seen": 0}
    rows = [replace(row, training=learned) if row.model == "half" else row for row in table.rows]
    made = table_latex(table, rows, [table.column(F1)])
    assert "half: 21 training texts (split train) excluded.\\end{minipage}" in made
    assert "too few to say" not in made  # it has twenty
    assert cells(made, "knowing")[1].startswith(
        f"{written(row_of(table, 'knowing').numbers[F1].value)}\\rlap{{\\textsuperscript{{+}}}}"
    )
    assert "+ better than its baseline; $\\approx$ no clear difference from its baseline" in made
    assert "Baseline: random." in made
    take(store, with_half, (output(k, Run("few", "ig"), blind(k), [said(k, k < 30)]) for k in range(9)))
    table = table_of(store, with_half)
    made = table_latex(table, table.rows, [table.column(F1)])
    assert "? fewer than 20 instances: too few to say whether it is better than its baseline" in made
    assert "\\rlap{\\textsuperscript{?}}" in cells(made, "few")[1]


def test_the_latex_names_the_baseline_of_each_column_and_says_what_its_brackets_are(
    store: Store, with_half: Project
) -> None:
    table = table_of(store, with_half, n_resamples=20)
    made = table_latex(table, table.rows, [table.column(F1), table.column("eraser.accuracy")])
    assert "Baseline: random (F1); always predicting “negative” (Acc.)." in made
    assert "[…, …] the 95 \\% bootstrap interval" in made


def test_rows_that_are_sorted_across_models_stand_under_no_model(store: Store, with_half: Project) -> None:
    take(store, with_half, (output(k, Run("knowing", "lime"), mistaken(k), [said(k, k < 30)]) for k in range(N)))
    table = table_of(store, with_half)
    made = table_latex(table, sorted_rows(table.rows, table.column(F1)), [table.column(F1)])
    assert "knowing $\\cdot$ lime " in made
    assert "\\emph" not in made
    assert made.count("\\midrule") == 2  # below the head and above random


def test_the_table_has_a_label(store: Store, with_half: Project) -> None:
    table = table_of(store, with_half)
    assert "\\label{tab:metrics-project}" in table_latex(table, table.rows, [table.column(F1)])


def test_what_is_printed_first_is_over_the_instances_that_competing_rows_have(store: Store, with_half: Project) -> None:
    view = metric_view(table_of(store, with_half))
    made = table_latex(view.table, view.rows, view.columns)
    assert "\\textbf{" in made
    assert [cells(made, name)[0] for name in ("knowing", "mistaken", "half", "random")]


def test_a_project_without_output_is_refused_with_what_helps(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    with pytest.raises(NotFound, match="There are no numbers of 'Project' yet"):
        metric_view(table_of(store, project_of(make_project, import_rows)))


# The numbers of models read in Chinese: what is shown is said in it, what is written to files and addresses is not.


@pytest.fixture
def table(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> MetricTable:
    made = project_of(make_project, import_rows)
    for model, scores in (("knowing", knowing), ("blind", blind)):
        take(store, made, (output(k, Run(model, "ig"), scores(k), [said(k, True)]) for k in range(N)))
    return table_of(store, made)


def test_files_are_the_same_whoever_takes_them(table: MetricTable) -> None:
    def written() -> list[str]:
        made = rows_against(table, "random", [F1])
        rows, columns = table.rows, [table.column(F1)]
        return [table_csv(table), table_latex(table, rows, columns), against_csv(made), against_latex(made)]

    english = written()
    with speaking("zh"):
        assert written() == english


def test_an_address_names_a_row_as_in_every_language(table: MetricTable) -> None:
    english = names_to_compare(table.rows, table.random)
    assert english[-1] == "random"
    with speaking("zh"):
        assert names_to_compare(table.rows, table.random) == english
        assert spoken_to_compare(table.rows, table.random) == [*english[:-1], "随机"]
        assert title_of(rows_against(table, "random").reference.row) == "随机"


def test_a_verdict_that_is_kept_is_said_in_the_language_of_who_reads_it(table: MetricTable) -> None:
    column = table.column(F1)
    with speaking("zh"):
        kept = JudgedColumn(column, judged(table, table.rows, column), [])
        titles = [title_of(row) for row in table.rows]
        [of_knowing] = [line for line in verdict_sentences(kept, range(len(titles)), titles) if "knowing" in line]
        assert of_knowing.startswith("knowing · ig：在这份金标准上优于随机（+")
        assert (
            "判断：每个实例的数值减去它在十次随机排序上的平均（选出的词元：同样多的随机词元；准确率：总是预测最多的标签）。大于 0 为更好。方括号：按实例的 95% bootstrap 区间。合理性说明与人的看法一致，并不说明模型依靠什么。"
            in what_a_verdict_is(0)
        )
    [of_knowing] = [line for line in verdict_sentences(kept, range(len(titles)), titles) if "knowing" in line]
    assert of_knowing.startswith("knowing · ig: better than random on this gold (+")


def test_what_is_scored_is_said_in_chinese(table: MetricTable) -> None:
    with speaking("zh"):
        assert gold_summary(table).startswith(f"{N} 个有金标准的实例（策略“全部”）")
        assert named(table.column(F1)) == "最佳依据集的词元 F1（逐集） ↑"


@pytest.mark.parametrize("definition", all_table_definitions(), ids=lambda definition: definition.name)
def test_what_a_metric_tells_newcomers_is_said_in_chinese(definition: Definition) -> None:
    with speaking("zh"):
        words = plain_words_of(definition)
    assert words == "" or (is_chinese(words) and words.endswith("。"))


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)
