"""Model output: what an import plans for a batch of it, whole or not at all, laid on the tokens of its instance."""

import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from annotator.domain import models
from annotator.domain.imports import KeyedInstance
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, NotAllowed, Problem
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.models import iterate_outputs, list_models, list_runs
from annotator.usecases.databases import find_project
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer import import_run, output_plan
from annotator.usecases.transfer.export import everything_of, export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.full_export_records import Restorer
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from annotator.usecases.transfer.instance_plan import Upcoming
from annotator.usecases.upkeep import check
from tests.usecases.transfer.comparing import LENGTH, key_of, rows_of
from tests.usecases.transfer.test_export import content_of

PROJECT = Project(1, "P", get_task("sentiment"), ("negative", "positive"), "en", ProjectSettings())
RUN = models.Run("tiny", "occlusion", seed=3)
ROW = models.SourceOutput("t1", RUN, "out.jsonl", 4)
SCORES = models.Attribution((0.5, math.nan, 1.0), "positive")
FULL = models.Prediction("positive", {"positive": 0.75})
UPDATE = ImportOptions(update=True)


def laid(output: models.Output, source: models.SourceOutput = ROW) -> output_plan.LaidRow:
    return output_plan.LaidRow(source, output)


def plan(
    *rows: output_plan.LaidRow,
    known: dict[models.Run, dict[int, models.Output]] | None = None,
    options: ImportOptions = ImportOptions(),
) -> output_plan.OutputPlan:
    return output_plan.plan_outputs(rows, output_plan.outputs_by_run(rows), known or {}, options)


def counts(made: output_plan.OutputPlan) -> tuple[int, int, int, int]:
    return made.n_new, made.n_updated, made.n_unchanged, len(made.problems)


def written(made: output_plan.OutputPlan) -> dict[models.Run, list[models.Output]]:
    return {run: [change.output for change in changes] for run, changes in made.changes.items()}


def test_what_nobody_said_before_is_new_and_again_it_changes_nothing() -> None:
    output = models.Output(7, (), (SCORES,), (models.MachineRationale("hard", ((0, 2),)),))
    made = plan(laid(output))
    assert counts(made) == (1, 0, 0, 0)
    assert written(made) == {RUN: [output]}
    again = models.Output(7, (), (replace(SCORES, scores=(0.5, float("nan"), 1.0)),), output.rationales)
    made = plan(laid(again), known={RUN: {7: output}})
    assert counts(made) == (0, 0, 1, 0)
    assert not any(change.is_change for change in made.changes[RUN])


def test_another_score_is_refused_with_its_place_unless_it_may_overwrite() -> None:
    known = {RUN: {7: models.Output(7, (), (SCORES,))}}
    row = laid(models.Output(7, (), (replace(SCORES, scores=(0.5, 0.0, 1.0)),)))
    refused = plan(row, known=known)
    assert (counts(refused), written(refused)) == ((0, 0, 0, 1), {RUN: []})
    [problem] = refused.problems
    assert (problem.line, problem.value) == (4, "t1")
    assert problem.reason.startswith("'tiny' has different output here. Use --update to overwrite.")
    assert counts(plan(row, known=known, options=UPDATE)) == (0, 1, 0, 0)


def test_a_row_is_written_whole_or_not_at_all() -> None:
    known = {RUN: {7: models.Output(7, (), (SCORES,))}}
    row = laid(models.Output(7, (FULL,), (replace(SCORES, scores=(9.0, 9.0, 9.0)),)))
    assert written(plan(row, known=known)) == {RUN.answers(): [], RUN: []}


def test_answers_to_the_full_input_belong_to_the_model_and_its_seed() -> None:
    rest = models.Prediction("negative", {}, "rest")
    made = plan(laid(models.Output(7, (FULL, rest), (SCORES,))))
    assert written(made) == {RUN.answers(): [models.Output(7, (FULL,))], RUN: [models.Output(7, (rest,), (SCORES,))]}


def test_two_methods_say_one_answer_once_and_another_answer_is_refused() -> None:
    def of(method: str, answer: models.Prediction) -> output_plan.LaidRow:
        return laid(models.Output(7, (answer,), (SCORES,)), replace(ROW, run=models.Run("tiny", method)))

    made = plan(of("ig", FULL), of("lime", FULL), of("shap", models.Prediction("negative", {"negative": 0.9})))
    assert counts(made) == (2, 0, 0, 1)
    assert "'tiny' has different output here. Use --update to overwrite." in made.problems[0].reason
    assert written(made)[models.Run("tiny")] == [models.Output(7, (FULL,))]


