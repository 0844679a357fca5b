"""Every sentence is in the catalogues, translated, with its values; numbers agree with their nouns."""

import ast
import io
import re
from collections.abc import Iterator
from gettext import GNUTranslations

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from tests.conftest import parsed
from tests.house.test_house import ROOT
from tools.catalogues import (
    TRANSLATED,
    catalogue_path,
    gathered,
    missing,
    panel_path,
    panel_sentences,
    sentences,
    unlike,
    written_mo,
    written_panel,
)

# What of the web floor speaks English: read by whoever runs the server, and by scripts.
ENGLISH = frozenset(
    {"server.py", "addresses.py", "middleware.py", "scripts.py", "static.py", "health.py", "desktop.py"}
)
SCREENS = [path for path in (*ROOT.glob("pages/*.py"), *ROOT.glob("annotator/web/**/*.py")) if path.name not in ENGLISH]
# What a lead reads when a file cannot be imported.
SPOKEN_FORMATS = ("datasets", "own", "parquet", "rows", "suites")
NOT_SAID = frozenset({"dataset_card.py"})  # a card that goes out with data
OF_CHECKLIST = (
    "Hard: Negation of negative with neutral stuff in the middle (should be positive or neutral)"  # a test's name
)
FORMATS = [
    *ROOT.glob("annotator/formats/*.py"),
    *(
        path
        for name in SPOKEN_FORMATS
        for path in ROOT.glob(f"annotator/formats/{name}/*.py")
        if path.name not in NOT_SAID
    ),
]
SPOKEN_BY = frozenset({"_", "several", "unsaid", "counted"})
SENTENCE = re.compile(r"(?:[A-Z][a-z]*|“|'|\{\})[^<>]* [a-z]+ [a-z{]+[^<>]* [a-z]+[^<>]*")  # no markup, no word alone
QUIET = frozenset({"cli", "numbers.py"})  # commands speak English; `counted` is made in numbers.py


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_catalogue_holds_what_the_sources_say_and_is_compiled(language: str) -> None:
    """What the files say is compared, and not their bytes: each version of Babel writes these a little otherwise."""
    catalogue = gathered(language)
    remedy = "run: python -m tools.catalogues"
    with catalogue_path(language).open("rb") as file:
        assert _said_where(read_po(file, locale=language)) == _said_where(catalogue), remedy
    compiled = catalogue_path(language, "mo").read_bytes()
    assert _translations(compiled) == _translations(written_mo(catalogue)), remedy
    assert panel_path(language).read_text(encoding="utf-8") == written_panel(catalogue), remedy


def _said_where(catalogue: Catalog) -> dict[object, object]:
    return {
        message.id: (message.string, {place for place, _ in message.locations}) for message in catalogue if message.id
    }


def _translations(compiled: bytes) -> dict[object, str]:
    catalogue = GNUTranslations(io.BytesIO(compiled))._catalog
    return {message: text for message, text in catalogue.items() if message}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_is_translated_with_its_values(language: str) -> None:
    catalogue = gathered(language)
    assert [message.id for message in missing(catalogue)] == []
    assert unlike(catalogue) == []


def test_no_sentence_of_a_screen_is_said_in_english_alone() -> None:
    plain = {path: [*_plain_sentences(parsed(path))] for path in (*SCREENS, *FORMATS)}
    assert {path.name: texts for path, texts in plain.items() if texts and texts != [OF_CHECKLIST]} == {}


def test_a_plain_sentence_would_be_noticed() -> None:
    tree = ast.parse(
        '"""Of this module."""\nshow("Nothing is here yet.", _("All is well here."), f"{n} texts wait here")'
    )
    assert list(_plain_sentences(tree)) == ["Nothing is here yet.", "{} texts wait here"]


def test_a_sentence_is_written_whole_where_it_is_said_so_that_the_catalogues_hold_it() -> None:
    paths = [
        path
        for path in [*ROOT.glob("annotator/**/*.py"), *ROOT.glob("pages/*.py")]
        if not QUIET & {path.name, path.parent.name}
    ]
    spoken = [text for path in paths for text in _spoken(parsed(path))]
    assert [ast.unparse(text) for text in spoken if isinstance(text, ast.JoinedStr | ast.BinOp)] == []


