"""Releases: the gold of one moment, which stays whatever happens to the project; and comes back with our own export."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import GoldInstance
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.releases import Release, gold_digest
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import ImportRefused, InvalidValue, NotAllowed, NotFound
from annotator.language import speaking
from annotator.store import Store, open_store
from annotator.store.events import all_events
from annotator.store.gold.releases import parts_of
from annotator.store.instances import discard, find_instance_ids
from annotator.usecases.gold import gold_instances
from annotator.usecases.lead.decisions import adjudicate
from annotator.usecases.project.projects import change_project, create_project
from annotator.usecases.project.splits import split_project
from annotator.usecases.releases.differences import GoldDifferences, release_differences
from annotator.usecases.releases.export import export_release
from annotator.usecases.releases.frozen_gold import (
    erase_from_releases,
    freeze_gold,
    frozen_gold,
    release_of_project,
    releases_of_project,
    unfinished_words,
)
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.usecases.review.test_reviews import annotate, score

ImportRows = Callable[..., object]
NAMES = ("Somebody Known", "Another One")


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: ImportRows) -> Project:
    """Three texts that two people marked, one of which is about a document that others share."""
    made = make_project(gold_policy="all")
    facts = {"annotations": [{"annotator": name, "age": 30} for name in NAMES]}
    rows = [
        {"id": f"t{n}", "text": f"so good, {n} times", "label": "positive", "rationales": [[[0, 2]], [[n, n + 1]]],
         "split": "test", "metadata": facts}
        for n in range(3)
    ]  # fmt: skip
    import_rows(made, [row | {"annotator": name} for row in rows for name in NAMES])
    return made


def frozen(store: Store, project: Project, name: str = "camera ready") -> Release:
    return freeze_gold(store, LOCAL_OPERATOR, project, name, licence="CC BY 4.0", citation="Us, 2026")


def values(gold: list[GoldInstance]) -> list[object]:
    """What is frozen of gold: all but the numbers of this database, and who it was."""
    return [(replace(item.instance, id=0, metadata={}, state="open"), item.result, item.sets) for item in gold]


def test_a_release_holds_the_gold_of_its_moment_whatever_happens_afterwards(store, project, import_rows) -> None:
    before = list(gold_instances(store, project, "all"))
    release = frozen(store, project)
    with store.transaction():
        discard(store, before[0].instance.id)
    import_rows(project, [{"id": "t9", "text": "new and good", "label": "positive", "rationales": [[[2, 3]]]}])
    assert values(list(frozen_gold(store, release))) == values(before)
    assert (release.number, release.name, release.rules.policy) == (1, "camera ready", "all")
    assert release.gold.words == "3 instances, 6 rationale sets, 2 annotators"


def test_no_name_is_in_a_release(store, project) -> None:
    release = frozen(store, project)
    gold = list(frozen_gold(store, release))
    assert not any(name in repr(gold) for name in NAMES)
    people = {origin.annotator for item in gold for origins in item.origins for origin in origins}
    assert len(people) == 2, "who marked several sets has one pseudonym"


def test_the_same_gold_has_the_same_digest_under_other_pseudonyms(store, project) -> None:
    first, second = frozen(store, project), frozen(store, project, "again")
    assert (second.number, second.gold.digest) == (2, first.gold.digest)
    assert list(frozen_gold(store, first)) != list(frozen_gold(store, second))


def test_label_sets_their_order_texts_and_token_borders_are_in_the_digest(store, project) -> None:
    item = next(gold_instances(store, project, "all"))
    segment = item.instance.segments[0]
    body = segment.body
    others = [
        replace(item, result="negative"),
        replace(item, sets=item.sets[::-1]),
        replace(item, sets=item.sets[:1]),
        *(
            replace(item, instance=replace(item.instance, segments=(replace(segment, body=changed),)))
            for changed in (
                replace(body, text=body.text.upper()),
                replace(body, ends=(body.ends[0] - 1, *body.ends[1:])),
            )
        ),
        replace(item, instance=replace(item.instance, is_exhaustive=True)),
    ]
    digests = {gold_digest(gold, is_exhaustive=False) for gold in [item, *others]}
    assert len(digests) == len(others) + 1
    named = replace(item, origins=(), instance=replace(item.instance, id=99, metadata={}))
    assert gold_digest(named, is_exhaustive=False) in digests, "not who made it, nor what else came with it"


def test_only_leads_freeze_and_researchers_see_which_there_are(store, project, add_person) -> None:
    researcher: User = add_person("researcher", project, "researcher")
    with pytest.raises(NotAllowed):
        freeze_gold(store, researcher, project, "mine", licence="CC0")
    assert releases_of_project(store, researcher, project) == []
    frozen(store, project)
    assert [release.name for release in releases_of_project(store, researcher, project)] == ["camera ready"]


@pytest.mark.parametrize(
    ("name", "licence", "message"),
    [
        ("", "CC0", "A release needs a name"),
        ("x" * 101, "CC0", "Names are one line of 1–100 visible characters."),
        ("CAMERA ready", "CC0", "'camera ready' already exists. Choose another name."),
        ("second", " ", "Add a licence, e.g. CC BY 4.0."),
    ],
)
def test_what_cannot_be_a_release_is_refused(store, project, name: str, licence: str, message: str) -> None:
    frozen(store, project)
    with pytest.raises(InvalidValue, match=message):
        freeze_gold(store, LOCAL_OPERATOR, project, name, licence=licence)
    assert len(releases_of_project(store, LOCAL_OPERATOR, project)) == 1


def test_a_project_without_gold_has_nothing_to_freeze(store, make_project) -> None:
    with pytest.raises(InvalidValue, match=r"Accept annotations first\."):
        frozen(store, make_project(name="Empty"))


def test_labels_alone_are_frozen_where_the_rules_ask_for_nothing_else(
    store, make_project, import_rows, tmp_path
) -> None:
    rows = [{"id": f"t{n}", "text": "so good", "label": "positive"} for n in range(2)]
    of_rationales, of_labels = make_project(name="Why"), make_project(name="Labels", result_mode="labels_only")
    for made in (of_rationales, of_labels):
        import_rows(made, rows)
    with pytest.raises(InvalidValue, match=r"Accept annotations first\."):
        frozen(store, of_rationales)
    release = frozen(store, of_labels)
    assert (release.gold.n_instances, release.gold.n_sets, release.gold.n_annotators) == (2, 0, 0)
    assert [item.result for item in frozen_gold(store, release)] == ["positive", "positive"]
    assert not release_differences(store, LOCAL_OPERATOR, of_labels, 1).n
    export_release(store, LOCAL_OPERATOR, of_labels, 1, "jsonl", tmp_path / "out")
    assert "Gold of 2 instances, 0 rationale sets, 0 annotators." in (tmp_path / "out" / "README.md").read_text()


def test_a_release_that_is_not_there_is_named_with_those_that_are(store, project) -> None:
    frozen(store, project)
    with pytest.raises(NotFound, match=r"No release 7\. Available:"):
        release_of_project(store, LOCAL_OPERATOR, project, 7)


def restored(tmp_path: Path, path: Path) -> tuple[Store, Project]:
    other = open_store(tmp_path / "other.db", create=True)
    project = create_project(other, LOCAL_OPERATOR, "Restored", get_task("sentiment"))
    import_file(other, LOCAL_OPERATOR, project, "jsonl", path)
    return other, project


def test_our_own_export_brings_releases_back_as_they_were(store, project, tmp_path) -> None:
    release = frozen(store, project)
    with store.transaction():
        discard(store, find_instance_ids(store, project.id, "t1", "test")[0])
    second = frozen(store, project, "without t1")
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    other, copy = restored(tmp_path, tmp_path / "all.jsonl")
    with other:
        first_there, second_there = releases_of_project(other, LOCAL_OPERATOR, copy)
        assert (first_there.gold, first_there.rules, first_there.secret) == (
            release.gold,
            release.rules,
            release.secret,
        )
        assert (second_there.gold, second_there.created_at) == (second.gold, second.created_at)
        assert list(frozen_gold(other, first_there)) == list(frozen_gold(store, release))


def test_a_release_that_was_changed_in_the_file_is_refused(store, project, tmp_path) -> None:
    frozen(store, project)
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    next(row for row in rows if row["record"] == "released")["result"] = "negative"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ImportRefused) as refused:
        restored(tmp_path, path)
    assert "the gold doesn't match its digest. Use the original file" in str(refused.value.problems)


def test_a_large_release_is_stored_in_parts_and_read_in_its_order(store, make_project, import_rows) -> None:
    project = make_project()
    import_rows(
        project, [{"id": f"k{n}", "text": "good", "label": "positive", "rationales": [[[0, 1]]]} for n in range(501)]
    )
    release = frozen(store, project)
    assert len(list(parts_of(store, release.id))) == 2
    assert [item.instance.key for item in frozen_gold(store, release)] == [f"k{n}" for n in range(501)]


def test_a_release_keeps_the_rules_that_the_project_changes_later(store, project) -> None:
    release = frozen(store, project)
    changed = change_project(store, LOCAL_OPERATOR, replace(project, name="Another name", licence="CC0"))
    now = release_of_project(store, LOCAL_OPERATOR, changed, 1)
    assert (now.rules.title, now.rules.licence, now.rules.citation) == ("Project", "CC BY 4.0", "Us, 2026")
    assert now.rules.applied_to(changed).name == "Project"
    assert now == release


def test_before_freezing_a_lead_reads_how_much_of_the_gold_is_not_complete(
    store: Store, make_project: Callable[..., Project], import_rows: ImportRows, add_person: Callable[..., User]
) -> None:
    """Three texts with one person's gold, in a project that wants two people and one reviewer for each annotation."""
    made = make_project(annotators_per_instance=2, reviewers_per_annotation=1)
    rows = [
        {"id": f"t{n}", "text": "so good, so bad", "label": "positive", "rationales": [[[0, 2]]], "annotator": "a"}
        for n in range(3)
    ]
    import_rows(made, rows)
    assert unfinished_words(store, LOCAL_OPERATOR, made) == (
        "3 texts with gold are incomplete; they are frozen as is. 3 have fewer annotators than required (2)."
    )
    ann, rita = add_person("ann", made, "annotator"), add_person("rita", made, "reviewer")
    annotate(store, ann, made, RationaleSet.of((0, 2)))
    assert unfinished_words(store, LOCAL_OPERATOR, made) == (
        "3 texts with gold are incomplete; they are frozen as is. 2 have fewer annotators than required (2); 1 is in review or returned."
    )
    score(store, rita, made)
    assert unfinished_words(store, LOCAL_OPERATOR, made).startswith("2 texts with gold are incomplete;")
    assert frozen(store, made).gold.n_instances == 3, "what is said takes nothing out"
    change_project(store, LOCAL_OPERATOR, replace(made, settings=replace(made.settings, annotators_per_instance=1)))
    assert unfinished_words(store, LOCAL_OPERATOR, made) == (
        "1 text with gold is incomplete; it is frozen as is. This gold omits the sets of 1 annotation: ann "
        "(1). “chosen” takes one annotation per text; “all” takes every one with the gold label."
    ), "each has as many as are wanted; one is in hand, given out ahead"


