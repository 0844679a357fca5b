"""Spreadsheets: what cells show, which sheet is read, formula errors by their cell, and files that are none."""

import datetime as dt
import json
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment

from annotator.domain.sources import SourceColumns, SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import guess_format
from annotator.formats.rows import sheets
from annotator.formats.rows.csv_rows import column_choices, read

HEAD = ["id", "text", "label", "more"]
# As LibreOffice 24 writes a sheet: repeated cells and rows, blanks and paragraphs of their own, comments, formulas.
_NAMES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
)


def workbook(tmp_path: Path, *rows: list, title: str = "Texts", **others: list) -> Path:
    """A file as Excel writes it, as far as openpyxl does; others: more sheets by name."""
    book = Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    for name, more in others.items():
        other = book.create_sheet(name)
        for row in more:
            other.append(row)
    path = tmp_path / "texts.xlsx"
    book.save(path)
    return path


def ods(tmp_path: Path, *tables: str) -> Path:
    path = tmp_path / "texts.ods"
    body = f"<office:body><office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml", f"<?xml version='1.0'?><office:document-content {_NAMES}>{body}</office:document-content>"
        )
    return path


def table(*rows: str, name: str = "Texts") -> str:
    return f'<table:table table:name="{name}">{"".join(rows)}</table:table>'


