"""What people took for texts: the working time of everybody who annotated them, pauses left out, matched with labels alone."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from annotator.attribution.base import Input
from annotator.domain.instances import Draft, Timing
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue
from annotator.store import Store
from annotator.store.annotate.annotations import text_times
from annotator.training.budgets import CONDITIONS, Simulation, SpentTime
from annotator.training.examples import Example
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.gold import labelled_gold
from annotator.usecases.review import reviews as review_work
from annotator.usecases.training.budgets import CostOptions, TextCosts, require_prices, text_costs

People = Callable[..., User]
Projects = Callable[..., Project]
Rows = Callable[..., Any]

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
