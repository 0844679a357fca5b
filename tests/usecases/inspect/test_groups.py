"Numbers of one group of the instances: by label, split, perturbation type, metadata, and by whose sets are gold."

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.numbers import written
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.scoring.reports import ModelReport, ProjectReport
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.shared_instances import as_shown
from annotator.scoring.table import metric_table
from annotator.store import Store
from annotator.usecases.compare.model_comparison import ModelPair, compare_models
from annotator.usecases.inspect.groups import evaluate_groups, group_lines, group_tables, groups_csv, row_heads
from annotator.usecases.inspect.metric_formats import table_csv, table_latex
from annotator.usecases.inspect.metric_values import RowChoice, groupings_of, values_of_row
from annotator.usecases.inspect.metrics_table import gold_summary, metric_view
from annotator.usecases.inspect.project_scores import evaluate_project, evaluate_with_instances
from tests.usecases.edited_sentences import answered, edited_project
from tests.usecases.transfer.comparing import take

ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": "bad slow dull plot", "label": "negative", "annotator": "ann", "rationales": [[[0, 1]]], "metadata": {"source": "x"}},
    {"id": "a", "text": "bad slow dull plot", "label": "negative", "annotator": "bob", "rationales": [[[3, 4]]], "metadata": {"source": "x"}},
    {"id": "b", "text": "good fun nice cast", "label": "positive", "annotator": "ann", "rationales": [[[0, 1]]], "split": "test"},
    {"id": "a1", "text": "bad slow dull film", "label": "negative", "annotator": "bob", "rationales": [[[0, 1]]], "parent": "a", "perturbation_kind": "synonym"},
]  # fmt: skip
F1 = "sets.best_f1"


@pytest.fixture
def project(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., Any]) -> Project:
    """Three texts; of the first two annotators mark another word; the model looks at the first word of each."""
    made = make_project(gold_policy="all")
    assert import_rows(made, ROWS).problems == []
    scores = (SourceAttribution((ScoredPart((3.0, 2.0, 1.0, 0.0)),)),)
    take(store, made, (SourceOutput(key, Run("m", "lime"), "f", 1, None, (), scores) for key in ("a", "b", "a1")))
    return made


def test_annotators_whose_names_are_numbers_come_in_the_order_of_the_numbers(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., Any]
) -> None:
    made = make_project(gold_policy="all")
    names = ("101", "2", "10", "1")
    rows = [{**ROWS[0], "annotator": name, "rationales": [[[n, n + 1]]]} for n, name in enumerate(names)]
    assert import_rows(made, rows).problems == []
    report: Any = evaluate_project(store, LOCAL_OPERATOR, made, options=ScoringOptions(by="annotator"))
    assert list(report["groups"]) == ["1", "2", "10", "101"]


def f1(store: Store, project: Project, by: str, group: str | None) -> tuple[float | None, int | None]:
    options = ScoringOptions(by=by, group=group)
    numbers: Any = evaluate_project(store, LOCAL_OPERATOR, project, options=options)
    number = numbers["models"][0]["methods"][0]["plausibility"][F1]
    return number["value"], number["n"]


@pytest.mark.parametrize(
    ("by", "counts"),
    [
        ("label", {"negative": 2, "positive": 1}),
        ("split", {"": 2, "test": 1}),
        ("kind", {"": 2, "synonym": 1}),
        ("metadata:source", {"": 2, "x": 1}),
        ("annotator", {"ann": 2, "bob": 2}),
    ],
)
def test_how_many_each_group_has_is_told_whichever_is_chosen(store, project, by, counts) -> None:
    options, progress = ScoringOptions(by=by), list[tuple[int, int]]()
    made = list(
        evaluate_groups(store, LOCAL_OPERATOR, project, options=options, progress=lambda *n: progress.append(n))
    )
    assert {of_group.group: of_group.n for of_group in made} == counts
    assert progress == [(n, len(counts)) for n in range(len(counts) + 1)]
    for of_group in made:  # with one look at the gold for all groups, what each by itself has
        alone = replace(options, group=of_group.group)
        assert of_group.numbers == evaluate_project(store, LOCAL_OPERATOR, project, options=alone)
    for group in (None, *counts):
        report = evaluate_project(store, LOCAL_OPERATOR, project, options=ScoringOptions(by=by, group=group))
        assert (report["by"], report["group"], report["groups"]) == (by, group, counts)
        assert report["gold"]["instances"] == (3 if group is None else counts[group])


