"""Instances are found by any piece of what is written, and many are changed at once; what people hold is left to them."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.search import BulkChange, BulkKind, Search, Undone
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidValue, NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store.instances import rows_of
from annotator.usecases.annotate import talk
from annotator.usecases.annotate.work import next_work, submit
from annotator.usecases.inspect.text_lists import save_instance
from annotator.usecases.lead.bulk_actions import BulkResult, change_many, last_changes, plan_change, plan_undoing, undo
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.lead.instance_search import found_ids, search_choices, search_instances
from annotator.usecases.lead.timeline import timeline
from annotator.usecases.project.projects import events_of
from annotator.usecases.upkeep import check
from tests.clock import pass_time

People = Callable[..., User]

TEXTS = {
    "latin": "The Caf\u00e9 was   closed,\nSTRASSE included.",
    "marks": "The cafe\u0301 opened again.",
    "chinese": "服务员从来不笑，汤是冷的。",
    "arabic": "كَانَ الطَّعَامُ لَذِيذًا",
    "signs": '100% "quoted" OR_NOT* (NEAR) \\ it\'s a:b',
}


@pytest.fixture
def texts(project: Project, import_rows: Callable[..., object]) -> Project:
    import_rows(project, [{"id": key, "text": text, "label": "positive"} for key, text in TEXTS.items()])
    return project


def keys(store: Store, project: Project, *, actor: User = LOCAL_OPERATOR, **search: object) -> list[str]:
    page = search_instances(store, actor, project, Search(**search))  # type: ignore[arg-type]
    assert page.n == len(page.instances) == len(found_ids(store, actor, project, Search(**search)))  # type: ignore[arg-type]
    return [found.row.key for found in page.instances]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("CAFÉ", ["latin", "marks"]),  # composed or not, whatever the case
        ("cafe\u0301", ["latin", "marks"]),
        ("was closed, strasse", ["latin"]),  # blanks and line ends are one blank
        ("Straße", ["latin"]),
        ("汤", ["chinese"]),  # one character
        ("不笑，汤", ["chinese"]),
        ("الطَّعَامُ", ["arabic"]),
        ("الطعام لذيذ", ["arabic"]),  # typed without vowel points, as people do
        ("100%", ["signs"]),
        ("%", ["signs"]),
        ("_", ["signs"]),
        ('"quoted" or_not*', ["signs"]),
        ("(near) \\ it's a:b", ["signs"]),
        ("' OR 1=1 --", []),
        ("caf\0", []),
        ("was closed\0", []),
        ("\ud800", []),  # half a surrogate pair is in no text
        ("latin", ["latin"]),  # a key
    ],
)
def test_a_text_is_found_by_any_piece_of_it(store: Store, texts: Project, words: str, expected: list[str]) -> None:
    assert keys(store, texts, words=words) == expected


def test_nothing_looked_for_lists_everything_by_kept_counts(store: Store, texts: Project) -> None:
    page = search_instances(store, LOCAL_OPERATOR, texts, Search(), size=3)
    assert (len(page.instances), page.n) == (3, 9)
    assert search_instances(store, LOCAL_OPERATOR, texts, Search(state="complete")).n == 0


def test_pages_follow_each_other_and_know_how_many_there_are(store: Store, texts: Project) -> None:
    first, second, beyond = (
        search_instances(store, LOCAL_OPERATOR, texts, Search("a"), page=page, size=4) for page in (1, 2, 9)
    )
    assert first.n == second.n == beyond.n > 4
    assert not {f.row.id for f in first.instances} & {f.row.id for f in second.instances}
    assert beyond.instances == ()


def test_a_hit_stands_in_a_line_of_context(store: Store, texts: Project) -> None:
    [found] = search_instances(store, LOCAL_OPERATOR, texts, Search("CLOSED")).instances
    assert found.part == "text"
    assert found.context is not None
    assert found.context.pieces == ("The Café was ", "closed", ", STRASSE included.")


@pytest.mark.parametrize(
    ("words", "key", "marked"),
    [
        ("CAFÉ", "marks", "cafe\u0301"),  # the sign stays with its letter
        ("الطعام", "arabic", "الطَّعَامُ"),
        ("汤", "chinese", "汤"),
        ("strasse", "latin", "STRASSE"),
        ("was closed", "latin", "was closed"),  # several blanks in the text
        ("100%", "signs", "100%"),
    ],
)
def test_what_is_marked_is_what_stands_in_the_text(
    store: Store, texts: Project, words: str, key: str, marked: str
) -> None:
    hits = {hit.row.key: hit for hit in search_instances(store, LOCAL_OPERATOR, texts, Search(words)).instances}
    context = hits[key].context
    assert context is not None
    assert context.pieces[1] == marked


@pytest.fixture
def lead(add_person: People, project: Project) -> User:
    return add_person("Lead", project, "lead")


def _annotate(store: Store, user: User, project: Project, note: str) -> int:
    work = next_work(store, user, project.id).work
    assert work is not None
    draft = Draft(None, (RationaleSet.of((0, 2)),), note)
    submit(store, user, work.assignment.id, work.assignment.revision, draft)
    return work.instance.id


def test_notes_and_talk_are_found_and_told_apart(
    store: Store, project: Project, annotator: User, lead: User
) -> None:  # fmt: skip
    instance_id = _annotate(store, annotator, project, "Zweifelhaft, the soup")
    subject = talk.talk_of(store, annotator, project.id, instance_id).subjects[0]
    talk.begin(store, annotator, project.id, instance_id, subject, "Is irony a reason?", to_lead=True)
    [found] = search_instances(store, lead, project, Search("IRONY")).instances
    assert (found.row.id, found.part) == (instance_id, "comment")
    [found] = search_instances(store, lead, project, Search("zweifel")).instances
    assert found.part == "note"
    assert keys(store, project, words="zweifel", parts=("text",)) == []
    assert len(keys(store, project, talk="open")) == len(keys(store, project, has_note=True)) == 1
    assert len(keys(store, project, talk="none")) == len(keys(store, project, has_note=False)) == 3
    assert len(keys(store, project, annotator=annotator.name)) == 1


def test_what_others_wrote_is_not_found_by_a_lead_who_is_at_work_on_the_text(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: People
) -> None:
    project = make_project(annotators_per_instance=2)
    import_rows(project, [{"id": "t", "text": "The soup was cold.", "label": "negative"}])
    lead, annotator = add_person("Lead", project, "lead"), add_person("Ann", project, "annotator")
    _annotate(store, annotator, project, "Zweifelhaft")
    next_work(store, lead, project.id)
    assert keys(store, project, actor=lead, words="zweifel") == []
    assert keys(store, project, actor=lead, has_note=True) == []
    assert keys(store, project, words="zweifel") == ["t"]


def test_only_who_sees_all_annotations_may_search(store: Store, project: Project, add_person: People) -> None:
    for role in ("annotator", "reviewer", "researcher"):
        person = add_person(f"a {role}", project, role)
        with pytest.raises(NotAllowed, match="see all annotations"):
            search_instances(store, person, project, Search("soup"))
        with pytest.raises(NotAllowed, match="see all annotations"):
            search_choices(store, person, project)


def test_filters_narrow_what_is_found(store: Store, texts: Project) -> None:
    first = found_ids(store, LOCAL_OPERATOR, texts, Search(label="negative"))
    assert len(first) == 2
    saved = save_instance(store, LOCAL_OPERATOR, texts.id, first[0], "Hard ones", "")
    assert found_ids(store, LOCAL_OPERATOR, texts, Search(list_id=saved.id)) == first[:1]
    choices = search_choices(store, LOCAL_OPERATOR, texts)
    [day] = choices.days
    assert choices.lists == {saved.id: "Hard ones"}
    assert len(keys(store, texts, imported_from=day, imported_to=day)) == 9
    assert keys(store, texts, imported_to="2001-01-01") == []
    assert len(keys(store, texts, exhaustive="unsaid", split="")) == 9
    assert keys(store, texts, is_unlabelled=True) == []


def test_another_projects_texts_are_not_found(
    store: Store, texts: Project, make_project: Callable[..., Project]
) -> None:
    assert keys(store, make_project(name="Other"), words="soup") == []


def test_a_search_that_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"'yesterday' isn't a date\. Use the form"):
        Search(imported_from="yesterday")
    with pytest.raises(InvalidValue, match="1,000 characters"):
        Search("x" * 1001)
    with pytest.raises(InvalidValue, match=r"Can't search 'title'\. Available:"):
        Search(parts=("title",))  # type: ignore[arg-type]


# Many texts are changed at once, what people hold is left to them, and each change can be undone.

DISCARD = BulkChange("discard", reason="broken text")


@pytest.fixture
def ids(store: Store, project: Project) -> list[int]:
    return found_ids(store, LOCAL_OPERATOR, project, Search())


def do(store: Store, project: Project, change: BulkChange | BulkKind, ids: Sequence[int]) -> BulkResult:
    made = change if isinstance(change, BulkChange) else BulkChange(change)
    plan = plan_change(store, LOCAL_OPERATOR, project, made, ids)
    result = change_many(store, LOCAL_OPERATOR, project, made, ids, n_expected=len(plan.ids))
    assert result.plan == plan
    assert check(store) == []
    return result


def take_back(store: Store, project: Project, result: BulkResult) -> Undone:
    assert result.action is not None
    planned = plan_undoing(store, LOCAL_OPERATOR, project, result.action.id)
    assert undo(store, LOCAL_OPERATOR, project, result.action.id) == planned
    assert check(store) == []
    return planned


def states(store: Store, ids: Sequence[int]) -> list[str]:
    return [row.state for row in rows_of(store, ids)]


def annotate(store: Store, user: User, project: Project, n: int = 1) -> list[int]:
    numbers = []
    for _ in range(n):
        work = next_work(store, user, project.id).work
        assert work is not None
        draft = Draft(None, (RationaleSet.of((0, 2)),))
        submit(store, user, work.assignment.id, work.assignment.revision, draft)
        numbers.append(work.instance.id)
    return numbers


def dump(store: Store) -> list[tuple[object, ...]]:
    return [tuple(row) for row in store.rows("SELECT * FROM instances ORDER BY id")]


def test_discarding_passes_over_what_somebody_holds_and_undoing_brings_the_rest_back(
    store: Store, project: Project, ids: list[int], annotator: User
) -> None:
    held = next_work(store, annotator, project.id)
    assert held.work is not None
    assert held.ahead is not None
    before = dump(store)
    result = do(store, project, DISCARD, ids)
    assert result.plan.passed_over == {"held": 2}
    assert result.plan.reasons == ("2 are in progress",)
    assert sorted(states(store, ids)) == ["discarded", "discarded", "open", "open"]
    assert states(store, [held.work.instance.id, held.ahead.instance.id]) == ["open", "open"]
    assert do(store, project, DISCARD, ids).plan.passed_over == {"held": 2, "discarded": 2}
    assert take_back(store, project, result) == Undone(2, 0)
    assert dump(store) == before


def test_work_whose_lease_has_run_out_is_in_nobodys_hands(
    store: Store, project: Project, ids: list[int], annotator: User
) -> None:
    next_work(store, annotator, project.id)
    pass_time(store, days=30)
    assert len(do(store, project, DISCARD, ids).plan.ids) == 4
    assert next_work(store, annotator, project.id).work is None


def test_undoing_leaves_alone_what_has_changed_since(store: Store, project: Project, ids: list[int]) -> None:
    first = do(store, project, DISCARD, ids)
    do(store, project, "put back", ids[:1])
    second = do(store, project, DISCARD, ids[:1])  # discarded again, but not as the first change left it
    assert take_back(store, project, first) == Undone(3, 1)
    assert states(store, ids) == ["discarded", "open", "open", "open"]
    assert take_back(store, project, second) == Undone(1, 0)
    assert states(store, ids) == ["open"] * 4


def test_putting_back_is_undone_but_for_what_was_begun_since(
    store: Store, project: Project, ids: list[int], annotator: User
) -> None:
    do(store, project, DISCARD, ids)
    result = do(store, project, "put back", ids)
    next_work(store, annotator, project.id)
    assert take_back(store, project, result) == Undone(2, 2)
    assert sorted(states(store, ids)) == ["discarded", "discarded", "open", "open"]


def test_a_change_is_undone_once(store: Store, project: Project, ids: list[int], add_person: People) -> None:
    result = do(store, project, DISCARD, ids)
    other = add_person("Other lead", project, "lead")
    take_back(store, project, result)
    assert result.action is not None
    with pytest.raises(Conflict, match="Already undone by"):
        undo(store, other, project, result.action.id)


def test_a_change_that_came_to_concern_others_is_not_carried_out(
    store: Store, project: Project, ids: list[int], annotator: User
) -> None:
    n = len(plan_change(store, LOCAL_OPERATOR, project, DISCARD, ids).ids)
    next_work(store, annotator, project.id)
    before = dump(store)
    with pytest.raises(Conflict, match=r"2 texts now match \(it was 4\)\. Confirm again\."):
        change_many(store, LOCAL_OPERATOR, project, DISCARD, ids, n_expected=n)
    assert dump(store) == before
    assert last_changes(store, LOCAL_OPERATOR, project) == []


def test_a_text_that_is_done_is_given_to_one_more_person(
    store: Store, project: Project, ids: list[int], annotator: User, add_person: People
) -> None:
    done = annotate(store, annotator, project, 4)
    result = do(store, project, "give out", done)
    assert len(result.plan.ids) == 4
    assert next_work(store, annotator, project.id).work is None  # they have done all
    other = add_person("Other", project, "annotator")
    answer = next_work(store, other, project.id)
    assert answer.work is not None
    assert answer.counts["waiting"] == 2
    [mine] = annotate(store, other, project)
    assert states(store, [mine]) == ["complete"]
    next_work(store, other, project.id)  # two more are in their hands
    assert take_back(store, project, result) == Undone(1, 3)
    assert do(store, project, "give out", ids).plan.passed_over == {"held": 2}


def test_what_still_waits_is_not_given_out_again(store: Store, project: Project, ids: list[int]) -> None:
    assert do(store, project, "give out", ids).plan.passed_over == {"waiting": 4}
    assert last_changes(store, LOCAL_OPERATOR, project) == []


def test_splits_and_marks_are_set_and_taken_back(store: Store, project: Project, ids: list[int]) -> None:
    split = do(store, project, BulkChange("split", split="test"), ids[:3])
    assert [row.split for row in rows_of(store, ids)] == ["test", "test", "test", ""]
    assert do(store, project, BulkChange("split", split="test"), ids).plan.passed_over == {"so already": 3}
    marked = do(store, project, BulkChange("exhaustive", is_exhaustive=True), ids)
    assert len(found_ids(store, LOCAL_OPERATOR, project, Search(exhaustive="yes"))) == 4
    assert take_back(store, project, split) == Undone(3, 0)
    assert take_back(store, project, marked) == Undone(4, 0)
    assert [row.split for row in rows_of(store, ids)] == ["", "", "", "test"]
    assert len(found_ids(store, LOCAL_OPERATOR, project, Search(exhaustive="unsaid"))) == 4


def test_changed_versions_follow_their_original_into_a_split(
    store: Store, project: Project, ids: list[int], import_rows: Callable[..., object]
) -> None:
    import_rows(
        project,
        [
            {"id": "t1b", "text": "The staff always smiled.", "label": "positive", "parent": "t1", "kind": "contrast"},
            {"id": "t2", "text": "Another text.", "label": "positive", "split": "dev"},
        ],
    )
    [version] = [row.id for row in rows_of(store, found_ids(store, LOCAL_OPERATOR, project, Search("t1b", ("key",))))]
    plan = do(store, project, BulkChange("split", split="dev"), [ids[0], ids[1]]).plan
    assert plan.ids == (ids[0], version)
    assert plan.n_versions == 1
    assert plan.passed_over == {"key taken": 1}
    alone = plan_change(store, LOCAL_OPERATOR, project, BulkChange("split", split="x"), [version])
    assert alone.passed_over == {"follows original": 1}


def test_the_record_says_what_was_done_and_undone(store: Store, project: Project, ids: list[int]) -> None:
    result = do(store, project, DISCARD, ids)
    take_back(store, project, result)
    words = [event_words(event) for event in events_of(store, LOCAL_OPERATOR, project.id, limit=2)]
    assert words == ["undid change 1 of 4 texts", "discarded 4 texts (broken text) (change 1)"]
    [action] = last_changes(store, LOCAL_OPERATOR, project)
    assert (action.undone_by, action.n_restored) == ("local operator", 4)


def test_the_timeline_of_a_text_tells_of_changes_of_many(store: Store, project: Project, ids: list[int]) -> None:
    take_back(store, project, do(store, project, DISCARD, ids[:3]))
    told = [moment.what for moment in timeline(store, LOCAL_OPERATOR, project, ids[0])]
    assert told == [
        "discarded 3 texts (broken text)",
        "undid “local operator discarded 3 texts (broken text)” where unchanged since",
    ]
    assert timeline(store, LOCAL_OPERATOR, project, ids[3]) == []


def test_only_who_manages_the_project_changes_many_texts(
    store: Store, project: Project, ids: list[int], add_person: People, make_project: Callable[..., Project]
) -> None:
    result = do(store, project, DISCARD, ids[:1])
    assert result.action is not None
    before = dump(store)
    person = add_person("Researcher", project, "researcher", "annotator", "reviewer")
    for attempt in (
        lambda: change_many(store, person, project, DISCARD, ids),
        lambda: plan_change(store, person, project, DISCARD, ids),
        lambda: undo(store, person, project, result.action.id),  # type: ignore[union-attr]
        lambda: last_changes(store, person, project),
    ):
        with pytest.raises(
            NotAllowed, match=r"Researcher can't manage 'Project'\. An administrator can grant a role \(lead\)\."
        ):
            attempt()
    other = make_project(name="Other")
    assert plan_change(store, LOCAL_OPERATOR, other, DISCARD, ids).ids == ()
    with pytest.raises(NotFound, match=r"No change number 1\."):
        undo(store, LOCAL_OPERATOR, other, result.action.id)
    with pytest.raises(NotFound, match="number 99"):
        undo(store, LOCAL_OPERATOR, project, 99)
    assert dump(store) == before


def test_a_change_that_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidValue, match="Choose a reason:"):
        BulkChange("discard")
    with pytest.raises(InvalidValue, match=r"Unknown reason 'bored'\. Available:"):
        BulkChange("discard", reason="bored")
    with pytest.raises(InvalidValue, match=r"Say briefly why\."):
        BulkChange("discard", reason="other")
    with pytest.raises(InvalidValue, match="100 characters"):
        replace(BulkChange("split"), split="x" * 101)


def test_two_leads_at_once_change_each_text_once(
    store: Store, database: Path, project: Project, ids: list[int], add_person: People
) -> None:
    leads = [add_person(name, project, "lead") for name in ("Lea", "Leo")]
    both_ready = threading.Barrier(2)
    results: dict[str, BulkResult] = {}

    def discard(lead: User, chosen: Sequence[int]) -> None:
        with open_store(database) as own:
            both_ready.wait()
            results[lead.name] = change_many(own, lead, project, DISCARD, chosen)

    threads = [
        threading.Thread(target=discard, args=(lead, chosen))
        for lead, chosen in zip(leads, (ids[:3], ids[1:]), strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(result.plan.ids) for result in results.values()) == [1, 3]
    assert states(store, ids) == ["discarded"] * 4
    for lead in leads:
        action = results[lead.name].action
        assert action is not None
        undo(store, lead, project, action.id)
    assert states(store, ids) == ["open"] * 4
    assert check(store) == []