# What differs between releases, and between one and the gold of now.


@pytest.fixture
def changed_since(make_project: Callable[..., Project], import_rows: ImportRows) -> Project:
    made = make_project()
    rows = [
        {"id": f"t{n}", "text": "good and bad", "label": "positive", "rationales": [[[0, 1]]], "annotator": "a"}
        for n in range(4)
    ]
    import_rows(made, rows)
    return made


def test_each_kind_of_difference_is_counted_with_its_keys(store: Store, changed_since: Project, import_rows) -> None:
    freeze_gold(store, LOCAL_OPERATOR, changed_since, "first", licence="CC0")
    change_gold(store, changed_since, import_rows)
    second = freeze_gold(store, LOCAL_OPERATOR, changed_since, "second", licence="CC0")
    differences = release_differences(store, LOCAL_OPERATOR, changed_since, 1, second.number)
    assert differences.places == {
        "added": (("new", ""),),
        "removed": (("t0", ""),),
        "label": (("t1", ""),),
        "sets": (("t1", ""), ("t2", "")),
    }
    assert differences.words == (
        "From release 1 to release 2: 4 instances differ (1 added, 1 removed, or now without gold, 1 with "
        "another label, 2 with other sets)."
    )


def test_a_release_is_compared_with_the_gold_of_now(store: Store, changed_since: Project, import_rows) -> None:
    freeze_gold(store, LOCAL_OPERATOR, changed_since, "first", licence="CC0")
    same = release_differences(store, LOCAL_OPERATOR, changed_since, 1)
    assert same.words == "From release 1 to the current gold: the gold is the same."
    change_gold(store, changed_since, import_rows)
    assert release_differences(store, LOCAL_OPERATOR, changed_since, 1).n == 4


