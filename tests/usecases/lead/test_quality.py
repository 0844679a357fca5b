"""The lead's numbers of quality: outcomes by round, scores, agreement, time; and the instances behind them."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import krippendorff
import numpy as np
import pytest

from annotator.domain.instances import Annotation, Draft, Instance, Timing
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet, union_of_tokens
from annotator.errors import NotAllowed
from annotator.review.agreement import taking_part
from annotator.review.coefficients import Spread
from annotator.review.gold import that_count
from annotator.review.token_agreement import InstanceVotes
from annotator.store import Store
from annotator.store.annotate.annotations import add_annotation, annotations_of
from annotator.store.instances import discard, find_instance_ids, iterate_instance_batches
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.databases import find_project
from annotator.usecases.gold import agreement_of
from annotator.usecases.lead.quality import (
    DisagreementParts,
    Leaning,
    instances_behind_outcome,
    instances_behind_score,
    quality_of,
    reviewer_leanings,
)
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from benchmarks.agreement import check_equal, figures_by_packages, figures_of
from tests.conftest import SHARED_DATA, needs_data
from tests.review.test_agreement import approx, check_over_all, check_pairs, label_agreement
from tests.usecases.review.test_reviews import A, annotate, project, return_then_accept, reviewers, score

__all__ = ["project", "reviewers"]


@pytest.fixture
def worked_on(store: Store, project: Project, annotator: User, reviewers: list[User]) -> None:
    """t1: returned, then accepted. t2: scored by one reviewer so far."""
    return_then_accept(store, annotator, reviewers, project)


@pytest.mark.usefixtures("worked_on")
def test_outcomes_are_counted_by_round_and_the_accepted_share_is_of_those_decided(
    store: Store, project: Project, lead: User
) -> None:
    found = quality_of(store, lead, project)
    assert [(c.round_number, c.outcome, c.n) for c in found.outcomes] == [
        (1, "open", 1),
        (1, "returned", 1),
        (2, "accepted", 1),
    ]
    assert [(s.round_number, s.n_decided, s.n_open, s.accepted_share) for s in found.accepted_by_round] == [
        (1, 1, 1, 0.0),
        (2, 1, 0, 1.0),
    ]


@pytest.mark.usefixtures("worked_on")
def test_scores_are_counted_by_round_annotator_and_property_and_carried_ones_once(
    store: Store, project: Project, lead: User
) -> None:
    counts = {(c.round_number, c.property, c.score): c.n for c in quality_of(store, lead, project).scores}
    assert counts == {
        (1, "sufficiency", 3): 6, (1, "sufficiency", 1): 1, (1, "compactness", 4): 4, (1, "compactness", 3): 2,
        (1, "compactness", 1): 1, (1, "comprehensiveness", 3): 3, (1, "comprehensiveness", 2): 1,
        (2, "sufficiency", 3): 3, (2, "compactness", 4): 3, (2, "comprehensiveness", 3): 3,
    }  # fmt: skip


@pytest.mark.usefixtures("worked_on")
def test_reviewers_agreement_is_over_what_two_or_more_scored(store: Store, project: Project, lead: User) -> None:
    compactness = quality_of(store, lead, project).reviewers["compactness"]
    # Items: t1 A (4,4,4), t1 B (3,3,4), t1 B in round 2 (4,4,4); t2 A was scored by one. Equal pairs: 3 + 1 + 3 of 9.
    assert (compactness.n_items, compactness.n_alone, compactness.n_pairs) == (3, 1, 9)
    assert compactness.exact_share == pytest.approx(7 / 9)


@pytest.mark.usefixtures("worked_on")
def test_a_bar_opens_its_instances(store: Store, project: Project, lead: User) -> None:
    assert [b.key for b in instances_behind_outcome(store, lead, project, 1, "returned")] == ["t1"]
    assert [b.key for b in instances_behind_outcome(store, lead, project, 1, "open")] == ["t2"]
    assert [b.key for b in instances_behind_score(store, lead, project, "compactness", 3, round_number=1)] == ["t1"]
    behind = instances_behind_score(store, lead, project, "comprehensiveness", 2, annotator="annotator-a")
    assert [(b.key, b.round_number) for b in behind] == [("t2", 1)]
    assert instances_behind_score(store, lead, project, "comprehensiveness", 2, annotator="nobody") == []


def test_time_is_the_median_of_the_work_that_was_handed_in(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    for milliseconds in (10_000, 30_000):
        work = annotate_work.next_work(store, annotator, project.id).work
        assert work is not None
        timing = Timing(active_ms=milliseconds, idle_ms=99_000)
        annotate_work.submit(store, annotator, work.assignment.id, 0, Draft(sets=(A,)), timing)
    found = quality_of(store, lead, project)
    assert (found.time.n, found.time.median_seconds) == (2, 20.0)
    assert found.time_by_person["annotator-a"].median_seconds == 20.0


def test_work_whose_time_is_not_known_does_not_count_as_no_time(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    for milliseconds in (0, 30_000):
        work = annotate_work.next_work(store, annotator, project.id).work
        assert work is not None
        timing = Timing(active_ms=milliseconds)
        annotate_work.submit(store, annotator, work.assignment.id, 0, Draft(sets=(A,)), timing)
    spent = quality_of(store, lead, project).time
    assert (spent.n, spent.n_unknown, spent.median_seconds) == (2, 1, 30.0)


@pytest.mark.usefixtures("worked_on")
def test_work_that_came_back_counts_with_the_time_it_took(store: Store, project: Project, lead: User) -> None:
    assert quality_of(store, lead, project).time.n == 3  # t1 in two rounds, t2 in one


def test_nothing_handed_in_is_shown_as_nothing(store: Store, project: Project, lead: User) -> None:
    found = quality_of(store, lead, project)
    assert found.outcomes == found.scores == ()
    assert found.time.median_seconds is None
    assert found.reviewers["sufficiency"].exact_share is None


def test_an_annotator_does_not_see_the_leads_numbers(store: Store, project: Project, annotator: User) -> None:
    with pytest.raises(NotAllowed):
        quality_of(store, annotator, project)


@pytest.mark.usefixtures("worked_on")
def test_a_reviewer_is_compared_with_the_others_who_scored_the_same_set(
    store: Store, project: Project, lead: User
) -> None:
    found = reviewer_leanings(store, lead, project)
    # Compactness: A of round 1 (4, 4, 4), B of round 1 (3, 3, 4), B of round 2 (4, 4, 4). Reviewer 3 gave B one more than both.
    assert found["compactness"] == {
        "reviewer-1": Leaning(-0.5 / 3, 3),
        "reviewer-2": Leaning(-0.5 / 3, 3),
        "reviewer-3": Leaning(1 / 3, 3),
    }
    assert found["comprehensiveness"]["reviewer-3"] == Leaning(0.0, 2)


def test_what_others_gave_in_a_round_that_is_open_moves_no_comparison(
    store: Store, project: Project, annotator: User, reviewers: list[User], lead: User
) -> None:
    annotate(store, annotator, project, A)
    for reviewer, points in zip(reviewers[:2], (1, 3), strict=True):
        score(store, reviewer, project, Scores((SetScore(points, 4),), 3))
    assert reviewer_leanings(store, lead, project)["sufficiency"] == {}
    score(store, reviewers[2], project, Scores((SetScore(3, 4),), 3))
    assert reviewer_leanings(store, lead, project)["sufficiency"] == {
        "reviewer-1": Leaning(-2.0, 1),
        "reviewer-2": Leaning(1.0, 1),
        "reviewer-3": Leaning(1.0, 1),
    }


def test_reviewers_and_annotators_do_not_see_who_scores_higher(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    for person in (annotator, reviewers[0]):
        with pytest.raises(NotAllowed):
            reviewer_leanings(store, person, project)


# Agreement of a project's annotators: through the importer, over rounds and states, and on real data of others.

Make = Callable[..., Project]
Rows = Callable[..., object]

TEXT = "one two three four five six seven eight nine ten"


@pytest.fixture
def three(make_project: Make, import_rows: Rows) -> Project:
    """Ada, Ben and Cy on two texts; Cy labels the second otherwise."""
    made = make_project()
    import_rows(
        made,
        [
            row("1", "ada", [0, 2]),
            row("1", "ben", [0, 2]),
            row("1", "cy", [1, 4]),
            row("2", "ada", [0, 5], [6, 8]),
            row("2", "ben", [6, 8]),
            {**row("2", "cy", [0, 9]), "annotator_label": "positive"},
        ],
    )
    return made


def row(key: str, who: str, *ranges: list[int]) -> dict[str, object]:
    return {"id": key, "text": TEXT, "label": "negative", "annotator": who, "rationales": [[list(r)] for r in ranges]}


def test_three_imported_annotators_agree_as_far_as_one_can_work_out_by_hand(store: Store, three: Project) -> None:
    found = agreement_of(store, LOCAL_OPERATOR, three)
    assert (found.n_annotations, found.n_other_result) == (6, 1)
    assert found.tokens.n_instances == 2
    # text 1: ada = ben; each with cy: 1 of 10 shared, p_o .7, p_e (2 * 3 + 8 * 7) / 100. Text 2: ada and ben: p_o .5, p_e (7 * 2 + 3 * 8) / 100
    with_cy, second = (0.7 - 0.62) / (1 - 0.62), (0.5 - 0.38) / (1 - 0.38)
    assert found.tokens.cohen_kappa_per_instance.mean == approx((1 + 2 * with_cy + second) / 4)
    # text 1: the majority is 0, 1, which cy meets in 1. Text 2: of two, the majority is what both marked: 6, 7
    assert found.tokens.by_annotator["cy"].precision == Spread(approx(1 / 3), None, 1, 0)
    assert found.tokens.by_annotator["ada"].precision.mean == approx((1 + 2 / 7) / 2)
    assert found.tokens.majority.recall.mean == approx((1 + 1 + 1 / 2 + 1 + 1) / 5)
    assert found.sets.best_match_iou.mean == approx((1 + 1 / 4 + 1 / 4 + ((0 + 1) / 2 + 1) / 2) / 4)
    assert (found.labels.n_instances, found.labels.n_labels) == (2, 2)
    # text 1: cy overlaps the two others by a quarter: another reason. Text 2: cy has another label, one of the others a set more
    parts = found.disagreement
    assert (parts.label, parts.reason, parts.extent) == (approx(1 / 3), approx((0.75 * 2 / 3 + 0.25 / 3) / 2), 0)
    assert (parts.n_pairs, parts.n_instances, [of.key for of in parts.most]) == (6, 2, ["2", "1"])


def test_a_later_round_takes_the_place_of_the_earlier_and_returned_work_waits(store: Store, three: Project) -> None:
    [first], [second] = (find_instance_ids(store, three.id, key) for key in ("1", "2"))
    whole = [RationaleSet.of((0, 10))]
    with store.transaction():
        add_annotation(
            store, first, "cy", state="submitted", result="negative", sets=[RationaleSet.of((0, 2))], round_number=2
        )
        add_annotation(store, second, "ben", state="returned", result="negative", sets=whole, round_number=2)
        add_annotation(store, second, "di", state="reference", result="negative", sets=whole)
    found = agreement_of(store, LOCAL_OPERATOR, three)
    assert found.n_annotations == 6
    assert [(p.first, p.second, p.kappa_pooled) for p in found.tokens.pairs if p.second == "cy"] == [
        ("ada", "cy", 1.0),
        ("ben", "cy", 1.0),
    ]


def test_discarded_instances_take_no_part(store: Store, three: Project) -> None:
    [second] = find_instance_ids(store, three.id, "2")
    with store.transaction():
        discard(store, second)
    assert agreement_of(store, LOCAL_OPERATOR, three).n_annotations == 3
    assert statistics_of(store, LOCAL_OPERATOR, three).tables.eraser_table_1.sizes == {"": 1}


def test_an_empty_project_has_no_agreement(store: Store, make_project: Make) -> None:
    found = agreement_of(store, LOCAL_OPERATOR, make_project())
    assert found.n_annotations == 0
    assert (found.labels.krippendorff_alpha, found.tokens.krippendorff_alpha) == (None, None)
    assert found.sets.best_match_iou == Spread()
    assert found.disagreement == DisagreementParts()


def test_an_annotator_may_not_see_the_agreement(store: Store, three: Project, add_person: Callable[..., User]) -> None:
    with pytest.raises(NotAllowed, match=r"can grant a role \("):
        agreement_of(store, add_person("ann", three, "annotator"), three)


def test_the_statistics_hold_the_same_agreement_and_the_tables_and_are_json(store: Store, three: Project) -> None:
    found = statistics_of(store, LOCAL_OPERATOR, three)
    assert found.agreement == agreement_of(store, LOCAL_OPERATOR, three)
    assert found.tables.eraser_table_6.n_labels == 2
    assert found.tables.evidence.groups_per_instance == found.rationales.rsn
    [english] = found.tables.benchmark_table_3
    assert english.rlr == found.rationales.rlr
    written = json.loads(json.dumps(dataclasses.asdict(found), allow_nan=False))
    assert written["agreement"]["tokens"]["pairs"][0]["first"] == "ada"


# --- real data of others

PARTS = [
    ("fair_rationales", "SST", "sentiment"),
    ("fair_rationales", "dynasent", "sentiment"),
    ("fair_rationales", "cose", "sentiment"),
    ("expmrc", "squad", "reading"),
    ("expmrc", "c3", "reading"),
    ("expmrc", "cmrc2018", "reading"),
    ("expmrc", "race", "reading"),
]
AT_MOST = 40  # texts of each: the packages take a second for ten of them


@pytest.fixture
def part(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> Project:
    """One part of a data set, imported with its annotators."""
    folder, name, task = request.param
    lines = (SHARED_DATA / folder / "canonical.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    mine = [line for line in lines if json.loads(line)["dataset"] == f"{folder}/{name}"][:AT_MOST]
    (tmp_path / "canonical.jsonl").write_text("".join(mine), encoding="utf-8")
    documents = SHARED_DATA / folder / "docs.jsonl"
    if documents.exists():
        (tmp_path / "docs.jsonl").write_bytes(documents.read_bytes())
    project = create_project(store, LOCAL_OPERATOR, "Real", get_task(task))
    report = import_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path)
    assert (report.n_new, report.n_problems) == (AT_MOST, 0)
    return find_project(store, "Real")


def read(store: Store, project: Project) -> Iterator[tuple[Instance, list[Annotation]]]:
    for instances in iterate_instance_batches(store, project.id):
        annotations = annotations_of(store, [instance.id for instance in instances])
        yield from ((instance, taking_part(annotations[instance.id])) for instance in instances)


@needs_data
@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS, indirect=True, ids=lambda part: f"{part[0]}-{part[1]}")
def test_agreement_on_real_data_is_what_the_packages_say(store: Store, part: Project) -> None:
    votes, labels = [], []
    for instance, annotations in read(store, part):
        counting = that_count(instance, annotations)
        votes.append(InstanceVotes(tuple(a.annotator for a in counting), marks_of(instance, counting)))
        labels.append({a.annotator: a.result for a in annotations if a.result is not None})
    found = agreement_of(store, LOCAL_OPERATOR, part)
    assert found.tokens.n_instances > 30
    check_equal(figures_of(found.tokens), figures_by_packages(votes))
    check_pairs(found.labels, labels)
    # Of cose's 500 labels more do not fit the package's array of items x labels x labels.
    for begin in range(0, len(labels), 50):
        some = labels[begin : begin + 50]
        check_over_all(label_agreement(some), some)


def marks_of(instance: Instance, annotations: list[Annotation]) -> np.ndarray:
    unions = [union_of_tokens(annotation.sets) for annotation in annotations]
    tokens = range(instance.layout.n_selectable)
    return np.array([[token in union for token in tokens] for union in unions], dtype=bool)


def posts_of_hatexplain(**labels_of_posts: str) -> dict[str, object]:
    """Posts of the same three people with the letters of their labels, and two masks each."""
    names = {"n": "normal", "o": "offensive", "h": "hatespeech"}
    return {
        key: {
            "post_id": key,
            "annotators": [{"label": names[letter], "annotator_id": n} for n, letter in enumerate(letters, 1)],
            "rationales": [[1, 0, 0, 0], [1, 1, 0, 0]],
            "post_tokens": ["a", "b", "c", "d"],
        }
        for key, letters in labels_of_posts.items()
    }


def hatexplain_project(store: Store, file: Path) -> Project:
    create_project(store, LOCAL_OPERATOR, "Posts", get_task("sentiment"))
    import_file(store, LOCAL_OPERATOR, find_project(store, "Posts"), "hatexplain", file)
    return find_project(store, "Posts")


def test_masks_of_nobody_known_give_no_label_and_the_people_of_their_post_do(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "dataset.json"
    file.write_text(json.dumps(posts_of_hatexplain(p1="hho", p2="hhh", p3="ohn")))
    found = agreement_of(store, LOCAL_OPERATOR, hatexplain_project(store, file))
    # Labels: h 6 times, o 2, n 1. Pairs of a post that differ (ordered, halved): p1 2, p2 0, p3 3; 9 * 8 - (30 + 2) expected.
    assert found.labels.krippendorff_alpha == approx(1 - 5 / (40 / 8))
    assert (found.labels.n_instances, [pair.first for pair in found.labels.pairs]) == (3, ["1", "1", "2"])
    # Tokens: p1 and p2 by their masks; p3 has one for each of two who did not say normal, and no gold label that two gave.
    assert (found.n_annotations, found.n_marks_alone, found.n_labels_alone) == (2 + 2 + 3, 4, 6)
    assert {pair.first for pair in found.tokens.pairs} >= {"mask 1"}
    assert "1" not in {pair.first for pair in found.tokens.pairs if pair.second.startswith("mask")}


def test_a_mask_of_nobody_known_is_stored_without_a_label(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "dataset.json"
    file.write_text(json.dumps(posts_of_hatexplain(p1="hho")))
    project = hatexplain_project(store, file)
    [instance_id] = find_instance_ids(store, project.id, "p1")
    stored = {a.annotator: a.result for a in annotations_of(store, [instance_id])[instance_id]}
    assert stored == {"mask 1": None, "mask 2": None, "1": "hatespeech", "2": "hatespeech", "3": "offensive"}


def test_masks_that_an_older_version_stored_with_the_gold_label_do_not_count_for_labels(
    store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "dataset.json"
    file.write_text(json.dumps(posts_of_hatexplain(p1="hho", p2="ooo")))
    project = hatexplain_project(store, file)
    before = agreement_of(store, LOCAL_OPERATOR, project).labels
    store.run("UPDATE annotations SET result = 'hatespeech' WHERE annotator LIKE 'mask %'")
    assert agreement_of(store, LOCAL_OPERATOR, project).labels == before


@needs_data
def test_label_agreement_of_real_posts_is_that_of_all_labels_in_the_file(store: Store) -> None:
    """Source: the labels of dataset_val.json itself, by the package krippendorff."""
    file = SHARED_DATA / "hatexplain" / "raw" / "dataset_val.json"
    posts = json.loads(file.read_text()).values()
    names = sorted({a["label"] for post in posts for a in post["annotators"]})
    counts = [[sum(a["label"] == name for a in post["annotators"]) for name in names] for post in posts]
    labels = agreement_of(store, LOCAL_OPERATOR, hatexplain_project(store, file.parent / "dataset_val.json")).labels
    expected = krippendorff.alpha(value_counts=np.array(counts), level_of_measurement="nominal")
    assert labels.n_instances == len(counts) == 1922
    assert labels.krippendorff_alpha == approx(expected)
    assert round(expected, 4) == 0.5045


def test_pairs_of_annotators_whose_names_are_numbers_come_in_the_order_of_the_numbers(
    store: Store, make_project: Make, import_rows: Rows
) -> None:
    made = make_project()
    names = ("10", "2", "1")
    import_rows(
        made,
        [{"id": "a", "text": TEXT, "label": "positive", "annotator": name, "rationales": [[[0, 2]]]} for name in names],
    )
    agreement = agreement_of(store, LOCAL_OPERATOR, made)
    in_order = [("1", "2"), ("1", "10"), ("2", "10")]
    assert [(pair.first, pair.second) for pair in agreement.labels.pairs] == in_order
    assert [(pair.first, pair.second) for pair in agreement.tokens.pairs] == in_order
    assert list(agreement.tokens.by_annotator) == ["1", "2", "10"]