SAME, OTHER = KeyedInstance("t1", "dev", "train", 7, 3, 3), KeyedInstance("t1", "test", "test", 8, 3, 3)
MATCHES = [
    (None, (SAME,), 7, "the only one of its key"),
    ("dev", (SAME, OTHER), 7, "by the split that it has"),
    ("train", (SAME, OTHER), 7, "by the split that its file said"),
    (None, (), "Unknown ID. Correct it, or import the text first.", "an unknown key"),
    ("odd", (SAME, OTHER), "This ID is in split", "another split"),
    (None, (SAME, OTHER), "Several splits have this ID. Set 'split'.", "several splits and none said"),
]


@pytest.mark.parametrize(
    ("split", "known", "expected"), [case[:3] for case in MATCHES], ids=[case[3] for case in MATCHES]
)
def test_a_row_finds_the_one_instance_that_it_means(
    split: str | None, known: tuple[KeyedInstance, ...], expected: int | str
) -> None:
    found = output_plan.match_instance(replace(ROW, split=split), known)
    if isinstance(expected, int):
        assert isinstance(found, KeyedInstance)
        assert found.id == expected
    else:
        assert isinstance(found, Problem)
        assert expected in found.reason


def test_strange_labels_and_a_probability_that_is_none_are_faults_of_their_row() -> None:
    of_neg, of_pos = (models.SourceAttribution((models.ScoredPart((1.0,)),), label) for label in ("neg", "pos"))
    row = replace(ROW, attributions=(of_neg, of_pos), predictions=(models.Prediction("odd"), models.Prediction("pos")))
    faults = output_plan.faults_of(row, PROJECT)
    assert {(fault.field, fault.value) for fault in faults} == {
        ("target", "neg"), ("target", "pos"), ("prediction", "odd"),
    }  # fmt: skip
    [broken] = output_plan.faults_of(
        replace(ROW, predictions=(models.Prediction(None, {"positive": math.inf}),)), PROJECT
    )
    assert "Probability of 'positive' is" in broken.reason
    assert output_plan.faults_of(replace(ROW, predictions=(FULL,)), PROJECT) == []


def test_a_shorter_answer_that_agrees_is_no_change_and_a_longer_one_overwrites_nothing() -> None:
    short, long = models.Output(7, (models.Prediction("positive"),)), models.Output(7, (FULL,))
    assert not models.change_of(long, short).is_change
    longer = models.change_of(short, long)
    assert (longer.is_change, longer.overwritten) == (True, "")


def test_only_what_is_other_is_written() -> None:
    ranked = models.MachineRationale("ranked", ranking=(2, 0))
    before = models.Output(7, (FULL,), (SCORES,), (models.MachineRationale("ranked", ranking=(0, 2)),))
    change = models.change_of(before, models.Output(7, (FULL,), (SCORES, replace(SCORES, layer=1)), (ranked,)))
    assert change.output == models.Output(7, (), (replace(SCORES, layer=1),), (ranked,))
    assert change.overwritten == "the ranked rationale"


def said(instance_id: int, run: models.Run = RUN, label: str = "positive") -> output_plan.LaidRow:
    return laid(models.Output(instance_id, (), (replace(SCORES, label=label),)), replace(ROW, run=run))


def test_rows_of_several_labels_are_written_in_as_many_rounds_and_not_in_pairs() -> None:
    rows = [said(number, label=label) for number in range(4) for label in ("negative", "positive")]
    assert output_plan.rounds_of(rows) == [rows[0::2], rows[1::2]]
    assert output_plan.rounds_of(rows[0::2]) == [rows[0::2]]
    assert output_plan.rounds_of([]) == []


def test_what_a_model_says_of_an_instance_keeps_its_order_by_whatever_method() -> None:
    lime = replace(RUN, method="lime")
    rows = [said(1, label="negative"), said(1), said(1, lime), said(2, lime), said(1, lime, "negative")]
    assert output_plan.rounds_of(rows) == [[rows[0], rows[3]], [rows[1], rows[2]], [rows[4]]]