def test_an_instance_that_has_moved_to_another_split_differs_once_and_is_not_one_gone_and_one_new(
    store: Store, project: Project
) -> None:
    frozen(store, project)
    split_project(store, LOCAL_OPERATOR, project, "dev=1")
    differences = release_differences(store, LOCAL_OPERATOR, project, 1)
    assert differences.places == {"split": (("t0", "dev"), ("t1", "dev"), ("t2", "dev"))}
    assert differences.words == "From release 1 to the current gold: 3 instances differ (3 in another split)."


def change_gold(store: Store, changed_since: Project, import_rows: ImportRows) -> None:
    """One is discarded, one gets another label and other sets, one other sets, and one is new."""
    with store.transaction():
        discard(store, find_instance_ids(store, changed_since.id, "t0")[0])
    import_rows(changed_since, [{"id": "new", "text": "good", "label": "positive", "rationales": [[[0, 1]]]}])
    for key, label in (("t1", "negative"), ("t2", "positive")):
        [number] = find_instance_ids(store, changed_since.id, key)
        adjudicate(store, LOCAL_OPERATOR, changed_since, number, label, [RationaleSet.of((2, 3))], "better")


def test_keys_and_labels_are_for_those_who_see_all_annotations(store, changed_since, add_person) -> None:
    freeze_gold(store, LOCAL_OPERATOR, changed_since, "first", licence="CC0")
    with pytest.raises(NotAllowed):
        release_differences(store, add_person("researcher", changed_since, "researcher"), changed_since, 1)


