"""A second pass in which all evidence is marked: what it holds, what is proposed there, and what becomes exhaustive gold."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import GoldInstance
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.evidence import Selection
from annotator.domain.projects import GOLD_POLICIES, GoldPolicy, Project
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidValue, NotAllowed
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import MetricTable, metric_table
from annotator.store import Store
from annotator.store.instances import discard, find_instance_ids, get_instance, set_result
from annotator.store.people import add_role
from annotator.usecases.annotate import proposals
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.evidence.exhaustive_gold import set_automatic, standing_of, take_back, take_over
from annotator.usecases.gold import gold_instances
from annotator.usecases.inspect.metric_values import groupings_of
from annotator.usecases.inspect.metrics_table import gold_summary
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.lead.decisions import adjudicate, take_choice_back
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.project.exhaustive_passes import QUESTION, count_chosen, start_pass
from annotator.usecases.project.labels import replace_label
from annotator.usecases.project.projects import create_project
from annotator.usecases.releases.export import export_release
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check

TEXT = "The staff never smiled and the soup was cold ."
A, B = RationaleSet.of((2, 4)), RationaleSet.of((6, 9))
TEST = Selection("test")
People = Callable[..., User]


@pytest.fixture
def first(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Four texts with one gold set each: three of the test split, one of training."""
    made = make_project(name="Reviews")
    for split, keys in (("test", ("t1", "t2", "t3")), ("train", ("u1",))):
        rows = [
            {"id": key, "text": TEXT, "tokens": TEXT.split(), "label": "negative", "rationales": [[[2, 4]]]}
            for key in keys
        ]
        import_rows(made, rows, split=split)
    return made


@pytest.fixture
def ann(first: Project, add_person: People) -> User:
    return add_person("Ann", first, "annotator")


def start(store: Store, first: Project, selection: Selection = TEST, **options: bool) -> Project:
    return start_pass(store, LOCAL_OPERATOR, first.id, "Reviews – every evidence", selection, **options)


def mark(store: Store, person: User, project: Project, *sets: RationaleSet, result: str | None = None) -> int:
    work = annotate_work.next_work(store, person, project.id).work
    assert work is not None
    draft = replace(work.assignment.draft, sets=sets, result=result or work.assignment.draft.result)
    annotate_work.submit(store, person, work.assignment.id, work.assignment.revision, draft)
    return work.instance.id


def gold(store: Store, project: Project, policy: GoldPolicy = "chosen") -> dict[str, GoldInstance]:
    return {item.instance.key: item for item in gold_instances(store, project, policy)}


def exhaustive(store: Store, project: Project, policy: GoldPolicy = "chosen") -> list[str]:
    return [key for key, item in gold(store, project, policy).items() if item.instance.is_exhaustive]


def key_of(store: Store, instance_id: int) -> str:
    return get_instance(store, instance_id).key


def everything(store: Store, *but: str) -> list[str]:
    return [line for line in store.connection.iterdump() if not any(f'"{table}"' in line for table in but)]


# --- the way through


def test_a_pass_holds_the_chosen_texts_with_their_results_and_the_rules_of_the_first(
    store: Store, first: Project
) -> None:
    project = start(store, first)
    copies = [get_instance(store, n) for k in ("t1", "t2", "t3") for n in find_instance_ids(store, project.id, k)]
    assert [(c.key, c.split, c.result, c.state) for c in copies] == [
        (key, "test", "negative", "open") for key in ("t1", "t2", "t3")
    ]
    assert copies[0].segments[0].body == get_instance(store, 1).segments[0].body
    assert not find_instance_ids(store, project.id, "u1")
    assert (project.question, project.settings.is_exhaustive, project.labels) == (QUESTION, True, first.labels)
    assert check(store) == []


def test_the_sets_of_the_first_pass_are_proposed(store: Store, first: Project, ann: User) -> None:
    project = start(store, first)
    work = annotate_work.next_work(store, ann, project.id).work
    assert work is not None
    offer = proposals.propose(store, ann, work.assignment.id)
    assert [(p.title, p.rationale_set, p.first_state) for p in offer.proposals.sets] == [
        ("first pass A", A, "undecided")
    ]


