"What is shown on the Saliency screen: the text list, its slices, runs and maps to choose, and the keys for it."

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, attention, map_of, number
from tests.browser.panel.test_saliency_typed import typed

# The keys of the Saliency screen: a field or a menu is left by Esc, and the typed text is a step of the history.

pytestmark = pytest.mark.browser

LENGTH, SETS = "-:-:text.tokens", "-:-:gold.sets"


def with_scatter(
    saliency: Callable[..., SaliencyPage], keys: tuple[str, ...] = ("first", "second", "third"), **changes: Any
) -> Page:
    """The page with two numbers of its texts against each other."""
    fake = SaliencyFake(
        keys=keys, of_texts=("text.tokens", "gold.sets"), numbers=[number(1, "tiny", "", "F1")], **changes
    )
    page = saliency(fake).open(query=f"&x={LENGTH}&y={SETS}").page
    expect(page.locator(".scatter-count")).to_contain_text(f"{len(keys)} texts.")
    return page


def opens_the_second_text(page: Page) -> None:
    page.keyboard.press("j")
    expect(page.locator(".heat-where h2")).to_have_text("second")


def test_the_scatter_opens_with_numbers_that_have_values_and_its_menus_say_whose_they_are(
    saliency: Callable[..., SaliencyPage],
) -> None:
    fake = SaliencyFake(
        keys=("first", "second"), of_texts=("text.tokens", "gold.sets"), numbers=[number(1, "tiny", "", "F1")]
    )
    page = saliency(fake).open().page
    page.keyboard.press("d")
    expect(page.locator(".scatter-count")).to_contain_text("2 texts.")
    x, y = (page.locator(".scatter-axis select").nth(at) for at in (0, 1))
    expect(x).to_have_value(LENGTH)
    expect(y).to_have_value("1:-:F1")
    assert "tiny" in str(y.locator("option:checked").get_attribute("label"))


def test_enter_in_a_bound_of_the_scatter_applies_it_and_the_keys_work_at_once(
    saliency: Callable[..., SaliencyPage],
) -> None:
    page = with_scatter(saliency)
    page.get_by_role("spinbutton", name="x from").focus()
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    expect(page.locator(".scatter-count")).to_contain_text("2 of 3 texts selected")
    opens_the_second_text(page)


@pytest.mark.parametrize(
    ("role", "name"),
    [("spinbutton", "x to"), ("combobox", "Number upwards (y)"), ("combobox", "Which texts"), ("searchbox", "ID or words")],
)  # fmt: skip
def test_esc_leaves_a_field_or_a_menu_so_that_the_keys_work(
    saliency: Callable[..., SaliencyPage], role: str, name: str
) -> None:
    page = with_scatter(saliency)
    field = page.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
    field.focus()
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    opens_the_second_text(page)


def test_esc_closes_the_typed_text_after_the_page_is_loaded_again(saliency: Callable[..., SaliencyPage]) -> None:
    screen, _ = typed(saliency)
    page = screen.page
    page.get_by_role("textbox", name="Typed text").fill("mine")
    expect(screen.map(1).locator(".heat-text")).to_have_text("mine")
    page.reload()
    expect(screen.map(1).locator(".heat-text")).to_have_text("mine")
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name="Typed text")).to_be_hidden()
    opens_the_second_text(page)


def test_opening_and_closing_the_typed_text_are_steps_of_the_history(saliency: Callable[..., SaliencyPage]) -> None:
    screen, _ = typed(saliency)
    page = screen.page
    field = page.get_by_role("textbox", name="Typed text")
    field.fill("mine")
    expect(screen.map(1).locator(".heat-text")).to_have_text("mine")
    page.go_back()
    expect(field).to_be_hidden()
    expect(page.locator(".heat-where h2")).to_have_text("first")
    assert "typed=" not in page.url
    page.go_forward()
    expect(field).to_have_value("mine")
    field.press("Escape")
    expect(field).to_be_hidden()
    page.go_back()
    expect(field).to_have_value("mine")
    page.go_back()
    expect(field).to_be_hidden()


def test_a_row_says_that_its_label_is_the_predicted_one(saliency: Callable[..., SaliencyPage]) -> None:
    row = saliency(SaliencyFake(predicted="positive")).page.locator(".list-row").first
    expect(row.locator(".facts")).to_have_text("→ positive")
    expect(row).to_have_accessible_description("positive: predicted label")


def test_a_row_without_a_prediction_tells_the_label_of_the_text(saliency: Callable[..., SaliencyPage]) -> None:
    row = saliency(SaliencyFake()).page.locator(".list-row").first
    expect(row.locator(".facts")).to_have_text("negative")
    expect(row).to_have_accessible_description("")


