"""Characters: grapheme clusters, which no token cuts, offsets as browsers count, the languages' ways, and letters as compared."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from unicodedata import category, combining

import regex

from annotator.domain.models import InputText, Subword
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.text.subword_forms import FORMS, Cut, folded, is_special, is_unknown

_SURROGATE = re.compile("[\ud800-\udfff]")

# All but characters that never share a cluster with each other. Those are listed coarsely, so that one fast search
# answers for nearly all texts; a test compares them with Unicode's property. (CR LF is a cluster, but of white space.)
_MAY_JOIN = re.compile(
    "[^\x00-\u02ff\u0370-\u0482\u048a-\u0590\u05d0-\u05ea\u0606-\u060f\u061b-\u064a\u0660-\u066f\u0671-\u06d5"
    "\u1e00-\u1fff\u2010-\u2027\u202f-\u205f\u2070-\u20bf\u2100-\u2bff\u3000-\u3029\u3030-\u3098\u309b-\u31ff"
    "\u3400-\ua48f\uac00-\ud7a3\uf900-\ufaff\uff00-\uff9d\ufffd\U0001f300-\U0001f3fa\U0001f400-\U0001f64f"
    "\U0001f680-\U0001f6ff\U0001f900-\U0001f9ff\U00020000-\U0003134a]"
)

# One cluster. White space is parted from a mark on it (the one place where Unicode would not), because few formats can
# write a token that holds white space. Flags come before \X, which counts back through all flags for each.
CONTINUES = r"[\p{GCB=EX}\p{GCB=ZWJ}\p{GCB=SM}]"
CLUSTER = rf"\s|\p{{GCB=PP}}++(?=\s)|\p{{RI}}\p{{RI}}{CONTINUES}*+|\X"
_CLUSTER = regex.compile(CLUSTER)


def check_characters(text: str) -> None:
    r"""Raise InvalidValue, naming place and code point, for half a surrogate pair, which cannot be stored.

    Everything else passes, NUL and unassigned characters too.

    >>> check_characters("ab\ud83d")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    annotator.errors.InvalidValue: Character 2 is U+D83D, a lone surrogate. Fix the encoding.
    """
    if text.isascii():
        return
    if match := _SURROGATE.search(text):
        code = ord(match.group())
        raise InvalidValue(
            _(
                "Character {number} is U+{code}, a lone surrogate. Fix the encoding.",
                number=match.start(),
                code=f"{code:04X}",
            )
        )


def beginning(text: str, start_char: int) -> str:
    """What stands at a place of a text, for a message."""
    return repr(text[start_char : start_char + 20] + ("…" if len(text) > start_char + 20 else ""))


def may_have_clusters(text: str) -> bool:
    """Whether a text may hold grapheme clusters of several characters (line ends apart). A no is certain."""
    return not text.isascii() and _MAY_JOIN.search(text) is not None


def cluster_ranges(text: str) -> list[tuple[int, int]]:
    """The grapheme clusters of several characters, in order; white space is none, even with a mark on it.

    >>> cluster_ranges("an e\u0301 and 🇩🇪🇨🇳")
    [(3, 5), (10, 12), (12, 14)]
    """
    return [match.span() for match in _CLUSTER.finditer(text) if len(match.group()) > 1]


def keep_clusters_whole(text: str, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Token ranges without borders inside a grapheme cluster: tokens grow to whole clusters, and those that meet merge.

    >>> keep_clusters_whole("e\u0301!", [(0, 1), (1, 2), (2, 3)])
    [(0, 2), (2, 3)]
    """
    if not may_have_clusters(text):
        return ranges
    clusters = cluster_ranges(text)
    if not clusters:
        return ranges
    cluster_starts = [start for start, _ in clusters]
    whole: list[tuple[int, int]] = []
    for start, end in ranges:
        before = bisect_right(cluster_starts, start) - 1
        if before >= 0 and start < clusters[before][1]:
            start = clusters[before][0]  # noqa: PLW2901
        last = bisect_left(cluster_starts, end) - 1
        if last >= 0:
            end = max(end, clusters[last][1])  # noqa: PLW2901
        if whole and start < whole[-1][1]:
            start = whole.pop()[0]  # noqa: PLW2901
        whole.append((start, end))
    return whole


def normal(name: str) -> str:
    """One form for what keyboards write in several ways, without blanks around it.

    >>> normal(" Zoe" + chr(0x308))  # the dots as a sign of their own
    'Zoë'
    """
    storable = name.encode("utf-8", "replace").decode()
    return unicodedata.normalize("NFKC", storable).strip()


# Character offsets as a browser counts them.


