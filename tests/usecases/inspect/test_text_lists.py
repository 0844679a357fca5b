"""Lists of texts on the Saliency page: slices, how they combine and are counted; and lists that are saved under a name."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.measurements import MOST_LISTED, Question, SavedList, Slice
from annotator.domain.own_sources import SourceList
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, InvalidValue, NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store import saved_lists as list_store
from annotator.store.instances import find_instance_ids
from annotator.store.measurements import last_event_id
from annotator.usecases.databases import find_project
from annotator.usecases.gold import GoldOptions
from annotator.usecases.inspect import text_lists
from annotator.usecases.inspect.saliency import list_instances_by
from annotator.usecases.inspect.saliency_messages import ShownSlice
from annotator.usecases.inspect.stale_numbers import has_changed
from annotator.usecases.lead.timeline import timeline
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import everything_of, export_file
from annotator.usecases.transfer.file_import import import_file


@pytest.fixture
def maker(add_person: Callable[..., User], project: Project) -> User:
    return add_person("maker", project, "researcher")


@pytest.fixture
def other(add_person: Callable[..., User], project: Project) -> User:
    return add_person("other", project, "researcher")


@pytest.fixture
def worst(store: Store, project: Project, maker: User) -> SavedList:
    """The three texts that hold the word "the": t1, t2 and t4, in the order of import."""
    return text_lists.save_listed(
        store, maker, Question(project.id, words="the "), "The worst", "look at  the soup\nagain"
    )


def instance(store: Store, project: Project, key: str) -> int:
    [number] = find_instance_ids(store, project.id, key)
    return number


def keys(store: Store, project: Project, saved: SavedList, **asked: object) -> list[str]:
    question = Question(project.id, list_id=saved.id, **asked)  # type: ignore[arg-type]
    rows, n = list_instances_by(store, LOCAL_OPERATOR, question, 1)
    assert n == len(rows)
    return [row.key for row in rows]


def test_what_is_listed_is_saved_with_its_order_and_note_and_lists_again(store, project, worst, import_rows) -> None:
    assert (worst.name, worst.note, worst.made_by, worst.n) == ("The worst", "look at  the soup\nagain", "maker", 3)
    assert keys(store, project, worst) == ["t1", "t2", "t4"]
    assert keys(store, project, worst, words="soup") == ["t1"]
    import_rows(project, [{"id": "t5", "text": "the new one", "label": "positive"}])
    assert keys(store, project, worst) == ["t1", "t2", "t4"]  # a saved list does not move with what would be listed now


def test_a_list_keeps_the_order_in_which_it_was_put_together(store, project, maker) -> None:
    saved = text_lists.save_instance(store, maker, project.id, instance(store, project, "t3"), "mine", "")
    for key in ("t1", "t4", "t1"):
        saved = text_lists.put_on_list(store, maker, saved.id, instance(store, project, key))
    assert keys(store, project, saved) == ["t3", "t1", "t4"]
    text_lists.take_off_list(store, maker, saved.id, instance(store, project, "t1"))
    saved = text_lists.put_on_list(store, maker, saved.id, instance(store, project, "t1"))
    assert keys(store, project, saved) == ["t3", "t4", "t1"]
    again = text_lists.save_listed(store, maker, Question(project.id, list_id=saved.id), "copy", "")
    assert keys(store, project, again) == ["t3", "t4", "t1"]


def test_everybody_who_may_use_models_sees_a_list_and_its_maker_or_a_lead_changes_it(
    store, project, worst, maker, other, annotator, add_person
) -> None:
    lead = add_person("lead", project, "lead")
    t3 = instance(store, project, "t3")
    for person, may_change in ((maker, True), (lead, True), (other, False), (LOCAL_OPERATOR, True)):
        assert text_lists.lists_of_project(store, person, project.id) == [(worst, may_change)]
    for act in (
        lambda: text_lists.change_list(store, other, worst.id, "x", ""),
        lambda: text_lists.delete_list(store, other, worst.id),
        lambda: text_lists.put_on_list(store, other, worst.id, t3),
        lambda: text_lists.take_off_list(store, other, worst.id, t3),
    ):
        with pytest.raises(NotAllowed, match=r"Only maker or a lead can change 'The worst'\. Save your own\."):
            act()
    with pytest.raises(NotAllowed, match="use models"):
        text_lists.lists_of_project(store, annotator, project.id)
    assert (
        text_lists.change_list(store, lead, worst.id, "the worst", "none").note == "none"
    )  # its own name in other letters is free
    assert text_lists.delete_list(store, maker, worst.id).n == 3
    assert text_lists.lists_of_project(store, other, project.id) == []
    assert instance(store, project, "t1")  # the texts stay


def test_whose_list_it_is_does_not_go_by_the_name(store, project, maker) -> None:
    """A list that came with a file from somebody of the same name, without an account, is no maker's."""
    source = SourceList(
        "theirs", "", "maker", by_user=False, created_at="2026-01-01T00:00:00Z", changed_at="2026-01-01T00:00:00Z"
    )
    with store.transaction():
        list_store.restore_list(store, project.id, source, None, [])
    [(_, may_change)] = text_lists.lists_of_project(store, maker, project.id)
    assert not may_change


