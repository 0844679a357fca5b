"""Instances are found by any piece of what is written in and about them, as people expect, by who may read it."""

from collections.abc import Callable

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.search import Search
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store
from annotator.usecases.annotate import talk
from annotator.usecases.annotate.work import next_work, submit
from annotator.usecases.inspect.text_lists import save_instance
from annotator.usecases.lead.instance_search import found_ids, search_choices, search_instances

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
    with pytest.raises(InvalidValue, match="'yesterday' is no day"):
        Search(imported_from="yesterday")
    with pytest.raises(InvalidValue, match="1,000 characters"):
        Search("x" * 1001)
    with pytest.raises(InvalidValue, match="'title' cannot be searched"):
        Search(parts=("title",))  # type: ignore[arg-type]