# Rows of model output come in batches, whose size and order of writing change nothing of what is stored.

RUNS = [models.Run(model, method, seed=seed) for model, method, seed in product("mn", ("ig", "lime"), (0, 1))]


def drawn_rows(rng: random.Random, *, is_sorted: bool) -> list[models.SourceOutput]:
    """Of each run the labels of ten texts one by one, some twice and otherwise, beside the model's answer or without it."""
    rows = []
    for number, run, label in product(range(10), RUNS, ("negative", "positive")):
        for _ in range(rng.choice((1, 1, 2))):
            p = (number + 1) / 20  # the same from every method
            answer = (models.Prediction(None, {"negative": p, "positive": 1 - p}),) if rng.random() < 0.5 else ()
            scores = models.ScoredPart(tuple(float(rng.randrange(3)) for _ in range(LENGTH)))
            attribution = models.SourceAttribution((scores,), label)
            rows.append(models.SourceOutput(key_of(number), run, "f", len(rows) + 1, None, answer, (attribution,)))
    if not is_sorted:
        rng.shuffle(rows)
    return rows


def stored(
    store: Store, project: Project, rows: list[models.SourceOutput], *, update: bool
) -> dict[models.Run, dict[str, models.Output]]:
    report = ImportReport(is_output=True)
    with store.transaction():
        Intake(store, project, ImportOptions(update=update, skip_invalid=True), report, lambda _: None).run(rows)
    keys = {row["id"]: row["key"] for row in store.rows("SELECT id, key FROM instances")}
    return {
        of.run: {keys[output.instance_id]: models.Output(0, output.predictions, output.attributions) for output in iterate_outputs(store, of.id)}
        for of in list_runs(store, project.id)
    }  # fmt: skip


@pytest.mark.parametrize(("is_sorted", "update"), [(True, False), (True, True), (False, False), (False, True)])
def test_what_is_stored_is_the_same_whether_rows_come_one_by_one_or_in_batches(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch, is_sorted: bool, update: bool,
) -> None:  # fmt: skip
    def made(name: str) -> Project:
        project: Project = make_project(name=name, gold_policy="all")
        import_rows(project, rows_of(range(10)))
        return project

    rows = drawn_rows(random.Random(5), is_sorted=is_sorted)
    in_batches = stored(store, made("in batches"), rows, update=update)
    monkeypatch.setattr(import_run, "_OUTPUT_BATCH", 1)
    monkeypatch.setattr(import_run, "_OUTPUT_REPEATS", 1)
    one_by_one = stored(store, made("one by one"), rows, update=update)
    assert in_batches == one_by_one
    assert sum(len(outputs) for outputs in in_batches.values()) > 100


def test_a_batch_holds_so_many_names_however_often_each_comes() -> None:
    upcoming = Upcoming(["a", "a", "b", "b", "c", "c", "c", "c", "c"])
    assert upcoming.batch(str, 2, str, 3) == ["a", "a", "b", "b"]
    assert upcoming.batch(str, 2, str, 2) == ["c"] * 4  # two names would have four
    assert upcoming.batch(str, 2, str, 2) == ["c"]


# What models say comes in row by row, whole or not at all, and is laid on the tokens of its instance.

N = 10  # tokens of t1: The staff never smiled and the soup was cold .
OUTPUT_SCORES = tuple(float(n) for n in range(N))


def row(key: str = "t1", scores: tuple[float, ...] = OUTPUT_SCORES, **more: object) -> models.SourceOutput:
    attributions = (models.SourceAttribution((models.ScoredPart(scores),)),)
    return models.SourceOutput(key, RUN, "file", 7, **{"attributions": attributions, **more})  # type: ignore[arg-type]


@pytest.fixture
def take(store: Store, project: Project) -> Callable[..., ImportReport]:
    def run(*rows: models.SourceOutput, of: Project = project, **options: object) -> ImportReport:
        report = ImportReport(is_output=True)
        with store.transaction():
            Intake(store, of, ImportOptions(**options), report, lambda _: None).run(rows)  # type: ignore[arg-type]
        return report

    return run


def reasons(report: ImportReport) -> list[str]:
    return [problem.reason for problem in report.problems]