def test_a_list_without_the_open_text_says_so_and_both_ways_lead_to_its_first(
    saliency: Callable[..., SaliencyPage],
) -> None:
    page = saliency(SaliencyFake(keys=("first", "other one", "other two"))).page
    elsewhere = page.locator(".list-elsewhere")
    expect(elsewhere).to_be_hidden()
    for key in ("j", "k"):
        page.locator(".list-row").first.click()
        expect(page.locator(".heat-where h2")).to_have_text("first")
        page.get_by_role("searchbox", name="ID or words").fill("other")
        expect(elsewhere).to_have_text("The open text is not listed here.")
        page.keyboard.press("Escape")
        page.keyboard.press(key)
        expect(page.locator(".heat-where h2")).to_have_text("other one")
        expect(elsewhere).to_be_hidden()
        page.get_by_role("searchbox", name="ID or words").fill("")
        expect(page.locator(".list-row")).to_have_count(3)


def test_the_key_stays_whole_beside_the_numbers_of_the_scatter(saliency: Callable[..., SaliencyPage]) -> None:
    page = with_scatter(saliency, keys=("sentiment-en-01", "sentiment-en-02"))
    row = page.locator(".list-row").first
    expect(row.locator(".axes")).to_have_text("x 1 · y 1")
    assert row.locator("b").evaluate("key => key.scrollWidth <= key.clientWidth")


def test_a_text_that_the_model_learned_from_is_an_open_point_and_counted(saliency: Callable[..., SaliencyPage]) -> None:
    middle = """canvas => {
        const [left, right, top, bottom] = [44, canvas.clientWidth - 12, 24, canvas.clientHeight - 40];
        const scale = canvas.width / canvas.clientWidth;
        const [x, y] = [(left + right) / 2, (top + bottom) / 2].map(at => Math.round(at * scale));
        return [...canvas.getContext('2d').getImageData(x + 1, y + 1, 1, 1).data];
    }"""
    canvas = with_scatter(saliency).locator(".scatter-canvas")
    filled = canvas.evaluate(middle)
    page = with_scatter(saliency, learned={"tiny": [2]})
    expect(page.locator(".scatter-count")).to_contain_text(
        "tiny was trained on 1 of them (open points; not in Metrics)."
    )
    assert page.locator(".scatter-canvas").evaluate(middle) != filled


# Slices of the list: menus with counts, by keyboard, in the address, and told while they are closed.

HOSTILE = "<img src=x onerror=document.title='broken'>"


def slices(**changes: Any) -> dict[str, Any]:
    made = {
        "labels": [{"value": "positive", "n": 1200}, {"value": HOSTILE, "n": 2}, {"value": None, "n": 1}],
        "splits": [{"value": "", "n": 3}],
        "lengths": [{"value": "1-4", "n": 2}, {"value": "5-5", "n": 1}],
        "facts": [],
        "groups": [],
        "left_out": 0,
    }
    return made | changes


def test_slices_are_opened_and_chosen_by_keyboard_and_stand_in_the_address(
    saliency: Callable[..., SaliencyPage],
) -> None:
    fake = SaliencyFake(slices=slices())
    page = saliency(fake).page
    assert not [route for route, _ in fake.asked if route.startswith("slice")]  # nobody counts for closed menus
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    page.keyboard.press("f")
    label = page.get_by_role("combobox", name="Label", exact=True)
    expect(label).to_be_focused()
    assert label.locator("option").all_inner_texts() == [
        "any label",
        "positive (1,200)",
        f"{HOSTILE} (2)",
        "no label (1)",
    ]
    expect(page.get_by_role("combobox", name="Split")).to_be_hidden()  # there is one split, so nothing to choose
    label.select_option(label="no label (1)")
    page.wait_for_url("**unlabelled=yes**")
    page.get_by_role("combobox", name="Length in tokens").select_option("5-5")
    page.wait_for_url("**length=5-5**")
    assert [body for route, body in fake.asked if route == "list"][-1]["unlabelled"] == "yes"
    expect(page.locator(".slices summary")).to_have_text("Slices: no label · 5 tokens")
    page.reload()
    expect(page.locator(".slices summary")).to_have_text("Slices: no label · 5 tokens")
    expect(page.get_by_role("combobox", name="Length in tokens")).to_have_value("5-5")
    page.get_by_role("button", name="All of them").click()
    expect(page.locator(".slices summary")).to_have_text("Slices")
    page.wait_for_url(lambda url: "length" not in url and "unlabelled" not in url)
    assert page.title() != "broken"


