"""Numbers cite the release that gold is equal to, and say when gold has moved on."""

from collections.abc import Callable

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.language import speaking
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import metric_table
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.usecases.inspect.groups import evaluate_groups
from annotator.usecases.inspect.metric_formats import table_csv, table_latex, table_text
from annotator.usecases.inspect.metrics_table import metric_view
from annotator.usecases.inspect.project_scores import evaluate_project, evaluate_with_instances
from annotator.usecases.lead.decisions import adjudicate, take_choice_back
from annotator.usecases.models.attributions import attribute
from annotator.usecases.releases.differences import cited_in_words, gold_release
from annotator.usecases.releases.frozen_gold import freeze_gold


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project()
    rows = [
        {"id": f"t{n}", "text": "good and bad", "label": label, "rationales": [[[0, 1]]], "annotator": "a"}
        for n, label in enumerate(("positive", "negative") * 3)
    ]
    import_rows(made, rows)
    return made


def test_numbers_cite_the_release_until_gold_moves_on_and_again_when_it_is_back(store: Store, project: Project) -> None:
    assert gold_release(store, project, "chosen") is None
    release = freeze_gold(store, LOCAL_OPERATOR, project, "camera ready", licence="CC0")
    assert evaluate_project(store, LOCAL_OPERATOR, project)["release"] == release.words
    [number] = find_instance_ids(store, project.id, "t0")
    adjudicate(store, LOCAL_OPERATOR, project, number, "positive", [RationaleSet.of((2, 3))], "better")
    moved = f"moved on since release 1 “camera ready” ({release.day}): 1 instance differs"
    assert evaluate_project(store, LOCAL_OPERATOR, project)["release"] == moved
    take_choice_back(store, LOCAL_OPERATOR, project, number, "a slip")
    assert evaluate_project(store, LOCAL_OPERATOR, project)["release"] == release.words


def test_another_policy_makes_other_gold_than_the_release(store: Store, project: Project) -> None:
    release = freeze_gold(store, LOCAL_OPERATOR, project, "camera ready", licence="CC0")
    assert gold_release(store, project, "union") == f"not that of {release.words}, whose policy is “chosen”"


@pytest.mark.parametrize("group", ["a", None])
def test_the_annotations_of_some_people_are_not_what_a_release_holds(
    store: Store, project: Project, group: str | None
) -> None:
    release = freeze_gold(store, LOCAL_OPERATOR, project, "camera ready", licence="CC0")
    attribute(store, LOCAL_OPERATOR, project, "built-in", "random")
    alone = f"not that of {release.words}, since it is of the annotations of some people alone"
    options = ScoringOptions(by="annotator", group=group)
    whole = evaluate_project(store, LOCAL_OPERATOR, project, options=options)["release"]
    assert whole == (release.words if group is None else alone)
    each = evaluate_groups(store, LOCAL_OPERATOR, project, options=ScoringOptions(by="annotator"))
    assert [made.numbers["release"] for made in each] == [alone]


def test_the_table_says_it_as_text_latex_and_csv(store: Store, project: Project) -> None:
    release = freeze_gold(store, LOCAL_OPERATOR, project, "camera ready", licence="CC0")
    attribute(store, LOCAL_OPERATOR, project, "built-in", "random")
    table = metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, project))
    view = metric_view(table, (), n_resamples=0)
    assert f"gold: {release.words}" in " ".join(table_text(view).split())
    assert "release 1" in table_latex(table, view.rows, view.columns)
    assert release.words in table_csv(table)


def test_whoever_reads_chinese_reads_what_the_numbers_cite_in_chinese(store: Store, project: Project) -> None:
    release = freeze_gold(store, LOCAL_OPERATOR, project, "camera ready", licence="CC0")
    cited = [
        release.words,
        gold_release(store, project, "union"),
        gold_release(store, project, "chosen", is_of_people=True),
    ]
    with speaking("zh"):
        words = [cited_in_words(citation or "") for citation in cited]
    named = f"发布版 1“camera ready”（{release.day}）"
    assert words == [named, f"不是{named}的金标准，其策略为“选定”", f"不是{named}的金标准，因为只取了部分人的标注"]
    assert [cited_in_words(citation or "") for citation in cited] == cited, "English as it was"