def test_a_sentence_of_the_panel_is_written_whole_where_it_is_said() -> None:
    assert [message.id for message in sentences() if "${" in str(message.id)] == []


def _spoken(tree: ast.AST) -> Iterator[ast.expr]:
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in SPOKEN_BY:
            yield call.args[1 if call.func.id == "counted" else 0]


def _plain_sentences(tree: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in SPOKEN_BY:
            for value in child.keywords:
                yield from _plain_sentences(value)
        elif isinstance(child, ast.Expr) and (isinstance(child.value, ast.Constant) or _is_logged(child.value)):
            continue  # a docstring, or a line of the log
        elif isinstance(child, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in child.values)
            if SENTENCE.fullmatch(text):
                yield text
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            if SENTENCE.fullmatch(child.value):
                yield child.value
        else:
            yield from _plain_sentences(child)


def _is_logged(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("_LOG.")


# What the panel's modules say is gathered, also where it stands within a template.

MODULE = """/** A comment: _("is not gathered"). */
show(_("Nothing is here."), `${_("page {page} of {pages}", { page })} · ${counted(sizes.at(f(0)), "new token")}`);
show(`${several("{n} text waits.", "{n} texts wait.", 2)}`);
const all_ = list.map_("is no sentence");
show(
  _(
    'It is called “{name}” and says "no".',
    { name },
  ),
);
"""


def test_a_sentence_is_gathered_with_its_line_also_within_a_template() -> None:
    assert list(panel_sentences(MODULE)) == [
        (2, "Nothing is here."),
        (2, "page {page} of {pages}"),
        (2, ("{n} new token", "{n} new tokens")),
        (3, ("{n} text waits.", "{n} texts wait.")),
        (6, 'It is called “{name}” and says "no".'),
    ]


# Numbers agree with their nouns: nobody reads “1 problems”.

SOURCES = sorted(path for place in ("annotator", "pages") for path in (ROOT / place).rglob("*.py"))
SCRIPTS = sorted((ROOT / "annotator" / "web" / "panel").rglob("*.js"))

NOUNS = (
    "annotations|annotators|answers|attributions|bytes|cases|cells|characters|columns|documents|entries|files|instances|labels|"
    "lines|lists|masks|minutes|originals|people|pieces|points|posts|problems|projects|questions|rationales|records|reviewers|"
    "rounds|rows|runs|scores|seconds|seeds|sentences|sets|spans|tests|texts|times|tokens|values|versions|warnings|words"
)
AFTER_A_NUMBER = re.compile(rf" (?:new |changed |rationale |accepted )?(?:{NOUNS})\b")
IS_COUNT = re.compile(r"^len\(|(?:^|[._])n(?:_\w+)?(?:\(|$)|^(?:total|hidden|left_out)$")
ONLY_SEVERAL = re.compile(r" if [\w.]+ (?:== 1|> 1) else |1 if ")


def _parts(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Of each sentence with a number in it: the line, the number and what follows."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                    yield value.lineno, ast.unparse(value.value), str(after.value)


def test_every_count_in_a_sentence_agrees_with_its_noun() -> None:
    wrong = []
    for path in SOURCES:
        lines = path.read_text(encoding="utf-8").splitlines()
        wrong += [
            f"{path.name}:{line}: {{{number}}}{after[:30]}: write {{counted({number}, …)}} (annotator/domain/numbers.py)"
            for line, number, after in _parts(parsed(path))
            if IS_COUNT.search(number) and AFTER_A_NUMBER.match(after) and not ONLY_SEVERAL.search(lines[line - 1])
        ]
    assert wrong == []


def test_every_count_that_the_panel_says_agrees_with_its_noun() -> None:
    said = re.compile(
        rf"\$\{{[^{{}}]*(?:length|[cC]ount|size|\bn(?:_\w+)?)(?:\.toLocaleString\([^)]*\))?\}} (?:{NOUNS})\b"
    )
    wrong = [
        f"{path.name}:{number}: {found.group()}: write ${{counted(…)}} (naming.js)"
        for path in SCRIPTS
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for found in said.finditer(line)
        if "=== 1 ?" not in line and " of ${" not in line
    ]
    assert wrong == []
