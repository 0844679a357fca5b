"""The document of a page: what it says to a browser before anything else is read."""

import re

from annotator.web.routes.documents import _document
from annotator.web.routes.static import panel_version


def test_a_document_brings_the_words_of_its_language_before_any_module() -> None:
    page = _document("annotate", language="zh")
    assert '<html lang="zh">' in page
    scripts = re.findall(r'<(?:script|link)[^>]*?(?:src|href)="(/panel/[^"]+)"', page)
    assert scripts[0] == f"/panel/{panel_version()}/words/zh.js"


def test_an_english_document_brings_no_words() -> None:
    assert "/words/" not in _document("annotate").replace("/words/language.js", "")
