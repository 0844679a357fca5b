"""Grapheme clusters (what a reader sees as one character), which no token cuts, and characters that no text holds."""

import re
import unicodedata
from bisect import bisect_left, bisect_right

import regex

from annotator.errors import InvalidValue
from annotator.language import _

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
    annotator.errors.InvalidValue: Character 2 is U+D83D, half a surrogate pair. Repair the text's encoding ...
    """
    if text.isascii():
        return
    if match := _SURROGATE.search(text):
        code = ord(match.group())
        raise InvalidValue(
            _(
                "Character {number} is U+{code}, half a surrogate pair. Repair the text's encoding at its source.",
                number=match.start(),
                code=f"{code:04X}",
            )
        )


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