def test_a_slice_of_a_link_that_is_empty_now_stays_chosen_and_is_counted(saliency: Callable[..., SaliencyPage]) -> None:
    page = saliency(SaliencyFake(slices=slices())).open(query="&label=neutral").page
    expect(page.get_by_role("combobox", name="Label", exact=True).locator("option:checked")).to_have_text("neutral (0)")


# Choosing what is shown: a run and its number to order by, maps to add, the text without any.

NUMBERS = [number(1, "tiny", "occlusion", "F1", "IoU"), number(2, "tiny", "attention", "F1", "AP")]


def test_a_run_and_its_number_are_two_menus_that_say_both_when_they_are_closed(
    saliency: Callable[..., SaliencyPage],
) -> None:
    page = saliency(SaliencyFake(numbers=NUMBERS)).page
    run, which = (
        page.get_by_role("combobox", name="Order by a run"),
        page.get_by_role("combobox", name="Number of the run"),
    )
    expect(which).to_be_hidden()
    assert run.locator("option").all_inner_texts() == ["order of import", "tiny · occlusion", "tiny · attention"]
    run.select_option(label="tiny · occlusion")
    assert which.locator("option").all_inner_texts() == ["F1", "IoU"]
    which.select_option(label="IoU")
    page.wait_for_url("**by=1*IoU*")
    run.select_option(label="tiny · attention")  # has no IoU: the first of its numbers
    expect(which).to_have_value("-:F1")
    page.wait_for_url("**by=2*F1*")
    page.reload()
    expect(run.locator("option:checked")).to_have_text("tiny · attention")
    expect(which.locator("option:checked")).to_have_text("F1")


def test_choosing_a_run_to_order_by_opens_it_as_a_map_once(saliency: Callable[..., SaliencyPage]) -> None:
    fake = SaliencyFake(numbers=NUMBERS)
    shown = saliency(fake).open(query="&panels=1:-:")
    expect(shown.page.locator(".heat-panel h3")).to_have_text(["tiny · occlusion"])
    run = shown.page.get_by_role("combobox", name="Order by a run")
    run.select_option(label="tiny · attention")
    expect(shown.page.locator(".heat-panel h3")).to_have_text(["tiny · attention", "tiny · occlusion"])
    run.select_option(label="tiny · occlusion")
    expect(run).to_have_value("1")
    expect(shown.page.locator(".heat-panel")).to_have_count(2)


def test_runs_that_the_arrow_keys_pass_do_not_pile_up_as_maps(saliency: Callable[..., SaliencyPage]) -> None:
    fake = SaliencyFake(panels=[map_of(), attention(), map_of(3, method="lime")])
    fake.numbers = [*NUMBERS, number(3, "tiny", "lime", "F1")]
    shown = saliency(fake).open(query="&panels=1:-:")
    shown.page.get_by_role("combobox", name="Order by a run").focus()
    shown.keys("ArrowDown")  # occlusion, which is open already
    expect(shown.page.locator(".heat-panel h3")).to_have_text(["tiny · occlusion"])
    shown.keys("ArrowDown")
    expect(shown.page.locator(".heat-panel h3")).to_have_text(["tiny · attention", "tiny · occlusion"])
    shown.keys("ArrowDown")
    expect(shown.page.locator(".heat-panel h3")).to_have_text(["tiny · lime", "tiny · occlusion"])


def test_without_an_instance_the_first_text_of_the_list_is_opened(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(keys=("first", "second"))).open(query="&words=second")
    expect(shown.page.locator(".heat-where h2")).to_have_text("second")


@pytest.mark.parametrize(("without", "words"), [(28, "1–2 of 2 · 28 have no value of this number"), (1, "1–2 of 2 · 1 has no value of this number"), (0, "1–2 of 2")])  # fmt: skip
def test_what_has_no_value_is_counted_beside_the_list(
    saliency: Callable[..., SaliencyPage], without: int, words: str
) -> None:
    shown = saliency(SaliencyFake(numbers=NUMBERS, without=without))
    expect(shown.page.locator(".list-count")).to_have_text(words)


def test_adding_a_run_that_is_open_adds_its_next_layer_until_all_are_there(
    saliency: Callable[..., SaliencyPage],
) -> None:
    fake = SaliencyFake(panels=[attention(layer=layer, layers=[0, 1]) for layer in (0, 1)])
    shown = saliency(fake).open(query="&panels=2:0:")
    add = shown.page.get_by_role("combobox", name="Add a heatmap")
    assert add.locator("option").all_inner_texts() == ["Add a heatmap …", "tiny · attention"]
    for _ in range(2):
        add.select_option(label="tiny · attention")
        expect(shown.page.locator(".heat-panel")).to_have_count(2)
    expect(shown.page.locator(".heat-notice")).to_have_text("All heatmaps of tiny · attention are shown.")