def test_by_annotator_the_gold_is_of_that_persons_sets_alone(store, project) -> None:
    assert f1(store, project, "annotator", "ann") == (1.0, 2)
    assert f1(store, project, "annotator", "bob") == (pytest.approx((0 + 1) / 2), 2)
    assert f1(store, project, "", None)[1] == 3


@pytest.fixture
def told(project: Project, import_rows: Callable[..., Any]) -> Project:
    """Of the annotators of the first text the file tells an age; cid, who marked with ann, is as old."""
    facts = [
        {"annotator": "ann", "age": "young"},
        {"annotator": "bob", "age": "old"},
        {"annotator": "cid", "age": "young"},
    ]
    third = ROWS[0] | {"annotator": "cid", "rationales": [[[1, 2]]]}
    rows = [row | {"metadata": {"annotations": facts}} for row in (ROWS[0], ROWS[1], third)]
    assert import_rows(project, rows, update=True).problems == []
    return project


def test_by_what_is_told_of_annotators_the_gold_is_of_all_of_the_group(store, told) -> None:
    by = "annotators:age"
    made = list(evaluate_groups(store, LOCAL_OPERATOR, told, options=ScoringOptions(by=by)))
    # of the other texts nothing is told of whoever marked them
    assert {of_group.group: of_group.n for of_group in made} == {"": 2, "old": 1, "young": 1}
    # ann and cid marked two of four tokens, so k is 2: both are chosen, and the best set has one of them
    assert f1(store, told, by, "young") == (pytest.approx(2 / 3), 1)
    assert f1(store, told, by, "old") == (0.0, 1)


def test_what_nobody_tells_of_annotators_is_refused_with_what_there_is(store, told) -> None:
    with pytest.raises(InvalidValue, match="gives annotators' 'sex';"):
        f1(store, told, "annotators:sex", None)
    with pytest.raises(InvalidValue, match=r"'age' describes annotators, not texts\. Group by 'annotators:age'\."):
        f1(store, told, "metadata:age", None)


def test_groups_of_annotators_are_for_those_who_see_all_annotations(store, told, add_person) -> None:
    researcher, lead = add_person("res", told, "researcher"), add_person("boss", told, "lead")
    assert "annotators:age" not in groupings_of(store, researcher, told)
    assert "annotators:age" in groupings_of(store, lead, told)
    with pytest.raises(NotAllowed):
        evaluate_project(store, researcher, told, options=ScoringOptions(by="annotators:age", group="old"))


def test_the_instances_behind_a_row_are_those_of_the_group(store, project) -> None:
    choice = RowChoice("m", "lime", "attribution")
    values = values_of_row(store, LOCAL_OPERATOR, project, choice, ScoringOptions(by="label", group="positive"))
    assert [instance.key for instance in values.instances] == ["b"]


def test_groups_by_annotator_are_for_those_who_see_all_annotations(store, project, add_person) -> None:
    researcher, lead = add_person("res", project, "researcher"), add_person("boss", project, "lead")
    options = ScoringOptions(by="annotator", group="ann")
    assert groupings_of(store, researcher, project) == ["label", "split", "kind", "metadata:source"]
    assert groupings_of(store, lead, project) == ["label", "split", "kind", "annotator", "metadata:source"]
    for look in (
        lambda: evaluate_project(store, researcher, project, options=options),
        lambda: list(evaluate_groups(store, researcher, project, options=options)),
        lambda: values_of_row(store, researcher, project, RowChoice("m", "lime", "attribution"), options),
    ):
        with pytest.raises(NotAllowed):
            look()
    evaluate_project(store, lead, project, options=options)


