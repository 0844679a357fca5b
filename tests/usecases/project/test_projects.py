"""Setting up a project, alone, from another, or in splits, and changing its rules: what is taken and what is refused."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.queue_orders import ModelOrder
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.suites import WordList
from annotator.domain.tasks import get_task
from annotator.errors import AnnotatorError, Conflict, InvalidValue, NotAllowed, NotFound
from annotator.store import Store
from annotator.store.people import get_user, list_members
from annotator.store.projects import get_project, get_project_by_id, instance_counts, update_project
from annotator.store.suites import list_word_lists, save_word_list
from annotator.usecases.access.accounts import make_account_of_window
from annotator.usecases.access.rights import require
from annotator.usecases.annotate.panel_messages import show_work
from annotator.usecases.annotate.work import next_work, save_draft
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.project.creation import NewProject, begin_project, pasted_file
from annotator.usecases.project.exhaustive_passes import copy_project, projects_to_copy
from annotator.usecases.project.projects import (
    change_project,
    create_project,
    events_of,
    instances_of,
    parse_task,
    take_role,
)
from annotator.usecases.project.splits import preview_split, split_project
from annotator.usecases.review.inspection import find_instances, look_at

Make = Callable[..., Project]
Rows = Callable[..., object]
People = Callable[..., User]


def changed(store: Store, project: Project, **changes: object) -> Project:
    change_project(store, LOCAL_OPERATOR, replace(project, **changes))  # type: ignore[arg-type]
    return get_project_by_id(store, project.id)


# --- labels, names, languages, rules


def test_a_label_that_is_in_use_is_not_taken_away_and_the_count_is_said(store: Store, project: Project) -> None:
    with pytest.raises(
        InvalidValue,
        match=r"Can't remove label 'negative': used by 2 instances \('t1', 't3', …\)\. Replace it by another label \(Project, Rules\)\.",
    ):
        changed(store, project, labels=("positive",))
    assert get_project_by_id(store, project.id).labels == ("negative", "positive")


def test_a_label_that_only_annotations_carry_is_not_taken_away_either(
    store: Store, make_project: Make, import_rows: Rows
) -> None:
    project = make_project()
    row = {"id": "a", "text": "x y", "annotator": "ann", "annotator_label": "positive", "rationales": [[[0, 1]]]}
    import_rows(project, [row])
    with pytest.raises(
        InvalidValue,
        match=r"Can't remove label 'positive': used by 1 annotation \('a', …\)\. Replace it by another label \(Project, Rules\)\.",
    ):
        changed(store, project, labels=("negative",))


def test_a_label_that_nothing_carries_is_taken_away(store: Store, make_project: Make) -> None:
    assert changed(store, make_project(), labels=("positive", "mixed")).labels == ("positive", "mixed")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", r"Names are one line of 1–200 visible characters\."),
        ("  ", r"Names are one line of 1–200 visible characters\."),
        ("x" * 201, r"Names are one line of 1–200 visible characters\."),
        ("Taken", "'Taken' already exists. Choose another name."),
        (" Taken ", "'Taken' already exists. Choose another name."),
    ],
)
def test_a_name_is_refused_in_the_same_words_on_creating_and_renaming(
    store: Store, make_project: Make, name: str, sentence: str
) -> None:
    project = make_project()
    make_project(name="Taken")
    with pytest.raises(InvalidValue, match=sentence):
        changed(store, project, name=name)
    with pytest.raises(InvalidValue, match=sentence):
        create_project(store, LOCAL_OPERATOR, name, get_task("sentiment"))


def test_a_project_is_renamed_and_may_keep_its_name(store: Store, make_project: Make) -> None:
    project = changed(store, make_project(), name=" Films ")
    assert project.name == "Films"
    assert changed(store, project, citation="Ann 2026", licence="CC0").citation == "Ann 2026"


def test_a_language_that_is_none_is_refused(store: Store, make_project: Make) -> None:
    with pytest.raises(InvalidValue, match=r"'e n' isn't a language code, e\.g\. en, zh, pt-BR, xx for any\."):
        changed(store, make_project(), language="e n")
    with pytest.raises(InvalidValue, match=r"'e n' isn't a language code, e\.g\. en, zh, pt-BR, xx for any\."):
        create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), language="e n")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"required_segments": {"maybe": ("premise",)}}, r"A segment rule uses 'maybe', which isn't a project label\."),
        (
            {"forbidden_segments": {"positive": ("title",)}},
            r"The rule for 'positive' uses 'title', which can't be marked\.",
        ),
        (
            {"required_segments": {"positive": ("premise",)}, "forbidden_segments": {"positive": ("premise",)}},
            r"'positive' can't both require and forbid 'premise'\.",
        ),
    ],
)
def test_rules_for_segments_that_cannot_be_are_refused(
    store: Store, make_project: Make, settings: dict[str, object], sentence: str
) -> None:
    project = make_project("inference")
    with pytest.raises(InvalidValue, match=sentence):
        changed(store, project, settings=ProjectSettings(**settings))  # type: ignore[arg-type]


# --- people


def test_the_last_lead_cannot_be_taken_by_a_lead_but_by_an_administrator(
    store: Store, project: Project, add_person: People
) -> None:
    lea = add_person("lea", project, "lead")
    with pytest.raises(NotAllowed, match=r"Projects need a lead\. Appoint another first\."):
        take_role(store, lea, project.id, "lea", "lead")
    take_role(store, LOCAL_OPERATOR, project.id, "lea", "lead")
    with pytest.raises(NotFound):
        require(store, lea, project.id, "manage project")


def test_one_of_two_leads_may_go(store: Store, project: Project, add_person: People) -> None:
    lea = add_person("lea", project, "lead")
    add_person("leo", project, "lead")
    take_role(store, lea, project.id, "lea", "lead")
    assert not store.rows("SELECT 1 FROM memberships WHERE user_id = ?", (lea.id,))


def test_what_somebody_holds_goes_back_to_the_queue_with_the_role(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    held = next_work(store, annotator, project.id).work
    assert held is not None
    take_role(store, LOCAL_OPERATOR, project.id, annotator.name, "annotator")
    other = add_person("other", project, "annotator")
    given = next_work(store, other, project.id).work
    assert given is not None
    assert given.instance.id == held.instance.id


def test_a_lead_who_loses_the_role_annotator_keeps_the_work_in_hand(
    store: Store, project: Project, add_person: People
) -> None:
    lea = add_person("lea", project, "lead", "annotator")
    held = next_work(store, lea, project.id).work
    take_role(store, LOCAL_OPERATOR, project.id, "lea", "annotator")
    assert held is not None
    assert save_draft(store, lea, held.assignment.id, 0, Draft(result="negative")) == 1


def test_a_project_of_others_and_one_that_is_not_there_sound_the_same(
    store: Store, project: Project, make_project: Make, add_person: People
) -> None:
    stranger = add_person("stranger", make_project(name="Elsewhere"), "lead")
    said = []
    for number in (project.id, 999):
        with pytest.raises(NotFound) as refusal:
            require(store, stranger, number, "annotate")
        said.append(str(refusal.value))
    assert said[0] == said[1]
    assert project.name not in said[0]


# --- custom tasks


def test_a_custom_task_is_written_in_a_few_words() -> None:
    task = parse_task("question:unselectable, text, source_title:optional", "answer")
    assert [(s.name, s.title, s.is_selectable, s.may_be_empty) for s in task.segments] == [
        ("text", "Text", True, False),
        ("source_title", "Source title", True, True),
        ("question", "Question", False, False),
    ]
    assert (task.name, task.result_kind) == ("custom", "answer")


@pytest.mark.parametrize(
    ("segments", "result", "sentence"),
    [
        ("", "label", "no selectable segment"),
        ("text:unselectable", "label", "no selectable segment"),
        ("text,text", "label", "Task 'custom' has two segments with one name"),
        ("te xt", "label", "Invalid segment name 'te xt'"),
        ("2nd", "label", "Invalid segment name '2nd'. Use up to 50 letters, digits and _, letter first"),
        ("label", "label", "'label' is reserved. Choose another name"),
        ("text:shown", "label", "'shown' after 'text' is invalid. Use unselectable or optional"),
        ("text", "number", "must be label or answer"),
    ],
)
def test_a_custom_task_that_cannot_be_is_refused(segments: str, result: str, sentence: str) -> None:
    with pytest.raises(InvalidValue, match=sentence):
        parse_task(segments, result)


def test_a_custom_task_is_kept_with_its_project(store: Store) -> None:
    task = parse_task("text,context,question:unselectable", "label")
    project = create_project(store, LOCAL_OPERATOR, "Own", task, labels=["a"])
    assert get_project_by_id(store, project.id).task == task


# --- looking


def test_an_instance_is_looked_at_by_number_and_only_within_its_project(
    store: Store, project: Project, make_project: Make, add_person: People
) -> None:
    row = instances_of(store, LOCAL_OPERATOR, project.id)[1]
    [view] = look_at(store, LOCAL_OPERATOR, project, row.id).views
    assert (view.work.instance.key, view.title, view.work.draft.result) == ("t2", "not annotated yet", "positive")
    with pytest.raises(NotFound, match=rf"No text number {row.id}\."):
        look_at(store, LOCAL_OPERATOR, make_project(name="Other"), row.id)
    with pytest.raises(NotAllowed, match=r"rea can't see all annotations in 'Project'\."):
        look_at(store, add_person("rea", project, "researcher"), project, row.id)


def test_a_key_that_two_splits_share_finds_both_and_names_the_split(
    store: Store, make_project: Make, import_rows: Rows
) -> None:
    project = make_project()
    import_rows(project, [{"id": "a", "text": f"x {split}", "split": split} for split in ("train", "test")])
    found = find_instances(store, LOCAL_OPERATOR, project, "a")
    assert [split for _, split in found] == ["train", "test"]
    shown = [look_at(store, LOCAL_OPERATOR, project, number).instance for number, _ in found]
    assert [instance.segments[0].body.text for instance in shown] == ["x train", "x test"]
    with pytest.raises(NotFound, match=r"No text with ID 'b' in 'Project'\."):
        find_instances(store, LOCAL_OPERATOR, project, "b")


@pytest.mark.parametrize(
    ("mode", "given"), [("confirm", "negative"), ("contest", "negative"), ("give", None), ("labels_only", None)]
)
def test_annotators_who_are_to_give_the_result_do_not_see_the_files(
    store: Store, make_project: Make, import_rows: Rows, add_person: People, mode: str, given: str | None
) -> None:
    project = make_project(result_mode=mode)
    import_rows(project, [{"id": "a", "text": "x", "label": "negative"}])
    work = next_work(store, add_person("ann", project, "annotator"), project.id).work
    assert work is not None
    assert show_work(work, project).result.given == given


# --- statistics


def test_answers_are_counted_as_given_or_not_and_other_labels_as_left_out(
    store: Store, make_project: Make, import_rows: Rows
) -> None:
    project = make_project("reading", may_be_empty=True)
    texts = {"passage": "Bread is baked.", "question": "What?"}
    gold = {"annotator": "ann", "rationales": [[{"segment": "passage", "start_token": 0, "end_token": 1}]]}
    import_rows(
        project,
        [
            {"id": "1", **texts, **gold, "answer": "Bread"},
            {"id": "2", **texts, **gold, "answer": "Bread"},
            {"id": "3", **texts, **gold, "answer": "", "rationales": []},
            {"id": "4", **texts, **gold, "answer": "Bread", "annotator_answer": "Cake"},
        ],
    )
    found = statistics_of(store, LOCAL_OPERATOR, project)
    assert found.rationales.results == {"answered": 2, "no answer": 1}
    assert (found.rationales.n_gold, found.n_other_result) == (3, 1)


# A new project with the rules of another.

WORDS = WordList("bad_words", "en", "keep", ("awful", "dull"))


@pytest.fixture
def source(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    project = make_project(annotators_per_instance=2, max_rounds=5)
    import_rows(project, [{"id": "a", "text": "Never again.", "label": "negative"}])
    with store.transaction():
        save_word_list(store, project.id, WORDS, created_by="x")
    return project


def test_a_copy_has_the_rules_and_word_lists_but_no_texts(
    store: Store, source: Project, add_person: Callable[..., User]
) -> None:
    lea = add_person("lea", source, "lead")
    add_person("ann", source, "annotator")
    with store.transaction():
        update_project(store, replace(source, question="Which words are rude?", licence="CC0"))
    copy = copy_project(store, lea, source.id, "Second")
    assert get_project_by_id(store, copy.id) == copy
    assert (copy.task, copy.labels, copy.language, copy.settings, copy.guidelines, copy.question) == (
        source.task, source.labels, source.language, source.settings, source.guidelines, "Which words are rude?",
    )  # fmt: skip
    assert copy.licence == ""  # of the texts, which are others
    assert list_word_lists(store, copy.id) == [WORDS]
    assert sum(instance_counts(store, copy.id).values()) == 0
    assert [(user.name, role) for user, role in list_members(store, copy.id)] == [("lea", "lead")]


def test_a_copy_gives_its_texts_out_without_the_order_by_a_model_that_it_has_not(
    store: Store, source: Project, add_person: Callable[..., User]
) -> None:
    lea = add_person("lea", source, "lead")
    by_model = replace(source.settings, model_order=ModelOrder("least confident", ("bert",), 15, "train"))
    with store.transaction():
        update_project(store, replace(source, settings=by_model))
    assert copy_project(store, lea, source.id, "Second").settings == source.settings


def test_a_copy_with_its_people_gives_each_the_same_roles(
    store: Store, source: Project, add_person: Callable[..., User]
) -> None:
    lea = add_person("lea", source, "lead")
    add_person("ann", source, "annotator")
    copy = copy_project(store, lea, source.id, "Second", has_people=True)
    assert list_members(store, copy.id) == list_members(store, source.id)


def test_a_name_that_is_taken_makes_nothing(store: Store, source: Project, add_person: Callable[..., User]) -> None:
    lea = add_person("lea", source, "lead")
    before = "\n".join(store.connection.iterdump())
    with pytest.raises(InvalidValue, match=rf"'{source.name}' already exists\. Choose another name\."):
        copy_project(store, lea, source.id, source.name)
    assert "\n".join(store.connection.iterdump()) == before


def test_only_leads_take_a_projects_rules(store: Store, source: Project, add_person: Callable[..., User]) -> None:
    researcher = add_person("rita", source, "researcher")
    assert projects_to_copy(store, researcher) == []
    with pytest.raises(NotAllowed):
        copy_project(store, researcher, source.id, "Second")


# Splits: what they would come to is told before anything is stored, as it then comes.

PARTS = "train=.5,test=.5"


def splits_of(store: Store, project: Project) -> dict[str, str]:
    return {row.key: row.split for row in instances_of(store, LOCAL_OPERATOR, project.id, limit=100)}


def test_what_a_split_would_come_to_is_told_by_label_and_nothing_is_stored(
    store: Store, make_project: Make, import_rows: Rows
) -> None:
    project = make_project()
    labels = ["negative"] * 5 + ["positive"] * 3
    import_rows(project, [{"id": f"t{n}", "text": f"Text {n}.", "label": label} for n, label in enumerate(labels)])
    before, events = splits_of(store, project), len(events_of(store, LOCAL_OPERATOR, project.id, limit=100, offset=0))
    preview = preview_split(store, LOCAL_OPERATOR, project, PARTS, seed=3)
    assert (preview.sizes, preview.n_leaks) == ({"train": 4, "test": 4}, 0)
    assert {label: sum(of.get(label, 0) for of in preview.labels.values()) for label in labels} == {
        "negative": 5, "positive": 3,
    }  # fmt: skip
    assert splits_of(store, project) == before
    assert len(events_of(store, LOCAL_OPERATOR, project.id, limit=100, offset=0)) == events
    assert split_project(store, LOCAL_OPERATOR, project, PARTS, seed=3) == preview


@pytest.mark.parametrize(("parts", "refusal"), [("train=.5,test=.6", InvalidValue), (PARTS, None), ("all=1", Conflict)])
def test_the_preview_refuses_what_the_storing_would(
    store: Store, make_project: Make, import_rows: Rows, parts: str, refusal: type[Exception] | None
) -> None:
    project = make_project()
    rows = [{"id": "a", "text": "One text.", "label": "negative"}]
    import_rows(project, rows, split="train")
    import_rows(project, [{**rows[0], "text": "Another text."}], split="test")
    if refusal is None:
        assert preview_split(store, LOCAL_OPERATOR, project, parts).sizes == {"train": 1, "test": 1}
        return
    with pytest.raises(refusal):
        preview_split(store, LOCAL_OPERATOR, project, parts)


# --- a project in one step


@pytest.mark.parametrize(
    "rows",
    [
        "text,label\nSuperb film.,positive\nDull and long.,negative",
        "text\tlabel\nSuperb film.\tpositive\nDull and long.\tnegative",  # as it is copied from a spreadsheet
        '{"text": "Superb film.", "label": "positive"}\n{"text": "Dull and long.", "label": "negative"}',
    ],
    ids=["CSV", "tabs", "JSON lines"],
)
def test_a_project_begins_with_pasted_rows_whose_labels_are_its_own_and_with_people(store: Store, rows: str) -> None:
    new = NewProject("Films", get_task("sentiment"), files=[pasted_file(rows)], people="Ada\nCleo, reviewer")
    begun = begin_project(store, LOCAL_OPERATOR, new)
    assert begun.project.labels == ("negative", "positive")
    assert begun.texts is not None
    assert (begun.texts.n_new, instance_counts(store, begun.project.id)["open"]) == (2, 2)
    assert [(one.name, one.role) for one in begun.invited] == [("Ada", "annotator"), ("Cleo", "reviewer")]
    assert all(one.link_token for one in begun.invited)


def test_whoever_works_alone_marks_the_texts_of_the_project_that_they_make(store: Store) -> None:
    make_account_of_window(store, "lea")
    administrator = get_user(store, "lea")
    for alone, roles in ((True, {"lead", "annotator"}), (False, {"lead"})):
        begun = begin_project(store, administrator, NewProject(f"Alone {alone}", get_task("sentiment"), alone=alone))
        assert {
            role for member, role in list_members(store, begun.project.id) if member.id == administrator.id
        } == roles


def test_a_project_about_entities_begins_with_an_instance_for_each_of_a_labelling_tool(store: Store) -> None:
    rows = '{"text": "Bo left Bonn.", "label": [[0, 2, "PER"], [8, 12, "LOC"]]}'
    begun = begin_project(store, LOCAL_OPERATOR, NewProject("Names", get_task("entity"), files=[pasted_file(rows)]))
    assert begun.project.labels == ("LOC", "PER")
    assert begun.texts is not None
    assert begun.texts.n_new == 2


@pytest.mark.parametrize(
    ("rows", "people", "refusal"),
    [
        ("txt,label\nSuperb film.,positive", "Ada", "1 problem"),
        ("text,label\nSuperb film.,positive", "Ada, nobody", "Unknown role 'nobody'"),
        ("nothing that one could read", "", "1 problem in .pasted.csv.; no usable rows"),
    ],
)
def test_of_a_project_with_a_fault_in_its_texts_or_people_nothing_is_made(
    store: Store, rows: str, people: str, refusal: str
) -> None:
    new = NewProject("Films", get_task("sentiment"), files=[pasted_file(rows)], people=people)
    with pytest.raises(AnnotatorError, match=refusal):
        begin_project(store, LOCAL_OPERATOR, new)
    with pytest.raises(NotFound):
        get_project(store, "Films")
    assert store.value("SELECT count(*) FROM users WHERE name IN ('Ada', 'Films')") == 0
