"""CSV for people: a spreadsheet must not carry out what somebody named a model."""

import csv
import io

import pytest

from annotator.formats.rows.gold_csv import as_words, without_apostrophe, written_csv

FORMULAS = ["=1+1", "+cmd", "-a", "@sum", "\t=1", "\r=1", "\n=1", "＝1+1", "=HYPERLINK(\"http://e.com\")", "-1 2", "+1-555", "--1"]  # fmt: skip
PLAIN = ["", "model", "a=b", "1-2", " =1", "'a", "–", "−0.5", "好"]
NUMBERS = ["-0.5", "+1", "-1e-09", "-.5", "3", -0.5, 3, 0.0, None]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_begins_like_a_formula_gets_an_apostrophe(text):
    assert as_words(text) == f"'{text}"


@pytest.mark.parametrize("value", [*PLAIN, *NUMBERS])
def test_words_and_numbers_stay_as_they_are(value):
    assert as_words(value) == value


@pytest.mark.parametrize("text", [*FORMULAS, "'=1", "''-a", "'a", "-0.5", ""])
def test_an_apostrophe_that_was_added_is_taken_off_and_no_other_one(text):
    assert without_apostrophe(as_words(text)) == text


def test_heads_and_rows_are_written_with_their_cells_as_words():
    told = written_csv(("name", "=value"), [("=1+1", -0.5), ('a "b", c\nd', None)])
    rows = list(csv.reader(io.StringIO(told)))
    assert rows == [["name", "'=value"], ["'=1+1", "-0.5"], ['a "b", c\nd', ""]]