def test_a_group_or_a_grouping_that_is_not_there_is_named_with_those_that_there_are(store, project) -> None:
    with pytest.raises(NotFound, match=r"No gold instance has label 'neutral', only 'negative', 'positive'\."):
        f1(store, project, "label", "neutral")
    for by in ("mood", "metadata:"):
        with pytest.raises(InvalidValue, match=rf"Can't group by '{by}'\. Choose label,"):
            f1(store, project, by, None)


def test_a_name_that_no_text_has_in_its_metadata_is_refused_with_those_there_are(store, project, import_rows) -> None:
    told = {"origin": "x", "annotations": [{"annotator": "ann", "age_group": "old"}]}
    import_rows(project, [{"id": "d", "text": "Fine.", "label": "positive", "metadata": told}])
    options = ScoringOptions(by="metadata:sourse")
    for look in (evaluate_project, lambda *of, **options: list(evaluate_groups(*of, **options))):
        with pytest.raises(
            InvalidValue, match=r"No text of 'Project' has metadata 'sourse'; text metadata: 'origin', 'source'\."
        ):
            look(store, LOCAL_OPERATOR, project, options=options)
    with pytest.raises(
        InvalidValue, match=r"'age_group' describes annotators, not texts\. Group by 'annotators:age_group'\."
    ):
        f1(store, project, "metadata:age_group", None)


def test_the_summary_the_csv_and_the_latex_say_the_group(store, project) -> None:
    options = ScoringOptions(by="metadata:source", group="x")
    table = metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, project, options=options))
    assert "1 instance with gold (policy “all”, “source” of the metadata x)" in gold_summary(table)
    assert (
        "1 instance with gold (policy “all”, “source” of the metadata x) · by “source” of the metadata: (not stated) 2, x 1 (2 groups under 20, too few to tell) · 2 distinct rationale sets · top k: RLR × tokens, rounded up; RLR 0.333 of the whole project’s gold · gold isn't marked exhaustive, so recall doesn't measure comprehensiveness"
        in gold_summary(table)
    )
    view = metric_view(table)
    assert "“source” of the metadata x" in table_latex(view.table, view.rows, view.columns)
    first, second, *_ = table_csv(table).splitlines()
    assert first.endswith(",grouped_by,of_group")
    assert second.endswith(",metadata:source,x")


def test_the_summary_says_how_many_annotations_are_no_part_of_the_gold_because_of_their_label(
    store, project, import_rows
) -> None:
    row = {"id": "d", "text": "Fine.", "label": "positive", "split": "odd", "rationales": [[[0, 1]]]}
    others = [row | {"annotator": name, "annotator_label": "negative"} for name in ("eve", "fay")]
    import_rows(project, [row | {"annotator": "ann"}, *others])

    def summary(split: str | None = None) -> str:
        return gold_summary(
            metric_table(evaluate_project(store, LOCAL_OPERATOR, project, options=ScoringOptions(split=split)))
        )

    other = "2 accepted annotations with a different result aren't gold"
    assert f"4 instances with gold (policy “all”) · 5 distinct rationale sets · {other} · top k" in summary()
    assert f"1 instance with gold (policy “all”, split odd) · 1 distinct rationale set · {other} · top k" in summary(
        "odd"
    )
    assert "different result" not in summary("")


def test_what_gold_there_is_is_told_before_any_run_is_scored(store, project) -> None:
    calls: list[str] = []

    def show_gold(known: Any) -> None:
        calls.append(gold_summary(metric_table(known)))

    made = evaluate_with_instances(
        store, LOCAL_OPERATOR, project, progress=lambda done, _: calls.append(f"run {done}"), show_gold=show_gold
    )
    assert calls == [gold_summary(metric_table(*made)), "run 1"]
    assert calls[0].startswith("3 instances with gold (policy “all”)")


