"""A person who asks for it is taken out of releases: what they alone made is gone, and the release says how much, not whose."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import NotAllowed, NotFound
from annotator.store import Store
from annotator.store.events import all_events
from annotator.usecases.project.projects import create_project
from annotator.usecases.releases.export import export_release
from annotator.usecases.releases.frozen_gold import erase_from_releases, freeze_gold, frozen_gold, releases_of_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file


@pytest.fixture
def project(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
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


def test_what_one_person_made_is_gone_from_every_release_and_counted(store, project, tmp_path: Path) -> None:
    before = releases_of_project(store, LOCAL_OPERATOR, project)
    assert erase_from_releases(store, LOCAL_OPERATOR, project, "ada") == 2
    for release, old in zip(releases_of_project(store, LOCAL_OPERATOR, project), before, strict=True):
        [item] = frozen_gold(store, release)
        assert [rationale_set.token_indices for rationale_set in item.sets] == [(0,)]
        assert [len(origins) for origins in item.origins] == [1]
        assert [row["age"] for row in item.instance.metadata["annotations"]] == [40]
        assert (release.n_erased, release.gold, release.number) == (1, old.gold, old.number)
    export_release(store, LOCAL_OPERATOR, project, 1, "jsonl", tmp_path / "out")
    assert "* 1 rationale set is gone since it was frozen" in (tmp_path / "out" / "README.md").read_text()
    last = list(all_events(store, project.id))[-2]
    assert (last.action, last.detail) == ("erase from releases", {"sets": 2}), "the record does not say whose"


def test_an_erased_release_comes_back_with_our_own_export(store, project, tmp_path: Path) -> None:
    erase_from_releases(store, LOCAL_OPERATOR, project, "ada")
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    copy = create_project(store, LOCAL_OPERATOR, "Copy", project.task)
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
    assert [release.n_erased for release in releases_of_project(store, LOCAL_OPERATOR, copy)] == [1, 1]


def test_whoever_made_nothing_there_is_refused_and_nothing_changes(store, project, add_person) -> None:
    with pytest.raises(NotFound, match="No release of 'Project' has anything of 'bob'"):
        erase_from_releases(store, LOCAL_OPERATOR, project, "bob")
    with pytest.raises(NotAllowed):
        erase_from_releases(store, add_person("r", project, "researcher"), project, "ada")
    assert [release.n_erased for release in releases_of_project(store, LOCAL_OPERATOR, project)] == [0, 0]