def line(*cells: str, times: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'


def cell(text: str = "", **attributes: str) -> str:
    given = "".join(f' {name.replace("__", ":").replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f"<table:table-cell{given}>" + (f"<text:p>{text}</text:p>" if text else "") + "</table:table-cell>"


def rows_of(path: Path, **options) -> tuple[list[SourceInstance], list[Problem]]:
    items = list(read(path, ReadOptions(TASKS["sentiment"], ("negative", "positive"), **options)))
    assert all(isinstance(i, SourceInstance | Problem | SourceColumns) for i in items)
    return [i for i in items if isinstance(i, SourceInstance)], [i for i in items if isinstance(i, Problem)]


CELLS = [
    (3.0, "3"), (3, "3"), (0.1, "0.1"), (1e20, "1e+20"), (1234567890123, "1234567890123"), (True, "TRUE"),
    (dt.date(2026, 1, 2), "2026-01-02"), (dt.datetime.fromisoformat("2026-01-02T03:04"), "2026-01-02T03:04:00"), (dt.time(3, 4), "03:04:00"),
    ("007", "007"), ("a\nb", "a\nb"), (" x ", " x "), ("=", "="), (None, ""),
]  # fmt: skip


@pytest.mark.parametrize(("value", "shown"), CELLS)
def test_a_cell_is_what_the_sheet_shows(tmp_path, value, shown):
    [instance], problems = rows_of(workbook(tmp_path, HEAD, [1, "So good 😀", "positive", value]))
    assert not problems
    assert (instance.key, instance.segments["text"].text, instance.result) == ("1", "So good 😀", "positive")
    assert instance.metadata == {"more": shown}


def test_leading_zeros_of_a_format_stay(tmp_path):
    book = Workbook()
    book.active.append(["id", "text"])
    book.active.append([7, "Good."])
    book.active["A2"].number_format = "000"
    book.save(tmp_path / "texts.xlsx")
    [instance], _problems = rows_of(tmp_path / "texts.xlsx")
    assert instance.key == "007"


def test_rows_have_the_numbers_of_the_sheet_and_blank_ones_are_none(tmp_path):
    path = workbook(tmp_path, [None], HEAD, ["a", "Good.", None, None], [None], ["b", "", "odd"])
    [instance], problems = rows_of(path)
    assert (instance.key, instance.line, instance.result) == ("a", 3, None)
    assert {problem.line for problem in problems} == {5}


def test_a_formula_without_a_value_and_one_that_went_wrong_are_told_by_their_cells(tmp_path):
    rows = [["a", "Good.", "positive", "=1/0"], ["b", "Bad.", "negative", "#DIV/0!"]]
    path = workbook(tmp_path, HEAD, *rows)
    instances, problems = rows_of(path)
    assert not instances
    assert [(p.line, p.reason) for p in problems] == [
        (2, "Formula in D2 has no value. Re-save the spreadsheet."),
        (3, "Formula in D3 gives #DIV/0!."),
    ]
    instances, problems = rows_of(path, left_columns=frozenset({"more"}))
    assert ([i.key for i in instances], problems) == (["a", "b"], [])


def test_comments_and_words_in_a_format_of_their_own_are_told_since_they_may_be_marks(tmp_path):
    book = Workbook()
    book.active.append(["id", "text"])
    book.active.append(["a", CellRichText("So ", TextBlock(InlineFont(b=True), "good"), " a film.")])
    book.save(tmp_path / "bold.xlsx")
    book.active["B2"] = "So good a film."
    book.save(tmp_path / "plain.xlsx")
    book.active["B2"].comment = Comment("why: good", "ada")
    book.save(tmp_path / "commented.xlsx")
    for name, is_told in (("bold", True), ("plain", False), ("commented", True)):
        [instance], problems = rows_of(tmp_path / f"{name}.xlsx")
        assert instance.segments["text"].text == "So good a film."
        assert [(p.is_warning, "Cell comments and formatting aren't read." in p.reason) for p in problems] == [
            (True, True)
        ] * is_told


def test_a_cell_beyond_the_header_is_told(tmp_path):
    _instances, [problem] = rows_of(workbook(tmp_path, ["id", "text"], ["a", "Good.", "positive"]))
    assert problem.reason == "Cell C2 has no header."


def test_of_several_sheets_one_has_to_be_chosen(tmp_path):
    path = workbook(tmp_path, HEAD, ["a", "Good."], Others=[HEAD, ["b", "Bad."]], Empty=[])
    assert sheets.sheet_names(path) == ["Texts", "Others"]
    with pytest.raises(InvalidValue, match=r"has several sheets: 'Texts', 'Others'\. Choose one with --sheet\."):
        rows_of(path)
    [instance], _problems = rows_of(path, sheet="Others")
    assert instance.key == "b"
    with pytest.raises(InvalidValue, match=r"Unknown sheet 'Odd'. Available: 'Texts', 'Others'\."):
        rows_of(path, sheet="Odd")


def test_columns_are_chosen_and_marks_asked_about_as_of_csv(tmp_path):
    path = workbook(tmp_path, ["nr", "tweet", "spans"], [1, "So good a film.", json.dumps([[0, 2, "why"]])])
    guess = guess_format(path)
    assert guess is not None
    assert (guess.format_name, guess.is_general) == ("csv", True)
    choices = column_choices(path, "csv", ReadOptions(TASKS["sentiment"]))
    assert (choices.columns, choices.marks) == (("nr", "tweet", "spans"), ("spans",))
    chosen = {"key": "nr", "text": "tweet"}
    _instances, [problem] = rows_of(path, columns=chosen)
    assert problem.remedy == "marks"
    [instance], _warnings = rows_of(path, columns={**chosen, "rationales": "spans"})
    assert len(instance.annotations[0].sets) == 1


ODS_CELLS = [
    (cell("3", office__value_type="float", office__value="3"), "3"),
    (cell("0,33", office__value_type="float", office__value="0.333"), "0.333"),
    (cell("007", office__value_type="float", office__value="7"), "007"),
    (cell("02.01.26", office__value_type="date", office__date_value="2026-01-02"), "2026-01-02"),
    (cell("WAHR", office__value_type="boolean", office__boolean_value="true"), "TRUE"),
    (cell("a<text:s text:c='2'/>b<text:line-break/>c"), "a  b\nc"),
    ("<table:table-cell><text:p>one</text:p><text:p>two</text:p></table:table-cell>", "one\ntwo"),
    ("<table:table-cell><office:annotation><text:p>no</text:p></office:annotation><text:p>yes</text:p></table:table-cell>", "yes"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "shown"), ODS_CELLS)
def test_a_cell_of_an_open_document_is_what_the_sheet_shows(tmp_path, written, shown):
    blank = '<table:table-cell table:number-columns-repeated="16000"/>'
    head = line(*map(cell, HEAD), blank)
    [instance], problems = rows_of(
        ods(
            tmp_path,
            table(head, line(cell("a"), cell("Good 😀"), cell(), written, blank), line(blank, times=1_000_000)),
        )
    )
    assert [p.is_warning for p in problems] == [True] * ("annotation" in written)
    assert (instance.key, instance.segments["text"].text, instance.result) == ("a", "Good 😀", None)
    assert instance.metadata == {"more": shown}


def test_an_open_document_has_row_numbers_sheets_and_formula_errors_too(tmp_path):
    wrong = cell("#DIV/0!", table__formula="of:=1/0", office__value_type="string", calcext__value_type="error")
    first = table(
        line(*map(cell, HEAD)), line(cell(), times=3), line(cell("a"), cell("Good."), cell("positive"), wrong)
    )
    second = table(line(cell("id"), cell("text")), line(cell("b"), cell("Bad.")), name="Others")
    path = ods(tmp_path, first, second, table(name="Empty"))
    assert sheets.sheet_names(path) == ["Texts", "Others"]
    _instances, [problem] = rows_of(path, sheet="Texts")
    assert (problem.line, problem.reason.partition(".")[0]) == (5, "Formula in D5 gives #DIV/0!")


def test_an_open_document_that_declares_a_document_type_or_breaks_off_is_refused(tmp_path):
    for content in ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "<a><b>"):
        path = tmp_path / "texts.ods"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("content.xml", content)
        with pytest.raises(InvalidValue, match=r"Save it again or as CSV\."):
            rows_of(path)


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.9])
def test_a_workbook_that_is_damaged_is_told_and_no_trace(tmp_path, cut):
    path = workbook(tmp_path, HEAD, *([str(n), "Good film.", "positive"] for n in range(300)))
    content = bytearray(path.read_bytes())
    place = int(len(content) * cut)
    content[place : place + 40] = bytes(40)
    path.write_bytes(content)
    with suppress(InvalidValue):  # a trace, or anything else, would fail the test
        instances, problems = rows_of(path)
        assert instances or problems


def test_a_workbook_larger_than_what_is_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sheets, "MAX_UNPACKED_BYTES", 1_000)
    with pytest.raises(InvalidValue, match=r"exceeds 1 GB unpacked\. Import it in parts\."):
        rows_of(workbook(tmp_path, HEAD, ["a", "Good."]))


def test_a_workbook_without_a_filled_cell_is_refused(tmp_path):
    with pytest.raises(InvalidValue, match=r"'texts\.xlsx' has only empty sheets\."):
        rows_of(workbook(tmp_path))
