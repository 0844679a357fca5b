"""Several claims about one abstract are told apart in every list, by what is asked; a text without a question by its words."""

from collections.abc import Callable

import pytest

from annotator.domain.measurements import Question
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.events import list_events
from annotator.store.instances import get_instance, list_instances
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
        "my reviews": [row.excerpt for row in show_my_reviews(reviews, n, 1).rows],
        "behind a bar": [row.excerpt for row in instances_behind_outcome(store, LOCAL_OPERATOR, claims, 1, "accepted")],
        "saliency": [row.excerpt for row in list_instances_by(store, LOCAL_OPERATOR, Question(claims.id), 1)[0]],
        "perturb": [row.excerpt for row in show_originals(store, ann, claims.id, "", 1, is_without=False).rows],
        "record": sorted({event.excerpt for event in list_events(store, claims.id, limit=50) if event.key}),
    }  # fmt: skip
    for name, excerpts in listed.items():
        assert sorted(
            excerpt[: len(said)] for excerpt, said in zip(sorted(excerpts), sorted(SAID), strict=True)
        ) == sorted(SAID), name


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
