"""How long people take: first submissions whose time is known, by person, per text and per token."""

from collections.abc import Callable

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.errors import NotAllowed
from annotator.store import Store
from annotator.usecases.lead.progress import Quartiles, work_times
from tests.usecases.review.test_reviews import A, B, annotate, score


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Three texts of 10, 5 and 5 tokens; one reviewer for each annotation."""
    made = make_project(reviewers_per_annotation=1)
    texts = ("The staff never smiled and the soup was cold.", "Slow and loud again.", "Slow, loud, old.")
    import_rows(made, [{"id": f"t{n}", "text": text, "label": "negative"} for n, text in enumerate(texts)])
    return made


def time_of(store: Store, key: str, round_number: int, milliseconds: int) -> None:
    store.run(
        """UPDATE assignments SET active_ms = ? WHERE round = ?
            AND instance_id = (SELECT id FROM instances WHERE key = ?)""",
        (milliseconds, round_number, key),
    )


def test_times_are_of_first_submissions_and_what_is_not_known_is_counted_apart(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    lead, rita = add_person("lea", project, "lead"), add_person("rita", project, "reviewer")
    annotate(store, annotator, project, A)
    score(store, rita, project, Scores((SetScore(1, 1),), 1))
    annotate(store, annotator, project, A, B)  # a correction of t0: it begins with sets that are there
    annotate(store, annotator, project, A)
    annotate(store, annotator, project, A)  # t2, whose time is not known
    time_of(store, "t0", 1, 30_000)
    time_of(store, "t0", 2, 1_000)
    time_of(store, "t1", 1, 10_000)
    times = work_times(store, lead, project)
    [person] = times.people
    assert person.name == annotator.name
    assert person.per_text == times.everybody.per_text == Quartiles(2, 15.0, 20.0, 25.0)
    assert person.per_token == Quartiles(2, 2.25, 2.5, 2.75)  # 3 s of ten tokens, 2 s of five
    assert person.n_unknown == 1
    assert [(point.first, point.last, point.seconds.n) for point in person.curve] == [(1, 2, 2)]


def test_before_anybody_has_submitted_there_are_no_times(
    store: Store, project: Project, add_person: Callable[..., User]
) -> None:
    times = work_times(store, add_person("lea", project, "lead"), project)
    assert (times.people, times.everybody.per_text, times.everybody.curve) == ((), Quartiles(0), ())


def test_annotators_do_not_see_each_others_times(store: Store, project: Project, annotator: User) -> None:
    with pytest.raises(NotAllowed):
        work_times(store, annotator, project)
