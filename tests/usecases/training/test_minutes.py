"""What people took for texts, and accuracy by minutes: what each model learns from."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.attribution.base import Input
from annotator.domain.instances import Draft, Timing
from annotator.domain.labels import LabelTable
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidValue, ModelError
from annotator.files import lock
from annotator.store import Store
from annotator.store.annotate.annotations import text_times
from annotator.training.alignment import AlignmentOptions
from annotator.training.budgets import CONDITIONS, Simulation, SpentTime
from annotator.training.examples import Example
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import NewModel
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.databases import find_project
from annotator.usecases.gold import labelled_gold
from annotator.usecases.models.label_tables import ModelLabels, remembered
from annotator.usecases.papers.minutes import minutes_table
from annotator.usecases.project.labels import replace_label
from annotator.usecases.project.projects import create_project
from annotator.usecases.review import reviews as review_work
from annotator.usecases.training.budgets import CostOptions, MinutesOptions, TextCosts, require_prices, text_costs
from annotator.usecases.training.minutes import Sweep, Trial, plan_sweep, remember_labels, run_sweep
from tests.training.planted import LABELS, Planting, planted
from tests.usecases.training.test_transformers import TINY

Rows = Callable[..., Any]

# A label takes 6 s and rationales 12 s, so that a minute buys 10 labels, rationales of 5 texts, or both of 3.
COSTS = CostOptions(simulation=Simulation(6, 12))
OPTIONS = MinutesOptions(
    budgets=(1.0, 2.0), seeds=(0,), n_start=20, costs=COSTS, model=NewModel((), shape=TINY, n_subwords=2_000),
    fitting=FittingOptions(epochs=2, learning_rate=3e-3, alignment=AlignmentOptions("mae")),
)  # fmt: skip


def planted_project(store: Store, import_rows: Rows, name: str, planting: Planting, **split: int) -> Project:
    """Planted texts, so many of each split."""
    made = create_project(store, LOCAL_OPERATOR, name, get_task("sentiment"), labels=list(LABELS))
    splits = [of for of, n in split.items() for _ in range(n)]
    rows = [
        {"id": example.key, "text": example.input.segments[0].text, "label": example.label, "split": of,
         "annotator": "source", "rationales": [[[token, token + 1] for token in sorted(example.sets[0])]]}
        for example, of in zip(planted(planting), splits, strict=True)
    ]  # fmt: skip
    import_rows(made, rows)
    return made


@pytest.fixture
def with_splits(store: Store, import_rows: Rows) -> Project:
    return planted_project(store, import_rows, "P", Planting(90), train=60, validation=10, test=20)


def plan(store: Store, with_splits: Project, options: MinutesOptions = OPTIONS) -> Sweep:
    return plan_sweep(store, LOCAL_OPERATOR, with_splits, options)


def by_purchase(sweep: Sweep) -> dict[tuple[str | None, float], Trial]:
    return {(trial.purchase.condition, trial.purchase.minutes): trial for trial in sweep.trials}


def test_a_minute_buys_further_labels_or_rationales_of_labelled_texts_or_further_texts_with_both(
    store: Store, with_splits: Project
) -> None:
    trials = by_purchase(plan(store, with_splits))
    counts = {
        of: (trial.purchase.n_bought, len(trial.learn), trial.purchase.n_rationales) for of, trial in trials.items()
    }
    assert counts == {
        (None, 0): (0, 20, 0),
        ("labels", 1): (10, 30, 0), ("rationales", 1): (5, 20, 5), ("both", 1): (3, 23, 3),
        ("labels", 2): (20, 40, 0), ("rationales", 2): (10, 20, 10), ("both", 2): (6, 26, 6),
    }  # fmt: skip
    assert trials["both", 1].purchase.spent_ms == 54_000
    assert {trial.purchase.origin for trial in trials.values()} == {None, "simulated"}


def test_a_larger_budget_buys_what_a_smaller_one_bought_and_more_and_labels_and_both_buy_in_one_order(
    store: Store, with_splits: Project
) -> None:
    trials = by_purchase(plan(store, with_splits))
    keys = {of: {example.key for example in trial.learn} for of, trial in trials.items()}
    start = keys[None, 0]
    assert start < keys["both", 1] < keys["both", 2] < keys["labels", 1] < keys["labels", 2]
    with_sets = {e.key for e in trials["rationales", 2].learn if e.sets}
    assert {e.key for e in trials["rationales", 1].learn if e.sets} < with_sets < start


@pytest.mark.parametrize(("how", "n_learned"), [("new", [5, 5, 10, 10]), ("all", [20, 20, 30, 40])])
def test_an_online_model_goes_on_from_that_of_the_budget_before_on_what_was_bought_since(
    store: Store, with_splits: Project, how: Any, n_learned: list[int]
) -> None:
    options = replace(OPTIONS, conditions=("rationales", "labels"), online=how)
    start, *trials = plan(store, with_splits, options).trials
    online = [trial for trial in trials if trial.purchase.is_online]
    assert [trial.purchase.name for trial in online] == ["rationales online", "labels online"] * 2
    by_name = sorted(online, key=lambda trial: trial.purchase.name, reverse=True)
    assert [len(trial.learn) for trial in by_name] == n_learned
    assert [trial.before for trial in by_name] == [start, by_name[0], start, by_name[2]]
    assert len({trial.plan for trial in (start, *trials)}) == 9


@pytest.mark.usefixtures("torch")
def test_online_rows_stand_beside_offline_ones_and_are_the_same_after_a_stop(
    store: Store, with_splits: Project, tmp_path: Path
) -> None:
    options = replace(OPTIONS, conditions=("labels",), online="new")
    sweep = plan(store, with_splits, options)
    outcomes = list(run_sweep(sweep, tmp_path / "whole"))
    assert [outcome.purchase.name for outcome in outcomes] == ["start", *["labels", "labels online"] * 2]
    stopped = run_sweep(sweep, tmp_path / "stopped")
    for _ in range(4):
        next(stopped)
    stopped.close()  # type: ignore[attr-defined]
    assert [outcome.right for outcome in run_sweep(sweep, tmp_path / "stopped")] == [of.right for of in outcomes]
    assert not (tmp_path / "stopped" / "under-way").exists()
    table = minutes_table(sweep, outcomes)
    assert [row.title for row in table.rows if "online" in row.title] == ["labels, online (simulated)"] * 2


def test_models_without_rationales_are_trained_without_an_alignment(store: Store, with_splits: Project) -> None:
    for trial in plan(store, with_splits).trials:
        assert (trial.fitting.alignment is None) == (trial.purchase.condition in (None, "labels"))


def test_a_budget_beyond_all_texts_buys_all_of_them_and_a_larger_one_is_the_same_training(
    store: Store, with_splits: Project
) -> None:
    options = replace(OPTIONS, budgets=(4.0, 100.0), conditions=("labels",))
    _, four, hundred = plan(store, with_splits, options).trials
    assert (four.purchase.n_labels, four.purchase.has_all, four.purchase.spent_ms) == (60, True, 240_000)
    assert four.plan == hundred.plan


def test_a_budget_that_the_first_text_is_too_dear_for_buys_nothing(store: Store, with_splits: Project) -> None:
    options = replace(OPTIONS, budgets=(0.05,), conditions=("both",))
    start, bought = plan(store, with_splits, options).trials
    assert (bought.purchase.n_bought, bought.purchase.first_ms) == (0, 18_000)
    assert bought.plan == start.plan


def test_seeds_draw_orders_of_their_own(store: Store, with_splits: Project) -> None:
    sweep = plan(store, with_splits, replace(OPTIONS, seeds=(0, 1), conditions=("labels",)))
    starts = [{e.key for e in trial.learn} for trial in sweep.trials if trial.purchase.condition is None]
    assert [len(start) for start in starts] == [20, 20]
    assert starts[0] != starts[1]


def test_unseen_projects_are_asked_about_texts_that_nothing_was_learned_from(
    store: Store, with_splits: Project, import_rows: Rows
) -> None:
    # The first 90 are P's own, of which it learns from 60 and stops by 10.
    other = planted_project(store, import_rows, "Other", Planting(100), test=100)
    sweep = plan(store, with_splits, replace(OPTIONS, unseen=(other,)))
    assert sweep.n_left_out == {"Other": (70, 0)}
    assert {name: len(asked) for name, asked in sweep.judge.items()} == {"P": 20, "Other": 30}
    same = planted_project(store, import_rows, "Same", Planting(60), test=60)
    with pytest.raises(ModelError, match="cannot be asked about the project 'Same'"):
        plan(store, with_splits, replace(OPTIONS, unseen=(same,)))
    with pytest.raises(InvalidValue, match="learn from 'P', so it is not unseen"):
        plan(store, with_splits, replace(OPTIONS, unseen=(with_splits,)))


def called_otherwise(store: Store, with_splits: Project, **names: str) -> Project:
    """The same project with other names for some of its labels."""
    for label, name in names.items():
        replace_label(store, LOCAL_OPERATOR, find_project(store, with_splits.name), label, name)
    return find_project(store, with_splits.name)


def test_an_unseen_project_that_calls_the_labels_otherwise_is_asked_about_once_that_is_confirmed(
    store: Store, with_splits: Project, import_rows: Rows
) -> None:
    first, second = LABELS[:2]
    made = planted_project(store, import_rows, "Other", Planting(30, seed=9), test=30)
    other = called_otherwise(store, made, **{first: "Theirs", second: second.upper()})
    options = replace(OPTIONS, unseen=(other,))
    with pytest.raises(
        ModelError, match=f"(?s)Labels of the models that learn from 'P' .*--rename {second}={second.upper()}"
    ):
        plan(store, with_splits, options)
    sweep = plan(store, with_splits, replace(options, renamed=((first, "Theirs"), (second, second.upper()))))
    assert {example.label for example in sweep.judge["Other"]} == set(LABELS)
    assert (len(sweep.judge["Other"]), sweep.n_left_out) == (30, {"Other": (0, 0)})
    assert f"“{first}” is “Theirs”" in " ".join(minutes_table(sweep, []).notes)
    remember_labels(store, LOCAL_OPERATOR, sweep)
    assert plan(store, with_splits, options).tables == sweep.tables
    kept = ModelLabels.of_model("seed-0", LABELS)
    assert remembered(store, other, kept) is None
    assert remembered(store, other, replace(kept, learned_in="P")) is not None


def test_a_learned_label_that_an_unseen_project_lacks_is_never_an_answer_there(
    store: Store, with_splits: Project, import_rows: Rows, tmp_path: Path, torch: Any
) -> None:
    other = planted_project(store, import_rows, "Other", Planting(30, seed=9), test=30)
    sweep = plan(store, with_splits, replace(OPTIONS, budgets=(1.0,), conditions=("labels",), unseen=(other,)))
    without_first = replace(sweep, tables={"Other": LabelTable({LABELS[0]: "", LABELS[1]: LABELS[1]})})
    n_second = sum(example.label == LABELS[1] for example in sweep.judge["Other"])
    assert 0 < n_second < 30
    assert next(run_sweep(without_first, tmp_path / "sweep")).right["Other"] == (n_second, 30)


@pytest.mark.parametrize(
    ("renamed", "message"),
    [
        ((("a label", "Nothing"),), "concerns no unseen project: none lacks 'a label' and has 'Nothing'"),
        (((LABELS[0], ""),), f"concerns no unseen project: none lacks '{LABELS[0]}'"),
        ((("a label", LABELS[0]), ("a label", LABELS[1])), "'a label' cannot be both"),
        ((("a label", LABELS[0]),), "has no label 'a label'. Available:"),
    ],
)
def test_names_that_no_unseen_project_has_are_refused(
    renamed: tuple[tuple[str, str], ...], message: str, store: Store, with_splits: Project, import_rows: Rows
) -> None:
    other = planted_project(store, import_rows, "Other", Planting(30, seed=9), test=30)
    with pytest.raises((InvalidValue, ModelError), match=message):
        plan(store, with_splits, replace(OPTIONS, unseen=(other,), renamed=renamed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_start": 61}, "--start 61 is more than the 60 texts"),
        ({"costs": CostOptions()}, "No text of 'P' that can be learned from has a time"),
    ],
)
def test_what_cannot_be_bought_is_told_before_anything_is_trained(
    store: Store, with_splits: Project, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidValue, match=message):
        plan(store, with_splits, replace(OPTIONS, **changed))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budgets": (0.0,)}, "0 minutes buy nothing"),
        ({"budgets": (1.0,), "n_start": -1}, "A number of texts cannot be -1"),
        ({"budgets": (1.0,), "n_start": 0}, "with --start 0 none has"),
    ],
)
def test_options_that_nothing_can_be_bought_with_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        MinutesOptions(**given)


def test_each_model_says_how_often_it_is_right_and_what_is_done_is_not_done_again(
    store: Store, with_splits: Project, import_rows: Rows, tmp_path: Path, torch: Any
) -> None:
    other = planted_project(store, import_rows, "Other", Planting(30, seed=9), test=30)
    sweep = plan(store, with_splits, replace(OPTIONS, budgets=(2.0,), unseen=(other,)))
    folder = tmp_path / "sweep"
    stopped = run_sweep(sweep, folder)
    first = [next(stopped), next(stopped)]
    stopped.close()
    outcomes = list(run_sweep(sweep, folder))
    assert [outcome.is_new for outcome in outcomes] == [False, False, True, True]
    assert [outcome.right for outcome in outcomes[:2]] == [outcome.right for outcome in first]
    for outcome in outcomes:
        assert {name: n for name, (_, n) in outcome.right.items()} == {"P": 20, "Other": 30}
        assert all(0 <= right <= n for right, n in outcome.right.values())
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "trained"]


def test_the_same_sweep_in_another_folder_comes_to_the_same_numbers(
    store: Store, with_splits: Project, tmp_path: Path, torch: Any
) -> None:
    sweep = plan(store, with_splits, replace(OPTIONS, budgets=(2.0,), conditions=("both",)))
    first, second = (list(run_sweep(sweep, tmp_path / name)) for name in ("one", "two"))
    assert first == second


def test_a_model_that_was_being_trained_goes_on_from_its_last_epoch(
    store: Store, with_splits: Project, tmp_path: Path, torch: Any
) -> None:
    sweep = plan(store, with_splits, replace(OPTIONS, budgets=(2.0,), conditions=("labels",)))
    seen: list[int] = []

    def stop_in_the_second_epoch(done: int, of: int) -> None:
        if 2 * done > of:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_sweep(sweep, tmp_path, progress=stop_in_the_second_epoch))
    assert list((tmp_path / "under-way").iterdir())
    next(run_sweep(sweep, tmp_path, progress=lambda done, _of: seen.append(done)))
    assert seen == [3, 4]  # 20 texts are two batches


def test_two_processes_do_not_train_into_one_folder(store: Store, with_splits: Project, tmp_path: Path) -> None:
    sweep = plan(store, with_splits)
    descriptor = os.open(tmp_path / ".lock", os.O_CREAT | os.O_RDWR)
    assert lock(descriptor, alone=True)
    with pytest.raises(Conflict, match="Another process is training into"):
        next(run_sweep(sweep, tmp_path))
    os.close(descriptor)


# What people took for texts: the working time of everybody who annotated them, pauses left out, matched with labels alone.

People = Callable[..., User]
Projects = Callable[..., Project]

WORDS = {"t1": "Cold soup again.", "t2": "A friendly cat.", "t3": "Loud and slow."}
MARKED = (RationaleSet.of((0, 2)),)


@pytest.fixture
def both(make_project: Projects, import_rows: Rows) -> Project:
    """People give the label and mark what justifies it; two annotate each text."""
    made = make_project(name="Both", result_mode="give", annotators_per_instance=2)
    import_rows(made, [{"id": key, "text": text} for key, text in WORDS.items()])
    return made


@pytest.fixture
def labels(make_project: Projects, import_rows: Rows) -> Project:
    """The same texts under other keys, the second with another word; only labels are asked for."""
    made = make_project(name="Labels", result_mode="labels_only")
    import_rows(made, [{"id": f"l{key}", "text": text.replace("cat", "dog")} for key, text in WORDS.items()])
    return made


@pytest.fixture
def spend(store: Store, add_person: People) -> Callable[..., None]:
    """Let somebody annotate the next text of a project, in so many seconds."""
    people: dict[tuple[str, int], User] = {}

    def take(
        name: str, project: Project, *seconds: float, idle: float = 0, sets: tuple[RationaleSet, ...] = MARKED
    ) -> None:
        user = people.setdefault((name, project.id), add_person(f"{name}-{project.id}", project, "annotator"))
        for of_text in seconds:
            work = annotate_work.next_work(store, user, project.id).work
            assert work is not None
            timing = Timing(active_ms=round(1000 * of_text), idle_ms=round(1000 * idle))
            draft = Draft(result="negative", sets=sets)
            annotate_work.submit(store, user, work.assignment.id, work.assignment.revision, draft, timing)

    return take


def examples_of(store: Store, project: Project) -> list[Example]:
    return [
        Example(gold.instance.id, gold.instance.key, Input.of(gold.instance), gold.result or "")
        for gold in labelled_gold(store, project, "all")
    ]


def costs_of(store: Store, project: Project, **options: Any) -> TextCosts:
    return text_costs(store, project, examples_of(store, project), CostOptions(**options), "all")


def spent_by_key(store: Store, project: Project, costs: TextCosts) -> Mapping[str, SpentTime]:
    return {example.key: costs.spent[example.id] for example in examples_of(store, project)}


def test_a_text_takes_what_all_its_annotators_took_and_a_tab_left_open_overnight_adds_nothing(
    store: Store, both: Project, spend: Callable[..., None]
) -> None:
    spend("a", both, 30, 12)
    spend("b", both, 20, idle=8 * 3600)
    costs = costs_of(store, both)
    assert {key: spent.both for key, spent in spent_by_key(store, both, costs).items()} == {"t1": 50_000, "t2": 12_000}
    assert costs.idle_ms == 8 * 3_600_000
    assert spent_by_key(store, both, costs)["t1"].n_people == 2


def test_time_counts_when_the_work_is_submitted_and_not_before(store: Store, both: Project, add_person: People) -> None:
    user = add_person("annotator-a", both, "annotator")
    work = annotate_work.next_work(store, user, both.id).work
    assert work is not None
    draft = Draft(result="negative", sets=MARKED)
    annotate_work.save_draft(store, user, work.assignment.id, 0, draft, Timing(active_ms=7_000))
    assert {time.active_ms for time in text_times(store, both.id).values()} == {0}
    annotate_work.submit(store, user, work.assignment.id, 1, draft, Timing(active_ms=3_000))
    assert text_times(store, both.id)[work.instance.id].active_ms == 10_000


def test_work_without_a_time_is_counted_since_its_text_took_longer_than_is_known(
    store: Store, both: Project, spend: Callable[..., None]
) -> None:
    spend("a", both, 30)
    spend("b", both, 0)
    costs = costs_of(store, both)
    assert (spent_by_key(store, both, costs)["t1"].both, costs.n_incomplete) == (30_000, 1)


def test_reviews_count_only_where_they_are_asked_for(
    store: Store, make_project: Projects, import_rows: Rows, add_person: People, spend: Callable[..., None]
) -> None:
    project = make_project(name="Reviewed", result_mode="give", reviewers_per_annotation=1)
    import_rows(project, [{"id": "t1", "text": WORDS["t1"]}])
    spend("a", project, 30)
    reviewer = add_person("reviewer-a", project, "reviewer")
    work = review_work.next_review(store, reviewer, project.id).work
    assert work is not None
    scores = Scores((SetScore(3, 4, ""),), 3, "")
    review_work.submit_review(store, reviewer, work.review.id, work.review.revision, scores, 9_000)
    for with_reviews, ms in ((False, 30_000), (True, 39_000)):
        costs = costs_of(store, project, with_reviews=with_reviews)
        assert spent_by_key(store, project, costs)["t1"].both == ms


def test_labels_alone_are_those_of_the_texts_with_the_same_words(
    store: Store, both: Project, labels: Project, spend: Callable[..., None]
) -> None:
    spend("a", both, 30, 12, 18)
    spend("l", labels, 5, 6, 7, sets=())
    costs = costs_of(store, both, labels_only=labels)
    spent = spent_by_key(store, both, costs)
    assert {key: of.label for key, of in spent.items()} == {"t1": 5_000, "t2": None, "t3": 7_000}
    t1 = next(example.id for example in examples_of(store, both) if example.key == "t1")
    # t1 and t3 took 48 s together and 12 s for their labels alone: three quarters of their time are of rationales.
    assert {of: price.ms for of, price in costs.prices[t1].items()} == {
        "labels": 5_000, "rationales": 22_500, "both": 30_000,
    }  # fmt: skip
    assert costs.labels[t1] == "negative"


def test_labels_alone_can_be_those_of_the_same_keys(
    store: Store, both: Project, make_project: Projects, import_rows: Rows, spend: Callable[..., None]
) -> None:
    other = make_project(name="Keyed", result_mode="labels_only")
    import_rows(other, [{"id": key, "text": f"{text} (edited)"} for key, text in WORDS.items()])
    spend("a", both, 30)
    spend("l", other, 5, sets=())
    with pytest.raises(InvalidValue, match="No text with a gold label in 'Keyed' has the words"):
        costs_of(store, both, labels_only=other)
    costs = costs_of(store, both, labels_only=other, is_by_key=True)
    assert spent_by_key(store, both, costs)["t1"].label == 5_000


def test_a_text_whose_label_was_given_took_its_time_for_rationales(
    store: Store, make_project: Projects, import_rows: Rows, spend: Callable[..., None]
) -> None:
    project = make_project(name="Given")
    import_rows(project, [{"id": "t1", "text": WORDS["t1"], "label": "negative"}])
    spend("a", project, 30)
    spent = spent_by_key(store, project, costs_of(store, project))["t1"]
    assert (spent.rationales, spent.both) == (30_000, None)


def test_what_waits_for_a_decision_cannot_be_bought(
    store: Store, make_project: Projects, import_rows: Rows, spend: Callable[..., None]
) -> None:
    project = make_project(name="Waiting", reviewers_per_annotation=1)
    import_rows(project, [{"id": "t1", "text": WORDS["t1"], "label": "negative"}])
    spend("a", project, 30)
    costs = costs_of(store, project)
    assert spent_by_key(store, project, costs)["t1"].rationales is None


def test_gold_of_a_file_has_no_time_and_simulated_times_are_asked_for(
    store: Store, make_project: Projects, import_rows: Rows
) -> None:
    project = make_project(name="Imported")
    row = {"id": "t1", "text": WORDS["t1"], "label": "negative", "annotator": "source", "rationales": [[[0, 2]]]}
    import_rows(project, [row])
    costs = costs_of(store, project)
    with pytest.raises(InvalidValue, match="has a time: what came with a file has none.*--seconds-per-rationale"):
        require_prices(project, costs, CONDITIONS, Simulation())
    simulation = Simulation(5, 20)
    assert len(require_prices(project, costs_of(store, project, simulation=simulation), CONDITIONS, simulation)) == 1


def test_a_price_that_nothing_tells_is_named(store: Store, both: Project, spend: Callable[..., None]) -> None:
    spend("a", both, 30)
    costs = costs_of(store, both)
    with pytest.raises(InvalidValue, match="how long a label alone and rationales alone took people in 'Both'"):
        require_prices(both, costs, CONDITIONS, Simulation())
    assert len(require_prices(both, costs, ["both"], Simulation())) == 1


def test_labels_that_took_longer_than_both_are_told_with_the_two_times(
    store: Store, both: Project, labels: Project, spend: Callable[..., None]
) -> None:
    spend("a", both, 30)
    spend("l", labels, 45, sets=())
    costs = costs_of(store, both, labels_only=labels)
    with pytest.raises(InvalidValue, match=r"took no longer in 'Both' \(30 s\) than the labels .* alone \(45 s\)"):
        require_prices(both, costs, CONDITIONS, Simulation())


def test_the_projects_of_labels_and_of_rationales_cannot_be_exchanged(
    store: Store, both: Project, labels: Project
) -> None:
    with pytest.raises(InvalidValue, match="'Labels' asks for labels only. Name the one with rationales"):
        costs_of(store, labels)
    with pytest.raises(InvalidValue, match="'Both' asks for rationales, too"):
        costs_of(store, both, labels_only=replace(both))
