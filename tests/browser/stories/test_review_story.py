"""The review loop with an annotator and the last reviewer at browsers: return, correction, acceptance; three rounds to discard."""

import re
from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import expect

from annotator.domain.reviews import Scores, SetScore
from annotator.store import open_store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import get_instance
from annotator.store.people import get_user
from annotator.store.review.rounds import rounds_of_instances
from annotator.usecases.review import reviews
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1
KEY, OTHER = "sentiment-en-08", "sentiment-en-17"
OTHERS = ("Reviewer 1", "Reviewer 2")
PASSING = SetScore(3, 4)
SET_A, SET_B = "showers off at nine", "a man with a mop sighing at you"


def annotation_id(server: Server, key: str) -> int:
    """The newest annotation of an instance."""
    with open_store(server.database) as store:
        return int(
            store.value(
                "SELECT max(annotations.id) FROM annotations JOIN instances ON instances.id = instance_id WHERE key = ?",
                (key,),
            )
        )


def outcomes(server: Server, key: str) -> list[str | None]:
    """How each round of an instance ended."""
    with open_store(server.database) as store:
        instance_id = int(store.value("SELECT id FROM instances WHERE key = ?", (key,)))
        return [found.outcome for found in rounds_of_instances(store, [instance_id]).get(instance_id, [])]


def review(server: Server, reviewer: Person, key: str, *scores: str) -> None:
    """Score the newest annotation of an instance: a digit for each question, then Ctrl+Enter."""
    reviewer.open(f"/review?project={SENTIMENT}&annotation={annotation_id(server, key)}")
    reviewer.wait_for_text()
    assert reviewer.key == key
    reviewer.press(*scores)
    reviewer.submit_review()


def scored_by(server: Server, names: Sequence[str], key: str, scores: Scores) -> None:
    """The same by others, without a screen."""
    with open_store(server.database) as store:
        for name in names:
            user = get_user(store, name)
            work = reviews.next_review(store, user, SENTIMENT, annotation_id(server, key)).work
            assert work is not None
            reviews.submit_review(store, user, work.review.id, work.review.revision, scores)


def correct(ann: Person, key: str, choose: str, phrase: str) -> None:
    """Mark a phrase more in a set of returned work, and hand it in."""
    ann.annotate(SENTIMENT)
    assert ann.key == key  # returned work comes first
    ann.press(choose)
    ann.mark(phrase)
    ann.submit()


def test_return_correction_return_and_acceptance_with_three_reviewers(server: Server, person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT, KEY)
    ann.mark(SET_A)
    ann.press("n")
    ann.mark("a man with a mop")
    ann.submit()
    reviewer = person("Reviewer 3")

    # Set A passes, set B does not support the label by itself.
    scored_by(server, OTHERS, KEY, Scores((PASSING, SetScore(2, 4)), 3))
    assert outcomes(server, KEY) == [None]
    review(server, reviewer, KEY, "3", "4", "3", "4", "3")
    assert outcomes(server, KEY) == ["returned"]

    ann.annotate(SENTIMENT)
    assert ann.key == KEY
    ann.sees("Returned after round 1")
    ann.sees("Sufficiency score: 2 × not sure, 1 × can support the result.")
    ann.press("1")
    ann.mark("lights off")
    ann.sees("is locked. Unlock it")
    correct(ann, KEY, "2", "sighing at you")

    # Set A carries its scores: only set B and the whole are asked for.
    scored_by(server, OTHERS, KEY, Scores((SetScore(), SetScore(3, 3)), 3))
    review(server, reviewer, KEY, "3", "3", "3")
    assert outcomes(server, KEY) == ["returned", "returned"]
    ann.annotate(SENTIMENT)
    ann.sees("Compactness score: 3 × not sure.")
    ann.press("Control+Enter")  # as it is: the reviewers are content now
    ann.sees("Nothing changed since it was returned.")
    ann.submit()
    scored_by(server, OTHERS, KEY, Scores((SetScore(), PASSING), 3))
    review(server, reviewer, KEY, "3", "4", "3")
    assert outcomes(server, KEY) == ["returned", "returned", "accepted"]

    with open_store(server.database) as store:
        instance_id = ann.instance_id(KEY)
        assert get_instance(store, instance_id).state == "complete"
        last = annotations_of(store, [instance_id])[instance_id][-1]
        assert last.round_number == 3
    reviewer.open(f"/review?project={SENTIMENT}&annotation={annotation_id(server, KEY)}")
    reviewer.wait_for_text()
    reviewer.sees("accepted")


def test_three_rounds_that_fall_short_discard_the_text(server: Server, person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT, OTHER)
    ann.mark("washed")
    ann.submit()
    reviewer = person("Reviewer 3")
    for phrase in ("posted it to me", "with a note", ""):
        scored_by(server, OTHERS, OTHER, Scores((SetScore(1, 4),), 1))
        review(server, reviewer, OTHER, "1", "4", "1")
        if phrase:
            correct(ann, OTHER, "1", phrase)
    assert outcomes(server, OTHER) == ["returned", "returned", "discarded"]
    with open_store(server.database) as store:
        assert get_instance(store, ann.instance_id(OTHER)).state == "discarded"
    ann.annotate(SENTIMENT)
    assert ann.key != OTHER


def test_a_reviewer_with_the_keyboard_alone_scores_comments_and_goes_on(server: Server, person: Come) -> None:
    reviewer = person("Reviewer 3").open(f"/review?project={SENTIMENT}")
    reviewer.wait_for_text()
    first = reviewer.key
    assert first == "sentiment-en-14"  # a correction that one knows comes first
    reviewer.press("3", "4", "3")
    reviewer.press("c")
    reviewer.page.keyboard.type("much better")
    reviewer.press("Escape", "4", "3")
    reviewer.submit_review()
    assert reviewer.key != first
    with open_store(server.database) as store:
        comment = store.value(
            """SELECT scores.comment FROM scores JOIN reviews ON reviews.id = review_id JOIN users ON users.id = user_id
                WHERE name = 'Reviewer 3' AND scores.comment <> '' ORDER BY reviews.id DESC LIMIT 1"""
        )
    assert comment == "much better"


def test_a_reviewer_asks_what_the_model_answers_and_an_annotator_is_not_offered_it(
    person: Callable[..., Person],
) -> None:
    reviewer = person("Reviewer 3").open("/review?project=1")
    reviewer.wait_for_text()
    reviewer.press("w")
    answers = reviewer.page.get_by_role("dialog", name="Model predictions")
    expect(answers.get_by_role("row", name="the whole text")).to_contain_text("%")
    expect(answers.get_by_role("row", name="without the sets")).to_be_visible()
    of_method = answers.get_by_role("rowgroup").filter(has_text="built-in · occlusion · for")
    expect(of_method.get_by_role("row", name="set A")).to_contain_text(re.compile(r"\d\.\d\d"))
    annotator = person("Annotator 1").annotate(1)
    annotator.press("w")
    expect(annotator.page.get_by_role("dialog")).to_have_count(0)
    expect(annotator.page.get_by_role("button", name="Model", exact=True)).to_have_count(0)
