"""Gathers the program's sentences into the catalogues of `annotator/locale`, and compiles them.

    python -m tools.catalogues            gather, keep what is translated, compile
    python -m tools.catalogues --missing  print what is not translated yet, one sentence a line

The compiled catalogues (.mo) are kept in the repository, since they are read without any tool; a test compares them.
"""

import ast
import copy
import datetime as dt
import io
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from annotator.language import CATALOGUES, DOMAIN, LANGUAGES
from annotator.scoring.table import all_table_definitions

ROOT = Path(__file__).resolve().parents[1]
_COMMANDS = ROOT / "annotator" / "cli"  # they speak English
PANEL = ROOT / "annotator" / "web" / "panel"
TRANSLATED = tuple(language for language in LANGUAGES if language != "en")
_Message = str | tuple[str, str]
_Keywords = Mapping[str, tuple[int | tuple[int, int] | tuple[int, str], ...] | None]
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LITERAL = r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*"""
_GIVEN = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*?"  # what is counted: it may call something that calls something
_SAID = re.compile(rf"(?<![\w$.])(?:_\({_LITERAL}|several\({_LITERAL},{_LITERAL},|counted\({_GIVEN},{_LITERAL},?\s*\))")
_LOUD = {"silent": "false"}  # a template that cannot be read is no empty one
_TEMPLATES: _Keywords = {"_": None, "ngettext": (1, 2)}
_METRICS = "annotator/metrics/registry.py"
_NEVER = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)  # only sentences change a file
_CHANGES_EACH_TIME = re.compile(
    rb'"(?:P\S+-Date|Generated-By|Last-Translator|Language-Team|Report-\S+|Project-Id-\S+): .*\\n"\n'
)
_BRACES = re.compile(r"\{(\w*)\}")
# Words that mean something else where they begin with a capital; all others have one translation for both.
_DISTINCT = frozenset((
    "about", "change", "constant", "corrected", "first", "from", "list", "measure", "more", "open", "people", "priority",
    "quality", "rejected", "skip", "word lists",
))  # fmt: skip


def sentences() -> Catalog:
    """What the sources say, with where."""
    catalogue = Catalog(domain=DOMAIN)
    capitals = _all_capitals()
    for where, line, message in _written():
        catalogue.add(capitals.get(message, message), None, [(where, line)])
    return catalogue


@cache
def _written() -> tuple[tuple[str, int, _Message], ...]:
    return (*_said_in_sources(), *_said_in_data())


def _capitals(messages: Iterable[_Message]) -> dict[_Message, str]:
    """What begins with a capital and is also written without it, by both forms: the catalogues have the second alone.

    >>> _capitals(["Model", "model", "Open", "open", "Save", ("{n} text", "{n} texts")])
    {'Model': 'model'}
    """
    texts = {message for message in messages if isinstance(message, str)}
    pairs = {text: text[0].lower() + text[1:] for text in sorted(texts) if text[:1].isupper()}
    return {text: small for text, small in pairs.items() if small in texts - _DISTINCT}


@cache
def _all_capitals() -> dict[_Message, str]:
    return _capitals(message for _where, _line, message in _written())


def _with_capitals(catalogue: Catalog) -> Catalog:
    """What the program looks up: each message in both forms in which it is written."""
    whole = copy.deepcopy(catalogue)
    for text, small in _all_capitals().items():
        message = catalogue[small]
        whole.add(text, message.string, message.locations)
    return whole


def _said_in_sources() -> Iterator[tuple[str, int, _Message]]:
    for path in _files(("annotator", "pages"), "py"):
        if _COMMANDS not in path.parents:
            yield from ((_where(path), *said) for said in python_sentences(path.read_text(encoding="utf-8")))
    for path in _files(("annotator/web/panel",), "js"):
        yield from ((_where(path), *said) for said in panel_sentences(path.read_text(encoding="utf-8")))
    for path in _files(("annotator/web",), "html"):
        for line, written, _comments, _context in extract_from_file("jinja2", path, _TEMPLATES, options=_LOUD):
            yield _where(path), line, written if isinstance(written, str) else (written[0], written[1])


def _said_in_data() -> Iterator[tuple[str, int, _Message]]:
    """What is composed where it is written, and said where it is shown."""
    for definition in all_table_definitions():
        yield from ((_METRICS, 1, text) for text in definition.words)
    for path in _files(("annotator/perturb/suites",), "toml"):
        yield from ((_where(path), 1, sentence) for sentence in _suite_sentences(path))


def _suite_sentences(path: Path) -> Iterator[str]:
    """How a suite that comes along is introduced; its tests' names are stored with what is made of them, so they stay."""
    suite = tomllib.loads(path.read_text(encoding="utf-8"))
    yield from (suite[name] for name in ("title", "source") if name in suite)
    yield from (test["about"] for test in suite.get("tests", ()))


