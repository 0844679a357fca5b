"""Lists of work that may be worth a look: what each filter takes, whose it is, and who sees it."""

from collections.abc import Callable

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.lead.progress import Filter, ListedWork, default_bound, flagged_work, page_of

SOME = (RationaleSet.of((0, 2)),)


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Texts of five tokens, each for two annotators who give the label themselves."""
    made = make_project(annotators_per_instance=2, result_mode="give", may_be_empty=True)
    import_rows(made, [{"id": f"t{n}", "text": "Slow and loud again.", "label": "negative"} for n in range(4)])
    return made


def submit(
    store: Store, user: User, project: Project, *sets: RationaleSet, label: str = "negative", seconds: float = 10
) -> int:
    """The next text of somebody; answers its number."""
    work = annotate_work.next_work(store, user, project.id).work
    assert work is not None
    draft = Draft(label, sets, no_rationale=not sets)
    answer = annotate_work.submit(store, user, work.assignment.id, work.assignment.revision, draft, is_confirmed=True)
    assert answer is not None
    store.run("UPDATE assignments SET active_ms = ? WHERE id = ?", (1000 * seconds, work.assignment.id))
    return work.instance.id


def texts(store: Store, lead: User, project: Project, listed: ListedWork, name: Filter) -> list[str]:
    return [annotation.key for annotation in page_of(store, lead, project, listed.ids(name))]


def test_each_filter_lists_what_it_says_and_counts_it_by_person(
    store: Store, project: Project, lead: User, annotator: User, add_person: Callable[..., User]
) -> None:
    submit(store, annotator, project, *SOME, seconds=10)
    submit(store, annotator, project, seconds=20)
    submit(store, annotator, project, RationaleSet.of((0, 3)), RationaleSet.of((2, 5)), label="positive")
    submit(
        store, annotator, project, RationaleSet.of((0, 3)), RationaleSet.of((1, 4))
    )  # six marks on four of five tokens
    ben = add_person("ben", project, "annotator")
    submit(store, ben, project, *SOME, seconds=2.4)
    listed = flagged_work(store, lead, project, 0.5)
    lists = {name: texts(store, lead, project, listed, name) for name in listed.listed}
    assert lists == {"quick": ["t0"], "nothing marked": ["t1"], "everything marked": ["t2"], "other label": ["t2"]}
    first, second = listed.people
    assert (first.person, first.n, list(first.counts.values())) == (annotator.name, 4, [0, 1, 1, 1])
    assert (second.person, second.n, list(second.counts.values())) == ("ben", 1, [1, 0, 0, 0])
    assert listed.ids("quick", annotator.name) == []


def test_work_at_the_bound_is_not_quick_and_work_whose_time_is_not_known_is_not_either(
    store: Store, project: Project, lead: User, annotator: User
) -> None:
    submit(store, annotator, project, *SOME, seconds=2.5)  # half a second for each of five tokens
    submit(store, annotator, project, *SOME, seconds=0)
    assert flagged_work(store, lead, project, 0.5).ids("quick") == []
    assert len(flagged_work(store, lead, project, 0.51).ids("quick")) == 1
    assert flagged_work(store, lead, project, None).ids("quick") == []


def test_where_all_work_alike_the_usual_bound_lists_nobody() -> None:
    assert default_bound(2.0) == 0.5
    assert default_bound(None) is None


def test_a_lead_who_has_a_text_in_hand_learns_nothing_of_what_others_marked_in_it(
    store: Store, project: Project, lead: User, annotator: User
) -> None:
    text = submit(store, annotator, project)
    assert len(flagged_work(store, lead, project, None).ids("nothing marked")) == 1
    work = annotate_work.next_work(store, lead, project.id).work
    assert work is not None
    assert work.instance.id == text
    listed = flagged_work(store, lead, project, None)
    assert (listed.ids("nothing marked"), listed.people) == ([], ())


def test_where_only_labels_are_given_nobody_is_listed_for_having_marked_nothing(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:  # fmt: skip
    project = make_project(name="Labels", result_mode="labels_only")
    import_rows(project, [{"id": "t", "text": "Slow and loud again.", "label": "negative"}])
    submit(store, add_person("ann", project, "annotator"), project)
    listed = flagged_work(store, add_person("lea", project, "lead"), project, None)
    assert (listed.people[0].n, listed.ids("nothing marked")) == (1, [])


def test_only_leads_see_the_lists_and_a_bound_below_nothing_is_refused(
    store: Store, project: Project, lead: User, annotator: User, add_person: Callable[..., User]
) -> None:
    for person in (annotator, add_person("resi", project, "researcher")):
        with pytest.raises(NotAllowed):
            flagged_work(store, person, project, None)
        with pytest.raises(NotAllowed):
            page_of(store, person, project, [1])
    with pytest.raises(InvalidValue, match=r"Bounds can't be -1 seconds per token\."):
        flagged_work(store, lead, project, -1)


def test_annotations_of_another_project_are_not_on_the_page_of_this_one(
    store: Store, project: Project, lead: User, annotator: User, make_project: Callable[..., Project]
) -> None:
    submit(store, annotator, project)
    ids = flagged_work(store, lead, project, None).ids("nothing marked")
    other = make_project(name="Other")
    lead_there = User(lead.id, lead.name, is_administrator=True)
    assert page_of(store, lead_there, other, ids) == []
