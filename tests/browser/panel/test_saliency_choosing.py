"""Choosing what is shown: a run and its number to order by, maps to add, the text without any."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, attention, map_of, number

pytestmark = pytest.mark.browser

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
    add = shown.page.get_by_role("combobox", name="Add a map")
    assert add.locator("option").all_inner_texts() == ["Add a map …", "tiny · attention"]
    for _ in range(2):
        add.select_option(label="tiny · attention")
        expect(shown.page.locator(".heat-panel")).to_have_count(2)
    expect(shown.page.locator(".heat-notice")).to_have_text("Every map of tiny · attention is on the screen already.")


def test_a_text_without_attributions_is_shown_with_its_gold(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[]))
    expect(shown.map().locator("h3")).to_have_text("Text and gold")
    expect(shown.map().locator(".heat-text")).to_have_text("bad slow plot good cast")
    expect(shown.map().locator(".g0")).to_have_text(["bad", "slow"])
    expect(shown.page.locator(".heat-notice")).to_contain_text(
        "Below you can import attributions or have them computed."
    )
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


@pytest.mark.parametrize(("may_import", "words"), [(False, "A lead can import some."), (True, "Import some on the Project page, under Import.")])  # fmt: skip
def test_a_project_without_texts_names_only_pages_that_the_person_has(
    saliency: Callable[..., SaliencyPage], may_import: bool, words: str
) -> None:
    shown = saliency(SaliencyFake(keys=(), may_import=may_import))
    expect(shown.page.locator(".heat-notice")).to_have_text(f"There are no texts in this project yet. {words}")
    expect(shown.page.get_by_role("button", name="Export")).to_be_hidden()


def seeded(n: int = 3) -> list[dict[str, object]]:
    """Runs 5, 6, 7 … of LIME that differ in their seed alone."""
    return [map_of(5 + seed, method="lime", seed=seed, group=5) for seed in range(n)]


def test_seeds_of_a_method_are_one_entry_and_the_others_are_chosen_in_the_head_of_the_map(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(), *seeded()])).open(query="&panels=1:-:")
    add = shown.page.get_by_role("combobox", name="Add a map")
    assert add.locator("option").all_inner_texts() == ["Add a map …", "tiny · occlusion", "tiny · lime (3 seeds)"]
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
