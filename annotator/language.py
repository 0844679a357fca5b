"""In which language sentences are said: English as they stand in the source, every other one from a gettext catalogue.

A sentence is written once, in English and whole, with the names of its values in braces:

    _("There is nothing at the address {path}.", path=path)
    several("{n} text waits.", "{n} texts wait.", n)

What is written at a module's level, before anybody is there to read it, is marked and said where it is shown:

    STATES = {"open": unsaid("waiting")}        …        _(STATES[state])

Which language that is follows the request, or the run of a page: what is said to one person is never in another's language.
Commands, logs and files speak English. `tools/catalogues.py` gathers the sentences for the catalogues in `locale/`.
"""

import datetime as dt
import gettext
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Literal, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
OWN_NAMES: dict[Language, str] = {"en": "English", "zh": "中文"}  # so that everybody finds theirs
DOMAIN = "annotator"
CATALOGUES = Path(__file__).resolve().parent / "locale"

_WIDE_STOPS = tuple("。！？；：，")  # of Chinese: as wide as a character, so that no space is written behind them
_AROUND_STOPS = "”）*"  # what may stand behind a stop and ends the sentence all the same; * of text in bold

_SPOKEN: ContextVar[Language | None] = ContextVar("language", default=None)
_ELSEWHERE: list[Callable[[], Language]] = []  # who is asked where nobody has chosen a language, the last one first


def spoken_language() -> Language:
    """The language of this request, or of this run of a page."""
    return _SPOKEN.get() or (_ELSEWHERE[-1]() if _ELSEWHERE else "en")


def speak_otherwise(language: Callable[[], Language]) -> None:
    """Where no language was chosen, as in a callback of a page, it is asked for here."""
    _ELSEWHERE.append(language)


def speak(language: Language) -> None:
    """From here on, in this request or this run of a page, sentences are said in a language."""
    _SPOKEN.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Sentences are said in a language meanwhile."""
    token = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def _(sentence: str, /, **values: object) -> str:
    """A sentence in the language of who reads it, with its values; in English where no translation is there.

    >>> _("“{name}” is taken.", name="{a}")
    '“{a}” is taken.'
    """
    translated = _catalogue(spoken_language()).gettext(sentence) if sentence else ""
    return translated.format_map(values) if values else translated


def several(single: str, plural: str, n: int, /, **values: object) -> str:
    """A sentence that depends on a number, which is its value {n}; thousands are parted by commas.

    >>> several("{n} text waits.", "{n} texts wait.", 1200), several("{n} text waits.", "{n} texts wait.", 1)
    ('1,200 texts wait.', '1 text waits.')
    """
    return _catalogue(spoken_language()).ngettext(single, plural, n).format_map({"n": f"{n:,}"} | values)


def unsaid(sentence: str) -> str:
    """A sentence as it stands, marked for the catalogues: `_` says it where it is shown."""
    return sentence


def listed(words: Sequence[str], last: Literal["", "and", "or"] = "") -> str:
    """Words in one line, with commas, and before the last one what connects it.

    >>> listed(["a", "b", "c"], "or"), listed(["a", "b"]), listed(["a"], "and"), listed([])
    ('a, b or c', 'a, b', 'a', '')
    """
    comma = "、" if spoken_language() == "zh" else ", "
    if not last or len(words) < 2:
        return comma.join(words)
    before, word = comma.join(words[:-1]), words[-1]
    if last == "and":
        return _("{before} and {word}", before=before, word=word)
    return _("{before} or {word}", before=before, word=word)


def first_listed(names: Sequence[str], most: int) -> str:
    """The first of some names in a line, and how many more there are.

    >>> first_listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    shown, n = listed(names[:most]), len(names) - most
    return _("{names} and {n} more", names=shown, n=f"{n:,}") if n > 0 else shown


def unknown(what: str, name: object, names: str) -> str:
    """Of a name that is none of those there are.

    >>> unknown("role", "boss", "annotator, lead")
    "Unknown role 'boss'. Available: annotator, lead."
    """
    return _("Unknown {what} '{name}'. Available: {names}.", what=what, name=name, names=names)


def parted(clauses: Iterable[str]) -> str:
    """Clauses in one line, with semicolons, since there may be commas within.

    >>> parted(["A: 2, 3", "B: 4"])
    'A: 2, 3; B: 4'
    """
    return ("；" if spoken_language() == "zh" else "; ").join(clauses)


def clause_by_clause(text: str, parting: str = "; ") -> str:
    """A text whose clauses are translated one by one, since other texts share them.

    >>> clause_by_clause("Recall, macro", ", "), clause_by_clause("mean over texts; 0 without gold")
    ('Recall, macro', 'mean over texts; 0 without gold')
    """
    wide = {"; ": "；", ", ": "，", ": ": "："}[parting] if spoken_language() == "zh" else parting
    return wide.join(map(_, text.split(parting)))


def in_brackets(words: str) -> str:
    """Words that stand for a value that is not there.

    >>> in_brackets("none")
    '(none)'
    """
    return f"（{words}）" if spoken_language() == "zh" else f"({words})"


def together(*sentences: str) -> str:
    """Whole sentences, one after another; an empty one is left out. Chinese stops hold the space behind them already.

    >>> together("One is open.", "", "None is done.")
    'One is open. None is done.'
    """
    line = ""
    for sentence in filter(None, sentences):
        is_close = not line or line.rstrip(_AROUND_STOPS).endswith(_WIDE_STOPS) or sentence.startswith("（")
        line += sentence if is_close else f" {sentence}"
    return line


def written_day(day: dt.date) -> str:
    """A day as people write it.

    >>> written_day(dt.date(2026, 3, 9))
    '9 March 2026'
    """
    if spoken_language() == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {day:%B} {day.year}"


@cache
def _catalogue(language: Language) -> gettext.NullTranslations:
    if language == "en":
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, CATALOGUES, [language])


def language_of_browser(accepted: str) -> Language:
    """The first of our languages in a browser's list (the header Accept-Language), in the order of its weights.

    >>> language_of_browser("zh-CN,zh;q=0.9,en;q=0.8"), language_of_browser("de, en;q=0.7, zh;q=0.3"), language_of_browser("")
    ('zh', 'en', 'en')
    >>> language_of_browser("zh-Hant-TW;q=x, *;q=0.1")
    'en'
    """
    weighted: list[tuple[float, Language]] = []
    for part in accepted.split(","):
        tag, _semicolon, weight = part.strip().partition(";q=")
        name = tag.split("-")[0].lower()
        weighted += [(_number(weight or "1"), language) for language in LANGUAGES if language == name]
    known = [(weight, language) for weight, language in weighted if weight > 0]
    return max(known, key=lambda pair: pair[0])[1] if known else "en"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
