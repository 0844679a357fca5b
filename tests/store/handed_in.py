"""Work and reviews as they are stored once they are handed in: without the rules of the use cases, which have tests of their own."""

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Review, Scores, SetScore
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.annotate.annotations import add_annotation
from annotator.store.annotate.assignments import claim, set_assignment_state
from annotator.store.instances import find_instance_ids
from annotator.store.review.reviews import claim_review, get_review, save_scores, set_review_state
from annotator.store.review.rounds import open_round

LATER = "2999-01-01T00:00:00.000Z"


def number_of(person: User) -> int:
    assert person.id is not None
    return person.id


def instance_of(store: Store, project: Project, key: str) -> int:
    return find_instance_ids(store, project.id, key)[0]


def hand_in(store: Store, project: Project, key: str, person: User) -> int:
    """Somebody's annotation of a text with two sets, before its reviewers; answers its number."""
    instance_id = instance_of(store, project, key)
    with store.transaction():
        work = claim(store, project.id, instance_id, number_of(person), LATER)
        set_assignment_state(store, work.id, "submitted")
        annotation_id = add_annotation(
            store, instance_id, person.name, state="submitted", result="negative", user_id=person.id, assignment_id=work.id,
            sets=(RationaleSet.of((0, 1)), RationaleSet.of((2, 3))),
        )  # fmt: skip
        open_round(store, annotation_id, project.id, instance_id, 1, None)
    return annotation_id


def begin_review(store: Store, project: Project, annotation_id: int, reviewer: User) -> Review:
    """Somebody has taken a round to score it."""
    with store.transaction():
        return claim_review(store, project.id, annotation_id, number_of(reviewer), LATER)


def score(
    store: Store, project: Project, annotation_id: int, reviewer: User, sufficiency: int, compactness: int, whole: int
) -> Review:
    """Somebody's review of both sets alike, handed in."""
    review = begin_review(store, project, annotation_id, reviewer)
    alike = SetScore(sufficiency, compactness)
    with store.transaction():
        save_scores(store, review.id, Scores((alike, alike), whole), 1)
        set_review_state(store, review, "submitted")
    return get_review(store, review.id)