@pytest.mark.parametrize("policy", GOLD_POLICIES)
def test_what_is_accepted_becomes_exhaustive_gold_under_every_policy_and_can_be_taken_back(
    store: Store, first: Project, ann: User, policy: GoldPolicy
) -> None:
    before = gold(store, first, policy)
    project = start(store, first)
    marked = key_of(store, mark(store, ann, project, A, B))
    assert exhaustive(store, first, policy) == []
    standing = standing_of(store, LOCAL_OPERATOR, project.id)
    assert (standing.n, standing.n_by_state, standing.tokens, standing.sets) == (
        3, {"ready": 1, "waiting": 2}, (2, 5), (1, 2),
    )  # fmt: skip
    assert take_over(store, LOCAL_OPERATOR, project.id) == 1
    after = gold(store, first, policy)
    assert exhaustive(store, first, policy) == [marked]
    assert after[marked].sets == (A, B)
    assert {origin.annotator for origins in after[marked].origins for origin in origins} == {"Ann"}
    assert {k: v for k, v in after.items() if k != marked} == {k: v for k, v in before.items() if k != marked}
    assert check(store) == []
    assert take_back(store, LOCAL_OPERATOR, project.id) == 1
    assert gold(store, first, policy) == before
    assert check(store) == []
    assert take_over(store, LOCAL_OPERATOR, project.id) == 1


def test_where_the_lead_says_so_it_is_taken_over_as_soon_as_it_is_accepted(
    store: Store, first: Project, ann: User
) -> None:
    project = start(store, first)
    earlier = key_of(store, mark(store, ann, project, A, B))
    set_automatic(store, LOCAL_OPERATOR, project.id, True)
    now = key_of(store, mark(store, ann, project, A))
    assert exhaustive(store, first) == [now]
    assert standing_of(store, LOCAL_OPERATOR, project.id).n_by_state == {"ready": 1, "taken": 1, "waiting": 1}
    assert earlier != now


# --- what is chosen, and who annotates


def test_a_sample_is_drawn_by_its_seed_and_said_before(store: Store, first: Project) -> None:
    chosen = count_chosen(store, LOCAL_OPERATOR, first, Selection(n=2, seed=7))
    assert (chosen.n, chosen.n_gold, chosen.n_tokens, chosen.n_in_passes) == (2, 4, 4, 0)
    made = start(store, first, Selection(n=2, seed=7))
    assert standing_of(store, LOCAL_OPERATOR, made.id).n == 2
    again = count_chosen(store, LOCAL_OPERATOR, first, Selection())
    assert (again.n, again.n_in_passes) == (2, 2)


def test_whoever_annotated_a_text_is_not_given_it_again_unless_the_lead_says_so(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: People
) -> None:
    plain = make_project(name="Plain")
    import_rows(plain, [{"id": "t1", "text": TEXT, "tokens": TEXT.split(), "label": "negative"}])
    ann, ben = add_person("Ann", plain, "annotator"), add_person("Ben", plain, "reviewer")
    mark(store, ann, plain, A)
    assert count_chosen(store, LOCAL_OPERATOR, plain, Selection()).n_without_annotator == 1
    second = start(store, plain, Selection())
    assert annotate_work.next_work(store, ann, second.id).work is None
    with store.transaction():
        add_role(store, second.id, ben, "annotator")
    work = annotate_work.next_work(store, ben, second.id).work
    assert work is not None
    assert [p.rationale_set for p in proposals.propose(store, ben, work.assignment.id).proposals.sets] == [A]
    assert check(store) == []


def test_with_the_same_people_a_text_comes_back_to_its_annotator(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: People
) -> None:
    plain = make_project(name="Plain")
    import_rows(plain, [{"id": "t1", "text": TEXT, "tokens": TEXT.split(), "label": "negative"}])
    ann = add_person("Ann", plain, "annotator")
    mark(store, ann, plain, A)
    assert annotate_work.next_work(store, ann, start(store, plain, Selection(), may_repeat=True).id).work is not None


def test_only_leads_of_the_first_project_start_a_pass_and_take_it_over(store: Store, first: Project, ann: User) -> None:
    second = start(store, first)
    mark(store, ann, second, A)
    before = everything(store)
    for refused in (
        lambda: start_pass(store, ann, first.id, "x", TEST),
        lambda: take_over(store, ann, second.id),
        lambda: take_back(store, ann, second.id),
        lambda: set_automatic(store, ann, second.id, True),
        lambda: standing_of(store, ann, second.id),
    ):
        with pytest.raises(NotAllowed):
            refused()
    assert everything(store) == before