def test_a_release_that_is_not_there_cannot_be_compared(store, changed_since) -> None:
    freeze_gold(store, LOCAL_OPERATOR, changed_since, "first", licence="CC0")
    with pytest.raises(NotFound, match="No release"):
        release_differences(store, LOCAL_OPERATOR, changed_since, 1, 2)


@pytest.mark.parametrize("n", [0, 1])
def test_chinese_words_stand_apart_from_the_number_of_a_release(n: int) -> None:
    places = {"added": (("a", ""),)} if n else {}
    with speaking("zh"):
        words = GoldDifferences("发布版 1", "当前的金标准", places).words
        assert words.startswith("发布版 1 → 当前的金标准：")
        assert words.endswith("（新增 1 个）。" if n else "金标准相同。")


# A person who asks for it is taken out of releases: what they alone made is gone, and the release says how much, not whose.


@pytest.fixture
def with_named(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Ada and Zoe marked the first word, Ada alone the third; two releases."""
    made = make_project(gold_policy="all")
    facts = {"annotations": [{"annotator": "ada", "age": 30}, {"annotator": "zoe", "age": 40}]}
    row = {"id": "t", "text": "good and bad", "label": "positive", "metadata": facts}
    import_rows(
        made,
        [
            row | {"annotator": "ada", "rationales": [[[0, 1]], [[2, 3]]]},
            row | {"annotator": "zoe", "rationales": [[[0, 1]]]},
        ],
    )
    for name in ("first", "second"):
        freeze_gold(store, LOCAL_OPERATOR, made, name, licence="CC0")
    return made


def test_what_one_person_made_is_gone_from_every_release_and_counted(store, with_named, tmp_path: Path) -> None:
    before = releases_of_project(store, LOCAL_OPERATOR, with_named)
    assert erase_from_releases(store, LOCAL_OPERATOR, with_named, "ada") == 2
    for release, old in zip(releases_of_project(store, LOCAL_OPERATOR, with_named), before, strict=True):
        [item] = frozen_gold(store, release)
        assert [rationale_set.token_indices for rationale_set in item.sets] == [(0,)]
        assert [len(origins) for origins in item.origins] == [1]
        assert [row["age"] for row in item.instance.metadata["annotations"]] == [40]
        assert (release.n_erased, release.gold, release.number) == (1, old.gold, old.number)
    export_release(store, LOCAL_OPERATOR, with_named, 1, "jsonl", tmp_path / "out")
    assert "* 1 rationale set is gone since it was frozen" in (tmp_path / "out" / "README.md").read_text()
    last = list(all_events(store, with_named.id))[-2]
    assert (last.action, last.detail) == ("erase from releases", {"sets": 2}), "the record does not say whose"


def test_an_erased_release_comes_back_with_our_own_export(store, with_named, tmp_path: Path) -> None:
    erase_from_releases(store, LOCAL_OPERATOR, with_named, "ada")
    export_file(store, LOCAL_OPERATOR, with_named, "jsonl", tmp_path / "all.jsonl")
    copy = create_project(store, LOCAL_OPERATOR, "Copy", with_named.task)
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
    assert [release.n_erased for release in releases_of_project(store, LOCAL_OPERATOR, copy)] == [1, 1]


def test_whoever_made_nothing_there_is_refused_and_nothing_changes(store, with_named, add_person) -> None:
    with pytest.raises(NotFound, match=r"No release of 'Project' contains 'bob'\."):
        erase_from_releases(store, LOCAL_OPERATOR, with_named, "bob")
    with pytest.raises(NotAllowed):
        erase_from_releases(store, add_person("r", with_named, "researcher"), with_named, "ada")
    assert [release.n_erased for release in releases_of_project(store, LOCAL_OPERATOR, with_named)] == [0, 0]
