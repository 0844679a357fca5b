"""Numbers of edited sentences of one criterion: those of the papers' table, for the page, the command and the charts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.models import Prediction, Run, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.scoring.reports import ModelReport, ProjectReport
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import metric_table
from annotator.store import Store
from annotator.usecases.compare.model_comparison import ModelPair, compare_models
from annotator.usecases.inspect.metric_formats import table_latex
from annotator.usecases.inspect.metric_values import RowChoice, values_of_row
from annotator.usecases.inspect.metrics_table import metric_view
from annotator.usecases.inspect.project_scores import evaluate_project, evaluate_with_instances
from tests.usecases.edited_sentences import answered, edited_project
from tests.usecases.transfer.comparing import take


@pytest.fixture
def project(store: Store, tmp_path: Path) -> Project:
    made = edited_project(store, tmp_path)
    answered(store, made)
    return made


def evaluated(store: Store, project: Project, criterion: str | None) -> ProjectReport:
    return evaluate_project(store, LOCAL_OPERATOR, project, options=ScoringOptions(criterion=criterion))


def mrr(model: ModelReport) -> tuple[float | None, int | None]:
    number = model["methods"][0]["plausibility"]["editing.mrr"]
    return number["value"], number["n"]


def test_each_criterion_has_its_own_numbers(store: Store, project: Project) -> None:
    of_all, spelling, deleted = (evaluated(store, project, name)["models"][0] for name in (None, "spelling", "deleted"))
    assert mrr(spelling) == (pytest.approx((1 + 1 / 3) / 2), 2)
    assert mrr(deleted) == (1.0, 1)
    assert mrr(of_all) == (pytest.approx((1 + 1 / 3 + 1) / 3), 3)


def test_f1_of_need_edit_is_that_of_the_criterions_sentences(store: Store, project: Project) -> None:
    f1 = [
        evaluated(store, project, name)["models"][0]["quality"]["editing.need_edit_f1"]["value"]
        for name in ("spelling", "deleted", None)
    ]
    assert f1 == [pytest.approx(2 * 0.5 / 1.5), 1.0, pytest.approx(2 * (2 / 3) / (1 + 2 / 3))]  # 2R / (1 + R)


def test_how_many_have_which_is_told_whichever_is_asked_for(store: Store, project: Project) -> None:
    report = evaluated(store, project, "deleted")
    assert (report["criterion"], report["criteria"]) == ("deleted", {"deleted": 1, "spelling": 2})
    assert report["gold"]["instances"] == 1


def test_a_criterion_that_no_sentence_has_is_named_with_those_that_there_are(store: Store, project: Project) -> None:
    with pytest.raises(NotFound, match="has the criterion 'speling' here; there is 'deleted', 'spelling'"):
        evaluated(store, project, "speling")


def test_the_instances_behind_a_row_are_of_the_criterion(store: Store, project: Project) -> None:
    row = RowChoice("bert", "attention", "attribution")
    values = values_of_row(store, LOCAL_OPERATOR, project, row, ScoringOptions(criterion="spelling"))
    assert [instance.key for instance in values.instances] == ["line1", "line2"]


def test_two_models_are_compared_over_sentences_of_the_criterion(store: Store, project: Project) -> None:
    answered(store, project, "other")
    n = {
        criterion: compare_models(
            store, LOCAL_OPERATOR, [project], ModelPair(("bert",), ("other",)), ScoringOptions(criterion=criterion)
        )["Edits"].parts["all"].n
        for criterion in (None, "spelling", "other", "")
    }  # fmt: skip
    assert n == {None: 6, "spelling": 2, "other": 1, "": 2}  # all with a label, gold sets or not


def test_a_paper_s_table_says_its_split_and_criterion(store: Store, project: Project) -> None:
    options = ScoringOptions(split="", criterion="spelling")
    view = metric_view(metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, project, options=options)))
    made = table_latex(view.table, view.rows, view.columns)
    assert "\\caption{Metrics of Edits (gold policy chosen, split (none), criterion spelling)" in made


def test_a_project_without_edits_tells_no_criterion_and_no_f1_of_edits(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, [{"id": "line1", "text": "a b c d", "label": "positive", "rationales": [[[1, 2]]]}])
    answered_only(store, made)
    report = evaluated(store, made, None)
    assert report["criteria"] == {}
    assert "editing.need_edit_f1" not in report["models"][0]["quality"]


def answered_only(store: Store, project: Project) -> None:
    prediction = Prediction(None, {"positive": 1.0, "negative": 0.0})
    take(store, project, [SourceOutput("line1", Run("m"), "f", 1, None, (prediction,))])