def test_refusals_name_what_is_wrong_and_store_nothing(store, project, worst, maker, make_project, import_rows) -> None:
    elsewhere = make_project(name="Elsewhere")
    import_rows(elsewhere, [{"id": "far", "text": "far away", "label": "positive"}])
    far = instance(store, elsewhere, "far")
    everything = Question(project.id)
    before = store.value("SELECT count(*) FROM events")
    for error, words, act in (
        (InvalidValue, "No texts are listed. Choose others before saving.", lambda: text_lists.save_listed(store, maker, Question(project.id, words="zebra"), "x", "")),
        (InvalidValue, r"Names are one line of 1–100 visible characters\.", lambda: text_lists.save_listed(store, maker, everything, "  ", "")),
        (InvalidValue, r"Names are one line of 1–100 visible characters\.", lambda: text_lists.save_listed(store, maker, everything, "two\nlines", "")),
        (InvalidValue, "at most 2,000 characters", lambda: text_lists.save_listed(store, maker, everything, "x", "n" * 2001)),
        (InvalidValue, r"'The worst' exists \(made by maker\)", lambda: text_lists.save_listed(store, maker, everything, "THE WORST ", "")),
        (NotFound, rf"No instance number {far}\.", lambda: text_lists.put_on_list(store, maker, worst.id, far)),
        (NotFound, rf"No instance number {far}\.", lambda: text_lists.save_instance(store, maker, project.id, far, "x", "")),
        (NotFound, rf"No instance number {far}\.", lambda: text_lists.lists_with_instance(store, maker, project.id, far)),
        (NotFound, "This no longer exists.", lambda: text_lists.put_on_list(store, maker, 999, far)),
        (NotFound, rf"No saved list number {worst.id}", lambda: list_instances_by(store, LOCAL_OPERATOR, Question(elsewhere.id, list_id=worst.id), 1)),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            act()
    assert [saved for saved, _ in text_lists.lists_of_project(store, maker, project.id)] == [worst]
    assert store.value("SELECT count(*) FROM events") == before


def test_more_than_a_list_holds_is_refused_before_anything_is_stored(store, project, maker, monkeypatch) -> None:
    monkeypatch.setattr("annotator.usecases.inspect.text_lists.MOST_LISTED", 3)
    with pytest.raises(InvalidValue, match=r"4 texts listed; the maximum is 3\. Narrow the list\."):
        text_lists.save_listed(store, maker, Question(project.id), "all", "")
    full = text_lists.save_listed(store, maker, Question(project.id, words="the "), "full", "")
    with pytest.raises(InvalidValue, match="'full' is full"):
        text_lists.put_on_list(store, maker, full.id, instance(store, project, "t3"))
    assert MOST_LISTED == 10_000


def test_the_record_tells_of_lists_and_they_do_not_put_numbers_out_of_date(store, project, worst, maker) -> None:
    t3 = instance(store, project, "t3")
    since = last_event_id(store, project.id)
    text_lists.put_on_list(store, maker, worst.id, t3)
    text_lists.take_off_list(store, maker, worst.id, t3)
    text_lists.save_instance(store, maker, project.id, t3, "mine", "")
    text_lists.change_list(store, maker, worst.id, "better", "")
    text_lists.delete_list(store, maker, worst.id)
    told = [(m.who, m.what) for m in timeline(store, LOCAL_OPERATOR, project, t3)]
    assert told[-3:] == [
        ("maker", "added the text to the list “The worst”"),
        ("maker", "removed the text from the list “The worst”"),
        ("maker", "saved the list “mine” with 1 text"),
    ]
    assert not has_changed(store, project.id, since)


def lists(store: Store, project: Project, split: str | None = None) -> list[SourceList]:
    return [item for item in everything_of(store, project, split) if isinstance(item, SourceList)]


def test_our_own_export_brings_lists_back_with_makers_notes_and_order(store, project, worst, maker, tmp_path) -> None:
    text_lists.save_instance(store, LOCAL_OPERATOR, project.id, instance(store, project, "t4"), "operator's", "")
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    with open_store(tmp_path / "other.db", create=True) as there:
        copy = create_project(there, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
        import_file(there, LOCAL_OPERATOR, copy, "jsonl", path)
        assert lists(there, find_project(there, "Copy")) == lists(store, project)
        assert [member for one in lists(there, copy) for member in one.members] == [
            ("t4", ""),
            ("t1", ""),
            ("t2", ""),
            ("t4", ""),
        ]
        assert there.problems() == []
    text_lists.delete_list(store, maker, worst.id)
    import_file(store, LOCAL_OPERATOR, project, "jsonl", path)  # what is missing comes back, what is there stays
    assert [one.name for one in lists(store, project)] == ["operator's", "The worst"]


def test_a_list_of_a_file_that_names_an_unknown_instance_refuses_the_import(
    store, project, worst, tmp_path: Path
) -> None:
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path, GoldOptions())
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    [row] = [row for row in rows if row["record"] == "list"]
    row["name"], row["members"] = "another", [["t1", ""], ["gone", ""]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    [problem] = refused.value.problems
    assert (problem.field, problem.value, problem.line) == ("members", "gone", rows.index(row) + 1)
    assert "unknown instance" in problem.reason
    assert [saved.name for saved, _ in text_lists.lists_of_project(store, LOCAL_OPERATOR, project.id)] == ["The worst"]


def test_an_export_of_one_split_holds_its_part_of_each_list(store, project, maker, import_rows) -> None:
    import_rows(project, [{"id": "t1", "text": "the tested one", "label": "negative", "split": "test"}])
    text_lists.save_listed(store, maker, Question(project.id, words="the "), "both", "")
    assert [one.members for one in lists(store, project, "test")] == [(("t1", "test"),)]


# Slices of the list on the Saliency page: what is in them, how they combine, and how they are counted.

Row = dict[str, Any]


def row(key: str, n_tokens: int, label: str | None, *, split: str = "train", groups: str = "", **facts: object) -> Row:
    words = [f"w{place}" for place in range(n_tokens)]
    people = [{"annotator": f"p{n}", "rationales": [], "group": f"G{group}"} for n, group in enumerate(groups)]
    made: Row = {"id": key, "fields": {"text": {"text": " ".join(words), "tokens": words}}, "annotations": people}
    return made | facts | {"label": label, "meta": {"split": split}}


ROWS = [
    row("a", 2, "positive", groups="12", source="web", year=2001),
    row("b", 4, "positive", split="test", groups="1", source="web", year=2002),
    row("c", 6, "negative", groups="2", source="paper", year=2001, checked=True),
    row("d", 8, None, split="test", source='it\'s "odd"'),
]


@pytest.fixture
def sliced(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    project = make_project(may_be_empty=True)
    import_rows(project, ROWS)
    return project


def keys_within(store: Store, project: Project, **within: Any) -> str:
    rows, n = list_instances_by(store, LOCAL_OPERATOR, Question(project.id, within=Slice(**within)), 1)
    assert n == len(rows)
    return "".join(listed.key for listed in rows)


@pytest.mark.parametrize(
    ("within", "listed"),
    [
        ({}, "abcd"),
        ({"label": "positive"}, "ab"),
        ({"is_unlabelled": True}, "d"),
        ({"split": "test"}, "bd"),
        ({"length": (4, 6)}, "bc"),
        ({"fact": ("source", "web")}, "ab"),
        ({"fact": ("source", 'it\'s "odd"')}, "d"),
        ({"fact": ("year", "2001")}, "ac"),
        ({"fact": ("checked", "true")}, "c"),
        ({"fact": ("source", "nowhere")}, ""),
        ({"group": ("group", "G2")}, "ac"),
        ({"group": ("annotator", "p0")}, ""),  # who somebody is, is no group
        ({"label": "positive", "split": "test"}, "b"),
        ({"fact": ("year", "2001"), "group": ("group", "G1"), "length": (1, 3)}, "a"),
    ],
)
def test_a_slice_lists_its_texts(store: Store, sliced: Project, within: Mapping[str, Any], listed: str) -> None:
    assert keys_within(store, sliced, **within) == listed


def test_slices_combine_with_words_and_are_saved_as_a_list(store: Store, sliced: Project) -> None:
    question = Question(sliced.id, words="w5", within=Slice(fact=("year", "2001")))
    assert [listed.key for listed in list_instances_by(store, LOCAL_OPERATOR, question, 1)[0]] == ["c"]
    assert text_lists.save_listed(store, LOCAL_OPERATOR, question, "long ones of 2001", "").n == 1


def counts(store: Store, project: Project, *names: str, **within: Any) -> dict[str, dict[str | None, int]]:
    """The counts of each way to slice; names: of the fact, and of what is said of annotators."""
    fact, group = (*names, "", "")[:2]
    shown = text_lists.show_slices(store, LOCAL_OPERATOR, Question(project.id, within=Slice(**within)), fact, group)
    ways = {name: getattr(shown, name) for name in ("labels", "splits", "lengths", "facts", "groups")}
    return {name: {one.value: one.n for one in slices} for name, slices in ways.items()}


def test_each_count_is_what_choosing_that_slice_would_list(store: Store, sliced: Project) -> None:
    everything = counts(store, sliced, "source", "group")
    assert everything["labels"] == {"positive": 2, "negative": 1, None: 1}
    assert everything["splits"] == {"train": 2, "test": 2}
    assert everything["lengths"] == {"2-2": 1, "4-4": 1, "6-6": 1, "8-8": 1}
    assert everything["facts"] == {"web": 2, "paper": 1, 'it\'s "odd"': 1}
    assert everything["groups"] == {"G1": 2, "G2": 2}
    of_positive = counts(store, sliced, "source", label="positive")
    assert of_positive["labels"] == everything["labels"]  # another label may be chosen in its place
    assert of_positive["splits"] == {"train": 1, "test": 1}
    assert of_positive["facts"] == {"web": 2}
    both = counts(store, sliced, "source", label="positive", fact=("source", "paper"))
    assert (both["labels"], both["facts"]) == ({"negative": 1}, {"web": 2})
    assert both["splits"] == {}


def test_the_names_of_facts_and_of_annotators_are_told_apart_and_nobodys_name_is_a_group(
    store: Store, sliced: Project
) -> None:
    names = text_lists.show_slice_names(store, LOCAL_OPERATOR, sliced.id)
    assert set(names.facts) >= {"source", "year", "checked", "split"}
    assert names.groups == ("group",)


def test_metadata_of_any_form_is_no_problem(store: Store, sliced: Project, import_rows) -> None:
    strange = [
        {
            "id": f"s{n}",
            "text": "soup",
            "label": "negative",
            "metadata": {"annotations": value, "list": [1], "none": None},
        }
        for n, value in enumerate(("w1", ["w1"], [["x"]], {"annotator": "w1"}, None, 3))
    ]
    import_rows(sliced, strange)
    assert counts(store, sliced, "list", "group")["groups"] == {"G1": 2, "G2": 2}
    assert "none" not in text_lists.show_slice_names(store, LOCAL_OPERATOR, sliced.id).facts


def test_rare_values_are_counted_where_there_are_too_many(store: Store, make_project, import_rows) -> None:
    project = make_project(may_be_empty=True)
    import_rows(project, [row(f"t{n}", 3, "positive", source=f"s{n}") for n in range(text_lists.MOST_VALUES + 7)])
    shown = text_lists.show_slices(store, LOCAL_OPERATOR, Question(project.id), "source", "")
    assert (len(shown.facts), shown.left_out) == (text_lists.MOST_VALUES, 7)
    assert shown.lengths == (ShownSlice("3-3", text_lists.MOST_VALUES + 7),)


def test_slices_are_for_those_who_use_models(store: Store, sliced: Project, add_person: Callable[..., User]) -> None:
    ann = add_person("ann", sliced, "annotator")
    with pytest.raises(NotAllowed):
        text_lists.show_slices(store, ann, Question(sliced.id), "", "")
    with pytest.raises(NotAllowed):
        text_lists.show_slice_names(store, ann, sliced.id)
