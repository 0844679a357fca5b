"""What is chosen on a page and its address: each follows the other, what is not there is said, and nothing is lost between."""

from typing import Any

import pytest

from annotator.web.page_choices import PageChoices, Params, Piece

SPLIT = Piece("split", "the split")
COLUMNS = Piece("columns", "the column")
IS_WIDE = Piece("wide", "the width")
PAGE = Piece("page", "the page")
ROW = Piece("row", "the row")
SPLITS = ["all", "train", "test"]


class Browser:
    """A person at a page: an address, a session, and controls that are drawn in each run."""

    def __init__(self) -> None:
        self.session: dict[Any, Any] = {}
        self.address: Params = {}
        self.splits = list(SPLITS)
        self.rows: list[str] | None = ["a", "b"]

    @property
    def choices(self) -> PageChoices:
        return PageChoices(self.session, "numbers", 7, (SPLIT, COLUMNS, IS_WIDE, PAGE, ROW))

    def run(self, *, is_arrival: bool = False, is_whole: bool = True) -> dict[str, Any]:
        """A run of the page; answers what its controls hold."""
        choices = self.choices
        choices.begin(self.address, is_arrival=is_arrival)
        keys = {
            "split": choices.one(SPLIT, self.splits, "all"),
            "columns": choices.several(COLUMNS, ["f1", "auc", "mrr"], ["f1"]),
            "wide": choices.flag(IS_WIDE),
            "page": choices.number(PAGE, 1, 9, 1),
        }
        if self.rows is not None and is_whole:
            keys["row"] = choices.one(ROW, self.rows, self.rows[0], part="chart")
        params = choices.end(is_whole=is_whole)
        self.address = self.address if params is None else params
        return {name: self.session[key] for name, key in keys.items()}

    def choose(self, name: str, value: Any) -> dict[str, Any]:
        self.session[f"numbers_{name}_7"] = value
        return self.run()

    def another_tab(self) -> "Browser":
        other = Browser()
        other.address = self.address
        return other


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_an_address_without_choices_stays_as_short_as_it_is(browser) -> None:
    assert browser.run() == {"split": "all", "columns": ["f1"], "wide": False, "page": 1, "row": "a"}
    assert browser.address == {}