def python_sentences(source: str) -> Iterator[tuple[int, _Message]]:
    """The sentences of one source with their lines, also those within an f-string, which Babel's own reading passes over."""
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        match call.func.id, [part.value if isinstance(part, ast.Constant) else None for part in call.args]:
            case (("_" | "unsaid"), [str() as sentence]):
                yield call.lineno, sentence
            case "several", [str() as single, str() as plural, *_others]:
                yield call.lineno, (single, plural)
            case "counted", [_n, str() as noun]:
                yield call.lineno, _counted(noun, noun + "s")
            case "counted", [_n, str() as noun, str() as plural]:
                yield call.lineno, _counted(noun, plural)


def panel_sentences(source: str) -> Iterator[tuple[int, _Message]]:
    """The sentences of a module of the panel with their lines, also those within a template, which Babel passes over."""
    source = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), source)
    for match in _SAID.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        sentence, single, plural, noun = (literal and ast.literal_eval(literal) for literal in match.groups())
        if sentence:
            yield line, sentence
        elif single:
            yield line, (single, plural)
        else:
            yield line, _counted(noun, f"{noun}s")


def _counted(noun: str, plural: str) -> _Message:
    """As `counted` says a noun (domain/numbers.py, shared/naming.js)."""
    return f"{{n}} {noun}", f"{{n}} {plural}"


def _files(folders: Sequence[str], ending: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob(f"*.{ending}"))


def _where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def catalogue_path(language: str, ending: str = "po") -> Path:
    """Where a language's catalogue lies."""
    return CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.{ending}"


def gathered(language: str) -> Catalog:
    """A language's catalogue with the sentences as they are now; what is no longer said is dropped."""
    path = catalogue_path(language)
    known = Catalog(locale=language)
    if path.is_file():
        with path.open("rb") as file:
            known = read_po(file, locale=language, domain=DOMAIN)
    known.update(sentences(), no_fuzzy_matching=True)
    known.obsolete.clear()
    known.header_comment = "# The sentences of the rationale annotator."
    known.fuzzy = False
    known.creation_date = known.revision_date = _NEVER
    return known


def written_po(catalogue: Catalog) -> bytes:
    """As the file is: sorted by where, without dates and line numbers, so that only sentences change it."""
    buffer = io.BytesIO()
    write_po(buffer, catalogue, width=120, omit_header=False, sort_by_file=True, include_lineno=False)
    return _CHANGES_EACH_TIME.sub(b"", buffer.getvalue())


def written_mo(catalogue: Catalog) -> bytes:
    """As the program reads it."""
    buffer = io.BytesIO()
    write_mo(buffer, _with_capitals(catalogue))
    return buffer.getvalue()


def panel_path(language: str) -> Path:
    """What the panel reads of a language's catalogue."""
    return PANEL / "words" / f"{language}.js"


def written_panel(catalogue: Catalog) -> str:
    """The sentences of the panel as a script that a document names before it: what depends on a number under its first form."""
    words = {
        _texts(message.id)[0]: _texts(message.string)[0]
        for message in _with_capitals(catalogue)
        if message.id and any(place.endswith(".js") for place, _line in message.locations)
    }
    return f"globalThis.annotatorWords = {json.dumps(words, ensure_ascii=False, indent=2, sort_keys=True)};\n"


def missing(catalogue: Catalog) -> list[Message]:
    """The sentences without a translation."""
    return [message for message in catalogue if message.id and not all(_texts(message.string))]


def unlike(catalogue: Catalog) -> list[str]:
    """Translations that name other values in braces than their sentence; its last form is said of every larger number."""
    return [
        f"{message.id!r} has other values than {text!r}"
        for message in catalogue
        if message.id
        for text in _texts(message.string)
        if text and not _has_values_of(message, text)
    ]


def _has_values_of(message: Message, text: str) -> bool:
    forms = _texts(message.string)
    values, wanted = _values_of(text), _values_of(_texts(message.id)[-1])
    return values == wanted or (text != forms[-1] and values | {"n"} == wanted | {"n"})


def _values_of(text: str) -> set[str]:
    return set(_BRACES.findall(text))


def _texts(text: str | list[str] | tuple[str, ...] | None) -> list[str]:
    return [text or ""] if text is None or isinstance(text, str) else list(text)


def main(arguments: list[str]) -> None:
    """Bring every catalogue up to date."""
    for language in TRANSLATED:
        catalogue = gathered(language)
        catalogue_path(language).parent.mkdir(parents=True, exist_ok=True)
        catalogue_path(language).write_bytes(written_po(catalogue))
        catalogue_path(language, "mo").write_bytes(written_mo(catalogue))
        panel_path(language).write_text(written_panel(catalogue), encoding="utf-8")
        lacking = missing(catalogue)
        if "--missing" in arguments:
            sys.stdout.writelines(f"{_texts(message.id)[0]!r}\n" for message in lacking)
        sys.stdout.write(f"{language}: {len(catalogue)} sentences, {len(lacking)} of them not translated\n")


if __name__ == "__main__":
    main(sys.argv[1:])
