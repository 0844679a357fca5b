"""What differs between releases, and between one and the gold of now."""

from collections.abc import Callable

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import NotAllowed, NotFound
from annotator.language import speaking
from annotator.store import Store
from annotator.store.instances import discard, find_instance_ids
from annotator.usecases.lead.decisions import adjudicate
from annotator.usecases.releases.differences import GoldDifferences, release_differences
from annotator.usecases.releases.frozen_gold import freeze_gold

ImportRows = Callable[..., object]


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: ImportRows) -> Project:
    made = make_project()
    rows = [
        {"id": f"t{n}", "text": "good and bad", "label": "positive", "rationales": [[[0, 1]]], "annotator": "a"}
        for n in range(4)
    ]
    import_rows(made, rows)
    return made


def test_each_kind_of_difference_is_counted_with_its_keys(store: Store, project: Project, import_rows) -> None:
    freeze_gold(store, LOCAL_OPERATOR, project, "first", licence="CC0")
    change_gold(store, project, import_rows)
    second = freeze_gold(store, LOCAL_OPERATOR, project, "second", licence="CC0")
    differences = release_differences(store, LOCAL_OPERATOR, project, 1, second.number)
    assert differences.places == {
        "added": (("new", ""),),
        "removed": (("t0", ""),),
        "label": (("t1", ""),),
        "sets": (("t1", ""), ("t2", "")),
    }
    assert differences.words == (
        "From release 1 to release 2: 4 instances differ (1 added, 1 removed, or without gold now, 1 with another label, "
        "2 with other sets)."
    )


def test_a_release_is_compared_with_the_gold_of_now(store: Store, project: Project, import_rows) -> None:
    freeze_gold(store, LOCAL_OPERATOR, project, "first", licence="CC0")
    same = release_differences(store, LOCAL_OPERATOR, project, 1)
    assert same.words == "From release 1 to the gold of now: the gold is the same."
    change_gold(store, project, import_rows)
    assert release_differences(store, LOCAL_OPERATOR, project, 1).n == 4


def change_gold(store: Store, project: Project, import_rows: ImportRows) -> None:
    """One is discarded, one gets another label and other sets, one other sets, and one is new."""
    with store.transaction():
        discard(store, find_instance_ids(store, project.id, "t0")[0])
    import_rows(project, [{"id": "new", "text": "good", "label": "positive", "rationales": [[[0, 1]]]}])
    for key, label in (("t1", "negative"), ("t2", "positive")):
        [number] = find_instance_ids(store, project.id, key)
        adjudicate(store, LOCAL_OPERATOR, project, number, label, [RationaleSet.of((2, 3))], "better")


def test_keys_and_labels_are_for_those_who_see_all_annotations(store, project, add_person) -> None:
    freeze_gold(store, LOCAL_OPERATOR, project, "first", licence="CC0")
    with pytest.raises(NotAllowed):
        release_differences(store, add_person("researcher", project, "researcher"), project, 1)


def test_a_release_that_is_not_there_cannot_be_compared(store, project) -> None:
    freeze_gold(store, LOCAL_OPERATOR, project, "first", licence="CC0")
    with pytest.raises(NotFound, match="The project has no release 2"):
        release_differences(store, LOCAL_OPERATOR, project, 1, 2)


@pytest.mark.parametrize("n", [0, 1])
def test_chinese_words_stand_apart_from_the_number_of_a_release(n: int) -> None:
    places = {"added": (("a", ""),)} if n else {}
    with speaking("zh"):
        words = GoldDifferences("发布版 1", "当前的金标准", places).words
        assert words.startswith("发布版 1 → 当前的金标准：")
        assert words.endswith("（新增 1 个）。" if n else "金标准相同。")