def test_what_is_chosen_stands_in_the_address_and_a_default_does_not(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    assert browser.address == {"split": ("test",)}
    browser.choose("columns", ["mrr", "f1"])
    assert browser.address == {"split": ("test",), "columns": ("mrr", "f1")}
    browser.choose("split", "all")
    assert browser.address == {"columns": ("mrr", "f1")}


def test_nothing_chosen_of_several_is_a_choice_as_well(browser) -> None:
    browser.run()
    browser.choose("columns", [])
    assert browser.address == {"columns": ("",)}
    assert browser.another_tab().run()["columns"] == []


def test_another_tab_with_the_same_address_shows_the_same_and_leaves_the_address_alone(browser) -> None:
    browser.run()
    for name, value in (("split", "test"), ("columns", ["auc"]), ("wide", True), ("page", 3)):
        browser.choose(name, value)
    shown = browser.run()
    other = browser.another_tab()
    assert other.run() == shown
    assert other.address == browser.address
    assert other.choices.gone() == ""


def test_back_brings_the_former_choices_and_defaults(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    former = browser.address
    browser.choose("columns", ["auc"])
    browser.address = former
    assert browser.run()["columns"] == ["f1"]
    browser.address = {}
    assert browser.run()["split"] == "all"
    assert browser.address == {}


def test_a_choice_that_comes_with_the_former_address_counts(browser) -> None:
    browser.run()
    former = browser.address
    browser.choose("split", "test")
    browser.address = former  # the browser has not learned the new one yet
    browser.session["numbers_wide_7"] = True
    assert browser.run() == {"split": "test", "columns": ["f1"], "wide": True, "page": 1, "row": "a"}
    assert browser.address == {"split": ("test",), "wide": ("1",)}


def test_a_page_that_is_opened_from_the_menu_is_as_it_was_left(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    browser.address = {}
    for key in [
        key for key in browser.session if key.startswith("numbers_") and key.endswith("_7") and "choices" not in key
    ]:
        del browser.session[key]  # as Streamlit does when another page runs
    assert browser.run(is_arrival=True)["split"] == "test"
    assert browser.address == {"split": ("test",)}


def test_a_link_that_is_opened_in_a_tab_that_had_other_choices_is_followed(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    browser.address = {"columns": ("auc",)}
    assert browser.run(is_arrival=True) == {"split": "all", "columns": ["auc"], "wide": False, "page": 1, "row": "a"}


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ({"split": ("gone",)}, "the split “gone”, which is not here"),
        ({"split": ("test", "train")}, "the split “test” and the split “train”, which are not here"),  # one can be chosen
        ({"columns": ("<b>",)}, "the column “<b>”, which is not here"),
        ({"columns": ("auc", "x", "y")}, "the column “x” and the column “y”, which are not here"),
        ({"wide": ("yes",)}, "the width “yes”, which is not here"),
        ({"page": ("10",)}, "the page “10”, which is not here"),  # beyond the last
        ({"page": ("²",)}, "the page “²”, which is not here"),
        ({"page": ("9" * 5000,)}, f"the page “{'9' * 39}…”, which is not here"),
        ({"row": ("c",)}, "the row “c”, which is not here"),
        ({"nonsense": ("1",)}, "“nonsense”, which is not here"),  # no piece of the page
        ({"split": ("\ud800\x00",)}, "the split “?\x00”, which is not here"),
    ],
)  # fmt: skip
def test_what_an_address_asks_for_and_is_not_there_is_named_and_left_out(browser, address, sentence) -> None:
    browser.address = {**address, "wide": address.get("wide", ("1",))}
    shown = browser.run()
    assert sentence in browser.choices.gone()
    assert shown["split"] == "all"
    assert shown["page"] == 1
    assert shown["wide"] is ("wide" not in address)  # the rest is followed
    browser.run()
    assert sentence in browser.choices.gone()  # as long as the address stays
    browser.choose("page", 2)
    assert browser.choices.gone() == ""
    assert set(browser.address) <= {"page", "wide", "columns"}


def test_of_a_hundred_strange_names_a_few_are_named_and_the_others_counted(browser) -> None:
    browser.address = {f"strange{n}": ("x",) for n in range(100)}
    browser.run()
    assert browser.choices.gone().count("strange") == 5
    assert "and 95 more, which are not here" in browser.choices.gone()


def test_what_somebody_chose_is_named_before_names_that_the_page_does_not_know(browser) -> None:
    browser.address = {**{f"strange{n}": ("x",) for n in range(100)}, "row": ("c",), "split": ("gone",)}
    browser.run()
    sentence = browser.choices.gone()
    assert "the row “c”" in sentence
    assert "the split “gone”" in sentence
    assert sentence.count("strange") == 3
    assert sentence.index("“gone”") < sentence.index("strange")
    assert sentence.index("“c”") < sentence.index("strange")
    browser.choose("page", 2)
    assert browser.choices.gone() == ""


def test_what_is_not_drawn_yet_stays_asked_for(browser) -> None:
    browser.address = {"row": ("b",)}
    browser.run(is_whole=False)
    browser.session["numbers_split_7"] = "test"
    browser.run(is_whole=False)
    assert browser.address == {"row": ("b",), "split": ("test",)}
    assert browser.run()["row"] == "b"
    assert browser.choices.gone() == ""


def test_a_choice_whose_option_has_gone_falls_back_to_the_default(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    browser.splits.remove("test")
    assert browser.run()["split"] == "all"
    assert browser.address == {}


def test_two_projects_have_choices_of_their_own(browser) -> None:
    browser.run()
    browser.choose("split", "test")
    other = PageChoices(browser.session, "numbers", 8, (SPLIT,))
    other.begin({})
    assert browser.session[other.one(SPLIT, SPLITS, "all")] == "all"
