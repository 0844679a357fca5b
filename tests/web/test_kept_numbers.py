"""When numbers over a whole project are counted again."""

import pytest

from annotator.web.sections.progress import work_cache
from annotator.web.sections.progress.work_cache import Kept


@pytest.mark.parametrize(
    ("seconds", "age", "made_of", "holds", "reason"),
    [
        (0.01, 0, "then", True, "nothing has happened since"),
        (0.01, 0, "now", False, "quick ones are counted at once"),
        (1.0, 19, "now", True, "slow ones rest for twenty times as long"),
        (1.0, 21, "now", False, "and no longer"),
        (1.0, 3600, "then", True, "nothing has happened since, however long ago"),
    ],
)
def test_numbers_hold_until_something_happens_and_slow_ones_rest_for_a_while(
    seconds: float, age: float, made_of: str, holds: bool, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_cache, "time", type("Clock", (), {"monotonic": staticmethod(lambda: 10_000.0)}))
    assert Kept(7, "then", 10_000.0 - age, seconds).holds(made_of) is holds, reason