# One metric in every group, a line a group: the numbers are those of the group by itself.

TABLE_ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": "bad slow dull plot", "label": "negative", "rationales": [[[0, 1]]]},
    {"id": "b", "text": "good fun nice cast", "label": "positive", "rationales": [[[3, 4]]]},
    {"id": "c", "text": "fine warm kind tale", "label": "positive", "rationales": [[[0, 1]]]},
]


@pytest.fixture
def tabled(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., Any]) -> Project:
    """A method that looks at the first word of every text, and one that explains the positive texts alone, at the last word."""
    made = make_project(gold_policy="all")
    assert import_rows(made, TABLE_ROWS).problems == []
    for method, keys, scores in (("first", "abc", (3.0, 2.0, 1.0, 0.0)), ("last", "bc", (0.0, 1.0, 2.0, 3.0))):
        maps = (SourceAttribution((ScoredPart(scores),)),)
        take(store, made, (SourceOutput(key, Run("m", method), method, 1, None, (), maps) for key in keys))
    return made


def test_each_group_has_a_line_with_the_numbers_of_every_row(store: Store, tabled: Project) -> None:
    tables = group_tables(store, LOCAL_OPERATOR, tabled, ScoringOptions(by="label"), lambda _done, _of: None)
    rows = tables["positive"].rows
    lines = list(group_lines(tables, "label", [row.key for row in rows], F1))
    assert [(line.title, line.detail) for line in lines] == [("negative", "1 instance"), ("positive", "2 instances")]
    # of the positive texts the first word is gold in one, the last in the other
    assert [[cell.text for cell in line.cells[:2]] for line in lines] == [["1.00", "–"], ["0.500", "0.500"]]
    chance = [f"{tables[name].random.numbers[F1].value:.3f}" for name in ("negative", "positive")]
    assert [line.cells[2].text for line in lines] == chance
    heads = row_heads(rows, tables["positive"].column(F1))
    assert [(head.group, head.title) for head in heads] == [("m", "first"), ("m", "last"), ("", "random")]


def test_the_rows_of_a_group_are_over_the_texts_of_all_as_in_its_own_table_or_each_says_over_how_many(
    store: Store, tabled: Project, import_rows: Callable[..., Any]
) -> None:
    row = {"label": "positive", "rationales": [[[0, 1]]]}
    import_rows(tabled, [row | {"id": key, "text": f"fine and so {key}"} for key in "defgh"])
    for method, keys, scores in (("first", "defgh", (3.0, 2.0, 1.0, 0.0)), ("last", "efgh", (0.0, 1.0, 2.0, 3.0))):
        maps = (SourceAttribution((ScoredPart(scores),)),)
        take(store, tabled, (SourceOutput(key, Run("m", method), method, 1, None, (), maps) for key in keys))
    tables = group_tables(store, LOCAL_OPERATOR, tabled, ScoringOptions(by="label"), lambda _done, _of: None)
    keys = [row.key for row in tables["positive"].rows]
    [_negative, shared] = group_lines(tables, "label", keys, F1)
    _table, of_group = as_shown(tables["positive"], tables["positive"].rows, tables["positive"].columns)
    assert [cell.text for cell in shared.cells[:2]] == [written(row.numbers[F1].value) for row in of_group]
    assert [cell.text for cell in shared.cells[:2]] == ["0.833", "0.167"]
    assert shared.detail == "7 instances · n 6 shared by all rows"
    [_negative, apart] = group_lines(tables, "label", keys, F1, is_shared=False)
    assert [(cell.text, cell.notes) for cell in apart.cells[:2]] == [("0.857", ("n 7",)), ("0.167", ("n 6",))]
    assert apart.detail == "7 instances"


def test_the_file_of_all_groups_has_one_head_and_names_the_group_of_each_number(store: Store, tabled: Project) -> None:
    tables = group_tables(store, LOCAL_OPERATOR, tabled, ScoringOptions(by="label"), lambda _done, _of: None)
    head, *lines = groups_csv(tables, explained="predicted").splitlines()
    assert "of_group" in head.split(",")
    assert head not in lines
    assert {line.rsplit(",", 1)[1] for line in lines} == {"negative", "positive"}


