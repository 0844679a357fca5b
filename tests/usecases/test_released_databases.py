"""The databases of earlier releases open, are sound, and say the same as when they were written.

released/VERSION.db.xz is that version's own demonstration with a release of its gold, whose digest that version printed.
"""

import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.releases import FrozenGold, GoldTally
from annotator.store import open_store
from annotator.usecases.project.projects import find_project, progress_of
from annotator.usecases.releases.frozen_gold import frozen_gold, gold_to_freeze, release_of_project
from annotator.usecases.upkeep import check

RELEASED = Path(__file__).parent / "released"
GOLD = {"0.1.0": FrozenGold(30, 85, 2, "dd934cbdc9b8467530a8f8247f62fdc0517c2bf1a03556d88e2050e67b2bcee0")}


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
