"""A short bad day: people at work while the server is killed, the disk is full and slow and the clock jumps (benchmarks/load.py)."""

import asyncio
from pathlib import Path

from benchmarks.load import BadDay
from benchmarks.people_at_work import Pace


def test_nothing_acknowledged_is_lost_or_held_twice_on_a_bad_day(tmp_path: Path) -> None:
    bad = BadDay(tmp_path, 8, Pace(0.3, 3), n_texts=400)
    asyncio.run(bad.pass_by(9, kill_every=5, is_compared=False))
    assert bad.day.problems == []
    assert {what for what, _, _ in bad.day.troubles} == {"restart", "full disk", "slow disk"}
    assert bad.ledger.retried
    assert bad.ledger.submissions