def test_attributions_are_counted_apart_from_the_instances_that_they_are_of(take) -> None:
    runs = [models.Run("tiny", method) for method in ("lime", "shap", "random")]
    of_t2 = row("t2", tuple(float(n) for n in range(14)))
    report = take(*(replace(row(), run=run) for run in runs), of_t2)
    assert (report.n_new, report.n_instances, report.n_attributions) == (4, 2, 4)
    assert report.output_words == "4 attributions of 2 instances"
    again = take(replace(row(predictions=(models.Prediction("positive"),)), run=runs[0]))
    assert again.output_words == "1 prediction of 1 instance"  # the attribution was there already
    assert take(replace(row(), run=runs[0])).output_words == "nothing new"


def test_an_attribution_is_stored_for_its_run_and_again_changes_nothing(store, project, take) -> None:
    assert (take(row()).n_new, take(row()).n_unchanged) == (1, 1)
    [stored] = list_runs(store, project.id)
    assert stored.run == RUN
    [output] = iterate_outputs(store, stored.id)
    assert output.attributions[0].scores == OUTPUT_SCORES
    assert check(store) == []


def test_other_scores_for_a_known_run_need_to_be_asked_for(store, project, take) -> None:
    take(row())
    changed = row(scores=tuple(-score for score in OUTPUT_SCORES))
    assert "'tiny' has different output here. Use --update to overwrite." in reasons(take(changed))[0]
    assert take(changed, update=True).n_updated == 1
    [output] = iterate_outputs(store, list_runs(store, project.id)[0].id)
    assert output.attributions[0].scores[1] == -1.0


def test_answers_to_the_full_input_are_stored_with_the_model_and_its_seed(store, project, take) -> None:
    full = models.Prediction(None, {"negative": 0.9, "positive": 0.1})
    rest = models.Prediction(None, {"negative": 0.2, "positive": 0.8}, "rest")
    take(row(predictions=(full, rest)))
    by_method = {one.run.method: one for one in list_runs(store, project.id)}
    assert by_method[""].run == models.Run("tiny", seed=3)
    [own] = iterate_outputs(store, by_method[""].id)
    assert (own.predictions, own.attributions) == ((full,), ())
    [reduced] = iterate_outputs(store, by_method["occlusion"].id)
    assert reduced.predictions == (rest,)


def test_two_methods_of_one_model_say_the_same_answer_once_and_another_answer_is_refused(store, project, take) -> None:
    def of(method: str, p: float) -> models.SourceOutput:
        answer = models.Prediction(None, {"negative": p, "positive": 1 - p})
        return models.SourceOutput("t1", models.Run("tiny", method), "file", 9, None, (answer,), row().attributions)

    report = take(of("ig", 0.75), of("lime", 0.75), of("shap", 0.5), skip_invalid=True)
    assert (report.n_new, report.n_problems) == (2, 1)
    assert "'tiny' has different output here. Use --update to overwrite." in reasons(report)[0]
    assert sorted(
        stored.run.method for stored in list_runs(store, project.id) if any(iterate_outputs(store, stored.id))
    ) == ["", "ig", "lime"]


def test_a_shorter_answer_that_agrees_changes_nothing_and_a_longer_one_is_kept(store, project, take) -> None:
    def of(method: str, *answer: models.Prediction) -> models.SourceOutput:
        return models.SourceOutput("t1", models.Run("tiny", method), "file", 9, None, answer, row().attributions)

    take(of("ig", models.Prediction("negative", {"negative": 0.75})))
    whole = models.Prediction(None, {"negative": 0.75, "positive": 0.25})
    assert take(of("lime", whole)).n_problems == 0
    assert take(of("shap", models.Prediction("negative"))).n_problems == 0
    [own] = [stored for stored in list_runs(store, project.id) if not stored.run.method]
    [output] = iterate_outputs(store, own.id)
    assert output.predictions[0].probabilities == whole.probabilities


def test_several_seeds_layers_and_labels_stand_beside_each_other(store, project, take) -> None:
    parts = (models.ScoredPart(OUTPUT_SCORES),)
    layers = tuple(
        models.SourceAttribution(parts, label, layer) for label in ("negative", "positive") for layer in (0, 1)
    )
    take(
        row(attributions=layers),
        models.SourceOutput("t1", models.Run("tiny", "occlusion", seed=4), "file", 8, attributions=layers),
    )
    outputs = [output for stored in list_runs(store, project.id) for output in iterate_outputs(store, stored.id)]
    assert [len(output.attributions) for output in outputs] == [4, 4]
    assert list_models(store, project.id) == ["tiny"]


