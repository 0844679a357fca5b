"""What is known of a language by its code alone: which way it is written, and whether blanks part its words."""

import re

from annotator.errors import InvalidValue
from annotator.language import _

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
        raise InvalidValue(
            _(
                "'{language}' is no language code. Write one like en, zh or pt-BR, or xx for any language.",
                language=language,
            )
        )
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
