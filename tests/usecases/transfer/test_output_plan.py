"""What an import plans for a batch of model output: no store is opened here."""

import math
from dataclasses import replace

import pytest

from annotator.domain.imports import KeyedInstance
from annotator.domain.models import Attribution, MachineRationale, Output, Prediction, Run, SourceOutput, change_of
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.errors import Problem
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.transfer.output_plan import (
    LaidRow,
    OutputPlan,
    fault_of,
    match_instance,
    outputs_by_run,
    plan_outputs,
    rounds_of,
)

PROJECT = Project(1, "P", get_task("sentiment"), ("negative", "positive"), "en", ProjectSettings())
RUN = Run("tiny", "occlusion", seed=3)
ROW = SourceOutput("t1", RUN, "out.jsonl", 4)
SCORES = Attribution((0.5, math.nan, 1.0), "positive")
FULL = Prediction("positive", {"positive": 0.75})
UPDATE = ImportOptions(update=True)


def laid(output: Output, source: SourceOutput = ROW) -> LaidRow:
    return LaidRow(source, output)


def plan(
    *rows: LaidRow, known: dict[Run, dict[int, Output]] | None = None, options: ImportOptions = ImportOptions()
) -> OutputPlan:
    return plan_outputs(rows, outputs_by_run(rows), known or {}, options)


def counts(made: OutputPlan) -> tuple[int, int, int, int]:
    return made.n_new, made.n_updated, made.n_unchanged, len(made.problems)


def written(made: OutputPlan) -> dict[Run, list[Output]]:
    return {run: [change.output for change in changes] for run, changes in made.changes.items()}


def test_what_nobody_said_before_is_new_and_again_it_changes_nothing() -> None:
    output = Output(7, (), (SCORES,), (MachineRationale("hard", ((0, 2),)),))
    made = plan(laid(output))
    assert counts(made) == (1, 0, 0, 0)
    assert written(made) == {RUN: [output]}
    again = Output(7, (), (replace(SCORES, scores=(0.5, float("nan"), 1.0)),), output.rationales)
    made = plan(laid(again), known={RUN: {7: output}})
    assert counts(made) == (0, 0, 1, 0)
    assert not any(change.is_change for change in made.changes[RUN])


def test_another_score_is_refused_with_its_place_unless_it_may_overwrite() -> None:
    known = {RUN: {7: Output(7, (), (SCORES,))}}
    row = laid(Output(7, (), (replace(SCORES, scores=(0.5, 0.0, 1.0)),)))
    refused = plan(row, known=known)
    assert (counts(refused), written(refused)) == ((0, 0, 0, 1), {RUN: []})
    [problem] = refused.problems
    assert (problem.line, problem.value) == (4, "t1")
    assert problem.reason.startswith("The attribution of 'tiny' for this instance is there already")
    assert counts(plan(row, known=known, options=UPDATE)) == (0, 1, 0, 0)


def test_a_row_is_written_whole_or_not_at_all() -> None:
    known = {RUN: {7: Output(7, (), (SCORES,))}}
    row = laid(Output(7, (FULL,), (replace(SCORES, scores=(9.0, 9.0, 9.0)),)))
    assert written(plan(row, known=known)) == {RUN.answers(): [], RUN: []}


def test_answers_to_the_full_input_belong_to_the_model_and_its_seed() -> None:
    rest = Prediction("negative", {}, "rest")
    made = plan(laid(Output(7, (FULL, rest), (SCORES,))))
    assert written(made) == {RUN.answers(): [Output(7, (FULL,))], RUN: [Output(7, (rest,), (SCORES,))]}


def test_two_methods_say_one_answer_once_and_another_answer_is_refused() -> None:
    def of(method: str, answer: Prediction) -> LaidRow:
        return laid(Output(7, (answer,), (SCORES,)), replace(ROW, run=Run("tiny", method)))

    made = plan(of("ig", FULL), of("lime", FULL), of("shap", Prediction("negative", {"negative": 0.9})))
    assert counts(made) == (2, 0, 0, 1)
    assert "The answer to the full input of 'tiny'" in made.problems[0].reason
    assert written(made)[Run("tiny")] == [Output(7, (FULL,))]


SAME, OTHER = KeyedInstance("t1", "dev", "train", 7, 3, 3), KeyedInstance("t1", "test", "test", 8, 3, 3)
MATCHES = [
    (None, (SAME,), 7, "the only one of its key"),
    ("dev", (SAME, OTHER), 7, "by the split that it has"),
    ("train", (SAME, OTHER), 7, "by the split that its file said"),
    (None, (), "no instance with this key", "an unknown key"),
    ("odd", (SAME, OTHER), "is in the split 'dev', 'test'", "another split"),
    (None, (SAME, OTHER), "Say which split is meant", "several splits and none said"),
]


@pytest.mark.parametrize(
    ("split", "known", "expected"), [case[:3] for case in MATCHES], ids=[case[3] for case in MATCHES]
)
def test_a_row_finds_the_one_instance_that_it_means(
    split: str | None, known: tuple[KeyedInstance, ...], expected: int | str
) -> None:
    found = match_instance(replace(ROW, split=split), known)
    if isinstance(expected, int):
        assert isinstance(found, KeyedInstance)
        assert found.id == expected
    else:
        assert isinstance(found, Problem)
        assert expected in found.reason


def test_a_strange_label_and_a_probability_that_is_none_are_faults_of_their_row() -> None:
    strange = fault_of(replace(ROW, predictions=(Prediction("odd"),)), PROJECT)
    assert strange is not None
    assert (strange.field, strange.value) == ("prediction", "odd")
    broken = fault_of(replace(ROW, predictions=(Prediction(None, {"positive": math.inf}),)), PROJECT)
    assert broken is not None
    assert "The probability of 'positive' is inf" in broken.reason
    assert fault_of(replace(ROW, predictions=(FULL,)), PROJECT) is None


def test_a_shorter_answer_that_agrees_is_no_change_and_a_longer_one_overwrites_nothing() -> None:
    short, long = Output(7, (Prediction("positive"),)), Output(7, (FULL,))
    assert not change_of(long, short).is_change
    longer = change_of(short, long)
    assert (longer.is_change, longer.overwritten) == (True, "")


def test_only_what_is_other_is_written() -> None:
    ranked = MachineRationale("ranked", ranking=(2, 0))
    before = Output(7, (FULL,), (SCORES,), (MachineRationale("ranked", ranking=(0, 2)),))
    change = change_of(before, Output(7, (FULL,), (SCORES, replace(SCORES, layer=1)), (ranked,)))
    assert change.output == Output(7, (), (replace(SCORES, layer=1),), (ranked,))
    assert change.overwritten == "the ranked rationale"


def said(instance_id: int, run: Run = RUN, label: str = "positive") -> LaidRow:
    return laid(Output(instance_id, (), (replace(SCORES, label=label),)), replace(ROW, run=run))


def test_rows_of_several_labels_are_written_in_as_many_rounds_and_not_in_pairs() -> None:
    rows = [said(number, label=label) for number in range(4) for label in ("negative", "positive")]
    assert rounds_of(rows) == [rows[0::2], rows[1::2]]
    assert rounds_of(rows[0::2]) == [rows[0::2]]
    assert rounds_of([]) == []


def test_what_a_model_says_of_an_instance_keeps_its_order_by_whatever_method() -> None:
    lime = replace(RUN, method="lime")
    rows = [said(1, label="negative"), said(1), said(1, lime), said(2, lime), said(1, lime, "negative")]
    assert rounds_of(rows) == [[rows[0], rows[3]], [rows[1], rows[2]], [rows[4]]]