def test_a_text_without_attributions_is_shown_with_its_gold(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[]))
    expect(shown.map().locator("h3")).to_have_text("Text and gold")
    expect(shown.map().locator(".heat-text")).to_have_text("bad slow plot good cast")
    expect(shown.map().locator(".g0")).to_have_text(["bad", "slow"])
    expect(shown.page.locator(".heat-notice")).to_contain_text("No attributions yet. Import or compute some below")
    shown.page.locator(".heat-where").click()
    shown.keys("ArrowRight")
    expect(shown.map().locator(".heat-pointed")).to_have_text("“bad” · in gold set A")


def test_a_later_text_with_attributions_shows_its_maps(saliency: Callable[..., SaliencyPage]) -> None:
    fake = SaliencyFake(panels=[])
    shown = saliency(fake)
    expect(shown.map().locator("h3")).to_have_text("Text and gold")
    fake.panels = [map_of()]
    shown.page.locator(".heat-where").click()
    shown.keys("j")
    expect(shown.map().locator("h3")).to_have_text("tiny · occlusion")


@pytest.mark.parametrize(("may_import", "words"), [(False, "No texts yet. A lead can import some."), (True, "No texts yet. Import some.")])  # fmt: skip
def test_a_project_without_texts_names_only_pages_that_the_person_has(
    saliency: Callable[..., SaliencyPage], may_import: bool, words: str
) -> None:
    shown = saliency(SaliencyFake(keys=(), may_import=may_import))
    expect(shown.page.locator(".heat-notice")).to_have_text(words)
    expect(shown.page.get_by_role("button", name="Export")).to_be_hidden()


def seeded(n: int = 3) -> list[dict[str, object]]:
    """Runs 5, 6, 7 … of LIME that differ in their seed alone."""
    return [map_of(5 + seed, method="lime", seed=seed, group=5) for seed in range(n)]


def test_seeds_of_a_method_are_one_entry_and_the_others_are_chosen_in_the_head_of_the_map(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(), *seeded()])).open(query="&panels=1:-:")
    add = shown.page.get_by_role("combobox", name="Add a heatmap")
    assert add.locator("option").all_inner_texts() == ["Add a heatmap …", "tiny · occlusion", "tiny · lime (3 seeds)"]
    add.select_option(label="tiny · lime (3 seeds)")
    expect(shown.page.locator(".heat-panel h3")).to_have_text(["tiny · occlusion", "tiny · lime"])
    seed = shown.page.get_by_role("combobox", name="Seed, tiny · lime")
    assert seed.locator("option").all_inner_texts() == ["seed 0 (of 3)", "seed 1 (of 3)", "seed 2 (of 3)"]
    seed.select_option(label="seed 2 (of 3)")
    shown.page.wait_for_url("**panels=1*7*")
    expect(seed).to_have_value("7")
    expect(seed).to_be_focused()
    add.select_option(label="tiny · lime (3 seeds)")  # once more: the first that is not there
    shown.page.wait_for_url("**panels=1*7*5*")
    expect(shown.page.locator(".heat-panel")).to_have_count(3)


def test_texts_are_ordered_by_any_seed_of_a_run(saliency: Callable[..., SaliencyPage]) -> None:
    numbers = [number(run, "tiny", "lime", "F1") | {"seed": seed, "group": 5} for seed, run in enumerate((5, 6))]
    page = saliency(SaliencyFake(panels=[map_of(), *seeded(2)], numbers=[*NUMBERS, *numbers])).page
    run, seed = (page.get_by_role("combobox", name=name) for name in ("Order by a run", "Seed of the run"))
    expect(seed).to_be_hidden()
    assert run.locator("option").all_inner_texts()[1:] == [
        "tiny · occlusion",
        "tiny · attention",
        "tiny · lime (2 seeds)",
    ]
    run.select_option(label="tiny · lime (2 seeds)")
    page.wait_for_url("**by=5*F1*")
    seed.select_option(label="seed 1")
    page.wait_for_url("**by=6*F1*")
    page.reload()
    expect(run.locator("option:checked")).to_have_text("tiny · lime (2 seeds)")
    expect(seed.locator("option:checked")).to_have_text("seed 1")
    run.select_option(label="tiny · attention")
    expect(seed).to_be_hidden()
