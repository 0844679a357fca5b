"""The backup, and the check that finds what constraints cannot keep out."""

import json
import lzma
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.releases import FrozenGold, GoldTally
from annotator.domain.projects import ProjectSettings
from annotator.domain.tasks import get_task
from annotator.errors import NotAllowed, StoreError
from annotator.store import Store, open_store
from annotator.store.packed_rows import pack_numbers
from annotator.store.people import add_user
from annotator.store.projects import add_project
from annotator.usecases.databases import find_project
from annotator.usecases.project.projects import progress_of
from annotator.usecases.releases.frozen_gold import frozen_gold, gold_to_freeze, release_of_project
from annotator.usecases.upkeep import back_up, check, leftovers, tidy

FINGERPRINT = bytes(16)
BOB = "INSERT INTO users (id, name, created_at) VALUES (9, 'bob', '')"
REVIEW = "INSERT INTO reviews (project_id, annotation_id, user_id, state, lease_until, created_at)"


@pytest.fixture
def store(tmp_path: Path, empty_database: Path) -> Iterator[Store]:
    """One instance "a b c" (three tokens) with an annotation and somebody's draft."""
    with open_store(shutil.copy(empty_database, tmp_path / "annotator.db")) as opened:
        with opened.transaction():
            settings = ProjectSettings(annotators_per_instance=3)
            project = add_project(opened, "P", get_task("sentiment"), labels=["no", "yes"], settings=settings)
            user = add_user(opened, "ann")
            opened.run(
                "INSERT INTO documents VALUES (1, ?, 'd', 'a b c', 3, ?, ?, ?)",
                (project.id, pack_numbers([0, 2, 4, 1, 3, 5]), pack_numbers([0]), FINGERPRINT),
            )
            opened.run(
                """INSERT INTO instances (id, project_id, key, split, source_split, language, n_tokens, n_selectable, queue_position,
                    open_slots, fingerprint) VALUES (1, ?, 'i', 'train', 'train', 'en', 3, 3, 1, 1, ?)""",
                (project.id, FINGERPRINT),
            )
            opened.run("INSERT INTO segments VALUES (1, 0, 'text', 1, 1)")
            opened.run(
                """INSERT INTO annotations (id, instance_id, annotator, round, state, created_at)
                    VALUES (1, 1, 'gold', 1, 'accepted', '')"""
            )
            opened.run("INSERT INTO rationale_sets VALUES (1, 0, '[[0,2]]', NULL)")
            opened.run(
                """INSERT INTO assignments (id, project_id, instance_id, user_id, state, lease_until, created_at)
                    VALUES (1, ?, 1, ?, 'leased', '', '')""",
                (project.id, user.id),
            )
            opened.run(
                "INSERT INTO drafts (assignment_id, revision, sets, saved_at) VALUES (1, 1, '[[[0,1],[2,3]]]', '')"
            )
        yield opened


def test_a_sound_database_has_no_problems(store: Store) -> None:
    assert (store.problems(), check(store)) == ([], [])


def test_an_empty_database_has_no_problems(tmp_path: Path) -> None:
    with open_store(tmp_path / "empty.db", create=True) as empty:
        assert check(empty) == []


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("UPDATE instance_counts SET n = 7 WHERE state = 'open'", 'instances "open" says 7, but the right number is 1'),
        ("DELETE FROM instance_counts", 'instances "queued" says 0, but the right number is 1'),
        ("UPDATE assignment_counts SET n = 2", 'user 1, work "leased" says 2, but the right number is 1'),
        ("UPDATE instances SET open_slots = 3", "Instance 'i' says 3 slots, open, but it is 1 slots, open"),
        (
            "UPDATE assignments SET state = 'submitted'",
            "'ann' submitted instance 'i', but there is no annotation of it",
        ),
        ("UPDATE instances SET state = 'complete'", "says 1 slots, complete, but it is 1 slots, open"),
        (
            f"{BOB}; INSERT INTO queue_cursors VALUES (1, 9, 5)",
            "Instance 'i' is free, but 'bob' would never be given it",
        ),
        (
            "INSERT INTO sets_shown VALUES (1, 1, 1, '', 0)",
            "'ann' has instance 'i' in hand, although others' sets of it were shown to them",
        ),
        (f"{REVIEW} VALUES (1, 1, 1, 'leased', '', '')", "'ann' reviews instance 'i', of which they are an annotator"),
        (
            f"{BOB}; {REVIEW} VALUES (1, 1, 9, 'leased', '', ''); DELETE FROM sets_shown",
            "'bob' has reviewed instance 'i', but may be given it to annotate",
        ),
        (
            f"{BOB}; INSERT INTO sets_shown VALUES (1, 9, 1, '', 0); UPDATE sets_shown SET is_free = 0",
            "It is kept wrongly whether instance 'i' is free, of which sets were shown to 'bob'",
        ),
        ("UPDATE instances SET n_tokens = 4", "Instance 'i' says it has 4 tokens, but its texts have 3"),
        ("UPDATE rationale_sets SET spans = '[[0,1],[2,4]]'", "set of gold for instance 'i' covers tokens 2 to 4"),
        (
            "UPDATE rationale_sets SET spans = '[[2,2]]'",
            "covers tokens 2 to 2, but the instance has 3",
        ),  # an empty span
        ("UPDATE drafts SET sets = '[[[0,1]],[[1,9]]]'", r"draft for instance 'i' covers tokens \[1, 9\]"),
        (
            "UPDATE documents SET text = 'a b'",
            r"Document d: Token 2 \(characters 4 to 5\) must lie within 3 to 3, in order\.",
        ),
    ],
)
def test_what_is_wrong_is_said(store: Store, damage: str, sentence: str) -> None:
    with store.transaction():
        for statement in damage.split("; "):
            store.run(statement)
    problems = "\n".join(check(store))
    assert re.search(sentence, problems), problems


