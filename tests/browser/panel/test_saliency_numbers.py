"""The numbers of all maps stand in one table that is read across, and the maps use the room that there is."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, attention, map_of

pytestmark = pytest.mark.browser


def test_numbers_are_rows_and_maps_are_columns_in_the_order_of_the_screen(
    saliency: Callable[..., SaliencyPage],
) -> None:
    lime = map_of(3, method="lime", numbers={"editing.mrr": 0.0042}, facts={"r2": 0.5})
    page = saliency(SaliencyFake(panels=[map_of(numbers={"editing.mrr": 1.0}), attention(), lime])).page
    table = page.get_by_role("region", name="Numbers of the maps")
    heads = table.locator("thead th:not(.definition)")
    assert [head.evaluate("(one) => one.firstChild.data") for head in heads.all()] == page.locator(
        ".heat-panel h3"
    ).all_inner_texts()
    values = {
        row.locator("th").inner_text(): [cell.inner_text() for cell in row.locator("td:not(.definition)").all()]
        for row in table.locator("tbody tr").all()
    }
    assert values["IoU"] == ["1.00", "0.500", "1.00"]
    assert values["MRR"] == ["1.00", "", "0.0042"]
    assert values["R²"] == ["", "", "0.500"]
    # The same number stands in one line, and each map's numbers end in one column.
    rights = (
        "(row) => [...row.querySelectorAll('td:not(.definition)')].map((cell) => cell.getBoundingClientRect().right)"
    )
    ends = [row.evaluate(rights) for row in table.locator("tbody tr").all()]
    assert all(row == ends[0] for row in ends)
    # What a number means is read without a pointer.
    page.get_by_text("What these numbers mean").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("average precision")).to_have_count(0)
    expect(page.locator("dd", has_text="how well LIME's linear model fits")).to_be_visible()


def test_convergence_stands_there_once(saliency: Callable[..., SaliencyPage]) -> None:
    page = saliency(SaliencyFake(panels=[map_of(convergence=0.01, facts={"convergence_share": 0.02, "output_change": 0.5})])).page  # fmt: skip
    rows = page.get_by_role("region", name="Numbers of the maps").locator("th[scope=row]")
    assert [words for words in rows.all_inner_texts() if words.startswith("Convergence")] == [
        "Convergence delta, relative"
    ]


def test_maps_stand_in_rows_of_equal_length(saliency: Callable[..., SaliencyPage]) -> None:
    columns = "async (asked) => (await import(`${panelAt}/saliency/tables.js`)).columnsFor(...asked)"
    page = saliency(SaliencyFake()).page
    found = {(n, width): page.evaluate(columns, [n, width]) for n in (1, 3, 4, 5) for width in (300, 720, 1300)}
    assert [found[1, width] for width in (300, 720, 1300)] == [1, 1, 1]
    assert [found[3, width] for width in (300, 720, 1300)] == [1, 2, 3]
    assert [found[4, width] for width in (300, 720, 1300)] == [1, 2, 2]
    assert [found[5, width] for width in (300, 720, 1300)] == [1, 2, 3]


def test_the_numbers_of_one_map_stand_beside_it_where_there_is_room(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of()]))
    page = shown.page
    page.set_viewport_size({"width": 1920, "height": 1080})
    try:
        page.wait_for_function("shadow.querySelector('.heat-content').clientWidth > 900")
        sides = "(one) => { const { left, right } = one.getBoundingClientRect(); return [left, right]; }"
        left, right = shown.map().evaluate(sides)
        assert page.locator(".heat-numbers").evaluate(sides)[0] >= right
        assert right - left <= 760
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function("shadow.querySelector('.heat-content').clientWidth < 800")
    assert page.evaluate(
        "document.querySelector('#scroller').scrollWidth <= document.querySelector('#scroller').clientWidth"
    )