def test_a_pass_that_would_hold_nothing_is_not_made(store: Store, first: Project) -> None:
    start(store, first, Selection())
    before = everything(store)
    with pytest.raises(InvalidValue, match=r"No text of 'Reviews' is complete, has gold and is in no second pass\."):
        start_pass(store, LOCAL_OPERATOR, first.id, "Third", Selection())
    with pytest.raises(InvalidValue, match="No split 'tset' in"):
        start_pass(store, LOCAL_OPERATOR, first.id, "Third", Selection("tset"))
    assert everything(store) == before


def test_labels_alone_have_no_evidence(store: Store, make_project: Callable[..., Project]) -> None:
    with pytest.raises(InvalidValue, match=r"asks for labels only\."):
        start_pass(store, LOCAL_OPERATOR, make_project(name="L", result_mode="labels_only").id, "x", Selection())


# --- bad days


@pytest.fixture
def marked(store: Store, first: Project, ann: User) -> tuple[Project, str, int]:
    """The pass, with one text accepted; its key and the number of its original."""
    second = start(store, first)
    key = key_of(store, mark(store, ann, second, A, B))
    return second, key, find_instance_ids(store, first.id, key)[0]


def states(store: Store, second: Project) -> dict[str, int]:
    return dict(standing_of(store, LOCAL_OPERATOR, second.id).n_by_state)


def test_gold_that_was_changed_since_is_taken_over_only_on_request_and_comes_back_as_it_was(
    store: Store, first: Project, marked: tuple[Project, str, int]
) -> None:
    second, key, original = marked
    adjudicate(store, LOCAL_OPERATOR, first, original, "negative", (B,), "better")
    assert states(store, second) == {"gold changed": 1, "waiting": 2}
    with pytest.raises(Conflict, match=r"No text is ready to adopt\."):
        take_over(store, LOCAL_OPERATOR, second.id)
    assert take_over(store, LOCAL_OPERATOR, second.id, with_changed=True) == 1
    assert gold(store, first)[key].sets == (A, B)
    assert take_back(store, LOCAL_OPERATOR, second.id) == 1
    assert gold(store, first)[key].sets == (B,), "the lead's version is the gold again"
    assert exhaustive(store, first) == []
    assert check(store) == []


def test_a_text_that_was_discarded_in_the_first_project_stays_out(
    store: Store, first: Project, marked: tuple[Project, str, int]
) -> None:
    second, _, original = marked
    with store.transaction():
        discard(store, original)
    assert states(store, second) == {"discarded": 1, "waiting": 2}
    with pytest.raises(Conflict):
        take_over(store, LOCAL_OPERATOR, second.id)


@pytest.mark.parametrize("renamed", ["first", "second"])
def test_a_label_that_is_called_otherwise_meanwhile_is_followed(
    store: Store, first: Project, marked: tuple[Project, str, int], renamed: str
) -> None:
    second, key, _ = marked
    replace_label(store, LOCAL_OPERATOR, first if renamed == "first" else second, "negative", "bad")
    assert take_over(store, LOCAL_OPERATOR, second.id) == 1
    assert gold(store, first)[key].result == ("bad" if renamed == "first" else "negative")


def test_evidence_for_another_result_is_not_taken_over(
    store: Store, first: Project, marked: tuple[Project, str, int]
) -> None:
    second, _, original = marked
    with store.transaction():
        set_result(store, original, "positive")
    assert states(store, second)["other result"] == 1


def test_a_text_that_was_changed_in_the_first_project_is_neither_proposed_nor_taken_over(
    store: Store, first: Project, ann: User
) -> None:
    second = start(store, first)
    with (
        store.transaction()
    ):  # an import refuses it while there are annotations; a file that was edited by hand may have it
        store.run("UPDATE documents SET text = replace(text, 'never', 'often') WHERE project_id = ?", (first.id,))
    work = annotate_work.next_work(store, ann, second.id).work
    assert work is not None
    assert proposals.propose(store, ann, work.assignment.id).proposals.sets == ()
    mark(store, ann, second, A)
    assert states(store, second) == {"text changed": 1, "waiting": 2}


def test_the_lead_chooses_otherwise_after_it_was_taken_over(
    store: Store, first: Project, marked: tuple[Project, str, int]
) -> None:
    second, key, original = marked
    take_over(store, LOCAL_OPERATOR, second.id)
    adjudicate(store, LOCAL_OPERATOR, first, original, "negative", (B,), "less")
    assert (gold(store, first)[key].sets, exhaustive(store, first)) == ((B,), [])
    with pytest.raises(Conflict, match=r"Nothing was adopted from this pass\."):
        take_back(store, LOCAL_OPERATOR, second.id)
    take_choice_back(store, LOCAL_OPERATOR, first, original)
    assert gold(store, first)[key].sets == (A,)
    assert check(store) == []


