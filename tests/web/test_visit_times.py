"""Times are shown in the time zone of the browser, and named as UTC where it tells none."""

import pytest
import streamlit as st

from annotator.web.page_parts import shown_day, shown_time, visit_zone

EVENING = "2026-11-23T18:30:15.000Z"


def in_zone(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    monkeypatch.setattr(type(st.context), "timezone", property(lambda _context: name))


def test_a_moment_is_shown_as_the_browser_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    in_zone(monkeypatch, "Asia/Shanghai")
    assert visit_zone()[0] == "Asia/Shanghai"
    assert shown_time(EVENING) == "2026-11-24 02:30"
    assert shown_time(EVENING, with_seconds=True) == "2026-11-24 02:30:15"
    assert shown_day(EVENING) == "2026-11-24"


@pytest.mark.parametrize("name", [None, "Atlantis/Centre"])
def test_without_a_zone_that_is_known_utc_is_named(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    in_zone(monkeypatch, name)
    assert shown_time(EVENING) == "2026-11-23 18:30 UTC"
    assert shown_time(EVENING, is_zone_named=True) == "2026-11-23 18:30"
    assert shown_day(EVENING) == "2026-11-23"
