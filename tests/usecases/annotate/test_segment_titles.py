"""What the segments of a text are called on a screen: words, and a document's own name where it tells something."""

import pytest

from annotator.domain.instances import Segment
from annotator.domain.tasks import TASKS
from annotator.domain.texts import TokenizedText
from annotator.language import speaking
from annotator.usecases.annotate.panel_messages import segment_title

HEX = "9a0364b9e99bb480dd25e1f0284c8555"


@pytest.mark.parametrize(
    ("name", "docid", "title"),
    [
        ("document", "Soup", "Document · Soup"),
        ("document2", "Soup", "Document 2 · Soup"),
        ("document", None, "Document"),
        ("document2", HEX, "Document 2"),  # nobody knows a document by 32 digits
        ("query", "Soup", "Claim or question"),
    ],
)
def test_a_segment_is_called_by_words(name: str, docid: str | None, title: str) -> None:
    segment = Segment(name, name != "query", TokenizedText("Soup", (0,), (4,), (0,)), docid)
    assert segment_title(segment, TASKS["verification"]) == title


def test_a_segment_is_called_by_words_of_the_reader_and_a_document_by_its_own_name() -> None:
    segment = Segment("document2", True, TokenizedText("Soup", (0,), (4,), (0,)), "Soup")
    with speaking("zh"):
        assert segment_title(segment, TASKS["verification"]) == "文档 2 · Soup"