def test_one_text_is_taken_back_by_undoing_its_choice(
    store: Store, first: Project, marked: tuple[Project, str, int]
) -> None:
    second, _, original = marked
    take_over(store, LOCAL_OPERATOR, second.id)
    take_choice_back(store, LOCAL_OPERATOR, first, original)
    assert states(store, second) == {"ready": 1, "waiting": 2}


def test_the_same_rows_again_change_nothing_of_exhaustive_gold(
    store: Store, first: Project, marked: tuple[Project, str, int], import_rows: Callable[..., object]
) -> None:
    second, key, _ = marked
    take_over(store, LOCAL_OPERATOR, second.id)
    row = {"id": key, "text": TEXT, "tokens": TEXT.split(), "label": "negative", "rationales": [[[2, 4]]]}
    import_rows(first, [row], split="test")
    assert exhaustive(store, first) == [key]


def test_a_restored_project_keeps_its_exhaustive_gold(
    store: Store, first: Project, marked: tuple[Project, str, int], tmp_path: Path
) -> None:
    second, key, _ = marked
    take_over(store, LOCAL_OPERATOR, second.id)
    export_file(store, LOCAL_OPERATOR, first, "jsonl", tmp_path / "all.jsonl")
    restored = create_project(store, LOCAL_OPERATOR, "Restored", first.task, labels=first.labels)
    import_file(store, LOCAL_OPERATOR, restored, "jsonl", tmp_path / "all.jsonl")
    assert exhaustive(store, restored) == [key]
    assert gold(store, restored)[key].sets == (A, B)


def test_when_the_second_project_is_deleted_the_gold_that_was_taken_over_stays(
    store: Store, first: Project, marked: tuple[Project, str, int]
) -> None:
    second, key, original = marked
    take_over(store, LOCAL_OPERATOR, second.id)
    with store.transaction():
        store.run("DELETE FROM evidence_passes WHERE project_id = ?", (second.id,))
        store.run("DELETE FROM evidence_copies")
    assert exhaustive(store, first) == [key]
    take_choice_back(store, LOCAL_OPERATOR, first, original)
    assert exhaustive(store, first) == []


# --- who needs exhaustive gold


def test_statistics_and_releases_say_of_how_many_gold_is_exhaustive(
    store: Store, first: Project, marked: tuple[Project, str, int], tmp_path: Path
) -> None:
    second, _, _ = marked
    take_over(store, LOCAL_OPERATOR, second.id)
    assert statistics_of(store, LOCAL_OPERATOR, first).tables.eraser_table_1.exhaustive == {"test": 1 / 3, "train": 0}
    made = freeze_gold(store, LOCAL_OPERATOR, first, "one", licence="CC0")
    export_release(store, LOCAL_OPERATOR, first, made.number, "jsonl", tmp_path / "out")
    card = next((tmp_path / "out").rglob("README.md")).read_text()
    assert "Sets mark all the evidence in 1 of 4 instances." in card


def test_the_check_finds_a_text_of_a_pass_that_is_out_of_place(
    store: Store, first: Project, marked: tuple[Project, str, int]
) -> None:
    with store.transaction():
        store.run("DELETE FROM evidence_passes")
    assert check(store)[0] == (
        "Instance 't1' is kept as a text of a second pass, but its original is not in the first project of that pass."
    )


def test_numbers_over_the_instances_with_exhaustive_gold_stand_alone(
    store: Store, first: Project, marked: tuple[Project, str, int]
) -> None:
    def table(group: str | None = None) -> MetricTable:
        options = ScoringOptions(by="exhaustive", group=group)
        return metric_table(evaluate_project(store, LOCAL_OPERATOR, first, options=options))

    second, _, _ = marked
    assert "exhaustive" not in groupings_of(store, LOCAL_OPERATOR, first)
    assert "gold isn't marked exhaustive, so recall doesn't measure comprehensiveness" in gold_summary(table())
    take_over(store, LOCAL_OPERATOR, second.id)
    assert "exhaustive" in groupings_of(store, LOCAL_OPERATOR, first)
    assert dict(table().groups) == {"exhaustive": 1, "": 3}
    assert (
        "recall measures comprehensiveness only for the 1 exhaustive instance (group by “exhaustive”)"
        in gold_summary(table())
    )
    assert "recall" not in gold_summary(table("exhaustive")), "of these it means comprehensiveness"