REFUSED = [
    ("an unknown instance", row("t9"), "Unknown ID. Correct it, or import the text first."),
    ("another split", row(split="test"), "This ID is in split"),
    ("too few scores", row(scores=OUTPUT_SCORES[1:]), "it has 9 scores for 10 tokens"),
    ("specials among the scores", row(scores=(0.0, *OUTPUT_SCORES, 0.0)), "are special tokens included?"),
    ("NaN", row(scores=(math.nan, *OUTPUT_SCORES[1:])), "score 0 (from 0) is nan"),
    ("infinity", row(scores=(*OUTPUT_SCORES[1:], math.inf)), "score 9 (from 0) is inf"),
    ("a probability that is none", row(predictions=(models.Prediction(None, {"negative": math.nan}),)), "Probability of 'negative' is"),
    ("a span past the end", row(attributions=(), rationales=(models.SourceRationale("hard", (models.MarkedPart(((8, 11),)),)),)), "span [8, 11) is not in its text"),
    ("a shifted ranking", row(attributions=(), rationales=(models.SourceRationale("ranked", (models.MarkedPart(ranking=(10, 1)),)),)), "no token 10; the text has 10, from 0"),
    ("an unknown place", row(attributions=(models.SourceAttribution((models.ScoredPart(OUTPUT_SCORES, "title"),)),)), "no segment or document 'title'"),
    ("a token twice in a ranking", row(attributions=(models.SourceAttribution((models.ScoredPart(OUTPUT_SCORES, ranking=(1, 1)),)),)), "appears twice"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "reason"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_a_row_that_does_not_fit_is_refused_by_name_and_the_others_are_taken(store, project, take, bad, reason) -> None:
    report = take(bad, row("t2", tuple(float(n) for n in range(14))), skip_invalid=True)
    assert (report.problems[0].source, report.problems[0].line) == ("file", 7)
    assert report.problems[0].value in {bad.key, bad.split}
    assert reason in report.problems[0].reason
    stored = [output for one in list_runs(store, project.id) for output in iterate_outputs(store, one.id)]
    assert {output.instance_id for output in stored} == set(find_instance_ids(store, project.id, "t2"))


EXPLAINS = (
    models.SourceAttribution((models.ScoredPart(OUTPUT_SCORES),), "positive"),
    models.SourceAttribution((models.ScoredPart(OUTPUT_SCORES),), "maybe"),
)
STRANGE = [
    ("answered", row(predictions=(models.Prediction("maybe"),)), "prediction"),
    (
        "given a probability",
        row(predictions=(models.Prediction("positive", {"positive": 0.75, "maybe": 0.25}),)),
        "prediction",
    ),
    ("explained beside one that is there", row(attributions=EXPLAINS), "target"),
]


@pytest.mark.parametrize(("bad", "field"), [case[1:] for case in STRANGE], ids=[case[0] for case in STRANGE])
def test_a_label_that_the_project_does_not_have_is_refused_with_place_value_and_what_to_do(
    store, project, take, bad, field
) -> None:
    report = take(bad, row("t2", tuple(float(n) for n in range(14))), skip_invalid=True)
    [problem] = report.problems
    assert (problem.source, problem.line, problem.field, problem.value) == ("file", 7, field, "maybe")
    assert (
        "No label 'maybe' (only negative, positive); add it (--add-label maybe), rename it (--rename maybe=negative), or skip it (--leave-out-label maybe)."
        in problem.reason
    )
    stored = [output for one in list_runs(store, project.id) for output in iterate_outputs(store, one.id)]
    assert {output.instance_id for output in stored} == set(find_instance_ids(store, project.id, "t2"))


def test_scores_of_no_label_of_the_predicted_one_and_of_answers_are_no_strangers(
    store, project, make_project, import_rows, take
) -> None:
    answer = models.Prediction("positive", {"positive": 0.75})
    known = (
        models.SourceAttribution((models.ScoredPart(OUTPUT_SCORES),)),
        models.SourceAttribution((models.ScoredPart(OUTPUT_SCORES),), "positive"),
    )
    assert take(row(attributions=known, predictions=(answer,))).problems == []
    reading = make_project("reading", "Reading")
    import_rows(reading, [{"id": "r", "passage": "a b", "question": "what?", "answer": "a"}])
    said = row(
        "r",
        attributions=(models.SourceAttribution((models.ScoredPart((1.0, 2.0), "passage"),), "b"),),
        predictions=(models.Prediction("b"),),
    )
    assert take(said, of=reading).problems == []


def test_a_text_that_was_cut_keeps_the_rest_without_scores(store, project, take) -> None:
    take(row(attributions=(models.SourceAttribution((models.ScoredPart(OUTPUT_SCORES[:6], is_partial=True),)),)))
    [output] = iterate_outputs(store, list_runs(store, project.id)[0].id)
    scores = output.attributions[0].scores
    assert scores[:6] == OUTPUT_SCORES[:6]
    assert all(math.isnan(score) for score in scores[6:])


def test_scores_by_segment_are_laid_end_to_end(store, make_project, import_rows, take) -> None:
    pair = make_project("similarity", "Pair")
    import_rows(pair, [{"id": "p", "sentence1": "a b", "sentence2": "c d e", "label": "positive"}])
    parts = (
        models.ScoredPart((1.0, 2.0, 3.0), "sentence2", ranking=(2, 1, 0)),
        models.ScoredPart((4.0, 5.0), "p_sentence1", ranking=(0, 1)),
    )
    take(row("p", attributions=(models.SourceAttribution(parts),)), of=pair)
    [output] = iterate_outputs(store, list_runs(store, pair.id)[0].id)
    assert output.attributions[0].scores == (4.0, 5.0, 1.0, 2.0, 3.0)
    assert output.attributions[0].ranking == (4, 3, 2, 0, 1)


def test_a_changed_text_takes_out_what_was_said_of_the_old_one_and_says_so(store, project, take, import_rows) -> None:
    take(row("t4", tuple(float(n) for n in range(9))))
    report = import_rows(project, [{"id": "t4", "text": "Nothing worked.", "label": "negative"}], update=True)
    assert "Text changed; model output for old tokens was removed." in report.warnings[0].reason
    assert [list(iterate_outputs(store, one.id)) for one in list_runs(store, project.id)] == [[]]
    assert check(store) == []


def test_our_own_export_brings_everything_of_models_back_equal(store, project, take, tmp_path: Path) -> None:
    rationales = (
        models.SourceRationale("hard", (models.MarkedPart(((0, 2), (4, 6))),)),
        models.SourceRationale("ranked", (models.MarkedPart(ranking=(9, 0)),)),
    )
    partial = models.SourceAttribution(
        (models.ScoredPart(OUTPUT_SCORES[:6], is_partial=True),), "negative", 2, 0.01, (("r2", 0.5),)
    )
    answers = (
        models.Prediction("negative", {"negative": 0.75, "positive": 0.25}),
        models.Prediction("positive", {}, "rest", 0.5),
    )
    take(row(rationales=rationales, attributions=(partial,), predictions=answers))
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    copy = create_project(store, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", path)
    first, second = (
        [repr(item) for item in content_of(store, one)] for one in (project, find_project(store, "Copy"))
    )  # NaN equals no NaN
    assert second == first
    assert any("StoredOutput" in text for text in first)
    again = tmp_path / "again.jsonl"
    export_file(store, LOCAL_OPERATOR, copy, "jsonl", again)
    assert import_file(store, LOCAL_OPERATOR, copy, "jsonl", again).n_problems == 0
    assert check(store) == []


def test_an_export_brings_no_strange_labels_into_a_project_that_has_its_own(store, project) -> None:
    said = models.Output(0, (), (models.Attribution(OUTPUT_SCORES, "maybe"),))
    report = ImportReport()
    with store.transaction():
        Restorer(store, project).take_outputs([models.StoredOutput("t1", "", RUN, said, "all.jsonl", 9)], report)
    [problem] = report.problems
    assert (problem.line, problem.field, problem.value) == (9, "target", "maybe")
    assert not any(outputs for one in list_runs(store, project.id) for outputs in iterate_outputs(store, one.id))


def test_an_export_of_one_split_holds_the_models_words_on_that_split_alone(store, project, take, import_rows) -> None:
    import_rows(project, [{"id": "x", "text": "Fine.", "label": "positive", "split": "test"}])
    take(row(), row("x", (1.0, 2.0)))
    keys = [item.key for item in everything_of(store, project, "test") if type(item).__name__ == "StoredOutput"]
    assert keys == ["x"]


def test_researchers_bring_model_output_and_annotators_do_not(
    store: Store, project: Project, annotator: User, add_person, tmp_path: Path
) -> None:
    researcher = add_person("researcher", project, "researcher")
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"id": "t1", "model": "m", "label": "negative"}\n', encoding="utf-8")
    assert import_file(store, researcher, project, "predictions", path).n_new == 1
    with pytest.raises(
        NotAllowed,
        match=r"annotator-a can't use models in 'Project'\. An administrator can grant a role \(researcher or lead\)\.",
    ):
        import_file(store, annotator, project, "predictions", path)


def test_labels_of_model_output_are_called_what_the_project_calls_them(
    store: Store, project: Project, tmp_path
) -> None:
    path = tmp_path / "out.jsonl"
    said = {"id": "t1", "model": "m", "method": "x", "target": "POS", "scores": list(OUTPUT_SCORES)}
    answer = {"id": "t1", "model": "m", "method": "x", "probabilities": {"LABEL_0": 0.9, "POS": 0.1}}
    path.write_text(f"{json.dumps(said)}\n{json.dumps(answer)}\n")
    names = {"POS": "negative", "LABEL_0": "positive"}  # though the project's first label is negative
    import_file(store, LOCAL_OPERATOR, project, "attributions", path, ImportOptions(renamed=names))
    outputs = [one for run in list_runs(store, project.id) for one in iterate_outputs(store, run.id)]
    assert [one.label for output in outputs for one in output.attributions] == ["negative"]
    [prediction] = [one for output in outputs for one in output.predictions]
    assert (prediction.label, dict(prediction.probabilities)) == ("positive", {"positive": 0.9, "negative": 0.1})


def test_two_labels_that_would_become_one_are_a_problem_of_their_row(store: Store, project: Project, tmp_path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text('{"id": "t1", "model": "m", "probabilities": {"neg": 0.9, "negative": 0.1}}\n')
    options = ImportOptions(renamed={"neg": "negative"})
    with pytest.raises(ImportRefused) as refusal:
        import_file(store, LOCAL_OPERATOR, project, "predictions", path, options)
    assert "Two labels map to one. Rename them separately (--rename)." in refusal.value.problems[0].reason
    assert list_models(store, project.id) == []


def test_scores_of_subwords_are_summed_over_words_and_the_subwords_kept(store, project, take) -> None:
    words = ["The", "st", "##aff", "never", "smiled", "and", "the", "soup", "was", "cold", "."]
    subwords = tuple(models.Subword(text) for text in ("[CLS]", *words, "[SEP]"))
    part = models.ScoredPart((9.0, 1.0, 2.0, 3.0, *(0.5,) * 8, 7.0), subwords=subwords)
    take(row(attributions=(models.SourceAttribution((part,)),)))
    [output] = iterate_outputs(store, list_runs(store, project.id)[0].id)
    assert output.attributions[0].scores == (1.0, 5.0, *(0.5,) * 8)
    kept = output.attributions[0].subwords
    assert kept is not None
    assert [(subword.text, subword.start, subword.end, subword.is_special, score) for subword, score in kept[:4]] == [
        ("[CLS]", None, None, True, 9.0),
        ("The", 0, 3, False, 1.0),
        ("st", 4, 6, False, 2.0),
        ("##aff", 6, 9, False, 3.0),
    ]


def test_subwords_that_are_not_the_texts_are_refused_with_subword_and_place(store, project, take) -> None:
    part = models.ScoredPart(
        (1.0,) * 3, subwords=(models.Subword("The"), models.Subword("stuff"), models.Subword("never"))
    )
    [problem] = take(row(attributions=(models.SourceAttribution((part,)),)), skip_invalid=True).problems
    assert "Subword 1 'stuff' isn't at character 6; the text has 'aff never smiled and…'." in problem.reason