def utf16_offsets(text: str, offsets: Sequence[int]) -> list[int]:
    """Offsets in UTF-16 units (a browser's) for offsets in code points (Python's).

    Raises:  InvalidValue for an offset outside 0 to len(text)
    >>> utf16_offsets("a😀b", [0, 1, 2, 3])
    [0, 1, 3, 4]
    """
    if offsets and not (min(offsets) >= 0 and max(offsets) <= len(text)):
        wrong = next(offset for offset in offsets if not 0 <= offset <= len(text))
        raise InvalidValue(
            _(
                "Character offset {wrong} is outside the text ({characters}).",
                wrong=wrong,
                characters=counted(len(text), "character"),
            )
        )
    if not text or max(text) <= "\uffff":
        return list(offsets)
    astral = [index for index, character in enumerate(text) if character > "\uffff"]
    return [offset + bisect_left(astral, offset) for offset in offsets]


# What is known of a language by its code alone: which way it is written, and whether blanks part its words.


_CODE = re.compile(r"[a-z]{2,8}(?:[-_][a-z0-9]{1,8})*", re.IGNORECASE)
_RTL_LANGUAGES = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "iw", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"})
_RTL_SCRIPTS = frozenset({"adlm", "arab", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa"})
_CHINESE = frozenset({"zh", "zho", "chi", "cmn", "yue", "wuu", "lzh"})
_SPACELESS = _CHINESE | {"ja", "th", "km", "lo", "my", "bo", "dz"}


def subtags(language: str) -> list[str]:
    """The parts of a language code, in lower case.

    Raises:  InvalidValue if it does not look like a language code
    >>> subtags("zh_Hans-CN")
    ['zh', 'hans', 'cn']
    """
    if not _CODE.fullmatch(language):
        raise InvalidValue(_("'{language}' isn't a language code, e.g. en, zh, pt-BR, xx for any.", language=language))
    return re.split("[-_]", language.lower())


def direction(language: str) -> str:
    """Which way text of the language runs: "rtl" or "ltr". A script that the code names decides.

    >>> direction("he"), direction("az-Arab"), direction("en")
    ('rtl', 'rtl', 'ltr')
    """
    first, *rest = subtags(language)
    script = next((part for part in rest if len(part) == 4 and part.isalpha()), None)
    is_rtl = first in _RTL_LANGUAGES if script is None else script in _RTL_SCRIPTS
    return "rtl" if is_rtl else "ltr"


def is_chinese(language: str) -> bool:
    """Whether texts of the language are cut into characters as the benchmark cuts Chinese."""
    return subtags(language)[0] in _CHINESE


def is_spaceless(language: str) -> bool:
    """Whether the language is written without blanks between words.

    >>> is_spaceless("zh-words"), is_spaceless("ko")
    (True, False)
    """
    return subtags(language)[0] in _SPACELESS


# Texts as they are compared where a file does not say which is meant: letters alone, without case, marks and blanks.


def letters_of(text: str) -> str:
    r"""The letters of a text; lower-cased and accent-stripped models write the same ones.

    >>> letters_of("A  Café,\nopen") == letters_of("a cafe\u0301 , open"), letters_of("Café") == letters_of("cafe")
    (True, True)
    """
    if text.isascii():
        return "".join(text.lower().split())
    letters = "".join(map(folded, text))
    return letters if letters.isascii() else "".join(letter for letter in letters if not combining(letter))


def core_of(letters: str) -> str:
    """The letters without the punctuation at their ends; "" where there is nothing else.

    >>> core_of(letters_of("... Good food, bad music.")), core_of("...")
    ('goodfood,badmusic', '')
    """
    start, end = _core_range(letters)
    return letters[start:end]


def starts_within_edge(text: str) -> list[int]:
    """The characters at which a text may begin that lacks some of the punctuation at its beginning, in order.

    >>> starts_within_edge("... Good"), starts_within_edge("Good.")
    ([0, 1, 2, 4], [0])
    """
    start, _ = _core_range(text)
    return [index for index in range(start + 1) if index == start or not text[index].isspace()]


def _core_range(text: str) -> tuple[int, int]:
    start, end = 0, len(text)
    while start < end and _is_edge(text[start]):
        start += 1
    while end > start and _is_edge(text[end - 1]):
        end -= 1
    return start, end


def _is_edge(letter: str) -> bool:
    return letter.isspace() or letter == "`" or category(letter).startswith("P")


def input_of_text(text: str) -> InputText:
    """What a row says was read, where it holds the text itself."""
    return InputText((letters_of(text),), text)


def input_of_subwords(subwords: Sequence[Subword]) -> InputText:
    """The same, where it holds its subwords: their letters, by each way in which models write subwords.

    Undefined: no letters where a subword stands for what the model's vocabulary has not
    """
    texts = [subword.text for subword in subwords if not is_special(subword)]
    if any(map(is_unknown, texts)):
        return InputText((), " ".join(texts))
    readings = (Cut.of(texts, form, [form.letters(text) for text in texts]).letters for form in FORMS)
    letters = tuple(dict.fromkeys(letters_of("".join(reading)) for reading in readings))
    return InputText(letters, " ".join(texts))
