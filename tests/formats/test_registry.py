"""Formats by name."""

import subprocess
import sys

import pytest

from annotator.errors import InvalidValue
from annotator.formats.registry import READERS, WRITERS, get_reader, get_writer


@pytest.mark.parametrize("name", READERS)
def test_every_reader_is_there(name):
    assert callable(get_reader(name))


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_is_there(name):
    assert callable(get_writer(name))


def test_an_unknown_format_is_refused_naming_those_there_are():
    with pytest.raises(
        InvalidValue, match=r"no format 'parquet' that can be read. Choose one of csv, jsonl, eraser, benchmark"
    ):
        get_reader("parquet")
    with pytest.raises(InvalidValue, match=r"no format 'aesw' that can be written. Choose one of eraser, benchmark"):
        get_writer("aesw")


def test_a_format_is_imported_when_it_is_asked_for():
    code = (
        "import sys; import annotator.formats.registry as r; "
        "assert {m for m in sys.modules if m.startswith('annotator.formats.')} "
        "== {'annotator.formats.base', 'annotator.formats.registry'}; "
        "r.get_reader('eraser'); assert 'annotator.formats.benchmark.reader' not in sys.modules; assert 'spacy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
