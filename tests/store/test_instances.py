"""What is asked by instance: its claim in every list, its changed versions, and what runs say of it."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.domain.measurements import Question
from annotator.domain.models import Attribution, Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet, first_words
from annotator.store import Store
from annotator.store.events import list_events
from annotator.store.instances import find_instance_ids, get_instance, list_instances, queue_keys
from annotator.store.models import RunFinder, answers_of_run, iterate_outputs, store_outputs
from annotator.store.slices import is_version_of, pairs_of
from annotator.usecases.annotate.my_work import my_work
from annotator.usecases.inspect.saliency import list_instances_by
from annotator.usecases.lead.quality import instances_behind_outcome
from annotator.usecases.perturb.panel_messages import show_originals
from annotator.usecases.review.panel_messages import show_my_reviews
from annotator.usecases.review.reviews import my_reviews
from tests.usecases.review.test_reviews import A, annotate, score

ABSTRACT = (
    "We studied four hundred patients for two years. The drug lowered their blood pressure, but not their weight."
)
CLAIMS = ("The drug lowers blood pressure.", "The drug helps people to lose weight.")
SAID = [f"{claim} · We studied four hundred patients" for claim in CLAIMS]
BRIEFLY = [first_words(said, 60) for said in SAID]  # beside what else a row says


@pytest.fixture
def claims(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    project = make_project("verification", reviewers_per_annotation=1)
    rows = [
        {"id": f"c{n}", "document": ABSTRACT, "query": claim, "label": "positive"} for n, claim in enumerate(CLAIMS)
    ]
    import_rows(project, rows)
    return project


def test_every_list_begins_with_the_claim(store: Store, claims: Project, add_person: Callable[..., User]) -> None:
    ann, rita = add_person("ann", claims, "annotator"), add_person("rita", claims, "reviewer")
    for _ in CLAIMS:
        annotate(store, ann, claims, A)
        score(store, rita, claims)
    reviews, n = my_reviews(store, rita, claims.id, 1)
    listed = {
        "instances": [row.excerpt for row in list_instances(store, claims.id)],
        "my work": [row.excerpt for row in my_work(store, ann, claims.id)[0]],
        "My reviews": [row.excerpt for row in show_my_reviews(reviews, n, 1).rows],
        "behind a bar": [row.excerpt for row in instances_behind_outcome(store, LOCAL_OPERATOR, claims, 1, "accepted")],
        "saliency": [row.excerpt for row in list_instances_by(store, LOCAL_OPERATOR, Question(claims.id), 1)[0]],
        "perturb": [row.excerpt for row in show_originals(store, ann, claims.id, "", 1, is_without=False).rows],
        "record": sorted({event.excerpt for event in list_events(store, claims.id, limit=50) if event.key}),
    }  # fmt: skip
    for name, excerpts in listed.items():
        wanted = BRIEFLY if name in {"saliency", "perturb"} else SAID
        assert sorted(
            excerpt[: len(said)] for excerpt, said in zip(sorted(excerpts), sorted(wanted), strict=True)
        ) == sorted(wanted), name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Der Ärger war groß.", "ärger WAR GROSS"),
        ("Фильм очень хороший.", "фильм ОЧЕНЬ"),
        ("Η ΤΑΙΝΊΑ", "ταινία"),
        ("这部电影很好。", "电影"),
        ("فيلم رائع", "رائع"),
    ],
)
def test_every_list_is_searched_whatever_the_case_in_any_script(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object],
    add_person: Callable[..., User], text: str, words: str,
) -> None:  # fmt: skip
    project = make_project(reviewers_per_annotation=1)
    ann, rita = add_person("ann", project, "annotator"), add_person("rita", project, "reviewer")
    import_rows(project, [{"id": "one", "text": text, "label": "positive"}, {"id": "two", "text": "?"}])
    annotate(store, ann, project, RationaleSet.of((0, 1)))
    score(store, rita, project)
    assert my_work(store, ann, project.id, words=words)[1] == 1
    assert my_reviews(store, rita, project.id, words=words)[1] == 1
    originals = show_originals(store, add_person("lea", project, "lead"), project.id, words, 1, is_without=False)
    assert originals.n == 1
    found, _ = list_instances_by(store, LOCAL_OPERATOR, Question(project.id, words=words), 1)
    assert [line.key for line in found] == ["one"]


def test_hypotheses_of_one_long_premise_stand_behind_its_beginning_and_are_told_apart(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    project = make_project("inference")
    rows = [{"id": f"h{n}", "premise": ABSTRACT, "hypothesis": claim} for n, claim in enumerate(CLAIMS)]
    import_rows(project, rows)
    listed = list_instances(store, project.id)
    assert [row.excerpt for row in listed] == [
        f"We studied four hundred patients for two… · {claim}" for claim in CLAIMS
    ]
    for row in listed:
        instance = get_instance(store, row.id)
        assert instance.excerpt == row.excerpt
        assert [segment.name for segment in instance.as_shown] == ["premise", "hypothesis"]


def test_a_claim_is_read_before_its_abstract(store: Store, claims: Project) -> None:
    instance = get_instance(store, list_instances(store, claims.id)[0].id)
    assert [segment.name for segment in instance.as_shown] == ["query", "document"]


def test_an_instance_that_was_read_begins_as_the_lists_say(store: Store, claims: Project) -> None:
    for row in list_instances(store, claims.id):
        assert get_instance(store, row.id).excerpt == row.excerpt


@pytest.mark.parametrize(
    ("task", "row", "said"),
    [
        ("sentiment", {"text": "Never again.", "label": "negative"}, "Never again."),
        ("reading", {"passage": "It rained.", "title": "", "question": "Did it rain?"}, "Did it rain? · It rained."),
        ("choice", {"question": "Who ate?", "choices": "the cat; the dog", "label": "negative"}, "Who ate?"),
        (
            "inference",
            {"premise": "It rained.", "hypothesis": "It was wet.", "label": "positive"},
            "It rained. · It was wet.",
        ),
    ],
)
def test_a_text_begins_with_what_is_asked_where_something_is(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], task: str,
    row: dict[str, object], said: str,
) -> None:  # fmt: skip
    project = make_project(task)
    import_rows(project, [{"id": "one", **row}])
    [listed] = list_instances(store, project.id)
    assert (listed.excerpt, get_instance(store, listed.id).excerpt) == (said, said)


# Originals and their changed versions, also where keys repeat between splits.

Importer = Callable[..., Any]


def row(key: str, split: str, parent: str | None = None, kind: str | None = None) -> dict[str, object]:
    made: dict[str, object] = {"id": key, "text": f"{key} of {split}", "label": "negative", "split": split}
    return made | ({"parent": parent} if parent else {}) | ({"perturbation_kind": kind} if kind else {})


@pytest.fixture
def paired(store: Store, make_project: Callable[..., Project], import_rows: Importer) -> Project:
    """The key a in two splits, each with a version; b in train alone, with a version in test; a version of nothing."""
    made = make_project()
    rows = [row("a", "train"), row("a", "test"), row("b", "train")]
    rows += [
        row("a2", "train", "a", "importance"),
        row("a2", "test", "a"),
        row("b2", "test", "b"),
        row("c2", "test", "c"),
    ]
    import_rows(made, rows)
    return made


def number(store: Store, project: Project, key: str, split: str) -> int:
    return find_instance_ids(store, project.id, key, split)[0]


def found_pairs(store: Store, project: Project, split: str | None = None) -> list[tuple[int, str, int, str, str]]:
    return [tuple(pair) for pair in pairs_of(store, project.id, split)]


def test_a_version_belongs_to_the_original_of_its_split_else_to_the_first_of_its_key(
    store: Store, paired: Project
) -> None:
    def pair(key: str, split: str, version_split: str, kind: str) -> tuple[int, str, int, str, str]:
        versions = number(store, paired, f"{key}2", version_split)
        return number(store, paired, key, split), key, versions, f"{key}2", kind

    expected = [
        pair("a", "train", "train", "importance"),
        pair("a", "test", "test", "perturbed"),
        pair("b", "train", "test", "perturbed"),
    ]
    assert found_pairs(store, paired) == sorted(expected)
    assert found_pairs(store, paired, "test") == sorted(expected[1:])


def test_what_is_discarded_makes_no_pair_and_another_split_takes_the_originals_place(
    store: Store, paired: Project
) -> None:
    with store.transaction():
        for key, split in (("a", "test"), ("b2", "test")):
            store.run("UPDATE instances SET state = 'discarded' WHERE id = ?", (number(store, paired, key, split),))
    assert [(pair[1], pair[3], pair[0]) for pair in found_pairs(store, paired, "test")] == [
        ("a", "a2", number(store, paired, "a", "train"))
    ]


def test_the_condition_says_the_same_of_two_instances(store: Store, paired: Project) -> None:
    rows = store.rows(
        f"SELECT o.id, c.id FROM instances AS o, instances AS c WHERE {is_version_of('c', 'o')} ORDER BY 1, 2"
    )
    assert [tuple(row) for row in rows] == [(pair[0], pair[2]) for pair in found_pairs(store, paired)]


# What runs say, read by instance: everything of it, or the answers alone.


def kept(store: Store, project: Project, method: str, outputs: list[Output]) -> int:
    with store.transaction():
        run = RunFinder(store, project.id).id_of(Run("m", method))
        store_outputs(store, run, outputs)
    return run


def test_a_run_is_read_in_batches_whatever_other_runs_say_between_its_instances(
    make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store
) -> None:
    project = make_project()
    import_rows(project, [{"id": f"i{n}", "text": "one two"} for n in range(9)])
    numbers = [number for number, _, _ in queue_keys(store, project.id)]
    first = [Output(n, (), (Attribution((0.5, n / 3), "b"), Attribution((1.0, 2.0), "a"))) for n in numbers[::2]]
    second = [Output(n, (Prediction("yes"),), (Attribution((0.0, 9.0), "a"),)) for n in numbers[1::2]]
    one, other = kept(store, project, "ig", first), kept(store, project, "lime", second)
    for size in (1, 2, 3, 500):
        read = list(iterate_outputs(store, one, batch_size=size))
        assert [output.instance_id for output in read] == numbers[::2]
        assert [[a.label for a in output.attributions] for output in read] == [["a", "b"]] * 5
        assert [output.attributions[1].scores[1] for output in read] == [n / 3 for n in numbers[::2]]
        assert list(iterate_outputs(store, other, batch_size=size)) == second


def test_the_answers_of_a_run_are_those_to_the_full_input_alone(
    make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store
) -> None:
    project = make_project()
    import_rows(project, [{"id": f"i{n}", "text": "one two"} for n in range(3)])
    first, second, third = (number for number, _, _ in queue_keys(store, project.id))
    answers = {first: Prediction(None, {"no": 0, "yes": 1}), third: Prediction("no", {"no": 0.75, "yes": 0.25})}
    changed = Prediction("yes", {}, "rationale", 0.1)
    outputs = [
        Output(first, (answers[first], changed)),
        Output(second, (changed,)),
        Output(third, (answers[third], Prediction("yes", {}, "rest", 0.5))),
    ]
    run = kept(store, project, "", outputs)
    assert answers_of_run(store, run) == answers
    assert [type(p) for p in answers_of_run(store, run)[first].probabilities.values()] == [int, int]  # as they came