def test_a_backup_is_whole_and_is_written_down(store: Store, tmp_path: Path) -> None:
    back_up(store, LOCAL_OPERATOR, tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db") as copy:
        assert check(copy) == []
    assert store.value("SELECT action FROM events ORDER BY id DESC") == "backup"


def test_a_backup_overwrites_nothing(store: Store, tmp_path: Path) -> None:
    (tmp_path / "there.db").write_text("mine")
    with pytest.raises(StoreError, match=r"'.*there\.db' is there already\. Choose another name for the backup\."):
        back_up(store, LOCAL_OPERATOR, tmp_path / "there.db")
    assert (tmp_path / "there.db").read_text() == "mine"


def test_only_an_administrator_makes_a_backup(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotAllowed, match=r"Ask an administrator to do this\."):
        back_up(store, User(1, "ann"), tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_what_killed_processes_left_is_named_with_what_to_do(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    temporary = tmp_path / "temporary"
    left = [
        tmp_path / ".annotator.db.abc.annotator-part",
        temporary / "annotator-scratch-abc",
        temporary / "annotator-try-abc",
        tmp_path / f"{store.path.name}.part.models",
        tmp_path / f"{store.path.name}.20261122-101500.backup.part",
        tmp_path / f"{store.path.name}-restored.models",
    ]
    for folder in left:
        folder.mkdir(parents=True)
    (temporary / "annotator-export-of-somebody-now").mkdir()
    two_days_ago = left[2].stat().st_mtime - 2 * 24 * 3600
    os.utime(left[2], (two_days_ago, two_days_ago))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert run(["--db", str(store.path), "check"]) == 0
    said = capsys.readouterr().out
    for folder in left:
        assert f"'{folder}' is left from a process that was killed." in said
    assert "of-somebody-now" not in said
    assert run(["--db", str(store.path), "check", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["leftovers"]) == len(left)


def test_a_copy_of_a_removed_database_is_named(store: Store, tmp_path: Path) -> None:
    copy = tmp_path / f"{store.path.name}.20261122-101500.rescued"
    copy.touch()
    assert any(f"'{copy}' was copied when the database was removed" in said for said in leftovers(store.path))


def test_nothing_is_named_where_nothing_was_left(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    assert leftovers(store.path) == []


def test_the_next_start_removes_what_is_surely_dead(store: Store, tmp_path: Path) -> None:
    (tmp_path / ".annotator.db.abc.annotator-part").mkdir()
    tidy(store)
    assert list(tmp_path.glob("*annotator-part")) == []


# The databases of earlier releases open, are sound, and say the same as when they were written.

RELEASED = Path(__file__).parent / "released"
GOLD_OF_DEMONSTRATION = FrozenGold(30, 85, 2, "dd934cbdc9b8467530a8f8247f62fdc0517c2bf1a03556d88e2050e67b2bcee0")
GOLD = {"0.1.0": GOLD_OF_DEMONSTRATION, "0.2.0": GOLD_OF_DEMONSTRATION}  # as each version printed it


@pytest.mark.parametrize("version", GOLD)
def test_a_database_of_an_earlier_release_is_migrated_with_a_backup_and_nothing_is_lost(
    tmp_path: Path, version: str
) -> None:
    database = tmp_path / "annotator.db"
    written = lzma.decompress((RELEASED / f"{version}.db.xz").read_bytes())
    database.write_bytes(written)
    with open_store(database) as store:
        assert check(store) == []
        project = find_project(store, "Sentiment")
        release = release_of_project(store, LOCAL_OPERATOR, project, 1)
        assert release.gold == GOLD[version]
        tallies = GoldTally(is_exhaustive=False), GoldTally(is_exhaustive=False)
        for tally, gold in zip(
            tallies, (frozen_gold(store, release), gold_to_freeze(store, project, "chosen")), strict=True
        ):
            assert sum(1 for _ in tally.counted(gold)) == release.gold.n_instances
        assert [tally.result.digest for tally in tallies] == [release.gold.digest] * 2
        assert progress_of(store, LOCAL_OPERATOR, project.id).n_instances == 69
    [backup] = tmp_path.glob("annotator.db.*.backup")
    (tmp_path / "written.db").write_bytes(written)
    assert _content(backup) == _content(tmp_path / "written.db")


def _content(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return list(connection.iterdump())


def test_every_database_that_is_kept_is_tried() -> None:
    assert {path.name for path in RELEASED.iterdir()} == {f"{version}.db.xz" for version in GOLD}
