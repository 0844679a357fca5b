"""The numbers of models read in Chinese: what is shown is said in it, what is written to files and addresses is not."""

from collections.abc import Callable

import pytest

from annotator.domain.models import Run
from annotator.domain.projects import Project
from annotator.language import speaking
from annotator.metrics.definitions import Definition
from annotator.scoring.chance_verdicts import judged
from annotator.scoring.table import MetricTable, all_table_definitions
from annotator.store import Store
from annotator.usecases.compare.differences import against_csv, against_latex
from annotator.usecases.compare.row_names import names_to_compare, spoken_to_compare
from annotator.usecases.compare.rows import rows_against
from annotator.usecases.inspect.metric_formats import table_csv, table_latex
from annotator.usecases.inspect.metrics_table import gold_summary, named, plain_words_of, title_of
from annotator.usecases.inspect.shown_table import JudgedColumn, verdict_sentences, what_a_verdict_is
from tests.usecases.transfer.comparing import N, blind, knowing, output, project_of, said, table_of, take

F1 = "sets.best_f1"


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
        assert "它并不说明模型依靠什么" in what_a_verdict_is(0)
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
