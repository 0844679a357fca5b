"""The history of the demonstration, played through the use cases: whoever was told had a part in what they were told of."""

from pathlib import Path

from annotator.store import Store, open_store

_OF_STRANGERS = """SELECT notices.id FROM notices WHERE kind IN ('returned', 'decision') AND NOT EXISTS (
    SELECT 1 FROM assignments WHERE assignments.instance_id = notices.instance_id AND assignments.user_id = notices.user_id)"""
_TO_NO_LEAD = """SELECT notices.id FROM notices WHERE kind IN ('question', 'stuck') AND NOT EXISTS (
    SELECT 1 FROM memberships WHERE memberships.project_id = notices.project_id AND memberships.user_id = notices.user_id
        AND role = 'lead')"""
_RETURNED = """SELECT instance_id, user_id, count(*) AS n FROM {table} GROUP BY instance_id, user_id ORDER BY 1, 2"""


def counts(store: Store, table: str) -> list[tuple[int, ...]]:
    return [tuple(row) for row in store.rows(_RETURNED.format(table=table))]


def test_whoever_was_told_had_a_part_in_it_and_each_return_was_told_once(demonstration: Path, tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    path.write_bytes(demonstration.read_bytes())
    with open_store(path) as store:
        assert store.value("SELECT count(*) FROM notices WHERE kind = 'returned'") > 0
        assert (store.rows(_OF_STRANGERS), store.rows(_TO_NO_LEAD)) == ([], [])
        returned = "(SELECT instance_id, user_id FROM notices WHERE kind = 'returned')"
        rounds = """(SELECT rounds.instance_id, user_id FROM rounds JOIN annotations ON annotations.id = annotation_id
            WHERE outcome = 'returned')"""
        assert counts(store, returned) == counts(store, rounds)