# Numbers of edited sentences of one criterion: those of the papers' table, for the page, the command and the charts.


@pytest.fixture
def edited_sentences(store: Store, tmp_path: Path) -> Project:
    made = edited_project(store, tmp_path)
    answered(store, made)
    return made


def evaluated(store: Store, edited_sentences: Project, criterion: str | None) -> ProjectReport:
    return evaluate_project(store, LOCAL_OPERATOR, edited_sentences, options=ScoringOptions(criterion=criterion))


def mrr(model: ModelReport) -> tuple[float | None, int | None]:
    number = model["methods"][0]["plausibility"]["editing.mrr"]
    return number["value"], number["n"]


def test_each_criterion_has_its_own_numbers(store: Store, edited_sentences: Project) -> None:
    of_all, spelling, deleted = (
        evaluated(store, edited_sentences, name)["models"][0] for name in (None, "spelling", "deleted")
    )
    assert mrr(spelling) == (pytest.approx((1 + 1 / 3) / 2), 2)
    assert mrr(deleted) == (1.0, 1)
    assert mrr(of_all) == (pytest.approx((1 + 1 / 3 + 1) / 3), 3)


def test_f1_of_need_edit_is_that_of_the_criterions_sentences(store: Store, edited_sentences: Project) -> None:
    f1 = [
        evaluated(store, edited_sentences, name)["models"][0]["quality"]["editing.need_edit_f1"]["value"]
        for name in ("spelling", "deleted", None)
    ]
    assert f1 == [pytest.approx(2 * 0.5 / 1.5), 1.0, pytest.approx(2 * (2 / 3) / (1 + 2 / 3))]  # 2R / (1 + R)


def test_how_many_have_which_is_told_whichever_is_asked_for(store: Store, edited_sentences: Project) -> None:
    report = evaluated(store, edited_sentences, "deleted")
    assert (report["criterion"], report["criteria"]) == ("deleted", {"deleted": 1, "spelling": 2})
    assert report["gold"]["instances"] == 1


def test_a_criterion_that_no_sentence_has_is_named_with_those_that_there_are(
    store: Store, edited_sentences: Project
) -> None:
    with pytest.raises(NotFound, match=r"No gold instance has criterion 'speling', only 'deleted', 'spelling'\."):
        evaluated(store, edited_sentences, "speling")


def test_the_instances_behind_a_row_are_of_the_criterion(store: Store, edited_sentences: Project) -> None:
    row = RowChoice("bert", "attention", "attribution")
    values = values_of_row(store, LOCAL_OPERATOR, edited_sentences, row, ScoringOptions(criterion="spelling"))
    assert [instance.key for instance in values.instances] == ["line1", "line2"]


def test_two_models_are_compared_over_sentences_of_the_criterion(store: Store, edited_sentences: Project) -> None:
    answered(store, edited_sentences, "other")
    n = {
        criterion: compare_models(
            store, LOCAL_OPERATOR, [edited_sentences], ModelPair(("bert",), ("other",)), ScoringOptions(criterion=criterion)
        )["Edits"].parts["all"].n
        for criterion in (None, "spelling", "other", "")
    }  # fmt: skip
    assert n == {None: 6, "spelling": 2, "other": 1, "": 2}  # all with a label, gold sets or not


def test_a_paper_s_table_says_its_split_and_criterion(store: Store, edited_sentences: Project) -> None:
    options = ScoringOptions(split="", criterion="spelling")
    view = metric_view(metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, edited_sentences, options=options)))
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


def answered_only(store: Store, edited_sentences: Project) -> None:
    prediction = Prediction(None, {"positive": 1.0, "negative": 0.0})
    take(store, edited_sentences, [SourceOutput("line1", Run("m"), "f", 1, None, (prediction,))])
